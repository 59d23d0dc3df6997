//! The picture of the page: one small chart a group, settings from left to right, a mark for each retriever with
//! its interval, the ceiling and the floor as lines of their own.
//!
//! It is SVG written as markup, like the page around it: a plotting library would choose colors and sizes of
//! text that the page's style sheet could not reach, and the page is read on paper, on phones, light and dark.
//! Retrievers differ by shape as well as by color.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Score, Setting};
use maud::{Markup, html};

use super::{distinct, dose_of, group_name, number, setting_of, with_interval};

/// The box of a chart, in the units of its text.
pub(super) const WIDTH: f64 = 460.0;
pub(super) const HEIGHT: f64 = 300.0;
/// The box of its data.
const LEFT: f64 = 38.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = HEIGHT - 30.0;

/// A chart of a group; `scores` are those of one measure.
pub(super) fn chart(group: &str, measure: &str, scores: &[&Score], retrievers: &[&str]) -> Markup {
    let mut settings: Vec<Setting> = scores.iter().filter_map(|score| score.setting).collect();
    settings.sort_unstable();
    settings.dedup();
    let step = (RIGHT - LEFT) / settings.len().max(1) as f64;
    let center = |place: usize| LEFT + step * (place as f64 + 0.5);
    let id = format!("chart-{group}");
    let title = format!("{measure} in {group} by setting");
    let data = html! {
        @for (place, setting) in settings.iter().enumerate() {
            @let here: Vec<&Score> = scores.iter().copied().filter(|score| score.setting == Some(*setting)).collect();
            text.setting x=(round(center(place))) y=(HEIGHT - 10.0) text-anchor="middle" { (setting) }
            @if let Some(first) = here.first() {
                @if let Some(ceiling) = first.ceiling { (bound("ceiling", center(place), step, ceiling)) }
                @if let Some(floor) = first.floor { (bound("floor", center(place), step, floor)) }
            }
        }
        @for (which, retriever) in retrievers.iter().enumerate() {
            @let offset = (which as f64 - (retrievers.len() as f64 - 1.0) / 2.0) * (step * 0.6 / retrievers.len() as f64);
            @let points: Vec<(f64, &Score)> = settings
                .iter()
                .enumerate()
                .filter_map(|(place, setting)| {
                    let of = |score: &&&Score| score.setting == Some(*setting) && score.retriever == *retriever;
                    scores.iter().find(of).map(|score| (center(place) + offset, *score))
                })
                .collect();
            (series(which, &points))
        }
    };
    frame(&id, &title, &describe(scores), &data)
}

/// The axis of scores, with its marks.
fn frame(id: &str, title: &str, description: &str, data: &Markup) -> Markup {
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby={ (id) "-title " (id) "-text" } {
            title id={ (id) "-title" } { (title) }
            desc id={ (id) "-text" } { (description) }
            @for tick in 0..=5 {
                @let value = f64::from(tick) / 5.0;
                line.grid x1=(LEFT) x2=(RIGHT) y1=(height(value)) y2=(height(value)) {}
                text.tick x=(LEFT - 6.0) y=(height(value) + 4.0) text-anchor="end" { (format!("{value:.1}")) }
            }
            (data)
        }
    }
}

/// The scores of a retriever with their intervals, joined by a line.
fn series(which: usize, points: &[(f64, &Score)]) -> Markup {
    html! {
        g class={ "series series-" (which % SERIES) } {
            polyline.link points=(line(points)) {}
            @for (x, score) in points.iter().filter(|(_, score)| !score.too_few) {
                line.interval x1=(round(*x)) x2=(round(*x)) y1=(height(score.low)) y2=(height(score.high)) {}
                (shape(which, *x, height(score.value)))
            }
        }
    }
}

/// The mark of a retriever, for the legend.
pub(super) fn mark(which: usize) -> Markup {
    html! {
        svg.mark viewBox="0 0 16 16" aria-hidden="true" {
            g class={ "series series-" (which % SERIES) } { (shape(which, 8.0, 8.0)) }
        }
    }
}

/// The doses that a setting's names were changed by, and the score at each: a chart for each group and family of
/// settings that has two doses or more. The standard setting is the dose 0, the whole setting the dose 100.
pub(super) fn doses(measure: &str, scores: &[Score]) -> Markup {
    let mut curves: BTreeMap<(usize, Setting), Vec<(u8, &Score)>> = BTreeMap::new();
    let counted = scores
        .iter()
        .filter(|score| score.measure == measure && score.slice == "all");
    let groups = distinct(counted.clone().map(|score| score.group.as_deref()));
    for score in counted.clone() {
        if let Some((percent, whole)) = score.setting.and_then(dose_of) {
            let group = groups
                .iter()
                .position(|name| *name == score.group.as_deref());
            let curve = curves
                .entry((group.unwrap_or_default(), whole))
                .or_default();
            curve.push((percent, score));
        }
    }
    curves.retain(|_, points| {
        let doses: BTreeSet<u8> = points.iter().map(|(percent, _)| *percent).collect();
        doses.len() > 1
    });
    let charts = curves.into_iter().map(|((group, whole), mut points)| {
        let standard = counted
            .clone()
            .filter(|score| score.group.as_deref() == groups[group])
            .filter(|score| score.setting == Some(Setting::Standard));
        points.extend(standard.map(|score| (0, score)));
        points.sort_by_key(|(percent, _)| *percent);
        (groups[group].unwrap_or("all"), whole, points)
    });
    let charts: Vec<_> = charts.collect();
    html! {
        @if !charts.is_empty() {
            h3 { "By dose" }
            p.note { "The score by the share of names that was changed." }
            div.charts {
                @for (group, whole, points) in &charts {
                    figure {
                        figcaption { (group_name(Some(*group))) " " small { (whole) } }
                        (dose_chart(measure, group, *whole, points))
                    }
                }
            }
        }
    }
}

fn dose_chart(measure: &str, group: &str, whole: Setting, points: &[(u8, &Score)]) -> Markup {
    let position = |percent: u8| LEFT + 16.0 + f64::from(percent) / 100.0 * (RIGHT - LEFT - 32.0);
    let retrievers = distinct(points.iter().map(|(_, score)| score.retriever.as_str()));
    let id = format!("doses-{group}-{whole}");
    let title = format!("{measure} in {group} by dose of {whole}");
    let scores: Vec<&Score> = points.iter().map(|(_, score)| *score).collect();
    let data = html! {
        @for percent in [0, 25, 50, 75, 100] {
            text.setting x=(round(position(percent))) y=(HEIGHT - 10.0) text-anchor="middle" { (percent) " %" }
        }
        @for (which, retriever) in retrievers.iter().enumerate() {
            @let of: Vec<(f64, &Score)> = points
                .iter()
                .filter(|(_, score)| score.retriever == *retriever)
                .map(|(percent, score)| (position(*percent) + 3.0 * which as f64, *score))
                .collect();
            (series(which, &of))
        }
    };
    frame(&id, &title, &describe(&scores), &data)
}

/// Number of colors that the style sheet has.
const SERIES: usize = 6;

fn shape(which: usize, x: f64, y: f64) -> Markup {
    let (x, y) = (round(x), round(y));
    match which % 3 {
        0 => html! { circle cx=(x) cy=(y) r="4.5" {} },
        1 => html! { rect x=(x - 4.0) y=(y - 4.0) width="8" height="8" {} },
        _ => {
            html! { path d=(format!("M{x} {} L{} {} L{} {} Z", y - 5.5, x + 5.5, y + 4.5, x - 5.5, y + 4.5)) {} }
        }
    }
}

/// A dash across a setting's column, with its name if it can be distinguished from the frame.
fn bound(name: &str, center: f64, step: f64, value: f64) -> Markup {
    let half = step * 0.42;
    html! {
        line class={ "bound " (name) } x1=(round(center - half)) x2=(round(center + half)) y1=(height(value)) y2=(height(value)) {
            title { (name) " " (number(value)) }
        }
    }
}

fn line(points: &[(f64, &Score)]) -> String {
    let points = points.iter().filter(|(_, score)| !score.too_few);
    let points = points.map(|(x, score)| format!("{},{}", round(*x), height(score.value)));
    points.collect::<Vec<_>>().join(" ")
}

/// The vertical position of a value.
fn height(value: f64) -> f64 {
    round(BOTTOM - value.clamp(0.0, 1.0) * (BOTTOM - TOP))
}

/// A tenth is finer than a screen; more digits would only make the page longer.
fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// The chart in words, for readers who do not see it.
fn describe(scores: &[&Score]) -> String {
    let values = scores.iter().map(|score| {
        format!(
            "{} in {}: {}, ceiling {}",
            score.retriever,
            setting_of(score.setting),
            with_interval(score),
            super::bound(score.ceiling)
        )
    });
    values.collect::<Vec<_>>().join("; ")
}
