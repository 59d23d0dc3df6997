//! The renamed settings: `neutralized` has to be equal, `randomized` up to which code a name got.

use std::collections::BTreeMap;

use barecode_corpus::preprocess::lex::{TokenKind, lex_with_comments};
use barecode_languages::standard_names::is_standard;
use barecode_records::Language;

use crate::compared::Compared;
use crate::entities::Group;
use crate::files::{Pair, Unreadable, texts};
use crate::renamed::{self, Place, neutralized, randomized};

/// Compares a released file with our output for its originals.
pub fn conform(pair: &Pair) -> Result<Compared, Unreadable> {
    let originals = texts(&pair.original)?;
    let released = texts(&pair.released)?;
    let is_random = pair.setting == "hash_renamed";
    let file = pair.released.file_name().unwrap_or_default();
    let mut compared = Compared {
        setting: if is_random {
            "randomized"
        } else {
            "neutralized"
        }
        .to_owned(),
        file: file.to_string_lossy().into_owned(),
        ..Compared::default()
    };
    for (id, released) in &released {
        let Some(original) = originals.get(id) else {
            continue;
        };
        let group = group(id);
        let ours = if is_random {
            randomized(original, group)
        } else {
            neutralized(original, group)
        };
        let equal = without_blanks(&ours) == without_blanks(released);
        let same_form = equal || is_same_form(&ours, released, is_random);
        compared.rows += 1;
        compared.equal += usize::from(equal);
        compared.same_form += usize::from(same_form);
        if !(equal || is_random && same_form) {
            let (cause, detail) = difference(original, &ours, released, is_random);
            compared.differ(id, cause, detail);
        }
    }
    Ok(compared)
}

/// The group that an id names: `c_group_2_id_7`.
pub fn group(id: &str) -> Group {
    if id.contains("group_2") {
        Group::Two
    } else if id.contains("group_3") {
        Group::Three
    } else {
        Group::One
    }
}

fn without_blanks(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

/// A token, and whether it is an identifier.
type Word<'t> = (&'t str, bool, usize);

fn words(text: &str) -> Vec<Word<'_>> {
    let tokens = lex_with_comments(text).into_iter();
    let tokens = tokens.filter(|token| token.kind != TokenKind::Newline);
    tokens
        .map(|token| {
            (
                token.text(text),
                token.kind == TokenKind::Identifier,
                token.start,
            )
        })
        .collect()
}

/// The pairing of our words with the released ones, so far.
struct Pairing<'t> {
    /// True if names keep their first letters, and the codes after them may differ.
    initials: bool,
    to: BTreeMap<&'t str, &'t str>,
    from: BTreeMap<&'t str, &'t str>,
}

impl<'t> Pairing<'t> {
    fn new(initials: bool) -> Self {
        Pairing {
            initials,
            to: BTreeMap::new(),
            from: BTreeMap::new(),
        }
    }

    /// Returns `true` if two words match under a one-to-one renaming of identifiers.
    fn takes(&mut self, our: Word<'t>, their: Word<'t>) -> bool {
        if !(our.1 && their.1) {
            return without_blanks(our.0) == without_blanks(their.0);
        }
        let (our, their) = (our.0, their.0);
        let letters = !self.initials || our.chars().next() == their.chars().next();
        letters
            && *self.to.entry(our).or_insert(their) == their
            && *self.from.entry(their).or_insert(our) == our
    }
}

/// Returns `true` if a one-to-one renaming of identifiers turns one text into the other; with `initials`, a renaming
/// that keeps first letters.
fn is_same_form(ours: &str, released: &str, initials: bool) -> bool {
    let (ours, released) = (words(ours), words(released));
    let mut pairing = Pairing::new(initials);
    let mut pairs = ours.iter().zip(&released);
    ours.len() == released.len() && pairs.all(|(our, their)| pairing.takes(*our, *their))
}

/// The reason why two texts differ, by the first words that do, and these words. Under `randomized`, other codes are
/// not a difference.
fn difference(
    original: &str,
    ours: &str,
    released: &str,
    is_random: bool,
) -> (&'static str, String) {
    let (old, our, their) = (words(original), words(ours), words(released));
    let code = |mut words: Vec<_>| {
        words.retain(|word: &Word<'_>| !is_comment(word.0));
        words
    };
    let (old, our_code, their_code) = (code(old), code(our), code(their));
    let mut pairing = Pairing::new(true);
    let first = our_code.iter().zip(&their_code).position(|(our, their)| {
        if is_random {
            !pairing.takes(*our, *their)
        } else {
            our.0 != their.0
        }
    });
    let Some(at) = first else {
        let cause = if our_code.len() == their_code.len() {
            "comment"
        } else {
            "text left out or added"
        };
        return (cause, String::new());
    };
    let (our, their) = match (our_code.get(at), their_code.get(at)) {
        (Some(our), Some(their)) => (our.0, their.0),
        _ => ("", ""),
    };
    if our_code.len() != their_code.len() || old.len() != our_code.len() {
        return (
            "text left out or added",
            format!("ours `{our}`, released `{their}`"),
        );
    }
    let (old, place) = match old.get(at) {
        Some(&(old, _, place)) => (old, place),
        None => ("", 0),
    };
    let detail = format!("`{old}`: ours `{our}`, released `{their}`");
    let place = renamed::place(original, place);
    let kind = |name| {
        if is_random { initial(name) } else { kind(name) }
    };
    let (our_kind, their_kind) = (kind(our), kind(their));
    let cause = match place {
        Place::Inactive => "branch that is not compiled",
        Place::Directive if our == old || their == old => "macro of the project in a condition",
        _ if our == old && their_kind == "MACRO" => {
            if is_standard(old, Language::CPP) {
                "standard name that the project defines as a macro"
            } else {
                "macro renamed only there"
            }
        }
        _ if our == old => "name renamed only there",
        _ if their == old => "name renamed only here",
        _ if our_kind != their_kind => "kind of a name",
        _ if is_random => "code of another name",
        _ => "number of a counter",
    };
    (cause, detail)
}

fn is_comment(word: &str) -> bool {
    word.starts_with("//") || word.starts_with("/*")
}

/// `func` of `func_7`.
fn kind(name: &str) -> &str {
    name.rsplit_once('_').map_or(name, |(kind, _)| kind)
}

/// `f` of a name with a code.
fn initial(name: &str) -> &str {
    let end = name.chars().next().map_or(0, char::len_utf8);
    name.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_are_one_to_one() {
        assert!(is_same_form("int a1 = a2;", "int ab=ac;", true));
        assert!(!is_same_form("int a1 = a2;", "int ab = ab;", true));
        assert!(!is_same_form("int a1;", "int b1;", true));
        assert!(is_same_form("int a1;", "int b1;", false));
    }

    #[test]
    fn causes_of_first_differences() {
        let cause = |original, ours, released| difference(original, ours, released, false).0;
        assert_eq!(
            cause(
                "int f(T a);",
                "int func_0(typedef_0 var_0);",
                "int func_0(struct_0 var_0);"
            ),
            "kind of a name"
        );
        assert_eq!(
            cause("a.x;", "var_0.field_0;", "var_0.field_3;"),
            "number of a counter"
        );
        assert_eq!(
            cause("puts(a);", "puts(var_0);", "MACRO_0(var_0);"),
            "standard name that the project defines as a macro"
        );
        assert_eq!(
            cause(
                "#if A\nb();\n#endif\n",
                "#if A\nb();\n#endif\n",
                "#if A\nvar_0();\n#endif\n"
            ),
            "branch that is not compiled"
        );
        assert_eq!(
            cause(
                "#if A\n#endif\n",
                "#if A\n#endif\n",
                "#if MACRO_0\n#endif\n"
            ),
            "macro of the project in a condition"
        );
        assert_eq!(cause("f();", "f();", "v = f();"), "text left out or added");
        assert_eq!(cause("f();", "// a\nf();", "f();"), "comment");
    }

    #[test]
    fn another_code_is_no_difference_where_names_are_random() {
        let original = "int f(T a) { return b + g(a); }";
        let ours = "int f1(t2 v3) { return v4 + f5(v3); }";
        let found = |released| difference(original, ours, released, true);
        for (released, cause, detail) in [
            (
                "int f9(t8 v7) { return b + f5(v7); }",
                "name renamed only here",
                "`b`: ours `v4`, released `b`",
            ),
            (
                "int f9(t8 v7) { return v6 + v5(v7); }",
                "kind of a name",
                "`g`: ours `f5`, released `v5`",
            ),
            (
                "int f9(t8 v7) { return v7 + f5(v7); }",
                "code of another name",
                "`b`: ours `v4`, released `v7`",
            ),
        ] {
            assert_eq!(found(released), (cause, detail.to_owned()));
        }
    }
}
