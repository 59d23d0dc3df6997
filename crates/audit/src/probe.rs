//! Does the layout of a text predict the label? A classifier that cannot read tries.

use std::collections::{BTreeSet, HashSet};

use barecode_formats::Kind;
use rayon::prelude::*;

use crate::logistic::{Auc, auc, scores};
use crate::look::{Look, SubsetLook};
use crate::rule::{Example, Finding, Report, Severity, counted, excerpt, rule};
use crate::text::{Layout, words};

rule! {
    /// Pairs of a matching set whose label a classifier predicts from the layout, without reading a word.
    ///
    /// **Why it matters.** If matching code was written in one way (tokens joined with blanks) and other code
    /// in another (as in the file), accuracy measures only that difference.
    ///
    /// **Method.** Fourteen features describe the layout of each query and document. Three are lengths: characters,
    /// words, line breaks. Ten are shares of characters: line breaks, blanks, tabs, indentation, doubled blanks,
    /// digits, quotes, capitals, other characters than ASCII, signs. The last is the share of signs between blanks.
    /// Documents also have the squares of these features. Logistic regression with a ridge penalty is fitted on four
    /// fifths of the queries and scores the last fifth, five times. Scores become ranks within their fifth. `AUC` is
    /// of all ranks together, with DeLong's 95 % interval (`low`, `high`) and `p` from 999 permutations of the
    /// labels. The rule reports a note if p ≤ 0.01 and the interval is above 0.5 by 0.05. It is a warning above
    /// 0.65, a defect above 0.8. `overlap AUC` is the same for the words that query and document share, which a dataset
    /// may legitimately test. At most 20,000 pairs are used, chosen by their texts.
    ///
    /// **Example.** GenCodeSearchNet's training sets: the code that matches was joined from tokens, the other code is
    /// raw.
    ///
    /// **Remedy.** Make both kinds of pairs by the same steps, and audit again.
    ///
    /// **Limits.** A true difference (short code answers better) is seen too: compare with how pairs were drawn.
    MATCHING = "BA301" "layout-tells-label", layout_tells_label;
}

rule! {
    /// Documents of a retrieval set that answer a query, distinguishable by layout alone from documents that
    /// answer none.
    ///
    /// **Why it matters.** If distractors come from another source, models learn to distinguish the sources;
    /// the dataset is easier than its size suggests.
    ///
    /// **Method.** As BA301, on documents: those that answer some query against those that answer none, if there are
    /// thirty of each; for sets with candidate pools, among what the pools have. It is a note from 0.05 above chance
    /// on, and a warning from 0.15 on.
    ///
    /// **Example.** The 570 candidates of CLARC's group 3 Short: 44 long functions, and the functions of group 1.
    ///
    /// **Remedy.** Draw distractors from the same source as the answers.
    ///
    /// **Limits.** If every document answers a query, the rule has nothing to compare and reports nothing.
    ANSWERS = "BA302" "layout-tells-answer", layout_tells_answer;
}

const MOST: usize = 20_000;
const LEAST: usize = 30;
const FOLDS: usize = 5;
const PERMUTATIONS: usize = 999;

/// The result of a probe.
struct Probe {
    auc: Auc,
    p: f64,
}

impl Probe {
    fn low(&self) -> f64 {
        self.auc.value - 1.96 * self.auc.error
    }

    fn numbers(&self) -> Vec<(&'static str, f64)> {
        let high = (self.auc.value + 1.96 * self.auc.error).min(1.0);
        vec![
            ("AUC", self.auc.value),
            ("low", self.low().max(0.0)),
            ("high", high),
            ("p", self.p),
        ]
    }

    /// `0.93 [0.91, 0.95]`.
    fn shown(&self) -> String {
        let high = (self.auc.value + 1.96 * self.auc.error).min(1.0);
        format!(
            "AUC {:.2} [{:.2}, {:.2}], p {:.3}",
            self.auc.value,
            self.low().max(0.0),
            high,
            self.p
        )
    }
}

/// Cross-validates: each row has a fold, and is scored by a fit on the other folds.
fn probe(rows: &[Vec<f64>], labels: &[bool], folds: &[usize], seed: u64) -> Probe {
    let of_folds: Vec<(Vec<usize>, Vec<f64>)> = (0..FOLDS)
        .into_par_iter()
        .map(|fold| {
            let (test, train): (Vec<usize>, Vec<usize>) =
                (0..rows.len()).partition(|&at| folds[at] == fold);
            let found = scores(rows, labels, &train, &test);
            (test, found)
        })
        .collect();
    let mut all = vec![0.0; rows.len()];
    for (test, found) in of_folds {
        // Fits differ in their base rate; only the order within a fold is reliable.
        let mut sorted = found.clone();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len().max(1) as f64;
        for (at, score) in test.into_iter().zip(found) {
            let below = sorted.partition_point(|other| *other < score);
            let up_to = sorted.partition_point(|other| *other <= score);
            all[at] = (below + up_to) as f64 / 2.0 / n;
        }
    }
    let auc = auc(&all, labels);
    Probe {
        auc,
        p: permuted(&all, labels, seed),
    }
}

/// The share of permutations of the labels, the true one included, whose area is as high. Sums of ranks order the
/// permutations as areas do.
fn permuted(scores: &[f64], labels: &[bool], seed: u64) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&one, &other| scores[one].total_cmp(&scores[other]));
    let mut ranks = vec![0.0; scores.len()];
    for tied in order.chunk_by(|&one, &other| scores[one].total_cmp(&scores[other]).is_eq()) {
        let below = order.partition_point(|&at| scores[at].total_cmp(&scores[tied[0]]).is_lt());
        for &at in tied {
            ranks[at] = below as f64 + 0.5 * (tied.len() as f64 + 1.0);
        }
    }
    let positive: Vec<usize> = (0..labels.len()).filter(|&at| labels[at]).collect();
    let observed: f64 = positive.iter().map(|&at| ranks[at]).sum();
    let as_high = (0..PERMUTATIONS)
        .into_par_iter()
        .filter(|draw| {
            let mut state = mixed(seed ^ mixed(*draw as u64 + 1));
            let mut pool = ranks.clone();
            let mut sum = 0.0;
            for place in 0..positive.len() {
                state = mixed(state);
                let other = place + below(state, pool.len() - place);
                pool.swap(place, other);
                sum += pool[place];
            }
            sum >= observed - 1e-9
        })
        .count();
    (as_high + 1) as f64 / (PERMUTATIONS + 1) as f64
}

/// The finalizer of SplitMix64: a number to one that looks like chance.
pub(crate) fn mixed(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// A layout and its squares, so that a middle can be distinguished from both ends.
fn with_squares(layout: &Layout) -> Vec<f64> {
    let plain = layout.iter().map(|&value| f64::from(value));
    plain
        .clone()
        .chain(plain.map(|value| value * value))
        .collect()
}

/// A number that is as good as drawn, made of a text.
fn number_of(digest: u128) -> u64 {
    let bytes = digest.to_le_bytes();
    bytes
        .iter()
        .take(8)
        .fold(0, |number, byte| (number << 8) | u64::from(*byte))
}

/// A number below `bound` made of one that is as good as drawn.
fn below(number: u64, bound: usize) -> usize {
    usize::try_from(number % bound.max(1) as u64).unwrap_or(0)
}

fn layout_tells_label(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look
        .subsets
        .iter()
        .filter(|subset| subset.subset.kind == Kind::Matching)
    {
        let mut pairs: Vec<(usize, usize, bool)> = Vec::new();
        for (query, judged) in subset.judged.iter().enumerate() {
            pairs.extend(
                judged
                    .iter()
                    .map(|&(document, grade)| (query, document, grade > 0)),
            );
        }
        let all = pairs.len();
        let order = |&(query, document, _): &(usize, usize, bool)| {
            let of_query = number_of(subset.queries[query].spaced);
            (
                mixed(look.seed ^ of_query ^ mixed(number_of(subset.documents[document].spaced))),
                query,
                document,
            )
        };
        pairs.sort_by_key(order);
        pairs.truncate(MOST);
        let labels: Vec<bool> = pairs.iter().map(|pair| pair.2).collect();
        let matching = labels.iter().filter(|label| **label).count();
        if matching < LEAST || labels.len() - matching < LEAST {
            continue;
        }
        let folds: Vec<usize> = pairs
            .iter()
            .map(|pair| below(number_of(subset.queries[pair.0].spaced), FOLDS))
            .collect();
        let rows: Vec<Vec<f64>> = pairs
            .par_iter()
            .map(|&(query, document, _)| {
                let mut row = with_squares(&subset.documents[document].layout);
                row.extend(
                    subset.queries[query]
                        .layout
                        .iter()
                        .map(|&value| f64::from(value)),
                );
                row
            })
            .collect();
        let found = probe(&rows, &labels, &folds, look.seed);
        let low = found.low();
        if found.p > 0.01 || low < 0.55 {
            continue;
        }
        let shared: Vec<Vec<f64>> = pairs
            .par_iter()
            .map(|&(query, document, _)| overlap(subset, query, document))
            .collect();
        let of_words = probe(&shared, &labels, &folds, look.seed);
        let mut numbers = found.numbers();
        numbers.push(("overlap AUC", of_words.auc.value));
        let example = |wanted: bool| {
            let pair = pairs.iter().find(|pair| pair.2 == wanted);
            pair.map(|&(query, document, _)| Example {
                ids: vec![
                    subset.query(query).id.clone(),
                    subset.document(document).id.clone(),
                ],
                excerpt: format!(
                    "{}: {}",
                    if wanted { "match" } else { "no match" },
                    excerpt(&subset.document(document).text, 0)
                ),
            })
        };
        let message = format!(
            "layout alone predicts which of {} match: {}; shared words: AUC {:.2}",
            counted(pairs.len(), "pair"),
            found.shown(),
            of_words.auc.value
        );
        report.add(Finding {
            severity: if low > 0.8 {
                Severity::Defect
            } else if low > 0.65 {
                Severity::Warning
            } else {
                Severity::Note
            },
            numbers,
            examples: [example(true), example(false)]
                .into_iter()
                .flatten()
                .collect(),
            ..subset.found("pairs", pairs.len(), all, message)
        });
    }
}

/// The words that query and document share, as shares of either.
fn overlap(subset: &SubsetLook<'_>, query: usize, document: usize) -> Vec<f64> {
    let small = |text: &str| -> HashSet<String> {
        words(text)
            .flat_map(|word| word.split('_'))
            .map(str::to_lowercase)
            .collect()
    };
    let asked = small(&subset.query(query).text);
    let shown = small(&subset.document(document).text);
    let both = asked.intersection(&shown).count() as f64;
    vec![
        both,
        both / asked.len().max(1) as f64,
        both / shown.len().max(1) as f64,
    ]
}

fn layout_tells_answer(look: &Look<'_>, report: &mut Report<'_>) {
    for subset in look.subsets.iter().filter(|subset| subset.is_retrieval()) {
        let answering = subset.answering();
        let in_pools: BTreeSet<usize> = subset
            .subset
            .candidates
            .values()
            .flatten()
            .filter_map(|id| subset.document_at.get(id.as_str()).copied())
            .collect();
        let is_candidate = |at: &usize| in_pools.is_empty() || in_pools.contains(at);
        let mut others: Vec<usize> = (0..subset.documents.len())
            .filter(|at| answering.binary_search(at).is_err())
            .filter(is_candidate)
            .collect();
        let mut answering = answering;
        if answering.len() < LEAST || others.len() < LEAST {
            continue;
        }
        for places in [&mut answering, &mut others] {
            places.sort_by_key(|&at| {
                (
                    mixed(look.seed ^ number_of(subset.documents[at].spaced)),
                    at,
                )
            });
            places.truncate(MOST / 2);
        }
        let places = [answering.as_slice(), &others].concat();
        let labels: Vec<bool> = (0..places.len()).map(|at| at < answering.len()).collect();
        let rows: Vec<Vec<f64>> = places
            .iter()
            .map(|&at| with_squares(&subset.documents[at].layout))
            .collect();
        // Twins are in one fold.
        let folds: Vec<usize> = places
            .iter()
            .map(|&at| below(number_of(subset.documents[at].code), FOLDS))
            .collect();
        let found = probe(&rows, &labels, &folds, look.seed);
        if found.p > 0.01 || found.low() < 0.55 {
            continue;
        }
        let median = |places: &[usize]| {
            let mut lengths: Vec<u32> = places
                .iter()
                .map(|&at| subset.documents[at].characters)
                .collect();
            lengths.sort_unstable();
            lengths.get(lengths.len() / 2).copied().unwrap_or(0)
        };
        let example = |places: &[usize], what: &str| {
            places.first().map(|&at| Example {
                ids: vec![subset.document(at).id.clone()],
                excerpt: format!("{what}: {}", excerpt(&subset.document(at).text, 0)),
            })
        };
        let mut numbers = found.numbers();
        numbers.extend([
            ("median answer", f64::from(median(&answering))),
            ("median other", f64::from(median(&others))),
        ]);
        let message = format!(
            "layout alone separates documents that answer from those that never do: {}; medians {} and {} characters",
            found.shown(),
            median(&answering),
            median(&others)
        );
        report.add(Finding {
            severity: if found.low() > 0.65 {
                Severity::Warning
            } else {
                Severity::Note
            },
            numbers,
            examples: [example(&answering, "answers"), example(&others, "never")]
                .into_iter()
                .flatten()
                .collect(),
            ..subset.found("documents", answering.len(), places.len(), message)
        });
    }
}
