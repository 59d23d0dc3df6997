//! Records made by hand: a unit, a variant of it, a query that it answers.

use barecode_records::python::{Program, Tests};
use barecode_records::{
    Closure, DocPlace, FunctionKind, Group, HelperBodies, HelperSpan, Id, Language, Leak, Origin,
    Proof, Query, References, Setting, Span, TargetKind, Toolchain, Unit, Variant,
};

/// An id that reads as it is written.
pub fn id(text: &str) -> Id {
    Id::from(text.to_owned())
}

/// Ten lines of `src/lib.c` of a source.
pub fn origin(source: &str, license: Option<&str>) -> Origin {
    Origin {
        source: source.to_owned(),
        repository: None,
        version: Some("1.2.3".to_owned()),
        commit: None,
        license: license.map(str::to_owned),
        license_from: None,
        first_commit: None,
        path: "src/lib.c".to_owned(),
        start_line: 10,
        end_line: 20,
    }
}

/// Debian 14's gcc.
pub fn toolchain() -> Toolchain {
    Toolchain {
        compiler: "gcc".to_owned(),
        version: "gcc (Debian) 14.2.0".to_owned(),
        target: "x86_64-linux-gnu".to_owned(),
        flags: vec!["-std=gnu17".to_owned(), "-O1".to_owned()],
    }
}

/// A unit `int NAME(void) { return 1; }` of `cargo:lib`, with the ids `u-NAME` and `f-NAME`, that calls these helpers.
pub fn unit(name: &str, group: Group, helpers: &[&str]) -> Unit {
    let text = format!("int {name}(void) {{ return 1; }}");
    let helper = |helper: &&str| HelperSpan {
        name: (*helper).to_owned(),
        function_id: id(&format!("f-{helper}")),
        span: Span { start: 0, end: 5 },
    };
    Unit {
        id: id(&format!("u-{name}")),
        function_id: id(&format!("f-{name}")),
        origin: origin("cargo:lib", Some("MIT")),
        language: Language::C,
        name: name.to_owned(),
        qualified_name: name.to_owned(),
        kind: FunctionKind::Function,
        is_template: false,
        group,
        text: text.clone(),
        docs: Vec::new(),
        references: References::default(),
        closure: Closure {
            text,
            target: Span { start: 0, end: 0 },
            helpers: helpers.iter().map(helper).collect(),
            helper_bodies: HelperBodies::Full,
            items: 1,
            pieces: Vec::new(),
            helper_external: Vec::new(),
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
        },
        minimized: false,
        compiles_as_cpp: None,
        toolchain: toolchain(),
        code_bytes: 4,
    }
}

/// A variant of a unit, proven by its object code: renamed to the same text for all units in neutralized.
pub fn variant(unit: &Unit, setting: Setting, draw: Option<u32>) -> Variant {
    let text = match setting {
        Setting::Standard => unit.text.clone(),
        Setting::NEUTRALIZED => "int func_0(void) { return 1; }".to_owned(),
        _ => format!("int x{}q(void) {{ return 1; }}", unit.name.len()),
    };
    Variant {
        id: Variant::id_of(&unit.id, setting, draw),
        unit_id: unit.id.clone(),
        origin: unit.origin.clone(),
        group: unit.group,
        setting,
        draw,
        compiled_text: format!("// h\n{text}"),
        text,
        target: Span { start: 5, end: 5 },
        helpers: unit.closure.helpers.clone(),
        renamed: Vec::new(),
        kept: Vec::new(),
        perturbation: None,
        own_names: None,
        own_names_kept: None,
        proof: Proof::Object,
        toolchain: None,
    }
}

/// A query of a unit, with the id `q-NAME`.
pub fn query(unit: &Unit, text: &str, leak: Leak, leaked: &[&str]) -> Query {
    Query {
        id: id(&format!("q-{}", unit.name)),
        target_kind: TargetKind::Unit,
        target_id: unit.id.clone(),
        writer: Query::DOC_COMMENT.to_owned(),
        origin: unit.origin.clone(),
        text: text.to_owned(),
        raw: Some(format!("/* {text} */")),
        place: Some(DocPlace::Definition),
        stated_at: None,
        model: None,
        prompt: None,
        left_out: None,
        tries: None,
        class: None,
        words: 4,
        leak,
        leaked: leaked.iter().map(|&name| name.to_owned()).collect(),
    }
}

/// A program of this text with these tests.
pub fn program(text: &str, tests: Tests) -> Program {
    Program {
        id: Program::id_of("path:x", "x", text),
        origin: origin("path:x", None),
        problem: "x".to_owned(),
        statement: None,
        alternate_of: None,
        text: text.to_owned(),
        normalized: Vec::new(),
        tests,
        covered: vec![1],
        bugs: Vec::new(),
    }
}
