//! What models took, beside the runs: `06-runs/ledger.json`, and for a share `ledger-1-of-4.json`.
//!
//! A list with an entry for each retriever and identity of its model. A call adds to what earlier calls in the folder
//! took, so a run that was killed and went on has the sum. It is an account and not part of the run: no key depends
//! on it, and the manifest has no digest of it.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use barecode_models::{RetrieverConfig, Usage};
use barecode_records::{Stage, table};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::site::Site;

/// What one model took.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    /// The retriever.
    retriever: String,
    /// The model as the recipe names it.
    model: String,
    /// Everything that its vectors depend on.
    identity: String,
    /// Dollars, of all calls.
    dollars: f64,
    /// The fields of [`Usage`], of all calls.
    usage: BTreeMap<String, u64>,
}

/// Adds what a model took since this was last called for it.
pub(super) fn write(
    site: &Site,
    retriever: &RetrieverConfig,
    identity: &str,
) -> anyhow::Result<()> {
    let Some(dense) = retriever.dense() else {
        return Ok(());
    };
    let path = path(site);
    let before = fs::read(&path).ok();
    let mut entries: Vec<Entry> = before
        .and_then(|bytes| serde_json::from_slice(&bytes).ok())
        .unwrap_or_default();
    let place = entries
        .iter()
        .position(|entry| entry.retriever == retriever.name() && entry.identity == identity);
    let entry = if let Some(place) = place {
        &mut entries[place]
    } else {
        entries.push(Entry {
            retriever: retriever.name().to_owned(),
            model: dense.model.clone(),
            identity: identity.to_owned(),
            dollars: 0.0,
            usage: BTreeMap::new(),
        });
        entries.last_mut().expect("one was pushed")
    };
    let usage = site.encoders.usage().remove(retriever.name());
    for (field, number) in fields(&usage.unwrap_or_default()) {
        *entry.usage.entry(field).or_default() += number;
    }
    let nanos = entry.usage.get("nano-dollars").copied().unwrap_or(0);
    entry.dollars = Usage {
        nano_dollars: nanos,
        ..Usage::default()
    }
    .dollars();
    entries.sort_by(|a, b| (&a.retriever, &a.identity).cmp(&(&b.retriever, &b.identity)));
    let text = serde_json::to_string_pretty(&entries)?;
    table::write_atomically(&path, |file| writeln!(file, "{text}"))?;
    Ok(())
}

/// Shares of a stage are done by several processes at once, each with books of its own.
fn path(site: &Site) -> PathBuf {
    let name = match site.folder.share() {
        Some(share) => format!("ledger-{}-of-{}.json", share.number, share.parts),
        None => "ledger.json".to_owned(),
    };
    site.folder.stage(Stage::Retrieve).join(name)
}

/// The counts of a page, by name.
fn fields(usage: &Usage) -> BTreeMap<String, u64> {
    match serde_json::to_value(usage) {
        Ok(Value::Object(fields)) => fields
            .into_iter()
            .filter_map(|(field, value)| Some((field, value.as_u64()?)))
            .collect(),
        _ => BTreeMap::new(),
    }
}
