//! The training set of a suite of test sets, on which thresholds are fitted: without what a test set has too.

use barecode_evaluate::{Decision, System, Task, decision};
use barecode_formats::Subset;
use barecode_records::SubsetKind;

use super::request::Request;
use crate::console::grouped;
use crate::exit::Failure;
use crate::members::{Members, some_of, training_set, without_tests};
use crate::report::suite::MISSING_TRAIN;
use crate::session::Session;

/// The task that thresholds are fitted on.
pub(super) struct Train {
    pub(super) task: Task,
    /// The same in words.
    pub(super) said: String,
}

impl Train {
    /// Reads it, if a system needs one and it exists on this machine.
    pub(super) fn of(
        session: &Session,
        arguments: &Request,
        members: &Members<'_>,
        systems: &[System],
    ) -> anyhow::Result<Option<Self>> {
        let needs = |system: &System| decision(system) == Some(Decision::Threshold);
        if members.suite.is_none() || !systems.iter().any(needs) {
            return Ok(None);
        }
        let (subset, name) = match (&arguments.suite.train, members.train()) {
            (Some(path), _) => {
                let (subset, notes) = training_set(path)?;
                for note in notes {
                    session.note(&format!("note: {note}"));
                }
                (subset, path.display().to_string())
            }
            (None, Some(own)) => (own.subset.clone(), own.member.title.clone()),
            (None, None) => {
                session.note(MISSING_TRAIN);
                return Ok(None);
            }
        };
        let of = grouped(subset.queries.len() as u64);
        let tests: Vec<&Subset> = members.tests().map(|it| &it.subset).collect();
        let (subset, n_shared) = without_tests(subset, &tests);
        let shared = grouped(n_shared as u64);
        if n_shared > 0 {
            session.note(&format!(
                "note: {shared} of {of} pairs of the training set `{name}` are in a test set too; no threshold is fitted on them"
            ));
        }
        if subset.queries.len() < 2 {
            let message = format!("the training set `{name}` has no pairs that no test set has");
            return Err(Failure::invalid(message)
                .hint("thresholds must not be fitted on what they are measured on; name another set with --train")
                .into());
        }
        let most = arguments.suite.train_pairs.get() as usize;
        let subset = Subset {
            name: "train-pairs".to_owned(),
            split: "test".to_owned(),
            ..some_of(subset, most, arguments.seed)
        };
        let mut task = Task::all([&subset]).remove(0);
        task.title.clone_from(&name);
        task.subset.kind = SubsetKind::Matching;
        let left_out = match n_shared {
            0 => String::new(),
            _ => format!("; {shared} pairs that a test set has too are left out"),
        };
        let said = format!(
            "{} of {of} texts of {name}{left_out}",
            grouped(task.queries.len() as u64)
        );
        Ok(Some(Train { task, said }))
    }
}
