//! A signature as terms, of documents and of sentences.

use std::collections::BTreeMap;

use crate::query::Question;
use crate::signature::{Shape, Signature, Trait};
use crate::weights::Weights;

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
