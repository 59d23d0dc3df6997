//! The vectors of features by a model of English, as rows to begin with.
//!
//! People use words in a question that no comment had. A model of English knows which words are similar; rows that
//! begin with its vectors are near each other before anything is learned, on both sides. The vectors are projected to
//! the directions in which they differ most (principal components).

use std::collections::BTreeMap;

use barecode_structural::learned::features::Feature;
use barecode_structural::learned::table::{DIMENSIONS, Vector};

/// A model of English: texts to vectors, all of one length, in the order of the texts.
pub(crate) type Prior<'a> = dyn Fn(&[&str]) -> Vec<Vec<f32>> + 'a;

/// The largest part of a direction that may remain beside others by rounding alone.
const NOISE: f32 = 1e-5;

/// The number of times that directions are turned towards the principal components.
const TURNS: usize = 20;

/// The vectors of the features of both sides, without their mean, as the table's rows.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a mean of numbers of 32 bits"
)]
pub(crate) fn rows(
    prior: &Prior<'_>,
    sides: [BTreeMap<Feature, String>; 2],
) -> [BTreeMap<Feature, Vector>; 2] {
    let texts: Vec<&str> = sides
        .iter()
        .flatten()
        .map(|(_, text)| text.as_str())
        .collect();
    let mut vectors = prior(&texts);
    let width = vectors.first().map_or(0, Vec::len);
    let mut mean = vec![0.0_f64; width];
    for vector in &vectors {
        for (sum, value) in mean.iter_mut().zip(vector) {
            *sum += f64::from(*value) / vectors.len() as f64;
        }
    }
    for vector in &mut vectors {
        for (value, mean) in vector.iter_mut().zip(&mean) {
            *value -= *mean as f32;
        }
    }
    let directions = components(&vectors, width);
    let mut rows = vectors.iter().map(|vector| -> Vector {
        std::array::from_fn(|at| {
            directions
                .get(at)
                .map_or(0.0, |direction| product(direction, vector))
        })
    });
    sides.map(|side| {
        let features = side.into_keys();
        features
            .filter_map(|feature| Some((feature, rows.next()?)))
            .collect()
    })
}

/// The principal components of vectors, by turning directions towards them (orthogonal iteration).
fn components(vectors: &[Vec<f32>], width: usize) -> Vec<Vec<f32>> {
    let mut spread = vec![vec![0.0_f32; width]; width];
    for vector in vectors {
        for (row, one) in spread.iter_mut().zip(vector) {
            for (sum, other) in row.iter_mut().zip(vector) {
                *sum += one * other;
            }
        }
    }
    // The first directions are axes; one in which no vectors differ is replaced by another axis.
    let axis = |at: usize| (0..width).map(move |place| f32::from(u8::from(place == at)));
    let n = width.min(DIMENSIONS);
    let mut directions: Vec<Vec<f32>> = (0..n).map(|at| axis(at).collect()).collect();
    for turn in 1..=TURNS {
        for direction in &mut directions {
            *direction = spread.iter().map(|row| product(row, direction)).collect();
        }
        for at in 0..n {
            let (before, rest) = directions.split_at_mut(at);
            let Some(direction) = rest.first_mut() else {
                continue;
            };
            let whole = product(direction, direction).sqrt();
            for other in before {
                let along = product(other, direction);
                for (value, other) in direction.iter_mut().zip(other) {
                    *value -= along * *other;
                }
            }
            let length = product(direction, direction).sqrt();
            if length > NOISE * whole {
                for value in direction.iter_mut() {
                    *value /= length;
                }
            } else if turn < TURNS {
                *direction = axis((at + turn * DIMENSIONS) % width).collect();
            } else {
                direction.fill(0.0);
            }
        }
    }
    directions
}

fn product(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_keep_what_they_have_in_common() {
        // More numbers than a row has, but different in three directions only.
        let vector = |text: &str| {
            let mut vector = vec![1.0; 200];
            for byte in text.bytes() {
                vector[150 + usize::from(byte - b'a')] += 1.0;
            }
            vector
        };
        let sides = [[(1, "aab"), (2, "ab")], [(3, "bb"), (4, "c")]];
        let named = sides
            .map(|side| BTreeMap::from(side.map(|(feature, text)| (feature, text.to_owned()))));
        let found = rows(
            &|texts| texts.iter().map(|text| vector(text)).collect(),
            named,
        );
        let all: Vec<(Vec<f32>, &Vector)> = sides
            .iter()
            .zip(&found)
            .flat_map(|(side, rows)| {
                side.iter()
                    .map(|(feature, text)| (vector(text), &rows[feature]))
            })
            .collect();
        for (one, projected) in &all {
            for (other, others) in &all {
                let apart = |a: &[f32], b: &[f32]| {
                    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f32>()
                };
                let (expected, kept) = (apart(one, other), apart(*projected, *others));
                assert!((expected - kept).abs() < 1e-3, "{expected} {kept}");
            }
        }
    }
}
