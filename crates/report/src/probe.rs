//! Probes: the similarity that a model assigns to clones, bugs and unrelated programs (pydra, Tables 5 to 8, Figures
//! 6 to 8).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use barecode_records::{ProbeScore, Relation};
use barecode_scores::Interval;
use barecode_scores::intervals::FEWEST_QUERIES;
use maud::{Markup, html};

use super::page::TOLD_FROM;
use super::{distinct, grid, interval, markup, number, percent, too_few};
use barecode_runs::console::{Screen, grouped};

/// The columns of the first table.
const SIMILAR: &str = "similarity: mean ± standard deviation, of a model the cosine of vectors, of `jaccard` the \
    share of tokens in common; top-1 and RR: where a clone ranks among the nearest \
    other programs";

/// The columns of the second table.
const AGAINST: &str = "clone over bug: programs whose clone is more like them than their bug is; AUC: over all thresholds; \
    threshold: mean similarity of random pairs as long as the clones, for accuracy, precision and recall";

/// The numbers of all programs together: not of one bin of lengths, not of one transform.
fn find<'a>(
    scores: &'a [ProbeScore],
    retriever: &str,
    measure: &str,
    relation: Relation,
    (pipeline, against): (Option<&str>, Option<&str>),
) -> Option<&'a ProbeScore> {
    scores.iter().find(|score| {
        score.retriever == retriever
            && score.measure == measure
            && score.relation == Some(relation)
            && score.pipeline.as_deref() == pipeline
            && score.against.as_deref() == against
            && score.bin.is_none()
            && score.transform.is_none()
    })
}

fn shown(score: Option<&ProbeScore>) -> String {
    let Some(score) = score else {
        return "–".to_owned();
    };
    if score.n < FEWEST_QUERIES as u64 {
        return too_few(score.n);
    }
    if let Some(deviation) = score.deviation {
        return format!("{} ± {deviation:.2}", number(score.value));
    }
    if !score.value.is_finite() {
        return "–".to_owned();
    }
    let &ProbeScore {
        value, low, high, ..
    } = score;
    interval(&Interval { value, low, high }, 3)
}

/// The retrievers of these scores, in their order.
fn retrievers(scores: &[ProbeScore]) -> Vec<&str> {
    distinct(scores.iter().map(|score| score.retriever.as_str()))
}

/// A row for each retriever and kind of pair: by pipeline, if one made them.
fn pairs(scores: &[ProbeScore]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for retriever in retrievers(scores) {
        let of = scores.iter().filter(|score| {
            score.retriever == retriever
                && score.measure == "similarity"
                && score.bin.is_none()
                && score.transform.is_none()
        });
        let mut of: Vec<&ProbeScore> = of.collect();
        of.sort_by_key(|score| score.relation);
        for score in of {
            let Some(relation) = score.relation else {
                continue;
            };
            let pipeline = score.pipeline.as_deref();
            let rank = |measure| match relation {
                Relation::Clone => {
                    shown(find(scores, retriever, measure, relation, (pipeline, None)))
                }
                _ => String::new(),
            };
            rows.push(vec![
                retriever.to_owned(),
                match pipeline {
                    Some(pipeline) => format!("{} by {pipeline}", relation.name()),
                    None => relation.name().to_owned(),
                },
                score.n.to_string(),
                shown(Some(score)),
                rank("top-1"),
                rank("reciprocal-rank"),
            ]);
        }
    }
    rows
}

/// A row for each retriever, pipeline of clones and pipeline of bugs.
fn told(scores: &[ProbeScore]) -> Vec<Vec<String>> {
    let classified = scores.iter().filter(|score| score.measure == "accuracy");
    let row = |score: &'_ ProbeScore| {
        let (clones, bugs) = (score.pipeline.as_deref(), score.against.as_deref());
        let of = |measure, against| {
            let retriever = score.retriever.as_str();
            let made_by = (clones, against);
            shown(find(scores, retriever, measure, Relation::Clone, made_by))
        };
        vec![
            score.retriever.clone(),
            clones.unwrap_or("–").to_owned(),
            bugs.unwrap_or("–").to_owned(),
            score.n.to_string(),
            of("clone-above-bug", bugs),
            of("auc", bugs),
            of("length-normalized", None),
            of("accuracy", bugs),
            of("precision", bugs),
            of("recall", bugs),
        ]
    };
    classified.map(row).collect()
}

/// The number of programs for which each of these retrievers finds the clone of one pipeline more similar to the
/// program than the bug of another; `None` if no retriever has enough programs.
pub(super) fn headline(
    scores: &[ProbeScore],
    retrievers: &[&str],
    (clones, bugs): (&str, &str),
) -> Option<String> {
    let share = |value: f64| (value * 100.0).round() + 0.0;
    let told = retrievers.iter().filter_map(|&retriever| {
        let made_by = (Some(clones), Some(bugs));
        let clone = Relation::Clone;
        let found = find(scores, retriever, "clone-above-bug", clone, made_by)?;
        (found.n >= TOLD_FROM).then_some((retriever, found))
    });
    let (said, programs): (Vec<String>, Vec<u64>) = told
        .map(|(retriever, found)| {
            let [value, low, high] = [found.value, found.low, found.high].map(share);
            let said = format!("{value} % [{low}, {high}] ({retriever})");
            (said, found.n)
        })
        .unzip();
    let programs = grouped(*programs.first()?);
    Some(format!(
        "The clone by {clones} is more like its program than the bug by {bugs} for {} of {programs} programs; a guess \
         is right for 50 %.",
        said.join(", ")
    ))
}

/// The tables on the terminal; `None` without a probe.
pub fn terminal(scores: &[ProbeScore], confidence: f64, screen: Screen) -> Option<String> {
    let first = scores.first()?;
    let heads = [
        "retriever",
        "pairs",
        "pairs or programs",
        "similarity",
        "top-1",
        "RR",
    ];
    let similar = grid::table(2, &heads, pairs(scores), screen);
    let heads = [
        "retriever",
        "clones by",
        "bugs by",
        "programs",
        "clone over bug",
        "AUC",
        "threshold",
        "accuracy",
        "precision",
        "recall",
    ];
    let (subset, confidence) = (&first.subset, percent(confidence));
    let mut text = format!(
        "\nprobe of `{subset}` [{confidence} interval over programs]: {SIMILAR}\n{similar}"
    );
    let rows = told(scores);
    if !rows.is_empty() {
        let told = grid::table(3, &heads, rows, screen);
        // Writing to a text does not fail.
        let _ = write!(text, "\n\nclones against bugs: {AGAINST}\n{told}");
    }
    Some(text)
}

/// The section of the page; empty without a probe.
pub(super) fn section(scores: &[ProbeScore], confidence: f64) -> Markup {
    html! {
        @if !scores.is_empty() {
            h2 #probe { "Clones and bugs" }
            p.note { (markup::prose(SIMILAR)) ". Intervals (" (percent(confidence)) ") are over programs." }
            (markup::table("Similarity", 2, &["Retriever", "Pairs", "Pairs or programs", "Similarity", "Top-1", "RR"], pairs(scores)))
            p.note { (AGAINST) "." }
            (markup::table("Clones against bugs", 3, &[
                "Retriever", "Clones by", "Bugs by", "Programs", "Clone over bug", "AUC", "Threshold", "Accuracy", "Precision", "Recall",
            ], told(scores)))
            h3 { "Similarity to the program" }
            p.note { "The mean, and one standard deviation to both sides." }
            div.charts { @for retriever in retrievers(scores) {
                figure { figcaption { (retriever) } (spread(scores, retriever)) }
            } }
            h3 { "Random pairs by length" }
            p.note { "The mean similarity of programs that have nothing to do with each other, by their lengths in tokens of Python: a model that sees only what code means has the same number everywhere." }
            div.charts { @for retriever in retrievers(scores) {
                figure {
                    figcaption { (retriever) }
                    (markup::scroll(&format!("Random pairs by length, {retriever}"), lengths(scores, retriever)))
                }
            } }
            (transforms(scores))
        }
    }
}

const WIDTH: f64 = 460.0;
const LEFT: f64 = 130.0;
const LINE: f64 = 24.0;

/// A line for each kind of pair.
fn spread(scores: &[ProbeScore], retriever: &str) -> Markup {
    let of = scores.iter().filter(|score| {
        score.retriever == retriever
            && score.measure == "similarity"
            && score.bin.is_none()
            && score.transform.is_none()
            && score.n >= FEWEST_QUERIES as u64
    });
    let lines: Vec<(String, usize, &ProbeScore)> = of
        .filter_map(|score| {
            let relation = score.relation?;
            let name = score.pipeline.as_deref().unwrap_or(relation.name());
            Some((name.to_owned(), relation as usize, score))
        })
        .collect();
    let low = lines
        .iter()
        .map(|(.., score)| score.value - score.deviation.unwrap_or(0.0));
    let low = low.fold(0.0_f64, f64::min).max(-1.0);
    let place = |value: f64| {
        let share = (value.clamp(low, 1.0) - low) / (1.0 - low);
        round(LEFT + share * (WIDTH - LEFT - 12.0))
    };
    let height = LINE * lines.len() as f64 + 30.0;
    let words: Vec<String> = lines
        .iter()
        .map(|(name, _, score)| format!("{name}: {}", shown(Some(score))))
        .collect();
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (height) } role="img" aria-label={ "Similarity by " (retriever) ": " (words.join("; ")) } {
            @for tick in [low, f64::midpoint(low, 1.0), 1.0] {
                line.grid x1=(place(tick)) x2=(place(tick)) y1="6" y2=(height - 24.0) {}
                text.tick x=(place(tick)) y=(height - 8.0) text-anchor="middle" { (format!("{tick:.1}")) }
            }
            @for (at, (name, series, score)) in lines.iter().enumerate() {
                @let y = round(LINE * (at as f64 + 0.5) + 6.0);
                @let deviation = score.deviation.unwrap_or(0.0);
                g class={ "series series-" (series % 6) } {
                    line.interval x1=(place(score.value - deviation)) x2=(place(score.value + deviation)) y1=(y) y2=(y) {}
                    circle cx=(place(score.value)) cy=(y) r="4.5" { title { (name) " " (number(score.value)) } }
                }
                text.setting x=(LEFT - 8.0) y=(y + 4.0) text-anchor="end" { (name) }
            }
        }
    }
}

/// The cells of lengths, as a table whose numbers also have shades.
fn lengths(scores: &[ProbeScore], retriever: &str) -> Markup {
    let cells: BTreeMap<(u32, u32), &ProbeScore> = scores
        .iter()
        .filter(|score| score.retriever == retriever && score.relation == Some(Relation::Random))
        .filter_map(|score| Some(((score.bin?, score.other_bin?), score)))
        .collect();
    let bins = distinct(cells.keys().flat_map(|(first, second)| [*first, *second]));
    let mut bins: Vec<u32> = bins;
    bins.sort_unstable();
    let label = |at: usize| match bins.get(at + 1) {
        Some(next) => format!("{}–{}", bins[at], next - 1),
        None => format!("{}–", bins[at]),
    };
    html! {
        table.cells {
            thead { tr { th scope="col" { "tokens" } @for at in 0..bins.len() { th.num scope="col" { (label(at)) } } } }
            tbody {
                @for (at, first) in bins.iter().enumerate() {
                    tr {
                        th scope="row" { (label(at)) }
                        @for second in &bins {
                            @let cell = cells.get(&(*first.min(second), *first.max(second)));
                            @match cell {
                                Some(cell) => td.num title={ (cell.n) " pairs" } style={ "--shade: " (shade(cell.value)) } { (format!("{:.2}", cell.value)) },
                                None => td.num { "–" },
                            }
                        }
                    }
                }
            }
        }
    }
}

/// A share for the style sheet, low enough that the number on it can be read in light and in dark.
fn shade(value: f64) -> String {
    format!("{:.0}%", value.clamp(0.0, 1.0) * 45.0)
}

/// The effect of each transform alone; empty if no pipeline applied one alone.
fn transforms(scores: &[ProbeScore]) -> Markup {
    let of = |measure: &'static str| {
        let of = scores.iter().filter(move |score| score.measure == measure);
        of.filter(|score| score.transform.is_some())
    };
    html! {
        @if of("similarity").next().is_some() {
            h3 { "One transform alone" }
            p.note { "Variants that one transform made: their similarity, and the shift by each change." }
            (markup::scroll("One transform alone", html! {
                table {
                    (markup::heads(&["Retriever", "Makes", "Transform"], &["Programs", "Similarity", "Change a place"]))
                    tbody {
                        @for score in of("similarity") {
                            @let change = of("change").find(|other| {
                                (&other.retriever, other.relation, &other.transform) == (&score.retriever, score.relation, &score.transform)
                            });
                            tr {
                                th scope="row" { (score.retriever) }
                                td { (score.relation.map_or("", Relation::name)) }
                                td { (score.transform.as_deref().unwrap_or_default()) }
                                td.num { (score.n) }
                                td.num { (shown(Some(score))) }
                                td.num { (change.map_or_else(String::new, |change| format!("{:.4}", change.value))) }
                            }
                        }
                    }
                }
            }))
        }
    }
}

/// A tenth is finer than a screen.
fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_headline_is_about_the_pipelines_and_models_that_are_asked_about() {
        let score = |retriever: &str, n: u64, value: f64| ProbeScore {
            retriever: retriever.to_owned(),
            subset: "programs".to_owned(),
            measure: "clone-above-bug".to_owned(),
            relation: Some(Relation::Clone),
            pipeline: Some("positive".to_owned()),
            against: Some("negative".to_owned()),
            transform: None,
            bin: None,
            other_bin: None,
            value,
            low: value - 0.1,
            high: value + 0.1,
            deviation: None,
            n,
            missing: 0,
        };
        let scores = [
            score("small", 155, 0.13),
            score("large", 155, 0.6),
            score("few", 19, 0.9),
        ];
        let told = |names: &[&str], made_by| headline(&scores, names, made_by);
        assert_eq!(
            told(&["large", "few", "small"], ("positive", "negative")).as_deref(),
            Some(
                "The clone by positive is more like its program than the bug by negative for 60 % [50, 70] (large), \
                 13 % [3, 23] (small) of 155 programs; a guess is right for 50 %."
            )
        );
        assert_eq!(told(&["few"], ("positive", "negative")), None);
        assert_eq!(told(&["large"], ("renamed", "negative")), None);
    }
}
