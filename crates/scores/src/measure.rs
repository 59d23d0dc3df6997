//! The measures by name, parsed once into a type.
//!
//! In comes a text in the grammar of `ir_measures` 0.4.3, `Name(parameter=value,…)@cutoff`; out comes a
//! [`Measure`], which prints as `ir_measures` prints it. Names of `trec_eval` (`ndcg_cut_10`, `map`,
//! `recip_rank`) and of MTEB's results (`ndcg_at_10`) are read as aliases.
//!
//! The measures that only know relevant and not relevant take documents of grade 1 and higher as relevant, or
//! of the grade in `rel`: `RR(rel=2)@10`. `rel=max` is ours: the highest grade that the query has, which is
//! CLARC's own reading of RR in its Group 3 Short, while its recall counts any grade above 0 and its nDCG
//! counts grades.
//!
//! What is refused: measures that need judgments by intent (`alpha_nDCG`, `ERR_IA`, …), and those whose user
//! model depends on the gains met on the way (`INST`, `BPM`, …), because their expectation under ties has no
//! closed form. The message says so, or names the nearest measure there is.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::parameters::Parameters;

/// A measure: what it is, its cutoff, and what counts as relevant.
///
/// ```
/// use barecode_scores::{Kind, Measure, Relevant};
/// let measure: Measure = "RR(rel=2)@10".parse().unwrap();
/// assert_eq!(measure, Measure::of(Kind::Rr).at(10).rel(Relevant::AtLeast(2)));
/// assert_eq!(measure.to_string(), "RR(rel=2)@10");
/// assert_eq!("ndcg_cut_10".parse::<Measure>().unwrap().to_string(), "nDCG@10");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Measure {
    pub(crate) kind: Kind,
    pub(crate) k: Option<u32>,
    pub(crate) rel: Relevant,
    pub(crate) judged_only: bool,
}

/// What a measure is, without its cutoff and without what counts as relevant.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `nDCG`: discounted gain of the grades, by the best possible.
    NDcg(Gain),
    /// `RR`: one by the rank of the first relevant document.
    Rr,
    /// `AP`: mean over relevant documents of the precision at their ranks.
    Ap,
    /// `R`: share of the relevant documents that stand in the first `k`.
    Recall,
    /// `R_cap`: the same, by the most that fit in the first `k`; MTEB's.
    CappedRecall,
    /// `P`: share of the first `k` that is relevant.
    Precision,
    /// `Success`: whether a relevant document stands in the first `k`; MTEB's accuracy and hit rate.
    Success,
    /// `Rprec`: precision at the number of relevant documents.
    RPrecision,
    /// `Judged`: share of the first `k` that this query judges.
    Judged,
    /// `Hole`: share of the first `k` that no query judges; MTEB's.
    Hole,
    /// `Accuracy`: the probability that a relevant document stands before one that is not.
    Accuracy,
    /// `Bpref`: how few judged and not relevant documents stand before relevant ones.
    Bpref,
    /// `infAP`: AP inferred from a sample of judgments; a negative grade is pooled and not judged.
    InferredAp,
    /// `IPrec@recall`: the highest precision from this recall on.
    InterpolatedPrecision {
        /// The recall, in `0..=1`.
        recall: f64,
    },
    /// `SetP`: precision of everything retrieved.
    SetPrecision {
        /// Whether to divide by what is possible at this length.
        relative: bool,
    },
    /// `SetR`: recall of everything retrieved.
    SetRecall,
    /// `SetF`: weighted harmonic mean of the two.
    SetF {
        /// `trec_eval`'s weight: `(beta + 1) P R / (R + beta P)`.
        beta: f64,
    },
    /// `SetAP`: their product.
    SetAp,
    /// `RBP`: rank-biased precision.
    RankBiased {
        /// The probability of looking at the next document.
        p: f64,
    },
    /// `ERR`: expected reciprocal rank, on grades from 0 to 4.
    ExpectedRr,
    /// `SDCG`: discounted gain, by that of `k` documents of the highest grade there can be.
    ScaledDcg {
        /// Grades from here down gain nothing.
        min_rel: i32,
        /// Grades from here up gain 1.
        max_rel: i32,
    },
    /// `NumQ`: number of queries.
    NumQ,
    /// `NumRet`: number of documents retrieved; with `rel`, of relevant ones.
    NumRet {
        /// Whether only relevant documents are counted.
        only_relevant: bool,
    },
    /// `NumRel`: number of relevant documents.
    NumRel,
}

/// The lowest grade that counts as relevant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relevant {
    /// This grade and higher ones; from 1 up.
    AtLeast(i32),
    /// The highest grade of the query alone: `rel=max`.
    Highest,
}

/// What a grade is worth in nDCG. A document without judgment is worth 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gain {
    /// The grade.
    Linear,
    /// `2^grade - 1`: `dcg='exp-log2'`.
    Exponential,
    /// What stands in `gains={grade:gain,…}`, or else the grade.
    Custom(BTreeMap<i32, i32>),
}

/// Why a text names no measure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MeasureError {
    /// No measure has this name.
    #[error("unknown measure `{text}`; use an `ir_measures` name such as `nDCG@10`, `RR@10`, `AP`, `R@20`{}", hint_of(*.nearest))]
    Unknown {
        /// What was written.
        text: String,
        /// The name that was probably meant.
        nearest: Option<&'static str>,
    },
    /// There is such a measure, and not here.
    #[error("measure `{text}` is not computed here: {reason}; the nearest is `{nearest}`")]
    Refused {
        /// What was written.
        text: String,
        /// Why.
        reason: &'static str,
        /// What can be had instead.
        nearest: &'static str,
    },
    /// The measure says nothing without a cutoff.
    #[error("measure `{text}` needs a cutoff, as in `{text}@{example}`")]
    NoCutoff {
        /// What was written.
        text: String,
        /// A usual one.
        example: &'static str,
    },
    /// What stands after `@` is not a rank.
    #[error("measure `{text}` has the cutoff `{cutoff}`, expected {expected}")]
    BadCutoff {
        /// What was written.
        text: String,
        /// The part after `@`.
        cutoff: String,
        /// What can stand there.
        expected: &'static str,
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

impl Measure {
    /// A measure without cutoff, for grades from 1 up.
    pub fn of(kind: Kind) -> Self {
        Measure {
            kind,
            k: None,
            rel: Relevant::AtLeast(1),
            judged_only: false,
        }
    }

    /// The measure with this cutoff.
    #[must_use]
    pub fn at(self, k: u32) -> Self {
        Measure { k: Some(k), ..self }
    }

    /// The measure with this as relevant.
    #[must_use]
    pub fn rel(self, rel: Relevant) -> Self {
        Measure { rel, ..self }
    }

    /// The measure on the list without the documents that the query does not judge.
    #[must_use]
    pub fn judged_only(self) -> Self {
        Measure {
            judged_only: true,
            ..self
        }
    }

    /// What it is.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Ranks counted; all where `None`.
    pub fn cutoff(&self) -> Option<u32> {
        self.k
    }

    /// What counts as relevant.
    pub fn relevant(&self) -> Relevant {
        self.rel
    }

    /// Whether documents that the query does not judge are left out first.
    pub fn is_judged_only(&self) -> bool {
        self.judged_only
    }

    /// Whether it counts things: its values are whole numbers, add up over queries, and have no mean, interval,
    /// ceiling or floor. All other measures have values in `0..=1`.
    ///
    /// ```
    /// use barecode_scores::Measure;
    /// assert!("NumRet".parse::<Measure>().unwrap().counts());
    /// assert!(!"nDCG@10".parse::<Measure>().unwrap().counts());
    /// ```
    pub fn counts(&self) -> bool {
        matches!(self.kind, Kind::NumQ | Kind::NumRet { .. } | Kind::NumRel)
    }
}

/// Names of `ir_measures` and ours, each with the names that mean the same; the first is printed.
const NAMES: [&[&str]; 24] = [
    &["nDCG", "NDCG"],
    &["RR", "MRR"],
    &["AP", "MAP"],
    &["R", "Recall"],
    &["R_cap"],
    &["P", "Precision"],
    &["Success"],
    &["Rprec", "RPrec"],
    &["Judged"],
    &["Hole"],
    &["Accuracy"],
    &["Bpref", "BPref"],
    &["infAP"],
    &["IPrec"],
    &["SetP", "SetRelP"],
    &["SetR"],
    &["SetF"],
    &["SetAP"],
    &["RBP"],
    &["ERR"],
    &["SDCG"],
    &["NumQ"],
    &["NumRet", "NumRelRet"],
    &["NumRel"],
];

/// Measures of `ir_measures` that are refused, with what comes nearest.
const REFUSED: [(&[&str], &str, &str); 2] = [
    (
        &[
            "alpha_DCG",
            "α_DCG",
            "alpha_nDCG",
            "α_nDCG",
            "ERR_IA",
            "nERR_IA",
            "NRBP",
            "nNRBP",
            "AP_IA",
            "MAP_IA",
            "P_IA",
            "StRecall",
        ],
        "it needs judgments by intent",
        "nDCG",
    ),
    (
        &[
            "BPM", "INST", "INSQ", "NERR8", "NERR9", "NERR10", "NERR11", "Compat",
        ],
        "its user model has no exact expectation under ties",
        "RBP(rel=1)",
    ),
];

impl FromStr for Measure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let text = text.trim();
        match alias(text) {
            Some(meant) => parse(&meant),
            None => parse(text),
        }
    }
}

fn parse(text: &str) -> Result<Measure, MeasureError> {
    let (head, after_at) = match text.rsplit_once('@') {
        Some((head, cutoff)) => (head.trim_end(), Some(cutoff.trim())),
        None => (text, None),
    };
    let (written, inside) = match head.split_once('(') {
        Some((name, rest)) => (
            name.trim_end(),
            rest.strip_suffix(')').unwrap_or(rest).trim(),
        ),
        None => (head, ""),
    };
    let Some(name) = NAMES
        .iter()
        .find(|names| names.contains(&written))
        .map(|names| names[0])
    else {
        return Err(not_a_measure(text, written));
    };
    let mut given = Parameters::parse(text, inside)?;
    if let Some(cutoff) = after_at {
        let key = if name == "IPrec" { "recall" } else { "cutoff" };
        given.insert(key, cutoff)?;
    }
    let kind = match name {
        "nDCG" => Kind::NDcg(given.gain()?),
        "RR" => Kind::Rr,
        "AP" => Kind::Ap,
        "R" => Kind::Recall,
        "R_cap" => Kind::CappedRecall,
        "P" => Kind::Precision,
        "Success" => Kind::Success,
        "Rprec" => Kind::RPrecision,
        "Judged" => Kind::Judged,
        "Hole" => Kind::Hole,
        "Accuracy" => Kind::Accuracy,
        "Bpref" => Kind::Bpref,
        "infAP" => Kind::InferredAp,
        "IPrec" => Kind::InterpolatedPrecision {
            recall: given.recall()?,
        },
        "SetP" => Kind::SetPrecision {
            relative: given.flag("relative")? || written == "SetRelP",
        },
        "SetR" => Kind::SetRecall,
        "SetF" => Kind::SetF {
            beta: given
                .number("beta", |beta| beta >= 0.0, "`beta=` and a number from 0 up")?
                .unwrap_or(1.0),
        },
        "SetAP" => Kind::SetAp,
        "RBP" => Kind::RankBiased {
            p: given
                .number(
                    "p",
                    |p| (0.0..1.0).contains(&p),
                    "`p=` and a number from 0 to below 1",
                )?
                .unwrap_or(0.8),
        },
        "ERR" => Kind::ExpectedRr,
        "SDCG" => given.scale()?,
        "NumQ" => Kind::NumQ,
        "NumRet" => Kind::NumRet {
            only_relevant: given.has("rel") || written == "NumRelRet",
        },
        _ => Kind::NumRel,
    };
    let grades_only = matches!(
        kind,
        Kind::NDcg(_)
            | Kind::Judged
            | Kind::Hole
            | Kind::ExpectedRr
            | Kind::ScaledDcg { .. }
            | Kind::NumQ
    );
    let mut measure = Measure::of(kind);
    if grades_only && given.has("rel") {
        return Err(given.bad(
            "rel",
            "none: this measure counts every grade by itself, not from one grade on",
        ));
    }
    measure.rel = given.rel()?.unwrap_or(Relevant::AtLeast(1));
    if matches!(measure.kind, Kind::RankBiased { .. }) && !given.had("rel") {
        return Err(given.missing("`rel=`, as in `RBP(rel=1)`: gains between 0 and 1 need a scale"));
    }
    if measure.takes_judged_only() {
        measure.judged_only = given.flag("judged_only")?;
    }
    if measure.takes_cutoff() {
        measure.k = given.cutoff()?;
    }
    given.finish()?;
    let needs_cutoff = matches!(
        measure.kind,
        Kind::Recall
            | Kind::CappedRecall
            | Kind::Precision
            | Kind::Success
            | Kind::Hole
            | Kind::ScaledDcg { .. }
    );
    if needs_cutoff && measure.k.is_none() {
        return Err(MeasureError::NoCutoff {
            text: text.to_owned(),
            example: "10",
        });
    }
    Ok(measure)
}

impl Measure {
    fn takes_cutoff(&self) -> bool {
        match self.kind {
            Kind::NDcg(_)
            | Kind::Rr
            | Kind::Ap
            | Kind::Recall
            | Kind::CappedRecall
            | Kind::Precision
            | Kind::Success
            | Kind::Judged
            | Kind::Hole
            | Kind::Accuracy
            | Kind::RankBiased { .. }
            | Kind::ExpectedRr
            | Kind::ScaledDcg { .. } => true,
            Kind::RPrecision
            | Kind::Bpref
            | Kind::InferredAp
            | Kind::InterpolatedPrecision { .. }
            | Kind::SetPrecision { .. }
            | Kind::SetRecall
            | Kind::SetF { .. }
            | Kind::SetAp
            | Kind::NumQ
            | Kind::NumRet { .. }
            | Kind::NumRel => false,
        }
    }

    fn takes_judged_only(&self) -> bool {
        matches!(
            self.kind,
            Kind::NDcg(_)
                | Kind::Rr
                | Kind::Ap
                | Kind::Recall
                | Kind::Precision
                | Kind::Success
                | Kind::RPrecision
                | Kind::InterpolatedPrecision { .. }
                | Kind::SetPrecision { .. }
                | Kind::SetF { .. }
                | Kind::SetAp
        )
    }
}

/// The whole number from 1 up that is a cutoff.
pub(crate) fn rank(digits: &str) -> Option<u32> {
    digits.parse::<NonZeroU32>().ok().map(NonZeroU32::get)
}

fn not_a_measure(text: &str, written: &str) -> MeasureError {
    let text = text.to_owned();
    for (names, reason, nearest) in REFUSED {
        if names.contains(&written) {
            return MeasureError::Refused {
                text,
                reason,
                nearest,
            };
        }
    }
    MeasureError::Unknown {
        text,
        nearest: nearest(written),
    }
}

/// What people write for the same measure elsewhere, or a name with few letters changed.
fn nearest(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "ndcg_cut" | "dcg" => return Some("nDCG"),
        "recip_rank" => return Some("RR"),
        "map_cut" => return Some("AP"),
        "hit" | "hits" | "hit_rate" => return Some("Success"),
        _ => {}
    }
    let distance = |known: &&str| strsim::damerau_levenshtein(&lower, &known.to_ascii_lowercase());
    NAMES
        .iter()
        .flat_map(|names| names.iter().map(|known| (distance(known), names[0])))
        .filter(|&(distance, known)| distance * 3 <= known.len().max(lower.len()))
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, known)| known)
}

/// Names that a cutoff follows.
const CUT: [(&str, &str); 14] = [
    ("ndcg_cut", "nDCG"),
    ("map_cut", "AP"),
    ("recall", "R"),
    ("P", "P"),
    ("success", "Success"),
    ("iprec_at_recall", "IPrec"),
    ("ndcg_at", "nDCG"),
    ("map_at", "AP"),
    ("mrr_at", "RR"),
    ("recall_at", "R"),
    ("precision_at", "P"),
    ("hit_rate_at", "Success"),
    ("R_cap_at", "R_cap"),
    ("Hole_at", "Hole"),
];

/// The name of `ir_measures` for one of `trec_eval` or of MTEB's results.
fn alias(text: &str) -> Option<String> {
    let whole = match text {
        "ndcg" => Some("nDCG"),
        "map" => Some("AP"),
        "recip_rank" => Some("RR"),
        "bpref" => Some("Bpref"),
        "set_P" => Some("SetP"),
        "set_relative_P" => Some("SetRelP"),
        "set_recall" => Some("SetR"),
        "set_map" => Some("SetAP"),
        "set_F" => Some("SetF"),
        "num_q" => Some("NumQ"),
        "num_ret" => Some("NumRet"),
        "num_rel" => Some("NumRel"),
        "num_rel_ret" => Some("NumRelRet"),
        _ => None,
    };
    if let Some(name) = whole {
        return Some(name.to_owned());
    }
    CUT.into_iter().find_map(|(theirs, ours)| {
        let cutoff = text.strip_prefix(theirs)?.strip_prefix(['_', '.'])?;
        cutoff
            .starts_with(|c: char| c.is_ascii_digit())
            .then(|| format!("{ours}@{cutoff}"))
    })
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parameters: Vec<String> = Vec::new();
        let mut at = self.k.map(|k| k.to_string());
        let name = match &self.kind {
            Kind::NDcg(gain) => {
                match gain {
                    Gain::Linear => {}
                    Gain::Exponential => parameters.push("dcg='exp-log2'".to_owned()),
                    Gain::Custom(gains) => {
                        let pairs: Vec<String> = gains
                            .iter()
                            .filter(|(grade, gain)| grade != gain)
                            .map(|(grade, gain)| format!("{grade}:{gain}"))
                            .collect();
                        parameters.push(format!("gains={{{}}}", pairs.join(",")));
                    }
                }
                "nDCG"
            }
            Kind::Rr => "RR",
            Kind::Ap => "AP",
            Kind::Recall => "R",
            Kind::CappedRecall => "R_cap",
            Kind::Precision => "P",
            Kind::Success => "Success",
            Kind::RPrecision => "Rprec",
            Kind::Judged => "Judged",
            Kind::Hole => "Hole",
            Kind::Accuracy => "Accuracy",
            Kind::Bpref => "Bpref",
            Kind::InferredAp => "infAP",
            Kind::InterpolatedPrecision { recall } => {
                at = Some(format!("{recall:?}"));
                "IPrec"
            }
            Kind::SetPrecision { relative } => {
                if *relative {
                    parameters.push("relative=True".to_owned());
                }
                "SetP"
            }
            Kind::SetRecall => "SetR",
            Kind::SetF { beta } => {
                if beta.to_bits() != 1.0_f64.to_bits() {
                    parameters.push(format!("beta={beta:?}"));
                }
                "SetF"
            }
            Kind::SetAp => "SetAP",
            Kind::RankBiased { p } => {
                if p.to_bits() != 0.8_f64.to_bits() {
                    parameters.push(format!("p={p:?}"));
                }
                "RBP"
            }
            Kind::ExpectedRr => "ERR",
            Kind::ScaledDcg { min_rel, max_rel } => {
                if *min_rel != 0 {
                    parameters.push(format!("min_rel={min_rel}"));
                }
                parameters.push(format!("max_rel={max_rel}"));
                "SDCG"
            }
            Kind::NumQ => "NumQ",
            Kind::NumRet { .. } => "NumRet",
            Kind::NumRel => "NumRel",
        };
        let shows_one = matches!(
            self.kind,
            Kind::RankBiased { .. }
                | Kind::NumRet {
                    only_relevant: true
                }
        );
        match self.rel {
            Relevant::AtLeast(1) if !shows_one => {}
            Relevant::AtLeast(rel) => parameters.push(format!("rel={rel}")),
            Relevant::Highest => parameters.push("rel=max".to_owned()),
        }
        if self.judged_only {
            parameters.push("judged_only=True".to_owned());
        }
        f.write_str(name)?;
        if !parameters.is_empty() {
            write!(f, "({})", parameters.join(","))?;
        }
        if let Some(at) = at {
            write!(f, "@{at}")?;
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
            "nDCG(dcg='exp-log2')@10",
            "nDCG(gains={0:1,2:5},judged_only=True)@3",
            "RR@10",
            "RR",
            "RR(rel=max)@10",
            "AP",
            "AP@100",
            "R@1",
            "R(judged_only=True)@20",
            "R_cap@10",
            "P@5",
            "Success@1",
            "RR(rel=2)@10",
            "AP(rel=3)",
            "R(rel=2)@5",
            "P(rel=2)@5",
            "Success(rel=2)@5",
            "Rprec(rel=2)",
            "Judged@10",
            "Judged",
            "Hole@10",
            "Accuracy",
            "Accuracy(rel=2)@5",
            "Bpref",
            "infAP(rel=2)",
            "IPrec@0.1",
            "IPrec(rel=2,judged_only=True)@0.25",
            "SetP",
            "SetP(relative=True)",
            "SetR(rel=2)",
            "SetF(beta=0.5,rel=2)",
            "SetAP(judged_only=True)",
            "RBP(rel=1)",
            "RBP(p=0.5,rel=2)@20",
            "ERR@10",
            "ERR",
            "SDCG(max_rel=3)@10",
            "SDCG(min_rel=1,max_rel=3)@10",
            "NumQ",
            "NumRet",
            "NumRet(rel=1)",
            "NumRet(rel=2)",
            "NumRel(rel=2)",
        ] {
            assert_eq!(name.parse::<Measure>().unwrap().to_string(), name);
        }
    }

    #[test]
    fn other_spellings_are_the_same_measure() {
        for (written, name) in [
            ("RR(rel=1)", "RR"),
            ("MRR@10", "RR@10"),
            ("MAP", "AP"),
            ("NDCG@5", "nDCG@5"),
            ("Precision@5", "P@5"),
            ("Recall@5", "R@5"),
            ("nDCG(cutoff=10)", "nDCG@10"),
            ("nDCG(dcg=\"log2\")@10", "nDCG@10"),
            (
                "P( rel = 2 , judged_only = True )@5",
                "P(rel=2,judged_only=True)@5",
            ),
            ("P(judged_only=False)@5", "P@5"),
            ("NumRelRet", "NumRet(rel=1)"),
            ("SetRelP", "SetP(relative=True)"),
            ("SetF(beta=1.0)", "SetF"),
            ("IPrec@1", "IPrec@1.0"),
            ("RBP(p=0.8,rel=1)", "RBP(rel=1)"),
            ("ndcg_cut_10", "nDCG@10"),
            ("ndcg_cut.10", "nDCG@10"),
            ("ndcg_at_10", "nDCG@10"),
            ("map", "AP"),
            ("map_cut_100", "AP@100"),
            ("recip_rank", "RR"),
            ("recall_10", "R@10"),
            ("P_10", "P@10"),
            ("success_1", "Success@1"),
            ("iprec_at_recall_0.10", "IPrec@0.1"),
            ("num_rel_ret", "NumRet(rel=1)"),
            ("mrr_at_10", "RR@10"),
        ] {
            assert_eq!(
                written.parse::<Measure>().unwrap().to_string(),
                name,
                "{written}"
            );
        }
    }

    #[test]
    fn mistakes_are_named_with_a_way_out() {
        let message = |text: &str| text.parse::<Measure>().unwrap_err().to_string();
        assert!(message("NDGC@10").ends_with("did you mean `nDCG`?"));
        assert!(message("Recal@1").ends_with("did you mean `R`?"));
        assert!(
            message("Nothing@10")
                .starts_with("unknown measure `Nothing@10`; use an `ir_measures` name")
        );
        assert_eq!(message("R"), "measure `R` needs a cutoff, as in `R@10`");
        assert_eq!(
            message("IPrec"),
            "measure `IPrec` needs a cutoff, as in `IPrec@0.1`"
        );
        assert!(message("nDCG@0").contains("cutoff `0`"));
        assert!(message("nDCG@ten").contains("cutoff `ten`"));
        assert!(message("IPrec@1.5").contains("cutoff `1.5`, expected a recall"));
        assert!(message("nDCG(rel=2)@10").contains("counts every grade"));
        assert!(message("RR(rel=0)").contains("from 1 up"));
        assert!(message("RR(level=2)").contains("parameter `level=2`"));
        assert!(message("RR(2)").contains("a name and a value"));
        assert!(message("RR(rel=1,rel=2)").contains("once"));
        assert!(message("nDCG(dcg='exp-log2',gains={1:2})").contains("`gains=`"));
        assert!(message("RBP").contains("`rel=`"));
        assert!(message("SetR(judged_only=True)").contains("parameter `judged_only=True`"));
        assert!(message("Rprec@5").contains("parameter `cutoff=5`"));
        assert!(message("alpha_nDCG@10").contains("by intent"));
        assert!(message("INST(max_rel=2)").contains("exact expectation"));
        assert!(message("SDCG@10").contains("`max_rel=`"));
    }

    #[test]
    fn measures_are_text_in_files() {
        let measure: Measure = serde_json::from_str("\"RR(rel=2)@10\"").unwrap();
        assert_eq!(serde_json::to_string(&measure).unwrap(), "\"RR(rel=2)@10\"");
        assert!(serde_json::from_str::<Measure>("\"MRRR\"").is_err());
    }
}
