//! The measures by name, parsed once into a type.
//!
//! Names are those of `ir_measures`: `nDCG@10`, `RR@10`, `AP`, `R@20`, `P@5`, `Success@1`. The measures that
//! only know relevant and not relevant take documents of grade 1 and higher as relevant, or of the grade in
//! `rel`: `RR(rel=2)@10`, which is CLARC's own reading of its Group 3 Short.

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A measure with its cutoff `k` and, where it has one, the lowest grade `rel` that counts as relevant.
///
/// ```
/// use barecode_scores::Measure;
/// let measure: Measure = "RR(rel=2)@10".parse().unwrap();
/// assert_eq!(measure, Measure::Rr { k: Some(10), rel: 2 });
/// assert_eq!(measure.to_string(), "RR(rel=2)@10");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Measure {
    /// `nDCG@k`: discounted gain of the grades, by the best possible.
    NDcg {
        /// Ranks counted; all where `None`.
        k: Option<u32>,
    },
    /// `RR@k`: one by the rank of the first relevant document.
    Rr {
        /// Ranks counted; all where `None`.
        k: Option<u32>,
        /// Lowest relevant grade.
        rel: i32,
    },
    /// `AP@k`: mean over relevant documents of the precision at their ranks.
    Ap {
        /// Ranks counted; all where `None`.
        k: Option<u32>,
        /// Lowest relevant grade.
        rel: i32,
    },
    /// `R@k`: share of the relevant documents that stand in the first `k`.
    Recall {
        /// Ranks counted.
        k: u32,
        /// Lowest relevant grade.
        rel: i32,
    },
    /// `P@k`: share of the first `k` that is relevant.
    Precision {
        /// Ranks counted.
        k: u32,
        /// Lowest relevant grade.
        rel: i32,
    },
    /// `Success@k`: whether a relevant document stands in the first `k`.
    Success {
        /// Ranks counted.
        k: u32,
        /// Lowest relevant grade.
        rel: i32,
    },
}

/// Why a text names no measure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// No measure has this name.
    #[error("unknown measure `{text}`, expected nDCG, RR, AP, R, P or Success, as in `nDCG@10`{}", hint_of(*.nearest))]
    Unknown {
        /// What was written.
        text: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
    },
    /// The measure says nothing without a cutoff.
    #[error("measure `{text}` needs a cutoff, as in `{text}@10`")]
    NoCutoff {
        /// What was written.
        text: String,
    },
    /// What stands after `@` is not a rank.
    #[error("measure `{text}` has the cutoff `{cutoff}`, expected a whole number from 1 up")]
    BadCutoff {
        /// What was written.
        text: String,
        /// The part after `@`.
        cutoff: String,
    },
    /// What stands in brackets is not understood.
    #[error("measure `{text}` has the parameter `{parameter}`, expected {expected}")]
    BadParameter {
        /// What was written.
        text: String,
        /// The part in brackets.
        parameter: String,
        /// What can stand there.
        expected: &'static str,
    },
}

fn hint_of(nearest: Option<&'static str>) -> String {
    nearest
        .map(|name| format!("; did you mean `{name}`?"))
        .unwrap_or_default()
}

impl FromStr for Measure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let text = text.trim();
        let (head, cutoff) = match text.split_once('@') {
            Some((head, cutoff)) => (head, Some(cutoff)),
            None => (text, None),
        };
        let (name, parameter) = match head.split_once('(') {
            Some((name, rest)) => (name, Some(rest.strip_suffix(')').unwrap_or(rest))),
            None => (head, None),
        };
        if !["nDCG", "RR", "AP", "R", "P", "Success"].contains(&name) {
            return Err(MeasureError::Unknown {
                text: text.to_owned(),
                nearest: nearest(name),
            });
        }
        let k = match cutoff {
            None => None,
            Some(digits) => Some(digits.parse::<NonZeroU32>().map(NonZeroU32::get).map_err(
                |_| MeasureError::BadCutoff {
                    text: text.to_owned(),
                    cutoff: digits.to_owned(),
                },
            )?),
        };
        let rel = match parameter {
            None => None,
            Some(parameter) => Some(relevant_grade(name, parameter).map_err(|expected| {
                MeasureError::BadParameter {
                    text: text.to_owned(),
                    parameter: parameter.to_owned(),
                    expected,
                }
            })?),
        }
        .unwrap_or(1);
        let cut = || {
            k.ok_or_else(|| MeasureError::NoCutoff {
                text: text.to_owned(),
            })
        };
        Ok(match name {
            "nDCG" => Measure::NDcg { k },
            "RR" => Measure::Rr { k, rel },
            "AP" => Measure::Ap { k, rel },
            "R" => Measure::Recall { k: cut()?, rel },
            "P" => Measure::Precision { k: cut()?, rel },
            _ => Measure::Success { k: cut()?, rel },
        })
    }
}

fn relevant_grade(name: &str, parameter: &str) -> Result<i32, &'static str> {
    if name == "nDCG" {
        return Err("none: nDCG counts every grade, with linear gain");
    }
    let digits = parameter
        .strip_prefix("rel=")
        .ok_or("`rel=` and a grade, as in `RR(rel=2)@10`")?;
    digits
        .parse()
        .ok()
        .filter(|&grade| grade >= 1)
        .ok_or("`rel=` and a grade from 1 up")
}

/// What people write for the same measure elsewhere.
fn nearest(name: &str) -> Option<&'static str> {
    match name.to_ascii_lowercase().as_str() {
        "ndcg" | "ndcg_cut" | "dcg" => Some("nDCG"),
        "mrr" | "rr" | "recip_rank" => Some("RR"),
        "map" | "ap" | "map_cut" => Some("AP"),
        "recall" | "r" | "hit" => Some("R"),
        "precision" | "p" => Some("P"),
        "success" | "hits" | "accuracy" => Some("Success"),
        _ => None,
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, k, rel) = match *self {
            Measure::NDcg { k } => ("nDCG", k, 1),
            Measure::Rr { k, rel } => ("RR", k, rel),
            Measure::Ap { k, rel } => ("AP", k, rel),
            Measure::Recall { k, rel } => ("R", Some(k), rel),
            Measure::Precision { k, rel } => ("P", Some(k), rel),
            Measure::Success { k, rel } => ("Success", Some(k), rel),
        };
        f.write_str(name)?;
        if rel != 1 {
            write!(f, "(rel={rel})")?;
        }
        if let Some(k) = k {
            write!(f, "@{k}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for Measure {
    type Error = MeasureError;

    fn try_from(text: String) -> Result<Self, MeasureError> {
        text.parse()
    }
}

impl From<Measure> for String {
    fn from(measure: Measure) -> Self {
        measure.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written_alike() {
        for name in [
            "nDCG@10",
            "nDCG",
            "RR@10",
            "RR",
            "AP",
            "AP@100",
            "R@1",
            "P@5",
            "Success@1",
        ] {
            assert_eq!(name.parse::<Measure>().unwrap().to_string(), name);
        }
        for name in [
            "RR(rel=2)@10",
            "AP(rel=3)",
            "R(rel=2)@5",
            "P(rel=2)@5",
            "Success(rel=2)@5",
        ] {
            assert_eq!(name.parse::<Measure>().unwrap().to_string(), name);
        }
        assert_eq!("RR(rel=1)".parse::<Measure>().unwrap().to_string(), "RR");
    }

    #[test]
    fn mistakes_are_named_with_a_way_out() {
        let message = |text: &str| text.parse::<Measure>().unwrap_err().to_string();
        assert!(message("MRR@10").ends_with("did you mean `RR`?"));
        assert!(message("Hole@10").starts_with("unknown measure `Hole@10`, expected nDCG"));
        assert_eq!(message("R"), "measure `R` needs a cutoff, as in `R@10`");
        assert!(message("nDCG@0").contains("cutoff `0`"));
        assert!(message("nDCG@ten").contains("cutoff `ten`"));
        assert!(message("nDCG(rel=2)@10").contains("linear gain"));
        assert!(message("RR(rel=0)").contains("from 1 up"));
        assert!(message("RR(level=2)").contains("`rel=`"));
    }

    #[test]
    fn measures_are_text_in_files() {
        let measure: Measure = serde_json::from_str("\"RR(rel=2)@10\"").unwrap();
        assert_eq!(serde_json::to_string(&measure).unwrap(), "\"RR(rel=2)@10\"");
        assert!(serde_json::from_str::<Measure>("\"MRR\"").is_err());
    }
}
