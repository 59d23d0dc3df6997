//! The objects that members and operators are used on, as far as declarations show them.
//!
//! The class of a member depends on the type of the object before it. Most objects are plain: a parameter or a
//! variable whose declaration names a type, a member of such an object, the result of a function. Their types follow
//! from declarations alone; all others are unknown here.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tree_sitter::Node;

use crate::items::spelling::{nested_declarators, qualified, simple_name, text_of};

/// The maximum depth at which expressions and types are followed.
const MAX_NEST: usize = 12;

/// A type, as far as members depend on it: without `const`, references and the scopes before its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// Its name.
    pub name: Box<str>,
    /// True if it belongs to the language or to namespace `std`.
    pub is_standard: bool,
    /// The number of pointers or arrays that lead to a value of it.
    pub pointers: u8,
    /// The first of its template's arguments, if that is a type.
    pub of: Option<Box<Typed>>,
}

/// An expression before `.` or `->`, or beside an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Object {
    /// Of no type that is known here.
    #[default]
    Unknown,
    /// `this`.
    This,
    /// Of a type that is written down.
    Typed(Typed),
    /// A name that the function does not declare.
    Name(Box<str>),
    /// The result of a function, or of the constructor of a class, of this name.
    Function(Box<str>),
    /// A member of an object.
    Field(Box<Member>),
    /// The result of a method of an object.
    Method(Box<Member>),
    /// The value that a pointer points to, or an element of a container.
    Element(Box<Object>),
}

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The object.
    pub on: Object,
    /// True if `->` is before the member.
    pub arrow: bool,
    /// The member.
    pub name: Box<str>,
}

/// The use of a member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Use {
    /// Read or written.
    Value,
    /// Called.
    Call,
    /// Called by a loop over the object.
    Loop,
}

/// Members and operators that a function uses.
#[derive(Debug, Clone, Default)]
pub struct Uses {
    /// Members of objects.
    pub members: Vec<(Member, Use)>,
    /// Operators, as functions are named, and their operands.
    pub operators: Vec<(Box<str>, Vec<Object>)>,
    /// True if it is `this`.
    pub this: bool,
}

/// The variables of a function by name; one that is declared twice with different types is unknown.
#[derive(Debug, Clone, Default)]
pub(super) struct Variables(BTreeMap<Box<str>, Object>);

impl Variables {
    pub(super) fn add(&mut self, name: &str, object: Object) {
        match self.0.entry(name.into()) {
            Entry::Vacant(entry) => {
                entry.insert(object);
            }
            Entry::Occupied(mut entry) if *entry.get() != object => {
                entry.insert(Object::Unknown);
            }
            Entry::Occupied(_) => {}
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<&Object> {
        self.0.get(name)
    }
}

impl Typed {
    /// The type that a declarator of a declaration, or a type that stands alone, declares; for a function the type of
    /// its result.
    pub(super) fn of(declaration: Node, declarator: Option<Node>, text: &str) -> Option<Typed> {
        let mut found = Self::named(declaration.child_by_field_name("type")?, text, 0)?;
        for node in declarator.into_iter().flat_map(nested_declarators) {
            match node.kind() {
                "pointer_declarator"
                | "array_declarator"
                | "abstract_pointer_declarator"
                | "abstract_array_declarator" => {
                    found.pointers = found.pointers.saturating_add(1);
                }
                // A pointer to a function, or a pack.
                "parenthesized_declarator" | "variadic_declarator" => return None,
                _ => {}
            }
        }
        Some(found)
    }

    /// A type as it is written.
    fn named(node: Node, text: &str, depth: usize) -> Option<Typed> {
        let plain = |name: &str, is_standard| Typed {
            name: name.into(),
            is_standard,
            pointers: 0,
            of: None,
        };
        if depth > MAX_NEST {
            return None;
        }
        Some(match node.kind() {
            "primitive_type" | "sized_type_specifier" => plain(text_of(node, text), true),
            "type_identifier" => plain(text_of(node, text), false),
            "struct_specifier" | "class_specifier" | "union_specifier" => {
                return Self::named(node.child_by_field_name("name")?, text, depth + 1);
            }
            "template_type" => {
                let mut found = plain(text_of(node.child_by_field_name("name")?, text), false);
                let first = node.child_by_field_name("arguments")?.named_child(0);
                found.of = first.and_then(|it| Self::described(it, text)).map(Box::new);
                found
            }
            "qualified_identifier" => {
                let (qualifiers, last) = qualified(node, text);
                let mut found = Self::named(last, text, depth + 1)?;
                found.is_standard |= qualifiers.first().is_some_and(|first| &**first == "std");
                found
            }
            "dependent_type" => return Self::named(node.named_child(0)?, text, depth + 1),
            _ => return None,
        })
    }

    /// A type that stands alone: an argument of a template, the type of a cast.
    fn described(node: Node, text: &str) -> Option<Typed> {
        let is_type = node.kind() == "type_descriptor";
        is_type.then(|| Self::of(node, node.child_by_field_name("declarator"), text))?
    }
}

impl Object {
    /// An expression of a function with these variables.
    pub(super) fn of(expression: Node, variables: &Variables, text: &str) -> Object {
        Self::within(expression, variables, text, 0).unwrap_or_default()
    }

    fn within(node: Node, variables: &Variables, text: &str, depth: usize) -> Option<Object> {
        if depth > MAX_NEST {
            return None;
        }
        let object = |node: Node| Self::within(node, variables, text, depth + 1);
        let typed = |node: Node, more: u8| {
            let mut typed = Typed::described(node, text).or_else(|| Typed::named(node, text, 0))?;
            typed.pointers = typed.pointers.saturating_add(more);
            Some(Object::Typed(typed))
        };
        match node.kind() {
            "this" => Some(Object::This),
            "identifier" => {
                let name = text_of(node, text);
                let variable = variables.get(name).cloned();
                Some(variable.unwrap_or_else(|| Object::Name(name.into())))
            }
            "parenthesized_expression" => object(node.named_child(0)?),
            "conditional_expression" => object(node.child_by_field_name("consequence")?),
            "field_expression" => Some(Object::Field(Box::new(Member::within(
                node, variables, text, depth,
            )?))),
            "subscript_expression" => Some(Object::Element(Box::new(object(
                node.child_by_field_name("argument")?,
            )?))),
            "pointer_expression" if text_of(node, text).starts_with('*') => Some(Object::Element(
                Box::new(object(node.child_by_field_name("argument")?)?),
            )),
            "cast_expression" | "compound_literal_expression" => {
                typed(node.child_by_field_name("type")?, 0)
            }
            "new_expression" => typed(node.child_by_field_name("type")?, 1),
            "call_expression" => {
                let callee = node.child_by_field_name("function")?;
                match callee.kind() {
                    "field_expression" => Some(Object::Method(Box::new(Member::within(
                        callee, variables, text, depth,
                    )?))),
                    "identifier" => {
                        let name = text_of(callee, text);
                        let is_own = variables.get(name).is_some();
                        (!is_own).then(|| Object::Function(name.into()))
                    }
                    "template_function" | "qualified_identifier" => {
                        let (qualifiers, last) = qualified(callee, text);
                        let name = simple_name(last, text);
                        let arguments = last.child_by_field_name("arguments");
                        let first = arguments.and_then(|list| list.named_child(0));
                        match (&*name, first) {
                            ("make_unique" | "make_shared", Some(first)) => typed(first, 1),
                            (_, Some(first)) if name.ends_with("_cast") => typed(first, 0),
                            _ if qualifiers.first().is_some_and(|it| &**it == "std") => None,
                            _ => Some(Object::Function(name)),
                        }
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

impl Member {
    /// Of a field expression.
    pub(super) fn of(node: Node, variables: &Variables, text: &str) -> Option<Member> {
        Self::within(node, variables, text, 0)
    }

    fn within(node: Node, variables: &Variables, text: &str, depth: usize) -> Option<Member> {
        let on = node.child_by_field_name("argument")?;
        let field = node.child_by_field_name("field")?;
        let last = match field.kind() {
            "field_identifier" => field,
            "template_method" => field.child_by_field_name("name")?,
            _ => return None,
        };
        Some(Member {
            on: Object::within(on, variables, text, depth + 1).unwrap_or_default(),
            arrow: text_of(node.child_by_field_name("operator")?, text) == "->",
            name: text_of(last, text).into(),
        })
    }
}
