//! The names of a source: what a renaming by spelling maps.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Language, Role};

words! {
    /// Which identifiers a renaming changes.
    pub enum Scope {
        /// Those that are proven to keep their binding: what the unit itself declares. Texts that run.
        Bound = "bound",
        /// All that are spelled as something which the source declares anywhere. Texts that are searched.
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
    /// What the source declares it as, the most telling of several; `None` where it declares nothing of this name.
    pub role: Option<Role>,
    /// Whether a file or folder of the source is a module of this name, where the language finds modules by these.
    pub is_module: bool,
    /// The files of the source that import something of this name from elsewhere, sorted.
    pub imported_in: Vec<String>,
    /// Whether it is another package's somewhere: an import says so, or neither the source nor the language's library has
    /// something of this name.
    pub is_foreign: bool,
    /// How many identifiers of the source are spelled like this.
    pub tokens: u32,
}

/// Whose an identifier is, as far as its text shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The text declares a name here.
    Declared(Role),
    /// The text declares a name here that others may call it by: a base class, a trait, the language.
    Asked(Role),
    /// The source's.
    Own,
    /// A member of an object that is the source's, which may have members from elsewhere too.
    OfOwn,
    /// Nothing in the text declares it, and it stands behind no object.
    Free,
    /// Not known: a member of an object of which nothing is known.
    Open,
    /// Imported from another package, here.
    Imported,
    /// The language's, its library's or another package's: a member of what was imported from there.
    Foreign,
}

/// Whose an identifier is where it is not the source's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Owner {
    /// The language's or its library's.
    Library,
    /// Another package's, as an import says.
    Package,
    /// Either one's.
    Unknown,
}

/// An identifier of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spelled {
    /// Where it stands, without the marks around it.
    pub range: Range<usize>,
    /// Whose it is.
    pub whose: Whose,
    /// Whose it is if it is not the source's.
    pub owner: Owner,
}

/// The inside of a string literal, or a symbol without its mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    /// Where it stands.
    pub range: Range<usize>,
    /// Whether the text is the same language without it: not so of a symbol.
    pub may_be_empty: bool,
}
