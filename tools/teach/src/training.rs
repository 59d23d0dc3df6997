//! Pairs to tables: two linear encoders, one for sentences and one for code, that are trained to map texts that
//! belong together to similar vectors.
//!
//! A text's vector is the sum of its features' rows, made one of length 1. The loss is `InfoNCE` in both directions with
//! the other texts of a batch as negatives (CLARC, appendix F.4, with a sentence on one side and any form of the code on
//! the other); a feature's row moves by `AdaGrad`. In each round a random part of the features is left out, so that no text
//! is known by a single word.
//!
//! Sums are added in one order: the tables are the same on any number of threads.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::Language;
use barecode_structural::learned::features::{self, Feature, Features};
use barecode_structural::learned::table::{DIMENSIONS, Table, Vector, dot, normalize};
use barecode_structural::learned::types;
use barecode_structural::{Field, Learned, Question, Rendering, Stems, render_in};
use rayon::prelude::*;

use crate::prior::{self, Prior};

/// A function to learn from.
#[derive(Debug, Clone, Default)]
pub(crate) struct Example {
    /// Its repository: features that occur in one repository only are not learned.
    pub(crate) repository: String,
    /// A sentence about it, if there is one; without it some of the words of its rendered source describe its lowered
    /// forms.
    pub(crate) sentence: Option<String>,
    /// The function as source first, then as assembly or WebAssembly, as far as there are any.
    pub(crate) texts: Vec<String>,
    /// The language of its source; `None` for C and C++.
    pub(crate) language: Option<Language>,
}

/// The settings of the training.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lesson {
    /// Rounds over all examples.
    pub(crate) epochs: usize,
    /// Examples of a batch, each of which is a negative for the others.
    pub(crate) batch: usize,
    /// Examples of one repository that follow each other in a batch: they are the hardest negatives for each other.
    pub(crate) together: usize,
    /// The number that similarities are divided by.
    pub(crate) temperature: f32,
    /// The distance that a row moves; a tenth of that in the last round.
    pub(crate) rate: f32,
    /// The share of features that are left out.
    pub(crate) left_out: f32,
    /// The share of sentences that state the types of the function too.
    pub(crate) stated: f32,
    /// The number of examples that must have a feature.
    pub(crate) least_examples: usize,
    /// The number of repositories that must have it.
    pub(crate) least_repositories: usize,
    /// The largest number of features of a side that are learned: the most frequent ones.
    pub(crate) most_features: usize,
    /// The seed of random numbers.
    pub(crate) seed: u64,
}

impl Default for Lesson {
    fn default() -> Self {
        Lesson {
            epochs: 6,
            batch: 512,
            together: 64,
            temperature: 0.07,
            rate: 0.03,
            left_out: 0.3,
            stated: 0.5,
            least_examples: 5,
            least_repositories: 2,
            most_features: 20_500,
            seed: 0,
        }
    }
}

/// The factor of the random vector in a row that starts at a vector of a prior.
const BESIDE: f32 = 0.1;

/// Numbers from 0 to below 1 (xorshift).
pub(crate) struct Chance(u64);

impl Chance {
    pub(crate) fn new(seed: u64) -> Self {
        let mut chance = Chance((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
        chance.next();
        chance
    }

    pub(crate) fn next(&mut self) -> f32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 40) as f32 / (1_u32 << 24) as f32
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place below the end"
    )]
    fn below(&mut self, end: usize) -> usize {
        ((f64::from(self.next()) * end as f64) as usize).min(end.saturating_sub(1))
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for end in (1..all.len()).rev() {
            let other = self.below(end + 1);
            all.swap(end, other);
        }
    }
}

/// The features of an example.
struct Seen {
    plain: Features,
    stated: Features,
    texts: Vec<Features>,
}

/// Places of rows with how much they count.
type Places = Vec<(usize, f32)>;

/// The rows of one side while they are learned.
struct Rows {
    features: BTreeMap<Feature, usize>,
    /// The rarity of each feature.
    rarity: Vec<f32>,
    vectors: Vec<Vector>,
    moved: Vec<f32>,
}

impl Rows {
    /// Rows for the features that enough examples have, near 0.
    fn new<'a>(
        all: impl Iterator<Item = (&'a str, &'a Features)>,
        lesson: &Lesson,
        chance: &mut Chance,
    ) -> Self {
        let mut having: BTreeMap<Feature, (usize, BTreeSet<&str>)> = BTreeMap::new();
        let mut n = 0;
        for (repository, features) in all {
            n += 1;
            for (feature, _) in features {
                let (count, repositories) = having.entry(*feature).or_default();
                *count += 1;
                if repositories.len() < lesson.least_repositories {
                    repositories.insert(repository);
                }
            }
        }
        let mut kept: Vec<(Feature, usize)> = having
            .into_iter()
            .filter(|(_, (count, repositories))| {
                *count >= lesson.least_examples && repositories.len() >= lesson.least_repositories
            })
            .map(|(feature, (count, _))| (feature, count))
            .collect();
        kept.sort_by_key(|(feature, count)| (usize::MAX - count, *feature));
        kept.truncate(lesson.most_features);
        kept.sort_unstable();
        let spread = 2.0 / (DIMENSIONS as f32).sqrt();
        let mut rows = Rows {
            features: BTreeMap::new(),
            rarity: Vec::new(),
            vectors: Vec::new(),
            moved: vec![0.0; kept.len()],
        };
        for (at, (feature, count)) in kept.into_iter().enumerate() {
            rows.features.insert(feature, at);
            rows.rarity.push((n as f32 / count as f32).ln().max(0.1));
            rows.vectors
                .push(std::array::from_fn(|_| (chance.next() - 0.5) * spread));
        }
        rows
    }

    /// Moves rows to the vectors of a prior; a little of the random vector stays.
    fn begin(&mut self, priors: &BTreeMap<Feature, Vector>) {
        for (feature, at) in &self.features {
            if let Some(prior) = priors.get(feature) {
                for (value, prior) in self.vectors[*at].iter_mut().zip(prior) {
                    *value = *value * BESIDE + prior;
                }
            }
        }
    }

    /// The rows of a text, so that the squares of what they count add to 1.
    fn places(&self, features: &Features) -> Places {
        let known = features.iter().filter_map(|(feature, count)| {
            let at = *self.features.get(feature)?;
            Some((at, count * self.rarity[at]))
        });
        let mut places: Places = known.collect();
        let length = places.iter().map(|(_, it)| it * it).sum::<f32>().sqrt();
        for (_, it) in &mut places {
            *it /= length;
        }
        places
    }

    fn sum(&self, places: &Places) -> Vector {
        let mut sum = [0.0; DIMENSIONS];
        for (at, times) in places {
            for (sum, part) in sum.iter_mut().zip(&self.vectors[*at]) {
                *sum += times * part;
            }
        }
        sum
    }

    /// Moves rows against what the vectors of a batch pull them to.
    fn step(&mut self, batch: &[&Places], pulls: &[Vector], rate: f32) {
        let mut of_row: BTreeMap<usize, Vector> = BTreeMap::new();
        for (places, pull) in batch.iter().zip(pulls) {
            for (at, times) in *places {
                let row = of_row.entry(*at).or_insert([0.0; DIMENSIONS]);
                for (row, pull) in row.iter_mut().zip(pull) {
                    *row += times * pull;
                }
            }
        }
        for (at, pull) in of_row {
            self.moved[at] += dot(&pull, &pull) / DIMENSIONS as f32;
            let step = rate / (self.moved[at].sqrt() + 1e-6);
            for (row, pull) in self.vectors[at].iter_mut().zip(&pull) {
                *row -= step * pull;
            }
        }
    }

    /// The table, with how rare a feature is in its row.
    fn table(&self) -> Table {
        let rows = self.features.iter().map(|(feature, at)| {
            let rarity = self.rarity[*at];
            (*feature, self.vectors[*at].map(|it| it * rarity))
        });
        Table::rounded(&rows.collect())
    }
}

/// Learns from examples. `progress` is called after each round with its number, from 0, and its mean loss. With `prior`, rows
/// start at its vectors for the words of their features.
pub(crate) fn learn(
    examples: &[Example],
    lesson: &Lesson,
    prior: Option<&Prior<'_>>,
    mut progress: impl FnMut(usize, f64),
) -> Learned {
    let mut chance = Chance::new(lesson.seed);
    let seen: Vec<Seen> = examples
        .par_iter()
        .enumerate()
        .map_init(Stems::new, |stems, (at, example)| {
            Seen::of(&Drawn::of(example, lesson.seed ^ at as u64), stems)
        })
        .collect();
    let names = examples.iter().map(|it| it.repository.as_str());
    let sentences = names.clone().zip(&seen);
    let sentences = sentences.flat_map(|(name, it)| [(name, &it.plain), (name, &it.stated)]);
    let mut queries = Rows::new(sentences, lesson, &mut chance);
    let texts = names.zip(&seen);
    let texts = texts.flat_map(|(name, it)| it.texts.iter().map(move |text| (name, text)));
    let mut documents = Rows::new(texts, lesson, &mut chance);
    if let Some(prior) = prior {
        let [asked, code] = prior::rows(prior, said_by(examples, lesson, [&queries, &documents]));
        queries.begin(&asked);
        documents.begin(&code);
    }
    let placed: Vec<(Places, Places, Vec<Places>)> = seen
        .par_iter()
        .map(|it| {
            let texts = it.texts.iter().map(|text| documents.places(text));
            (
                queries.places(&it.plain),
                queries.places(&it.stated),
                texts.collect(),
            )
        })
        .collect();
    let mut order: Vec<usize> = (0..placed.len())
        .filter(|&at| {
            let (sentence, _, texts) = &placed[at];
            sentence.len() > 1 && !texts.is_empty() && texts.iter().all(|it| it.len() > 2)
        })
        .collect();
    for epoch in 0..lesson.epochs {
        let rate = lesson.rate * (1.0 - 0.9 * epoch as f32 / lesson.epochs as f32);
        chance.shuffle(&mut order);
        let order = together(&order, examples, lesson.together, &mut chance);
        let (mut total, mut batches) = (0.0, 0);
        for batch in order
            .chunks(lesson.batch.max(2))
            .filter(|batch| batch.len() > 1)
        {
            let drawn: Vec<(Places, Places)> = batch
                .iter()
                .map(|&at| {
                    let (plain, stated, texts) = &placed[at];
                    let sentence = if chance.next() < lesson.stated {
                        stated
                    } else {
                        plain
                    };
                    let text = &texts[chance.below(texts.len())];
                    (
                        thinned(sentence, lesson.left_out, &mut chance),
                        thinned(text, lesson.left_out, &mut chance),
                    )
                })
                .collect();
            let (asked, code): (Vec<&Places>, Vec<&Places>) =
                drawn.iter().map(|(asked, code)| (asked, code)).unzip();
            let (loss, of_asked, of_code) = pulls(
                &encoded(&queries, &asked),
                &encoded(&documents, &code),
                lesson.temperature,
            );
            queries.step(&asked, &of_asked, rate);
            documents.step(&code, &of_code, rate);
            total += loss;
            batches += 1;
        }
        progress(epoch, total / f64::from(batches.max(1)));
    }
    Learned::new(queries.table(), documents.table())
}

/// An order in which `many` examples of one repository follow each other; the rest of a repository is a shorter run.
pub(crate) fn together(
    order: &[usize],
    examples: &[Example],
    many: usize,
    chance: &mut Chance,
) -> Vec<usize> {
    let mut of_repository: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in order {
        let of = examples.get(at).map_or("", |it| it.repository.as_str());
        of_repository.entry(of).or_default().push(at);
    }
    let all = of_repository.values();
    let mut runs: Vec<&[usize]> = all.flat_map(|of| of.chunks(many.max(1))).collect();
    chance.shuffle(&mut runs);
    runs.concat()
}

/// An example as two questions and what is rendered of it.
struct Drawn {
    plain: Question,
    stated: Question,
    is_sentence: bool,
    /// Its source, if there is a sentence about it, then its lowered forms.
    renderings: Vec<Rendering>,
}

impl Drawn {
    fn of(example: &Example, seed: u64) -> Self {
        let mut chance = Chance::new(seed);
        let mut renderings: Vec<Rendering> = example
            .texts
            .iter()
            .map(|text| render_in(text, example.language))
            .collect();
        let source = renderings.first().cloned().unwrap_or_default();
        let types = types(&source.signature, || chance.next());
        let is_sentence = example.sentence.is_some();
        let (plain, stated);
        if let Some(sentence) = &example.sentence {
            plain = Question::read(sentence);
            stated = Question::read(&format!("{types} {sentence}"));
        } else {
            let mut words = || Question {
                words: third_of_words(&source, || chance.next()),
                ..Question::read(&types)
            };
            (plain, stated) = (words(), words());
            renderings.drain(..1.min(renderings.len()));
        }
        Drawn {
            plain,
            stated,
            is_sentence,
            renderings,
        }
    }
}

impl Seen {
    fn of(drawn: &Drawn, stems: &mut Stems) -> Seen {
        let mut asked = |question: &Question| -> Features {
            let found = features::query(question, drawn.is_sentence, stems).into_iter();
            found
                .map(|(feature, (_, count))| (feature, count))
                .collect()
        };
        let (plain, stated) = (asked(&drawn.plain), asked(&drawn.stated));
        let renderings = drawn.renderings.iter();
        Seen {
            plain,
            stated,
            texts: renderings
                .map(|rendering| features::document(rendering, stems))
                .collect(),
        }
    }
}

/// The words of each feature that has a row, for queries and for documents, from the first example with the feature.
fn said_by(
    examples: &[Example],
    lesson: &Lesson,
    [queries, documents]: [&Rows; 2],
) -> [BTreeMap<Feature, String>; 2] {
    let mut said = [BTreeMap::new(), BTreeMap::new()];
    let stems = &mut Stems::new();
    for (at, example) in examples.iter().enumerate() {
        let drawn = Drawn::of(example, lesson.seed ^ at as u64);
        let [of_queries, of_documents] = &mut said;
        for question in [&drawn.plain, &drawn.stated] {
            for (feature, (words, _)) in features::query(question, drawn.is_sentence, stems) {
                if queries.features.contains_key(&feature) {
                    let words = || features::in_words(&words);
                    of_queries.entry(feature).or_insert_with(words);
                }
            }
        }
        for rendering in &drawn.renderings {
            features::each(rendering, stems, |feature, _, words| {
                if documents.features.contains_key(&feature) {
                    of_documents.entry(feature).or_insert_with(words);
                }
            });
        }
    }
    said
}

/// A third of the words that a rendering has, names left out; `chance` returns numbers from 0 to below 1.
fn third_of_words(rendering: &Rendering, mut chance: impl FnMut() -> f32) -> Vec<String> {
    let words = rendering.words.iter();
    let words = words.filter(|(field, _)| *field != Field::Names);
    let concepts = rendering.concepts.iter();
    let concepts = concepts.flat_map(|concept| concept.words().split_ascii_whitespace());
    let all = words.map(|(_, word)| word.as_str()).chain(concepts);
    all.filter(|_| chance() < 1.0 / 3.0)
        .map(str::to_owned)
        .collect()
}

/// Features without a random part of them, but at least one.
fn thinned(places: &Places, left_out: f32, chance: &mut Chance) -> Places {
    let kept: Places = places
        .iter()
        .filter(|_| chance.next() >= left_out)
        .copied()
        .collect();
    if kept.is_empty() {
        places.clone()
    } else {
        kept
    }
}

/// The vectors of texts, each with how long it was.
fn encoded(rows: &Rows, batch: &[&Places]) -> Vec<(Vector, f32)> {
    let one = |places: &&Places| {
        let mut vector = rows.sum(places);
        let length = normalize(&mut vector).max(1e-6);
        (vector, length)
    };
    batch.par_iter().map(one).collect()
}

/// The loss of a batch, and what it pulls the sums of the two sides to.
pub(crate) fn pulls(
    asked: &[(Vector, f32)],
    code: &[(Vector, f32)],
    temperature: f32,
) -> (f64, Vec<Vector>, Vec<Vector>) {
    let n = asked.len();
    let similar: Vec<Vec<f32>> = asked
        .par_iter()
        .map(|(a, _)| code.iter().map(|(b, _)| dot(a, b) / temperature).collect())
        .collect();
    // The greatest, and the sum of the powers of e below it.
    let sum = |of: &dyn Fn(usize) -> f32| {
        let greatest = (0..n).map(of).fold(f32::MIN, f32::max);
        (
            greatest,
            (0..n).map(|at| (of(at) - greatest).exp()).sum::<f32>(),
        )
    };
    let rows: Vec<(f32, f32)> = (0..n)
        .into_par_iter()
        .map(|i| sum(&|j| similar[i][j]))
        .collect();
    let columns: Vec<(f32, f32)> = (0..n)
        .into_par_iter()
        .map(|j| sum(&|i| similar[i][j]))
        .collect();
    let loss = (0..n)
        .map(|i| f64::from(rows[i].0 + rows[i].1.ln() - similar[i][i]))
        .sum::<f64>();
    let pull = |i: usize, j: usize| {
        let it = similar[i][j];
        let share = |(greatest, sum): (f32, f32)| (it - greatest).exp() / sum;
        let own = if i == j { 2.0 } else { 0.0 };
        (share(rows[i]) + share(columns[j]) - own) / (2.0 * temperature)
    };
    let of_side = |own: &[(Vector, f32)],
                   others: &[(Vector, f32)],
                   of: &(dyn Fn(usize, usize) -> f32 + Sync)| {
        let one = |(at, (vector, length)): (usize, &(Vector, f32))| {
            let mut sum = [0.0; DIMENSIONS];
            for (other, (to, _)) in others.iter().enumerate() {
                let times = of(at, other);
                for (sum, part) in sum.iter_mut().zip(to) {
                    *sum += times * part;
                }
            }
            let along = dot(&sum, vector);
            for (sum, part) in sum.iter_mut().zip(vector) {
                *sum = (*sum - along * part) / length;
            }
            sum
        };
        own.par_iter().enumerate().map(one).collect::<Vec<Vector>>()
    };
    let of_asked = of_side(asked, code, &pull);
    let of_code = of_side(code, asked, &|j, i| pull(i, j));
    (loss / n as f64, of_asked, of_code)
}
