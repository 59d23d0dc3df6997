//! Configurations → the numbers of CLARC's Tables 1, 7 and 10, for each part of a dataset.

use std::collections::BTreeMap;

use barecode_corpus::measure;
use barecode_records::{Document, Id, Language, Setting, Split, Statistic};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{Configuration, Tokenizer, TokenizerError};

/// The share of one repository from which readers are warned: in CLARC one supplies a third of all snippets.
pub const CONCENTRATED: f64 = 1.0 / 3.0;

/// Means over pairs of a query and its answer.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Averages {
    /// Number of pairs.
    pub pairs: u32,
    /// Tokens of the query.
    pub query_tokens: f64,
    /// Tokens of the code.
    pub code_tokens: f64,
    /// Lines of the code.
    pub lines: f64,
    /// Cyclomatic complexity; nothing where the text is in no language that is parsed.
    pub complexity: Option<f64>,
    /// Different keywords; nothing as above.
    pub keywords: Option<f64>,
}

/// Averages over pairs of a query and code. `language` is nothing for texts that are neither C nor C++.
///
/// # Errors
/// Where the tokenizer does not take a text.
pub fn averages(
    pairs: &[(&str, &str)],
    language: Option<Language>,
    tokenizer: &Tokenizer,
) -> Result<Averages, TokenizerError> {
    let numbers: Vec<[f64; 5]> = pairs
        .par_iter()
        .map(|(query, code)| numbers(query, code, language, tokenizer))
        .collect::<Result<_, _>>()?;
    let [query_tokens, code_tokens, lines, complexity, keywords] = means(numbers.iter());
    Ok(Averages {
        pairs: u32::try_from(pairs.len()).unwrap_or(u32::MAX),
        query_tokens,
        code_tokens,
        lines,
        complexity: language.map(|_| complexity),
        keywords: language.map(|_| keywords),
    })
}

/// The statistics of one split: for each group and setting, of all pairs, then by language, by repository, and, if any
/// is known, by the year of the first commit. Groups are in the order of their first configuration.
///
/// # Errors
/// Where the tokenizer does not take a text.
pub fn statistics(
    split: Split,
    configurations: &[Configuration],
    tokenizer: &Tokenizer,
) -> Result<Vec<Statistic>, TokenizerError> {
    let mut groups: Vec<Option<&str>> = Vec::new();
    let mut together: BTreeMap<Together<'_>, Vec<&Configuration>> = BTreeMap::new();
    for configuration in configurations {
        let facets = &configuration.subset.facets;
        let group = facets.group.as_deref();
        let at = groups.iter().position(|known| *known == group);
        let at = at.unwrap_or_else(|| {
            groups.push(group);
            groups.len() - 1
        });
        let key = (at, facets.setting, configuration.subset.name_without_draw());
        together.entry(key).or_default().push(configuration);
    }
    let mut rows = Vec::new();
    for draws in together.into_values() {
        let pairs: Vec<(&str, &Document)> = draws.iter().flat_map(|draw| answers(draw)).collect();
        let measured: Vec<Measured<'_>> = pairs
            .par_iter()
            .map(|(query, document)| {
                let language = Some(document.language);
                Ok(Measured {
                    document,
                    repository: document.whole(),
                    numbers: numbers(query, &document.text, language, tokenizer)?,
                })
            })
            .collect::<Result<_, TokenizerError>>()?;
        let mut slices: BTreeMap<(usize, String), Vec<&Measured<'_>>> = BTreeMap::new();
        let dated = measured
            .iter()
            .any(|one| one.document.first_commit.is_some());
        for one in &measured {
            for (order, slice) in one.slices(dated) {
                slices.entry((order, slice)).or_default().push(one);
            }
        }
        for ((_, slice), members) in slices {
            rows.push(summary(split, &draws, slice, tokenizer, &members));
        }
    }
    Ok(rows)
}

/// Configurations that differ in their draw only: where the group stands, the setting, and the name without the draw.
type Together<'a> = (usize, Option<Setting>, &'a str);

/// A pair and its numbers.
struct Measured<'a> {
    document: &'a Document,
    repository: String,
    numbers: [f64; 5],
}

impl Measured<'_> {
    /// The slices that it is in, each with the rank of its kind.
    fn slices(&self, dated: bool) -> Vec<(usize, String)> {
        let mut slices = vec![
            (0, "all".to_owned()),
            (1, format!("language={}", self.document.language.name())),
            (2, format!("repository={}", self.repository)),
        ];
        if dated {
            let day = self.document.first_commit.as_deref();
            let year = day.and_then(|day| day.get(..4)).unwrap_or("unknown");
            slices.push((3, format!("year={year}")));
        }
        slices
    }
}

/// Every query with its answer of the highest grade, in the order of the queries.
fn answers(configuration: &Configuration) -> Vec<(&str, &Document)> {
    let documents: BTreeMap<&Id, &Document> = configuration
        .documents
        .iter()
        .map(|document| (&document.id, document))
        .collect();
    let mut best: BTreeMap<&Id, (i32, &Id)> = BTreeMap::new();
    for judgment in &configuration.judgments {
        let found = (judgment.score, &judgment.corpus_id);
        let entry = best.entry(&judgment.query_id).or_insert(found);
        if found.0 > entry.0 {
            *entry = found;
        }
    }
    let queries = configuration.queries.iter();
    queries
        .filter_map(|query| {
            let (_, id) = best.get(&query.id)?;
            Some((query.text.as_str(), *documents.get(id)?))
        })
        .collect()
}

fn numbers(
    query: &str,
    code: &str,
    language: Option<Language>,
    tokenizer: &Tokenizer,
) -> Result<[f64; 5], TokenizerError> {
    let in_language =
        |measure: fn(&str, Language) -> u32| language.map_or(0, |language| measure(code, language));
    Ok([
        tokenizer.query(query)?,
        tokenizer.code(code)?,
        measure::lines(code),
        in_language(measure::complexity),
        in_language(measure::keywords),
    ]
    .map(f64::from))
}

/// Sums of whole numbers are exact, so their order means nothing.
fn means<'n>(numbers: impl ExactSizeIterator<Item = &'n [f64; 5]>) -> [f64; 5] {
    let count = numbers.len().max(1) as f64;
    let mut sums = [0.0; 5];
    for row in numbers {
        for (sum, number) in sums.iter_mut().zip(row) {
            *sum += number;
        }
    }
    sums.map(|sum| sum / count)
}

fn summary(
    split: Split,
    draws: &[&Configuration],
    slice: String,
    tokenizer: &Tokenizer,
    members: &[&Measured<'_>],
) -> Statistic {
    let [query_tokens, code_tokens, lines, complexity, keywords] =
        means(members.iter().map(|one| &one.numbers));
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for one in members {
        *sizes.entry(&one.repository).or_default() += 1;
    }
    let share = |size: usize| size as f64 / members.len() as f64;
    // Of repositories of one size the first by name.
    let largest = sizes.iter().rev().max_by_key(|(_, size)| **size);
    let (largest_repository, largest_share) = largest
        .map_or((String::new(), 0.0), |(name, size)| {
            ((*name).to_owned(), share(*size))
        });
    let squares: f64 = sizes.values().map(|size| share(*size) * share(*size)).sum();
    let subset = &draws[0].subset;
    Statistic {
        split,
        subset: subset.name_without_draw().to_owned(),
        group: subset.facets.group.clone(),
        setting: subset.facets.setting,
        draws: u32::try_from(draws.len()).unwrap_or(u32::MAX),
        slice,
        tokenizer: tokenizer.name().to_owned(),
        pairs: u32::try_from(members.len() / draws.len()).unwrap_or(u32::MAX),
        query_tokens,
        code_tokens,
        lines,
        complexity,
        keywords,
        repositories: u32::try_from(sizes.len()).unwrap_or(u32::MAX),
        largest_repository,
        largest_share,
        effective_repositories: if squares > 0.0 { 1.0 / squares } else { 0.0 },
    }
}
