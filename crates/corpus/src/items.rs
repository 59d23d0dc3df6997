//! A file as the parser sees it → its top-level items: what each declares and what each needs.
//!
//! Names are not resolved here; an item only says which names it mentions and how. Two readings of a file
//! with the same marks have the same items, so they are parsed once.

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_records::Language;
use tree_sitter::Node;

use crate::preprocess::lex::{TokenKind, lex};
use crate::preprocess::unit::{DeclarationMacro, Mark, Reading};
use crate::syntax::{declarators, declared_name, declares_function, is_tagged_type, parse};

/// What an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A function with its body.
    Function,
    /// A declaration of functions or variables.
    Declaration,
    /// A typedef.
    Typedef,
    /// A `struct`, `union` or `enum` by itself.
    Tag,
    /// A macro call that stands for declarations.
    DeclarationMacro,
    /// Anything else: an assertion, a stray semicolon, text that could not be parsed.
    Other,
}

/// What a declared name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A typedef name.
    Typedef,
    /// An enumerator.
    Enumerator,
    /// A `struct`, `union` or `enum` tag. Tags have a name space of their own.
    Tag,
}

/// A name that an item declares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declared {
    /// What it is.
    pub kind: NameKind,
    /// The name.
    pub name: Box<str>,
}

/// The names that a piece of code mentions, by how it mentions them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
    /// Names used as values or called, local names left out.
    pub values: BTreeSet<Box<str>>,
    /// Typedef names whose type must be complete.
    pub types: BTreeSet<Box<str>>,
    /// Typedef names used behind a pointer only.
    pub pointed_types: BTreeSet<Box<str>>,
    /// Tags whose type must be complete.
    pub tags: BTreeSet<Box<str>>,
    /// Tags used behind a pointer only.
    pub pointed_tags: BTreeSet<Box<str>>,
    /// Members that are accessed.
    pub fields: BTreeSet<Box<str>>,
    /// Every word of the text: macros are found among these.
    pub words: BTreeSet<Box<str>>,
}

impl Mentions {
    /// Adds everything that another piece mentions.
    pub fn extend(&mut self, other: &Mentions) {
        let pairs = [
            (&mut self.values, &other.values),
            (&mut self.types, &other.types),
            (&mut self.pointed_types, &other.pointed_types),
            (&mut self.tags, &other.tags),
            (&mut self.pointed_tags, &other.pointed_tags),
            (&mut self.fields, &other.fields),
            (&mut self.words, &other.words),
        ];
        for (mine, others) in pairs {
            mine.extend(others.iter().cloned());
        }
    }
}

/// A top-level item of a file.
#[derive(Debug, Clone)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// The bytes it covers, hidden attributes included.
    pub range: Range<usize>,
    /// The names it declares.
    pub declares: Vec<Declared>,
    /// The bytes of its body with the braces: a function's, or the members of its outermost type.
    pub body: Option<Range<usize>>,
    /// What it mentions outside of the body.
    pub head: Mentions,
    /// What it mentions in the body.
    pub inside: Mentions,
    /// The members that the body declares, where it is a type's.
    pub members: BTreeSet<Box<str>>,
    /// Whether the item without its body is still a declaration: not so for types without a tag.
    pub has_head: bool,
    /// Whether the parser gave up somewhere in it.
    pub has_error: bool,
}

impl Item {
    /// The name of the function that the item defines.
    pub fn function_name(&self) -> Option<&str> {
        let function = self
            .declares
            .iter()
            .find(|declared| declared.kind == NameKind::Function)?;
        (self.kind == ItemKind::Function).then_some(&*function.name)
    }
}

/// The items of a reading, in order.
pub fn items_of(reading: &Reading) -> Vec<Item> {
    let seen = reading.masked(|mark| mark == Mark::Code);
    let emitted = reading.masked(|mark| matches!(mark, Mark::Code | Mark::Hidden));
    let mut items = Vec::new();
    for_each_top_level(&seen, &mut |node| items.extend(item_of(node, &seen)));
    for call in &reading.declaration_macros {
        items.push(declaration_macro(call, &emitted));
    }
    items.sort_by_key(|item| (item.range.start, item.range.end));
    for call in &reading.inner_macros {
        let around =
            |item: &&mut Item| item.range.contains(&call.start) && item.kind != ItemKind::Function;
        if let Some(item) = items.iter_mut().find(around) {
            let made = declaration_macro(call, &emitted);
            let enumerators = made.declares.into_iter();
            let enumerators = enumerators.filter(|made| made.kind == NameKind::Enumerator);
            item.declares.extend(enumerators);
            item.members.extend(made.members);
            item.inside.extend(&made.head);
        }
    }
    extend_over_hidden(&mut items, &emitted);
    items
}

/// Function definitions in text that no translation unit switches on: name and bytes.
pub fn functions_in(seen: &str) -> Vec<(Box<str>, Range<usize>)> {
    let mut functions = Vec::new();
    for_each_top_level(seen, &mut |node| {
        if node.kind() == "function_definition" {
            let name = node
                .child_by_field_name("declarator")
                .and_then(declared_name);
            let name = name.map_or("", |name| text_of(name, seen));
            functions.push((name.into(), node.byte_range()));
        }
    });
    functions
}

fn for_each_top_level(text: &str, visit: &mut dyn FnMut(Node)) {
    if let Some(tree) = parse(text, Language::C) {
        visit_children(tree.root_node(), 0, visit);
    }
}

fn visit_children(node: Node, depth: usize, visit: &mut dyn FnMut(Node)) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            // An error at the top holds whole items beside the broken one.
            "ERROR" | "linkage_specification" | "declaration_list" if depth < 20 => {
                visit_children(child, depth + 1, visit);
            }
            _ => visit(child),
        }
    }
}

fn text_of<'a>(node: Node, text: &'a str) -> &'a str {
    text.get(node.byte_range()).unwrap_or_default()
}

fn item_of(node: Node, text: &str) -> Option<Item> {
    let kind = match node.kind() {
        "function_definition" => ItemKind::Function,
        "declaration" => ItemKind::Declaration,
        "type_definition" => ItemKind::Typedef,
        "struct_specifier" | "union_specifier" | "enum_specifier" => ItemKind::Tag,
        "comment" => return None,
        _ => ItemKind::Other,
    };
    let mut item = Item {
        kind,
        range: node.byte_range(),
        declares: Vec::new(),
        body: None,
        head: Mentions::default(),
        inside: Mentions::default(),
        members: BTreeSet::new(),
        has_head: true,
        has_error: node.has_error(),
    };
    declare(node, kind, text, &mut item);
    let mut locals = Locals::default();
    if kind == ItemKind::Function {
        locals.collect(node, text);
    }
    let body = item.body.clone();
    let mut collect = Collect {
        text,
        locals: &locals,
        body: body.as_ref(),
        item: &mut item,
    };
    collect.walk(node);
    for token in lex(text.get(node.byte_range()).unwrap_or_default()) {
        if token.kind == TokenKind::Identifier {
            let start = node.start_byte() + token.start;
            let word = text
                .get(start..node.start_byte() + token.end)
                .unwrap_or_default();
            let inside = item.body.as_ref().is_some_and(|body| body.contains(&start));
            let mentions = if inside {
                &mut item.inside
            } else {
                &mut item.head
            };
            mentions.words.insert(word.into());
        }
    }
    Some(item)
}

/// Fills in the names that an item declares, and its body.
fn declare(node: Node, kind: ItemKind, text: &str, item: &mut Item) {
    let mut push = |kind, node: Node| {
        item.declares.push(Declared {
            kind,
            name: text_of(node, text).into(),
        });
    };
    for declarator in declarators(node) {
        if let Some(name) = declared_name(declarator) {
            let name_kind = match kind {
                ItemKind::Typedef => NameKind::Typedef,
                _ if declares_function(declarator) => NameKind::Function,
                _ => NameKind::Variable,
            };
            push(name_kind, name);
        }
    }
    if kind == ItemKind::Function {
        item.body = node
            .child_by_field_name("body")
            .map(|body| body.byte_range());
        return;
    }
    declare_tags(node, 0, &mut push);
    let outermost = if is_tagged_type(node) {
        Some(node)
    } else {
        node.child_by_field_name("type")
    };
    if let Some(specifier) = outermost.filter(|specifier| is_tagged_type(*specifier))
        && let Some(body) = specifier.child_by_field_name("body")
    {
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

/// Tags and enumerators that a piece of a declaration introduces.
fn declare_tags(node: Node, depth: usize, push: &mut dyn FnMut(NameKind, Node)) {
    if depth > 100 {
        return;
    }
    if is_tagged_type(node) {
        let complete = node.child_by_field_name("body").is_some();
        let alone = depth == 0;
        if let Some(name) = node
            .child_by_field_name("name")
            .filter(|_| complete || alone)
        {
            push(NameKind::Tag, name);
        }
    }
    if node.kind() == "enumerator"
        && let Some(name) = node.child_by_field_name("name")
    {
        push(NameKind::Enumerator, name);
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if !matches!(child.kind(), "compound_statement" | "initializer_list") {
            declare_tags(child, depth + 1, push);
        }
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
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
    }
}

struct Collect<'a> {
    text: &'a str,
    locals: &'a Locals,
    body: Option<&'a Range<usize>>,
    item: &'a mut Item,
}

impl Collect<'_> {
    fn walk(&mut self, root: Node) {
        // A node looks for its parent from the root on, so the way is remembered here.
        let mut stack = vec![(root, None, None)];
        while let Some((node, parent, grandparent)) = stack.pop() {
            self.node(node, parent, grandparent);
            let mut cursor = node.walk();
            let children = node.named_children(&mut cursor);
            stack.extend(children.map(|child| (child, Some(node), parent)));
        }
    }

    fn node(&mut self, node: Node, parent: Option<Node>, grandparent: Option<Node>) {
        let name = || -> Box<str> { text_of(node, self.text).into() };
        let inside = self
            .body
            .is_some_and(|body| body.contains(&node.start_byte()));
        let function = self.item.kind == ItemKind::Function;
        let mentions = if inside {
            &mut self.item.inside
        } else {
            &mut self.item.head
        };
        match node.kind() {
            "identifier" => {
                let name = name();
                if !self.locals.values.contains(&name) {
                    mentions.values.insert(name);
                }
            }
            "field_identifier" => {
                // Only accesses count: a member's declaration asks for nothing.
                let access = parent.is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "field_expression" | "field_designator" | "offsetof_expression"
                    )
                });
                if access {
                    mentions.fields.insert(name());
                }
            }
            "type_identifier" => {
                let Some(parent) = parent else { return };
                if is_tagged_type(parent) {
                    let name = name();
                    if parent.child_by_field_name("body").is_some()
                        || self.locals.tags.contains(&name)
                    {
                        return;
                    }
                    // A function's own code may do anything with a pointer; declarations only hold it.
                    if !function && grandparent.is_some_and(is_pointed) {
                        mentions.pointed_tags.insert(name);
                    } else {
                        mentions.tags.insert(name);
                    }
                } else {
                    let name = name();
                    let declares = self
                        .item
                        .declares
                        .iter()
                        .any(|declared| declared.name == name);
                    if self.locals.types.contains(&name)
                        || (declares && self.item.kind == ItemKind::Typedef)
                    {
                        return;
                    }
                    if !function && is_pointed(parent) {
                        mentions.pointed_types.insert(name);
                    } else {
                        mentions.types.insert(name);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether a declaration uses its type behind a pointer in every declarator.
fn is_pointed(declaration: Node) -> bool {
    let declarators = declarators(declaration);
    // A typedef of a type hands the question on to those who use the new name, and so does a forward
    // declaration, which is all that stays of it.
    if declaration.kind() == "type_definition" {
        return true;
    }
    !declarators.is_empty()
        && declarators.iter().all(|declarator| {
            let mut node = *declarator;
            for _ in 0..200 {
                if matches!(
                    node.kind(),
                    "pointer_declarator" | "abstract_pointer_declarator"
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

fn declaration_macro(call: &DeclarationMacro, emitted: &str) -> Item {
    let range = call.start..call.end;
    let expansion = &*call.expansion;
    let mut item = Item {
        kind: ItemKind::DeclarationMacro,
        range: range.clone(),
        declares: Vec::new(),
        body: None,
        head: Mentions::default(),
        inside: Mentions::default(),
        members: BTreeSet::new(),
        has_head: false,
        has_error: false,
    };
    for_each_top_level(expansion, &mut |node| {
        if let Some(part) = item_of(node, expansion) {
            item.declares.extend(part.declares);
            item.head.extend(&part.head);
            item.head.extend(&part.inside);
            item.members.extend(part.members);
        }
    });
    // A name that was built is a macro, or a name of the project, or neither.
    for name in &call.joined {
        item.head.words.insert((**name).into());
        item.head.values.insert((**name).into());
    }
    let call = emitted.get(range).unwrap_or_default();
    let words = lex(call)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Identifier);
    item.head
        .words
        .extend(words.map(|token| token.text(call).into()));
    item
}

/// Takes hidden attributes before an item, and words among them, into the item.
fn extend_over_hidden(items: &mut [Item], emitted: &str) {
    let mut previous_end = 0;
    for item in items {
        if item.kind != ItemKind::DeclarationMacro {
            let gap = emitted
                .get(previous_end..item.range.start)
                .unwrap_or_default();
            // What is left of the item before, a semicolon, is not ours.
            let gap_start = gap.rfind(';').map_or(0, |at| at + 1);
            let leading = gap.get(gap_start..).unwrap_or_default();
            let blank = leading.len() - leading.trim_start().len();
            if blank < leading.len() {
                item.range.start = previous_end + gap_start + blank;
            }
            let text = emitted.get(item.range.clone()).unwrap_or_default();
            let tokens = lex(text);
            for (index, token) in tokens.iter().enumerate() {
                if token.kind != TokenKind::Identifier {
                    continue;
                }
                let at = item.range.start + token.start;
                let inside = item.body.as_ref().is_some_and(|body| body.contains(&at));
                let mentions = if inside {
                    &mut item.inside
                } else {
                    &mut item.head
                };
                mentions.words.insert(token.text(text).into());
                // `cleanup(release)` is the attribute that calls a function.
                let before = |back: usize| Some(tokens.get(index.checked_sub(back)?)?.text(text));
                if before(1) == Some("(") && matches!(before(2), Some("cleanup" | "__cleanup__")) {
                    mentions.values.insert(token.text(text).into());
                }
            }
        }
        previous_end = previous_end.max(item.range.end);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::preprocess::headers::StandardHeaders;
    use crate::preprocess::unit::{Files, SourceText, read};

    fn items(text: &str) -> Vec<Item> {
        let file = Arc::new(SourceText::new("a.c".to_owned(), text.to_owned()));
        let files: Files = [("a.c".to_owned(), file)].into();
        let unit = read("a.c", &files, &StandardHeaders::default(), &[]).expect("small");
        items_of(&unit.readings[0])
    }

    fn names(set: &BTreeSet<Box<str>>) -> Vec<&str> {
        set.iter().map(|name| &**name).collect()
    }

    #[test]
    fn declarations_say_what_they_declare() {
        let text = "typedef struct node { struct node *next; int value; } Node;\nenum color { RED, GREEN };\nint (*hook)(int), count;\nstatic const char *name(Node *n);\nstruct later;\n";
        let declared: Vec<String> = items(text)
            .iter()
            .map(|item| {
                let names: Vec<_> = item
                    .declares
                    .iter()
                    .map(|declared| format!("{:?} {}", declared.kind, declared.name))
                    .collect();
                format!("{:?}: {}", item.kind, names.join(", "))
            })
            .collect();
        assert_eq!(
            declared,
            [
                "Typedef: Typedef Node, Tag node",
                "Tag: Tag color, Enumerator RED, Enumerator GREEN",
                "Declaration: Variable hook, Variable count",
                "Declaration: Function name",
                "Tag: Tag later",
            ]
        );
    }

    #[test]
    fn a_function_mentions_what_is_not_its_own() {
        let text = "#define TWICE(x) ((x) + (x))\nint f(struct point *p, size_t n) {\n  int total = 0;\n  for (size_t i = 0; i < n; i++) total += TWICE(p[i].x) + scale(limit);\n  return total;\n}\n";
        let items = items(text);
        assert_eq!(items.len(), 1);
        assert_eq!(names(&items[0].inside.values), ["TWICE", "limit", "scale"]);
        assert_eq!(names(&items[0].head.tags), ["point"]);
        assert_eq!(names(&items[0].inside.fields), ["x"]);
        assert!(names(&items[0].inside.words).contains(&"TWICE"));
    }

    #[test]
    fn types_behind_pointers_need_not_be_complete() {
        let items = items("struct a { struct b *b; struct c c; D *d; E e[3]; };\n");
        assert_eq!(names(&items[0].inside.pointed_tags), ["b"]);
        assert_eq!(names(&items[0].inside.tags), ["c"]);
        assert_eq!(names(&items[0].inside.pointed_types), ["D"]);
        assert_eq!(names(&items[0].inside.types), ["E"]);
        assert_eq!(names(&items[0].members), ["b", "c", "d", "e"]);
    }

    #[test]
    fn hidden_attributes_belong_to_the_item() {
        let text = "#define API static\nint a;\nAPI int f(void) { return a; }\n";
        let items = items(text);
        assert_eq!(
            text.get(items[1].range.clone()),
            Some("API int f(void) { return a; }")
        );
        assert!(names(&items[1].head.words).contains(&"API"));
    }

    #[test]
    fn enumerators_may_be_made_by_macros() {
        let text = "#define LIST(ITEM) ITEM(OK) ITEM(FULL)\n#define AS_NAME(name) E_##name,\nenum error { LIST(AS_NAME) LAST };\n";
        let items = items(text);
        assert_eq!(items.len(), 1);
        let names: Vec<&str> = items[0]
            .declares
            .iter()
            .map(|declared| &*declared.name)
            .collect();
        assert_eq!(names, ["error", "LAST", "E_OK", "E_FULL"]);
        assert!(!items[0].has_error);
    }

    #[test]
    fn members_may_be_made_by_macros() {
        let text = "#define COMMON int kind; MORE\n#define MORE struct base *next;\nstruct leaf { COMMON int value; };\n";
        let items = items(text);
        assert_eq!(names(&items[0].members), ["kind", "next", "value"]);
        assert_eq!(names(&items[0].inside.pointed_tags), ["base"]);
        let words = names(&items[0].inside.words);
        assert!(
            ["COMMON", "base", "kind"]
                .iter()
                .all(|word| words.contains(word))
        );
        assert!(!items[0].has_error);
    }

    #[test]
    fn a_type_that_a_macro_is_is_no_member() {
        let items =
            items("#define ALIGNED union { double d; long l; }\ntypedef ALIGNED aligned;\n");
        assert_eq!(&*items[0].declares[0].name, "aligned");
    }

    #[test]
    fn declaration_macros_are_items() {
        let text = "#define LIST(T) typedef struct { T *items; } T##_list\nLIST(node);\nint x;\n";
        let items = items(text);
        assert_eq!(items[0].kind, ItemKind::DeclarationMacro);
        assert_eq!(&*items[0].declares[0].name, "node_list");
        assert_eq!(text.get(items[0].range.clone()), Some("LIST(node);"));
    }
}
