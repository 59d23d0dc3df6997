//! The walk that finds scopes and names.

use foldhash::{HashMap, HashMapExt as _};
use ruff_python_ast::name::Name as Spelling;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{
    self as ast, Alias, Comprehension, ExceptHandler, Expr, ExprContext, Identifier, Parameters,
    Pattern, Stmt, TypeParam, TypeParams,
};
use ruff_text_size::{Ranged, TextRange};

use super::{Flags, Name, Scope, ScopeId, ScopeKind, Scopes, Use};
use crate::Module;

/// The range of the scope of a class: everything after its bases.
pub(super) fn class_body(class: &ast::StmtClassDef) -> TextRange {
    let bases = class.arguments.as_deref();
    let start = bases.map_or(class.name.end(), Ranged::end);
    TextRange::new(start, class.end())
}

pub(super) fn build(module: &Module<'_>) -> Scopes {
    let whole = TextRange::up_to(ruff_text_size::TextLen::text_len(module.text()));
    // This is about the number of names: every other token is a name, and many of these are keywords or attributes.
    let many = module.tokens().len() / 4;
    let mut builder = Builder {
        scopes: Scopes {
            scopes: Vec::new(),
            names: Vec::with_capacity(many),
            spellings: HashMap::with_capacity(many / 2),
            variables: Vec::with_capacity(many / 2),
            index: HashMap::with_capacity(many / 2),
            globals: Vec::new(),
            has_star_import: false,
        },
        current: 0,
        classes: Vec::new(),
        lazy_annotations: has_lazy_annotations(module.body()),
        unlisted: None,
        lost: Flags::default(),
    };
    builder.push(ScopeKind::Module, whole, "<module>");
    builder.visit_body(module.body());
    builder.scopes
}

/// Returns `true` if annotations are never evaluated (`from __future__ import annotations`).
fn has_lazy_annotations(body: &[Stmt]) -> bool {
    body.iter().any(|statement| match statement {
        Stmt::ImportFrom(import) => {
            import.module.as_deref() == Some("__future__")
                && import
                    .names
                    .iter()
                    .any(|alias| alias.name.as_str() == "annotations")
        }
        _ => false,
    })
}

struct Builder {
    scopes: Scopes,
    current: ScopeId,
    /// The names of the classes around, for mangling.
    classes: Vec<String>,
    lazy_annotations: bool,
    /// The scope whose table does not list the names that are walked: annotations that are never evaluated.
    unlisted: Option<ScopeId>,
    /// The uses of a name in a scope that is not listed.
    lost: Flags,
}

impl Builder {
    fn push(&mut self, kind: ScopeKind, range: TextRange, name: &str) -> ScopeId {
        let parent = (!self.scopes.scopes.is_empty()).then_some(self.current);
        self.scopes.scopes.push(Scope {
            kind,
            parent,
            range,
            name: name.to_owned(),
        });
        std::mem::replace(&mut self.current, self.scopes.scopes.len() - 1)
    }

    fn inside(
        &mut self,
        kind: ScopeKind,
        range: TextRange,
        name: &str,
        walk: impl FnOnce(&mut Self),
    ) {
        let outer = self.push(kind, range, name);
        walk(self);
        self.current = outer;
    }

    /// `__x` in a class `C` is `_C__x`.
    fn mangled(&self, name: &Spelling) -> Option<Spelling> {
        let class = self.classes.last()?.trim_start_matches('_');
        let is_private = !class.is_empty()
            && name.starts_with("__")
            && !name.ends_with("__")
            && !name.contains('.');
        is_private.then(|| format!("_{class}{name}").into())
    }

    fn variable(&mut self, scope: ScopeId, name: &Spelling) -> usize {
        let scopes = &mut self.scopes;
        let spelling = if let Some(number) = scopes.spellings.get(name) {
            *number
        } else {
            let number = u32::try_from(scopes.spellings.len()).expect("the text fits in 4 GiB");
            scopes.spellings.insert(name.clone(), number);
            number
        };
        scopes.variable(scope, spelling)
    }

    fn flags(&mut self, scope: ScopeId, name: &Spelling) -> &mut Flags {
        let mangled = self.mangled(name);
        let variable = self.variable(scope, mangled.as_ref().unwrap_or(name));
        self.flags_of(variable)
    }

    fn flags_of(&mut self, variable: usize) -> &mut Flags {
        let variable = &mut self.scopes.variables[variable];
        if self.unlisted == Some(variable.scope) {
            return &mut self.lost;
        }
        &mut variable.flags
    }

    fn name(&mut self, range: TextRange, name: &Spelling, usage: Use) {
        self.name_in(self.current, range, name, usage);
    }

    fn name_in(&mut self, scope: ScopeId, range: TextRange, name: &Spelling, usage: Use) {
        let name = self.mangled(name).unwrap_or_else(|| name.clone());
        let variable = self.variable(scope, &name);
        let flags = self.flags_of(variable);
        match usage {
            Use::Read => flags.used = true,
            Use::Bind | Use::Delete => flags.bound = true,
            Use::Parameter => {
                flags.bound = true;
                flags.parameter = true;
            }
            Use::Declare => {}
        }
        self.scopes.names.push(Name {
            range,
            name,
            scope,
            usage,
            binding: None,
            variable,
        });
    }

    fn bind(&mut self, identifier: &Identifier) {
        self.name(identifier.range(), &identifier.id, Use::Bind);
    }

    /// The scope that a walrus binds in: outside of the comprehensions around it.
    fn walrus_scope(&self) -> ScopeId {
        let mut scope = self.current;
        while self.scopes.scopes[scope].kind == ScopeKind::Comprehension {
            scope = self.scopes.scopes[scope]
                .parent
                .expect("a comprehension is in a scope");
        }
        scope
    }

    /// Visits the parts that are evaluated at the definition of a function: its defaults, and not its decorators.
    fn defaults(&mut self, parameters: &Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = parameter.default.as_deref() {
                self.visit_expr(default);
            }
        }
    }

    fn annotations(&mut self, parameters: &Parameters, returns: Option<&Expr>) {
        for parameter in parameters {
            if let Some(annotation) = parameter.annotation() {
                self.visit_annotation(annotation);
            }
        }
        if let Some(returns) = returns {
            self.visit_annotation(returns);
        }
    }

    fn parameters(&mut self, parameters: &Parameters) {
        for parameter in parameters {
            let name = parameter.name();
            self.name(name.range(), &name.id, Use::Parameter);
        }
    }

    fn type_parameters(
        &mut self,
        type_params: Option<&TypeParams>,
        range: TextRange,
        name: &str,
        walk: impl FnOnce(&mut Self),
    ) {
        let Some(type_params) = type_params else {
            walk(self);
            return;
        };
        self.inside(ScopeKind::TypeParameters, range, name, |this| {
            this.visit_type_params(type_params);
            walk(this);
        });
    }

    fn function(&mut self, function: &ast::StmtFunctionDef) {
        for decorator in &function.decorator_list {
            self.visit_decorator(decorator);
        }
        self.bind(&function.name);
        self.defaults(&function.parameters);
        let after_decorators = TextRange::new(function.name.start(), function.end());
        let type_params = function.type_params.as_deref();
        let name = function.name.as_str();
        self.type_parameters(type_params, after_decorators, name, |this| {
            this.annotations(&function.parameters, function.returns.as_deref());
            let body = TextRange::new(function.parameters.start(), function.end());
            this.inside(ScopeKind::Function, body, name, |this| {
                this.parameters(&function.parameters);
                this.visit_body(&function.body);
            });
        });
    }

    fn class(&mut self, class: &ast::StmtClassDef) {
        for decorator in &class.decorator_list {
            self.visit_decorator(decorator);
        }
        self.bind(&class.name);
        let after_decorators = TextRange::new(class.name.start(), class.end());
        let name = class.name.as_str();
        // The names of type parameters are mangled by the class, too; the bases are not.
        let type_params = class.type_params.as_deref();
        self.type_parameters(type_params, after_decorators, name, |this| {
            if let Some(arguments) = &class.arguments {
                this.visit_arguments(arguments);
            }
            this.classes.push(name.to_owned());
            this.inside(ScopeKind::Class, class_body(class), name, |this| {
                this.visit_body(&class.body);
            });
            this.classes.pop();
        });
    }

    fn comprehension(&mut self, range: TextRange, generators: &[Comprehension], parts: &[&Expr]) {
        let [first, others @ ..] = generators else {
            return;
        };
        self.visit_expr(&first.iter);
        self.inside(ScopeKind::Comprehension, range, "<comprehension>", |this| {
            this.visit_expr(&first.target);
            first.ifs.iter().for_each(|test| this.visit_expr(test));
            for generator in others {
                this.visit_expr(&generator.iter);
                this.visit_expr(&generator.target);
                generator.ifs.iter().for_each(|test| this.visit_expr(test));
            }
            for part in parts {
                this.visit_expr(part);
            }
        });
    }

    /// `import a.b` binds `a`, at the first name; `import a as b` binds `b`.
    fn import(&mut self, alias: &Alias) {
        if alias.name.as_str() == "*" {
            self.scopes.has_star_import = true;
            return;
        }
        let (range, name) = if let Some(asname) = &alias.asname {
            (asname.range(), asname.id.clone())
        } else {
            let whole = alias.name.as_str();
            let first = whole.split('.').next().unwrap_or(whole);
            let length = ruff_text_size::TextLen::text_len(first);
            (TextRange::at(alias.name.start(), length), first.into())
        };
        self.name(range, &name, Use::Bind);
        self.flags(self.current, &name).imported = true;
    }
}

impl<'a> Visitor<'a> for Builder {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => self.function(function),
            Stmt::ClassDef(class) => self.class(class),
            Stmt::Import(import) => import.names.iter().for_each(|alias| self.import(alias)),
            Stmt::ImportFrom(import) => import.names.iter().for_each(|alias| self.import(alias)),
            Stmt::Global(ast::StmtGlobal { names, .. }) => {
                for name in names {
                    self.flags(self.current, &name.id).global = true;
                    self.name(name.range(), &name.id, Use::Declare);
                }
            }
            Stmt::Nonlocal(ast::StmtNonlocal { names, .. }) => {
                for name in names {
                    self.flags(self.current, &name.id).nonlocal = true;
                    self.name(name.range(), &name.id, Use::Declare);
                }
            }
            Stmt::AnnAssign(assign) => {
                if let Some(value) = &assign.value {
                    self.visit_expr(value);
                }
                self.visit_annotation(&assign.annotation);
                if let (Expr::Name(target), true) = (&*assign.target, assign.value.is_none()) {
                    // A bare annotation binds nothing, but makes the name local.
                    if assign.simple {
                        self.flags(self.current, &target.id).annotated = true;
                        self.name(target.range(), &target.id, Use::Bind);
                    }
                } else {
                    self.visit_expr(&assign.target);
                }
            }
            Stmt::AugAssign(assign) => {
                self.visit_expr(&assign.value);
                // The target is read and bound at one position.
                if let Expr::Name(target) = &*assign.target {
                    self.flags(self.current, &target.id).used = true;
                }
                self.visit_expr(&assign.target);
            }
            Stmt::TypeAlias(alias) => {
                self.visit_expr(&alias.name);
                let type_params = alias.type_params.as_deref();
                let range = alias.range();
                self.type_parameters(type_params, range, "<type alias>", |this| {
                    let value = alias.value.range();
                    this.inside(ScopeKind::TypeParameters, value, "<type alias>", |this| {
                        this.visit_expr(&alias.value);
                    });
                });
            }
            _ => visitor::walk_stmt(self, statement),
        }
    }

    fn visit_annotation(&mut self, annotation: &'a Expr) {
        // Names of annotations that are never evaluated are in no scope's table, and are names all the same.
        if self.lazy_annotations {
            let outer = self.unlisted.replace(self.current);
            self.visit_expr(annotation);
            self.unlisted = outer;
        } else {
            self.visit_expr(annotation);
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(handler) = handler;
        if let Some(type_) = &handler.type_ {
            self.visit_expr(type_);
        }
        if let Some(name) = &handler.name {
            self.bind(name);
        }
        self.visit_body(&handler.body);
    }

    fn visit_type_param(&mut self, parameter: &'a TypeParam) {
        let (name, bound, default) = match parameter {
            TypeParam::TypeVar(it) => (&it.name, it.bound.as_deref(), it.default.as_deref()),
            TypeParam::TypeVarTuple(it) => (&it.name, None, it.default.as_deref()),
            TypeParam::ParamSpec(it) => (&it.name, None, it.default.as_deref()),
        };
        self.bind(name);
        for part in [bound, default].into_iter().flatten() {
            self.inside(
                ScopeKind::TypeParameters,
                part.range(),
                name.as_str(),
                |this| {
                    this.visit_expr(part);
                },
            );
        }
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        match pattern {
            Pattern::MatchAs(it) => it.name.iter().for_each(|name| self.bind(name)),
            Pattern::MatchStar(it) => it.name.iter().for_each(|name| self.bind(name)),
            Pattern::MatchMapping(it) => it.rest.iter().for_each(|name| self.bind(name)),
            _ => {}
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expression: &'a Expr) {
        match expression {
            Expr::Name(name) => {
                let usage = match name.ctx {
                    ExprContext::Load | ExprContext::Invalid => Use::Read,
                    ExprContext::Store => Use::Bind,
                    ExprContext::Del => Use::Delete,
                };
                self.name(name.range(), &name.id, usage);
            }
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                if let Expr::Name(target) = &*named.target {
                    let scope = self.walrus_scope();
                    self.name_in(scope, target.range(), &target.id, Use::Bind);
                    if scope != self.current {
                        self.flags(self.current, &target.id).used = true;
                    }
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = lambda.parameters.as_deref() {
                    self.defaults(parameters);
                }
                self.inside(ScopeKind::Function, lambda.range(), "<lambda>", |this| {
                    if let Some(parameters) = lambda.parameters.as_deref() {
                        this.parameters(parameters);
                    }
                    this.visit_expr(&lambda.body);
                });
            }
            Expr::ListComp(it) => self.comprehension(it.range(), &it.generators, &[&it.elt]),
            Expr::SetComp(it) => self.comprehension(it.range(), &it.generators, &[&it.elt]),
            Expr::Generator(it) => self.comprehension(it.range(), &it.generators, &[&it.elt]),
            Expr::DictComp(it) => {
                let parts: Vec<&Expr> = it.key.as_deref().into_iter().chain([&*it.value]).collect();
                self.comprehension(it.range(), &it.generators, &parts);
            }
            _ => visitor::walk_expr(self, expression),
        }
    }
}
