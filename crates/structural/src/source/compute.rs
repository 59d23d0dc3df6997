//! A function of C or C++ executed on symbols: what it leaves in each element of what it writes, and what it returns.
//!
//! Counters are numbers, so a loop over constants and the same written out leave the same values. A loop whose end is
//! not constant is executed once, for every element. Branches that depend on symbols are both executed. Calls of
//! functions that are not known give unknown values. Work is bounded; a function that is too long is given up.

use std::collections::BTreeMap;

use super::tree::{Declared, Expression, Function, Statement, each_expression};
use crate::signature::{Shape, Trait};
use crate::vectors::value::{Binary, COUNTER, Node, Place, Step, Unary, Value};
use crate::vectors::{Effects, LOCAL, RESULT, THIS};
use crate::words::value_of_number;

/// Statements and expressions that are executed.
const WORK: usize = 4_000;
/// Rounds of one loop.
const ROUNDS: usize = 64;
/// Branches inside of branches that are both executed.
const FORKS: usize = 3;

/// The content of a variable.
#[derive(Clone)]
enum Cell {
    Value(Node),
    /// An array or a structure.
    Array(Place),
    Pointer(Pointer),
}

/// The target of a pointer.
#[derive(Clone)]
enum Pointer {
    /// An array, or a structure.
    Whole(Place),
    /// An element; others are at a distance from it.
    Element(Place),
}

#[derive(Clone, Default)]
struct State<'a> {
    variables: BTreeMap<&'a str, Cell>,
    memory: BTreeMap<Place, Node>,
    /// True once the function has returned.
    done: bool,
    /// True once a round of a loop is left.
    left: bool,
    /// True if the loop is left with it.
    broken: bool,
}

struct Machine<'a> {
    state: State<'a>,
    /// Names of members in the order in which they were met.
    members: Vec<&'a str>,
    returned: Vec<(Option<Node>, Node)>,
    /// The conditions of the branches around.
    conditions: Vec<Node>,
    locals: u8,
    loops: u8,
    /// Loops without a constant end that are around.
    every: Vec<u8>,
    left: usize,
}

/// Executes a function; `None` if it is too long.
pub(super) fn effects(function: &Function<'_>) -> Option<Effects> {
    let mut machine = Machine {
        state: State::default(),
        members: Vec::new(),
        returned: Vec::new(),
        conditions: Vec::new(),
        locals: 0,
        loops: 0,
        every: Vec::new(),
        left: WORK,
    };
    for (at, parameter) in (0..LOCAL).zip(&function.parameters) {
        let cell = if is_pointer(parameter.kind.shape) {
            Cell::Pointer(Pointer::Whole(Place::of(at)))
        } else if is_array(parameter.kind.shape) {
            Cell::Array(Place::of(at))
        } else {
            Cell::Value(Node::new(Value::Scalar(at)))
        };
        machine.state.variables.insert(parameter.name, cell);
    }
    machine
        .state
        .variables
        .insert("this", Cell::Array(Place::of(THIS)));
    machine.block(&function.body);
    if machine.left == 0 {
        return None;
    }
    Some(machine.finish())
}

/// Types whose values have elements: pointers, arrays, and structures of the project.
fn is_array(shape: Shape) -> bool {
    [
        Trait::Pointer,
        Trait::Array,
        Trait::Structure,
        Trait::Vector,
        Trait::VoidPointer,
    ]
    .iter()
    .any(|one| shape.has(*one))
        || (shape.has(Trait::Reference) && shape.has(Trait::Generic))
}

fn is_pointer(shape: Shape) -> bool {
    let kinds = [Trait::Pointer, Trait::Array, Trait::VoidPointer];
    kinds.iter().any(|one| shape.has(*one))
}

fn is_part(part: &Place, whole: &Place) -> bool {
    part.array == whole.array
        && part.path.len() > whole.path.len()
        && part.path.starts_with(&whole.path)
}

/// The place at a distance from an element.
fn shifted(mut place: Place, step: Step) -> Place {
    let last = place.path.pop();
    let moved = match (last, step) {
        (Some(Step::At(at)), Step::At(by)) => Step::At(at.saturating_add(by)),
        (Some(last), Step::At(0)) => last,
        _ => Step::Unknown,
    };
    place.then(moved)
}

impl<'a> Machine<'a> {
    fn finish(self) -> Effects {
        let mut stores = self.state.memory;
        let mut returned = self.returned;
        // What is stored in a local array that is returned is the result.
        if let [(None, node)] = returned.as_slice()
            && let Value::Element(place) = node.value()
            && place.array >= LOCAL
            && place.path.is_empty()
        {
            let local = place.array;
            let of_local = stores.iter().filter(|(place, _)| place.array == local);
            let moved: Vec<(Place, Node)> = of_local
                .map(|(place, node)| {
                    let place = Place {
                        array: RESULT,
                        path: place.path.clone(),
                    };
                    (place, node.clone())
                })
                .collect();
            stores.extend(moved);
            returned.clear();
        }
        if let [(None, node)] = returned.as_slice()
            && let Value::Tuple(values) = node.value()
        {
            let place = |at| Place::of(RESULT).then(Step::At(at));
            stores.extend(
                (0..)
                    .zip(values)
                    .map(|(at, value)| (place(at), value.clone())),
            );
            returned.clear();
        }
        stores.retain(|place, _| place.array < LOCAL || place.array >= RESULT);
        Effects { stores, returned }
    }

    fn spend(&mut self) -> bool {
        self.left = self.left.saturating_sub(1);
        self.left > 0 && !self.state.done
    }

    fn block(&mut self, statements: &[Statement<'a>]) {
        for statement in statements {
            if self.state.done || self.state.left {
                return;
            }
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &Statement<'a>) {
        if !self.spend() {
            return;
        }
        match statement {
            Statement::Expression(value) => {
                self.value(value);
            }
            Statement::Declaration(declared) => {
                for one in declared {
                    self.declare(one);
                }
            }
            Statement::Block(inner) => self.block(inner),
            Statement::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                match condition.number() {
                    Some(number) if number != 0.0 => self.statement(then),
                    Some(_) => {
                        if let Some(otherwise) = otherwise {
                            self.statement(otherwise);
                        }
                    }
                    None => self.fork(&condition, then, otherwise.as_deref()),
                }
            }
            Statement::For {
                first,
                condition,
                step,
                body,
            } => {
                self.statement(first);
                self.repeat(condition.as_ref(), step.as_ref(), body);
            }
            Statement::While(condition, body) => self.repeat(Some(condition), None, body),
            Statement::DoWhile(body, condition) => {
                self.statement(body);
                if self.is_broken() {
                    return;
                }
                if !matches!(condition, Expression::Number("0") | Expression::False) {
                    self.repeat(Some(condition), None, body);
                }
            }
            Statement::ForEach { body, .. } => {
                self.loops = self.loops.saturating_add(1);
                self.every.push(self.loops);
                self.statement(body);
                self.every.pop();
                self.is_broken();
            }
            Statement::Return(value) => {
                let value = value
                    .as_ref()
                    .map_or_else(Node::unknown, |it| self.whole(it));
                let condition = self
                    .conditions
                    .iter()
                    .cloned()
                    .reduce(|all, one| Node::binary(Binary::And, all, one));
                self.returned.push((condition, value));
                self.state.done = true;
            }
            Statement::Continue => self.state.left = true,
            Statement::Break | Statement::Goto => {
                self.state.left = true;
                self.state.broken = true;
            }
            Statement::Switch(..) => self.left = 0,
            Statement::Try(body) => self.statement(body),
            Statement::Case(_)
            | Statement::Default
            | Statement::Catch(_)
            | Statement::Assembly
            | Statement::Empty => {}
        }
    }

    /// Executes both branches, and joins what they leave.
    fn fork(&mut self, condition: &Node, then: &Statement<'a>, otherwise: Option<&Statement<'a>>) {
        if self.conditions.len() >= FORKS {
            self.left = 0;
            return;
        }
        let before = self.state.clone();
        self.conditions.push(condition.clone());
        self.statement(then);
        self.conditions.pop();
        let one = std::mem::replace(&mut self.state, before);
        if let Some(otherwise) = otherwise {
            self.conditions
                .push(Node::unary(Unary::Not, condition.clone()));
            self.statement(otherwise);
            self.conditions.pop();
        }
        let other = std::mem::take(&mut self.state);
        self.state = match (one.done || one.left, other.done || other.left) {
            (true, false) => other,
            (false, true) => one,
            _ => joined(condition, &one, &other),
        };
    }

    /// Ends a round of a loop; returns `true` if the loop ends with it.
    fn is_broken(&mut self) -> bool {
        self.state.left = false;
        std::mem::take(&mut self.state.broken)
    }

    fn repeat(
        &mut self,
        condition: Option<&Expression<'a>>,
        step: Option<&Expression<'a>>,
        body: &Statement<'a>,
    ) {
        for _ in 0..ROUNDS {
            let holds = condition.map(|it| self.value(it));
            match holds.as_ref().and_then(Node::number) {
                Some(0.0) => return,
                Some(_) => {}
                None => return self.once(step, body),
            }
            self.statement(body);
            if self.is_broken() {
                return;
            }
            if let Some(step) = step {
                self.value(step);
            }
            if !self.spend() {
                return;
            }
        }
        self.left = 0;
    }

    /// A loop without a constant end: its counters stand for every index.
    fn once(&mut self, step: Option<&Expression<'a>>, body: &Statement<'a>) {
        self.loops = self.loops.saturating_add(1);
        let every = self.loops;
        let mut counters = Vec::new();
        if let Some(step) = step {
            counted(step, &mut counters);
        }
        for name in &counters {
            if let Some(Cell::Value(_)) = self.state.variables.get(name) {
                let place = Place {
                    array: COUNTER,
                    path: vec![Step::Every(every)],
                };
                let cell = Cell::Value(Node::new(Value::Element(place)));
                self.state.variables.insert(name, cell);
            }
        }
        self.forget_sums(body, &counters);
        self.every.push(every);
        self.statement(body);
        self.every.pop();
        self.is_broken();
        for name in counters {
            if let Some(Cell::Value(_)) = self.state.variables.get(name) {
                self.state
                    .variables
                    .insert(name, Cell::Value(Node::unknown()));
            }
        }
    }

    /// Makes the variables and elements that a loop assigns unknown, because their values differ by round.
    fn forget_sums(&mut self, body: &Statement<'a>, counters: &[&'a str]) {
        let mut changed = Vec::new();
        each_expression(std::slice::from_ref(body), 0, &mut |value, _| {
            if let Expression::Assign(_, target, _)
            | Expression::Unary("++" | "--", target)
            | Expression::Postfix(_, target) = value
            {
                changed.push(&**target);
            }
        });
        for target in changed {
            if let Some(name) = target.name() {
                if let Some(Cell::Value(value)) = self.state.variables.get_mut(name)
                    && !counters.contains(&name)
                {
                    *value = Node::unknown();
                }
            } else if let Some(place) = self.place(target)
                && let Some(value) = self.state.memory.get_mut(&place)
            {
                *value = Node::unknown();
            }
        }
    }

    fn declare(&mut self, declared: &Declared<'a>) {
        let shape = declared.kind.shape;
        let is_array =
            declared.is_array || (is_array(shape) && !declared.kind.names.contains(&"auto"));
        let value = declared.value.as_ref();
        let cell = if is_pointer(shape) && !declared.is_array {
            let pointer = value.and_then(|it| self.pointer(it));
            Cell::Pointer(pointer.unwrap_or_else(|| Pointer::Whole(self.fresh())))
        } else if is_array {
            let place = self.fresh();
            if let Some(value) = value {
                let value = self.whole(value);
                self.store(place.clone(), value);
            }
            Cell::Array(place)
        } else {
            Cell::Value(value.map_or_else(Node::unknown, |it| self.value(it)))
        };
        self.state.variables.insert(declared.name, cell);
    }

    /// An array of its own.
    fn fresh(&mut self) -> Place {
        self.locals = self.locals.saturating_add(1);
        let number = LOCAL.saturating_add(self.locals);
        if number >= RESULT {
            self.left = 0;
        }
        Place::of(number.min(RESULT - 1))
    }

    /// Forgets what is known of the parts of a place.
    fn forget(&mut self, place: &Place) {
        self.state.memory.retain(|part, _| !is_part(part, place));
    }

    /// Returns `true` if parts of a local structure or array have values of their own.
    fn has_parts(&self, place: &Place) -> bool {
        (LOCAL..RESULT).contains(&place.array)
            && self.state.memory.keys().any(|part| is_part(part, place))
    }

    fn store(&mut self, place: Place, value: Node) {
        if let Value::Tuple(values) = value.value() {
            for (at, value) in (0..).zip(values) {
                self.store(place.clone().then(Step::At(at)), value.clone());
            }
            return;
        }
        self.forget(&place);
        self.state.memory.insert(place, value);
    }

    /// A whole array gets a value, or that of another array.
    fn filled(&mut self, place: &Place, value: &Node) {
        self.forget(place);
        let value = match value.value() {
            Value::Element(from) => Node::new(Value::Element(from.clone().then(Step::Every(0)))),
            _ => value.clone(),
        };
        let every = place.clone().then(Step::Every(0));
        self.state.memory.insert(every, value);
    }

    fn load(&self, place: Place) -> Node {
        if let Some(value) = self.state.memory.get(&place) {
            return value.clone();
        }
        // What is known of the structure or array that it is a part of.
        for length in (0..place.path.len()).rev() {
            let (path, rest) = place.path.split_at(length);
            let whole = Place {
                array: place.array,
                path: path.to_vec(),
            };
            let value = match self.state.memory.get(&whole) {
                Some(value) => value.element().cloned(),
                None => match self.state.memory.get(&whole.then(Step::Every(0))) {
                    Some(value) if value.number().is_some() => return value.clone(),
                    Some(value) => value.element().cloned().map(|mut from| {
                        from.path.pop();
                        from
                    }),
                    None => continue,
                },
            };
            return value.map_or_else(Node::unknown, |mut from| {
                from.path.extend(rest);
                Node::new(Value::Element(from))
            });
        }
        // A loop has written elements, perhaps this one.
        let first = Place::of(place.array);
        let is_hidden = self
            .state
            .memory
            .range(first..)
            .take_while(|(other, _)| other.array == place.array)
            .flat_map(|(other, _)| &other.path)
            .any(|step| matches!(step, Step::Every(1..) | Step::Unknown));
        if is_hidden {
            return Node::unknown();
        }
        Node::new(Value::Element(place))
    }

    /// The element that an expression stands for.
    fn place(&mut self, value: &Expression<'a>) -> Option<Place> {
        match value {
            Expression::Name(name) => match self.state.variables.get(name)? {
                Cell::Array(place) | Cell::Pointer(Pointer::Whole(place)) => Some(place.clone()),
                Cell::Value(_) | Cell::Pointer(Pointer::Element(_)) => None,
            },
            Expression::This => Some(Place::of(THIS)),
            Expression::Index(of, index) => {
                let pointer = self.pointer(of)?;
                let step = self.step(index);
                Some(match pointer {
                    Pointer::Whole(place) => place.then(step),
                    Pointer::Element(place) => shifted(place, step),
                })
            }
            Expression::Member(of, name) => {
                let of = match &**of {
                    Expression::Unary("*", inner) => inner,
                    other => other,
                };
                let (Pointer::Whole(place) | Pointer::Element(place)) = self.pointer(of)?;
                let number = self.members.iter().position(|it| it == name);
                let number = number.unwrap_or_else(|| {
                    self.members.push(name);
                    self.members.len() - 1
                });
                Some(place.then(Step::Member(u32::try_from(number).unwrap_or(u32::MAX))))
            }
            Expression::Unary("*", inner) => Some(match self.pointer(inner)? {
                Pointer::Whole(place) => self.pointed(place),
                Pointer::Element(place) => place,
            }),
            Expression::Cast(_, inner) => self.place(inner),
            // An element by `m(1, 2)` or `v.x()`.
            Expression::Call(callee, arguments) => match &**callee {
                Expression::Member(..) if arguments.is_empty() => self.place(callee),
                Expression::Name(name) if !arguments.is_empty() => self.element(name, arguments),
                _ => None,
            },
            _ => None,
        }
    }

    /// What an expression points to.
    fn pointer(&mut self, value: &Expression<'a>) -> Option<Pointer> {
        match value {
            Expression::Name(name) => match self.state.variables.get(name)? {
                Cell::Array(place) => Some(Pointer::Whole(place.clone())),
                Cell::Pointer(pointer) => Some(pointer.clone()),
                Cell::Value(_) => None,
            },
            Expression::Unary("&", inner) => {
                let place = self.place(inner)?;
                let is_element =
                    matches!(&**inner, Expression::Index(..) | Expression::Unary("*", _));
                Some(if is_element {
                    Pointer::Element(place)
                } else {
                    Pointer::Whole(place)
                })
            }
            Expression::Binary("+", pointer, offset) => {
                let pointer = self.pointer(pointer)?;
                let step = self.step(offset);
                Some(Pointer::Element(match pointer {
                    Pointer::Whole(place) => place.then(step),
                    Pointer::Element(place) => shifted(place, step),
                }))
            }
            Expression::Cast(_, inner) => self.pointer(inner),
            Expression::Postfix(operator, inner) => {
                let before = self.pointer(inner)?;
                self.advance(inner, operator);
                Some(before)
            }
            Expression::Unary(operator @ ("++" | "--"), inner) => {
                self.advance(inner, operator);
                self.pointer(inner)
            }
            _ => self.place(value).map(Pointer::Whole),
        }
    }

    /// Moves a pointer to its next or last element. In a loop without a constant end it stands for every element.
    fn advance(&mut self, target: &Expression<'a>, operator: &str) {
        let Some(name) = target.name() else {
            return;
        };
        let Some(Cell::Pointer(pointer)) = self.state.variables.get(name) else {
            return;
        };
        let moved = match (pointer.clone(), self.every.is_empty(), operator) {
            (Pointer::Whole(_), false, _) => return,
            (Pointer::Whole(place), true, "++") => place.then(Step::At(1)),
            (Pointer::Element(place), true, "++") => shifted(place, Step::At(1)),
            (Pointer::Whole(place), ..) => place.then(Step::Unknown),
            (Pointer::Element(place), ..) => shifted(place, Step::Unknown),
        };
        let pointer = Cell::Pointer(Pointer::Element(moved));
        self.state.variables.insert(name, pointer);
    }

    /// The element that a pointer points to.
    fn pointed(&self, place: Place) -> Place {
        match (place.path.is_empty(), self.every.last()) {
            (true, Some(every)) => place.then(Step::Every(*every)),
            _ => place.then(Step::At(0)),
        }
    }

    fn step(&mut self, index: &Expression<'a>) -> Step {
        let index = self.value(index);
        match index.value() {
            Value::Constant(number) if *number >= 0.0 && *number < 4096.0 => {
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "the number is in range"
                )]
                let at = *number as u32;
                Step::At(at)
            }
            Value::Element(Place {
                array: COUNTER,
                path,
            }) => path.first().copied().unwrap_or(Step::Unknown),
            _ => Step::Unknown,
        }
    }

    /// A value, lists and whole structures included.
    fn whole(&mut self, value: &Expression<'a>) -> Node {
        let values = match value {
            Expression::List(values) => values,
            Expression::Construct(_, values) if values.len() != 1 => values,
            Expression::Construct(_, values) => match values.as_slice() {
                [single] => return self.whole(single),
                _ => return Node::unknown(),
            },
            Expression::Cast(_, inner) => return self.whole(inner),
            _ => {
                return match self.place(value) {
                    Some(place) if self.has_parts(&place) => Node::new(Value::Element(place)),
                    Some(place) => self.load(place),
                    None => self.value(value),
                };
            }
        };
        let values = values.iter().map(|it| self.whole(it)).collect();
        Node::new(Value::Tuple(values))
    }

    fn value(&mut self, value: &Expression<'a>) -> Node {
        if !self.spend() {
            return Node::unknown();
        }
        match value {
            Expression::Number(text) => {
                let number = value_of_number(text).and_then(|it| it.parse().ok());
                number.map_or_else(Node::unknown, Node::constant)
            }
            Expression::True => Node::constant(1.0),
            Expression::False | Expression::Null => Node::constant(0.0),
            Expression::Name(name) => match self.state.variables.get(name) {
                Some(Cell::Value(value)) => value.clone(),
                Some(Cell::Array(place) | Cell::Pointer(Pointer::Whole(place))) => {
                    self.load(place.clone())
                }
                Some(Cell::Pointer(Pointer::Element(_))) | None => Node::unknown(),
            },
            Expression::Index(..) | Expression::Member(..) | Expression::Unary("*", _) => {
                self.read(value)
            }
            Expression::Unary("-", inner) => self.unary(Unary::Negate, inner),
            Expression::Unary("!", inner) => self.unary(Unary::Not, inner),
            Expression::Unary("~", inner) => self.unary(Unary::BitNot, inner),
            Expression::Unary("+", inner) | Expression::Cast(_, inner) => self.value(inner),
            Expression::Unary(operator @ ("++" | "--"), inner) => {
                self.changed(inner, operator);
                self.value(inner)
            }
            Expression::Postfix(operator, inner) => {
                let before = self.value(inner);
                self.changed(inner, operator);
                before
            }
            Expression::Binary(operator, left, right) => {
                let left = self.value(left);
                let right = self.value(right);
                operated(operator, left, right)
            }
            Expression::Assign(operator, target, value) => self.assign(operator, target, value),
            Expression::Conditional(condition, then, otherwise) => {
                let condition = self.value(condition);
                let then = self.value(then);
                let otherwise = self.value(otherwise);
                Node::choose(condition, then, otherwise)
            }
            Expression::Call(callee, arguments) => self.call(callee, arguments),
            Expression::Construct(_, values) => match values.as_slice() {
                [single] => self.value(single),
                _ => self.whole(value),
            },
            Expression::List(_) => self.whole(value),
            Expression::Comma(values) => {
                let values = values.iter().map(|it| self.value(it));
                values.last().unwrap_or_else(Node::unknown)
            }
            _ => Node::unknown(),
        }
    }

    fn read(&mut self, value: &Expression<'a>) -> Node {
        match self.place(value) {
            Some(place) => self.load(place),
            None => Node::unknown(),
        }
    }

    fn unary(&mut self, operation: Unary, inner: &Expression<'a>) -> Node {
        let inner = self.value(inner);
        Node::unary(operation, inner)
    }

    /// `x++`, `--x`
    fn changed(&mut self, target: &Expression<'a>, operator: &str) {
        let by = Node::constant(if operator == "++" { 1.0 } else { -1.0 });
        if let Some(name) = target.name()
            && let Some(Cell::Pointer(_)) = self.state.variables.get(name)
        {
            self.advance(target, operator);
            return;
        }
        let before = self.value(target);
        let after = Node::binary(Binary::Add, before, by);
        self.put(target, after);
    }

    fn put(&mut self, target: &Expression<'a>, value: Node) {
        if let Some(name) = target.name()
            && let Some(Cell::Value(_)) | None = self.state.variables.get(name)
        {
            self.state.variables.insert(name, Cell::Value(value));
        } else if let Some(place) = self.place(target) {
            self.store(place, value);
        }
    }

    fn assign(&mut self, operator: &str, target: &Expression<'a>, value: &Expression<'a>) -> Node {
        if let Some(name) = target.name()
            && let Some(Cell::Pointer(_)) = self.state.variables.get(name)
        {
            let pointer = match operator {
                "=" => self.pointer(value),
                _ => None,
            };
            let pointer = pointer.unwrap_or_else(|| Pointer::Whole(self.fresh()));
            self.state.variables.insert(name, Cell::Pointer(pointer));
            return Node::unknown();
        }
        let mut value = self.whole(value);
        if operator != "=" {
            let before = self.value(target);
            value = operated(operator.trim_end_matches('='), before, value);
        }
        self.put(target, value.clone());
        value
    }

    fn call(&mut self, callee: &Expression<'a>, arguments: &[Expression<'a>]) -> Node {
        if let Some(place) = match callee {
            Expression::Member(..) if arguments.is_empty() => self.place(callee),
            Expression::Name(name) if self.state.variables.contains_key(name) => {
                // `m(1, 2)`
                self.element(name, arguments)
            }
            _ => None,
        } {
            return self.load(place);
        }
        let name = match callee {
            Expression::Name(name) | Expression::Path(_, name) => *name,
            _ => "",
        };
        if let ("memset" | "memcpy" | "memmove", [target, from, _]) = (name, arguments)
            && let Some(place) = self.place(target)
        {
            let value = if name == "memset" {
                self.value(from)
            } else {
                self.whole(from)
            };
            self.filled(&place, &value);
            return Node::unknown();
        }
        let values: Vec<Node> = arguments.iter().map(|it| self.value(it)).collect();
        match (function_of(name), values.as_slice()) {
            (Some(Known::Unary(operation)), [one]) => Node::unary(operation, one.clone()),
            (Some(Known::Binary(operation)), [one, other]) => {
                Node::binary(operation, one.clone(), other.clone())
            }
            _ => {
                self.written(arguments);
                Node::unknown()
            }
        }
    }

    /// A function that is not known may write to the local arrays that it gets.
    fn written(&mut self, arguments: &[Expression<'a>]) {
        for argument in arguments {
            if let Expression::Name(_) | Expression::Unary("&", _) = argument
                && let Some(Pointer::Whole(place) | Pointer::Element(place)) =
                    self.pointer(argument)
                && (LOCAL..RESULT).contains(&place.array)
            {
                self.store(place, Node::unknown());
            }
        }
    }

    fn element(&mut self, name: &str, arguments: &[Expression<'a>]) -> Option<Place> {
        let Some(Cell::Array(place)) = self.state.variables.get(name) else {
            return None;
        };
        let mut place = place.clone();
        for argument in arguments {
            let step = self.step(argument);
            place = place.then(step);
        }
        Some(place)
    }
}

/// The variables that a step of a loop counts.
fn counted<'a>(step: &Expression<'a>, names: &mut Vec<&'a str>) {
    match step {
        Expression::Unary("++" | "--", inner) | Expression::Postfix(_, inner) => {
            names.extend(inner.name());
        }
        Expression::Assign(_, target, _) => names.extend(target.name()),
        Expression::Comma(values) => values.iter().for_each(|it| counted(it, names)),
        _ => {}
    }
}

/// What two branches leave.
fn joined<'a>(condition: &Node, one: &State<'a>, other: &State<'a>) -> State<'a> {
    let mut state = State {
        done: one.done && other.done,
        left: one.left || other.left,
        broken: one.broken || other.broken,
        ..State::default()
    };
    for (name, cell) in &one.variables {
        let joined = match (cell, other.variables.get(name)) {
            (Cell::Value(then), Some(Cell::Value(otherwise))) => Cell::Value(Node::choose(
                condition.clone(),
                then.clone(),
                otherwise.clone(),
            )),
            _ => cell.clone(),
        };
        state.variables.insert(name, joined);
    }
    let unchanged = |place: &Place| Node::new(Value::Element(place.clone()));
    let places = one.memory.keys().chain(other.memory.keys());
    for place in places {
        if state.memory.contains_key(place) {
            continue;
        }
        let then = one
            .memory
            .get(place)
            .cloned()
            .unwrap_or_else(|| unchanged(place));
        let otherwise = other
            .memory
            .get(place)
            .cloned()
            .unwrap_or_else(|| unchanged(place));
        let value = Node::choose(condition.clone(), then, otherwise);
        state.memory.insert(place.clone(), value);
    }
    state
}

fn operated(operator: &str, left: Node, right: Node) -> Node {
    let operation = match operator {
        "+" => Binary::Add,
        "-" => Binary::Subtract,
        "*" => Binary::Multiply,
        "/" => Binary::Divide,
        "%" => Binary::Remainder,
        "==" => Binary::Equal,
        "!=" => Binary::NotEqual,
        "<" | "<=" => Binary::Less,
        ">" | ">=" => Binary::Greater,
        "&&" => Binary::And,
        "||" => Binary::Or,
        "&" | "|" | "^" => Binary::Bits,
        "<<" | ">>" => Binary::Shift,
        _ => return Node::unknown(),
    };
    // The ends of counted loops are exact.
    if let (Some(a), Some(b), "<=" | ">=") = (left.number(), right.number(), operator) {
        let holds = if operator == "<=" { a <= b } else { a >= b };
        return Node::constant(f64::from(u8::from(holds)));
    }
    Node::binary(operation, left, right)
}

enum Known {
    Unary(Unary),
    Binary(Binary),
}

/// The operation of a library function.
fn function_of(name: &str) -> Option<Known> {
    let base = name.trim_start_matches("__builtin_");
    let base = match base.strip_suffix(['f', 'l']) {
        Some(short) if MATH.contains(&short) => short,
        _ => base,
    };
    Some(match base {
        "sqrt" => Known::Unary(Unary::SquareRoot),
        "abs" | "fabs" | "labs" | "llabs" => Known::Unary(Unary::Absolute),
        "floor" | "ceil" | "round" | "trunc" | "rint" | "nearbyint" | "lround" => {
            Known::Unary(Unary::Round)
        }
        "sin" | "cos" | "tan" | "asin" | "acos" | "atan" => Known::Unary(Unary::Angle),
        "exp" | "log" | "exp2" | "log2" | "log10" => Known::Unary(Unary::Exponential),
        "fmin" | "min" | "MIN" | "Min" => Known::Binary(Binary::Minimum),
        "fmax" | "max" | "MAX" | "Max" => Known::Binary(Binary::Maximum),
        "fmod" => Known::Binary(Binary::Remainder),
        "pow" => Known::Binary(Binary::Power),
        _ => return None,
    })
}

const MATH: [&str; 23] = [
    "sqrt",
    "fabs",
    "floor",
    "ceil",
    "round",
    "trunc",
    "rint",
    "nearbyint",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "exp",
    "log",
    "exp2",
    "log2",
    "log10",
    "fmin",
    "fmax",
    "fmod",
    "pow",
];
