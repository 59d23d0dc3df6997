//! A source as a recipe names it → its files, with what proves where they came from.
//!
//! Four kinds: `path:FOLDER`, `git:REPOSITORY[@REVISION]` (a local repository or an address),
//! `archive:FILE` (`.tar.gz`, `.tgz`, `.tar`, `.zip`) and `cargo:PACKAGE[@VERSION]` (a package that the nearest
//! Cargo workspace has downloaded). All are read only, and nothing is unpacked to disk. Repositories are read in
//! process; git is started to clone an address, cargo to find a package, and neither runs anything that a
//! source contains.
//!
//! A file that cannot be read is no error: it is listed with a [`Reason`]. A source that cannot be read is a
//! [`SourceError`], which says with [`SourceError::reason`] what it is where the recipe can do without it.

mod archive;
mod build;
mod cargo;
mod git;
mod history;
mod mirror;
mod path;
mod repository;
mod wanted;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use barecode_languages::{Entry, FileKind, ending, of_path};
use barecode_records::{Digest, Reason};
use serde::{Deserialize, Serialize};

use crate::file_rules::FileRule;
use crate::license::{self, LicenseFiles, Stated};
use wanted::{Wanted, Wish};

/// One `[[source]]` of a recipe.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SourceConfig {
    /// `path:…`, `git:…`, `archive:…` or `cargo:…`.
    pub from: String,
    /// Files to read, as glob patterns relative to the source; all when empty.
    #[serde(default)]
    pub include: Vec<String>,
    /// Files to leave out, as glob patterns.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// The languages that are mined, by name; all that can be when empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Rules that do not hold here: what they would leave out is mined.
    #[serde(default)]
    pub keep: Vec<FileRule>,
    /// Macros to define before each translation unit: `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// The `compile_commands.json` of a build that was made before: its macros, include folders and headers are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compile_commands: Option<String>,
    /// Keep at most this many functions, drawn by the seed.
    #[serde(default)]
    pub limit: Option<u32>,
    /// Whether functions that have a doc comment are drawn before others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub documented_first: bool,
    /// The license, where the source does not state the right one.
    #[serde(default)]
    pub license: Option<String>,
    /// The public repository, where the source does not tell it.
    #[serde(default)]
    pub repository: Option<String>,
    /// Whether the history is walked for the day on which each file was first committed; unless given, where
    /// the history is complete and has at most [`MOST_COMMITS`] commits.
    #[serde(default)]
    pub first_commit: Option<bool>,
    /// Whether documents and notebooks are read too; not a key of recipes, which say so under `[extract]`.
    #[serde(skip)]
    pub documents: bool,
    /// Whether the rest goes on without the source where it cannot be read.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub optional: bool,
}

pub use build::{Build, CompileOptions};
pub use history::MOST_COMMITS;

/// Why a source could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The recipe's text names no source.
    #[error(
        "`{from}` is not a source: expected `path:FOLDER`, `git:REPOSITORY[@REVISION]`, `archive:FILE` or `cargo:PACKAGE[@VERSION]`"
    )]
    NotASource {
        /// The text.
        from: String,
    },
    /// A glob pattern is malformed.
    #[error("source `{from}`: `{pattern}` is not a file pattern: {message}")]
    BadPattern {
        /// The source.
        from: String,
        /// The pattern.
        pattern: String,
        /// What is wrong with it.
        message: String,
    },
    /// No functions are found in such a language.
    #[error("source `{from}`: functions of `{language}` are not mined")]
    UnknownLanguage {
        /// The source.
        from: String,
        /// The name.
        language: String,
    },
    /// A folder or file could not be read.
    #[error("source `{from}`: cannot read `{}`: {message}", path.display())]
    Unreadable {
        /// The source.
        from: String,
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        message: String,
    },
    /// The texts that licenses are recognized by cannot be read: no license would be known.
    #[error(
        "the published texts of licenses cannot be read: {message} (is there too little memory?)"
    )]
    NoLicenseTexts {
        /// What the library said.
        message: String,
    },
    /// The repository has no such commit.
    #[error("source `{from}`: no commit `{revision}` in `{}`", repository.display())]
    NoRevision {
        /// The source.
        from: String,
        /// The revision.
        revision: String,
        /// Where the repository lies.
        repository: PathBuf,
    },
    /// The repository or archive is damaged.
    #[error("source `{from}`: `{}` is damaged: {message}", path.display())]
    Corrupt {
        /// The source.
        from: String,
        /// The repository or archive.
        path: PathBuf,
        /// What was found.
        message: String,
    },
    /// There is more of it than is read.
    #[error("source `{from}`: {message}")]
    TooLarge {
        /// The source.
        from: String,
        /// The bound that was reached.
        message: String,
    },
    /// The package is not there, or not in one version only.
    #[error("source `{from}`: {message}")]
    Package {
        /// The source.
        from: String,
        /// What was found instead, and what to do.
        message: String,
    },
    /// git or cargo is not there.
    #[error("source `{from}`: cannot start `{program}`: {message}")]
    ProgramMissing {
        /// The source.
        from: String,
        /// The program.
        program: &'static str,
        /// What the system said.
        message: String,
    },
    /// git or cargo refused.
    #[error("source `{from}`: `{command}` failed: {message}")]
    ProgramFailed {
        /// The source.
        from: String,
        /// The command line.
        command: String,
        /// The last line it said.
        message: String,
    },
}

impl SourceError {
    /// What it is for the account, where the recipe can do without the source; `None` where the recipe itself is
    /// wrong, or a program is missing.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            SourceError::NotASource { .. }
            | SourceError::BadPattern { .. }
            | SourceError::UnknownLanguage { .. }
            | SourceError::NoLicenseTexts { .. }
            | SourceError::ProgramMissing { .. } => None,
            SourceError::Corrupt { .. } => Some(Reason::SourceCorrupt),
            SourceError::TooLarge { .. } => Some(Reason::SourceTooLarge),
            SourceError::Unreadable { .. }
            | SourceError::NoRevision { .. }
            | SourceError::Package { .. }
            | SourceError::ProgramFailed { .. } => Some(Reason::SourceUnreachable),
        }
    }

    /// What was wrong, without the source and without places of this machine.
    pub fn detail(&self) -> String {
        match self {
            SourceError::NotASource { from } => from.clone(),
            SourceError::UnknownLanguage { language, .. } => language.clone(),
            SourceError::NoRevision { revision, .. } => format!("no commit `{revision}`"),
            SourceError::BadPattern { message, .. }
            | SourceError::NoLicenseTexts { message }
            | SourceError::Unreadable { message, .. }
            | SourceError::Corrupt { message, .. }
            | SourceError::TooLarge { message, .. }
            | SourceError::Package { message, .. }
            | SourceError::ProgramMissing { message, .. }
            | SourceError::ProgramFailed { message, .. } => message.clone(),
        }
    }
}

/// The bytes of a file, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file's bytes.
    Bytes(Vec<u8>),
    /// The file is so large that it was not read; its size in bytes.
    TooLarge(u64),
    /// There is no text to read: why, and the value that decided.
    Aside(Reason, String),
    /// The file was not needed.
    NotRead,
}

/// A file of a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Its bytes.
    pub content: Content,
    /// Whether the recipe wants its functions. Where it does not, a header can still be included by the files
    /// that it does want.
    pub wanted: bool,
}

/// Files of any size are listed, but none beyond this is read whatever the recipe says.
const NEVER_READ_ABOVE: u64 = 64 << 20;

/// A source of more files than this is refused: a repository can name one file a billion times.
const MOST_ENTRIES: usize = 2_000_000;

/// A source of more text than this is refused.
const MOST_BYTES: u64 = 4 << 30;

/// License texts beyond this are not read.
const MOST_LICENSE_BYTES: u64 = 256 << 10;

/// Build files and pages of documentation beyond this are not read.
const MOST_BUILD_BYTES: u64 = 1 << 20;

/// A source that was found: its files and where they came from.
#[derive(Debug, Clone)]
pub struct Source {
    config: SourceConfig,
    facts: Facts,
    files: BTreeMap<String, SourceFile>,
    build_files: BTreeMap<String, Vec<u8>>,
    pages: BTreeMap<String, Vec<u8>>,
    licenses: BTreeMap<String, Stated>,
    first_commits: BTreeMap<String, String>,
    build: Option<Build>,
}

/// What is known of a source besides its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    repository: Option<String>,
    version: Option<String>,
    commit: Option<String>,
    license: Option<String>,
}

/// What a kind of source gives: its files, license texts, and days of first commits by path.
#[derive(Debug, Default)]
struct Listing {
    files: BTreeMap<String, SourceFile>,
    license_texts: BTreeMap<String, Vec<u8>>,
    build_files: BTreeMap<String, Vec<u8>>,
    pages: BTreeMap<String, Vec<u8>>,
    first_commits: BTreeMap<String, String>,
    bytes: u64,
}

impl Listing {
    /// Adds a file whose text is there; `content` is asked for only where the text is needed.
    fn add<E>(
        &mut self,
        path: String,
        wish: Wish,
        content: impl FnOnce() -> Result<Content, E>,
    ) -> Result<(), E> {
        let content = match wish {
            Wish::Functions | Wish::Includes | Wish::License | Wish::Build | Wish::Page => {
                content()?
            }
            Wish::Nothing => Content::NotRead,
            Wish::OtherLanguage(title) => {
                Content::Aside(Reason::FileOtherLanguage, title.to_owned())
            }
        };
        if let Content::Bytes(bytes) = &content {
            self.bytes += bytes.len() as u64;
        }
        match (wish, content) {
            (Wish::License, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_LICENSE_BYTES => {
                self.license_texts.insert(path, bytes);
            }
            (Wish::Build, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_BUILD_BYTES => {
                self.build_files.insert(path, bytes);
            }
            (Wish::Page, Content::Bytes(bytes)) if bytes.len() as u64 <= MOST_BUILD_BYTES => {
                self.pages.insert(path, bytes);
            }
            (Wish::License | Wish::Build | Wish::Page, _) => {}
            (wish, content) => {
                let wanted = matches!(wish, Wish::Functions | Wish::OtherLanguage(_));
                self.files.insert(path, SourceFile { content, wanted });
            }
        }
        Ok(())
    }

    /// Adds something that has no text to read.
    fn aside(&mut self, wanted: &Wanted, path: String, reason: Reason, detail: impl Into<String>) {
        let content = Content::Aside(reason, detail.into());
        let wanted = wanted.is_included(&path);
        self.files.insert(path, SourceFile { content, wanted });
    }

    /// Refuses what is beyond every bound.
    fn check(&self, from: &str) -> Result<(), SourceError> {
        let refuse = |message: String| {
            Err(SourceError::TooLarge {
                from: from.to_owned(),
                message,
            })
        };
        if self.files.len() > MOST_ENTRIES {
            return refuse(format!("more than {MOST_ENTRIES} files"));
        }
        if self.bytes > MOST_BYTES {
            return refuse(format!("more than {MOST_BYTES} bytes of text"));
        }
        Ok(())
    }
}

impl Source {
    /// Finds a source and reads its C files. Relative paths, and the Cargo workspace that `cargo:` sources
    /// are looked up in, are taken from `base`.
    ///
    /// # Errors
    /// [`SourceError`] when it is not there; a single file that cannot be read is no error.
    pub fn resolve(config: &SourceConfig, base: &Path) -> Result<Source, SourceError> {
        let wanted = Wanted::new(config)?;
        license::ready()?;
        // `.` has no folder above it by name, and the workspace may lie there.
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
        if config.repository.is_some() {
            facts.repository.clone_from(&config.repository);
        }
        let json = config.compile_commands.as_ref();
        let read = |json: &String| Build::read(&config.from, &base.join(json), &mut listing.files);
        let build = json.map(read).transpose()?;
        let licenses = licenses(config, &mut facts, listing.license_texts, &listing.files);
        Ok(Source {
            config: config.clone(),
            facts,
            files: listing.files,
            build_files: listing.build_files,
            pages: listing.pages,
            licenses,
            first_commits: listing.first_commits,
            build,
        })
    }

    /// Whether a source on this machine is there, and what its `[[source]]` says can be read; opens no file of it.
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

    /// The address that would have to be cloned first; `None` where the source is on this machine.
    pub fn to_clone(config: &SourceConfig, base: &Path) -> Option<String> {
        let repository = config.from.strip_prefix("git:")?;
        let (address, _) = mirror::address_and_revision(repository, base);
        mirror::is_to_clone(address, base).then(|| address.to_owned())
    }

    /// What a source is, however it is spelled: two with one identity are the same folder, archive, package, or
    /// revision of a repository.
    pub fn identity(from: &str, base: &Path) -> String {
        let real = |path: &Path| {
            let path = base.join(path);
            let path = path.canonicalize().unwrap_or(path);
            path.display().to_string()
        };
        match from.split_once(':').unwrap_or_default() {
            (kind @ ("path" | "archive"), path) => format!("{kind}:{}", real(Path::new(path))),
            ("git", repository) => {
                let (address, revision) = mirror::address_and_revision(repository, base);
                if base.join(address).is_dir() {
                    return format!("git:{}@{revision}", real(Path::new(address)));
                }
                let address = address.trim_end_matches('/');
                let address = address.strip_suffix(".git").unwrap_or(address);
                format!("git:{address}@{revision}")
            }
            _ => from.to_owned(),
        }
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

    /// What a file of the source is under, and who says so.
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

    /// The templates of headers, and what says how they are filled in: files of `CMake` and Autoconf, by path.
    pub fn build_files(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.build_files
    }

    /// Its pages in `reStructuredText` and Markdown, by path.
    pub fn pages(&self) -> &BTreeMap<String, Vec<u8>> {
        &self.pages
    }

    /// A digest of all that was read: the same bytes from the same place have the same digest.
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
                Content::Bytes(bytes) => digest.field(path).field(bytes),
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
            digest = digest.field("page").field(path).field(bytes);
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

/// What the files of a source are under, by path, in the order: recipe, the file's own words, the nearest
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
            Content::Bytes(bytes) => Some(bytes.as_slice()),
            _ => None,
        };
        let license = match known.license_of(path, bytes) {
            Some(found) if found.expression.is_some() => Some(found),
            // A text that nobody recognizes says less than the package.
            found => package.clone().or(found),
        };
        Some((path.clone(), license?))
    };
    let licenses: BTreeMap<String, Stated> = files.iter().filter_map(of_file).collect();
    if facts.license.is_none() {
        // The source's own is what its root says.
        let root = known.license_of("", None);
        facts.license = root.and_then(|root| root.expression);
    }
    licenses
}

/// Whether the text of a path can be of use at all.
fn may_be_read(path: &str) -> bool {
    mined(path).is_some() || license::is_license_file(path) || is_build_file(path) || is_page(path)
}

/// Whether a file may document functions.
fn is_page(path: &str) -> bool {
    matches!(ending(path), "rst" | "md")
}

/// Whether a file is a template of a header, or may say how one is filled in.
fn is_build_file(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    name == "CMakeLists.txt" || name == "configure.ac" || matches!(ending(name), "in" | "cmake")
}

/// Whether a link is worth a row: it may lead to C, or to a folder, which has no ending.
fn may_be_code(path: &str) -> bool {
    ending(path).is_empty() || mined(path).is_some()
}

/// What the ending of a path says, where it is of a language that is mined.
fn mined(path: &str) -> Option<(&'static Entry, FileKind)> {
    of_path(path).filter(|(entry, _)| entry.is_mined())
}

/// A path without `.` and double `/`, and whether it stays where it is.
fn clean(raw: &[u8]) -> (String, Result<(), &'static str>) {
    let path = readable_path(raw);
    let parts: Vec<&str> = path
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    let safe = if path.starts_with('/') {
        Err("its path begins at the root")
    } else if parts.contains(&"..") {
        Err("its path leaves the source with `..`")
    } else if path.contains('\0') {
        Err("its path has a zero byte")
    } else {
        Ok(())
    };
    match safe {
        Ok(()) => (parts.join("/"), safe),
        Err(_) => (path, safe),
    }
}

/// The letters of a path that is not UTF-8, with `\xFC` for a byte that is none.
fn readable_path(bytes: &[u8]) -> String {
    let mut path = String::new();
    for chunk in bytes.utf8_chunks() {
        path.push_str(chunk.valid());
        for byte in chunk.invalid() {
            write!(path, "\\x{byte:02X}").expect("memory takes any text");
        }
    }
    path
}
