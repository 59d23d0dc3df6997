//! Pooling: the rows of a text's tokens to one vector.
//!
//! In come rows, out goes a vector of the same width.
//! The hard thing is only to use the one that the model was trained with: another one gives vectors that look as
//! good and find less.

use serde::{Deserialize, Serialize};

use super::vector::{add, scale};

/// How the rows of a text become one vector.
///
/// Special tokens count like others, as in sentence-transformers.
///
/// ```
/// use barecode_encoders::Pooling;
/// let pooling: Pooling = serde_json::from_str("\"last\"").unwrap();
/// assert_eq!(pooling, Pooling::Last);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pooling {
    /// The row of the first token, which BERT calls `[CLS]`.
    First,
    /// The mean of all rows.
    Mean,
    /// The largest of each number.
    Max,
    /// The row of the last token, which has seen all others in a model that looks back only.
    Last,
    /// The sum of all rows over the root of their number.
    MeanRoot,
    /// The mean with weights 1, 2, 3, …
    WeightedMean,
}

impl Pooling {
    /// By sentence-transformers' name.
    pub(super) fn named(name: &str) -> Option<Self> {
        match name {
            "cls" | "first" => Some(Self::First),
            "mean" => Some(Self::Mean),
            "max" => Some(Self::Max),
            "lasttoken" | "last" => Some(Self::Last),
            "mean_sqrt_len_tokens" | "mean-root" => Some(Self::MeanRoot),
            "weightedmean" | "weighted-mean" => Some(Self::WeightedMean),
            _ => None,
        }
    }

    /// The name in files and identities.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Mean => "mean",
            Self::Max => "max",
            Self::Last => "last",
            Self::MeanRoot => "mean-root",
            Self::WeightedMean => "weighted-mean",
        }
    }

    /// One vector of the rows of a text, of which there is at least one.
    pub(super) fn apply(self, rows: &[f32], vector: &mut [f32]) {
        let width = vector.len();
        let count = (rows.len() / width) as f32;
        match self {
            Self::First => vector.copy_from_slice(&rows[..width]),
            Self::Last => vector.copy_from_slice(&rows[rows.len() - width..]),
            Self::Mean => {
                sum(rows, vector);
                scale(vector, 1.0 / count);
            }
            Self::MeanRoot => {
                sum(rows, vector);
                scale(vector, 1.0 / count.sqrt());
            }
            Self::Max => {
                vector.copy_from_slice(&rows[..width]);
                for row in rows.chunks_exact(width) {
                    for (most, &value) in vector.iter_mut().zip(row) {
                        *most = most.max(value);
                    }
                }
            }
            Self::WeightedMean => {
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
            pooling.apply(&rows, &mut vector);
            for (a, b) in vector.iter().zip(expected) {
                assert!((a - b).abs() < 1e-6, "{pooling:?}: {vector:?}");
            }
            assert_eq!(Pooling::named(pooling.name()), Some(pooling));
        }
    }
}
