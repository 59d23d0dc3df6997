//! *Text → symbols*: the names in it, their roles, and those that are not to be touched.
//!
//! Enters: a text, its language, and the facts that are known around it. Leaves: [`Symbols`]. Every language has an
//! analysis of its own, and code downstream does not know which one it was ([`analyzed`](crate::analyzed) calls the
//! language's front end):
//!
//! | analysis | knowledge |
//! | --- | --- |
//! | `c` | C and C++: the unit's whole file, its macros, its name spaces |
//! | `python` | Python: the unit's whole module, its scopes, the attributes that it defines |
//! | `tree` | languages that tree-sitter reads: the unit's whole text and its scopes, no types |
//! | [`lexical`] | any language with an entry in `languages`: the text alone, by spelling |
//!
//! A *name* is a spelling. A *symbol* is a name in one of its language's name spaces, where it has a role: a member
//! `size` and a variable `size` are two symbols. An analysis declares symbols, records the occurrences of each, and
//! records for every other identifier why it stays ([`Stays`]). It makes no decision about new names: namings and the
//! one rewriter are in `settings`.
//!
//! If a language cannot distinguish symbols of one spelling, this is recorded in the [`Name`], and they get one new
//! name.

pub(crate) mod c;
pub(crate) mod python;
pub(crate) mod tree;
pub mod lexical;

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use barecode_records::{Closure, KeptName, Role, Span};

/// A check that another text means the same but for its names; an error names the difference.
pub type Same<'t> = dyn Fn(&str) -> Result<(), &'static str> + 't;

/// A closure as its front end reads it.
pub struct Analyzed<'t> {
    /// Its names.
    pub symbols: Symbols,
    /// Checks that another text means the same but for its names; an error names the difference.
    pub same: Box<Same<'t>>,
}

/// The file of a unit cannot be read, and why.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(crate) String);

/// A name space, by a number that has a meaning only in its language's analysis. A language with scopes may give each
/// scope a name space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SpaceId(pub u16);

/// A spelling, and the facts that hold for it in all name spaces.
#[derive(Debug)]
pub struct Name {
    /// The spelling.
    pub text: Box<str>,
    /// True if it is one name in all name spaces, because the language never distinguishes them (a macro).
    pub is_one: bool,
    /// True if it occurs where its name spaces look alike (in arguments of macros).
    pub is_unsure: bool,
    /// True if the text builds it from other names, so that its new name is the join of their new names.
    pub is_built: bool,
    /// The reason why it stays wherever it occurs, if it must.
    pub stays: Option<&'static str>,
    /// The symbol that was declared last.
    last: Option<usize>,
}

/// A name in a name space.
#[derive(Debug, Clone, Copy)]
pub struct Symbol {
    /// The name, by its number.
    pub name: usize,
    /// The name space.
    pub space: SpaceId,
    /// Its role.
    pub role: Role,
    /// The name's symbol that was declared before.
    before: Option<usize>,
}

/// An occurrence of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// The bytes.
    pub range: Range<usize>,
    /// The symbol, by its number.
    pub symbol: usize,
}

/// Why an identifier is not to be touched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stays {
    /// The language reserves the word.
    Keyword,
    /// The language's own library or its compiler declares it.
    Standard,
    /// Nothing in the text declares it.
    External,
    /// The text declares the name, and here it is the name of another thing: `size` in `items.size()`.
    Elsewhere,
    /// Nothing in the text declares it, and it is not the library's: a dependent name of a template, which belongs to
    /// the types that the template is used with.
    Residue,
    /// The language has a reason of its own, which is stored.
    Special(&'static str),
}

impl Stays {
    /// The information for readers of a renamed text; `None` if readers do not expect the name to change.
    pub fn reported(self) -> Option<&'static str> {
        match self {
            Stays::Keyword | Stays::Standard | Stays::External => None,
            Stays::Elsewhere => Some(KeptName::ELSEWHERE),
            Stays::Residue => Some("a dependent name, declared nowhere in the file"),
            Stays::Special(reason) => Some(reason),
        }
    }
}

/// An identifier that is not to be touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    /// The bytes.
    pub range: Range<usize>,
    /// Why.
    pub stays: Stays,
}

/// A name that the text builds from pieces, as C does with `##`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Joined {
    /// The pieces, in order.
    pub pieces: Vec<Box<str>>,
    /// The name that they join to.
    pub result: Box<str>,
}

/// The names of a text.
#[derive(Debug)]
pub struct Symbols {
    names: Vec<Name>,
    numbers: HashMap<Box<str>, usize>,
    declared: Vec<Symbol>,
    occurrences: Vec<Occurrence>,
    fixed: Vec<Fixed>,
    /// Indices into `occurrences`.
    order: Vec<usize>,
    spelled: BTreeSet<Box<str>>,
    /// Names that are built.
    pub joined: Vec<Joined>,
    /// The name spaces that a piece of a built name is looked for in, the likeliest first.
    pub piece_spaces: &'static [SpaceId],
    /// The name spaces that a function is looked for in, the likeliest first.
    pub function_spaces: &'static [SpaceId],
    /// Names that may not become new ones, beside those that stay.
    pub reserved: BTreeSet<Box<str>>,
    /// Returns `true` if the language reserves a word.
    pub is_word: fn(&str) -> bool,
    /// True if some construct of the text turns names into data.
    pub names_are_data: bool,
    /// True if a new name has to begin with a capital exactly where the old one does.
    pub capitals_count: bool,
}

impl Symbols {
    /// No names yet, in a language that reserves these words.
    pub fn new(is_word: fn(&str) -> bool) -> Symbols {
        Symbols {
            names: Vec::new(),
            numbers: HashMap::new(),
            declared: Vec::new(),
            occurrences: Vec::new(),
            fixed: Vec::new(),
            order: Vec::new(),
            spelled: BTreeSet::new(),
            joined: Vec::new(),
            piece_spaces: &[],
            function_spaces: &[],
            reserved: BTreeSet::new(),
            is_word,
            names_are_data: false,
            capitals_count: false,
        }
    }

    /// Declares a name in a name space and returns the symbol.
    pub fn declare(&mut self, name: &str, space: SpaceId, role: Role) -> usize {
        let number = self.number(name).unwrap_or_else(|| {
            self.names.push(Name {
                text: name.into(),
                is_one: false,
                is_unsure: false,
                is_built: false,
                stays: None,
                last: None,
            });
            self.numbers.insert(name.into(), self.names.len() - 1);
            self.names.len() - 1
        });
        if let Some(symbol) = self.symbol(number, space) {
            self.declared[symbol].role = role;
            return symbol;
        }
        let before = self.names[number].last.replace(self.declared.len());
        self.declared.push(Symbol {
            name: number,
            space,
            role,
            before,
        });
        self.declared.len() - 1
    }

    /// Records an occurrence of a symbol.
    pub fn occurs(&mut self, range: Range<usize>, symbol: usize) {
        self.occurrences.push(Occurrence { range, symbol });
    }

    /// Records that an identifier is not to be touched.
    pub fn stays(&mut self, range: Range<usize>, stays: Stays) {
        self.fixed.push(Fixed { range, stays });
    }

    /// Puts the records in order, once all are made. Names appear in the parts first, one part after the other, then
    /// in the rest of the text.
    pub fn settle(&mut self, text: &str, parts: &[&[Span]]) {
        self.occurrences
            .sort_by_key(|occurrence| occurrence.range.start);
        self.fixed.sort_by_key(|fixed| fixed.range.start);
        let spelled: BTreeSet<&str> = self
            .fixed
            .iter()
            .filter_map(|fixed| text.get(fixed.range.clone()))
            .collect();
        self.spelled = spelled.into_iter().map(Box::from).collect();
        let inside =
            |span: &Span, at: usize| (span.start as usize..span.end as usize).contains(&at);
        let part = |occurrence: &Occurrence| {
            let at = occurrence.range.start;
            let found = parts
                .iter()
                .position(|spans| spans.iter().any(|span| inside(span, at)));
            found.unwrap_or(parts.len())
        };
        self.order = (0..self.occurrences.len()).collect();
        let occurrences = &self.occurrences;
        self.order.sort_by_key(|&at| part(&occurrences[at]));
    }

    /// The same for a closure: names appear in the target first, then in its helpers.
    pub(crate) fn settle_in(&mut self, closure: &Closure) {
        let helpers: Vec<Span> = closure.helpers.iter().map(|helper| helper.span).collect();
        self.settle(&closure.text, &[&[closure.target], &helpers]);
    }

    /// All names, by number.
    pub fn names(&self) -> &[Name] {
        &self.names
    }

    /// The number of a name, if the text declares it.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// A name by its number, for adding facts to it.
    pub fn name_mut(&mut self, number: usize) -> &mut Name {
        &mut self.names[number]
    }

    /// A name by its spelling, for adding facts to it.
    pub fn find_mut(&mut self, name: &str) -> Option<&mut Name> {
        self.number(name).map(|number| &mut self.names[number])
    }

    /// All symbols, by number.
    pub fn symbols(&self) -> &[Symbol] {
        &self.declared
    }

    /// The symbols of a name, by number.
    pub fn symbols_of(&self, name: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(self.names[name].last, |&symbol| {
            self.declared[symbol].before
        })
    }

    /// The symbol of a name in a name space.
    pub fn symbol(&self, name: usize, space: SpaceId) -> Option<usize> {
        self.symbols_of(name)
            .find(|&symbol| self.declared[symbol].space == space)
    }

    /// The name of a symbol.
    pub fn name_of(&self, symbol: usize) -> &Name {
        &self.names[self.declared[symbol].name]
    }

    /// The occurrences of symbols, by position.
    pub fn occurrences(&self) -> &[Occurrence] {
        &self.occurrences
    }

    /// The same in the order of appearance.
    pub fn in_order(&self) -> impl Iterator<Item = &Occurrence> {
        self.order.iter().map(|&at| &self.occurrences[at])
    }

    /// The name at a byte, if it may change.
    pub fn name_at(&self, byte: usize) -> Option<&str> {
        let at = self
            .occurrences
            .binary_search_by_key(&byte, |occurrence| occurrence.range.start);
        let occurrence = &self.occurrences[at.ok()?];
        Some(&self.name_of(occurrence.symbol).text)
    }

    /// Identifiers that are not to be touched, by position.
    pub fn fixed(&self) -> &[Fixed] {
        &self.fixed
    }

    /// Their spellings: none of them may become a new name.
    pub fn spelled(&self) -> &BTreeSet<Box<str>> {
        &self.spelled
    }

    /// Identifiers that stay where a reader may expect a change, with the reasons.
    pub fn reported<'s>(&'s self, text: &'s str) -> impl Iterator<Item = (&'s str, &'static str)> {
        self.fixed
            .iter()
            .filter_map(|fixed| Some((text.get(fixed.range.clone())?, fixed.stays.reported()?)))
    }
}
