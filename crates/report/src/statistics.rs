//! The statistics of the dataset, as a table on the terminal and as a part of the page.

use barecode_dataset::{Averages, CONCENTRATED};
use barecode_records::{Split, Statistic};
use maud::{Markup, html};

use super::{grid, with_draws};
use barecode_runs::console::{Screen, grouped};

/// A column: its head, and its cell for a row; `None` if it does not apply.
type Column = (&'static str, fn(&Statistic) -> Option<String>);

/// The columns with numbers.
const COLUMNS: [Column; 10] = [
    ("pairs", |row| Some(grouped(row.pairs.into()))),
    ("query tokens", |row| Some(tenths(row.query_tokens))),
    ("code tokens", |row| Some(tenths(row.code_tokens))),
    ("lines", |row| Some(tenths(row.lines))),
    ("complexity", |row| row.complexity.map(tenths)),
    ("keywords", |row| row.keywords.map(hundredths)),
    ("instructions", |row| row.instructions.map(hundredths)),
    ("repositories", |row| Some(row.repositories.to_string())),
    ("effective", |row| Some(tenths(row.effective_repositories))),
    ("largest", |row| {
        Some(format!("{:.0} %", row.largest_share * 100.0))
    }),
];

fn tenths(number: f64) -> String {
    format!("{number:.1}")
}

fn hundredths(number: f64) -> String {
    format!("{number:.2}")
}

/// The columns that have a value for any of these rows.
fn columns(rows: &[&Statistic]) -> Vec<Column> {
    let says = |column: &Column| rows.iter().any(|row| column.1(row).is_some());
    COLUMNS.into_iter().filter(says).collect()
}

fn cell(column: &Column, row: &Statistic) -> String {
    column.1(row).unwrap_or_else(|| "–".to_owned())
}

/// The rows of a kind of slice: `all`, or those that begin with `language=` and the like.
pub fn of_kind<'a>(rows: &'a [Statistic], kind: &str) -> Vec<&'a Statistic> {
    let is_of_kind = |row: &&Statistic| {
        let slice = row.slice.split_once('=');
        slice.map_or(row.slice.as_str(), |(name, _)| name) == kind
    };
    rows.iter().filter(is_of_kind).collect()
}

/// The table, with its warnings below.
pub fn terminal(rows: &[Statistic], kind: &str, screen: Screen) -> String {
    let shown = of_kind(rows, kind);
    let Some(first) = shown.first() else {
        return format!("no pairs to count by {kind}");
    };
    let both = shown.iter().any(|row| row.split == Split::Train);
    let mut names = vec!["group", "setting"];
    if both {
        names.insert(0, "split");
    }
    if kind != "all" {
        names.push(kind);
    }
    let n_names = names.len();
    let columns = columns(&shown);
    let heads = columns.iter().map(|column| column.0);
    let heads: Vec<&str> = names.into_iter().chain(heads).collect();
    let lines = shown.iter().map(|row| {
        let mut cells = vec![
            row.group_name().to_owned(),
            with_draws(row.setting, row.draws),
        ];
        if both {
            cells.insert(0, row.split.to_string());
        }
        if kind != "all" {
            let slice = row.slice.split_once('=');
            cells.push(slice.map_or_else(String::new, |(_, name)| name.to_owned()));
        }
        cells.extend(columns.iter().map(|column| cell(column, row)));
        cells
    });
    let mut text = format!(
        "means over pairs of a query and its answer; tokens as `{}` counts them; effective: repositories of equal size that \
         would be as concentrated; largest: share of the largest repository\n{}",
        first.tokenizer,
        grid::table(n_names, &heads, lines, screen)
    );
    if let Some(warning) = warnings(rows) {
        text.push_str("\nwarning: ");
        text.push_str(&warning);
    }
    text
}

/// The table of a file that is not a run: one row.
pub fn file(name: &str, tokenizer: &str, averages: &Averages, screen: Screen) -> String {
    let numbers = [
        ("pairs", Some(grouped(averages.pairs.into()))),
        ("query tokens", Some(tenths(averages.query_tokens))),
        ("code tokens", Some(tenths(averages.code_tokens))),
        ("lines", Some(tenths(averages.lines))),
        ("complexity", averages.complexity.map(tenths)),
        ("keywords", averages.keywords.map(hundredths)),
        ("instructions", averages.instructions.map(hundredths)),
    ];
    let (mut heads, mut cells) = (vec!["file"], vec![name.to_owned()]);
    for (head, number) in numbers {
        if let Some(number) = number {
            heads.push(head);
            cells.push(number);
        }
    }
    format!(
        "means over pairs of a query and its answer; tokens as `{tokenizer}` counts them\n{}",
        grid::table(1, &heads, [cells], screen)
    )
}

/// A section of the page.
pub(super) fn section(rows: &[Statistic]) -> Markup {
    let all = of_kind(rows, "all");
    html! {
        p.note {
            "Means over the pairs of a query and its answer"
            @if let Some(first) = all.first() { "; tokens as " code { (first.tokenizer) } " counts them" }
            ". Effective is the number of repositories of equal size that would be as concentrated; largest is the share of the "
            "largest one."
        }
        @for kind in ["all", "language"] {
            @let shown = of_kind(rows, kind);
            @let columns = columns(&shown);
            // A single language adds nothing to the rows of all languages.
            @if kind == "all" || shown.iter().any(|row| row.slice != shown[0].slice) {
                div.scroll tabindex="0" role="region" aria-label={ "Statistics, " (kind) } {
                    table {
                        thead {
                            tr {
                                th scope="col" { "Split" }
                                th scope="col" { "Group" }
                                th scope="col" { "Setting" }
                                @if kind != "all" { th scope="col" { (kind) } }
                                @for column in &columns { th.num scope="col" { (column.0) } }
                            }
                        }
                        tbody {
                            @for row in &shown {
                                tr {
                                    td { (row.split) }
                                    th scope="row" { (row.group_name()) }
                                    td { (with_draws(row.setting, row.draws)) }
                                    @if kind != "all" { td { (row.slice.split_once('=').map_or("", |(_, name)| name)) } }
                                    @for column in &columns { td.num { (cell(column, row)) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Groups of the test split in which one repository has more than a third of the pairs, in a sentence; `None` if
/// there are none.
pub fn warnings(rows: &[Statistic]) -> Option<String> {
    let mut groups: Vec<&Statistic> = Vec::new();
    for row in of_kind(rows, "all") {
        let known = groups
            .iter()
            .any(|other| other.group_name() == row.group_name());
        if row.split == Split::Test && row.largest_share > CONCENTRATED && !known {
            groups.push(row);
        }
    }
    let several = groups.iter().any(|row| row.repositories > 1);
    let remedy = if several {
        "`max-per-repository` in `[dataset]` bounds that"
    } else {
        "the scores do not cover other repositories"
    };
    let shares = groups.iter().map(|row| {
        let percent = row.largest_share * 100.0;
        format!(
            "{percent:.0} % of {} from `{}`",
            row.group_name(),
            row.largest_repository
        )
    });
    let shares: Vec<String> = shares.collect();
    (!shares.is_empty()).then(|| {
        format!(
            "many pairs are from one repository: {}; {remedy}",
            shares.join(", ")
        )
    })
}

#[cfg(test)]
mod tests {
    use barecode_records::Setting;

    use super::*;

    fn row(slice: &str, split: Split, share: f64) -> Statistic {
        Statistic {
            split,
            subset: "group1-randomized".to_owned(),
            group: Some("group1".to_owned()),
            setting: Some(Setting::RANDOMIZED),
            draws: 3,
            slice: slice.to_owned(),
            tokenizer: "c-tokens".to_owned(),
            pairs: 1_526,
            query_tokens: 88.3,
            code_tokens: 119.2,
            lines: 12.8,
            complexity: Some(2.9),
            keywords: Some(4.77),
            instructions: None,
            repositories: 5,
            largest_repository: "https://example.org/lib".to_owned(),
            largest_share: share,
            effective_repositories: 3.4,
        }
    }

    #[test]
    fn numbers_stand_with_their_tokenizer_and_a_warning_above_a_third() {
        let rows = [
            row("all", Split::Test, 0.4),
            row("language=c", Split::Test, 0.4),
        ];
        let text = terminal(&rows, "all", Screen::PLAIN);
        for wanted in [
            "`c-tokens`",
            "│ group1 ┆ randomized ×3 ┆ 1,526 ┆",
            "4.77 ┆",
            "warning: many pairs are from one repository: 40 % of group1 from",
        ] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert!(
            !terminal(&[row("all", Split::Test, 0.3)], "all", Screen::PLAIN).contains("warning")
        );
        assert!(
            !terminal(&[row("all", Split::Train, 0.4)], "all", Screen::PLAIN).contains("warning")
        );
    }

    #[test]
    fn what_means_nothing_is_not_printed() {
        let source = row("all", Split::Test, 0.2);
        let lowered = Statistic {
            subset: "group1-assembly-o0".to_owned(),
            complexity: None,
            keywords: None,
            instructions: Some(16.46),
            ..source.clone()
        };
        let text = terminal(std::slice::from_ref(&source), "all", Screen::PLAIN);
        assert!(!text.contains("instructions"), "{text}");
        let text = terminal(std::slice::from_ref(&lowered), "all", Screen::PLAIN);
        assert!(
            !text.contains("keywords") && text.contains("16.46"),
            "{text}"
        );
        let text = terminal(&[source, lowered], "all", Screen::PLAIN);
        for wanted in ["4.77 ┆", "16.46 ┆", "– ┆"] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
    }

    #[test]
    fn the_table_fits_the_terminal() {
        let rows = [row("all", Split::Test, 0.2), row("all", Split::Train, 0.2)];
        for width in [60, 80, 100, 120] {
            let text = terminal(
                &rows,
                "all",
                Screen {
                    width,
                    ..Screen::PLAIN
                },
            );
            let table = text
                .lines()
                .filter(|line| line.starts_with(['│', '┌', '└', '╞']));
            for line in table {
                assert!(
                    line.chars().count() <= usize::from(width),
                    "{width}: {line}"
                );
            }
        }
    }

    #[test]
    fn slices_are_shown_by_their_kind() {
        let rows = [
            row("all", Split::Test, 0.2),
            row("repository=git:a=b", Split::Test, 1.0),
        ];
        let text = terminal(&rows, "repository", Screen::PLAIN);
        assert!(
            text.contains("git:a=b") && !text.contains("┆ all"),
            "{text}"
        );
        assert_eq!(
            terminal(&rows, "year", Screen::PLAIN),
            "no pairs to count by year"
        );
    }
}
