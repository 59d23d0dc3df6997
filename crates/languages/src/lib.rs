//! What is known of each language, as data, and the lexer that C and C++ share.
//!
//! | what | module |
//! | --- | --- |
//! | bytes → tokens of C and C++ | [`lex`] |
//! | names that the standard library and the compiler declare | [`standard_names`] |
//!
//! This crate knows nothing of where a text comes from or what becomes of it.

pub mod lex;
pub mod standard_names;
