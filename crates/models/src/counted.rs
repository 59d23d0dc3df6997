//! A model without requests in the books: folders and programs.
//!
//! Enters: texts. Leaves: what the model gives, and in the ledger its texts, tokens, texts that were cut, and time;
//! behind a server the requests are booked instead. It goes inside the cache, so that what is kept is not counted as
//! read.
//!
//! Work of hours must hear Ctrl-C: between two parts somebody may have asked to stop.

use std::sync::Arc;

use crate::ledger::{Ledger, Usage};
use crate::remote::Stop;
use crate::{Clock, Embeddings, Encoder, ModelError, Opening, Reranker, Side};

/// A model with its work booked.
pub(crate) struct Counted<M> {
    inner: M,
    name: String,
    ledger: Arc<Ledger>,
    clock: Arc<dyn Clock>,
    stop: Stop,
}

impl<M> Counted<M> {
    /// Books what `inner` does under a name.
    pub(crate) fn new(inner: M, name: &str, opening: &Opening) -> Self {
        Counted {
            inner,
            name: name.to_owned(),
            ledger: Arc::clone(&opening.ledger),
            clock: Arc::clone(&opening.clock),
            stop: Arc::clone(&opening.stop),
        }
    }

    /// Does something and books it with its time.
    fn book<T>(
        &self,
        work: impl FnOnce() -> Result<T, ModelError>,
        usage: impl FnOnce(&T) -> Usage,
    ) -> Result<T, ModelError> {
        if (self.stop)() {
            return Err(ModelError::Interrupted);
        }
        let begun = self.clock.elapsed();
        let done = work()?;
        let time = self.clock.elapsed().saturating_sub(begun);
        self.ledger.add(
            &self.name,
            &Usage {
                milliseconds: u64::try_from(time.as_millis()).unwrap_or(u64::MAX),
                ..usage(&done)
            },
        );
        Ok(done)
    }
}

// `encode_parts` stays the trait's own: part by part through `encode`.
impl<E: Encoder> Encoder for Counted<E> {
    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        self.book(
            || self.inner.encode(side, texts),
            |embeddings| Usage {
                texts: embeddings.len() as u64,
                tokens: embeddings.tokens.iter().map(|&n| u64::from(n)).sum(),
                truncations: embeddings.truncated.iter().filter(|cut| **cut).count() as u64,
                ..Usage::default()
            },
        )
    }
}

impl<R: Reranker> Reranker for Counted<R> {
    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
        self.book(
            || self.inner.score(query, texts),
            |scores| Usage {
                texts: scores.len() as u64,
                ..Usage::default()
            },
        )
    }
}
