//! What the audit finds in sets that others published, against numbers that were counted without it.
//!
//! The numbers were counted by scripts of a few lines on the same files (`json`, `collections.Counter`, `re`): texts
//! with white space as single blanks, pairs, names with an underscore, a capital inside or a digit.

use barecode_audit::{AuditConfig, DatasetAudit, Finding, Severity, audit_benchmark};
use barecode_formats::{Benchmark, Document, Judgment, Kind, Query, Subset, read};
use barecode_testing::needs::data;

fn audit(benchmark: &Benchmark) -> DatasetAudit {
    audit_benchmark(benchmark, &AuditConfig::default(), &mut |_| ())
}

fn finding<'a>(audit: &'a DatasetAudit, code: &str, subset: &str) -> &'a Finding {
    let found = audit
        .findings
        .iter()
        .find(|finding| finding.code == code && finding.subset.contains(subset));
    found.unwrap_or_else(|| panic!("no {code} of {subset} among {:#?}", audit.findings))
}

fn number(finding: &Finding, name: &str) -> f64 {
    let number = finding.numbers.iter().find(|(found, _)| *found == name);
    number
        .unwrap_or_else(|| panic!("no `{name}` in {finding:?}"))
        .1
}

#[test]
fn the_twins_of_clarc_and_what_they_cost() {
    let Some(folder) = data("clarc") else { return };
    let audit = audit(&read(&folder, None).unwrap());
    for (code, subset, twins, of, largest, best) in [
        ("BA002", "group1-usual_renamed", 39, 526, 28.0, 93.7),
        ("BA001", "group1-asm_long", 182, 517, 29.0, 72.1),
        ("BA001", "group1-asm_short", 182, 518, 29.0, 72.2),
        ("BA001", "group1-wasm", 155, 499, 29.0, 75.6),
    ] {
        let found = finding(&audit, code, subset);
        assert_eq!((found.count, found.of), (twins, of), "{found:?}");
        assert!(
            (number(found, "largest") - largest).abs() < 1e-9,
            "{found:?}"
        );
        assert!(
            (number(found, "best R@1") * 100.0 - best).abs() < 0.05,
            "{found:?}"
        );
        assert_eq!(found.examples.len(), 3);
    }
    let neutral = finding(&audit, "BA002", "group1-usual_renamed");
    assert!(
        (number(neutral, "best RR") * 100.0 - 94.8).abs() < 0.05,
        "{neutral:?}"
    );
    assert!((number(neutral, "exact") - 34.0).abs() < 1e-9);
    // Each of the 39 has an answer that others share.
    assert_eq!(finding(&audit, "BA003", "group1-usual_renamed").count, 39);
    assert!(
        !audit
            .findings
            .iter()
            .any(|found| found.code == "BA001" && found.subset.contains("group1-original"))
    );
    assert!(
        !audit
            .findings
            .iter()
            .any(|found| found.code == "BA001" && found.subset.contains("group1-hash"))
    );
}

#[test]
fn what_clarcs_settings_left_and_lost() {
    let Some(folder) = data("clarc") else { return };
    let audit = audit(&read(&folder, None).unwrap());
    let original = |name: &str| {
        let size = audit
            .subsets
            .iter()
            .find(|size| size.subset.contains(name))
            .unwrap();
        size.original.clone()
    };
    assert!(
        original("group1-usual_renamed")
            .unwrap()
            .contains("group1-original")
    );
    assert!(original("group2-wasm").unwrap().contains("group2-original"));
    assert_eq!(original("group1-original"), None);
    // Names: none in group 1, 73 of the first hundred of group 2.
    let lost = |name: &str| {
        audit
            .findings
            .iter()
            .find(|found| found.code == "BA102" && found.subset.contains(name))
    };
    assert_eq!(lost("group1-usual_renamed"), None);
    assert_eq!(lost("group2-usual_renamed").unwrap().count, 73);
    assert_eq!(
        lost("group2-usual_renamed").unwrap().severity,
        Severity::Warning
    );
    let leaks = audit
        .leaks
        .iter()
        .filter(|leak| leak.subset.contains("group2-usual_renamed"));
    assert_eq!(leaks.filter(|leak| !leak.lost.is_empty()).count(), 73);
    // The tail of the translation unit, the addresses, and the setting that goes on.
    let is_tail = |found: &&Finding| {
        found.code == "BA205"
            && found.subset.contains("group1-asm_long")
            && found.message.contains(" end in ")
    };
    let tail = audit.findings.iter().find(is_tail).unwrap();
    assert_eq!((tail.count, tail.of), (473, 517));
    assert!(number(tail, "lines") >= 20.0, "{tail:?}");
    assert_eq!(finding(&audit, "BA204", "group1-asm_long").count, 517);
    let longer = finding(&audit, "BA207", "group1-asm_long");
    assert_eq!((longer.count, longer.of), (514, 517));
    // 28 functions that all became one.
    let trivial = finding(&audit, "BA206", "group1-usual_renamed");
    assert!(
        (number(trivial, "alike") - 28.0).abs() < 1e-9,
        "{trivial:?}"
    );
    assert!(
        trivial.examples[0].excerpt.contains("return MACRO_0"),
        "{trivial:?}"
    );
    // Braces too many: 27 of the first hundred of group 2, none of group 1.
    assert_eq!(finding(&audit, "BA503", "group2-original").count, 27);
    assert!(
        !audit
            .findings
            .iter()
            .any(|found| found.code == "BA503" && found.subset.contains("group1-original"))
    );
    assert!(finding(&audit, "BA202", "group1-usual_renamed").count >= 60);
    assert_eq!(finding(&audit, "BA201", "group1-usual_renamed").count, 79);
    assert_eq!(finding(&audit, "BA203", "group1-usual_renamed").count, 79);
}

#[test]
fn the_rows_of_statcodesearch() {
    let Some(file) = data("gecs/statcodesearch.json") else {
        return;
    };
    let audit = audit(&read(&file, None).unwrap());
    let broken = finding(&audit, "BA504", "");
    assert!((number(broken, "rows") - 9.0).abs() < 1e-9, "{broken:?}");
    let neighbors = finding(&audit, "BA605", "");
    assert_eq!((neighbors.count, neighbors.of), (506, 1069));
    assert_eq!(neighbors.severity, Severity::Note);
    let flat = finding(&audit, "BA507", "");
    assert_eq!(flat.count, flat.of);
    let Some(table) = data("gecs/statcodesearch_1k_final.csv") else {
        return;
    };
    let audit = self::audit(&read(&table, None).unwrap());
    let licenses = finding(&audit, "BA603", "");
    assert_eq!(licenses.severity, Severity::Warning);
    assert!(number(licenses, "permissive") >= 966.0, "{licenses:?}");
    assert!(number(licenses, "copyleft") >= 37.0, "{licenses:?}");
}

#[test]
fn the_repetitions_of_the_cosqa_file() {
    let Some(file) = data("gecs/test_cosqa_mrr.jsonl") else {
        return;
    };
    let audit = audit(&read(&file, None).unwrap());
    let pairs = finding(&audit, "BA402", "");
    assert_eq!((pairs.count, pairs.of), (7976, 10_293));
    assert!(
        (number(pairs, "distinct pairs") - 4545.0).abs() < 1e-9,
        "{pairs:?}"
    );
    assert!(
        (number(pairs, "distinct queries") - 4477.0).abs() < 1e-9,
        "{pairs:?}"
    );
    assert_eq!(pairs.severity, Severity::Defect);
    let flat = finding(&audit, "BA507", "");
    assert!(number(flat, "tokens") / flat.count as f64 > 0.5, "{flat:?}");
}

/// Pairs of CoSQA, half of them with another row's code; `joined` says which of the two a text comes in.
fn matching(joined: impl Fn(bool) -> bool) -> Option<Benchmark> {
    let file = data("gecs/cosqa-dev.json")?;
    let rows: Vec<serde_json::Value> =
        serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let mut subset = Subset::new("made", "train");
    subset.kind = Kind::Matching;
    let column = |at: usize, name: &str| rows[at % rows.len()][name].as_str().unwrap().to_owned();
    for at in 0..rows.len() {
        for (is_match, of) in [(true, at), (false, at + 211)] {
            let name = if joined(is_match) {
                "code_tokens"
            } else {
                "code"
            };
            let id = format!("c{at}-{is_match}");
            subset.documents.push(Document {
                id: id.clone(),
                text: column(of, name),
                ..Document::default()
            });
            subset.judgments.push(Judgment {
                query: format!("q{at}"),
                document: id,
                grade: i32::from(is_match),
            });
        }
        subset.queries.push(Query {
            id: format!("q{at}"),
            text: column(at, "doc"),
            ..Query::default()
        });
    }
    Some(Benchmark {
        name: "made".into(),
        subsets: vec![subset],
        ..Benchmark::default()
    })
}

#[test]
fn positives_of_joined_tokens_are_told_from_raw_negatives() {
    let Some(benchmark) = matching(|is_match| is_match) else {
        return;
    };
    let audit = audit(&benchmark);
    let found = finding(&audit, "BA301", "made");
    assert_eq!(found.severity, Severity::Defect);
    assert!(number(found, "AUC") > 0.95, "{found:?}");
    assert!(number(found, "p") <= 0.001 + 1e-12);
}

#[test]
fn pairs_made_by_the_same_steps_are_not_accused() {
    for is_joined in [true, false] {
        let Some(benchmark) = matching(|_| is_joined) else {
            return;
        };
        let audit = audit(&benchmark);
        assert!(
            !audit.findings.iter().any(|found| found.code == "BA301"),
            "{:?}",
            audit.findings
        );
    }
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let Some(folder) = data("clarc") else { return };
    let benchmark = read(&folder, None).unwrap();
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        serde_json::to_string(&pool.install(|| audit(&benchmark))).unwrap()
    };
    assert_eq!(of(1), of(3));
}
