//! Files with paths that a user or another program chose: opening never waits, and reading stops at a limit.
//!
//! A path of a recipe, a source or a download may be that of a pipe, which waits forever for a writer, or of a
//! device, which never ends. A file may claim more bytes than any memory has. All files that barecode reads are
//! opened here: a regular file, wherever links lead to it. A caller that must not leave a folder checks links before.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::Path;

/// The largest number of bytes that are read into memory.
const MOST: u64 = 4 << 30;

/// The same limit for a matrix of numbers, which may well be of that size.
pub const MOST_NUMBERS: u64 = 256 << 30;

/// `EISDIR` of Linux: the path is a folder.
const FOLDER: i32 = 21;

/// Opens a regular file.
///
/// # Errors
/// As [`File::open`]; also for a folder, and for a path that is neither file nor folder, which is not opened.
pub fn open(path: impl AsRef<Path>) -> io::Result<File> {
    let path = path.as_ref();
    let about = fs::metadata(path)?;
    if about.is_dir() {
        return Err(io::Error::from_raw_os_error(FOLDER));
    }
    if !about.is_file() {
        return Err(io::Error::other("it is neither a file nor a folder"));
    }
    File::open(path)
}

/// All bytes of a file.
///
/// # Errors
/// As [`open`], and if the file has more than 4 GiB.
pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    read_at_most(path, MOST)
}

/// All bytes of a file that has at most this many.
///
/// # Errors
/// As [`open`], and if the file is longer.
pub fn read_at_most(path: impl AsRef<Path>, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    // Files of the system report that they are empty, so the length that a file states is only a first answer.
    let length = file.metadata()?.len();
    if length <= most {
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
        file.take(most + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 <= most {
            return Ok(bytes);
        }
    }
    let message = format!("it has more than {most} bytes");
    Err(io::Error::new(io::ErrorKind::FileTooLarge, message))
}

/// The text of a file.
///
/// # Errors
/// As [`read`], and if the bytes are not UTF-8.
pub fn text(path: impl AsRef<Path>) -> io::Result<String> {
    let not_utf8 = |_| {
        io::Error::new(
            io::ErrorKind::InvalidData,
            "stream did not contain valid UTF-8",
        )
    };
    String::from_utf8(read(path)?).map_err(not_utf8)
}

/// The number of bytes that may come out of a packed file: a multiple of its own bytes, and more for a small one. A
/// file made to fill a memory unpacks to a thousand times its size, and text to hardly ten.
#[derive(Debug)]
pub struct Allowance {
    most: u64,
    left: u64,
}

impl Allowance {
    /// Bytes for each that is packed.
    const RATIO: u64 = 200;

    /// The allowance of a file of this length; `free` bytes may come out in any case.
    pub fn of(length: u64, free: u64) -> Self {
        let most = length.saturating_mul(Self::RATIO).max(free);
        Allowance { most, left: most }
    }

    /// The number of bytes that may come out in all.
    pub fn most(&self) -> u64 {
        self.most
    }

    /// Subtracts bytes that came out.
    ///
    /// # Errors
    /// If these are more than the bytes that are left.
    pub fn take(&mut self, bytes: usize) -> Result<(), String> {
        let left = self.left.checked_sub(bytes as u64);
        self.left = left.ok_or_else(|| {
            format!("what it unpacks to is more than {} MiB, as of a file that is made to fill a memory", self.most >> 20)
        })?;
        Ok(())
    }
}

/// Bytes that may come out of any Parquet file.
pub const FREE_OF_PARQUET: u64 = 256 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "mkfifo makes the pipe")]
    fn only_a_regular_file_is_opened_and_only_so_much_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("text"), "four").unwrap();
        std::os::unix::fs::symlink(at("text"), at("link")).unwrap();
        assert_eq!(text(at("link")).unwrap(), "four");
        assert_eq!(read_at_most(at("text"), 4).unwrap(), b"four");
        assert_eq!(
            read_at_most(at("text"), 3).unwrap_err().kind(),
            io::ErrorKind::FileTooLarge
        );
        // Without a writer at the other end of the pipe, opening it would wait.
        let made = std::process::Command::new("mkfifo")
            .arg(at("pipe"))
            .status();
        assert!(made.unwrap().success());
        for path in [at("pipe"), "/dev/zero".into(), "/dev/stdin".into()] {
            if let Err(error) = open(&path) {
                assert!(error.to_string().contains("neither"), "{error}");
            }
        }
        assert!(open(at("pipe")).is_err() && open("/dev/zero").is_err());
        assert_eq!(
            open(folder.path()).unwrap_err().raw_os_error(),
            Some(FOLDER)
        );
        // A hole is as long as its file claims; its length is known without reading it.
        let hole = File::create(at("hole")).unwrap();
        hole.set_len(1 << 40).unwrap();
        assert!(read(at("hole")).is_err());
        fs::write(at("bytes"), [0xff]).unwrap();
        assert_eq!(
            text(at("bytes")).unwrap_err().kind(),
            io::ErrorKind::InvalidData
        );
        assert_eq!(text("/proc/self/comm").unwrap().lines().count(), 1);
    }
}
