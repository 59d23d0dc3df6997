//! Names that macros build with `##`.
//!
//! `#define ERROR(name) ((size_t)-PREFIX(name))` with `#define PREFIX(name) error_##name` makes `error_full` out of
//! `ERROR(full)`. Renaming `error_full` to `enum_0` alone would break that: the pieces have to change so that they
//! still join to the new name. So the pieces get new names, and the built name is their join. If a macro builds a
//! name that is not the project's (`uint##n##_t`), its pieces stay. So does a piece that is a name of the library
//! elsewhere: `EIO` in `ERROR(EIO)`, where another line has `#define error_EIO (-EIO)`.

use std::collections::{BTreeMap, BTreeSet};

use barecode_languages::standard_names::is_standard;

use crate::preprocess::directive::DirectiveKind;
use crate::preprocess::lex::TokenKind;
use crate::preprocess::macros::{Macro, MacroTable, Word, arguments};
use crate::preprocess::unit::SourceText;

use super::declared::{Declared, is_keyword};
use crate::symbols::Joined;

/// The effects of `##` in a file.
#[derive(Debug, Default)]
pub(crate) struct Pasted {
    /// Names of the project that are built.
    pub joined: Vec<Joined>,
    /// Pieces that are not names by themselves and can be renamed.
    pub fragments: BTreeSet<Box<str>>,
    /// Pieces and names that must stay, with the reason.
    pub kept: BTreeMap<Box<str>, &'static str>,
}

impl Pasted {
    /// Follows every macro call of a file and notes the joined names.
    pub(crate) fn of(file: &SourceText, declared: &Declared) -> Pasted {
        if !file
            .lines
            .tokens
            .iter()
            .any(|token| token.text(&file.text) == "##")
        {
            return Pasted::default();
        }
        let found = Found::of(file);
        let mut pasted = Pasted::default();
        let is_of_library =
            |name: &str| found.alone.contains(name) && is_standard(name, declared.language);
        for (pieces, result) in found.joins {
            let names: Vec<&Box<str>> = pieces
                .iter()
                .filter(|piece| is_name(piece) && !is_keyword(piece))
                .collect();
            if declared.contains(&result) {
                for name in names.into_iter().filter(|name| !declared.contains(name)) {
                    pasted.fragments.insert(name.clone());
                    if is_of_library(name) {
                        pasted
                            .kept
                            .insert(name.clone(), "a name of the library too");
                    }
                }
                pasted.joined.push(Joined { pieces, result });
            } else {
                for name in names {
                    pasted.kept.insert(
                        name.clone(),
                        "joined by ## to a name that is not the project's",
                    );
                }
            }
        }
        pasted.settle();
        pasted
    }

    /// A piece that must stay somewhere stays everywhere; a name with two ways to be built stays, and so do
    /// its pieces.
    fn settle(&mut self) {
        let mut ways: BTreeMap<Box<str>, BTreeSet<Vec<Box<str>>>> = BTreeMap::new();
        for joined in &self.joined {
            ways.entry(joined.result.clone())
                .or_default()
                .insert(joined.pieces.clone());
        }
        for (result, ways) in ways.into_iter().filter(|(_, ways)| ways.len() > 1) {
            self.kept
                .insert(result, "joined by ## in more than one way");
            for piece in ways.into_iter().flatten().filter(|piece| is_name(piece)) {
                self.kept.insert(piece, "joined by ## in more than one way");
            }
        }
        self.joined.sort();
        self.joined.dedup();
        self.fragments
            .retain(|fragment| !self.kept.contains_key(fragment));
    }
}

fn is_name(piece: &str) -> bool {
    piece
        .bytes()
        .next()
        .is_some_and(|byte| byte.is_ascii_alphabetic() || byte == b'_' || byte >= 0x80)
}

type Join = (Vec<Box<str>>, Box<str>);

/// The result of expanding the macro calls of a file.
#[derive(Default)]
struct Found {
    joins: BTreeSet<Join>,
    /// Identifiers that are left, neither joined nor made a string nor replaced.
    alone: BTreeSet<Box<str>>,
}

impl Found {
    fn of(file: &SourceText) -> Found {
        let mut table = MacroTable::default();
        let mut found = Found::default();
        let mut from = 0;
        let tokens = &file.lines.tokens;
        for directive in &file.lines.directives {
            let words = Word::of(&tokens[from..directive.first], &file.text);
            found.calls(&words, &table);
            from = directive.tokens.end;
            let tokens = &tokens[directive.tokens.clone()];
            // A macro that is forgotten may have been used by one that is not: it stays known.
            if directive.kind == DirectiveKind::Define
                && let Some((name, definition)) = Macro::parse(tokens, &file.text)
            {
                table.define(name, definition);
            }
        }
        found.calls(&Word::of(&tokens[from..], &file.text), &table);
        found
    }

    fn calls(&mut self, words: &[Word], table: &MacroTable) {
        let mut budget = 20_000;
        self.follow(words, table, &mut Vec::new(), &mut budget);
    }

    /// Expands the calls among `words` one level at a time and notes joins.
    fn follow(
        &mut self,
        words: &[Word],
        table: &MacroTable,
        active: &mut Vec<String>,
        budget: &mut usize,
    ) {
        if active.len() > 60 {
            return;
        }
        // Arguments are looked at for calls of their own; where they end up is known from the replacement.
        let mut behind_arguments = 0;
        for (at, word) in words.iter().enumerate() {
            if word.kind != TokenKind::Identifier {
                continue;
            }
            let definition = table.get(&word.text);
            let Some(definition) =
                definition.filter(|_| !active.iter().any(|it| **it == *word.text))
            else {
                if at >= behind_arguments {
                    self.alone.insert((*word.text).into());
                }
                continue;
            };
            *budget = budget.saturating_sub(1);
            if *budget == 0 {
                return;
            }
            let replaced = match &definition.parameters {
                None => self.substitute(definition, &[], table),
                Some(_) => match arguments(words, at + 1) {
                    Some((arguments, end)) => {
                        behind_arguments = behind_arguments.max(end);
                        // Arguments are expanded before they are inserted, except next to `##`.
                        self.substitute(definition, &arguments, table)
                    }
                    None => continue,
                },
            };
            active.push(word.text.to_string());
            self.follow(&replaced, table, active, budget);
            active.pop();
        }
    }

    /// The replacement with its arguments inserted and its joins made.
    fn substitute(
        &mut self,
        definition: &Macro,
        arguments: &[Vec<Word>],
        table: &MacroTable,
    ) -> Vec<Word> {
        let parameters = definition.parameters.as_deref().unwrap_or_default();
        let argument = |word: &Word| -> Option<Vec<Word>> {
            let index = parameters
                .iter()
                .position(|parameter| *parameter == word.text)?;
            if definition.variadic && index + 1 == parameters.len() {
                return Some(arguments.get(index..).unwrap_or_default().concat());
            }
            Some(arguments.get(index).cloned().unwrap_or_default())
        };
        let body = &definition.body;
        let mut out: Vec<Word> = Vec::new();
        let mut at = 0;
        while at < body.len() {
            // `#x` makes a string of its argument.
            if definition.parameters.is_some() && &*body[at].text == "#" {
                at += 2;
                continue;
            }
            let mut chain = vec![argument(&body[at]).unwrap_or_else(|| vec![body[at].clone()])];
            while at + 2 < body.len() && &*body[at + 1].text == "##" {
                chain.push(argument(&body[at + 2]).unwrap_or_else(|| vec![body[at + 2].clone()]));
                at += 2;
            }
            at += 1;
            if chain.len() == 1 {
                let words = chain.remove(0);
                let expanded = argument(&body[at - 1]).and_then(|words| table.expand(&words));
                out.extend(expanded.unwrap_or(words));
                continue;
            }
            // Only the words next to `##` join; an argument of several words keeps the others.
            let mut pieces: Vec<Box<str>> = Vec::new();
            let mut leading: Vec<Word> = Vec::new();
            let mut trailing: Vec<Word> = Vec::new();
            let last = chain.len() - 1;
            for (index, mut words) in chain.into_iter().enumerate() {
                if words.is_empty() {
                    continue;
                }
                let joined = if index == 0 {
                    words.pop()
                } else {
                    Some(words.remove(0))
                };
                pieces.extend(joined.map(|word| (*word.text).into()));
                match index {
                    0 => leading = words,
                    _ if index == last => trailing = words,
                    _ => {}
                }
            }
            let result: String = pieces.iter().map(|piece| &**piece).collect();
            out.extend(leading);
            out.extend(Word::lex(&result));
            out.extend(trailing);
            if is_name(&result) && pieces.len() > 1 {
                self.joins.insert((pieces, result.into()));
            }
        }
        out
    }
}
