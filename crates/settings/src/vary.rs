//! The stage: every unit under every requested setting.

use std::collections::BTreeMap;

use barecode_check::{CheckError, Judge, Lowerer, Question};
use barecode_records::{Outcome, Profile, Proof, Reason, SetAside, Setting, Stage, Unit, Variant};

use crate::clarc;
use crate::dose::Choice;
use crate::lowered::lowered;
use crate::prove::{self, Prover, limit_of};
use crate::rename::{Analysis, Renamed};
use crate::scheme::naming;
use crate::standard::standard;

/// What lowers, by the setting that it is for.
pub type Lowerers = BTreeMap<Setting, Lowerer>;

/// Makes and proves the `variants` of some units, unit by unit in the order of the settings.
///
/// `settings` are the requested settings with their draws; `run_seed` is the run's, from which each unit's draw is
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
) -> Result<Outcome<Vec<Variant>>, CheckError> {
    let mut varied = Outcome::counting(["variants"]);
    for unit in units {
        let renames = settings.iter().any(|(setting, _)| {
            matches!(setting, Setting::Renamed { .. }) && setting.profile() == Profile::Strict
        });
        // Read once, for any number of renamings.
        let analysis = renames.then(|| Analysis::of(&unit.closure, &unit.name, unit.language));
        let prover = match &analysis {
            None => None,
            Some(Err(error)) => Some(Err((Reason::RenameUnsafe, error.to_string()))),
            Some(Ok(analysis)) => Some(match judge.object(&Question::of_unit(unit))? {
                Ok(object) => Ok(Prover::new(unit, object, analysis, judge)?),
                Err(verdict) => Err((limit_of(&verdict), "the unit alone reaches it".to_owned())),
            }),
        };
        for &(setting, draw) in settings {
            let outcome = match (setting, &prover) {
                (Setting::Standard, _) => Ok(standard(unit)),
                (
                    Setting::Renamed {
                        scheme,
                        profile: Profile::Clarc,
                        ..
                    },
                    _,
                ) => Ok(clarc::variant(unit, scheme)),
                (Setting::Renamed { scheme, dose, .. }, Some(Ok(prover))) => {
                    let naming = || naming(scheme, setting, run_seed, &unit.id, draw);
                    let choice = Choice::new(dose, run_seed, &unit.id, draw);
                    match prover.prove(&naming, &choice)? {
                        prove::Outcome::Proven(renamed, proof) => {
                            Ok(of_renamed(unit, renamed, proof))
                        }
                        prove::Outcome::Refused(reason, detail) => Err((reason, detail)),
                    }
                }
                (Setting::Renamed { .. }, Some(Err(refused))) => Err(refused.clone()),
                (Setting::Renamed { .. }, None) => {
                    unreachable!("it is wanted, so it was asked for")
                }
                (Setting::Lowered { .. }, _) => {
                    let lowerer = lowerers.get(&setting).expect("each has its own");
                    lowered(unit, setting, lowerer)?
                }
            };
            match outcome {
                Ok(variant) => {
                    let variant = Variant {
                        id: Variant::id_of(&unit.id, setting, draw),
                        setting,
                        draw,
                        ..variant
                    };
                    varied.keep("variants", variant);
                }
                Err((reason, detail)) => {
                    let row = SetAside {
                        id: Some(unit.id.clone()),
                        origin: Some(unit.origin.clone()),
                        name: Some(unit.name.clone()),
                        setting: Some(setting),
                        draw,
                        ..SetAside::new(Stage::Vary, "variant", reason, detail)
                    };
                    varied.set_aside("variants", row);
                }
            }
        }
    }
    Ok(varied)
}

/// A renamed unit as a variant of it.
fn of_renamed(unit: &Unit, renamed: Renamed, proof: Proof) -> Variant {
    Variant {
        text: renamed.target.of(&renamed.text).to_owned(),
        compiled_text: renamed.text,
        target: renamed.target,
        helpers: renamed.helpers,
        renamed: renamed.renamed,
        kept: renamed.kept,
        perturbation: Some(renamed.perturbation),
        proof,
        ..standard(unit)
    }
}
