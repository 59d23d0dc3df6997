//! Published files, as `BARECODE_DATA` has them.

use barecode_formats::{Benchmark, Format, Kind, Strictness, Subset, load};
use barecode_testing::needs::data;

fn loaded(relative: &str, format: Format) -> Option<(Benchmark, Vec<String>)> {
    let loaded = load(&data(relative)?, None, Strictness::Strict).unwrap();
    assert_eq!(loaded.format, format);
    Some((loaded.benchmark, loaded.notes))
}

fn counts(subset: &Subset) -> (usize, usize, usize) {
    (
        subset.documents.len(),
        subset.queries.len(),
        subset.judgments.len(),
    )
}

#[test]
fn a_folder_of_clarc_is_a_subset_for_each_file() {
    let Some((benchmark, notes)) = loaded("clarc", Format::ClarcCleaned) else {
        return;
    };
    assert_eq!(notes, Vec::<String>::new());
    let of = |name: &str| {
        let subset = benchmark.subsets.iter().find(|one| one.name == name);
        counts(subset.unwrap_or_else(|| panic!("no subset {name}")))
    };
    assert_eq!(benchmark.subsets.len(), 21);
    assert_eq!(of("group1-original"), (526, 526, 526));
    assert_eq!(of("group1-asm_short"), (518, 518, 518));
    assert_eq!(of("group1-asm_long"), (517, 517, 517));
    assert_eq!(of("group1-wasm"), (499, 499, 499));
    assert_eq!(of("group2-hash_renamed"), (100, 100, 100));
    // Group 3 is a matrix, and its grades of 0 are judgments.
    let short = "group3-helper_as_other_candidates_original";
    assert_eq!(of(short), (570, 44, 570 * 44));
    let subset = benchmark
        .subsets
        .iter()
        .find(|one| one.name == short)
        .unwrap();
    let graded = |grade| {
        subset
            .judgments
            .iter()
            .filter(|one| one.grade == grade)
            .count()
    };
    assert_eq!(graded(2), 44);
    assert!(graded(1) > 0);
    let with_source = subset
        .documents
        .iter()
        .filter(|one| one.extra.contains_key("cid2source_file"));
    assert_eq!(with_source.count(), 44);
}

#[test]
fn rows_of_gencodesearchnet_stay_apart_though_their_texts_are_equal() {
    let Some((benchmark, _)) = loaded("gecs/test_cosqa_mrr.jsonl", Format::CodeSplit) else {
        return;
    };
    let subset = &benchmark.subsets[0];
    assert_eq!(
        (subset.name.as_str(), subset.split.as_str()),
        ("cosqa", "test")
    );
    assert_eq!(subset.kind, Kind::Retrieval);
    assert_eq!(counts(subset), (10_293, 10_293, 10_293));
    let pairs = subset.queries.iter().zip(&subset.documents);
    let distinct: std::collections::BTreeSet<_> = pairs
        .map(|(query, document)| (&query.text, &document.text))
        .collect();
    assert_eq!(distinct.len(), 4_545);
}

#[test]
fn statcodesearch_is_the_same_in_three_files() {
    let (Some((json, _)), Some((csv, _)), Some((lines, _))) = (
        loaded("gecs/statcodesearch.json", Format::StatCodeSearch),
        loaded("gecs/statcodesearch_1k_final.csv", Format::StatCodeSearch),
        loaded("gecs/test_statcodesearch_mrr.jsonl", Format::CodeSplit),
    ) else {
        return;
    };
    for benchmark in [&json, &csv, &lines] {
        assert_eq!(counts(&benchmark.subsets[0]), (1_070, 1_070, 1_070));
    }
    let cc_by = csv.subsets[0]
        .documents
        .iter()
        .filter(|document| document.license() == Some("CC-By Attribution 4.0 International"));
    assert_eq!(cc_by.count(), 823);
    assert_eq!(
        json.subsets[0].documents[0].repository(),
        Some("https://osf.io/qhaf8/")
    );
    let (json, lines) = (&json.subsets[0], &lines.subsets[0]);
    let code = |subset: &Subset| -> Vec<String> {
        subset
            .documents
            .iter()
            .map(|one| one.text.trim().to_owned())
            .collect()
    };
    let same = code(json)
        .iter()
        .zip(code(lines))
        .filter(|(a, b)| **a == *b)
        .count();
    assert!(same > 1_000, "{same} codes are the same");
}

#[test]
fn cosqa_asks_for_matching_or_ranks_a_code_base() {
    let (Some((matching, _)), Some((retrieval, _))) = (
        loaded("gecs/cosqa-dev.json", Format::Cosqa),
        loaded("gecs/cosqa-retrieval-dev-500.json", Format::Cosqa),
    ) else {
        return;
    };
    assert_eq!(matching.subsets[0].kind, Kind::Matching);
    assert_eq!(counts(&matching.subsets[0]), (604, 604, 604));
    assert_eq!(retrieval.subsets[0].kind, Kind::Retrieval);
    assert_eq!(counts(&retrieval.subsets[0]), (6_267, 500, 500));
    let subset = &retrieval.subsets[0];
    let answer = |query: usize| {
        let judgment = &subset.judgments[query];
        subset
            .documents
            .iter()
            .find(|one| one.id == judgment.document)
            .unwrap()
    };
    assert!(answer(0).text.starts_with("def is_iterable_but_not_string"));
}

#[test]
fn a_folder_of_several_formats_is_refused() {
    let Some(folder) = data("gecs") else { return };
    let error = load(&folder, None, Strictness::Strict)
        .unwrap_err()
        .to_string();
    assert!(error.contains("files of several formats"), "{error}");
    let one = load(&folder, Some(Format::CodeSplit), Strictness::Strict).unwrap();
    assert_eq!(one.benchmark.subsets.len(), 2);
}
