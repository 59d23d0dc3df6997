//! Idioms that several constructs together form.
//!
//! Each idiom is a shape of the tree; names matter only if two positions must have the same one.

use super::tree::{Expression, Statement, each_block, each_expression};
use super::walk::Walker;
use crate::signature::Trait;
use crate::vocabulary::{Concept, Field};
use crate::words::{character_of_literal, value_of_number};

/// Multipliers of well-known generators of random numbers.
const GENERATORS: [&str; 9] = [
    "1103515245",
    "1664525",
    "6364136223846793005",
    "69069",
    "16807",
    "48271",
    "214013",
    "134775813",
    "1812433253",
];

/// Factors and starts of well-known hashes, and polynomials of checksums.
const HASHES: [&str; 14] = [
    "16777619",
    "2166136261",
    "14695981039346656037",
    "1099511628211",
    "5381",
    "2654435761",
    "2654435769",
    "3432918353",
    "461845907",
    "2246822507",
    "3266489909",
    "3988292384",
    "65521",
    "11400714819323198485",
];

/// Adds the idioms of the function that was walked.
pub(super) fn find(walker: &mut Walker) {
    let body = &walker.function.body;
    let mut found = Found::default();
    each_expression(body, 0, &mut |value, loops| found.expression(value, loops));
    each_block(body, 0, &mut |block, loops| found.block(block, loops));
    let parameters: Vec<&str> = walker
        .function
        .parameters
        .iter()
        .map(|it| it.name)
        .collect();
    if let [Statement::Return(Some(value)) | Statement::Expression(value)] = body.as_slice()
        && let Some(arguments) = arguments_of(value)
        && !parameters.is_empty()
        && parameters.iter().all(|name| {
            arguments
                .iter()
                .any(|it| it.name() == Some(*name) || it.root() == Some(*name))
        })
    {
        found.add(Concept::Wrapper);
    }
    if walker.calls == 1 && walker.statements == 1 && parameters.is_empty() {
        found.add(Concept::Wrapper);
    }
    found.returns(body);
    // `return *a - *b;`, `return a - b;`
    if let Some(Statement::Return(Some(value))) = body.last()
        && let Expression::Binary("-", left, right) = strip(value)
        && parameters.len() == 2
        && let (Some(left), Some(right)) = (left.root(), right.root())
        && parameters.contains(&left)
        && parameters.contains(&right)
        && left != right
        && !walker.function.returns.shape.has(Trait::Double)
    {
        found.add(Concept::ThreeWay);
    }
    if found.stores >= 3 && found.loops == 0 && found.stores * 2 >= walker.statements {
        found.add(Concept::Initialize);
    }
    let returns_pointer = walker.function.returns.shape.has(Trait::Pointer);
    if found.concepts.contains(&Concept::Search) && returns_pointer {
        walker
            .rendering
            .say(Field::Idioms, "pointer found null not");
    }
    if found.recursions >= 2 {
        found.add(Concept::Tree);
    }
    let own = walker.function.name;
    let mut calls_itself = 0;
    each_expression(body, 0, &mut |value, _| {
        if let Expression::Call(callee, _) = value
            && callee.name() == Some(own)
            && !own.is_empty()
        {
            calls_itself += 1;
        }
    });
    if calls_itself >= 2 {
        found.add(Concept::Tree);
    }
    found.concepts.sort_unstable();
    found.concepts.dedup();
    for concept in found.concepts {
        walker.rendering.add(concept);
    }
}

fn arguments_of<'t, 'a>(value: &'t Expression<'a>) -> Option<&'t [Expression<'a>]> {
    match value {
        Expression::Call(_, arguments) => Some(arguments),
        Expression::Cast(_, inner) | Expression::Unary(_, inner) => arguments_of(inner),
        Expression::Binary(_, left, _) => arguments_of(left),
        Expression::Construct(_, values) if values.len() == 1 => {
            values.first().and_then(arguments_of)
        }
        _ => None,
    }
}

#[derive(Default)]
struct Found {
    concepts: Vec<Concept>,
    stores: usize,
    loops: usize,
    recursions: usize,
    lower: bool,
    upper: bool,
}

impl Found {
    fn add(&mut self, concept: Concept) {
        self.concepts.push(concept);
    }

    fn add_if(&mut self, holds: bool, concept: Concept) {
        if holds {
            self.add(concept);
        }
    }

    fn expression(&mut self, value: &Expression, loops: usize) {
        match value {
            Expression::Conditional(condition, then, otherwise) => {
                self.choice(condition, then, otherwise);
            }
            Expression::Binary(operator, left, right) => {
                self.binary(operator, left, right, loops);
            }
            Expression::Number(_) => {
                let constant = number(value);
                self.add_if(
                    constant.is_some_and(|it| HASHES.contains(&it.as_str())),
                    Concept::Hash,
                );
            }
            Expression::String(text) => self.add_if(
                text.to_ascii_lowercase().contains("0123456789abcdef"),
                Concept::HexDigits,
            ),
            Expression::Assign(operator, target, from) => {
                self.assigned(operator, target, from, loops);
            }
            _ => {}
        }
    }

    fn binary(&mut self, operator: &str, left: &Expression, right: &Expression, loops: usize) {
        let is_half = |sum: &Expression, by: &str| {
            loops > 0 && is_number(right, by) && matches!(strip(sum), Expression::Binary("+", ..))
        };
        match operator {
            "|" | "+" | "^" => {
                self.joined(left, right);
                if operator == "+" {
                    self.sum(left, right, loops);
                }
            }
            "-" => {
                let is_digit = is_character(right, '0') && !is_character(left, '0');
                self.add_if(is_digit, Concept::ParseDigits);
                let signs = (strip(left), strip(right));
                self.add_if(
                    matches!(
                        signs,
                        (Expression::Binary(">", ..), Expression::Binary("<", ..))
                    ),
                    Concept::ThreeWay,
                );
            }
            "&" => {
                self.masked(left, right);
                self.masked(right, left);
            }
            "<<" => self.add_if(is_number(left, "1"), Concept::SingleBit),
            "*" => {
                self.add_if(strip(left) == strip(right), Concept::Square);
                let constant = number(left).or_else(|| number(right));
                self.add_if(
                    constant.is_some_and(|it| GENERATORS.contains(&it.as_str())),
                    Concept::RandomNumber,
                );
            }
            "!=" | "==" => self.add_if(strip(left) == strip(right), Concept::NotANumber),
            "&&" | "||" => {
                if let Some(bounds) = bounded_by_character(left).zip(bounded_by_character(right)) {
                    self.add(Concept::CharacterRange);
                    self.add_if(
                        matches!(bounds, ('a', 'f') | ('A', 'F')),
                        Concept::HexDigits,
                    );
                }
                self.add_if(is_blank(left) && is_blank(right), Concept::Whitespace);
            }
            "%" => self.add_if(is_number(right, "10"), Concept::PrintDigits),
            "/" => self.add_if(is_half(left, "2"), Concept::BinarySearch),
            ">>" => self.add_if(is_half(left, "1"), Concept::BinarySearch),
            _ => {}
        }
    }

    /// Parts of two values, put side by side.
    fn joined(&mut self, left: &Expression, right: &Expression) {
        if let (Expression::Binary("<<", a, _), Expression::Binary(">>", b, _))
        | (Expression::Binary(">>", a, _), Expression::Binary("<<", b, _)) =
            (strip(left), strip(right))
        {
            self.add_if(strip(a) == strip(b), Concept::Rotate);
            let is_byte = shifted_by(left) == Some(8) || shifted_by(right) == Some(8);
            self.add_if(is_byte, Concept::ByteSwap);
        }
        let by = shifted_by(left).or_else(|| shifted_by(right));
        let joins = matches!(by, Some(8 | 16 | 24 | 32 | 40 | 48 | 56))
            && (has_index(left) || has_index(right));
        self.add_if(joins, Concept::JoinBytes);
    }

    /// Bits that a mask keeps.
    fn masked(&mut self, value: &Expression, mask: &Expression) {
        let value = strip(value);
        match strip(mask) {
            Expression::Binary("-", inner, one) => self.add_if(
                strip(inner) == value && is_number(one, "1"),
                Concept::PowerOfTwo,
            ),
            Expression::Unary("~", _) => {
                self.add_if(matches!(value, Expression::Binary("+", ..)), Concept::Align);
            }
            Expression::Binary("<<", one, _) => {
                self.add_if(is_number(one, "1"), Concept::SingleBit);
            }
            _ => {}
        }
    }

    fn sum(&mut self, left: &Expression, right: &Expression, loops: usize) {
        for (base, product) in [(left, right), (right, left)] {
            if let Expression::Binary("*", a, b) = strip(product) {
                for difference in [b, a] {
                    if let Expression::Binary("-", _, from) = strip(difference)
                        && strip(from) == strip(base)
                    {
                        self.add(Concept::Interpolate);
                    }
                }
                if is_number(a, "10") || is_number(b, "10") {
                    self.add(Concept::ParseDigits);
                }
                if has_index(a) && has_index(b) {
                    self.add(Concept::DotProduct);
                }
                if loops > 0
                    && (is_number(a, "31")
                        || is_number(b, "31")
                        || is_number(a, "33")
                        || is_number(b, "33"))
                {
                    self.add(Concept::Hash);
                }
            }
        }
        if is_character(left, '0') || is_character(right, '0') {
            self.add(Concept::PrintDigits);
        }
        for side in [left, right] {
            if let Expression::Binary("-", a, b) = strip(side)
                && ((is_character(a, 'a') && is_character(b, 'A'))
                    || (is_character(a, 'A') && is_character(b, 'a')))
            {
                self.add(Concept::CaseChange);
            }
            if is_number(side, "32") {
                self.add(Concept::CaseChange);
            }
        }
    }

    fn assigned(&mut self, operator: &str, target: &Expression, from: &Expression, loops: usize) {
        let target = strip(target);
        let from = strip(from);
        let is_place = matches!(
            target,
            Expression::Index(..) | Expression::Member(..) | Expression::Unary("*", _)
        );
        if operator == "=" && is_place && loops == 0 {
            self.stores += 1;
        }
        if loops == 0 {
            return;
        }
        match (operator, target, from) {
            ("=", Expression::Index(..), Expression::Index(..))
            | ("=", Expression::Unary("*", _), Expression::Unary("*", _)) => {
                self.add(Concept::CopyLoop);
            }
            (
                "=",
                Expression::Index(..) | Expression::Unary("*", _),
                Expression::Number(_)
                | Expression::Name(_)
                | Expression::Character(_)
                | Expression::Null
                | Expression::False
                | Expression::True,
            ) => self.add(Concept::Fill),
            ("=", Expression::Name(name), Expression::Member(of, _))
                if of.name() == Some(*name) =>
            {
                self.add(Concept::LinkedList);
            }
            ("+=", place, value) => {
                if let Expression::Binary("*", a, b) = value
                    && has_index(a)
                    && has_index(b)
                {
                    self.add(Concept::DotProduct);
                }
                let counts = matches!(value, Expression::Number(_));
                if !counts && !matches!(place, Expression::Index(..)) {
                    self.add(Concept::Accumulate);
                }
            }
            ("=", Expression::Name(name), Expression::Binary("+", left, right)) => {
                let other = if left.name() == Some(*name) {
                    Some(right)
                } else if right.name() == Some(*name) {
                    Some(left)
                } else {
                    None
                };
                if other.is_some_and(|it| !matches!(strip(it), Expression::Number(_))) {
                    self.add(Concept::Accumulate);
                }
            }
            ("^=", Expression::Name(_), value)
                if has_index(value) || matches!(value, Expression::Binary(">>" | "<<", ..)) =>
            {
                self.add(Concept::Hash);
            }
            ("&=", Expression::Name(name), Expression::Binary("-", inner, _))
                if inner.name() == Some(*name) =>
            {
                self.add(Concept::CountBits);
            }
            _ => {}
        }
    }

    /// `condition ? then : otherwise`, also as two returns.
    fn choice(&mut self, condition: &Expression, then: &Expression, otherwise: &Expression) {
        let (then, otherwise) = (strip(then), strip(otherwise));
        let Expression::Binary(operator @ ("<" | "<=" | ">" | ">="), left, right) =
            strip(condition)
        else {
            return;
        };
        let (left, right) = (strip(left), strip(right));
        let is_less = operator.starts_with('<');
        let takes = |a: &Expression, b: &Expression| then == a && otherwise == b;
        let taken = [Concept::Maximum, Concept::Minimum];
        if takes(left, right) {
            self.add(taken[usize::from(is_less)]);
        } else if takes(right, left) {
            self.add(taken[usize::from(!is_less)]);
        } else if then == left || then == right || otherwise == left || otherwise == right {
            // `x < low ? low : (x > high ? high : x)`
            if let Expression::Conditional(..) = otherwise {
                self.add(Concept::Clamp);
            }
        }
        let negated = |value: &Expression, of: &Expression| matches!(value, Expression::Unary("-", inner) if strip(inner) == of);
        if (negated(then, left) && otherwise == left) || (negated(otherwise, left) && then == left)
        {
            self.add(Concept::Absolute);
        }
    }

    fn block(&mut self, block: &[Statement], loops: usize) {
        self.loops = self.loops.max(loops);
        for three in block.windows(3) {
            if let [first, second, third] = three
                && let (Some((t, a)), Some((a2, b)), Some((b2, t2))) =
                    (assignment(first), assignment(second), assignment(third))
                && t == t2
                && same(&a, &a2)
                && same(&b, &b2)
            {
                self.add(Concept::Swap);
                if loops > 0 {
                    self.add(Concept::Reverse);
                    self.add(Concept::Sort);
                }
            }
        }
        for pair in block.windows(2) {
            if let [
                Statement::If(condition, then, None),
                Statement::Return(Some(otherwise)),
            ] = pair
                && let Some(then) = returned(then)
            {
                self.choice(condition, then, otherwise);
            }
        }
        for statement in block {
            self.statement(statement, loops);
        }
    }

    fn statement(&mut self, statement: &Statement, loops: usize) {
        let walks = |it: &Expression| {
            matches!(strip(it), Expression::Unary("*", _) | Expression::Index(..))
        };
        match statement {
            Statement::If(condition, then, otherwise) => {
                if let (Some(then), Some(otherwise)) =
                    (returned(then), otherwise.as_deref().and_then(returned))
                {
                    self.choice(condition, then, otherwise);
                }
                self.add_if(loops > 0 && leaves(then), Concept::Search);
                self.add_if(loops > 0 && counts(then), Concept::CountIf);
                self.limit(condition, then);
            }
            Statement::While(condition, body) => {
                let is_walk = walks(condition)
                    || matches!(strip(condition), Expression::Binary("!=", left, _)
                        if matches!(strip(left), Expression::Unary("*", _)));
                self.add_if(is_walk && short(body), Concept::StringLength);
                let is_less = matches!(strip(condition), Expression::Binary("<", ..));
                self.add_if(
                    is_less && self.concepts.contains(&Concept::Swap),
                    Concept::Reverse,
                );
                self.remainder_loop(body);
            }
            Statement::For {
                condition: Some(condition),
                body,
                step,
                ..
            } => {
                let is_empty = matches!(**body, Statement::Empty);
                self.add_if(walks(condition) && is_empty, Concept::StringLength);
                if let Some(Expression::Assign("=", target, from)) = step
                    && let Expression::Member(of, _) = strip(from)
                    && of.name().is_some()
                    && of.name() == target.name()
                {
                    self.add(Concept::LinkedList);
                }
            }
            _ => {}
        }
    }

    fn remainder_loop(&mut self, body: &Statement) {
        let mut has_remainder = false;
        let slice = std::slice::from_ref(body);
        each_expression(slice, 1, &mut |value, _| {
            has_remainder |=
                matches!(value, Expression::Binary("%", _, right) if right.name().is_some());
        });
        if has_remainder {
            self.add(Concept::GreatestDivisor);
        }
    }

    /// `if (x < low) x = low;`
    fn limit(&mut self, condition: &Expression, then: &Statement) {
        let Expression::Binary(operator @ ("<" | "<=" | ">" | ">="), left, right) =
            strip(condition)
        else {
            return;
        };
        let value = match then {
            Statement::Block(inner) if inner.len() == 1 => inner.first(),
            other => Some(other),
        };
        let sets = match value {
            Some(Statement::Expression(Expression::Assign("=", target, from))) => {
                strip(target) == strip(left) && strip(from) == strip(right)
            }
            Some(Statement::Return(Some(value))) => strip(value) == strip(right),
            _ => false,
        };
        if sets {
            if operator.starts_with('<') {
                self.lower = true;
            } else {
                self.upper = true;
            }
        }
        if self.lower && self.upper {
            self.add(Concept::Clamp);
        }
    }

    /// The idiom of all returns together.
    fn returns(&mut self, body: &[Statement]) {
        let (mut minus, mut plus, mut zero) = (false, false, false);
        each_block(body, 0, &mut |block, _| {
            for statement in block {
                if let Statement::Return(Some(value)) = statement {
                    let mut one = |value: &Expression| {
                        minus |=
                            matches!(value, Expression::Unary("-", inner) if is_number(inner, "1"));
                        plus |= is_number(value, "1");
                        zero |= is_number(value, "0");
                    };
                    let mut value = strip(value);
                    while let Expression::Conditional(_, then, otherwise) = value {
                        one(strip(then));
                        value = strip(otherwise);
                    }
                    one(value);
                }
            }
        });
        if minus && plus {
            self.add(Concept::ThreeWay);
        }
    }
}

/// The expression inside of casts.
fn strip<'t, 'a>(value: &'t Expression<'a>) -> &'t Expression<'a> {
    match value {
        Expression::Cast(_, inner) => strip(inner),
        Expression::Construct(_, values) => match values.as_slice() {
            [only] => strip(only),
            _ => value,
        },
        other => other,
    }
}

fn number(value: &Expression) -> Option<String> {
    match strip(value) {
        Expression::Number(text) => value_of_number(text),
        _ => None,
    }
}

fn is_number(value: &Expression, expected: &str) -> bool {
    matches!(strip(value), Expression::Number(_)) && number(value).as_deref() == Some(expected)
}

fn is_character(value: &Expression, expected: char) -> bool {
    matches!(strip(value), Expression::Character(text) if character_of_literal(text) == Some(expected))
}

/// By how many bits the value is shifted to the left, somewhere in it.
fn shifted_by(value: &Expression) -> Option<u32> {
    match strip(value) {
        Expression::Binary("<<", _, by) => number(by)?.parse().ok(),
        Expression::Binary("|" | "+" | "&", left, right) => {
            shifted_by(left).or_else(|| shifted_by(right))
        }
        _ => None,
    }
}

fn has_index(value: &Expression) -> bool {
    match strip(value) {
        Expression::Index(..) | Expression::Unary("*", _) => true,
        Expression::Binary(_, left, right) => has_index(left) || has_index(right),
        Expression::Member(of, _) => has_index(of),
        _ => false,
    }
}

/// The character that a comparison by order has on its right.
fn bounded_by_character(value: &Expression) -> Option<char> {
    match strip(value) {
        Expression::Binary("<" | "<=" | ">" | ">=", left, right) => {
            match (strip(left), strip(right)) {
                (_, Expression::Character(text)) | (Expression::Character(text), _) => {
                    character_of_literal(text)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

fn is_blank(value: &Expression) -> bool {
    match strip(value) {
        Expression::Binary("==" | "!=", _, right) => {
            is_character(right, ' ')
                || is_character(right, '\t')
                || is_character(right, '\n')
                || is_character(right, '\r')
        }
        Expression::Binary("||" | "&&", left, right) => is_blank(left) && is_blank(right),
        _ => false,
    }
}

/// The target and the source of an assignment, as trees.
fn assignment<'a>(statement: &Statement<'a>) -> Option<(Expression<'a>, Expression<'a>)> {
    match statement {
        Statement::Expression(Expression::Assign("=", target, from)) => {
            Some(((**target).clone(), (**from).clone()))
        }
        Statement::Declaration(declared) => match declared.as_slice() {
            [one] => Some((Expression::Name(one.name), one.value.clone()?)),
            _ => None,
        },
        _ => None,
    }
}

fn same(left: &Expression, right: &Expression) -> bool {
    strip(left) == strip(right)
}

fn returned<'t, 'a>(statement: &'t Statement<'a>) -> Option<&'t Expression<'a>> {
    match statement {
        Statement::Return(value) => value.as_ref(),
        Statement::Block(inner) => match inner.as_slice() {
            [only] => returned(only),
            _ => None,
        },
        _ => None,
    }
}

fn leaves(statement: &Statement) -> bool {
    match statement {
        Statement::Return(_) | Statement::Break => true,
        Statement::Block(inner) => inner.last().is_some_and(leaves),
        _ => false,
    }
}

fn counts(statement: &Statement) -> bool {
    match statement {
        Statement::Expression(Expression::Postfix("++", of) | Expression::Unary("++", of)) => {
            of.name().is_some()
        }
        Statement::Expression(Expression::Assign("+=", of, by)) => {
            of.name().is_some() && is_number(by, "1")
        }
        Statement::Block(inner) => matches!(inner.as_slice(), [only] if counts(only)),
        _ => false,
    }
}

fn short(statement: &Statement) -> bool {
    match statement {
        Statement::Empty
        | Statement::Expression(Expression::Postfix(..) | Expression::Unary(..)) => true,
        Statement::Block(inner) => inner.len() <= 2 && inner.iter().all(short),
        _ => false,
    }
}
