//! Units under the lowered settings: what holds for every compiler, and for one version the texts themselves.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use barecode_check::{CheckConfig, CheckError, Lowerer, Question, Verdict};
use barecode_records::{Language, Outcome, Proof, Reason, Setting, Span, Variant};
use barecode_settings::{Compilers, Lowerers, bound, vary};
use barecode_testing::needs::{not_here, skip};

use crate::{Tools, tools, units_of};

/// The settings that can be made here.
fn lowerers(names: &[&str]) -> Lowerers {
    let mut found = Lowerers::new();
    for name in names {
        let setting: Setting = name.parse().unwrap();
        let Setting::Lowered {
            form,
            optimization,
            profile,
        } = setting
        else {
            panic!("{name}")
        };
        match Lowerer::probe(&CheckConfig::default(), form, optimization, profile) {
            Ok(lowerer) => {
                found.insert(setting, lowerer);
            }
            Err(
                error @ (CheckError::CompilerMissing { .. } | CheckError::CompilerUnusable { .. }),
            ) => {
                // `make test` installs the compilers of this machine, not those for other processors.
                let crosses = ["aarch64", "riscv"]
                    .iter()
                    .any(|other| name.contains(other));
                let report = if crosses { not_here } else { skip };
                report(&format!("{name}: {error}"));
            }
            Err(error) => panic!("{error}"),
        }
    }
    found
}

fn varied(tools: &Tools, lowerers: &Lowerers) -> Outcome<Vec<Variant>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/lower");
    let units = units_of(&folder, tools);
    assert_eq!(
        units.len(),
        fs::read_dir(&folder)
            .unwrap()
            .filter(|entry| entry
                .as_ref()
                .unwrap()
                .path()
                .extension()
                .is_some_and(|extension| extension == "c"
                    || (extension == "cpp" && tools.headers.cpp.is_some())))
            .count()
    );
    let settings: Vec<_> = lowerers.keys().map(|setting| (*setting, None)).collect();
    let compilers = Compilers {
        judge: &tools.judge,
        lowerers,
    };
    vary(&units, &settings, 0, &bound, || {
        Ok::<_, CheckError>(compilers)
    })
    .unwrap()
}

const ALL: [&str; 16] = [
    "assembly-o0",
    "assembly-o1",
    "assembly-o2",
    "assembly-o3",
    "assembly-os",
    "assembly-clang-o0",
    "assembly-clang-o2",
    "assembly-aarch64-o0",
    "assembly-aarch64-o2",
    "assembly-riscv64-o2",
    "assembly-clang-aarch64-o0",
    "wasm-o0",
    "wasm-o2",
    "llvm-ir-o0",
    "llvm-ir-o2",
    "assembly-o0-clarc",
];

/// The numbers behind a word, in order of appearance.
fn numbers(text: &str, word: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for after in text.split(word).skip(1) {
        let digits: String = after.chars().take_while(char::is_ascii_digit).collect();
        found.extend(digits.parse::<usize>());
    }
    found
}

fn assert_dense(variant: &Variant, word: &str) {
    let mut seen = BTreeSet::new();
    for number in numbers(&variant.text, word) {
        assert!(
            number <= seen.len(),
            "{}: {word}{number} stands before smaller ones\n{}",
            variant.setting,
            variant.text
        );
        seen.insert(number);
    }
}

#[test]
fn nothing_is_left_of_names_and_numbers_are_dense() {
    let Some(tools) = tools() else { return };
    let lowerers = lowerers(&ALL);
    let varied = varied(tools, &lowerers);
    assert!(!varied.kept.is_empty());
    for variant in &varied.kept {
        let origin = format!("{} {}", variant.origin.path, variant.setting);
        assert_eq!(variant.proof, Proof::Lowered);
        assert!(variant.toolchain.is_some());
        assert_eq!(variant.text, variant.target.of(&variant.compiled_text));
        for name in [
            "unit", "secret", "strlen", "printf", "barecode", "/tmp", "main", "glibc",
        ] {
            assert!(
                !variant.compiled_text.contains(name),
                "{origin}: {name}\n{}",
                variant.text
            );
        }
        if variant.setting.to_string().ends_with("-clarc") {
            continue;
        }
        assert!(!variant.text.contains("# 0x"), "{origin}\n{}", variant.text);
        for word in ["func_", "data_"] {
            assert_dense(variant, word);
        }
        let labels = variant.text.lines().filter(|line| line.starts_with(".L"));
        for (number, label) in labels.enumerate() {
            assert_eq!(label, format!(".L{number}:"), "{origin}\n{}", variant.text);
        }
    }
    for set_aside in &varied.set_aside {
        assert!(
            [Reason::LoweringFailed, Reason::NoCode].contains(&set_aside.reason),
            "{set_aside:?}"
        );
    }
}

/// The texts of one version of gcc, so that a change of the form is seen.
#[test]
fn the_form_stays_as_it_is() {
    let Some(tools) = tools() else { return };
    let lowerers = lowerers(&[
        "assembly-o1",
        "wasm-o1",
        "llvm-ir-o1",
        "assembly-aarch64-o1",
        "assembly-riscv64-o1",
    ]);
    let varied = varied(tools, &lowerers);
    for setting in lowerers.keys() {
        let variants = varied
            .kept
            .iter()
            .filter(|variant| variant.setting == *setting);
        let mut all = String::new();
        let mut version = String::new();
        for variant in variants {
            let toolchain = variant.toolchain.as_ref().unwrap();
            version.clone_from(&toolchain.version);
            all += &[
                "== ",
                &variant.origin.path,
                "\n",
                &variant.long_text(),
                "\n\n",
            ]
            .concat();
        }
        for set_aside in &varied.set_aside {
            if set_aside.setting == Some(*setting) {
                let path = &set_aside.origin.as_ref().unwrap().path;
                all += &["== ", path, "\n", set_aside.reason.code(), "\n\n"].concat();
            }
        }
        if ["12.2.0", "14.0.6"]
            .iter()
            .any(|known| version.contains(known))
        {
            let path = Path::new(env!("CARGO_MANIFEST_DIR"))
                .join(format!("testdata/lower/{setting}.expected"));
            expect_test::expect_file![path].assert_eq(&all);
        } else {
            eprintln!(
                "skipped: the texts of {setting} are known for other versions than {version}"
            );
        }
    }
}

/// This machine has `execinfo.h`, WASI has not.
#[test]
fn wasm_is_compiled_against_its_own_headers_only() {
    let lowerers = lowerers(&["wasm-o0"]);
    let Some(lowerer) = lowerers.values().next() else {
        return;
    };
    let question = |language, include: &str| Question {
        language,
        text: format!("#include <{include}>\nint f(void) {{ return 1; }}\n"),
        function: "f".to_owned(),
        target: Span { start: 0, end: 0 },
        is_template: false,
    };
    for language in [Language::C, Language::CPP] {
        let known = lowerer.lower(&question(language, "stdio.h"), &[]).unwrap();
        assert!(known.is_ok(), "{language:?}: {known:?}");
        let Err(Verdict::Refused { message }) = lowerer
            .lower(&question(language, "execinfo.h"), &[])
            .unwrap()
        else {
            panic!("{language:?}: a header of this machine was found");
        };
        assert!(message.contains("'execinfo.h' file not found"), "{message}");
    }
}
