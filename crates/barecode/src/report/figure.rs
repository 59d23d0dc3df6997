//! The picture of the page: one small chart a view, settings from left to right, a mark for each retriever with
//! its interval, the ceiling and the floor as lines of their own.
//!
//! It is SVG written as markup, like the page around it: a plotting library would choose colors and sizes of
//! text that the page's style sheet could not reach, and the page is read on paper, on phones, light and dark.
//! Retrievers differ by shape as well as by color.

use barecode_records::{Score, Setting, View};
use maud::{Markup, html};

use super::{number, with_interval};

/// The box of a chart, in the units of its text.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 300.0;
/// The box of its data.
const LEFT: f64 = 38.0;
const RIGHT: f64 = WIDTH - 8.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = HEIGHT - 30.0;

/// A chart of a view; `scores` are those of one measure.
pub(super) fn chart(view: View, measure: &str, scores: &[&Score], retrievers: &[&str]) -> Markup {
    let mut settings: Vec<Setting> = scores.iter().map(|score| score.setting).collect();
    settings.sort_unstable();
    settings.dedup();
    let step = (RIGHT - LEFT) / settings.len().max(1) as f64;
    let center = |place: usize| LEFT + step * (place as f64 + 0.5);
    let id = format!("chart-{view}");
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } role="img" aria-labelledby={ (id) "-title " (id) "-text" } {
            title id={ (id) "-title" } { (measure) " in " (view) " by setting" }
            desc id={ (id) "-text" } { (describe(scores)) }
            @for tick in 0..=5 {
                @let value = f64::from(tick) / 5.0;
                line.grid x1=(LEFT) x2=(RIGHT) y1=(height(value)) y2=(height(value)) {}
                text.tick x=(LEFT - 6.0) y=(height(value) + 4.0) text-anchor="end" { (format!("{value:.1}")) }
            }
            @for (place, setting) in settings.iter().enumerate() {
                @let here: Vec<&Score> = scores.iter().copied().filter(|score| score.setting == *setting).collect();
                text.setting x=(round(center(place))) y=(HEIGHT - 10.0) text-anchor="middle" { (setting) }
                @if let Some(first) = here.first() {
                    (bound("ceiling", center(place), step, first.ceiling))
                    (bound("floor", center(place), step, first.floor))
                }
            }
            @for (which, retriever) in retrievers.iter().enumerate() {
                @let offset = (which as f64 - (retrievers.len() as f64 - 1.0) / 2.0) * (step * 0.6 / retrievers.len() as f64);
                @let points: Vec<(f64, &Score)> = settings
                    .iter()
                    .enumerate()
                    .filter_map(|(place, setting)| {
                        let of = |score: &&&Score| score.setting == *setting && score.retriever == *retriever;
                        scores.iter().find(of).map(|score| (center(place) + offset, *score))
                    })
                    .collect();
                g class={ "series series-" (which % SERIES) } {
                    polyline.link points=(line(&points)) {}
                    @for (x, score) in &points {
                        line.interval x1=(round(*x)) x2=(round(*x)) y1=(height(score.low)) y2=(height(score.high)) {}
                        (shape(which, *x, height(score.value)))
                    }
                }
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

/// How many colors the style sheet has.
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

/// A dash across a setting's place, with its name where it can be told from the frame.
fn bound(name: &str, center: f64, step: f64, value: f64) -> Markup {
    let half = step * 0.42;
    html! {
        line class={ "bound " (name) } x1=(round(center - half)) x2=(round(center + half)) y1=(height(value)) y2=(height(value)) {
            title { (name) " " (number(value)) }
        }
    }
}

fn line(points: &[(f64, &Score)]) -> String {
    let points = points
        .iter()
        .map(|(x, score)| format!("{},{}", round(*x), height(score.value)));
    points.collect::<Vec<_>>().join(" ")
}

/// The vertical place of a value.
fn height(value: f64) -> f64 {
    round(BOTTOM - value.clamp(0.0, 1.0) * (BOTTOM - TOP))
}

/// A tenth is finer than a screen; more digits would only make the page longer.
fn round(place: f64) -> f64 {
    (place * 10.0).round() / 10.0
}

/// The chart in words, for those who do not see it.
fn describe(scores: &[&Score]) -> String {
    let values = scores.iter().map(|score| {
        format!(
            "{} in {}: {}, ceiling {}",
            score.retriever,
            score.setting,
            with_interval(score),
            number(score.ceiling)
        )
    });
    values.collect::<Vec<_>>().join("; ")
}
