#![expect(clippy::needless_raw_string_hashes, reason = "expect-test writes them")]

use expect_test::{Expect, expect};

use crate::project::{Project, RECIPE};

fn check(recipe: &str, expected: &Expect) {
    let project = Project::new();
    project.write("recipe.toml", recipe);
    let ended = project.run(&["build", "recipe.toml"]);
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(4), ""));
    assert!(
        !project.path("runs").exists(),
        "a recipe that is refused leaves nothing"
    );
    expected.assert_eq(&ended.stderr);
}

#[test]
fn a_typo_in_a_key_is_shown_with_line_and_nearest_key() {
    check(
        &RECIPE.replace("randomized-seeds", "randomised-seeds"),
        &expect![[r#"
        error: recipe.toml:12:1: unknown field `randomised-seeds`, expected one of `names`, `scope`, `randomized-seeds`
           |
        12 | randomised-seeds = 2
           | ^^^^^^^^^^^^^^^^

        hint: did you mean `randomized-seeds`?
    "#]],
    );
}

#[test]
fn a_typo_in_a_source_is_shown_with_line_and_nearest_key() {
    check(
        &RECIPE.replacen("from = ", "form = ", 1),
        &expect![[r#"
        error: recipe.toml:6:1: unknown field `form`, expected one of `from`, `include`, `exclude`, `languages`, `keep`, `defines`, `compile-commands`, `limit`, `documented-first`, `license`, `repository`, `first-commit`, `optional`
          |
        6 | form = "path:shelf"
          | ^^^^

        hint: did you mean `from`?
    "#]],
    );
}

#[test]
fn a_typo_in_a_measure_is_shown_with_line_and_nearest_measure() {
    check(
        &RECIPE.replace("\"R@1\"", "\"Recal@1\""),
        &expect![[r#"
            error: recipe.toml:24:24: unknown measure `Recal@1`; use an `ir_measures` name such as `nDCG@10`, `RR@10`, `AP`, `R@20`; did you mean `R`?
               |
            24 | measures = ["nDCG@10", "Recal@1"]
               |                        ^^^^^^^^^
        "#]],
    );
    check(
        &RECIPE.replace("\"nDCG@10\"", "\"NDGC@10\""),
        &expect![[r#"
            error: recipe.toml:24:13: unknown measure `NDGC@10`; use an `ir_measures` name such as `nDCG@10`, `RR@10`, `AP`, `R@20`; did you mean `nDCG`?
               |
            24 | measures = ["NDGC@10", "R@1"]
               |             ^^^^^^^^^
        "#]],
    );
}

#[test]
fn a_recipe_that_is_not_there_is_refused() {
    let ended = Project::new().run(&["build", "reciep.toml"]);
    assert_eq!(ended.code, Some(4));
    assert!(
        ended
            .stderr
            .contains("cannot read the recipe `reciep.toml`"),
        "{}",
        ended.stderr
    );
}
