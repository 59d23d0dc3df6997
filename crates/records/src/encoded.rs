//! The encoded bytes of a table that is being made: in memory, and in a temporary file if they are many.

use std::env;
use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};
use std::mem;

use crate::{Digest, seal};

/// The bytes that memory holds, as long as the temporary folder takes the others.
const IN_MEMORY: usize = 32 << 20;

/// Bytes that were written. An error of the temporary folder waits until they are needed.
#[derive(Debug)]
pub(crate) struct Encoded {
    place: Place,
    /// The bytes that memory holds.
    most: usize,
    failed: io::Result<()>,
}

#[derive(Debug)]
enum Place {
    Memory(Cursor<Vec<u8>>),
    Disk(File),
}

impl Default for Encoded {
    fn default() -> Self {
        Encoded::with_memory(IN_MEMORY)
    }
}

impl Encoded {
    fn with_memory(most: usize) -> Self {
        Encoded {
            place: Place::Memory(Cursor::default()),
            most,
            failed: Ok(()),
        }
    }

    /// Adds all bytes so far to a digest, as one field.
    pub(crate) fn digest(&mut self, digest: Digest) -> Digest {
        let add = |place: &mut Place| {
            let length = place.seek(SeekFrom::End(0))?;
            place.rewind()?;
            let added = digest.clone().field_from(length, &mut *place)?;
            place.seek(SeekFrom::End(0))?;
            Ok(added)
        };
        match add(&mut self.place) {
            Ok(added) => added,
            Err(error) => {
                self.failed = Err(of_folder(&error));
                digest
            }
        }
    }

    /// Closes the seal of the table that they are, and copies them.
    ///
    /// # Errors
    /// Of the temporary folder, before, or of `to`.
    pub(crate) fn copy(mut self, to: &mut impl Write) -> io::Result<()> {
        mem::replace(&mut self.failed, Ok(()))?;
        seal::close(&mut self.place)?;
        self.place.rewind()?;
        io::copy(&mut self.place, to).map(drop)
    }

    /// Moves what is in memory to a temporary file. If the folder does not take it, all stays in memory.
    fn move_to_disk(&mut self, bytes: &[u8]) {
        let moved = tempfile::tempfile().and_then(|mut file| {
            file.write_all(bytes)?;
            Ok(file)
        });
        match moved {
            Ok(file) => self.place = Place::Disk(file),
            Err(_) => self.most = usize::MAX,
        }
    }
}

/// An error of the temporary folder.
fn of_folder(error: &io::Error) -> io::Error {
    let folder = env::temp_dir();
    let message = format!("temporary folder `{}`: {error}", folder.display());
    io::Error::new(error.kind(), message)
}

impl Write for Encoded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if let Place::Memory(memory) = &mut self.place
            && memory.get_ref().len() + bytes.len() > self.most
        {
            let held = mem::take(memory.get_mut());
            self.move_to_disk(&held);
            if let Place::Memory(memory) = &mut self.place {
                *memory.get_mut() = held;
            }
        }
        if self.failed.is_ok() {
            let written = self.place.write_all(bytes);
            self.failed = written.map_err(|error| of_folder(&error));
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Write for Place {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Place::Memory(memory) => memory.write(bytes),
            Place::Disk(file) => file.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Place {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            Place::Memory(memory) => memory.read(bytes),
            Place::Disk(file) => file.read(bytes),
        }
    }
}

impl Seek for Place {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Place::Memory(memory) => memory.seek(to),
            Place::Disk(file) => file.seek(to),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_digest_do_not_depend_on_the_place() {
        let digest_of = |most: usize| {
            let mut encoded = Encoded::with_memory(most);
            for number in 0..100_u8 {
                encoded.write_all(&[number; 33]).unwrap();
            }
            let digest = encoded.digest(Digest::new("test")).hex();
            encoded.write_all(b"the end").unwrap();
            encoded.place.rewind().unwrap();
            let mut bytes = Vec::new();
            encoded.place.read_to_end(&mut bytes).unwrap();
            assert_eq!(matches!(encoded.place, Place::Disk(_)), most < 3300);
            (digest, bytes)
        };
        let all = digest_of(usize::MAX);
        assert_eq!(all.1.len(), 3307);
        for most in [0, 1, 1000, 3299] {
            assert_eq!(digest_of(most), all);
        }
    }
}
