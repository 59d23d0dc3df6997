//! The attributes that a module defines, and those that can change: [`attributes`].
//!
//! Python looks attributes up by spelling when it runs, so attributes of one spelling change together or not at all.
//! An attribute changes only if a class of the text binds it in its body or on `self`, and if all bases of such
//! classes are in the text too. Every other occurrence must be `self.x`, `cls.x`, `super().x` or `Class.x` of a class
//! of the text, or of a parameter that has such a class for its type. An attribute that is used by a string, by a
//! pattern or by a protocol of the library stays.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use barecode_records::{Role, Span};
use ruff_python_ast::visitor::source_order::{self, SourceOrderVisitor};
use ruff_python_ast::{
    Expr, ExprAttribute, Parameter, Pattern, Stmt, StmtClassDef, StmtFunctionDef,
};
use ruff_text_size::{Ranged, TextSize};

use super::facts::{Definition, Facts};
use super::stays::{has, plain_classes};
use super::{Symbol, words};
use crate::scope::Use;
use crate::walk::{receiver, statements};
use crate::{Module, ScopeId};

/// Methods that libraries call on the objects that they are given.
static PROTOCOLS: LazyLock<Vec<&str>> = LazyLock::new(|| words::list("protocols"));

/// Functions that look attributes up by string.
const BY_STRING: [&str; 4] = ["getattr", "setattr", "hasattr", "delattr"];

/// Names that show or set all attributes of an object.
static SEES_ALL: LazyLock<Vec<&str>> = LazyLock::new(|| words::list("sees_all"));

/// The attributes that a module defines, by their first occurrence: as [`symbols`](super::symbols), in a scope of
/// their own.
pub fn attributes(module: &Module<'_>) -> Vec<Symbol> {
    let facts = Facts::of(module);
    let scopes = module.scopes();
    let mut search = Search::of(module, &facts);
    search.find();
    let Search {
        mut found,
        sees_all,
        classes,
        ..
    } = search;
    for (scope, is_plain) in &classes {
        for name in scopes.names() {
            if name.binding != Some(*scope) {
                continue;
            }
            let spelled = module.of(name.range);
            let attribute = found.entry(spelled.to_owned()).or_default();
            attribute.places.insert(name.range.start());
            attribute.classes.insert(*scope);
            if matches!(name.usage, Use::Bind) {
                attribute.is_defined = true;
                attribute.role.get_or_insert_with(|| {
                    let definition = facts.defined_at(name.range.start());
                    let is_method = matches!(definition, Some(Definition::Function { .. }));
                    if is_method { Role::Method } else { Role::Field }
                });
                if !*is_plain {
                    attribute.refuse("its class may have it from elsewhere");
                }
            }
            let in_module = scopes.flags(0, &name.name);
            if in_module.bound && name.usage == Use::Read {
                attribute.refuse("a class body may mean it or its own");
            }
        }
    }
    let attributes = found
        .into_iter()
        .filter(|(_, attribute)| attribute.is_defined);
    let mut symbols: Vec<Symbol> = attributes
        .map(|(name, attribute)| {
            let stays = attribute.refused.or_else(|| {
                if name.starts_with("__") && name.ends_with("__") {
                    Some("the language gives it a meaning")
                } else if name.starts_with("__") && attribute.classes.len() > 1 {
                    Some("each class has its own")
                } else if sees_all {
                    Some("something sees all attributes")
                } else if has(&facts.name_strings, name.as_str())
                    || has(&facts.code_words, name.as_str())
                {
                    Some("a string names it")
                } else if PROTOCOLS.binary_search(&name.as_str()).is_ok() {
                    Some("a library may look for this name")
                } else {
                    None
                }
            });
            let length = u32::try_from(name.len()).expect("the text fits in 4 GiB");
            let places = attribute.places.iter().map(|place| Span {
                start: place.to_u32(),
                end: place.to_u32() + length,
            });
            Symbol {
                role: attribute.role.unwrap_or(Role::Field),
                scope: scopes.all().len(),
                places: places.collect(),
                stays,
                is_imported: false,
                name,
            }
        })
        .collect();
    symbols.sort_by_key(|symbol| symbol.places[0].start);
    symbols
}

/// An attribute of some classes of the text.
#[derive(Debug, Default)]
struct Attribute {
    places: BTreeSet<TextSize>,
    classes: BTreeSet<ScopeId>,
    role: Option<Role>,
    is_defined: bool,
    refused: Option<&'static str>,
}

impl Attribute {
    fn refuse(&mut self, reason: &'static str) {
        self.refused.get_or_insert(reason);
    }
}

struct Search<'m, 't> {
    module: &'m Module<'t>,
    found: BTreeMap<String, Attribute>,
    sees_all: bool,
    /// The scopes of classes, and whether all that they have is in the text.
    classes: BTreeMap<ScopeId, bool>,
    /// The first parameters of methods: the scope that binds it and the name, with the class.
    selves: BTreeMap<(ScopeId, String), ScopeId>,
    /// Classes by their name in the module.
    by_name: BTreeMap<String, ScopeId>,
    /// The class that is walked.
    within: Vec<ScopeId>,
}

impl<'m, 't> Search<'m, 't> {
    fn of(module: &'m Module<'t>, facts: &Facts<'_>) -> Self {
        let mut search = Search {
            module,
            found: BTreeMap::new(),
            sees_all: false,
            classes: BTreeMap::new(),
            selves: BTreeMap::new(),
            by_name: BTreeMap::new(),
            within: Vec::new(),
        };
        let plain = plain_classes(module, facts);
        let statements = statements(module.body());
        for class in statements.iter().filter_map(|it| it.as_class_def_stmt()) {
            search.class(class, &plain);
        }
        for function in statements.iter().filter_map(|it| it.as_function_def_stmt()) {
            search.annotated(function);
        }
        search
    }

    fn class(&mut self, class: &StmtClassDef, plain: &BTreeSet<u32>) {
        let scopes = self.module.scopes();
        let Some(scope) = scopes.of_class(class) else {
            return;
        };
        let has_keywords = class
            .arguments
            .as_deref()
            .is_some_and(|arguments| !arguments.keywords.is_empty());
        let is_plain = plain.contains(&class.name.start().to_u32())
            && class.decorator_list.is_empty()
            && !has_keywords;
        self.classes.insert(scope, is_plain);
        let place = scopes.at(class.name.start());
        if place.and_then(|place| place.binding) == Some(0) {
            let name = class.name.to_string();
            let bound = scopes.of_binding(0, &name);
            if bound.filter(|place| place.usage == Use::Bind).count() == 1 {
                self.by_name.insert(name, scope);
            }
        }
        for statement in &class.body {
            let Stmt::FunctionDef(method) = statement else {
                continue;
            };
            self.sees_all |= SEES_ALL.contains(&method.name.as_str());
            if let Some(first) = receiver(method) {
                self.object(first, scope);
            }
        }
    }

    /// Notes a parameter that is an object of a class, unless it is bound again.
    fn object(&mut self, parameter: &Parameter, class: ScopeId) {
        let scopes = self.module.scopes();
        let name = parameter.name.to_string();
        let place = scopes.at(parameter.name.start());
        let Some(binding) = place.and_then(|place| place.binding) else {
            return;
        };
        let mut places = scopes.of_binding(binding, &name);
        if places.all(|place| matches!(place.usage, Use::Parameter | Use::Read)) {
            drop(places);
            self.selves.insert((binding, name), class);
        }
    }

    /// Notes the parameters that are objects of a class of the text by their type.
    fn annotated(&mut self, function: &StmtFunctionDef) {
        for parameter in &function.parameters {
            let parameter = parameter.as_parameter();
            let Some(Expr::Name(class)) = parameter.annotation.as_deref() else {
                continue;
            };
            let place = self.module.scopes().at(class.start());
            if place.and_then(|place| place.binding) == Some(0)
                && let Some(class) = self.by_name.get(class.id.as_str())
            {
                self.object(parameter, *class);
            }
        }
    }

    fn find(&mut self) {
        let body = self.module.body();
        self.visit_body(body);
    }

    /// The class of the text that an object is of.
    fn class_of(&self, object: &Expr) -> Option<ScopeId> {
        match object {
            Expr::Name(name) => {
                let place = self.module.scopes().at(name.start())?;
                let binding = place.binding?;
                if binding == 0
                    && let Some(class) = self.by_name.get(place.name.as_str())
                {
                    return Some(*class);
                }
                self.selves.get(&(binding, place.name.to_string())).copied()
            }
            Expr::Call(call) => {
                let Expr::Name(name) = &*call.func else {
                    return None;
                };
                let scopes = self.module.scopes();
                let is_super =
                    scopes.is_builtin(name.start(), "super") && call.arguments.is_empty();
                self.within.last().copied().filter(|_| is_super)
            }
            _ => None,
        }
    }

    fn attribute(&mut self, expression: &ExprAttribute) {
        let class = self.class_of(&expression.value);
        let name = expression.attr.to_string();
        let attribute = self.found.entry(name).or_default();
        let Some(class) = class else {
            attribute.refuse("elsewhere it is an attribute of something else");
            return;
        };
        attribute.places.insert(expression.attr.start());
        attribute.classes.insert(class);
        if expression.ctx.is_store() {
            attribute.is_defined = true;
            attribute.role.get_or_insert(Role::Field);
        }
        if !self.classes.get(&class).copied().unwrap_or(false) {
            attribute.refuse("its class may have it from elsewhere");
        }
    }
}

impl<'a> SourceOrderVisitor<'a> for Search<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        let scope = match statement {
            Stmt::ClassDef(class) => self.module.scopes().of_class(class),
            _ => None,
        };
        self.within.extend(scope);
        source_order::walk_stmt(self, statement);
        if scope.is_some() {
            self.within.pop();
        }
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Attribute(attribute) => {
                self.sees_all |= SEES_ALL.contains(&attribute.attr.as_str());
                self.attribute(attribute);
            }
            Expr::Name(name) => {
                self.sees_all |= SEES_ALL.contains(&name.id.as_str());
                // Called, it is seen with its arguments below; passed on, its use is unknown.
                self.sees_all |= BY_STRING.contains(&name.id.as_str());
            }
            Expr::Call(call) => {
                let called = match &*call.func {
                    Expr::Name(name) => name.id.as_str(),
                    _ => "",
                };
                if BY_STRING.contains(&called) {
                    let by = call.arguments.args.get(1);
                    self.sees_all |= !matches!(by, Some(Expr::StringLiteral(_)));
                    source_order::walk_arguments(self, &call.arguments);
                    return;
                }
            }
            _ => {}
        }
        source_order::walk_expr(self, expression);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        if let Pattern::MatchClass(class) = pattern {
            for keyword in &class.arguments.keywords {
                let attribute = self.found.entry(keyword.attr.to_string()).or_default();
                attribute.refuse("a pattern names it");
            }
        }
        source_order::walk_pattern(self, pattern);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The attributes of a text: those that can change, and those that stay.
    fn of(text: &str) -> (Vec<String>, Vec<String>) {
        let module = Module::parse(text).unwrap();
        let all = attributes(&module);
        for symbol in &all {
            for place in &symbol.places {
                assert_eq!(place.of(text), symbol.name);
            }
        }
        let named = |stays: bool| {
            let some = all.iter().filter(|symbol| symbol.stays.is_some() == stays);
            some.map(|symbol| symbol.name.clone()).collect()
        };
        (named(false), named(true))
    }

    #[test]
    fn lists_are_sorted() {
        assert!(PROTOCOLS.is_sorted());
    }

    #[test]
    fn what_a_class_of_the_text_has_can_change() {
        let (free, stay) = of("class Stack:
    limit = 3

    def __init__(self, top):
        self.top = top

    def push_all(self, values):
        for value in values:
            self.push_one(value)
        return self.top, Stack.limit

    def push_one(self, value):
        self.top = value
");
        assert_eq!(free, ["limit", "top", "push_all", "push_one"]);
        assert_eq!(stay, ["__init__"]);
    }

    #[test]
    fn what_something_else_may_have_stays() {
        let texts = [
            // Another object has it.
            "class A:\n    def __init__(self):\n        self.size = 0\n\ndef f(x):\n    return x.size\n",
            // A base that is not in the text may have it.
            "import b\nclass A(b.B):\n    def go(self):\n        return self.went\n    went = 1\n",
            // A decorator sees it.
            "import d\n@d.data\nclass A:\n    x: int = 0\n",
            // A string names it.
            "class A:\n    x = 1\nprint(getattr(A, 'x'))\n",
            // The attribute that is asked for is not known.
            "class A:\n    x = 1\ndef f(name):\n    return getattr(A, name)\n",
            "class A:\n    x = 1\n    def f(self):\n        return self.__dict__\n",
            "class A:\n    x = 1\n    def __getattr__(self, name):\n        return self.x\n",
            // A pattern names it.
            "class A:\n    x = 1\ndef f(a):\n    match a:\n        case A(x=1):\n            return 2\n",
            // It is looked up by functions that write.
            "class A:\n    def write(self, text):\n        pass\n",
            // `self` is another object.
            "class A:\n    def go(self, other):\n        self = other\n        self.went = 1\n",
        ];
        for text in texts {
            let (free, _) = of(text);
            let kept = ["size", "went", "x", "write"];
            assert!(
                !free.iter().any(|name| kept.contains(&name.as_str())),
                "{text}\n{free:?}"
            );
        }
    }

    #[test]
    fn private_names_are_told_apart_by_their_class() {
        let one = "class A:\n    def __init__(self):\n        self.__x = 1\n    def f(self):\n        return self.__x\n";
        assert!(of(one).0.contains(&"__x".to_owned()));
        let two = format!("{one}class B(A):\n    def g(self):\n        self.__x = 2\n");
        assert!(!of(&two).0.contains(&"__x".to_owned()));
    }
}
