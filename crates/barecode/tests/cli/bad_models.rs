//! Models that cannot be used, texts that are too much, servers that fail: what is said, with which exit code, and that
//! what was paid for is kept.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use barecode_testing::needs::not_here;
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::project::{Ended, Project, program};

/// So many functions with a query each.
fn dataset(project: &Project, count: usize) {
    let rows: Vec<Value> = (0..count)
        .map(|i| row(i, &format!("int f{i}(void) {{ return {i}; }}")))
        .collect();
    project.write("set.json", json!(rows).to_string());
}

fn row(i: usize, code: &str) -> Value {
    json!({
        "query_id": format!("q{i}"), "query_text": format!("return the number {i}"),
        "code_id": format!("c{i}"), "code_text": code, "relevance": 1,
    })
}

/// `eval` of the dataset, with a key in the environment where one is given.
fn eval(project: &Project, model: &str, key: Option<&str>) -> Ended {
    let mut command = project.command(&[
        "eval",
        "set.json",
        "--models",
        "models.toml",
        "--model",
        model,
        "--json",
        "--resamples",
        "100",
    ]);
    command.env_remove("OPENAI_API_KEY");
    command.env_remove("OPENAI_COMPATIBLE_API_KEY");
    if let Some(key) = key {
        command.env("OPENAI_COMPATIBLE_API_KEY", key);
    }
    Ended::of(&command.output().unwrap())
}

/// A table of a model `m` at `server.py`.
fn table(project: &Project, server: &Started, options: &str) {
    let url = server.url("/openai");
    let text =
        format!("[[model]]\nname = 'm'\nkind = 'openai'\nurl = '{url}'\nmodel = 'm'\n{options}\n");
    project.write("models.toml", text);
}

fn assert_ends(ended: &Ended, code: i32, parts: &[&str]) {
    assert_eq!(ended.code, Some(code), "{}", ended.stderr);
    // With `--json` the last line is the error, as JSON.
    let last = ended.stderr.trim_end().lines().last().unwrap_or_default();
    let said = match serde_json::from_str::<Value>(last) {
        Ok(last) => {
            let error = &last["error"];
            assert_eq!(error["code"], code, "{last}");
            let text = |field: &str| error[field].as_str().unwrap_or_default().to_owned();
            format!("{}\nhint: {}", text("message"), text("hint"))
        }
        Err(_) => ended.stderr.clone(),
    };
    for part in parts {
        assert!(
            said.contains(part),
            "`{part}` is missing in: {}",
            ended.stderr
        );
    }
}

/// How often each text was answered since the faults were set.
fn served(server: &Started) -> BTreeMap<String, u64> {
    serde_json::from_value(server.status()["served"].clone()).unwrap()
}

/// A tiny BERT that a test may break, in the folder `bert`.
fn checkpoint(project: &Project) {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../encoders/tests/checkpoints/bert");
    for entry in fs::read_dir(source).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        project.write(&format!("bert/{name}"), fs::read(entry.path()).unwrap());
    }
}

#[test]
fn folders_that_are_no_model_are_invalid_input() {
    let project = Project::empty();
    dataset(&project, 2);
    project.write("models.toml", "");
    let layers = "\"num_hidden_layers\": 2";
    for (file, from, to, parts) in [
        (
            "config.json",
            layers,
            "\"num_hidden_layers\": 3",
            ["has no tensor `encoder.layer.2.", "hint: "],
        ),
        (
            "config.json",
            layers,
            "\"num_hidden_layers\": 1",
            [
                "has 16 tensors that its architecture does not have",
                "hint: ",
            ],
        ),
        (
            "config.json",
            "\"model_type\": \"bert\"",
            "\"model_type\": \"mamba\"",
            [
                "is `mamba`, which is not an architecture that is read here",
                "hint: known are bert",
            ],
        ),
        (
            "tokenizer.json",
            "\"<unk>\": 3",
            "\"<unk>\": 999",
            [
                "has ids up to 999, but the model knows 280 tokens",
                "hint: tokenizer and weights",
            ],
        ),
    ] {
        checkpoint(&project);
        let path = project.path(&format!("bert/{file}"));
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(from), "{file} has no {from}");
        fs::write(&path, text.replace(from, to)).unwrap();
        assert_ends(&eval(&project, "local:bert", None), 4, &parts);
    }
    checkpoint(&project);
    fs::remove_file(project.path("bert/model.safetensors")).unwrap();
    assert_ends(
        &eval(&project, "local:bert", None),
        4,
        &["has no weights", "hint: "],
    );
    assert_ends(
        &eval(&project, "local:nowhere", None),
        4,
        &["no folder `nowhere`", "hint: "],
    );
    let kept = project.run(&["cache", "--json"]);
    let kept: Value = serde_json::from_str(&kept.stdout).unwrap();
    assert_eq!(kept["vectors"]["models"], json!([]));
}

#[test]
fn a_device_is_refused_and_servers_are_named() {
    let project = Project::empty();
    dataset(&project, 2);
    checkpoint(&project);
    let table = |device: &str| {
        let text = format!("[[model]]\nname = 'm'\nkind = 'local'\npath = 'bert'\n{device}\n");
        project.write("models.toml", text);
        eval(&project, "m", None)
    };
    let parts = [
        "models.toml:5:1",
        "`device` is `cuda`",
        "compute on the processor",
        "hint: a server computes on a card: serve the model with TEI or vLLM",
    ];
    assert_ends(&table("device = 'cuda'"), 4, &parts);
    let on_processor = table("device = 'cpu'");
    assert_eq!(on_processor.code, Some(0), "{}", on_processor.stderr);
}

#[test]
fn a_text_of_ten_megabytes_and_an_empty_one_are_texts() {
    let project = Project::empty();
    let long = "while (left < right) { swap(left++, right--); }\n".repeat(10_000_000 / 48 + 1);
    assert!(long.len() >= 10_000_000);
    let rows = [row(0, "int zero;"), row(1, ""), row(2, &long)];
    project.write("set.json", json!(rows).to_string());
    project.write("models.toml", "");
    checkpoint(&project);
    let cut = |ended: &Ended, model: &str| {
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        let account: Value = serde_json::from_str(&ended.stdout).unwrap();
        assert!(account["scores"][0]["models"][0]["value"].as_f64().unwrap() > 0.0);
        let counts = ["texts", "truncations"];
        counts.map(|count| account["ledger"][model][count].as_u64().unwrap())
    };
    let ended = eval(&project, "local:bert", None);
    assert_eq!(cut(&ended, "local:bert"), [6, 1]);
    let Some(server) = Started::start("server.py", &[]) else {
        return;
    };
    // A server that refuses what is too long, and empty texts.
    server.set(&json!({ "limits": { "length": 500, "characters": 100_000 } }));
    table(&project, &server, "");
    let ended = eval(&project, "m", None);
    assert_eq!(cut(&ended, "m"), [6, 1]);
}

#[test]
fn servers_that_cannot_be_asked_are_a_missing_tool() {
    let project = Project::empty();
    dataset(&project, 2);
    project.write("models.toml", "");
    let asked = |model: &str, code, parts: &[&str]| {
        let ended = eval(&project, model, None);
        assert_ends(&ended, code, parts);
    };
    asked(
        "openai+http://no-such-host.invalid/v1#m",
        5,
        &["host not found", "hint: check the address, the network"],
    );
    // A port that was free a moment ago.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let nobody = format!(
        "openai+http://127.0.0.1:{}/v1",
        listener.local_addr().unwrap().port()
    );
    drop(listener);
    asked(
        &format!("{nobody}#m"),
        5,
        &["nobody listens there", "hint: is the server running"],
    );
    asked(
        "openai:text-embedding-3-small",
        4,
        &[
            "no key for openai",
            "hint: set OPENAI_API_KEY in the environment",
        ],
    );
    let Some(server) = Started::start("server.py", &[]) else {
        return;
    };
    table(&project, &server, "");
    let wrong = "sk-a-wrong-secret";
    let ended = eval(&project, "m", Some(wrong));
    let said = [
        "status 401: Incorrect API key provided: …",
        "hint: the key comes from the environment",
    ];
    assert_ends(&ended, 5, &said);
    assert!(!ended.stderr.contains(wrong), "{}", ended.stderr);
}

#[test]
fn a_run_that_breaks_keeps_what_was_answered() {
    let project = Project::empty();
    dataset(&project, 40);
    let Some(server) = Started::start("server.py", &[]) else {
        return;
    };
    table(
        &project,
        &server,
        "batch-texts = 5\nparallel = 1\nprice = 1.0",
    );
    let calm = json!({ "kind": "none" });
    let status = |status: u16, body: &str| json!({ "kind": "status", "status": status, "body": { "error": { "message": body } } });
    let mut answered = BTreeMap::new();
    let dimensions = json!({ "kind": "dimensions" });
    for (fault, said) in [
        // A dimension that changes between replies, and does not change back.
        (
            dimensions,
            "vectors of 23 numbers, and vectors of 24 before",
        ),
        (
            status(401, "the key was taken back"),
            "status 401: the key was taken back",
        ),
        (
            status(429, "You exceeded your current quota"),
            "the account has no credit left",
        ),
    ] {
        let mut faults = vec![calm.clone(); 3];
        faults.extend(vec![fault; 20]);
        server.set(&json!({ "faults": faults }));
        assert_ends(&eval(&project, "m", None), 5, &[said, "hint: "]);
        let served = served(&server);
        assert_eq!(served.len(), 15, "three requests were answered");
        answered.extend(served);
    }
    // Each run went on where the one before had ended.
    assert_eq!(answered.len(), 45);
    server.set(&json!({ "faults": [] }));
    // The budget stops before the next request, and that is a threshold.
    let mut command = project.command(&[
        "eval",
        "set.json",
        "--models",
        "models.toml",
        "--model",
        "m",
    ]);
    let ended = Ended::of(&command.args(["--budget", "0.0001"]).output().unwrap());
    assert_ends(
        &ended,
        3,
        &["the budget is spent", "hint: paid answers are cached"],
    );
    let first = served(&server);
    answered.extend(first);
    let ended = eval(&project, "m", None);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    answered.extend(served(&server));
    assert_eq!(answered.len(), 80);
    let account: Value = serde_json::from_str(&ended.stdout).unwrap();
    let texts = account["ledger"]["m"]["texts"].as_u64().unwrap();
    assert_eq!(
        served(&server).values().sum::<u64>() + 45,
        80,
        "nothing is served twice"
    );
    assert!(texts <= 35);
}

/// Evaluates with a cache on a disk that is too small, then on the same disk with room. The disk is memory, in a mount
/// namespace of its own, and goes with the process.
const SCRIPT: &str = r#"
mount -t tmpfs -o size=160k tmpfs small || exit 77
"$1" eval set.json --models models.toml --model m --cache small
code=$?
mount -o remount,size=64m small || exit 77
"$1" eval set.json --models models.toml --model m --cache small || exit 78
exit $code
"#;

#[test]
fn a_disk_that_fills_keeps_what_was_stored() {
    let project = Project::empty();
    dataset(&project, 200);
    fs::create_dir(project.path("small")).unwrap();
    let Some(server) = Started::start("server.py", &[]) else {
        return;
    };
    table(&project, &server, "batch-texts = 4\nparallel = 3");
    server.set(&json!({}));
    let mut unshare = program("unshare");
    unshare.args([
        "--user",
        "--map-root-user",
        "--mount",
        "sh",
        "-c",
        SCRIPT,
        "sh",
    ]);
    let output = unshare
        .arg(env!("CARGO_BIN_EXE_barecode"))
        .current_dir(project.path(""))
        .stdin(Stdio::null())
        .output();
    let ended = match output.map(|output| Ended::of(&output)) {
        Ok(ended) if ended.code != Some(77) && !ended.stderr.starts_with("unshare: ") => ended,
        Ok(ended) => {
            let why = ended.stderr;
            return not_here(&format!("no file system can be mounted here: {why}"));
        }
        Err(error) => {
            return not_here(&format!("no `unshare`: {error}"));
        }
    };
    let said = [
        "no space left for `small/vectors.sqlite`",
        "hint: make room",
    ];
    assert_ends(&ended, 6, &said);
    let served = served(&server);
    assert_eq!(served.len(), 400);
    // Only what was under way when the disk was found to be full was asked for again.
    let again = served.values().filter(|&&times| times > 1).count();
    assert!(again <= 3 * 4, "{again}");
    assert!(served.values().all(|&times| times <= 2));
}
