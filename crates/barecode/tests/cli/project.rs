//! A folder with a recipe and sources, and the binary in it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::LazyLock;

/// The recipe of most tests: two sources, all settings, two draws.
pub(crate) const RECIPE: &str = r#"
name = "shelf"
seed = 7

[[source]]
from = "path:shelf"

[[source]]
from = "path:extra"

[settings]
randomized-seeds = 2

[[retriever]]
name = "bm25"
kind = "bm25"
tokenizer = "code"

[[retriever]]
name = "random"
kind = "random"

[scores]
measures = ["nDCG@10", "R@1"]
resamples = 200
"#;

const EXTRA: &str = "/* Adds two numbers and keeps the sum below a bound. */\n\
    int add_below(int a, int b, int bound) {\n    int sum = a + b;\n    return sum < bound ? sum : bound;\n}\n";

/// The project whose cache the others start with: compilers take most of a build's time, and what they say of the usual
/// recipe is the same in every test.
static BUILT: LazyLock<Project> = LazyLock::new(|| {
    let project = Project::without_cache();
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    project
});

/// A folder of its own, removed at the end.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

impl Project {
    /// With both sources and the usual recipe, and a cache that knows the headers and the verdicts of the usual recipe.
    pub(crate) fn new() -> Self {
        let project = Project::without_cache();
        copy(&BUILT.path("cache"), &project.path("cache"));
        project
    }

    /// With nothing in it.
    pub(crate) fn empty() -> Self {
        Project {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn without_cache() -> Self {
        let project = Project {
            folder: tempfile::tempdir().unwrap(),
        };
        copy(
            &repository().join("testdata/repos/shelf"),
            &project.path("shelf"),
        );
        project.write("extra/add.c", EXTRA);
        project.write("recipe.toml", RECIPE);
        project
    }

    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    pub(crate) fn write(&self, relative: &str, text: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// The binary with these arguments, not yet started. Verdicts are kept in the folder.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = program(env!("CARGO_BIN_EXE_barecode"));
        command.current_dir(self.folder.path()).args(arguments);
        command
            .env("XDG_CACHE_HOME", self.path("cache"))
            .env("LC_ALL", "C.UTF-8")
            .env_remove("NO_COLOR");
        command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// The same command by root without its right to read and write what it may not.
    pub(crate) fn without_rights(&self, usual: &Command) -> Command {
        let mut command = program("setpriv");
        command.args([
            "--bounding-set=-dac_override,-dac_read_search",
            "--inh-caps=-all",
        ]);
        command.arg(usual.get_program()).args(usual.get_args());
        command.current_dir(self.folder.path());
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// Runs the binary to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        Ended::of(&self.command(arguments).output().unwrap())
    }

    pub(crate) fn start(&self, arguments: &[&str]) -> Child {
        self.command(arguments).spawn().unwrap()
    }

    /// Builds and answers with what `--json` says.
    pub(crate) fn build(&self) -> serde_json::Value {
        let ended = self.run(&["build", "recipe.toml", "--json"]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        serde_json::from_str(&ended.stdout).unwrap()
    }

    /// Every file of the usual run, the manifest without its times.
    pub(crate) fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        bytes_of(&self.path("runs/shelf"))
    }
}

/// Every file below a folder, by its path.
pub(crate) fn files_of(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    collect(folder, folder, &mut files);
    files
}

/// Every file below a run's folder, the manifest and the ledger without their times.
pub(crate) fn bytes_of(run: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = files_of(run);
    let manifest = files
        .get_mut("manifest.json")
        .expect("a run has a manifest");
    let mut value: serde_json::Value = serde_json::from_slice(manifest).unwrap();
    value["times"] = serde_json::Value::Null;
    value["ledgers"] = serde_json::Value::Null;
    *manifest = value.to_string().into_bytes();
    for ledger in ["01-solutions/ledger.json", "06-runs/ledger.json"] {
        let Some(ledger) = files.get_mut(ledger) else {
            continue;
        };
        let mut value: serde_json::Value = serde_json::from_slice(ledger).unwrap();
        for entry in value.as_array_mut().unwrap() {
            assert!(entry["usage"]["milliseconds"].take().is_u64());
        }
        *ledger = value.to_string().into_bytes();
    }
    files
}

/// Fails with the names of the files that differ, not with their bytes.
pub(crate) fn assert_same(left: &BTreeMap<String, Vec<u8>>, right: &BTreeMap<String, Vec<u8>>) {
    let names: Vec<_> = left
        .keys()
        .chain(right.keys())
        .filter(|name| left.get(*name) != right.get(*name))
        .collect();
    assert!(names.is_empty(), "these files differ: {names:?}");
    assert!(left.len() > 20, "a run has many files, not {}", left.len());
}

/// How a run of the binary ended.
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ended {
    pub(crate) fn of(output: &Output) -> Self {
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "tests start the binary and the tools that hinder it"
)]
pub(crate) fn program(name: impl AsRef<std::ffi::OsStr>) -> Command {
    Command::new(name)
}

pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
        .to_owned()
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn collect(root: &Path, folder: &Path, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, files);
        } else {
            let name = path
                .strip_prefix(root)
                .unwrap()
                .to_string_lossy()
                .into_owned();
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}
