//! What is found about a function depends on neither its neighbors in a shard nor what an earlier run left in the cache.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;

use barecode_records::Unit;

use crate::project::{Project, assert_same, bytes_of, copy};

/// A recipe of these functions that takes at most `limit` of them.
fn recipe(limit: u32) -> String {
    format!(
        r#"
name = "limit-{limit}"
seed = 7

[[source]]
from = "path:many"
limit = {limit}

[settings]
names = ["standard", "neutralized"]

[dataset]
near-duplicates = false

[[retriever]]
name = "bm25"
kind = "bm25"
tokenizer = "code"

[scores]
measures = ["nDCG@10"]
resamples = 100
"#
    )
}

/// 262 functions: a shard and a few more. Each has a prototype that it does not need, and a constant that it needs.
fn project() -> Project {
    let project = Project::empty();
    let mut text = String::from("#include <stdio.h>\n\n");
    for number in 0..262 {
        let name = format!("shelf_{number}");
        write!(
            text,
            "enum {{ LIMIT_{number} = {number} }};\nint {name}(int a);\n\n\
             /* Adds the limit of shelf number {number} to a length and prints what comes out. */\n\
             int {name}(int a) {{\n    int sum = a + LIMIT_{number};\n    printf(\"%d\\n\", sum);\n    return sum;\n}}\n\n"
        )
        .unwrap();
    }
    project.write("many/many.c", text);
    for limit in [262, 257] {
        project.write(&format!("{limit}.toml"), recipe(limit));
    }
    project
}

fn build(project: &Project, limit: u32) -> BTreeMap<String, Vec<u8>> {
    let ended = project.run(&["build", &format!("{limit}.toml")]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    bytes_of(&project.path(&format!("runs/limit-{limit}")))
}

fn units(project: &Project, limit: u32) -> BTreeMap<String, Unit> {
    let mut units = BTreeMap::new();
    for part in ["part-00000.parquet", "part-00001.parquet"] {
        let path = project.path(&format!("runs/limit-{limit}/02-units/{part}"));
        let rows: Vec<Unit> = barecode_records::table::read(&path).unwrap();
        units.extend(
            rows.into_iter()
                .map(|unit| (unit.function_id.to_string(), unit)),
        );
    }
    units
}

#[test]
fn a_cache_that_another_recipe_filled_and_another_division_change_no_byte() {
    let (one, other) = (project(), project());
    // The last shard of the one has six functions, that of the other has one.
    let (wide, narrow) = (build(&one, 262), build(&other, 257));
    let (all, some) = (units(&one, 262), units(&other, 257));
    assert_eq!((all.len(), some.len()), (262, 257));
    for (id, unit) in &some {
        assert_eq!(unit, &all[id]);
    }
    // Each again, with what the other left.
    assert_same(&narrow, &build(&one, 257));
    assert_same(&wide, &build(&other, 262));
    // And with its own, once the run is gone.
    fs::remove_dir_all(one.path("runs")).unwrap();
    copy(&other.path("cache"), &one.path("cache"));
    assert_same(&wide, &build(&one, 262));
}
