//! The learned part: what it learns, that it is the same everywhere, and that its share of a score is explained.

use barecode_structural::{Example, Learned, Lesson, Options, Prior, StructuralIndex, learn};

/// Functions of a few kinds under many names, and what people say of each.
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
    temperature: 0.05,
    rate: 0.03,
    left_out: 0.1,
    stated: 0.5,
    least_examples: 2,
    least_repositories: 2,
    most_features: 1000,
    seed: 3,
};

/// A model of English that threads may ask.
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
fn the_loss_falls_and_the_tables_are_the_same_on_any_number_of_threads() {
    let (one, losses) = learned(1);
    let (three, _) = learned(3);
    assert_eq!(one.write(), three.write());
    // Two of a kind in a batch cannot be told apart, so the loss ends near the logarithm of 2.
    let last = losses[15..].iter().sum::<f64>() / 5.0;
    assert!(last < 0.6 * losses[0], "{losses:?}");
    let [queries, documents] = one.features();
    assert!(queries > 20 && documents > 20);
}

#[test]
fn tables_are_read_back_and_damaged_ones_are_refused() {
    let (learned, _) = learned(2);
    let bytes = learned.write();
    assert_eq!(Learned::read(&bytes), Some(learned));
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
    let sentences = include_str!("../data/sentences.txt").len();
    assert!(shipped.write().len() + sentences <= 10_000_000);
}

#[test]
fn what_was_learned_can_be_left_out() {
    let texts: Vec<String> = examples().into_iter().flat_map(|it| it.texts).collect();
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
    let texts: Vec<String> = examples().into_iter().flat_map(|it| it.texts).collect();
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
