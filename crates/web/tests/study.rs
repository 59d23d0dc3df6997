//! A study's file: durable, full, blind.

use std::collections::BTreeSet;

use barecode_web::{
    Design, Item, Kind, NewStudy, Study, StudyError, export_csv, highlight, import, offline,
};

fn new_study(kind: Kind, items: usize) -> NewStudy {
    let item = |at: usize| Item {
        id: format!("f{at}"),
        language: "c".to_owned(),
        code: format!("int f{at}(void) {{ return \"</code><script>\" != 0; }}"),
        texts: [format!("one <b> {at}"), format!("two & {at}")],
        ..Item::default()
    };
    NewStudy {
        kind,
        items: (0..items).map(item).collect(),
        sources: if kind == Kind::Compare {
            ["llm".to_owned(), "human".to_owned()]
        } else {
            Default::default()
        },
        introduction: String::new(),
        question: kind.question().to_owned(),
        raters: vec!["anna".to_owned()],
        design: Design {
            per_group: None,
            shared: 0,
            raters: 1,
            seed: 3,
        },
    }
}

#[test]
fn foreign_text_stays_text() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.sqlite");
    new_study(Kind::Compare, 3).create(&path).unwrap();
    let page = offline(&Study::open(&path).unwrap(), "anna").unwrap();
    assert!(!page.contains("</code><script>") && !page.contains("one <b>"));
    assert!(page.contains("one &lt;b&gt; 1") && page.contains("two &amp; 1"));
}

#[test]
fn a_file_that_is_half_written_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.sqlite");
    std::fs::write(folder.path().join("study.sqlite.partial"), "left behind").unwrap();
    assert!(Study::open(&path).is_err());
    new_study(Kind::Write, 3).create(&path).unwrap();
    let left: BTreeSet<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert_eq!(Study::open(&path).unwrap().kind, Kind::Write);
}

#[test]
fn a_second_server_is_told_and_a_new_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.sqlite");
    new_study(Kind::Compare, 3).create(&path).unwrap();
    let (one, other) = (Study::open(&path).unwrap(), Study::open(&path).unwrap());
    let right = one.serving().unwrap();
    assert!(
        other
            .serving()
            .unwrap_err()
            .to_string()
            .contains("another server")
    );
    drop(right);
    other.serving().unwrap();
}

#[test]
fn a_damaged_file_is_an_error_and_never_an_answer() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.sqlite");
    new_study(Kind::Write, 40).create(&path).unwrap();
    let mut study = Study::open(&path).unwrap();
    import(&mut study, "item,rater,text\nf1,anna,Finds it\n", "t.csv").unwrap();
    assert!(
        export_csv(&study)
            .unwrap()
            .contains("Finds it,f1,person,anna,")
    );
    let again = import(
        &mut study,
        "item,rater,text\nf1,anna,Finds it\nf2,anna, \n",
        "t.csv",
    )
    .unwrap();
    assert_eq!((again.stored, again.known, again.empty), (0, 1, 1));
    drop(study);
    std::fs::write(&path, &std::fs::read(&path).unwrap()[..2048]).unwrap();
    assert!(matches!(
        Study::open(&path),
        Err(StudyError::Invalid { .. })
    ));
}

#[test]
fn code_that_no_grammar_reads_is_shown_as_it_is() {
    for (code, language) in [
        ("int f(", "c"),
        ("template<class T> T f(T a) { return a; }", "cpp"),
        ("def f(): pass", "python"),
        ("", "c"),
    ] {
        let pieces = highlight(code, language);
        assert_eq!(
            pieces.iter().map(|(_, text)| *text).collect::<String>(),
            code
        );
    }
    assert!(highlight("template<class T> T f();", "cpp").contains(&(Some("keyword"), "template")));
}

/// What an offline page of the only rater saves: one answer to its first item.
fn saved(study: &Study, key: &str, at: &str, text: &str) -> String {
    format!(
        r#"{{"format": "barecode-answers", "version": 1, "study": "{}", "rater": "anna", "answers":
        [{{"position": 1, "key": "{key}", "at": "{at}", "fields": {{"text": "{text}"}}}}]}}"#,
        study.id
    )
}

#[test]
fn of_two_answers_the_one_that_was_given_last_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("study.sqlite");
    new_study(Kind::Write, 1).create(&path).unwrap();
    let mut study = Study::open(&path).unwrap();
    let mut bring = |key: &str, at: &str, text: &str| {
        let file = saved(&study, key, at, text);
        let done = import(&mut study, &file, "a.json").unwrap();
        let table = export_csv(&study).unwrap();
        let current = table.lines().nth(1).unwrap().split(',').next().unwrap();
        (done.replaced, done.older, current.to_owned())
    };
    for ((key, at, text), expected) in [
        (
            ("a-key-of-16-letters", "2026-01-02T00:00:00.000Z", "second"),
            (0, 0, "second"),
        ),
        (
            ("b-key-of-16-letters", "2020-01-01T00:00:00.000Z", "first"),
            (0, 1, "second"),
        ),
        (
            ("c-key-of-16-letters", "2026-01-03T00:00:00.000Z", "third"),
            (1, 0, "third"),
        ),
        // A clock that is ahead does not keep later answers out.
        (
            ("d-key-of-16-letters", "2999-01-01T00:00:00.000Z", "ahead"),
            (1, 0, "ahead"),
        ),
    ] {
        let (replaced, older, current) = bring(key, at, text);
        assert_eq!((replaced, older, &*current), expected);
    }
    let table = |row: &str| format!("item,rater,text,at\nf0,anna,{row}\n");
    let old = import(&mut study, &table("old,2025-01-01T00:00:00.000Z"), "t.csv").unwrap();
    assert_eq!((old.stored, old.older, old.replaced), (1, 1, 0));
    let new = import(&mut study, &table("new,"), "t.csv").unwrap();
    assert_eq!((new.stored, new.older, new.replaced), (1, 0, 1));
    assert!(export_csv(&study).unwrap().contains("new,f0,"));
    assert!(import(&mut study, &table("x,yesterday"), "t.csv").is_err());
}
