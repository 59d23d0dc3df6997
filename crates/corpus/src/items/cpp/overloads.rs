//! The differences between functions of one name: their parameters, and the arguments of calls.
//!
//! The types of arguments need a compiler. The number of arguments does not, and it distinguishes most calls of an
//! overload from a function that calls itself.

use barecode_languages::lex::lex;
use tree_sitter::Node;

use crate::items::spelling::{declarators_of, qualified, simple_name, text_of};
use crate::syntax::declared_name;

/// The parameters of a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters {
    /// Their types, as written; the same for declarations of the same function.
    pub types: Box<str>,
    /// The fewest arguments that it accepts.
    pub least: u16,
    /// The most; the largest number if any number is accepted.
    pub most: u16,
}

impl Parameters {
    /// Returns `true` if a call with this many arguments may mean it.
    pub(crate) fn take(&self, arguments: Option<u16>) -> bool {
        arguments.is_none_or(|count| (self.least..=self.most).contains(&count))
    }

    /// The parameters in a declaration or definition.
    pub(super) fn of(declaration: Node, text: &str) -> Parameters {
        let mut declarators = declarators_of(declaration);
        let declarator = declarators.find(|node| node.kind() == "function_declarator");
        let list = declarator.and_then(|node| node.child_by_field_name("parameters"));
        let mut parameters = Parameters::default();
        let Some(list) = list else {
            return parameters;
        };
        let mut types = Vec::new();
        let mut cursor = list.walk();
        for child in list.children(&mut cursor) {
            match child.kind() {
                "parameter_declaration" => {
                    parameters.least += 1;
                    parameters.most = parameters.most.saturating_add(1);
                }
                "optional_parameter_declaration" => {
                    parameters.most = parameters.most.saturating_add(1);
                }
                "variadic_parameter_declaration" | "variadic_parameter" | "..." => {
                    parameters.most = u16::MAX;
                }
                _ => continue,
            }
            types.push(type_of(child, text));
        }
        if types == ["void"] {
            return Parameters::default();
        }
        parameters.types = types.join(",").into();
        parameters
    }
}

/// The words of a parameter without its name and its default.
fn type_of(parameter: Node, text: &str) -> String {
    let end = parameter
        .child_by_field_name("default_value")
        .map_or(parameter.end_byte(), |value| value.start_byte());
    let name = parameter
        .child_by_field_name("declarator")
        .and_then(declared_name)
        .map_or(end..end, |name| name.byte_range());
    let shown = text.get(parameter.start_byte()..end).unwrap_or_default();
    let start = parameter.start_byte();
    let words = lex(shown).into_iter();
    let words = words.filter(|token| !name.contains(&(start + token.start)));
    let words = words.map(|token| token.text(shown));
    words
        .filter(|word| *word != "=")
        .collect::<Vec<_>>()
        .join(" ")
}

/// The scope in which a call looks for the function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CalledIn {
    /// The scope of the call: `f()`, `this->f()`.
    Here,
    /// Outside of all scopes: `::f()`.
    Global,
    /// In a class or namespace: `A::f()`.
    Scope(Box<str>),
}

/// A call of a name in a function that has the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SameName {
    /// Number of its arguments, if it can be determined.
    pub arguments: Option<u16>,
    /// The scope in which the name is looked up.
    pub within: CalledIn,
}

impl SameName {
    /// Of a call expression, if it calls `name`.
    pub(super) fn of(call: Node, name: &str, text: &str) -> Option<SameName> {
        let callee = call.child_by_field_name("function")?;
        let (within, last) = match callee.kind() {
            "identifier" | "template_function" => (CalledIn::Here, callee),
            "qualified_identifier" => {
                let (qualifiers, last) = qualified(callee, text);
                if qualifiers.first().is_some_and(|first| &**first == "std") {
                    return None;
                }
                let within = qualifiers.last().cloned();
                (within.map_or(CalledIn::Global, CalledIn::Scope), last)
            }
            "field_expression" => {
                let object = callee.child_by_field_name("argument")?;
                if object.kind() != "this" {
                    return None;
                }
                let field = callee.child_by_field_name("field")?;
                match field.kind() {
                    "qualified_identifier" => {
                        let (qualifiers, last) = qualified(field, text);
                        (CalledIn::Scope(qualifiers.last()?.clone()), last)
                    }
                    _ => (CalledIn::Here, field),
                }
            }
            _ => return None,
        };
        if *simple_name(last, text) != *name {
            return None;
        }
        let list = call.child_by_field_name("arguments")?;
        let mut cursor = list.walk();
        let given: Vec<Node> = list
            .named_children(&mut cursor)
            .filter(|argument| argument.kind() != "comment")
            .collect();
        // A pack may be any number of them, and so may a macro's call.
        let is_unclear = |argument: &&Node| {
            argument.kind() == "parameter_pack_expansion"
                || argument.is_error()
                || text_of(**argument, text).ends_with("...")
        };
        let counted = given.iter().find(is_unclear).is_none();
        Some(SameName {
            arguments: u16::try_from(given.len()).ok().filter(|_| counted),
            within,
        })
    }
}
