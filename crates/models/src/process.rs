//! A program of the user's as a model: lines on its stdin, lines on its stdout, both JSON.
//!
//! For each text the program gets a line with its `index`, and after those of a call an empty line. For each it
//! writes a line with the same `index`, in any order. It is started once, with the first call, by `sh -c`, and lives
//! until the model is dropped; its stderr is shown if it fails.
//!
//! The one hard thing is that both sides may write more than a pipe holds: a thread writes while another reads.
//! The program is the user's own, runs with the user's rights, and is not confined. It is ended with everything
//! that it started, also if barecode receives a request to end. If barecode is killed, the program's stdin ends.

#![expect(
    clippy::disallowed_methods,
    reason = "the user's own program, named on the command line, is started as any shell would"
)]

use std::collections::VecDeque;
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

use crate::ModelError;

mod encoder;
mod writer;

pub(crate) use encoder::Process;
pub(crate) use writer::ProcessWriter;

/// The longest silence of the program.
const PATIENCE: Duration = Duration::from_mins(10);
/// Lines of stderr that are shown.
const LINES: usize = 5;

/// The longest line of an answer.
const LONGEST_LINE: u64 = 64 << 20;
/// Lines that wait to be read.
const WAITING: usize = 4;

/// The programs that run: each is a group of processes.
static RUNNING: Mutex<Vec<Pid>> = Mutex::new(Vec::new());

/// Ends the programs of `process:` that run, for a caller that ends this process at once.
pub fn end_programs() {
    for group in lock(&RUNNING).drain(..) {
        // All of it may have ended already.
        let _ = kill_process_group(group, Signal::KILL);
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Hands over each line as text, until `take` returns false.
fn lines_of(pipe: impl Read, mut take: impl FnMut(io::Result<String>) -> bool) {
    let mut reader = BufReader::new(pipe);
    loop {
        let mut line = Vec::new();
        let read = reader
            .by_ref()
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line);
        let line = match read {
            Ok(0) | Err(_) => return,
            Ok(_) if line.len() as u64 == LONGEST_LINE => {
                Err(io::Error::other("a line of more than 64 MiB"))
            }
            Ok(_) => {
                line.pop_if(|last| *last == b'\n');
                String::from_utf8(line).map_err(io::Error::other)
            }
        };
        if !take(line) {
            return;
        }
    }
}

/// A program that answers lines.
pub(crate) struct Program {
    command: String,
    patience: Duration,
    running: Mutex<Option<Running>>,
}

struct Running {
    child: Child,
    stdin: BufWriter<ChildStdin>,
    lines: Receiver<io::Result<String>>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    /// Reads the program's stderr, until it has ended.
    complaining: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends the shell and everything that it started: they are a group of processes of their own.
fn end(child: &mut Child) {
    let group = Pid::from_child(child);
    // All of them may have ended already.
    let _ = kill_process_group(group, Signal::KILL);
    // Before it is waited for: then its number may become another's.
    lock(&RUNNING).retain(|running| *running != group);
    let _ = child.wait();
}

impl Program {
    pub(crate) fn new(command: &str, timeout: Option<Duration>) -> Self {
        Program {
            command: command.to_owned(),
            patience: timeout.unwrap_or(PATIENCE),
            running: Mutex::new(None),
        }
    }

    /// Sends a line for each item, and reads a line for each, with its `index`, in any order.
    pub(crate) fn exchange(
        &self,
        lines: &[Value],
        take: &mut dyn FnMut(usize, &Value) -> Result<(), Unfit>,
    ) -> Result<(), ModelError> {
        let mut slot = lock(&self.running);
        let mut running = match slot.take() {
            Some(running) => running,
            None => self.start()?,
        };
        self.ask(&mut running, lines, take)?;
        // Only a program that answered well is used again.
        *slot = Some(running);
        Ok(())
    }

    fn start(&self) -> Result<Running, ModelError> {
        let mut child = Command::new("sh")
            .args(["-c", &self.command])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| self.failed(&format!("cannot be started: {error}"), ""))?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(self.failed("has no pipes", ""));
        };
        lock(&RUNNING).push(Pid::from_child(&child));
        let (sender, lines) = sync_channel(WAITING);
        std::thread::spawn(move || lines_of(stdout, |line| sender.send(line).is_ok()));
        let complaints = Arc::new(Mutex::new(VecDeque::new()));
        let last = Arc::clone(&complaints);
        let complaining = std::thread::spawn(move || {
            lines_of(stderr, |line| {
                let mut last = lock(&last);
                last.extend(line.ok());
                if last.len() > LINES {
                    last.pop_front();
                }
                true
            });
        });
        Ok(Running {
            child,
            stdin: BufWriter::new(stdin),
            lines,
            complaints,
            complaining: Some(complaining),
        })
    }

    fn failed(&self, how: &str, complaints: &str) -> ModelError {
        let said = if complaints.is_empty() {
            String::new()
        } else {
            format!("; its output: {complaints}")
        };
        ModelError::unusable(format!("the program `{}` {how}{said}", self.command)).with_hint("for each line {\"index\", \"side\", \"text\"} it must write a line {\"index\", \"vector\"}, or {\"index\", \"text\"} for a \
                 line {\"index\", \"prompt\"}, and flush after an empty line")
    }

    /// Writes all lines while the answers are read.
    fn ask(
        &self,
        running: &mut Running,
        asked: &[Value],
        take: &mut dyn FnMut(usize, &Value) -> Result<(), Unfit>,
    ) -> Result<(), ModelError> {
        let Running {
            child,
            stdin,
            lines,
            complaints,
            complaining,
        } = running;
        let answered = std::thread::scope(|scope| {
            // A program that ends early breaks the pipe; its output before that shows more.
            scope.spawn(move || -> io::Result<()> {
                for line in asked {
                    writeln!(stdin, "{line}")?;
                }
                writeln!(stdin)?;
                stdin.flush()
            });
            let answered = self.answers(lines, asked.len(), take);
            if answered.is_err() {
                // The writer may wait for a reader that will not come.
                end(child);
            }
            answered
        });
        answered.map_err(|unfit| match unfit {
            Unfit::Failed(error) => error,
            Unfit::Line(how) => {
                // The program has ended, so its stderr ends too, and is read to its end.
                if let Some(reader) = complaining.take() {
                    let _ = reader.join();
                }
                let said = lock(complaints);
                let said: Vec<String> = said.iter().cloned().collect();
                self.failed(&how, &said.join(" | "))
            }
        })
    }

    fn answers(
        &self,
        lines: &Receiver<io::Result<String>>,
        count: usize,
        take: &mut dyn FnMut(usize, &Value) -> Result<(), Unfit>,
    ) -> Result<(), Unfit> {
        let mut seen = vec![false; count];
        let mut n_seen = 0;
        while n_seen < count {
            let line = match lines.recv_timeout(self.patience) {
                Ok(Ok(line)) => line,
                Ok(Err(error)) => {
                    let how = format!("wrote something that is not text ({error})");
                    return Err(Unfit::Line(how));
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(Unfit::Line(format!(
                        "was silent for {} s after {n_seen} of {count} answers",
                        self.patience.as_secs()
                    )));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Unfit::Line(format!(
                        "ended after {n_seen} of {count} answers"
                    )));
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            let value: Value = serde_json::from_str(&line).map_err(|_| {
                let begin: String = line.chars().take(60).collect();
                Unfit::Line(format!("wrote a line that is not JSON (`{begin}`)"))
            })?;
            let index = value
                .get("index")
                .and_then(Value::as_u64)
                .and_then(|index| usize::try_from(index).ok())
                .filter(|&index| index < count && !seen[index])
                .ok_or_else(|| {
                    Unfit::Line(format!(
                        "wrote a line whose `index` is not one of {count} texts, or was answered before"
                    ))
                })?;
            take(index, &value)?;
            seen[index] = true;
            n_seen += 1;
        }
        Ok(())
    }
}

/// The reasons why an answer is not accepted.
pub(crate) enum Unfit {
    /// The line is not one that was requested.
    Line(String),
    /// The answer could not be handed on.
    Failed(ModelError),
}
