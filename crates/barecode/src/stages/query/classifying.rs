//! Comments to classes: each query's prompt goes out once, and what the model puts in no class is set aside.

use std::collections::BTreeSet;
use std::sync::Arc;

use barecode_models::{Estimate, Prompt, Writer};
use barecode_queries::{Classes, FURTHER_COMMENTS};
use barecode_records::{Id, Outcome, Query, Reason, SetAside, Stage};

use super::answers::{answers, came};
use crate::console::Console;
use crate::recipe::Classifier;
use crate::site::Workshop;

/// The result of an answer: a class, or the reason why it has none.
pub(crate) type Class = Result<String, (Reason, String)>;

/// The queries that are in a class, with it; the others are set aside.
pub(super) fn classify(
    site: &Workshop,
    classifier: &Classifier,
    queried: Outcome<Vec<Query>>,
) -> anyhow::Result<Outcome<Vec<Query>>> {
    let queries = queried.kept;
    let texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
    let writer = site
        .encoders
        .open_writer(&classifier.model, classifier.sampling)?;
    let name = &classifier.model.spec.name;
    let classes = ask(&writer, name, &classifier.classes, &texts, site.console)?;
    let mut done = Outcome {
        kept: Vec::new(),
        set_aside: queried.set_aside,
        counts: queried.counts,
    };
    // The first query of a unit is the one that is counted as the unit's.
    let mut seen: BTreeSet<Id> = BTreeSet::new();
    for (query, class) in queries.into_iter().zip(classes) {
        let is_first = seen.insert(query.target_id.clone());
        match class {
            Ok(class) => done.kept.push(Query {
                class: Some(class),
                ..query
            }),
            Err((reason, detail)) => {
                let row = SetAside {
                    id: Some(query.id),
                    origin: Some(query.origin),
                    ..SetAside::new(
                        Stage::Query,
                        "query",
                        reason,
                        format!("{detail}: {}", query.text),
                    )
                };
                let kind = if is_first { "units" } else { FURTHER_COMMENTS };
                done.set_aside_kept(kind, row);
            }
        }
    }
    Ok(done)
}

/// The class of each text, in their order.
pub(crate) fn ask(
    writer: &Arc<dyn Writer>,
    name: &str,
    classes: &Classes,
    texts: &[&str],
    console: Console,
) -> anyhow::Result<Vec<Class>> {
    let bar = console.working("classify", "comments");
    let answers = answers(&**writer, name, &prompts(classes, texts), &bar)?;
    let read = answers.iter();
    let read = read.map(|answer| classes.read(&answer.text, came(answer)));
    Ok(read.collect())
}

/// Returns the prompt for each text.
pub(crate) fn prompts(classes: &Classes, texts: &[&str]) -> Vec<Prompt> {
    let prompt = |text: &&str| Prompt {
        text: classes.prompt(text),
        attempt: 0,
    };
    texts.iter().map(prompt).collect()
}

/// Returns the maximum cost of classifying some texts; makes no requests.
pub(crate) fn estimate(
    site: &Workshop,
    classifier: &Classifier,
    texts: &[&str],
) -> anyhow::Result<Estimate> {
    let prompts = prompts(&classifier.classes, texts);
    let (model, sampling) = (&classifier.model, classifier.sampling);
    Ok(site.encoders.estimate_writing(model, sampling, &prompts)?)
}
