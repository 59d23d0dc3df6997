//! Each data set in the smallest form that is true to it, and rows and files that are damaged.

use std::path::Path;

use barecode_programs::read::{Format, detect, read};
use barecode_programs::{Candidate, Cases};
use barecode_records::python::{PublishedKind, TestKind};
use barecode_records::{Reason, SetAside};
use barecode_testing::files::fill;
use proptest::prelude::*;
use serde_json::{Value, json};

const LIMITS: Cases = Cases {
    most: 3,
    bytes: 1000,
    bugs: true,
};

/// What reading gives: candidates, and rows that were set aside.
fn both(path: &Path) -> (Vec<Candidate>, Vec<SetAside>) {
    let reader = read(path, None, "path:set", LIMITS).expect("the data set is known");
    let (mut candidates, mut rows) = (Vec::new(), Vec::new());
    for item in reader {
        match item {
            Ok(candidate) => candidates.push(candidate),
            Err(row) => rows.push(row),
        }
    }
    (candidates, rows)
}

fn of(files: &[(&str, &[u8])]) -> (Vec<Candidate>, Vec<SetAside>) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fill(folder.path(), files);
    both(folder.path())
}

fn lines(rows: &[Value]) -> Vec<u8> {
    let lines = rows.iter().map(|row| format!("{row}\n"));
    lines.collect::<String>().into_bytes()
}

fn reasons(rows: &[SetAside]) -> Vec<(Reason, u32)> {
    let place = |row: &SetAside| row.origin.as_ref().map_or(0, |origin| origin.start_line);
    rows.iter().map(|row| (row.reason, place(row))).collect()
}

fn human_eval() -> Value {
    json!({
        "task_id": "HumanEval/0", "prompt": "def f(x):\n    \"\"\" Add one. \"\"\"\n", "entry_point": "f",
        "canonical_solution": "    return x + 1\n", "test": "def check(candidate):\n    assert candidate(1) == 2\n"
    })
}

#[test]
fn a_broken_line_is_a_row_with_its_number_and_the_rest_goes_on() {
    let mut file = lines(&[human_eval()]);
    file.extend(b"{\"task_id\": \n\xff\xfe\n[1]\n\n");
    file.extend(lines(&[
        json!({"task_id": "HumanEval/1", "prompt": "x", "entry_point": "f", "test": ""}),
        human_eval(),
    ]));
    let (candidates, rows) = of(&[("he.jsonl", &file)]);
    assert_eq!(candidates.len(), 2);
    assert_eq!(candidates[1].origin.start_line, 7);
    assert_eq!(candidates[1].origin.path, "he.jsonl");
    assert_eq!(
        reasons(&rows),
        [
            (Reason::RowCorrupt, 2),
            (Reason::RowCorrupt, 3),
            (Reason::RowCorrupt, 4),
            (Reason::RowIncomplete, 6)
        ]
    );
    assert!(
        rows[3].detail.contains("`canonical_solution`"),
        "{}",
        rows[3].detail
    );
}

#[test]
fn a_cut_gzip_file_gives_what_is_before_the_cut() {
    use std::io::Write as _;
    let row = format!("{}\n", human_eval());
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    for _ in 0..400 {
        packed
            .write_all(row.as_bytes())
            .expect("memory takes bytes");
    }
    let packed = packed.finish().expect("memory takes bytes");
    let (candidates, rows) = of(&[("he.jsonl.gz", &packed[..packed.len() - 5000])]);
    assert!(candidates.len() > 300, "{}", candidates.len());
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].reason, Reason::RowCorrupt);
    assert!(rows[0].detail.contains("truncated"), "{}", rows[0].detail);
}

#[test]
fn human_eval_and_its_kin() {
    let mut pack = human_eval();
    pack["buggy_solution"] = json!("    return x - 1\n");
    pack["task_id"] = json!("Python/0");
    pack["declaration"] = json!("def f(x):\n");
    pack["test"] = json!("def check(f):\n    assert f(1) == 2\n\ncheck(f)");
    let mut x = pack.clone();
    for name in ["buggy_solution", "entry_point"] {
        x.as_object_mut().expect("a row").remove(name);
    }
    let other = json!({"task_id": "CPP/0", "declaration": "int f(int x){", "prompt": "", "canonical_solution": "", "test": ""});
    let (candidates, rows) = of(&[
        ("a.jsonl", &lines(&[human_eval()])),
        ("b.jsonl", &lines(&[pack])),
        ("c.jsonl", &lines(&[x, other])),
        ("d.jsonl", b"{\"query\": 1}\n"),
    ]);
    let [plain, pack, bug, x] = candidates.as_slice() else {
        panic!("{candidates:?}");
    };
    assert_eq!(
        plain.text,
        "def f(x):\n    \"\"\" Add one. \"\"\"\n    return x + 1\n"
    );
    assert_eq!(plain.tests.entry.as_deref(), Some("f"));
    assert_eq!((plain.wrong, pack.wrong), (None, None));
    assert_eq!(pack.tests.entry, None, "its test calls `check` itself");
    assert_eq!(bug.wrong, Some(PublishedKind::BuggySolution));
    assert_eq!((&bug.problem, &bug.tests), (&pack.problem, &pack.tests));
    assert!(bug.text.starts_with("def f(x):") && bug.text.ends_with("return x - 1\n"));
    assert_eq!(x.problem, "Python/0");
    assert_eq!(rows[0].reason, Reason::NoProgram);
    assert_eq!(rows[1].reason, Reason::FormatUnknown);
}

#[test]
fn mbpp_whole_and_sanitized() {
    let whole = json!({
        "text": "Add.", "code": "def f(x):\r\n  return x+1", "task_id": 7, "test_setup_code": "n = 1\r\nm = 2",
        "test_list": ["assert f(n) == 2"], "challenge_test_list": ["assert f(m) == 3"]
    });
    let bad = json!({"text": "", "code": "", "task_id": 8, "test_list": "assert 1"});
    let sanitized = json!([
        {"prompt": "Add.", "code": "def f(x): return x+1", "task_id": 9, "test_imports": ["import math"], "test_list": ["assert f(1) == 2"]},
        {"prompt": "Add.", "task_id": 10, "test_imports": [], "test_list": []},
        {"prompt": "]", "code": "def g(x): return x", "task_id": 11, "test_imports": [], "test_list": ["assert g(1)"]}
    ]);
    let (candidates, rows) = of(&[
        ("mbpp.jsonl", &lines(&[whole, bad])),
        (
            "sanitized-mbpp.json",
            serde_json::to_string_pretty(&sanitized)
                .expect("JSON")
                .as_bytes(),
        ),
    ]);
    let problems: Vec<&str> = candidates.iter().map(|one| one.problem.as_str()).collect();
    assert_eq!(problems, ["Mbpp/7", "Mbpp/9", "Mbpp/11"]);
    assert_eq!(
        candidates[0].tests.code,
        "n = 1\nm = 2\nassert f(n) == 2\nassert f(m) == 3\n"
    );
    assert_eq!(candidates[1].tests.code, "import math\nassert f(1) == 2\n");
    assert_eq!(
        reasons(&rows),
        [(Reason::RowIncomplete, 2), (Reason::RowIncomplete, 2)]
    );
}

#[test]
fn an_array_that_breaks_off_gives_the_rows_before() {
    let text =
        br#"[{"code": "x", "prompt": "", "task_id": 1, "test_list": ["assert x"]}, {"code": "y", "#;
    let (candidates, rows) = of(&[("mbpp.json", text)]);
    assert_eq!(candidates.len(), 1);
    assert_eq!(reasons(&rows), [(Reason::RowCorrupt, 2)]);
}

#[test]
fn leet_code_has_a_prelude_and_a_method() {
    let row = json!({
        "task_id": "two-sum", "prompt": "from typing import *\n", "completion": "class Solution:\n    def f(self): return 1\n",
        "entry_point": "Solution().f", "test": "def check(candidate):\n    assert candidate() == 1\n", "problem_description": "Sum."
    });
    let (candidates, _) = of(&[("x.jsonl", &lines(&[row]))]);
    assert_eq!(candidates[0].tests.setup, "from typing import *\n");
    assert_eq!(candidates[0].tests.entry.as_deref(), Some("Solution().f"));
    assert_eq!(candidates[0].statement.as_deref(), Some("Sum."));
}

fn contest() -> Value {
    json!({
        "name": "1_A. Sum", "description": "Add.",
        "public_tests": {"input": ["1 2\n"], "output": ["3\n"]},
        "private_tests": {"input": ["2 2\n"], "output": ["4\n"]},
        "generated_tests": {"input": ["9", "8", "7"], "output": ["9", "8", "7"]},
        "solutions": {"language": [2, 3, 1, 3], "solution": ["int main", "print(3)", "print 3", "a=1"]},
        "incorrect_solutions": {"language": [3], "solution": ["print(4)"]}
    })
}

fn check_contest(candidates: &[Candidate], rows: &[SetAside]) {
    let texts: Vec<&str> = candidates.iter().map(|one| one.text.as_str()).collect();
    assert_eq!(texts, ["print(3)", "a=1", "print(4)"]);
    let wrong: Vec<_> = candidates.iter().map(|one| one.wrong).collect();
    assert_eq!(wrong, [None, None, Some(PublishedKind::IncorrectSolution)]);
    assert_eq!(candidates[0].tests.kind, TestKind::Stdio);
    assert_eq!(candidates[0].tests.cases.len(), 3);
    assert_eq!(candidates[0].tests.cases[1].output, "4\n");
    assert_eq!(candidates[0].cut_cases, 2, "beyond the limit of three");
    let found: Vec<Reason> = rows.iter().map(|row| row.reason).collect();
    assert_eq!(found, [Reason::Python2, Reason::NoProgram]);
    assert_eq!(rows[1].detail, "solutions: 1 in C++, 1 in Java");
}

#[test]
fn code_contests_as_json_lines() {
    let mut foreign = contest();
    foreign["solutions"] =
        json!([{"language": "CPP", "solution": ""}, {"language": "JAVA", "solution": ""}]);
    let (candidates, rows) = of(&[("train.jsonl", &lines(&[contest(), foreign]))]);
    check_contest(&candidates, &rows);
}

#[test]
fn code_contests_as_parquet() {
    use arrow_schema::{Field, FieldRef};
    use serde_arrow::schema::{SchemaLike as _, TracingOptions};
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("train-00000-of-00001.parquet");
    let mut foreign = contest();
    foreign["solutions"] = json!({"language": [2, 4], "solution": ["", ""]});
    let rows = [contest(), foreign];
    let options = TracingOptions::default().sequence_as_large_list(false);
    let fields = Vec::<FieldRef>::from_samples(&rows, options).expect("rows have a schema");
    let fields: Vec<FieldRef> = fields
        .iter()
        .map(|field| Field::clone(field).into())
        .collect();
    let batch = serde_arrow::to_record_batch(&fields, &rows).expect("rows fit their schema");
    let file = std::fs::File::create(&path).expect("a file can be made");
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, batch.schema(), None).expect("a writer");
    writer.write(&batch).expect("the batch is written");
    writer.close().expect("the file is written");
    assert_eq!(detect(&path).expect("it is known"), Format::CodeContests);
    let (candidates, rows) = both(&path);
    check_contest(&candidates, &rows);
    assert_eq!(candidates[0].origin.path, "train-00000-of-00001.parquet");
    // A damaged file is a row.
    let bytes = std::fs::read(&path).expect("the file is there");
    let cut = [&bytes[..bytes.len() / 2], &bytes[bytes.len() / 2 + 9..]].concat();
    let (candidates, rows) = of(&[
        ("apps.parquet", &cut),
        ("train.jsonl", &lines(&[contest()])),
    ]);
    // Two that are right, and one that is wrong.
    assert_eq!(candidates.len(), 3);
    assert!(
        rows.iter()
            .any(|row| row.reason == Reason::RowCorrupt || row.reason == Reason::FormatUnknown)
    );
}

#[test]
fn code_net_takes_accepted_python_3() {
    let table = "submission_id,problem_id,user_id,date,language,original_language,filename_ext,status,cpu_time,memory,code_size,accuracy\n\
        s1,p00001,u,1,Python,Python (3.8.2),py,Accepted,1,1,1,\n\
        s2,p00001,u,1,Python,Python2,py,Accepted,1,1,1,\n\
        s3,p00001,u,1,Python,Python3,py,Wrong Answer,1,1,1,\n";
    let (candidates, rows) = of(&[
        ("data/p00001/Python/s1.py", b"print(int(input()) + 1)\n"),
        ("data/p00001/Python/s2.py", b"print 1\n"),
        ("data/p00001/Python/s3.py", b"print(1)\n"),
        ("data/p00001/Python/s4.py", b"print(1)\n"),
        ("data/p00001/C/s5.c", b"int main;\n"),
        ("data/p00002/Python/s6.py", b"print(1)\n"),
        ("metadata/p00001.csv", table.as_bytes()),
        ("derived/input_output/data/p00001/input.txt", b"1\n"),
        ("derived/input_output/data/p00001/output.txt", b"2\n"),
        ("problem_descriptions/p00001.html", b"<p>Add one.</p>"),
    ]);
    assert_eq!(candidates.len(), 1);
    assert_eq!(candidates[0].origin.path, "data/p00001/Python/s1.py");
    assert_eq!(candidates[0].problem, "p00001");
    assert_eq!(candidates[0].tests.cases[0].output, "2\n");
    let found: Vec<Reason> = rows.iter().map(|row| row.reason).collect();
    assert_eq!(
        found,
        [
            Reason::Python2,
            Reason::NotAccepted,
            Reason::NotAccepted,
            Reason::RowIncomplete
        ]
    );
}

#[test]
fn apps_as_rows_and_as_folders() {
    let calls =
        r#"{"fn_name": "f", "inputs": [[1, "it's"], [{"1": 2}]], "outputs": [[null], [{"3": 4}]]}"#;
    let stdio = r#"{"inputs": ["1\n", ["2", "3"]], "outputs": ["1\n", ["2", "3"]]}"#;
    let solutions = r#"["class Solution:\n  def f(self): pass", "def f(): pass"]"#;
    let row = |id: u32, tests: &str| json!({"problem_id": id, "question": "Q", "solutions": solutions, "input_output": tests, "difficulty": "x"});
    let rows = lines(&[row(0, calls), row(1, stdio), row(2, ""), row(3, "{}")]);
    let (candidates, set_aside) = of(&[("train.jsonl", &rows)]);
    assert_eq!(candidates.len(), 4);
    let first = &candidates[0];
    assert_eq!(first.problem, "train/0");
    assert_eq!(first.tests.entry.as_deref(), Some("Solution().f"));
    assert_eq!(candidates[1].tests.entry.as_deref(), Some("f"));
    assert!(first.tests.code.ends_with(
        "    assert same(candidate(1, 'it\\'s'), [None])\n    assert same(candidate({1: 2}), [{3: 4}])\n"
    ), "{}", first.tests.code);
    assert_eq!(candidates[2].tests.cases[1].input, "2\n3");
    assert_eq!(
        reasons(&set_aside),
        [(Reason::NoTests, 3), (Reason::RowIncomplete, 4)]
    );

    let (candidates, set_aside) = of(&[
        ("train/0000/question.txt", b"Q"),
        ("train/0000/solutions.json", solutions.as_bytes()),
        ("train/0000/input_output.json", stdio.as_bytes()),
        ("test/0000/question.txt", b"Q"),
        ("test/0000/input_output.json", stdio.as_bytes()),
    ]);
    assert_eq!(candidates.len(), 2);
    assert_eq!(candidates[0].problem, "train/0000");
    assert_eq!(set_aside[0].reason, Reason::NoProgram);
}

#[test]
fn a_plain_folder_with_each_kind_of_tests() {
    let (candidates, rows) = of(&[
        ("sum.py", b"print(sum(map(int, input().split())))\n"),
        ("sum.2.in", b"3 4\n"),
        ("sum.2.out", b"7\n"),
        ("sum.10.in", b"5 6\n"),
        ("sum.10.out", b"11\n"),
        ("lib/one.py", b"def one(): return 1\n"),
        (
            "lib/tests/test_one.py",
            b"from one import one\ndef test_one(): assert one() == 1\n",
        ),
        (
            "two.py",
            b"def two():\n    '''\n    >>> two()\n    2\n    '''\n    return 2\n",
        ),
        ("two/1.in", b""),
        ("none.py", b"x = 1\n"),
        ("latin.py", b"x = '\xe9'\n"),
        ("doc.py", b"'''\n>>> 1 + 1\n2\n'''\n"),
    ]);
    let shown: Vec<(&str, &str, usize)> = candidates
        .iter()
        .map(|one| {
            (
                one.problem.as_str(),
                one.tests.kind.name(),
                one.tests.cases.len(),
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            ("doc", "doctest", 1),
            ("lib/one", "pytest", 0),
            ("none", "stdio", 0),
            ("sum", "stdio", 2),
            ("two", "stdio", 1),
        ]
    );
    assert_eq!(candidates[1].tests.entry.as_deref(), Some("one"));
    assert_eq!(
        candidates[3].tests.cases[0].output, "7\n",
        "2 comes before 10"
    );
    assert_eq!(
        candidates[4].tests.cases[0].output, "",
        "an input without an output"
    );
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].reason, Reason::FileNotUtf8);
}

#[test]
fn tests_that_import_pytest_and_make_no_use_of_it_need_no_package() {
    let test = |body: &str| format!("from one import one\nimport pytest\ndef test_one(): {body}\n");
    let (unused, used) = (test("assert one() == 1"), test("pytest.skip()"));
    for (code, expected) in [
        (&unused, unused.replace("import pytest", "")),
        (&used, used.clone()),
    ] {
        let (candidates, _) = of(&[
            ("one.py", b"def one(): return 1\n"),
            ("test_one.py", code.as_bytes()),
        ]);
        assert_eq!(candidates[0].tests.code, expected);
    }
}

#[test]
fn what_is_no_data_set_is_an_error_with_the_names_of_those_that_are() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fill(folder.path(), &[("a.jsonl", b"{\"query\": 1}\n")]);
    let error = detect(&folder.path().join("a.jsonl")).expect_err("it is none");
    assert!(error.hint().is_some_and(|hint| hint.contains("humaneval")));
    assert!(detect(&folder.path().join("absent")).is_err());
    // A file whose rows are all damaged has its name.
    fill(folder.path(), &[("mbpp.jsonl", b"{\n{\n")]);
    let (candidates, rows) = both(&folder.path().join("mbpp.jsonl"));
    assert!(candidates.is_empty());
    assert_eq!(
        reasons(&rows),
        [(Reason::RowCorrupt, 1), (Reason::RowCorrupt, 2)]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_are_read_as_any_format(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        name in prop::sample::select(vec!["a.jsonl", "a.json", "a.py", "p/solutions.json", "a.parquet"]),
        format in prop::sample::select(Format::ALL.to_vec()),
    ) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        fill(folder.path(), &[(name, &bytes)]);
        if let Ok(reader) = read(folder.path(), Some(format), "path:x", LIMITS) {
            prop_assert!(reader.count() <= 300);
        }
    }

    #[test]
    fn each_line_of_a_table_is_a_candidate_or_a_row(
        kinds in prop::collection::vec(0_usize..4, 1..30),
    ) {
        let line = |kind: &usize| match kind {
            0 => human_eval().to_string(),
            1 => "{\"task_id\": 1}".to_owned(),
            2 => "no JSON".to_owned(),
            _ => "1".to_owned(),
        };
        let text = kinds.iter().map(|kind| line(kind) + "\n").collect::<String>();
        let (candidates, rows) = of(&[("humaneval.jsonl", text.as_bytes())]);
        prop_assert_eq!(candidates.len(), kinds.iter().filter(|kind| **kind == 0).count());
        prop_assert_eq!(candidates.len() + rows.len(), kinds.len());
    }
}
