//! Rows of queries to numbers: means with intervals, the drops under settings, and the differences between
//! retrievers.
//!
//! Draws of one setting and of a pool are averaged per query first, so a query counts once for any number of draws.
//! Subsets that differ in the draw only are one subset here, by its name without the draw.
//!
//! Subsets that differ in their group only are pooled too: a row over all queries of all groups, in the group
//! [`POOLED`]. A query of several groups counts once, with its mean over them.
//!
//! Means are over all queries, and over those of a slice: of each leak, and of each language where answers have several.

use std::collections::BTreeMap;

use barecode_records::{
    Difference, Facets, Leak, QueryScore, Score, SetDifference, Setting, SettingDrop,
};
use barecode_scores::comparison::{
    Judge, Plan, compare, compare_all, detectable, permutation_test, tied_groups,
};
use barecode_scores::intervals::{FEWEST_QUERIES, trials};
use barecode_scores::robustness::drop_from;
use barecode_scores::{Bootstrap, Method};

use crate::error::EvaluateError;
use crate::task::Task;

/// The group of rows over all queries of all groups.
pub const POOLED: &str = "pooled";

/// The numbers of a run.
#[derive(Debug, Default)]
pub struct Summary {
    /// Means with intervals, ceilings and floors.
    pub scores: Vec<Score>,
    /// The drop of each retriever under each setting, if the same group has the standard one too.
    pub drops: Vec<SettingDrop>,
    /// The differences between retrievers on each subset.
    pub differences: Vec<Difference>,
    /// The differences between sets of queries over the functions that both ask for.
    pub sets: Vec<SetDifference>,
}

/// The draws of the queries of subsets: the same draws for all numbers of a group.
pub type Bootstraps<'a> = dyn Fn(&Facets) -> Bootstrap + Sync + 'a;

/// The facts of a task that the numbers need beside the rows.
#[derive(Debug)]
pub struct SubsetFacts {
    name: String,
    facets: Facets,
    documents: u32,
    repositories: Option<BTreeMap<String, String>>,
    /// The answer of each query, where another set asks for the same functions.
    answers: BTreeMap<String, String>,
    /// The language of each query's answer, where there are several.
    languages: BTreeMap<String, String>,
}

impl SubsetFacts {
    /// The facts of a task.
    pub fn of(task: &Task) -> Self {
        let repositories = task.repositories().map(|of| {
            let own = |(query, repository): (&str, &str)| (query.to_owned(), repository.to_owned());
            of.into_iter().map(own).collect()
        });
        let answer = |(query, grades): (&String, &BTreeMap<String, i32>)| {
            let best = grades.iter().max_by_key(|(_, grade)| **grade)?;
            Some((query.clone(), best.0.clone()))
        };
        let has_sets = task.subset.facets.writer.is_some();
        SubsetFacts {
            answers: if has_sets {
                task.grades.iter().filter_map(answer).collect()
            } else {
                BTreeMap::new()
            },
            languages: languages(task),
            name: task.subset.name_without_draw().to_owned(),
            facets: task.subset.facets.without_draw(),
            documents: u32::try_from(task.documents.len()).unwrap_or(u32::MAX),
            repositories,
        }
    }
}

/// The language of each query's answer, where there are several.
fn languages(task: &Task) -> BTreeMap<String, String> {
    let documents = task.documents.iter();
    let known: BTreeMap<&str, &String> = documents
        .filter_map(|document| Some((document.id.as_str(), document.language.as_ref()?)))
        .collect();
    let of_query = |(query, grades): (&String, &BTreeMap<String, i32>)| {
        let best = grades.iter().max_by_key(|(_, grade)| **grade)?;
        Some((query.clone(), (*known.get(best.0.as_str())?).clone()))
    };
    let mut found: BTreeMap<String, String> = task.grades.iter().filter_map(of_query).collect();
    let mut distinct: Vec<&String> = found.values().collect();
    distinct.sort();
    distinct.dedup();
    if distinct.len() < 2 {
        found.clear();
    }
    found
}

/// Means over the draws of each query, in the order of `retrievers`, `measures` and `subsets`.
///
/// # Errors
/// If a value is not a number.
pub fn summarize(
    rows: &[QueryScore],
    retrievers: &[&str],
    measures: &[&str],
    subsets: &[SubsetFacts],
    bootstraps: &Bootstraps<'_>,
) -> Result<Summary, EvaluateError> {
    let mut known: Vec<&SubsetFacts> = Vec::new();
    for subset in subsets {
        if !known.iter().any(|other| other.name == subset.name) {
            known.push(subset);
        }
    }
    let pools = pools(&known);
    let n_single = known.len();
    known.extend(pools.iter().map(|(pooled, _)| pooled));
    let order = Order {
        retrievers,
        measures,
        subsets: &known,
        pools: pools
            .iter()
            .map(|(_, of)| of.as_slice())
            .zip(n_single..)
            .collect(),
        bootstraps,
    };
    let columns = order.columns(rows);
    let mut scores = order.scores(&columns, "all")?;
    let leaks = Leak::ALL.into_iter();
    for leak in leaks.filter(|leak| rows.iter().any(|row| row.leak == Some(*leak))) {
        let columns = order.columns(rows.iter().filter(|row| row.leak == Some(leak)));
        scores.extend(order.scores(&columns, &format!("leak={}", leak.name()))?);
    }
    let of_subset: BTreeMap<&str, &BTreeMap<String, String>> = known[..n_single]
        .iter()
        .map(|subset| (subset.name.as_str(), &subset.languages))
        .collect();
    let mut of_language: BTreeMap<&str, Vec<&QueryScore>> = BTreeMap::new();
    for row in rows {
        let languages = of_subset.get(row.subset.as_str());
        if let Some(name) = languages.and_then(|of| of.get(row.query_id.as_str())) {
            of_language.entry(name).or_default().push(row);
        }
    }
    for (name, rows) in of_language {
        let columns = order.columns(rows);
        scores.extend(order.scores(&columns, &format!("language={name}"))?);
    }
    // All numbers of a group are together, those of all queries first.
    let group = |score: &Score| {
        let same = |subset: &&SubsetFacts| subset.facets.group == score.group;
        known.iter().position(same)
    };
    scores.sort_by_key(group);
    Ok(Summary {
        scores,
        drops: order.drops(&columns)?,
        differences: order.differences(&columns)?,
        sets: order.sets(&columns)?,
    })
}

/// The systems that cannot be distinguished on a subset: a letter for each group that a system is in, in the order of
/// `names`. Systems that share a letter do not differ significantly (Holm).
pub fn letters(
    names: &[&str],
    means: &[f64],
    differences: &[&Difference],
    confidence: f64,
) -> Vec<String> {
    let index = |name: &str| names.iter().position(|other| *other == name);
    let level = 1.0 - confidence;
    let apart: Vec<(usize, usize)> = differences
        .iter()
        .filter(|pair| pair.p_holm <= level)
        .filter_map(|pair| Some((index(&pair.first)?, index(&pair.second)?)))
        .collect();
    tied_groups(means, &apart).letters
}

/// The pools of subsets that differ in their group only, each with the indexes of its members.
fn pools(subsets: &[&SubsetFacts]) -> Vec<(SubsetFacts, Vec<usize>)> {
    let mut found: Vec<(SubsetFacts, Vec<usize>)> = Vec::new();
    for (at, subset) in subsets.iter().enumerate() {
        if !subset.facets.is_pooled() {
            continue;
        }
        let writer = subset.facets.writer.as_deref();
        let facets = Facets {
            group: Some(Facets::group_of(POOLED, writer)),
            ..subset.facets.clone()
        };
        if let Some((pooled, members)) = found.iter_mut().find(|(it, _)| it.facets == facets) {
            pooled.documents = pooled.documents.saturating_add(subset.documents);
            pooled.answers.extend(subset.answers.clone());
            let both = pooled.repositories.take().zip(subset.repositories.clone());
            pooled.repositories = both.map(|(mut all, own)| {
                all.extend(own);
                all
            });
            members.push(at);
            continue;
        }
        let setting = facets.setting.map(|setting| format!("-{setting}"));
        let group = Facets::group_of(POOLED, writer);
        let pooled = SubsetFacts {
            name: format!("{group}{}", setting.unwrap_or_default()),
            answers: subset.answers.clone(),
            facets,
            documents: subset.documents,
            repositories: subset.repositories.clone(),
            languages: BTreeMap::new(),
        };
        found.push((pooled, vec![at]));
    }
    found.retain(|(_, members)| members.len() > 1);
    found
}

/// The orders by which everything is counted.
struct Order<'a> {
    retrievers: &'a [&'a str],
    measures: &'a [&'a str],
    subsets: &'a [&'a SubsetFacts],
    /// The members of each pool, with its own index among the subsets.
    pools: Vec<(&'a [usize], usize)>,
    bootstraps: &'a Bootstraps<'a>,
}

/// The rows of a subset, retriever and measure; the numbers are indexes in [`Order`].
type Columns<'a> = BTreeMap<(usize, usize, usize), Column<'a>>;

/// One column of the bootstrap: a value a query.
#[derive(Default)]
struct Column<'a> {
    by_query: BTreeMap<&'a str, Sums>,
    /// The values of each draw of the setting and of the pool.
    draws: BTreeMap<Draw, BTreeMap<&'a str, f64>>,
}

/// A draw of the setting and one of the pool.
type Draw = (Option<u32>, Option<u32>);

/// Sums over the draws of a query.
#[derive(Clone, Copy)]
struct Sums {
    value: f64,
    ceiling: Option<f64>,
    floor: Option<f64>,
    draws: u32,
}

impl Sums {
    fn mean(&self) -> f64 {
        self.value / f64::from(self.draws)
    }
}

impl<'a> Column<'a> {
    /// The column of several, each query with its mean over those that have it.
    fn pooled(members: &[&Column<'a>]) -> Self {
        let mut by_query: BTreeMap<&'a str, Vec<Sums>> = BTreeMap::new();
        let mut draws: BTreeMap<Draw, BTreeMap<&'a str, Vec<f64>>> = BTreeMap::new();
        for member in members {
            for (query, sums) in &member.by_query {
                by_query.entry(query).or_default().push(*sums);
            }
            for (draw, values) in &member.draws {
                let of_draw = draws.entry(*draw).or_default();
                for (query, value) in values {
                    of_draw.entry(query).or_default().push(*value);
                }
            }
        }
        let averaged = |of: Vec<Sums>| {
            let draws = of.iter().map(|sums| sums.draws).max().unwrap_or_default();
            // Sums over the largest number of draws of any member, so that their mean is the mean of means.
            let scale = |sums: &Sums| f64::from(draws) / f64::from(sums.draws) / of.len() as f64;
            let bound = |bound: fn(&Sums) -> Option<f64>| -> Option<f64> {
                of.iter().map(|sums| Some(bound(sums)? * scale(sums))).sum()
            };
            Sums {
                value: of.iter().map(|sums| sums.value * scale(sums)).sum(),
                ceiling: bound(|sums| sums.ceiling),
                floor: bound(|sums| sums.floor),
                draws,
            }
        };
        let by_query = by_query.into_iter();
        let draws = draws.into_iter().map(|(draw, queries)| {
            let queries = queries.into_iter();
            (
                draw,
                queries.map(|(query, of)| (query, mean(&of))).collect(),
            )
        });
        Column {
            by_query: by_query.map(|(query, of)| (query, averaged(of))).collect(),
            draws: draws.collect(),
        }
    }

    fn mean_of_each(&self) -> Vec<f64> {
        self.by_query.values().map(Sums::mean).collect()
    }

    /// The means of some queries.
    fn means_of(&self, queries: &[&str]) -> Vec<f64> {
        let sums = queries.iter().map(|query| &self.by_query[query]);
        sums.map(Sums::mean).collect()
    }

    /// The mean over queries of something that may be missing.
    fn bound(&self, of: impl Fn(&Sums) -> Option<f64>) -> Option<f64> {
        let queries = self.by_query.values();
        let means = queries.map(|sums| Some(of(sums)? / f64::from(sums.draws)));
        let sum: Option<f64> = means.sum();
        sum.map(|sum| sum / self.by_query.len() as f64)
    }

    fn n_draws(&self) -> u32 {
        let queries = self.by_query.values();
        queries.map(|sums| sums.draws).max().unwrap_or_default()
    }

    fn means_of_draws(&self) -> Vec<f64> {
        let mean = |draw: &BTreeMap<&str, f64>| draw.values().sum::<f64>() / draw.len() as f64;
        self.draws.values().map(mean).collect()
    }
}

impl<'a> Order<'a> {
    /// The columns of some rows.
    fn columns(&self, rows: impl IntoIterator<Item = &'a QueryScore>) -> Columns<'a> {
        let indexes = |names: &[&'a str]| -> BTreeMap<&'a str, usize> {
            names.iter().copied().zip(0..).collect()
        };
        let names: Vec<&str> = self.subsets.iter().map(|it| it.name.as_str()).collect();
        let (subsets, retrievers, measures) = (
            indexes(&names),
            indexes(self.retrievers),
            indexes(self.measures),
        );
        let mut columns = Columns::new();
        for row in rows {
            let (Some(&subset), Some(&retriever), Some(&measure)) = (
                subsets.get(row.subset.as_str()),
                retrievers.get(row.retriever.as_str()),
                measures.get(row.measure.as_str()),
            ) else {
                continue;
            };
            let column = columns.entry((subset, retriever, measure)).or_default();
            let query = row.query_id.as_str();
            let none = Sums {
                value: 0.0,
                ceiling: Some(0.0),
                floor: Some(0.0),
                draws: 0,
            };
            let sums = column.by_query.entry(query).or_insert(none);
            sums.value += row.value;
            sums.ceiling = sums.ceiling.zip(row.ceiling).map(|(a, b)| a + b);
            sums.floor = sums.floor.zip(row.floor).map(|(a, b)| a + b);
            sums.draws += 1;
            let draw = column.draws.entry((row.draw, row.pool_draw)).or_default();
            draw.insert(query, row.value);
        }
        for (members, pool) in &self.pools {
            for (retriever, measure) in (0..self.retrievers.len())
                .flat_map(|retriever| (0..self.measures.len()).map(move |at| (retriever, at)))
            {
                let of = members.iter().map(|member| (*member, retriever, measure));
                let of: Vec<&Column<'a>> = of.filter_map(|key| columns.get(&key)).collect();
                if !of.is_empty() {
                    let pooled = Column::pooled(&of);
                    columns.insert((*pool, retriever, measure), pooled);
                }
            }
        }
        columns
    }

    fn scores(&self, columns: &Columns<'_>, slice: &str) -> Result<Vec<Score>, EvaluateError> {
        let mut scores = Vec::new();
        for (key, column) in columns {
            let (subset, retriever, measure) = *key;
            let bootstrap = (self.bootstraps)(&self.subsets[subset].facets);
            let values = column.mean_of_each();
            let interval = bootstrap.mean(&values, Method::default())?;
            let clusters = self.clusters(subset, column);
            let clusters = clusters
                .map(|of| bootstrap.cluster_mean(&values, &of, Method::default()))
                .transpose()?;
            let SubsetFacts {
                name,
                facets,
                documents,
                ..
            } = self.subsets[subset];
            let means = column.means_of_draws();
            let several = clusters.filter(|clusters| clusters.clusters > 1);
            let count = clusters.map(|clusters| clusters.clusters);
            let score = Score {
                retriever: self.retrievers[retriever].to_owned(),
                subset: name.clone(),
                group: facets.group.clone(),
                setting: facets.setting,
                language: facets.language,
                draws: column.n_draws(),
                slice: slice.to_owned(),
                measure: self.measures[measure].to_owned(),
                queries: count_of(column.by_query.len()),
                too_few: column.by_query.len() < FEWEST_QUERIES,
                documents: *documents,
                value: interval.value,
                low: interval.low,
                high: interval.high,
                repository_low: several.map(|clusters| clusters.interval.low),
                repository_high: several.map(|clusters| clusters.interval.high),
                repositories: count.map(count_of),
                draw_error: trials(&means)?.standard_error,
                ceiling: column.bound(|sums| sums.ceiling),
                floor: column.bound(|sums| sums.floor),
            };
            let group = self.position(|other| other.group == facets.group);
            scores.push(((group, retriever, facets.setting, subset, measure), score));
        }
        scores.sort_by_key(|(number, _)| *number);
        Ok(scores.into_iter().map(|(_, score)| score).collect())
    }

    /// The first subset with such facets.
    fn position(&self, fits: impl Fn(&Facets) -> bool) -> Option<usize> {
        self.subsets.iter().position(|other| fits(&other.facets))
    }

    /// The repository of each query's answer, if all are known.
    fn clusters(&self, subset: usize, column: &Column<'_>) -> Option<Vec<&str>> {
        let of = self.subsets[subset].repositories.as_ref()?;
        let queries = column.by_query.keys();
        queries
            .map(|query| Some(of.get(*query)?.as_str()))
            .collect()
    }

    /// The drop of each retriever under each setting, against the standard one. A subset without a setting has no
    /// drop.
    fn drops(&self, columns: &Columns<'_>) -> Result<Vec<SettingDrop>, EvaluateError> {
        let mut found = Vec::new();
        for (&(subset, retriever, measure), column) in columns {
            let facets = &self.subsets[subset].facets;
            let Some(setting) = facets.setting.filter(|it| *it != Setting::Standard) else {
                continue;
            };
            let unchanged = Facets {
                setting: Some(Setting::Standard),
                ..facets.clone()
            };
            let standard = self.position(|other| *other == unchanged);
            let Some(standard) =
                standard.and_then(|standard| columns.get(&(standard, retriever, measure)))
            else {
                continue;
            };
            // All settings of a group have the same queries; one that is missing somewhere is left out.
            let draws = &column.draws;
            let queries: Vec<&str> = standard
                .by_query
                .keys()
                .copied()
                .filter(|query| draws.values().all(|draw| draw.contains_key(query)))
                .collect();
            if queries.is_empty() {
                continue;
            }
            let before = standard.means_of(&queries);
            let by_draw: Vec<Vec<f64>> = draws
                .values()
                .map(|draw| queries.iter().map(|query| draw[query]).collect())
                .collect();
            let n_draws = by_draw.len() as f64;
            let of_query = |query: usize| by_draw.iter().map(move |draw| draw[query]);
            let after: Vec<f64> = (0..queries.len())
                .map(|query| of_query(query).sum::<f64>() / n_draws)
                .collect();
            let worst: f64 = (0..queries.len())
                .map(|query| of_query(query).fold(f64::INFINITY, f64::min))
                .sum();
            let means: Vec<f64> = by_draw.iter().map(|draw| mean(draw)).collect();
            let bootstrap = (self.bootstraps)(facets);
            let drop = drop_from(&before, &after, &bootstrap, Method::default())?;
            let lost: Vec<f64> = before.iter().zip(&after).map(|(a, b)| a - b).collect();
            let relative = drop.relative.map(|resampled| resampled.interval);
            let row = SettingDrop {
                retriever: self.retrievers[retriever].to_owned(),
                subset: self.subsets[subset].name.clone(),
                group: facets.group.clone(),
                setting,
                language: facets.language,
                draws: count_of(by_draw.len()),
                measure: self.measures[measure].to_owned(),
                queries: count_of(queries.len()),
                too_few: queries.len() < FEWEST_QUERIES,
                standard: drop.standard,
                value: drop.setting,
                drop: drop.absolute.value,
                low: drop.absolute.low,
                high: drop.absolute.high,
                relative: relative.map(|interval| interval.value),
                relative_low: relative.map(|interval| interval.low),
                relative_high: relative.map(|interval| interval.high),
                detectable: detectable(&lost, bootstrap.confidence)?,
                p: permutation_test(&lost, bootstrap.resamples, bootstrap.seed)?.p,
                worst_case: worst / queries.len() as f64,
                worst_draw: means.iter().copied().fold(f64::INFINITY, f64::min),
                draw_error: trials(&means)?.standard_error,
            };
            let group = self.position(|other| other.group == facets.group);
            found.push(((group, retriever, setting, subset, measure), row));
        }
        found.sort_by_key(|(number, _)| *number);
        Ok(found.into_iter().map(|(_, row)| row).collect())
    }

    /// The differences between the sets of queries over the same functions, for each pair of them (CLARC, Table 9).
    /// Only functions that both ask for are compared, by the mean of each set's queries for the function.
    fn sets(&self, columns: &Columns<'_>) -> Result<Vec<SetDifference>, EvaluateError> {
        let mut together: BTreeMap<_, Vec<(usize, &Column<'_>)>> = BTreeMap::new();
        for (&(subset, retriever, measure), column) in columns {
            let facets = &self.subsets[subset].facets;
            if facets.writer.is_some() {
                let functions = self.position(|other| other.functions() == facets.functions());
                let key = (functions, retriever, facets.setting, measure);
                together.entry(key).or_default().push((subset, column));
            }
        }
        let mut found = Vec::new();
        for ((_, retriever, _, measure), of_writer) in together {
            for (at, (first, one)) in of_writer.iter().enumerate() {
                for (second, other) in of_writer.iter().skip(at + 1) {
                    let (a, b) = (self.by_answer(*first, one), self.by_answer(*second, other));
                    let both: Vec<(f64, f64)> = a
                        .iter()
                        .filter_map(|(answer, value)| Some((*value, *b.get(answer)?)))
                        .collect();
                    if both.is_empty() {
                        continue;
                    }
                    let (values, others): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
                    let (facets, others_facets) =
                        (&self.subsets[*first].facets, &self.subsets[*second].facets);
                    let bootstrap = (self.bootstraps)(facets);
                    let plan = Plan {
                        bootstrap,
                        method: Method::default(),
                        permutations: bootstrap.resamples,
                    };
                    let paired = compare(&values, &others, &plan)?;
                    let name = |facets: &Facets| facets.writer.clone().unwrap_or_default();
                    found.push(SetDifference {
                        retriever: self.retrievers[retriever].to_owned(),
                        functions: facets.functions().unwrap_or_default().to_owned(),
                        setting: facets.setting,
                        measure: self.measures[measure].to_owned(),
                        answers: count_of(paired.n),
                        too_few: paired.n < FEWEST_QUERIES,
                        first: name(facets),
                        second: name(others_facets),
                        first_value: paired.first,
                        second_value: paired.second,
                        difference: paired.difference.value,
                        low: paired.difference.low,
                        high: paired.difference.high,
                        detectable: paired.detectable,
                        p: paired.permutation.p,
                    });
                }
            }
        }
        Ok(found)
    }

    /// The mean of a subset's queries for each answer.
    fn by_answer(&self, subset: usize, column: &Column<'_>) -> BTreeMap<&str, f64> {
        let answers = &self.subsets[subset].answers;
        let mut values: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for (query, sums) in &column.by_query {
            if let Some(answer) = answers.get(*query) {
                values.entry(answer).or_default().push(sums.mean());
            }
        }
        let values = values.into_iter();
        values.map(|(answer, of)| (answer, mean(&of))).collect()
    }

    /// The differences between the retrievers, for each subset and measure.
    fn differences(&self, columns: &Columns<'_>) -> Result<Vec<Difference>, EvaluateError> {
        let mut together: BTreeMap<(usize, usize), Vec<(usize, &Column<'_>)>> = BTreeMap::new();
        for (&(subset, retriever, measure), column) in columns {
            let of = together.entry((subset, measure)).or_default();
            of.push((retriever, column));
        }
        let mut found = Vec::new();
        for ((subset, measure), of_retriever) in together {
            let Some((_, first)) = of_retriever.first() else {
                continue;
            };
            let everywhere = |query: &&str| {
                let mut draws = of_retriever
                    .iter()
                    .flat_map(|(_, column)| column.draws.values());
                draws.all(|draw| draw.contains_key(query))
            };
            let queries = first.by_query.keys().copied();
            let queries: Vec<&str> = queries.filter(|query| everywhere(query)).collect();
            if of_retriever.len() < 2 || queries.is_empty() {
                continue;
            }
            let systems = of_retriever.iter();
            let systems: Vec<Vec<f64>> = systems
                .map(|(_, column)| column.means_of(&queries))
                .collect();
            let name = |at: usize| self.retrievers[of_retriever[at].0].to_owned();
            let SubsetFacts {
                name: subset_name,
                facets,
                ..
            } = self.subsets[subset];
            let bootstrap = (self.bootstraps)(facets);
            let plan = Plan {
                bootstrap,
                method: Method::default(),
                permutations: bootstrap.resamples,
            };
            for pair in compare_all(&systems, Judge::Holm, &plan)?.pairs {
                found.push(Difference {
                    subset: subset_name.clone(),
                    group: facets.group.clone(),
                    setting: facets.setting,
                    language: facets.language,
                    measure: self.measures[measure].to_owned(),
                    queries: count_of(queries.len()),
                    too_few: queries.len() < FEWEST_QUERIES,
                    first: name(pair.first),
                    second: name(pair.second),
                    difference: pair.paired.difference.value,
                    low: pair.paired.difference.low,
                    high: pair.paired.difference.high,
                    detectable: pair.paired.detectable,
                    p: pair.paired.permutation.p,
                    p_holm: pair.holm,
                });
            }
        }
        Ok(found)
    }
}

fn count_of(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}
