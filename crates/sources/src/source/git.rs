//! `git:REPOSITORY[@REVISION]`: a commit of a repository, read from its objects without a checkout.
//!
//! An address is copied into the user's cache first ([`super::mirror`]); a local repository, bare or not, is read in
//! place and in process, so that neither hooks nor filters nor a configuration of the repository come into play.
//! Every object is hashed again, so the recorded content is the content that was read.
//!
//! Damage is of two kinds. A blob that the repository does not hold, as in a partial clone, is set aside alone.
//! Anything that contradicts itself (a pack that is cut short, bytes that have another hash) makes the whole
//! repository damaged, because the extent of the damage is unknown.

use std::path::{Path, PathBuf};

use barecode_records::{Reason, Spool, caught, guarded};
use gix::objs::Kind;
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository};

use super::config::SourceConfig;
use super::error::SourceError;
use super::listing::{Content, Facts, Listing, MOST_ENTRIES, NEVER_READ_ABOVE};
use super::paths::{clean, may_be_code, readable_path};
use super::wanted::Wanted;
use super::{history, mirror, repository};

/// Reads the requested files of a commit.
pub(super) fn read(
    config: &SourceConfig,
    repository: &str,
    base: &Path,
    wanted: &Wanted,
) -> Result<(Facts, Listing), SourceError> {
    let (address, revision) = mirror::address_and_revision(repository, base);
    let folder = mirror::locate(&config.from, address, base)?;
    let place = Place {
        from: &config.from,
        folder,
    };
    // Untrusted packs may hold data that the library did not foresee.
    let read = caught(|| read_commit(&place, revision, wanted, config.first_commit));
    let unforeseen = || Err(place.corrupt("its objects cannot be decoded"));
    let (commit, listing) = read.unwrap_or_else(unforeseen)?;
    let facts = Facts {
        repository: address.contains("://").then(|| address.to_owned()),
        version: None,
        commit: Some(commit),
        license: None,
    };
    Ok((facts, listing))
}

/// A repository on this machine, for errors.
struct Place<'a> {
    from: &'a str,
    folder: PathBuf,
}

impl Place<'_> {
    fn corrupt(&self, message: impl Into<String>) -> SourceError {
        SourceError::Corrupt {
            from: self.from.to_owned(),
            path: self.folder.clone(),
            message: message.into(),
        }
    }

    /// Opens the repository without any configuration but its own, and without replacements of objects.
    fn open(&self) -> Result<Repository, SourceError> {
        repository::stays_inside(&self.folder).map_err(|message| SourceError::Unreadable {
            from: self.from.to_owned(),
            path: self.folder.clone(),
            message,
        })?;
        let options = gix::open::Options::isolated().with(gix::sec::Trust::Full);
        let mut repository =
            gix::open_opts(&self.folder, options).map_err(|error| SourceError::Unreadable {
                from: self.from.to_owned(),
                path: self.folder.clone(),
                message: format!(
                    "not a git repository that can be read: {}",
                    first_line(&error)
                ),
            })?;
        repository.objects.ignore_replacements = true;
        repository.object_cache_size_if_unset(32 << 20);
        Ok(repository)
    }

    /// An object, hashed again; `None` if the repository does not hold it.
    fn object(
        &self,
        repository: &Repository,
        id: ObjectId,
        kind: Kind,
    ) -> Result<Option<Vec<u8>>, SourceError> {
        let found = repository
            .try_find_object(id)
            .map_err(|error| self.corrupt(format!("object {id}: {}", first_line(&error))))?;
        let Some(mut object) = found else {
            return Ok(None);
        };
        if object.kind != kind {
            return Err(self.corrupt(format!("object {id} is a {}, not a {kind}", object.kind)));
        }
        let hash = gix::objs::compute_hash(id.kind(), kind, &object.data);
        if hash.ok() != Some(id) {
            return Err(self.corrupt(format!("object {id} has other bytes than its name")));
        }
        Ok(Some(std::mem::take(&mut object.data)))
    }
}

fn first_line(error: &impl std::fmt::Display) -> String {
    let text = error.to_string();
    text.lines().next().unwrap_or("no reason given").to_owned()
}

fn read_commit(
    place: &Place<'_>,
    revision: &str,
    wanted: &Wanted,
    first_commit: Option<bool>,
) -> Result<(String, Listing), SourceError> {
    let repository = place.open()?;
    check_packs(place, &repository)?;
    let commit = find_commit(place, &repository, revision)?;
    let Some(bytes) = place.object(&repository, commit, Kind::Commit)? else {
        return Err(place.corrupt(format!("no object {commit}, which `{revision}` names")));
    };
    let decoded = gix::objs::CommitRef::from_bytes(&bytes, commit.kind());
    let tree = decoded
        .map_err(|error| place.corrupt(first_line(&error)))?
        .tree();
    let mut listing = Listing::default();
    let mut entries = 0;
    // Without recursion: folders of a hostile repository may be as deep as they like.
    let mut folders = vec![(String::new(), tree)];
    while let Some((prefix, id)) = folders.pop() {
        let Some(bytes) = place.object(&repository, id, Kind::Tree)? else {
            if prefix.is_empty() {
                return Err(place.corrupt(format!("no object {id}, the root of {commit}")));
            }
            let path = prefix.trim_end_matches('/').to_owned();
            let detail = format!("no object {id}, a folder");
            listing.aside(wanted, path, Reason::FileMissing, detail);
            continue;
        };
        for entry in gix::objs::TreeRefIter::from_bytes(&bytes, id.kind()) {
            let entry = entry.map_err(|error| place.corrupt(first_line(&error)))?;
            entries += 1;
            if entries > MOST_ENTRIES {
                return Err(SourceError::TooLarge {
                    from: place.from.to_owned(),
                    message: format!("more than {MOST_ENTRIES} files and folders"),
                });
            }
            let path = format!("{prefix}{}", readable_path(entry.filename));
            if let Err(why) = is_name(entry.filename) {
                listing.aside(wanted, path, Reason::EntryUnsafe, why);
                listing.check(place.from)?;
                continue;
            }
            let id = entry.oid.to_owned();
            match entry.mode.kind() {
                EntryKind::Tree => folders.push((format!("{path}/"), id)),
                EntryKind::Commit => {
                    let detail = format!("at commit {id}");
                    listing.aside(wanted, path, Reason::SubmoduleAbsent, detail);
                }
                EntryKind::Link if may_be_code(&path) => {
                    let to = place
                        .object(&repository, id, Kind::Blob)?
                        .unwrap_or_default();
                    let detail = format!("to `{}`", readable_path(&to));
                    listing.aside(wanted, path, Reason::FileIsLink, detail);
                }
                EntryKind::Link => {}
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    let Some(wish) = wanted.wish(&path) else {
                        continue;
                    };
                    listing.add(path, wish, |spool| content(place, &repository, id, spool))?;
                    listing.check(place.from)?;
                }
            }
        }
    }
    let days = history::first_commits(&repository, commit, first_commit);
    listing.first_commits = days.unwrap_or_default();
    listing
        .first_commits
        .retain(|path, _| listing.files.contains_key(path));
    Ok((commit.to_string(), listing))
}

/// Checks that a name in a tree is one that git itself would check out.
fn is_name(name: &[u8]) -> Result<(), &'static str> {
    if name.is_empty() || name == b"." {
        return Err("its name is empty");
    }
    clean(name).1?;
    if name.contains(&b'/') {
        return Err("its name has a `/`");
    }
    if name.eq_ignore_ascii_case(b".git") {
        return Err("its name is that of a repository's own folder");
    }
    Ok(())
}

fn content(
    place: &Place<'_>,
    repository: &Repository,
    id: ObjectId,
    spool: &Spool,
) -> Result<Content, SourceError> {
    let header = repository
        .try_find_header(id)
        .map_err(|error| place.corrupt(format!("object {id}: {}", first_line(&error))))?;
    match header {
        Some(header) if header.size() > NEVER_READ_ABOVE => {
            return Ok(Content::TooLarge(header.size()));
        }
        _ => {}
    }
    let bytes = place.object(repository, id, Kind::Blob)?;
    let missing = || Content::Aside(Reason::FileMissing, format!("no object {id}"));
    Ok(bytes.map_or_else(missing, |bytes| Content::Bytes(spool.put(bytes))))
}

fn find_commit(
    place: &Place<'_>,
    repository: &Repository,
    revision: &str,
) -> Result<ObjectId, SourceError> {
    let no_revision = || SourceError::NoRevision {
        from: place.from.to_owned(),
        revision: revision.to_owned(),
        repository: place.folder.clone(),
    };
    // A full name needs no search, and distinguishes a missing commit from a damaged one.
    if let Ok(id) = ObjectId::from_hex(revision.as_bytes()) {
        return match repository.try_find_header(id) {
            Ok(Some(header)) if header.kind() == Kind::Commit => Ok(id),
            Ok(Some(header)) if header.kind() == Kind::Tag => {
                peel(repository, revision).ok_or_else(no_revision)
            }
            Ok(_) => Err(no_revision()),
            Err(error) => Err(place.corrupt(first_line(&error))),
        };
    }
    peel(repository, revision).ok_or_else(no_revision)
}

fn peel(repository: &Repository, revision: &str) -> Option<ObjectId> {
    let spec = format!("{revision}^{{commit}}");
    let id = repository.rev_parse_single(spec.as_str()).ok()?;
    Some(id.detach())
}

/// Compares the end of each pack with its index: a pack that was cut short is reported at once, and not by the first
/// object after the cut.
fn check_packs(place: &Place<'_>, repository: &Repository) -> Result<(), SourceError> {
    let folder = repository.objects.store_ref().path().join("pack");
    let Ok(files) = std::fs::read_dir(folder) else {
        return Ok(());
    };
    let hash = repository.object_hash().len_in_bytes();
    let mut indices: Vec<PathBuf> = files
        .flatten()
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "idx"))
        .collect();
    indices.sort();
    for index in indices {
        let name = index.file_stem().unwrap_or_default().display().to_string();
        // An index ends with the checksum of its pack and its own.
        let pack = tail(&index.with_extension("pack"), hash);
        let stated = tail(&index, 2 * hash).map(|bytes| bytes[..hash].to_vec());
        match (pack, stated) {
            (Some(pack), Some(stated)) if pack == stated => {}
            (None, _) => return Err(place.corrupt(format!("`{name}.pack` is missing or empty"))),
            _ => {
                return Err(place.corrupt(format!("`{name}.pack` does not match its index")));
            }
        }
    }
    Ok(())
}

/// The last bytes of a file.
fn tail(path: &Path, length: usize) -> Option<Vec<u8>> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = guarded::open(path).ok()?;
    file.seek(SeekFrom::End(-i64::try_from(length).ok()?))
        .ok()?;
    let mut bytes = vec![0; length];
    file.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
