//! Programs with tests through all stages: a small data set in `HumanEval`'s form, written for this test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use barecode_records::python::{Fault, Program, ProgramVariant};
use barecode_records::{Document, Id, ProbePair, Similarity, table};
use barecode_testing::browser::{Browser, LOOKS};
use serde_json::{Value, json};

use crate::interrupted::wait_for;
use crate::project::{Ended, Project, assert_same, bytes_of};
use crate::study_pages::assert_reads;

/// Programs with their tests: the head of a function, its body, and asserts about `candidate`.
const PROGRAMS: [(&str, &str, &str, &str); 12] = [
    (
        "sum_to",
        "def sum_to(n):\n",
        "    total = 0\n    for i in range(n + 1):\n        total += i\n    return total\n",
        "assert candidate(4) == 10\n    assert candidate(0) == 0",
    ),
    (
        "count_even",
        "def count_even(numbers):\n",
        "    found = 0\n    for number in numbers:\n        if number % 2 == 0:\n            found += 1\n    return found\n",
        "assert candidate([1, 2, 4]) == 2\n    assert candidate([]) == 0",
    ),
    (
        "largest",
        "def largest(values):\n",
        "    best = values[0]\n    for value in values:\n        best = value if value > best else best\n    return best\n",
        "assert candidate([3, 9, 2]) == 9\n    assert candidate([-5]) == -5",
    ),
    (
        "squares",
        "def squares(limit):\n",
        "    result = [x * x for x in range(limit)]\n    return result\n",
        "assert candidate(4) == [0, 1, 4, 9]\n    assert candidate(0) == []",
    ),
    (
        "greeting",
        "def greeting(name, age):\n",
        "    text = f\"{name} is {age} years old\"\n    return text\n",
        "assert candidate('Ada', 36) == 'Ada is 36 years old'",
    ),
    (
        "between",
        "def between(low, x, high):\n",
        "    return low <= x < high\n",
        "assert candidate(1, 2, 3)\n    assert not candidate(1, 3, 3)\n    assert candidate(1, 1, 3)",
    ),
    (
        "power",
        "def power(base, exponent):\n",
        "    result = 1\n    while exponent > 0:\n        result = result * base\n        exponent -= 1\n    return result\n",
        "assert candidate(2, 10) == 1024\n    assert candidate(5, 0) == 1",
    ),
    (
        "reverse_words",
        "def reverse_words(text):\n",
        "    words = text.split()\n    backwards = []\n    for index in range(len(words)):\n        backwards.append(words[len(words) - 1 - index])\n    return ' '.join(backwards)\n",
        "assert candidate('a b c') == 'c b a'\n    assert candidate('') == ''",
    ),
    (
        "is_sorted",
        "def is_sorted(items):\n",
        "    for i in range(1, len(items)):\n        if items[i] < items[i - 1]:\n            return False\n    return True\n",
        "assert candidate([1, 2, 2])\n    assert not candidate([2, 1])",
    ),
    (
        "clamp",
        "def clamp(x, low, high):\n",
        "    if x < low:\n        return low\n    if not x <= high:\n        return high\n    return x\n",
        "assert candidate(5, 1, 3) == 3\n    assert candidate(0, 1, 3) == 1\n    assert candidate(2, 1, 3) == 2",
    ),
    (
        "digits",
        "def digits(n):\n",
        "    total = 0\n    while n > 0:\n        total += n % 10\n        n //= 10\n    return total\n",
        "assert candidate(123) == 6\n    assert candidate(0) == 0",
    ),
    (
        "broken",
        "def broken(n):\n",
        "    return n + 2\n",
        "assert candidate(1) == 2",
    ),
];

const RECIPE: &str = r#"
name = "programs"
seed = 7

[[programs]]
from = "programs.jsonl"
license = "MIT"

[[pipeline]]
name = "positive"
kind = "clone"

[[pipeline]]
name = "renamed"
kind = "clone"
steps = [{ transform = "ChangeNames", strategy = "funky" }]

[[pipeline]]
name = "negative"
kind = "bug"

[probe]
random = 5
nearest = 5
bins = 2

[[retriever]]
name = "tiny"
kind = "dense"
model = "local:models/tiny"
"#;

fn rows() -> String {
    let row = |(at, (name, head, body, asserts)): (usize, &(&str, &str, &str, &str))| {
        let row = json!({
            "task_id": format!("Test/{at}"),
            "prompt": head,
            "entry_point": name,
            "canonical_solution": body,
            "test": format!("def check(candidate):\n    {asserts}\n"),
        });
        format!("{row}\n")
    };
    PROGRAMS.iter().enumerate().map(row).collect()
}

fn project() -> Project {
    let project = Project::empty();
    project.write("recipe.toml", RECIPE);
    project.write("programs.jsonl", rows());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints");
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let bytes = fs::read(folder.join("bert").join(file)).unwrap();
        project.write(&format!("models/tiny/{file}"), bytes);
    }
    project
}

fn json_of(ended: &Ended) -> Value {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    serde_json::from_str(&ended.stdout).unwrap()
}

#[test]
fn programs_become_clones_and_bugs_that_tests_vouch_for_and_models_are_probed() {
    let project = project();
    let file = project.path("programs.jsonl");
    let absolute = format!("from = \"{}\"", file.display());
    let recipe = RECIPE.replace("from = \"programs.jsonl\"", &absolute);
    project.write("recipe.toml", recipe);
    let built = json_of(&project.run(&["build", "recipe.toml", "--json"]));
    let counts = |stage: &str, kind: &str| built["stages"][stage]["counts"][kind].clone();
    assert_eq!(counts("extract", "programs")["kept"], 12);
    assert_eq!(counts("choose", "programs")["kept"], 12);
    // One does not pass its own tests.
    assert_eq!(counts("check", "programs")["kept"], 11);
    assert_eq!(counts("check", "programs")["set_aside"]["tests_fail"], 1);
    let variants = counts("vary", "program variants");
    assert_eq!(variants["entered"], 33);
    assert!(variants["kept"].as_u64().unwrap() >= 30, "{variants}");
    assert_eq!(variants["set_aside"].get("clone_fails"), None, "{variants}");

    let probe = built["probe"].as_array().unwrap();
    let find = |measure: &str, relation: &str, pipeline: Option<&str>| {
        let mut rows = probe.iter().filter(|row| {
            row["measure"] == measure
                && row["relation"] == relation
                && row["pipeline"].as_str() == pipeline
                && row["bin"].is_null()
                && row["transform"].is_null()
        });
        let row = rows
            .next()
            .unwrap_or_else(|| panic!("no {measure} of {relation}"));
        row["value"].as_f64().unwrap()
    };
    assert!(find("similarity", "bug", Some("negative")) <= 1.0);
    assert!(find("similarity", "random", None) < find("similarity", "bug", Some("negative")));
    find("auc", "clone", Some("renamed"));
    find("top-1", "clone", Some("positive"));

    // A second call finds everything done; the table says what it is.
    let again = project.run(&["build", "recipe.toml"]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);
    assert!(again.stdout.contains("clone over bug"), "{}", again.stdout);
    let page = fs::read_to_string(project.path("runs/programs/08-report/index.html")).unwrap();
    assert!(page.contains("Clones and bugs"));
    // A page that is published names no folder of the machine.
    assert!(page.contains("…/programs.jsonl") && !page.contains(&*file.to_string_lossy()));
    let manifest = fs::read_to_string(project.path("runs/programs/manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let source = &manifest["sources"][0];
    assert_eq!(source["source"], "programs.jsonl", "{source}");
    assert_eq!(
        (&source["license"], &source["programs"]),
        (&json!("MIT"), &json!(12))
    );
    assert!(source["digest"].is_string(), "{source}");
    the_card_says_what_the_pairs_are(&project);
    the_numbers_of_the_run_are_those_of_its_tables(&project);

    // The same numbers from the dataset alone.
    let probed = project.run(&[
        "probe",
        "runs/programs",
        "--model",
        "tiny=local:models/tiny",
        "--random",
        "5",
        "--nearest",
        "5",
        "--bins",
        "2",
        "--seed",
        "7",
        "--json",
        "--out",
        "probed",
    ]);
    let probed = json_of(&probed);
    let values = |rows: &[Value]| -> Vec<f64> {
        rows.iter()
            .filter_map(|row| row["value"].as_f64())
            .collect()
    };
    assert_eq!(values(probe), values(probed["probe"].as_array().unwrap()));
}

/// `stats` of the run, against its tables.
fn the_numbers_of_the_run_are_those_of_its_tables(project: &Project) {
    let pairs = project.path("runs/programs/05-dataset/programs/probe.parquet");
    let pairs: Vec<ProbePair> = table::read(&pairs).unwrap();
    let told = json_of(&project.run(&["stats", "--run", "runs/programs", "--json"]));
    let rows = told["programs"].as_array().unwrap();
    let names: Vec<&str> = rows
        .iter()
        .map(|row| row["texts"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["programs", "positive", "renamed", "negative"]);
    assert_eq!(rows[0]["count"], 11);
    for row in &rows[1..] {
        let of: Vec<&ProbePair> = pairs
            .iter()
            .filter(|pair| pair.pipeline.as_deref() == row["texts"].as_str())
            .collect();
        assert_eq!(row["count"], of.len(), "{row}");
        let having = |n: usize| {
            let different =
                |pair: &ProbePair| pair.transforms.iter().collect::<BTreeSet<_>>().len();
            of.iter().filter(|pair| different(pair) >= n).count()
        };
        let told = row["at_least"].as_array().unwrap();
        for (n, count) in (1..).zip(told) {
            assert_eq!(*count, having(n), "{n}: {row}");
        }
        assert_eq!(having(told.len() + 1), 0, "{row}");
    }
    // By another tokenizer the same texts have other lengths; the dataset alone has the same numbers.
    let tokenizer = "models/tiny/tokenizer.json";
    let dataset = "runs/programs/05-dataset";
    let counted = json_of(&project.run(&["stats", dataset, "--tokenizer", tokenizer, "--json"]));
    for (row, other) in rows.iter().zip(counted["programs"].as_array().unwrap()) {
        assert_eq!(row["lines"], other["lines"]);
        assert_ne!(row["tokens"], other["tokens"]);
    }
    let shown = project.run(&["stats", "--run", "runs/programs"]);
    assert!(shown.stdout.contains("at least"), "{}", shown.stdout);
    let by = project.run(&["stats", "--run", "runs/programs", "--by", "year"]);
    assert_eq!(by.code, Some(4), "{}", by.stderr);
}

/// The card of the run, against its tables.
fn the_card_says_what_the_pairs_are(project: &Project) {
    let dataset = project.path("runs/programs/05-dataset");
    let card = fs::read_to_string(dataset.join("README.md")).unwrap();
    let pairs: Vec<ProbePair> = table::read(&dataset.join("programs/probe.parquet")).unwrap();
    let documents: Vec<Document> = table::read(&dataset.join("programs/corpus.parquet")).unwrap();
    assert!(documents.iter().all(|it| it.source == "programs.jsonl"));
    let of = |pipeline: &str| {
        let pairs = pairs.iter();
        pairs
            .filter(|it| it.pipeline.as_deref() == Some(pipeline))
            .count()
    };
    for line in [
        "license: mit".to_owned(),
        "has 11 programs in Python, each with tests that it passes".to_owned(),
        format!("| clone by `positive` | safe | {} | ", of("positive")),
        format!("| bug by `negative` | mistakes | {} | ", of("negative")),
        format!("| programs.jsonl | – | – | MIT | {} |", documents.len()),
        "CPython 3.".to_owned(),
        "config_name: programs-pairs".to_owned(),
    ] {
        assert!(card.contains(&line), "`{line}` is not in:\n{card}");
    }
    // Nothing of functions and queries, which this dataset does not have.
    assert!(
        !card.contains("group1") && !card.contains("Queries"),
        "{card}"
    );
    let audited = project.run(&["audit", "runs/programs/05-dataset"]);
    let hint = "give the folder to `barecode probe`";
    assert!(audited.stderr.contains(hint), "{}", audited.stderr);
}

#[test]
fn the_page_shows_programs_beside_clones_and_bugs_and_counts_what_only_tests_vouch_for() {
    let project = project();
    let recipe = RECIPE.replace(
        "kind = \"clone\"\n\n[[pipeline]]\nname = \"renamed\"",
        "kind = \"clone\"\nsafety = \"paper\"\n\n[[pipeline]]\nname = \"renamed\"",
    );
    assert_ne!(recipe, RECIPE);
    project.write("recipe.toml", recipe);
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let run = project.path("runs/programs");
    let page = fs::read_to_string(run.join("08-report/index.html")).unwrap();

    the_page_is_for_everybody(&run.join("08-report/index.html"));

    // The counts of the page are those of the tables.
    let part = Path::new("programs/part-00000.parquet");
    let variants: Vec<ProgramVariant> = table::read(&run.join("03-variants").join(part)).unwrap();
    let programs: Vec<Program> = table::read(&run.join("02-units").join(part)).unwrap();
    let mut counts: BTreeMap<(&str, &str), [u32; 4]> = BTreeMap::new();
    for variant in &variants {
        for one in &variant.applied {
            let key = (variant.pipeline.as_str(), one.transform.as_str());
            let row = counts.entry(key).or_default();
            let more = [1, one.nodes, one.applied, one.by_tests_only];
            row.iter_mut()
                .zip(more)
                .for_each(|(sum, more)| *sum += more);
        }
    }
    assert!(counts.values().any(|row| row[3] > 0), "{counts:?}");
    for ((pipeline, transform), [n, nodes, applied, by_tests]) in &counts {
        let all = variants
            .iter()
            .filter(|it| it.pipeline == *pipeline)
            .count();
        let row = format!(
            "<td>{pipeline}</td><th scope=\"row\">{transform}</th><td class=\"num\">{n}<small>of {all}</small></td>\
             <td class=\"num\">{nodes}</td><td class=\"num\">{applied}</td><td class=\"num\">{by_tests}</td>"
        );
        assert!(page.contains(&row), "{row}");
    }

    // Each example stands there whole, on both sides, with marks; a clone and a bug of each program.
    let (_, examples) = page.split_once("id=\"programs\"").unwrap();
    let (examples, _) = examples.split_once("id=\"flow\"").unwrap();
    let sides: Vec<(&str, String, bool)> = examples
        .split("<figcaption>")
        .skip(1)
        .map(|figure| {
            let (title, rest) = figure.split_once("</figcaption>").unwrap();
            let (code, _) = rest.split_once("</code>").unwrap();
            let (_, code) = code.split_once("<code>").unwrap();
            let marked = code.contains("<mark>");
            let code = code.replace("<mark>", "").replace("</mark>", "");
            let code = code.replace("&lt;", "<").replace("&gt;", ">");
            (
                title,
                code.replace("&quot;", "\"").replace("&amp;", "&"),
                marked,
            )
        })
        .collect();
    assert!(
        sides.len() >= 8 && sides.len().is_multiple_of(4),
        "{}",
        sides.len()
    );
    // Lines that have no counterpart are filled up.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        lines.map(str::to_owned).collect()
    };
    for pair in sides.chunks(2) {
        let [(program, before, _), (variant, after, marked)] = pair else {
            unreachable!("an even number of sides");
        };
        assert_eq!(*program, "program");
        let program = programs.iter().find(|it| lines(&it.text) == lines(before));
        let program = program.unwrap_or_else(|| panic!("no program is\n{before}"));
        let pipeline = variant.rsplit_once(" by ").unwrap().1;
        let of_program = |it: &&ProgramVariant| {
            it.program_id == program.id
                && it.pipeline == pipeline
                && lines(&it.text) == lines(after)
        };
        let found = variants.iter().find(of_program);
        let found = found.unwrap_or_else(|| panic!("no {variant} is\n{after}"));
        assert_eq!(*variant == "bug by negative", found.fault.is_some());
        let inserts = found.places.iter().any(|it| it.after.start < it.after.end);
        assert_eq!(*marked, inserts, "{after}");
    }
}

#[test]
fn functions_and_programs_stand_in_one_dataset() {
    let project = Project::new();
    project.write("programs.jsonl", rows());
    let recipe = fs::read_to_string(project.path("recipe.toml")).unwrap();
    let more = "\n[[programs]]\nfrom = \"programs.jsonl\"\nlicense = \"0BSD\"\n";
    project.write("recipe.toml", recipe + more);
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let card = fs::read_to_string(project.path("runs/shelf/05-dataset/README.md")).unwrap();
    for part in ["- **group1**", "## Programs, clones and bugs", "| 0BSD |"] {
        assert!(card.contains(part), "`{part}` is not in:\n{card}");
    }
    let front = card.split("---").nth(1).unwrap();
    assert!(front.contains("0BSD"), "{front}");
    let page = fs::read_to_string(project.path("runs/shelf/08-report/index.html")).unwrap();
    for id in ["scores", "transforms", "programs", "sources"] {
        assert!(page.contains(&format!("id=\"{id}\"")), "{id}");
        assert!(page.contains(&format!("href=\"#{id}\"")), "{id}");
    }
    // What reads queries reads those of the functions, and says what it leaves out.
    let stats = project.run(&["convert", "runs/shelf/05-dataset", "beir", "--to", "beir"]);
    let left_out = "the subset `programs` is left out";
    assert!(stats.stderr.contains(left_out), "{}", stats.stderr);
    assert!(!stats.stderr.contains("no judgments"), "{}", stats.stderr);
}

/// The page at the width of a phone and of a screen, in light and in dark, with all of it open.
fn the_page_is_for_everybody(page: &Path) {
    let Some(browser) = Browser::start() else {
        return;
    };
    for look in LOOKS {
        let context = browser.context();
        let shown = context.page_in(look);
        shown.open(&format!("file://{}", page.display()));
        shown.value("document.querySelectorAll('details').forEach((one) => { one.open = true })");
        assert_reads(&shown, &format!("the page at {look:?}"));
    }
}

#[test]
fn token_overlap_is_probed_beside_models() {
    let project = project();
    let without = format!("{RECIPE}\n[[retriever]]\nkind = \"jaccard\"\n");
    project.write("recipe.toml", without);
    let built = json_of(&project.run(&["build", "recipe.toml", "--json"]));
    let probe = built["probe"].as_array().unwrap();
    let names: BTreeSet<&str> = probe
        .iter()
        .map(|row| row["retriever"].as_str().unwrap())
        .collect();
    assert_eq!(names, BTreeSet::from(["jaccard", "tiny"]));
    // Both compare the same pairs, and have the same measures.
    let of = |name: &str| -> Vec<(String, String, Value)> {
        let rows = probe.iter().filter(|row| row["retriever"] == name);
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or_default().to_owned();
        rows.map(|row| {
            (
                text(row, "measure"),
                text(row, "pipeline"),
                row["n"].clone(),
            )
        })
        .collect()
    };
    assert_eq!(of("jaccard"), of("tiny"));

    // A pair worked out from its texts: all that is not a blank is a token here, or part of a word.
    let run = project.path("runs/programs");
    let file = run.join("06-runs/jaccard/programs.parquet");
    let rows: Vec<Similarity> = table::read(&file).unwrap();
    let corpus = run.join("05-dataset/programs/corpus.parquet");
    let documents: Vec<Document> = table::read(&corpus).unwrap();
    let bag = |id: &Id| {
        let text = &documents.iter().find(|it| it.id == *id).unwrap().text;
        let mut bag: BTreeMap<String, u32> = BTreeMap::new();
        let mut word = String::new();
        for letter in text.chars().chain([' ']) {
            if letter == '_' || letter.is_alphanumeric() {
                word.push(letter);
                continue;
            }
            for token in [std::mem::take(&mut word), letter.to_string()] {
                if !token.trim().is_empty() {
                    *bag.entry(token).or_default() += 1;
                }
            }
        }
        bag
    };
    assert!(rows.len() > 100, "{}", rows.len());
    for row in &rows {
        let (first, second) = (bag(&row.program_id), bag(&row.other_id));
        let tokens: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
        let (mut common, mut all) = (0, 0);
        for token in tokens {
            let count = |bag: &BTreeMap<String, u32>| bag.get(token).copied().unwrap_or_default();
            common += count(&first).min(count(&second));
            all += count(&first).max(count(&second));
        }
        let expected = f64::from(common) / f64::from(all);
        assert!((row.similarity - expected).abs() < 1e-12, "{row:?}");
    }

    // The same from the dataset alone; what cannot compare two programs is refused.
    let arguments = [
        "probe",
        "runs/programs",
        "--model",
        "jaccard",
        "--random",
        "5",
    ];
    let more = [
        "--nearest",
        "5",
        "--bins",
        "2",
        "--seed",
        "7",
        "--json",
        "--out",
        "probed",
    ];
    let probed = json_of(&project.run(&[&arguments[..], &more].concat()));
    let values = |rows: Vec<&Value>| -> Vec<f64> {
        rows.iter()
            .filter_map(|row| row["value"].as_f64())
            .collect()
    };
    let built = probe.iter().filter(|row| row["retriever"] == "jaccard");
    let probed = probed["probe"].as_array().unwrap();
    assert_eq!(values(built.collect()), values(probed.iter().collect()));
    for model in [
        "bm25",
        "structural",
        "structural:names=false",
        "random",
        "run:a.trec",
    ] {
        let refused = project.run(&["probe", "runs/programs", "-m", "jaccard", "-m", model]);
        assert_eq!(refused.code, Some(4), "{model}: {}", refused.stderr);
        let why = "does not embed texts, and a probe compares vectors";
        assert!(refused.stderr.contains(why), "{model}: {}", refused.stderr);
        assert_eq!(refused.stdout, "", "nothing is shown before it is refused");
    }
}

#[test]
fn a_run_of_programs_is_the_same_on_any_number_of_threads() {
    let (one, two) = (project(), project());
    for (project, threads) in [(&one, "1"), (&two, "2")] {
        let ended = project.run(&["build", "recipe.toml", "--threads", threads]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    assert_same(
        &bytes_of(&one.path("runs/programs")),
        &bytes_of(&two.path("runs/programs")),
    );
}

/// The same problems again, each solved with a constant of its own, so that `check` has three shards.
fn more_rows() -> String {
    let mut lines = rows();
    for copy in 1..6 {
        for (at, (name, head, body, asserts)) in PROGRAMS.iter().enumerate() {
            let row = json!({
                "task_id": format!("Copy{copy}/{at}"),
                "prompt": head,
                "entry_point": name,
                "canonical_solution": format!("    copy = {copy}\n{body}"),
                "test": format!("def check(candidate):\n    {asserts}\n"),
            });
            lines += &row.to_string();
            lines.push('\n');
        }
    }
    lines
}

#[test]
fn a_run_of_programs_killed_in_each_stage_ends_in_the_same_bytes() {
    let with_more = || {
        let project = project();
        project.write("programs.jsonl", more_rows());
        project
    };
    let build = |project: &Project, threads: &str| {
        let ended = project.run(&["build", "recipe.toml", "--threads", threads]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        bytes_of(&project.path("runs/programs"))
    };
    let expected = build(&with_more(), "2");
    let moments = [
        "01-functions",
        "02-units",
        "02-units/programs/part-00000.parquet",
        "03-variants",
        "03-variants/programs/part-00001.parquet",
        "05-dataset",
    ];
    // One run, killed again and again: what the verdict cache keeps is of killed processes, too.
    let project = with_more();
    let mut killed = 0;
    for (at, moment) in moments.iter().enumerate() {
        let threads = ["1", "2"][at % 2];
        let mut child = project.start(&["build", "recipe.toml", "--threads", threads]);
        let moment = format!("runs/programs/{moment}");
        wait_for(&project, &moment, &mut child);
        child.kill().unwrap();
        killed += usize::from(child.wait().unwrap().code().is_none());
    }
    assert!(
        killed >= 5,
        "only {killed} of 6 runs were killed before their end"
    );
    let resumed = build(&project, "1");
    assert_same(&expected, &resumed);
    let partial = resumed.keys().find(|name| name.ends_with(".partial"));
    assert_eq!(partial, None);
}

#[test]
fn a_program_stands_beside_its_clone_and_its_bug() {
    let project = project();
    let ended = project.run(&["vary", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    for stage in ["extract", "choose", "check", "vary"] {
        let ended = project.run(&[stage, "recipe.toml"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let id = {
        let row = Program::id_of(
            "programs.jsonl",
            "Test/0",
            &format!("{}{}", PROGRAMS[0].1, PROGRAMS[0].2),
        );
        row.to_string()
    };
    let shown = project.run(&["show", &id, "recipe.toml"]);
    assert_eq!(shown.code, Some(0), "{}", shown.stderr);
    assert!(shown.stdout.contains("fails by"), "{}", shown.stdout);
    for pipeline in ["positive", "renamed", "negative"] {
        let beside = project.run(&["show", &id, "recipe.toml", "--diff", pipeline]);
        assert_eq!(beside.code, Some(0), "{}", beside.stderr);
        assert!(beside.stdout.contains('‹'), "{}", beside.stdout);
    }
    let wrong = project.run(&["show", &id, "recipe.toml", "--diff", "postive"]);
    assert_ne!(wrong.code, Some(0));
    assert!(wrong.stderr.contains("it has positive"), "{}", wrong.stderr);
}

#[test]
fn bad_programs_are_rows_with_reasons_and_the_rest_goes_on() {
    let project = project();
    let mut lines = rows();
    lines.push_str("{\"task_id\": \"Test/cut\", \"prompt\": \"def f(\n");
    let odd = |name: &str, body: &str| {
        let row = json!({
            "task_id": format!("Odd/{name}"),
            "prompt": format!("def {name}(n):\n"),
            "entry_point": name,
            "canonical_solution": body,
            "test": "def check(candidate):\n    assert candidate(1) == 1\n",
        });
        format!("{row}\n")
    };
    lines += &odd("syntax", "    return n +\n");
    lines += &odd("old", "    print n\n    return n\n");
    lines += &odd("package", "    import numpy\n    return numpy.abs(n)\n");
    lines += &odd("files", "    return len(open('/etc/passwd').read())\n");
    lines += &odd("leaves", "    import os\n    os._exit(0)\n");
    project.write("programs.jsonl", lines);
    project.write(
        "quick.toml",
        RECIPE.replace("[probe]", "[python]\nseconds = 2\n\n[probe]"),
    );
    let extracted = json_of(&project.run(&["extract", "quick.toml", "--json"]));
    let counts = &extracted["stages"]["extract"]["counts"];
    let reasons = |kind: &str| counts[kind]["set_aside"].clone();
    assert_eq!(reasons("rows")["row_corrupt"], 1, "{counts}");
    let programs = reasons("programs");
    assert_eq!(programs["parse_error"], 1, "{counts}");
    assert_eq!(programs["python2"], 1, "{counts}");
    assert_eq!(programs["needs_package"], 1, "{counts}");
    assert_eq!(programs["unsafe_interface"], 2, "{counts}");
    assert_eq!(counts["programs"]["kept"], 12);
}

#[test]
fn a_folder_without_tests_is_no_benchmark() {
    let project = project();
    project.write("alone/one.py", "def one():\n    return 1\n");
    project.write("alone/two.py", "def two():\n    return 2\n");
    let recipe = RECIPE.replace("programs.jsonl", "alone");
    project.write("alone.toml", recipe);
    let ended = project.run(&["build", "alone.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    let message = "no program is left after `extract` (set aside: 2 as no_tests)";
    assert!(ended.stderr.contains(message), "{}", ended.stderr);
    assert!(!project.path("runs/programs/08-report").exists());
}

#[test]
fn bugs_may_be_wrong_answers_only() {
    let project = project();
    let wanted = "kind = \"bug\"\nfaults = [\"wrong-answer\"]\ntries = 30";
    project.write("recipe.toml", RECIPE.replace("kind = \"bug\"", wanted));
    let made = json_of(&project.run(&["build", "recipe.toml", "--json"]));
    let counts = &made["stages"]["vary"]["counts"]["program variants"];
    let part = project.path("runs/programs/03-variants/programs/part-00000.parquet");
    let variants: Vec<ProgramVariant> = table::read(&part).unwrap();
    let bugs: Vec<Fault> = variants.iter().filter_map(|one| one.fault).collect();
    assert!(!bugs.is_empty(), "{counts}");
    assert!(
        bugs.iter().all(|fault| *fault == Fault::WrongAnswer),
        "{bugs:?}"
    );
}

#[test]
fn a_recipe_of_programs_that_cannot_be_is_refused() {
    let project = project();
    for (from, to, expected) in [
        ("programs.jsonl", "nowhere.jsonl", "are not there"),
        (
            "kind = \"bug\"",
            "kind = \"clone\"\nsteps = [{ transform = \"WrongBooleanOperator\" }]",
            "breaks programs",
        ),
        ("strategy = \"funky\"", "strategy = \"funny\"", "funny"),
        ("ChangeNames", "ChangeName", "ChangeName"),
        ("name = \"renamed\"", "name = \"positive\"", "two pipelines"),
        ("bins = 2", "bins = 0", "at least 1"),
    ] {
        project.write("bad.toml", RECIPE.replacen(from, to, 1));
        let ended = project.run(&["extract", "bad.toml"]);
        assert_ne!(ended.code, Some(0), "{to}");
        assert!(ended.stderr.contains(expected), "{to}: {}", ended.stderr);
    }
}
