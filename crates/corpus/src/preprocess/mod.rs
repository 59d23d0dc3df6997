//! The virtual preprocessor: a translation unit, read without being rewritten.
//!
//! A C file cannot be parsed without preprocessing: the two branches of an `#if` do not fit together, and macros hide
//! types and braces. A preprocessed file can be parsed, but is no longer the text that its author wrote. This module
//! is between the two. It runs the directives of one translation unit in order, with a real macro table, and only
//! *marks* each byte of each file: code, attribute, comment, directive, or switched off. Every later step reads the
//! original text through these marks, so positions never move.
//!
//! - [`barecode_languages::lex`]: bytes → tokens
//! - [`directive`]: tokens → directives and text
//! - [`files`]: the files of a source, by the name in an include
//! - [`macros`]: the macro table and expansion
//! - [`condition`]: `#if` → true or false
//! - [`headers`]: the definitions of the standard headers
//! - `reading`: a translation unit once it was read
//! - `scope`: the braces of namespaces
//! - [`mod@unit`]: the walk through a translation unit

pub mod directive;
pub mod files;
pub mod macros;
pub mod condition;
pub mod headers;
mod scope;
mod reading;
pub mod unit;

pub use barecode_languages::lex;
