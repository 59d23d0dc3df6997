//! Texts that are longer than a model reads, in pieces.
//!
//! A text becomes overlapping chunks, each gets a vector, and the text's score is its best chunk's (MaxP, Dai and
//! Callan 2019, "Deeper Text Understanding for IR with Contextual Neural Language Modeling", section 3). A text that
//! fits is one chunk, so nothing changes for it.
//!
//! Length is counted in bytes: most remote models have no public tokenizer, and a chunk that is a little shorter than
//! the window loses nothing. A chunk ends at the last line that fits, if that is in its second half, so that a
//! statement is rarely torn.

use std::ops::Range;

use crate::{Embeddings, Encoder, ModelError, Side};

/// The length of chunks and the length of their overlap, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Chunking {
    bytes: usize,
    overlap: usize,
}

impl Chunking {
    /// Chunks of at most `bytes` bytes; `overlap` must be less than half of them.
    ///
    /// ```
    /// use barecode_models::Chunking;
    /// let chunking = Chunking::new(8, 3)?;
    /// assert_eq!(chunking.ranges("abcdefghijkl"), [0..8, 5..12]);
    /// assert_eq!(chunking.ranges("one;\ntwo;\n"), [0..5, 2..10], "a chunk ends with a line where one ends late enough");
    /// assert_eq!(chunking.ranges(""), [0..0]);
    /// assert!(Chunking::new(8, 4).is_err());
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If the overlap is too large, or a chunk could not hold a character.
    pub fn new(bytes: usize, overlap: usize) -> Result<Self, ModelError> {
        if bytes < 8 || overlap >= bytes / 2 {
            return Err(ModelError::unusable(format!(
                "chunks of {bytes} bytes with an overlap of {overlap}"
            ))
            .with_hint("a chunk has at least 8 bytes, and the overlap is less than half of it"));
        }
        Ok(Chunking { bytes, overlap })
    }

    /// The most bytes of a chunk.
    pub fn bytes(self) -> usize {
        self.bytes
    }

    /// The number of bytes of a chunk that are in the next one.
    pub fn overlap(self) -> usize {
        self.overlap
    }

    /// The chunks of a text: together they cover it, and each begins within the one before. An empty text has one.
    pub fn ranges(self, text: &str) -> Vec<Range<usize>> {
        let mut ranges = Vec::new();
        let mut start = 0;
        loop {
            let mut end = start + self.bytes;
            if end >= text.len() {
                ranges.push(start..text.len());
                return ranges;
            }
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            let window = text.get(start..end).unwrap_or("");
            if let Some(newline) = window.rfind('\n')
                && newline + 1 > self.bytes / 2
            {
                end = start + newline + 1;
            }
            ranges.push(start..end);
            start = end - self.overlap;
            while !text.is_char_boundary(start) {
                start -= 1;
            }
        }
    }
}

/// Vectors of chunks, and the texts that they belong to.
#[derive(Debug, Clone, PartialEq)]
pub struct Chunked {
    /// One vector a chunk, the chunks of a text one after another.
    pub embeddings: Embeddings,
    /// The chunks of text `i` are `starts[i]..starts[i + 1]`.
    pub starts: Vec<usize>,
}

impl Chunked {
    /// The score of each text, its best chunk's, from the scores of the chunks.
    ///
    /// # Panics
    /// If there is not one score a chunk.
    pub fn best(&self, scores: &[f32]) -> Vec<f32> {
        assert_eq!(scores.len(), self.embeddings.len(), "one score a chunk");
        self.starts
            .windows(2)
            .map(|pair| {
                scores[pair[0]..pair[1]]
                    .iter()
                    .copied()
                    .fold(f32::NEG_INFINITY, f32::max)
            })
            .collect()
    }
}

/// Embeds texts in chunks.
///
/// ```
/// use barecode_models::{Chunking, Embeddings, Encoder, ModelError, Side, encode_chunked};
/// struct Length;
/// impl Encoder for Length {
///     fn identity(&self) -> &str {
///         "length"
///     }
///     fn encode(&self, _: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
///         Ok(Embeddings {
///             dimensions: 1,
///             values: texts.iter().map(|text| text.len() as f32).collect(),
///             tokens: vec![1; texts.len()],
///             truncated: vec![false; texts.len()],
///         })
///     }
/// }
/// let chunked = encode_chunked(&Length, Side::Document, &["abc", "abcdefghijkl"], Chunking::new(8, 3)?)?;
/// assert_eq!(chunked.embeddings.values, [3.0, 8.0, 7.0]);
/// assert_eq!(chunked.starts, [0, 1, 3]);
/// assert_eq!(chunked.best(&[0.1, 0.5, 0.7]), [0.1, 0.7]);
/// # Ok::<(), ModelError>(())
/// ```
///
/// # Errors
/// As for [`Encoder::encode`].
pub fn encode_chunked(
    encoder: &dyn Encoder,
    side: Side,
    texts: &[&str],
    chunking: Chunking,
) -> Result<Chunked, ModelError> {
    let mut chunks = Vec::new();
    let mut starts = vec![0];
    for text in texts {
        for range in chunking.ranges(text) {
            chunks.push(text.get(range).unwrap_or(""));
        }
        starts.push(chunks.len());
    }
    Ok(Chunked {
        embeddings: encoder.encode(side, &chunks)?,
        starts,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_cover_a_text_and_cut_no_character() {
        let text = "größe();\nüber();\n".repeat(40);
        for (bytes, overlap) in [(8, 3), (20, 0), (33, 15), (10_000, 10)] {
            let ranges = Chunking::new(bytes, overlap).unwrap().ranges(&text);
            assert_eq!(ranges[0].start, 0);
            assert_eq!(ranges.last().unwrap().end, text.len());
            for range in &ranges {
                assert!(range.len() <= bytes && !range.is_empty());
                assert!(text.get(range.clone()).is_some(), "{range:?}");
            }
            for pair in ranges.windows(2) {
                assert!(pair[1].start <= pair[0].end && pair[1].start > pair[0].start);
                assert!(pair[0].end - pair[1].start >= overlap);
            }
        }
    }
}
