//! What a compiler says is wrong with a text, and where.

/// An error of a compiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Complaint {
    /// The byte of the text that it points at.
    pub byte: usize,
    /// What it says.
    pub message: String,
}

/// A tab ends at the next multiple of this many columns.
const TAB: usize = 8;

impl Complaint {
    /// Reads what was printed about `text`, which the compiler knows as `file`.
    pub(crate) fn read(printed: &str, file: &str, text: &str) -> Vec<Complaint> {
        let mut starts = vec![0];
        starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        let complaint = |line: &str| -> Option<Complaint> {
            let (place, message) = line
                .split_once(": error: ")
                .or_else(|| line.split_once(": fatal error: "))?;
            let mut parts = place.rsplitn(3, ':');
            let column: usize = parts.next()?.parse().ok()?;
            let row: usize = parts.next()?.parse().ok()?;
            if !parts.next()?.ends_with(file) {
                return None;
            }
            let start = *starts.get(row.checked_sub(1)?)?;
            let line = text.get(start..)?.lines().next()?;
            Some(Complaint {
                byte: start + byte_of(line, column),
                message: message.to_owned(),
            })
        };
        printed.lines().filter_map(complaint).collect()
    }
}

/// The byte of a column as it is seen, counted from 1.
fn byte_of(line: &str, column: usize) -> usize {
    let mut seen = 1;
    for (byte, character) in line.char_indices() {
        if seen >= column {
            return byte;
        }
        seen += match character {
            '\t' => TAB - (seen - 1) % TAB,
            _ => 1,
        };
    }
    line.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bytes_of_the_text() {
        let text = "int a;\n\tint b = c;\n/* \u{e9} */ int d = e;\n";
        let printed = "unit.cpp: In function:\n\
            unit.cpp:2:17: error: 'c' was not declared in this scope\n\
            unit.cpp:3:17: error: 'e' was not declared in this scope\n\
            /usr/include/x.h:1:1: error: elsewhere\n";
        let complaints = Complaint::read(printed, "unit.cpp", text);
        let found: Vec<&str> = complaints
            .iter()
            .map(|complaint| {
                text.get(complaint.byte..complaint.byte + 1)
                    .expect("a byte")
            })
            .collect();
        assert_eq!(found, ["c", "e"]);
    }
}
