//! Sources whose makers want to read, or to write, what is not theirs.

#![expect(
    clippy::disallowed_methods,
    reason = "git and mkfifo make what is read; a child has limits of its own"
)]

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use barecode_records::Reason;
use barecode_sources::{Content, Source, SourceError};
use tempfile::TempDir;

use crate::source::{git, is_child};
use crate::{config, fill};

/// The reason and the detail of what was set aside at a path.
fn aside(source: &Source, path: &str) -> Option<(Reason, String)> {
    match &source.files().get(path)?.content {
        Content::Aside(reason, detail) => Some((*reason, detail.clone())),
        _ => None,
    }
}

#[test]
fn a_list_of_submodules_that_is_no_file_of_the_folder_is_not_opened() {
    let base = TempDir::new().unwrap();
    fill(
        base.path(),
        &[("lib/a.c", b""), ("secret", b"path = taken/out\n")],
    );
    let list = base.path().join("lib/.gitmodules");
    let look = || {
        let source = Source::resolve(&config("path:lib"), base.path()).unwrap();
        assert_eq!(source.files().len(), 2, "{:?}", source.files());
        aside(&source, ".gitmodules").unwrap()
    };
    for to in ["/dev/zero", "../secret"] {
        symlink(to, &list).unwrap();
        assert_eq!(look().0, Reason::FileIsLink);
        fs::remove_file(&list).unwrap();
    }
    let made = Command::new("mkfifo").arg(&list).status().unwrap();
    assert!(made.success());
    assert_eq!(look().0, Reason::FileUnreadable);
    fs::remove_file(&list).unwrap();
    fs::write(&list, vec![b'\n'; 2 << 20]).unwrap();
    assert_eq!(look(), (Reason::FileTooLarge, "2097152 bytes".to_owned()));
    // Paths in it that lead out are not looked at.
    fs::write(&list, "path = ../secret\npath = /etc\npath = sub\n").unwrap();
    let source = Source::resolve(&config("path:lib"), base.path()).unwrap();
    let paths: Vec<&String> = source.files().keys().collect();
    assert_eq!(paths, ["a.c", "sub"]);
}

/// A folder with the repository of somebody who did not give it away, and an empty one beside it.
fn secret() -> TempDir {
    let base = TempDir::new().unwrap();
    fill(base.path(), &[("secret/s.c", b"int secret;\n")]);
    let folder = base.path().join("secret");
    git(&folder, &["init", "--quiet"]);
    git(&folder, &["add", "."]);
    git(&folder, &["commit", "--quiet", "-m", "one"]);
    fs::create_dir(base.path().join("lib")).unwrap();
    base
}

fn refused(base: &TempDir, what: &str) {
    let error = Source::resolve(&config("git:lib"), base.path()).unwrap_err();
    assert!(matches!(error, SourceError::Unreadable { .. }), "{error}");
    assert!(error.to_string().contains(what), "{error}");
}

#[test]
fn a_folder_that_names_another_repository_as_its_own_is_refused() {
    let base = secret();
    let lib = base.path().join("lib");
    let secret = base.path().join("secret");
    let clear = || {
        let _ = fs::remove_dir_all(&lib);
        fs::create_dir(&lib).unwrap();
    };

    fs::write(lib.join(".git"), "gitdir: ../secret/.git\n").unwrap();
    refused(&base, "does not name it in turn");

    clear();
    symlink("../secret/.git", lib.join(".git")).unwrap();
    refused(&base, "its `.git` is a link out of it");

    // Its own commits, over the objects of the other.
    clear();
    git(&lib, &["init", "--quiet"]);
    let objects = format!("{}\n", secret.join(".git/objects").display());
    fs::write(lib.join(".git/objects/info/alternates"), objects).unwrap();
    let head = fs::read(secret.join(".git/refs/heads/main")).unwrap();
    fs::write(lib.join(".git/refs/heads/main"), &head).unwrap();
    refused(&base, "its `objects/info/alternates` leads to");

    clear();
    git(&lib, &["init", "--quiet"]);
    fs::write(lib.join(".git/commondir"), "../../secret/.git\n").unwrap();
    refused(&base, "its `commondir` leads to");

    clear();
    git(&lib, &["init", "--quiet"]);
    fs::remove_dir_all(lib.join(".git/objects")).unwrap();
    symlink(secret.join(".git/objects"), lib.join(".git/objects")).unwrap();
    fs::write(lib.join(".git/refs/heads/main"), &head).unwrap();
    refused(&base, "its `.git/objects` is a link out of it");
}

#[test]
fn no_part_of_a_repository_is_a_pipe_or_a_device() {
    let base = secret();
    let lib = base.path().join("lib");
    for part in [
        "HEAD",
        "config",
        "packed-refs",
        "shallow",
        "MINE",
        "refs/heads/main",
        "refs/heads/deep/er",
        "logs/HEAD",
        "info/grafts",
        "objects/info/commit-graph",
        "objects/pack/pack-1.idx",
        "objects/pack/pack-1.pack",
        "objects/aa/bb",
    ] {
        for kind in ["pipe", "/dev/zero", "../secret/s.c"] {
            fs::remove_dir_all(&lib).unwrap();
            fs::create_dir(&lib).unwrap();
            git(&lib, &["init", "--quiet"]);
            let path = lib.join(".git").join(part);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&path);
            let what = match kind {
                "pipe" => {
                    let made = Command::new("mkfifo").arg(&path).status().unwrap();
                    assert!(made.success());
                    "neither a file nor a folder"
                }
                "/dev/zero" => {
                    symlink(kind, &path).unwrap();
                    "a link out of it"
                }
                relative => {
                    symlink(base.path().join("lib").join(relative), &path).unwrap();
                    "a link out of it"
                }
            };
            refused(&base, &format!("its `.git/{part}` is {what}"));
        }
    }
    // A store that another names is one of its parts, and so is a store that this one names.
    fs::remove_dir_all(&lib).unwrap();
    fs::create_dir(&lib).unwrap();
    git(&lib, &["init", "--quiet"]);
    fs::create_dir_all(lib.join("store/info")).unwrap();
    fs::write(lib.join(".git/objects/info/alternates"), "../../store\n").unwrap();
    let objects = format!("{}\n", base.path().join("secret/.git/objects").display());
    fs::write(lib.join("store/info/alternates"), objects).unwrap();
    refused(&base, "its `objects/info/alternates` leads to");
    fs::remove_file(lib.join("store/info/alternates")).unwrap();
    fs::create_dir(lib.join("store/pack")).unwrap();
    let made = Command::new("mkfifo")
        .arg(lib.join("store/pack/a.idx"))
        .status();
    assert!(made.unwrap().success());
    refused(&base, "its `store/pack/a.idx` is neither");
    // A file that says it is longer than any list of branches.
    fs::remove_dir_all(lib.join("store")).unwrap();
    fs::remove_file(lib.join(".git/objects/info/alternates")).unwrap();
    let hole = fs::File::create(lib.join(".git/HEAD")).unwrap();
    hole.set_len(1 << 40).unwrap();
    refused(&base, "its `.git/HEAD` is longer than");
}

#[test]
fn worktrees_and_submodules_are_read() {
    let base = secret();
    let lib = base.path().join("lib");
    let shown = lib.display().to_string();
    let secret = base.path().join("secret");
    let has = |from: &str, path: &str| {
        let source = Source::resolve(&config(from), base.path()).unwrap();
        assert!(source.files().contains_key(path), "{:?}", source.files());
    };
    git(&secret, &["worktree", "add", "--quiet", "--detach", &shown]);
    has("git:lib", "s.c");
    let whole = base.path().join("whole");
    fs::create_dir(&whole).unwrap();
    git(&whole, &["init", "--quiet"]);
    let from = secret.display().to_string();
    let add = [
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "--quiet",
        "add",
        &from,
        "sub",
    ];
    git(&whole, &add);
    has("git:whole/sub", "s.c");
}

#[test]
fn names_in_a_tree_that_lead_elsewhere_are_set_aside() {
    let base = TempDir::new().unwrap();
    let folder = base.path().join("lib");
    fill(&folder, &[("a.c", b"int a;\n")]);
    git(&folder, &["init", "--quiet"]);
    let blob = git(&folder, &["hash-object", "-w", "a.c"]);
    let bytes_of = |hex: &str| -> Vec<u8> {
        let digits = hex
            .bytes()
            .map(|digit| char::from(digit).to_digit(16).unwrap());
        let digits: Vec<u8> = digits.map(|digit| u8::try_from(digit).unwrap()).collect();
        digits
            .chunks(2)
            .map(|pair| pair[0] << 4 | pair[1])
            .collect()
    };
    let id = bytes_of(&blob);
    let tree = |entries: &[(&str, &str, &[u8])]| {
        let mut bytes = Vec::new();
        for (mode, name, id) in entries {
            bytes.extend_from_slice(format!("{mode} {name}\0").as_bytes());
            bytes.extend_from_slice(id);
        }
        let mut hash = Command::new("git")
            .arg("-C")
            .arg(&folder)
            .args(["hash-object", "-t", "tree", "-w", "--stdin", "--literally"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        hash.stdin.take().unwrap().write_all(&bytes).unwrap();
        let output = hash.wait_with_output().unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let inner = bytes_of(&tree(&[("100644", "b.c", &id)]));
    let root = tree(&[
        ("40000", "..", &inner),
        ("40000", ".git", &inner),
        ("100644", "../up.c", &id),
        ("100644", "/etc/root.c", &id),
        ("100644", "good.c", &id),
        ("40000", "in", &inner),
        ("100644", "x/y.c", &id),
    ]);
    let commit = git(&folder, &["commit-tree", &root, "-m", "one"]);
    let source = Source::resolve(&config(&format!("git:lib@{commit}")), base.path()).unwrap();
    let read: Vec<&String> = source
        .files()
        .iter()
        .filter(|(_, file)| matches!(file.content, Content::Bytes(_)))
        .map(|(path, _)| path)
        .collect();
    assert_eq!(read, ["good.c", "in/b.c"]);
    for name in ["..", ".git", "../up.c", "/etc/root.c", "x/y.c"] {
        let (reason, _) = aside(&source, name).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(reason, Reason::EntryUnsafe, "{name}");
    }
}

#[test]
fn a_long_name_of_a_tar_is_bounded() {
    let base = TempDir::new().unwrap();
    for (kind, prefix) in [
        (tar::EntryType::GNULongName, String::new()),
        (tar::EntryType::XHeader, "9000011 path=".to_owned()),
    ] {
        let mut text = prefix.into_bytes();
        text.resize(9_000_010, b'a');
        text.push(b'\n');
        let mut header = tar::Header::new_gnu();
        header.set_path("long").unwrap();
        header.set_entry_type(kind);
        header.set_size(text.len() as u64);
        header.set_cksum();
        let mut archive = tar::Builder::new(Vec::new());
        archive.append(&header, text.as_slice()).unwrap();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_size(0);
        header.set_cksum();
        archive.append(&header, std::io::empty()).unwrap();
        fs::write(base.path().join("a.tar"), archive.into_inner().unwrap()).unwrap();
        let error = Source::resolve(&config("archive:a.tar"), base.path()).unwrap_err();
        assert_eq!(error.reason(), Some(Reason::SourceTooLarge), "{error}");
        assert!(error.to_string().contains("more than 1048576 bytes"));
    }
}

/// What a child does: reads a source with a license, and says which.
#[test]
fn a_license_in_little_memory() {
    let Some(base) = std::env::var_os("BARECODE_TEST_BASE").filter(|_| is_child()) else {
        return;
    };
    match Source::resolve(&config("path:lib"), Path::new(&base)) {
        Ok(source) => println!("license: {:?}", source.license()),
        Err(error) => println!("refused: {error}"),
    }
}

#[test]
fn too_little_memory_never_makes_a_license_unknown() {
    let base = TempDir::new().unwrap();
    let text = spdx::license_id("MIT").unwrap().text();
    fill(
        &base.path().join("lib"),
        &[("a.c", b""), ("LICENSE", text.as_bytes())],
    );
    let (mut known, mut refused) = (0, 0);
    for mebibytes in (40..=400).step_by(12) {
        let script = format!("ulimit -v {} && exec \"$0\" \"$@\"", mebibytes << 10);
        let output = Command::new("sh")
            .args(["-c", &script])
            .arg(std::env::current_exe().unwrap())
            .args([
                "--exact",
                "hostile::a_license_in_little_memory",
                "--nocapture",
            ])
            .env("BARECODE_TEST_CHILD", "1")
            .env("BARECODE_TEST_BASE", base.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        if said.contains("license: ") {
            assert!(
                said.contains("license: Some(\"MIT\")"),
                "{mebibytes}: {said}"
            );
            known += 1;
        }
        refused += usize::from(said.contains("refused: the published texts of licenses"));
    }
    assert!(known > 0, "no limit was large enough");
    // Under these limits a source can be read, and its license cannot: passing over that would print no license.
    assert!(refused > 0, "no limit was too small for the texts alone");
}
