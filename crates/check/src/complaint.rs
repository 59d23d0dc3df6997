//! Errors that a compiler reports in a text, with their positions.

use serde::{Deserialize, Serialize};

/// An error of a compiler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Complaint {
    /// The byte of the text that it points at.
    pub byte: usize,
    /// The message.
    pub message: String,
}

/// A guess of the compiler's, which is not part of the error.
const GUESS: &str = "; did you mean";

impl Complaint {
    /// Reads what was printed about `text`, which the compiler knows as `file`. Columns are bytes, counted from 1. A
    /// flag makes gcc count this way; otherwise a tab is wide only if gcc finds the line in a file.
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
            let message = message.split(GUESS).next()?;
            Some(Complaint {
                byte: start + column.saturating_sub(1).min(line.len()),
                message: message.to_owned(),
            })
        };
        printed.lines().filter_map(complaint).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bytes_of_the_text() {
        let text = "int a;\n\tint b = c;\n/* \u{e9} */ int d = e;\n";
        let printed = "unit.cpp: In function:\n\
            unit.cpp:2:10: error: 'c' was not declared in this scope; did you mean 'b'?\n\
            unit.cpp:3:18: error: 'e' was not declared in this scope\n\
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
        assert!(complaints.iter().all(|it| !it.message.contains("'b'")));
    }
}
