//! Pooling: the rows of a text's tokens to one vector.
//!
//! In come rows, out goes a vector of the same width.
//! The only difficulty is to use the pooling that the model was trained with: another one makes vectors that look as
//! good and find less.

use barecode_models::Pooling;

use super::vector::{add, scale};

/// The pooling of sentence-transformers' name, or of barecode's.
pub(super) fn named(name: &str) -> Option<Pooling> {
    match name {
        "cls" | "first" => Some(Pooling::First),
        "mean" => Some(Pooling::Mean),
        "max" => Some(Pooling::Max),
        "lasttoken" | "last" => Some(Pooling::Last),
        "mean_sqrt_len_tokens" | "mean-root" => Some(Pooling::MeanRoot),
        "weightedmean" | "weighted-mean" => Some(Pooling::WeightedMean),
        _ => None,
    }
}

/// The vector of a text's rows, of which at least one exists.
pub(super) fn pool(pooling: Pooling, rows: &[f32], vector: &mut [f32]) {
    let width = vector.len();
    let count = (rows.len() / width) as f32;
    match pooling {
        Pooling::First => vector.copy_from_slice(&rows[..width]),
        Pooling::Last => vector.copy_from_slice(&rows[rows.len() - width..]),
        Pooling::Mean => {
            sum(rows, vector);
            scale(vector, 1.0 / count);
        }
        Pooling::MeanRoot => {
            sum(rows, vector);
            scale(vector, 1.0 / count.sqrt());
        }
        Pooling::Max => {
            vector.copy_from_slice(&rows[..width]);
            for row in rows.chunks_exact(width) {
                for (most, &value) in vector.iter_mut().zip(row) {
                    *most = most.max(value);
                }
            }
        }
        Pooling::WeightedMean => {
            vector.fill(0.0);
            let mut weight = 0.0;
            for row in rows.chunks_exact(width) {
                weight += 1.0;
                for (sum, &value) in vector.iter_mut().zip(row) {
                    *sum += weight * value;
                }
            }
            scale(vector, 2.0 / (count * (count + 1.0)));
        }
    }
}

fn sum(rows: &[f32], vector: &mut [f32]) {
    vector.fill(0.0);
    for row in rows.chunks_exact(vector.len()) {
        add(vector, row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pooling_is_its_definition() {
        let rows = [1.0, 8.0, 2.0, -4.0, 6.0, 5.0];
        let cases = [
            (Pooling::First, [1.0, 8.0]),
            (Pooling::Last, [6.0, 5.0]),
            (Pooling::Mean, [3.0, 3.0]),
            (Pooling::Max, [6.0, 8.0]),
            (
                Pooling::MeanRoot,
                [9.0 / 3.0_f32.sqrt(), 9.0 / 3.0_f32.sqrt()],
            ),
            (Pooling::WeightedMean, [23.0 / 6.0, 15.0 / 6.0]),
        ];
        for (pooling, expected) in cases {
            let mut vector = [0.0; 2];
            pool(pooling, &rows, &mut vector);
            for (a, b) in vector.iter().zip(expected) {
                assert!((a - b).abs() < 1e-6, "{pooling:?}: {vector:?}");
            }
            assert_eq!(named(pooling.name()), Some(pooling));
        }
    }
}
