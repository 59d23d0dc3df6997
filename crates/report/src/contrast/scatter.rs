//! The ranks that two systems give the same answers, as a picture and as a table.

use std::collections::BTreeMap;

use barecode_runs::console::grouped;
use maud::{Markup, html};

use crate::browse::List;
use crate::markup;

/// The side of the picture, and the box of its data, in the units of its text.
const SIDE: f64 = 420.0;
const LEFT: f64 = 92.0;
const BOTTOM: f64 = 370.0;
/// The width of a band of ranks: neighbors differ by a quarter, so the first four ranks have bands of their own.
const STEP: f64 = 1.25;
/// The last band of ranks, about 1,000; answers further down are drawn there.
const LAST: u32 = 31;
/// The band of answers that were not retrieved.
const NONE: u32 = 34;

/// The bands of the table, by their lowest rank.
const BANDS: [(f64, &str); 5] = [
    (1.0, "1"),
    (1.0001, "2–3"),
    (3.5, "4–10"),
    (10.5, "11–100"),
    (100.5, "> 100"),
];

/// The picture, and below it the counts of its bands. `pairs` are the lists of the first and of the second system.
pub(super) fn scatter(id: &str, names: (&str, &str), pairs: &[(&List, &List)]) -> Markup {
    let mut circles: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    for (one, other) in pairs {
        *circles.entry((band(one), band(other))).or_default() += 1;
    }
    let count = |keep: fn(&(u32, u32)) -> bool| -> u64 {
        let kept = circles.iter().filter(|(place, _)| keep(place));
        kept.map(|(_, count)| *count).sum()
    };
    let description = format!(
        "Of {} queries {} ranks the answer higher on {} and {} on {}; on {} the ranks are about equal.",
        grouped(pairs.len() as u64),
        names.0,
        grouped(count(|(one, other)| one < other)),
        names.1,
        grouped(count(|(one, other)| one > other)),
        grouped(count(|(one, other)| one == other)),
    );
    let most = circles.values().max().copied().unwrap_or(1) as f64;
    let ticks = [(0, "1"), (10, "10"), (21, "100"), (NONE, "not found")];
    html! {
        figure {
            figcaption { "Ranks of the answers" }
            svg.chart.scatter viewBox={ "0 0 " (SIDE) " " (SIDE) } role="img" aria-labelledby={ (id) "-title " (id) "-text" } {
                title id={ (id) "-title" } { "Ranks of the answers under " (names.0) " and " (names.1) }
                desc id={ (id) "-text" } { (description) }
                line.grid x1=(across(0)) y1=(up(0)) x2=(across(NONE)) y2=(up(NONE)) {}
                @for (at, name) in ticks {
                    line.grid x1=(across(at)) x2=(across(at)) y1=(up(0)) y2=(up(NONE)) {}
                    line.grid x1=(across(0)) x2=(across(NONE)) y1=(up(at)) y2=(up(at)) {}
                    text.tick x=(across(at)) y=(BOTTOM + 24.0) text-anchor={ @if at == NONE { "end" } @else { "middle" } } { (name) }
                    text.tick x=(LEFT - 14.0) y=(up(at) + 4.0) text-anchor="end" { (name) }
                }
                text.setting x=(across(NONE / 2)) y=(SIDE - 6.0) text-anchor="middle" { "rank under " (names.0) }
                text.setting x="14" y=(up(NONE / 2)) text-anchor="middle" transform={ "rotate(-90 14 " (up(NONE / 2)) ")" } { "rank under " (names.1) }
                g.series.series-0 {
                    @for ((one, other), count) in &circles {
                        circle cx=(across(*one)) cy=(up(*other)) r=(radius(*count as f64, most)) fill-opacity="0.45" {}
                    }
                }
            }
            p.note { (description) " Above the diagonal " (names.0) " is better. The area of a circle is a number of queries." }
        }
        figure {
            figcaption { "The same as a table" br; small { "Rows are ranks under " (names.0) ", columns ranks under " (names.1) "." } }
            (bands(names, pairs))
        }
    }
}

/// The counts of queries by the ranks under both systems.
fn bands((first, second): (&str, &str), pairs: &[(&List, &List)]) -> Markup {
    let of = |list: &List| match list.rank {
        None => BANDS.len(),
        Some(rank) => BANDS.iter().filter(|(low, _)| rank >= *low).count() - 1,
    };
    let mut counts = [[0_u64; BANDS.len() + 1]; BANDS.len() + 1];
    for (one, other) in pairs {
        counts[of(one)][of(other)] += 1;
    }
    let mut names: Vec<&str> = BANDS.iter().map(|(_, name)| *name).collect();
    names.push("not found");
    let heads: Vec<&str> = ["Rank"].into_iter().chain(names.iter().copied()).collect();
    let rows = names.iter().zip(counts).map(|(name, counts)| {
        let counts = counts.into_iter().map(grouped);
        [(*name).to_owned()].into_iter().chain(counts).collect()
    });
    let label = format!("Queries by rank under {first} and {second}");
    markup::table(&label, 1, &heads, rows)
}

/// The band of a rank.
fn band(list: &List) -> u32 {
    let Some(rank) = list.rank else {
        return NONE;
    };
    let steps = rank.max(1.0).ln() / STEP.ln();
    (0..=LAST)
        .rev()
        .find(|band| f64::from(*band) <= steps + 0.5)
        .unwrap_or_default()
}

fn across(band: u32) -> f64 {
    round(LEFT + f64::from(band) / f64::from(NONE) * (SIDE - LEFT - 20.0))
}

fn up(band: u32) -> f64 {
    round(BOTTOM - f64::from(band) / f64::from(NONE) * (BOTTOM - 16.0))
}

fn radius(count: f64, most: f64) -> f64 {
    round(1.5 + 10.5 * (count / most).sqrt())
}

fn round(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
