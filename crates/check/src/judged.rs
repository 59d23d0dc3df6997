//! What becomes of a function that was judged: a unit, or a row that says why not.

use barecode_records::{Closure, Function, Group, Reason, SetAside, Stage, Toolchain, Unit};

/// The unit of a function with this closure. What only a compiler says is as where nothing is compiled: the closure is not
/// made smaller, nobody asked whether it is C++ too, and it has no code.
pub(crate) fn unit(function: &Function, closure: Closure, toolchain: Toolchain) -> Unit {
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
        docs: function.docs.clone(),
        references: function.references.clone(),
        closure,
        minimized: false,
        compiles_as_cpp: None,
        toolchain,
        code_bytes: 0,
    }
}

/// The row of a function that is left out.
pub(crate) fn left_out(function: &Function, (reason, detail): (Reason, String)) -> SetAside {
    SetAside {
        id: Some(function.id.clone()),
        origin: Some(function.origin.clone()),
        name: Some(function.name.clone()),
        ..SetAside::new(Stage::Check, "function", reason, detail)
    }
}
