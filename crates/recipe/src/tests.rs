//! The messages for recipes that cannot be used.

use std::fs;

use barecode_evaluate::{Choice, SystemKind};
use expect_test::{Expect, expect};

use super::scores::MEASURES;
use super::*;

fn check_error(text: &str, expected: &Expect) {
    let failure = Recipe::parse(text, "r.toml", Path::new(".")).unwrap_err();
    let hint = failure.hint.map(|hint| format!("hint: {hint}\n"));
    expected.assert_eq(&format!(
        "{}\n{}",
        failure.message,
        hint.unwrap_or_default()
    ));
}

const SOURCE: &str = "[[source]]\nfrom = \"path:lib\"\n";

#[test]
fn a_minimal_recipe_gets_every_default() {
    let recipe =
        Recipe::parse(&format!("name = \"a\"\n{SOURCE}"), "r.toml", Path::new("x")).unwrap();
    assert_eq!(recipe.out, Path::new("x/runs/a"));
    assert_eq!(recipe.settings, Setting::DEFAULT);
    assert_eq!(recipe.draws().len(), 4, "two draws of `randomized`");
    let clarc = format!(
        "name = \"a\"\n{SOURCE}[settings]\nnames = [\"neutralized-clarc\", \"randomized\"]\n"
    );
    let clarc = Recipe::parse(&clarc, "r.toml", Path::new("x")).unwrap();
    assert_eq!(clarc.draws().len(), 11, "ten of them as CLARC has");
    let measures: Vec<String> = recipe
        .scores
        .measures
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(measures, MEASURES);
}

#[test]
fn a_resolved_recipe_is_a_recipe_and_resolves_to_itself() {
    let text =
        format!("name = \"a\"\nseed = 7\n{SOURCE}[[retriever]]\nname = \"x\"\nkind = \"bm25\"\n");
    let recipe = Recipe::parse(&text, "r.toml", Path::new(".")).unwrap();
    let again = Recipe::parse(&recipe.to_toml(), "again.toml", Path::new(".")).unwrap();
    assert_eq!(again.resolved(), recipe.resolved());
}

#[test]
fn the_recipes_of_the_documentation_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
    let mut models = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            continue;
        }
        if is_suite(&path) {
            Suite::read(&path).unwrap();
        } else {
            models += Recipe::read(&path).unwrap().models.len();
        }
    }
    assert_eq!(models, 4);
}

#[test]
fn the_recipe_of_python_spells_out_the_papers_pipelines() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes/python.toml");
    let recipe = Recipe::read(&path).unwrap();
    let pipelines = &recipe.programs.pipelines;
    for usual in PipelineConfig::usual() {
        let named = |config: &&PipelineConfig| config.name == usual.name;
        let written = pipelines.iter().find(named).unwrap();
        assert!(!written.steps.is_empty());
        let shown = |config: &PipelineConfig| format!("{:?}", config.pipeline().unwrap());
        assert_eq!(shown(written), shown(&usual));
    }
}

#[test]
fn an_unknown_key_is_refused_with_its_place_and_the_nearest_key() {
    check_error(
        "name = \"a\"\nsede = 3\n",
        &expect![[r#"
        r.toml:2:1: unknown field `sede`, expected one of `name`, `seed`, `out`, `models`, `budget`, `source`, `manifest`, `programs`, `filters`, `python`, `pipeline`, `probe`, `alternates`, `extract`, `check`, `settings`, `queries`, `dataset`, `retriever`, `model`, `retrieve`, `scores`
          |
        2 | sede = 3
          | ^^^^
        hint: did you mean `seed`?
    "#]],
    );
}

#[test]
fn an_unknown_setting_is_refused_with_the_nearest_setting() {
    check_error(
        &format!("name = \"a\"\n{SOURCE}[settings]\nnames = [\"standard\", \"nutralized\"]\n"),
        &expect![[r#"
            r.toml:5:22: unknown setting `nutralized`, expected one of standard, neutralized, canonical, randomized, randomized-same-length, characters-same, characters-uniform, characters-shortest, characters-fixed-8, shuffled, adjective-noun, advtest, advtest-tokens, assembly-o0, assembly-aarch64-o0, assembly-riscv64-o0, assembly-clang-o0, assembly-clang-aarch64-o0, assembly-clang-riscv64-o0, wasm-o0, llvm-ir-o0; names may end in `-dose-PERCENT`, `-only-ROLE-…`, `-foreign`, `-strings` or `-masked`, or in `-clarc`, code in `-o0` to `-o3`, `-os` and `-clarc`
              |
            5 | names = ["standard", "nutralized"]
              |                      ^^^^^^^^^^^^
            hint: did you mean `neutralized`?
        "#]],
    );
}

#[test]
fn a_length_of_names_that_is_none_is_refused_with_those_that_are() {
    check_error(
        "name = \"a\"\n[[programs]]\nfrom = \"path:x\"\n[[pipeline]]\nname = \"p\"\nkind = \"clone\"\nsteps = [{ transform = \"ChangeNames\", strategy = \"random_chars\", length = \"same\" }]\n",
        &expect![[r#"
            r.toml:7:75: invalid value: string "same", expected `original`, `uniform`, `shortest` or a number of letters up to 255
              |
            7 | steps = [{ transform = "ChangeNames", strategy = "random_chars", length = "same" }]
              |                                                                           ^^^^^^
        "#]],
    );
}

#[test]
fn names_of_other_packages_are_told_by_spelling_only() {
    check_error(
        &format!(
            "name = \"a\"\n{SOURCE}[settings]\nnames = [\"neutralized-foreign\"]\nscope = \"bound\"\n"
        ),
        &expect![[r#"
            r.toml:5:10: `neutralized-foreign` changes names of other packages, which needs a renaming by spelling
              |
            5 | names = ["neutralized-foreign"]
              |          ^^^^^^^^^^^^^^^^^^^^^
            hint: leave `scope = "bound"` out, or the setting
        "#]],
    );
}

#[test]
fn an_unknown_measure_is_refused_with_the_nearest_measure() {
    check_error(
        &format!("name = \"a\"\n{SOURCE}[scores]\nmeasures = [\"NDGC@10\"]\n"),
        &expect![[r#"
            r.toml:5:13: unknown measure `NDGC@10`; use an `ir_measures` name such as `nDCG@10`, `RR@10`, `AP`, `R@20`; did you mean `nDCG`?
              |
            5 | measures = ["NDGC@10"]
              |             ^^^^^^^^^
        "#]],
    );
}

#[test]
fn an_unknown_kind_of_retriever_is_refused_with_the_nearest_kind() {
    check_error(
        &format!("name = \"a\"\n{SOURCE}[[retriever]]\nname = \"x\"\nkind = \"bm52\"\n"),
        &expect![[r#"
            r.toml:6:8: unknown variant `bm52`, expected one of `bm25`, `jaccard`, `structural`, `random`, `dense`, `vectors`, `run`, `fused`, `reranked`
              |
            6 | kind = "bm52"
              |        ^^^^^^
            hint: did you mean `bm25`?
        "#]],
    );
}

#[test]
fn a_model_is_found_in_a_table_and_resolved_with_it() {
    let text = format!(
        "name = \"a\"\n{SOURCE}[[retriever]]\nkind = \"dense\"\nmodel = \"mini\"\ndtype = \"int8\"\n\
         [[retriever]]\nkind = \"dense\"\nmodel = \"voyage:voyage-code-3\"\n\
         [[model]]\nname = \"mini\"\nkind = \"local\"\npath = \"models/mini\"\ndimensions = 64\n\
         [[model]]\nname = \"unused\"\nkind = \"hf\"\nmodel = \"a/b\"\n"
    );
    let recipe = Recipe::parse(&text, "r.toml", Path::new(".")).unwrap();
    let names: Vec<&str> = recipe.retrievers.iter().map(System::name).collect();
    assert_eq!(names, ["mini-int8", "voyage-code-3"]);
    let model = &recipe.models["mini-int8"];
    assert_eq!(model.position, "r.toml:6:9");
    assert_eq!(model.spec.dimensions, Some(64));
    assert_eq!(
        recipe.retrievers[0].dense().unwrap().vectors.dimensions,
        Some(64)
    );
    let written = recipe.to_toml();
    assert!(!written.contains("unused"), "{written}");
    let again = Recipe::parse(&written, "again.toml", Path::new(".")).unwrap();
    assert_eq!(again.resolved(), recipe.resolved());
    assert_eq!(again.models["mini-int8"].spec, model.spec);
}

#[test]
fn a_model_that_is_none_is_refused_with_its_place() {
    let with = |model: &str| {
        format!("name = \"a\"\n{SOURCE}[[retriever]]\nkind = \"dense\"\nmodel = \"{model}\"\n")
    };
    check_error(
        &(with("minni") + "[[model]]\nname = \"mini\"\nkind = \"hf\"\nmodel = \"a/b\"\n"),
        &expect![[r#"
            r.toml:6:9: the recipe has no model `minni`
              |
            6 | model = "minni"
              |         ^^^^^^^
            hint: did you mean `mini`?
        "#]],
    );
    check_error(
        &with("voyag:voyage-code-3"),
        &expect![[r#"
        r.toml:6:9: model `voyag:voyage-code-3`: `voyag` is not a kind of model; did you mean `voyage`?
          |
        6 | model = "voyag:voyage-code-3"
          |         ^^^^^^^^^^^^^^^^^^^^^
        hint: models are bm25, bm25:tokenizer=plain,k1=1.2, jaccard, structural, local:FOLDER, hf:ORG/NAME, openai:MODEL, anthropic:MODEL, voyage:MODEL, cohere:MODEL, jina:MODEL, gemini:MODEL, tei:URL, openai+URL#MODEL, process:COMMAND, vectors:FILE, run:FILE, or names from models.toml
    "#]],
    );
    check_error(
        &with("run:old.trec"),
        &expect![[r#"
        r.toml:6:9: a model of kind `run` does not embed texts
          |
        6 | model = "run:old.trec"
          |         ^^^^^^^^^^^^^^
        hint: write `kind = "vectors"` or `kind = "run"` and `path` for the retriever
    "#]],
    );
    check_error(
        &with("openai+http://localhost:8000/v1"),
        &expect![[r#"
        r.toml:6:9: the server's model has no name, so the evaluated model would be unknown
          |
        6 | model = "openai+http://localhost:8000/v1"
          |         ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
        hint: name it: openai+URL#MODEL
    "#]],
    );
    check_error(
        &(String::from("models = \"nowhere.toml\"\n") + &with("mini")),
        &expect![[r#"
            r.toml:1:10: cannot read the models in `nowhere.toml`: No such file or directory (os error 2)
              |
            1 | models = "nowhere.toml"
              |          ^^^^^^^^^^^^^^
            hint: `models` names a file with tables `[[model]]`, from the recipe's folder
        "#]],
    );
}

#[test]
fn a_table_of_the_recipe_goes_before_a_short_form() {
    let rerank = "[[retriever]]\nkind = \"bm25\"\n[[retriever]]\nkind = \"reranked\"\nof = \"bm25\"\nmodel = \"structural\"\n";
    let table = "[[model]]\nname = \"structural\"\nkind = \"structural\"\nnames = false\n";
    for (tables, names) in [("", true), (table, false)] {
        let text = format!("name = \"a\"\n{SOURCE}{rerank}{tables}");
        let recipe = Recipe::parse(&text, "r.toml", Path::new(".")).unwrap();
        let SystemKind::Reranked { by, .. } = recipe.retrievers[1].kind() else {
            panic!("not reranked");
        };
        let form = if names {
            "structural"
        } else {
            "structural:names=false"
        };
        let expected: Choice = form.parse().unwrap();
        assert_eq!(*by, expected.reranker().unwrap());
    }
}

#[test]
fn two_retrievers_of_one_name_are_refused() {
    let retriever = "[[retriever]]\nname = \"x\"\nkind = \"random\"\n";
    check_error(
        &format!("name = \"a\"\n{SOURCE}{retriever}{retriever}"),
        &expect![[r#"
        r.toml:7:1: two retrievers are named `x`
          |
        7 | [[retriever]]
          | ^^^^^^^^^^^^^
        hint: give each a name of its own
    "#]],
    );
}

#[test]
fn a_recipe_cannot_write_outside_its_folder() {
    for out in ["../x", "/tmp/x", ".", "a/../../b"] {
        let text = format!("name = \"a\"\nout = \"{out}\"\n{SOURCE}");
        let failure = Recipe::parse(&text, "r.toml", Path::new(".")).unwrap_err();
        assert!(
            failure.message.starts_with("r.toml:2:7: `out`"),
            "{}",
            failure.message
        );
    }
}

#[test]
fn zero_draws_are_refused() {
    check_error(
        &format!("name = \"a\"\n{SOURCE}[settings]\nrandomized-seeds = 0\n"),
        &expect![[r#"
        r.toml:5:20: `randomized-seeds` is 0: nothing would be drawn
          |
        5 | randomized-seeds = 0
          |                    ^
        hint: leave `randomized` out of `names`, or draw at least once
    "#]],
    );
}

#[test]
fn numbers_that_no_machine_can_hold_are_refused() {
    let seeds = format!("name = \"a\"\n{SOURCE}[settings]\nrandomized-seeds = 4000000000\n");
    let resamples = format!("name = \"a\"\n{SOURCE}[scores]\nresamples = 4294967295\n");
    for (text, wanted) in [(seeds, "more than 1000"), (resamples, "more than 1000000")] {
        let message = Recipe::parse(&text, "r.toml", Path::new("."))
            .unwrap_err()
            .message;
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn a_recipe_without_a_source_is_refused() {
    check_error(
        "name = \"a\"\n",
        &expect![[r#"
        r.toml: no `[[source]]` and no `[[programs]]`
        hint: add a table such as `[[source]]` with `from = "path:lib"`
    "#]],
    );
}

#[test]
fn broken_toml_is_shown_where_it_breaks() {
    check_error(
        "name = \"a\nseed = 3\n",
        &expect![[r#"
        r.toml:1:10: invalid basic string, expected `"`
          |
        1 | name = "a
          |          ^
    "#]],
    );
}
