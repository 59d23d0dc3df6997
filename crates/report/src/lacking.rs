//! Headers that functions would have needed: which are missing most, and the package that brings each, or the folder
//! above the source that has it.
//!
//! They are known only after compiling, so they are reported at the end of a run; `check` lists the missing headers
//! of each function.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_languages::library::package_of;
use barecode_recipe::Recipe;
use barecode_records::{Reason, SetAside};
use serde::Serialize;

use barecode_runs::console::grouped;

/// The number of headers that are reported.
const MOST: usize = 3;

/// How far above the folder of a source headers are looked for, and in which folders there.
const ABOVE: usize = 3;
const FOLDERS: [&str; 3] = ["", "include", "src"];
/// The most folders beside that of a source that are looked into.
const BESIDE: usize = 100;

/// Headers of other processors than that of this machine.
const OF_PROCESSORS: [&str; 9] = [
    "altivec.h",
    "arm_acle.h",
    "arm_neon.h",
    "arm_sve.h",
    "lasxintrin.h",
    "lsxintrin.h",
    "msa.h",
    "riscv_vector.h",
    "wasm_simd128.h",
];

/// A header that is missing.
#[derive(Debug, Serialize)]
pub struct Lacking {
    header: String,
    /// Functions that were set aside and whose file includes it.
    functions: u64,
    /// The Debian package that has it, if it is a usual one.
    package: Option<&'static str>,
    /// Its path outside of the source, seen from the source: `../include/list.h`.
    above: Option<String>,
}

impl Lacking {
    /// Reads the functions that `check` set aside; the header of most functions first. The folders of the recipe's
    /// sources are looked at.
    pub fn of(rows: &[SetAside], recipe: &Recipe) -> Vec<Self> {
        let rows = rows
            .iter()
            .filter(|row| row.reason == Reason::NeedsThirdParty);
        let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
        for row in rows {
            let headers = row.detail.split(": ").next().unwrap_or_default();
            for header in headers.split(", ").filter(|name| !name.contains(' ')) {
                *counts.entry(header).or_default() += 1;
            }
        }
        let lacking = counts.into_iter().map(|(header, functions)| Lacking {
            header: header.to_owned(),
            functions,
            package: package_of(header),
            above: above(header, recipe),
        });
        let mut lacking: Vec<Self> = lacking.collect();
        lacking.sort_by_key(|one| std::cmp::Reverse(one.functions));
        lacking
    }

    /// The first of them in words, each with what helps.
    pub fn sentences(lacking: &[Self]) -> Vec<String> {
        let (above, missing): (Vec<&Self>, Vec<&Self>) =
            lacking.iter().partition(|one| one.above.is_some());
        let (configured, missing): (Vec<&Self>, Vec<&Self>) =
            missing.into_iter().partition(|one| one.is_configured());
        let (others, missing): (Vec<&Self>, Vec<&Self>) = missing
            .into_iter()
            .partition(|one| OF_PROCESSORS.contains(&one.header.as_str()));
        let named = |all: &[&Self]| {
            let first = all.iter().take(MOST).map(|one| one.named());
            first.collect::<Vec<String>>().join(", ")
        };
        let mut sentences = Vec::new();
        if !above.is_empty() {
            sentences.push(format!(
                "{}; name the folder around both as the source, and choose files with `include` (`try --include`)",
                named(&above)
            ));
        }
        if !configured.is_empty() {
            sentences.push(format!(
                "{}, which the build of a project makes; name its `compile-commands`, or set its macros with `defines`, under `[[source]]`",
                named(&configured)
            ));
        }
        if !others.is_empty() {
            sentences.push(format!("{}, which another processor has", named(&others)));
        }
        if !missing.is_empty() {
            sentences.push(format!(
                "{}; install what brings it, and name the header under `standard-headers` of `[extract]`",
                named(&missing)
            ));
        }
        sentences
    }

    /// Returns `true` for the usual names of headers that `configure` or `CMake` makes: `config.h`, `expat_config.h`.
    fn is_configured(&self) -> bool {
        let name = self.header.rsplit('/').next().unwrap_or_default();
        self.package.is_none() && name.to_ascii_lowercase().ends_with("config.h")
    }

    /// `12 functions lack `curl/curl.h` (Debian: libcurl4-openssl-dev)`.
    fn named(&self) -> String {
        let functions = match self.functions {
            1 => "1 function lacks".to_owned(),
            many => format!("{} functions lack", grouped(many)),
        };
        let header = &self.header;
        match (&self.above, self.package) {
            (Some(path), _) if path == header => {
                format!("{functions} `{header}`, which is outside of the source")
            }
            (Some(path), _) => {
                format!("{functions} `{header}`, which is outside of the source (`{path}`)")
            }
            (None, Some(package)) => format!("{functions} `{header}` (Debian: {package})"),
            (None, None) => format!("{functions} `{header}`"),
        }
    }
}

/// Returns the path of the header above a source of the recipe, seen from the source.
fn above(header: &str, recipe: &Recipe) -> Option<String> {
    let header = header.trim_start_matches("../");
    recipe.sources.iter().find_map(|source| {
        let folder = recipe.base.join(source.from.strip_prefix("path:")?);
        let folder = folder.canonicalize().ok()?;
        let mut ups = folder.ancestors().skip(1).take(ABOVE).enumerate();
        ups.find_map(|(up, folder)| {
            // The root of the system has the headers of other software.
            folder.parent()?;
            let usual = FOLDERS.iter().map(PathBuf::from);
            let mut folders = usual.chain(if up == 0 { beside(folder) } else { Vec::new() });
            let header = folders
                .find(|below| folder.join(below).join(header).is_file())?
                .join(header);
            Some(format!("{}{}", "../".repeat(up + 1), header.display()))
        })
    })
}

/// The folders in a folder, by name.
fn beside(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<PathBuf> = folders.map(|entry| entry.file_name().into()).collect();
    names.sort();
    names.truncate(BESIDE);
    names
}
