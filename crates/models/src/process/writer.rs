//! Prompts → texts: `{"index": 0, "prompt": "…", "attempt": 0}`, with the requested sampling, is answered by
//! `{"index": 0, "text": "…"}`, with `"end": "cut"` or `"refused"`, `"input_tokens"` and `"output_tokens"` if the
//! program knows them.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{Program, Unfit};
use crate::ModelError;
use crate::ledger::{Ledger, Price, Tokens, Usage};
use crate::writer::{Answer, Answered, End, Prompt, Sampling, Writer};

/// A program that writes.
pub(crate) struct ProcessWriter {
    pub(crate) program: Program,
    pub(crate) identity: String,
    pub(crate) sampling: Sampling,
    pub(crate) ledger: Arc<Ledger>,
    /// The name in the ledger.
    pub(crate) name: String,
    pub(crate) price: Price,
}

impl Writer for ProcessWriter {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn write(&self, prompts: &[Prompt], done: Answered<'_>) -> Result<(), ModelError> {
        if prompts.is_empty() {
            return Ok(());
        }
        let mut lines = Vec::with_capacity(prompts.len());
        for (index, prompt) in prompts.iter().enumerate() {
            let mut line = json!(self.sampling);
            line["index"] = json!(index);
            line["prompt"] = json!(prompt.text);
            line["attempt"] = json!(prompt.attempt);
            lines.push(line);
        }
        self.program.exchange(&lines, &mut |index, value| {
            let answer = read(value).map_err(Unfit::Line)?;
            let tokens = answer.tokens.unwrap_or_default();
            let usage = Usage {
                texts: 1,
                tokens: tokens.all(),
                output_tokens: tokens.output,
                nano_dollars: self.price.nano_dollars(tokens).unwrap_or(0),
                truncations: u64::from(answer.end == End::Cut),
                ..Usage::default()
            };
            self.ledger.add(&self.name, &usage);
            done(index, answer).map_err(Unfit::Failed)
        })
    }
}

fn read(value: &Value) -> Result<Answer, String> {
    let Some(text) = value.get("text").and_then(Value::as_str) else {
        return Err("wrote a line without a `text`".to_owned());
    };
    let end = match value.get("end").and_then(Value::as_str) {
        None | Some("whole") => End::Whole,
        Some("cut") => End::Cut,
        Some("refused") => End::Refused,
        Some(other) => {
            return Err(format!(
                "wrote the end `{other}`, expected `whole`, `cut` or `refused`"
            ));
        }
    };
    let count = |key: &str| value.get(key).and_then(Value::as_u64);
    let tokens = match (count("input_tokens"), count("output_tokens")) {
        (None, None) => None,
        (input, output) => Some(Tokens {
            input: input.unwrap_or(0),
            output: output.unwrap_or(0),
        }),
    };
    let served = value.get("model").and_then(Value::as_str);
    Ok(Answer {
        text: text.to_owned(),
        end,
        tokens,
        served: served.map(str::to_owned),
    })
}
