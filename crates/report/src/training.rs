//! A training as lines and as a page: data, learning curve, dev values.
//!
//! A view: it computes means of neighboring steps for the curve only.

use std::fmt::Write as _;
use std::path::Path;

use barecode_records::{Difference, Score};
use barecode_scores::Interval;
use barecode_train::{Report, StepValue};
use maud::{Markup, html};

use super::{distinct, interval, markup};
use barecode_runs::console::grouped;

/// The box of the chart, and of its data, in the units of its text.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 44.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = HEIGHT - 30.0;

/// Points of a curve at most; neighbors are averaged.
const POINTS: usize = 200;

/// The mean loss of the first and of the last tenth of the steps.
fn ends(curve: &[StepValue]) -> Option<[f64; 2]> {
    let tenth = curve.len().div_ceil(10);
    let mean =
        |steps: &[StepValue]| steps.iter().map(|step| step.loss).sum::<f64>() / steps.len() as f64;
    (tenth > 0).then(|| [mean(&curve[..tenth]), mean(&curve[curve.len() - tenth..])])
}

/// The text that is printed.
pub fn terminal(report: &Report, out: &Path) -> String {
    let mut text = String::new();
    let _ = writeln!(text, "{}", out.display());
    for (name, value) in facts(report) {
        let _ = writeln!(text, "  {name:<18} {value}");
    }
    text
}

/// The facts about a training, for lines and a table.
fn facts(report: &Report) -> Vec<(String, String)> {
    let options = &report.options;
    let mut facts = vec![
        ("base model".to_owned(), report.model.clone()),
        (
            "pairs".to_owned(),
            format!("{} of `{}`", grouped(report.pairs), report.data),
        ),
        ("dev pairs".to_owned(), grouped(report.dev_pairs)),
        ("texts truncated".to_owned(), grouped(report.truncated)),
        (
            "steps".to_owned(),
            format!(
                "{} of {} pairs, {} epochs at most{}",
                grouped(report.steps),
                options.batch,
                options.epochs,
                if report.stopped_early {
                    ", stopped early"
                } else {
                    ""
                }
            ),
        ),
        ("numbers trained".to_owned(), grouped(report.trained)),
    ];
    for (reason, count) in &report.left_out {
        facts.push((
            "left out".to_owned(),
            format!("{}: {reason}", grouped(*count)),
        ));
    }
    if let Some([first, last]) = ends(&report.curve) {
        facts.push((
            "training loss".to_owned(),
            format!("{first:.4} in the first tenth of the steps, {last:.4} in the last"),
        ));
    }
    let exported = report
        .dev
        .iter()
        .rfind(|value| value.step == report.exported_step);
    if let (Some(before), Some(after)) = (report.dev.first(), exported) {
        facts.push((
            "dev nDCG@10".to_owned(),
            format!(
                "{:.4} before, {:.4} after {} epochs, which is exported ({} queries, no interval)",
                before.ndcg,
                after.ndcg,
                after.epoch,
                grouped(report.dev_pairs)
            ),
        ));
    }
    facts
}

/// The page.
pub fn page(report: &Report) -> String {
    let sections = html! {
        h1 { (report.model) ", fine-tuned" }
        p.note { "InfoNCE with in-batch negatives (CLARC, section 5.4 and appendix F.4); no dropout." }
        h2 #data { "Data and training" }
        (markup::scroll("Data and training", html! {
            table { tbody {
                @for (name, value) in facts(report) { tr { th scope="row" { (name) } td { (markup::prose(&value)) } } }
            } }
        }))
        h2 #curve { "Learning curve" }
        p.note { "The loss of each step's batch before the step; where there are more than " (POINTS) " steps, means of neighbors. curve.csv has every step." }
        figure { (chart(&report.curve)) }
        @if !report.dev.is_empty() {
            h2 #dev { "Dev split" }
            p.note { "Measured on " (grouped(report.dev_pairs)) " dev pairs, without intervals. They only select the epoch to export; do not report them as results." }
            (markup::table("Dev split", 0, &["epochs", "steps", "nDCG@10", "loss"], report.dev.iter().map(|value| {
                vec![
                    value.epoch.to_string(),
                    grouped(value.step),
                    format!("{:.4}", value.ndcg),
                    format!("{:.4}", value.loss),
                ]
            })))
        }
    };
    markup::page("Training", &sections)
}

/// The caption of the second table of a matrix.
pub const CHANGES: &str = "Tuned minus zero-shot on the same queries, with paired intervals, and p after Holm's correction over all pairs of models";

/// The heads of that table.
pub const CHANGE_HEADS: [&str; 4] = ["subset", "tuned", "difference", "p"];

/// Heads and rows of a matrix: a row for each subset, a column for each model.
pub fn values(scores: &[Score]) -> (Vec<String>, Vec<Vec<String>>) {
    let models = distinct(scores.iter().map(|score| score.retriever.as_str()));
    let subsets = distinct(scores.iter().map(|score| score.subset.as_str()));
    let mut heads = vec!["subset".to_owned(), "queries".to_owned()];
    heads.extend(models.iter().map(|model| (*model).to_owned()));
    let row = |subset: &&str| {
        let own = |model: &str| {
            scores
                .iter()
                .find(|score| score.subset == **subset && score.retriever == model)
        };
        let queries = models
            .iter()
            .find_map(|model| own(model))
            .map_or(0, |score| score.queries);
        let mut cells = vec![(*subset).to_owned(), grouped(u64::from(queries))];
        cells.extend(models.iter().map(|model| match own(model) {
            Some(score) if score.too_few => "too few".to_owned(),
            Some(score) => fraction([score.value, score.low, score.high]),
            None => String::new(),
        }));
        cells
    };
    (heads, subsets.iter().map(row).collect())
}

/// Rows of the second table; `differences` are those of the model as it was, which is first, and a tuned one.
pub fn changes(differences: &[Difference]) -> Vec<Vec<String>> {
    let row = |it: &Difference| {
        let value = if it.too_few {
            "too few".to_owned()
        } else {
            fraction([-it.difference, -it.high, -it.low])
        };
        vec![
            it.subset.clone(),
            it.second.clone(),
            value,
            format!("{:.4}", it.p_holm),
        ]
    };
    differences.iter().map(row).collect()
}

/// A value with its interval.
fn fraction([value, low, high]: [f64; 3]) -> String {
    interval(&Interval { value, low, high }, 3)
}

/// The page of a matrix.
pub fn matrix(scores: &[Score], differences: &[Difference], measure: &str) -> String {
    let (heads, rows) = values(scores);
    let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
    let sections = html! {
        h1 { "Tuned on one setting, evaluated on each" }
        p.note { (measure) ", with 95 % intervals; zero-shot is the model before any tuning (CLARC, Table 6)." }
        (markup::table("Matrix", 1, &heads, rows))
        h2 #differences { "Against zero-shot" }
        p.note { (CHANGES) "." }
        (markup::table("Against zero-shot", 2, &CHANGE_HEADS, changes(differences)))
    };
    markup::page("Tuned by setting", &sections)
}

/// The losses by step.
fn chart(curve: &[StepValue]) -> Markup {
    let size = curve.len().div_ceil(POINTS).max(1);
    let points: Vec<(f64, f64)> = curve
        .chunks(size)
        .map(|steps| {
            let count = steps.len() as f64;
            let step = steps.iter().map(|value| value.step as f64).sum::<f64>() / count;
            (
                step,
                steps.iter().map(|value| value.loss).sum::<f64>() / count,
            )
        })
        .collect();
    let last = curve.last().map_or(1.0, |value| value.step as f64);
    let most = points.iter().map(|(_, loss)| *loss).fold(0.0, f64::max);
    let unit = unit_of(most);
    let ticks: Vec<f64> = (0..=5).map(|tick| f64::from(tick) * unit).collect();
    let top = unit * 5.0;
    let x = |step: f64| round(LEFT + (step / last) * (RIGHT - LEFT));
    let y = |loss: f64| round(BOTTOM - loss / top * (BOTTOM - TOP));
    let line: Vec<String> = points
        .iter()
        .map(|(step, loss)| format!("{},{}", x(*step), y(*loss)))
        .collect();
    let words = match ends(curve) {
        Some([first, last]) => format!(
            "The loss goes from {first:.3} to {last:.3} in {} steps.",
            curve.len()
        ),
        None => "No step was made.".to_owned(),
    };
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby="curve-title curve-text" {
            title id="curve-title" { "Loss by step" }
            desc id="curve-text" { (words) }
            @for tick in ticks {
                line.grid x1=(LEFT) x2=(RIGHT) y1=(y(tick)) y2=(y(tick)) {}
                text.tick x=(LEFT - 6.0) y=(y(tick) + 4.0) text-anchor="end" { (format!("{tick:.2}")) }
            }
            @for quarter in 1..=4 {
                @let step = (last * f64::from(quarter) / 4.0).round();
                text.setting x=(x(step)) y=(HEIGHT - 10.0) text-anchor="end" { (step) }
            }
            g class="series series-0" { polyline.link points=(line.join(" ")) {} }
        }
    }
}

/// A fifth of an axis that reaches so far: 1, 2 or 5 times a power of ten.
fn unit_of(most: f64) -> f64 {
    let fifth = (most / 5.0).max(1e-3);
    let power = 10.0_f64.powf(fifth.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps
        .into_iter()
        .map(|step| step * power)
        .find(|unit| *unit >= fifth)
        .unwrap_or(power * 10.0)
}

/// A tenth is finer than a screen.
fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_ends_above_its_largest_value() {
        for (most, unit) in [(4.1, 1.0), (0.9, 0.2), (10.0, 2.0), (0.0, 0.001)] {
            assert!(
                (unit_of(most) - unit).abs() < 1e-9,
                "{most}: {}",
                unit_of(most)
            );
        }
    }
}
