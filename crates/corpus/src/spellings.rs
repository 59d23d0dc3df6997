//! *Source → its names by spelling*, and a closure's text → those of them in it: the basis of a renaming by spelling.
//!
//! A renaming that is proven to keep every binding changes the declarations of its unit. By spelling, one map for a
//! whole source changes each identifier that is spelled as something which the source declares anywhere, whatever it
//! is bound to there. It needs two passes: [`source_names`] reads every file of a source, [`Spellings`] holds the
//! facts that later stages use, and [`spelled`] lists the identifiers of a text that change.
//!
//! Names that are not the source's own stay: keywords, the language's library, names that were imported from other
//! packages. A spelling that is both changes where the text shows that it is the source's, and is counted as kept
//! elsewhere. If names of other packages are included too, all names change except those of the language or its
//! library: by an import if the text has one, and otherwise by a list of all that the library makes public.

mod source;

use std::ops::Deref;

use barecode_languages::library_names::{Library, library};
use barecode_languages::{Entry, judged};
use barecode_records::{Closure, Judged, Language, Owner, Role, SpelledNames, Whose};
use barecode_trees::Ours;

use crate::front_ends::front_end;
use crate::symbols::{Analyzed, SpaceId, Stays, Symbols, Unreadable};

pub use source::{SourceNames, source_names};

/// Why a name of the source stays where its object is not known.
pub const LIBRARYS_TOO: &str =
    "the library has this name too, and the text does not show whose it is";
/// Why a name of the source stays where another package has it.
pub const IMPORTED_TOO: &str =
    "another package has this name too, and the text does not show whose it is";

/// Returns `true` if names of a language may change by spelling: no compiler judges its functions.
pub fn is_spelled(language: Language) -> bool {
    judged(language).is_some_and(|judged| judged != Judged::Compiler)
}

/// Returns `true` if an identifier belongs to another package rather than to the language or its library; the source
/// does not own it.
fn is_anothers(name: &str, owner: Owner, entry: Option<&Entry>, library: Option<&Library>) -> bool {
    match owner {
        Owner::Library => false,
        // `_`, and operators that stand for functions.
        _ if !name.contains(char::is_alphanumeric) => false,
        Owner::Package => true,
        Owner::Unknown => {
            let is_word = |entry: &Entry| entry.is_keyword(name) || entry.is_builtin(name);
            let is_known = |library: &Library| library.has_anywhere(name);
            !entry.is_some_and(is_word) && !library.is_some_and(is_known)
        }
    }
}

/// The owner of a name that the source does not declare: another package, unless the library has the name.
fn owner_of_name(name: &str, language: Language) -> Owner {
    let entry = barecode_languages::of(language);
    if is_anothers(name, Owner::Unknown, entry, library(language)) {
        Owner::Package
    } else {
        Owner::Unknown
    }
}

/// The owner of an imported module, by the first word of its path.
fn owner_of(path: &str, library: Option<&Library>) -> Owner {
    let first = path.split(['.', '/', ':', '\\']).next().unwrap_or(path);
    let is_word = first == path;
    let is_known =
        |library: &Library| library.has_module(first) || is_word && library.has_anywhere(first);
    match library {
        Some(library) if is_known(library) => Owner::Library,
        _ if matches!(first, "" | "crate" | "self" | "super") => Owner::Unknown,
        _ => Owner::Package,
    }
}

fn rank(role: Role) -> u8 {
    match role {
        Role::Class | Role::Struct | Role::Union | Role::Enum | Role::Alias | Role::Typedef => 0,
        Role::Function | Role::Macro => 1,
        Role::Method => 2,
        Role::Field | Role::Enumerator => 3,
        Role::Namespace => 4,
        Role::Variable | Role::Parameter => 5,
        Role::TemplateParameter | Role::Label | Role::Fragment | Role::Foreign => 6,
    }
}

/// The names of a source in a language, for renaming.
#[derive(Debug)]
pub struct Spellings(SpelledNames);

impl Spellings {
    /// No names.
    pub fn none(language: Language) -> Spellings {
        Spellings(SpelledNames::none(language))
    }

    /// Decides on an identifier of a file: the role that it changes under, or the reason to keep it; `None` if the source
    /// declares no such name.
    fn decide(
        &self,
        name: &str,
        whose: Whose,
        path: &str,
        library: Option<&Library>,
    ) -> Option<Result<Role, Stays>> {
        let role = self.get(name)?.role?;
        let is_known = library.is_some_and(|library| library.has(name));
        let is_imported = self.is_imported(name, path);
        let both = if is_known {
            Err(Stays::Special(LIBRARYS_TOO))
        } else {
            Ok(role)
        };
        let is_member = matches!(
            role,
            Role::Method | Role::Field | Role::Enumerator | Role::Function
        );
        Some(match whose {
            Whose::Asked(_) if is_known => Err(Stays::Elsewhere),
            Whose::Declared(_) | Whose::Asked(_) | Whose::Own => Ok(role),
            Whose::OfOwn if is_member => Ok(role),
            // A bare name here does not mean a declaration that is local or behind an object elsewhere.
            Whose::Free if is_known && rank(role) > rank(Role::Function) => Err(Stays::Elsewhere),
            // An import is meant by a bare name, never by a member.
            Whose::Free if is_imported && !is_known => Err(Stays::Special(IMPORTED_TOO)),
            Whose::OfOwn | Whose::Free | Whose::Open => both,
            Whose::Imported | Whose::Foreign => Err(Stays::Elsewhere),
        })
    }

    /// The role of an identifier that changes only if names of other packages do; `decided` is the decision without them.
    fn anothers(
        &self,
        name: &str,
        owner: Owner,
        decided: Option<Result<Role, Stays>>,
        library: Option<&Library>,
    ) -> Option<Role> {
        let known = self.get(name)?;
        let may_be = match decided {
            Some(Ok(_)) => false,
            Some(Err(Stays::Special(reason))) => reason == IMPORTED_TOO,
            Some(Err(_)) | None => true,
        };
        let entry = barecode_languages::of(self.language());
        let is_it = may_be && known.is_foreign && is_anothers(name, owner, entry, library);
        is_it.then_some(known.role.unwrap_or(Role::Foreign))
    }
}

impl Deref for Spellings {
    type Target = SpelledNames;

    fn deref(&self) -> &SpelledNames {
        &self.0
    }
}

impl Ours for Spellings {
    fn role(&self, name: &str) -> Option<Role> {
        self.get(name)?.role
    }

    fn is_module(&self, name: &str) -> bool {
        self.get(name).is_some_and(|known| known.is_module)
    }

    fn is_librarys_too(&self, name: &str) -> bool {
        library(self.language()).is_some_and(|library| library.has(name))
    }

    fn owner(&self, path: &str) -> Owner {
        owner_of(path, library(self.language()))
    }

    fn owner_of_name(&self, name: &str) -> Owner {
        owner_of_name(name, self.language())
    }
}

/// The symbols of the text of a closure from a file, by spelling: all that is spelled alike is one. With `foreign`, names of
/// other packages are among them.
///
/// # Errors
/// If the text cannot be read.
pub fn spelled<'t>(
    closure: &'t Closure,
    path: &str,
    spellings: &Spellings,
    foreign: bool,
) -> Result<Analyzed<'t>, Unreadable> {
    let text = &closure.text;
    let language = spellings.language();
    let entry = barecode_languages::of(language);
    let mut symbols = Symbols::new(|_| false);
    let words = entry
        .into_iter()
        .flat_map(|entry| entry.keywords.iter().chain(entry.builtins));
    symbols.reserved.extend(words.copied().map(Box::from));
    symbols.function_spaces = &[SPELLED];
    let tree = entry.and_then(Entry::tree);
    symbols.capitals_count = tree.is_some_and(|tree| tree.capitals_count || tree.has_elements);
    let known = library(language);
    for place in front_end(language).spellings(text, language, spellings)? {
        let Some(name) = text.get(place.range.clone()) else {
            continue;
        };
        let decided = spellings.decide(name, place.whose, path, known);
        let anothers = || spellings.anothers(name, place.owner, decided, known);
        let decided = match foreign.then(anothers).flatten() {
            Some(role) => Some(Ok(role)),
            None => decided,
        };
        match decided {
            Some(Ok(role)) => {
                let symbol = symbols.declare(name, SPELLED, role);
                symbols.occurs(place.range, symbol);
            }
            Some(Err(stays)) => symbols.stays(place.range, stays),
            None => symbols.stays(place.range, Stays::External),
        }
    }
    symbols.settle_in(closure);
    Ok(Analyzed {
        symbols,
        same: Box::new(move |renamed| front_end(language).is_alike(text, renamed, language)),
    })
}

/// The one name space.
const SPELLED: SpaceId = SpaceId(0);
