//! The assignment of items to raters, their order, and the text on the left: all drawn from one seed.

use std::collections::BTreeMap;

use crate::error::StudyError;

/// The number of items, and their distribution among raters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Design {
    /// Items of each group; all of them if `None`.
    pub per_group: Option<usize>,
    /// Items of each group that all raters get. The others are divided among them.
    pub shared: usize,
    /// Raters.
    pub raters: usize,
    /// The seed of all draws.
    pub seed: u64,
}

/// The items of a group, by id.
pub(crate) type Group<'a> = (&'a str, Vec<&'a str>);

/// An item that a rater gets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assigned {
    /// Its id.
    pub(crate) item: String,
    /// True if its first text is on the left.
    pub(crate) first_is_left: bool,
}

/// Draws a study: for each rater the items in order.
///
/// Every draw is an order of digests of the seed, its purpose and an item's id, so an item more does not reshuffle the
/// others. The first text is on the left for half of a rater's items (one more or less if their number is odd).
///
/// # Errors
/// If a group has too few items, or fewer items than are shared.
pub(crate) fn draw(
    groups: &[Group<'_>],
    design: &Design,
) -> Result<Vec<Vec<Assigned>>, StudyError> {
    if design.raters == 0 {
        return Err(StudyError::invalid("a study needs at least one rater"));
    }
    let mut of_rater: Vec<Vec<&str>> = vec![Vec::new(); design.raters];
    let short: Vec<String> = groups
        .iter()
        .filter(|(_, items)| design.per_group.is_some_and(|wanted| items.len() < wanted))
        .map(|(group, items)| format!("{} in {}", items.len(), named(group)))
        .collect();
    if let (Some(wanted), false) = (design.per_group, short.is_empty()) {
        let most = groups
            .iter()
            .map(|(_, items)| items.len())
            .min()
            .unwrap_or_default();
        return Err(StudyError::with_hint(
            format!("too few items for {wanted} a group: {}", short.join(", ")),
            format!("ask for at most {most} with --per-group, or use a larger run"),
        ));
    }
    for (group, items) in groups {
        let mut items = items.clone();
        items.sort_by_cached_key(|item| key(design.seed, "sample", &[group, item]));
        items.truncate(design.per_group.unwrap_or(usize::MAX));
        if design.shared > items.len() {
            return Err(StudyError::with_hint(
                format!(
                    "{} items of {} cannot be shared, it has {}",
                    design.shared,
                    named(group),
                    items.len()
                ),
                "give a smaller number with --shared",
            ));
        }
        let (shared, disjoint) = items.split_at(design.shared);
        for row in &mut of_rater {
            row.extend(shared);
        }
        // The rater with the fewest items is next, so that loads differ by one at most over all groups.
        for item in disjoint {
            let next = (0..design.raters).min_by_key(|&rater| of_rater[rater].len());
            of_rater[next.unwrap_or_default()].push(item);
        }
    }
    let assigned = |(rater, mut items): (usize, Vec<&str>)| {
        let rater = rater.to_string();
        items.sort_by_cached_key(|item| key(design.seed, "side", &[&rater, item]));
        let half = items.len() / 2
            + items.len() % 2 * usize::from(key(design.seed, "odd", &[&rater])[0] & 1);
        let sides: BTreeMap<&str, bool> = items
            .iter()
            .enumerate()
            .map(|(at, item)| (*item, at < half))
            .collect();
        items.sort_by_cached_key(|item| key(design.seed, "order", &[&rater, item]));
        let one = |item: &str| Assigned {
            item: item.to_owned(),
            first_is_left: sides[item],
        };
        items.into_iter().map(one).collect()
    };
    Ok(of_rater.into_iter().enumerate().map(assigned).collect())
}

fn named(group: &str) -> String {
    if group.is_empty() {
        "the study".to_owned()
    } else {
        format!("`{group}`")
    }
}

fn key(seed: u64, purpose: &str, parts: &[&str]) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new_derive_key("barecode 2026 draws of a study");
    hasher.update(&seed.to_le_bytes());
    for part in [&[purpose], parts].concat() {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn items(group: &str, count: usize) -> Vec<String> {
        (0..count).map(|item| format!("{group}-{item}")).collect()
    }

    fn drawn(count: usize, wanted: &Design) -> Result<Vec<Vec<Assigned>>, StudyError> {
        let all = ["group1", "group2", "group3"].map(|group| (group, items(group, count)));
        let groups: Vec<Group<'_>> = all
            .iter()
            .map(|(group, items)| (*group, items.iter().map(String::as_str).collect()))
            .collect();
        draw(&groups, wanted)
    }

    const PAPER: Design = Design {
        per_group: Some(125),
        shared: 50,
        raters: 3,
        seed: 7,
    };

    #[test]
    fn the_papers_design_has_its_numbers() {
        let raters = drawn(300, &PAPER).unwrap();
        assert!(
            raters.iter().all(|row| row.len() == 225),
            "75 of each of three groups"
        );
        let sets: Vec<BTreeSet<&str>> = raters
            .iter()
            .map(|row| row.iter().map(|one| &*one.item).collect())
            .collect();
        let shared = sets[0]
            .intersection(&sets[1])
            .filter(|item| sets[2].contains(**item))
            .count();
        assert_eq!(shared, 150);
        assert_eq!(
            sets[0].intersection(&sets[1]).count(),
            150,
            "the rest is disjoint"
        );
        let all: BTreeSet<&&str> = sets.iter().flatten().collect();
        assert_eq!(all.len(), 375);
        for group in ["group1-", "group2-", "group3-"] {
            assert!(
                sets.iter()
                    .all(|set| set.iter().filter(|item| item.starts_with(group)).count() == 75)
            );
        }
        for row in &raters {
            let left = row.iter().filter(|one| one.first_is_left).count();
            assert!(
                (112..=113).contains(&left),
                "{left} of 225 have the first text on the left"
            );
        }
    }

    #[test]
    fn a_seed_decides_everything_and_another_something_else() {
        assert_eq!(drawn(300, &PAPER), drawn(300, &PAPER));
        assert_ne!(drawn(300, &PAPER), drawn(300, &Design { seed: 8, ..PAPER }));
    }

    #[test]
    fn too_few_items_are_counted() {
        let error = drawn(80, &PAPER).unwrap_err();
        assert!(
            error.to_string().contains("80 in `group1`, 80 in `group2`"),
            "{error}"
        );
        assert!(error.hint().unwrap().contains("at most 80"));
        let error = drawn(
            300,
            &Design {
                shared: 126,
                ..PAPER
            },
        )
        .unwrap_err();
        assert!(
            error
                .to_string()
                .contains("126 items of `group1` cannot be shared"),
            "{error}"
        );
    }
}
