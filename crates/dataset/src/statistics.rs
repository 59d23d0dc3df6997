//! Configurations → the numbers of CLARC's Tables 1, 7 and 10, for each part of a dataset.

use std::collections::BTreeMap;

use barecode_corpus::measure;
use barecode_records::{Document, Id, Language, Setting, Split, Statistic};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use crate::{Configuration, Tokenizer, TokenizerError};

/// The share of one repository from which readers are warned: in CLARC one supplies a third of all snippets.
pub const CONCENTRATED: f64 = 1.0 / 3.0;

/// The kind of the code of pairs, which determines the numbers that can be counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// Source text.
    Source(Language),
    /// Compiler output of source text.
    Lowered,
    /// Anything else.
    Other,
}

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
    /// Cyclomatic complexity; `None` if the language of the text is not parsed.
    pub complexity: Option<f64>,
    /// Different keywords; `None` if the keywords of the language are not known.
    pub keywords: Option<f64>,
    /// Different instructions of a lowered text.
    pub instructions: Option<f64>,
}

/// Averages over pairs of a query and code.
///
/// # Errors
/// If the tokenizer does not accept a text.
pub fn averages(
    pairs: &[(&str, &str)],
    code: Code,
    tokenizer: &Tokenizer,
) -> Result<Averages, TokenizerError> {
    let numbers: Vec<Numbers> = pairs
        .par_iter()
        .map(|(query, text)| Numbers::of(query, text, code, tokenizer))
        .collect::<Result<_, _>>()?;
    let numbers: Vec<&Numbers> = numbers.iter().collect();
    Ok(means(&numbers))
}

/// The statistics of one split: for each group and setting, of all pairs, then by language, by repository, and,
/// if any is known, by the year of the first commit. Groups are in the order of their first configuration.
///
/// # Errors
/// If the tokenizer does not accept a text.
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
                let code = match draws[0].subset.facets.setting {
                    Some(Setting::Lowered { .. }) => Code::Lowered,
                    _ => Code::Source(document.language),
                };
                Ok(Measured {
                    document,
                    repository: document.whole(),
                    numbers: Numbers::of(query, &document.text, code, tokenizer)?,
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

/// Configurations that differ in their draw only: the index of the group, the setting, and the name without the draw.
type Together<'a> = (usize, Option<Setting>, &'a str);

/// A pair and its numbers.
struct Measured<'a> {
    document: &'a Document,
    repository: String,
    numbers: Numbers,
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

/// The numbers of one pair.
struct Numbers {
    query_tokens: u32,
    code_tokens: u32,
    lines: u32,
    complexity: Option<u32>,
    keywords: Option<u32>,
    instructions: Option<u32>,
}

impl Numbers {
    fn of(
        query: &str,
        text: &str,
        code: Code,
        tokenizer: &Tokenizer,
    ) -> Result<Numbers, TokenizerError> {
        let language = match code {
            Code::Source(language) => Some(language),
            Code::Lowered | Code::Other => None,
        };
        Ok(Numbers {
            query_tokens: tokenizer.query(query)?,
            code_tokens: tokenizer.code(text)?,
            lines: measure::lines(text),
            complexity: language.and_then(|language| measure::complexity(text, language)),
            keywords: language.and_then(|language| measure::keywords(text, language)),
            instructions: (code == Code::Lowered).then(|| measure::instructions(text)),
        })
    }
}

/// Sums of whole numbers are exact, so their order does not matter. A number that is counted for some pairs only is a
/// mean over those.
fn means(numbers: &[&Numbers]) -> Averages {
    let mean = |number: fn(&Numbers) -> Option<u32>| {
        let counted: Vec<f64> = numbers
            .iter()
            .filter_map(|one| number(one).map(f64::from))
            .collect();
        (!counted.is_empty()).then(|| counted.iter().sum::<f64>() / counted.len() as f64)
    };
    Averages {
        pairs: u32::try_from(numbers.len()).unwrap_or(u32::MAX),
        query_tokens: mean(|one| Some(one.query_tokens)).unwrap_or(0.0),
        code_tokens: mean(|one| Some(one.code_tokens)).unwrap_or(0.0),
        lines: mean(|one| Some(one.lines)).unwrap_or(0.0),
        complexity: mean(|one| one.complexity),
        keywords: mean(|one| one.keywords),
        instructions: mean(|one| one.instructions),
    }
}

fn summary(
    split: Split,
    draws: &[&Configuration],
    slice: String,
    tokenizer: &Tokenizer,
    members: &[&Measured<'_>],
) -> Statistic {
    let numbers: Vec<&Numbers> = members.iter().map(|one| &one.numbers).collect();
    let means = means(&numbers);
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
        query_tokens: means.query_tokens,
        code_tokens: means.code_tokens,
        lines: means.lines,
        complexity: means.complexity,
        keywords: means.keywords,
        instructions: means.instructions,
        repositories: u32::try_from(sizes.len()).unwrap_or(u32::MAX),
        largest_repository,
        largest_share,
        effective_repositories: if squares > 0.0 { 1.0 / squares } else { 0.0 },
    }
}
