//! Types in a declaration of C or C++: the tags and enumerators that it introduces, the type that it defines, and
//! whether its type is only pointed to.

use tree_sitter::Node;

use super::item::{Declared, Item, NameKind};
use super::spelling::{nested_declarators, qualified, text_of};
use crate::syntax::{declarators, is_tagged_type};

/// Adds the tags and enumerators that a piece of a declaration introduces; `passed_over` are the kinds of nodes that
/// are not looked into.
pub(super) fn declare_tags(
    node: Node,
    depth: usize,
    text: &str,
    passed_over: &[&str],
    item: &mut Item,
) {
    if depth > 100 {
        return;
    }
    let mut declare = |kind, name: Node| {
        item.declares.push(Declared {
            kind,
            name: text_of(name, text).into(),
        });
    };
    if is_tagged_type(node) {
        let complete = node.child_by_field_name("body").is_some();
        let alone = depth == 0;
        if let Some(name) = node
            .child_by_field_name("name")
            .filter(|_| complete || alone)
        {
            // Of `A::Box<int>`, the name without its scope and its arguments.
            let (_, last) = qualified(name, text);
            declare(
                NameKind::Tag,
                last.child_by_field_name("name").unwrap_or(last),
            );
        }
    }
    if node.kind() == "enumerator"
        && let Some(name) = node.child_by_field_name("name")
    {
        declare(NameKind::Enumerator, name);
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if !passed_over.contains(&child.kind()) {
            declare_tags(child, depth + 1, text, passed_over, item);
        }
    }
}

/// The type that a declaration defines, and its body.
pub(super) fn defined_type(node: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let specifier = if is_tagged_type(node) {
        node
    } else {
        node.child_by_field_name("type")
            .filter(|specifier| is_tagged_type(*specifier))?
    };
    Some((specifier, specifier.child_by_field_name("body")?))
}

/// Returns `true` if a declaration uses its type behind a pointer or reference in every declarator.
pub(super) fn is_pointed(declaration: Node) -> bool {
    // A typedef of a type passes the question to the users of the new name, and so does a forward declaration, which
    // is all that remains of it.
    if declaration.kind() == "type_definition" {
        return true;
    }
    let points = |node: Node| {
        matches!(
            node.kind(),
            "pointer_declarator"
                | "abstract_pointer_declarator"
                | "reference_declarator"
                | "abstract_reference_declarator"
        )
    };
    let declarators = declarators(declaration);
    !declarators.is_empty()
        && declarators
            .iter()
            .all(|declarator| nested_declarators(*declarator).any(points))
}
