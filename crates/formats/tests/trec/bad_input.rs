//! What is wrong with a file is told with line and column, and what to do.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;

use barecode_formats::run::{open_run, read_qrels};
use barecode_formats::trec::{Fault, TrecRun};

use crate::round_trips::table_of;

/// The message of reading these bytes, without the folder.
fn message(
    bytes: &[u8],
    read: impl Fn(&std::path::Path) -> Result<(), barecode_formats::FormatError>,
) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, bytes).unwrap();
    let error = said(&read(&path).unwrap_err());
    error.replace(&format!("{}/", folder.path().display()), "")
}

/// The message, and what to do about it.
pub(crate) fn said(error: &barecode_formats::FormatError) -> String {
    let hint = error.hint().map(|hint| format!("\n\nhint: {hint}"));
    format!("{error}{}", hint.unwrap_or_default())
}

fn of_run(bytes: &[u8]) -> String {
    message(bytes, |path| table_of(path).map(|_| ()))
}

fn of_qrels(bytes: &[u8]) -> String {
    message(bytes, |path| read_qrels(path).map(|_| ()))
}

#[test]
fn runs() {
    let good = "q1 Q0 d1 1 9.5 tag\n";
    let cases: [(&str, &str); 12] = [
        (
            "q1 Q0 d2 2 8.5\n",
            "file:2:1: 5 columns, expected 6: query iteration document rank score tag\n\nhint: ",
        ),
        (
            "q1 Q0 d2 2 nan tag\n",
            "file:2:12: the score `nan` is not a number\n\nhint: ",
        ),
        (
            "q1 Q0 d2 2 -inf tag\n",
            "file:2:12: the score `-inf` is infinite\n\nhint: ",
        ),
        (
            "q1 Q0 d2 2 1e400 tag\n",
            "file:2:12: the score `1e400` is infinite\n\nhint: ",
        ),
        (
            "q1 Q0 d2 2 0,5 tag\n",
            "file:2:12: the score `0,5` is not a number\n\nhint: ",
        ),
        (
            "q1 Q0 d1 2 8.5 tag\n",
            "file:2:7: the document `d1` occurs twice for the query `q1`\n\nhint: ",
        ),
        (
            "q2 Q0 d1 1 1 t\nq1 Q0 d1 2 8.5 t\n",
            "file:3:7: the document `d1` occurs twice for the query `q1`\n\nhint: ",
        ),
        (
            "q 1 Q0 d2 2 8.5 tag\n",
            "file:2:8: the rank `d2` is not a number\n\nhint: an id with a blank",
        ),
        (
            "q1 Q0 d two 2 8.5 tag\n",
            "file:2:9: the rank `two` is not a number\n\nhint: an id with a blank",
        ),
        (
            "q1 Q0 é\0 2 8.5 tag\n",
            "file:2:8: there is a NUL byte\n\nhint: ",
        ),
        (
            "\n\n# only\nqé Q0 d 1 x tag\n",
            "file:5:11: the score `x` is not a number\n\nhint: ",
        ),
        ("q1\n", "file:2:1: 1 columns, expected 6"),
    ];
    for (bad, expected) in cases {
        let found = of_run(format!("{good}{bad}").as_bytes());
        assert!(found.starts_with(expected), "{bad:?}: {found}");
    }
    let two_encodings = [good.as_bytes(), b"q1 Q0 caf\xe9 2 8.5 tag\n"].concat();
    assert!(of_run(&two_encodings).starts_with("file:2:10: the byte 0xe9 is not UTF-8\n\nhint: "));
    for empty in ["", "\n\n", "# nothing\n"] {
        assert!(of_run(empty.as_bytes()).starts_with("file: no line in this file\n\nhint: "));
    }
}

#[test]
fn the_first_mistake_is_told_on_any_number_of_threads() {
    let mut text = String::new();
    for query in 0..2_000 {
        let score = if query % 500 == 321 { "x" } else { "1" };
        writeln!(text, "q{query} Q0 d 1 {score} tag").unwrap();
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    fs::write(&path, text).unwrap();
    for threads in [1, 4] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let run = TrecRun::open(&path).unwrap().with_block(1_000);
        let error = pool.install(|| run.for_each_query(|_| Ok(())).unwrap_err().to_string());
        assert!(error.contains("run:322:13: the score `x`"), "{error}");
    }
}

#[test]
fn what_a_caller_finds_is_placed_at_the_document() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run");
    fs::write(&path, "q1 Q0 a 1 2 t\nq1 Q0 stranger 2 1 t\n").unwrap();
    let known = |doc: &str| doc != "stranger";
    let found = open_run(&path).unwrap().for_each_query(|run| {
        match run
            .documents
            .iter()
            .position(|document| !known(document.doc))
        {
            None => Ok(()),
            Some(at) => Err(Fault {
                at,
                message: "nobody knows it".into(),
                hint: None,
            }),
        }
    });
    assert!(
        found
            .unwrap_err()
            .to_string()
            .ends_with("run:2:7: nobody knows it")
    );
}

#[test]
fn judgments() {
    let cases: [(&str, &str); 6] = [
        (
            "q1 0 d1 1\nq1 0 d 2 1\n",
            "file:2:1: 5 columns, expected 4: query iteration document grade\n\nhint: ",
        ),
        ("q1 0 d1\n", "file:1:1: 3 columns, expected 4"),
        (
            "q1 0 d1 1.0\n",
            "file:1:9: the grade `1.0` is not a whole number\n\nhint: a grade is a whole number",
        ),
        (
            "q1 0 d1 one\n",
            "file:1:9: the grade `one` is not a whole number\n\nhint: the columns of qrels are",
        ),
        (
            "q1 0 d1 1\nq1 0 d1 1\n",
            "file:2:6: the document `d1` is judged twice for the query `q1`\n\nhint: ",
        ),
        (
            "query-id\tcorpus-id\tscore\nq1\td1\n",
            "file:2:1: 2 columns, expected 3: query-id corpus-id score\n\nhint: ",
        ),
    ];
    for (bad, expected) in cases {
        let found = of_qrels(bad.as_bytes());
        assert!(found.starts_with(expected), "{bad:?}: {found}");
    }
    assert!(of_qrels(b"").starts_with("file: no judgment in this file\n\nhint: "));
    assert!(of_qrels(b"q 0 d\xff 1").starts_with("file:1:6: the byte 0xff is not UTF-8"));
}

#[test]
fn gzip_that_ends_too_early_or_is_damaged() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for query in 0..500 {
        writeln!(gzip, "q{query} Q0 d{query} 1 {}.5 tag", query * 37 % 101).unwrap();
    }
    let whole = gzip.finish().unwrap();
    for length in [3, whole.len() / 2, whole.len() - 1] {
        let found = of_run(&whole[..length]);
        assert!(
            found.starts_with("file: the gzip file ends too early\n\nhint: "),
            "{length}: {found}"
        );
    }
    let mut damaged = whole;
    let checksum = damaged.len() - 6;
    damaged[checksum] ^= 1;
    assert!(of_run(&damaged).starts_with("file: the gzip file is damaged"));
}

#[test]
fn json_and_parquet() {
    let cases: [(&str, &str); 6] = [
        ("{\"q\": {\"d\": NaN}}", "file:1:13: expected value"),
        (
            "{\"q\":\n {\"d\": \"high\"}}",
            "file:2:13: invalid type: string \"high\", expected a number",
        ),
        (
            "{\"q\": {\"d\": 1, \"d\": 2}}",
            "file:1:19: `d` occurs twice",
        ),
        ("{\"q\": {\"d\": 1}", "file:1:14: EOF while parsing"),
        (
            "{\"q\": 1}",
            "file: `q` is a number, expected an object of documents",
        ),
        ("{}", "file: no scored document"),
    ];
    for (bad, expected) in cases {
        let found = of_run(bad.as_bytes());
        assert!(found.starts_with(expected), "{bad:?}: {found}");
    }
    assert!(
        of_qrels(b"{\"q\": {\"d\": 0.5}}")
            .contains("the grade 0.5 of `d` for the query `q` is not a whole number")
    );
    assert!(
        of_run(b"PAR1 and nothing else").starts_with("file: this Parquet file cannot be read: ")
    );
}

#[test]
fn what_is_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let error = open_run(folder.path()).unwrap_err().to_string();
    assert!(
        error.starts_with("cannot read `") && error.contains("Is a directory"),
        "{error}"
    );
    let error = read_qrels(&folder.path().join("nothing"))
        .unwrap_err()
        .to_string();
    assert!(error.starts_with("cannot read `"), "{error}");
}
