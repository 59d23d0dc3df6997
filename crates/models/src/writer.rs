//! Prompts → texts, whoever writes them.
//!
//! What a writer was stopped at or declined to write is an answer, too.

use serde::{Deserialize, Serialize};

use crate::ModelError;
use crate::ledger::Tokens;

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
