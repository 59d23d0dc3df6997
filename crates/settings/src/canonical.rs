//! `canonical`: one fixed naming by order of use, for searches in code whose names cannot be trusted.
//!
//! *What it changes.* The same names as `neutralized`, each into `name_0`, `name_1`, … in order of first appearance,
//! the function's own text first. The kind of a name is not shown, so that the canonical form depends on the text
//! alone.
//!
//! *What it must keep.* As `neutralized`.
//!
//! *Where it applies.* Everywhere. As a setting it is made from the unit and proven; [`of_text`] does the same for a
//! text that stands alone, before it is embedded. A randomized text and its neutralized one have the same canonical
//! form, so a model that reads canonical forms scores the same on both: they recover the loss from random names.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int name_0(const char *name_1)`.
//!
//! *Difference to CLARC.* CLARC has no such setting.

use barecode_corpus::symbols::lexical::Alone;
pub use barecode_namings::canonical::Canonical;
use barecode_records::Language;

use crate::rename::renamed_alone;

/// The canonical form of a text that stands alone: every word that is not, by `is_known`, a name of the language's
/// own library becomes `name_0`, `name_1`, … in order of first appearance.
///
/// Names are distinguished by spelling only ([`Alone`]), because a text alone shows no more. A comment becomes a
/// blank; layout stays. `None` if the keywords of the language are not known.
pub fn of_text(text: &str, language: Language, is_known: impl Fn(&str) -> bool) -> Option<String> {
    let alone = Alone::of(text, language, is_known)?;
    Some(renamed_alone(&alone, &mut Canonical::default(), false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn renamings_of_a_text_have_one_canonical_form() {
        let known = |name: &str| ["strlen", "size_t", "stdio", "h"].contains(&name);
        let one = "#include <stdio.h>\nsize_t func_0(char *var_0) { /* x */ return strlen(var_0) + var_0[0]; }\n";
        let other =
            "#include <stdio.h>\nsize_t qzk(char *plw) { /* yy */ return strlen(plw) + plw[0]; }\n";
        let canonical = of_text(one, Language::C, known).unwrap();
        assert_eq!(
            Some(&canonical),
            of_text(other, Language::C, known).as_ref()
        );
        assert_eq!(
            canonical,
            "#include <stdio.h>\nsize_t name_0(char *name_1) {   return strlen(name_1) + name_1[0]; }\n"
        );
        assert_eq!(of_text(&canonical, Language::C, known).unwrap(), canonical);
    }

    #[test]
    fn other_languages_keep_their_keywords_and_strings() {
        let text = "for item in items:  # each\n    total += price(item, 'item')\n";
        let canonical = of_text(text, Language::named("python"), |_| false).unwrap();
        assert_eq!(
            canonical,
            "for name_0 in name_1:   \n    name_2 += name_3(name_0, 'item')\n"
        );
        assert!(of_text("mov eax, 1", Language::named("assembly"), |_| false).is_none());
    }
}
