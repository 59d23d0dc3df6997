//! Which texts are nearly the same.

use std::collections::BTreeSet;

use barecode_corpus::duplicates::{Likeness, Shingles, clusters, token_digest};
use proptest::prelude::*;

const USUAL: Likeness = Likeness {
    threshold: 0.7,
    shingle: 5,
};

/// A function of so many statements, all different.
fn function(name: &str, statements: usize) -> String {
    let body = (0..statements)
        .map(|at| format!("    total += values[{at}] * weight_{at};\n"))
        .collect::<Vec<_>>()
        .concat();
    format!("int {name}(const int *values)\n{{\n    int total = 0;\n{body}    return total;\n}}\n")
}

#[test]
fn layout_and_comments_are_no_difference() {
    let text = "int f(int a) { return a + 1; }";
    let other = "int\nf (int a)\n{\n  /* one more */\n  return a+1; // done\n}\n";
    assert_eq!(token_digest(text), token_digest(other));
    assert_ne!(
        token_digest(text),
        token_digest("int f(int a) { return a + 2; }")
    );
    assert_eq!(clusters(&[text, "int g;", other], USUAL), [vec![0, 2]]);
}

#[test]
fn a_changed_name_in_a_long_function_makes_a_near_duplicate_and_in_a_short_one_none() {
    let (long, renamed) = (function("sum", 20), function("weigh", 20));
    assert_eq!(clusters(&[&long, &renamed], USUAL), [vec![0, 1]]);
    let none: [Vec<usize>; 0] = [];
    assert_eq!(
        clusters(
            &["int get(void) { return 1; }", "int put(void) { return 1; }"],
            USUAL
        ),
        none
    );
}

#[test]
fn the_threshold_is_met_to_the_last_shingle() {
    let (a, b) = (function("sum", 6), function("weigh", 6));
    let similarity = Shingles::of(&a, 5).jaccard(&Shingles::of(&b, 5));
    let at = |threshold| {
        clusters(
            &[&a, &b],
            Likeness {
                threshold,
                shingle: 5,
            },
        )
        .len()
    };
    assert_eq!(at(similarity), 1);
    assert_eq!(at(similarity + 1e-9), 0);
}

#[test]
fn a_chain_of_pairs_is_one_cluster() {
    let texts: Vec<String> = (0..6)
        .map(|cut| {
            function("sum", 40).replace(
                &(0..cut * 3)
                    .map(|at| format!("    total += values[{at}] * weight_{at};\n"))
                    .collect::<Vec<_>>()
                    .concat(),
                "",
            )
        })
        .collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let ends = Shingles::of(texts[0], 5).jaccard(&Shingles::of(texts[5], 5));
    assert!(ends < 0.7, "{ends}");
    assert_eq!(clusters(&texts, USUAL), [vec![0, 1, 2, 3, 4, 5]]);
}

#[test]
fn short_and_empty_texts_are_compared_as_a_whole() {
    assert_eq!(
        clusters(&["", "a b", "/* c */", "a  b", "a c"], USUAL),
        [vec![0, 2], vec![1, 3]]
    );
}

#[test]
fn many_copies_are_no_work() {
    // All in one bucket: the square of their number in comparisons would never end.
    let text = function("sum", 30);
    let copies: Vec<String> = (0..20_000)
        .map(|at| {
            if at % 2 == 0 {
                text.clone()
            } else {
                format!("{text} /* {at} */")
            }
        })
        .collect();
    let copies: Vec<&str> = copies.iter().map(String::as_str).collect();
    assert_eq!(clusters(&copies, USUAL)[0].len(), 20_000);
}

/// Texts of words of a small language, so that some are alike.
fn some_texts() -> impl Strategy<Value = Vec<String>> {
    let words = prop::collection::vec(
        prop::sample::select(vec!["a", "b", "c", "d", "e", "f"]),
        0..40,
    );
    let base = prop::collection::vec(words, 1..6);
    (
        base,
        prop::collection::vec((0_usize..6, 0_usize..40, 0_usize..3), 0..12),
    )
        .prop_map(|(base, edits)| {
            let mut texts: Vec<Vec<&str>> = base.clone();
            for (which, at, kind) in edits {
                let mut edited = base[which % base.len()].clone();
                let at = at.min(edited.len());
                match kind {
                    0 => edited.insert(at, "x"),
                    1 if at < edited.len() => {
                        edited.remove(at);
                    }
                    _ => edited.truncate(at),
                }
                texts.push(edited);
            }
            texts.into_iter().map(|words| words.join(" ")).collect()
        })
}

/// The clusters by brute force: all pairs are compared.
fn naive(texts: &[&str], likeness: Likeness) -> BTreeSet<BTreeSet<usize>> {
    let shingles: Vec<Shingles> = texts
        .iter()
        .map(|text| Shingles::of(text, likeness.shingle))
        .collect();
    let mut label: Vec<usize> = (0..texts.len()).collect();
    loop {
        let before = label.clone();
        for a in 0..texts.len() {
            for b in 0..texts.len() {
                if shingles[a].jaccard(&shingles[b]) >= likeness.threshold {
                    label[b] = label[b].min(label[a]);
                }
            }
        }
        if label == before {
            break;
        }
    }
    let of = |wanted: usize| {
        (0..texts.len())
            .filter(|at| label[*at] == wanted)
            .collect::<BTreeSet<usize>>()
    };
    (0..texts.len())
        .map(of)
        .filter(|cluster| cluster.len() > 1)
        .collect()
}

proptest! {
    #[test]
    fn clusters_do_not_depend_on_the_order_of_the_texts(texts in some_texts(), seed in any::<u64>()) {
        let mut order: Vec<usize> = (0..texts.len()).collect();
        order.sort_by_key(|at| (*at as u64).wrapping_add(1).wrapping_mul(seed | 1) >> 7);
        let straight: Vec<&str> = texts.iter().map(String::as_str).collect();
        let turned: Vec<&str> = order.iter().map(|&at| straight[at]).collect();
        let as_sets = |found: Vec<Vec<usize>>| found.into_iter().map(BTreeSet::from_iter).collect::<BTreeSet<BTreeSet<usize>>>();
        let back = clusters(&turned, USUAL).into_iter().map(|cluster| cluster.into_iter().map(|at| order[at]).collect()).collect();
        prop_assert_eq!(as_sets(clusters(&straight, USUAL)), as_sets(back));
    }

    #[test]
    fn nothing_is_joined_that_comparing_all_pairs_would_not_join(texts in some_texts()) {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        for likeness in [USUAL, Likeness { threshold: 0.3, shingle: 2 }, Likeness { threshold: 1.0, shingle: 3 }] {
            let found: BTreeSet<BTreeSet<usize>> = clusters(&texts, likeness).into_iter().map(BTreeSet::from_iter).collect();
            // A pair near the threshold may be missed by chance; texts of the same shingles never are.
            let naive = naive(&texts, likeness);
            if likeness.threshold >= 1.0 {
                prop_assert_eq!(&found, &naive);
            }
            for cluster in &found {
                prop_assert!(naive.iter().any(|wanted| cluster.is_subset(wanted)), "{cluster:?} in {naive:?}");
            }
        }
    }

    #[test]
    fn similarity_is_a_share_and_the_same_from_both_sides(texts in some_texts()) {
        for a in &texts {
            for b in &texts {
                let (a, b) = (Shingles::of(a, 3), Shingles::of(b, 3));
                let similarity = a.jaccard(&b);
                prop_assert!((0.0..=1.0).contains(&similarity));
                prop_assert_eq!(similarity.to_bits(), b.jaccard(&a).to_bits());
                prop_assert_eq!(similarity >= 1.0, a == b);
                // Seven standard deviations of 128 draws, at their widest: chance reaches them never.
                let estimate = a.signature().estimate(&b.signature());
                prop_assert!((estimate - similarity).abs() <= 7.0 * 0.5 / 128_f64.sqrt(), "{estimate} for {similarity}");
            }
        }
    }
}

#[test]
fn estimates_are_close_to_the_similarity_and_pairs_at_the_threshold_are_found() {
    let (mut sum, mut pairs, mut missed) = (0.0, 0, 0);
    for number in 0..300 {
        let base = function("sum", 30).replace("weight", &format!("w{number}x"));
        let changed = base
            .replace("int total = 0", "long total = 1")
            .replace("values[7]", "values[8]")
            .replace("values[9]", "values[1]")
            .replace("return total", "return (int)total");
        let (a, b) = (Shingles::of(&base, 5), Shingles::of(&changed, 5));
        let similarity = a.jaccard(&b);
        sum += (a.signature().estimate(&b.signature()) - similarity).abs();
        pairs += 1;
        let likeness = Likeness {
            threshold: similarity,
            shingle: 5,
        };
        missed += usize::from(clusters(&[&base, &changed], likeness).is_empty());
    }
    let mean = sum / f64::from(pairs);
    assert!(mean < 0.03, "mean error {mean}");
    assert!(missed <= 2, "{missed} of {pairs} missed");
}
