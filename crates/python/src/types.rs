//! *Ty(e)*: the built-in types that an expression can have, as far as the text alone shows them.
//!
//! A local variable has the types of all its bindings, in whatever order they run: literals, operators on known
//! types, calls of builtins, targets of loops over known things. Variables of modules and classes can be bound from
//! outside, and parameters by any caller, regardless of their annotations, so nothing is known about them. "Anything"
//! is always a right answer.

use std::collections::BTreeMap;
use std::ops::BitOr;

use ruff_python_ast::{
    self as ast, AnyNodeRef, CmpOp, Expr, ExprCall, Number, Operator, Parameter, UnaryOp,
};
use ruff_text_size::{Ranged as _, TextSize};

use crate::scope::Use;
use crate::walk::walk;
use crate::{Module, ScopeId, ScopeKind};

/// A set of types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ty(u16);

impl Ty {
    /// No value yet.
    const NEVER: Ty = Ty(0);
    pub(crate) const NONE: Ty = Ty(1);
    pub(crate) const BOOL: Ty = Ty(1 << 1);
    pub(crate) const INT: Ty = Ty(1 << 2);
    pub(crate) const FLOAT: Ty = Ty(1 << 3);
    pub(crate) const STR: Ty = Ty(1 << 4);
    pub(crate) const BYTES: Ty = Ty(1 << 5);
    pub(crate) const TUPLE: Ty = Ty(1 << 6);
    pub(crate) const LIST: Ty = Ty(1 << 7);
    pub(crate) const DICT: Ty = Ty(1 << 8);
    pub(crate) const SET: Ty = Ty(1 << 9);
    /// Anything, builtin or not.
    pub(crate) const ANY: Ty = Ty(u16::MAX);

    /// `int` and its subclass `bool`.
    pub(crate) const INTEGER: Ty = Ty(Ty::BOOL.0 | Ty::INT.0);
    /// Real numbers.
    pub(crate) const NUMBER: Ty = Ty(Ty::INTEGER.0 | Ty::FLOAT.0);
    /// The types that cannot change and have no parts that can.
    pub(crate) const SCALAR: Ty = Ty(Ty::NUMBER.0 | Ty::STR.0 | Ty::BYTES.0 | Ty::NONE.0);
    /// The types that cannot change themselves.
    pub(crate) const IMMUTABLE: Ty = Ty(Ty::SCALAR.0 | Ty::TUPLE.0);
    /// The types that have a length.
    pub(crate) const SIZED: Ty =
        Ty(Ty::STR.0 | Ty::BYTES.0 | Ty::TUPLE.0 | Ty::LIST.0 | Ty::DICT.0 | Ty::SET.0);
    const BUILTIN: Ty = Ty(Ty::SCALAR.0 | Ty::SIZED.0);

    /// Returns `true` if each possible type is one of these.
    pub(crate) fn is(self, others: Ty) -> bool {
        self != Ty::NEVER && self.0 & !others.0 == 0
    }

    /// Returns `true` if it is known at all.
    pub(crate) fn is_builtin(self) -> bool {
        self.is(Ty::BUILTIN)
    }
}

impl BitOr for Ty {
    type Output = Ty;

    fn bitor(self, other: Ty) -> Ty {
        Ty(self.0 | other.0)
    }
}

/// The value that a binding assigns to its variable.
#[derive(Debug, Clone, Copy)]
enum Source<'a> {
    Known(Ty),
    Value(&'a Expr),
    /// One of what the expression iterates over.
    Element(&'a Expr),
    Augmented(Operator, &'a Expr, &'a Expr),
}

/// A variable: the scope that binds it, and its name.
type Variable<'a> = (ScopeId, &'a str);

/// The types of a module's local variables.
#[derive(Debug)]
pub(crate) struct Types<'a> {
    pub(crate) module: &'a Module<'a>,
    variables: BTreeMap<Variable<'a>, Ty>,
    sources: BTreeMap<Variable<'a>, Vec<Source<'a>>>,
}

impl<'a> Types<'a> {
    pub(crate) fn of(module: &'a Module<'a>) -> Self {
        let mut places = BTreeMap::new();
        walk(module, |node, _| collect(node, module, &mut places));
        let scopes = module.scopes();
        let mut sources: BTreeMap<Variable<'a>, Vec<Source<'a>>> = BTreeMap::new();
        for place in scopes.names() {
            let Some(binding) = place.binding else {
                continue;
            };
            if matches!(place.usage, Use::Bind | Use::Parameter) {
                let source = places.get(&place.range.start());
                let source = source.copied().unwrap_or(Source::Known(Ty::ANY));
                let variable = (binding, place.name.as_str());
                sources.entry(variable).or_default().push(source);
            }
        }
        let is_local = |scope: ScopeId| {
            matches!(
                scopes.all()[scope].kind,
                ScopeKind::Function | ScopeKind::Comprehension
            )
        };
        sources.retain(|(scope, _), _| is_local(*scope));
        let variables = sources.keys().map(|variable| (*variable, Ty::NEVER));
        let mut types = Types {
            module,
            variables: variables.collect(),
            sources,
        };
        // Types only grow, so this ends; each round settles at least one variable.
        loop {
            let mut changed = false;
            for (variable, sources) in &types.sources {
                let before = types.variables[variable];
                let after = sources
                    .iter()
                    .fold(before, |sum, source| sum | types.source(*source));
                if after != before {
                    types.variables.insert(*variable, after);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        types
    }

    fn source(&self, source: Source<'a>) -> Ty {
        match source {
            Source::Known(ty) => ty,
            Source::Value(value) => self.ty(value),
            Source::Element(iterated) => self.element(iterated),
            Source::Augmented(op, target, value) => {
                binary(op, self.ty(target), value, self.ty(value))
            }
        }
    }

    /// The types that a variable has before operators that bind it again to what they make of it: of `t = 0; t += x`
    /// that of `0`.
    pub(crate) fn first(&self, name: &ast::ExprName) -> Ty {
        let Some(variable) = self.variable(name.start()) else {
            return Ty::ANY;
        };
        let again = |source: &Source<'_>| match source {
            Source::Augmented(..) => true,
            Source::Value(Expr::BinOp(value)) => {
                matches!(&*value.left, Expr::Name(left) if left.id == name.id)
            }
            _ => false,
        };
        let Some(sources) = self.sources.get(&variable) else {
            return Ty::ANY;
        };
        let sources = sources.iter().filter(|source| !again(source));
        let ty = sources.fold(Ty::NEVER, |sum, source| sum | self.source(*source));
        if ty == Ty::NEVER { Ty::ANY } else { ty }
    }

    fn variable(&self, place: TextSize) -> Option<Variable<'a>> {
        let place = self.module.scopes().at(place)?;
        Some((place.binding?, place.name.as_str()))
    }

    /// Returns `true` if a name is this builtin.
    pub(crate) fn builtin(&self, function: &Expr, names: &[&str]) -> bool {
        let Expr::Name(name) = function else {
            return false;
        };
        names.contains(&name.id.as_str()) && self.module.scopes().is_builtin(name.start(), &name.id)
    }

    /// The types that an expression can have.
    pub(crate) fn ty(&self, expression: &Expr) -> Ty {
        match expression {
            Expr::NoneLiteral(_) => Ty::NONE,
            Expr::BooleanLiteral(_) => Ty::BOOL,
            Expr::NumberLiteral(number) => match number.value {
                Number::Int(_) => Ty::INT,
                Number::Float(_) => Ty::FLOAT,
                Number::Complex { .. } => Ty::ANY,
            },
            Expr::StringLiteral(_) | Expr::FString(_) => Ty::STR,
            Expr::BytesLiteral(_) => Ty::BYTES,
            Expr::List(_) | Expr::ListComp(_) => Ty::LIST,
            Expr::Tuple(_) => Ty::TUPLE,
            Expr::Dict(_) | Expr::DictComp(_) => Ty::DICT,
            Expr::Set(_) | Expr::SetComp(_) => Ty::SET,
            Expr::Name(name) => match self.variable(name.start()) {
                Some(variable) => self.variables.get(&variable).copied().unwrap_or(Ty::ANY),
                None if self.builtin(expression, &["__name__"]) => Ty::STR,
                None => Ty::ANY,
            },
            Expr::Named(named) => self.ty(&named.value),
            Expr::If(it) => self.ty(&it.body) | self.ty(&it.orelse),
            Expr::BoolOp(it) => {
                let values = it.values.iter();
                values.fold(Ty::NEVER, |sum, value| sum | self.ty(value))
            }
            Expr::UnaryOp(it) => match (it.op, self.ty(&it.operand)) {
                (UnaryOp::Not, _) => Ty::BOOL,
                (_, Ty::NEVER) => Ty::NEVER,
                (_, ty) if ty.is(Ty::INTEGER) => Ty::INT,
                (UnaryOp::UAdd | UnaryOp::USub, ty) if ty.is(Ty::FLOAT) => Ty::FLOAT,
                (UnaryOp::UAdd | UnaryOp::USub, ty) if ty.is(Ty::NUMBER) => Ty::INT | Ty::FLOAT,
                _ => Ty::ANY,
            },
            Expr::BinOp(it) => binary(it.op, self.ty(&it.left), &it.right, self.ty(&it.right)),
            Expr::Compare(it) => self.compare(it),
            Expr::Call(call) => self.call(call),
            Expr::Subscript(it) => match (self.ty(&it.value), &*it.slice) {
                (Ty::NEVER, _) => Ty::NEVER,
                (Ty::STR, _) => Ty::STR,
                (ty, Expr::Slice(_)) if ty.is(Ty::LIST | Ty::TUPLE | Ty::BYTES) => ty,
                _ => Ty::ANY,
            },
            _ => Ty::ANY,
        }
    }

    fn compare(&self, it: &ast::ExprCompare) -> Ty {
        let plain = |op: &CmpOp| matches!(op, CmpOp::Is | CmpOp::IsNot | CmpOp::In | CmpOp::NotIn);
        if it.ops.iter().all(plain) {
            return Ty::BOOL;
        }
        let mut sum = self.ty(&it.left);
        for value in &it.comparators {
            let ty = self.ty(value);
            if sum == Ty::NEVER || ty == Ty::NEVER {
                return Ty::NEVER;
            }
            sum = sum | ty;
        }
        if sum.is_builtin() { Ty::BOOL } else { Ty::ANY }
    }

    fn call(&self, call: &ExprCall) -> Ty {
        match &*call.func {
            Expr::Name(_) => self.builtin_call(call),
            Expr::Attribute(method) => {
                let receiver = self.ty(&method.value);
                match (receiver, method.attr.as_str()) {
                    (Ty::NEVER, _) => Ty::NEVER,
                    (Ty::STR, "split" | "rsplit" | "splitlines") | (Ty::LIST, "copy") => Ty::LIST,
                    (
                        Ty::STR,
                        "strip" | "lstrip" | "rstrip" | "lower" | "upper" | "replace" | "join"
                        | "format" | "title" | "capitalize" | "zfill" | "swapcase" | "center"
                        | "ljust" | "rjust" | "casefold" | "translate",
                    ) => Ty::STR,
                    (Ty::STR, "find" | "rfind" | "index" | "rindex" | "count")
                    | (Ty::LIST | Ty::TUPLE, "index" | "count") => Ty::INT,
                    (
                        Ty::STR,
                        "startswith" | "endswith" | "isdigit" | "isalpha" | "isalnum" | "isspace"
                        | "islower" | "isupper" | "isdecimal" | "isnumeric",
                    ) => Ty::BOOL,
                    _ => Ty::ANY,
                }
            }
            _ => Ty::ANY,
        }
    }

    fn builtin_call(&self, call: &ExprCall) -> Ty {
        const INT: &[&str] = &["int", "len", "ord", "id", "hash"];
        const STR: &[&str] = &[
            "str", "chr", "repr", "hex", "bin", "oct", "input", "ascii", "format",
        ];
        const BOOL: &[&str] = &[
            "bool",
            "isinstance",
            "issubclass",
            "callable",
            "hasattr",
            "any",
            "all",
        ];
        let arguments = &call.arguments.args;
        let is = |names: &[&str]| self.builtin(&call.func, names);
        let plain =
            call.arguments.keywords.is_empty() && !arguments.iter().any(Expr::is_starred_expr);
        if is(INT) {
            Ty::INT
        } else if is(STR) {
            Ty::STR
        } else if is(BOOL) {
            Ty::BOOL
        } else if is(&["float"]) {
            Ty::FLOAT
        } else if is(&["list", "sorted"]) {
            Ty::LIST
        } else if is(&["tuple"]) {
            Ty::TUPLE
        } else if is(&["dict"]) {
            Ty::DICT
        } else if is(&["set"]) {
            Ty::SET
        } else if is(&["max", "min"]) && plain && arguments.len() > 1 {
            let values = arguments.iter();
            values.fold(Ty::NEVER, |sum, value| sum | self.ty(value))
        } else if is(&["abs", "round"]) && plain && arguments.len() == 1 {
            match self.ty(&arguments[0]) {
                Ty::NEVER => Ty::NEVER,
                ty if ty.is(Ty::INTEGER) => Ty::INT,
                ty if ty.is(Ty::NUMBER) && is(&["abs"]) => Ty::INT | Ty::FLOAT,
                ty if ty.is(Ty::NUMBER) => Ty::INT,
                _ => Ty::ANY,
            }
        } else {
            Ty::ANY
        }
    }

    /// The types of what an expression iterates over.
    fn element(&self, iterated: &Expr) -> Ty {
        if let Expr::List(ast::ExprList { elts, .. })
        | Expr::Tuple(ast::ExprTuple { elts, .. })
        | Expr::Set(ast::ExprSet { elts, .. }) = iterated
        {
            return elts
                .iter()
                .fold(Ty::NEVER, |sum, value| sum | self.ty(value));
        }
        if let Expr::Call(call) = iterated {
            let arguments = &call.arguments.args;
            if self.builtin(&call.func, &["range"]) {
                return Ty::INT;
            }
            if self.builtin(&call.func, &["map"]) {
                return arguments
                    .first()
                    .map_or(Ty::ANY, |function| self.made_by(function));
            }
            if self.builtin(&call.func, &["reversed", "sorted", "list", "set", "tuple"]) {
                return match &**arguments {
                    [one] if !one.is_starred_expr() => self.element(one),
                    _ => Ty::ANY,
                };
            }
            if let Expr::Attribute(method) = &*call.func {
                let receiver = self.ty(&method.value);
                let splits = matches!(method.attr.as_str(), "split" | "rsplit" | "splitlines");
                if splits && (receiver == Ty::STR || receiver == Ty::NEVER) {
                    return receiver;
                }
            }
        }
        match self.ty(iterated) {
            ty @ (Ty::STR | Ty::NEVER) => ty,
            _ => Ty::ANY,
        }
    }

    /// The result of `map` with a function.
    fn made_by(&self, function: &Expr) -> Ty {
        let made = [
            ("int", Ty::INT),
            ("float", Ty::FLOAT),
            ("str", Ty::STR),
            ("len", Ty::INT),
        ];
        let made = made
            .iter()
            .find(|(name, _)| self.builtin(function, &[name]));
        made.map_or(Ty::ANY, |(_, ty)| *ty)
    }
}

/// The type of what an operator makes of known types.
fn binary(op: Operator, left: Ty, right_value: &Expr, right: Ty) -> Ty {
    if left == Ty::NEVER || right == Ty::NEVER {
        return Ty::NEVER;
    }
    let both = left | right;
    match op {
        Operator::Div if both.is(Ty::NUMBER) => Ty::FLOAT,
        Operator::Pow if both.is(Ty::NUMBER) => match right_value {
            // A negative exponent makes a float, a broken one of a negative number a complex number.
            Expr::NumberLiteral(number) if number.value.is_int() && left.is(Ty::INTEGER) => Ty::INT,
            Expr::NumberLiteral(number) if number.value.is_int() => Ty::INT | Ty::FLOAT,
            _ => Ty::ANY,
        },
        Operator::Add | Operator::Sub | Operator::Mult | Operator::FloorDiv | Operator::Mod
            if both.is(Ty::NUMBER) =>
        {
            if both.is(Ty::INTEGER) {
                Ty::INT
            } else if left.is(Ty::FLOAT) || right.is(Ty::FLOAT) {
                Ty::FLOAT
            } else {
                Ty::INT | Ty::FLOAT
            }
        }
        Operator::BitAnd | Operator::BitOr | Operator::BitXor if both.is(Ty::BOOL) => Ty::BOOL,
        Operator::BitAnd | Operator::BitOr | Operator::BitXor if both.is(Ty::INTEGER) => {
            Ty::INTEGER
        }
        Operator::LShift | Operator::RShift if both.is(Ty::INTEGER) => Ty::INT,
        Operator::Add if matches!(both, Ty::STR | Ty::LIST | Ty::TUPLE | Ty::BYTES) => both,
        Operator::Mod if left == Ty::STR => Ty::STR,
        Operator::Mult
            if matches!(left, Ty::STR | Ty::LIST | Ty::TUPLE) && right.is(Ty::INTEGER) =>
        {
            left
        }
        Operator::Mult
            if matches!(right, Ty::STR | Ty::LIST | Ty::TUPLE) && left.is(Ty::INTEGER) =>
        {
            right
        }
        _ => Ty::ANY,
    }
}

/// Notes the values that a node assigns to the names that it binds, by position.
fn collect<'a>(
    node: AnyNodeRef<'a>,
    module: &'a Module<'a>,
    places: &mut BTreeMap<TextSize, Source<'a>>,
) {
    match node {
        AnyNodeRef::StmtAssign(it) => {
            it.targets
                .iter()
                .for_each(|target| bind(target, &it.value, places));
        }
        AnyNodeRef::StmtAnnAssign(it) => match &it.value {
            Some(value) => bind(&it.target, value, places),
            None => {
                places.insert(it.target.start(), Source::Known(Ty::NEVER));
            }
        },
        AnyNodeRef::StmtAugAssign(it) => {
            places.insert(
                it.target.start(),
                Source::Augmented(it.op, &it.target, &it.value),
            );
        }
        AnyNodeRef::ExprNamed(it) => bind(&it.target, &it.value, places),
        AnyNodeRef::StmtFor(it) if !it.is_async => iterate(module, &it.target, &it.iter, places),
        AnyNodeRef::Comprehension(it) if !it.is_async => {
            iterate(module, &it.target, &it.iter, places);
        }
        AnyNodeRef::Parameters(it) => {
            let mut known = |parameter: &Parameter, ty: Ty| {
                places.insert(parameter.name.start(), Source::Known(ty));
            };
            it.vararg
                .iter()
                .for_each(|parameter| known(parameter, Ty::TUPLE));
            it.kwarg
                .iter()
                .for_each(|parameter| known(parameter, Ty::DICT));
        }
        _ => {}
    }
}

fn bind<'a>(target: &'a Expr, value: &'a Expr, places: &mut BTreeMap<TextSize, Source<'a>>) {
    match target {
        Expr::Name(name) => {
            places.insert(name.start(), Source::Value(value));
        }
        Expr::Tuple(ast::ExprTuple { elts, .. }) | Expr::List(ast::ExprList { elts, .. }) => {
            match value {
                Expr::Tuple(ast::ExprTuple { elts: values, .. })
                | Expr::List(ast::ExprList { elts: values, .. })
                    if values.len() == elts.len()
                        && !elts.iter().chain(values).any(Expr::is_starred_expr) =>
                {
                    let pairs = elts.iter().zip(values);
                    pairs.for_each(|(target, value)| bind(target, value, places));
                }
                Expr::Call(_) => {
                    for target in elts {
                        if let Expr::Name(name) = target {
                            places.insert(name.start(), Source::Element(value));
                        }
                    }
                }
                _ => {}
            }
        }
        _ => {}
    }
}

fn iterate<'a>(
    module: &'a Module<'a>,
    target: &'a Expr,
    iterated: &'a Expr,
    places: &mut BTreeMap<TextSize, Source<'a>>,
) {
    match (target, iterated) {
        (Expr::Name(name), _) => {
            places.insert(name.start(), Source::Element(iterated));
        }
        (Expr::Tuple(ast::ExprTuple { elts, .. }), Expr::Call(call)) => {
            let Expr::Name(function) = &*call.func else {
                return;
            };
            let arguments = &call.arguments.args;
            let is = |name| module.scopes().is_builtin(function.start(), name);
            if is("enumerate") && elts.len() == 2 && !arguments.is_empty() {
                if let Expr::Name(number) = &elts[0] {
                    places.insert(number.start(), Source::Known(Ty::INT));
                }
                iterate(module, &elts[1], &arguments[0], places);
            } else if is("zip")
                && elts.len() == arguments.len()
                && !elts.iter().chain(arguments).any(Expr::is_starred_expr)
            {
                let pairs = elts.iter().zip(arguments);
                pairs.for_each(|(target, value)| iterate(module, target, value, places));
            }
        }
        _ => {}
    }
}
