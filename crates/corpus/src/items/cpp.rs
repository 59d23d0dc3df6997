//! A declaration of C++ → an item.
//!
//! Namespaces do not matter here: the preprocessor hides their braces. Three things differ from C. A class holds
//! functions with bodies, each with mentions of its own, because the class may be emitted without their bodies. A
//! name can be qualified, which excludes owners: names that begin with `std::` are left alone. And operators are
//! functions, so the use of one is a mention.

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_records::{FunctionKind, Language};
use tree_sitter::Node;

use super::code::{Code, Fragment};
use super::item::{Declared, Inner, Item, ItemKind, NameKind, note_words};
use super::spelling::{declarators_of, qualified, simple_name, text_of};
use super::tags::{declare_tags, defined_type};
use crate::names::Mentions;
use crate::syntax::{declarators, declared_name, declares_function, is_tagged_type};

mod mentions;
pub(super) mod objects;
pub(super) mod overloads;

use mentions::{Collect, Locals};
use objects::{Typed, Uses};
use overloads::Parameters;

/// The maximum depth at which declarations are followed.
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
    let fragments = code.fragments(&node.byte_range(), Language::CPP);
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

/// The declaration inside a template declaration.
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

/// The bytes of a function's body, including the initializers of members.
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

/// A function's name, split into its parts.
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

/// Returns `true` if a function must keep its body to be of use: `constexpr`, or with a return type deduced from the
/// body.
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
    declarators_of(function).any(|declarator| has_child(declarator, "trailing_return_type"))
}

fn has_child(node: Node, kind: &str) -> bool {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.any(|child| child.kind() == kind)
}

/// Adds the type of a variable, of a function's result, or of another name for a type.
fn note_type(item: &mut Item, kind: NameKind, name: &str, typed: Option<Typed>) {
    let list = match kind {
        NameKind::Typedef => &mut item.aliases,
        NameKind::Function => &mut item.returns,
        _ => &mut item.typed,
    };
    list.extend(typed.map(|typed| (name.into(), typed)));
}

/// Adds the other name that a `using` declares.
fn alias(item: &mut Item, declaration: Node, name: Node, text: &str) {
    let named = declaration.child_by_field_name("type");
    let typed = named.and_then(|it| Typed::of(it, it.child_by_field_name("declarator"), text));
    note_type(item, NameKind::Typedef, text_of(name, text), typed);
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
            let typed = Typed::of(node, declarators(node).first().copied(), text);
            note_type(item, NameKind::Function, &name.name, typed);
            item.signatures
                .push((name.name.clone(), signature_types(node, text)));
            let parameters = Parameters::of(node, text);
            item.overloads.push((name.name.clone(), parameters));
            push(item, NameKind::Function, name.name);
            return;
        }
        "alias_declaration" | "concept_definition" | "namespace_alias_definition" => {
            if let Some(name) = node.child_by_field_name("name") {
                push(item, NameKind::Typedef, text_of(name, text).into());
                alias(item, node, name, text);
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
                    let is_standard = qualifiers.first().is_some_and(|first| &**first == "std");
                    let kind = if is_standard {
                        NameKind::Standard
                    } else {
                        NameKind::Typedef
                    };
                    push(item, kind, simple_name(last, text));
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
                // `int A::count = 0;` defines a name that its class declares.
                item.qualifiers = qualifiers;
                continue;
            }
            let name_kind = match kind {
                ItemKind::Typedef => NameKind::Typedef,
                _ if declares_function(declarator) => NameKind::Function,
                _ => NameKind::Variable,
            };
            let typed = Typed::of(node, Some(declarator), text);
            note_type(item, name_kind, &simple_name(last, text), typed);
            if name_kind == NameKind::Function {
                let types = signature_types(node, text);
                item.signatures.push((simple_name(last, text), types));
                let parameters = Parameters::of(node, text);
                item.overloads.push((simple_name(last, text), parameters));
            }
            push(item, name_kind, simple_name(last, text));
        }
    }
    let passed_over = [
        "compound_statement",
        "initializer_list",
        "function_definition",
        "friend_declaration",
    ];
    declare_tags(node, 0, text, &passed_over, item);
    if let Some((specifier, body)) = defined_type(node) {
        item.bases.extend(bases_of(specifier, text));
        let mut cursor = specifier.walk();
        let children: Vec<Node> = specifier.named_children(&mut cursor).collect();
        let start = children
            .iter()
            .find(|child| matches!(child.kind(), "virtual_specifier" | "base_class_clause"));
        let start = start.map_or(body.start_byte(), Node::start_byte);
        item.body = Some(start..body.end_byte());
        let name = specifier.child_by_field_name("name");
        item.has_head = specifier.kind() != "enum_specifier"
            && name.is_some_and(|name| {
                !matches!(name.kind(), "template_type" | "qualified_identifier")
            })
            && item.declares.iter().all(|declared| {
                matches!(
                    declared.kind,
                    NameKind::Tag | NameKind::Typedef | NameKind::Enumerator
                )
            });
        let mut class = Class {
            path: Vec::new(),
            text,
            item,
        };
        class.enter(name, body, false, 0);
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

/// A class while its body is read.
struct Class<'a> {
    /// Its name, those of the classes around it before it.
    path: Vec<Box<str>>,
    text: &'a str,
    item: &'a mut Item,
}

impl Class<'_> {
    /// Reads the body of a class in this one.
    fn enter(&mut self, name: Option<Node>, body: Node, is_template: bool, depth: usize) {
        let name = name.map_or("", |name| text_of(name, self.text));
        let name = name.split('<').next().unwrap_or_default().trim();
        self.path.push(name.into());
        self.body(body, is_template, depth);
        self.path.pop();
    }

    /// The members of the class, and the functions that are defined in it.
    fn body(&mut self, body: Node, is_template: bool, depth: usize) {
        if depth > MAX_NEST {
            return;
        }
        let mut cursor = body.walk();
        for child in body.named_children(&mut cursor) {
            self.member(child, child.byte_range(), is_template, depth);
        }
    }

    fn member(&mut self, node: Node, range: Range<usize>, is_template: bool, depth: usize) {
        match node.kind() {
            "template_declaration" => {
                if let Some(inner) = templated(node) {
                    let parameters = node.child_by_field_name("parameters");
                    let is_template =
                        is_template || parameters.is_some_and(|list| list.named_child_count() > 0);
                    self.member(inner, range, is_template, depth + 1);
                }
            }
            "friend_declaration" => {
                let mut cursor = node.walk();
                let function = node
                    .named_children(&mut cursor)
                    .find(|child| child.kind() == "function_definition");
                if let Some(function) = function {
                    self.defined(function, range, is_template, true);
                }
                let text = self.text;
                let mut cursor = node.walk();
                let declarations = node
                    .named_children(&mut cursor)
                    .filter(|child| child.kind() == "declaration");
                let functions = declarations
                    .flat_map(declarators)
                    .filter(|it| declares_function(*it));
                let names = functions.filter_map(declared_name);
                let names = names.map(|name| simple_name(qualified(name, text).1, text));
                self.item.friends.extend(names);
            }
            "function_definition" => self.defined(node, range, is_template, false),
            "ERROR" | "labeled_statement" => self.body(node, is_template, depth + 1),
            _ => {
                self.declared(node, &range);
                if let Some((specifier, body)) = defined_type(node) {
                    self.item.bases.extend(bases_of(specifier, self.text));
                    let name = specifier.child_by_field_name("name");
                    self.enter(name, body, is_template, depth + 1);
                }
            }
        }
    }

    /// Adds the names that a member declares.
    fn declared(&mut self, node: Node, range: &Range<usize>) {
        let Class { text, item, .. } = self;
        for declarator in declarators(node) {
            let Some(name) = declared_name(declarator) else {
                continue;
            };
            let name = simple_name(qualified(name, text).1, text);
            let kind = match node.kind() {
                "type_definition" => NameKind::Typedef,
                _ if declares_function(declarator) => NameKind::Function,
                _ => NameKind::Variable,
            };
            note_type(item, kind, &name, Typed::of(node, Some(declarator), text));
            if node.kind() == "type_definition" {
                let types = signature_types(node, text);
                item.member_types.push((name.clone(), types));
            } else if declares_function(declarator) {
                let types = signature_types(node, text);
                item.signatures.push((name.clone(), types));
                item.overloads
                    .push((name.clone(), Parameters::of(node, text)));
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
            alias(item, node, name, text);
        }
    }

    /// Notes a function that is defined inside of the class.
    fn defined(&mut self, function: Node, range: Range<usize>, is_template: bool, is_friend: bool) {
        let Class { path, text, item } = self;
        let class = path.last().map(|name| &**name);
        let Some(name) = function_name(function, class.filter(|_| !is_friend), text) else {
            return;
        };
        item.members.insert(name.name.clone());
        item.methods.insert(name.name.clone());
        let typed = Typed::of(function, declarators(function).first().copied(), text);
        note_type(item, NameKind::Function, &name.name, typed);
        let types = signature_types(function, text);
        item.signatures.push((name.name.clone(), types));
        let parameters = Parameters::of(function, text);
        item.overloads.push((name.name.clone(), parameters.clone()));
        let Some(body) = body_of(function) else {
            return;
        };
        let typeless = function.child_by_field_name("type").is_none()
            && matches!(name.kind, FunctionKind::Method | FunctionKind::Function);
        let classes = path
            .iter()
            .filter(|name| !is_friend && !name.is_empty())
            .cloned();
        item.inner.push(Inner {
            name: name.name,
            kind: name.kind,
            class_path: classes.collect(),
            range,
            body,
            is_template,
            // A friend that is a template and has default arguments must be a definition.
            needs_body: needs_body(function, text) || (is_friend && is_template),
            typeless,
            has_error: function.has_error(),
            head: Mentions::default(),
            inside: Mentions::default(),
            parameters,
            same_name: Vec::new(),
            uses: Uses::default(),
        });
    }
}

/// The classes that a class is derived from.
fn bases_of(specifier: Node, text: &str) -> Vec<Box<str>> {
    let mut cursor = specifier.walk();
    let clause = specifier
        .named_children(&mut cursor)
        .find(|child| child.kind() == "base_class_clause");
    let Some(clause) = clause else {
        return Vec::new();
    };
    let mut cursor = clause.walk();
    let bases = clause.named_children(&mut cursor).filter(|child| {
        matches!(
            child.kind(),
            "type_identifier" | "template_type" | "qualified_identifier"
        )
    });
    bases
        .map(|base| simple_name(qualified(base, text).1, text))
        .collect()
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
                    // Only the arguments of the standard's templates.
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

/// Returns `true` if a declaration declares a pointer.
fn has_pointer(declaration: Node) -> bool {
    let pointers = ["pointer_declarator", "abstract_pointer_declarator"];
    let declarators = declarators(declaration);
    !declarators.is_empty()
        && declarators
            .iter()
            .all(|declarator| pointers.contains(&declarator.kind()))
}

/// Returns `true` if `const` follows a function's parameters.
fn is_const(function: Node) -> bool {
    let mut declarators = declarators_of(function);
    declarators
        .find(|declarator| declarator.kind() == "function_declarator")
        .is_some_and(|declarator| has_child(declarator, "type_qualifier"))
}
