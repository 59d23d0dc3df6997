//! The pages of a comparison.

use std::path::PathBuf;

use barecode_records::Leak;
use barecode_runs::console::grouped;
use barecode_scores::Interval;
use barecode_scores::comparison::PairOfSystems;
use maud::{Markup, html};

use super::{Compared, Contrast, FOUND, judge_name, scatter};
use crate::browse::{Asked, LIST, List, one_line};
use crate::robustness::chance;
use crate::{distinct, group_name, interval, markup, of_queries};

/// The queries that are listed for each of two systems.
const EXAMPLES: usize = 5;

/// The page of the run, of whose folder this is part.
const INDEX: &str = "index.html";

/// Two systems, by their positions among those of the pages.
type Pair = (usize, usize);

/// The queries that a part of a page is about.
struct Slot<'a> {
    pair: Pair,
    setting: Option<&'a str>,
    group: Option<&'a str>,
}

impl Contrast {
    /// The files of the folder, the first page last. The queries must be sorted.
    pub fn files(&self) -> Vec<(PathBuf, String)> {
        let pages = 0..self.browsed.pages();
        let mut files: Vec<(PathBuf, String)> =
            pages.flat_map(|number| self.browsed.page(number)).collect();
        files.extend(self.browsed.shared());
        let pairs = self.pairs();
        if pairs.len() > 1 {
            for &pair in &pairs {
                files.push((file_of(pair), self.page_of_pair(pair)));
            }
        }
        files.push((INDEX.into(), self.first(&pairs)));
        files
    }

    fn pairs(&self) -> Vec<Pair> {
        let systems = self.browsed.systems.len();
        let firsts = 0..systems;
        firsts
            .flat_map(|first| (first + 1..systems).map(move |second| (first, second)))
            .collect()
    }

    fn name(&self, system: usize) -> &str {
        &self.browsed.systems[system]
    }

    fn first(&self, pairs: &[Pair]) -> String {
        let sections = html! {
            header {
                h1 { (self.title) }
                nav aria-label="Pages" { ul { li { a href=(LIST) { "All queries" } } } }
                @for note in &self.notes { p { (note) } }
                p.note { "Made by " code { (self.command) } }
            }
            @if let [only] = pairs {
                (self.pair(*only, ""))
            } @else {
                h2 { "Pairs" }
                ul {
                    @for &pair in pairs {
                        li { a href=(file_of(pair).display()) { (self.name(pair.0)) " and " (self.name(pair.1)) } ": " (self.verdict(pair)) }
                    }
                }
            }
            h2 #scores { "Scores" }
            @for one in &self.compared { (self.tables(one)) }
        };
        markup::page(&self.title, &sections)
    }

    /// The tables of the terminal.
    fn tables(&self, one: &Compared) -> Markup {
        let subset = one.subset.as_deref();
        let title = subset.map_or(one.measure.clone(), |subset| {
            format!("{subset}: {}", one.measure)
        });
        html! {
            h3 { (title) }
            p.note {
                (grouped(one.queries as u64)) " queries, intervals of " (self.confidence()) ". Systems that share a letter do not differ significantly ("
                (judge_name(one.all.judge)) ")."
            }
            (markup::table(&format!("{title}, by system"), 1, &["System", &one.measure, "Group"], one.rows_of_systems()))
            (markup::table(&format!("{title}, by pair"), 2, &one.pair_heads(), one.rows_of_pairs()))
            p.note { "The interval of a difference is by itself, without a correction, and the test is another method: near the level they can disagree." }
        }
    }

    fn confidence(&self) -> String {
        format!("{:.0} %", self.plan.bootstrap.confidence * 100.0)
    }

    fn page_of_pair(&self, pair: Pair) -> String {
        let title = format!("{} and {}", self.name(pair.0), self.name(pair.1));
        let sections = html! {
            header {
                nav aria-label="Pages" { ul {
                    li { a href="../index.html" { "All pairs" } }
                    li { a href={ "../" (LIST) } { "All queries" } }
                } }
                h1 { (title) }
                p.note { "Made by " code { (self.command) } }
            }
            (self.pair(pair, "../"))
        };
        markup::page(&title, &sections)
    }

    /// The comparison of a pair: a part for each setting; `up` leads to the folder of the pages.
    fn pair(&self, pair: Pair, up: &str) -> Markup {
        let of_pair = self.of_pair(pair);
        let settings = distinct(of_pair.iter().map(|(one, _)| one.field.setting.as_deref()));
        html! {
            @for (at, setting) in settings.iter().enumerate() {
                @let parts: Vec<(&Compared, &PairOfSystems)> = of_pair.iter().copied().filter(|(one, _)| one.field.setting.as_deref() == *setting).collect();
                @if settings.len() > 1 {
                    @if at == 0 {
                        h2 { (setting.unwrap_or("all")) }
                        (self.part(pair, *setting, &parts, up))
                    } @else {
                        details.section {
                            summary { h2 { (setting.unwrap_or("all")) } }
                            @for (one, of) in &parts { @if is_main(one, &parts) { p { strong { (self.sentence(one, of)) } } } }
                            (self.part(pair, *setting, &parts, up))
                        }
                    }
                } @else {
                    h2 { (self.name(pair.0)) " and " (self.name(pair.1)) }
                    (self.part(pair, *setting, &parts, up))
                }
            }
        }
    }

    /// The comparisons that have both systems.
    fn of_pair(&self, (first, second): Pair) -> Vec<(&Compared, &PairOfSystems)> {
        let names = (self.name(first), self.name(second));
        let of = |one: &'_ Compared, pair: &PairOfSystems| {
            let name = |at: usize| one.field.names[at].clone();
            (name(pair.first), name(pair.second)) == (names.0.to_owned(), names.1.to_owned())
        };
        let found = self.compared.iter().filter_map(|one| {
            let pair = one.all.pairs.iter().find(|pair| of(one, pair))?;
            Some((one, pair))
        });
        found.collect()
    }

    fn part(
        &self,
        pair: Pair,
        setting: Option<&str>,
        parts: &[(&Compared, &PairOfSystems)],
        up: &str,
    ) -> Markup {
        let (first, second) = (self.name(pair.0), self.name(pair.1));
        let columns = [
            "Queries",
            first,
            second,
            "Difference",
            "Better / equal / worse",
            "p",
            "p Holm",
        ];
        let heads: Vec<&str> = ["Of", "Measure"].into_iter().chain(columns).collect();
        // Queries of several groups are of different kinds, and some are in two groups.
        let groups = distinct(parts.iter().map(|(one, _)| one.field.group.as_deref()));
        let rows: Vec<Vec<String>> = parts
            .iter()
            .flat_map(|(one, of)| self.rows(one, of))
            .collect();
        let has_slices = rows.len() > parts.len();
        html! {
            @if let Some((one, of)) = parts.first() { p { strong { (self.sentence(one, of)) } } }
            (markup::table("Differences", 2, &heads, rows))
            @if has_slices { p.note { "Holm's correction is for the pairs of systems. Rows by leak have as many tests as rows, without a correction." } }
            @for (at, group) in groups.iter().enumerate() {
                @let of = Slot { pair, setting, group: *group };
                @if at == 0 {
                    @if groups.len() > 1 { p { strong { (group_name(*group)) } } }
                    (self.queries(&of, up))
                } @else {
                    details { summary { (group_name(*group)) } (self.queries(&of, up)) }
                }
            }
        }
    }

    /// The queries of a group in a setting: who finds the answers, and at which ranks.
    fn queries(&self, of: &Slot<'_>, up: &str) -> Markup {
        let lists = self.lists(of);
        let ranks: Vec<(&List, &List)> =
            lists.iter().map(|(_, one, other)| (*one, *other)).collect();
        let names = (self.name(of.pair.0), self.name(of.pair.1));
        let [setting, group] = [of.setting, of.group].map(|name| name.unwrap_or("all"));
        let id = format!("ranks-{}-{}-{setting}-{group}", of.pair.0, of.pair.1);
        html! {
            (self.found(of, &lists, up))
            div.charts { (scatter::scatter(&id, names, &ranks)) }
        }
    }

    /// The queries of a group and setting that both systems were asked, each with its position and both lists.
    fn lists(&self, of: &Slot<'_>) -> Vec<(usize, &List, &List)> {
        let (pair, setting) = (of.pair, of.setting);
        let all = &self.browsed;
        let column = all
            .settings
            .iter()
            .position(|name| Some(name.as_str()) == setting);
        let column = column.unwrap_or_default();
        let list = |query: &'_ Asked, system: usize| -> Option<usize> {
            let at = system * all.settings.len() + column;
            query.lists[at].is_some().then_some(at)
        };
        let queries = all.queries.iter().enumerate();
        let queries = queries.filter(|(_, query)| query.group == of.group.unwrap_or_default());
        let lists = queries.filter_map(|(at, query)| {
            let (one, other) = (list(query, pair.0)?, list(query, pair.1)?);
            Some((at, query.lists[one].as_ref()?, query.lists[other].as_ref()?))
        });
        lists.collect()
    }

    /// A row for a subset, and for its queries of each leak.
    fn rows(&self, one: &Compared, of: &PairOfSystems) -> Vec<Vec<String>> {
        let group = one
            .field
            .group
            .as_deref()
            .map_or("all queries".to_owned(), |group| group_name(Some(group)));
        let mean = |at: usize| of_queries(&one.systems[at].score, one.queries, 4);
        let shown = |p: f64| {
            if one.too_few {
                "–".to_owned()
            } else {
                chance(p)
            }
        };
        let paired = &of.paired;
        let mut rows = vec![vec![
            group.clone(),
            one.measure.clone(),
            grouped(one.queries as u64),
            mean(of.first),
            mean(of.second),
            of_queries(&paired.difference, one.queries, 4),
            format!("{} / {} / {}", paired.wins, paired.ties, paired.losses),
            shown(paired.permutation.p),
            shown(of.holm),
        ]];
        for slice in one.slices(of.first, of.second, &self.plan) {
            let paired = &slice.paired;
            rows.push(vec![
                format!("{group}, {}", leak_name(slice.leak)),
                one.measure.clone(),
                grouped(paired.n as u64),
                format!("{:.4}", paired.first),
                format!("{:.4}", paired.second),
                interval(&paired.difference, 4),
                format!("{} / {} / {}", paired.wins, paired.ties, paired.losses),
                chance(paired.permutation.p),
                String::new(),
            ]);
        }
        rows
    }

    /// The answers that one system has among its first documents and the other has not, with examples.
    fn found(&self, of: &Slot<'_>, lists: &[(usize, &List, &List)], up: &str) -> Markup {
        let pair = of.pair;
        let within = |list: &List| list.rank.is_some_and(|rank| rank <= FOUND);
        let count = |one: bool, other: bool| {
            let of = lists
                .iter()
                .filter(|(_, a, b)| (within(a), within(b)) == (one, other));
            grouped(of.count() as u64)
        };
        let (first, second) = (self.name(pair.0), self.name(pair.1));
        let link = |found: &str| {
            let part = |key: &str, value: Option<&str>| {
                value.map_or(String::new(), |value| format!("&{key}={}", escaped(value)))
            };
            let (setting, group) = (part("setting", of.setting), part("group", of.group));
            let (first, second) = (escaped(first), escaped(second));
            format!("{up}{LIST}#found={found}{setting}{group}&system={first}&against={second}")
        };
        let counts = [
            (format!("{first} only"), "first", count(true, false)),
            (format!("{second} only"), "second", count(false, true)),
            ("both".to_owned(), "both", count(true, true)),
            ("neither".to_owned(), "neither", count(false, false)),
        ];
        html! {
            h3 { "Found" }
            p.note { "The answer is among the first " (FOUND) " documents of:" }
            ul { @for (name, found, count) in &counts { li { a href=(link(found)) { (name) } ": " (count) } } }
            (self.examples((first, second), lists, up))
            (self.examples((second, first), &lists.iter().map(|(at, one, other)| (*at, *other, *one)).collect::<Vec<_>>(), up))
        }
    }

    /// The queries on which the first of two systems leads furthest.
    fn examples(
        &self,
        (first, second): (&str, &str),
        lists: &[(usize, &List, &List)],
        up: &str,
    ) -> Markup {
        let lead = |one: &List, other: &List| one.reciprocal() - other.reciprocal();
        let mut leads: Vec<(f64, usize, &List, &List)> = lists
            .iter()
            .map(|(at, one, other)| (lead(one, other), *at, *one, *other))
            .filter(|(lead, ..)| *lead > 0.0)
            .collect();
        leads.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        leads.truncate(EXAMPLES);
        html! {
            @if !leads.is_empty() {
                h3 { "Where " (first) " leads furthest" }
                (markup::scroll(&format!("Queries where {first} leads"), html! {
                    table.queries {
                        (markup::heads(&["Query"], &[first, second]))
                        tbody {
                            @for (_, at, one, other) in &leads {
                                tr {
                                    th scope="row" { a href={ (up) (self.browsed.link(*at)) } { (one_line(&self.browsed.queries[*at].text)) } }
                                    td.num { (rank(one)) }
                                    td.num { (rank(other)) }
                                }
                            }
                        }
                    }
                }))
            }
        }
    }

    /// The verdict on the main measure, for the list of pairs.
    fn verdict(&self, pair: Pair) -> Markup {
        let of_pair = self.of_pair(pair);
        html! {
            ul { @for (one, of) in &of_pair { @if is_main(one, &of_pair) { li { (self.sentence(one, of)) } } } }
        }
    }

    /// `a is ahead of b by 0.0432 [0.0319, 0.0545] nDCG@10 (5,000 queries, p < 0.001).`
    fn sentence(&self, one: &Compared, of: &PairOfSystems) -> String {
        let subset = one
            .subset
            .as_ref()
            .map_or(String::new(), |subset| format!("{subset}: "));
        let (first, second) = (&one.field.names[of.first], &one.field.names[of.second]);
        let queries = grouped(one.queries as u64);
        if one.too_few {
            return format!(
                "{subset}{queries} queries are too few to compare {first} and {second}."
            );
        }
        let difference = of.paired.difference;
        let p = one.p(of).unwrap_or(1.0);
        let p_text = if p < 0.001 {
            "p < 0.001".to_owned()
        } else {
            format!("p = {}", chance(p))
        };
        let measure = &one.measure;
        if p > 1.0 - self.plan.bootstrap.confidence {
            return format!(
                "{subset}{first} and {second} do not differ significantly: {} {measure} ({queries} queries, {p_text}).",
                interval(&difference, 4)
            );
        }
        let turned = Interval {
            value: -difference.value,
            low: -difference.high,
            high: -difference.low,
        };
        let (ahead, behind, by) = if difference.value < 0.0 {
            (second, first, turned)
        } else {
            (first, second, difference)
        };
        format!(
            "{subset}{ahead} is ahead of {behind} by {} {measure} ({queries} queries, {p_text}).",
            interval(&by, 4)
        )
    }
}

/// Returns `true` if a comparison is of the first measure.
fn is_main(one: &Compared, of: &[(&Compared, &PairOfSystems)]) -> bool {
    of.first()
        .is_some_and(|(main, _)| main.measure == one.measure)
}

/// `pairs/0-1.html`
fn file_of((first, second): Pair) -> PathBuf {
    format!("pairs/{first}-{second}.html").into()
}

/// A rank, or that there is none.
fn rank(list: &List) -> String {
    list.rank.map_or("not found".to_owned(), |rank| {
        ((rank * 10.0).round() / 10.0).to_string()
    })
}

fn leak_name(leak: Leak) -> &'static str {
    match leak {
        Leak::None => "no leak",
        Leak::Word => "leak: word",
        Leak::Identifier => "leak: identifier",
        Leak::Function => "leak: function",
    }
}

/// A name as part of an address.
fn escaped(name: &str) -> String {
    form_urlencoded::byte_serialize(name.as_bytes()).collect()
}
