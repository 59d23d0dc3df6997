//! Tied groups instead of strict ranks.
//!
//! A table that ranks by the mean shows an order even if there is none to be seen. The compact letter display shows
//! only the result of the tests: two systems share a letter exactly if no test separated them (Piepho, *An algorithm
//! for a letter-based representation of all-pairwise comparisons*, 2004: insert and absorb). Letters go from the best
//! system down.
//!
//! "Not separated" is not an equality, and does not carry over: A and B, B and C may share letters while A and C
//! do not. So a system can have several letters.

use std::collections::BTreeSet;

use serde::Serialize;

/// Systems that no test separated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TiedGroups {
    /// The positions of systems from the highest mean down; equal means keep their order.
    pub order: Vec<usize>,
    /// The letters of each system, by position: `a`, `ab`, … (`z` is followed by `aa` in brackets).
    pub letters: Vec<String>,
    /// The systems that share each letter, from the best down.
    pub groups: Vec<Vec<usize>>,
    /// For each position in `order` but the last, true if its system is separated from the next.
    pub separated_from_next: Vec<bool>,
}

/// Groups systems by the pairs that a test separated.
///
/// ```
/// use barecode_scores::comparison::tied_groups;
/// // The best and the worst differ; the one between is like both.
/// let groups = tied_groups(&[0.3, 0.5, 0.4], &[(0, 1)]);
/// assert_eq!(groups.order, [1, 2, 0]);
/// assert_eq!(groups.letters, ["b", "a", "ab"]);
/// assert_eq!(groups.separated_from_next, [false, false]);
/// ```
pub fn tied_groups(means: &[f64], apart: &[(usize, usize)]) -> TiedGroups {
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| means[b].total_cmp(&means[a]));
    let mut place = vec![0; means.len()];
    for (at, &system) in order.iter().enumerate() {
        place[system] = at;
    }
    // Groups hold positions, so that they sort from the best down.
    let apart: BTreeSet<(usize, usize)> = apart
        .iter()
        .map(|&(a, b)| (place[a].min(place[b]), place[a].max(place[b])))
        .collect();
    let mut groups: Vec<BTreeSet<usize>> = vec![(0..means.len()).collect()];
    for &(better, worse) in &apart {
        let mut split = Vec::new();
        for group in groups {
            if group.contains(&better) && group.contains(&worse) {
                for leaving in [worse, better] {
                    let mut rest = group.clone();
                    rest.remove(&leaving);
                    split.push(rest);
                }
            } else {
                split.push(group);
            }
        }
        groups = absorbed(split);
    }
    groups.retain(|group| !group.is_empty());
    groups.sort();
    let mut letters = vec![String::new(); means.len()];
    for (letter, group) in groups.iter().enumerate() {
        for &at in group {
            letters[order[at]].push_str(&name(letter));
        }
    }
    TiedGroups {
        separated_from_next: (1..order.len())
            .map(|at| apart.contains(&(at - 1, at)))
            .collect(),
        groups: groups
            .iter()
            .map(|group| group.iter().map(|&at| order[at]).collect())
            .collect(),
        letters,
        order,
    }
}

/// The groups without those that are part of another.
fn absorbed(groups: Vec<BTreeSet<usize>>) -> Vec<BTreeSet<usize>> {
    let mut kept: Vec<BTreeSet<usize>> = Vec::new();
    for group in groups {
        if kept.iter().any(|other| group.is_subset(other)) {
            continue;
        }
        kept.retain(|other| !other.is_subset(&group));
        kept.push(group);
    }
    kept
}

/// `a` to `z`, then `(aa)`, `(ab)`, and so on.
fn name(number: usize) -> String {
    let letter = |n: usize| char::from(b"abcdefghijklmnopqrstuvwxyz"[n % 26]);
    if number < 26 {
        return letter(number).to_string();
    }
    let mut letters = Vec::new();
    let mut rest = number;
    loop {
        letters.push(letter(rest));
        if rest < 26 {
            break;
        }
        rest = rest / 26 - 1;
    }
    format!("({})", letters.iter().rev().collect::<String>())
}
