//! A unit's file → its names → the file under other names.
//!
//! 1. [`names`]: which names the file declares, and in which of C's name spaces
//! 2. [`paste`]: which names macros build with `##`, and from what
//! 3. [`Analysis`]: what each identifier token of the file is
//! 4. [`Analysis::renamed`]: the file under a [`Naming`]
//!
//! Names are mapped per name space (ordinary, tags, members, labels, macros, macro parameters), and no two
//! names ever get the same new one, in whatever name spaces they live. Scopes are not looked at: two locals of
//! one name get one new name, so what shadowed what still does.

pub mod names;
pub mod paste;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use barecode_corpus::preprocess::directive::DirectiveKind;
use barecode_corpus::preprocess::headers::StandardHeaders;
use barecode_corpus::preprocess::lex::{Token, TokenKind};
use barecode_corpus::preprocess::unit::{Files, SourceText, read};
use barecode_records::{Closure, HelperSpan, KeptName, Renaming, Role, Span};

use names::{Declared, Space, is_keyword};

/// A name in one of the name spaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The name space.
    pub space: Space,
    /// The name.
    pub name: Box<str>,
}

/// Where an identifier stands and which name it is.
#[derive(Debug, Clone)]
struct Occurrence {
    range: Range<usize>,
    key: Key,
}

/// Gives new names.
pub trait Naming {
    /// A new name for a name of this role; called once for each name, in order of first appearance, the
    /// target's text first. It must not be in `taken`.
    fn next(&mut self, role: Role, taken: &BTreeSet<Box<str>>) -> String;
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

/// A file under other names.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    occurrences: Vec<Occurrence>,
    roles: BTreeMap<Key, Role>,
    joined: Vec<paste::Joined>,
    kept: BTreeMap<Box<str>, &'static str>,
    /// Names that stand somewhere where no renaming reaches them: the standard library's, keywords.
    lasting: BTreeSet<Box<str>>,
    /// Names that stand in arguments or replacements of macros.
    in_macros: BTreeSet<Box<str>>,
    names_reach_object: bool,
}

impl Analysis {
    /// Reads the closure of the function named `function`.
    ///
    /// # Errors
    /// [`RenameError`] when the file includes itself without end, which no closure does.
    pub fn of(closure: &Closure, function: &str) -> Result<Analysis, RenameError> {
        let path = "unit.c".to_owned();
        let file = Arc::new(SourceText::new(path.clone(), closure.text.clone()));
        let files: Files = [(path, file.clone())].into();
        let unit = read("unit.c", &files, &StandardHeaders::default(), &[])
            .map_err(|error| RenameError::Unreadable(error.bound))?;
        let declared = Declared::of(&unit.readings[0], &file);
        let pasted = paste::Pasted::of(&file, &declared);
        let mut analysis = Analysis {
            text: closure.text.clone(),
            target: closure.target,
            helpers: closure.helpers.clone(),
            function: function.into(),
            occurrences: Vec::new(),
            roles: declared.roles.clone(),
            joined: pasted.joined,
            kept: pasted.kept,
            lasting: BTreeSet::new(),
            in_macros: BTreeSet::new(),
            names_reach_object: names_reach_object(&file),
        };
        for fragment in pasted.fragments {
            analysis.roles.insert(
                Key {
                    space: Space::Fragment,
                    name: fragment,
                },
                Role::Fragment,
            );
        }
        analysis.keep_special(&file);
        analysis.find_occurrences(&file, &declared);
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
            if in_directive[at] || at < call_end {
                self.in_macros.insert(name.into());
            }
            if in_directive[at] {
                continue;
            }
            if self.is_macro_too(name) {
                call_end = call_end.max(end_of_call(tokens, at + 1, &file.text));
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
        let key = |space| Key {
            space,
            name: name.into(),
        };
        if parameters.iter().any(|parameter| **parameter == *name) {
            // `__VA_ARGS__` is a parameter too, and nobody's name.
            if self.roles.contains_key(&key(Space::Parameter)) {
                self.occurrences.push(Occurrence {
                    range,
                    key: key(Space::Parameter),
                });
            }
            return;
        }
        // A macro is replaced wherever its name stands, whatever the parser takes it for.
        let macro_key = key(Space::Macro);
        if self.roles.contains_key(&macro_key) {
            self.occurrences.push(Occurrence {
                range,
                key: macro_key,
            });
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
        let found = order
            .iter()
            .map(|&space| key(space))
            .find(|key| self.roles.contains_key(key));
        if let Some(key) = found {
            self.occurrences.push(Occurrence { range, key });
        }
    }

    /// The file under new names. `kept` are further names to leave alone, with the reason.
    pub fn renamed(
        &self,
        naming: &mut dyn Naming,
        spaces: Spaces,
        kept: &BTreeMap<Box<str>, &'static str>,
    ) -> Renamed {
        let group = |key: &Key| -> Key {
            let joined = match spaces {
                Spaces::Apart => self.is_macro_too(&key.name),
                Spaces::ApartOutsideMacros => {
                    self.is_macro_too(&key.name) || self.in_macros.contains(&key.name)
                }
                Spaces::Joined => true,
            };
            let space = if joined { Space::Ordinary } else { key.space };
            Key {
                space,
                name: key.name.clone(),
            }
        };
        let is_kept = |name: &str| kept.get(name).or_else(|| self.kept.get(name)).copied();
        let mut new_names: BTreeMap<Key, String> = BTreeMap::new();
        // A name that is given up everywhere may be given again: what was neutralized before stays as it is.
        let mut taken = self.lasting.clone();
        taken.extend(self.kept.keys().chain(kept.keys()).cloned());
        let mut renamed = Vec::new();
        let built: BTreeSet<&Box<str>> = self.joined.iter().map(|joined| &joined.result).collect();
        for occurrence in self.in_order_of_appearance() {
            let name = &occurrence.key.name;
            let group = group(&occurrence.key);
            let known = new_names.contains_key(&group) || built.contains(name);
            if known || is_kept(name).is_some() {
                continue;
            }
            let role = self
                .roles
                .get(&occurrence.key)
                .copied()
                .unwrap_or(Role::Variable);
            let to = naming.next(role, &taken);
            taken.insert(to.as_str().into());
            new_names.insert(group, to);
        }
        // A name that `##` builds is built from the new pieces.
        let new_of = |new_names: &BTreeMap<Key, String>, name: &str| -> String {
            let spaces = [
                Space::Fragment,
                Space::Ordinary,
                Space::Macro,
                Space::Tag,
                Space::Parameter,
            ];
            let keys = spaces.into_iter().map(|space| {
                group(&Key {
                    space,
                    name: name.into(),
                })
            });
            keys.into_iter()
                .find_map(|key| new_names.get(&key).cloned())
                .unwrap_or_else(|| name.to_owned())
        };
        // A piece may be built itself; what it is built of is known after a round.
        let rounds = std::iter::repeat_n(&self.joined, 3);
        for joined in rounds.flatten() {
            let pieces = joined.pieces.iter().map(|piece| new_of(&new_names, piece));
            let built: String = pieces.collect();
            for space in Space::ALL {
                let key = Key {
                    space,
                    name: joined.result.clone(),
                };
                if self.roles.contains_key(&key) && is_kept(&joined.result).is_none() {
                    new_names.insert(group(&key), built.clone());
                }
            }
        }
        let mut listed = BTreeSet::new();
        for occurrence in self.in_order_of_appearance() {
            let key = group(&occurrence.key);
            if let Some(to) = new_names.get(&key)
                && listed.insert(key)
            {
                let role = self
                    .roles
                    .get(&occurrence.key)
                    .copied()
                    .unwrap_or(Role::Variable);
                renamed.push(Renaming {
                    from: occurrence.key.name.to_string(),
                    to: to.clone(),
                    role,
                });
            }
        }
        self.write(&new_names, &group, renamed, &is_kept)
    }

    fn is_macro_too(&self, name: &str) -> bool {
        self.roles.contains_key(&Key {
            space: Space::Macro,
            name: name.into(),
        })
    }

    /// Occurrences in the target, then in its helpers, then in the rest.
    fn in_order_of_appearance(&self) -> Vec<&Occurrence> {
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
        let mut ordered: Vec<&Occurrence> = self.occurrences.iter().collect();
        ordered.sort_by_key(|occurrence| (part(occurrence), occurrence.range.start));
        ordered
    }

    fn write(
        &self,
        new_names: &BTreeMap<Key, String>,
        group: &dyn Fn(&Key) -> Key,
        renamed: Vec<Renaming>,
        is_kept: &dyn Fn(&str) -> Option<&'static str>,
    ) -> Renamed {
        let mut text = String::with_capacity(self.text.len());
        // Old and new byte of the end of each replacement, to carry spans over.
        let mut moved: Vec<(usize, usize)> = vec![(0, 0)];
        // A piece that joins to somebody else's name is no name by itself; that it stays is said all the same.
        let pieces = self
            .kept
            .iter()
            .filter(|(name, _)| self.lasting.contains(*name));
        let mut kept: BTreeSet<KeptName> = pieces
            .map(|(name, &reason)| KeptName {
                name: name.to_string(),
                reason: reason.to_owned(),
            })
            .collect();
        let mut at = 0;
        for occurrence in &self.occurrences {
            let name = &occurrence.key.name;
            if let Some(reason) = is_kept(name) {
                kept.insert(KeptName {
                    name: name.to_string(),
                    reason: reason.to_owned(),
                });
            }
            if let Some(to) = new_names.get(&group(&occurrence.key)) {
                text.push_str(
                    self.text
                        .get(at..occurrence.range.start)
                        .unwrap_or_default(),
                );
                text.push_str(to);
                at = occurrence.range.end;
                moved.push((at, text.len()));
            }
        }
        text.push_str(self.text.get(at..).unwrap_or_default());
        let carry = |old: u32| -> u32 {
            let old = old as usize;
            // A span may begin with a replaced name: its start is where the text before it ends.
            let index = moved
                .partition_point(|&(from, _)| from <= old)
                .saturating_sub(1);
            let (from, to) = moved[index];
            u32::try_from(to + (old - from)).unwrap_or(u32::MAX)
        };
        let span = |span: Span| Span {
            start: carry(span.start),
            end: carry(span.end),
        };
        let new_of_function = |name: &str| {
            let key = group(&Key {
                space: Space::Ordinary,
                name: name.into(),
            });
            new_names
                .get(&key)
                .cloned()
                .unwrap_or_else(|| name.to_owned())
        };
        let helper = |helper: &HelperSpan| HelperSpan {
            name: new_of_function(&helper.name),
            function_id: helper.function_id.clone(),
            span: span(helper.span),
        };
        Renamed {
            target: span(self.target),
            function: new_of_function(&self.function),
            helpers: self.helpers.iter().map(helper).collect(),
            text,
            renamed,
            kept: kept.into_iter().collect(),
        }
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
pub fn is_free(name: &str, taken: &BTreeSet<Box<str>>) -> bool {
    !is_keyword(name) && !taken.contains(name)
}
