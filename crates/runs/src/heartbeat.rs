//! The heartbeat: lines on stderr after a silence.
//!
//! A silent program looks the same whether it works or hangs, and some services end silent jobs. Every piece of work
//! therefore has a [`Heartbeat`] for as long as it goes on. One thread waits until stderr has been silent for
//! [`SILENCE`], and then calls the heartbeat that was opened last. A bar on a terminal moves by itself, so its heartbeat
//! is silent, and silences those that were opened before it.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// The longest time without a line on stderr.
const SILENCE: Duration = Duration::from_secs(9);

/// After this time a piece of work counts as long: logs of hours have a line a minute.
const LONG: Duration = Duration::from_mins(15);

/// The longest time without a line about long work.
const SILENCE_OF_LONG: Duration = Duration::from_mins(1);

/// Prints a line about work that goes on.
type Speak = Arc<dyn Fn() + Send + Sync>;

/// A piece of work that goes on until this is dropped. After that it is silent.
#[derive(Debug)]
pub(crate) struct Heartbeat(u64);

struct Open {
    begun: Instant,
    /// `None` for a bar.
    speak: Option<Speak>,
}

struct Heartbeats {
    next: u64,
    /// By the order of their opening.
    open: BTreeMap<u64, Open>,
    /// The time of the last line on stderr.
    said: Option<Instant>,
    is_watched: bool,
}

static HEARTBEATS: Mutex<Heartbeats> = Mutex::new(Heartbeats {
    next: 0,
    open: BTreeMap::new(),
    said: None,
    is_watched: false,
});

/// Wakes the thread when a heartbeat is opened or closed.
static CHANGED: Condvar = Condvar::new();

/// Held while a heartbeat speaks.
static SPEAKING: Mutex<()> = Mutex::new(());

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[expect(
    clippy::disallowed_methods,
    reason = "lines on stderr depend on it, and nothing that is written"
)]
fn now() -> Instant {
    Instant::now()
}

/// Notes that a line was printed to stderr.
pub(crate) fn said() {
    held(&HEARTBEATS).said = Some(now());
}

impl Heartbeat {
    /// Opens a heartbeat that calls `speak` after each silence.
    pub(crate) fn speaking(speak: impl Fn() + Send + Sync + 'static) -> Heartbeat {
        Heartbeat::open(Some(Arc::new(speak)))
    }

    /// Opens the heartbeat of a bar that is drawn.
    pub(crate) fn drawn() -> Heartbeat {
        Heartbeat::open(None)
    }

    fn open(speak: Option<Speak>) -> Heartbeat {
        let mut heartbeats = held(&HEARTBEATS);
        let number = heartbeats.next;
        heartbeats.next += 1;
        let begun = now();
        heartbeats.said.get_or_insert(begun);
        heartbeats.open.insert(number, Open { begun, speak });
        if !heartbeats.is_watched {
            // A machine without another thread has fewer lines, and works.
            let started = thread::Builder::new()
                .name("heartbeats".to_owned())
                .spawn(watch);
            heartbeats.is_watched = started.is_ok();
        }
        CHANGED.notify_all();
        Heartbeat(number)
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        held(&HEARTBEATS).open.remove(&self.0);
        CHANGED.notify_all();
        // A line that has begun ends before the work goes on.
        drop(held(&SPEAKING));
    }
}

fn watch() {
    loop {
        let speaking = held(&SPEAKING);
        let mut heartbeats = held(&HEARTBEATS);
        let Some((_, last)) = heartbeats.open.last_key_value() else {
            heartbeats.is_watched = false;
            return;
        };
        let now = now();
        let said = heartbeats.said.unwrap_or(last.begun);
        let silence = if now.saturating_duration_since(last.begun) < LONG {
            SILENCE
        } else {
            SILENCE_OF_LONG
        };
        let left = silence.saturating_sub(now.saturating_duration_since(said));
        if left.is_zero() {
            let speak = last.speak.clone();
            heartbeats.said = Some(now);
            drop(heartbeats);
            if let Some(speak) = speak {
                speak();
            }
        } else {
            drop(speaking);
            drop(CHANGED.wait_timeout(heartbeats, left));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heartbeat_that_was_opened_last_speaks_when_all_is_silent() {
        let spoken: Arc<Mutex<Vec<&str>>> = Arc::default();
        let speaking = |word: &'static str| {
            let spoken = Arc::clone(&spoken);
            Heartbeat::speaking(move || held(&spoken).push(word))
        };
        // As if the last line were long ago; then waits for this number of lines in all.
        let silent = |lines: usize| {
            held(&HEARTBEATS).said = now().checked_sub(SILENCE * 2);
            CHANGED.notify_all();
            for _ in 0..2_000 {
                if held(&spoken).len() < lines {
                    thread::sleep(Duration::from_millis(5));
                }
            }
        };
        let outer = speaking("outer");
        silent(1);
        let inner = speaking("inner");
        silent(2);
        let bar = Heartbeat::drawn();
        silent(2);
        // Time for a line, which the bar takes.
        thread::sleep(Duration::from_millis(100));
        drop(bar);
        drop(inner);
        silent(3);
        drop(outer);
        assert_eq!(*held(&spoken), ["outer", "inner", "outer"]);
        assert!(held(&HEARTBEATS).open.is_empty());
    }
}
