//! A unit's file → its names → the file under other names.
//!
//! 1. [`names`]: which names the file declares, and in which of the language's name spaces; `cpp` does it for C++
//! 2. [`paste`]: which names macros build with `##`, and from what
//! 3. [`Analysis`]: what each identifier token of the file is
//! 4. [`Analysis::renamed`]: the file under a [`Naming`]
//!
//! Names are mapped per name space (ordinary, tags, members, labels, macros, macro parameters), and no two
//! names ever get the same new one, in whatever name spaces they live. Scopes are not looked at: two locals of
//! one name get one new name, so what shadowed what still does.

mod cpp;
pub mod names;
pub mod paste;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use barecode_corpus::preprocess::directive::DirectiveKind;
use barecode_corpus::preprocess::headers::StandardHeaders;
use barecode_corpus::preprocess::lex::{Token, TokenKind};
use barecode_corpus::preprocess::unit::{Files, SourceText, read};
use barecode_records::{Closure, HelperSpan, KeptName, Language, Renaming, Role, Span};

use self::names::{Declared, Space};
use crate::dose::Choice;
use crate::naming::{Naming, Old};

pub use names::is_keyword;

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
    occurrences: Vec<Occurrence>,
    roles: BTreeMap<Key, Role>,
    joined: Vec<paste::Joined>,
    kept: BTreeMap<Box<str>, &'static str>,
    /// Names that stand somewhere where no renaming reaches them: the standard library's, keywords.
    lasting: BTreeSet<Box<str>>,
    /// Names that stand in arguments or replacements of macros.
    in_macros: BTreeSet<Box<str>>,
    /// Names that are one in all name spaces.
    one: BTreeSet<Box<str>>,
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
            one: declared.joined.clone(),
            foreign: BTreeSet::new(),
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

    /// The file under new names, those of them that are chosen.
    pub fn renamed(&self, naming: &mut dyn Naming, choice: &Choice, plan: &Plan) -> Renamed {
        let kept = &plan.kept;
        let group = |key: &Key| -> Key {
            let joined = match plan.spaces {
                _ if self.one.contains(&key.name) => true,
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
        let ordered: Vec<&Occurrence> = self
            .in_order_of_appearance()
            .into_iter()
            .filter(|occurrence| !plan.foreign.contains(&occurrence.range.start))
            .collect();
        let mut renamed = Vec::new();
        let built: BTreeSet<&Box<str>> = self.joined.iter().map(|joined| &joined.result).collect();
        let mut met = BTreeSet::new();
        let mut names: Vec<(Key, Old<'_>)> = Vec::new();
        for occurrence in &ordered {
            let name = &occurrence.key.name;
            if built.contains(name) || is_kept(name).is_some() {
                continue;
            }
            let group = group(&occurrence.key);
            if met.insert(group.clone()) {
                let role = self.role_of(&occurrence.key);
                names.push((group, Old { role, name }));
            }
        }
        let olds: Vec<Old<'_>> = names.iter().map(|(_, old)| *old).collect();
        let chosen = choice.of(&olds);
        // A name that may stay is nobody else's new name.
        taken.extend(
            self.occurrences
                .iter()
                .filter(|occurrence| {
                    choice.is_partial() || plan.foreign.contains(&occurrence.range.start)
                })
                .map(|occurrence| occurrence.key.name.clone()),
        );
        let mut refused = BTreeSet::new();
        for ((group, old), _) in names.into_iter().zip(chosen).filter(|(_, chosen)| *chosen) {
            match naming.next(old, &taken) {
                Some(to) => {
                    taken.insert(to.as_str().into());
                    new_names.insert(group, to);
                }
                None => {
                    refused.insert(old.name);
                }
            }
        }
        // A name that stays may already be another's new one: then everything is done again with it in mind.
        if refused
            .iter()
            .any(|name| new_names.values().any(|to| to == name))
        {
            let mut plan = plan.clone();
            let reason = "there is no other name of this form";
            plan.kept
                .extend(refused.into_iter().map(|name| (name.into(), reason)));
            return self.renamed(naming, choice, &plan);
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
        for occurrence in ordered {
            let key = group(&occurrence.key);
            if let Some(to) = new_names.get(&key)
                && listed.insert(key)
            {
                renamed.push(Renaming {
                    from: occurrence.key.name.to_string(),
                    to: to.clone(),
                    role: self.role_of(&occurrence.key),
                });
            }
        }
        self.write(&new_names, &group, renamed, &is_kept, plan)
    }

    fn role_of(&self, key: &Key) -> Role {
        self.roles.get(key).copied().unwrap_or(Role::Variable)
    }

    /// The name of the identifier that begins at a byte of the unit's file, if it may change.
    pub fn name_at(&self, byte: usize) -> Option<&str> {
        let at = self
            .occurrences
            .binary_search_by_key(&byte, |occurrence| occurrence.range.start);
        at.ok().map(|at| &*self.occurrences[at].key.name)
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
        plan: &Plan,
    ) -> Renamed {
        let mut text = String::with_capacity(self.text.len());
        let mut replaced = Vec::new();
        let mut changed = 0;
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
        let elsewhere = plan
            .foreign
            .iter()
            .filter_map(|&byte| self.name_at(byte))
            .chain(self.foreign.iter().map(|name| &**name));
        kept.extend(elsewhere.map(|name| KeptName {
            name: name.to_owned(),
            reason: KeptName::ELSEWHERE.to_owned(),
        }));
        let mut at = 0;
        for occurrence in &self.occurrences {
            let name = &occurrence.key.name;
            if let Some(reason) = is_kept(name) {
                kept.insert(KeptName {
                    name: name.to_string(),
                    reason: reason.to_owned(),
                });
            }
            if plan.foreign.contains(&occurrence.range.start) {
                continue;
            }
            if let Some(to) = new_names.get(&group(&occurrence.key)) {
                if (self.target.start as usize..self.target.end as usize)
                    .contains(&occurrence.range.start)
                {
                    changed += name.chars().count();
                }
                text.push_str(
                    self.text
                        .get(at..occurrence.range.start)
                        .unwrap_or_default(),
                );
                replaced.push((occurrence.range.start, text.len()..text.len() + to.len()));
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
            // A destructor is called as its class is.
            let (sign, name) = match name.strip_prefix('~') {
                Some(class) => ("~", class),
                None => ("", name),
            };
            let keys = [Space::Ordinary, Space::Member].map(|space| Key {
                space,
                name: name.into(),
            });
            let declared = keys.iter().find(|key| self.roles.contains_key(key));
            let new = declared.and_then(|key| new_names.get(&group(key)));
            format!("{sign}{}", new.map_or(name, String::as_str))
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
            perturbation: changed as f64 / self.target.of(&self.text).chars().count().max(1) as f64,
            text,
            renamed,
            kept: kept.into_iter().collect(),
            replaced,
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
