//! The interface of every embedding model, local or remote: texts to vectors.

use std::sync::{Arc, Mutex, PoisonError};

use barecode_records::words;

use crate::ModelError;

words! {
    /// The side of the search that a text is on: prompts and input types differ.
    pub enum Side {
        /// A text that searches.
        Query = "query",
        /// A text that is searched.
        Document = "document",
    }
}

/// The vectors of some texts, in their order.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embeddings {
    /// Length of every vector.
    pub dimensions: usize,
    /// The vectors one after another: text `i` has `values[i * dimensions..(i + 1) * dimensions]`.
    pub values: Vec<f32>,
    /// Tokens of each text that the model read, by its own count; 0 if it reports none.
    pub tokens: Vec<u32>,
    /// True if the text was longer than the model reads.
    pub truncated: Vec<bool>,
}

impl Embeddings {
    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.tokens.len()
    }

    /// Returns `true` if there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.tokens.is_empty()
    }

    /// The vector of a text.
    ///
    /// # Panics
    /// If the index is out of range.
    pub fn vector(&self, text: usize) -> &[f32] {
        &self.values[text * self.dimensions..(text + 1) * self.dimensions]
    }
}

/// A model that turns texts into vectors.
///
/// The vector of a text depends on the model's [`identity`](Encoder::identity), the side and the text, never on
/// the texts beside it: so vectors can be cached.
pub trait Encoder: Send + Sync {
    /// Everything that the vectors depend on: model, revision, pooling, normalization, prompts, maximum length,
    /// dimensions, number type. Two encoders with the same identity give the same vectors.
    fn identity(&self) -> &str;

    /// The vectors of some texts.
    ///
    /// # Errors
    /// As [`ModelError`] describes; nothing of the call is kept then.
    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError>;

    /// As [`encode`](Encoder::encode), but every part is handed over as soon as it is done: the indices of its texts,
    /// and their vectors in that order. Parts come in any order and from any thread, each text once. Parts that were
    /// handed over before an error are valid.
    ///
    /// # Errors
    /// As [`ModelError`] describes, or the error of `done`.
    fn encode_parts(&self, side: Side, texts: &[&str], done: Done<'_>) -> Result<(), ModelError> {
        /// Enough to sort by length inside, little enough to lose.
        const PART: usize = 256;
        for start in (0..texts.len()).step_by(PART) {
            let places: Vec<usize> = (start..texts.len().min(start + PART)).collect();
            let part: Vec<&str> = places.iter().map(|&place| texts[place]).collect();
            done(&places, self.encode(side, &part)?)?;
        }
        Ok(())
    }
}

/// Receives the parts of [`Encoder::encode_parts`]: indices of texts, and their vectors.
pub type Done<'a> = &'a (dyn Fn(&[usize], Embeddings) -> Result<(), ModelError> + Sync);

macro_rules! pass_on {
    ($($pointer:ident)*) => {$(
        impl<E: Encoder + ?Sized> Encoder for $pointer<E> {
            fn identity(&self) -> &str {
                (**self).identity()
            }

            fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
                (**self).encode(side, texts)
            }

            fn encode_parts(
                &self,
                side: Side,
                texts: &[&str],
                done: Done<'_>,
            ) -> Result<(), ModelError> {
                (**self).encode_parts(side, texts, done)
            }
        }

        impl<R: Reranker + ?Sized> Reranker for $pointer<R> {
            fn identity(&self) -> &str {
                (**self).identity()
            }

            fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
                (**self).score(query, texts)
            }
        }
    )*};
}

pass_on! { Box Arc }

/// Puts parts into the order of the texts.
///
/// # Errors
/// The error of `run`, or an error if the parts do not make a whole: a defect of the model's implementation.
pub(crate) fn collect(
    count: usize,
    run: impl FnOnce(Done<'_>) -> Result<(), ModelError>,
) -> Result<Embeddings, ModelError> {
    let slots: Mutex<(Embeddings, Vec<bool>)> = Mutex::new((
        Embeddings {
            dimensions: 0,
            values: Vec::new(),
            tokens: vec![0; count],
            truncated: vec![false; count],
        },
        vec![false; count],
    ));
    run(&|places, part| {
        let mut slots = slots.lock().unwrap_or_else(PoisonError::into_inner);
        let (whole, filled) = &mut *slots;
        if whole.dimensions == 0 {
            whole.dimensions = part.dimensions;
            whole.values = vec![0.0; count * part.dimensions];
        }
        if whole.dimensions != part.dimensions {
            return Err(ModelError::unusable(format!(
                "vectors of {} numbers, and vectors of {} before",
                part.dimensions, whole.dimensions
            )));
        }
        for (i, &place) in places.iter().enumerate() {
            let start = place * whole.dimensions;
            whole.values[start..start + whole.dimensions].copy_from_slice(part.vector(i));
            whole.tokens[place] = part.tokens[i];
            whole.truncated[place] = part.truncated[i];
            filled[place] = true;
        }
        Ok(())
    })?;
    let (whole, filled) = slots.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(place) = filled.iter().position(|filled| !filled) {
        return Err(ModelError::unusable(format!(
            "text {} of {count} has no vector",
            place + 1
        )));
    }
    Ok(whole)
}

/// A model that scores texts as answers to a query.
pub trait Reranker: Send + Sync {
    /// As [`Encoder::identity`].
    fn identity(&self) -> &str;

    /// One score a text, higher is better.
    ///
    /// # Errors
    /// As [`ModelError`] describes.
    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError>;
}
