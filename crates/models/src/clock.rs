//! Time, as an argument.
//!
//! Waiting is most of the work of a client of a slow server, and tests that wait are tests that are not run. So
//! everything in this crate that waits or reads the time uses a [`Clock`]: the program passes [`SystemClock`], tests
//! pass one whose sleep moves its hands. No vector and no score ever depends on a clock; only the time of a request
//! does.

#![expect(
    clippy::disallowed_methods,
    reason = "limits of servers are in time, and what was used last goes last"
)]

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A clock that shows the time, and waits.
pub trait Clock: Send + Sync {
    /// Time since some fixed moment; never goes back.
    fn elapsed(&self) -> Duration;

    /// Time since 1970, as in the dates of servers.
    fn unix(&self) -> Duration;

    /// Returns after this much time has passed.
    fn sleep(&self, time: Duration);
}

/// The machine's clock.
///
/// ```
/// use barecode_models::{Clock, SystemClock};
/// let clock = SystemClock::new();
/// assert!(clock.elapsed() <= clock.elapsed());
/// assert!(clock.unix().as_secs() > 1_700_000_000);
/// ```
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts now.
    pub fn new() -> Self {
        SystemClock {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    fn unix(&self) -> Duration {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
    }

    fn sleep(&self, time: Duration) {
        std::thread::sleep(time);
    }
}
