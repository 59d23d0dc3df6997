//! The origin of a record.

use std::path::{Component, Path};

use serde::{Deserialize, Serialize};

/// The published location that a record leads back to.
///
/// Lines are one-based and inclusive, in the file as published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The source: a package and an address as the recipe names them (`cargo:zstd-sys`, `git:https://…`); for a
    /// folder of this machine the end of its path (`path:lib`).
    pub source: String,
    /// The public repository, where the source shows it.
    pub repository: Option<String>,
    /// The package version (`cargo:` sources).
    pub version: Option<String>,
    /// The commit (`git:` sources, and packages that record theirs).
    pub commit: Option<String>,
    /// The license as an SPDX expression.
    pub license: Option<String>,
    /// The evidence for the license: `recipe`, `SPDX header`, `package`, or the path of a license file.
    pub license_from: Option<String>,
    /// The day (UTC) of the first commit that had the file, where its history is at hand: `2019-04-02`.
    pub first_commit: Option<String>,
    /// The file, relative to the root of the source, with `/` between folders.
    pub path: String,
    /// First line of the function.
    pub start_line: u32,
    /// Last line of the function.
    pub end_line: u32,
}

impl Origin {
    /// The whole that the function belongs to: its public repository, or where none is known its source, without the
    /// revision or version. Two sources of one repository are one whole.
    ///
    /// ```
    /// use barecode_records::Origin;
    /// let whole = Origin::whole_of(Some("https://Example.org/a/lib.git"), "git:lib@v1");
    /// assert_eq!(whole, "https://example.org/a/lib");
    /// assert_eq!(Origin::whole_of(None, "git:lib@v2"), "git:lib");
    /// ```
    pub fn whole(&self) -> String {
        Self::whole_of(self.repository.as_deref(), &self.source)
    }

    /// [`Origin::whole`] of a repository and a source.
    pub fn whole_of(repository: Option<&str>, source: &str) -> String {
        match repository {
            Some(repository) => {
                let address = repository.trim_end_matches('/');
                let address = address.strip_suffix(".git").unwrap_or(address);
                address.to_lowercase()
            }
            None => match source.rsplit_once('@') {
                // A folder may have an `@` in its name, and so may an address before its path.
                Some((before, after)) if !source.starts_with("path:") && !after.contains(':') => {
                    before.to_owned()
                }
                _ => source.to_owned(),
            },
        }
    }

    /// `path:start-end`, as an editor accepts it.
    pub fn place(&self) -> String {
        format!("{}:{}-{}", self.path, self.start_line, self.end_line)
    }
}

/// The ends of paths that distinguish them, whatever folder of the machine they are in: the last parts of each, up to
/// a number at which no other path ends the same. Empty for a path without parts, such as `/` or `..`.
///
/// ```
/// use barecode_records::tails;
/// assert_eq!(tails(&["/home/me/a/lib", "../b/lib", "src"]), ["a/lib", "b/lib", "src"]);
/// ```
pub fn tails(paths: &[impl AsRef<Path>]) -> Vec<String> {
    let parts = |path: &'_ Path| -> Vec<String> {
        let parts = path.components().filter_map(|part| match part {
            Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
            _ => None,
        });
        parts.collect()
    };
    let all: Vec<Vec<String>> = paths.iter().map(|path| parts(path.as_ref())).collect();
    let tail = |of: &[String], n: usize| of[of.len().saturating_sub(n)..].join("/");
    let longest = all.iter().map(Vec::len).max().unwrap_or_default();
    let distinct = |of: &Vec<String>| {
        let is_alone = |n: &usize| {
            let mut others = all.iter().filter(|other| *other != of);
            others.all(|other| tail(other, *n) != tail(of, *n))
        };
        tail(of, (1..=longest).find(is_alone).unwrap_or(longest))
    };
    all.iter().map(distinct).collect()
}
