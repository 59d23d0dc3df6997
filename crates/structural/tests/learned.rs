//! The learned part: that it is read, and that its share of a score is explained.

use barecode_structural::{Learned, Options, StructuralIndex};

/// Functions of a few kinds under many names.
fn texts() -> Vec<String> {
    let kinds = [
        "void {n}(int *q) { while (q[0] > 0) { q[0]--; } }",
        "int {n}(int y) { return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }",
        "void {n}(unsigned char *p, int n) { for (int i = 0; i < n; i++) p[i] = p[i] >> 1; }",
        "double {n}(double a, double b) { return sqrt(a * a + b * b); }",
    ];
    let of = |repository: usize| kinds.map(|text| text.replace("{n}", &format!("f{repository}")));
    (0..6).flat_map(of).collect()
}

#[test]
fn tables_are_read_back_and_damaged_ones_are_refused() {
    let bytes = Learned::shipped().as_ref().unwrap().write();
    assert_eq!(Learned::read(&bytes), *Learned::shipped());
    assert_eq!(Learned::read(&[]), None);
    for end in [0, 7, 8, 11, 12, 100, bytes.len() - 1] {
        assert_eq!(Learned::read(&bytes[..end]), None, "{end}");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(Learned::read(&longer), None);
    let mut more = bytes;
    more[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(Learned::read(&more), None);
}

#[test]
fn what_barecode_brings_is_read_and_small() {
    let shipped = Learned::shipped().as_ref().unwrap();
    let [queries, documents] = shipped.features();
    assert!(queries > 1000 && documents > 1000);
    assert!(shipped.write().len() <= 3_000_000);
}

#[test]
fn what_was_learned_can_be_left_out() {
    let texts = texts();
    let query = "Tells if a year has one more day";
    let terms = |learned: bool| {
        let options = Options {
            names: true,
            learned,
        };
        let index = StructuralIndex::of(&texts, options);
        let parts = index.explain(query, 1);
        parts
            .iter()
            .filter(|part| part.term.starts_with('~') || part.term == "what any sentence finds")
            .count()
    };
    assert!(terms(true) > 0);
    assert_eq!(terms(false), 0);
}

#[test]
fn the_parts_of_an_explanation_are_the_score() {
    let texts = texts();
    let index = StructuralIndex::of(&texts, Options::default());
    for query in [
        "Tells if a year has one more day",
        "flushes requests",
        "",
        "zzz qqq",
    ] {
        let scores = index.scores(query);
        for (at, score) in scores.iter().enumerate() {
            let parts = index.explain(query, at);
            let sum: f64 = parts.iter().map(|part| part.score).sum();
            assert!((sum - score).abs() < 1e-4, "{query}: {sum} and {score}");
            let any = parts
                .iter()
                .find(|part| part.term == "what any sentence finds");
            assert_eq!(any.is_some_and(|part| part.score < 0.0), sum != 0.0);
        }
        // The same text has the same score, and texts that differ in names only too.
        for (a, b) in texts.iter().zip(&scores) {
            for (c, d) in texts.iter().zip(&scores) {
                assert!(a != c || b.to_bits() == d.to_bits());
            }
        }
    }
}

/// Functions of many sizes, of which most find something for a sentence.
fn many() -> Vec<String> {
    let of = |at: usize| {
        let lines = format!("if (a > {at}) {{ b += a * {at}; }} ").repeat(at % 7 + 1);
        format!("int f{at}(int a, int b) {{ {lines} while (b > {at}) b--; return b; }}")
    };
    let mut texts: Vec<String> = (0..120).map(of).collect();
    texts.push("int year_has_leap_day(int y) { return y % 4 == 0 && y % 100 != 0; }".to_owned());
    texts
}

#[test]
fn the_second_stage_orders_the_first_documents_only() {
    let texts = many();
    let index = StructuralIndex::of(&texts, Options::default());
    let query = "Tells if a year has one more day, a leap day, and loops while it is greater.";
    let candidates = index.candidates(query);
    assert!(
        (50..=100).contains(&candidates.len()),
        "{}",
        candidates.len()
    );
    let scores = index.scores(query);
    let is_first = |at: usize| candidates.iter().any(|it| it.document == at);
    let lowest = candidates.iter().map(|it| scores[it.document]);
    let lowest = lowest.fold(f64::INFINITY, f64::min);
    for (at, score) in scores.iter().enumerate() {
        // To the last bit: what is raised is not rounded below.
        assert!(is_first(at) || *score <= lowest, "{at}: {score} {lowest}");
        let sum: f64 = index.explain(query, at).iter().map(|part| part.score).sum();
        assert!((sum - score).abs() < 1e-4, "{at}: {sum} and {score}");
    }
    for candidate in &candidates {
        assert!(
            candidate
                .parts
                .iter()
                .all(|part| (0.0..=1.001).contains(part))
        );
    }
    // The answer has its words among its names, and they are missing elsewhere.
    let (answer, others): (Vec<_>, Vec<_>) = candidates
        .iter()
        .partition(|it| it.document == texts.len() - 1);
    let [named, .., missing, _] = answer[0].parts;
    assert!(
        others
            .iter()
            .all(|it| it.parts[0] < named && it.parts[4] > missing)
    );
    let unlearned = Options {
        names: true,
        learned: false,
    };
    let without = StructuralIndex::of(&texts, unlearned);
    assert!(without.candidates(query).is_empty());
}

#[test]
fn names_that_do_not_count_do_not_count_in_the_second_stage() {
    let texts = many();
    let nameless = Options {
        names: false,
        learned: true,
    };
    let index = StructuralIndex::of(&texts, nameless);
    let candidates = index.candidates("year leap day");
    assert!(candidates.iter().all(|it| it.parts[0] == 0.0));
    let renamed: Vec<String> = texts
        .iter()
        .map(|text| text.replace("year_has_leap_day", "g").replace("f1", "zeta"))
        .collect();
    let other = StructuralIndex::of(&renamed, nameless);
    let bits = |index: &StructuralIndex| -> Vec<u64> {
        let scores = index.scores("Tells if a year has a leap day").into_iter();
        scores.map(f64::to_bits).collect()
    };
    assert_eq!(bits(&index), bits(&other));
}
