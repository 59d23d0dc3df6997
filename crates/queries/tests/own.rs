//! One's own queries: their files, and the functions that answer them.

use barecode_queries::{OWN_QUERIES, OwnQuery, own_queries};
use barecode_records::{Group, Leak, Query, Reason, SetAside, Stage, Unit};
use barecode_testing::made;

fn unit(name: &str, qualified: &str, path: &str, lines: (u32, u32)) -> Unit {
    let mut unit = made::unit(name, Group::Group1, &[]);
    unit.id = made::id(&format!("u-{name}-{path}"));
    unit.text = format!("int {name}(int rank) {{ return rank; }}");
    qualified.clone_into(&mut unit.qualified_name);
    path.clone_into(&mut unit.origin.path);
    (unit.origin.start_line, unit.origin.end_line) = lines;
    unit
}

fn own(text: &str, answer: &str) -> OwnQuery {
    OwnQuery {
        text: text.to_owned(),
        answer: answer.to_owned(),
        writer: Query::PERSON.to_owned(),
        stated_at: "q.csv:2".to_owned(),
    }
}

fn left_out(name: &str, path: &str, lines: (u32, u32), reason: Reason) -> SetAside {
    let mut origin = made::origin("path:lib", None);
    path.clone_into(&mut origin.path);
    (origin.start_line, origin.end_line) = lines;
    SetAside {
        origin: Some(origin),
        name: Some(name.to_owned()),
        ..SetAside::new(Stage::Extract, "function", reason, "")
    }
}

/// What each answer comes to: the name of the unit, or the reason.
fn answered(answers: &[&str]) -> Vec<String> {
    let units = [
        unit("add", "add", "src/list.c", (10, 20)),
        unit("add", "add", "src/ring.c", (10, 20)),
        unit("drop", "drop", "src/list.c", (30, 40)),
        unit("parse", "json::Node::parse", "src/node.cc", (5, 50)),
        unit("turn", "turn", "src/list.c", (60, 62)),
        unit("boot", "boot", "src/u-boot.c", (1, 9)),
    ];
    let missed = [
        left_out("grow", "src/list.c", (70, 80), Reason::CompileError),
        left_out("drop", "src/other.c", (1, 2), Reason::Duplicate),
        left_out("turn", "src/other.c", (5, 9), Reason::NotSampled),
    ];
    let one = |answer: &&str| {
        let asked = [own("where is it", answer)];
        let done = own_queries(&asked, &units, &missed, &[]);
        assert!(done.balances());
        assert_eq!(done.of(OWN_QUERIES).entered, 1);
        match (&*done.kept, &*done.set_aside) {
            ([query], []) => {
                let unit = units
                    .iter()
                    .find(|unit| unit.id == query.target_id)
                    .expect("a query's target is a unit");
                format!("{} in {}", unit.name, unit.origin.path)
            }
            ([], [row]) => {
                assert!(row.detail.starts_with("q.csv:2: `"), "{}", row.detail);
                row.reason.code().to_owned()
            }
            other => panic!("{other:?}"),
        }
    };
    answers.iter().map(one).collect()
}

#[test]
fn an_answer_is_one_function_or_the_query_is_set_aside() {
    let cases = [
        ("src/list.c:10", "add in src/list.c"),
        ("list.c:20", "add in src/list.c"),
        ("./src/list.c:35", "drop in src/list.c"),
        ("src/list.c:25", "answer_unknown"),
        ("t.c:10", "answer_unknown"),
        // As the file is seen from a folder around the source.
        ("work/lib/src/list.c:10", "add in src/list.c"),
        ("lib/src/ring.c::add", "add in src/ring.c"),
        ("lib/ring.c::add", "answer_unknown"),
        ("add", "answer_ambiguous"),
        ("src/ring.c::add", "add in src/ring.c"),
        ("ring.c::add", "add in src/ring.c"),
        ("g.c::add", "answer_unknown"),
        ("drop", "drop in src/list.c"),
        ("parse", "parse in src/node.cc"),
        ("Node::parse", "parse in src/node.cc"),
        ("json::Node::parse", "parse in src/node.cc"),
        ("node.cc::Node::parse", "parse in src/node.cc"),
        ("ode::parse", "answer_unknown"),
        ("grow", "answer_left_out"),
        ("list.c:75", "answer_left_out"),
        ("turn", "answer_ambiguous"),
        ("src/list.c::turn", "turn in src/list.c"),
        ("nothing", "answer_unknown"),
        ("other.c::drop", "answer_left_out"),
        ("other.c::grow", "answer_unknown"),
        // A file that begins as an id does.
        ("u-boot.c:4", "boot in src/u-boot.c"),
    ];
    let (answers, wanted): (Vec<&str>, Vec<&str>) = cases.into_iter().unzip();
    assert_eq!(answered(&answers), wanted);
    assert_eq!(
        answered(&["f-drop", "f-nothing"]),
        ["drop in src/list.c", "answer_unknown"]
    );
}

#[test]
fn a_text_is_asked_once_and_its_leak_is_recorded() {
    let units = [
        unit("drop", "drop", "a.c", (1, 2)),
        unit("keep", "keep", "a.c", (3, 4)),
    ];
    let comment = made::query(&units[0], "Drops the last one.", Leak::None, &[]);
    let asked = [
        own("Drops the last one.", "drop"),
        own("how do I drop an item of a rank", "drop"),
        own("how do I drop an item of a rank", "keep"),
    ];
    let done = own_queries(&asked, &units, &[], &[comment]);
    let reasons: Vec<Reason> = done.set_aside.iter().map(|row| row.reason).collect();
    assert_eq!(reasons, [Reason::QueryDuplicate; 2]);
    let [query] = &*done.kept else {
        panic!("{:?}", done.kept)
    };
    assert_eq!(
        (query.leak, &*query.leaked),
        (Leak::Function, &["drop".to_owned(), "rank".to_owned()][..])
    );
    assert_eq!(query.stated_at.as_deref(), Some("q.csv:2"));
    assert_eq!((query.words, &*query.writer), (9, "person"));
}

#[test]
fn files_are_read_by_their_ending_and_each_query_knows_its_line() {
    let csv = "\u{feff}Text,Function,Writer,note\n\"ask, twice\nin two lines\", add ,,x\nwhat,a.c:3,Model,\n";
    let read = OwnQuery::parse(csv, "q.csv").unwrap();
    let told: Vec<(&str, &str, &str, &str)> = read
        .iter()
        .map(|one| (&*one.text, &*one.answer, &*one.writer, &*one.stated_at))
        .collect();
    assert_eq!(
        told,
        [
            ("ask, twice\nin two lines", "add", "person", "q.csv:2"),
            ("what", "a.c:3", "model", "q.csv:4"),
        ]
    );
    let tsv = OwnQuery::parse("query\tplace\nwhat\ta.c:3\n", "q.tsv").unwrap();
    assert_eq!(tsv[0].answer, "a.c:3");
    let lines = "{\"question\": \"what\", \"name\": \"add\"}\n\n{\"text\": \"x\", \"id\": \"f-12345678\", \"name\": null}\n";
    let lines = OwnQuery::parse(lines, "q.jsonl").unwrap();
    assert_eq!(lines[1].stated_at, "q.jsonl:3");
}

#[test]
fn what_is_no_file_of_queries_is_refused_with_its_place() {
    let refused = |file: &str, text: &str| OwnQuery::parse(text, file).unwrap_err().to_string();
    for (file, text, said) in [
        (
            "q.xlsx",
            "",
            "q.xlsx:1: the file must end in .csv, .tsv or .jsonl",
        ),
        (
            "q.csv",
            "text,functon\na,b\n",
            "q.csv:1: no column for the answer: the columns are `text`, `functon`",
        ),
        (
            "q.csv",
            "text;function\na;b\n",
            "q.csv:1: no column for the text: the columns are `text;function`, expected one of `text`, `query`, `question`; \
             columns are separated by commas, not by semicolons",
        ),
        (
            "q.csv",
            "txt,function\na,b\n",
            "q.csv:1: no column for the text",
        ),
        (
            "q.csv",
            "text,function\n",
            "q.csv:1: the file has no queries",
        ),
        (
            "q.csv",
            "text,function\na,b\n,b\n",
            "q.csv:3: no text: `text`, `query`, `question` is empty or missing",
        ),
        ("q.csv", "text,function\na,\n", "q.csv:2: no answer"),
        (
            "q.csv",
            "text,id,name\na,b,c\n",
            "q.csv:2: several values for the answer: `b`, `c`",
        ),
        ("q.csv", "text,function\na,b,c\n", "q.csv:2: "),
        (
            "q.jsonl",
            "{\"text\": \"a\", \"name\": \"b\"}\n[1]\n",
            "q.jsonl:2: invalid type",
        ),
    ] {
        let message = refused(file, text);
        assert!(message.starts_with(said), "{message}");
    }
}

#[test]
fn a_writer_is_a_name_that_cannot_leave_its_folder() {
    let read = |writer: &str| {
        let text = format!("text,function,writer\nwhere is it,add,{writer}\n");
        OwnQuery::parse(&text, "q.csv").map(|own| own[0].writer.clone())
    };
    assert_eq!(read("Anna-2").unwrap(), "anna-2");
    assert_eq!(read("").unwrap(), "person");
    for writer in ["../../x", "a/b", "..", "two words", "ä"] {
        let error = read(writer).unwrap_err().to_string();
        assert!(error.starts_with("q.csv:2: the writer"), "{error}");
    }
}
