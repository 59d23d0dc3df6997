//! The cost of models: tokens, money, time, requests, by model; and the budget that stops them.
//!
//! Enters: the use of each finished request. Leaves: [`Usage`] by model, to be written beside the scores, and a
//! refusal before the request that would go over the [`Budget`].
//!
//! The one hard thing is that requests run side by side. A request under way is reserved by estimate before it is
//! sent and settled by the server's own count after, so that ten requests cannot each spend the last dollar. The
//! guarantee: no request is sent whose estimate would go over. So no more than the budget is spent, and the amount by
//! which the bills of the requests that were under way at the end exceed their estimates.
//!
//! Money is counted in whole billionths of a dollar: sums are exact, and the same in any order.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use crate::ModelError;

const NANOS: f64 = 1e9;

/// The requests to one model and their cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", default)]
pub struct Usage {
    /// Requests that were answered well; 0 for a model on this machine.
    pub requests: u64,
    /// Requests that were sent again, because of the network, the server, or an impossible answer.
    pub retries: u64,
    /// Requests that were too large for the server and were sent in parts.
    pub splits: u64,
    /// Texts that the model read; of a reranker, texts that it scored for a query.
    pub texts: u64,
    /// Tokens that the model read, and those that it wrote; 0 if a program does not count them, and for a reranker on
    /// this machine.
    pub tokens: u64,
    /// Those of `tokens` that the model wrote.
    pub output_tokens: u64,
    /// Those of `tokens` that the server did not count; they are estimated from bytes.
    pub estimated_tokens: u64,
    /// Those of `tokens` that were paid for without a usable answer: it was impossible, or it was lost on its way.
    pub wasted_tokens: u64,
    /// Answers whose tokens, by their server's count, are more than they can cost; that most is booked.
    pub disbelieved: u64,
    /// Billionths of a dollar; see [`Usage::dollars`].
    pub nano_dollars: u64,
    /// Texts that were cut.
    pub truncations: u64,
    /// Texts that did not need the model, because their vectors were cached, or because the text occurred twice.
    pub cache_hits: u64,
    /// Vectors and scores that were damaged in the cache, thrown away, and requested again.
    pub cache_damaged: u64,
    /// Answers read from a cassette instead of requested.
    pub replayed: u64,
    /// Milliseconds between sending requests and having their answers, all requests added up; of a model on this
    /// machine, between having texts and having their vectors.
    pub milliseconds: u64,
}

impl Usage {
    /// The price of it all, in dollars.
    ///
    /// ```
    /// let usage = barecode_models::Usage { nano_dollars: 1_500_000_000, ..Default::default() };
    /// assert_eq!(usage.dollars(), 1.5);
    /// ```
    pub fn dollars(&self) -> f64 {
        self.nano_dollars as f64 / NANOS
    }

    /// Adds another page to this one.
    pub fn add(&mut self, other: &Usage) {
        // Counts come from servers, which may write anything.
        let sum = |to: &mut u64, more: u64| *to = to.saturating_add(more);
        sum(&mut self.requests, other.requests);
        sum(&mut self.retries, other.retries);
        sum(&mut self.splits, other.splits);
        sum(&mut self.texts, other.texts);
        sum(&mut self.tokens, other.tokens);
        sum(&mut self.output_tokens, other.output_tokens);
        sum(&mut self.estimated_tokens, other.estimated_tokens);
        sum(&mut self.wasted_tokens, other.wasted_tokens);
        sum(&mut self.disbelieved, other.disbelieved);
        sum(&mut self.nano_dollars, other.nano_dollars);
        sum(&mut self.truncations, other.truncations);
        sum(&mut self.cache_hits, other.cache_hits);
        sum(&mut self.cache_damaged, other.cache_damaged);
        sum(&mut self.replayed, other.replayed);
        sum(&mut self.milliseconds, other.milliseconds);
    }
}

/// The limits of spending. `None` for no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Budget {
    /// Dollars, of all models together.
    pub dollars: Option<f64>,
    /// Tokens, of all models behind servers together; those on this machine are free.
    pub tokens: Option<u64>,
}

/// Tokens of a request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tokens {
    /// Tokens that the model reads.
    pub input: u64,
    /// Tokens that the model writes.
    pub output: u64,
}

impl Tokens {
    /// Both together.
    pub fn all(self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl From<u64> for Tokens {
    fn from(input: u64) -> Self {
        Tokens { input, output: 0 }
    }
}

/// The price of a model's work.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Price {
    /// Dollars for a million tokens; `None` if no price was given.
    pub million_tokens: Option<f64>,
    /// Dollars for a million tokens that the model writes; by default the price of those that it reads.
    pub million_output_tokens: Option<f64>,
    /// Dollars for a thousand requests, if the provider counts requests instead.
    pub thousand_requests: Option<f64>,
}

impl Price {
    /// Nothing is paid.
    pub const FREE: Price = Price {
        million_tokens: Some(0.0),
        million_output_tokens: None,
        thousand_requests: None,
    };

    /// Billionths of a dollar for one request of these tokens, rounded up; `None` if no price is known.
    ///
    /// ```
    /// use barecode_models::{Price, Tokens};
    /// let price = Price { million_tokens: Some(0.18), million_output_tokens: Some(1.0), ..Price::default() };
    /// assert_eq!(price.nano_dollars(1_000_000_u64), Some(180_000_000));
    /// assert_eq!(price.nano_dollars(Tokens { input: 0, output: 1_000_000 }), Some(1_000_000_000));
    /// ```
    pub fn nano_dollars(self, tokens: impl Into<Tokens>) -> Option<u64> {
        let tokens = tokens.into();
        let by_tokens = self.million_tokens.map(|price| {
            let output = self.million_output_tokens.unwrap_or(price) * tokens.output as f64;
            (price * tokens.input as f64 + output) * (NANOS / 1e6)
        });
        let by_requests = self.thousand_requests.map(|price| price * (NANOS / 1e3));
        let sum = match (by_tokens, by_requests) {
            (None, None) => return None,
            (tokens, requests) => tokens.unwrap_or(0.0) + requests.unwrap_or(0.0),
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "prices are checked to be finite and not negative; the cast saturates"
        )]
        // A little below the product, so that an exact price is not rounded up for the last bit of a float.
        let nanos = (sum - sum * 1e-12).ceil() as u64;
        Some(nanos)
    }
}

/// The entries of the books, as they happen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Event<'a> {
    /// A request goes out; it may be paid for from now on, even if its answer does not arrive.
    Sent {
        /// The request, counted from 1.
        number: u64,
        /// The model.
        model: &'a str,
        /// Its tokens by estimate.
        tokens: u64,
        /// Its price by estimate, in billionths of a dollar.
        nano_dollars: u64,
    },
    /// A model's page grew.
    Added {
        /// The model.
        model: &'a str,
        /// The growth.
        usage: &'a Usage,
    },
    /// The result of a request is in the books.
    Settled {
        /// The request.
        number: u64,
    },
}

/// Receives the entries of the books.
pub type LedgerListener = Box<dyn Fn(&Event<'_>) + Send + Sync>;

/// The books of a run: shared by all models, threads and wrappers.
#[derive(Default)]
pub struct Ledger {
    budget: Budget,
    state: Mutex<State>,
    listener: Option<LedgerListener>,
}

impl std::fmt::Debug for Ledger {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (budget, state) = (&self.budget, &self.state);
        f.debug_struct("Ledger")
            .field("budget", budget)
            .field("state", state)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Default)]
struct State {
    models: BTreeMap<String, Usage>,
    sent: u64,
    reserved_tokens: u64,
    reserved_nanos: u64,
}

impl Ledger {
    /// Empty books with a budget.
    ///
    /// ```
    /// use barecode_models::{Budget, Ledger};
    /// let ledger = Ledger::new(Budget { dollars: Some(5.0), tokens: None });
    /// assert!(ledger.usage().is_empty());
    /// ```
    pub fn new(budget: Budget) -> Self {
        Ledger {
            budget,
            ..Ledger::default()
        }
    }

    /// The same books, with a listener: one that writes to a file has every paid entry even if the process is killed.
    #[must_use]
    pub fn on_change(mut self, listener: LedgerListener) -> Self {
        self.listener = Some(listener);
        self
    }

    fn tell(&self, event: &Event<'_>) {
        if let Some(listener) = &self.listener {
            listener(event);
        }
    }

    /// The use of each model so far, by its name.
    pub fn usage(&self) -> BTreeMap<String, Usage> {
        self.state().models.clone()
    }

    /// Adds to a model's page.
    pub fn add(&self, model: &str, usage: &Usage) {
        self.state()
            .models
            .entry(model.to_owned())
            .or_default()
            .add(usage);
        self.tell(&Event::Added { model, usage });
    }

    /// Sets tokens and money aside for a request; they are free again when the returned value is dropped.
    ///
    /// # Errors
    /// [`ModelError::Budget`] if the request would go over, or if there is a budget in money and no price.
    pub(crate) fn reserve(
        self: &Arc<Self>,
        model: &str,
        price: Price,
        tokens: impl Into<Tokens>,
    ) -> Result<Reserved, ModelError> {
        let tokens = tokens.into();
        let nanos = match (price.nano_dollars(tokens), self.budget.dollars) {
            (Some(nanos), _) => nanos,
            (None, None) => 0,
            (None, Some(dollars)) => {
                return Err(ModelError::Budget {
                    message: format!(
                        "{model}: its price is not known, so a budget of {dollars} dollars cannot be enforced"
                    ),
                    hint: Some(
                        "give the model a `price` (dollars for a million tokens) in models.toml, or \
                         limit tokens instead"
                            .to_owned(),
                    ),
                });
            }
        };
        let (all, mut state) = (tokens.all(), self.state());
        let is_paid = |usage: &&Usage| usage.requests > 0 || usage.wasted_tokens > 0;
        let asked = state.models.values().filter(is_paid);
        let spent_tokens = asked.fold(state.reserved_tokens, |sum, usage| {
            sum.saturating_add(usage.tokens)
        });
        let models = state.models.values();
        let spent_nanos = models.fold(state.reserved_nanos, |sum, usage| {
            sum.saturating_add(usage.nano_dollars)
        });
        let over = |spent: String, next: String, allowed: String| ModelError::Budget {
            message: format!(
                "{model}: the budget is spent: {spent} of {allowed} are used or under way, and the next request \
                 would take {next}"
            ),
            hint: Some(
                "paid answers are cached; raise the budget and run the same command to continue"
                    .to_owned(),
            ),
        };
        if let Some(allowed) = self.budget.tokens
            && spent_tokens.saturating_add(all) > allowed
        {
            return Err(over(
                spent_tokens.to_string(),
                format!("about {all}"),
                format!("{allowed} tokens"),
            ));
        }
        let used = spent_nanos as f64 / NANOS;
        let next = nanos as f64 / NANOS;
        if let Some(allowed) = self.budget.dollars
            && used + next > allowed
        {
            return Err(over(
                format!("{used:.4}"),
                format!("about {next:.4}"),
                format!("{allowed} dollars"),
            ));
        }
        state.reserved_tokens = state.reserved_tokens.saturating_add(all);
        state.reserved_nanos = state.reserved_nanos.saturating_add(nanos);
        state.sent += 1;
        let number = state.sent;
        drop(state);
        self.tell(&Event::Sent {
            number,
            model,
            tokens: all,
            nano_dollars: nanos,
        });
        Ok(Reserved {
            ledger: Arc::clone(self),
            number,
            tokens: all,
            nanos,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tokens and money set aside for a request that is under way.
#[derive(Debug)]
pub(crate) struct Reserved {
    ledger: Arc<Ledger>,
    number: u64,
    tokens: u64,
    nanos: u64,
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut state = self.ledger.state();
        state.reserved_tokens = state.reserved_tokens.saturating_sub(self.tokens);
        state.reserved_nanos = state.reserved_nanos.saturating_sub(self.nanos);
        drop(state);
        self.ledger.tell(&Event::Settled {
            number: self.number,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PRICE: Price = Price {
        million_tokens: Some(1.0),
        million_output_tokens: None,
        thousand_requests: None,
    };

    fn used(tokens: u64) -> Usage {
        Usage {
            requests: 1,
            tokens,
            nano_dollars: PRICE.nano_dollars(tokens).unwrap(),
            ..Usage::default()
        }
    }

    #[test]
    fn what_is_under_way_counts_until_it_is_settled() {
        let ledger = Arc::new(Ledger::new(Budget {
            dollars: None,
            tokens: Some(100),
        }));
        let first = ledger.reserve("a", PRICE, 60_u64).unwrap();
        assert!(ledger.reserve("b", PRICE, 41_u64).is_err());
        ledger.add("a", &used(50));
        drop(first);
        assert!(ledger.reserve("b", PRICE, 51_u64).is_err());
        assert!(ledger.reserve("b", PRICE, 50_u64).is_ok());
        // The work of a model on this machine is in no budget.
        let here = Usage {
            tokens: 1000,
            ..Usage::default()
        };
        ledger.add("local", &here);
        assert!(ledger.reserve("b", PRICE, 50_u64).is_ok());
    }

    #[test]
    fn money_runs_out_across_models() {
        let ledger = Arc::new(Ledger::new(Budget {
            dollars: Some(0.001),
            tokens: None,
        }));
        ledger.add("a", &used(600));
        let error = ledger.reserve("b", PRICE, 500_u64).unwrap_err().to_string();
        assert!(
            error.contains(
                "0.0006 of 0.001 dollars are used or under way, and the next request would take about 0.0005"
            ),
            "{error}"
        );
        assert!(ledger.reserve("b", PRICE, 400_u64).is_ok());
        let unknown = ledger.reserve("c", Price::default(), 1_u64).unwrap_err();
        assert!(
            unknown.to_string().contains("its price is not known"),
            "{unknown}"
        );
    }

    #[test]
    fn counts_beyond_all_numbers_spend_the_budget() {
        let ledger = Arc::new(Ledger::new(Budget {
            dollars: None,
            tokens: Some(100),
        }));
        ledger.add("a", &used(u64::MAX));
        ledger.add("a", &used(1 << 63));
        assert_eq!(ledger.usage()["a"].tokens, u64::MAX);
        assert!(ledger.reserve("b", PRICE, 1_u64).is_err());
    }

    #[test]
    fn prices_are_exact_in_billionths() {
        assert_eq!(PRICE.nano_dollars(0_u64), Some(0));
        assert_eq!(PRICE.nano_dollars(3_u64), Some(3_000));
        let per_request = Price {
            thousand_requests: Some(2.0),
            ..Price::default()
        };
        assert_eq!(per_request.nano_dollars(77_u64), Some(2_000_000));
        let thirds = Price {
            million_tokens: Some(0.0001),
            ..Price::default()
        };
        assert_eq!(thirds.nano_dollars(1_u64), Some(1), "rounded up");
    }
}
