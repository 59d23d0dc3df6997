//! The grammars: the only file that knows the parsers, and what its declarators look like.
//!
//! A declarator is a nest: `*(*f)(int)` has the name `f` in its middle. These functions follow the nest inward,
//! never deeper than any real declaration goes.

use std::cell::RefCell;

use barecode_records::Language;
use tree_sitter::{Node, Parser, Tree};

/// How deep a declarator may be nested.
const MAX_NEST: usize = 200;

/// Parses a text; the tree may hold errors. `None` only where the parser itself was stopped.
///
/// # Panics
/// Never while the grammars fit the library, which every test would tell.
pub fn parse(text: &str, language: Language) -> Option<Tree> {
    thread_local! {
        // Most texts are bodies of functions, shorter than what a new parser allocates.
        static C: RefCell<Parser> = RefCell::new(parser(tree_sitter_c::LANGUAGE));
        static CPP: RefCell<Parser> = RefCell::new(parser(tree_sitter_cpp::LANGUAGE));
    }
    let parser = match language {
        Language::C => &C,
        Language::Cpp => &CPP,
    };
    parser.with_borrow_mut(|parser| {
        let tree = parser.parse(text, None);
        parser.reset();
        tree
    })
}

fn parser(grammar: impl Into<tree_sitter::Language>) -> Parser {
    let mut parser = Parser::new();
    parser
        .set_language(&grammar.into())
        .expect("the grammar fits the library");
    parser
}

/// The declarators of a declaration, a parameter, a member, or a function definition.
pub fn declarators(declaration: Node) -> Vec<Node> {
    let mut cursor = declaration.walk();
    declaration
        .children_by_field_name("declarator", &mut cursor)
        .collect()
}

/// The name that a declarator declares; `None` for one without a name.
pub fn declared_name(declarator: Node) -> Option<Node> {
    let mut node = declarator;
    for _ in 0..MAX_NEST {
        if is_name(node) {
            return Some(node);
        }
        node = inner(node)?;
    }
    None
}

/// Whether a declarator declares a function: `*f(void)` does, `(*f)(void)` declares a pointer to one.
pub fn declares_function(declarator: Node) -> bool {
    let mut node = declarator;
    let mut function = false;
    for _ in 0..MAX_NEST {
        match node.kind() {
            "function_declarator" => function = true,
            "pointer_declarator" | "array_declarator" => function = false,
            _ => {}
        }
        match inner(node) {
            Some(inner) => node = inner,
            None => break,
        }
    }
    function
}

/// Whether a node is a `struct`, `class`, `union` or `enum` with or without members.
pub fn is_tagged_type(node: Node) -> bool {
    matches!(
        node.kind(),
        "struct_specifier" | "class_specifier" | "union_specifier" | "enum_specifier"
    )
}

fn inner(node: Node) -> Option<Node> {
    node.child_by_field_name("declarator").or_else(|| {
        let mut cursor = node.walk();
        node.named_children(&mut cursor)
            .find(|child| child.kind().ends_with("declarator") || is_name(*child))
    })
}

fn is_name(node: Node) -> bool {
    matches!(
        node.kind(),
        "identifier"
            | "type_identifier"
            | "field_identifier"
            | "primitive_type"
            | "qualified_identifier"
            | "destructor_name"
            | "operator_name"
            | "operator_cast"
            | "template_function"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(text: &str) -> Vec<(String, bool)> {
        let tree = parse(text, Language::C).expect("nothing stops the parser");
        let declaration = tree.root_node().named_child(0).expect("one declaration");
        let declared = |declarator| {
            let name = declared_name(declarator)?;
            let name = text.get(name.byte_range())?.to_owned();
            Some((name, declares_function(declarator)))
        };
        declarators(declaration)
            .into_iter()
            .filter_map(declared)
            .collect()
    }

    #[test]
    fn names_are_found_in_the_middle_of_declarators() {
        let text = "int *f(void), (*g)(int), h[3], *(*k(int))[2], n = 1;";
        let declared = declared(text);
        let declared: Vec<_> = declared.iter().map(|(name, f)| (&**name, *f)).collect();
        assert_eq!(
            declared,
            [
                ("f", true),
                ("g", false),
                ("h", false),
                ("k", true),
                ("n", false)
            ]
        );
    }
}
