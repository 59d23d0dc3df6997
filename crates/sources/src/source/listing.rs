//! The content of a source: files, license texts and everything else that is read, within bounds.

use std::collections::BTreeMap;

use barecode_records::{Reason, Spool, Stored};

use super::error::SourceError;
use super::wanted::{Wanted, Wish};

/// The bytes of a file, or the reason why they are missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file's bytes.
    Bytes(Stored),
    /// The file is so large that it was not read; its size in bytes.
    TooLarge(u64),
    /// The file has no text to read: the reason, and the value that decided.
    Aside(Reason, String),
    /// The file was not needed.
    NotRead,
}

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its bytes.
    pub content: Content,
    /// True if the recipe requests its functions. If not, a header can still be included by the requested files.
    pub wanted: bool,
}

/// Files of any size are listed, but a file above this size is never read, whatever the recipe says.
pub(super) const NEVER_READ_ABOVE: u64 = 64 << 20;

/// A source of more files than this is refused: a repository can name one file a billion times.
pub(super) const MOST_ENTRIES: usize = 2_000_000;

/// A source of more text than this is refused.
pub(super) const MOST_BYTES: u64 = 4 << 30;

/// The text of a source that memory holds; the rest is in a temporary file.
pub(super) const IN_MEMORY: u64 = 32 << 20;

/// License texts beyond this are not read.
pub(super) const MOST_LICENSE_BYTES: u64 = 256 << 10;

/// Build files and pages of documentation beyond this are not read.
pub(super) const MOST_BUILD_BYTES: u64 = 1 << 20;

/// The facts about a source besides its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) repository: Option<String>,
    pub(super) version: Option<String>,
    pub(super) commit: Option<String>,
    pub(super) license: Option<String>,
}

/// The content of a source: its files, license texts, and days of first commits by path.
#[derive(Debug)]
pub(super) struct Listing {
    /// The text of its files.
    pub(super) spool: Spool,
    pub(super) files: BTreeMap<String, SourceFile>,
    pub(super) license_texts: BTreeMap<String, Vec<u8>>,
    pub(super) build_files: BTreeMap<String, Vec<u8>>,
    pub(super) pages: BTreeMap<String, Stored>,
    pub(super) first_commits: BTreeMap<String, String>,
    pub(super) bytes: u64,
}

impl Default for Listing {
    fn default() -> Self {
        Listing::in_spool(Spool::with_memory(IN_MEMORY))
    }
}

impl Listing {
    /// An empty listing whose text is in a place.
    pub(super) fn in_spool(spool: Spool) -> Self {
        Listing {
            spool,
            files: BTreeMap::new(),
            license_texts: BTreeMap::new(),
            build_files: BTreeMap::new(),
            pages: BTreeMap::new(),
            first_commits: BTreeMap::new(),
            bytes: 0,
        }
    }

    /// Adds a file whose text is available; `content` is called, with the place for the text, only if the text is
    /// needed.
    pub(super) fn add<E>(
        &mut self,
        path: String,
        wish: Wish,
        content: impl FnOnce(&Spool) -> Result<Content, E>,
    ) -> Result<(), E> {
        let content = match wish {
            Wish::Functions | Wish::Includes | Wish::License | Wish::Build | Wish::Page => {
                content(&self.spool)?
            }
            Wish::Nothing => Content::NotRead,
            Wish::OtherLanguage(title) => {
                Content::Aside(Reason::FileOtherLanguage, title.to_owned())
            }
        };
        if let Content::Bytes(bytes) = &content {
            self.bytes += bytes.len() as u64;
        }
        match (wish, content) {
            (Wish::License, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_LICENSE_BYTES => {
                self.license_texts.insert(path, bytes.bytes().into_owned());
            }
            (Wish::Build, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_BUILD_BYTES => {
                self.build_files.insert(path, bytes.bytes().into_owned());
            }
            (Wish::Page, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_BUILD_BYTES => {
                self.pages.insert(path, bytes);
            }
            (Wish::License | Wish::Build | Wish::Page, _) => {}
            (wish, content) => {
                let wanted = matches!(wish, Wish::Functions | Wish::OtherLanguage(_));
                self.files.insert(path, SourceFile { content, wanted });
            }
        }
        Ok(())
    }

    /// Adds something that has no text to read.
    pub(super) fn aside(
        &mut self,
        wanted: &Wanted,
        path: String,
        reason: Reason,
        detail: impl Into<String>,
    ) {
        let content = Content::Aside(reason, detail.into());
        let wanted = wanted.is_included(&path);
        self.files.insert(path, SourceFile { content, wanted });
    }

    /// Refuses a listing that exceeds a bound.
    pub(super) fn check(&self, from: &str) -> Result<(), SourceError> {
        let refuse = |message: String| {
            Err(SourceError::TooLarge {
                from: from.to_owned(),
                message,
            })
        };
        if self.files.len() > MOST_ENTRIES {
            return refuse(format!("more than {MOST_ENTRIES} files"));
        }
        if self.bytes > MOST_BYTES {
            return refuse(format!("more than {MOST_BYTES} bytes of text"));
        }
        Ok(())
    }
}
