//! Tables whose rows are a comment and its code: `[CODESPLIT]`, `StatCodeSearch`, `CodeSearchNet`.
//!
//! Such rows have no ids, so a row's query is `q7` and its document `c7` for the seventh row: the same in both
//! directions as long as a benchmark has one document for each query. Equal texts in two rows stay two documents, so
//! duplicates can be counted.

use crate::gather::Gather;
use crate::{Document, Extra, FormatError, Judgment, Place, Query, Subset};

/// Adds the query and the document of a row.
pub(crate) fn add(
    gather: &mut Gather,
    place: Place,
    number: u64,
    (comment, code): (String, String),
    grade: i32,
    extra: Extra,
) -> Result<(), FormatError> {
    let (query, document) = (format!("q{number}"), format!("c{number}"));
    let judgment = Judgment::new(query.clone(), document.clone(), grade);
    let query = Query::new(query, comment);
    let document = Document {
        extra,
        ..Document::new(document, code)
    };
    gather.query(&place, query)?;
    gather.document(&place, document)?;
    gather.judgment(place, judgment)
}

/// Returns `true` if rows have exactly these ids: the n-th judgment is of `q{n}` and `c{n}`, without any others.
pub(crate) fn has_row_ids(subset: &Subset) -> bool {
    let n = subset.judgments.len();
    subset.queries.len() == n
        && subset.documents.len() == n
        && (1..)
            .zip(subset.judgments.iter())
            .zip(subset.queries.iter().zip(&subset.documents))
            .all(|((number, judgment), (query, document))| {
                let (q, c) = (format!("q{number}"), format!("c{number}"));
                judgment.query == q && judgment.document == c && query.id == q && document.id == c
            })
}
