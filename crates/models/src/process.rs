//! A program of the user's as a model: texts on its stdin, vectors on its stdout, both as JSON lines.
//!
//! For each text the program gets `{"index": 0, "side": "document", "text": "…"}`, and after the texts of a
//! call an empty line; for each it writes `{"index": 0, "vector": [0.1, …]}`, in any order, with `"tokens"` and
//! `"truncated"` where it knows them. It is started once, with the first call, by `sh -c`, and lives until the
//! model is dropped; what it writes to stderr is shown where it fails.
//!
//! The one hard thing is that both sides may write more than a pipe holds: a thread writes while another reads.
//! The program is the user's own, runs with the user's rights, and is not confined. It is ended with everything
//! that it started; where barecode itself is killed, it finds its stdin at an end.

#![expect(
    clippy::disallowed_methods,
    reason = "the user's own program, named on the command line, is started as any shell would"
)]

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::{Value, json};

use crate::remote::vector_of;
use crate::{Embeddings, Encoder, ModelError, Side};

/// How long the program may be silent.
const PATIENCE: Duration = Duration::from_secs(600);
/// Lines of stderr that are shown.
const LINES: usize = 5;

/// A program that embeds texts.
pub(crate) struct Process {
    command: String,
    identity: String,
    patience: Duration,
    running: Mutex<Option<Running>>,
}

struct Running {
    child: Child,
    stdin: BufWriter<ChildStdin>,
    lines: Receiver<std::io::Result<String>>,
    complaints: Arc<Mutex<VecDeque<String>>>,
    /// Reads what the program complains of, until it has ended.
    complaining: Option<std::thread::JoinHandle<()>>,
}

impl Drop for Running {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

/// Ends the shell and everything that it started: they are a group of processes of their own.
fn end(child: &mut Child) {
    // All of them may have ended already.
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.wait();
}

impl Process {
    pub(crate) fn new(command: &str, revision: Option<&str>, timeout: Option<Duration>) -> Self {
        let mut identity = format!("process:{command}");
        if let Some(revision) = revision {
            identity.push_str(" revision=");
            identity.push_str(revision);
        }
        Process {
            command: command.to_owned(),
            identity,
            patience: timeout.unwrap_or(PATIENCE),
            running: Mutex::new(None),
        }
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
        let (sender, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines() {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let complaints = Arc::new(Mutex::new(VecDeque::new()));
        let last = Arc::clone(&complaints);
        let complaining = std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                last.push_back(line);
                if last.len() > LINES {
                    last.pop_front();
                }
            }
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
            format!("; it said: {complaints}")
        };
        ModelError::unusable(format!("the program `{}` {how}{said}", self.command)).with_hint("for each line {\"index\", \"side\", \"text\"} it must write a line {\"index\", \"vector\"}, and \
                 flush after an empty line")
    }

    /// Sends texts and reads vectors from a running program.
    fn ask(
        &self,
        running: &mut Running,
        side: Side,
        texts: &[&str],
    ) -> Result<Embeddings, ModelError> {
        let Running {
            child,
            stdin,
            lines,
            complaints,
            complaining,
        } = running;
        let side = side.name();
        std::thread::scope(|scope| {
            // A program that ends early breaks the pipe; what it said before shows more.
            scope.spawn(move || -> std::io::Result<()> {
                for (index, text) in texts.iter().enumerate() {
                    writeln!(
                        stdin,
                        "{}",
                        json!({ "index": index, "side": side, "text": text })
                    )?;
                }
                writeln!(stdin)?;
                stdin.flush()
            });
            let answer = self.answers(lines, texts.len());
            if answer.is_err() {
                // The writer may wait for a reader that will not come.
                end(child);
            }
            answer
        })
        .map_err(|how| {
            // The program has ended, so what it said ends too, and is read to its end.
            if let Some(reader) = complaining.take() {
                let _ = reader.join();
            }
            let said = complaints
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .iter()
                .cloned()
                .collect::<Vec<_>>()
                .join(" | ");
            self.failed(&how, &said)
        })
    }

    fn answers(
        &self,
        lines: &Receiver<std::io::Result<String>>,
        count: usize,
    ) -> Result<Embeddings, String> {
        let mut whole = Embeddings {
            dimensions: 0,
            values: Vec::new(),
            tokens: vec![0; count],
            truncated: vec![false; count],
        };
        let mut seen = vec![false; count];
        let mut n_seen = 0;
        while n_seen < count {
            let line = match lines.recv_timeout(self.patience) {
                Ok(Ok(line)) => line,
                Ok(Err(error)) => {
                    return Err(format!("wrote something that is not text ({error})"));
                }
                Err(RecvTimeoutError::Timeout) => {
                    return Err(format!(
                        "was silent for {} s after {n_seen} of {count} vectors",
                        self.patience.as_secs()
                    ));
                }
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(format!("ended after {n_seen} of {count} vectors"));
                }
            };
            if line.trim().is_empty() {
                continue;
            }
            let value: Value = serde_json::from_str(&line).map_err(|_| {
                let begin: String = line.chars().take(60).collect();
                format!("wrote a line that is not JSON (`{begin}`)")
            })?;
            let index = value
                .get("index")
                .and_then(Value::as_u64)
                .and_then(|index| usize::try_from(index).ok())
                .filter(|&index| index < count && !seen[index])
                .ok_or_else(|| {
                    format!(
                        "wrote a line whose `index` is none of {count} texts, or one that it answered before"
                    )
                })?;
            let vector = vector_of(value.get("vector").unwrap_or(&Value::Null))
                .map_err(|why| format!("wrote {why}"))?;
            if whole.dimensions == 0 {
                whole.dimensions = vector.len();
                whole.values = vec![0.0; count * vector.len()];
            }
            if vector.len() != whole.dimensions {
                return Err(format!(
                    "wrote vectors of {} and of {} numbers",
                    whole.dimensions,
                    vector.len()
                ));
            }
            let start = index * whole.dimensions;
            whole.values[start..start + whole.dimensions].copy_from_slice(&vector);
            let tokens = value.get("tokens").and_then(Value::as_u64).unwrap_or(0);
            whole.tokens[index] = u32::try_from(tokens).unwrap_or(u32::MAX);
            whole.truncated[index] = value
                .get("truncated")
                .and_then(Value::as_bool)
                .unwrap_or(false);
            seen[index] = true;
            n_seen += 1;
        }
        Ok(whole)
    }
}

impl Encoder for Process {
    fn identity(&self) -> &str {
        &self.identity
    }

    fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, ModelError> {
        if texts.is_empty() {
            return Ok(Embeddings::default());
        }
        let mut slot = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let mut running = match slot.take() {
            Some(running) => running,
            None => self.start()?,
        };
        let embeddings = self.ask(&mut running, side, texts)?;
        // Only a program that answered well is asked again.
        *slot = Some(running);
        Ok(embeddings)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn embed(command: &str, texts: &[&str]) -> Result<Embeddings, String> {
        Process::new(command, None, Some(Duration::from_secs(20)))
            .encode(Side::Query, texts)
            .map_err(|error| error.to_string())
    }

    /// Answers each line by its own length, in reverse order, batch by batch.
    const REVERSED: &str = r#"
        n=0; out=''
        while IFS= read -r line; do
            if [ -z "$line" ]; then printf '%s' "$out"; n=0; out=''
            else out="{\"index\": $n, \"vector\": [${#line}, 1], \"tokens\": 7}
$out"; n=$((n + 1)); fi
        done"#;

    #[test]
    fn a_program_is_asked_again_and_again() {
        let process = Process::new(REVERSED, None, Some(Duration::from_secs(20)));
        for _ in 0..2 {
            let embeddings = process.encode(Side::Document, &["a", "abc"]).unwrap();
            assert_eq!(embeddings.dimensions, 2);
            assert_eq!(
                (embeddings.values[2] - embeddings.values[0]).to_bits(),
                2.0_f32.to_bits()
            );
            assert_eq!(embeddings.tokens, [7, 7]);
        }
        // More than a pipe holds, both ways.
        let long = "x".repeat(1000);
        let texts = vec![long.as_str(); 300];
        assert_eq!(process.encode(Side::Query, &texts).unwrap().len(), 300);
    }

    #[test]
    fn programs_that_fail_say_why() {
        for (command, why) in [
            (
                "echo no such model >&2; exit 3",
                "ended after 0 of 2 vectors; it said: no such model",
            ),
            ("echo hello; cat >/dev/null", "not JSON (`hello`)"),
            (
                "echo '{\"index\": 0, \"vector\": [1]}'",
                "ended after 1 of 2 vectors",
            ),
            (
                "echo '{\"index\": 5, \"vector\": [1]}'",
                "`index` is none of 2 texts",
            ),
            (
                "echo '{\"index\": 0, \"vector\": [1]}'; echo '{\"index\": 1, \"vector\": [1, 2]}'",
                "vectors of 1 and of 2 numbers",
            ),
            (
                "echo '{\"index\": 0, \"vector\": [1e99]}'",
                "number 1 is inf",
            ),
        ] {
            let error = embed(command, &["a", "b"]).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn a_program_that_hangs_is_ended_with_what_it_started() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("pid");
        let command = format!("sleep 1000 & echo $! > '{}'; wait", file.display());
        let process = Process::new(&command, None, Some(Duration::from_millis(500)));
        let error = process.encode(Side::Query, &["a"]).unwrap_err().to_string();
        assert!(error.contains("was silent for 0 s"), "{error}");
        let pid = std::fs::read_to_string(&file).unwrap();
        let state = || std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        // Who inherits it takes a moment to notice; dead is dead.
        let is_alive = || state().is_ok_and(|state| !state.contains(") Z "));
        for _ in 0..100 {
            if !is_alive() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it still sleeps");
    }
}
