//! Attention, forward and backward: every token takes a weighted mean of the values of its text's tokens.
//!
//! In come rows of queries, keys and values, one text after another without padding; out go rows of one width, and on the
//! way back the gradients of queries, keys and values. A text is what one thread works on at a time. The way forward is
//! that of all encoders, with its weights kept.
//!
//! Not in this file: masks. No text sees another, and every token sees all of its own.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instructions chosen at run time"
)]

use rayon::prelude::*;

use super::rows::{plain, turned};
use crate::linear::{View, matrix_product};
use crate::parts::Attention;
use crate::vector::{Kernel, dot, fast, scale};

/// Cuts a slice into one piece for each text, of `size` numbers for its length.
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

/// The start of each text, and its length.
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

impl Attention {
    /// Numbers of all heads together.
    fn width(&self) -> usize {
        self.heads * self.size
    }

    /// The number of weights of texts of these lengths: one for each head, query and key.
    pub(super) fn count_weights(&self, lengths: &[usize]) -> usize {
        lengths
            .iter()
            .map(|length| self.heads * length * length)
            .sum()
    }

    /// The context of every token, and its weights. `projected` are queries, keys and values.
    pub(super) fn forward(
        &self,
        projected: &[f32],
        lengths: &[usize],
        weights: &mut [f32],
        context: &mut [f32],
    ) {
        let width = self.width();
        let weights = pieces(weights, lengths, |length| self.heads * length * length);
        let context = pieces(context, lengths, |length| length * width);
        starts(lengths)
            .into_par_iter()
            .zip(weights)
            .zip(context)
            .filter(|(((_, length), _), _)| *length > 0)
            .for_each(|(((first, length), weights), context)| {
                let text = &projected[first * 3 * width..(first + length) * 3 * width];
                self.attend(text, length, context, (weights, true), &mut Vec::new());
            });
    }

    /// The gradient of `projected`, from that of the context and from what [`forward`](Attention::forward) left.
    pub(super) fn backward(
        &self,
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
                let size = self.heads * length * length;
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
                self.text_backward(gradient, text, length, (weights, scores), target);
            });
    }

    /// One text; `scores` is room for those of a head.
    fn text_backward(
        &self,
        gradient: &[f32],
        text: &[f32],
        length: usize,
        (weights, scores): (&[f32], &mut [f32]),
        target: &mut [f32],
    ) {
        let (width, size) = (self.width(), self.size);
        for (head, weights) in weights.chunks_exact(length * length).enumerate() {
            let column = head * size;
            let gradient = &gradient[column..];
            let [queries, keys, values] =
                [0, width, 2 * width].map(|part| plain(&text[part + column..], 3 * width));
            let mut product = |left: View<'_>, right: View<'_>, part: usize| {
                let target = &mut target[part + column..];
                matrix_product(left, right, target, 3 * width, [length, length, size]);
            };
            // Values: the transposed weights times the gradient.
            product(turned(weights, length), plain(gradient, width), 2 * width);
            // Weights, then scores.
            let values = turned(values.values, 3 * width);
            let sizes = [length, size, length];
            matrix_product(plain(gradient, width), values, scores, length, sizes);
            fast::<SoftmaxBackward, _>((&mut *scores, weights, length, self.factor));
            product(plain(scores, length), keys, 0);
            product(turned(scores, length), queries, width);
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
    use crate::parts::Linear;

    #[test]
    fn attention_goes_back_as_differences_do() {
        let none = || Linear::made(6, 6, Vec::new(), None);
        let heads = Attention::plain(none(), none(), 2, 3);
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
            let mut weights = vec![0.0; heads.count_weights(&lengths)];
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
