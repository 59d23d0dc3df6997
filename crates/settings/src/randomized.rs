//! `randomized`: every name of the project becomes random letters (CLARC, section 3.1.3 and appendix D.4).
//!
//! *What it changes.* The same names as `neutralized`, each into 6 to 12 letters from a to z, drawn uniformly
//! per unit and seed. Neither length, nor first letter, nor case reveals anything about the old name or its kind.
//! `randomized-same-length` has as many letters as the name had, and so leaves one fact of it; a length at which
//! no letters are left grows by one.
//!
//! *What it must keep.* As `neutralized`.
//!
//! *Where it applies.* Everywhere.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int qkzvhbd(const char *wmxtrpcnj)`.
//!
//! *Difference to CLARC.* The released texts keep the first letter of every name and use one map for the whole
//! corpus, so that the same name is the same code everywhere; in this setting nothing is shared between units or
//! seeds.

use barecode_corpus::symbols::lexical::Alone;
pub use barecode_namings::randomized::Randomized;
use barecode_records::Language;

use crate::naming::Draw;
use crate::rename::renamed_alone;

/// A random renaming of a text that stands alone: every word that is not, by `is_known`, a name of the language's own
/// library becomes 6 to 12 letters, drawn from `seed` alone. As in [`canonical`](mod@crate::canonical), names are
/// distinguished by spelling only, and a comment becomes a blank. `None` if the keywords of the language are not
/// known.
///
/// ```
/// use barecode_records::Language;
/// use barecode_settings::randomized;
/// let of = |seed| randomized::of_text("int add(int a) { return a; }", Language::C, |_| false, seed).unwrap();
/// assert!(of(1).starts_with("int ") && !of(1).contains("add"));
/// assert_eq!(of(1), of(1));
/// assert_ne!(of(1), of(2));
/// ```
pub fn of_text(
    text: &str,
    language: Language,
    is_known: impl Fn(&str) -> bool,
    seed: u64,
) -> Option<String> {
    let alone = Alone::of(text, language, is_known)?;
    let mut naming = Randomized::new(Draw::from_seed(seed));
    Some(renamed_alone(&alone, &mut naming, true))
}
