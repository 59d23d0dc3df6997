//! The names of measures ↔ [`Measure`]s.
//!
//! Enters: a text in the grammar of `ir_measures` 0.4.3, `Name(parameter=value,…)@cutoff`. Leaves: a
//! [`Measure`], which prints as `ir_measures` prints it. Names of `trec_eval` (`ndcg_cut_10`, `map`,
//! `recip_rank`) and of MTEB's results (`ndcg_at_10`) are read as aliases.
//!
//! The measures that only distinguish relevant from not relevant treat documents of grade 1 and higher as relevant,
//! or of the grade in `rel`: `RR(rel=2)@10`. `rel=max` is an addition: the highest grade of the query. That is
//! CLARC's reading of RR in its Group 3 Short, while its recall counts any grade above 0 and its nDCG counts grades.
//!
//! Two kinds of measures are refused: those that need judgments by intent (`alpha_nDCG`, `ERR_IA`, …), and those
//! whose user model depends on the gains met on the way (`INST`, `BPM`, …), because their expectation under ties has
//! no closed form. The message gives this reason, or names the nearest measure that exists.

use std::fmt;
use std::str::FromStr;

use crate::measure::{Gain, Kind, Measure, MeasureError, Relevant};
use crate::names::{self, Takes};
use crate::parameters::Parameters;

impl FromStr for Measure {
    type Err = MeasureError;

    fn from_str(text: &str) -> Result<Self, MeasureError> {
        let text = text.trim();
        match names::alias(text) {
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
    let Some(name) = names::known(written) else {
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
    let mut measure = Measure::of(kind);
    if measure.takes(Takes::EveryGrade) && given.has("rel") {
        return Err(given.bad(
            "rel",
            "none: this measure counts every grade by itself, not from one grade on",
        ));
    }
    measure.rel = given.rel()?.unwrap_or(Relevant::AtLeast(1));
    if matches!(measure.kind, Kind::RankBiased { .. }) && !given.had("rel") {
        return Err(given.missing("`rel=`, as in `RBP(rel=1)`: gains between 0 and 1 need a scale"));
    }
    if measure.takes(Takes::JudgedOnly) {
        measure.judged_only = given.flag("judged_only")?;
    }
    let needs_cutoff = measure.takes(Takes::NeededCutoff);
    if needs_cutoff || measure.takes(Takes::Cutoff) {
        measure.k = given.cutoff()?;
    }
    given.finish()?;
    if needs_cutoff && measure.k.is_none() {
        return Err(MeasureError::no_cutoff(text, "10"));
    }
    Ok(measure)
}

fn not_a_measure(text: &str, written: &str) -> MeasureError {
    if let Some((reason, nearest)) = names::refused(written) {
        return MeasureError(format!(
            "measure `{text}` is not computed here: {reason}; the nearest is `{nearest}`"
        ));
    }
    let hint = names::nearest(written).map(|name| format!("; did you mean `{name}`?"));
    MeasureError(format!(
        "unknown measure `{text}`; use an `ir_measures` name such as `nDCG@10`, `RR@10`, `AP`, `R@20`{}",
        hint.unwrap_or_default()
    ))
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parameters: Vec<String> = Vec::new();
        let mut at = self.k.map(|k| k.to_string());
        match &self.kind {
            Kind::NDcg(Gain::Exponential) => parameters.push("dcg='exp-log2'".to_owned()),
            Kind::NDcg(Gain::Custom(gains)) => {
                let pairs: Vec<String> = gains
                    .iter()
                    .filter(|(grade, gain)| grade != gain)
                    .map(|(grade, gain)| format!("{grade}:{gain}"))
                    .collect();
                parameters.push(format!("gains={{{}}}", pairs.join(",")));
            }
            Kind::InterpolatedPrecision { recall } => at = Some(format!("{recall:?}")),
            Kind::SetPrecision { relative: true } => parameters.push("relative=True".to_owned()),
            Kind::SetF { beta } if beta.to_bits() != 1.0_f64.to_bits() => {
                parameters.push(format!("beta={beta:?}"));
            }
            Kind::RankBiased { p } if p.to_bits() != 0.8_f64.to_bits() => {
                parameters.push(format!("p={p:?}"));
            }
            Kind::ScaledDcg { min_rel, max_rel } => {
                if *min_rel != 0 {
                    parameters.push(format!("min_rel={min_rel}"));
                }
                parameters.push(format!("max_rel={max_rel}"));
            }
            _ => {}
        }
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
        f.write_str(self.kind.name())?;
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
    use crate::Measure;

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
        // Gains are divided by the range of grades.
        for range in ["max_rel=0", "min_rel=3,max_rel=3", "min_rel=3,max_rel=2"] {
            assert!(message(&format!("SDCG({range})@10")).contains("above `min_rel`"));
        }
    }

    #[test]
    fn measures_are_text_in_files() {
        let measure: Measure = serde_json::from_str("\"RR(rel=2)@10\"").unwrap();
        assert_eq!(serde_json::to_string(&measure).unwrap(), "\"RR(rel=2)@10\"");
        assert!(serde_json::from_str::<Measure>("\"MRRR\"").is_err());
    }
}
