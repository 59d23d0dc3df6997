//! Documents that no model can distinguish, and their cost.

use std::collections::{BTreeMap, HashMap};

use barecode_scores::{Measure, Twins, ceiling};
use rayon::prelude::*;

use crate::look::{Look, SubsetLook};
use crate::rule::{Example, Finding, Report, Severity, counted, grouped, percent, rule, share_of};
use crate::text::{Digest, TextFacts};

rule! {
    /// Documents of a subset whose texts are the same, byte for byte.
    ///
    /// **Why it matters.** A model must give the same score to the same text, so it can only guess which of the
    /// twins is meant. The strict score then has a ceiling below 1, and models can only be compared below it.
    ///
    /// **Method.** Documents are grouped by a digest of their text. For each query with an answer, the best expected
    /// R@1, RR and nDCG@10 is computed for a model that knows everything except which twin is meant (the chapter
    /// *Measures*). If the query has candidates, only these count. The numbers are the means over queries, and the size
    /// of the largest group. It is a defect from 5 % of lost R@1 on, a warning from 0.5 % on. In a matching set nothing
    /// is ranked, and only documents are counted.
    ///
    /// **Example.** 28 functions of CLARC's group 1 that all became `static int func_0(void) { return MACRO_0; }`.
    ///
    /// **Remedy.** Keep one of each group (`distinct-texts = true` in a recipe's `[dataset]`), judge twins alike
    /// (BA003), or publish the ceiling beside the score.
    ///
    /// **Limits.** Texts that differ in a blank are another rule's (BA002).
    IDENTICAL = "BA001" "identical-texts", |look, report| twins(look, report, true);
}

rule! {
    /// Documents that become the same once white space, or white space and comments, are left out.
    ///
    /// **Why it matters.** Tokenizers of most models drop white space, so these are twins for them (BA001). A
    /// comment left in one of two copies reveals by accident which one is meant.
    ///
    /// **Method.** As BA001, on texts with every run of white space as one blank and none at the ends (`blanks`), and
    /// on texts without comments and any white space (`bare`). Case counts. The rule reports only if this finds more
    /// twins than BA001. Its count is that of `blanks`, or that of `bare` if `blanks` has no more twins than BA001.
    ///
    /// **Example.** `return 0;` on a line of its own, and behind the brace.
    ///
    /// **Remedy.** As for BA001; normalize texts before looking for duplicates.
    ///
    /// **Limits.** White space inside literals is treated like any other. Comments are found by the syntax of
    /// the language; in text that is not certainly code, none are found.
    ALIKE = "BA002" "alike-texts", |look, report| twins(look, report, false);
}

rule! {
    /// Documents that look the same: they differ in invisible characters, in forms of Unicode, or in letters' case.
    ///
    /// **Why it matters.** Most tokenizers normalize text, and many drop case, so these documents are twins for them
    /// (BA001). For other tokenizers an invisible character reveals which one is meant.
    ///
    /// **Method.** As BA002, on texts in NFKC without characters of width zero, soft hyphens and marks of direction
    /// (`seen`), and on the same in small letters. The rule reports only if this finds more twins than BA002 did, and
    /// its count is of the texts in small letters. Numbers: `blanks` (BA002's), and `seen`.
    ///
    /// **Example.** A function copied with a zero-width space in a comment.
    ///
    /// **Remedy.** As for BA001; normalize texts before looking for duplicates.
    ///
    /// **Limits.** Letters that look alike in several alphabets are not compared.
    SEEN = "BA004" "look-alike-texts", look_alike;
}

rule! {
    /// Documents that become the same once names are numbered in the order in which they come.
    ///
    /// **Why it matters.** They are copies under other names. A query for one fits the other, unless it contains a
    /// name, and a model of code behavior finds both.
    ///
    /// **Method.** Source of 40 or more tokens, without comments. In C and C++ all names are numbered except those of
    /// the language and the library. In other languages members and called names stay, except the function's own.
    /// Documents that BA004 finds are not counted again. Numbers: `own name` (those that differ in the function's own
    /// name only), `largest`, and `groups`. A warning from 5 % of documents on, except in subsets that are a setting of
    /// another one.
    ///
    /// **Example.** `list_add` and `ring_add`, copied and renamed.
    ///
    /// **Remedy.** Keep one of each group, or judge them alike.
    ///
    /// **Limits.** A copy in which a statement was added is not found. Functions for several types, made from one
    /// pattern, are found, and are alike.
    RENAMED = "BA005" "renamed-texts", renamed;
}

rule! {
    /// Queries whose judgments would change if documents with the same text were judged alike.
    ///
    /// **Why it matters.** A model that finds a twin of the answer has found the answer, but is scored as if it
    /// had not. The score under twin-aware judging is the second number to report.
    ///
    /// **Method.** For each query every candidate gets the highest grade of the documents with its text, blanks aside;
    /// the count is of queries for which the grade of some document changes. `added` is the number of judgments that
    /// this adds.
    ///
    /// **Example.** A query for one of 28 equal functions gets 27 more answers.
    ///
    /// **Remedy.** Score both ways and report both, or publish judgments that share grades among twins.
    ///
    /// **Limits.** Texts that behave alike but read differently are not found.
    SHARED = "BA003" "unshared-relevance", shared_relevance;
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sameness {
    Exact,
    Spaced,
    Bare,
}

impl Sameness {
    fn digest(self, facts: &TextFacts) -> Digest {
        match self {
            Sameness::Exact => facts.exact,
            Sameness::Spaced => facts.spaced,
            Sameness::Bare => facts.code,
        }
    }
}

/// Documents grouped by equality: for each document the first with the same text, and the groups of two or more.
pub(crate) struct Classes {
    pub(crate) first: Vec<usize>,
    pub(crate) groups: Vec<Vec<usize>>,
}

/// Groups digests; groups and members in order of index.
pub(crate) fn classes(digests: impl Iterator<Item = Digest>) -> Classes {
    let mut seen: HashMap<Digest, usize> = HashMap::new();
    let mut first = Vec::new();
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, digest) in digests.enumerate() {
        let class = *seen.entry(digest).or_insert(at);
        first.push(class);
        if class != at {
            members.entry(class).or_insert_with(|| vec![class]).push(at);
        }
    }
    Classes {
        first,
        groups: members.into_values().collect(),
    }
}

impl Classes {
    pub(crate) fn with_twin(&self) -> usize {
        self.groups.iter().map(Vec::len).sum()
    }

    pub(crate) fn largest(&self) -> usize {
        self.groups.iter().map(Vec::len).max().unwrap_or(1)
    }
}

/// R@1, RR and nDCG@10.
type Values = [f64; 3];

/// The means of R@1, RR and nDCG@10 of a perfect model, and their values without twins.
fn best(look: &SubsetLook<'_>, classes: &Classes) -> Option<(Values, Values)> {
    let measures: Vec<Measure> = ["R@1", "RR", "nDCG@10"]
        .map(|name| name.parse().expect("these are measures"))
        .into();
    let names: Vec<String> = classes.first.iter().map(usize::to_string).collect();
    let documents = &look.subset.documents;
    let all = Twins::among(
        documents
            .iter()
            .zip(&names)
            .map(|(document, name)| (document.id.as_str(), name.as_str())),
    );
    let of_query = |query: usize| -> Option<(Values, Values)> {
        let judged = look.judged[query].iter().filter(|(_, grade)| *grade > 0);
        let answers: Vec<(usize, i32)> = judged.copied().collect();
        if answers.is_empty() {
            return None;
        }
        let qrels: BTreeMap<&str, i32> = answers
            .iter()
            .map(|&(at, grade)| (documents[at].id.as_str(), grade))
            .collect();
        // Without twins each answer is a text of its own.
        let alone = Twins::among(qrels.keys().map(|id| (*id, *id)));
        let pool = look.subset.candidates.get(&look.query(query).id);
        let of_pool = pool.map(|pool| {
            let places = pool
                .iter()
                .filter_map(|id| look.document_at.get(id.as_str()));
            Twins::among(places.map(|&at| (documents[at].id.as_str(), names[at].as_str())))
        });
        let with = ceiling(&measures, of_pool.as_ref().unwrap_or(&all), &qrels);
        let without = ceiling(&measures, &alone, &qrels);
        Some((array(with), array(without)))
    };
    let found: Vec<(Values, Values)> = (0..look.queries.len())
        .into_par_iter()
        .filter_map(of_query)
        .collect();
    if found.is_empty() {
        return None;
    }
    let mean = |pick: fn(&(Values, Values)) -> Values| {
        let mut sums = [0.0; 3];
        for one in &found {
            for (sum, value) in sums.iter_mut().zip(pick(one)) {
                *sum += value;
            }
        }
        sums.map(|sum| sum / found.len() as f64)
    };
    Some((mean(|one| one.0), mean(|one| one.1)))
}

/// The three values; these measures all have a ceiling.
fn array(values: Vec<impl Into<Option<f64>>>) -> Values {
    let mut array = [0.0; 3];
    for (to, from) in array.iter_mut().zip(values) {
        *to = from.into().unwrap_or(0.0);
    }
    array
}

fn twins(look: &Look<'_>, report: &mut Report<'_>, exactly: bool) {
    for subset in &look.subsets {
        let by = |sameness: Sameness| {
            classes(subset.documents.iter().map(|facts| sameness.digest(facts)))
        };
        let exact = by(Sameness::Exact);
        let n_exact = exact.with_twin();
        let (spaced, bare) = if exactly {
            (None, None)
        } else {
            let more = |sameness| Some(by(sameness)).filter(|found| found.with_twin() > n_exact);
            (more(Sameness::Spaced), more(Sameness::Bare))
        };
        let n_bare = bare.as_ref().map_or(n_exact, Classes::with_twin);
        let (found, sameness) = match (exactly, spaced, bare) {
            (true, ..) => (exact, Sameness::Exact),
            (false, Some(spaced), _) => (spaced, Sameness::Spaced),
            (false, None, Some(bare)) => (bare, Sameness::Bare),
            (false, None, None) => continue,
        };
        let mut numbers = vec![
            ("largest", found.largest() as f64),
            ("groups", found.groups.len() as f64),
        ];
        let mut more = String::new();
        if !exactly {
            numbers.push(("exact", n_exact as f64));
            numbers.push(("bare", n_bare as f64));
            if sameness == Sameness::Spaced && n_bare > found.with_twin() {
                more = format!("; {} without comments and blanks", grouped(n_bare));
            }
        }
        let alike = match sameness {
            Sameness::Exact => "the text of another",
            Sameness::Spaced => "the text of another but for blanks",
            Sameness::Bare => "the text of another but for comments and blanks",
        };
        add(subset, report, &found, numbers, alike, more);
    }
}

/// Reports documents with twins, and their cost.
fn add(
    subset: &SubsetLook<'_>,
    report: &mut Report<'_>,
    found: &Classes,
    mut numbers: Vec<(&'static str, f64)>,
    alike: &str,
    mut more: String,
) {
    let mut severity = Severity::Note;
    if subset.is_retrieval()
        && !found.groups.is_empty()
        && let Some((with, without)) = best(subset, found)
    {
        severity = Severity::by(
            1.0 - with[0] / without[0].max(f64::MIN_POSITIVE),
            0.005,
            0.05,
        );
        numbers.extend(
            ["best R@1", "best RR", "best nDCG@10"]
                .into_iter()
                .zip(with),
        );
        numbers.push(("R@1 without twins", without[0]));
        let [r, rr, ndcg] = with;
        more = format!("{more}; best expected R@1 {r:.3}, RR {rr:.3}, nDCG@10 {ndcg:.3}");
    }
    let count = found.with_twin();
    let message = format!(
        "{} of {} have {alike}, the largest group {}{more}",
        grouped(count),
        counted(subset.documents.len(), "document"),
        grouped(found.largest())
    );
    report.add(Finding {
        severity,
        numbers,
        examples: show_groups(subset, &found.groups),
        ..subset.found("documents", count, subset.documents.len(), message)
    });
}

/// The largest groups are the ones to look at.
fn show_groups(subset: &SubsetLook<'_>, groups: &[Vec<usize>]) -> Vec<Example> {
    let mut groups: Vec<&Vec<usize>> = groups.iter().collect();
    groups.sort_by_key(|group| std::cmp::Reverse(group.len()));
    let shown = groups.iter().take(3);
    shown.map(|group| subset.show_documents(group)).collect()
}

fn look_alike(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let by = |digest: fn(&TextFacts) -> Digest| classes(subset.documents.iter().map(digest));
        let [spaced, seen, folded] = [
            by(|facts| facts.spaced),
            by(|facts| facts.seen),
            by(|facts| facts.folded),
        ];
        if folded.with_twin() <= spaced.with_twin() {
            continue;
        }
        let numbers = vec![
            ("largest", folded.largest() as f64),
            ("groups", folded.groups.len() as f64),
            ("blanks", spaced.with_twin() as f64),
            ("seen", seen.with_twin() as f64),
        ];
        let alike = "the text of another but for case, forms of Unicode and invisible characters";
        add(subset, report, &folded, numbers, alike, String::new());
    }
}

fn renamed(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in &look.subsets {
        let documents = &subset.documents;
        let by = |digest: fn(&TextFacts) -> Option<Digest>| {
            let digests = documents
                .iter()
                .map(|facts| digest(facts).unwrap_or(facts.folded));
            classes(digests)
        };
        let own = by(|facts| facts.renamed.map(|renamed| renamed.own));
        let all = by(|facts| facts.renamed.map(|renamed| renamed.all));
        // Groups with at least two texts that are not alike without any renaming.
        let differ = |group: &&Vec<usize>| {
            let several = |digest: fn(&TextFacts) -> Digest| {
                let first = digest(&documents[group[0]]);
                group.iter().any(|&at| digest(&documents[at]) != first)
            };
            several(|facts| facts.code) && several(|facts| facts.folded)
        };
        let groups = |classes: &Classes| -> Vec<Vec<usize>> {
            classes.groups.iter().filter(differ).cloned().collect()
        };
        let (own, all) = (groups(&own), groups(&all));
        let members = |groups: &[Vec<usize>]| groups.iter().map(Vec::len).sum::<usize>();
        let count = members(&all).max(members(&own));
        let largest = all.iter().chain(&own).map(Vec::len).max().unwrap_or(0);
        let share = share_of(count, documents.len());
        let message = format!(
            "{} of {} ({}) are another one under other names, the largest group {}; {} under another name of their own only",
            grouped(count),
            counted(documents.len(), "document"),
            percent(share),
            grouped(largest),
            grouped(members(&own))
        );
        report.add(Finding {
            severity: if subset.original.is_some() {
                Severity::Note
            } else {
                Severity::by(share, 0.05, 2.0)
            },
            numbers: vec![
                ("own name", members(&own) as f64),
                ("largest", largest as f64),
                ("groups", all.len() as f64),
            ],
            examples: show_groups(subset, if all.is_empty() { &own } else { &all }),
            ..subset.found("documents", count, documents.len(), message)
        });
    }
}

fn shared_relevance(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look.subsets.iter().filter(|subset| subset.is_retrieval()) {
        let found = classes(subset.documents.iter().map(|facts| facts.spaced));
        if found.groups.is_empty() {
            continue;
        }
        let members: HashMap<usize, &Vec<usize>> =
            found.groups.iter().map(|group| (group[0], group)).collect();
        let changed: Vec<(usize, usize, usize)> = (0..subset.queries.len())
            .into_par_iter()
            .filter_map(|query| {
                let judged = &subset.judged[query];
                let mut best: BTreeMap<usize, i32> = BTreeMap::new();
                for &(document, grade) in judged.iter().filter(|(_, grade)| *grade > 0) {
                    let highest = best.entry(found.first[document]).or_insert(grade);
                    *highest = grade.max(*highest);
                }
                let grade_of = |document: usize| {
                    let place = judged.binary_search_by_key(&document, |&(judged, _)| judged);
                    place.map_or(0, |place| judged[place].1)
                };
                let pool = subset.subset.candidates.get(&subset.query(query).id);
                let in_pool = |document: usize| {
                    pool.is_none_or(|pool| pool.contains(&subset.document(document).id))
                };
                let mut added = 0;
                let mut example = None;
                for (class, grade) in best {
                    for &twin in members
                        .get(&class)
                        .into_iter()
                        .flat_map(|group| group.iter())
                    {
                        if grade_of(twin) < grade && in_pool(twin) {
                            added += 1;
                            example.get_or_insert(twin);
                        }
                    }
                }
                example.map(|twin| (query, added, twin))
            })
            .collect();
        let added: usize = changed.iter().map(|(_, added, _)| added).sum();
        let queries = subset.answered();
        let share = share_of(changed.len(), queries);
        let examples = changed
            .iter()
            .take(3)
            .map(|&(query, _, twin)| subset.show_pair(query, twin));
        let message = format!(
            "{} ({}) have a document with the text of an answer and a lower grade or none; {} missing",
            counted(changed.len(), "query"),
            percent(share),
            counted(added, "judgment")
        );
        report.add(Finding {
            severity: Severity::by(share, 0.01, 0.1),
            numbers: vec![("added", added as f64)],
            examples: examples.collect(),
            ..subset.found("queries", changed.len(), queries, message)
        });
    }
}
