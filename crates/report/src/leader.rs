//! The system that leads on a subset, and those that do not differ significantly from it, in a sentence.

use barecode_records::{Difference, Score};

/// The first of the systems on a subset.
pub struct Leader<'a> {
    /// Its name.
    pub name: &'a str,
    score: &'a Score,
    tied: Vec<&'a str>,
    behind: Option<(&'a str, f64)>,
}

impl<'a> Leader<'a> {
    /// Reads the scores of one subset and measure, one a system, and the differences of the systems. No system is
    /// first if queries are too few.
    pub fn of(scores: &[&'a Score], differences: &[&Difference], confidence: f64) -> Option<Self> {
        let mut known: Vec<&Score> = scores.to_vec();
        known.retain(|score| !score.too_few);
        known.sort_by(|a, b| b.value.total_cmp(&a.value));
        let (&score, others) = known.split_first()?;
        let name = score.retriever.as_str();
        let apart = |other: &str| {
            differences.iter().any(|one| {
                let pair = [one.first.as_str(), one.second.as_str()];
                pair.contains(&name) && pair.contains(&other) && one.p_holm <= 1.0 - confidence
            })
        };
        let (mut tied, mut behind) = (Vec::new(), None);
        for other in others {
            if apart(&other.retriever) {
                behind = behind.or(Some((other.retriever.as_str(), other.value)));
            } else {
                tied.push(other.retriever.as_str());
            }
        }
        Some(Leader {
            name,
            score,
            tied,
            behind,
        })
    }

    /// The expected score of a random order, if the first is not above it.
    pub fn random(&self) -> Option<f64> {
        self.score.floor.filter(|floor| self.score.low <= *floor)
    }

    /// Returns `true` if no other system has a score.
    fn is_alone(&self) -> bool {
        self.tied.is_empty() && self.behind.is_none()
    }

    /// Returns `true` if others do not differ significantly from it.
    pub fn is_tied(&self) -> bool {
        !self.tied.is_empty()
    }

    /// `Without names, bm25 is ahead with 0.412 [0.380, 0.441]; next is minilm with 0.300.`
    pub fn sentence(&self, when: &str) -> String {
        let score = super::with_interval(self.score);
        let name = self.name;
        let mut when = when.to_owned();
        if let Some(first) = when.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        if let Some(floor) = self.random() {
            let even = if self.is_alone() { "" } else { "even " };
            let than = if self.score.high < floor {
                "which is below a random order"
            } else {
                "which is not significantly better than a random order"
            };
            return format!("{when}, {even}{name} scores {score}, {than} ({floor:.3}).");
        }
        match (self.tied.as_slice(), self.behind) {
            ([], None) => format!("{when}, {name} scores {score}."),
            ([], Some((other, behind))) => {
                format!("{when}, {name} is ahead with {score}; next is {other} with {behind:.3}.")
            }
            (tied, _) => format!(
                "{when}, {name} scores {score} and does not differ significantly from {}.",
                tied.join(" and ")
            ),
        }
    }
}
