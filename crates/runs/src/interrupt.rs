//! Ctrl-C: running shards are finished, no new one is begun, and the program ends.
//!
//! The first signal is a request; two seconds later, or at the second signal, the process ends at once. Both are
//! safe: a table is renamed into place when it is whole, and tables that were not renamed are made again by the next
//! run.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crate::console::Console;
use crate::exit::{Exit, Failure};

static ASKED: AtomicBool = AtomicBool::new(false);
static STOPPED: AtomicBool = AtomicBool::new(false);

/// The time that running shards have after the first signal.
const PATIENCE: Duration = Duration::from_secs(2);

/// Listens for Ctrl-C and for a polite kill; a full file is from now on an error of its writer.
pub fn listen(console: Console) -> Result<(), ctrlc::Error> {
    barecode_check::survive_full_files();
    ctrlc::set_handler(move || {
        if ASKED.swap(true, Ordering::SeqCst) {
            end(console);
        }
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            end(console);
        });
    })
}

/// Returns `true` if the program is to stop; a call of another program uses its own [`Console::is_stopped`].
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

/// From here on the program ends by itself with a message; the watcher stays quiet.
pub fn stopped() {
    STOPPED.store(true, Ordering::SeqCst);
}

#[expect(
    clippy::exit,
    reason = "a shard that hangs must not hold the program, and its files are safe"
)]
fn end(console: Console) {
    if !STOPPED.swap(true, Ordering::SeqCst) {
        let message = "interrupted in the middle of a shard";
        let failure = Failure::new(Exit::Interrupted, message)
            .hint("finished shards are saved; run the same command again to continue");
        console.failure(&failure);
    }
    barecode_models::end_programs();
    std::process::exit(Exit::Interrupted as i32);
}
