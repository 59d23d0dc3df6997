//! A chat model as a reranker: a list in, a permutation out, window by window.
//!
//! RankGPT's way (Sun et al. 2023, "Is ChatGPT Good at Search?", section 3.2): texts are in a list with
//! numbers, the model answers `[2] > [1] > …`. A window of 20 texts slides from the end of the list to its front in
//! steps of 10, so the best can climb all the way. A score is the number of texts below in the final order.
//!
//! The one hard thing is the form of models' answers. Numbers that are missing keep their old order behind those that
//! are named, numbers named twice count once, unknown numbers are dropped. An answer that names none at all is
//! requested again. The order of the input matters: pass texts best first.
//!
//! The request has temperature 0 and a fixed seed, as far as the server honors them.

use std::fmt::Write;
use std::sync::Arc;

use super::answer::json_of;
use super::batch::estimated_tokens;
use super::call::{Caller, Read, Unanswered};
use super::cassette::{Cassette, request_digest};
use super::chat::{Chat, ChatApi};
use super::provider::Endpoint;
use super::transport::Response;
use crate::ledger::{Tokens, Usage};
use crate::writer::Sampling;
use crate::{ModelError, Reranker};

/// Texts that the model sees at once.
const WINDOW: usize = 20;
/// The step by which the window moves.
const STEP: usize = 10;

/// A chat model that orders texts.
pub(crate) struct ChatReranker {
    pub(crate) api: ChatApi,
    pub(crate) endpoint: Endpoint,
    pub(crate) caller: Caller,
    pub(crate) identity: String,
    /// Bytes of a text that the model is shown.
    pub(crate) longest_text: usize,
    pub(crate) cassette: Option<Arc<Cassette>>,
}

impl Reranker for ChatReranker {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        let mut end = texts.len();
        while end > 0 && texts.len() > 1 {
            let start = end.saturating_sub(WINDOW);
            let window: Vec<&str> = order[start..end].iter().map(|&i| texts[i]).collect();
            let permutation = self.permutation(query, &window)?;
            let old = order[start..end].to_vec();
            for (place, i) in permutation.into_iter().enumerate() {
                order[start + place] = old[i];
            }
            if start == 0 {
                break;
            }
            end -= STEP;
        }
        let mut scores = vec![0.0; texts.len()];
        for (place, &i) in order.iter().enumerate() {
            scores[i] = (texts.len() - 1 - place) as f32;
        }
        Ok(scores)
    }
}

impl ChatReranker {
    /// The order of a window, as indices in it, best first.
    fn permutation(&self, query: &str, texts: &[&str]) -> Result<Vec<usize>, ModelError> {
        let prompt = prompt(query, texts, self.longest_text);
        let chat = Chat {
            system: Some("You rank pieces of source code by how well they answer a request."),
            prompt: &prompt,
            sampling: Sampling {
                temperature: Some(0.0),
                seed: Some(0),
                max_tokens: None,
            },
        };
        let mut request = (self.api.request)(&self.endpoint, &chat);
        request.timeout = self.caller.retry.timeout;
        let digest = request_digest(&self.identity, &request.body);
        if let Some(cassette) = &self.cassette {
            if let Some(line) = cassette.find_request(&digest) {
                self.caller.book(&Usage {
                    replayed: 1,
                    ..Usage::default()
                });
                let recorded = cassette.read(line)?;
                return self
                    .read(&recorded.answer, texts.len())
                    .map(|(order, _)| order)
                    .map_err(|why| Cassette::unfit(&self.caller.model, &why));
            }
            if !cassette.is_recording() {
                return Err(cassette.missing(&self.caller.model, texts.len()));
            }
        }
        let tokens = estimated_tokens(&prompt);
        let read_answer = |response: &Response| {
            let (order, counted) = self.read(&response.body, texts.len())?;
            Ok(Read {
                value: (order, response.body.clone(), counted),
                tokens: counted,
                texts: texts.len() as u64,
                truncations: texts
                    .iter()
                    .filter(|text| text.len() > self.longest_text)
                    .count() as u64,
            })
        };
        match self.caller.call(&request, tokens, &read_answer) {
            Ok((order, body, counted)) => {
                if let Some(cassette) = &self.cassette {
                    let tokens = counted.map(Tokens::all);
                    cassette.keep(&self.caller.model, &digest, Vec::new(), tokens, &body)?;
                }
                Ok(order)
            }
            Err(Unanswered::Failed(error) | Unanswered::TooLong(error)) => Err(error),
            Err(Unanswered::TooLarge(said)) => Err(ModelError::remote(format!(
                "{}: {} texts are too large for the model: {said}",
                self.caller.model,
                texts.len()
            ))
            .with_hint("give the model a smaller `max-length` in models.toml")),
        }
    }

    /// The order in an answer, and its tokens.
    fn read(&self, body: &[u8], count: usize) -> Result<(Vec<usize>, Option<Tokens>), String> {
        let answer = (self.api.answer)(&json_of(body)?)?;
        Ok((order_of(&answer.text, count)?, answer.tokens))
    }
}

fn prompt(query: &str, texts: &[&str], longest: usize) -> String {
    let n = texts.len();
    let mut prompt = format!(
        "Here are {n} pieces of code, each with a number in brackets. Rank them by how well they answer this \
         request: {query}\n"
    );
    for (i, text) in texts.iter().enumerate() {
        let mut end = longest.min(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let shown = text.get(..end).unwrap_or(text);
        write!(prompt, "\n[{}]\n{shown}\n", i + 1).expect("memory takes any text");
    }
    write!(
        prompt,
        "\nRequest: {query}\nRank the {n} pieces above, the best first. Answer with numbers only, like \
         [2] > [1] > [3]."
    )
    .expect("memory takes any text");
    prompt
}

/// `[2] > [1]` of three texts is 1, 0, 2.
fn order_of(text: &str, count: usize) -> Result<Vec<usize>, String> {
    // A model's visible reasoning names numbers too; the answer comes after.
    let text = text.rsplit_once("</think>").map_or(text, |(_, text)| text);
    let bracketed = text
        .split('[')
        .skip(1)
        .filter_map(|rest| rest.split_once(']').map(|(number, _)| number.trim()));
    let mut numbers: Vec<usize> = bracketed.filter_map(|number| number.parse().ok()).collect();
    if numbers.is_empty() {
        numbers = text
            .split(|c: char| !c.is_ascii_digit())
            .filter_map(|number| number.parse().ok())
            .collect();
    }
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for number in numbers {
        if let Some(i) = number.checked_sub(1)
            && i < count
            && !seen[i]
        {
            seen[i] = true;
            order.push(i);
        }
    }
    if order.is_empty() {
        let begin: String = text.chars().take(60).collect();
        return Err(format!("no numbers of texts in `{}`", begin.trim()));
    }
    order.extend((0..count).filter(|&i| !seen[i]));
    Ok(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_read_whatever_else_is_said() {
        let order = |text| order_of(text, 4).unwrap();
        assert_eq!(order("[2] > [1] > [4] > [3]"), [1, 0, 3, 2]);
        assert_eq!(order("Sure! [3] > [3] > [9]"), [2, 0, 1, 3]);
        assert_eq!(order("2, 4"), [1, 3, 0, 2]);
        assert_eq!(order("<think>[1] or [4]?</think>[4]"), [3, 0, 1, 2]);
        assert!(order_of("none of them", 4).is_err());
    }

    #[test]
    fn the_prompt_shows_texts_up_to_whole_characters() {
        let prompt = prompt("find", &["aä", "b"], 2);
        assert!(prompt.contains("\n[1]\na\n\n[2]\nb\n"), "{prompt}");
    }
}
