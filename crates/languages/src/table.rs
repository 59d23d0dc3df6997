//! The table: a language is one entry.

use barecode_records::Language;

use crate::{Comments, Entry, FrontEnd, tree, words};

const SLASHES: Comments = Comments {
    line: &["//"],
    block: &[("/*", "*/")],
    quotes: &["\"", "'"],
};

/// As [`SLASHES`], with texts in backticks over several lines.
const BACKTICKS: Comments = Comments {
    quotes: &["\"", "'", "`"],
    ..SLASHES
};

/// Text in three quotes goes over lines.
const TRIPLE: Comments = Comments {
    quotes: &["\"\"\"", "\"", "'"],
    ..SLASHES
};

const HASH: Comments = Comments {
    line: &["#"],
    block: &[],
    quotes: &["\"", "'"],
};

/// What most entries leave empty.
const PLAIN: Entry = Entry {
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

/// What is known of each language; C and C++ first, the rest by name.
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
    Entry {
        language: Language::of_name("csharp"),
        title: "C#",
        aliases: &["c#", "cs"],
        units: &["cs"],
        keywords: words::CSHARP,
        front_end: Some(FrontEnd::Tree(&tree::CSHARP)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("dart"),
        title: "Dart",
        units: &["dart"],
        keywords: words::DART,
        ..PLAIN
    },
    Entry {
        language: Language::of_name("go"),
        title: "Go",
        aliases: &["golang"],
        units: &["go"],
        comments: BACKTICKS,
        keywords: words::GO,
        front_end: Some(FrontEnd::Tree(&tree::GO)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("java"),
        title: "Java",
        units: &["java"],
        comments: TRIPLE,
        keywords: words::JAVA,
        front_end: Some(FrontEnd::Tree(&tree::JAVA)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("javascript"),
        title: "JavaScript",
        aliases: &["js"],
        units: &["js", "mjs", "cjs", "jsx"],
        comments: BACKTICKS,
        keywords: words::JAVASCRIPT,
        front_end: Some(FrontEnd::Tree(&tree::JAVASCRIPT)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("julia"),
        title: "Julia",
        units: &["jl"],
        comments: Comments {
            block: &[("#=", "=#")],
            quotes: &["\"\"\"", "\""],
            ..HASH
        },
        keywords: words::JULIA,
        ..PLAIN
    },
    Entry {
        language: Language::of_name("kotlin"),
        title: "Kotlin",
        units: &["kt", "kts"],
        comments: TRIPLE,
        keywords: words::KOTLIN,
        ..PLAIN
    },
    Entry {
        language: Language::of_name("php"),
        title: "PHP",
        units: &["php"],
        comments: Comments {
            line: &["//", "#"],
            ..SLASHES
        },
        keywords: words::PHP,
        front_end: Some(FrontEnd::Tree(&tree::PHP)),
        ..PLAIN
    },
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
        front_end: Some(FrontEnd::Python),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("r"),
        title: "R",
        units: &["r", "R"],
        documents: &["Rmd", "rmd", "qmd", "ipynb"],
        comments: Comments {
            quotes: &["\"", "'", "`"],
            ..HASH
        },
        keywords: words::R,
        front_end: Some(FrontEnd::Tree(&tree::R)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("ruby"),
        title: "Ruby",
        aliases: &["rb"],
        units: &["rb"],
        comments: Comments {
            block: &[("\n=begin", "\n=end")],
            ..HASH
        },
        keywords: words::RUBY,
        front_end: Some(FrontEnd::Tree(&tree::RUBY)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("rust"),
        title: "Rust",
        aliases: &["rs"],
        units: &["rs"],
        // A single quote begins a lifetime as often as a letter.
        comments: Comments {
            quotes: &["\""],
            ..SLASHES
        },
        keywords: words::RUST,
        front_end: Some(FrontEnd::Tree(&tree::RUST)),
        ..PLAIN
    },
    Entry {
        language: Language::of_name("scala"),
        title: "Scala",
        units: &["scala"],
        comments: TRIPLE,
        keywords: words::SCALA,
        ..PLAIN
    },
    Entry {
        language: Language::of_name("swift"),
        title: "Swift",
        units: &["swift"],
        comments: Comments {
            quotes: &["\"\"\"", "\""],
            ..SLASHES
        },
        keywords: words::SWIFT,
        ..PLAIN
    },
    Entry {
        language: Language::of_name("typescript"),
        title: "TypeScript",
        aliases: &["ts"],
        units: &["ts", "tsx"],
        comments: BACKTICKS,
        keywords: words::TYPESCRIPT,
        front_end: Some(FrontEnd::Tree(&tree::TYPESCRIPT)),
        ..PLAIN
    },
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
        ..PLAIN
    },
];
