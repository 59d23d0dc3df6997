//! Declarations of C, read from a parse tree.

use std::collections::BTreeMap;

use barecode_records::{Language, Role};
use tree_sitter::Node;

use super::declared::{Declared, Space};
use crate::syntax::{declarators, declared_name, declares_function, name_in_parentheses, parse};

/// Reads the declarations of a text. Returns `true` if it could.
pub(super) fn read(declared: &mut Declared, text: &str, places: &Places) -> bool {
    let Some(tree) = parse(text, Language::C) else {
        return false;
    };
    // Alone, a replacement is rarely a whole construct; the guesses of the parser then prove nothing.
    if !matches!(places, Places::Own) && tree.root_node().has_error() {
        return false;
    }
    let mut stack = vec![tree.root_node()];
    while let Some(node) = stack.pop() {
        read_node(declared, node, text, places);
        let mut cursor = node.walk();
        stack.extend(node.named_children(&mut cursor));
    }
    true
}

fn read_node(declared: &mut Declared, node: Node, text: &str, places: &Places) {
    let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default().to_owned();
    match node.kind() {
        "function_definition" => {
            let name = node
                .child_by_field_name("declarator")
                .and_then(declared_name);
            if let Some(name) = name.filter(|name| places.of(name.start_byte()).is_known()) {
                declared.insert(Space::Ordinary, &shown(name), Role::Function);
            }
        }
        "declaration" | "parameter_declaration" => {
            for declarator in declarators(node) {
                if let Some(name) = declared_name(declarator) {
                    let function = node.kind() == "declaration" && declares_function(declarator);
                    let role = match node.kind() {
                        _ if function => Role::Function,
                        "parameter_declaration" => Role::Parameter,
                        _ => Role::Variable,
                    };
                    declared.insert(Space::Ordinary, &shown(name), role);
                }
            }
        }
        "expression_statement"
            if (node.parent()).is_some_and(|it| it.kind() == "translation_unit") =>
        {
            if let Some(name) = name_in_parentheses(node) {
                declared.insert(Space::Ordinary, &shown(name), Role::Function);
            }
        }
        "type_definition" => {
            for name in declarators(node).into_iter().filter_map(declared_name) {
                declared.insert(Space::Ordinary, &shown(name), Role::Typedef);
            }
        }
        "field_declaration" => {
            for name in declarators(node).into_iter().filter_map(declared_name) {
                declared.insert(Space::Member, &shown(name), Role::Field);
            }
        }
        "struct_specifier" | "union_specifier" | "enum_specifier" => {
            let role = match node.kind() {
                "struct_specifier" => Role::Struct,
                "union_specifier" => Role::Union,
                _ => Role::Enum,
            };
            if let Some(name) = node.child_by_field_name("name") {
                // A tag is declared where it is first mentioned, unless the standard library has it.
                let declares = node.child_by_field_name("body").is_some() || stands_alone(node);
                if declares && places.of(name.start_byte()).is_known() {
                    declared.insert(Space::Tag, &shown(name), role);
                }
            }
        }
        "enumerator" => {
            if let Some(name) = node.child_by_field_name("name") {
                declared.insert(Space::Ordinary, &shown(name), Role::Enumerator);
            }
        }
        "labeled_statement" => {
            if let Some(label) = node.child_by_field_name("label") {
                declared.insert(Space::Label, &shown(label), Role::Label);
            }
        }
        // K&R parameters are bare identifiers between the parentheses.
        "parameter_list" | "identifier_list" => {
            let mut cursor = node.walk();
            for child in node
                .named_children(&mut cursor)
                .filter(|child| child.kind() == "identifier")
            {
                declared.insert(Space::Ordinary, &shown(child), Role::Parameter);
            }
        }
        _ => {}
    }
    let space = match node.kind() {
        "identifier" => Space::Ordinary,
        "field_identifier" => Space::Member,
        "statement_identifier" => Space::Label,
        "type_identifier" => {
            let tag = node.parent().is_some_and(|parent| {
                matches!(
                    parent.kind(),
                    "struct_specifier" | "union_specifier" | "enum_specifier"
                )
            });
            if tag { Space::Tag } else { Space::Ordinary }
        }
        _ => return,
    };
    if let Place::At(byte) = places.of(node.start_byte()) {
        declared.spaces.insert(byte, space);
    }
}

/// The positions in the file of a parsed text.
pub(super) enum Places {
    /// They are the same as in the text.
    Own,
    /// Those of these tokens have a position in the file; the others were added for the parser.
    Mapped(BTreeMap<usize, usize>),
    /// They have no position in the file.
    None,
}

/// The position in the file of a byte of a parsed text.
enum Place {
    At(usize),
    Nowhere,
    /// It was added for the parser.
    Added,
}

impl Places {
    fn of(&self, byte: usize) -> Place {
        match self {
            Places::Own => Place::At(byte),
            Places::Mapped(places) => places
                .get(&byte)
                .map_or(Place::Added, |&byte| Place::At(byte)),
            Places::None => Place::Nowhere,
        }
    }
}

impl Place {
    fn is_known(&self) -> bool {
        !matches!(self, Place::Added)
    }
}

/// Returns `true` if a type specifier without a body is a declaration by itself: `struct later;`.
fn stands_alone(node: Node) -> bool {
    // `typedef struct x x;` is how most projects declare a type that is defined elsewhere.
    let declaring = ["translation_unit", "compound_statement", "type_definition"];
    node.parent()
        .is_some_and(|parent| declaring.contains(&parent.kind()))
}
