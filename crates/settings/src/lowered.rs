//! The lowered settings: the function as a compiler leaves it (CLARC, section 3.1.3).
//!
//! *What they change.* All: the source is replaced by machine code (`assembly-…`), WebAssembly (`wasm-…`) or LLVM's
//! intermediate representation (`llvm-ir-…`) as text, of the function alone.
//!
//! *What they keep.* The behavior of the function. Names of every kind are gone, those of the library too, as in a
//! program that was linked and stripped: `func_0`, `data_0`, labels `.L0`, numbered by first appearance in the
//! function's own text, then in its helpers'. So are text of strings, addresses, comments and code that only aligns.
//! The notation of each form is stated in `check::lower`.
//!
//! *Where they apply.* If the compiler of the setting accepts the unit. A template has no code of its own. A helper
//! is compiled as a function of its own at every level; one that has no code, or at which the compiler does not
//! accept a mark, is left out of the long text.
//!
//! *Example.* `int f(int a) { return g(a) + 1; }` is, in `assembly-o1`,
//!
//! ```text
//! sub $0x8,%rsp
//! call func_0
//! add $0x1,%eax
//! add $0x8,%rsp
//! ret
//! ```
//!
//! *Difference to CLARC.* The released texts have addresses and the disassembler's comments, marks for indirect
//! branches and the stack protector of the system that compiled them, `asm_long` also the constructors of
//! `<iostream>`; the profile `clarc` has all that (see `barecode_clarc`). It has the form of
//! `asm_long`, which the paper counts, and compiles everything as C++, as CLARC did.

use barecode_check::{CheckError, Lowered, Lowerer, Question, Verdict};
use barecode_records::{
    HelperSpan, Profile, Proof, Reason, Setting, Span, Unit, Variant,
    c::{Form, Machine},
};

use crate::append::append;
use crate::prove::limit_of;
use crate::standard::standard;

/// A unit under a lowered setting, or the reason why it has none, with the compiler's message.
///
/// # Errors
/// If the compiler cannot be run.
pub fn lowered(
    unit: &Unit,
    setting: Setting,
    lowerer: &Lowerer,
) -> Result<Result<Variant, (Reason, String)>, CheckError> {
    if unit.is_template {
        return Ok(Err((Reason::NoCode, "a template".to_owned())));
    }
    let is_clarc = lowerer.profile() == Profile::Clarc
        && matches!(
            lowerer.form(),
            Form::Wasm
                | Form::Assembly {
                    machine: Machine::X86_64,
                    ..
                }
        );
    let (question, helpers) = if is_clarc {
        barecode_clarc::as_cpp_program(unit)
    } else {
        let spans = unit.closure.helpers.iter().map(|helper| helper.span);
        (Question::of_unit(unit), spans.collect())
    };
    let mut answer = lowerer.lower(&question, &helpers)?;
    if !helpers.is_empty() && matches!(answer, Err(Verdict::Refused { .. })) {
        // It may refuse a mark at a helper.
        answer = lowerer.lower(&question, &[])?;
    }
    let lowered = match answer {
        Ok(lowered) => lowered,
        Err(Verdict::Refused { message }) => {
            let error = message.lines().find(|line| line.contains("error"));
            let detail = error.unwrap_or(&message).trim().to_owned();
            return Ok(Err((Reason::LoweringFailed, detail)));
        }
        Err(limit) => return Ok(Err((limit_of(&limit), String::new()))),
    };
    let toolchain = lowerer.toolchain(question.language)?.clone();
    let Some(text) = text_of(unit, lowered) else {
        return Ok(Err((Reason::NoCode, "nothing is left of it".to_owned())));
    };
    Ok(Ok(Variant {
        id: Variant::id_of(&unit.id, setting, None),
        setting,
        text: text.target.of(&text.whole).to_owned(),
        compiled_text: text.whole,
        target: text.target,
        helpers: text.helpers,
        proof: Proof::Lowered,
        toolchain: Some(toolchain),
        ..standard(unit)
    }))
}

/// The helpers' code, then the function's.
struct Text {
    whole: String,
    target: Span,
    helpers: Vec<HelperSpan>,
}

fn text_of(unit: &Unit, lowered: Lowered) -> Option<Text> {
    let target = lowered.target?;
    let mut whole = String::new();
    let mut add = |text: &str| append(&mut whole, text);
    // All of the object has the helpers in it.
    if let Some(all) = lowered.whole {
        let target = add(&all);
        return Some(Text {
            whole,
            target,
            helpers: Vec::new(),
        });
    }
    let mut helpers = Vec::new();
    for (helper, text) in unit.closure.helpers.iter().zip(lowered.helpers) {
        if let Some(text) = text {
            helpers.push(HelperSpan {
                span: add(&text),
                ..helper.clone()
            });
        }
    }
    let target = add(&target);
    Some(Text {
        whole,
        target,
        helpers,
    })
}
