//! Pairs and benchmarks → the pairs that share nothing with the benchmarks.
//!
//! A pair goes if its positive has the tokens of a text of a benchmark, or is a near-duplicate of one. It also goes
//! if its anchor is a text of a benchmark up to white space. A negative that is one goes alone. Everything that goes
//! is counted.
//!
//! This file does not find rewritten texts. A renamed copy of a test function stays.

use std::collections::BTreeSet;
use std::path::Path;

use barecode_corpus::duplicates::{Likeness, nearest, token_digest};
use barecode_formats::{Strictness, load};

use crate::TrainError;
use crate::options::Options;
use crate::pairs::{Pair, Pairs};

/// Tokens of a shingle.
const SHINGLE: usize = 5;

impl Pairs {
    /// Leaves out the texts of the benchmarks that the options name, and texts that are the same pair twice.
    ///
    /// # Errors
    /// A benchmark that cannot be read.
    pub fn exclude(&mut self, options: &Options) -> Result<(), TrainError> {
        self.drop_repeated();
        let mut known: BTreeSet<String> = BTreeSet::new();
        for path in &options.exclude {
            known.extend(texts(path)?);
        }
        if known.is_empty() {
            return Ok(());
        }
        let anchors: BTreeSet<String> = known.iter().map(|text| squeezed(text)).collect();
        let exact: BTreeSet<String> = known.iter().map(|text| token_digest(text)).collect();
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        let likeness = Likeness {
            threshold: options.near_duplicate,
            shingle: SHINGLE,
        };
        for part in [Part::Train, Part::Dev] {
            let pairs = std::mem::take(self.part(part));
            let positives: Vec<&str> = pairs.iter().map(|pair| pair.positive.as_str()).collect();
            let near = nearest(&known, &positives, likeness);
            let mut kept = Vec::new();
            for (mut pair, near) in pairs.into_iter().zip(near) {
                let reason = if exact.contains(&token_digest(&pair.positive)) {
                    "the positive is in an excluded benchmark"
                } else if near.is_some() {
                    "the positive is a near-duplicate of a text of an excluded benchmark"
                } else if anchors.contains(&squeezed(&pair.anchor)) {
                    "the anchor is in an excluded benchmark"
                } else {
                    let before = pair.negatives.len();
                    pair.negatives
                        .retain(|text| !exact.contains(&token_digest(text)));
                    let gone = before - pair.negatives.len();
                    self.count("a negative is in an excluded benchmark", gone as u64);
                    kept.push(pair);
                    continue;
                };
                self.count(reason, 1);
            }
            *self.part(part) = kept;
        }
        Ok(())
    }

    fn drop_repeated(&mut self) {
        for part in [Part::Train, Part::Dev] {
            let mut seen = BTreeSet::new();
            let mut pairs = std::mem::take(self.part(part));
            let before = pairs.len();
            pairs.retain(|pair| {
                let Pair {
                    anchor,
                    positive,
                    setting,
                    ..
                } = pair;
                seen.insert((anchor.clone(), positive.clone(), setting.clone()))
            });
            self.count("the same pair twice", (before - pairs.len()) as u64);
            *self.part(part) = pairs;
        }
    }

    fn part(&mut self, part: Part) -> &mut Vec<Pair> {
        match part {
            Part::Train => &mut self.train,
            Part::Dev => &mut self.dev,
        }
    }
}

/// A split.
#[derive(Debug, Clone, Copy)]
enum Part {
    Train,
    Dev,
}

/// All texts of a benchmark, or of a file of pairs.
fn texts(path: &Path) -> Result<Vec<String>, TrainError> {
    let loaded = load(path, None, Strictness::AsLoader)?;
    let subsets = loaded.benchmark.subsets;
    let texts = subsets.into_iter().flat_map(|subset| {
        let documents = subset.documents.into_iter().map(|document| document.text);
        let queries = subset.queries.into_iter().map(|query| query.text);
        documents.chain(queries).collect::<Vec<_>>()
    });
    Ok(texts.filter(|text| !text.trim().is_empty()).collect())
}

/// A text with one blank for any white space.
pub(crate) fn squeezed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
