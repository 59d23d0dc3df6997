//! *Units → variants.*
//!
//! Enters: [`Unit`](barecode_records::Unit)s, which compile. Leaves: the same units under each setting
//! ([`Variant`](barecode_records::Variant)s), each with what shows that it still means the same, and what had
//! to be set aside.
//!
//! | setting | file | what it does |
//! | --- | --- | --- |
//! | standard | [`vary`](mod@vary) | nothing: the code as written, comments removed |
//! | neutralized | [`neutralized`] | every name of the project becomes its kind and a number |
//! | canonical | [`canonical`] | every name becomes a number, by order of use |
//! | randomized | [`randomized`] | every name becomes random letters, per unit and seed |
//! | characters-… | [`characters`] | the same in pydra's length modes |
//! | shuffled | [`shuffled`] | the characters of every name in another order |
//! | adjective-noun | [`adjective_noun`] | every name becomes two words |
//! | assembly, wasm, llvm-ir | [`lowered`](mod@lowered) | what a compiler makes of the function |
//!
//! All renamings share one engine, [`rename`]: it reads a unit once, and writes it under as many [`naming`]s as
//! wanted, or as large a part of them as the [`dose`] says. The hard thing is to rename what is used, without a
//! compiler's front end: names are told apart by name space, not by scope, so a renaming is one-to-one and can
//! capture nothing; and [`prove`] compiles every result and compares objects, so a mistake costs an item and never
//! a wrong one.
//!
//! Beside them, [`clarc`] writes texts in the form of those that CLARC released. That form has what does not compile,
//! so it is the one place where a variant has no proof.
//!
//! Nothing here changes layout, literals or the order of anything.

pub mod rename;
pub mod naming;
pub mod dose;
pub mod neutralized;
pub mod canonical;
pub mod randomized;
pub mod characters;
pub mod shuffled;
pub mod adjective_noun;
pub mod prove;
pub mod vary;
pub mod clarc;
pub mod lowered;
pub mod clarc_lowered;

pub use barecode_languages::standard_names;
pub use vary::{Lowerers, Varied, vary};
