//! The usage of models, by purpose: `06-runs/ledger.json`, and for a share `ledger-1-of-4.json`; where they choose
//! alternates, `01-solutions/ledger.json`.
//!
//! A list with an entry for each model and its identity. A call adds to the usage by earlier calls in the folder, so a
//! run that was killed and resumed has the sum. It is an account and not part of the run: no key depends on it, and the
//! manifest has no digest of it.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use barecode_models::Usage;
use barecode_records::{Stage, guarded, table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::encoders::Encoders;
use crate::run_folder::RunFolder;

/// The usage of one model.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The name of the retriever, or of the model where several retrievers share it.
    retriever: String,
    /// The model as the recipe or the command line names it.
    model: String,
    /// Everything that its vectors or scores depend on.
    identity: String,
    /// Dollars, of all calls.
    dollars: f64,
    /// The fields of [`Usage`], of all calls.
    usage: Fields,
}

/// Counts by name.
pub(crate) type Fields = BTreeMap<String, u64>;

/// The usage in this call, by the name of the model.
#[derive(Debug)]
pub(crate) struct Books {
    /// The stage that calls them.
    stage: Stage,
    /// The models of the systems as they were named, by the names that they are booked under.
    models: BTreeMap<String, String>,
    taken: Mutex<BTreeMap<String, Fields>>,
}

impl Books {
    /// Creates books without entries.
    pub(crate) fn new(stage: Stage, models: BTreeMap<String, String>) -> Self {
        Books {
            stage,
            models,
            taken: Mutex::default(),
        }
    }

    /// Adds the usage of a model since the last call for it.
    pub(crate) fn write(
        &self,
        folder: &RunFolder,
        name: &str,
        identity: &str,
        encoders: &Encoders,
    ) -> anyhow::Result<()> {
        // Shards run at the same time, and the file is read and written whole.
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        let path = path(folder, self.stage);
        let before = guarded::read(&path).ok();
        let mut entries: Vec<Entry> = before
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let index = entries
            .iter()
            .position(|entry| entry.retriever == name && entry.identity == identity);
        let entry = if let Some(index) = index {
            &mut entries[index]
        } else {
            let model = self.models.get(name);
            entries.push(Entry {
                retriever: name.to_owned(),
                model: model.map_or(name, String::as_str).to_owned(),
                identity: identity.to_owned(),
                dollars: 0.0,
                usage: Fields::new(),
            });
            entries.last_mut().expect("one was pushed")
        };
        let usage = encoders.usage().remove(name).unwrap_or_default();
        let taken = taken.entry(name.to_owned()).or_default();
        for (field, number) in fields(&usage) {
            let booked = taken.entry(field.clone()).or_default();
            let sum = entry.usage.entry(field).or_default();
            *sum = sum.saturating_add(number.saturating_sub(*booked));
            *booked = number;
        }
        entry.dollars = dollars(&entry.usage);
        entries.sort_by(|a, b| (&a.retriever, &a.identity).cmp(&(&b.retriever, &b.identity)));
        let text = serde_json::to_string_pretty(&entries)?;
        table::write_atomically(&path, |file| writeln!(file, "{text}"))?;
        Ok(())
    }

    /// Returns the usage of each model in this call.
    pub(crate) fn taken(&self) -> BTreeMap<String, Fields> {
        self.taken
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Dollars of some counts.
pub(crate) fn dollars(usage: &Fields) -> f64 {
    let nano_dollars = usage.get("nano-dollars").copied().unwrap_or(0);
    Usage {
        nano_dollars,
        ..Usage::default()
    }
    .dollars()
}

/// Shares of a stage are done by several processes at once, each with books of its own.
fn path(folder: &RunFolder, stage: Stage) -> PathBuf {
    let name = match folder.share() {
        Some(share) => format!("ledger-{}-of-{}.json", share.number, share.parts),
        None => "ledger.json".to_owned(),
    };
    folder.stage(stage).join(name)
}

/// The counts of a page, by name.
fn fields(usage: &Usage) -> Fields {
    match serde_json::to_value(usage) {
        Ok(Value::Object(fields)) => fields
            .into_iter()
            .filter_map(|(field, value)| Some((field, value.as_u64()?)))
            .collect(),
        _ => Fields::new(),
    }
}
