//! The configuration of a step in a recipe, and the pipelines of the paper.

use std::fmt;

use barecode_records::python::VariantKind;
use barecode_records::{Length, Role, Roles};
use serde::de::{IntoDeserializer, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::transforms::change_names::{ChangeNames, Strategy};
use crate::transforms::deleted_statement::{DeletedStatement, StatementType};
use crate::transforms::typo_in_name::{TypoInName, TypoType};
use crate::transforms::{self, CHANGE_NAMES};
use crate::{Pipeline, Step, Transform};

/// A step as a recipe has it: `{ transform = "ChangeNames", strategy = "funky", sample-p = 1.0, p = 1.0 }`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct StepConfig {
    /// The transform, by the paper's name.
    pub transform: String,
    /// The probability of each node to be changed, with a floor of one node; 1 unless given.
    #[serde(default = "one")]
    pub sample_p: f64,
    /// The probability of the transform to be applied at all; 1 unless given.
    #[serde(default = "one")]
    pub p: f64,
    /// Of `ChangeNames`: the source of new names; `funky` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strategy: Option<Strategy>,
    /// Of `ChangeNames` with `random_chars`: `original`, `uniform`, `shortest`, or a number; `original` unless given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length: Option<NameLength>,
    /// Of `ChangeNames`: the roles of the names that are changed, such as `["parameter", "variable"]`; all unless
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<Role>>,
    /// Of `ChangeNames` with a kept length: true if capitals stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_case: Option<bool>,
    /// Of `ChangeNames` with a kept length: true if underscores stay.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub match_underscores: Option<bool>,
    /// Of `DeletedStatement`: `any` (unless given) or `simple_def`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statement_type: Option<StatementType>,
    /// Of `TypoInName`: `any` (unless given), `missing_char` or `swapped_chars`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub typo_type: Option<TypoType>,
}

/// The length of random names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum NameLength {
    /// This many letters.
    Fixed(u8),
    /// By a rule.
    Rule(LengthRule),
}

impl<'de> Deserialize<'de> for NameLength {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<NameLength, D::Error> {
        struct Length;
        impl Visitor<'_> for Length {
            type Value = NameLength;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("`original`, `uniform`, `shortest` or a number of letters up to 255")
            }

            fn visit_i64<E: serde::de::Error>(self, letters: i64) -> Result<NameLength, E> {
                let fixed = u8::try_from(letters).map(NameLength::Fixed);
                fixed.map_err(|_| E::invalid_value(Unexpected::Signed(letters), &self))
            }

            fn visit_u64<E: serde::de::Error>(self, letters: u64) -> Result<NameLength, E> {
                let fixed = u8::try_from(letters).map(NameLength::Fixed);
                fixed.map_err(|_| E::invalid_value(Unexpected::Unsigned(letters), &self))
            }

            fn visit_str<E: serde::de::Error>(self, rule: &str) -> Result<NameLength, E> {
                let known = LengthRule::deserialize(rule.into_deserializer());
                let known = known.map(NameLength::Rule);
                known.map_err(|_: E| E::invalid_value(Unexpected::Str(rule), &self))
            }
        }
        from.deserialize_any(Length)
    }
}

/// The length of random names, by a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LengthRule {
    /// As long as the old name.
    Original,
    /// From 1 to 10, each as likely.
    Uniform,
    /// As short as still distinguishes names.
    Shortest,
}

/// The reason that a step cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadStep {
    /// No transform has this name.
    #[error(
        "unknown transform `{0}`; use a name of Table 2 or 3 of the paper, such as `ChangeNames`"
    )]
    UnknownTransform(String),
    /// An option belongs to another transform, or to another strategy.
    #[error("`{option}` is not an option of `{transform}`{hint}")]
    ForeignOption {
        /// The transform.
        transform: String,
        /// The option.
        option: &'static str,
        /// The transform or strategy that has the option.
        hint: &'static str,
    },
    /// A probability is not one.
    #[error("`{option}` of `{transform}` is not between 0 and 1")]
    NotAProbability {
        /// The transform.
        transform: String,
        /// The option.
        option: &'static str,
    },
    /// Names of length 0.
    #[error("`length` of `ChangeNames` is 0; use 1 or more")]
    NoLetters,
    /// Nothing would be renamed.
    #[error("`roles` of `ChangeNames` is empty; name one, such as `variable`, or leave it out")]
    NoRoles,
}

fn one() -> f64 {
    1.0
}

impl StepConfig {
    /// A transform with its usual options, on all nodes.
    pub fn new(transform: &str) -> Self {
        StepConfig {
            transform: transform.to_owned(),
            sample_p: 1.0,
            p: 1.0,
            strategy: None,
            length: None,
            roles: None,
            match_case: None,
            match_underscores: None,
            statement_type: None,
            typo_type: None,
        }
    }

    /// The step.
    pub fn step(&self) -> Result<Step, BadStep> {
        for (option, value) in [("sample-p", self.sample_p), ("p", self.p)] {
            if !(0.0..=1.0).contains(&value) {
                return Err(BadStep::NotAProbability {
                    transform: self.transform.clone(),
                    option,
                });
            }
        }
        self.refuse_foreign()?;
        let transform: Box<dyn Transform + Send> = match self.transform.as_str() {
            CHANGE_NAMES => Box::new(self.change_names()?),
            "DeletedStatement" => Box::new(DeletedStatement {
                statement_type: self.statement_type.unwrap_or_default(),
            }),
            "TypoInName" => Box::new(TypoInName {
                typo_type: self.typo_type.unwrap_or_default(),
            }),
            name => {
                transforms::named(name).ok_or_else(|| BadStep::UnknownTransform(name.to_owned()))?
            }
        };
        Ok(Step {
            transform,
            sample_p: self.sample_p,
            p: self.p,
        })
    }

    fn refuse_foreign(&self) -> Result<(), BadStep> {
        let options = [
            ("strategy", self.strategy.is_some(), CHANGE_NAMES),
            ("length", self.length.is_some(), CHANGE_NAMES),
            ("roles", self.roles.is_some(), CHANGE_NAMES),
            ("match-case", self.match_case.is_some(), CHANGE_NAMES),
            (
                "match-underscores",
                self.match_underscores.is_some(),
                CHANGE_NAMES,
            ),
            (
                "statement-type",
                self.statement_type.is_some(),
                "DeletedStatement",
            ),
            ("typo-type", self.typo_type.is_some(), "TypoInName"),
        ];
        let foreign = |(_, given, owner): &&(&str, bool, &str)| *given && *owner != self.transform;
        match options.iter().find(foreign) {
            Some((option, ..)) => Err(self.foreign(option, "")),
            None => Ok(()),
        }
    }

    fn foreign(&self, option: &'static str, hint: &'static str) -> BadStep {
        BadStep::ForeignOption {
            transform: self.transform.clone(),
            option,
            hint,
        }
    }

    fn change_names(&self) -> Result<ChangeNames, BadStep> {
        let strategy = self.strategy.unwrap_or_default();
        if self.length.is_some() && strategy != Strategy::RandomChars {
            return Err(self.foreign("length", " without `strategy = \"random_chars\"`"));
        }
        let length = match self.length {
            None | Some(NameLength::Rule(LengthRule::Original)) => Length::Same,
            Some(NameLength::Rule(LengthRule::Uniform)) => Length::Uniform,
            Some(NameLength::Rule(LengthRule::Shortest)) => Length::Shortest,
            Some(NameLength::Fixed(0)) => return Err(BadStep::NoLetters),
            Some(NameLength::Fixed(length)) => Length::Fixed(length),
        };
        let roles = self.roles.as_ref();
        if roles.is_some_and(Vec::is_empty) {
            return Err(BadStep::NoRoles);
        }
        let made = ChangeNames {
            strategy,
            length,
            roles: roles.map_or(Roles::PROJECT, |roles| Roles::of(roles.iter().copied())),
            match_case: self.match_case.unwrap_or_default(),
            match_underscores: self.match_underscores.unwrap_or_default(),
        };
        let hint = " where the length of names is not kept";
        match (made.match_case, made.match_underscores, made.keeps_length()) {
            (true, _, false) => Err(self.foreign("match-case", hint)),
            (_, true, false) => Err(self.foreign("match-underscores", hint)),
            _ => Ok(made),
        }
    }
}

impl Pipeline {
    /// The pipeline of these steps.
    pub fn of(name: &str, kind: VariantKind, steps: &[StepConfig]) -> Result<Pipeline, BadStep> {
        let steps: Result<Vec<Step>, BadStep> = steps.iter().map(StepConfig::step).collect();
        Ok(Pipeline {
            name: name.to_owned(),
            kind,
            steps: steps?,
        })
    }

    /// The paper's positive pipeline (Figure 5, Listing 1).
    pub fn paper_positive() -> Pipeline {
        let names = [
            "CommentDeletion",
            "ArithmeticTransform",
            "SwapCondition",
            "ForInRangeToWhile",
            "ListCompToForLoop",
            "ConditionalExprToIfElse",
            "ChainedComparisonToAnd",
            "BooleanSimplify",
            "FStringToFormat",
            CHANGE_NAMES,
        ];
        let steps: Vec<StepConfig> = names.map(StepConfig::new).into();
        let made = Pipeline::of("positive", VariantKind::Clone, &steps);
        made.expect("the paper's transforms are known")
    }

    /// The paper's negative pipeline (Figure 5, Listing 2).
    pub fn paper_negative() -> Pipeline {
        let step = |transform: &str, sample_p: f64, p: f64| StepConfig {
            sample_p,
            p,
            ..StepConfig::new(transform)
        };
        let steps = [
            step("WrongArithmeticOperator", 0.05, 0.5),
            step("WrongComparisonOperator", 0.1, 0.5),
            step("WrongBooleanValue", 0.5, 1.0),
            step("WrongBooleanOperator", 0.5, 1.0),
            step("WrongAugmentedAssignOperator", 0.25, 0.5),
            step("RangeOffByOne", 0.1, 0.5),
            step("NumberWrongSign", 0.5, 0.5),
            step("NumberWrongValue", 0.5, 0.01),
            step("RemoveNegation", 0.5, 1.0),
            StepConfig {
                statement_type: Some(StatementType::SimpleDef),
                ..step("DeletedStatement", 0.08, 1.0)
            },
            StepConfig {
                typo_type: Some(TypoType::MissingChar),
                ..step("TypoInName", 0.08, 0.5)
            },
        ];
        let made = Pipeline::of("negative", VariantKind::Bug, &steps);
        made.expect("the paper's transforms are known")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(json: &str) -> Result<Step, String> {
        let config: StepConfig = serde_json::from_str(json).map_err(|error| error.to_string())?;
        config.step().map_err(|error| error.to_string())
    }

    #[test]
    fn options_belong_to_their_transform() {
        let funky = step(r#"{"transform": "ChangeNames", "strategy": "funky", "sample-p": 0.5}"#);
        assert!((funky.unwrap().sample_p - 0.5).abs() < 1e-9);
        assert!(
            step(r#"{"transform": "ChangeNames", "strategy": "random_chars", "length": 4}"#)
                .is_ok()
        );
        for (bad, why) in [
            (r#"{"transform": "Nothing"}"#, "unknown transform"),
            (
                r#"{"transform": "ChangeNames", "colour": 1}"#,
                "unknown field",
            ),
            (
                r#"{"transform": "ChangeNames", "typo-type": "any"}"#,
                "not an option",
            ),
            (
                r#"{"transform": "ChangeNames", "match-case": true}"#,
                "length of names",
            ),
            (
                r#"{"transform": "ChangeNames", "length": 3}"#,
                "random_chars",
            ),
            (r#"{"transform": "ChangeNames", "roles": []}"#, "is empty"),
            (
                r#"{"transform": "RemoveNegation", "roles": ["variable"]}"#,
                "not an option",
            ),
            (
                r#"{"transform": "RemoveNegation", "p": 1.5}"#,
                "between 0 and 1",
            ),
        ] {
            let error = step(bad).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn only_names_of_the_roles_that_are_asked_for_change() {
        let text = "def area(width, height):\n    size = width * height\n    return size\n";
        let renamed = |roles: &str| {
            let json = format!(r#"{{"transform": "ChangeNames", "roles": ["{roles}"]}}"#);
            let pipeline = Pipeline {
                name: roles.to_owned(),
                kind: VariantKind::Clone,
                steps: vec![step(&json).unwrap()],
            };
            let made = pipeline.run(text, &crate::Context::default(), 1).unwrap();
            let names = ["area", "width", "height", "size"].into_iter();
            let gone = names.filter(|name| !made.text.contains(name));
            gone.collect::<Vec<&str>>()
        };
        assert_eq!(renamed("variable"), ["size"]);
        assert_eq!(renamed("function"), ["area"]);
        assert_eq!(renamed("class"), [""; 0]);
    }

    #[test]
    fn the_negative_pipeline_is_the_papers() {
        let pipeline = Pipeline::paper_negative();
        let listed = pipeline.steps.iter();
        let listed: Vec<_> = listed
            .map(|step| (step.transform.name(), step.sample_p, step.p))
            .collect();
        assert_eq!(listed.len(), 11);
        assert_eq!(listed[1], ("WrongComparisonOperator", 0.1, 0.5));
        assert_eq!(listed[4], ("WrongAugAssignOperator", 0.25, 0.5));
        assert_eq!(listed[9], ("DeletedStatement", 0.08, 1.0));
    }
}
