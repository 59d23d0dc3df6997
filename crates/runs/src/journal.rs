//! The cost of writing queries, beside them: `04-queries/ledger.jsonl`, and for a share `ledger-1-of-4.jsonl`.
//!
//! A line for each request as it goes out, for its result, and for its end. So a process that is killed has booked
//! the cost until then, and a request that was under way counts by its estimate: it may have been paid for. Like the
//! ledger of the runs it is an account and not part of the run.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use barecode_models::{Event, LedgerListener, Usage};
use barecode_records::{Stage, guarded};
use serde::{Deserialize, Serialize};

use crate::console::grouped;
use crate::exit::Failure;
use crate::run_folder::RunFolder;

/// A line.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Line {
    /// A process began; requests that were open before are lost.
    Begun,
    /// A request went out.
    Sent {
        number: u64,
        model: String,
        tokens: u64,
        nano_dollars: u64,
    },
    /// A model's page grew.
    Added { model: String, usage: Usage },
    /// A request is settled.
    Settled { number: u64 },
}

/// Records the usage of these models, from now on. The file is made with the first line.
pub fn listener(folder: &RunFolder, models: Vec<String>) -> LedgerListener {
    let path = path(folder);
    let file: Mutex<Option<File>> = Mutex::new(None);
    let numbers: Mutex<Vec<u64>> = Mutex::default();
    Box::new(move |event| {
        let line = match *event {
            Event::Sent {
                number,
                model,
                tokens,
                nano_dollars,
            } if models.iter().any(|name| name == model) => {
                lock(&numbers).push(number);
                Line::Sent {
                    number,
                    model: model.to_owned(),
                    tokens,
                    nano_dollars,
                }
            }
            Event::Added { model, usage } if models.iter().any(|name| name == model) => {
                if *usage == Usage::default() {
                    return;
                }
                Line::Added {
                    model: model.to_owned(),
                    usage: usage.clone(),
                }
            }
            Event::Settled { number } => {
                let mut open = lock(&numbers);
                let Some(at) = open.iter().position(|sent| *sent == number) else {
                    return;
                };
                open.swap_remove(at);
                Line::Settled { number }
            }
            _ => return,
        };
        let mut file = lock(&file);
        if file.is_none() {
            let opened = OpenOptions::new().append(true).create(true).open(&path);
            *file = opened.ok().filter(|file| append(file, &Line::Begun));
        }
        // A full disk is reported by the writer of the queries themselves; an account that lacks a line does not end
        // the run.
        if let Some(file) = &*file {
            append(file, &line);
        }
    })
}

fn lock<T>(of: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One write a line: a killed process leaves whole lines, but perhaps the last one.
fn append(mut file: &File, line: &Line) -> bool {
    let Ok(mut text) = serde_json::to_vec(line) else {
        return false;
    };
    text.push(b'\n');
    file.write_all(&text).is_ok()
}

/// The cost of writing, of all processes that worked in the folder, by model; requests that were lost with their
/// process are wasted tokens.
pub fn taken(folder: &RunFolder) -> Result<BTreeMap<String, Usage>, Failure> {
    let mut sum: BTreeMap<String, Usage> = BTreeMap::new();
    let stage = folder.stage(Stage::Query);
    let Ok(entries) = fs::read_dir(&stage) else {
        return Ok(sum);
    };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "jsonl"));
    paths.sort();
    for path in paths {
        read(&path, &mut sum)?;
    }
    Ok(sum)
}

fn read(path: &Path, sum: &mut BTreeMap<String, Usage>) -> Result<(), Failure> {
    let text = guarded::text(path)
        .map_err(|error| Failure::invalid(format!("cannot read `{}`: {error}", path.display())))?;
    let mut open: BTreeMap<u64, (String, Usage)> = BTreeMap::new();
    let mut lose = |open: &mut BTreeMap<u64, (String, Usage)>| {
        for (model, usage) in std::mem::take(open).into_values() {
            sum.entry(model).or_default().add(&usage);
        }
    };
    let mut added: Vec<(String, Usage)> = Vec::new();
    for line in text.lines() {
        // The line that a kill cut short.
        let Ok(line) = serde_json::from_str::<Line>(line) else {
            continue;
        };
        match line {
            Line::Begun => lose(&mut open),
            Line::Sent {
                number,
                model,
                tokens,
                nano_dollars,
            } => {
                let lost = Usage {
                    tokens,
                    estimated_tokens: tokens,
                    wasted_tokens: tokens,
                    nano_dollars,
                    ..Usage::default()
                };
                open.insert(number, (model, lost));
            }
            Line::Added { model, usage } => added.push((model, usage)),
            Line::Settled { number } => drop(open.remove(&number)),
        }
    }
    lose(&mut open);
    for (model, usage) in added {
        sum.entry(model).or_default().add(&usage);
    }
    Ok(())
}

/// The account in words, a line a model.
pub fn sentences(taken: &BTreeMap<String, Usage>) -> Vec<String> {
    let sentence = |(model, usage): (&String, &Usage)| {
        let mut said = vec![format!(
            "{} requests, {} tokens",
            grouped(usage.requests),
            grouped(usage.tokens)
        )];
        if usage.nano_dollars > 0 {
            said.push(format!("{:.4} dollars", usage.dollars()));
        }
        for (count, what) in [
            (usage.retries, "sent again"),
            (usage.wasted_tokens, "tokens paid without an answer"),
            (usage.disbelieved, "counts of tokens that cannot be right"),
            (usage.truncations, "answers cut off"),
            (usage.cache_hits, "answers from the cache"),
            (usage.replayed, "answers from the cassette"),
        ] {
            if count > 0 {
                said.push(format!("{} {what}", grouped(count)));
            }
        }
        format!("{model}: {}", said.join(", "))
    };
    taken.iter().map(sentence).collect()
}

/// Shares of a stage are done by several processes at once, each with an account of its own.
fn path(folder: &RunFolder) -> PathBuf {
    let name = match folder.share() {
        Some(share) => format!("ledger-{}-of-{}.jsonl", share.number, share.parts),
        None => "ledger.jsonl".to_owned(),
    };
    folder.stage(Stage::Query).join(name)
}
