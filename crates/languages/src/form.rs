//! The kind of text of a document, and its tokens, as far as a check needs them.
//!
//! In comes a text and the language that its column names; out come comments, literals, brackets. C and C++ go
//! through the lexer of the preprocessor; other languages through one scanner that knows how their comments and
//! strings begin and end. The hard thing is to avoid false accusations: where a text is not surely code, or a comment
//! may have lost its end, there is no verdict.
//!
//! It parses nothing, and it guesses no language beyond the differences that affect comments and strings.

use barecode_records::Language;

use crate::lex::{Token, TokenKind, lex_with_comments};

/// A kind of text, by how its comments and strings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// C and C++.
    C,
    /// Other languages with `//` and braces: Java, Go, JavaScript, Rust, …
    Braces,
    /// Languages with `#`: Python, R, Ruby, shells.
    Hash,
    /// Disassembled or written assembly.
    Assembly,
    /// WebAssembly as text.
    Wasm,
    /// Prose, or a text whose form cannot be determined.
    Other,
}

/// Returns `Some(true)` if a text is C or C++, by its column or else by its look; `None` if neither shows it.
///
/// ```
/// use barecode_languages::is_c_like;
/// assert_eq!(is_c_like("static int f(void) {\n    return 0;\n}", None), Some(true));
/// assert_eq!(is_c_like("static int f(void) {\n    return 0;\n}", Some("Java")), Some(false));
/// assert_eq!(is_c_like("def f():\n    return 0\n", None), Some(false));
/// assert_eq!(is_c_like("it returns nothing", None), None);
/// ```
pub fn is_c_like(text: &str, language: Option<&str>) -> Option<bool> {
    if let Some(form) = language.and_then(Form::of_language) {
        return Some(form == Form::C);
    }
    match Form::of_text(text) {
        // Some C has no mark that other languages with braces could not have.
        Form::C | Form::Braces => Some(true),
        Form::Hash | Form::Assembly | Form::Wasm => Some(false),
        Form::Other => None,
    }
}

/// The language of a text: code that was lowered from C or C++ keeps the name of its language, so the text itself is
/// checked.
pub fn not_lowered(text: &str, source: Option<Language>) -> Option<Language> {
    let is_source =
        |language: &Language| !is_c_or_cpp(*language) || is_c_like(text, None) != Some(false);
    source.filter(is_source)
}

/// Returns `true` for C and C++.
pub fn is_c_or_cpp(language: Language) -> bool {
    matches!(language, Language::C | Language::CPP)
}

impl Form {
    /// Returns `true` if brackets can be judged and comments found.
    pub fn is_source(self) -> bool {
        matches!(self, Form::C | Form::Braces | Form::Hash)
    }

    /// The form that a language column names; a language that is not known here is not judged.
    pub fn of_language(language: &str) -> Option<Self> {
        let name = language.trim().to_ascii_lowercase();
        if name.is_empty() {
            return None;
        }
        let Some(entry) = crate::find(&name) else {
            let assembly =
                name.contains("asm") || name.contains("assembl") || name.starts_with("x86");
            return Some(if assembly {
                Form::Assembly
            } else {
                Form::Other
            });
        };
        Some(match entry.comments.line {
            _ if entry.is_c_like() => Form::C,
            ["//", ..] => Form::Braces,
            ["#", ..] => Form::Hash,
            [";;", ..] => Form::Wasm,
            _ => Form::Other,
        })
    }

    /// The form that a text looks like. Prose is a text without any mark of code.
    pub fn of_text(text: &str) -> Self {
        let trimmed = text.trim_start();
        if trimmed.starts_with("(module") || trimmed.starts_with("(func") {
            return Form::Wasm;
        }
        // Markup may hold code but is not code; SQL has its own rules.
        let first: String = trimmed
            .chars()
            .take(7)
            .collect::<String>()
            .to_ascii_uppercase();
        let is_sql = [
            "SELECT ", "INSERT ", "UPDATE ", "DELETE ", "CREATE ", "WITH ",
        ];
        if ["```", "<p>", "</p>", "</code>", "<pre"]
            .iter()
            .any(|mark| text.contains(mark))
            || is_sql.iter().any(|word| first.starts_with(word))
        {
            return Form::Other;
        }
        let (mut lines, mut mnemonics, mut closed, mut hash, mut slashes, mut directives) =
            (0_u32, 0_u32, 0_u32, 0_u32, 0_u32, 0_u32);
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .take(200)
        {
            lines += 1;
            mnemonics += u32::from(is_instruction(line));
            closed += u32::from(line.ends_with([';', '{', '}']) || line.contains("; "));
            slashes += u32::from(line.starts_with("//") || line.starts_with("/*"));
            let words = ["#include", "#define", "#if", "#endif"];
            let is_directive = words.iter().any(|word| line.starts_with(word));
            directives += u32::from(is_directive);
            let is_hash = line.starts_with("def ") && line.contains('(')
                || line.starts_with("elif ")
                || line.starts_with("from ") && line.contains(" import ")
                || line.contains(" <- ")
                || line.starts_with("import ") && !line.ends_with(';')
                || line == "end";
            hash += u32::from(is_hash && !is_directive);
        }
        if lines == 0 {
            return Form::Other;
        }
        if lines >= 2 && mnemonics * 2 >= lines {
            return Form::Assembly;
        }
        let c_like = closed + slashes + directives;
        if hash > 0 && hash >= closed {
            return Form::Hash;
        }
        if c_like * 3 < lines || !text.contains(['{', '(']) || is_prose(text) {
            return Form::Other;
        }
        if is_c(text) { Form::C } else { Form::Braces }
    }

    /// Comments of a text, each a range of bytes.
    pub fn comments(self, text: &str) -> Vec<(usize, usize)> {
        match self {
            Form::C => {
                let tokens = lex_with_comments(text);
                let comments = tokens
                    .iter()
                    .filter(|token| token.kind == TokenKind::Comment);
                comments.map(|token| (token.start, token.end)).collect()
            }
            Form::Braces | Form::Hash => scan(text, self).comments,
            Form::Wasm => between(text, &[(";;", "\n"), ("(;", ";)")]),
            // The comments in which the disassembler shows computed values; `#` also begins an immediate of ARM:
            // `#16`.
            Form::Assembly => between(text, &[("# ", "\n"), ("// ", "\n"), ("; ", "\n")]),
            Form::Other => Vec::new(),
        }
    }

    /// String literals of a text, each a range of bytes with its quotes.
    pub fn strings(self, text: &str) -> Vec<(usize, usize)> {
        match self {
            Form::C => {
                let tokens = lex_with_comments(text);
                let strings = tokens
                    .iter()
                    .filter(|token| token.kind == TokenKind::String);
                strings.map(|token| (token.start, token.end)).collect()
            }
            Form::Braces | Form::Hash => scan(text, self).strings,
            Form::Assembly | Form::Wasm => between(text, &[("\"", "\"")]),
            Form::Other => Vec::new(),
        }
    }

    /// Checks whether the brackets of a text match.
    pub fn balance(self, text: &str) -> Balance {
        match self {
            Form::C => balance_of_c(text),
            Form::Braces | Form::Hash => {
                // In code whose lines were joined a comment has lost its end.
                let scanned = scan(text, self);
                let is_one_line = text.trim().lines().count() <= 1;
                if scanned.is_unsure || is_one_line && !scanned.comments.is_empty() {
                    return Balance::Unknown;
                }
                let open = if scanned.is_open {
                    Balance::OpenLiteral
                } else {
                    Balance::Balanced
                };
                match fit(&scanned.brackets) {
                    Balance::Balanced => open,
                    other => other,
                }
            }
            Form::Assembly | Form::Wasm | Form::Other => Balance::Unknown,
        }
    }
}

/// The balance of the brackets of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balance {
    /// They fit.
    Balanced,
    /// Some are open at the end: the text may be cut.
    Missing,
    /// A bracket closes one that was never opened, or one of another kind; the byte of the bracket.
    Stray(usize),
    /// A string or a comment is open at the end.
    OpenLiteral,
    /// The balance cannot be determined.
    Unknown,
}

/// Returns `true` if a text is sentences: nine of ten words are of letters only, with the signs of sentences at their
/// ends, and no bracket of a block or assignment is in it.
fn is_prose(text: &str) -> bool {
    if text.contains(['{', '}', '=']) {
        return false;
    }
    let (mut all, mut plain) = (0_usize, 0_usize);
    for word in text.split_whitespace() {
        let word = word.trim_start_matches(['(', '"', '\'', '“', '‘']);
        let word = word.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', '"', '\'', '”', '’']);
        all += 1;
        let is_letter = |c: char| c.is_alphabetic() || matches!(c, '-' | '–' | '\'' | '’');
        let is_number = |c: char| c.is_ascii_digit() || matches!(c, '-' | '–' | ',' | '.' | '%');
        let is_word =
            !word.is_empty() && (word.chars().all(is_letter) || word.chars().all(is_number));
        plain += usize::from(is_word);
    }
    all >= 5 && plain * 10 >= all * 9
}

fn is_c(text: &str) -> bool {
    let marks = [
        "#include",
        "#define",
        "#if",
        "->",
        "::",
        "static ",
        "void ",
        "unsigned ",
        "struct ",
        "const ",
        "size_t",
        "int ",
    ];
    let foreign = [
        "func ",
        "public ",
        "private ",
        "function ",
        "=>",
        "var ",
        "let ",
        "fn ",
        ":= ",
        "package ",
        "$",
    ];
    let count = |words: &[&str]| words.iter().filter(|word| text.contains(**word)).count();
    count(&marks) > count(&foreign)
}

/// Returns `true` if a line is an instruction of x86, ARM or RISC-V, or a label.
fn is_instruction(line: &str) -> bool {
    const MNEMONICS: [&str; 60] = [
        "mov", "push", "pop", "call", "ret", "lea", "add", "sub", "jmp", "je", "jne", "jg", "jl",
        "jle", "jge", "ja", "jb", "cmp", "test", "xor", "and", "or", "nop", "endbr64", "leave",
        "imul", "mul", "shl", "shr", "sar", "sete", "setne", "movzx", "movsx", "cdqe", "bnd",
        "not", "neg", "inc", "dec", "ldr", "str", "stp", "ldp", "bl", "b", "adrp", "cbz", "cbnz",
        "mv", "li", "lw", "sw", "ld", "sd", "addi", "jal", "jalr", "auipc", "beqz",
    ];
    if line.ends_with(':') && !line.contains(' ') {
        return true;
    }
    let first = line
        .split(|c: char| c.is_whitespace())
        .next()
        .unwrap_or_default();
    let stem = first.trim_end_matches(['q', 'l', 'w']);
    let is_code = !line.ends_with([';', '{', '}']) && !line.contains(" = ");
    is_code
        && MNEMONICS.iter().any(|known| {
            *known == first
                || *known == stem
                || first.starts_with("movz")
                || first.starts_with("movs")
        })
}

/// Ranges from an opening to a closing mark; to the end where none closes. Each mark is searched for once more only
/// when the position where it was found is passed, so the time is that of reading.
fn between(text: &str, marks: &[(&str, &str)]) -> Vec<(usize, usize)> {
    let find = |from: usize, mark: &str| {
        let rest = text.get(from..)?;
        rest.find(mark).map(|place| from + place)
    };
    let mut found = Vec::new();
    let mut next: Vec<Option<usize>> = marks.iter().map(|(open, _)| find(0, open)).collect();
    loop {
        let first = next
            .iter()
            .enumerate()
            .filter_map(|(which, place)| place.map(|place| (place, which)))
            .min();
        let Some((start, which)) = first else {
            return found;
        };
        let (open, close) = marks[which];
        let end = find(start + open.len(), close).map_or(text.len(), |place| {
            place + if close == "\n" { 0 } else { close.len() }
        });
        found.push((start, end));
        for (place, (open, _)) in next.iter_mut().zip(marks) {
            if place.is_some_and(|place| place < end) {
                *place = find(end, open);
            }
        }
    }
}

/// Brackets of C, each `#else` passed over: only one branch of a condition is compiled.
fn balance_of_c(text: &str) -> Balance {
    let tokens = lex_with_comments(text);
    let mut brackets = Vec::new();
    let mut in_else: Vec<bool> = Vec::new();
    let mut line: Vec<&Token> = Vec::new();
    let mut is_open = false;
    let is_one_line = text.trim().lines().count() <= 1;
    for token in &tokens {
        if token.kind == TokenKind::Comment {
            let shown = token.text(text);
            if is_one_line && shown.starts_with("//") {
                return Balance::Unknown;
            }
            is_open |= shown.starts_with("/*") && (shown.len() < 4 || !shown.ends_with("*/"));
            continue;
        }
        if token.kind != TokenKind::Newline {
            line.push(token);
            continue;
        }
        one_line(text, &line, &mut in_else, &mut brackets);
        line.clear();
    }
    one_line(text, &line, &mut in_else, &mut brackets);
    match fit(&brackets) {
        Balance::Balanced if is_open => Balance::OpenLiteral,
        other => other,
    }
}

fn one_line(text: &str, line: &[&Token], in_else: &mut Vec<bool>, brackets: &mut Vec<(u8, usize)>) {
    if line.first().is_some_and(|token| token.text(text) == "#") {
        match line.get(1).map(|token| token.text(text)) {
            Some("if" | "ifdef" | "ifndef") => in_else.push(false),
            Some("else" | "elif") => {
                if let Some(last) = in_else.last_mut() {
                    *last = true;
                }
            }
            Some("endif") => {
                in_else.pop();
            }
            // A macro may hold half a bracket.
            _ => {}
        }
        return;
    }
    if in_else.contains(&true) {
        return;
    }
    for token in line
        .iter()
        .filter(|token| token.kind == TokenKind::Punctuator)
    {
        if let [byte @ (b'(' | b')' | b'[' | b']' | b'{' | b'}')] = token.text(text).as_bytes() {
            brackets.push((*byte, token.start));
        }
    }
}

fn fit(brackets: &[(u8, usize)]) -> Balance {
    let mut open = Vec::new();
    for &(bracket, at) in brackets {
        let wanted = match bracket {
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => {
                open.push(bracket);
                continue;
            }
        };
        if open.pop() != Some(wanted) {
            return Balance::Stray(at);
        }
    }
    if open.is_empty() {
        Balance::Balanced
    } else {
        Balance::Missing
    }
}

/// The result of the scanner for languages other than C.
#[derive(Debug, Default)]
struct Scanned {
    comments: Vec<(usize, usize)>,
    strings: Vec<(usize, usize)>,
    brackets: Vec<(u8, usize)>,
    /// A literal or a comment is open at the end.
    is_open: bool,
    /// Something could be read in two ways: a regular expression, a quote at the position of a comment.
    is_unsure: bool,
}

/// Returns `true` if `#{` at a place, not the first of its line, has its `}` on the line: Ruby's `of #{name}`.
fn is_inserted(text: &str, at: usize) -> bool {
    let Some((before, rest)) = text.split_at_checked(at) else {
        return false;
    };
    let before = before.rsplit('\n').next().unwrap_or_default();
    let line = rest.lines().next().unwrap_or_default();
    line.starts_with("#{")
        && !line.starts_with("#{{{")
        && line.contains('}')
        && !before.trim().is_empty()
}

fn scan(text: &str, form: Form) -> Scanned {
    let bytes = text.as_bytes();
    let mut found = Scanned::default();
    let mut at = 0;
    let starts = |at: usize, mark: &str| {
        bytes
            .get(at..)
            .is_some_and(|rest| rest.starts_with(mark.as_bytes()))
    };
    let find = |from: usize, mark: &str| {
        let mark = mark.as_bytes();
        bytes
            .get(from..)
            .and_then(|rest| rest.windows(mark.len()).position(|window| window == mark))
            .map(|place| from + place)
    };
    while at < bytes.len() {
        let byte = bytes[at];
        let end = match byte {
            // In heredocs and regular expressions of Ruby, which are not recognized as literals. A line that begins so
            // is code that was switched off, and `#{{{` is a fold mark.
            b'#' if form == Form::Hash && is_inserted(text, at) => {
                found.is_unsure = true;
                at += 1;
                continue;
            }
            b'#' if form == Form::Hash => line_end(bytes, at),
            b'/' if form == Form::Braces && starts(at, "//") => line_end(bytes, at),
            b'/' if form == Form::Braces && starts(at, "/*") => {
                let close = find(at + 2, "*/");
                found.is_open |= close.is_none();
                close.map_or(bytes.len(), |close| close + 2)
            }
            b'"' | b'\'' | b'`' => {
                let triple = ["\"\"\"", "'''"].into_iter().find(|mark| starts(at, mark));
                let end = match triple {
                    Some(mark) => find(at + 3, mark).map(|close| close + 3),
                    None => closing_quote(bytes, at, form),
                };
                // Lifetimes of Rust, apostrophes of prose, `%` formats of R's backquotes: no string, no verdict.
                if end.is_none() && (byte != b'"' || triple.is_none()) {
                    found.is_unsure = true;
                    at += 1;
                    continue;
                }
                found.is_open |= end.is_none();
                let end = end.unwrap_or(bytes.len());
                let inner = &bytes[at..end];
                // Code inside of strings (`${…}`, `#{…}`), and lifetimes of Rust that look like one.
                found.is_unsure |= inner
                    .windows(2)
                    .any(|pair| matches!(pair, b"${" | b"#{" | b"\\("))
                    || form == Form::Braces
                        && byte == b'\''
                        && inner.len() > 4
                        && inner.iter().any(|byte| b"()[]{}".contains(byte));
                found.strings.push((at, end));
                at = end;
                continue;
            }
            b'(' | b')' | b'[' | b']' | b'{' | b'}' => {
                found.brackets.push((byte, at));
                at += 1;
                continue;
            }
            // A division or a regular expression: `/[(]/`, `%r{…}`, `?(`.
            b'/' => {
                let before = bytes[..at]
                    .iter()
                    .rev()
                    .find(|byte| !byte.is_ascii_whitespace());
                found.is_unsure |= before.is_none_or(|byte| b"(=,:[!&|?{};~".contains(byte));
                at += 1;
                continue;
            }
            b'%' if form == Form::Hash
                && matches!(bytes.get(at + 1), Some(b'r' | b'q' | b'Q' | b'w' | b'W')) =>
            {
                found.is_unsure = true;
                at += 1;
                continue;
            }
            b'<' if starts(at, "<<")
                && bytes
                    .get(at + 2)
                    .is_some_and(|byte| byte.is_ascii_uppercase() || b"-~'\"".contains(byte)) =>
            {
                found.is_unsure = true;
                at += 1;
                continue;
            }
            _ => {
                at += 1;
                continue;
            }
        };
        found.comments.push((at, end));
        at = end.max(at + 1);
    }
    found
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    bytes[at..]
        .iter()
        .position(|&byte| byte == b'\n')
        .map_or(bytes.len(), |length| at + length)
}

/// One past the quote that closes; strings in backquotes, and all of R's and Ruby's, may go over lines.
fn closing_quote(bytes: &[u8], at: usize, form: Form) -> Option<usize> {
    let quote = bytes[at];
    let mut place = at + 1;
    while let Some(&byte) = bytes.get(place) {
        match byte {
            b'\\' if quote != b'`' => place += 1,
            b'\n' if quote != b'`' && form != Form::Hash => return None,
            _ if byte == quote => return Some(place + 1),
            _ => {}
        }
        place += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_inside_of_heredocs_of_ruby_is_no_comment_and_fold_marks_are() {
        let ruby = "text = <<~END\n  of #{name}\nEND\nx = 1 # one\n#{{{ fold\n";
        let comments = Form::Hash.comments(ruby).into_iter();
        let comments: Vec<Option<&str>> = comments.map(|(a, b)| ruby.get(a..b)).collect();
        assert_eq!(comments, [Some("# one"), Some("#{{{ fold")]);
        assert_eq!(Form::Hash.balance(ruby), Balance::Unknown);
        let python = "x = 1\n#{'a': don't}\ny = 2\n";
        assert_eq!(Form::Hash.comments(python), [(6, 19)]);
    }
}
