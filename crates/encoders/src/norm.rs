//! Norms: every token's row brought to one size.
//!
//! In come rows, out go the same rows, normed.
//! The hard thing is only to tell the kinds apart: by mean and variance (BERT and its line) or by the mean square
//! (T5, Qwen, Mistral), the latter in Gemma with weights that are stored less one.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instructions chosen at run time"
)]

use super::linear::Rows;
use super::vector::{Kernel, add, fast, layer_norm, rms_norm};
use super::weights::Weights;
use barecode_models::ModelError;

/// A norm with its weights.
pub(super) struct Norm {
    pub(super) kind: Kind,
    pub(super) weight: Vec<f32>,
    pub(super) bias: Option<Vec<f32>>,
    pub(super) epsilon: f32,
}

/// What a row's size is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Layer,
    RootMeanSquare,
}

impl Norm {
    /// Mean and variance, with `.weight` and `.bias`.
    pub(super) fn layer(
        weights: &mut Weights,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> Result<Self, ModelError> {
        let bias = weights.vector(&format!("{name}.bias"), width)?;
        Ok(Norm {
            bias: Some(bias),
            ..Self::layer_without_bias(weights, name, width, epsilon)?
        })
    }

    /// Mean and variance, with `.weight` alone.
    pub(super) fn layer_without_bias(
        weights: &mut Weights,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> Result<Self, ModelError> {
        let weight = weights.vector(&format!("{name}.weight"), width)?;
        Ok(Norm {
            kind: Kind::Layer,
            weight,
            bias: None,
            epsilon,
        })
    }

    /// Mean square, with `.weight` plus `offset`.
    pub(super) fn root_mean_square(
        weights: &mut Weights,
        name: &str,
        width: usize,
        epsilon: f32,
        offset: f32,
    ) -> Result<Self, ModelError> {
        let mut weight = weights.vector(&format!("{name}.weight"), width)?;
        for value in &mut weight {
            *value += offset;
        }
        Ok(Norm {
            kind: Kind::RootMeanSquare,
            weight,
            bias: None,
            epsilon,
        })
    }

    /// Norms every row of as many numbers as there are weights.
    pub(super) fn apply(&self, rows: &mut [f32]) {
        fast::<EachRow, _>((self, rows));
    }

    /// Norms some numbers of every row: `width` at each multiple of the weights' number from `column` on.
    pub(super) fn apply_within(
        &self,
        rows: &mut [f32],
        stride: usize,
        column: usize,
        width: usize,
    ) {
        fast::<EachPart, _>((self, rows, [stride, column, width]));
    }

    /// The normed rows, leaving those that came.
    pub(super) fn apply_to(&self, rows: &Rows, target: &mut Rows) {
        target.reshape(rows.count, rows.width);
        target.all_mut().copy_from_slice(rows.all());
        self.apply(target.all_mut());
    }

    /// Adds rows to rows, and norms the sums.
    pub(super) fn add_and_apply(&self, rows: &mut Rows, others: &Rows) {
        fast::<EachSum, _>((self, rows.all_mut(), others.all()));
    }

    #[inline(always)]
    fn row(&self, row: &mut [f32]) {
        match self.kind {
            Kind::Layer => layer_norm(row, &self.weight, self.bias.as_deref(), self.epsilon),
            Kind::RootMeanSquare => rms_norm(row, &self.weight, self.epsilon),
        }
    }
}

struct EachRow;

impl Kernel<(&Norm, &mut [f32])> for EachRow {
    #[inline(always)]
    fn run((norm, rows): (&Norm, &mut [f32])) {
        for row in rows.chunks_exact_mut(norm.weight.len()) {
            norm.row(row);
        }
    }
}

struct EachPart;

impl Kernel<(&Norm, &mut [f32], [usize; 3])> for EachPart {
    #[inline(always)]
    fn run((norm, rows, [stride, column, width]): (&Norm, &mut [f32], [usize; 3])) {
        for row in rows.chunks_exact_mut(stride) {
            for part in row[column..column + width].chunks_exact_mut(norm.weight.len()) {
                norm.row(part);
            }
        }
    }
}

struct EachSum;

impl Kernel<(&Norm, &mut [f32], &[f32])> for EachSum {
    #[inline(always)]
    fn run((norm, rows, others): (&Norm, &mut [f32], &[f32])) {
        let width = norm.weight.len();
        for (row, other) in rows.chunks_exact_mut(width).zip(others.chunks_exact(width)) {
            add(row, other);
            norm.row(row);
        }
    }
}
