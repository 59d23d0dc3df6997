//! Adding a retriever: the example of CONTRIBUTING.md is what is compiled and run here.

use std::sync::Arc;

use barecode_evaluate::{Decision, Prober, decision};
use barecode_retrieval::{Retriever as _, Setting};

use crate::example::Shared;
use crate::{document, of, query, retrieve};

#[test]
fn contributing_shows_the_example() {
    let shown = include_str!("../../../../CONTRIBUTING.md");
    assert!(shown.contains(include_str!("example.rs")));
}

#[test]
fn a_retriever_in_a_file_is_a_system() {
    let documents = [
        document("a", "copy bytes"),
        document("b", "copy a list"),
        document("c", "free"),
    ];
    let found = |shared: Shared| {
        let system = of(None, shared, 10);
        let hits = retrieve(&system, &documents, &[query("q", "copy the list")], 0);
        let scores = hits
            .into_iter()
            .map(|hit| (hit.doc_id.to_string(), hit.score));
        scores.collect::<Vec<(String, f64)>>()
    };
    let of = |scores: [(&str, f64); 3]| scores.map(|(id, score)| (id.to_owned(), score));
    let mut shared = Shared::default();
    assert_eq!(found(shared), of([("b", 2.0), ("a", 1.0), ("c", 0.0)]));
    shared.set("least", Some("2")).unwrap();
    assert_eq!(shared.options(), [("least", Setting::Number(2.0))]);
    assert_eq!(found(shared), of([("b", 2.0), ("a", 0.0), ("c", 0.0)]));
    assert!(shared.set("most", Some("2")).is_err());
}

#[test]
fn what_it_does_not_say_it_can_do_it_cannot() {
    let system = of(None, Shared::default(), 10);
    assert_eq!(system.name(), "shared");
    assert!(Prober::of(system.kind()).is_none());
    assert!(Arc::new(Shared::default()).scores_all().is_none());
    assert_eq!(decision(&system), Some(Decision::Threshold));
    let mut other = Shared::default();
    other.set("least", Some("2")).unwrap();
    let other = of(None, other, 10);
    assert_ne!(other.digest(), system.digest());
    assert!(other != system && other.clone() == other);
}
