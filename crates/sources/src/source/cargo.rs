//! `cargo:PACKAGE[@VERSION]`: a package that a Cargo workspace depends on.
//!
//! `cargo metadata` reports the location of the package; nothing is built, and only packages in the workspace's lock
//! file are downloaded.

use std::path::Path;

use barecode_records::guarded;
use cargo_metadata::camino::Utf8Path;
use cargo_metadata::{Metadata, MetadataCommand, Package};

use super::error::SourceError;
use super::listing::{Facts, Listing};
use super::path;
use super::wanted::Wanted;

/// Reads the requested files of a package of the workspace around `base`.
pub(super) fn read(
    from: &str,
    package: &str,
    base: &Path,
    wanted: &Wanted,
) -> Result<(Facts, Listing), SourceError> {
    let metadata = metadata(from, base)?;
    let found = find(from, package, &metadata)?;
    let root = found.manifest_path.parent();
    let root = root.map_or(base, Utf8Path::as_std_path);
    let (_, files) = path::read(from, root, wanted)?;
    let facts = Facts {
        repository: found.repository.clone(),
        version: Some(found.version.to_string()),
        commit: commit(root),
        license: found.license.clone(),
    };
    Ok((facts, files))
}

fn metadata(from: &str, base: &Path) -> Result<Metadata, SourceError> {
    let manifest = base
        .ancestors()
        .map(|folder| folder.join("Cargo.toml"))
        .find(|manifest| manifest.is_file());
    let Some(manifest) = manifest else {
        let message = format!(
            "no Cargo.toml in `{}` or above; `cargo:` sources are packages of a Cargo workspace",
            base.display()
        );
        return Err(SourceError::Package {
            from: from.to_owned(),
            message,
        });
    };
    let mut command = MetadataCommand::new();
    command
        .manifest_path(&manifest)
        .other_options(vec!["--locked".to_owned()]);
    command.exec().map_err(|error| match error {
        cargo_metadata::Error::Io(error) => SourceError::ProgramMissing {
            from: from.to_owned(),
            program: "cargo",
            message: error.to_string(),
        },
        cargo_metadata::Error::CargoMetadata { stderr } => SourceError::ProgramFailed {
            from: from.to_owned(),
            command: format!(
                "cargo metadata --locked --manifest-path {}",
                manifest.display()
            ),
            message: stderr
                .trim()
                .lines()
                .last()
                .unwrap_or("it printed nothing")
                .to_owned(),
        },
        other => SourceError::Package {
            from: from.to_owned(),
            message: other.to_string(),
        },
    })
}

fn find<'a>(from: &str, wanted: &str, metadata: &'a Metadata) -> Result<&'a Package, SourceError> {
    let (name, version) = match wanted.split_once('@') {
        Some((name, version)) => (name, Some(version)),
        None => (wanted, None),
    };
    let mut found: Vec<&Package> = metadata
        .packages
        .iter()
        .filter(|package| {
            // The build number after `+` is optional.
            let short = package.version.to_string();
            let short = short.split('+').next().unwrap_or_default();
            let fits = |version: &str| version == short || version == package.version.to_string();
            package.name.as_str() == name && version.is_none_or(fits)
        })
        .collect();
    found.sort_by(|a, b| a.version.cmp(&b.version));
    let message = match found.as_slice() {
        [one] => return Ok(one),
        [] => format!("the workspace has no package `{wanted}`; add it with `cargo add {name}`"),
        several => {
            let versions: Vec<_> = several
                .iter()
                .map(|package| format!("cargo:{name}@{}", package.version))
                .collect();
            format!(
                "the workspace has {} versions; name one of {}",
                several.len(),
                versions.join(", ")
            )
        }
    };
    Err(SourceError::Package {
        from: from.to_owned(),
        message,
    })
}

/// The commit that `cargo package` recorded.
fn commit(root: &Path) -> Option<String> {
    let text = guarded::read(root.join(".cargo_vcs_info.json")).ok()?;
    let value: serde_json::Value = serde_json::from_slice(&text).ok()?;
    value.pointer("/git/sha1")?.as_str().map(str::to_owned)
}
