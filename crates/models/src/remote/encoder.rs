//! Texts → vectors, over the network.
//!
//! Enters: texts and their side. Leaves: vectors in the order of the texts, each request's as soon as it is answered.
//! Requests run side by side on a few threads. One that is too large is halved until it fits, and a single text that
//! is too long is cut, by the server if it can, and counted. The first failure stops new requests, and those in
//! flight are still awaited and handed over: they are paid for.
//!
//! An empty text is sent as one blank, because most servers refuse empty ones.

use std::any::Any;
use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::batch::{batches, estimated_tokens};
use super::call::{Caller, Read, Unanswered};
use super::cassette::{Cassette, request_digest, text_digest};
use super::provider::{Cut, EmbeddingApi, Endpoint};
use super::transport::{LARGEST_ANSWER, Response};
use crate::ModelError;
use crate::encoder::{Done, Embeddings, Encoder, Side, collect};
use crate::ledger::Usage;

/// A model behind an embedding endpoint.
pub(crate) struct RemoteEncoder {
    pub(crate) api: &'static EmbeddingApi,
    pub(crate) endpoint: Endpoint,
    pub(crate) caller: Caller,
    pub(crate) identity: String,
    pub(crate) most_texts: usize,
    pub(crate) most_tokens: u64,
    /// Requests under way at the same time.
    pub(crate) parallel: usize,
    pub(crate) cassette: Option<Arc<Cassette>>,
    /// Length of all vectors, once the first one is known; 0 before.
    pub(crate) dimensions: AtomicUsize,
}

/// Bytes of a vector in an answer: 4,096 numbers as text take some 90 kB.
const LARGEST_VECTOR: u64 = 128 << 10;

/// One request to do: indices of texts, and the side that cuts long texts.
#[derive(Debug)]
struct Job {
    places: Vec<usize>,
    cut: Cut,
    /// Bytes that are left of the one text, if it is cut before it is sent.
    bytes: Option<usize>,
}

impl Encoder for RemoteEncoder {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        collect(texts.len(), |done| self.encode_parts(side, texts, done))
    }

    fn encode_parts(&self, side: Side, texts: &[&str], done: Done<'_>) -> Result<(), ModelError> {
        let sent: Vec<&str> = texts
            .iter()
            .map(|text| if text.trim().is_empty() { " " } else { text })
            .collect();
        let asked: Vec<usize> = match &self.cassette {
            Some(cassette) => self.replay(cassette, side, &sent, done)?,
            None => (0..sent.len()).collect(),
        };
        let tokens: Vec<u64> = asked
            .iter()
            .map(|&place| estimated_tokens(sent[place]))
            .collect();
        let jobs: VecDeque<Job> = batches(&tokens, self.most_texts, self.most_tokens)
            .into_iter()
            .map(|range| Job {
                places: asked[range].to_vec(),
                cut: Cut::Refuse,
                bytes: None,
            })
            .collect();
        let work = Work {
            queue: Mutex::new(Queue {
                jobs,
                running: 0,
                failure: None,
            }),
            changed: std::sync::Condvar::new(),
        };
        let n_threads = self.parallel.max(1).min(asked.len());
        std::thread::scope(|scope| {
            for _ in 0..n_threads {
                scope.spawn(|| {
                    while let Some(job) = work.take() {
                        // A job that never ends would let the other threads wait for its parts.
                        let answer = AssertUnwindSafe(|| self.answer(side, &sent, job, done));
                        let ended = catch_unwind(answer);
                        work.finish(ended.unwrap_or_else(|why| Err(self.panicked(&*why))));
                    }
                });
            }
        });
        let queue = work
            .queue
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        queue.failure.map_or(Ok(()), Err)
    }
}

/// The state that the threads share.
struct Work {
    queue: Mutex<Queue>,
    changed: std::sync::Condvar,
}

struct Queue {
    jobs: VecDeque<Job>,
    running: usize,
    failure: Option<ModelError>,
}

impl Work {
    /// The next job; waits while others may still split theirs. `None` at the end or after a failure.
    fn take(&self) -> Option<Job> {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if queue.failure.is_some() {
                return None;
            }
            if let Some(job) = queue.jobs.pop_front() {
                queue.running += 1;
                return Some(job);
            }
            if queue.running == 0 {
                return None;
            }
            queue = self
                .changed
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Notes the end of a job: done, or in parts that are still to do.
    fn finish(&self, ended: Result<Vec<Job>, ModelError>) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        queue.running -= 1;
        match ended {
            Ok(parts) => {
                for part in parts.into_iter().rev() {
                    queue.jobs.push_front(part);
                }
            }
            // The first failure shows most; an interruption follows from nothing else.
            Err(error) => {
                queue.failure.get_or_insert(error);
            }
        }
        self.changed.notify_all();
    }
}

/// Vectors, the answer as it came, and its tokens if the server counts them.
type Answered = (Embeddings, Vec<u8>, Option<u64>);

impl RemoteEncoder {
    /// The error for a request that ended in a panic.
    fn panicked(&self, why: &(dyn Any + Send)) -> ModelError {
        let text = why.downcast_ref::<&str>().copied();
        let why = text.or_else(|| why.downcast_ref::<String>().map(String::as_str));
        ModelError::remote(format!(
            "{}: a request ended in a panic: {}",
            self.caller.model,
            why.unwrap_or("no message")
        ))
        .with_hint("this is a mistake in barecode; answers so far are cached")
    }

    /// Does one request, or returns the parts into which it must be split.
    fn answer(
        &self,
        side: Side,
        texts: &[&str],
        job: Job,
        done: Done<'_>,
    ) -> Result<Vec<Job>, ModelError> {
        let sent: Vec<&str> = job
            .places
            .iter()
            .map(|&place| head(texts[place], job.bytes.unwrap_or(usize::MAX)))
            .collect();
        let is_cut = job.cut == Cut::Server || job.bytes.is_some();
        let tokens: u64 = sent.iter().map(|text| estimated_tokens(text)).sum();
        let mut request = (self.api.request)(&self.endpoint, side, &sent, job.cut);
        request.timeout = self.caller.retry.timeout;
        request.largest_answer = LARGEST_ANSWER + sent.len() as u64 * LARGEST_VECTOR;
        let read = |response: &Response| -> Result<Read<Answered>, String> {
            let (embeddings, counted) = self.embeddings(response, sent.len(), is_cut)?;
            Ok(Read {
                value: (embeddings, response.body.clone(), counted),
                tokens: counted.map(Into::into),
                texts: sent.len() as u64,
                truncations: u64::from(is_cut),
            })
        };
        match self.caller.call(&request, tokens, &read) {
            Ok((embeddings, body, counted)) => {
                if let Some(cassette) = &self.cassette {
                    let digests = job.places.iter().map(|&place| {
                        let text = text_digest(&self.identity, side, texts[place]);
                        // A cut text must still be reported when it is replayed.
                        if is_cut { cut_digest(&text) } else { text }
                    });
                    let digest = request_digest(&self.identity, &request.body);
                    cassette.keep(
                        &self.caller.model,
                        &digest,
                        digests.collect(),
                        counted,
                        &body,
                    )?;
                }
                done(&job.places, embeddings)?;
                Ok(Vec::new())
            }
            Err(Unanswered::Failed(error) | Unanswered::TooLong(error)) => Err(error),
            Err(Unanswered::TooLarge(said)) => {
                self.caller.book(&Usage {
                    splits: 1,
                    ..Usage::default()
                });
                self.smaller(job, &sent, &said)
            }
        }
    }

    /// The same texts in requests that are smaller.
    fn smaller(&self, job: Job, sent: &[&str], said: &str) -> Result<Vec<Job>, ModelError> {
        /// The shortest text that a model reads.
        const SHORTEST: usize = 64;
        if let [text] = sent {
            if self.api.cuts && job.cut == Cut::Refuse {
                return Ok(vec![Job {
                    cut: Cut::Server,
                    ..job
                }]);
            }
            if text.len() <= SHORTEST {
                return Err(ModelError::remote(format!(
                    "{}: a text of {} bytes is too large for the server: {said}",
                    self.caller.model,
                    text.len()
                ))
                .with_hint("answers so far are cached; check the server's limits"));
            }
            // No tokenizer of today packs more than 16 bytes of code into a token for long; then by quarters.
            let longest = self.most_tokens.saturating_mul(16);
            let longest = usize::try_from(longest).unwrap_or(usize::MAX);
            return Ok(vec![Job {
                bytes: Some((text.len() / 4 * 3).min(longest).max(SHORTEST)),
                ..job
            }]);
        }
        let mut first = job;
        let second = Job {
            places: first.places.split_off(first.places.len() / 2),
            cut: first.cut,
            bytes: first.bytes,
        };
        Ok(vec![first, second])
    }

    /// Reads an answer and compares it with those before.
    fn embeddings(
        &self,
        response: &Response,
        count: usize,
        is_cut: bool,
    ) -> Result<(Embeddings, Option<u64>), String> {
        let answer = (self.api.answer)(response, count)?;
        let length = answer.vectors.first().map_or(0, Vec::len);
        let known =
            self.dimensions
                .compare_exchange(0, length, Ordering::Relaxed, Ordering::Relaxed);
        if let Err(known) = known
            && known != length
        {
            return Err(format!(
                "vectors of {length} numbers, and vectors of {known} before"
            ));
        }
        // The server counts a request; of a single text, that is the text's count.
        let tokens = match (answer.tokens, count) {
            (Some(tokens), 1) => u32::try_from(tokens).unwrap_or(u32::MAX),
            _ => 0,
        };
        let embeddings = Embeddings {
            dimensions: length,
            values: answer.vectors.concat(),
            tokens: vec![tokens; count],
            truncated: vec![is_cut; count],
        };
        Ok((embeddings, answer.tokens))
    }

    /// Hands over the recorded answers, and returns the other texts; a replay without them fails.
    fn replay(
        &self,
        cassette: &Cassette,
        side: Side,
        texts: &[&str],
        done: Done<'_>,
    ) -> Result<Vec<usize>, ModelError> {
        let mut missing = Vec::new();
        let mut found: BTreeMap<u64, Vec<(usize, usize, bool)>> = BTreeMap::new();
        for (place, text) in texts.iter().enumerate() {
            let digest = text_digest(&self.identity, side, text);
            let whole = cassette.find_text(&digest).map(|at| (at, false));
            let found_at = whole.or_else(|| {
                cassette
                    .find_text(&cut_digest(&digest))
                    .map(|at| (at, true))
            });
            match found_at {
                Some(((line, index), is_cut)) => {
                    found.entry(line).or_default().push((place, index, is_cut));
                }
                None => missing.push(place),
            }
        }
        if !missing.is_empty() && !cassette.is_recording() {
            return Err(cassette.missing(&self.caller.model, missing.len()));
        }
        for (line, wanted) in found {
            if (self.caller.stop)() {
                return Err(ModelError::Interrupted);
            }
            let recorded = cassette.read(line)?;
            let bad = |why: String| Cassette::unfit(&self.caller.model, &why);
            let response = Response {
                status: 200,
                headers: Vec::new(),
                body: recorded.answer,
            };
            let (embeddings, counted) = self
                .embeddings(&response, recorded.texts, false)
                .map_err(bad)?;
            let tokens = match (counted.or(recorded.tokens), recorded.texts) {
                (Some(tokens), 1) => u32::try_from(tokens).unwrap_or(u32::MAX),
                _ => 0,
            };
            let mut parts = Embeddings {
                dimensions: embeddings.dimensions,
                ..Embeddings::default()
            };
            let mut places = Vec::new();
            for (place, index, is_cut) in wanted {
                places.push(place);
                parts.values.extend_from_slice(embeddings.vector(index));
                parts.tokens.push(tokens);
                parts.truncated.push(is_cut);
            }
            self.caller.book(&Usage {
                replayed: places.len() as u64,
                ..Usage::default()
            });
            done(&places, parts)?;
        }
        Ok(missing)
    }
}

/// The digest of a truncated text, so that a replay can report it.
fn cut_digest(whole: &str) -> String {
    format!("{whole}-cut")
}

/// The first bytes of a text, ending between two characters.
fn head(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let mut end = bytes;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or(text)
}
