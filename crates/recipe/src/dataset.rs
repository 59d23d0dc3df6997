//! `[dataset]`: the functions that take part, and their side.

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_dataset::{DatasetConfig, Train, View};
use barecode_records::Setting;
use barecode_sources::SourceConfig;
use serde::Deserialize;
use toml::{Spanned, Value};

use super::recipe_text::{RecipeText, nearest};
use barecode_runs::exit::Failure;

/// A lower threshold would join functions that have nothing in common.
const LEAST_LIKENESS: f64 = 0.1;

/// A shingle longer than most functions compares only whole texts.
const MAX_SHINGLE: u32 = 100;

/// The table as it is in the file.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct Wire {
    near_duplicates: Option<Spanned<Value>>,
    shingle: Option<Spanned<u32>>,
    on: Option<Spanned<String>>,
    distinct_texts: Option<bool>,
    max_per_repository: Option<Spanned<u32>>,
    train: Option<Spanned<Value>>,
    first_commit_after: Option<Spanned<Value>>,
    views: Option<Spanned<Vec<Spanned<String>>>>,
    code_queries: Option<Vec<Spanned<String>>>,
}

/// Looks at the values.
pub(super) fn check(
    wire: Wire,
    settings: &[Setting],
    sources: &[SourceConfig],
    recipe: &RecipeText<'_>,
) -> Result<DatasetConfig, Failure> {
    let usual = DatasetConfig::default();
    let near_duplicates = match wire.near_duplicates {
        Some(value) => check_likeness(&value, recipe)?,
        None => usual.near_duplicates,
    };
    let shingle = recipe.fitting(
        wire.shingle,
        |width| (1..=MAX_SHINGLE).contains(width),
        |width| format!("`shingle` = {width} is not from 1 to {MAX_SHINGLE}"),
        Some("5 tokens are usual"),
    )?;
    let max_per_repository = recipe.fitting(
        wire.max_per_repository,
        |most| *most > 0,
        |_| "`max-per-repository` is 0, so there would be no queries".to_owned(),
        Some("leave it out for no limit"),
    )?;
    Ok(DatasetConfig {
        near_duplicates,
        shingle: shingle.map_or(usual.shingle, |width| width as usize),
        on: wire
            .on
            .map_or(Ok(usual.on), |on| check_on(&on, settings, recipe))?,
        distinct_texts: wire.distinct_texts.unwrap_or(usual.distinct_texts),
        max_per_repository,
        train: wire.train.map_or(Ok(usual.train), |train| {
            check_train(&train, sources, recipe)
        })?,
        first_commit_after: wire
            .first_commit_after
            .map(|day| check_day(&day, recipe))
            .transpose()?,
        views: wire
            .views
            .map_or(Ok(usual.views), |views| check_views(&views, recipe))?,
        code_queries: wire.code_queries.map_or(Ok(usual.code_queries), |asked| {
            check_code_queries(&asked, settings, recipe)
        })?,
    })
}

fn check_views(
    views: &Spanned<Vec<Spanned<String>>>,
    recipe: &RecipeText<'_>,
) -> Result<Vec<View>, Failure> {
    let mut chosen = Vec::new();
    for name in views.get_ref() {
        let Some(view) = View::named(name.get_ref()) else {
            let near = nearest(name.get_ref(), View::ALL.map(View::name));
            let message = format!("unknown view `{}`", name.get_ref());
            return Err(recipe.error(Some(name.span()), &message, near));
        };
        chosen.push(view);
    }
    chosen.sort_unstable();
    chosen.dedup();
    if chosen.is_empty() {
        let message = "`views` is empty";
        return Err(recipe
            .refuse(views.span(), message)
            .hint("leave it out for CLARC's groups, or write [\"all\"]"));
    }
    Ok(chosen)
}

fn check_code_queries(
    asked: &[Spanned<String>],
    settings: &[Setting],
    recipe: &RecipeText<'_>,
) -> Result<Vec<Setting>, Failure> {
    let mut chosen = Vec::new();
    for name in asked {
        let known = settings.iter().filter(|&&it| it != Setting::Standard);
        let known: Vec<(String, Setting)> = known.map(|it| (it.to_string(), *it)).collect();
        let Some((_, setting)) = known.iter().find(|(known, _)| known == name.get_ref()) else {
            let near = nearest(name.get_ref(), known.iter().map(|(name, _)| name.as_str()));
            let message = format!(
                "`code-queries` has `{}`, which is not a setting of this recipe other than `standard`",
                name.get_ref()
            );
            return Err(recipe.error(Some(name.span()), &message, near));
        };
        chosen.push(*setting);
    }
    if !chosen.is_empty() && !settings.contains(&Setting::Standard) {
        let span = asked.first().map(Spanned::span).unwrap_or_default();
        let message = "functions ask for themselves as they were written, but the recipe does not make `standard`";
        return Err(recipe
            .refuse(span, message)
            .hint("add it to `names` in `[settings]`"));
    }
    Ok(chosen)
}

fn check_likeness(value: &Spanned<Value>, recipe: &RecipeText<'_>) -> Result<f64, Failure> {
    let number = match value.get_ref() {
        Value::Boolean(false) => Some(0.0),
        other => number(other),
    };
    match number {
        Some(0.0) => Ok(0.0),
        Some(likeness) if (LEAST_LIKENESS..=1.0).contains(&likeness) => Ok(likeness),
        _ => {
            let message = format!(
                "`near-duplicates` = {} is neither false nor from {LEAST_LIKENESS} to 1",
                value.get_ref()
            );
            Err(recipe.refuse(value.span(), &message)
                .hint("it is the share of token n-grams that two functions have in common: 0.7, or false to keep all"))
        }
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(*number),
        Value::Integer(number) => i32::try_from(*number).ok().map(f64::from),
        Value::String(_)
        | Value::Boolean(_)
        | Value::Datetime(_)
        | Value::Array(_)
        | Value::Table(_) => None,
    }
}

fn check_on(
    on: &Spanned<String>,
    settings: &[Setting],
    recipe: &RecipeText<'_>,
) -> Result<Setting, Failure> {
    let known = [Setting::Standard, Setting::NEUTRALIZED];
    let found = known
        .into_iter()
        .find(|setting| setting.to_string() == *on.get_ref());
    let Some(setting) = found else {
        let message = format!(
            "near-duplicates are looked for in `standard` or `neutralized`, not in `{}`",
            on.get_ref()
        );
        let near = nearest(on.get_ref(), ["standard", "neutralized"]);
        return Err(recipe.error(Some(on.span()), &message, near));
    };
    if setting != Setting::Standard && !settings.contains(&setting) {
        let message = format!("`on` = `{setting}`, but the recipe does not make that setting");
        return Err(recipe
            .refuse(on.span(), &message)
            .hint("add it to `names` in `[settings]`"));
    }
    Ok(setting)
}

fn check_train(
    train: &Spanned<Value>,
    sources: &[SourceConfig],
    recipe: &RecipeText<'_>,
) -> Result<Train, Failure> {
    let error = |message: &str, near| recipe.error(Some(train.span()), message, near);
    if let Value::Array(listed) = train.get_ref() {
        let mut names = BTreeSet::new();
        for name in listed {
            let Value::String(name) = name else {
                return Err(error(
                    &format!("`train` lists {name}, which is not a source"),
                    None,
                )
                .hint("write a source as its `from` has it, in quotes"));
            };
            let Some(source) = sources.iter().find(|source| source.from == *name) else {
                let near = nearest(name, sources.iter().map(|source| source.from.as_str()));
                return Err(error(
                    &format!("`train` lists `{name}`, which is not a `[[source]]`"),
                    near,
                ));
            };
            names.insert(source.name().to_owned());
        }
        if sources.iter().all(|source| names.contains(source.name())) {
            return Err(error(
                "`train` lists every source, so none would be left to test on",
                None,
            )
            .hint("leave out the sources to test on"));
        }
        return Ok(Train::Sources(names.into_iter().collect()));
    }
    match number(train.get_ref()) {
        Some(share) if (0.0..1.0).contains(&share) => Ok(Train::Share(share)),
        _ => {
            let message = format!(
                "`train` = {} is neither a share from 0 to below 1 nor a list of sources",
                train.get_ref()
            );
            Err(error(&message, None).hint("a fifth is written 0.2"))
        }
    }
}

fn check_day(day: &Spanned<Value>, recipe: &RecipeText<'_>) -> Result<String, Failure> {
    let text = match day.get_ref() {
        Value::String(text) => text.clone(),
        Value::Datetime(time) => time.to_string(),
        other @ (Value::Integer(_)
        | Value::Float(_)
        | Value::Boolean(_)
        | Value::Array(_)
        | Value::Table(_)) => other.to_string(),
    };
    if is_day(&text) {
        return Ok(text);
    }
    let message = format!("`first-commit-after` = `{text}` is not a day");
    Err(recipe
        .refuse(day.span(), &message)
        .hint("the last day of June 2024 is written \"2024-06-30\""))
}

/// Returns `true` if a text is a day of the calendar, written as in ISO 8601: as text, days are in their order.
fn is_day(text: &str) -> bool {
    let part = |range: Range<usize>| -> Option<u32> {
        let digits = text.get(range)?;
        let all = digits.bytes().all(|byte| byte.is_ascii_digit());
        all.then(|| digits.parse().ok()).flatten()
    };
    let hyphens = text.len() == 10 && text.get(4..5) == Some("-") && text.get(7..8) == Some("-");
    let (Some(year), Some(month), Some(day)) = (part(0..4), part(5..7), part(8..10)) else {
        return false;
    };
    let leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => 0,
    };
    hyphens && (1..=days).contains(&day)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Recipe;

    fn recipe(table: &str) -> Result<Recipe, Failure> {
        let sources = "[[source]]\nfrom = \"path:lib\"\n[[source]]\nfrom = \"path:app\"\n";
        let text = format!("name = \"a\"\n{sources}[dataset]\n{table}\n");
        Recipe::parse(&text, "r.toml", Path::new("."))
    }

    #[test]
    fn wrong_values_are_refused_with_their_line_and_what_to_do() {
        let cases = [
            (
                "near-duplicates = 1.5",
                "r.toml:7:19: `near-duplicates` = 1.5",
                "0.7, or false",
            ),
            (
                "near-duplicates = true",
                "`near-duplicates` = true is neither",
                "0.7, or false",
            ),
            (
                "near-duplicates = 0.01",
                "neither false nor from 0.1 to 1",
                "0.7, or false",
            ),
            (
                "shingle = 0",
                "r.toml:7:11: `shingle` = 0 is not from 1 to 100",
                "5 tokens",
            ),
            (
                "on = \"neutralised\"",
                "r.toml:7:6: near-duplicates are looked for",
                "`neutralized`?",
            ),
            ("on = \"randomized\"", "not in `randomized`", ""),
            (
                "max-per-repository = 0",
                "r.toml:7:22: `max-per-repository` is 0",
                "leave it out",
            ),
            ("train = 1.0", "r.toml:7:9: `train` = 1.0 is neither", "0.2"),
            (
                "train = \"path:lib\"",
                "neither a share from 0 to below 1 nor a list",
                "0.2",
            ),
            (
                "train = [\"path:lob\"]",
                "`path:lob`, which is not a `[[source]]`",
                "`path:lib`?",
            ),
            (
                "train = [7]",
                "`train` lists 7, which is not a source",
                "in quotes",
            ),
            (
                "train = [\"path:lib\", \"path:app\"]",
                "lists every source",
                "to test on",
            ),
            (
                "first-commit-after = \"2023-02-29\"",
                "r.toml:7:22: `first-commit-after` = `2023-02-29`",
                "2024-06-30",
            ),
            (
                "first-commit-after = \"yesterday\"",
                "is not a day",
                "2024-06-30",
            ),
            (
                "first-commit-after = 2024",
                "`2024` is not a day",
                "2024-06-30",
            ),
            (
                "views = [\"groop1\"]",
                "r.toml:7:10: unknown view `groop1`",
                "`group1`?",
            ),
            ("views = []", "r.toml:7:9: `views` is empty", "[\"all\"]"),
            (
                "code-queries = [\"neutral\"]",
                "r.toml:7:17: `code-queries` has `neutral`",
                "`neutralized`?",
            ),
            ("code-queries = [\"standard\"]", "other than `standard`", ""),
            (
                "near-duplicate = 0.7",
                "r.toml:7:1: unknown field `near-duplicate`",
                "`near-duplicates`?",
            ),
        ];
        for (table, message, hint) in cases {
            let failure = recipe(table).unwrap_err();
            assert!(
                failure.message.contains(message),
                "{table}: {}",
                failure.message
            );
            let found = failure.hint.unwrap_or_default();
            assert!(found.contains(hint), "{table}: {found}");
        }
        let table = "on = \"neutralized\"\n[settings]\nnames = [\"standard\"]";
        assert!(
            recipe(table)
                .unwrap_err()
                .message
                .contains("does not make that setting")
        );
    }

    #[test]
    fn every_way_to_write_a_value_is_read() {
        let config = |table: &str| recipe(table).unwrap().dataset;
        assert_eq!(config(""), DatasetConfig::default());
        for off in [
            "near-duplicates = false",
            "near-duplicates = 0",
            "near-duplicates = 0.0",
        ] {
            assert_eq!(config(off).near_duplicates.to_bits(), 0.0_f64.to_bits());
        }
        assert_eq!(
            config("train = [\"path:app\"]").train,
            Train::Sources(vec!["path:app".to_owned()])
        );
        assert_eq!(config("train = 0.2").train, Train::Share(0.2));
        for day in [
            "first-commit-after = \"2024-02-29\"",
            "first-commit-after = 2024-02-29",
        ] {
            assert_eq!(
                config(day).first_commit_after.as_deref(),
                Some("2024-02-29")
            );
        }
    }

    #[test]
    fn the_table_with_every_default_is_read_again_as_it_was() {
        let table = "near-duplicates = false\nshingle = 7\non = \"neutralized\"\ndistinct-texts = true\nmax-per-repository = 9\nviews = [\"all\", \"group1\"]\ncode-queries = [\"neutralized\"]\ntrain = [\"path:app\"]\nfirst-commit-after = 2024-02-29";
        for table in ["", table] {
            let recipe = recipe(table).unwrap();
            let again = Recipe::parse(&recipe.to_toml(), "again.toml", Path::new(".")).unwrap();
            assert_eq!(again.dataset, recipe.dataset);
        }
    }
}
