//! Norms: every token's row brought to one size.
//!
//! In come rows, out go the same rows, normed.
//! The only difficulty is to distinguish the kinds: by mean and variance (BERT and its line) or by the mean square
//! (T5, Qwen, Mistral), the latter in Gemma with weights that are stored less one.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instructions chosen at run time"
)]

use super::linear::Rows;
use super::parts::{Norm, NormKind};
use super::vector::{Kernel, add, fast, layer_norm, rms_norm};
use super::weights::Weights;
use barecode_models::ModelError;

impl Norm {
    /// Mean and variance, with `.weight` and `.bias`.
    pub(super) fn layer(
        weights: &mut Weights,
        name: &str,
        width: usize,
        epsilon: f32,
    ) -> Result<Self, ModelError> {
        let mut norm = Self::layer_without_bias(weights, name, width, epsilon)?;
        norm.bias = Some(weights.vector(&format!("{name}.bias"), width)?);
        Ok(norm)
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
            kind: NormKind::Layer,
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
        for value in &mut weight.values {
            *value += offset;
        }
        Ok(Norm {
            kind: NormKind::RootMeanSquare,
            weight,
            bias: None,
            epsilon,
        })
    }

    /// Norms every row, which has one number for each weight.
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

    /// The normed rows; the input stays as it is.
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
            NormKind::Layer => {
                let bias = self.bias.as_ref().map(|bias| &bias.values[..]);
                layer_norm(row, &self.weight.values, bias, self.epsilon);
            }
            NormKind::RootMeanSquare => rms_norm(row, &self.weight.values, self.epsilon),
        }
    }
}

struct EachRow;

impl Kernel<(&Norm, &mut [f32])> for EachRow {
    #[inline(always)]
    fn run((norm, rows): (&Norm, &mut [f32])) {
        for row in rows.chunks_exact_mut(norm.weight.values.len()) {
            norm.row(row);
        }
    }
}

struct EachPart;

impl Kernel<(&Norm, &mut [f32], [usize; 3])> for EachPart {
    #[inline(always)]
    fn run((norm, rows, [stride, column, width]): (&Norm, &mut [f32], [usize; 3])) {
        for row in rows.chunks_exact_mut(stride) {
            for part in row[column..column + width].chunks_exact_mut(norm.weight.values.len()) {
                norm.row(part);
            }
        }
    }
}

struct EachSum;

impl Kernel<(&Norm, &mut [f32], &[f32])> for EachSum {
    #[inline(always)]
    fn run((norm, rows, others): (&Norm, &mut [f32], &[f32])) {
        let width = norm.weight.values.len();
        for (row, other) in rows.chunks_exact_mut(width).zip(others.chunks_exact(width)) {
            add(row, other);
            norm.row(row);
        }
    }
}
