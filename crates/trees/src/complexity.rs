//! Tree → how branched it is.

use barecode_languages::of;
use barecode_records::Language;

use crate::parsed::Parsed;

/// Nodes that decide, as grammars call them: conditions, loops, cases, handlers.
const DECISIONS: [&str; 46] = [
    "case_statement",
    "catch",
    "catch_block",
    "catch_clause",
    "communication_case",
    "conditional",
    "conditional_expression",
    "do_statement",
    "do_while_statement",
    "else_if_clause",
    "elsif",
    "enhanced_for_statement",
    "except_clause",
    "expression_case",
    "for",
    "for_expression",
    "for_in_statement",
    "for_statement",
    "foreach_statement",
    "if",
    "if_expression",
    "if_modifier",
    "if_statement",
    "in_clause",
    "match_arm",
    "match_conditional_expression",
    "repeat_statement",
    "rescue",
    "rescue_modifier",
    "switch_block_statement_group",
    "switch_case",
    "switch_expression_arm",
    "switch_rule",
    "switch_section",
    "ternary_expression",
    "type_case",
    "unless",
    "unless_modifier",
    "until",
    "until_modifier",
    "when",
    "when_clause",
    "while",
    "while_expression",
    "while_modifier",
    "while_statement",
];

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
            DECISIONS.contains(&node.kind()) && node.child_count() > 0
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
