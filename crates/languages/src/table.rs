//! The table of languages, one entry each. Those of C, C++, Python and WebAssembly are in this file; each other one
//! is in a file of its own, with its keywords and the reading rules of its trees.

use barecode_records::Language;

use crate::entry::{HASH, SLASHES};
use crate::{Comments, Entry, FrontEnd, words};

mod csharp;
mod dart;
mod go;
mod java;
mod javascript;
mod julia;
mod kotlin;
mod php;
mod r;
mod ruby;
mod rust;
mod scala;
mod swift;
mod typescript;

/// The entry of each language; C and C++ first, the rest by name.
pub static LANGUAGES: [Entry; 18] = [
    Entry {
        language: Language::C,
        title: "C",
        aliases: &[],
        units: &["c"],
        headers: &["h"],
        included: &["inc", "inl", "def", "tbl", "x"],
        documents: &[],
        comments: SLASHES,
        keywords: words::C17,
        builtins: &[],
        standard_headers: &[include_str!("data/headers-c.txt")],
        grammar: Some(tree_sitter_c::LANGUAGE),
        front_end: Some(FrontEnd::Compiled),
    },
    Entry {
        language: Language::CPP,
        title: "C++",
        aliases: &["c++", "cc", "cxx", "c/c++"],
        units: &["cc", "cpp", "cxx", "c++", "C"],
        headers: &["hh", "hpp", "hxx", "h++", "H"],
        included: &["ipp", "tcc", "tpp", "txx", "ixx", "ii", "icc"],
        documents: &[],
        comments: SLASHES,
        keywords: words::CPP20,
        builtins: &[],
        // C++ has the headers of C too.
        standard_headers: &[
            include_str!("data/headers-cpp.txt"),
            include_str!("data/headers-c.txt"),
        ],
        grammar: Some(tree_sitter_cpp::LANGUAGE),
        front_end: Some(FrontEnd::Compiled),
    },
    csharp::ENTRY,
    dart::ENTRY,
    go::ENTRY,
    java::ENTRY,
    javascript::ENTRY,
    julia::ENTRY,
    kotlin::ENTRY,
    php::ENTRY,
    Entry {
        language: Language::PYTHON,
        title: "Python",
        aliases: &["py", "python3"],
        units: &["py"],
        included: &["pyi"],
        comments: Comments {
            quotes: &["\"\"\"", "'''", "\"", "'"],
            ..HASH
        },
        keywords: words::PYTHON,
        builtins: words::PYTHON_BUILTINS,
        grammar: Some(tree_sitter_python::LANGUAGE),
        front_end: Some(FrontEnd::Python),
        ..Entry::PLAIN
    },
    r::ENTRY,
    ruby::ENTRY,
    rust::ENTRY,
    scala::ENTRY,
    swift::ENTRY,
    typescript::ENTRY,
    Entry {
        language: Language::of_name("wasm"),
        title: "WebAssembly",
        aliases: &["wat", "webassembly"],
        units: &["wat"],
        comments: Comments {
            line: &[";;"],
            block: &[("(;", ";)")],
            quotes: &["\""],
        },
        ..Entry::PLAIN
    },
];
