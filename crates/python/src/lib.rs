//! *Python text → scopes, rewrites*: what is known about Python.
//!
//! A text enters as a [`Module`]: parsed, with its tokens and comments, and with its [`Scopes`], which resolve each
//! name. A [`Transform`] finds the [`Site`]s in a module where it can be applied, each with the [`Edit`]s that apply
//! it: ranges of bytes with what replaces them, so that comments, quotes and layout elsewhere stay as they are. A
//! [`Pipeline`] applies transforms one after the other and leaves a [`Rewritten`] text with an account of each
//! changed range. Of the pydra paper this is section 3 with appendix B.4.
//!
//! The parser is ruff's; nothing outside of this crate knows it. This crate decides by shape, type and purity if a
//! rewrite keeps the meaning ([`Safety::Safe`](barecode_records::python::Safety)); the proof by tests is the
//! caller's.
//!
//! This crate reads no files, runs no code, and draws no number without a seed.

mod advtest;
mod module;
mod names;
mod depth;
mod edit;
mod scope;
mod docstring;
mod canonical;
mod uses;
mod outline;
mod constant;
mod literals;
mod calls;
mod python2;
mod fresh;
mod walk;
mod layout;
mod types;
mod purity;
mod visible;
mod bound;
mod site;
mod apply;
mod pipeline;
mod config;
mod rename;
mod spellings;
pub mod transforms;

pub use advtest::{AdvTest, Normalized, advtest};
pub use apply::{Applying, apply};
pub use calls::Call;
pub use config::{BadStep, LengthRule, NameLength, StepConfig};
pub use constant::Constant;
pub use edit::{Edit, Moved};
pub use fresh::Fresh;
pub use literals::Literal;
pub use module::{Module, Unparsable, count_tokens};
pub use names::Names;
pub use outline::{Definition, Docstring, Imported, Item, ItemKind};
pub use pipeline::{Pipeline, Rewritten, Step};

pub use python2::python2;
pub use rename::words::{is_builtin, is_word};
pub use rename::{DECORATED, SHOWN, Symbol, attributes, protected_names, symbols};
pub use scope::{Name, Scope, ScopeId, ScopeKind, Scopes};
pub use site::{Context, Site, Transform};
pub use spellings::spellings;
pub use uses::{Import, Use};
