//! Headers that functions would have needed: which are missing most, and the package that brings each.
//!
//! They are known only after compiling, so they are reported at the end of a run; `check` lists the missing headers
//! of each function.

use std::collections::BTreeMap;

use barecode_languages::library::package_of;
use barecode_records::{Reason, SetAside};
use serde::Serialize;

use barecode_runs::console::grouped;

/// The number of headers that are reported.
const TOLD: usize = 3;

/// A header that is missing.
#[derive(Debug, Serialize)]
pub struct Lacking {
    header: String,
    /// Functions that were set aside and whose file includes it.
    functions: u64,
    /// The Debian package that has it, if it is a usual one.
    package: Option<&'static str>,
}

impl Lacking {
    /// Reads the functions that `check` set aside; the header of most functions first.
    pub fn of(rows: &[SetAside]) -> Vec<Self> {
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
        });
        let mut lacking: Vec<Self> = lacking.collect();
        lacking.sort_by_key(|one| std::cmp::Reverse(one.functions));
        lacking
    }

    /// The first of them in words.
    pub fn sentence(lacking: &[Self]) -> Option<String> {
        let told = lacking.iter().take(TOLD).map(|one| {
            let package = one.package.map(|name| format!(" (Debian: {name})"));
            let functions = match one.functions {
                1 => "1 function lacks".to_owned(),
                many => format!("{} functions lack", grouped(many)),
            };
            format!(
                "{functions} `{}`{}",
                one.header,
                package.unwrap_or_default()
            )
        });
        let told: Vec<String> = told.collect();
        (!told.is_empty()).then(|| {
            format!(
                "{}; install what brings it, and name the header under `standard-headers` of `[extract]`",
                told.join(", ")
            )
        })
    }
}
