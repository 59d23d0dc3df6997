//! The words that code and sentences share.
//!
//! Enters: names, types, characters and constructs of code. Leaves: plain English words in fields ([`Rendering`]), and the
//! traits of what goes in and out ([`Signature`]).
//!
//! | content | module |
//! | --- | --- |
//! | constructs with the words that people use for them | [`vocabulary`] |
//! | types by their names, and their traits | [`types`], [`signature`] |
//! | words of names, numbers and characters | [`words`] |
//! | words of the documentation of library functions | [`library`] |
//! | words to stems | [`stems`] |
//! | a function as words | [`rendering`] |
//! | the kind of a text | [`form`] |
//!
//! This crate reads no code: that is `barecode-structural`'s.

pub mod form;
pub mod library;
pub mod rendering;
pub mod said;
pub mod signature;
pub mod sizes;
pub mod stems;
pub mod types;
pub mod vocabulary;
pub mod words;

pub use form::Form;
pub use library::documentation;
pub use rendering::Rendering;
pub use signature::{Shape, Signature, Trait};
pub use stems::Stems;
pub use vocabulary::{Concept, Field};
