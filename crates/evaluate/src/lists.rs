//! The lists of a system for the queries of a task: by a retriever, by vectors, from a file, or from the lists of
//! others.
//!
//! In come the source of the lists and the [request](Asked); out comes a list for each draw and query, best first,
//! equal scores kept together. Each way has a function that accepts only the values that it needs. The hard thing is
//! memory: where candidates are few, every document is scored for a block of queries at a time, and only candidates
//! are kept.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

use barecode_formats::run::open_run;
use barecode_formats::trec::Fault;
use barecode_models::{
    Dtype, Embeddings, Encoder, Side, encode_averaged, encode_chunked, read_vectors,
};
use barecode_retrieval::{
    DenseIndex, Documents, Precision, Query, Retriever, Scored, Vectors, VectorsError, fuse,
};
use rayon::prelude::*;

use crate::asked::{Asked, List, Lists};
use crate::drawn::Drawn;
use crate::error::EvaluateError;
use crate::files::{run_file, there, vector_file};
use crate::reading::{Reading, languages, unknown};
use crate::system::{Dense, FusionConfig, VectorOptions};

/// Scores that are held at a time where only candidates are kept.
const HELD_SCORES: usize = 1 << 24;

/// The lists of a retriever that needs no model.
///
/// # Errors
/// As [`Retriever::prepare`] and [`Scorer::search`](barecode_retrieval::Scorer::search).
pub fn retrieved(retriever: &dyn Retriever, asked: &Asked<'_>) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    tell_unknown(retriever, asked);
    let documents = asked.task.documents.iter();
    let ids: Vec<&str> = documents.map(|document| document.id.as_str()).collect();
    let corpus = Documents {
        name: asked.system,
        seed: asked.seed,
        base: asked.base,
        ids: &ids,
        texts: &asked.documents(),
        languages: &languages(asked.task),
    };
    let scorer = retriever.prepare(&corpus)?;
    let queries = asked.task.queries.iter().map(|query| Query {
        id: &query.id,
        text: &query.text,
    });
    let queries: Vec<Query<'_>> = queries.collect();
    drawn(asked, |block, depth| {
        Ok(pairs(scorer.search(&queries[block], depth)?))
    })
}

/// Reports the number of documents that a retriever that reads languages does not know.
pub(crate) fn tell_unknown(retriever: &dyn Retriever, asked: &Asked<'_>) {
    if let Some(knows) = retriever.knows() {
        (asked.cut)(Side::Document, 0, asked.task.documents.len());
        (asked.unknown)(unknown(asked.task, knows));
    }
}

/// The lists of a model that embeds.
///
/// # Errors
/// If the model does not answer, or its vectors cannot be compared.
pub fn embedded(
    dense: &Dense,
    encoder: &dyn Encoder,
    asked: &Asked<'_>,
) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    let whole = asked.documents();
    let mut starts = None;
    let documents = match dense.reading {
        Reading::Whole => encoder.encode(Side::Document, &whole)?,
        Reading::Chunks(chunking) => {
            let chunked = encode_chunked(encoder, Side::Document, &whole, chunking)?;
            starts = Some(chunked.starts);
            chunked.embeddings
        }
        Reading::Canonical | Reading::Averaged(_) | Reading::Described => {
            let (texts, unknown) = dense.reading.texts(asked.task, asked.seed);
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
    let queries = encoder.encode(Side::Query, &asked.queries())?;
    for (side, read) in [(Side::Document, &documents), (Side::Query, &queries)] {
        let cut = read.truncated.iter().filter(|cut| **cut).count();
        (asked.cut)(side, cut, read.truncated.len());
    }
    by_vectors(
        &dense.vectors,
        (documents, &queries),
        starts.as_deref(),
        asked,
    )
}

/// The lists of vectors that exist already, in a file or a folder.
///
/// # Errors
/// If files are missing, lack a text, or cannot be compared.
pub fn of_vectors(
    path: &Path,
    vectors: &VectorOptions,
    asked: &Asked<'_>,
) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    let (path, task) = (&asked.base.join(path), asked.task);
    let found = read_vectors(&vector_file(path, &task.file, "documents")?)?;
    let ids = task.documents.iter().map(|document| document.id.as_str());
    let documents = vectors_of(&found, ids, path, "document")?;
    let found = match vector_file(path, &task.file, "queries")? {
        file if file == *path => found,
        file => read_vectors(&file)?,
    };
    let ids = task.queries.iter().map(|query| query.id.as_str());
    let queries = vectors_of(&found, ids, path, "query")?;
    by_vectors(vectors, (documents, &queries), None, asked)
}

/// Lists that exist already: of a run, or of the task's run in a folder as `eval` writes it.
///
/// # Errors
/// If the file is missing, is not a run, or has other documents.
pub fn of_run(path: &Path, asked: &Asked<'_>) -> Result<Lists, EvaluateError> {
    if let Some(nothing) = asked.nothing() {
        return Ok(nothing);
    }
    let (path, task) = (asked.base.join(path), asked.task);
    let indexes = task.indexes();
    let read = open_run(&there(&run_file(&path, &task.file))?)?.for_each_query(|query| {
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
    drawn(asked, |block, depth| {
        let mut lists = lists[block].to_vec();
        for list in &mut lists {
            cut(list, depth);
        }
        Ok(lists)
    })
}

/// One list of several, for each draw and query.
pub fn fused(how: &FusionConfig, parts: &[Lists], depth: usize) -> Lists {
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

/// Puts the best first; equal scores by the index of the document.
pub(crate) fn sort(list: &mut [(usize, f64)]) {
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
}

/// The results of a search, as pairs.
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

/// Searches vectors, exactly. With `starts`, the vectors of document `i` are `starts[i]..starts[i + 1]`, and its score is
/// that of the best of them.
fn by_vectors(
    options: &VectorOptions,
    (documents, asking): (Embeddings, &Embeddings),
    starts: Option<&[usize]>,
    asked: &Asked<'_>,
) -> Result<Lists, EvaluateError> {
    let invalid = |error: VectorsError| {
        EvaluateError::invalid(format!("{}: {error}", asked.system)).hinted(error.hint())
    };
    let stored = |width: usize, values: Vec<f32>| -> Result<Vectors, EvaluateError> {
        let vectors = Vectors::new(width, values).map_err(invalid)?;
        // A model with a requested number of dimensions returns that number; another one, and a file, returns all
        // that it has.
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
    drawn(asked, |queries, depth| {
        let width = asking.dimensions;
        let values = &asking.values[queries.start * width..queries.end * width];
        let asking = stored(width, values.to_vec())?;
        // The best `depth` documents have all their best chunks among this many.
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

/// Requests the lists of blocks of queries and keeps the candidates of each draw. `search` returns the best documents
/// of some queries: the requested number, and those with the same score as the last.
fn drawn(
    asked: &Asked<'_>,
    search: impl Fn(Range<usize>, usize) -> Result<Vec<List>, EvaluateError>,
) -> Result<Lists, EvaluateError> {
    let (task, depth) = (asked.task, asked.depth);
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
