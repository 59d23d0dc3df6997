//! A probe: pairs of programs, their similarity for a model, and the measures of it (pydra, section 5).

use serde::{Deserialize, Serialize};

use crate::Id;
use crate::python::CloneType;

words! {
    /// The relation of the second text of a pair to the first one.
    pub enum Relation {
        /// It does the same.
        Clone = "clone",
        /// It is the same but for a mistake.
        Bug = "bug",
        /// It solves the same problem, by another author.
        Alternate = "alternate",
        /// It solves another problem, and was drawn.
        Random = "random",
        /// It solves another problem, and is among those most like the first one.
        Nearest = "nearest",
    }
}

/// A program of a probe (`05-dataset/<subset>/programs.parquet`); its text is a document of the subset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeProgram {
    /// The program.
    pub id: Id,
    /// The problem that it solves; programs of different problems make random pairs.
    pub problem: String,
    /// Its length in tokens of Python.
    pub tokens: u32,
    /// Its number of lines.
    pub lines: u32,
}

/// A program with something made of it (`05-dataset/<subset>/probe.parquet`); the texts are documents of the subset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbePair {
    /// The program.
    pub program_id: Id,
    /// The other text.
    pub other_id: Id,
    /// Its relation to the program.
    pub relation: Relation,
    /// The type of a clone.
    pub clone_type: Option<CloneType>,
    /// The pipeline that made it.
    pub pipeline: Option<String>,
    /// The draw of the pipeline.
    pub draw: Option<u32>,
    /// The transforms that were applied, in their order.
    pub transforms: Vec<String>,
    /// The number of changed ranges.
    pub places: u32,
    /// The number of changed nodes that only the tests vouch for.
    pub by_tests_only: u32,
    /// The other text's length in tokens of Python.
    pub tokens: u32,
    /// Its number of lines.
    pub lines: u32,
}

/// The similarity of two texts for a model (`06-runs/<retriever>/<subset>.parquet`, where the subset is a probe).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Similarity {
    /// The program.
    pub program_id: Id,
    /// The other text.
    pub other_id: Id,
    /// Its relation to the program.
    pub relation: Relation,
    /// The cosine of their vectors.
    pub similarity: f64,
}

/// A number of a probe (`07-scores/probe.parquet`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProbeScore {
    /// The retriever's name.
    pub retriever: String,
    /// The subset.
    pub subset: String,
    /// The measure: `similarity`, `accuracy`, `top-1`, ….
    pub measure: String,
    /// The relation of its pairs.
    pub relation: Option<Relation>,
    /// The pipeline of the clones, or of the one kind of pair that it is about.
    pub pipeline: Option<String>,
    /// The pipeline of the bugs that clones are compared with.
    pub against: Option<String>,
    /// A transform, where it is about one.
    pub transform: Option<String>,
    /// The first length of the bin of the program.
    pub bin: Option<u32>,
    /// The first length of the bin of the other text.
    pub other_bin: Option<u32>,
    /// The number.
    pub value: f64,
    /// Lower end of its interval.
    pub low: f64,
    /// Upper end of its interval.
    pub high: f64,
    /// The standard deviation, of a mean of similarities.
    pub deviation: Option<f64>,
    /// Number of pairs or programs.
    pub n: u64,
    /// Programs that could not take part.
    pub missing: u64,
}
