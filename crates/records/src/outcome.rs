//! The return value of every stage.

use std::collections::BTreeMap;

use crate::{Counts, SetAside};

/// The result of a stage for the things that entered it: records that were kept, rows for things left out, and the
/// account of both. In the account, entered = kept + set aside for each kind of thing.
///
/// ```
/// use barecode_records::{Outcome, Reason, SetAside, Stage};
/// let mut outcome = Outcome::<Vec<&str>>::counting(["queries"]);
/// outcome.keep("queries", "Adds two numbers.");
/// let row = SetAside::new(Stage::Query, "query", Reason::QueryTooShort, "2 words");
/// outcome.set_aside("queries", row);
/// assert_eq!((outcome.of("queries").entered, outcome.kept.len()), (2, 1));
/// assert!(outcome.balances());
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome<T> {
    /// The records that were kept.
    pub kept: T,
    /// The things that were left out.
    pub set_aside: Vec<SetAside>,
    /// The counts of things that entered, were kept and were set aside, by kind of thing: `files`, `functions`, ….
    pub counts: BTreeMap<String, Counts>,
}

impl<T: Default> Outcome<T> {
    /// An empty outcome. The account has these kinds even if none of them enters.
    pub fn counting<const N: usize>(kinds: [&str; N]) -> Self {
        let counts = kinds.map(|kind| (kind.to_owned(), Counts::default()));
        Outcome {
            counts: BTreeMap::from(counts),
            ..Outcome::default()
        }
    }
}

impl<T> Outcome<T> {
    /// The account of a kind of thing; all zero where none entered.
    pub fn of(&self, kind: &str) -> Counts {
        self.counts.get(kind).cloned().unwrap_or_default()
    }

    /// Counts one more kept thing of a kind.
    pub fn count_kept(&mut self, kind: &str) {
        self.counts.entry(kind.to_owned()).or_default().keep();
    }

    /// Leaves out one more thing of a kind.
    pub fn set_aside(&mut self, kind: &str, row: SetAside) {
        let counts = self.counts.entry(kind.to_owned()).or_default();
        counts.set_aside(row.reason);
        self.set_aside.push(row);
    }

    /// Leaves out a thing that was counted as kept.
    pub fn set_aside_kept(&mut self, kind: &str, row: SetAside) {
        let counts = self.counts.entry(kind.to_owned()).or_default();
        counts.entered -= 1;
        counts.kept -= 1;
        self.set_aside(kind, row);
    }

    /// Returns `true` if entered = kept + set aside for each kind, and every thing that was set aside has its row.
    pub fn balances(&self) -> bool {
        let counted: u64 = self
            .counts
            .values()
            .flat_map(|counts| counts.set_aside.values())
            .sum();
        self.counts.values().all(Counts::balances) && counted == self.set_aside.len() as u64
    }
}

impl<T> Outcome<Vec<T>> {
    /// Keeps one more record.
    pub fn keep(&mut self, kind: &str, record: T) {
        self.count_kept(kind);
        self.kept.push(record);
    }

    /// Adds the outcome of other things, after those that are present.
    pub fn append(&mut self, other: Outcome<Vec<T>>) {
        self.kept.extend(other.kept);
        self.set_aside.extend(other.set_aside);
        for (kind, counts) in &other.counts {
            self.counts.entry(kind.clone()).or_default().add(counts);
        }
    }
}
