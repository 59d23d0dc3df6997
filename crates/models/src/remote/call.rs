//! A request until it is answered: wait for a turn, send, check, wait, send again.
//!
//! Enters: a [`Request`], its tokens by estimate, and the reader of its answer. Leaves: the content that was read,
//! once; or the reason why trying again is no use. Every try is in the ledger.
//!
//! Tried again: 408, 409, 429, 5xx, connections that break, and impossible answers (cut JSON, an HTML page, a wrong
//! count, invalid numbers). Waits double from half a second with full jitter, or are those that the server requests.
//! Not tried again: everything else, a host that never answered, and a quota that is used up. A request that is too
//! large is handed back to the caller, who can split it.
//!
//! An impossible answer was paid for all the same, by the server's count if it has one. One that is lost on its way
//! may have been: it counts by estimate, so that a budget is never exceeded by a bad connection. So does one without
//! end, which is not requested again. A count beyond the possible cost of the request is not believed: that most is
//! booked, and the ledger counts these answers.
//!
//! The jitter is drawn from the request itself, so tests and reruns wait the same; it spreads requests, which differ.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use barecode_records::Digest;
use serde_json::Value;

use super::answer::billed_tokens;
use super::pace::{Pace, retry_after};
use super::transport::{Broken, Request, Response, Transport, public_address};
use crate::ledger::{Ledger, Price, Tokens, Usage};
use crate::{Clock, ModelError};

/// The number and length of tries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// Tries of one request, the first one included.
    pub tries: u32,
    /// Tries of one request whose answers are impossible.
    pub bad_answers: u32,
    /// The longest time of one try.
    pub timeout: Duration,
    /// The longest time of all tries of one request, waits included.
    pub request_deadline: Duration,
    /// The longest time of everything, from the first request on.
    pub deadline: Option<Duration>,
    /// The first wait; the next ones double.
    pub first_wait: Duration,
    /// The longest wait, unless the server requests a longer one.
    pub longest_wait: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            tries: 10,
            bad_answers: 4,
            timeout: Duration::from_mins(2),
            request_deadline: Duration::from_mins(15),
            deadline: None,
            first_wait: Duration::from_millis(500),
            longest_wait: Duration::from_mins(1),
        }
    }
}

/// Returns true if the user requested a stop; called often.
pub type Stop = Arc<dyn Fn() -> bool + Send + Sync>;

/// The advice after time ran out.
const GO_ON: &str = "answers so far are cached; run the same command again to continue";

/// The state that one model's requests share.
pub(crate) struct Caller {
    /// The name in messages and in the ledger.
    pub(crate) model: String,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) price: Price,
    pub(crate) pace: Pace,
    pub(crate) retry: Retry,
    pub(crate) stop: Stop,
    /// The sources of the key, for hints.
    pub(crate) key_names: &'static [&'static str],
    pub(crate) started: Duration,
    /// True if the server ever answered anything.
    pub(crate) reached: AtomicBool,
}

/// The reasons why a request has no answer.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// The server accepts fewer texts or tokens at once; this is its message.
    TooLarge(String),
    /// The answer is too long to wait for its end; it was paid for.
    TooLong(ModelError),
    /// Trying again is no use.
    Failed(ModelError),
}

impl From<ModelError> for Unanswered {
    fn from(error: ModelError) -> Self {
        Unanswered::Failed(error)
    }
}

/// The result of an answer.
pub(crate) struct Read<T> {
    pub(crate) value: T,
    /// Tokens by the server's count, if it has one.
    pub(crate) tokens: Option<Tokens>,
    /// Texts in it, for the ledger.
    pub(crate) texts: u64,
    /// Texts that were cut.
    pub(crate) truncations: u64,
}

/// The step after a try.
enum Next {
    Again { why: String, wait: Option<Duration> },
    BadAnswer { why: String },
    Split(String),
    Long(ModelError),
    Fail(ModelError),
}

impl Caller {
    /// Sends until the answer is read.
    pub(crate) fn call<T>(
        &self,
        request: &Request,
        tokens: impl Into<Tokens>,
        read: &dyn Fn(&Response) -> Result<Read<T>, String>,
    ) -> Result<T, Unanswered> {
        let tokens = tokens.into();
        let begun = self.clock.elapsed();
        let mut bad_answers = 0;
        let mut tries = 0;
        loop {
            self.wait(self.pace.admit(tokens.all(), self.clock.elapsed()))?;
            let reserved = self.ledger.reserve(&self.model, self.price, tokens)?;
            tries += 1;
            let sent = self.clock.elapsed();
            let answer = self.transport.send(request);
            let now = self.clock.elapsed();
            let milliseconds =
                u64::try_from(now.saturating_sub(sent).as_millis()).unwrap_or(u64::MAX);
            if let Ok(response) = &answer {
                self.reached.store(true, Ordering::Relaxed);
                self.pace.learn(response, now);
            }
            let (next, paid) = match answer {
                Ok(response) if (200..300).contains(&response.status) => match read(&response) {
                    Ok(read) => {
                        self.book(&Usage {
                            requests: 1,
                            texts: read.texts,
                            truncations: read.truncations,
                            milliseconds,
                            ..self.paid(read.tokens, tokens, most(request, &response, tokens))
                        });
                        return Ok(read.value);
                    }
                    Err(why) => {
                        let most = most(request, &response, tokens);
                        let paid = self.paid(billed_tokens(&response), tokens, most);
                        (Next::BadAnswer { why }, paid)
                    }
                },
                Ok(response) => (self.judge(request, &response), Usage::default()),
                Err(broken) => {
                    let paid = match broken {
                        Broken::Timeout | Broken::Cut(_) | Broken::TooLong(_) => {
                            self.paid(None, tokens, tokens)
                        }
                        Broken::NoHost | Broken::Refused | Broken::Impossible(_) => {
                            Usage::default()
                        }
                    };
                    (self.judge_broken(request, &broken), paid)
                }
            };
            self.book(&Usage {
                wasted_tokens: paid.tokens,
                milliseconds,
                ..paid
            });
            // Only now: the paid amount is in the books before it is no longer reserved.
            drop(reserved);
            let (why, asked) = match next {
                Next::Fail(error) => return Err(error.into()),
                Next::Long(error) => return Err(Unanswered::TooLong(error)),
                Next::Split(message) => return Err(Unanswered::TooLarge(message)),
                Next::Again { why, wait } => (why, wait),
                Next::BadAnswer { why } => {
                    bad_answers += 1;
                    if bad_answers >= self.retry.bad_answers {
                        let message =
                            format!("{bad_answers} answers in a row cannot be right: {why}");
                        let hint = "ask the server by hand (curl) what it answers; good answers are cached";
                        return Err(self.error(request, &message, hint).into());
                    }
                    (why, None)
                }
            };
            self.book(&Usage {
                retries: 1,
                ..Usage::default()
            });
            if tries >= self.retry.tries {
                let message = format!("no answer after {tries} tries, the last time: {why}");
                return Err(self.error(request, &message, GO_ON).into());
            }
            let jitter = self.jitter(request, tries);
            let wait = match asked {
                // All threads received the same time; the jitter keeps them from coming back at the same moment.
                Some(asked) => {
                    let spread = (asked / 4).saturating_add(Duration::from_millis(100));
                    self.pace.hold(self.clock.elapsed().saturating_add(asked));
                    asked.saturating_add(jitter.min(spread))
                }
                None => jitter,
            };
            let until = begun.saturating_add(self.retry.request_deadline);
            let left = until.saturating_sub(self.clock.elapsed());
            if wait > left {
                let message = format!(
                    "no answer within {} s, the last time: {why}",
                    self.retry.request_deadline.as_secs()
                );
                return Err(self.error(request, &message, GO_ON).into());
            }
            self.wait(wait)?;
        }
    }

    /// Adds to the model's page.
    pub(crate) fn book(&self, usage: &Usage) {
        self.ledger.add(&self.model, usage);
    }

    /// The cost of an answer: tokens by the server's count, up to the most of a request, or by estimate.
    fn paid(&self, counted: Option<Tokens>, estimated: Tokens, most: Tokens) -> Usage {
        let believed = counted.map(|counted| Tokens {
            input: counted.input.min(most.input),
            output: counted.output.min(most.output),
        });
        let tokens = believed.unwrap_or(estimated);
        Usage {
            disbelieved: u64::from(believed != counted),
            tokens: tokens.all(),
            output_tokens: tokens.output,
            estimated_tokens: if counted.is_some() {
                0
            } else {
                estimated.all()
            },
            nano_dollars: self.price.nano_dollars(tokens).unwrap_or(0),
            ..Usage::default()
        }
    }

    /// Checks that work may go on: no stop was requested, and there is time left.
    fn may_go_on(&self) -> Result<(), ModelError> {
        if (self.stop)() {
            return Err(ModelError::Interrupted);
        }
        if let Some(deadline) = self.retry.deadline
            && self.clock.elapsed().saturating_sub(self.started) > deadline
        {
            return Err(ModelError::remote(format!(
                "{}: not done within {} s, as was asked",
                self.model,
                deadline.as_secs()
            ))
            .with_hint(GO_ON));
        }
        Ok(())
    }

    /// Waits in slices, so that Ctrl-C is noticed.
    fn wait(&self, time: Duration) -> Result<(), ModelError> {
        const SLICE: Duration = Duration::from_millis(100);
        let mut left = time;
        loop {
            self.may_go_on()?;
            if left.is_zero() {
                return Ok(());
            }
            let slice = left.min(SLICE);
            self.clock.sleep(slice);
            left -= slice;
        }
    }

    /// A wait between zero and the doubled first one, the same for the same request and try.
    fn jitter(&self, request: &Request, tries: u32) -> Duration {
        let most = self
            .retry
            .first_wait
            .saturating_mul(1_u32.checked_shl(tries - 1).unwrap_or(u32::MAX))
            .min(self.retry.longest_wait);
        let seed = Digest::new("jitter")
            .field(&request.body)
            .field(tries.to_le_bytes())
            .seed();
        most.mul_f64((seed >> 11) as f64 / (1_u64 << 53) as f64)
    }

    fn judge(&self, request: &Request, response: &Response) -> Next {
        let said = message_of(&response.body);
        let status = response.status;
        let text = format!("status {status}: {said}");
        let fail = |hint: &str| Next::Fail(self.error(request, &text, hint));
        match status {
            429 if is_quota(&said) => fail(
                "the account has no credit left; paid answers are cached, so the same command continues",
            ),
            408 | 409 | 429 | 500..=599 => Next::Again {
                why: text,
                wait: retry_after(response, self.clock.unix()),
            },
            413 => Next::Split(text),
            400 | 422 if is_too_large(&said) => Next::Split(text),
            401 | 403 => fail(&match self.key_names {
                [] => "the server requires a key, or a different one".to_owned(),
                names => format!("the key comes from the environment: {}", names.join(" or ")),
            }),
            404 => fail("check the name of the model and the address"),
            300..=399 => fail("the address answers with a redirection; give the one it points to"),
            _ => fail("the server understood the request and refuses it; see its documentation"),
        }
    }

    fn judge_broken(&self, request: &Request, broken: &Broken) -> Next {
        let fail = |hint: &str| Next::Fail(self.error(request, &broken.to_string(), hint));
        let reached = self.reached.load(Ordering::Relaxed);
        match broken {
            Broken::NoHost if !reached => {
                fail("check the address, the network, and HTTPS_PROXY if there is a proxy")
            }
            Broken::Refused if !reached => fail("is the server running, and is the port right?"),
            Broken::TooLong(_) => Next::Long(self.error(
                request,
                &broken.to_string(),
                "it was paid for, and is in the ledger by estimate; ask the server by hand (curl) what it answers",
            )),
            Broken::Impossible(_) => fail("check the address and the key"),
            Broken::NoHost | Broken::Refused | Broken::Timeout | Broken::Cut(_) => Next::Again {
                why: broken.to_string(),
                wait: None,
            },
        }
    }

    /// An error that names model and address, and no secret.
    fn error(&self, request: &Request, message: &str, hint: &str) -> ModelError {
        let address = public_address(&request.url);
        let message = format!("{} at {address}: {message}", self.model);
        ModelError::remote(request.authorization.scrub(&message)).with_hint(hint)
    }
}

/// The most tokens that a request and its answer can have, twice over. A token is at least a byte of what is sent and
/// received; a model's hidden reasoning is within its limit, if it has one.
fn most(request: &Request, response: &Response, estimated: Tokens) -> Tokens {
    /// The bytes that servers add, such as the words between messages.
    const ADDED: u64 = 1024;
    /// The longest reasoning of a model.
    const THOUGHT: u64 = 1 << 20;
    let bytes = |body: &[u8]| body.len() as u64;
    let output = match estimated.output {
        0 => THOUGHT,
        limit => limit.max(bytes(&response.body)),
    };
    Tokens {
        input: bytes(&request.body) * 2 + ADDED,
        output: output * 2 + ADDED,
    }
}

/// The message of a body, in one short line: the message inside JSON if there is one.
fn message_of(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    let from_json = serde_json::from_str::<Value>(&text).ok().and_then(|value| {
        ["/error/message", "/message", "/detail", "/error", "/title"]
            .iter()
            .find_map(|path| value.pointer(path))
            .map(|found| {
                let code = value.pointer("/error/code").and_then(Value::as_str);
                let text = found
                    .as_str()
                    .map_or_else(|| found.to_string(), str::to_owned);
                code.map_or(text.clone(), |code| format!("{text} ({code})"))
            })
    });
    let text = from_json.unwrap_or_else(|| text.into_owned());
    let line: Vec<&str> = text.split_whitespace().collect();
    let line = line.join(" ");
    if line.is_empty() {
        return "an empty answer".to_owned();
    }
    match line.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or(&line)),
        None => line,
    }
}

/// Returns `true` if a refusal means too many texts or tokens, in the words of the servers known.
fn is_too_large(said: &str) -> bool {
    const WORDS: [&str; 20] = [
        "maximum context length",
        "max_tokens_per_request",
        "too many tokens",
        "max allowed tokens",
        "tokens per request",
        "tokens per submitted batch",
        "token limit",
        "tokens limit",
        "exceeds the context",
        "context size",
        "context length",
        "too long",
        "too large",
        "batch size",
        "number of texts",
        "in one batch",
        "maximum length",
        "maximum input length",
        "must have less than",
        "physical batch",
    ];
    let said = said.to_lowercase();
    WORDS.iter().any(|words| said.contains(words))
}

/// Returns `true` if a 429 means that waiting is no use.
fn is_quota(said: &str) -> bool {
    let said = said.to_lowercase();
    said.contains("insufficient_quota")
        || said.contains("exceeded your current quota")
        || said.contains("billing")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_refusal_is_found_and_short() {
        let body = br#"{"error": {"message": "Incorrect   API key", "code": "invalid_api_key"}}"#;
        assert_eq!(message_of(body), "Incorrect API key (invalid_api_key)");
        assert_eq!(message_of(br#"{"detail": "too\nbad"}"#), "too bad");
        assert_eq!(message_of(br#"{"error": "no"}"#), "no");
        assert_eq!(message_of(b"<html>\n<b>502</b>"), "<html> <b>502</b>");
        assert_eq!(message_of(b""), "an empty answer");
        assert_eq!(message_of(&b"\xc3\xa4".repeat(1000)).chars().count(), 301);
    }

    #[test]
    fn refusals_of_size_are_known_in_the_words_of_servers() {
        for said in [
            "This model's maximum context length is 8192 tokens, however you requested 10000 tokens",
            "Requested 513942 tokens, max 300000 tokens per request (max_tokens_per_request)",
            "The max allowed tokens per submitted batch is 120000. Your batch has 130000 tokens after truncation.",
            "batch size 64 > maximum allowed batch size 32",
            "invalid request: total number of texts must be at most 96",
            "at most 100 requests can be in one batch",
            "Invalid 'input[22]': maximum input length is 8192 tokens.",
            "Input validation error: `inputs` must have less than 32000 characters. Given: 67337",
            "input is too large to process. increase the physical batch size",
        ] {
            assert!(is_too_large(said), "{said}");
        }
        assert!(!is_too_large("model `x` does not exist"));
    }
}
