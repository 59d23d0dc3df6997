//! The definition of a measure: a [`Kind`], its cutoff, and the grades that count as relevant.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::names::{self, Takes};

/// A measure: its kind, its cutoff, and the grades that count as relevant.
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

/// The kind of a measure, without its cutoff and without the grades that count as relevant.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// `nDCG`: discounted gain of the grades, by the best possible.
    NDcg(Gain),
    /// `RR`: one by the rank of the first relevant document.
    Rr,
    /// `AP`: mean over relevant documents of the precision at their ranks.
    Ap,
    /// `R`: share of the relevant documents that are in the first `k`.
    Recall,
    /// `R_cap`: the same, by the most that fit in the first `k`; MTEB's.
    CappedRecall,
    /// `P`: share of the first `k` that is relevant.
    Precision,
    /// `Success`: 1 if a relevant document is in the first `k`; MTEB's accuracy and hit rate.
    Success,
    /// `Rprec`: precision at the number of relevant documents.
    RPrecision,
    /// `Judged`: share of the first `k` that this query judges.
    Judged,
    /// `Hole`: share of the first `k` that no query judges; MTEB's.
    Hole,
    /// `Accuracy`: the probability that a relevant document is before one that is not.
    Accuracy,
    /// `Bpref`: the fewer judged and not relevant documents are before relevant ones, the higher.
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
        /// True to divide by the number that is possible at this length.
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
    /// `SDCG`: discounted gain, by that of `k` documents of the highest possible grade.
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
        /// True if only relevant documents are counted.
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

/// The gain of a grade in nDCG. A document without judgment has gain 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gain {
    /// The grade.
    Linear,
    /// `2^grade - 1`: `dcg='exp-log2'`.
    Exponential,
    /// The value in `gains={grade:gain,…}`, or else the grade.
    Custom(BTreeMap<i32, i32>),
}

/// The reason why a text does not name a measure, in words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MeasureError(pub(crate) String);

impl MeasureError {
    /// The measure has no meaning without a cutoff; `example` has one.
    pub(crate) fn no_cutoff(text: &str, example: &str) -> Self {
        MeasureError(format!(
            "measure `{text}` needs a cutoff, as in `{text}@{example}`"
        ))
    }
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
    ///
    /// ```
    /// use barecode_scores::Measure;
    /// let measure: Measure = "RR@10".parse()?;
    /// assert_eq!(measure.judged_only().to_string(), "RR(judged_only=True)@10");
    /// # Ok::<(), barecode_scores::MeasureError>(())
    /// ```
    #[must_use]
    pub fn judged_only(self) -> Self {
        Measure {
            judged_only: true,
            ..self
        }
    }

    /// Its kind.
    pub fn kind(&self) -> &Kind {
        &self.kind
    }

    /// Ranks counted; all where `None`.
    pub fn cutoff(&self) -> Option<u32> {
        self.k
    }

    /// The grades that count as relevant.
    pub fn relevant(&self) -> Relevant {
        self.rel
    }

    /// Returns `true` if documents that the query does not judge are left out first.
    pub fn is_judged_only(&self) -> bool {
        self.judged_only
    }

    /// Returns `true` if it counts things: its values are whole numbers, add up over queries, and have no mean, interval,
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

    pub(crate) fn takes(&self, what: Takes) -> bool {
        names::takes(self.kind.name(), what)
    }
}

impl Kind {
    /// Its name in `ir_measures`, or barecode's; the parameters in brackets are not part of it.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Kind::NDcg(_) => "nDCG",
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
            Kind::InterpolatedPrecision { .. } => "IPrec",
            Kind::SetPrecision { .. } => "SetP",
            Kind::SetRecall => "SetR",
            Kind::SetF { .. } => "SetF",
            Kind::SetAp => "SetAP",
            Kind::RankBiased { .. } => "RBP",
            Kind::ExpectedRr => "ERR",
            Kind::ScaledDcg { .. } => "SDCG",
            Kind::NumQ => "NumQ",
            Kind::NumRet { .. } => "NumRet",
            Kind::NumRel => "NumRel",
        }
    }
}

impl Relevant {
    /// The lowest grade that counts, for a query with these grades, highest first.
    pub(crate) fn lowest(self, grades: &[i32]) -> i32 {
        match self {
            Relevant::AtLeast(rel) => rel,
            Relevant::Highest => grades.first().copied().unwrap_or(1).max(1),
        }
    }
}

impl Gain {
    /// The gain of a grade.
    pub(crate) fn of(&self, grade: i32) -> f64 {
        match self {
            Gain::Linear => f64::from(grade.max(0)),
            Gain::Exponential => f64::from(grade.max(0)).exp2() - 1.0,
            Gain::Custom(gains) => f64::from(gains.get(&grade).copied().unwrap_or(grade).max(0)),
        }
    }
}
