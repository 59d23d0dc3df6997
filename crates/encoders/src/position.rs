//! The position of a token: rotations of queries and keys, and biases of attention by distance.
//!
//! In come a token's position, or the distance of two; out go changed rows, or a number to add to a score. The hard
//! thing is that the field has many methods and their settings moved between versions of `config.json`. Rotations are
//! read from `rope_parameters` as well as from `rope_theta`. An unknown kind of scaling is refused, since its vectors
//! would be wrong for long texts only.
//!
//! Sources: rotary positions, Su et al. 2021, section 3.2; ALiBi, Press et al. 2022, section 3; buckets of T5,
//! Raffel et al. 2020, section 2.1.

use serde_json::Value;

use super::folder::Config;
use super::unusable;
use super::vector::{Kernel, fast, single};
use super::weights::Weights;
use barecode_models::ModelError;

/// Rotary positions: pairs of numbers of each head are turned by an angle that grows with the position.
pub(super) struct Rotary {
    /// Numbers of a head that are turned, from its first on; the rest stays.
    pub(super) width: usize,
    /// Cosine and sine of every position, each `width / 2` numbers.
    pub(super) table: Vec<f32>,
}

impl Rotary {
    /// Frequencies `theta^(-2i/width)`, divided by `factor`.
    pub(super) fn new(width: usize, theta: f64, factor: f64, places: usize) -> Self {
        let half = width / 2;
        let mut table = Vec::with_capacity(places * width);
        for place in 0..places {
            // Frequencies are rounded to single precision first, as PyTorch does.
            let angle = |i: usize| {
                let frequency = single(1.0 / theta.powf(2.0 * i as f64 / width as f64) / factor);
                f64::from(place as f32 * frequency)
            };
            table.extend((0..half).map(|i| single(angle(i).cos())));
            table.extend((0..half).map(|i| single(angle(i).sin())));
        }
        Rotary { width, table }
    }

    /// The rotation that `config.json` describes for one kind of layer; `kind` names it if there are several.
    pub(super) fn from_config(
        config: &Config,
        kind: Option<&str>,
        default_theta: f64,
        width: usize,
        places: usize,
    ) -> Result<Self, ModelError> {
        let nested = config
            .value("rope_parameters")
            .or_else(|| config.value("rope_scaling"));
        let parameters = match (nested, kind) {
            (Some(nested), Some(kind)) => nested.get(kind).or(Some(nested)),
            (nested, _) => nested,
        };
        let number = |key: &str| {
            parameters
                .and_then(|table| table.get(key))
                .and_then(Value::as_f64)
        };
        let theta = match number("rope_theta") {
            Some(theta) => theta,
            None => config.number_or("rope_theta", default_theta)?,
        };
        let scaling = parameters
            .and_then(|table| table.get("rope_type").or_else(|| table.get("type")))
            .and_then(Value::as_str)
            .unwrap_or("default");
        let factor = match scaling {
            "default" => 1.0,
            "linear" => number("factor").unwrap_or(1.0),
            other => return Err(config.refuse("rope_parameters", other, "`default` or `linear`")),
        };
        Ok(Self::new(width, theta, factor, places))
    }

    /// Turns `heads` heads of `size` numbers each, from `column` on, in every row of a text.
    pub(super) fn apply(
        &self,
        rows: &mut [f32],
        stride: usize,
        column: usize,
        heads: usize,
        size: usize,
    ) {
        fast::<Turn, _>((self, rows, [stride, column, heads, size]));
    }
}

struct Turn;

impl Kernel<(&Rotary, &mut [f32], [usize; 4])> for Turn {
    #[expect(
        clippy::inline_always,
        reason = "compiled for the instructions chosen at run time"
    )]
    #[inline(always)]
    fn run((rotary, rows, [stride, column, heads, size]): (&Rotary, &mut [f32], [usize; 4])) {
        let width = rotary.width;
        for (row, angles) in rows
            .chunks_exact_mut(stride)
            .zip(rotary.table.chunks_exact(width))
        {
            let (cosines, sines) = angles.split_at(width / 2);
            for head in row[column..column + heads * size].chunks_exact_mut(size) {
                let (one, two) = head[..width].split_at_mut(width / 2);
                for (((a, b), cosine), sine) in one.iter_mut().zip(two).zip(cosines).zip(sines) {
                    (*a, *b) = (*a * cosine - *b * sine, *b * cosine + *a * sine);
                }
            }
        }
    }
}

/// The number that is added to the score of two tokens, by their distance.
pub(super) enum Distance {
    /// A slope for each head: the score falls by it with every step, on both sides.
    Alibi(Vec<f32>),
    /// A learned number for each head and each of some classes of distances.
    Buckets {
        /// Bucket by bucket, a number for each head.
        table: Vec<f32>,
        buckets: usize,
        heads: usize,
        farthest: usize,
    },
}

impl Distance {
    /// The slopes of ALiBi for `heads` heads.
    pub(super) fn alibi(heads: usize) -> Self {
        fn slopes(heads: usize) -> Vec<f64> {
            let below = 1 << heads.max(1).ilog2();
            let start = 2.0_f64.powf(-8.0 / below as f64);
            let mut all: Vec<f64> = (1..=below).map(|i| start.powf(i as f64)).collect();
            if below < heads {
                all.extend(slopes(2 * below).into_iter().step_by(2).take(heads - below));
            }
            all
        }
        Self::Alibi(slopes(heads).into_iter().map(single).collect())
    }

    /// T5's buckets, learned, from an embedding of this name.
    pub(super) fn buckets(
        weights: &mut Weights,
        name: &str,
        buckets: usize,
        heads: usize,
        farthest: usize,
    ) -> Result<Self, ModelError> {
        if buckets < 4 || farthest <= buckets / 4 {
            return Err(unusable(
                format!(
                    "{buckets} buckets for distances up to {farthest} make no sense, expected 32 up to 128"
                ),
                None,
            ));
        }
        let table = weights
            .tensor(&format!("{name}.weight"), &[buckets, heads])?
            .to_vec();
        Ok(Self::Buckets {
            table,
            buckets,
            heads,
            farthest,
        })
    }

    /// The numbers of a head for the distances `1 - length ..= length - 1` (key less query).
    pub(super) fn line(&self, head: usize, length: usize, line: &mut Vec<f32>) {
        let distances = (0..2 * length - 1).map(|i| i.cast_signed() - (length - 1).cast_signed());
        line.clear();
        match self {
            Self::Alibi(slopes) => {
                line.extend(
                    distances.map(|distance| -slopes[head] * distance.unsigned_abs() as f32),
                );
            }
            Self::Buckets {
                table,
                buckets,
                heads,
                farthest,
            } => {
                line.extend(
                    distances.map(|distance| {
                        table[bucket(distance, *buckets, *farthest) * heads + head]
                    }),
                );
            }
        }
    }
}

/// The bucket of a distance: half of them for keys behind the query; in each half, the first half exact and the
/// rest logarithmic up to `farthest`.
fn bucket(distance: isize, buckets: usize, farthest: usize) -> usize {
    let half = buckets / 2;
    let exact = half / 2;
    let steps = distance.unsigned_abs();
    let within = if steps < exact {
        steps
    } else {
        // In single precision, where the original rounds.
        let ratio =
            (steps as f32 / exact as f32).ln() / single((farthest as f64 / exact as f64).ln());
        let steps = ratio * (half - exact) as f32;
        (exact..half - 1)
            .rev()
            .find(|&bucket| steps >= (bucket - exact + 1) as f32)
            .map_or(exact, |bucket| bucket + 1)
    };
    within + if distance > 0 { half } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alibi_has_the_slopes_of_its_paper() {
        let Distance::Alibi(slopes) = Distance::alibi(8) else {
            unreachable!("these are slopes")
        };
        assert_eq!(
            slopes,
            [
                0.5,
                0.25,
                0.125,
                0.0625,
                0.031_25,
                0.015_625,
                0.007_812_5,
                0.003_906_25
            ]
        );
        let Distance::Alibi(slopes) = Distance::alibi(12) else {
            unreachable!("these are slopes")
        };
        assert_eq!(slopes.len(), 12);
        assert!((slopes[8] - 0.707_106_77).abs() < 1e-6);
        let mut line = Vec::new();
        Distance::alibi(8).line(0, 3, &mut line);
        assert_eq!(line, [-1.0, -0.5, -0.0, -0.5, -1.0]);
    }

    #[test]
    fn buckets_are_exact_near_by_and_logarithmic_far_away() {
        let of = |distance| bucket(distance, 32, 128);
        assert_eq!((of(0), of(-1), of(-7), of(1), of(7)), (0, 1, 7, 17, 23));
        assert_eq!((of(-8), of(-127), of(-5000), of(5000)), (8, 15, 15, 31));
    }

    #[test]
    fn a_rotation_keeps_lengths_and_the_first_place() {
        let rotary = Rotary::new(4, 10_000.0, 1.0, 3);
        let mut rows = vec![1.0, 2.0, 3.0, 4.0, 9.0, 1.0, 2.0, 3.0, 4.0, 9.0];
        rotary.apply(&mut rows, 5, 0, 1, 4);
        assert_eq!(rows[..5], [1.0, 2.0, 3.0, 4.0, 9.0]);
        let (cosine, sine) = (1.0_f32.cos(), 1.0_f32.sin());
        assert!((rows[5] - (cosine - 3.0 * sine)).abs() < 1e-6);
        assert!((rows[7] - (3.0 * cosine + sine)).abs() < 1e-6);
        assert_eq!(rows[9].to_bits(), 9.0_f32.to_bits());
    }
}
