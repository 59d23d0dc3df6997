//! Queries that models write: each function's prompt is sent, and the answer is judged. An answer that is refused goes
//! back with its problems, until it is good or the tries are used up.
//!
//! The prompts of all functions of a shard are sent at once, then all that go back, so the answers of a try are the
//! same in any order.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_models::{Answer, Estimate, Prompt, Writer};
use barecode_queries::{
    Authorship, Candidate, Judged, Leaking, WrittenConfig, again, judge, prompt_digest,
};
use barecode_records::{Id, Outcome, Query, Reason, SetAside, Stage, Unit};

use super::answers::{answers, came};
use crate::recipe::{QueryWriter, RecipeModel};
use crate::site::Workshop;

/// The unit of counting: a query for each function.
pub(crate) const WRITTEN: &str = "written queries";

/// One function's way to its query.
struct Draft<'a> {
    unit: &'a Unit,
    model: &'a RecipeModel,
    /// The set that the query will be of.
    set: &'a str,
    /// The query that is rewritten, if there is one.
    original: Option<&'a Query>,
    /// The prompt without remarks about earlier answers.
    first: String,
    left_out: u32,
    next: Option<Prompt>,
    tries: u32,
    /// The answer that leaks least so far.
    best: Option<(Candidate, Authorship)>,
    /// The reason why the last answer is not a query.
    last: (Reason, String),
}

/// A query for each unit.
pub(super) fn write(
    site: &Workshop,
    writer: &QueryWriter,
    units: &[Unit],
) -> anyhow::Result<Outcome<Vec<Query>>> {
    let mut drafts: Vec<Draft<'_>> = units
        .iter()
        .map(|unit| {
            let filled = writer.prompts.query(unit, writer.config.context_bytes());
            Draft::new(site, writer, unit, filled.text, filled.left_out)
        })
        .collect();
    ask(site, writer, &mut drafts)?;
    let mut done = Outcome::counting([WRITTEN]);
    let mut seen: BTreeMap<String, &Unit> = BTreeMap::new();
    for draft in drafts {
        let unit = draft.unit;
        let made = draft.end(&writer.config.wanted());
        match made.and_then(|query| first_of(query, unit, &mut seen)) {
            Ok(query) => done.keep(WRITTEN, query),
            Err((reason, detail)) => {
                done.set_aside(WRITTEN, row(unit, reason, &writer.config.name, &detail));
            }
        }
    }
    Ok(done)
}

/// Returns queries by human authors in the style of the examples; those that cannot be rewritten are set aside.
pub(super) fn align(
    site: &Workshop,
    writer: &QueryWriter,
    units: &[Unit],
    queries: Outcome<Vec<Query>>,
    kind: &str,
) -> anyhow::Result<Outcome<Vec<Query>>> {
    let by_id: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    let originals = queries.kept;
    let mut drafts: Vec<Draft<'_>> = Vec::new();
    for query in &originals {
        let unit = by_id[&query.target_id];
        let prompt = writer
            .prompts
            .alignment(&query.text, unit)
            .unwrap_or_default();
        let mut draft = Draft::new(site, writer, unit, prompt, 0);
        draft.set = &query.writer;
        draft.original = Some(query);
        drafts.push(draft);
    }
    ask(site, writer, &mut drafts)?;
    let mut done = Outcome {
        kept: Vec::new(),
        set_aside: queries.set_aside,
        counts: queries.counts,
    };
    let mut seen: BTreeMap<String, &Unit> = BTreeMap::new();
    for draft in drafts {
        let unit = draft.unit;
        let made = draft.end(&writer.config.wanted());
        match made.and_then(|query| first_of(query, unit, &mut seen)) {
            Ok(query) => done.kept.push(query),
            Err((reason, detail)) => {
                done.set_aside_kept(kind, row(unit, reason, "alignment", &detail));
            }
        }
    }
    Ok(done)
}

/// The query, unless another one has its text already.
fn first_of<'u>(
    query: Query,
    unit: &'u Unit,
    seen: &mut BTreeMap<String, &'u Unit>,
) -> Result<Query, (Reason, String)> {
    if let Some(first) = seen.get(&query.text) {
        let detail = format!("{} {}", first.id, first.origin.place());
        return Err((Reason::QueryDuplicate, detail));
    }
    seen.insert(query.text.clone(), unit);
    Ok(query)
}

/// The limit of an estimate of writing.
pub(crate) const AT_MOST: &str =
    "at most, for the first try of each function; answers that are sent back cost more";

/// Returns the maximum cost of writing: the first try of each function, at the limit of its answer.
pub(crate) fn estimate(
    site: &Workshop,
    writer: &QueryWriter,
    units: &[Unit],
) -> anyhow::Result<BTreeMap<String, Estimate>> {
    let mut prompts: BTreeMap<&str, (&RecipeModel, Vec<Prompt>)> = BTreeMap::new();
    for unit in units {
        let model = model_of(site, writer, &unit.id);
        let filled = writer.prompts.query(unit, writer.config.context_bytes());
        let (_, of_model) = prompts
            .entry(&model.spec.name)
            .or_insert_with(|| (model, Vec::new()));
        of_model.push(Prompt {
            text: filled.text,
            attempt: 0,
        });
    }
    let mut estimates = BTreeMap::new();
    for (name, (model, prompts)) in prompts {
        let sampling = writer.config.sampling();
        let estimate = site.encoders.estimate_writing(model, sampling, &prompts)?;
        estimates.insert(name.to_owned(), estimate);
    }
    Ok(estimates)
}

/// Returns the model that writes for a target: the same one regardless of the other targets.
fn model_of<'w>(site: &Workshop, writer: &'w QueryWriter, of: &Id) -> &'w RecipeModel {
    let seed = site.seed(&format!("write {}", writer.config.name), of.as_str());
    let count = writer.models.len() as u64;
    let index = usize::try_from(seed % count).unwrap_or(0);
    &writer.models[index]
}

fn row(unit: &Unit, reason: Reason, set: &str, detail: &str) -> SetAside {
    SetAside {
        id: Some(unit.id.clone()),
        origin: Some(unit.origin.clone()),
        name: Some(unit.name.clone()),
        ..SetAside::new(Stage::Query, "query", reason, format!("{set}: {detail}"))
    }
}

/// Sends prompts until every draft has its final answer.
fn ask(site: &Workshop, writer: &QueryWriter, drafts: &mut [Draft<'_>]) -> anyhow::Result<()> {
    let wanted = writer.config.wanted();
    let names: BTreeSet<&str> = writer
        .models
        .iter()
        .map(|model| model.spec.name.as_str())
        .collect();
    let opened: BTreeMap<&str, Arc<dyn Writer>> = writer
        .models
        .iter()
        .map(|model| {
            let opened = site.encoders.open_writer(model, writer.config.sampling())?;
            Ok((model.spec.name.as_str(), opened))
        })
        .collect::<anyhow::Result<_>>()?;
    let bar = site.console.working("write", "queries");
    for _ in 0..wanted.tries {
        for name in &names {
            let asked: Vec<usize> = (0..drafts.len())
                .filter(|&at| drafts[at].model.spec.name == **name && drafts[at].next.is_some())
                .collect();
            let prompts: Vec<Prompt> = asked
                .iter()
                .filter_map(|&at| drafts[at].next.clone())
                .collect();
            let answers = answers(&*opened[name], name, &prompts, &bar)?;
            for (&at, answer) in asked.iter().zip(&answers) {
                drafts[at].take(answer, &wanted);
            }
        }
    }
    Ok(())
}

impl<'a> Draft<'a> {
    fn new(
        site: &Workshop,
        writer: &'a QueryWriter,
        unit: &'a Unit,
        prompt: String,
        left_out: u32,
    ) -> Self {
        Draft {
            unit,
            model: model_of(site, writer, &unit.id),
            set: &writer.config.name,
            original: None,
            next: Some(Prompt {
                text: prompt.clone(),
                attempt: 0,
            }),
            first: prompt,
            left_out,
            tries: 0,
            best: None,
            last: (Reason::AnswerEmpty, String::new()),
        }
    }

    /// Judges an answer, and prepares the next prompt.
    fn take(&mut self, answer: &Answer, wanted: &WrittenConfig) {
        let Some(asked) = self.next.take() else {
            return;
        };
        self.tries += 1;
        let note = match judge(&answer.text, came(answer), self.unit, wanted) {
            Judged::Good(candidate) => {
                self.best = Some((candidate, self.by(answer, &asked)));
                return;
            }
            Judged::Leaks(candidate, note) => {
                let is_better = self
                    .best
                    .as_ref()
                    .is_none_or(|(best, _)| candidate.leak < best.leak);
                if is_better {
                    self.best = Some((candidate, self.by(answer, &asked)));
                }
                Some(note)
            }
            // The same prompt would be as long again.
            Judged::Bad(reason @ Reason::PromptTooLong, beginning, _) => {
                self.last = (reason, beginning);
                return;
            }
            Judged::Bad(reason, beginning, note) => {
                self.last = (reason, beginning);
                note
            }
        };
        let text = match note {
            Some(note) => again(&self.first, &note),
            None => self.first.clone(),
        };
        self.next = Some(Prompt {
            text,
            attempt: self.tries,
        });
    }

    fn by(&self, answer: &Answer, asked: &Prompt) -> Authorship {
        let named = &self.model.spec.name;
        Authorship {
            writer: self.set.to_owned(),
            model: answer.served.clone().unwrap_or_else(|| named.clone()),
            prompt: prompt_digest(&asked.text),
            left_out: self.left_out,
            tries: self.tries,
        }
    }

    /// Returns the query, or the reason why it does not exist.
    fn end(self, wanted: &WrittenConfig) -> Result<Query, (Reason, String)> {
        let is_open = self.next.is_some();
        let Some((candidate, by)) = self.best else {
            return Err(self.last);
        };
        if is_open && wanted.leaking == Leaking::SetAside {
            let names = candidate.leaked.join(", ");
            return Err((
                Reason::QueryLeaks,
                format!("{names} in: {}", candidate.text),
            ));
        }
        let original = self.original;
        let mut query =
            candidate.into_query(self.unit, by, original.map(|query| query.text.clone()));
        query.stated_at = original.and_then(|query| query.stated_at.clone());
        Ok(query)
    }
}
