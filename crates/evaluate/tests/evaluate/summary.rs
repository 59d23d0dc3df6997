//! Means over groups, and ceilings of queries with the same text.

use barecode_evaluate::{
    Asked, Bounds, POOLED, Scoring, SubsetFacts, Task, retrieved, summarize, values,
};
use barecode_records::{Facets, Id, Judgment, QueryScore, Setting, Subset};
use barecode_retrieval::Lexical;
use barecode_scores::{Bootstrap, Ties};

use crate::{document, query};

fn row(group: &str, query: &str, value: f64) -> QueryScore {
    QueryScore {
        retriever: "bm25".to_owned(),
        subset: group.to_owned(),
        group: Some(group.to_owned()),
        setting: Some(Setting::Standard),
        draw: None,
        language: None,
        pool_draw: None,
        query_id: Id::from(query.to_owned()),
        leak: None,
        measure: "RR".to_owned(),
        value,
        ceiling: Some(1.0),
        floor: Some(0.1),
        answer_rank: None,
    }
}

fn facts(group: &str) -> SubsetFacts {
    let subset = Subset {
        name: group.to_owned(),
        facets: Facets {
            group: Some(group.to_owned()),
            setting: Some(Setting::Standard),
            ..Facets::default()
        },
        ..Subset::default()
    };
    let documents = vec![document("a", "x"), document("b", "y")];
    SubsetFacts::of(&Task::of_records(subset, documents, Vec::new(), Vec::new()))
}

#[test]
fn splits_of_a_subset_are_never_pooled() {
    let subset = |split: &str| barecode_formats::Subset {
        name: "group1-standard".to_owned(),
        split: split.to_owned(),
        facets: Facets {
            group: Some("group1".to_owned()),
            setting: Some(Setting::Standard),
            ..Facets::default()
        },
        ..barecode_formats::Subset::default()
    };
    let tasks = |splits: &[&str]| {
        let subsets: Vec<_> = splits.iter().map(|split| subset(split)).collect();
        Task::all(&subsets)
    };
    assert!(tasks(&["test"])[0].subset.facets.is_pooled());
    let both = tasks(&["train", "test"]);
    assert!(
        both.iter()
            .all(|task| task.subset.facets == Facets::default())
    );
    assert_eq!(both[1].subset.name, "group1-standard.test");
}

#[test]
fn groups_are_pooled_and_few_queries_are_marked() {
    // Seven queries in one group, five in the other; two of them are in both, with other values.
    let mut rows: Vec<QueryScore> = (0..7)
        .map(|at| row("group1", &format!("q{at}"), 1.0))
        .collect();
    rows.extend((5..10).map(|at| row("group2", &format!("q{at}"), 0.0)));
    let bootstrap = |_: &Facets| Bootstrap {
        resamples: 100,
        confidence: 0.95,
        seed: 1,
    };
    let subsets = [facts("group1"), facts("group2")];
    let summary = summarize(&rows, &["bm25"], &["RR"], &subsets, &bootstrap).unwrap();
    let told: Vec<_> = summary
        .scores
        .iter()
        .map(|score| {
            (
                score.group.as_deref().unwrap(),
                score.queries,
                score.too_few,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("group1", 7, true),
            ("group2", 5, true),
            (POOLED, 10, false)
        ]
    );
    let pooled = &summary.scores[2];
    assert_eq!(pooled.subset, "pooled-standard");
    // Five times 1, twice the mean of 1 and 0, three times 0.
    assert!((pooled.value - 0.6).abs() < 1e-12, "{pooled:?}");
    assert_eq!((pooled.documents, pooled.draws), (4, 1));
    assert_eq!(
        (pooled.ceiling, pooled.low < 0.6 && pooled.high > 0.6),
        (Some(1.0), true)
    );
    // Equal values are no certainty.
    let all_found = &summary.scores[0];
    assert!(
        all_found.low < 0.7 && (all_found.high - 1.0).abs() < 1e-12,
        "{all_found:?}"
    );
    // One group has nothing to be pooled with.
    let alone = summarize(&rows, &["bm25"], &["RR"], &subsets[..1], &bootstrap).unwrap();
    assert_eq!(alone.scores.len(), 1);
}

#[test]
fn queries_of_one_text_share_a_ceiling_that_a_list_can_reach() {
    let documents = ["a", "b", "c"].map(|id| document(id, &format!("word {id}")));
    let queries = ["q1", "q2", "q3"].map(|id| query(id, "word"));
    let judgments = [("q1", "a"), ("q2", "b"), ("q3", "c")].map(|(query, document)| Judgment {
        query_id: Id::from(query.to_owned()),
        corpus_id: Id::from(document.to_owned()),
        score: 1,
    });
    let task = Task::of_records(
        Subset::default(),
        documents.to_vec(),
        queries.to_vec(),
        judgments.to_vec(),
    );
    let measures = ["RR".parse().unwrap(), "R@1".parse().unwrap()];
    let scoring = Scoring {
        measures: &measures,
        ties: Ties::Input,
    };
    let asked = Asked {
        system: "bm25",
        depth: 10,
        task: &task,
        seed: 0,
        base: std::path::Path::new(""),
        progress: &|_, _, _| {},
        cut: &|_, _, _| {},
        unknown: &|_| {},
        stop: &|| false,
    };
    let lists = retrieved(&Lexical::default(), &asked).unwrap();
    let rows = values("bm25", &task, &lists, &Bounds::of(&task, scoring), scoring).unwrap();
    let mean = |of: &dyn Fn(&QueryScore) -> f64, measure: &str| {
        let of_measure = rows.iter().filter(|row| row.measure == measure);
        of_measure.map(of).sum::<f64>() / 3.0
    };
    for (measure, expected) in [("RR", (1.0 + 0.5 + 1.0 / 3.0) / 3.0), ("R@1", 1.0 / 3.0)] {
        let ceiling = mean(&|row| row.ceiling.unwrap(), measure);
        assert!((ceiling - expected).abs() < 1e-12, "{measure}: {ceiling}");
        // Any order of the three documents reaches it.
        assert!((mean(&|row| row.value, measure) - expected).abs() < 1e-12);
    }
}
