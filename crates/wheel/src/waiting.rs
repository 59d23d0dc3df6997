//! Work in a thread of its own, while the thread that called waits: it handles signals, reports progress, passes notes
//! on.
//!
//! Python runs the handlers of signals in its main thread and only between two steps of its own. Work in that thread
//! would be deaf to Ctrl-C. Callbacks are called in the thread that called, never in a worker: an exception of theirs
//! ends the call, and bars of notebooks work.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use barecode::{Exit, Failure, Listener};
use pyo3::prelude::*;

use crate::error::{invalid, raised};

/// The interval between two checks of the waiting thread.
const LOOK: Duration = Duration::from_millis(50);

/// The number of checks that a call waits for stopped work to end; after that the call ends without it, and the work
/// ends at its own next check.
const PATIENCE: u32 = 40;

/// The output that was not passed on yet.
#[derive(Default)]
struct Said {
    data: Vec<String>,
    notes: Vec<String>,
    /// The latest of each verb: noun, done, total.
    progress: BTreeMap<String, (String, u64, u64)>,
}

/// Receives the output of the work, from any thread, and stops the work.
pub(crate) struct Ear {
    said: Mutex<Said>,
    /// Work that is to stop and may still go on.
    stopped: Mutex<Vec<Weak<()>>>,
    /// The process of the threads that work.
    process: u32,
}

impl Default for Ear {
    fn default() -> Self {
        Ear {
            said: Mutex::default(),
            stopped: Mutex::default(),
            process: std::process::id(),
        }
    }
}

impl Ear {
    fn stopped(&self) -> std::sync::MutexGuard<'_, Vec<Weak<()>>> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn said(&self) -> std::sync::MutexGuard<'_, Said> {
        self.said.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the printed output, as one text.
    pub(crate) fn data(&self) -> String {
        std::mem::take(&mut self.said().data).join("\n")
    }

    /// Passes notes and progress on, to the thread that called.
    fn pass_on(&self, py: Python<'_>, progress: Option<&Py<PyAny>>) -> PyResult<()> {
        let (notes, steps) = {
            let mut said = self.said();
            (
                std::mem::take(&mut said.notes),
                std::mem::take(&mut said.progress),
            )
        };
        if !notes.is_empty() {
            let logging = py.import("logging")?;
            let logger = logging.call_method1("getLogger", ("barecode",))?;
            for note in notes {
                let method = if note.starts_with("warning") {
                    "warning"
                } else {
                    "info"
                };
                logger.call_method1(method, ("%s", note))?;
            }
        }
        if let Some(progress) = progress {
            for (verb, (noun, done, total)) in steps {
                progress.call1(py, (verb, noun, done, total))?;
            }
        }
        Ok(())
    }
}

impl Listener for Ear {
    fn data(&self, text: &str) {
        self.said().data.push(text.to_owned());
    }

    fn note(&self, text: &str) {
        self.said().notes.push(text.to_owned());
    }

    fn progress(&self, verb: &str, noun: &str, done: u64, total: u64) {
        let step = (noun.to_owned(), done, total);
        self.said().progress.insert(verb.to_owned(), step);
    }

    fn is_stopped(&self) -> bool {
        let mut stopped = self.stopped();
        stopped.retain(|work| work.strong_count() > 0);
        !stopped.is_empty()
    }
}

/// Does the work without the interpreter's lock, and waits for it.
///
/// # Errors
/// The failure of the work; an exception of a signal's handler or the callback, after the work was stopped. Work that
/// does not stop within two seconds ends at its own next check, and the next call of the same object waits for it. An
/// object of another process, because a fork copies no threads.
pub(crate) fn wait<T: Send + 'static>(
    py: Python<'_>,
    ear: &Arc<Ear>,
    progress: Option<&Py<PyAny>>,
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> PyResult<T> {
    if ear.process != std::process::id() {
        let hint = "make it again in this process, or start processes with the method `spawn`";
        let message = "this was made before the process was forked, and a fork copies no threads";
        return Err(raised(py, &invalid(message, Some(hint))));
    }
    while ear.is_stopped() {
        py.detach(|| thread::sleep(LOOK));
        py.check_signals()?;
    }
    let (sender, receiver) = channel();
    let going = Arc::new(());
    let this = Arc::downgrade(&going);
    thread::spawn(move || {
        let done = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
            Err(Failure {
                exit: Exit::Unexpected,
                message: "internal error: a thread panicked; stderr has the message".to_owned(),
                hint: Some("this is a defect of barecode; please report it".to_owned()),
            })
        });
        // If the call was interrupted, the receiver is gone.
        let _ = sender.send(done);
        drop(going);
    });
    // One thread at a time may receive, which the compiler is to know too.
    let receiver = Mutex::new(receiver);
    let receive = || {
        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
        receiver.recv_timeout(LOOK)
    };
    let look = || py.detach(receive);
    loop {
        match look() {
            Ok(done) => {
                ear.pass_on(py, progress)?;
                return done.map_err(|failure| raised(py, &failure));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let failure = Failure {
                    exit: Exit::Unexpected,
                    message: "internal error: the work ended without a word".to_owned(),
                    hint: None,
                };
                return Err(raised(py, &failure));
            }
            Err(RecvTimeoutError::Timeout) => {
                let heard = py.check_signals();
                if let Err(error) = heard.and_then(|()| ear.pass_on(py, progress)) {
                    ear.stopped().push(this);
                    for _ in 0..PATIENCE {
                        if !matches!(look(), Err(RecvTimeoutError::Timeout)) {
                            break;
                        }
                    }
                    return Err(error);
                }
            }
        }
    }
}
