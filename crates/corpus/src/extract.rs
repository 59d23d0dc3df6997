//! A source → its functions, and what was set aside.
//!
//! Three passes. The first (`find`) reads every translation unit and finds the functions; the second (`close`, as the
//! third) drops doubles and draws a sample where the recipe limits the source; the third reads the translation units
//! of what is left again and builds the closures. Reading twice costs less than holding every translation unit of a
//! large repository in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use barecode_languages::{FrontEnd, of_path};
use barecode_records::{
    Digest, DocComment, Function, FunctionKind, Id, Language, Outcome, Reason, SetAside, Stage,
};
use barecode_sources::{CompileOptions, FileRule, Source, SourceConfig, origin, readable};
use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use crate::assumed;
use crate::definitions::{Definitions, is_visible};
use crate::documented::Documented;
use crate::items::{self, Item};
use crate::names::Names;
use crate::preprocess::headers::{Dialects, MoreHeaders};
use crate::preprocess::unit::{self, Files, Mark, SourceText, TranslationUnit};
use crate::scripts::{Document, Profile};

mod close;
mod find;
mod python;
mod tree;
mod pairs;

use python::PythonFiles;
use tree::TreeFiles;

pub use find::needs_cpp;

/// The `[extract]` part of a recipe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct ExtractConfig {
    /// Files larger than this many bytes are set aside.
    pub max_file_bytes: u64,
    /// Functions whose closure is larger than this many bytes are set aside.
    pub max_closure_bytes: u32,
    /// Functions whose closure has more items than this are set aside.
    pub max_closure_items: u32,
    /// Where a closure is larger than this many bytes, helpers stand in it as prototypes.
    pub max_bytes_with_helpers: u32,
    /// Whether headers that a build makes are read from their templates, filled in with the project's defaults.
    pub assume_headers: bool,
    /// Whether comments that name their function (`\fn`) and pages of documentation are taken for functions that have
    /// no comment before them.
    pub documentation: bool,
    /// What units may include besides the headers of the lists.
    pub standard_headers: MoreHeaders,
    /// By which rules comments of R scripts are taken together with the code below them, in place of functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Profile>,
}

impl ExtractConfig {
    /// What the configuration asks of a source before it is read: the published rules read every script, ours also
    /// documents and notebooks.
    pub fn prepare(&self, source: &mut SourceConfig) {
        match self.pairs {
            None => {}
            Some(Profile::Statements) => source.documents = true,
            Some(Profile::StatCodeSearch) => source.keep = FileRule::ALL.to_vec(),
        }
    }
}

impl Default for ExtractConfig {
    fn default() -> Self {
        ExtractConfig {
            max_file_bytes: 16 << 20,
            max_closure_bytes: 256 << 10,
            max_closure_items: 10_000,
            max_bytes_with_helpers: 64 << 10,
            assume_headers: true,
            documentation: true,
            standard_headers: MoreHeaders::default(),
            pairs: None,
        }
    }
}

/// Extracts the functions of a source, by path and line; the account has `files` and `functions`. Never fails on source
/// text: what cannot be read is set aside.
pub fn extract(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    seed: u64,
) -> Outcome<Vec<Function>> {
    extract_first(source, config, headers, seed, &|_| false)
}

/// A function before it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The id that it will have.
    pub id: &'a Id,
    /// Its name, without qualifiers.
    pub name: &'a str,
    /// The file.
    pub path: &'a str,
    /// Its first and last line.
    pub lines: (u32, u32),
}

/// The same; where the recipe limits the source, functions that are `wanted` are drawn before others.
pub fn extract_first(
    source: &Source,
    config: &ExtractConfig,
    headers: &Dialects,
    seed: u64,
    wanted: &dyn Fn(Drawn<'_>) -> bool,
) -> Outcome<Vec<Function>> {
    let Outcome {
        kept: readable,
        set_aside,
        mut counts,
    } = readable(source, config.max_file_bytes);
    counts.entry("functions".to_owned()).or_default();
    let mut extraction = Outcome {
        kept: Vec::new(),
        set_aside,
        counts,
    };
    let is_script = |path: &str| config.pairs.is_some() && Document::of_path(path).is_some();
    let (scripts, others): (BTreeMap<_, _>, BTreeMap<_, _>) = readable
        .texts
        .into_iter()
        .partition(|(path, _)| is_script(path));
    let (mut python, mut trees, mut texts) = (Vec::new(), Vec::new(), Vec::new());
    for (path, text) in others {
        let front_end = of_path(&path).and_then(|(entry, _)| entry.front_end);
        let of = match front_end {
            Some(FrontEnd::Python) => &mut python,
            Some(FrontEnd::Tree(_)) => &mut trees,
            Some(FrontEnd::Compiled) | None => &mut texts,
        };
        of.push((path, text));
    }
    let mut files: Files = texts
        .into_iter()
        .map(|(path, text)| (path.clone(), Arc::new(SourceText::new(path, text))))
        .collect();
    let build = source.build();
    if let Some(build) = build {
        let made: Vec<Arc<SourceText>> = files
            .iter()
            .filter(|file| build.made(&file.path))
            .cloned()
            .collect();
        for file in made {
            extraction.count_kept("headers of the build");
            let mut marked = SourceText::new(file.path.clone(), file.text.clone());
            marked.template = Some("the build".to_owned());
            files.insert(marked.path.clone(), Arc::new(marked));
        }
    }
    // A build has made what it needs.
    let assumed = (config.assume_headers && build.is_none())
        .then(|| assumed::headers(source.build_files(), headers));
    for header in assumed.into_iter().flatten() {
        if files.get(&header.path).is_none() {
            extraction.count_kept("assumed headers");
            let mut file = SourceText::new(header.path.clone(), header.text);
            file.template = Some(header.from);
            files.insert(header.path, Arc::new(file));
        }
    }
    let mut documented = Documented::default();
    if config.documentation {
        for file in files.iter() {
            documented.comments(file);
        }
        for (path, bytes) in source.pages() {
            documented.page(path, &String::from_utf8_lossy(bytes));
        }
    }
    let mut context = Context {
        source,
        config,
        headers,
        targets: &readable.mined,
        files,
        names: Names::default(),
        cache: Mutex::default(),
        taken: Mutex::default(),
        units: Mutex::default(),
        kept_bytes: AtomicUsize::new(0),
        documented,
        ambiguous: BTreeSet::new(),
    };
    let mut found = context.find(&mut extraction);
    let definitions = Definitions::of(&found);
    context.ambiguous = ambiguous(&found);
    let is_mined = |path: &str| readable.mined.contains(path);
    let (python, of_python) = PythonFiles::find(source, python, is_mined, &mut extraction);
    found.extend(of_python);
    let (trees, of_trees) = TreeFiles::find(source, trees, is_mined, &mut extraction);
    found.extend(of_trees);
    if let Some(profile) = config.pairs {
        let scripts = scripts.into_iter().filter(|(path, _)| is_mined(path));
        found.extend(pairs::find(
            source,
            profile,
            scripts.collect(),
            &mut extraction,
        ));
    }
    let sampled = context.sample(found, seed, wanted, &mut extraction);
    let (of_python, sampled): (Vec<_>, Vec<_>) = sampled
        .into_iter()
        .partition(|found| found.language == Language::PYTHON);
    let (of_scripts, sampled): (Vec<_>, Vec<_>) = sampled
        .into_iter()
        .partition(|found| found.kind.is_of_script());
    let is_compiled = |found: &Found| {
        barecode_languages::of(found.language).is_some_and(barecode_languages::Entry::is_compiled)
    };
    let (sampled, of_trees): (Vec<_>, Vec<_>) = sampled.into_iter().partition(is_compiled);
    context.close(sampled, &definitions, &mut extraction);
    context.keep_closed(python.close(source, config, of_python), &mut extraction);
    context.keep_closed(trees.close(source, config, of_trees), &mut extraction);
    context.keep_closed(pairs::close(source, config, of_scripts), &mut extraction);
    extraction.kept.sort_by(|a, b| {
        let key = |function: &Function| {
            (
                function.origin.path.clone(),
                function.origin.start_line,
                function.id.clone(),
            )
        };
        key(a).cmp(&key(b))
    });
    extraction.set_aside.sort_by(|a, b| {
        let key = |row: &SetAside| {
            (
                row.origin
                    .as_ref()
                    .map(|origin| (origin.path.clone(), origin.start_line)),
                row.name.clone(),
                row.reason,
            )
        };
        key(a).cmp(&key(b))
    });
    extraction
}

/// The names that mean more than one function. Two functions of C that any file can call are one to those who call
/// it, written once for each platform: no program has both.
fn ambiguous(found: &[Found]) -> BTreeSet<String> {
    let mut by_name: BTreeMap<&str, Vec<&Found>> = BTreeMap::new();
    for found in found {
        by_name.entry(&found.name).or_default().push(found);
    }
    let is_one = |of_name: &[&Found]| {
        let is_shared = |found: &&Found| found.language == Language::C && is_visible(found);
        of_name.len() == 1 || of_name.iter().all(is_shared)
    };
    by_name.retain(|_, of_name| !is_one(of_name));
    by_name.into_keys().map(str::to_owned).collect()
}

/// A function that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) root: String,
    pub(crate) language: Language,
    kind: FunctionKind,
    pub(crate) is_template: bool,
    pub(crate) path: String,
    pub(crate) range: Range<usize>,
    pub(crate) name: String,
    pub(crate) text: String,
    doc: Option<DocComment>,
    start_line: u32,
    end_line: u32,
    pub(crate) refused: Option<(Reason, String)>,
}

impl Found {
    /// What it is to its language.
    pub(crate) fn kind(&self) -> FunctionKind {
        self.kind
    }
}

/// The items of a reading; readings that look alike share them.
type Items = Arc<Vec<Item>>;

/// Units that were read, by the file they begin with and the language.
type Units = BTreeMap<(String, Language), (TranslationUnit, Vec<Items>)>;

struct Context<'a> {
    source: &'a Source,
    config: &'a ExtractConfig,
    headers: &'a Dialects,
    targets: &'a BTreeSet<String>,
    files: Files,
    /// The names that items mention and declare.
    names: Names,
    /// Items by the digest of what the parser sees of a file: headers look alike in most units.
    cache: Mutex<HashMap<String, Items>>,
    /// The first unit in turn that keeps the function at a place, by file and byte.
    taken: Mutex<HashMap<String, HashMap<usize, usize>>>,
    /// Units that are kept for the third pass.
    units: Mutex<Units>,
    kept_bytes: AtomicUsize,
    /// What is said of functions away from them.
    documented: Documented,
    /// Names that several functions have.
    ambiguous: BTreeSet<String>,
}

/// How many bytes of source text the units that are kept may have; the others are read twice.
const KEPT_BYTES: usize = 128 << 20;

impl Context<'_> {
    fn read(
        &self,
        root: &str,
        language: Language,
    ) -> Result<(TranslationUnit, Vec<Items>, Vec<bool>), unit::TooLarge> {
        let headers = self
            .headers
            .of(language)
            .expect("files of other languages are set aside before");
        let options = self.source.build().and_then(|build| build.options_of(root));
        let unit = unit::read_as_built(
            root,
            &self.files,
            headers,
            options.unwrap_or(&CompileOptions::default()),
            &self.source.config().defines,
        )?;
        let (items, new) = unit
            .readings
            .iter()
            .map(|reading| self.items(reading, language))
            .unzip();
        Ok((unit, items, new))
    }

    /// A file that was read before.
    fn file(&self, path: &str) -> &SourceText {
        self.files
            .get(path)
            .expect("targets and readings are files")
    }

    /// Whether a unit that comes before this one in turn keeps the function at this place.
    fn is_taken(&self, path: &str, start: usize, turn: usize) -> bool {
        let taken = self.taken.lock().expect("no thread panics with the lock");
        let places = taken.get(path);
        places.is_some_and(|places| places.get(&start).is_some_and(|&first| first < turn))
    }

    fn take(&self, path: &str, starts: impl Iterator<Item = usize>, turn: usize) {
        let mut taken = self.taken.lock().expect("no thread panics with the lock");
        for start in starts {
            let places = taken.entry(path.to_owned()).or_default();
            let first = places.entry(start).or_insert(turn);
            *first = turn.min(*first);
        }
    }

    /// Keeps a unit for the third pass, while there is room.
    fn keep(&self, root: &str, language: Language, unit: TranslationUnit, items: Vec<Items>) {
        let bytes: usize = unit
            .readings
            .iter()
            .map(|reading| reading.marks.len())
            .sum();
        let kept = self.kept_bytes.fetch_add(bytes, Ordering::Relaxed);
        if kept + bytes <= KEPT_BYTES {
            let mut units = self.units.lock().expect("no thread panics with the lock");
            units.insert((root.to_owned(), language), (unit, items));
        }
    }

    /// The items of a reading, and whether it is the first that looks like this.
    fn items(&self, reading: &unit::Reading, language: Language) -> (Items, bool) {
        // Whether a header was included before or here makes no difference to the parser.
        let seen = |mark| match mark {
            Mark::Code | Mark::Hidden | Mark::Scope => mark as u8,
            _ => Mark::Off as u8,
        };
        let marks: Vec<u8> = reading.marks.iter().map(|&mark| seen(mark)).collect();
        let key = Digest::new("marks")
            .field(language.name())
            .field(&reading.file.path)
            .field(&marks)
            .hex();
        if let Some(known) = self
            .cache
            .lock()
            .expect("no thread panics with the lock")
            .get(&key)
        {
            return (known.clone(), false);
        }
        let mut items = items::items_of(reading, language);
        let mut table = self.names.table();
        for item in &mut items {
            item.number(&mut table);
        }
        drop(table);
        let items = Arc::new(items);
        let before = self
            .cache
            .lock()
            .expect("no thread panics with the lock")
            .insert(key, items.clone());
        (items, before.is_none())
    }

    #[expect(clippy::too_many_arguments, reason = "the columns of one row")]
    fn refuse(
        &self,
        extraction: &mut Outcome<Vec<Function>>,
        name: Option<&str>,
        path: &str,
        start_line: u32,
        end_line: u32,
        reason: Reason,
        detail: String,
    ) {
        let row = SetAside {
            origin: Some(origin(self.source, path, start_line, end_line)),
            name: name.filter(|name| !name.is_empty()).map(str::to_owned),
            ..SetAside::new(Stage::Extract, "function", reason, detail)
        };
        extraction.set_aside("functions", row);
    }

    fn refuse_found(
        &self,
        extraction: &mut Outcome<Vec<Function>>,
        found: &Found,
        reason: Reason,
        detail: String,
    ) {
        let (start, end) = (found.start_line, found.end_line);
        self.refuse(
            extraction,
            Some(&found.name),
            &found.path,
            start,
            end,
            reason,
            detail,
        );
    }
}
