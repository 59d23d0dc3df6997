//! Members of a suite → means by type of generalization (`GenCodeSearchNet`, section 4.3, Tables 2, 3 and 5).
//!
//! In come the values of each member's queries; out come unweighted means with intervals. A member may be one of
//! several that count as one: the languages of `CodeSearchNet` enter by their mean. The mean of a type is over these
//! groups, and the combined mean is over the types, so `StatCodeSearch`, which is in two types, weighs twice. That is
//! how the paper's Table 3 follows from its Table 2; four of its cells do not follow from it (see the book:
//! explanation, measures).
//!
//! A missing member is named beside a mean and never counted as 0.

use barecode_records::words;
use barecode_scores::{Bootstrap, Interval, StatisticsError};
use serde::Serialize;

words! {
    /// The ability that a test set measures in a model that was not trained on such data (Hupkes and others, 2023),
    /// in the order of Table 3.
    pub enum Generalization {
        /// To other wordings and other names: `AdvTest`, `CoSQA`.
        Robustness = "robustness",
        /// To other programming languages: `CodeSearchNet`, `StatCodeSearch`.
        CrossLingual = "cross-lingual",
        /// To another field: `StatCodeSearch`.
        Domain = "domain",
    }
}

/// A member of a suite with a system's values on it.
#[derive(Debug, Clone, Copy)]
pub struct Member<'a> {
    /// Its name.
    pub title: &'a str,
    /// The name under which it and others count as one.
    pub average: Option<&'a str>,
    /// The types that it belongs to.
    pub generalization: &'a [Generalization],
    /// A value for each query; empty if they are missing.
    pub values: &'a [f64],
}

/// A mean over members.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Aggregate {
    /// The type, `combined`, or the name of the group that counts as one.
    pub name: String,
    /// The mean and its interval: queries drawn within each member. `None` if every member is missing.
    #[serde(flatten)]
    pub interval: Option<Interval>,
    /// The members that are in it.
    pub members: Vec<String>,
    /// The members that belong to it and are missing.
    pub missing: Vec<String>,
}

/// The means of the groups that count as one first, then those of the types, then that of all types combined.
///
/// # Errors
/// If a value is not a number.
pub fn aggregates(
    members: &[Member<'_>],
    bootstrap: &Bootstrap,
) -> Result<Vec<Aggregate>, StatisticsError> {
    let mut all = Vec::new();
    let mut averages: Vec<&str> = Vec::new();
    for average in members.iter().filter_map(|member| member.average) {
        if !averages.contains(&average) {
            averages.push(average);
        }
    }
    for average in averages {
        let own = weights(members, |member| member.average == Some(average));
        all.push(aggregate(average, members, &own, bootstrap)?);
    }
    let mut combined: Vec<Option<f64>> = vec![None; members.len()];
    let mut types = Vec::new();
    for kind in Generalization::ALL {
        let own = weights(members, |member| member.generalization.contains(&kind));
        if own.iter().any(Option::is_some) {
            all.push(aggregate(kind.name(), members, &own, bootstrap)?);
            types.push(own);
        }
    }
    let there = |own: &Vec<Option<f64>>| own.iter().flatten().any(|weight| *weight > 0.0);
    let n_types = types.iter().filter(|own| there(own)).count();
    for own in &types {
        for (sum, weight) in combined.iter_mut().zip(own) {
            if let Some(weight) = weight {
                *sum.get_or_insert(0.0) += weight / n_types.max(1) as f64;
            }
        }
    }
    if types.len() > 1 {
        all.push(aggregate("combined", members, &combined, bootstrap)?);
    }
    Ok(all)
}

/// The weight of each member that belongs to a mean. Groups that count as one weigh the same, and so do the members
/// of a group; a missing member weighs 0, and one that does not belong to the mean has no weight.
fn weights(members: &[Member<'_>], belongs: impl Fn(&Member<'_>) -> bool) -> Vec<Option<f64>> {
    let there = |member: &&Member<'_>| belongs(member) && !member.values.is_empty();
    let unit = |member: &Member<'_>| member.average.unwrap_or(member.title).to_owned();
    let mut units: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for member in members.iter().filter(there) {
        *units.entry(unit(member)).or_default() += 1;
    }
    let weight = |member: &Member<'_>| match units.get(&unit(member)) {
        Some(&of_unit) if !member.values.is_empty() => 1.0 / (units.len() * of_unit) as f64,
        _ => 0.0,
    };
    let weights = members.iter();
    weights
        .map(|member| belongs(member).then(|| weight(member)))
        .collect()
}

fn aggregate(
    name: &str,
    members: &[Member<'_>],
    weights: &[Option<f64>],
    bootstrap: &Bootstrap,
) -> Result<Aggregate, StatisticsError> {
    let mut strata = Vec::new();
    let (mut there, mut missing) = (Vec::new(), Vec::new());
    for ((number, member), weight) in (0..).zip(members).zip(weights) {
        match weight {
            None => {}
            Some(_) if member.values.is_empty() => missing.push(member.title.to_owned()),
            Some(weight) => {
                strata.push((number, *weight, member.values));
                there.push(member.title.to_owned());
            }
        }
    }
    let interval = (!strata.is_empty()).then(|| bootstrap.mean_of_strata(&strata));
    Ok(Aggregate {
        name: name.to_owned(),
        interval: interval.transpose()?,
        members: there,
        missing,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOTSTRAP: Bootstrap = Bootstrap {
        resamples: 200,
        confidence: 0.95,
        seed: 1,
    };

    /// The members of the suite with one value each: `CodeSearchNet`'s languages, `AdvTest`, `CoSQA`, `StatCodeSearch`.
    fn means(languages: &[f64], others: [f64; 3]) -> Vec<(String, f64)> {
        use Generalization::{CrossLingual, Domain, Robustness};
        let names: Vec<String> = (0..languages.len()).map(|at| format!("csn-{at}")).collect();
        let mut members: Vec<Member<'_>> = names
            .iter()
            .zip(languages)
            .map(|(title, value)| Member {
                title,
                average: Some("CodeSearchNet"),
                generalization: &[CrossLingual],
                values: std::slice::from_ref(value),
            })
            .collect();
        let types: [(&str, &[Generalization]); 3] = [
            ("AdvTest", &[Robustness]),
            ("CoSQA", &[Robustness]),
            ("StatCodeSearch", &[CrossLingual, Domain]),
        ];
        members.extend(
            types
                .iter()
                .zip(&others)
                .map(|((title, types), value)| Member {
                    title,
                    average: None,
                    generalization: types,
                    values: std::slice::from_ref(value),
                }),
        );
        let found = aggregates(&members, &BOOTSTRAP).unwrap();
        found
            .into_iter()
            .map(|one| (one.name, one.interval.unwrap().value))
            .collect()
    }

    /// A row of the paper's Table 2 (average of `CodeSearchNet`, then the others) and its row of Table 3.
    type PaperRow = ([f64; 4], [f64; 4]);

    /// The rows whose cells agree with each other: accuracy, then MRR.
    const AGREE: [PaperRow; 6] = [
        // RoBERTa, CodeT5+ fine-tuned, GPT 3.5 Turbo: accuracy.
        (
            [0.9263, 0.8441, 0.9596, 0.8958],
            [0.9018, 0.9110, 0.8958, 0.9028],
        ),
        (
            [0.8734, 0.9002, 0.9773, 0.9056],
            [0.9387, 0.8895, 0.9056, 0.9112],
        ),
        (
            [0.5882, 0.5687, 0.3282, 0.6271],
            [0.4485, 0.6076, 0.6271, 0.5610],
        ),
        // CodeT5+ zero-shot, Ada 2: MRR.
        (
            [0.8198, 0.8547, 0.7972, 0.6311],
            [0.8259, 0.7254, 0.6311, 0.7274],
        ),
        (
            [0.8852, 0.8264, 0.9439, 0.7945],
            [0.8851, 0.8398, 0.7945, 0.8398],
        ),
        // CodeBERT's MRR but for the combined one, which the paper has as 0.1236.
        (
            [0.0907, 0.4191, 0.1087, 0.0251],
            [0.2639, 0.0579, 0.0251, 0.1156],
        ),
    ];

    #[test]
    fn table_3_follows_from_table_2() {
        for (table_2, table_3) in AGREE {
            let [languages, others @ ..] = table_2;
            let found = means(&[languages], others);
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            let expected = [
                "CodeSearchNet",
                "robustness",
                "cross-lingual",
                "domain",
                "combined",
            ];
            assert_eq!(names, expected);
            for ((name, value), paper) in found[1..].iter().zip(table_3) {
                // Both tables have four digits.
                assert!(
                    (value - paper).abs() < 1.01e-4,
                    "{name}: {value}, {paper} in the paper"
                );
            }
        }
    }

    #[test]
    fn languages_enter_by_their_mean() {
        // Table 5, Ada 2, and its average in Table 2.
        let languages = [0.8942, 0.9093, 0.8684, 0.8761, 0.8782];
        let found = means(&languages, [0.8264, 0.9439, 0.7945]);
        assert!((found[0].1 - 0.8852).abs() < 1e-4, "{found:?}");
        assert!((found[2].1 - 0.8398).abs() < 1e-4, "{found:?}");
    }

    #[test]
    fn what_is_missing_is_named_and_never_zero() {
        use Generalization::{CrossLingual, Domain, Robustness};
        let member = |title, generalization, values| Member {
            title,
            average: None,
            generalization,
            values,
        };
        let members = [
            member("AdvTest", &[Robustness][..], &[][..]),
            member("CoSQA", &[Robustness], &[0.5, 0.7]),
            member("Go", &[CrossLingual], &[]),
            member("StatCodeSearch", &[Domain], &[0.2, 0.4]),
        ];
        let found = aggregates(&members, &BOOTSTRAP).unwrap();
        let robust = &found[0];
        assert!((robust.interval.unwrap().value - 0.6).abs() < 1e-12);
        assert_eq!(
            (robust.members.as_slice(), robust.missing.as_slice()),
            (&["CoSQA".to_owned()][..], &["AdvTest".to_owned()][..])
        );
        assert!(found[1].interval.is_none(), "{found:?}");
        let combined = found.last().unwrap();
        assert!(
            (combined.interval.unwrap().value - 0.45).abs() < 1e-12,
            "{found:?}"
        );
        assert_eq!(combined.missing, ["AdvTest", "Go"]);
    }
}
