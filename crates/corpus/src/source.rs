//! A source as a recipe names it → its files, with what proves where they came from.
//!
//! Three kinds: `path:FOLDER`, `git:REPOSITORY[@REVISION]` (a local repository or an address), and
//! `cargo:PACKAGE[@VERSION]` (a package that the nearest Cargo workspace has downloaded). All are read only;
//! git and cargo are the only programs started here, and neither runs anything that a source contains.

mod cargo;
mod git;
mod path;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_records::Digest;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde::{Deserialize, Serialize};

/// One `[[source]]` of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct SourceConfig {
    /// `path:…`, `git:…` or `cargo:…`.
    pub from: String,
    /// Files to read, as glob patterns relative to the source; all when empty.
    #[serde(default)]
    pub include: Vec<String>,
    /// Files to leave out, as glob patterns.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Macros to define before each translation unit: `NAME` or `NAME=VALUE`.
    #[serde(default)]
    pub defines: Vec<String>,
    /// Keep at most this many functions, drawn by the seed.
    #[serde(default)]
    pub limit: Option<u32>,
    /// The license, where the source does not state the right one.
    #[serde(default)]
    pub license: Option<String>,
}

/// Why a source could not be read.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The recipe's text names no source.
    #[error(
        "`{from}` is not a source: expected `path:FOLDER`, `git:REPOSITORY[@REVISION]` or `cargo:PACKAGE[@VERSION]`"
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

/// The bytes of a file, or why there are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Content {
    /// The file's bytes.
    Bytes(Vec<u8>),
    /// The file is so large that it was not read; its size in bytes.
    TooLarge(u64),
    /// The file could not be read; what the system said.
    Unreadable(String),
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

/// A source that was found: its files and where they came from.
#[derive(Debug, Clone)]
pub struct Source {
    config: SourceConfig,
    facts: Facts,
    files: BTreeMap<String, SourceFile>,
}

/// What is known of a source besides its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Facts {
    repository: Option<String>,
    version: Option<String>,
    commit: Option<String>,
    license: Option<String>,
}

impl Source {
    /// Finds a source and reads its C files. Relative paths, and the Cargo workspace that `cargo:` sources
    /// are looked up in, are taken from `base`.
    ///
    /// # Errors
    /// [`SourceError`] when it is not there; a single file that cannot be read is no error.
    pub fn resolve(config: &SourceConfig, base: &Path) -> Result<Source, SourceError> {
        let wanted = Wanted::new(config)?;
        // `.` has no folder above it by name, and the workspace may lie there.
        let base = &std::path::absolute(base).unwrap_or_else(|_| base.to_owned());
        let (kind, rest) = config.from.split_once(':').unwrap_or_default();
        let (mut facts, files) = match (kind, rest) {
            (_, "") => {
                return Err(SourceError::NotASource {
                    from: config.from.clone(),
                });
            }
            ("path", folder) => path::read(&config.from, &base.join(folder), &wanted)?,
            ("git", repository) => git::read(&config.from, repository, base, &wanted)?,
            ("cargo", package) => cargo::read(&config.from, package, base, &wanted)?,
            _ => {
                return Err(SourceError::NotASource {
                    from: config.from.clone(),
                });
            }
        };
        if config.license.is_some() {
            facts.license.clone_from(&config.license);
        }
        Ok(Source {
            config: config.clone(),
            facts,
            files,
        })
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

    /// Its files with a C ending, by path.
    pub fn files(&self) -> &BTreeMap<String, SourceFile> {
        &self.files
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
                Content::Unreadable(message) => {
                    digest.field(path).field("unreadable").field(message)
                }
                Content::NotRead => digest.field(path).field("not read"),
            };
        }
        digest.hex()
    }

    /// The source for the manifest.
    pub fn describe(&self) -> serde_json::Value {
        serde_json::json!({
            "source": self.label(),
            "repository": self.repository(),
            "version": self.version(),
            "commit": self.commit(),
            "license": self.license(),
            "files": self.files.len(),
            "digest": self.digest(),
        })
    }
}

/// File endings that hold C or text that C files include.
const ENDINGS: [&str; 8] = ["c", "h", "inc", "inl", "def", "tbl", "ipp", "x"];

/// Which files of a source are wanted.
struct Wanted {
    include: Option<GlobSet>,
    exclude: GlobSet,
}

impl Wanted {
    fn new(config: &SourceConfig) -> Result<Wanted, SourceError> {
        let include = (!config.include.is_empty())
            .then(|| globs(config, &config.include))
            .transpose()?;
        Ok(Wanted {
            include,
            exclude: globs(config, &config.exclude)?,
        })
    }

    /// What the recipe says of a file; `None` for files that hold no C.
    fn wish(&self, path: &str) -> Option<Wish> {
        let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
        let included = self.include.as_ref();
        let included = included.is_none_or(|include| include.is_match(path));
        ENDINGS.contains(&ending).then(|| {
            if included && !self.exclude.is_match(path) {
                Wish::Functions
            } else if ending == "c" {
                Wish::Nothing
            } else {
                Wish::Includes
            }
        })
    }
}

/// What a recipe wants of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    /// Its functions.
    Functions,
    /// Only to be included by others.
    Includes,
    /// Nothing.
    Nothing,
}

fn globs(config: &SourceConfig, patterns: &[String]) -> Result<GlobSet, SourceError> {
    let mut set = GlobSetBuilder::new();
    let bad = |pattern: &str, error: globset::Error| SourceError::BadPattern {
        from: config.from.clone(),
        pattern: pattern.to_owned(),
        message: error.kind().to_string(),
    };
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).build();
        set.add(glob.map_err(|error| bad(pattern, error))?);
    }
    set.build()
        .map_err(|error| bad(&patterns.join(", "), error))
}
