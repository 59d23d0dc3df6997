//! A writer with a memory.
//!
//! An answer is found by the writer's identity, the prompt, and the number of the attempt. So no delivered answer is
//! paid for twice, and a rejected one can be followed by another to the same prompt. Answers that were stopped or
//! declined are cached as such.

use std::sync::Arc;

use barecode_records::Digest;

use crate::cache::{Cache, Kept};
use crate::ledger::{Ledger, Tokens, Usage};
use crate::writer::{Answer, Answered, End, Prompt, Writer};
use crate::{Cassette, ModelError};

/// A writer whose answers are cached, or recorded and replayed.
pub(crate) struct CachedWriter {
    pub(crate) inner: Box<dyn Writer>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) cassette: Option<Arc<Cassette>>,
    pub(crate) ledger: Arc<Ledger>,
    /// The name in the ledger.
    pub(crate) name: String,
}

/// The digest under which an answer is found.
pub(crate) fn answer_digest(identity: &str, prompt: &Prompt) -> Digest {
    Digest::new("answer")
        .field(identity)
        .field(&prompt.text)
        .field(prompt.attempt.to_le_bytes())
}

impl CachedWriter {
    /// The answer that is already stored.
    fn found(&self, digest: &Digest) -> Result<Option<Answer>, ModelError> {
        let book = |usage: Usage| self.ledger.add(&self.name, &usage);
        let Some(cassette) = &self.cassette else {
            let mut found = self.cache.get(&[digest.clone().bytes()])?;
            let kept = found.kept.pop().flatten();
            let answer = kept.and_then(|kept| serde_json::from_slice(&kept.value).ok());
            book(Usage {
                cache_hits: u64::from(answer.is_some()),
                cache_damaged: found.damaged,
                ..Usage::default()
            });
            return Ok(answer);
        };
        let Some(line) = cassette.find_request(&digest.clone().hex()) else {
            return if cassette.is_recording() {
                Ok(None)
            } else {
                Err(cassette.missing(&self.name, 1))
            };
        };
        let recorded = cassette.read(line)?;
        let answer = serde_json::from_slice(&recorded.answer)
            .map_err(|error| Cassette::unfit(&self.name, &error.to_string()))?;
        book(Usage {
            replayed: 1,
            ..Usage::default()
        });
        Ok(Some(answer))
    }

    /// Stores an answer before it is handed over; of two the first stays.
    fn keep(&self, digest: &Digest, answer: Answer) -> Result<Answer, ModelError> {
        if answer.end == End::TooLong {
            return Ok(answer);
        }
        let value = serde_json::to_vec(&answer)
            .map_err(|error| ModelError::unusable(format!("{}: {error}", self.name)))?;
        let tokens = answer.tokens.map(Tokens::all);
        if let Some(cassette) = &self.cassette {
            let digest = digest.clone().hex();
            cassette.keep(&self.name, &digest, Vec::new(), tokens, &value)?;
            return Ok(answer);
        }
        let kept = Kept {
            value,
            tokens: u32::try_from(tokens.unwrap_or(0)).unwrap_or(u32::MAX),
            truncated: answer.end == End::Cut,
        };
        let rows = vec![(digest.clone().bytes(), kept)];
        let stored = self.cache.put(self.inner.identity(), None, rows)?;
        let first = stored.first();
        Ok(first
            .and_then(|kept| serde_json::from_slice(&kept.value).ok())
            .unwrap_or(answer))
    }
}

impl Writer for CachedWriter {
    fn identity(&self) -> &str {
        self.inner.identity()
    }

    fn write(&self, prompts: &[Prompt], done: Answered<'_>) -> Result<(), ModelError> {
        let digests: Vec<Digest> = prompts
            .iter()
            .map(|prompt| answer_digest(self.identity(), prompt))
            .collect();
        let mut missing = Vec::new();
        for (at, digest) in digests.iter().enumerate() {
            match self.found(digest)? {
                Some(answer) => done(at, answer)?,
                None => missing.push(at),
            }
        }
        let asked: Vec<Prompt> = missing.iter().map(|&at| prompts[at].clone()).collect();
        self.inner.write(&asked, &|index, answer| {
            let at = missing[index];
            done(at, self.keep(&digests[at], answer)?)
        })
    }
}
