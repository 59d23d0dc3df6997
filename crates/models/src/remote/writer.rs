//! Prompts → texts, over the network: several requests at a time, each by itself.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use super::answer::json_of;
use super::batch::estimated_tokens;
use super::call::{Caller, Read, Unanswered};
use super::chat::{Chat, ChatApi};
use super::provider::Endpoint;
use super::transport::Response;
use crate::ModelError;
use crate::ledger::Tokens;
use crate::writer::{Answer, Answered, End, Prompt, Sampling, Writer};

/// A chat model that writes.
pub(crate) struct RemoteWriter {
    pub(crate) api: ChatApi,
    pub(crate) endpoint: Endpoint,
    pub(crate) caller: Caller,
    pub(crate) identity: String,
    pub(crate) sampling: Sampling,
    /// Requests under way at the same time.
    pub(crate) parallel: usize,
}

/// The most tokens of a prompt and its answer, before it is sent.
pub(crate) fn most_tokens(prompt: &str, sampling: Sampling) -> Tokens {
    Tokens {
        input: estimated_tokens(prompt),
        output: sampling.max_tokens.unwrap_or(0).into(),
    }
}

impl Writer for RemoteWriter {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn write(&self, prompts: &[Prompt], done: Answered<'_>) -> Result<(), ModelError> {
        let next = AtomicUsize::new(0);
        let has_failed = AtomicBool::new(false);
        let failure = Mutex::new(None);
        let fail = |error: ModelError| {
            has_failed.store(true, Ordering::Relaxed);
            let mut failure = failure.lock().unwrap_or_else(PoisonError::into_inner);
            failure.get_or_insert(error);
        };
        let one = || {
            while !has_failed.load(Ordering::Relaxed) {
                let at = next.fetch_add(1, Ordering::Relaxed);
                let Some(prompt) = prompts.get(at) else {
                    return;
                };
                let answered = AssertUnwindSafe(|| done(at, self.answer(prompt)?));
                match catch_unwind(answered) {
                    Ok(Ok(())) => {}
                    Ok(Err(error)) => fail(error),
                    Err(_) => fail(self.panicked()),
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.parallel.max(1).min(prompts.len()) {
                scope.spawn(one);
            }
        });
        let failure = failure.into_inner().unwrap_or_else(PoisonError::into_inner);
        failure.map_or(Ok(()), Err)
    }
}

impl RemoteWriter {
    fn answer(&self, prompt: &Prompt) -> Result<Answer, ModelError> {
        // Another attempt at the same prompt begins with another seed, for servers that honor it.
        let seed = self.sampling.seed;
        let sampling = Sampling {
            seed: seed.map(|seed| seed.wrapping_add(prompt.attempt.into())),
            ..self.sampling
        };
        let chat = Chat {
            system: None,
            prompt: &prompt.text,
            sampling,
        };
        let mut request = (self.api.request)(&self.endpoint, &chat);
        request.timeout = self.caller.retry.timeout;
        let read = |response: &Response| {
            let answer = (self.api.answer)(&json_of(&response.body)?)?;
            Ok(Read {
                tokens: answer.tokens,
                texts: 1,
                truncations: u64::from(answer.end == End::Cut),
                value: answer,
            })
        };
        let tokens = most_tokens(&prompt.text, self.sampling);
        match self.caller.call(&request, tokens, &read) {
            Ok(answer) => Ok(answer),
            Err(Unanswered::Failed(error)) => Err(error),
            // It was paid for: the answer is treated like one that was cut, and stored, so that it is not paid for
            // again.
            Err(Unanswered::TooLong(error)) => Ok(Answer {
                text: error.to_string(),
                end: End::Cut,
                tokens: None,
                served: None,
            }),
            Err(Unanswered::TooLarge(said)) => Ok(Answer {
                text: said,
                end: End::TooLong,
                tokens: None,
                served: None,
            }),
        }
    }

    fn panicked(&self) -> ModelError {
        ModelError::remote(format!("{}: a request ended in a panic", self.caller.model))
            .with_hint("this is a mistake in barecode; answers so far are cached")
    }
}
