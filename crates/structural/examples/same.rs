//! Where two renamings of the same functions render to different words.
#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "an experiment that stops at the first fault"
)]
use barecode_structural::{Field, render_c};
use std::collections::BTreeMap;
fn main() {
    let folder = std::path::PathBuf::from(std::env::var("BARECODE_DATA").unwrap()).join("clarc");
    let read = |file: &str| -> BTreeMap<String, String> {
        let text = std::fs::read_to_string(
            folder.join(format!("reconstructed_group1_{file}_cleaned.json")),
        )
        .unwrap();
        let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        rows.iter()
            .map(|row| {
                (
                    row["code_id"].as_str().unwrap().to_owned(),
                    row["code_text"].as_str().unwrap().to_owned(),
                )
            })
            .collect()
    };
    let (neu, rand) = (read("usual_renamed"), read("hash_renamed"));
    let mut n = 0;
    for (id, text) in &neu {
        if id.rsplit('_').next().unwrap().parse::<usize>().unwrap() % 2 == 1 {
            continue;
        }
        let words = |text: &str| {
            let rendering = render_c(text);
            let mut words: BTreeMap<String, i32> = BTreeMap::new();
            for (field, word) in rendering.words {
                if field != Field::Names {
                    *words.entry(format!("{field:?}:{word}")).or_default() += 1;
                }
            }
            for concept in rendering.concepts {
                *words.entry(format!("{concept:?}")).or_default() += 1;
            }
            words.insert(format!("{:?}", rendering.signature), 1);
            words
        };
        let (a, b) = (words(text), words(&rand[id]));
        if a != b {
            n += 1;
            let only = |a: &BTreeMap<String, i32>, b: &BTreeMap<String, i32>| {
                a.iter()
                    .filter(|(k, v)| b.get(*k) != Some(v))
                    .map(|(k, _)| k.chars().take(60).collect::<String>())
                    .take(6)
                    .collect::<Vec<_>>()
                    .join(" ")
            };
            println!("{id}: neu {} | rand {}", only(&a, &b), only(&b, &a));
        }
    }
    println!("{n}");
}
