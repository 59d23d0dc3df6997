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
//! | randomized | [`randomized`] | every name of the project becomes random letters, per unit and seed |
//! | assembly, wasm, llvm-ir | [`lowered`](mod@lowered) | what a compiler makes of the function |
//!
//! Both renamings share one engine, [`rename`]: it reads a unit once, and writes it under as many namings as
//! wanted. The hard thing is to rename what is used, without a compiler's front end: names are told apart by
//! name space, not by scope, so a renaming is one-to-one and can capture nothing; and [`prove`] compiles every
//! result and compares objects, so a mistake costs an item and never a wrong one.
//!
//! Nothing here changes layout, literals or the order of anything.

pub mod rename;
pub mod neutralized;
pub mod randomized;
pub mod prove;
pub mod vary;
pub mod lowered;
pub mod clarc_lowered;

pub use vary::{Lowerers, Varied, vary};
