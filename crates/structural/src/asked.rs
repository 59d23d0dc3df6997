//! A signature as terms, of documents and of sentences.

use std::collections::BTreeMap;

use crate::query::Question;
use crate::signature::{Shape, Signature, Trait};
use crate::weights::Weights;
use crate::words::words_of_name;

/// Terms that a document has or has not: `in:Int`, `in:Int=2`, `in#2`, `out:Bool`.
pub(crate) fn terms(signature: &Signature) -> Vec<String> {
    let mut terms = Vec::new();
    let mut inputs = Shape::default();
    let mut several: BTreeMap<Trait, usize> = BTreeMap::new();
    for parameter in &signature.parameters {
        inputs = inputs.or(*parameter);
        for one in parameter.traits() {
            *several.entry(one).or_default() += 1;
        }
    }
    terms.extend(inputs.traits().map(|one| format!("in:{one:?}")));
    let several = several.iter().filter(|(_, n)| **n > 1);
    terms.extend(several.map(|(one, n)| format!("in:{one:?}={n}")));
    if signature.is_counted {
        terms.push(format!("in#{}", signature.parameters.len()));
    }
    terms.extend(
        signature
            .operations
            .iter()
            .map(|one| format!("does:{one:?}")),
    );
    for (side, sizes) in [("in", &signature.sizes_in), ("out", &signature.sizes_out)] {
        let sizes: std::collections::BTreeSet<String> =
            sizes.iter().flat_map(|it| size_terms(it)).collect();
        terms.extend(sizes.iter().map(|size| format!("{side}:{size}")));
    }
    // A value that is written through a parameter comes out too.
    let mut returns = signature.returns;
    for written in &signature.written {
        let mut shape = signature
            .parameters
            .get(*written)
            .copied()
            .unwrap_or_default();
        for one in [Trait::Constant, Trait::Reference, Trait::Structure] {
            shape.remove(one);
        }
        returns = returns.or(shape);
    }
    terms.extend(returns.traits().map(|one| format!("out:{one:?}")));
    terms
}

/// A term in words: `input: whole number`, `2 inputs: whole number`, `2 inputs`, `operation: dot product`, `output: 3×3
/// elements`. Other terms are as they were.
pub(crate) fn in_words(term: &str) -> String {
    let of_trait = |name: &str| Trait::named(name).map(Trait::words);
    let said = if let Some(count) = term.strip_prefix("in#") {
        let plural = if count == "1" { "" } else { "s" };
        Some(format!("{count} input{plural}"))
    } else if let Some(name) = term.strip_prefix("does:") {
        let mut words = Vec::new();
        words_of_name(name, |word| words.push(word.to_owned()));
        Some(format!("operation: {}", words.join(" ")))
    } else {
        let sides = [("in:", "input"), ("out:", "output")];
        let mut sides = sides.into_iter();
        sides.find_map(|(start, side)| {
            let rest = term.strip_prefix(start)?;
            if let Some((name, n)) = rest.split_once('=') {
                return Some(format!("{n} {side}s: {}", of_trait(name)?));
            }
            if rest.starts_with(|c: char| c.is_ascii_digit()) {
                let plural = if rest == "1" { "" } else { "s" };
                return Some(format!(
                    "{side}: {} element{plural}",
                    rest.replace('x', "×")
                ));
            }
            Some(format!("{side}: {}", of_trait(rest)?))
        })
    };
    said.unwrap_or_else(|| term.to_owned())
}

/// `3x3` and `9`: lowered code has no ranks.
pub(crate) fn size_terms(size: &[u32]) -> Vec<String> {
    let count: u32 = size.iter().product();
    let mut terms = vec![format!("{count}")];
    match size {
        [rows, columns] => terms.push(format!("{rows}x{columns}")),
        // Matrices that are kept in one row.
        [4 | 9 | 16] => {
            let side = f64::from(size[0]).sqrt();
            terms.push(format!("{side}x{side}"));
        }
        _ => {}
    }
    terms
}

/// The terms that a sentence asks for, with their weights, and those that it does not ask for, with their costs,
/// which are below 0; in alphabetical order.
pub(crate) fn asked(question: &Question, weights: &Weights) -> Vec<(String, f64)> {
    let mut asked: BTreeMap<String, f64> = BTreeMap::new();
    asked.extend(
        question
            .inputs
            .traits()
            .map(|one| (format!("in:{one:?}"), weights.input)),
    );
    asked.extend(
        question
            .output
            .traits()
            .map(|one| (format!("out:{one:?}"), weights.output)),
    );
    asked.extend(question.count.map(|n| (format!("in#{n}"), weights.count)));
    asked.extend(
        question
            .several
            .iter()
            .map(|(n, one)| (format!("in:{one:?}={n}"), weights.several)),
    );
    if !question.operations.is_empty() {
        let others = crate::vectors::asked::named();
        let others = others.filter(|one| !question.operations.contains(one));
        asked.extend(others.map(|one| (format!("does:{one:?}"), -weights.other)));
    }
    let count = question.operations.len().max(1) as f64;
    for one in &question.operations {
        asked.insert(format!("does:{one:?}"), weights.operation / count.sqrt());
    }
    for (sides, size) in &question.sizes {
        for term in size_terms(size) {
            asked.extend(
                sides
                    .iter()
                    .map(|side| (format!("{side}:{term}"), weights.size / sides.len() as f64)),
            );
        }
    }
    for (side, shape) in [("in", question.inputs), ("out", question.output)] {
        if shape.is_empty() {
            continue;
        }
        let expected = shape.or(implied(shape)).or(DETAILS);
        let others = Trait::ALL.iter().filter(|one| !expected.has(**one));
        asked.extend(others.map(|one| (format!("{side}:{one:?}"), -weights.unasked)));
    }
    asked
        .into_iter()
        .filter(|(_, weight)| *weight != 0.0)
        .collect()
}

/// The traits that people leave out when they name a type.
const DETAILS: Shape = Shape::of(&[
    Trait::Constant,
    Trait::Reference,
    Trait::Size,
    Trait::Word,
    Trait::Structure,
    Trait::Bits32,
    Trait::Bits64,
]);

/// The traits that a type may have besides when a sentence names these traits: a string is often a pointer to
/// characters.
fn implied(asked: Shape) -> Shape {
    let mut implied = Shape::default();
    for one in asked.traits() {
        let others: &[Trait] = match one {
            Trait::Text => &[
                Trait::Pointer,
                Trait::Char,
                Trait::StringClass,
                Trait::Byte,
                Trait::Wide,
            ],
            Trait::StringClass => &[Trait::Text],
            Trait::Array | Trait::Structure | Trait::Callable | Trait::VoidPointer => {
                &[Trait::Pointer]
            }
            Trait::Stream => &[Trait::Pointer, Trait::Structure],
            Trait::Byte => &[Trait::Unsigned, Trait::Int, Trait::Char],
            Trait::Unsigned
            | Trait::Size
            | Trait::Time
            | Trait::Bits16
            | Trait::Bits32
            | Trait::Bits64 => &[Trait::Int, Trait::Unsigned],
            Trait::Pointer => &[Trait::VoidPointer, Trait::Array],
            Trait::Wide => &[Trait::Char],
            Trait::Float => &[Trait::Double],
            _ => &[],
        };
        implied = implied.or(Shape::of(others));
    }
    implied
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vectors::asked::named;

    #[test]
    fn every_term_has_words() {
        let one_of_each = || Trait::ALL.iter().map(|one| Shape::of(&[*one]));
        let signature = Signature {
            parameters: one_of_each().chain(one_of_each()).collect(),
            returns: Shape::of(Trait::ALL),
            is_counted: true,
            operations: named().collect(),
            sizes_in: vec![vec![3, 3], vec![1]],
            sizes_out: vec![vec![4]],
            ..Signature::default()
        };
        let all = terms(&signature);
        assert!(all.len() > 3 * Trait::ALL.len());
        for term in &all {
            let words = in_words(term);
            let is_plain = |c: char| !c.is_ascii_uppercase() && !"#=_".contains(c);
            assert!(
                words != *term && words.chars().all(is_plain),
                "{term}: {words}"
            );
        }
        for (term, words) in [
            ("in:Int", "input: whole number"),
            ("in:Int=2", "2 inputs: whole number"),
            ("in#1", "1 input"),
            ("in#2", "2 inputs"),
            ("out:Bool", "output: truth value"),
            ("out:3x3", "output: 3×3 elements"),
            ("in:1", "input: 1 element"),
            ("does:MatrixByVector", "operation: matrix by vector"),
            ("~copies", "~copies"),
            ("copi", "copi"),
        ] {
            assert_eq!(in_words(term), words);
        }
    }
}
