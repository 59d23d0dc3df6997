//! Functions to units.
//!
//! Each function's closure is compiled as it is. Where the compiler misses nothing but names that every C
//! programmer takes for granted (`bool`, `size_t`, `uint32_t`, `NULL`), it is compiled once more under a
//! prelude of three headers, and the unit is the text with the prelude: a project often gets them through a
//! header of its own that is not part of the closure.

use std::collections::BTreeSet;

use barecode_records::{Closure, Counts, Function, Group, Reason, SetAside, Span, Stage, Unit};

use crate::compiler::first_error;
use crate::{CheckError, Judge, Object, Verdict};

/// What became of a shard of functions.
#[derive(Debug, Clone, Default)]
pub struct Checked {
    /// Functions that compile by themselves, in the order they came.
    pub units: Vec<Unit>,
    /// The others, in the order they came.
    pub set_aside: Vec<SetAside>,
    /// How many of each.
    pub counts: Counts,
}

/// What stands in front of a text that misses a name of [`taken_for_granted`].
const PRELUDE: &str = "#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n";

/// Compiles every function's closure, one after the other.
///
/// # Errors
/// When no verdict can be had; a function that does not compile is set aside.
pub fn check(functions: &[Function], judge: &Judge) -> Result<Checked, CheckError> {
    let mut checked = Checked::default();
    for function in functions {
        let (closure, verdict) = verdict_of(function, judge)?;
        match kept_or_reason(function, verdict, judge) {
            Ok(object) => {
                checked.counts.keep();
                checked.units.push(unit(function, closure, object, judge));
            }
            Err((reason, detail)) => {
                checked.counts.set_aside(reason);
                checked.set_aside.push(SetAside {
                    stage: Stage::Check,
                    kind: "function".to_owned(),
                    id: Some(function.id.clone()),
                    origin: Some(function.origin.clone()),
                    name: Some(function.name.clone()),
                    reason,
                    detail,
                });
            }
        }
    }
    Ok(checked)
}

/// The verdict, and the closure that it is about. A second refusal is not reported: the first is about the
/// function's own text.
fn verdict_of(function: &Function, judge: &Judge) -> Result<(Closure, Verdict), CheckError> {
    let closure = &function.closure;
    let first = judge.judge(&closure.text, &function.name)?;
    if let Verdict::Refused { message } = &first
        && misses_what_is_taken_for_granted(message)
    {
        let closure = under_prelude(closure);
        if let second @ Verdict::Compiled(_) = judge.judge(&closure.text, &function.name)? {
            return Ok((closure, second));
        }
    }
    Ok((closure.clone(), first))
}

fn kept_or_reason(
    function: &Function,
    verdict: Verdict,
    judge: &Judge,
) -> Result<Object, (Reason, String)> {
    let missing = &function.closure.missing_headers;
    let config = judge.compiler().config();
    match verdict {
        Verdict::Compiled(object) if object.code_bytes > 0 => Ok(object),
        Verdict::Compiled(_) => Err((
            Reason::NoCode,
            format!("no machine code for `{}`", function.name),
        )),
        Verdict::Refused { message } if missing.is_empty() => {
            Err((Reason::CompileError, first_error(&message)))
        }
        Verdict::Refused { message } => {
            let headers = missing.join(", ");
            Err((
                Reason::NeedsThirdParty,
                format!("{headers}: {}", first_error(&message)),
            ))
        }
        Verdict::TimeLimit => Err((
            Reason::TimeLimit,
            format!("{} s of processor time", config.seconds),
        )),
        Verdict::MemoryLimit => Err((
            Reason::MemoryLimit,
            format!("{} MiB of memory", config.memory_mib),
        )),
        Verdict::OutputLimit => Err((
            Reason::OutputLimit,
            format!("{} KiB of output", config.output_kib),
        )),
    }
}

fn unit(function: &Function, closure: Closure, object: Object, judge: &Judge) -> Unit {
    Unit {
        id: Unit::id_of(&function.id, &closure.text),
        function_id: function.id.clone(),
        origin: function.origin.clone(),
        language: function.language,
        name: function.name.clone(),
        qualified_name: function.qualified_name.clone(),
        kind: function.kind,
        is_template: function.is_template,
        group: Group::of(&function.references),
        text: function.text.clone(),
        doc: function.doc.clone(),
        references: function.references.clone(),
        closure,
        minimized: false,
        compiles_as_cpp: None,
        toolchain: judge.compiler().toolchain().clone(),
        object: object.fingerprint,
        object_code: object.code_fingerprint,
        code_bytes: object.code_bytes,
    }
}

/// The closure with the prelude in front; everything in it stands further back.
fn under_prelude(closure: &Closure) -> Closure {
    let shift = u32::try_from(PRELUDE.len()).expect("the prelude is short");
    let moved = |span: Span| Span {
        start: span.start + shift,
        end: span.end + shift,
    };
    let mut closure = closure.clone();
    closure.text.insert_str(0, PRELUDE);
    closure.target = moved(closure.target);
    for helper in &mut closure.helpers {
        helper.span = moved(helper.span);
    }
    for piece in &mut closure.pieces {
        piece.span = moved(piece.span);
    }
    closure
}

/// Whether an error is about a name that the prelude declares.
fn misses_what_is_taken_for_granted(message: &str) -> bool {
    let unknown = [
        "unknown type name",
        "undeclared",
        "implicit declaration",
        "before",
        "expected",
    ];
    let errors = message
        .lines()
        .filter(|line| line.contains("error: ") && unknown.iter().any(|word| line.contains(word)));
    let quoted: BTreeSet<&str> = errors
        .flat_map(|line| line.split('\'').skip(1).step_by(2))
        .collect();
    quoted.into_iter().any(taken_for_granted)
}

/// Whether `<stdbool.h>`, `<stddef.h>` or `<stdint.h>` declares a name.
fn taken_for_granted(name: &str) -> bool {
    let known = [
        "bool",
        "true",
        "false",
        "NULL",
        "size_t",
        "ptrdiff_t",
        "wchar_t",
        "offsetof",
        "max_align_t",
        "SIZE_MAX",
    ];
    let kind = name.trim_start_matches(['u', 'U']);
    let integer = (kind.starts_with("int") && kind.ends_with("_t"))
        || (kind.starts_with("INT")
            && (kind.ends_with("_MAX") || kind.ends_with("_MIN") || kind.ends_with("_C")));
    // `INT_MAX` is of `<limits.h>`; every name of `<stdint.h>` has a width or a `PTR` or a `MAX` in its middle.
    let integer = integer && !matches!(kind, "INT_MAX" | "INT_MIN" | "int_t");
    known.contains(&name) || integer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_three_headers_are_taken_for_granted_and_others_are_not() {
        for name in [
            "uint8_t",
            "int64_t",
            "uintptr_t",
            "int_fast16_t",
            "UINT32_MAX",
            "INT8_C",
            "bool",
            "NULL",
        ] {
            assert!(taken_for_granted(name), "{name}");
        }
        for name in [
            "INT_MAX",
            "UINT_MAX",
            "ssize_t",
            "uint",
            "u_int32_t",
            "foo_t",
            "",
        ] {
            assert!(!taken_for_granted(name), "{name}");
        }
    }

    #[test]
    fn only_errors_about_unknown_names_count() {
        assert!(misses_what_is_taken_for_granted(
            "unit.c:1:1: error: unknown type name 'bool'"
        ));
        assert!(misses_what_is_taken_for_granted(
            "unit.c:1:1: error: 'NULL' undeclared (first use in this function)"
        ));
        assert!(!misses_what_is_taken_for_granted(
            "unit.c:1:1: note: 'NULL' undeclared"
        ));
        assert!(!misses_what_is_taken_for_granted(
            "unit.c:1:1: error: conflicting types for 'bool'"
        ));
        assert!(!misses_what_is_taken_for_granted(
            "unit.c:1:1: error: unknown type name 'foo'"
        ));
    }
}
