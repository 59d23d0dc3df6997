//! A network on a device: which kernels a layer is.
//!
//! In come layers, which are brought to the device one after another, each matrix once; then rows of texts
//! as they stand behind the embedding, and out go their rows after the last layer.
//! The one hard thing is size: what a kernel has bound in one piece is limited, so matrices are cut into bands of
//! outputs, and a run has no more tokens than [`Network::tokens`] says.
//!
//! What this file does not do: it knows no architecture; whatever [`super::super::network`] can describe runs here.

use std::sync::{Arc, Mutex, PoisonError};

use super::device::{Device, Kernel, Memory, Step, Steps};
use crate::ModelError;
use crate::local::attention::Attention;
use crate::local::linear::{self, Rows};
use crate::local::network::{self, Gate, Norms};
use crate::local::norm;
use crate::local::position::{Distance, Rotary};
use crate::local::unusable;
use crate::local::vector::Activation;

/// Tokens of a run, unless a text has more or the device cannot.
const TOKENS: usize = 8192;

/// Rows and outputs that a group of `product.wgsl` makes; queries of one of `attention.wgsl`; numbers of one of
/// `gate.wgsl` and `turn.wgsl`.
const PRODUCT_SIDE: usize = 64;
const QUERIES: usize = 32;
const THREADS: usize = 64;

/// The layers of a network, and room to run them.
pub(in crate::local) struct Network {
    device: Device,
    kernels: Kernels,
    layers: Vec<Layer>,
    norm: Option<Norm>,
    widths: Widths,
    desk: Mutex<Option<Desk>>,
}

struct Kernels {
    product: Kernel,
    norm: Kernel,
    gate: Kernel,
    turn: Kernel,
    /// By the numbers of a head.
    attention: Vec<(usize, Kernel)>,
}

struct Layer {
    attention: AttentionLayer,
    attention_norms: [Option<Norm>; 3],
    up: Linear,
    down: Linear,
    activation: Activation,
    gate: Gate,
    feed_forward_norms: [Option<Norm>; 3],
}

struct AttentionLayer {
    project: Linear,
    output: Linear,
    heads: usize,
    key_heads: usize,
    size: usize,
    sizes: [u32; 8],
    distances: Option<Memory>,
    /// The table of angles, and the numbers of a head that are turned.
    rotary: Option<(Memory, usize)>,
    query_norm: Option<Norm>,
    key_norm: Option<Norm>,
}

/// A matrix in bands of outputs.
struct Linear {
    bands: Vec<Band>,
    bias: Memory,
    inputs: usize,
    outputs: usize,
}

struct Band {
    weights: Memory,
    first: usize,
    outputs: usize,
}

struct Norm {
    kind: u32,
    weight: Memory,
    bias: Option<Memory>,
    width: usize,
    epsilon: f32,
}

/// What `norm.wgsl` makes of the target; its constants of the same names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    InPlace = 0,
    OfSource = 1,
    OfSum = 2,
    Joined = 3,
}

/// Numbers of a token in each kind of rows, at most.
#[derive(Default)]
struct Widths {
    rows: usize,
    projected: usize,
    context: usize,
    inner: usize,
    narrow: usize,
}

/// Room for so many tokens.
struct Desk {
    tokens: usize,
    rows: Memory,
    normed: Memory,
    answer: Memory,
    projected: Memory,
    context: Memory,
    inner: Memory,
    narrow: Memory,
    places: Memory,
    blocks: Memory,
    reading: Memory,
}

/// What is shared by layers is brought to the device once.
#[derive(Default)]
struct Shared {
    angles: Vec<(Arc<Rotary>, Memory)>,
    distances: Vec<(Arc<Distance>, Memory)>,
}

impl Network {
    /// Brings layers with rows of this width, and the norm behind them, to a device.
    ///
    /// # Errors
    /// Where its memory does not suffice.
    pub(in crate::local) fn upload(
        device: Device,
        layers: Vec<network::Layer>,
        norm: Option<&norm::Norm>,
        width: usize,
    ) -> Result<Self, ModelError> {
        let mut kernels = Kernels::new(&device);
        let mut widths = Widths {
            rows: width,
            ..Widths::default()
        };
        let mut shared = Shared::default();
        let mut uploaded = Vec::with_capacity(layers.len());
        for layer in layers {
            kernels.prepare(&device, layer.attention.size);
            widths.widen(&layer);
            uploaded.push(Layer::upload(&device, layer, &mut shared)?);
            // One layer after another, so that what is on its way is never more than one.
            device.check()?;
        }
        Ok(Network {
            norm: norm.map(|norm| Norm::upload(&device, norm)),
            device,
            kernels,
            layers: uploaded,
            widths,
            desk: Mutex::default(),
        })
    }

    /// Tokens that a run should have, unless a single text has more.
    pub(in crate::local) fn tokens(&self) -> usize {
        TOKENS.min(self.most_tokens())
    }

    /// Tokens that a run can have.
    fn most_tokens(&self) -> usize {
        self.device.largest / (4 * self.widths.widest())
    }

    /// Changes the rows of some texts, as they stand behind the embedding, into those after the last layer.
    pub(in crate::local) fn run(
        &self,
        rows: &mut Rows,
        lengths: &[usize],
    ) -> Result<(), ModelError> {
        let count = rows.count;
        if count > self.most_tokens() {
            return Err(unusable(
                format!(
                    "a text of {count} tokens is too long for the device, which can have {} of this model",
                    self.most_tokens()
                ),
                Some("set a smaller maximum length, or take the device `cpu`"),
            ));
        }
        let places: Vec<u32> = lengths
            .iter()
            .flat_map(|&length| 0..number(length))
            .collect();
        let mut blocks: Vec<u32> = Vec::new();
        let mut first = 0;
        for &length in lengths {
            for query in (0..length).step_by(QUERIES) {
                blocks.extend([number(first), number(length), number(query), 0]);
            }
            first += length;
        }
        let mut place = self.desk.lock().unwrap_or_else(PoisonError::into_inner);
        let desk = match place.take() {
            Some(desk) if desk.tokens >= count => place.insert(desk),
            // Room is given back before more is asked for.
            _ => place.insert(self.room(count.max(self.tokens()))),
        };
        self.device
            .write(&desk.rows, bytemuck::cast_slice(rows.all()));
        self.device
            .write(&desk.places, bytemuck::cast_slice(&places));
        self.device
            .write(&desk.blocks, bytemuck::cast_slice(&blocks));
        for layer in &self.layers {
            self.device
                .run(|steps| self.layer(steps, layer, desk, [count, blocks.len() / 4]));
        }
        if let Some(norm) = &self.norm {
            self.device.run(|steps| {
                self.normalize(steps, norm, Form::InPlace, None, &desk.rows, count);
            });
        }
        self.device.read(&desk.rows, &desk.reading, rows.all_mut())
    }

    fn room(&self, tokens: usize) -> Desk {
        let room = |width: usize| self.device.room(tokens * width);
        let widths = &self.widths;
        Desk {
            tokens,
            rows: room(widths.rows),
            normed: room(widths.rows),
            answer: room(widths.rows),
            projected: room(widths.projected),
            context: room(widths.context),
            inner: room(widths.inner),
            narrow: room(widths.narrow),
            places: room(1),
            blocks: room(4),
            reading: self.device.reading_room(tokens * widths.rows),
        }
    }

    /// The steps of a layer; the numbers are rows and blocks of queries.
    fn layer(&self, steps: &mut Steps, layer: &Layer, desk: &Desk, [count, blocks]: [usize; 2]) {
        let given = self.enter(steps, &layer.attention_norms, desk, count);
        let attention = &layer.attention;
        let none = Activation::Identity;
        self.multiply(
            steps,
            &attention.project,
            none,
            given,
            &desk.projected,
            count,
        );
        self.attend(steps, attention, desk, [count, blocks]);
        self.multiply(
            steps,
            &attention.output,
            none,
            &desk.context,
            &desk.answer,
            count,
        );
        self.leave(steps, &layer.attention_norms, desk, count);
        let given = self.enter(steps, &layer.feed_forward_norms, desk, count);
        if layer.gate == Gate::None {
            self.multiply(
                steps,
                &layer.up,
                layer.activation,
                given,
                &desk.inner,
                count,
            );
            self.multiply(steps, &layer.down, none, &desk.inner, &desk.answer, count);
        } else {
            self.multiply(steps, &layer.up, none, given, &desk.inner, count);
            let width = layer.up.outputs / 2;
            let first = u32::from(layer.gate == Gate::First);
            steps.step(&Step {
                kernel: &self.kernels.gate,
                sizes: &[
                    number(count),
                    number(width),
                    activation(layer.activation),
                    first,
                ],
                given: [Some(&desk.inner), None, None],
                results: &desk.narrow,
                groups: [width.div_ceil(THREADS), self.down(count)],
            });
            self.multiply(steps, &layer.down, none, &desk.narrow, &desk.answer, count);
        }
        self.leave(steps, &layer.feed_forward_norms, desk, count);
    }

    /// What a part is given.
    fn enter<'a>(
        &self,
        steps: &mut Steps,
        [before, ..]: &[Option<Norm>; 3],
        desk: &'a Desk,
        count: usize,
    ) -> &'a Memory {
        match before {
            Some(norm) => {
                self.normalize(
                    steps,
                    norm,
                    Form::OfSource,
                    Some(&desk.rows),
                    &desk.normed,
                    count,
                );
                &desk.normed
            }
            None => &desk.rows,
        }
    }

    /// Joins what a part answered to what it was given.
    fn leave(
        &self,
        steps: &mut Steps,
        [_, after, between]: &[Option<Norm>; 3],
        desk: &Desk,
        count: usize,
    ) {
        let answer = Some(&desk.answer);
        match (after, between) {
            (None, None) => self.add(steps, &desk.answer, &desk.rows, count),
            (Some(after), None) => {
                self.normalize(steps, after, Form::Joined, answer, &desk.rows, count);
            }
            (after, Some(between)) => {
                if let Some(after) = after {
                    self.normalize(steps, after, Form::InPlace, None, &desk.answer, count);
                }
                self.normalize(steps, between, Form::OfSum, answer, &desk.rows, count);
            }
        }
    }

    fn multiply(
        &self,
        steps: &mut Steps,
        linear: &Linear,
        kind: Activation,
        given: &Memory,
        results: &Memory,
        count: usize,
    ) {
        for band in &linear.bands {
            steps.step(&Step {
                kernel: &self.kernels.product,
                sizes: &[
                    number(count),
                    number(linear.inputs),
                    number(band.outputs),
                    number(filled(band.outputs)),
                    number(band.first),
                    number(linear.outputs),
                    activation(kind),
                ],
                given: [Some(given), Some(&band.weights), Some(&linear.bias)],
                results,
                groups: [
                    band.outputs.div_ceil(PRODUCT_SIDE),
                    count.div_ceil(PRODUCT_SIDE),
                ],
            });
        }
    }

    /// Projected rows to what each token gathers of its text.
    fn attend(
        &self,
        steps: &mut Steps,
        layer: &AttentionLayer,
        desk: &Desk,
        [count, blocks]: [usize; 2],
    ) {
        let (query_width, key_width) = (layer.heads * layer.size, layer.key_heads * layer.size);
        let stride = query_width + 2 * key_width;
        let norms = [
            (&layer.query_norm, 0, query_width),
            (&layer.key_norm, query_width, key_width),
        ];
        for (norm, column, width) in norms {
            if let Some(norm) = norm {
                let place = [stride, column, width];
                let form = Form::InPlace;
                self.normalize_within(steps, norm, form, None, &desk.projected, count, place);
            }
        }
        if let Some((angles, width)) = &layer.rotary {
            // Heads of keys stand behind those of queries.
            let heads = layer.heads + layer.key_heads;
            steps.step(&Step {
                kernel: &self.kernels.turn,
                sizes: &[count, stride, heads, layer.size, *width].map(number),
                given: [Some(&desk.places), Some(angles), None],
                results: &desk.projected,
                groups: [(heads * width / 2).div_ceil(THREADS), self.down(count)],
            });
        }
        steps.step(&Step {
            kernel: self.kernels.attention(layer.size),
            sizes: &layer.sizes,
            given: [
                Some(&desk.blocks),
                Some(&desk.projected),
                layer.distances.as_ref(),
            ],
            results: &desk.context,
            groups: [blocks, layer.heads],
        });
    }

    fn normalize(
        &self,
        steps: &mut Steps,
        norm: &Norm,
        form: Form,
        source: Option<&Memory>,
        results: &Memory,
        count: usize,
    ) {
        let place = [norm.width, 0, norm.width];
        self.normalize_within(steps, norm, form, source, results, count, place);
    }

    /// Some numbers of every row: the place is the row's width, the first of them, and how many they are.
    #[expect(
        clippy::too_many_arguments,
        reason = "all that a norm can be, in one place"
    )]
    fn normalize_within(
        &self,
        steps: &mut Steps,
        norm: &Norm,
        form: Form,
        source: Option<&Memory>,
        results: &Memory,
        count: usize,
        [stride, column, width]: [usize; 3],
    ) {
        steps.step(&Step {
            kernel: &self.kernels.norm,
            sizes: &[
                number(count),
                number(stride),
                number(column),
                number(norm.width),
                norm.kind,
                form as u32,
                u32::from(norm.bias.is_some()),
                norm.epsilon.to_bits(),
            ],
            given: [source, Some(&norm.weight), norm.bias.as_ref()],
            results,
            groups: [width / norm.width, self.down(count)],
        });
    }

    /// Adds rows to rows.
    fn add(&self, steps: &mut Steps, source: &Memory, results: &Memory, count: usize) {
        const NO_NORM: u32 = 2;
        let width = number(self.widths.rows);
        steps.step(&Step {
            kernel: &self.kernels.norm,
            sizes: &[number(count), width, 0, width, NO_NORM, Form::Joined as u32],
            given: [Some(source), None, None],
            results,
            groups: [1, self.down(count)],
        });
    }

    /// Groups for so many rows, of which each takes every so many.
    fn down(&self, count: usize) -> usize {
        count.min(self.device.groups())
    }
}

impl Kernels {
    fn new(device: &Device) -> Self {
        const ACTIVATION: &str = include_str!("activation.wgsl");
        Kernels {
            product: device.kernel(&[ACTIVATION, include_str!("product.wgsl")]),
            norm: device.kernel(&[include_str!("norm.wgsl")]),
            gate: device.kernel(&[ACTIVATION, include_str!("gate.wgsl")]),
            turn: device.kernel(&[include_str!("turn.wgsl")]),
            attention: Vec::new(),
        }
    }

    /// Makes the kernel for heads of so many numbers.
    fn prepare(&mut self, device: &Device, size: usize) {
        if self.attention.iter().all(|(known, _)| *known != size) {
            let kernel = device.kernel(&[
                &format!("const SIZE: u32 = {size}u;\n"),
                include_str!("activation.wgsl"),
                include_str!("attention.wgsl"),
            ]);
            self.attention.push((size, kernel));
        }
    }

    fn attention(&self, size: usize) -> &Kernel {
        let known = self.attention.iter().find(|(known, _)| *known == size);
        &known.expect("a kernel was made for each layer").1
    }
}

impl Layer {
    fn upload(
        device: &Device,
        layer: network::Layer,
        shared: &mut Shared,
    ) -> Result<Self, ModelError> {
        let network::Layer {
            attention,
            attention_norms,
            feed_forward,
            feed_forward_norms,
        } = layer;
        let norms = |Norms {
                         before,
                         after,
                         between,
                     }: Norms| {
            [before, after, between].map(|norm| norm.map(|norm| Norm::upload(device, &norm)))
        };
        Ok(Layer {
            attention: AttentionLayer::upload(device, &attention, shared)?,
            attention_norms: norms(attention_norms),
            up: Linear::upload(device, &feed_forward.up)?,
            down: Linear::upload(device, &feed_forward.down)?,
            activation: feed_forward.activation,
            gate: feed_forward.gate,
            feed_forward_norms: norms(feed_forward_norms),
        })
    }
}

impl AttentionLayer {
    fn upload(
        device: &Device,
        attention: &Attention,
        shared: &mut Shared,
    ) -> Result<Self, ModelError> {
        const SLOPES: u32 = 1;
        const CLASSES: u32 = 2;
        let norm = |norm: &Option<norm::Norm>| norm.as_ref().map(|norm| Norm::upload(device, norm));
        let (kind, farthest) = match attention.distance.as_deref() {
            None => (0, 0),
            Some(Distance::Alibi(_)) => (SLOPES, 0),
            Some(Distance::Buckets { farthest, .. }) => (CLASSES, *farthest),
        };
        Ok(AttentionLayer {
            project: Linear::upload(device, &attention.project)?,
            output: Linear::upload(device, &attention.output)?,
            heads: attention.heads,
            key_heads: attention.key_heads,
            size: attention.size,
            sizes: [
                number(attention.heads),
                number(attention.key_heads),
                u32::from(attention.sight.causal),
                attention.sight.reach.map_or(u32::MAX, number),
                attention.factor.to_bits(),
                attention.cap.unwrap_or(0.0).to_bits(),
                kind,
                number(farthest),
            ],
            distances: attention
                .distance
                .as_ref()
                .map(|distance| shared.distances(device, distance, attention.heads)),
            rotary: attention
                .rotary
                .as_ref()
                .map(|rotary| (shared.angles(device, rotary), rotary.width)),
            query_norm: norm(&attention.query_norm),
            key_norm: norm(&attention.key_norm),
        })
    }
}

impl Linear {
    fn upload(device: &Device, linear: &linear::Linear) -> Result<Self, ModelError> {
        let (inputs, outputs) = (linear.inputs(), linear.outputs());
        let most = device.largest / (4 * inputs) / PRODUCT_SIDE * PRODUCT_SIDE;
        if most == 0 {
            return Err(unusable(
                format!("a matrix with {inputs} inputs is too large for the device"),
                Some("take the device `cpu`"),
            ));
        }
        let mut bands = Vec::new();
        for first in (0..outputs).step_by(most) {
            let width = most.min(outputs - first);
            let mut values = vec![0.0; inputs * filled(width)];
            linear.read_outputs(first, width, &mut values, filled(width));
            bands.push(Band {
                weights: device.hold(&values),
                first,
                outputs: width,
            });
        }
        let bias = linear
            .bias()
            .map_or_else(|| device.room(outputs), |bias| device.hold(bias));
        Ok(Linear {
            bands,
            bias,
            inputs,
            outputs,
        })
    }
}

impl Norm {
    fn upload(device: &Device, norm: &norm::Norm) -> Self {
        Norm {
            kind: match norm.kind {
                norm::Kind::Layer => 0,
                norm::Kind::RootMeanSquare => 1,
            },
            weight: device.hold(&norm.weight),
            bias: norm.bias.as_ref().map(|bias| device.hold(bias)),
            width: norm.weight.len(),
            epsilon: norm.epsilon,
        }
    }
}

impl Widths {
    fn widen(&mut self, layer: &network::Layer) {
        let (attention, feed_forward) = (&layer.attention, &layer.feed_forward);
        self.projected = self.projected.max(attention.project.outputs());
        self.context = self.context.max(attention.heads * attention.size);
        self.inner = self.inner.max(feed_forward.up.outputs());
        if feed_forward.gate != Gate::None {
            self.narrow = self.narrow.max(feed_forward.up.outputs() / 2);
        }
    }

    fn widest(&self) -> usize {
        [self.rows, self.projected, self.context, self.inner]
            .into_iter()
            .fold(4, usize::max)
    }
}

impl Shared {
    fn angles(&mut self, device: &Device, rotary: &Arc<Rotary>) -> Memory {
        if let Some((_, memory)) = self
            .angles
            .iter()
            .find(|(known, _)| Arc::ptr_eq(known, rotary))
        {
            return memory.clone();
        }
        let memory = device.hold(&rotary.table);
        self.angles.push((Arc::clone(rotary), memory.clone()));
        memory
    }

    /// A head's slope each, or a head's numbers for all distances that are told apart.
    fn distances(&mut self, device: &Device, distance: &Arc<Distance>, heads: usize) -> Memory {
        let same = |known: &Arc<Distance>| Arc::ptr_eq(known, distance);
        if let Some((_, memory)) = self.distances.iter().find(|(known, _)| same(known)) {
            return memory.clone();
        }
        let memory = match &**distance {
            Distance::Alibi(slopes) => device.hold(slopes),
            Distance::Buckets { farthest, .. } => {
                let mut line = Vec::new();
                let lines = (0..heads).flat_map(|head| {
                    distance.line(head, farthest + 1, &mut line);
                    line.clone()
                });
                device.hold(&lines.collect::<Vec<f32>>())
            }
        };
        self.distances.push((Arc::clone(distance), memory.clone()));
        memory
    }
}

/// Outputs of a band with those that it is filled up to.
fn filled(outputs: usize) -> usize {
    outputs.next_multiple_of(PRODUCT_SIDE)
}

/// The number of `activation.wgsl`.
fn activation(activation: Activation) -> u32 {
    match activation {
        Activation::Identity => 0,
        Activation::Gelu => 1,
        Activation::GeluTanh => 2,
        Activation::Silu => 3,
        Activation::Relu => 4,
        Activation::Tanh => 5,
    }
}

/// A size as a device counts; all that can be held are below its largest number.
fn number(size: usize) -> u32 {
    u32::try_from(size).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::local::attention::Sight;
    use crate::local::gpu::Kind;
    use crate::local::network::{Desk, FeedForward, run_layers};

    /// The device to test on; `None`, said on stderr, where there is none.
    fn device() -> Option<Device> {
        for kind in [Kind::Hardware, Kind::Software] {
            match Device::open(kind) {
                Ok(device) => return Some(device),
                Err(error) => eprintln!("skipped: {error}"),
            }
        }
        None
    }

    /// Numbers of some size that look like chance, other ones at each call.
    struct Chance(u64);

    impl Chance {
        fn numbers(&mut self, count: usize, size: f32) -> Vec<f32> {
            let mut next = || {
                self.0 = self
                    .0
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                let bits = u16::try_from(self.0 >> 48).unwrap();
                size * (f32::from(bits) / 32768.0 - 1.0)
            };
            (0..count).map(|_| next()).collect()
        }

        fn linear(&mut self, inputs: usize, outputs: usize) -> linear::Linear {
            let size = (3.0 / inputs as f32).sqrt();
            let weights = self.numbers(inputs * outputs, size);
            let bias = outputs
                .is_multiple_of(2)
                .then(|| self.numbers(outputs, 1.0));
            linear::Linear::made(inputs, outputs, weights, bias)
        }

        fn norm(&mut self, kind: norm::Kind, width: usize) -> norm::Norm {
            let bias = (kind == norm::Kind::Layer).then(|| self.numbers(width, 1.0));
            norm::Norm {
                kind,
                weight: self.numbers(width, 2.0),
                bias,
                epsilon: 1e-5,
            }
        }
    }

    /// Widths of a row, of a head, and between `up` and `down`; heads, and heads of keys.
    struct Shape {
        width: usize,
        size: usize,
        inner: usize,
        heads: usize,
        key_heads: usize,
    }

    fn layer(chance: &mut Chance, shape: &Shape, norms: [Norms; 2]) -> network::Layer {
        let Shape {
            width,
            size,
            inner,
            heads,
            key_heads,
        } = *shape;
        let project = chance.linear(width, (heads + 2 * key_heads) * size);
        let output = chance.linear(heads * size, width);
        let [attention_norms, feed_forward_norms] = norms;
        network::Layer {
            attention: Attention {
                key_heads,
                ..Attention::plain(project, output, heads, size)
            },
            attention_norms,
            feed_forward: FeedForward {
                up: chance.linear(width, inner),
                down: chance.linear(inner, width),
                activation: Activation::Gelu,
                gate: Gate::None,
            },
            feed_forward_norms,
        }
    }

    fn gated(chance: &mut Chance, shape: &Shape, gate: Gate, kind: Activation) -> FeedForward {
        FeedForward {
            up: chance.linear(shape.width, 2 * shape.inner),
            down: chance.linear(shape.inner, shape.width),
            activation: kind,
            gate,
        }
    }

    /// The layers on the processor and on a device that binds no more than so many bytes.
    fn check(layers: Vec<network::Layer>, norm: &norm::Norm, largest: Option<usize>) {
        let Some(mut device) = device() else { return };
        device.largest = largest.unwrap_or(device.largest);
        let lengths = [1, 33, 130, 64, 7];
        let (count, width) = (lengths.iter().sum(), norm.weight.len());
        let mut desk = Desk::default();
        desk.rows.reshape(count, width);
        let given = Chance(9).numbers(count * width, 1.0);
        desk.rows.all_mut().copy_from_slice(&given);
        run_layers(&layers, Some(norm), &lengths, &mut desk);
        let expected = desk.rows.all().to_vec();
        let network = Network::upload(device, layers, Some(norm), width).unwrap();
        // Twice, in room that holds what the first run left.
        for _ in 0..2 {
            desk.rows.all_mut().copy_from_slice(&given);
            network.run(&mut desk.rows, &lengths).unwrap();
            for (place, (ours, theirs)) in desk.rows.all().iter().zip(&expected).enumerate() {
                assert!(
                    (ours - theirs).abs() < 2e-4,
                    "row {}, number {}: {ours} on the device, {theirs} on the processor",
                    place / width,
                    place % width
                );
            }
        }
    }

    #[test]
    fn matrices_in_bands_give_what_whole_ones_give() {
        let chance = &mut Chance(1);
        let shape = Shape {
            width: 100,
            size: 80,
            inner: 350,
            heads: 3,
            key_heads: 3,
        };
        let mut norms = || Norms {
            before: Some(chance.norm(norm::Kind::Layer, 100)),
            ..Norms::default()
        };
        let norms = [norms(), norms()];
        let layers = vec![layer(chance, &shape, norms)];
        let norm = chance.norm(norm::Kind::Layer, 100);
        // 128 outputs of `output`, and 350 or 192 of the others, in one piece; rows of 720 numbers for 235 tokens.
        check(layers, &norm, Some(4 * 720 * 240));
    }

    #[test]
    fn shared_heads_windows_and_turns_are_as_on_the_processor() {
        let chance = &mut Chance(2);
        let shape = Shape {
            width: 96,
            size: 128,
            inner: 130,
            heads: 4,
            key_heads: 2,
        };
        let kind = norm::Kind::RootMeanSquare;
        let rotary = Arc::new(Rotary::new(64, 10_000.0, 1.0, 200));
        let mut layers = Vec::new();
        for causal in [true, false] {
            let mut norms = || Norms {
                before: Some(chance.norm(kind, 96)),
                after: Some(chance.norm(kind, 96)),
                between: None,
            };
            let norms = [norms(), norms()];
            let mut layer = layer(chance, &shape, norms);
            layer.feed_forward = gated(chance, &shape, Gate::First, Activation::Silu);
            layer.attention.sight = Sight {
                causal,
                reach: Some(40),
            };
            layer.attention.cap = Some(3.0);
            layer.attention.rotary = Some(Arc::clone(&rotary));
            layer.attention.query_norm = Some(chance.norm(kind, 128));
            layer.attention.key_norm = Some(chance.norm(kind, 2 * 128));
            layers.push(layer);
        }
        check(layers, &chance.norm(kind, 96), None);
    }

    #[test]
    fn distances_and_every_norm_are_as_on_the_processor() {
        let chance = &mut Chance(3);
        let shape = Shape {
            width: 70,
            size: 33,
            inner: 65,
            heads: 5,
            key_heads: 5,
        };
        let kind = norm::Kind::Layer;
        let table = chance.numbers(8 * 5, 1.0);
        let classes = Distance::Buckets {
            table,
            buckets: 8,
            heads: 5,
            farthest: 20,
        };
        let mut layers = Vec::new();
        for distance in [Distance::alibi(5), classes].map(Arc::new) {
            for activation in [Activation::GeluTanh, Activation::Tanh, Activation::Relu] {
                let mut norms = || Norms {
                    before: Some(chance.norm(kind, 70)),
                    after: Some(chance.norm(kind, 70)),
                    between: Some(chance.norm(kind, 70)),
                };
                let norms = [norms(), norms()];
                let mut layer = layer(chance, &shape, norms);
                layer.feed_forward = gated(chance, &shape, Gate::Second, activation);
                layer.attention.distance = Some(Arc::clone(&distance));
                layers.push(layer);
            }
        }
        check(layers, &chance.norm(kind, 70), None);
    }

    #[test]
    fn a_text_beyond_the_device_is_refused() {
        let Some(mut device) = device() else { return };
        let chance = &mut Chance(4);
        let shape = Shape {
            width: 8,
            size: 4,
            inner: 64,
            heads: 2,
            key_heads: 2,
        };
        let layers = vec![layer(chance, &shape, [Norms::default(), Norms::default()])];
        device.largest = 4 * 64 * 64;
        let network = Network::upload(device, layers, None, 8).unwrap();
        assert_eq!(network.tokens(), 64);
        let mut rows = Rows::default();
        rows.reshape(65, 8);
        let error = network.run(&mut rows, &[65]).unwrap_err().to_string();
        assert!(error.contains("a text of 65 tokens"), "{error}");
        assert!(error.contains("hint: "), "{error}");
    }
}
