//! The names of measures, with the parameters of each; names that mean the same elsewhere, and names that are
//! refused.

/// A parameter that a measure accepts in brackets, or a property that it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Takes {
    /// A cutoff may follow it.
    Cutoff,
    /// It needs a cutoff.
    NeededCutoff,
    /// It can leave out documents that the query does not judge.
    JudgedOnly,
    /// It counts every grade by itself, or none: no grade is the lowest that is relevant.
    EveryGrade,
    /// It has an expectation for random order.
    Floor,
}

use Takes::{Cutoff, EveryGrade, Floor, JudgedOnly, NeededCutoff};

/// Names of `ir_measures` and ours, each with the names that mean the same; the first is printed.
const KNOWN: [(&[&str], &[Takes]); 24] = [
    (&["nDCG", "NDCG"], &[Cutoff, JudgedOnly, EveryGrade, Floor]),
    (&["RR", "MRR"], &[Cutoff, JudgedOnly, Floor]),
    (&["AP", "MAP"], &[Cutoff, JudgedOnly, Floor]),
    (&["R", "Recall"], &[NeededCutoff, JudgedOnly, Floor]),
    (&["R_cap"], &[NeededCutoff, Floor]),
    (&["P", "Precision"], &[NeededCutoff, JudgedOnly, Floor]),
    (&["Success"], &[NeededCutoff, JudgedOnly, Floor]),
    (&["Rprec", "RPrec"], &[JudgedOnly, Floor]),
    (&["Judged"], &[Cutoff, EveryGrade, Floor]),
    (&["Hole"], &[NeededCutoff, EveryGrade]),
    (&["Accuracy"], &[Cutoff, Floor]),
    (&["Bpref", "BPref"], &[Floor]),
    (&["infAP"], &[Floor]),
    (&["IPrec"], &[JudgedOnly, Floor]),
    (&["SetP", "SetRelP"], &[JudgedOnly]),
    (&["SetR"], &[]),
    (&["SetF"], &[JudgedOnly]),
    (&["SetAP"], &[JudgedOnly]),
    (&["RBP"], &[Cutoff, Floor]),
    (&["ERR"], &[Cutoff, EveryGrade, Floor]),
    (&["SDCG"], &[NeededCutoff, EveryGrade, Floor]),
    (&["NumQ"], &[EveryGrade]),
    (&["NumRet", "NumRelRet"], &[]),
    (&["NumRel"], &[]),
];

/// Measures of `ir_measures` that are refused, with the nearest alternative.
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

/// The printed name of the measure that a name means.
pub(crate) fn known(written: &str) -> Option<&'static str> {
    let mut known = KNOWN.iter().map(|(names, _)| names);
    known
        .find(|names| names.contains(&written))
        .map(|names| names[0])
}

/// Returns `true` if the measure of a printed name accepts a parameter or has a property.
pub(crate) fn takes(name: &str, what: Takes) -> bool {
    let mut known = KNOWN.iter().filter(|(names, _)| names[0] == name);
    known.any(|(_, takes)| takes.contains(&what))
}

/// The reason why a name is refused, and the nearest measure that is not.
pub(crate) fn refused(written: &str) -> Option<(&'static str, &'static str)> {
    let mut refused = REFUSED
        .iter()
        .filter(|(names, ..)| names.contains(&written));
    refused
        .next()
        .map(|&(_, reason, nearest)| (reason, nearest))
}

/// The names of the same measure elsewhere, or a name with few letters changed.
pub(crate) fn nearest(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "ndcg_cut" | "dcg" => return Some("nDCG"),
        "recip_rank" => return Some("RR"),
        "map_cut" => return Some("AP"),
        "hit" | "hits" | "hit_rate" => return Some("Success"),
        _ => {}
    }
    let distance = |known: &&str| strsim::damerau_levenshtein(&lower, &known.to_ascii_lowercase());
    KNOWN
        .iter()
        .flat_map(|(names, _)| names.iter().map(|known| (distance(known), names[0])))
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
pub(crate) fn alias(text: &str) -> Option<String> {
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
