//! The names that a file of C++ declares, and the meaning of each identifier of it.
//!
//! C++ has two name spaces that a text distinguishes: names of members, and all others. `a.x` is a member, and so is
//! `x` in a class. `x` in a function is a parameter or variable if the function declares one, and otherwise the other
//! thing of that name. If both a member and something else could be meant, the two become one name
//! ([`Declared::joined`]): that is always right, only coarser.
//!
//! A name behind `std::`, or behind any other scope that is not the project's, is foreign and stays. A member of a
//! standard type (`items.size()`) cannot be distinguished from one of the project's; the compiler shows the
//! difference when the variant is proven.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_records::{Language, Role};
use tree_sitter::Node;

use super::declared::{Declared, Space};
use crate::preprocess::lex::TokenKind;
use crate::preprocess::unit::{Mark, Reading, SourceText};
use crate::syntax::{declarators, declared_name, declares_function, parse};

/// Reads the names of a file; macros are left to the caller.
pub(super) fn read(declared: &mut Declared, reading: &Reading, file: &SourceText) {
    let seen = reading.masked(|mark| matches!(mark, Mark::Code | Mark::Scope));
    let mut outline = seen.clone().into_bytes();
    for byte in reading.bodies.iter().flat_map(Clone::clone) {
        if !matches!(outline[byte], b'\n' | b'\r') {
            outline[byte] = b' ';
        }
    }
    let outline = String::from_utf8(outline).unwrap_or_default();
    let mut reader = Reader::new(declared, BTreeSet::new());
    reader.text(&outline, 0);
    reader.regions.sort_by_key(|region| region.range.start);
    for body in &reading.bodies {
        // With its braces, which are right around it.
        if let Some(start) = body.start.checked_sub(1)
            && let Some(text) = seen.get(start..body.end + 1)
        {
            reader.text(text, start);
        }
    }
    let expansions = reading
        .declaration_macros
        .iter()
        .map(|call| call.expansion.clone());
    let inner = reading
        .inner_macros
        .iter()
        .map(|call| format!("struct s {{ {} }};", call.expansion));
    for expansion in expansions.chain(inner) {
        reader.expansion(&expansion);
    }
    reader.resolve(file);
}

/// Reads the declarations in a macro's replacement. Returns `true` if it could be parsed.
pub(super) fn replacement(declared: &mut Declared, text: &str, added: &str) -> bool {
    let Some(tree) = parse(text, Language::CPP) else {
        return false;
    };
    if tree.root_node().has_error() {
        return false;
    }
    let mut reader = Reader::new(declared, BTreeSet::from([added.to_owned()]));
    reader.tree(tree.root_node(), text, None);
    reader.declare_qualified();
    true
}

/// The names that a node declares, if nothing else follows from it.
fn plainly_declared(node: Node<'_>) -> Option<(Space, Role, Vec<Node<'_>>)> {
    let field = |name: &str| Vec::from_iter(node.child_by_field_name(name));
    let (role, names) = match node.kind() {
        "namespace_alias_definition" => (Role::Namespace, field("name")),
        "enumerator" => (Role::Enumerator, field("name")),
        "alias_declaration" | "concept_definition" => (Role::Alias, field("name")),
        "type_definition" => (Role::Typedef, declared_names(node).collect()),
        "type_parameter_declaration"
        | "optional_type_parameter_declaration"
        | "variadic_type_parameter_declaration" => {
            let name = first_type_identifier(node);
            (Role::TemplateParameter, name.into_iter().collect())
        }
        "for_range_loop" | "condition_declaration" => {
            (Role::Variable, declared_names(node).collect())
        }
        "lambda_capture_initializer" => {
            let left = node.child_by_field_name("left");
            (Role::Variable, declared_names(node).chain(left).collect())
        }
        "structured_binding_declarator" => {
            let names = node.named_children(&mut node.walk()).collect();
            (Role::Variable, names)
        }
        "labeled_statement" => return Some((Space::Label, Role::Label, field("label"))),
        _ => return None,
    };
    Some((Space::Ordinary, role, names))
}

/// The names that the declarators of a node declare.
fn declared_names(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    declarators(node).into_iter().filter_map(declared_name)
}

fn first_type_identifier(node: Node<'_>) -> Option<Node<'_>> {
    let mut cursor = node.walk();
    let mut children = node.named_children(&mut cursor);
    children.find(|child| child.kind() == "type_identifier")
}

/// Number of regions that are searched for the one around a position.
const NESTED: usize = 64;

/// A function or a prototype: its range and its declarations inside.
#[derive(Debug)]
struct Region {
    range: Range<usize>,
    locals: BTreeSet<Box<str>>,
    /// Names that it borrows from elsewhere: `using std::swap;`.
    borrowed: BTreeSet<Box<str>>,
}

/// An identifier whose name space depends on the other declarations.
#[derive(Debug)]
struct Use {
    byte: usize,
    name: Box<str>,
    /// True if it may be a parameter or variable of the function.
    may_be_local: bool,
}

/// One `scope::` of a qualified name, and all that is behind it.
#[derive(Debug)]
struct Chain {
    scope: Box<str>,
    behind: Vec<usize>,
}

/// A name that is declared behind a scope: `int List::size() {}`.
#[derive(Debug)]
struct Qualified {
    scope: Box<str>,
    name: Box<str>,
    role: Role,
}

struct Reader<'a> {
    declared: &'a mut Declared,
    regions: Vec<Region>,
    uses: Vec<Use>,
    chains: Vec<Chain>,
    qualified: Vec<Qualified>,
    /// Names that other code declares.
    elsewhere: BTreeSet<String>,
}

/// The surroundings of a node.
#[derive(Debug, Clone, Default)]
struct Around {
    /// The class whose members these are.
    class: Option<String>,
    /// True if the standard library's name space is open.
    in_std: bool,
    /// True if parameters of a template are declared.
    in_template: bool,
    /// The function or prototype, as an index into [`Reader::regions`].
    region: Option<usize>,
}

impl<'a> Reader<'a> {
    fn new(declared: &'a mut Declared, elsewhere: BTreeSet<String>) -> Self {
        Reader {
            declared,
            regions: Vec::new(),
            uses: Vec::new(),
            chains: Vec::new(),
            qualified: Vec::new(),
            elsewhere,
        }
    }

    fn text(&mut self, text: &str, offset: usize) {
        if let Some(tree) = parse(text, Language::CPP) {
            self.tree(tree.root_node(), text, Some(offset));
        }
    }

    fn expansion(&mut self, text: &str) {
        if let Some(tree) = parse(text, Language::CPP)
            && !tree.root_node().has_error()
        {
            self.tree(tree.root_node(), text, None);
        }
    }

    /// Reads a tree; `offset` is the beginning of its text in the file, if it is in the file.
    fn tree(&mut self, root: Node, text: &str, offset: Option<usize>) {
        let region = offset.and_then(|offset| self.region_around(offset, text.len()));
        let around = Around {
            region,
            ..Around::default()
        };
        let mut stack = vec![(root, around)];
        while let Some((node, around)) = stack.pop() {
            let inside = self.node(node, text, offset, &around);
            let mut cursor = node.walk();
            let children: Vec<Node> = node.named_children(&mut cursor).collect();
            stack.extend(
                children
                    .into_iter()
                    .rev()
                    .map(|child| (child, inside.clone())),
            );
        }
    }

    /// The function around a body that is read by itself.
    fn region_around(&mut self, offset: usize, length: usize) -> Option<usize> {
        if offset == 0 && self.regions.is_empty() {
            return None;
        }
        let found = self
            .regions
            .iter()
            .position(|region| region.range.contains(&offset));
        Some(found.unwrap_or_else(|| {
            self.regions.push(Region {
                range: offset..offset + length,
                locals: BTreeSet::new(),
                borrowed: BTreeSet::new(),
            });
            self.regions.len() - 1
        }))
    }

    fn open_region(&mut self, node: Node, offset: Option<usize>) -> usize {
        let offset = offset.unwrap_or(usize::MAX / 2);
        self.regions.push(Region {
            range: offset + node.start_byte()..offset + node.end_byte(),
            locals: BTreeSet::new(),
            borrowed: BTreeSet::new(),
        });
        self.regions.len() - 1
    }

    fn insert(&mut self, space: Space, name: &str, role: Role, around: &Around) {
        if around.in_std || self.elsewhere.contains(name) {
            return;
        }
        let is_local = space == Space::Ordinary
            && around.region.is_some()
            && matches!(role, Role::Variable | Role::Parameter | Role::Label);
        if let Some(region) = around.region.filter(|_| is_local) {
            self.regions[region].locals.insert(name.into());
        }
        if !is_local && space == Space::Ordinary {
            self.declared.outside.insert(name.into());
        }
        self.declared.insert(space, name, role);
    }

    /// Notes the declarations and uses of a node; returns the surroundings of its children.
    fn node(&mut self, node: Node, text: &str, offset: Option<usize>, around: &Around) -> Around {
        let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default();
        let mut inside = around.clone();
        if let Some((space, role, names)) = plainly_declared(node) {
            for name in names {
                self.insert(space, shown(name), role, around);
            }
            return inside;
        }
        match node.kind() {
            "namespace_definition" => {
                if let Some(name) = node.child_by_field_name("name") {
                    let names: Vec<&str> = shown(name).split("::").map(str::trim).collect();
                    inside.in_std |= names.contains(&"std");
                    for name in names {
                        let name = name.trim_start_matches("inline").trim();
                        if name != "std" {
                            self.insert(Space::Ordinary, name, Role::Namespace, around);
                        }
                    }
                }
            }
            "class_specifier" | "struct_specifier" | "union_specifier" | "enum_specifier" => {
                self.type_declared(node, text, around, &mut inside);
            }
            "template_parameter_list" => inside.in_template = true,
            "function_definition" => {
                inside.class = None;
                inside.in_template = false;
                if around.region.is_none() {
                    inside.region = Some(self.open_region(node, offset));
                }
                for declarator in declarators(node) {
                    self.function(declarator, text, around);
                }
            }
            "friend_declaration" => {
                inside.class = None;
                if let Some(name) = first_type_identifier(node) {
                    self.insert(Space::Ordinary, shown(name), Role::Class, around);
                }
            }
            "declaration" | "field_declaration" => {
                if around.region.is_none() {
                    inside.region = Some(self.open_region(node, offset));
                }
                self.declaration(node, text, around);
            }
            "parameter_declaration"
            | "optional_parameter_declaration"
            | "variadic_parameter_declaration" => {
                let role = if around.in_template {
                    Role::TemplateParameter
                } else {
                    Role::Parameter
                };
                for name in declared_names(node) {
                    self.insert(Space::Ordinary, shown(name), role, around);
                }
                inside.in_template = false;
            }
            "using_declaration" => self.borrowed(node, text, around),
            "qualified_identifier" => self.chain(node, text, offset),
            "identifier"
            | "type_identifier"
            | "namespace_identifier"
            | "field_identifier"
            | "statement_identifier" => self.used(node, text, offset),
            _ => {}
        }
        inside
    }

    fn type_declared(&mut self, node: Node, text: &str, around: &Around, inside: &mut Around) {
        let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default();
        let role = match node.kind() {
            "class_specifier" => Role::Class,
            "struct_specifier" => Role::Struct,
            "union_specifier" => Role::Union,
            _ => Role::Enum,
        };
        let has_body = node.child_by_field_name("body").is_some();
        let name = node.child_by_field_name("name");
        if has_body && role != Role::Enum {
            // A class without a name has members all the same.
            inside.class = Some(String::new());
            inside.region = None;
            inside.in_template = false;
        }
        let Some(name) = name else { return };
        // `template <> struct S<int>`
        let name = name.child_by_field_name("name").unwrap_or(name);
        let simple = shown(name).rsplit("::").next().unwrap_or_default().trim();
        let stands_alone = node.parent().is_some_and(|parent| {
            let declaring = [
                "translation_unit",
                "declaration_list",
                "field_declaration_list",
                "template_declaration",
                "friend_declaration",
                "type_definition",
                "compound_statement",
                "field_declaration",
            ];
            declaring.contains(&parent.kind())
        });
        if has_body || stands_alone {
            self.insert(Space::Ordinary, simple, role, around);
        }
        if let Some(class) = &mut inside.class
            && has_body
            && role != Role::Enum
        {
            simple.clone_into(class);
        }
    }

    /// A function that is declared or defined.
    fn function(&mut self, declarator: Node, text: &str, around: &Around) {
        let Some(name) = declared_name(declarator) else {
            return;
        };
        let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default();
        match (name.kind(), &around.class) {
            // A constructor is called as its class is.
            ("identifier" | "field_identifier" | "type_identifier", Some(class))
                if shown(name) != class =>
            {
                self.insert(Space::Member, shown(name), Role::Method, around);
            }
            ("identifier" | "type_identifier", None) => {
                self.insert(Space::Ordinary, shown(name), Role::Function, around);
            }
            ("qualified_identifier", _) => self.behind_scope(name, text, Role::Method),
            _ => {}
        }
    }

    /// A declaration of variables, members or functions.
    fn declaration(&mut self, node: Node, text: &str, around: &Around) {
        let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default();
        for declarator in declarators(node) {
            // `Lock lock(mutex);` reads like a prototype; in a function it is a variable.
            let is_function = declares_function(declarator) && around.region.is_none();
            if is_function {
                self.function(declarator, text, around);
                continue;
            }
            let Some(name) = declared_name(declarator) else {
                continue;
            };
            match name.kind() {
                "identifier" | "field_identifier" | "type_identifier" => {
                    let (space, role) = match &around.class {
                        Some(_) => (Space::Member, Role::Field),
                        None => (Space::Ordinary, Role::Variable),
                    };
                    self.insert(space, shown(name), role, around);
                }
                "qualified_identifier" => self.behind_scope(name, text, Role::Field),
                _ => {}
            }
        }
    }

    fn behind_scope(&mut self, mut name: Node, text: &str, role: Role) {
        let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default();
        let mut scope = None;
        while name.kind() == "qualified_identifier" {
            scope = name.child_by_field_name("scope");
            let Some(next) = name.child_by_field_name("name") else {
                return;
            };
            name = next;
        }
        let Some(scope) = scope else { return };
        let scope = scope.child_by_field_name("name").unwrap_or(scope);
        if matches!(
            name.kind(),
            "identifier" | "field_identifier" | "type_identifier"
        ) {
            self.qualified.push(Qualified {
                scope: shown(scope).into(),
                name: shown(name).into(),
                role,
            });
        }
    }

    /// `using a::b;`
    fn borrowed(&mut self, node: Node, text: &str, around: &Around) {
        let Some(region) = around.region else { return };
        let mut cursor = node.walk();
        let Some(name) = node
            .named_children(&mut cursor)
            .find(|child| child.kind() == "qualified_identifier")
        else {
            return;
        };
        let shown = text.get(name.byte_range()).unwrap_or_default();
        if shown.trim_start_matches(':').starts_with("std") {
            let last = shown.rsplit("::").next().unwrap_or_default().trim();
            self.regions[region].borrowed.insert(last.into());
        }
    }

    /// Notes the names behind each scope of a qualified name.
    fn chain(&mut self, node: Node, text: &str, offset: Option<usize>) {
        let (Some(offset), Some(scope)) = (offset, node.child_by_field_name("scope")) else {
            return;
        };
        let scope = scope.child_by_field_name("name").unwrap_or(scope);
        let mut behind = Vec::new();
        let mut next = node.child_by_field_name("name");
        while let Some(name) = next {
            match name.kind() {
                "qualified_identifier" => {
                    if let Some(scope) = name.child_by_field_name("scope") {
                        let scope = scope.child_by_field_name("name").unwrap_or(scope);
                        behind.push(offset + scope.start_byte());
                    }
                    next = name.child_by_field_name("name");
                }
                "template_type" | "template_function" | "template_method" | "dependent_name" => {
                    next = name
                        .child_by_field_name("name")
                        .or_else(|| name.named_child(0));
                }
                _ => {
                    behind.push(offset + name.start_byte());
                    next = None;
                }
            }
        }
        self.chains.push(Chain {
            scope: text.get(scope.byte_range()).unwrap_or_default().into(),
            behind,
        });
    }

    fn used(&mut self, node: Node, text: &str, offset: Option<usize>) {
        let Some(offset) = offset else { return };
        let byte = offset + node.start_byte();
        let parent = node.parent();
        let parent_is = |kind: &str| parent.is_some_and(|parent| parent.kind() == kind);
        let is_name_of = |kind: &str| {
            parent.is_some_and(|parent| {
                parent.kind() == kind && parent.child_by_field_name("name") == Some(node)
            })
        };
        match node.kind() {
            "statement_identifier" => {
                self.declared.place(byte, Space::Label);
                return;
            }
            "field_identifier" if !parent_is("field_initializer") => {
                self.declared.place(byte, Space::Member);
                return;
            }
            _ if is_name_of("attribute") => {
                self.declared.foreign.insert(byte);
                return;
            }
            _ => {}
        }
        self.uses.push(Use {
            byte,
            name: text.get(node.byte_range()).unwrap_or_default().into(),
            may_be_local: !is_name_of("qualified_identifier") && !parent_is("field_initializer"),
        });
    }

    /// Declares the names behind scopes: a member if the scope is a class.
    fn declare_qualified(&mut self) {
        for qualified in std::mem::take(&mut self.qualified) {
            let scope = self.declared.role(Space::Ordinary, &qualified.scope);
            match scope {
                Some(Role::Namespace) => {
                    let role = match qualified.role {
                        Role::Method => Role::Function,
                        _ => Role::Variable,
                    };
                    self.declared.outside.insert(qualified.name.clone());
                    self.declared.insert(Space::Ordinary, &qualified.name, role);
                }
                // A constructor is called as its class is.
                Some(_) if qualified.name != qualified.scope => {
                    self.declared
                        .insert(Space::Member, &qualified.name, qualified.role);
                }
                _ => {}
            }
        }
    }

    /// Decides every use, now that everything is declared.
    fn resolve(&mut self, file: &SourceText) {
        self.declare_qualified();
        for chain in std::mem::take(&mut self.chains) {
            if !self.declared.contains(&chain.scope) && !chain.scope.is_empty() {
                self.declared.foreign.extend(chain.behind);
            }
        }
        self.regions.sort_by_key(|region| region.range.start);
        let mut by_start: BTreeMap<usize, &Region> = BTreeMap::new();
        for region in &self.regions {
            by_start.entry(region.range.start).or_insert(region);
        }
        // A function may contain others, but never more than a few that end before the position.
        let region_at = |byte: usize| {
            let begun = by_start.range(..=byte).rev().take(NESTED);
            begun
                .map(|(_, region)| *region)
                .find(|region| region.range.contains(&byte))
        };
        for found in &self.uses {
            let region = region_at(found.byte).filter(|_| found.may_be_local);
            if region.is_some_and(|region| region.borrowed.contains(&found.name)) {
                self.declared.foreign.insert(found.byte);
                continue;
            }
            let is_local = region.is_some_and(|region| region.locals.contains(&found.name));
            let space = self.declared.meant(&found.name, is_local);
            self.declared.place(found.byte, space);
        }
        // Names that no tree holds: arguments and replacements of macros, attributes.
        let tokens = &file.lines.tokens;
        for (at, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier
                || self.declared.space_at(token.start).is_some()
                || self.declared.foreign.contains(&token.start)
            {
                continue;
            }
            let before = |back: usize| {
                at.checked_sub(back)
                    .map_or("", |at| tokens[at].text(&file.text))
            };
            match before(1) {
                "." | "->" => self.declared.place(token.start, Space::Member),
                "::" if before(2) == "std" => {
                    self.declared.foreign.insert(token.start);
                }
                _ => {
                    let space = self.declared.meant(token.text(&file.text), false);
                    self.declared.place(token.start, space);
                }
            }
        }
    }
}
