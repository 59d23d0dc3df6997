//! From verdicts to points.
//!
//! CLARC (section 3.2) gives -1 to a description with a factual error. Of two correct ones the clearly better gets +1
//! and the other +0.5; equally good ones get +0.5 each. For a correct description beside a wrong one, the paper does
//! not decide: "Correct (+0.5 / +1.0)". Its draft (section 3.4) does: +1. The two readings are two rules, by name.
//!
//! The scale is not even: an error is 1.5 points below a correct text that lost its comparison, which is 0.5 below
//! one that won. So totals are mostly about errors.

use serde::{Deserialize, Serialize};

/// An annotator's verdict on two descriptions of one function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Both have a factual error.
    BothWrong,
    /// Only the first is correct.
    OnlyFirst,
    /// Only the second is correct.
    OnlySecond,
    /// Both are correct.
    BothCorrect(Preference),
}

/// The preference between two correct descriptions: the one that is clearly better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Preference {
    /// The first.
    First,
    /// The second.
    Second,
    /// Neither.
    Neither,
}

/// The rule by which verdicts become points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Rule {
    /// CLARC's draft, section 3.4: correct beside wrong is +1. The only text that defines it for all verdicts.
    Draft,
    /// CLARC, section 3.2, to the letter: +1 is for the better of two correct ones, so correct beside wrong is
    /// +0.5.
    Paper,
}

/// The points of both descriptions, the first's first: each -1, 0.5 or 1.
///
/// ```
/// use barecode_scores::study::{Preference, Rule, Verdict, points};
/// assert_eq!(points(Verdict::BothCorrect(Preference::First), Rule::Draft), [1.0, 0.5]);
/// assert_eq!(points(Verdict::BothCorrect(Preference::Neither), Rule::Draft), [0.5, 0.5]);
/// assert_eq!(points(Verdict::OnlySecond, Rule::Draft), [-1.0, 1.0]);
/// assert_eq!(points(Verdict::OnlySecond, Rule::Paper), [-1.0, 0.5]);
/// assert_eq!(points(Verdict::BothWrong, Rule::Paper), [-1.0, -1.0]);
/// ```
pub fn points(verdict: Verdict, rule: Rule) -> [f64; 2] {
    let alone = match rule {
        Rule::Draft => 1.0,
        Rule::Paper => 0.5,
    };
    match verdict {
        Verdict::BothWrong => [-1.0, -1.0],
        Verdict::OnlyFirst => [alone, -1.0],
        Verdict::OnlySecond => [-1.0, alone],
        Verdict::BothCorrect(Preference::First) => [1.0, 0.5],
        Verdict::BothCorrect(Preference::Second) => [0.5, 1.0],
        Verdict::BothCorrect(Preference::Neither) => [0.5, 0.5],
    }
}
