//! Texts of others for readers: what a browser would not show, or would obey, becomes a symbol.

use std::fmt::Write as _;

/// Returns a text with control characters as symbols (`␀`), with marks of direction and invisible characters as their
/// code points (`⟨U+202E⟩`), and cut after `longest` characters, with the number of the others.
pub fn visible(text: &str, longest: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(4 * longest));
    let mut rest = text.chars();
    for character in rest.by_ref().take(longest) {
        match character {
            '\n' | '\t' => shown.push(character),
            '\r' => {}
            '\u{7f}' => shown.push('␡'),
            control if (control as u32) < 0x20 => {
                shown.extend(char::from_u32(0x2400 + control as u32));
            }
            hidden if is_hidden(hidden) => {
                let _ = write!(shown, "⟨U+{:04X}⟩", hidden as u32);
            }
            plain => shown.push(plain),
        }
    }
    match rest.count() {
        0 => {}
        more => {
            let _ = write!(shown, "\n… {more} more characters");
        }
    }
    shown
}

/// Returns `true` for characters that change the direction of a text, or that nobody sees.
fn is_hidden(character: char) -> bool {
    matches!(character as u32,
        0x80..=0x9f | 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb
        | 0xe0000..=0xe007f)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_shown_and_what_everybody_sees_stays() {
        assert_eq!(visible("int f;\n\tx", 100), "int f;\n\tx");
        assert_eq!(visible("a\0b\u{1b}[2J\r\n", 100), "a␀b␛[2J\n");
        assert_eq!(visible("a\u{202e}b\u{feff}", 100), "a⟨U+202E⟩b⟨U+FEFF⟩");
        assert_eq!(visible("<script>ä日", 100), "<script>ä日");
        assert_eq!(visible("abcdef", 4), "abcd\n… 2 more characters");
    }
}
