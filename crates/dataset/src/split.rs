//! Repositories → sides.
//!
//! A repository is on one side as a whole: functions of one project share names, helpers and habits, and a
//! model that learned from some of them would know the others.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Digest, Split, Unit};

use crate::Train;

/// The side of every repository ([`barecode_records::Origin::whole`]) that these units are from.
///
/// A share is reached as follows: the repositories are in an order drawn by the seed, and one after the other goes to
/// the train side if that brings the number of its units nearer to the share. The order of two repositories depends
/// only on their names and the seed, so a repository that is added moves others only if it shifts the point at which
/// the share is reached. One repository stays on the test side in any case.
///
/// Of listed sources, a repository is on the train side if all of its units are from sources of the list.
pub fn sides<'a>(
    units: impl IntoIterator<Item = &'a Unit>,
    train: &Train,
    seed: u64,
) -> BTreeMap<String, Split> {
    let mut sizes: BTreeMap<String, u64> = BTreeMap::new();
    let mut sources: BTreeMap<String, BTreeSet<&str>> = BTreeMap::new();
    for unit in units {
        let whole = unit.origin.whole();
        let of_whole = sources.entry(whole.clone()).or_default();
        of_whole.insert(unit.origin.source.as_str());
        *sizes.entry(whole).or_default() += 1;
    }
    let trains: BTreeSet<String> = match train {
        Train::Sources(listed) => sources
            .into_iter()
            .filter(|(_, sources)| {
                sources
                    .iter()
                    .all(|source| listed.iter().any(|one| one == source))
            })
            .map(|(whole, _)| whole)
            .collect(),
        Train::Share(share) => drawn(&sizes, *share, seed),
    };
    let side = |whole: String| {
        let side = if trains.contains(&whole) {
            Split::Train
        } else {
            Split::Test
        };
        (whole, side)
    };
    sizes.into_keys().map(side).collect()
}

fn drawn(sizes: &BTreeMap<String, u64>, share: f64, seed: u64) -> BTreeSet<String> {
    let wanted = share * sizes.values().sum::<u64>() as f64;
    let mut order: Vec<(&String, u64)> = sizes.iter().map(|(whole, size)| (whole, *size)).collect();
    order.sort_by_cached_key(|(whole, _)| {
        let lot = Digest::new("split").field(seed.to_le_bytes());
        lot.field(whole).hex()
    });
    let mut train = BTreeSet::new();
    let mut reached = 0_u64;
    for (whole, size) in order {
        let with = (reached + size) as f64;
        if train.len() + 1 < sizes.len() && (wanted - with).abs() < (wanted - reached as f64).abs()
        {
            reached += size;
            train.insert(whole.clone());
        }
    }
    train
}
