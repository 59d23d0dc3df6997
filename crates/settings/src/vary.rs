//! The stage: every unit under every requested setting.
//!
//! The method for a unit's variants is decided first, a `Plan` for each setting and draw. Renamings are proven by one
//! [`Prover`], which reads the unit once for all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use barecode_check::{CheckError, Judge, Lowerer};
use barecode_corpus::symbols::Unreadable;
use barecode_languages::{judged, title};
use barecode_python::AdvTest;
use barecode_records::{
    Judged, Literals, Outcome, Profile, Reason, Scheme, SetAside, Setting, Stage, Unit, Variant,
};

use crate::SourceMaps;
use crate::advtest;
use crate::dose::Choice;
use crate::imitated::imitated;
use crate::literals;
use crate::lowered::lowered;
use crate::prove::{Prover, Wanted};
use crate::scheme::naming;
use crate::source_map::{Map, Mapped};
use crate::standard::standard;

/// The lowerers, by setting.
pub type Lowerers = BTreeMap<Setting, Lowerer>;

/// The tools that judge units of languages that are compiled.
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
/// derived. `names` are those of a unit's source if it is renamed by spelling. `compilers` are looked for if a unit
/// is in a language that is compiled.
///
/// # Errors
/// If compilers do not exist or cannot be run; a variant that fails is set aside.
pub fn vary<'c, E: From<CheckError>>(
    units: &[Unit],
    settings: &[(Setting, Option<u32>)],
    run_seed: u64,
    names: &dyn Fn(&Unit) -> Option<Arc<SourceMaps>>,
    compilers: impl Fn() -> Result<Compilers<'c>, E>,
) -> Result<Outcome<Vec<Variant>>, E> {
    let mut varied = Outcome::counting(["variants"]);
    for unit in units {
        let is_compiled = judged(unit.language) == Some(Judged::Compiler);
        let compilers = is_compiled.then(&compilers).transpose()?;
        let names = names(unit).filter(|_| !is_compiled);
        let names = names.as_deref();
        let plan = |&(setting, draw)| Plan::of(unit, (setting, draw), run_seed, names, compilers);
        let plans: Vec<Plan<'_>> = settings.iter().map(plan).collect();
        let prover = Prover::new(
            unit,
            plans.iter().filter_map(Plan::renaming),
            compilers.map(|compilers| compilers.judge),
            names,
        )?;
        for (&(setting, draw), plan) in settings.iter().zip(&plans) {
            match plan.variant(unit, setting, &prover)? {
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

/// The method that makes the variant of a unit under a setting and draw.
enum Plan<'a> {
    Standard,
    Renamed(Box<Wanted<'a>>, Literals, Option<Arc<Map>>),
    AdvTest(AdvTest),
    Clarc(Scheme),
    Lowered(&'a Lowerer),
    /// No variant: its language has no such setting.
    OtherLanguage,
    /// No variant: names of other packages are distinguished by spelling, and the unit is not renamed by spelling.
    BySpellingOnly,
}

impl<'a> Plan<'a> {
    fn of(
        unit: &'a Unit,
        (setting, draw): (Setting, Option<u32>),
        run_seed: u64,
        names: Option<&'a SourceMaps>,
        compilers: Option<Compilers<'a>>,
    ) -> Plan<'a> {
        match setting {
            Setting::Standard => Plan::Standard,
            Setting::Renamed {
                scheme,
                dose,
                literals,
                profile,
            } => match (advtest::of_scheme(scheme), profile) {
                (Some(by), _) => Plan::AdvTest(by),
                _ if setting.takes_foreign() && names.is_none() => Plan::BySpellingOnly,
                (None, Profile::Strict) => {
                    let map = names.and_then(|names| names.map(scheme, (setting, draw), run_seed));
                    let of_source = map.clone();
                    let wanted = Wanted {
                        naming: Box::new(move || match &of_source {
                            Some(map) => Box::new(Mapped(Arc::clone(map))),
                            None => naming(scheme, setting, run_seed, &unit.id, draw),
                        }),
                        choice: Choice::new(dose, run_seed, &unit.id, draw),
                    };
                    Plan::Renamed(Box::new(wanted), literals, map)
                }
                (None, Profile::Clarc) if compilers.is_some() => Plan::Clarc(scheme),
                (None, Profile::Clarc) => Plan::OtherLanguage,
            },
            Setting::Lowered { .. } => compilers
                .and_then(|compilers| compilers.lowerers.get(&setting))
                .map_or(Plan::OtherLanguage, Plan::Lowered),
        }
    }

    fn renaming(&self) -> Option<&Wanted<'a>> {
        match self {
            Plan::Renamed(wanted, ..) => Some(wanted),
            _ => None,
        }
    }

    /// Returns the variant, or the reason why none exists.
    fn variant(
        &self,
        unit: &Unit,
        setting: Setting,
        prover: &Prover<'_>,
    ) -> Result<Result<Variant, (Reason, String)>, CheckError> {
        Ok(match self {
            Plan::Standard => Ok(standard(unit)),
            Plan::AdvTest(by) => advtest::variant(unit, *by),
            Plan::Clarc(scheme) => Ok(imitated(unit, *scheme)),
            Plan::Lowered(lowerer) => lowered(unit, setting, lowerer)?,
            Plan::Renamed(wanted, literals, map) => {
                let proven = prover.prove(wanted)?.and_then(|(renamed, proof)| {
                    let own: BTreeMap<&str, &str> = renamed
                        .renamed
                        .iter()
                        .map(|one| (one.from.as_str(), one.to.as_str()))
                        .collect();
                    let of_source = |name: &str| Some(map.as_ref()?.get(name)?.to_owned());
                    let new = |name: &str| match own.get(name) {
                        Some(to) => Some((*to).to_owned()),
                        None if wanted.choice.is_partial() => None,
                        None => of_source(name),
                    };
                    let changed = literals::change(renamed.clone(), *literals, unit.language, &new);
                    let why = |error: Unreadable| (Reason::ProofFailed, error.to_string());
                    Ok((changed.map_err(why)?, proof))
                });
                proven.map(|(renamed, proof)| Variant {
                    text: renamed.target.dedented(&renamed.text),
                    compiled_text: renamed.text,
                    target: renamed.target,
                    helpers: renamed.helpers,
                    renamed: renamed.renamed,
                    kept: renamed.kept,
                    perturbation: Some(renamed.perturbation),
                    own_names: Some(renamed.own.0),
                    own_names_kept: Some(renamed.own.1),
                    proof,
                    ..standard(unit)
                })
            }
            Plan::OtherLanguage => {
                let language = title(unit.language).to_owned();
                Err((Reason::SettingOtherLanguage, language))
            }
            Plan::BySpellingOnly => {
                let detail = format!(
                    "{}, whose names change by their bindings",
                    title(unit.language)
                );
                Err((Reason::SettingOtherLanguage, detail))
            }
        })
    }
}
