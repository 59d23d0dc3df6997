//! The names that a file of C or C++ declares, with their name spaces and roles.

use std::collections::{BTreeMap, BTreeSet};

use barecode_languages::words::{WordKind, is_word};
use barecode_records::{Language, Role};

use crate::closure::BEFORE_HEADERS;

/// A name in one of the name spaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// The name space.
    pub space: Space,
    /// The name.
    pub name: Box<str>,
}

/// C's name spaces (C17 section 6.2.3), and those of the preprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Space {
    /// Functions, variables, typedef names, enumerators.
    Ordinary,
    /// Tags of `struct`, `union`, `enum`.
    Tag,
    /// Members; one space for all types.
    Member,
    /// Labels; one space for all functions.
    Label,
    /// Macros.
    Macro,
    /// Parameters of macros.
    Parameter,
    /// Pieces that `##` joins, which are not names by themselves.
    Fragment,
}

/// The names of a file.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(super) language: Language,
    /// The role of each declared name.
    pub roles: BTreeMap<Key, Role>,
    /// C++: identifiers that are surely foreign, by first byte.
    pub foreign: BTreeSet<usize>,
    /// C++: names that represent a member at some positions and something else at others, which no text
    /// distinguishes.
    pub joined: BTreeSet<Box<str>>,
    /// C++: names of the ordinary space that are declared outside of functions.
    pub(super) outside: BTreeSet<Box<str>>,
    /// The name space of identifiers that the parser could place, by first byte.
    pub(super) spaces: BTreeMap<usize, Space>,
    /// The parameters of each macro, by the first byte of its name in its `#define`.
    pub(super) parameters: BTreeMap<usize, Vec<Box<str>>>,
}

impl Declared {
    /// No names yet.
    pub(super) fn new(language: Language) -> Declared {
        Declared {
            language,
            roles: BTreeMap::new(),
            foreign: BTreeSet::new(),
            joined: BTreeSet::new(),
            outside: BTreeSet::new(),
            spaces: BTreeMap::new(),
            parameters: BTreeMap::new(),
        }
    }

    /// The role of a name in a name space.
    pub(crate) fn role(&self, space: Space, name: &str) -> Option<Role> {
        let name = name.into();
        self.roles.get(&Key { space, name }).copied()
    }

    /// Sets the name space of the identifier at a byte.
    pub(super) fn place(&mut self, byte: usize, space: Space) {
        self.spaces.insert(byte, space);
    }

    /// C++: the name space of a plain use of a name. If it cannot be determined, the name spaces become one.
    pub(super) fn meant(&mut self, name: &str, is_local: bool) -> Space {
        if is_local {
            return Space::Ordinary;
        }
        let is_member = self.role(Space::Member, name).is_some();
        let is_other = self.outside.contains(name);
        if is_member && is_other {
            self.joined.insert(name.into());
        }
        if is_member && !is_other {
            Space::Member
        } else {
            Space::Ordinary
        }
    }

    /// The name space of the identifier that begins at a byte, where the parser knows it.
    pub(crate) fn space_at(&self, byte: usize) -> Option<Space> {
        self.spaces.get(&byte).copied()
    }

    /// The parameters of the macro whose name begins at a byte.
    pub(crate) fn parameters_at(&self, byte: usize) -> &[Box<str>] {
        self.parameters.get(&byte).map_or(&[], Vec::as_slice)
    }

    /// Returns `true` if a name is declared in any name space but those of macro parameters and fragments.
    pub(crate) fn contains(&self, name: &str) -> bool {
        let spaces = [
            Space::Ordinary,
            Space::Tag,
            Space::Member,
            Space::Label,
            Space::Macro,
        ];
        spaces.into_iter().any(|space| {
            self.roles.contains_key(&Key {
                space,
                name: name.into(),
            })
        })
    }

    pub(super) fn insert(&mut self, space: Space, name: &str, role: Role) {
        let is_word = match self.language {
            Language::C => is_c_keyword(name),
            _ => is_keyword(name),
        };
        // The first declaration decides: a typedef that a local variable shadows stays a typedef.
        if !name.is_empty() && !is_word && !is_predefined(name) {
            self.roles
                .entry(Key {
                    space,
                    name: name.into(),
                })
                .or_insert(role);
        }
    }
}

/// Words that are not names in C or in C++.
pub(crate) fn is_keyword(name: &str) -> bool {
    const KINDS: WordKind = WordKind::CPP20
        .or(WordKind::ALTERNATIVE)
        .or(WordKind::CONTEXTUAL);
    is_c_keyword(name) || is_word(name, KINDS) || matches!(name, "std" | "__decltype")
}

/// Words that are not names in C: its keywords with gcc's, and the words that the language itself predefines.
fn is_c_keyword(name: &str) -> bool {
    const KINDS: WordKind = WordKind::C17.or(WordKind::C23).or(WordKind::COMPILER);
    is_word(name, KINDS) || matches!(name, "defined" | "__VA_ARGS__" | "__VA_OPT__")
}

/// Names that have a meaning before the first line; a project may redefine them, never rename them.
fn is_predefined(name: &str) -> bool {
    BEFORE_HEADERS.contains(&name) || name.starts_with("__builtin_")
}
