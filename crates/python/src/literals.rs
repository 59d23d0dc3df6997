//! The constants that are written in a module.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged;

use crate::{Constant, Module};

/// A constant, or a list, tuple, set or dictionary of constants; the outermost such expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Literal {
    /// The range of the literal.
    pub range: (u32, u32),
    /// The values in it, in order: of strings their text, of numbers what Python prints.
    pub values: Vec<String>,
    /// True if it is a list, tuple, set or dictionary.
    pub is_container: bool,
}

impl Module<'_> {
    /// The constants, in order; docstrings are among them, `None`, `True`, `False` and `...` alone are not.
    pub fn literals(&self) -> Vec<Literal> {
        let mut literals = Literals(Vec::new());
        literals.visit_body(self.body());
        literals.0
    }

    /// Returns `true` if all that it does is to print constants.
    pub fn prints_constants_only(&self) -> bool {
        let mut prints = 0;
        let is_plain = self.body().iter().all(|statement| match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) | Stmt::Pass(_) => true,
            Stmt::Expr(statement) => match &*statement.value {
                Expr::Call(call) => {
                    prints += 1;
                    let is_print = match &*call.func {
                        Expr::Name(name) => self.scopes().is_builtin(name.start(), "print"),
                        Expr::Attribute(attribute) => {
                            attribute.attr.as_str() == "write"
                                && self.of(attribute.value.range()).ends_with("stdout")
                        }
                        _ => false,
                    };
                    let keywords = call.arguments.keywords.iter().map(|one| &one.value);
                    let mut given = call.arguments.args.iter().chain(keywords);
                    is_print && given.all(|one| Constant::of(one).is_some())
                }
                other => Constant::of(other).is_some(),
            },
            _ => false,
        });
        is_plain && prints > 0
    }
}

impl Module<'_> {
    /// Returns the number of checks that it makes as test code: `assert` statements, and calls of `assert…` methods of
    /// unittest.
    pub fn assertions(&self) -> usize {
        struct Assertions(usize);

        impl<'a> Visitor<'a> for Assertions {
            fn visit_stmt(&mut self, statement: &'a Stmt) {
                self.0 += usize::from(statement.is_assert_stmt());
                walk_stmt(self, statement);
            }

            fn visit_expr(&mut self, expression: &'a Expr) {
                if let Expr::Call(call) = expression {
                    let name = match &*call.func {
                        Expr::Attribute(attribute) => attribute.attr.as_str(),
                        Expr::Name(name) => name.id.as_str(),
                        _ => "",
                    };
                    let checks = name.starts_with("assert") || name == "raises";
                    self.0 += usize::from(checks);
                }
                walk_expr(self, expression);
            }
        }

        let mut found = Assertions(0);
        found.visit_body(self.body());
        found.0
    }
}

struct Literals(Vec<Literal>);

impl<'a> Visitor<'a> for Literals {
    fn visit_expr(&mut self, expression: &'a Expr) {
        let Some(constant) = Constant::of(expression) else {
            return walk_expr(self, expression);
        };
        let is_alone = matches!(
            expression,
            Expr::NoneLiteral(_) | Expr::BooleanLiteral(_) | Expr::EllipsisLiteral(_)
        );
        if !is_alone {
            let range = expression.range();
            let is_container = constant.is_container();
            let mut values = Vec::new();
            constant.add_values(&mut values);
            self.0.push(Literal {
                range: (range.start().to_u32(), range.end().to_u32()),
                values,
                is_container,
            });
        }
    }
}
