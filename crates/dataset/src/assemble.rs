//! Who competes in which view, and what answers what.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{
    ClusterMember, ConfigName, Counts, Digest, Document, Id, Judgment, Query, QueryText, Reason,
    SetAside, Setting, Split, Stage, Unit, Variant, View, c::Group,
};

use crate::select::{Selection, select};
use crate::{Configuration, DatasetConfig};

/// The grade of a function for its own query.
const ANSWER: i32 = 1;
/// The grade of a function in Group 3 Short, where its helpers have [`HELPER`].
const ANSWER_ABOVE_HELPERS: i32 = 2;
/// The grade of a helper of the answer in Group 3 Short.
const HELPER: i32 = 1;

/// The configurations, and what became of the rest.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Assembled {
    /// The test split, by view, then in the order of the settings that were wanted.
    pub configurations: Vec<Configuration>,
    /// The train split in the same order. A view may be in one of the two only.
    pub train: Vec<Configuration>,
    /// Units that are nearly the same, by cluster, each with its representative first.
    pub clusters: Vec<ClusterMember>,
    /// Units, then queries, then configurations that were left out.
    pub set_aside: Vec<SetAside>,
    /// `units`, `queries` and `configs`.
    pub counts: BTreeMap<String, Counts>,
}

/// What a dataset is assembled from.
#[derive(Debug, Clone, Copy)]
pub struct Parts<'a> {
    /// The units.
    pub units: &'a [Unit],
    /// Their variants.
    pub variants: &'a [Variant],
    /// Their queries.
    pub queries: &'a [Query],
    /// The settings that are wanted, with their draws.
    pub settings: &'a [(Setting, Option<u32>)],
}

/// Assembles every view under every wanted setting.
///
/// A unit without a variant in one of the settings is left out of all of them, and its query with it; so are
/// near-duplicates and what is too old, see [`DatasetConfig`]. The candidates of a view are all units of its
/// group on the side of the split, with or without a query; Group 3 Short adds the direct helpers that are units
/// themselves, or the units that stand for them. A view without queries is left out.
pub fn assemble(parts: Parts<'_>, config: &DatasetConfig, seed: u64) -> Assembled {
    let mut done = Assembled::default();
    let variants: Variants<'_> = parts
        .variants
        .iter()
        .map(|variant| ((&variant.unit_id, variant.setting, variant.seed), variant))
        .collect();
    let mut selection = select(parts, &variants, config, seed);
    done.clusters = std::mem::take(&mut selection.clusters);
    account_units(parts.units, &selection, &mut done);
    let queries = answerable_queries(parts.queries, &selection, config, seed, &mut done);
    let by_function: BTreeMap<&Id, &Id> = parts
        .units
        .iter()
        .map(|unit| (&unit.function_id, &unit.id))
        .collect();
    let mut configs = Counts::default();
    for view in View::ALL {
        let scored = cast(view, Split::Test, &selection, &by_function, &queries);
        let learned = cast(view, Split::Train, &selection, &by_function, &queries);
        for &(setting, seed) in parts.settings {
            let name = ConfigName {
                view,
                setting,
                seed,
            };
            if !learned.queries.is_empty() {
                done.train.push(learned.under(name, &variants));
            }
            if scored.queries.is_empty() {
                configs.set_aside(Reason::NoQueryInView);
                done.set_aside.push(SetAside {
                    stage: Stage::Assemble,
                    kind: "config".to_owned(),
                    id: None,
                    origin: None,
                    name: Some(name.to_string()),
                    reason: Reason::NoQueryInView,
                    detail: format!("{} documents", scored.candidates.len()),
                });
                continue;
            }
            configs.keep();
            done.configurations.push(scored.under(name, &variants));
        }
    }
    done.counts.insert("configs".to_owned(), configs);
    done
}

pub(crate) type Variants<'a> = BTreeMap<(&'a Id, Setting, Option<u32>), &'a Variant>;

/// Counts the units and writes down why some are left out.
fn account_units(units: &[Unit], selection: &Selection<'_>, done: &mut Assembled) {
    let by_id: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    let mut counts = Counts::default();
    for (id, unit) in by_id {
        let Some((reason, detail)) = selection.left_out.get(id) else {
            counts.keep();
            continue;
        };
        counts.set_aside(*reason);
        done.set_aside.push(SetAside {
            stage: Stage::Assemble,
            kind: "unit".to_owned(),
            id: Some(id.clone()),
            origin: Some(unit.origin.clone()),
            name: Some(unit.name.clone()),
            reason: *reason,
            detail: detail.clone(),
        });
    }
    done.counts.insert("units".to_owned(), counts);
}

/// The queries whose answer takes part and that the cap leaves, by id.
fn answerable_queries<'a>(
    queries: &'a [Query],
    selection: &Selection<'_>,
    config: &DatasetConfig,
    seed: u64,
    done: &mut Assembled,
) -> Vec<&'a Query> {
    let by_id: BTreeMap<&Id, &Query> = queries.iter().map(|query| (&query.id, query)).collect();
    let capped = config
        .max_per_repository
        .map_or_else(BTreeSet::new, |most| {
            beyond_the_cap(by_id.values().copied(), selection, most, seed)
        });
    let mut counts = Counts::default();
    let mut answerable = Vec::new();
    for (id, query) in by_id {
        let (reason, detail) = if capped.contains(id) {
            let most = config.max_per_repository.unwrap_or_default();
            let whole = query.origin.whole();
            (
                Reason::RepositoryCap,
                format!("`max-per-repository = {most}` of {whole}"),
            )
        } else if selection.units.contains_key(&query.unit_id) {
            counts.keep();
            answerable.push(query);
            continue;
        } else {
            let of_unit = selection.left_out.get(&query.unit_id);
            let reason = of_unit.map_or(Reason::SettingMissing, |(reason, _)| *reason);
            (reason, format!("unit {} is left out", query.unit_id))
        };
        counts.set_aside(reason);
        done.set_aside.push(SetAside {
            stage: Stage::Assemble,
            kind: "query".to_owned(),
            id: Some(id.clone()),
            origin: Some(query.origin.clone()),
            name: None,
            reason,
            detail,
        });
    }
    done.counts.insert("queries".to_owned(), counts);
    answerable
}

/// The queries that are too many for their repository and group, drawn by the seed. Their functions stay: they
/// are candidates that nobody asks for, as those without a comment are.
fn beyond_the_cap<'a>(
    queries: impl Iterator<Item = &'a Query>,
    selection: &Selection<'_>,
    most: u32,
    seed: u64,
) -> BTreeSet<&'a Id> {
    let mut lots: BTreeMap<(Group, String), Vec<(String, &Id)>> = BTreeMap::new();
    for query in queries {
        if let Some(unit) = selection.units.get(&query.unit_id) {
            let lot = Digest::new("repository-cap")
                .field(seed.to_le_bytes())
                .field(&query.id);
            let of_repository = lots.entry((unit.group, unit.origin.whole())).or_default();
            of_repository.push((lot.hex(), &query.id));
        }
    }
    let mut beyond = BTreeSet::new();
    for mut of_repository in lots.into_values() {
        of_repository.sort_unstable();
        beyond.extend(
            of_repository
                .into_iter()
                .skip(most as usize)
                .map(|(_, id)| id),
        );
    }
    beyond
}

/// What all settings of a view have in common.
struct Cast<'a> {
    candidates: BTreeMap<&'a Id, &'a Unit>,
    queries: Vec<QueryText>,
    judgments: Vec<Judgment>,
}

fn cast<'a>(
    view: View,
    split: Split,
    selection: &Selection<'a>,
    by_function: &BTreeMap<&Id, &'a Id>,
    queries: &[&Query],
) -> Cast<'a> {
    let members: BTreeMap<&Id, &Unit> = selection
        .units
        .iter()
        .filter(|(id, unit)| unit.group == view.group() && selection.side[*id] == split)
        .map(|(&id, &unit)| (id, unit))
        .collect();
    let helpers = |unit: &Unit| -> BTreeMap<&'a Id, &'a Unit> {
        let helpers = unit.closure.helpers.iter();
        let units = helpers.filter_map(|helper| {
            let id = by_function.get(&helper.function_id)?;
            selection.on_behalf_of(id, split)
        });
        // A function that calls itself, or what it stands for, is no helper of its own.
        units
            .filter(|helper| helper.id != unit.id)
            .map(|helper| (&helper.id, helper))
            .collect()
    };
    let mut candidates = members.clone();
    if view == View::Group3Short {
        candidates.extend(members.values().flat_map(|unit| helpers(unit)));
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
            grades.extend(helpers(unit).into_keys().map(|id| (id, HELPER)));
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

impl Cast<'_> {
    /// The configuration that shows this cast under a setting.
    fn under(&self, name: ConfigName, variants: &Variants<'_>) -> Configuration {
        Configuration {
            name,
            documents: documents(name, &self.candidates, variants),
            queries: self.queries.clone(),
            judgments: self.judgments.clone(),
        }
    }
}

fn documents(
    name: ConfigName,
    candidates: &BTreeMap<&Id, &Unit>,
    variants: &Variants<'_>,
) -> Vec<Document> {
    let document = |(&id, unit): (&&Id, &&Unit)| {
        let variant = variants[&(id, name.setting, name.seed)];
        let text = match name.view {
            View::Group1 | View::Group2 | View::Group3Short => variant.text.clone(),
            View::Group3Long => variant.long_text(),
        };
        Document::of(unit, text)
    };
    candidates.iter().map(document).collect()
}
