//! Texts that share a compiler's process without seeing each other.
//!
//! A text is its leading block (includes, and macros before them) and the rest. Texts of one block are compiled
//! after one copy of it, each rest separated from the others:
//!
//! - C++: each rest is in a name space of its own, which is also the target of `::`. In it, a name of the rest hides
//!   a name of the headers, whereas the text alone would clash with it or overload it; such texts, and others that a
//!   name space changes, are recognized by [`fits_name_space`] and stay alone.
//! - C: the preprocessor runs first, over all texts at once; then every name that is neither the language's nor
//!   the headers' gets an ending of its own ([`renamed`]). Texts that declare a name of the headers stay alone.
//!
//! Macros are restored after each text. Compiling a text alone costs only time, so doubtful texts are compiled alone.

use std::collections::BTreeSet;

use barecode_languages::library::is_known_to_compilers;
use barecode_languages::words::{WordKind, is_word};

use crate::token::{Kind, Token, directive, tokens};

/// The file name of a text in a shared process, with its number: `unit003.c`.
pub(crate) fn file_name(slot: usize, extension: &str) -> String {
    format!("unit{slot:03}.{extension}")
}

/// The number in a name of [`file_name`] at the start of a line.
pub(crate) fn slot_of(line: &str) -> Option<usize> {
    let digits = line.strip_prefix("unit")?.get(..3)?;
    line.get(7..)?;
    line.get(7..8).filter(|&next| next == ".")?;
    digits.parse().ok()
}

/// A text split into its leading block and the rest.
#[derive(Debug, Clone)]
pub(crate) struct Split<'t> {
    /// Only the includes, and the macros before and between them.
    pub(crate) block: &'t str,
    /// The text after the block.
    pub(crate) rest: &'t str,
    /// The line that the rest starts on, from 1.
    pub(crate) line: usize,
}

impl<'t> Split<'t> {
    pub(crate) fn of(text: &'t str) -> Split<'t> {
        let mut end = 0;
        for token in tokens(text) {
            if token.kind != Kind::Directive {
                break;
            }
            match directive(token.text).0 {
                "include" => {
                    end = token.end();
                    end += usize::from(text.as_bytes().get(end) == Some(&b'\n'));
                }
                "define" | "undef" => {}
                _ => break,
            }
        }
        let (block, rest) = text.split_at_checked(end).unwrap_or(("", text));
        Split {
            block,
            rest,
            line: 1 + block.bytes().filter(|&byte| byte == b'\n').count(),
        }
    }

    /// The rest for a compiler that has read the block elsewhere; line numbers do not change.
    pub(crate) fn after_header(&self, file: &str) -> String {
        format!("#line {} \"{file}\"\n{}", self.line, self.rest)
    }

    /// The macros that the rest defines or undefines.
    pub(crate) fn macros(&self) -> BTreeSet<&'t str> {
        let rest = tokens(self.rest).into_iter();
        rest.filter(|token| token.kind == Kind::Directive)
            .filter_map(|token| match directive(token.text) {
                ("define" | "undef", name) if !name.is_empty() => Some(name),
                _ => None,
            })
            .collect()
    }

    /// Returns `true` if the rest has no effect beyond its end whatever is done to it.
    pub(crate) fn is_contained(&self) -> bool {
        let odd = [
            "??",
            "%:",
            "<%",
            "%>",
            "barecode_",
            "__u0",
            "__COUNTER__",
            "\0",
        ];
        if odd.iter().any(|odd| self.rest.contains(odd)) {
            return false;
        }
        let tokens = tokens(self.rest);
        let plain = tokens.iter().all(|token| {
            token.kind != Kind::Directive
                || match directive(token.text) {
                    ("define", name) => {
                        !name.is_empty()
                            && is_balanced(&crate::token::tokens(
                                token.text.trim_start_matches('#'),
                            ))
                    }
                    ("undef", name) => !name.is_empty(),
                    _ => false,
                }
        });
        let pragma = tokens
            .iter()
            .any(|token| token.is("_Pragma") || token.is("__pragma"));
        plain && !pragma && is_balanced(&tokens) && !self.rest.trim_end().ends_with('\\')
    }
}

/// The facts about the text of a leading block.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    /// Every word in it.
    pub(crate) words: BTreeSet<Box<str>>,
    /// Words outside of all braces, those of `extern "C"` left out; reserved names are left out, for parameters
    /// have those.
    pub(crate) globals: BTreeSet<Box<str>>,
    /// Words outside of all braces but those of name spaces.
    pub(crate) spaced: BTreeSet<Box<str>>,
    /// Words after `struct`, `union`, `enum` and `class`.
    pub(crate) tags: BTreeSet<Box<str>>,
}

impl Facts {
    /// Reads a preprocessed block.
    pub(crate) fn of(preprocessed: &str) -> Facts {
        let mut facts = Facts::default();
        let tokens = tokens(preprocessed);
        let mut before: Option<Token<'_>> = None;
        let mut scopes = Scopes::default();
        let mut spaced = Scopes::default();
        for (at, token) in tokens.iter().enumerate() {
            scopes.step(&tokens, at, false);
            spaced.step(&tokens, at, true);
            if token.kind == Kind::Word {
                facts.words.insert(token.text.into());
                if before.is_some_and(|before| is_tag_word(before.text)) {
                    facts.tags.insert(token.text.into());
                }
                if spaced.outside() && !is_keyword(token.text) {
                    facts.spaced.insert(token.text.into());
                }
                if scopes.outside() && !token.text.starts_with("__") && !is_keyword(token.text) {
                    facts.globals.insert(token.text.into());
                }
            }
            before = Some(*token);
        }
        facts
    }
}

/// The braces around a position that matter.
#[derive(Debug, Default)]
struct Scopes {
    /// For each open brace, whether names inside count as names outside.
    open: Vec<bool>,
}

impl Scopes {
    /// Passes the token at `at`; with `spaces`, name spaces count as outside.
    fn step(&mut self, tokens: &[Token<'_>], at: usize, spaces: bool) {
        let token = &tokens[at];
        if token.is("{") {
            let back = |steps: usize| at.checked_sub(steps).map(|at| &tokens[at]);
            let linkage = back(1).is_some_and(|text| text.kind == Kind::Text)
                && back(2).is_some_and(|word| word.is("extern"));
            let space = spaces && opens_space(tokens, at);
            let enumeration = opens_enumeration(tokens, at);
            self.open.push(linkage || space || enumeration);
        } else if token.is("}") {
            self.open.pop();
        }
    }

    fn outside(&self) -> bool {
        self.open.iter().all(|&transparent| transparent)
    }
}

/// Returns `true` if the brace at `at` belongs to a `namespace`, which may have attributes: those of the standard
/// library do.
fn opens_space(tokens: &[Token<'_>], at: usize) -> bool {
    tokens[..at]
        .iter()
        .rev()
        .take(24)
        .take_while(|token| match token.kind {
            Kind::Word | Kind::Text => true,
            _ => ["::", "[", "]", "(", ")"].iter().any(|mark| token.is(mark)),
        })
        .any(|token| token.is("namespace"))
}

/// Returns `true` if the brace at `at` belongs to an `enum` whose names are seen outside of it.
fn opens_enumeration(tokens: &[Token<'_>], at: usize) -> bool {
    let mut head = tokens[..at]
        .iter()
        .rev()
        .take(12)
        .take_while(|token| token.kind == Kind::Word || token.is(":") || token.is("::"));
    head.any(|token| token.is("enum"))
}

fn is_tag_word(word: &str) -> bool {
    matches!(word, "struct" | "union" | "enum" | "class")
}

fn is_balanced(tokens: &[Token<'_>]) -> bool {
    let mut open = Vec::new();
    for token in tokens.iter().filter(|token| token.kind == Kind::Mark) {
        match token.text {
            "(" | "[" | "{" => open.push(token.text),
            ")" | "]" | "}" => {
                let opened = match token.text {
                    ")" => "(",
                    "]" => "[",
                    _ => "{",
                };
                if open.pop() != Some(opened) {
                    return false;
                }
            }
            _ => {}
        }
    }
    open.is_empty()
}

/// The names that a text may declare outside of all braces; rather too many than too few. With `spaces`, those
/// that it declares in name spaces too.
fn declared<'t>(tokens: &[Token<'t>], spaces: bool) -> BTreeSet<&'t str> {
    let mut names = BTreeSet::new();
    let mut scopes = Scopes::default();
    let mut parens = 0_usize;
    let mut using = false;
    for (at, token) in tokens.iter().enumerate() {
        scopes.step(tokens, at, spaces);
        if !scopes.outside() {
            continue;
        }
        let next = tokens.get(at + 1);
        let next_is =
            |marks: &[&str]| next.is_some_and(|next| marks.iter().any(|mark| next.is(mark)));
        let before =
            |steps: usize, text: &str| at.checked_sub(steps).is_some_and(|at| tokens[at].is(text));
        match token.kind {
            Kind::Mark => match token.text {
                "(" => parens += 1,
                ")" => parens = parens.saturating_sub(1),
                ";" | "{" | "}" => {
                    using = false;
                    parens = 0;
                }
                _ => {}
            },
            Kind::Word if token.text == "using" => using = true,
            Kind::Word if is_keyword(token.text) || (using && before(1, "namespace")) => {}
            Kind::Word => {
                let qualified = before(1, "::") && !using;
                let argument = before(1, "<") || next_is(&[">"]);
                let declarator = parens == 0
                    && (next.is_none()
                        || next_is(&["(", ";", "=", ",", "[", "{", "}", ":"])
                        || next.is_some_and(|next| next.kind == Kind::Text))
                    && !qualified
                    && !argument;
                let pointed = parens > 0
                    && ((before(1, "*") || before(1, "&"))
                        && (before(2, "(") || before(2, "*") || before(2, "::"))
                        || before(1, "(") && next_is(&[")"]) && parens == 1)
                    && next_is(&[")", "(", "["]);
                let tagged = at
                    .checked_sub(1)
                    .is_some_and(|at| is_tag_word(tokens[at].text))
                    && next_is(&["{", ";", ":"]);
                if declarator || pointed || tagged {
                    names.insert(token.text);
                }
            }
            Kind::Directive | Kind::Number | Kind::Text => {}
        }
    }
    names
}

/// Returns `true` if a text of C++ means the same in a name space of its own.
pub(crate) fn fits_name_space(split: &Split<'_>, facts: &Facts) -> bool {
    let mut tokens = tokens(split.rest);
    let directives: Vec<Token<'_>> = tokens
        .iter()
        .copied()
        .filter(|token| token.kind == Kind::Directive)
        .collect();
    tokens.retain(|token| token.kind != Kind::Directive);
    let bodies: Vec<(&str, Vec<Token<'_>>)> = directives
        .iter()
        .filter_map(|line| match directive(line.text) {
            ("define", name) => {
                let body = crate::token::tokens(line.text.trim_start_matches('#'));
                Some((name, body))
            }
            _ => None,
        })
        .collect();
    // The body of the text's macros is treated as part of the text.
    let own = |word: &str| bodies.iter().find(|(name, _)| *name == word);
    let all = || {
        tokens
            .iter()
            .chain(bodies.iter().flat_map(|(_, body)| body))
    };
    let odd = |token: &Token<'_>| {
        matches!(
            token.text,
            "main"
                | "__PRETTY_FUNCTION__"
                | "__FUNCSIG__"
                | "source_location"
                | "module"
                | "import"
                | "export"
        )
    };
    if all().any(|token| token.kind == Kind::Word && odd(token)) {
        return false;
    }
    let globals = |word: &str| facts.globals.contains(word);
    let runs = std::iter::once(&tokens).chain(bodies.iter().map(|(_, body)| body));
    let mut directed = false;
    for run in runs {
        for (at, token) in run.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| &run[at]);
            let next = run.get(at + 1);
            if token.is("::") && root_at(run, at, facts) == Some(Root::Doubtful) {
                return false;
            }
            if token.is("namespace") {
                if next.is_some_and(|next| next.is("std") || next.is("__gnu_cxx"))
                    && !before.is_some_and(|before| before.is("using"))
                {
                    return false;
                }
                directed |= before.is_some_and(|before| before.is("using"));
            }
            if token.is("sizeof") && run.get(at + 2).is_some_and(tells_place) {
                return false;
            }
        }
    }
    let outside = |spaces: bool| -> BTreeSet<&str> {
        let mut names = declared(&tokens, spaces);
        let mut scopes = Scopes::default();
        for (at, token) in tokens.iter().enumerate() {
            scopes.step(&tokens, at, spaces);
            if scopes.outside()
                && token.kind == Kind::Word
                && let Some((_, body)) = own(token.text)
            {
                let words = body.iter().filter(|token| token.kind == Kind::Word).skip(2);
                names.extend(words.map(|word| word.text));
                let arguments = tokens.get(at + 1..).unwrap_or_default().iter();
                let arguments = arguments.take_while(|token| !token.is(";") && !token.is("{"));
                names.extend(
                    arguments
                        .filter(|token| token.kind == Kind::Word)
                        .map(|token| token.text),
                );
            }
        }
        names
    };
    if outside(false).into_iter().any(globals) {
        return false;
    }
    if replaces_allocation(&tokens) {
        return false;
    }
    // A name that a directive introduces would be ambiguous beside one of the text; in a name space it is hidden.
    !directed
        || !outside(true)
            .into_iter()
            .any(|name| facts.words.contains(name))
}

/// The name after a `::` that is not qualified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// A name of the headers or the language.
    Known,
    /// A name that only the text itself can have declared.
    Own,
    /// A name of unknown origin.
    Doubtful,
}

/// The root of the `::` at `at`; `None` if it is qualified.
fn root_at(tokens: &[Token<'_>], at: usize, facts: &Facts) -> Option<Root> {
    let before = at.checked_sub(1).map(|at| &tokens[at]);
    if before.is_some_and(|before| {
        (before.kind == Kind::Word && !is_keyword(before.text)) || before.is(">")
    }) {
        return None;
    }
    let next = |steps: usize| tokens.get(at + steps);
    let allocates = |steps: usize| next(steps).is_some_and(|it| it.is("new") || it.is("delete"));
    Some(match next(1) {
        Some(next)
            if facts.globals.contains(next.text) || next.is("std") || next.is("__gnu_cxx") =>
        {
            Root::Known
        }
        // A text that has its own of these stays alone for another reason.
        Some(next) if allocates(1) || (next.is("operator") && allocates(2)) => Root::Known,
        // Behind a bracket this may qualify: `decltype(a)::b`.
        Some(next)
            if next.kind == Kind::Word
                && !is_keyword(next.text)
                && !before.is_some_and(|before| before.is(")")) =>
        {
            Root::Own
        }
        _ => Root::Doubtful,
    })
}

/// A text of C++ as it is written in the name space `space`: `::name` becomes `::space::name` where the text itself
/// declares the name.
pub(crate) fn rooted(text: &str, facts: &Facts, space: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let all = tokens(text);
    let mut put = |upto: usize, more: &str| {
        out.push_str(text.get(from..upto).unwrap_or_default());
        out.push_str(more);
        from = upto;
    };
    let code: Vec<Token<'_>> = all
        .iter()
        .copied()
        .filter(|token| token.kind != Kind::Directive)
        .collect();
    let mut places: Vec<usize> = (0..code.len())
        .filter(|&at| code[at].is("::") && root_at(&code, at, facts) == Some(Root::Own))
        .map(|at| code[at].end())
        .collect();
    for line in all.iter().filter(|token| token.kind == Kind::Directive) {
        let body = line.text.trim_start_matches('#');
        let start = line.end() - body.len();
        let body = tokens(body);
        let own = (0..body.len())
            .filter(|&at| body[at].is("::") && root_at(&body, at, facts) == Some(Root::Own));
        places.extend(own.map(|at| start + body[at].end()));
    }
    places.sort_unstable();
    for place in places {
        put(place, &format!("{space}::"));
    }
    put(text.len(), "");
    out
}

fn tells_place(token: &Token<'_>) -> bool {
    matches!(token.text, "__func__" | "__FUNCTION__" | "__FILE__")
}

/// Returns `true` if the global `operator new` or `operator delete` occurs outside of braces.
fn replaces_allocation(tokens: &[Token<'_>]) -> bool {
    let mut depth = 0_usize;
    tokens.windows(2).any(|pair| {
        if pair[0].is("{") {
            depth += 1;
        } else if pair[0].is("}") {
            depth = depth.saturating_sub(1);
        }
        depth == 0 && pair[0].is("operator") && (pair[1].is("new") || pair[1].is("delete"))
    })
}

/// A preprocessed text of C with an ending at each name of its own; `None` if it must stay alone.
///
/// `lines` are the text's, with the preprocessor's line marks in between.
pub(crate) fn renamed(lines: &str, facts: &Facts, ending: &str) -> Option<String> {
    let tokens = tokens(lines);
    let code: Vec<Token<'_>> = tokens
        .iter()
        .copied()
        .filter(|token| token.kind != Kind::Directive)
        .collect();
    let marks_only = tokens
        .iter()
        .filter(|token| token.kind == Kind::Directive)
        .all(|token| {
            token
                .text
                .trim_start_matches(['#', ' '])
                .starts_with(|c: char| c.is_ascii_digit())
        });
    if !marks_only || !is_balanced(&code) {
        return None;
    }
    let known = |word: &str| facts.words.contains(word);
    if declared(&code, false).into_iter().any(known) {
        return None;
    }
    let mut enumeration = Vec::new();
    for (at, token) in code.iter().enumerate() {
        let next = code.get(at + 1);
        if token.is("{") {
            enumeration.push(opens_enumeration(&code, at));
        } else if token.is("}") {
            enumeration.pop();
        }
        if token.kind != Kind::Word {
            continue;
        }
        if matches!(token.text, "asm" | "__asm" | "__asm__" | "main") {
            return None;
        }
        if token.is("sizeof")
            && code.get(at + 2).is_some_and(|token| {
                tells_place(token) || (token.kind == Kind::Text && token.text.contains("unit"))
            })
        {
            return None;
        }
        if is_tag_word(token.text)
            && let Some(tag) = next.filter(|tag| tag.kind == Kind::Word && known(tag.text))
            && (!facts.tags.contains(tag.text)
                || code.get(at + 2).is_some_and(|brace| brace.is("{")))
        {
            return None;
        }
        if enumeration.last() == Some(&true) && known(token.text) && !is_keyword(token.text) {
            return None;
        }
        if is_known_to_compilers(token.text) && !known(token.text) {
            return None;
        }
    }
    let mut out = String::with_capacity(lines.len() * 2);
    let mut from = 0;
    let mut attribute = None;
    let mut depth = 0_usize;
    for token in &tokens {
        out.push_str(lines.get(from..token.end())?);
        from = token.end();
        if token.is("(") {
            depth += 1;
        } else if token.is(")") {
            depth = depth.saturating_sub(1);
            if attribute == Some(depth) {
                attribute = None;
            }
        } else if token.is("__attribute__") || token.is("__attribute") || token.is("__declspec") {
            attribute = attribute.or(Some(depth));
        } else if token.kind == Kind::Word
            && attribute.is_none()
            && !is_keyword(token.text)
            && !known(token.text)
        {
            out.push_str(ending);
        }
    }
    out.push_str(lines.get(from..)?);
    Some(out)
}

/// The words of C and C++ and of their compilers, which must not be renamed.
pub(crate) fn is_keyword(word: &str) -> bool {
    const KINDS: WordKind = WordKind::C17
        .or(WordKind::CPP20)
        .or(WordKind::C23)
        .or(WordKind::ALTERNATIVE)
        .or(WordKind::CONTEXTUAL)
        .or(WordKind::COMPILER)
        .or(WordKind::RARE);
    let prefixes = ["__builtin_", "__sync_", "__atomic_", "__is_", "__has_"];
    is_word(word, KINDS) || prefixes.iter().any(|prefix| word.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_ends_after_its_last_include() {
        let text = "#define _GNU_SOURCE\n#include <stdio.h>\n\n#include <a.h>\n#define X 1\nint f;\n#include <b.h>\n";
        let split = Split::of(text);
        assert_eq!(
            split.block,
            "#define _GNU_SOURCE\n#include <stdio.h>\n\n#include <a.h>\n"
        );
        assert_eq!(split.line, 5);
        assert!(!split.is_contained());
        assert_eq!(Split::of("int f;").block, "");
        assert_eq!(split.macros().into_iter().collect::<Vec<_>>(), ["X"]);
    }

    #[test]
    fn what_reaches_beyond_a_text_keeps_it_alone() {
        for text in [
            "int f(void) {",
            "int f; }",
            "#if X\nint f;\n#endif",
            "#pragma pack(1)\nint f;",
            "#define OPEN {\nint f;",
            "_Pragma(\"x\") int f;",
            "int barecode_u;",
            "#error x",
            "#include \"x.h\"x\nint f;\n#include <a.h>",
        ] {
            assert!(!Split::of(text).is_contained(), "{text}");
        }
        assert!(Split::of("#define A(x) { x }\nint f(void) { A(1;) return 0; }").is_contained());
    }

    fn names(text: &str) -> Vec<&str> {
        declared(&tokens(text), false).into_iter().collect()
    }

    #[test]
    fn declared_names_are_found() {
        assert_eq!(names("size_t f(FILE *a, int b) { int c; }"), ["f"]);
        assert_eq!(
            names("int (*g)(int), h[3], i = 4; struct s { int t; } u;"),
            ["g", "h", "i", "s", "u"]
        );
        assert_eq!(
            names("enum e { A, B = 2 } v; typedef int w;"),
            ["A", "B", "e", "v", "w"]
        );
        assert_eq!(
            names("void a::b(int) {} using std::c; int (d)(void);"),
            ["c", "d"]
        );
        assert_eq!(
            names("std::map<x, y> z; extern \"C\" { int k; } namespace n { int l; }"),
            ["k", "n", "x", "z"]
                .into_iter()
                .filter(|name| *name != "x")
                .collect::<Vec<_>>()
        );
    }

    fn fits(text: &str) -> bool {
        let facts = Facts::of(
            "extern \"C\" { int puts(const char *__s); struct tm { int tm_sec; }; } namespace std { int count; using ::puts; }",
        );
        let split = Split::of(text);
        split.is_contained() && fits_name_space(&split, &facts)
    }

    #[test]
    fn what_a_name_space_would_change_stays_alone() {
        for text in [
            "int puts(int a) { return a; }",
            "struct tm; tm *f();",
            "int f(int a) { return decltype(a)::g; }",
            "struct s; bool f(s *a) { return ::operator==(*a, *a); }",
            "namespace std { int f(); }",
            "int main() {}",
            "using namespace std; int count; int f() { return count; }",
            "namespace a { int count; } using namespace a; int f() { return count; }",
            "#define D(x) int x;\nD(puts)",
            "#define D int puts;\nD",
            "void *operator new(unsigned long);",
            "int f() { return sizeof(__func__); }",
        ] {
            assert!(!fits(text), "{text}");
        }
        for text in [
            "int f(tm *t) { return ::puts(\"\") + t->tm_sec; }",
            "int g; int f() { return ::g; }",
            "void *f() { return ::operator new(1); }",
            "namespace a { int puts(); struct b { void *operator new(unsigned long); }; }",
            "using namespace std; int f() { return count; }",
            "#define D(x) int x;\nD(k) int f() { return k; }",
            "std::string a::f(int b) { return {}; }",
        ] {
            assert!(fits(text), "{text}");
        }
    }

    #[test]
    fn a_text_that_names_its_own_from_the_root_is_given_another_root() {
        let facts = Facts::of("int puts(const char *s);");
        assert_eq!(
            rooted(
                "#define G (::g)\nstruct g; struct s { friend struct ::g; }; int f() { return ::puts(\"::g\") + a::g + G + ::std::x; }",
                &facts,
                "n"
            ),
            "#define G (::n::g)\nstruct g; struct s { friend struct ::n::g; }; int f() { return ::puts(\"::g\") + a::g + G + ::std::x; }"
        );
    }

    fn ended(text: &str) -> Option<String> {
        renamed(
            text,
            &Facts::of("int puts(const char *s); struct tm { int tm_sec; };"),
            "_1",
        )
    }

    #[test]
    fn names_of_a_text_get_an_ending_and_others_do_not() {
        assert_eq!(
            ended("# 1 \"unit.c\"\nstatic int f(struct tm *t) __attribute__((pure(x)));\nint g = \"g\"[0] + L'g';").as_deref(),
            Some("# 1 \"unit.c\"\nstatic int f_1(struct tm *t_1) __attribute__((pure(x)));\nint g_1 = \"g\"[0] + L'g';")
        );
    }

    #[test]
    fn a_text_of_c_that_declares_a_word_of_the_headers_stays_alone() {
        for text in [
            "int s;",
            "struct s *f(void);",
            "struct tm { int a; };",
            "enum { s };",
            "int f(void) { enum { tm_sec = 1 }; return 0; }",
            "int strlen(const char *);",
            "__asm__(\"\");",
            "#pragma pack\nint f;",
            "int f(void) {",
            "int puts(const char *);",
            "int f(void) { return sizeof(__func__); }",
        ] {
            assert_eq!(ended(text), None, "{text}");
        }
        assert!(ended("int f(int s) { struct { int s; } tm_sec; return s; }").is_some());
    }
}
