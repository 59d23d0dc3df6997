//! `canonical`: one fixed naming by order of use, for whoever searches code whose names cannot be trusted.
//!
//! *What it changes.* The same names as `neutralized`, each into `name_0`, `name_1`, … in order of first
//! appearance, the function's own text first. The kind of a name is not said, so that a text alone tells all that
//! its canonical form depends on.
//!
//! *What it must keep.* As `neutralized`.
//!
//! *Where it applies.* Everywhere. As a setting it is made from the unit and proven; [`of_text`] does the same to
//! a text that stands alone, before it is embedded. A randomized text and its neutralized one have the same
//! canonical form, so a model that is given canonical forms scores the same on both: what randomizing costs, it
//! gives back.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int name_0(const char *name_1)`.
//!
//! *Difference to CLARC.* CLARC has no such setting.

use std::collections::BTreeMap;

use barecode_corpus::preprocess::lex::{TokenKind, lex_with_comments};

use barecode_records::Role;

use crate::naming::{Naming, Old, Taken};
use crate::rename::{is_free, is_keyword};

/// The naming of the setting.
#[derive(Debug, Default)]
pub struct Canonical {
    next: u32,
}

impl Naming for Canonical {
    fn next(&mut self, old: Old<'_>, taken: &Taken<'_>) -> Option<String> {
        // Pieces that `##` joins end in `_`, as in `neutralized`.
        let end = match old.role {
            Role::Fragment => "_",
            _ => "",
        };
        loop {
            let name = format!("name_{}{end}", self.next);
            self.next += 1;
            if is_free(&name, taken) {
                return Some(name);
            }
        }
    }
}

/// The canonical form of a text that stands alone: every identifier that `is_known` does not call a name of the
/// language's own library becomes `name_0`, `name_1`, … in order of first appearance.
///
/// Names are told apart by spelling only, for that is all that a text alone tells. A comment becomes a blank, for
/// nothing in it is renamed; layout stays.
pub fn of_text(text: &str, is_known: impl Fn(&str) -> bool) -> String {
    renamed_text(text, is_known, |number| format!("name_{number}"))
}

/// A text that stands alone with other names: every identifier that `is_known` does not call a name of the
/// language's own library becomes what `name` gives it, called once for each with its number from 0, in order of
/// first appearance.
///
/// As in [`of_text`], names are told apart by spelling only, and a comment becomes a blank. `name` must give each
/// number a name of its own that is in no text.
pub fn renamed_text(
    text: &str,
    is_known: impl Fn(&str) -> bool,
    mut name: impl FnMut(usize) -> String,
) -> String {
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    let (mut before, mut in_include) = ("", false);
    for token in lex_with_comments(text) {
        let shown = token.text(text);
        out.push_str(text.get(at..token.start).unwrap_or_default());
        at = token.end;
        match token.kind {
            TokenKind::Comment => {
                out.push(' ');
                continue;
            }
            TokenKind::Newline => in_include = false,
            TokenKind::Identifier if before == "#" => in_include = shown == "include",
            TokenKind::Identifier if !in_include && !is_keyword(shown) && !is_known(shown) => {
                let next = names.len();
                let new = names.entry(shown).or_insert_with(|| name(next));
                out.push_str(new);
                before = shown;
                continue;
            }
            _ => {}
        }
        out.push_str(shown);
        before = shown;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
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
        let canonical = of_text(one, known);
        assert_eq!(canonical, of_text(other, known));
        assert_eq!(
            canonical,
            "#include <stdio.h>\nsize_t name_0(char *name_1) {   return strlen(name_1) + name_1[0]; }\n"
        );
        assert_eq!(of_text(&canonical, known), canonical);
    }
}
