//! The crate as its users see it: extraction, closures, and the worst input that could be thought of.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bad_input;
mod beside;
mod closure;
mod duplicates;
mod extract;
mod mutated;
mod objects;
mod python;
mod scripts;
mod worst;

use std::path::{Path, PathBuf};

use barecode_corpus::{Dialects, StandardHeaders};
use barecode_records::Language;
use barecode_sources::{Source, SourceConfig};
use barecode_testing::files::fill;
use tempfile::TempDir;

/// What a small compiler would tell of itself and its headers.
fn headers() -> Dialects {
    let header = |name: &str, defines: &str| (name.to_owned(), Some(defines.to_owned()));
    let c = StandardHeaders::new(
        Language::C,
        "#define __GNUC__ 12\n#define __STDC_VERSION__ 201710L\n#define __x86_64__ 1\n",
        [
            header("assert.h", "#define assert(x) ((x) ? (void)0 : fail(#x))\n"),
            header("limits.h", "#define INT_MAX 2147483647\n"),
            header("stddef.h", "#define NULL ((void *)0)\n"),
            header("stdio.h", "#define stderr stderr\n"),
            header("stdlib.h", "#define EXIT_FAILURE 1\n"),
            ("threads.h".to_owned(), None),
        ],
    );
    let cpp = StandardHeaders::new(
        Language::CPP,
        "#define __GNUC__ 12\n#define __cplusplus 201703L\n#define _GNU_SOURCE 1\n",
        [
            header(
                "cassert",
                "#define assert(x) (static_cast<bool>(x) ? void(0) : fail(#x))\n",
            ),
            header("limits.h", "#define INT_MAX 2147483647\n"),
            header("map", ""),
            header("memory", ""),
            header("ostream", ""),
            header("stddef.h", ""),
            header("string", ""),
            header("vector", ""),
        ],
    );
    Dialects { c, cpp: Some(cpp) }
}

fn config(from: &str) -> SourceConfig {
    SourceConfig {
        from: from.to_owned(),
        ..SourceConfig::default()
    }
}

/// A folder with these files, and the source that it is.
fn folder_source(files: &[(&str, &[u8])], config: &SourceConfig) -> (TempDir, Source) {
    let folder = TempDir::new().unwrap();
    fill(&folder.path().join("lib"), files);
    let source = Source::resolve(config, folder.path()).unwrap();
    (folder, source)
}

/// The library of the repository.
fn shelf_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/repos/shelf")
}
