//! Judgments and a run in files to values.
//!
//! Queries without judgments do not count, and judged queries that the run lacks count as 0, as in `ir_measures` and in
//! `trec_eval -c`; their number is reported on stderr. The run is read one query at a time, and the rank of each
//! document is looked up from the judgments' side. So a run of gigabytes takes the memory of its longest query.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;

use barecode_formats::run::Run;
use barecode_formats::trec::{Fault, Qrels, QueryRun};
use barecode_formats::{FormatError, Place};
use barecode_records::guarded;
use barecode_runs::exit::{Exit, Failure};
use barecode_scores::{
    Judged, Kind, Measure, MeasureError, Ranked, Ties, Twins, answer_rank, ceiling,
    evaluate_judged, floor,
};
use serde::Deserialize;

use crate::ids::likely_cause;

/// The files to score, and the options.
#[derive(Debug, Clone, Copy)]
pub struct Question<'a> {
    /// The judgments, and their path for messages.
    pub qrels: &'a Qrels,
    /// The path.
    pub path: &'a Path,
    /// Names of measures, several in one text or in several.
    pub measures: &'a [String],
    /// The treatment of equal scores.
    pub ties: Ties,
    /// The documents that could be retrieved.
    pub corpus: Option<&'a Path>,
    /// True to score a run even if none of its documents is judged.
    pub allow_unjudged: bool,
}

/// Values of every judged query.
#[derive(Debug)]
pub struct Scored {
    /// The measures, each once.
    pub measures: Vec<Measure>,
    /// The queries with their values: those of the run in its order, then those that it lacks, by id.
    pub queries: Vec<(String, Vec<f64>)>,
    /// The number of them that the run has.
    pub in_run: usize,
    /// The number of those for which no retrieved document is judged.
    pub unmatched: usize,
    /// With a corpus: for each measure the mean ceiling and floor, where it has one.
    pub bounds: Option<Vec<Option<(f64, f64)>>>,
    /// What a reader of the values must know of the files.
    pub notes: Vec<String>,
}

impl Scored {
    /// The mean of a measure over queries, or the sum of what counts.
    pub fn aggregate(&self, at: usize) -> f64 {
        let sum: f64 = self.queries.iter().map(|(_, values)| values[at]).sum();
        if self.measures[at].counts() {
            sum
        } else {
            sum / self.queries.len() as f64
        }
    }
}

/// Sentences about the queries that only the run or only the judgments have.
fn gaps(run: &Path, in_run: usize, unjudged: &[String], lacking: &[String]) -> Vec<String> {
    let mut notes = Vec::new();
    if !unjudged.is_empty() {
        notes.push(format!(
            "{} of {} queries in the run `{}` have no judgments and are ignored",
            unjudged.len(),
            in_run + unjudged.len(),
            run.display()
        ));
    }
    if let Some(first) = lacking.first() {
        notes.push(format!(
            "{} of {} judged queries are missing from the run `{}` and count as 0, such as `{first}`",
            lacking.len(),
            in_run + lacking.len(),
            run.display()
        ));
    }
    notes
}

/// Reads a run and scores it; `path` is its path in messages.
///
/// # Errors
/// The run cannot be read, or no query or document of it is judged.
pub fn score(question: &Question<'_>, path: &Path, file: &Run) -> anyhow::Result<Scored> {
    let (measures, run) = (measures(question.measures)?, path);
    let qrels = question.qrels;
    let corpus = question.corpus.map(read_corpus).transpose()?;
    if let (Some(corpus), Some(path)) = (&corpus, question.corpus) {
        judged_documents_exist(question.path, qrels, corpus, path)?;
    }
    let pool = pool(&measures, qrels);
    let judgments = |query: &str| qrels.get(query).filter(|judged| !judged.is_empty());
    let grades: BTreeMap<&str, Vec<i32>> = qrels
        .iter()
        .map(|(query, judged)| (query.as_str(), sorted(judged)))
        .collect();
    let values = file.for_each_query(|of_query| {
        if let Some(corpus) = &corpus {
            documents_exist(of_query, corpus)?;
        }
        Ok(judgments(of_query.query).map(|judged| {
            let ranked: Vec<Ranked<'_>> = of_query
                .documents
                .iter()
                .map(|document| Ranked {
                    doc: document.doc,
                    score: document.score,
                })
                .collect();
            let found = judged.iter();
            let found =
                found.filter_map(|(document, &grade)| Some((of_query.position(document)?, grade)));
            let mut here: Vec<(usize, i32)> = found.collect();
            here.sort_unstable();
            let others = |document: &str| pool.contains(document) && !judged.contains_key(document);
            // Only measures that use the judgments of other queries have a pool.
            let looked_at = if pool.is_empty() { &[] } else { &*ranked };
            let listed = looked_at.iter().enumerate();
            let elsewhere: Vec<usize> = listed
                .filter(|(_, entry)| others(entry.doc))
                .map(|(at, _)| at)
                .collect();
            let judged = Judged {
                here: &here,
                elsewhere: &elsewhere,
                grades: &grades[of_query.query],
            };
            let strange = here.is_empty().then(|| {
                let first = ranked.iter().take(LOOKED_AT);
                first.map(|entry| entry.doc.to_owned()).collect()
            });
            let values = evaluate_judged(&measures, &ranked, &judged, question.ties);
            (values, strange)
        }))
    })?;
    let mut unjudged = Vec::new();
    let mut queries = Vec::new();
    let mut strange: Vec<Vec<String>> = Vec::new();
    for (query, values) in values {
        match values {
            Some((values, of_query)) => {
                strange.extend(of_query);
                queries.push((query, values));
            }
            None => unjudged.push(query),
        }
    }
    let in_run = queries.len();
    let found: BTreeSet<&str> = queries.iter().map(|(query, _)| query.as_str()).collect();
    let lacking: Vec<String> = qrels
        .iter()
        .filter(|(query, judged)| !judged.is_empty() && !found.contains(query.as_str()))
        .map(|(query, _)| query.clone())
        .collect();
    let mut notes = gaps(run, in_run, &unjudged, &lacking);
    if in_run == 0 {
        let message = format!(
            "no query of `{}` is judged in `{}`",
            run.display(),
            question.path.display()
        );
        let asked: BTreeSet<&str> = unjudged.iter().map(String::as_str).collect();
        let known: BTreeSet<&str> = qrels.keys().map(String::as_str).collect();
        let cause = likely_cause(&asked, &known, &judged_documents(qrels));
        return Err(Failure::invalid(message)
            .hint(format!(
                "give the judgments first, then the run; both must use the same query ids: {cause}"
            ))
            .into());
    }
    if 2 * strange.len() > in_run {
        let told = told_apart(run, qrels, in_run, &strange);
        notes.push(match told {
            Err(refused) if question.allow_unjudged => format!("warning: {}", refused.message),
            told => told?,
        });
    }
    let none = vec![0.0; measures.len()];
    queries.extend(lacking.into_iter().map(|query| (query, none.clone())));
    let bounds = corpus
        .as_ref()
        .map(|corpus| bounds(&measures, &queries, qrels, corpus));
    Ok(Scored {
        measures,
        queries,
        in_run,
        unmatched: strange.len(),
        bounds,
        notes,
    })
}

/// The expected rank of the first document of the highest grade of a query, see [`barecode_scores::answer_rank`].
pub fn rank_of(of: &QueryRun<'_>, judged: &BTreeMap<String, i32>, ties: Ties) -> Option<f64> {
    let ranked = of.documents.iter();
    let ranked: Vec<Ranked<'_>> = ranked
        .map(|document| Ranked {
            doc: document.doc,
            score: document.score,
        })
        .collect();
    let found = judged.iter();
    let found = found.filter_map(|(document, &grade)| Some((of.position(document)?, grade)));
    let mut here: Vec<(usize, i32)> = found.collect();
    here.sort_unstable();
    let judged = Judged {
        here: &here,
        elsewhere: &[],
        grades: &sorted(judged),
    };
    answer_rank(&ranked, &judged, ties)
}

/// The rank of the answer of each judged query of a run.
///
/// # Errors
/// The run cannot be read.
pub fn ranks(
    qrels: &Qrels,
    run: &Run,
    ties: Ties,
) -> Result<BTreeMap<String, Option<f64>>, FormatError> {
    let ranks = run.for_each_query(|of_query| {
        let judged = qrels.get(of_query.query);
        Ok(judged.map(|judged| rank_of(of_query, judged, ties)))
    })?;
    let ranks = ranks.into_iter();
    Ok(ranks
        .filter_map(|(query, rank)| Some((query, rank?)))
        .collect())
}

/// The number of documents of a query that are compared when none is judged.
const LOOKED_AT: usize = 20;

/// All documents that any query judges.
fn judged_documents(qrels: &Qrels) -> BTreeSet<&str> {
    let judged = qrels.values().flat_map(BTreeMap::keys);
    judged.map(String::as_str).collect()
}

/// Returns the warning that most queries retrieve no document that is judged for them.
///
/// # Errors
/// The ids of the documents have nothing in common, so every score would be 0 through no fault of a system; the hint
/// has the likely reason.
fn told_apart(
    run: &Path,
    qrels: &Qrels,
    in_run: usize,
    strange: &[Vec<String>],
) -> Result<String, Failure> {
    let found: BTreeSet<&str> = strange.iter().flatten().map(String::as_str).collect();
    let known = judged_documents(qrels);
    let run = run.display();
    if strange.len() < in_run || !found.is_disjoint(&known) || found.is_empty() {
        return Ok(format!(
            "warning: for {} of {in_run} queries of `{run}` no retrieved document is judged",
            strange.len()
        ));
    }
    let queries: BTreeSet<&str> = qrels.keys().map(String::as_str).collect();
    let message = format!("no document of `{run}` is judged for any query, so every score is 0");
    Err(unjudged(message, &likely_cause(&found, &known, &queries)))
}

/// Returns the refusal of a run whose document ids have nothing in common with the judged ones.
pub fn unjudged(message: String, cause: &str) -> Failure {
    Failure::invalid(message).hint(format!(
        "the ids of documents seem to share nothing: {cause}; --allow-unjudged scores them all the same"
    ))
}

/// Returns the requested measures, each once.
fn measures(arguments: &[String]) -> Result<Vec<Measure>, Failure> {
    let mut measures: Vec<Measure> = Vec::new();
    for name in arguments.iter().flat_map(|argument| names(argument)) {
        let usage = |error: MeasureError| Failure::new(Exit::Usage, error.to_string());
        let measure: Measure = name.parse().map_err(usage)?;
        if !measures.contains(&measure) {
            measures.push(measure);
        }
    }
    if measures.is_empty() {
        measures.push("nDCG@10".parse().expect("this is a measure"));
    }
    Ok(measures)
}

/// The names in one argument: separated by blanks that are not within brackets.
fn names(argument: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut depth = 0_i32;
    for c in argument.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if c.is_whitespace() && depth <= 0 {
            names.push(String::new());
        } else if let Some(name) = names.last_mut() {
            name.push(c);
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn sorted(judged: &BTreeMap<String, i32>) -> Vec<i32> {
    let mut grades: Vec<i32> = judged.values().copied().collect();
    grades.sort_unstable_by(|a, b| b.cmp(a));
    grades
}

/// Returns the documents that any query judges, if a measure needs them.
fn pool<'a>(measures: &[Measure], qrels: &'a Qrels) -> BTreeSet<&'a str> {
    let is_read = measures
        .iter()
        .any(|measure| matches!(measure.kind(), Kind::Hole));
    let judged = qrels.values().filter(|_| is_read);
    judged
        .flat_map(|judged| judged.keys().map(String::as_str))
        .collect()
}

/// The texts of a corpus by id.
pub type Corpus = BTreeMap<String, String>;

/// A line of a corpus; title and text are what is embedded.
#[derive(Deserialize)]
struct CorpusLine {
    #[serde(alias = "_id")]
    id: String,
    #[serde(default)]
    title: String,
    #[serde(default)]
    text: String,
}

/// Reads the texts of a corpus or of queries: title and text.
///
/// # Errors
/// A line is not of the format, or an id occurs twice.
pub fn read_corpus(path: &Path) -> Result<Corpus, FormatError> {
    let io = |source| FormatError::Io {
        action: "read",
        path: path.to_owned(),
        source,
    };
    let file = BufReader::new(guarded::open(path).map_err(io)?);
    let mut corpus = Corpus::new();
    for (number, line) in (1..).zip(file.split(b'\n')) {
        let line = line.map_err(io)?;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let document: CorpusLine = serde_json::from_slice(&line).map_err(|error| {
            let text = error.to_string();
            let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
            FormatError::invalid(Place::column(path, number, error.column() as u64), message)
                .with_hint("a line of a corpus is {\"_id\": …, \"title\": …, \"text\": …}")
        })?;
        let text = format!("{} {}", document.title, document.text)
            .trim()
            .to_owned();
        if corpus.insert(document.id.clone(), text).is_some() {
            let message = format!("the document `{}` occurs twice", document.id);
            return Err(FormatError::invalid(Place::line(path, number), message));
        }
    }
    Ok(corpus)
}

fn documents_exist(run: &QueryRun, corpus: &Corpus) -> Result<(), Fault> {
    let missing = |doc: &str| !corpus.contains_key(doc);
    let Some(at) = run.documents.iter().position(|one| missing(one.doc)) else {
        return Ok(());
    };
    let hint = "the run and the corpus belong to different datasets or settings";
    Err(Fault {
        at,
        message: format!(
            "the document `{}` is not in the corpus",
            run.documents[at].doc
        ),
        hint: Some(hint.to_owned()),
    })
}

fn judged_documents_exist(
    path: &Path,
    qrels: &Qrels,
    corpus: &Corpus,
    corpus_path: &Path,
) -> Result<(), Failure> {
    for (query, judged) in qrels {
        if let Some(doc) = judged.keys().find(|doc| !corpus.contains_key(*doc)) {
            let message = format!(
                "{}: the document `{doc}`, judged for the query `{query}`, is not in `{}`",
                path.display(),
                corpus_path.display()
            );
            return Err(Failure::invalid(message)
                .hint("judgments of documents that cannot be retrieved lower every score"));
        }
    }
    Ok(())
}

/// Mean ceilings and floors over the queries.
fn bounds(
    measures: &[Measure],
    queries: &[(String, Vec<f64>)],
    qrels: &Qrels,
    corpus: &Corpus,
) -> Vec<Option<(f64, f64)>> {
    let twins = Twins::among(corpus.iter().map(|(id, text)| (id.as_str(), text.as_str())));
    let mut sums = vec![Some((0.0, 0.0)); measures.len()];
    for (query, _) in queries {
        let judged = qrels[query].iter();
        let judged: BTreeMap<&str, i32> =
            judged.map(|(doc, &grade)| (doc.as_str(), grade)).collect();
        let highest = ceiling(measures, &twins, &judged);
        let lowest = floor(measures, corpus.len(), &judged);
        for (sum, pair) in sums.iter_mut().zip(highest.into_iter().zip(lowest)) {
            *sum = match (*sum, pair) {
                (Some((ceilings, floors)), (Some(ceiling), Some(floor))) => {
                    Some((ceilings + ceiling, floors + floor))
                }
                _ => None,
            };
        }
    }
    let n = queries.len() as f64;
    sums.into_iter()
        .map(|sum| sum.map(|(ceilings, floors)| (ceilings / n, floors / n)))
        .collect()
}
