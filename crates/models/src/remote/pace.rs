//! The time of the next request.
//!
//! Servers announce their limits in several ways, and all are respected: the rest of a minute's requests and tokens
//! (`x-ratelimit-remaining-…` with `x-ratelimit-reset-…`), the time to come back (`retry-after` as seconds or as a
//! date, `retry-after-ms`), and limits that the user knows (`requests-per-minute`, `tokens-per-minute`). All threads
//! of a model share one [`Pace`]: when one has to wait, all wait.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::transport::Response;

/// Limits that the user gave.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Limits {
    /// Requests a minute.
    pub requests_per_minute: Option<f64>,
    /// Tokens a minute.
    pub tokens_per_minute: Option<f64>,
}

#[derive(Debug, Default)]
pub(crate) struct Pace {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The moment before which no thread sends.
    not_before: Duration,
    /// The moment at which the user's limits allow the next request.
    next_slot: Duration,
    requests: Allowance,
    tokens: Allowance,
}

/// The rest of a server's allowance, and the end of its period.
#[derive(Debug, Default, Clone, Copy)]
struct Allowance {
    left: Option<u64>,
    reset: Duration,
}

impl Allowance {
    /// Takes an amount, and returns the moment from which it is allowed.
    fn take(&mut self, amount: u64, now: Duration) -> Duration {
        match self.left {
            Some(left) if self.reset > now && left < amount => {
                self.left = None;
                self.reset
            }
            Some(left) => {
                self.left = Some(left.saturating_sub(amount));
                now
            }
            None => now,
        }
    }
}

impl Pace {
    pub(crate) fn new(limits: Limits) -> Self {
        Pace {
            limits,
            state: Mutex::default(),
        }
    }

    /// Reserves a request of this many tokens, and returns the time to wait before it.
    pub(crate) fn admit(&self, tokens: u64, now: Duration) -> Duration {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut start = now.max(state.not_before);
        start = start.max(state.requests.take(1, start));
        start = start.max(state.tokens.take(tokens, start));
        let by_requests = self.limits.requests_per_minute.map(|limit| 60.0 / limit);
        let by_tokens = self
            .limits
            .tokens_per_minute
            .map(|limit| 60.0 * tokens as f64 / limit);
        if by_requests.is_some() || by_tokens.is_some() {
            start = start.max(state.next_slot);
            let step = by_requests.unwrap_or(0.0).max(by_tokens.unwrap_or(0.0));
            state.next_slot =
                start.saturating_add(Duration::try_from_secs_f64(step).unwrap_or(Duration::MAX));
        }
        start.saturating_sub(now)
    }

    /// Holds all threads until this moment.
    pub(crate) fn hold(&self, until: Duration) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.not_before = state.not_before.max(until);
    }

    /// Reads the rest of the allowance from a server's headers.
    pub(crate) fn learn(&self, response: &Response, now: Duration) {
        let allowance = |kind: &str| {
            let left = response.header(&format!("x-ratelimit-remaining-{kind}"))?;
            let reset = response.header(&format!("x-ratelimit-reset-{kind}"))?;
            Some(Allowance {
                left: left.trim().parse().ok(),
                reset: now.saturating_add(span(reset)?),
            })
        };
        let plain = || {
            let of = |name: &str| {
                response
                    .header(&format!("x-ratelimit-{name}"))
                    .or_else(|| response.header(&format!("ratelimit-{name}")))
            };
            let reset = span(of("reset")?)?;
            // Some servers send the moment instead of the time until it.
            (reset < Duration::from_hours(24)).then_some(())?;
            Some(Allowance {
                left: of("remaining")?.trim().parse().ok(),
                reset: now.saturating_add(reset),
            })
        };
        let requests = allowance("requests").or_else(plain);
        let tokens = allowance("tokens");
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requests) = requests {
            state.requests = requests;
        }
        if let Some(tokens) = tokens {
            state.tokens = tokens;
        }
    }
}

/// The wait that a server requests, if any: `retry-after-ms`, or `retry-after` in seconds or as a date.
///
/// `unix` is the time of day, for dates; a date that has passed is not a wait.
pub(crate) fn retry_after(response: &Response, unix: Duration) -> Option<Duration> {
    if let Some(milliseconds) = response.header("retry-after-ms")
        && let Ok(milliseconds) = milliseconds.trim().parse::<f64>()
    {
        return Duration::try_from_secs_f64(milliseconds / 1e3).ok();
    }
    let value = response.header("retry-after")?.trim();
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    let date = date.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(date.saturating_sub(unix))
}

/// A time as in rate limits: `1`, `0.5`, `20ms`, `1s`, `6m0s`, `1h2m3.5s`.
fn span(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let mut rest = text;
    let mut sum = Duration::ZERO;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, after) = rest.split_at_checked(end)?;
        let number: f64 = number.parse().ok()?;
        let end = after
            .find(|c: char| c.is_ascii_digit())
            .unwrap_or(after.len());
        let (unit, after) = after.split_at_checked(end)?;
        let seconds = match unit {
            "ms" => 1e-3,
            "s" => 1.0,
            "m" => 60.0,
            "h" => 3600.0,
            "d" => 86_400.0,
            _ => return None,
        };
        let more = Duration::try_from_secs_f64(number * seconds).ok()?;
        sum = sum.checked_add(more)?;
        rest = after;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(headers: &[(&str, &str)]) -> Response {
        Response {
            headers: headers
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            ..Response::default()
        }
    }

    const fn seconds(n: u64) -> Duration {
        Duration::from_secs(n)
    }

    #[test]
    fn waits_are_read_in_every_form() {
        let unix = seconds(784_111_777 - 7);
        let wait = |headers: &[(&str, &str)]| retry_after(&response(headers), unix);
        assert_eq!(wait(&[("retry-after", "3")]), Some(seconds(3)));
        assert_eq!(
            wait(&[("retry-after", "1.5")]),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            wait(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")]),
            Some(seconds(7))
        );
        assert_eq!(
            wait(&[("retry-after", "Tue, 06 Nov 1990 08:49:37 GMT")]),
            Some(seconds(0))
        );
        assert_eq!(
            wait(&[("retry-after", "9"), ("retry-after-ms", "20")]),
            Some(Duration::from_millis(20))
        );
        assert_eq!(wait(&[("retry-after", "soon")]), None);
        assert_eq!(wait(&[("retry-after", "-1")]), None);
        assert_eq!(wait(&[]), None);
    }

    #[test]
    fn spans_are_read_as_servers_write_them() {
        assert_eq!(span("6m0s"), Some(seconds(360)));
        assert_eq!(span("1h2m3.5s"), Some(Duration::from_millis(3_723_500)));
        assert_eq!(span("20ms"), Some(Duration::from_millis(20)));
        assert_eq!(span("2"), Some(seconds(2)));
        assert_eq!(span("2 weeks"), None);
        assert_eq!(span("s"), None);
    }

    #[test]
    fn what_is_left_is_taken_and_then_waited_for() {
        let pace = Pace::default();
        pace.learn(
            &response(&[
                ("x-ratelimit-remaining-requests", "10"),
                ("x-ratelimit-reset-requests", "1s"),
                ("x-ratelimit-remaining-tokens", "100"),
                ("x-ratelimit-reset-tokens", "6s"),
            ]),
            seconds(10),
        );
        assert_eq!(pace.admit(60, seconds(10)), seconds(0));
        assert_eq!(
            pace.admit(60, seconds(10)),
            seconds(6),
            "40 tokens are left until second 16"
        );
        assert_eq!(pace.admit(60, seconds(17)), seconds(0), "a new minute");
    }

    #[test]
    fn no_request_left_is_waited_for() {
        let pace = Pace::default();
        pace.learn(
            &response(&[("ratelimit-remaining", "0"), ("ratelimit-reset", "5")]),
            seconds(1),
        );
        assert_eq!(pace.admit(1, seconds(2)), seconds(4));
        // A moment instead of a span has no effect.
        pace.learn(
            &response(&[
                ("x-ratelimit-remaining", "0"),
                ("x-ratelimit-reset", "1763737200"),
            ]),
            seconds(9),
        );
        assert_eq!(pace.admit(1, seconds(9)), seconds(0));
    }

    #[test]
    fn times_beyond_all_clocks_are_waited_for_and_not_added() {
        let pace = Pace::default();
        pace.learn(
            &response(&[
                ("x-ratelimit-remaining-requests", "0"),
                ("x-ratelimit-reset-requests", "18446744073709549568"),
                ("x-ratelimit-remaining-tokens", "0"),
                (
                    "x-ratelimit-reset-tokens",
                    "9223372036854775808s9223372036854775808s",
                ),
            ]),
            seconds(10),
        );
        assert!(pace.admit(1, seconds(10)) > seconds(1 << 60));
        let slow = Pace::new(Limits {
            requests_per_minute: Some(1e-300),
            tokens_per_minute: None,
        });
        for _ in 0..9 {
            slow.admit(1, seconds(1));
        }
    }

    #[test]
    fn the_users_limits_space_requests() {
        let pace = Pace::new(Limits {
            requests_per_minute: Some(30.0),
            tokens_per_minute: Some(600.0),
        });
        assert_eq!(pace.admit(1, seconds(0)), seconds(0));
        assert_eq!(pace.admit(100, seconds(0)), seconds(2), "after 2 s");
        assert_eq!(
            pace.admit(1, seconds(0)),
            seconds(12),
            "100 tokens take 10 s"
        );
        pace.hold(seconds(30));
        assert_eq!(pace.admit(1, seconds(20)), seconds(10));
    }
}
