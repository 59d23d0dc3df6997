//! Programs and their variants in numbers, as pydra's Figures 4 and 9 to 11 have them.
//!
//! Enters: the tables of a probe. Leaves: lengths in tokens and lines, of programs, alternates and the variants of each
//! pipeline, and a count of programs by the number of transforms. Python's tokens are counted, or a tokenizer's.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_dataset::{Tokenizer, lengths};
use barecode_records::{Document, Id, ProbePair, ProbeProgram, table};
use serde_json::json;

use crate::answer::Answer;
use crate::layout;
use crate::report;
use crate::session::Session;

/// The numbers of the probe of a dataset, which has this name.
pub(super) fn run(
    session: &Session,
    dataset: &Path,
    name: &str,
    tokenizer: Option<&Tokenizer>,
) -> anyhow::Result<Answer> {
    let programs: Vec<ProbeProgram> = table::read(&dataset.join(layout::programs_of(name)))?;
    let pairs: Vec<ProbePair> = table::read(&dataset.join(layout::probe_pairs_of(name)))?;
    let mut tokens: BTreeMap<Id, u32> = BTreeMap::new();
    if let Some(tokenizer) = tokenizer {
        let documents: Vec<Document> = table::read(&dataset.join(layout::corpus_of(name)))?;
        for document in documents {
            tokens.insert(document.id, tokenizer.code(&document.text)?);
        }
    }
    let rows = lengths(&programs, &pairs, &tokens);
    let counted_by = tokenizer.map_or("python", Tokenizer::name);
    session.answer(
        || json!({ "dataset": dataset, "tokenizer": counted_by, "programs": rows }),
        |screen| Ok(report::lengths::terminal(&rows, counted_by, screen)),
    )
}
