//! Functions of Python to units: what stands alone by its names.
//!
//! Nothing is compiled and nothing runs. A closure is a unit if it can be parsed and if each name that it reads is bound
//! in it, is a builtin, or may come from a star import: the counterpart of what a compiler says about a name that
//! nothing declares. Whether the modules that it imports are there is not asked.

use barecode_python::Module;
use barecode_records::{Function, Outcome, Reason, SetAside, Stage, Toolchain, Unit, c::Group};

/// Judges the closures of functions of Python. Units and `functions` that are set aside are in the order they came.
pub fn check_bound(functions: &[Function]) -> Outcome<Vec<Unit>> {
    let mut checked = Outcome::counting(["functions"]);
    for function in functions {
        match unit(function) {
            Ok(unit) => checked.keep("functions", unit),
            Err((reason, detail)) => {
                let row = SetAside {
                    id: Some(function.id.clone()),
                    origin: Some(function.origin.clone()),
                    name: Some(function.name.clone()),
                    ..SetAside::new(Stage::Check, "function", reason, detail)
                };
                checked.set_aside("functions", row);
            }
        }
    }
    checked
}

/// What judges units of Python.
pub fn resolver() -> Toolchain {
    Toolchain {
        compiler: Toolchain::RESOLVER.to_owned(),
        version: format!("barecode {}", env!("CARGO_PKG_VERSION")),
        target: "Python".to_owned(),
        flags: Vec::new(),
    }
}

fn unit(function: &Function) -> Result<Unit, (Reason, String)> {
    let closure = &function.closure;
    let module =
        Module::parse(&closure.text).map_err(|error| (Reason::SyntaxError, error.to_string()))?;
    let unbound = module.unbound();
    if !unbound.is_empty() {
        let names: Vec<String> = unbound.iter().map(|name| format!("`{name}`")).collect();
        return Err((Reason::UndeclaredName, names.join(", ")));
    }
    Ok(Unit {
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
        closure: closure.clone(),
        minimized: false,
        compiles_as_cpp: None,
        toolchain: resolver(),
        code_bytes: 0,
    })
}
