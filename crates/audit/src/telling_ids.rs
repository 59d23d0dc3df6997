//! Ids that reveal the document that answers a query.

use crate::look::{Look, SubsetLook};
use crate::rule::{Example, Finding, Report, Severity, counted, percent, rule, share_of};

rule! {
    /// Queries whose id is in the text of their answer.
    ///
    /// **Why it matters.** Where ids are shown to a model, or are names of functions, string search finds the answer.
    ///
    /// **Method.** Ids of four characters or more that are not plain numbers, as whole words of the answer's text. The
    /// rule reports only if an id is less than a third as often in the answer of the next query, because an id that is
    /// a common word is not a leak. A warning from 1 % of queries on, a defect from 20 % on.
    ///
    /// **Example.** The query `list_add` over `int list_add(…)`.
    ///
    /// **Remedy.** Make ids from digests or row numbers.
    ///
    /// **Limits.** A part of an id is not looked for.
    IN_TEXT = "BA707" "id-in-answer", id_in_answer;
}

rule! {
    /// Ids from which the answer can be read: query and answer end alike, or their ids have the same order.
    ///
    /// **Why it matters.** No model sees ids, but agents with access to files, fusion of lists and rules for ties do.
    ///
    /// **Method.** Ten queries or more with one answer each are needed. `same end` is the share in which the digits at
    /// the ends of both ids, or both ids as a whole, are equal. `same order` is the share of steps, in the order of the
    /// queries' ids, in which the answer's id grows too (one half by chance). A note if either is 95 % or more.
    ///
    /// **Example.** `query_17` is answered by `code_17`.
    ///
    /// **Remedy.** Make ids from content, or shuffle one of the two sides.
    ///
    /// **Limits.** Ids `q7` and `c7` are not counted: readers of tables without ids give them.
    ORDER = "BA708" "telling-ids", telling_ids;
}

/// Queries with their one answer.
fn pairs(subset: &SubsetLook<'_>) -> Vec<(usize, usize)> {
    let one = |query: usize| {
        let mut answers = subset.answers(query);
        let answer = answers.next()?;
        answers.next().is_none().then_some((query, answer))
    };
    (0..subset.queries.len()).filter_map(one).collect()
}

fn id_in_answer(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let pairs = pairs(subset);
        let tells = |query: usize, answer: usize| {
            let id = subset.query(query).id.as_str();
            let is_plain = id.bytes().all(|byte| byte.is_ascii_digit());
            id.chars().count() >= 4 && !is_plain && has_word(&subset.document(answer).text, id)
        };
        let found: Vec<usize> = pairs
            .iter()
            .filter(|&&(query, answer)| tells(query, answer))
            .map(|&(query, _)| query)
            .collect();
        let next = pairs.iter().cycle().skip(1);
        let by_chance = pairs.iter().zip(next);
        let by_chance = by_chance.filter(|((query, _), (_, other))| tells(*query, *other));
        if pairs.len() > 1 && by_chance.count() * 3 >= found.len() {
            continue;
        }
        let share = share_of(found.len(), subset.queries.len());
        let message = format!(
            "{} ({}) have an id that is in their answer",
            counted(found.len(), "query"),
            percent(share)
        );
        let examples = found.iter().take(3).map(|&at| subset.show_query(at, 0));
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.2),
            examples: examples.collect(),
            ..subset.found("queries", found.len(), subset.queries.len(), message)
        });
    }
}

/// Returns `true` if a text has a word as a whole word.
fn has_word(text: &str, word: &str) -> bool {
    let continues = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(word).any(|(at, _)| {
        let (before, after) = (text.get(..at), text.get(at + word.len()..));
        !before.is_some_and(|text| text.ends_with(continues))
            && !after.is_some_and(|text| text.starts_with(continues))
    })
}

fn telling_ids(look: &Look<'_>, report: &mut Report<'_>) {
    const FEWEST: usize = 10;
    const SHARE: f64 = 0.95;
    for subset in &look.subsets {
        let mut ids: Vec<(&str, &str)> = pairs(subset)
            .into_iter()
            .map(|(query, answer)| (&*subset.query(query).id, &*subset.document(answer).id))
            .collect();
        let is_given = |(query, document): &(&str, &str)| {
            let number = |id: &str, letter: char| id.strip_prefix(letter)?.parse::<u64>().ok();
            let number = number(query, 'q').zip(number(document, 'c'));
            number.is_some_and(|(query, document)| query == document)
        };
        if ids.len() < FEWEST || ids.iter().all(is_given) {
            continue;
        }
        let ends = ids.iter().filter(|(query, document)| {
            let (end, other) = (digits_at_end(query), digits_at_end(document));
            query == document || !end.is_empty() && end == other
        });
        let ends = ends.count();
        ids.sort_by(|one, other| natural(one.0).cmp(&natural(other.0)));
        // Ids that several queries share an answer by do not grow.
        let grow = ids
            .windows(2)
            .filter(|two| natural(two[0].1) < natural(two[1].1));
        let shares = [
            share_of(ends, ids.len()),
            share_of(grow.count(), ids.len() - 1),
        ];
        let count = match shares {
            [ends_share, _] if ends_share >= SHARE => ends,
            [_, order] if order >= SHARE => ids.len(),
            _ => continue,
        };
        let message = format!(
            "the ids of {} reveal their answer: {} end like it, {} are in the same order",
            counted(count, "query"),
            percent(shares[0]),
            percent(shares[1])
        );
        let examples = ids.iter().take(3).map(|(query, document)| Example {
            ids: vec![(*query).to_owned(), (*document).to_owned()],
            excerpt: String::new(),
        });
        report.add(Finding {
            numbers: vec![("same end", shares[0]), ("same order", shares[1])],
            examples: examples.collect(),
            ..subset.found("queries", count, subset.queries.len(), message)
        });
    }
}

/// The number at the end of an id, without zeros before it.
fn digits_at_end(id: &str) -> &str {
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = id.get(stem.len()..).unwrap_or_default();
    let short = digits.trim_start_matches('0');
    if short.is_empty() && !digits.is_empty() {
        "0"
    } else {
        short
    }
}

/// A key by which `q9` comes before `q10`.
fn natural(id: &str) -> (&str, usize, &str) {
    let digits = digits_at_end(id);
    let stem = id.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, digits.len(), digits)
}
