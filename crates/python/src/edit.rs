//! Edits of a text, and where places go.

use ruff_text_size::{TextRange, TextSize};

/// A range of bytes and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// What is replaced; empty to insert.
    pub(crate) range: (u32, u32),
    /// What stands there then.
    pub(crate) text: String,
}

impl Edit {
    /// Replaces a range.
    pub(crate) fn replace(range: TextRange, text: impl Into<String>) -> Self {
        Edit {
            range: (range.start().to_u32(), range.end().to_u32()),
            text: text.into(),
        }
    }

    /// Inserts before a place.
    pub(crate) fn insert(place: TextSize, text: impl Into<String>) -> Self {
        Edit::replace(TextRange::empty(place), text)
    }

    /// Removes a range.
    pub(crate) fn remove(range: TextRange) -> Self {
        Edit::replace(range, "")
    }

    /// Whether two edits cannot both be made: they share bytes, or insert at one place.
    pub(crate) fn meets(&self, other: &Edit) -> bool {
        let (a, b) = (self.range, other.range);
        a == b || (a.0 < b.1 && b.0 < a.1)
    }
}

/// Makes edits, which are in order and do not meet.
pub(crate) fn edited(text: &str, edits: &[Edit]) -> String {
    let mut made = String::with_capacity(text.len() + text.len() / 8);
    let mut at = 0;
    for edit in edits {
        let (start, end) = (edit.range.0 as usize, edit.range.1 as usize);
        made.push_str(text.get(at..start).expect("edits are in order"));
        made.push_str(&edit.text);
        at = end;
    }
    made.push_str(text.get(at..).expect("edits lie in the text"));
    made
}

/// Where the bytes of a text are after edits, and where they were before.
#[derive(Debug, Clone, Default)]
pub struct Moved {
    /// For each edit the range before and the range after.
    pieces: Vec<((u32, u32), (u32, u32))>,
}

impl Moved {
    /// By edits that are in order and do not meet.
    pub(crate) fn by(edits: &[Edit]) -> Self {
        let mut shift = 0_i64;
        let pieces = edits.iter().map(|edit| {
            let (start, end) = edit.range;
            let length = u32::try_from(edit.text.len()).expect("a rewritten text fits in 4 GiB");
            let after = moved(start, shift);
            shift += i64::from(length) - i64::from(end - start);
            ((start, end), (after, after + length))
        });
        Moved {
            pieces: pieces.collect(),
        }
    }

    /// Where a range of the old text is in the new one; what was replaced in part is covered as a whole.
    pub(crate) fn forth(&self, range: (u32, u32)) -> (u32, u32) {
        carry(range, self.pieces.iter().copied())
    }

    /// Where a range of the new text was in the old one.
    pub(crate) fn back(&self, range: (u32, u32)) -> (u32, u32) {
        let turned = self.pieces.iter().map(|(before, after)| (*after, *before));
        carry(range, turned)
    }
}

fn moved(place: u32, shift: i64) -> u32 {
    u32::try_from(i64::from(place) + shift).expect("a place stays in its text")
}

/// The image of a range under pieces that are in order.
fn carry(
    (start, end): (u32, u32),
    pieces: impl Iterator<Item = ((u32, u32), (u32, u32))>,
) -> (u32, u32) {
    let (mut low, mut high) = (i64::from(start), i64::from(end));
    let (mut before_start, mut before_end) = (0_i64, 0_i64);
    let (mut lowest, mut highest) = (None::<u32>, None::<u32>);
    for (from, to) in pieces {
        let shift = i64::from(to.1) - i64::from(from.1);
        if from.1 <= start && from != (start, end) {
            before_start = shift;
        }
        if from.1 <= end {
            before_end = shift;
        }
        let meets = from.0 < end && start < from.1 || from == (start, end);
        if meets {
            lowest = Some(lowest.map_or(to.0, |low| low.min(to.0)));
            highest = Some(highest.map_or(to.1, |high| high.max(to.1)));
        }
    }
    low += before_start;
    high += before_end;
    let low = u32::try_from(low.max(0)).unwrap_or(u32::MAX);
    let high = u32::try_from(high.max(0)).unwrap_or(u32::MAX);
    let (low, high) = match (lowest, highest) {
        (Some(lowest), Some(highest)) => (low.min(lowest), high.max(highest)),
        _ => (low, high),
    };
    (low, high.max(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        Edit {
            range: (start, end),
            text: text.to_owned(),
        }
    }

    #[test]
    fn places_go_forth_and_come_back() {
        let text = "abc def ghi";
        let edits = [edit(0, 3, "x"), edit(4, 4, "NEW "), edit(8, 11, "longer")];
        let made = edited(text, &edits);
        assert_eq!(made, "x NEW def longer");
        let moved = Moved::by(&edits);
        let piece = |range: (u32, u32)| made.get(range.0 as usize..range.1 as usize).unwrap();
        assert_eq!(piece(moved.forth((4, 7))), "def");
        assert_eq!(piece(moved.forth((0, 3))), "x");
        assert_eq!(piece(moved.forth((8, 11))), "longer");
        assert_eq!(moved.back((6, 9)), (4, 7));
        assert_eq!(moved.back((10, 16)), (8, 11));
    }
}
