//! A network on a device, and who computes the same on the processor → whether they agree.

use crate::Text;
use crate::device::GraphicsError;
use crate::network::Network;

/// The most by which a vector's number may differ from the processor's, in vectors of length 1: products in 32 bits differ
/// by less, products in fewer bits by more.
const TOLERANCE: f32 = 1e-3;

/// Lengths of the texts that are compared: more than one group, with padding and without.
const LENGTHS: [usize; 3] = [3, 16, 21];

impl Network {
    /// Compares the vectors of some made-up texts with those that `expected` gives, and says by how much a number differs
    /// at most.
    ///
    /// # Errors
    /// A device that stopped, or differs by more than products in 32 bits do.
    pub fn compare(
        &self,
        expected: impl FnOnce(&[Text<'_>]) -> Vec<f32>,
    ) -> Result<f32, GraphicsError> {
        let vocabulary = self.tensors[self.parts.embedding.words].dims()[0];
        let id = |text: usize, at: usize| (text * 7919 + at * 104_729 + 5) % vocabulary.max(1);
        let ids = LENGTHS.map(|length| -> Vec<u32> {
            let ids = (0..length).map(|at| u32::try_from(id(length, at)).unwrap_or(0));
            ids.collect()
        });
        let zeros = [0; 32];
        let texts = [0, 1, 2].map(|at| Text {
            ids: &ids[at],
            kinds: &zeros[..LENGTHS[at]],
        });
        let difference = difference(&self.vectors(&texts)?, &expected(&texts), self.width());
        // Written so that what is not a number is refused.
        if difference <= TOLERANCE {
            return Ok(difference);
        }
        Err(GraphicsError::Differs {
            device: self.device.name().to_owned(),
            difference: format!("{difference:.0e}"),
        })
    }
}

/// The greatest difference of two numbers, of vectors that are brought to length 1; not a number where one is none.
fn difference(found: &[f32], expected: &[f32], width: usize) -> f32 {
    let unit = |vector: &[f32]| -> Vec<f32> {
        let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
        vector
            .iter()
            .map(|value| value / length.max(1e-12))
            .collect()
    };
    let pairs = found.chunks_exact(width).zip(expected.chunks_exact(width));
    let all = pairs.flat_map(|(found, expected)| {
        let (found, expected) = (unit(found), unit(expected));
        let both = found.into_iter().zip(expected);
        both.map(|(a, b)| (a - b).abs()).collect::<Vec<f32>>()
    });
    all.fold(0.0, |most, value| {
        if value.is_nan() {
            value
        } else {
            value.max(most) + 0.0 * most
        }
    })
}

#[cfg(test)]
mod tests {
    use barecode_models::Pooling;

    use super::*;
    use crate::{Device, Embedding, Numbers, Parts};

    /// The mean of the rows of words, which are the ids' binary digits.
    fn means() -> Network {
        let digits = |id: usize| (0..4).map(move |digit| (id >> digit & 1) as f32);
        let words = Numbers {
            shape: [16, 4],
            values: (0..16).flat_map(digits).collect(),
        };
        let parts = Parts {
            embedding: Embedding {
                words: 0,
                places: None,
                kinds: None,
                factor: None,
                norm: None,
            },
            layers: Vec::new(),
            norm: None,
            pooling: Pooling::Mean,
            normalize: false,
        };
        Network::new(&Device::open("flex").unwrap(), parts, vec![words]).unwrap()
    }

    #[test]
    fn a_device_with_other_vectors_is_refused() {
        let right = |texts: &[Text<'_>]| -> Vec<f32> {
            let mean = |text: &Text<'_>, digit: u32| {
                let sum: u32 = text.ids.iter().map(|id| id >> digit & 1).sum();
                sum as f32 / text.ids.len() as f32
            };
            let of = |text| (0..4).map(move |digit| mean(text, digit));
            texts.iter().flat_map(of).collect()
        };
        let network = means();
        assert!(network.compare(right).unwrap() < 1e-6);
        let wrong = |texts: &[Text<'_>]| {
            let mut values = right(texts);
            values[5] += 0.01;
            values
        };
        let error = network.compare(wrong).unwrap_err();
        assert!(matches!(error, GraphicsError::Differs { .. }), "{error}");
        assert!(
            error.to_string().starts_with("vectors from flex differ"),
            "{error}"
        );
    }

    #[test]
    fn what_is_not_a_number_is_a_difference() {
        assert!(difference(&[f32::NAN, 1.0, 0.0, 1.0], &[1.0, 0.0, 0.0, 1.0], 2).is_nan());
        assert!(difference(&[2.0, 0.0], &[1.0, 0.0], 2) < 1e-6);
        assert!(difference(&[0.0, 1.0], &[1.0, 0.0], 2) > 0.9);
        assert!(difference(&[0.0, 0.0], &[0.0, 0.0], 2) < 1e-6);
    }
}
