//! A file as plain text: itself, or a temporary file with the unpacked content.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use barecode_records::guarded;
use flate2::read::MultiGzDecoder;

use crate::{FormatError, Place, source};

/// Opens a file for reading at any position; compressed content is unpacked into a temporary file first, so that
/// memory use stays small and ranges can be read again.
pub(crate) fn open_plain(path: &Path) -> Result<File, FormatError> {
    let io = |error| source::cannot_read(path, error);
    let mut file = guarded::open(path).map_err(io)?;
    if !is_gzip(&mut file).map_err(io)? {
        return Ok(file);
    }
    let mut plain = tempfile::tempfile().map_err(io)?;
    let mut unpacked = MultiGzDecoder::new(BufReader::with_capacity(1 << 18, file));
    match io::copy(&mut unpacked, &mut plain) {
        Ok(_) => {}
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
            return Err(
                FormatError::invalid(Place::file(path), "the gzip file ends too early")
                    .with_hint("it was not copied or written to its end; fetch or pack it again"),
            );
        }
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput
            ) =>
        {
            let message = format!("the gzip file is damaged: {error}");
            return Err(FormatError::invalid(Place::file(path), message));
        }
        Err(error) => return Err(io(error)),
    }
    plain.seek(SeekFrom::Start(0)).map_err(io)?;
    Ok(plain)
}

/// Returns true if the file begins as gzip does; the file is left at its beginning.
pub(crate) fn is_gzip(file: &mut File) -> io::Result<bool> {
    let mut magic = Vec::new();
    Read::by_ref(file).take(2).read_to_end(&mut magic)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(magic == [0x1f, 0x8b])
}
