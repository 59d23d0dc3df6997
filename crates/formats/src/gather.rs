//! Rows to a [`Subset`] whose ids are unique and whose judgments have texts.
//!
//! Every reader ends here, so that duplicates and absent ids mean the same in all formats. What comes twice with
//! the same content is kept once, with a note; what comes twice with different content is an error, because which
//! of the two a loader keeps is an accident. What a judgment names must be there, unless the caller wants what the
//! format's own loader would make of it ([`Strictness::AsLoader`]).

use std::collections::HashMap;

use crate::{Document, FormatError, Judgment, Place, Query, Subset};

/// What happens where a judgment names what is not there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Strictness {
    /// It is an error.
    #[default]
    Strict,
    /// It is a note, and the data are what the format's own loader makes of them: a judgment of an absent query
    /// is dropped, one of an absent document stays and can never be found.
    AsLoader,
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
}

impl Gather {
    /// Nothing collected yet.
    pub(crate) fn new(subset: Subset, strictness: Strictness) -> Self {
        Gather {
            subset,
            strictness,
            documents: HashMap::new(),
            queries: HashMap::new(),
            judged: HashMap::new(),
            places: Vec::new(),
            repeated: [0; 3],
        }
    }

    /// Takes a document.
    pub(crate) fn document(&mut self, place: &Place, one: Document) -> Result<(), FormatError> {
        named(place, "document", &one.id)?;
        if let Some(known) = self.documents.get(&one.id) {
            if self.subset.documents.get(*known) == Some(&one) {
                self.repeated[0] += 1;
                return Ok(());
            }
            return Err(twice(place, "document", &one.id));
        }
        self.documents
            .insert(one.id.clone(), self.subset.documents.len());
        self.subset.documents.push(one);
        Ok(())
    }

    /// Takes a query.
    pub(crate) fn query(&mut self, place: &Place, one: Query) -> Result<(), FormatError> {
        named(place, "query", &one.id)?;
        if let Some(known) = self.queries.get(&one.id) {
            if self.subset.queries.get(*known) == Some(&one) {
                self.repeated[1] += 1;
                return Ok(());
            }
            return Err(twice(place, "query", &one.id));
        }
        self.queries
            .insert(one.id.clone(), self.subset.queries.len());
        self.subset.queries.push(one);
        Ok(())
    }

    /// Takes a query or a document that stands in many rows on purpose, as in tables of pairs: no note.
    pub(crate) fn pair(
        &mut self,
        place: &Place,
        query: Query,
        document: Document,
    ) -> Result<(), FormatError> {
        let before = self.repeated;
        self.query(place, query)?;
        self.document(place, document)?;
        self.repeated = before;
        Ok(())
    }

    /// Takes a judgment.
    pub(crate) fn judgment(&mut self, place: Place, one: Judgment) -> Result<(), FormatError> {
        let of_query = self.judged.entry(one.query.clone()).or_default();
        match of_query.insert(one.document.clone(), one.grade) {
            Some(grade) if grade == one.grade => self.repeated[2] += 1,
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

    /// Takes the candidates of a query.
    pub(crate) fn candidates(&mut self, query: String, documents: Vec<String>) {
        self.subset.candidates.insert(query, documents);
    }

    /// The query of this id, to add columns to it.
    pub(crate) fn query_mut(&mut self, id: &str) -> Option<&mut Query> {
        let place = *self.queries.get(id)?;
        self.subset.queries.get_mut(place)
    }

    /// Leaves out the queries that no judgment names, as loaders do that take queries from judgments.
    pub(crate) fn drop_unjudged(&mut self, notes: &mut Vec<String>, loader: &str) {
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
            notes.push(format!(
                "{}: {dropped} of {before} queries have no judgment in this split and are left out, as {loader} does",
                self.label()
            ));
        }
    }

    /// The subset, once what its judgments name is there.
    pub(crate) fn finish(mut self, notes: &mut Vec<String>) -> Result<Subset, FormatError> {
        let label = self.label();
        for (count, what) in self
            .repeated
            .iter()
            .zip(["documents", "queries", "judgments"])
        {
            if *count > 0 {
                notes.push(format!(
                    "{label}: {count} {what} came again, with the same content, and are kept once"
                ));
            }
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
                "{label}: {unfindable} judgments name absent documents, which nothing can find"
            ));
        }
        Ok(self.subset)
    }

    fn label(&self) -> String {
        format!("{} ({})", self.subset.name, self.subset.split)
    }
}

fn named(place: &Place, what: &str, id: &str) -> Result<(), FormatError> {
    if id.is_empty() {
        return Err(FormatError::invalid(
            place.clone(),
            format!("the id of a {what} is empty"),
        ));
    }
    Ok(())
}

fn twice(place: &Place, what: &str, id: &str) -> FormatError {
    let message = format!("the {what} `{id}` came before, with other content");
    FormatError::invalid(place.clone(), message)
}

fn absent(place: &Place, what: &str, id: &str) -> FormatError {
    let message = format!("a judgment names the {what} `{id}`, which is not there");
    FormatError::invalid(place.clone(), message)
        .with_hint("read leniently to get what the format's own loader makes of it")
}
