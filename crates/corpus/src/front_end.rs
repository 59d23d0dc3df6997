//! A language's way from file to proof: one object for each way that there is.
//!
//! | front end | whose | a function stands alone |
//! | --- | --- | --- |
//! | [`CLike`] | C and C++ | if a compiler takes it |
//! | [`Python`] | Python | if each name is bound |
//! | [`Trees`] | every language that tree-sitter reads | if it can be parsed |
//! | [`Scripts`] | comments of R scripts with the code below them | if it can be parsed; by the published rules always |
//!
//! What a front end does not say is what only a compiler can: `check` asks one whether a closure stands alone, and
//! `settings` whether a renamed one means the same, where [`judged`](barecode_languages::judged) says that a compiler
//! judges. Everything else of barecode asks the front end and does not know the language.

use std::collections::BTreeSet;

use barecode_languages::{judged, of_path};
use barecode_records::{Closure, Function, FunctionKind, Judged, Language, Outcome, Reason};
use barecode_sources::Source;

use crate::extract::c_like::CLike;
use crate::extract::python::Python;
use crate::extract::scripts::Scripts;
use crate::extract::tree::Trees;
use crate::extract::{ExtractConfig, Found};
use crate::preprocess::headers::Dialects;
use crate::scripts::Document;
use crate::symbols::{Analyzed, Unreadable};

/// All of them, in the order in which their functions are found.
pub(crate) static FRONT_ENDS: [&dyn FrontEnd; 4] = [&CLike, &Python, &Trees, &Scripts];
const SCRIPTS: usize = 3;

/// A language's way from file to proof.
pub(crate) trait FrontEnd: Sync {
    /// Finds the functions of the files with these texts; what it returns beside them closes those that are drawn.
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        texts: Vec<(String, String)>,
        extraction: &mut Outcome<Vec<Function>>,
    ) -> (Vec<Found>, Close<'s>);

    /// Why the closure of a function does not stand alone, as far as reading it shows.
    fn judge(&self, _: &Function) -> Result<(), (Reason, String)> {
        Ok(())
    }

    /// The names of a closure, and what shows whether another text means the same.
    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        function: &str,
        language: Language,
    ) -> Result<Analyzed<'t>, Unreadable>;
}

/// What is asked of a source.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'s> {
    pub(crate) source: &'s Source,
    pub(crate) config: &'s ExtractConfig,
    pub(crate) headers: &'s Dialects,
    /// The files whose functions are wanted; the others are read for what these need.
    pub(crate) mined: &'s BTreeSet<String>,
}

/// Closes functions that were found; an error is the bound that a closure passed.
pub(crate) type Close<'s> = Box<dyn FnOnce(Vec<Found>) -> Vec<Closed> + 's>;

/// A function and what became of it.
pub(crate) type Closed = (Found, Result<Function, String>);

/// Which front end reads a file. What is of no language may be included in C.
pub(crate) fn of_file(path: &str, config: &ExtractConfig) -> usize {
    if config.pairs.is_some() && Document::of_path(path).is_some() {
        return SCRIPTS;
    }
    of_judged(of_path(path).and_then(|(entry, _)| entry.judged()))
}

/// Which front end functions of a language and kind are from.
pub(crate) fn of_function(language: Language, kind: FunctionKind) -> usize {
    if kind.is_of_script() {
        return SCRIPTS;
    }
    of_judged(judged(language))
}

fn of_judged(judged: Option<Judged>) -> usize {
    match judged {
        Some(Judged::Compiler) | None => 0,
        Some(Judged::Names) => 1,
        Some(Judged::Grammar) => 2,
    }
}
