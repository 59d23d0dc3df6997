//! The cost of settings, on the terminal and on the page: drops with paired intervals, dose curves, and the outcome
//! of single queries from one setting to the next.

use std::collections::{BTreeMap, BTreeSet};

use barecode_evaluate::POOLED;
use barecode_records::{Difference, QueryScore, Score, Setting, SettingDrop};
use maud::{Markup, html};

use super::{
    distinct, figure, grid, group_name, markup, number, percent, too_few, unsigned_zero, with_draws,
};
use barecode_runs::console::{Screen, grouped};

/// A query counts as answered if its answer is expected within this many ranks.
pub const WITHIN: f64 = 10.0;

/// All that is reported about robustness.
pub struct Robustness<'a> {
    /// The cost of settings.
    pub drops: &'a [SettingDrop],
    /// The differences between retrievers.
    pub differences: &'a [Difference],
    /// The outcomes of single queries.
    pub trajectories: &'a [Trajectory],
}

/// The queries of one retriever and group by the settings in which they are answered.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Trajectory {
    /// The retriever.
    pub retriever: String,
    /// The group of the subsets; empty if they have none.
    pub group: String,
    /// The settings, in order; of a setting that is drawn the worst draw counts.
    pub settings: Vec<Setting>,
    /// The ways of queries across the settings, the most frequent first.
    pub ways: Vec<Way>,
}

/// Queries that are answered in the same settings.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Way {
    /// True for the settings in which they are answered.
    pub answered: Vec<bool>,
    /// The number of queries.
    pub queries: u32,
    /// Three of them, by id.
    pub examples: Vec<String>,
}

/// The worst rank of each query's answer in each setting.
type Ranks<'a> = BTreeMap<&'a str, BTreeMap<Setting, f64>>;

/// Follows every query across the settings.
pub fn trajectories(rows: &[QueryScore]) -> Vec<Trajectory> {
    let Some(measure) = rows.first().map(|row| &row.measure) else {
        return Vec::new();
    };
    // The rank of an answer is the same for all measures of a query.
    let mut ranks: BTreeMap<(&str, &str), Ranks<'_>> = BTreeMap::new();
    let rows = rows.iter().filter(|row| row.measure == *measure);
    let order = distinct(rows.clone().map(|row| row.retriever.as_str()));
    let mut groups: Vec<&str> = Vec::new();
    for row in rows {
        let Some(setting) = row.setting else {
            continue;
        };
        let group = row.group.as_deref().unwrap_or_default();
        groups.push(group);
        let of_query = ranks.entry((group, &row.retriever)).or_default();
        let of_setting = of_query.entry(row.query_id.as_str()).or_default();
        let worst = of_setting.entry(setting).or_insert(0.0);
        *worst = worst.max(row.answer_rank.unwrap_or(f64::INFINITY));
    }
    let groups = distinct(groups);
    let mut found: Vec<Trajectory> = ranks
        .into_iter()
        .map(|((group, retriever), queries)| {
            let settings: BTreeSet<Setting> =
                queries.values().flat_map(|of| of.keys().copied()).collect();
            let settings: Vec<Setting> = settings.into_iter().collect();
            let mut ways: BTreeMap<Vec<bool>, Vec<&str>> = BTreeMap::new();
            for (query, ranks) in &queries {
                let answered = settings
                    .iter()
                    .map(|setting| ranks.get(setting).is_some_and(|rank| *rank <= WITHIN));
                ways.entry(answered.collect()).or_default().push(query);
            }
            let mut ways: Vec<Way> = ways
                .into_iter()
                .map(|(answered, queries)| Way {
                    answered,
                    queries: u32::try_from(queries.len()).unwrap_or(u32::MAX),
                    examples: queries.iter().take(3).map(|id| (*id).to_owned()).collect(),
                })
                .collect();
            ways.sort_by(|a, b| b.queries.cmp(&a.queries).then(b.answered.cmp(&a.answered)));
            Trajectory {
                retriever: retriever.to_owned(),
                group: group.to_owned(),
                settings,
                ways,
            }
        })
        .collect();
    found.sort_by_key(|one| {
        (
            groups.iter().position(|name| *name == one.group),
            order.iter().position(|name| *name == one.retriever),
        )
    });
    found
}

const HEADS: [&str; 9] = [
    "group",
    "retriever",
    "setting",
    "queries",
    "standard",
    "value",
    "drop",
    "relative",
    "worst case",
];

/// The drops of one measure as a table, and the ways of queries below it.
pub fn terminal(
    robustness: &Robustness<'_>,
    measure: &str,
    confidence: f64,
    screen: Screen,
) -> String {
    let drops = robustness.drops.iter();
    let drops = drops.filter(|drop| drop.measure == measure);
    let mut text = format!(
        "{measure}: what each setting costs against the standard one, with {} paired intervals; worst case: mean over \
         queries of the worst draw; * the randomization test gives p < 0.01\n{}",
        percent(confidence),
        grid::table(3, &HEADS, drops.map(cells), screen)
    );
    text.extend(robustness.trajectories.iter().map(as_lines));
    text
}

/// The ways of one retriever's queries as lines.
fn as_lines(trajectory: &Trajectory) -> String {
    let settings: Vec<String> = trajectory.settings.iter().map(Setting::to_string).collect();
    let head = format!(
        "\n{}, {}: queries whose answer is within rank {WITHIN} in ({})",
        trajectory.retriever,
        trajectory.group,
        settings.join(", ")
    );
    let ways = trajectory.ways.iter().take(8).map(|way| {
        format!(
            "\n  {}  {:>6}  such as {}",
            marks(&way.answered),
            grouped(way.queries.into()),
            way.examples.join(", ")
        )
    });
    [head].into_iter().chain(ways).collect()
}

fn cells(drop: &SettingDrop) -> Vec<String> {
    let mut cells = vec![
        drop.group.clone().unwrap_or_default(),
        drop.retriever.clone(),
        with_draws(Some(drop.setting), drop.draws),
        grouped(drop.queries.into()),
    ];
    if drop.too_few {
        cells.extend(vec!["too few".to_owned(); 5]);
        return cells;
    }
    cells.extend([
        number(drop.standard),
        number(drop.value),
        with_interval(drop),
        relative(drop),
        number(drop.worst_case),
    ]);
    cells
}

/// `0.312* [0.280, 0.344]`.
fn with_interval(drop: &SettingDrop) -> String {
    let star = if drop.p < 0.01 { "*" } else { "" };
    let [value, low, high] = [drop.drop, drop.low, drop.high].map(signed);
    format!("{value}{star} [{low}, {high}]")
}

/// Three digits, and no sign if they are all zero.
pub(super) fn signed(value: f64) -> String {
    number(unsigned_zero(value))
}

/// `62.1 % [55.0, 69.0]`.
pub(super) fn relative(drop: &SettingDrop) -> String {
    let (Some(value), Some(low), Some(high)) =
        (drop.relative, drop.relative_low, drop.relative_high)
    else {
        return "–".to_owned();
    };
    let [value, low, high] = [value, low, high].map(|share| (share * 1000.0).round() / 10.0 + 0.0);
    format!("{value:.1} % [{low:.1}, {high:.1}]")
}

/// `●○○`: in which settings.
fn marks(answered: &[bool]) -> String {
    answered
        .iter()
        .map(|answered| if *answered { '●' } else { '○' })
        .collect()
}

/// A section of the page.
pub(super) fn section(
    robustness: &Robustness<'_>,
    scores: &[Score],
    measure: &str,
    confidence: f64,
) -> Markup {
    let drops: Vec<&SettingDrop> = robustness
        .drops
        .iter()
        .filter(|drop| drop.measure == measure)
        .collect();
    html! {
        @if !drops.is_empty() {
            h2 #robustness { "The value of names" }
            p.note {
                (measure) " under the standard setting less " (measure) " under each other one, on the same queries. Intervals are "
                (percent(confidence)) " paired intervals; p is of the paired randomization test, two-sided. Of a setting that is "
                "drawn, each query's draws are averaged; the worst case takes the worst draw of each query."
            }
            @let (pooled, others): (Vec<&SettingDrop>, Vec<&SettingDrop>) =
                drops.iter().partition(|drop| drop.group.as_deref() == Some(POOLED));
            @if pooled.is_empty() {
                (of_drops("Drops", &others))
            } @else {
                (of_drops("Drops", &pooled))
                details { summary { "The same for each group" } (of_drops("Drops by group", &others)) }
            }
            (between(robustness.differences, measure))
            (figure::doses(measure, scores))
            (ways(robustness.trajectories))
        }
    }
}

fn of_drops(label: &str, drops: &[&SettingDrop]) -> Markup {
    markup::scroll(
        label,
        html! {
            table {
                (markup::heads(&["Group", "Retriever", "Setting"], &["Standard", "Value", "Drop", "Relative", "p", "Worst case"]))
                tbody { @for drop in drops { (row(drop)) } }
            }
        },
    )
}

fn row(drop: &SettingDrop) -> Markup {
    html! {
        tr {
            td { (group_name(drop.group.as_deref())) }
            th scope="row" { (drop.retriever) }
            td { (with_draws(Some(drop.setting), drop.draws)) }
            @if drop.too_few {
                td.num colspan="6" { (too_few(drop.queries.into())) }
            } @else {
            td.num { (number(drop.standard)) }
            td.num { (number(drop.value)) }
            td.num { (signed(drop.drop)) small { "[" (signed(drop.low)) ", " (signed(drop.high)) "]" } }
            td.num { (relative(drop)) }
            td.num { (chance(drop.p)) }
            td.num {
                (number(drop.worst_case))
                @if let Some(error) = drop.draw_error { small { "± " (format!("{error:.4}")) " over draws" } }
            }
            }
        }
    }
}

/// `0.003`, or that it is less.
pub fn chance(p: f64) -> String {
    if p < 0.001 {
        "< 0.001".to_owned()
    } else {
        number(p)
    }
}

/// Pairs of retrievers that the queries do not distinguish.
fn between(differences: &[Difference], measure: &str) -> Markup {
    let of_measure: Vec<&Difference> = differences
        .iter()
        .filter(|one| one.measure == measure)
        .collect();
    html! {
        @if !of_measure.is_empty() {
            details {
                summary { "Differences between retrievers, with Holm's correction" }
                (markup::scroll("Differences", html! {
                    table {
                        (markup::heads(&["Group", "Setting", "Retrievers"], &["Difference", "p, corrected"]))
                        tbody {
                            @for one in of_measure {
                                tr {
                                    td { (group_name(one.group.as_deref())) }
                                    td { (super::setting_of(one.setting)) }
                                    th scope="row" { (one.first) " − " (one.second) }
                                    @if one.too_few {
                                        td.num colspan="2" { (too_few(one.queries.into())) }
                                    } @else {
                                        td.num { (number(one.difference)) small { "[" (number(one.low)) ", " (number(one.high)) "]" } }
                                        td.num { (chance(one.p_holm)) }
                                    }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }
}

fn ways(trajectories: &[Trajectory]) -> Markup {
    html! {
        @if !trajectories.is_empty() {
            h3 { "Query by query" }
            p.note {
                "Settings with the answer within rank " (WITHIN) " (●) or not (○), of drawn settings in every draw. "
                code { "barecode show QUERY RECIPE" } " shows the ranks of a query."
            }
            @for trajectory in trajectories {
                details {
                    summary { (group_name(Some(trajectory.group.as_str()))) ", " (trajectory.retriever) }
                    (markup::scroll("Queries by settings", html! {
                        table {
                            thead {
                                tr {
                                    @for setting in &trajectory.settings { th scope="col" { (setting) } }
                                    th.num scope="col" { "Queries" }
                                    th scope="col" { "Such as" }
                                }
                            }
                            tbody {
                                @for way in &trajectory.ways {
                                    tr {
                                        @for answered in &way.answered { td { @if *answered { "●" } @else { "○" } } }
                                        td.num { (grouped(way.queries.into())) }
                                        td.mono { (way.examples.join(" ")) }
                                    }
                                }
                            }
                        }
                    }))
                }
            }
        }
    }
}
