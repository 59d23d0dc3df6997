//! The answers of a retriever.

use std::sync::Arc;

use arrow_array::builder::LargeStringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt32Type};
use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch, UInt32Array};
use arrow_schema::Schema;
use serde::{Deserialize, Serialize};

use crate::{Id, table};

/// One document in the ranked list of one query (`06-runs/<retriever>/<subset>.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    /// The query.
    pub query_id: Id,
    /// The document.
    pub doc_id: Id,
    /// One-based rank; among equal scores the order is by document id, and means nothing.
    pub rank: u32,
    /// The retriever's score; higher is better.
    pub score: f64,
}

/// One candidate of one query, where a pool was drawn (`06-runs/candidates/<subset>.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// The draw, from 1.
    pub pool_draw: u32,
    /// The query.
    pub query_id: Id,
    /// The document.
    pub doc_id: Id,
}

/// [`Hit`]s as columns: long lists are written and read without an object for each row.
#[derive(Debug, Default)]
pub struct HitColumns {
    query_id: LargeStringBuilder,
    doc_id: LargeStringBuilder,
    rank: Vec<u32>,
    score: Vec<f64>,
}

impl HitColumns {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rank.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.rank.is_empty()
    }

    /// Adds a row.
    pub fn push(&mut self, query_id: &str, doc_id: &str, rank: u32, score: f64) {
        self.query_id.append_value(query_id);
        self.doc_id.append_value(doc_id);
        self.rank.push(rank);
        self.score.push(score);
    }

    /// The rows.
    pub fn into_batch(mut self) -> RecordBatch {
        let columns: Vec<ArrayRef> = vec![
            Arc::new(self.query_id.finish()),
            Arc::new(self.doc_id.finish()),
            Arc::new(UInt32Array::from(self.rank)),
            Arc::new(Float64Array::from(self.score)),
        ];
        let schema = Schema::new(table::schema::<Hit>());
        RecordBatch::try_new(Arc::new(schema), columns).expect("the columns are those of hits")
    }

    /// Query, document, rank and score of each row; `Err` names the column that does not fit.
    pub fn rows(
        batch: &RecordBatch,
    ) -> Result<impl Iterator<Item = (&str, &str, u32, f64)> + Clone, String> {
        fn column<'a, T>(
            batch: &'a RecordBatch,
            name: &str,
            cast: impl Fn(&'a ArrayRef) -> Option<T>,
        ) -> Result<T, String> {
            let column = batch.column_by_name(name);
            let column = column.filter(|column| column.null_count() == 0);
            let column = column.and_then(cast);
            column.ok_or_else(|| format!("column `{name}` is missing or has another type"))
        }
        let query_id = column(batch, "query_id", |it| it.as_string_opt::<i64>())?;
        let doc_id = column(batch, "doc_id", |it| it.as_string_opt::<i64>())?;
        let rank = column(batch, "rank", |it| it.as_primitive_opt::<UInt32Type>())?;
        let score = column(batch, "score", |it| it.as_primitive_opt::<Float64Type>())?;
        let rows = 0..batch.num_rows();
        Ok(rows.map(move |at| {
            let (query, document) = (query_id.value(at), doc_id.value(at));
            (query, document, rank.value(at), score.value(at))
        }))
    }
}
