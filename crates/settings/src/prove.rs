//! A renamed unit is compiled, and its object compared with the unit's.
//!
//! The unit was compiled among others; for the comparison it is compiled once by itself, as its variants are.
//!
//! Stripped objects have no names in them, so a renaming that changed nothing else leaves the same bytes:
//! that is [`Proof::Object`]. Where names become data (`assert`, `#x`, `__func__`) the machine code alone is
//! compared: [`Proof::Code`]. Anything else is no variant.
//!
//! A first renaming may fail where the text does not show which name is which. Coarser ones are tried then,
//! proven the same way: name spaces are told apart in fewer places, then not at all; at last the names that
//! the compiler misses (members of a standard type that a macro reaches, say) are left as they were.

use std::collections::BTreeMap;

use barecode_check::{CheckError, Judge, Object, Question, Verdict};
use barecode_records::{Proof, Reason, Unit};

use crate::rename::{Analysis, Naming, Renamed, Spaces};

/// What proving came to.
#[derive(Debug)]
pub enum Outcome {
    /// The renamed file, and what shows that it means the same.
    Proven(Renamed, Proof),
    /// Why there is none, and what the compiler said.
    Refused(Reason, String),
}

/// How often names are given back before a renaming is given up.
const REPAIRS: usize = 4;

/// Renames a unit and proves it: `object` is what the unit itself compiles to, and `naming` makes a fresh naming for each attempt.
///
/// # Errors
/// When the compiler cannot be asked.
pub fn prove(
    unit: &Unit,
    object: &Object,
    analysis: &Analysis,
    naming: &dyn Fn() -> Box<dyn Naming>,
    judge: &Judge,
) -> Result<Outcome, CheckError> {
    let mut refused = Outcome::Refused(Reason::RenameUnsafe, "nothing was tried".to_owned());
    let attempts = [
        (Spaces::Apart, 0),
        (Spaces::ApartOutsideMacros, 0),
        (Spaces::Joined, 0),
        (Spaces::Apart, REPAIRS),
        (Spaces::Joined, REPAIRS),
    ];
    for (spaces, repairs) in attempts {
        let mut kept = BTreeMap::new();
        for repair in 0..=repairs {
            let renamed = analysis.renamed(&mut *naming(), spaces, &kept);
            let question = Question {
                language: unit.language,
                text: renamed.text.clone(),
                function: renamed.function.clone(),
                target: renamed.target,
                is_template: unit.is_template,
            };
            let reason = match judge.object(&question)? {
                Ok(variant) => {
                    if variant.fingerprint == object.fingerprint {
                        return Ok(Outcome::Proven(renamed, Proof::Object));
                    }
                    if variant.code_fingerprint == object.code_fingerprint
                        && analysis.names_reach_object()
                    {
                        return Ok(Outcome::Proven(renamed, Proof::Code));
                    }
                    refused = Outcome::Refused(
                        Reason::ProofFailed,
                        "the machine code differs".to_owned(),
                    );
                    break;
                }
                Err(Verdict::Refused { message }) => {
                    let first = message
                        .lines()
                        .find(|line| line.contains("error"))
                        .unwrap_or(&message);
                    refused =
                        Outcome::Refused(Reason::VariantCompileError, first.trim().to_owned());
                    let missed = missed_names(&message, &renamed, &kept);
                    if missed.is_empty() || repair == repairs {
                        break;
                    }
                    kept.extend(missed.into_iter().map(|name| {
                        (
                            Box::from(name),
                            "the compiler knows it under this name only",
                        )
                    }));
                    continue;
                }
                Err(limit) => limit_of(&limit),
            };
            return Ok(Outcome::Refused(reason, String::new()));
        }
    }
    Ok(refused)
}

/// The reason of a verdict that is neither an object nor a refusal.
pub(crate) fn limit_of(verdict: &Verdict) -> Reason {
    match verdict {
        Verdict::MemoryLimit => Reason::MemoryLimit,
        Verdict::OutputLimit => Reason::OutputLimit,
        Verdict::TimeLimit => Reason::TimeLimit,
        // An object was asked for, so a text that compiles has one.
        Verdict::Refused { .. } | Verdict::Compiled { .. } => Reason::ProofFailed,
    }
}

/// The old names of those that the compiler quotes as unknown: new ones where it knows the old name (members
/// of a standard type), old ones where a string still has them (`alias("f")`, operands of `asm`).
fn missed_names(
    message: &str,
    renamed: &Renamed,
    kept: &BTreeMap<Box<str>, &'static str>,
) -> Vec<String> {
    let mut quoted = Vec::new();
    for line in message.lines().filter(|line| line.contains("error")) {
        let line = line.replace(['\u{2018}', '\u{2019}'], "'");
        let parts: Vec<&str> = line.split('\'').collect();
        // The odd parts stand between quotes; `struct x *` quotes more than the name.
        for part in parts.iter().skip(1).step_by(2) {
            quoted.extend(
                part.split(|c: char| !(c.is_alphanumeric() || c == '_'))
                    .map(str::to_owned),
            );
        }
    }
    let old = renamed
        .renamed
        .iter()
        .filter(|renaming| quoted.contains(&renaming.to) || quoted.contains(&renaming.from));
    old.map(|renaming| renaming.from.clone())
        .filter(|name| !kept.contains_key(name.as_str()))
        .collect()
}
