//! A transformer: token ids to a row of numbers for each token.
//!
//! In come the ids of some texts, one text after another; out go their rows after the last layer.
//! Every architecture of this crate is this one network with other parts: the files named after architectures say
//! which tensors become which parts, and this one runs them.
//! The one hard thing is that norms stand at four places and no architecture uses all of them:
//! `x + after(f(before(x)))`, then `between` over the sum.
//!
//! What this file does not do: it makes no texts into ids and no rows into one vector.

use super::attention::{Attention, Room};
use super::linear::{Band, Linear, Rows};
use super::norm::Norm;
use super::vector::{Activation, Kernel, add, add_row, fast, scale};
use super::weights::Tensor;

/// What a token is before the first layer.
pub(super) struct Embedding {
    pub(super) words: Tensor,
    /// Learned places, and the place of the first token.
    pub(super) places: Option<(Tensor, usize)>,
    /// Kinds of text: 0, or 1 for the second of a pair.
    pub(super) kinds: Option<Tensor>,
    pub(super) factor: Option<f32>,
    pub(super) norm: Option<Norm>,
}

/// The norms around attention or a feed-forward part.
#[derive(Default)]
pub(super) struct Norms {
    pub(super) before: Option<Norm>,
    pub(super) after: Option<Norm>,
    pub(super) between: Option<Norm>,
}

/// The part of a layer that looks at each token alone.
pub(super) struct FeedForward {
    pub(super) up: Linear,
    pub(super) down: Linear,
    pub(super) activation: Activation,
    pub(super) gate: Gate,
}

/// Whether the numbers between `up` and `down` are a product of two halves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Gate {
    /// They are not.
    None,
    /// They are, and the first half is activated.
    First,
    /// They are, and the second half is activated.
    Second,
}

/// Attention, then feed-forward.
pub(super) struct Layer {
    pub(super) attention: Attention,
    pub(super) attention_norms: Norms,
    pub(super) feed_forward: FeedForward,
    pub(super) feed_forward_norms: Norms,
}

/// The whole of it.
pub(super) struct Network {
    pub(super) embedding: Embedding,
    pub(super) layers: Vec<Layer>,
    /// After the last layer.
    pub(super) norm: Option<Norm>,
    pub(super) width: usize,
    /// Ids are below it.
    pub(super) vocabulary: usize,
    /// Tokens that a text can have, where places are learned or turned by a table.
    pub(super) longest: usize,
}

/// The numbers of a run, kept from one to the next so that memory is asked for once.
#[derive(Default)]
pub(super) struct Desk {
    pub(super) rows: Rows,
    normed: Rows,
    answer: Rows,
    inner: Rows,
    narrow: Rows,
    room: Room,
    pub(super) band: Band,
}

impl Network {
    /// The rows of all tokens. `lengths` are the texts' numbers of ids, none of them 0; `kinds` the kind of each
    /// token, 0 where there is none.
    pub(super) fn run<'a>(
        &self,
        ids: &[u32],
        kinds: Option<&[u32]>,
        lengths: &[usize],
        desk: &'a mut Desk,
    ) -> &'a Rows {
        self.embed(ids, kinds, lengths, desk);
        run_layers(&self.layers, self.norm.as_ref(), lengths, desk);
        &desk.rows
    }

    /// The rows of all tokens before the first layer, in the place of those after the last.
    pub(super) fn embed<'a>(
        &self,
        ids: &[u32],
        kinds: Option<&[u32]>,
        lengths: &[usize],
        desk: &'a mut Desk,
    ) -> &'a mut Rows {
        let Embedding {
            words,
            places,
            kinds: kind_table,
            factor,
            norm,
        } = &self.embedding;
        let (rows, width) = (&mut desk.rows, self.width);
        rows.reshape(ids.len(), width);
        let mut other = vec![0.0; width];
        let mut tokens = ids
            .iter()
            .enumerate()
            .zip(rows.all_mut().chunks_exact_mut(width));
        for &length in lengths {
            for (place, ((token, &id), row)) in tokens.by_ref().take(length).enumerate() {
                words.read(id as usize * width, row);
                if let Some(factor) = factor {
                    scale(row, *factor);
                }
                if let Some((table, first)) = places {
                    table.read((first + place) * width, &mut other);
                    add(row, &other);
                }
                if let Some(table) = kind_table {
                    let kind = kinds.map_or(0, |kinds| kinds[token] as usize);
                    table.read(kind * width, &mut other);
                    add(row, &other);
                }
            }
        }
        if let Some(norm) = norm {
            norm.apply(rows.all_mut());
        }
        rows
    }
}

/// Changes the desk's rows from those before the first layer to those after the last, and after the norm behind it.
pub(super) fn run_layers(
    layers: &[Layer],
    norm: Option<&Norm>,
    lengths: &[usize],
    desk: &mut Desk,
) {
    for layer in layers {
        let Desk {
            rows,
            normed,
            answer,
            inner,
            narrow,
            room,
            band,
        } = desk;
        let norms = &layer.attention_norms;
        layer
            .attention
            .apply(norms.enter(rows, normed), lengths, answer, room, band);
        norms.leave(rows, answer);
        let norms = &layer.feed_forward_norms;
        layer
            .feed_forward
            .apply(norms.enter(rows, normed), answer, inner, narrow, band);
        norms.leave(rows, answer);
    }
    if let Some(norm) = norm {
        norm.apply(desk.rows.all_mut());
    }
}

impl Norms {
    /// What the part is given.
    fn enter<'a>(&self, rows: &'a Rows, normed: &'a mut Rows) -> &'a Rows {
        match &self.before {
            Some(norm) => {
                norm.apply_to(rows, normed);
                normed
            }
            None => rows,
        }
    }

    /// Joins what the part answered to what it was given.
    fn leave(&self, rows: &mut Rows, answer: &mut Rows) {
        if let Some(norm) = &self.after {
            norm.apply(answer.all_mut());
        }
        match &self.between {
            Some(norm) => norm.add_and_apply(rows, answer),
            None => fast::<AddAll, _>((rows.all_mut(), answer.all())),
        }
    }
}

struct AddAll;

impl Kernel<(&mut [f32], &[f32])> for AddAll {
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instructions chosen at run time"
    )]
    #[inline(always)]
    fn run((rows, others): (&mut [f32], &[f32])) {
        add(rows, others);
    }
}

impl FeedForward {
    fn apply(
        &self,
        rows: &Rows,
        target: &mut Rows,
        inner: &mut Rows,
        narrow: &mut Rows,
        band: &mut Band,
    ) {
        let bias = self.up.apply_without_bias(rows, inner, band);
        if self.gate == Gate::None {
            match bias {
                Some(bias) => self.activation.apply_with_bias(inner.all_mut(), bias),
                None => self.activation.apply(inner.all_mut()),
            }
            return self.down.apply(inner, target, band);
        }
        if let Some(bias) = bias {
            add_row(inner.all_mut(), bias);
        }
        let width = self.up.outputs() / 2;
        self.activation
            .apply_gated(inner.all_mut(), width, self.gate == Gate::First);
        narrow.reshape(inner.count, width);
        for (row, gated) in narrow
            .all_mut()
            .chunks_exact_mut(width)
            .zip(inner.all().chunks_exact(2 * width))
        {
            row.copy_from_slice(&gated[..width]);
        }
        self.down.apply(narrow, target, band);
    }
}
