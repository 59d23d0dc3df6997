//! The files of a source that are mined, and the reasons why the others are not.
//!
//! Enters: the files of a source. Leaves: the text of every file that can be read, because others may include it,
//! and the paths of those whose functions are wanted. Everything else is counted and set aside, with the rule that
//! decided. The rules are in tables in this module, and a source of a recipe can switch each off by its name (`keep
//! = ["tests"]`).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

use barecode_languages::{FileKind, PieceKind, of_path, pieces};
use barecode_records::{Language, Outcome, Reason, SetAside, Stage};

use crate::generated;
use crate::provenance::origin;
use crate::source::{Build, Content, FileRule, Source, SourceFile};

/// Folders, by rule. A folder is compared without regard to case. Folders of examples are mined: they are code of
/// the project that users read.
const FOLDERS: [(FileRule, &str); 4] = [
    (
        FileRule::Vendored,
        "third_party third-party thirdparty 3rdparty 3rd_party 3rd-party vendor vendored vendors external \
         externals extern deps dependencies subprojects submodules _deps _vendor _vendored site-packages \
         dist-packages node_modules venv .venv .tox",
    ),
    (
        FileRule::Tests,
        "test tests testing testsuite testsuites testcase testcases unittest unittests testdata",
    ),
    (
        FileRule::Benchmarks,
        "fuzz fuzzer fuzzers fuzzing bench benchmark benchmarks",
    ),
    (FileRule::Builds, "build _build out cmakefiles .git"),
];

/// Beginnings of folders that builds fill.
const BUILD_PREFIXES: [&str; 2] = ["cmake-build-", "bazel-"];

/// Folders that bear the name of a test framework: its copy, unless the source is the framework itself, which
/// its own name then shows.
const FRAMEWORK_FOLDERS: &str = "\
    googletest googlemock gtest gmock catch2 doctest unity";

/// Files in which test frameworks are handed around.
const FRAMEWORK_FILES: &str = "\
    catch.hpp catch_amalgamated.hpp catch_amalgamated.cpp doctest.h gtest-all.cc gtest.h gmock.h greatest.h \
    minunit.h munit.h munit.c acutest.h utest.h unity.c";

/// Beginnings and ends of the names of tests, without their endings; case matters, so that `latest.c` is not a test.
const TEST_PREFIXES: [&str; 4] = ["test_", "test-", "tests_", "unittest_"];
const TEST_SUFFIXES: &str = "\
    _test _tests _unittest _unittests -test -tests _gtest Test Tests UnitTest _Test";

/// The readable files of a source.
#[derive(Debug, Clone, Default)]
pub struct Readable {
    /// Paths of the files that can be read ([`Source::text`]), also of those that only others include.
    pub paths: BTreeSet<String>,
    /// Paths of files that are mined.
    pub mined: BTreeSet<String>,
}

/// Judges every one of the `files` of a source. Files that are not mined are set aside with the rule that decided,
/// and so are files larger than `max_file_bytes`.
pub fn readable(source: &Source, max_file_bytes: u64) -> Outcome<Readable> {
    let mut outcome = Outcome::<Readable>::counting(["files"]);
    for (path, file) in source.files() {
        let (is_read, mut verdict) = judge_file(source, path, &file.content, max_file_bytes);
        if !file.wanted {
            let detail = "`include` or `exclude` of the source".to_owned();
            verdict = Some((Reason::FileExcluded, detail));
        }
        if source.build().is_some_and(|build| build.made(path)) {
            verdict = Some((Reason::FileBuild, "a header of the build".to_owned()));
        }
        let is_of_types = of_path(path)
            .is_some_and(|(entry, kind)| !entry.is_compiled() && kind == FileKind::Included);
        if verdict.is_none() && is_of_types {
            verdict = Some((Reason::FileOfTypes, String::new()));
        }
        let is_unit = of_path(path)
            .is_some_and(|(entry, kind)| entry.is_compiled() && kind == FileKind::Unit);
        let is_built = |build: &Build| !is_unit || build.options_of(path).is_some();
        if verdict.is_none() && !source.build().is_none_or(is_built) {
            verdict = Some((Reason::FileNotBuilt, String::new()));
        }
        if is_read {
            outcome.kept.paths.insert(path.clone());
        }
        match verdict {
            None => {
                outcome.kept.mined.insert(path.clone());
                outcome.count_kept("files");
            }
            Some((reason, detail)) => {
                let row = SetAside {
                    origin: Some(origin(source, path, 1, 1)),
                    ..SetAside::new(Stage::Extract, "file", reason, detail)
                };
                outcome.set_aside("files", row);
            }
        }
    }
    outcome
}

/// The files whose functions are wanted, that were read, and that are not ruled out by a folder or name.
pub fn mined_paths(source: &Source) -> impl Iterator<Item = (&str, &SourceFile)> {
    let label = source.repository().unwrap_or(source.config().name());
    let keep = &source.config().keep;
    let files = source.files().iter().filter(move |(path, file)| {
        let is_read = matches!(file.content, Content::Bytes(_));
        let rule = || by_path(path, label, |rule| keep.contains(&rule));
        file.wanted && is_read && rule().is_none()
    });
    files.map(|(path, file)| (path.as_str(), file))
}

/// The reason why a file is left out; `None` if it is mined.
type Verdict = Option<(Reason, String)>;

/// Returns `true` if the text of a file can be read, and the verdict of the rules.
fn judge_file(
    source: &Source,
    path: &str,
    content: &Content,
    max_file_bytes: u64,
) -> (bool, Verdict) {
    let too_large = |size: u64| {
        let detail = format!("{size} bytes, the limit is {max_file_bytes} (`max-file-bytes`)");
        (false, Some((Reason::FileTooLarge, detail)))
    };
    match content {
        Content::NotRead => (false, None),
        Content::TooLarge(size) => too_large(*size),
        Content::Aside(reason, detail) => (false, Some((*reason, detail.clone()))),
        Content::Bytes(bytes) if bytes.len() as u64 > max_file_bytes => {
            too_large(bytes.len() as u64)
        }
        Content::Bytes(bytes) => judge_bytes(source, path, &bytes.bytes()),
    }
}

/// The same for a file that was read.
fn judge_bytes(source: &Source, path: &str, bytes: &[u8]) -> (bool, Verdict) {
    if bytes.starts_with(LFS_POINTER) {
        let detail = "`git lfs pull` brings the text".to_owned();
        return (false, Some((Reason::FileIsPointer, detail)));
    }
    match decoded(path, bytes) {
        Err(at) => {
            let line = bytes[..at].split(|&byte| byte == b'\n').count();
            let detail = format!("byte 0x{:02X} at offset {at}, line {line}", bytes[at]);
            (false, Some((Reason::FileNotUtf8, detail)))
        }
        Ok(text) => {
            let text = without_mark(&text);
            let label = source.repository().unwrap_or(source.config().name());
            let keep = &source.config().keep;
            let kept = |rule: FileRule| keep.contains(&rule);
            let verdict = by_path(path, label, kept);
            let generated = || {
                let sign = generated::sign(path, text)?;
                Some((Reason::FileGenerated, sign))
            };
            let verdict =
                verdict.or_else(|| (!kept(FileRule::Generated)).then(generated).flatten());
            (true, verdict)
        }
    }
}

/// A text without the mark of its byte order.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

/// The text of bytes of a file, if [`readable`] reads them.
pub(crate) fn text_of(path: &str, bytes: &[u8]) -> Option<String> {
    let text = decoded(path, bytes).ok()?;
    Some(without_mark(&text).to_owned())
}

/// Languages whose texts in other encodings are read as Latin-1 wherever the bytes are: scripts of research, whose
/// data and labels are often written so.
const OF_ANY_ENCODING: [Language; 1] = [Language::of_name("r")];

/// A file's text. Bytes that are not UTF-8 are read as Latin-1 in comments, which are often older than the code.
/// Elsewhere they have a meaning, and the position of the first is returned.
fn decoded<'b>(path: &str, bytes: &'b [u8]) -> Result<Cow<'b, str>, usize> {
    let first = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error.valid_up_to(),
    };
    let mut text = String::with_capacity(bytes.len() + 64);
    let mut foreign = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for &byte in chunk.invalid() {
            foreign.push(text.len());
            text.push(char::from(byte));
        }
    }
    let language = of_path(path).map_or(Language::C, |(entry, _)| entry.language);
    let pieces = pieces(&text, language).into_iter();
    let comments = pieces.filter(|piece| piece.kind == PieceKind::Comment);
    let comments: Vec<Range<usize>> = comments.map(|piece| piece.range).collect();
    let in_comment = |at: &usize| {
        let after = comments.partition_point(|comment| comment.start <= *at);
        let before = after.checked_sub(1).map(|before| &comments[before]);
        before.is_some_and(|comment| *at < comment.end)
    };
    if OF_ANY_ENCODING.contains(&language) || foreign.iter().all(in_comment) {
        Ok(Cow::Owned(text))
    } else {
        Err(first)
    }
}

/// The first line of every pointer of Git LFS.
const LFS_POINTER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";

/// The verdict on a path; `project` is the name of the source or its repository.
fn by_path(path: &str, project: &str, kept: impl Fn(FileRule) -> bool) -> Verdict {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let project = project.to_ascii_lowercase();
    for folder in folders.split('/').filter(|folder| !folder.is_empty()) {
        if let Some(rule) = rule_of_folder(folder, &project).filter(|&rule| !kept(rule)) {
            return Some((reason(rule), format!("folder `{folder}`")));
        }
    }
    let stem = file.split('.').next().unwrap_or_default();
    let is_test = TEST_PREFIXES.iter().any(|prefix| stem.starts_with(prefix))
        || TEST_SUFFIXES
            .split_ascii_whitespace()
            .any(|suffix| stem.ends_with(suffix))
        || matches!(stem, "test" | "tests");
    let framework = is_among(file, FRAMEWORK_FILES) && !project.contains(stem);
    let rule = match (framework, is_test) {
        (true, _) if !kept(FileRule::Vendored) => FileRule::Vendored,
        (_, true) if !kept(FileRule::Tests) => FileRule::Tests,
        _ => return None,
    };
    Some((reason(rule), format!("file name `{file}`")))
}

/// Returns `true` if a word is in a list of words.
fn is_among(word: &str, list: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

fn rule_of_folder(folder: &str, project: &str) -> Option<FileRule> {
    let folder = folder.to_ascii_lowercase();
    let folder = folder.as_str();
    let listed = FOLDERS
        .iter()
        .find(|(_, folders)| is_among(folder, folders))
        .map(|(rule, _)| *rule);
    let framework = || {
        let is_copy = is_among(folder, FRAMEWORK_FOLDERS) && !project.contains(folder);
        is_copy.then_some(FileRule::Vendored)
    };
    let named = || {
        let test = ["test_", "test-", "tests_"]
            .iter()
            .any(|prefix| folder.starts_with(prefix))
            || ["_test", "_tests", "-test", "-tests"]
                .iter()
                .any(|suffix| folder.ends_with(suffix));
        test.then_some(FileRule::Tests)
    };
    let build = || {
        let begins = BUILD_PREFIXES
            .iter()
            .any(|prefix| folder.starts_with(prefix));
        begins.then_some(FileRule::Builds)
    };
    listed.or_else(framework).or_else(named).or_else(build)
}

fn reason(rule: FileRule) -> Reason {
    match rule {
        FileRule::Vendored => Reason::FileVendored,
        FileRule::Tests => Reason::FileTest,
        FileRule::Benchmarks => Reason::FileBenchmark,
        FileRule::Builds => Reason::FileBuild,
        FileRule::Generated => Reason::FileGenerated,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path_reason(path: &str) -> Option<Reason> {
        by_path(path, "path:lib", |_| false).map(|(reason, _)| reason)
    }

    #[test]
    fn folders_and_names_of_tests_and_of_other_projects_are_told_apart() {
        for (path, wanted) in [
            ("src/a.c", None),
            ("src/latest.c", None),
            ("src/contest.cpp", None),
            ("src/attestation/a.cc", None),
            ("examples/a.c", None),
            ("test/a.c", Some(Reason::FileTest)),
            ("src/Tests/a.cpp", Some(Reason::FileTest)),
            ("unit_tests/a.cpp", Some(Reason::FileTest)),
            ("test_package/a.cpp", Some(Reason::FileTest)),
            ("src/map_test.cc", Some(Reason::FileTest)),
            ("src/map_unittest.cc", Some(Reason::FileTest)),
            ("src/MapTest.cpp", Some(Reason::FileTest)),
            ("src/test_map.c", Some(Reason::FileTest)),
            ("test.c", Some(Reason::FileTest)),
            ("include/catch.hpp", Some(Reason::FileVendored)),
            ("third_party/x/a.c", Some(Reason::FileVendored)),
            ("deps/lua/tests/a.c", Some(Reason::FileVendored)),
            ("lib/googletest/src/a.cc", Some(Reason::FileVendored)),
            ("fuzz/a.c", Some(Reason::FileBenchmark)),
            ("Benchmarks/a.c", Some(Reason::FileBenchmark)),
            ("cmake-build-debug/a.c", Some(Reason::FileBuild)),
            ("CMakeFiles/a.c", Some(Reason::FileBuild)),
        ] {
            assert_eq!(path_reason(path), wanted, "{path}");
        }
    }

    #[test]
    fn a_test_framework_is_no_copy_of_itself() {
        let project = "https://example.org/someone/Catch2";
        let verdict = |path| by_path(path, project, |_| false);
        assert_eq!(verdict("src/catch2/catch_session.cpp"), None);
        assert!(verdict("lib/gtest/gtest.cc").is_some());
    }

    #[test]
    fn a_recipe_can_switch_a_rule_off() {
        let keep_tests = |rule| rule == FileRule::Tests;
        assert_eq!(by_path("tests/a_test.c", "", keep_tests), None);
        assert!(by_path("deps/tests/a.c", "", keep_tests).is_some());
    }
}
