//! The learned tables, which are the same everywhere.

use barecode_structural::Learned;
use barecode_structural::learned::table::{Vector, normalize};

use crate::prior::Prior;
use crate::training::{Chance, Example, Lesson, learn, pulls, together};

/// Functions of a few kinds under many names, and a sentence about each.
fn examples() -> Vec<Example> {
    let kinds = [
        (
            "flushes the pending requests of a queue",
            "void {n}(int *q) {{ while (q[0] > 0) {{ q[0]--; }} }}",
        ),
        (
            "tells if a year has one more day",
            "int {n}(int y) {{ return y % 4 == 0 && (y % 100 != 0 || y % 400 == 0); }}",
        ),
        (
            "halves the brightness of each pixel",
            "void {n}(unsigned char *p, int n) {{ for (int i = 0; i < n; i++) p[i] = p[i] >> 1; }}",
        ),
        (
            "says how far two points are apart",
            "double {n}(double a, double b) {{ return sqrt(a * a + b * b); }}",
        ),
    ];
    let mut examples = Vec::new();
    for repository in 0..6 {
        for (sentence, text) in kinds {
            examples.push(Example {
                repository: format!("repository {repository}"),
                sentence: Some(format!("{sentence} in case {repository}")),
                language: None,
                texts: vec![
                    text.replace("{n}", &format!("f{repository}"))
                        .replace("{{", "{")
                        .replace("}}", "}"),
                ],
            });
        }
    }
    examples
}

const LESSON: Lesson = Lesson {
    epochs: 20,
    batch: 8,
    together: 1,
    temperature: 0.05,
    rate: 0.03,
    left_out: 0.1,
    stated: 0.5,
    least_examples: 2,
    least_repositories: 2,
    most_features: 1000,
    seed: 3,
};

/// A model of English that threads may call.
type Model = dyn Fn(&[&str]) -> Vec<Vec<f32>> + Sync;

fn learned(threads: usize) -> (Learned, Vec<f64>) {
    learned_with(None, threads)
}

fn learned_with(prior: Option<&Model>, threads: usize) -> (Learned, Vec<f64>) {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .expect("threads can be started");
    let mut losses = Vec::new();
    let learned = pool.install(|| {
        let prior = prior.map(|prior| -> &Prior<'_> { prior });
        learn(&examples(), &LESSON, prior, |_, loss| losses.push(loss))
    });
    (learned, losses)
}

#[test]
fn rows_begin_with_the_vectors_of_a_model() {
    // A model that only counts letters.
    let model = |texts: &[&str]| -> Vec<Vec<f32>> {
        for said in ["queue", "one more", "takes double", "decrement", "modulo"] {
            let is_said = texts.iter().any(|text| text.contains(said));
            assert!(is_said, "nothing says `{said}`: {texts:?}");
        }
        let letters = |text: &&str| {
            let count = |letter| text.bytes().filter(|byte| *byte == letter).count();
            (b'a'..=b'z').map(|letter| count(letter) as f32).collect()
        };
        texts.iter().map(letters).collect()
    };
    let (one, _) = learned_with(Some(&model), 1);
    let (three, _) = learned_with(Some(&model), 3);
    assert_eq!(one.write(), three.write());
    let (without, _) = learned(1);
    assert_ne!(one.write(), without.write());
    assert_eq!(one.features(), without.features());
}

#[test]
fn examples_of_a_repository_follow_each_other() {
    let examples = examples();
    let order: Vec<usize> = (0..examples.len()).rev().collect();
    let drawn = |seed| together(&order, &examples, 3, &mut Chance::new(seed));
    let mut sorted = drawn(1);
    // Each of the six repositories has four examples: a run of three, and one more.
    let alike = |pair: &[usize]| examples[pair[0]].repository == examples[pair[1]].repository;
    assert!(sorted.windows(2).filter(|pair| alike(pair)).count() >= 12);
    assert_eq!(drawn(1), drawn(1));
    assert_ne!(drawn(1), drawn(2));
    sorted.sort_unstable();
    assert_eq!(sorted, (0..examples.len()).collect::<Vec<_>>());
}

#[test]
fn the_loss_falls_and_the_tables_are_the_same_on_any_number_of_threads() {
    let (one, losses) = learned(1);
    let (three, _) = learned(3);
    assert_eq!(one.write(), three.write());
    // Two or three of a kind in a batch cannot be distinguished, so the loss ends between the logarithms of 2 and 3,
    // and differs by the draw of the batches.
    let later = losses[10..].iter().sum::<f64>() / 10.0;
    assert!(later < 0.6 * losses[0], "{losses:?}");
    let [queries, documents] = one.features();
    assert!(queries > 20 && documents > 20);
}

/// Vectors drawn by chance.
fn drawn(n: usize, chance: &mut Chance) -> Vec<Vector> {
    (0..n)
        .map(|_| std::array::from_fn(|_| chance.next() - 0.5))
        .collect()
}

fn units(sums: &[Vector]) -> Vec<(Vector, f32)> {
    let unit = |sum: &Vector| {
        let mut vector = *sum;
        let length = normalize(&mut vector);
        (vector, length)
    };
    sums.iter().map(unit).collect()
}

#[test]
fn pulls_are_the_derivatives_of_the_loss_in_both_directions() {
    let mut chance = Chance::new(1);
    let (asked, code) = (drawn(4, &mut chance), drawn(4, &mut chance));
    // The mean of both directions, as a sum over the batch.
    let loss = |asked: &[Vector]| {
        let (asked, code) = (units(asked), units(&code));
        let (there, ..) = pulls(&asked, &code, 0.2);
        let (back, ..) = pulls(&code, &asked, 0.2);
        4.0 * f64::midpoint(there, back)
    };
    let (_, of_asked, _) = pulls(&units(&asked), &units(&code), 0.2);
    for (text, place) in [(0, 0), (1, 17), (3, 127)] {
        let moved = |by: f32| {
            let mut asked = asked.clone();
            asked[text][place] += by;
            loss(&asked)
        };
        let measured = (moved(0.02) - moved(-0.02)) / 0.04;
        let found = f64::from(of_asked[text][place]);
        assert!((measured - found).abs() < 0.01, "{measured} {found}");
    }
}
