//! Repositories that are damaged, incomplete or old.

#![expect(
    clippy::disallowed_methods,
    reason = "git makes the repositories that are read; a child has an environment of its own"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use barecode_records::Reason;
use barecode_sources::{Content, Source, SourceConfig, SourceError, origin, readable};
use tempfile::TempDir;

use crate::source::{git, in_child, is_child};
use crate::{LARGEST, config, fill};

/// Commits all that lies in a folder, at noon UTC of a day.
fn commit(folder: &Path, day: &str) -> String {
    git(folder, &["add", "--all"]);
    let date = format!("{day}T12:00:00+0000");
    let mut command = Command::new("git");
    command
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(["-c", "commit.gpgsign=false", "commit", "--quiet", "-m", day])
        .env("GIT_COMMITTER_DATE", &date)
        .env("GIT_AUTHOR_DATE", &date)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env_remove("GIT_DIR");
    assert!(command.status().unwrap().success());
    git(folder, &["rev-parse", "HEAD"])
}

fn resolve(base: &Path, from: &str) -> Result<Source, SourceError> {
    Source::resolve(&config(from), base)
}

/// A repository whose objects are all in one pack; the pack.
fn packed(base: &Path) -> PathBuf {
    let repo = base.join("repo");
    for number in 0..40 {
        let text = format!("int f{number}(void) {{ return {}; }}\n", number * 7919);
        fill(&repo, &[(&format!("src/f{number}.c"), text.as_bytes())]);
    }
    git(&repo, &["init", "--quiet"]);
    commit(&repo, "2020-01-01");
    git(&repo, &["repack", "-a", "-d", "-q"]);
    git(&repo, &["prune-packed"]);
    let files = fs::read_dir(repo.join(".git/objects/pack")).unwrap();
    let pack = files
        .map(|file| file.unwrap().path())
        .find(|path| path.extension().is_some_and(|ending| ending == "pack"))
        .unwrap();
    // Packs are written so that nobody changes them.
    let mut rights = fs::metadata(&pack).unwrap().permissions();
    #[expect(
        clippy::permissions_set_readonly_false,
        reason = "a file of the test's own"
    )]
    rights.set_readonly(false);
    fs::set_permissions(&pack, rights).unwrap();
    pack
}

#[test]
fn a_repository_is_read_without_the_program_git() {
    if is_child() {
        let base = PathBuf::from(std::env::var_os("BARECODE_TEST_BASE").unwrap());
        let source = resolve(&base, "git:repo").unwrap();
        assert_eq!(source.files().len(), 40);
        return;
    }
    let base = TempDir::new().unwrap();
    packed(base.path());
    in_child(
        "repositories::a_repository_is_read_without_the_program_git",
        &[
            ("PATH", Path::new("/nowhere")),
            ("BARECODE_TEST_BASE", base.path()),
        ],
    );
}

#[test]
fn a_pack_that_is_cut_short_makes_the_repository_damaged() {
    let base = TempDir::new().unwrap();
    let pack = packed(base.path());
    assert_eq!(resolve(base.path(), "git:repo").unwrap().files().len(), 40);
    let bytes = fs::read(&pack).unwrap();
    for length in [bytes.len() - 1, bytes.len() / 2, 12, 0] {
        fs::write(&pack, &bytes[..length]).unwrap();
        let error = resolve(base.path(), "git:repo").unwrap_err();
        assert_eq!(
            error.reason(),
            Some(Reason::SourceCorrupt),
            "{length}: {error}"
        );
    }
    fs::remove_file(&pack).unwrap();
    let error = resolve(base.path(), "git:repo").unwrap_err();
    assert_eq!(error.reason(), Some(Reason::SourceCorrupt), "{error}");
}

#[test]
fn a_byte_that_flipped_anywhere_in_a_pack_is_never_mined() {
    let base = TempDir::new().unwrap();
    let pack = packed(base.path());
    let before = resolve(base.path(), "git:repo").unwrap();
    let bytes = fs::read(&pack).unwrap();
    let mut damaged = 0;
    for at in (12..bytes.len() - 20).step_by(97) {
        let mut other = bytes.clone();
        other[at] ^= 0x10;
        fs::write(&pack, &other).unwrap();
        match resolve(base.path(), "git:repo") {
            Ok(source) => {
                // A byte that no file depends on, or an object that is now said to be missing.
                for (path, file) in source.files() {
                    let known = &before.files()[path].content;
                    let missing = matches!(file.content, Content::Aside(Reason::FileMissing, _));
                    assert!(missing || file.content == *known, "{at}: {path}");
                }
            }
            Err(error) => {
                let reason = error.reason();
                let damage = [Reason::SourceCorrupt, Reason::SourceUnreachable];
                assert!(
                    reason.is_some_and(|one| damage.contains(&one)),
                    "{at}: {error}"
                );
                damaged += 1;
            }
        }
    }
    assert!(damaged > 5, "{damaged}");
}

#[test]
fn an_index_of_a_pack_that_is_noise_is_damage_too() {
    let base = TempDir::new().unwrap();
    let pack = packed(base.path());
    let index = pack.with_extension("idx");
    fs::remove_file(&index).unwrap();
    fs::write(&index, [0xA5; 2_000]).unwrap();
    let error = resolve(base.path(), "git:repo").unwrap_err();
    assert_eq!(error.reason(), Some(Reason::SourceCorrupt), "{error}");
}

#[test]
fn a_text_that_a_partial_clone_lacks_is_set_aside_alone() {
    let base = TempDir::new().unwrap();
    let repo = base.path().join("repo");
    fill(
        &repo,
        &[
            ("a.c", b"int a(void) { return 1; }\n"),
            ("b.c", b"int b(void) { return 2; }\n"),
        ],
    );
    git(&repo, &["init", "--quiet"]);
    commit(&repo, "2020-01-01");
    let blob = git(&repo, &["rev-parse", "HEAD:b.c"]);
    let (head, tail) = blob.split_at(2);
    fs::remove_file(repo.join(".git/objects").join(head).join(tail)).unwrap();
    let source = resolve(base.path(), "git:repo").unwrap();
    let files = readable(&source, LARGEST);
    assert_eq!(files.kept.paths.len(), 1);
    let row = &files.set_aside[0];
    assert_eq!(row.reason, Reason::FileMissing);
    assert_eq!(row.detail, format!("no object {blob}"));
}

#[test]
fn a_pointer_of_lfs_and_an_absent_submodule_have_reasons_of_their_own() {
    let base = TempDir::new().unwrap();
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    let modules =
        "[submodule \"x\"]\n\tpath = libs/x\n\turl = ../x\n[submodule \"y\"]\n\tpath = y\n";
    fill(
        &base.path().join("lib"),
        &[
            ("a.c", b"int a(void) { return 1; }\n"),
            ("big.c", pointer.as_bytes()),
            (".gitmodules", modules.as_bytes()),
            ("y/y.c", b"int y(void) { return 3; }\n"),
        ],
    );
    let source = resolve(base.path(), "path:lib").unwrap();
    let files = readable(&source, LARGEST);
    let rows: Vec<(Reason, &str)> = files
        .set_aside
        .iter()
        .map(|row| (row.reason, row.origin.as_ref().unwrap().path.as_str()))
        .collect();
    assert_eq!(
        rows,
        [
            (Reason::FileIsPointer, "big.c"),
            (Reason::SubmoduleAbsent, "libs/x"),
        ]
    );
    assert!(files.balances());
}

#[test]
fn a_path_that_is_not_utf_8_is_spelled_and_mined() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let base = TempDir::new().unwrap();
    let repo = base.path().join("repo");
    fill(&repo, &[("LICENSE", b"SPDX-License-Identifier: ISC\n")]);
    let name = OsStr::from_bytes(b"gr\xFC\xDFe.c");
    fs::write(
        repo.join(name),
        "\u{feff}int greet(void)\r\n{\r\n  return 1;\r\n}\r\n",
    )
    .unwrap();
    git(&repo, &["init", "--quiet"]);
    commit(&repo, "2021-05-06");
    for from in ["path:repo", "git:repo"] {
        let source = resolve(base.path(), from).unwrap();
        let path = "gr\\xFC\\xDFe.c";
        let text = "int greet(void)\r\n{\r\n  return 1;\r\n}\r\n";
        assert!(readable(&source, LARGEST).kept.paths.contains(path));
        assert_eq!(source.text(path), text, "{from}");
        let origin = origin(&source, path, 1, 4);
        let day = (from == "git:repo").then_some("2021-05-06");
        assert_eq!(origin.first_commit.as_deref(), day);
    }
}

#[test]
fn the_first_commit_of_a_file_is_the_earliest_that_has_its_path() {
    if !is_child() {
        let cache = TempDir::new().unwrap();
        return in_child(
            "repositories::the_first_commit_of_a_file_is_the_earliest_that_has_its_path",
            &[("XDG_CACHE_HOME", cache.path())],
        );
    }
    let base = TempDir::new().unwrap();
    let repo = base.path().join("repo");
    fill(&repo, &[("a.c", b"int a;\n")]);
    git(&repo, &["init", "--quiet"]);
    git(&repo, &["symbolic-ref", "HEAD", "refs/heads/main"]);
    commit(&repo, "2018-03-04");
    fill(&repo, &[("src/b.c", b"int b;\n"), ("a.c", b"int a2;\n")]);
    commit(&repo, "2019-01-31");
    // A file of a side branch is as old as on its branch, not as the merge.
    git(&repo, &["checkout", "--quiet", "-b", "side"]);
    fill(&repo, &[("side.cpp", b"int s;\n")]);
    commit(&repo, "2019-12-31");
    git(&repo, &["checkout", "--quiet", "main"]);
    fill(&repo, &[("c.c", b"int c;\n")]);
    commit(&repo, "2020-02-29");
    git(&repo, &["merge", "--quiet", "--no-edit", "side"]);
    // A file that was moved is as old as its new path; one that came back, as it first was.
    git(&repo, &["mv", "src/b.c", "src/moved.c"]);
    git(&repo, &["rm", "--quiet", "c.c"]);
    commit(&repo, "2022-07-01");
    fill(&repo, &[("c.c", b"int again;\n")]);
    commit(&repo, "2023-01-01");
    for round in ["walked", "from the cache"] {
        let source = resolve(base.path(), "git:repo").unwrap();
        let days: Vec<(&str, Option<&str>)> = source
            .files()
            .keys()
            .map(|path| (path.as_str(), source.first_commit_of(path)))
            .collect();
        assert_eq!(
            days,
            [
                ("a.c", Some("2018-03-04")),
                ("c.c", Some("2020-02-29")),
                ("side.cpp", Some("2019-12-31")),
                ("src/moved.c", Some("2022-07-01")),
            ],
            "{round}"
        );
    }
    // At an older commit no later one counts.
    let source = resolve(base.path(), "git:repo@HEAD~3").unwrap();
    assert_eq!(source.first_commit_of("src/b.c"), Some("2019-01-31"));
    let off = SourceConfig {
        first_commit: Some(false),
        ..config("git:repo")
    };
    let source = Source::resolve(&off, base.path()).unwrap();
    assert_eq!(source.first_commit_of("a.c"), None);
    // A shallow clone does not know how old anything is.
    let url = format!("file://{}", repo.display());
    git(
        base.path(),
        &["clone", "--quiet", "--depth", "2", &url, "shallow"],
    );
    let source = resolve(base.path(), "git:shallow").unwrap();
    assert_eq!(source.files().len(), 4);
    assert_eq!(source.first_commit_of("a.c"), None);
}

#[test]
fn one_source_has_one_identity_however_it_is_spelled() {
    let base = TempDir::new().unwrap();
    fill(&base.path().join("lib"), &[("a.c", b"")]);
    std::os::unix::fs::symlink("lib", base.path().join("link")).unwrap();
    let identity = |from: &str| Source::identity(from, base.path());
    assert_eq!(identity("path:lib"), identity("path:./lib/"));
    assert_eq!(identity("path:lib"), identity("path:link"));
    assert_ne!(identity("path:lib"), identity("path:."));
    assert_eq!(identity("git:lib"), identity("git:./lib@HEAD"));
    assert_ne!(identity("git:lib"), identity("git:lib@v1"));
    let address = "git:https://example.org/a/b";
    assert_eq!(identity(address), identity(&format!("{address}.git")));
    assert_eq!(identity(address), identity(&format!("{address}/")));
}

#[test]
fn what_lies_here_is_called_by_the_end_of_its_real_path() {
    let base = TempDir::new().unwrap();
    for folder in ["a/lib", "b/lib", "app"] {
        fill(&base.path().join(folder), &[("a.c", b"")]);
    }
    std::os::unix::fs::symlink("a/lib", base.path().join("link")).unwrap();
    let named = |all: &[&str]| {
        let mut sources: Vec<SourceConfig> = all.iter().map(|from| config(from)).collect();
        SourceConfig::name_all(&mut sources, base.path());
        let of = |source: &SourceConfig| (source.name().to_owned(), source.key().to_owned());
        sources.iter().map(of).collect::<Vec<_>>()
    };
    let pair = |name: &str, key: &str| (name.to_owned(), key.to_owned());
    for from in ["path:a/lib", "path:b/../a/lib/", "path:link", "path:b/lib"] {
        assert_eq!(named(&[from]), [pair("path:lib", "here")], "{from}");
    }
    let address = "git:https://example.org/a/lib@v1";
    assert_eq!(
        named(&[address, "path:./app", "cargo:lib"]),
        [
            pair(address, address),
            pair("path:app", "here"),
            pair("cargo:lib", "cargo:lib")
        ]
    );
    let both = ["path:a/lib", "path:b/lib", "git:app@v1", "git:app"];
    let names = ["path:a/lib", "path:b/lib", "git:app@v1", "git:app"];
    assert_eq!(named(&both), names.map(|name| pair(name, name)));
}
