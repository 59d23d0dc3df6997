//! What a system lists for the queries of a task.
//!
//! In come a system with what it needs ([`Means`]) and a task with its draws of candidates; out comes for each draw and
//! query a list, best first, equal scores kept together. The hard thing is memory: where candidates are few, every
//! document is scored for a block of queries at a time, and only candidates are kept.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use barecode_formats::run::open_run;
use barecode_formats::trec::Fault;
use barecode_models::{
    Dtype, Embeddings, Encoder, Lexical, Reranker, Side, Structural, Writer, encode_averaged,
    encode_chunked, read_vectors,
};
use barecode_retrieval::{
    Analyzer, AnalyzerError, Bm25Index, Counts, DenseIndex, Precision, Scored, TokenBags, Vectors,
    VectorsError, best, fuse, random_order,
};
use barecode_structural::{Options, StructuralIndex};
use rayon::prelude::*;

use crate::asked::{Asked, List, Lists};
use crate::drawn::Drawn;
use crate::error::EvaluateError;
use crate::files::{run_file, there, vector_file};
use crate::matching;
use crate::reading::{Reading, unknown_to_structural};
use crate::rerank;
use crate::system::{
    Dense, FusionConfig, RerankedBy, System, SystemKind, VectorOptions, random_seed,
};
use crate::task::Task;

/// Scores that are held at a time where only candidates are kept.
const HELD_SCORES: usize = 1 << 24;

/// What a system needs besides the task.
pub enum Means<'a> {
    /// Nothing: words, files and random order.
    Nothing,
    /// The model of a dense system.
    Encoder(&'a dyn Encoder),
    /// The lists of the systems that a fused one is made of, in their order; those that the structural retriever reranks.
    Parts(Vec<Lists>),
    /// The lists and the model of a reranked system; so many queries are asked at a time, or one after another.
    Reranker(Lists, &'a dyn Reranker, Option<usize>),
    /// The chat model of a system that is asked about pairs.
    Writer(&'a dyn Writer),
}

/// The lists of a system on a task.
///
/// # Errors
/// A model that does not answer, files that do not fit the task, and [`EvaluateError::Without`] if `means` is not what
/// the system needs.
pub fn lists(
    system: &System,
    means: Means<'_>,
    task: &Task,
    asked: &Asked<'_>,
) -> Result<Lists, EvaluateError> {
    if task.documents.is_empty() || task.queries.is_empty() {
        return Ok(vec![vec![Vec::new(); task.queries.len()]; task.draws.len()]);
    }
    let depth = system.depth();
    match (system.kind(), means) {
        (SystemKind::Bm25(lexical), _) => by_words(lexical, task, asked, depth),
        (SystemKind::Jaccard, _) => by_tokens(task, depth),
        (&SystemKind::Structural(structural), _) => by_structure(structural, task, asked, depth),
        (SystemKind::Random, _) => by_chance(system.name(), task, asked, depth),
        (SystemKind::Dense(dense), Means::Encoder(encoder)) => {
            by_encoder(system.name(), dense, encoder, task, asked, depth)
        }
        (SystemKind::Vectors { path, vectors }, _) => {
            let path = &asked.base.join(path);
            let found = read_vectors(&vector_file(path, &task.file, "documents")?)?;
            let ids = task.documents.iter().map(|document| document.id.as_str());
            let documents = vectors_of(&found, ids, path, "document")?;
            let found = match vector_file(path, &task.file, "queries")? {
                file if file == *path => found,
                file => read_vectors(&file)?,
            };
            let ids = task.queries.iter().map(|query| query.id.as_str());
            let queries = vectors_of(&found, ids, path, "query")?;
            let sides = (documents, &queries);
            by_vectors(system.name(), vectors, sides, None, task, depth)
        }
        (SystemKind::Run(path), _) => by_run(&asked.base.join(path), task, depth),
        (SystemKind::Fused { how, .. }, Means::Parts(parts)) => Ok(fused(how, &parts, depth)),
        (
            &SystemKind::Reranked {
                by: RerankedBy::Structural(structural),
                ..
            },
            Means::Parts(parts),
        ) => {
            let first = parts.into_iter().next().unwrap_or_default();
            Ok(rerank::by_structure(structural, task, &first, asked, depth))
        }
        (SystemKind::Reranked { .. }, Means::Reranker(first, reranker, parallel)) => {
            rerank::reranked(
                system.name(),
                reranker,
                parallel,
                task,
                &first,
                depth,
                asked,
            )
        }
        (SystemKind::Chat { .. }, Means::Writer(writer)) => {
            matching::by_chat(system.name(), writer, task, asked)
        }
        (SystemKind::Labels(path), _) => {
            let lists = by_run(&asked.base.join(path), task, depth)?;
            matching::complete(system.name(), task, lists)
        }
        (
            SystemKind::Dense(_)
            | SystemKind::Fused { .. }
            | SystemKind::Reranked { .. }
            | SystemKind::Chat { .. },
            _,
        ) => Err(EvaluateError::Without(system.name().to_owned())),
    }
}

/// Puts the best first; equal scores by the index of the document.
pub(crate) fn sort(list: &mut [(usize, f64)]) {
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// What a search found.
fn pairs(lists: Vec<Vec<Scored>>) -> Vec<List> {
    let pairs = |list: Vec<Scored>| list.into_iter().map(|it| (it.document, it.score)).collect();
    lists.into_iter().map(pairs).collect()
}

/// Cuts a list, but not between equal scores.
fn cut(list: &mut List, depth: usize) {
    if let Some(last) = list.get(depth - 1).map(|last| last.1) {
        list.retain(|(_, score)| *score >= last);
    }
}

fn by_words(
    lexical: &Lexical,
    task: &Task,
    asked: &Asked<'_>,
    depth: usize,
) -> Result<Lists, EvaluateError> {
    let texts: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
    let queries: Vec<&str> = task.queries.iter().map(|it| it.text.as_str()).collect();
    let invalid =
        |error: AnalyzerError| EvaluateError::invalid(error.to_string()).hinted(error.hint());
    let analyzer = match &lexical.tokenizer {
        Some(path) => Analyzer::read(&asked.base.join(path)).map_err(invalid)?,
        None => Analyzer::new(&lexical.options),
    };
    let counts = Counts::of(analyzer, &texts).map_err(invalid)?;
    let index = Bm25Index::new(&counts, &lexical.options);
    drawn(task, depth, |block, depth| {
        let found = index.search_all(&queries[block], depth);
        Ok(pairs(found.map_err(invalid)?))
    })
}

fn by_tokens(task: &Task, depth: usize) -> Result<Lists, EvaluateError> {
    let texts: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
    let queries: Vec<&str> = task.queries.iter().map(|it| it.text.as_str()).collect();
    let bags = TokenBags::of(&texts);
    drawn(task, depth, |block, depth| {
        Ok(pairs(bags.search_all(&queries[block], depth)))
    })
}

/// The corpus of the structural retriever, with its options.
pub fn structural_index(structural: Structural, texts: &[&str]) -> StructuralIndex {
    let options = Options {
        names: structural.names,
        learned: structural.learned,
    };
    StructuralIndex::of(texts, options)
}

/// The task's documents as such a corpus; those that the retriever does not know are counted.
pub(crate) fn indexed(structural: Structural, task: &Task, asked: &Asked<'_>) -> StructuralIndex {
    (asked.cut)(Side::Document, 0, task.documents.len());
    (asked.unknown)(unknown_to_structural(task));
    let texts: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
    structural_index(structural, &texts)
}

fn by_structure(
    structural: Structural,
    task: &Task,
    asked: &Asked<'_>,
    depth: usize,
) -> Result<Lists, EvaluateError> {
    let index = indexed(structural, task, asked);
    drawn(task, depth, |block, depth| {
        let queries = task.queries[block].par_iter();
        let lists = queries.map(|query| best(&index.scores(&query.text), depth));
        Ok(pairs(lists.collect()))
    })
}

fn by_chance(
    name: &str,
    task: &Task,
    asked: &Asked<'_>,
    depth: usize,
) -> Result<Lists, EvaluateError> {
    let ids: Vec<&str> = task.documents.iter().map(|it| it.id.as_str()).collect();
    let seed = random_seed(asked.seed);
    drawn(task, depth, |block, depth| {
        let queries = task.queries[block].par_iter();
        let lists = queries.map(|query| {
            let mut list = random_order(&ids, &query.id, name, seed);
            list.truncate(depth);
            list
        });
        Ok(pairs(lists.collect()))
    })
}

fn by_encoder(
    name: &str,
    dense: &Dense,
    encoder: &dyn Encoder,
    task: &Task,
    asked: &Asked<'_>,
    depth: usize,
) -> Result<Lists, EvaluateError> {
    let whole: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
    let mut starts = None;
    let documents = match dense.reading {
        Reading::Whole => encoder.encode(Side::Document, &whole)?,
        Reading::Chunks(chunking) => {
            let chunked = encode_chunked(encoder, Side::Document, &whole, chunking)?;
            starts = Some(chunked.starts);
            chunked.embeddings
        }
        Reading::Canonical | Reading::Averaged(_) | Reading::Described => {
            let (texts, unknown) = dense.reading.texts(task, asked.seed);
            (asked.unknown)(unknown);
            let groups: Vec<Vec<&str>> = texts
                .iter()
                .map(|group| group.iter().map(AsRef::as_ref).collect())
                .collect();
            let groups: Vec<&[&str]> = groups.iter().map(Vec::as_slice).collect();
            match dense.reading {
                Reading::Averaged(_) => encode_averaged(encoder, Side::Document, &groups)?,
                _ => encoder.encode(Side::Document, &groups.concat())?,
            }
        }
    };
    let queries: Vec<&str> = task.queries.iter().map(|it| it.text.as_str()).collect();
    let queries = encoder.encode(Side::Query, &queries)?;
    for (side, read) in [(Side::Document, &documents), (Side::Query, &queries)] {
        let cut = read.truncated.iter().filter(|cut| **cut).count();
        (asked.cut)(side, cut, read.truncated.len());
    }
    let sides = (documents, &queries);
    by_vectors(name, &dense.vectors, sides, starts.as_deref(), task, depth)
}

/// Searches vectors, exactly. With `starts`, the vectors of document `i` are `starts[i]..starts[i + 1]`, and its score is
/// that of the best of them.
fn by_vectors(
    name: &str,
    options: &VectorOptions,
    (documents, asking): (Embeddings, &Embeddings),
    starts: Option<&[usize]>,
    task: &Task,
    depth: usize,
) -> Result<Lists, EvaluateError> {
    let invalid = |error: VectorsError| {
        EvaluateError::invalid(format!("{name}: {error}")).hinted(error.hint())
    };
    let stored = |width: usize, values: Vec<f32>| -> Result<Vectors, EvaluateError> {
        let vectors = Vectors::new(width, values).map_err(invalid)?;
        // A model that was asked for fewer numbers gives as many; another, and a file, has what it has.
        match options.dimensions.map(|dimensions| dimensions as usize) {
            Some(dimensions) if dimensions < width => vectors.cut(dimensions).map_err(invalid),
            _ => Ok(vectors),
        }
    };
    let mut documents = stored(documents.dimensions, documents.values)?;
    let precision = match options.dtype {
        None | Some(Dtype::Float32) => None,
        Some(Dtype::Float16) => Some(Precision::F16),
        Some(Dtype::Int8) => Some(Precision::Int8),
        Some(Dtype::Binary) => Some(Precision::Binary),
    };
    if let Some(precision) = precision {
        documents = documents.stored(precision).map_err(invalid)?;
    }
    let index = DenseIndex::new(&documents, options.similarity);
    let chunks = |pair: &[usize]| pair[1] - pair[0];
    let sizes = starts.unwrap_or_default().windows(2);
    let most = sizes.clone().map(chunks).max().unwrap_or(1);
    let owners = sizes.enumerate();
    let owners: Vec<usize> = owners
        .flat_map(|(document, pair)| std::iter::repeat_n(document, chunks(pair)))
        .collect();
    drawn(task, depth, |queries, depth| {
        let width = asking.dimensions;
        let values = &asking.values[queries.start * width..queries.end * width];
        let asking = stored(width, values.to_vec())?;
        // The best `depth` documents have all their best chunks among so many.
        let found = index.search_all(&asking, depth.saturating_mul(most));
        let lists = pairs(found.map_err(invalid)?).into_iter();
        Ok(match starts {
            None => lists.collect(),
            Some(_) => lists
                .map(|list| best_of_each(&list, &owners, depth))
                .collect(),
        })
    })
}

/// Each document once, with the score of its best chunk.
fn best_of_each(chunks: &[(usize, f64)], owners: &[usize], depth: usize) -> List {
    let mut best: BTreeMap<usize, f64> = BTreeMap::new();
    for &(chunk, score) in chunks {
        best.entry(owners[chunk]).or_insert(score);
    }
    let mut list: List = best.into_iter().collect();
    sort(&mut list);
    cut(&mut list, depth);
    list
}

/// Lists of a file, or of the task's file in a folder as `eval` writes it.
fn by_run(path: &Path, task: &Task, depth: usize) -> Result<Lists, EvaluateError> {
    let indexes = task.indexes();
    let read = open_run(&there(&run_file(path, &task.file))?)?.for_each_query(|query| {
        let list = query.documents.iter().enumerate().map(|(at, scored)| {
            let document = indexes.get(scored.doc).copied();
            let document = document.ok_or_else(|| Fault {
                at,
                message: format!(
                    "document `{}` of query `{}` is not in subset `{}`",
                    scored.doc, query.query, task.subset.name
                ),
                hint: Some("was the run made from another corpus?".to_owned()),
            })?;
            Ok((document, scored.score))
        });
        list.collect::<Result<List, _>>()
    })?;
    let mut read: BTreeMap<String, List> = read.into_iter().collect();
    let mut lists: Vec<List> = Vec::new();
    for query in &task.queries {
        let mut list = read.remove(&query.id).unwrap_or_default();
        sort(&mut list);
        lists.push(list);
    }
    drawn(task, depth, |block, depth| {
        let mut lists = lists[block].to_vec();
        for list in &mut lists {
            cut(list, depth);
        }
        Ok(lists)
    })
}

/// One list of several, for each draw and query.
fn fused(how: &FusionConfig, parts: &[Lists], depth: usize) -> Lists {
    let weight = |part: usize| match how.weights().get(part) {
        Some(&weight) => weight,
        None => 1.0 / parts.len() as f64,
    };
    let of_query = |draw: usize, query: usize| {
        let lists = parts.iter().enumerate();
        let lists: Vec<(&[(usize, f64)], f64)> = lists
            .map(|(part, lists)| (lists[draw][query].as_slice(), weight(part)))
            .collect();
        let mut list = fuse(how.method(), &lists);
        cut(&mut list, depth);
        list
    };
    let Some(first) = parts.first() else {
        return Lists::new();
    };
    let draws = first.iter().enumerate();
    draws
        .map(|(draw, queries)| {
            let queries = (0..queries.len()).into_par_iter();
            queries.map(|query| of_query(draw, query)).collect()
        })
        .collect()
}

/// Asks for the lists of blocks of queries and keeps the candidates of each draw. `search` returns the best documents of
/// some queries, so many of them and those that score the same as the last.
fn drawn(
    task: &Task,
    depth: usize,
    search: impl Fn(Range<usize>, usize) -> Result<Vec<List>, EvaluateError>,
) -> Result<Lists, EvaluateError> {
    let n_queries = task.queries.len();
    if let [Drawn::Everyone] = task.draws[..] {
        let lists = search(0..n_queries, depth.min(task.documents.len()))?;
        return Ok(vec![lists]);
    }
    let mut all: Lists = vec![Vec::new(); task.draws.len()];
    let block = (HELD_SCORES / task.documents.len()).max(1);
    for first in (0..n_queries).step_by(block) {
        let queries = first..n_queries.min(first + block);
        let lists = search(queries.clone(), task.documents.len())?;
        for (lists_of_draw, draw) in all.iter_mut().zip(&task.draws) {
            for (query, list) in queries.clone().zip(&lists) {
                let own = list.iter().copied();
                let mut own: List = own.filter(|it| draw.has(query, it.0)).collect();
                cut(&mut own, depth);
                lists_of_draw.push(own);
            }
        }
    }
    Ok(all)
}

/// The vectors of some ids.
fn vectors_of<'a>(
    found: &barecode_models::Vectors,
    ids: impl Iterator<Item = &'a str>,
    path: &Path,
    what: &str,
) -> Result<Embeddings, EvaluateError> {
    let mut vectors = Embeddings {
        dimensions: found.dimensions,
        ..Embeddings::default()
    };
    for id in ids {
        let vector = found.get(id).ok_or_else(|| {
            EvaluateError::invalid(format!(
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
        let chunks = vec![(3, 0.9), (0, 0.8), (4, 0.8), (1, 0.8), (2, 0.1)];
        // Chunks 0 and 1 are of document 0, 2 of document 1, 3 and 4 of document 2.
        let list = best_of_each(&chunks, &[0, 0, 1, 2, 2], 2);
        assert_eq!(list, [(2, 0.9), (0, 0.8)]);
        let list = best_of_each(&chunks, &[0, 1, 1, 2, 3], 2);
        assert_eq!(list, [(2, 0.9), (0, 0.8), (1, 0.8), (3, 0.8)]);
    }
}
