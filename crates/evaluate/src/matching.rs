//! Matching: does a text describe a code, yes or no (`GenCodeSearchNet`, section 4.2)?
//!
//! In comes a task whose candidates are pairs: of each query one answer and one other document, drawn uniformly per
//! seed, never a copy of the answer, both in the same rendering ([`PoolConfig::Pairs`](crate::PoolConfig::Pairs)). A
//! system gives a score to each. Out comes for each query the share of its pairs that were judged correctly: 0, 1/2
//! or 1.
//!
//! A score becomes yes or no in one of two ways. A similarity is compared with a threshold that was fitted on a
//! training set ([`fitted`]), never on the pairs that are scored. A chat model or a classifier decides by itself: its
//! scores are 1 and 0, or probabilities, and 1/2 divides them. A missing answer of such a system counts as wrong,
//! whatever the truth; a document that a similarity did not list counts as not matching.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use barecode_models::{Answer, Prompt, Writer};
use barecode_records::{Id, QueryScore};
use barecode_scores::matching::{Confusion, Pair, best_threshold, roc_auc};
use serde::Serialize;

use crate::asked::{Asked, List, Lists};
use crate::drawn::Drawn;
use crate::error::EvaluateError;
use crate::lists::{of_run, sort};
use crate::system::{System, SystemKind};
use crate::task::Task;

/// The name of the measure in tables of scores. `ir_measures` has another `Accuracy`.
pub const MATCHING_ACCURACY: &str = "matching accuracy";

/// Tokens at which the paper cuts answers (appendix A.3).
pub const MATCHING_TOKENS: u32 = 10;

/// The score that divides yes from no where a system decides by itself.
const EVEN: f64 = 0.5;

/// The verdict of an answer; `None` if it is neither `True` nor `False`. Blanks, quotation marks and a full stop
/// around the word and the case of its letters do not matter, anything else does.
///
/// ```
/// use barecode_evaluate::said;
/// assert_eq!(said(" 'True'.\n"), Some(true));
/// assert_eq!(said("false"), Some(false));
/// assert_eq!(said("True, because"), None);
/// ```
pub fn said(answer: &str) -> Option<bool> {
    let around = |c: char| c.is_whitespace() || "'\"`‘’“”.".contains(c);
    match answer.trim_matches(around).to_ascii_lowercase().as_str() {
        "true" => Some(true),
        "false" => Some(false),
        _ => None,
    }
}

/// The way a system decides between yes and no.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// By itself.
    Own,
    /// By a threshold that is fitted on a training set.
    Threshold,
}

/// The way a system judges pairs; `None` if its scores of two queries cannot be compared.
pub fn decision(system: &System) -> Option<Decision> {
    match system.kind() {
        SystemKind::Chat { .. } | SystemKind::Labels(_) => Some(Decision::Own),
        SystemKind::Retriever(retriever) => {
            retriever.compares_queries().then_some(Decision::Threshold)
        }
        SystemKind::Dense(_) | SystemKind::Vectors { .. } => Some(Decision::Threshold),
        SystemKind::Run(_) | SystemKind::Fused { .. } | SystemKind::Reranked { .. } => None,
    }
}

/// A pair with a system's score.
struct Said {
    query: usize,
    document: usize,
    draw: usize,
    matches: bool,
    /// `None` if the system did not answer.
    score: Option<f64>,
}

/// The pairs of a task, draw by draw, and the number of queries without another document.
fn pairs(task: &Task, lists: &Lists) -> (Vec<Said>, usize) {
    let indexes = task.indexes();
    let (mut pairs, mut single) = (Vec::new(), 0);
    for (draw, (drawn, lists)) in task.draws.iter().zip(lists).enumerate() {
        let Drawn::Candidates(candidates) = drawn else {
            continue;
        };
        for (query, (own, list)) in candidates.iter().zip(lists).enumerate() {
            let answer = crate::pool::best_answer(task, &indexes, query);
            if own.len() != 2 || answer.is_none() {
                single += 1;
                continue;
            }
            for &document in own {
                let found = list.iter().find(|(listed, _)| *listed == document);
                pairs.push(Said {
                    query,
                    document,
                    draw,
                    matches: Some(document) == answer,
                    score: found.map(|(_, score)| *score),
                });
            }
        }
    }
    (pairs, single)
}

fn scored(pairs: &[Said]) -> Vec<Pair> {
    let of = |said: &Said| Pair {
        // Not a number is below every threshold.
        score: said.score.unwrap_or(f64::NAN),
        matches: said.matches,
    };
    pairs.iter().map(of).collect()
}

/// The threshold that judges most pairs of a training task correctly; `None` without pairs.
pub fn fitted(task: &Task, lists: &Lists) -> Option<f64> {
    let (pairs, _) = pairs(task, lists);
    (!pairs.is_empty()).then(|| best_threshold(&scored(&pairs), Confusion::accuracy).0)
}

/// A row for each query and draw: the share of its two pairs that are judged correctly. `threshold` is the fitted
/// one; `None` for a system that decides by itself.
pub fn matching_values(
    system: &str,
    task: &Task,
    lists: &Lists,
    threshold: Option<f64>,
) -> Vec<QueryScore> {
    let (pairs, _) = pairs(task, lists);
    let subset = &task.subset;
    let rows = pairs.chunks(2).map(|both| {
        let right = both.iter().filter(|said| is_right(said, threshold)).count();
        let draw = u32::try_from(both[0].draw + 1).unwrap_or(u32::MAX);
        QueryScore {
            retriever: system.to_owned(),
            subset: subset.name_without_draw().to_owned(),
            group: subset.facets.group.clone(),
            setting: subset.facets.setting,
            draw: subset.facets.draw,
            language: subset.facets.language,
            pool_draw: (task.draws.len() > 1).then_some(draw),
            query_id: Id::from(task.queries[both[0].query].id.clone()),
            leak: task.queries[both[0].query].leak,
            measure: MATCHING_ACCURACY.to_owned(),
            value: right as f64 / 2.0,
            ceiling: Some(1.0),
            floor: Some(0.5),
            answer_rank: None,
        }
    });
    rows.collect()
}

fn is_right(said: &Said, threshold: Option<f64>) -> bool {
    let yes = match (said.score, threshold) {
        (Some(score), threshold) => score >= threshold.unwrap_or(EVEN),
        (None, Some(_)) => false,
        (None, None) => return false,
    };
    yes == said.matches
}

/// The judgments of a system on the pairs of a subset, beside its accuracy.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Matched {
    /// The system.
    pub system: String,
    /// The subset.
    pub subset: String,
    /// Pairs of all draws.
    pub pairs: usize,
    /// Queries without another document to pair them with, over all draws.
    pub single: usize,
    /// Pairs that a system that decides by itself answered with neither yes nor no: counted as wrong.
    pub unanswered: usize,
    /// The fitted threshold.
    pub threshold: Option<f64>,
    /// Share of matching pairs among those judged to match; pairs without an answer are not.
    pub precision: f64,
    /// Share of the matching pairs that were judged to match.
    pub recall: f64,
    /// Their harmonic mean.
    pub f1: f64,
    /// The area under the ROC curve, which needs no threshold; `None` for yes and no alone.
    pub area: Option<f64>,
}

impl Matched {
    /// The judgments of a system.
    pub fn of(system: &System, task: &Task, lists: &Lists, threshold: Option<f64>) -> Self {
        let (pairs, single) = pairs(task, lists);
        let counts = Confusion::at(threshold.unwrap_or(EVEN), &scored(&pairs));
        let is_chat = matches!(system.kind(), SystemKind::Chat { .. });
        let silent = pairs.iter().filter(|said| said.score.is_none()).count();
        Matched {
            system: system.name().to_owned(),
            subset: task.subset.name.clone(),
            pairs: pairs.len(),
            single,
            unanswered: if threshold.is_none() { silent } else { 0 },
            threshold,
            precision: counts.precision(),
            recall: counts.recall(),
            f1: counts.f1(),
            area: roc_auc(&scored(&pairs)).filter(|_| !is_chat),
        }
    }
}

/// A pair as a file for a classifier has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairRow<'a> {
    /// The id of the query.
    pub query: &'a str,
    /// The id of the document.
    pub document: &'a str,
    /// The draw, from 1.
    pub draw: usize,
    /// The text.
    pub text: &'a str,
    /// The code.
    pub code: &'a str,
    /// True if they belong together.
    pub matches: bool,
}

/// The pairs of a task, draw by draw.
pub fn pair_rows(task: &Task) -> Vec<PairRow<'_>> {
    let nothing: Lists = vec![vec![List::new(); task.queries.len()]; task.draws.len()];
    let (pairs, _) = pairs(task, &nothing);
    let row = |said: &Said| {
        let (query, document) = (&task.queries[said.query], &task.documents[said.document]);
        PairRow {
            query: &query.id,
            document: &document.id,
            draw: said.draw + 1,
            text: &query.text,
            code: &document.text,
            matches: said.matches,
        }
    };
    pairs.iter().map(row).collect()
}

/// The prompts of a task, each once, in the order of its draws and queries.
pub fn prompts(task: &Task) -> Vec<Prompt> {
    let mut seen: BTreeSet<String> = BTreeSet::new();
    let mut all = Vec::new();
    each_pair(task, |_, _, _, text| {
        if seen.insert(text.clone()) {
            all.push(Prompt { text, attempt: 0 });
        }
    });
    all
}

fn each_pair(task: &Task, mut each: impl FnMut(usize, usize, usize, String)) {
    let Some(parts) = &task.matching else { return };
    for (draw, drawn) in task.draws.iter().enumerate() {
        let Drawn::Candidates(candidates) = drawn else {
            continue;
        };
        for (query, own) in candidates.iter().enumerate() {
            for &document in own {
                let (text, code) = (&task.queries[query].text, &task.documents[document].text);
                each(draw, query, document, parts.prompt(text, code));
            }
        }
    }
}

/// The verdicts of a chat model: 1 for `True`, 0 for `False`, and no score for a pair with another answer.
///
/// # Errors
/// If the model does not answer.
pub fn judged(writer: &dyn Writer, asked: &Asked<'_>) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    let (name, task) = (asked.system, asked.task);
    let prompts = prompts(task);
    let answers: Mutex<Vec<Option<Answer>>> = Mutex::new(vec![None; prompts.len()]);
    writer.write(&prompts, &|index, answer| {
        let mut answers = answers.lock().unwrap_or_else(PoisonError::into_inner);
        answers[index] = Some(answer);
        let done = answers.iter().flatten().count();
        (asked.progress)(name, done, prompts.len());
        Ok(())
    })?;
    let answers = answers.into_inner().unwrap_or_else(PoisonError::into_inner);
    let by_prompt: BTreeMap<&str, Option<bool>> = prompts
        .iter()
        .zip(&answers)
        .map(|(prompt, answer)| {
            let said = answer.as_ref().and_then(|answer| said(&answer.text));
            (prompt.text.as_str(), said)
        })
        .collect();
    let mut lists: Lists = vec![vec![List::new(); task.queries.len()]; task.draws.len()];
    each_pair(task, |draw, query, document, text| {
        if let Some(Some(yes)) = by_prompt.get(text.as_str()) {
            lists[draw][query].push((document, f64::from(u8::from(*yes))));
        }
    });
    for list in lists.iter_mut().flatten() {
        sort(list);
    }
    Ok(lists)
}

/// The score of each pair in a classifier's file.
///
/// # Errors
/// As [`of_run`], and for a file without a score of each pair.
pub fn of_labels(path: &Path, asked: &Asked<'_>) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    let (name, task) = (asked.system, asked.task);
    let lists = of_run(path, asked)?;
    let (pairs, _) = pairs(task, &lists);
    let missing: Vec<&Said> = pairs.iter().filter(|said| said.score.is_none()).collect();
    let Some(first) = missing.first() else {
        return Ok(lists);
    };
    let message = format!(
        "`{name}` has no score of {} of {} pairs of subset `{}`; the first is one of query `{}`, draw {}",
        missing.len(),
        pairs.len(),
        task.subset.name,
        task.queries[first.query].id,
        first.draw + 1
    );
    Err(EvaluateError::invalid(message).hint(
        "`--pairs DIR` writes the pairs to score; the file has a line `QUERY Q0 DOCUMENT 0 SCORE NAME` for each",
    ))
}
