//! A function that compiles by itself.

use serde::{Deserialize, Serialize};

use crate::{
    Closure, Digest, DocComment, Function, FunctionKind, Group, Id, Language, Origin, References,
};

/// The tool that judged a unit: enough to judge it again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Toolchain {
    /// The program as it was called: `gcc`.
    pub compiler: String,
    /// The first line of its `--version`.
    pub version: String,
    /// The machine it compiles for, as `-dumpmachine` prints it.
    pub target: String,
    /// Its flags, in order.
    pub flags: Vec<String>,
}

impl Toolchain {
    /// The value of [`Toolchain::compiler`] where nothing was compiled: barecode's own resolver of names.
    pub const RESOLVER: &str = "names";

    /// The value of [`Toolchain::compiler`] where nothing was compiled: a grammar of tree-sitter.
    pub const GRAMMAR: &str = "grammar";

    /// The kind of the judge.
    pub fn judged(&self) -> Judged {
        match self.compiler.as_str() {
            Toolchain::RESOLVER => Judged::Names,
            Toolchain::GRAMMAR => Judged::Grammar,
            _ => Judged::Compiler,
        }
    }
}

/// The judge of whether a function of a language stands alone, and whether a variant of it means the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// A compiler: the text has to compile, and to the same code.
    Compiler,
    /// The resolver of names: each has to be bound, and to the same.
    Names,
    /// A grammar: the text has to be parsed, and to a tree of the same shape.
    Grammar,
}

/// A function that compiles by itself, or, in a language that is not compiled, has every name bound (stage `02-units`).
///
/// The compiler's input was `closure.text` with a mark that has the function emitted: for C one line more,
/// `__typeof__(NAME) *barecode_keeper = &NAME;`, for C++ an attribute before the function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// `u-…`, from the function and the compiled text.
    pub id: Id,
    /// The function.
    pub function_id: Id,
    /// Its origin.
    pub origin: Origin,
    /// Its language.
    pub language: Language,
    /// The function's name, without qualifiers.
    pub name: String,
    /// Its name with the namespaces and classes around it.
    pub qualified_name: String,
    /// Its kind in its language.
    pub kind: FunctionKind,
    /// True if it is a template, or a member of one: it compiles to nothing until the template is used.
    pub is_template: bool,
    /// Its dependency group.
    pub group: Group,
    /// The function's text.
    pub text: String,
    /// Its comments, as in [`Function`].
    pub docs: Vec<DocComment>,
    /// The names of the project that it refers to.
    pub references: References,
    /// The file that was compiled.
    pub closure: Closure,
    /// True if the closure has no piece left that the function compiles without, to the same code.
    pub minimized: bool,
    /// For C: true if the same text is C++ too. `None` if that was not checked, or there is no C++ compiler.
    pub compiles_as_cpp: Option<bool>,
    /// The tool that compiled it.
    pub toolchain: Toolchain,
    /// Size of the function's own machine code in bytes.
    pub code_bytes: u64,
}

impl Unit {
    /// The unit of a function with this closure. The fields that only a compiler fills are as where nothing is
    /// compiled: the closure is not made smaller, C++ was not tried, and it has no code.
    pub fn of(function: &Function, closure: Closure, toolchain: Toolchain) -> Unit {
        Unit {
            id: Unit::id_of(&function.id, &closure.text),
            function_id: function.id.clone(),
            origin: function.origin.clone(),
            language: function.language,
            name: function.name.clone(),
            qualified_name: function.qualified_name.clone(),
            kind: function.kind,
            is_template: function.is_template,
            group: Group::of(&function.references),
            text: function.text.clone(),
            docs: function.docs.clone(),
            references: function.references.clone(),
            closure,
            minimized: false,
            compiles_as_cpp: None,
            toolchain,
            code_bytes: 0,
        }
    }

    /// The id of the unit of a function with this compiled text.
    pub fn id_of(function_id: &Id, compiled_text: &str) -> Id {
        Id::new(
            "u",
            &Digest::new("unit").field(function_id).field(compiled_text),
        )
    }
}
