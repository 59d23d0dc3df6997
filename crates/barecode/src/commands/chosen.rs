//! Shared by commands that read a benchmark: they choose subsets, look up functions, and check if a folder may be
//! replaced.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;
use barecode_formats::{Existing, Subset};
use barecode_records::table::TableError;
use barecode_records::{Id, Pair, Unit};

use crate::exit::Failure;
use crate::layout::Layout;

/// Returns `Existing::Replace` if the folder may be replaced: never one that contains the input or the work.
pub(super) fn existing(force: bool, input: &Path, out: &Path) -> anyhow::Result<Existing> {
    if !force || !out.exists() {
        return Ok(Existing::Keep);
    }
    let canonical = |path: &Path| {
        path.canonicalize()
            .with_context(|| format!("cannot read `{}`", path.display()))
    };
    let out_path = canonical(out)?;
    let here = canonical(Path::new("."))?;
    if canonical(input)?.starts_with(&out_path) || here.starts_with(&out_path) {
        let message = format!(
            "`{}` contains the input or the current folder, and is not replaced",
            out.display()
        );
        return Err(Failure::invalid(message)
            .hint("choose another output folder")
            .into());
    }
    Ok(Existing::Replace)
}

/// The requested subsets, or all.
pub(super) fn chosen(subsets: Vec<Subset>, names: &[String]) -> anyhow::Result<Vec<Subset>> {
    for name in names {
        if !subsets.iter().any(|subset| subset.name == *name) {
            let known: Vec<&str> = subsets.iter().map(|subset| subset.name.as_str()).collect();
            return Err(
                Failure::invalid(format!("the dataset does not have a subset `{name}`"))
                    .hint(format!("there are {}", known.join(", ")))
                    .into(),
            );
        }
    }
    let kept = subsets
        .into_iter()
        .filter(|subset| names.is_empty() || names.contains(&subset.name));
    Ok(kept.collect())
}

/// The functions of a run.
pub(super) fn units_by_id(layout: Layout<'_>) -> Result<BTreeMap<Id, Unit>, TableError> {
    let units = layout.units()?.into_iter();
    Ok(units.map(|unit| (unit.id.clone(), unit)).collect())
}

/// Returns the function with the code of a pair.
pub(super) fn unit_of<'a>(
    units: &'a BTreeMap<Id, Unit>,
    subset: &str,
    pair: &Pair,
) -> Result<&'a Unit, Failure> {
    units.get(&pair.code_id).ok_or_else(|| {
        let message = format!(
            "`{subset}` has the document `{}`, which is not a unit",
            pair.code_id
        );
        Failure::invalid(message).hint("run `barecode build` again")
    })
}
