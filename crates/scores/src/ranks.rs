//! Ranks of values, equal values sharing the mean of their positions.
//!
//! The ranks behind Spearman's and Wilcoxon's statistics: 1 for the smallest value, and for a tie the mean of
//! the ranks it covers (midranks).

/// The midranks of the values, in their order, and the sizes of the groups of equal values, by value.
pub(crate) fn midranks(values: &[f64]) -> (Vec<f64>, Vec<usize>) {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut ranks = vec![0.0; values.len()];
    let mut sizes = Vec::new();
    let mut before = 0;
    for group in order.chunk_by(|&a, &b| equal(values[a], values[b])) {
        let rank = before as f64 + f64::midpoint(group.len() as f64, 1.0);
        for &place in group {
            ranks[place] = rank;
        }
        before += group.len();
        sizes.push(group.len());
    }
    (ranks, sizes)
}

/// Returns `true` if two values tie: exactly, so that 0 and -0 do.
#[expect(clippy::float_cmp, reason = "a tie is of equal values")]
pub(crate) fn equal(a: f64, b: f64) -> bool {
    a == b
}

/// Returns `true` if all values are equal.
pub(crate) fn is_constant(values: &[f64]) -> bool {
    values.windows(2).all(|pair| equal(pair[0], pair[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        let (ranks, sizes) = midranks(&[3.0, 1.0, 0.0, 1.0, -0.0]);
        assert_eq!(ranks, [5.0, 3.5, 1.5, 3.5, 1.5]);
        assert_eq!(sizes, [2, 2, 1]);
    }
}
