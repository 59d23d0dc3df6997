//! Macros: their table, and their expansion (C17 section 6.10.3).

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use barecode_languages::lex::{Token, TokenKind, lex};
use foldhash::HashMap;

use crate::names::{Mentioned, Mentions, Name, Table};

/// A token with its own text, once it has left its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// Its kind.
    pub kind: TokenKind,
    /// Its text.
    pub text: Arc<str>,
    /// True if a blank was before it.
    pub spaced: bool,
}

impl Word {
    /// The words of some tokens of a text.
    pub fn of(tokens: &[Token], text: &str) -> Vec<Word> {
        let mut previous_end = None;
        let word = |token: &Token| {
            let spaced = previous_end.is_some_and(|end| end != token.start);
            previous_end = Some(token.end);
            Word {
                kind: token.kind,
                text: token.text(text).into(),
                spaced,
            }
        };
        tokens.iter().map(word).collect()
    }

    /// The words of a text.
    pub fn lex(text: &str) -> Vec<Word> {
        let mut tokens = lex(text);
        tokens.retain(|token| token.kind != TokenKind::Newline);
        Word::of(&tokens, text)
    }

    fn is(&self, text: &str) -> bool {
        &*self.text == text
    }
}

/// A macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macro {
    /// Its parameters; `None` for object-like macros.
    pub parameters: Option<Vec<Arc<str>>>,
    /// True if the last parameter receives all further arguments.
    pub variadic: bool,
    /// Its replacement.
    pub body: Vec<Word>,
    /// The names in it, built on first use.
    names: OnceLock<MacroNames>,
}

/// The names in a macro.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MacroNames {
    /// True if it builds names with `##`.
    pub(crate) joins: bool,
    /// Every identifier of its replacement.
    pub(crate) words: Vec<Name>,
    /// The mentions of its replacement.
    pub(crate) mentioned: Mentioned,
}

impl Macro {
    /// Reads the text after `#define`; `None` if it is not a definition.
    pub fn parse(tokens: &[Token], text: &str) -> Option<(Arc<str>, Macro)> {
        let (name, rest) = tokens.split_first()?;
        if name.kind != TokenKind::Identifier {
            return None;
        }
        let function_like = rest
            .first()
            .is_some_and(|t| t.start == name.end && t.text(text) == "(");
        if !function_like {
            let body = Word::of(rest, text);
            return Some((
                name.text(text).into(),
                Macro {
                    parameters: None,
                    variadic: false,
                    body,
                    names: OnceLock::new(),
                },
            ));
        }
        let close = rest.iter().position(|token| token.text(text) == ")")?;
        let mut parameters: Vec<Arc<str>> = Vec::new();
        let mut variadic = false;
        for token in &rest[1..close] {
            match token.text(text) {
                "," => {}
                "..." => {
                    // `args...` names the rest; a bare `...` is `__VA_ARGS__`.
                    let named = token.start > 0
                        && text.as_bytes()[token.start - 1] != b','
                        && parameters.last().is_some_and(|last| {
                            text.get(..token.start)
                                .is_some_and(|t| t.trim_end().ends_with(&**last))
                        });
                    variadic = true;
                    if !named {
                        parameters.push("__VA_ARGS__".into());
                    }
                }
                parameter => parameters.push(parameter.into()),
            }
        }
        let body = Word::of(&rest[close + 1..], text);
        Some((
            name.text(text).into(),
            Macro {
                parameters: Some(parameters),
                variadic,
                body,
                names: OnceLock::new(),
            },
        ))
    }
}

impl Macro {
    /// Its names, as numbers of the table of its source.
    pub(crate) fn names(&self, table: &mut Table) -> &MacroNames {
        self.names.get_or_init(|| {
            let identifiers = self.body.iter();
            let identifiers = identifiers.filter(|word| word.kind == TokenKind::Identifier);
            MacroNames {
                joins: self.body.iter().any(|word| word.is("##")),
                words: identifiers.map(|word| table.name(&word.text)).collect(),
                mentioned: Mentioned::of(&self.mentions(), table),
            }
        })
    }

    /// Its names, if they were built before.
    pub(crate) fn known_names(&self) -> &MacroNames {
        let names = self.names.get();
        names.expect("the macros of a unit have numbers for their names")
    }

    /// The mentions of its replacement, read without knowing its later position.
    fn mentions(&self) -> Mentions {
        let mut mentions = Mentions::default();
        let parameters = self.parameters.as_deref().unwrap_or_default();
        for (at, word) in self.body.iter().enumerate() {
            if word.kind != TokenKind::Identifier || parameters.contains(&word.text) {
                continue;
            }
            let name: Box<str> = (*word.text).into();
            let before = at.checked_sub(1).map(|before| &*self.body[before].text);
            match before {
                Some("." | "->") => {
                    mentions.fields.insert(name.clone());
                }
                Some("struct" | "union" | "enum") => {
                    mentions.tags.insert(name.clone());
                }
                _ => {
                    mentions.values.insert(name.clone());
                }
            }
            mentions.words.insert(name);
        }
        mentions
    }
}

/// The macros in force at a position in a translation unit.
///
/// The headers of a C++ unit define thousands of macros, so including one only notes its number. Its definitions are
/// looked up in a table that all units share.
#[derive(Debug, Clone, Default)]
pub struct MacroTable {
    /// The macros that the source itself defined, or undefined.
    own: HashMap<Arc<str>, Option<Arc<Macro>>>,
    standard: Option<Arc<StandardMacros>>,
    /// The numbers of the headers that were included.
    included: Vec<bool>,
}

/// A macro that several headers may define, and its name.
type Shared = (Arc<str>, Arc<Macro>);

/// The macros of all standard headers, by name.
#[derive(Debug, Default)]
pub struct StandardMacros {
    /// For each name the headers that define it, by number, and how.
    by_name: HashMap<Arc<str>, Vec<(usize, Arc<Macro>)>>,
    headers: usize,
    /// Each line that was read, once: headers share most of what they include.
    lines: HashMap<Box<str>, Option<Shared>>,
}

impl StandardMacros {
    /// Adds a header's `#define` lines, and returns its number.
    pub fn add(&mut self, lines: &str) -> usize {
        let number = self.headers;
        self.headers += 1;
        for line in lines.lines() {
            let known = self.lines.get(line).cloned().unwrap_or_else(|| {
                let read = definition(line);
                let read = read.map(|(name, definition)| (name, Arc::new(definition)));
                self.lines.insert(line.into(), read.clone());
                read
            });
            let Some((name, definition)) = known else {
                continue;
            };
            let all = self.by_name.entry(name).or_default();
            // The last definition of a header counts.
            all.retain(|(known, _)| *known != number);
            all.push((number, definition));
        }
        number
    }

    /// Drops what only adding needs.
    #[must_use]
    pub fn ready(mut self) -> Self {
        self.lines = HashMap::default();
        self
    }
}

/// Reads `#define` lines as `gcc -dM -E` prints them.
fn definitions(lines: &str) -> impl Iterator<Item = (Arc<str>, Macro)> {
    lines.lines().filter_map(definition)
}

/// Reads one of them.
fn definition(line: &str) -> Option<(Arc<str>, Macro)> {
    let rest = line.trim_start().strip_prefix("#define ")?;
    let mut tokens = lex(rest);
    tokens.retain(|token| token.kind != TokenKind::Newline);
    Macro::parse(&tokens, rest)
}

/// The maximum growth of an expansion before it is given up.
const MAX_WORDS: usize = 20_000;
const MAX_DEPTH: usize = 200;

/// The remaining budget of an expansion, and its notes. Replacements nest, and so do arguments that are calls.
struct Budget {
    words: usize,
    depth: usize,
    joined: BTreeSet<Arc<str>>,
}

impl MacroTable {
    /// Reads `#define` lines as `gcc -dM -E` prints them.
    pub fn from_defines(lines: &str) -> MacroTable {
        let mut table = MacroTable::default();
        for (name, definition) in definitions(lines) {
            table.define(name, definition);
        }
        table
    }

    /// A table that can include the headers of `standard`.
    pub fn over(standard: Arc<StandardMacros>) -> MacroTable {
        MacroTable {
            own: HashMap::default(),
            included: vec![false; standard.headers],
            standard: Some(standard),
        }
    }

    /// Defines the macros of a standard header, by its number.
    pub fn include(&mut self, header: usize) {
        let Some(standard) = &self.standard else {
            return;
        };
        self.included[header] = true;
        // Earlier definitions of these names by the source are gone.
        let defines = |name: &Arc<str>| {
            let all = standard.by_name.get(name).map_or(&[][..], Vec::as_slice);
            all.iter().any(|(number, _)| *number == header)
        };
        self.own.retain(|name, _| !defines(name));
    }

    /// Defines a macro, or replaces one of the same name.
    pub fn define(&mut self, name: Arc<str>, definition: impl Into<Arc<Macro>>) {
        self.own.insert(name, Some(definition.into()));
    }

    /// Forgets a macro.
    pub fn undefine(&mut self, name: &str) {
        if self.get(name).is_some() {
            self.own.insert(name.into(), None);
        }
    }

    /// The macro of that name.
    pub fn get(&self, name: &str) -> Option<&Arc<Macro>> {
        if let Some(known) = self.own.get(name) {
            return known.as_ref();
        }
        let all = self.standard.as_ref()?.by_name.get(name)?;
        let in_force = |(number, _): &&(usize, Arc<Macro>)| self.included[*number];
        all.iter()
            .rev()
            .find(in_force)
            .map(|(_, definition)| definition)
    }

    /// Returns `true` if the name is a macro.
    pub fn contains(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// Replaces every macro in `words`, again and again, a macro never inside its own replacement.
    ///
    /// `None` when the result grows beyond bounds (a macro bomb).
    pub fn expand(&self, words: &[Word]) -> Option<Vec<Word>> {
        self.expand_noting(words).map(|(expanded, _)| expanded)
    }

    /// The same, with every name that `##` built on the way, those that were macros themselves included.
    pub fn expand_noting(&self, words: &[Word]) -> Option<(Vec<Word>, BTreeSet<Arc<str>>)> {
        let mut out = Vec::new();
        let mut budget = Budget {
            words: MAX_WORDS,
            depth: MAX_DEPTH,
            joined: BTreeSet::new(),
        };
        self.expand_into(words, &mut Vec::new(), &mut out, &mut budget)?;
        Some((out, budget.joined))
    }

    fn expand_into(
        &self,
        words: &[Word],
        active: &mut Vec<Arc<str>>,
        out: &mut Vec<Word>,
        budget: &mut Budget,
    ) -> Option<()> {
        budget.depth = budget.depth.checked_sub(1)?;
        let mut at = 0;
        while at < words.len() {
            let word = &words[at];
            at += 1;
            budget.words = budget.words.checked_sub(1)?;
            if word.is("defined") {
                // The operand of `defined` is a name, not a use of it.
                let operand = if words.get(at).is_some_and(|next| next.is("(")) {
                    3
                } else {
                    1
                };
                let after = (at + operand).min(words.len());
                out.extend_from_slice(&words[at - 1..after]);
                at = after;
                continue;
            }
            let definition = match word.kind {
                TokenKind::Identifier if !active.iter().any(|name| **name == *word.text) => {
                    self.get(&word.text)
                }
                _ => None,
            };
            let Some(definition) = definition else {
                out.push(word.clone());
                continue;
            };
            let replacement = match &definition.parameters {
                None => paste(&definition.body, &mut budget.joined),
                Some(parameters) => {
                    let Some((arguments, after)) = arguments(words, at) else {
                        out.push(word.clone());
                        continue;
                    };
                    at = after;
                    self.substitute(definition, parameters, &arguments, active, budget)?
                }
            };
            // The rest of the replacement may take arguments from the text that follows it; joining it with the rest
            // of the line keeps that case (`#define f g` … `f(x)`).
            active.push(word.text.clone());
            let ends_in_call = replacement.last().is_some_and(|last| {
                let function_like = self.get(&last.text).is_some_and(|m| m.parameters.is_some());
                function_like && words.get(at).is_some_and(|next| next.is("("))
            });
            if ends_in_call && let Some((_, after)) = arguments(words, at) {
                let mut joined = replacement;
                joined.extend_from_slice(&words[at..after]);
                at = after;
                self.expand_into(&joined, active, out, budget)?;
            } else {
                self.expand_into(&replacement, active, out, budget)?;
            }
            active.pop();
        }
        budget.depth += 1;
        Some(())
    }

    fn substitute(
        &self,
        definition: &Macro,
        parameters: &[Arc<str>],
        arguments: &[Vec<Word>],
        active: &mut Vec<Arc<str>>,
        budget: &mut Budget,
    ) -> Option<Vec<Word>> {
        let argument = |name: &str| -> Option<Vec<Word>> {
            let index = parameters
                .iter()
                .position(|parameter| **parameter == *name)?;
            if definition.variadic && index + 1 == parameters.len() {
                let rest = arguments.get(index..).unwrap_or_default();
                let comma = Word {
                    kind: TokenKind::Punctuator,
                    text: ",".into(),
                    spaced: false,
                };
                return Some(rest.join(&comma));
            }
            Some(arguments.get(index).cloned().unwrap_or_default())
        };
        let mut out = Vec::new();
        let body = &definition.body;
        let mut at = 0;
        while at < body.len() {
            let word = &body[at];
            let next_pastes = body.get(at + 1).is_some_and(|next| next.is("##"));
            let previous_pastes = at > 0 && body[at - 1].is("##");
            if word.is("#")
                && let Some(name) = body.get(at + 1)
                && let Some(words) = argument(&name.text)
            {
                out.push(stringify(&words));
                at += 2;
                continue;
            }
            match argument(&word.text).filter(|_| word.kind == TokenKind::Identifier) {
                Some(mut words) if next_pastes || previous_pastes => {
                    if words.is_empty() {
                        words.push(Word {
                            kind: TokenKind::Punctuator,
                            text: "".into(),
                            spaced: false,
                        });
                    }
                    out.extend(words);
                }
                Some(words) => self.expand_into(&words, active, &mut out, budget)?,
                None => out.push(word.clone()),
            }
            at += 1;
        }
        Some(paste(&out, &mut budget.joined))
    }
}

/// The arguments of a call whose `(` is at `at`, and the end of the call; `None` if there is no call.
pub fn arguments(words: &[Word], at: usize) -> Option<(Vec<Vec<Word>>, usize)> {
    if !words.get(at)?.is("(") {
        return None;
    }
    let mut arguments = vec![Vec::new()];
    let mut depth = 1;
    for (offset, word) in words[at + 1..].iter().enumerate() {
        match &*word.text {
            "(" => depth += 1,
            ")" => depth -= 1,
            "," if depth == 1 => {
                arguments.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if depth == 0 {
            return Some((arguments, at + offset + 2));
        }
        arguments
            .last_mut()
            .expect("there is always a last argument")
            .push(word.clone());
    }
    None
}

/// Joins the words around each `##`, and notes the resulting names.
fn paste(words: &[Word], noted: &mut BTreeSet<Arc<str>>) -> Vec<Word> {
    let mut out: Vec<Word> = Vec::with_capacity(words.len());
    let mut at = 0;
    while at < words.len() {
        if words[at].is("##") && !out.is_empty() && at + 1 < words.len() {
            let left = out.pop().expect("just checked");
            let joined = format!("{}{}", left.text, words[at + 1].text);
            let mut pasted = Word::lex(&joined);
            if let Some(first) = pasted.first_mut() {
                first.spaced = left.spaced;
            }
            let names = pasted
                .iter()
                .filter(|word| word.kind == TokenKind::Identifier);
            noted.extend(names.map(|word| word.text.clone()));
            out.extend(pasted);
            at += 2;
        } else {
            out.push(words[at].clone());
            at += 1;
        }
    }
    out.retain(|word| !word.text.is_empty());
    out
}

fn stringify(words: &[Word]) -> Word {
    let mut text = String::from("\"");
    for (index, word) in words.iter().enumerate() {
        if index > 0 && word.spaced {
            text.push(' ');
        }
        for character in word.text.chars() {
            let literal = matches!(word.kind, TokenKind::String | TokenKind::Character);
            if literal && matches!(character, '"' | '\\') {
                text.push('\\');
            }
            text.push(character);
        }
    }
    text.push('"');
    Word {
        kind: TokenKind::String,
        text: text.into(),
        spaced: true,
    }
}

/// The words as a text that lexes to the same words.
pub fn join(words: &[Word]) -> String {
    let mut text = String::new();
    for word in words {
        if !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&word.text);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(defines: &str, text: &str) -> String {
        let table = MacroTable::from_defines(defines);
        join(&table.expand(&Word::lex(text)).expect("no bomb"))
    }

    #[test]
    fn objects_and_functions_are_replaced_again_and_again() {
        assert_eq!(expanded("#define A B\n#define B (1+C)", "A"), "( 1 + C )");
        assert_eq!(
            expanded("#define F(x,y) x*y\n#define G F", "G(1,(2,3)) F"),
            "1 * ( 2 , 3 ) F"
        );
        assert_eq!(expanded("#define X X+1", "X"), "X + 1");
    }

    #[test]
    fn pasting_and_stringifying_take_arguments_as_written() {
        assert_eq!(
            expanded("#define E(n) PRE(n)\n#define PRE(n) code_##n", "E(bad)"),
            "code_bad"
        );
        assert_eq!(
            expanded("#define S(x) #x\n#define A 1", "S(A + \"q\")"),
            "\"A + \\\"q\\\"\""
        );
        assert_eq!(expanded("#define C(a,b) a##b", "C(,x) C(y,)"), "x y");
    }

    #[test]
    fn names_that_are_built_are_noted_even_where_they_are_macros() {
        let table = MacroTable::from_defines("#define V(n) code_##n\n#define code_a 1");
        let (expanded, joined) = table
            .expand_noting(&Word::lex("V(a) V(b)"))
            .expect("no bomb");
        assert_eq!(join(&expanded), "1 code_b");
        assert_eq!(
            joined.iter().map(|name| &**name).collect::<Vec<_>>(),
            ["code_a", "code_b"]
        );
    }

    #[test]
    fn variadic_macros_take_the_rest() {
        assert_eq!(
            expanded("#define L(f,...) g(f,__VA_ARGS__)", "L(1,2,3)"),
            "g ( 1 , 2 , 3 )"
        );
        assert_eq!(
            expanded("#define L(f,args...) g(f,args)", "L(1,2,3)"),
            "g ( 1 , 2 , 3 )"
        );
    }

    #[test]
    fn a_bomb_is_given_up() {
        let mut defines = vec!["#define A0 x x".to_owned()];
        for level in 1..40 {
            let below = level - 1;
            defines.push(format!("#define A{level} A{below} A{below}"));
        }
        let table = MacroTable::from_defines(&defines.join("\n"));
        assert!(table.expand(&Word::lex("A39")).is_none());
    }
}
