//! What one model lists for the queries of a task.
//!
//! In come a model that is open, a task with its draws of candidates, and how documents are read; out comes for each
//! draw and query a list, best first, equal scores kept together. The hard thing is memory: where candidates are few,
//! every document is scored for a block of queries at a time, and only candidates are kept.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use barecode_formats::run::open_run;
use barecode_formats::trec::Fault;
use barecode_models::{
    Dtype, Embeddings, Encoder, Lexical, ModelSpec, Opening, Side, Source, encode_averaged,
    encode_chunked, open_encoder, read_vectors,
};
use barecode_retrieval::{Analyzer, Bm25Index, Counts, DenseIndex, Precision, Scored, Vectors};

use super::pool::Drawn;
use super::reading::Reading;
use super::task::Task;
use crate::console::Console;
use crate::exit::Failure;

/// Documents by their place in the corpus with their scores, best first.
pub(super) type List = Vec<(usize, f64)>;

/// For each draw of candidates and each query its list.
pub(super) type Lists = Vec<Vec<List>>;

/// Scores that are held at a time where only candidates are kept.
const HELD_SCORES: usize = 1 << 24;

/// A model that can be asked.
pub(super) struct Model {
    pub(super) spec: ModelSpec,
    how: How,
}

enum How {
    /// Words in common.
    Words(Lexical),
    /// Vectors of texts.
    Encoder(Box<dyn Encoder>),
    /// Vectors that are there.
    Vectors(PathBuf),
    /// Lists that are there.
    Run(PathBuf),
}

/// What lists are made with.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) depth: usize,
    pub(super) seed: u64,
    pub(super) console: Console,
}

impl Model {
    /// Opens a model.
    pub(super) fn open(spec: &ModelSpec, opening: &Opening) -> anyhow::Result<Self> {
        let how = match &spec.source {
            Source::Bm25(lexical) => How::Words(lexical.clone()),
            Source::Vectors(path) => How::Vectors(there(path)?),
            Source::Run(path) => How::Run(there(path)?),
            _ => How::Encoder(open_encoder(spec, opening)?),
        };
        Ok(Model {
            spec: spec.clone(),
            how,
        })
    }

    /// The lists of a task.
    pub(super) fn lists(
        &self,
        task: &Task<'_>,
        reading: Reading,
        asked: Asked,
    ) -> anyhow::Result<Lists> {
        if task.documents.is_empty() || task.queries.is_empty() {
            return Ok(vec![vec![Vec::new(); task.queries.len()]; task.draws.len()]);
        }
        match &self.how {
            How::Words(lexical) => by_words(lexical, task, asked),
            How::Encoder(encoder) => self.by_encoder(&**encoder, task, reading, asked),
            How::Vectors(path) => {
                let found = read_vectors(&file_of(path, task, "documents")?)?;
                let ids = task.subset.documents.iter().map(|it| it.id.as_str());
                let documents = vectors_of(&found, ids, path, "document")?;
                let found = match file_of(path, task, "queries")? {
                    file if file == *path => found,
                    file => read_vectors(&file)?,
                };
                let ids = task.queries.iter().map(|(query, _)| *query);
                let queries = vectors_of(&found, ids, path, "query")?;
                self.by_vectors(documents, &queries, None, task, asked)
            }
            How::Run(path) => by_run(path, task, asked),
        }
    }

    fn by_encoder(
        &self,
        encoder: &dyn Encoder,
        task: &Task<'_>,
        reading: Reading,
        asked: Asked,
    ) -> anyhow::Result<Lists> {
        let whole: Vec<&str> = task.documents.iter().map(String::as_str).collect();
        let mut starts = None;
        let documents = match reading {
            Reading::Whole => encoder.encode(Side::Document, &whole)?,
            Reading::Chunks(chunking) => {
                let chunked = encode_chunked(encoder, Side::Document, &whole, chunking)?;
                starts = Some(chunked.starts);
                chunked.embeddings
            }
            Reading::Canonical | Reading::Averaged(_) => {
                let (texts, foreign) = reading.texts(task, asked.seed);
                if foreign > 0 {
                    asked.console.note(&format!(
                        "{}: {foreign} of {} documents are in a language whose keywords are not known and keep their names",
                        task.subset.name,
                        whole.len()
                    ));
                }
                let groups: Vec<Vec<&str>> = texts
                    .iter()
                    .map(|group| group.iter().map(AsRef::as_ref).collect())
                    .collect();
                let groups: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
                match reading {
                    Reading::Averaged(_) => encode_averaged(encoder, Side::Document, &groups)?,
                    _ => encoder.encode(Side::Document, &groups.concat())?,
                }
            }
        };
        let cut = documents.truncated.iter().filter(|cut| **cut).count();
        if cut > 0 {
            asked.console.note(&format!(
                "{}: {}: {cut} of {} texts are longer than the model reads",
                self.spec.name,
                task.subset.name,
                documents.len()
            ));
        }
        let queries: Vec<&str> = task.queries.iter().map(|(_, text)| *text).collect();
        let queries = encoder.encode(Side::Query, &queries)?;
        self.by_vectors(documents, &queries, starts.as_deref(), task, asked)
    }

    /// Exact search. With `starts`, the vectors of document `i` are `starts[i]..starts[i + 1]`, and its score is that of
    /// the best of them.
    fn by_vectors(
        &self,
        documents: Embeddings,
        asking: &Embeddings,
        starts: Option<&[usize]>,
        task: &Task<'_>,
        asked: Asked,
    ) -> anyhow::Result<Lists> {
        let invalid = |error: barecode_retrieval::VectorsError| {
            Failure::invalid(format!("{}: {error}", self.spec.name))
        };
        // Models cut their own vectors; those of a file are cut here.
        let cut = match (&self.how, self.spec.dimensions) {
            (How::Vectors(_), Some(dimensions)) => Some(dimensions as usize),
            _ => None,
        };
        let stored = |width: usize, values: Vec<f32>| -> Result<Vectors, Failure> {
            let vectors = Vectors::new(width, values).map_err(invalid)?;
            match cut {
                Some(dimensions) => vectors.cut(dimensions).map_err(invalid),
                None => Ok(vectors),
            }
        };
        let mut documents = stored(documents.dimensions, documents.values)?;
        documents = match self.spec.dtype {
            None | Some(Dtype::Float32) => documents,
            Some(Dtype::Float16) => documents.stored(Precision::F16).map_err(invalid)?,
            Some(Dtype::Int8) => documents.stored(Precision::Int8).map_err(invalid)?,
            Some(Dtype::Binary) => documents.stored(Precision::Binary).map_err(invalid)?,
        };
        let index = DenseIndex::new(&documents, self.spec.similarity);
        let most = starts.map_or(1, |starts| {
            let sizes = starts.windows(2).map(|pair| pair[1] - pair[0]);
            sizes.max().unwrap_or(1)
        });
        let owners: Vec<usize> = starts
            .map(|starts| {
                let pairs = starts.windows(2).enumerate();
                pairs
                    .flat_map(|(document, pair)| (pair[0]..pair[1]).map(move |_| document))
                    .collect()
            })
            .unwrap_or_default();
        drawn(task, asked.depth, |queries, depth| {
            let width = asking.dimensions;
            let values = &asking.values[queries.start * width..queries.end * width];
            let asking = stored(width, values.to_vec())?;
            // The best `depth` documents have all their best chunks among so many.
            let found = index
                .search_all(&asking, depth.saturating_mul(most))
                .map_err(invalid)?;
            if starts.is_none() {
                return Ok(found);
            }
            Ok(found
                .into_iter()
                .map(|list| best_of_each(&list, &owners, depth))
                .collect())
        })
    }
}

/// Each document once, at the place of its best chunk.
fn best_of_each(chunks: &[Scored], owners: &[usize], depth: usize) -> Vec<Scored> {
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for chunk in chunks {
        best.entry(owners[chunk.document]).or_insert(chunk.score);
    }
    let mut list: Vec<Scored> = best
        .into_iter()
        .map(|(document, score)| Scored { document, score })
        .collect();
    list.sort_by(|a, b| b.score.total_cmp(&a.score));
    if let Some(last) = list.get(depth - 1).map(|last| last.score) {
        list.retain(|scored| scored.score >= last);
    }
    list
}

fn by_words(lexical: &Lexical, task: &Task<'_>, asked: Asked) -> anyhow::Result<Lists> {
    let texts: Vec<&str> = task.documents.iter().map(String::as_str).collect();
    let queries: Vec<&str> = task.queries.iter().map(|(_, text)| *text).collect();
    let invalid = |error: barecode_retrieval::AnalyzerError| Failure::invalid(error.to_string());
    let analyzer = match &lexical.tokenizer {
        Some(path) => Analyzer::read(path).map_err(invalid)?,
        None => Analyzer::new(&lexical.options),
    };
    let counts = Counts::of(analyzer, &texts).map_err(invalid)?;
    let index = Bm25Index::new(&counts, &lexical.options);
    drawn(task, asked.depth, |block, depth| {
        Ok(index.search_all(&queries[block], depth).map_err(invalid)?)
    })
}

/// Lists of a file, or of the task's file in a folder as `eval` writes it.
fn by_run(path: &Path, task: &Task<'_>, asked: Asked) -> anyhow::Result<Lists> {
    let path = if path.is_dir() {
        path.join(format!("{}.trec", task.file))
    } else {
        path.to_owned()
    };
    let places = task.places();
    let read = open_run(&there(&path)?)?.for_each_query(|query| {
        let list = query.documents.iter().enumerate().map(|(at, scored)| {
            let document = places.get(scored.doc).copied();
            let document = document.ok_or_else(|| Fault {
                at,
                message: format!(
                    "document `{}` of query `{}` is not in subset `{}`",
                    scored.doc, query.query, task.subset.name
                ),
                hint: Some("was the run made from another corpus?".to_owned()),
            })?;
            Ok(Scored {
                document,
                score: scored.score,
            })
        });
        list.collect::<Result<Vec<Scored>, _>>()
    })?;
    let mut read: BTreeMap<String, Vec<Scored>> = read.into_iter().collect();
    let mut lists: Vec<Vec<Scored>> = Vec::new();
    for (query, _) in &task.queries {
        let mut list = read.remove(*query).unwrap_or_default();
        list.sort_by(|a, b| {
            b.score
                .total_cmp(&a.score)
                .then_with(|| a.document.cmp(&b.document))
        });
        lists.push(list);
    }
    drawn(task, asked.depth, |block, depth| {
        let mut lists = lists[block].to_vec();
        for list in &mut lists {
            if let Some(last) = list.get(depth - 1).map(|last| last.score) {
                list.retain(|scored| scored.score >= last);
            }
        }
        Ok(lists)
    })
}

/// Asks for the lists of blocks of queries and keeps the candidates of each draw. `search` gives the best documents of
/// some queries, so many of them and those that score the same as the last.
fn drawn(
    task: &Task<'_>,
    depth: usize,
    search: impl Fn(Range<usize>, usize) -> anyhow::Result<Vec<Vec<Scored>>>,
) -> anyhow::Result<Lists> {
    let plain = |list: Vec<Scored>| list.into_iter().map(|it| (it.document, it.score)).collect();
    let n_queries = task.queries.len();
    if let [Drawn::Everyone] = task.draws[..] {
        let lists = search(0..n_queries, depth.min(task.documents.len()))?;
        return Ok(vec![lists.into_iter().map(plain).collect()]);
    }
    let mut all: Lists = vec![Vec::new(); task.draws.len()];
    let block = (HELD_SCORES / task.documents.len()).max(1);
    for first in (0..n_queries).step_by(block) {
        let queries = first..n_queries.min(first + block);
        let lists = search(queries.clone(), task.documents.len())?;
        for (lists_of_draw, draw) in all.iter_mut().zip(&task.draws) {
            for (query, list) in queries.clone().zip(&lists) {
                let own = list.iter().filter(|it| draw.has(query, it.document));
                let mut own: List = own.map(|it| (it.document, it.score)).collect();
                if let Some(last) = own.get(depth - 1).map(|last| last.1) {
                    own.retain(|(_, score)| *score >= last);
                }
                lists_of_draw.push(own);
            }
        }
    }
    Ok(all)
}

/// The path, if something lies there.
fn there(path: &Path) -> anyhow::Result<PathBuf> {
    if path.exists() {
        Ok(path.to_owned())
    } else {
        Err(Failure::invalid(format!("`{}` is not there", path.display())).into())
    }
}

/// A file of vectors: the path itself, or in a folder `SUBSET.SPLIT/documents.parquet`, or `documents.parquet` for all
/// subsets.
fn file_of(path: &Path, task: &Task<'_>, side: &str) -> anyhow::Result<PathBuf> {
    if !path.is_dir() {
        return Ok(path.to_owned());
    }
    let endings = ["parquet", "npy", "jsonl"];
    let folders = [path.join(&task.file), path.to_owned()];
    let mut files = folders
        .iter()
        .flat_map(|folder| endings.map(|ending| folder.join(format!("{side}.{ending}"))));
    files.find(|file| file.exists()).ok_or_else(|| {
        let message = format!(
            "no vectors of {side} of subset `{}` in `{}`",
            task.subset.name,
            path.display()
        );
        let hint = format!(
            "write them to {}/{side}.parquet, .npy or .jsonl, or one folder up for all subsets",
            task.file
        );
        Failure::invalid(message).hint(hint).into()
    })
}

/// The vectors of some ids.
fn vectors_of<'a>(
    found: &barecode_models::Vectors,
    ids: impl Iterator<Item = &'a str>,
    path: &Path,
    what: &str,
) -> anyhow::Result<Embeddings> {
    let mut vectors = Embeddings {
        dimensions: found.dimensions,
        ..Embeddings::default()
    };
    for id in ids {
        let vector = found.get(id).ok_or_else(|| {
            Failure::invalid(format!(
                "`{}` has no vector of the {what} `{id}`",
                path.display()
            ))
        })?;
        vectors.values.extend_from_slice(vector);
        vectors.tokens.push(0);
        vectors.truncated.push(false);
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_stands_at_its_best_chunk_and_ties_are_not_cut() {
        let chunk = |document, score| Scored { document, score };
        let chunks = [
            chunk(3, 0.9),
            chunk(0, 0.8),
            chunk(4, 0.8),
            chunk(1, 0.8),
            chunk(2, 0.1),
        ];
        // Chunks 0 and 1 are of document 0, 2 of document 1, 3 and 4 of document 2.
        let list = best_of_each(&chunks, &[0, 0, 1, 2, 2], 2);
        assert_eq!(list, [chunk(2, 0.9), chunk(0, 0.8)]);
        let list = best_of_each(&chunks, &[0, 1, 1, 2, 3], 2);
        assert_eq!(
            list,
            [chunk(2, 0.9), chunk(0, 0.8), chunk(1, 0.8), chunk(3, 0.8)]
        );
    }
}
