//! A benchmark to findings: the audit of any dataset.
//!
//! Enters: a [`Benchmark`], whatever files it came from. Leaves: [`Finding`]s: its faults and facts worth knowing,
//! with counts, three examples and a severity. Each check is a [`Rule`] with a code and a page. Rules are in files by
//! their subject:
//!
//! - `twins` (BA0): documents that no model can distinguish
//! - `leaks` (BA1): names and sentences that query and answer share
//! - `residue`, `boilerplate` (BA2): the residue of the source under a setting, and text that is not the document's
//!   own
//! - `probe` (BA3): labels that the layout predicts
//! - `duplicates`, `near_queries` (BA4): the same question or pair again
//! - `damage` (BA5): empty, cut, unbalanced, mis-encoded texts
//! - `provenance`, `overlap`, `sampling` (BA6): repositories, splits, licenses, candidate pools
//! - `judgments`, `telling_ids` (BA7): answers, ids, grades, titles
//!
//! The hard part is to report nothing for a set that is sound: each rule has a threshold that its page states, and a
//! text that cannot be judged is not counted. Everything that a rule needs of a text is computed once (`text`); no
//! rule compares all pairs.
//!
//! [`audit_settings`] is another audit, for the variants of a run, whose origin is known.
//!
//! This crate reads no files, scores no model, and repairs nothing.

mod rule;
mod text;
mod renamed;
mod look;
mod logistic;
mod twins;
mod leaks;
mod residue;
mod boilerplate;
mod probe;
mod duplicates;
mod names_left;
mod near_queries;
mod damage;
mod provenance;
mod overlap;
mod sampling;
mod judgments;
mod telling_ids;
mod left;
mod settings;

use std::fmt::Write as _;

use barecode_formats::{Benchmark, Kind};
use serde::Serialize;

pub use left::{Left, LeftOf, MOST_LEFT, OwnNames, left};
pub use look::Leaking;
pub use rule::{Example, Finding, Rule, Severity};
pub use settings::{BOILERPLATE, Boilerplate, Residue, SettingAudit, audit_settings};

use look::Look;
use rule::Report;

/// For each subset of a benchmark the one that shows the same documents as they were written, by index; `None` for
/// those that are originals themselves, and for those that are not a setting of another.
///
/// Two subsets are settings of each other if they share most ids and their queries; the original is the one with such
/// a name (`original`, `standard`), or else the one whose answers share most words with their queries.
///
/// ```
/// use barecode_audit::originals;
/// use barecode_formats::Benchmark;
/// assert!(originals(&Benchmark::default()).is_empty());
/// ```
pub fn originals(benchmark: &Benchmark) -> Vec<Option<usize>> {
    let look = Look::at(benchmark, 0);
    look.subsets.iter().map(|subset| subset.original).collect()
}

/// All rules, in order of their codes.
static RULES: [&Rule; 45] = [
    &twins::IDENTICAL,
    &twins::ALIKE,
    &twins::SHARED,
    &twins::SEEN,
    &twins::RENAMED,
    &leaks::KEPT,
    &leaks::LOST,
    &leaks::VERBATIM,
    &residue::COMMENTS,
    &residue::STRINGS,
    &residue::CONDITIONS,
    &residue::ADDRESSES,
    &boilerplate::BOILERPLATE,
    &boilerplate::TRIVIAL,
    &boilerplate::PREFIX,
    &names_left::NAMES_LEFT,
    &probe::MATCHING,
    &probe::ANSWERS,
    &duplicates::QUERIES,
    &duplicates::PAIRS,
    &duplicates::ANSWERS,
    &duplicates::CONFLICTS,
    &near_queries::NEAR,
    &damage::EMPTY,
    &damage::CUT,
    &damage::UNBALANCED,
    &damage::MOJIBAKE,
    &damage::CONTROL,
    &damage::OUTLIERS,
    &damage::FLAT,
    &damage::SWAPPED,
    &provenance::REPOSITORIES,
    &overlap::OVERLAP,
    &provenance::LICENSES,
    &provenance::LANGUAGES,
    &sampling::NEIGHBORS,
    &sampling::POOLS,
    &judgments::UNANSWERED,
    &judgments::UNKNOWN,
    &judgments::GRADES,
    &judgments::SELF,
    &judgments::TITLES,
    &judgments::IDS,
    &telling_ids::IN_TEXT,
    &telling_ids::ORDER,
];

/// The scope of an audit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditConfig {
    /// Codes, beginnings of codes (`BA5`) or names of the rules to apply; all if empty.
    pub select: Vec<String>,
    /// Codes, beginnings of codes or names of rules to leave out.
    pub ignore: Vec<String>,
    /// The seed of the samples and permutations of the probes.
    pub seed: u64,
}

impl Default for AuditConfig {
    fn default() -> Self {
        AuditConfig {
            select: Vec::new(),
            ignore: Vec::new(),
            seed: 1,
        }
    }
}

impl AuditConfig {
    /// Returns `true` if a rule is to be applied.
    pub fn applies(&self, rule: &Rule) -> bool {
        let named = |names: &[String]| names.iter().any(|name| is_named(rule, name));
        (self.select.is_empty() || named(&self.select)) && !named(&self.ignore)
    }

    /// The first name that no rule has.
    pub fn unknown(&self) -> Option<&str> {
        let mut names = self.select.iter().chain(&self.ignore);
        names
            .find(|name| !rules().iter().any(|rule| is_named(rule, name)))
            .map(String::as_str)
    }
}

fn is_named(rule: &Rule, name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    upper.len() >= 2 && rule.code.starts_with(&upper) || rule.name == name
}

/// The results for a benchmark.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct DatasetAudit {
    /// The benchmark's name.
    pub name: String,
    /// The subsets that were audited.
    pub subsets: Vec<SubsetSize>,
    /// The codes of the rules that were applied.
    pub applied: Vec<&'static str>,
    /// The findings: by rule, then by subset, in their order.
    pub findings: Vec<Finding>,
    /// The queries that contain a name of their answer; empty if neither BA101 nor BA102 is applied. A query that is
    /// not in the list leaks no name.
    pub leaks: Vec<Leaking>,
}

/// The size of a subset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SubsetSize {
    /// Its label: the name, with the split if the name alone is not unique.
    pub subset: String,
    /// Its split.
    pub split: String,
    /// The task of a model.
    pub kind: Kind,
    /// Number of documents.
    pub documents: usize,
    /// Number of queries.
    pub queries: usize,
    /// Number of judgments.
    pub judgments: usize,
    /// The subset that shows the same documents as they were written.
    pub original: Option<String>,
}

impl DatasetAudit {
    /// The worst severity of all findings; `None` without findings.
    pub fn worst(&self) -> Option<Severity> {
        self.findings.iter().map(|finding| finding.severity).max()
    }
}

/// All rules, in order of their codes.
pub fn rules() -> &'static [&'static Rule] {
    &RULES
}

/// The rule with a code or a name.
pub fn rule(name: &str) -> Option<&'static Rule> {
    let of_name = |rule: &&&Rule| rule.code.eq_ignore_ascii_case(name) || rule.name == name;
    RULES.iter().find(of_name).copied()
}

/// The pages of all rules as one Markdown text, which is `docs/src/reference/audit.md`.
pub fn pages() -> String {
    let mut text = String::from(
        "# The rules of `barecode audit`\n\nThis page is generated from the doc comments of the rules; `barecode audit --explain CODE` prints a part of it.\n\
         A finding has one of three levels:\n\n- a note is good to know;\n- a warning means that some scores do not measure what they are named after;\n- a defect means that scores cannot be compared with those of a sound dataset.\n\n| code | name | check |\n| --- | --- | --- |\n",
    );
    for rule in rules() {
        let (code, name, summary) = (rule.code, rule.name, rule.summary());
        writeln!(text, "| {code} | `{name}` | {summary} |").expect("memory takes any text");
    }
    for rule in rules() {
        text.push('\n');
        text.push_str(&rule.page());
    }
    text
}

/// Audits a benchmark. `tell` receives each rule before it is applied.
///
/// The result depends on the benchmark and the configuration only, on any number of threads.
///
/// ```
/// use barecode_audit::{AuditConfig, audit_benchmark};
/// use barecode_formats::{Benchmark, Document, Judgment, Query, Subset};
///
/// let mut subset = Subset::new("default", "test");
/// for id in ["a", "b"] {
///     subset.documents.push(Document { id: id.into(), text: "int f(void) { return 1; }".into(), ..Document::default() });
/// }
/// subset.queries.push(Query { id: "q".into(), text: "returns one".into(), ..Query::default() });
/// subset.judgments.push(Judgment { query: "q".into(), document: "a".into(), grade: 1 });
/// let benchmark = Benchmark { subsets: vec![subset], ..Benchmark::default() };
/// let audit = audit_benchmark(&benchmark, &AuditConfig::default(), &mut |_| ());
/// assert_eq!(audit.findings[0].code, "BA001");
/// assert_eq!(audit.findings[0].numbers[2], ("best R@1", 0.5));
/// ```
pub fn audit_benchmark(
    benchmark: &Benchmark,
    config: &AuditConfig,
    tell: &mut dyn FnMut(&Rule),
) -> DatasetAudit {
    let look = Look::at(benchmark, config.seed);
    let (mut findings, mut applied) = (Vec::new(), Vec::new());
    for rule in RULES.iter().filter(|rule| config.applies(rule)) {
        tell(rule);
        applied.push(rule.code);
        (rule.check)(
            &look,
            &mut Report {
                rule,
                findings: &mut findings,
            },
        );
    }
    let wants_leaks = config.applies(&leaks::KEPT) || config.applies(&leaks::LOST);
    let sizes = look.subsets.iter().map(|subset| SubsetSize {
        subset: subset.label.clone(),
        split: subset.subset.split.clone(),
        kind: subset.subset.kind,
        documents: subset.subset.documents.len(),
        queries: subset.subset.queries.len(),
        judgments: subset.subset.judgments.len(),
        original: subset
            .original
            .map(|original| look.subsets[original].label.clone()),
    });
    DatasetAudit {
        name: look.benchmark.name.clone(),
        subsets: sizes.collect(),
        applied,
        findings,
        leaks: if wants_leaks {
            leaks::leaking(&look).to_vec()
        } else {
            Vec::new()
        },
    }
}
