//! A compiler's messages → why it produced no output: a limit, or its errors, shortened for the record.

use std::path::Path;

use crate::Verdict;
use crate::confine::{Ending, Finished};
use crate::workplace::Scratch;

/// Returns `true` if a compiler that failed blames the disk.
pub(crate) fn says_full(finished: &Finished) -> bool {
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let says = |words: &str| stderr.contains(words);
    finished.ending != Ending::Exited(0)
        && (says("No space left on device") || says("Disk quota exceeded"))
}

/// Distinguishes a limit from a refusal.
pub(crate) fn why_not(finished: &Finished, scratch: &Scratch) -> Verdict {
    let stderr = String::from_utf8_lossy(&finished.stderr);
    match finished.ending {
        Ending::TimedOut | Ending::Signaled(libc::SIGXCPU) => Verdict::TimeLimit,
        Ending::PrintedTooMuch | Ending::Signaled(libc::SIGXFSZ) => Verdict::OutputLimit,
        // barecode does not kill a compiler within its time, so the system did, for lack of memory.
        Ending::Signaled(libc::SIGKILL) => Verdict::MemoryLimit,
        Ending::Exited(_) | Ending::Signaled(_) => match limit_in(&stderr) {
            Some(limit) => limit,
            None => Verdict::Refused {
                message: message_of(&stderr, finished.ending, scratch.path()),
            },
        },
    }
}

pub(crate) fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// The limit that a compiler's last words are about.
///
/// Only lines are read that the text under judgment cannot write: they do not start with its name, and are not
/// an excerpt of it.
fn limit_in(stderr: &str) -> Option<Verdict> {
    let mut own = stderr
        .lines()
        .filter(|line| !line.starts_with("unit") && !line.starts_with(' '));
    own.find_map(|line| {
        let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
        if says(&["CPU time limit exceeded"]) {
            Some(Verdict::TimeLimit)
        } else if says(&["File size limit exceeded", "File too large", "file too big"]) {
            Some(Verdict::OutputLimit)
        } else if says(&[
            "out of memory",
            "virtual memory exhausted",
            "memory exhausted",
            "Cannot allocate memory",
            "Killed signal terminated",
        ]) {
            Some(Verdict::MemoryLimit)
        } else {
            None
        }
    })
}

/// The output of a compiler, short enough to store, and without the name of the folder, which differs each time.
pub(crate) fn message_of(stderr: &str, ending: Ending, folder: &Path) -> String {
    const LINES: usize = 40;
    const LINE_CHARS: usize = 500;
    let folder = folder.to_string_lossy();
    // Indented lines are excerpts of the text, or the way through its includes.
    let passed_over = |line: &&str| {
        line.is_empty() || line.starts_with(' ') || line.starts_with("In file included")
    };
    let lines = stderr.lines().filter(|line| !passed_over(line)).take(LINES);
    let lines: Vec<String> = lines
        .map(|line| {
            line.replace(&*folder, ".")
                .chars()
                .take(LINE_CHARS)
                .collect()
        })
        .collect();
    if lines.is_empty() {
        return match ending {
            Ending::Exited(code) => format!("exited with {code} and printed nothing"),
            Ending::Signaled(signal) => format!("was ended by signal {signal} and printed nothing"),
            Ending::TimedOut => "ran out of time".to_owned(),
            Ending::PrintedTooMuch => "printed too much".to_owned(),
        };
    }
    lines.join("\n")
}

/// The first error of a compiler's message, without the position in front.
pub(crate) fn first_error(message: &str) -> String {
    let error = message.lines().find_map(|line| {
        let place = ["error: ", "Error: "]
            .iter()
            .filter_map(|word| line.find(word).map(|at| at + word.len()))
            .min()?;
        line.get(place..)
    });
    let error = error
        .or_else(|| message.lines().next())
        .unwrap_or_default()
        .trim();
    // The flag that enables an error differs between compilers, the error does not.
    error
        .rsplit_once(" [-W")
        .map_or(error, |(error, _)| error)
        .to_owned()
}
