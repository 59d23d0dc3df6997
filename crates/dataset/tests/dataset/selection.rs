//! Who takes part, on which side, and what became of the others.

use std::collections::{BTreeMap, BTreeSet};

use barecode_dataset::{Configuration, Dataset, DatasetConfig, Train, sides};
use barecode_records::{ClusterMember, Group, Leak, Outcome, Query, Reason, Setting, Split, Unit};
use barecode_testing::made::{origin, query, unit, variant};
use proptest::prelude::*;

use crate::{Project, SETTINGS};

fn named<'a>(configurations: &'a [Configuration], name: &str) -> &'a Configuration {
    let mut of_name = configurations
        .iter()
        .filter(|configuration| configuration.name() == name);
    of_name.next().unwrap()
}

fn ids(configuration: &Configuration) -> Vec<&str> {
    let documents = configuration.documents.iter();
    documents.map(|document| document.id.as_str()).collect()
}

fn grades(configuration: &Configuration) -> Vec<(&str, &str, i32)> {
    let judgments = configuration.judgments.iter();
    judgments
        .map(|one| (one.query_id.as_str(), one.corpus_id.as_str(), one.score))
        .collect()
}

fn left_out(done: &Outcome<Dataset>, reason: Reason) -> Vec<(&str, &str)> {
    let of_reason = done.set_aside.iter().filter(|aside| aside.reason == reason);
    of_reason
        .map(|aside| (aside.id.as_ref().unwrap().as_str(), aside.detail.as_str()))
        .collect()
}

fn train(sources: &[&str]) -> DatasetConfig {
    DatasetConfig {
        train: Train::Sources(sources.iter().map(|&source| source.to_owned()).collect()),
        ..DatasetConfig::default()
    }
}

#[test]
fn a_near_duplicate_is_set_aside_and_its_judgments_go_to_the_one_that_stands_for_it() {
    let done = Project::of_two_repositories().assembled();
    let aside = left_out(&done, Reason::NearDuplicate);
    let [("u-cut", detail)] = aside.as_slice() else {
        panic!("{aside:?}");
    };
    let wanted = "of u-trim, src/lib.c:10-20 of cargo:lib, similarity 0.9";
    assert!(detail.starts_with(wanted), "{detail}");
    let short = named(&done.kept.configurations, "group3-short-standard");
    assert_eq!(ids(short), ["u-abc", "u-copy", "u-tidy", "u-trim"]);
    assert_eq!(
        grades(short),
        [
            ("q-copy", "u-copy", 2),
            ("q-copy", "u-trim", 1),
            ("q-tidy", "u-abc", 1),
            ("q-tidy", "u-tidy", 2),
            ("q-tidy", "u-trim", 1),
        ]
    );
    let members: Vec<(&str, bool, bool)> = done
        .kept
        .clusters
        .iter()
        .map(|member| (member.unit_id.as_str(), member.representative, member.exact))
        .collect();
    assert_eq!(members, [("u-trim", true, true), ("u-cut", false, false)]);
    assert_eq!(done.kept.clusters[0].cluster, done.kept.clusters[1].cluster);
    assert!(done.kept.clusters[1].similarity > 0.9 && done.kept.clusters[1].similarity < 1.0);
}

#[test]
fn a_function_with_a_query_stands_for_one_without() {
    let mut project = Project::of_two_repositories();
    let cut = project
        .units
        .iter()
        .find(|unit| unit.name == "cut")
        .unwrap();
    project.queries.push(query(cut, "Cuts it", Leak::None, &[]));
    let done = project.assembled();
    assert_eq!(left_out(&done, Reason::NearDuplicate)[0].0, "u-trim");
    // Both had one: the first place stands for both, and the other's query goes with it.
    let trim = project
        .units
        .iter()
        .find(|unit| unit.name == "trim")
        .unwrap();
    project
        .queries
        .push(query(trim, "Trims it", Leak::None, &[]));
    let done = project.assembled();
    let aside = left_out(&done, Reason::NearDuplicate);
    assert_eq!(aside[0].0, "u-cut");
    assert_eq!(aside[1], ("q-cut", "unit u-cut is left out"));
}

#[test]
fn the_same_tokens_are_a_duplicate_and_no_near_one() {
    let mut project = Project::of_two_repositories();
    let text = project
        .units
        .iter()
        .find(|unit| unit.name == "trim")
        .unwrap()
        .text
        .clone();
    for unit in &mut project.units {
        if unit.name == "cut" {
            unit.text = text.replace(';', " ;\n");
        }
    }
    let done = project.assembled();
    assert_eq!(left_out(&done, Reason::NearDuplicate), []);
    assert_eq!(left_out(&done, Reason::Duplicate)[0].0, "u-cut");
    assert!(done.kept.clusters.iter().all(|member| member.exact));
}

#[test]
fn near_duplicates_stay_where_the_recipe_wants_them() {
    let config = DatasetConfig {
        near_duplicates: 0.0,
        ..DatasetConfig::default()
    };
    let done = Project::of_two_repositories().assembled_by(&config);
    assert_eq!(done.kept.clusters, []);
    assert!(ids(named(&done.kept.configurations, "group1-standard")).contains(&"u-cut"));
}

#[test]
fn functions_that_differ_in_names_only_are_the_same_where_names_do_not_count() {
    // `abc` and `abd` are twins once their names are gone.
    let config = DatasetConfig {
        on: Setting::NEUTRALIZED,
        ..DatasetConfig::default()
    };
    let mut project = Project::small();
    project.units.retain(|unit| unit.group == Group::Group1);
    let done = project.assembled_by(&config);
    assert_eq!(left_out(&done, Reason::Duplicate)[0].0, "u-abd");
    assert_eq!(project.assembled().kept.clusters, []);
}

#[test]
fn functions_with_one_text_in_a_setting_are_one_where_texts_must_be_distinct() {
    let config = DatasetConfig {
        distinct_texts: true,
        ..DatasetConfig::default()
    };
    let mut project = Project::small();
    project.units.retain(|unit| unit.group == Group::Group1);
    // White space does not count, and the one with the query stays: `abd` has none.
    let abd = project
        .variants
        .iter_mut()
        .find(|one| one.unit_id.as_str() == "u-abd" && one.setting == Setting::NEUTRALIZED);
    "int\n  func_0(void) {\treturn 1; }".clone_into(&mut abd.unwrap().text);
    let done = project.assembled_by(&config);
    let detail = "in neutralized as u-abc, src/lib.c:10-20 of cargo:lib";
    assert_eq!(left_out(&done, Reason::SameText), [("u-abd", detail)]);
    assert_eq!(left_out(&project.assembled(), Reason::SameText), []);
}

proptest! {
    #[test]
    fn distinct_texts_are_distinct_in_every_setting_and_each_twin_takes_part(
        texts in proptest::collection::vec((0_u8..4, 0_u8..4, 0_u8..4), 1..12),
        trained in any::<bool>(),
    ) {
        let mut project = Project::small();
        (project.units, project.variants, project.queries) = Default::default();
        for (at, texts) in texts.iter().enumerate() {
            let mut added = unit(&format!("f{at}"), Group::Group1, &[]);
            added.origin = origin(if at % 2 == 0 { "cargo:lib" } else { "cargo:other" }, None);
            for ((setting, draw), text) in SETTINGS.into_iter().zip([texts.0, texts.1, texts.2]) {
                let mut one = variant(&added, setting, draw);
                one.text = format!("int{}a{text};", " ".repeat(at + 1));
                project.variants.push(one);
            }
            let words = format!("Does number {at}");
            project.queries.push(query(&added, &words, Leak::None, &[]));
            project.units.push(added);
        }
        let config = DatasetConfig {
            near_duplicates: 0.0,
            distinct_texts: true,
            ..if trained { train(&["cargo:other"]) } else { DatasetConfig::default() }
        };
        let done = project.assembled_by(&config);
        let mut seen: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        let mut count = 0;
        for configuration in done.kept.configurations.iter().chain(&done.kept.train) {
            for document in &configuration.documents {
                let solid = document.text.replace(' ', "");
                let of_name = seen.entry(configuration.name()).or_default();
                prop_assert!(of_name.insert(solid), "{} twice", configuration.name());
                count += 1;
            }
        }
        let aside = left_out(&done, Reason::SameText);
        let aside: Vec<_> = aside.iter().filter(|(id, _)| id.starts_with("u-")).collect();
        prop_assert_eq!(count, SETTINGS.len() * (texts.len() - aside.len()));
        for (id, detail) in aside {
            let twin = detail.split(" as ").nth(1).unwrap().split(',').next().unwrap();
            let takes_part = done.kept.configurations.iter().chain(&done.kept.train)
                .any(|one| ids(one).contains(&twin));
            prop_assert!(takes_part, "{id}: {detail}");
        }
        project.units.reverse();
        project.queries.reverse();
        prop_assert_eq!(project.assembled_by(&config), done);
    }
}

#[test]
fn a_function_that_calls_what_it_stands_for_is_no_helper_of_its_own() {
    let mut project = Project::of_two_repositories();
    // `trim` calls `cut`, for which it stands.
    let trim = project
        .units
        .iter_mut()
        .find(|unit| unit.name == "trim")
        .unwrap();
    trim.closure.helpers = unit("trim", Group::Group3, &["cut"]).closure.helpers;
    let trim = trim.clone();
    project
        .queries
        .push(query(&trim, "Trims it", Leak::None, &[]));
    let done = project.assembled();
    let short = named(&done.kept.configurations, "group3-short-standard");
    let of_trim: Vec<_> = grades(short)
        .into_iter()
        .filter(|one| one.0 == "q-trim")
        .collect();
    assert_eq!(of_trim, [("q-trim", "u-trim", 2)]);
}

#[test]
fn repositories_are_on_one_side_and_near_duplicates_do_not_cross() {
    let done = Project::of_two_repositories().assembled_by(&train(&["cargo:other"]));
    let sources = |configurations: &[Configuration]| -> BTreeSet<String> {
        let documents = configurations.iter().flat_map(|one| &one.documents);
        documents.map(|document| document.source.clone()).collect()
    };
    assert_eq!(
        sources(&done.kept.configurations),
        BTreeSet::from(["cargo:lib".to_owned()])
    );
    assert_eq!(
        sources(&done.kept.train),
        BTreeSet::from(["cargo:other".to_owned()])
    );
    // The one of the test side stays; who called the other has no helper in the train split.
    assert_eq!(left_out(&done, Reason::NearDuplicate)[0].0, "u-cut");
    assert_eq!(
        grades(named(&done.kept.train, "group3-short-standard")),
        [("q-copy", "u-copy", 2)]
    );
    assert_eq!(
        ids(named(&done.kept.train, "group1-neutralized")),
        ["u-count"]
    );
    // The other way around, the other one stays.
    let done = Project::of_two_repositories().assembled_by(&train(&["cargo:lib"]));
    assert_eq!(left_out(&done, Reason::NearDuplicate)[0].0, "u-trim");
    assert_eq!(
        sources(&done.kept.configurations),
        BTreeSet::from(["cargo:other".to_owned()])
    );
}

#[test]
fn a_view_may_have_queries_on_the_train_side_only() {
    let done = Project::of_two_repositories().assembled_by(&train(&["cargo:other"]));
    assert_eq!(named(&done.kept.train, "group2-standard").queries.len(), 1);
    let aside = done
        .set_aside
        .iter()
        .filter(|aside| aside.reason == Reason::NoQueryInSubset);
    let aside: Vec<&str> = aside.map(|aside| aside.name.as_deref().unwrap()).collect();
    assert!(aside.contains(&"group2-standard"), "{aside:?}");
}

#[test]
fn a_repository_has_no_more_queries_than_the_cap_and_its_functions_stay() {
    let mut project = Project::small();
    for name in ["one", "two", "three", "four"] {
        let added = unit(name, Group::Group1, &[]);
        project.queries.push(query(&added, name, Leak::None, &[]));
        project
            .variants
            .extend(SETTINGS.map(|(setting, seed)| variant(&added, setting, seed)));
        project.units.push(added);
    }
    let config = DatasetConfig {
        max_per_repository: Some(2),
        ..DatasetConfig::default()
    };
    let done = project.assembled_by(&config);
    let capped = left_out(&done, Reason::RepositoryCap);
    assert_eq!(capped.len(), 3);
    assert_eq!(capped[0].1, "`max-per-repository = 2` of cargo:lib");
    let group1 = named(&done.kept.configurations, "group1-standard");
    assert_eq!((group1.queries.len(), group1.documents.len()), (2, 6));
    // One query of another group is below the cap.
    assert_eq!(
        named(&done.kept.configurations, "group3-long-standard")
            .queries
            .len(),
        1
    );
    project.queries.reverse();
    assert_eq!(project.assembled_by(&config), done);
}

fn dated(project: &mut Project, name: &str, day: Option<&str>) {
    for unit in project.units.iter_mut().filter(|unit| unit.name == name) {
        unit.origin.first_commit = day.map(str::to_owned);
    }
}

#[test]
fn the_test_split_is_as_young_as_the_recipe_asks_for() {
    let mut project = Project::small();
    dated(&mut project, "abc", Some("2024-06-30"));
    dated(&mut project, "abd", Some("2024-07-01"));
    dated(&mut project, "tidy", Some("2025-01-01"));
    let config = DatasetConfig {
        first_commit_after: Some("2024-06-30".to_owned()),
        ..DatasetConfig::default()
    };
    let done = project.assembled_by(&config);
    assert_eq!(
        left_out(&done, Reason::TooOld),
        [
            ("u-abc", "first commit on 2024-06-30"),
            ("q-abc", "unit u-abc is left out")
        ]
    );
    let unknown: Vec<&str> = left_out(&done, Reason::DateUnknown)
        .iter()
        .map(|one| one.0)
        .collect();
    assert_eq!(unknown, ["u-size", "u-trim"]);
    assert_eq!(
        grades(named(&done.kept.configurations, "group3-short-standard")),
        [("q-tidy", "u-tidy", 2)]
    );
}

#[test]
fn a_copy_is_as_old_as_its_original() {
    let mut project = Project::of_two_repositories();
    dated(&mut project, "trim", Some("2025-01-01"));
    dated(&mut project, "cut", Some("2001-01-01"));
    let config = DatasetConfig {
        first_commit_after: Some("2020-01-01".to_owned()),
        ..DatasetConfig::default()
    };
    let done = project.assembled_by(&config);
    assert_eq!(
        left_out(&done, Reason::TooOld),
        [("u-trim", "first commit on 2001-01-01")]
    );
}

#[test]
fn the_train_split_may_be_old() {
    let config = DatasetConfig {
        first_commit_after: Some("2020-01-01".to_owned()),
        ..train(&["cargo:other"])
    };
    let done = Project::of_two_repositories().assembled_by(&config);
    assert_eq!(done.kept.configurations, []);
    assert_eq!(ids(named(&done.kept.train, "group1-standard")), ["u-count"]);
}

#[test]
fn selection_does_not_depend_on_the_order_of_the_input() {
    let project = Project::of_two_repositories();
    let mut turned = Project::of_two_repositories();
    turned.units.reverse();
    turned.variants.reverse();
    turned.queries.reverse();
    let config = DatasetConfig {
        max_per_repository: Some(1),
        train: Train::Share(0.4),
        ..DatasetConfig::default()
    };
    assert_eq!(project.assembled_by(&config), turned.assembled_by(&config));
}

/// Units of so many repositories, each of its own size.
fn of_sizes(sizes: &[usize]) -> Vec<Unit> {
    let mut units = Vec::new();
    for (number, size) in sizes.iter().enumerate() {
        for at in 0..*size {
            let mut unit = unit(&format!("f{number}_{at}"), Group::Group1, &[]);
            unit.origin = origin(&format!("git:repository-{number}@v{}", at % 2), None);
            units.push(unit);
        }
    }
    units
}

fn trained(units: &[Unit], sides: &BTreeMap<String, Split>) -> usize {
    let of_train = |unit: &&Unit| sides[&unit.origin.whole()] == Split::Train;
    units.iter().filter(of_train).count()
}

#[test]
fn a_share_of_many_repositories_is_met() {
    let sizes: Vec<usize> = (1..40).map(|number| number % 7 + 1).collect();
    let units = of_sizes(&sizes);
    for seed in 0..20 {
        let sides = sides(&units, &Train::Share(0.2), seed);
        let share = trained(&units, &sides) as f64 / units.len() as f64;
        assert!((share - 0.2).abs() < 0.03, "{share} with seed {seed}");
    }
}

#[test]
fn another_seed_draws_other_repositories() {
    let units = of_sizes(&[3; 20]);
    let drawn = |seed| sides(&units, &Train::Share(0.3), seed);
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
}

#[test]
fn a_repository_that_is_added_moves_few_others() {
    let before = of_sizes(&[3; 40]);
    let after = of_sizes(&[3; 41]);
    let moved: usize = (0..50)
        .map(|seed| {
            let (before, after) = (
                sides(&before, &Train::Share(0.25), seed),
                sides(&after, &Train::Share(0.25), seed),
            );
            before
                .iter()
                .filter(|(whole, side)| after[*whole] != **side)
                .count()
        })
        .sum();
    assert!(moved <= 50, "{moved} of 2000 moved");
}

#[test]
fn two_revisions_of_a_repository_are_one() {
    let mut units = of_sizes(&[4]);
    units[0].origin.source = "git:repository-0@v1.2".to_owned();
    let listed = Train::Sources(vec!["git:repository-0@v1.2".to_owned()]);
    assert_eq!(
        sides(&units, &listed, 0),
        BTreeMap::from([("git:repository-0".to_owned(), Split::Test)])
    );
}

proptest! {
    #[test]
    fn a_share_is_met_as_nearly_as_repositories_allow_and_something_stays_to_test(
        sizes in prop::collection::vec(1_usize..30, 1..12),
        share in 0.0_f64..1.0,
        seed in any::<u64>(),
    ) {
        let units = of_sizes(&sizes);
        let sides = sides(&units, &Train::Share(share), seed);
        prop_assert_eq!(sides.len(), sizes.len());
        prop_assert!(sides.values().any(|side| *side == Split::Test));
        let wanted = share * units.len() as f64;
        let largest = sizes.iter().max().copied().unwrap_or_default();
        let trained = trained(&units, &sides) as f64;
        prop_assert!(trained <= wanted + largest as f64 / 2.0, "{trained} for {wanted}");
    }

    #[test]
    fn splits_have_no_repository_and_no_cluster_in_common(
        numbers in prop::collection::vec((0_usize..5, 0_u32..6), 2..14),
        share in 0.0_f64..0.9,
    ) {
        let (mut units, mut queries): (Vec<Unit>, Vec<Query>) = Default::default();
        for (at, (repository, kind)) in numbers.into_iter().enumerate() {
            let mut one = unit(&format!("f{at}"), Group::Group1, &[]);
            one.origin = origin(&format!("cargo:r{repository}"), None);
            let body = (0..30).map(|step| format!(" a[{step}] = {kind} * b[{step}];")).collect::<Vec<_>>().concat();
            one.text = format!("void f{at}(int *a, int *b) {{{body} }}");
            queries.push(query(&one, &format!("what {at}"), Leak::None, &[]));
            units.push(one);
        }
        let variants = units
            .iter()
            .flat_map(|unit| SETTINGS.map(|(setting, seed)| variant(unit, setting, seed)))
            .collect();
        let project = Project { units, variants, queries, code_queries: Vec::new() };
        let config = DatasetConfig { train: Train::Share(share), ..DatasetConfig::default() };
        let done = project.assembled_by(&config);
        let of = |configurations: &[Configuration]| -> (BTreeSet<String>, BTreeSet<String>) {
            let documents = configurations.iter().flat_map(|one| &one.documents);
            documents.map(|one| (one.source.clone(), one.id.to_string())).unzip()
        };
        let ((test, test_ids), (train, train_ids)) = (of(&done.kept.configurations), of(&done.kept.train));
        prop_assert!(test.is_disjoint(&train));
        for cluster in done.kept.clusters.chunk_by(|a, b| a.cluster == b.cluster) {
            let here = |member: &&ClusterMember| test_ids.contains(member.unit_id.as_str()) || train_ids.contains(member.unit_id.as_str());
            prop_assert_eq!(cluster.iter().filter(here).count(), 1);
            prop_assert!(cluster[0].representative);
            let tests = cluster.iter().any(|member| member.split == Split::Test);
            prop_assert_eq!(cluster[0].split == Split::Test, tests);
        }
    }
}
