//! A model whose answers are cached.
//!
//! Enters: texts, some of them equal, some of them known. Leaves: the same as the model alone would give. The
//! model sees each uncached text once, in pieces, and its answers are stored as soon as they arrive.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use barecode_records::Digest;

use super::{Cache, Kept, vector_key};
use crate::ModelError;
use crate::encoder::{Done, Embeddings, Encoder, Reranker, Side, collect};
use crate::ledger::{Ledger, Usage};

/// Texts that are looked up and requested together: entries that another process stores meanwhile are not requested
/// again.
const PIECE: usize = 4096;

/// The progress of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Texts that have their vectors.
    pub done: usize,
    /// Texts of the call.
    pub total: usize,
    /// Those of `done` that did not need the model.
    pub kept: usize,
}

/// Receives the progress of a call, from any thread.
type Listener = Box<dyn Fn(Progress) + Send + Sync>;

/// An encoder whose vectors are cached.
///
/// ```
/// use std::sync::Arc;
/// use barecode_models::{Cache, Cached, Embeddings, Encoder, Ledger, ModelError, Side};
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
/// let ledger = Arc::new(Ledger::default());
/// let cached = Cached::new(Length, Arc::new(Cache::in_memory()?), ledger.clone(), "length");
/// assert_eq!(cached.encode(Side::Query, &["ab", "a", "ab"])?.values, [2.0, 1.0, 2.0]);
/// assert_eq!(cached.encode(Side::Query, &["a"])?.values, [1.0]);
/// assert_eq!(ledger.usage()["length"].cache_hits, 2);
/// # Ok::<(), ModelError>(())
/// ```
pub struct Cached<E> {
    inner: E,
    cache: Arc<Cache>,
    ledger: Arc<Ledger>,
    name: String,
    listener: Option<Listener>,
}

impl<E: Encoder> Cached<E> {
    /// Stores the answers of `inner` in `cache`; hits are booked in `ledger` under `name`.
    pub fn new(inner: E, cache: Arc<Cache>, ledger: Arc<Ledger>, name: &str) -> Self {
        Cached {
            inner,
            cache,
            ledger,
            name: name.to_owned(),
            listener: None,
        }
    }

    /// Reports the progress of each call, whenever something is done.
    #[must_use]
    pub fn on_progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.listener = Some(Box::new(listener));
        self
    }
}

impl<E: Encoder> Encoder for Cached<E> {
    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        collect(texts.len(), |done| self.encode_parts(side, texts, done))
    }

    fn encode_parts(&self, side: Side, texts: &[&str], done: Done<'_>) -> Result<(), ModelError> {
        let identity = self.inner.identity();
        let mut places: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        let mut distinct = Vec::new();
        for (place, &text) in texts.iter().enumerate() {
            let same = places.entry(text).or_default();
            if same.is_empty() {
                distinct.push(text);
            }
            same.push(place);
        }
        let n_done = AtomicUsize::new(0);
        let n_kept = AtomicUsize::new(texts.len() - distinct.len());
        let tell = |n: usize| {
            let done = n_done.fetch_add(n, Ordering::Relaxed) + n;
            if let Some(listener) = &self.listener {
                listener(Progress {
                    done,
                    total: texts.len(),
                    kept: n_kept.load(Ordering::Relaxed).min(done),
                });
            }
        };
        let hand_over = |of: Vec<(&str, Kept)>| -> Result<(), ModelError> {
            let mut all = Vec::new();
            let mut part = Embeddings::default();
            for (text, kept) in of {
                let values = kept.numbers();
                part.dimensions = values.len();
                for &place in &places[text] {
                    all.push(place);
                    part.values.extend_from_slice(&values);
                    part.tokens.push(kept.tokens);
                    part.truncated.push(kept.truncated);
                }
            }
            done(&all, part)?;
            tell(all.len());
            Ok(())
        };
        self.ledger.add(
            &self.name,
            &Usage {
                cache_hits: (texts.len() - distinct.len()) as u64,
                ..Usage::default()
            },
        );
        for piece in distinct.chunks(PIECE) {
            let keys: Vec<_> = piece
                .iter()
                .map(|text| vector_key(identity, side, text))
                .collect();
            let mut hits = Vec::new();
            let mut misses = Vec::new();
            let found = self.cache.get(&keys)?;
            self.ledger.add(&self.name, &damaged(found.damaged));
            for (i, kept) in found.kept.into_iter().enumerate() {
                match kept {
                    Some(kept) => hits.push((piece[i], kept)),
                    None => misses.push(i),
                }
            }
            if !hits.is_empty() {
                n_kept.fetch_add(hits.len(), Ordering::Relaxed);
                self.ledger.add(
                    &self.name,
                    &Usage {
                        cache_hits: hits.len() as u64,
                        ..Usage::default()
                    },
                );
                hand_over(hits)?;
            }
            if misses.is_empty() {
                continue;
            }
            let asked: Vec<&str> = misses.iter().map(|&i| piece[i]).collect();
            self.inner.encode_parts(side, &asked, &|answered, part| {
                let rows = answered.iter().enumerate().map(|(i, &place)| {
                    let kept = Kept::of(part.vector(i), part.tokens[i], part.truncated[i]);
                    (keys[misses[place]], kept)
                });
                let kept = self
                    .cache
                    .put(identity, Some(part.dimensions), rows.collect())?;
                let texts = answered.iter().map(|&place| asked[place]);
                hand_over(texts.zip(kept).collect())
            })?;
        }
        Ok(())
    }
}

/// Entries that were damaged, for the books.
fn damaged(count: u64) -> Usage {
    Usage {
        cache_damaged: count,
        ..Usage::default()
    }
}

/// The inputs that a reranker's score of a text depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scores {
    /// The query and the text: each pair is cached by itself.
    OfPairs,
    /// All texts of the call and their order: only the same call is answered from the cache.
    OfLists,
}

/// A reranker whose scores are cached.
///
/// ```
/// use std::sync::Arc;
/// use barecode_models::{Cache, CachedReranker, Ledger, ModelError, Reranker, Scores};
/// struct Length;
/// impl Reranker for Length {
///     fn identity(&self) -> &str {
///         "length"
///     }
///     fn score(&self, _: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
///         Ok(texts.iter().map(|text| text.len() as f32).collect())
///     }
/// }
/// let ledger = Arc::new(Ledger::default());
/// let cache = Arc::new(Cache::in_memory()?);
/// let cached = CachedReranker::new(Length, Scores::OfPairs, cache, ledger.clone(), "length");
/// assert_eq!(cached.score("q", &["ab", "a"])?, [2.0, 1.0]);
/// assert_eq!(cached.score("q", &["a", "abc"])?, [1.0, 3.0]);
/// assert_eq!(ledger.usage()["length"].cache_hits, 1);
/// # Ok::<(), ModelError>(())
/// ```
pub struct CachedReranker<R> {
    inner: R,
    scores: Scores,
    cache: Arc<Cache>,
    ledger: Arc<Ledger>,
    name: String,
}

impl<R: Reranker> CachedReranker<R> {
    /// Stores the answers of `inner` in `cache`; hits are booked in `ledger` under `name`.
    pub fn new(
        inner: R,
        scores: Scores,
        cache: Arc<Cache>,
        ledger: Arc<Ledger>,
        name: &str,
    ) -> Self {
        CachedReranker {
            inner,
            scores,
            cache,
            ledger,
            name: name.to_owned(),
        }
    }

    fn hits(&self, count: usize) {
        self.ledger.add(
            &self.name,
            &Usage {
                cache_hits: count as u64,
                ..Usage::default()
            },
        );
    }
}

impl<R: Reranker> Reranker for CachedReranker<R> {
    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
        let identity = self.inner.identity();
        let kept = |values: &[f32]| Kept::of(values, 0, false);
        let digest = Digest::new("score").field(identity).field(query);
        if self.scores == Scores::OfLists {
            let key = digest.fields(texts).bytes();
            let mut found = self.cache.get(&[key])?;
            self.ledger.add(&self.name, &damaged(found.damaged));
            if let Some(Some(found)) = found.kept.pop() {
                let values = found.numbers();
                if values.len() == texts.len() {
                    self.hits(texts.len());
                    return Ok(values);
                }
            }
            let scores = self.inner.score(query, texts)?;
            let mut stored = self.cache.put(identity, None, vec![(key, kept(&scores))])?;
            return Ok(stored.pop().map(|kept| kept.numbers()).unwrap_or_default());
        }
        let keys: Vec<_> = texts
            .iter()
            .map(|text| digest.clone().field(text).bytes())
            .collect();
        let found = self.cache.get(&keys)?;
        self.ledger.add(&self.name, &damaged(found.damaged));
        let mut scores: Vec<Option<f32>> = found
            .kept
            .into_iter()
            .map(|found| found.and_then(|kept| kept.numbers().first().copied()))
            .collect();
        let missing: Vec<usize> = (0..texts.len()).filter(|&i| scores[i].is_none()).collect();
        self.hits(texts.len() - missing.len());
        if !missing.is_empty() {
            let asked: Vec<&str> = missing.iter().map(|&i| texts[i]).collect();
            let answered = self.inner.score(query, &asked)?;
            let rows = missing
                .iter()
                .zip(answered)
                .map(|(&i, score)| (keys[i], kept(&[score])));
            let stored = self.cache.put(identity, Some(1), rows.collect())?;
            for (&i, kept) in missing.iter().zip(stored) {
                scores[i] = kept.numbers().first().copied();
            }
        }
        scores
            .into_iter()
            .collect::<Option<_>>()
            .ok_or_else(|| ModelError::unusable(format!("{identity}: fewer scores than texts")))
    }
}
