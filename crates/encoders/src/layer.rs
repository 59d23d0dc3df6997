//! The tensors of one layer, by the end of their names.
//!
//! In come a checkpoint and the prefix of the names of a layer, out come the layer's matrices and norms.

use barecode_models::ModelError;

use super::linear::{Bias, Part};
use super::parts::{Layout, Linear, Norm};
use super::weights::Weights;

/// The common properties of the tensors of a layer.
pub(super) struct LayerTensors<'w> {
    weights: &'w mut Weights,
    /// The prefix of their names, without the dot.
    name: String,
    layout: Layout,
    epsilon: f32,
}

impl<'w> LayerTensors<'w> {
    /// The tensors `NAME.…`, matrices output by output; `epsilon` is that of the norms.
    pub(super) fn new(weights: &'w mut Weights, name: String, epsilon: f32) -> Self {
        LayerTensors {
            weights,
            name,
            layout: Layout::Outputs,
            epsilon,
        }
    }

    /// The same with matrices of another layout.
    pub(super) fn laid_out(self, layout: Layout) -> Self {
        LayerTensors { layout, ..self }
    }

    /// Returns `true` if a tensor of this name exists.
    pub(super) fn has(&self, part: &str) -> bool {
        self.weights.has(&format!("{}.{part}", self.name))
    }

    /// One matrix.
    pub(super) fn linear(
        &mut self,
        part: &str,
        inputs: usize,
        outputs: usize,
        bias: Bias,
    ) -> Result<Linear, ModelError> {
        self.stack(&[(part, outputs)], inputs, bias)
    }

    /// Several matrices with the same inputs as one, each with its outputs.
    pub(super) fn stack(
        &mut self,
        parts: &[(&str, usize)],
        inputs: usize,
        bias: Bias,
    ) -> Result<Linear, ModelError> {
        let whole = parts
            .iter()
            .map(|(part, outputs)| (format!("{}.{part}", self.name), *outputs));
        let named: Vec<(String, usize)> = whole.collect();
        let parts: Vec<Part> = named
            .iter()
            .map(|(name, outputs)| Part {
                name,
                outputs: *outputs,
            })
            .collect();
        Linear::stack(self.weights, &parts, inputs, bias, self.layout)
    }

    /// A norm by mean and variance.
    pub(super) fn norm(&mut self, part: &str, width: usize) -> Result<Norm, ModelError> {
        let name = format!("{}.{part}", self.name);
        Norm::layer(self.weights, &name, width, self.epsilon)
    }

    /// A norm by the mean square, whose weights are stored less `offset`.
    pub(super) fn square_norm(
        &mut self,
        part: &str,
        width: usize,
        offset: f32,
    ) -> Result<Norm, ModelError> {
        let name = format!("{}.{part}", self.name);
        Norm::root_mean_square(self.weights, &name, width, self.epsilon, offset)
    }
}
