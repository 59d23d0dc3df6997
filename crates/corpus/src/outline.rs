//! A file → the functions that a reader would see, by brackets alone.
//!
//! The parser knows more and can lose more: one token that it does not expect may remove the functions behind it as
//! well. A function that is found here and has no row yet gets one, so that everything a reader sees is kept or set
//! aside. Names and ranges are good enough to find the position; nothing is built from them.

use std::ops::Range;

use barecode_languages::lex::{Token, TokenKind, lex};

use crate::preprocess::directive::{DirectiveKind, Lines};

/// Tokens of a declaration beyond this are not looked at.
const LONGEST_HEAD: usize = 2_000;

/// Something that looks like a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Outlined {
    pub(crate) name: String,
    /// From its first word to the closing brace.
    pub(crate) range: Range<usize>,
    /// The opening brace of its body.
    pub(crate) open: usize,
}

/// The functions of a file in the order of their ends, in every branch of its conditionals.
pub(crate) fn functions(text: &str, lines: &Lines) -> Vec<Outlined> {
    let mut walk = Walk {
        text,
        state: State::default(),
        found: Vec::new(),
    };
    let mut conditionals: Vec<(State, Option<State>)> = Vec::new();
    let mut next = 0;
    for directive in &lines.directives {
        walk.tokens(&lines.tokens[next..directive.first]);
        next = directive.tokens.end;
        match directive.kind {
            DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                conditionals.push((walk.state.clone(), None));
            }
            DirectiveKind::Endif => {
                // The first branch decides how it goes on.
                if let Some((_, Some(first))) = conditionals.pop() {
                    let ended = std::mem::replace(&mut walk.state, first);
                    walk.cut(ended, directive.start);
                }
            }
            _ if directive.kind.is_conditional() => {
                if let Some((before, first)) = conditionals.last_mut() {
                    let ended = std::mem::replace(&mut walk.state, before.clone());
                    match first {
                        Some(_) => walk.cut(ended, directive.start),
                        None => *first = Some(ended),
                    }
                }
            }
            _ => {}
        }
    }
    walk.tokens(&lines.tokens[next..]);
    let mut found = walk.found;
    found.sort_by_key(|function| function.open);
    found.dedup_by_key(|function| function.open);
    found
}

#[derive(Debug, Clone, Default)]
struct State {
    /// The tokens since the last declaration ended, outside of bodies.
    head: Vec<Token>,
    /// A definition of C before its standard, whose parameters are being declared.
    old_style: Option<Outlined>,
    /// The function whose body is open; `None` for an initializer.
    function: Option<Outlined>,
    /// Number of braces that are open in the skipped text; 0 outside.
    skipped: usize,
    parentheses: usize,
}

struct Walk<'a> {
    text: &'a str,
    state: State,
    found: Vec<Outlined>,
}

impl Walk<'_> {
    /// A later branch ended: a function whose body goes on behind it is known by its head alone.
    fn cut(&mut self, ended: State, end: usize) {
        let known = self.state.function.as_ref().map(|function| function.open);
        if let Some(mut function) = ended.function.filter(|it| Some(it.open) != known) {
            function.range.end = end;
            self.found.push(function);
        }
    }

    fn tokens(&mut self, tokens: &[Token]) {
        for (at, &token) in tokens.iter().enumerate() {
            let joined = |other: &str| {
                let next = tokens.get(at + 1);
                next.is_some_and(|next| next.start == token.end && next.text(self.text) == other)
            };
            let shown = match token.text(self.text) {
                "<" if joined("%") => "{",
                "%" if joined(">") => "}",
                shown => shown,
            };
            self.token(token, shown);
        }
    }

    fn token(&mut self, token: Token, shown: &str) {
        let is_label = shown == ":" && self.is_label();
        let state = &mut self.state;
        if state.skipped > 0 {
            match shown {
                "{" => state.skipped += 1,
                "}" => state.skipped -= 1,
                _ => {}
            }
            if state.skipped == 0
                && let Some(mut function) = state.function.take()
            {
                function.range.end = token.end;
                self.found.push(function);
                state.head.clear();
            }
            return;
        }
        match shown {
            "{" if state.parentheses > 0 => state.skipped = 1,
            "{" => self.open(token),
            // A quote that is not closed ends the declaration with its line.
            _ if token.kind == TokenKind::String && !is_closed(shown) => state.head.clear(),
            "}" | ";" if shown == "}" || state.parentheses == 0 => {
                let head = std::mem::take(&mut state.head);
                state.parentheses = 0;
                self.ended(&head, shown);
            }
            _ if is_label => state.head.clear(),
            _ => {
                match shown {
                    "(" => state.parentheses += 1,
                    ")" => state.parentheses = state.parentheses.saturating_sub(1),
                    _ => {}
                }
                // A longer head is a table.
                if state.head.len() < LONGEST_HEAD {
                    state.head.push(token);
                }
            }
        }
    }

    /// `public:`
    fn is_label(&self) -> bool {
        let head = &self.state.head;
        let first = head.first().map(|token| token.text(self.text));
        matches!(first, Some("public" | "private" | "protected")) && head.len() <= 2
    }

    /// A declaration ended without a body.
    fn ended(&mut self, head: &[Token], shown: &str) {
        let state = &mut self.state;
        if shown == "}" {
            state.old_style = None;
            return;
        }
        // `int f(a, b) int a;`: a declaration begins behind the parentheses.
        let parsed = Head::of(head, self.text);
        if let Some((name, close)) = &parsed.call {
            let behind = head.get(close + 1..).unwrap_or_default();
            let words = behind
                .iter()
                .filter(|token| token.kind == TokenKind::Identifier);
            let attribute = behind
                .iter()
                .any(|token| token.text(self.text).starts_with("__a"));
            state.old_style = (words.count() >= 2 && !attribute).then(|| Outlined {
                name: name.clone(),
                range: head.first().map_or(0, |token| token.start)..0,
                open: 0,
            });
        }
    }

    fn open(&mut self, brace: Token) {
        let state = &mut self.state;
        let parsed = Head::of(&state.head, self.text);
        let start = state.head.first().map_or(brace.start, |token| token.start);
        match parsed.kind {
            HeadKind::Scope => {
                state.head.clear();
                state.old_style = None;
            }
            HeadKind::Value => state.skipped = 1,
            HeadKind::Function => {
                let name = parsed.call.map(|(name, _)| name).unwrap_or_default();
                state.skipped = 1;
                state.function = Some(Outlined {
                    name,
                    range: start..start,
                    open: brace.start,
                });
                state.old_style = None;
            }
            HeadKind::Other => {
                state.skipped = 1;
                let old_style = state.old_style.take().filter(|_| state.head.is_empty());
                state.function = old_style.map(|function| Outlined {
                    open: brace.start,
                    ..function
                });
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum HeadKind {
    /// A namespace, a class, `extern "C"`.
    Scope,
    /// An initializer or enumerators.
    Value,
    Function,
    Other,
}

/// The text before a brace.
struct Head {
    kind: HeadKind,
    /// The name before the first parentheses, and the token that closes them.
    call: Option<(String, usize)>,
}

impl Head {
    fn of(head: &[Token], text: &str) -> Head {
        let shown = |at: usize| head.get(at).map_or("", |token| token.text(text));
        let mut call = None;
        let mut class = false;
        let (mut angles, mut at) = (0_usize, 0);
        let mut assigned = false;
        let mut initializes = false;
        let mut enumerates = false;
        while at < head.len() {
            match shown(at) {
                "namespace" => return Head::named(HeadKind::Scope),
                "extern" if head.len() == at + 2 && head[at + 1].kind == TokenKind::String => {
                    return Head::named(HeadKind::Scope);
                }
                // The text between the angles of `template <…>` does not matter.
                "<" if angles > 0 || shown(at.wrapping_sub(1)) == "template" => angles += 1,
                ">" if angles > 0 => angles -= 1,
                ">>" if angles > 0 => angles = angles.saturating_sub(2),
                "(" => {
                    let close = closing(head, at, text);
                    let first = call.is_none() || is_declared_behind(head, call.as_ref(), at, text);
                    if angles == 0 && first && !assigned {
                        call = name_before(head, at, text).map(|name| (name, close));
                    }
                    at = close;
                }
                _ if angles > 0 => {}
                "operator" => {
                    // `operator()(int a)`, `operator=(…)`, `operator bool() const`
                    let open = (at + 1..head.len()).find(|&open| {
                        shown(open) == "(" && !(open == at + 1 && shown(open + 1) == ")")
                    });
                    let open = open.filter(|&open| open > at + 1);
                    if let Some(open) = open
                        && call.is_none()
                    {
                        let symbol = text.get(head[at].end..head[open].start);
                        let symbol = symbol.unwrap_or_default().trim();
                        let blank = symbol.starts_with(|c: char| c.is_alphabetic());
                        let blank = if blank { " " } else { "" };
                        let close = closing(head, open, text);
                        call = Some((format!("operator{blank}{symbol}"), close));
                        at = close;
                    }
                }
                "=" => assigned = true,
                "enum" => enumerates = call.is_some() || !has_call_behind(head, at, text),
                // Before a class the call is a macro's.
                "class" | "struct" | "union" => {
                    class = true;
                    call = None;
                }
                // `class A : B<size_t(1)> {`
                ":" if class && call.is_none() => return Head::named(HeadKind::Scope),
                // Before the name it ends a label: `public: int f() const {`.
                ":" => initializes = call.is_some(),
                _ => {}
            }
            at += 1;
        }
        let last = head.last();
        let word = last.is_some_and(|last| last.kind == TokenKind::Identifier);
        let kind = match &call {
            _ if assigned || enumerates => HeadKind::Value,
            // `A() : first{1}, second{2} {}`
            Some(_) if initializes && (word || shown(head.len() - 1) == ">") => HeadKind::Value,
            // `class EXPORT(1) Name {` ends with a name; `struct A f() const {` with a word of the language.
            Some((_, close)) if class && word && !ends_head(shown(head.len() - 1)) => {
                let arrow = (*close..head.len()).any(|at| shown(at) == "->");
                if arrow {
                    HeadKind::Function
                } else {
                    HeadKind::Scope
                }
            }
            Some(_) => HeadKind::Function,
            None if class => HeadKind::Scope,
            None => HeadKind::Other,
        };
        Head { kind, call }
    }

    fn named(kind: HeadKind) -> Head {
        Head { kind, call: None }
    }
}

fn is_closed(literal: &str) -> bool {
    literal.matches('"').count() >= 2
}

/// Returns `true` if a type and a name are between a call and the parenthesis at `open`: `REGISTER(x) static int f(`.
fn is_declared_behind(
    head: &[Token],
    call: Option<&(String, usize)>,
    open: usize,
    text: &str,
) -> bool {
    let Some((_, close)) = call else { return false };
    let between = head.get(close + 1..open).unwrap_or_default();
    let words = between
        .iter()
        .filter(|token| token.kind == TokenKind::Identifier && !ends_head(token.text(text)));
    let plain = |token: &Token| {
        token.kind == TokenKind::Identifier || matches!(token.text(text), "*" | "&" | "::")
    };
    words.count() >= 2 && between.iter().all(plain)
}

/// Returns `true` if the brace at a byte opens the body of a function, by the text before it.
pub(crate) fn opens_function(text: &str, brace: usize) -> bool {
    const FARTHEST: usize = 4_000;
    let bytes = text.as_bytes().get(..brace).unwrap_or_default();
    let nearest = brace.saturating_sub(FARTHEST);
    let near = bytes.get(nearest..).unwrap_or_default();
    let start = near
        .iter()
        .rposition(|byte| matches!(byte, b';' | b'{' | b'}'));
    let start = nearest + start.map_or(0, |at| at + 1);
    let Some(head) = text.get(start..brace) else {
        return false;
    };
    let mut tokens = lex(head);
    tokens.retain(|token| token.kind != TokenKind::Newline);
    Head::of(&tokens, head).kind == HeadKind::Function
}

/// Returns `true` if parentheses follow: `enum color f(int a) {`.
fn has_call_behind(head: &[Token], at: usize, text: &str) -> bool {
    head.iter().skip(at).any(|token| token.text(text) == "(")
}

fn ends_head(word: &str) -> bool {
    matches!(
        word,
        "const" | "noexcept" | "override" | "final" | "try" | "volatile"
    )
}

/// The token that closes the parenthesis at `open`, or the last one.
fn closing(head: &[Token], open: usize, text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, token) in head.iter().enumerate().skip(open) {
        match token.text(text) {
            "(" => depth += 1,
            ")" => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at;
                }
            }
            _ => {}
        }
    }
    head.len().saturating_sub(1)
}

/// The name that a parameter list at `open` belongs to; `None` for attributes and the like.
fn name_before(head: &[Token], open: usize, text: &str) -> Option<String> {
    const NOT_NAMES: [&str; 16] = [
        "alignas",
        "decltype",
        "__attribute__",
        "__attribute",
        "__declspec",
        "noexcept",
        "throw",
        "explicit",
        "if",
        "for",
        "while",
        "switch",
        "return",
        "sizeof",
        "requires",
        "catch",
    ];
    let before = head.get(open.checked_sub(1)?)?;
    let name = before.text(text);
    if before.kind == TokenKind::Identifier && !NOT_NAMES.contains(&name) {
        let tilde = open.checked_sub(2).map(|at| head[at].text(text)) == Some("~");
        return Some(if tilde {
            format!("~{name}")
        } else {
            name.to_owned()
        });
    }
    // `Vector<int>(…)` of a specialization
    if name == ">" {
        let mut depth = 0_usize;
        for at in (0..open).rev() {
            match head[at].text(text) {
                ">" => depth += 1,
                "<" => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return name_before(head, at, text);
                    }
                }
                _ => {}
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let found = functions(text, &Lines::of(text)).into_iter();
        found.map(|function| function.name).collect()
    }

    #[test]
    fn what_looks_like_a_function_is_found_by_brackets() {
        let c = "int f(int a) { if (a) { } return 1; }\nint t[] = { 1, 2 };\nstruct s { int x; } v = { 3 };\nenum e { A, B };\nint k(a, b) int a; char *b; { return a; }\nint p(int);\nint d(int a) <% return a; %>\n__attribute__((noinline)) int g(void) { return 2; }\nstruct s *h(struct s *x) { return x; }\n";
        assert_eq!(names(c), ["f", "k", "d", "g", "h"]);
        let cpp = "namespace a { template <class T = int> class B : public C<T> { public: B() : x{1}, y(2) {} ~B() {}; bool operator==(B b) const { return x == b.x; } int operator()(int a) { return a; } operator bool() const { return 1; }\nprivate: int x; }; }\nMACRO(x) enum class E { A };\nstruct F : G<bool(1)> { int n() { return 1; } };\nextern \"C\" { int c() { return 0; } }\nauto B::m(int a) const -> int { return a; }\nauto l = [](int a) { return a; };\ntemplate <> int t<int>(int a) { return a; }\n";
        assert_eq!(
            names(cpp),
            [
                "B",
                "~B",
                "operator==",
                "operator()",
                "operator bool",
                "n",
                "c",
                "m",
                "t"
            ]
        );
    }

    #[test]
    fn every_branch_of_a_conditional_is_read() {
        let text = "#ifdef A\nint f(int a) {\n#else\nint g(void) {\n#endif\n return 1; }\nint h(void) { return 2; }\n#if 0\nint i(void) { return 3; }\n#endif\n";
        assert_eq!(names(text), ["f", "g", "h", "i"]);
    }
}
