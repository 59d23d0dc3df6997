//! The part of a card about a probe: programs, their clones and bugs.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use barecode_records::python::{CloneType, PublishedKind, Safety, VariantKind};
use barecode_records::{Relation, Split};

use super::NamedTable;
use crate::CORPUS_FILE;

/// The file of a probe's programs, in the folder of its subset.
pub const PROGRAMS_FILE: &str = "programs.parquet";

/// The file of a probe's pairs.
pub const PROBE_FILE: &str = "probe.parquet";

/// The facts of the card about a probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProbeFacts {
    /// Its subset.
    pub subset: String,
    /// The interpreter that ran the programs, with its sandbox: `CPython 3.11.7 (landlock, seccomp, …)`.
    pub python: Vec<String>,
    /// Programs and documents, by data set and license.
    pub sources: BTreeMap<(String, Option<String>), SourceFacts>,
    /// The output of the pipelines, in the order of the recipe.
    pub pipelines: Vec<PipelineFacts>,
    /// Pairs of two solutions of one problem.
    pub alternates: usize,
    /// The criteria by which two solutions of one problem are near-duplicates, any of these: `above 0.5 by shingles`.
    pub near_duplicates: Vec<String>,
}

/// The content of a probe from a data set under a license.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SourceFacts {
    /// Programs.
    pub programs: usize,
    /// Programs with their clones and bugs.
    pub documents: usize,
}

/// The output of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipelineFacts {
    /// Its name.
    pub name: String,
    /// The kind of its variants.
    pub kind: VariantKind,
    /// Which forms of rewrites it may use.
    pub safety: Safety,
    /// Pairs of a program and a variant.
    pub pairs: usize,
    /// The types of clones among them.
    pub clone_types: BTreeMap<CloneType, usize>,
    /// Pairs with a change that only the tests vouch for.
    pub by_tests_only: usize,
    /// The number of bugs among them by kind of failure.
    pub faults: BTreeMap<&'static str, usize>,
}

impl ProbeFacts {
    /// The number of programs.
    pub fn programs(&self) -> usize {
        self.sources.values().map(|source| source.programs).sum()
    }

    /// The number of documents.
    pub fn documents(&self) -> usize {
        self.sources.values().map(|source| source.documents).sum()
    }

    /// The number of pairs.
    pub fn pairs(&self) -> usize {
        let made: usize = self.pipelines.iter().map(|pipeline| pipeline.pairs).sum();
        made + self.alternates
    }
}

/// The tables of a probe as the card names them.
pub(super) fn tables(facts: &ProbeFacts) -> [NamedTable; 3] {
    let subset = &facts.subset;
    let table = |suffix: &str, file: &str, rows: usize| NamedTable {
        config: format!("{subset}-{suffix}"),
        split: Split::Test,
        path: format!("{subset}/{file}"),
        rows,
    };
    [
        table("corpus", CORPUS_FILE, facts.documents()),
        table("programs", PROGRAMS_FILE, facts.programs()),
        table("pairs", PROBE_FILE, facts.pairs()),
    ]
}

/// The section of a probe.
pub(super) fn section(out: &mut String, facts: &ProbeFacts) -> fmt::Result {
    let ProbeFacts { subset, .. } = facts;
    writeln!(out, "## Programs, clones and bugs\n")?;
    writeln!(
        out,
        "The subset `{subset}` has {} programs in Python, each with tests that it passes, and {} pairs of a program and another text, for a probe: \
         a model that knows what code does finds a program more like its clone than like its bug.",
        facts.programs(),
        facts.pairs()
    )?;
    match facts.python.as_slice() {
        [] => {}
        pythons => writeln!(
            out,
            "Programs, clones and bugs were run with the same tests by {}.",
            pythons.join(" and by ")
        )?,
    }
    writeln!(
        out,
        "\n- **{}**: does the same as its program. Transforms made it that keep the meaning as far as analysis shows, and it passed every test of the program. \
         Type II differs in names only, type III in statements, too.\n\
         - **{}**: the same as its program but for mistakes that transforms made, and it failed a test of the program. \
         Bugs that are *published* are the data set's own: a `buggy-solution` has a mistake that a person made on purpose, an `incorrect-solution` is what somebody else wrote for the problem.\n\
         - **{}**: another solution of the same problem from the data set, which passed the same kind of tests{}.\n\
         - **{}**: two programs of different problems. These pairs are in no table: a probe draws them by its seed.\n",
        Relation::Clone.name(),
        Relation::Bug.name(),
        Relation::Alternate.name(),
        match facts.near_duplicates.as_slice() {
            [] => String::new(),
            near => format!(
                "; near-duplicates, with a similarity {}, are left out",
                near.join(", or ")
            ),
        },
        Relation::Random.name(),
    )?;
    writeln!(out, "| pairs | rewrites | number | of which |")?;
    writeln!(out, "| --- | --- | ---: | --- |")?;
    for pipeline in &facts.pipelines {
        writeln!(
            out,
            "| {} by `{}` | {} | {} | {} |",
            match pipeline.kind {
                VariantKind::Clone => Relation::Clone.name(),
                VariantKind::Bug => Relation::Bug.name(),
            },
            pipeline.name,
            match (pipeline.kind, pipeline.safety) {
                (VariantKind::Bug, _) if PublishedKind::named(&pipeline.name).is_some() =>
                    "published",
                (VariantKind::Bug, _) => "mistakes",
                (VariantKind::Clone, Safety::Safe) => "safe",
                (VariantKind::Clone, Safety::Paper) => "looser, as in pydra",
            },
            pipeline.pairs,
            of_which(pipeline)
        )?;
    }
    if facts.alternates > 0 {
        let name = Relation::Alternate.name();
        writeln!(out, "| {name} | – | {} | |", facts.alternates)?;
    }
    writeln!(
        out,
        "\nTests show that a bug differs; that a clone does not, they can only make likely.\n\n\
         ```python\nfrom datasets import load_dataset\n\n\
         texts = load_dataset(folder, \"{subset}-corpus\", split=\"test\")       # id, text, where it is from\n\
         programs = load_dataset(folder, \"{subset}-programs\", split=\"test\")  # id, problem, tokens, lines\n\
         pairs = load_dataset(folder, \"{subset}-pairs\", split=\"test\")        # program_id, other_id, relation, pipeline, …\n```\n"
    )
}

fn of_which(pipeline: &PipelineFacts) -> String {
    let types = pipeline.clone_types.iter();
    let mut parts: Vec<String> = types
        .map(|(kind, count)| format!("{count} of type {kind:?}"))
        .collect();
    if pipeline.by_tests_only > 0 {
        let count = pipeline.by_tests_only;
        parts.push(format!(
            "{count} with changes that only the tests vouch for"
        ));
    }
    let faults = pipeline.faults.iter();
    parts.extend(faults.map(|(fault, count)| format!("{count} fail by {fault}")));
    parts.join(", ")
}
