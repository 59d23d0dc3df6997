//! Student's t distribution, and the power of a t test.

use super::normal::{normal_quantile, normal_sf};
use super::scale::mean_over_scale;

/// The chance of a t at least this far from 0 on either side.
pub(crate) fn t_two_sided(t: f64, df: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    incomplete_beta(df / (df + t * t), t * t / (df + t * t), df / 2.0, 0.5)
}

/// The chance of a t above this one.
pub(crate) fn t_sf(t: f64, df: f64) -> f64 {
    let half = t_two_sided(t, df) / 2.0;
    if t >= 0.0 { half } else { 1.0 - half }
}

/// The t above which the share is.
pub(crate) fn t_quantile(share_above: f64, df: f64) -> f64 {
    if share_above > 0.5 {
        return -t_quantile(1.0 - share_above, df);
    }
    // The t distribution has the longer tails: its quantile is further out than the normal one.
    let mut low = -normal_quantile(share_above);
    let mut high = low + 1.0;
    while t_sf(high, df) > share_above {
        low = high;
        high *= 2.0;
    }
    bisect(low, high, |t| t_sf(t, df) > share_above)
}

/// The chance that a t test passes `critical` when the true effect is `shift` standard errors.
///
/// The upper tail of the noncentral t distribution.
pub(crate) fn power_of_t(critical: f64, shift: f64, df: f64) -> f64 {
    mean_over_scale(df, |s| normal_sf(critical * s - shift))
}

/// The number between `low` and `high` up to which `is_below` holds.
pub(crate) fn bisect(mut low: f64, mut high: f64, is_below: impl Fn(f64) -> bool) -> f64 {
    // A double has 53 digits; more halvings cannot move the middle.
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        if is_below(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// The regularized incomplete beta function at `x`, with `1 - x` given apart so that it keeps its digits.
///
/// The continued fraction DLMF 8.17.22, by Lentz's method, on the side where it converges.
#[expect(clippy::many_single_char_names, reason = "the names of the formula")]
fn incomplete_beta(x: f64, rest: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if rest <= 0.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(rest, x, b, a);
    }
    let log_front =
        a * x.ln() + b * rest.ln() + libm::lgamma(a + b) - libm::lgamma(a) - libm::lgamma(b);
    let tiny = 1e-300;
    let away = |value: f64| if value.abs() < tiny { tiny } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = d;
    for m in 1..20_000 {
        let m = f64::from(m);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / away(1.0 + even * d);
        c = away(1.0 + even / c);
        fraction *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / away(1.0 + odd * d);
        c = away(1.0 + odd / c);
        fraction *= d * c;
        if (d * c - 1.0).abs() < 1e-16 {
            break;
        }
    }
    log_front.exp() * fraction / a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_degree_of_freedom_is_the_cauchy_distribution() {
        for t in [0.0_f64, 0.1, 1.0, 3.0, 50.0] {
            let exact = 1.0 - 2.0 / std::f64::consts::PI * t.atan();
            assert!((t_two_sided(t, 1.0) - exact).abs() < 1e-14, "{t}");
        }
    }

    #[test]
    fn the_quantile_undoes_the_tail() {
        for df in [1.0, 2.5, 30.0, 9_999.0] {
            for share in [1e-6, 0.025, 0.5, 0.9] {
                assert!((t_sf(t_quantile(share, df), df) - share).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn without_effect_the_power_is_the_level() {
        for df in [1.0, 4.0, 124.0, 5_000.0] {
            let critical = t_quantile(0.05, df);
            let power = power_of_t(critical, 0.0, df);
            assert!((power - 0.05).abs() < 1e-11, "{df}: {power}");
        }
    }
}
