//! *Units → variants.*
//!
//! Enters: [`Unit`](barecode_records::Unit)s, which compile. Leaves: the same units under each setting
//! ([`Variant`](barecode_records::Variant)s), each with the proof that its meaning is the same, and the units that
//! had to be set aside.
//!
//! | setting | file | effect |
//! | --- | --- | --- |
//! | standard | `standard` | none: the code as written, comments removed |
//! | neutralized | [`neutralized`] | every name of the project becomes its kind and a number |
//! | canonical | [`canonical`] | every name becomes a number, by order of use |
//! | randomized | [`randomized`] | every name becomes random letters, per unit and seed |
//! | characters-… | [`characters`] | the same in pydra's length modes |
//! | shuffled | [`shuffled`] | the characters of every name in another order |
//! | adjective-noun | [`adjective_noun`] | every name becomes two words |
//! | advtest, advtest-tokens | `advtest` | the names of a function of Python become `Func` and `arg_0`, … |
//! | assembly, wasm, llvm-ir | [`lowered`](mod@lowered) | the compiler's output for the function |
//!
//! The names of a text depend on its language ([`symbols`](barecode_corpus::symbols)); a [`naming`] only maps symbols
//! to new names, all of them or the share in the [`dose`]; and [`rename`] is the one rewriter, which edits only bytes
//! of names, one-to-one and without capture. The hard part is to identify names without a compiler's front end. So
//! [`prove`] compiles every result and compares objects, and a mistake loses an item but never makes a wrong one.
//!
//! A renaming has one of two scopes. *Bound*, a name changes if it is proven to keep its binding: the names of the
//! unit. *Spelled*, one map for a whole source ([`source_map`]) changes every identifier that is spelled as a name of
//! the source: texts that are searched, not run.
//!
//! Beside them, `imitated` has texts in the form of those that CLARC released, from the crate `clarc`. That form has
//! texts that do not compile, so it is the only setting in which a variant has no proof.
//!
//! [`perturbation`](mod@perturbation) measures the share of a text that any renaming has changed, also one of other
//! tools.
//!
//! No setting changes layout or order, and only some change literals (`literals`).

pub mod rename;
pub mod naming;
pub mod dose;
pub mod source_map;
pub mod perturbation;
mod standard;
mod append;
pub mod canonical;
pub mod randomized;
pub mod prove;
pub mod vary;
pub mod lowered;
mod advtest;
mod literals;
mod imitated;

pub use barecode_languages::standard_names;
pub use barecode_namings::{adjective_noun, characters, neutralized, scheme, shuffled};
pub use source_map::{SourceMaps, bound};
pub use vary::{Compilers, Lowerers, vary};
