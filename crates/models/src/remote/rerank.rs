//! A query and texts → scores, over the network.
//!
//! A query's texts go out in as few requests as the provider accepts; each text is scored by itself, so the parts are
//! only put together. A request that is too large is halved; a pair that is too long alone is cut by the server and
//! counted.

use std::sync::Arc;

use super::batch::{batches, estimated_tokens};
use super::call::{Caller, Read, Unanswered};
use super::cassette::{Cassette, request_digest};
use super::provider::{Cut, Endpoint, RerankApi};
use super::transport::Response;
use crate::ledger::Usage;
use crate::{ModelError, Reranker};

/// A model behind a rerank endpoint.
pub(crate) struct RemoteReranker {
    pub(crate) api: &'static RerankApi,
    pub(crate) endpoint: Endpoint,
    pub(crate) caller: Caller,
    pub(crate) identity: String,
    pub(crate) most_texts: usize,
    pub(crate) most_tokens: u64,
    pub(crate) cassette: Option<Arc<Cassette>>,
}

impl Reranker for RemoteReranker {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn score(&self, query: &str, texts: &[&str]) -> Result<Vec<f32>, ModelError> {
        let of_query = estimated_tokens(query);
        let tokens: Vec<u64> = texts
            .iter()
            .map(|text| estimated_tokens(text) + of_query)
            .collect();
        let mut scores = Vec::with_capacity(texts.len());
        for range in batches(&tokens, self.most_texts, self.most_tokens) {
            self.part(
                query,
                &texts[range.clone()],
                &tokens[range],
                Cut::Refuse,
                &mut scores,
            )?;
        }
        Ok(scores)
    }
}

impl RemoteReranker {
    /// Appends the scores of some texts.
    fn part(
        &self,
        query: &str,
        texts: &[&str],
        tokens: &[u64],
        cut: Cut,
        scores: &mut Vec<f32>,
    ) -> Result<(), ModelError> {
        let mut request = (self.api.request)(&self.endpoint, query, texts, cut);
        request.timeout = self.caller.retry.timeout;
        let digest = request_digest(&self.identity, &request.body);
        if let Some(cassette) = &self.cassette {
            if let Some(line) = cassette.find_request(&digest) {
                let recorded = cassette.read(line)?;
                let response = Response {
                    status: 200,
                    headers: Vec::new(),
                    body: recorded.answer,
                };
                let (found, _) = (self.api.answer)(&response, texts.len())
                    .map_err(|why| Cassette::unfit(&self.caller.model, &why))?;
                self.caller.book(&Usage {
                    replayed: 1,
                    ..Usage::default()
                });
                scores.extend(found);
                return Ok(());
            }
            // A recording may have been refused at this step and continued with halves, which are on the tape
            // instead.
            if !cassette.is_recording() && texts.len() == 1 && cut == Cut::Server {
                return Err(cassette.missing(&self.caller.model, 1));
            }
        }
        let is_replay = self
            .cassette
            .as_ref()
            .is_some_and(|cassette| !cassette.is_recording());
        let too_large = if is_replay {
            None
        } else {
            let read = |response: &Response| {
                let (found, counted) = (self.api.answer)(response, texts.len())?;
                Ok(Read {
                    value: (found, response.body.clone(), counted),
                    tokens: counted.map(Into::into),
                    texts: texts.len() as u64,
                    truncations: u64::from(cut == Cut::Server),
                })
            };
            match self
                .caller
                .call(&request, tokens.iter().sum::<u64>(), &read)
            {
                Ok((found, body, counted)) => {
                    if let Some(cassette) = &self.cassette {
                        cassette.keep(&self.caller.model, &digest, Vec::new(), counted, &body)?;
                    }
                    scores.extend(found);
                    return Ok(());
                }
                Err(Unanswered::Failed(error) | Unanswered::TooLong(error)) => return Err(error),
                Err(Unanswered::TooLarge(said)) => {
                    self.caller.book(&Usage {
                        splits: 1,
                        ..Usage::default()
                    });
                    Some(said)
                }
            }
        };
        if texts.len() > 1 {
            let middle = texts.len() / 2;
            self.part(query, &texts[..middle], &tokens[..middle], cut, scores)?;
            return self.part(query, &texts[middle..], &tokens[middle..], cut, scores);
        }
        if cut == Cut::Refuse {
            return self.part(query, texts, tokens, Cut::Server, scores);
        }
        Err(ModelError::remote(format!(
            "{}: a query and a text are too large for the server: {}",
            self.caller.model,
            too_large.unwrap_or_default()
        ))
        .with_hint("answers so far are cached; check the server's limits"))
    }
}
