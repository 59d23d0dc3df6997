//! A renamed unit is compiled, and its object compared with the unit's.
//!
//! Stripped objects have no names in them, so a renaming that changed nothing else leaves the same bytes:
//! that is [`Proof::Object`]. Where names become data (`assert`, `#x`, `__func__`) the machine code alone is
//! compared: [`Proof::Code`]. Anything else is no variant.
//!
//! A first renaming may fail where the text does not show which name is which. Two repairs are tried, both
//! coarser and both proven the same way: names that the compiler then misses in a standard type are left as
//! they were, and name spaces are no longer told apart.

use std::collections::BTreeMap;

use barecode_check::{CheckError, Judge, Verdict};
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

/// Renames a unit and proves it; `naming` makes a fresh naming for each attempt.
///
/// # Errors
/// When the compiler cannot be asked.
pub fn prove(
    unit: &Unit,
    analysis: &Analysis,
    naming: &dyn Fn() -> Box<dyn Naming>,
    judge: &Judge,
) -> Result<Outcome, CheckError> {
    let mut refused = Outcome::Refused(Reason::RenameUnsafe, "nothing was tried".to_owned());
    for spaces in [Spaces::Apart, Spaces::Joined] {
        let mut kept = BTreeMap::new();
        for _ in 0..=REPAIRS {
            let renamed = analysis.renamed(&mut *naming(), spaces, &kept);
            let verdict = judge.judge(&renamed.text, &renamed.function)?;
            match verdict {
                Verdict::Compiled(object) => {
                    if object.fingerprint == unit.object {
                        return Ok(Outcome::Proven(renamed, Proof::Object));
                    }
                    if object.code_fingerprint == unit.object_code && analysis.names_reach_object() {
                        return Ok(Outcome::Proven(renamed, Proof::Code));
                    }
                    refused = Outcome::Refused(Reason::ProofFailed, "the machine code differs".to_owned());
                    break;
                }
                Verdict::Refused { message } => {
                    let missed = missed_names(&message, &renamed, &kept);
                    let first = message.lines().find(|line| line.contains("error")).unwrap_or(&message);
                    refused = Outcome::Refused(Reason::VariantCompileError, first.trim().to_owned());
                    if missed.is_empty() {
                        break;
                    }
                    for name in missed {
                        kept.insert(name.into(), "also a name of the standard library");
                    }
                }
                Verdict::TimeLimit => return Ok(Outcome::Refused(Reason::TimeLimit, String::new())),
                Verdict::MemoryLimit => return Ok(Outcome::Refused(Reason::MemoryLimit, String::new())),
                Verdict::OutputLimit => return Ok(Outcome::Refused(Reason::OutputLimit, String::new())),
            }
        }
    }
    Ok(refused)
}

/// The old names of those that the compiler quotes as unknown.
fn missed_names(message: &str, renamed: &Renamed, kept: &BTreeMap<Box<str>, &'static str>) -> Vec<String> {
    let mut quoted = Vec::new();
    for line in message.lines().filter(|line| line.contains("error")) {
        let line = line.replace(['\u{2018}', '\u{2019}'], "'");
        let parts: Vec<&str> = line.split('\'').collect();
        // The odd parts stand between quotes; `struct x *` quotes more than the name.
        for part in parts.iter().skip(1).step_by(2) {
            quoted.extend(part.split(|c: char| !(c.is_alphanumeric() || c == '_')).map(str::to_owned));
        }
    }
    let old = renamed.renamed.iter().filter(|renaming| quoted.contains(&renaming.to));
    old.map(|renaming| renaming.from.clone()).filter(|name| !kept.contains_key(name.as_str())).collect()
}
