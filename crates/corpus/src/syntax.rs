//! The grammars: the only file that knows the parsers, and the shapes of their declarators.
//!
//! A declarator is a nest: `*(*f)(int)` has the name `f` in its middle. These functions follow the nest inward,
//! to a limited depth.

use std::cell::RefCell;

use barecode_records::Language;
use tree_sitter::{Node, Parser, Point, Range, Tree};

/// The maximum depth of a declarator.
const MAX_NEST: usize = 200;

/// Shorter blanks than this are left to the parser.
const LONG_BLANK: usize = 128;

/// The maximum number of stretches of text: the parser looks for each token's stretch from the first on.
const MAX_RANGES: usize = 500;

/// Parses a text; the tree may hold errors. `None` only where the language has no grammar.
///
/// # Panics
/// Never while the grammars fit the library, which every test would show.
pub fn parse(text: &str, language: Language) -> Option<Tree> {
    with_parser(language, |parser| {
        let tree = parser.parse(text, None);
        parser.reset();
        tree
    })
}

fn with_parser(language: Language, work: impl FnOnce(&mut Parser) -> Option<Tree>) -> Option<Tree> {
    thread_local! {
        // Most texts are bodies of functions, shorter than what a new parser allocates.
        static PARSERS: RefCell<Vec<(Language, Parser)>> = const { RefCell::new(Vec::new()) };
    }
    PARSERS.with_borrow_mut(|parsers| {
        let known = parsers.iter().position(|(known, _)| *known == language);
        let at = if let Some(at) = known {
            at
        } else {
            let grammar = barecode_languages::of(language)?.grammar()?;
            parsers.push((language, parser(grammar)));
            parsers.len() - 1
        };
        work(&mut parsers[at].1)
    })
}

/// [`parse`] for a text most of which is blank: the lexer jumps over long blanks instead of walking through
/// them for each token that could follow.
pub fn parse_sparse(text: &str, language: Language) -> Option<Tree> {
    let ranges = written(text);
    if ranges.len() < 2 {
        return parse(text, language);
    }
    with_parser(language, |parser| {
        parser
            .set_included_ranges(&ranges)
            .expect("they are in order");
        let tree = parser.parse(text, None);
        parser.reset();
        parser.set_included_ranges(&[]).expect("all is in order");
        tree
    })
}

/// The text between long blanks, each with the blanks behind it up to the first line break, so that two words do not
/// become one, nor two lines.
fn written(text: &str) -> Vec<Range> {
    let bytes = text.as_bytes();
    let mut ranges = Vec::new();
    let mut from = (0, Point::new(0, 0));
    let (mut at, mut row, mut line_start) = (0, 0, 0);
    while at < bytes.len() && ranges.len() < MAX_RANGES {
        if !bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let blank = at;
        let mut kept = (blank + 1, Point::new(row, blank + 1 - line_start));
        while let Some(byte) = bytes.get(at).filter(|byte| byte.is_ascii_whitespace()) {
            at += 1;
            if *byte == b'\n' {
                row += 1;
                line_start = at;
                if row == kept.1.row + 1 && kept.1.column > 0 {
                    kept = (at, Point::new(row, 0));
                }
            }
        }
        if at - blank < LONG_BLANK || at == bytes.len() {
            continue;
        }
        ranges.push(Range {
            start_byte: from.0,
            start_point: from.1,
            end_byte: kept.0,
            end_point: kept.1,
        });
        from = (at, Point::new(row, at - line_start));
    }
    // The parser's value for a missing end.
    let end = u32::MAX as usize;
    ranges.push(Range {
        start_byte: from.0,
        start_point: from.1,
        end_byte: end,
        end_point: Point::new(end, end),
    });
    ranges
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

/// The name that C declares at file scope in `number (name) (int *list);`, which reads as a call of the result of a
/// call.
pub fn name_in_parentheses(statement: Node) -> Option<Node> {
    let call = statement.named_child(0)?;
    let inner = call.child_by_field_name("function")?;
    let arguments = inner.child_by_field_name("arguments")?;
    let of_type = inner.child_by_field_name("function")?;
    let name = arguments.named_child(0)?;
    let is_one = arguments.named_child_count() == 1 && call.kind() == "call_expression";
    let is_it = statement.kind() == "expression_statement" && is_one;
    (is_it && [of_type, name].map(|it| it.kind()) == ["identifier"; 2]).then_some(name)
}

/// Returns `true` if a declarator declares a function: `*f(void)` does, `(*f)(void)` declares a pointer to one.
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

/// Returns `true` if a node is a `struct`, `class`, `union` or `enum` with or without members.
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
    fn jumping_over_blanks_changes_no_tree() {
        fn shown(tree: &Tree) -> Vec<(&str, Range, bool)> {
            let mut cursor = tree.walk();
            let mut nodes = Vec::new();
            loop {
                let node = cursor.node();
                nodes.push((node.kind(), node.range(), node.is_missing()));
                if cursor.goto_first_child() {
                    continue;
                }
                while !cursor.goto_next_sibling() {
                    if !cursor.goto_parent() {
                        return nodes;
                    }
                }
            }
        }
        for blank in [" ".repeat(300), "\n".repeat(300), "  \r\n\t".repeat(60)] {
            for text in [
                "int f(void) {~}~int a~= 1;~",
                "~struct a {~int b;~};",
                "~",
                "int f(~{~} ) \"a~b\";~template <~class T> int",
            ] {
                let text = text.replace('~', &blank);
                for language in [Language::C, Language::CPP] {
                    let [at_once, sparse] = [parse, parse_sparse]
                        .map(|parse| parse(&text, language).expect("not stopped"));
                    assert_eq!(shown(&at_once), shown(&sparse), "{text}");
                }
            }
        }
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
