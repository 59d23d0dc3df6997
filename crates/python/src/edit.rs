//! Edits of a text, and the movement of positions.

use std::rc::Rc;

use barecode_records::Span;
use ruff_text_size::{TextRange, TextSize};

/// A range of bytes and what replaces it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edit {
    /// The range that is replaced; empty to insert.
    pub(crate) range: (u32, u32),
    /// The new text; all occurrences of a name share it.
    pub(crate) text: Rc<str>,
}

impl Edit {
    /// Replaces a range.
    pub(crate) fn replace(range: TextRange, text: impl Into<Rc<str>>) -> Self {
        Edit {
            range: (range.start().to_u32(), range.end().to_u32()),
            text: text.into(),
        }
    }

    /// Inserts before a position.
    pub(crate) fn insert(place: TextSize, text: impl Into<Rc<str>>) -> Self {
        Edit::replace(TextRange::empty(place), text)
    }

    /// Removes a range.
    pub(crate) fn remove(range: TextRange) -> Self {
        Edit::replace(range, "")
    }
}

/// Returns `true` if edits of two ranges cannot both be made: they share bytes, or insert at one position.
pub(crate) fn meet(a: (u32, u32), b: (u32, u32)) -> bool {
    a == b || (a.0 < b.1 && b.0 < a.1)
}

/// A range as records have it.
pub(crate) fn span((start, end): (u32, u32)) -> Span {
    Span { start, end }
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

/// The positions of the bytes of a text before and after edits.
#[derive(Debug, Clone, Default)]
pub struct Moved {
    /// The range that each edit replaced, in the order of the text.
    before: Vec<(u32, u32)>,
    /// The ranges of the new texts. In both lists, starts and ends never fall.
    after: Vec<(u32, u32)>,
}

impl Moved {
    /// By edits that are in order and do not meet.
    pub(crate) fn by(edits: &[Edit]) -> Self {
        let mut shift = 0_i64;
        let after = edits.iter().map(|edit| {
            let (start, end) = edit.range;
            let length = u32::try_from(edit.text.len()).expect("a rewritten text fits in 4 GiB");
            let after = moved(start, shift);
            shift += i64::from(length) - i64::from(end - start);
            (after, after + length)
        });
        Moved {
            after: after.collect(),
            before: edits.iter().map(|edit| edit.range).collect(),
        }
    }

    /// The replaced range and the range of the new text of each edit, in the order of the text.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = ((u32, u32), (u32, u32))> {
        let after = self.after.iter().copied();
        self.before.iter().copied().zip(after)
    }

    /// The range in the new text for a range of the old one; an edit that is replaced in part is covered as a whole.
    pub(crate) fn forth(&self, range: (u32, u32)) -> (u32, u32) {
        carry(range, &self.before, &self.after)
    }

    /// The range in the old text for a range of the new one.
    pub(crate) fn back(&self, range: (u32, u32)) -> (u32, u32) {
        carry(range, &self.after, &self.before)
    }
}

fn moved(place: u32, shift: i64) -> u32 {
    u32::try_from((i64::from(place) + shift).max(0)).unwrap_or(u32::MAX)
}

/// The image of a range under pieces, whose number does not matter: they are in order, so each end is looked up. An
/// end inside of a piece goes to the end of its image, so an edit that was replaced in part is covered as a whole,
/// and no more than that.
fn carry(range: (u32, u32), from: &[(u32, u32)], to: &[(u32, u32)]) -> (u32, u32) {
    let (start, end) = range;
    let same = from.partition_point(|piece| *piece < range);
    if from.get(same) == Some(&range) {
        return to[same];
    }
    let shift = |pieces: usize| {
        let last = pieces.checked_sub(1);
        last.map_or(0, |last| i64::from(to[last].1) - i64::from(from[last].1))
    };
    let passed = from.partition_point(|piece| piece.1 <= start);
    let ended = from.partition_point(|piece| piece.1 <= end);
    let is_inside = |piece: usize, place: u32| from.get(piece).is_some_and(|piece| piece.0 < place);
    let low = if is_inside(passed, start) {
        to[passed].0
    } else {
        moved(start, shift(passed))
    };
    let high = if is_inside(ended, end) {
        to[ended].1
    } else {
        moved(end, shift(ended))
    };
    (low, high.max(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(start: u32, end: u32, text: &str) -> Edit {
        Edit {
            range: (start, end),
            text: text.into(),
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

    #[test]
    fn a_part_of_what_was_written_comes_back_to_what_was_replaced_and_no_more() {
        let text = "range(len(n)):";
        let edits = [edit(0, 5, "r"), edit(12, 12, " + 1"), edit(13, 14, "")];
        let made = edited(text, &edits);
        assert_eq!(made, "r(len(n) + 1)");
        let moved = Moved::by(&edits);
        let number = u32::try_from(made.find('1').unwrap()).unwrap();
        assert_eq!(moved.back((number, number + 1)), (12, 12));
        // A range that begins or ends in what was replaced covers it.
        assert_eq!(moved.forth((2, 11)), (0, 7));
        assert_eq!(moved.forth((2, 4)), (0, 1));
        let name = u32::try_from(made.find('n').unwrap() + 2).unwrap();
        assert_eq!(made.get(name as usize..), Some("n) + 1)"));
        assert_eq!(moved.back((name, name + 5)), (10, 12));
    }

    /// The image of a range, by looking at every piece.
    fn looked_up((start, end): (u32, u32), from: &[(u32, u32)], to: &[(u32, u32)]) -> (u32, u32) {
        let (mut low, mut high) = (start, end);
        for (from, to) in from.iter().zip(to) {
            if *from == (start, end) {
                return *to;
            }
            let shift = i64::from(to.1) - i64::from(from.1);
            if from.1 <= start {
                low = moved(start, shift);
            } else if from.0 < start {
                low = to.0;
            }
            if from.1 <= end {
                high = moved(end, shift);
            } else if from.0 < end {
                high = to.1;
            }
        }
        (low, high.max(low))
    }

    proptest::proptest! {
        #[test]
        fn a_range_goes_where_every_piece_says(
            pieces in proptest::collection::vec((0_u32..3, 0_u32..4, 0_usize..4), 0..12),
            range in (0_u32..40, 0_u32..8),
        ) {
            let mut at = 0;
            let mut edits: Vec<Edit> = Vec::new();
            for (gap, length, new) in pieces {
                let made = edit(at + gap, at + gap + length, "abc".get(..new).unwrap_or_default());
                at += gap + length;
                if edits.last().is_none_or(|last| !meet(last.range, made.range)) {
                    edits.push(made);
                }
            }
            let moved = Moved::by(&edits);
            let range = (range.0, range.0 + range.1);
            let Moved { before, after } = &moved;
            proptest::prop_assert_eq!(moved.forth(range), looked_up(range, before, after));
            proptest::prop_assert_eq!(moved.back(range), looked_up(range, after, before));
        }
    }
}
