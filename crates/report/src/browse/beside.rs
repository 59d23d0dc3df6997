//! The pages of two runs beside each other.

use std::collections::HashMap;

use super::{Asked, Browsed, Other};

impl Browsed {
    /// Adds the systems of another run, on the queries and settings that both have. The documents of both stay: those
    /// of a list are the documents of its run, and the answer of a query is that of the first run.
    pub fn beside(&mut self, other: Browsed) {
        let columns: Vec<(usize, usize)> = self
            .settings
            .iter()
            .enumerate()
            .filter_map(|(at, name)| Some((at, other.settings.iter().position(|it| it == name)?)))
            .collect();
        let here: Vec<usize> = columns.iter().map(|(at, _)| *at).collect();
        let there: Vec<usize> = columns.iter().map(|(_, at)| *at).collect();
        let mut theirs: HashMap<(String, String), Asked> = other
            .queries
            .into_iter()
            .map(|query| ((query.id.clone(), query.group.clone()), query))
            .collect();
        let offset = u32::try_from(self.documents.len()).unwrap_or(u32::MAX);
        let (before, after) = (self.settings.len(), other.settings.len());
        self.queries.retain_mut(|query| {
            let Some(mut their) = theirs.remove(&(query.id.clone(), query.group.clone())) else {
                return false;
            };
            for Other { document, .. } in their
                .lists
                .iter_mut()
                .flatten()
                .flat_map(|list| &mut list.others)
            {
                *document += offset;
            }
            query.lists = chosen(&query.lists, before, &here);
            query.lists.extend(chosen(&their.lists, after, &there));
            true
        });
        let documents = std::mem::take(&mut self.documents).into_iter();
        let ours = documents.map(|document| (document, &here));
        let theirs = other
            .documents
            .into_iter()
            .map(|document| (document, &there));
        self.documents = ours
            .chain(theirs)
            .map(|(mut document, columns)| {
                document.texts = chosen(&document.texts, document.texts.len(), columns);
                document
            })
            .collect();
        self.settings = here.iter().map(|&at| self.settings[at].clone()).collect();
        self.systems.extend(other.systems);
    }

    /// Keeps some systems, in this order.
    pub fn keep_systems(&mut self, names: &[String]) {
        let at = |name: &String| self.systems.iter().position(|it| it == name);
        let kept: Vec<usize> = names.iter().filter_map(at).collect();
        let settings = self.settings.len();
        for query in &mut self.queries {
            let lists = kept
                .iter()
                .flat_map(|&at| &query.lists[at * settings..(at + 1) * settings]);
            query.lists = lists.cloned().collect();
        }
        self.systems = kept.iter().map(|&at| self.systems[at].clone()).collect();
    }
}

/// Some columns of each row of a table with rows of `width` cells.
fn chosen<T: Clone>(cells: &[T], width: usize, columns: &[usize]) -> Vec<T> {
    let rows = cells.chunks(width.max(1));
    rows.flat_map(|row| columns.iter().map(|&at| row[at].clone()))
        .collect()
}
