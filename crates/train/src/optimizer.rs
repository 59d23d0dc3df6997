//! AdamW, and the numbers that it changes: whole tensors, or the adapters of dense layers (LoRA).
//!
//! In come gradients of an encoder's tensors and a learning rate; the encoder's numbers change.
//! Decay is decoupled from the gradient (Loshchilov and Hutter 2019) and, as `transformers`' trainer does, not applied to
//! biases and norms. Adapters are added to their matrices after every step, so the network knows nothing of them and an
//! export holds the sum.

#![expect(
    clippy::inline_always,
    reason = "only what is inlined is compiled for the instructions chosen at run time"
)]

use barecode_encoders::arithmetic::{Kernel, add_matrix_product, fast, matrix_product};
use barecode_encoders::backward::{Encoder, Gradients};
use barecode_records::Digest;
use rayon::prelude::*;

use crate::loss::views;
use crate::options::Options;
use crate::{Lora, TrainError};

/// Numbers that one thread works on at a time.
const PIECE: usize = 1 << 16;
const BETAS: [f64; 2] = [0.9, 0.999];
const EPSILON: f32 = 1e-8;

/// An adapter of a dense layer.
struct Adapter {
    tensor: usize,
    /// The matrix without the adapter.
    base: Vec<f32>,
    /// `rank` rows with one number for each input of the layer.
    a: Vec<f32>,
    /// One row for each output of the layer, of `rank` numbers.
    b: Vec<f32>,
    rank: usize,
    scale: f32,
}

/// Running means of gradients and of their squares.
struct Moments {
    mean: Vec<f32>,
    square: Vec<f32>,
}

/// AdamW's state, and the numbers that it trains.
pub(crate) struct Optimizer {
    plain: Vec<usize>,
    adapters: Vec<Adapter>,
    /// Of the plain tensors, then of A and B of every adapter.
    moments: Vec<Moments>,
    pub(crate) steps: u64,
    decay: f64,
    clip: Option<f64>,
}

/// Numbers in a state, by name.
pub(crate) type Named<'a> = Vec<(String, &'a [f32])>;

impl Optimizer {
    /// An optimizer for the tensors that the options select.
    ///
    /// # Errors
    /// If layers that do not exist are named or nothing is left to train.
    pub(crate) fn new(weights: &Encoder, options: &Options) -> Result<Self, TrainError> {
        let layers = weights.layers();
        if options.freeze_layers > layers {
            return Err(TrainError::invalid(
                format!(
                    "`freeze_layers` is {}, but the model has {layers} layers",
                    options.freeze_layers
                ),
                "freeze fewer layers",
            ));
        }
        let (embedding, first) = (weights.first_of(0), weights.first_of(options.freeze_layers));
        let is_free = |tensor: usize| {
            if tensor < embedding {
                !options.freeze_embeddings
            } else {
                tensor >= first
            }
        };
        let free: Vec<usize> = (0..weights.tensors.len())
            .filter(|&tensor| is_free(tensor))
            .collect();
        let (plain, adapters) = match &options.lora {
            None => (free, Vec::new()),
            Some(lora) => (Vec::new(), adapters(weights, &free, lora, options.seed)?),
        };
        if plain.is_empty() && adapters.is_empty() {
            return Err(TrainError::invalid(
                "everything is frozen, so nothing can be trained",
                "freeze fewer layers, or leave the embeddings free",
            ));
        }
        let sizes = plain
            .iter()
            .map(|&tensor| weights.tensors[tensor].values.len());
        let sizes = sizes.chain(
            adapters
                .iter()
                .flat_map(|adapter| [adapter.a.len(), adapter.b.len()]),
        );
        let moments = sizes
            .map(|size| Moments {
                mean: vec![0.0; size],
                square: vec![0.0; size],
            })
            .collect();
        Ok(Optimizer {
            plain,
            adapters,
            moments,
            steps: 0,
            decay: options.weight_decay,
            clip: options.clip,
        })
    }

    /// Returns `true` if a tensor's gradient is needed.
    pub(crate) fn trains(&self, tensor: usize) -> bool {
        self.plain.contains(&tensor) || self.adapters.iter().any(|adapter| adapter.tensor == tensor)
    }

    /// Numbers that are trained.
    pub(crate) fn count(&self) -> usize {
        self.moments.iter().map(|moments| moments.mean.len()).sum()
    }

    /// Changes the encoder by one step; returns the length of all gradients together, before it was cut.
    pub(crate) fn step(&mut self, weights: &mut Encoder, gradients: &Gradients, rate: f64) -> f64 {
        let of_adapters: Vec<[Vec<f32>; 2]> = (self.adapters.iter())
            .map(|adapter| {
                adapter.gradients(gradients.0[adapter.tensor].as_deref().unwrap_or_default())
            })
            .collect();
        let plain = self
            .plain
            .iter()
            .map(|&tensor| gradients.0[tensor].as_deref().unwrap_or_default());
        let all: Vec<&[f32]> = plain
            .chain(of_adapters.iter().flatten().map(Vec::as_slice))
            .collect();
        let length = all
            .iter()
            .map(|gradient| squares(gradient))
            .sum::<f64>()
            .sqrt();
        let shrink = match self.clip {
            // As PyTorch does it, with 1e-6 against a division by nothing.
            Some(clip) if length > clip => clip / (length + 1e-6),
            _ => 1.0,
        };
        self.steps += 1;
        let steps = i32::try_from(self.steps).unwrap_or(i32::MAX);
        let [first, second] = BETAS.map(|beta| 1.0 - beta.powi(steps));
        let mut values: Vec<(&mut Vec<f32>, bool)> = Vec::new();
        let mut tensors = weights.tensors.iter_mut().enumerate();
        for &wanted in &self.plain {
            if let Some((_, tensor)) = tensors.by_ref().find(|(tensor, _)| *tensor == wanted) {
                let decays = tensor.shape.len() > 1;
                values.push((&mut tensor.values, decays));
            }
        }
        for adapter in &mut self.adapters {
            values.push((&mut adapter.a, true));
            values.push((&mut adapter.b, true));
        }
        for (((values, decays), gradient), moments) in
            values.into_iter().zip(all).zip(&mut self.moments)
        {
            let decay = if decays { self.decay } else { 0.0 };
            let numbers = [1.0 - rate * decay, shrink, rate / first, second.sqrt()].map(single);
            values
                .par_chunks_mut(PIECE)
                .zip(gradient.par_chunks(PIECE))
                .zip(moments.mean.par_chunks_mut(PIECE))
                .zip(moments.square.par_chunks_mut(PIECE))
                .for_each(|(((values, gradient), mean), square)| {
                    fast::<Update, _>((values, gradient, mean, square, numbers));
                });
        }
        for adapter in &self.adapters {
            adapter.merge(&mut weights.tensors[adapter.tensor].values);
        }
        length
    }

    /// Everything that a later step depends on.
    pub(crate) fn state<'a>(&'a self, weights: &'a Encoder) -> Named<'a> {
        let mut state: Named<'a> = Vec::new();
        let mut names = Vec::new();
        for &tensor in &self.plain {
            let tensor = &weights.tensors[tensor];
            names.push(tensor.name.clone());
            state.push((tensor.name.clone(), &tensor.values));
        }
        for adapter in &self.adapters {
            let name = &weights.tensors[adapter.tensor].name;
            for (letter, values) in [("a", &adapter.a), ("b", &adapter.b)] {
                names.push(format!("{name}.{letter}"));
                state.push((format!("{name}.{letter}"), values));
            }
        }
        for (name, moments) in names.iter().zip(&self.moments) {
            state.push((format!("mean.{name}"), &moments.mean));
            state.push((format!("square.{name}"), &moments.square));
        }
        state
    }

    /// Puts a state back, name by name; `false` if something is missing or of another size.
    pub(crate) fn restore(
        &mut self,
        weights: &mut Encoder,
        mut find: impl FnMut(&str) -> Option<Vec<f32>>,
    ) -> bool {
        let mut fine = true;
        let mut put = |name: &str, values: &mut Vec<f32>| match find(name) {
            Some(found) if found.len() == values.len() => *values = found,
            _ => fine = false,
        };
        let mut names = Vec::new();
        for &tensor in &self.plain {
            let tensor = &mut weights.tensors[tensor];
            put(&tensor.name, &mut tensor.values);
            names.push(tensor.name.clone());
        }
        for adapter in &mut self.adapters {
            let tensor = &mut weights.tensors[adapter.tensor];
            let [a, b] = ["a", "b"].map(|letter| format!("{}.{letter}", tensor.name));
            put(&a, &mut adapter.a);
            put(&b, &mut adapter.b);
            names.extend([a, b]);
            adapter.merge(&mut tensor.values);
        }
        for (name, moments) in names.iter().zip(&mut self.moments) {
            put(&format!("mean.{name}"), &mut moments.mean);
            put(&format!("square.{name}"), &mut moments.square);
        }
        fine
    }
}

/// An adapter for every free dense layer that the names select.
fn adapters(
    weights: &Encoder,
    free: &[usize],
    lora: &Lora,
    seed: u64,
) -> Result<Vec<Adapter>, TrainError> {
    let dense = |tensor: &usize| {
        *tensor >= weights.first_of(0) && weights.tensors[*tensor].shape.len() == 2
    };
    let ends = |tensor: usize, name: &str| {
        weights.tensors[tensor]
            .name
            .ends_with(&format!(".{name}.weight"))
    };
    for name in &lora.layers {
        let all = (0..weights.tensors.len())
            .filter(dense)
            .any(|tensor| ends(tensor, name));
        if !all {
            return Err(TrainError::invalid(
                format!("LoRA names the layer `{name}`, which the model does not have"),
                "it has query, key, value, attention.output.dense, intermediate.dense and output.dense in every layer",
            ));
        }
    }
    let chosen = free
        .iter()
        .copied()
        .filter(dense)
        .filter(|&tensor| lora.layers.iter().any(|name| ends(tensor, name)));
    Ok(chosen
        .map(|tensor| {
            let shape = &weights.tensors[tensor].shape;
            let (outputs, inputs) = (shape[0], shape[1]);
            // Kaiming's rule for a slope of √5, which the authors' code uses: uniform within 1 / √inputs.
            let bound = 1.0 / (inputs as f64).sqrt();
            let draw = |i: usize| {
                let digest = Digest::new("lora")
                    .field(seed.to_le_bytes())
                    .field(tensor.to_le_bytes())
                    .field(i.to_le_bytes());
                single(bound * (2.0 * unit(digest.seed()) - 1.0))
            };
            Adapter {
                tensor,
                base: weights.tensors[tensor].values.clone(),
                a: (0..lora.rank * inputs).map(draw).collect(),
                b: vec![0.0; outputs * lora.rank],
                rank: lora.rank,
                scale: single(lora.alpha / lora.rank as f64),
            }
        })
        .collect())
}

impl Adapter {
    fn outputs(&self) -> usize {
        self.b.len() / self.rank
    }

    fn inputs(&self) -> usize {
        self.a.len() / self.rank
    }

    /// The matrix with the adapter in it.
    fn merge(&self, target: &mut [f32]) {
        let (outputs, inputs) = (self.outputs(), self.inputs());
        let scaled: Vec<f32> = self.b.iter().map(|value| value * self.scale).collect();
        target.copy_from_slice(&self.base);
        let ([left, _], [right, _]) = (views(&scaled, self.rank), views(&self.a, inputs));
        add_matrix_product(left, right, target, inputs, [outputs, self.rank, inputs]);
    }

    /// Gradients of A and B from that of the matrix.
    fn gradients(&self, matrix: &[f32]) -> [Vec<f32>; 2] {
        let (outputs, inputs) = (self.outputs(), self.inputs());
        let (mut a, mut b) = (vec![0.0; self.a.len()], vec![0.0; self.b.len()]);
        let [whole, _] = views(matrix, inputs);
        let [_, b_turned] = views(&self.b, self.rank);
        let sizes = [self.rank, outputs, inputs];
        matrix_product(b_turned, whole, &mut a, inputs, sizes);
        let [_, a_turned] = views(&self.a, inputs);
        let sizes = [outputs, inputs, self.rank];
        matrix_product(whole, a_turned, &mut b, self.rank, sizes);
        for value in a.iter_mut().chain(&mut b) {
            *value *= self.scale;
        }
        [a, b]
    }
}

/// A number from 0 up to below 1.
pub(crate) fn unit(seed: u64) -> f64 {
    (seed >> 11) as f64 / (1_u64 << 53) as f64
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the network's numbers have 32 bits"
)]
fn single(value: f64) -> f32 {
    value as f32
}

/// The sum of squares, piece by piece in their order.
fn squares(values: &[f32]) -> f64 {
    let of = |piece: &[f32]| {
        piece
            .iter()
            .map(|value| f64::from(*value) * f64::from(*value))
            .sum()
    };
    let pieces: Vec<f64> = values.par_chunks(PIECE).map(of).collect();
    pieces.iter().sum()
}

struct Update;

type UpdateArguments<'a> = (
    &'a mut [f32],
    &'a [f32],
    &'a mut [f32],
    &'a mut [f32],
    [f32; 4],
);

impl<'a> Kernel<UpdateArguments<'a>> for Update {
    /// The numbers are the factor that decay leaves, the factor of clipping, the rate over the first correction, and
    /// the root of the second correction.
    #[inline(always)]
    fn run((values, gradient, means, squares, [kept, shrink, rate, root]): UpdateArguments<'a>) {
        let [first, second] = [0.9_f32, 0.999_f32];
        let all = values.iter_mut().zip(gradient).zip(means).zip(squares);
        for (((value, gradient), mean), square) in all {
            let gradient = gradient * shrink;
            *mean = first.mul_add(*mean, (1.0 - first) * gradient);
            *square = second.mul_add(*square, (1.0 - second) * gradient * gradient);
            let size = square.sqrt() / root + EPSILON;
            *value = (*value * kept) - rate * *mean / size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One number through three steps, computed by the paper's formulas.
    #[test]
    fn adamw_is_its_definition() {
        let (mut values, gradients) = (vec![0.5_f32], [0.2_f32, -0.1, 0.4]);
        let (mut means, mut squares) = (vec![0.0], vec![0.0]);
        let (mut x, mut m, mut v) = (0.5_f64, 0.0_f64, 0.0_f64);
        let (rate, decay) = (1e-2, 0.01);
        for (step, &gradient) in (1..).zip(&gradients) {
            let [first, second] = BETAS.map(|beta| 1.0 - beta.powi(step));
            let numbers = [1.0 - rate * decay, 1.0, rate / first, second.sqrt()].map(single);
            fast::<Update, _>((
                &mut values[..],
                &[gradient][..],
                &mut means[..],
                &mut squares[..],
                numbers,
            ));
            let g = f64::from(gradient);
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            x -= rate * decay * x;
            x -= rate * (m / first) / ((v / second).sqrt() + f64::from(EPSILON));
            assert!(
                (f64::from(values[0]) - x).abs() < 1e-6,
                "{step}: {} {x}",
                values[0]
            );
        }
    }
}
