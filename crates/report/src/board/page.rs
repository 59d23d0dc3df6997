//! The page of a board.

use barecode_results::board::Board;
use barecode_results::stated::{Mean, RESULTS, SystemResult};
use barecode_runs::console::grouped;
use barecode_scores::comparison::Plan;
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::{Interval, Ties};
use maud::{Markup, PreEscaped, html};

use super::{Cell, Table, digest, file_of, leading, queries};
use crate::browse::{LIST, visible};
use crate::{group_name, interval, markup, number, too_few};

/// Characters of a name.
const NAME: usize = 120;

/// The page.
pub(super) fn render(board: &Board, tables: &[Table], means: &[Mean], plan: &Plan) -> String {
    let dataset = &board.dataset;
    let title = format!("{}: results", visible(&dataset.name, NAME));
    let confidence = format!("{:.0} %", plan.bootstrap.confidence * 100.0);
    let sections = html! {
        header {
            h1 { (title) }
            @if let Some(sentence) = tables.first().and_then(|table| lead(board, table)) { p.lead { strong { (sentence) } } }
            p {
                (board.results.len()) @if board.results.len() == 1 { " system, " } @else { " systems, " } (dataset.measure) " with " (confidence) " intervals"
                @if dataset.ties != Ties::default() { ", equal scores " (dataset.ties) }
                ". "
                "A rank interval has the ranks that the significant differences allow (paired randomization tests, Holm's correction over all pairs of a column). "
                "Systems that share a letter do not differ significantly."
            }
            nav aria-label="Pages" { ul {
                li { a href=(LIST) { "All queries" } }
                li { a href="#made" { "How each row was made" } }
                li { a href="board.json" { "Data" } }
            } }
        }
        div.controls #filter {}
        @for (at, table) in tables.iter().enumerate() {
            @let name = group_name(Some(&table.group).filter(|name| !name.is_empty()).map(String::as_str));
            @if at == 0 { h2 { (name) } (of_group(board, table)) } @else { (markup::folded(&format!("group-{at}"), &name, of_group(board, table))) }
        }
        @if !means.is_empty() { (only_means(means)) }
        h2 #made { "How each row was made" }
        p.note { "Dataset " code { (visible(&dataset.name, NAME)) } ", digest " code.digest { (dataset.digest) } "." }
        @for result in &board.results { (made(result)) }
        @if !board.refused.is_empty() { (refused(board)) }
        script src="board.js" {}
    };
    let page = markup::page(&title, &sections);
    let style = html! { style { (PreEscaped(include_str!("board.css"))) } }.into_string();
    page.replacen("</head>", &format!("{style}</head>"), 1)
}

/// `31 queries`, or the range if columns differ.
fn queries_of(table: &Table) -> String {
    let cells = table.cells.iter().flatten().flatten();
    let (low, high) = cells.fold((usize::MAX, 0), |(low, high), cell| {
        (low.min(cell.queries), high.max(cell.queries))
    });
    match (low, high) {
        (low, high) if low >= high => format!("{} queries", grouped(high as u64)),
        (low, high) => format!(
            "{} to {} queries",
            grouped(low as u64),
            grouped(high as u64)
        ),
    }
}

/// `Under randomized, structural is ahead of all others with 0.627 [0.495, 0.754].`
fn lead(board: &Board, table: &Table) -> Option<String> {
    let column = leading(table);
    let cells = table.cells.iter().zip(&board.results);
    let mut known: Vec<(&Cell, &str)> = cells
        .filter_map(|(row, result)| Some((row[column].as_ref()?, result.system.as_str())))
        .filter(|(cell, _)| cell.ranks.is_some())
        .collect();
    known.sort_by(|a, b| b.0.score.value.total_cmp(&a.0.score.value));
    let (first, name) = known.first()?;
    // Systems that share a letter do not differ significantly.
    let is_tied = |cell: &Cell| {
        cell.letters
            .chars()
            .any(|letter| first.letters.contains(letter))
    };
    let others: Vec<String> = known[1..]
        .iter()
        .filter(|(cell, _)| is_tied(cell))
        .map(|(_, name)| visible(name, NAME))
        .collect();
    let setting = &table.settings[column];
    let when = if setting.is_empty() {
        String::new()
    } else {
        format!("Under {setting}, ")
    };
    let (name, score) = (visible(name, NAME), interval(&first.score, 3));
    if floor(board, table, column).is_some_and(|floor| first.score.low <= floor) {
        return Some(format!(
            "{when}{name} scores highest with {score}, which is not significantly better than a random order."
        ));
    }
    if known.len() == 1 {
        return Some(format!("{when}{name} scores {score}."));
    }
    Some(if others.is_empty() {
        format!("{when}{name} is ahead of all others with {score}.")
    } else {
        format!(
            "{when}{name} scores {score} and does not differ significantly from {}.",
            others.join(" and ")
        )
    })
}

fn of_group(board: &Board, table: &Table) -> Markup {
    let column = leading(table);
    let value = |row: usize| {
        table.cells[row][column]
            .as_ref()
            .map_or(-1.0, |cell| cell.score.value)
    };
    let mut order: Vec<usize> = (0..board.results.len()).collect();
    order.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    let name = |setting: &str| {
        if setting.is_empty() {
            board.dataset.measure.clone()
        } else {
            setting.to_owned()
        }
    };
    let label = format!("Results in {}", group_name(Some(&table.group)));
    markup::scroll(
        &label,
        html! {
            table.board {
                caption { (queries_of(table)) }
                thead { tr {
                    th scope="col" { "System" }
                    @for (at, setting) in table.settings.iter().enumerate() {
                        th.num scope="col" aria-sort=[(at == column).then_some("descending")] { (name(setting)) }
                    }
                    th.num scope="col" { "Price" }
                    th scope="col" { "Date" }
                } }
                tbody {
                    @for row in order {
                        @let result = &board.results[row];
                        tr {
                            th scope="row" { a href={ "#" (anchor(result)) } { (visible(&result.system, NAME)) } @if let Some(about) = &result.about { small { (visible(about, NAME)) } } }
                            @for (at, cell) in table.cells[row].iter().enumerate() {
                                td.num data-value=(cell.as_ref().map_or(String::new(), |cell| cell.score.value.to_string())) {
                                    @if let Some(cell) = cell { (shown(cell, &address(board, table, result, at), floor(board, table, at))) } @else { "–" }
                                }
                            }
                            td.num data-value=(result.dollars.map_or(String::new(), |dollars| dollars.to_string())) { (price(result)) }
                            td { (result.date.as_deref().map(|date| visible(date, 20)).unwrap_or_default()) }
                        }
                    }
                }
                (bounds(board, table))
            }
        },
    )
}

/// The ceiling and the floor of a column.
fn bounds_of(board: &Board, table: &Table, setting: usize) -> Option<(f64, f64)> {
    let setting = &table.settings[setting];
    if table.is_pool {
        return board
            .dataset
            .pooled
            .get(&table.group)?
            .get(setting)
            .copied();
    }
    let found = board.dataset.subsets.iter().find(|one| {
        one.group.as_deref().unwrap_or_default() == table.group
            && one.setting.as_deref().unwrap_or_default() == setting
    });
    found?.bounds
}

/// The score of random order in a column.
fn floor(board: &Board, table: &Table, setting: usize) -> Option<f64> {
    Some(bounds_of(board, table, setting)?.1)
}

/// The ceiling and the floor of each column, if they are known.
fn bounds(board: &Board, table: &Table) -> Markup {
    let settings = 0..table.settings.len();
    let bounds: Vec<Option<(f64, f64)>> = settings.map(|at| bounds_of(board, table, at)).collect();
    html! {
        @if bounds.iter().any(Option::is_some) {
            tfoot { tr {
                th scope="row" { "ceiling and floor" small { "a perfect system, random order" } }
                @for pair in &bounds { td.num { @if let Some((ceiling, floor)) = pair { (number(*ceiling)) small { (number(*floor)) } } } }
                td {}
                td {}
            } }
        }
    }
}

/// The queries behind a cell: the ranks of a system, sorted by a setting.
fn address(board: &Board, table: &Table, result: &SystemResult, setting: usize) -> String {
    let escaped =
        |text: &str| -> String { form_urlencoded::byte_serialize(text.as_bytes()).collect() };
    let settings = queries::settings(board);
    let sort = settings
        .iter()
        .position(|one| *one == table.settings[setting]);
    let group = Some(&table.group).filter(|group| !group.is_empty() && !table.is_pool);
    let group = group.map_or(String::new(), |group| format!("&group={}", escaped(group)));
    let system = escaped(&result.system);
    format!(
        "{LIST}#sort={}&system={system}{group}",
        sort.unwrap_or_default()
    )
}

fn shown(cell: &Cell, address: &str, floor: Option<f64>) -> Markup {
    if cell.queries < FEWEST_QUERIES {
        return html! { (too_few(cell.queries as u64)) };
    }
    let is_random = floor.is_some_and(|floor| cell.score.low <= floor);
    let score = interval(&cell.score, 3);
    let (value, behind) = score.split_once(' ').unwrap_or((&score, ""));
    html! {
        a href=(address) { (value) } " " (cell.letters)
        small { (behind) }
        @if let Some((low, high)) = cell.ranks { small { "rank " (low) @if high > low { "–" (high) } } }
        @if let Some(drop) = &cell.drop { small { (change(drop)) } }
        @if is_random { small { "not above random order" } }
    }
}

/// `loses 0.155 [0.034, 0.268]`, of a mean of the standard setting less that of another.
fn change(drop: &Interval) -> String {
    if drop.value >= 0.0 {
        return format!("loses {}", interval(drop, 3));
    }
    let gain = Interval {
        value: -drop.value,
        low: -drop.high,
        high: -drop.low,
    };
    format!("gains {}", interval(&gain, 3))
}

fn price(result: &SystemResult) -> String {
    match result.dollars {
        None => "–".to_owned(),
        Some(0.0) => "0".to_owned(),
        Some(dollars) => format!("${dollars:.2}"),
    }
}

/// A result by its command and digests.
fn made(result: &SystemResult) -> Markup {
    let file = file_of(RESULTS, result);
    html! {
        h3 id=(anchor(result)) { (visible(&result.system, NAME)) }
        @if let Some(about) = &result.about { p { (visible(about, 400)) } }
        pre tabindex="0" { code { (visible(&result.command, 400)) } }
        p.note {
            "Result " a href=(file.display()) { (file.display()) } ", BLAKE3 " code.digest { (digest(result)) } "; " (result.evidence.sentence()) "."
        }
    }
}

fn anchor(result: &SystemResult) -> String {
    format!("made-{}", super::file_name(&result.system))
}

fn refused(board: &Board) -> Markup {
    html! {
        h2 #refused { "Refused" }
        (markup::table(
            "Refused results",
            3,
            &["System", "File", "Reason"],
            super::published(board).iter().map(|one| vec![visible(&one.system, NAME), visible(&one.file, NAME), visible(&one.reason, 400)]),
        ))
    }
}

fn only_means(means: &[Mean]) -> Markup {
    html! {
        h2 #means { "Means without values of queries" }
        p.note { "These files state means only. Intervals and tests need the values of queries, and the dataset cannot be compared with that of the board." }
        (markup::table(
            "Means of other files",
            3,
            &["Model", "Task", "Revision of the dataset", "Main score"],
            means.iter().map(|one| vec![visible(&one.model, NAME), visible(&one.task, NAME), visible(&one.revision, NAME), number(one.score)]),
        ))
    }
}
