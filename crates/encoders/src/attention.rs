//! Attention: every token takes a weighted mean of the values of tokens of its text.
//!
//! In come the rows of some texts, one text after another without padding; out go rows of the same width.
//! Queries, keys and values are made for all texts at once. Scores are made text by text and head by head, so that no
//! text sees another and no product depends on one. The one hard thing is length: the scores of 8,192 tokens with
//! each other are 268 MB a head. So queries go through in blocks of [`BLOCK`], each with only the keys that it may
//! look at.
//!
//! This file stores no keys and values for a next token; an encoder has none.

use super::linear::{Band, Rows, View, matrix_product};
use super::parts::{Attention, Sight};
use super::vector::{Kernel, fast, scale_and_add, soft_cap, softmax};

/// Queries whose scores are in memory at a time.
const BLOCK: usize = 256;

impl Sight {
    /// The keys that a query sees.
    fn keys(self, query: usize, length: usize) -> (usize, usize) {
        let reach = self.reach.unwrap_or(length);
        let end = if self.causal {
            query + 1
        } else {
            (query + reach + 1).min(length)
        };
        (query.saturating_sub(reach), end)
    }
}

/// Room for one layer's numbers.
#[derive(Default)]
pub(super) struct Room {
    projected: Rows,
    context: Rows,
    scores: Vec<f32>,
    line: Vec<f32>,
}

impl Attention {
    /// The layer's answer to every row, without the row itself.
    pub(super) fn apply(
        &self,
        rows: &Rows,
        lengths: &[usize],
        target: &mut Rows,
        room: &mut Room,
        band: &mut Band,
    ) {
        let (query_width, key_width) = (self.heads * self.size, self.key_heads * self.size);
        let stride = query_width + 2 * key_width;
        self.project.apply(rows, &mut room.projected, band);
        let projected = room.projected.all_mut();
        if let Some(norm) = &self.query_norm {
            norm.apply_within(projected, stride, 0, query_width);
        }
        if let Some(norm) = &self.key_norm {
            norm.apply_within(projected, stride, query_width, key_width);
        }
        room.context.reshape(rows.count, query_width);
        let mut first = 0;
        for &length in lengths {
            let text = &mut projected[first * stride..(first + length) * stride];
            if let Some(rotary) = &self.rotary {
                rotary.apply(text, stride, 0, self.heads, self.size);
                rotary.apply(text, stride, query_width, self.key_heads, self.size);
            }
            let context =
                &mut room.context.values[first * query_width..(first + length) * query_width];
            let needed = BLOCK.min(length) * length;
            if room.scores.len() < needed {
                room.scores.resize(needed, 0.0);
            }
            let weights = (&mut room.scores[..], false);
            self.attend(text, length, context, weights, &mut room.line);
            first += length;
        }
        self.output.apply(&room.context, target, band);
    }

    /// One text. `weights` has room for a block of queries, or for all queries and heads, whose weights are kept then.
    pub(super) fn attend(
        &self,
        text: &[f32],
        length: usize,
        context: &mut [f32],
        (weights, are_kept): (&mut [f32], bool),
        line: &mut Vec<f32>,
    ) {
        let (query_width, key_width) = (self.heads * self.size, self.key_heads * self.size);
        let stride = query_width + 2 * key_width;
        for head in 0..self.heads {
            if let Some(distance) = &self.distance {
                distance.line(head, length, line);
            }
            let key_head = head / (self.heads / self.key_heads);
            for first in (0..length).step_by(BLOCK) {
                let count = BLOCK.min(length - first);
                let start = self.sight.keys(first, length).0;
                let end = self.sight.keys(first + count - 1, length).1;
                let keys = end - start;
                let place = if are_kept {
                    (head * length + first) * length
                } else {
                    0
                };
                let scores = &mut weights[place..place + count * keys];
                let row = |row: usize, column: usize| &text[row * stride + column..];
                matrix_product(
                    View {
                        values: row(first, head * self.size),
                        row: stride,
                        column: 1,
                    },
                    // Keys are rows; the product needs them as columns.
                    View {
                        values: row(start, query_width + key_head * self.size),
                        row: 1,
                        column: stride,
                    },
                    scores,
                    keys,
                    [count, self.size, keys],
                );
                let places = [first, start, keys, length];
                fast::<Weigh, _>((self, &mut *scores, places, &line[..]));
                matrix_product(
                    View {
                        values: scores,
                        row: keys,
                        column: 1,
                    },
                    View {
                        values: row(start, query_width + key_width + key_head * self.size),
                        row: stride,
                        column: 1,
                    },
                    &mut context[first * query_width + head * self.size..],
                    query_width,
                    [count, keys, self.size],
                );
            }
        }
    }
}

/// Scores of some queries to weights.
struct Weigh;

impl Kernel<(&Attention, &mut [f32], [usize; 4], &[f32])> for Weigh {
    /// The numbers are the first query, the key of the first score, the number of keys, and the text's length.
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instructions chosen at run time"
    )]
    #[inline(always)]
    fn run((layer, scores, places, line): (&Attention, &mut [f32], [usize; 4], &[f32])) {
        let [first, start, keys, length] = places;
        for (query, scores) in (first..).zip(scores.chunks_exact_mut(keys)) {
            layer.weigh(scores, query, start, length, line);
        }
    }
}

impl Attention {
    /// Scores of one query to weights; `start` is the key of the first score.
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instructions chosen at run time"
    )]
    #[inline(always)]
    fn weigh(&self, scores: &mut [f32], query: usize, start: usize, length: usize, line: &[f32]) {
        let (from, to) = self.sight.keys(query, length);
        let (from, to) = (from - start, to - start);
        scores[..from].fill(0.0);
        scores[to..].fill(0.0);
        let seen = &mut scores[from..to];
        let mut factor = self.factor;
        if let Some(cap) = self.cap {
            soft_cap(seen, factor, cap);
            factor = 1.0;
        }
        if self.distance.is_some() {
            // The line's middle is the query itself.
            scale_and_add(seen, factor, &line[length - 1 + start + from - query..]);
            factor = 1.0;
        }
        softmax(seen, factor);
    }
}
