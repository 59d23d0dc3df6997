//! Functions of languages that are not compiled to units: what stands alone by its names, or by its grammar.
//!
//! Nothing is compiled and nothing runs. A closure of Python is a unit if it can be parsed and if each name that it
//! reads is bound in it, is a builtin, or may come from a star import: the counterpart of what a compiler says about a
//! name that nothing declares. Whether the modules that it imports are there is not asked. A closure of a language that
//! tree-sitter reads is a unit if all of it can be parsed; of names that nothing declares nothing is known there.

use barecode_languages::{judged, title};
use barecode_records::{Function, Judged, Language, Outcome, Toolchain, Unit};

use crate::front_end::{FRONT_ENDS, of_function};

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
            Err(why) => checked.set_aside("functions", function.not_a_unit(why)),
        }
    }
    checked
}

/// What judges units of a language.
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
