//! Bytes in bounded memory: the first of them stay there, the others are in a temporary file.
//!
//! A source may have more text than a machine has memory. Nothing that is computed depends on where the bytes are.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt as _;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A store for byte strings.
///
/// ```
/// use barecode_records::Spool;
/// let spool = Spool::with_memory(4);
/// let (first, second) = (spool.put(b"four".to_vec()), spool.put(b"more".to_vec()));
/// assert_eq!((&*first.bytes(), &*second.bytes()), (&b"four"[..], &b"more"[..]));
/// ```
#[derive(Debug)]
pub struct Spool {
    /// Bytes that memory still takes.
    left: AtomicU64,
    /// The temporary file and its length, once it is needed; it has no name, so the system removes it.
    file: Mutex<Option<(Arc<File>, u64)>>,
}

impl Spool {
    /// A store of which memory holds this many bytes.
    pub fn with_memory(bytes: u64) -> Self {
        Spool {
            left: AtomicU64::new(bytes),
            file: Mutex::new(None),
        }
    }

    /// Stores some bytes. If the temporary folder does not take them, memory has to.
    pub fn put(&self, bytes: Vec<u8>) -> Stored {
        let length = bytes.len() as u64;
        let fits = |left: u64| left.checked_sub(length);
        let (order, load) = (Ordering::Relaxed, Ordering::Relaxed);
        if self.left.fetch_update(order, load, fits).is_ok() {
            return Stored::from(bytes);
        }
        self.on_disk(&bytes).unwrap_or_else(|_| Stored::from(bytes))
    }

    fn on_disk(&self, bytes: &[u8]) -> io::Result<Stored> {
        let length = bytes.len() as u64;
        let (file, start) = {
            let mut open = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let (file, end) = match open.take() {
                Some(open) => open,
                None => (Arc::new(tempfile::tempfile()?), 0),
            };
            *open = Some((Arc::clone(&file), end + length));
            (file, end)
        };
        file.write_all_at(bytes, start)?;
        Ok(Stored(Place::Disk {
            file,
            start,
            length: bytes.len(),
        }))
    }
}

/// Bytes that were stored.
#[derive(Debug, Clone)]
pub struct Stored(Place);

#[derive(Debug, Clone)]
enum Place {
    Memory(Arc<[u8]>),
    Disk {
        file: Arc<File>,
        start: u64,
        length: usize,
    },
}

impl Stored {
    /// Their number.
    pub fn len(&self) -> usize {
        match &self.0 {
            Place::Memory(bytes) => bytes.len(),
            Place::Disk { length, .. } => *length,
        }
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes.
    ///
    /// # Panics
    /// If a disk cannot read what it has written.
    pub fn bytes(&self) -> Cow<'_, [u8]> {
        match &self.0 {
            Place::Memory(bytes) => Cow::Borrowed(bytes),
            Place::Disk {
                file,
                start,
                length,
            } => {
                let mut bytes = vec![0; *length];
                let read = file.read_exact_at(&mut bytes, *start);
                read.expect("a disk has the temporary file that it took");
                Cow::Owned(bytes)
            }
        }
    }
}

impl From<Vec<u8>> for Stored {
    fn from(bytes: Vec<u8>) -> Self {
        Stored(Place::Memory(bytes.into()))
    }
}

impl PartialEq for Stored {
    fn eq(&self, other: &Self) -> bool {
        self.bytes() == other.bytes()
    }
}

impl Eq for Stored {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_back_wherever_they_are() {
        for room in [0, 10, 1 << 20] {
            let spool = Spool::with_memory(room);
            let piece = |number: usize| vec![u8::try_from(number % 251).unwrap(); number % 97];
            let put = |from: usize| -> Vec<Stored> {
                let numbers = (from..1000).step_by(4);
                numbers.map(|at| spool.put(piece(at))).collect()
            };
            let all: Vec<Vec<Stored>> = std::thread::scope(|threads| {
                let threads: Vec<_> = (0..4).map(|at| threads.spawn(move || put(at))).collect();
                let joined = threads.into_iter().map(|thread| thread.join().unwrap());
                joined.collect()
            });
            for (from, stored) in all.iter().enumerate() {
                for (stored, number) in stored.iter().zip((from..1000).step_by(4)) {
                    assert_eq!(*stored.bytes(), piece(number));
                    assert_eq!(stored.len(), number % 97);
                }
            }
        }
    }
}
