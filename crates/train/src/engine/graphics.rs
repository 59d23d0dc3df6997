//! The network of a training on a graphics device: `Weights` in the words of `barecode-graphics`.

use barecode_graphics::{
    Activation, Attention, Device, Embedding, FeedForward, Gate, Layer, Layout, Linear, Network,
    Norm, NormKind, Norms, Numbers, Parts, Tape, Text,
};
use barecode_models::ModelError;

use crate::TrainError;
use crate::network::{Gradients, Room, Tokens};
use crate::weights::{Sizes, Weights, part};

/// A device's copy of an encoder. Its tensors have the places that they have in [`Weights`].
pub(crate) struct OnDevice(Network);

impl OnDevice {
    /// Sends an encoder to a device, and compares its vectors with the processor's.
    pub(super) fn new(weights: &Weights, device: &str) -> Result<Self, TrainError> {
        let tensors = weights.tensors.iter().map(|tensor| Numbers {
            shape: match tensor.shape[..] {
                [rows, columns] => [rows, columns],
                _ => [1, tensor.values.len()],
            },
            values: tensor.values.clone(),
        });
        let device = Device::open(device).map_err(ModelError::from)?;
        let network = Network::new(&device, parts(&weights.sizes), tensors.collect())
            .map_err(ModelError::from)?;
        let on_processor = |texts: &[Text<'_>]| {
            let tokens = texts.iter().map(|text| Tokens {
                ids: text.ids.to_vec(),
                kinds: text.kinds.to_vec(),
            });
            let tokens: Vec<Tokens> = tokens.collect();
            weights.encode(&tokens.iter().collect::<Vec<_>>(), &mut Room::default())
        };
        network.compare(on_processor).map_err(ModelError::from)?;
        Ok(OnDevice(network))
    }

    pub(super) fn encode(&self, texts: &[&Tokens]) -> Result<Vec<f32>, TrainError> {
        Ok(self.0.vectors(&of(texts)).map_err(ModelError::from)?)
    }

    pub(super) fn forward(
        &self,
        texts: &[&Tokens],
        gradients: &Gradients,
    ) -> Result<Tape, TrainError> {
        let trained = |tensor: usize| gradients.0[tensor].is_some();
        Ok(self
            .0
            .forward(&of(texts), trained)
            .map_err(ModelError::from)?)
    }

    pub(super) fn backward(
        &self,
        tape: Tape,
        of_vectors: &[f32],
        gradients: &mut Gradients,
    ) -> Result<(), TrainError> {
        Ok(self
            .0
            .backward(tape, of_vectors, &mut gradients.0)
            .map_err(ModelError::from)?)
    }

    pub(super) fn changed(
        &mut self,
        weights: &Weights,
        gradients: &Gradients,
    ) -> Result<(), TrainError> {
        for (place, gradient) in gradients.0.iter().enumerate() {
            if gradient.is_some() {
                self.0
                    .set(place, &weights.tensors[place].values)
                    .map_err(ModelError::from)?;
            }
        }
        Ok(())
    }
}

fn of<'a>(texts: &'a [&Tokens]) -> Vec<Text<'a>> {
    let text = |text: &&'a Tokens| Text {
        ids: &text.ids,
        kinds: &text.kinds,
    };
    texts.iter().map(text).collect()
}

/// BERT, in the order of [`part`].
fn parts(sizes: &Sizes) -> Parts {
    let norm = |weight: usize| Norm {
        kind: NormKind::Layer,
        weight,
        bias: Some(weight + 1),
        epsilon: sizes.epsilon,
    };
    let between = |weight: usize| Norms {
        between: Some(norm(weight)),
        ..Norms::default()
    };
    let linear = |weights: &[usize]| Linear {
        parts: weights
            .iter()
            .map(|&weight| (weight, Some(weight + 1)))
            .collect(),
        layout: Layout::Outputs,
    };
    let size = sizes.width / sizes.heads;
    let layer = |layer: usize| {
        let at = |tensor| part::of(layer, tensor);
        Layer {
            attention: Attention {
                project: linear(&[at(part::QUERY), at(part::KEY), at(part::VALUE)]),
                output: linear(&[at(part::OUTPUT)]),
                heads: sizes.heads,
                key_heads: sizes.heads,
                size,
                factor: 1.0 / (size as f32).sqrt(),
                causal: false,
                reach: None,
                cap: None,
                rotary: None,
                distance: None,
                query_norm: None,
                key_norm: None,
            },
            attention_norms: between(at(part::FIRST_NORM)),
            feed_forward: FeedForward {
                up: linear(&[at(part::UP)]),
                down: linear(&[at(part::DOWN)]),
                activation: Activation::Gelu,
                gate: Gate::None,
            },
            feed_forward_norms: between(at(part::SECOND_NORM)),
        }
    };
    Parts {
        embedding: Embedding {
            words: part::WORDS,
            places: Some((part::PLACES, sizes.first_place)),
            kinds: Some(part::KINDS),
            factor: None,
            norm: Some(norm(part::EMBEDDING_NORM)),
        },
        layers: (0..sizes.layers).map(layer).collect(),
        norm: None,
        pooling: sizes.pooling,
        normalize: true,
    }
}
