//! Prompts → texts, whoever writes them.
//!
//! An answer is found again by the writer's identity, the prompt, and which attempt it is: so none that was delivered
//! is paid for twice, and a rejected one can be followed by another to the same prompt. What a writer was stopped at or
//! declined to write is cached as such.

use std::sync::Arc;

use barecode_records::Digest;
use serde::{Deserialize, Serialize};

use crate::cache::{Cache, Kept};
use crate::ledger::{Ledger, Tokens, Usage};
use crate::{Cassette, ModelError};

/// A model that writes texts.
pub trait Writer: Send + Sync {
    /// Everything that an answer depends on but the prompt.
    fn identity(&self) -> &str;

    /// Writes an answer to each prompt, and hands each over with its index as soon as it is there, in any order and from
    /// any thread.
    ///
    /// # Errors
    /// For the first prompt that cannot be answered; what was handed over before stays handed over.
    fn write(&self, prompts: &[Prompt], done: Answered<'_>) -> Result<(), ModelError>;
}

/// Takes the answer to the prompt with this index.
pub type Answered<'a> = &'a (dyn Fn(usize, Answer) -> Result<(), ModelError> + Sync);

/// What a writer is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// Which answer to this text is wanted, from 0.
    pub attempt: u32,
}

/// How a writer writes; what is not said is left to its provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sampling {
    /// How much chance there is, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Where chance begins, for servers that honor it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Tokens at which an answer is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

impl Sampling {
    /// As identities end: ` temperature=0.5 seed=1 max-tokens=1024`.
    pub(crate) fn label(self) -> String {
        let said = [
            ("temperature", self.temperature.map(|it| it.to_string())),
            ("seed", self.seed.map(|it| it.to_string())),
            ("max-tokens", self.max_tokens.map(|it| it.to_string())),
        ];
        let said = said.into_iter();
        said.filter_map(|(name, value)| Some(format!(" {name}={}", value?)))
            .collect()
    }
}

/// How an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The writer was done.
    Whole,
    /// It reached its limit of tokens.
    Cut,
    /// It declined, or somebody kept it from going on.
    Refused,
    /// The prompt is longer than it reads; nothing was written or paid.
    TooLong,
}

/// What a writer wrote.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, as it came.
    pub text: String,
    /// How it ended.
    pub end: End,
    /// Tokens as the server counts them, where it does.
    pub tokens: Option<Tokens>,
    /// What the server calls the model, where it says so.
    pub served: Option<String>,
}

/// A writer whose answers are cached, or recorded and replayed.
pub(crate) struct CachedWriter {
    pub(crate) inner: Box<dyn Writer>,
    pub(crate) cache: Arc<Cache>,
    pub(crate) cassette: Option<Arc<Cassette>>,
    pub(crate) ledger: Arc<Ledger>,
    /// The name in the ledger.
    pub(crate) name: String,
}

/// What an answer is found by.
pub(crate) fn answer_digest(identity: &str, prompt: &Prompt) -> Digest {
    Digest::new("answer")
        .field(identity)
        .field(&prompt.text)
        .field(prompt.attempt.to_le_bytes())
}

impl CachedWriter {
    /// The answer that is there already.
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
        let answer = serde_json::from_slice(&recorded.answer).map_err(|error| {
            let name = &self.name;
            ModelError::unusable(format!(
                "{name}: a recorded answer cannot be right: {error}"
            ))
            .with_hint("the cassette was changed; record again")
        })?;
        book(Usage {
            replayed: 1,
            ..Usage::default()
        });
        Ok(Some(answer))
    }

    /// Stores an answer before anybody sees it; of two the first stays.
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
