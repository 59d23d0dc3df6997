//! The entry of a language, and the judge of its functions.

use barecode_records::{Judged, Language};
use tree_sitter_language::LanguageFn;

use crate::tree::Tree;

/// The facts that are known of a language.
pub struct Entry {
    /// The language.
    pub language: Language,
    /// Its name in the usual spelling: `C++`.
    pub title: &'static str,
    /// Other lowercase names that columns have for it: `c++`.
    pub aliases: &'static [&'static str],
    /// Endings of files that stand alone; in C and C++ they begin translation units.
    pub units: &'static [&'static str],
    /// Endings of documents and notebooks that contain its code between text.
    pub documents: &'static [&'static str],
    /// Endings of files that others include, and that are read by themselves if no file includes them.
    pub headers: &'static [&'static str],
    /// Endings of files that are read only where others include them.
    pub included: &'static [&'static str],
    /// The syntax of comments and strings.
    pub comments: Comments,
    /// Its keywords, sorted.
    pub keywords: &'static [&'static str],
    /// Names that every program has without declaring them, sorted; of C and C++ see [`standard_names`](crate::standard_names).
    pub builtins: &'static [&'static str],
    /// Lists of the headers of its standard library, a name a line; lines with `#` are comments.
    pub standard_headers: &'static [&'static str],
    /// Its grammar, where no [`Tree`] has one.
    pub grammar: Option<LanguageFn>,
    /// The front end that finds its functions; without one its files are recognized and not mined.
    pub front_end: Option<FrontEnd>,
}

/// The kind of front end that finds the functions of a language.
#[derive(Clone, Copy)]
pub enum FrontEnd {
    /// A preprocessor and a grammar; a compiler decides whether a function stands alone.
    Compiled,
    /// A parser with scopes, which decide whether a function stands alone.
    Python,
    /// A grammar of tree-sitter and queries; a function stands alone if it can be parsed.
    Tree(&'static Tree),
}

/// The syntax of comments and strings in a language.
#[derive(Debug, Clone, Copy)]
pub struct Comments {
    /// The marks that begin a comment that ends with its line.
    pub line: &'static [&'static str],
    /// The marks that begin and end a comment over lines.
    pub block: &'static [(&'static str, &'static str)],
    /// The marks that begin and end a string, longer marks first; strings of one quotation mark end with their line.
    pub quotes: &'static [&'static str],
}

impl Entry {
    /// The fields that most languages leave empty.
    pub const PLAIN: Entry = Entry {
        language: Language::of_name(""),
        title: "",
        aliases: &[],
        units: &[],
        headers: &[],
        included: &[],
        documents: &[],
        comments: SLASHES,
        keywords: &[],
        builtins: &[],
        standard_headers: &[],
        grammar: None,
        front_end: None,
    };

    /// Returns `true` if a word is one of its keywords.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.keywords.binary_search(&word).is_ok()
    }

    /// Returns `true` if a name is one of its builtins.
    pub fn is_builtin(&self, name: &str) -> bool {
        self.builtins.binary_search(&name).is_ok()
    }

    /// Returns `true` if it is C or C++, which the lexer reads.
    pub fn is_c_like(&self) -> bool {
        matches!(self.language, Language::C | Language::CPP)
    }

    /// Returns `true` if its functions are mined.
    pub fn is_mined(&self) -> bool {
        self.front_end.is_some()
    }

    /// The judge of its functions; `None` if none are mined.
    pub fn judged(&self) -> Option<Judged> {
        self.front_end.map(|front_end| match front_end {
            FrontEnd::Compiled => Judged::Compiler,
            FrontEnd::Python => Judged::Names,
            FrontEnd::Tree(_) => Judged::Grammar,
        })
    }

    /// Returns `true` if a compiler judges its functions.
    pub fn is_compiled(&self) -> bool {
        self.judged() == Some(Judged::Compiler)
    }

    /// The reading rules of its trees, if trees are used to find its functions.
    pub fn tree(&self) -> Option<&'static Tree> {
        match self.front_end {
            Some(FrontEnd::Tree(tree)) => Some(tree),
            _ => None,
        }
    }

    /// Its grammar, where trees of tree-sitter are made of it.
    pub fn grammar(&self) -> Option<LanguageFn> {
        let first = || self.tree()?.dialects.first().map(|dialect| dialect.grammar);
        self.grammar.or_else(first)
    }
}

pub(crate) const SLASHES: Comments = Comments {
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &["\"", "'"],
};

/// As [`SLASHES`], with texts in backticks over several lines.
pub(crate) const BACKTICKS: Comments = Comments {
    quotes: &["\"", "'", "`"],
    ..SLASHES
};

/// Text in three quotes goes over lines.
pub(crate) const TRIPLE: Comments = Comments {
    quotes: &["\"\"\"", "\"", "'"],
    ..SLASHES
};

pub(crate) const HASH: Comments = Comments {
    line: &["#"],
    block: &[],
    quotes: &["\"", "'"],
};
