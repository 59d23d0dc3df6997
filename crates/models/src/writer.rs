//! Prompts → texts, from any writer.
//!
//! An answer that was stopped or declined is an answer, too.

use serde::{Deserialize, Serialize};

use crate::ModelError;
use crate::ledger::Tokens;

/// A model that writes texts.
pub trait Writer: Send + Sync {
    /// Everything that an answer depends on, except the prompt.
    fn identity(&self) -> &str;

    /// Writes an answer to each prompt, and hands each over with its index as soon as it is done, in any order and
    /// from any thread.
    ///
    /// # Errors
    /// For the first prompt that cannot be answered; answers that were handed over before stay handed over.
    fn write(&self, prompts: &[Prompt], done: Answered<'_>) -> Result<(), ModelError>;
}

/// Receives the answer to the prompt with this index.
pub type Answered<'a> = &'a (dyn Fn(usize, Answer) -> Result<(), ModelError> + Sync);

/// A request to a writer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The text.
    pub text: String,
    /// The number of the requested answer to this text, from 0.
    pub attempt: u32,
}

/// The sampling of a writer; options that are not set are left to its provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Sampling {
    /// The amount of chance, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The start of chance, for servers that honor it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Tokens at which an answer is cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

impl Sampling {
    /// The end of an identity: ` temperature=0.5 seed=1 max-tokens=1024`.
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

/// The end of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// The writer was done.
    Whole,
    /// It reached its limit of tokens.
    Cut,
    /// It declined, or was kept from going on.
    Refused,
    /// The prompt is longer than it reads; nothing was written or paid.
    TooLong,
}

/// The answer of a writer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The text, as it came.
    pub text: String,
    /// The way in which it ended.
    pub end: End,
    /// Tokens by the server's count, if it has one.
    pub tokens: Option<Tokens>,
    /// The server's name for the model, if it reports one.
    pub served: Option<String>,
}
