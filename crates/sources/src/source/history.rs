//! The day on which each file of a commit was first committed.
//!
//! Enters: a repository and a commit. Leaves: for every path of C and C++ in that commit the day (UTC, by the
//! committer's clock) of the earliest commit that has the path. Renames are not followed, so a file that was moved
//! is as old as its new path. `None` if the history is incomplete: a shallow or partial clone would make every file
//! look young.
//!
//! One walk over the history: a path is new in a commit that has it if its first parent lacks it. Of all commits in
//! which it is new the earliest counts. Trees that are the same on both sides are not entered. The answer depends on
//! the commit only, so it is cached under the commit's name.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::PathBuf;

use barecode_records::{Digest, guarded};
use gix::bstr::{BStr, BString};
use gix::objs::tree::EntryKind;
use gix::{ObjectId, Repository};
use serde::{Deserialize, Serialize};

use super::mirror;
use super::paths::{may_be_code, readable_path};

/// Longer histories are walked only if a recipe requests it: a minute or so for each further hundred
/// thousand commits.
pub const MOST_COMMITS: usize = 50_000;

/// Raised when the same commit gets other days.
const CODE: u32 = 2;

#[derive(Serialize, Deserialize)]
struct Kept {
    code: u32,
    days: BTreeMap<String, String>,
    /// A digest of the days: a letter that a disk changed is another day.
    sum: String,
}

fn sum(days: &BTreeMap<String, String>) -> String {
    let lines = days.iter().flat_map(|(path, day)| [path, day]);
    Digest::new("first commits").fields(lines).hex()
}

/// Days by path; `None` if they are not requested, or the history is incomplete or too long.
pub(super) fn first_commits(
    repository: &Repository,
    commit: ObjectId,
    wanted: Option<bool>,
) -> Option<BTreeMap<String, String>> {
    if wanted == Some(false) || repository.is_shallow().ok()? {
        return None;
    }
    let most = if wanted == Some(true) {
        usize::MAX
    } else {
        MOST_COMMITS
    };
    let place = mirror::cache()
        .join("history")
        .join(format!("{commit}.json"));
    if let Some(days) = kept(&place) {
        return Some(days);
    }
    let days = walk(repository, commit, most)?;
    keep(&place, &days);
    Some(days)
}

fn kept(place: &PathBuf) -> Option<BTreeMap<String, String>> {
    let kept: Kept = serde_json::from_slice(&guarded::read(place).ok()?).ok()?;
    (kept.code == CODE && kept.sum == sum(&kept.days)).then_some(kept.days)
}

/// Stores the days in the cache; if that fails, they are computed again next time.
fn keep(place: &PathBuf, days: &BTreeMap<String, String>) {
    let kept = Kept {
        code: CODE,
        days: days.clone(),
        sum: sum(days),
    };
    let partial = place.with_extension(format!("partial-{}", std::process::id()));
    let text = serde_json::to_vec(&kept).expect("days are plain data");
    let folder = place.parent().map(fs::create_dir_all);
    if matches!(folder, Some(Ok(())))
        && (fs::write(&partial, text).is_err() || fs::rename(&partial, place).is_err())
    {
        let _ = fs::remove_file(&partial);
    }
}

fn walk(
    repository: &Repository,
    commit: ObjectId,
    most: usize,
) -> Option<BTreeMap<String, String>> {
    let mut first: BTreeMap<BString, i64> = BTreeMap::new();
    let mut seen: HashSet<ObjectId> = HashSet::from([commit]);
    let mut waiting = vec![commit];
    while let Some(id) = waiting.pop() {
        if seen.len() > most {
            return None;
        }
        let (tree, parents, seconds) = facts(repository, id)?;
        let before = match parents.first() {
            Some(&parent) => Some(facts(repository, parent)?.0),
            None => None,
        };
        let mut added = Vec::new();
        additions(repository, tree, before, &mut added)?;
        for path in added {
            let earliest = first.entry(path).or_insert(seconds);
            *earliest = seconds.min(*earliest);
        }
        waiting.extend(parents.into_iter().filter(|&parent| seen.insert(parent)));
    }
    let day = |(path, seconds): (BString, i64)| (readable_path(&path), day(seconds));
    Some(first.into_iter().map(day).collect())
}

/// Tree, parents and time of a commit.
fn facts(repository: &Repository, id: ObjectId) -> Option<(ObjectId, Vec<ObjectId>, i64)> {
    let commit = repository.find_commit(id).ok()?;
    let decoded = commit.decode().ok()?;
    let seconds = decoded.committer().ok()?.seconds();
    Some((decoded.tree(), decoded.parents().collect(), seconds))
}

/// The files of one tree whose paths are not in another; `None` if an object is missing.
fn additions(
    repository: &Repository,
    tree: ObjectId,
    before: Option<ObjectId>,
    added: &mut Vec<BString>,
) -> Option<()> {
    let mut waiting = vec![(BString::default(), tree, before)];
    while let Some((prefix, tree, before)) = waiting.pop() {
        if Some(tree) == before {
            continue;
        }
        let after = repository.find_tree(tree).ok()?;
        let before = match before {
            Some(before) => Some(repository.find_tree(before).ok()?),
            None => None,
        };
        let mut known: BTreeMap<&BStr, (bool, ObjectId)> = BTreeMap::new();
        if let Some(before) = &before {
            for entry in before.iter() {
                let entry = entry.ok()?;
                let is_tree = entry.mode().is_tree();
                known.insert(entry.inner.filename, (is_tree, entry.object_id()));
            }
        }
        for entry in after.iter() {
            let entry = entry.ok()?;
            let name = entry.inner.filename;
            let known = known.get(name);
            let join = || {
                let mut path = prefix.clone();
                path.extend_from_slice(name);
                path
            };
            match entry.mode().kind() {
                EntryKind::Tree => {
                    let before = known.and_then(|&(is_tree, id)| is_tree.then_some(id));
                    let mut path = join();
                    path.push(b'/');
                    waiting.push((path, entry.object_id(), before));
                }
                EntryKind::Blob | EntryKind::BlobExecutable => {
                    let is_new = known.is_none_or(|&(is_tree, _)| is_tree);
                    if is_new && may_be_code(&readable_path(name)) {
                        added.push(join());
                    }
                }
                EntryKind::Link | EntryKind::Commit => {}
            }
        }
    }
    Some(())
}

/// `2019-04-02` of seconds since 1970, after Howard Hinnant's `civil_from_days`.
fn day(seconds: i64) -> String {
    let days = seconds.div_euclid(86_400) + 719_468;
    let era = days.div_euclid(146_097);
    let of_era = days.rem_euclid(146_097);
    let year_of_era = (of_era - of_era / 1_460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        for (seconds, wanted) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (951_782_400, "2000-02-29"),
            (1_554_163_200, "2019-04-02"),
            (1_735_689_599, "2024-12-31"),
            (1_735_689_600, "2025-01-01"),
        ] {
            assert_eq!(day(seconds), wanted, "{seconds}");
        }
    }
}
