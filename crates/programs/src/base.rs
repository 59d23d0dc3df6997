//! A candidate to a program: normalized, through the gates and filters, and new.
//!
//! Everything but [`Base::admit`] depends on one candidate alone, so candidates may be prepared in parallel and admitted
//! in their order.

use barecode_python::Module;
use barecode_records::python::{Program, PublishedKind, TestKind};
use barecode_records::{Reason, SetAside};

use crate::candidate::kind;
use crate::duplicates::{Duplicates, tree_hash};
use crate::gates::{self, Refusal};
use crate::normalize::{Keep, normalize};
use crate::{Candidate, ProgramConfig, filters};

/// A program that passed everything that one program can pass alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The program.
    pub program: Program,
    /// The kind of bug, if its source publishes it as one.
    pub wrong: Option<PublishedKind>,
    /// Test cases that were left out, as there are too many.
    pub cut_cases: u32,
    tree: [u8; 16],
}

/// Normalizes a candidate, and applies gates and filters.
///
/// # Errors
/// The row with the reason that the candidate is left out.
#[expect(
    clippy::result_large_err,
    reason = "rows that are set aside are results, too"
)]
pub fn prepare(candidate: Candidate, config: &ProgramConfig) -> Result<Prepared, SetAside> {
    match prepared(&candidate, config) {
        Ok((text, normalized, tree)) => {
            let Candidate {
                origin,
                problem,
                statement,
                tests,
                cut_cases,
                wrong,
                ..
            } = candidate;
            let program = Program {
                id: Program::id_of(&origin.source, &problem, &text),
                origin,
                problem,
                statement,
                alternate_of: None,
                text,
                normalized,
                tests,
                covered: Vec::new(),
                bugs: Vec::new(),
            };
            Ok(Prepared {
                program,
                wrong,
                cut_cases,
                tree,
            })
        }
        Err((reason, detail)) => Err(candidate.set_aside(reason, detail)),
    }
}

type Form = (String, Vec<String>, [u8; 16]);

fn prepared(candidate: &Candidate, config: &ProgramConfig) -> Result<Form, Refusal> {
    let tests = &candidate.tests;
    let size = candidate.text.len();
    if size > config.most_bytes {
        let detail = format!("{size} bytes, at most {} are read", config.most_bytes);
        return Err((Reason::FileTooLarge, detail));
    }
    let keep = Keep {
        docstrings: tests.kind == TestKind::Doctest,
        comments: false,
    };
    let normalized = |keep| {
        normalize(&candidate.text, keep).map_err(|error| gates::unparsable(&candidate.text, &error))
    };
    let bare = normalized(keep)?;
    let module =
        Module::parse(&bare.text).map_err(|error| gates::unparsable(&bare.text, &error))?;
    let own = match tests.kind {
        TestKind::Pytest => tests.entry.as_deref(),
        _ => None,
    };
    let parse = |text, what: &str| {
        Module::parse(text).map_err(|error| (Reason::ParseError, format!("{what}: {error}")))
    };
    let setup = parse(&tests.setup, "set-up of the tests")?;
    let code = parse(&tests.code, "tests")?;
    let refusal = gates::python2(&module)
        .or_else(|| gates::tests(tests, &code, candidate.cut_cases, config))
        .or_else(|| gates::package(&module, None, config))
        .or_else(|| gates::package(&setup, None, config))
        .or_else(|| gates::package(&code, own, config))
        .or_else(|| gates::sensitive_use(&module, config))
        .or_else(|| filters::quality(&module, tests, config));
    if let Some(refusal) = refusal {
        Err(refusal)
    } else {
        let tree = tree_hash(&module);
        drop(module);
        let kept = if config.comments {
            normalized(Keep {
                comments: true,
                ..keep
            })?
        } else {
            bare
        };
        let changes = kept.changes.iter().map(|&change| change.to_owned());
        Ok((kept.text, changes.collect(), tree))
    }
}

/// The programs of a run, over all of its sources.
#[derive(Debug, Default)]
pub struct Base {
    duplicates: Duplicates,
}

impl Base {
    /// No program yet.
    pub fn new() -> Self {
        Base::default()
    }

    /// Adds a program, unless it or its problem is present already.
    ///
    /// # Errors
    /// The row that names the one that stayed.
    #[expect(
        clippy::result_large_err,
        reason = "rows that are set aside are results, too"
    )]
    pub fn admit(&mut self, prepared: Prepared) -> Result<Prepared, SetAside> {
        let Program {
            origin,
            problem,
            statement,
            ..
        } = &prepared.program;
        let place = format!("{}/{}", origin.source, origin.place());
        let whose = (origin.source.as_str(), problem.as_str());
        let seen = self
            .duplicates
            .seen(prepared.tree, statement.as_deref(), whose, &place);
        match seen {
            None => Ok(prepared),
            Some((reason, detail)) => Err(SetAside {
                id: Some(prepared.program.id),
                origin: Some(prepared.program.origin),
                name: Some(prepared.program.problem),
                ..SetAside::new(
                    barecode_records::Stage::Extract,
                    kind(prepared.wrong),
                    reason,
                    detail,
                )
            }),
        }
    }
}
