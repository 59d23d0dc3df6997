//! The file of a study's ratings: the verdicts of raters on pairs of descriptions.
//!
//! A line of the CSV file is one rater's verdict on one item, which has two descriptions:
//!
//! ```csv
//! item,rater,llm,human,better
//! f-17,anna,correct,wrong,
//! f-17,ben,correct,correct,llm
//! f-18,anna,correct,correct,equal
//! ```
//!
//! The third and the fourth column are the two sources, whatever their names are: the first is the candidate,
//! the other the reference. `better` has one of these names, or `equal`, and is empty unless both descriptions
//! are correct (CLARC, section 3.2). A column `group` divides the ratings into studies of their own, and `note` is
//! the note of a rater. A rater who did not rate an item has no line for it.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::words;
use serde::{Deserialize, Serialize};

words! {
    /// The judgment of one description by a rater.
    pub enum Verdict {
        /// Without factual error.
        Correct = "correct",
        /// With one.
        Wrong = "wrong",
    }
}

/// Which of two correct descriptions is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// The candidate's.
    Candidate,
    /// The reference's.
    Reference,
    /// Neither.
    Equal,
}

impl Better {
    /// The name of the better source, as in files: one of both, or `equal`.
    pub fn name<'n>(self, candidate: &'n str, reference: &'n str) -> &'n str {
        match self {
            Better::Candidate => candidate,
            Better::Reference => reference,
            Better::Equal => "equal",
        }
    }
}

/// One rater's word on one item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rating {
    /// The item.
    pub item: String,
    /// The rater.
    pub rater: String,
    /// Of the candidate's description.
    pub candidate: Verdict,
    /// Of the reference's.
    pub reference: Verdict,
    /// Which is better; [`Better::Equal`] unless both are correct.
    pub better: Better,
    /// The note of the rater; empty without such a column.
    pub note: String,
}

/// The ratings of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratings {
    /// The name of the candidate: `llm`.
    pub candidate: String,
    /// The name of the reference: `human`.
    pub reference: String,
    /// The ratings by group, in the order of the file; one group without a name if there is no such column.
    pub groups: BTreeMap<String, Vec<Rating>>,
}

/// A problem with a file of ratings.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RatingsError {
    /// The line, from 1.
    pub line: u64,
    /// The fault: the value, and the expectation.
    pub message: String,
}

impl Ratings {
    /// Reads the text of a file.
    ///
    /// # Errors
    /// For a missing or unknown column, a word that is not a verdict, a rater with two lines on one item, and a
    /// `better` that is missing or present although one description is wrong.
    pub fn parse(text: &str) -> Result<Self, RatingsError> {
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .from_reader(text.as_bytes());
        let head = reader.headers().map_err(|error| broken(&error))?.clone();
        let fail = |line: u64, message: String| Err(RatingsError { line, message });
        let place = |name: &str| head.iter().position(|found| found == name);
        let (Some(item), Some(rater), Some(better)) =
            (place("item"), place("rater"), place("better"))
        else {
            let found: Vec<&str> = head.iter().collect();
            return fail(
                1,
                format!(
                    "the columns are `{}`, expected `item`, `rater`, two sources such as `llm` and `human`, and `better`",
                    found.join(",")
                ),
            );
        };
        let (group, note) = (place("group"), place("note"));
        let known = [Some(item), Some(rater), Some(better), group, note];
        let sources: Vec<usize> = (0..head.len())
            .filter(|at| !known.contains(&Some(*at)))
            .collect();
        let [candidate, reference] = sources[..] else {
            return fail(
                1,
                format!(
                    "{} columns beside `item`, `rater`, `better`, `group` and `note`, expected two: the candidate and the reference",
                    sources.len()
                ),
            );
        };
        let (candidate_name, reference_name) =
            (head[candidate].to_owned(), head[reference].to_owned());
        let mut groups: BTreeMap<String, Vec<Rating>> = BTreeMap::new();
        let mut seen: BTreeSet<(String, String, String)> = BTreeSet::new();
        for row in reader.records() {
            let row = row.map_err(|error| broken(&error))?;
            let line = row.position().map_or(0, csv::Position::line);
            let verdict = |at: usize| match row[at].to_ascii_lowercase().as_str() {
                "correct" | "yes" | "1" => Ok(Verdict::Correct),
                "wrong" | "no" | "0" => Ok(Verdict::Wrong),
                other => Err(RatingsError {
                    line,
                    message: format!(
                        "`{other}` in column `{}`, expected `correct` or `wrong`",
                        &head[at]
                    ),
                }),
            };
            let (of_candidate, of_reference) = (verdict(candidate)?, verdict(reference)?);
            let both = of_candidate == Verdict::Correct && of_reference == Verdict::Correct;
            let word = &row[better];
            let better = match (both, word) {
                (false, "") | (true, "equal") => Better::Equal,
                (true, word) if word == candidate_name => Better::Candidate,
                (true, word) if word == reference_name => Better::Reference,
                (true, word) => {
                    return fail(
                        line,
                        format!(
                            "`{word}` in column `better`, expected `{candidate_name}`, `{reference_name}` or `equal`"
                        ),
                    );
                }
                (false, word) => {
                    return fail(
                        line,
                        format!(
                            "`{word}` in column `better`, expected nothing: only correct descriptions are compared"
                        ),
                    );
                }
            };
            let rating = Rating {
                item: row[item].to_owned(),
                rater: row[rater].to_owned(),
                candidate: of_candidate,
                reference: of_reference,
                better,
                note: note.map_or("", |at| &row[at]).to_owned(),
            };
            if rating.item.is_empty() || rating.rater.is_empty() {
                return fail(line, "`item` and `rater` must not be empty".to_owned());
            }
            let name = group.map_or("", |at| &row[at]).to_owned();
            if !seen.insert((name.clone(), rating.item.clone(), rating.rater.clone())) {
                return fail(
                    line,
                    format!("`{}` rates `{}` a second time", rating.rater, rating.item),
                );
            }
            groups.entry(name).or_default().push(rating);
        }
        if groups.is_empty() {
            return fail(1, "no ratings below the names of the columns".to_owned());
        }
        Ok(Ratings {
            candidate: candidate_name,
            reference: reference_name,
            groups,
        })
    }
}

fn broken(error: &csv::Error) -> RatingsError {
    RatingsError {
        line: error.position().map_or(1, csv::Position::line),
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_ratings_is_read() {
        let text = "item,rater,llm,human,better,group\n\
            f1,anna,correct,wrong,,1\n\
            f1,ben,correct,correct,llm,1\n\
            f2,anna,correct,correct,equal,2\n";
        let ratings = Ratings::parse(text).unwrap();
        assert_eq!(
            (ratings.candidate.as_str(), ratings.reference.as_str()),
            ("llm", "human")
        );
        assert_eq!(ratings.groups.len(), 2);
        assert_eq!(ratings.groups["1"][0].reference, Verdict::Wrong);
        assert_eq!(ratings.groups["1"][1].better, Better::Candidate);
        assert_eq!(ratings.groups["2"][0].better, Better::Equal);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let message = |text: &str| Ratings::parse(text).unwrap_err().to_string();
        assert!(message("item,llm,human,better\n").starts_with("line 1: the columns are"));
        assert!(message("item,rater,llm,better\n").contains("1 columns beside"));
        let with = |row: &str| {
            message(&format!(
                "item,rater,llm,human,better\nf0,a,no,no,\n{row}\n"
            ))
        };
        assert_eq!(
            with("f1,a,maybe,no,"),
            "line 3: `maybe` in column `llm`, expected `correct` or `wrong`"
        );
        assert!(with("f1,a,yes,no,llm").contains("only correct descriptions are compared"));
        assert!(with("f1,a,yes,yes,").contains("expected `llm`, `human` or `equal`"));
        assert!(with("f0,a,yes,no,").contains("a second time"));
        assert!(with(",a,yes,no,").contains("must not be empty"));
        assert!(with("f1,,yes,no,").contains("must not be empty"));
        assert!(
            with("f1,a,yes").starts_with("line 3"),
            "{}",
            with("f1,a,yes")
        );
        assert!(message("item,rater,llm,human,better\n").contains("no ratings"));
    }
}
