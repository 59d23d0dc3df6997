//! Rows of the tables of programs and probes.

use barecode_records::python::{
    Applied, Case, ChangedPlace, CloneType, Fault, Program, ProgramVariant, PublishedBug,
    PublishedKind, Safety, TestKind, Tests, VariantKind,
};
use barecode_records::table::{Growing, Table};
use barecode_records::{ProbePair, ProbeProgram, ProbeScore, Relation, Similarity, Span};

use crate::{id, origin};

pub(crate) fn programs() -> Vec<Program> {
    let full = Program {
        id: id("p-0"),
        origin: origin(),
        problem: "HumanEval/0".to_owned(),
        statement: Some("Größe?".to_owned()),
        alternate_of: Some(id("p-1")),
        text: "print('\u{1F40D}')\n".to_owned(),
        normalized: vec!["comments".to_owned()],
        tests: Tests {
            kind: TestKind::Stdio,
            setup: String::new(),
            code: "assert f() == 1".to_owned(),
            entry: Some("f".to_owned()),
            cases: vec![Case {
                input: "1\n".to_owned(),
                output: String::new(),
            }],
        },
        covered: vec![1, 3],
        bugs: vec![PublishedBug {
            kind: PublishedKind::IncorrectSolution,
            text: "print()\n".to_owned(),
        }],
    };
    let bare = Program {
        statement: None,
        alternate_of: None,
        normalized: Vec::new(),
        covered: Vec::new(),
        bugs: Vec::new(),
        tests: Tests {
            kind: TestKind::Doctest,
            entry: None,
            cases: Vec::new(),
            ..full.tests.clone()
        },
        ..full.clone()
    };
    vec![full, bare]
}

pub(crate) fn program_variants() -> Vec<ProgramVariant> {
    let bug = ProgramVariant {
        id: id("w-0"),
        program_id: id("p-0"),
        kind: VariantKind::Bug,
        clone_type: None,
        pipeline: "negative".to_owned(),
        draw: 1,
        seed: u64::MAX,
        safety: Safety::Paper,
        text: "x".to_owned(),
        applied: vec![Applied {
            transform: "RangeOffByOne".to_owned(),
            nodes: 2,
            applied: 1,
            by_tests_only: 0,
        }],
        places: vec![ChangedPlace {
            transform: "RangeOffByOne".to_owned(),
            before: Span { start: 0, end: 1 },
            after: Span { start: 0, end: 2 },
        }],
        fault: Some(Fault::WrongAnswer),
        failed_test: Some(3),
        failure: Some("1 is not 2".to_owned()),
        agreed: None,
        differed: None,
        difference: None,
    };
    let clone = ProgramVariant {
        kind: VariantKind::Clone,
        clone_type: Some(CloneType::III),
        safety: Safety::Safe,
        applied: Vec::new(),
        places: Vec::new(),
        fault: None,
        failed_test: None,
        failure: None,
        agreed: Some(49),
        differed: Some(1),
        difference: Some("(0): gives 1".to_owned()),
        ..bug.clone()
    };
    vec![bug, clone]
}

pub(crate) fn probe_programs() -> Vec<ProbeProgram> {
    vec![ProbeProgram {
        id: id("p-0"),
        problem: "MBPP/1".to_owned(),
        tokens: 7,
        lines: 2,
    }]
}

pub(crate) fn probe_pairs() -> Vec<ProbePair> {
    let clone = ProbePair {
        program_id: id("p-0"),
        other_id: id("w-0"),
        relation: Relation::Clone,
        clone_type: Some(CloneType::II),
        pipeline: Some("positive".to_owned()),
        draw: Some(1),
        transforms: vec!["ChangeNames".to_owned()],
        places: 5,
        by_tests_only: 1,
        tokens: 7,
        lines: 2,
    };
    let alternate = ProbePair {
        relation: Relation::Alternate,
        clone_type: None,
        pipeline: None,
        draw: None,
        transforms: Vec::new(),
        ..clone.clone()
    };
    vec![clone, alternate]
}

pub(crate) fn similarities() -> Vec<Similarity> {
    vec![Similarity {
        program_id: id("p-0"),
        other_id: id("p-1"),
        relation: Relation::Nearest,
        similarity: -0.5,
    }]
}

pub(crate) fn probe_scores() -> Vec<ProbeScore> {
    let full = ProbeScore {
        retriever: "minilm".to_owned(),
        subset: "programs".to_owned(),
        measure: "similarity".to_owned(),
        relation: Some(Relation::Random),
        pipeline: Some("positive".to_owned()),
        against: Some("negative".to_owned()),
        transform: Some("SwapCondition".to_owned()),
        bin: Some(0),
        other_bin: Some(40),
        value: 0.5,
        low: 0.25,
        high: 0.75,
        deviation: Some(0.1),
        n: 12,
        missing: 1,
    };
    let bare = ProbeScore {
        relation: None,
        pipeline: None,
        against: None,
        transform: None,
        bin: None,
        other_bin: None,
        deviation: None,
        ..full.clone()
    };
    vec![full, bare]
}

#[test]
fn a_table_that_grows_row_by_row_has_the_bytes_of_one_that_is_given_whole() {
    for number in [0, 1, 1024, 5000] {
        let of = |at: usize| ProbeProgram {
            problem: format!("Many/{at}"),
            ..probe_programs()[0].clone()
        };
        let rows: Vec<ProbeProgram> = (0..number).map(of).collect();
        let mut growing = Growing::default();
        for row in &rows {
            growing.push(row.clone());
        }
        let (grown, whole) = (growing.end(), Table::of(&rows));
        assert_eq!(
            (grown.rows(), grown.digest()),
            (whole.rows(), whole.digest())
        );
    }
}
