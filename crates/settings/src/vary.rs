//! The stage: every unit under every requested setting.

use std::collections::BTreeMap;

use barecode_check::{CheckError, Judge, Lowerer};
use barecode_languages::Entry;
use barecode_records::{Outcome, Profile, Proof, Reason, SetAside, Setting, Stage, Unit, Variant};

use crate::advtest;
use crate::dose::Choice;
use crate::imitated::imitated;
use crate::lowered::lowered;
use crate::prove::{self, Prover, Wanted, limit_of};
use crate::rename::{Analysis, Renamed};
use crate::scheme::naming;
use crate::standard::standard;

/// What lowers, by the setting that it is for.
pub type Lowerers = BTreeMap<Setting, Lowerer>;

/// What is asked about units of languages that are compiled.
#[derive(Debug, Clone, Copy)]
pub struct Compilers<'a> {
    /// The compilers of units.
    pub judge: &'a Judge,
    /// For each lowered setting its own.
    pub lowerers: &'a Lowerers,
}

/// Makes and proves the `variants` of some units, unit by unit in the order of the settings.
///
/// `settings` are the requested settings with their draws; `run_seed` is the run's, from which each unit's draw is
/// derived. `compilers` are asked about units of languages that are compiled only.
///
/// # Errors
/// [`CheckError`] when the compiler cannot be asked; a variant that fails is set aside.
///
/// # Panics
/// If a unit is to be compiled and there are no `compilers`.
pub fn vary(
    units: &[Unit],
    settings: &[(Setting, Option<u32>)],
    run_seed: u64,
    compilers: Option<Compilers<'_>>,
) -> Result<Outcome<Vec<Variant>>, CheckError> {
    let mut varied = Outcome::counting(["variants"]);
    for unit in units {
        let wanted: BTreeMap<(Setting, Option<u32>), Wanted<'_>> = settings
            .iter()
            .filter_map(|&(setting, draw)| match setting {
                Setting::Renamed { scheme, dose, .. }
                    if setting.profile() == Profile::Strict && scheme.is_naming() =>
                {
                    let naming = move || naming(scheme, setting, run_seed, &unit.id, draw);
                    let wanted = Wanted {
                        naming: Box::new(naming),
                        choice: Choice::new(dose, run_seed, &unit.id, draw),
                    };
                    Some(((setting, draw), wanted))
                }
                _ => None,
            })
            .collect();
        // Read once, for any number of renamings.
        let analysis =
            (!wanted.is_empty()).then(|| Analysis::of(&unit.closure, &unit.name, unit.language));
        let is_compiled = barecode_languages::of(unit.language).is_some_and(Entry::is_compiled);
        let compilers = || compilers.expect("units that are compiled have compilers");
        let prover = match &analysis {
            None => None,
            Some(Ok(_)) if !is_compiled => None,
            Some(Err(error)) => Some(Err((Reason::RenameUnsafe, error.to_string()))),
            Some(Ok(analysis)) => Some(
                Prover::new(unit, wanted.values(), analysis, compilers().judge)?.map_err(
                    |verdict| (limit_of(&verdict), "the unit alone reaches it".to_owned()),
                ),
            ),
        };
        for &(setting, draw) in settings {
            let outcome = match (setting, &prover) {
                (Setting::Standard, _) => Ok(standard(unit)),
                (Setting::Renamed { scheme, .. }, _) if advtest::of_scheme(scheme).is_some() => {
                    let by = advtest::of_scheme(scheme).expect("it was just looked at");
                    advtest::variant(unit, by)
                }
                (
                    Setting::Lowered { .. }
                    | Setting::Renamed {
                        profile: Profile::Clarc,
                        ..
                    },
                    _,
                ) if !is_compiled => {
                    let language = barecode_languages::title(unit.language);
                    Err((Reason::SettingOtherLanguage, language.to_owned()))
                }
                (
                    Setting::Renamed {
                        scheme,
                        profile: Profile::Clarc,
                        ..
                    },
                    _,
                ) => Ok(imitated(unit, scheme)),
                (Setting::Renamed { .. }, Some(Ok(prover))) => {
                    let wanted = wanted.get(&(setting, draw)).expect("it is wanted");
                    match prover.prove(wanted)? {
                        prove::Outcome::Proven(renamed, proof) => {
                            Ok(of_renamed(unit, renamed, proof))
                        }
                        prove::Outcome::Refused(reason, detail) => Err((reason, detail)),
                    }
                }
                (Setting::Renamed { .. }, Some(Err(refused))) => Err(refused.clone()),
                (Setting::Renamed { .. }, None) => {
                    let (Some(Ok(analysis)), Some(wanted)) =
                        (&analysis, wanted.get(&(setting, draw)))
                    else {
                        unreachable!("it is wanted, so it was read")
                    };
                    match prove::by_bindings(analysis, unit, wanted) {
                        prove::Outcome::Proven(renamed, proof) => {
                            Ok(of_renamed(unit, renamed, proof))
                        }
                        prove::Outcome::Refused(reason, detail) => Err((reason, detail)),
                    }
                }
                (Setting::Lowered { .. }, _) => {
                    let lowerer = compilers()
                        .lowerers
                        .get(&setting)
                        .expect("each has its own");
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
        text: renamed.target.dedented(&renamed.text),
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
