//! InfoNCE: the loss of each query for its own document among all documents of the batch.
//!
//! *Definition:* for query i, minus the logarithm of `exp(s(i, i) / τ)` over the sum of `exp(s(i, j) / τ)` for all
//! candidates j; s is the cosine, and the loss is the mean over the queries (CLARC, appendix F.4, equation 1).
//! *Range:* 0 and up; the logarithm of the number of candidates if all are equally near. Lower is better.
//! *Symmetric:* the mean of this and of the same from documents to queries, as CLIP does.
//! *Source:* van den Oord et al. 2018; Gao et al. 2022 (SimCSE), τ = 0.05.
//!
//! Candidates beyond the first, one for each query, are given or mined negatives.

use barecode_encoders::arithmetic::{View, matrix_product};
use rayon::prelude::*;

/// Queries whose scores one thread computes at a time.
const BLOCK: usize = 64;

/// The loss with its options.
#[derive(Debug, Clone, Copy)]
pub(crate) struct InfoNce {
    /// τ.
    pub(crate) temperature: f64,
    pub(crate) symmetric: bool,
}

/// A loss, and its derivative with respect to each number of the vectors.
pub(crate) struct Loss {
    pub(crate) value: f64,
    pub(crate) queries: Vec<f32>,
    pub(crate) candidates: Vec<f32>,
}

/// A matrix as it is stored, and transposed.
pub(crate) fn views(values: &[f32], width: usize) -> [View<'_>; 2] {
    [(width, 1), (1, width)].map(|(row, column)| View {
        values,
        row,
        column,
    })
}

impl InfoNce {
    /// The loss of queries and candidates of `width` numbers, all of length 1; candidate i is the positive of query i.
    ///
    /// `left_out(i, j)` returns true if candidate j is not compared with query i, because it is right for it too.
    pub(crate) fn of(
        self,
        queries: &[f32],
        candidates: &[f32],
        width: usize,
        left_out: impl Fn(usize, usize) -> bool + Sync,
    ) -> Loss {
        let (rows, columns) = (queries.len() / width, candidates.len() / width);
        let mut scores = vec![0.0; rows * columns];
        let [_, turned] = views(candidates, width);
        scores
            .par_chunks_mut(BLOCK * columns)
            .zip(queries.par_chunks(BLOCK * width))
            .for_each(|(scores, queries)| {
                let sizes = [queries.len() / width, width, columns];
                matrix_product(views(queries, width)[0], turned, scores, columns, sizes);
            });
        let share = if self.symmetric { 0.5 } else { 1.0 };
        let factor = share / rows as f64;
        // The change of the loss with each score, in f64 because shares of two directions are added.
        let mut changes = vec![0.0_f64; rows * columns];
        let mut value = 0.0;
        let losses: Vec<f64> = changes
            .par_chunks_mut(columns)
            .zip(scores.par_chunks(columns))
            .enumerate()
            .map(|(i, (changes, scores))| {
                let line = scores.iter().enumerate();
                let line: Vec<f64> = line
                    .map(|(j, &score)| self.logit(score, j != i && left_out(i, j)))
                    .collect();
                contrast(&line, i, |j, change| changes[j] += change * factor)
            })
            .collect();
        value += losses.iter().sum::<f64>() * factor;
        if self.symmetric {
            for j in 0..rows {
                let line: Vec<f64> = (0..rows)
                    .map(|i| self.logit(scores[i * columns + j], j != i && left_out(i, j)))
                    .collect();
                value += factor
                    * contrast(&line, j, |i, change| {
                        changes[i * columns + j] += change * factor;
                    });
            }
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "vectors and their gradients are in 32 bits"
        )]
        let changes: Vec<f32> = changes
            .iter()
            .map(|change| (change / self.temperature) as f32)
            .collect();
        let [as_is, on_its_side] = views(&changes, columns);
        let mut of_queries = vec![0.0; queries.len()];
        let sizes = [rows, columns, width];
        matrix_product(
            as_is,
            views(candidates, width)[0],
            &mut of_queries,
            width,
            sizes,
        );
        let mut of_candidates = vec![0.0; candidates.len()];
        let sizes = [columns, rows, width];
        matrix_product(
            on_its_side,
            views(queries, width)[0],
            &mut of_candidates,
            width,
            sizes,
        );
        Loss {
            value,
            queries: of_queries,
            candidates: of_candidates,
        }
    }

    fn logit(self, score: f32, left_out: bool) -> f64 {
        if left_out {
            f64::NEG_INFINITY
        } else {
            f64::from(score) / self.temperature
        }
    }
}

/// Minus the logarithm of the share of `own`; passes the derivative for each number of the line to `change`.
fn contrast(line: &[f64], own: usize, mut change: impl FnMut(usize, f64)) -> f64 {
    let most = line.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let sum: f64 = line.iter().map(|value| (value - most).exp()).sum();
    for (place, value) in line.iter().enumerate() {
        change(
            place,
            (value - most).exp() / sum - f64::from(u8::from(place == own)),
        );
    }
    most + sum.ln() - line[own]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn units(count: usize, width: usize, seed: usize) -> Vec<f32> {
        let mut values: Vec<f32> = (0..count * width)
            .map(|i| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.5 - 1.0)
            .collect();
        for row in values.chunks_exact_mut(width) {
            let length = row.iter().map(|x| x * x).sum::<f32>().sqrt();
            for value in row {
                *value /= length;
            }
        }
        values
    }

    #[test]
    fn two_queries_by_hand() {
        // Scores 1, 0 and 0.6, 0.8; with τ = 1 the losses are ln(1 + e^-1) and ln(1 + e^-0.2).
        let loss = InfoNce {
            temperature: 1.0,
            symmetric: false,
        };
        let found = loss.of(&[1.0, 0.0, 0.6, 0.8], &[1.0, 0.0, 0.0, 1.0], 2, |_, _| {
            false
        });
        let expected = f64::midpoint((-1.0_f64).exp().ln_1p(), (-0.2_f64).exp().ln_1p());
        assert!((found.value - expected).abs() < 1e-7, "{}", found.value);
        let alone = loss.of(&[1.0, 0.0, 0.6, 0.8], &[1.0, 0.0, 0.0, 1.0], 2, |_, _| true);
        assert!(alone.value.abs() < 1e-12, "nothing is compared");
    }

    #[test]
    fn its_gradients_are_those_of_differences() {
        let (width, queries, candidates) = (6, units(4, 6, 1), units(7, 6, 2));
        for symmetric in [false, true] {
            let loss = InfoNce {
                temperature: 0.3,
                symmetric,
            };
            let out = |i: usize, j: usize| i == 1 && j == 5;
            let found = loss.of(&queries, &candidates, width, out);
            let of = |queries: &[f32], candidates: &[f32]| {
                loss.of(queries, candidates, width, out).value
            };
            let step = 1e-3_f32;
            for i in 0..queries.len() {
                let (mut above, mut below) = (queries.clone(), queries.clone());
                above[i] += step;
                below[i] -= step;
                let expected = (of(&above, &candidates) - of(&below, &candidates)) / 2e-3;
                assert!((f64::from(found.queries[i]) - expected).abs() < 2e-3);
            }
            for i in 0..candidates.len() {
                let (mut above, mut below) = (candidates.clone(), candidates.clone());
                above[i] += step;
                below[i] -= step;
                let expected = (of(&queries, &above) - of(&queries, &below)) / 2e-3;
                assert!((f64::from(found.candidates[i]) - expected).abs() < 2e-3);
            }
        }
    }
}
