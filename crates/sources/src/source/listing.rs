//! What a kind of source gives: files, license texts and what else is read, within bounds.

use std::collections::BTreeMap;

use barecode_records::Reason;

use super::error::SourceError;
use super::wanted::{Wanted, Wish};

/// The bytes of a file, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file's bytes.
    Bytes(Vec<u8>),
    /// The file is so large that it was not read; its size in bytes.
    TooLarge(u64),
    /// There is no text to read: why, and the value that decided.
    Aside(Reason, String),
    /// The file was not needed.
    NotRead,
}

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its bytes.
    pub content: Content,
    /// Whether the recipe wants its functions. Where it does not, a header can still be included by the files
    /// that it does want.
    pub wanted: bool,
}

/// Files of any size are listed, but none beyond this is read whatever the recipe says.
pub(super) const NEVER_READ_ABOVE: u64 = 64 << 20;

/// A source of more files than this is refused: a repository can name one file a billion times.
pub(super) const MOST_ENTRIES: usize = 2_000_000;

/// A source of more text than this is refused.
pub(super) const MOST_BYTES: u64 = 4 << 30;

/// License texts beyond this are not read.
pub(super) const MOST_LICENSE_BYTES: u64 = 256 << 10;

/// Build files and pages of documentation beyond this are not read.
pub(super) const MOST_BUILD_BYTES: u64 = 1 << 20;

/// What is known of a source besides its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) repository: Option<String>,
    pub(super) version: Option<String>,
    pub(super) commit: Option<String>,
    pub(super) license: Option<String>,
}

/// What a kind of source gives: its files, license texts, and days of first commits by path.
#[derive(Debug, Default)]
pub(super) struct Listing {
    pub(super) files: BTreeMap<String, SourceFile>,
    pub(super) license_texts: BTreeMap<String, Vec<u8>>,
    pub(super) build_files: BTreeMap<String, Vec<u8>>,
    pub(super) pages: BTreeMap<String, Vec<u8>>,
    pub(super) first_commits: BTreeMap<String, String>,
    pub(super) bytes: u64,
}

impl Listing {
    /// Adds a file whose text is there; `content` is asked for only where the text is needed.
    pub(super) fn add<E>(
        &mut self,
        path: String,
        wish: Wish,
        content: impl FnOnce() -> Result<Content, E>,
    ) -> Result<(), E> {
        let content = match wish {
            Wish::Functions | Wish::Includes | Wish::License | Wish::Build | Wish::Page => {
                content()?
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
                self.license_texts.insert(path, bytes);
            }
            (Wish::Build, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_BUILD_BYTES => {
                self.build_files.insert(path, bytes);
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

    /// Refuses what is beyond every bound.
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
