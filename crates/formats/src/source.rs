//! Untrusted bytes, line by line: gzip or not, always UTF-8, with the position of every error.
//!
//! Enters: a path. Leaves: lines with their numbers, or a reader. Gzip is recognized by its first two bytes and not
//! by the name, because hubs serve `.gz` files unpacked under their old name. The hard part is the position: a gzip
//! that ends too early is reported with the line that was reached, a byte that is not UTF-8 with line and column. A
//! file is never in memory as a whole, only one line of it.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use barecode_records::guarded;
use flate2::bufread::MultiGzDecoder;

use crate::{FormatError, Place};

/// The longest line that is read: a longer one is not a line of a dataset.
const LONGEST_LINE: u64 = 256 << 20;

const BUFFER: usize = 1 << 16;

/// Opens a file, unpacking gzip.
pub(crate) fn open(path: &Path) -> Result<Box<dyn BufRead>, FormatError> {
    let file = guarded::open(path).map_err(|error| cannot_read(path, error))?;
    let mut reader = BufReader::with_capacity(BUFFER, file);
    let head = reader
        .fill_buf()
        .map_err(|error| cannot_read(path, error))?;
    if head.starts_with(&[0x1f, 0x8b]) {
        let unpacked = MultiGzDecoder::new(reader);
        return Ok(Box::new(BufReader::with_capacity(BUFFER, unpacked)));
    }
    Ok(Box::new(reader))
}

/// Returns true if the first bytes of a file are these.
pub(crate) fn starts_with(path: &Path, head: &[u8]) -> Result<bool, FormatError> {
    let file = guarded::open(path).map_err(|error| cannot_read(path, error))?;
    let mut found = Vec::new();
    file.take(head.len() as u64)
        .read_to_end(&mut found)
        .map_err(|error| cannot_read(path, error))?;
    Ok(found == head)
}

/// The lines of a file, one at a time.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    number: u64,
    line: Vec<u8>,
    ended: bool,
}

impl Lines {
    /// Opens a file.
    pub(crate) fn open(path: &Path) -> Result<Self, FormatError> {
        Ok(Lines {
            path: path.to_owned(),
            reader: open(path)?,
            number: 0,
            line: Vec::new(),
            ended: false,
        })
    }

    /// The next line without its end, and its position; `None` at the end of the file.
    ///
    /// A byte order mark before the first line is not part of it. Behind a line that is not UTF-8 the next one
    /// follows; behind one that cannot be read, no other.
    pub(crate) fn next(&mut self) -> Result<Option<(Place, &str)>, FormatError> {
        if self.ended {
            return Ok(None);
        }
        self.line.clear();
        let mut bounded = self.reader.by_ref().take(LONGEST_LINE);
        let read = bounded.read_until(b'\n', &mut self.line);
        let read = read.map_err(|error| {
            self.ended = true;
            broken(&self.path, self.number + 1, error)
        })?;
        if read == 0 {
            return Ok(None);
        }
        self.number += 1;
        let place = Place::line(&self.path, self.number);
        let mut line = self.line.as_slice();
        match line.strip_suffix(b"\n") {
            Some(rest) => line = rest.strip_suffix(b"\r").unwrap_or(rest),
            None if read as u64 == LONGEST_LINE => {
                self.ended = true;
                return Err(FormatError::invalid(
                    place,
                    "a line of more than 256 MiB is not a line of a dataset",
                ));
            }
            None => {}
        }
        if self.number == 1 {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        match std::str::from_utf8(line) {
            Ok(text) => Ok(Some((place, text))),
            Err(error) => Err(not_utf8(&self.path, self.number, line, error)),
        }
    }
}

/// That a byte of a line is not UTF-8.
fn not_utf8(path: &Path, number: u64, line: &[u8], error: std::str::Utf8Error) -> FormatError {
    let (before, after) = line.split_at(error.valid_up_to());
    let column = String::from_utf8_lossy(before).chars().count() as u64 + 1;
    let byte = after.first().copied().unwrap_or_default();
    let message = format!("the byte 0x{byte:02x} is not UTF-8");
    FormatError::invalid(Place::column(path, number, column), message).with_hint(
        "the file is in another encoding, or in two; `iconv -f latin1 -t utf-8` rewrites a file whose encoding is known",
    )
}

/// The position of an error of serde, which counts bytes in a line, while a [`Place`] counts characters.
pub(crate) fn place_of(path: &Path, error: &serde_json::Error) -> Place {
    let (line, column) = (error.line() as u64, error.column());
    let Ok(mut lines) = Lines::open(path) else {
        return Place::line(path, line.max(1));
    };
    while let Ok(Some((place, text))) = lines.next() {
        if place.line == Some(line) {
            return Place::column(path, line, character_column(text, column));
        }
    }
    Place::line(path, line.max(1))
}

/// The one-based column in characters of a one-based column in bytes.
pub(crate) fn character_column(line: &str, byte_column: usize) -> u64 {
    let before = line
        .char_indices()
        .take_while(|(start, _)| start + 1 < byte_column);
    before.count() as u64 + 1
}

/// The message of serde without the position that it appends.
pub(crate) fn message_of(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rsplit_once(" at line ") {
        Some((message, _)) => message.to_owned(),
        None => text,
    }
}

/// That a file cannot be read, from the line that was reached.
pub(crate) fn broken(path: &Path, line: u64, error: io::Error) -> FormatError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => FormatError::invalid(
            Place::line(path, line),
            "the gzip stream ends here, before its end mark: the file is truncated",
        )
        .with_hint("fetch the file again"),
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData => {
            let message = format!("the gzip stream is damaged: {error}");
            FormatError::invalid(Place::line(path, line), message).with_hint("fetch the file again")
        }
        _ => cannot_read(path, error),
    }
}

/// That the system does not let a file be read.
pub(crate) fn cannot_read(path: &Path, source: io::Error) -> FormatError {
    FormatError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    }
}

/// The name of a file without `.gz`, `.jsonl`, `.json`, `.csv`, `.tsv`, `.txt` and `.parquet`.
pub(crate) fn stem(path: &Path) -> String {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut stem = name.as_str();
    stem = stem.strip_suffix(".gz").unwrap_or(stem);
    for ending in [".jsonl", ".json", ".csv", ".tsv", ".txt", ".parquet"] {
        if let Some(shorter) = stem.strip_suffix(ending) {
            return shorter.to_owned();
        }
    }
    stem.to_owned()
}

/// The files and folders of a folder, by name.
pub(crate) fn entries(folder: &Path) -> Result<Vec<PathBuf>, FormatError> {
    let read = std::fs::read_dir(folder).map_err(|error| cannot_read(folder, error))?;
    let mut paths = Vec::new();
    for entry in read {
        let entry = entry.map_err(|error| cannot_read(folder, error))?;
        paths.push(entry.path());
    }
    paths.sort();
    Ok(paths)
}

/// The file of this name in a folder, or the same with `.gz`.
pub(crate) fn plain_or_gz(folder: &Path, name: &str) -> Option<PathBuf> {
    let plain = folder.join(name);
    if plain.is_file() {
        return Some(plain);
    }
    let packed = folder.join(format!("{name}.gz"));
    packed.is_file().then_some(packed)
}
