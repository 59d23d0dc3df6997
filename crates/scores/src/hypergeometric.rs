//! The number of marked things among those drawn.
//!
//! Of `n` things `m` are marked, and `t` are drawn without replacement. A divided tie is such a draw: its positions
//! within the cutoff are drawn from its documents.

/// The distribution of the number of marked things drawn.
pub(crate) struct Hypergeometric {
    n: usize,
    marked: usize,
    drawn: usize,
    ln: LnFactorials,
}

impl Hypergeometric {
    /// Of `n` things, `marked` are marked and `drawn` are drawn; neither is more than `n`.
    pub(crate) fn new(n: usize, marked: usize, drawn: usize) -> Self {
        Hypergeometric {
            n,
            marked,
            drawn,
            ln: LnFactorials::up_to(n),
        }
    }

    /// The possible numbers with their probabilities, ascending.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let (n, marked, drawn) = (self.n, self.marked, self.drawn);
        let least = drawn.saturating_sub(n - marked);
        let all = self.ln.choose(n, drawn);
        (least..=marked.min(drawn)).map(move |found| {
            let ways = self.ln.choose(marked, found) + self.ln.choose(n - marked, drawn - found);
            (found, (ways - all).exp())
        })
    }
}

/// Logarithms of factorials.
pub(crate) struct LnFactorials(Vec<f64>);

impl LnFactorials {
    /// Those of 0 to `n`.
    pub(crate) fn up_to(n: usize) -> Self {
        let mut all = Vec::with_capacity(n + 1);
        let mut sum = 0.0;
        all.push(sum);
        for i in 1..=n {
            sum += (i as f64).ln();
            all.push(sum);
        }
        LnFactorials(all)
    }

    /// The logarithm of the number of ways to choose `k` of `n`; `k` is at most `n`.
    pub(crate) fn choose(&self, n: usize, k: usize) -> f64 {
        self.0[n] - self.0[k] - self.0[n - k]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_are_ways_by_ways() {
        let drawn = Hypergeometric::new(5, 2, 3);
        let outcomes: Vec<(usize, f64)> = drawn.outcomes().collect();
        for ((found, probability), (expected, ways)) in
            outcomes.iter().zip([(0, 1.0), (1, 6.0), (2, 3.0)])
        {
            assert_eq!(*found, expected);
            assert!((probability - ways / 10.0).abs() < 1e-14);
        }
        assert_eq!(outcomes.len(), 3);
    }
}
