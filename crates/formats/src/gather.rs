//! Rows to a [`Subset`] whose ids are unique and whose judgments have texts.
//!
//! Every reader ends here, so that duplicates and absent ids mean the same in all formats. Duplicates with the
//! same content are read once, with a note; duplicates with different content are an error, because it is an accident
//! which of the two a loader keeps. The texts that a judgment names must exist, unless the caller requests the
//! behavior of the format's own loader ([`Strictness::AsLoader`]).

use std::collections::HashMap;

use crate::roles::{Columns, Taken};
use crate::row::Row;
use crate::{Document, Extra, Facts, FormatError, Judgment, Kind, Place, Query, Subset};

/// The handling of judgments that name absent texts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is an error.
    #[default]
    Strict,
    /// It is a note, and the data are those of the format's own loader: a judgment of an absent query is dropped, one
    /// of an absent document stays and can never be found. A pair that is judged again with another grade keeps both
    /// judgments, of which the last counts.
    AsLoader,
}

/// The spelling of a text that is read if a row has the text and its tokens, as in `CodeSearchNet`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rendering {
    /// The text.
    #[default]
    Text,
    /// The tokens, joined by blanks: the texts of `GenCodeSearchNet`'s positive pairs. `AdvTest`'s code has its
    /// docstring in the text, and not in the tokens.
    Tokens,
}

/// The content that readers fill.
pub(crate) struct Read {
    pub(crate) strictness: Strictness,
    pub(crate) subsets: Vec<Subset>,
    pub(crate) facts: Facts,
    pub(crate) notes: Vec<String>,
    /// The roles of columns in common tables, if the caller sets them.
    pub(crate) columns: Option<Columns>,
    /// Which of two spellings of a text is read.
    pub(crate) rendering: Rendering,
    /// The columns that were read from common tables.
    pub(crate) taken: Vec<Taken>,
}

impl Read {
    /// Begins a subset; [`Gather::finish`] adds it.
    pub(crate) fn gather(&self, name: impl Into<String>, split: impl Into<String>) -> Gather {
        Gather {
            subset: Subset::new(name, split),
            strictness: self.strictness,
            documents: HashMap::new(),
            queries: HashMap::new(),
            judged: HashMap::new(),
            places: Vec::new(),
            repeated: [0; 3],
            contradicted: 0,
            notes: Vec::new(),
        }
    }
}

/// Collects the parts of one subset.
pub(crate) struct Gather {
    subset: Subset,
    strictness: Strictness,
    documents: HashMap<String, usize>,
    queries: HashMap<String, usize>,
    judged: HashMap<String, HashMap<String, i32>>,
    places: Vec<Place>,
    repeated: [u64; 3],
    contradicted: u64,
    notes: Vec<String>,
}

impl Gather {
    /// Adds a document.
    pub(crate) fn document(&mut self, place: &Place, one: Document) -> Result<(), FormatError> {
        let (index, all) = (&mut self.documents, &mut self.subset.documents);
        if !add(place, "document", one.id.clone(), one, index, all)? {
            self.repeated[0] += 1;
        }
        Ok(())
    }

    /// Adds a query.
    pub(crate) fn query(&mut self, place: &Place, one: Query) -> Result<(), FormatError> {
        let (index, all) = (&mut self.queries, &mut self.subset.queries);
        if !add(place, "query", one.id.clone(), one, index, all)? {
            self.repeated[1] += 1;
        }
        Ok(())
    }

    /// Adds a query or a document that is in many rows on purpose, as in tables of pairs: no note.
    pub(crate) fn pair(
        &mut self,
        place: &Place,
        query: Query,
        document: Document,
    ) -> Result<(), FormatError> {
        self.shared_query(place, query)?;
        self.shared_document(place, document)
    }

    /// Adds a query that several rows name: no note.
    pub(crate) fn shared_query(&mut self, place: &Place, one: Query) -> Result<(), FormatError> {
        let before = self.repeated;
        self.query(place, one)?;
        self.repeated = before;
        Ok(())
    }

    /// Adds a document that several rows name: no note.
    pub(crate) fn shared_document(
        &mut self,
        place: &Place,
        one: Document,
    ) -> Result<(), FormatError> {
        let before = self.repeated;
        self.document(place, one)?;
        self.repeated = before;
        Ok(())
    }

    /// Adds a judgment.
    pub(crate) fn judgment(&mut self, place: Place, one: Judgment) -> Result<(), FormatError> {
        let of_query = self.judged.entry(one.query.clone()).or_default();
        match of_query.insert(one.document.clone(), one.grade) {
            Some(grade) if grade == one.grade => self.repeated[2] += 1,
            Some(_) if self.strictness == Strictness::AsLoader => {
                self.contradicted += 1;
                self.subset.judgments.push(one);
                self.places.push(place);
            }
            Some(grade) => {
                let message = format!(
                    "the grade of document `{}` for query `{}` is {}, and {grade} before",
                    one.document, one.query, one.grade
                );
                return Err(FormatError::invalid(place, message));
            }
            None => {
                self.subset.judgments.push(one);
                self.places.push(place);
            }
        }
        Ok(())
    }

    /// Adds a row as a document: its columns `id` and `text`, its title if it has one, and the columns that `rest`
    /// leaves.
    pub(crate) fn document_row(
        &mut self,
        mut row: Row,
        id: &[&str],
        text: &[&str],
        rest: fn(Row) -> Extra,
    ) -> Result<(), FormatError> {
        let (id, title) = (row.id(id)?, row.text_or_empty(&["title"])?);
        let (text, place) = (row.text(text)?, row.place.clone());
        let document = Document {
            id,
            title,
            text,
            extra: rest(row),
        };
        self.document(&place, document)
    }

    /// Adds a row as a query: its columns `id` and `text`, and the columns that `rest` leaves.
    pub(crate) fn query_row(
        &mut self,
        mut row: Row,
        id: &[&str],
        text: &[&str],
        rest: fn(Row) -> Extra,
    ) -> Result<(), FormatError> {
        let (id, text, place) = (row.id(id)?, row.text(text)?, row.place.clone());
        let extra = rest(row);
        self.query(&place, Query { id, text, extra })
    }

    /// Sets the task to matching if both labels occurred.
    pub(crate) fn ask_for_matching(&mut self, labels: [bool; 2]) {
        if labels == [true; 2] {
            self.subset.kind = Kind::Matching;
        }
    }

    /// Adds the candidates of a query.
    pub(crate) fn candidates(&mut self, query: String, documents: Vec<String>) {
        self.subset.candidates.insert(query, documents);
    }

    /// The query of this id, to add columns to it.
    pub(crate) fn query_mut(&mut self, id: &str) -> Option<&mut Query> {
        let place = *self.queries.get(id)?;
        self.subset.queries.get_mut(place)
    }

    /// Leaves out the queries that no judgment names, as loaders do that read queries from judgments.
    pub(crate) fn drop_unjudged(&mut self, loader: &str) {
        let before = self.subset.queries.len();
        let judged = &self.judged;
        self.subset
            .queries
            .retain(|query| judged.contains_key(&query.id));
        let queries = self.subset.queries.iter().enumerate();
        self.queries = queries
            .map(|(place, query)| (query.id.clone(), place))
            .collect();
        let dropped = before - self.subset.queries.len();
        if dropped > 0 {
            let note = format!(
                "{}: {dropped} of {before} queries have no judgment in this split and are left out, as {loader} does",
                self.label()
            );
            self.notes.push(note);
        }
    }

    /// Adds the subset, once the texts of its judgments exist.
    pub(crate) fn finish(mut self, read: &mut Read) -> Result<(), FormatError> {
        let label = self.label();
        let notes = &mut read.notes;
        notes.append(&mut self.notes);
        for (count, what) in self
            .repeated
            .iter()
            .zip(["documents", "queries", "judgments"])
        {
            if *count > 0 {
                notes.push(format!(
                    "{label}: {count} {what} were repeated with the same content, and are read once"
                ));
            }
        }
        if self.contradicted > 0 {
            notes.push(format!(
                "{label}: {} judgments give a pair another grade than before; the last one counts, as for loaders that keep grades by id",
                self.contradicted
            ));
        }
        let judgments = std::mem::take(&mut self.subset.judgments);
        let (mut lost, mut unfindable) = (0_u64, 0_u64);
        for (judgment, place) in judgments.into_iter().zip(&self.places) {
            if !self.queries.contains_key(&judgment.query) {
                if self.strictness == Strictness::Strict {
                    return Err(absent(place, "query", &judgment.query));
                }
                lost += 1;
                continue;
            }
            if !self.documents.contains_key(&judgment.document) {
                if self.strictness == Strictness::Strict {
                    return Err(absent(place, "document", &judgment.document));
                }
                unfindable += 1;
            }
            self.subset.judgments.push(judgment);
        }
        if lost > 0 {
            notes.push(format!(
                "{label}: {lost} judgments of absent queries are left out"
            ));
        }
        if unfindable > 0 {
            notes.push(format!(
                "{label}: {unfindable} judgments name absent documents, which cannot be found"
            ));
        }
        read.subsets.push(self.subset);
        Ok(())
    }

    /// The subset's name and split.
    pub(crate) fn label(&self) -> String {
        format!("{} ({})", self.subset.name, self.subset.split)
    }
}

/// Returns true if a document or a query is new; it is an error if its id is empty, or came before with other
/// content.
fn add<T: PartialEq>(
    place: &Place,
    what: &str,
    id: String,
    one: T,
    index: &mut HashMap<String, usize>,
    all: &mut Vec<T>,
) -> Result<bool, FormatError> {
    let invalid = |message: String| Err(FormatError::invalid(place.clone(), message));
    if id.is_empty() {
        return invalid(format!("the id of a {what} is empty"));
    }
    match index.get(&id) {
        Some(known) if all.get(*known) == Some(&one) => Ok(false),
        Some(_) => invalid(format!("the {what} `{id}` came before, with other content")),
        None => {
            index.insert(id, all.len());
            all.push(one);
            Ok(true)
        }
    }
}

fn absent(place: &Place, what: &str, id: &str) -> FormatError {
    let message = format!("a judgment names the {what} `{id}`, which is not there");
    FormatError::invalid(place.clone(), message)
        .with_hint("read leniently to get what the format's own loader makes of it")
}
