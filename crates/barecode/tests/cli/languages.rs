//! A repository of nine languages through all stages, on a machine without compilers: the samples of the crate that
//! reads them, and files that are not what their ending says.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use barecode_records::{Function, Proof, SetAside, Setting, Unit, Variant};
use serde_json::Value;

use crate::project::{Ended, Project, assert_same, bytes_of};

const RECIPE: &str = r#"
name = "shop"
seed = 3

[settings]
scope = "bound"
names = ["standard", "neutralized", "canonical", "randomized", "shuffled"]
randomized-seeds = 2

[[source]]
from = "path:shop"
license = "MIT"

[dataset]
views = ["all"]

[[retriever]]
name = "bm25"
kind = "bm25"
"#;

fn project() -> Project {
    let project = Project::empty();
    project.write("recipe.toml", RECIPE);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../trees/tests/samples");
    for entry in fs::read_dir(samples).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending != "seen") {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            project.write(&format!("shop/{name}"), fs::read_to_string(&path).unwrap());
        }
    }
    project
}

/// Runs the binary where no compiler is found.
fn run(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = project.command(arguments);
    command.env("PATH", project.path("nothing"));
    Ended::of(&command.output().unwrap())
}

fn rows<T: barecode_records::table::Record>(project: &Project, file: &str) -> Vec<T> {
    let path = project.path("runs/shop").join(file);
    barecode_records::table::read(&path).unwrap()
}

#[test]
fn functions_of_nine_languages_are_asked_for_under_every_setting_of_names() {
    let project = project();
    let ended = run(&project, &["build", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let built: Value = serde_json::from_str(&ended.stdout).unwrap();
    let counts = |stage: &str, kind: &str| built["stages"][stage]["counts"][kind].clone();

    let functions: Vec<Function> = rows(&project, "01-functions/part-00000.parquet");
    let mut by_language: BTreeMap<&str, usize> = BTreeMap::new();
    for function in &functions {
        *by_language.entry(function.language.name()).or_default() += 1;
    }
    let expected = [
        ("csharp", 4),
        ("go", 3),
        ("java", 5),
        ("javascript", 10),
        ("php", 5),
        ("r", 4),
        ("ruby", 5),
        ("rust", 5),
        ("typescript", 4),
    ];
    assert_eq!(by_language, BTreeMap::from(expected));
    let checked = counts("check", "functions");
    assert_eq!(checked["kept"], functions.len(), "{checked}");
    let variants = counts("vary", "variants");
    assert_eq!(variants["kept"], functions.len() * 7, "{variants}");

    let units: Vec<Unit> = rows(&project, "02-units/part-00000.parquet");
    let variants: Vec<Variant> = rows(&project, "03-variants/part-00000.parquet");
    let neutral = |name: &str, language: &str| -> &str {
        let mut of_name = units.iter();
        let unit = of_name.find(|unit| unit.name == name && unit.language.name() == language);
        let unit = unit.unwrap();
        let mut variants = variants.iter();
        let is_it = |variant: &&Variant| {
            variant.unit_id == unit.id && variant.setting == Setting::NEUTRALIZED
        };
        &variants.find(is_it).unwrap().text
    };
    assert_eq!(
        neutral("check", "go"),
        "func func_0(var_0 string) error { return nil }"
    );
    // Another object may be of this class, so what is called of it keeps its name.
    assert_eq!(
        neutral("size", "java"),
        "int size() { return field_0.size(); }"
    );
    assert_eq!(
        neutral("count", "javascript"),
        "method_0() {\n  return this.field_0;\n}"
    );
    assert_eq!(
        neutral("twice", "rust"),
        "fn method_0(var_0: usize) -> usize { var_0 * 2 }"
    );
    assert_eq!(
        neutral("size", "php"),
        "private function method_0($var_0) { return \"$var_0 of {$this->field_0}\"; }"
    );
    assert_eq!(
        neutral("price", "ruby"),
        "def price(var_0)\n  var_0.price\nend"
    );
    assert_eq!(
        neutral("helper", "r"),
        "func_0 <- function(var_0, var_1) var_0 * var_1"
    );
    for variant in &variants {
        let proof = match variant.setting {
            Setting::Standard => Proof::Identity,
            _ => Proof::Text,
        };
        assert_eq!(variant.proof, proof);
    }
    let add = units
        .iter()
        .find(|unit| unit.name == "Add" && unit.language.name() == "go");
    let add = add.unwrap();
    assert_eq!(add.references.functions, ["check", "log"]);
    assert_eq!(add.references.types, ["Cart", "Item"]);
    assert_eq!(add.references.globals, ["limit"]);

    let page = fs::read_to_string(project.path("runs/shop/08-report/index.html")).unwrap();
    assert!(
        page.contains("Nothing was compiled"),
        "the page says what judged"
    );
    assert!(!page.contains("machine code as its original"), "{page}");

    // The same bytes on one thread.
    let run_folder = project.path("runs/shop");
    let before = bytes_of(&run_folder);
    fs::remove_dir_all(&run_folder).unwrap();
    let ended = run(&project, &["build", "recipe.toml", "--threads", "1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_same(&before, &bytes_of(&run_folder));
}

#[test]
fn files_that_are_not_what_their_ending_says_have_rows() {
    let project = Project::empty();
    project.write("recipe.toml", RECIPE);
    project.write("shop/good.go", "package p\n\n// Doubles a number that somebody gives.\nfunc Twice(n int) int { return n * 2 }\n");
    project.write("shop/broken.java", "class { public }} int (\n");
    project.write(
        "shop/page.php",
        "<html><body>No code at all</body></html>\n",
    );
    project.write(
        "shop/half.js",
        "function whole(a) { return a + 1; }\nfunction broken(a) { return a +; }\nfunction outer() { function inner() { return 1; } return inner; }\n",
    );
    project.write(
        "shop/deep.js",
        format!("f({}{});\n", "[\n".repeat(5000), "]".repeat(5000)),
    );
    project.write("shop/latin.rb", b"# caf\xe9\ndef caf\n  1\nend\n");
    let ended = run(&project, &["extract", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let functions: Vec<Function> = rows(&project, "01-functions/part-00000.parquet");
    let mut names: Vec<&str> = functions.iter().map(|function| &*function.name).collect();
    names.sort_unstable();
    assert_eq!(names, ["Twice", "caf", "outer", "whole"]);
    let set_aside: Vec<SetAside> = rows(&project, "01-functions/_set-aside/part-00000.parquet");
    let mut reasons: Vec<String> = set_aside
        .iter()
        .map(|row| {
            let path = row.origin.as_ref().map_or("", |origin| &origin.path);
            let name = row.name.as_deref().unwrap_or_default();
            format!("{path} {name}: {} {}", row.reason, row.detail)
        })
        .collect();
    reasons.sort();
    assert_eq!(
        reasons,
        [
            "broken.java : parse_error line 1: class { public }} int (",
            "deep.js : parse_error it is nested more than 2000 deep",
            "half.js broken: parse_error ",
            "half.js inner: local_function of outer",
        ]
    );
}

#[test]
fn functions_of_python_have_the_names_of_advtest() {
    let project = Project::empty();
    let recipe = RECIPE.replace(
        "[\"standard\", \"neutralized\", \"canonical\", \"randomized\", \"shuffled\"]\nrandomized-seeds = 2",
        "[\"standard\", \"advtest\", \"advtest-tokens\"]",
    );
    project.write("recipe.toml", &recipe);
    project.write(
        "shop/area.py",
        "import math\n\nFACTOR = 2\n\n\ndef area(width, height=1, **options):\n    \"\"\"Says how large a field of these sides is.\"\"\"\n    size = width * height * FACTOR\n    parts = [part for part in options]\n    return math.floor(show(size, width=size, key=parts))\n\n\ndef show(size, width, key):\n    return size.width\n",
    );
    project.write(
        "shop/good.go",
        "package p\n\nfunc Twice(n int) int { return n * 2 }\n",
    );
    let ended = run(&project, &["build", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let built: Value = serde_json::from_str(&ended.stdout).unwrap();
    let variants = &built["stages"]["vary"]["counts"]["variants"];
    assert_eq!(
        variants["set_aside"]["setting_other_language"], 2,
        "{variants}"
    );
    let variants: Vec<Variant> = rows(&project, "03-variants/part-00000.parquet");
    let text = |label: &str| {
        let mut of_setting = variants
            .iter()
            .filter(|variant| variant.setting.to_string() == label);
        of_setting
            .find(|variant| variant.text.contains("FACTOR"))
            .unwrap()
    };
    let (exact, published) = (text("advtest"), text("advtest-tokens"));
    assert_eq!(
        exact.text,
        "def Func(arg_0, arg_1=1, **arg_2):\n    arg_3 = arg_0 * arg_1 * FACTOR\n    arg_4 = [arg_5 for arg_5 in arg_2]\n    return math.floor(show(arg_3, width=arg_3, key=arg_4))"
    );
    assert_eq!(exact.proof, Proof::Text);
    assert_eq!(
        published.text,
        "def Func(arg_0, arg_1=1, **arg_2):\n    arg_3 = arg_0 * arg_1 * FACTOR\n    arg_4 = [arg_5 for arg_5 in arg_2]\n    return math.floor(show(arg_3, arg_0=arg_3, key=arg_4))"
    );
    assert_eq!(published.proof, Proof::Imitation);
}

#[test]
fn names_change_by_spelling_unless_the_recipe_says_otherwise() {
    let project = project();
    project.write("recipe.toml", RECIPE.replace("scope = \"bound\"\n", ""));
    let ended = run(&project, &["build", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let units: Vec<Unit> = rows(&project, "02-units/part-00000.parquet");
    let variants: Vec<Variant> = rows(&project, "03-variants/part-00000.parquet");
    assert_eq!(variants.len(), units.len() * 7);
    let renamed = variants
        .iter()
        .filter(|one| one.setting != Setting::Standard);
    assert!(
        renamed
            .clone()
            .all(|variant| variant.proof == Proof::Spelled)
    );
    // A name of a member is one name, whatever object it is taken from.
    let of = |name: &str, language: &str| -> &str {
        let is_it = |unit: &&Unit| unit.name == name && unit.language.name() == language;
        let unit = units.iter().find(is_it).unwrap();
        let is_it = |one: &&Variant| one.unit_id == unit.id && one.setting == Setting::NEUTRALIZED;
        &variants.iter().find(is_it).unwrap().text
    };
    let price = of("price", "ruby");
    assert!(
        price.starts_with("def method_") && !price.contains("price"),
        "{price}"
    );
    let (own, kept) = renamed.fold((0, 0), |(own, kept), one| {
        (
            own + one.own_names.unwrap(),
            kept + one.own_names_kept.unwrap(),
        )
    });
    assert!(own > 300 && kept * 10 < own, "{kept} of {own}");
    let card = fs::read_to_string(project.path("runs/shop/05-dataset/README.md")).unwrap();
    assert!(card.contains("by one map for the whole source"), "{card}");
    let page = fs::read_to_string(project.path("runs/shop/08-report/index.html")).unwrap();
    assert!(
        page.contains("names left by language"),
        "the page says what is left"
    );

    // The same bytes on one thread.
    let before = bytes_of(&project.path("runs/shop"));
    fs::remove_dir_all(project.path("runs/shop")).unwrap();
    let ended = run(&project, &["build", "recipe.toml", "--threads", "1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_same(&before, &bytes_of(&project.path("runs/shop")));
}
