//! What is left in each element of an array: component by component, moved, or as sums of products.

#![expect(
    clippy::float_cmp,
    reason = "numbers are compared as the code has them"
)]

use std::collections::BTreeSet;

use super::layout::{Computed, Output};
use super::reduce::{Product, is_root_of_squares, products};
use super::value::{Binary, Node, Place, Step, Unary, Value};
use crate::sizes::Size;
use crate::vocabulary::Concept;

/// Adds the constructs of one output.
pub(super) fn find(computed: &Computed, array: u8, output: &Output, found: &mut Vec<Concept>) {
    if let (Some((_, value)), true) = (&output.every, output.at.len() > 1) {
        let side = f64::from(
            output
                .at
                .keys()
                .max()
                .map_or(1, |last| last.saturating_add(1)),
        )
        .sqrt();
        let is_diagonal = |at: &u32| f64::from(*at) % (side + 1.0) == 0.0;
        let is_one = |value: &Node| value.number() == Some(1.0);
        if value.number() == Some(0.0) && output.at.keys().all(is_diagonal) {
            found.push(if output.at.values().all(is_one) {
                Concept::Identity
            } else {
                Concept::Diagonal
            });
            return;
        }
    } else if let Some((at, value)) = &output.every {
        let of = Element { array, at: *at };
        components(&[(of, value)], found);
        return;
    }
    let count = output.at.len();
    if count < 2 {
        return;
    }
    let entries: Vec<(Element, &Node)> = output
        .at
        .iter()
        .map(|(at, value)| {
            (
                Element {
                    array,
                    at: Step::At(*at),
                },
                value,
            )
        })
        .collect();
    if constants(&entries, found) || scalars(&entries, found) {
        return;
    }
    if is_alike(&entries) {
        components(&entries, found);
        return;
    }
    if moved(computed, &entries, found) {
        return;
    }
    sums(computed, &entries, found);
}

/// The element that a value is left in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Element {
    array: u8,
    at: Step,
}

impl Element {
    /// Returns `true` if a place is the element at the same position, of any array.
    fn is_at(self, place: &Place) -> bool {
        place.path == [self.at]
    }
}

/// All are numbers: zeros, ones, an identity, a table.
fn constants(entries: &[(Element, &Node)], found: &mut Vec<Concept>) -> bool {
    let numbers: Option<Vec<f64>> = entries.iter().map(|(_, value)| value.number()).collect();
    let Some(numbers) = numbers else {
        return false;
    };
    let side = (1..=8).find(|side| side * side == numbers.len());
    let is_identity = side.is_some_and(|side| {
        side > 1
            && numbers
                .iter()
                .enumerate()
                .all(|(at, number)| *number == f64::from(u8::from(at % (side + 1) == 0)))
    });
    let last = numbers.len() - 1;
    if is_identity {
        found.push(Concept::Identity);
    } else if numbers.iter().all(|it| *it == 0.0) {
        found.push(Concept::AllZero);
    } else if numbers.iter().all(|it| *it == 1.0) {
        found.push(Concept::AllOne);
    } else if numbers
        .iter()
        .enumerate()
        .all(|(at, it)| *it == f64::from(u8::from(at == last)))
    {
        // A quaternion that rotates nothing.
        found.push(Concept::Identity);
    }
    true
}

/// Parameters that are no arrays, each in an element of its own; numbers and angles may be among them.
fn scalars(entries: &[(Element, &Node)], found: &mut Vec<Concept>) -> bool {
    let mut all = BTreeSet::new();
    let mut others = 0;
    let mut angles = 0;
    for (_, value) in entries {
        let value = match value.value() {
            Value::Unary(Unary::Negate, inner) => inner,
            _ => *value,
        };
        match value.value() {
            Value::Scalar(scalar) => {
                all.insert(*scalar);
            }
            Value::Constant(_) => others += 1,
            Value::Unary(Unary::Angle, _) => angles += 1,
            _ => return false,
        }
    }
    if angles > 0 {
        found.push(Concept::RotationMatrix);
        return true;
    }
    let is_each = all.len() > 1 && all.len() + others == entries.len();
    if is_each {
        found.push(Concept::FromScalars);
    }
    is_each
}

/// Returns `true` if all values are the same, each with the elements of its own position.
fn is_alike(entries: &[(Element, &Node)]) -> bool {
    let template = |(of, value): &(Element, &Node)| {
        value.map(&mut |place| {
            let mut place = place.clone();
            if of.is_at(&place) {
                place.path = vec![Step::Every(0)];
            }
            Node::new(Value::Element(place))
        })
    };
    let mut templates = entries.iter().map(template);
    let Some(first) = templates.next() else {
        return false;
    };
    templates.all(|template| template == first)
}

/// One operation for each component.
fn components(entries: &[(Element, &Node)], found: &mut Vec<Concept>) {
    let Some((of, value)) = entries.first() else {
        return;
    };
    let of = *of;
    let value = *value;
    if !value.is_known() {
        return;
    }
    if let Some(place) = value.element() {
        if of.is_at(place) {
            found.push(Concept::CopyElements);
        } else {
            found.push(Concept::Broadcast);
        }
        return;
    }
    if matches!(value.value(), Value::Scalar(_) | Value::Constant(_)) {
        found.push(match value.number() {
            Some(0.0) => Concept::AllZero,
            Some(1.0) => Concept::AllOne,
            _ => Concept::Broadcast,
        });
        return;
    }
    let own = |node: &Node| {
        node.element()
            .is_some_and(|place| of.is_at(place) && place.array == of.array)
    };
    let is_component = |node: &Node| {
        let mut any = false;
        node.each(&mut |node| any |= node.element().is_some_and(|place| of.is_at(place)));
        any
    };
    if !is_component(value) {
        return;
    }
    found.push(Concept::ComponentWise);
    match value.value() {
        Value::Unary(Unary::Negate, _) => found.push(Concept::NegateElements),
        Value::Unary(Unary::Absolute, _) => found.push(Concept::AbsoluteElements),
        Value::Unary(Unary::SquareRoot, _) => found.push(Concept::RootElements),
        Value::Unary(Unary::Round, _) => found.push(Concept::RoundElements),
        Value::Binary(operation, left, right) => {
            // `dest[i] += …`
            let adds = matches!(operation, Binary::Add | Binary::Subtract);
            if adds && (own(left) || own(right)) && of.at != Step::Unknown {
                let other = if own(left) { right } else { left };
                if !matches!(
                    other.value(),
                    Value::Element(_) | Value::Scalar(_) | Value::Constant(_)
                ) {
                    found.push(Concept::AccumulateElements);
                }
            }
            if interpolates(value) {
                found.push(Concept::Interpolate);
                return;
            }
            operated(*operation, left, right, &is_component, found);
        }
        _ => {}
    }
    if clamps(value) {
        found.push(Concept::Clamp);
    }
}

/// One operation with two operands for each component.
fn operated(
    operation: Binary,
    left: &Node,
    right: &Node,
    is_component: &impl Fn(&Node) -> bool,
    found: &mut Vec<Concept>,
) {
    let both = is_component(left) && is_component(right);
    let is_half = |node: &Node| match node.value() {
        // `1.0f / 2.0f`
        Value::Binary(Binary::Divide, one, two) => {
            one.number() == Some(1.0) && two.number() == Some(2.0)
        }
        _ => node.number() == Some(0.5),
    };
    let is_sum = |node: &Node| matches!(node.value(), Value::Binary(Binary::Add, ..));
    match operation {
        Binary::Multiply if left == right => found.push(Concept::SquareElements),
        Binary::Multiply
            if (is_half(left) && is_sum(right)) || (is_half(right) && is_sum(left)) =>
        {
            found.push(Concept::Midpoint);
        }
        Binary::Divide if right.number() == Some(2.0) && is_sum(left) => {
            found.push(Concept::Midpoint);
        }
        Binary::Multiply if both => found.push(Concept::MultiplyElements),
        Binary::Multiply => {
            let factor = if is_component(left) { right } else { left };
            found.push(if is_inverse_root(factor) {
                Concept::Normalize
            } else {
                Concept::ScaleElements
            });
        }
        Binary::Divide if both => found.push(Concept::DivideElements),
        Binary::Divide if is_component(left) => found.push(if is_root_of_squares(right) {
            Concept::Normalize
        } else {
            Concept::DivideByScalar
        }),
        Binary::Add if both => {
            found.push(Concept::AddElements);
            let is_product =
                |node: &Node| matches!(node.value(), Value::Binary(Binary::Multiply, ..));
            if is_product(left) || is_product(right) {
                found.push(Concept::MultiplyAdd);
            }
        }
        Binary::Add => found.push(Concept::AddScalar),
        Binary::Subtract if both => found.push(Concept::SubtractElements),
        Binary::Subtract => found.push(Concept::SubtractScalar),
        Binary::Minimum => found.push(Concept::MinimumElements),
        Binary::Maximum => found.push(Concept::MaximumElements),
        Binary::Remainder => found.push(Concept::RemainderElements),
        _ => {}
    }
}

/// `1 / √(…)`
fn is_inverse_root(node: &Node) -> bool {
    match node.value() {
        Value::Binary(Binary::Divide, one, root) => {
            one.number() == Some(1.0) && is_root_of_squares(root)
        }
        _ => false,
    }
}

/// `a + (b - a) t`, `a (1 - t) + b t`
fn interpolates(value: &Node) -> bool {
    let Value::Binary(Binary::Add, one, other) = value.value() else {
        return false;
    };
    let step = |from: &Node, step: &Node| match step.value() {
        Value::Binary(Binary::Multiply, left, right) => [left, right].into_iter().any(
            |it| matches!(it.value(), Value::Binary(Binary::Subtract, _, start) if start == from),
        ),
        _ => false,
    };
    if step(one, other) || step(other, one) {
        return true;
    }
    let rest = |node: &Node| match node.value() {
        Value::Binary(Binary::Multiply, left, right) => {
            [left, right].into_iter().find_map(|it| match it.value() {
                Value::Binary(Binary::Subtract, whole, part) if whole.number() == Some(1.0) => {
                    Some(part.clone())
                }
                _ => None,
            })
        }
        _ => None,
    };
    let has_factor = |node: &Node, factor: &Node| matches!(node.value(), Value::Binary(Binary::Multiply, left, right) if left == factor || right == factor);
    rest(one).is_some_and(|factor| has_factor(other, &factor))
        || rest(other).is_some_and(|factor| has_factor(one, &factor))
}

/// A maximum of a minimum, or the other way round.
fn clamps(value: &Node) -> bool {
    let Value::Binary(outer @ (Binary::Minimum | Binary::Maximum), left, right) = value.value()
    else {
        return false;
    };
    let opposite = match outer {
        Binary::Minimum => Binary::Maximum,
        _ => Binary::Minimum,
    };
    [left, right]
        .into_iter()
        .any(|it| matches!(it.value(), Value::Binary(inner, ..) if *inner == opposite))
}

/// All values are elements of one array, at other positions, some of them negated.
fn moved(computed: &Computed, entries: &[(Element, &Node)], found: &mut Vec<Concept>) -> bool {
    let mut from = Vec::new();
    let mut negated = 0;
    for (_, value) in entries {
        let value = match value.value() {
            Value::Unary(Unary::Negate, inner) => {
                negated += 1;
                inner
            }
            _ => *value,
        };
        match value.element() {
            Some(Place { array, path }) => match path.as_slice() {
                [Step::At(at)] => from.push((*array, *at)),
                _ => return false,
            },
            None if value.number().is_some() => {}
            None => return false,
        }
    }
    let arrays: BTreeSet<u8> = from.iter().map(|(array, _)| *array).collect();
    if arrays.len() > 1 {
        found.push(Concept::Compose);
        return true;
    }
    let Some(source) = arrays.first() else {
        return true;
    };
    let positions: Vec<u32> = from.iter().map(|(_, at)| *at).collect();
    let own = entries.iter().filter_map(|(of, _)| match of.at {
        Step::At(at) => Some(at),
        _ => None,
    });
    let own: Vec<u32> = own.collect();
    let is_in_place = entries.first().is_some_and(|(of, _)| of.array == *source);
    if positions.len() < entries.len() {
        // Elements among numbers.
        found.push(Concept::Embed);
        return true;
    }
    if negated > 0 {
        let same = own == positions;
        found.push(if same && negated + 1 == entries.len() {
            Concept::Conjugate
        } else if same {
            Concept::NegateElements
        } else {
            Concept::Permute
        });
        return true;
    }
    let size_in = computed.sizes.get(source);
    let size_out = entries
        .first()
        .and_then(|(of, _)| computed.sizes.get(&of.array));
    if is_transposed(&own, &positions, size_in, size_out) {
        found.push(Concept::Transpose);
    } else if own.iter().eq(positions.iter().rev()) && own.len() > 2 {
        found.push(Concept::Reverse);
    } else if is_in_place && own.len() == 2 && own.iter().eq(positions.iter().rev()) {
        found.push(Concept::Swap);
    } else if increasing(&positions) {
        found.push(Concept::CopyElements);
        found.push(Concept::Extract);
    } else {
        found.push(Concept::Permute);
    }
    true
}

fn increasing(positions: &[u32]) -> bool {
    positions.windows(2).all(|pair| pair[0] < pair[1])
}

/// Rows become columns: position `c + r × columns` comes from `r + c × rows`.
fn is_transposed(
    own: &[u32],
    positions: &[u32],
    size_in: Option<&Size>,
    size_out: Option<&Size>,
) -> bool {
    let shapes = |columns: u32, rows: u32| {
        own.iter().zip(positions).all(|(own, from)| {
            let (row, column) = (own / columns, own % columns);
            *from == column * rows + row
        })
    };
    // In place the diagonal is not written.
    if let (Some([rows, columns]), Some([_, _])) =
        (size_in.map(Vec::as_slice), size_out.map(Vec::as_slice))
    {
        // The result has a row for each column.
        return own.iter().zip(positions).all(|(own, from)| {
            let (row, column) = (own / rows, own % rows);
            row < *columns && *from == column * columns + row
        });
    }
    let count = u32::try_from(own.len()).unwrap_or(u32::MAX);
    (2..=count / 2)
        .filter(|columns| count % columns == 0)
        .any(|columns| shapes(columns, count / columns))
}

/// Each value is a sum of products of elements.
fn sums(computed: &Computed, entries: &[(Element, &Node)], found: &mut Vec<Concept>) {
    let sums: Option<Vec<Vec<Product>>> =
        entries.iter().map(|(_, value)| products(value)).collect();
    let Some(sums) = sums else {
        divided(entries, found);
        return;
    };
    let arrays = |sum: &[Product]| -> BTreeSet<u8> {
        let elements = sum.iter().flat_map(|product| &product.elements);
        elements.map(|(array, _)| *array).collect()
    };
    let all: BTreeSet<u8> = sums.iter().flat_map(|sum| arrays(sum)).collect();
    let terms: BTreeSet<usize> = sums.iter().map(Vec::len).collect();
    let degree = |degree: usize| {
        let mut products = sums.iter().flatten();
        products.all(|product| product.elements.len() == degree)
    };
    let (least, most) = (
        terms.first().copied().unwrap_or(0),
        terms.last().copied().unwrap_or(0),
    );
    let is_signed = sums.iter().flatten().any(|product| product.is_negative);
    if degree(2) && all.len() == 2 {
        let is_cross = sums.len() == 3
            && most == 2
            && sums
                .iter()
                .all(|sum| sum.iter().filter(|it| it.is_negative).count() == 1);
        if is_cross {
            found.push(Concept::CrossProduct);
        } else if sums.len() == 4 && most == 4 && is_signed {
            found.push(Concept::QuaternionProduct);
        } else if least == most && most >= 2 && !is_signed {
            let size = |array: &u8| {
                computed
                    .sizes
                    .get(array)
                    .map(|it| it.iter().product::<u32>())
            };
            let sizes: Vec<u32> = all.iter().filter_map(size).collect();
            let count = u32::try_from(sums.len()).unwrap_or(u32::MAX);
            let is_matrix = sizes
                .iter()
                .min()
                .is_some_and(|least| *least > count.min(4));
            found.push(Concept::MatrixProduct);
            found.push(if is_matrix || sums.len() > 4 {
                Concept::MatrixByMatrix
            } else {
                Concept::MatrixByVector
            });
        } else if most == 1 {
            found.push(Concept::OuterProduct);
        } else {
            found.push(Concept::SumsOfProducts);
        }
    } else if degree(1) && all.len() == 1 && most == 1 {
        found.push(Concept::ScaleElements);
    } else if sums
        .iter()
        .flatten()
        .any(|product| product.elements.len() >= 2)
    {
        found.push(Concept::SumsOfProducts);
    }
}

/// Values that are divided or scaled by a common one: an inverse.
fn divided(entries: &[(Element, &Node)], found: &mut Vec<Concept>) {
    let mut common: Vec<&Node> = Vec::new();
    for (_, value) in entries {
        let value = match value.value() {
            Value::Unary(Unary::Negate, inner) => inner,
            _ => *value,
        };
        match value.value() {
            Value::Binary(Binary::Divide, _, by) => {
                common.push(by);
            }
            Value::Binary(Binary::Multiply, left, right) => {
                let inverse = [left, right].into_iter().find(|it| {
                    matches!(it.value(), Value::Binary(Binary::Divide, one, _) if one.number() == Some(1.0))
                });
                match inverse {
                    Some(by) => common.push(by),
                    None => return,
                }
            }
            _ => return,
        }
    }
    if common.windows(2).all(|pair| pair[0] == pair[1]) {
        found.push(Concept::Inverse);
    }
}
