//! The weights of the second stage of the structural retriever: a listwise softmax (Cao et al., *Learning to Rank*, ICML
//! 2007) over the first documents of each query, whose answer is to be the first.
//!
//! The score of the first stage has a weight too, by which the others are divided: its own is 1 in the retriever. The
//! fit is a few steps of Newton's method on a convex function, so nothing is drawn.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use barecode_formats::Rows;
use barecode_records::Language;
use barecode_structural::{Options, PARTS, StructuralIndex};
use rayon::prelude::*;
use serde::Deserialize;

use crate::mined::{known, read};

/// The numbers of a document: the score of the first stage, then its parts.
type Numbers = [f64; PARTS.len() + 1];

/// The first documents of a query.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct List {
    pub(crate) documents: Vec<Numbers>,
    /// The index of the answer.
    pub(crate) answer: usize,
}

/// Texts of one setting and their queries, each with the index of its answer.
#[derive(Default)]
struct Corpus {
    texts: Vec<String>,
    languages: Vec<Option<Language>>,
    queries: Vec<(String, usize)>,
}

#[derive(Deserialize)]
struct Row {
    query_id: String,
    query_text: String,
    code_id: String,
    code_text: String,
}

/// Fits the weights to pairs and to files as CLARC publishes them, and prints them.
///
/// `folder` has folders as `barecode pairs` writes them; a file of pairs is a corpus. Of a file of CLARC, queries with
/// even numbers take part. With a folder of other pairs to `check`, nDCG@10 without and with the second stage is printed
/// for each of its files, and for the odd queries of CLARC.
pub(crate) fn fit(folder: &Path, snippets: &[String], check: Option<&str>) -> anyhow::Result<()> {
    let (lists, _) = lists_of(folder, snippets, true)?;
    let weights = weights(&lists);
    for ((term, _), weight) in PARTS.iter().zip(&weights) {
        println!("{term}: {weight:.3}");
    }
    if let Some(folder) = check {
        let (_, named) = lists_of(Path::new(folder), snippets, false)?;
        let mut of_settings: BTreeMap<String, Vec<[f64; 2]>> = BTreeMap::new();
        for (name, lists, queries) in &named {
            let gains = |list: &List| [list.gain(&[0.0; PARTS.len()]), list.gain(&weights)];
            let mut gains: Vec<[f64; 2]> = lists.iter().map(gains).collect();
            // A query whose answer is not among the first gains nothing either way.
            gains.resize(*queries, [0.0; 2]);
            println!("{} {name}", compared(&gains));
            let setting = Path::new(name).file_stem().unwrap_or_default();
            let setting = setting.to_string_lossy().into_owned();
            of_settings.entry(setting).or_default().extend(gains);
        }
        for (setting, gains) in &of_settings {
            println!("{} {setting}, all together", compared(gains));
        }
    }
    Ok(())
}

/// The mean without and with the second stage, and the difference with its 95 % interval (normal, paired).
fn compared(gains: &[[f64; 2]]) -> String {
    let n = gains.len() as f64;
    let mean = |of: &dyn Fn(&[f64; 2]) -> f64| 100.0 * gains.iter().map(of).sum::<f64>() / n;
    let (before, after) = (mean(&|it| it[0]), mean(&|it| it[1]));
    let apart = after - before;
    let squares = gains
        .iter()
        .map(|it| (100.0 * (it[1] - it[0]) - apart).powi(2));
    let half = 1.96 * (squares.sum::<f64>() / (n - 1.0).max(1.0) / n).sqrt();
    let (low, high) = (apart - half, apart + half);
    format!("{before:.1} {after:.1} {apart:+.2} [{low:.2}, {high:.2}] of {n} queries:")
}

/// The lists of a corpus, with its name and the number of its queries.
type Named = (String, Vec<List>, usize);

/// The lists of all corpora, and by corpus. Of CLARC's queries, those with even numbers or the others.
fn lists_of(
    folder: &Path,
    snippets: &[String],
    even: bool,
) -> anyhow::Result<(Vec<List>, Vec<Named>)> {
    let mut corpora = Vec::new();
    for file in files(folder)? {
        corpora.push((file.display().to_string(), of_pairs(&file)?));
    }
    for file in snippets {
        corpora.push((file.clone(), of_clarc(Path::new(file), even)?));
    }
    let corpora = corpora.into_iter();
    let named = corpora.map(|(name, corpus)| (name, corpus.lists(), corpus.queries.len()));
    let named: Vec<Named> = named.collect();
    let lists = named.iter().flat_map(|(_, lists, _)| lists.iter().cloned());
    Ok((lists.collect(), named))
}

impl List {
    /// nDCG@10 under some weights of the parts; of equal scores the mean over all orders.
    fn gain(&self, weights: &[f64]) -> f64 {
        let score = |numbers: &Numbers| {
            let parts = numbers.iter().skip(1).zip(weights);
            numbers[0] + parts.map(|(part, weight)| part * weight).sum::<f64>()
        };
        let own = score(&self.documents[self.answer]);
        let scores = self.documents.iter().map(score);
        let above = scores.clone().filter(|score| *score > own).count();
        let equal = scores
            .filter(|score| score.to_bits() == own.to_bits())
            .count();
        let places = above..(above + equal).min(10);
        let gains = places.map(|place| 1.0 / ((place + 2) as f64).log2());
        gains.sum::<f64>() / equal as f64
    }
}

/// The files of pairs, in the order of their names.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let inside = |folder: &Path| -> anyhow::Result<BTreeSet<PathBuf>> {
        let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        entries.map(|entry| Ok(entry?.path())).collect()
    };
    let mut files = Vec::new();
    for folder in inside(folder)? {
        files.extend(inside(&folder.join("train"))?);
    }
    Ok(files)
}

fn of_pairs(file: &Path) -> anyhow::Result<Corpus> {
    let mut corpus = Corpus::default();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for row in Rows::open(file, &[])? {
        let mut row = row?;
        let text = row.text(&["positive"])?;
        let language = known(&row.text(&["language"])?)?;
        let place = *places.entry(text.clone()).or_insert_with(|| {
            corpus.texts.push(text);
            corpus.languages.push(Some(language));
            corpus.texts.len() - 1
        });
        corpus.queries.push((row.text(&["anchor"])?, place));
    }
    Ok(corpus)
}

fn of_clarc(file: &Path, even: bool) -> anyhow::Result<Corpus> {
    let rows: Vec<Row> = read(file)?;
    let mut corpus = Corpus::default();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for row in &rows {
        let place = *places.entry(&row.code_id).or_insert_with(|| {
            corpus.texts.push(row.code_text.clone());
            corpus.texts.len() - 1
        });
        let number = row.query_id.rsplit('_').next().unwrap_or_default();
        let number: usize = number.parse().with_context(|| row.query_id.clone())?;
        if number.is_multiple_of(2) == even && !row.query_text.is_empty() {
            corpus.queries.push((row.query_text.clone(), place));
        }
    }
    Ok(corpus)
}

impl Corpus {
    /// The lists of its queries that have their answer.
    fn lists(&self) -> Vec<List> {
        let index = StructuralIndex::of_languages(&self.texts, &self.languages, Options::default());
        let queries = self.queries.par_iter();
        let lists = queries.filter_map(|(query, answer)| {
            let candidates = index.candidates(query);
            let answer = candidates.iter().position(|it| it.document == *answer)?;
            let numbers = candidates.iter().map(|it| {
                let mut numbers = [it.score; PARTS.len() + 1];
                numbers[1..].copy_from_slice(&it.parts);
                numbers
            });
            Some(List {
                documents: numbers.collect(),
                answer,
            })
        });
        lists.collect()
    }
}

/// How much weights far from 0 cost, in units of the spread of each part.
const DECAY: f64 = 0.003;

/// The weights of the parts beside a first score of weight 1.
pub(crate) fn weights(lists: &[List]) -> Vec<f64> {
    let spread = spread(lists);
    let mut at: Vec<f64> = vec![0.0; spread.len()];
    for _ in 0..STEPS {
        let (slope, curve) = derivatives(lists, &spread, &at);
        for (value, step) in at.iter_mut().zip(solved(curve, slope)) {
            *value -= step;
        }
    }
    let whole: Vec<f64> = at
        .iter()
        .zip(&spread)
        .map(|(at, spread)| at / spread)
        .collect();
    whole
        .iter()
        .skip(1)
        .map(|weight| weight / whole[0])
        .collect()
}

/// Newton's steps; after a dozen nothing changes any more.
const STEPS: usize = 30;

/// The standard deviation of each number around its mean in its list.
fn spread(lists: &[List]) -> Vec<f64> {
    let mut squares = vec![0.0; PARTS.len() + 1];
    let mut count = 0.0;
    for list in lists {
        let n = list.documents.len() as f64;
        for (at, square) in squares.iter_mut().enumerate() {
            let of_list = list.documents.iter().map(|it| it[at]);
            let mean = of_list.clone().sum::<f64>() / n;
            *square += of_list.map(|it| (it - mean).powi(2)).sum::<f64>();
        }
        count += n;
    }
    let spread = squares.iter().map(|square| (square / count).sqrt());
    spread.map(|spread| spread.max(1e-9)).collect()
}

/// The first and second derivatives of the mean loss by each weight.
fn derivatives(lists: &[List], spread: &[f64], at: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = at.len();
    let mut slope: Vec<f64> = at.iter().map(|it| DECAY * it).collect();
    // The first score is free.
    slope[0] = 0.0;
    let mut curve = vec![vec![0.0; n]; n];
    for (place, row) in curve.iter_mut().enumerate() {
        row[place] = if place == 0 { 1e-9 } else { DECAY };
    }
    for list in lists {
        let scaled = |numbers: &Numbers| -> Vec<f64> {
            numbers.iter().zip(spread).map(|(it, by)| it / by).collect()
        };
        let rows: Vec<Vec<f64>> = list.documents.iter().map(scaled).collect();
        let score = |row: &Vec<f64>| row.iter().zip(at).map(|(it, by)| it * by).sum::<f64>();
        let scores: Vec<f64> = rows.iter().map(score).collect();
        let most = scores.iter().copied().fold(f64::MIN, f64::max);
        let powers: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
        let whole: f64 = powers.iter().sum();
        let mut mean = vec![0.0; n];
        for (row, power) in rows.iter().zip(&powers) {
            for (mean, it) in mean.iter_mut().zip(row) {
                *mean += power / whole * it;
            }
        }
        for i in 0..n {
            slope[i] += (mean[i] - rows[list.answer][i]) / lists.len() as f64;
            for j in 0..n {
                let both = rows.iter().zip(&powers);
                let both: f64 = both
                    .map(|(row, power)| power / whole * row[i] * row[j])
                    .sum();
                curve[i][j] += (both - mean[i] * mean[j]) / lists.len() as f64;
            }
        }
    }
    (slope, curve)
}

/// Solves a system of equations by elimination, the greatest of a column first.
fn solved(mut rows: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let n = right.len();
    for at in 0..n {
        let greatest = (at..n).max_by(|a, b| rows[*a][at].abs().total_cmp(&rows[*b][at].abs()));
        let greatest = greatest.unwrap_or(at);
        rows.swap(at, greatest);
        right.swap(at, greatest);
        let (pivot, known) = (rows[at].clone(), right[at]);
        let below = rows.iter_mut().zip(&mut right).skip(at + 1);
        for (row, right) in below {
            let times = row[at] / pivot[at];
            for (it, of_pivot) in row.iter_mut().zip(&pivot) {
                *it -= times * of_pivot;
            }
            *right -= times * known;
        }
    }
    for at in (0..n).rev() {
        let known: f64 = (at + 1..n)
            .map(|column| rows[at][column] * right[column])
            .sum();
        right[at] = (right[at] - known) / rows[at][at];
    }
    right
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::training::Chance;

    /// Lists whose answer is the best by known weights, but for every fifth.
    fn lists() -> Vec<List> {
        let mut chance = Chance::new(5);
        let mut number = || f64::from(chance.next());
        let mut list = |at: usize| {
            let documents: Vec<Numbers> =
                (0..6).map(|_| std::array::from_fn(|_| number())).collect();
            let score = |it: &Numbers| it[0] + 2.0 * it[1] - it[4];
            let by_score =
                |a: &usize, b: &usize| score(&documents[*a]).total_cmp(&score(&documents[*b]));
            let answer = match (0..6).max_by(by_score) {
                Some(best) if !at.is_multiple_of(5) => best,
                _ => at % 6,
            };
            List { documents, answer }
        };
        (0..2000).map(&mut list).collect()
    }

    #[test]
    fn weights_that_made_the_answers_are_found() {
        let found = weights(&lists());
        assert!((found[0] - 2.0).abs() < 0.3, "{found:?}");
        assert!((found[3] + 1.0).abs() < 0.3, "{found:?}");
        for at in [1, 2, 4, 5] {
            assert!(found[at].abs() < 0.3, "{found:?}");
        }
    }

    #[test]
    fn what_is_best_has_no_slope() {
        let lists = lists();
        let spread = spread(&lists);
        let at = vec![0.3; PARTS.len() + 1];
        let (slope, curve) = derivatives(&lists, &spread, &at);
        // The second derivatives are the change of the first.
        let moved: Vec<f64> = at
            .iter()
            .enumerate()
            .map(|(place, it)| it + 1e-5 * f64::from(place == 2))
            .collect();
        let (other, _) = derivatives(&lists, &spread, &moved);
        for (row, (a, b)) in curve.iter().zip(slope.iter().zip(&other)) {
            assert!(((b - a) / 1e-5 - row[2]).abs() < 1e-3);
        }
    }

    #[test]
    fn a_list_gains_by_the_place_of_its_answer() {
        let mut list = List {
            documents: (0..12).map(|at| [f64::from(at); PARTS.len() + 1]).collect(),
            answer: 11,
        };
        let none = [0.0; PARTS.len()];
        assert!((list.gain(&none) - 1.0).abs() < 1e-12);
        list.answer = 10;
        assert!((list.gain(&none) - 1.0 / 3_f64.log2()).abs() < 1e-12);
        list.answer = 0;
        assert!(list.gain(&none).abs() < 1e-12);
    }
}
