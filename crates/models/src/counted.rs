//! A model without requests in the books: folders and programs.
//!
//! Enters: texts. Leaves: the answers of the model, and in the ledger its texts, tokens, texts that were cut, and
//! time; behind a server the requests are booked instead. It goes inside the cache, so that cached entries are not
//! counted as read.
//!
//! Work of hours must react to Ctrl-C: between two parts it checks for a stop.

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
    /// Books the work of `inner` under a name.
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

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
    use std::time::Duration;

    use super::*;

    /// A clock that advances by a second with every reading.
    #[derive(Default)]
    struct Ticking(AtomicU64);

    impl Clock for Ticking {
        fn elapsed(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }

        fn unix(&self) -> Duration {
            self.elapsed()
        }

        fn sleep(&self, _: Duration) {}
    }

    /// Reads three bytes of a text, a token each.
    struct Three;

    impl Encoder for Three {
        fn identity(&self) -> &'static str {
            "three"
        }

        fn encode(&self, _: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
            Ok(Embeddings {
                dimensions: 1,
                values: vec![1.0; texts.len()],
                tokens: texts
                    .iter()
                    .map(|text| if text.len() > 3 { 3 } else { 1 })
                    .collect(),
                truncated: texts.iter().map(|text| text.len() > 3).collect(),
            })
        }
    }

    impl Reranker for Three {
        fn identity(&self) -> &'static str {
            "three"
        }

        fn score(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
            Ok(vec![1.0; texts.len()])
        }
    }

    fn opening() -> Opening {
        let mut opening = Opening::new().unwrap();
        opening.clock = Arc::new(Ticking::default());
        opening
    }

    #[test]
    fn texts_tokens_cuts_and_time_are_booked() {
        let opening = opening();
        let counted = Counted::new(Three, "m", &opening);
        counted.encode(Side::Query, &["a", "longer", "b"]).unwrap();
        counted.score("q", &["a", "b"]).unwrap();
        let expected = Usage {
            texts: 3 + 2,
            tokens: 5,
            truncations: 1,
            milliseconds: 2000,
            ..Usage::default()
        };
        assert_eq!(opening.ledger.usage()["m"], expected);
    }

    #[test]
    fn ctrl_c_is_heard_between_parts_and_what_was_done_is_handed_over() {
        let mut opening = opening();
        let asked = AtomicUsize::new(0);
        opening.stop = Arc::new(move || asked.fetch_add(1, Ordering::Relaxed) > 1);
        let counted = Counted::new(Three, "m", &opening);
        let done = AtomicUsize::new(0);
        let ended = counted.encode_parts(Side::Query, &["a"; 1000], &|places, _| {
            done.fetch_add(places.len(), Ordering::Relaxed);
            Ok(())
        });
        assert!(matches!(ended, Err(ModelError::Interrupted)));
        let done = done.into_inner();
        assert!((1..1000).contains(&done), "{done}");
        assert_eq!(opening.ledger.usage()["m"].texts, done as u64);
    }
}
