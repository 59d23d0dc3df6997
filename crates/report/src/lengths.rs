//! The lengths of programs and their variants, and the number of transforms applied to them, on the terminal.

use barecode_dataset::{Lengths, Spread};
use barecode_runs::console::{Screen, grouped};

use super::grid;

/// The tables on the terminal: lengths, and the number of programs that have a variant with at least a given number
/// of transforms.
pub fn terminal(rows: &[Lengths], tokenizer: &str, screen: Screen) -> String {
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
        text.push_str("\n\nprograms with a variant that at least n different transforms changed, of those with any variant of the pipeline\n");
        text.push_str(&grid::table(1, &heads, lines, screen));
    }
    text
}
