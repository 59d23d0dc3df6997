//! Scripts of R through all stages, and their comments in classes: scripts written for this test, on a machine without
//! compilers.

use std::collections::BTreeMap;
use std::fs;

use barecode_records::{FunctionKind, Query, Reason, SetAside, Unit, table};
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::project::{Ended, Project, bytes_of};

const KEY: &str = "sk-the-right-key";

const RECIPE: &str = r#"
name = "trial"
seed = 3

[extract]
pairs = "statements"

[[source]]
from = "path:trial"

[settings]
names = ["standard"]

[queries]
min-words = 2

[dataset]
views = ["all"]
near-duplicates = false

[[retriever]]
name = "bm25"
kind = "bm25"
tokenizer = "code"
"#;

/// A script, a document, a notebook and what nobody can read.
const FILES: [(&str, &str); 6] = [
    (
        "trial/LICENSE",
        "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:\n\nThe above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.\n\nTHE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.\n",
    ),
    (
        "trial/analysis.R",
        "suppressPackageStartupMessages(library(lme4))\n\n# read answers of all participants\nanswers <- read.csv(\"answers.csv\")\nanswers <- subset(answers, age >= 18)\n\n\
         # fit the mixed model\nlibrary(dplyr)\nmodel <- lmer(score ~ group + (1 | person), data = answers) # may warn\nsummary(model)\n\n\
         # test both groups against each other\nt.test(score ~ group, data = answers)\n\n#---- plot the residuals ----\nplot(resid(model))\nabline(h = 0)\n\n\
         # several things at once\nwrite.csv(coef(model), \"coef.csv\")\n\n# refuse to go on\nstopifnot(nrow(answers) > 0)\n\n# tidy up afterwards\nrm(answers)\n\n\
         # old <- lm(score ~ group)\n# summary(old)\nrm(model)\n\n# Data\nx <- 1\n",
    ),
    (
        "trial/report.Rmd",
        "---\ntitle: Report\n---\n\n```{r setup}\n#| echo: false\n# read the table of countries\ncountries <- readRDS(\"countries.rds\")\n```\n\n```{r}\n\
         # plot income by country\nbarplot(countries$income, names.arg = countries$name)\n```\n",
    ),
    (
        "trial/notes.ipynb",
        "{\"cells\": [{\"cell_type\": \"code\", \"source\": [\"# fit income by a line\\n\", \"line <- lm(income ~ year, data = countries)\"]}], \
         \"metadata\": {\"kernelspec\": {\"name\": \"ir\", \"language\": \"R\"}}}",
    ),
    ("trial/broken.ipynb", "{\"cells\": ["),
    (
        "trial/unbalanced.R",
        "# never closed again\nf <- function(x) {\n  (x\n",
    ),
];

fn project(more: &str) -> Project {
    let project = Project::empty();
    project.write("recipe.toml", RECIPE.to_owned() + more);
    for (path, text) in FILES {
        project.write(path, text);
    }
    project
}

/// Runs the binary where no compiler is found.
fn run(project: &Project, arguments: &[&str]) -> Ended {
    let mut command = project.command(arguments);
    command
        .env("PATH", project.path("nothing"))
        .env("OPENAI_COMPATIBLE_API_KEY", KEY);
    Ended::of(&command.output().unwrap())
}

fn ok(project: &Project, arguments: &[&str]) -> String {
    let ended = run(project, arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended.stdout
}

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn comments_of_scripts_ask_for_the_statements_below_them() {
    let project = project("");
    let built = parsed(&ok(&project, &["build", "recipe.toml", "--json"]));
    let counts = |stage: &str, kind: &str| built["stages"][stage]["counts"][kind].clone();
    assert_eq!(counts("extract", "functions")["kept"], 10);
    let comments = counts("extract", "comments");
    assert_eq!(
        comments["set_aside"],
        json!({ "code_unparsable": 1, "comment_behind_code": 1, "comment_for_tool": 1, "comment_is_code": 1, "comment_too_short": 1 })
    );
    assert_eq!(
        counts("extract", "files")["set_aside"],
        json!({ "notebook_broken": 1 })
    );
    assert_eq!(counts("check", "functions")["kept"], 10);
    let folder = project.path("runs/trial");
    let units = table::read::<Unit>(&folder.join("02-units/part-00000.parquet")).unwrap();
    let unit = |start: &str| {
        units
            .iter()
            .find(|unit| unit.docs[0].text.starts_with(start))
            .unwrap()
    };
    let fitted = unit("fit the mixed");
    assert_eq!(
        fitted.text,
        "model <- lmer(score ~ group + (1 | person), data = answers)\nsummary(model)"
    );
    assert_eq!(
        (fitted.kind, fitted.language.name()),
        (FunctionKind::Block, "r")
    );
    assert_eq!(fitted.origin.license.as_deref(), Some("MIT"));
    assert_eq!(unit("plot income").origin.place(), "report.Rmd:13-13");
    assert_eq!(unit("fit income").origin.path, "notes.ipynb");
    let scores = built["scores"].as_array().unwrap();
    assert!(
        scores
            .iter()
            .any(|row| row["queries"] == 10 && row["value"].as_f64().unwrap() > 0.3),
        "{scores:?}"
    );
    let again = ok(&project, &["build", "recipe.toml", "--json"]);
    assert_eq!(parsed(&again)["worked"], false);
}

#[test]
fn the_published_rules_keep_every_pair_as_it_is() {
    let project = project("");
    let recipe = RECIPE.replace("\"statements\"", "\"statcodesearch\"");
    project.write("recipe.toml", recipe);
    let script =
        "# plot it all\nplot(x,\n     y)\n\n# plot it all\nplot(x,\n     y)\n# and close (\nx)\n";
    project.write("trial/analysis.R", script);
    project.write(
        "trial/tests/second.r",
        "# plot it again\nplot(x,\n     y)\nplot(x,\n     y)\n",
    );
    let built = parsed(&ok(&project, &["build", "recipe.toml", "--json"]));
    let counts = |stage: &str, kind: &str| built["stages"][stage]["counts"][kind].clone();
    // Tests are read, documents are not, and what is not R stays.
    assert_eq!(counts("extract", "functions")["kept"], 4);
    assert_eq!(
        counts("extract", "comments")["set_aside"],
        json!({ "comment_repeated": 1 })
    );
    assert_eq!(
        counts("extract", "files")["set_aside"],
        json!({ "file_other_language": 3 })
    );
    assert_eq!(counts("check", "functions")["kept"], 4);
    let folder = project.path("runs/trial");
    let units = table::read::<Unit>(&folder.join("02-units/part-00000.parquet")).unwrap();
    let texts: Vec<&str> = units.iter().map(|unit| unit.text.as_str()).collect();
    let plotted = "plot(x, y) plot(x, y) ";
    assert_eq!(texts, [plotted, "x) ", plotted, "f <- function(x) { (x "]);
    let queries = table::read::<Query>(&folder.join("04-queries/part-00000.parquet")).unwrap();
    let mut texts: Vec<&str> = queries.iter().map(|query| query.text.as_str()).collect();
    texts.sort_unstable();
    assert_eq!(
        texts,
        [
            "and close (",
            "never closed again",
            "plot it again",
            "plot it all"
        ]
    );
}

fn classifying(server: &Started) -> Project {
    let more = format!(
        "[[model]]\nname = \"mine\"\nkind = \"openai\"\nurl = \"{}\"\nmodel = \"gpt-test\"\nprice = 2\noutput-price = 8\n",
        server.url("/v1")
    );
    let project = project(&more);
    let recipe = fs::read_to_string(project.path("recipe.toml")).unwrap();
    let recipe = recipe.replace("min-words = 2", "min-words = 2\nclassify = \"mine\"");
    project.write("recipe.toml", recipe);
    project.write("models.toml", more);
    project
}

#[test]
fn a_model_puts_comments_in_classes_and_a_person_has_the_last_word() {
    let Some(server) = Started::start("writer.py", &[]) else {
        return;
    };
    let project = classifying(&server);
    for verb in ["extract", "check"] {
        ok(&project, &[verb, "recipe.toml"]);
    }
    // What it costs is known before anything is asked.
    let planned = parsed(&ok(
        &project,
        &["query", "recipe.toml", "--dry-run", "--json"],
    ));
    let planned = &planned["estimates"][0];
    assert_eq!(
        (&planned["writer"], &planned["new_texts"]),
        (&json!("classify (mine)"), &json!(10))
    );
    assert!(planned["dollars"].as_f64().unwrap() > 0.0, "{planned}");
    assert_eq!(server.status()["requests"], 0);

    let arguments = [
        "query",
        "recipe.toml",
        "--no-cache",
        "--cassette",
        "tape.jsonl",
        "--json",
    ];
    let said = parsed(&ok(&project, &arguments));
    let counts = &said["stages"]["query"]["counts"]["units"];
    assert_eq!(
        (&counts["entered"], &counts["kept"], &counts["set_aside"]),
        (
            &json!(10),
            &json!(7),
            &json!({ "answer_refused": 1, "class_none": 1, "class_unknown": 1 })
        )
    );
    let folder = project.path("runs/trial");
    let part = folder.join("04-queries/part-00000.parquet");
    let queries = table::read::<Query>(&part).unwrap();
    let mut classes: BTreeMap<&str, u32> = BTreeMap::new();
    for query in &queries {
        *classes.entry(query.class.as_deref().unwrap()).or_default() += 1;
    }
    let expected = [
        ("Data Variable", 2),
        ("Statistical Modeling", 2),
        ("Statistical Test", 1),
        ("Visualization", 2),
    ];
    assert_eq!(classes.into_iter().collect::<Vec<_>>(), expected);
    let aside =
        table::read::<SetAside>(&folder.join("04-queries/_set-aside/part-00000.parquet")).unwrap();
    let unknown = aside
        .iter()
        .find(|row| row.reason == Reason::ClassUnknown)
        .unwrap();
    assert_eq!(
        unknown.detail,
        "[Visualization] or [Data Variable]: several things at once"
    );

    // From the cassette, without network and key: the same queries.
    let expected = fs::read(&part).unwrap();
    drop(server);
    fs::remove_dir_all(folder.join("04-queries")).unwrap();
    let replay = [
        "query",
        "recipe.toml",
        "--no-cache",
        "--cassette",
        "tape.jsonl",
        "--replay",
    ];
    let ended = project.run(&replay);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        fs::read(&part).unwrap() == expected,
        "the same queries from the cassette"
    );

    // The last step is a person's: the pairs with their classes, and what was decided.
    ok(
        &project,
        &["review", "new", "runs/trial", "--out", "review.sqlite"],
    );
    let page = project.path("review.html");
    let out = page.to_str().unwrap();
    ok(
        &project,
        &[
            "review",
            "offline",
            "review.sqlite",
            "--rater",
            "reviewer",
            "--out",
            out,
        ],
    );
    let page = fs::read_to_string(page).unwrap();
    assert!(
        page.contains("Statistical Modeling") && page.contains("lmer(score ~ group"),
        "{page}"
    );
    let dropped = queries
        .iter()
        .find(|query| query.text.starts_with("test both"))
        .unwrap();
    project.write(
        "patch.csv",
        format!("record,decision,text,reviewer,at,note\n{},drop,,reviewer,2026-11-23T10:00:00Z,too vague\n", dropped.id),
    );
    let recipe = fs::read_to_string(project.path("recipe.toml")).unwrap();
    let recipe = recipe.replace("classify =", "reviews = [\"patch.csv\"]\nclassify =");
    project.write("recipe.toml", recipe);
    ok(&project, &["vary", "recipe.toml"]);
    let assembled = parsed(&ok(&project, &["assemble", "recipe.toml", "--json"]));
    let aside = &assembled["stages"]["assemble"]["counts"]["queries"]["set_aside"];
    assert_eq!(aside["review_dropped"], 1, "{aside}");
    assert!(!bytes_of(&folder).is_empty());
}

#[test]
fn files_of_pairs_are_classified_for_a_review() {
    let Some(server) = Started::start("writer.py", &[]) else {
        return;
    };
    let project = classifying(&server);
    project.write(
        "pairs.csv",
        "Idx,Comment,Code,License,Label\n1 a.R 0,plot it by trial,\"plot(x) \",MIT,\n1 a.R 1,something else entirely,y ,MIT,\n1 a.R 2,\"fit \"\"all\"\"\",lm(f) ,MIT,\n",
    );
    let arguments = [
        "classify",
        "pairs.csv",
        "--models",
        "models.toml",
        "--model",
        "mine",
    ];
    let planned = parsed(&ok(
        &project,
        &[&arguments[..], &["--dry-run", "--json"]].concat(),
    ));
    assert_eq!(planned["estimates"][0]["texts"], 3);
    assert!(planned["estimates"][0]["dollars"].as_f64().unwrap() > 0.0);
    assert_eq!(server.status()["requests"], 0);
    let printed = ok(&project, &arguments);
    assert_eq!(
        printed,
        "id,group,is_classified,text,code,language,detail\nq1,Visualization,true,plot it by trial,plot(x) ,,\n\
         q2,class_none,false,something else entirely,y ,,No Relevant Class\nq3,Statistical Modeling,true,\"fit \"\"all\"\"\",lm(f) ,,\n"
    );
    project.write("classified.csv", printed);
    let made = ok(
        &project,
        &[
            "review",
            "new",
            "classified.csv",
            "--out",
            "review.sqlite",
            "--json",
        ],
    );
    assert_eq!(parsed(&made)["raters"][0]["rater"], "reviewer", "{made}");
    // A prompt of one's own must have a place for the comment.
    project.write("own.txt", "[a] or [b]?");
    let ended = run(
        &project,
        &[&arguments[..], &["--prompt", "own.txt"]].concat(),
    );
    assert_eq!(ended.code, Some(4), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("has no `{Input}`"),
        "{}",
        ended.stderr
    );
}
