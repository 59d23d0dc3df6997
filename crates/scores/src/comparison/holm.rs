//! Holm's correction for several tests.
//!
//! Twenty tests of nothing find something at 5 % more often than not. Holm's step-down procedure keeps the
//! probability of even one false finding at the level, however the tests depend on each other. It rejects all that
//! Bonferroni's does (Holm, *A simple sequentially rejective multiple test procedure*, 1979).

/// The p values, each raised so that it can be compared with the level as if it were alone.
///
/// The smallest is multiplied by the number of tests, the next by one less, and so on; none is below one that was
/// smaller, and none above 1. Not-a-number stays not-a-number and does not count as a test.
///
/// ```
/// use barecode_scores::comparison::holm;
/// let raised = holm(&[0.01, 0.04, 0.03]);
/// assert_eq!(raised, [0.03, 0.06, 0.06]);
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len())
        .filter(|&test| !p_values[test].is_nan())
        .collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut raised = p_values.to_vec();
    let mut highest = 0.0_f64;
    for (place, &test) in order.iter().enumerate() {
        highest = highest
            .max(p_values[test] * (order.len() - place) as f64)
            .min(1.0);
        raised[test] = highest;
    }
    raised
}
