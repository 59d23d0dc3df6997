//! Solutions of one problem: which stay, by what a model finds alike, from a recipe to its page.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use barecode_records::python::Program;
use barecode_records::{Id, Reason, Relation, SetAside, Similarity, table};
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::project::{Ended, Project, assert_same, bytes_of};

type Problem = (
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [&'static str],
);

/// Problems with inputs, outputs and solutions, of which the first two are the same but for names.
const PROBLEMS: [Problem; 5] = [
    (
        "sum",
        &[("3\n1 2 3\n", "6\n"), ("1\n-4\n", "-4\n")],
        &[
            "n = int(input())\ntotal = 0\nfor value in input().split():\n    total += int(value)\nprint(total)\n",
            "count = int(input())\nresult = 0\nfor item in input().split():\n    result += int(item)\nprint(result)\n",
            "input()\nprint(sum(map(int, input().split())))\n",
            "from functools import reduce\n\ndef add(a, b):\n    return a + b\n\ninput()\nprint(reduce(add, [int(x) for x in input().split()]))\n",
            "def solve(values):\n    if not values:\n        return 0\n    return values[0] + solve(values[1:])\n\ndef main():\n    input()\n    print(solve([int(x) for x in input().split()]))\n\nmain()\n",
        ],
    ),
    (
        "largest",
        &[("3\n1 9 3\n", "9\n"), ("2\n-4 -7\n", "-4\n")],
        &[
            "n = int(input())\nvalues = [int(x) for x in input().split()]\nbest = values[0]\nfor value in values:\n    if value > best:\n        best = value\nprint(best)\n",
            "size = int(input())\nnumbers = [int(y) for y in input().split()]\ntop = numbers[0]\nfor number in numbers:\n    if number > top:\n        top = number\nprint(top)\n",
            "input()\nprint(max(map(int, input().split())))\n",
            "input()\nprint(sorted(int(x) for x in input().split())[-1])\n",
            "import heapq\n\ndef main():\n    input()\n    heap = [-int(x) for x in input().split()]\n    heapq.heapify(heap)\n    print(-heapq.heappop(heap))\n\nmain()\n",
        ],
    ),
    (
        "backwards",
        &[("abc\n", "cba\n"), ("noon!\n", "!noon\n")],
        &[
            "text = input()\nresult = ''\nfor letter in text:\n    result = letter + result\nprint(result)\n",
            "line = input()\nturned = ''\nfor sign in line:\n    turned = sign + turned\nprint(turned)\n",
            "print(input()[::-1])\n",
            "from collections import deque\n\nqueue = deque()\nfor letter in input():\n    queue.appendleft(letter)\nprint(''.join(queue))\n",
            "def turn(text):\n    if len(text) < 2:\n        return text\n    half = len(text) // 2\n    return turn(text[half:]) + turn(text[:half])\n\nprint(turn(input()))\n",
        ],
    ),
    (
        "divisors",
        &[("12\n", "6\n"), ("7\n", "2\n")],
        &[
            "n = int(input())\nfound = 0\nfor k in range(1, n + 1):\n    if n % k == 0:\n        found += 1\nprint(found)\n",
            "number = int(input())\ncounter = 0\nfor d in range(1, number + 1):\n    if number % d == 0:\n        counter += 1\nprint(counter)\n",
            "n = int(input())\nprint(sum(n % k == 0 for k in range(1, n + 1)))\n",
            "n = int(input())\nproduct, p = 1, 2\nwhile n > 1:\n    power = 1\n    while n % p == 0:\n        n //= p\n        power += 1\n    product *= power\n    p += 1\nprint(product)\n",
            "n = int(input())\nprint(len({d for k in range(1, int(n ** 0.5) + 1) if n % k == 0 for d in (k, n // k)}))\n",
        ],
    ),
    (
        "alone",
        &[("5\n", "25\n")],
        &["side = int(input())\nprint(side * side)\n"],
    ),
];

/// Rows as Hugging Face serves `CodeContests`.
fn rows() -> String {
    let row = |(name, cases, solutions): &Problem| {
        let (inputs, outputs): (Vec<&str>, Vec<&str>) = cases.iter().copied().unzip();
        let none = json!({ "input": [], "output": [] });
        let row = json!({
            "name": name,
            "description": format!("The problem called {name}."),
            "public_tests": { "input": inputs, "output": outputs },
            "private_tests": none,
            "generated_tests": none,
            "solutions": { "language": vec![3; solutions.len()], "solution": solutions },
        });
        format!("{row}\n")
    };
    PROBLEMS.iter().map(row).collect()
}

fn recipe(alternates: &str, model: &str) -> String {
    format!(
        "name = \"solved\"\nseed = 3\n\n[[programs]]\nfrom = \"contests.jsonl\"\nformat = \"code-contests\"\n\n\
         {alternates}\n[probe]\nrandom = 2\nnearest = 2\nbins = 2\n\n\
         [[retriever]]\nname = \"judge\"\nkind = \"dense\"\nmodel = \"{model}\"\n"
    )
}

/// The folder of a model with random weights.
const TINY: &str = "local:models/tiny";

fn project(alternates: &str) -> Project {
    let project = Project::empty();
    project.write("recipe.toml", recipe(alternates, TINY));
    project.write("contests.jsonl", rows());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints");
    for file in ["config.json", "model.safetensors", "tokenizer.json"] {
        let bytes = fs::read(folder.join("bert").join(file)).unwrap();
        project.write(&format!("models/tiny/{file}"), bytes);
    }
    project
}

fn done(ended: Ended) -> Ended {
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    ended
}

/// Extracts, which no model can fail, and chooses.
fn choose(project: &Project) -> Ended {
    done(project.run(&["extract", "recipe.toml"]));
    project.run(&["choose", "recipe.toml"])
}

struct Run {
    programs: Vec<Program>,
    set_aside: Vec<SetAside>,
    /// What the manifest says of the data set.
    account: Value,
}

impl Run {
    fn of(project: &Project) -> Self {
        let run = project.path("runs/solved");
        let part = "programs/part-00000.parquet";
        let manifest = fs::read(run.join("manifest.json")).unwrap();
        let manifest: Value = serde_json::from_slice(&manifest).unwrap();
        Run {
            programs: table::read(&run.join("01-solutions").join(part)).unwrap(),
            set_aside: table::read(&run.join("01-solutions/_set-aside").join(part)).unwrap(),
            account: manifest["sources"][0].clone(),
        }
    }

    fn threshold(&self) -> f64 {
        self.account["alternates_by"][0]["threshold"]
            .as_f64()
            .unwrap()
    }

    fn left_out(&self, reason: Reason) -> impl Iterator<Item = &SetAside> {
        self.set_aside
            .iter()
            .filter(move |row| row.reason == reason)
    }

    /// Programs, rows and account are of the same solutions, and nothing that is alike stayed.
    fn is_sound(&self, name: &str) {
        let of = |key: &str| self.account[key].as_u64().unwrap();
        let alternates = self.programs.iter().filter(|it| it.alternate_of.is_some());
        assert_eq!(alternates.count() as u64, of("alternates"));
        assert_eq!((of("problems"), of("with_several_solutions")), (5, 4));
        let similar = self.left_out(Reason::SimilarSolution).count();
        let enough = self.left_out(Reason::EnoughSolutions).count();
        assert_eq!(self.programs.len() + similar + enough, 21);
        assert_eq!(of("components"), of("alternates") + enough as u64);
        let ids: BTreeSet<&Id> = self.programs.iter().map(|it| &it.id).collect();
        for row in self.left_out(Reason::SimilarSolution) {
            // `0.912 with p-… by tiny, at most 0.83`
            let words: Vec<&str> = row.detail.split([' ', ',']).collect();
            assert!(words[0].parse::<f64>().unwrap() >= self.threshold() - 5e-4);
            assert_eq!(words[4], name, "{}", row.detail);
            assert!(!ids.contains(row.id.as_ref().unwrap()));
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for program in &self.programs {
            *counts.entry(&program.problem).or_default() += 1;
            assert!(program.alternate_of.iter().all(|main| ids.contains(main)));
        }
        assert!(
            counts.len() == 5 && counts.values().all(|n| *n <= 3),
            "{counts:?}"
        );
    }
}

/// What the model as a retriever says of programs and their alternates.
fn judged(project: &Project) -> Vec<Similarity> {
    let file = project.path("runs/solved/06-runs/judge/programs.parquet");
    let mut rows: Vec<Similarity> = table::read(&file).unwrap();
    rows.retain(|row| row.relation == Relation::Alternate);
    rows
}

#[test]
fn a_recipe_chooses_alternates_by_a_model_whose_threshold_is_calibrated() {
    let build = |threads: &str| {
        let project = project(&format!("[alternates]\nby = [\"{TINY}\"]\n"));
        let unknown = project.run(&["choose", "recipe.toml", "--dry-run"]);
        assert_eq!(unknown.code, Some(4), "{}", unknown.stderr);
        assert!(
            unknown.stderr.contains("run `barecode extract`"),
            "{}",
            unknown.stderr
        );
        done(project.run(&["extract", "recipe.toml"]));
        let ahead = done(project.run(&["choose", "recipe.toml", "--dry-run", "--json"]));
        let ahead: Value = serde_json::from_str(&ahead.stdout).unwrap();
        let ahead = &ahead["estimates"][0];
        assert_eq!(
            (&ahead["alternates"], &ahead["texts"]),
            (&json!("tiny"), &json!(21))
        );
        let ended = done(project.run(&["build", "recipe.toml", "--threads", threads]));
        (project, ended)
    };
    let (project, ended) = build("1");
    let run = Run::of(&project);
    run.is_sound("tiny");
    let measure = &run.account["alternates_by"][0];
    assert_eq!(measure["from"], "calibrated");
    assert_eq!(
        (&measure["unrelated_programs"], &measure["calibrated_on"]),
        (&json!(5), &json!(4))
    );
    assert!(measure["unrelated"].as_f64().unwrap() <= run.threshold() + 5e-4);
    let said = format!("above {} by `tiny`", run.threshold());
    assert!(ended.stderr.contains(&said), "{}", ended.stderr);
    // The same model on another road: whatever stayed is not more alike than the threshold.
    for row in judged(&project) {
        assert!(row.similarity <= run.threshold() + 1e-6, "{row:?}");
    }
    let folder = project.path("runs/solved");
    let page = fs::read_to_string(folder.join("08-report/index.html")).unwrap();
    let card = fs::read_to_string(folder.join("05-dataset/README.md")).unwrap();
    let said = format!("above {} by ", run.threshold());
    assert!(page.contains(&said) && card.contains(&said), "{card}");
    let ledger = fs::read(folder.join("01-solutions/ledger.json")).unwrap();
    let ledger: Value = serde_json::from_slice(&ledger).unwrap();
    assert_eq!(ledger[0]["retriever"], "alternates (tiny)");
    // Each text is embedded once, for the threshold, and is in the cache afterwards.
    assert_eq!(ledger[0]["usage"]["texts"], 21);

    let (other, _) = build("2");
    assert_same(&bytes_of(&folder), &bytes_of(&other.path("runs/solved")));
    let again = done(project.run(&["build", "recipe.toml"]));
    assert!(again.stderr.contains("nothing to do"), "{}", again.stderr);

    // The number that was found, said in a recipe, chooses the same.
    let threshold = run.threshold();
    let stated =
        format!("[alternates]\nby = [{{ model = \"{TINY}\", threshold = {threshold} }}]\n");
    project.write("recipe.toml", recipe(&stated, TINY));
    done(choose(&project));
    let same = Run::of(&project);
    assert_eq!(same.programs, run.programs);
    assert_eq!(same.account["alternates_by"][0]["from"], "recipe");

    // Other weights are another model.
    let weights = project.path("models/tiny/model.safetensors");
    let mut bytes = fs::read(&weights).unwrap();
    *bytes.last_mut().unwrap() ^= 1;
    fs::write(&weights, bytes).unwrap();
    let changed = done(choose(&project));
    assert!(
        !changed.stderr.contains("nothing to do"),
        "{}",
        changed.stderr
    );
}

#[test]
fn a_model_that_knows_code_keeps_other_ways_and_leaves_out_other_names() {
    let Some(server) = Started::start("minilm_server.py", &[]) else {
        return;
    };
    let model = format!("local:{}", server.status()["folder"].as_str().unwrap());
    let project = project("");
    let text = format!(
        "[alternates]\nmost = 3\nby = [\"minilm\"]\n\n[[model]]\nname = \"minilm\"\nkind = \"local\"\npath = \"{}\"\n",
        server.status()["folder"].as_str().unwrap()
    );
    project.write("recipe.toml", recipe(&text, &model));
    done(project.run(&["build", "recipe.toml"]));
    let run = Run::of(&project);
    let threshold = run.threshold();
    for row in judged(&project) {
        assert!(row.similarity <= threshold + 1e-6, "{row:?}");
    }
    // The first two solutions of each problem differ in names alone: never both.
    let kept: BTreeSet<&str> = run.programs.iter().map(|it| it.text.as_str()).collect();
    for (name, _, solutions) in &PROBLEMS[..4] {
        let both = solutions[..2].iter().all(|text| kept.contains(text));
        assert!(!both, "{name} at {threshold}");
    }
    assert!(
        run.account["alternates"].as_u64().unwrap() >= 4,
        "{run:?}",
        run = run.account
    );
}

#[test]
fn two_measures_and_no_alternates_and_solutions_that_are_too_long() {
    let project = project(&format!(
        "[alternates]\nmost = 0\nby = [\"shingles\", {{ model = \"{TINY}\", threshold = 0.9 }}]\n"
    ));
    done(choose(&project));
    let run = Run::of(&project);
    assert_eq!(run.programs.len(), 5);
    assert_eq!(run.account["alternates"], 0);
    let names: Vec<&Value> = run.account["alternates_by"]
        .as_array()
        .unwrap()
        .iter()
        .collect();
    assert_eq!(
        (&names[0]["by"], &names[1]["by"]),
        (&json!("shingles"), &json!("tiny"))
    );

    // A model that reads eight tokens reads none of them whole: shingles say what is alike.
    let short = "[alternates]\nby = [\"short\"]\n\n[[model]]\nname = \"short\"\nkind = \"local\"\npath = \"models/tiny\"\nmax-length = 8\n";
    let (model, threshold) = (
        "by = [\"short\"]",
        "by = [{ model = \"short\", threshold = 0.5 }]",
    );
    project.write(
        "recipe.toml",
        recipe(&short.replace(model, threshold), TINY),
    );
    done(choose(&project));
    let by_model = Run::of(&project);
    assert_eq!(by_model.account["too_long"], 20);
    project.write(
        "recipe.toml",
        recipe("[alternates]\nby = [\"shingles\"]\n", TINY),
    );
    done(choose(&project));
    let by_shingles = Run::of(&project);
    assert_eq!(by_model.programs, by_shingles.programs);
    by_shingles.is_sound("shingles");
    // Without a word about alternates it is the same.
    project.write("recipe.toml", recipe("", TINY));
    done(choose(&project));
    assert_eq!(Run::of(&project).programs, by_shingles.programs);

    // Where no two programs have vectors, there is nothing to begin at.
    project.write("recipe.toml", recipe(short, TINY));
    let refused = choose(&project);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    for part in ["`short` cannot be calibrated", "threshold = 0.9"] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
}

#[test]
fn a_model_is_asked_only_where_a_problem_has_several_solutions() {
    let project = project("[alternates]\nby = [\"openai:text-embedding-3-small\"]\n");
    let alone = rows().lines().last().unwrap().to_owned();
    project.write("contests.jsonl", alone);
    done(project.run(&["extract", "recipe.toml"]));
    let mut command = project.command(&["choose", "recipe.toml"]);
    command.env_remove("OPENAI_API_KEY");
    done(Ended::of(&command.output().unwrap()));
    let run = Run::of(&project);
    assert_eq!(run.account["alternates_by"][0]["threshold"], Value::Null);
    // Where there are several, the key is missing before anything is asked.
    project.write("contests.jsonl", rows());
    done(project.run(&["extract", "recipe.toml"]));
    let mut command = project.command(&["choose", "recipe.toml"]);
    command.env_remove("OPENAI_API_KEY");
    let refused = Ended::of(&command.output().unwrap());
    assert_ne!(refused.code, Some(0));
    assert!(
        refused.stderr.contains("OPENAI_API_KEY"),
        "{}",
        refused.stderr
    );
}

#[test]
fn measures_that_cannot_be_are_refused_where_they_stand() {
    let project = project("");
    for (alternates, parts) in [
        ("by = []", &["recipe.toml:9:6", "`by` is empty"][..]),
        (
            "by = [\"local:models/none\"]",
            &["recipe.toml:9:7", "models/none"],
        ),
        ("by = [\"shingels\"]", &["recipe.toml:9:7", "shingels"]),
        ("by = [\"bm25\"]", &["recipe.toml:9:7", "does not embed"]),
        (
            "by = [\"shingles\", \"shingles\"]",
            &["recipe.toml:9:19", "two measures"],
        ),
        (
            "by = [{ threshold = 0.5 }]",
            &["recipe.toml:9:7", "needs a `model`"],
        ),
        (
            "by = [{ model = \"shingles\", threshold = 1.5 }]",
            &["recipe.toml:9:7", "not a similarity"],
        ),
        (
            "by = [{ model = \"local:models/tiny\", threshold = \"paper\" }]",
            &["recipe.toml:9:7", "codet5p-220m"],
        ),
        ("most = 101", &["recipe.toml:9:8", "more than 100"]),
    ] {
        project.write(
            "recipe.toml",
            recipe(&format!("[alternates]\n{alternates}\n"), TINY),
        );
        let refused = project.run(&["choose", "recipe.toml"]);
        assert_eq!(refused.code, Some(4), "{alternates}: {}", refused.stderr);
        for part in parts {
            assert!(
                refused.stderr.contains(part),
                "{alternates}: {}",
                refused.stderr
            );
        }
    }
    // A model of the hub that is not here, without a network.
    let hub = "[alternates]\nby = [\"hf:nobody/nothing\"]\n";
    project.write("recipe.toml", recipe(hub, TINY));
    done(project.run(&["extract", "recipe.toml"]));
    let mut command = project.command(&["choose", "recipe.toml"]);
    command
        .env("HF_HUB_OFFLINE", "1")
        .env("HF_HOME", project.path("hub"));
    let refused = Ended::of(&command.output().unwrap());
    assert_ne!(refused.code, Some(0));
    for part in ["recipe.toml:9:7", "nobody/nothing"] {
        assert!(refused.stderr.contains(part), "{}", refused.stderr);
    }
}
