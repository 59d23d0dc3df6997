//! The names that tests need of a program.

use std::collections::BTreeSet;

use ruff_python_ast::visitor::source_order::{self, SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{AnyNodeRef, Expr, Stmt};

use super::facts::words;
use crate::Module;

/// The names that test code has from elsewhere, and so from the program: names that no function of it binds, names that
/// it imports, attributes, names of keyword arguments, and strings that are names or code.
///
/// Of test code that is not Python, every word.
pub fn protected_names(tests_code: &str) -> BTreeSet<String> {
    let Ok(module) = Module::parse(tests_code) else {
        return words(tests_code).map(str::to_owned).collect();
    };
    let mut found = Found {
        names: BTreeSet::new(),
    };
    for place in module.scopes().names() {
        if place.binding.is_none_or(|binding| binding == 0) {
            found.names.insert(module.of(place.range).to_owned());
        }
    }
    found.visit_body(module.body());
    found.names
}

struct Found {
    names: BTreeSet<String>,
}

impl Found {
    fn string(&mut self, text: &str) {
        let is_code = text.contains(['(', '=', '.', '[']) && Module::parse(text).is_ok();
        if is_code || words(text).eq([text]) {
            self.names.extend(words(text).map(str::to_owned));
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Found {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        match node {
            AnyNodeRef::Keyword(keyword) => {
                let name = keyword.arg.iter().map(ToString::to_string);
                self.names.extend(name);
            }
            AnyNodeRef::StringLiteral(literal) => self.string(&literal.value),
            _ => {}
        }
        TraversalSignal::Traverse
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        if let Stmt::ImportFrom(import) = statement {
            let names = import.names.iter().map(|alias| alias.name.to_string());
            self.names.extend(names);
        }
        source_order::walk_stmt(self, statement);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Attribute(attribute) = expression {
            self.names.insert(attribute.attr.to_string());
        }
        source_order::walk_expr(self, expression);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_protect_what_they_use_and_nothing_that_they_bind() {
        let names = protected_names(
            "def check(candidate):\n    total = candidate(n=3)\n    assert total == poly([1], 2)\n    assert x.size == 'plain words' and eval('go(7)')\n",
        );
        let expected = ["check", "n", "poly", "size", "eval", "go", "x"];
        for name in expected {
            assert!(names.contains(name), "{name} in {names:?}");
        }
        for name in ["candidate", "total", "plain", "words"] {
            assert!(!names.contains(name), "{name} in {names:?}");
        }
        assert!(protected_names("assert f(1) ==").contains("f"));
    }
}
