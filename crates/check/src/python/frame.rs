//! Frames over pipes: a length of four bytes, then JSON.
//!
//! The output of a program's process is read as if an attacker had written it: a frame longer than allowed, or one
//! that is not JSON, is not a frame. The content of a frame can only describe how the program failed.

use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::os::fd::{AsRawFd, RawFd};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::confine::unblock;

/// The end of a pipe that is read.
#[derive(Debug)]
pub(crate) struct Inbox {
    pipe: PipeReader,
    pub(crate) bytes: Vec<u8>,
    pub(crate) is_closed: bool,
}

/// Bytes that no honest writer sends.
#[derive(Debug)]
pub(crate) struct Garbage;

impl Inbox {
    pub(crate) fn new(pipe: PipeReader) -> io::Result<Inbox> {
        unblock(&pipe)?;
        Ok(Inbox {
            pipe,
            bytes: Vec::new(),
            is_closed: false,
        })
    }

    /// Reads the available bytes, up to about `most` bytes in all.
    pub(crate) fn read(&mut self, most: usize) -> io::Result<()> {
        let mut buffer = [0; 16 * 1024];
        while self.bytes.len() < most && !self.is_closed {
            match self.pipe.read(&mut buffer) {
                Ok(0) => self.is_closed = true,
                Ok(n) => self.bytes.extend_from_slice(&buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Discards the available bytes.
    pub(crate) fn empty(&mut self) -> io::Result<()> {
        loop {
            self.bytes.clear();
            self.read(1 << 20)?;
            if self.bytes.is_empty() {
                return Ok(());
            }
        }
    }

    /// The next frame, if it is complete.
    pub(crate) fn frame<T: DeserializeOwned>(
        &mut self,
        longest: usize,
    ) -> Result<Option<T>, Garbage> {
        let Some((head, rest)) = self.bytes.split_first_chunk::<4>() else {
            return Ok(None);
        };
        let length = u32::from_le_bytes(*head) as usize;
        if length > longest {
            return Err(Garbage);
        }
        let Some(frame) = rest.get(..length) else {
            return Ok(None);
        };
        let frame = serde_json::from_slice(frame).map_err(|_| Garbage)?;
        self.bytes.drain(..4 + length);
        Ok(Some(frame))
    }

    pub(crate) fn descriptor(&self) -> RawFd {
        if self.is_closed {
            -1
        } else {
            self.pipe.as_raw_fd()
        }
    }
}

/// The end of a pipe that is written.
#[derive(Debug)]
pub(crate) struct Outbox {
    pipe: PipeWriter,
    pending: Vec<u8>,
    written: usize,
}

impl Outbox {
    pub(crate) fn new(pipe: PipeWriter) -> io::Result<Outbox> {
        unblock(&pipe)?;
        Ok(Outbox {
            pipe,
            pending: Vec::new(),
            written: 0,
        })
    }

    pub(crate) fn send(&mut self, value: &impl Serialize) -> io::Result<()> {
        let text = serde_json::to_vec(value).map_err(io::Error::other)?;
        let length = u32::try_from(text.len()).map_err(io::Error::other)?;
        self.pending.extend(length.to_le_bytes());
        self.pending.extend(text);
        self.write()
    }

    pub(crate) fn send_byte(&mut self, byte: u8) -> io::Result<()> {
        self.pending.push(byte);
        self.write()
    }

    /// Writes as many bytes as fit.
    pub(crate) fn write(&mut self) -> io::Result<()> {
        while self.written < self.pending.len() {
            match self.pipe.write(&self.pending[self.written..]) {
                Ok(n) => self.written += n,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        self.forget();
        Ok(())
    }

    /// Discards the bytes that were not written yet: their reader is gone.
    pub(crate) fn forget(&mut self) {
        self.pending.clear();
        self.written = 0;
    }

    /// The descriptor to wait for; -1 if there is nothing to write.
    pub(crate) fn descriptor(&self) -> RawFd {
        if self.pending.is_empty() {
            -1
        } else {
            self.pipe.as_raw_fd()
        }
    }
}
