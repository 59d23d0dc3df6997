//! What models would read and cost, as a table or for machines.

use barecode_models::Estimate;
use serde_json::{Value, json};

use super::statistics;
use crate::console::{Console, grouped};

/// Prints estimates by name; `what` says what has the name.
pub(crate) fn tell(
    console: Console,
    is_json: bool,
    what: &'static str,
    told: &[(String, Estimate)],
) -> anyhow::Result<()> {
    if is_json {
        let rows: Vec<Value> = told
            .iter()
            .map(|(name, sum)| {
                json!({
                    what: name,
                    "texts": sum.texts,
                    "new_texts": sum.new_texts,
                    "tokens": sum.tokens,
                    "tokens_are_exact": sum.tokens_are_exact,
                    "dollars": sum.dollars,
                })
            })
            .collect();
        return Ok(console.json(&json!(rows))?);
    }
    let rows: Vec<(usize, Vec<String>)> = told
        .iter()
        .map(|(name, sum)| {
            let dollars = sum.dollars.map(|dollars| format!("{dollars:.4}"));
            let cells = vec![
                name.clone(),
                grouped(sum.texts as u64),
                grouped(sum.new_texts as u64),
                if sum.tokens_are_exact {
                    grouped(sum.tokens)
                } else {
                    format!("about {}", grouped(sum.tokens))
                },
                dollars.unwrap_or_else(|| "unknown".to_owned()),
            ];
            (1, cells)
        })
        .collect();
    let heads = [what, "texts", "new texts", "tokens", "dollars"];
    let (width, color) = (console.width(), console.colors_data());
    console.data(&statistics::table(&heads, &rows, width, color))?;
    Ok(())
}
