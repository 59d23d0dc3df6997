//! The seal of a table: a digest of all of its bytes, in its own footer.
//!
//! A flipped bit in a page of numbers gives other numbers, and Parquet does not notice. So the last entry of a
//! table's key-value metadata is the BLAKE3 digest of the whole file, with zeros in place of the digest's 64 digits.
//! It covers every byte, the footer's own too, and travels with the file.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

/// The entry's name.
pub(crate) const KEY: &str = "barecode.blake3";

/// The value of the entry while the digest is computed.
pub(crate) const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// The state of the seal of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seal {
    /// The bytes are those that were written.
    Whole,
    /// They are others.
    Broken,
    /// The file has none.
    None,
}

/// Puts the digest into a table that was written with [`ZEROS`].
pub(crate) fn close(file: &mut (impl Read + Write + Seek)) -> io::Result<()> {
    let digits = digits(file)?.ok_or(io::ErrorKind::InvalidData)?;
    let digest = digest(file, &digits)?;
    file.seek(SeekFrom::Start(digits.start))?;
    file.write_all(digest.as_bytes())
}

/// Checks whether the bytes of a file are those that were written; leaves the file at its start.
pub(crate) fn look(file: &mut (impl Read + Seek)) -> io::Result<Seal> {
    let Some(digits) = digits(file)? else {
        file.rewind()?;
        return Ok(Seal::None);
    };
    let mut stated = [0; ZEROS.len()];
    file.seek(SeekFrom::Start(digits.start))?;
    file.read_exact(&mut stated)?;
    let found = digest(file, &digits)?;
    file.rewind()?;
    Ok(if found.as_bytes() == stated {
        Seal::Whole
    } else {
        Seal::Broken
    })
}

/// The range of the digits: after the last entry of that name in the footer. Thrift writes texts as they are, after
/// the header of the field and the length.
fn digits(file: &mut (impl Read + Seek)) -> io::Result<Option<Range<u64>>> {
    let size = file.seek(SeekFrom::End(0))?;
    // A Parquet file ends with the length of its footer and four letters.
    let Some(end) = size.checked_sub(8) else {
        return Ok(None);
    };
    let mut length = [0; 4];
    file.seek(SeekFrom::Start(end))?;
    file.read_exact(&mut length)?;
    let Some(start) = end.checked_sub(u32::from_le_bytes(length).into()) else {
        return Ok(None);
    };
    let mut footer = Vec::new();
    file.seek(SeekFrom::Start(start))?;
    file.by_ref().take(end - start).read_to_end(&mut footer)?;
    let name = [KEY.as_bytes(), &[0x18, 64]].concat();
    let mut windows = footer.windows(name.len());
    let Some(at) = windows.rposition(|window| window == name) else {
        return Ok(None);
    };
    let first = start + (at + name.len()) as u64;
    let digits = first..first + ZEROS.len() as u64;
    Ok((digits.end <= end).then_some(digits))
}

fn digest(file: &mut (impl Read + Seek), digits: &Range<u64>) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    file.rewind()?;
    hasher.update_reader(file.by_ref().take(digits.start))?;
    hasher.update(ZEROS.as_bytes());
    file.seek(SeekFrom::Start(digits.end))?;
    hasher.update_reader(file.by_ref())?;
    Ok(hasher.finalize().to_hex().to_string())
}
