//! Token ids → a vector for each text, on a device.
//!
//! In come texts, out go vectors in the order of the texts; a text without a token has zeros.
//! Numbers lie as rows, one a token with padding, as `[texts × length, width]`; only attention sees texts and heads.
//! The one hard thing is padding: keys of padding are never seen, and pooling weights its rows with 0, so what they hold
//! does not matter as long as it is finite.

use std::collections::BTreeMap;
use std::sync::Arc;

use barecode_models::Pooling;
use burn_tensor::activation::{gelu, gelu_approximate, relu, silu, softmax, tanh};
use burn_tensor::{Device as Inner, Int, Tensor, TensorData};

use crate::Text;
use crate::device::{Device, GraphicsError, caught};
use crate::groups::{Group, groups};
use crate::parts::{
    Activation, Attention, FeedForward, Gate, Layer, Layout, Linear, Norm, NormKind, Norms,
    Numbers, Parts, Place,
};

/// Tokens with padding that a device computes at a time, unless one text has more.
const GROUP: usize = 16_384;

/// Scores of attention that are in memory at a time; queries go through in blocks for it.
const SCORES: usize = 1 << 28;

/// What is added to the score of a key that is not seen: far below every score, and finite.
const UNSEEN: f32 = -1e30;

/// A network with its tensors on a device.
pub struct Network {
    pub(crate) device: Device,
    pub(crate) parts: Parts,
    pub(crate) tensors: Vec<Tensor<2>>,
    pub(crate) width: usize,
    /// Tokens that a text is padded to at most: as many as the shortest table of rotary positions has.
    pub(crate) longest: usize,
}

/// Padded texts.
struct Batch {
    count: usize,
    length: usize,
    lengths: Vec<usize>,
    ids: Tensor<1, Int>,
    places: Tensor<1, Int>,
    kinds: Tensor<1, Int>,
    /// 0, or [`UNSEEN`] for padding, as `[texts, 1, 1, length]`; none without padding.
    padding: Option<Tensor<4>>,
    /// What is added to scores for other reasons, made once: by causality and reach, or by the function of distances.
    added: BTreeMap<(bool, usize, usize), Tensor<4>>,
}

impl Network {
    /// Puts a network on a device. `tensors` are what the parts name by their places.
    ///
    /// # Errors
    /// A device that has too little memory.
    pub fn new(
        device: &Device,
        parts: Parts,
        tensors: Vec<Numbers>,
    ) -> Result<Self, GraphicsError> {
        let width = tensors[parts.embedding.words].shape[1];
        let rotaries = parts.layers.iter();
        let rotaries = rotaries.filter_map(|layer| layer.attention.rotary.as_ref());
        let places = rotaries.map(|rotary| tensors[rotary.table].shape[0]);
        let longest = places.min().unwrap_or(usize::MAX);
        let tensors = caught(|| {
            let upload = |numbers: Numbers| tensor(numbers, &device.inner);
            tensors.into_iter().map(upload).collect()
        })
        .map_err(|why| device.stopped(why))?;
        Ok(Network {
            device: device.clone(),
            parts,
            tensors,
            width,
            longest,
        })
    }

    /// Numbers of a vector.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Replaces a tensor by one of the same shape.
    ///
    /// # Errors
    /// A device that stopped.
    pub fn set(&mut self, place: Place, values: &[f32]) -> Result<(), GraphicsError> {
        let numbers = Numbers {
            shape: self.tensors[place].dims(),
            values: values.to_vec(),
        };
        self.tensors[place] = caught(|| tensor(numbers, &self.device.inner))
            .map_err(|why| self.device.stopped(why))?;
        Ok(())
    }

    /// A vector of each text, one after another.
    ///
    /// # Errors
    /// A device that stopped.
    pub fn vectors(&self, texts: &[Text<'_>]) -> Result<Vec<f32>, GraphicsError> {
        let mut all = vec![0.0; texts.len() * self.width];
        for group in groups(texts, GROUP, self.longest) {
            let found = caught(|| self.group(&self.tensors, texts, &group).try_into_data())
                .map_err(|why| self.device.stopped(why))?
                .map_err(|error| self.device.stopped(error))?;
            self.spread(&found, &group, &mut all)?;
        }
        Ok(all)
    }

    /// Puts the vectors of a group where its texts stand.
    pub(crate) fn spread(
        &self,
        found: &TensorData,
        group: &Group,
        all: &mut [f32],
    ) -> Result<(), GraphicsError> {
        let values = found
            .as_slice::<f32>()
            .map_err(|error| self.device.stopped(format!("{error:?}")))?;
        for (&text, vector) in group.texts.iter().zip(values.chunks_exact(self.width)) {
            all[text * self.width..][..self.width].copy_from_slice(vector);
        }
        Ok(())
    }

    /// The vectors of a group, with these tensors in place of the network's.
    pub(crate) fn group(
        &self,
        tensors: &[Tensor<2>],
        texts: &[Text<'_>],
        group: &Group,
    ) -> Tensor<2> {
        let first_place = self.parts.embedding.places.map_or(0, |(_, first)| first);
        let batch = Batch::new(texts, group, first_place, &self.device.inner);
        let mut run = Run {
            tensors,
            batch,
            device: &self.device.inner,
        };
        let mut rows = run.embed(&self.parts);
        for layer in &self.parts.layers {
            rows = run.layer(layer, rows);
        }
        if let Some(norm) = &self.parts.norm {
            rows = run.norm(norm, rows);
        }
        let vectors = run.pool(self.parts.pooling, rows);
        if self.parts.normalize {
            let lengths = (vectors.clone() * vectors.clone()).sum_dim(1).sqrt();
            vectors / lengths.clamp_min(1e-12)
        } else {
            vectors
        }
    }
}

fn tensor(Numbers { shape, values }: Numbers, device: &Inner) -> Tensor<2> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// Ids as the framework counts.
fn integers(values: Vec<u32>, device: &Inner) -> Tensor<1, Int> {
    let values: Vec<i32> = values.into_iter().map(u32::cast_signed).collect();
    let count = values.len();
    Tensor::from_data(TensorData::new(values, [count]), device)
}

impl Batch {
    fn new(texts: &[Text<'_>], group: &Group, first_place: usize, device: &Inner) -> Self {
        let (count, length) = (group.texts.len(), group.length);
        let padded = |of: &dyn Fn(&Text<'_>) -> Vec<u32>| {
            let mut all = vec![0; count * length];
            for (&text, row) in group.texts.iter().zip(all.chunks_exact_mut(length)) {
                let own = of(&texts[text]);
                row[..own.len()].copy_from_slice(&own);
            }
            integers(all, device)
        };
        let lengths: Vec<usize> = group.texts.iter().map(|&i| texts[i].ids.len()).collect();
        let place = |place: usize| u32::try_from(first_place + place).unwrap_or(u32::MAX);
        let is_padded = lengths.iter().any(|&own| own < length);
        let padding = is_padded.then(|| {
            let row = |&own: &usize| (0..length).map(move |at| if at < own { 0.0 } else { UNSEEN });
            let values: Vec<f32> = lengths.iter().flat_map(row).collect();
            Tensor::from_data(TensorData::new(values, [count, 1, 1, length]), device)
        });
        Batch {
            count,
            length,
            ids: padded(&|text| text.ids.to_vec()),
            // Padding has the first place, for a text may end where the table does.
            places: padded(&|text| (0..text.ids.len()).map(place).collect()),
            kinds: padded(&|text| text.kinds.to_vec()),
            lengths,
            padding,
            added: BTreeMap::new(),
        }
    }
}

/// A way forward.
struct Run<'a> {
    tensors: &'a [Tensor<2>],
    batch: Batch,
    device: &'a Inner,
}

impl Run<'_> {
    fn at(&self, place: Place) -> Tensor<2> {
        self.tensors[place].clone()
    }

    fn embed(&self, parts: &Parts) -> Tensor<2> {
        let embedding = &parts.embedding;
        let mut rows = self.at(embedding.words).select(0, self.batch.ids.clone());
        if let Some(factor) = embedding.factor {
            rows = rows * factor;
        }
        if let Some((table, _)) = embedding.places {
            rows = rows + self.at(table).select(0, self.batch.places.clone());
        }
        if let Some(table) = embedding.kinds {
            rows = rows + self.at(table).select(0, self.batch.kinds.clone());
        }
        match &embedding.norm {
            Some(norm) => self.norm(norm, rows),
            None => rows,
        }
    }

    fn layer(&mut self, layer: &Layer, rows: Tensor<2>) -> Tensor<2> {
        let given = self.enter(&layer.attention_norms, rows.clone());
        let answer = self.attention(&layer.attention, &given);
        let rows = self.leave(&layer.attention_norms, rows, answer);
        let given = self.enter(&layer.feed_forward_norms, rows.clone());
        let answer = self.feed_forward(&layer.feed_forward, &given);
        self.leave(&layer.feed_forward_norms, rows, answer)
    }

    fn enter(&self, norms: &Norms, rows: Tensor<2>) -> Tensor<2> {
        match &norms.before {
            Some(norm) => self.norm(norm, rows),
            None => rows,
        }
    }

    fn leave(&self, norms: &Norms, rows: Tensor<2>, answer: Tensor<2>) -> Tensor<2> {
        let answer = match &norms.after {
            Some(norm) => self.norm(norm, answer),
            None => answer,
        };
        match &norms.between {
            Some(norm) => self.norm(norm, rows + answer),
            None => rows + answer,
        }
    }

    fn norm(&self, norm: &Norm, rows: Tensor<2>) -> Tensor<2> {
        let rows = match norm.kind {
            NormKind::Layer => rows.clone() - rows.mean_dim(1),
            NormKind::RootMeanSquare => rows,
        };
        let squares = (rows.clone() * rows.clone()).mean_dim(1);
        let rows = rows / (squares + norm.epsilon).sqrt() * self.at(norm.weight);
        match norm.bias {
            Some(bias) => rows + self.at(bias),
            None => rows,
        }
    }

    /// The outputs of each of the dense layers.
    fn parts(&self, linear: &Linear, rows: &Tensor<2>) -> Vec<Tensor<2>> {
        let of = |&(weight, bias): &(Place, Option<Place>)| {
            let weight = match linear.layout {
                Layout::Outputs => self.at(weight).transpose(),
                Layout::Inputs => self.at(weight),
            };
            let product = rows.clone().matmul(weight);
            match bias {
                Some(bias) => product + self.at(bias),
                None => product,
            }
        };
        linear.parts.iter().map(of).collect()
    }

    fn linear(&self, linear: &Linear, rows: &Tensor<2>) -> Tensor<2> {
        let mut parts = self.parts(linear, rows);
        if parts.len() == 1 {
            parts.remove(0)
        } else {
            Tensor::cat(parts, 1)
        }
    }

    fn attention(&mut self, layer: &Attention, rows: &Tensor<2>) -> Tensor<2> {
        let (heads, key_heads, size) = (layer.heads, layer.key_heads, layer.size);
        let (count, length) = (self.batch.count, self.batch.length);
        let mut parts = self.parts(&layer.project, rows);
        let [mut queries, mut keys, values] = if parts.len() == 3 {
            let last = parts.remove(2);
            let middle = parts.remove(1);
            [parts.remove(0), middle, last]
        } else {
            let all = parts.remove(0);
            let (wide, narrow) = (heads * size, key_heads * size);
            let part = |first, width| all.clone().narrow(1, first, width);
            [
                part(0, wide),
                part(wide, narrow),
                part(wide + narrow, narrow),
            ]
        };
        if let Some(norm) = &layer.query_norm {
            queries = self.norm_within(norm, queries);
        }
        if let Some(norm) = &layer.key_norm {
            keys = self.norm_within(norm, keys);
        }
        let split = |rows: Tensor<2>, heads: usize| -> Tensor<4> {
            rows.reshape([count, length, heads, size]).swap_dims(1, 2)
        };
        let mut queries = split(queries, heads);
        let (mut keys, mut values) = (split(keys, key_heads), split(values, key_heads));
        if let Some(rotary) = &layer.rotary {
            let table = self.at(rotary.table).narrow(0, 0, length);
            queries = turn(queries, &table, rotary.width);
            keys = turn(keys, &table, rotary.width);
        }
        keys = shared(keys, heads);
        values = shared(values, heads);
        let keys = keys.swap_dims(2, 3);
        let block = (SCORES / (count * heads * length)).clamp(1, length);
        let mut contexts = Vec::new();
        for first in (0..length).step_by(block) {
            let own = block.min(length - first);
            let queries = queries.clone().narrow(2, first, own);
            let mut scores = queries.matmul(keys.clone()) * layer.factor;
            if let Some(cap) = layer.cap {
                scores = tanh(scores / cap) * cap;
            }
            for added in self.added(layer) {
                let rows = if added.dims()[2] == 1 {
                    added
                } else {
                    added.narrow(2, first, own)
                };
                scores = scores + rows;
            }
            contexts.push(softmax(scores, 3).matmul(values.clone()));
        }
        let context = if contexts.len() == 1 {
            contexts.remove(0)
        } else {
            Tensor::cat(contexts, 2)
        };
        let context = context
            .swap_dims(1, 2)
            .reshape([count * length, heads * size]);
        self.linear(&layer.output, &context)
    }

    /// A norm over each head, or over all of a row, by the norm's width.
    fn norm_within(&self, norm: &Norm, rows: Tensor<2>) -> Tensor<2> {
        let [count, width] = rows.dims();
        let own = self.tensors[norm.weight].dims()[1];
        let rows = rows.reshape([count * width / own, own]);
        self.norm(norm, rows).reshape([count, width])
    }

    /// What is added to scores: for padding, for what a token does not see, by distance.
    fn added(&mut self, layer: &Attention) -> Vec<Tensor<4>> {
        let length = self.batch.length;
        let mut all: Vec<Tensor<4>> = self.batch.padding.iter().cloned().collect();
        // What sees nothing more than this batch has sees all of it.
        let reach = layer.reach.filter(|&reach| reach + 1 < length);
        if layer.causal || reach.is_some() {
            let reach = reach.unwrap_or(length);
            let device = self.device;
            let make = || {
                let sees = |query: usize, key: usize| {
                    key + reach >= query
                        && if layer.causal {
                            key <= query
                        } else {
                            key <= query + reach
                        }
                };
                let values: Vec<f32> = (0..length * length)
                    .map(|at| {
                        if sees(at / length, at % length) {
                            0.0
                        } else {
                            UNSEEN
                        }
                    })
                    .collect();
                Tensor::from_data(TensorData::new(values, [1, 1, length, length]), device)
            };
            let known = (layer.causal, reach, 0);
            all.push(self.batch.added.entry(known).or_insert_with(make).clone());
        }
        if let Some(distance) = &layer.distance {
            let device = self.device;
            let make = || {
                let mut values = Vec::with_capacity(layer.heads * length * length);
                for head in 0..layer.heads {
                    let line = (distance.line)(head, length);
                    for query in 0..length {
                        values.extend_from_slice(&line[length - 1 - query..][..length]);
                    }
                }
                let shape = [1, layer.heads, length, length];
                Tensor::from_data(TensorData::new(values, shape), device)
            };
            let known = (false, 0, Arc::as_ptr(&distance.line).cast::<()>() as usize);
            all.push(self.batch.added.entry(known).or_insert_with(make).clone());
        }
        all
    }

    fn feed_forward(&self, layer: &FeedForward, rows: &Tensor<2>) -> Tensor<2> {
        let inner = self.linear(&layer.up, rows);
        let inner = if layer.gate == Gate::None {
            activated(layer.activation, inner)
        } else {
            let width = inner.dims()[1] / 2;
            let first = inner.clone().narrow(1, 0, width);
            let second = inner.narrow(1, width, width);
            if layer.gate == Gate::First {
                activated(layer.activation, first) * second
            } else {
                first * activated(layer.activation, second)
            }
        };
        self.linear(&layer.down, &inner)
    }

    /// A row of each text. Every pooling but the greatest is a weighted sum.
    fn pool(&self, pooling: Pooling, rows: Tensor<2>) -> Tensor<2> {
        let (count, length) = (self.batch.count, self.batch.length);
        let width = rows.dims()[1];
        let rows: Tensor<3> = rows.reshape([count, length, width]);
        if pooling == Pooling::Max {
            let rows = match &self.batch.padding {
                Some(padding) => rows + padding.clone().reshape([count, length, 1]),
                None => rows,
            };
            return rows.max_dim(1).reshape([count, width]);
        }
        let weight = |own: usize, at: usize| {
            let all = own as f32;
            match pooling {
                _ if at >= own => 0.0,
                Pooling::First => f32::from(u8::from(at == 0)),
                Pooling::Last => f32::from(u8::from(at + 1 == own)),
                Pooling::MeanRoot => 1.0 / all.sqrt(),
                Pooling::WeightedMean => 2.0 * (at + 1) as f32 / (all * (all + 1.0)),
                Pooling::Mean | Pooling::Max => 1.0 / all,
            }
        };
        let lengths = self.batch.lengths.iter();
        let weights: Vec<f32> = lengths
            .flat_map(|&own| (0..length).map(move |at| weight(own, at)))
            .collect();
        let weights = TensorData::new(weights, [count, 1, length]);
        let weights: Tensor<3> = Tensor::from_data(weights, self.device);
        weights.matmul(rows).reshape([count, width])
    }
}

/// Turns the first numbers of each head by its place's angles.
fn turn(heads: Tensor<4>, table: &Tensor<2>, width: usize) -> Tensor<4> {
    let [_, _, length, size] = heads.dims();
    let half = width / 2;
    let angles = |first| -> Tensor<4> {
        let part = table.clone().narrow(1, first, half);
        part.reshape([1, 1, length, half])
    };
    let (cosines, sines) = (angles(0), angles(half));
    let (one, two) = (
        heads.clone().narrow(3, 0, half),
        heads.clone().narrow(3, half, half),
    );
    let mut parts = vec![
        one.clone() * cosines.clone() - two.clone() * sines.clone(),
        two * cosines + one * sines,
    ];
    if width < size {
        parts.push(heads.narrow(3, width, size - width));
    }
    Tensor::cat(parts, 3)
}

/// Heads of keys or values, each as often as heads of queries share it.
fn shared(heads: Tensor<4>, wanted: usize) -> Tensor<4> {
    let [count, own, length, size] = heads.dims();
    if own == wanted {
        return heads;
    }
    let each: Tensor<5> = heads.reshape([count, own, 1, length, size]);
    each.expand([count, own, wanted / own, length, size])
        .reshape([count, wanted, length, size])
}

fn activated(activation: Activation, rows: Tensor<2>) -> Tensor<2> {
    match activation {
        Activation::Gelu => gelu(rows),
        Activation::GeluTanh => gelu_approximate(rows),
        Activation::Silu => silu(rows),
        Activation::Relu => relu(rows),
        Activation::Tanh => tanh(rows),
        Activation::Identity => rows,
    }
}
