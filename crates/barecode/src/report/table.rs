//! The score table on the terminal: a row for each subset, a column for each retriever.

use barecode_records::{Score, Setting};
use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table, presets};

use super::{bound, main_measure, percent, retrievers, with_interval};

/// The main measure of every retriever, with all that belongs to the number.
pub(crate) fn terminal(scores: &[Score], confidence: f64, width: u16, color: bool) -> String {
    let Some(measure) = main_measure(scores) else {
        return "none of the subsets has queries, so there is nothing to score".to_owned();
    };
    let confidence = percent(confidence);
    let drawn = scores.iter().find(|score| score.draws > 1);
    let draws = drawn
        .map(|score| format!("; ×{0}: mean of {0} draws", score.draws))
        .unwrap_or_default();
    let fits = |table: &Table| {
        table
            .lines()
            .all(|line| line.chars().count() <= usize::from(width))
    };
    // A narrow terminal gets the intervals on lines of their own, and a very narrow one broken words.
    let mut table = filled(scores, measure, " ", color);
    if !fits(&table) {
        table = filled(scores, measure, "\n", color);
    }
    if !fits(&table) {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(width);
    }
    format!(
        "{measure}, mean over queries [{confidence} bootstrap interval]; ceiling: best possible score, given identical texts; floor: expected score of a random order{draws}\n{table}"
    )
}

/// The table at its natural width; `between` is between a number and its interval.
fn filled(scores: &[Score], measure: &str, between: &str, color: bool) -> Table {
    let names = retrievers(scores);
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    if color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    let head = ["group", "setting", "queries", "documents"]
        .into_iter()
        .chain(names.iter().copied());
    let bold = |text: &str| {
        let cell = Cell::new(text);
        if color {
            cell.add_attribute(Attribute::Bold)
        } else {
            cell
        }
    };
    table.set_header(head.chain(["ceiling", "floor"]).map(bold));
    for subset in subsets(scores) {
        let of_row: Vec<&Score> = scores
            .iter()
            .filter(|score| score.subset == subset)
            .filter(|score| score.slice == "all" && score.measure == measure)
            .collect();
        let Some(first) = of_row.first() else {
            continue;
        };
        let right = |text: String| Cell::new(text).set_alignment(CellAlignment::Right);
        let setting = first.setting.as_ref().map(Setting::to_string);
        let mut setting = setting.unwrap_or_default();
        if first.draws > 1 {
            setting = format!("{setting} ×{}", first.draws);
        }
        // A subset that is no group under a setting stands by its name.
        let group = first.group.as_deref().filter(|_| first.setting.is_some());
        let mut row = vec![Cell::new(group.unwrap_or(subset)), Cell::new(setting)];
        row.push(right(first.queries.to_string()));
        row.push(right(first.documents.to_string()));
        for name in &names {
            let score = of_row.iter().find(|score| score.retriever == *name);
            let shown = score.map(|score| with_interval(score).replacen(' ', between, 1));
            row.push(right(shown.unwrap_or_default()));
        }
        row.push(right(bound(first.ceiling)));
        row.push(right(bound(first.floor)));
        table.add_row(row);
    }
    table
}

/// The subsets that have scores, in their order.
fn subsets(scores: &[Score]) -> Vec<&str> {
    let mut subsets: Vec<&Score> = Vec::new();
    for score in scores {
        if !subsets.iter().any(|other| other.subset == score.subset) {
            subsets.push(score);
        }
    }
    // Scores stand by retriever first; settings of a group stand together.
    subsets.sort_by_key(|score| {
        let first = scores.iter().position(|other| other.group == score.group);
        (first, score.setting)
    });
    subsets.iter().map(|score| score.subset.as_str()).collect()
}

#[cfg(test)]
#[expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]
mod tests {
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
            nDCG@10, mean over queries [95 % bootstrap interval]; ceiling: best possible score, given identical texts; floor: expected score of a random order; ×3: mean of 3 draws
            ┌────────┬───────────────┬─────────┬───────────┬──────────────────────┬──────────────────────┬─────────┬───────┐
            │ group  ┆ setting       ┆ queries ┆ documents ┆ bm25                 ┆ random               ┆ ceiling ┆ floor │
            ╞════════╪═══════════════╪═════════╪═══════════╪══════════════════════╪══════════════════════╪═════════╪═══════╡
            │ group1 ┆ standard      ┆     120 ┆       400 ┆ 0.500 [0.450, 0.550] ┆ 0.060 [0.010, 0.110] ┆   0.990 ┆ 0.010 │
            │ group1 ┆ randomized ×3 ┆     120 ┆       400 ┆ 0.100 [0.050, 0.150] ┆ 0.060 [0.010, 0.110] ┆   0.990 ┆ 0.010 │
            └────────┴───────────────┴─────────┴───────────┴──────────────────────┴──────────────────────┴─────────┴───────┘"#]].assert_eq(&terminal(&scores, 0.95, 120, false));
    }
}
