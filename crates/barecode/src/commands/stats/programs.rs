//! Programs and their variants in numbers, as pydra's Figures 4 and 9 to 11 have them.
//!
//! In comes a probe, of a run or of a dataset; out come the lengths of programs, alternates and what each pipeline made, in tokens and
//! lines, and how many programs have a variant with at least so many transforms. Tokens are Python's, or those of a
//! tokenizer.

use std::collections::BTreeMap;
use std::path::Path;

use barecode_dataset::{Lengths, SUBSETS_FILE, Spread, Tokenizer, lengths};
use barecode_records::table::{self, TableError};
use barecode_records::{Document, Id, ListedSubset, ProbePair, ProbeProgram, SubsetKind};
use serde_json::json;

use crate::answer::Answer;
use crate::console::{Screen, grouped};
use crate::layout;
use crate::report::grid;
use crate::session::Session;

/// The name of the probe of a folder, if it is a dataset as `assemble` leaves it and has one.
pub(super) fn probe_of(dataset: &Path) -> Result<Option<String>, TableError> {
    let list = dataset.join(SUBSETS_FILE);
    if !list.is_file() {
        return Ok(None);
    }
    let subsets: Vec<ListedSubset> = table::read(&list)?;
    let mut probes = subsets
        .into_iter()
        .filter(|one| one.kind == SubsetKind::Probe);
    Ok(probes.next().map(|one| one.name))
}

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
        |screen| Ok(shown(&rows, counted_by, screen)),
    )
}

fn shown(rows: &[Lengths], tokenizer: &str, screen: Screen) -> String {
    let spread = |it: Spread| format!("{:.1} [{}, {}]", it.mean, it.p5, it.p95);
    let heads = [
        "texts",
        "are",
        "count",
        "tokens",
        "lines",
        "lines added",
        "tokens a line",
    ];
    let lines = rows.iter().map(|row| {
        vec![
            row.texts.clone(),
            row.relation.map_or("–", |it| it.name()).to_owned(),
            grouped(row.count as u64),
            spread(row.tokens),
            spread(row.lines),
            row.added_lines.map_or("–".to_owned(), spread),
            format!("{:.1}", row.tokens_per_line),
        ]
    });
    let mut text = format!(
        "means, and in brackets the lengths between which nine of ten lie; tokens as `{tokenizer}` counts them; lines added: \
         lines that a text has more than its program\n{}",
        grid::table(2, &heads, lines, screen)
    );
    let most = rows.iter().map(|row| row.at_least.len()).max();
    if let Some(most) = most.filter(|&most| most > 0) {
        let heads: Vec<String> = (1..=most).map(|n| format!("≥ {n}")).collect();
        let heads: Vec<&str> = ["pipeline", "programs"]
            .into_iter()
            .chain(heads.iter().map(String::as_str))
            .collect();
        let made = rows.iter().filter(|row| !row.at_least.is_empty());
        let lines = made.map(|row| {
            let all = row.at_least.first().copied().unwrap_or_default();
            let mut cells = vec![row.texts.clone(), grouped(all as u64)];
            cells.extend((0..most).map(|n| {
                let some = row.at_least.get(n).copied().unwrap_or_default();
                format!("{} %", (some * 100 + all / 2) / all.max(1))
            }));
            cells
        });
        text.push_str("\n\nprograms with a variant that at least so many different transforms changed, of those with any variant of the pipeline\n");
        text.push_str(&grid::table(1, &heads, lines, screen));
    }
    text
}
