//! The mentions of a declaration of C++: names from elsewhere, by their use.

use std::collections::BTreeSet;

use barecode_languages::lex::{TokenKind, lex};
use tree_sitter::Node;

use super::objects::{Member, Object, Typed, Use, Uses, Variables};
use super::overloads::SameName;
use crate::items::item::{Item, ItemKind, note};
use crate::items::spelling::{qualified, simple_name, text_of};
use crate::items::tags::is_pointed;
use crate::names::Mentions;
use crate::syntax::{declarators, declared_name, declares_function, is_tagged_type};

/// Names that a piece of code declares for itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Locals {
    values: BTreeSet<Box<str>>,
    types: BTreeSet<Box<str>>,
    /// The values, by kind.
    variables: Variables,
}

impl Locals {
    pub(super) fn template_parameters(&mut self, list: Node, text: &str) {
        let mut cursor = list.walk();
        for parameter in list.named_children(&mut cursor) {
            match parameter.kind() {
                "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration" => {
                    self.declared_by(parameter, text, &mut Vec::new());
                }
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

    /// Adds the names that a declaration declares; variables whose types are deduced are for later.
    fn declared_by<'n>(
        &mut self,
        declaration: Node<'n>,
        text: &str,
        deduced: &mut Vec<[Node<'n>; 3]>,
    ) {
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
                let node = name;
                let name = text_of(node, text);
                self.values.insert(name.into());
                match Typed::of(declaration, Some(declarator), text) {
                    Some(typed) => self.variables.add(name, Object::Typed(typed)),
                    None => deduced.push([declaration, declarator, node]),
                }
            }
        }
    }

    /// The object that gives a variable its deduced type: its initial value, or an element of the object that a loop
    /// goes over.
    fn deduced(&self, declaration: Node, declarator: Node, text: &str) -> Object {
        let object = |node| Object::of(node, &self.variables, text);
        let first = declarator.child_by_field_name("value").map(object);
        let over = declaration.child_by_field_name("right").map(object);
        let element = |over| Object::Element(Box::new(over));
        first.or(over.map(element)).unwrap_or_default()
    }

    pub(super) fn collect(&mut self, root: Node, text: &str) {
        let mut cursor = root.walk();
        let mut stack = vec![root];
        let mut deduced = Vec::new();
        while let Some(node) = stack.pop() {
            match node.kind() {
                "declaration"
                | "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration"
                | "for_range_loop"
                | "condition_clause" => {
                    self.declared_by(node, text, &mut deduced);
                }
                "structured_binding_declarator" => {
                    for name in node.named_children(&mut cursor) {
                        self.values.insert(text_of(name, text).into());
                        self.variables.add(text_of(name, text), Object::Unknown);
                    }
                }
                "lambda_capture_initializer" => {
                    if let Some(name) = node.named_child(0) {
                        self.values.insert(text_of(name, text).into());
                        self.variables.add(text_of(name, text), Object::Unknown);
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
        // In the order of the text, for one may begin with another.
        deduced.sort_by_key(|[_, _, name]| name.start_byte());
        for [declaration, declarator, name] in deduced {
            let object = self.deduced(declaration, declarator, text);
            self.variables.add(text_of(name, text), object);
        }
    }
}

/// Returns `true` if the apparent parameters of a function are declarations with names or built-in types.
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

/// Puts the mentions of a declaration into the lists where they belong.
pub(super) struct Collect<'a> {
    pub(super) text: &'a str,
    /// The position of the text in the file.
    pub(super) start: usize,
    pub(super) locals: &'a Locals,
    pub(super) inner_locals: &'a [Locals],
    pub(super) item: &'a mut Item,
}

/// A node on the way down, and its surroundings.
#[derive(Clone, Copy)]
struct Step<'a> {
    node: Node<'a>,
    parent: Option<Node<'a>>,
    grandparent: Option<Node<'a>>,
    /// True if types are only named here: the signature of a function without its body.
    signature: bool,
}

impl Collect<'_> {
    /// Adds the mentions below a node.
    pub(super) fn walk(&mut self, root: Node) {
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
    pub(super) fn every_name(&mut self) {
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

    /// The list for mentions at a byte, the names that are local there, and whether the byte is code.
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
                    mentions.scoped.remove(name);
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
                if parent_kind == "field_initializer" {
                    let (on, arrow) = (Object::This, true);
                    let name = text_of(node, text).into();
                    let member = Member { on, arrow, name };
                    self.uses(byte).members.push((member, Use::Value));
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
                    let operands = ["left", "right", "argument"];
                    let operands = operands.map(|field| node.child_by_field_name(field));
                    self.note_operator(byte, &name, operands.into_iter().flatten());
                    self.bucket(byte).0.operators.insert(name.into());
                }
            }
            "this" => self.uses(byte).this = true,
            "call_expression" => {
                self.note_same_name(node);
                // An object that is called as a function is.
                if let Some(callee) = node.child_by_field_name("function")
                    && callee.kind() == "identifier"
                    && self.bucket(byte).1.values.contains(text_of(callee, text))
                {
                    self.note_operator(byte, "operator()", [callee].into_iter());
                }
            }
            "subscript_expression" => {
                let object = node.child_by_field_name("argument");
                self.note_operator(byte, "operator[]", object.into_iter());
                self.bucket(byte).0.operators.insert("operator[]".into());
            }
            "field_expression" => {
                let locals = self.bucket(byte).1;
                let is_called = parent_kind == "call_expression";
                let how = if is_called { Use::Call } else { Use::Value };
                if let Some(member) = Member::of(node, &locals.variables, text) {
                    self.uses(byte).members.push((member, how));
                }
            }
            "literal_suffix" => {
                let name = format!("operator\"\"{}", text_of(node, text));
                self.bucket(byte).0.values.insert(name.into());
            }
            "for_range_loop" => {
                if let Some(over) = node.child_by_field_name("right") {
                    let on = Object::of(over, &self.bucket(byte).1.variables, text);
                    let arrow = false;
                    let name = Box::from("begin");
                    let member = Member { on, arrow, name };
                    self.uses(byte).members.push((member, Use::Loop));
                }
                let mentions = self.bucket(byte).0;
                mentions
                    .values
                    .extend([Box::from("begin"), Box::from("end")]);
            }
            _ => {}
        }
    }

    /// The uses of a function at a byte.
    fn uses(&mut self, byte: usize) -> &mut Uses {
        match self.item.inner_at(self.start + byte) {
            Some(number) => &mut self.item.inner[number].uses,
            None => &mut self.item.uses,
        }
    }

    /// Notes an operator with the operands that may be of a class.
    fn note_operator<'n>(
        &mut self,
        byte: usize,
        name: &str,
        operands: impl Iterator<Item = Node<'n>>,
    ) {
        let text = self.text;
        let variables = &self.bucket(byte).1.variables;
        let may_be = |object: &Object| match object {
            Object::Unknown => false,
            Object::Typed(typed) => !typed.is_standard,
            _ => true,
        };
        let operands: Vec<Object> = operands
            .map(|operand| Object::of(operand, variables, text))
            .filter(may_be)
            .collect();
        if !operands.is_empty() {
            self.uses(byte).operators.push((name.into(), operands));
        }
    }

    /// Notes a call of the function's own name.
    fn note_same_name(&mut self, call: Node) {
        let inner = self.item.inner_at(self.start + call.start_byte());
        let name = match inner {
            Some(number) => Some(&*self.item.inner[number].name),
            None => self.item.function_name(),
        };
        let called = name.and_then(|name| SameName::of(call, name, self.text));
        if let Some(called) = called {
            match inner {
                Some(number) => self.item.inner[number].same_name.push(called),
                None => self.item.same_name.push(called),
            }
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
            note(&mut self.item.elaborated, name);
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
        let is_friend = step
            .parent
            .is_some_and(|parent| parent.kind() == "friend_declaration");
        if is_friend {
            self.item.befriended.insert(name.clone());
        }
        let signature = is_friend || step.signature || step.parent.is_some_and(is_pointed);
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
        let is_called = step
            .parent
            .is_some_and(|parent| parent.kind() == "call_expression");
        match last.kind() {
            "identifier" | "template_function" | "operator_name" => {
                mentions.qualified.insert(name.clone());
                if is_called {
                    mentions.scoped.remove(&name);
                } else if !mentions.values.contains(&name) {
                    mentions.scoped.insert(name.clone());
                }
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
