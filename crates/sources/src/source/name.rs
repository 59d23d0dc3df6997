//! The name of a source in records, and its name in ids and draws: neither depends on the spelling of its path.
//!
//! A package and an address have the name in the recipe. A source on this machine is named by the end of its real
//! path: by the fewest last parts that distinguish it from the recipe's other sources. If it is the only such
//! source, ids do not contain its name, so a copy in another folder has the same ids, and the same functions are
//! drawn.

use std::path::{Path, PathBuf};

use barecode_records::tails;

use super::config::SourceConfig;
use super::mirror;

/// The name in ids of the only source that is on this machine.
const ONLY: &str = "here";

impl SourceConfig {
    /// Its name in records; `from`, unless [`SourceConfig::name_all`] set another.
    pub fn name(&self) -> &str {
        self.named.as_ref().map_or(&self.from, |(name, _)| name)
    }

    /// Its name in ids and draws.
    pub fn key(&self) -> &str {
        self.named.as_ref().map_or(&self.from, |(_, key)| key)
    }

    /// Names all sources of a recipe that is in the folder `base`.
    pub fn name_all(sources: &mut [SourceConfig], base: &Path) {
        let mut places = Vec::new();
        let mut here = Vec::new();
        for source in sources {
            if let Some((kind, path, revision)) = place(&source.from, base) {
                let revision = revision.to_owned();
                places.push(path);
                here.push((kind.to_owned(), revision, source));
            }
        }
        let is_only = here.len() == 1;
        for ((kind, revision, source), tail) in here.into_iter().zip(tails(&places)) {
            let name = format!("{kind}:{tail}{revision}");
            let key = if is_only {
                ONLY.to_owned()
            } else {
                name.clone()
            };
            source.named = Some((name, key));
        }
    }
}

/// The kind of a source on this machine, its real path, and the revision as it is written: `@v1`, or empty.
fn place<'a>(from: &'a str, base: &Path) -> Option<(&'a str, PathBuf, &'a str)> {
    let real = |path: &str| {
        let path = base.join(path);
        path.canonicalize().unwrap_or(path)
    };
    match from.split_once(':')? {
        (kind @ ("path" | "archive"), path) => Some((kind, real(path), "")),
        (kind @ "git", repository) => {
            let (address, _) = mirror::address_and_revision(repository, base);
            let is_here = base.join(address).is_dir() || !mirror::is_address(address);
            let revision = repository.strip_prefix(address).unwrap_or_default();
            is_here.then(|| (kind, real(address), revision))
        }
        _ => None,
    }
}

/// The identity of a source, however it is spelled: see [`super::Source::identity`].
pub(super) fn identity(from: &str, base: &Path) -> String {
    if let Some((kind, path, revision)) = place(from, base) {
        let revision = if kind == "git" && revision.is_empty() {
            "@HEAD"
        } else {
            revision
        };
        return format!("{kind}:{}{revision}", path.display());
    }
    match from.split_once(':') {
        Some(("git", repository)) => {
            let (address, revision) = mirror::address_and_revision(repository, base);
            let address = address.trim_end_matches('/');
            let address = address.strip_suffix(".git").unwrap_or(address);
            format!("git:{address}@{revision}")
        }
        _ => from.to_owned(),
    }
}
