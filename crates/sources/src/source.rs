//! A source as a recipe names it → its files, with proof of their origin.
//!
//! Four kinds: `path:FOLDER`, `git:REPOSITORY[@REVISION]` (a local repository or an address),
//! `archive:FILE` (`.tar.gz`, `.tgz`, `.tar`, `.zip`) and `cargo:PACKAGE[@VERSION]` (a package that the nearest
//! Cargo workspace has downloaded). All are read only, and nothing is unpacked to disk. Repositories are read in
//! process; git is started to clone an address, cargo to find a package, and neither runs anything that a
//! source contains.
//!
//! A file that cannot be read is not an error: it is listed with a [`Reason`](barecode_records::Reason). A source
//! that cannot be read is a [`SourceError`]; [`SourceError::reason`] returns the reason to record if the recipe can
//! do without it.

mod archive;
mod build;
mod cargo;
mod config;
mod error;
mod git;
mod history;
mod listing;
mod mirror;
mod name;
mod path;
mod paths;
mod repository;
mod wanted;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_records::{Digest, Stored};

use crate::file_rules;
use crate::license::{self, LicenseFiles, Stated};
use listing::Facts;
use wanted::Wanted;

pub use build::{Build, CompileOptions};
pub use config::{FileRule, SourceConfig};
pub use error::SourceError;
pub use history::MOST_COMMITS;
pub use listing::{Content, SourceFile};

/// A large source has more bytes of text.
const LARGE: u64 = 128 << 20;

/// A source that was found: its files and their origin.
#[derive(Debug, Clone)]
pub struct Source {
    config: SourceConfig,
    facts: Facts,
    /// Of text.
    bytes: u64,
    files: BTreeMap<String, SourceFile>,
    build_files: BTreeMap<String, Vec<u8>>,
    pages: BTreeMap<String, Stored>,
    licenses: BTreeMap<String, Stated>,
    first_commits: BTreeMap<String, String>,
    build: Option<Build>,
}

impl Source {
    /// Sets the number of functions that are drawn; the files do not depend on it.
    pub fn set_limit(&mut self, limit: Option<u32>) {
        self.config.limit = limit;
    }

    /// Finds a source and reads its C files. Relative paths, and the Cargo workspace that `cargo:` sources
    /// are looked up in, are taken from `base`.
    ///
    /// # Errors
    /// [`SourceError`] when it does not exist; a single file that cannot be read is not an error.
    pub fn resolve(config: &SourceConfig, base: &Path) -> Result<Source, SourceError> {
        let wanted = Wanted::new(config)?;
        // `.` has no folder above it by name, and the workspace may be in that folder.
        let base = &std::path::absolute(base).unwrap_or_else(|_| base.to_owned());
        let (kind, rest) = config.from.split_once(':').unwrap_or_default();
        let (mut facts, mut listing) = match (kind, rest) {
            (_, "") => {
                return Err(SourceError::NotASource {
                    from: config.from.clone(),
                });
            }
            ("path", folder) => path::read(&config.from, &base.join(folder), &wanted)?,
            ("git", repository) => git::read(config, repository, base, &wanted)?,
            ("archive", file) => archive::read(&config.from, &base.join(file), &wanted)?,
            ("cargo", package) => cargo::read(&config.from, package, base, &wanted)?,
            _ => {
                return Err(SourceError::NotASource {
                    from: config.from.clone(),
                });
            }
        };
        if !listing.license_texts.is_empty() {
            license::ready()?;
        }
        if config.repository.is_some() {
            facts.repository.clone_from(&config.repository);
        }
        let json = config.compile_commands.as_ref();
        let read = |json: &String| Build::read(&config.from, &base.join(json), &mut listing);
        let build = json.map(read).transpose()?;
        let licenses = licenses(config, &mut facts, listing.license_texts, &listing.files);
        Ok(Source {
            config: config.clone(),
            facts,
            bytes: listing.bytes,
            files: listing.files,
            build_files: listing.build_files,
            pages: listing.pages,
            licenses,
            first_commits: listing.first_commits,
            build,
        })
    }

    /// Checks that a source on this machine exists, and that its `[[source]]` is valid; opens no file of it.
    ///
    /// # Errors
    /// As [`Source::resolve`] has it, as far as that is known without reading.
    pub fn look_for(config: &SourceConfig, base: &Path) -> Result<(), SourceError> {
        Wanted::new(config)?;
        let unreadable = |path: PathBuf, message: &str| {
            Err(SourceError::Unreadable {
                from: config.from.clone(),
                path,
                message: message.to_owned(),
            })
        };
        match config.from.split_once(':').unwrap_or_default() {
            (_, "") => Err(SourceError::NotASource {
                from: config.from.clone(),
            }),
            ("path", folder) if !base.join(folder).is_dir() => {
                unreadable(base.join(folder), "no such folder")
            }
            ("archive", file) if !base.join(file).is_file() => {
                unreadable(base.join(file), "no such file")
            }
            ("git", repository) => {
                let (address, _) = mirror::address_and_revision(repository, base);
                let folder = base.join(address);
                if folder.is_dir() || mirror::is_address(address) {
                    return Ok(());
                }
                unreadable(folder, "no such folder, and not an address")
            }
            ("path" | "archive" | "cargo", _) => Ok(()),
            _ => Err(SourceError::NotASource {
                from: config.from.clone(),
            }),
        }
    }

    /// The address that would have to be cloned first; `None` if the source is on this machine.
    pub fn to_clone(config: &SourceConfig, base: &Path) -> Option<String> {
        let repository = config.from.strip_prefix("git:")?;
        let (address, _) = mirror::address_and_revision(repository, base);
        mirror::is_to_clone(address, base).then(|| address.to_owned())
    }

    /// The identity of a source, however it is spelled: two sources with one identity are the same folder, archive,
    /// package, or revision of a repository.
    pub fn identity(from: &str, base: &Path) -> String {
        name::identity(from, base)
    }

    /// The build that its `[[source]]` names.
    pub fn build(&self) -> Option<&Build> {
        self.build.as_ref()
    }

    /// The source as the recipe names it.
    pub fn label(&self) -> &str {
        &self.config.from
    }

    /// Its `[[source]]` in the recipe.
    pub fn config(&self) -> &SourceConfig {
        &self.config
    }

    /// Its public repository, where known.
    pub fn repository(&self) -> Option<&str> {
        self.facts.repository.as_deref()
    }

    /// Its version, where it is a package.
    pub fn version(&self) -> Option<&str> {
        self.facts.version.as_deref()
    }

    /// Its commit, where known.
    pub fn commit(&self) -> Option<&str> {
        self.facts.commit.as_deref()
    }

    /// Its license as an SPDX expression, where stated.
    pub fn license(&self) -> Option<&str> {
        self.facts.license.as_deref()
    }

    /// The license of a file of the source, and where it is stated.
    pub fn license_of(&self, path: &str) -> Option<&Stated> {
        self.licenses.get(path)
    }

    /// The day (UTC) of the first commit that had the file.
    pub fn first_commit_of(&self, path: &str) -> Option<&str> {
        self.first_commits.get(path).map(String::as_str)
    }

    /// Its files with an ending of a known language, by path.
    pub fn files(&self) -> &BTreeMap<String, SourceFile> {
        &self.files
    }

    /// The text of a file that [`readable`](crate::readable) lists as read.
    ///
    /// # Panics
    /// If it does not list it.
    pub fn text(&self, path: &str) -> String {
        let text = match self.files.get(path).map(|file| &file.content) {
            Some(Content::Bytes(bytes)) => file_rules::text_of(path, &bytes.bytes()),
            _ => None,
        };
        text.expect("only files that were read are asked for")
    }

    /// Returns `true` if it has so much text that less of what is read of it should stay in memory.
    pub fn is_large(&self) -> bool {
        self.bytes > LARGE
    }

    /// The templates of headers, the files that describe how they are filled in (of `CMake` and Autoconf), and the
    /// manifests of packages, by path.
    pub fn build_files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.build_files
    }

    /// Its pages in `reStructuredText` and Markdown, by path.
    pub fn pages(&self) -> &BTreeMap<String, Stored> {
        &self.pages
    }

    /// A digest of all that was read: the same bytes from the same origin have the same digest.
    pub fn digest(&self) -> String {
        let config = serde_json::to_vec(&self.config).expect("a source config is plain data");
        let facts = [
            self.repository(),
            self.version(),
            self.commit(),
            self.license(),
        ];
        let mut digest = Digest::new("source")
            .field(config)
            .fields(facts.map(Option::unwrap_or_default));
        for (path, file) in &self.files {
            digest = match &file.content {
                Content::Bytes(bytes) => digest.field(path).field(bytes.bytes()),
                Content::TooLarge(size) => digest
                    .field(path)
                    .field("too large")
                    .field(size.to_le_bytes()),
                Content::Aside(reason, detail) => {
                    digest.field(path).field(reason.code()).field(detail)
                }
                Content::NotRead => digest.field(path).field("not read"),
            };
            let license = self.license_of(path);
            let expression = license.and_then(|license| license.expression.as_deref());
            digest = digest
                .field(expression.unwrap_or_default())
                .field(license.map_or("", |license| &license.from))
                .field(self.first_commit_of(path).unwrap_or_default());
        }
        for (path, bytes) in &self.build_files {
            digest = digest.field("build file").field(path).field(bytes);
        }
        for (path, bytes) in &self.pages {
            digest = digest.field("page").field(path).field(bytes.bytes());
        }
        if let Some(build) = &self.build {
            let build = serde_json::to_vec(build).expect("a build is plain data");
            digest = digest.field("build").field(build);
        }
        digest.hex()
    }

    /// The source for the manifest.
    pub fn describe(&self) -> serde_json::Value {
        let mut described = serde_json::json!({
            "source": self.label(),
            "repository": self.repository(),
            "version": self.version(),
            "commit": self.commit(),
            "license": self.license(),
            "files": self.files.len(),
            "digest": self.digest(),
        });
        if let Some(build) = &self.build {
            described["build"] = build.describe();
        }
        described
    }
}

/// The licenses of the files of a source, by path, in the order: recipe, the file's own statement, the nearest
/// license file, package.
fn licenses(
    config: &SourceConfig,
    facts: &mut Facts,
    texts: BTreeMap<String, Vec<u8>>,
    files: &BTreeMap<String, SourceFile>,
) -> BTreeMap<String, Stated> {
    let stated = |expression: &str, from: &str| Stated {
        expression: license::normalize(expression),
        from: from.to_owned(),
    };
    if let Some(text) = &config.license {
        let recipe = stated(text, "recipe");
        facts.license.clone_from(&recipe.expression);
        return files
            .keys()
            .map(|path| (path.clone(), recipe.clone()))
            .collect();
    }
    let package = facts.license.as_deref().map(|text| stated(text, "package"));
    facts.license = package
        .as_ref()
        .and_then(|package| package.expression.clone());
    let known = LicenseFiles::new(texts);
    let of_file = |(path, file): (&String, &SourceFile)| {
        let bytes = match &file.content {
            Content::Bytes(bytes) => Some(bytes.bytes()),
            _ => None,
        };
        let license = match known.license_of(path, bytes.as_deref()) {
            Some(found) if found.expression.is_some() => Some(found),
            // An unrecognized text has less information than the package.
            found => package.clone().or(found),
        };
        Some((path.clone(), license?))
    };
    let licenses: BTreeMap<String, Stated> = files.iter().filter_map(of_file).collect();
    if facts.license.is_none() {
        // The source's own license is that of its root.
        let root = known.license_of("", None);
        facts.license = root.and_then(|root| root.expression);
    }
    licenses
}
