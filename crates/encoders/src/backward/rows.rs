//! Rows of numbers, forward and backward: dense layers, norms, the activation.
//!
//! In come rows, one a token; out go rows, or the change of a loss for a change of each of their numbers (a
//! gradient). A row-wise part is cut into blocks of [`BLOCK`] rows, and the gradient of a matrix into bands of
//! [`BAND`] outputs. Blocks and bands are the work of one thread at a time. Their sizes are constants, and sums over
//! rows are added block by block in their order, so the bits of every result are the same on any number of threads.
//!
//! This file knows no network.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instructions chosen at run time"
)]

use rayon::prelude::*;

use crate::linear::{View, add_matrix_product, matrix_product};
use crate::vector::{Activation, Kernel, add, dot, erf, exp, fast, sum};

/// Rows that one thread works on at a time.
const BLOCK: usize = 128;

/// Outputs of a matrix whose gradient one thread computes at a time.
const BAND: usize = 96;

/// A matrix of `outputs` rows of `inputs` numbers each, as `torch.nn.Linear` stores it, with its bias.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dense<'a> {
    pub(super) weight: &'a [f32],
    pub(super) bias: &'a [f32],
    pub(super) inputs: usize,
}

/// The columns of wider rows that a dense layer writes or reads: from `first` on, in rows of `stride` numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Columns {
    pub(super) stride: usize,
    pub(super) first: usize,
}

/// A matrix within rows of `stride` numbers.
pub(super) fn plain(values: &[f32], stride: usize) -> View<'_> {
    View {
        values,
        row: stride,
        column: 1,
    }
}

/// The same matrix, transposed.
pub(super) fn turned(values: &[f32], stride: usize) -> View<'_> {
    View {
        values,
        row: 1,
        column: stride,
    }
}

impl Dense<'_> {
    fn outputs(&self) -> usize {
        self.bias.len()
    }

    /// `output = input * weightᵀ + bias`, row by row.
    pub(super) fn forward(&self, input: &[f32], output: &mut [f32], columns: Columns) {
        let (inputs, outputs) = (self.inputs, self.outputs());
        output
            .par_chunks_mut(BLOCK * columns.stride)
            .zip(input.par_chunks(BLOCK * inputs))
            .for_each(|(output, input)| {
                matrix_product(
                    plain(input, inputs),
                    turned(self.weight, inputs),
                    &mut output[columns.first..],
                    columns.stride,
                    [input.len() / inputs, inputs, outputs],
                );
                fast::<AddBias, _>((output, columns, self.bias));
            });
    }

    /// Adds `gradient * weight` to the gradient of the input, or puts it there.
    pub(super) fn backward_input(
        &self,
        gradient: &[f32],
        columns: Columns,
        input: &mut [f32],
        onto: Onto,
    ) {
        let (inputs, outputs) = (self.inputs, self.outputs());
        input
            .par_chunks_mut(BLOCK * inputs)
            .zip(gradient.par_chunks(BLOCK * columns.stride))
            .for_each(|(input, gradient)| {
                let sizes = [input.len() / inputs, outputs, inputs];
                let left = plain(&gradient[columns.first..], columns.stride);
                let right = plain(self.weight, inputs);
                match onto {
                    Onto::Sum => add_matrix_product(left, right, input, inputs, sizes),
                    Onto::Fresh => matrix_product(left, right, input, inputs, sizes),
                }
            });
    }
}

/// The effect of a gradient on a target: added to its numbers, or written over them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onto {
    Sum,
    Fresh,
}

/// Adds `gradientᵀ * input` to the gradient of a matrix.
pub(super) fn backward_weight(
    gradient: &[f32],
    columns: Columns,
    input: &[f32],
    inputs: usize,
    weight: &mut [f32],
) {
    let rows = input.len() / inputs;
    if rows == 0 {
        return;
    }
    weight
        .par_chunks_mut(BAND * inputs)
        .enumerate()
        .for_each(|(band, weight)| {
            add_matrix_product(
                turned(&gradient[columns.first + band * BAND..], columns.stride),
                plain(input, inputs),
                weight,
                inputs,
                [weight.len() / inputs, rows, inputs],
            );
        });
}

/// Adds the sum of the rows of a gradient to the gradient of a bias.
pub(super) fn backward_bias(gradient: &[f32], columns: Columns, bias: &mut [f32]) {
    let width = bias.len();
    let sums: Vec<Vec<f32>> = gradient
        .par_chunks(BLOCK * columns.stride)
        .map(|rows| {
            let mut sum = vec![0.0; width];
            fast::<SumRows, _>((rows, columns, &mut sum[..]));
            sum
        })
        .collect();
    for sum in &sums {
        add(bias, sum);
    }
}

struct AddBias;

impl Kernel<(&mut [f32], Columns, &[f32])> for AddBias {
    #[inline(always)]
    fn run((rows, columns, bias): (&mut [f32], Columns, &[f32])) {
        for row in rows.chunks_exact_mut(columns.stride) {
            add(&mut row[columns.first..columns.first + bias.len()], bias);
        }
    }
}

struct SumRows;

impl Kernel<(&[f32], Columns, &mut [f32])> for SumRows {
    #[inline(always)]
    fn run((rows, columns, sum): (&[f32], Columns, &mut [f32])) {
        let width = sum.len();
        for row in rows.chunks_exact(columns.stride) {
            add(sum, &row[columns.first..columns.first + width]);
        }
    }
}

/// Weight and bias of a layer norm.
#[derive(Debug, Clone, Copy)]
pub(super) struct NormOf<'a> {
    pub(super) weight: &'a [f32],
    pub(super) bias: &'a [f32],
    pub(super) epsilon: f32,
}

impl NormOf<'_> {
    /// Adds `residual` to every row if it has numbers, and norms the sums.
    ///
    /// `rows` leave with mean 0 and variance 1, before weight and bias, as the way back needs them; `scales` are one
    /// number a row, the inverse of its standard deviation; `output` has weight and bias applied.
    pub(super) fn forward(
        &self,
        rows: &mut [f32],
        residual: Option<&[f32]>,
        scales: &mut [f32],
        output: &mut [f32],
    ) {
        let width = self.weight.len();
        let size = BLOCK * width;
        rows.par_chunks_mut(size)
            .zip(output.par_chunks_mut(size))
            .zip(scales.par_chunks_mut(BLOCK))
            .enumerate()
            .for_each(|(block, ((rows, output), scales))| {
                let residual = residual.map(|all| &all[block * size..block * size + rows.len()]);
                fast::<NormForward, _>((self, rows, residual, scales, output));
            });
    }

    /// Turns the gradient of the output into that of the input, in place, and adds to those of weight and bias.
    pub(super) fn backward(
        &self,
        gradient: &mut [f32],
        normed: &[f32],
        scales: &[f32],
        own: Option<(&mut [f32], &mut [f32])>,
    ) {
        let width = self.weight.len();
        let wanted = own.is_some();
        let sums: Vec<(Vec<f32>, Vec<f32>)> = gradient
            .par_chunks_mut(BLOCK * width)
            .zip(normed.par_chunks(BLOCK * width))
            .zip(scales.par_chunks(BLOCK))
            .map(|((gradient, normed), scales)| {
                let size = if wanted { width } else { 0 };
                let (mut weight, mut bias) = (vec![0.0; size], vec![0.0; size]);
                let sums = (&mut weight[..], &mut bias[..]);
                fast::<NormBackward, _>((self, gradient, normed, scales, sums));
                (weight, bias)
            })
            .collect();
        if let Some((weight, bias)) = own {
            for (weights, biases) in &sums {
                add(weight, weights);
                add(bias, biases);
            }
        }
    }
}

struct NormForward;

type NormForwardArguments<'a> = (
    &'a NormOf<'a>,
    &'a mut [f32],
    Option<&'a [f32]>,
    &'a mut [f32],
    &'a mut [f32],
);

impl<'a> Kernel<NormForwardArguments<'a>> for NormForward {
    #[inline(always)]
    fn run((norm, rows, residual, scales, output): NormForwardArguments<'a>) {
        let width = norm.weight.len();
        if let Some(residual) = residual {
            add(rows, residual);
        }
        let pairs = rows
            .chunks_exact_mut(width)
            .zip(output.chunks_exact_mut(width));
        for ((row, output), scale) in pairs.zip(scales) {
            let mean = sum(row) / width as f32;
            for value in row.iter_mut() {
                *value -= mean;
            }
            let variance = dot(row, row) / width as f32;
            *scale = 1.0 / (variance + norm.epsilon).sqrt();
            for (((value, output), weight), bias) in
                row.iter_mut().zip(output).zip(norm.weight).zip(norm.bias)
            {
                *value *= *scale;
                *output = value.mul_add(*weight, *bias);
            }
        }
    }
}

struct NormBackward;

type NormBackwardArguments<'a> = (
    &'a NormOf<'a>,
    &'a mut [f32],
    &'a [f32],
    &'a [f32],
    (&'a mut [f32], &'a mut [f32]),
);

impl<'a> Kernel<NormBackwardArguments<'a>> for NormBackward {
    #[inline(always)]
    fn run((norm, gradient, normed, scales, (weights, biases)): NormBackwardArguments<'a>) {
        let width = norm.weight.len();
        let rows = gradient
            .chunks_exact_mut(width)
            .zip(normed.chunks_exact(width));
        for ((gradient, normed), &scale) in rows.zip(scales) {
            // Both are empty if weight and bias are not trained.
            add(biases, gradient);
            for ((weight, gradient), normed) in weights.iter_mut().zip(&*gradient).zip(normed) {
                *weight = gradient.mul_add(*normed, *weight);
            }
            for (gradient, weight) in gradient.iter_mut().zip(norm.weight) {
                *gradient *= weight;
            }
            let mean = sum(gradient) / width as f32;
            let along = dot(gradient, normed) / width as f32;
            for (gradient, normed) in gradient.iter_mut().zip(normed) {
                *gradient = (*gradient - mean - normed * along) * scale;
            }
        }
    }
}

/// GELU of every number.
pub(super) fn gelu(input: &[f32], output: &mut [f32]) {
    output
        .par_chunks_mut(BLOCK * BLOCK)
        .zip(input.par_chunks(BLOCK * BLOCK))
        .for_each(|(output, input)| {
            output.copy_from_slice(input);
            Activation::Gelu.apply(output);
        });
}

/// GELU's way back: `gradient` is multiplied by the slope at `input`, in place.
pub(super) fn gelu_backward(input: &[f32], gradient: &mut [f32]) {
    gradient
        .par_chunks_mut(BLOCK * BLOCK)
        .zip(input.par_chunks(BLOCK * BLOCK))
        .for_each(|(gradient, input)| fast::<GeluSlope, _>((input, gradient)));
}

struct GeluSlope;

impl Kernel<(&[f32], &mut [f32])> for GeluSlope {
    #[inline(always)]
    fn run((input, gradient): (&[f32], &mut [f32])) {
        /// One over the root of 2π.
        const DENSITY: f32 = 0.398_942_3;
        for (gradient, &x) in gradient.iter_mut().zip(input) {
            let below = 0.5 * (1.0 + erf(x * std::f32::consts::FRAC_1_SQRT_2));
            *gradient *= (x * DENSITY).mul_add(exp(-0.5 * x * x), below);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count)
            .map(|i| ((i * 7919 + seed * 104_729) % 2003) as f32 / 1001.5 - 1.0)
            .collect()
    }

    /// The change of `sum(weights * f(x))` for a change of each number of x, by differences.
    fn differences(x: &[f32], weights: &[f32], f: impl Fn(&[f32]) -> Vec<f32>) -> Vec<f64> {
        let total = |x: &[f32]| -> f64 {
            (f(x).iter().zip(weights))
                .map(|(value, weight)| f64::from(*value) * f64::from(*weight))
                .sum()
        };
        let step = 4e-3_f32;
        (0..x.len())
            .map(|i| {
                let (mut above, mut below) = (x.to_vec(), x.to_vec());
                above[i] += step;
                below[i] -= step;
                (total(&above) - total(&below)) / (f64::from(above[i]) - f64::from(below[i]))
            })
            .collect()
    }

    fn assert_close(got: &[f32], expected: &[f64]) {
        assert_eq!(got.len(), expected.len());
        for (i, (a, b)) in got.iter().zip(expected).enumerate() {
            assert!(
                (f64::from(*a) - b).abs() < 2e-3 * b.abs().max(1.0),
                "{i}: {a} {b}"
            );
        }
    }

    #[test]
    fn a_dense_layer_goes_back_as_differences_do() {
        let (rows, inputs, outputs) = (5, 7, 3);
        let (x, w, b) = (
            numbers(rows * inputs, 1),
            numbers(outputs * inputs, 2),
            numbers(outputs, 3),
        );
        let weights = numbers(rows * outputs, 4);
        let columns = Columns {
            stride: 5,
            first: 2,
        };
        let forward = |x: &[f32], w: &[f32], b: &[f32]| {
            let dense = Dense {
                weight: w,
                bias: b,
                inputs,
            };
            let mut wide = vec![0.0; rows * columns.stride];
            dense.forward(x, &mut wide, columns);
            wide.chunks_exact(columns.stride)
                .flat_map(|row| row[2..].to_vec())
                .collect::<Vec<f32>>()
        };
        let mut gradient = vec![9.0; rows * columns.stride];
        for (row, weights) in gradient
            .chunks_exact_mut(columns.stride)
            .zip(weights.chunks_exact(outputs))
        {
            row[2..].copy_from_slice(weights);
        }
        let dense = Dense {
            weight: &w,
            bias: &b,
            inputs,
        };
        let mut input = vec![1.0; rows * inputs];
        dense.backward_input(&gradient, columns, &mut input, Onto::Sum);
        for value in &mut input {
            *value -= 1.0;
        }
        assert_close(&input, &differences(&x, &weights, |x| forward(x, &w, &b)));
        let mut weight = vec![0.0; outputs * inputs];
        backward_weight(&gradient, columns, &x, inputs, &mut weight);
        assert_close(&weight, &differences(&w, &weights, |w| forward(&x, w, &b)));
        let mut bias = vec![0.0; outputs];
        backward_bias(&gradient, columns, &mut bias);
        assert_close(&bias, &differences(&b, &weights, |b| forward(&x, &w, b)));
    }

    #[test]
    fn a_norm_goes_back_as_differences_do() {
        let (rows, width) = (4, 19);
        let x = numbers(rows * width, 1);
        let (w, b) = (numbers(width, 2), numbers(width, 3));
        let (residual, weights) = (numbers(rows * width, 4), numbers(rows * width, 5));
        let forward = |x: &[f32], w: &[f32], b: &[f32]| {
            let norm = NormOf {
                weight: w,
                bias: b,
                epsilon: 1e-12,
            };
            let (mut normed, mut scales) = (x.to_vec(), vec![0.0; rows]);
            let mut output = vec![0.0; x.len()];
            norm.forward(&mut normed, Some(&residual), &mut scales, &mut output);
            (output, normed, scales)
        };
        let norm = NormOf {
            weight: &w,
            bias: &b,
            epsilon: 1e-12,
        };
        let (_, normed, scales) = forward(&x, &w, &b);
        let mut gradient = weights.clone();
        let (mut weight, mut bias) = (vec![0.0; width], vec![0.0; width]);
        norm.backward(
            &mut gradient,
            &normed,
            &scales,
            Some((&mut weight, &mut bias)),
        );
        assert_close(
            &gradient,
            &differences(&x, &weights, |x| forward(x, &w, &b).0),
        );
        assert_close(
            &weight,
            &differences(&w, &weights, |w| forward(&x, w, &b).0),
        );
        assert_close(&bias, &differences(&b, &weights, |b| forward(&x, &w, b).0));
    }

    #[test]
    fn gelu_goes_back_as_differences_do() {
        let x: Vec<f32> = (-40..40).map(|i| i as f32 / 10.0).collect();
        let mut gradient = vec![1.0; x.len()];
        gelu_backward(&x, &mut gradient);
        let forward = |x: &[f32]| {
            let mut output = vec![0.0; x.len()];
            gelu(x, &mut output);
            output
        };
        assert_close(&gradient, &differences(&x, &vec![1.0; x.len()], forward));
    }
}
