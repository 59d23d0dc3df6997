//! A network on the processor → the same on a graphics device, compared before it is used.
//!
//! In comes a network as `architecture` put it together; out goes one that a device runs, or an error where its vectors are
//! not the processor's.

use std::sync::Arc;

use barecode_graphics::{
    Activation, Attention, Device, Distances, Embedding, FeedForward, Gate, Layer, Layout, Linear,
    Network as OnDevice, Norm, NormKind, Norms, Numbers, Parts, Place, Rotary, Text,
};
use barecode_models::{ModelError, Pooling};

use super::network::{self, Buffers, Network};
use super::tokens::Ids;
use super::{attention, linear, norm, vector};

/// Tensors in the order in which parts name them.
#[derive(Default)]
struct Tensors(Vec<Numbers>);

impl Tensors {
    fn add(&mut self, rows: usize, values: Vec<f32>) -> Place {
        let columns = values.len() / rows.max(1);
        self.0.push(Numbers {
            shape: [rows, columns],
            values,
        });
        self.0.len() - 1
    }
}

/// Puts a network on a device, and compares some of its vectors with the processor's.
pub(super) fn moved(
    network: &Network,
    pooling: Pooling,
    with_kinds: bool,
    device: &str,
) -> Result<OnDevice, ModelError> {
    let opened = Device::open(device)?;
    let (parts, tensors) = described(network, pooling);
    let moved = OnDevice::new(&opened, parts, tensors)?;
    moved.compare(|texts| {
        let ids: Vec<Ids> = texts.iter().map(ids).collect();
        let texts: Vec<&Ids> = ids.iter().collect();
        let pooled = network.pooled(&texts, with_kinds, pooling, &mut Buffers::default());
        pooled.all().to_vec()
    })?;
    Ok(moved)
}

fn ids(text: &Text<'_>) -> Ids {
    Ids {
        ids: text.ids.to_vec(),
        kinds: text.kinds.to_vec(),
        truncated: false,
    }
}

/// The pooled rows of some texts, one after another.
pub(super) fn vectors(
    network: &OnDevice,
    texts: &[&Ids],
    with_kinds: bool,
) -> Result<Vec<f32>, ModelError> {
    let longest = texts.iter().map(|text| text.ids.len()).max().unwrap_or(0);
    let zeros = vec![0; longest];
    let texts: Vec<Text<'_>> = texts
        .iter()
        .map(|text| Text {
            ids: &text.ids,
            kinds: if with_kinds {
                &text.kinds
            } else {
                &zeros[..text.ids.len()]
            },
        })
        .collect();
    Ok(network.vectors(&texts)?)
}

/// A network as plain data.
fn described(network: &Network, pooling: Pooling) -> (Parts, Vec<Numbers>) {
    let mut tensors = Tensors::default();
    let width = network.width;
    let network::Embedding {
        words,
        places,
        kinds,
        factor,
        norm,
    } = &network.embedding;
    let mut table =
        |tensor: &super::weights::Tensor| tensors.add(tensor.len() / width, tensor.to_vec());
    let embedding = Embedding {
        words: table(words),
        places: places
            .as_ref()
            .map(|(places, first)| (table(places), *first)),
        kinds: kinds.as_ref().map(&mut table),
        factor: *factor,
        norm: norm.as_ref().map(|norm| tensors.norm(norm)),
    };
    let mut rotaries: Vec<(*const super::position::Rotary, Place)> = Vec::new();
    let mut distances: Vec<(*const super::position::Distance, Distances)> = Vec::new();
    let layers = network.layers.iter();
    let layers = layers
        .map(|layer| Layer {
            attention: tensors.attention(&layer.attention, &mut rotaries, &mut distances),
            attention_norms: tensors.norms(&layer.attention_norms),
            feed_forward: FeedForward {
                up: tensors.linear(&layer.feed_forward.up),
                down: tensors.linear(&layer.feed_forward.down),
                activation: match layer.feed_forward.activation {
                    vector::Activation::Gelu => Activation::Gelu,
                    vector::Activation::GeluTanh => Activation::GeluTanh,
                    vector::Activation::Silu => Activation::Silu,
                    vector::Activation::Relu => Activation::Relu,
                    vector::Activation::Tanh => Activation::Tanh,
                    vector::Activation::Identity => Activation::Identity,
                },
                gate: match layer.feed_forward.gate {
                    network::Gate::None => Gate::None,
                    network::Gate::First => Gate::First,
                    network::Gate::Second => Gate::Second,
                },
            },
            feed_forward_norms: tensors.norms(&layer.feed_forward_norms),
        })
        .collect();
    let parts = Parts {
        embedding,
        layers,
        norm: network.norm.as_ref().map(|norm| tensors.norm(norm)),
        pooling,
        normalize: false,
    };
    (parts, tensors.0)
}

impl Tensors {
    fn norm(&mut self, norm: &norm::Norm) -> Norm {
        Norm {
            kind: match norm.kind {
                norm::Kind::Layer => NormKind::Layer,
                norm::Kind::RootMeanSquare => NormKind::RootMeanSquare,
            },
            weight: self.add(1, norm.weight.clone()),
            bias: norm.bias.as_ref().map(|bias| self.add(1, bias.clone())),
            epsilon: norm.epsilon,
        }
    }

    fn norms(&mut self, norms: &network::Norms) -> Norms {
        let mut of = |norm: &Option<norm::Norm>| norm.as_ref().map(|norm| self.norm(norm));
        Norms {
            before: of(&norms.before),
            after: of(&norms.after),
            between: of(&norms.between),
        }
    }

    fn linear(&mut self, linear: &linear::Linear) -> Linear {
        let (inputs, values) = linear.by_input();
        let weight = self.add(inputs, values);
        let bias = linear.bias().map(|bias| self.add(1, bias.to_vec()));
        Linear {
            parts: vec![(weight, bias)],
            layout: Layout::Inputs,
        }
    }

    /// Tables that layers share are shared on the device too.
    fn attention(
        &mut self,
        layer: &attention::Attention,
        rotaries: &mut Vec<(*const super::position::Rotary, Place)>,
        distances: &mut Vec<(*const super::position::Distance, Distances)>,
    ) -> Attention {
        let rotary = layer.rotary.as_ref().map(|rotary| {
            let known = Arc::as_ptr(rotary);
            let found = rotaries.iter().find(|(at, _)| *at == known);
            let table = if let Some((_, table)) = found {
                *table
            } else {
                let places = rotary.table.len() / rotary.width;
                let table = self.add(places, rotary.table.clone());
                rotaries.push((known, table));
                table
            };
            Rotary {
                width: rotary.width,
                table,
            }
        });
        let distance = layer.distance.as_ref().map(|distance| {
            let known = Arc::as_ptr(distance);
            if let Some((_, found)) = distances.iter().find(|(at, _)| *at == known) {
                return found.clone();
            }
            let own = Arc::clone(distance);
            let made = Distances {
                line: Arc::new(move |head, length| {
                    let mut line = Vec::new();
                    own.line(head, length, &mut line);
                    line
                }),
            };
            distances.push((known, made.clone()));
            made
        });
        Attention {
            project: self.linear(&layer.project),
            output: self.linear(&layer.output),
            heads: layer.heads,
            key_heads: layer.key_heads,
            size: layer.size,
            factor: layer.factor,
            causal: layer.sight.causal,
            reach: layer.sight.reach,
            cap: layer.cap,
            rotary,
            distance,
            query_norm: layer.query_norm.as_ref().map(|norm| self.norm(norm)),
            key_norm: layer.key_norm.as_ref().map(|norm| self.norm(norm)),
        }
    }
}
