//! The types that only programs with tests have (pydra): the program, its tests, and its clones and bugs.

use serde::{Deserialize, Serialize};

use crate::{Digest, Id, Origin, Span};

words! {
    /// The way a program is tested.
    pub enum TestKind {
        /// The program is run with an input, and its output is compared with the expected one.
        Stdio = "stdio",
        /// Test code calls functions of the program and asserts their return values.
        Asserts = "asserts",
        /// Functions `test_*` and classes `Test*` of test code, as pytest and unittest find them.
        Pytest = "pytest",
        /// Examples in the program's own docstrings.
        Doctest = "doctest",
    }
}

/// An input with its expected output, or an example of a docstring with the output it shows.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// The content of standard input, or the source of the example.
    pub input: String,
    /// The expected content of standard output.
    pub output: String,
}

/// The tests of a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tests {
    /// The way they are run.
    pub kind: TestKind,
    /// Code that program and tests both need before they start: imports, helper classes of a judge.
    pub setup: String,
    /// Test code (`asserts`, `pytest`).
    pub code: String,
    /// The name that test code imports the program under (`pytest`), or the function that its `check` is given
    /// (`asserts`).
    pub entry: Option<String>,
    /// Inputs with their outputs (`stdio`), or the examples (`doctest`).
    pub cases: Vec<Case>,
}

impl Tests {
    /// The digest of the fields that they depend on, for ids and keys.
    pub fn digest(&self) -> Digest {
        let cases = self.cases.iter();
        Digest::new("tests")
            .field(self.kind.name())
            .field(&self.setup)
            .field(&self.code)
            .field(self.entry.as_deref().unwrap_or_default())
            .fields(cases.flat_map(|case| [&case.input, &case.output]))
    }
}

/// A program with its tests (stages `01-functions`, `01-solutions` if it stays, `02-units` once it passes its tests).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// `p-…`, from source, problem and text.
    pub id: Id,
    /// Its origin.
    pub origin: Origin,
    /// The problem that it solves, as its source names it: `HumanEval/0`.
    pub problem: String,
    /// The problem in words, where the source has them.
    pub statement: Option<String>,
    /// The program that represents the problem, if this one is an alternate (pydra, appendix B.3); empty before
    /// `choose`.
    pub alternate_of: Option<Id>,
    /// The program after normalization (pydra, appendix B.2).
    pub text: String,
    /// The parts that normalization changed: `tabs`, `comments`, ….
    pub normalized: Vec<String>,
    /// Its tests.
    pub tests: Tests,
    /// The lines that its tests run, from 1; empty before `check`.
    pub covered: Vec<u32>,
    /// Bugs that the data set publishes for the problem, normalized. The program that represents the problem has
    /// them; before `choose`, its first solution.
    pub bugs: Vec<PublishedBug>,
}

/// A bug that no transform made: its data set publishes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PublishedBug {
    /// Its relation to the programs of the data set.
    pub kind: PublishedKind,
    /// The text.
    pub text: String,
}

words! {
    /// The relation of a published bug to the programs of its data set. Its variants have this name where others have
    /// a pipeline's.
    pub enum PublishedKind {
        /// The program itself, with a mistake that a person made on purpose (`HumanEvalPack`).
        BuggySolution = "buggy-solution",
        /// A program that an author wrote for the problem, and that its judge did not accept (`CodeContests`).
        IncorrectSolution = "incorrect-solution",
    }
}

impl Program {
    /// The id of the program with this source, problem and text.
    pub fn id_of(source: &str, problem: &str, text: &str) -> Id {
        let digest = Digest::new("program").field(source).field(problem);
        Id::new("p", &digest.field(text))
    }
}

/// The relation of a variant to its program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VariantKind {
    /// It does the same: it passes the same tests.
    Clone,
    /// It does something else: it fails a test.
    Bug,
}

/// The type of a clone in the literature's terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum CloneType {
    /// Only comments and layout differ.
    #[serde(rename = "I")]
    I,
    /// Names differ, too.
    #[serde(rename = "II")]
    II,
    /// Statements differ.
    #[serde(rename = "III")]
    III,
}

/// The forms of a rewrite that are allowed.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(rename_all = "lowercase")]
pub enum Safety {
    /// Only where it provably keeps the meaning.
    #[default]
    Safe,
    /// The paper's looser forms, too, which are verified by tests only.
    Paper,
}

words! {
    /// The way a program fails.
    pub enum Fault {
        /// It returns or prints something else.
        WrongAnswer = "wrong-answer",
        /// It ends with an exception, or does not start.
        Exception = "exception",
        /// It runs longer than allowed.
        Timeout = "timeout",
        /// It uses more memory than allowed.
        Memory = "memory",
        /// It prints more than allowed.
        Output = "output",
        /// It ends by a signal, or before its tests do.
        Crash = "crash",
        /// It tries what the sandbox forbids.
        Forbidden = "forbidden",
    }
}

/// The number of applications of a transform to a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// The transform, by the paper's name: `SwapCondition`.
    pub transform: String,
    /// The number of nodes that it could be applied to.
    pub nodes: u32,
    /// The number of nodes that it was applied to.
    pub applied: u32,
    /// The number of those where only the tests show that the meaning is kept.
    pub by_tests_only: u32,
}

/// A changed range.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedPlace {
    /// The transform.
    pub transform: String,
    /// The bytes of the program that it replaced; a range that earlier transforms changed covers what they changed.
    pub before: Span,
    /// The bytes of the variant that replaced them.
    pub after: Span,
}

/// A clone or a bug of a program (stage `03-variants`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramVariant {
    /// `w-…`, from program, pipeline, draw and text.
    pub id: Id,
    /// The program.
    pub program_id: Id,
    /// Its relation to the program.
    pub kind: VariantKind,
    /// Its type, if it is a clone.
    pub clone_type: Option<CloneType>,
    /// The pipeline of transforms, by its name in the recipe; of a published bug `buggy-solution` or `incorrect-solution`.
    pub pipeline: String,
    /// The draw of the pipeline, from 1.
    pub draw: u32,
    /// The seed that its choices were made with; 0 of a published bug.
    pub seed: u64,
    /// The forms that were allowed.
    pub safety: Safety,
    /// The text.
    pub text: String,
    /// The transforms, in their order.
    pub applied: Vec<Applied>,
    /// The changed ranges, in the order of the variant's text.
    pub places: Vec<ChangedPlace>,
    /// The way it fails, if it is a bug.
    pub fault: Option<Fault>,
    /// The first test that fails, from 1, if it is a bug.
    pub failed_test: Option<u32>,
    /// The message of the failure, in a line.
    pub failure: Option<String>,
    /// The number of made-up inputs on which it does the same as its program, if it is a clone; null where no input
    /// could be run.
    pub agreed: Option<u32>,
    /// The number of made-up inputs on which it does something else; zero under `safe`, which leaves such a clone
    /// out.
    pub differed: Option<u32>,
    /// The first of these, with the behavior of both.
    pub difference: Option<String>,
}

impl ProgramVariant {
    /// The id of the variant of a program by a pipeline.
    pub fn id_of(program: &Id, pipeline: &str, draw: u32, text: &str) -> Id {
        let digest = Digest::new("program-variant").field(program);
        let digest = digest.field(pipeline).field(draw.to_le_bytes());
        Id::new("w", &digest.field(text))
    }
}
