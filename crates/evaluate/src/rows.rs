//! Lists as rows of a table, and back.
//!
//! Lists number documents by their index in the task, and equal scores are in that order. Files name documents, and
//! equal scores are in the order of ids, so that files do not depend on the order of a corpus. There may be millions
//! of rows, so they pass as columns, and no row is an object.

use arrow_array::{LargeStringArray, RecordBatch};
use barecode_records::HitColumns;
use barecode_scores::Ranked;
use foldhash::{HashMap, HashMapExt};

use crate::asked::List;
use crate::lists::sort;
use crate::task::Task;

/// Rows of a batch; a list is not split.
const HELD: usize = 1 << 13;

/// A list with equal scores in the order of ids.
pub(crate) fn by_id(task: &Task, list: &[(usize, f64)]) -> List {
    let id = |document: usize| &task.documents[document].id;
    let mut list = list.to_vec();
    list.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| id(a.0).cmp(id(b.0))));
    list
}

/// The ids and scores of a list, in its order.
pub(crate) fn ranked<'a>(task: &'a Task, list: &[(usize, f64)]) -> Vec<Ranked<'a>> {
    let ranked = list.iter().map(|&(document, score)| Ranked {
        doc: &task.documents[document].id,
        score,
    });
    ranked.collect()
}

/// The rows of one draw's lists, query by query.
pub fn rows(task: &Task, lists: &[List]) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    let mut columns = HitColumns::default();
    // Side by side the ids are in reach of the processor's cache; between the texts they are not.
    let ids: LargeStringArray = task
        .documents
        .iter()
        .map(|it| Some(it.id.as_str()))
        .collect();
    for (query, list) in task.queries.iter().zip(lists) {
        for (rank, (document, score)) in (1..).zip(by_id(task, list)) {
            columns.push(&query.id, ids.value(document), rank, score);
        }
        if columns.len() >= HELD {
            batches.push(std::mem::take(&mut columns).into_batch());
        }
    }
    if !columns.is_empty() {
        batches.push(columns.into_batch());
    }
    batches
}

/// Reads a table of one draw's lists.
#[derive(Debug)]
pub struct ListReader<'a> {
    queries: HashMap<&'a str, usize>,
    documents: HashMap<&'a str, usize>,
    lists: Vec<List>,
}

impl<'a> ListReader<'a> {
    /// Reads lists of this task.
    pub fn new(task: &'a Task) -> Self {
        let mut reader = ListReader {
            queries: HashMap::with_capacity(task.queries.len()),
            documents: HashMap::with_capacity(task.documents.len()),
            lists: vec![List::new(); task.queries.len()],
        };
        let queries = task.queries.iter().map(|query| query.id.as_str());
        reader.queries.extend(queries.zip(0..));
        let documents = task.documents.iter().map(|document| document.id.as_str());
        reader.documents.extend(documents.zip(0..));
        reader
    }

    /// Adds some rows; `Err` names those that are not of the task.
    pub fn add(&mut self, rows: &RecordBatch) -> Result<(), String> {
        let mut of = ("", None);
        for (query, document, _, score) in HitColumns::rows(rows)? {
            if of.0 != query || of.1.is_none() {
                of = (query, self.queries.get(query).copied());
            }
            let found = of.1.zip(self.documents.get(document));
            let (query, &document) =
                found.ok_or_else(|| format!("`{query}` or `{document}` is not in the subset"))?;
            self.lists[query].push((document, score));
        }
        Ok(())
    }

    /// The lists, as systems make them: equal scores by the index of the document.
    pub fn lists(mut self) -> Vec<List> {
        for list in &mut self.lists {
            sort(list);
        }
        self.lists
    }
}
