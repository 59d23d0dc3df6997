//! Closures → smaller closures that compile to the same.
//!
//! A closure contains all that a function may need, judged by names. Here the compiler shows what it does need: at
//! first only headers, the function and its helpers; then the pieces that declare the missing names in the errors,
//! round by round. All closures of a shard take part in each round, so a round costs a few processes. Growth depends
//! on a closure's own errors only, and a closure whose errors others hide waits and loses no round. Macros are text,
//! so a mentioned macro is added without a test, and so is every directive that affects all that follows.
//!
//! A grown closure is accepted only if all of its compiled code is the same, instruction by instruction, as that of
//! the whole closure. Headers are then removed too, if the text does not use any of their names. On any doubt the
//! closure stays whole.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Closure, Digest, Function, Language, Piece, PieceKind, Span};

use crate::assembly::Functions;
use crate::check::is_item;
use crate::judge::{Said, WholeListings};
use crate::token::{self, directive, words};
use crate::{CheckError, Judge, Question};

/// The version of this algorithm.
const SCHEME: u32 = 8;

/// The number of times that a closure may grow.
const ROUNDS: u32 = 12;

/// A closure after the attempt to make it smaller.
#[derive(Debug, Clone)]
pub(crate) struct Small {
    /// The closure.
    pub(crate) closure: Closure,
    /// True if everything was left out that could be.
    pub(crate) minimized: bool,
}

/// Makes the closures of functions smaller; all of them compile.
pub(crate) fn minimize(
    functions: &[(&Function, &Closure)],
    judge: &Judge,
) -> Result<Vec<Small>, CheckError> {
    let spelled: Vec<Cow<'_, Closure>> = functions
        .iter()
        .map(|(_, closure)| spelled_out(closure))
        .collect();
    let asked: Vec<(&Function, &Closure)> = functions
        .iter()
        .zip(&spelled)
        .map(|((function, _), closure)| (*function, &**closure))
        .collect();
    let mut kept: Vec<Option<BTreeSet<usize>>> = vec![None; asked.len()];
    let mut open = Vec::new();
    for (at, (function, closure)) in asked.iter().enumerate() {
        if !is_whole(closure) {
            continue;
        }
        let key = key(function, closure, judge)?;
        match judge.cache.note(&key)? {
            Some(note) => kept[at] = from_note(&note),
            None => open.push((at, key)),
        }
    }
    let wanted: Vec<(&Function, &Closure)> = open.iter().map(|(at, _)| asked[*at]).collect();
    for ((at, key), found) in open.iter().zip(search(&wanted, judge)?) {
        judge.cache.put_note(key, &to_note(found.as_ref()))?;
        kept[*at] = found;
    }
    let made = asked.iter().zip(kept);
    let made = made.map(|((_, closure), kept)| cut(closure, &kept?));
    let small = functions
        .iter()
        .zip(made)
        .map(|((_, closure), made)| Small {
            minimized: made.is_some(),
            closure: made.unwrap_or_else(|| (*closure).clone()),
        });
    Ok(small.collect())
}

/// A closure that includes `stdlib.h` itself where a header of one processor's instructions includes it: then the
/// other headers that such a header includes can be used without it.
fn spelled_out(closure: &Closure) -> Cow<'_, Closure> {
    const BROUGHT: &str = "stdlib.h";
    let is_header = |piece: &Piece, is_named: fn(&str) -> bool| {
        piece.kind == PieceKind::Header && piece.names.iter().any(|name| is_named(name))
    };
    let mut pieces = closure.pieces.iter();
    let bringer = pieces.position(|piece| is_header(piece, |name| name.ends_with("intrin.h")));
    let mut pieces = closure.pieces.iter();
    let (Some(at), false) = (
        bringer,
        pieces.any(|piece| is_header(piece, |name| name == BROUGHT)),
    ) else {
        return Cow::Borrowed(closure);
    };
    let line = format!("#include <{BROUGHT}>");
    let mut closure = closure.clone();
    let start = closure.pieces[at].span.start as usize;
    closure.insert(start, &format!("{line}\n"));
    closure.pieces.insert(
        at,
        Piece {
            kind: PieceKind::Header,
            span: Span::from(start..start + line.len()),
            names: vec![BROUGHT.to_owned()],
            external: false,
        },
    );
    Cow::Owned(closure)
}

/// Returns `true` if the pieces of a closure cover all of its text.
fn is_whole(closure: &Closure) -> bool {
    let mut end = 0;
    let blank = |from: u32, to: u32| {
        let gap = closure.text.get(from as usize..to as usize);
        gap.is_some_and(|gap| gap.trim().is_empty())
    };
    for piece in &closure.pieces {
        if piece.span.start > piece.span.end || !blank(end, piece.span.start) {
            return false;
        }
        end = piece.span.end;
    }
    !closure.pieces.is_empty() && blank(end, u32::try_from(closure.text.len()).unwrap_or(u32::MAX))
}

fn key(function: &Function, closure: &Closure, judge: &Judge) -> Result<String, CheckError> {
    let mut digest = Digest::new("minimize")
        .field(SCHEME.to_le_bytes())
        .field(judge.digest())
        .field(judge.compiler_of(function.language)?.digest())
        .field(function.language.name())
        .field(&function.name)
        .field([u8::from(function.is_template)])
        .field(&closure.text)
        .field(closure.target.start.to_le_bytes())
        .field(closure.target.end.to_le_bytes());
    for piece in &closure.pieces {
        digest = digest
            .field([piece.kind as u8, u8::from(piece.external)])
            .field(piece.span.start.to_le_bytes())
            .field(piece.span.end.to_le_bytes())
            .fields(&piece.names);
    }
    Ok(digest.hex())
}

fn to_note(kept: Option<&BTreeSet<usize>>) -> String {
    let Some(kept) = kept else {
        return "whole".to_owned();
    };
    let numbers: Vec<String> = kept.iter().map(ToString::to_string).collect();
    numbers.join(",")
}

fn from_note(note: &str) -> Option<BTreeSet<usize>> {
    note.split(',').map(|number| number.parse().ok()).collect()
}

/// The pieces that each closure needs; `None` if it must stay whole.
fn search(
    functions: &[(&Function, &Closure)],
    judge: &Judge,
) -> Result<Vec<Option<BTreeSet<usize>>>, CheckError> {
    let mut growing: Vec<Growing<'_>> = functions
        .iter()
        .map(|(function, closure)| Growing::new(function, closure))
        .collect();
    let languages: BTreeSet<Language> = functions.iter().map(|(it, _)| it.language).collect();
    for language in languages {
        while grow_all(&mut growing, language, judge)? {}
    }
    let fewer_headers: Vec<Vec<BTreeSet<usize>>> = growing
        .iter()
        .map(|growing| growing.without_headers(judge))
        .collect::<Result<_, _>>()?;
    let mut found: Vec<Option<BTreeSet<usize>>> = vec![None; growing.len()];
    let mut wholes = WholeListings::new();
    for attempt in 0..HEADER_CHOICES {
        let mut trials: Vec<(usize, BTreeSet<usize>)> = Vec::new();
        for (at, growing) in growing.iter().enumerate() {
            if growing.state == State::Clean
                && found[at].is_none()
                && let Some(kept) = fewer_headers[at].get(attempt)
            {
                trials.push((at, kept.clone()));
            }
        }
        // One that needs all of its pieces is as small as it gets.
        trials.retain(|(at, kept)| {
            let all = kept.len() == growing[*at].closure.pieces.len();
            if all {
                found[*at] = Some(kept.clone());
            }
            !all
        });
        let questions: Vec<(Question, Question)> = trials
            .iter()
            .filter_map(|(at, kept)| {
                let growing = &growing[*at];
                let (whole, small) = (growing.closure, cut(growing.closure, kept)?);
                let all = (0..whole.pieces.len()).collect();
                Some((
                    Question::of(growing.function, &pinned(whole, &all)),
                    Question::of(growing.function, &pinned(&small, kept)),
                ))
            })
            .collect();
        if questions.len() != trials.len() {
            break;
        }
        let pairs: Vec<(&Question, &Question)> = questions
            .iter()
            .map(|(whole, small)| (whole, small))
            .collect();
        for ((at, kept), both) in trials
            .into_iter()
            .zip(judge.functions(&pairs, &mut wholes)?)
        {
            let is_template = growing[at].function.is_template;
            if both.is_some_and(|(whole, small)| is_the_same(&whole, &small, is_template)) {
                found[at] = Some(kept);
            }
        }
    }
    Ok(found)
}

/// Runs one round: compiles the open closures of a language, and grows those with missing names. Returns true if any
/// was open.
fn grow_all(
    growing: &mut [Growing<'_>],
    language: Language,
    judge: &Judge,
) -> Result<bool, CheckError> {
    let mut open = Vec::new();
    for (at, growing) in growing.iter_mut().enumerate() {
        if growing.state != State::Open || growing.function.language != language {
            continue;
        }
        match growing.question() {
            // All of it: that it compiles is known.
            Some(_) if growing.pieces().len() == growing.closure.pieces.len() => {
                growing.state = State::Clean;
            }
            Some(question) => open.push((at, question)),
            None => growing.state = State::Whole,
        }
    }
    let asked: Vec<&Question> = open.iter().map(|(_, question)| question).collect();
    let missing: Vec<Vec<&str>> = open.iter().map(|(at, _)| growing[*at].missing()).collect();
    let said = judge.some_errors(&asked, &missing, language)?;
    for ((at, question), said) in open.iter().zip(said) {
        match said {
            Said::Nothing => growing[*at].state = State::Clean,
            // It waits for those that share its process.
            Said::Unsaid => {}
            Said::Errors(errors) => growing[*at].grow(&errors, &question.text),
        }
    }
    Ok(!open.is_empty())
}

/// Returns `true` if everything that is left compiles to the same code.
fn is_the_same(whole: &Functions, small: &Functions, is_template: bool) -> bool {
    let equal = small
        .iter()
        .all(|(name, code)| whole.get(name) == Some(code));
    equal && (is_template || !small.is_empty())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// It misses something.
    Open,
    /// It has no errors.
    Clean,
    /// It stays whole.
    Whole,
}

/// A closure while it grows from its necessary pieces.
struct Growing<'f> {
    function: &'f Function,
    closure: &'f Closure,
    /// The words of each piece.
    words: Vec<BTreeSet<&'f str>>,
    /// For each piece of kind `Scope` that opens, the one that closes, and the other way round.
    partner: BTreeMap<usize, usize>,
    kept: BTreeSet<usize>,
    /// The number of times that it grew.
    rounds: u32,
    state: State,
}

impl<'f> Growing<'f> {
    fn new(function: &'f Function, closure: &'f Closure) -> Self {
        let pieces = &closure.pieces;
        let text = |piece: &Piece| piece.span.of(&closure.text);
        let last_header = pieces
            .iter()
            .rposition(|piece| piece.kind == PieceKind::Header);
        // A helper that is a method is in the piece of its class.
        let has_helper = |piece: &Piece| {
            let mut helpers = closure.helpers.iter().map(|helper| helper.span);
            helpers.any(|it| piece.span.start <= it.start && it.end <= piece.span.end)
        };
        let must = |(at, piece): &(usize, &Piece)| match piece.kind {
            PieceKind::Target | PieceKind::Helper | PieceKind::Header => true,
            _ if has_helper(piece) => true,
            PieceKind::Directive => {
                let says_more = !matches!(directive(text(piece)).0, "define" | "undef");
                says_more || last_header.is_some_and(|header| *at < header)
            }
            PieceKind::Declaration | PieceKind::Definition | PieceKind::Scope => false,
        };
        let kept = pieces
            .iter()
            .enumerate()
            .filter(must)
            .map(|(at, _)| at)
            .collect();
        let mut partner = BTreeMap::new();
        let mut open = Vec::new();
        let mut matched = true;
        for (at, piece) in pieces.iter().enumerate() {
            if piece.kind != PieceKind::Scope {
                continue;
            }
            if text(piece).trim_start().starts_with('}') {
                match open.pop() {
                    Some(opening) => {
                        partner.insert(opening, at);
                        partner.insert(at, opening);
                    }
                    None => matched = false,
                }
            } else {
                open.push(at);
            }
        }
        let mut growing = Growing {
            function,
            closure,
            words: pieces
                .iter()
                .map(|piece| words(text(piece)).collect())
                .collect(),
            partner,
            kept,
            rounds: 0,
            state: if matched && open.is_empty() {
                State::Open
            } else {
                State::Whole
            },
        };
        growing.take_macros();
        growing
    }

    /// The pieces, with the scopes that are around any of them.
    fn pieces(&self) -> BTreeSet<usize> {
        let mut all = self.kept.clone();
        for (&opening, &closing) in self.partner.iter().filter(|(one, other)| one < other) {
            let inside = self.kept.range(opening + 1..closing).next().is_some();
            if inside || self.kept.contains(&opening) {
                all.extend([opening, closing]);
            }
        }
        all
    }

    fn question(&self) -> Option<Question> {
        let small = cut(self.closure, &self.pieces())?;
        Some(Question::of(self.function, &small))
    }

    /// Adds every macro that is mentioned.
    fn take_macros(&mut self) {
        loop {
            let used: BTreeSet<&str> = self
                .kept
                .iter()
                .flat_map(|&at| self.words[at].iter().copied())
                .collect();
            let more: Vec<usize> = (0..self.closure.pieces.len())
                .filter(|at| !self.kept.contains(at))
                .filter(|&at| {
                    let piece = &self.closure.pieces[at];
                    piece.kind == PieceKind::Directive
                        && used.contains(directive(piece.span.of(&self.closure.text)).1)
                })
                .collect();
            if more.is_empty() {
                return;
            }
            self.kept.extend(more);
        }
    }

    /// The names of pieces left out that the rest mentions.
    fn missing(&self) -> Vec<&'f str> {
        let pieces = self.pieces();
        let used: BTreeSet<&str> = pieces
            .iter()
            .flat_map(|&at| self.words[at].iter().copied())
            .collect();
        let left_out = self.closure.pieces.iter().enumerate();
        let left_out = left_out.filter(|(at, _)| !pieces.contains(at));
        let names = left_out.flat_map(|(_, piece)| piece.names.iter().map(String::as_str));
        names.filter(|name| used.contains(name)).collect()
    }

    /// Adds the pieces that the errors miss; the closure stays whole if no piece is found that could help.
    fn grow(&mut self, errors: &str, text: &str) {
        self.rounds += 1;
        if self.rounds > ROUNDS || !self.takes(errors, text) {
            self.state = State::Whole;
        }
    }

    fn takes(&mut self, errors: &str, text: &str) -> bool {
        let quoted: BTreeSet<&str> = errors.lines().flat_map(quoted).collect();
        if self.take(&quoted) {
            return true;
        }
        // Some errors name a variable where its type is missing: the line has it.
        let lines: Vec<&str> = text.lines().collect();
        let numbers = errors.lines().filter_map(|line| {
            let number = line.split(':').nth(1)?;
            number.parse::<usize>().ok()
        });
        let near: BTreeSet<&str> = numbers
            .filter_map(|number| lines.get(number.checked_sub(1)?).copied())
            .flat_map(words)
            .collect();
        if self.take(&near) {
            return true;
        }
        let all: BTreeSet<&str> = self
            .kept
            .iter()
            .flat_map(|&at| self.words[at].iter().copied())
            .collect();
        self.take(&all)
    }

    /// Adds the pieces that declare one of the names: declarations before bodies, which may not be needed.
    fn take(&mut self, names: &BTreeSet<&str>) -> bool {
        let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for (at, piece) in self.closure.pieces.iter().enumerate() {
            if self.kept.contains(&at) || piece.kind == PieceKind::Header {
                continue;
            }
            for name in &piece.names {
                if let Some(&name) = names.get(name.as_str()) {
                    by_name.entry(name).or_default().push(at);
                }
            }
        }
        let mut more = BTreeSet::new();
        for places in by_name.into_values() {
            let is_body = |at: &usize| self.closure.pieces[*at].kind == PieceKind::Definition;
            let heads: Vec<usize> = places.iter().copied().filter(|at| !is_body(at)).collect();
            more.extend(if heads.is_empty() { places } else { heads });
        }
        if more.is_empty() {
            return false;
        }
        self.kept.extend(more);
        self.take_macros();
        true
    }

    /// The choices of headers to try, the fewest first: those that alone declare a name that the rest uses; those
    /// that declare one at all; all.
    fn without_headers(&self, judge: &Judge) -> Result<Vec<BTreeSet<usize>>, CheckError> {
        if self.state != State::Clean {
            return Ok(Vec::new());
        }
        let compiler = judge.compiler_of(self.function.language)?;
        let pieces = self.pieces();
        let is_header = |at: &usize| self.closure.pieces[*at].kind == PieceKind::Header;
        let used: BTreeSet<&str> = pieces
            .iter()
            .filter(|at| !is_header(at))
            .flat_map(|&at| self.words[at].iter().copied())
            .filter(|word| !is_everywhere(word, self.function.language))
            .collect();
        let mut headers = Vec::new();
        for &at in pieces.iter().filter(|at| is_header(at)) {
            let line = self.closure.pieces[at].span.of(&self.closure.text);
            if let Some(names) = judge.brings(compiler, line)? {
                let of_use = used.iter().filter(|word| names.contains(**word));
                headers.push((at, names.len(), of_use.copied().collect()));
            }
        }
        let (replaced, useless) = not_needed(headers);
        let without = |left_out: &BTreeSet<usize>| -> BTreeSet<usize> {
            pieces.difference(left_out).copied().collect()
        };
        let mut choices = vec![without(&replaced), without(&useless), pieces.clone()];
        choices.dedup();
        Ok(choices)
    }
}

/// Returns `true` if a word is available without a header. Some keywords of C++ are macros of C.
fn is_everywhere(word: &str, language: Language) -> bool {
    const OF_HEADERS: [&str; 9] = [
        "alignas",
        "alignof",
        "bool",
        "complex",
        "false",
        "noreturn",
        "static_assert",
        "thread_local",
        "true",
    ];
    let is_macro = language == Language::C && OF_HEADERS.contains(&word);
    word == "std" || !is_macro && crate::isolate::is_keyword(word)
}

/// A closure in which each of its pieces has a line number that does not depend on the pieces before it: assertions
/// contain their line. `numbers` are those of its pieces in the whole closure.
fn pinned<'c>(closure: &'c Closure, numbers: &BTreeSet<usize>) -> Cow<'c, Closure> {
    const LINES: usize = 10_000;
    let mut words = words(&closure.text);
    if !words.any(|word| matches!(word, "assert" | "__LINE__")) {
        return Cow::Borrowed(closure);
    }
    let mut closure = closure.clone();
    for (at, number) in numbers.iter().enumerate() {
        let piece = &closure.pieces[at];
        if !matches!(piece.kind, PieceKind::Header | PieceKind::Directive) {
            let line = format!("\n#line {}\n", (number + 1) * LINES);
            closure.insert(piece.span.start as usize, &line);
        }
    }
    Cow::Owned(closure)
}

/// The number of choices of headers to try.
const HEADER_CHOICES: usize = 3;

/// A header: its piece, the number of names that it declares, and those of them that are used.
type Header<'w> = (usize, usize, BTreeSet<&'w str>);

/// The headers that others can replace, largest first, as `stdlib.h` does for the header of intrinsics that includes
/// it; and those that declare no used name, which are among them.
fn not_needed(mut headers: Vec<Header<'_>>) -> (BTreeSet<usize>, BTreeSet<usize>) {
    let useless = headers.iter().filter(|(_, _, used)| used.is_empty());
    let useless = useless.map(|(at, _, _)| *at).collect();
    headers.sort_by_key(|(at, names, _)| (usize::MAX - names, *at));
    let mut replaced = BTreeSet::new();
    for (at, _, used) in &headers {
        let others = headers
            .iter()
            .filter(|(other, _, _)| other != at && !replaced.contains(other));
        let others: Vec<&BTreeSet<&str>> = others.map(|(_, _, used)| used).collect();
        if used
            .iter()
            .all(|word| others.iter().any(|other| other.contains(word)))
        {
            replaced.insert(*at);
        }
    }
    (replaced, useless)
}

/// The words in quotes of an error or a note, suggestions left out.
fn quoted(line: &str) -> Vec<&str> {
    let said = line.split("did you mean").next().unwrap_or_default();
    let quoted = said.split('\'').skip(1).step_by(2);
    quoted
        .flat_map(token::tokens)
        .filter(|token| token.kind == token::Kind::Word)
        .map(|token| token.text)
        .collect()
}

/// The closure with these pieces only; spans and the number of items follow.
fn cut(closure: &Closure, kept: &BTreeSet<usize>) -> Option<Closure> {
    let offset = |bytes: usize| u32::try_from(bytes).ok();
    let mut text = String::new();
    let mut pieces = Vec::new();
    let mut moves: Vec<(Span, u32)> = Vec::new();
    let mut before = 0;
    for (at, piece) in closure.pieces.iter().enumerate() {
        if kept.contains(&at) {
            if !text.is_empty() {
                text.push_str(
                    closure
                        .text
                        .get(before as usize..piece.span.start as usize)?,
                );
            }
            let start = offset(text.len())?;
            text.push_str(piece.span.of(&closure.text));
            let span = Span {
                start,
                end: offset(text.len())?,
            };
            moves.push((piece.span, start));
            pieces.push(Piece {
                span,
                ..piece.clone()
            });
        }
        before = piece.span.end;
    }
    text.push_str(closure.text.get(before as usize..)?);
    let moved = |span: Span| {
        let (home, start) = moves
            .iter()
            .find(|(home, _)| home.start <= span.start && span.end <= home.end)?;
        let start = start + (span.start - home.start);
        Some(Span {
            start,
            end: start + (span.end - span.start),
        })
    };
    let mut helpers = closure.helpers.clone();
    for helper in &mut helpers {
        helper.span = moved(helper.span)?;
    }
    let dropped = closure
        .pieces
        .iter()
        .enumerate()
        .filter(|(at, piece)| !kept.contains(at) && is_item(piece.kind))
        .count();
    Some(Closure {
        target: moved(closure.target)?,
        helpers,
        items: closure.items.saturating_sub(offset(dropped)?).max(1),
        text,
        pieces,
        ..closure.clone()
    })
}

#[cfg(test)]
mod tests {
    use barecode_records::{HelperBodies, HelperSpan, Id};

    use super::*;

    /// A closure of these pieces, each on lines of its own; the helper's and the target's span are the whole
    /// piece.
    pub(super) fn closure(parts: &[(PieceKind, &str, &[&str])]) -> Closure {
        let mut text = String::new();
        let mut pieces = Vec::new();
        for (kind, part, names) in parts {
            if !text.is_empty() {
                text.push('\n');
            }
            let start = u32::try_from(text.len()).expect("short");
            text.push_str(part);
            let end = u32::try_from(text.len()).expect("short");
            pieces.push(Piece {
                kind: *kind,
                span: Span { start, end },
                names: names.iter().map(|&name| name.to_owned()).collect(),
                external: false,
            });
            text.push('\n');
        }
        let span_of = |wanted: PieceKind| {
            let piece = pieces.iter().find(|piece| piece.kind == wanted);
            piece.map(|piece| piece.span)
        };
        Closure {
            target: span_of(PieceKind::Target).expect("a target"),
            helpers: span_of(PieceKind::Helper)
                .map(|span| HelperSpan {
                    name: "h".to_owned(),
                    function_id: Id::new("f", &Digest::new("test")),
                    span,
                })
                .into_iter()
                .collect(),
            helper_bodies: HelperBodies::Full,
            items: u32::try_from(pieces.iter().filter(|piece| is_item(piece.kind)).count())
                .expect("short"),
            helper_external: Vec::new(),
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
            text,
            pieces,
        }
    }

    #[test]
    fn spans_and_items_follow_a_cut() {
        let whole = closure(&[
            (PieceKind::Header, "#include <stdio.h>", &["stdio.h"]),
            (PieceKind::Declaration, "typedef int a;", &["a"]),
            (
                PieceKind::Helper,
                "static int h(void) { return 1; }",
                &["h"],
            ),
            (PieceKind::Declaration, "int b;", &["b"]),
            (PieceKind::Target, "int f(void) { return h(); }", &["f"]),
        ]);
        let small = cut(&whole, &BTreeSet::from([2, 4])).expect("spans lie in pieces");
        assert_eq!(
            small.text,
            "static int h(void) { return 1; }\n\nint f(void) { return h(); }\n"
        );
        assert_eq!(small.target.of(&small.text), "int f(void) { return h(); }");
        assert_eq!(
            small.helpers[0].span.of(&small.text),
            "static int h(void) { return 1; }"
        );
        assert_eq!(small.items, 2);
        let texts: Vec<&str> = small
            .pieces
            .iter()
            .map(|piece| piece.span.of(&small.text))
            .collect();
        assert_eq!(
            texts,
            [
                small.helpers[0].span.of(&small.text),
                small.target.of(&small.text)
            ]
        );
        assert!(is_whole(&small));
        assert_eq!(cut(&whole, &(0..5).collect()), Some(whole));
    }

    #[test]
    fn a_header_that_only_brings_another_is_not_needed() {
        let header = |at, names, used: &[&'static str]| (at, names, used.iter().copied().collect());
        let headers = vec![
            header(0, 900, &["malloc", "free"]),
            header(1, 100, &["malloc", "free"]),
            header(2, 50, &[]),
            header(3, 40, &["puts"]),
        ];
        assert_eq!(
            not_needed(headers),
            (BTreeSet::from([0, 2]), BTreeSet::from([2]))
        );
    }

    #[test]
    fn what_a_header_of_instructions_brings_is_spelled_out() {
        let target = "void *f(void) { return malloc(1); }";
        let with = |name: &str| {
            let line = format!("#include <{name}>");
            closure(&[
                (PieceKind::Header, "#include <stdio.h>", &["stdio.h"]),
                (PieceKind::Header, &line, &[name]),
                (PieceKind::Target, target, &["f"]),
            ])
        };
        let whole = with("emmintrin.h");
        let spelled = spelled_out(&whole);
        assert_eq!(
            spelled.text,
            "#include <stdio.h>\n\n#include <stdlib.h>\n#include <emmintrin.h>\n\nvoid *f(void) { return malloc(1); }\n"
        );
        assert!(is_whole(&spelled));
        assert_eq!(spelled.target.of(&spelled.text), target);
        for name in ["stdlib.h", "string.h"] {
            assert!(
                matches!(spelled_out(&with(name)), Cow::Borrowed(_)),
                "{name}"
            );
        }
    }

    #[test]
    fn lines_do_not_depend_on_what_is_left_out() {
        let target = "void f(int a) { assert(a); }";
        let whole = closure(&[
            (PieceKind::Header, "#include <assert.h>", &["assert.h"]),
            (PieceKind::Declaration, "int b;", &["b"]),
            (PieceKind::Target, target, &["f"]),
        ]);
        let kept = BTreeSet::from([0, 2]);
        let small = cut(&whole, &kept).expect("spans lie in pieces");
        let (small, whole) = (pinned(&small, &kept), pinned(&whole, &(0..3).collect()));
        assert_eq!(small.target.of(&small.text), target);
        for text in [&whole.text, &small.text] {
            assert!(
                text.ends_with(&format!("\n#line 30000\n{target}\n")),
                "{text}"
            );
        }
        assert!(whole.text.contains("\n#line 20000\nint b;"));
        assert!(!is_everywhere("bool", Language::C) && is_everywhere("bool", Language::CPP));
    }

    #[test]
    fn notes_say_what_was_found() {
        for kept in [None, Some(BTreeSet::from([0, 3, 12]))] {
            assert_eq!(from_note(&to_note(kept.as_ref())), kept);
        }
    }

    #[test]
    fn only_what_is_quoted_is_missed() {
        assert_eq!(
            quoted(
                "unit.c:1:1: error: invalid use of undefined type 'struct a'; did you mean 'b'?"
            ),
            ["struct", "a"]
        );
        assert_eq!(quoted("x: error: 'a::b' has not been declared"), ["a", "b"]);
    }
}
