//! What the audit of settings counts.

use barecode_audit::{OwnNames, audit_settings};
use barecode_records::{Group, KeptName, Reason, SetAside, Setting, Stage};
use barecode_testing::made::{unit, variant};

#[test]
fn twins_losses_and_residue_are_counted() {
    let units = ["one", "two", "three", "four"].map(|name| unit(name, Group::Group1, &[]));
    let neutralized = Setting::NEUTRALIZED;
    let mut variants: Vec<_> = units[..3]
        .iter()
        .map(|unit| variant(unit, neutralized, None))
        .collect();
    variants[0].text.push_str(" /* left */ \"some words\"");
    variants[1].text.push_str(" size");
    for name in ["size", "other"] {
        variants[1].kept.push(KeptName {
            name: name.to_owned(),
            reason: "it must".to_owned(),
        });
        variants[2].text.push_str(" \n");
    }
    let mut last = variants[2].clone();
    last.unit_id = units[3].id.clone();
    variants.push(last);
    let lost = [SetAside {
        id: Some(units[3].id.clone()),
        setting: Some(Setting::CANONICAL),
        ..SetAside::new(Stage::Vary, "variant", Reason::ProofFailed, "")
    }];
    let audits = audit_settings(&units, &variants, &lost, &OwnNames::default());
    let [found, canonical] = audits.as_slice() else {
        panic!("{audits:#?}");
    };
    assert_eq!(
        (found.texts, found.with_twin, found.largest_twin_class),
        (4, 2, 2)
    );
    let expected = [0.75, 0.875, (2.0 + 1.0 + 1.0 / 3_f64.log2()) / 4.0];
    for (found, expected) in found.best.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
    assert_eq!(found.residue.comments, 1);
    assert_eq!(found.residue.strings, 1);
    assert_eq!(found.residue.names, 1);
    // A name that stands for something else is none of the project's.
    for kept in &mut variants[1].kept {
        KeptName::ELSEWHERE.clone_into(&mut kept.reason);
    }
    assert_eq!(
        audit_settings(&units, &variants, &[], &OwnNames::default())[0]
            .residue
            .names,
        0
    );
    assert_eq!(canonical.texts, 0);
    assert_eq!(canonical.lost, [(Reason::ProofFailed, 1)].into());
}
