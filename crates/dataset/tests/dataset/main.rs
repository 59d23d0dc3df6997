//! The dataset of a small project, as records, as a card, and as Hugging Face `datasets` sees it.
//!
//! The project has two functions of group 1 (twins once their names are gone), one of group 2, and two of
//! group 3, one of which calls the other and itself.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod views;
mod cards;
mod hub;
mod selection;
mod measured;

use barecode_dataset::{
    CardFacts, Dataset, DatasetConfig, Draw, Inputs, Tokenizer, assemble, card_sections,
    card_tables, licenses_of, query_sets, setting_facts, statistics,
};
use barecode_formats::{CardTable, Facts, new_card};
use barecode_records::{Group, Leak, Outcome, Query, Setting, Split, Unit, Variant};
use barecode_testing::made::{origin, query, toolchain, unit, variant};

const SETTINGS: [(Setting, Option<u32>); 3] = [
    (Setting::Standard, None),
    (Setting::NEUTRALIZED, None),
    (Setting::RANDOMIZED, Some(0)),
];

/// The card of a dataset, as the program puts it together.
fn card(project: &Project, dataset: &Dataset) -> String {
    let (test, train) = (&dataset.configurations, &dataset.train);
    let mut rows = statistics(Split::Test, test, &Tokenizer::CTokens).unwrap();
    rows.extend(statistics(Split::Train, train, &Tokenizer::CTokens).unwrap());
    let sections = CardFacts {
        barecode: "0.1.0".to_owned(),
        toolchain: Some(toolchain()),
        seed: 7,
        config: DatasetConfig::default(),
        statistics: rows,
        settings: setting_facts(&project.variants, test.iter().chain(train)),
        sets: query_sets(&project.queries),
        probe: None,
    };
    let mut facts = Facts {
        title: Some("Bare: a \"small\" project".to_owned()),
        about: Some(card_sections(&sections, test)),
        ..Facts::default()
    };
    facts.license_documents(&licenses_of(test, None));
    let tables: Vec<CardTable> = card_tables(test, train, None)
        .into_iter()
        .map(|table| CardTable {
            config: table.config,
            split: table.split.to_string(),
            path: table.path,
            rows: table.rows as u64,
        })
        .collect();
    new_card(&facts, &tables).unwrap()
}

struct Project {
    units: Vec<Unit>,
    variants: Vec<Variant>,
    queries: Vec<Query>,
    code_queries: Vec<(Draw, Vec<Query>)>,
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
            code_queries: Vec::new(),
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
        self.assembled_from(&SETTINGS, config)
    }

    fn assembled_under(&self, settings: &[(Setting, Option<u32>)]) -> Outcome<Dataset> {
        self.assembled_from(settings, &DatasetConfig::default())
    }

    fn assembled_from(
        &self,
        settings: &[(Setting, Option<u32>)],
        config: &DatasetConfig,
    ) -> Outcome<Dataset> {
        let parts = Inputs {
            units: &self.units,
            variants: &self.variants,
            queries: &self.queries,
            code_queries: &self.code_queries,
            settings,
        };
        let done = assemble(parts, config, 7);
        assert!(done.balances());
        done
    }
}
