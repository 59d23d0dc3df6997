//! `barecode score QRELS RUN MEASURES`.

use std::process::Stdio;

use barecode_testing::needs::interpreter;
use serde_json::Value;

use crate::project::{Project, program};

const QRELS: &str = "q1 0 a 2\nq1 0 b 1\nq2 0 a 1\nq3 0 c 1\n";
const RUN: &str = "\
q2 Q0 b 1 3 x\nq2 Q0 a 2 2 x\nq1 Q0 a 1 5 x\nq1 Q0 c 2 5 x\nq1 Q0 b 3 1 x\nq9 Q0 a 1 1 x\n";

fn project() -> Project {
    let project = Project::empty();
    project.write("qrels", QRELS);
    project.write("run", RUN);
    project
}

fn stdout(project: &Project, arguments: &[&str]) -> String {
    let ended = project.run(&[&["score", "qrels", "run"], arguments].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended.stdout
}

#[test]
fn means_are_printed_as_ir_measures_does() {
    let project = project();
    assert_eq!(stdout(&project, &[]), "nDCG@10\t0.4803\n");
    // q1: 0.75 under random ties, q2: 0.5, q3: missing.
    assert_eq!(
        stdout(&project, &["RR P(rel=2)@1", "NumRet"]),
        "RR\t0.4167\nP(rel=2)@1\t0.1667\nNumRet\t5.0000\n"
    );
    assert_eq!(
        stdout(&project, &["RR", "--ties", "optimistic", "-p", "2"]),
        "RR\t0.50\n"
    );
    assert_eq!(
        stdout(&project, &["RR", "--ties", "docno", "-p", "-1"]),
        "RR\t0.3333333333333333\n"
    );
}

#[test]
fn queries_stand_in_the_order_of_the_run_and_missing_ones_last() {
    let project = project();
    let text = stdout(&project, &["RR R@1", "-q"]);
    let expected = "q2\tRR\t0.5000\nq2\tR@1\t0.0000\nq1\tRR\t0.7500\nq1\tR@1\t0.2500\n\
        q3\tR@1\t0.0000\nq3\tRR\t0.0000\nall\tRR\t0.4167\nall\tR@1\t0.0833\n";
    assert_eq!(text, expected);
    let short = stdout(&project, &["RR", "-q", "-n"]);
    assert!(!short.contains("all"));
}

#[test]
fn what_does_not_count_is_told() {
    let ended = project().run(&["score", "qrels", "run", "RR"]);
    assert_eq!(
        ended.stderr,
        "1 of 3 queries in the run `run` have no judgments and are ignored\n\
         1 of 3 judged queries are missing from the run `run` and count as 0, such as `q3`\n\
         95 % intervals: RR [0.0000, 1.0000]\n\
         3 queries are too few for a meaningful mean: it needs at least 10\n"
    );
}

#[test]
fn ids_that_share_nothing_are_told_with_the_likely_cause() {
    let project = project();
    let told = |name: &str, text: &str| {
        project.write(name, text);
        let arguments = ["score", "qrels", name, "RR Judged@10"];
        let insisted = project.run(&[&arguments[..], &["--allow-unjudged"]].concat());
        assert_eq!(insisted.code, Some(0), "{}", insisted.stderr);
        assert_eq!(insisted.stdout, "RR\t0.0000\nJudged@10\t0.0000\n");
        assert!(insisted.stderr.contains("warning: "), "{}", insisted.stderr);
        let ended = project.run(&arguments);
        let (code, stdout) = if name == "bad" {
            (0, &*insisted.stdout)
        } else {
            (4, "")
        };
        assert_eq!(
            (ended.code, &*ended.stdout),
            (Some(code), stdout),
            "{}",
            ended.stderr
        );
        assert!(ended.stderr.contains(name), "{}", ended.stderr);
        ended.stderr
    };
    let case = told("upper", "q1 Q0 A 1 5 x\nq2 Q0 A 1 5 x\nq3 Q0 C 1 5 x\n");
    assert!(
        case.contains("no document of `upper` is judged for any query"),
        "{case}"
    );
    assert!(case.contains("upper and lower case: `A` and `a`"), "{case}");
    let prefix = told("prefix", "q1 Q0 doc-a 1 5 x\nq2 Q0 doc-b 1 5 x\n");
    assert!(
        prefix.contains("a prefix that the other lacks: `doc-a` and `a`"),
        "{prefix}"
    );
    let swapped = told("swapped", "q1 Q0 q2 1 5 x\n");
    assert!(swapped.contains("another order"), "{swapped}");
    // Known documents that are judged for other queries only are no fault of the ids.
    let bad = told("bad", "q1 Q0 c 1 5 x\nq2 Q0 c 1 5 x\n");
    assert!(
        bad.contains("for 2 of 2 queries of `bad` no retrieved document is judged"),
        "{bad}"
    );
    assert!(!bad.contains("share"), "{bad}");
    project.write("queries", "Q1 Q0 a 1 5 x\n");
    let ended = project.run(&["score", "qrels", "queries"]);
    assert_eq!(ended.code, Some(4));
    assert!(ended.stderr.contains("`Q1` and `q1`"), "{}", ended.stderr);
    let compared = project.run(&["compare", "qrels", "run", "upper"]);
    assert_eq!(compared.code, Some(4), "{}", compared.stderr);
    assert!(
        compared.stderr.contains("no document of `upper`"),
        "{}",
        compared.stderr
    );
    assert!(
        compared.stderr.contains("missing from the run `run`"),
        "{}",
        compared.stderr
    );
}

#[test]
fn files_in_the_wrong_order_or_with_commas_are_told() {
    let project = project();
    let swapped = project.run(&["score", "run", "qrels"]);
    assert_eq!(swapped.code, Some(4), "{}", swapped.stderr);
    assert!(
        swapped
            .stderr
            .contains("this is a run; judgments come first"),
        "{}",
        swapped.stderr
    );
    project.write("qrels.csv", "q1,0,a,1\n");
    let commas = project.run(&["score", "qrels.csv", "run"]);
    assert!(
        commas.stderr.contains("commas or semicolons"),
        "{}",
        commas.stderr
    );
}

#[test]
fn a_byte_order_mark_is_not_part_of_an_id() {
    let project = project();
    let plain = stdout(&project, &["RR", "-q"]);
    for name in ["qrels", "run"] {
        let text = std::fs::read_to_string(project.path(name)).unwrap();
        project.write(name, format!("\u{feff}{text}"));
    }
    assert_eq!(stdout(&project, &["RR", "-q"]), plain);
    project.write(
        "qrels",
        "\u{feff}query-id\tcorpus-id\tscore\nq1\ta\t2\nq1\tb\t1\nq2\ta\t1\nq3\tc\t1\n",
    );
    assert_eq!(stdout(&project, &["RR", "-q"]), plain);
}

#[test]
fn json_has_intervals_and_with_a_corpus_ceilings() {
    let project = project();
    project.write(
        "corpus.jsonl",
        "{\"_id\": \"a\", \"text\": \"int f\"}\n{\"_id\": \"b\", \"text\": \"int f\"}\n{\"_id\": \"c\", \"text\": \"int g\"}\n",
    );
    let text = stdout(
        &project,
        &["R@1", "NumRet", "--json", "--corpus", "corpus.jsonl"],
    );
    let value: Value = serde_json::from_str(&text).unwrap();
    let score = &value["scores"][0];
    assert_eq!(score["queries"], 3);
    assert_eq!(score["too_few"], true);
    let number = |key: &str| score[key].as_f64().unwrap();
    assert!(number("low") <= number("value") && number("value") <= number("high"));
    // q1 and q2 cannot tell a from b; q3 can reach 1.
    assert!((number("ceiling") - (0.5 + 0.5 + 1.0) / 3.0).abs() < 1e-12);
    assert!((number("floor") - 1.0 / 3.0).abs() < 1e-12);
    assert!(value["scores"][1]["low"].is_null() && value["scores"][1]["ceiling"].is_null());
}

#[test]
fn mistakes_are_told_with_their_place() {
    let project = project();
    let fails = |arguments: &[&str], code: i32, expected: &str| {
        let ended = project.run(&[&["score"], arguments].concat());
        assert_eq!((ended.code, ended.stdout.as_str()), (Some(code), ""));
        assert!(ended.stderr.contains(expected), "{}", ended.stderr);
    };
    fails(&["qrels", "run", "nCDG@10"], 2, "did you mean `nDCG`?");
    fails(&["run", "qrels"], 4, "run:1:1: 6 columns, expected 4");
    project.write("nan", "q1 Q0 a 1 nan x\n");
    fails(
        &["qrels", "nan"],
        4,
        "nan:1:11: the score `nan` is not a number",
    );
    project.write("other", "q7 Q0 a 1 1 x\n");
    fails(
        &["qrels", "other"],
        4,
        "no query of `other` is judged in `qrels`",
    );
    project.write(
        "corpus.jsonl",
        "{\"_id\": \"a\", \"text\": \"\"}\n{\"_id\": \"b\"}\n{\"_id\": \"c\"}\n",
    );
    project.write("strange", "q1 Q0 a 1 2 x\nq1 Q0 z 2 1 x\n");
    fails(
        &["qrels", "strange", "--corpus", "corpus.jsonl"],
        4,
        "strange:2:7: the document `z` is not in the corpus",
    );
    fails(&["qrels", "run", "-n"], 2, "--by-query");
}

/// The lines of the real program, with its rule for ties.
#[test]
fn lines_agree_with_ir_measures() {
    let Some(python) = interpreter() else { return };
    let project = project();
    let measures =
        "nDCG@10 AP R@1 R@5 P@2 Success@1 Rprec Bpref infAP NumQ NumRet NumRel SetP Judged@2";
    for arguments in [
        &[measures][..],
        &[measures, "-q"],
        &[measures, "-q", "-n", "-p", "6"],
    ] {
        let output = program(&python)
            .args(["-m", "ir_measures", "qrels", "run"])
            .args(arguments)
            .current_dir(project.path(""))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert!(output.status.success());
        let sorted = |text: &str| {
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        };
        let theirs = String::from_utf8(output.stdout).unwrap();
        // Its `judged` breaks ties by ascending id, pytrec_eval by descending; the rest agrees line by line.
        let ours = stdout(&project, &[arguments, &["--ties", "docno"]].concat());
        assert_eq!(sorted(&ours), sorted(&theirs), "{arguments:?}");
    }
}

/// ranx reads what `convert` writes, and gives the numbers that it gives for the originals.
#[test]
fn ranx_reads_converted_runs_and_judgments() {
    let project = project();
    for (from, to, what) in [
        ("qrels", "qrels.json", "judgments: 3 queries, 4 documents"),
        ("run", "run.json", "run: 3 queries, 6 documents"),
        ("run", "run.parquet", "run: 3 queries, 6 documents"),
    ] {
        let ended = project.run(&["convert", from, to, "--to", "ranx"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stdout.contains(what), "{}", ended.stdout);
    }
    let again = project.run(&["convert", "run", "run.json", "--to", "ranx"]);
    assert_eq!(again.code, Some(4), "{}", again.stderr);
    let ours = stdout(&project, &["nDCG@10", "RR"]);
    let ended = project.run(&["score", "qrels.json", "run.parquet", "nDCG@10", "RR"]);
    assert_eq!(ended.stdout, ours, "{}", ended.stderr);
    let Some(python) = interpreter() else { return };
    let script = "import pandas\n\
        pandas.set_option('future.infer_string', False)  # ranx wants columns of objects\n\
        from ranx import Qrels, Run\n\
        qrels = Qrels.from_file('qrels.json', kind='json')\n\
        run = Run.from_file('run.json', kind='json')\n\
        other = Run.from_parquet('run.parquet')\n\
        assert run.to_dict() == other.to_dict() == Run.from_file('run', kind='trec').to_dict()\n\
        assert qrels.to_dict() == Qrels.from_file('qrels', kind='trec').to_dict()\n";
    let output = program(&python)
        .args(["-c", script])
        .current_dir(project.path(""))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

#[test]
fn means_are_written_as_a_result_of_mteb() {
    let project = project();
    let lines = stdout(
        &project,
        &[
            "nDCG@10",
            "R@5",
            "Bpref",
            "-p",
            "-1",
            "--mteb",
            "CosQA.json",
        ],
    );
    let written = std::fs::read(project.path("CosQA.json")).unwrap();
    let written: Value = serde_json::from_slice(&written).unwrap();
    assert_eq!(written["task_name"], "CosQA");
    let scores = &written["scores"]["test"][0];
    for (line, name) in lines.lines().zip(["ndcg_at_10", "recall_at_5", "Bpref"]) {
        let (_, value) = line.split_once('\t').unwrap();
        assert_eq!(scores[name].as_f64(), value.parse().ok(), "{written}");
    }
    assert_eq!(scores["main_score"], scores["ndcg_at_10"]);
    assert_eq!(scores["hf_subset"], "default");
}

#[test]
fn both_forms_of_tukeys_hsd_judge() {
    let project = project();
    project.write("other", "q1 Q0 c 1 3 x\nq2 Q0 b 1 3 x\nq3 Q0 a 1 3 x\n");
    for (judge, key) in [("blocked", "blocked"), ("hsd", "hsd")] {
        let arguments = [
            "compare", "qrels", "run", "other", "-m", "nDCG@10", "--judge", judge,
        ];
        let ended = project.run(&arguments);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert!(ended.stdout.contains("p HSD"), "{}", ended.stdout);
        let ended = project.run(&[&arguments[..], &["--json"]].concat());
        let printed: Value = serde_json::from_str(&ended.stdout).unwrap();
        let all = &printed["comparisons"][0];
        assert_eq!(all["judge"], judge);
        let p = all["pairs"][0][key].as_f64().unwrap();
        assert!(p > 0.0 && p < 1.0, "{all}");
    }
}
