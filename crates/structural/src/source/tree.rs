//! The tree that the reader of C and C++ builds from a text: functions with statements and expressions, as far as
//! they can be recognized without declarations, macros or a compiler.

use crate::types::Type;

/// A function with its body.
#[derive(Debug, Default)]
pub(super) struct Function<'a> {
    /// The last part of its name.
    pub(super) name: &'a str,
    /// The class before its name, if there is one.
    pub(super) class: Option<&'a str>,
    pub(super) returns: Type<'a>,
    pub(super) parameters: Vec<Parameter<'a>>,
    /// The values that members are initialized with, before the body.
    pub(super) initialized: Vec<Expression<'a>>,
    pub(super) body: Vec<Statement<'a>>,
    pub(super) is_constructor: bool,
    pub(super) is_destructor: bool,
    pub(super) is_operator: bool,
    /// The words of its head about its compilation: `inline`, `constexpr`.
    pub(super) specifiers: Vec<&'a str>,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Parameter<'a> {
    /// Empty if it has none.
    pub(super) name: &'a str,
    pub(super) kind: Type<'a>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Statement<'a> {
    Expression(Expression<'a>),
    Declaration(Vec<Declared<'a>>),
    Block(Vec<Statement<'a>>),
    If(
        Expression<'a>,
        Box<Statement<'a>>,
        Option<Box<Statement<'a>>>,
    ),
    While(Expression<'a>, Box<Statement<'a>>),
    DoWhile(Box<Statement<'a>>, Expression<'a>),
    For {
        first: Box<Statement<'a>>,
        condition: Option<Expression<'a>>,
        step: Option<Expression<'a>>,
        body: Box<Statement<'a>>,
    },
    ForEach {
        variable: Declared<'a>,
        over: Expression<'a>,
        body: Box<Statement<'a>>,
    },
    Switch(Expression<'a>, Box<Statement<'a>>),
    Case(Expression<'a>),
    Default,
    Break,
    Continue,
    Goto,
    Return(Option<Expression<'a>>),
    Try(Box<Statement<'a>>),
    Catch(Box<Statement<'a>>),
    Assembly,
    Empty,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declared<'a> {
    pub(super) name: &'a str,
    pub(super) kind: Type<'a>,
    pub(super) is_static: bool,
    pub(super) is_array: bool,
    pub(super) dimensions: Vec<Expression<'a>>,
    pub(super) value: Option<Expression<'a>>,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Expression<'a> {
    Name(&'a str),
    /// `a::b`: the path and the last part.
    Path(Vec<&'a str>, &'a str),
    Number(&'a str),
    String(&'a str),
    Character(&'a str),
    True,
    False,
    Null,
    This,
    Call(Box<Expression<'a>>, Vec<Expression<'a>>),
    /// A named type with values: `std::string(…)`, `T{…}`.
    Construct(Type<'a>, Vec<Expression<'a>>),
    Index(Box<Expression<'a>>, Box<Expression<'a>>),
    Member(Box<Expression<'a>>, &'a str),
    Unary(&'a str, Box<Expression<'a>>),
    Postfix(&'a str, Box<Expression<'a>>),
    Binary(&'a str, Box<Expression<'a>>, Box<Expression<'a>>),
    Assign(&'a str, Box<Expression<'a>>, Box<Expression<'a>>),
    Conditional(
        Box<Expression<'a>>,
        Box<Expression<'a>>,
        Box<Expression<'a>>,
    ),
    Cast(Type<'a>, Box<Expression<'a>>),
    SizeOf(Option<Box<Expression<'a>>>),
    List(Vec<Expression<'a>>),
    Lambda(Vec<Parameter<'a>>, Vec<Statement<'a>>),
    New(Type<'a>, Vec<Expression<'a>>),
    Delete(Box<Expression<'a>>),
    Throw(Option<Box<Expression<'a>>>),
    Comma(Vec<Expression<'a>>),
    /// An expression with words for what its construct is.
    Said(&'static str, Box<Expression<'a>>),
    /// An expression that is not understood.
    Unknown,
}

impl<'a> Expression<'a> {
    /// The name, if it is only a name, brackets and casts aside.
    pub(super) fn name(&self) -> Option<&'a str> {
        match self {
            Expression::Name(name) => Some(name),
            Expression::Cast(_, inner) | Expression::Said(_, inner) => inner.name(),
            _ => None,
        }
    }

    /// The variable that it goes out from: `a` in `a->b[i].c`, `*a`, `&a`.
    pub(super) fn root(&self) -> Option<&'a str> {
        match self {
            Expression::Name(name) => Some(name),
            Expression::This => Some("this"),
            Expression::Cast(_, inner)
            | Expression::Said(_, inner)
            | Expression::Member(inner, _)
            | Expression::Index(inner, _)
            | Expression::Unary("*" | "&" | "++" | "--", inner)
            | Expression::Postfix(_, inner) => inner.root(),
            Expression::Binary("+" | "-", left, _) => left.root(),
            Expression::Call(callee, _) => match &**callee {
                Expression::Member(of, _) => of.root(),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Calls `take` with every expression in statements, outer ones first, and with the number of loops around it.
pub(super) fn each_expression<'t, 'a>(
    statements: &'t [Statement<'a>],
    loops: usize,
    take: &mut impl FnMut(&'t Expression<'a>, usize),
) {
    for statement in statements {
        in_statement(statement, loops, take);
    }
}

/// Calls `take` with every list of statements, outer ones first, and with the number of loops around it.
pub(super) fn each_block<'t, 'a>(
    statements: &'t [Statement<'a>],
    loops: usize,
    take: &mut impl FnMut(&'t [Statement<'a>], usize),
) {
    take(statements, loops);
    for statement in statements {
        let mut inside = |inner: &'t Statement<'a>, loops| match inner {
            Statement::Block(inner) => each_block(inner, loops, take),
            single => each_block(std::slice::from_ref(single), loops, take),
        };
        match statement {
            Statement::Block(inner) => each_block(inner, loops, take),
            Statement::If(_, then, otherwise) => {
                inside(then, loops);
                if let Some(otherwise) = otherwise {
                    inside(otherwise, loops);
                }
            }
            Statement::While(_, body)
            | Statement::DoWhile(body, _)
            | Statement::For { body, .. }
            | Statement::ForEach { body, .. } => inside(body, loops + 1),
            Statement::Switch(_, body) | Statement::Try(body) | Statement::Catch(body) => {
                inside(body, loops);
            }
            _ => {}
        }
    }
}

fn in_statement<'t, 'a>(
    statement: &'t Statement<'a>,
    loops: usize,
    take: &mut impl FnMut(&'t Expression<'a>, usize),
) {
    match statement {
        Statement::Expression(value) | Statement::Case(value) | Statement::Return(Some(value)) => {
            in_expression(value, loops, take);
        }
        Statement::Declaration(declared) => {
            for value in declared.iter().filter_map(|one| one.value.as_ref()) {
                in_expression(value, loops, take);
            }
        }
        Statement::Block(inner) => each_expression(inner, loops, take),
        Statement::If(condition, then, otherwise) => {
            in_expression(condition, loops, take);
            in_statement(then, loops, take);
            if let Some(otherwise) = otherwise {
                in_statement(otherwise, loops, take);
            }
        }
        Statement::While(condition, body) | Statement::DoWhile(body, condition) => {
            in_expression(condition, loops + 1, take);
            in_statement(body, loops + 1, take);
        }
        Statement::For {
            first,
            condition,
            step,
            body,
        } => {
            in_statement(first, loops, take);
            for value in [condition, step].into_iter().flatten() {
                in_expression(value, loops + 1, take);
            }
            in_statement(body, loops + 1, take);
        }
        Statement::ForEach { over, body, .. } => {
            in_expression(over, loops, take);
            in_statement(body, loops + 1, take);
        }
        Statement::Switch(value, body) => {
            in_expression(value, loops, take);
            in_statement(body, loops, take);
        }
        Statement::Try(body) | Statement::Catch(body) => in_statement(body, loops, take),
        _ => {}
    }
}

fn in_expression<'t, 'a>(
    value: &'t Expression<'a>,
    loops: usize,
    take: &mut impl FnMut(&'t Expression<'a>, usize),
) {
    take(value, loops);
    match value {
        Expression::Call(callee, arguments) => {
            in_expression(callee, loops, take);
            for argument in arguments {
                in_expression(argument, loops, take);
            }
        }
        Expression::Construct(_, values)
        | Expression::List(values)
        | Expression::New(_, values)
        | Expression::Comma(values) => {
            for value in values {
                in_expression(value, loops, take);
            }
        }
        Expression::Index(left, right)
        | Expression::Binary(_, left, right)
        | Expression::Assign(_, left, right) => {
            in_expression(left, loops, take);
            in_expression(right, loops, take);
        }
        Expression::Member(inner, _)
        | Expression::Unary(_, inner)
        | Expression::Postfix(_, inner)
        | Expression::Cast(_, inner)
        | Expression::Said(_, inner)
        | Expression::Delete(inner)
        | Expression::SizeOf(Some(inner))
        | Expression::Throw(Some(inner)) => in_expression(inner, loops, take),
        Expression::Conditional(condition, then, otherwise) => {
            in_expression(condition, loops, take);
            in_expression(then, loops, take);
            in_expression(otherwise, loops, take);
        }
        Expression::Lambda(_, body) => each_expression(body, loops, take),
        _ => {}
    }
}
