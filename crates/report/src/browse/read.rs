//! The pages of queries from the tables of a run: dataset, lists and scores of each query.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use barecode_evaluate::{PoolConfig, System, SystemKind};
use barecode_languages::not_lowered;
use barecode_recipe::Recipe;
use barecode_records::{
    Document, Facets, Hit, Id, Judgment, Language, ListedSubset, Query, QueryScore, QueryText,
    Setting, Split, Stage, SubsetKind,
};
use barecode_retrieval::Documents;
use barecode_runs::layout::{Layout, corpus_of, judgments_of, queries_of};

use rayon::prelude::*;

use super::{Asked, Browsed, List, OTHERS, Other};

/// The group whose documents have the bodies of their helpers before them: their texts differ from those of the
/// same functions in other groups.
const LONG: &str = "group3-long";

/// The terms that are shown of a score.
const TERMS: usize = 6;

/// The key of a document: its id, and true if helpers are before it.
type Key = (Id, bool);

impl Browsed {
    /// Reads a run. `names` are those of the functions, by the ids of their units; `queries` are the queries as they were
    /// made.
    ///
    /// # Errors
    /// A table cannot be read.
    pub fn read(
        layout: Layout<'_>,
        recipe: &Recipe,
        names: &BTreeMap<Id, String>,
        queries: &[Query],
    ) -> anyhow::Result<Self> {
        let subsets = layout.subsets()?;
        let subsets: Vec<&ListedSubset> = subsets.iter().filter(|one| is_shown(one)).collect();
        let mut settings: Vec<Setting> = subsets.iter().filter_map(|one| one.setting).collect();
        // The first column is the code as written, also in a run that does not ask for it.
        settings.push(Setting::Standard);
        settings.sort_unstable();
        settings.dedup();
        let ranks = ranks(layout.query_scores()?);
        let made: HashMap<&Id, &Query> = queries.iter().map(|query| (&query.id, query)).collect();
        let mut read = Reading {
            all: Browsed {
                name: recipe.name.clone(),
                systems: recipe
                    .retrievers
                    .iter()
                    .map(|one| one.name().to_owned())
                    .collect(),
                settings: settings.iter().map(Setting::to_string).collect(),
                ..Browsed::default()
            },
            documents: HashMap::new(),
            queries: HashMap::new(),
        };
        for subset in subsets {
            let (Some(setting), Some(group)) = (subset.setting, subset.group.as_deref()) else {
                continue;
            };
            let column = settings.binary_search(&setting).unwrap_or_default();
            let is_long = group.starts_with(LONG);
            // A function under the setting asks for functions as they were written.
            let shown = if group == Facets::CODE { 0 } else { column };
            let corpus: Vec<Document> = layout.rows(Stage::Assemble, [corpus_of(&subset.name)])?;
            for document in &corpus {
                read.document(document, is_long, shown, names);
            }
            let judgments: Vec<Judgment> =
                layout.rows(Stage::Assemble, [judgments_of(&subset.name)])?;
            let answers = answers(&judgments);
            let relevant: Relevant<'_> = judgments
                .iter()
                .filter(|one| one.score > 0)
                .map(|one| (&one.query_id, &one.corpus_id))
                .collect();
            let asked: Vec<QueryText> = layout.rows(Stage::Assemble, [queries_of(&subset.name)])?;
            // A query that is code has another text in each setting.
            let texts: HashMap<String, String> = asked
                .iter()
                .map(|query| (query.id.to_string(), query.text.clone()))
                .collect();
            for query in asked {
                let answer = answers
                    .get(&query.id)
                    .map(|(_, id)| ((*id).clone(), is_long));
                let answer = answer.and_then(|key| read.documents.get(&key).copied());
                if let Some(answer) = answer {
                    read.query(query, group, answer, &made);
                }
            }
            for (row, system) in recipe.retrievers.iter().enumerate() {
                let Some(hits) = hits(layout, system, &subset.name)? else {
                    continue;
                };
                let at = row * settings.len() + column;
                let key = (system.name().to_owned(), group.to_owned(), Some(setting));
                read.lists(
                    (at, system),
                    hits,
                    (group, is_long),
                    (&relevant, ranks.get(&key)),
                );
                if recipe.retrieve.pool == PoolConfig::Everyone {
                    let asked = (&texts, group, is_long);
                    read.explain((at, system), (subset, &corpus, recipe), asked);
                }
            }
        }
        Ok(read.all)
    }
}

/// The pages as far as the tables were read.
struct Reading {
    all: Browsed,
    documents: HashMap<Key, u32>,
    /// The indices of queries, by id and group.
    queries: HashMap<(Id, String), usize>,
}

impl Reading {
    fn document(
        &mut self,
        document: &Document,
        is_long: bool,
        column: usize,
        names: &BTreeMap<Id, String>,
    ) {
        let settings = self.all.settings.len();
        let documents = &mut self.all.documents;
        let at = *self
            .documents
            .entry((document.id.clone(), is_long))
            .or_insert_with(|| {
                let name = names.get(&document.id).cloned().unwrap_or_default();
                documents.push(super::Document {
                    id: document.id.to_string(),
                    name,
                    place: format!(
                        "{} {}:{}",
                        document.source, document.path, document.start_line
                    ),
                    language: document.language.name().to_owned(),
                    texts: vec![None; settings],
                });
                u32::try_from(documents.len() - 1).unwrap_or(u32::MAX)
            });
        documents[at as usize].texts[column].get_or_insert_with(|| document.text.clone());
    }

    fn query(&mut self, query: QueryText, group: &str, answer: u32, made: &HashMap<&Id, &Query>) {
        let lists = self.all.systems.len() * self.all.settings.len();
        let queries = &mut self.all.queries;
        self.queries
            .entry((query.id.clone(), group.to_owned()))
            .or_insert_with(|| {
                let writer = made
                    .get(&query.id)
                    .map_or(Query::CODE, |made| made.writer.as_str());
                queries.push(Asked {
                    id: query.id.to_string(),
                    group: group.to_owned(),
                    text: query.text,
                    writer: writer.to_owned(),
                    leak: Some(query.leak),
                    leaked: query.leaked,
                    answer,
                    lists: vec![None; lists],
                });
                queries.len() - 1
            });
    }

    /// Takes the start of each list of a system at `at`, but for answers in languages that it does not read.
    fn lists(
        &mut self,
        (at, system): (usize, &System),
        hits: Vec<Hit>,
        (group, is_long): (&str, bool),
        (relevant, ranks): (&Relevant<'_>, Option<&OfQueries>),
    ) {
        for (id, rank) in ranks.into_iter().flatten() {
            if let Some(&query) = self.queries.get(&(id.clone(), group.to_owned())) {
                let answer = self.all.queries[query].answer;
                let language = &self.all.documents[answer as usize].language;
                if !system.reads(Language::named(language)) {
                    continue;
                }
                let list = List {
                    rank: *rank,
                    ..List::default()
                };
                self.all.queries[query].lists[at] = Some(list);
            }
        }
        for hit in hits {
            let relevant = relevant.contains(&(&hit.query_id, &hit.doc_id));
            let Some(&query) = self.queries.get(&(hit.query_id, group.to_owned())) else {
                continue;
            };
            let query = &mut self.all.queries[query];
            let (Some(list), Some(&document)) = (
                &mut query.lists[at],
                self.documents.get(&(hit.doc_id, is_long)),
            ) else {
                continue;
            };
            if document != query.answer && list.others.len() < OTHERS {
                list.others.push(Other {
                    document,
                    rank: hit.rank,
                    score: hit.score,
                    relevant,
                });
            }
        }
    }
}

impl Reading {
    /// Adds the terms behind the scores of each list at `at`, if the system explains its scores. Lists of a corpus that
    /// cannot be read again stay without.
    fn explain(
        &mut self,
        (at, system): (usize, &System),
        (subset, corpus, recipe): (&ListedSubset, &[Document], &Recipe),
        (texts_of_queries, group, is_long): (&HashMap<String, String>, &str, bool),
    ) {
        let SystemKind::Retriever(retriever) = system.kind() else {
            return;
        };
        if !retriever.explains() {
            return;
        }
        let ids: Vec<&str> = corpus.iter().map(|one| one.id.as_str()).collect();
        let texts: Vec<&str> = corpus.iter().map(|one| one.text.as_str()).collect();
        let languages: Vec<Option<Language>> = corpus
            .iter()
            .map(|one| not_lowered(&one.text, Some(one.language)))
            .collect();
        let documents = Documents {
            name: &subset.name,
            seed: recipe.seed,
            base: &recipe.base,
            ids: &ids,
            texts: &texts,
            languages: &languages,
        };
        let Ok(scorer) = retriever.prepare(&documents) else {
            return;
        };
        let index: HashMap<u32, usize> = corpus
            .iter()
            .enumerate()
            .filter_map(|(index, one)| {
                Some((*self.documents.get(&(one.id.clone(), is_long))?, index))
            })
            .collect();
        let queries = self.all.queries.par_iter_mut();
        queries
            .filter(|query| query.group == group)
            .for_each(|query| {
                let answer = query.answer;
                let Some(text) = texts_of_queries.get(&query.id) else {
                    return;
                };
                let Some(list) = query.lists[at].as_mut() else {
                    return;
                };
                let terms = |document: u32| {
                    let terms = scorer.explain(text, *index.get(&document)?)?;
                    Some(terms.into_iter().take(TERMS).collect())
                };
                let other = list.others.first().map(|other| other.document);
                list.terms =
                    [Some(answer), other].map(|one| one.and_then(terms).unwrap_or_default());
            });
    }
}

/// Returns `true` for subsets whose lists are shown: of a drawn setting, the first draw.
fn is_shown(subset: &ListedSubset) -> bool {
    subset.kind == SubsetKind::Retrieval
        && subset.splits.contains(&Split::Test)
        && subset.draw.is_none_or(|draw| draw == 1)
}

/// The ranks of answers in the first draws, by system, group and setting, and by query.
type Ranks = HashMap<(String, String, Option<Setting>), OfQueries>;

/// The ranks of answers by query.
type OfQueries = HashMap<Id, Option<f64>>;

/// The queries with the documents that answer them.
type Relevant<'a> = HashSet<(&'a Id, &'a Id)>;

fn ranks(scores: Vec<QueryScore>) -> Ranks {
    let measure = scores.first().map(|row| row.measure.clone());
    let mut ranks = Ranks::new();
    let first = |draw: Option<u32>| draw.is_none_or(|draw| draw == 1);
    for row in scores {
        if Some(&row.measure) == measure.as_ref() && first(row.draw) && first(row.pool_draw) {
            let key = (row.retriever, row.group.unwrap_or_default(), row.setting);
            ranks
                .entry(key)
                .or_default()
                .insert(row.query_id, row.answer_rank);
        }
    }
    ranks
}

/// The answer of each query with the highest grade; of equal grades the first by id.
fn answers(judgments: &[Judgment]) -> HashMap<&Id, (i32, &Id)> {
    let mut answers: HashMap<&Id, (i32, &Id)> = HashMap::new();
    for judgment in judgments {
        let given = (judgment.score, &judgment.corpus_id);
        let best = answers.entry(&judgment.query_id).or_insert(given);
        if (-given.0, given.1) < (-best.0, best.1) {
            *best = given;
        }
    }
    answers
}

/// The lists of a system on a subset, best first; `None` if it was not asked. Of several draws of candidates, the first.
fn hits(layout: Layout<'_>, system: &System, subset: &str) -> anyhow::Result<Option<Vec<Hit>>> {
    let folder = Path::new(system.folder());
    for file in [
        format!("{subset}.parquet"),
        format!("{subset}.draw-1.parquet"),
    ] {
        if let Some(mut hits) = layout.rows_if_any::<Hit>(Stage::Retrieve, &folder.join(file))? {
            hits.sort_by(|a, b| (&a.query_id, a.rank).cmp(&(&b.query_id, b.rank)));
            return Ok(Some(hits));
        }
    }
    Ok(None)
}
