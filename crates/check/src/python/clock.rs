//! The time limit of a program. Time in which it is ready and waits for a processor does not count.
//!
//! Otherwise a program near its limit would pass on an idle machine and fail on a busy one, and two runs would
//! differ. A program that sleeps does not wait for a processor, so no time is added for it; one that makes itself
//! wait, with many threads, is ended by its limit on processor time.

use std::fs;
use std::time::{Duration, Instant};

/// The waiting time below which any process waits.
const LEAST: Duration = Duration::from_millis(20);

/// The moment after which time is over.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    end: Instant,
    /// The time that the processes have waited so far.
    waited: Duration,
}

impl Deadline {
    pub(crate) fn after(wall: Duration, processes: &[i32]) -> Deadline {
        Deadline {
            end: now() + wall,
            waited: waited(processes),
        }
    }

    /// The time that is left, including the time that the processes have waited meanwhile; zero if time is over.
    pub(crate) fn left(&mut self, processes: &[i32]) -> Duration {
        loop {
            let left = self.end.saturating_duration_since(now());
            if !left.is_zero() {
                return left;
            }
            let waited = waited(processes);
            let more = waited.saturating_sub(self.waited);
            if more < LEAST {
                return Duration::ZERO;
            }
            self.waited = waited;
            self.end += more;
        }
    }
}

/// The time that processes were ready and did not run: the second number of `schedstat`. Zero if the kernel does not
/// count it.
fn waited(processes: &[i32]) -> Duration {
    let of = |process: &i32| {
        let text = fs::read_to_string(format!("/proc/{process}/schedstat")).ok()?;
        let nanoseconds = text.split_whitespace().nth(1)?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    };
    processes.iter().filter_map(of).sum()
}

#[expect(
    clippy::disallowed_methods,
    reason = "a limit on time looks at a clock"
)]
fn now() -> Instant {
    Instant::now()
}
