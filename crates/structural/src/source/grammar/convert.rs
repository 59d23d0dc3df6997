//! A tree of a grammar to functions, statements and expressions.

use tree_sitter::{Node, Tree};

use super::table::{Kind, Kinds, PARTS, Part, Role};
use crate::source::parse::DEPTH;
use crate::source::tree::{Declared, Expression, Function, Parameter, Statement};
use crate::types::{Type, shape_of};

/// The functions of a text in their order. A text without any is read as plain statements.
pub(super) fn functions<'a>(tree: &Tree, text: &'a str, kinds: &'a Kinds) -> Vec<Function<'a>> {
    let reader = Reader { text, kinds };
    let mut functions = Vec::new();
    for role in [Role::Function, Role::Lambda] {
        if functions.is_empty() {
            reader.find(tree.root_node(), (role, None, 0), &mut functions);
        }
    }
    if functions.is_empty() {
        functions.push(Function {
            body: reader.statements(tree.root_node(), 0),
            ..Function::default()
        });
    }
    functions
}

/// The name of a function without one; it has no words.
const NAMELESS: &str = "f";

struct Reader<'a> {
    text: &'a str,
    kinds: &'a Kinds,
}

/// The parts of a node.
struct Parts<'t> {
    node: Node<'t>,
    parts: [Part; PARTS],
}

impl<'t> Parts<'t> {
    fn of(node: Node<'t>, kind: &Kind) -> Self {
        Parts {
            node,
            parts: kind.parts,
        }
    }

    /// The node of a part.
    fn node(&self, at: usize) -> Option<Node<'t>> {
        match self.parts.get(at)? {
            Part::Field(field) => self.node.child_by_field_id(field.get()),
            Part::Child(index) => children(self.node).into_iter().nth(usize::from(*index)),
            Part::None | Part::Rest | Part::Operator(_) => None,
        }
    }

    /// The nodes of a part.
    fn nodes(&self, at: usize) -> Vec<Node<'t>> {
        match self.parts.get(at) {
            Some(Part::Field(field)) => {
                let mut cursor = self.node.walk();
                let all = self.node.children_by_field_id(*field, &mut cursor);
                all.filter(Node::is_named).collect()
            }
            Some(Part::Rest) => {
                let taken: Vec<usize> = (0..PARTS)
                    .filter(|other| *other != at && self.parts.get(*other) != Some(&Part::Rest))
                    .flat_map(|other| self.nodes(other))
                    .map(|node| node.id())
                    .collect();
                let all = children(self.node).into_iter();
                all.filter(|node| !taken.contains(&node.id())).collect()
            }
            _ => self.node(at).into_iter().collect(),
        }
    }
}

/// The named children that are not comments.
fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let all = node.named_children(&mut cursor);
    all.filter(|child| !child.is_extra()).collect()
}

impl<'a> Reader<'a> {
    fn text(&self, node: Node<'_>) -> &'a str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    fn kind(&self, node: Node<'_>) -> Option<Kind> {
        self.kinds.of(node.kind_id())
    }

    /// Adds the functions below a node, by their role, that are not inside of others.
    fn find(
        &self,
        node: Node<'_>,
        (role, class, depth): (Role, Option<&'a str>, usize),
        functions: &mut Vec<Function<'a>>,
    ) {
        if depth > DEPTH {
            return;
        }
        match self.kind(node) {
            Some(kind) if kind.role == role => {
                let parts = Parts::of(node, &kind);
                let read = if role == Role::Lambda {
                    Function {
                        parameters: self.parameters(parts.node(0)),
                        body: self.body(parts.node(1), depth),
                        ..Function::default()
                    }
                } else {
                    self.function(&parts, depth)
                };
                functions.push(Function {
                    name: Some(read.name)
                        .filter(|name| !name.is_empty())
                        .or_else(|| self.assigned(node))
                        .unwrap_or(NAMELESS),
                    class: read.class.or(class),
                    ..read
                });
            }
            _ => {
                let own = node.child_by_field_name("name").map(|name| self.leaf(name));
                for child in children(node) {
                    self.find(child, (role, own.or(class), depth + 1), functions);
                }
            }
        }
    }

    fn function(&self, parts: &Parts<'_>, depth: usize) -> Function<'a> {
        Function {
            name: parts.node(0).map_or("", |node| self.leaf(node)),
            class: parts.node(4).map(|node| self.text(node)),
            parameters: self.parameters(parts.node(1)),
            returns: parts
                .node(2)
                .map(|node| self.type_of(node))
                .unwrap_or_default(),
            body: self.body(parts.node(3), depth),
            ..Function::default()
        }
    }

    /// The name that a function without one is assigned to.
    fn assigned(&self, node: Node<'_>) -> Option<&'a str> {
        let first = node.parent()?.named_child(0)?;
        (first.id() != node.id()).then(|| self.leaf(first))
    }

    /// The statements of a function; where the language says so, the last expression is its result.
    fn body(&self, node: Option<Node<'_>>, depth: usize) -> Vec<Statement<'a>> {
        let Some(node) = node else {
            return Vec::new();
        };
        let role = self.kind(node).map(|kind| kind.role);
        let is_value = role.is_some_and(|role| !role.is_statement() && role != Role::Inner);
        let mut body = if is_value {
            vec![Statement::Return(Some(self.expression(node, depth + 1)))]
        } else {
            self.statements(node, depth + 1)
        };
        if self.kinds.last_is_result {
            result(&mut body);
        }
        body
    }

    fn parameters(&self, node: Option<Node<'_>>) -> Vec<Parameter<'a>> {
        let Some(node) = node else {
            return Vec::new();
        };
        if self.kind(node).is_some_and(|kind| kind.role == Role::Name) {
            return vec![self.parameter(node)];
        }
        let all = children(node).into_iter();
        let is_read = |node: &Node<'_>| self.kind(*node).is_none_or(|it| it.role != Role::Pass);
        all.filter(is_read)
            .map(|node| self.parameter(node))
            .collect()
    }

    fn parameter(&self, node: Node<'_>) -> Parameter<'a> {
        let Some(kind) = self.kind(node).filter(|it| it.role == Role::Parameter) else {
            return Parameter {
                name: self.leaf(node),
                kind: Type::default(),
            };
        };
        let parts = Parts::of(node, &kind);
        Parameter {
            name: parts.node(0).map_or("", |node| self.leaf(node)),
            kind: parts
                .node(1)
                .map(|node| self.type_of(node))
                .unwrap_or_default(),
        }
    }

    /// The text of a node that is a single name, otherwise nothing.
    fn leaf(&self, node: Node<'_>) -> &'a str {
        let all = children(node);
        match all.as_slice() {
            [] => self.text(node),
            [one] => self.leaf(*one),
            _ => "",
        }
    }

    /// The words and marks of a type, as those of C.
    fn type_of(&self, node: Node<'_>) -> Type<'a> {
        let mut words: Vec<&'a str> = Vec::new();
        let mut marks: Vec<&'a str> = Vec::new();
        for token in self.text(node).split_inclusive(|c: char| !is_of_name(c)) {
            let name = token.trim_end_matches(|c: char| !is_of_name(c));
            let known = self.kinds.type_name(name);
            words.extend(known.split_ascii_whitespace());
            let mark = token.get(name.len()..).unwrap_or_default();
            marks.extend(Some(mark).filter(|mark| matches!(*mark, "*" | "&" | "[")));
        }
        shape_of(&words, &marks)
    }

    fn statements(&self, node: Node<'_>, depth: usize) -> Vec<Statement<'a>> {
        match self.kind(node) {
            Some(kind) if kind.role != Role::Block && kind.role != Role::Inner => {
                vec![self.statement(node, depth)]
            }
            _ => self.each_statement(children(node), depth),
        }
    }

    fn each_statement(&self, nodes: Vec<Node<'_>>, depth: usize) -> Vec<Statement<'a>> {
        let all = nodes
            .into_iter()
            .map(|child| self.statement(child, depth + 1));
        all.filter(|one| *one != Statement::Empty).collect()
    }

    fn boxed(&self, node: Option<Node<'_>>, depth: usize) -> Box<Statement<'a>> {
        Box::new(node.map_or(Statement::Empty, |node| self.statement(node, depth)))
    }

    fn statement(&self, node: Node<'_>, depth: usize) -> Statement<'a> {
        if depth > DEPTH {
            return Statement::Empty;
        }
        let Some(kind) = self.kind(node) else {
            let mut all = self.each_statement(children(node), depth);
            return match all.len() {
                0 => Statement::Empty,
                1 => all.remove(0),
                _ => Statement::Block(all),
            };
        };
        let made = if kind.role.is_statement() {
            self.construct(node, &kind, depth)
        } else if kind.role == Role::Inner {
            let mut all = self.each_statement(children(node), depth);
            if all.len() == 1 {
                all.remove(0)
            } else {
                Statement::Block(all)
            }
        } else if kind.role == Role::Pass {
            Statement::Empty
        } else {
            return plain(self.expression(node, depth));
        };
        if kind.words.is_empty() {
            return made;
        }
        let said = Expression::Said(kind.words, Box::new(Expression::Unknown));
        Statement::Block(vec![Statement::Expression(said), made])
    }

    fn construct(&self, node: Node<'_>, kind: &Kind, depth: usize) -> Statement<'a> {
        let parts = Parts::of(node, kind);
        let value = |at: usize| parts.node(at).map(|node| self.expression(node, depth + 1));
        let known = |at: usize| value(at).unwrap_or(Expression::Unknown);
        let inside = |at: usize| self.boxed(parts.node(at), depth + 1);
        let not = |value| Expression::Unary("!", Box::new(value));
        match kind.role {
            Role::If => self.branch(&parts, known(0), depth),
            Role::Unless => self.branch(&parts, not(known(0)), depth),
            Role::While => Statement::While(value(0).unwrap_or(Expression::True), inside(1)),
            Role::Until => Statement::While(not(known(0)), inside(1)),
            Role::Do => Statement::DoWhile(inside(0), known(1)),
            Role::For => Statement::For {
                first: inside(0),
                condition: value(1),
                step: value(2),
                body: inside(3),
            },
            Role::Loop => self.headed(&parts, depth),
            Role::Each => Statement::ForEach {
                variable: self.variable(parts.node(0)),
                over: known(1),
                body: inside(2),
            },
            Role::Switch => Statement::Switch(known(0), inside(1)),
            Role::Case => self.case(&parts, depth),
            Role::Break => Statement::Break,
            Role::Continue => Statement::Continue,
            Role::Goto => Statement::Goto,
            Role::Return => {
                let all = children(node);
                let first = all.first().map(|node| self.expression(*node, depth + 1));
                Statement::Return(first)
            }
            Role::Throw => {
                let all = children(node);
                let first = all.first().map(|node| self.expression(*node, depth + 1));
                Statement::Expression(Expression::Throw(first.map(Box::new)))
            }
            Role::Try => {
                let mut all = vec![Statement::Try(inside(0))];
                all.extend(self.each_statement(parts.nodes(1), depth));
                Statement::Block(all)
            }
            Role::Catch => Statement::Catch(inside(0)),
            Role::Declare => Statement::Declaration(vec![Declared {
                value: value(2),
                ..self.typed(parts.node(0), parts.node(1))
            }]),
            Role::Function => {
                let parameters = self.parameters(parts.node(1));
                let body = self.body(parts.node(3), depth);
                Statement::Expression(Expression::Lambda(parameters, body))
            }
            _ => Statement::Block(self.each_statement(children(node), depth)),
        }
    }

    /// A condition with its branches: those of an `elif` are alternatives too.
    fn branch(&self, parts: &Parts<'_>, condition: Expression<'a>, depth: usize) -> Statement<'a> {
        let then = self.boxed(parts.node(1), depth + 1);
        let mut otherwise: Option<Box<Statement<'a>>> = None;
        for node in parts.nodes(2).into_iter().rev() {
            let mut one = self.statement(node, depth + 1);
            if let Statement::If(_, _, last) = &mut one
                && last.is_none()
            {
                *last = otherwise.take();
            }
            otherwise = Some(Box::new(one));
        }
        Statement::If(condition, then, otherwise)
    }

    /// A loop whose head is a child: a range, the three parts of C, or a condition.
    fn headed(&self, parts: &Parts<'_>, depth: usize) -> Statement<'a> {
        let body = self.boxed(parts.node(0), depth + 1);
        let Some(head) = parts.nodes(1).into_iter().next() else {
            return Statement::While(Expression::True, body);
        };
        let Some(kind) = self.kind(head) else {
            return Statement::While(self.expression(head, depth + 1), body);
        };
        let of_head = Parts::of(head, &kind);
        let value = |at: usize| {
            of_head
                .node(at)
                .map(|node| self.expression(node, depth + 1))
        };
        match kind.role {
            Role::Each => Statement::ForEach {
                variable: self.variable(of_head.node(0)),
                over: value(1).unwrap_or(Expression::Unknown),
                body,
            },
            Role::For => Statement::For {
                first: self.boxed(of_head.node(0), depth + 1),
                condition: value(1),
                step: value(2),
                body,
            },
            _ => Statement::While(self.expression(head, depth + 1), body),
        }
    }

    /// A case and its statements; one without a value, or with `_`, is the default.
    fn case(&self, parts: &Parts<'_>, depth: usize) -> Statement<'a> {
        let mut all = Vec::new();
        let values = parts.nodes(0);
        for node in &values {
            if self.text(*node) == "_" {
                all.push(Statement::Default);
            } else {
                all.push(Statement::Case(self.expression(*node, depth + 1)));
            }
        }
        if values.is_empty() {
            all.push(Statement::Default);
        }
        all.extend(self.each_statement(parts.nodes(1), depth));
        Statement::Block(all)
    }

    fn variable(&self, node: Option<Node<'_>>) -> Declared<'a> {
        self.typed(node, None)
    }

    fn typed(&self, name: Option<Node<'_>>, kind: Option<Node<'_>>) -> Declared<'a> {
        let kind = kind.map(|node| self.type_of(node)).unwrap_or_default();
        Declared {
            name: name.map_or("", |node| self.leaf(node)),
            kind,
            is_static: false,
            is_array: false,
            dimensions: Vec::new(),
            value: None,
        }
    }

    fn expressions(&self, nodes: Vec<Node<'_>>, depth: usize) -> Vec<Expression<'a>> {
        let is_read = |node: &Node<'_>| self.kind(*node).is_none_or(|it| it.role != Role::Pass);
        let all = nodes.into_iter().filter(is_read);
        all.map(|node| self.expression(node, depth + 1)).collect()
    }

    /// Several expressions as one.
    fn together(&self, nodes: Vec<Node<'_>>, depth: usize) -> Expression<'a> {
        let mut all = self.expressions(nodes, depth);
        match all.len() {
            0 => Expression::Unknown,
            1 => all.remove(0),
            _ => Expression::Comma(all),
        }
    }

    fn expression(&self, node: Node<'_>, depth: usize) -> Expression<'a> {
        if depth > DEPTH {
            return Expression::Unknown;
        }
        let Some(kind) = self.kind(node) else {
            return self.together(children(node), depth);
        };
        let made = if kind.role.is_statement() {
            match self.construct(node, &kind, depth) {
                Statement::Expression(value) => value,
                other => Expression::Lambda(Vec::new(), vec![other]),
            }
        } else {
            self.value(node, &kind, depth)
        };
        if kind.words.is_empty() {
            made
        } else {
            Expression::Said(kind.words, Box::new(made))
        }
    }

    fn value(&self, node: Node<'_>, kind: &Kind, depth: usize) -> Expression<'a> {
        let parts = Parts::of(node, kind);
        let known = |at: usize| {
            let value = parts.node(at).map(|node| self.expression(node, depth + 1));
            value.unwrap_or(Expression::Unknown)
        };
        let boxed = |at: usize| Box::new(known(at));
        match kind.role {
            Role::Name => Expression::Name(self.text(node)),
            Role::Number => Expression::Number(self.text(node)),
            Role::String => self.string(node, depth),
            Role::Character => Expression::Character(self.text(node)),
            Role::True => Expression::True,
            Role::False => Expression::False,
            Role::Null => Expression::Null,
            Role::This => Expression::This,
            Role::Call => Expression::Call(boxed(0), self.arguments(&parts, 1, depth)),
            Role::Method => {
                let name = parts.node(1).map_or("", |node| self.leaf(node));
                let callee = match parts.node(0) {
                    Some(object) => {
                        let object = self.expression(object, depth + 1);
                        Expression::Member(Box::new(object), name)
                    }
                    None => Expression::Name(name),
                };
                Expression::Call(Box::new(callee), self.arguments(&parts, 2, depth))
            }
            Role::Index => {
                let index = self.together(parts.nodes(1), depth);
                Expression::Index(boxed(0), Box::new(index))
            }
            Role::Member => {
                let name = parts.node(1).map_or("", |node| self.leaf(node));
                Expression::Member(boxed(0), name)
            }
            Role::Path => {
                let mut names: Vec<&'a str> = self
                    .text(node)
                    .split(|c: char| !is_of_name(c))
                    .filter(|part| !part.is_empty())
                    .collect();
                let last = names.pop().unwrap_or_default();
                Expression::Path(names, last)
            }
            Role::Binary => self.binary(boxed(0), self.operator(&parts, 1), boxed(2)),
            Role::Compare => self.compared(node, depth),
            Role::Unary => {
                let (operator, words) = self.kinds.operator(self.operator(&parts, 0));
                said(words, Expression::Unary(operator, boxed(1)))
            }
            Role::Postfix => Expression::Postfix(self.operator(&parts, 0), boxed(1)),
            Role::Assign => {
                let (operator, words) = self.kinds.operator(self.operator(&parts, 1));
                let value = self.together(parts.nodes(2), depth);
                let target = self.together(parts.nodes(0), depth);
                said(
                    words,
                    Expression::Assign(operator, Box::new(target), Box::new(value)),
                )
            }
            Role::Conditional => Expression::Conditional(boxed(0), boxed(1), boxed(2)),
            Role::Cast => {
                let kind = parts
                    .node(0)
                    .map(|node| self.type_of(node))
                    .unwrap_or_default();
                Expression::Cast(kind, boxed(1))
            }
            Role::List => Expression::List(self.expressions(children(node), depth)),
            Role::Lambda => {
                let parameters = self.parameters(parts.node(0));
                Expression::Lambda(parameters, self.body(parts.node(1), depth))
            }
            Role::New => {
                let kind = parts
                    .node(0)
                    .map(|node| self.type_of(node))
                    .unwrap_or_default();
                Expression::New(kind, self.arguments(&parts, 1, depth))
            }
            Role::Comprehension => self.comprehension(&parts, depth),
            Role::Pass => Expression::Unknown,
            Role::Inner if kind.parts[0] != Part::None => self.together(parts.nodes(0), depth),
            _ => self.together(children(node), depth),
        }
    }

    /// The arguments of a call: those of a list of arguments, or the nodes themselves.
    fn arguments(&self, parts: &Parts<'_>, at: usize, depth: usize) -> Vec<Expression<'a>> {
        let mut all = Vec::new();
        for node in (at..PARTS).flat_map(|at| parts.nodes(at)) {
            match self.kind(node) {
                Some(kind) if kind.role == Role::List => {
                    all.extend(self.expressions(children(node), depth));
                }
                _ => all.push(self.expression(node, depth + 1)),
            }
        }
        all
    }

    /// The operator of a node: given by the table, or the text of a field or between the operands.
    fn operator(&self, parts: &Parts<'_>, at: usize) -> &'a str {
        match parts.parts.get(at) {
            Some(Part::Operator(operator)) => operator,
            Some(Part::Field(field)) => {
                let node = parts.node.child_by_field_id(field.get());
                node.map_or("", |node| self.text(node))
            }
            _ => {
                let mut cursor = parts.node.walk();
                let mut all = parts.node.children(&mut cursor);
                let first = all.find(|child| !child.is_named());
                first.map_or("", |node| self.text(node))
            }
        }
    }

    fn binary(
        &self,
        left: Box<Expression<'a>>,
        operator: &'a str,
        right: Box<Expression<'a>>,
    ) -> Expression<'a> {
        let (operator, words) = self.kinds.operator(operator);
        let made = match operator {
            "=" => Expression::Assign("=", left, right),
            "." => match *right {
                Expression::Name(name) => Expression::Member(left, name),
                other => Expression::Comma(vec![*left, other]),
            },
            _ => Expression::Binary(operator, left, right),
        };
        said(words, made)
    }

    /// `a < b <= c`: each pair is compared.
    fn compared(&self, node: Node<'_>, depth: usize) -> Expression<'a> {
        let operands = self.expressions(children(node), depth);
        let mut operators: Vec<&'a str> = Vec::new();
        let mut cursor = node.walk();
        for child in node.children(&mut cursor).filter(|child| !child.is_named()) {
            operators.push(self.text(child));
        }
        let mut pairs = operands.windows(2).zip(operators).map(|(pair, operator)| {
            let [left, right] = pair else {
                return Expression::Unknown;
            };
            self.binary(Box::new(left.clone()), operator, Box::new(right.clone()))
        });
        let Some(first) = pairs.next() else {
            return Expression::Comma(operands);
        };
        pairs.fold(first, |all, pair| {
            Expression::Binary("&&", Box::new(all), Box::new(pair))
        })
    }

    /// A string; values that are inserted are read too.
    fn string(&self, node: Node<'_>, depth: usize) -> Expression<'a> {
        let inserted: Vec<Node<'_>> = children(node)
            .into_iter()
            .filter(|child| self.kind(*child).is_some_and(|it| it.role == Role::Inner))
            .collect();
        if inserted.is_empty() {
            return Expression::String(self.text(node));
        }
        let mut all = Vec::new();
        let mut at = node.start_byte();
        for child in &inserted {
            let before = self.text.get(at..child.start_byte()).unwrap_or_default();
            all.push(Expression::String(before));
            at = child.end_byte();
        }
        let rest = self.text.get(at..node.end_byte()).unwrap_or_default();
        all.push(Expression::String(rest));
        all.extend(self.expressions(inserted, depth));
        Expression::Comma(all)
    }

    /// `body for x in y if z`: a loop whose body is computed.
    fn comprehension(&self, parts: &Parts<'_>, depth: usize) -> Expression<'a> {
        let body = parts.node(0).map(|node| self.expression(node, depth + 1));
        let mut inner = Statement::Expression(body.unwrap_or(Expression::Unknown));
        for clause in parts.nodes(1).into_iter().rev() {
            let of_loop = self.kind(clause).filter(|kind| kind.role == Role::Each);
            inner = if let Some(kind) = of_loop {
                let of = Parts::of(clause, &kind);
                Statement::ForEach {
                    variable: self.variable(of.node(0)),
                    over: self.together(of.nodes(1), depth),
                    body: Box::new(inner),
                }
            } else {
                let condition = self.together(children(clause), depth);
                Statement::If(condition, Box::new(inner), None)
            };
        }
        Expression::Lambda(Vec::new(), vec![inner])
    }
}

/// An expression alone; a call of `return` returns.
fn plain(value: Expression<'_>) -> Statement<'_> {
    match value {
        Expression::Call(callee, mut arguments) if *callee == Expression::Name("return") => {
            Statement::Return(arguments.pop())
        }
        value => Statement::Expression(value),
    }
}

/// An expression with words, if there are any.
fn said<'a>(words: &'static str, value: Expression<'a>) -> Expression<'a> {
    if words.is_empty() {
        value
    } else {
        Expression::Said(words, Box::new(value))
    }
}

/// Makes the last expression of a body its result, in both branches of a condition too.
fn result(body: &mut Vec<Statement<'_>>) {
    let Some(last) = body.pop() else {
        return;
    };
    body.push(returned(last));
}

fn returned(statement: Statement<'_>) -> Statement<'_> {
    match statement {
        Statement::Expression(
            value @ (Expression::Assign(..) | Expression::Throw(_) | Expression::Postfix(..)),
        ) => Statement::Expression(value),
        Statement::Expression(value) => Statement::Return(Some(value)),
        Statement::If(condition, then, otherwise) => Statement::If(
            condition,
            Box::new(returned(*then)),
            otherwise.map(|otherwise| Box::new(returned(*otherwise))),
        ),
        Statement::Block(mut body) => {
            result(&mut body);
            Statement::Block(body)
        }
        other => other,
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
