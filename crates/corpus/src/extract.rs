//! A source → its functions, and what was set aside.
//!
//! Each front end reads the files that are its own and finds their functions. Doubles are dropped, a sample is drawn
//! where the recipe limits the source, and each front end closes what is left of its functions.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{
    Closure, Digest, DocComment, Function, FunctionKind, Id, Language, Outcome, Reason, References,
    SetAside, Stage,
};
use barecode_sources::{FileRule, Readable, Source, SourceConfig, origin, readable};
use serde::{Deserialize, Serialize};

use crate::front_end::{Asked, FRONT_ENDS, of_file, of_function};
use crate::preprocess::headers::{Dialects, MoreHeaders};
use crate::scripts::Profile;

pub(crate) mod c_like;
pub(crate) mod python;
pub(crate) mod scripts;
pub(crate) mod tree;
mod written;

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

impl ExtractConfig {
    /// What is said of a closure that reached this much, if that is more than the recipe allows.
    fn refuses(&self, bytes: usize, items: usize) -> Option<String> {
        let is_too_large =
            bytes > self.max_closure_bytes as usize || items > self.max_closure_items as usize;
        is_too_large.then(|| self.reached(bytes, items))
    }

    fn reached(&self, bytes: usize, items: usize) -> String {
        format!(
            "reached {bytes} bytes in {items} items, the limits are {} and {}",
            self.max_closure_bytes, self.max_closure_items
        )
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
        kept: Readable { texts, mined },
        set_aside,
        mut counts,
    } = readable(source, config.max_file_bytes);
    counts.entry("functions".to_owned()).or_default();
    let mut extraction = Outcome {
        kept: Vec::new(),
        set_aside,
        counts,
    };
    let mut files = FRONT_ENDS.map(|_| Vec::new());
    for (path, text) in texts {
        files[of_file(&path, config)].push((path, text));
    }
    let asked = Asked {
        source,
        config,
        headers,
        mined: &mined,
    };
    let (mut all, mut closes) = (Vec::new(), Vec::new());
    for (front_end, files) in FRONT_ENDS.iter().zip(files) {
        let (found, close) = front_end.find(asked, files, &mut extraction);
        all.extend(found);
        closes.push(close);
    }
    let mut drawn = FRONT_ENDS.map(|_| Vec::new());
    for found in sample(source, all, seed, wanted, &mut extraction) {
        drawn[of_function(found.language, found.kind)].push(found);
    }
    for (close, drawn) in closes.into_iter().zip(drawn) {
        for (found, function) in close(drawn) {
            match function {
                Ok(function) => extraction.keep("functions", function),
                Err(bound) => {
                    found.refuse(source, &mut extraction, Reason::ClosureTooLarge, bound);
                }
            }
        }
    }
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

/// What is found without doubles, and no more of it than the recipe's limit.
fn sample(
    source: &Source,
    found: Vec<Found>,
    seed: u64,
    wanted: &dyn Fn(Drawn<'_>) -> bool,
    extraction: &mut Outcome<Vec<Function>>,
) -> Vec<Found> {
    let mut first_place: BTreeMap<String, String> = BTreeMap::new();
    let mut kept = Vec::new();
    for found in found {
        if let Some((reason, detail)) = found.refused.clone() {
            found.refuse(source, extraction, reason, detail);
            continue;
        }
        let tokens = lex(&found.text);
        let tokens = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Newline);
        let digest = Digest::new("tokens")
            .fields(tokens.map(|token| token.text(&found.text)))
            .hex();
        let place = format!("{}:{}", found.path, found.start_line);
        // The published rules know no doubles.
        let first = first_place.get(&digest);
        if let Some(first) = first.filter(|_| found.kind != FunctionKind::Lines) {
            let detail = format!("of {first}");
            found.refuse(source, extraction, Reason::Duplicate, detail);
        } else {
            first_place.insert(digest, place);
            kept.push(found);
        }
    }
    let Some(limit) = source
        .config()
        .limit
        .map(|limit| limit as usize)
        .filter(|&limit| limit < kept.len())
    else {
        return kept;
    };
    let documented_first = source.config().documented_first;
    let turn = |found: &Found| {
        let id = found.id(source);
        let is_wanted = wanted(Drawn {
            id: &id,
            name: &found.name,
            path: &found.path,
            lines: (found.start_line, found.end_line),
        });
        let lot = Digest::new("sample").field(seed.to_le_bytes()).field(id);
        let undocumented = documented_first && found.doc.is_none();
        (!is_wanted, undocumented, lot.hex())
    };
    let mut lots: Vec<((bool, bool, String), Found)> = kept
        .into_iter()
        .map(|found| (turn(&found), found))
        .collect();
    lots.sort_by(|a, b| a.0.cmp(&b.0));
    for (_, found) in lots.split_off(limit) {
        let detail = format!("`limit = {limit}`");
        found.refuse(source, extraction, Reason::NotSampled, detail);
    }
    lots.into_iter().map(|(_, found)| found).collect()
}

/// A function that was found.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub(crate) root: String,
    pub(crate) language: Language,
    pub(crate) kind: FunctionKind,
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
    fn id(&self, source: &Source) -> Id {
        Function::id_of(source.label(), &self.path, &self.name, &self.text)
    }

    /// The function with what it needs.
    fn closed(
        &self,
        source: &Source,
        qualified_name: String,
        docs: Vec<DocComment>,
        (closure, references): (Closure, References),
    ) -> Function {
        Function {
            id: self.id(source),
            origin: origin(source, &self.path, self.start_line, self.end_line),
            language: self.language,
            name: self.name.clone(),
            qualified_name,
            kind: self.kind,
            is_template: self.is_template,
            translation_unit: self.root.clone(),
            text: self.text.clone(),
            docs,
            references,
            closure,
        }
    }

    fn refuse(
        &self,
        source: &Source,
        extraction: &mut Outcome<Vec<Function>>,
        reason: Reason,
        detail: String,
    ) {
        let lines = (self.start_line, self.end_line);
        let row = refused(source, &self.path, lines, &self.name, (reason, detail));
        extraction.set_aside("functions", row);
    }
}

/// The row of a function that is left out.
fn refused(
    source: &Source,
    path: &str,
    (start, end): (u32, u32),
    name: &str,
    (reason, detail): (Reason, String),
) -> SetAside {
    SetAside {
        origin: Some(origin(source, path, start, end)),
        name: (!name.is_empty()).then(|| name.to_owned()),
        ..SetAside::new(Stage::Extract, "function", reason, detail)
    }
}

/// Leaves out a file that was counted as kept.
fn refuse_file(
    source: &Source,
    path: &str,
    (reason, detail): (Reason, String),
    extraction: &mut Outcome<Vec<Function>>,
) {
    let row = SetAside {
        origin: Some(origin(source, path, 1, 1)),
        ..SetAside::new(Stage::Extract, "file", reason, detail)
    };
    extraction.set_aside_kept("files", row);
}
