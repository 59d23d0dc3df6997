//! A function as it was found, with all it needs to stand alone.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::{Closure, Digest, Id, Language, Origin, Reason, References, SetAside, Stage};

/// A range of bytes in a text; `end` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl From<Range<usize>> for Span {
    /// A place beyond 4 GiB becomes the last one that can be written.
    fn from(bytes: Range<usize>) -> Self {
        let offset = |bytes| u32::try_from(bytes).unwrap_or(u32::MAX);
        Span {
            start: offset(bytes.start),
            end: offset(bytes.end),
        }
    }
}

impl Span {
    /// The piece of `text` that the span covers; empty where it does not fit.
    pub fn of(self, text: &str) -> &str {
        text.get(self.start as usize..self.end as usize)
            .unwrap_or_default()
    }

    /// The piece of a text without the blanks that its first line begins with, on all lines that begin with them.
    ///
    /// ```
    /// use barecode_records::Span;
    /// let text = "class A:\n    def f(self):\n        return 1\n";
    /// assert_eq!(Span { start: 9, end: 43 }.dedented(text), "def f(self):\n    return 1\n");
    /// ```
    pub fn dedented(self, text: &str) -> String {
        let piece = self.of(text);
        let blanks = piece.len() - piece.trim_start_matches([' ', '\t']).len();
        let (indentation, _) = piece.split_at(blanks);
        let lines = piece.split_inclusive('\n');
        lines
            .map(|line| line.strip_prefix(indentation).unwrap_or(line))
            .collect()
    }
}

/// What a function is to its language. All functions of C are [`FunctionKind::Function`].
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
    /// Whether it is a piece of a script, which a comment is about.
    pub fn is_of_script(self) -> bool {
        matches!(self, FunctionKind::Block | FunctionKind::Lines)
    }
}

/// Which declaration of a function its doc comment stands at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DocPlace {
    /// Right before the definition.
    Definition,
    /// Right before a prototype, usually in a header.
    Declaration,
    /// In a comment that stands elsewhere and names the function, as Doxygen's `\fn` does.
    Detached,
    /// On a page of documentation: `.. c:function::`, a heading with the signature.
    Page,
}

/// A comment about a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DocComment {
    /// The comment as it stands in the file, marks included.
    pub text: String,
    /// Which declaration it belongs to.
    pub place: DocPlace,
    /// The file it stands in.
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
    /// Where it stands.
    pub origin: Origin,
    /// Its language.
    pub language: Language,
    /// Its name, without qualifiers: `f`, `operator==`, `~Node`.
    pub name: String,
    /// Its name with the namespaces and classes around it: `json::Node::~Node`. In C the name itself.
    pub qualified_name: String,
    /// What it is to its language.
    pub kind: FunctionKind,
    /// Whether it is a template, or a member of one: then nothing is compiled until somebody uses it.
    pub is_template: bool,
    /// The translation unit through which it was read.
    pub translation_unit: String,
    /// The definition, without comments and without what conditional compilation switched off.
    pub text: String,
    /// Its comments, each with another text: the definition's, a prototype's; without either, what names it elsewhere.
    pub docs: Vec<DocComment>,
    /// What it refers to.
    pub references: References,
    /// What it needs to compile.
    pub closure: Closure,
}

impl Function {
    /// The id of the function with this source, path, name and text.
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

    /// The row of a function that does not stand alone.
    pub fn not_a_unit(&self, (reason, detail): (Reason, String)) -> SetAside {
        SetAside {
            id: Some(self.id.clone()),
            origin: Some(self.origin.clone()),
            name: Some(self.name.clone()),
            ..SetAside::new(Stage::Check, "function", reason, detail)
        }
    }
}
