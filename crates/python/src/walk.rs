//! Every node of a module, in the order of the text, with the nodes around it.

use ruff_python_ast::AnyNodeRef;
use ruff_python_ast::Expr;
use ruff_python_ast::visitor::source_order::{SourceOrderVisitor, TraversalSignal};

use crate::Module;

/// Shows each node with the nodes that it lies in, the outermost first.
pub(crate) fn walk<'a>(module: &'a Module<'_>, see: impl FnMut(AnyNodeRef<'a>, &[AnyNodeRef<'a>])) {
    let mut walker = Walker {
        above: Vec::new(),
        see,
    };
    walker.visit_body(module.body());
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

/// Whether a node in or at an expression fits.
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
            ruff_python_ast::visitor::source_order::walk_expr(self, expression);
        }
    }
}

/// Whether an expression stands where its text must not change: inside of an f-string, whose quotes and `=` look at
/// the text.
pub(crate) fn is_frozen(above: &[AnyNodeRef<'_>]) -> bool {
    above
        .iter()
        .any(|node| matches!(node, AnyNodeRef::FString(_) | AnyNodeRef::TString(_)))
}

/// Whether an expression binds, yields or awaits: what must not be moved at all.
pub(crate) fn is_fixed(expression: &Expr) -> bool {
    any(expression, &mut |part| {
        matches!(
            part,
            Expr::Named(_) | Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_)
        )
    })
}
