//! Text, symbols and a mapping → the text under new names: the only module that rewrites names.
//!
//! It replaces only the bytes of occurrences: no layout, no literal, no order. Before it does, it checks that the
//! mapping is one-to-one and captures nothing.

use std::collections::BTreeMap;
use std::ops::Range;

use barecode_records::Span;

use super::mapping::Mapping;

/// A text under new names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rewritten {
    /// The text.
    pub text: String,
    /// Every replaced identifier: its range in the old text, and the range of its new name in the new one.
    pub replaced: Vec<(Range<usize>, Range<usize>)>,
}

/// A mapping that would make two names one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` would stand for two names")]
pub struct Clash(pub String);

/// Writes a text under new names.
///
/// # Errors
/// [`Clash`] if a new name is another's new name, or is already in the text as a name that stays.
pub fn rewrite(text: &str, mapping: &Mapping<'_>) -> Result<Rewritten, Clash> {
    if let Some(name) = mapping.clash() {
        return Err(Clash(name.to_owned()));
    }
    let occurrences = mapping.symbols().occurrences();
    let mut new = String::with_capacity(text.len());
    let mut replaced = Vec::with_capacity(occurrences.len());
    let mut at = 0;
    for occurrence in occurrences {
        let Range { start, end } = occurrence.range;
        if mapping.plan().is_foreign(start) {
            continue;
        }
        if let Some(to) = mapping.new_name(occurrence.symbol) {
            new.push_str(text.get(at..start).unwrap_or_default());
            replaced.push((start..end, new.len()..new.len() + to.len()));
            new.push_str(to);
            at = end;
        }
    }
    new.push_str(text.get(at..).unwrap_or_default());
    Ok(Rewritten {
        text: new,
        replaced,
    })
}

impl Rewritten {
    /// Returns the new position of a span of the old text.
    pub fn span(&self, span: Span) -> Span {
        Span::from(self.carry(span.start)..self.carry(span.end))
    }

    /// Returns the new position of a byte of the old text, at the same distance from the last replacement before it.
    fn carry(&self, old: u32) -> usize {
        let old = old as usize;
        // A span may begin with a replaced name: its start is the end of the text before it.
        let index = self.replaced.partition_point(|(range, _)| range.end <= old);
        let (from, to) = match index.checked_sub(1) {
            Some(last) => (self.replaced[last].0.end, self.replaced[last].1.end),
            None => (0, 0),
        };
        to + (old - from)
    }
}

/// Returns `true` if undoing the replacements of a text restores the other one, and no new name represents two old
/// ones.
///
/// `replaced` are the replacements in order: the range of the old name in `original`, and of the new one in `text`.
pub fn gives_back(text: &str, original: &str, replaced: &[(Range<usize>, Range<usize>)]) -> bool {
    let mut old_of: BTreeMap<&str, &str> = BTreeMap::new();
    let (mut from, mut to) = (0, 0);
    for (old, new) in replaced {
        let (Some(kept), Some(same), Some(was), Some(name)) = (
            original.get(from..old.start),
            text.get(to..new.start),
            original.get(old.clone()),
            text.get(new.clone()),
        ) else {
            return false;
        };
        if kept != same || *old_of.entry(name).or_insert(was) != was {
            return false;
        }
        from = old.end;
        to = new.end;
    }
    original.get(from..) == text.get(to..)
}
