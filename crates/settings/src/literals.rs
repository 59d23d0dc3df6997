//! The handling of the string literals of a renamed text: [`Literals`].
//!
//! A renaming leaves literals alone, and messages and keys reveal what names no longer do. `-strings` writes the new
//! form of changed names inside of literals too, if they are whole words; `-masked` empties literals, so that the
//! difference to the setting without it is the value of literals. Either is done after the proof, which holds of the
//! text with its literals as they were.

use barecode_corpus::quoted;
use barecode_corpus::symbols::Unreadable;
use barecode_records::{Language, Literals};

use crate::rename::{Renamed, Rewritten};

/// Changes the literals of a text; `new` is the new name of a name.
///
/// # Errors
/// If the text cannot be read, before or after.
pub(crate) fn change(
    renamed: Renamed,
    literals: Literals,
    language: Language,
    new: &dyn Fn(&str) -> Option<String>,
) -> Result<Renamed, Unreadable> {
    if literals == Literals::Kept {
        return Ok(renamed);
    }
    let empty = changed(&renamed.text, literals, language, new, "");
    // Some grammars accept no empty text between expressions: then it is a blank.
    let edited = match empty {
        Err(_) if literals == Literals::Masked => {
            changed(&renamed.text, literals, language, new, " ")
        }
        edited => edited,
    }?;
    let mut helpers = renamed.helpers;
    for helper in &mut helpers {
        helper.span = edited.span(helper.span);
    }
    Ok(Renamed {
        target: edited.span(renamed.target),
        helpers,
        text: edited.text,
        ..renamed
    })
}

/// Returns `true` if a text begins or ends a line.
fn is_of_lines(text: &str) -> bool {
    text.starts_with('\n') || text.ends_with('\n')
}

/// A text with its literals changed; `blank` is the content of an emptied one.
fn changed(
    old: &str,
    literals: Literals,
    language: Language,
    new: &dyn Fn(&str) -> Option<String>,
    blank: &str,
) -> Result<Rewritten, Unreadable> {
    let mut edited = Rewritten {
        text: String::with_capacity(old.len()),
        replaced: Vec::new(),
    };
    let mut at = 0;
    for one in quoted(old, language)? {
        let Some(inside) = old.get(one.range.clone()) else {
            continue;
        };
        let changed = match literals {
            // A text that is written over lines keeps one line end, which may mark its own end.
            Literals::Masked if one.may_be_empty && is_of_lines(inside) => "\n".to_owned(),
            Literals::Masked if one.may_be_empty => blank.to_owned(),
            Literals::Names => with_new_names(inside, new),
            Literals::Masked | Literals::Kept => continue,
        };
        if changed != inside && one.range.start >= at {
            edited
                .text
                .push_str(old.get(at..one.range.start).unwrap_or_default());
            let start = edited.text.len();
            edited.text.push_str(&changed);
            at = one.range.end;
            edited.replaced.push((one.range, start..edited.text.len()));
        }
    }
    edited.text.push_str(old.get(at..).unwrap_or_default());
    quoted(&edited.text, language)?;
    Ok(edited)
}

/// A text with its words under their new names. A character right behind a backslash does not begin a word: `\nsize`.
fn with_new_names(text: &str, new: &dyn Fn(&str) -> Option<String>) -> String {
    let in_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let word = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word);
        match new(word).filter(|_| !out.ends_with('\\')) {
            Some(to) => out.push_str(&to),
            None => out.push_str(word),
        }
        let gap = after.find(in_word).unwrap_or(after.len());
        let (gap, after) = after.split_at(gap);
        out.push_str(gap);
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_text_change_and_parts_of_them_do_not() {
        let new = |name: &str| match name {
            "size" => Some("field_0".to_owned()),
            "nsize" => Some("var_0".to_owned()),
            _ => None,
        };
        let changed = |text: &str| with_new_names(text, &new);
        assert_eq!(
            changed("the size of {size}, not sizes"),
            "the field_0 of {field_0}, not sizes"
        );
        assert_eq!(changed("a\\nsize nsize"), "a\\nsize var_0");
        assert_eq!(changed(""), "");
    }
}
