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
