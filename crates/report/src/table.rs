//! The score table on the terminal: a row for each subset, a column for each retriever.

use barecode_evaluate::POOLED;
use barecode_records::{Difference, Score, SettingDrop};
use comfy_table::{Cell, Table};

use super::grid::{self, right};
use super::{bound, distinct, main_measure, percent, power, retrievers, with_draws, with_interval};
use barecode_runs::console::{Screen, grouped};

/// The main measure of every retriever, with all that belongs to the number.
pub fn terminal(
    scores: &[Score],
    drops: &[SettingDrop],
    differences: &[Difference],
    confidence: f64,
    screen: Screen,
) -> String {
    let Some(measure) = main_measure(scores) else {
        return "too few queries: no subset has any".to_owned();
    };
    let confidence = percent(confidence);
    let drawn = scores.iter().find(|score| score.draws > 1);
    let draws = drawn
        .map(|score| format!("; ×{0}: mean of {0} draws", score.draws))
        .unwrap_or_default();
    // A narrow terminal gets the intervals on lines of their own, and a very narrow one broken words.
    let table = grid::fitted(screen, |between| filled(scores, measure, between, screen));
    let groups = legend(scores);
    let text = format!(
        "{measure}, mean over queries [{confidence} interval]; ceiling: best possible score, given identical texts; floor: expected score of a random order{draws}{groups}\n{table}"
    );
    let power = power(scores, drops, differences);
    if scores.iter().all(|score| score.too_few) {
        // The first line has it.
        return power
            .into_iter()
            .chain([text])
            .collect::<Vec<_>>()
            .join("\n");
    }
    [text]
        .into_iter()
        .chain(power)
        .collect::<Vec<_>>()
        .join("\n")
}

/// The groups of functions that the table has, a line; empty if it has none.
fn legend(scores: &[Score]) -> String {
    let has = |name: &str| {
        let mut groups = scores.iter().filter_map(|score| score.group.as_deref());
        groups.any(|group| {
            group == name
                || group
                    .strip_prefix(name)
                    .is_some_and(|end| end.starts_with('-'))
        })
    };
    let groups = [
        ("group1", "functions that need nothing of their project"),
        ("group2", "its types or variables"),
        ("group3-short", "its functions"),
        (
            "group3-long",
            "the same, with the bodies of these functions",
        ),
        (POOLED, "all queries, each ranked within its group"),
    ];
    let known: Vec<String> = groups
        .into_iter()
        .filter(|(name, _)| has(name))
        .map(|(name, meaning)| format!("{name}: {meaning}"))
        .collect();
    if known.is_empty() {
        return String::new();
    }
    format!("\n{}", known.join("; "))
}

/// The table at its natural width; `between` is between a number and its interval.
fn filled(scores: &[Score], measure: &str, between: &str, screen: Screen) -> Table {
    let names = retrievers(scores);
    let mut table = grid::styled(screen);
    let head = ["group", "setting", "queries", "documents"].into_iter();
    let head = head.chain(names.iter().copied());
    let head = head.chain(["ceiling", "floor"]).map(Cell::new);
    table.set_header(head.map(|head| grid::bold(head, screen)));
    for subset in subsets(scores) {
        let of_row: Vec<&Score> = scores
            .iter()
            .filter(|score| score.subset == subset)
            .filter(|score| score.slice == "all" && score.measure == measure)
            .collect();
        let Some(first) = of_row.first() else {
            continue;
        };
        let setting = with_draws(first.setting, first.draws);
        // A subset that is not a group under a setting has its own name.
        let group = first.group.as_deref().filter(|_| first.setting.is_some());
        let mut row = vec![Cell::new(group.unwrap_or(subset)), Cell::new(setting)];
        row.push(right(grouped(first.queries.into())));
        // A pooled query is ranked within its group only.
        let is_pooled = first.group.as_deref() == Some(POOLED);
        let documents = if is_pooled {
            "–".to_owned()
        } else {
            grouped(first.documents.into())
        };
        row.push(right(documents));
        for name in &names {
            let score = of_row.iter().find(|score| score.retriever == *name);
            let shown = score.map(|score| {
                let text = with_interval(score);
                if score.too_few {
                    text
                } else {
                    text.replacen(' ', between, 1)
                }
            });
            row.push(right(shown.unwrap_or_default()));
        }
        row.extend([first.ceiling, first.floor].map(|value| right(bound(value))));
        table.add_row(row);
    }
    table
}

/// The subsets that have scores, in their order.
fn subsets(scores: &[Score]) -> Vec<&str> {
    let mut subsets = distinct(scores.iter().map(|score| score.subset.as_str()));
    // Scores are sorted by retriever first; settings of a group are together.
    subsets.sort_by_cached_key(|subset| {
        let of = scores.iter().find(|score| score.subset == *subset);
        let group = of.map(|of| scores.iter().position(|other| other.group == of.group));
        (group, of.map(|of| of.setting))
    });
    subsets
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests {
    use barecode_records::Setting;
    use expect_test::expect;

    use super::*;

    fn score(retriever: &str, setting: Setting, value: f64) -> Score {
        Score {
            retriever: retriever.to_owned(),
            subset: format!("group1-{setting}"),
            group: Some("group1".to_owned()),
            setting: Some(setting),
            language: None,
            draws: if setting.is_seeded() { 3 } else { 1 },
            slice: "all".to_owned(),
            measure: "nDCG@10".to_owned(),
            queries: 120,
            too_few: false,
            documents: 400,
            value,
            low: value - 0.05,
            high: value + 0.05,
            repository_low: None,
            repository_high: None,
            repositories: None,
            draw_error: None,
            ceiling: Some(0.99),
            floor: Some(0.01),
        }
    }

    #[test]
    fn a_number_stands_with_its_measure_interval_queries_and_ceiling() {
        let scores = [
            score("bm25", Setting::Standard, 0.5),
            score("bm25", Setting::RANDOMIZED, 0.1),
            score("random", Setting::Standard, 0.06),
            score("random", Setting::RANDOMIZED, 0.06),
        ];
        expect![[r#"
            nDCG@10, mean over queries [95 % interval]; ceiling: best possible score, given identical texts; floor: expected score of a random order; ×3: mean of 3 draws
            group1: functions that need nothing of their project
            ┌────────┬───────────────┬─────────┬───────────┬──────────────────────┬──────────────────────┬─────────┬───────┐
            │ group  ┆ setting       ┆ queries ┆ documents ┆ bm25                 ┆ random               ┆ ceiling ┆ floor │
            ╞════════╪═══════════════╪═════════╪═══════════╪══════════════════════╪══════════════════════╪═════════╪═══════╡
            │ group1 ┆ standard      ┆     120 ┆       400 ┆ 0.500 [0.450, 0.550] ┆ 0.060 [0.010, 0.110] ┆   0.990 ┆ 0.010 │
            │ group1 ┆ randomized ×3 ┆     120 ┆       400 ┆ 0.100 [0.050, 0.150] ┆ 0.060 [0.010, 0.110] ┆   0.990 ┆ 0.010 │
            └────────┴───────────────┴─────────┴───────────┴──────────────────────┴──────────────────────┴─────────┴───────┘"#]].assert_eq(&terminal(&scores, &[], &[], 0.95, Screen { width: 120, ..Screen::PLAIN }));
    }

    #[test]
    fn few_queries_show_no_number_and_if_all_are_few_the_first_line_says_so() {
        let few = |setting, value| Score {
            queries: 3,
            too_few: true,
            ..score("bm25", setting, value)
        };
        let some = [
            few(Setting::Standard, 0.123),
            score("bm25", Setting::RANDOMIZED, 0.1),
        ];
        let text = terminal(&some, &[], &[], 0.95, Screen::PLAIN);
        assert!(
            text.contains("too few (3)") && !text.contains("0.123"),
            "{text}"
        );
        assert!(
            text.starts_with("nDCG@10") && text.contains("0.100"),
            "{text}"
        );
        let text = terminal(&some[..1], &[], &[], 0.95, Screen::PLAIN);
        assert!(text.starts_with("too few queries"), "{text}");
    }

    #[test]
    fn what_can_be_told_is_said_of_all_groups_together() {
        let pooled = |group: &str| Score {
            group: Some(group.to_owned()),
            ..score("bm25", Setting::Standard, 0.5)
        };
        let difference = |group: &str, detectable| Difference {
            subset: String::new(),
            group: Some(group.to_owned()),
            setting: None,
            language: None,
            measure: "nDCG@10".to_owned(),
            queries: 240,
            too_few: false,
            first: "a".to_owned(),
            second: "b".to_owned(),
            difference: 0.0,
            low: 0.0,
            high: 0.0,
            detectable,
            p: 1.0,
            p_holm: 1.0,
        };
        let told = power(
            &[pooled("group1"), pooled("pooled")],
            &[],
            &[
                difference("group1", Some(0.3)),
                difference("pooled", Some(0.07)),
            ],
        );
        let told = told.unwrap_or_default();
        assert!(
            told.contains("between retrievers of about 0.07 (240 queries)"),
            "{told}"
        );
    }
}
