//! Symbols of C and C++: a unit's file → the names that it declares, and their positions.
//!
//! 1. [`declared`]: the declarations of the file, in the language's name spaces, read by `c_tree` (C), `cpp_tree`
//!    (C++) and `macros` (replacements of macros)
//! 2. [`paste`]: the names that macros build with `##`, and their pieces
//! 3. `passed`: names that no declaration shows, of macros' arguments and mentioned tags
//! 4. [`of_closure`]: the meaning of each identifier token of the file
//!
//! Names are distinguished by name space (ordinary, tags, members, labels, macros, macro parameters), not by scope:
//! two locals of one name are one symbol, so shadowing stays the same under any renaming. A name without a
//! declaration in the file is the standard library's or the compiler's and stays.

mod c_tree;
mod cpp_tree;
pub(crate) mod declared;
mod dependent;
mod macros;
mod passed;
pub(crate) mod paste;

use std::collections::BTreeMap;
use std::sync::Arc;

use barecode_languages::standard_names::is_standard;
use barecode_records::{Closure, Language, Role};

use self::declared::{Declared, Space, is_keyword};
use self::dependent::Dependent;
use super::{SpaceId, Stays, Symbols, Unreadable};
use crate::preprocess::directive::DirectiveKind;
use crate::preprocess::headers::StandardHeaders;
use crate::preprocess::lex::{Token, TokenKind};
use crate::preprocess::unit::{Files, Mark, Reading, SourceText, TooLarge, read};

/// The number of a name space.
const fn id(space: Space) -> SpaceId {
    SpaceId(space as u16)
}

/// The name spaces in which a piece of a built name is looked up.
const PIECES: &[SpaceId] = &[
    id(Space::Fragment),
    id(Space::Ordinary),
    id(Space::Macro),
    id(Space::Tag),
    id(Space::Parameter),
];

/// The name spaces in which a function is looked up.
const FUNCTIONS: &[SpaceId] = &[id(Space::Ordinary), id(Space::Member)];

/// The symbols of a closure's file. They appear in the target first, then in its helpers.
///
/// # Errors
/// [`Unreadable`] when the file includes itself without end, which no closure does.
pub(crate) fn of_closure(closure: &Closure, language: Language) -> Result<Symbols, Unreadable> {
    let path = "unit".to_owned();
    let file = Arc::new(SourceText::new(path.clone(), closure.text.clone()));
    let files: Files = [(path, file.clone())].into();
    let headers = StandardHeaders::new(language, "", []);
    let unreadable =
        |error: TooLarge| Unreadable(format!("the unit cannot be read: {}", error.bound));
    let unit = read("unit", &files, &headers, &[]).map_err(unreadable)?;
    let mut declared = declarations(&unit.readings[0], &file, language);
    let pasted = paste::Pasted::of(&file, &declared);
    passed::declare(&mut declared, &file, &pasted);
    let mut symbols = Symbols::new(is_keyword);
    symbols.piece_spaces = PIECES;
    symbols.function_spaces = FUNCTIONS;
    symbols.names_are_data = names_are_data(&file);
    for (key, &role) in &declared.roles {
        symbols.declare(&key.name, id(key.space), role);
    }
    for fragment in &pasted.fragments {
        symbols.declare(fragment, id(Space::Fragment), Role::Fragment);
    }
    let mut kept = pasted.kept;
    keep_special(&mut kept, &file);
    for joined in &pasted.joined {
        if let Some(name) = symbols.find_mut(&joined.result) {
            name.is_built = true;
        }
    }
    symbols.joined = pasted.joined;
    for key in declared
        .roles
        .keys()
        .filter(|key| key.space == Space::Macro)
    {
        // A macro is replaced wherever its name occurs.
        if let Some(name) = symbols.find_mut(&key.name) {
            name.is_one = true;
        }
    }
    for one in &declared.joined {
        if let Some(name) = symbols.find_mut(one) {
            name.is_one = true;
        }
    }
    for (kept, &reason) in &kept {
        if let Some(name) = symbols.find_mut(kept) {
            name.stays = Some(reason);
        }
    }
    let mut in_directive = vec![false; file.lines.tokens.len()];
    for directive in &file.lines.directives {
        in_directive[directive.first..directive.tokens.end].fill(true);
    }
    let mut finder = Finder {
        symbols,
        file: &file,
        declared: &declared,
        kept: &kept,
        language,
        is_symbol: vec![false; in_directive.len()],
        in_directive,
    };
    finder.in_directives();
    finder.in_code();
    finder.rest();
    let mut symbols = finder.symbols;
    symbols.reserved.extend(kept.into_keys());
    symbols.settle_in(closure);
    Ok(symbols)
}

/// The declarations of a file.
fn declarations(reading: &Reading, file: &SourceText, language: Language) -> Declared {
    let mut declared = Declared::new(language);
    if language == Language::C {
        c_tree::read(
            &mut declared,
            &reading.masked(|mark| mark == Mark::Code),
            &c_tree::Places::Own,
        );
        let macros = [&reading.declaration_macros, &reading.inner_macros];
        for call in macros.into_iter().flatten() {
            c_tree::read(&mut declared, &call.expansion, &c_tree::Places::None);
        }
    }
    for directive in file
        .lines
        .directives
        .iter()
        .filter(|directive| directive.kind == DirectiveKind::Define)
    {
        macros::definition(
            &mut declared,
            file,
            &file.lines.tokens[directive.tokens.clone()],
        );
    }
    // The declarations of macros decide the meaning of uses, so they come first.
    if language == Language::CPP {
        cpp_tree::read(&mut declared, reading, file);
    }
    declared
}

/// Names that are not the project's to change.
fn keep_special(kept: &mut BTreeMap<Box<str>, &'static str>, file: &SourceText) {
    kept.insert("main".into(), "the entry point");
    for directive in &file.lines.directives {
        if directive.kind == DirectiveKind::Pragma {
            for token in &file.lines.tokens[directive.tokens.clone()] {
                if token.kind == TokenKind::Identifier {
                    kept.insert(token.text(&file.text).into(), "named by a #pragma");
                }
            }
        }
    }
}

/// Finds the occurrences of symbols.
struct Finder<'a> {
    symbols: Symbols,
    file: &'a SourceText,
    declared: &'a Declared,
    kept: &'a BTreeMap<Box<str>, &'static str>,
    language: Language,
    /// By token.
    in_directive: Vec<bool>,
    /// By token: true if it is the occurrence of a symbol.
    is_symbol: Vec<bool>,
}

impl<'a> Finder<'a> {
    fn in_code(&mut self) {
        let (file, declared) = (self.file, self.declared);
        let tokens = &file.lines.tokens;
        // The end of the argument list of the innermost macro call.
        let mut call_end = 0;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let Some(number) = self.symbols.number(token.text(&file.text)) else {
                continue;
            };
            if self.in_directive[at] || at < call_end {
                self.symbols.name_mut(number).is_unsure = true;
            }
            if self.in_directive[at] {
                continue;
            }
            if self.is_macro(number) {
                call_end = call_end.max(end_of_call(tokens, at + 1, &file.text));
            }
            if declared.foreign.contains(&token.start) {
                continue;
            }
            let space = declared.space_at(token.start).unwrap_or(Space::Ordinary);
            let before = at
                .checked_sub(1)
                .map_or("", |before| tokens[before].text(&file.text));
            self.occurrence(at, number, space, before, &[]);
        }
    }

    /// In definitions of macros, and where they end.
    fn in_directives(&mut self) {
        let (file, declared) = (self.file, self.declared);
        let named = file.lines.directives.iter().filter(|directive| {
            matches!(directive.kind, DirectiveKind::Define | DirectiveKind::Undef)
        });
        for directive in named {
            let mut before = "";
            let mut parameters: Option<&'a [Box<str>]> = None;
            for at in directive.tokens.clone() {
                let token = &file.lines.tokens[at];
                let shown = token.text(&file.text);
                let number = self.symbols.number(shown);
                let Some(parameters) = parameters else {
                    // The macro's own name.
                    if let Some(number) = number {
                        self.occurrence(at, number, Space::Macro, "", &[]);
                    }
                    parameters = Some(declared.parameters_at(token.start));
                    continue;
                };
                if let Some(number) = number
                    && token.kind == TokenKind::Identifier
                {
                    let guessed = match before {
                        "." | "->" => Space::Member,
                        "struct" | "union" | "enum" => Space::Tag,
                        "goto" => Space::Label,
                        _ => Space::Ordinary,
                    };
                    let space = declared.space_at(token.start).unwrap_or(guessed);
                    self.occurrence(at, number, space, before, parameters);
                }
                before = shown;
            }
        }
    }

    fn is_macro(&self, number: usize) -> bool {
        self.symbols.symbol(number, id(Space::Macro)).is_some()
    }

    /// Notes a token as an occurrence of the symbol that it most likely is.
    fn occurrence(
        &mut self,
        at: usize,
        number: usize,
        space: Space,
        before: &str,
        parameters: &[Box<str>],
    ) {
        let token = &self.file.lines.tokens[at];
        let name = token.text(&self.file.text);
        let is_access = matches!(before, "." | "->");
        let order: &[Space] = match space {
            // `__VA_ARGS__` is a parameter too, and not a name.
            _ if parameters.iter().any(|parameter| **parameter == *name) => &[Space::Parameter],
            // A macro is replaced wherever its name occurs, whatever the parser reads it as.
            _ if self.is_macro(number) => &[Space::Macro],
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
            .find_map(|&space| self.symbols.symbol(number, id(space)));
        if let Some(symbol) = found {
            self.symbols.occurs(token.start..token.end, symbol);
            self.is_symbol[at] = true;
        }
    }

    /// Records for every other identifier why it stays.
    fn rest(&mut self) {
        let file = self.file;
        let dependent = Dependent::of(&file.text, &file.lines.tokens, self.declared);
        // The reason for each name that is not the project's, once for each.
        let mut others: BTreeMap<&str, Stays> = BTreeMap::new();
        for (at, token) in file.lines.tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier || self.is_symbol[at] {
                continue;
            }
            let name = token.text(&file.text);
            let range = token.start..token.end;
            let is_foreign = self.declared.foreign.contains(&token.start);
            let is_elsewhere = is_foreign && !self.in_directive[at] && self.declared.contains(name);
            if is_elsewhere {
                self.symbols.stays(range.clone(), Stays::Elsewhere);
            }
            let mut stays = *others.entry(name).or_insert_with(|| {
                // A piece that joins to a foreign name is not a name by itself; that it stays is recorded all the
                // same.
                if let Some(&reason) = self.kept.get(name) {
                    Stays::Special(reason)
                } else if is_keyword(name) {
                    Stays::Keyword
                } else if is_standard(name, self.language) {
                    Stays::Standard
                } else {
                    Stays::External
                }
            });
            // A text that compiles and declares no such member is a template.
            let is_undeclared = match stays {
                Stays::External => !is_foreign && self.is_behind_scope(at),
                Stays::Standard => self.is_behind_scope(at) && dependent.has(at),
                _ => false,
            };
            if is_undeclared && self.language == Language::CPP && !self.in_directive[at] {
                stays = Stays::Residue;
            }
            if !is_elsewhere || matches!(stays, Stays::Special(_)) {
                self.symbols.stays(range, stays);
            }
        }
    }

    /// Returns `true` if a token is a name in something else: `a.x`, `a->x`, `T::x`, `a.template x`.
    fn is_behind_scope(&self, at: usize) -> bool {
        let text = &self.file.text;
        let before = at
            .checked_sub(1)
            .map(|at| self.file.lines.tokens[at].text(text));
        matches!(before, Some("." | "->" | "::" | "template"))
    }
}

/// One past the parenthesis that closes the one at `open`; `open` if none does.
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

/// Returns `true` if some construct of the file turns a name into data.
fn names_are_data(file: &SourceText) -> bool {
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
