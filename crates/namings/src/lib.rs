//! *Old names → new names.*
//!
//! A [`Naming`] is asked for a new name for each name, and knows nothing of the language: who asks knows which names
//! there are, and which new ones are [`Free`]. [`scheme`](mod@scheme) chooses a naming. Settings of C and C++ and the
//! renaming of Python programs share them.
//!
//! Nothing here reads a text or changes one, and no number is drawn without a seed.

mod naming;
pub mod scheme;
pub mod neutralized;
pub mod canonical;
pub mod randomized;
pub mod characters;
pub mod shuffled;
pub mod adjective_noun;

pub use naming::{Draw, Free, Naming, Old};
