//! Arbitrary bytes as files of a source, through the whole of `extract`.
//!
//! The input is cut at `//// NAME` lines, each of which begins the file of that name among [`NAMES`]; what
//! stands before the first is `a.c`. So includes between files can be found by mutation.
//!
//! Beside crashes it looks for what no input may break: the account balances, spans fit, ids are unique.

#![no_main]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, extract};
use barecode_records::Language;
use barecode_sources::{Source, SourceConfig};
use libfuzzer_sys::fuzz_target;

/// The files that an input can fill.
const NAMES: [&str; 6] = ["a.c", "b.c", "a.h", "b.h", "x.inc", "a.cpp"];

fuzz_target!(|data: &[u8]| {
    let folder = folder();
    for (name, text) in files(data) {
        let path = folder.join(name);
        match text {
            Some(text) => fs::write(path, text).expect("the folder takes files"),
            None => drop(fs::remove_file(path)),
        }
    }
    let source = Source::resolve(config(folder), folder).expect("the folder is there");
    let extraction = extract(&source, &ExtractConfig::default(), headers(), 0);
    assert!(extraction.counts.values().all(|counts| counts.balances()));
    let mut ids = BTreeSet::new();
    for function in &extraction.kept {
        let closure = &function.closure;
        assert!(!function.name.is_empty());
        assert!(function.origin.start_line <= function.origin.end_line);
        assert_eq!(closure.target.of(&closure.text), function.text);
        for helper in &closure.helpers {
            assert!(!helper.span.of(&closure.text).is_empty());
        }
        assert!(
            ids.insert(&function.id),
            "two functions are {}",
            function.id
        );
    }
});

/// The text of each file; `None` for those that the input does not fill.
fn files(data: &[u8]) -> Vec<(&'static str, Option<Vec<u8>>)> {
    let mut files: Vec<(&'static str, Option<Vec<u8>>)> =
        NAMES.into_iter().map(|name| (name, None)).collect();
    let mut current = 0;
    for line in data.split_inclusive(|&byte| byte == b'\n') {
        let name = line.trim_ascii().strip_prefix(b"//// ");
        let known = name.and_then(|name| NAMES.iter().position(|known| known.as_bytes() == name));
        let (at, line) = known.map_or((current, line), |at| (at, &[][..]));
        current = at;
        files[at].1.get_or_insert_default().extend_from_slice(line);
    }
    files
}

/// A folder of this process, in memory where the system has such a place.
fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let memory = Path::new("/dev/shm");
        let builder = tempfile::Builder::new().prefix("barecode-fuzz-").to_owned();
        let folder = builder.tempdir_in(memory).or_else(|_| builder.tempdir());
        folder.expect("a folder can be made").keep()
    })
}

fn config(folder: &Path) -> &'static SourceConfig {
    static CONFIG: OnceLock<SourceConfig> = OnceLock::new();
    CONFIG.get_or_init(|| SourceConfig {
        from: format!("path:{}", folder.display()),
        ..SourceConfig::default()
    })
}

/// What small compilers would say of themselves.
fn headers() -> &'static Dialects {
    static HEADERS: OnceLock<Dialects> = OnceLock::new();
    HEADERS.get_or_init(|| {
        let header = |name: &str, defines: &str| (name.to_owned(), Some(defines.to_owned()));
        let standard = |language, version: &str| {
            StandardHeaders::new(
                language,
                &format!("#define __GNUC__ 12\n#define {version}\n#define __x86_64__ 1\n"),
                [
                    header("assert.h", "#define assert(x) ((x) ? (void)0 : fail(#x))\n"),
                    header("stddef.h", "#define NULL ((void *)0)\n"),
                    header("stdio.h", "#define stderr stderr\n"),
                ],
            )
        };
        Dialects {
            c: standard(Language::C, "__STDC_VERSION__ 201710L"),
            cpp: Some(standard(Language::CPP, "__cplusplus 201703L")),
        }
    })
}
