//! Writes pages of made-up queries, to measure them: `browse FOLDER QUERIES SETTINGS SYSTEMS DOCUMENTS`.

#![expect(clippy::print_stdout, reason = "an example prints what it writes")]

use std::fs;
use std::path::Path;

use barecode_report::browse::{Asked, Browsed, Document, List, Other};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, numbers @ ..] = arguments.as_slice() else {
        return Err("browse FOLDER QUERIES SETTINGS SYSTEMS DOCUMENTS".into());
    };
    let numbers: Vec<usize> = numbers
        .iter()
        .map(|number| number.parse())
        .collect::<Result<_, _>>()?;
    let [queries, settings, systems, documents] = numbers[..] else {
        return Err("four numbers".into());
    };
    let index = |at: usize| u32::try_from(at).unwrap_or_default();
    let text = |seed: usize| {
        let lines = (0..seed % 40 + 5).map(|line| {
            let of = (seed * 31 + line * 7) % 997;
            format!("    value_{of} = fold(value_{of}, table[{line}] ^ {of});\n")
        });
        format!("int f_{seed}(int x) {{\n{}}}\n", lines.collect::<String>())
    };
    // Two of five systems explain their scores.
    let terms = |seed: usize| {
        let one = |at: usize| {
            (
                format!("word{}", (seed + at * 17) % 997),
                9.0 / (at + 2) as f64,
            )
        };
        (0..6).map(one).collect()
    };
    let list = |seed: usize, explains: bool| {
        let rank = (seed * 7919) % 200;
        let others = (0..5).map(|at| Other {
            document: index((seed * 13 + at * 101) % documents),
            rank: index(at + 1),
            score: 20.0 / (at + 1) as f64 + (seed % 100) as f64 / 97.0,
            relevant: false,
        });
        List {
            rank: (rank < 180).then(|| (rank + 1) as f64),
            others: others.collect(),
            terms: [seed, seed + 5].map(|seed| if explains { terms(seed) } else { Vec::new() }),
        }
    };
    let asked = |at: usize| Asked {
        id: format!("q-{at:016x}"),
        group: "all".to_owned(),
        text: format!(
            "Folds the values of table {at} into one number, in the order of the indices."
        ),
        writer: "doc_comment".to_owned(),
        leak: None,
        leaked: Vec::new(),
        answer: index(at % documents),
        lists: (0..settings * systems)
            .map(|of| Some(list(at * 61 + of, of % systems < 2)))
            .collect(),
    };
    let document = |at: usize| Document {
        id: format!("u-{at:016x}"),
        name: format!("f_{at}"),
        place: format!("path:made src/f{}.c:{at}", at % 100),
        language: "c".to_owned(),
        texts: (0..settings).map(|of| Some(text(at + of))).collect(),
    };
    let mut all = Browsed {
        name: "made".to_owned(),
        systems: (0..systems).map(|at| format!("system-{at}")).collect(),
        settings: (0..settings).map(|at| format!("setting-{at}")).collect(),
        queries: (0..queries).map(asked).collect(),
        documents: (0..documents).map(document).collect(),
        ..Browsed::default()
    };
    all.sort(&[]);
    let pages = (0..all.pages()).flat_map(|number| all.page(number));
    let mut bytes = 0;
    for (file, text) in pages.chain(all.shared()) {
        let path = Path::new(folder).join(file);
        fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        bytes += text.len();
        fs::write(path, text)?;
    }
    println!("{} pages, {bytes} bytes", all.pages());
    Ok(())
}
