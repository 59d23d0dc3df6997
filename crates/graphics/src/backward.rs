//! Texts → vectors and what the way back needs; gradients of the vectors → gradients of the tensors that are trained.
//!
//! The loss is not here: who trains computes it from the vectors, and hands in its gradient for each of their numbers. That
//! is what cached gradients do too (Gao et al. 2021), so batches of any size take this one road.

use burn_tensor::{Tensor, TensorData};

use crate::Text;
use crate::device::{GraphicsError, caught};
use crate::groups::{Group, groups};
use crate::network::Network;
use crate::parts::Place;

/// What a way forward leaves for the way back.
pub struct Tape {
    leaves: Vec<Tensor<2>>,
    groups: Vec<(Group, Tensor<2>)>,
    vectors: Vec<f32>,
}

impl Tape {
    /// A vector of each text, one after another; zeros of a text without a token.
    pub fn vectors(&self) -> &[f32] {
        &self.vectors
    }
}

impl Network {
    /// The vectors of all texts, and what the way back needs for those tensors that `is_trained` says.
    ///
    /// # Errors
    /// A device that stopped.
    pub fn forward(
        &self,
        texts: &[Text<'_>],
        is_trained: impl Fn(Place) -> bool,
    ) -> Result<Tape, GraphicsError> {
        let stopped = |why: String| self.device.stopped(why);
        let leaf = |(place, tensor): (Place, &Tensor<2>)| {
            let tensor = tensor.clone().autodiff();
            if is_trained(place) {
                tensor.require_grad()
            } else {
                tensor
            }
        };
        let leaves: Vec<Tensor<2>> = self.tensors.iter().enumerate().map(leaf).collect();
        let mut all = vec![0.0; texts.len() * self.width];
        let mut found = Vec::new();
        for group in groups(texts, usize::MAX, self.longest) {
            let vectors = caught(|| self.group(&leaves, texts, &group)).map_err(stopped)?;
            let data = caught(|| vectors.clone().inner().try_into_data())
                .map_err(stopped)?
                .map_err(|error| self.device.stopped(error))?;
            self.spread(&data, &group, &mut all)?;
            found.push((group, vectors));
        }
        Ok(Tape {
            leaves,
            groups: found,
            vectors: all,
        })
    }

    /// Adds the gradients of tensors to `sums`, which has one for each that is trained; `changes` are the gradients of all
    /// vectors, one after another.
    ///
    /// # Errors
    /// A device that stopped.
    pub fn backward(
        &self,
        tape: Tape,
        changes: &[f32],
        sums: &mut [Option<Vec<f32>>],
    ) -> Result<(), GraphicsError> {
        let stopped = |why: String| self.device.stopped(why);
        let mut total: Option<Tensor<1>> = None;
        for (group, vectors) in tape.groups {
            let own = |&text: &usize| &changes[text * self.width..][..self.width];
            let values: Vec<f32> = group.texts.iter().flat_map(own).copied().collect();
            let values = TensorData::new(values, [group.texts.len(), self.width]);
            let part = caught(|| {
                let changes: Tensor<2> = Tensor::from_data(values, &self.device.inner);
                (vectors * changes.autodiff()).sum()
            })
            .map_err(stopped)?;
            total = Some(match total {
                Some(total) => total + part,
                None => part,
            });
        }
        let Some(total) = total else { return Ok(()) };
        let mut gradients = caught(|| total.backward()).map_err(stopped)?;
        for (leaf, sum) in tape.leaves.iter().zip(sums) {
            let Some(sum) = sum else { continue };
            let Some(gradient) = leaf.grad_remove(&mut gradients) else {
                continue;
            };
            let data = caught(|| gradient.try_into_data())
                .map_err(stopped)?
                .map_err(|error| self.device.stopped(error))?;
            let values = data
                .as_slice::<f32>()
                .map_err(|error| self.device.stopped(format!("{error:?}")))?;
            for (sum, value) in sum.iter_mut().zip(values) {
                *sum += value;
            }
        }
        Ok(())
    }
}
