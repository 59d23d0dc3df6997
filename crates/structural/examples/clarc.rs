//! Scores the structural retriever on the released files of CLARC.
//!
//! ```text
//! BARECODE_DATA=… cargo run --release --example clarc -- [even|odd|all] [--explain ID] [name=value …]
//! ```

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "an experiment that stops at the first fault"
)]

use std::collections::BTreeMap;
use std::path::PathBuf;

use barecode_structural::{
    Question, Rendering, StructuralIndex, Weights, render_assembly, render_c, render_wasm,
};
use rayon::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Row {
    query_id: String,
    query_text: String,
    code_id: String,
    code_text: String,
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let side = arguments
        .iter()
        .find(|it| ["even", "odd", "all"].contains(&it.as_str()))
        .cloned()
        .unwrap_or_else(|| "even".into());
    let mut weights = Weights::default();
    for pair in &arguments {
        if let Some((name, value)) = pair.split_once('=') {
            let value: f64 = value.parse().unwrap();
            set(&mut weights, name, value);
        }
    }
    let folder = PathBuf::from(std::env::var("BARECODE_DATA").unwrap()).join("clarc");
    let only: Vec<&String> = arguments
        .iter()
        .filter(|it| it.starts_with('g') && !it.contains('='))
        .collect();
    let groups: &[(&str, &str)] = &[
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
    if arguments.iter().any(|it| it == "--tune") {
        return tune(weights, &folder, &only);
    }
    for (name, file) in groups {
        if !only.is_empty() && !only.iter().any(|it| name.starts_with(it.as_str())) {
            continue;
        }
        if name.starts_with("g2") && only.is_empty() && side == "even" {
            continue;
        }
        let text =
            std::fs::read_to_string(folder.join(format!("reconstructed_{file}.json"))).unwrap();
        let rows: Vec<Row> = serde_json::from_str(&text).unwrap();
        let mut codes: BTreeMap<&str, &str> = BTreeMap::new();
        for row in &rows {
            codes.insert(&row.code_id, &row.code_text);
        }
        let ids: Vec<&str> = codes.keys().copied().collect();
        let start = std::time::Instant::now();
        let renderings: Vec<Rendering> = codes
            .par_iter()
            .map(|(_, code)| {
                if name.ends_with("asm") {
                    render_assembly(code)
                } else if name.ends_with("wasm") {
                    render_wasm(code)
                } else {
                    render_c(code)
                }
            })
            .collect();
        let seconds = start.elapsed().as_secs_f64();
        let index = StructuralIndex::new(&renderings, &weights);
        let mut sum = 0.0;
        let mut first = 0.0;
        let mut number = 0.0;
        let mut bad = Vec::new();
        for row in &rows {
            let id: usize = row.query_id.rsplit('_').next().unwrap().parse().unwrap();
            let wanted = match side.as_str() {
                "even" => id % 2 == 0,
                "odd" => id % 2 == 1,
                _ => true,
            };
            if !wanted && name.starts_with("g1") {
                continue;
            }
            let question = Question::read(&row.query_text);
            let scores = index.scores(&row.query_text);
            let target = ids.binary_search(&row.code_id.as_str()).unwrap();
            let above = scores
                .iter()
                .filter(|it| **it > scores[target] + 1e-12)
                .count();
            let equal = scores
                .iter()
                .filter(|it| (**it - scores[target]).abs() <= 1e-12)
                .count();
            // The expectation over a random order of equal scores.
            let mut gain = 0.0;
            for place in above..(above + equal).min(10) {
                gain += 1.0 / ((place + 2) as f64).log2();
            }
            gain /= equal as f64;
            sum += gain;
            first += if above == 0 { 1.0 / equal as f64 } else { 0.0 };
            number += 1.0;
            if gain < 0.5 {
                bad.push((gain, above + 1, row));
            }
            if arguments
                .windows(2)
                .any(|pair| pair[0] == "--explain" && pair[1] == id.to_string())
            {
                println!(
                    "{}\n{:?} {:?} {:?} {:?}\n{}\n{:?}\n{:?}",
                    row.query_text,
                    question.inputs.traits().collect::<Vec<_>>(),
                    question.output.traits().collect::<Vec<_>>(),
                    question.count,
                    question.several,
                    row.code_text.chars().take(700).collect::<String>(),
                    renderings[target].concepts,
                    renderings[target]
                        .signature
                        .parameters
                        .iter()
                        .map(|it| it.traits().collect::<Vec<_>>())
                        .collect::<Vec<_>>()
                );
                if arguments.iter().any(|it| it == "--words") {
                    println!("{:?}", renderings[target].words);
                }
                let best = (0..scores.len())
                    .max_by(|a, b| scores[*a].total_cmp(&scores[*b]))
                    .unwrap();
                println!(
                    "best: {}",
                    codes[ids[best]].chars().take(500).collect::<String>()
                );
                let of_best: BTreeMap<String, f64> = index
                    .explain(&row.query_text, best)
                    .into_iter()
                    .map(|it| (it.term, it.score))
                    .collect();
                let of_target: BTreeMap<String, f64> = index
                    .explain(&row.query_text, target)
                    .into_iter()
                    .map(|it| (it.term, it.score))
                    .collect();
                for term in of_best
                    .keys()
                    .chain(of_target.keys())
                    .collect::<std::collections::BTreeSet<_>>()
                {
                    let (a, b) = (
                        of_target.get(term).copied().unwrap_or(0.0),
                        of_best.get(term).copied().unwrap_or(0.0),
                    );
                    if (a - b).abs() > 0.3 {
                        println!("{term:24} {a:7.3} {b:7.3}");
                    }
                }
            }
        }
        println!(
            "{name:8} {side} nDCG@10 {:.2} R@1 {:.2} of {number}; {:.0} functions a second",
            100.0 * sum / number,
            100.0 * first / number,
            renderings.len() as f64 / seconds
        );
        if arguments.iter().any(|it| it == "--bad") {
            bad.sort_by_key(|it| it.1);
            for (gain, place, row) in bad.iter().rev().take(200) {
                println!(
                    "{} place {place} gain {gain:.2}: {}",
                    row.query_id,
                    row.query_text.chars().take(160).collect::<String>()
                );
            }
        }
    }
}

/// Coordinate ascent over all weights on the even ids of group 1.
fn tune(mut weights: Weights, folder: &std::path::Path, only: &[&String]) {
    let names = [
        "k1",
        "b",
        "power",
        "input",
        "output",
        "count",
        "several",
        "unasked",
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
    let sets: Vec<(Vec<Rendering>, Vec<(String, usize)>)> = [
        ("rand", "hash_renamed"),
        ("std", "original"),
        ("neu", "usual_renamed"),
        ("asm", "asm_short"),
        ("wasm", "wasm"),
    ]
    .iter()
    .filter(|(name, _)| only.iter().any(|it| it.ends_with(name)))
    .map(|(name, file)| {
        let text = std::fs::read_to_string(
            folder.join(format!("reconstructed_group1_{file}_cleaned.json")),
        )
        .unwrap();
        let rows: Vec<Row> = serde_json::from_str(&text).unwrap();
        let codes: BTreeMap<&str, &str> = rows
            .iter()
            .map(|row| (row.code_id.as_str(), row.code_text.as_str()))
            .collect();
        let ids: Vec<&str> = codes.keys().copied().collect();
        let render = |code: &&str| match *name {
            "asm" => render_assembly(code),
            "wasm" => render_wasm(code),
            _ => render_c(code),
        };
        let renderings: Vec<Rendering> = codes.values().map(render).collect();
        let even = rows.iter().filter(|row| {
            row.query_id
                .rsplit('_')
                .next()
                .unwrap()
                .parse::<usize>()
                .unwrap()
                % 2
                == 0
        });
        let questions = even
            .map(|row| {
                (
                    row.query_text.clone(),
                    ids.binary_search(&row.code_id.as_str()).unwrap(),
                )
            })
            .collect();
        (renderings, questions)
    })
    .collect();
    let score = |weights: &Weights| -> f64 {
        let all: f64 = sets
            .par_iter()
            .map(|(renderings, questions)| {
                let index = StructuralIndex::new(renderings, weights);
                let gains = questions.iter().map(|(question, target)| {
                    let scores = index.scores(question);
                    let above = scores
                        .iter()
                        .filter(|it| **it > scores[*target] + 1e-12)
                        .count();
                    let equal = scores
                        .iter()
                        .filter(|it| (**it - scores[*target]).abs() <= 1e-12)
                        .count();
                    (above..(above + equal).min(10))
                        .map(|place| 1.0 / ((place + 2) as f64).log2())
                        .sum::<f64>()
                        / equal as f64
                });
                gains.sum::<f64>() / questions.len() as f64
            })
            .sum();
        100.0 * all / sets.len() as f64
    };
    let mut best = score(&weights);
    println!("start {best:.3}");
    for round in 0..3 {
        for name in names {
            let now = get(&weights, name);
            for factor in [0.6, 0.8, 1.25, 1.6] {
                let mut tried = weights.clone();
                let value = if name == "b" {
                    (now * factor).min(1.0)
                } else {
                    now * factor
                };
                set(&mut tried, name, value);
                let found = score(&tried);
                if found > best + 0.02 {
                    best = found;
                    weights = tried;
                    println!("{round} {name} {value:.3}: {best:.3}");
                }
            }
        }
    }
    println!("{weights:?}");
}

fn get(weights: &Weights, name: &str) -> f64 {
    match name {
        "k1" => weights.k1,
        "b" => weights.b,
        "power" => weights.power,
        "input" => weights.input,
        "output" => weights.output,
        "count" => weights.count,
        "several" => weights.several,
        "unasked" => weights.unasked,
        other => {
            weights.fields[barecode_structural::Field::ALL
                .iter()
                .position(|it| it.name() == other)
                .unwrap()]
        }
    }
}

fn set(weights: &mut Weights, name: &str, value: f64) {
    match name {
        "k1" => weights.k1 = value,
        "b" => weights.b = value,
        "input" => weights.input = value,
        "output" => weights.output = value,
        "count" => weights.count = value,
        "several" => weights.several = value,
        "power" => weights.power = value,
        "unasked" => weights.unasked = value,
        other => {
            let at = barecode_structural::Field::ALL
                .iter()
                .position(|it| it.name() == other)
                .unwrap();
            weights.fields[at] = value;
        }
    }
}
