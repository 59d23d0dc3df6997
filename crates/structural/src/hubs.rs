//! Hubs: documents that score high for nearly every sentence, regardless of its topic.
//!
//! A long or a plain function has something of every sentence, and so outranks the answer of many. The hub share of a
//! document is measured with fixed sentences, the same for every corpus: the mean of its highest scores for them,
//! divided by the mean of the highest score of each sentence. For a question, the share times a fraction of the
//! question's highest score is subtracted from the score of the document (query bank normalization, Bogolin et al.,
//! *Cross Modal Retrieval with Querybank Normalisation*, CVPR 2022; hubs: Radovanović et al., *Hubs in Space*, JMLR
//! 2010). Other questions of a benchmark are not used.
//!
//! The sentences are comments of the functions that the tables were learned from, as words in alphabetical order with
//! the signature that they state (`data/sentences.txt`): one a line, after its repository, with the signature before
//! the bar. A question that states its inputs is compared with sentences that do, any other with those that do not:
//! they find different documents.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::query::Question;
use crate::signature::{Shape, Trait};
use crate::stems::Stems;

/// The number of a document's highest scores that count.
const NEAREST: usize = 5;

/// Number of sentences that one thread scores at a time.
const TOGETHER: usize = 128;

/// The largest share. No weight is more than a quarter, so what a question finds best stays above what it does not find, also
/// where hardly any sentence finds anything.
const MOST: f64 = 4.0;

/// Separates the signature of a sentence from its words.
const BAR: &str = "|";

/// The fixed sentences.
pub(crate) fn sentences() -> &'static [Question] {
    static SENTENCES: OnceLock<Vec<Question>> = OnceLock::new();
    SENTENCES.get_or_init(|| {
        let lines = sentence_lines();
        lines.filter_map(|(_, line)| sentence(line)).collect()
    })
}

/// The repository of each sentence, and its line.
fn sentence_lines() -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = include_str!("../data/sentences.txt").lines();
    lines.filter_map(|line| line.split_once('\t'))
}

/// The hub shares of the documents of a corpus.
#[derive(Debug, Default)]
pub(crate) struct Hubs {
    /// For sentences that state the inputs.
    stated: Vec<f64>,
    /// For the others.
    plain: Vec<f64>,
}

impl Hubs {
    /// The hub shares of a corpus; `scores` returns the scores of all its documents for a question, in their order.
    pub(crate) fn of(scores: impl Fn(&Question) -> Vec<f64> + Sync) -> Self {
        let (stated, plain): (Vec<&Question>, Vec<&Question>) =
            sentences().iter().partition(|it| says_what_goes_in(it));
        Hubs {
            stated: shares(&stated, &scores),
            plain: shares(&plain, &scores),
        }
    }

    /// The share of each document for questions of this kind.
    pub(crate) fn of_question(&self, question: &Question) -> &[f64] {
        if says_what_goes_in(question) {
            &self.stated
        } else {
            &self.plain
        }
    }
}

fn says_what_goes_in(question: &Question) -> bool {
    !question.inputs.is_empty() || question.count.is_some()
}

/// The mean of each document's highest scores, divided by the mean of the highest score of each sentence.
fn shares(sentences: &[&Question], scores: &(impl Fn(&Question) -> Vec<f64> + Sync)) -> Vec<f64> {
    // The highest scores of each document in falling order, and the highest of each sentence.
    type Found = (Vec<[f64; NEAREST]>, Vec<f64>);
    let add = |highest: &mut [f64; NEAREST], mut score: f64| {
        for kept in highest {
            if score > *kept {
                std::mem::swap(kept, &mut score);
            }
        }
    };
    let of_some = |some: &[&Question]| -> Found {
        let (mut of_documents, mut of_sentences): Found = Default::default();
        for sentence in some {
            let scores = scores(sentence);
            of_documents.resize(scores.len(), [0.0; NEAREST]);
            of_sentences.push(scores.iter().copied().fold(0.0, f64::max));
            for (highest, score) in of_documents.iter_mut().zip(scores) {
                add(highest, score);
            }
        }
        (of_documents, of_sentences)
    };
    // The order of the sentences is kept.
    let both = |mut found: Found, other: Found| -> Found {
        found
            .0
            .resize(other.0.len().max(found.0.len()), [0.0; NEAREST]);
        for (highest, others) in found.0.iter_mut().zip(other.0) {
            for score in others {
                add(highest, score);
            }
        }
        found.1.extend(other.1);
        found
    };
    let some = sentences.par_chunks(TOGETHER);
    let (of_documents, of_sentences) = some.map(of_some).reduce(Found::default, both);
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len().max(1) as f64;
    let whole = mean(&of_sentences).max(f64::MIN_POSITIVE);
    of_documents
        .iter()
        .map(|highest| (mean(highest) / whole).min(MOST))
        .collect()
}

/// A question as a line of `data/sentences.txt`; `None` if it has fewer than four words with a term, or more than a
/// hundred.
///
/// ```
/// use barecode_structural::{Question, sentence_line};
/// let question = Question::read("The function takes two integers and returns a boolean. Tells if both are even numbers.");
/// assert_eq!(
///     sentence_line(&question).as_deref(),
///     Some("in:Int out:Bool in:Int=2 | boolean both even integers numbers tells two")
/// );
/// ```
pub fn sentence_line(question: &Question) -> Option<String> {
    let mut stems = Stems::new();
    let words = question.words.iter().map(String::as_str);
    let is_plain = |word: &&str| word.bytes().all(|byte| byte.is_ascii_graphic());
    let mut words: Vec<&str> = words
        .filter(|word| stems.of(word).is_some())
        .filter(is_plain)
        .collect();
    if !(4..=100).contains(&words.len()) {
        return None;
    }
    words.sort_unstable();
    let mut line: Vec<String> = Vec::new();
    line.extend(question.inputs.traits().map(|one| format!("in:{one:?}")));
    line.extend(question.output.traits().map(|one| format!("out:{one:?}")));
    line.extend(question.count.map(|n| format!("in#{n}")));
    let several = question.several.iter();
    line.extend(several.map(|(n, one)| format!("in:{one:?}={n}")));
    line.push(BAR.to_owned());
    line.extend(words.into_iter().map(str::to_owned));
    Some(line.join(" "))
}

/// Reads a line; `None` if it is malformed.
fn sentence(line: &str) -> Option<Question> {
    let (signature, words) = line.split_once(BAR)?;
    let mut question = Question {
        words: words.split_ascii_whitespace().map(str::to_owned).collect(),
        ..Question::default()
    };
    for term in signature.split_ascii_whitespace() {
        if let Some(count) = term.strip_prefix("in#") {
            question.count = Some(count.parse().ok()?);
        } else if let Some((one, n)) = term.split_once('=') {
            let one = Trait::named(one.strip_prefix("in:")?)?;
            question.several.push((n.parse().ok()?, one));
        } else {
            let (side, name) = term.split_once(':')?;
            let shape: &mut Shape = match side {
                "in" => &mut question.inputs,
                "out" => &mut question.output,
                _ => return None,
            };
            shape.add(Trait::named(name)?);
        }
    }
    Some(question)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_a_sentence_and_is_written_as_it_was_read() {
        let lines: Vec<&str> = sentence_lines().map(|(_, line)| line).collect();
        assert_eq!(lines.len(), 4096);
        let sources = include_str!("../../../recipes/structural/sources.csv");
        for (repository, _) in sentence_lines() {
            let is_source = |line: &str| line.split(',').next() == Some(repository);
            assert!(sources.lines().any(is_source), "{repository}");
        }
        assert_eq!(sentences().len(), lines.len());
        for (line, question) in lines.iter().zip(sentences()) {
            assert_eq!(sentence_line(question).as_deref(), Some(*line));
        }
    }

    #[test]
    fn what_is_no_line_is_none() {
        for line in [
            "",
            "in:Int out:Bool",
            "in:Nothing | word",
            "in#x | word",
            "at:Int | word",
            "in:Int=z | word",
        ] {
            assert_eq!(sentence(line), None, "{line}");
        }
    }

    #[test]
    fn short_and_long_sentences_are_no_lines() {
        let of = |text: &str| sentence_line(&Question::read(text));
        assert_eq!(of("The function is used for a buffer"), None);
        assert!(of("Flushes pending requests of queues").is_some());
        assert_eq!(of(&"flushes ".repeat(101)), None);
        let line = of("Flushes the größten pending requests of queues").unwrap_or_default();
        assert!(line.is_ascii() && line.contains("pending"), "{line}");
    }

    #[test]
    fn a_share_is_bounded_and_there_without_any_score() {
        // One sentence of all finds one document.
        let is_first = |question: &Question| *question == sentences()[0];
        let hubs = Hubs::of(|question| vec![f64::from(u8::from(is_first(question))), 0.0]);
        let kind = hubs.of_question(&sentences()[0]);
        assert!((kind[0] - MOST).abs() < 1e-12 && kind[1] == 0.0, "{kind:?}");
        let none = Hubs::of(|_| vec![-1.0, 0.0]);
        assert_eq!(none.stated, [0.0, 0.0]);
        assert!(Hubs::of(|_| Vec::new()).plain.is_empty());
    }

    #[test]
    fn a_question_meets_sentences_of_its_kind() {
        let hubs = Hubs::of(|question| vec![f64::from(u8::from(says_what_goes_in(question)))]);
        let of = |text: &str| hubs.of_question(&Question::read(text))[0];
        assert!((of("Takes two integers and returns the larger one.") - 1.0).abs() < 1e-12);
        assert!(of("Flushes what is pending.").abs() < 1e-12);
    }

    #[test]
    fn both_kinds_of_sentences_are_there() {
        let stated = sentences()
            .iter()
            .filter(|it| says_what_goes_in(it))
            .count();
        let plain = sentences().len() - stated;
        assert!(stated > 1000 && plain > 1000, "{stated} {plain}");
    }

    #[test]
    fn shares_are_the_same_on_any_number_of_threads() {
        // A score that depends on the question alone, in no order.
        let score = |question: &Question, document: usize| {
            let length: usize = question.words.iter().map(String::len).sum();
            ((length * 7919 + document * 104_729) % 1009) as f64 / 7.0
        };
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(threads)
                .build()
                .expect("threads can be started");
            pool.install(|| Hubs::of(|question| (0..5).map(|at| score(question, at)).collect()))
        };
        let (one, two, seven) = (of(1), of(2), of(7));
        let plain: Vec<&Question> = sentences()
            .iter()
            .filter(|it| !says_what_goes_in(it))
            .collect();
        let highest = |of: &dyn Fn(usize) -> f64, n: usize| (0..n).map(of).fold(0.0, f64::max);
        let whole: f64 = plain.iter().map(|it| highest(&|at| score(it, at), 5)).sum();
        for document in 0..5 {
            let mut all: Vec<f64> = plain.iter().map(|it| score(it, document)).collect();
            all.sort_by(|a, b| b.total_cmp(a));
            let expected = all[..NEAREST].iter().sum::<f64>() / NEAREST as f64;
            let expected = expected / (whole / plain.len() as f64);
            assert!((one.plain[document] - expected).abs() < 1e-9);
        }
        let same = |one: &[f64], other: &[f64]| {
            one.iter()
                .zip(other)
                .all(|(a, b)| a.to_bits() == b.to_bits())
        };
        for others in [two, seven] {
            assert!(same(&one.plain, &others.plain) && same(&one.stated, &others.stated));
        }
    }
}
