//! Token ids → vectors of length 1, and the gradients of vectors → the gradients of the encoder's tensors.
//!
//! Texts follow one another without padding, so only real tokens cost time. The way forward stores on a [`Tape`] what
//! the way back needs; without a tape it stores nothing beyond the current layer. The one hard thing is that
//! gradients have the same bits on any number of threads; `rows` and `attention` describe the method.
//!
//! Not in this file: dropout. None is applied.

use barecode_models::Pooling;
use barecode_tokens::Ids;

use super::Encoder;
use super::rows::{
    Columns, Dense, NormOf, Onto, backward_bias, backward_weight, gelu, gelu_backward,
};
use crate::parts::{Layer, Linear, Norm, Piece};
use crate::vector::{add, dot};

/// Buffers that are used again, so that memory is requested once.
#[derive(Default)]
pub struct Room(Vec<Vec<f32>>);

impl Room {
    /// A buffer with arbitrary content.
    fn take(&mut self, count: usize) -> Vec<f32> {
        let fits = |buffer: &Vec<f32>| buffer.capacity() >= count;
        let best = (0..self.0.len())
            .filter(|&i| fits(&self.0[i]))
            .min_by_key(|&i| self.0[i].capacity());
        let mut buffer = if let Some(i) = best {
            self.0.swap_remove(i)
        } else {
            // A buffer that is a little too small is likely of the same use, and would otherwise stay unused.
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

/// The numbers that a layer stores for its way back.
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

/// The numbers that the way forward stores for the way back.
pub struct Tape {
    lengths: Vec<usize>,
    /// The rows of words, positions and kinds that each token takes.
    tokens: [Vec<u32>; 3],
    embedding: Normed,
    layers: Vec<LayerTape>,
    /// The vectors, and their lengths before these were brought to 1.
    vectors: Vec<f32>,
    norms: Vec<f32>,
}

/// A gradient for each tensor that is trained, in the order of the tensors.
pub struct Gradients(pub Vec<Option<Vec<f32>>>);

impl Gradients {
    /// Zeros for the tensors for which `trained` returns true.
    pub fn new(encoder: &Encoder, trained: impl Fn(usize) -> bool) -> Self {
        let tensors = encoder.tensors.iter().enumerate();
        Gradients(
            tensors
                .map(|(i, tensor)| trained(i).then(|| vec![0.0; tensor.values.len()]))
                .collect(),
        )
    }

    /// Zeros again.
    pub fn clear(&mut self) {
        for gradient in self.0.iter_mut().flatten() {
            gradient.fill(0.0);
        }
    }

    /// Gradients of the weight and the bias of a norm.
    fn of_norm(&mut self, norm: &Norm) -> Option<(&mut [f32], &mut [f32])> {
        let places = [norm.weight.place, norm.bias.as_ref()?.place];
        match self.0.get_disjoint_mut(places) {
            Ok([Some(weight), Some(bias)]) => Some((weight, bias)),
            _ => None,
        }
    }

    /// Adds the gradients of a dense layer's weights and biases.
    fn dense(&mut self, linear: &Linear, gradient: &[f32], input: &[f32]) {
        for (piece, columns) in columns(linear) {
            if let Some(sum) = &mut self.0[piece.weight.place] {
                backward_weight(gradient, columns, input, linear.inputs, sum);
            }
            if let Some(sum) = piece.bias.and_then(|bias| self.0[bias].as_mut()) {
                backward_bias(gradient, columns, sum);
            }
        }
    }

    /// Returns `true` if anything before this tensor is trained.
    fn any_before(&self, tensor: usize) -> bool {
        self.0[..tensor].iter().any(Option::is_some)
    }
}

/// The pieces of a dense layer, with their columns.
fn columns(linear: &Linear) -> impl Iterator<Item = (&Piece, Columns)> {
    let mut first = 0;
    linear.pieces.iter().map(move |piece| {
        first += piece.outputs;
        let columns = Columns {
            stride: linear.outputs,
            first: first - piece.outputs,
        };
        (piece, columns)
    })
}

/// The norm of a trainable encoder, which is always set.
fn known(norm: Option<&Norm>) -> &Norm {
    norm.expect("an encoder without it is refused when it is read")
}

impl Encoder {
    /// Bytes of the numbers that the way forward of a token stores on its tape, in a text of this length.
    pub fn bytes_a_token(&self, length: usize) -> usize {
        let Some(layer) = self.parts.layers.first() else {
            return 1;
        };
        let (width, inner) = (self.width(), layer.feed_forward.up.outputs);
        let heads = layer.attention.heads;
        4 * self.layers() * (8 * width + inner + heads * length) + 4 * (2 * inner + 8 * width)
    }

    fn dense(&self, piece: &Piece, inputs: usize) -> Dense<'_> {
        let bias = piece.bias.map(|place| &self.tensors[place].values[..]);
        Dense {
            weight: &self.tensors[piece.weight.place].values,
            bias: bias.unwrap_or_default(),
            inputs,
        }
    }

    fn norm(&self, norm: &Norm) -> NormOf<'_> {
        let bias = norm.bias.as_ref();
        NormOf {
            weight: &self.tensors[norm.weight.place].values,
            bias: bias.map_or(&[][..], |bias| &self.tensors[bias.place].values),
            epsilon: norm.epsilon,
        }
    }

    /// The outputs of a dense layer for every row.
    fn apply(&self, linear: &Linear, input: &[f32], output: &mut [f32]) {
        for (piece, columns) in columns(linear) {
            self.dense(piece, linear.inputs)
                .forward(input, output, columns);
        }
    }

    /// The gradient of a dense layer's input.
    fn apply_backward(&self, linear: &Linear, gradient: &[f32], input: &mut [f32], onto: Onto) {
        for (piece, columns) in columns(linear) {
            self.dense(piece, linear.inputs)
                .backward_input(gradient, columns, input, onto);
        }
    }

    /// The vectors of some texts, each of length 1; zeros of a text without a token.
    pub fn encode(&self, texts: &[&Ids], room: &mut Room) -> Vec<f32> {
        let tape = self.run(texts, room, false);
        let vectors = tape.vectors.clone();
        tape.drop_into(room);
        vectors
    }

    /// The same, with the tape that the way back needs.
    pub fn forward(&self, texts: &[&Ids], room: &mut Room) -> Tape {
        self.run(texts, room, true)
    }

    fn run(&self, texts: &[&Ids], room: &mut Room, keep: bool) -> Tape {
        let width = self.width();
        let first = self.parts.embedding.places.as_ref().map_or(0, |it| it.1);
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        let count: usize = lengths.iter().sum();
        let places = lengths.iter().flat_map(|&length| first..first + length);
        let place = |place| u32::try_from(place).unwrap_or(u32::MAX);
        let mut tape = Tape {
            tokens: [
                texts.iter().flat_map(|text| text.ids.clone()).collect(),
                places.map(place).collect(),
                texts.iter().flat_map(|text| text.kinds.clone()).collect(),
            ],
            lengths,
            embedding: Normed::take(count, width, room),
            layers: Vec::new(),
            vectors: vec![0.0; texts.len() * width],
            norms: vec![0.0; texts.len()],
        };
        let mut rows = room.take(count * width);
        self.embed(&mut tape, &mut rows);
        for layer in &self.parts.layers {
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

    /// The tables of the embedding, by their indices, with the rows that tokens take.
    fn tables<'t>(&self, tokens: &'t [Vec<u32>; 3]) -> impl Iterator<Item = (usize, &'t Vec<u32>)> {
        let embedding = &self.parts.embedding;
        let tables = [
            Some(&embedding.words),
            embedding.places.as_ref().map(|(places, _)| places),
            embedding.kinds.as_ref(),
        ];
        let places = tables.map(|table| table.map(|table| table.place));
        let pairs = places.into_iter().zip(tokens);
        pairs.filter_map(|(place, rows)| Some((place?, rows)))
    }

    fn embed(&self, tape: &mut Tape, output: &mut [f32]) {
        let width = self.width();
        let normed = &mut tape.embedding;
        for (round, (table, rows)) in self.tables(&tape.tokens).enumerate() {
            let table = &self.tensors[table].values;
            for (&from, row) in rows.iter().zip(normed.rows.chunks_exact_mut(width)) {
                let numbers = &table[from as usize * width..][..width];
                if round == 0 {
                    row.copy_from_slice(numbers);
                } else {
                    add(row, numbers);
                }
            }
        }
        self.norm(known(self.parts.embedding.norm.as_ref()))
            .forward(&mut normed.rows, None, &mut normed.scales, output);
    }

    fn layer(
        &self,
        layer: &Layer,
        input: Vec<f32>,
        lengths: &[usize],
        room: &mut Room,
    ) -> (Vec<f32>, LayerTape) {
        let (width, attention) = (self.width(), &layer.attention);
        let feed_forward = &layer.feed_forward;
        let (count, inner_width) = (input.len() / width, feed_forward.up.outputs);
        let mut projected = room.take(count * attention.project.outputs);
        self.apply(&attention.project, &input, &mut projected);
        let mut weights = room.take(attention.count_weights(lengths));
        let mut context = room.take(count * attention.output.inputs);
        attention.forward(&projected, lengths, &mut weights, &mut context);
        let mut first = Normed::take(count, width, room);
        self.apply(&attention.output, &context, &mut first.rows);
        let mut middle = room.take(count * width);
        self.norm(known(layer.attention_norms.between.as_ref()))
            .forward(
                &mut first.rows,
                Some(&input),
                &mut first.scales,
                &mut middle,
            );
        let mut inner = room.take(count * inner_width);
        self.apply(&feed_forward.up, &middle, &mut inner);
        let mut active = room.take(count * inner_width);
        gelu(&inner, &mut active);
        let mut second = Normed::take(count, width, room);
        self.apply(&feed_forward.down, &active, &mut second.rows);
        room.give(active);
        let mut output = room.take(count * width);
        self.norm(known(layer.feed_forward_norms.between.as_ref()))
            .forward(
                &mut second.rows,
                Some(&middle),
                &mut second.scales,
                &mut output,
            );
        let left = LayerTape {
            input,
            projected,
            weights,
            context,
            first,
            middle,
            inner,
            second,
        };
        (output, left)
    }

    fn pool(&self, rows: &[f32], tape: &mut Tape) {
        let width = self.width();
        let mut rows = rows.chunks_exact(width);
        let vectors = tape.vectors.chunks_exact_mut(width).zip(&mut tape.norms);
        for (&length, (vector, norm)) in tape.lengths.iter().zip(vectors) {
            for (i, row) in rows.by_ref().take(length).enumerate() {
                let weight = share(self.pooling, i, length);
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

    /// Adds the gradients that follow from the gradient of each vector.
    pub fn backward(
        &self,
        mut tape: Tape,
        of_vectors: &[f32],
        gradients: &mut Gradients,
        room: &mut Room,
    ) {
        let mut gradient = room.take(tape.embedding.rows.len());
        self.unpool(&tape, of_vectors, &mut gradient);
        for (place, layer) in self.parts.layers.iter().enumerate().rev() {
            let Some(left) = tape.layers.pop() else { break };
            if gradients.any_before(self.first_of(place + 1)) {
                let first = self.first_of(place);
                gradient = self.layer_backward(
                    (layer, first),
                    left,
                    &tape.lengths,
                    gradient,
                    gradients,
                    room,
                );
            } else {
                left.drop_into(room);
            }
        }
        if gradients.any_before(self.first_of(0)) {
            self.embed_backward(&tape, &mut gradient, gradients);
        }
        room.give(gradient);
        tape.drop_into(room);
    }

    fn unpool(&self, tape: &Tape, of_vectors: &[f32], gradient: &mut [f32]) {
        let width = self.width();
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
                let weight = share(self.pooling, i, length) * inverse;
                for ((value, of), unit) in row.iter_mut().zip(of_vector).zip(vector) {
                    *value = (of - unit * along) * weight;
                }
            }
        }
    }

    /// The way back of one layer, whose first tensor has the index `first`.
    fn layer_backward(
        &self,
        (layer, first): (&Layer, usize),
        left: LayerTape,
        lengths: &[usize],
        mut gradient: Vec<f32>,
        gradients: &mut Gradients,
        room: &mut Room,
    ) -> Vec<f32> {
        let (attention, feed_forward) = (&layer.attention, &layer.feed_forward);
        // The second half: gradient of the sum before the second norm, which is both branches' gradient.
        let norm = known(layer.feed_forward_norms.between.as_ref());
        self.norm_backward(norm, &mut gradient, &left.second, gradients);
        let mut wide = room.take(left.inner.len());
        if gradients.0[feed_forward.down.pieces[0].weight.place].is_some() {
            gelu(&left.inner, &mut wide);
        }
        gradients.dense(&feed_forward.down, &gradient, &wide);
        self.apply_backward(&feed_forward.down, &gradient, &mut wide, Onto::Fresh);
        gelu_backward(&left.inner, &mut wide);
        gradients.dense(&feed_forward.up, &wide, &left.middle);
        self.apply_backward(&feed_forward.up, &wide, &mut gradient, Onto::Sum);
        room.give(wide);
        // The first half, likewise.
        let norm = known(layer.attention_norms.between.as_ref());
        self.norm_backward(norm, &mut gradient, &left.first, gradients);
        gradients.dense(&attention.output, &gradient, &left.context);
        let mut context = room.take(left.context.len());
        self.apply_backward(&attention.output, &gradient, &mut context, Onto::Fresh);
        let mut projected = room.take(left.projected.len());
        attention.backward(
            &context,
            &left.projected,
            lengths,
            &left.weights,
            &mut projected,
        );
        room.give(context);
        gradients.dense(&attention.project, &projected, &left.input);
        if gradients.any_before(first) {
            self.apply_backward(&attention.project, &projected, &mut gradient, Onto::Sum);
        }
        room.give(projected);
        left.drop_into(room);
        gradient
    }

    fn norm_backward(
        &self,
        norm: &Norm,
        gradient: &mut [f32],
        normed: &Normed,
        gradients: &mut Gradients,
    ) {
        let own = gradients.of_norm(norm);
        self.norm(norm)
            .backward(gradient, &normed.rows, &normed.scales, own);
    }

    fn embed_backward(&self, tape: &Tape, gradient: &mut [f32], gradients: &mut Gradients) {
        let width = self.width();
        let norm = known(self.parts.embedding.norm.as_ref());
        self.norm_backward(norm, gradient, &tape.embedding, gradients);
        for (table, rows) in self.tables(&tape.tokens) {
            if let Some(sum) = &mut gradients.0[table] {
                for (&to, row) in rows.iter().zip(gradient.chunks_exact(width)) {
                    add(&mut sum[to as usize * width..], row);
                }
            }
        }
    }
}

/// The weight of row `i` of a text in its vector.
fn share(pooling: Pooling, i: usize, length: usize) -> f32 {
    let count = length as f32;
    match pooling {
        Pooling::First => f32::from(i == 0),
        Pooling::Last => f32::from(i + 1 == length),
        Pooling::MeanRoot => 1.0 / count.sqrt(),
        Pooling::WeightedMean => 2.0 * (i + 1) as f32 / (count * (count + 1.0)),
        // A maximum is refused when weights are read.
        Pooling::Mean | Pooling::Max => 1.0 / count,
    }
}

impl Tape {
    /// The vectors, one after another.
    pub fn vectors(&self) -> &[f32] {
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
    fn take(count: usize, width: usize, room: &mut Room) -> Self {
        Normed {
            rows: room.take(count * width),
            scales: room.take(count),
        }
    }

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
