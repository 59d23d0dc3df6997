//! A table of the kinds of nodes of a language: what each is, and where its parts are.
//!
//! A line is `KIND…: ROLE PART… + WORDS`. A part is the name of a field, the index of a child, `*` for the other
//! children, `-` for none, or `=OPERATOR`. The words after `+` are those that people use for the construct. Other lines:
//!
//! | line | meaning |
//! | --- | --- |
//! | `%operator A: B` | the operator `A` is `B` in C; with `+ WORDS` what it does |
//! | `%type A: B` | the type `A` is known as `B` |
//! | `%value A: WORDS` | a name that is known everywhere |
//! | `%last: return` | the last expression of a function is its result |
//! | `%around: A | B` | the text before and after a method that is not code alone |

use std::collections::HashMap;
use std::num::NonZeroU16;

use tree_sitter::Language;

use crate::source::known_words::KnownWords;

/// The role of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A wrapper: what its children are.
    Inner,
    /// Nothing that is read.
    Pass,
    // Statements.
    Block,
    If,
    Unless,
    While,
    Until,
    Do,
    For,
    Loop,
    Each,
    Switch,
    Case,
    Break,
    Continue,
    Goto,
    Return,
    Throw,
    Try,
    Catch,
    Declare,
    Function,
    // Expressions.
    Name,
    Number,
    String,
    Character,
    True,
    False,
    Null,
    This,
    Call,
    Method,
    Index,
    Member,
    Path,
    Binary,
    Compare,
    Unary,
    Postfix,
    Assign,
    Conditional,
    Cast,
    List,
    Lambda,
    New,
    Comprehension,
    Parameter,
}

impl Role {
    fn named(word: &str) -> Option<Role> {
        Some(match word {
            "inner" => Role::Inner,
            "pass" => Role::Pass,
            "block" => Role::Block,
            "if" => Role::If,
            "unless" => Role::Unless,
            "while" => Role::While,
            "until" => Role::Until,
            "do" => Role::Do,
            "for" => Role::For,
            "loop" => Role::Loop,
            "each" => Role::Each,
            "switch" => Role::Switch,
            "case" => Role::Case,
            "break" => Role::Break,
            "continue" => Role::Continue,
            "goto" => Role::Goto,
            "return" => Role::Return,
            "throw" => Role::Throw,
            "try" => Role::Try,
            "catch" => Role::Catch,
            "declare" => Role::Declare,
            "function" => Role::Function,
            "name" => Role::Name,
            "number" => Role::Number,
            "string" => Role::String,
            "character" => Role::Character,
            "true" => Role::True,
            "false" => Role::False,
            "null" => Role::Null,
            "this" => Role::This,
            "call" => Role::Call,
            "method" => Role::Method,
            "index" => Role::Index,
            "member" => Role::Member,
            "path" => Role::Path,
            "binary" => Role::Binary,
            "compare" => Role::Compare,
            "unary" => Role::Unary,
            "postfix" => Role::Postfix,
            "assign" => Role::Assign,
            "conditional" => Role::Conditional,
            "cast" => Role::Cast,
            "list" => Role::List,
            "lambda" => Role::Lambda,
            "new" => Role::New,
            "comprehension" => Role::Comprehension,
            "parameter" => Role::Parameter,
            _ => return None,
        })
    }

    /// True if a node of this role is a statement.
    pub(super) fn is_statement(self) -> bool {
        matches!(
            self,
            Role::Block
                | Role::If
                | Role::Unless
                | Role::While
                | Role::Until
                | Role::Do
                | Role::For
                | Role::Loop
                | Role::Each
                | Role::Switch
                | Role::Case
                | Role::Break
                | Role::Continue
                | Role::Goto
                | Role::Return
                | Role::Throw
                | Role::Try
                | Role::Catch
                | Role::Declare
                | Role::Function
        )
    }
}

/// Where a part of a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Nowhere.
    None,
    /// In a field.
    Field(NonZeroU16),
    /// The child of this index.
    Child(u8),
    /// The children that no other part is.
    Rest,
    /// It is this operator.
    Operator(&'static str),
}

/// The most parts of a node.
pub(super) const PARTS: usize = 5;

/// What a kind of node is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) role: Role,
    pub(super) parts: [Part; PARTS],
    /// The words for the construct.
    pub(super) words: &'static str,
}

/// The kinds of a language, and its words.
#[derive(Debug, Default)]
pub(super) struct Kinds {
    by_id: Vec<Option<Kind>>,
    operators: HashMap<&'static str, (&'static str, &'static str)>,
    types: HashMap<&'static str, &'static str>,
    /// The words of names.
    pub(super) words: KnownWords,
    pub(super) last_is_result: bool,
    /// The text before and after a method that is not code alone.
    pub(super) around: Option<(&'static str, &'static str)>,
    /// The lines that fit no grammar, see the test.
    unknown: Vec<String>,
}

impl Kinds {
    /// Reads a table. Kinds and fields that the grammar lacks are skipped: two dialects may share a table.
    pub(super) fn read(grammar: &Language, table: &'static str, library: &'static str) -> Self {
        let mut kinds = Kinds {
            by_id: vec![None; grammar.node_kind_count()],
            ..Kinds::default()
        };
        for line in table.lines().filter(|line| !line.starts_with('#')) {
            let (line, words) = line.split_once(" + ").unwrap_or((line, ""));
            let Some((names, rest)) = line.split_once(": ") else {
                continue;
            };
            let rest = rest.trim();
            match names.split_once(' ').unwrap_or((names, "")) {
                ("%operator", name) => {
                    kinds.operators.insert(name, (rest, words));
                }
                ("%type", names) => {
                    let names = names.split_ascii_whitespace();
                    kinds.types.extend(names.map(|name| (name, rest)));
                }
                ("%value", names) => kinds.words.add_values(names, rest),
                ("%last", _) => kinds.last_is_result = true,
                ("%around", _) => kinds.around = rest.split_once(" | "),
                _ => kinds.line(grammar, names, rest, words),
            }
        }
        kinds.words.add_library(library);
        kinds
    }

    fn line(
        &mut self,
        grammar: &Language,
        names: &'static str,
        rest: &'static str,
        words: &'static str,
    ) {
        let mut rest = rest.split_ascii_whitespace();
        let Some(role) = rest.next().and_then(Role::named) else {
            self.unknown.push(names.to_owned());
            return;
        };
        let mut parts = [Part::None; PARTS];
        for (part, word) in parts.iter_mut().zip(rest) {
            let operator = word.strip_prefix('=').map(Part::Operator);
            let index = word.parse().ok().map(Part::Child);
            let known = match word {
                "-" => Some(Part::None),
                "*" => Some(Part::Rest),
                _ => operator.or(index),
            };
            let field = || grammar.field_id_for_name(word).map(Part::Field);
            let Some(found) = known.or_else(field) else {
                self.unknown.push(format!("{names} {word}"));
                continue;
            };
            *part = found;
        }
        for name in names.split_ascii_whitespace() {
            let id = grammar.id_for_node_kind(name, true);
            match self.by_id.get_mut(usize::from(id)).filter(|_| id != 0) {
                Some(kind) => *kind = Some(Kind { role, parts, words }),
                None => self.unknown.push(name.to_owned()),
            }
        }
    }

    /// What a kind of node is, by its number.
    pub(super) fn of(&self, id: u16) -> Option<Kind> {
        self.by_id.get(usize::from(id)).copied().flatten()
    }

    /// An operator as C has it, and its words.
    pub(super) fn operator<'t>(&self, text: &'t str) -> (&'t str, &'static str) {
        match self.operators.get(text) {
            Some((operator, words)) => (operator, words),
            None => (text, ""),
        }
    }

    /// A name of a type as it is known.
    pub(super) fn type_name<'t>(&self, text: &'t str) -> &'t str {
        self.types.get(text).copied().unwrap_or(text)
    }

    /// The kinds and fields of the table that the grammar does not have.
    #[cfg(test)]
    pub(super) fn unknown(&self) -> &[String] {
        &self.unknown
    }
}
