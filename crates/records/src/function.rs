//! A function as it was found, with all it needs to stand alone.

use serde::{Deserialize, Serialize};

use crate::{Closure, Digest, Id, Language, Origin, References};

/// The kind of a function in its language. All functions of C are [`FunctionKind::Function`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FunctionKind {
    /// A function outside of classes.
    #[default]
    Function,
    /// A member function, static ones included.
    Method,
    /// A constructor.
    Constructor,
    /// A destructor.
    Destructor,
    /// An overloaded operator, inside of a class or not.
    Operator,
    /// A conversion to another type: `operator bool()`.
    Conversion,
    /// Not a function: statements that a comment is about.
    Block,
    /// Not a function: the lines below a comment, joined to one by the published rules of `GenCodeSearchNet`.
    Lines,
}

impl FunctionKind {
    /// Returns `true` if it is a piece of a script, which a comment is about.
    pub fn is_of_script(self) -> bool {
        matches!(self, FunctionKind::Block | FunctionKind::Lines)
    }
}

/// The declaration of a function that has its doc comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocPlace {
    /// Right before the definition.
    Definition,
    /// Right before a prototype, usually in a header.
    Declaration,
    /// In a comment elsewhere that names the function, as Doxygen's `\fn` does.
    Detached,
    /// On a page of documentation: `.. c:function::`, a heading with the signature.
    Page,
}

/// A comment about a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocComment {
    /// The comment as written in the file, marks included.
    pub text: String,
    /// The declaration that it belongs to.
    pub place: DocPlace,
    /// The file that it is in.
    pub path: String,
    /// Its first line.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
}

/// A function definition of a source (stage `01-functions`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// `f-…`, from source, path, name and text.
    pub id: Id,
    /// Its origin.
    pub origin: Origin,
    /// Its language.
    pub language: Language,
    /// Its name, without qualifiers: `f`, `operator==`, `~Node`.
    pub name: String,
    /// Its name with the namespaces and classes around it: `json::Node::~Node`. In C the name itself.
    pub qualified_name: String,
    /// Its kind in its language.
    pub kind: FunctionKind,
    /// True if it is a template, or a member of one: then nothing is compiled until the template is used.
    pub is_template: bool,
    /// The translation unit through which it was read.
    pub translation_unit: String,
    /// The definition, without comments and without the lines that conditional compilation switched off.
    pub text: String,
    /// Its comments, each with another text: the definition's, a prototype's; without either, a comment elsewhere
    /// that names it.
    pub docs: Vec<DocComment>,
    /// The names of the project that it refers to.
    pub references: References,
    /// The file that it needs to compile.
    pub closure: Closure,
}

impl Function {
    /// The id of the function with this path, name and text; `source` is the name of the source in ids, however its
    /// location is written.
    pub fn id_of(source: &str, path: &str, name: &str, text: &str) -> Id {
        Id::new(
            "f",
            &Digest::new("function")
                .field(source)
                .field(path)
                .field(name)
                .field(text),
        )
    }
}
