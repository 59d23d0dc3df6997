//! The account of a stage with more rows than memory should hold: how many things were kept, and the rows of those that
//! were left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::{Counts, Reason, SetAside, Spool, Stored};

/// The rows that memory holds.
const ROWS: u64 = 16 << 20;

/// Counts, and the rows of things that were left out. Of most rows memory holds the sort key only.
#[derive(Debug)]
pub struct Account {
    /// The counts, by kind of thing.
    pub counts: BTreeMap<String, Counts>,
    rows: Vec<(Place, Stored)>,
    spool: Spool,
}

/// The order of rows: path and line, name, reason.
type Place = (Option<(Arc<str>, u32)>, Option<Box<str>>, Reason);

impl Account {
    /// An account that goes on from these counts and rows.
    pub fn of(counts: BTreeMap<String, Counts>, rows: Vec<SetAside>) -> Self {
        let mut account = Account {
            counts,
            rows: Vec::new(),
            spool: Spool::with_memory(ROWS),
        };
        for row in rows {
            account.store(&row);
        }
        account
    }

    /// Counts one more kept thing of a kind.
    pub fn count_kept(&mut self, kind: &str) {
        self.counts.entry(kind.to_owned()).or_default().keep();
    }

    /// Leaves out one more thing of a kind.
    pub fn set_aside(&mut self, kind: &str, row: &SetAside) {
        let counts = self.counts.entry(kind.to_owned()).or_default();
        counts.set_aside(row.reason);
        self.store(row);
    }

    /// Leaves out a thing that was counted as kept.
    pub fn set_aside_kept(&mut self, kind: &str, row: &SetAside) {
        let counts = self.counts.entry(kind.to_owned()).or_default();
        counts.entered -= 1;
        counts.kept -= 1;
        self.set_aside(kind, row);
    }

    /// The paths of the files that were left out.
    pub fn files_left_out(&self) -> impl Iterator<Item = String> {
        let rows = self.rows.iter().map(|(_, row)| row_of(row));
        rows.filter(|row| row.kind == "file")
            .filter_map(|row| Some(row.origin?.path))
    }

    /// The rows, in their order.
    pub fn into_rows(mut self) -> Rows {
        self.rows.sort_by(|(a, _), (b, _)| a.cmp(b));
        Rows(self.rows.into_iter())
    }

    fn store(&mut self, row: &SetAside) {
        let origin = row.origin.as_ref();
        let last = self.rows.last().and_then(|((at, _, _), _)| at.as_ref());
        let place = origin.map(|origin| {
            // Rows of a file come one after the other, and share its path.
            let path = last.filter(|(path, _)| **path == *origin.path);
            let path = path.map_or_else(|| origin.path.as_str().into(), |(path, _)| path.clone());
            (path, origin.start_line)
        });
        let name = row.name.as_deref().map(Box::from);
        let bytes = serde_json::to_vec(row).expect("a row is plain data");
        self.rows
            .push(((place, name, row.reason), self.spool.put(bytes)));
    }
}

/// The rows of an account, in their order; each is made when it is asked for.
#[derive(Debug)]
pub struct Rows(std::vec::IntoIter<(Place, Stored)>);

impl Iterator for Rows {
    type Item = SetAside;

    fn next(&mut self) -> Option<SetAside> {
        self.0.next().map(|(_, row)| row_of(&row))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.0.size_hint()
    }
}

impl ExactSizeIterator for Rows {}

fn row_of(row: &Stored) -> SetAside {
    serde_json::from_slice(&row.bytes()).expect("a row that was written can be read")
}
