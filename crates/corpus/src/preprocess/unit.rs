//! One source file and all it includes → marked files, in the order in which the compiler reads them.
//!
//! The walk follows directives and includes and tracks the state that decides the meaning of a token. The hard part,
//! the choice of the code to hide from the parser, is in `hide`.
//!
//! In C++ the braces of namespaces and of `extern "C"` are hidden too, whether written out or made by a macro
//! (`LIB_BEGIN_NAMESPACE`): the parser sees everything at file scope, and each byte knows its [`Scope`].

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_languages::lex::{Token, TokenKind};
use barecode_records::Language;
use barecode_sources::CompileOptions;

use super::condition;
use super::directive::{Directive, DirectiveKind};
pub use super::files::{Files, SourceText};
use super::headers::StandardHeaders;
use super::macros::{Macro, MacroTable, Word};
pub use super::reading::{DeclarationMacro, MacroEvent, Mark, Reading, Scope, TranslationUnit};
use super::scope::{self, Brace, Step};

mod hide;
mod stretch;

use stretch::Stretch;

/// Includes or macros that grow beyond every bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLarge {
    /// The bound, in words.
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
    read_as_built(root, files, headers, &CompileOptions::default(), defines)
}

/// Reads it as a build compiles it.
///
/// # Errors
/// As [`read`].
pub fn read_as_built(
    root: &str,
    files: &Files,
    headers: &StandardHeaders,
    options: &CompileOptions,
    defines: &[String],
) -> Result<TranslationUnit, TooLarge> {
    let mut walk = Walk {
        files,
        folders: &options.folders,
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
            assumed_headers: Vec::new(),
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
    let defined = defines.iter().map(|define| match define.split_once('=') {
        Some((name, value)) => format!("#define {name} {value}"),
        None => format!("#define {define} 1"),
    });
    let given: Vec<String> = options.macros.iter().cloned().chain(defined).collect();
    if !given.is_empty() {
        // A path has one text.
        let path = if options.macros.is_empty() {
            "<recipe>".to_owned()
        } else {
            format!("<options of {root}>")
        };
        let text = given.join("\n") + "\n";
        walk.file(&Arc::new(SourceText::new(path, text)))?;
    }
    for name in &options.forced {
        walk.include("", name, false)?;
    }
    if let Some(file) = files.get(root) {
        walk.file(&file)?;
    }
    Ok(walk.unit)
}

struct Walk<'a> {
    files: &'a Files<'a>,
    /// The folders in which includes are looked up, in order, if a build names them.
    folders: &'a [String],
    headers: &'a StandardHeaders,
    unit: TranslationUnit,
    macros: MacroTable,
    once: BTreeSet<String>,
    position: u64,
    bytes: usize,
    depth: usize,
    /// Open braces and parentheses; a declaration macro is outside of both.
    braces: usize,
    parentheses: usize,
    /// Calls of identity macros around the token that is looked at.
    calls: usize,
    /// Calls whose expansion grew beyond bounds.
    bombs: usize,
    /// True if the last token ended a declaration.
    after_declaration: bool,
    /// The state of an enumeration: `enum` before the next brace, or an open brace of an enumeration.
    enumeration: Enumeration,
    /// The scope that is open; braces are counted from it on.
    scope: usize,
    /// The number of braces inside each class of C++ that is open.
    classes: Vec<usize>,
    /// The body of C++ that is open.
    body: Option<Body>,
}

/// The body of a function, or an initializer, that is open.
#[derive(Debug, Clone, Copy)]
struct Body {
    reading: usize,
    start: usize,
    /// Number of braces that are open inside of it.
    braces: usize,
}

/// The position of a walk with respect to an enumeration at file scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Enumeration {
    Outside,
    Announced,
    Inside,
}

/// The expansion of a call, and the names that `##` built on the way.
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
            // A comment stays a comment, except in code that is switched off.
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
        let stretch = Stretch {
            reading,
            text: &file.text,
            tokens: &file.lines.tokens[tokens],
        };
        let mut at = 0;
        while at < stretch.tokens.len() {
            at = self.token(stretch, at);
        }
    }

    /// Looks at the token at `at` and returns the index of the next one to look at.
    fn token(&mut self, stretch: Stretch<'_>, at: usize) -> usize {
        let Stretch {
            reading,
            text,
            tokens,
        } = stretch;
        let token = tokens[at];
        let shown = token.text(text);
        if self.unit.language == Language::CPP
            && self.at_file_scope()
            && let Some(next) = self.scope_token(stretch, at)
        {
            return next;
        }
        if let Some(next) = self.leave_out_unknown_call(stretch, at) {
            return next;
        }
        if token.kind == TokenKind::Identifier
            && let Some(next) = self.hide(stretch, at)
        {
            return next;
        }
        match shown {
            "{" => {
                self.braces += 1;
                let cpp = self.unit.language == Language::CPP;
                // In C members contain no bodies.
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

    /// Leaves out the call of a macro without a definition that stands alone at file scope, as `FLAG(name, "text");`
    /// or on lines of its own: the parser would read it and the code behind it as one.
    fn leave_out_unknown_call(&mut self, stretch: Stretch<'_>, at: usize) -> Option<usize> {
        let name = stretch.shown(at);
        if !(self.at_file_scope()
            && self.after_declaration
            && stretch.tokens[at].kind == TokenKind::Identifier
            && stretch.next_is(at, "(")
            && self.macros.get(name).is_none())
        {
            return None;
        }
        let close = stretch.closing(at + 1)?;
        let capital = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
        let is_capital = name.len() > 2 && name.bytes().all(capital);
        let semicolon = stretch.next_is(close, ";");
        let left_out = if semicolon {
            let literal =
                |token: &Token| matches!(token.kind, TokenKind::String | TokenKind::Number);
            is_capital || stretch.tokens[at..close].iter().any(literal)
        } else {
            let next = stretch.tokens.get(close + 1)?;
            let gap = stretch.text.get(stretch.end(close)..next.start)?;
            // Before `name(` it is the type of a function.
            let declares = next.kind == TokenKind::Identifier && !stretch.next_is(close + 1, "(");
            is_capital && declares && gap.contains('\n')
        };
        if !left_out {
            return None;
        }
        let last = close + usize::from(semicolon);
        let bytes = stretch.start(at)..stretch.end(last);
        self.mark(stretch.reading, bytes, Mark::Off);
        Some(last + 1)
    }

    /// Opens or closes scopes at this token; `None` if it does neither.
    fn scope_token(&mut self, stretch: Stretch<'_>, at: usize) -> Option<usize> {
        let shown = stretch.shown(at);
        let (steps, after) = match shown {
            "}" if self.scope != 0 => (vec![Step::Close], at + 1),
            "namespace" | "inline" | "extern" => {
                let open = scope::opening_brace(stretch.tokens, at, stretch.text)?;
                let words = stretch.words(at..=open);
                let words = self.macros.expand(&words)?;
                (scope::steps(&words)?, open + 1)
            }
            _ if stretch.tokens[at].kind == TokenKind::Identifier => {
                let definition = self.macros.get(shown)?;
                let after = match definition.parameters {
                    None => at + 1,
                    Some(_) if stretch.next_is(at, "(") => stretch.closing(at + 1)? + 1,
                    Some(_) => return None,
                };
                let (words, _) = self.expansion(&stretch.words(at..=after - 1))?;
                (scope::steps(&words)?, after)
            }
            _ => return None,
        };
        let end = stretch.end(after - 1);
        self.mark(stretch.reading, stretch.start(at)..end, Mark::Scope);
        for step in steps {
            self.step(step);
        }
        self.unit.readings[stretch.reading]
            .scopes
            .push((end, self.scope));
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
                    || self
                        .files
                        .resolve(&file.path, name, true, self.folders)
                        .is_some()
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
                // An `#else` without an `#if` has no effect.
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
            _ => self.files.resolve(from, name, system, self.folders),
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
            if let Some(template) = &file.template {
                let assumed = format!("{} from {template}", file.path);
                if !self.unit.assumed_headers.contains(&assumed) {
                    self.unit.assumed_headers.push(assumed);
                }
            }
            return self.file(&file).map(Some);
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

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files<'static> {
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

    /// The text of the root that the parser sees, blanks folded.
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
    fn a_header_in_angle_brackets_is_not_the_file_that_includes_it() {
        let adapter = ("adapters/lib.h", "#include <lib.h>\nint adapted;\n");
        let unit = ("a.c", "#include \"adapters/lib.h\"\n");
        let missing = |list: &[(&str, &str)]| {
            let unit = read("a.c", &files(list), &headers(), &[]);
            unit.expect("no endless include").missing_headers
        };
        assert_eq!(missing(&[adapter, unit]), ["lib.h"]);
        let own = ("include/lib.h", "int own;\n");
        assert_eq!(missing(&[adapter, own, unit]), [""; 0]);
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
        let defines = ["LEVEL=3", "ON"].map(str::to_owned);
        let unit = read("a.c", &list, &headers(), &defines).expect("small");
        let code = unit.readings[1].masked(|mark| mark == Mark::Code);
        assert_eq!(code.trim(), "int a;");
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_read(text in "(#(if|ifdef|else|elif|endif|define|undef|include) ?|[a-c(){};,#\"' 0-9]|\n|/\\*|\\*/|\\\\\n|é){0,60}") {
            let unit = read("a.c", &files(&[("a.c", &text)]), &headers(), &[]);
            for reading in unit.iter().flat_map(|unit| &unit.readings) {
                proptest::prop_assert_eq!(reading.masked(|_| false).len(), reading.file.text.len());
            }
        }
    }
}
