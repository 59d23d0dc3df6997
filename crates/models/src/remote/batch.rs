//! Texts to requests: in their order, up to a limit by count and by tokens.
//!
//! Tokens are estimated from bytes by a fixed rule: a batch depends on the texts alone, never on
//! earlier answers of a server. If the estimate is too low the server refuses for free, and the batch is halved.

use std::ops::Range;

/// Bytes a token, as in code and English with the tokenizers of today: 3.2 to 4.5; the low end fills requests
/// without being refused often.
const BYTES_A_TOKEN: usize = 3;

/// An estimate of the tokens of a text; never 0, because every provider counts something.
///
/// ```
/// use barecode_models::estimated_tokens;
/// assert_eq!(estimated_tokens("int f(void);"), 4);
/// assert_eq!(estimated_tokens(""), 1);
/// ```
pub fn estimated_tokens(text: &str) -> u64 {
    text.len().div_ceil(BYTES_A_TOKEN).max(1) as u64
}

/// Ranges of texts that go into one request each. A text that is too large by itself is alone.
pub(crate) fn batches(tokens: &[u64], most_texts: usize, most_tokens: u64) -> Vec<Range<usize>> {
    let mut ranges = Vec::new();
    let mut start = 0;
    let mut sum = 0;
    for (i, &n) in tokens.iter().enumerate() {
        if i > start && (i - start >= most_texts || sum + n > most_tokens) {
            ranges.push(start..i);
            start = i;
            sum = 0;
        }
        sum += n;
    }
    if start < tokens.len() {
        ranges.push(start..tokens.len());
    }
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_hold_what_fits_by_count_and_by_tokens() {
        assert_eq!(batches(&[1; 5], 2, 100), [0..2, 2..4, 4..5]);
        assert_eq!(batches(&[40, 40, 40], 9, 80), [0..2, 2..3]);
        assert_eq!(
            batches(&[10, 500, 10], 9, 80),
            [0..1, 1..2, 2..3],
            "too large alone, and alone"
        );
        assert!(batches(&[], 9, 80).is_empty());
    }
}
