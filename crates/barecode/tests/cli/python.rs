//! A repository of Python through all stages: small modules written for this test, on a machine without compilers.

use std::fs;

use barecode_python::Module;
use barecode_records::{Proof, Setting, Unit, Variant};
use serde_json::Value;

use crate::project::{Ended, Project, assert_same, bytes_of};

const RECIPE: &str = r#"
name = "shop"
seed = 3

[settings]
scope = "bound"
names = ["standard", "neutralized", "canonical", "randomized"]
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

const MODULES: [(&str, &str); 4] = [
    ("shop/shop/__init__.py", ""),
    (
        "shop/shop/prices.py",
        "\"\"\"Prices.\"\"\"\nimport math\n\nTAX = 0.19\n\n\ndef with_tax(net):\n    \"\"\"Adds the usual tax to a net price.\"\"\"\n    return net * (1 + TAX)\n\n\ndef rounded(price, digits=2):\n    \"\"\"Rounds half of a cent up, as shops do it.\"\"\"\n    factor = 10 ** digits\n    return math.floor(price * factor + 0.5) / factor\n\n\ndef spread(prices):\n    \"\"\"Says how far the lowest and the highest value are apart.\"\"\"\n    lowest, highest = min(prices), max(prices)\n    return highest - lowest\n",
    ),
    (
        "shop/shop/cart.py",
        "from .prices import rounded, with_tax\n\n\nclass Cart:\n    def __init__(self, owner):\n        self.owner = owner\n        self.chosen = []\n\n    def put_in(self, article, price):\n        \"\"\"Remembers an article that somebody wants to buy.\"\"\"\n        self.chosen.append((article, price))\n\n    def gross_total(self):\n        \"\"\"Sums up everything that was chosen so far.\n\n        :returns: with tax, rounded\n        \"\"\"\n        total = sum(with_tax(price) for _, price in self.chosen)\n        return rounded(total)\n\n    def counts_by_first_letter(self):\n        \"\"\"Counts the articles under each letter that they begin with.\"\"\"\n        counts = {}\n        for article, _ in self.chosen:\n            letter = article[:1]\n            counts[letter] = counts.get(letter, 0) + 1\n        return counts\n",
    ),
    (
        "shop/shop/odd.py",
        "def looked_up(key):\n    \"\"\"Finds the value that somebody else put there before.\"\"\"\n    return REGISTRY[key]\n\n\ndef not_yet():\n    \"\"\"Will do something that is useful to all.\"\"\"\n    raise NotImplementedError\n",
    ),
];

fn project() -> Project {
    let project = Project::empty();
    project.write("recipe.toml", RECIPE);
    for (path, text) in MODULES {
        project.write(path, text);
    }
    project
}

/// Runs the binary where no compiler is found.
fn run(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = project.command(arguments);
    command.env("PATH", project.path("nothing"));
    Ended::of(&command.output().unwrap())
}

#[test]
fn functions_of_python_are_asked_for_under_every_setting_of_names_and_no_compiler_is_needed() {
    let project = project();
    let ended = run(&project, &["build", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let built: Value = serde_json::from_str(&ended.stdout).unwrap();
    let counts = |stage: &str, kind: &str| built["stages"][stage]["counts"][kind].clone();
    assert_eq!(counts("extract", "functions")["kept"], 8);
    assert_eq!(counts("extract", "functions")["set_aside"]["no_body"], 1);
    assert_eq!(counts("check", "functions")["kept"], 7);
    assert_eq!(
        counts("check", "functions")["set_aside"]["undeclared_name"],
        1
    );
    let variants = counts("vary", "variants");
    assert_eq!(variants["kept"], 7 * 5, "{variants}");

    let run_folder = project.path("runs/shop");
    let units: Vec<Unit> =
        barecode_records::table::read(&run_folder.join("02-units/part-00000.parquet")).unwrap();
    let variants: Vec<Variant> =
        barecode_records::table::read(&run_folder.join("03-variants/part-00000.parquet")).unwrap();
    let unit = units
        .iter()
        .find(|unit| unit.name == "gross_total")
        .unwrap();
    assert_eq!(unit.references.functions, ["rounded", "with_tax"]);
    let neutral = variants
        .iter()
        .find(|variant| variant.unit_id == unit.id && variant.setting.label(None) == "neutralized")
        .unwrap();
    assert_eq!(
        neutral.text,
        "def method_0(self):\n    var_0 = sum(func_0(var_1) for _, var_1 in self.field_0)\n    return func_1(var_0)"
    );
    for variant in &variants {
        let unit = units
            .iter()
            .find(|unit| unit.id == variant.unit_id)
            .unwrap();
        let (one, other) = (&unit.closure.text, &variant.compiled_text);
        let (one, other) = (Module::parse(one).unwrap(), Module::parse(other).unwrap());
        assert!(one.scopes().same_bindings(other.scopes()));
        let proof = if variant.setting == Setting::Standard {
            Proof::Identity
        } else {
            Proof::Text
        };
        assert_eq!(variant.proof, proof);
        if proof == Proof::Text && !unit.name.starts_with("__") {
            assert!(!variant.text.contains(&unit.name), "{}", variant.text);
        }
    }
    let page = fs::read_to_string(run_folder.join("08-report/index.html")).unwrap();
    assert!(
        page.contains("Nothing was compiled"),
        "the page says what judged"
    );

    // The same bytes on one thread.
    let before = bytes_of(&run_folder);
    fs::remove_dir_all(&run_folder).unwrap();
    let ended = run(&project, &["build", "recipe.toml", "--threads", "1"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_same(&before, &bytes_of(&run_folder));
    assert!(ended.stdout.contains("neutralized"), "{}", ended.stdout);

    // What only compilers make is not made of Python, and every variant that is missing has its row.
    let recipe = RECIPE.replace("\"randomized\"", "\"assembly-o2\"");
    let recipe = recipe.replace("randomized-seeds = 2\n", "");
    project.write("recipe.toml", recipe);
    let ended = run(&project, &["vary", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let built: Value = serde_json::from_str(&ended.stdout).unwrap();
    let variants = &built["stages"]["vary"]["counts"]["variants"];
    assert_eq!(
        variants["set_aside"]["setting_other_language"], 7,
        "{variants}"
    );
    assert_eq!(variants["kept"], 7 * 3, "{variants}");
}

#[test]
fn a_source_is_mined_for_the_languages_that_the_recipe_names() {
    let project = project();
    project.write("shop/fast.c", "int twice(int x) { return 2 * x; }\n");
    let recipe = RECIPE.replace("license", "languages = [\"python\"]\nlicense");
    project.write("recipe.toml", recipe);
    let ended = run(&project, &["extract", "recipe.toml", "--json"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let built: Value = serde_json::from_str(&ended.stdout).unwrap();
    let files = &built["stages"]["extract"]["counts"]["files"];
    assert_eq!(files["set_aside"]["file_other_language"], 1, "{files}");

    // With C in it, the compiler is missed.
    project.write("recipe.toml", RECIPE);
    let ended = run(&project, &["build", "recipe.toml"]);
    assert_eq!(ended.code, Some(5), "{}", ended.stderr);

    let recipe = RECIPE.replace("license", "languages = [\"cobol\"]\nlicense");
    project.write("recipe.toml", recipe);
    let ended = run(&project, &["extract", "recipe.toml"]);
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(ended.stderr.contains("cobol"), "{}", ended.stderr);
}
