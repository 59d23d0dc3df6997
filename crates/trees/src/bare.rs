//! Text → text without comments.

use std::ops::Range;

/// A part of a text without its comments, which are in order. A line that has nothing else goes as a whole; a comment
/// between two words leaves a blank.
pub fn bare(text: &str, part: Range<usize>, comments: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(part.len());
    let mut at = part.start;
    let first = comments.partition_point(|comment| comment.end <= part.start);
    for comment in comments.get(first..).unwrap_or_default() {
        if comment.start >= part.end {
            break;
        }
        if comment.start < at {
            continue;
        }
        // Some grammars take the line end for a part of the comment.
        let written = text.get(comment.clone()).unwrap_or_default();
        let end = (comment.start + written.trim_end().len()).min(part.end);
        out.push_str(text.get(at..comment.start).unwrap_or_default());
        let line = out.rsplit('\n').next().unwrap_or_default();
        let begins_line = line.trim().is_empty() && (out.contains('\n') || out.trim().is_empty());
        let rest = text.get(end..part.end).unwrap_or_default();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        let behind = rest.get(blanks..).unwrap_or_default();
        let ends_line = behind.starts_with('\n') || behind.is_empty();
        at = end;
        if ends_line {
            let kept = out.trim_end_matches([' ', '\t']).len();
            out.truncate(kept);
            at += blanks;
            if begins_line && behind.starts_with('\n') {
                at += 1;
            }
        } else {
            let is_word = |c: Option<char>| c.is_some_and(|c| !c.is_whitespace());
            if is_word(out.chars().next_back()) && is_word(rest.chars().next()) {
                out.push(' ');
            } else if begins_line {
                at += blanks;
            }
        }
    }
    out.push_str(text.get(at..part.end).unwrap_or_default());
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_leave_no_trace_of_their_own() {
        let text = "int f() { // one\n  // two\n\n  a/*x*/b; /* y */\n  /* z */ c;\n}";
        let mut comments = Vec::new();
        for (from, to) in [
            ("// one", ""),
            ("// two", ""),
            ("/*x*/", ""),
            ("/* y */", ""),
            ("/* z */", ""),
        ] {
            let start = text.find(from).unwrap();
            comments.push(start..start + from.len() + to.len());
        }
        assert_eq!(
            bare(text, 0..text.len(), &comments),
            "int f() {\n\n  a b;\n  c;\n}"
        );
    }
}
