//! The engine that runs a network on all threads of the processor.
//!
//! In come the ids of texts, out come `width` numbers of each, in the order of the texts.

use barecode_models::Pooling;
use barecode_tokens::Ids;

use super::linear::Rows;
use super::network::Buffers;
use super::packs::Pool;
use super::parts::Parts;

/// A network, the pooling of its rows, and the threads that compute it.
pub(super) struct Engine {
    parts: Parts,
    pooling: Pooling,
    with_kinds: bool,
    pool: Pool,
}

impl Engine {
    /// `with_kinds` is true if the kinds of tokens count.
    pub(super) fn new(parts: Parts, pooling: Pooling, with_kinds: bool) -> Self {
        Engine {
            parts,
            pooling,
            with_kinds,
            pool: Pool::default(),
        }
    }

    /// `width` numbers of each text, by `finish` on pooled rows; zeros of a text without a token.
    pub(super) fn run(
        &self,
        ids: &[Ids],
        width: usize,
        finish: impl Fn(Rows, &mut Buffers) -> Vec<f32> + Sync,
    ) -> Vec<f32> {
        self.pool.run(ids, width, |texts, buffers| {
            let pooled = self
                .parts
                .pooled(texts, self.with_kinds, self.pooling, buffers);
            finish(pooled, buffers)
        })
    }
}
