//! A transformer: token ids to a row of numbers for each text.
//!
//! In come the ids of some texts; out go their tokens' rows after the last layer, pooled.
//! Every architecture of this crate is this one network with other parts, and this file runs them all.
//!
//! This file makes no texts into ids, and no vectors that can be compared.

use barecode_models::Pooling;
use barecode_tokens::Ids;

use super::attention::Room;
use super::linear::{Band, Rows};
use super::parts::{Embedding, FeedForward, Gate, Layer, Norms, Parts};
use super::pooling::pool;
use super::vector::{Kernel, add, add_row, fast, scale};

/// The numbers of a run, kept from one to the next so that memory is requested once.
#[derive(Default)]
pub(super) struct Buffers {
    rows: Rows,
    normed: Rows,
    answer: Rows,
    inner: Rows,
    narrow: Rows,
    room: Room,
    pub(super) band: Band,
}

impl Parts {
    /// A row of each text: its tokens' rows after the last layer, pooled. Every text has a token. `with_kinds` is
    /// true if the kinds of tokens are looked at; otherwise they count as 0.
    pub(super) fn pooled(
        &self,
        texts: &[&Ids],
        with_kinds: bool,
        pooling: Pooling,
        buffers: &mut Buffers,
    ) -> Rows {
        self.embed(texts, with_kinds, buffers);
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        for layer in &self.layers {
            layer.run(&lengths, buffers);
        }
        if let Some(norm) = &self.norm {
            norm.apply(buffers.rows.all_mut());
        }
        let mut pooled = Rows::default();
        pooled.reshape(texts.len(), self.width);
        let mut rest = buffers.rows.all();
        for (length, row) in lengths
            .into_iter()
            .zip(pooled.all_mut().chunks_exact_mut(self.width))
        {
            let (text, others) = rest.split_at(length * self.width);
            pool(pooling, text, row);
            rest = others;
        }
        pooled
    }

    /// The rows of all tokens before the first layer.
    fn embed(&self, texts: &[&Ids], with_kinds: bool, buffers: &mut Buffers) {
        let Embedding {
            words,
            places,
            kinds: kind_table,
            factor,
            norm,
        } = &self.embedding;
        let (rows, width) = (&mut buffers.rows, self.width);
        rows.reshape(texts.iter().map(|text| text.ids.len()).sum(), width);
        let mut other = vec![0.0; width];
        let mut all = rows.all_mut().chunks_exact_mut(width);
        for text in texts {
            let tokens = text.ids.iter().zip(&text.kinds).enumerate();
            for ((place, (&id, &kind)), row) in tokens.zip(all.by_ref()) {
                words.read(id as usize * width, row);
                if let Some(factor) = factor {
                    scale(row, *factor);
                }
                if let Some((table, first)) = places {
                    table.read((first + place) * width, &mut other);
                    add(row, &other);
                }
                if let Some(table) = kind_table {
                    let kind = if with_kinds { kind as usize } else { 0 };
                    table.read(kind * width, &mut other);
                    add(row, &other);
                }
            }
        }
        if let Some(norm) = norm {
            norm.apply(rows.all_mut());
        }
    }
}

impl Layer {
    fn run(&self, lengths: &[usize], buffers: &mut Buffers) {
        let Buffers {
            rows,
            normed,
            answer,
            inner,
            narrow,
            room,
            band,
        } = buffers;
        let norms = &self.attention_norms;
        self.attention
            .apply(norms.enter(rows, normed), lengths, answer, room, band);
        norms.leave(rows, answer);
        let norms = &self.feed_forward_norms;
        self.feed_forward
            .apply(norms.enter(rows, normed), answer, inner, narrow, band);
        norms.leave(rows, answer);
    }
}

impl Norms {
    /// The input of the part.
    fn enter<'a>(&self, rows: &'a Rows, normed: &'a mut Rows) -> &'a Rows {
        match &self.before {
            Some(norm) => {
                norm.apply_to(rows, normed);
                normed
            }
            None => rows,
        }
    }

    /// Joins the output of the part with its input.
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
        let width = self.up.outputs / 2;
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
