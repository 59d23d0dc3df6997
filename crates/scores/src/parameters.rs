//! The parameters in the brackets of a measure: `rel=2,judged_only=True`.
//!
//! Values are Python's literals, as in `ir_measures`: whole numbers, decimal numbers, `True` and `False`, quoted
//! texts, and a dictionary of whole numbers. The measure that has a parameter removes it from the list; one that is
//! left over is an error.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use crate::measure::{Gain, Kind, MeasureError, Relevant};

/// The parameters that have not been used yet.
pub(crate) struct Parameters<'a> {
    text: &'a str,
    values: BTreeMap<&'a str, &'a str>,
    taken: Vec<&'a str>,
}

impl<'a> Parameters<'a> {
    /// Splits the text in the brackets.
    pub(crate) fn parse(text: &'a str, inside: &'a str) -> Result<Self, MeasureError> {
        let mut parameters = Parameters {
            text,
            values: BTreeMap::new(),
            taken: Vec::new(),
        };
        let mut depth = 0_u32;
        let parts = inside.split(|c: char| {
            match c {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        for part in parts.map(str::trim) {
            if part.is_empty() {
                continue;
            }
            let Some((name, value)) = part.split_once('=') else {
                return Err(parameters.error(part, "a name and a value, as in `rel=2`"));
            };
            parameters.insert(name.trim(), value.trim())?;
        }
        Ok(parameters)
    }

    /// Adds a parameter.
    pub(crate) fn insert(&mut self, name: &'a str, value: &'a str) -> Result<(), MeasureError> {
        match self.values.insert(name, value) {
            None => Ok(()),
            Some(_) => Err(self.error(&format!("{name}={value}"), "each parameter once")),
        }
    }

    /// Returns `true` if it is given and not used yet.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.values.contains_key(name)
    }

    /// Returns `true` if it was used.
    pub(crate) fn had(&self, name: &str) -> bool {
        self.taken.contains(&name)
    }

    /// The lowest relevant grade.
    pub(crate) fn rel(&mut self) -> Result<Option<Relevant>, MeasureError> {
        let Some(value) = self.take("rel") else {
            return Ok(None);
        };
        if value == "max" {
            return Ok(Some(Relevant::Highest));
        }
        let grade = value.parse().ok().filter(|&grade: &i32| grade >= 1);
        grade
            .map(|grade| Some(Relevant::AtLeast(grade)))
            .ok_or_else(|| {
                self.error(
                    &format!("rel={value}"),
                    "`rel=` and a grade from 1 up, or `rel=max`",
                )
            })
    }

    /// The cutoff.
    pub(crate) fn cutoff(&mut self) -> Result<Option<u32>, MeasureError> {
        let Some(value) = self.take("cutoff") else {
            return Ok(None);
        };
        value
            .parse::<NonZeroU32>()
            .map(|rank| Some(rank.get()))
            .map_err(|_| self.bad_cutoff(value, "a whole number from 1 up"))
    }

    /// The recall of `IPrec`.
    pub(crate) fn recall(&mut self) -> Result<f64, MeasureError> {
        let value = self.take("recall");
        let value = value.ok_or_else(|| MeasureError::no_cutoff(self.text, "0.1"))?;
        let recall = value.parse().ok().filter(|r| (0.0..=1.0).contains(r));
        recall.ok_or_else(|| self.bad_cutoff(value, "a recall from 0 to 1"))
    }

    /// The gains of grades.
    pub(crate) fn gain(&mut self) -> Result<Gain, MeasureError> {
        let dcg = self
            .take("dcg")
            .map(|value| value.trim_matches(['\'', '"']));
        let gains = self.take("gains");
        match (dcg, gains) {
            (None | Some("log2"), None) => Ok(Gain::Linear),
            (Some("exp-log2"), None) => Ok(Gain::Exponential),
            (None | Some("log2"), Some(gains)) => pairs(gains).map(Gain::Custom).ok_or_else(|| {
                self.error(
                    &format!("gains={gains}"),
                    "`gains=` and whole numbers, as in `gains={1:1,2:3}`",
                )
            }),
            (Some("exp-log2"), Some(gains)) => Err(self.error(
                &format!("gains={gains}"),
                "either `gains=` or `dcg='exp-log2'`",
            )),
            (Some(other), _) => Err(self.error(
                &format!("dcg='{other}'"),
                "`dcg='log2'` or `dcg='exp-log2'`",
            )),
        }
    }

    /// The range of grades of `SDCG`.
    pub(crate) fn scale(&mut self) -> Result<Kind, MeasureError> {
        let grade = |value: Option<&str>| value.map(str::parse::<i32>);
        let (min, max) = (self.take("min_rel"), self.take("max_rel"));
        match (grade(min).unwrap_or(Ok(0)), grade(max)) {
            (Ok(min_rel), Some(Ok(max_rel))) if min_rel < max_rel => {
                Ok(Kind::ScaledDcg { min_rel, max_rel })
            }
            _ => {
                Err(self
                    .missing("`max_rel=` and a grade above `min_rel`, as in `SDCG(max_rel=3)@10`"))
            }
        }
    }

    /// A number that passes the test.
    pub(crate) fn number(
        &mut self,
        name: &str,
        is_good: impl Fn(f64) -> bool,
        expected: &'static str,
    ) -> Result<Option<f64>, MeasureError> {
        let Some(value) = self.take(name) else {
            return Ok(None);
        };
        let number = value
            .parse()
            .ok()
            .filter(|&n: &f64| n.is_finite() && is_good(n));
        number
            .map(Some)
            .ok_or_else(|| self.error(&format!("{name}={value}"), expected))
    }

    /// `True` or `False`; the latter where it is missing.
    pub(crate) fn flag(&mut self, name: &str) -> Result<bool, MeasureError> {
        match self.take(name) {
            None | Some("False") => Ok(false),
            Some("True") => Ok(true),
            Some(other) => Err(self.error(&format!("{name}={other}"), "`True` or `False`")),
        }
    }

    /// Returns an error if a parameter is left.
    pub(crate) fn finish(self) -> Result<(), MeasureError> {
        match self.values.first_key_value() {
            None => Ok(()),
            Some((name, value)) => {
                let expected = if *name == "cutoff" {
                    "none: this measure has no cutoff"
                } else {
                    "a parameter that this measure has, such as `rel=2`"
                };
                Err(self.error(&format!("{name}={value}"), expected))
            }
        }
    }

    /// The error of a parameter that is given.
    pub(crate) fn bad(&self, name: &str, expected: &'static str) -> MeasureError {
        let value = self.values.get(name).copied().unwrap_or_default();
        self.error(&format!("{name}={value}"), expected)
    }

    /// The error of a parameter that is missing.
    pub(crate) fn missing(&self, expected: &'static str) -> MeasureError {
        self.error("", expected)
    }

    fn take(&mut self, name: &str) -> Option<&'a str> {
        let (name, value) = self.values.remove_entry(name)?;
        self.taken.push(name);
        Some(value)
    }

    fn bad_cutoff(&self, cutoff: &str, expected: &str) -> MeasureError {
        MeasureError(format!(
            "measure `{}` has the cutoff `{cutoff}`, expected {expected}",
            self.text
        ))
    }

    fn error(&self, parameter: &str, expected: &str) -> MeasureError {
        MeasureError(format!(
            "measure `{}` has the parameter `{parameter}`, expected {expected}",
            self.text
        ))
    }
}

fn pairs(gains: &str) -> Option<BTreeMap<i32, i32>> {
    let inside = gains.trim().strip_prefix('{')?.strip_suffix('}')?;
    let pair = |pair: &str| {
        let (grade, gain) = pair.split_once(':')?;
        Some((grade.trim().parse().ok()?, gain.trim().parse().ok()?))
    };
    inside
        .split(',')
        .filter(|part| !part.trim().is_empty())
        .map(pair)
        .collect()
}
