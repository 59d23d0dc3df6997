//! `NumberWrongValue`: another number of the same order of magnitude.
//!
//! *Rewrites.* The first digit that is not 0, or the last one, into another digit: `15` becomes `45` or `17`, `0.25`
//! becomes `0.75`. `0` becomes `1`. The number of digits and the notation of the number stay.
//!
//! *Breaks the meaning because* it is another number.
//!
//! *Declines* annotations and numbers with an imaginary part.
//!
//! *Paper.* "same order-of-magnitude": it does not state how the value is drawn.

use ruff_python_ast::{AnyNodeRef, Expr, Number};
use ruff_text_size::Ranged as _;

use super::mutant::{At, any_of, is_number};
use crate::{Edit, Site};

/// The mutants of a node.
pub(super) fn mutants(At { module, node, .. }: At<'_>) -> Vec<Site> {
    let AnyNodeRef::ExprNumberLiteral(number) = node else {
        return Vec::new();
    };
    let range = number.range();
    let is_zero = is_number(&Expr::NumberLiteral(number.clone()), 0);
    let texts = match (&number.value, is_zero) {
        (Number::Complex { .. }, _) => return Vec::new(),
        (Number::Int(_), true) => vec!["1".to_owned()],
        _ => others(module.of(range)),
    };
    let texts = texts.into_iter();
    let choices = texts.map(|text| vec![Edit::replace(range, text)]);
    any_of(range, choices.collect())
}

/// The number with its first digit that is not 0, or its last digit, changed.
fn others(text: &str) -> Vec<String> {
    let lower = text.to_ascii_lowercase();
    let (from, digits, is_decimal) = match lower.get(..2) {
        Some("0x") => (2, "123456789abcdef", false),
        Some("0o") => (2, "1234567", false),
        // The one digit of a binary number that is not 0 cannot change.
        Some("0b") => (2, "1", false),
        _ => (0, "123456789", true),
    };
    let exponent = if is_decimal { lower.find('e') } else { None };
    let mantissa = exponent.unwrap_or(lower.len());
    let is_digit = |at: &usize| lower.as_bytes()[*at].is_ascii_hexdigit();
    let places: Vec<usize> = (from..mantissa).filter(is_digit).collect();
    let first = places.iter().find(|at| lower.as_bytes()[**at] != b'0');
    let last = places.last().filter(|last| Some(*last) != first);
    let mut made = Vec::new();
    for (place, zero) in [(first, ""), (last, if first.is_some() { "0" } else { "" })] {
        let Some(&place) = place else { continue };
        for digit in zero.chars().chain(digits.chars()) {
            let mut other = text.to_owned();
            other.replace_range(place..=place, digit.encode_utf8(&mut [0; 4]));
            if !other.eq_ignore_ascii_case(text) {
                made.push(other);
            }
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_magnitude_stays() {
        assert_eq!(others("7").len(), 8);
        assert!(others("15").contains(&"95".to_owned()) && others("15").contains(&"10".to_owned()));
        assert!(others("0.25").iter().all(|text| text.starts_with("0.")));
        assert!(others("1e9").iter().all(|text| text.ends_with("e9")));
        assert!(others("0x1F").contains(&"0xaF".to_owned()));
        assert!(others("1_000").iter().all(|text| text.contains("_00")));
        assert_eq!(others("0b10"), ["0b11"]);
    }
}
