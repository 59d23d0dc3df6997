//! Scores the structural retriever on the released files of CLARC, or chooses its weights there.
//!
//! ```text
//! BARECODE_DATA=… cargo run --release -p barecode-structural --example clarc -- [even|odd|all] [--tune] [--lowered] [SET …] [FILE.json …] [NAME=VALUE …]
//! ```
//!
//! Sets are `g1-std`, `g1-neu`, `g1-rand`, `g1-asm`, `g1-wasm`, and the same of group 2; a file has rows like
//! CLARC's, and rows without a query are candidates. Names are those of the weights.
//! Weights are chosen on queries of even number of group 1 only, one after the other, for the mean over the sets.

#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an experiment that prints and stops at the first fault"
)]

use std::collections::BTreeMap;
use std::path::Path;

use barecode_structural::{Field, Rendering, StructuralIndex, Weights, render};
use rayon::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    query_id: String,
    query_text: String,
    code_id: String,
    code_text: String,
}

/// A subset: rendered documents, and queries with the place of their answer.
struct Set {
    name: String,
    renderings: Vec<Rendering>,
    queries: Vec<(String, usize)>,
}

const SETS: [(&str, &str); 10] = [
    ("g1-std", "group1_original_cleaned"),
    ("g1-neu", "group1_usual_renamed_cleaned"),
    ("g1-rand", "group1_hash_renamed_cleaned"),
    ("g1-asm", "group1_asm_short_cleaned"),
    ("g1-wasm", "group1_wasm_cleaned"),
    ("g2-std", "group2_original_sample"),
    ("g2-neu", "group2_usual_renamed_sample"),
    ("g2-rand", "group2_hash_renamed_sample"),
    ("g2-asm", "group2_asm_short_sample"),
    ("g2-wasm", "group2_wasm_sample"),
];

const NAMES: [&str; 22] = [
    "k1",
    "b",
    "power",
    "input",
    "output",
    "count",
    "several",
    "size",
    "other",
    "operation",
    "unasked",
    "learned",
    "hubs",
    "types",
    "operators",
    "flow",
    "results",
    "literals",
    "strings",
    "calls",
    "idioms",
    "names",
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let given = |name: &str| arguments.iter().any(|it| it == name);
    let side = ["odd", "all"]
        .into_iter()
        .find(|it| given(it))
        .unwrap_or("even");
    let mut weights = if given("--lowered") {
        Weights::lowered()
    } else {
        Weights::default()
    };
    for (name, value) in arguments.iter().filter_map(|it| it.split_once('=')) {
        *weight(&mut weights, name) = value.parse().unwrap();
    }
    let folder = std::env::var("BARECODE_DATA").unwrap();
    let folder = Path::new(&folder).join("clarc");
    let files: Vec<&String> = arguments.iter().filter(|it| is_file(it)).collect();
    let all = files.is_empty() && !SETS.iter().any(|(name, _)| given(name));
    let wanted = SETS.iter().filter(|(name, _)| all || given(name));
    let of_files = files.iter().map(|file| read(file, Path::new(file), side));
    let sets: Vec<Set> = wanted
        .map(|(name, file)| {
            read(
                name,
                &folder.join(format!("reconstructed_{file}.json")),
                side,
            )
        })
        .chain(of_files)
        .collect();
    if given("--tune") {
        tune(weights, &sets);
        return;
    }
    for set in &sets {
        println!(
            "{:8} {side} nDCG@10 {:.2} of {} queries",
            set.name,
            score(set, &weights),
            set.queries.len()
        );
    }
}

fn is_file(argument: &str) -> bool {
    Path::new(argument)
        .extension()
        .is_some_and(|it| it == "json")
}

/// Reads a file; group 2 has one answer each and no halves.
fn read(name: &str, file: &Path, side: &str) -> Set {
    let rows: Vec<Row> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let codes: BTreeMap<&str, &str> = rows
        .iter()
        .map(|row| (row.code_id.as_str(), row.code_text.as_str()))
        .collect();
    let places: BTreeMap<&str, usize> = codes.keys().copied().zip(0..).collect();
    let is_wanted = |row: &&Row| {
        if row.query_text.is_empty() {
            return false;
        }
        if is_file(name) {
            return true;
        }
        let number: usize = row.query_id.rsplit('_').next().unwrap().parse().unwrap();
        name.starts_with("g2") || side == "all" || number.is_multiple_of(2) == (side == "even")
    };
    Set {
        name: name.to_owned(),
        renderings: codes.par_iter().map(|(_, code)| render(code)).collect(),
        queries: rows
            .iter()
            .filter(is_wanted)
            .map(|row| (row.query_text.clone(), places[row.code_id.as_str()]))
            .collect(),
    }
}

/// nDCG@10 times 100; of equal scores the mean over all orders.
fn score(set: &Set, weights: &Weights) -> f64 {
    let index = StructuralIndex::new(&set.renderings, weights);
    let gains = set.queries.par_iter().map(|(query, target)| {
        let scores = index.scores(query);
        let own = scores[*target];
        let above = scores.iter().filter(|score| **score > own).count();
        let equal = scores
            .iter()
            .filter(|score| score.to_bits() == own.to_bits())
            .count();
        let places = above..(above + equal).min(10);
        places
            .map(|place| 1.0 / ((place + 2) as f64).log2())
            .sum::<f64>()
            / equal as f64
    });
    let gains: Vec<f64> = gains.collect();
    100.0 * gains.iter().sum::<f64>() / gains.len() as f64
}

fn tune(mut weights: Weights, sets: &[Set]) {
    let mean = |weights: &Weights| {
        sets.iter().map(|set| score(set, weights)).sum::<f64>() / sets.len() as f64
    };
    let mut best = mean(&weights);
    println!("start {best:.3}");
    for round in 1..=3 {
        for name in NAMES {
            let now = *weight(&mut weights, name);
            for factor in [0.6, 0.8, 1.25, 1.6] {
                let mut tried = weights.clone();
                *weight(&mut tried, name) = if name == "b" {
                    (now * factor).min(1.0)
                } else {
                    now * factor
                };
                let found = mean(&tried);
                // Less is chance.
                if found > best + 0.02 {
                    best = found;
                    println!("{round} {name} {:.3}: {best:.3}", *weight(&mut tried, name));
                    weights = tried;
                }
            }
        }
    }
    println!("{weights:?}");
}

fn weight<'a>(weights: &'a mut Weights, name: &str) -> &'a mut f64 {
    match name {
        "k1" => &mut weights.k1,
        "b" => &mut weights.b,
        "power" => &mut weights.power,
        "input" => &mut weights.input,
        "output" => &mut weights.output,
        "count" => &mut weights.count,
        "several" => &mut weights.several,
        "size" => &mut weights.size,
        "other" => &mut weights.other,
        "operation" => &mut weights.operation,
        "unasked" => &mut weights.unasked,
        "learned" => &mut weights.learned,
        "hubs" => &mut weights.hubs,
        field => &mut weights.fields[Field::ALL.iter().position(|it| it.name() == field).unwrap()],
    }
}
