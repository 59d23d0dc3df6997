//! A tree of a grammar to functions, statements and expressions.

use tree_sitter::{Node, Tree};

use super::table::{Kind, Kinds, PARTS, Part, Role};
use crate::source::parse::DEPTH;
use crate::source::tree::{Declared, Expression, Function, Parameter, Statement};
use crate::types::{Type, shape_of};

/// The functions of a text in their order, outermost first. Without any, functions that are values count; a text without
/// those is read as plain statements.
pub(super) fn functions<'a>(tree: &Tree, text: &'a str, kinds: &'a Kinds) -> Vec<Function<'a>> {
    let reader = Reader { text, kinds };
    let root = tree.root_node();
    let mut functions = Vec::new();
    for any_value in [false, true] {
        if functions.is_empty() {
            reader.find(root, (any_value, None, 0), &mut functions);
        }
    }
    if functions.is_empty() {
        functions.push(Function {
            body: reader.statements(root, 0),
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

    /// The first node of a part.
    fn node(&self, at: usize) -> Option<Node<'t>> {
        match self.parts.get(at)? {
            Part::Field(field) => self.node.child_by_field_id(field.get()),
            Part::Child(index) => children(self.node).into_iter().nth(usize::from(*index)),
            Part::Rest => self.nodes(at).into_iter().next(),
            Part::None | Part::Operator(_) => None,
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
                let others = (0..PARTS)
                    .filter(|other| *other != at && self.parts.get(*other) != Some(&Part::Rest));
                self.children_without(&others.flat_map(|it| self.nodes(it)).collect::<Vec<_>>())
            }
            _ => self.node(at).into_iter().collect(),
        }
    }

    /// The nodes of a part and of those behind it.
    fn nodes_from(&self, at: usize) -> Vec<Node<'t>> {
        (at..PARTS).flat_map(|at| self.nodes(at)).collect()
    }

    /// The named children outside of all parts.
    fn others(&self) -> Vec<Node<'t>> {
        self.children_without(&self.nodes_from(0))
    }

    /// The named children without these.
    fn children_without(&self, taken: &[Node<'t>]) -> Vec<Node<'t>> {
        let mut taken: Vec<usize> = taken.iter().map(Node::id).collect();
        taken.sort_unstable();
        let mut all = children(self.node);
        all.retain(|node| taken.binary_search(&node.id()).is_err());
        all
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

    /// Adds the functions below a node that are not inside of others: declared ones, and those that a name is assigned
    /// to, or with `any_value` all that are values.
    fn find(
        &self,
        node: Node<'_>,
        (any_value, class, depth): (bool, Option<&'a str>, usize),
        functions: &mut Vec<Function<'a>>,
    ) {
        if depth > DEPTH {
            return;
        }
        let kind = self.kind(node);
        // The way to a parent begins at the root, so it is looked for only where it counts.
        let is_named = |kind: &Kind| matches!(kind.role, Role::Function | Role::Lambda);
        let assigned = kind.filter(is_named).and_then(|_| self.assigned(node));
        let is_function = kind.is_some_and(|kind| match kind.role {
            Role::Function => true,
            Role::Lambda => any_value || assigned.is_some(),
            _ => false,
        });
        if let Some(kind) = kind.filter(|_| is_function) {
            let parts = Parts::of(node, &kind);
            let read = if kind.role == Role::Lambda {
                Function {
                    parameters: self.parameters_of_lambda(&parts),
                    body: self.body(parts.node(1), depth),
                    ..Function::default()
                }
            } else {
                self.function(&parts, depth)
            };
            functions.push(Function {
                name: Some(read.name)
                    .filter(|name| !name.is_empty())
                    .or(assigned)
                    .unwrap_or(NAMELESS),
                class: read.class.or(class),
                ..read
            });
            return;
        }
        let is_class = kind.is_some_and(|kind| kind.role == Role::Block);
        let named = |field: &str| node.child_by_field_name(field).filter(|_| is_class);
        let own = named("name").or_else(|| named("type"));
        let own = own.map(|name| self.leaf(name));
        for child in children(node) {
            self.find(child, (any_value, own.or(class), depth + 1), functions);
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

    /// The name that a value is assigned to.
    fn assigned(&self, node: Node<'_>) -> Option<&'a str> {
        let parent = node.parent()?;
        let role = self.kind(parent)?.role;
        let first = parent.named_child(0)?;
        let assigns = matches!(role, Role::Declare | Role::Assign | Role::Binary);
        (assigns && first.id() != node.id()).then(|| self.leaf(first))
    }

    fn parameters_of_lambda(&self, parts: &Parts<'_>) -> Vec<Parameter<'a>> {
        self.parameters(parts.node(0).or_else(|| parts.node(2)))
    }

    /// The statements of a function; where the language says so, the last expression is its result.
    fn body(&self, node: Option<Node<'_>>, depth: usize) -> Vec<Statement<'a>> {
        let Some(node) = node else {
            return Vec::new();
        };
        let mut body = if self.is_value(node) {
            vec![Statement::Return(Some(self.expression(node, depth + 1)))]
        } else {
            self.statements(node, depth + 1)
        };
        if self.kinds.last_is_result {
            result(&mut body);
        }
        body
    }

    /// True if a body is an expression.
    fn is_value(&self, node: Node<'_>) -> bool {
        let mut inner = node;
        loop {
            let Some(kind) = self.kind(inner) else {
                return false;
            };
            match (kind.role, children(inner).as_slice()) {
                (Role::Inner, [one]) => inner = *one,
                (Role::Inner, _) => return false,
                (role, _) => return !role.is_statement(),
            }
        }
    }

    fn parameters(&self, node: Option<Node<'_>>) -> Vec<Parameter<'a>> {
        let Some(node) = node else {
            return Vec::new();
        };
        if self.kind(node).is_some_and(|kind| kind.role == Role::Name) {
            return self.named(node);
        }
        let all = children(node).into_iter();
        let is_read = |node: &Node<'_>| self.kind(*node).is_none_or(|it| it.role != Role::Pass);
        all.filter(is_read)
            .flat_map(|node| self.named(node))
            .collect()
    }

    /// The parameters of a node: one for each of its names.
    fn named(&self, node: Node<'_>) -> Vec<Parameter<'a>> {
        let Some(kind) = self.kind(node).filter(|it| it.role == Role::Parameter) else {
            return vec![Parameter {
                name: self.leaf(node),
                kind: Type::default(),
            }];
        };
        let parts = Parts::of(node, &kind);
        let of_type = parts.node(1).map(|node| self.type_of(node));
        let names: Vec<&'a str> = parts
            .nodes(0)
            .into_iter()
            .map(|node| self.leaf(node))
            .collect();
        let names = if names.is_empty() { vec![""] } else { names };
        let parameter = |name| Parameter {
            name,
            kind: of_type.clone().unwrap_or_default(),
        };
        names.into_iter().map(parameter).collect()
    }

    /// The text of a node that is a single name, otherwise nothing.
    fn leaf(&self, node: Node<'_>) -> &'a str {
        let mut inner = node;
        loop {
            match children(inner).as_slice() {
                [] => return self.text(inner),
                [one] => inner = *one,
                _ => return "",
            }
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

    /// Several statements as one.
    fn block(&self, nodes: Vec<Node<'_>>, depth: usize) -> Statement<'a> {
        let mut all = self.each_statement(nodes, depth);
        match all.len() {
            0 => Statement::Empty,
            1 => all.remove(0),
            _ => Statement::Block(all),
        }
    }

    fn boxed(&self, nodes: Vec<Node<'_>>, depth: usize) -> Box<Statement<'a>> {
        Box::new(self.block(nodes, depth))
    }

    fn statement(&self, node: Node<'_>, depth: usize) -> Statement<'a> {
        if depth > DEPTH {
            return Statement::Empty;
        }
        let Some(kind) = self.kind(node) else {
            return self.block(children(node), depth);
        };
        let made = if kind.role.is_statement() {
            self.construct(node, &kind, depth)
        } else if kind.role == Role::Inner {
            let inner = self.block(children(node), depth);
            // A value that is thrown away is not a result.
            if self.kinds.last_is_result && self.text(node).ends_with(';') {
                Statement::Block(vec![inner, Statement::Empty])
            } else {
                inner
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

    /// A statement, after the children outside of its parts.
    fn construct(&self, node: Node<'_>, kind: &Kind, depth: usize) -> Statement<'a> {
        let parts = Parts::of(node, kind);
        let made = self.of_role(&parts, kind.role, depth);
        let is_whole = matches!(
            kind.role,
            Role::Block | Role::Return | Role::Throw | Role::Function | Role::Loop
        );
        let others = if is_whole { Vec::new() } else { parts.others() };
        let mut all = self.each_statement(others, depth);
        if all.is_empty() {
            return made;
        }
        all.push(made);
        Statement::Block(all)
    }

    fn of_role(&self, parts: &Parts<'_>, role: Role, depth: usize) -> Statement<'a> {
        let value = |at: usize| {
            let nodes = parts.nodes(at);
            (!nodes.is_empty()).then(|| self.together(nodes, depth))
        };
        let known = |at: usize| value(at).unwrap_or(Expression::Unknown);
        let inside = |at: usize| self.boxed(parts.nodes(at), depth + 1);
        let not = |value| Expression::Unary("!", Box::new(value));
        match role {
            Role::If => self.branch(parts, known(0), depth),
            Role::Unless => self.branch(parts, not(known(0)), depth),
            Role::While => Statement::While(value(0).unwrap_or(Expression::True), inside(1)),
            Role::Until => Statement::While(not(known(0)), inside(1)),
            Role::Do => Statement::DoWhile(inside(0), known(1)),
            Role::For => Statement::For {
                first: inside(0),
                condition: value(1),
                step: value(2),
                body: inside(3),
            },
            Role::Loop => self.headed(parts, depth),
            Role::Each => Statement::ForEach {
                variable: self.variable(parts.node(0)),
                over: known(1),
                body: inside(2),
            },
            Role::Switch => {
                let cases = self.each_statement(parts.nodes_from(1), depth + 1);
                Statement::Switch(known(0), Box::new(Statement::Block(cases)))
            }
            Role::Case => self.case(parts, depth),
            Role::Break => Statement::Break,
            Role::Continue => Statement::Continue,
            Role::Goto => Statement::Goto,
            Role::Return | Role::Throw => {
                let all = children(parts.node);
                let first = all.first().map(|node| self.expression(*node, depth + 1));
                if role == Role::Return {
                    Statement::Return(first)
                } else {
                    Statement::Expression(Expression::Throw(first.map(Box::new)))
                }
            }
            Role::Try => {
                let mut all = vec![Statement::Try(inside(0))];
                all.extend(self.each_statement(parts.nodes(1), depth));
                Statement::Block(all)
            }
            Role::Catch => Statement::Catch(inside(0)),
            Role::Declare => self.declaration(parts, value(2)),
            Role::Function => {
                let parameters = self.parameters(parts.node(1));
                let body = self.body(parts.node(3), depth);
                Statement::Expression(Expression::Lambda(parameters, body))
            }
            _ => Statement::Block(self.each_statement(children(parts.node), depth)),
        }
    }

    /// A declaration of each name; the first has the value.
    fn declaration(&self, parts: &Parts<'_>, value: Option<Expression<'a>>) -> Statement<'a> {
        let names = parts.nodes(0).into_iter();
        let kind = parts.node(1);
        let mut declared: Vec<Declared<'a>> =
            names.map(|name| self.typed(Some(name), kind)).collect();
        if declared.is_empty() {
            declared.push(self.typed(None, kind));
        }
        if let Some(first) = declared.first_mut() {
            first.value = value;
        }
        Statement::Declaration(declared)
    }

    /// A condition with its branches: those of an `elif` are alternatives too.
    fn branch(&self, parts: &Parts<'_>, condition: Expression<'a>, depth: usize) -> Statement<'a> {
        let then = self.boxed(parts.nodes(1), depth + 1);
        let mut otherwise: Option<Box<Statement<'a>>> = None;
        let alternatives = parts.nodes(2);
        // Each is inside of the one before it.
        for (at, node) in alternatives.into_iter().enumerate().take(DEPTH).rev() {
            let mut one = self.statement(node, depth + at + 1);
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
        let body = self.boxed(parts.nodes(0), depth + 1);
        let Some(head) = parts.nodes(1).into_iter().next() else {
            return Statement::While(Expression::True, body);
        };
        let Some(kind) = self.kind(head) else {
            return Statement::While(self.expression(head, depth + 1), body);
        };
        let of_head = Parts::of(head, &kind);
        let value = |at: usize| {
            let nodes = of_head.nodes(at);
            (!nodes.is_empty()).then(|| self.together(nodes, depth))
        };
        match kind.role {
            Role::Each => Statement::ForEach {
                variable: self.variable(of_head.node(0)),
                over: value(1).unwrap_or(Expression::Unknown),
                body,
            },
            Role::For => Statement::For {
                first: self.boxed(of_head.nodes(0), depth + 1),
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
        let first = parts.node.child(0);
        let is_default = first.is_some_and(|first| {
            !first.is_named() && matches!(self.text(first), "default" | "else")
        });
        let values = if is_default {
            Vec::new()
        } else {
            parts.nodes(0)
        };
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
        let rest = if is_default {
            parts.nodes_from(0)
        } else {
            parts.nodes_from(1)
        };
        all.extend(self.each_statement(rest, depth));
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
                let parameters = self.parameters_of_lambda(&parts);
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
        for node in parts.nodes_from(at) {
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
        let (left, right) = match operator {
            // R's assignment to the right.
            "->" | "->>" => (right, left),
            _ => (left, right),
        };
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

    /// `a < b <= c`: each pair is compared. Only a name is in two pairs, other operands in the first.
    fn compared(&self, node: Node<'_>, depth: usize) -> Expression<'a> {
        let operands = children(node).into_iter().take(DEPTH);
        // The pairs are inside of each other.
        let depth = depth + operands.len();
        let mut operands = self.expressions(operands.collect(), depth).into_iter();
        let mut cursor = node.walk();
        let operators: Vec<&'a str> = node
            .children(&mut cursor)
            .filter(|child| !child.is_named())
            .map(|child| self.text(child))
            .collect();
        let Some(mut left) = operands.next() else {
            return Expression::Unknown;
        };
        let mut all: Option<Expression<'a>> = None;
        for (right, operator) in operands.zip(operators) {
            let next = match &right {
                Expression::Name(name) => Expression::Name(name),
                Expression::Number(text) => Expression::Number(text),
                _ => Expression::Unknown,
            };
            let pair = self.binary(Box::new(left), operator, Box::new(right));
            left = next;
            all = Some(match all {
                None => pair,
                Some(all) => Expression::Binary("&&", Box::new(all), Box::new(pair)),
            });
        }
        all.unwrap_or(left)
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
        let clauses = parts.nodes(1).into_iter().take(DEPTH);
        // The clauses are inside of each other.
        let depth = depth + clauses.len();
        let body = parts.node(0).map(|node| self.expression(node, depth + 1));
        let mut inner = Statement::Expression(body.unwrap_or(Expression::Unknown));
        for clause in clauses.rev() {
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
        Statement::Switch(value, cases) => {
            let cases = match *cases {
                Statement::Block(all) => Statement::Block(all.into_iter().map(returned).collect()),
                single => returned(single),
            };
            Statement::Switch(value, Box::new(cases))
        }
        other => other,
    }
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
