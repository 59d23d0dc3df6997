use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use barecode_models::{
    Embeddings, Encoder, LocalModels, ModelError, ModelSpec, Opening, Reranker, Side,
    dataset_folder, open_encoder,
};
use serde_json::{Value, json};

use crate::server::{NoNetwork, Server, opening};

/// Stands for a model; the folder is what is tested.
struct Folder(String);

impl Encoder for Folder {
    fn identity(&self) -> &str {
        &self.0
    }

    fn encode(&self, _side: Side, _texts: &[&str]) -> Result<Embeddings, ModelError> {
        Ok(Embeddings::default())
    }
}

/// Notes which folder is opened.
struct Finder(Arc<Mutex<String>>);

impl LocalModels for Finder {
    fn encoder(&self, path: &Path, _: &ModelSpec) -> Result<Box<dyn Encoder>, ModelError> {
        *self.0.lock().unwrap() = path.display().to_string();
        Ok(Box::new(Folder(path.display().to_string())))
    }

    fn reranker(&self, _: &Path, _: &ModelSpec) -> Result<Box<dyn Reranker>, ModelError> {
        unreachable!("only encoders are opened")
    }

    fn count(&self, _: &Path, _: &ModelSpec, _: Side, _: &[&str]) -> Result<Vec<u32>, ModelError> {
        unreachable!("nothing is estimated")
    }

    fn revision(&self, _: &str) -> Option<&'static str> {
        None
    }
}

/// Resolves `hf:` and says into which folder.
fn folder_of(opening: &mut Opening, form: &str) -> Result<String, ModelError> {
    let folder = Arc::new(Mutex::new(String::new()));
    let found = Arc::clone(&folder);
    opening.local = Some(Arc::new(Finder(found)));
    open_encoder(&form.parse()?, opening)?;
    let folder = folder.lock().unwrap().clone();
    Ok(folder)
}

/// What a Python program prints; the arguments come as `sys.argv[1:]`.
#[expect(
    clippy::disallowed_methods,
    reason = "a test asks the hub's own library"
)]
fn python(script: &str, variables: &[(&str, &str)]) -> String {
    let output = Command::new(std::env::var_os("BARECODE_PYTHON").unwrap())
        .args(["-c", script])
        .envs(variables.iter().copied())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// Where the hub is, and the folder for what is fetched from it.
fn variables<'a>(home: &'a tempfile::TempDir, url: &'a str) -> [(&'a str, &'a str); 2] {
    [
        ("HF_HOME", home.path().to_str().unwrap()),
        ("HF_ENDPOINT", url),
    ]
}

/// The repository `org/name`; weights that compress to nothing and hash to something.
fn files() -> Value {
    json!({
        "config.json": "e30=",
        "1_Pooling/config.json": "e30K",
        "model.safetensors": "AAECAwQFBgcICQoLDA0ODwABAgMEBQYHCAkKCwwNDg8=",
        "pytorch_model.bin": "AAAA",
        "empty.json": "",
    })
}

#[test]
fn a_repository_is_fetched_once_and_found_by_the_hubs_own_library() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let home = home.path().to_str().unwrap();
    let url = server.url("");
    let variables = [("HF_HOME", home), ("HF_ENDPOINT", url.as_str())];
    // The listing, then the first file breaks in the middle and another comes with wrong bytes.
    server.set(&json!({ "files": files(), "faults": [{ "kind": "none" }, { "kind": "none" }, { "kind": "none" },
        { "kind": "none" }, { "kind": "cut" }, { "kind": "corrupt" }] }));
    let (mut opening, _) = opening(&variables);
    let error = folder_of(&mut opening, "hf:org/name")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("bytes came that are not the file"),
        "{error}"
    );
    let folder = folder_of(&mut opening, "hf:org/name").unwrap();
    let log = server.served().log.to_string();
    assert!(log.contains("bytes=16-"), "the rest was asked for: {log}");
    assert!(!log.contains("pytorch_model"), "{log}");
    let read = |name: &str| std::fs::read(Path::new(&folder).join(name)).unwrap();
    assert_eq!(read("model.safetensors").len(), 32);
    assert_eq!(read("1_Pooling/config.json"), b"{}\n");
    assert_eq!(read("empty.json"), b"");

    // Found again without a network, and by the library that made the layout.
    let n_requests = server.served().requests;
    let mut offline = opening.clone();
    offline.transport = Arc::new(NoNetwork);
    for form in ["hf:org/name", "hf:org/name@main"] {
        assert_eq!(folder_of(&mut offline, form).unwrap(), folder);
    }
    assert_eq!(server.served().requests, n_requests);
    let variables = [("HF_HOME", home), ("HF_HUB_OFFLINE", "1")];
    let found = python(
        "from huggingface_hub import snapshot_download as s; print(s('org/name', local_files_only=True))",
        &variables,
    );
    assert_eq!(found, folder);
    let found = python(
        "from huggingface_hub import hf_hub_download as d; \
         print(open(d('org/name', 'model.safetensors', local_files_only=True), 'rb').read().hex())",
        &variables,
    );
    assert!(found.starts_with("000102030405"));
}

#[test]
fn a_datasets_card_and_tables_are_fetched_below_its_own_folder() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let url = server.url("");
    let variables = variables(&home, &url);
    let (mut opening, _) = opening(&variables);
    server.set(&json!({ "files": {
        "README.md": "LS0t", "data/train.parquet": "UEFSMQ==", "x.jsonl.gz": "e30=", "script.py": "AAAA",
        "dataset_infos.json": "e30=", "../../climbs.json": "e30=", "a/../../b.csv": "AAAA",
    } }));
    let folder = dataset_folder(&opening, "org/name", "main").unwrap();
    assert!(folder.starts_with(home.path().join("hub/datasets--org--name/snapshots")));
    let mut found = Vec::new();
    let mut folders = vec![folder.clone()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(&folder).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    assert_eq!(found, ["README.md", "data/train.parquet", "x.jsonl.gz"]);
    assert_eq!(
        std::fs::read(folder.join("data/train.parquet")).unwrap(),
        b"PAR1"
    );
    let log = server.served().log.to_string();
    assert!(log.contains("/datasets/org/name/resolve/"), "{log}");
    assert!(
        !log.contains("script.py") && !log.contains("climbs"),
        "{log}"
    );

    // Offline, what is here is used; a repository without tables, and names that are none, are refused.
    let offline = [variables[0], ("HF_HUB_OFFLINE", "1")];
    let (mut without, _) = self::opening(&offline);
    without.transport = Arc::new(NoNetwork);
    assert_eq!(
        dataset_folder(&without, "org/name", "main").unwrap(),
        folder
    );
    server.set(&json!({ "files": { "README.md": "LS0t", "script.py": "AAAA" } }));
    let (fresh, revision) = (tempfile::tempdir().unwrap(), "v2");
    let variables = [("HF_HOME", fresh.path().to_str().unwrap()), variables[1]];
    opening = self::opening(&variables).0;
    let refused = |name: &str, revision: &str| {
        let error = dataset_folder(&opening, name, revision).unwrap_err();
        error.to_string()
    };
    assert!(refused("org/name", revision).contains("has no tables"));
    assert!(refused("org/other", revision).contains("no such repository"));
    for name in ["../x", "a/b/c", "", "org/", "org/..", "a b/c", "org/name?x"] {
        let message = refused(name, revision);
        assert!(message.contains("is not a dataset of the hub"), "{message}");
    }
    assert!(refused("org/name", "../x").contains("is not a revision"));
}

#[test]
fn what_is_not_there_is_said_when_the_hub_is_not_to_be_asked() {
    let home = tempfile::tempdir().unwrap();
    let home = home.path().to_str().unwrap();
    let (mut opening, _) = opening(&[("HF_HOME", home), ("HF_HUB_OFFLINE", "true")]);
    opening.transport = Arc::new(NoNetwork);
    let error = folder_of(&mut opening, "hf:org/name").unwrap_err();
    assert!(
        error
            .to_string()
            .contains("org/name at main is not, or not wholly, in"),
        "{error}"
    );
    assert_eq!(
        error
            .hint()
            .map(|hint| hint.starts_with("unset HF_HUB_OFFLINE")),
        Some(true)
    );
}

#[test]
fn repositories_that_cannot_be_used_are_told() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let url = server.url("");
    let variables = variables(&home, &url);
    let (mut opening, _) = opening(&variables);
    server.set(&json!({ "files": { "config.json": "e30=", "pytorch_model.bin": "AAAA" } }));
    let error = folder_of(&mut opening, "hf:org/name")
        .unwrap_err()
        .to_string();
    assert!(error.contains("has no weights as safetensors"), "{error}");
    let error = folder_of(&mut opening, "hf:org/other")
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no such repository, revision or file"),
        "{error}"
    );
}

#[test]
fn a_revision_that_climbs_is_none() {
    let home = tempfile::tempdir().unwrap();
    let path = home.path().join("inside").display().to_string();
    let (mut opening, _) = opening(&[("HF_HOME", path.as_str())]);
    opening.transport = Arc::new(NoNetwork);
    for revision in ["../../../x", "a/../../b", "/etc/x", "a//b", ".", "a\\b"] {
        let error = folder_of(&mut opening, &format!("hf:org/name@{revision}")).unwrap_err();
        assert!(
            error.to_string().contains("is not a revision of org/name"),
            "{error}"
        );
    }
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[test]
fn what_a_hub_says_is_bounded_and_hashed() {
    let Some(server) = Server::start() else {
        return;
    };
    let home = tempfile::tempdir().unwrap();
    let url = server.url("");
    let variables = variables(&home, &url);
    let (mut opening, _) = opening(&variables);
    let mut refused = |control: &Value, why: &str| {
        server.set(control);
        let error = folder_of(&mut opening, "hf:org/name").unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
    };
    let mut many = files();
    for i in 0..1000 {
        many[format!("{i}.json")] = json!("e30=");
    }
    refused(&json!({ "files": many }), "lists 1004 files to fetch");
    let etag = json!({ "files": files(), "etag": "not-a-hash" });
    refused(&etag, "no hash of the content (ETag)");
    let longer = json!({ "files": files(), "etag": null, "faults": [{ "kind": "none" }, { "kind": "longer" }] });
    refused(&longer, "more bytes than the file has");
}
