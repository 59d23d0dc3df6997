//! One source file and all it includes → marked files, in the order in which the compiler reads them.
//!
//! The hard part is what to hide from the parser. Hidden are macros that stand for nothing but attributes
//! and storage classes (`SQLITE_API`, `FORCE_INLINE`), the frame of identity macros (`API(int) f();`), and
//! at file scope calls that expand to whole declarations; inside of types, macros that stand for members or
//! enumerators. They stay in the text that is emitted later, and what they expand to is noted, because it
//! declares names.
//!
//! In C++ the braces of namespaces and of `extern "C"` are hidden too, whether written out or made by a macro
//! (`LIB_BEGIN_NAMESPACE`): the parser sees everything at file scope, and each byte knows its [`Scope`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_records::Language;

use super::condition;
use super::directive::{Directive, DirectiveKind, Lines};
pub use super::files::Files;
use super::headers::StandardHeaders;
use super::lex::{Token, TokenKind};
use super::macros::{Macro, MacroTable, Word, arguments, join};
use super::scope::{self, Brace, Step};

/// A file that may be read.
#[derive(Debug)]
pub struct SourceText {
    /// Its path in the source, with `/` between folders.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Its directives.
    pub lines: Lines,
    /// Where its lines begin.
    line_starts: Vec<usize>,
}

impl SourceText {
    /// Cuts a file into lines.
    pub fn new(path: String, text: String) -> SourceText {
        let lines = Lines::of(&text);
        let breaks = text
            .bytes()
            .enumerate()
            .filter(|&(_, byte)| byte == b'\n')
            .map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(breaks).collect();
        SourceText {
            path,
            text,
            lines,
            line_starts,
        }
    }

    /// The one-based line of a byte.
    pub fn line_of(&self, byte: usize) -> u32 {
        u32::try_from(self.line_starts.partition_point(|&start| start <= byte)).unwrap_or(u32::MAX)
    }
}

/// What a byte of a file is in a translation unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mark {
    /// Code that the parser sees.
    Code,
    /// Code that is hidden from the parser: attributes, declaration macros.
    Hidden,
    /// A comment.
    Comment,
    /// A definition, `#undef` or `#pragma` in force.
    Directive,
    /// An `#include` of a file of the source.
    Include,
    /// Switched off, or a directive that leaves nothing behind.
    Off,
    /// The opening or closing of a [`Scope`].
    Scope,
}

/// A namespace or a linkage block of C++ around a stretch of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The scope around it; the file scope, number 0, is its own.
    pub parent: usize,
    /// What opens it, in one form: `namespace a {`, `inline namespace v1 {`, `extern "C" {`. Empty for 0.
    pub opening: String,
    /// The namespaces from the outermost in, `a::v1`; unnamed ones are left out.
    pub path: String,
}

/// A call at file scope that stands for whole declarations.
#[derive(Debug, Clone)]
pub struct DeclarationMacro {
    /// First byte of the call.
    pub start: usize,
    /// One past its end, a semicolon included.
    pub end: usize,
    /// What it expands to.
    pub expansion: String,
    /// The names that `##` built on the way.
    pub joined: BTreeSet<Arc<str>>,
}

/// A file as it was read at one place of the translation unit.
#[derive(Debug)]
pub struct Reading {
    /// The file.
    pub file: Arc<SourceText>,
    /// A mark for each byte.
    pub marks: Vec<Mark>,
    /// Where stretches of the file stand in the whole: (first byte, position).
    stretches: Vec<(usize, u64)>,
    /// Readings of files included here, by the start of the directive.
    pub included: BTreeMap<usize, usize>,
    /// Calls that stand for declarations.
    pub declaration_macros: Vec<DeclarationMacro>,
    /// Calls inside of braces that stand for enumerators or members; their expansions stand in a type.
    pub inner_macros: Vec<DeclarationMacro>,
    /// Places of attributes that force inlining.
    pub forced_inline: Vec<usize>,
    /// C++: what stands between the braces of functions and initializers, at file scope and in classes.
    pub bodies: Vec<std::ops::Range<usize>>,
    /// Where the scope changes: (first byte, number in [`TranslationUnit::scopes`]).
    scopes: Vec<(usize, usize)>,
}

impl Reading {
    /// The position in the whole translation unit of a byte that is switched on.
    pub fn position(&self, byte: usize) -> u64 {
        let index = self.stretches.partition_point(|&(start, _)| start <= byte);
        match index.checked_sub(1).map(|index| self.stretches[index]) {
            Some((start, position)) => position + (byte - start) as u64,
            None => 0,
        }
    }

    /// The scope that a byte stands in, as a number in [`TranslationUnit::scopes`].
    pub fn scope(&self, byte: usize) -> usize {
        let index = self.scopes.partition_point(|&(start, _)| start <= byte);
        index.checked_sub(1).map_or(0, |index| self.scopes[index].1)
    }

    /// The text with every byte blanked that is not marked as wanted; line breaks stay.
    pub fn masked(&self, wanted: impl Fn(Mark) -> bool) -> String {
        let masked = self
            .file
            .text
            .bytes()
            .zip(&self.marks)
            .map(|(byte, &mark)| match byte {
                b'\n' | b'\r' => byte,
                _ if wanted(mark) => byte,
                _ => b' ',
            });
        // Marks begin and end at token borders, so characters are blanked as a whole.
        String::from_utf8(masked.collect()).unwrap_or_default()
    }
}

/// A `#define` or `#undef` in force at some place.
#[derive(Debug)]
pub struct MacroEvent {
    /// The macro's name.
    pub name: Arc<str>,
    /// The reading in which it stands.
    pub reading: usize,
    /// First byte of the directive.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its place in the whole.
    pub position: u64,
    /// What was defined; `None` for `#undef`.
    pub definition: Option<Arc<Macro>>,
}

/// A translation unit, read.
#[derive(Debug)]
pub struct TranslationUnit {
    /// The file it begins with.
    pub root: String,
    /// The language it is read as.
    pub language: Language,
    /// The scopes that are opened anywhere; number 0 is the file's.
    pub scopes: Vec<Scope>,
    /// Files in the order in which reading them began.
    pub readings: Vec<Reading>,
    /// Macro definitions of the source, in order.
    pub macro_events: Vec<MacroEvent>,
    /// Standard headers asked for, in order, each once.
    pub system_headers: Vec<String>,
    /// Headers asked for that are neither standard nor in the source.
    pub missing_headers: Vec<String>,
}

/// Includes or macros that grow beyond every bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// Which bound, in words.
    pub bound: String,
}

const MAX_READINGS: usize = 5_000;
const MAX_BYTES: usize = 128 << 20;
const MAX_DEPTH: usize = 200;
/// After this many expansions that grow beyond bounds no more are tried.
const MAX_BOMBS: usize = 20;

/// Reads the translation unit that begins with `root`, after the recipe's `defines`.
///
/// # Errors
/// [`TooLarge`] when files include each other without end.
pub fn read(
    root: &str,
    files: &Files,
    headers: &StandardHeaders,
    defines: &[String],
) -> Result<TranslationUnit, TooLarge> {
    let mut walk = Walk {
        files,
        headers,
        unit: TranslationUnit {
            root: root.to_owned(),
            language: headers.language(),
            scopes: vec![Scope {
                parent: 0,
                opening: String::new(),
                path: String::new(),
            }],
            readings: Vec::new(),
            macro_events: Vec::new(),
            system_headers: Vec::new(),
            missing_headers: Vec::new(),
        },
        macros: headers.predefined(),
        once: BTreeSet::new(),
        position: 0,
        bytes: 0,
        depth: 0,
        braces: 0,
        parentheses: 0,
        calls: 0,
        bombs: 0,
        after_declaration: true,
        enumeration: Enumeration::Outside,
        scope: 0,
        classes: Vec::new(),
        body: None,
    };
    if !defines.is_empty() {
        let text = defines.iter().map(|define| match define.split_once('=') {
            Some((name, value)) => format!("#define {name} {value}\n"),
            None => format!("#define {define} 1\n"),
        });
        walk.file(&Arc::new(SourceText::new(
            "<recipe>".to_owned(),
            text.collect(),
        )))?;
    }
    if let Some(file) = files.get(root) {
        walk.file(file)?;
    }
    Ok(walk.unit)
}

struct Walk<'a> {
    files: &'a Files,
    headers: &'a StandardHeaders,
    unit: TranslationUnit,
    macros: MacroTable,
    once: BTreeSet<String>,
    position: u64,
    bytes: usize,
    depth: usize,
    /// Open braces and parentheses; a declaration macro stands outside of both.
    braces: usize,
    parentheses: usize,
    /// Calls of identity macros around the token that is looked at.
    calls: usize,
    /// Calls whose expansion grew beyond bounds.
    bombs: usize,
    /// Whether the last token ended a declaration.
    after_declaration: bool,
    /// Whether `enum` stands before the next brace, or the brace that is open is an enumeration's.
    enumeration: Enumeration,
    /// The scope that is open; braces are counted from it on.
    scope: usize,
    /// For each class of C++ that is open, how many braces there are inside of it.
    classes: Vec<usize>,
    /// The body of C++ that is open.
    body: Option<Body>,
}

/// The body of a function, or an initializer, that is open.
#[derive(Debug, Clone, Copy)]
struct Body {
    reading: usize,
    start: usize,
    /// How many braces are open inside of it.
    braces: usize,
}

/// Where a walk is with respect to an enumeration at file scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enumeration {
    Outside,
    Announced,
    Inside,
}

/// What a call expands to, and the names that `##` built on the way.
type Expansion = (Vec<Word>, BTreeSet<Arc<str>>);

/// One `#if` group that is open.
struct Conditional {
    outer_active: bool,
    active: bool,
    taken: bool,
}

impl Walk<'_> {
    fn file(&mut self, file: &Arc<SourceText>) -> Result<usize, TooLarge> {
        self.bytes += file.text.len();
        if self.unit.readings.len() >= MAX_READINGS || self.bytes > MAX_BYTES {
            let bound = format!(
                "more than {MAX_READINGS} inclusions or {} MiB",
                MAX_BYTES >> 20
            );
            return Err(TooLarge { bound });
        }
        let index = self.unit.readings.len();
        let mut marks = vec![Mark::Code; file.text.len()];
        for comment in &file.lines.comments {
            marks[comment.start..comment.end].fill(Mark::Comment);
        }
        self.unit.readings.push(Reading {
            file: file.clone(),
            marks,
            stretches: Vec::new(),
            included: BTreeMap::new(),
            declaration_macros: Vec::new(),
            inner_macros: Vec::new(),
            forced_inline: Vec::new(),
            bodies: Vec::new(),
            scopes: vec![(0, self.scope)],
        });
        self.depth += 1;
        let mut conditionals: Vec<Conditional> = Vec::new();
        let mut text_from = 0;
        let mut token_from = 0;
        for directive in &file.lines.directives {
            let active = conditionals
                .last()
                .is_none_or(|conditional| conditional.active);
            self.text(
                index,
                file,
                active,
                text_from..directive.start,
                token_from..directive.first,
            );
            text_from = directive.end;
            token_from = directive.tokens.end;
            self.directive(index, file, directive, active, &mut conditionals)?;
        }
        let active = conditionals
            .last()
            .is_none_or(|conditional| conditional.active);
        self.text(
            index,
            file,
            active,
            text_from..file.text.len(),
            token_from..file.lines.tokens.len(),
        );
        self.depth -= 1;
        Ok(index)
    }

    fn mark(&mut self, reading: usize, range: std::ops::Range<usize>, mark: Mark) {
        for old in &mut self.unit.readings[reading].marks[range] {
            // A comment stays one wherever it stands, except in what is switched off.
            if *old != Mark::Comment || mark == Mark::Off {
                *old = mark;
            }
        }
    }

    fn text(
        &mut self,
        reading: usize,
        file: &Arc<SourceText>,
        active: bool,
        range: std::ops::Range<usize>,
        tokens: std::ops::Range<usize>,
    ) {
        if !active {
            self.mark(reading, range, Mark::Off);
            return;
        }
        self.unit.readings[reading]
            .stretches
            .push((range.start, self.position));
        self.position += range.len() as u64 + 1;
        let tokens = &file.lines.tokens[tokens];
        let mut at = 0;
        while at < tokens.len() {
            at = self.token(reading, &file.text, tokens, at);
        }
    }

    /// Looks at the token at `at` and returns the index of the next one to look at.
    fn token(&mut self, reading: usize, text: &str, tokens: &[Token], at: usize) -> usize {
        let token = tokens[at];
        let shown = token.text(text);
        if self.unit.language == Language::Cpp
            && self.at_file_scope()
            && let Some(next) = self.scope_token(reading, text, tokens, at)
        {
            return next;
        }
        if token.kind == TokenKind::Identifier
            && let Some(next) = self.hide(reading, text, tokens, at)
        {
            return next;
        }
        match shown {
            "{" => {
                self.braces += 1;
                let cpp = self.unit.language == Language::Cpp;
                // In C no body stands inside of members.
                if self.body.is_none() && (cpp || self.braces == 1) {
                    match scope::brace(tokens, at, text) {
                        Brace::Class if cpp => self.classes.push(self.braces),
                        Brace::Class | Brace::Enumeration => {}
                        Brace::Body => {
                            self.body = Some(Body {
                                reading,
                                start: token.end,
                                braces: self.braces,
                            });
                        }
                    }
                }
                if self.enumeration == Enumeration::Announced {
                    self.enumeration = Enumeration::Inside;
                }
            }
            "}" => {
                if let Some(body) = self.body.take_if(|body| body.braces >= self.braces)
                    && body.reading == reading
                {
                    self.unit.readings[reading]
                        .bodies
                        .push(body.start..token.start);
                }
                self.classes.retain(|&inside| inside < self.braces);
                self.braces = self.braces.saturating_sub(1);
                self.enumeration = Enumeration::Outside;
            }
            "(" => self.parentheses += 1,
            ")" => self.parentheses = self.parentheses.saturating_sub(1),
            "enum" if self.at_file_scope() => self.enumeration = Enumeration::Announced,
            ";" => self.enumeration = Enumeration::Outside,
            _ => {}
        }
        self.after_declaration = self.at_file_scope() && matches!(shown, ";" | "}");
        at + 1
    }

    /// Opens or closes scopes at this token; `None` when it does neither.
    fn scope_token(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<usize> {
        let shown = tokens[at].text(text);
        let (steps, after) = match shown {
            "}" if self.scope != 0 => (vec![Step::Close], at + 1),
            "namespace" | "inline" | "extern" => {
                let open = scope::opening_brace(tokens, at, text)?;
                let words = Word::of(&tokens[at..=open], text);
                let words = self.macros.expand(&words)?;
                (scope::steps(&words)?, open + 1)
            }
            _ if tokens[at].kind == TokenKind::Identifier => {
                let definition = self.macros.get(shown)?;
                let after = match definition.parameters {
                    None => at + 1,
                    Some(_) if next_is(tokens, at, text, "(") => closing(tokens, at + 1, text)? + 1,
                    Some(_) => return None,
                };
                let words = Word::of(&tokens[at..after], text);
                let (words, _) = self.expansion(&words)?;
                (scope::steps(&words)?, after)
            }
            _ => return None,
        };
        let end = tokens[after - 1].end;
        self.mark(reading, tokens[at].start..end, Mark::Scope);
        for step in steps {
            self.step(step);
        }
        self.unit.readings[reading].scopes.push((end, self.scope));
        self.after_declaration = true;
        self.enumeration = Enumeration::Outside;
        Some(after)
    }

    fn step(&mut self, step: Step) {
        let scopes = &mut self.unit.scopes;
        match step {
            Step::Close => self.scope = scopes[self.scope].parent,
            Step::Open { opening, name } => {
                let around = &scopes[self.scope].path;
                let path = match (around.as_str(), name.as_str()) {
                    (around, "") => around.to_owned(),
                    ("", name) => name.to_owned(),
                    (around, name) => format!("{around}::{name}"),
                };
                let scope = Scope {
                    parent: self.scope,
                    opening,
                    path,
                };
                let known = scopes.iter().position(|known| *known == scope);
                self.scope = known.unwrap_or_else(|| {
                    scopes.push(scope);
                    scopes.len() - 1
                });
            }
        }
    }

    fn at_file_scope(&self) -> bool {
        self.braces == 0 && self.parentheses == 0
    }

    /// Hides what the parser should not see at this identifier; `None` when it should see it.
    fn hide(&mut self, reading: usize, text: &str, tokens: &[Token], at: usize) -> Option<usize> {
        let token = tokens[at];
        let name = token.text(text);
        if takes_attribute_arguments(name) && next_is(tokens, at, text, "(") {
            let close = closing(tokens, at + 1, text)?;
            let words = Word::of(&tokens[at..=close], text);
            self.note_forced_inline(reading, token.start, &words);
            self.mark(reading, token.start..tokens[close].end, Mark::Hidden);
            return Some(close + 1);
        }
        if name == "__extension__" {
            self.mark(reading, token.start..token.end, Mark::Hidden);
            return Some(at + 1);
        }
        let definition = self.macros.get(name)?.clone();
        if let Some(last) = self.enumeration_base(text, tokens, at, &definition) {
            // `enum type LIB_UNDERLYING(unsigned char) {`: with a call in its head it reads as a function.
            self.mark(reading, token.start..tokens[last].end, Mark::Hidden);
            return Some(last + 1);
        }
        match &definition.parameters {
            None => self.hide_object(reading, token, &definition, at, tokens, text),
            Some(parameters) => {
                if self.braces == 1
                    && self.enumeration == Enumeration::Inside
                    && next_is(tokens, at, text, "(")
                {
                    return self.hide_enumerators(reading, text, tokens, at);
                }
                if !next_is(tokens, at, text, "(") {
                    return None;
                }
                if self.hides_template_parameter(text, tokens, at) {
                    // `template <class T, LIB_ENABLE_IF(…)>`: the name alone reads as a parameter.
                    let close = closing(tokens, at + 1, text)?;
                    let call = tokens[at + 1].start..tokens[close].end;
                    self.mark(reading, call, Mark::Hidden);
                    return Some(close + 1);
                }
                if self.braces > 0 {
                    return self.hide_member_call(reading, text, tokens, at);
                }
                let close = closing(tokens, at + 1, text)?;
                self.hide_call(reading, text, tokens, at..close, &definition, parameters)
            }
        }
    }

    fn hide_object(
        &mut self,
        reading: usize,
        token: Token,
        definition: &Macro,
        at: usize,
        tokens: &[Token],
        text: &str,
    ) -> Option<usize> {
        if self.is_attributes(&definition.body) {
            self.note_forced_inline(reading, token.start, &definition.body);
            self.mark(reading, token.start..token.end, Mark::Hidden);
            return Some(at + 1);
        }
        let word = Word::of(&[token], text);
        if self.after_declaration && self.at_file_scope() {
            let expansion = self.expansion(&word)?;
            return self.hide_declaration(reading, text, tokens, at..at, expansion);
        }
        // Inside of braces a whole member or statement (`COMMON_FIELDS` in a type) would make the parser read
        // what follows as part of it.
        let begins = at.checked_sub(1).is_none_or(|before| {
            let hidden = self.unit.readings[reading].marks[tokens[before].start] == Mark::Hidden;
            let label = self.in_class() && tokens[before].text(text) == ":";
            hidden || label || matches!(tokens[before].text(text), "{" | "}" | ";")
        });
        if !begins || self.braces == 0 || self.parentheses > 0 {
            return None;
        }
        let (expansion, joined) = self.expansion(&word)?;
        let ends_construct = |last: &Word| matches!(&*last.text, ";" | "}");
        if !expansion.last().is_some_and(ends_construct) {
            return None;
        }
        self.hide_inner(
            reading,
            token,
            token.end,
            format!("struct barecode_inner {{ {} }};", join(&expansion)),
            joined,
        );
        Some(at + 1)
    }

    /// What a call expands to; `None` for a bomb, and for all calls once there were too many.
    fn expansion(&mut self, words: &[Word]) -> Option<Expansion> {
        if self.bombs >= MAX_BOMBS {
            return None;
        }
        let expansion = self.macros.expand_noting(words);
        self.bombs += usize::from(expansion.is_none());
        expansion
    }

    fn hide_inner(
        &mut self,
        reading: usize,
        token: Token,
        end: usize,
        expansion: String,
        joined: BTreeSet<Arc<str>>,
    ) {
        let start = token.start;
        self.mark(reading, start..end, Mark::Hidden);
        self.unit.readings[reading]
            .inner_macros
            .push(DeclarationMacro {
                start,
                end,
                expansion,
                joined,
            });
    }

    fn hide_call(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        call: std::ops::Range<usize>,
        definition: &Macro,
        parameters: &[Arc<str>],
    ) -> Option<usize> {
        let (start, close) = (call.start, call.end);
        let words = Word::of(&tokens[start..=close], text);
        if let [parameter] = parameters
            && self.calls < MAX_DEPTH
            && let Some(place) = definition
                .body
                .iter()
                .position(|word| word.text == *parameter)
            && self.is_attributes(&definition.body[..place])
            && self.is_attributes(&definition.body[place + 1..])
        {
            self.mark(
                reading,
                tokens[start].start..tokens[start + 1].end,
                Mark::Hidden,
            );
            self.mark(
                reading,
                tokens[close].start..tokens[close].end,
                Mark::Hidden,
            );
            // The argument is looked at as any text; its closing parenthesis must not count.
            self.calls += 1;
            let mut at = start + 2;
            while at < close {
                at = self.token(reading, text, tokens, at);
            }
            self.calls -= 1;
            return Some(close + 1);
        }
        let (expansion, joined) = self.expansion(&words)?;
        if self.is_attributes(&expansion) {
            let declares_nothing =
                expansion.is_empty() && self.after_declaration && self.at_file_scope();
            if !declares_nothing {
                self.note_forced_inline(reading, tokens[start].start, &expansion);
                self.mark(
                    reading,
                    tokens[start].start..tokens[close].end,
                    Mark::Hidden,
                );
                return Some(close + 1);
            }
        }
        if self.after_declaration && self.at_file_scope() {
            return self.hide_declaration(reading, text, tokens, call, (expansion, joined));
        }
        None
    }

    /// A call in a class that stands for members: `LIB_NO_COPY(Node);`.
    fn hide_member_call(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<usize> {
        if !self.in_class() {
            return None;
        }
        let close = closing(tokens, at + 1, text)?;
        let words = Word::of(&tokens[at..=close], text);
        let (expansion, joined) = self.expansion(&words)?;
        if self.is_attributes(&expansion) {
            self.note_forced_inline(reading, tokens[at].start, &expansion);
            self.mark(reading, tokens[at].start..tokens[close].end, Mark::Hidden);
            return Some(close + 1);
        }
        let begins = at.checked_sub(1).is_none_or(|before| {
            let hidden = self.unit.readings[reading].marks[tokens[before].start] == Mark::Hidden;
            hidden || matches!(tokens[before].text(text), "{" | "}" | ";" | ":")
        });
        let semicolon = next_is(tokens, close, text, ";");
        let ended = expansion
            .last()
            .is_some_and(|last| matches!(&*last.text, ";" | "}"));
        if !(begins && (ended || semicolon)) {
            return None;
        }
        let last = close + usize::from(semicolon);
        let expansion = format!("struct barecode_inner {{ {}; }};", join(&expansion));
        self.hide_inner(reading, tokens[at], tokens[last].end, expansion, joined);
        Some(last + 1)
    }

    /// The last token of a macro that stands between the name of an enumeration and its brace, and for its type.
    fn enumeration_base(
        &mut self,
        text: &str,
        tokens: &[Token],
        at: usize,
        definition: &Macro,
    ) -> Option<usize> {
        let before = |back: usize| Some(tokens[at.checked_sub(back)?].text(text));
        if !matches!(before(2)?, "enum" | "class" | "struct")
            || (before(2)? != "enum" && before(3)? != "enum")
        {
            return None;
        }
        let last = match &definition.parameters {
            None => at,
            Some(_) if next_is(tokens, at, text, "(") => closing(tokens, at + 1, text)?,
            Some(_) => return None,
        };
        if !next_is(tokens, last, text, "{") {
            return None;
        }
        let (expansion, _) = self.expansion(&Word::of(&tokens[at..=last], text))?;
        let is_base = expansion.first().is_none_or(|first| &*first.text == ":");
        is_base.then_some(last)
    }

    /// Whether a call stands among the parameters of a template, outside of functions.
    fn hides_template_parameter(&self, text: &str, tokens: &[Token], at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| tokens[before].text(text));
        self.unit.language == Language::Cpp
            && self.body.is_none()
            && self.parentheses == 0
            && matches!(before, Some("<" | ","))
    }

    /// Whether the innermost brace that is open is a class's.
    fn in_class(&self) -> bool {
        self.parentheses == 0 && self.classes.last() == Some(&self.braces)
    }

    /// A list of enumerators that a macro makes: `enum { ERRORS(AS_ENUMERATOR) };`.
    fn hide_enumerators(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<usize> {
        // In `FIRST = VALUE(3)` the call is a value, and stays.
        if at > 0 && !matches!(tokens[at - 1].text(text), "{" | "," | ")") {
            return None;
        }
        let close = closing(tokens, at + 1, text)?;
        let words = Word::of(&tokens[at..=close], text);
        let (expansion, joined) = self.expansion(&words)?;
        let expansion = format!("enum {{ {} }};", join(&expansion));
        self.hide_inner(reading, tokens[at], tokens[close].end, expansion, joined);
        Some(close + 1)
    }

    fn hide_declaration(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        call: std::ops::Range<usize>,
        (expansion, joined): Expansion,
    ) -> Option<usize> {
        let semicolon = next_is(tokens, call.end, text, ";");
        let ended = expansion
            .last()
            .is_none_or(|last| matches!(&*last.text, ";" | "}"));
        if !(ended || semicolon) {
            return None;
        }
        let last = call.end + usize::from(semicolon);
        let (start, end) = (tokens[call.start].start, tokens[last].end);
        let mut expansion = join(&expansion);
        if semicolon {
            expansion.push(';');
        }
        self.mark(reading, start..end, Mark::Hidden);
        self.unit.readings[reading]
            .declaration_macros
            .push(DeclarationMacro {
                start,
                end,
                expansion,
                joined,
            });
        self.after_declaration = true;
        Some(last + 1)
    }

    fn note_forced_inline(&mut self, reading: usize, byte: usize, words: &[Word]) {
        let forced = |words: &[Word]| {
            words.iter().any(|word| {
                matches!(
                    &*word.text,
                    "always_inline"
                        | "__always_inline__"
                        | "__forceinline"
                        | "constexpr"
                        | "consteval"
                )
            })
        };
        if forced(words)
            || self
                .macros
                .expand(words)
                .is_some_and(|words| forced(&words))
        {
            self.unit.readings[reading].forced_inline.push(byte);
        }
    }

    /// Whether words are nothing but attributes, storage classes and qualifiers.
    fn is_attributes(&self, words: &[Word]) -> bool {
        // Macros of macros of macros can be more words than there is time for.
        let mut budget = 2_000;
        self.are_attributes(words, 0, &mut budget)
    }

    fn are_attributes(&self, words: &[Word], depth: usize, budget: &mut usize) -> bool {
        if depth > 20 {
            return false;
        }
        let mut at = 0;
        while at < words.len() {
            *budget = budget.saturating_sub(1);
            if *budget == 0 {
                return false;
            }
            let name = &*words[at].text;
            if name == "[" && words.get(at + 1).is_some_and(|next| &*next.text == "[") {
                // `[[nodiscard]]`, `[[deprecated("…")]]`
                let rest = &words[at + 2..];
                let close = rest
                    .windows(2)
                    .position(|two| &*two[0].text == "]" && &*two[1].text == "]");
                match close {
                    Some(close) => at += close + 4,
                    None => return false,
                }
            } else if takes_attribute_arguments(name)
                || (name == "noexcept" || name == "throw")
                    && words.get(at + 1).is_some_and(|next| &*next.text == "(")
            {
                match arguments(words, at + 1) {
                    Some((_, after)) => at = after,
                    None => return false,
                }
            } else if name == "extern"
                && words
                    .get(at + 1)
                    .is_some_and(|next| next.kind == TokenKind::String)
            {
                at += 2;
            } else if is_attribute_word(name) {
                at += 1;
            } else if let Some(definition) = self.macros.get(name)
                && words[at].kind == TokenKind::Identifier
                && self.are_attributes(&definition.body, depth + 1, budget)
            {
                at += 1;
                if definition.parameters.is_some() {
                    match arguments(words, at) {
                        Some((_, after)) => at = after,
                        None => return false,
                    }
                }
            } else {
                return false;
            }
        }
        true
    }

    fn directive(
        &mut self,
        reading: usize,
        file: &Arc<SourceText>,
        directive: &Directive,
        active: bool,
        conditionals: &mut Vec<Conditional>,
    ) -> Result<(), TooLarge> {
        let range = directive.start..directive.end;
        if directive.kind.is_conditional() {
            self.mark(reading, range, Mark::Off);
            self.conditional(file, directive, active, conditionals);
            return Ok(());
        }
        if !active {
            self.mark(reading, range, Mark::Off);
            return Ok(());
        }
        let tokens = &file.lines.tokens[directive.tokens.clone()];
        self.unit.readings[reading]
            .stretches
            .push((directive.start, self.position));
        self.position += range.len() as u64 + 1;
        match &directive.kind {
            DirectiveKind::Define => {
                self.mark(reading, range, Mark::Directive);
                if let Some((name, definition)) = &directive.definition {
                    self.macro_event(reading, directive, name, Some(definition.clone()));
                    self.macros.define(name.clone(), definition.clone());
                }
            }
            DirectiveKind::Undef => {
                self.mark(reading, range, Mark::Directive);
                if let Some(name) = tokens.first() {
                    let name: Arc<str> = name.text(&file.text).into();
                    self.macro_event(reading, directive, &name, None);
                    self.macros.undefine(&name);
                }
            }
            DirectiveKind::Include { name, system } => {
                self.mark(reading, range, Mark::Off);
                let (name, system) = match name {
                    Some(name) => (name.clone(), *system),
                    None => self.computed_include(tokens, &file.text),
                };
                let scope = self.scope;
                if let Some(included) = self.include(&file.path, &name, system)? {
                    if self.scope != scope {
                        self.unit.readings[reading]
                            .scopes
                            .push((directive.end, self.scope));
                    }
                    self.mark(reading, directive.start..directive.end, Mark::Include);
                    self.unit.readings[reading]
                        .included
                        .insert(directive.start, included);
                }
            }
            DirectiveKind::PragmaOnce => {
                self.mark(reading, range, Mark::Off);
                self.once.insert(file.path.clone());
            }
            DirectiveKind::Pragma => self.mark(reading, range, Mark::Directive),
            _ => self.mark(reading, range, Mark::Off),
        }
        Ok(())
    }

    fn macro_event(
        &mut self,
        reading: usize,
        directive: &Directive,
        name: &Arc<str>,
        definition: Option<Arc<Macro>>,
    ) {
        let position = self.unit.readings[reading].position(directive.start);
        self.unit.macro_events.push(MacroEvent {
            name: name.clone(),
            reading,
            start: directive.start,
            end: directive.end,
            position,
            definition,
        });
    }

    fn conditional(
        &mut self,
        file: &SourceText,
        directive: &Directive,
        active: bool,
        conditionals: &mut Vec<Conditional>,
    ) {
        let tokens = &file.lines.tokens[directive.tokens.clone()];
        let defined = || {
            tokens.first().is_some_and(|name| {
                let name = name.text(&file.text);
                self.macros.contains(name) || condition::is_operator(name)
            })
        };
        let holds = || {
            let can_include = |name: &str| {
                self.headers.number_of(name).is_some()
                    || self.files.resolve(&file.path, name).is_some()
            };
            condition::holds(&Word::of(tokens, &file.text), &self.macros, &can_include)
        };
        match directive.kind {
            DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                let taken = active
                    && match directive.kind {
                        DirectiveKind::If => holds(),
                        DirectiveKind::Ifdef => defined(),
                        _ => !defined(),
                    };
                conditionals.push(Conditional {
                    outer_active: active,
                    active: taken,
                    taken,
                });
            }
            DirectiveKind::Elif
            | DirectiveKind::Elifdef
            | DirectiveKind::Elifndef
            | DirectiveKind::Else => {
                // An `#else` without an `#if` divides nothing.
                if let Some(last) = conditionals.last_mut() {
                    last.active = last.outer_active
                        && !last.taken
                        && match directive.kind {
                            DirectiveKind::Elif => holds(),
                            DirectiveKind::Elifdef => defined(),
                            DirectiveKind::Elifndef => !defined(),
                            _ => true,
                        };
                    last.taken |= last.active;
                }
            }
            _ => {
                conditionals.pop();
            }
        }
    }

    fn computed_include(&self, tokens: &[Token], text: &str) -> (String, bool) {
        let expanded = self
            .macros
            .expand(&Word::of(tokens, text))
            .unwrap_or_default();
        match expanded.first() {
            Some(first) if first.kind == TokenKind::String => {
                (first.text.trim_matches('"').to_owned(), false)
            }
            _ => {
                let name: String = expanded.iter().map(|word| &*word.text).collect();
                (name.trim_matches(['<', '>']).to_owned(), true)
            }
        }
    }

    fn include(&mut self, from: &str, name: &str, system: bool) -> Result<Option<usize>, TooLarge> {
        let standard = self.headers.number_of(name);
        let resolved = match (system, standard) {
            (true, Some(_)) => None,
            _ => self.files.resolve(from, name),
        };
        if let Some(file) = resolved {
            if self.once.contains(&file.path) {
                return Ok(None);
            }
            if self.depth >= MAX_DEPTH {
                return Err(TooLarge {
                    bound: format!("includes nested deeper than {MAX_DEPTH} at `{name}`"),
                });
            }
            return self.file(file).map(Some);
        }
        let list = match standard {
            Some(number) => {
                self.macros.include(number);
                &mut self.unit.system_headers
            }
            None => &mut self.unit.missing_headers,
        };
        if !list.iter().any(|known| known == name) {
            list.push(name.to_owned());
        }
        Ok(None)
    }
}

fn next_is(tokens: &[Token], at: usize, text: &str, wanted: &str) -> bool {
    tokens
        .get(at + 1)
        .is_some_and(|next| next.text(text) == wanted)
}

fn closing(tokens: &[Token], open: usize, text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text(text) {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

fn takes_attribute_arguments(name: &str) -> bool {
    matches!(
        name,
        "__attribute__" | "__attribute" | "__declspec" | "alignas" | "_Pragma" | "__pragma"
    )
}

fn is_attribute_word(name: &str) -> bool {
    matches!(
        name,
        "static"
            | "inline"
            | "extern"
            | "register"
            | "const"
            | "volatile"
            | "restrict"
            | "__inline"
            | "__inline__"
            | "__forceinline"
            | "__restrict"
            | "__restrict__"
            | "__const"
            | "__volatile__"
            | "_Noreturn"
            | "__extension__"
            | "__cdecl"
            | "__stdcall"
            | "__fastcall"
            | "__thread"
            | "_Thread_local"
            | "thread_local"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "explicit"
            | "virtual"
            | "noexcept"
            | "override"
            | "final"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        let file = |&(path, text): &(&str, &str)| {
            (
                path.to_owned(),
                Arc::new(SourceText::new(path.to_owned(), text.to_owned())),
            )
        };
        list.iter().map(file).collect()
    }

    fn headers() -> StandardHeaders {
        let limits = "#define INT_MAX 2147483647\n".to_owned();
        StandardHeaders::new(
            Language::C,
            "#define __GNUC__ 12\n",
            [("limits.h".to_owned(), Some(limits))],
        )
    }

    /// What the parser sees of the root, blanks folded.
    fn seen(list: &[(&str, &str)]) -> String {
        let unit = read("a.c", &files(list), &headers(), &[]).expect("small");
        let root = unit
            .readings
            .iter()
            .find(|reading| reading.file.path == "a.c")
            .expect("the root is read");
        root.masked(|mark| mark == Mark::Code)
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
    }

    #[test]
    fn only_the_branch_in_force_is_seen() {
        let text = "#if __GNUC__ > 4\nint a;\n#elif 1\nint b;\n#else\nint c;\n#endif\n#ifdef _WIN32\nint d;\n#endif\n";
        assert_eq!(seen(&[("a.c", text)]), "int a;");
        let text = "#include <limits.h>\n#if INT_MAX > 32767\nint wide;\n#endif\n";
        assert_eq!(seen(&[("a.c", text)]), "int wide;");
    }

    #[test]
    fn a_header_with_a_guard_counts_once() {
        let header = "#ifndef H\n#define H\nint h;\n#endif\n";
        let list = files(&[
            ("a.c", "#include \"h.h\"\n#include \"h.h\"\nint a;\n"),
            ("h.h", header),
        ]);
        let unit = read("a.c", &list, &headers(), &[]).expect("small");
        let seen: Vec<_> = unit
            .readings
            .iter()
            .map(|reading| reading.masked(|mark| mark == Mark::Code).trim().to_owned())
            .collect();
        assert_eq!(seen, ["int a;", "int h;", ""]);
        let positions: Vec<_> = unit
            .readings
            .iter()
            .map(|reading| reading.position(23))
            .collect();
        assert!(
            positions[1] < unit.readings[0].position(36),
            "included text stands before what follows it"
        );
    }

    #[test]
    fn attributes_and_identity_macros_are_hidden() {
        let defines = "#define API __attribute__((visibility(\"default\")))\n#define EXPORT(type) API type\n#define LOCAL static\n";
        let text =
            format!("{defines}EXPORT(int) f(void) __attribute__((pure));\nLOCAL API int g;\n");
        assert_eq!(seen(&[("a.c", &text)]), "int f(void) ; int g;");
    }

    #[test]
    fn declaration_macros_are_noted_with_what_they_declare() {
        let text = "#define PAIR(T) struct pair_##T { T a, b; };\nPAIR(int)\nint x;\n#define NOTHING(x)\nNOTHING(1)\nint y;\n";
        assert_eq!(seen(&[("a.c", text)]), "int x; int y;");
        let unit = read("a.c", &files(&[("a.c", text)]), &headers(), &[]).expect("small");
        assert_eq!(
            unit.readings[0].declaration_macros[0].expansion,
            "struct pair_int { int a , b ; } ;"
        );
    }

    #[test]
    fn function_bodies_are_left_as_written() {
        let text = "#define CHECK(x) do { if (!(x)) return 0; } while (0)\nint f(int a) { CHECK(a); return 1; }\n";
        assert_eq!(
            seen(&[("a.c", text)]),
            "int f(int a) { CHECK(a); return 1; }"
        );
    }

    #[test]
    fn includes_that_never_end_are_refused() {
        let endless = read(
            "a.c",
            &files(&[("a.c", "#include \"a.c\"\n")]),
            &headers(),
            &[],
        );
        assert!(
            endless
                .expect_err("endless")
                .bound
                .contains("nested deeper")
        );
    }

    #[test]
    fn missing_headers_are_named() {
        let unit = read(
            "a.c",
            &files(&[("a.c", "#include <absl/x.h>\n#include \"gone.h\"\n")]),
            &headers(),
            &[],
        );
        assert_eq!(unit.expect("small").missing_headers, ["absl/x.h", "gone.h"]);
    }

    #[test]
    fn the_recipe_can_define_macros() {
        let list = files(&[("a.c", "#if LEVEL == 3 && defined(ON)\nint a;\n#endif\n")]);
        let unit = read(
            "a.c",
            &list,
            &headers(),
            &["LEVEL=3".to_owned(), "ON".to_owned()],
        )
        .expect("small");
        assert_eq!(
            unit.readings[1].masked(|mark| mark == Mark::Code).trim(),
            "int a;"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "(#(if|ifdef|else|elif|endif|define|undef|include) ?|[a-c(){};,#\"' 0-9]|\n|/\\*|\\*/|\\\\\n|é){0,60}") {
            let unit = read("a.c", &files(&[("a.c", &text)]), &headers(), &[]);
            if let Ok(unit) = unit {
                for reading in &unit.readings {
                    proptest::prop_assert_eq!(reading.masked(|_| false).len(), reading.file.text.len());
                }
            }
        }
    }
}
