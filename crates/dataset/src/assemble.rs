//! The candidates of each view, and the answers of each query.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{
    ClusterMember, Digest, Facets, Group, Id, Judgment, ListedSubset, Outcome, Query, QueryText,
    Reason, SetAside, Setting, Split, Stage, Unit, Variant,
};

use crate::select::{Selection, select};
use crate::view::{Helpers, View, subset};
use crate::{Configuration, DatasetConfig};

/// The grade of a function for its own query.
const ANSWER: i32 = 1;
/// The grade of a function in Group 3 Short, in which its helpers have [`HELPER`].
const ANSWER_ABOVE_HELPERS: i32 = 2;
/// The grade of a helper of the answer in Group 3 Short.
const HELPER: i32 = 1;

/// The content that is retrieved and scored, the content that models may learn from, and the functions that are
/// alike.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dataset {
    /// The test split, by view, then in the order of the requested settings.
    pub configurations: Vec<Configuration>,
    /// The train split in the same order. A view may be in one of the two only.
    pub train: Vec<Configuration>,
    /// Units that are nearly the same, by cluster, each with its representative first.
    pub clusters: Vec<ClusterMember>,
}

impl Dataset {
    /// The subsets of both splits, in their order; those that only the train split has are at the end.
    pub fn subsets(&self) -> Vec<ListedSubset> {
        let learned: BTreeSet<&str> = self.train.iter().map(Configuration::name).collect();
        let scored: BTreeSet<&str> = self
            .configurations
            .iter()
            .map(Configuration::name)
            .collect();
        let test = self.configurations.iter().map(|configuration| {
            let splits = if learned.contains(configuration.name()) {
                Split::ALL.to_vec()
            } else {
                vec![Split::Test]
            };
            ListedSubset::new(&configuration.subset, splits)
        });
        let train_only = self
            .train
            .iter()
            .filter(|configuration| !scored.contains(configuration.name()))
            .map(|configuration| ListedSubset::new(&configuration.subset, vec![Split::Train]));
        test.chain(train_only).collect()
    }
}

/// A setting and its draw, if it is drawn.
pub type Draw = (Setting, Option<u32>);

/// The inputs of a dataset.
#[derive(Debug, Clone, Copy)]
pub struct Inputs<'a> {
    /// The units.
    pub units: &'a [Unit],
    /// Their variants.
    pub variants: &'a [Variant],
    /// Their queries.
    pub queries: &'a [Query],
    /// The functions as queries for themselves: the setting and draw, with the queries.
    pub code_queries: &'a [(Draw, Vec<Query>)],
    /// The requested settings, with their draws.
    pub settings: &'a [Draw],
}

/// Assembles every view under every requested setting. The account has `units`, `queries` and `subsets`.
///
/// A unit without a variant in one of the settings is left out of all of them, and its query with it; so are
/// near-duplicates and functions that are too old, see [`DatasetConfig`]. The candidates of a view are all units of
/// its group on the side of the split, with or without a query; Group 3 Short adds the direct helpers that are units
/// themselves, or the units that represent them. A view without queries is left out.
pub fn assemble(parts: Inputs<'_>, config: &DatasetConfig, seed: u64) -> Outcome<Dataset> {
    let mut done = Outcome::<Dataset>::counting(["units", "queries", "subsets"]);
    let variants: Variants<'_> = parts
        .variants
        .iter()
        .map(|variant| ((&variant.unit_id, variant.setting, variant.draw), variant))
        .collect();
    let mut selection = select(parts, &variants, config, seed);
    done.kept.clusters = std::mem::take(&mut selection.clusters);
    account_units(parts.units, &selection, &mut done);
    let mut sets: BTreeMap<&str, Vec<&Query>> = BTreeMap::new();
    for query in parts.queries {
        sets.entry(query.writer.as_str()).or_default().push(query);
    }
    // A single set needs no name.
    let is_one = sets.len() < 2;
    let mut sets: Vec<(Option<&str>, Vec<&Query>)> = sets
        .into_iter()
        .map(|(writer, queries)| {
            let answerable = answerable_queries(queries, None, &selection, config, seed, &mut done);
            ((!is_one).then_some(writer), answerable)
        })
        .collect();
    // The comments of the code come first.
    sets.sort_by_key(|(writer, _)| (*writer != Some(Query::DOC_COMMENT), *writer));
    let by_function: BTreeMap<&Id, &Id> = parts
        .units
        .iter()
        .map(|unit| (&unit.function_id, &unit.id))
        .collect();
    for &view in &config.views {
        for (writer, queries) in &sets {
            let cast = |split| Cast {
                writer: *writer,
                ..cast(view, split, &selection, &by_function, queries)
            };
            let (scored, learned) = (cast(Split::Test), cast(Split::Train));
            for &(setting, draw) in parts.settings {
                if !learned.queries.is_empty() {
                    let configuration = learned.under((setting, draw), &variants);
                    done.kept.train.push(configuration);
                }
                keep_or_leave(scored.under((setting, draw), &variants), &mut done);
            }
        }
    }
    for (asked, asking) in parts.code_queries {
        let (setting, draw) = asked;
        let answerable = answerable_queries(
            asking.iter(),
            Some(*asked),
            &selection,
            config,
            seed,
            &mut done,
        );
        let scored = cast(
            View::All,
            Split::Test,
            &selection,
            &by_function,
            &answerable,
        );
        let mut configuration = scored.under((Setting::Standard, None), &variants);
        let language = configuration.subset.facets.language;
        configuration.subset = subset(Facets::CODE, None, *setting, *draw);
        configuration.subset.facets.language = language;
        keep_or_leave(configuration, &mut done);
    }
    done
}

/// Keeps a configuration of the test split; one without queries is left out.
fn keep_or_leave(configuration: Configuration, done: &mut Outcome<Dataset>) {
    if !configuration.queries.is_empty() {
        done.count_kept("subsets");
        done.kept.configurations.push(configuration);
        return;
    }
    let detail = format!("{} documents", configuration.documents.len());
    let row = SetAside {
        name: Some(configuration.subset.name),
        setting: configuration.subset.facets.setting,
        draw: configuration.subset.facets.draw,
        ..SetAside::new(Stage::Assemble, "subset", Reason::NoQueryInSubset, detail)
    };
    done.set_aside("subsets", row);
}

pub(crate) type Variants<'a> = BTreeMap<(&'a Id, Setting, Option<u32>), &'a Variant>;

/// Counts the units and writes down why some are left out.
fn account_units(units: &[Unit], selection: &Selection<'_>, done: &mut Outcome<Dataset>) {
    let by_id: BTreeMap<&Id, &Unit> = units.iter().map(|unit| (&unit.id, unit)).collect();
    for (id, unit) in by_id {
        let Some((reason, detail)) = selection.left_out.get(id) else {
            done.count_kept("units");
            continue;
        };
        let row = SetAside {
            id: Some(id.clone()),
            origin: Some(unit.origin.clone()),
            name: Some(unit.name.clone()),
            ..SetAside::new(Stage::Assemble, "unit", *reason, detail)
        };
        done.set_aside("units", row);
    }
}

/// The queries whose answer takes part and that the cap leaves, by id; `under` is the setting and draw of code as
/// queries.
fn answerable_queries<'a>(
    queries: impl IntoIterator<Item = &'a Query>,
    under: Option<Draw>,
    selection: &Selection<'_>,
    config: &DatasetConfig,
    seed: u64,
    done: &mut Outcome<Dataset>,
) -> Vec<&'a Query> {
    let by_id: BTreeMap<&Id, &Query> = queries
        .into_iter()
        .map(|query| (&query.id, query))
        .collect();
    let capped = config
        .max_per_repository
        .map_or_else(BTreeSet::new, |most| {
            beyond_the_cap(by_id.values().copied(), selection, most, seed)
        });
    let mut answerable = Vec::new();
    for (id, query) in by_id {
        let (reason, detail) = if capped.contains(id) {
            let most = config.max_per_repository.unwrap_or_default();
            let whole = query.origin.whole();
            (
                Reason::RepositoryCap,
                format!("`max-per-repository = {most}` of {whole}"),
            )
        } else if selection.units.contains_key(&query.target_id) {
            done.count_kept("queries");
            answerable.push(query);
            continue;
        } else {
            let of_unit = selection.left_out.get(&query.target_id);
            let reason = of_unit.map_or(Reason::SettingMissing, |(reason, _)| *reason);
            (reason, format!("unit {} is left out", query.target_id))
        };
        let row = SetAside {
            id: Some(id.clone()),
            origin: Some(query.origin.clone()),
            setting: under.map(|(setting, _)| setting),
            draw: under.and_then(|(_, draw)| draw),
            ..SetAside::new(Stage::Assemble, "query", reason, detail)
        };
        done.set_aside("queries", row);
    }
    answerable
}

/// The queries that are too many for their repository and group, drawn by the seed. Their functions stay: they are
/// candidates without a query, like those without a comment.
fn beyond_the_cap<'a>(
    queries: impl Iterator<Item = &'a Query>,
    selection: &Selection<'_>,
    most: u32,
    seed: u64,
) -> BTreeSet<&'a Id> {
    let mut lots: BTreeMap<(Group, String), Vec<(String, &Id)>> = BTreeMap::new();
    for query in queries {
        if let Some(unit) = selection.units.get(&query.target_id) {
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

/// The parts that all settings of a view share.
struct Cast<'a> {
    view: View,
    /// The writer of the queries, if there are several sets.
    writer: Option<&'a str>,
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
        .filter(|(id, unit)| view.has(unit.group) && selection.side[*id] == split)
        .map(|(&id, &unit)| (id, unit))
        .collect();
    let helpers = |unit: &Unit| -> BTreeMap<&'a Id, &'a Unit> {
        let helpers = unit.closure.helpers.iter();
        let units = helpers.filter_map(|helper| {
            let id = by_function.get(&helper.function_id)?;
            selection.on_behalf_of(id, split)
        });
        // A function that calls itself, or a duplicate of itself, is not a helper of its own.
        units
            .filter(|helper| helper.id != unit.id)
            .map(|helper| (&helper.id, helper))
            .collect()
    };
    let mut candidates = members.clone();
    if view.helpers() == Helpers::Candidates {
        candidates.extend(members.values().flat_map(|unit| helpers(unit)));
    }
    let mut cast = Cast {
        view,
        writer: None,
        candidates,
        queries: Vec::new(),
        judgments: Vec::new(),
    };
    for query in queries {
        let Some(unit) = members.get(&query.target_id) else {
            continue;
        };
        cast.queries.push(QueryText {
            id: query.id.clone(),
            text: query.text.clone(),
            leak: query.leak,
            leaked: query.leaked.clone(),
        });
        let mut grades = BTreeMap::new();
        if view.helpers() == Helpers::Candidates {
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
    fn under(
        &self,
        (setting, draw): (Setting, Option<u32>),
        variants: &Variants<'_>,
    ) -> Configuration {
        let mut subset = subset(self.view.name(), self.writer, setting, draw);
        let mut languages = self.candidates.values().map(|unit| unit.language);
        let first = languages.next();
        subset.facets.language = first.filter(|first| languages.all(|other| other == *first));
        let document = |(&id, unit): (&&Id, &&Unit)| {
            let variant = variants[&(id, setting, draw)];
            match self.view.helpers() {
                Helpers::LeftOut | Helpers::Candidates => {
                    unit.snippet().with_text(&variant.text).document()
                }
                Helpers::Joined => unit.snippet().with_text(&variant.long_text()).document(),
            }
        };
        Configuration {
            subset,
            documents: self.candidates.iter().map(document).collect(),
            queries: self.queries.clone(),
            judgments: self.judgments.clone(),
        }
    }
}
