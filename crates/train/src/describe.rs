//! Code → code described in plain words, as the structural retriever renders it.
//!
//! A model for English has read little that is like code without names. It can learn from a description in words:
//! inputs, outputs, calls and constructs. A model that is trained on such texts must be evaluated on such texts:
//! `barecode eval --described`.

use barecode_languages::{is_c_like, is_c_or_cpp, not_lowered};
use barecode_records::Language;
use barecode_structural::describe;
use rayon::prelude::*;

use crate::pairs::{Pair, Pairs};
use crate::seen::Seen;

/// The reason why a pair is left out.
const UNKNOWN: &str =
    "the positive cannot be described: `structural` does not read it, or has no `language` for it";
/// The reason why a negative is left out.
const UNKNOWN_NEGATIVE: &str = "a negative cannot be described";

impl Pairs {
    /// Describes positives and negatives in plain words; anchors stay. Code that cannot be described is left out and
    /// counted.
    ///
    /// Comes after [`Pairs::exclude`], which compares texts as they are.
    pub fn describe(&mut self) {
        self.read = Some(Seen::of(self));
        for is_train in [true, false] {
            let side = if is_train {
                &mut self.train
            } else {
                &mut self.dev
            };
            let before = std::mem::take(side);
            let pairs: Vec<(Option<Pair>, u64)> = before.into_par_iter().map(of_pair).collect();
            let unknown = pairs.iter().filter(|(pair, _)| pair.is_none()).count();
            let negatives = pairs.iter().map(|(_, negatives)| negatives).sum();
            side.extend(pairs.into_iter().filter_map(|(pair, _)| pair));
            self.count(UNKNOWN, unknown as u64);
            self.count(UNKNOWN_NEGATIVE, negatives);
        }
    }
}

/// The pair in plain words, and the number of its negatives that were left out.
fn of_pair(mut pair: Pair) -> (Option<Pair>, u64) {
    let column = pair.language.take();
    let column = column.as_deref();
    let named = column.and_then(barecode_languages::find);
    let other = named.map(|it| it.language).filter(|it| !is_c_or_cpp(*it));
    let described = |text: &String| {
        let c = || (is_c_like(text, column) != Some(false)).then_some(Language::CPP);
        describe(text, not_lowered(text, other.or_else(c)))
    };
    let Some(positive) = described(&pair.positive) else {
        return (None, 0);
    };
    let before = pair.negatives.len();
    pair.negatives = pair.negatives.iter().filter_map(described).collect();
    let gone = before - pair.negatives.len();
    pair.positive = positive;
    (Some(pair), gone as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_column_says_the_language() {
        let described = |text: &str, language: Option<&str>| {
            let pair = Pair {
                positive: text.to_owned(),
                language: language.map(str::to_owned),
                ..Pair::default()
            };
            of_pair(pair).0.map(|pair| pair.positive)
        };
        let python = "def largest(items):\n    return max(items)\n";
        let c = "int largest(int a, int b) { return a > b ? a : b; }";
        let listing = "push %rbp\nmov %rsp,%rbp\npop %rbp\nret\n";
        assert!(described(python, Some("python")).is_some());
        assert_eq!(described(python, None), None);
        assert_eq!(described(c, Some("kotlin")), None);
        assert_eq!(described(c, None), described(c, Some("C++")));
        assert!(described(c, None).is_some());
        assert_eq!(described(listing, Some("c")), described(listing, None));
        assert!(described(listing, None).is_some());
    }
}
