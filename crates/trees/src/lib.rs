//! *Text of a language that tree-sitter reads → its parts, and the owner of each name.*
//!
//! Enters: a text and its language. Leaves: a [`Parsed`] tree, the [`Items`] of a file (functions, the classes around
//! them, declarations, comments), and its [`Names`]: the meaning of each name.
//!
//! | step | module |
//! | --- | --- |
//! | text → tree | `parsed` |
//! | tree → functions and the code around them | `items` |
//! | tree → names and their meaning | `names` |
//! | text → text without comments | `bare` |
//! | tree → its cyclomatic complexity | `complexity` |
//!
//! The structure of a language is defined by queries (`barecode_languages::tree`), and no code in this crate
//! distinguishes one language from another. A grammar has no types: the owner of `x.size` stays open unless `x` is
//! the object that the text is about, or a type of the text.

mod parsed;
mod parents;
mod items;
mod names;
mod bare;
mod complexity;

pub use bare::bare;
pub use complexity::complexity;
pub use items::{Container, Item, ItemKind, Items};
pub use names::{Definition, Meaning, Names, Occurrence, Ours, Space, spellings};
pub use parsed::{Parsed, same_shape};
