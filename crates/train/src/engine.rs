//! What runs the network of a training: the processor, or a graphics device where one is named.
//!
//! In come texts and an encoder's numbers, out come vectors and gradients. The numbers themselves, the optimizer and the
//! checkpoints stay with the processor on both roads: after every step a device is sent what changed.
//! The one hard thing is that a device has its own copy of the numbers: [`Engine::changed`] is called wherever they change.

use crate::TrainError;
use crate::network::{self, Gradients, Room, Tokens};
use crate::weights::Weights;

#[cfg(feature = "graphics")]
mod graphics;

/// The processor's buffers, or a network on a device.
pub(crate) enum Engine {
    Processor(Room),
    #[cfg(feature = "graphics")]
    Graphics(Box<graphics::OnDevice>),
}

/// What a way forward leaves for the way back.
pub(crate) enum Tape {
    Processor(network::Tape),
    #[cfg(feature = "graphics")]
    Graphics(barecode_graphics::Tape),
}

impl Tape {
    /// The vectors, one after another, each of length 1; zeros of a text without a token.
    pub(crate) fn vectors(&self) -> &[f32] {
        match self {
            Tape::Processor(tape) => tape.vectors(),
            #[cfg(feature = "graphics")]
            Tape::Graphics(tape) => tape.vectors(),
        }
    }
}

impl Engine {
    /// The processor, or the device that is named.
    ///
    /// # Errors
    /// A device that is none, is not there, has too little memory or computes other vectors; any in a program that was
    /// built without.
    pub(crate) fn new(weights: &Weights, device: Option<&str>) -> Result<Self, TrainError> {
        match device {
            None => Ok(Engine::Processor(Room::default())),
            #[cfg(feature = "graphics")]
            Some(device) => Ok(Engine::Graphics(Box::new(graphics::OnDevice::new(
                weights, device,
            )?))),
            #[cfg(not(feature = "graphics"))]
            Some(device) => {
                let _ = weights;
                Err(TrainError::invalid(
                    format!(
                        "the device `{device}` is wanted, and this program was built without graphics devices"
                    ),
                    "build it with `cargo build --release --features cuda` (or `metal`, or `wgpu`), or omit the device to compute on the processor",
                ))
            }
        }
    }

    /// The vectors of some texts, one after another, each of length 1; zeros of a text without a token.
    pub(crate) fn encode(
        &mut self,
        weights: &Weights,
        texts: &[&Tokens],
    ) -> Result<Vec<f32>, TrainError> {
        match self {
            Engine::Processor(room) => Ok(weights.encode(texts, room)),
            #[cfg(feature = "graphics")]
            Engine::Graphics(device) => device.encode(texts),
        }
    }

    /// The same, with what the way back to the tensors that have gradients needs.
    pub(crate) fn forward(
        &mut self,
        weights: &Weights,
        texts: &[&Tokens],
        gradients: &Gradients,
    ) -> Result<Tape, TrainError> {
        match self {
            Engine::Processor(room) => {
                // The processor's tape has what any of them needs.
                let _ = gradients;
                Ok(Tape::Processor(weights.forward(texts, room)))
            }
            #[cfg(feature = "graphics")]
            Engine::Graphics(device) => device.forward(texts, gradients).map(Tape::Graphics),
        }
    }

    /// Adds to the gradients what the gradient of each vector brings.
    pub(crate) fn backward(
        &mut self,
        weights: &Weights,
        tape: Tape,
        of_vectors: &[f32],
        gradients: &mut Gradients,
    ) -> Result<(), TrainError> {
        match (self, tape) {
            (Engine::Processor(room), Tape::Processor(tape)) => {
                weights.backward(tape, of_vectors, gradients, room);
                Ok(())
            }
            #[cfg(feature = "graphics")]
            (Engine::Graphics(device), Tape::Graphics(tape)) => {
                device.backward(tape, of_vectors, gradients)
            }
            #[cfg(feature = "graphics")]
            _ => unreachable!("a tape is of the engine that made it"),
        }
    }

    /// Takes over what a step changed: the tensors that have gradients.
    pub(crate) fn changed(
        &mut self,
        weights: &Weights,
        gradients: &Gradients,
    ) -> Result<(), TrainError> {
        match self {
            Engine::Processor(_) => {
                let _ = (weights, gradients);
                Ok(())
            }
            #[cfg(feature = "graphics")]
            Engine::Graphics(device) => device.changed(weights, gradients),
        }
    }
}
