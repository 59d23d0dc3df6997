//! Every node of a module, in the order of the text, with the nodes around it; every statement, and its blocks.

use ruff_python_ast::visitor::source_order::{self, SourceOrderVisitor, TraversalSignal};
use ruff_python_ast::{
    AnyNodeRef, Decorator, ExceptHandler, Expr, Identifier, Parameter, Stmt, StmtFunctionDef,
};

use crate::Module;

/// Shows each node with its ancestors, the outermost first.
pub(crate) fn walk<'a>(module: &'a Module<'_>, see: impl FnMut(AnyNodeRef<'a>, &[AnyNodeRef<'a>])) {
    walk_body(module.body(), see);
}

/// Shows each node of some statements.
pub(crate) fn walk_body<'a>(body: &'a [Stmt], see: impl FnMut(AnyNodeRef<'a>, &[AnyNodeRef<'a>])) {
    let mut walker = Walker {
        above: Vec::new(),
        see,
    };
    walker.visit_body(body);
}

struct Walker<'a, F> {
    above: Vec<AnyNodeRef<'a>>,
    see: F,
}

impl<'a, F: FnMut(AnyNodeRef<'a>, &[AnyNodeRef<'a>])> SourceOrderVisitor<'a> for Walker<'a, F> {
    fn enter_node(&mut self, node: AnyNodeRef<'a>) -> TraversalSignal {
        (self.see)(node, &self.above);
        self.above.push(node);
        TraversalSignal::Traverse
    }

    fn leave_node(&mut self, _node: AnyNodeRef<'a>) {
        self.above.pop();
    }
}

/// Returns `true` if a node in or at an expression fits.
pub(crate) fn any(expression: &Expr, fits: &mut dyn FnMut(&Expr) -> bool) -> bool {
    let mut finder = Finder { fits, found: false };
    finder.visit_expr(expression);
    finder.found
}

struct Finder<'f> {
    fits: &'f mut dyn FnMut(&Expr) -> bool,
    found: bool,
}

impl<'a> SourceOrderVisitor<'a> for Finder<'_> {
    fn visit_expr(&mut self, expression: &'a Expr) {
        self.found = self.found || (self.fits)(expression);
        if !self.found {
            source_order::walk_expr(self, expression);
        }
    }
}

/// Returns `true` if the text of an expression must not change: inside of an f-string, whose quotes and `=` depend on
/// the text.
pub(crate) fn is_frozen(above: &[AnyNodeRef<'_>]) -> bool {
    above
        .iter()
        .any(|node| matches!(node, AnyNodeRef::FString(_) | AnyNodeRef::TString(_)))
}

/// Returns `true` if an expression binds, yields or awaits: what must not be moved at all.
pub(crate) fn is_fixed(expression: &Expr) -> bool {
    any(expression, &mut |part| {
        matches!(
            part,
            Expr::Named(_) | Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_)
        )
    })
}

/// Every statement, each before those in it.
pub(crate) fn statements(body: &[Stmt]) -> Vec<&Stmt> {
    struct All<'a>(Vec<&'a Stmt>);

    impl<'a> SourceOrderVisitor<'a> for All<'a> {
        fn visit_stmt(&mut self, statement: &'a Stmt) {
            self.0.push(statement);
            source_order::walk_stmt(self, statement);
        }

        fn visit_expr(&mut self, _: &'a Expr) {}
    }

    let mut all = All(Vec::new());
    all.visit_body(body);
    all.0
}

/// The blocks directly in a statement.
pub(crate) fn blocks(statement: &Stmt) -> Vec<&[Stmt]> {
    match statement {
        Stmt::FunctionDef(it) => vec![&it.body],
        Stmt::ClassDef(it) => vec![&it.body],
        Stmt::With(it) => vec![&it.body],
        Stmt::For(it) => vec![&it.body, &it.orelse],
        Stmt::While(it) => vec![&it.body, &it.orelse],
        Stmt::Match(it) => it.cases.iter().map(|case| &case.body[..]).collect(),
        Stmt::If(it) => {
            let clauses = it.elif_else_clauses.iter();
            let others = clauses.map(|clause| &clause.body[..]);
            std::iter::once(&it.body[..]).chain(others).collect()
        }
        Stmt::Try(it) => {
            let handlers = it.handlers.iter();
            let handled = handlers.map(|ExceptHandler::ExceptHandler(it)| &it.body[..]);
            let others = [&it.body[..], &it.orelse, &it.finalbody];
            others.into_iter().chain(handled).collect()
        }
        _ => Vec::new(),
    }
}

/// The names in a node that are not looked up in scopes: attributes, arguments by name, what is taken from a module.
pub(crate) fn outer_names(node: AnyNodeRef<'_>) -> Vec<&str> {
    match node {
        AnyNodeRef::ExprAttribute(attribute) => vec![attribute.attr.as_str()],
        AnyNodeRef::Keyword(keyword) => keyword.arg.iter().map(Identifier::as_str).collect(),
        AnyNodeRef::StmtImportFrom(import) => {
            let names = import.names.iter();
            names.map(|alias| alias.name.as_str()).collect()
        }
        _ => Vec::new(),
    }
}

/// The first parameter of a function that may be a method: its object or class, unless it is static.
pub(crate) fn receiver(function: &StmtFunctionDef) -> Option<&Parameter> {
    let is_static = |decorator: &Decorator| matches!(&decorator.expression, Expr::Name(name) if name.id.as_str() == "staticmethod");
    let parameters = &function.parameters;
    let first = parameters.posonlyargs.first().or(parameters.args.first());
    let first = first.filter(|_| !function.decorator_list.iter().any(is_static));
    first.map(|first| &first.parameter)
}
