//! Values as lines: `measure ⇥ value`, and with `-q` `query ⇥ measure ⇥ value` with `all` for the means.
//!
//! These are `ir_measures`' lines. Queries are in the run's order with the measures in the requested order; then come
//! the queries that the run lacks, by measure and id. The intervals of the means are noted on stderr. `--json` shows
//! more: the number of queries that count, the interval, and with a corpus the ceiling and the floor.

use std::fmt::Write as _;

use barecode_results::files::Scored;
use barecode_scores::intervals::{FEWEST_QUERIES, Range, student};
use barecode_scores::{Interval, Measure, Method};
use serde_json::{Value, json};

use super::Request;
use crate::answer::Answer;
use crate::session::Session;

/// Answers with what was scored; the intervals are noted after the lines.
pub(crate) fn answer(
    session: &Session,
    arguments: &Request,
    scored: &Scored,
) -> anyhow::Result<Answer> {
    let answer = session.answer(
        || as_json(arguments, scored),
        |_| Ok(lines(arguments, scored)?),
    )?;
    if session.options.json || arguments.no_summary {
        return Ok(answer);
    }
    Ok(answer.noting(intervals(arguments, scored)))
}

fn lines(arguments: &Request, scored: &Scored) -> Result<String, std::fmt::Error> {
    let number = |value: f64| shown(value, arguments.places);
    let mut text = String::new();
    if arguments.by_query {
        let (in_run, lacking) = scored.queries.split_at(scored.in_run);
        for (query, values) in in_run {
            for (measure, &value) in scored.measures.iter().zip(values) {
                writeln!(text, "{query}\t{measure}\t{}", number(value))?;
            }
        }
        let mut by_name: Vec<(String, usize)> = scored
            .measures
            .iter()
            .map(Measure::to_string)
            .zip(0..)
            .collect();
        by_name.sort();
        for (measure, at) in by_name {
            for (query, values) in lacking {
                writeln!(text, "{query}\t{measure}\t{}", number(values[at]))?;
            }
        }
    }
    if !arguments.no_summary {
        for (at, measure) in scored.measures.iter().enumerate() {
            let value = number(scored.aggregate(at));
            let all = if arguments.by_query { "all\t" } else { "" };
            writeln!(text, "{all}{measure}\t{value}")?;
        }
    }
    Ok(text)
}

/// Returns the intervals of the means.
fn intervals(arguments: &Request, scored: &Scored) -> Vec<String> {
    let number = |value: f64| shown(value, arguments.places);
    let measures = scored.measures.iter().enumerate();
    let means = measures.filter(|(_, measure)| !measure.counts());
    let intervals: Vec<String> = means
        .map(|(at, measure)| {
            let Interval { low, high, .. } = interval(scored, at);
            format!("{measure} [{}, {}]", number(low), number(high))
        })
        .collect();
    let mut notes = Vec::new();
    if !intervals.is_empty() {
        notes.push(format!("95 % intervals: {}", intervals.join(", ")));
    }
    if scored.queries.len() < FEWEST_QUERIES {
        notes.push(format!(
            "{} queries are too few for a meaningful mean: it needs at least {FEWEST_QUERIES}",
            scored.queries.len()
        ));
    }
    notes
}

/// The mean of a measure with its interval.
fn interval(scored: &Scored, at: usize) -> Interval {
    let values: Vec<f64> = scored
        .queries
        .iter()
        .map(|(_, values)| values[at])
        .collect();
    student(&values, Range::SCORES, CONFIDENCE)
}

const CONFIDENCE: f64 = 0.95;

/// Returns a value with this many digits behind the point; all that are needed to read it again where `places` is
/// negative.
fn shown(value: f64, places: i8) -> String {
    match usize::try_from(places) {
        Ok(places) => format!("{value:.places$}"),
        Err(_) => format!("{value:?}"),
    }
}

fn as_json(arguments: &Request, scored: &Scored) -> Value {
    let scores: Vec<Value> = scored
        .measures
        .iter()
        .enumerate()
        .map(|(at, measure)| {
            let interval = interval(scored, at);
            let bounds = scored.bounds.as_ref().and_then(|bounds| bounds[at]);
            let is_mean = !measure.counts();
            json!({
                "measure": measure.to_string(),
                "value": scored.aggregate(at),
                "queries": scored.queries.len(),
                "too_few": scored.queries.len() < FEWEST_QUERIES,
                "low": is_mean.then_some(interval.low),
                "high": is_mean.then_some(interval.high),
                "ceiling": bounds.map(|(ceiling, _)| ceiling),
                "floor": bounds.map(|(_, floor)| floor),
            })
        })
        .collect();
    let mut value = json!({
        "ties": arguments.ties.name(),
        "queries": { "scored": scored.queries.len(), "not_in_run": scored.queries.len() - scored.in_run, "without_judged_document": scored.unmatched },
        "interval": { "method": Method::default(), "confidence": CONFIDENCE },
        "scores": scores,
    });
    if arguments.by_query {
        let names: Vec<String> = scored.measures.iter().map(Measure::to_string).collect();
        let queries = scored.queries.iter().map(|(query, values)| {
            let values: serde_json::Map<String, Value> = names
                .iter()
                .cloned()
                .zip(values.iter().map(|&value| json!(value)))
                .collect();
            json!({ "query": query, "values": values })
        });
        value["by_query"] = queries.collect();
    }
    value
}
