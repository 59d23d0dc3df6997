//! *Text of a language that tree-sitter reads → what it is made of, and which name is whose.*
//!
//! Enters: a text and its language. Leaves: a [`Parsed`] tree, the [`Items`] of a file (functions, the classes around
//! them, declarations, comments), and its [`Names`]: what each name stands for.
//!
//! | step | module |
//! | --- | --- |
//! | text → tree | `parsed` |
//! | tree → functions and what is around them | `items` |
//! | tree → names and their meaning | `names` |
//! | text → text without comments | `bare` |
//! | tree → how branched it is | `complexity` |
//!
//! What a language is made of stands in queries (`barecode_languages::tree`), and nothing here knows one language from
//! another. A grammar knows no types: whose member `x.size` is stays open unless `x` is the object that the text is
//! about, or a type of the text.

mod parsed;
mod items;
mod names;
mod bare;
mod complexity;

pub use bare::bare;
pub use complexity::complexity;
pub use items::{Container, Item, ItemKind, Items};
pub use names::{Definition, Meaning, Names, Occurrence, Ours, Space, spellings};
pub use parsed::{Parsed, same_shape};
