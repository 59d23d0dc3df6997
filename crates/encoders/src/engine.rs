//! What runs a network: all threads of the processor, or a graphics device where one is named.
//!
//! In come the ids of texts, out come so many numbers of each, in the order of the texts.

use barecode_models::{ModelError, Pooling};

use super::linear::Rows;
use super::network::{Buffers, Network};
use super::packs::Pool;
use super::tokens::Ids;

/// A network, how its rows become a vector, and where.
pub(super) struct Engine {
    pooling: Pooling,
    with_kinds: bool,
    place: Where,
}

enum Where {
    Processor(Network, Pool),
    #[cfg(feature = "graphics")]
    Graphics(barecode_graphics::Network),
}

impl Engine {
    /// On the processor without a device; `with_kinds` is whether the kinds of tokens are looked at.
    ///
    /// # Errors
    /// A device that is none, is not there, has too little memory or computes other vectors; any in a program that was
    /// built without.
    pub(super) fn new(
        network: Network,
        pooling: Pooling,
        with_kinds: bool,
        device: Option<&str>,
    ) -> Result<Self, ModelError> {
        let place = match device {
            None => Where::Processor(network, Pool::default()),
            #[cfg(feature = "graphics")]
            Some(device) => Where::Graphics(super::graphics::moved(
                &network, pooling, with_kinds, device,
            )?),
            #[cfg(not(feature = "graphics"))]
            Some(device) => {
                return Err(super::unusable(
                    format!(
                        "the device `{device}` is wanted, and this program was built without graphics devices"
                    ),
                    Some(
                        "build it with `cargo build --release --features cuda` (or `metal`, or `wgpu`), or omit the device to compute on the processor",
                    ),
                ));
            }
        };
        Ok(Engine {
            pooling,
            with_kinds,
            place,
        })
    }

    /// `width` numbers of each text, by `finish` on pooled rows; zeros of a text without a token.
    pub(super) fn run(
        &self,
        ids: &[Ids],
        width: usize,
        finish: impl Fn(Rows, &mut Buffers) -> Vec<f32> + Sync,
    ) -> Result<Vec<f32>, ModelError> {
        match &self.place {
            Where::Processor(network, pool) => Ok(pool.run(ids, width, |texts, buffers| {
                let pooled = network.pooled(texts, self.with_kinds, self.pooling, buffers);
                finish(pooled, buffers)
            })),
            #[cfg(feature = "graphics")]
            Where::Graphics(network) => {
                let texts: Vec<&Ids> = ids.iter().collect();
                let rows = super::graphics::vectors(network, &texts, self.with_kinds)?;
                let mut pooled = Rows::default();
                pooled.reshape(ids.len(), network.width());
                pooled.all_mut().copy_from_slice(&rows);
                let mut all = finish(pooled, &mut Buffers::default());
                for (text, numbers) in ids.iter().zip(all.chunks_exact_mut(width)) {
                    if text.ids.is_empty() {
                        numbers.fill(0.0);
                    }
                }
                Ok(all)
            }
        }
    }
}
