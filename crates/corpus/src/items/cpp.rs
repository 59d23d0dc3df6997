//! A declaration of C++ → an item.
//!
//! Namespaces are no concern here: the preprocessor hides their braces. Three things differ from C. A class
//! holds functions with bodies, and each keeps its mentions to itself, because the class may stand without
//! their bodies. A name can be qualified, which tells where it does not belong: what begins with `std::` is
//! left alone. And operators are functions, so the use of one is a mention.

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_records::{Language, c::FunctionKind};
use tree_sitter::Node;

use super::code::{Code, Fragment};
use super::{Declared, Inner, Item, ItemKind, Mentions, NameKind, note, note_words, text_of};
use crate::preprocess::lex::{TokenKind, lex};
use crate::syntax::{declarators, declared_name, declares_function, is_tagged_type};

/// How deep declarations are followed.
const MAX_NEST: usize = 100;

/// The item that a node at file scope is; `None` for comments.
pub(super) fn item_of(node: Node, code: &Code) -> Option<Item> {
    let text = &*code.outline;
    let mut inner = node;
    let mut is_template = false;
    let mut locals = Locals::default();
    for _ in 0..MAX_NEST {
        match inner.kind() {
            "template_declaration" => {
                let parameters = inner.child_by_field_name("parameters")?;
                is_template |= parameters.named_child_count() > 0;
                locals.template_parameters(parameters, text);
                inner = templated(inner)?;
            }
            "linkage_specification" => inner = inner.child_by_field_name("body")?,
            _ => break,
        }
    }
    let kind = match inner.kind() {
        "function_definition" if body_of(inner).is_some() => ItemKind::Function,
        "function_definition" | "declaration" => ItemKind::Declaration,
        "type_definition" | "alias_declaration" | "concept_definition" => ItemKind::Typedef,
        "using_declaration" | "namespace_alias_definition" => ItemKind::Using,
        "comment" => return None,
        _ if is_tagged_type(inner) => ItemKind::Tag,
        _ => ItemKind::Other,
    };
    let mut item = Item::new(kind, node.byte_range(), node.has_error());
    item.is_template = is_template;
    declare(inner, kind, text, &mut item);
    let fragments = code.fragments(&node.byte_range(), Language::Cpp);
    let of = |range: &Range<usize>| -> Vec<&Fragment> {
        let inside = |fragment: &&Fragment| range.contains(&fragment.start);
        fragments.iter().filter(inside).collect()
    };
    if kind == ItemKind::Function {
        locals.collect(inner, text);
        for fragment in of(&node.byte_range()) {
            locals.collect(fragment.tree.root_node(), fragment.text);
        }
    }
    let mut inner_locals = Vec::new();
    for function in &mut item.inner {
        function.is_template |= is_template;
        let node = node.descendant_for_byte_range(function.range.start, function.range.end);
        let mut own = locals.clone();
        if let Some(node) = node {
            own.collect(node, text);
        }
        for fragment in of(&function.range) {
            own.collect(fragment.tree.root_node(), fragment.text);
        }
        inner_locals.push(own);
    }
    let mut collect = Collect {
        text,
        start: 0,
        locals: &locals,
        inner_locals: &inner_locals,
        item: &mut item,
    };
    collect.walk(node);
    for fragment in &fragments {
        collect.text = fragment.text;
        collect.start = fragment.start;
        collect.walk(fragment.tree.root_node());
        if fragment.tree.root_node().has_error() {
            collect.every_name();
        }
    }
    item.local = fragments.iter().flat_map(local_functions).collect();
    note_words(&mut item, node.byte_range(), code.whole);
    Some(item)
}

/// What a template declaration is about.
fn templated(template: Node) -> Option<Node> {
    let mut cursor = template.walk();
    let children: Vec<Node> = template.named_children(&mut cursor).collect();
    children.into_iter().rev().find(|child| {
        !matches!(
            child.kind(),
            "template_parameter_list" | "requires_clause" | "comment"
        )
    })
}

/// The functions of classes that a body defines: name and bytes in the file.
fn local_functions(fragment: &Fragment) -> Vec<(Box<str>, Range<usize>)> {
    let mut functions = Vec::new();
    let has_classes = ["class", "struct", "union"]
        .iter()
        .any(|word| fragment.text.contains(word));
    if !has_classes {
        return functions;
    }
    let mut cursor = fragment.tree.walk();
    let mut stack = vec![(fragment.tree.root_node(), false)];
    while let Some((node, in_class)) = stack.pop() {
        if in_class
            && node.kind() == "function_definition"
            && body_of(node).is_some()
            && let Some(name) = function_name(node, None, fragment.text)
        {
            let range = fragment.start + node.start_byte()..fragment.start + node.end_byte();
            functions.push((name.name, range));
        }
        let in_class = match node.kind() {
            "field_declaration_list" => true,
            "compound_statement" => false,
            _ => in_class,
        };
        stack.extend(
            node.named_children(&mut cursor)
                .map(|child| (child, in_class)),
        );
    }
    functions.sort_by_key(|(_, range)| range.start);
    functions
}

/// The bytes of a function's body, what initializes its members included.
fn body_of(function: Node) -> Option<Range<usize>> {
    let mut cursor = function.walk();
    let mut start = None;
    let mut end = None;
    for child in function.named_children(&mut cursor) {
        match child.kind() {
            "field_initializer_list"
            | "compound_statement"
            | "try_statement"
            | "constructor_try_statement" => {
                start.get_or_insert(child.start_byte());
                end = Some(child.end_byte());
            }
            _ => {}
        }
    }
    Some(start?..end?)
}

/// A function's name, taken apart.
struct FunctionName {
    name: Box<str>,
    qualifiers: Vec<Box<str>>,
    kind: FunctionKind,
}

fn function_name(function: Node, class: Option<&str>, text: &str) -> Option<FunctionName> {
    let declarator = function.child_by_field_name("declarator")?;
    let (qualifiers, last) = qualified(declared_name(declarator)?, text);
    let name = simple_name(last, text);
    let around = qualifiers.last().map(|name| &**name).or(class);
    let kind = match last.kind() {
        "destructor_name" => FunctionKind::Destructor,
        "operator_name" => FunctionKind::Operator,
        "operator_cast" => FunctionKind::Conversion,
        _ if around == Some(&*name) => FunctionKind::Constructor,
        _ if around.is_some() => FunctionKind::Method,
        _ => FunctionKind::Function,
    };
    Some(FunctionName {
        name,
        qualifiers,
        kind,
    })
}

/// The qualifiers of a name, outermost first, and the node of its last part.
fn qualified<'a>(name: Node<'a>, text: &str) -> (Vec<Box<str>>, Node<'a>) {
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
fn simple_name(last: Node, text: &str) -> Box<str> {
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

/// Whether a function must keep its body to be of use: `constexpr`, or with a type that the body tells.
fn needs_body(function: Node, text: &str) -> bool {
    let mut cursor = function.walk();
    let constant = function
        .named_children(&mut cursor)
        .any(|child| matches!(text_of(child, text), "constexpr" | "consteval"));
    let deduced = function
        .child_by_field_name("type")
        .is_some_and(|kind| kind.kind() == "placeholder_type_specifier");
    constant || (deduced && !has_trailing_type(function))
}

fn has_trailing_type(function: Node) -> bool {
    let mut node = function.child_by_field_name("declarator");
    for _ in 0..MAX_NEST {
        let Some(declarator) = node else { return false };
        let mut cursor = declarator.walk();
        let mut children = declarator.named_children(&mut cursor);
        if children.any(|child| child.kind() == "trailing_return_type") {
            return true;
        }
        node = declarator.child_by_field_name("declarator");
    }
    false
}

/// Fills in the names that an item declares, and its body.
fn declare(node: Node, kind: ItemKind, text: &str, item: &mut Item) {
    let push = |item: &mut Item, kind, name: Box<str>| {
        item.declares.push(Declared { kind, name });
    };
    match node.kind() {
        "function_definition" => {
            let Some(name) = function_name(node, None, text) else {
                return;
            };
            item.body = body_of(node);
            item.has_head = !needs_body(node, text) && name.qualifiers.is_empty();
            item.function = name.kind;
            item.typeless = node.child_by_field_name("type").is_none()
                && name.qualifiers.is_empty()
                && matches!(name.kind, FunctionKind::Function);
            item.lost = name.qualifiers.is_empty() && is_const(node);
            item.qualifiers = name.qualifiers;
            item.signatures
                .push((name.name.clone(), signature_types(node, text)));
            push(item, NameKind::Function, name.name);
            return;
        }
        "alias_declaration" | "concept_definition" | "namespace_alias_definition" => {
            if let Some(name) = node.child_by_field_name("name") {
                push(item, NameKind::Typedef, text_of(name, text).into());
            }
            return;
        }
        "using_declaration" => {
            // `using namespace a;` declares no name of its own.
            let whole = text_of(node, text);
            let directive = whole.split_whitespace().nth(1) == Some("namespace");
            if let Some(name) = node.named_child(0) {
                let (qualifiers, last) = qualified(name, text);
                if directive {
                    item.directive = Some(qualifiers_and(&qualifiers, last, text));
                } else {
                    push(item, NameKind::Typedef, simple_name(last, text));
                }
            }
            return;
        }
        _ => {}
    }
    for declarator in declarators(node) {
        if let Some(name) = declared_name(declarator) {
            let (qualifiers, last) = qualified(name, text);
            if !qualifiers.is_empty() {
                // `int A::count = 0;` defines what its class declares.
                item.qualifiers = qualifiers;
                continue;
            }
            let name_kind = match kind {
                ItemKind::Typedef => NameKind::Typedef,
                _ if declares_function(declarator) => NameKind::Function,
                _ => NameKind::Variable,
            };
            if name_kind == NameKind::Function {
                let types = signature_types(node, text);
                item.signatures.push((simple_name(last, text), types));
            }
            push(item, name_kind, simple_name(last, text));
        }
    }
    declare_tags(node, 0, text, item);
    let outermost = if is_tagged_type(node) {
        Some(node)
    } else {
        node.child_by_field_name("type")
    };
    if let Some(specifier) = outermost.filter(|specifier| is_tagged_type(*specifier))
        && let Some(body) = specifier.child_by_field_name("body")
    {
        let mut cursor = specifier.walk();
        let children: Vec<Node> = specifier.named_children(&mut cursor).collect();
        let start = children
            .iter()
            .find(|child| matches!(child.kind(), "virtual_specifier" | "base_class_clause"));
        let start = start.map_or(body.start_byte(), Node::start_byte);
        item.body = Some(start..body.end_byte());
        let name = specifier.child_by_field_name("name");
        item.has_head = specifier.kind() != "enum_specifier"
            && name.is_some_and(|name| name.kind() != "template_type")
            && item.declares.iter().all(|declared| {
                matches!(
                    declared.kind,
                    NameKind::Tag | NameKind::Typedef | NameKind::Enumerator
                )
            });
        let class = name.map_or("", |name| text_of(name, text));
        let mut class_path = vec![class.split('<').next().unwrap_or_default().trim().into()];
        class_body(body, &mut class_path, false, 0, text, item);
        item.inner.sort_by_key(|inner| inner.range.start);
    }
}

fn qualifiers_and(qualifiers: &[Box<str>], last: Node, text: &str) -> Box<str> {
    let mut path = qualifiers.join("::");
    if !path.is_empty() {
        path.push_str("::");
    }
    path.push_str(text_of(last, text));
    path.into()
}

/// Tags and enumerators that a piece of a declaration introduces.
fn declare_tags(node: Node, depth: usize, text: &str, item: &mut Item) {
    if depth > MAX_NEST {
        return;
    }
    if is_tagged_type(node) {
        let complete = node.child_by_field_name("body").is_some();
        let alone = depth == 0;
        if let Some(name) = node
            .child_by_field_name("name")
            .filter(|_| complete || alone)
        {
            let name = name.child_by_field_name("name").unwrap_or(name);
            item.declares.push(Declared {
                kind: NameKind::Tag,
                name: text_of(name, text).into(),
            });
        }
    }
    if node.kind() == "enumerator"
        && let Some(name) = node.child_by_field_name("name")
    {
        item.declares.push(Declared {
            kind: NameKind::Enumerator,
            name: text_of(name, text).into(),
        });
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let passes = !matches!(
            child.kind(),
            "compound_statement"
                | "initializer_list"
                | "function_definition"
                | "friend_declaration"
        );
        if passes {
            declare_tags(child, depth + 1, text, item);
        }
    }
}

/// The members of a class, and the functions that are defined in it.
fn class_body(
    body: Node,
    class_path: &mut Vec<Box<str>>,
    is_template: bool,
    depth: usize,
    text: &str,
    item: &mut Item,
) {
    if depth > MAX_NEST {
        return;
    }
    let mut cursor = body.walk();
    for child in body.named_children(&mut cursor) {
        member(
            child,
            child.byte_range(),
            class_path,
            is_template,
            depth,
            text,
            item,
        );
    }
}

fn member(
    node: Node,
    range: Range<usize>,
    class_path: &mut Vec<Box<str>>,
    is_template: bool,
    depth: usize,
    text: &str,
    item: &mut Item,
) {
    match node.kind() {
        "template_declaration" => {
            if let Some(inner) = templated(node) {
                let parameters = node.child_by_field_name("parameters");
                let is_template =
                    is_template || parameters.is_some_and(|list| list.named_child_count() > 0);
                member(inner, range, class_path, is_template, depth + 1, text, item);
            }
        }
        "friend_declaration" => {
            let mut cursor = node.walk();
            let function = node
                .named_children(&mut cursor)
                .find(|child| child.kind() == "function_definition");
            if let Some(function) = function {
                defined(function, range, class_path, is_template, true, text, item);
            }
        }
        "function_definition" => {
            defined(node, range, class_path, is_template, false, text, item);
        }
        "ERROR" | "labeled_statement" => {
            class_body(node, class_path, is_template, depth + 1, text, item);
        }
        _ => {
            for declarator in declarators(node) {
                let Some(name) = declared_name(declarator) else {
                    continue;
                };
                let name = simple_name(qualified(name, text).1, text);
                if node.kind() == "type_definition" {
                    let types = signature_types(node, text);
                    item.member_types.push((name.clone(), types));
                } else if declares_function(declarator) {
                    let types = signature_types(node, text);
                    item.signatures.push((name.clone(), types));
                    item.methods.insert(name.clone());
                    item.declared_methods.push((name.clone(), range.start));
                }
                item.members.insert(name);
            }
            if node.kind() == "alias_declaration"
                && let Some(name) = node.child_by_field_name("name")
            {
                let types = signature_types(node, text);
                item.member_types.push((text_of(name, text).into(), types));
                item.members.insert(text_of(name, text).into());
            }
            let specifier = if is_tagged_type(node) {
                Some(node)
            } else {
                node.child_by_field_name("type")
            };
            if let Some(specifier) = specifier.filter(|specifier| is_tagged_type(*specifier))
                && let Some(body) = specifier.child_by_field_name("body")
            {
                let name = specifier.child_by_field_name("name");
                let name = name.map_or("", |name| text_of(name, text));
                class_path.push(name.split('<').next().unwrap_or_default().trim().into());
                class_body(body, class_path, is_template, depth + 1, text, item);
                class_path.pop();
            }
        }
    }
}

/// Notes a function that is defined inside of a class.
fn defined(
    function: Node,
    range: Range<usize>,
    class_path: &[Box<str>],
    is_template: bool,
    is_friend: bool,
    text: &str,
    item: &mut Item,
) {
    let class = class_path.last().map(|name| &**name);
    let Some(name) = function_name(function, class.filter(|_| !is_friend), text) else {
        return;
    };
    item.members.insert(name.name.clone());
    item.methods.insert(name.name.clone());
    let types = signature_types(function, text);
    item.signatures.push((name.name.clone(), types));
    let Some(body) = body_of(function) else {
        return;
    };
    let typeless = function.child_by_field_name("type").is_none()
        && matches!(name.kind, FunctionKind::Method | FunctionKind::Function);
    item.inner.push(Inner {
        name: name.name,
        kind: name.kind,
        class_path: if is_friend {
            Vec::new()
        } else {
            class_path
                .iter()
                .filter(|name| !name.is_empty())
                .cloned()
                .collect()
        },
        range,
        body,
        is_template,
        // A friend that is a template and has default arguments must be a definition.
        needs_body: needs_body(function, text) || (is_friend && is_template),
        typeless,
        has_error: function.has_error(),
        head: Mentions::default(),
        inside: Mentions::default(),
    });
}

/// The types that a declaration is made of, those behind pointers and those in bodies left out.
fn signature_types(declaration: Node, text: &str) -> BTreeSet<Box<str>> {
    let mut types = BTreeSet::new();
    let mut cursor = declaration.walk();
    let mut stack = vec![declaration];
    while let Some(node) = stack.pop() {
        match node.kind() {
            "type_identifier" => {
                types.insert(text_of(node, text).into());
            }
            "compound_statement" | "field_declaration_list" | "field_initializer_list" => continue,
            "qualified_identifier" => {
                let (qualifiers, _) = qualified(node, text);
                if qualifiers.first().is_some_and(|first| &**first == "std") {
                    // Only what the standard's templates are given.
                    stack.extend(node.named_children(&mut cursor).filter(|child| {
                        matches!(child.kind(), "qualified_identifier" | "template_type")
                    }));
                    continue;
                }
            }
            _ => {}
        }
        let pointer = node.kind() != "function_definition" && has_pointer(node);
        let is_type = |child: &Node| node.child_by_field_name("type") == Some(*child);
        let children = node.named_children(&mut cursor);
        stack.extend(children.filter(|child| !(pointer && is_type(child))));
    }
    types
}

/// Whether what a declaration declares is a pointer.
fn has_pointer(declaration: Node) -> bool {
    let pointers = ["pointer_declarator", "abstract_pointer_declarator"];
    let declarators = declarators(declaration);
    !declarators.is_empty()
        && declarators
            .iter()
            .all(|declarator| pointers.contains(&declarator.kind()))
}

/// Whether `const` stands behind a function's parameters.
fn is_const(function: Node) -> bool {
    let mut node = function.child_by_field_name("declarator");
    for _ in 0..MAX_NEST {
        let Some(declarator) = node else { return false };
        if declarator.kind() == "function_declarator" {
            let mut cursor = declarator.walk();
            return declarator
                .named_children(&mut cursor)
                .any(|child| child.kind() == "type_qualifier");
        }
        node = declarator.child_by_field_name("declarator");
    }
    false
}

/// Names that a piece of code declares for itself.
#[derive(Debug, Clone, Default)]
struct Locals {
    values: BTreeSet<Box<str>>,
    types: BTreeSet<Box<str>>,
}

impl Locals {
    fn template_parameters(&mut self, list: Node, text: &str) {
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            match parameter.kind() {
                "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration" => self.declared_by(parameter, text),
                _ => {
                    let mut stack = vec![parameter];
                    let mut first = true;
                    while let Some(node) = stack.pop() {
                        // Only the parameter's own name: a default is a use.
                        if node.kind() == "type_identifier" && first {
                            self.types.insert(text_of(node, text).into());
                            first = false;
                        }
                        let mut cursor = node.walk();
                        let mut children: Vec<Node> = node
                            .named_children(&mut cursor)
                            .filter(|child| child.kind() != "template_parameter_list")
                            .collect();
                        children.reverse();
                        stack.extend(children);
                    }
                }
            }
        }
    }

    fn declared_by(&mut self, declaration: Node, text: &str) {
        for declarator in declarators(declaration) {
            let function = declaration.kind() == "declaration" && declares_function(declarator);
            let Some(name) = declared_name(declarator) else {
                continue;
            };
            // `T x(a);` looks like a prototype and is a variable; either way the name is not the file's.
            let plain = matches!(
                name.kind(),
                "identifier" | "field_identifier" | "type_identifier"
            );
            let arguments = function && !names_types(declarator);
            if plain && (!function || arguments) {
                self.values.insert(text_of(name, text).into());
            }
        }
    }

    fn collect(&mut self, root: Node, text: &str) {
        let mut cursor = root.walk();
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "declaration"
                | "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration"
                | "for_range_loop"
                | "condition_clause" => {
                    self.declared_by(node, text);
                }
                "structured_binding_declarator" => {
                    for name in node.named_children(&mut cursor) {
                        self.values.insert(text_of(name, text).into());
                    }
                }
                "lambda_capture_initializer" => {
                    if let Some(name) = node.named_child(0) {
                        self.values.insert(text_of(name, text).into());
                    }
                }
                "type_definition" => {
                    for name in declarators(node).into_iter().filter_map(declared_name) {
                        self.types.insert(text_of(name, text).into());
                    }
                }
                "alias_declaration" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.types.insert(text_of(name, text).into());
                    }
                }
                "template_parameter_list" => self.template_parameters(node, text),
                "enumerator" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.values.insert(text_of(name, text).into());
                    }
                }
                _ if is_tagged_type(node) && node.child_by_field_name("body").is_some() => {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.types.insert(text_of(name, text).into());
                    }
                }
                _ => {}
            }
            stack.extend(node.named_children(&mut cursor));
        }
    }
}

/// Whether what looks like a function's parameters are declarations with names or built-in types.
fn names_types(declarator: Node) -> bool {
    let parameters = declarator.child_by_field_name("parameters");
    let Some(parameters) = parameters else {
        return true;
    };
    let mut cursor = parameters.walk();
    let list: Vec<Node> = parameters.named_children(&mut cursor).collect();
    list.is_empty()
        || list.iter().any(|parameter| {
            let kind = parameter.child_by_field_name("type");
            parameter.child_by_field_name("declarator").is_some()
                || kind.is_none_or(|kind| kind.kind() != "type_identifier")
        })
}

struct Collect<'a> {
    text: &'a str,
    /// Where the text stands in the file.
    start: usize,
    locals: &'a Locals,
    inner_locals: &'a [Locals],
    item: &'a mut Item,
}

/// A node on the way down, and what is around it.
#[derive(Clone, Copy)]
struct Step<'a> {
    node: Node<'a>,
    parent: Option<Node<'a>>,
    grandparent: Option<Node<'a>>,
    /// Whether types are only named here: the signature of a function without its body.
    signature: bool,
}

impl Collect<'_> {
    fn walk(&mut self, root: Node) {
        let mut cursor = root.walk();
        let mut stack = vec![Step {
            node: root,
            parent: None,
            grandparent: None,
            signature: false,
        }];
        while let Some(step) = stack.pop() {
            self.node(step);
            let node = step.node;
            let signature = match node.kind() {
                "declaration" | "field_declaration" => {
                    declarators(node).into_iter().any(declares_function)
                }
                "compound_statement" => false,
                _ => step.signature,
            };
            let children = node.named_children(&mut cursor);
            stack.extend(children.map(|child| Step {
                node: child,
                parent: Some(node),
                grandparent: step.parent,
                signature,
            }));
        }
    }

    /// Where the parser gave up: every name may be meant as a value.
    fn every_name(&mut self) {
        let tokens = lex(self.text);
        for (at, token) in tokens.iter().enumerate() {
            let before = at
                .checked_sub(1)
                .map(|before| tokens[before].text(self.text));
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let name: Box<str> = token.text(self.text).into();
            let (mentions, locals, _) = self.bucket(token.start);
            if matches!(before, Some("." | "->")) {
                mentions.fields.insert(name);
            } else if !locals.values.contains(&name) && !locals.types.contains(&name) {
                mentions.values.insert(name);
            }
        }
    }

    /// Where mentions of a byte go, the names that are local there, and whether it is code.
    fn bucket(&mut self, byte: usize) -> (&mut Mentions, &Locals, bool) {
        let byte = self.start + byte;
        let inner = self.item.inner_at(byte);
        let locals = inner.map_or(self.locals, |number| &self.inner_locals[number]);
        let code = inner.is_some() || self.item.kind == ItemKind::Function;
        (self.item.mentions_at(byte), locals, code)
    }

    fn node(&mut self, step: Step) {
        let Step { node, parent, .. } = step;
        let text = self.text;
        let byte = node.start_byte();
        let parent_kind = parent.map_or("", |parent| parent.kind());
        match node.kind() {
            "identifier" => {
                let grandparent = step.grandparent.map_or("", |node| node.kind());
                let handled = parent_kind == "qualified_identifier"
                    || (parent_kind == "template_function"
                        && grandparent == "qualified_identifier")
                    || matches!(parent_kind, "destructor_name" | "enumerator");
                if handled {
                    return;
                }
                let (mentions, locals, _) = self.bucket(byte);
                let name = text_of(node, text);
                if !locals.values.contains(name) && !locals.types.contains(name) {
                    note(&mut mentions.values, name);
                }
            }
            "field_identifier" => {
                let accessed = matches!(
                    parent_kind,
                    "field_expression" | "field_designator" | "field_initializer"
                ) || (parent_kind == "template_method");
                if accessed {
                    note(&mut self.bucket(byte).0.fields, text_of(node, text));
                }
                if parent_kind == "field_initializer" || parent_kind == "template_method" {
                    // A base class is initialized as a member is.
                    note(&mut self.bucket(byte).0.values, text_of(node, text));
                }
            }
            "type_identifier" => self.type_name(step),
            "qualified_identifier" if parent_kind != "qualified_identifier" => {
                self.qualified_name(step);
            }
            "namespace_identifier" if parent_kind == "nested_namespace_specifier" => {
                self.bucket(byte).0.types.insert(text_of(node, text).into());
            }
            "binary_expression"
            | "unary_expression"
            | "update_expression"
            | "assignment_expression" => {
                if let Some(operator) = node.child_by_field_name("operator") {
                    let name = format!("operator{}", text_of(operator, text));
                    self.bucket(byte).0.operators.insert(name.into());
                }
            }
            "subscript_expression" => {
                self.bucket(byte).0.operators.insert("operator[]".into());
            }
            "literal_suffix" => {
                let name = format!("operator\"\"{}", text_of(node, text));
                self.bucket(byte).0.values.insert(name.into());
            }
            "for_range_loop" => {
                let mentions = self.bucket(byte).0;
                mentions
                    .values
                    .extend([Box::from("begin"), Box::from("end")]);
            }
            _ => {}
        }
    }

    fn type_name(&mut self, step: Step) {
        let Step { node, parent, .. } = step;
        let Some(parent) = parent else { return };
        let is_name = parent.child_by_field_name("name") == Some(node);
        let grandparent = step.grandparent.map_or("", |node| node.kind());
        let declared_here = (is_name
            && ((is_tagged_type(parent) && parent.child_by_field_name("body").is_some())
                || parent.kind() == "alias_declaration"))
            || matches!(
                parent.kind(),
                "type_parameter_declaration" | "optional_type_parameter_declaration" if is_name || parent.kind() == "type_parameter_declaration"
            )
            || (parent.kind() == "type_definition"
                && parent.child_by_field_name("declarator") == Some(node));
        let handled = parent.kind() == "qualified_identifier"
            || (parent.kind() == "template_type"
                && grandparent == "qualified_identifier"
                && is_name);
        if declared_here || handled {
            return;
        }
        let text = self.text;
        let name = text_of(node, text);
        let pointed = step.signature || is_pointed(parent) || parent.kind() == "friend_declaration";
        let declares = self.item.kind == ItemKind::Tag
            && is_tagged_type(parent)
            && is_name
            && self.item.inner_at(self.start + node.start_byte()).is_none();
        if declares {
            return;
        }
        let (mentions, locals, code) = self.bucket(node.start_byte());
        if locals.types.contains(name) {
            return;
        }
        if pointed && !code {
            note(&mut mentions.pointed_types, name);
        } else {
            note(&mut mentions.types, name);
        }
    }

    fn qualified_name(&mut self, step: Step) {
        let (qualifiers, last) = qualified(step.node, self.text);
        if qualifiers.first().is_some_and(|first| &**first == "std") {
            return;
        }
        let name = simple_name(last, self.text);
        let own_name = self.item.kind == ItemKind::Function
            && self
                .item
                .declares
                .first()
                .is_some_and(|declared| declared.name == name)
            && self.item.qualifiers == qualifiers;
        let signature = step.signature || step.parent.is_some_and(is_pointed);
        let (mentions, locals, code) = self.bucket(step.node.start_byte());
        for qualifier in &qualifiers {
            if !locals.types.contains(qualifier) {
                mentions.tags.insert(qualifier.clone());
            }
        }
        if own_name {
            return;
        }
        // A name that follows a class is its member; one that follows a namespace is looked up like any other.
        match last.kind() {
            "identifier" | "template_function" | "operator_name" => {
                mentions.qualified.insert(name.clone());
                mentions.values.insert(name);
            }
            "type_identifier" | "template_type" if signature && !code => {
                mentions.pointed_types.insert(name);
            }
            "type_identifier" | "template_type" => {
                mentions.types.insert(name);
            }
            _ => {}
        }
    }
}

/// Whether a declaration uses its type behind a pointer or reference in every declarator, or only renames it.
fn is_pointed(declaration: Node) -> bool {
    if matches!(declaration.kind(), "type_definition") {
        return true;
    }
    let declarators = declarators(declaration);
    !declarators.is_empty()
        && declarators.iter().all(|declarator| {
            let mut node = *declarator;
            for _ in 0..MAX_NEST {
                if matches!(
                    node.kind(),
                    "pointer_declarator"
                        | "abstract_pointer_declarator"
                        | "reference_declarator"
                        | "abstract_reference_declarator"
                ) {
                    return true;
                }
                match node.child_by_field_name("declarator") {
                    Some(inner) => node = inner,
                    None => return false,
                }
            }
            false
        })
}
