//! The definitions of the measures, written as plainly as they can be, for a list in strict order.

use std::collections::{BTreeMap, BTreeSet};

use barecode_scores::{Gain, Kind, Measure, Relevant};

/// The value for documents in this order; `pool` holds what any query judges.
#[expect(
    clippy::too_many_lines,
    reason = "each measure as its paper has it, one after the other"
)]
pub(crate) fn naive(
    measure: &Measure,
    order: &[&str],
    qrels: &BTreeMap<&str, i32>,
    pool: &BTreeSet<&str>,
) -> f64 {
    let order: Vec<&str> = order
        .iter()
        .copied()
        .filter(|doc| !measure.is_judged_only() || qrels.get(doc).is_some_and(|&grade| grade >= 0))
        .collect();
    let rel = match measure.relevant() {
        Relevant::AtLeast(rel) => rel,
        Relevant::Highest => qrels.values().copied().max().unwrap_or(1).max(1),
    };
    let k = measure.cutoff().map_or(usize::MAX, |k| k as usize);
    let top = &order[..k.min(order.len())];
    let grade = |doc: &str| qrels.get(doc).copied().unwrap_or(0).max(0);
    let is_relevant = |doc: &&str| grade(doc) >= rel;
    let all = qrels.values().filter(|&&grade| grade >= rel).count() as f64;
    let among = |docs: &[&str]| docs.iter().copied().filter(|doc| is_relevant(doc)).count() as f64;
    let by = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let discount = |i: usize| 1.0 / (i as f64 + 2.0).log2();
    let not_relevant = |doc: &&&str| {
        qrels
            .get(**doc)
            .is_some_and(|grade| (0..rel).contains(grade))
    };
    let precision_at = |i: usize| among(&order[..i]) / i as f64;
    match measure.kind() {
        Kind::NDcg(gain) => {
            let gain = |grade: i32| -> f64 {
                match gain {
                    Gain::Linear => f64::from(grade.max(0)),
                    Gain::Exponential => 2_f64.powi(grade.max(0)) - 1.0,
                    Gain::Custom(gains) => f64::from(*gains.get(&grade).unwrap_or(&grade).max(&0)),
                }
            };
            let dcg = |gains: Vec<f64>| -> f64 {
                let gains = gains.into_iter().take(k).enumerate();
                gains.map(|(i, gain)| gain * discount(i)).sum()
            };
            let mut ideal: Vec<f64> = qrels.values().map(|&grade| gain(grade)).collect();
            ideal.sort_by(|a, b| b.total_cmp(a));
            let gains = order
                .iter()
                .map(|doc| qrels.get(doc).map_or(0.0, |&grade| gain(grade)));
            by(dcg(gains.collect()), dcg(ideal))
        }
        Kind::Rr => top
            .iter()
            .position(&is_relevant)
            .map_or(0.0, |i| 1.0 / (i + 1) as f64),
        Kind::Ap => {
            let ranks = (1..=top.len()).filter(|&i| is_relevant(&top[i - 1]));
            by(ranks.map(precision_at).sum(), all)
        }
        Kind::Recall => by(among(top), all),
        Kind::CappedRecall => by(among(top), all.min(k as f64)),
        Kind::Precision => among(top) / k as f64,
        Kind::Success => f64::from(u8::from(among(top) > 0.0)),
        Kind::RPrecision => {
            let r = qrels.values().filter(|&&grade| grade >= rel).count();
            by(among(&order[..r.min(order.len())]), all)
        }
        Kind::Judged => {
            let judged = top.iter().filter(|doc| qrels.contains_key(**doc)).count();
            by(judged as f64, top.len() as f64)
        }
        Kind::Hole => {
            let known = |doc: &&&str| qrels.contains_key(**doc) || pool.contains(**doc);
            top.iter().filter(|doc| !known(doc)).count() as f64 / k as f64
        }
        Kind::Accuracy => {
            let (mut right, mut pairs) = (0.0, 0.0);
            for (i, _) in top.iter().enumerate().filter(|(_, doc)| is_relevant(doc)) {
                for (j, _) in top.iter().enumerate().filter(|(_, doc)| !is_relevant(doc)) {
                    pairs += 1.0;
                    right += f64::from(u8::from(i < j));
                }
            }
            match (among(top) > 0.0, pairs > 0.0) {
                (false, _) => 0.0,
                (true, false) => 1.0,
                (true, true) => right / pairs,
            }
        }
        Kind::Bpref => {
            let others = qrels
                .values()
                .filter(|grade| (0..rel).contains(*grade))
                .count() as f64;
            let mut sum = 0.0;
            for (i, _) in order.iter().enumerate().filter(|(_, doc)| is_relevant(doc)) {
                let before = order[..i].iter().filter(not_relevant).count() as f64;
                sum += if before > 0.0 {
                    1.0 - before.min(all) / others.min(all)
                } else {
                    1.0
                };
            }
            by(sum, all)
        }
        Kind::InferredAp => {
            let mut sum = 0.0;
            for (i, _) in order.iter().enumerate().filter(|(_, doc)| is_relevant(doc)) {
                let before = &order[..i];
                let pool = before
                    .iter()
                    .filter(|doc| qrels.contains_key(**doc))
                    .count() as f64;
                let (r, n) = (
                    among(before),
                    before.iter().filter(not_relevant).count() as f64,
                );
                let j = i as f64;
                sum += match i {
                    0 => 1.0,
                    _ => {
                        1.0 / (j + 1.0) + j / (j + 1.0) * (pool / j) * ((r + 1e-5) / (r + n + 2e-5))
                    }
                };
            }
            by(sum, all)
        }
        Kind::InterpolatedPrecision { recall } => {
            let needed = (recall * all + 0.9).floor();
            let ranks = (1..=order.len()).filter(|&i| among(&order[..i]) >= needed);
            ranks.map(precision_at).fold(0.0, f64::max)
        }
        Kind::SetPrecision { relative: false } => by(among(&order), order.len() as f64),
        Kind::SetPrecision { relative: true } => by(among(&order), all.min(order.len() as f64)),
        Kind::SetRecall => by(among(&order), all),
        Kind::SetF { beta } => {
            let (p, r) = (
                by(among(&order), order.len() as f64),
                by(among(&order), all),
            );
            by((beta + 1.0) * p * r, r + beta * p)
        }
        Kind::SetAp => by(among(&order), order.len() as f64) * by(among(&order), all),
        Kind::RankBiased { p } => {
            let ranks = top.iter().enumerate().filter(|(_, doc)| is_relevant(doc));
            ranks.map(|(i, _)| (1.0 - p) * p.powf(i as f64)).sum()
        }
        Kind::ExpectedRr => {
            let (mut sum, mut going_on) = (0.0, 1.0);
            for (i, doc) in top.iter().enumerate() {
                let stops = (2_f64.powi(grade(doc).min(4)) - 1.0) / 16.0;
                sum += going_on * stops / (i + 1) as f64;
                going_on *= 1.0 - stops;
            }
            sum
        }
        Kind::ScaledDcg { min_rel, max_rel } => {
            let gain = |doc: &str| {
                let (grade, min, max) = (grade(doc), *min_rel, *max_rel);
                f64::from(grade.clamp(min, max) - min) / f64::from(max - min)
            };
            let gained = top
                .iter()
                .enumerate()
                .map(|(i, doc)| gain(doc) * discount(i));
            gained.sum::<f64>() / (0..k).map(discount).sum::<f64>()
        }
        Kind::NumQ => 1.0,
        Kind::NumRet {
            only_relevant: false,
        } => order.len() as f64,
        Kind::NumRet {
            only_relevant: true,
        } => among(&order),
        Kind::NumRel => all,
    }
}
