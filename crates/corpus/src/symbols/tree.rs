//! Symbols of languages that tree-sitter reads: a closure's text → the names that it declares, and their positions.
//!
//! A grammar knows scopes but not types. So the meaning of a name in scope is known, and a member's name changes only
//! where it is the text's own: behind `this`, behind a name for the receiver, behind a class of the text. If a member
//! of the same name is taken from any other object, it stays at all positions. Only the function's own name may
//! change beside that of a member of an object which is not the text's. Names that are more than names (a shorthand
//! property, a text that spells it, a method that a trait or a base class requires) stay and are reported.

use std::collections::BTreeSet;

use barecode_languages::Entry;
use barecode_records::{Closure, Language};
use barecode_trees::{Items, Meaning, Names, Parsed, Space, same_shape};

use super::{SpaceId, Stays, Symbols, Unreadable};

/// A text that tree-sitter reads, and its names.
#[derive(Debug)]
pub(crate) struct Read<'t> {
    parsed: Parsed<'t>,
    names: Names,
}

impl<'t> Read<'t> {
    /// Reads a text.
    ///
    /// # Errors
    /// If it cannot be parsed.
    pub(crate) fn of(text: &'t str, language: Language) -> Result<Read<'t>, Unreadable> {
        let parsed = Parsed::of(text, language).expect("its language has a grammar");
        if let Some(problem) = parsed.problem() {
            let language = barecode_languages::title(language);
            return Err(Unreadable(format!("not {language}: {problem}")));
        }
        let names = Names::of(&parsed, &Items::of(&parsed));
        Ok(Read { parsed, names })
    }

    /// Checks that another text has a tree of the same shape and names of the same meaning.
    pub(crate) fn is_same(&self, renamed: &str, language: Language) -> Result<(), &'static str> {
        let after = Read::of(renamed, language).map_err(|_| "it cannot be parsed")?;
        if !same_shape(&self.parsed, &after.parsed) {
            return Err("it is parsed otherwise");
        }
        let (before, after) = (&self.names.occurrences, &after.names.occurrences);
        let mut pairs = before.iter().zip(after);
        // For an object that is certainly not the text's, the name of its type may show it.
        let is_not_ours = |meaning: &Meaning| matches!(meaning, Meaning::Foreign | Meaning::Others);
        let is_same =
            |one: &Meaning, two: &Meaning| one == two || is_not_ours(one) && is_not_ours(two);
        let same = before.len() == after.len()
            && pairs
                .all(|(one, two)| one.space == two.space && is_same(&one.meaning, &two.meaning));
        same.then_some(()).ok_or("a name is bound elsewhere")
    }
}

/// The symbols of a closure's text. They appear in the target first, then in its helpers.
pub(crate) fn of_closure(
    closure: &Closure,
    read: &Read<'_>,
    function: &str,
    language: Language,
) -> Symbols {
    let (text, names) = (&closure.text, &read.names);
    let mut symbols = Symbols::new(|_| false);
    symbols.function_spaces = &FUNCTION_SPACES;
    let entry = barecode_languages::of(language);
    let keywords = entry.map_or(&[] as &[&str], |entry| entry.keywords);
    symbols
        .reserved
        .extend(keywords.iter().copied().map(Box::from));
    symbols.capitals_count = entry
        .and_then(Entry::tree)
        .is_some_and(|tree| tree.capitals_count || names.has_elements);
    let function = function.trim_start_matches(['@', '#', '$']);
    let name = |range: &std::ops::Range<usize>| text.get(range.clone()).unwrap_or_default();
    let of_others: BTreeSet<&str> = names
        .occurrences
        .iter()
        .filter(|one| match one.meaning {
            Meaning::Foreign => true,
            Meaning::Others => name(&one.range) != function,
            _ => false,
        })
        .map(|one| name(&one.range))
        .collect();
    let members: BTreeSet<&str> = names
        .definitions
        .iter()
        .filter(|one| one.space == Space::Member)
        .map(|one| &*one.name)
        .collect();
    for occurrence in &names.occurrences {
        let range = occurrence.range.clone();
        let spelled = name(&range);
        let found = match &occurrence.meaning {
            Meaning::Bound(found) => found,
            // Members of other objects are recorded if the text has a member of its own of this name.
            Meaning::Others if spelled == function && members.contains(spelled) => {
                symbols.stays(range, Stays::Elsewhere);
                continue;
            }
            Meaning::Foreign | Meaning::Others | Meaning::Free | Meaning::Stays => {
                symbols.stays(range, Stays::External);
                continue;
            }
        };
        let definition = &names.definitions[found[0]];
        if let Some(reason) = names.kept.get(spelled) {
            symbols.stays(range, Stays::Special(reason));
        } else if definition.space == Space::Member && of_others.contains(spelled) {
            symbols.stays(
                range,
                Stays::Special("another object may have a member of this name"),
            );
        } else {
            let symbol = symbols.declare(spelled, space(definition.space), definition.role);
            symbols.occurs(range, symbol);
        }
    }
    symbols.settle_in(closure);
    symbols
}

/// The name spaces in which a function is looked up.
static FUNCTION_SPACES: [SpaceId; 4] = [
    space(Space::Member),
    space(Space::Value),
    space(Space::Callable),
    space(Space::Type),
];

const fn space(space: Space) -> SpaceId {
    SpaceId(space as u16)
}
