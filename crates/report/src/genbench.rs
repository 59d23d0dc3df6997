//! The `GenBench` evaluation card of a suite (Hupkes and others, 2023): the test sets of each type of generalization,
//! and the locus of the shift. `GenCodeSearchNet`'s is Table 6.
//!
//! A symbol represents the test sets that belong to the same types; the types come from the members, the other axes
//! from the recipe's `[card]`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use barecode_evaluate::Generalization;
use maud::{Markup, html};
use serde::Serialize;

use barecode_recipe::{CardAxes, MOTIVATIONS, SHIFT_LOCI, SHIFT_SOURCES, SHIFT_TYPES, SuiteMember};

/// One for each set of types; there are seven.
const SYMBOLS: [&str; 7] = ["□", "△", "○", "◇", "☆", "▽", "⬠"];

/// The types of generalization of the taxonomy, with ours.
const TYPES: [(&str, Option<Generalization>); 6] = [
    ("compositional", None),
    ("structural", None),
    ("cross-task", None),
    ("cross-language", Some(Generalization::CrossLingual)),
    ("cross-domain", Some(Generalization::Domain)),
    ("robustness", Some(Generalization::Robustness)),
];

/// The card.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The meaning of each symbol.
    experiments: Vec<Experiment>,
    /// The axes, each with its values and the symbols below them.
    axes: Vec<Axis>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Experiment {
    symbol: &'static str,
    test_sets: Vec<String>,
    #[serde(skip)]
    generalization: Vec<Generalization>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
struct Axis {
    name: &'static str,
    values: Vec<(&'static str, Vec<&'static str>)>,
}

impl Card {
    /// The card of test sets, each with a flag that it was evaluated. A name of several sets has the number that
    /// were.
    pub fn of<'a>(members: impl Iterator<Item = (&'a SuiteMember, bool)>, axes: &CardAxes) -> Self {
        let mut experiments: Vec<Experiment> = Vec::new();
        let mut evaluated: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (member, is_evaluated) in members {
            let name = member.average.as_deref().unwrap_or(&member.title);
            let (some, all) = evaluated.entry(name).or_default();
            *some += usize::from(is_evaluated);
            *all += 1;
            let mut own = member.generalization.clone();
            own.sort_unstable();
            own.dedup();
            match experiments.iter_mut().find(|it| it.generalization == own) {
                Some(same) if same.test_sets.iter().any(|it| it == name) => {}
                Some(same) => same.test_sets.push(name.to_owned()),
                None => experiments.push(Experiment {
                    symbol: SYMBOLS[experiments.len() % SYMBOLS.len()],
                    test_sets: vec![name.to_owned()],
                    generalization: own,
                }),
            }
        }
        for name in experiments.iter_mut().flat_map(|it| &mut it.test_sets) {
            match evaluated[name.as_str()] {
                (0, _) => name.push_str(" (not evaluated)"),
                (some, all) if some < all => {
                    let _ = write!(name, " ({some} of {all} evaluated)");
                }
                _ => {}
            }
        }
        let all: Vec<&'static str> = experiments.iter().map(|it| it.symbol).collect();
        let of_type = |kind: Option<Generalization>| -> Vec<&'static str> {
            let own = experiments.iter();
            own.filter(|it| kind.is_some_and(|kind| it.generalization.contains(&kind)))
                .map(|it| it.symbol)
                .collect()
        };
        let said = |name, known: [&'static str; 4], said: &[String]| Axis {
            name,
            values: known
                .into_iter()
                .map(|value| {
                    let is_said = said.iter().any(|one| one == value);
                    (value, if is_said { all.clone() } else { Vec::new() })
                })
                .collect(),
        };
        let types = TYPES.map(|(name, kind)| (name, of_type(kind)));
        let axes = vec![
            said("motivation", MOTIVATIONS, &axes.motivation),
            Axis {
                name: "generalization type",
                values: types.to_vec(),
            },
            said("shift type", SHIFT_TYPES, &axes.shift_type),
            said("shift source", SHIFT_SOURCES, &axes.shift_source),
            said("shift locus", SHIFT_LOCI, &axes.shift_locus),
        ];
        Card { experiments, axes }
    }

    /// The card as Markdown, for the card of a dataset.
    pub fn markdown(&self) -> String {
        let mut text = String::from("# GenBench evaluation card\n");
        for axis in &self.axes {
            let heads: Vec<&str> = axis.values.iter().map(|(name, _)| *name).collect();
            let cells: Vec<String> = axis.values.iter().map(|(_, it)| it.join(" ")).collect();
            let line = "| --- ".repeat(heads.len());
            // Writing to a text does not fail.
            let _ = write!(
                text,
                "\n**{}**\n\n| {} |\n{line}|\n| {} |\n",
                axis.name,
                heads.join(" | "),
                cells.join(" | ")
            );
        }
        text.push('\n');
        for one in &self.experiments {
            let _ = writeln!(text, "- {} {}", one.symbol, one.test_sets.join(", "));
        }
        text
    }

    /// A section of the page.
    pub(super) fn section(&self) -> Markup {
        let widest = self
            .axes
            .iter()
            .map(|axis| axis.values.len())
            .max()
            .unwrap_or(1);
        html! {
            div.scroll tabindex="0" role="region" aria-label="Evaluation card" {
                table {
                    @for axis in &self.axes {
                        tbody {
                            tr { th colspan=(widest) scope="rowgroup" { (axis.name) } }
                            tr { @for (name, _) in &axis.values { th scope="col" { (name) } } }
                            tr { @for (_, symbols) in &axis.values { td { (symbols.join(" ")) } } }
                        }
                    }
                }
            }
            ul { @for one in &self.experiments { li { (one.symbol) " " (one.test_sets.join(", ")) } } }
        }
    }

    /// The values of an axis that some test sets have.
    #[cfg(test)]
    fn values(&self, axis: &str) -> Vec<(&'static str, Vec<&'static str>)> {
        let axis = self.axes.iter().find(|it| it.name == axis);
        let values = axis.into_iter().flat_map(|it| it.values.clone());
        values.filter(|(_, symbols)| !symbols.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use barecode_recipe::Suite;

    #[test]
    fn the_card_of_the_published_suite_is_table_6() {
        let recipes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
        let suite = Suite::read(&recipes.join("gencodesearchnet.toml")).unwrap();
        let tests = suite.members.iter().filter(|member| !member.trains);
        let card = Card::of(tests.map(|test| (test, true)), &suite.card);
        let symbols: Vec<_> = card
            .experiments
            .iter()
            .map(|it| (it.symbol, it.test_sets.join(" & ")))
            .collect();
        let [csn, adv, stat] = [
            ("□", "CodeSearchNet"),
            ("△", "AdvTest & CoSQA"),
            ("○", "StatCodeSearch"),
        ];
        assert_eq!(
            symbols,
            [csn, adv, stat].map(|(symbol, sets)| (symbol, sets.to_owned()))
        );
        // The paper draws a triangle for StatCodeSearch and a circle for the two others.
        assert_eq!(
            card.values("generalization type"),
            [
                ("cross-language", vec!["□", "○"]),
                ("cross-domain", vec!["○"]),
                ("robustness", vec!["△"])
            ]
        );
        let all = vec!["□", "△", "○"];
        for (axis, value) in [
            ("motivation", vec!["practical"]),
            ("shift type", vec!["covariate"]),
            ("shift source", vec!["naturally-occurring"]),
            ("shift locus", vec!["finetune-train-test", "pretrain-test"]),
        ] {
            let expected: Vec<_> = value
                .into_iter()
                .map(|value| (value, all.clone()))
                .collect();
            assert_eq!(card.values(axis), expected, "{axis}");
        }
        let text = card.markdown();
        assert!(
            text.contains("| practical | cognitive | intrinsic | fairness |"),
            "{text}"
        );
        assert!(text.contains("- ○ StatCodeSearch"), "{text}");
        let tests = suite.members.iter().filter(|member| !member.trains);
        let some = tests.map(|test| {
            (
                test,
                ["codesearchnet-go", "advtest"].contains(&test.name.as_str()),
            )
        });
        let text = Card::of(some, &suite.card).markdown();
        assert!(
            text.contains("- □ CodeSearchNet (1 of 5 evaluated)\n- △ AdvTest, CoSQA (not evaluated)\n- ○ StatCodeSearch (not evaluated)"),
            "{text}"
        );
    }
}
