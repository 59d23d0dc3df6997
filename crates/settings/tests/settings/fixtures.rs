//! `testdata/rename/*.{c,cpp}`: one construct a file, and beside each the unit neutralized, with its proof.

use std::fmt::Write;
use std::path::Path;

use barecode_records::{Proof, Setting, Variant};
use expect_test::expect_file;

use crate::{fixture_folder, tools, units_of, varied};

fn shown(variant: &Variant) -> String {
    let proof = match variant.proof {
        Proof::Identity => "identity",
        Proof::Object => "object",
        Proof::Code => "code",
        Proof::Text => "text",
        Proof::Spelled => "spelled",
        Proof::Lowered => "lowered",
        Proof::Imitation => "imitation",
    };
    let mut text = format!("// proof: {proof}\n");
    for kept in &variant.kept {
        writeln!(text, "// kept `{}`: {}", kept.name, kept.reason).unwrap();
    }
    text + &variant.compiled_text
}

#[test]
fn every_construct_is_neutralized_as_its_file_says() {
    let Some(tools) = tools() else { return };
    let units = units_of(&fixture_folder(), tools);
    for unit in &units {
        let varied = varied(
            std::slice::from_ref(unit),
            &[(Setting::NEUTRALIZED, None)],
            7,
            tools,
        );
        let found = if let [variant] = varied.kept.as_slice() {
            shown(variant)
        } else {
            let row = &varied.set_aside[0];
            format!(
                "// set aside, {}: neutralized: {}\n",
                row.reason, row.detail
            )
        };
        let beside = Path::new(&unit.origin.path).with_extension("neutralized");
        expect_file![fixture_folder().join(beside)].assert_eq(&found);
    }
    let files = std::fs::read_dir(fixture_folder()).unwrap();
    let sources = files.filter(|entry| {
        entry
            .as_ref()
            .unwrap()
            .path()
            .extension()
            .is_some_and(|ending| ending == "c" || (ending == "cpp" && tools.headers.cpp.is_some()))
    });
    assert_eq!(units.len(), sources.count(), "every file has its unit");
}

#[test]
fn every_construct_can_be_randomized() {
    let Some(tools) = tools() else { return };
    let units = units_of(&fixture_folder(), tools);
    let varied = varied(
        &units,
        &[
            (Setting::RANDOMIZED, Some(0)),
            (Setting::RANDOMIZED, Some(1)),
        ],
        7,
        tools,
    );
    assert!(varied.set_aside.is_empty(), "{:#?}", varied.set_aside);
    assert!(varied.balances());
    assert_eq!(varied.kept.len(), 2 * units.len());
}
