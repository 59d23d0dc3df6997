//! The account of a stage with more rows than memory should hold: how many things were kept, and the rows of those that
//! were left out.

use std::collections::BTreeMap;

use indexmap::IndexSet;

use crate::{Counts, Reason, SetAside, Spool, Stored};

/// The rows that memory holds.
const ROWS: u64 = 16 << 20;

/// Counts, and the rows of things that were left out. Of most rows memory holds the sort key only.
#[derive(Debug)]
pub struct Account {
    /// The counts, by kind of thing.
    pub counts: BTreeMap<String, Counts>,
    rows: Vec<(Place, Stored)>,
    /// The paths and names of rows.
    texts: IndexSet<Box<str>>,
    spool: Spool,
}

/// The order of rows: path and line, name, reason; of texts their numbers.
type Place = (Option<(u32, u32)>, Option<u32>, Reason);

impl Account {
    /// An account that goes on from these counts and rows.
    pub fn of(counts: BTreeMap<String, Counts>, rows: Vec<SetAside>) -> Self {
        let mut account = Account {
            counts,
            rows: Vec::new(),
            texts: IndexSet::new(),
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
        let mut sorted: Vec<usize> = (0..self.texts.len()).collect();
        sorted.sort_unstable_by_key(|&number| &self.texts[number]);
        let mut turns = vec![0; sorted.len()];
        for (turn, number) in sorted.into_iter().enumerate() {
            turns[number] = turn;
        }
        drop(self.texts);
        let turn = |number: u32| turns[number as usize];
        self.rows.sort_by_key(|&((at, name, reason), _)| {
            let at = at.map(|(path, line)| (turn(path), line));
            (at, name.map(turn), reason)
        });
        Rows(self.rows.into_iter())
    }

    fn store(&mut self, row: &SetAside) {
        let origin = row.origin.as_ref();
        let at = origin.map(|origin| (self.number(&origin.path), origin.start_line));
        let name = row.name.as_deref().map(|name| self.number(name));
        let bytes = serde_json::to_vec(row).expect("a row is plain data");
        self.rows
            .push(((at, name, row.reason), self.spool.put(bytes)));
    }

    fn number(&mut self, text: &str) -> u32 {
        let known = self.texts.get_index_of(text);
        let number = known.unwrap_or_else(|| self.texts.insert_full(text.into()).0);
        u32::try_from(number).expect("an account has fewer texts than 2³²")
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
