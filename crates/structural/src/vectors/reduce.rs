//! Elements that become one value: sums, products, norms, distances, diagonals, determinants, comparisons.

use std::collections::BTreeSet;

use super::layout::Computed;
use super::value::{Binary, Node, Place, Step, Unary, Value};
use crate::vocabulary::Concept;

/// Products of one sum; more are not looked at.
const TERMS: usize = 64;

/// A product of elements and other factors.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Product {
    pub(super) is_negative: bool,
    /// Array and position, in ascending order.
    pub(super) elements: Vec<(u8, Step)>,
    /// Scalars and numbers.
    pub(super) others: usize,
}

/// Adds the constructs of what is returned, and of what is written to single elements.
pub(super) fn find(computed: &Computed, found: &mut Vec<Concept>) {
    let single = computed
        .outputs
        .values()
        .filter(|output| output.at.len() == 1);
    let single = single.flat_map(|output| output.at.values());
    let always = computed.returned.iter();
    let always = always
        .filter(|(condition, _)| condition.is_none())
        .map(|(_, value)| value);
    for value in always.chain(single) {
        reduced(computed, value, found);
    }
    early(computed, found);
}

/// Elements of one reduction: at least two of one array, or every one.
fn is_many(node: &Node) -> bool {
    let mut places: BTreeSet<&Place> = BTreeSet::new();
    let mut every = false;
    node.each(&mut |node| {
        if let Some(place) = node.element() {
            every |= matches!(place.path.as_slice(), [Step::Every(_)]);
            places.insert(place);
        }
    });
    let arrays: BTreeSet<u8> = places.iter().map(|place| place.array).collect();
    every || places.len() > arrays.len()
}

fn reduced(computed: &Computed, value: &Node, found: &mut Vec<Concept>) {
    if !is_many(value) {
        return;
    }
    match value.value() {
        Value::Unary(Unary::SquareRoot, inner) => match squares(inner) {
            Some(Squares::Elements) => found.push(Concept::Norm),
            Some(Squares::Differences) => found.push(Concept::Distance),
            None => reduced(computed, inner, found),
        },
        Value::Unary(Unary::Absolute | Unary::Not | Unary::Negate, inner) => {
            reduced(computed, inner, found);
        }
        Value::Binary(Binary::And | Binary::Or, ..) => compared(value, found),
        Value::Binary(Binary::Minimum, ..) => found.push(Concept::SmallestElement),
        Value::Binary(Binary::Maximum, ..) => found.push(Concept::LargestElement),
        Value::Binary(Binary::Multiply, ..) if only(value, Binary::Multiply) => {
            found.push(Concept::ProductOfElements);
        }
        Value::Binary(Binary::Less | Binary::Greater | Binary::Equal, left, right) => {
            for side in [left, right] {
                reduced(computed, side, found);
            }
        }
        Value::Binary(Binary::Divide, left, right) => {
            reduced(computed, left, found);
            if right.number().is_some_and(|number| number > 1.0) {
                found.push(Concept::Average);
            }
        }
        Value::Binary(Binary::Add | Binary::Subtract, ..) => sum(computed, value, found),
        _ => {}
    }
}

fn sum(computed: &Computed, value: &Node, found: &mut Vec<Concept>) {
    match squares(value) {
        Some(Squares::Elements) => return found.push(Concept::SquaredNorm),
        Some(Squares::Differences) => {
            found.push(Concept::Distance);
            return found.push(Concept::SquaredNorm);
        }
        None => {}
    }
    if terms(value)
        .iter()
        .all(|(_, term)| matches!(term.value(), Value::Unary(Unary::Absolute, _)))
    {
        return found.push(Concept::SumOfAbsolutes);
    }
    let Some(products) = products(value) else {
        return;
    };
    let is_signed = products.iter().any(|it| it.is_negative);
    let degrees: BTreeSet<usize> = products.iter().map(|it| it.elements.len()).collect();
    let elements = || products.iter().flat_map(|it| &it.elements);
    let arrays: BTreeSet<u8> = elements().map(|(array, _)| *array).collect();
    match (degrees.first(), degrees.last()) {
        (Some(1), Some(1)) if !is_signed && arrays.len() == 1 => {
            let positions: Vec<u32> = elements()
                .filter_map(|(_, step)| match step {
                    Step::At(at) => Some(*at),
                    _ => None,
                })
                .collect();
            found.push(Concept::SumOfElements);
            if is_diagonal(computed, arrays.first(), &positions) {
                found.push(Concept::Diagonal);
            }
        }
        (Some(2), Some(2)) if !is_signed && arrays.len() == 2 => found.push(Concept::DotProduct),
        (Some(2), Some(2)) if is_signed && arrays.len() == 2 && products.len() == 2 => {
            found.push(Concept::CrossProduct);
        }
        (Some(2..), Some(2..)) if is_signed && arrays.len() == 1 => {
            found.push(Concept::Determinant);
        }
        _ => {}
    }
}

/// Positions with one distance that is a row and one more.
fn is_diagonal(computed: &Computed, array: Option<&u8>, positions: &[u32]) -> bool {
    let count = u32::try_from(positions.len()).unwrap_or(u32::MAX);
    let size = array.and_then(|array| computed.sizes.get(array));
    let columns = match size.map(Vec::as_slice) {
        Some([_, columns]) => *columns,
        _ => count,
    };
    let mut sorted = positions.to_vec();
    sorted.sort_unstable();
    count > 1
        && sorted
            .iter()
            .zip(0..)
            .all(|(position, at)| *position == at * (columns + 1))
}

/// A comparison for each component, joined.
fn compared(value: &Node, found: &mut Vec<Concept>) {
    let mut kinds: BTreeSet<Binary> = BTreeSet::new();
    value.each(&mut |node| {
        if let Value::Binary(operation, ..) = node.value()
            && operation.is_comparison()
        {
            kinds.insert(*operation);
        }
    });
    if kinds.is_empty() {
        return;
    }
    found.push(Concept::CompareElements);
    if kinds.contains(&Binary::Equal) || kinds.contains(&Binary::NotEqual) {
        found.push(Concept::AllEqual);
    }
}

/// Returns from within a loop or after each comparison: a comparison of all elements.
fn early(computed: &Computed, found: &mut Vec<Concept>) {
    let conditions = computed.returned.iter();
    let conditions = conditions.filter_map(|(condition, _)| condition.clone());
    let compared_elements = conditions.filter(|condition| {
        let mut has_elements = false;
        condition.each(&mut |node| {
            if let Value::Binary(operation, left, right) = node.value() {
                let is_element = |side: &Node| {
                    let place = side.element().filter(|place| !place.path.is_empty());
                    place.is_some() && side.is_known()
                };
                has_elements |=
                    operation.is_comparison() && (is_element(left) || is_element(right));
            }
        });
        has_elements
    });
    let all = compared_elements.reduce(|all, one| Node::binary(Binary::And, all, one));
    if let Some(all) = all
        && is_many(&all)
    {
        compared(&all, found);
    }
}

/// The signed terms of a sum.
fn terms(value: &Node) -> Vec<(bool, &Node)> {
    let mut terms = Vec::new();
    let mut open = vec![(false, value)];
    while let Some((is_negative, node)) = open.pop() {
        if terms.len() > TERMS {
            break;
        }
        match node.value() {
            Value::Binary(Binary::Add, left, right) => {
                open.extend([(is_negative, right), (is_negative, left)]);
            }
            Value::Binary(Binary::Subtract, left, right) => {
                open.extend([(!is_negative, right), (is_negative, left)]);
            }
            Value::Unary(Unary::Negate, inner) => open.push((!is_negative, inner)),
            // A sum that a loop began.
            Value::Unknown => {}
            _ => terms.push((is_negative, node)),
        }
    }
    terms
}

/// A sum as products of elements, multiplied out; `None` if something else is in it.
pub(super) fn products(value: &Node) -> Option<Vec<Product>> {
    match value.value() {
        Value::Element(place) => Some(vec![Product {
            elements: vec![(place.array, place.path.first().copied()?)],
            ..Product::default()
        }]),
        Value::Constant(number) => Some(vec![Product {
            is_negative: *number < 0.0,
            others: 1,
            ..Product::default()
        }]),
        Value::Scalar(_) => Some(vec![Product {
            others: 1,
            ..Product::default()
        }]),
        Value::Unary(Unary::Negate, inner) => {
            let mut inner = products(inner)?;
            for product in &mut inner {
                product.is_negative = !product.is_negative;
            }
            Some(inner)
        }
        Value::Binary(operation @ (Binary::Add | Binary::Subtract), left, right) => {
            let unknown = |node: &Node| matches!(node.value(), Value::Unknown);
            let mut all = if unknown(left) {
                Vec::new()
            } else {
                products(left)?
            };
            let mut right = if unknown(right) {
                Vec::new()
            } else {
                products(right)?
            };
            for product in &mut right {
                product.is_negative ^= *operation == Binary::Subtract;
            }
            all.append(&mut right);
            (all.len() <= TERMS).then_some(all)
        }
        Value::Binary(Binary::Multiply, left, right) => {
            let (left, right) = (products(left)?, products(right)?);
            if left.len() * right.len() > TERMS {
                return None;
            }
            let pairs = left
                .iter()
                .flat_map(|one| right.iter().map(move |other| (one, other)));
            let multiplied = pairs.map(|(one, other)| {
                let mut elements = [one.elements.as_slice(), &other.elements].concat();
                elements.sort_unstable();
                Product {
                    is_negative: one.is_negative ^ other.is_negative,
                    elements,
                    others: one.others + other.others,
                }
            });
            Some(multiplied.collect())
        }
        _ => None,
    }
}

/// Returns `true` if one operation joins all elements.
fn only(value: &Node, operation: Binary) -> bool {
    match value.value() {
        Value::Binary(found, left, right) if *found == operation => {
            only(left, operation) && only(right, operation)
        }
        Value::Element(_) | Value::Unknown => true,
        _ => false,
    }
}

enum Squares {
    Elements,
    Differences,
}

/// A sum of squares.
fn squares(value: &Node) -> Option<Squares> {
    let terms = terms(value);
    let mut kind = None;
    for (is_negative, term) in &terms {
        let Value::Binary(Binary::Multiply, left, right) = term.value() else {
            return None;
        };
        if *is_negative || left != right {
            return None;
        }
        kind = Some(match left.value() {
            Value::Element(_) => Squares::Elements,
            Value::Binary(Binary::Subtract, ..) => Squares::Differences,
            _ => return None,
        });
    }
    kind
}

/// `√(a² + b² + …)`, also of a sum that is not followed.
pub(super) fn is_root_of_squares(value: &Node) -> bool {
    match value.value() {
        Value::Unary(Unary::SquareRoot, inner) => squares(inner).is_some(),
        _ => false,
    }
}
