//! The features of a document that a shift may correlate with.

use barecode_corpus::measure;
use barecode_records::Language;
use barecode_settings::perturbation::perturbation;
use clap::ValueEnum;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::Pair;

/// The language of documents that state none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum DefaultLanguage {
    /// C.
    C,
    /// C++, and C that is C++ too.
    #[default]
    Cpp,
    /// Neither: complexity and perturbation are left out.
    Other,
}

/// The features of one document.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub(super) struct Features {
    /// Lines of the original.
    pub(super) lines: u32,
    /// Cyclomatic complexity of the original, in C and C++.
    pub(super) complexity: Option<u32>,
    /// Characters of renamed identifiers over characters of the original; `None` where more than names changed.
    pub(super) perturbation: Option<f64>,
    /// Renamed identifiers over tokens.
    pub(super) tokens: Option<f64>,
}

impl Features {
    /// Of each document that both subsets have.
    pub(super) fn of(pair: &Pair<'_>, default: DefaultLanguage) -> Vec<Features> {
        let languages = pair.shared.iter().map(|&(index, _)| {
            let stated = pair.original.documents[index].language();
            stated.map_or_else(|| default.language(), language)
        });
        let texts: Vec<_> = pair.both().zip(languages).collect();
        texts
            .par_iter()
            .map(|&((original, changed), language)| {
                let changes = language.and_then(|_| perturbation(original, changed));
                Features {
                    lines: measure::lines(original),
                    complexity: language
                        .and_then(|language| measure::complexity(original, language)),
                    perturbation: changes.map(|changes| changes.characters),
                    tokens: changes.map(|changes| changes.tokens),
                }
            })
            .collect()
    }

    /// The features in the order of the table, each with its name.
    pub(super) const NAMES: [&str; 4] = [
        "lines",
        "complexity",
        "perturbation fraction",
        "share of tokens",
    ];

    /// The values in the order of [`NAMES`](Features::NAMES).
    pub(super) fn values(&self) -> [Option<f64>; 4] {
        [
            Some(f64::from(self.lines)),
            self.complexity.map(f64::from),
            self.perturbation,
            self.tokens,
        ]
    }
}

impl DefaultLanguage {
    fn language(self) -> Option<Language> {
        match self {
            DefaultLanguage::C => Some(Language::C),
            DefaultLanguage::Cpp => Some(Language::CPP),
            DefaultLanguage::Other => None,
        }
    }
}

fn language(name: &str) -> Option<Language> {
    let entry = barecode_languages::find(name)?;
    entry.is_mined().then_some(entry.language)
}
