//! The spelling of names in a tree of C or C++.

use tree_sitter::Node;

/// The maximum depth at which names are followed.
const MAX_NEST: usize = 100;

/// The text of a node.
pub(super) fn text_of<'a>(node: Node, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The qualifiers of a name, outermost first, and the node of its last part.
pub(super) fn qualified<'a>(name: Node<'a>, text: &str) -> (Vec<Box<str>>, Node<'a>) {
    let mut qualifiers = Vec::new();
    let mut node = name;
    for _ in 0..MAX_NEST {
        if node.kind() != "qualified_identifier" {
            break;
        }
        if let Some(scope) = node.child_by_field_name("scope") {
            let scope = scope.child_by_field_name("name").unwrap_or(scope);
            qualifiers.push(text_of(scope, text).into());
        }
        match node.child_by_field_name("name") {
            Some(inner) => node = inner,
            None => break,
        }
    }
    (qualifiers, node)
}

/// `f`, `~Node`, `operator==`, `operator bool`.
pub(super) fn simple_name(last: Node, text: &str) -> Box<str> {
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    match last.kind() {
        "template_function" | "template_method" | "template_type" => {
            let name = last.child_by_field_name("name").unwrap_or(last);
            text_of(name, text).into()
        }
        "destructor_name" => text_of(last, text)
            .split_whitespace()
            .collect::<String>()
            .into(),
        "operator_name" => {
            let symbol = text_of(last, text).trim_start_matches("operator").trim();
            if symbol.starts_with(|c: char| c.is_alphabetic()) {
                format!("operator {}", squeezed(symbol)).into()
            } else {
                let symbol: String = symbol.split_whitespace().collect();
                format!("operator{symbol}").into()
            }
        }
        "operator_cast" => {
            let shown = text_of(last, text);
            squeezed(shown.split('(').next().unwrap_or(shown)).into()
        }
        _ => text_of(last, text).into(),
    }
}

/// The declarators of a function, from the outermost in.
pub(super) fn declarators_of(function: Node) -> impl Iterator<Item = Node> {
    let outermost = function.child_by_field_name("declarator");
    outermost.into_iter().flat_map(nested_declarators)
}

/// A declarator and those inside of it, from the outermost in.
pub(super) fn nested_declarators(declarator: Node) -> impl Iterator<Item = Node> {
    fn inner<'t>(node: &Node<'t>) -> Option<Node<'t>> {
        // A reference has no field for its target.
        node.child_by_field_name("declarator").or_else(|| {
            let refers = node.kind() == "reference_declarator";
            node.named_child(0).filter(|_| refers)
        })
    }
    std::iter::successors(Some(declarator), inner).take(200)
}
