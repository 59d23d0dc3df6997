//! `audit`: what each setting of a run left in the texts, what it lost, and what twins cost.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use barecode_dataset::{SettingAudit, audit_settings};
use barecode_records::{Id, Reason, SetAside, Setting, Stage, Unit, Variant, table};
use clap::{ArgGroup, Args};
use serde_json::json;

use super::Call;
use crate::exit::Failure;
use crate::recipe::Recipe;
use crate::report;
use crate::run_folder::RunFolder;

/// What `audit` takes.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("where").required(true).args(["recipe", "run"]))]
pub(super) struct AuditArguments {
    /// The recipe whose run is audited.
    recipe: Option<PathBuf>,
    /// The run folder itself.
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
}

/// Prints the audit of a run.
pub(super) fn run(call: &Call, arguments: &AuditArguments) -> anyhow::Result<()> {
    let root = match (&arguments.run, &arguments.recipe) {
        (Some(run), _) => run.clone(),
        (None, Some(recipe)) => call.out(&Recipe::read(recipe)?),
        (None, None) => unreachable!("clap asks for one of the two"),
    };
    let folder = RunFolder::existing(&root)?;
    let (mut units, mut variants, mut lost) = (Vec::new(), Vec::new(), Vec::new());
    for file in folder.tables(Stage::Check) {
        if !is_set_aside(&file) {
            units.extend(table::read::<Unit>(&file)?);
        }
    }
    for file in folder.tables(Stage::Vary) {
        if is_set_aside(&file) {
            lost.extend(table::read::<SetAside>(&file)?);
        } else {
            variants.extend(table::read::<Variant>(&file)?);
        }
    }
    if variants.is_empty() && lost.is_empty() {
        let message = format!("`{}` has no variants yet", root.display());
        return Err(Failure::invalid(message)
            .hint("run `barecode build` on the recipe first")
            .into());
    }
    let audits = of_rows(&units, &variants, lost);
    if call.options.json {
        return Ok(call
            .console
            .json(&json!({ "run": root, "units": units.len(), "settings": audits }))?);
    }
    let (width, color) = (call.console.width(), call.console.colors_data());
    let text = report::audit::terminal(&audits, units.len(), width, color);
    Ok(call.console.data(&text)?)
}

/// The audit of a run's rows.
pub(super) fn of_rows(
    units: &[Unit],
    variants: &[Variant],
    lost: Vec<SetAside>,
) -> Vec<SettingAudit> {
    // A row says the label first: `randomized-2: what the compiler said`.
    let lost: Vec<(Id, String, Reason)> = lost
        .into_iter()
        .filter_map(|row| {
            let label = row.detail.split(':').next()?.to_owned();
            Some((row.id?, label, row.reason))
        })
        .collect();
    let mut settings: BTreeSet<(Setting, Option<u32>)> = variants
        .iter()
        .map(|variant| (variant.setting, variant.seed))
        .collect();
    settings.extend(lost.iter().filter_map(|(_, label, _)| parsed(label)));
    let settings: Vec<_> = settings.into_iter().collect();
    audit_settings(units, variants, &lost, &settings)
}

fn is_set_aside(file: &Path) -> bool {
    file.parent()
        .is_some_and(|parent| parent.ends_with("set-aside"))
}

/// The setting and draw of a label.
fn parsed(label: &str) -> Option<(Setting, Option<u32>)> {
    let drawn = label.rsplit_once('-').and_then(|(setting, seed)| {
        let setting: Setting = setting.parse().ok()?;
        let seed = seed.parse().ok()?;
        setting.is_seeded().then_some((setting, Some(seed)))
    });
    drawn.or_else(|| Some((label.parse().ok()?, None)))
}
