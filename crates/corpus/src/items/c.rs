//! A declaration of C → an item.

use std::collections::BTreeSet;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::Language;
use tree_sitter::Node;

use super::code::Code;
use super::item::{Declared, Item, ItemKind, NameKind, note, note_words};
use super::spelling::text_of;
use super::tags::{declare_tags, defined_type, is_pointed};
use crate::syntax::{
    declarators, declared_name, declares_function, is_tagged_type, name_in_parentheses,
};

/// The item that a node at file scope is; `None` for comments.
pub(super) fn item_of(node: Node, code: &Code) -> Option<Item> {
    let text = &*code.outline;
    let kind = match node.kind() {
        "function_definition" => ItemKind::Function,
        "declaration" => ItemKind::Declaration,
        "type_definition" => ItemKind::Typedef,
        "struct_specifier" | "union_specifier" | "enum_specifier" => ItemKind::Tag,
        "comment" => return None,
        _ => ItemKind::Other,
    };
    let mut item = Item::new(kind, node.byte_range(), node.has_error());
    declare(node, kind, text, &mut item);
    let fragments = code.fragments(&node.byte_range(), Language::C);
    let mut locals = Locals::default();
    if kind == ItemKind::Function {
        locals.collect(node, text);
        for fragment in &fragments {
            locals.collect(fragment.tree.root_node(), fragment.text);
        }
    }
    let mut collect = Collect {
        text,
        start: 0,
        locals: &locals,
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
    note_words(&mut item, node.byte_range(), code.whole);
    Some(item)
}

/// Fills in the names that an item declares, and its body.
fn declare(node: Node, kind: ItemKind, text: &str, item: &mut Item) {
    item.declares
        .extend(name_in_parentheses(node).map(|name| Declared {
            kind: NameKind::Function,
            name: text_of(name, text).into(),
        }));
    for declarator in declarators(node) {
        if let Some(name) = declared_name(declarator) {
            let name_kind = match kind {
                ItemKind::Typedef => NameKind::Typedef,
                _ if declares_function(declarator) => NameKind::Function,
                _ => NameKind::Variable,
            };
            item.declares.push(Declared {
                kind: name_kind,
                name: text_of(name, text).into(),
            });
        }
    }
    if kind == ItemKind::Function {
        item.body = node
            .child_by_field_name("body")
            .map(|body| body.byte_range());
        return;
    }
    let passed_over = ["compound_statement", "initializer_list"];
    declare_tags(node, 0, text, &passed_over, item);
    if let Some((specifier, body)) = defined_type(node) {
        item.body = Some(body.byte_range());
        // An enumeration cannot be named before it is complete, and a type without a tag not at all.
        item.has_head = specifier.kind() != "enum_specifier"
            && specifier.child_by_field_name("name").is_some()
            && item
                .declares
                .iter()
                .all(|declared| matches!(declared.kind, NameKind::Tag | NameKind::Typedef));
        members(body, text, 0, &mut item.members);
    }
}

/// The members that a type's body declares, those of anonymous inner types included.
fn members(body: Node, text: &str, depth: usize, into: &mut BTreeSet<Box<str>>) {
    if depth > 100 {
        return;
    }
    let mut cursor = body.walk();
    for child in body.named_children(&mut cursor) {
        if child.kind() == "field_identifier" {
            into.insert(text_of(child, text).into());
        } else {
            members(child, text, depth + 1, into);
        }
    }
}

/// Names that a function declares inside itself.
#[derive(Debug, Default)]
struct Locals {
    values: BTreeSet<Box<str>>,
    types: BTreeSet<Box<str>>,
    tags: BTreeSet<Box<str>>,
}

impl Locals {
    fn collect(&mut self, node: Node, text: &str) {
        let mut cursor = node.walk();
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            match node.kind() {
                "declaration" | "parameter_declaration" => {
                    for declarator in declarators(node) {
                        // A prototype inside a function declares a function of the file.
                        if let Some(name) = declared_name(declarator)
                            && !(node.kind() == "declaration" && declares_function(declarator))
                        {
                            self.values.insert(text_of(name, text).into());
                        }
                    }
                }
                "type_definition" => {
                    for name in declarators(node).into_iter().filter_map(declared_name) {
                        self.types.insert(text_of(name, text).into());
                    }
                }
                "struct_specifier" | "union_specifier" | "enum_specifier"
                    if node.child_by_field_name("body").is_some() =>
                {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.tags.insert(text_of(name, text).into());
                    }
                }
                "enumerator" => {
                    if let Some(name) = node.child_by_field_name("name") {
                        self.values.insert(text_of(name, text).into());
                    }
                }
                _ => {}
            }
            stack.extend(node.named_children(&mut cursor));
        }
    }
}

struct Collect<'a> {
    text: &'a str,
    /// The position of the text in the file.
    start: usize,
    locals: &'a Locals,
    item: &'a mut Item,
}

impl Collect<'_> {
    fn walk(&mut self, root: Node) {
        // A node looks for its parent from the root on, so the way is remembered here.
        let mut cursor = root.walk();
        let mut stack = vec![(root, None, None)];
        while let Some((node, parent, grandparent)) = stack.pop() {
            self.node(node, parent, grandparent);
            let children = node.named_children(&mut cursor);
            stack.extend(children.map(|child| (child, Some(node), parent)));
        }
    }

    /// Where the parser gave up: every name may be meant as a value.
    fn every_name(&mut self) {
        let tokens = lex(self.text);
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let before = at
                .checked_sub(1)
                .map(|before| tokens[before].text(self.text));
            let name: Box<str> = token.text(self.text).into();
            let mentions = self.item.mentions_at(self.start + token.start);
            if matches!(before, Some("." | "->")) {
                mentions.fields.insert(name);
            } else if matches!(before, Some("struct" | "union" | "enum")) {
                mentions.tags.insert(name);
            } else if !self.locals.values.contains(&name) && !self.locals.types.contains(&name) {
                mentions.values.insert(name);
            }
        }
    }

    fn node(&mut self, node: Node, parent: Option<Node>, grandparent: Option<Node>) {
        let name = text_of(node, self.text);
        let function = self.item.kind == ItemKind::Function;
        let kind = self.item.kind;
        let is_declared =
            |item: &Item, name: &str| item.declares.iter().any(|declared| *declared.name == *name);
        let declares = node.kind() == "type_identifier" && is_declared(self.item, name);
        let mentions = self.item.mentions_at(self.start + node.start_byte());
        match node.kind() {
            "identifier" if !self.locals.values.contains(name) => {
                note(&mut mentions.values, name);
            }
            "field_identifier" => {
                // Only accesses count: a member's declaration needs nothing.
                let access = parent.is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "field_expression" | "field_designator" | "offsetof_expression"
                    )
                });
                if access {
                    note(&mut mentions.fields, name);
                }
            }
            "type_identifier" => {
                let Some(parent) = parent else { return };
                if is_tagged_type(parent) {
                    if parent.child_by_field_name("body").is_some()
                        || self.locals.tags.contains(name)
                    {
                        return;
                    }
                    // A function's own code may do anything with a pointer; declarations only hold it.
                    if !function && grandparent.is_some_and(is_pointed) {
                        note(&mut mentions.pointed_tags, name);
                    } else {
                        note(&mut mentions.tags, name);
                    }
                } else {
                    if self.locals.types.contains(name) || (declares && kind == ItemKind::Typedef) {
                        return;
                    }
                    if !function && is_pointed(parent) {
                        note(&mut mentions.pointed_types, name);
                    } else {
                        note(&mut mentions.types, name);
                    }
                }
            }
            _ => {}
        }
    }
}
