//! The lists of result files, for the pages of queries.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use barecode_formats::FormatError;
use barecode_formats::run::Run;
use barecode_formats::trec::{Qrels, QueryRun};
use barecode_results::files::rank_of;
use barecode_scores::Ties;

use crate::browse::{Asked, Browsed, Document, Home, List, OTHERS, Other};

/// The start of a list, its documents by id.
struct Start {
    rank: Option<f64>,
    others: Vec<(String, u32, f64, bool)>,
}

/// Judgments, and the texts for the pages, where they are known.
#[derive(Debug, Clone, Copy)]
pub struct Lists<'a> {
    /// The judgments.
    pub qrels: &'a Qrels,
    /// The texts of queries by id.
    pub queries: Option<&'a BTreeMap<String, String>>,
    /// The treatment of equal scores.
    pub ties: Ties,
    /// The texts of documents by id.
    pub corpus: Option<&'a BTreeMap<String, String>>,
}

impl Lists<'_> {
    /// The judged queries of result files with their lists; of `systems` if some are named.
    ///
    /// # Errors
    /// A run cannot be read.
    pub fn browsed(
        self,
        names: &[String],
        runs: &[Arc<Run>],
        systems: &[String],
    ) -> Result<Browsed, FormatError> {
        let Lists {
            qrels,
            queries,
            ties,
            corpus,
        } = self;
        // The answer with the highest grade; of equal grades the first by id.
        let mut answers: BTreeMap<&str, &str> = BTreeMap::new();
        for (query, judged) in qrels {
            let relevant = judged.iter().filter(|(_, grade)| **grade > 0);
            if let Some((answer, _)) =
                relevant.max_by_key(|(id, grade)| (**grade, std::cmp::Reverse(*id)))
            {
                answers.insert(query, answer);
            }
        }
        let mut read: Vec<HashMap<String, Start>> = Vec::new();
        for run in runs {
            let starts = run.for_each_query(|of_query| {
                let answer = answers.get(of_query.query);
                Ok(answer.map(|answer| start(of_query, &qrels[of_query.query], answer, ties)))
            })?;
            let starts = starts
                .into_iter()
                .filter_map(|(query, start)| Some((query, start?)));
            read.push(starts.collect());
        }
        let mut documents = Documents {
            all: Vec::new(),
            at: HashMap::new(),
            texts: corpus,
        };
        let asked = answers.iter().map(|(query, answer)| {
            let text = queries
                .as_ref()
                .map(|texts| texts.get(*query).cloned().unwrap_or_default());
            let lists = read.iter_mut().map(|starts| {
                // A judged query that a run lacks counts as 0, like an answer that was not retrieved.
                let Some(start) = starts.remove(*query) else {
                    return Some(List::default());
                };
                let others = start
                    .others
                    .into_iter()
                    .map(|(id, rank, score, relevant)| Other {
                        document: documents.at(&id),
                        rank,
                        score,
                        relevant,
                    });
                Some(List {
                    rank: start.rank,
                    others: others.collect(),
                    ..List::default()
                })
            });
            let lists = lists.collect();
            Asked {
                id: (*query).to_owned(),
                text: text.unwrap_or_else(|| (*query).to_owned()),
                answer: documents.at(answer),
                lists,
                ..Asked::default()
            }
        });
        let asked: Vec<Asked> = asked.collect();
        let mut all = Browsed {
            name: names.join(" and "),
            systems: names.to_vec(),
            settings: vec!["as given".to_owned()],
            queries: asked,
            documents: documents.all,
            compared: true,
            home: Home::Comparison,
        };
        if !systems.is_empty() {
            let mut kept = names.to_vec();
            kept.retain(|name| systems.contains(name));
            all.keep_systems(&kept);
        }
        all.sort(&[]);
        Ok(all)
    }
}

/// The documents that pages name, in the order in which they are first named.
struct Documents<'a> {
    all: Vec<Document>,
    at: HashMap<String, u32>,
    texts: Option<&'a BTreeMap<String, String>>,
}

impl Documents<'_> {
    fn at(&mut self, id: &str) -> u32 {
        if let Some(&at) = self.at.get(id) {
            return at;
        }
        let at = u32::try_from(self.all.len()).unwrap_or(u32::MAX);
        self.at.insert(id.to_owned(), at);
        let texts = self
            .texts
            .map_or(Vec::new(), |texts| vec![texts.get(id).cloned()]);
        self.all.push(Document {
            id: id.to_owned(),
            name: id.to_owned(),
            texts,
            ..Document::default()
        });
        at
    }
}

/// The expected rank of the first relevant document, and the first documents that are not the answer.
fn start(of: &QueryRun<'_>, judged: &BTreeMap<String, i32>, answer: &str, ties: Ties) -> Start {
    let rank = rank_of(of, judged, ties);
    let mut order: Vec<usize> = (0..of.documents.len()).collect();
    order.sort_by(|&a, &b| {
        let (a, b) = (&of.documents[a], &of.documents[b]);
        b.score.total_cmp(&a.score).then_with(|| a.doc.cmp(b.doc))
    });
    let ranked = (1_u32..)
        .zip(order)
        .map(|(rank, at)| (rank, &of.documents[at]));
    let others = ranked.filter(|(_, one)| one.doc != answer).take(OTHERS);
    let others = others.map(|(rank, one)| {
        let is_relevant = judged.get(one.doc).is_some_and(|grade| *grade > 0);
        (one.doc.to_owned(), rank, one.score, is_relevant)
    });
    Start {
        rank,
        others: others.collect(),
    }
}
