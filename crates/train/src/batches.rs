//! Pairs → the batches of an epoch.
//!
//! In come pairs, options and the epoch; out come batches as indices of pairs, in an order that the seed alone
//! decides. With doses, pairs of one repository with one anchor are views of one thing: each epoch draws one view, a
//! setting with a chance in proportion to its dose. No batch has two pairs with one anchor or one positive, because
//! each would be trained against the other's right answer; such a pair waits for the next batch.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use barecode_records::Digest;

use crate::TrainError;
use crate::optimizer::unit;
use crate::options::Options;
use crate::pairs::Pair;

/// The batches of an epoch, from 0, as indices of pairs: the pairs that each step of a training sees.
///
/// # Errors
/// As [`train`](crate::train), if nothing can be learned from the pairs.
pub fn batches(
    pairs: &[Pair],
    options: &Options,
    epoch: u32,
) -> Result<Vec<Vec<usize>>, TrainError> {
    Ok(Batches::new(pairs, options)?.epoch(epoch))
}

/// The source of batches: pairs in groups, and the options.
pub(crate) struct Batches<'a> {
    pairs: &'a [Pair],
    options: &'a Options,
    /// Views of one thing, by setting; without doses each pair is its own.
    groups: Vec<Vec<usize>>,
}

impl<'a> Batches<'a> {
    /// Groups the pairs.
    ///
    /// # Errors
    /// If nothing can be learned from the pairs, or doses name settings that no pair has.
    pub(crate) fn new(pairs: &'a [Pair], options: &'a Options) -> Result<Self, TrainError> {
        let groups = if options.doses.is_empty() {
            (0..pairs.len()).map(|pair| vec![pair]).collect()
        } else {
            by_anchor(pairs, options)?
        };
        let batches = Batches {
            pairs,
            options,
            groups,
        };
        let positives: BTreeSet<&str> = pairs.iter().map(|pair| pair.positive.as_str()).collect();
        let is_alone = positives.len() < 2 || options.batch == 1;
        if is_alone && pairs.iter().all(|pair| pair.negatives.is_empty()) {
            let what = if options.batch == 1 {
                "batches of one pair".to_owned()
            } else {
                format!(
                    "{} pairs with {} different positives",
                    pairs.len(),
                    positives.len()
                )
            };
            return Err(TrainError::invalid(
                format!("{what} and no negatives to compare the positive with"),
                "give at least two pairs with different positives and batches of two, or a column `negative`",
            ));
        }
        Ok(batches)
    }

    /// The batches of an epoch, from 0.
    pub(crate) fn epoch(&self, epoch: u32) -> Vec<Vec<usize>> {
        let digest = |what: &str, group: &[usize]| {
            let first = &self.pairs[group[0]];
            Digest::new(what)
                .field(self.options.seed.to_le_bytes())
                .field(epoch.to_le_bytes())
                .field(&first.anchor)
                .field(&first.positive)
                .field(first.setting.as_deref().unwrap_or_default())
        };
        let mut order: Vec<&Vec<usize>> = self.groups.iter().collect();
        order.sort_by_cached_key(|group| digest("order", group).bytes());
        let mut coming: VecDeque<usize> = order
            .into_iter()
            .map(|group| self.draw(group, digest("view", group).seed()))
            .collect();
        let mut batches = Vec::new();
        let mut waiting = VecDeque::new();
        while !coming.is_empty() {
            let mut batch = Vec::new();
            let (mut anchors, mut positives) = (BTreeSet::new(), BTreeSet::new());
            // If nearly all pairs share a text, the rest is not looked through for every batch.
            while batch.len() < self.options.batch
                && waiting.len() < 64 * self.options.batch
                && let Some(pair) = coming.pop_front()
            {
                let Pair {
                    anchor, positive, ..
                } = &self.pairs[pair];
                if anchors.contains(anchor) || positives.contains(positive) {
                    waiting.push_back(pair);
                } else {
                    anchors.insert(anchor);
                    positives.insert(positive);
                    batch.push(pair);
                }
            }
            while let Some(pair) = waiting.pop_back() {
                coming.push_front(pair);
            }
            // One pair alone has no other pair to be compared with.
            if batch.len() > 1
                || batch
                    .iter()
                    .any(|&pair| !self.pairs[pair].negatives.is_empty())
            {
                batches.push(batch);
            }
        }
        batches
    }

    /// The number of batches of an epoch, and the number of pairs that are left out because they would be alone in a
    /// batch.
    pub(crate) fn alone(&self, epoch: u32) -> (u64, u64) {
        let batches = self.epoch(epoch);
        let taken: usize = batches.iter().map(Vec::len).sum();
        (batches.len() as u64, (self.groups.len() - taken) as u64)
    }

    /// One of the views of a thing.
    fn draw(&self, group: &[usize], seed: u64) -> usize {
        if let [only] = group {
            return *only;
        }
        let mut settings: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
        for &pair in group {
            let setting = self.pairs[pair].setting.as_deref().unwrap_or_default();
            settings.entry(setting).or_default().push(pair);
        }
        let dose = |setting: &str| self.options.doses.get(setting).copied().unwrap_or(0.0);
        let total: f64 = settings.keys().map(|setting| dose(setting)).sum();
        let mut point = unit(seed) * total;
        let mut chosen = group;
        for (setting, views) in &settings {
            chosen = views;
            point -= dose(setting);
            if point < 0.0 {
                break;
            }
        }
        let again = Digest::new("draw").field(seed.to_le_bytes()).seed();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "below the number of views"
        )]
        let place = (unit(again) * chosen.len() as f64) as usize;
        chosen[place.min(chosen.len() - 1)]
    }
}

/// Pairs with a dosed setting, by repository and anchor.
fn by_anchor(pairs: &[Pair], options: &Options) -> Result<Vec<Vec<usize>>, TrainError> {
    let settings: BTreeSet<&str> = pairs
        .iter()
        .filter_map(|pair| pair.setting.as_deref())
        .collect();
    for (setting, &dose) in &options.doses {
        if dose > 0.0 && !settings.contains(setting.as_str()) {
            let known: Vec<&str> = settings.into_iter().collect();
            return Err(TrainError::invalid(
                format!(
                    "a dose names the setting `{setting}`, which no pair has; found {}",
                    if known.is_empty() {
                        "none".to_owned()
                    } else {
                        known.join(", ")
                    }
                ),
                "a pair has its setting in the column `setting`, or in the file's name in `train/`",
            ));
        }
    }
    let mut groups: BTreeMap<(Option<&str>, &str), Vec<usize>> = BTreeMap::new();
    for (place, pair) in pairs.iter().enumerate() {
        let dose = pair
            .setting
            .as_ref()
            .and_then(|setting| options.doses.get(setting));
        if dose.is_some_and(|dose| *dose > 0.0) {
            groups
                .entry((pair.repository.as_deref(), &pair.anchor))
                .or_default()
                .push(place);
        }
    }
    if groups.is_empty() {
        return Err(TrainError::invalid(
            "all doses are 0",
            "give a setting a dose above 0",
        ));
    }
    Ok(groups.into_values().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(anchor: &str, positive: &str, setting: &str) -> Pair {
        Pair {
            anchor: anchor.to_owned(),
            positive: positive.to_owned(),
            setting: Some(setting.to_owned()),
            ..Pair::default()
        }
    }

    #[test]
    fn no_batch_has_an_anchor_or_a_positive_twice() {
        let mut pairs: Vec<Pair> = (0..30)
            .map(|i| pair(&format!("a{i}"), &format!("p{}", i % 7), "standard"))
            .collect();
        pairs.extend((0..5).map(|i| pair("same", &format!("q{i}"), "standard")));
        let options = Options {
            batch: 6,
            ..Options::default()
        };
        let batches = Batches::new(&pairs, &options).unwrap();
        let epoch = batches.epoch(0);
        assert_eq!(epoch, batches.epoch(0), "the seed decides");
        assert_ne!(epoch, batches.epoch(1), "epochs differ");
        let mut seen: BTreeSet<usize> = BTreeSet::new();
        for batch in &epoch {
            assert!(batch.len() <= 6);
            let anchors: BTreeSet<&str> = batch.iter().map(|&i| pairs[i].anchor.as_str()).collect();
            let positives: BTreeSet<&str> =
                batch.iter().map(|&i| pairs[i].positive.as_str()).collect();
            assert_eq!([anchors.len(), positives.len()], [batch.len(); 2]);
            seen.extend(batch);
        }
        assert!(seen.len() >= 34, "at most the last pair alone is left out");
    }

    #[test]
    fn pairs_that_no_batch_takes_are_counted() {
        let mut pairs: Vec<Pair> = (0..10)
            .map(|i| pair("same", &format!("p{i}"), "standard"))
            .collect();
        pairs.push(pair("other", "q", "standard"));
        let options = Options::default();
        // Only one of the ten meets the eleventh in a batch.
        let batches = Batches::new(&pairs, &options).unwrap();
        assert_eq!(batches.alone(0), (1, 9));
    }

    #[test]
    fn doses_are_kept() {
        let settings = ["standard", "randomized", "neutralized"];
        let pairs: Vec<Pair> = (0..900)
            .map(|i| pair(&format!("a{}", i / 3), &format!("p{i}"), settings[i % 3]))
            .collect();
        let doses = BTreeMap::from([("standard".to_owned(), 1.0), ("randomized".to_owned(), 2.0)]);
        let options = Options {
            doses,
            ..Options::default()
        };
        let batches = Batches::new(&pairs, &options).unwrap();
        let drawn: Vec<usize> = (0..10)
            .flat_map(|epoch| batches.epoch(epoch))
            .flatten()
            .collect();
        let share = |setting: &str| {
            drawn
                .iter()
                .filter(|&&i| pairs[i].setting.as_deref() == Some(setting))
                .count() as f64
                / drawn.len() as f64
        };
        assert!(share("neutralized") < 1e-12);
        assert!(
            (share("randomized") - 2.0 / 3.0).abs() < 0.03,
            "{}",
            share("randomized")
        );
        assert!(
            drawn.len() >= 2990,
            "every thing once an epoch: {}",
            drawn.len()
        );
    }

    #[test]
    fn one_pair_teaches_nothing() {
        let options = Options::default();
        let one = [pair("a", "p", "standard")];
        let error = Batches::new(&one, &options).err().unwrap();
        assert!(
            error
                .to_string()
                .contains("no negatives to compare the positive with"),
            "{error}"
        );
        let with = [Pair {
            negatives: vec!["n".to_owned()],
            ..one[0].clone()
        }];
        assert_eq!(Batches::new(&with, &options).unwrap().epoch(0), [[0]]);
    }
}
