//! The identifiers of a text that are renamed, with the kind of each.

use std::collections::BTreeMap;

use barecode_corpus::preprocess::lex::{Token, TokenKind, lex};
use barecode_corpus::syntax::parse;
use barecode_records::Language;

use super::branches::{Place, places};
use super::declared::Declared;
use super::header;
use super::keywords::{is_keyword, is_type_keyword};
use barecode_languages::standard_names;

/// The group of CLARC's three that a text belongs to; each was made a little differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Functions that need only the standard library: an unknown name is a macro.
    One,
    /// Functions that need types of their project.
    Two,
    /// Functions that call others of their project.
    Three,
}

/// CLARC's kind of an entity: the beginning of its new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A function.
    Func,
    /// A parameter, a local, or an object at file level.
    Var,
    /// A macro.
    Macro,
    /// A name that `typedef` declares.
    Typedef,
    /// A `struct`, `union` or `enum`.
    Struct,
    /// A `class`.
    Class,
    /// An enumerator.
    Enum,
    /// A member that holds data.
    Field,
    /// A member function.
    Method,
    /// A name that `using` declares.
    Alias,
}

impl Kind {
    /// The part of the name before the number.
    pub(super) fn prefix(self) -> &'static str {
        match self {
            Kind::Func => "func_",
            Kind::Var => "var_",
            Kind::Macro => "MACRO_",
            Kind::Typedef => "typedef_",
            Kind::Struct => "struct_",
            Kind::Class => "class_",
            Kind::Enum => "enum_",
            Kind::Field => "field_",
            Kind::Method => "method_",
            Kind::Alias => "alias_",
        }
    }
}

/// An identifier that gets a new name.
#[derive(Debug, Clone)]
pub(super) struct Entity<'t> {
    /// First byte.
    pub(super) start: usize,
    /// One past the last byte.
    pub(super) end: usize,
    /// The old name.
    pub(super) name: &'t str,
    /// Its kind.
    pub(super) kind: Kind,
    /// The index among several entities with the name: branches may declare one each.
    pub(super) variety: usize,
    /// True if it is the name of a prototype.
    pub(super) prototype: bool,
}

/// The renamed identifiers in their order.
pub(super) fn find(text: &str, group: Group, second_pass: bool) -> Vec<Entity<'_>> {
    let tokens = lex(text);
    let places = places(text, &tokens);
    let mut all: Vec<(Token, Place)> = tokens.into_iter().zip(places).collect();
    all.retain(|(token, _)| token.kind != TokenKind::Newline);
    let active: Vec<Token> = all
        .iter()
        .filter(|(_, place)| *place == Place::Active)
        .map(|(token, _)| *token)
        .collect();
    let hidden = header::hidden(text, &active);
    let shown = shown(text, &all, &hidden);
    let tree = parse(&shown, Language::CPP);
    // The shown text has the same length, and its words are at the same positions.
    let declared = match &tree {
        Some(tree) => Declared::read(text, tree.root_node()),
        None => Declared::default(),
    };
    let reader = Reader {
        text,
        group,
        active: &active,
        declared: &declared,
        hidden: &hidden,
        cpp: is_plainly_cpp(text, &active),
    };
    let mut entities = reader.active();
    reader.directives(&all, &mut entities);
    entities.sort_by_key(|entity| entity.start);
    if second_pass {
        inactive(text, &all, &declared.prototypes, &mut entities);
    }
    entities
}

/// The text with blanks for everything that is not active or is hidden.
fn shown(text: &str, all: &[(Token, Place)], hidden: &[(usize, usize)]) -> String {
    let mut shown: Vec<u8> = text
        .bytes()
        .map(|byte| if byte == b'\n' { b'\n' } else { b' ' })
        .collect();
    for (token, place) in all {
        let in_hidden = hidden
            .iter()
            .any(|(start, end)| (*start..*end).contains(&token.start));
        if *place == Place::Active
            && !in_hidden
            && let (Some(to), Some(from)) = (
                shown.get_mut(token.start..token.end),
                text.as_bytes().get(token.start..token.end),
            )
        {
            to.copy_from_slice(from);
        }
    }
    String::from_utf8_lossy(&shown).into_owned()
}

/// Returns `true` if a text uses a feature that only C++ has.
fn is_plainly_cpp(text: &str, active: &[Token]) -> bool {
    active.iter().any(|token| {
        matches!(
            token.text(text),
            "::" | "noexcept"
                | "constexpr"
                | "static_cast"
                | "operator"
                | "nullptr"
                | "template"
                | "class"
                | "reinterpret_cast"
        )
    })
}

struct Reader<'a, 't> {
    text: &'t str,
    group: Group,
    active: &'a [Token],
    declared: &'a Declared<'t>,
    hidden: &'a [(usize, usize)],
    cpp: bool,
}

impl<'t> Reader<'_, 't> {
    fn word(&self, at: usize) -> &'t str {
        self.active
            .get(at)
            .map_or("", |token| token.text(self.text))
    }

    fn before(&self, at: usize, by: usize) -> &'t str {
        at.checked_sub(by).map_or("", |at| self.word(at))
    }

    /// The entities in active code.
    fn active(&self) -> Vec<Entity<'t>> {
        let mut entities = Vec::new();
        let mut arguments_until = 0; // of a macro
        for (at, token) in self.active.iter().enumerate() {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let Some(kind) = self.kind(at, *token) else {
                continue;
            };
            if kind == Kind::Macro {
                if at < arguments_until {
                    continue;
                }
                if self.word(at + 1) == "(" {
                    arguments_until = header::closing(self.text, self.active, at + 1);
                }
            }
            entities.push(self.entity(*token, kind));
        }
        entities
    }

    fn entity(&self, token: Token, kind: Kind) -> Entity<'t> {
        Entity {
            start: token.start,
            end: token.end,
            name: token.text(self.text),
            kind,
            variety: 0,
            prototype: self.declared.prototype_names.contains(&token.start),
        }
    }

    /// The macros in directives.
    fn directives(&self, all: &[(Token, Place)], entities: &mut Vec<Entity<'t>>) {
        for (token, place) in all {
            let name = token.text(self.text);
            let listed = name != "defined" && !is_keyword(name);
            if listed && matches!(place, Place::Define | Place::Condition(true)) {
                entities.push(self.entity(*token, Kind::Macro));
            }
        }
    }

    /// The kind of the identifier at a position; `None` if it keeps its name.
    fn kind(&self, at: usize, token: Token) -> Option<Kind> {
        let name = token.text(self.text);
        let (before, after) = (self.before(at, 1), self.word(at + 1));
        if is_keyword(name) || self.declared.labels.contains(&token.start) {
            return None;
        }
        if self.is_hidden(token.start) {
            return (!standard_names::is_of_compiler(name)).then_some(Kind::Macro);
        }
        if let Some(kind) = self.declared.places.get(&token.start) {
            return Some(*kind);
        }
        let declared = self.declared;
        if matches!(before, "." | "->") {
            return self.member(at, name);
        }
        if before == "::" {
            return self.qualified(at, name);
        }
        if declared.is_in_prototype(token.start)
            && declared.is(name, Kind::Var)
            && !declared.types.contains(&token.start)
        {
            return None;
        }
        if after == "::" {
            let known = [Kind::Class, Kind::Struct, Kind::Alias, Kind::Typedef];
            let known = known.into_iter().find(|kind| declared.is(name, *kind));
            let standard = standard_names::is_standard(name, Language::CPP);
            return known
                .or_else(|| (!standard && self.is_used_as_type(name)).then(|| self.type_kind(at)));
        }
        if let Some(kinds) = declared.names.get(name) {
            let called = after == "(";
            let order = if called {
                [Kind::Func, Kind::Method, Kind::Var]
            } else {
                [Kind::Var, Kind::Func, Kind::Method]
            };
            let first = order.into_iter().find(|kind| kinds.contains(kind));
            return first.or_else(|| kinds.first().copied());
        }
        if standard_names::is_standard_macro(name, Language::CPP) {
            return Some(Kind::Macro);
        }
        // Without `std::`, only names that C declares are the standard's where a type of the project may be meant.
        let type_of_project = self.group != Group::One
            && declared.types.contains(&token.start)
            && !standard_names::is_standard_type(name, Language::C);
        if standard_names::is_standard(name, Language::CPP) && !type_of_project {
            return None;
        }
        Some(self.unknown(at, token, name))
    }

    fn is_hidden(&self, at: usize) -> bool {
        self.hidden
            .iter()
            .any(|(start, end)| (*start..*end).contains(&at))
    }

    /// A name after `.` or `->`.
    fn member(&self, at: usize, name: &str) -> Option<Kind> {
        let declared = self.declared;
        let own = [Kind::Field, Kind::Method];
        if let Some(kind) = own.into_iter().find(|kind| declared.is(name, *kind)) {
            return Some(kind);
        }
        let standard = standard_names::is_standard(name, Language::CPP);
        if standard && standard_names::is_standard_macro(name, Language::CPP) {
            return Some(Kind::Macro);
        }
        if self.group == Group::One {
            return None;
        }
        let called = self.word(at + 1) == "(";
        let of = declared.type_of.get(self.before(at, 2)).copied();
        let of_standard = of.is_some_and(|of| {
            is_type_keyword(of)
                || of.trim_start_matches("::").starts_with("std::")
                || standard_names::is_standard_type(of, Language::C)
        });
        if of_standard || standard && (called || name.starts_with("tv_")) {
            return None;
        }
        Some(if called { Kind::Method } else { Kind::Field })
    }

    /// A name after `::`.
    fn qualified(&self, at: usize, name: &str) -> Option<Kind> {
        let declared = self.declared;
        let mut root = at;
        while self.before(root, 1) == "::" && root >= 2 {
            let previous = self.before(root, 2);
            let is_name = previous.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && !is_keyword(previous);
            if !is_name {
                break;
            }
            root -= 2;
        }
        let root_name = self.word(root);
        let standard = standard_names::is_standard(name, Language::CPP);
        if root == at {
            let own = declared.is(name, Kind::Func) && !standard;
            return own.then_some(Kind::Func);
        }
        if root_name == "std"
            || !declared.names.contains_key(root_name)
                && standard_names::is_standard(root_name, Language::CPP)
        {
            return None;
        }
        if let Some(kinds) = declared.names.get(name) {
            return kinds.first().copied();
        }
        if self.is_used_as_type(self.before(at, 2)) {
            return Some(Kind::Enum);
        }
        let place = self.active.get(at).map_or(0, |token| token.start);
        if declared.types.contains(&place) {
            return Some(self.type_kind(at));
        }
        if standard || self.group == Group::One || self.word(at + 1) == "::" {
            return None;
        }
        Some(if self.word(at + 1) == "(" {
            Kind::Func
        } else {
            Kind::Enum
        })
    }

    /// Returns `true` if the name is used as a type somewhere in the text, unqualified.
    fn is_used_as_type(&self, name: &str) -> bool {
        self.active.iter().enumerate().any(|(at, token)| {
            token.text(self.text) == name
                && self.declared.types.contains(&token.start)
                && self.word(at + 1) != "::"
        })
    }

    /// The kind of a name that is not declared.
    fn unknown(&self, at: usize, token: Token, name: &str) -> Kind {
        if self.group == Group::One {
            return Kind::Macro;
        }
        if self.declared.types.contains(&token.start) {
            return self.type_kind(at);
        }
        let shouts = !name.chars().any(|c| c.is_ascii_lowercase());
        if shouts {
            Kind::Macro
        } else if self.word(at + 1) == "(" {
            if self.group == Group::Three {
                Kind::Func
            } else {
                Kind::Macro
            }
        } else if self.is_used_as_type(name) {
            self.type_kind(at)
        } else {
            Kind::Enum
        }
    }

    /// The kind of type of an unknown name.
    fn type_kind(&self, at: usize) -> Kind {
        let name = self.word(at);
        let tagged = |tag: &str| {
            self.active
                .iter()
                .enumerate()
                .any(|(place, token)| token.text(self.text) == name && self.before(place, 1) == tag)
        };
        if tagged("struct") || tagged("union") || tagged("enum") {
            return Kind::Struct;
        }
        if tagged("class") {
            return Kind::Class;
        }
        let camel = name.starts_with(|c: char| c.is_ascii_uppercase());
        let has_members = self.active.iter().enumerate().any(|(at, token)| {
            matches!(token.text(self.text), "." | "->")
                && self.declared.type_of.get(self.before(at, 1)) == Some(&name)
        });
        if self.cpp && camel || has_members || self.word(at + 1) == "::" {
            Kind::Struct
        } else {
            Kind::Typedef
        }
    }
}

/// The renames of the second pass in the branches that are not compiled. Names with a new name elsewhere got it, and
/// variables declared in these branches got one; two branches that declare a name with two types declare two.
///
/// The parameters of prototypes, in `kept`, got their names too.
fn inactive<'t>(
    text: &'t str,
    all: &[(Token, Place)],
    kept: &[(usize, usize)],
    entities: &mut Vec<Entity<'t>>,
) {
    let mut known: BTreeMap<&str, Kind> = BTreeMap::new();
    for entity in entities.iter() {
        known.entry(entity.name).or_insert(entity.kind);
    }
    let mut types = declared_types(text, all);
    let mut varieties: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    let mut current: BTreeMap<(bool, &str), usize> = BTreeMap::new();
    let at_place: BTreeMap<usize, usize> = entities
        .iter()
        .enumerate()
        .map(|(at, entity)| (entity.start, at))
        .collect();
    let word = |at: usize| all.get(at).map_or("", |(token, _)| token.text(text));
    let mut added = Vec::new();
    for (at, (token, place)) in all.iter().enumerate() {
        if token.kind != TokenKind::Identifier {
            continue;
        }
        let name = token.text(text);
        let declares = types.remove(&token.start);
        if let Some(of) = &declares {
            let seen = varieties.entry(name).or_default();
            let variety = seen.iter().position(|seen| seen == of);
            let variety = variety.unwrap_or_else(|| {
                seen.push(of.clone());
                seen.len() - 1
            });
            current.insert((*place == Place::Active, name), variety);
        }
        let active = *place == Place::Active;
        let variety = current
            .get(&(active, name))
            .or_else(|| current.get(&(!active, name)));
        let variety = variety.copied().unwrap_or(0);
        if let Some(entity) = at_place
            .get(&token.start)
            .and_then(|at| entities.get_mut(*at))
        {
            if entity.kind == Kind::Var {
                entity.variety = variety;
            }
            continue;
        }
        let parameter = active
            && kept
                .iter()
                .any(|(start, end)| (*start..*end).contains(&token.start));
        if *place != Place::Inactive && !parameter
            || at > 0 && matches!(word(at - 1), "." | "->" | "::")
            || is_keyword(name)
        {
            continue;
        }
        let kind = match known.get(name) {
            Some(kind) => *kind,
            None if declares.is_some() => {
                known.insert(name, Kind::Var);
                Kind::Var
            }
            None => continue,
        };
        added.push(Entity {
            start: token.start,
            end: token.end,
            name,
            kind,
            variety: if kind == Kind::Var { variety } else { 0 },
            prototype: false,
        });
    }
    entities.extend(added);
    entities.sort_by_key(|entity| entity.start);
}

/// Declarations that begin a statement, by the position of the declared name: the text of their type.
fn declared_types(text: &str, all: &[(Token, Place)]) -> BTreeMap<usize, String> {
    let word = |at: usize| all.get(at).map_or("", |(token, _)| token.text(text));
    let is_name = |at: usize| {
        all.get(at)
            .is_some_and(|(token, _)| token.kind == TokenKind::Identifier)
            && !is_keyword(word(at))
    };
    let is_code = |at: usize| {
        all.get(at)
            .is_some_and(|(_, place)| matches!(place, Place::Active | Place::Inactive))
    };
    let mut types = BTreeMap::new();
    let mut at = 0;
    while at < all.len() {
        // After a directive, a brace, a semicolon, or the parenthesis of `for`.
        let begins = at == 0
            || matches!(word(at - 1), ";" | "{" | "}")
            || word(at - 1) == "(" && at > 1 && word(at - 2) == "for"
            || !is_code(at - 1)
            || all.get(at).map(|(_, place)| *place) != all.get(at - 1).map(|(_, place)| *place);
        if !begins || !is_code(at) || !(is_name(at) || is_keyword(word(at))) {
            at += 1;
            continue;
        }
        let mut end = at;
        let mut of = String::new();
        let mut has_type = false;
        let mut angles = 0_i32;
        while end < all.len() {
            let here = word(end);
            let next = word(end + 1);
            angles += match here {
                "<" => 1,
                ">" => -1,
                _ => 0,
            };
            if is_name(end) && has_type && angles == 0 && matches!(next, ";" | "=" | ",") {
                if let Some((token, _)) = all.get(end) {
                    types.insert(token.start, of.clone());
                }
                break;
            }
            if is_name(end) || is_type_keyword(here) {
                has_type |= next != "::";
            } else if !matches!(
                here,
                "const" | "static" | "volatile" | "*" | "&" | "::" | "<" | ">" | "struct"
            ) {
                break;
            }
            of.push_str(here);
            of.push(' ');
            end += 1;
        }
        at += 1;
    }
    types
}
