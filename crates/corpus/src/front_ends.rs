//! All front ends, and the functions that the rest of barecode calls.
//!
//! | front end | language | a function stands alone |
//! | --- | --- | --- |
//! | `CLike` | C and C++ | if a compiler accepts it |
//! | `Python` | Python | if each name is bound |
//! | `Trees` | every language that tree-sitter reads | if it can be parsed |
//! | `Scripts` | comments of R scripts with the code below them | if it can be parsed; by the published rules always |
//!
//! A function of a language that is not compiled is a unit if its front end finds no fault in its closure
//! ([`check_read`]): no code is compiled or run. A name without a declaration is wrong in Python, as it is to a
//! compiler; whether the modules that it imports are installed is not checked. For other languages nothing is known
//! of such names.

use barecode_languages::{judged, of_path, title};
use barecode_records::{
    Closure, Function, FunctionKind, Judged, Language, Outcome, Quoted, SetAside, Toolchain, Unit,
};

use crate::extract::ExtractConfig;
use crate::extract::c_like::CLike;
use crate::extract::python::Python;
use crate::extract::scripts::Scripts;
use crate::extract::tree::Trees;
use crate::front_end::FrontEnd;
use crate::scripts::Document;
use crate::symbols::{Analyzed, Unreadable};

/// All of them, in the order in which their functions are found.
pub(crate) static FRONT_ENDS: [&dyn FrontEnd; 4] = [&CLike, &Python, &Trees, &Scripts];
const SCRIPTS: usize = 3;

/// The front end that reads a file. A file of no language may be included in C.
pub(crate) fn of_file(path: &str, config: &ExtractConfig) -> usize {
    if config.pairs.is_some() && Document::of_path(path).is_some() {
        return SCRIPTS;
    }
    of_judged(of_path(path).and_then(|(entry, _)| entry.judged()))
}

/// The front end for functions of a language and kind.
pub(crate) fn of_function(language: Language, kind: FunctionKind) -> usize {
    if kind.is_of_script() {
        return SCRIPTS;
    }
    of_judged(judged(language))
}

/// The front end of a language.
pub(crate) fn front_end(language: Language) -> &'static dyn FrontEnd {
    FRONT_ENDS[of_judged(judged(language))]
}

fn of_judged(judged: Option<Judged>) -> usize {
    match judged {
        Some(Judged::Compiler) | None => 0,
        Some(Judged::Names) => 1,
        Some(Judged::Grammar) => 2,
    }
}

/// The names of the closure of the function named `function`, and a check that another text means the same.
///
/// # Errors
/// If the file cannot be read as one translation unit or module.
pub fn analyzed<'t>(
    closure: &'t Closure,
    function: &str,
    language: Language,
) -> Result<Analyzed<'t>, Unreadable> {
    front_end(language).symbols(closure, function, language)
}

/// The insides of the string literals of a text, and its symbols, by position.
///
/// # Errors
/// If it cannot be read.
pub fn quoted(text: &str, language: Language) -> Result<Vec<Quoted>, Unreadable> {
    front_end(language).quoted(text, language)
}

/// Judges the closures of functions. Units and `functions` that are set aside are in the order they came.
pub fn check_read(functions: &[Function]) -> Outcome<Vec<Unit>> {
    let mut checked = Outcome::counting(["functions"]);
    for function in functions {
        let front_end = FRONT_ENDS[of_function(function.language, function.kind)];
        match front_end.judge(function) {
            Ok(()) => {
                let (closure, toolchain) = (function.closure.clone(), reader(function.language));
                checked.keep("functions", Unit::of(function, closure, toolchain));
            }
            Err(why) => checked.set_aside("functions", SetAside::no_unit(function, why)),
        }
    }
    checked
}

/// The judge of units of a language.
pub fn reader(language: Language) -> Toolchain {
    let by = match judged(language) {
        Some(Judged::Names) => Toolchain::RESOLVER,
        _ => Toolchain::GRAMMAR,
    };
    Toolchain {
        compiler: by.to_owned(),
        version: format!("barecode {}", env!("CARGO_PKG_VERSION")),
        target: title(language).to_owned(),
        flags: Vec::new(),
    }
}
