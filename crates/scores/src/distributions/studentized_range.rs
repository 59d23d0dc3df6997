//! The studentized range: the distance between the largest and smallest of several equal means.
//!
//! The range of `k` independent standard normal numbers is below `w` with chance
//! `k * ∫ φ(z) (Φ(z + w) - Φ(z))^(k-1) dz`; the studentized range divides by an estimated standard deviation
//! ([`super::scale`]). Both integrals are of smooth functions that fall quickly on both sides, so the
//! trapezoidal rule is right to about 1e-13.
//!
//! `scipy` treats degrees of freedom from 100,000 on as infinite; this file uses their exact number.

use std::f64::consts::PI;

use super::normal::normal_cdf;
use super::scale::mean_over_scale;

/// The chance of a studentized range above `q`, for `k` means and `df` degrees of freedom.
pub(crate) fn range_sf(q: f64, k: usize, df: f64) -> f64 {
    if q <= 0.0 {
        return 1.0;
    }
    if q.is_infinite() {
        return 0.0;
    }
    let grid = Grid::new();
    (1.0 - mean_over_scale(df, |s| grid.range_cdf(q * s, k))).clamp(0.0, 1.0)
}

/// The studentized range above which the share is.
pub(crate) fn range_quantile(share_above: f64, k: usize, df: f64) -> f64 {
    let mut high = 4.0;
    while range_sf(high, k, df) > share_above {
        high *= 2.0;
    }
    // The Illinois rule: the line through the ends, with the end that stays pulled in. Each point is an integral, and
    // a dozen are enough where halving needs fifty.
    let above = |q: f64| range_sf(q, k, df) - share_above;
    let (mut low, mut at_low, mut at_high) = (0.0, 1.0 - share_above, above(high));
    let mut stayed = 0;
    for _ in 0..100 {
        let q = (low * at_high - high * at_low) / (at_high - at_low);
        let at = above(q);
        if at.abs() < 1e-14 || high - low < 1e-12 {
            return q;
        }
        if at > 0.0 {
            (low, at_low) = (q, at);
            at_high *= if stayed == 1 { 0.5 } else { 1.0 };
            stayed = 1;
        } else {
            (high, at_high) = (q, at);
            at_low *= if stayed == -1 { 0.5 } else { 1.0 };
            stayed = -1;
        }
    }
    f64::midpoint(low, high)
}

/// The points at which the inner integral is evaluated: `z`, its density times the step, and the share below it.
struct Grid(Vec<(f64, f64, f64)>);

impl Grid {
    fn new() -> Self {
        let step = 0.125;
        Grid(
            (-72..=72)
                .map(|i| {
                    let z = f64::from(i) * step;
                    let weight = step * (-z * z / 2.0).exp() / (2.0 * PI).sqrt();
                    (z, weight, normal_cdf(z))
                })
                .collect(),
        )
    }

    fn range_cdf(&self, w: f64, k: usize) -> f64 {
        // No two of the grid's numbers are this far apart.
        if w > 40.0 {
            return 1.0;
        }
        let power = i32::try_from(k - 1).expect("fewer than 2^31 systems");
        let sum: f64 = self
            .0
            .iter()
            .map(|&(z, weight, below)| weight * (normal_cdf(z + w) - below).powi(power))
            .sum();
        (k as f64 * sum).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::student::t_two_sided;
    use super::*;

    #[test]
    fn the_quantile_undoes_the_tail() {
        for (k, df) in [(2, 3.0), (5, 20.0), (12, 1_000.0)] {
            let back = range_sf(range_quantile(0.05, k, df), k, df);
            assert!((back - 0.05).abs() < 1e-11, "{k} {df}: {back}");
        }
    }

    #[test]
    fn two_means_are_a_t_test() {
        for df in [2.0, 10.0, 500.0] {
            for q in [0.2_f64, 1.0, 3.0, 6.0] {
                let exact = t_two_sided(q / 2.0_f64.sqrt(), df);
                assert!((range_sf(q, 2, df) - exact).abs() < 1e-12, "{df} {q}");
            }
        }
    }
}
