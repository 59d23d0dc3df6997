//! The standard normal distribution.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The share below `x`.
pub(crate) fn normal_cdf(x: f64) -> f64 {
    0.5 * libm::erfc(-x * FRAC_1_SQRT_2)
}

/// The share above `x`, exact in the tail.
pub(crate) fn normal_sf(x: f64) -> f64 {
    0.5 * libm::erfc(x * FRAC_1_SQRT_2)
}

/// The number below which the share is: infinite at 0 and 1.
///
/// A rational start (Abramowitz and Stegun 26.2.23, good to 4.5e-4) and Halley's steps on the distribution
/// itself, each of which triples the number of right digits.
pub(crate) fn normal_quantile(share: f64) -> f64 {
    if share > 0.5 {
        return -normal_quantile(1.0 - share);
    }
    if share <= 0.0 {
        return f64::NEG_INFINITY;
    }
    let t = (-2.0 * share.ln()).sqrt();
    let start = ((0.010_328 * t + 0.802_853) * t + 2.515_517)
        / (((0.001_308 * t + 0.189_269) * t + 1.432_788) * t + 1.0);
    let mut x = start - t;
    for _ in 0..4 {
        let step = (normal_cdf(x) - share) * (2.0 * PI).sqrt() * (x * x / 2.0).exp();
        x -= step / (1.0 + x * step / 2.0);
    }
    x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_undoes_the_share() {
        for share in [
            1e-300,
            1e-12,
            0.001,
            0.025,
            0.3,
            0.5,
            0.7,
            0.975,
            1.0 - 1e-12,
        ] {
            let back = normal_cdf(normal_quantile(share));
            assert!((back - share).abs() <= 1e-11 * share, "{share}: {back}");
        }
        assert!((normal_quantile(0.975) - 1.959_963_984_540_054).abs() < 1e-14);
        assert!(normal_quantile(0.0).is_infinite() && normal_quantile(0.0) < 0.0);
        assert!(normal_quantile(1.0).is_infinite() && normal_quantile(1.0) > 0.0);
    }
}
