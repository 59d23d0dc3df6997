//! Patches of reviews, and the queries after them.

use barecode_queries::{Decision, REVIEWS, Review, apply_reviews};
use barecode_records::{Group, Leak, Query, Reason, Unit};
use barecode_testing::made;

const HEAD: &str = "record,decision,text,reviewer,at,note\n";

fn units() -> Vec<Unit> {
    ["add", "drop", "grow"]
        .map(|name| made::unit(name, Group::Group1, &[]))
        .to_vec()
}

fn queries(units: &[Unit]) -> Vec<Query> {
    units
        .iter()
        .map(|unit| {
            made::query(
                unit,
                &format!("what {} is for", unit.name.len()),
                Leak::None,
                &[],
            )
        })
        .collect()
}

fn patch(rows: &str) -> Vec<Review> {
    Review::parse(&format!("{HEAD}{rows}"), "reviews.csv").expect("the patch is one")
}

#[test]
fn a_patch_keeps_drops_and_edits() {
    let units = units();
    let mut before = queries(&units);
    "another text".clone_into(&mut before[0].text);
    "a third text".clone_into(&mut before[1].text);
    let reviews = patch(
        "q-add,keep,,anna,2026-11-22,\nq-drop,drop,,anna,2026-11-22,vague\nq-grow,edit,\"Calls grow  for\nmore room\",ben,2026-11-22,\n",
    );
    let done = apply_reviews(before, &reviews, &units).unwrap();
    assert!(done.balances());
    assert_eq!(
        (
            done.of("queries").entered,
            done.of("queries").kept,
            done.of(REVIEWS).kept
        ),
        (3, 2, 3)
    );
    let edited = done
        .kept
        .iter()
        .find(|query| query.target_id == units[2].id)
        .unwrap();
    assert_eq!(edited.text, "Calls grow for more room");
    assert_eq!(
        edited.raw.as_deref(),
        Some("/* what 4 is for */"),
        "the text before"
    );
    assert_eq!(
        (edited.leak, edited.leaked.as_slice()),
        (Leak::Function, &["grow".to_owned()][..]),
        "leaks of the new text"
    );
    assert_eq!(edited.id, Query::id_of(&edited.target_id, &edited.text));
    assert_eq!(edited.words, 5);
    let [row] = &*done.set_aside else { panic!() };
    assert_eq!(row.reason, Reason::ReviewDropped);
    assert_eq!(row.detail, "reviews.csv:3 by `anna`: vague");
}

#[test]
fn a_review_without_its_record_is_counted() {
    let units = units();
    let done = apply_reviews(
        queries(&units)[..1].to_vec(),
        &patch("q-gone,drop,,anna,,\n"),
        &units,
    )
    .unwrap();
    assert!(done.balances());
    assert_eq!(
        (
            done.kept.len(),
            done.of(REVIEWS).entered,
            done.of(REVIEWS).kept
        ),
        (1, 1, 0)
    );
    assert_eq!(done.set_aside[0].reason, Reason::ReviewUnknown);
}

#[test]
fn an_edit_to_the_text_of_another_query_is_a_duplicate() {
    let units = units();
    let mut before = queries(&units);
    "one".clone_into(&mut before[0].text);
    "two".clone_into(&mut before[1].text);
    let done = apply_reviews(before, &patch("q-drop,edit,one,anna,,\n"), &units).unwrap();
    assert_eq!(done.set_aside[0].reason, Reason::QueryDuplicate);
    assert!(done.balances());
}

#[test]
fn two_who_disagree_are_an_error_and_two_who_agree_are_not() {
    let units = units();
    let apply = |rows: &str| apply_reviews(queries(&units)[..1].to_vec(), &patch(rows), &units);
    let error = apply("q-add,keep,,anna,,\nq-add,drop,,ben,,\n").unwrap_err();
    assert_eq!(
        error.to_string(),
        "reviews.csv:3: another decision about `q-add` than at reviews.csv:2; remove one of both"
    );
    let done = apply("q-add,drop,,anna,,\nq-add,drop,,ben,,\n").unwrap();
    assert_eq!((done.kept.len(), done.of(REVIEWS).kept), (0, 2));
}

#[test]
fn a_wrong_patch_is_explained_with_its_line() {
    let error = |text: &str| Review::parse(text, "r.csv").unwrap_err().to_string();
    assert_eq!(
        error("record,text\na,b\n"),
        "r.csv:1: the columns are `record,text`, `decision` is missing"
    );
    let with = |row: &str| error(&format!("{HEAD}q-a,keep,,,,\n{row}\n"));
    assert_eq!(
        with("q-b,burn,,,,"),
        "r.csv:3: `burn` in column `decision`, expected `keep`, `drop` or `edit`"
    );
    assert!(with("q-b,edit,,,,").contains("an edit without a `text`"));
    assert!(with("q-b,drop,text,,,").contains("a `text` that is not an edit"));
    assert!(with(",drop,,,,").contains("no `record`"));
    assert_eq!(
        patch("q-a,edit,b,,,\n")[0].decision,
        Decision::Edit("b".to_owned())
    );
}
