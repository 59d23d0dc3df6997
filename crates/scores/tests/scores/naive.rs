//! The definitions of the measures, written as plainly as they can be, for a list in strict order.

use std::collections::BTreeMap;

use barecode_scores::Measure;

/// The value for documents in this order.
pub(crate) fn naive(measure: Measure, order: &[&str], qrels: &BTreeMap<&str, i32>) -> f64 {
    let grade = |doc: &str| qrels.get(doc).copied().unwrap_or(0).max(0);
    let all = |rel: i32| qrels.values().filter(|&&grade| grade >= rel).count() as f64;
    let hits =
        |k: usize, rel: i32| order.iter().take(k).filter(|doc| grade(doc) >= rel).count() as f64;
    match measure {
        Measure::NDcg { k } => {
            let k = k.map_or(usize::MAX, |k| k as usize);
            let dcg = |grades: Vec<i32>| -> f64 {
                let gains = grades.iter().take(k).enumerate();
                gains
                    .map(|(i, &grade)| f64::from(grade) / (i as f64 + 2.0).log2())
                    .sum()
            };
            let mut ideal: Vec<i32> = qrels.values().map(|&grade| grade.max(0)).collect();
            ideal.sort_by(|a, b| b.cmp(a));
            let ideal = dcg(ideal);
            if ideal > 0.0 {
                dcg(order.iter().map(|doc| grade(doc)).collect()) / ideal
            } else {
                0.0
            }
        }
        Measure::Rr { k, rel } => {
            let first = order
                .iter()
                .position(|doc| grade(doc) >= rel)
                .map(|i| i + 1);
            let counted = first.filter(|&rank| k.is_none_or(|k| rank <= k as usize));
            counted.map_or(0.0, |rank| 1.0 / rank as f64)
        }
        Measure::Ap { k, rel } => {
            let mut sum = 0.0;
            for (i, doc) in order
                .iter()
                .enumerate()
                .take(k.map_or(usize::MAX, |k| k as usize))
            {
                if grade(doc) >= rel {
                    sum += hits(i + 1, rel) / (i + 1) as f64;
                }
            }
            if all(rel) > 0.0 { sum / all(rel) } else { 0.0 }
        }
        Measure::Recall { k, rel } => {
            if all(rel) > 0.0 {
                hits(k as usize, rel) / all(rel)
            } else {
                0.0
            }
        }
        Measure::Precision { k, rel } => hits(k as usize, rel) / f64::from(k),
        Measure::Success { k, rel } => f64::from(u8::from(hits(k as usize, rel) > 0.0)),
    }
}
