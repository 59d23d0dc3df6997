//! Renderings to scores: BM25F over fields, and the signature that a sentence asks for.
//!
//! The count of a word in a document is the sum over the fields of its count there, to a power, times the field's
//! weight (Robertson, Zaragoza and Taylor, *Simple BM25 extension to multiple weighted fields*, CIKM 2004); it is
//! scored as BM25 scores a count. The learned part adds the similarity of the vectors of sentence and document. A
//! trait of the signature is a term that a document has or has not, and its weight grows with its rarity. Documents
//! that score high for any sentence lose a part of their score ([`crate::hubs`]).
//!
//! Every document gets a score, the parts of which are added in alphabetical order of their terms: documents that render
//! to the same have the same score to the last bit, on any number of threads.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use barecode_records::Language;
use rayon::prelude::*;

use crate::asked;
use crate::hubs::Hubs;
use crate::late::{Late, PARTS, RAISED, Sentence, added, first};
use crate::learned::Learned;
use crate::learned::table::{Vector, dot};
use crate::query::Question;
use crate::rendering::Rendering;
use crate::source::has_table;
use crate::stems::Stems;
use crate::vocabulary::Field;
use crate::weights::{Options, Weights};
use crate::{Form, render_in};

/// A corpus made ready.
pub struct StructuralIndex {
    weights: Weights,
    /// Each word with the documents that have it.
    words: HashMap<Arc<str>, Vec<Posting>>,
    /// Each term of signatures with the documents that have it.
    signatures: HashMap<String, Vec<u32>>,
    /// The vector of the learned part for each document; empty where the learned part has no weight.
    vectors: Vec<Vector>,
    learned: Option<&'static Learned>,
    /// The hub shares of the documents; empty if hubs have no weight.
    hubs: Hubs,
    /// The rows of each document for the second stage; empty where the learned part has no weight.
    late: Vec<Late>,
    documents: usize,
}

/// The term that represents the loss of a hub in an explanation; stems have no blanks.
const ANY: &str = "what any sentence finds";

/// The share of a term in the score of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The stem of a word, or a term of signatures: `in:Int` (a parameter is a whole number), `in:Int=2` (two are),
    /// `in#2` (two parameters), `out:Bool` (a truth value comes out), `in:3x3` (a parameter has three rows and columns),
    /// `does:Transpose` (an operation on small arrays), `~copies` (a word that the learned part knows), `what any
    /// sentence finds` (the hub share of the document); or a term of the second stage ([`PARTS`], `among the first`).
    pub term: String,
    /// The score that it adds; below 0 for a trait that was not asked for, and for a hub.
    pub score: f64,
}

impl Part {
    /// Its term in words, as people read it: `2 inputs: whole number`, `operation: transpose`.
    pub fn in_words(&self) -> String {
        asked::in_words(&self.term)
    }
}

/// A document that has a word.
#[derive(Debug, Clone, Copy)]
struct Posting {
    document: u32,
    /// The score of the word there before its weight: from 0 to 1.
    part: f32,
    /// True if one of its names has it.
    is_named: bool,
}

/// A document before it is in an index.
struct Counted {
    /// In alphabetical order, each with its weighted count, and whether a name has it.
    words: Vec<(Arc<str>, f64, bool)>,
    signature: Vec<String>,
    vector: Option<Vector>,
    late: Option<Late>,
}

/// One of the first documents of a question, before its second score.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Its index.
    pub document: usize,
    /// The score of the first stage.
    pub score: f64,
    /// Its parts in the second stage, before their weights ([`PARTS`]).
    pub parts: [f64; PARTS.len()],
}

impl StructuralIndex {
    /// Renders texts and makes a corpus of them; each is read as what it looks like ([`crate::render`]), and the
    /// weights are those of lowered code if most of them are.
    ///
    /// ```
    /// use barecode_structural::{Options, StructuralIndex};
    /// let texts = [
    ///     "static int f1(int a, int b) { return a < b ? a : b; }",
    ///     "void f2(char *to, const char *from) { while ((*to++ = *from++)) ; }",
    /// ];
    /// let index = StructuralIndex::of(&texts, Options::default());
    /// let scores = index.scores("Takes two integers and returns the smaller one.");
    /// assert!(scores[0] > scores[1]);
    /// ```
    pub fn of<T: AsRef<str> + Sync>(texts: &[T], options: Options) -> Self {
        StructuralIndex::of_languages(texts, &[], options)
    }

    /// The same for texts in the languages of `languages`, by index; those behind its end are of unknown languages. If
    /// most are in other languages than C and C++, the weights are [`Weights::other_languages`].
    pub fn of_languages<T: AsRef<str> + Sync>(
        texts: &[T],
        languages: &[Option<Language>],
        options: Options,
    ) -> Self {
        let language = |at: usize| languages.get(at).copied().flatten();
        let is_lowered = |text: &&T| Form::of(text.as_ref()) != Form::Source;
        let lowered = texts.iter().filter(is_lowered).count();
        let has_own_table = |at: &usize| language(*at).is_some_and(has_table);
        let others = (0..texts.len()).filter(has_own_table).count();
        let weights = if lowered * 2 > texts.len() {
            Weights::lowered()
        } else if others * 2 > texts.len() {
            Weights::other_languages()
        } else {
            Weights::default()
        };
        let weights = &weights.with(options);
        let all = texts.par_iter().enumerate();
        let counted = all.map_init(Stems::new, |stems, (at, text)| {
            let rendering = render_in(text.as_ref(), language(at));
            Counted::of(&rendering, weights, stems)
        });
        StructuralIndex::made(counted.collect(), weights)
    }

    /// A corpus of renderings.
    pub fn new(renderings: &[Rendering], weights: &Weights) -> Self {
        let counted = renderings
            .par_iter()
            .map_init(Stems::new, |stems, rendering| {
                Counted::of(rendering, weights, stems)
            });
        StructuralIndex::made(counted.collect(), weights)
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "a part from 0 to 1, for a list that is read as often as it is long"
    )]
    fn made(counted: Vec<Counted>, weights: &Weights) -> Self {
        let documents = counted.len();
        let lengths: Vec<f64> = counted
            .iter()
            .map(|it| it.words.iter().map(|(_, count, _)| count).sum())
            .collect();
        let mean = (lengths.iter().sum::<f64>() / documents.max(1) as f64).max(f64::MIN_POSITIVE);
        let mut words: HashMap<Arc<str>, Vec<Posting>> = HashMap::new();
        let mut signatures: HashMap<String, Vec<u32>> = HashMap::new();
        let (mut vectors, mut late) = (Vec::new(), Vec::new());
        for ((document, counted), length) in (0..).zip(counted).zip(lengths) {
            let held_back = weights.k1 * (1.0 - weights.b + weights.b * length / mean);
            for (word, count, is_named) in counted.words {
                words.entry(word).or_default().push(Posting {
                    document,
                    part: (count / (count + held_back)) as f32,
                    is_named,
                });
            }
            vectors.extend(counted.vector);
            late.extend(counted.late);
            for term in counted.signature {
                signatures.entry(term).or_default().push(document);
            }
        }
        let mut index = StructuralIndex {
            weights: weights.clone(),
            words,
            signatures,
            vectors,
            learned: learned(weights),
            hubs: Hubs::default(),
            late,
            documents,
        };
        if index.learned.is_some() && weights.hubs > 0.0 {
            index.hubs = Hubs::of(|question| index.found(question));
        }
        index
    }

    /// The score of every document for a sentence, in the order of the documents.
    pub fn scores(&self, query: &str) -> Vec<f64> {
        let question = Question::read(query);
        let mut scores = self.first_scores(&question);
        let candidates = self.candidates_of(&question, &scores);
        again(&mut scores, &candidates);
        scores
    }

    /// The first documents of a sentence, which the second stage scores once more, in their order; none without the
    /// learned part.
    pub fn candidates(&self, query: &str) -> Vec<Candidate> {
        let question = Question::read(query);
        self.candidates_of(&question, &self.first_scores(&question))
    }

    fn candidates_of(&self, question: &Question, scores: &[f64]) -> Vec<Candidate> {
        let Some(learned) = self.learned else {
            return Vec::new();
        };
        let having = |stem: &str| self.words.get(stem).map_or(&[][..], Vec::as_slice);
        let sentence = Sentence::of(question, learned, |stem| self.idf(having(stem).len()));
        let candidate = |document: usize| {
            let number = u32::try_from(document).ok()?;
            let named = |stem: &str| Some(posting(having(stem), number)?.is_named);
            Some(Candidate {
                document,
                score: *scores.get(document)?,
                parts: sentence.parts(self.late.get(document)?, named),
            })
        };
        first(scores).into_iter().filter_map(candidate).collect()
    }

    /// The scores of the first stage.
    fn first_scores(&self, question: &Question) -> Vec<f64> {
        self.without_hubs(question, self.found(question))
    }

    /// Scores less the share of each document as a hub.
    fn without_hubs(&self, question: &Question, mut scores: Vec<f64>) -> Vec<f64> {
        let most = self.most(&scores);
        for (score, hub) in scores.iter_mut().zip(self.hubs.of_question(question)) {
            *score -= most * hub;
        }
        scores
    }

    /// The score that is subtracted from a document whose share as a hub is 1: a fraction of the highest score of a
    /// question.
    fn most(&self, found: &[f64]) -> f64 {
        self.weights.hubs * found.iter().copied().fold(0.0, f64::max)
    }

    /// The scores for a question before hubs are held back.
    fn found(&self, question: &Question) -> Vec<f64> {
        let mut scores = vec![0.0; self.documents];
        let mut add = |document: u32, part: f64| {
            if let Some(score) = scores.get_mut(document as usize) {
                *score += part;
            }
        };
        for asked in self.asked(question) {
            match asked.found {
                Found::Word(documents) => documents
                    .iter()
                    .for_each(|it| add(it.document, asked.weight * f64::from(it.part))),
                Found::Signature(documents) => documents
                    .iter()
                    .for_each(|&document| add(document, asked.weight)),
            }
        }
        if let Some(learned) = self.learned {
            let (vector, _) = learned.query(question, &mut Stems::new());
            for (score, document) in scores.iter_mut().zip(&self.vectors) {
                *score += self.weights.learned * f64::from(dot(&vector, document));
            }
        }
        scores
    }

    /// The score that each term of a sentence adds to a document, the greatest first; terms that add nothing are left
    /// out. Their sum is the score, but for rounding.
    pub fn explain(&self, query: &str, document: usize) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        let question = Question::read(query);
        if let (Some(learned), Some(vector)) = (self.learned, self.vectors.get(document)) {
            let (_, words) = learned.query(&question, &mut Stems::new());
            let words = words.into_iter().map(|(word, part)| Part {
                term: format!("~{word}"),
                score: self.weights.learned * f64::from(dot(&part, vector)),
            });
            parts.extend(words.filter(|part| part.score != 0.0));
        }
        let found = self.found(&question);
        let hub = self.hubs.of_question(&question).get(document);
        let cost = hub.map(|hub| self.most(&found) * hub);
        parts.extend(cost.filter(|cost| *cost > 0.0).map(|cost| Part {
            term: ANY.to_owned(),
            score: -cost,
        }));
        let scores = self.without_hubs(&question, found);
        parts.extend(self.second_parts(&question, scores, document));
        let document = u32::try_from(document).unwrap_or(u32::MAX);
        for asked in self.asked(&question) {
            let score = match asked.found {
                Found::Word(documents) => {
                    posting(documents, document).map(|it| asked.weight * f64::from(it.part))
                }
                Found::Signature(documents) => documents
                    .binary_search(&document)
                    .ok()
                    .map(|_| asked.weight),
            };
            parts.extend(score.map(|score| Part {
                term: asked.term,
                score,
            }));
        }
        parts.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.term.cmp(&b.term)));
        parts
    }

    /// The terms of the second stage, if the document is one of the first by `scores`.
    fn second_parts(
        &self,
        question: &Question,
        mut scores: Vec<f64>,
        document: usize,
    ) -> Vec<Part> {
        let candidates = self.candidates_of(question, &scores);
        let Some(own) = candidates.iter().find(|it| it.document == document) else {
            return Vec::new();
        };
        let of_parts = own.parts.iter().zip(PARTS);
        let of_parts = of_parts.map(|(part, (term, weight))| (term, part * weight));
        let all = of_parts.chain([(RAISED, again(&mut scores, &candidates))]);
        let all = all.filter(|(_, score)| *score != 0.0);
        let part = |(term, score): (&str, f64)| Part {
            term: term.to_owned(),
            score,
        };
        all.map(part).collect()
    }

    fn idf(&self, having: usize) -> f64 {
        let (n, df) = (self.documents as f64, having as f64);
        (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
    }

    /// The terms of a sentence that some document has, in alphabetical order.
    fn asked(&self, question: &Question) -> Vec<Asked<'_>> {
        let mut stems = Stems::new();
        let mut times: BTreeMap<Arc<str>, f64> = BTreeMap::new();
        let parts = question.parts.iter().filter(|_| self.weights.parts);
        for word in question.words.iter().chain(parts) {
            if let Some(stem) = stems.of(word) {
                *times.entry(stem.clone()).or_default() += 1.0;
            }
        }
        let mut asked = Vec::new();
        for (term, times) in times {
            if let Some(documents) = self.words.get(&term) {
                // Said twice is not twice as important.
                let weight = self.idf(documents.len()) * (1.0 + times).log2();
                asked.push(Asked {
                    term: term.to_string(),
                    weight,
                    found: Found::Word(documents),
                });
            }
        }
        for (term, weight) in asked::asked(question, &self.weights) {
            if let Some(documents) = self.signatures.get(&term) {
                asked.push(Asked {
                    weight: weight * self.idf(documents.len()),
                    term,
                    found: Found::Signature(documents),
                });
            }
        }
        asked
    }
}

/// A term of a sentence, with the documents that have it.
struct Asked<'a> {
    term: String,
    weight: f64,
    found: Found<'a>,
}

enum Found<'a> {
    Word(&'a [Posting]),
    Signature(&'a [u32]),
}

/// Scores the first documents once more, and returns the number that all of them were raised by: none of them is below
/// another document then.
fn again(scores: &mut [f64], candidates: &[Candidate]) -> f64 {
    let (mut lowest, mut is_other) = (f64::INFINITY, vec![true; scores.len()]);
    for candidate in candidates {
        if let Some(score) = scores.get_mut(candidate.document) {
            *score += added(&candidate.parts);
            lowest = lowest.min(*score);
            is_other[candidate.document] = false;
        }
    }
    let others = scores
        .iter()
        .zip(&is_other)
        .filter(|(_, is_other)| **is_other);
    let best = others
        .map(|(score, _)| *score)
        .fold(f64::NEG_INFINITY, f64::max);
    let raised = (best - lowest).max(0.0);
    for candidate in candidates {
        if let Some(score) = scores.get_mut(candidate.document) {
            // The sum may be rounded to less.
            *score = (*score + raised).max(best);
        }
    }
    raised
}

fn posting(documents: &[Posting], document: u32) -> Option<&Posting> {
    let at = documents.binary_search_by_key(&document, |it| it.document);
    documents.get(at.ok()?)
}

/// The learned part, where it has a weight.
fn learned(weights: &Weights) -> Option<&'static Learned> {
    let shipped = Learned::shipped().as_ref();
    shipped.filter(|_| weights.learned > 0.0)
}

impl Counted {
    fn of(rendering: &Rendering, weights: &Weights, stems: &mut Stems) -> Self {
        let mut said: Vec<(Arc<str>, Field)> = Vec::new();
        let mut say = |stems: &mut Stems, field: Field, word: &str| {
            if weights.of(field) > 0.0
                && let Some(stem) = stems.of(word)
            {
                said.push((stem.clone(), field));
            }
        };
        for (field, word) in &rendering.words {
            say(stems, *field, word);
        }
        for concept in &rendering.concepts {
            for word in concept.words().split_ascii_whitespace() {
                say(stems, concept.field(), word);
            }
        }
        said.sort_unstable();
        let mut words: Vec<(Arc<str>, f64, bool)> = Vec::new();
        for same in said.chunk_by(|one, other| one == other) {
            let Some((word, field)) = same.first() else {
                continue;
            };
            let count = weights.of(*field) * (same.len() as f64).powf(weights.power);
            let is_name = *field == Field::Names;
            match words.last_mut() {
                Some((last, sum, is_named)) if last == word => {
                    *sum += count;
                    *is_named |= is_name;
                }
                _ => words.push((word.clone(), count, is_name)),
            }
        }
        Counted {
            words,
            signature: asked::terms(&rendering.signature),
            vector: learned(weights).map(|it| it.document(rendering, stems)),
            late: learned(weights).map(|it| Late::of(rendering, it, stems)),
        }
    }
}
