//! `standard_names`: the names that the whitelisted headers declare, as
//! `crates/languages/src/data/standard-names.txt` holds them.
//!
//! Each header is preprocessed by itself with `gcc` and with `g++`, and its text is read as tokens; nothing of
//! it is kept but names. A line is a name, what it was seen as in C, and what it was seen as in C++, `-` for not
//! at all:
//!
//! | letter | what |
//! | --- | --- |
//! | `m` | a macro, `-dM` lists it |
//! | `t` | a type: a tag, a `typedef`, a `using … =` |
//! | `f` | followed by a parenthesis: a function or a method |
//! | `e` | an enumerator |
//! | `v` | anything else: an object, a member, a namespace |
//!
//! Headers leave other people's names alone and call their own parameters and locals `__name`, so every other
//! identifier outside of parentheses is one that they declare. Names that begin with `__` are taken as types of
//! C, and as macros only where the compiler itself defines them. The families `__builtin_…` and `_mm…` are not
//! listed: their beginning tells.
//!
//! Make the file anew with
//! `cargo run --workspace --example standard_names > crates/languages/src/data/standard-names.txt`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};

use barecode_languages::lex::{Token, TokenKind, lex};

const HEADERS_C: &str = include_str!("../src/data/headers-c.txt");
const HEADERS_CPP: &str = include_str!("../src/data/headers-cpp.txt");

/// Names with the letters of what they were seen as.
type Seen = BTreeMap<String, BTreeSet<char>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "standard_names: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> std::io::Result<()> {
    let c = names(false)?;
    let cpp = names(true)?;
    let all: BTreeSet<&String> = c.keys().chain(cpp.keys()).collect();
    let mut out = std::io::stdout().lock();
    for name in all {
        let letters = |seen: &Seen| match seen.get(name) {
            Some(letters) => letters.iter().collect(),
            None => "-".to_owned(),
        };
        writeln!(out, "{name} {} {}", letters(&c), letters(&cpp))?;
    }
    Ok(())
}

fn names(cpp: bool) -> std::io::Result<Seen> {
    let mut seen = Seen::new();
    let lists: &[&str] = if cpp {
        &[HEADERS_C, HEADERS_CPP]
    } else {
        &[HEADERS_C]
    };
    let headers = lists.iter().flat_map(|list| list.lines());
    let headers = headers
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let own = ask(cpp, None, "-dM")?.unwrap_or_default();
    let own: BTreeSet<&str> = defined(&own).collect();
    for name in &own {
        seen.entry((*name).to_owned()).or_default().insert('m');
    }
    for header in headers {
        let Some(macros) = ask(cpp, Some(header), "-dM")? else {
            continue; // not on this machine, or only together with others
        };
        for name in defined(&macros) {
            let guard = ["_H", "_H_", "_HPP", "_TCC", "_INCLUDED"];
            let guard = name.starts_with('_') && guard.iter().any(|end| name.ends_with(end));
            if !guard && !name.starts_with("__") && !is_family(name) {
                seen.entry(name.to_owned()).or_default().insert('m');
            }
        }
        if let Some(text) = ask(cpp, Some(header), "-P")? {
            read(&text, cpp, &mut seen);
        }
    }
    Ok(seen)
}

/// The names that `-dM` lists.
fn defined(macros: &str) -> impl Iterator<Item = &str> {
    let lines = macros
        .lines()
        .filter_map(|line| line.strip_prefix("#define "));
    lines.filter_map(|line| line.split(['(', ' ']).next())
}

/// Whether the name belongs to a family that is told by its beginning.
fn is_family(name: &str) -> bool {
    name.starts_with("__builtin_") || name.starts_with("_mm")
}

/// What the compiler prints for a unit that includes one header, or none; `None` where it refuses.
fn ask(cpp: bool, header: Option<&str>, flag: &str) -> std::io::Result<Option<String>> {
    let (program, language, standard) = if cpp {
        ("g++", "c++", "-std=gnu++20")
    } else {
        ("gcc", "c", "-std=gnu17")
    };
    #[expect(
        clippy::disallowed_methods,
        reason = "a tool for the desk, no part of the program"
    )]
    let mut child = Command::new(program)
        .args([
            "-x",
            language,
            standard,
            "-D_GNU_SOURCE",
            "-w",
            "-E",
            flag,
            "-",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let (Some(mut input), Some(header)) = (child.stdin.take(), header) {
        writeln!(input, "#include <{header}>")?;
    }
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    Ok(output.status.success().then_some(text))
}

fn read(text: &str, cpp: bool, seen: &mut Seen) {
    let mut tokens = lex(text);
    tokens.retain(|token| token.kind != TokenKind::Newline);
    let word = |at: usize| tokens.get(at).map_or("", |token: &Token| token.text(text));
    let mut parentheses = 0_usize;
    let mut braces: Vec<bool> = Vec::new(); // whether each open brace is that of an `enum`
    let mut typedef: Option<usize> = None; // how many braces were open at the keyword
    let mut enumeration = false;
    for (at, token) in tokens.iter().enumerate() {
        match token.text(text) {
            "(" => parentheses += 1,
            ")" => parentheses = parentheses.saturating_sub(1),
            "{" => {
                braces.push(enumeration);
                enumeration = false;
            }
            "}" => {
                braces.pop();
            }
            ";" => {
                enumeration = false;
                if typedef == Some(braces.len()) {
                    typedef = None;
                }
            }
            "typedef" => typedef = Some(braces.len()),
            "enum" => enumeration = true,
            name if token.kind == TokenKind::Identifier && !is_keyword(name) => {
                let (before, after) = (word(at.wrapping_sub(1)), word(at + 1));
                let pointed = before == "*" && after == ")" && word(at + 2) == "(";
                if parentheses > 0 && !pointed {
                    continue;
                }
                let tag = matches!(before, "struct" | "class" | "union" | "enum");
                let alias = before == "using" && after == "=";
                let defined =
                    typedef == Some(braces.len()) && (matches!(after, ";" | "[" | ",") || pointed);
                let letter = if tag || alias || defined {
                    't'
                } else if braces.last() == Some(&true) && matches!(before, "{" | ",") {
                    'e'
                } else if after == "(" {
                    'f'
                } else {
                    'v'
                };
                let reserved = name.starts_with("__")
                    || cpp
                        && name.starts_with('_')
                        && name.chars().nth(1).is_some_and(|c| c.is_ascii_uppercase());
                let taken = !reserved || !cpp && letter == 't';
                if taken && !is_family(name) {
                    seen.entry(name.to_owned()).or_default().insert(letter);
                }
            }
            _ => {}
        }
    }
}

/// The words that no name can be.
fn is_keyword(word: &str) -> bool {
    const WORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t \
        char32_t class compl concept const consteval constexpr constinit const_cast continue co_await co_return \
        co_yield decltype default delete do double dynamic_cast else enum explicit export extern false float for \
        friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private \
        protected public register reinterpret_cast requires restrict return short signed sizeof static \
        static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename \
        union unsigned using virtual void volatile wchar_t while xor xor_eq";
    WORDS
        .split_ascii_whitespace()
        .any(|keyword| keyword == word)
}
