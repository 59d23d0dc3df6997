//! The share of a text that a renaming changed.
//!
//! In come a text and the same text renamed; out comes the share of it that changed. The hard thing is that
//! published settings also change layout and comments; so tokens are compared, without comments and line breaks, and
//! two texts whose tokens do not correspond one to one have no share: a lowered text is not a renamed one.

use barecode_languages::lex::{Token, TokenKind, lex};

/// The result of a renaming.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Perturbation {
    /// CLARC's perturbation fraction (appendix F.5): characters of renamed identifiers, once for each occurrence,
    /// over characters of the text; both of the original.
    pub characters: f64,
    /// Renamed identifiers, once for each occurrence, over tokens.
    pub tokens: f64,
}

/// The changes of the renaming of `original` to `renamed`; `None` if the second is not a renaming of the first.
///
/// Blanks at the ends of the original do not count. A text without tokens was not changed.
///
/// ```
/// use barecode_settings::perturbation::perturbation;
/// let found = perturbation("int sum(int a) { return a; }", "int f(int a) { return a; }").unwrap();
/// assert_eq!(found.characters, 3.0 / 28.0);
/// assert_eq!(found.tokens, 1.0 / 11.0);
/// assert_eq!(perturbation("int a;", "mov eax, 1"), None);
/// ```
pub fn perturbation(original: &str, renamed: &str) -> Option<Perturbation> {
    let (before, after) = (tokens(original), tokens(renamed));
    if before.len() != after.len() {
        return None;
    }
    let (mut changed, mut letters) = (0_usize, 0_usize);
    for (old, new) in before.iter().zip(&after) {
        let (old_text, new_text) = (old.text(original), new.text(renamed));
        if old_text == new_text {
            continue;
        }
        if old.kind != TokenKind::Identifier || new.kind != TokenKind::Identifier {
            return None;
        }
        changed += 1;
        letters += old_text.chars().count();
    }
    let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
    Some(Perturbation {
        characters: share(letters, original.trim().chars().count()),
        tokens: share(changed, before.len()),
    })
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = lex(text);
    tokens.retain(|token| token.kind != TokenKind::Newline);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_and_comments_do_not_count_and_every_use_does() {
        let original = "/* Adds. */\nint add(int left)\n{\n  return left + left;\n}\n";
        let renamed = "int func_0(int var_0) { return var_0 + var_0; }";
        let found = perturbation(original, renamed).unwrap();
        // `add` and three times `left`, of the characters between the blanks at the ends, and of 13 tokens.
        let of_characters = 15.0 / original.trim().len() as f64;
        assert_eq!(
            (found.characters, found.tokens),
            (of_characters, 4.0 / 13.0)
        );
        let same = perturbation(original, original).unwrap();
        assert_eq!((same.characters, same.tokens), (0.0, 0.0));
    }

    #[test]
    fn what_changes_more_than_names_is_no_renaming() {
        for other in [
            "int f(int a) { return 1; }",
            "int f(int a) { return a; } ;",
            "int f(\"a\")",
        ] {
            assert_eq!(
                perturbation("int f(int a) { return a; }", other),
                None,
                "{other}"
            );
        }
        assert_eq!(
            perturbation("", " \n"),
            Some(Perturbation {
                characters: 0.0,
                tokens: 0.0
            })
        );
    }
}
