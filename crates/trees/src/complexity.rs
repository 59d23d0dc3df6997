//! Tree → how branched it is.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use barecode_languages::of;
use barecode_records::Language;

use crate::parsed::Parsed;

/// Nodes that decide, as grammars call them: conditions, loops, cases, handlers.
static DECISIONS: LazyLock<BTreeSet<&str>> =
    LazyLock::new(|| include_str!("decisions.txt").lines().collect());

/// The cyclomatic complexity of a text (`McCabe` 1976): 1, and 1 for each decision: a condition, a loop, a case, a
/// handler, and each operator that may leave its right side out. `None` if the language is read in another way.
pub fn complexity(text: &str, language: Language) -> Option<u32> {
    let prefix = of(language)?.tree()?.prefix;
    let whole = format!("{prefix}{text}");
    let parsed = Parsed::of(&whole, language)?;
    let mut decisions = 1_u32;
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        let decides = if node.is_named() {
            DECISIONS.contains(node.kind()) && node.child_count() > 0
        } else {
            matches!(node.kind(), "&&" | "||" | "and" | "or" | "??")
        };
        decisions += u32::from(decides);
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Some(decisions);
            }
        }
    }
}
