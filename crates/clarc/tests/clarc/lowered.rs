//! CLARC's released rows, made again. Skipped where the files are not there (`BARECODE_DATA`), or the compiler.

use std::collections::BTreeMap;
use std::{env, fs};

use barecode_check::{CheckConfig, CheckError, Lowered, Lowerer};
use barecode_clarc::{Released, compare, lower};
use barecode_records::{
    Language, Profile,
    c::{CompilerFamily, Form, Machine, Optimization},
};
use barecode_testing::needs::{data, is_long, skip};
use rayon::prelude::*;

/// A released file: texts by id.
fn rows(name: &str) -> Option<BTreeMap<String, String>> {
    let path = data(&format!("clarc/reconstructed_{name}.json"))?;
    let text = fs::read_to_string(path).unwrap();
    let rows: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
    let relevant = rows
        .iter()
        .filter(|row| row["relevance"].as_i64() > Some(0));
    let field = |row: &serde_json::Value, name: &str| row[name].as_str().unwrap().to_owned();
    Some(
        relevant
            .map(|row| (field(row, "code_id"), field(row, "code_text")))
            .collect(),
    )
}

fn lowerer(form: Form) -> Option<Lowerer> {
    let mut config = CheckConfig::default();
    // Another compiler of C++ for a comparison; else the one nearest to CLARC's.
    if let Ok(compiler) = env::var("BARECODE_CLARC_COMPILER") {
        config.cpp_compiler = compiler;
    }
    match Lowerer::probe(&config, form, Optimization::O0, Profile::Clarc) {
        Ok(lowerer) => Some(lowerer),
        Err(error @ (CheckError::CompilerMissing { .. } | CheckError::CompilerUnusable { .. })) => {
            skip(&error.to_string());
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Checks the share of rows of each file that are equal, and of the same form. `make test` lowers each fourth row,
/// `make test-long` all.
fn shares(files: &[(Released, f64, f64)], form: Form) {
    let Some(originals) = rows("group1_original_cleaned") else {
        return;
    };
    let Some(lowerer) = lowerer(form) else {
        return;
    };
    let version = &lowerer.toolchain(Language::CPP).unwrap().version;
    let is_theirs = match form {
        Form::Wasm => version.contains("clang") && version.contains(" 14."),
        _ => version.contains("gcc") && version.contains(" 12."),
    };
    // Other versions choose other instructions for the same code, and refuse some of the texts.
    let (fewer, refused) = if is_theirs { (0.0, 0.0) } else { (0.15, 0.01) };
    eprintln!("{version}: the share of equal texts may be {fewer} lower");
    let step = if is_long() { 1 } else { 4 };
    let taken: Vec<(&String, &String)> = originals.iter().step_by(step).collect();
    let lowered: BTreeMap<&String, Result<Lowered, String>> = taken
        .into_par_iter()
        .map(|(id, text)| (id, lower(text, &lowerer).unwrap()))
        .collect();
    for &(released, least_equal, least_form) in files {
        let mut theirs = rows(&format!("group1_{}_cleaned", released.name())).unwrap();
        theirs.retain(|id, _| lowered.contains_key(id));
        let mut equal = 0;
        let mut same_form = 0;
        let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
        let mut halves = [0; 2];
        for (id, text) in &theirs {
            let comparison = compare(released, &lowered[id], text);
            equal += usize::from(comparison.equal);
            let is_odd = id.ends_with(['1', '3', '5', '7', '9']);
            halves[usize::from(is_odd)] += usize::from(comparison.equal);
            same_form += usize::from(comparison.same_form);
            if let Some(cause) = comparison.cause {
                *causes.entry(cause).or_default() += 1;
                eprintln!("{} {id}: {cause}: {}", released.name(), comparison.detail);
            }
        }
        let share = |count: usize| count as f64 / theirs.len() as f64;
        eprintln!(
            "{}: {equal} of {} equal (even and odd ids: {halves:?}), {same_form} of the same form, {causes:#?}",
            released.name(),
            theirs.len(),
        );
        let name = released.name();
        assert!(share(equal) >= least_equal - fewer, "{name}");
        assert!(share(same_form) >= least_form - refused, "{name}");
    }
}

#[test]
fn the_assembly_of_clarc_comes_out_again() {
    let form = Form::Assembly {
        compiler: CompilerFamily::Gcc,
        machine: Machine::X86_64,
    };
    let files = [
        (Released::AssemblyShort, 0.90, 1.0),
        (Released::AssemblyLong, 0.85, 1.0),
    ];
    shares(&files, form);
}

#[test]
fn the_webassembly_of_clarc_comes_out_again() {
    shares(&[(Released::Wasm, 0.45, 1.0)], Form::Wasm);
}

/// What the rows' own project would define.
#[test]
fn only_what_looks_like_a_macro_is_defined_as_nothing() {
    let form = Form::Assembly {
        compiler: CompilerFamily::Gcc,
        machine: Machine::X86_64,
    };
    let Some(lowerer) = lowerer(form) else {
        return;
    };
    let lowered = |head: &str| lower(&format!("{head} {{ return n; }}"), &lowerer).unwrap();
    for head in ["static inline int f(int n)", "LIB_API int f(int n)"] {
        let found = lowered(head).unwrap();
        assert!(found.target.unwrap().contains("ret"), "{head}");
    }
    for head in ["T int f(int n)", "word_t f(int n)"] {
        assert!(lowered(head).is_err(), "{head}");
    }
}

#[test]
fn webassembly_has_what_emscripten_declares() {
    let Some(lowerer) = lowerer(Form::Wasm) else {
        return;
    };
    let text = "int f(int n) { return dup2(dup(n), 2) + getpagesize() + MAP_ANONYMOUS; }";
    let found = lower(text, &lowerer).unwrap().unwrap();
    assert!(found.target.unwrap().starts_with("(func"));
}
