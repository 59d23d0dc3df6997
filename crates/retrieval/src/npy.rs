//! Vectors in `.npy` files, the format of `numpy` (NEP 1), versions 1 to 3.
//!
//! Enters: a file with one row per vector. Leaves: its memory, mapped: a file may be larger than the machine's
//! memory, and is read as it is searched. A matrix is written under a temporary name and renamed.
//!
//! The header is read strictly: a matrix of two dimensions, row after row, of little-endian `f4`, `f2` or `i1`, and a
//! file of exactly the length that the header states. Shortening the file while it is mapped ends the process; no
//! reader of memory maps can guard against that.
//!
//! Not supported: other types, other orders, files in `.npz` archives.

#![expect(unsafe_code, reason = "a mapped file is memory of another type")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write as _};
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use barecode_records::guarded;
use half::f16;
use memmap2::Mmap;

/// The reason why a file of vectors cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum NpyError {
    /// The file system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The action that failed.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file does not have the format that is read here.
    #[error("`{}` is not a file of vectors: {problem}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The problem, with the value that was found and the one that was expected.
        problem: String,
    },
}

impl NpyError {
    /// The advice to the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            NpyError::Io { .. } => None,
            NpyError::Malformed { .. } => Some(
                "write it with `numpy.save(path, numpy.ascontiguousarray(vectors, dtype=\"<f4\"))`, one row a vector",
            ),
        }
    }
}

/// Rows of one type, mapped from a file.
#[derive(Debug)]
pub(crate) struct Mapped<T> {
    map: Mmap,
    offset: usize,
    len: usize,
    kind: PhantomData<T>,
}

/// A matrix as in its file.
#[derive(Debug)]
pub(crate) struct Matrix {
    pub(crate) rows: usize,
    pub(crate) dimensions: usize,
    pub(crate) values: Values,
}

/// The numbers of a file.
#[derive(Debug)]
pub(crate) enum Values {
    F32(Mapped<f32>),
    F16(Mapped<f16>),
    Int8(Mapped<i8>),
}

/// A type of number that a file can have.
pub(crate) trait Number: Copy + private::AnyBits {
    /// As the header names it.
    const DESCR: &str;

    /// Its bytes, the lowest first.
    fn write(self, bytes: &mut Vec<u8>);
}

mod private {
    /// Types of which every pattern of bits is a value, without padding.
    pub(crate) trait AnyBits {}
    impl AnyBits for f32 {}
    impl AnyBits for half::f16 {}
    impl AnyBits for i8 {}
}

macro_rules! numbers {
    ($($number:ty: $descr:literal),+) => {$(
        impl Number for $number {
            const DESCR: &str = $descr;

            fn write(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    )+};
}

numbers!(f32: "<f4", f16: "<f2", i8: "|i1");

impl<T> Mapped<T> {
    fn new(map: Mmap, offset: usize, len: usize) -> Self {
        Mapped {
            map,
            offset,
            len,
            kind: PhantomData,
        }
    }
}

impl<T: Number> Deref for Mapped<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        let bytes = &self.map[self.offset..self.offset + self.len * size_of::<T>()];
        // SAFETY: `open` has checked that the numbers begin at an address aligned for `T` (a map begins at a page),
        // the slice above has their bytes, any bits are a value of `T`, and the map lives as long as `self`.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), self.len) }
    }
}

/// Maps a file.
pub(crate) fn open(path: &Path) -> Result<Matrix, NpyError> {
    let failed = |action, source| NpyError::Io {
        action,
        path: path.to_owned(),
        source,
    };
    let malformed = |problem: String| NpyError::Malformed {
        path: path.to_owned(),
        problem,
    };
    if cfg!(target_endian = "big") {
        return Err(malformed(
            "files with the lowest byte first cannot be mapped on this machine".to_owned(),
        ));
    }
    let file = guarded::open(path).map_err(|source| failed("open", source))?;
    // SAFETY: the bytes are only read. That the file is not shortened meanwhile is required of the user above;
    // changed bytes change numbers, and every pattern of bits is a valid value.
    let map = unsafe { Mmap::map(&file) }.map_err(|source| failed("map", source))?;
    let header = Header::parse(&map).map_err(malformed)?;
    let size = match header.descr.as_str() {
        "<f4" => 4,
        "<f2" => 2,
        "|i1" => 1,
        other => {
            return Err(malformed(format!(
                "its numbers are `{other}`, expected `<f4`, `<f2` or `|i1`"
            )));
        }
    };
    let len = header
        .rows
        .checked_mul(header.dimensions)
        .filter(|len| len.checked_mul(size) == Some(map.len() - header.offset));
    let Some(len) = len else {
        return Err(malformed(format!(
            "{} bytes follow the header, expected {} × {} × {size}",
            map.len() - header.offset,
            header.rows,
            header.dimensions
        )));
    };
    if !header.offset.is_multiple_of(size) {
        return Err(malformed(format!(
            "its numbers begin at byte {}, expected a multiple of {size}",
            header.offset
        )));
    }
    let values = match size {
        4 => Values::F32(Mapped::new(map, header.offset, len)),
        2 => Values::F16(Mapped::new(map, header.offset, len)),
        _ => Values::Int8(Mapped::new(map, header.offset, len)),
    };
    Ok(Matrix {
        rows: header.rows,
        dimensions: header.dimensions,
        values,
    })
}

/// Writes a matrix; the file exists whole or not at all.
pub(crate) fn write<T: Number>(
    path: &Path,
    dimensions: usize,
    values: &[T],
) -> Result<(), NpyError> {
    let failed = |source| NpyError::Io {
        action: "write",
        path: path.to_owned(),
        source,
    };
    let rows = values.len() / dimensions;
    let mut dict = String::new();
    write!(
        dict,
        "{{'descr': '{}', 'fortran_order': False, 'shape': ({rows}, {dimensions}), }}",
        T::DESCR
    )
    .expect("a string takes all text");
    // Magic, version and length are 10 bytes; the numbers begin at a multiple of 64.
    while !(10 + dict.len() + 1).is_multiple_of(64) {
        dict.push(' ');
    }
    dict.push('\n');
    let length = u16::try_from(dict.len()).expect("a header has less than 64 KiB");
    let part = path.with_extension("npy.part");
    let mut file = File::create(&part).map_err(failed)?;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(dict.as_bytes());
    for chunk in values.chunks(1 << 14) {
        for &value in chunk {
            value.write(&mut bytes);
        }
        if let Some((piece, _)) = bytes.split_at_checked(PIECE) {
            file.write_all(piece).map_err(failed)?;
            bytes.drain(..PIECE);
        }
    }
    file.write_all(&bytes).map_err(failed)?;
    file.sync_all().map_err(failed)?;
    std::fs::rename(&part, path).map_err(failed)
}

/// The number of bytes of a file that are written at once. A system that keeps written data in memory does so in
/// pages as large as the pieces were, and a mapped file is read twice as fast in large pages as in small ones.
const PIECE: usize = 4 << 20;

struct Header {
    descr: String,
    rows: usize,
    dimensions: usize,
    offset: usize,
}

impl Header {
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let is_npy = bytes.starts_with(b"\x93NUMPY");
        let (start, length) = match bytes {
            [_, _, _, _, _, _, 1, _, a, b, ..] if is_npy => {
                (10, usize::from(u16::from_le_bytes([*a, *b])))
            }
            [_, _, _, _, _, _, 2 | 3, _, a, b, c, d, ..] if is_npy => {
                (12, u32::from_le_bytes([*a, *b, *c, *d]) as usize)
            }
            [_, _, _, _, _, _, version, ..] if is_npy => {
                return Err(format!("its version is {version}, expected 1, 2 or 3"));
            }
            _ => return Err("it does not begin as `.npy` files do".to_owned()),
        };
        let offset = start + length;
        let dict = bytes
            .get(start..offset)
            .ok_or("it ends inside of its header")?;
        let dict = std::str::from_utf8(dict).map_err(|_| "its header is not text")?;
        let (mut descr, mut order, mut shape) = (None, None, None);
        let mut rest = Tokens(dict.trim());
        rest.expect("{")?;
        while !rest.takes("}") {
            let key = rest.text()?;
            rest.expect(":")?;
            match key {
                "descr" => descr = Some(rest.text()?.to_owned()),
                "fortran_order" => order = Some(rest.word()),
                "shape" => shape = Some(rest.shape()?),
                other => return Err(format!("its header has the key `{other}`")),
            }
            if !rest.takes(",") {
                rest.expect("}")?;
                break;
            }
        }
        if order != Some("False") {
            return Err("it is not stored row after row (`fortran_order` is not False)".to_owned());
        }
        let shape = shape.ok_or("its header has no `shape`")?;
        let &[rows, dimensions] = shape.as_slice() else {
            return Err(format!(
                "its shape has {} dimensions, expected 2",
                shape.len()
            ));
        };
        Ok(Header {
            descr: descr.ok_or("its header has no `descr`")?,
            rows,
            dimensions,
            offset,
        })
    }
}

/// The rest of a header.
struct Tokens<'a>(&'a str);

impl<'a> Tokens<'a> {
    fn takes(&mut self, mark: &str) -> bool {
        let rest = self.0.trim_start().strip_prefix(mark);
        if let Some(rest) = rest {
            self.0 = rest.trim_start();
        }
        rest.is_some()
    }

    fn expect(&mut self, mark: &str) -> Result<(), String> {
        if self.takes(mark) {
            Ok(())
        } else {
            let found: String = self.0.chars().take(20).collect();
            Err(format!("its header has `{found}`, expected `{mark}`"))
        }
    }

    fn text(&mut self) -> Result<&'a str, String> {
        let quote = if self.takes("'") {
            '\''
        } else {
            self.expect("\"")?;
            '"'
        };
        let (text, rest) = self
            .0
            .split_once(quote)
            .ok_or("its header has a text without an end")?;
        self.0 = rest;
        Ok(text)
    }

    fn word(&mut self) -> &'a str {
        let rest = self
            .0
            .trim_start_matches(|c: char| c.is_ascii_alphanumeric());
        let word = self.0.strip_suffix(rest).unwrap_or_default();
        self.0 = rest;
        word
    }

    fn shape(&mut self) -> Result<Vec<usize>, String> {
        let mut shape = Vec::new();
        self.expect("(")?;
        while !self.takes(")") {
            let word = self.word();
            let length = word.parse();
            shape.push(length.map_err(|_| format!("its shape has `{word}`, expected a number"))?);
            if !self.takes(",") {
                self.expect(")")?;
                break;
            }
        }
        Ok(shape)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.npy");
        let values: Vec<f32> = (0_u8..21).map(|i| f32::from(i) * 0.5 - 3.0).collect();
        write(&path, 7, &values).unwrap();
        let matrix = open(&path).unwrap();
        assert_eq!((matrix.rows, matrix.dimensions), (3, 7));
        assert!(matches!(&matrix.values, Values::F32(mapped) if **mapped == *values));
        let halves: Vec<f16> = values.iter().map(|&value| f16::from_f32(value)).collect();
        write(&path, 21, &halves).unwrap();
        let matrix = open(&path).unwrap();
        assert!(matches!(&matrix.values, Values::F16(mapped) if **mapped == *halves));
        write(&path, 2, &[-128_i8, 127]).unwrap();
        assert!(
            matches!(&open(&path).unwrap().values, Values::Int8(mapped) if **mapped == [-128, 127])
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_no_matrix_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("vectors.npy");
        let problem = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            open(&path).unwrap_err().to_string()
        };
        let with = |dict: &str, n_bytes: usize| {
            let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
            bytes.extend_from_slice(&u16::try_from(dict.len()).unwrap().to_le_bytes());
            bytes.extend_from_slice(dict.as_bytes());
            bytes.resize(bytes.len() + n_bytes, 0);
            problem(&bytes)
        };
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }       ";
        assert!(
            with(&format!("{good} "), 24).contains("begin at byte 77, expected a multiple of 4")
        );
        assert!(with(good, 23).contains("23 bytes follow the header, expected 2 × 3 × 4"));
        let swapped = |from: &str, to: &str| with(&good.replace(from, to), 24);
        assert!(swapped("False", "True").contains("row after row"));
        assert!(swapped("<f4", ">f4").contains("`>f4`, expected `<f4`"));
        assert!(swapped("(2, 3)", "(6,)").contains("1 dimensions, expected 2"));
        assert!(swapped("(2, 3)", "(2, x)").contains("`x`, expected a number"));
        assert!(swapped("(2, 3)", "(2, 99999999999999999999)").contains("expected a number"));
        assert!(
            swapped("(2, 3)", "(4611686018427387904, 4)").contains("expected 4611686018427387904")
        );
        assert!(swapped("'shape'", "'form'").contains("the key `form`"));
        assert!(swapped("{", "[").contains("expected `{`"));
        assert!(problem(b"\x93NUMPY\x09\x00aaaaaaaaa").contains("version is 9"));
        assert!(problem(b"\x93NUMPY\x01\x00\xff\xff{}").contains("ends inside of its header"));
        assert!(problem(b"PK\x03\x04").contains("does not begin"));
        assert!(
            problem(b"").contains("is not a file of vectors")
                || problem(b"").contains("cannot map")
        );
        std::fs::remove_file(&path).unwrap();
        assert!(
            open(&path)
                .unwrap_err()
                .to_string()
                .starts_with("cannot open")
        );
    }
}
