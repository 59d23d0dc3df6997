//! The distance that the vector of a text moves when the text is changed (CLARC, appendix F.5).
//!
//! CLARC uses the L2 distance of the two vectors. Its models return vectors of length 1, for which the squared L2
//! distance is twice 1 − cosine: ranks are the same, and so is Spearman's correlation. Of vectors of other lengths
//! the L2 distance also depends on their lengths, which a search by cosine ignores; so 1 − cosine is the default
//! here, and the paper's distance is available too.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Coefficient, Correlation, cluster_correlation, correlation};
use crate::intervals::quantile;
use crate::{Bootstrap, Interval, Method, StatisticsError};

/// The distance of two vectors.
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
/// `None` if the vectors have different lengths or numbers that are not finite, and for cosines where one of them
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
        // Half of the squared distance of unit vectors: small shifts keep their digits, where 1 less a cosine
        // loses them. Rounding may go a little beyond opposite.
        Distance::Cosine => (squared / 2.0).min(2.0),
        Distance::Euclid => squared.sqrt(),
    })
}

fn length(vector: &[f32]) -> f64 {
    let squares = vector.iter().map(|number| f64::from(*number).powi(2));
    squares.sum::<f64>().sqrt()
}

/// A text before and after its change.
#[derive(Debug, Clone, Copy)]
pub struct Shifted<'a, const N: usize> {
    /// The shift of its vector.
    pub shift: f64,
    /// The features that the shift may correlate with.
    pub features: [Option<f64>; N],
    /// Its repository, if known.
    pub repository: Option<&'a str>,
}

/// The shifts of the vectors of texts, and their correlations.
#[derive(Debug, Serialize)]
pub struct Shifts {
    /// Number of texts.
    pub functions: usize,
    /// The units that are drawn for the intervals: functions, or whole repositories.
    pub drawn: &'static str,
    /// Number of repositories, if they are drawn.
    pub repositories: Option<usize>,
    /// The mean shift.
    pub mean: Interval,
    /// The shifts below which 10, 50 and 90 of 100 texts are.
    pub quantiles: [f64; 3],
    /// The correlations with each feature.
    pub correlations: Vec<With>,
}

/// The correlations of shifts with one feature.
#[derive(Debug, Serialize)]
pub struct With {
    /// The feature.
    pub feature: &'static str,
    /// Texts that have it.
    pub functions: usize,
    /// Pearson's; `None` if all have the same value, or fewer than two have one.
    pub pearson: Option<Correlation>,
    /// Spearman's.
    pub spearman: Option<Correlation>,
}

impl Shifts {
    /// Means and correlations of shifts. Whole repositories are drawn if all texts name theirs and there are several.
    ///
    /// # Errors
    /// As the bootstrap and the correlations.
    pub fn of<const N: usize>(
        texts: &[Shifted<'_, N>],
        features: [&'static str; N],
        bootstrap: &Bootstrap,
    ) -> Result<Self, StatisticsError> {
        let mut shifts: Vec<f64> = texts.iter().map(|text| text.shift).collect();
        let repositories = repositories(texts);
        let mean = match &repositories {
            Some(repositories) => {
                let drawn = bootstrap.cluster_mean(&shifts, repositories, Method::Percentile)?;
                drawn.interval
            }
            None => bootstrap.mean(&shifts, Method::Percentile)?,
        };
        let with = features.into_iter().enumerate();
        let with = with.map(|(at, feature)| With::of(feature, at, texts, bootstrap));
        let correlations = with.collect::<Result<_, _>>()?;
        shifts.sort_by(f64::total_cmp);
        let below = |share| match shifts[..] {
            [] => f64::NAN,
            _ => quantile(&shifts, share),
        };
        Ok(Shifts {
            functions: texts.len(),
            drawn: match repositories {
                Some(_) => "repositories",
                None => "functions",
            },
            repositories: repositories.map(|of| distinct(&of)),
            mean,
            quantiles: [0.1, 0.5, 0.9].map(below),
            correlations,
        })
    }
}

impl With {
    fn of<const N: usize>(
        feature: &'static str,
        at: usize,
        texts: &[Shifted<'_, N>],
        bootstrap: &Bootstrap,
    ) -> Result<Self, StatisticsError> {
        let having = texts.iter().filter(|text| text.features[at].is_some());
        let having: Vec<Shifted<'_, N>> = having.copied().collect();
        let values: Vec<f64> = having.iter().filter_map(|text| text.features[at]).collect();
        let shifts: Vec<f64> = having.iter().map(|text| text.shift).collect();
        let repositories = repositories(&having);
        let of = |coefficient| {
            let (x, y, method) = (&values, &shifts, Method::Percentile);
            match &repositories {
                Some(of) => cluster_correlation(x, y, of, coefficient, bootstrap, method),
                None => correlation(x, y, coefficient, bootstrap, method),
            }
        };
        Ok(With {
            feature,
            functions: having.len(),
            pearson: of(Coefficient::Pearson)?,
            spearman: of(Coefficient::Spearman)?,
        })
    }
}

/// The repository of each text, if all name it and there is more than one.
fn repositories<'a, const N: usize>(texts: &[Shifted<'a, N>]) -> Option<Vec<&'a str>> {
    let names: Vec<&str> = texts
        .iter()
        .map(|text| text.repository)
        .collect::<Option<_>>()?;
    (distinct(&names) > 1).then_some(names)
}

fn distinct(names: &[&str]) -> usize {
    names.iter().collect::<BTreeSet<_>>().len()
}
