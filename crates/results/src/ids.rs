//! The reasons why the ids of two files have nothing in common.
//!
//! A run whose ids have another form than those of the judgments scores 0, like a run that finds nothing. The ids
//! distinguish the two cases.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the likely reason why none of the `found` ids is among the `known` ones, as a hint. `others` are ids of
/// another kind that may be in the wrong column.
pub fn likely_cause(
    found: &BTreeSet<&str>,
    known: &BTreeSet<&str>,
    others: &BTreeSet<&str>,
) -> String {
    let pair = |made: &dyn Fn(&str) -> String| {
        let made_known = known.iter().map(|id| (made(id), *id));
        let made_known: BTreeMap<String, &str> = made_known.collect();
        let mut same = found.iter();
        same.find_map(|id| Some((*id, *made_known.get(&made(id))?)))
    };
    let bare = |id: &str| {
        let id = id.trim_matches(|c: char| c.is_whitespace() || "\"'\u{feff}\u{200b}".contains(c));
        id.to_owned()
    };
    if let Some(swapped) = found.iter().find(|id| others.contains(*id)) {
        return format!(
            "the columns may have another order: `{swapped}` is an id of the other kind"
        );
    }
    if let Some((one, other)) = pair(&|id| id.to_lowercase()) {
        return format!("they differ in upper and lower case: `{one}` and `{other}`");
    }
    if let Some((one, other)) = pair(&bare) {
        return format!("they differ in white space or quotes: `{one}` and `{other}`");
    }
    if let Some((one, other)) = extended(found, known) {
        return format!("one has a prefix that the other lacks: `{one}` and `{other}`");
    }
    if let Some((other, one)) = extended(known, found) {
        return format!("one has a prefix that the other lacks: `{one}` and `{other}`");
    }
    let first = |ids: &BTreeSet<&str>| ids.first().copied().unwrap_or_default().to_owned();
    format!(
        "they look different: `{}` and `{}`",
        first(found),
        first(known)
    )
}

/// An id that is another one behind a prefix that ends in a sign, such as `doc-7` and `7`.
fn extended<'a>(long: &BTreeSet<&'a str>, short: &BTreeSet<&'a str>) -> Option<(&'a str, &'a str)> {
    long.iter().find_map(|id| {
        let starts = id.char_indices().skip(1);
        let mut ends = starts.filter_map(|(at, _)| short.get(id.get(at..)?));
        Some((*id, *ends.next()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cause_is_named_with_an_example() {
        let set = |ids: &[&'static str]| ids.iter().copied().collect::<BTreeSet<&str>>();
        for (found, cause) in [
            (["A7", "B8"], "upper and lower case: `A7` and `a7`"),
            (["\u{feff}a7", "x"], "white space or quotes"),
            (
                ["doc-a7", "x"],
                "a prefix that the other lacks: `doc-a7` and `a7`",
            ),
            (["q1", "x"], "another order: `q1`"),
            (["x", "y"], "look different: `x` and `a7`"),
        ] {
            let told = likely_cause(&set(&found), &set(&["a7", "b8"]), &set(&["q1"]));
            assert!(told.contains(cause), "{found:?}: {told}");
        }
    }
}
