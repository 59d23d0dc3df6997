//! Attention, forward and backward: every token takes a weighted mean of what the tokens of its text offer.
//!
//! In come rows of queries, keys and values, one text after another without padding; out go rows of one width, and on the
//! way back the gradients of queries, keys and values. A text is what one thread works on at a time.
//!
//! What this file does not do: masks. No text sees another, and every token sees all of its own.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instructions chosen at run time"
)]

use barecode_encoders::arithmetic::{Kernel, View, fast, matrix_product, scale, softmax};
use rayon::prelude::*;

use crate::rows::dot;

/// Heads, and numbers a head.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heads {
    pub(crate) count: usize,
    pub(crate) size: usize,
}

/// A matrix of `size` columns within rows of `stride` numbers.
fn part(values: &[f32], stride: usize) -> View<'_> {
    View {
        values,
        row: stride,
        column: 1,
    }
}

/// The same matrix on its side.
fn turned(values: &[f32], stride: usize) -> View<'_> {
    View {
        values,
        row: 1,
        column: stride,
    }
}

/// Cuts a slice into one piece for each text, of as many numbers as `size` says of its length.
fn pieces<'a>(
    mut values: &'a mut [f32],
    lengths: &[usize],
    size: impl Fn(usize) -> usize,
) -> Vec<&'a mut [f32]> {
    let mut pieces = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (piece, rest) = std::mem::take(&mut values).split_at_mut(size(length));
        pieces.push(piece);
        values = rest;
    }
    pieces
}

/// Where each text begins, and its length.
fn starts(lengths: &[usize]) -> Vec<(usize, usize)> {
    let mut first = 0;
    lengths
        .iter()
        .map(|&length| {
            first += length;
            (first - length, length)
        })
        .collect()
}

impl Heads {
    /// Numbers of all heads together.
    fn width(self) -> usize {
        self.count * self.size
    }

    /// How many weights texts of these lengths have: one for each head, query and key.
    pub(crate) fn weights(self, lengths: &[usize]) -> usize {
        lengths
            .iter()
            .map(|length| self.count * length * length)
            .sum()
    }

    /// The factor of every score.
    fn factor(self) -> f32 {
        1.0 / (self.size as f32).sqrt()
    }

    /// Context of every token, and the weights that it was made with. `projected` are queries, keys and values.
    pub(crate) fn forward(
        self,
        projected: &[f32],
        lengths: &[usize],
        weights: &mut [f32],
        context: &mut [f32],
    ) {
        let width = self.width();
        let weights = pieces(weights, lengths, |length| self.count * length * length);
        let context = pieces(context, lengths, |length| length * width);
        starts(lengths)
            .into_par_iter()
            .zip(weights)
            .zip(context)
            .filter(|(((_, length), _), _)| *length > 0)
            .for_each(|(((first, length), weights), context)| {
                let text = &projected[first * 3 * width..(first + length) * 3 * width];
                for (head, weights) in weights.chunks_exact_mut(length * length).enumerate() {
                    let column = head * self.size;
                    matrix_product(
                        part(&text[column..], 3 * width),
                        turned(&text[width + column..], 3 * width),
                        weights,
                        length,
                        [length, self.size, length],
                    );
                    fast::<Softmax, _>((&mut *weights, length, self.factor()));
                    matrix_product(
                        part(weights, length),
                        part(&text[2 * width + column..], 3 * width),
                        &mut context[column..],
                        width,
                        [length, length, self.size],
                    );
                }
            });
    }

    /// The gradient of `projected`, from that of the context and from what [`forward`](Heads::forward) left.
    pub(crate) fn backward(
        self,
        gradient: &[f32],
        projected: &[f32],
        lengths: &[usize],
        weights: &[f32],
        target: &mut [f32],
    ) {
        let width = self.width();
        let target = pieces(target, lengths, |length| length * 3 * width);
        let mut passed = 0;
        let weights: Vec<&[f32]> = lengths
            .iter()
            .map(|length| {
                let size = self.count * length * length;
                passed += size;
                &weights[passed - size..passed]
            })
            .collect();
        starts(lengths)
            .into_par_iter()
            .zip(weights)
            .zip(target)
            .filter(|(((_, length), _), _)| *length > 0)
            .for_each_init(Vec::new, |scores, (((first, length), weights), target)| {
                let text = &projected[first * 3 * width..(first + length) * 3 * width];
                let gradient = &gradient[first * width..(first + length) * width];
                scores.resize(length * length, 0.0);
                for (head, weights) in weights.chunks_exact(length * length).enumerate() {
                    let column = head * self.size;
                    let gradient = &gradient[column..];
                    // Values: the weights on their side times the gradient.
                    matrix_product(
                        turned(weights, length),
                        part(gradient, width),
                        &mut target[2 * width + column..],
                        3 * width,
                        [length, length, self.size],
                    );
                    // Weights, then scores.
                    matrix_product(
                        part(gradient, width),
                        turned(&text[2 * width + column..], 3 * width),
                        scores,
                        length,
                        [length, self.size, length],
                    );
                    fast::<SoftmaxBackward, _>((&mut scores[..], weights, length, self.factor()));
                    // Queries, then keys.
                    matrix_product(
                        part(scores, length),
                        part(&text[width + column..], 3 * width),
                        &mut target[column..],
                        3 * width,
                        [length, length, self.size],
                    );
                    matrix_product(
                        turned(scores, length),
                        part(&text[column..], 3 * width),
                        &mut target[width + column..],
                        3 * width,
                        [length, length, self.size],
                    );
                }
            });
    }
}

struct Softmax;

impl Kernel<(&mut [f32], usize, f32)> for Softmax {
    #[inline(always)]
    fn run((scores, length, factor): (&mut [f32], usize, f32)) {
        for row in scores.chunks_exact_mut(length) {
            softmax(row, factor);
        }
    }
}

struct SoftmaxBackward;

impl Kernel<(&mut [f32], &[f32], usize, f32)> for SoftmaxBackward {
    #[inline(always)]
    fn run((gradient, weights, length, factor): (&mut [f32], &[f32], usize, f32)) {
        let rows = gradient
            .chunks_exact_mut(length)
            .zip(weights.chunks_exact(length));
        for (gradient, weights) in rows {
            let mean = dot(gradient, weights);
            for (gradient, weight) in gradient.iter_mut().zip(weights) {
                *gradient = (*gradient - mean) * weight;
            }
            scale(gradient, factor);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attention_goes_back_as_differences_do() {
        let heads = Heads { count: 2, size: 3 };
        let lengths = [3, 0, 1, 4];
        let rows: usize = lengths.iter().sum();
        let numbers = |count: usize, seed: usize| -> Vec<f32> {
            (0..count)
                .map(|i| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.5 - 1.0)
                .collect()
        };
        let projected = numbers(rows * 18, 1);
        let gradient = numbers(rows * 6, 2);
        let forward = |projected: &[f32]| {
            let mut weights = vec![0.0; heads.weights(&lengths)];
            let mut context = vec![0.0; rows * 6];
            heads.forward(projected, &lengths, &mut weights, &mut context);
            (context, weights)
        };
        let weights = forward(&projected).1;
        let mut target = vec![0.0; projected.len()];
        heads.backward(&gradient, &projected, &lengths, &weights, &mut target);
        let total = |projected: &[f32]| -> f64 {
            (forward(projected).0.iter().zip(&gradient))
                .map(|(value, weight)| f64::from(*value) * f64::from(*weight))
                .sum()
        };
        for (i, got) in target.iter().enumerate() {
            let (mut above, mut below) = (projected.clone(), projected.clone());
            above[i] += 4e-3;
            below[i] -= 4e-3;
            let expected = (total(&above) - total(&below)) / 8e-3;
            assert!(
                (f64::from(*got) - expected).abs() < 1e-3,
                "{i}: {got} {expected}"
            );
        }
    }
}
