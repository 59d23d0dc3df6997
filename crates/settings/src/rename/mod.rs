//! A unit's file → its names → the file under other names.
//!
//! 1. [`names`]: which names the file declares, and in which of the language's name spaces; `cpp` does it for C++
//! 2. [`paste`]: which names macros build with `##`, and from what
//! 3. [`Analysis`]: what each identifier token of the file is
//! 4. [`Analysis::renamed`]: the file under a [`Naming`](crate::naming::Naming), in `renaming`
//!
//! Names are mapped per name space (ordinary, tags, members, labels, macros, macro parameters), and no two
//! names ever get the same new one, in whatever name spaces they live. Scopes are not looked at: two locals of
//! one name get one new name, so what shadowed what still does.

mod cpp;
pub mod names;
pub mod paste;
mod renaming;
mod table;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use barecode_corpus::preprocess::directive::DirectiveKind;
use barecode_corpus::preprocess::headers::StandardHeaders;
use barecode_corpus::preprocess::lex::{Token, TokenKind};
use barecode_corpus::preprocess::unit::{Files, SourceText, read};
use barecode_records::{
    KeptName, Language, Renaming, Role, Span,
    c::{Closure, HelperSpan},
};

use self::names::{Declared, Space};
use self::table::Table;
use crate::naming::Taken;

pub use names::is_keyword;

/// A name in one of the name spaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The name space.
    pub space: Space,
    /// The name.
    pub name: Box<str>,
}

/// A name, by its number in the table of names, in a name space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Meaning {
    name: usize,
    space: Space,
}

/// Where an identifier stands and what it means.
#[derive(Debug, Clone)]
struct Occurrence {
    range: Range<usize>,
    meaning: Meaning,
}

/// How many name spaces to tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spaces {
    /// As C does: a member and a variable of one name get two names.
    Apart,
    /// As C does, but for names that stand in arguments of macros, where a member looks like a variable.
    ApartOutsideMacros,
    /// None: one name gets one new name wherever it stands. Coarser, and right where macros hide which is which.
    Joined,
}

/// What a renaming leaves alone, and how finely it tells names apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// How many name spaces are told apart.
    pub spaces: Spaces,
    /// Names that stay wherever they stand, with the reason.
    pub kept: BTreeMap<Box<str>, &'static str>,
    /// Identifiers that are somebody else's, by their first byte in the unit's file: `size` in `items.size()`.
    pub foreign: BTreeSet<usize>,
}

impl Plan {
    /// Tells name spaces apart in this way, and changes every name.
    pub fn new(spaces: Spaces) -> Plan {
        Plan {
            spaces,
            kept: BTreeMap::new(),
            foreign: BTreeSet::new(),
        }
    }
}

/// A file under other names.
#[derive(Debug, Clone, PartialEq)]
pub struct Renamed {
    /// The file.
    pub text: String,
    /// Where the target stands in it.
    pub target: Span,
    /// The target's new name.
    pub function: String,
    /// Where its direct helpers stand, their names included.
    pub helpers: Vec<HelperSpan>,
    /// What was changed, in order of first appearance.
    pub renamed: Vec<Renaming>,
    /// What was not.
    pub kept: Vec<KeptName>,
    /// The characters of the target's text that stand in changed identifiers, as a share of all (CLARC, appendix F.5).
    pub perturbation: f64,
    /// Every replaced identifier: its first byte in the unit's file, and where its new name begins and ends.
    pub replaced: Vec<(usize, Range<usize>)>,
}

/// Why a unit cannot be renamed at all.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum RenameError {
    /// The file cannot be read as one translation unit.
    #[error("the unit cannot be read: {0}")]
    Unreadable(String),
}

/// A unit's file, read once for any number of renamings.
#[derive(Debug)]
pub struct Analysis {
    text: String,
    target: Span,
    helpers: Vec<HelperSpan>,
    function: Box<str>,
    names: Table,
    /// By place in the file.
    occurrences: Vec<Occurrence>,
    /// Places in [`Analysis::occurrences`], those of the target first, then those of its helpers.
    order: Vec<usize>,
    joined: Vec<paste::Joined>,
    kept: BTreeMap<Box<str>, &'static str>,
    /// Names that stand somewhere where no renaming reaches them: the standard library's, keywords.
    lasting: BTreeSet<Box<str>>,
    /// These, and those that are kept: none may become a new name.
    never_new: BTreeSet<Box<str>>,
    /// Names of the project that are also somebody else's in places.
    foreign: BTreeSet<Box<str>>,
    names_reach_object: bool,
}

impl Analysis {
    /// Reads the closure of the function named `function`.
    ///
    /// # Errors
    /// [`RenameError`] when the file includes itself without end, which no closure does.
    pub fn of(
        closure: &Closure,
        function: &str,
        language: Language,
    ) -> Result<Analysis, RenameError> {
        let path = "unit".to_owned();
        let file = Arc::new(SourceText::new(path.clone(), closure.text.clone()));
        let files: Files = [(path, file.clone())].into();
        let headers = StandardHeaders::new(language, "", []);
        let unit = read("unit", &files, &headers, &[])
            .map_err(|error| RenameError::Unreadable(error.bound))?;
        let declared = Declared::of(&unit.readings[0], &file, language);
        let pasted = paste::Pasted::of(&file, &declared);
        let mut names = Table::of(&declared.roles);
        for fragment in &pasted.fragments {
            names.declare(fragment, Space::Fragment, Role::Fragment);
        }
        let mut analysis = Analysis {
            text: closure.text.clone(),
            target: closure.target,
            helpers: closure.helpers.clone(),
            function: function.into(),
            names,
            occurrences: Vec::new(),
            order: Vec::new(),
            joined: pasted.joined,
            kept: pasted.kept,
            lasting: BTreeSet::new(),
            never_new: BTreeSet::new(),
            foreign: BTreeSet::new(),
            names_reach_object: names_reach_object(&file),
        };
        analysis.keep_special(&file);
        analysis.find_occurrences(&file, &declared);
        analysis.note_names(&declared);
        Ok(analysis)
    }

    /// Whether names of the project reach the object's data: `#x`, `assert` or `__func__` stand in the file.
    pub fn names_reach_object(&self) -> bool {
        self.names_reach_object
    }

    /// Names that are not the project's to change.
    fn keep_special(&mut self, file: &SourceText) {
        self.kept.insert("main".into(), "the entry point");
        for directive in &file.lines.directives {
            if directive.kind == DirectiveKind::Pragma {
                for token in &file.lines.tokens[directive.tokens.clone()] {
                    if token.kind == TokenKind::Identifier {
                        self.kept
                            .insert(token.text(&file.text).into(), "named by a #pragma");
                    }
                }
            }
        }
    }

    /// Notes in the table what is known of names as a whole.
    fn note_names(&mut self, declared: &Declared) {
        for joined in &self.joined {
            if let Some(name) = self.names.find(&joined.result) {
                name.is_built = true;
            }
        }
        for one in &declared.joined {
            if let Some(name) = self.names.find(one) {
                name.is_one = true;
            }
        }
        for (kept, &reason) in &self.kept {
            if let Some(name) = self.names.find(kept) {
                name.kept = Some(reason);
            }
        }
    }

    fn find_occurrences(&mut self, file: &SourceText, declared: &Declared) {
        let tokens = &file.lines.tokens;
        let mut in_directive = vec![false; tokens.len()];
        for directive in &file.lines.directives {
            in_directive[directive.first..directive.tokens.end].fill(true);
            let renamed = matches!(directive.kind, DirectiveKind::Define | DirectiveKind::Undef);
            if renamed {
                self.directive_occurrences(file, directive.tokens.clone(), declared);
            }
        }
        // Where the argument list of the innermost macro call ends.
        let mut call_end = 0;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let name = token.text(&file.text);
            if (in_directive[at] || at < call_end)
                && let Some(name) = self.names.find(name)
            {
                name.in_macros = true;
            }
            if in_directive[at] {
                continue;
            }
            let is_macro = self.names.find(name).is_some_and(|name| name.is_macro());
            if is_macro {
                call_end = call_end.max(end_of_call(tokens, at + 1, &file.text));
            }
            if declared.foreign.contains(&token.start) {
                if declared.contains(name) {
                    self.foreign.insert(name.into());
                }
                continue;
            }
            let space = declared.space_at(token.start).unwrap_or(Space::Ordinary);
            let before = at
                .checked_sub(1)
                .map_or("", |before| tokens[before].text(&file.text));
            self.occurrence(token.start..token.end, name, space, before, &[]);
        }
        self.occurrences
            .sort_by_key(|occurrence| occurrence.range.start);
        let renamed: BTreeSet<usize> = self
            .occurrences
            .iter()
            .map(|occurrence| occurrence.range.start)
            .collect();
        let others = tokens
            .iter()
            .filter(|token| token.kind == TokenKind::Identifier && !renamed.contains(&token.start));
        self.lasting = others.map(|token| token.text(&file.text).into()).collect();
        self.never_new = self.lasting.clone();
        self.never_new.extend(self.kept.keys().cloned());
        self.order = self.in_order_of_appearance();
    }

    fn directive_occurrences(
        &mut self,
        file: &SourceText,
        range: Range<usize>,
        declared: &Declared,
    ) {
        let tokens = &file.lines.tokens[range];
        let Some(name) = tokens.first() else { return };
        let parameters = declared.parameters_at(name.start);
        self.occurrence(
            name.start..name.end,
            name.text(&file.text),
            Space::Macro,
            "",
            &[],
        );
        let mut before = "";
        for token in &tokens[1..] {
            let shown = token.text(&file.text);
            if token.kind == TokenKind::Identifier {
                let guessed = match before {
                    "." | "->" => Space::Member,
                    "struct" | "union" | "enum" => Space::Tag,
                    "goto" => Space::Label,
                    _ => Space::Ordinary,
                };
                let space = declared.space_at(token.start).unwrap_or(guessed);
                self.occurrence(token.start..token.end, shown, space, before, parameters);
            }
            before = shown;
        }
    }

    /// Notes an identifier as an occurrence of the name it most likely is.
    fn occurrence(
        &mut self,
        range: Range<usize>,
        name: &str,
        space: Space,
        before: &str,
        parameters: &[Box<str>],
    ) {
        let Some(number) = self.names.number(name) else {
            return;
        };
        let mut push = |space| {
            self.occurrences.push(Occurrence {
                range: range.clone(),
                meaning: Meaning {
                    name: number,
                    space,
                },
            });
        };
        let declared = self.names.name(number);
        if parameters.iter().any(|parameter| **parameter == *name) {
            // `__VA_ARGS__` is a parameter too, and nobody's name.
            if declared.role(Space::Parameter).is_some() {
                push(Space::Parameter);
            }
            return;
        }
        // A macro is replaced wherever its name stands, whatever the parser takes it for.
        if declared.is_macro() {
            push(Space::Macro);
            return;
        }
        let is_access = matches!(before, "." | "->");
        let order: &[Space] = match space {
            Space::Member => &[Space::Member, Space::Fragment],
            Space::Tag => &[Space::Tag, Space::Fragment],
            Space::Label => &[Space::Label, Space::Fragment],
            // An argument of a macro looks like a value and may be anything.
            _ if is_access => &[Space::Member, Space::Fragment],
            _ => &[
                Space::Ordinary,
                Space::Fragment,
                Space::Member,
                Space::Tag,
                Space::Label,
            ],
        };
        let found = order.iter().find(|&&space| declared.role(space).is_some());
        if let Some(&space) = found {
            push(space);
        }
    }

    /// Occurrences in the target, then in its helpers, then in the rest.
    fn in_order_of_appearance(&self) -> Vec<usize> {
        let helper_spans: Vec<Span> = self.helpers.iter().map(|helper| helper.span).collect();
        let inside =
            |span: &Span, at: usize| (span.start as usize..span.end as usize).contains(&at);
        let part = |occurrence: &Occurrence| {
            let at = occurrence.range.start;
            if inside(&self.target, at) {
                0
            } else if helper_spans.iter().any(|span| inside(span, at)) {
                1
            } else {
                2
            }
        };
        let mut ordered: Vec<usize> = (0..self.occurrences.len()).collect();
        ordered.sort_by_key(|&at| part(&self.occurrences[at]));
        ordered
    }
}

/// One past the parenthesis that closes the one at `open`; `open` where there is none.
fn end_of_call(tokens: &[Token], open: usize, text: &str) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.text(text) {
            "(" => depth += 1,
            ")" if depth > 1 => depth -= 1,
            ")" => return at + 1,
            _ if depth == 0 => return open,
            _ => {}
        }
    }
    open
}

/// Whether some construct of the file turns a name into data.
fn names_reach_object(file: &SourceText) -> bool {
    let tokens = &file.lines.tokens;
    tokens
        .iter()
        .enumerate()
        .any(|(at, token)| match token.text(&file.text) {
            "assert" | "static_assert" | "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__" => {
                true
            }
            "#" => tokens
                .get(at + 1)
                .is_some_and(|next| next.kind == TokenKind::Identifier),
            _ => false,
        })
}

/// Whether a new name may be used: not a keyword, not in the file.
pub fn is_free(name: &str, taken: &Taken<'_>) -> bool {
    !is_keyword(name) && !taken.contains(name)
}
