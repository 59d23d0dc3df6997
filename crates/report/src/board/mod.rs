//! A board of results: systems and settings with intervals, and rank intervals in place of a strict order.
//!
//! Enters: a [`Board`], whose results were checked. Leaves: files of a folder that any server can host, or a disk:
//!
//! ```text
//! index.html            a table for each group of functions; reads without scripts
//! board.json            the same as data
//! badges/SYSTEM.json    one line about a system, as badge services read it
//! results/SYSTEM.json   the results, and dataset.json what was asked: input of the next board
//! queries.html, …       every query with the ranks of all systems, see `browse`
//! ```
//!
//! Two systems are apart if `compare` separates them on the same queries: intervals, tests and tied groups are those of
//! [`Compared`].

mod page;
mod queries;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use barecode_results::board::{Board, Refused, View};
use barecode_results::stated::{DATASET, MEANS, Mean, RESULTS, SystemResult};
use barecode_scores::comparison::{Judge, Plan, compare};
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::{Interval, StatisticsError};
use rayon::prelude::*;
use serde::Serialize;
use serde_json::json;

use crate::contrast::{Compared, Field};

/// The numbers of a system in a setting.
#[derive(Debug, Clone, Serialize)]
struct Cell {
    queries: usize,
    /// True if they are too few for the numbers to be shown.
    too_few: bool,
    #[serde(flatten)]
    score: Interval,
    /// The best and the worst rank that the significant differences allow; `None` for too few queries.
    ranks: Option<(usize, usize)>,
    /// Systems that share a letter do not differ significantly.
    letters: String,
    /// The mean of the standard setting less that of this one, query by query.
    drop: Option<Interval>,
}

/// A table: a row for each result, a cell for each setting.
#[derive(Debug, Serialize)]
struct Table {
    group: String,
    is_pool: bool,
    settings: Vec<String>,
    cells: Vec<Vec<Option<Cell>>>,
}

/// The files of a board.
///
/// # Errors
/// The plan does not allow a comparison.
pub fn files(
    board: &Board,
    means: &[Mean],
    plan: &Plan,
) -> Result<Vec<(PathBuf, String)>, StatisticsError> {
    let views = board.views();
    let tables: Vec<Table> = views
        .iter()
        .map(|view| table(board, view, plan))
        .collect::<Result<_, _>>()?;
    let results = Path::new(RESULTS);
    let mut files = vec![(results.join(DATASET), board.dataset.to_text())];
    for result in &board.results {
        files.push((file_of(RESULTS, result), result.to_text()));
    }
    if !means.is_empty() {
        files.push((results.join(MEANS), format!("{:#}\n", json!(means))));
    }
    for (at, result) in board.results.iter().enumerate() {
        if let Some(badge) = tables.first().and_then(|table| badge(board, table, at)) {
            files.push((file_of("badges", result), badge));
        }
    }
    let mut browsed = queries::browsed(board);
    browsed.sort(&[]);
    files.extend((0..browsed.pages()).flat_map(|number| browsed.page(number)));
    files.extend(browsed.shared());
    files.push(("board.js".into(), include_str!("board.js").to_owned()));
    let data = json!({
        "dataset": {
            "name": board.dataset.name,
            "digest": board.dataset.digest,
            "measure": board.dataset.measure,
        },
        "plan": plan,
        "systems": board.results.iter().map(|one| json!({
            "system": one.system, "about": one.about, "date": one.date, "dollars": one.dollars,
            "command": one.command, "evidence": one.evidence, "digest": digest(one),
        })).collect::<Vec<_>>(),
        "tables": tables,
        "means": means,
        "refused": published(board),
    });
    files.push(("board.json".into(), format!("{data:#}\n")));
    files.push((
        "index.html".into(),
        page::render(board, &tables, means, plan),
    ));
    Ok(files)
}

/// The refused results without paths of the machine, for a board is published.
fn published(board: &Board) -> Vec<Refused> {
    let published = board.refused.iter().map(|one| {
        let name = Path::new(&one.file).file_name().unwrap_or_default();
        let name = name.to_string_lossy().into_owned();
        Refused {
            reason: one.reason.replace(&one.file, &name),
            file: name,
            ..one.clone()
        }
    });
    published.collect()
}

/// `results/bm25.json`
fn file_of(folder: &str, result: &SystemResult) -> PathBuf {
    Path::new(folder).join(format!("{}.json", file_name(&result.system)))
}

/// The name of a system as the name of a file.
fn file_name(system: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let name: String = system
        .chars()
        .map(|c| if safe(c) { c } else { '_' })
        .collect();
    let is_taken = [DATASET, MEANS]
        .iter()
        .any(|file| file.trim_end_matches(".json").eq_ignore_ascii_case(&name));
    let plain = name == system && !name.starts_with('.') && !is_taken && name.len() < 64;
    if plain {
        return name;
    }
    // Two names that differ in other characters only are two files.
    let digest = blake3::hash(system.as_bytes()).to_hex();
    let digest: String = digest.chars().take(8).collect();
    let name: String = name.trim_start_matches('.').chars().take(48).collect();
    format!("{name}-{digest}")
}

/// BLAKE3 of the file of a result.
fn digest(result: &SystemResult) -> String {
    blake3::hash(result.to_text().as_bytes())
        .to_hex()
        .to_string()
}

/// Computes the columns of a table, each setting by itself.
fn table(board: &Board, view: &View<'_>, plan: &Plan) -> Result<Table, StatisticsError> {
    let settings = view.settings();
    let columns = settings
        .par_iter()
        .map(|setting| column(board, view, setting, plan));
    let columns: Vec<Vec<Option<Cell>>> = columns.collect::<Result<_, _>>()?;
    let rows = 0..board.results.len();
    Ok(Table {
        group: view.group.to_owned(),
        is_pool: view.is_pool,
        settings: settings.iter().map(|&setting| setting.to_owned()).collect(),
        cells: rows
            .map(|at| columns.iter().map(|column| column[at].clone()).collect())
            .collect(),
    })
}

/// The cells of a setting, one for each result.
fn column(
    board: &Board,
    view: &View<'_>,
    setting: &str,
    plan: &Plan,
) -> Result<Vec<Option<Cell>>, StatisticsError> {
    let standard = "standard";
    let mut cells: Vec<Option<Cell>> = vec![None; board.results.len()];
    let mut field = Field {
        setting: Some(setting.to_owned()),
        group: Some(view.group.to_owned()),
        measure: board.dataset.measure.clone(),
        ..Field::default()
    };
    let mut rows = Vec::new();
    for (at, result) in board.results.iter().enumerate() {
        let Some(values) = view
            .values(result, setting)
            .filter(|values| !values.is_empty())
        else {
            continue;
        };
        let written = (setting != standard)
            .then(|| view.values(result, standard))
            .flatten();
        let drop = written
            .filter(|written| written.keys().eq(values.keys()))
            .map(|written| {
                let written: Vec<f64> = written.into_values().collect();
                let here: Vec<f64> = values.values().copied().collect();
                compare(&written, &here, plan).map(|paired| paired.difference)
            });
        let values_only: Vec<f64> = values.values().copied().collect();
        let queries = values_only.len();
        cells[at] = Some(Cell {
            queries,
            too_few: queries < FEWEST_QUERIES,
            score: plan.bootstrap.mean(&values_only, plan.method)?,
            ranks: (queries >= FEWEST_QUERIES).then_some((1, 1)),
            letters: String::new(),
            drop: drop.transpose()?,
        });
        field.queries = values.into_keys().collect();
        field.names.push(result.system.clone());
        field.values.push(values_only);
        rows.push(at);
    }
    if rows.len() > 1 && field.queries.len() >= FEWEST_QUERIES {
        let compared = Compared::of(field, Judge::Holm, plan)?;
        for (system, at) in rows.into_iter().enumerate() {
            if let Some(cell) = &mut cells[at] {
                cell.ranks = Some(compared.ranks(system));
                compared.letters(system).clone_into(&mut cell.letters);
            }
        }
    }
    Ok(cells)
}

/// The column that orders the rows: the strongest renaming, or else the first.
fn leading(table: &Table) -> usize {
    let at = |name: &str| table.settings.iter().position(|setting| setting == name);
    at("randomized")
        .or_else(|| at("neutralized"))
        .unwrap_or_default()
}

/// A line about a system for badge services: its score under the leading setting.
fn badge(board: &Board, table: &Table, at: usize) -> Option<String> {
    let column = leading(table);
    let cell = table.cells[at][column].as_ref()?;
    let (low, high) = cell.ranks?;
    let of = table
        .cells
        .iter()
        .filter(|row| row[column].is_some())
        .count();
    let rank = if of == 1 {
        String::new()
    } else if low == high {
        format!("rank {low}")
    } else {
        format!("rank {low} to {high}")
    };
    let setting = &table.settings[column];
    let mut message = format!(
        "{} {}",
        board.dataset.measure,
        crate::interval(&cell.score, 3)
    );
    if !setting.is_empty() {
        let _ = write!(message, " {setting}");
    }
    if !rank.is_empty() {
        let _ = write!(message, ", {rank} of {of}");
    }
    let color = if low == 1 && of > 1 {
        "blue"
    } else {
        "lightgrey"
    };
    let badge = json!({
        "schemaVersion": 1,
        "label": board.dataset.name,
        "message": message,
        "color": color,
    });
    Some(format!("{badge:#}\n"))
}
