//! Pairs with the tokens of their texts, and their uses for an encoder: batches for a step, dev values, hard
//! negatives.

use std::collections::{BTreeMap, BTreeSet};

use barecode_corpus::duplicates::Shingles;
use barecode_encoders::backward::{Encoder, Gradients, Room};
use barecode_encoders::{Ids, LocalTokens};
use barecode_models::Side;
use barecode_retrieval::{DenseIndex, Similarity, Vectors};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::loss::InfoNce;

use crate::options::Options;
use crate::pairs::Pair;
use crate::step;

/// Pairs with their tokens.
pub(crate) struct Examples<'a> {
    pub(crate) pairs: &'a [Pair],
    anchors: Vec<Ids>,
    positives: Vec<Ids>,
    negatives: Vec<Vec<Ids>>,
    /// Texts that were longer than the model reads.
    pub(crate) truncated: u64,
}

/// The value of an encoder on a dev split.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct DevValue {
    /// Steps that were made before.
    pub step: u64,
    /// Epochs that were made before.
    pub epoch: u32,
    /// Mean nDCG@10 of the anchors over all positives of the split; 1 is the best.
    pub ndcg: f64,
    /// Mean loss over batches of the split.
    pub loss: f64,
}

/// A batch's texts.
struct Batch<'a> {
    queries: Vec<&'a Ids>,
    candidates: Vec<&'a Ids>,
    /// The texts of the candidates, and the one that is right for each query.
    texts: Vec<&'a str>,
}

impl Batch<'_> {
    /// A candidate that has the text of a query's own positive is right for that query too.
    fn left_out(&self, query: usize, candidate: usize) -> bool {
        self.texts[query] == self.texts[candidate]
    }
}

impl<'a> Examples<'a> {
    /// Reads the tokens of all texts.
    pub(crate) fn new(pairs: &'a [Pair], tokens: &LocalTokens) -> Result<Self, TrainError> {
        let mut truncated = 0;
        let mut of = |side, texts: Vec<&str>| -> Result<Vec<Ids>, TrainError> {
            let ids = tokens.ids(side, &texts)?;
            truncated += ids.iter().filter(|ids| ids.truncated).count() as u64;
            Ok(ids)
        };
        let anchors = of(
            Side::Query,
            pairs.iter().map(|pair| pair.anchor.as_str()).collect(),
        )?;
        let positives = of(
            Side::Document,
            pairs.iter().map(|pair| pair.positive.as_str()).collect(),
        )?;
        let all = pairs
            .iter()
            .flat_map(|pair| pair.negatives.iter().map(String::as_str));
        let mut all = of(Side::Document, all.collect())?.into_iter();
        let negatives = pairs
            .iter()
            .map(|pair| all.by_ref().take(pair.negatives.len()).collect())
            .collect();
        Ok(Examples {
            pairs,
            anchors,
            positives,
            negatives,
            truncated,
        })
    }

    /// The longest text, in tokens.
    pub(crate) fn longest(&self) -> usize {
        let all = self
            .anchors
            .iter()
            .chain(&self.positives)
            .chain(self.negatives.iter().flatten());
        all.map(|text| text.ids.len()).max().unwrap_or(0)
    }

    /// The texts of a batch; `mined` has the indices of pairs whose positives are negatives of this batch, by pair,
    /// or empty.
    fn batch(&self, places: &[usize], mined: &[Vec<usize>]) -> Batch<'_> {
        let mut batch = Batch {
            queries: places.iter().map(|&place| &self.anchors[place]).collect(),
            candidates: places.iter().map(|&place| &self.positives[place]).collect(),
            texts: places
                .iter()
                .map(|&place| self.pairs[place].positive.as_str())
                .collect(),
        };
        for &place in places {
            batch.candidates.extend(&self.negatives[place]);
            batch
                .texts
                .extend(self.pairs[place].negatives.iter().map(String::as_str));
            for &other in mined.get(place).into_iter().flatten() {
                batch.candidates.push(&self.positives[other]);
                batch.texts.push(&self.pairs[other].positive);
            }
        }
        batch
    }

    /// The loss of a batch; its gradients are added.
    pub(crate) fn learn(
        &self,
        weights: &Encoder,
        places: &[usize],
        mined: &[Vec<usize>],
        (loss, most): (InfoNce, usize),
        gradients: &mut Gradients,
        room: &mut Room,
    ) -> f64 {
        let batch = self.batch(places, mined);
        let left_out = |query: usize, candidate: usize| batch.left_out(query, candidate);
        step::learn(
            weights,
            [&batch.queries, &batch.candidates],
            (loss, &left_out),
            most,
            gradients,
            room,
        )
    }

    /// Measures an encoder on these pairs.
    pub(crate) fn value(
        &self,
        weights: &Encoder,
        (loss, size): (InfoNce, usize),
        room: &mut Room,
    ) -> DevValue {
        let width = weights.width();
        let anchors: Vec<&Ids> = self.anchors.iter().collect();
        let anchors = step::encode(weights, &anchors, room);
        let (documents, of_pair) = self.distinct();
        let texts: Vec<&Ids> = documents
            .iter()
            .map(|&pair| &self.positives[pair])
            .collect();
        let vectors = step::encode(weights, &texts, room);
        let mut right: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for (pair, &document) in self.pairs.iter().zip(&of_pair) {
            right.entry(&pair.anchor).or_default().insert(document);
        }
        let gains: Vec<f64> = (anchors
            .par_chunks_exact(width)
            .zip(self.pairs)
            .zip(&of_pair))
        .map(|((anchor, pair), &own)| {
            let score = |document: usize| -> f64 {
                let row = &vectors[document * width..(document + 1) * width];
                anchor
                    .iter()
                    .zip(row)
                    .map(|(a, b)| f64::from(*a) * f64::from(*b))
                    .sum()
            };
            let others = &right[pair.anchor.as_str()];
            let best = score(own);
            let (mut above, mut equal) = (0, 0);
            for document in (0..documents.len())
                .filter(|document| *document == own || !others.contains(document))
            {
                let score = score(document);
                above += usize::from(score > best);
                equal += usize::from(score.total_cmp(&best).is_eq());
            }
            // Of equal scores, the mean over their orders.
            let gain = |rank: usize| {
                if rank <= 10 {
                    1.0 / ((rank + 1) as f64).log2()
                } else {
                    0.0
                }
            };
            (1..=equal).map(|place| gain(above + place)).sum::<f64>() / equal.max(1) as f64
        })
        .collect();
        let mut losses = Vec::new();
        for first in (0..self.pairs.len()).step_by(size) {
            let range = first..self.pairs.len().min(first + size);
            let queries = &anchors[range.start * width..range.end * width];
            let candidates: Vec<f32> = of_pair[range.clone()]
                .iter()
                .flat_map(|&document| vectors[document * width..(document + 1) * width].to_vec())
                .collect();
            let own = &of_pair[range.clone()];
            let pairs = &self.pairs[range.clone()];
            let left_out =
                |i: usize, j: usize| own[i] == own[j] || pairs[i].anchor == pairs[j].anchor;
            losses.push(loss.of(queries, &candidates, width, left_out).value * range.len() as f64);
        }
        let count = self.pairs.len().max(1) as f64;
        DevValue {
            step: 0,
            epoch: 0,
            ndcg: gains.iter().sum::<f64>() / count,
            loss: losses.iter().sum::<f64>() / count,
        }
    }

    /// One pair for each different positive, and the index of its positive for each pair.
    fn distinct(&self) -> (Vec<usize>, Vec<usize>) {
        let (mut first, mut documents) = (BTreeMap::new(), Vec::new());
        let mut of_pair = Vec::new();
        for (place, pair) in self.pairs.iter().enumerate() {
            of_pair.push(*first.entry(pair.positive.as_str()).or_insert_with(|| {
                documents.push(place);
                documents.len() - 1
            }));
        }
        (documents, of_pair)
    }

    /// For each pair the pairs whose positives are nearest to its anchor, without positives of the same anchor and without
    /// near-duplicates of its own.
    ///
    /// # Errors
    /// If vectors cannot be searched, which is a defect.
    pub(crate) fn mine(
        &self,
        weights: &Encoder,
        options: &Options,
        room: &mut Room,
    ) -> Result<Vec<Vec<usize>>, TrainError> {
        /// Documents beyond those that are needed, to replace those that are passed over.
        const SPARE: usize = 16;
        let (documents, _) = self.distinct();
        let anchors: Vec<&Ids> = self.anchors.iter().collect();
        let texts: Vec<&Ids> = documents
            .iter()
            .map(|&pair| &self.positives[pair])
            .collect();
        let failed = |error: barecode_retrieval::VectorsError| {
            TrainError::invalid(format!("negatives cannot be mined: {error}"), "")
        };
        let mut vectors = |texts: &[&Ids]| {
            Vectors::new(weights.width(), step::encode(weights, texts, room)).map_err(failed)
        };
        let (queries, documents_vectors) = (vectors(&anchors)?, vectors(&texts)?);
        let lists = DenseIndex::new(&documents_vectors, Similarity::Cosine)
            .search_all(&queries, options.hard_negatives + SPARE)
            .map_err(failed)?;
        let mut right: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for pair in self.pairs {
            right
                .entry(&pair.anchor)
                .or_default()
                .insert(&pair.positive);
        }
        let chosen = lists.par_iter().zip(self.pairs).map(|(list, pair)| {
            let own = Shingles::of(&pair.positive, 5);
            let candidates = list.iter().map(|scored| documents[scored.document]);
            candidates
                .filter(|&other| {
                    let text = &self.pairs[other].positive;
                    !right[pair.anchor.as_str()].contains(text.as_str())
                        && Shingles::of(text, 5).jaccard(&own) < options.near_duplicate
                })
                .take(options.hard_negatives)
                .collect()
        });
        Ok(chosen.collect())
    }
}
