//! The names of a source: the input of a renaming by spelling.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Language, Role};

words! {
    /// The identifiers that a renaming changes.
    pub enum Scope {
        /// Identifiers that are proven to keep their binding: names that the unit itself declares. For texts that
        /// run.
        Bound = "bound",
        /// All that are spelled like something that the source declares anywhere. For texts that are searched.
        Spelled = "spelled",
    }
}

/// A spelling that occurs as an identifier in a source, outside of comments and strings (stage `01-functions/_names`).
///
/// Rows are in the order in which the spellings first appear, file by file by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceName {
    /// The source, as in [`Origin::source`](crate::Origin::source).
    pub source: String,
    /// The language of the files that have it.
    pub language: Language,
    /// The spelling.
    pub name: String,
    /// The role in which the source declares it, the most specific of several; `None` where it declares nothing of
    /// this name.
    pub role: Option<Role>,
    /// True if a file or folder of the source is a module of this name, where the language finds modules by these.
    pub is_module: bool,
    /// The files of the source that import something of this name from elsewhere, sorted.
    pub imported_in: Vec<String>,
    /// True if it is another package's somewhere: an import shows it, or neither the source nor the language's
    /// library has something of this name.
    pub is_foreign: bool,
    /// The number of identifiers of the source that are spelled like this.
    pub tokens: u32,
}

/// The owner of an identifier, as far as its text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The text declares a name here.
    Declared(Role),
    /// The text declares a name here that callers outside of it may use: those of a base class, a trait, the
    /// language.
    Asked(Role),
    /// The source's.
    Own,
    /// A member of an object that is the source's, which may have members from elsewhere too.
    OfOwn,
    /// Nothing in the text declares it, and it does not follow an object.
    Free,
    /// Not known: a member of an object of which nothing is known.
    Open,
    /// Imported from another package, here.
    Imported,
    /// The language's, its library's or another package's: a member of what was imported from there.
    Foreign,
}

/// The owner of an identifier that is not the source's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The language's or its library's.
    Library,
    /// Another package's, as an import shows.
    Package,
    /// Either one's.
    Unknown,
}

/// An identifier of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    /// Its range, without the marks around it.
    pub range: Range<usize>,
    /// The owner, as far as the text shows.
    pub whose: Whose,
    /// The owner if it is not the source's.
    pub owner: Owner,
}

/// The inside of a string literal, or a symbol without its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// Its range.
    pub range: Range<usize>,
    /// True if the text without it is still the same language: false for a symbol.
    pub may_be_empty: bool,
}
