//! `CoSQA`'s JSON: web queries (`doc`), Python functions (`code`) and labels of matches (`label`).
//!
//! The file for matching has both labels. In the one for retrieval each row has a `retrieval_idx`, the index of
//! its answer in a separate code base, `code_idx_map.txt` beside it: a JSON object from code to index. The code
//! base is the corpus then; without it the codes of the rows are. Ids of documents are `c` and that index, or
//! the row's `idx` and `-code`, because evaluators drop a document with the id of its query.

use std::path::Path;

use serde_json::Value;

use crate::gather::{Gather, Read};
use crate::{Document, FormatError, Judgment, Place, Query, row, source};

const CODE_BASE: &str = "code_idx_map.txt";

/// Reads a file, and the code base beside it if its rows point to it.
pub(crate) fn read(path: &Path, read: &mut Read) -> Result<(), FormatError> {
    let name = source::stem(path);
    let mut gather = read.gather(&name, "test");
    let mut labels = [false; 2];
    let mut points = false;
    let mut own = Vec::new();
    row::json_array(path, |mut row| {
        let query = Query::new(row.id(&["idx"])?, row.text(&["doc"])?);
        let code = row.text(&["code"])?;
        let grade = row.label("label", &mut labels)?;
        let document = match row.take(&["retrieval_idx"]) {
            Some(place) => {
                points = true;
                format!("c{}", plain(&place))
            }
            None => format!("{}-code", query.id),
        };
        let judgment = Judgment::new(query.id.clone(), document.clone(), grade);
        let place = row.place.clone();
        gather.query(&place, query)?;
        gather.judgment(place.clone(), judgment)?;
        let document = Document {
            extra: row.rest(),
            ..Document::new(document, code)
        };
        own.push((place, document));
        Ok(())
    })?;
    let base = path.with_file_name(CODE_BASE);
    if points && base.is_file() {
        code_base(&base, &mut gather)?;
    } else {
        for (place, mut document) in own {
            if points {
                // Several queries may have the same answer in the code base, and their rows differ in other columns.
                document.extra.clear();
            }
            gather.document(&place, document)?;
        }
    }
    gather.ask_for_matching(labels);
    gather.finish(read)?;
    if points && !base.is_file() {
        read.notes.push(format!(
            "{name}: `{CODE_BASE}` not found beside the file, so only the answers are candidates"
        ));
    }
    Ok(())
}

fn code_base(path: &Path, gather: &mut Gather) -> Result<(), FormatError> {
    let mut json = serde_json::Deserializer::from_reader(source::open(path)?);
    let map: std::collections::BTreeMap<String, u64> =
        serde::Deserialize::deserialize(&mut json)
            .map_err(|error| row::invalid_json(path, &error))?;
    let mut documents: Vec<(u64, String)> =
        map.into_iter().map(|(code, place)| (place, code)).collect();
    documents.sort();
    let place = Place::file(path);
    for (number, text) in documents {
        let document = Document::new(format!("c{number}"), text);
        gather.document(&place, document)?;
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
