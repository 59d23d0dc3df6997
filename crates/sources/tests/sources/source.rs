//! Kinds of sources, and what is said when there is none.

#![expect(
    clippy::disallowed_methods,
    reason = "git makes the repositories that are read; a child has an environment of its own"
)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use barecode_records::Reason;
use barecode_sources::{Content, Source, SourceConfig, readable};
use expect_test::{Expect, expect};
use tempfile::TempDir;

use crate::{LARGEST, config, fill};

fn error(from: &str, base: &Path) -> String {
    refused(&config(from), base)
}

fn refused(config: &SourceConfig, base: &Path) -> String {
    let error = Source::resolve(config, base).expect_err("no such source");
    // A folder of the test's own has another name each time.
    let shown = error.to_string();
    shown.replace(&base.display().to_string(), "<base>")
}

fn paths(source: &Source) -> Vec<&str> {
    source.files().keys().map(String::as_str).collect()
}

fn bytes(source: &Source, path: &str) -> Vec<u8> {
    match &source.files()[path].content {
        Content::Bytes(bytes) => bytes.bytes().into_owned(),
        other => panic!("{path}: {other:?}"),
    }
}

#[test]
fn a_text_that_names_no_source_is_answered_with_the_kinds() {
    let base = TempDir::new().unwrap();
    for from in ["", "lib", "path:", "git:", "svn:lib", ":lib"] {
        let message = error(from, base.path());
        assert!(
            message.starts_with(&format!("`{from}` is not a source: expected `path:FOLDER`")),
            "{message}"
        );
    }
}

#[test]
fn a_pattern_that_is_none_is_shown() {
    let base = TempDir::new().unwrap();
    let with = |include: &str, exclude: &str| {
        let list = |pattern: &str| {
            (!pattern.is_empty())
                .then(|| pattern.to_owned())
                .into_iter()
                .collect()
        };
        SourceConfig {
            include: list(include),
            exclude: list(exclude),
            ..config("path:lib")
        }
    };
    expect![
        "source `path:lib`: `src/[a.c` is not a file pattern: unclosed character class; missing ']'"
    ]
    .assert_eq(&refused(&with("src/[a.c", ""), base.path()));
    expect!["source `path:lib`: `{a,b` is not a file pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"].assert_eq(&refused(&with("", "{a,b"), base.path()));
}

#[test]
fn a_folder_that_is_not_there_or_none() {
    let base = TempDir::new().unwrap();
    fill(base.path(), &[("file.c", b"")]);
    symlink("loop", base.path().join("loop")).unwrap();
    expect![
        "source `path:gone`: cannot read `<base>/gone`: No such file or directory (os error 2)"
    ]
    .assert_eq(&error("path:gone", base.path()));
    expect!["source `path:file.c`: cannot read `<base>/file.c`: it is not a folder"]
        .assert_eq(&error("path:file.c", base.path()));
    expect!["source `path:loop`: cannot read `<base>/loop`: Too many levels of symbolic links (os error 40)"].assert_eq(&error("path:loop", base.path()));
}

#[test]
fn links_in_a_folder_are_not_followed() {
    let base = TempDir::new().unwrap();
    fill(
        base.path(),
        &[("lib/a.c", b"int a;"), ("secret.c", b"int s;")],
    );
    symlink("../secret.c", base.path().join("lib/s.c")).unwrap();
    symlink(".", base.path().join("lib/self")).unwrap();
    symlink("..", base.path().join("lib/up")).unwrap();
    symlink("nowhere", base.path().join("lib/n.c")).unwrap();
    symlink("round", base.path().join("lib/round")).unwrap();
    symlink("nowhere", base.path().join("lib/no-code.txt")).unwrap();
    let source = Source::resolve(&config("path:lib"), base.path()).unwrap();
    let aside: Vec<(&str, &Content)> = source
        .files()
        .iter()
        .map(|(path, file)| (path.as_str(), &file.content))
        .filter(|(path, _)| *path != "a.c")
        .collect();
    let link = |to: &str| Content::Aside(Reason::FileIsLink, to.to_owned());
    assert_eq!(
        aside,
        [
            ("n.c", &link("to `nowhere`")),
            ("round", &link("to `round`, in a circle")),
            ("s.c", &link("to `../secret.c`")),
            ("self", &link("to the folder `.`")),
            ("up", &link("to the folder `..`")),
        ]
    );
}

#[test]
fn only_code_is_read_and_what_the_recipe_leaves_out_is_still_listed() {
    let base = TempDir::new().unwrap();
    fill(
        base.path(),
        &[
            ("lib/a.c", b"1"),
            ("lib/a.py", b"2"),
            ("lib/sub/b.h", b"3"),
            ("lib/sub/deep/c.c", b"4"),
            ("lib/README", b"5"),
        ],
    );
    let include = SourceConfig {
        include: vec!["sub/*".to_owned()],
        ..config("path:lib")
    };
    let source = Source::resolve(&include, base.path()).unwrap();
    assert_eq!(paths(&source), ["a.c", "a.py", "sub/b.h", "sub/deep/c.c"]);
    let excluded = |path: &str| !source.files()[path].wanted;
    assert!(excluded("a.c") && excluded("a.py") && !excluded("sub/b.h"));
    assert!(excluded("sub/deep/c.c"), "`*` stays in its folder");
}

#[test]
fn a_digest_tells_apart_what_differs() {
    let base = TempDir::new().unwrap();
    fill(base.path(), &[("lib/a.c", b"int a;"), ("lib/b.c", b"")]);
    let digest = |config: &SourceConfig| Source::resolve(config, base.path()).unwrap().digest();
    let plain = config("path:lib");
    let first = digest(&plain);
    assert_eq!(first, digest(&plain));
    let limited = SourceConfig {
        limit: Some(1),
        ..plain.clone()
    };
    let licensed = SourceConfig {
        license: Some("MIT".to_owned()),
        ..plain.clone()
    };
    assert_ne!(first, digest(&limited));
    assert_ne!(first, digest(&licensed));
    fill(base.path(), &[("lib/b.c", b" ")]);
    assert_ne!(first, digest(&plain));
    fill(base.path(), &[("lib/b.c", b""), ("lib/notes.txt", b"x")]);
    assert_eq!(first, digest(&plain), "what is not read does not count");
}

/// Runs git in a folder, without the settings of whoever runs the test.
pub(crate) fn git(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"]);
    command
        .args([
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments);
    command
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1");
    command
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .env_remove("GIT_INDEX_FILE");
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {told}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A repository with two commits, a branch, a tag, a link and a submodule; the first commit's name.
fn repository(base: &Path) -> String {
    let folder = base.join("repo");
    fill(
        &folder,
        &[
            ("src/a.c", b"int old;\n"),
            ("src/tab\there.h", b""),
            ("README", b"x"),
        ],
    );
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "one"]);
    let first = git(&folder, &["rev-parse", "HEAD"]);
    git(&folder, &["tag", "v1"]);
    fill(
        &folder,
        &[("src/a.c", b"int new;\r\n\0"), ("src/ü b.c", b"int u;\n")],
    );
    symlink("a.c", folder.join("src/link.c")).unwrap();
    git(&folder, &["add", "."]);
    let submodule = format!("160000,{first},sub.c");
    git(
        &folder,
        &["update-index", "--add", "--cacheinfo", &submodule],
    );
    git(&folder, &["commit", "--quiet", "-m", "two"]);
    git(&folder, &["branch", "topic/old", "v1"]);
    first
}

#[test]
fn a_commit_is_read_as_it_is_whatever_lies_in_the_folder() {
    let base = TempDir::new().unwrap();
    let first = repository(base.path());
    fill(
        base.path(),
        &[
            ("repo/src/a.c", b"int dirty;\n"),
            ("repo/src/untracked.c", b"int u;\n"),
        ],
    );
    let source = Source::resolve(&config("git:repo"), base.path()).unwrap();
    // A link and a submodule have no text of their own.
    let aside = |path: &str| match &source.files()[path].content {
        Content::Aside(reason, detail) => (*reason, detail.clone()),
        content => panic!("{path}: {content:?}"),
    };
    let all = [
        "src/a.c",
        "src/link.c",
        "src/tab\there.h",
        "src/ü b.c",
        "sub.c",
    ];
    assert_eq!(paths(&source), all);
    assert_eq!(
        aside("src/link.c"),
        (Reason::FileIsLink, "to `a.c`".to_owned())
    );
    assert_eq!(
        aside("sub.c"),
        (Reason::SubmoduleAbsent, format!("at commit {first}"))
    );
    assert_eq!(bytes(&source, "src/a.c"), b"int new;\r\n\0");
    assert_eq!(
        source.commit(),
        Some(git(&base.path().join("repo"), &["rev-parse", "HEAD"]).as_str())
    );
    assert_eq!(
        (source.repository(), source.version(), source.license()),
        (None, None, None)
    );
    assert_eq!(source.label(), "git:repo");
}

#[test]
fn a_revision_may_be_a_commit_a_tag_or_a_branch() {
    let base = TempDir::new().unwrap();
    let first = repository(base.path());
    let short: String = first.chars().take(10).collect();
    for revision in [&first, &short, "v1", "HEAD~1", "topic/old"] {
        let from = format!("git:repo@{revision}");
        let source = Source::resolve(&config(&from), base.path()).unwrap();
        assert_eq!(source.commit(), Some(first.as_str()), "{from}");
        assert_eq!(bytes(&source, "src/a.c"), b"int old;\n");
    }
}

#[test]
fn a_license_of_the_recipe_stands_in_for_one_that_is_not_stated() {
    let base = TempDir::new().unwrap();
    repository(base.path());
    let licensed = SourceConfig {
        license: Some("MIT".to_owned()),
        ..config("git:repo")
    };
    let source = Source::resolve(&licensed, base.path()).unwrap();
    assert_eq!(source.license(), Some("MIT"));
}

#[test]
fn what_git_cannot_find_is_named() {
    let base = TempDir::new().unwrap();
    repository(base.path());
    fs::create_dir(base.path().join("empty")).unwrap();
    expect!["source `git:repo@gone`: no commit `gone` in `<base>/repo`"]
        .assert_eq(&error("git:repo@gone", base.path()));
    expect!["source `git:repo@--help`: no commit `--help` in `<base>/repo`"]
        .assert_eq(&error("git:repo@--help", base.path()));
    expect![
        "source `git:nowhere`: cannot read `<base>/nowhere`: no such folder, and not an address"
    ]
    .assert_eq(&error("git:nowhere", base.path()));
    let message = error("git:empty", base.path());
    assert!(message.contains("not a git repository"), "{message}");
}

/// Runs one test of this file again, in a process with this environment.
pub(crate) fn in_child(test: &str, variables: &[(&str, &Path)]) {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", test, "--nocapture"])
        .env("BARECODE_TEST_CHILD", "1");
    for (name, value) in variables {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        output.status.success(),
        "{told}{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

pub(crate) fn is_child() -> bool {
    std::env::var_os("BARECODE_TEST_CHILD").is_some()
}

#[test]
fn an_address_is_cloned_once_and_then_kept_current() {
    if !is_child() {
        let cache = TempDir::new().unwrap();
        return in_child(
            "source::an_address_is_cloned_once_and_then_kept_current",
            &[("XDG_CACHE_HOME", cache.path())],
        );
    }
    let base = TempDir::new().unwrap();
    let first = repository(base.path());
    let repo = base.path().join("repo");
    let address = format!("file://{}", repo.display());
    let from = format!("git:{address}");
    let resolve = |from: &str| Source::resolve(&config(from), base.path());
    let source = resolve(&from).unwrap();
    assert_eq!(source.repository(), Some(address.as_str()));
    assert_eq!(bytes(&source, "src/a.c"), b"int new;\r\n\0");
    assert_eq!(
        resolve(&format!("{from}@topic/old")).unwrap().commit(),
        Some(first.as_str())
    );
    // What is new there is seen, and what was there is seen after it is gone.
    fill(&repo, &[("src/a.c", b"int third;\n")]);
    git(&repo, &["commit", "--quiet", "-am", "three"]);
    assert_eq!(bytes(&resolve(&from).unwrap(), "src/a.c"), b"int third;\n");
    fs::rename(&repo, base.path().join("moved")).unwrap();
    assert_eq!(bytes(&resolve(&from).unwrap(), "src/a.c"), b"int third;\n");
    let message = resolve(&format!("{from}-gone")).unwrap_err().to_string();
    assert!(message.contains("failed"), "{message}");
    let cache = std::env::var_os("XDG_CACHE_HOME").unwrap();
    let clones = fs::read_dir(Path::new(&cache).join("barecode/git"))
        .unwrap()
        .count();
    assert_eq!(clones, 1, "a clone that fails leaves nothing");
}

#[test]
fn the_repository_of_the_recipe_is_read_inside_a_hook_of_another() {
    if !is_child() {
        let other = TempDir::new().unwrap();
        repository(other.path());
        let folder = other.path().join("repo/.git");
        return in_child(
            "source::the_repository_of_the_recipe_is_read_inside_a_hook_of_another",
            &[("GIT_DIR", &folder)],
        );
    }
    let base = TempDir::new().unwrap();
    let folder = base.path().join("repo");
    fill(&folder, &[("mine.c", b"int mine;\n")]);
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "mine"]);
    let source = Source::resolve(&config("git:repo"), base.path()).unwrap();
    assert_eq!(paths(&source), ["mine.c"]);
}

#[test]
fn a_replaced_object_is_not_taken_for_the_one_that_the_commit_names() {
    let base = TempDir::new().unwrap();
    repository(base.path());
    let repo = base.path().join("repo");
    let blob = git(&repo, &["rev-parse", "HEAD:src/a.c"]);
    let other = git(&repo, &["rev-parse", "HEAD~1:src/a.c"]);
    git(&repo, &["replace", &blob, &other]);
    let source = Source::resolve(&config("git:repo"), base.path()).unwrap();
    assert_eq!(bytes(&source, "src/a.c"), b"int new;\r\n\0");
}

#[test]
fn a_package_of_the_workspace_brings_its_facts() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let wanted = SourceConfig {
        include: vec!["sqlite3/sqlite3.c".to_owned()],
        ..config("cargo:libsqlite3-sys")
    };
    let source = Source::resolve(&wanted, base).unwrap();
    assert_eq!(source.license(), Some("MIT"));
    let version = source.version().unwrap().to_owned();
    assert!(version.starts_with("0."), "{version}");
    assert!(
        source.repository().unwrap().starts_with("https://"),
        "{:?}",
        source.repository()
    );
    assert!(bytes(&source, "sqlite3/sqlite3.c").len() > 1 << 20);
    let from = format!("cargo:libsqlite3-sys@{version}");
    let named = Source::resolve(&SourceConfig { from, ..wanted }, base).unwrap();
    assert_eq!(named.version(), Some(version.as_str()));
}

#[test]
fn a_package_that_is_not_there_is_named_with_what_to_do() {
    let base = Path::new(env!("CARGO_MANIFEST_DIR"));
    let check = |from: &str, expected: Expect| expected.assert_eq(&error(from, base));
    check(
        "cargo:no-such-package",
        expect![
            "source `cargo:no-such-package`: the workspace has no package `no-such-package`; add it with `cargo add no-such-package`"
        ],
    );
    check(
        "cargo:libsqlite3-sys@0.0.1",
        expect![
            "source `cargo:libsqlite3-sys@0.0.1`: the workspace has no package `libsqlite3-sys@0.0.1`; add it with `cargo add libsqlite3-sys`"
        ],
    );
    let outside = TempDir::new().unwrap();
    expect!["source `cargo:libsqlite3-sys`: no Cargo.toml in `<base>` or above; `cargo:` sources are packages of a Cargo workspace"].assert_eq(&error("cargo:libsqlite3-sys", outside.path()));
}

#[test]
fn files_of_other_languages_are_counted_by_name_and_not_read() {
    let base = TempDir::new().unwrap();
    fill(
        &base.path().join("lib"),
        &[
            ("src/a.c", b"int a(void) { return 1; }\n"),
            ("src/plot.jl", b"plot(1)\n"),
            ("setup.swift", b"\xff"),
            ("tools/gen.kt", b"fun main() {}\n"),
            ("README.md", b"# lib\n"),
        ],
    );
    let config = SourceConfig {
        exclude: vec!["tools/**".to_owned()],
        ..config("path:lib")
    };
    let source = Source::resolve(&config, base.path()).unwrap();
    let files = readable(&source, LARGEST);
    let rows: Vec<(Reason, &str, &str)> = files
        .set_aside
        .iter()
        .map(|row| {
            let path = &row.origin.as_ref().unwrap().path;
            (row.reason, path.as_str(), row.detail.as_str())
        })
        .collect();
    assert_eq!(
        rows,
        [
            (Reason::FileOtherLanguage, "setup.swift", "Swift"),
            (Reason::FileOtherLanguage, "src/plot.jl", "Julia"),
        ]
    );
    assert_eq!(files.counts["files"].kept, 1);
    assert!(files.balances());

    // What could be mined is left out the same way.
    let config = SourceConfig {
        languages: vec!["Python".to_owned()],
        ..config
    };
    let source = Source::resolve(&config, base.path()).unwrap();
    let files = readable(&source, LARGEST);
    let row = &files.set_aside[1];
    assert_eq!((row.reason, &*row.detail), (Reason::FileOtherLanguage, "C"));
    assert!(files.kept.paths.is_empty() && files.balances());
}

#[test]
fn files_of_types_only_are_not_mined() {
    let base = TempDir::new().unwrap();
    fill(
        &base.path().join("lib"),
        &[
            (
                "shop/cart.py",
                b"def total(items):\n    return sum(items)\n",
            ),
            (
                "shop/cart.pyi",
                b"def total(items: list[int]) -> int: ...\n",
            ),
            (
                "tests/cart.pyi",
                b"def total(items: list[int]) -> int: ...\n",
            ),
            ("src/table.inc", b"1, 2, 3\n"),
        ],
    );
    let source = Source::resolve(&config("path:lib"), base.path()).unwrap();
    let files = readable(&source, LARGEST);
    let rows: Vec<(Reason, &str)> = files
        .set_aside
        .iter()
        .map(|row| (row.reason, row.origin.as_ref().unwrap().path.as_str()))
        .collect();
    assert_eq!(
        rows,
        [
            (Reason::FileOfTypes, "shop/cart.pyi"),
            (Reason::FileTest, "tests/cart.pyi"),
        ]
    );
    // What others include is read with them.
    let mined: Vec<&String> = files.kept.mined.iter().collect();
    assert_eq!(mined, ["shop/cart.py", "src/table.inc"]);
    assert!(files.counts["files"].kept == 2 && files.balances());
}
