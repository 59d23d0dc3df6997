//! Functions of languages that are not compiled to units: what stands alone by its names, or by its grammar.
//!
//! Nothing is compiled and nothing runs. A closure of Python is a unit if it can be parsed and if each name that it
//! reads is bound in it, is a builtin, or may come from a star import: the counterpart of what a compiler says about a
//! name that nothing declares. Whether the modules that it imports are there is not asked. A closure of a language that
//! tree-sitter reads is a unit if all of it can be parsed; of names that nothing declares nothing is known there.

use barecode_languages::judged;
use barecode_python::Module;
use barecode_records::{
    Function, FunctionKind, Judged, Language, Outcome, Reason, Toolchain, Unit,
};
use barecode_trees::Parsed;

use crate::judged;

/// Judges the closures of functions. Units and `functions` that are set aside are in the order they came.
pub fn check_read(functions: &[Function]) -> Outcome<Vec<Unit>> {
    let mut checked = Outcome::counting(["functions"]);
    for function in functions {
        match judge(function) {
            Ok(()) => {
                let (closure, toolchain) = (function.closure.clone(), reader(function.language));
                checked.keep("functions", judged::unit(function, closure, toolchain));
            }
            Err(why) => checked.set_aside("functions", judged::left_out(function, why)),
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
        target: barecode_languages::title(language).to_owned(),
        flags: Vec::new(),
    }
}

fn judge(function: &Function) -> Result<(), (Reason, String)> {
    let text = &function.closure.text;
    // The published rules join lines, and what comes of it is not always code.
    if function.kind == FunctionKind::Lines {
        return Ok(());
    }
    if judged(function.language) == Some(Judged::Names) {
        let module =
            Module::parse(text).map_err(|error| (Reason::SyntaxError, error.to_string()))?;
        let unbound = module.unbound();
        if unbound.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = unbound.iter().map(|name| format!("`{name}`")).collect();
        return Err((Reason::UndeclaredName, names.join(", ")));
    }
    let parsed = Parsed::of(text, function.language).expect("languages with a front end are read");
    parsed
        .problem()
        .map_or(Ok(()), |problem| Err((Reason::SyntaxError, problem)))
}
