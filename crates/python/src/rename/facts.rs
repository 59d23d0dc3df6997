//! The facts that decide if a name can change, besides its meaning: the code that may see the name itself.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use memchr::memmem;
use ruff_python_ast::visitor::source_order::{self, SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{
    self as ast, AnyNodeRef, Decorator, Expr, InterpolatedStringElement, Parameters, Stmt,
};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::words::{exports, list};
use crate::Module;

/// The definition of a name, if it is not an assignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Definition {
    Function {
        plainly_decorated: bool,
    },
    Class {
        plain: bool,
    },
    /// `import a`, `from a import b`.
    Import,
    TypeParameter,
    TypeAlias,
}

/// Attributes that lead to names: of frames, code objects, modules and classes.
static REFLECTION: LazyLock<Vec<&str>> = LazyLock::new(|| list("reflection"));

/// Attributes that are names.
const NAMES: [&str; 2] = ["__name__", "__qualname__"];

/// Modules that look at code objects, frames or modules.
static REFLECTING: LazyLock<Vec<&str>> = LazyLock::new(|| list("reflecting"));

/// The uses of names as texts in a module. Lists are sorted.
#[derive(Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(super) struct Facts<'m> {
    /// By where the name of the definition begins.
    definitions: Vec<(TextSize, Definition)>,
    /// Names of keyword arguments, of calls and of classes.
    pub(super) keywords: Vec<&'m str>,
    /// True if a call has `**` with keys from elsewhere than a `**` parameter.
    pub(super) has_splat: bool,
    /// True if the module looks at code objects, frames or modules.
    pub(super) reflects: bool,
    /// True if `__name__` or `__qualname__` is an attribute or a string.
    pub(super) asks_names: bool,
    /// Modules with `from … import *`.
    pub(super) stars: Vec<&'m str>,
    /// The starts of parameters that other code passes by keyword: those of decorated functions and of tests.
    pub(super) foreign_parameters: Vec<TextSize>,
    /// The positions where a class is used and not shown.
    pub(super) unseen_classes: Vec<TextSize>,
    /// True if the class of an object may be shown.
    pub(super) asks_class: bool,
    /// True if `__class__` is an attribute.
    pub(super) has_class_attribute: bool,
    /// `{x=}`, which shows its own text.
    pub(super) shown: Vec<TextRange>,
    /// Words of texts that are code: annotations, examples of docstrings, setups of timers.
    pub(super) code_words: Vec<&'m str>,
    /// Strings that are names.
    pub(super) name_strings: Vec<&'m str>,
    /// True if some string formats the name of the function that logs.
    pub(super) logs_functions: bool,
    /// The starts of calls of `vars` and `dir` that are about their argument only.
    pub(super) harmless: Vec<TextSize>,
    splats: Vec<&'m str>,
    keyword_parameters: Vec<&'m str>,
    in_annotation: u32,
}

fn sorted<T: Ord>(list: &mut Vec<T>) {
    list.sort_unstable();
    list.dedup();
}

impl<'m> Facts<'m> {
    pub(super) fn of(module: &'m Module<'_>) -> Self {
        let mut facts = Facts::default();
        facts.visit_body(module.body());
        let forwarded = |name: &&str| facts.keyword_parameters.contains(name);
        facts.has_splat |= !facts.splats.iter().all(forwarded);
        facts.definitions.sort_unstable_by_key(|(start, _)| *start);
        sorted(&mut facts.keywords);
        sorted(&mut facts.stars);
        sorted(&mut facts.foreign_parameters);
        sorted(&mut facts.unseen_classes);
        sorted(&mut facts.code_words);
        sorted(&mut facts.name_strings);
        sorted(&mut facts.harmless);
        facts
    }

    /// Names that the star imports may bind; `None` if one of their modules is not known.
    pub(super) fn star_names(&self) -> Option<BTreeSet<&'static str>> {
        let exports = self.stars.iter().map(|module| exports(module));
        let exports: Option<Vec<_>> = exports.collect();
        Some(exports?.into_iter().flatten().collect())
    }

    /// The definition of the name that begins at a position.
    pub(super) fn defined_at(&self, start: TextSize) -> Option<Definition> {
        let found = self.definitions.binary_search_by_key(&start, |(at, _)| *at);
        found.ok().map(|index| self.definitions[index].1)
    }

    fn add_words(&mut self, text: &'m str) {
        self.code_words.extend(words(text));
    }

    fn string(&mut self, text: &'m str) {
        let has = |word: &str| memmem::find(text.as_bytes(), word.as_bytes()).is_some();
        if self.in_annotation > 0 || has("__main__") && text != "__main__" {
            self.add_words(text);
        }
        self.logs_functions |= has("funcName");
        if is_name(text) {
            self.asks_names |= NAMES.contains(&text);
            self.name_strings.push(text);
        }
    }

    fn module(&mut self, name: &str) {
        self.reflects |= REFLECTING.contains(&name);
    }

    fn definition(&mut self, name: &ast::Identifier, definition: Definition) {
        self.definitions.push((name.start(), definition));
    }

    fn parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            self.foreign_parameters.push(parameter.name().start());
        }
    }

    fn unseen(&mut self, expression: &'m Expr) {
        match expression {
            Expr::Name(name) => {
                self.unseen_classes.push(name.start());
            }
            Expr::Tuple(tuple) => tuple.elts.iter().for_each(|it| self.unseen(it)),
            Expr::Subscript(subscript) => {
                self.unseen(&subscript.value);
                self.unseen(&subscript.slice);
            }
            Expr::BinOp(operation) => {
                self.unseen(&operation.left);
                self.unseen(&operation.right);
            }
            _ => {}
        }
    }

    fn call(&mut self, call: &'m ast::ExprCall) {
        self.unseen(&call.func);
        let called = match &*call.func {
            Expr::Name(name) => name.id.as_str(),
            Expr::Attribute(attribute) => attribute.attr.as_str(),
            _ => "",
        };
        let arguments = &call.arguments.args;
        match called {
            "isinstance" | "issubclass" | "super" => {
                arguments.iter().for_each(|argument| self.unseen(argument));
            }
            "vars" | "dir" if !arguments.is_empty() => {
                self.harmless.push(call.func.start());
            }
            "type" if arguments.len() == 1 => self.asks_class = true,
            // `type("Point", …)`, `timeit("f()")`, `cProfile.run("main()")`.
            "timeit" | "repeat" | "Timer" | "run" | "runctx" | "cast" | "TypeVar" => {
                let values = call.arguments.keywords.iter().map(|keyword| &keyword.value);
                for argument in arguments.iter().chain(values) {
                    if let Expr::StringLiteral(string) = argument {
                        self.add_words(string.value.to_str());
                    }
                }
            }
            _ => {}
        }
        for keyword in &call.arguments.keywords {
            // `Thread(target=f, kwargs={"x": 1})`.
            let named = keyword.arg.as_ref().map(ast::Identifier::as_str);
            self.has_splat |= matches!(named, Some("kwargs" | "kwds"));
        }
    }

    /// The examples of a docstring are code.
    fn docstring(&mut self, body: &'m [Stmt]) {
        let Some(Stmt::Expr(first)) = body.first() else {
            return;
        };
        let Expr::StringLiteral(docstring) = &*first.value else {
            return;
        };
        let text = docstring.value.to_str();
        if memmem::find(text.as_bytes(), b">>>").is_none() {
            return;
        }
        let mut is_example = false;
        for line in text.lines().map(str::trim_start) {
            is_example = line.starts_with(">>>") || is_example && line.starts_with("...");
            if is_example {
                self.add_words(line);
            }
        }
    }
}

/// The words of a text that can be names.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    parts.filter(|part| part.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

/// Returns `true` if a text is a word that can be a name.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// Decorators that neither call what they decorate by keyword nor look at its name.
fn is_plain(decorator: &Decorator) -> bool {
    static PLAIN: LazyLock<Vec<&str>> = LazyLock::new(|| list("plain_decorators"));
    let called = match &decorator.expression {
        Expr::Call(call) => &*call.func,
        other => other,
    };
    match called {
        Expr::Name(name) => PLAIN.contains(&name.id.as_str()),
        Expr::Attribute(attribute) => PLAIN.contains(&attribute.attr.as_str()),
        _ => false,
    }
}

impl<'a> SourceOrderVisitor<'a> for Facts<'a> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        match node {
            AnyNodeRef::Keyword(keyword) => match &keyword.arg {
                Some(name) => self.keywords.push(name),
                None => match &keyword.value {
                    Expr::Name(name) => self.splats.push(&name.id),
                    _ => self.has_splat = true,
                },
            },
            AnyNodeRef::Parameters(parameters) => {
                let name = parameters.kwarg.as_deref().map(|it| it.name.as_str());
                self.keyword_parameters.extend(name);
            }
            AnyNodeRef::StringLiteral(literal) => self.string(&literal.value),
            AnyNodeRef::ExceptHandlerExceptHandler(handler) => {
                handler.type_.iter().for_each(|type_| self.unseen(type_));
            }
            _ => {}
        }
        TraversalSignal::Traverse
    }

    fn visit_body(&mut self, body: &'a [Stmt]) {
        self.docstring(body);
        source_order::walk_body(self, body);
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        self.unseen(annotation);
        self.in_annotation += 1;
        source_order::walk_annotation(self, annotation);
        self.in_annotation -= 1;
    }

    fn visit_interpolated_string_element(&mut self, element: &'a InterpolatedStringElement) {
        if let InterpolatedStringElement::Interpolation(part) = element
            && part.debug_text.is_some()
        {
            self.shown.push(part.range());
        }
        source_order::walk_interpolated_string_element(self, element);
    }

    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                let plainly_decorated = function.decorator_list.iter().all(is_plain);
                self.definition(&function.name, Definition::Function { plainly_decorated });
                if !plainly_decorated || function.name.starts_with("test") {
                    self.parameters(&function.parameters);
                }
            }
            Stmt::ClassDef(class) => {
                let arguments = class.arguments.as_deref();
                let bases = arguments.map_or(&[][..], |it| &it.args);
                for base in bases {
                    self.unseen(base);
                }
                // The bases that are classes of the module are looked at later: they are plain themselves, or not.
                let plain = class.decorator_list.iter().all(is_plain)
                    && arguments.is_none_or(|it| it.keywords.is_empty());
                self.definition(&class.name, Definition::Class { plain });
            }
            Stmt::TypeAlias(alias) => {
                if let Expr::Name(name) = &*alias.name {
                    let definition = (name.start(), Definition::TypeAlias);
                    self.definitions.push(definition);
                }
            }
            Stmt::Import(import) => {
                for alias in &import.names {
                    self.module(&alias.name);
                    if alias.asname.is_none() {
                        self.definition(&alias.name, Definition::Import);
                    }
                }
            }
            Stmt::ImportFrom(import) => {
                let module = import.module.as_deref().unwrap_or_default();
                for alias in &import.names {
                    if alias.name.as_str() == "*" {
                        self.stars.push(module);
                    } else if alias.asname.is_none() {
                        self.definition(&alias.name, Definition::Import);
                    }
                }
                self.module(module);
            }
            Stmt::Raise(raise) => raise.exc.iter().for_each(|it| self.unseen(it)),
            _ => {}
        }
        source_order::walk_stmt(self, statement);
    }

    fn visit_type_param(&mut self, parameter: &'a ast::TypeParam) {
        self.definition(parameter.name(), Definition::TypeParameter);
        source_order::walk_type_param(self, parameter);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Call(call) => self.call(call),
            Expr::Attribute(attribute) => {
                self.unseen(&attribute.value);
                let name = attribute.attr.as_str();
                self.reflects |= REFLECTION.contains(&name);
                self.asks_names |= NAMES.contains(&name);
                self.has_class_attribute |= name == "__class__";
            }
            Expr::Compare(comparison) => {
                let asked = self.asks_class;
                let operands = comparison.comparators.iter().chain([&*comparison.left]);
                for operand in operands {
                    self.unseen(operand);
                    // `type(a) == type(b)` shows nothing.
                    match operand {
                        Expr::Call(call) if !asked => {
                            let inner = self.asks_class;
                            self.visit_expr(&call.func);
                            let keywords = call.arguments.keywords.iter();
                            keywords.for_each(|it| self.visit_keyword(it));
                            self.asks_class = inner;
                            let arguments = &call.arguments.args;
                            arguments.iter().for_each(|it| self.visit_expr(it));
                        }
                        _ => self.visit_expr(operand),
                    }
                }
                return;
            }
            _ => {}
        }
        source_order::walk_expr(self, expression);
    }
}
