//! A range of a reading → text as a reader expects it: the active code, without comments.
//!
//! Lines with only comments or directives are removed; other lines stay as they were written, line breaks
//! included. Included files inside the range replace their directive.

use std::ops::Range;

use crate::preprocess::unit::{Mark, Reading, TranslationUnit};

/// The text of a range of bytes of a reading.
pub fn text(unit: &TranslationUnit, reading: usize, range: Range<usize>) -> String {
    let mut lines = Lines::default();
    write(unit, reading, range, &mut lines, 0);
    lines.finish()
}

/// The text of a range with a semicolon in place of each hole, and the positions of some of its bytes in it.
///
/// Holes do not overlap; `places` are bytes of the range outside of holes, in ascending order or nested.
pub fn text_with_holes(
    unit: &TranslationUnit,
    reading: usize,
    range: Range<usize>,
    holes: &[Range<usize>],
    places: &[usize],
) -> (String, Vec<usize>) {
    let mut cuts: Vec<usize> = places.to_vec();
    cuts.extend(holes.iter().flat_map(|hole| [hole.start, hole.end]));
    cuts.push(range.end);
    cuts.sort_unstable();
    cuts.dedup();
    let mut lines = Lines::default();
    let mut found = vec![0; places.len()];
    let mut at = range.start;
    for cut in cuts {
        if let Some(hole) = holes.iter().find(|hole| hole.start == at) {
            lines.end_before_hole();
            at = hole.end;
        }
        for (place, found) in places.iter().zip(&mut found) {
            // A range that ends here ended with the last byte before.
            if *place == at {
                *found = lines.text.len();
            }
        }
        if cut > at {
            write(unit, reading, at..cut, &mut lines, 0);
            at = cut;
        }
    }
    for (place, found) in places.iter().zip(&mut found) {
        if *place == range.end {
            *found = lines.text.len();
        }
    }
    let (text, leading) = lines.finish_telling();
    for found in &mut found {
        *found = found.saturating_sub(leading).min(text.len());
    }
    (text, found)
}

/// The text without the bytes of `body`: a prototype or forward declaration, with its semicolon.
pub fn head(
    unit: &TranslationUnit,
    reading: usize,
    range: Range<usize>,
    body: Range<usize>,
) -> String {
    let mut lines = Lines::default();
    write(unit, reading, range.start..body.start, &mut lines, 0);
    lines.push_str(" ");
    write(unit, reading, body.end..range.end, &mut lines, 0);
    let mut text = lines.finish();
    if !text.ends_with(';') {
        text.push(';');
    }
    text
}

fn write(
    unit: &TranslationUnit,
    index: usize,
    range: Range<usize>,
    lines: &mut Lines,
    depth: usize,
) {
    let reading: &Reading = &unit.readings[index];
    let mut at = range.start;
    while at < range.end {
        let mark = reading.marks[at];
        let length = reading.marks[at..range.end]
            .iter()
            .take_while(|&&other| other == mark)
            .count();
        let end = at + length;
        let piece = reading.file.text.get(at..end).unwrap_or_default();
        match mark {
            Mark::Code | Mark::Hidden | Mark::Directive => lines.push_str(piece),
            Mark::Comment => lines.comment(piece),
            Mark::Off | Mark::Scope => lines.removed(piece),
            Mark::Include => {
                lines.removed(piece);
                if let Some(&included) = reading.included.get(&at)
                    && depth < 50
                {
                    let whole = 0..unit.readings[included].file.text.len();
                    write(unit, included, whole, lines, depth + 1);
                    lines.taken = true;
                }
            }
        }
        at = end;
    }
}

/// Text under construction that knows the source lines of its parts.
#[derive(Default)]
struct Lines {
    text: String,
    line_start: usize,
    taken: bool,
}

impl Lines {
    fn push_str(&mut self, piece: &str) {
        for part in piece.split_inclusive('\n') {
            self.text.push_str(part);
            if part.ends_with('\n') {
                self.end_line();
            }
        }
    }

    /// A comment counts as one blank, as in C; its line breaks go with it.
    fn comment(&mut self, piece: &str) {
        self.taken = true;
        if !self.text.ends_with([' ', '\t', '\n']) && !piece.is_empty() {
            self.text.push(' ');
        }
    }

    fn removed(&mut self, piece: &str) {
        self.taken = true;
        if piece.contains('\n') {
            // Keeps the text before it on its own line.
            let line = self.text.get(self.line_start..).unwrap_or_default();
            if !line.trim().is_empty() {
                self.text.push('\n');
                self.end_line();
                self.taken = true;
            }
        }
    }

    fn end_line(&mut self) {
        let line = self.text.get(self.line_start..).unwrap_or_default();
        let trimmed = line.trim_end().len();
        let blank = trimmed == 0;
        self.text.truncate(self.line_start + trimmed);
        let doubled = self.text.ends_with("\n\n");
        let dropped = blank && (self.taken || doubled);
        if !dropped {
            self.text.push('\n');
        }
        self.line_start = self.text.len();
        self.taken = false;
    }

    /// Ends a prototype where its body would begin.
    fn end_before_hole(&mut self) {
        let trimmed = self.text.trim_end().len();
        if trimmed > self.line_start {
            self.text.truncate(trimmed);
        }
        self.text.push(';');
    }

    fn finish(self) -> String {
        self.finish_telling().0
    }

    /// The text, and how many bytes were cut off at its start.
    fn finish_telling(mut self) -> (String, usize) {
        self.end_line();
        let trimmed = self.text.trim_end().len();
        self.text.truncate(trimmed);
        let leading = self.text.len() - self.text.trim_start_matches('\n').len();
        self.text.drain(..leading);
        (self.text, leading)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::preprocess::headers::StandardHeaders;
    use crate::preprocess::unit::{Files, SourceText, read};

    fn emitted(list: &[(&str, &str)]) -> String {
        let file = |&(path, text): &(&str, &str)| {
            (
                path.to_owned(),
                Arc::new(SourceText::new(path.to_owned(), text.to_owned())),
            )
        };
        let files: Files = list.iter().map(file).collect();
        let unit = read("a.c", &files, &StandardHeaders::default(), &[]).expect("small");
        text(&unit, 0, 0..unit.readings[0].file.text.len())
    }

    #[test]
    fn comments_and_what_is_switched_off_are_gone() {
        let source = "int f(void) { /* one */\n  // two\n  return 1; /* three\n  four */\n\n#ifdef NEVER\n  x();\n#else\n  y();\n#endif\n}\n";
        assert_eq!(
            emitted(&[("a.c", source)]),
            "int f(void) {\n  return 1;\n\n  y();\n}"
        );
    }

    #[test]
    fn local_definitions_and_strings_stay() {
        let source = "int f(void) {\n#define N 3 /* x */\n  g(\"/* no */\", N);\n#undef N\n}\n";
        assert_eq!(
            emitted(&[("a.c", source)]),
            "int f(void) {\n#define N 3\n  g(\"/* no */\", N);\n#undef N\n}"
        );
    }

    #[test]
    fn a_comment_between_words_is_a_blank() {
        assert_eq!(emitted(&[("a.c", "int/**/x;\n")]), "int x;");
    }

    #[test]
    fn included_text_stands_in_place() {
        let list = [
            ("a.c", "int t[] = {\n#include \"t.inc\"\n};\n"),
            ("t.inc", "1, 2, // two\n3\n"),
        ];
        assert_eq!(emitted(&list), "int t[] = {\n1, 2,\n3\n};");
    }
}
