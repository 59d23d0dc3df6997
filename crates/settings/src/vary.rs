//! The stage: every unit under every wanted setting.

use std::collections::BTreeMap;

use barecode_check::{CheckError, Judge, Lowerer, Question};
use barecode_records::{Counts, Language, Proof, Reason, SetAside, Setting, Stage, Unit, Variant};

use crate::lowered::lowered;
use crate::neutralized::Neutralized;
use crate::prove::{Outcome, limit_of, prove};
use crate::randomized::Randomized;
use crate::rename::{Analysis, Naming};

/// What lowers, by the setting that it is for.
pub type Lowerers = BTreeMap<Setting, Lowerer>;

/// What came out of some units.
#[derive(Debug, Clone, Default)]
pub struct Varied {
    /// The variants, unit by unit in the order of the settings.
    pub variants: Vec<Variant>,
    /// Variants that could not be made or proven.
    pub set_aside: Vec<SetAside>,
    /// The account of variants.
    pub counts: Counts,
}

/// Makes and proves the variants of some units.
///
/// `settings` are the wanted settings with their seeds; `run_seed` is the run's, from which each unit's draw is
/// derived. Each lowered setting among them has its own in `lowerers`.
///
/// # Errors
/// [`CheckError`] when the compiler cannot be asked; a variant that fails is set aside.
pub fn vary(
    units: &[Unit],
    settings: &[(Setting, Option<u32>)],
    run_seed: u64,
    judge: &Judge,
    lowerers: &Lowerers,
) -> Result<Varied, CheckError> {
    let mut varied = Varied::default();
    for unit in units {
        let analysis = Analysis::of(&unit.closure, &unit.name);
        // Asked for once, and only where something is compared with it.
        let is_renamed = |setting: &Setting| matches!(setting, Setting::Renamed { .. });
        let wants_object = unit.language == Language::C
            && analysis.is_ok()
            && settings.iter().any(|(setting, _)| is_renamed(setting));
        let object = wants_object
            .then(|| judge.object(&Question::of_unit(unit)))
            .transpose()?;
        for &(setting, seed) in settings {
            let outcome = match (setting, &analysis) {
                (Setting::Standard, _) => {
                    varied.counts.keep();
                    varied.variants.push(standard(unit, seed));
                    continue;
                }
                (Setting::Lowered { .. }, _) => {
                    let lowerer = lowerers.get(&setting);
                    match lowered(unit, setting, lowerer.expect("each has its own"))? {
                        Ok(variant) => {
                            varied.counts.keep();
                            varied.variants.push(variant);
                            continue;
                        }
                        Err((reason, detail)) => Outcome::Refused(reason, detail),
                    }
                }
                // There is no renaming of C++ yet.
                _ if unit.language != Language::C => Outcome::Refused(
                    Reason::SettingOtherLanguage,
                    format!("a unit of {}", unit.language),
                ),
                (_, Err(error)) => Outcome::Refused(Reason::RenameUnsafe, error.to_string()),
                (_, Ok(analysis)) => {
                    let naming = || -> Box<dyn Naming> {
                        match setting {
                            Setting::RANDOMIZED => Box::new(Randomized::new(
                                run_seed,
                                &unit.id,
                                seed.unwrap_or_default(),
                            )),
                            _ => Box::new(Neutralized::default()),
                        }
                    };
                    match &object {
                        Some(Ok(object)) => prove(unit, object, analysis, &naming, judge)?,
                        Some(Err(verdict)) => {
                            let detail = "the unit alone reaches it".to_owned();
                            Outcome::Refused(limit_of(verdict), detail)
                        }
                        None => unreachable!("an object was asked for where it is needed"),
                    }
                }
            };
            match outcome {
                Outcome::Proven(renamed, proof) => {
                    varied.counts.keep();
                    varied.variants.push(Variant {
                        id: Variant::id_of(&unit.id, setting, seed),
                        unit_id: unit.id.clone(),
                        origin: unit.origin.clone(),
                        group: unit.group,
                        setting,
                        seed,
                        text: renamed.target.of(&renamed.text).to_owned(),
                        target: renamed.target,
                        helpers: renamed.helpers,
                        renamed: renamed.renamed,
                        kept: renamed.kept,
                        compiled_text: renamed.text,
                        perturbation: None,
                        proof,
                        toolchain: None,
                    });
                }
                Outcome::Refused(reason, detail) => {
                    varied.counts.set_aside(reason);
                    varied.set_aside.push(SetAside {
                        stage: Stage::Vary,
                        kind: "variant".to_owned(),
                        id: Some(unit.id.clone()),
                        origin: Some(unit.origin.clone()),
                        name: Some(unit.name.clone()),
                        reason,
                        detail: format!("{}: {detail}", setting.label(seed)),
                    });
                }
            }
        }
    }
    Ok(varied)
}

fn standard(unit: &Unit, seed: Option<u32>) -> Variant {
    Variant {
        id: Variant::id_of(&unit.id, Setting::Standard, seed),
        unit_id: unit.id.clone(),
        origin: unit.origin.clone(),
        group: unit.group,
        setting: Setting::Standard,
        seed,
        text: unit.text.clone(),
        compiled_text: unit.closure.text.clone(),
        target: unit.closure.target,
        helpers: unit.closure.helpers.clone(),
        renamed: Vec::new(),
        kept: Vec::new(),
        perturbation: None,
        proof: Proof::Identity,
        toolchain: None,
    }
}
