//! Who competes, and what answers what.

use std::collections::BTreeSet;

use barecode_dataset::{Configuration, Dataset, DatasetConfig, View};
use barecode_records::{Group, Leak, Outcome, Reason, Setting};
use barecode_testing::made::{query, unit, variant};

use crate::Project;

fn named<'a>(done: &'a Outcome<Dataset>, name: &str) -> &'a Configuration {
    done.kept
        .configurations
        .iter()
        .find(|configuration| configuration.name() == name)
        .unwrap()
}

fn ids(configuration: &Configuration) -> Vec<&str> {
    configuration
        .documents
        .iter()
        .map(|document| document.id.as_str())
        .collect()
}

fn grades(configuration: &Configuration) -> Vec<(&str, &str, i32)> {
    let judgments = configuration.judgments.iter();
    judgments
        .map(|one| (one.query_id.as_str(), one.corpus_id.as_str(), one.score))
        .collect()
}

#[test]
fn every_view_with_queries_stands_under_every_setting() {
    let done = Project::small().assembled();
    let names: Vec<String> = done
        .kept
        .configurations
        .iter()
        .map(|configuration| configuration.name().to_owned())
        .collect();
    assert_eq!(
        names,
        [
            "group1-standard",
            "group1-neutralized",
            "group1-randomized-0",
            "group3-short-standard",
            "group3-short-neutralized",
            "group3-short-randomized-0",
            "group3-long-standard",
            "group3-long-neutralized",
            "group3-long-randomized-0",
        ]
    );
    // Group 2 has a function but nobody asks for it.
    let left_out: Vec<_> = done
        .set_aside
        .iter()
        .map(|aside| (aside.name.as_deref().unwrap(), aside.reason))
        .collect();
    assert_eq!(left_out[0], ("group2-standard", Reason::NoQueryInSubset));
    assert_eq!(left_out.len(), 3);
    assert!(done.balances());
    assert_eq!(
        (done.counts["subsets"].entered, done.counts["subsets"].kept),
        (12, 9)
    );
    assert_eq!(
        (done.counts["units"].kept, done.counts["queries"].kept),
        (5, 2)
    );
}

#[test]
fn candidates_are_the_whole_group() {
    let done = Project::small().assembled();
    let group1 = named(&done, "group1-standard");
    assert_eq!(ids(group1), ["u-abc", "u-abd"]);
    assert_eq!(grades(group1), [("q-abc", "u-abc", 1)]);
}

#[test]
fn short_view_has_helpers_as_candidates_of_their_own() {
    let done = Project::small().assembled();
    let short = named(&done, "group3-short-neutralized");
    // `abc` is of group 1 and competes as a helper; `elsewhere` is no unit.
    assert_eq!(ids(short), ["u-abc", "u-tidy", "u-trim"]);
    assert_eq!(
        grades(short),
        [
            ("q-tidy", "u-abc", 1),
            ("q-tidy", "u-tidy", 2),
            ("q-tidy", "u-trim", 1)
        ]
    );
    assert_eq!(short.documents[0].text, "int func_0(void) { return 1; }");
}

#[test]
fn long_view_has_helpers_and_function_as_one_candidate() {
    let done = Project::small().assembled();
    let long = named(&done, "group3-long-standard");
    assert_eq!(ids(long), ["u-tidy", "u-trim"]);
    assert_eq!(grades(long), [("q-tidy", "u-tidy", 1)]);
    assert_eq!(
        long.documents[1].text,
        "// h\n\n\nint trim(void) { return 1; }"
    );
}

#[test]
fn settings_differ_in_the_documents_text_alone() {
    let done = Project::small().assembled();
    for configuration in &done.kept.configurations {
        let standard = done
            .kept
            .configurations
            .iter()
            .find(|other| {
                other.subset.facets.group == configuration.subset.facets.group
                    && other.subset.facets.setting == Some(Setting::Standard)
            })
            .unwrap();
        assert_eq!(ids(configuration), ids(standard));
        assert_eq!(configuration.queries, standard.queries);
        assert_eq!(configuration.judgments, standard.judgments);
        assert_eq!(
            configuration.documents == standard.documents,
            configuration.subset == standard.subset
        );
    }
}

#[test]
fn a_unit_that_lacks_a_setting_is_in_none() {
    let mut project = Project::small();
    project.variants.retain(|variant| {
        variant.unit_id.as_str() != "u-abc" || variant.setting == Setting::Standard
    });
    let done = project.assembled();
    assert!(
        done.kept
            .configurations
            .iter()
            .all(|configuration| !ids(configuration).contains(&"u-abc"))
    );
    let asides: Vec<_> = done
        .set_aside
        .iter()
        .filter(|aside| aside.reason == Reason::SettingMissing)
        .map(|aside| {
            (
                aside.kind.as_str(),
                aside.id.as_ref().unwrap().as_str(),
                aside.detail.as_str(),
            )
        })
        .collect();
    assert_eq!(
        asides,
        [
            ("unit", "u-abc", "neutralized, randomized-0"),
            ("query", "q-abc", "unit u-abc is left out")
        ]
    );
    assert!(done.balances());
}

#[test]
fn the_order_of_the_input_means_nothing() {
    let project = Project::small();
    let mut turned = Project::small();
    turned.units.reverse();
    turned.variants.reverse();
    turned.queries.reverse();
    assert_eq!(project.assembled(), turned.assembled());
}

#[test]
fn adding_a_unit_changes_no_other_view() {
    let before = Project::small().assembled();
    let mut project = Project::small();
    let added = unit("zeta", Group::Group1, &[]);
    project
        .variants
        .extend(crate::SETTINGS.map(|(setting, seed)| variant(&added, setting, seed)));
    project.units.push(added);
    let after = project.assembled();
    assert_eq!(
        named(&before, "group3-long-standard"),
        named(&after, "group3-long-standard")
    );
    assert_eq!(
        ids(named(&after, "group1-standard")),
        ["u-abc", "u-abd", "u-zeta"]
    );
}

#[test]
fn pairs_are_the_judgments_with_their_texts() {
    let done = Project::small().assembled();
    let short = named(&done, "group3-short-standard");
    let pairs = short.pairs();
    assert_eq!(pairs.len(), 3);
    assert_eq!(pairs[1].query_text, "Tidies up \"what\" is left");
    assert_eq!(pairs[1].code_text, "int tidy(void) { return 1; }");
    assert_eq!(
        (pairs[1].code_id.as_str(), pairs[1].relevance),
        ("u-tidy", 2)
    );
}

#[test]
fn twins_are_counted_by_text() {
    let done = Project::small().assembled();
    assert_eq!(named(&done, "group1-standard").twins(), 0);
    assert_eq!(named(&done, "group1-neutralized").twins(), 2);
    assert_eq!(named(&done, "group3-short-neutralized").twins(), 3);
}

#[test]
fn no_judgment_stands_in_a_corpus_or_a_query() {
    let columns = |names: Vec<String>| names.into_iter().collect::<BTreeSet<_>>();
    let of = |fields: &[arrow_schema::FieldRef]| {
        columns(fields.iter().map(|field| field.name().clone()).collect())
    };
    let corpus = of(&barecode_records::table::schema::<barecode_records::Document>());
    let queries = of(&barecode_records::table::schema::<
        barecode_records::QueryText,
    >());
    for judged in [
        "score",
        "relevance",
        "corpus-id",
        "query-id",
        "unit_id",
        "code_id",
        "grade",
    ] {
        assert!(
            !corpus.contains(judged) && !queries.contains(judged),
            "{judged}"
        );
    }
    // A query's id and its answer's have nothing in common, and neither text holds an id.
    let done = Project::small().assembled();
    for configuration in &done.kept.configurations {
        for query in &configuration.queries {
            for document in &configuration.documents {
                assert_ne!(query.id, document.id);
                assert!(!document.text.contains(query.id.as_str()));
                assert!(document.title.is_empty());
            }
        }
    }
}

#[test]
fn all_functions_compete_in_one_view_and_each_answers_for_itself() {
    let config = DatasetConfig {
        views: vec![View::All],
        near_duplicates: 0.0,
        ..DatasetConfig::default()
    };
    let done = Project::small().assembled_by(&config);
    let names: Vec<&str> = done
        .kept
        .configurations
        .iter()
        .map(Configuration::name)
        .collect();
    assert_eq!(
        names,
        ["all-standard", "all-neutralized", "all-randomized-0"]
    );
    let all = named(&done, "all-standard");
    assert_eq!(ids(all), ["u-abc", "u-abd", "u-size", "u-tidy", "u-trim"]);
    let answers: Vec<(&str, i32)> = grades(all)
        .into_iter()
        .map(|(_, id, grade)| (id, grade))
        .collect();
    assert_eq!(answers.len(), all.queries.len());
    assert!(answers.contains(&("u-tidy", 1)) && answers.contains(&("u-abc", 1)));
}

#[test]
fn code_asks_for_itself_as_it_was_written_among_all_functions() {
    let mut project = Project::small();
    let asked = (Setting::NEUTRALIZED, None);
    let units = project.units.iter();
    let asking = units.map(|unit| query(unit, &format!("bare {}", unit.name), Leak::None, &[]));
    project.code_queries = vec![(asked, asking.collect())];
    let config = DatasetConfig {
        near_duplicates: 0.0,
        max_per_repository: Some(2),
        ..DatasetConfig::default()
    };
    let done = project.assembled_by(&config);
    let code = named(&done, "code-neutralized");
    assert_eq!(code.subset.facets.setting, Some(Setting::NEUTRALIZED));
    assert_eq!(ids(code), ["u-abc", "u-abd", "u-size", "u-tidy", "u-trim"]);
    let standard = project
        .units
        .iter()
        .find(|unit| unit.id.as_str() == "u-abc")
        .unwrap();
    let written = variant(standard, Setting::Standard, None);
    assert_eq!(code.documents[0].text, written.text);
    // At most two of a group and repository ask: group 1 and group 3 have two functions each, group 2 has one.
    assert_eq!(code.queries.len(), 5);
    let answers = grades(code);
    for query in &code.queries {
        let own = answers
            .iter()
            .find(|(id, ..)| *id == query.id.as_str())
            .unwrap();
        assert_eq!(
            query.text,
            format!("bare {}", own.1.trim_start_matches("u-"))
        );
        assert_eq!(own.2, 1);
    }
    let of_code = DatasetConfig {
        max_per_repository: Some(1),
        ..config
    };
    let done = project.assembled_by(&of_code);
    assert_eq!(named(&done, "code-neutralized").queries.len(), 3);
    let left = done.set_aside.iter();
    let left = left.filter(|row| row.setting == Some(Setting::NEUTRALIZED) && row.kind == "query");
    assert_eq!(left.count(), 2, "what is capped has a row");
}
