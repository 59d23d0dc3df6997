//! Calls whose arguments are all constants: the arguments that test code passes to the program.

use std::collections::BTreeSet;
use std::fmt;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Arguments, Expr};
use ruff_text_size::Ranged;

use crate::{Constant, Module};

/// A call whose arguments are all constants. It prints as Python.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The name that the called expression begins with: `Solution` of `Solution().solve(3)`.
    pub root: String,
    /// The called expression: `Solution().solve`.
    pub function: String,
    /// The arguments, each with its name if it has one.
    pub arguments: Vec<(Option<String>, Constant)>,
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({})", self.function, self.given())
    }
}

impl Call {
    /// The arguments as Python.
    pub fn given(&self) -> String {
        let arguments = self.arguments.iter().map(|(name, value)| match name {
            Some(name) => format!("{name}={value}"),
            None => value.to_string(),
        });
        arguments.collect::<Vec<_>>().join(", ")
    }
}

impl Module<'_> {
    /// The names that the module itself binds, imported ones among them.
    pub fn own_names(&self) -> BTreeSet<String> {
        let names = self.scopes().names().iter();
        let own = names.filter(|name| name.binding == Some(0));
        own.map(|name| name.name.to_string()).collect()
    }

    /// The calls whose arguments are all constants, in order, of functions that are reached by a name and constants.
    pub fn constant_calls(&self) -> Vec<Call> {
        let mut calls = Calls {
            module: self,
            found: Vec::new(),
        };
        calls.visit_body(self.body());
        calls.found
    }
}

struct Calls<'m, 't> {
    module: &'m Module<'t>,
    found: Vec<Call>,
}

impl<'a> Visitor<'a> for Calls<'_, '_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        if let Expr::Call(call) = expression
            && let Some(root) = root(&call.func)
            && let Some(arguments) = constants(&call.arguments)
        {
            self.found.push(Call {
                root: root.to_owned(),
                function: self.module.of(call.func.range()).to_owned(),
                arguments,
            });
        }
        walk_expr(self, expression);
    }
}

/// The name that an expression begins with, if only attributes and calls with constants follow it.
fn root(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Name(name) => Some(name.id.as_str()),
        Expr::Attribute(attribute) => root(&attribute.value),
        Expr::Call(call) => constants(&call.arguments).and_then(|_| root(&call.func)),
        _ => None,
    }
}

/// The arguments of a call, if all are constants.
fn constants(arguments: &Arguments) -> Option<Vec<(Option<String>, Constant)>> {
    let places = arguments.args.iter();
    let places = places.map(|argument| Some((None, Constant::of(argument)?)));
    let names = arguments.keywords.iter().map(|keyword| {
        let name = keyword.arg.as_ref()?.to_string();
        Some((Some(name), Constant::of(&keyword.value)?))
    });
    places.chain(names).collect()
}

#[cfg(test)]
mod tests {
    use crate::Module;

    #[test]
    fn calls_with_constants_are_found_and_print_as_python() {
        let text = "assert f(1, 'it\\'s\\n', [(-2.5,), {1}], key={'a': b'x'}) == g(x)\n\
                    assert Solution().solve(3) in h(*[1])\n";
        let module = Module::parse(text).unwrap();
        let calls = module.constant_calls();
        let calls: Vec<(&str, String)> = (calls.iter())
            .map(|call| (call.root.as_str(), call.to_string()))
            .collect();
        assert_eq!(
            calls,
            [
                (
                    "f",
                    r"f(1, 'it\'s\n', [(-2.5,), {1}], key={'a': b'\x78'})".to_owned()
                ),
                ("Solution", "Solution().solve(3)".to_owned()),
                ("Solution", "Solution()".to_owned()),
            ]
        );
    }
}
