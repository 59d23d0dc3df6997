//! The crate as its users see it, with a real gcc: what cannot be compiled here is skipped, with a message.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bindings;
mod fixtures;
mod languages;
mod laws;
mod letters;
mod lower;
mod python;
mod spelled;
mod trees;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, check};
use barecode_corpus::{Dialects, ExtractConfig, StandardHeaders, extract};
use barecode_records::{Language, Outcome, Setting, Unit, Variant};
use barecode_settings::{Compilers, Lowerers, bound, vary};
use barecode_sources::{Source, SourceConfig};
use barecode_testing::needs::skip;
use tempfile::TempDir;

/// The standard headers that the fixtures include.
const HEADERS: [&str; 11] = [
    "errno.h", "assert.h", "ctype.h", "stddef.h", "stdint.h", "stdio.h", "stdlib.h", "string.h",
    "time.h", "math.h", "setjmp.h",
];
const CPP_HEADERS: [&str; 9] = [
    "algorithm",
    "cassert",
    "cstddef",
    "exception",
    "map",
    "memory",
    "string",
    "utility",
    "vector",
];

struct Tools {
    judge: Judge,
    headers: Dialects,
}

static TOOLS: LazyLock<Option<Tools>> = LazyLock::new(|| {
    // What is renamed here stands in the fixtures as it is.
    let config = CheckConfig {
        minimize: false,
        ..CheckConfig::default()
    };
    let compiler = match Compiler::probe(&config) {
        Ok(compiler) => compiler,
        Err(error @ CheckError::CompilerMissing { .. }) => {
            skip(&error.to_string());
            return None;
        }
        Err(error) => panic!("{error}"),
    };
    let cpp = match Compiler::probe_for(&config, Language::CPP) {
        Ok(compiler) => Some(compiler),
        Err(error @ CheckError::CompilerMissing { .. }) => {
            skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    };
    let standard = |compiler: &Compiler, language, names: &[&str]| {
        let defines = names
            .iter()
            .map(|name| ((*name).to_owned(), compiler.header_macros(name).unwrap()));
        StandardHeaders::new(language, compiler.predefined_macros(), defines)
    };
    let headers = Dialects {
        c: standard(&compiler, Language::C, &HEADERS),
        cpp: cpp
            .as_ref()
            .map(|cpp| standard(cpp, Language::CPP, &CPP_HEADERS)),
    };
    let judge = Judge::new(compiler, cpp, None).unwrap();
    Some(Tools { judge, headers })
});

/// The compiler and its headers; `None` where there is no compiler.
fn tools() -> Option<&'static Tools> {
    TOOLS.as_ref()
}

/// The units of a folder of sources, of each file the function that stands last.
fn units_of(folder: &Path, tools: &Tools) -> Vec<Unit> {
    let config = SourceConfig {
        from: "path:.".to_owned(),
        ..SourceConfig::default()
    };
    let source = Source::resolve(&config, folder).unwrap();
    let extraction = extract(&source, &ExtractConfig::default(), &tools.headers, 0);
    let functions = &extraction.kept;
    let last = |(at, function): (usize, &barecode_records::Function)| {
        let next = functions.get(at + 1);
        let last = next.is_none_or(|next| next.origin.path != function.origin.path);
        last.then(|| function.clone())
    };
    let targets: Vec<_> = functions.iter().enumerate().filter_map(last).collect();
    let checked = check(&targets, &tools.judge).unwrap();
    assert!(checked.set_aside.is_empty(), "{:#?}", checked.set_aside);
    checked.kept
}

/// The unit of a text, of the function that stands last in it.
fn unit_of(text: &str, tools: &Tools) -> Unit {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.c"), text).unwrap();
    let mut units = units_of(folder.path(), tools);
    assert_eq!(units.len(), 1, "{text}");
    units.remove(0)
}

fn fixture_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/rename")
}

fn varied(
    units: &[Unit],
    settings: &[(Setting, Option<u32>)],
    seed: u64,
    tools: &Tools,
) -> Outcome<Vec<Variant>> {
    let compilers = Compilers {
        judge: &tools.judge,
        lowerers: &Lowerers::new(),
    };
    vary(units, settings, seed, &bound, || {
        Ok::<_, CheckError>(compilers)
    })
    .unwrap()
}

/// For units of languages that are not compiled.
fn no_compilers() -> Result<Compilers<'static>, CheckError> {
    unreachable!("nothing here is compiled")
}

/// The one variant of a unit under a setting.
fn variant(unit: &Unit, setting: Setting, seed: Option<u32>, tools: &Tools) -> Variant {
    let mut varied = varied(std::slice::from_ref(unit), &[(setting, seed)], 7, tools);
    assert!(
        varied.set_aside.is_empty(),
        "{:#?}\n{}",
        varied.set_aside,
        unit.closure.text
    );
    varied.kept.remove(0)
}
