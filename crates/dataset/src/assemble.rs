//! Who competes in which view, and what answers what.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{
    ConfigName, Counts, Document, Id, Judgment, Query, QueryText, Reason, SetAside, Setting, Stage,
    Unit, Variant, View,
};

use crate::Configuration;

/// The grade of a function for its own query.
const ANSWER: i32 = 1;
/// The grade of a function in Group 3 Short, where its helpers have [`HELPER`].
const ANSWER_ABOVE_HELPERS: i32 = 2;
/// The grade of a helper of the answer in Group 3 Short.
const HELPER: i32 = 1;

/// The configurations, and what became of the rest.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Assembled {
    /// By view, then in the order of the settings that were wanted.
    pub configurations: Vec<Configuration>,
    /// Units, then queries, then configurations that were left out.
    pub set_aside: Vec<SetAside>,
    /// `units`, `queries` and `configs`.
    pub counts: BTreeMap<String, Counts>,
}

/// Assembles every view under every wanted setting.
///
/// A unit without a variant in one of the settings is left out of all of them, and its query with it. The
/// candidates of a view are all units of its group, with or without a query; Group 3 Short adds the direct
/// helpers that are units themselves. A view without queries is left out.
pub fn assemble(
    units: &[Unit],
    variants: &[Variant],
    queries: &[Query],
    settings: &[(Setting, Option<u32>)],
) -> Assembled {
    let mut done = Assembled::default();
    let variants: Variants = variants
        .iter()
        .map(|variant| ((&variant.unit_id, variant.setting, variant.seed), variant))
        .collect();
    let complete = complete_units(units, &variants, settings, &mut done);
    let queries = answerable_queries(queries, &complete, &mut done);
    let mut configs = Counts::default();
    for view in View::ALL {
        let cast = cast(view, &complete, &queries);
        for &(setting, seed) in settings {
            let name = ConfigName {
                view,
                setting,
                seed,
            };
            if cast.queries.is_empty() {
                configs.set_aside(Reason::NoQueryInView);
                done.set_aside.push(SetAside {
                    stage: Stage::Assemble,
                    kind: "config".to_owned(),
                    id: None,
                    origin: None,
                    name: Some(name.to_string()),
                    reason: Reason::NoQueryInView,
                    detail: format!("{} documents", cast.candidates.len()),
                });
                continue;
            }
            configs.keep();
            done.configurations.push(Configuration {
                name,
                documents: documents(name, &cast.candidates, &variants),
                queries: cast.queries.clone(),
                judgments: cast.judgments.clone(),
            });
        }
    }
    done.counts.insert("configs".to_owned(), configs);
    done
}

type Variants<'a> = BTreeMap<(&'a Id, Setting, Option<u32>), &'a Variant>;

/// The units that have a variant in every setting, by id.
fn complete_units<'a>(
    units: &'a [Unit],
    variants: &Variants,
    settings: &[(Setting, Option<u32>)],
    done: &mut Assembled,
) -> BTreeMap<&'a Id, &'a Unit> {
    let by_id: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    let mut counts = Counts::default();
    let mut complete = BTreeMap::new();
    for (id, unit) in by_id {
        let is_missing = |&&(setting, seed): &&(Setting, Option<u32>)| {
            !variants.contains_key(&(id, setting, seed))
        };
        let missing: Vec<String> = settings
            .iter()
            .filter(is_missing)
            .map(|(setting, seed)| setting.label(*seed))
            .collect();
        if missing.is_empty() {
            counts.keep();
            complete.insert(id, unit);
        } else {
            counts.set_aside(Reason::SettingMissing);
            done.set_aside.push(SetAside {
                stage: Stage::Assemble,
                kind: "unit".to_owned(),
                id: Some(id.clone()),
                origin: Some(unit.origin.clone()),
                name: Some(unit.name.clone()),
                reason: Reason::SettingMissing,
                detail: missing.join(", "),
            });
        }
    }
    done.counts.insert("units".to_owned(), counts);
    complete
}

/// The queries whose answer takes part, by id.
fn answerable_queries<'a>(
    queries: &'a [Query],
    complete: &BTreeMap<&Id, &Unit>,
    done: &mut Assembled,
) -> Vec<&'a Query> {
    let by_id: BTreeMap<&Id, &Query> = queries.iter().map(|query| (&query.id, query)).collect();
    let mut counts = Counts::default();
    let mut answerable = Vec::new();
    for (id, query) in by_id {
        if complete.contains_key(&query.unit_id) {
            counts.keep();
            answerable.push(query);
        } else {
            counts.set_aside(Reason::SettingMissing);
            done.set_aside.push(SetAside {
                stage: Stage::Assemble,
                kind: "query".to_owned(),
                id: Some(id.clone()),
                origin: Some(query.origin.clone()),
                name: None,
                reason: Reason::SettingMissing,
                detail: format!("unit {} is left out", query.unit_id),
            });
        }
    }
    done.counts.insert("queries".to_owned(), counts);
    answerable
}

/// What all settings of a view have in common.
struct Cast<'a> {
    candidates: BTreeMap<&'a Id, &'a Unit>,
    queries: Vec<QueryText>,
    judgments: Vec<Judgment>,
}

fn cast<'a>(view: View, complete: &BTreeMap<&'a Id, &'a Unit>, queries: &[&Query]) -> Cast<'a> {
    let in_group = |unit: &Unit| unit.group == view.group();
    let members: BTreeMap<&Id, &Unit> = complete
        .iter()
        .filter(|(_, unit)| in_group(unit))
        .map(|(&id, &unit)| (id, unit))
        .collect();
    let by_function: BTreeMap<&Id, &'a Unit> = complete
        .values()
        .map(|&unit| (&unit.function_id, unit))
        .collect();
    let helpers = |unit: &Unit| -> BTreeSet<&'a Id> {
        let helpers = unit.closure.helpers.iter();
        let units = helpers.filter_map(|helper| by_function.get(&helper.function_id));
        // A function that calls itself is no helper of its own.
        units
            .map(|helper| &helper.id)
            .filter(|&id| *id != unit.id)
            .collect()
    };
    let mut candidates = members.clone();
    if view == View::Group3Short {
        for id in members.values().flat_map(|unit| helpers(unit)) {
            candidates.insert(id, complete[id]);
        }
    }
    let mut cast = Cast {
        candidates,
        queries: Vec::new(),
        judgments: Vec::new(),
    };
    for query in queries {
        let Some(unit) = members.get(&query.unit_id) else {
            continue;
        };
        cast.queries.push(QueryText {
            id: query.id.clone(),
            text: query.text.clone(),
            leak: query.leak,
            leaked: query.leaked.clone(),
        });
        let mut grades = BTreeMap::new();
        if view == View::Group3Short {
            grades.extend(helpers(unit).into_iter().map(|id| (id, HELPER)));
            grades.insert(&unit.id, ANSWER_ABOVE_HELPERS);
        } else {
            grades.insert(&unit.id, ANSWER);
        }
        cast.judgments
            .extend(grades.into_iter().map(|(id, score)| Judgment {
                query_id: query.id.clone(),
                corpus_id: id.clone(),
                score,
            }));
    }
    cast
}

fn documents(
    name: ConfigName,
    candidates: &BTreeMap<&Id, &Unit>,
    variants: &Variants,
) -> Vec<Document> {
    let document = |(&id, unit): (&&Id, &&Unit)| {
        let variant = variants[&(id, name.setting, name.seed)];
        let text = match name.view {
            View::Group1 | View::Group2 | View::Group3Short => variant.text.clone(),
            View::Group3Long => variant.long_text(),
        };
        Document {
            id: id.clone(),
            title: String::new(),
            text,
            source: unit.origin.source.clone(),
            version: unit.origin.version.clone(),
            commit: unit.origin.commit.clone(),
            license: unit.origin.license.clone(),
            path: unit.origin.path.clone(),
            start_line: unit.origin.start_line,
            end_line: unit.origin.end_line,
        }
    };
    candidates.iter().map(document).collect()
}
