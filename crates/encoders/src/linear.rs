//! Rows times a weight matrix: nearly all the time that an encoder takes.
//!
//! In come rows of numbers, one a token; out go rows of another width.
//! The products are made by the crate `gemm-f32`.
//! The one hard thing is that a row's result must not depend on the number of rows that are multiplied at once, or
//! the same text would get other vectors in another batch. `gemm` splits the sum over the inputs into pieces. The
//! point of the split depends on the number of rows in three cases: a single row, few rows by few outputs, and many
//! rows by few outputs. So a call never has fewer than [`LEAST_ROWS`] rows, and weights are stored input by input,
//! which avoids the first two. Matrices with few outputs and many inputs are multiplied here; a test compares every
//! number of rows with every other.
//!
//! A matrix of a large checkpoint stays in its file and is converted a band of outputs at a time.
//! Not in this file: threads. The encoder gives each thread texts of its own.

use super::parts::{Layout, Linear, Piece};
use super::unusable;
use super::vector::{Kernel, add_row, fast};
use super::weights::Weights;
use barecode_models::ModelError;

/// Outputs that are converted at a time if the weights stay in the file.
const BAND: usize = 256;

/// Rows in a call at least; buffers have room for this many.
pub(super) const LEAST_ROWS: usize = 16;

/// Matrices with at most this many outputs are not given to `gemm`, nor those with [`FEW_OUTPUTS`] and
/// [`MANY_INPUTS`].
const VERY_FEW_OUTPUTS: usize = 16;
const FEW_OUTPUTS: usize = 64;
const MANY_INPUTS: usize = 512;

/// One of the matrices of a layer.
pub(super) struct Part<'a> {
    /// The tensors' name without `.weight` and `.bias`.
    pub(super) name: &'a str,
    pub(super) outputs: usize,
}

/// The presence of a `.bias` beside the `.weight`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bias {
    Yes,
    No,
}

impl Bias {
    pub(super) fn when(given: bool) -> Self {
        if given { Self::Yes } else { Self::No }
    }
}

impl Linear {
    /// One matrix of the checkpoint.
    pub(super) fn load(
        weights: &mut Weights,
        name: &str,
        inputs: usize,
        outputs: usize,
        bias: Bias,
        layout: Layout,
    ) -> Result<Self, ModelError> {
        Self::stack(weights, &[Part { name, outputs }], inputs, bias, layout)
    }

    /// Several matrices with the same inputs as one; their outputs follow one another.
    pub(super) fn stack(
        weights: &mut Weights,
        parts: &[Part],
        inputs: usize,
        bias: Bias,
        layout: Layout,
    ) -> Result<Self, ModelError> {
        let mut linear = Self::in_file(weights, parts, inputs, bias, layout)?;
        // A narrow part would be multiplied alone, and narrow products depend on the number of rows.
        let narrow = parts.iter().any(|part| part.outputs <= FEW_OUTPUTS);
        if narrow || weights.are_held() {
            linear.hold();
        }
        Ok(linear)
    }

    /// The same, converted at every use.
    fn in_file(
        weights: &mut Weights,
        parts: &[Part],
        inputs: usize,
        bias: Bias,
        layout: Layout,
    ) -> Result<Self, ModelError> {
        let outputs = parts.iter().map(|part| part.outputs).sum();
        if inputs == 0 || outputs == 0 {
            return Err(unusable(
                "a layer has no inputs or outputs by `config.json`".to_owned(),
                None,
            ));
        }
        let mut pieces = Vec::new();
        let mut biases = Vec::new();
        for part in parts {
            let shape = match layout {
                Layout::Outputs => [part.outputs, inputs],
                Layout::Inputs => [inputs, part.outputs],
            };
            let weight = weights.tensor(&format!("{}.weight", part.name), &shape)?;
            let mut place = None;
            if bias == Bias::Yes {
                let bias = weights.vector(&format!("{}.bias", part.name), part.outputs)?;
                place = Some(bias.place);
                biases.extend(bias.values);
            }
            pieces.push(Piece {
                weight,
                bias: place,
                outputs: part.outputs,
            });
        }
        Ok(Linear {
            inputs,
            outputs,
            layout,
            pieces,
            held: None,
            bias: (bias == Bias::Yes).then_some(biases),
        })
    }

    /// Puts the outputs into another order: output `i` becomes what output `order[i]` was.
    pub(super) fn reorder(&mut self, order: &[usize]) {
        self.hold();
        let held = self.held.iter_mut();
        for row in held.flat_map(|held| held.chunks_exact_mut(self.outputs)) {
            let old = row.to_vec();
            for (value, &from) in row.iter_mut().zip(order) {
                *value = old[from];
            }
        }
        if let Some(bias) = &mut self.bias {
            *bias = order.iter().map(|&from| bias[from]).collect();
        }
    }

    /// Brings the matrix into memory.
    fn hold(&mut self) {
        if self.held.is_some() {
            return;
        }
        let mut values = vec![0.0; self.inputs * self.outputs];
        let mut column = 0;
        let mut rows = Vec::new();
        for piece in &self.pieces {
            for first in (0..piece.outputs).step_by(BAND) {
                let width = BAND.min(piece.outputs - first);
                let target = &mut values[column + first..];
                self.convert(piece, first, width, &mut rows, target, self.outputs);
            }
            column += piece.outputs;
        }
        self.held = Some(values);
    }

    /// The outputs of every row, replacing the content of `output`.
    pub(super) fn apply(&self, input: &Rows, output: &mut Rows, scratch: &mut Band) {
        if let Some(bias) = self.apply_without_bias(input, output, scratch) {
            add_row(output.all_mut(), bias);
        }
    }

    /// The products of every row, and the bias that must still be added to each; a caller that goes over the rows
    /// again adds it.
    pub(super) fn apply_without_bias(
        &self,
        input: &Rows,
        output: &mut Rows,
        scratch: &mut Band,
    ) -> Option<&[f32]> {
        output.reshape(input.count, self.outputs);
        self.multiply(&input.values, &mut output.values, input.count, scratch);
        self.bias.as_deref()
    }

    fn multiply(&self, input: &[f32], output: &mut [f32], rows: usize, scratch: &mut Band) {
        let rows = rows.max(LEAST_ROWS);
        if self.outputs <= VERY_FEW_OUTPUTS
            || self.outputs <= FEW_OUTPUTS && self.inputs > MANY_INPUTS
        {
            return self.multiply_few(input, output, rows);
        }
        if let Some(values) = &self.held {
            let sizes = [rows, self.inputs, self.outputs];
            return product(input, values, self.outputs, output, self.outputs, sizes);
        }
        let mut column = 0;
        for piece in &self.pieces {
            for first in (0..piece.outputs).step_by(BAND) {
                // The last band overlaps the one before rather than being narrow.
                let first = first.min(piece.outputs.saturating_sub(BAND));
                let width = BAND.min(piece.outputs);
                let Band { values, rows: room } = &mut *scratch;
                values.resize(self.inputs * width, 0.0);
                self.convert(piece, first, width, room, values, width);
                let target = &mut output[column + first..];
                let sizes = [rows, self.inputs, width];
                product(input, values, width, target, self.outputs, sizes);
            }
            column += piece.outputs;
        }
    }

    /// Row by row, adding input by input.
    fn multiply_few(&self, input: &[f32], output: &mut [f32], rows: usize) {
        let values = self.held.as_deref().expect("narrow matrices are held");
        let sizes = [self.inputs, self.outputs, rows];
        fast::<AddByInput, _>((input, output, values, sizes));
    }

    /// Outputs `first..first + width` of a piece, input by input, into rows of `stride` numbers.
    fn convert(
        &self,
        piece: &Piece,
        first: usize,
        width: usize,
        room: &mut Vec<f32>,
        target: &mut [f32],
        stride: usize,
    ) {
        const SIDE: usize = 16;
        let inputs = self.inputs;
        if self.layout == Layout::Inputs {
            for input in 0..inputs {
                let row = &mut target[input * stride..input * stride + width];
                piece.weight.read(input * piece.outputs + first, row);
            }
            return;
        }
        room.resize(SIDE * inputs, 0.0);
        for band in (0..width).step_by(SIDE) {
            let side = SIDE.min(width - band);
            let rows = &mut room[..side * inputs];
            piece.weight.read((first + band) * inputs, rows);
            for input in 0..inputs {
                let row = &mut target[input * stride + band..input * stride + band + side];
                for (output, value) in row.iter_mut().enumerate() {
                    *value = rows[output * inputs + input];
                }
            }
        }
    }
}

/// The products of some rows, adding input by input.
struct AddByInput;

impl Kernel<(&[f32], &mut [f32], &[f32], [usize; 3])> for AddByInput {
    /// The numbers are inputs, outputs and rows.
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instructions chosen at run time"
    )]
    #[inline(always)]
    fn run((input, output, weights, sizes): (&[f32], &mut [f32], &[f32], [usize; 3])) {
        let [inputs, outputs, rows] = sizes;
        let pairs = input
            .chunks_exact(inputs)
            .zip(output.chunks_exact_mut(outputs));
        for (x, y) in pairs.take(rows) {
            y.fill(0.0);
            for (x, weights) in x.iter().zip(weights.chunks_exact(outputs)) {
                for (y, weight) in y.iter_mut().zip(weights) {
                    *y = x.mul_add(*weight, *y);
                }
            }
        }
    }
}

/// Room for a band of converted weights.
#[derive(Default)]
pub(super) struct Band {
    values: Vec<f32>,
    rows: Vec<f32>,
}

/// Rows of equal width, with room for [`LEAST_ROWS`].
#[derive(Default)]
pub(super) struct Rows {
    pub(super) values: Vec<f32>,
    pub(super) count: usize,
    pub(super) width: usize,
}

impl Rows {
    /// Makes room; the content afterwards is arbitrary.
    pub(super) fn reshape(&mut self, count: usize, width: usize) {
        self.count = count;
        self.width = width;
        let needed = count.max(LEAST_ROWS) * width;
        if self.values.len() < needed {
            self.values.resize(needed, 0.0);
        }
    }

    /// The numbers of all rows.
    pub(super) fn all(&self) -> &[f32] {
        &self.values[..self.count * self.width]
    }

    /// The numbers of all rows, to change.
    pub(super) fn all_mut(&mut self) -> &mut [f32] {
        &mut self.values[..self.count * self.width]
    }
}

/// `output = input * weights`, each row by row; `sizes` are rows, inputs and outputs.
fn product(
    input: &[f32],
    weights: &[f32],
    weights_stride: usize,
    output: &mut [f32],
    output_stride: usize,
    sizes: [usize; 3],
) {
    let [rows, inputs, outputs] = sizes;
    matrix_product(
        View {
            values: input,
            row: inputs,
            column: 1,
        },
        View {
            values: weights,
            row: weights_stride,
            column: 1,
        },
        output,
        output_stride,
        [rows, inputs, outputs],
    );
}

/// A matrix within a slice.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Its numbers, from the first on.
    pub values: &'a [f32],
    /// From a row to the next.
    pub row: usize,
    /// From a column to the next.
    pub column: usize,
}

impl View<'_> {
    /// Returns `true` if a matrix of this many rows and columns is within the slice.
    fn holds(&self, rows: usize, columns: usize) -> bool {
        (rows - 1) * self.row + (columns - 1) * self.column < self.values.len()
    }
}

/// `target = left * right`, where `sizes` are rows of the left, columns of the left, columns of the right.
pub fn matrix_product(
    left: View,
    right: View,
    target: &mut [f32],
    stride: usize,
    sizes: [usize; 3],
) {
    multiply(left, right, target, stride, sizes, false);
}

/// `target = target + left * right`; `sizes` as in [`matrix_product`].
pub fn add_matrix_product(
    left: View,
    right: View,
    target: &mut [f32],
    stride: usize,
    sizes: [usize; 3],
) {
    multiply(left, right, target, stride, sizes, true);
}

#[expect(unsafe_code, reason = "the matrix product takes pointers and strides")]
fn multiply(
    left: View,
    right: View,
    target: &mut [f32],
    stride: usize,
    sizes: [usize; 3],
    onto: bool,
) {
    let [rows, inner, columns] = sizes;
    assert!(
        rows > 0 && inner > 0 && columns > 0 && columns <= stride,
        "a product has no size"
    );
    assert!(
        left.holds(rows, inner) && right.holds(inner, columns),
        "a factor lies outside its numbers"
    );
    assert!(
        (rows - 1) * stride + columns <= target.len(),
        "a product lies outside its numbers"
    );
    let signed = |stride: usize| isize::try_from(stride).expect("a stride within a slice");
    // The kernel's columns are neighbors in memory, so it is given the product of the transposed factors.
    // SAFETY: the three matrices were just checked to be within their slices, strides are not negative, and `target`
    // is borrowed for itself alone, its rows not overlapping.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            columns,
            rows,
            inner,
            target.as_mut_ptr(),
            signed(stride),
            1,
            onto,
            right.values.as_ptr(),
            signed(right.row),
            signed(right.column),
            left.values.as_ptr(),
            signed(left.row),
            signed(left.column),
            f32::from(onto),
            1.0,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}

#[cfg(test)]
impl Linear {
    /// A layer of these weights, input by input.
    pub(super) fn made(
        inputs: usize,
        outputs: usize,
        weights: Vec<f32>,
        bias: Option<Vec<f32>>,
    ) -> Self {
        Linear {
            inputs,
            outputs,
            layout: Layout::Outputs,
            pieces: Vec::new(),
            held: Some(weights),
            bias,
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

    fn linear(inputs: usize, outputs: usize) -> Linear {
        let bias = Some(numbers(outputs, 2));
        Linear::made(inputs, outputs, numbers(inputs * outputs, 1), bias)
    }

    fn rows(values: &[f32], width: usize) -> Rows {
        let mut rows = Rows::default();
        rows.reshape(values.len() / width, width);
        rows.values[..values.len()].copy_from_slice(values);
        rows
    }

    #[test]
    fn a_row_gives_the_same_bits_among_any_number_of_rows() {
        let shapes = [
            (384, 1536),
            (1536, 384),
            (768, 2304),
            (3072, 768),
            (32, 96),
            (64, 32),
            (768, 1),
            (768, 48),
            (768, 64),
            (768, 65),
            (1024, 100),
            (37, 41),
            (5000, 70),
            (512, 16),
            (20, 1),
        ];
        for (inputs, outputs) in shapes {
            let linear = linear(inputs, outputs);
            let input = numbers(300 * inputs, 3);
            let (mut all, mut band) = (Rows::default(), Band::default());
            linear.apply(&rows(&input, inputs), &mut all, &mut band);
            for count in (1..80).chain([100, 127, 128, 129, 200, 255, 257, 299]) {
                // The same rows at another index, among fewer.
                for start in [0, 300 - count] {
                    let part = &input[start * inputs..(start + count) * inputs];
                    let mut some = Rows::default();
                    linear.apply(&rows(part, inputs), &mut some, &mut band);
                    let expected = &all.all()[start * outputs..(start + count) * outputs];
                    let same = some
                        .all()
                        .iter()
                        .zip(expected)
                        .all(|(a, b)| a.to_bits() == b.to_bits());
                    assert!(
                        same,
                        "{inputs} inputs, {outputs} outputs, {count} rows from {start}"
                    );
                }
            }
        }
    }

    #[test]
    fn weights_that_stay_in_the_file_give_the_same_bits() {
        let (inputs, sizes) = (40, [600, 256, 70]);
        let folder = tempfile::tempdir().unwrap();
        let data: Vec<(String, Vec<u8>, usize)> = sizes
            .into_iter()
            .map(|outputs| {
                let values = numbers(inputs * outputs, outputs);
                let bytes = values
                    .iter()
                    .flat_map(|value| value.to_le_bytes())
                    .collect();
                (format!("of{outputs}.weight"), bytes, outputs)
            })
            .collect();
        for layout in [Layout::Outputs, Layout::Inputs] {
            let views = data.iter().map(|(name, bytes, outputs)| {
                let shape = match layout {
                    Layout::Outputs => vec![*outputs, inputs],
                    Layout::Inputs => vec![inputs, *outputs],
                };
                let view =
                    safetensors::tensor::TensorView::new(safetensors::Dtype::F32, shape, bytes);
                (name.clone(), view.unwrap())
            });
            let file = folder.path().join("model.safetensors");
            std::fs::write(&file, safetensors::serialize(views, None).unwrap()).unwrap();
            let mut weights = Weights::open(folder.path()).unwrap();
            let names = sizes.map(|outputs| format!("of{outputs}"));
            let parts: Vec<Part> = names
                .iter()
                .zip(sizes)
                .map(|(name, outputs)| Part { name, outputs })
                .collect();
            let mut results = Vec::new();
            for held in [false, true] {
                let mut linear =
                    Linear::in_file(&mut weights, &parts, inputs, Bias::No, layout).unwrap();
                if held {
                    linear.hold();
                }
                let (mut output, mut band) = (Rows::default(), Band::default());
                linear.apply(
                    &rows(&numbers(33 * inputs, 3), inputs),
                    &mut output,
                    &mut band,
                );
                results.push(
                    output
                        .all()
                        .iter()
                        .map(|value| value.to_bits())
                        .collect::<Vec<u32>>(),
                );
            }
            assert!(results[0] == results[1], "{layout:?}");
        }
    }

    #[test]
    fn the_product_is_the_sum_of_products() {
        for (inputs, outputs) in [(300, 70), (768, 3), (17, 5)] {
            let linear = linear(inputs, outputs);
            let input = numbers(5 * inputs, 4);
            let (mut output, mut band) = (Rows::default(), Band::default());
            linear.apply(&rows(&input, inputs), &mut output, &mut band);
            let weights = linear.held.as_ref().unwrap();
            for row in 0..5 {
                for column in 0..outputs {
                    let sum: f64 = (0..inputs)
                        .map(|i| {
                            f64::from(input[row * inputs + i])
                                * f64::from(weights[i * outputs + column])
                        })
                        .sum();
                    let expected = sum + f64::from(linear.bias.as_ref().unwrap()[column]);
                    let got = f64::from(output.all()[row * outputs + column]);
                    assert!(
                        (got - expected).abs() < 1e-4,
                        "{row} {column}: {got} {expected}"
                    );
                }
            }
        }
    }
}
