//! The estimated input and cost of models, as a table or for machines.

use barecode_models::Estimate;
use serde_json::{Value, json};

use super::grid;
use barecode_runs::console::{Screen, grouped};

/// Estimates by name, for a machine; `what` is the kind of the named thing.
pub fn json(what: &'static str, estimates: &[(String, Estimate)]) -> Value {
    let row = |(name, sum): &(String, Estimate)| {
        json!({
            what: name,
            "texts": sum.texts,
            "new_texts": sum.new_texts,
            "tokens": sum.tokens,
            "tokens_are_exact": sum.tokens_are_exact,
            "dollars": sum.dollars,
        })
    };
    json!({ "estimates": estimates.iter().map(row).collect::<Value>() })
}

/// The table of them.
pub fn terminal(what: &'static str, estimates: &[(String, Estimate)], screen: Screen) -> String {
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
    grid::table(1, &heads, rows, screen)
}
