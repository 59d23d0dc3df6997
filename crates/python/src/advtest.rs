//! `CodeSearchNet` `AdvTest`'s normalisation (Lu et al. 2021; `GenCodeSearchNet`, section 3.1): a function becomes `Func`, its
//! parameters and the names that it binds become `arg_0`, `arg_1`, … in the order in which they are first bound.
//!
//! Functions that it calls, attributes, globals, imports, literals and layout stay. The published texts rename by
//! spelling: a keyword argument of another function changes if a parameter has its name. By scopes it does not.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_records::Role;
use ruff_python_ast::token::TokenKind;
use ruff_text_size::{Ranged, TextRange};

use crate::rename::stays::{BY_KEYWORD, CONVENTION};
use crate::scope::Use;
use crate::{DECORATED, Module, SHOWN, ScopeKind, Symbol, Unparsable, symbols};

/// The way in which occurrences of a name are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AdvTest {
    /// By scopes: what means the same variable.
    Scopes,
    /// By spelling, as published: every word of this spelling that does not follow a dot.
    Tokens,
}

/// A function under other names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalized {
    /// The text.
    pub text: String,
    /// The ranges of the old names in the old text, and of the new ones in the new text; in order.
    pub replaced: Vec<(Range<usize>, Range<usize>)>,
    /// The changed names, in the order of the new ones: the old name, the new name, and its role.
    pub renamed: Vec<(String, String, Role)>,
}

/// Normalises the first function of a text, and all that is in the text with it.
///
/// # Errors
/// If it is not Python.
///
/// ```
/// use barecode_python::{AdvTest, advtest};
/// let text = "def area(width, height=1):\n    size = width * height\n    return show(size, width=size)\n";
/// let by = |by| advtest(text, by).unwrap().text;
/// assert_eq!(
///     by(AdvTest::Scopes),
///     "def Func(arg_0, arg_1=1):\n    arg_2 = arg_0 * arg_1\n    return show(arg_2, width=arg_2)\n"
/// );
/// assert!(by(AdvTest::Tokens).ends_with("show(arg_2, arg_0=arg_2)\n"));
/// ```
pub fn advtest(text: &str, by: AdvTest) -> Result<Normalized, Unparsable> {
    let module = Module::parse(text)?;
    let function = module.definitions().into_iter().next();
    let function = function.map(|definition| definition.name);
    let scopes = module.scopes();
    let is_local = |scope: usize| {
        let kind = scopes.all()[scope].kind;
        !matches!(kind, ScopeKind::Module | ScopeKind::Class)
    };
    let mut first_bound: BTreeMap<(usize, &str), TextRange> = BTreeMap::new();
    for name in scopes.names() {
        if let (Some(binding), Use::Bind | Use::Parameter) = (name.binding, name.usage) {
            let place = first_bound.entry((binding, module.of(name.range)));
            place.or_insert(name.range);
        }
    }
    let mut changed = Vec::new();
    let mut staying: BTreeSet<String> = BTreeSet::new();
    let symbols = symbols(&module, &BTreeSet::new());
    let is_function =
        |symbol: &Symbol| symbol.scope == 0 && Some(&symbol.name) == function.as_ref();
    // Callers that use the old name are outside of the text, except for the function itself.
    let calls_itself = symbols
        .iter()
        .any(|symbol| is_function(symbol) && symbol.places.len() > 1);
    let mut kinds = scopes.all().iter();
    let outermost = kinds.position(|scope| scope.kind == ScopeKind::Function);
    for symbol in symbols {
        let stays = symbol.stays.is_some_and(|reason| {
            let is_own = Some(symbol.scope) == outermost && !calls_itself;
            let is_known = [SHOWN, DECORATED, CONVENTION].contains(&reason);
            !(is_known || is_own && BY_KEYWORD.contains(&reason))
        });
        let is_function = is_function(&symbol);
        if is_function || (is_local(symbol.scope) && !symbol.is_imported && !stays) {
            let bound = first_bound.get(&(symbol.scope, symbol.name.as_str()));
            let first = bound.map_or(symbol.places[0].start, |range| range.start().to_u32());
            changed.push((!is_function, first, symbol));
        } else {
            staying.insert(symbol.name);
        }
    }
    changed.sort_by_key(|(is_local, first, _)| (*is_local, *first));
    // Names that nothing in the text binds stay too.
    staying.extend(
        scopes
            .names()
            .iter()
            .filter(|name| name.binding.is_none())
            .map(|name| module.of(name.range).to_owned()),
    );
    let (mut next, mut by_spelling) = (0, BTreeMap::new());
    let mut places: BTreeMap<usize, (usize, String)> = BTreeMap::new();
    let mut renamed = Vec::new();
    for (is_local, _, symbol) in changed {
        let to = if !is_local {
            "Func".to_owned()
        } else if let (AdvTest::Tokens, Some(known)) = (by, by_spelling.get(&symbol.name)) {
            String::clone(known)
        } else {
            loop {
                let to = format!("arg_{next}");
                next += 1;
                if by == AdvTest::Tokens || !staying.contains(&to) {
                    break to;
                }
            }
        };
        if by_spelling.insert(symbol.name.clone(), to.clone()).as_ref() != Some(&to) {
            renamed.push((symbol.name.clone(), to.clone(), symbol.role));
        }
        for place in &symbol.places {
            places.insert(place.start as usize, (place.end as usize, to.clone()));
        }
    }
    if by == AdvTest::Tokens {
        places.clear();
        let mut before = TokenKind::Newline;
        for token in module.tokens() {
            let word = module.of(token.range());
            if token.kind() == TokenKind::Name
                && before != TokenKind::Dot
                && let Some(to) = by_spelling.get(word)
            {
                let (start, end) = (token.start().to_usize(), token.end().to_usize());
                places.insert(start, (end, to.clone()));
            }
            before = token.kind();
        }
    }
    let mut new = String::with_capacity(text.len());
    let mut replaced = Vec::with_capacity(places.len());
    let mut at = 0;
    for (start, (end, to)) in places {
        new.push_str(text.get(at..start).unwrap_or_default());
        replaced.push((start..end, new.len()..new.len() + to.len()));
        new.push_str(&to);
        at = end;
    }
    new.push_str(text.get(at..).unwrap_or_default());
    Ok(Normalized {
        text: new,
        replaced,
        renamed,
    })
}
