//! The dataset of a small project, as records, as a card, and as Hugging Face `datasets` sees it.
//!
//! The project has two functions of group 1 (twins once their names are gone), one of group 2, and two of
//! group 3, one of which calls the other and itself.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests, and why a test is skipped"
)]

mod settings_audit;
mod audit_made;
mod audit_published;
mod views;
mod cards;
mod hub;
mod selection;
mod measured;

use barecode_dataset::{CardFacts, Dataset, DatasetConfig, Parts, Tokenizer, assemble, statistics};
use barecode_records::{
    DocPlace, Id, Language, Leak, Origin, Outcome, Proof, Query, Setting, Span, Split, TargetKind,
    Toolchain, Unit, Variant,
    c::{Closure, FunctionKind, Group, HelperBodies, HelperSpan, References},
};

const SETTINGS: [(Setting, Option<u32>); 3] = [
    (Setting::Standard, None),
    (Setting::NEUTRALIZED, None),
    (Setting::RANDOMIZED, Some(0)),
];

fn id(text: &str) -> Id {
    Id::from(text.to_owned())
}

fn origin(source: &str, license: Option<&str>) -> Origin {
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

fn toolchain() -> Toolchain {
    Toolchain {
        compiler: "gcc".to_owned(),
        version: "gcc (Debian) 14.2.0".to_owned(),
        target: "x86_64-linux-gnu".to_owned(),
        flags: vec!["-std=gnu17".to_owned(), "-O1".to_owned()],
    }
}

fn unit(name: &str, group: Group, helpers: &[&str]) -> Unit {
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
        doc: None,
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
        },
        minimized: false,
        compiles_as_cpp: None,
        toolchain: toolchain(),
        code_bytes: 4,
    }
}

fn variant(unit: &Unit, setting: Setting, draw: Option<u32>) -> Variant {
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
        proof: Proof::Object,
        toolchain: None,
    }
}

fn query(unit: &Unit, text: &str, leak: Leak, leaked: &[&str]) -> Query {
    Query {
        id: id(&format!("q-{}", unit.name)),
        target_kind: TargetKind::Unit,
        target_id: unit.id.clone(),
        writer: Query::DOC_COMMENT.to_owned(),
        origin: unit.origin.clone(),
        text: text.to_owned(),
        raw: Some(format!("/* {text} */")),
        place: Some(DocPlace::Definition),
        words: 4,
        leak,
        leaked: leaked.iter().map(|&name| name.to_owned()).collect(),
    }
}

/// What a card says of a dataset.
fn facts(done: &Outcome<Dataset>) -> CardFacts {
    let mut rows = statistics(Split::Test, &done.kept.configurations, &Tokenizer::CTokens).unwrap();
    rows.extend(statistics(Split::Train, &done.kept.train, &Tokenizer::CTokens).unwrap());
    CardFacts {
        title: "Bare: a \"small\" project".to_owned(),
        barecode: "0.1.0".to_owned(),
        toolchain: Some(toolchain()),
        seed: 7,
        config: DatasetConfig::default(),
        statistics: rows,
        train: done
            .kept
            .train
            .iter()
            .map(|configuration| configuration.name().to_owned())
            .collect(),
    }
}

struct Project {
    units: Vec<Unit>,
    variants: Vec<Variant>,
    queries: Vec<Query>,
}

impl Project {
    fn small() -> Self {
        let units = vec![
            unit("tidy", Group::Group3, &["trim", "tidy", "elsewhere", "abc"]),
            unit("abc", Group::Group1, &[]),
            unit("size", Group::Group2, &[]),
            unit("abd", Group::Group1, &[]),
            unit("trim", Group::Group3, &["abc"]),
        ];
        let variants = units
            .iter()
            .flat_map(|unit| SETTINGS.map(|(setting, seed)| variant(unit, setting, seed)))
            .collect();
        let queries = vec![
            query(&units[0], "Tidies up \"what\" is left", Leak::None, &[]),
            query(
                &units[1],
                "Counts with abc and more",
                Leak::Function,
                &["abc", "count"],
            ),
        ];
        Project {
            units,
            variants,
            queries,
        }
    }

    /// The small project, and a second repository: `copy` calls `cut`, which is `trim` of the first with another
    /// number in it, and `count` and `weigh` are of its own.
    fn of_two_repositories() -> Self {
        let mut project = Project::small();
        let long = |name: &str, number: u32| {
            let steps = (0..20)
                .map(|at| format!(" a[{at}] += b[{at}] * {at};"))
                .collect::<Vec<_>>()
                .concat();
            format!("void {name}(int *a, int *b) {{{steps} a[0] = {number}; }}")
        };
        let mut added = vec![
            unit("copy", Group::Group3, &["cut"]),
            unit("cut", Group::Group1, &[]),
            unit("count", Group::Group1, &[]),
            unit("weigh", Group::Group2, &[]),
        ];
        for unit in &mut added {
            unit.origin = origin("cargo:other", Some("MIT"));
        }
        added[1].text = long("trim", 2);
        "int count(const char *s) { int n = 0; while (*s++) n++; return n; }"
            .clone_into(&mut added[2].text);
        "int weigh(struct box *b) { return b ? b->weight : -1; }".clone_into(&mut added[3].text);
        let trim = project
            .units
            .iter_mut()
            .find(|unit| unit.name == "trim")
            .unwrap();
        trim.text = long("trim", 1);
        project
            .variants
            .retain(|variant| variant.unit_id.as_str() != "u-trim");
        let trim = trim.clone();
        for unit in added.iter().chain([&trim]) {
            let variants = SETTINGS.map(|(setting, seed)| variant(unit, setting, seed));
            project.variants.extend(variants);
        }
        for (at, text) in [
            (0, "Copies what is cut"),
            (2, "Counts the letters"),
            (3, "Weighs a box"),
        ] {
            project
                .queries
                .push(query(&added[at], text, Leak::None, &[]));
        }
        project.units.extend(added);
        project
    }

    fn assembled(&self) -> Outcome<Dataset> {
        self.assembled_by(&DatasetConfig::default())
    }

    fn assembled_by(&self, config: &DatasetConfig) -> Outcome<Dataset> {
        let parts = Parts {
            units: &self.units,
            variants: &self.variants,
            queries: &self.queries,
            settings: &SETTINGS,
        };
        let done = assemble(parts, config, 7);
        assert!(done.balances());
        done
    }
}
