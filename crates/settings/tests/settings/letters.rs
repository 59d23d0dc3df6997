//! Random names tell nothing: neither of the old name nor of each other.
//!
//! The draws are seeded, so each statistic is one number, the same every time. The bounds are the values of
//! the chi-square distribution that chance exceeds once in 10,000 times.

use std::collections::BTreeMap;
use std::fmt::Write;

use barecode_corpus::symbols::Symbols;
use barecode_records::{Closure, HelperBodies, Id, Language, Role, Setting, Span};
use barecode_settings::dose::Choice;
use barecode_settings::naming::{Draw, Naming, Old, Taken};
use barecode_settings::randomized::Randomized;
use barecode_settings::rename::{Analysis, Plan, Spaces};

/// At p = 1/10,000, by degrees of freedom.
const BOUND_6: f64 = 28.38;
const BOUND_25: f64 = 60.38;
const BOUND_625: f64 = 765.1;

fn id(text: &str) -> Id {
    Id::from(text.to_owned())
}

fn letter(byte: u8) -> usize {
    assert!(byte.is_ascii_lowercase(), "{byte}");
    usize::from(byte - b'a')
}

/// How far counts are from all alike.
fn chi_square(counts: &[f64]) -> f64 {
    let expected = counts.iter().sum::<f64>() / counts.len() as f64;
    assert!(expected > 5.0, "too few to tell");
    counts
        .iter()
        .map(|count| (count - expected).powi(2) / expected)
        .sum()
}

fn randomized(unit: &str, seed: u32) -> Randomized {
    Randomized::new(Draw::new(Setting::RANDOMIZED, 42, &id(unit), Some(seed)))
}

fn names(seed: u32, count: usize) -> Vec<String> {
    let mut naming = randomized("u-0123456789abcdef", seed);
    let old = Old {
        role: Role::Variable,
        name: "old",
    };
    let none = Symbols::new(|_| false);
    let mut taken = Taken::new(&none);
    (0..count)
        .map(|_| {
            let name = naming.next(old, &taken).unwrap();
            assert!(taken.insert(&name), "`{name}` twice");
            name
        })
        .collect()
}

#[test]
fn every_letter_is_as_likely_at_every_place() {
    let names: Vec<String> = (0..10).flat_map(|seed| names(seed, 2_000)).collect();
    for place in 0..6 {
        let mut counts = [0.0; 26];
        for name in &names {
            counts[letter(name.as_bytes()[place])] += 1.0;
        }
        let found = chi_square(&counts);
        assert!(found < BOUND_25, "place {place}: {found}");
    }
}

#[test]
fn lengths_from_six_to_twelve_are_as_likely() {
    let mut counts = [0.0; 7];
    for name in names(0, 7_000) {
        counts[name.len() - 6] += 1.0;
    }
    let found = chi_square(&counts);
    assert!(found < BOUND_6, "{found}: {counts:?}");
}

/// A file of variables: a hundred for each first letter.
fn variables() -> Closure {
    let mut text = String::new();
    for n in 0..100 {
        for letter in 'a'..='z' {
            writeln!(text, "int {letter}_{n};").unwrap();
        }
    }
    text += "int target(void) { return a_0; }\n";
    let start = text.find("int target").unwrap();
    let offset = |at: usize| u32::try_from(at).unwrap();
    Closure {
        target: Span {
            start: offset(start),
            end: offset(text.len() - 1),
        },
        text,
        helpers: Vec::new(),
        helper_bodies: HelperBodies::Full,
        items: 0,
        pieces: Vec::new(),
        helper_external: Vec::new(),
        missing_headers: Vec::new(),
        assumed_headers: Vec::new(),
    }
}

fn renamed(analysis: &Analysis<'_>, draw: u32) -> BTreeMap<String, String> {
    let mut naming = randomized("u-0", draw);
    let plan = Plan::new(Spaces::Apart);
    let renamed = analysis
        .renamed(&mut naming, &Choice::all(), &plan)
        .unwrap();
    let pairs = renamed.renamed.into_iter();
    pairs.map(|renaming| (renaming.from, renaming.to)).collect()
}

#[test]
fn the_first_letter_says_nothing_of_the_old_one() {
    let variables = variables();
    let analysis = Analysis::of(&variables, "target", Language::C).unwrap();
    let mut counts = vec![0.0; 26 * 26];
    for draw in 0..10 {
        for (old, new) in renamed(&analysis, draw)
            .into_iter()
            .filter(|(old, _)| old != "target")
        {
            counts[letter(old.as_bytes()[0]) * 26 + letter(new.as_bytes()[0])] += 1.0;
        }
    }
    assert!((counts.iter().sum::<f64>() - 26_000.0).abs() < 0.5);
    // Old letters are all alike by construction, so independence and all alike differ by 25 degrees only.
    let new: Vec<f64> = (0..26)
        .map(|new| (0..26).map(|old| counts[old * 26 + new]).sum())
        .collect();
    let total: f64 = new.iter().sum();
    let found: f64 = counts
        .iter()
        .enumerate()
        .map(|(at, count)| {
            let expected = 1_000.0 * new[at % 26] / total;
            (count - expected).powi(2) / expected
        })
        .sum();
    assert!(found < BOUND_625, "{found}");
}

#[test]
fn what_one_draw_calls_a_name_says_nothing_of_the_next() {
    let variables = variables();
    let analysis = Analysis::of(&variables, "target", Language::C).unwrap();
    let draws: Vec<_> = (0..10).map(|draw| renamed(&analysis, draw)).collect();
    let mut alike = 0_u32;
    let mut pairs = 0_u32;
    for (at, one) in draws.iter().enumerate() {
        for other in &draws[at + 1..] {
            for (old, new) in one {
                pairs += 1;
                alike += u32::from(new.as_bytes()[0] == other[old].as_bytes()[0]);
            }
        }
    }
    // One in 26, give or take four standard deviations of a binomial draw.
    let (n, p) = (f64::from(pairs), 1.0 / 26.0);
    let deviation = (f64::from(alike) - n * p).abs() / (n * p * (1.0 - p)).sqrt();
    assert!(deviation < 4.0, "{alike} of {pairs}");
}
