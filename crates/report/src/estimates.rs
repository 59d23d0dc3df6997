//! What models would read and cost, as a table or for machines.

use barecode_models::Estimate;
use serde_json::{Value, json};

use super::grid;
use barecode_runs::console::{Console, grouped};

/// Prints estimates by name; `what` says what has the name.
pub fn print(
    console: Console,
    is_json: bool,
    what: &'static str,
    estimates: &[(String, Estimate)],
) -> anyhow::Result<()> {
    if is_json {
        let rows = estimates.iter().map(|(name, sum)| {
            json!({
                what: name,
                "texts": sum.texts,
                "new_texts": sum.new_texts,
                "tokens": sum.tokens,
                "tokens_are_exact": sum.tokens_are_exact,
                "dollars": sum.dollars,
            })
        });
        return console.json(&json!({ "estimates": rows.collect::<Value>() }));
    }
    let rows = estimates.iter().map(|(name, sum)| {
        let dollars = sum.dollars.map(|dollars| format!("{dollars:.4}"));
        let about = if sum.tokens_are_exact { "" } else { "about " };
        vec![
            name.clone(),
            grouped(sum.texts as u64),
            grouped(sum.new_texts as u64),
            format!("{about}{}", grouped(sum.tokens)),
            dollars.unwrap_or_else(|| "unknown".to_owned()),
        ]
    });
    let heads = [what, "texts", "new texts", "tokens", "dollars"];
    console.data(&grid::table(1, &heads, rows, console.screen()))
}
