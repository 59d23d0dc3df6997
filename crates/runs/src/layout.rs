//! The layout of a run: the files that the stages write, and typed reads of them.
//!
//! Enters: a run folder and the requested table. Leaves: rows. Stages write below the paths that are named here, and
//! stages and commands read through [`Layout`] only, so the bytes of every table are checked before its rows are used
//! (see [`table`]). It decides nothing: whether a stage is current is the engine's question.

use std::ops::Range;
use std::path::{Path, PathBuf};

use barecode_dataset::{
    CORPUS_FILE, PAIRS_FILE, PROBE_FILE, PROGRAMS_FILE, QRELS_FILE, QUERIES_FILE, STATISTICS_FILE,
    SUBSETS_FILE, TRAIN_FILE,
};
use barecode_records::python::{Program, ProgramVariant};
use barecode_records::{
    Difference, Function, ListedSubset, Pair, ProbeScore, Query, QueryScore, Record, Score,
    SetAside, SetDifference, SettingDrop, SourceName, Split, Stage, Statistic, SubsetKind,
    TableError, Unit, Variant, table,
};

use crate::run_folder::RunFolder;

/// The report's page.
pub const PAGE: &str = "index.html";

/// The tables of `07-scores`.
pub const SCORES: &str = "scores.parquet";
/// The scores of each query.
pub const QUERY_SCORES: &str = "queries.parquet";
/// The cost of each setting.
pub const DROPS: &str = "drops.parquet";
/// Differences between retrievers.
pub const DIFFERENCES: &str = "differences.parquet";
/// Scores by set of queries.
pub const SETS: &str = "sets.parquet";
/// Answers of the probe.
pub const PROBE: &str = "probe.parquet";

/// The folder of records that were left out, in the folder of a stage. Readers that take a folder as one table
/// (Arrow, pandas, Spark) pass over names with an underscore before them.
const SET_ASIDE: &str = "_set-aside";

/// `part-00007.parquet`, the table of a shard.
pub fn part(number: usize) -> PathBuf {
    PathBuf::from(format!("part-{number:05}.parquet"))
}

/// The folder of programs, in the folder of a stage.
const PROGRAMS: &str = "programs";

/// `programs/part-00007.parquet`, a table of programs.
pub fn program_part(number: usize) -> PathBuf {
    Path::new(PROGRAMS).join(part(number))
}

/// Returns `true` if a table of a stage lists the records that were left out.
pub fn is_set_aside(file: &Path) -> bool {
    file.starts_with(SET_ASIDE)
}

/// The folder of the names of sources, in the folder of a stage.
const NAMES: &str = "_names";

/// `_names/part-00007.parquet`, the names of the source of a table of functions.
pub fn names_of(part: &Path) -> PathBuf {
    Path::new(NAMES).join(part)
}

/// `_set-aside/part-00007.parquet`, the records that the shard left out.
pub fn set_aside_of(part: &Path) -> PathBuf {
    Path::new(SET_ASIDE).join(part)
}

/// A subset's documents, below the folder of the dataset.
pub fn corpus_of(subset: &str) -> PathBuf {
    Path::new(subset).join(CORPUS_FILE)
}

/// A subset's queries.
pub fn queries_of(subset: &str) -> PathBuf {
    Path::new(subset).join(QUERIES_FILE)
}

/// A subset's judgments.
pub fn judgments_of(subset: &str) -> PathBuf {
    Path::new(subset).join(QRELS_FILE)
}

/// The programs of a probe.
pub fn programs_of(subset: &str) -> PathBuf {
    Path::new(subset).join(PROGRAMS_FILE)
}

/// The pairs of a probe.
pub fn probe_pairs_of(subset: &str) -> PathBuf {
    Path::new(subset).join(PROBE_FILE)
}

/// A subset's pairs of one split.
pub fn pairs_of(subset: &str, split: Split) -> PathBuf {
    Path::new(subset).join(match split {
        Split::Test => PAIRS_FILE,
        Split::Train => TRAIN_FILE,
    })
}

/// The name of the probe of a folder, if it is a dataset as `assemble` leaves it and has one.
///
/// # Errors
/// If the list of its subsets cannot be read.
pub fn probe_of(dataset: &Path) -> Result<Option<String>, TableError> {
    let list = dataset.join(SUBSETS_FILE);
    if !list.is_file() {
        return Ok(None);
    }
    let subsets: Vec<ListedSubset> = table::read(&list)?;
    let mut probes = subsets
        .into_iter()
        .filter(|one| one.kind == SubsetKind::Probe);
    Ok(probes.next().map(|one| one.name))
}

/// The content of one run.
#[derive(Debug, Clone, Copy)]
pub struct Layout<'a> {
    folder: &'a RunFolder,
}

impl RunFolder {
    /// Returns its layout.
    pub fn layout(&self) -> Layout<'_> {
        Layout { folder: self }
    }
}

impl Layout<'_> {
    /// All functions.
    pub fn functions(self) -> Result<Vec<Function>, TableError> {
        self.parts(Stage::Extract)
    }

    /// Some functions of one source, by the number of its table's rows.
    pub fn functions_in(self, part: &Path, rows: Range<u64>) -> Result<Vec<Function>, TableError> {
        table::read_range(&self.folder.stage(Stage::Extract).join(part), rows)
    }

    /// The names of all sources, one by one: a large source has a million of them.
    pub fn each_name(self, see: &mut dyn FnMut(&SourceName)) -> Result<(), TableError> {
        let folder = self.folder.stage(Stage::Extract).join(NAMES);
        for table in self.folder.tables(Stage::Extract) {
            if table.parent() == Some(&folder) {
                each_name(&table, see)?;
            }
        }
        Ok(())
    }

    /// The names of a table of them, one by one.
    pub fn each_name_in(
        self,
        names: &Path,
        see: &mut dyn FnMut(&SourceName),
    ) -> Result<(), TableError> {
        each_name(&self.folder.stage(Stage::Extract).join(names), see)
    }

    /// All units.
    pub fn units(self) -> Result<Vec<Unit>, TableError> {
        self.parts(Stage::Check)
    }

    /// All variants.
    pub fn variants(self) -> Result<Vec<Variant>, TableError> {
        self.parts(Stage::Vary)
    }

    /// All programs of a stage.
    pub fn programs(self, stage: Stage) -> Result<Vec<Program>, TableError> {
        self.in_folder(stage, &self.folder.stage(stage).join(PROGRAMS))
    }

    /// Some chosen programs of a table, by the number of its rows.
    pub fn programs_in(self, part: &Path, rows: Range<u64>) -> Result<Vec<Program>, TableError> {
        table::read_range(&self.folder.stage(Stage::Choose).join(part), rows)
    }

    /// All clones and bugs of programs.
    pub fn program_variants(self) -> Result<Vec<ProgramVariant>, TableError> {
        self.in_folder(Stage::Vary, &self.folder.stage(Stage::Vary).join(PROGRAMS))
    }

    /// All queries as they were made.
    pub fn queries(self) -> Result<Vec<Query>, TableError> {
        self.parts(Stage::Query)
    }

    /// All that a stage left out.
    pub fn set_aside(self, stage: Stage) -> Result<Vec<SetAside>, TableError> {
        let folder = self.folder.stage(stage).join(SET_ASIDE);
        let mut rows = self.in_folder(stage, &folder)?;
        rows.extend(self.in_folder::<SetAside>(stage, &folder.join(PROGRAMS))?);
        Ok(rows)
    }

    /// The rows of some tables of a stage, one after the other.
    pub fn rows<T: Record>(
        self,
        stage: Stage,
        files: impl IntoIterator<Item = impl AsRef<Path>>,
    ) -> Result<Vec<T>, TableError> {
        let mut rows = Vec::new();
        for file in files {
            rows.extend(self.table::<T>(stage, file)?);
        }
        Ok(rows)
    }

    /// The rows of a table of a stage; `None` if it does not exist.
    pub fn rows_if_any<T: Record>(
        self,
        stage: Stage,
        file: &Path,
    ) -> Result<Option<Vec<T>>, TableError> {
        if !self.folder.stage(stage).join(file).is_file() {
            return Ok(None);
        }
        Ok(Some(self.table(stage, file)?))
    }

    /// Returns `true` if a dataset exists.
    pub fn has_dataset(self) -> bool {
        self.has(Stage::Assemble, STATISTICS_FILE)
    }

    /// The subsets of the dataset, in their order.
    pub fn subsets(self) -> Result<Vec<ListedSubset>, TableError> {
        self.table(Stage::Assemble, SUBSETS_FILE)
    }

    /// The judgments of a split with their texts.
    pub fn pairs(self, subset: &str, split: Split) -> Result<Vec<Pair>, TableError> {
        self.table(Stage::Assemble, pairs_of(subset, split))
    }

    /// The numbers of the dataset.
    pub fn statistics(self) -> Result<Vec<Statistic>, TableError> {
        self.table(Stage::Assemble, STATISTICS_FILE)
    }

    /// Returns `true` if scores exist.
    pub fn has_scores(self) -> bool {
        self.has(Stage::Score, SCORES)
    }

    /// The means.
    pub fn scores(self) -> Result<Vec<Score>, TableError> {
        self.table(Stage::Score, SCORES)
    }

    /// The scores of every query.
    pub fn query_scores(self) -> Result<Vec<QueryScore>, TableError> {
        self.table(Stage::Score, QUERY_SCORES)
    }

    /// The scores of every query under a measure, or else under the main one, which is that of the first row.
    pub fn query_scores_of(self, measure: Option<&str>) -> Result<Vec<QueryScore>, TableError> {
        let path = self.folder.stage(Stage::Score).join(QUERY_SCORES);
        let mut wanted = measure.map(str::to_owned);
        let mut kept = Vec::new();
        table::read_batches::<QueryScore>(&path, |batch| {
            let mut rows = table::rows::<QueryScore>(batch)?;
            if let Some(first) = rows.first() {
                let wanted = wanted.get_or_insert_with(|| first.measure.clone());
                rows.retain(|row| row.measure == *wanted);
            }
            kept.append(&mut rows);
            Ok(())
        })?;
        Ok(kept)
    }

    /// The cost of settings.
    pub fn drops(self) -> Result<Vec<SettingDrop>, TableError> {
        self.table(Stage::Score, DROPS)
    }

    /// The differences between sets of queries.
    pub fn sets(self) -> Result<Vec<SetDifference>, TableError> {
        self.table(Stage::Score, SETS)
    }

    /// The numbers of probes; empty if nothing was probed.
    pub fn probe_scores(self) -> Result<Vec<ProbeScore>, TableError> {
        if self.has(Stage::Score, PROBE) {
            return self.table(Stage::Score, PROBE);
        }
        Ok(Vec::new())
    }

    /// The differences between retrievers.
    pub fn differences(self) -> Result<Vec<Difference>, TableError> {
        self.table(Stage::Score, DIFFERENCES)
    }

    /// The path of the report's page, which may not exist.
    pub fn page(self) -> PathBuf {
        self.folder.stage(Stage::Report).join(PAGE)
    }

    fn has(self, stage: Stage, file: &str) -> bool {
        self.folder.stage(stage).join(file).is_file()
    }

    fn table<T: Record>(self, stage: Stage, file: impl AsRef<Path>) -> Result<Vec<T>, TableError> {
        table::read(&self.folder.stage(stage).join(file))
    }

    /// The rows of all shards of a stage.
    fn parts<T: Record>(self, stage: Stage) -> Result<Vec<T>, TableError> {
        self.in_folder(stage, &self.folder.stage(stage))
    }

    fn in_folder<T: Record>(self, stage: Stage, folder: &Path) -> Result<Vec<T>, TableError> {
        let mut rows = Vec::new();
        for table in self.folder.tables(stage) {
            if table.parent() == Some(folder) {
                rows.extend(table::read::<T>(&table)?);
            }
        }
        Ok(rows)
    }
}

fn each_name(path: &Path, see: &mut dyn FnMut(&SourceName)) -> Result<(), TableError> {
    table::read_batches::<SourceName>(path, |batch| {
        table::rows::<SourceName>(batch)?.iter().for_each(&mut *see);
        Ok(())
    })
}
