//! *Old names → new names.*
//!
//! A [`Naming`] returns a new name for each name, and does not depend on the language: the caller knows the names,
//! and the new ones that are [`Free`]. [`scheme`](mod@scheme) chooses a naming. Settings of C and C++ and the
//! renaming of Python programs share them.
//!
//! This crate does not read or change texts, and no number is drawn without a seed.

mod naming;
pub mod scheme;
pub mod neutralized;
pub mod canonical;
pub mod randomized;
pub mod characters;
pub mod shuffled;
pub mod adjective_noun;

pub use naming::{Draw, Free, Naming, Old};
