//! How far the vector of a text moves when the text is changed (CLARC, appendix F.5).
//!
//! CLARC takes the L2 distance of the two vectors. Its models give vectors of length 1, and there the squared L2
//! distance is twice 1 − cosine: ranks are the same, and so is Spearman's correlation. Of vectors of other lengths the
//! L2 distance also depends on their lengths, which a search by cosine ignores; so 1 − cosine is the default here,
//! and the paper's distance is available too.

use serde::{Deserialize, Serialize};

/// How two vectors are distinguished.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Distance {
    /// 1 − cosine, from 0 to 2.
    #[default]
    Cosine,
    /// The length of the difference, from 0 up; CLARC's.
    Euclid,
}

/// The distance between the vectors of a text and of its changed form; equal vectors have exactly 0.
///
/// `None` where the vectors have different lengths or numbers that are not finite, and for cosines where one of them
/// is all zeros.
///
/// ```
/// use barecode_scores::robustness::{Distance, shift};
/// assert_eq!(shift(&[3.0, 4.0], &[6.0, 8.0], Distance::Cosine), Some(0.0));
/// assert_eq!(shift(&[3.0, 4.0], &[6.0, 8.0], Distance::Euclid), Some(5.0));
/// assert_eq!(shift(&[1.0, 0.0], &[0.0, 2.0], Distance::Cosine), Some(1.0));
/// assert_eq!(shift(&[1.0, 0.0], &[0.0, 0.0], Distance::Cosine), None);
/// ```
pub fn shift(original: &[f32], changed: &[f32], distance: Distance) -> Option<f64> {
    let is_finite = |vector: &[f32]| vector.iter().all(|number| number.is_finite());
    if original.len() != changed.len() || !is_finite(original) || !is_finite(changed) {
        return None;
    }
    let (one, other) = match distance {
        Distance::Euclid => (1.0, 1.0),
        Distance::Cosine => (length(original), length(changed)),
    };
    if one == 0.0 || other == 0.0 {
        return None;
    }
    let squares = original.iter().zip(changed).map(|(a, b)| {
        let difference = f64::from(*a) / one - f64::from(*b) / other;
        difference * difference
    });
    let squared: f64 = squares.sum();
    Some(match distance {
        // Half of the squared distance of unit vectors: small shifts keep their digits, where 1 less a cosine loses them.
        // Rounding may go a little beyond opposite.
        Distance::Cosine => (squared / 2.0).min(2.0),
        Distance::Euclid => squared.sqrt(),
    })
}

fn length(vector: &[f32]) -> f64 {
    let squares = vector.iter().map(|number| f64::from(*number).powi(2));
    squares.sum::<f64>().sqrt()
}
