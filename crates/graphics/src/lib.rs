//! Transformers on graphics devices: token ids → vectors, and gradients of vectors → gradients of tensors.
//!
//! Enters: a [`Device`], the [`Parts`] of a network with its tensors, and the ids of texts. Leaves: a row of 32-bit floats
//! for each text; for who trains, the gradients of those tensors that are trained.
//!
//! Reading order: `device` (which one, and whether it is there) → `parts` (what a network is put together from) → `groups`
//! (which texts go together) → `network` (ids to vectors) → `agreement` (with the processor) → `backward` (gradients).
//!
//! The one hard thing is to be believed: kernels are made for every device by burn and its compiler, and no test here has
//! seen them all. So who puts a network on a device compares some vectors with the processor's first.
//!
//! What this crate does not do: it reads no files and no text, and it has no loss and no optimizer. On a device the same
//! texts may give other last bits in another company, for groups are padded to one length and products depend on their
//! shape.

mod agreement;
mod backward;
mod device;
mod groups;
mod network;
mod parts;

pub use backward::Tape;
pub use device::{Api, Device, GraphicsError};
pub use network::Network;
pub use parts::{
    Activation, Attention, Distances, Embedding, FeedForward, Gate, Layer, Layout, Linear, Norm,
    NormKind, Norms, Numbers, Parts, Place, Rotary,
};

/// A text as the network reads it: token ids, and for each 0 or the kind that it has.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    /// Ids, below the vocabulary's size.
    pub ids: &'a [u32],
    /// As many kinds.
    pub kinds: &'a [u32],
}
