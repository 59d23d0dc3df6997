//! `archive:FILE`: a `.tar.gz`, `.tgz`, `.tar` or `.zip`, read in memory.
//!
//! Nothing is unpacked to disk, so nothing can leave its folder. A path that would (`../x`, `/x`), a link and a
//! device are set aside all the same, because other programs that unpack the archive would get other files. A single
//! folder at the top, as in releases, is removed from all paths.
//!
//! The difficulty is size: a small file can unpack to more than any machine holds. The output is bounded by the size
//! of the archive itself and by [`MOST_BYTES`], and files that are not code are skipped unread.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{self, BufReader, Read, Seek};
use std::path::Path;
use std::rc::Rc;

use barecode_records::Reason;
use barecode_records::Spool;
use barecode_records::guarded::{self, Allowance};
use flate2::read::MultiGzDecoder;

use super::error::SourceError;
use super::listing::{
    Content, Facts, IN_MEMORY, Listing, MOST_BYTES, MOST_ENTRIES, NEVER_READ_ABOVE,
};
use super::paths::{clean, may_be_code, may_be_read, readable_path};
use super::wanted::Wanted;

/// Small archives of tables and zeros may be packed better than that.
const FREE_BYTES: u64 = 64 << 20;

/// The limit for the data before a file of a tar: its headers, including those that hold long names.
const MOST_HEADER_BYTES: u64 = 1 << 20;

/// Reads the requested files of an archive.
pub(super) fn read(
    from: &str,
    path: &Path,
    wanted: &Wanted,
) -> Result<(Facts, Listing), SourceError> {
    let unreadable = |error: io::Error| SourceError::Unreadable {
        from: from.to_owned(),
        path: path.to_owned(),
        message: error.to_string(),
    };
    let file = guarded::open(path).map_err(unreadable)?;
    let metadata = file.metadata().map_err(unreadable)?;
    if !metadata.is_file() {
        return Err(unreadable(io::Error::other("it is not a file")));
    }
    let name = path
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .to_ascii_lowercase();
    let bound = MOST_BYTES.min(Allowance::of(metadata.len(), FREE_BYTES).most());
    let reader = BufReader::new(file);
    let spool = Spool::with_memory(IN_MEMORY);
    let ends = |ending: &str| name.ends_with(ending);
    let unpacked = if ends(".tar.gz") || ends(".tgz") {
        untar(Bounded::new(MultiGzDecoder::new(reader), bound), &spool)
    } else if ends(".tar") {
        untar(Bounded::new(reader, u64::MAX), &spool)
    } else if ends(".zip") {
        unzip(reader, bound, &spool)
    } else {
        return Err(unreadable(io::Error::other(
            "not a kind of archive that is read: `.tar.gz`, `.tgz`, `.tar`, `.zip`",
        )));
    };
    let (commit, entries) = unpacked.map_err(|failure| match failure {
        Failure::TooLarge(message) => SourceError::TooLarge {
            from: from.to_owned(),
            message,
        },
        Failure::Corrupt(message) => SourceError::Corrupt {
            from: from.to_owned(),
            path: path.to_owned(),
            message,
        },
    })?;
    let listing = list(from, (entries, spool), wanted)?;
    let facts = Facts {
        commit,
        ..Facts::default()
    };
    Ok((facts, listing))
}

/// The entry of an archive at a path.
enum Entry {
    /// A file and its text, if it may be code or state a license.
    File(Content),
    /// A link, and where to.
    Link(String),
    /// Something that would leave its folder, or is not a file.
    Unsafe(&'static str),
}

type Entries = BTreeMap<String, Entry>;

/// The reason why an archive cannot be read.
#[derive(Debug)]
enum Failure {
    TooLarge(String),
    Corrupt(String),
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error
            .get_ref()
            .and_then(|inner| inner.downcast_ref::<Beyond>())
        {
            Some(beyond) => Failure::TooLarge(beyond.to_string()),
            None => Failure::Corrupt(error.to_string()),
        }
    }
}

/// The bound that was reached.
#[derive(Debug, thiserror::Error)]
#[error("it unpacks to more than {0} bytes")]
struct Beyond(u64);

/// A reader that ends in an error after this many bytes.
struct Bounded<R> {
    inner: R,
    left: u64,
    bound: u64,
}

impl<R> Bounded<R> {
    fn new(inner: R, bound: u64) -> Bounded<R> {
        Bounded {
            inner,
            left: bound,
            bound,
        }
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.left.checked_sub(count as u64) {
            Some(left) => self.left = left,
            None => return Err(io::Error::other(Beyond(self.bound))),
        }
        Ok(count)
    }
}

/// A reader that ends in an error when its allowance is used up.
struct Metered<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let most = usize::try_from(self.left.get()).unwrap_or(usize::MAX);
        if most == 0 && !buffer.is_empty() {
            return Err(io::Error::other(Beyond(MOST_HEADER_BYTES)));
        }
        let most = most.min(buffer.len());
        let count = self.inner.read(&mut buffer[..most])?;
        self.left.set(self.left.get() - count as u64);
        Ok(count)
    }
}

fn untar(reader: impl Read, spool: &Spool) -> Result<(Option<String>, Entries), Failure> {
    // The library reads a whole long name before it returns the entry that has it.
    let left = Rc::new(Cell::new(u64::MAX));
    let mut archive = tar::Archive::new(Metered {
        inner: reader,
        left: Rc::clone(&left),
    });
    let mut entries = Entries::new();
    let mut commit = None;
    let mut kept = 0;
    let mut inside = archive.entries()?;
    loop {
        left.set(MOST_HEADER_BYTES);
        let next = inside.next();
        if left.get() == 0 {
            let message =
                format!("the headers of an entry have more than {MOST_HEADER_BYTES} bytes");
            return Err(Failure::TooLarge(message));
        }
        left.set(u64::MAX);
        let Some(entry) = next else {
            break;
        };
        let mut entry = entry?;
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            // `git archive` writes the commit in it.
            let mut text = String::new();
            let _ = entry.by_ref().take(4 << 10).read_to_string(&mut text);
            commit = commit.or_else(|| commit_in(&text));
            drain(&mut entry)?;
            continue;
        }
        let raw = entry.path_bytes().into_owned();
        let (path, safe) = clean(&raw);
        let found = if let Err(why) = safe {
            Entry::Unsafe(why)
        } else if kind.is_symlink() || kind.is_hard_link() {
            let to = entry.link_name_bytes();
            Entry::Link(to.map_or_else(String::new, |to| readable_path(&to)))
        } else if kind.is_dir() {
            drain(&mut entry)?;
            continue;
        } else if kind.is_file() || kind.is_contiguous() || kind.is_gnu_sparse() {
            let size = entry.size();
            Entry::File(content(&path, size, &mut kept, (&mut entry, spool))?)
        } else {
            Entry::Unsafe("it is a device or the like")
        };
        drain(&mut entry)?;
        insert(&mut entries, path, found)?;
    }
    Ok((commit, entries))
}

/// Reads past the rest of an entry, so that only headers come before the next.
fn drain(entry: &mut impl Read) -> io::Result<()> {
    io::copy(entry, &mut io::sink()).map(drop)
}

fn unzip(
    reader: impl Read + Seek,
    bound: u64,
    spool: &Spool,
) -> Result<(Option<String>, Entries), Failure> {
    let corrupt = |error: zip::result::ZipError| Failure::Corrupt(error.to_string());
    let mut archive = zip::ZipArchive::new(reader).map_err(corrupt)?;
    let mut entries = Entries::new();
    let mut kept = 0;
    // Downloads from forges have the commit as their comment.
    let comment = String::from_utf8_lossy(archive.comment()).into_owned();
    let commit = is_commit(&comment).then_some(comment);
    for number in 0..archive.len() {
        let (raw, is_dir, is_link, size) = {
            let entry = archive.by_index_raw(number).map_err(corrupt)?;
            let raw = entry.name_raw().to_vec();
            (raw, entry.is_dir(), entry.is_symlink(), entry.size())
        };
        let (path, safe) = clean(&raw);
        let found = if let Err(why) = safe {
            Entry::Unsafe(why)
        } else if is_dir {
            continue;
        } else {
            match archive.by_index(number) {
                Ok(mut entry) if is_link => {
                    let mut to = Vec::new();
                    let _ = entry.by_ref().take(4 << 10).read_to_end(&mut to);
                    Entry::Link(readable_path(&to))
                }
                Ok(entry) => {
                    let mut entry = Bounded::new(entry, bound.saturating_sub(kept));
                    match content(&path, size, &mut kept, (&mut entry, spool)) {
                        Ok(content) => Entry::File(content),
                        Err(Failure::Corrupt(message)) => {
                            Entry::File(Content::Aside(Reason::FileUnreadable, message))
                        }
                        Err(failure) => return Err(failure),
                    }
                }
                // A password, or a way of packing that is not known.
                Err(error) => {
                    Entry::File(Content::Aside(Reason::FileUnreadable, error.to_string()))
                }
            }
        };
        insert(&mut entries, path, found)?;
    }
    Ok((commit, entries))
}

/// The text of a file, if it may be code or state a license.
fn content(
    path: &str,
    size: u64,
    kept: &mut u64,
    (entry, spool): (&mut impl Read, &Spool),
) -> Result<Content, Failure> {
    if !may_be_read(path) {
        return Ok(Content::NotRead);
    }
    if size > NEVER_READ_ABOVE {
        return Ok(Content::TooLarge(size));
    }
    // The stated size may be wrong.
    let mut bytes = Vec::new();
    entry.take(NEVER_READ_ABOVE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > NEVER_READ_ABOVE {
        return Ok(Content::TooLarge(size));
    }
    *kept += bytes.len() as u64;
    if *kept > MOST_BYTES {
        return Err(Failure::TooLarge(Beyond(MOST_BYTES).to_string()));
    }
    Ok(Content::Bytes(spool.put(bytes)))
}

/// Of two entries with one path the later one counts, as where they are unpacked.
fn insert(entries: &mut Entries, path: String, entry: Entry) -> Result<(), Failure> {
    entries.insert(path, entry);
    if entries.len() > MOST_ENTRIES {
        let message = format!("it holds more than {MOST_ENTRIES} files");
        return Err(Failure::TooLarge(message));
    }
    Ok(())
}

/// The files without the one folder that contains all of them, as the recipe requests them.
fn list(
    from: &str,
    (entries, spool): (Entries, Spool),
    wanted: &Wanted,
) -> Result<Listing, SourceError> {
    let top = |path: &str| path.split_once('/').map(|(top, _)| top.to_owned());
    let mut tops = entries
        .iter()
        .filter(|(_, entry)| !matches!(entry, Entry::Unsafe(_)))
        .map(|(path, _)| top(path));
    let first = tops.next().flatten();
    let prefix = match first {
        Some(first) if tops.all(|top| top.as_ref() == Some(&first)) => format!("{first}/"),
        _ => String::new(),
    };
    let mut listing = Listing::in_spool(spool);
    for (path, entry) in entries {
        let stays = clean(path.as_bytes()).1.is_ok();
        let path = match path.strip_prefix(&prefix) {
            Some(inside) if stays => inside.to_owned(),
            _ => path,
        };
        match entry {
            Entry::Unsafe(why) => listing.aside(wanted, path, Reason::EntryUnsafe, why),
            Entry::Link(to) if may_be_code(&path) => {
                let detail = format!("to `{to}`");
                listing.aside(wanted, path, Reason::FileIsLink, detail);
            }
            Entry::Link(_) => {}
            Entry::File(content) => {
                if let Some(wish) = wanted.wish(&path) {
                    listing.add(path, wish, |_| Ok::<_, SourceError>(content))?;
                }
            }
        }
        listing.check(from)?;
    }
    Ok(listing)
}

/// The commit in the `comment` of a global header of PAX: `52 comment=<commit>`.
fn commit_in(text: &str) -> Option<String> {
    let (_, after) = text.split_once(" comment=")?;
    let commit = after.lines().next()?;
    is_commit(commit).then(|| commit.to_owned())
}

fn is_commit(text: &str) -> bool {
    text.len() == 40 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
