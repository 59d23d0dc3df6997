//! Renderings to ranked lists: BM25F over fields, and the signature that a sentence asks for.
//!
//! A word's count in a document is the sum of its counts in the fields, each times the field's weight (Robertson, Zaragoza
//! and Taylor, *Simple BM25 extension to multiple weighted fields*, 2004); then it is scored as in BM25. A trait of the
//! signature is a term of its own that a document has or has not, and weighs by how rare it is.

use std::collections::{BTreeMap, HashMap};

use rust_stemmers::{Algorithm, Stemmer};

use crate::query::Question;
use crate::rendering::Rendering;
use crate::signature::{Shape, Signature, Trait};
use crate::vocabulary::{Concept, Field};

/// What fields and signatures weigh.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    /// How much a word counts in each field, in the order of [`Field::ALL`].
    pub fields: [f64; 10],
    /// When counts saturate.
    pub k1: f64,
    /// How much long documents are held back, from 0 to 1.
    pub b: f64,
    /// What a trait of an input weighs.
    pub input: f64,
    /// What a trait of the output weighs.
    pub output: f64,
    /// What the number of inputs weighs.
    pub count: f64,
    /// What several inputs of one trait weigh.
    pub several: f64,
    /// How much of its weight a trait loses for a document that has it although the sentence does not ask for it.
    pub unasked: f64,
    /// By what power counts in a field grow, from 0 (has it or not) to 1.
    pub power: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            fields: [1.6, 1.0, 1.0, 0.8, 1.5, 1.25, 1.2, 0.9, 2.5, 0.0],
            k1: 1.6,
            b: 1.0,
            input: 0.8,
            output: 1.0,
            count: 1.2,
            several: 0.5,
            unasked: 0.8,
            power: 0.85,
        }
    }
}

/// Words that say nothing of a function.
const STOP: &[&str] = &[
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "function", "has", "have", "in", "into", "is", "it", "its",
    "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to", "was", "will", "with",
    "input", "inputs", "output", "outputs", "returns", "return", "returned", "returning", "value", "values", "type", "types", "accepts",
    "receives", "parameter", "parameters", "argument", "arguments", "representing", "represents", "provided", "corresponding",
    "which", "from", "if", "takes", "given", "used", "using", "uses", "when", "where", "can", "also", "does", "do",
];

/// Stems of words, each found once.
#[derive(Default)]
pub struct Stems {
    known: HashMap<String, String>,
}

impl Stems {
    /// The stem of a word in lower case.
    pub fn of(&mut self, word: &str) -> String {
        if let Some(known) = self.known.get(word) {
            return known.clone();
        }
        let stem = Stemmer::create(Algorithm::English).stem(word).into_owned();
        self.known.insert(word.to_owned(), stem.clone());
        stem
    }
}

/// The words of a rendering with their weighted counts, stems of English.
pub fn weighted(rendering: &Rendering, weights: &Weights, stems: &mut Stems) -> BTreeMap<String, f64> {
    let mut counts: BTreeMap<(String, Field), f64> = BTreeMap::new();
    let field = |field: Field| weights.fields.get(field as usize).copied().unwrap_or(0.0);
    for (of, word) in &rendering.words {
        let weight = field(*of);
        if weight > 0.0 && !STOP.contains(&word.as_str()) {
            *counts.entry((stems.of(word), *of)).or_default() += 1.0;
        }
    }
    for concept in &rendering.concepts {
        let weight = field(concept.field());
        if weight > 0.0 {
            for word in concept.words().split_ascii_whitespace() {
                if !STOP.contains(&word) {
                    *counts.entry((stems.of(word), concept.field())).or_default() += 1.0;
                }
            }
        }
    }
    let mut sums: BTreeMap<String, f64> = BTreeMap::new();
    for ((stem, of), count) in counts {
        *sums.entry(stem).or_default() += field(of) * count.powf(weights.power);
    }
    sums
}

/// Terms that a document has or has not: `in:int`, `in:int=2`, `in#2`, `out:bool`.
pub fn signature_terms(signature: &Signature) -> Vec<String> {
    let mut terms = Vec::new();
    let mut inputs = Shape::default();
    let mut several: BTreeMap<Trait, usize> = BTreeMap::new();
    for parameter in &signature.parameters {
        inputs = inputs.or(*parameter);
        for one in parameter.traits() {
            *several.entry(one).or_default() += 1;
        }
    }
    terms.extend(inputs.traits().map(|one| format!("in:{one:?}")));
    terms.extend(several.iter().filter(|(_, n)| **n > 1).map(|(one, n)| format!("in:{one:?}={n}")));
    if signature.is_counted {
        terms.push(format!("in#{}", signature.parameters.len()));
    }
    // What is written through a parameter comes out too.
    let mut returns = signature.returns;
    for written in &signature.written {
        let shape = signature.parameters.get(*written).copied().unwrap_or_default();
        let mut shape = shape;
        for one in [Trait::Constant, Trait::Reference, Trait::Structure] {
            shape.remove(one);
        }
        returns = returns.or(shape);
    }
    terms.extend(returns.traits().map(|one| format!("out:{one:?}")));
    terms
}

/// What a type may have besides when a sentence names these traits: a string is often a pointer to characters.
fn implied(asked: Shape) -> Shape {
    let mut implied = Shape::default();
    for one in asked.traits() {
        let others: &[Trait] = match one {
            Trait::Text => &[Trait::Pointer, Trait::Char, Trait::StringClass, Trait::Byte, Trait::Wide],
            Trait::StringClass => &[Trait::Text],
            Trait::Array => &[Trait::Pointer],
            Trait::Stream => &[Trait::Pointer, Trait::Structure],
            Trait::Structure => &[Trait::Pointer],
            Trait::Byte => &[Trait::Unsigned, Trait::Int, Trait::Char],
            Trait::Unsigned | Trait::Size | Trait::Time => &[Trait::Int, Trait::Unsigned, Trait::Structure],
            Trait::Bits16 | Trait::Bits32 | Trait::Bits64 => &[Trait::Int, Trait::Unsigned],
            Trait::Pointer => &[Trait::VoidPointer, Trait::Array],
            Trait::VoidPointer => &[Trait::Pointer],
            Trait::Wide => &[Trait::Char],
            Trait::Float => &[Trait::Double],
            Trait::Callable => &[Trait::Pointer],
            _ => &[],
        };
        implied = implied.or(Shape::of(others));
    }
    implied
}

/// A corpus made ready.
pub struct Collection {
    weights: Weights,
    /// Word to documents with weighted counts.
    words: HashMap<String, Vec<(u32, f64)>>,
    /// Signature term to documents.
    signatures: HashMap<String, Vec<u32>>,
    lengths: Vec<f64>,
    mean_length: f64,
    /// Unasked traits: the sum of their weights for each document.
    stems: Stems,
}

impl Collection {
    /// Renderings to a corpus.
    pub fn new(renderings: &[Rendering], weights: &Weights) -> Self {
        let mut stems = Stems::default();
        let mut words: HashMap<String, Vec<(u32, f64)>> = HashMap::new();
        let mut signatures: HashMap<String, Vec<u32>> = HashMap::new();
        let mut lengths = Vec::new();
        for (document, rendering) in (0..).zip(renderings) {
            let counts = weighted(rendering, weights, &mut stems);
            lengths.push(counts.values().sum());
            for (word, count) in counts {
                words.entry(word).or_default().push((document, count));
            }
            for term in signature_terms(&rendering.signature) {
                signatures.entry(term).or_default().push(document);
            }
        }
        let mean_length = lengths.iter().sum::<f64>() / (lengths.len().max(1) as f64);
        Collection {
            weights: weights.clone(),
            words,
            signatures,
            lengths,
            mean_length,
            stems,
        }
    }

    fn idf(&self, having: usize) -> f64 {
        let (n, df) = (self.lengths.len() as f64, having as f64);
        (1.0 + (n - df + 0.5) / (df + 0.5)).ln()
    }

    /// The score of every document for a sentence.
    pub fn scores(&mut self, question: &Question) -> Vec<f64> {
        let mut scores = vec![0.0; self.lengths.len()];
        for (_, documents) in self.parts(question) {
            for (document, part) in documents {
                if let Some(score) = scores.get_mut(document as usize) {
                    *score += part;
                }
            }
        }
        scores
    }

    /// What each term of a sentence adds to which documents.
    pub fn parts(&mut self, question: &Question) -> Vec<(String, Vec<(u32, f64)>)> {
        let mut parts = Vec::new();
        let mut times: BTreeMap<String, f64> = BTreeMap::new();
        for word in &question.words {
            if !STOP.contains(&word.as_str()) {
                *times.entry(self.stems.of(word)).or_default() += 1.0;
            }
        }
        let Weights { k1, b, .. } = self.weights;
        for (word, times) in times {
            let Some(documents) = self.words.get(&word) else {
                continue;
            };
            let idf = self.idf(documents.len()) * (1.0_f64 + times).ln() / 2.0_f64.ln();
            let of = documents.iter().map(|&(document, count)| {
                let length = self.lengths.get(document as usize).copied().unwrap_or(0.0);
                let norm = k1 * (1.0 - b + b * length / self.mean_length);
                (document, idf * count / (count + norm))
            });
            parts.push((word, of.collect()));
        }
        let mut asked: Vec<(String, f64)> = Vec::new();
        asked.extend(question.inputs.traits().map(|one| (format!("in:{one:?}"), self.weights.input)));
        asked.extend(question.output.traits().map(|one| (format!("out:{one:?}"), self.weights.output)));
        asked.extend(question.count.map(|n| (format!("in#{n}"), self.weights.count)));
        asked.extend(question.several.iter().map(|(n, one)| (format!("in:{one:?}={n}"), self.weights.several)));
        asked.sort_by(|x, y| x.0.cmp(&y.0));
        asked.dedup_by(|x, y| x.0 == y.0);
        for (term, weight) in &asked {
            if let Some(documents) = self.signatures.get(term) {
                let idf = self.idf(documents.len()) * weight;
                parts.push((term.clone(), documents.iter().map(|document| (*document, idf)).collect()));
            }
        }
        if self.weights.unasked > 0.0 {
            for (side, shape) in [("in", question.inputs), ("out", question.output)] {
                if shape.is_empty() {
                    continue;
                }
                let implied = implied(shape);
                for one in Trait::ALL {
                    let is_detail = matches!(one, Trait::Constant | Trait::Reference | Trait::Size | Trait::Word | Trait::Structure | Trait::Bits64 | Trait::Bits32);
                    let term = format!("{side}:{one:?}");
                    if shape.has(one) || is_detail || implied.has(one) {
                        continue;
                    }
                    if let Some(documents) = self.signatures.get(&term) {
                        let loss = -self.weights.unasked * self.idf(documents.len());
                        parts.push((format!("not {term}"), documents.iter().map(|document| (*document, loss)).collect()));
                    }
                }
            }
        }
        parts
    }
}

/// The words of all concepts, for those who look whether one has them.
pub fn concept_words() -> impl Iterator<Item = (Concept, &'static str)> {
    Concept::ALL.iter().map(|concept| (*concept, concept.words()))
}
