//! Means over an estimated standard deviation.
//!
//! A test that divides by an estimated standard deviation has the distribution of the test with the true one,
//! averaged over the possible estimates. The estimate over the truth is `s`, the root of a chi-squared number over
//! its degrees of freedom. This file computes that average for any smooth function.
//!
//! With `s = exp(t)` the density of `t` is proportional to `exp(df * (t - exp(2t) / 2))`: analytic, with one
//! top at `t = 0`, falling at least exponentially on both sides. On such a function the trapezoidal rule is
//! right to all digits with a coarse step (Trefethen and Weideman, *The exponentially convergent trapezoidal
//! rule*, 2014). The weights are divided by their own sum, so no gamma function of a large number is needed.

/// The mean of `value(s)` over the distribution of `s` with `df` degrees of freedom; `value` within `0..=1`.
pub(crate) fn mean_over_scale(df: f64, value: impl Fn(f64) -> f64) -> f64 {
    let step = (0.35 / df.sqrt()).min(0.08);
    // exp(-45) is below the last digit of a double beside 1.
    let log_weight = |t: f64| df * (t - (2.0 * t).exp() / 2.0 + 0.5);
    let mut weights = 0.0;
    let mut sum = 0.0;
    for direction in [-1.0, 1.0] {
        let mut at = if direction < 0.0 { 0.0 } else { 1.0 };
        loop {
            let t = direction * at * step;
            let log = log_weight(t);
            if log < -45.0 {
                break;
            }
            let weight = log.exp();
            weights += weight;
            sum += weight * value(t.exp());
            at += 1.0;
        }
    }
    sum / weights
}
