//! `eval --explain QUERY`: the amount that each term adds to the scores of retrievers that report it.
//!
//! Nothing is written. The documents are rendered. The answers of the query and the first documents of its list are
//! shown beside each other, with the terms that raise or lower their scores.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use barecode_evaluate::{System, SystemKind, Task, explaining, languages};
use barecode_retrieval::Explains;
use serde::Serialize;

use crate::answer::Answer;
use crate::exit::Failure;
use crate::session::Session;

/// The number of documents that are shown before the answers.
const SHOWN: usize = 3;

/// The number of terms of a document that are shown on a terminal; `--json` has all.
const TERMS: usize = 12;

/// A document's score and its parts.
#[derive(Debug, Serialize)]
struct Explained {
    subset: String,
    model: String,
    query: String,
    document: String,
    is_answer: bool,
    /// From 1; the first rank of equal scores.
    rank: usize,
    documents: usize,
    score: f64,
    terms: Vec<Term>,
}

#[derive(Debug, Serialize)]
struct Term {
    term: String,
    score: f64,
}

/// Explains the scores of a query.
pub(super) fn explain(
    session: &Session,
    systems: &[System],
    tasks: &[Task],
    query: &str,
) -> anyhow::Result<Answer> {
    let explains: Vec<(&str, _)> = systems
        .iter()
        .filter_map(|system| match system.kind() {
            SystemKind::Retriever(retriever) => {
                Some((system.name(), Arc::clone(retriever).scores_all()?))
            }
            _ => None,
        })
        .collect();
    if explains.is_empty() {
        let message = "none of the models explains its scores";
        return Err(Failure::invalid(message)
            .hint(format!("add `--model {}`", explaining().join("` or `")))
            .into());
    }
    let mut all = Vec::new();
    let mut text = String::new();
    for task in tasks {
        let Some(asked) = task.queries.iter().find(|it| it.id == query) else {
            continue;
        };
        let texts: Vec<&str> = task.documents.iter().map(|it| it.text.as_str()).collect();
        for (model, retriever) in &explains {
            let index = retriever.index(&texts, &languages(task));
            let found = explained(task, model, &*index, &asked.id, &asked.text);
            describe(&mut text, &found, &asked.text)?;
            all.extend(found);
        }
    }
    if all.is_empty() {
        let message = format!("no subset has a query `{query}`");
        let hint = "`per-query.csv` of an evaluation has the ids of all queries";
        return Err(Failure::invalid(message).hint(hint).into());
    }
    session.answer(
        || serde_json::json!({ "explained": all }),
        |_| Ok(text.trim_end().to_owned()),
    )
}

/// The first documents of the list, and all answers, by rank.
fn explained(
    task: &Task,
    model: &str,
    index: &dyn Explains,
    id: &str,
    query: &str,
) -> Vec<Explained> {
    let scores = index.scores(query);
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|a, b| scores[*b].total_cmp(&scores[*a]).then(a.cmp(b)));
    let none = BTreeMap::new();
    let grades = task.grades.get(id).unwrap_or(&none);
    let is_answer = |document: usize| {
        grades
            .get(&task.documents[document].id)
            .is_some_and(|grade| *grade > 0)
    };
    let shown = order
        .iter()
        .enumerate()
        .filter(|(place, document)| *place < SHOWN || is_answer(**document));
    let explain = |(_, &document): (usize, &usize)| {
        let parts = index.explain(query, document).into_iter();
        Explained {
            subset: task.subset.name.clone(),
            model: model.to_owned(),
            query: id.to_owned(),
            document: task.documents[document].id.clone(),
            is_answer: is_answer(document),
            rank: 1 + scores
                .iter()
                .filter(|score| **score > scores[document])
                .count(),
            documents: scores.len(),
            score: scores[document],
            terms: parts.map(|(term, score)| Term { term, score }).collect(),
        }
    };
    shown.map(explain).collect()
}

fn describe(text: &mut String, explained: &[Explained], query: &str) -> std::fmt::Result {
    let Some(first) = explained.first() else {
        return Ok(());
    };
    writeln!(
        text,
        "{}, {}, query {}: {query}\n",
        first.subset, first.model, first.query
    )?;
    for one in explained {
        let answer = if one.is_answer { ", the answer" } else { "" };
        writeln!(
            text,
            "{}. {}{answer}: {:.2}",
            one.rank, one.document, one.score
        )?;
        let line = |terms: &mut dyn Iterator<Item = &Term>| {
            let terms: Vec<String> = terms
                .map(|it| format!("{} {:+.2}", it.term, it.score))
                .collect();
            terms.join("  ")
        };
        let adds = one.terms.iter().filter(|it| it.score > 0.0);
        let rest = adds.clone().skip(TERMS).count();
        let adds = line(&mut adds.take(TERMS));
        if !adds.is_empty() {
            writeln!(text, "   {adds}")?;
        }
        if rest > 0 {
            writeln!(text, "   and {rest} more")?;
        }
        let costs = line(
            &mut one
                .terms
                .iter()
                .rev()
                .take_while(|it| it.score < 0.0)
                .take(TERMS),
        );
        if !costs.is_empty() {
            writeln!(text, "   against it: {costs}")?;
        }
    }
    writeln!(text)
}
