//! The results of a study, on the terminal: a row for each group, and below it a sentence with the results that a
//! table has no room for.

use barecode_runs::console::Screen;
use barecode_scores::intervals::FEWEST_QUERIES;
use barecode_scores::study::GroupStudy;

use super::robustness::chance;
use super::{grid, interval, too_few};

/// The names of the two sources: the candidate's, and the reference's.
#[derive(Debug, Clone, Copy)]
pub struct Sources<'a> {
    /// The source of the tested texts.
    pub candidate: &'a str,
    /// The source of the texts that they are compared with.
    pub reference: &'a str,
}

const HEADS: [&str; 7] = [
    "group",
    "items",
    "candidate",
    "reference",
    "p (CLARC)",
    "worse by the margin?",
    "alpha",
];

/// The groups of a study.
pub fn terminal(sources: Sources<'_>, studies: &[GroupStudy], screen: Screen) -> String {
    let mut text = format!(
        "candidate: {}; reference: {}; totals of points with 95 % bootstrap intervals; p (CLARC): the share of resamples in which \
         the candidate's total is at least the reference's, which does not prove that it is as good; alpha: Krippendorff's, nominal, \
         mean of both sides\n{}",
        sources.candidate,
        sources.reference,
        grid::table(1, &HEADS, studies.iter().map(cells), screen)
    );
    text.extend(studies.iter().map(|study| sentence(sources, study)));
    text
}

/// The results that a table has no room for.
fn sentence(sources: Sources<'_>, study: &GroupStudy) -> String {
    let test = &study.non_inferiority;
    let group = if study.group.is_empty() {
        String::new()
    } else {
        format!("{}: ", study.group)
    };
    if study.items < FEWEST_QUERIES {
        let items = study.items;
        return format!(
            "\n{group}{items} items are too few for totals and tests: {FEWEST_QUERIES} are the least"
        );
    }
    let verdict = if test.shown {
        "shown not to be worse"
    } else {
        "not shown not to be worse"
    };
    let needed = study.items_needed.map_or_else(
        || "more items than can be counted".to_owned(),
        |items| format!("{items} items"),
    );
    format!(
        "\n{group}{} is {verdict} than {} by {} points per item: difference {:.3}, at least {:.3} (one-sided, level {}), p {}; \
         a study of this size shows it in {:.0} % of cases if both are equal, {needed} would in 80 %, and it can show a margin of {:.3}",
        sources.candidate,
        sources.reference,
        test.margin,
        test.difference,
        test.low,
        test.level,
        chance(test.p),
        test.power * 100.0,
        test.smallest_margin,
    ) + &equal(study)
        + &agreement(study)
}

/// The agreement of raters, question by question, and the items on which they disagree.
fn agreement(study: &GroupStudy) -> String {
    const SHOWN: usize = 10;
    let alphas: Vec<String> = study
        .questions
        .iter()
        .map(|question| {
            let alpha = question
                .alpha
                .as_ref()
                .map(|alpha| interval(&alpha.alpha.interval, 3));
            format!(
                "{} {}",
                question.question,
                alpha.unwrap_or_else(|| "–".to_owned())
            )
        })
        .collect();
    let items: Vec<&str> = study
        .disagreements
        .iter()
        .map(|one| &*one.item)
        .take(SHOWN)
        .collect();
    let more = match study.disagreements.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more (all with --json)"),
    };
    let listed = if items.is_empty() {
        String::new()
    } else {
        format!(": {}{more}", items.join(", "))
    };
    format!(
        "; alpha by question: {}; raters disagree on {} items{listed}",
        alphas.join(", "),
        study.disagreements.len()
    )
}

/// The verdict on equality of both sides within the margin (two one-sided tests).
fn equal(study: &GroupStudy) -> String {
    let test = &study.equivalence;
    let verdict = if test.shown { "shown" } else { "not shown" };
    format!(
        "; {verdict} to be equal but for {} points (two one-sided tests): difference {:.3} [{:.3}, {:.3}], a {:.0} % interval, p {}",
        test.margin,
        test.difference,
        test.low,
        test.high,
        (1.0 - 2.0 * test.level) * 100.0,
        chance(test.p),
    )
}

fn cells(study: &GroupStudy) -> Vec<String> {
    let test = &study.non_inferiority;
    let nominal = study.agreement.first().map(|both| {
        let values = [&both.candidate, &both.reference];
        let values: Vec<f64> = values
            .into_iter()
            .flatten()
            .map(|alpha| alpha.alpha.interval.value)
            .collect();
        if values.is_empty() {
            "–".to_owned()
        } else {
            format!("{:.3}", values.iter().sum::<f64>() / values.len() as f64)
        }
    });
    if study.items < FEWEST_QUERIES {
        let few = too_few(study.items as u64);
        let names = [study.group.clone(), study.items.to_string()];
        return names
            .into_iter()
            .chain(vec![few; HEADS.len() - 2])
            .collect();
    }
    vec![
        study.group.clone(),
        study.items.to_string(),
        interval(&study.totals.first, 1),
        interval(&study.totals.second, 1),
        study
            .totals
            .share_at_least
            .map_or_else(|| "–".to_owned(), |share| format!("{:.2} %", share * 100.0)),
        if test.shown {
            "no, shown".to_owned()
        } else {
            format!("not shown (power {:.0} %)", test.power * 100.0)
        },
        nominal.unwrap_or_default(),
    ]
}
