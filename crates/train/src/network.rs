//! Token ids → vectors of length 1, and the gradients of vectors → the gradients of the encoder's tensors.
//!
//! Texts stand one after another without padding, so only real tokens cost time. The way forward keeps on a [`Tape`] what
//! the way back needs; without a tape it keeps nothing beyond the layer at work.
//! The one hard thing is that gradients have the same bits on any number of threads; `rows` and `attention` say how.
//!
//! What this file does not do: dropout. None is applied.

use barecode_models::Pooling;

use crate::attention::Heads;
use crate::rows::{
    Columns, Dense, Norm, Onto, backward_bias, backward_weight, dot, gelu, gelu_backward,
};
use crate::weights::{Weights, part};

/// A text as the network reads it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tokens {
    pub(crate) ids: Vec<u32>,
    pub(crate) kinds: Vec<u32>,
}

/// Buffers that are used again, so that memory is asked for once.
#[derive(Default)]
pub(crate) struct Room(Vec<Vec<f32>>);

impl Room {
    /// A buffer with anything in it.
    fn take(&mut self, count: usize) -> Vec<f32> {
        let fits = |buffer: &Vec<f32>| buffer.capacity() >= count;
        let best = (0..self.0.len())
            .filter(|&i| fits(&self.0[i]))
            .min_by_key(|&i| self.0[i].capacity());
        let mut buffer = if let Some(i) = best {
            self.0.swap_remove(i)
        } else {
            // One that is a little too small is likely of the same use, and would only lie about.
            let near = |buffer: &Vec<f32>| buffer.capacity() >= count / 2;
            if let Some(i) = self.0.iter().position(near) {
                self.0.swap_remove(i);
            }
            Vec::with_capacity(count + count / 8)
        };
        buffer.resize(count, 0.0);
        buffer
    }

    fn give(&mut self, buffer: Vec<f32>) {
        self.0.push(buffer);
    }
}

/// Rows after a norm: with mean 0 and variance 1, and the inverse of each row's standard deviation.
struct Normed {
    rows: Vec<f32>,
    scales: Vec<f32>,
}

/// What a layer leaves for its way back.
struct LayerTape {
    input: Vec<f32>,
    projected: Vec<f32>,
    weights: Vec<f32>,
    context: Vec<f32>,
    first: Normed,
    middle: Vec<f32>,
    inner: Vec<f32>,
    second: Normed,
}

/// What the way forward leaves for the way back.
pub(crate) struct Tape {
    lengths: Vec<usize>,
    ids: Vec<u32>,
    places: Vec<u32>,
    kinds: Vec<u32>,
    embedding: Normed,
    layers: Vec<LayerTape>,
    /// The vectors, and their lengths before these were brought to 1.
    vectors: Vec<f32>,
    norms: Vec<f32>,
}

/// A gradient for each tensor that is trained, in the order of the tensors.
pub(crate) struct Gradients(pub(crate) Vec<Option<Vec<f32>>>);

impl Gradients {
    /// Zeros for the tensors that this holds for.
    pub(crate) fn new(weights: &Weights, trained: impl Fn(usize) -> bool) -> Self {
        let tensors = weights.tensors.iter().enumerate();
        Gradients(
            tensors
                .map(|(i, tensor)| trained(i).then(|| vec![0.0; tensor.values.len()]))
                .collect(),
        )
    }

    pub(crate) fn clear(&mut self) {
        for gradient in self.0.iter_mut().flatten() {
            gradient.fill(0.0);
        }
    }

    /// Gradients of a weight and of the bias behind it.
    fn pair(&mut self, weight: usize) -> Option<(&mut [f32], &mut [f32])> {
        let (before, after) = self.0.split_at_mut(weight + 1);
        match (&mut before[weight], &mut after[0]) {
            (Some(weight), Some(bias)) => Some((weight, bias)),
            _ => None,
        }
    }

    /// Adds what a dense layer's way back brings.
    fn dense(
        &mut self,
        weight: usize,
        gradient: &[f32],
        columns: Columns,
        input: &[f32],
        inputs: usize,
    ) {
        if let Some(sum) = &mut self.0[weight] {
            backward_weight(gradient, columns, input, inputs, sum);
        }
        if let Some(sum) = &mut self.0[weight + 1] {
            backward_bias(gradient, columns, sum);
        }
    }

    /// Whether anything before this tensor is trained.
    fn any_before(&self, tensor: usize) -> bool {
        self.0[..tensor].iter().any(Option::is_some)
    }
}

/// Numbers that the way forward of a token keeps on its tape, in a text of this length, in bytes.
pub(crate) fn bytes_a_token(weights: &Weights, length: usize) -> usize {
    let sizes = &weights.sizes;
    4 * sizes.layers * (8 * sizes.width + sizes.inner + sizes.heads * length)
        + 4 * (2 * sizes.inner + 8 * sizes.width)
}

impl Weights {
    fn dense(&self, weight: usize) -> Dense<'_> {
        Dense {
            weight: &self.tensors[weight].values,
            bias: &self.tensors[weight + 1].values,
            inputs: self.tensors[weight].shape[1],
        }
    }

    fn norm(&self, weight: usize) -> Norm<'_> {
        Norm {
            weight: &self.tensors[weight].values,
            bias: &self.tensors[weight + 1].values,
            epsilon: self.sizes.epsilon,
        }
    }

    fn heads(&self) -> Heads {
        Heads {
            count: self.sizes.heads,
            size: self.sizes.width / self.sizes.heads,
        }
    }

    /// The vectors of some texts, each of length 1; zeros of a text without a token.
    pub(crate) fn encode(&self, texts: &[&Tokens], room: &mut Room) -> Vec<f32> {
        let tape = self.run(texts, room, false);
        let vectors = tape.vectors.clone();
        tape.drop_into(room);
        vectors
    }

    /// The same, with what the way back needs.
    pub(crate) fn forward(&self, texts: &[&Tokens], room: &mut Room) -> Tape {
        self.run(texts, room, true)
    }

    fn run(&self, texts: &[&Tokens], room: &mut Room, keep: bool) -> Tape {
        let width = self.sizes.width;
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let count: usize = lengths.iter().sum();
        let mut tape = Tape {
            ids: texts.iter().flat_map(|text| text.ids.clone()).collect(),
            kinds: texts.iter().flat_map(|text| text.kinds.clone()).collect(),
            places: lengths
                .iter()
                .flat_map(|&length| (0..length).map(|place| place + self.sizes.first_place))
                .map(|place| u32::try_from(place).unwrap_or(u32::MAX))
                .collect(),
            lengths,
            embedding: Normed {
                rows: room.take(count * width),
                scales: room.take(count),
            },
            layers: Vec::new(),
            vectors: vec![0.0; texts.len() * width],
            norms: vec![0.0; texts.len()],
        };
        let mut rows = room.take(count * width);
        self.embed(&mut tape, &mut rows);
        for layer in 0..self.sizes.layers {
            let (output, left) = self.layer(layer, rows, &tape.lengths, room);
            rows = output;
            if keep {
                tape.layers.push(left);
            } else {
                left.drop_into(room);
            }
        }
        self.pool(&rows, &mut tape);
        room.give(rows);
        tape
    }

    fn embed(&self, tape: &mut Tape, output: &mut [f32]) {
        let width = self.sizes.width;
        let [words, places, kinds] =
            [part::WORDS, part::PLACES, part::KINDS].map(|part| &self.tensors[part].values);
        let rows = tape.embedding.rows.chunks_exact_mut(width).enumerate();
        for (token, row) in rows {
            let at = |table: &[u32]| table[token] as usize * width;
            row.copy_from_slice(&words[at(&tape.ids)..][..width]);
            // In the order of the encoders' own pass, for the same bits.
            for (value, other) in row.iter_mut().zip(&places[at(&tape.places)..]) {
                *value += other;
            }
            for (value, other) in row.iter_mut().zip(&kinds[at(&tape.kinds)..]) {
                *value += other;
            }
        }
        let normed = &mut tape.embedding;
        self.norm(part::EMBEDDING_NORM)
            .forward(&mut normed.rows, None, &mut normed.scales, output);
    }

    fn layer(
        &self,
        layer: usize,
        input: Vec<f32>,
        lengths: &[usize],
        room: &mut Room,
    ) -> (Vec<f32>, LayerTape) {
        let (width, inner_width, heads) = (self.sizes.width, self.sizes.inner, self.heads());
        let count = input.len() / width;
        let mut projected = room.take(count * 3 * width);
        for (i, part) in [part::QUERY, part::KEY, part::VALUE]
            .into_iter()
            .enumerate()
        {
            let columns = Columns {
                stride: 3 * width,
                first: i * width,
            };
            self.dense(part::of(layer, part))
                .forward(&input, &mut projected, columns);
        }
        let mut weights = room.take(heads.weights(lengths));
        let mut context = room.take(count * width);
        heads.forward(&projected, lengths, &mut weights, &mut context);
        let mut first = Normed {
            rows: room.take(count * width),
            scales: room.take(count),
        };
        self.dense(part::of(layer, part::OUTPUT)).forward(
            &context,
            &mut first.rows,
            Columns::all(width),
        );
        let mut middle = room.take(count * width);
        self.norm(part::of(layer, part::FIRST_NORM)).forward(
            &mut first.rows,
            Some(&input),
            &mut first.scales,
            &mut middle,
        );
        let mut inner = room.take(count * inner_width);
        self.dense(part::of(layer, part::UP)).forward(
            &middle,
            &mut inner,
            Columns::all(inner_width),
        );
        let mut active = room.take(count * inner_width);
        gelu(&inner, &mut active);
        let mut second = Normed {
            rows: room.take(count * width),
            scales: room.take(count),
        };
        self.dense(part::of(layer, part::DOWN)).forward(
            &active,
            &mut second.rows,
            Columns::all(width),
        );
        room.give(active);
        let mut output = room.take(count * width);
        self.norm(part::of(layer, part::SECOND_NORM)).forward(
            &mut second.rows,
            Some(&middle),
            &mut second.scales,
            &mut output,
        );
        (
            output,
            LayerTape {
                input,
                projected,
                weights,
                context,
                first,
                middle,
                inner,
                second,
            },
        )
    }

    fn pool(&self, rows: &[f32], tape: &mut Tape) {
        let width = self.sizes.width;
        let mut rows = rows.chunks_exact(width);
        let vectors = tape.vectors.chunks_exact_mut(width).zip(&mut tape.norms);
        for (&length, (vector, norm)) in tape.lengths.iter().zip(vectors) {
            for (i, row) in rows.by_ref().take(length).enumerate() {
                let weight = share(self.sizes.pooling, i, length);
                if weight != 0.0 {
                    for (sum, value) in vector.iter_mut().zip(row) {
                        *sum += weight * value;
                    }
                }
            }
            *norm = dot(vector, vector).sqrt();
            if *norm > 1e-12 {
                for value in vector {
                    *value /= *norm;
                }
            }
        }
    }

    /// Adds to the gradients what the gradient of each vector brings.
    pub(crate) fn backward(
        &self,
        tape: Tape,
        of_vectors: &[f32],
        gradients: &mut Gradients,
        room: &mut Room,
    ) {
        let width = self.sizes.width;
        let mut tape = tape;
        let mut gradient = room.take(tape.ids.len() * width);
        self.unpool(&tape, of_vectors, &mut gradient);
        while let Some(left) = tape.layers.pop() {
            let layer = tape.layers.len();
            if !gradients.any_before(part::of(layer + 1, 0)) {
                left.drop_into(room);
                break;
            }
            gradient = self.layer_backward(layer, left, &tape.lengths, gradient, gradients, room);
        }
        if gradients.any_before(part::EMBEDDING) {
            self.embed_backward(&tape, &mut gradient, gradients);
        }
        room.give(gradient);
        tape.drop_into(room);
    }

    fn unpool(&self, tape: &Tape, of_vectors: &[f32], gradient: &mut [f32]) {
        let width = self.sizes.width;
        let mut rows = gradient.chunks_exact_mut(width);
        let texts = of_vectors
            .chunks_exact(width)
            .zip(tape.vectors.chunks_exact(width));
        for ((&length, &norm), (of_vector, vector)) in
            tape.lengths.iter().zip(&tape.norms).zip(texts)
        {
            let along = dot(of_vector, vector);
            let inverse = if norm > 1e-12 { 1.0 / norm } else { 0.0 };
            for (i, row) in rows.by_ref().take(length).enumerate() {
                let weight = share(self.sizes.pooling, i, length) * inverse;
                for ((value, of), unit) in row.iter_mut().zip(of_vector).zip(vector) {
                    *value = (of - unit * along) * weight;
                }
            }
        }
    }

    fn layer_backward(
        &self,
        layer: usize,
        left: LayerTape,
        lengths: &[usize],
        mut gradient: Vec<f32>,
        gradients: &mut Gradients,
        room: &mut Room,
    ) -> Vec<f32> {
        let (width, inner_width, heads) = (self.sizes.width, self.sizes.inner, self.heads());
        let count = gradient.len() / width;
        let at = |tensor| part::of(layer, tensor);
        let all = Columns::all(width);
        // The second half: gradient of the sum before the second norm, which is both branches' gradient.
        self.norm(at(part::SECOND_NORM)).backward(
            &mut gradient,
            &left.second.rows,
            &left.second.scales,
            gradients.pair(at(part::SECOND_NORM)),
        );
        let mut wide = room.take(count * inner_width);
        if gradients.0[at(part::DOWN)].is_some() {
            gelu(&left.inner, &mut wide);
        }
        gradients.dense(at(part::DOWN), &gradient, all, &wide, inner_width);
        self.dense(at(part::DOWN))
            .backward_input(&gradient, all, &mut wide, Onto::Fresh);
        gelu_backward(&left.inner, &mut wide);
        let inner = Columns::all(inner_width);
        gradients.dense(at(part::UP), &wide, inner, &left.middle, width);
        self.dense(at(part::UP))
            .backward_input(&wide, inner, &mut gradient, Onto::Sum);
        room.give(wide);
        // The first half, likewise.
        self.norm(at(part::FIRST_NORM)).backward(
            &mut gradient,
            &left.first.rows,
            &left.first.scales,
            gradients.pair(at(part::FIRST_NORM)),
        );
        gradients.dense(at(part::OUTPUT), &gradient, all, &left.context, width);
        let mut context = room.take(count * width);
        self.dense(at(part::OUTPUT))
            .backward_input(&gradient, all, &mut context, Onto::Fresh);
        let mut projected = room.take(count * 3 * width);
        heads.backward(
            &context,
            &left.projected,
            lengths,
            &left.weights,
            &mut projected,
        );
        room.give(context);
        for (i, part) in [part::QUERY, part::KEY, part::VALUE]
            .into_iter()
            .enumerate()
        {
            let columns = Columns {
                stride: 3 * width,
                first: i * width,
            };
            gradients.dense(at(part), &projected, columns, &left.input, width);
            if gradients.any_before(at(0)) {
                self.dense(at(part))
                    .backward_input(&projected, columns, &mut gradient, Onto::Sum);
            }
        }
        room.give(projected);
        left.drop_into(room);
        gradient
    }

    fn embed_backward(&self, tape: &Tape, gradient: &mut [f32], gradients: &mut Gradients) {
        let width = self.sizes.width;
        let own = gradients.pair(part::EMBEDDING_NORM);
        self.norm(part::EMBEDDING_NORM).backward(
            gradient,
            &tape.embedding.rows,
            &tape.embedding.scales,
            own,
        );
        let tables = [
            (part::WORDS, &tape.ids),
            (part::PLACES, &tape.places),
            (part::KINDS, &tape.kinds),
        ];
        for (table, places) in tables {
            if let Some(sum) = &mut gradients.0[table] {
                for (&place, row) in places.iter().zip(gradient.chunks_exact(width)) {
                    for (sum, value) in sum[place as usize * width..].iter_mut().zip(row) {
                        *sum += value;
                    }
                }
            }
        }
    }
}

/// How much row `i` of a text counts in its vector.
fn share(pooling: Pooling, i: usize, length: usize) -> f32 {
    let count = length as f32;
    match pooling {
        Pooling::First => f32::from(i == 0),
        Pooling::Last => f32::from(i + 1 == length),
        Pooling::MeanRoot => 1.0 / count.sqrt(),
        Pooling::WeightedMean => 2.0 * (i + 1) as f32 / (count * (count + 1.0)),
        // A maximum is refused where weights are read.
        Pooling::Mean | Pooling::Max => 1.0 / count,
    }
}

impl Tape {
    /// The vectors, one after another.
    pub(crate) fn vectors(&self) -> &[f32] {
        &self.vectors
    }

    fn drop_into(self, room: &mut Room) {
        self.embedding.drop_into(room);
        for layer in self.layers {
            layer.drop_into(room);
        }
    }
}

impl Normed {
    fn drop_into(self, room: &mut Room) {
        room.give(self.rows);
        room.give(self.scales);
    }
}

impl LayerTape {
    fn drop_into(self, room: &mut Room) {
        for buffer in [
            self.input,
            self.projected,
            self.weights,
            self.context,
            self.middle,
            self.inner,
        ] {
            room.give(buffer);
        }
        self.first.drop_into(room);
        self.second.drop_into(room);
    }
}
