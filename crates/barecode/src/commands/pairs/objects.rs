//! `pairs --objects`: functions as they are in the object files of their project's own build.
//!
//! Enters: object files with debug information, the functions of the run, and those that the training set has. Leaves:
//! the code of functions by setting, for those of the set and for others. The others have a query and are not nearly
//! the same as one of the set. An object's function is found in the run by its name and by the file and line of its
//! definition; everything that is not used is counted.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use barecode_check::{BuiltFunction, read_objects};
use barecode_corpus::duplicates::clusters;
use barecode_dataset::DatasetConfig;
use barecode_formats::{TrainingPair, TrainingPart};
use barecode_queries::{QueryConfig, query};
use barecode_records::{Function, Group, Id, Query, Reason, Setting, Toolchain, Unit, guarded};
use rayon::prelude::*;

use super::{Parts, pair_of};
use crate::exit::Failure;

/// The code that was cut from object files.
#[derive(Debug, Default)]
pub(super) struct Cut {
    /// The code of functions of the run, by setting; the first object that has a function counts.
    pub(super) codes: BTreeMap<Id, BTreeMap<Setting, String>>,
    /// Functions that the training set does not have yet, as units that were never compiled alone.
    pub(super) added: Vec<Unit>,
    /// The queries for the added functions.
    pub(super) queries: Vec<Query>,
    /// The counts of functions that were used, and of those that were not, by reason.
    pub(super) counts: BTreeMap<String, u64>,
}

impl Cut {
    fn count(&mut self, what: impl Into<String>, n: u64) {
        if n > 0 {
            *self.counts.entry(what.into()).or_default() += n;
        }
    }
}

/// Cuts the functions of a run from object files and folders of them. `used` are the units of the training set,
/// `anchors` their queries.
///
/// # Errors
/// A path that cannot be read, or no function of the run in any object.
pub(super) fn cut(
    paths: &[PathBuf],
    functions: Vec<Function>,
    used: &[&Unit],
    anchors: &BTreeSet<&str>,
    config: &QueryConfig,
) -> Result<Cut, Failure> {
    let files = object_files(paths)?;
    let objects: Result<Vec<_>, Failure> = files
        .par_iter()
        .map(|path| {
            let bytes = guarded::read(path).map_err(|error| unreadable(path, &error))?;
            Ok(read_objects(&bytes))
        })
        .collect();
    let mut cut = Cut::default();
    let mut built = Vec::new();
    for object in objects?.into_iter().flatten() {
        match object {
            Ok(object) => {
                cut.count("object files read", 1);
                cut.count(
                    "functions of objects without a symbol of their own",
                    object.without_symbol,
                );
                cut.count(
                    "functions of objects without a name, file or line",
                    object.without_place,
                );
                for (why, n) in object.uncut {
                    cut.count(format!("functions of objects: {why}"), n);
                }
                built.extend(object.functions);
            }
            Err(why) => cut.count(format!("files not read: {why}"), 1),
        }
    }
    cut.find(built, &functions);
    if cut.codes.is_empty() {
        let found: Vec<String> = cut
            .counts
            .iter()
            .map(|(what, n)| format!("{what}: {n}"))
            .collect();
        let found = if found.is_empty() {
            "there is none".to_owned()
        } else {
            found.join("; ")
        };
        let message = format!("no function of the run is in the given object files: {found}");
        let hint = "build the same commit of the project with `-g`, and name its folder; functions are found by the end of their file's path, their line and their name";
        return Err(Failure::invalid(message).hint(hint));
    }
    cut.add(functions, used, anchors, config);
    Ok(cut)
}

impl Cut {
    /// Finds what was built among the functions of the run.
    fn find(&mut self, built: Vec<BuiltFunction>, functions: &[Function]) {
        let mut by_name: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
        for function in functions {
            by_name.entry(&function.name).or_default().push(function);
        }
        let mut strangers: BTreeSet<(String, String, u32)> = BTreeSet::new();
        let mut unclear: BTreeSet<(String, String, u32)> = BTreeSet::new();
        for one in built {
            let named = by_name.get(one.name.as_str()).into_iter().flatten();
            let mut here = named.filter(|function| {
                let origin = &function.origin;
                (origin.start_line..=origin.end_line).contains(&one.line)
                    && ends_with(&one.path, &origin.path)
            });
            match (here.next(), here.next()) {
                (Some(function), None) => {
                    let codes = self.codes.entry(function.id.clone()).or_default();
                    codes.entry(one.setting).or_insert(one.text);
                }
                (None, _) => {
                    strangers.insert((one.name, one.path, one.line));
                }
                (Some(_), Some(_)) => {
                    unclear.insert((one.name, one.path, one.line));
                }
            }
        }
        self.count("functions of the run in objects", self.codes.len() as u64);
        self.count(
            "functions of objects that are not in the run",
            strangers.len() as u64,
        );
        self.count(
            "functions of objects that could be several of the run",
            unclear.len() as u64,
        );
    }

    /// Adds the functions that the training set does not have, if they have a query.
    fn add(
        &mut self,
        functions: Vec<Function>,
        used: &[&Unit],
        anchors: &BTreeSet<&str>,
        config: &QueryConfig,
    ) {
        let has: BTreeSet<&Id> = used.iter().map(|unit| &unit.function_id).collect();
        let others = functions
            .into_iter()
            .filter(|function| !has.contains(&function.id));
        let others: Vec<Unit> = others
            .filter(|function| self.codes.contains_key(&function.id))
            .map(as_unit)
            .collect();
        let asked = query(&others, config);
        let (queries, again): (Vec<Query>, Vec<Query>) = asked
            .kept
            .into_iter()
            .partition(|query| !anchors.contains(query.text.as_str()));
        let has_query: BTreeSet<&Id> = queries.iter().map(|query| &query.target_id).collect();
        let rows = asked.set_aside.iter();
        let rows = rows.filter_map(|row| Some((row.id.as_ref()?, row.reason)));
        let again = again
            .iter()
            .map(|query| (&query.target_id, Reason::QueryDuplicate));
        let mut without: BTreeMap<&Id, Reason> = BTreeMap::new();
        for (id, reason) in rows.chain(again).filter(|(id, _)| !has_query.contains(id)) {
            without.entry(id).or_insert(reason);
        }
        for reason in without.into_values() {
            self.count(format!("functions that no comment asks for: {reason}"), 1);
        }
        let others: Vec<Unit> = others
            .into_iter()
            .filter(|unit| has_query.contains(&unit.id))
            .collect();
        let likeness = DatasetConfig::default().likeness();
        let texts = used.iter().map(|unit| unit.text.as_str());
        let texts: Vec<&str> = texts
            .chain(others.iter().map(|unit| unit.text.as_str()))
            .collect();
        let mut again: BTreeSet<usize> = BTreeSet::new();
        for mut cluster in clusters(&texts, likeness) {
            cluster.sort_unstable();
            again.extend(&cluster[1..]);
        }
        let numbered = others.iter().enumerate();
        let alone: BTreeSet<Id> = numbered
            .filter(|(at, _)| !again.contains(&(used.len() + at)))
            .map(|(_, unit)| unit.id.clone())
            .collect();
        let again = others.len() - alone.len();
        self.count("near-duplicates of functions in the set", again as u64);
        self.count("functions added", alone.len() as u64);
        self.queries = queries
            .into_iter()
            .filter(|it| alone.contains(&it.target_id))
            .collect();
        self.added = others
            .into_iter()
            .filter(|unit| alone.contains(&unit.id))
            .collect();
    }
}

impl Cut {
    /// Adds the code to the parts of a training set. Functions of the set get the settings that the run does not have;
    /// added functions are also included as written, on the side of their repository. Functions in `gone` are left out.
    pub(super) fn add_to(&self, parts: &mut Parts, used: &[&Unit], gone: &BTreeSet<&Id>) {
        let function_of: BTreeMap<&str, &Id> = used
            .iter()
            .map(|unit| (unit.id.as_str(), &unit.function_id))
            .collect();
        let has: BTreeSet<Setting> = parts.keys().filter_map(|(_, setting)| *setting).collect();
        let mut side: BTreeMap<String, u8> = BTreeMap::new();
        let mut new: Vec<(u8, Setting, TrainingPair)> = Vec::new();
        for ((order, setting), part) in parts.iter() {
            for pair in &part.pairs {
                side.entry(pair.repository.clone()).or_insert(*order);
                let codes = function_of.get(pair.code_id.as_str());
                let codes = codes
                    .and_then(|id| self.codes.get(*id))
                    .into_iter()
                    .flatten();
                for (of, text) in
                    codes.filter(|(of, _)| *setting == Some(Setting::Standard) && !has.contains(of))
                {
                    let (positive, setting) = (text.clone(), of.to_string());
                    new.push((
                        *order,
                        *of,
                        TrainingPair {
                            positive,
                            setting,
                            ..pair.clone()
                        },
                    ));
                }
            }
        }
        let units: BTreeMap<&Id, &Unit> = self.added.iter().map(|unit| (&unit.id, unit)).collect();
        for query in self
            .queries
            .iter()
            .filter(|query| !gone.contains(&query.target_id))
        {
            let unit = units[&query.target_id];
            let order = side.get(&unit.origin.whole()).copied().unwrap_or(0);
            let codes = self.codes.get(&unit.function_id).into_iter().flatten();
            let written = (Setting::Standard, &unit.text);
            for (setting, text) in [written]
                .into_iter()
                .chain(codes.map(|(of, text)| (*of, text)))
            {
                let pair = TrainingPair {
                    anchor: query.text.clone(),
                    positive: text.clone(),
                    anchor_id: query.id.to_string(),
                    setting: setting.to_string(),
                    ..pair_of(unit)
                };
                new.push((order, setting, pair));
            }
        }
        for (order, setting, pair) in new {
            let part = parts.entry((order, Some(setting)));
            let part = part.or_insert_with(|| TrainingPart {
                split: if order == 0 { "train" } else { "dev" }.to_owned(),
                name: setting.to_string(),
                pairs: Vec::new(),
            });
            part.pairs.push(pair);
        }
    }
}

/// Returns a function as a unit: its closure is the extracted one, without a proof that it compiles.
fn as_unit(function: Function) -> Unit {
    Unit {
        id: Unit::id_of(&function.id, &function.closure.text),
        function_id: function.id,
        origin: function.origin,
        language: function.language,
        name: function.name,
        qualified_name: function.qualified_name,
        kind: function.kind,
        is_template: function.is_template,
        group: Group::of(&function.references),
        text: function.text,
        docs: function.docs,
        references: function.references,
        closure: function.closure,
        minimized: false,
        compiles_as_cpp: None,
        toolchain: Toolchain {
            compiler: "its project's build".to_owned(),
            version: String::new(),
            target: String::new(),
            flags: Vec::new(),
        },
        code_bytes: 0,
    }
}

/// Returns `true` if a path ends with another one, whole names at a time.
fn ends_with(path: &str, end: &str) -> bool {
    let before = path.strip_suffix(end);
    before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The object files and archives at paths, in the order of their names.
fn object_files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut files = BTreeSet::new();
    for path in paths {
        for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
            let entry = entry.map_err(|error| {
                let path = error.path().unwrap_or(path).to_owned();
                let kind = error.io_error().map(std::io::Error::kind);
                unreadable(&path, &kind.unwrap_or(std::io::ErrorKind::Other).into())
            })?;
            let is_object = entry
                .path()
                .extension()
                .is_some_and(|it| ["o", "a", "obj"].iter().any(|end| it == *end));
            if entry.file_type().is_file() && (is_object || entry.depth() == 0) {
                files.insert(entry.into_path());
            }
        }
    }
    Ok(files.into_iter().collect())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::invalid(format!("`{}` cannot be read: {error}", path.display()))
        .hint("--objects takes object files (`.o`, `.a`), or folders of them")
}
