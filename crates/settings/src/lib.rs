//! *Units → variants.*
//!
//! Enters: [`Unit`](barecode_records::Unit)s, which compile. Leaves: the same units under each setting
//! ([`Variant`](barecode_records::Variant)s), each with what shows that it still means the same, and what had
//! to be set aside.
//!
//! | setting | file | what it does |
//! | --- | --- | --- |
//! | standard | `standard` | nothing: the code as written, comments removed |
//! | neutralized | [`neutralized`] | every name of the project becomes its kind and a number |
//! | canonical | [`canonical`] | every name becomes a number, by order of use |
//! | randomized | [`randomized`] | every name becomes random letters, per unit and seed |
//! | characters-… | [`characters`] | the same in pydra's length modes |
//! | shuffled | [`shuffled`] | the characters of every name in another order |
//! | adjective-noun | [`adjective_noun`] | every name becomes two words |
//! | advtest, advtest-tokens | `advtest` | the names of a function of Python become `Func` and `arg_0`, … |
//! | assembly, wasm, llvm-ir | [`lowered`](mod@lowered) | what a compiler makes of the function |
//!
//! Which names a text has is its language's business ([`symbols`](barecode_corpus::symbols)); a [`naming`] only maps
//! symbols to new names, all of them or as many as the [`dose`] says; and [`rename`] is the one rewriter, which edits
//! bytes of names, one-to-one and without capture, and nothing else. The hard thing is to know which name is which
//! without a compiler's front end: so [`prove`] compiles every result and compares objects, and a mistake costs an
//! item and never a wrong one.
//!
//! A renaming has one of two scopes. *Bound*, a name changes where it is proven to keep its binding: the names of the
//! unit. *Spelled*, one map for a whole source ([`source_map`]) changes every identifier that is spelled as a name of the
//! source: texts that are searched, not run.
//!
//! Beside them, `imitated` has texts in the form of those that CLARC released, from the crate `clarc`. That form has what does not compile,
//! so it is the one place where a variant has no proof.
//!
//! Nothing here changes layout or the order of anything, and literals only where a setting says so (`literals`).

pub mod rename;
pub mod naming;
pub mod dose;
pub mod source_map;
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
