//! `try`: one command for one's own code.

use std::fs;

use barecode_records::table::read;
use barecode_records::{Query, QueryText, SetAside};
use serde_json::Value;

use crate::project::{Project, copy, repository};

/// A folder of C in which one function in twenty has a comment: no names of the project are needed to tell them apart.
fn sparsely_commented(project: &Project, functions: usize) {
    commented(project, functions, 20);
}

/// The same with a comment for one function in this many.
fn commented(project: &Project, functions: usize, one_in: usize) {
    let function = |at: usize| {
        let comment = format!("/* Counts upwards in steps of the number {at} until a bound. */\n");
        let steps = (0..=at % 7).map(|step| {
            let factor = step + 2;
            format!("    sum = sum * {factor} + values[{step}] - {at};\n")
        });
        let steps = steps.collect::<Vec<_>>().concat();
        format!(
            "{}int fold_{at}(const int *values) {{\n    int sum = {};\n{steps}    return sum ^ {};\n}}\n",
            if at.is_multiple_of(one_in) {
                &*comment
            } else {
                ""
            },
            at * 3,
            at * 17 + 5
        )
    };
    let text = (0..functions).map(function).collect::<Vec<_>>().concat();
    project.write("code/fold.c", text);
}

fn tiny() -> String {
    let folder = repository().join("crates/encoders/tests/checkpoints/bert");
    format!("local:{}", folder.display())
}

#[test]
fn where_comments_are_few_code_asks_and_no_small_group_is_a_score() {
    let project = Project::empty();
    sparsely_commented(&project, 60);
    let ended = project.run(&[
        "try",
        "code",
        "--model",
        &tiny(),
        "--model",
        "words=structural:names=false",
        "--functions",
        "50",
        "--json",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for said in [
        "60 functions; 50 are drawn (50 of C)",
        "3 of them have a comment that can ask for them",
        "too few for a score",
        "all can ask for themselves without their names: scores to about ±",
        "only code can ask",
        "compiling takes about",
    ] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(
        shown["ahead"]["asking"], 3,
        "all that have a comment are drawn"
    );
    let systems = shown["systems"].as_array().unwrap();
    assert_eq!(systems.len(), 3);
    for system in systems {
        let standard = &system["standard"];
        assert!(standard.is_null() || standard["too_few"] == true && standard["value"].is_null());
        let code = &system["code"];
        assert_eq!(code["too_few"], false);
        assert!(code["queries"].as_u64().unwrap() >= 40, "{code}");
        let [low, value, high] = ["low", "value", "high"].map(|end| code[end].as_f64().unwrap());
        assert!(low <= value && value <= high, "{code}");
    }
    let verdict = shown["verdict"].as_array().unwrap();
    let said = |text: &str| {
        verdict
            .iter()
            .any(|one| one.as_str().unwrap().contains(text))
    };
    assert!(
        said("too few to measure how well functions are found by words"),
        "{verdict:?}"
    );
    assert!(said("Given a function without its names"), "{verdict:?}");

    // The recipe that it leaves is the same run, and a second call has nothing to do.
    let recipe = project.path("runs/try-code.toml");
    let text = fs::read_to_string(recipe).unwrap();
    assert!(text.contains("from = \"path:../code\""), "{text}");
    let structural = "name = \"words\"\nkind = \"structural\"\nnames = false\n";
    assert!(text.contains(structural), "{text}");
    let listed = project.run(&["list", "runs/try-code.toml", "--json"]);
    let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
    let stages = listed["stages"].as_array().unwrap();
    assert!(stages.iter().all(|stage| stage["to_do"] == 0), "{listed}");
    // A function that was set aside is found by its name, with the reason.
    let aside = project.path("runs/try-code/01-functions/_set-aside/part-00000.parquet");
    let aside: Vec<SetAside> = read(&aside).unwrap();
    let named = aside
        .iter()
        .find_map(|row| Some((row.name.clone()?, row.reason)));
    let (name, reason) = named.expect("ten of sixty were not drawn");
    let shown = project.run(&["show", &name, "runs/try-code.toml"]);
    let line = format!("set aside in extract: {name}, path:code fold.c:");
    for said in [&*line, reason.code()] {
        assert!(shown.stdout.contains(said), "{said}: {}", shown.stdout);
    }
    // A function that asks for itself has a line of its own, from its source to its ranks.
    let table = project.path("runs/try-code/05-dataset/code-neutralized/queries.parquet");
    let asked: Vec<QueryText> = read(&table).unwrap();
    let line = project.run(&["show", asked[0].id.as_str(), "runs/try-code.toml", "--json"]);
    let line: Value = serde_json::from_str(&line.stdout).unwrap();
    assert_eq!(line["function"]["origin"]["path"], "fold.c");
    let queries = line["queries"].as_array().unwrap();
    assert!(
        queries.iter().any(|query| query["writer"] == "code"),
        "{line}"
    );
    let ranks = line["ranks"].as_array().unwrap();
    assert!(ranks.iter().any(|rank| rank["group"] == "code"), "{line}");
    let before = fs::metadata(project.path("runs/try-code/08-report/index.html")).unwrap();
    let again = project.run(&[
        "try",
        "code",
        "--model",
        &tiny(),
        "--model",
        "words=structural:names=false",
        "--functions",
        "50",
    ]);
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    let after = fs::metadata(project.path("runs/try-code/08-report/index.html")).unwrap();
    assert_eq!(before.modified().unwrap(), after.modified().unwrap());
    assert!(again.stdout.contains("too few (") || again.stdout.contains("–"));
    assert!(
        !again.stdout.contains("1.000 [1.000, 1.000]"),
        "{}",
        again.stdout
    );
}

#[test]
fn a_dry_run_compiles_nothing_and_what_cannot_be_tried_is_refused_first() {
    let project = Project::empty();
    sparsely_commented(&project, 25);
    let model = format!("little={}", tiny());
    // A dry run needs no key.
    let server = "openai:text-embedding-3-small";
    let ended = project.run(&[
        "try",
        "code",
        "--dry-run",
        "--model",
        &model,
        "--model",
        server,
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for system in ["│ little ", "│ text-embedding-3-small "] {
        assert!(ended.stdout.contains(system), "{}", ended.stdout);
    }
    assert!(
        ended.stdout.contains("25 functions; 25 are drawn"),
        "{}",
        ended.stdout
    );
    assert!(ended.stdout.contains("tokens"), "{}", ended.stdout);
    assert!(!project.path("runs/try-code/02-units").exists());
    let arguments = [
        "try",
        "code",
        "--dry-run",
        "--write",
        "openai:gpt-4o-mini",
        "--json",
    ];
    let written = project.run(&arguments);
    assert_eq!(written.code, Some(0), "{}", written.stderr);
    let written: Value = serde_json::from_str(&written.stdout).unwrap();
    let writer = &written["models"][0];
    assert_eq!(
        (&writer["model"], &writer["texts"]),
        (&"gpt-4o-mini (openai:gpt-4o-mini)".into(), &25.into())
    );
    assert!(writer["tokens"].as_u64().unwrap() > 1000, "{writer}");

    for (arguments, said, hint) in [
        (
            &["try", "nowhere"][..],
            "neither a folder nor the address",
            "barecode try .",
        ),
        (
            &["try", "code/fold.c"],
            "`code/fold.c` is a file",
            "--include '**/fold.c'",
        ),
        (
            &["try", "code", "--model", "org/name"],
            "the kind of the model is missing",
            "`hf:org/name`",
        ),
        (
            &["try", "code", "--model", "local:nowhere"],
            "error: no folder `nowhere`",
            "config.json",
        ),
        (
            &["try", "code", "--model", server],
            "error: text-embedding-3-small: no key",
            "OPENAI_API_KEY",
        ),
        (
            &["try", "code", "--queries", "nowhere.csv"],
            "error: no file `nowhere.csv`",
            "columns `text` and `function`",
        ),
        (
            &["try", "code", "--include", "*.py"],
            "no function of a language that is mined was found",
            "--include",
        ),
    ] {
        let ended = project.run(arguments);
        assert_eq!(ended.code, Some(4), "{}", ended.stderr);
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
        assert!(ended.stderr.contains(hint), "{hint}: {}", ended.stderr);
        assert!(!project.path("runs/try-code/02-units").exists());
    }
}

#[test]
fn a_header_above_the_code_is_found_and_a_language_has_its_usual_name() {
    let project = Project::empty();
    let header = "typedef struct { int count; } list_t;\n";
    project.write("library/include/list.h", header);
    let function = "/* Counts the elements of the list and one more. */\n\
                    int list_next(const list_t *list) { return list->count + 1; }\n";
    project.write(
        "library/src/list.c",
        format!("#include <list.h>\n{function}"),
    );
    project.write(
        "library/src/both.cpp",
        "/* Adds both of the numbers. */ int both(int a, int b) { return a + b; }\n",
    );
    let ended = project.run(&["try", "library/src", "--language", "C"]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    for said in [
        "1 function lacks `list.h`, which is outside of the source (`../include/list.h`)",
        "name the folder around both as the source",
    ] {
        assert!(ended.stdout.contains(said), "{said}: {}", ended.stdout);
    }
    assert!(
        ended.stderr.contains("1 are drawn (1 of C)"),
        "{}",
        ended.stderr
    );
    let left = "0 of 1 functions are left after `check`, 0 with a comment that can ask for them: too few for a score, which needs 10";
    assert!(ended.stderr.contains(left), "{}", ended.stderr);
    let ended = project.run(&["try", "library/src", "--language", "klingon"]);
    assert_eq!(ended.code, Some(2), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("the languages are c, cpp, csharp"),
        "{}",
        ended.stderr
    );
}

#[test]
fn another_folder_of_the_same_name_and_a_refused_model_leave_a_run_as_it_is() {
    let project = Project::empty();
    sparsely_commented(&project, 25);
    fs::create_dir_all(project.path("a")).unwrap();
    fs::create_dir_all(project.path("b")).unwrap();
    copy(&project.path("code"), &project.path("b/code"));
    fs::rename(project.path("code"), project.path("a/code")).unwrap();
    let tried = |arguments: &[&str]| {
        let ended = project.run(&[&["try"], arguments].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stderr
    };
    let recipe = || fs::read_to_string(project.path("runs/try-code.toml")).unwrap();
    tried(&["a/code"]);
    let first = recipe();
    let said = tried(&["b/code"]);
    assert!(
        said.contains(
            "`runs/try-code` is the run of another source or of other files, so this one is `runs/try-code-"
        ),
        "{said}"
    );
    assert_eq!(recipe(), first);
    let listed = || {
        let entries = fs::read_dir(project.path("runs")).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains(".toml")).count()
    };
    assert_eq!(listed(), 2);
    // The same folders have the same runs, however they are written.
    let said = [tried(&["b/../a/code"]), tried(&["a/../b/code"])];
    assert!(!said[0].contains("another source"), "{}", said[0]);
    assert_eq!(listed(), 2);
    // A dry run leaves all runs as they are, and other files have another run.
    let first = recipe();
    tried(&["a/code", "--functions", "21", "--dry-run"]);
    assert_eq!((recipe(), listed()), (first.clone(), 2));
    let said = tried(&["a/code", "--language", "c"]);
    assert!(said.contains("or of other files"), "{said}");
    assert_eq!((recipe(), listed()), (first, 3));

    let before = recipe();
    let refused = project.run(&["try", "a/code", "--model", "local:nowhere"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert_eq!(recipe(), before);
}

#[test]
fn what_a_run_wrote_below_the_code_is_not_read() {
    let project = Project::empty();
    sparsely_commented(&project, 21);
    fs::rename(project.path("code/fold.c"), project.path("fold.c")).unwrap();
    let first = project.run(&["try", ".", "--json"]);
    assert_eq!(first.code, Some(0), "{}", first.stderr);
    let shown: Value = serde_json::from_str(&first.stdout).unwrap();
    assert_eq!(shown["source"], "path:..");
    let second = project.run(&["try", ".", "--json"]);
    assert_eq!(second.stdout, first.stdout);
    assert!(!second.stderr.contains("functions in"), "{}", second.stderr);
}

#[test]
fn questions_of_ones_own_are_asked_and_those_without_an_answer_are_told() {
    let project = Project::empty();
    sparsely_commented(&project, 60);
    let functions = (20..40).filter(|at| at % 20 != 0);
    let questions: Vec<String> = functions
        .map(|at| format!("which function folds upwards from {at},fold_{at}\n"))
        .collect();
    let text = format!(
        "text,function\n{}where is nothing,fold_none\nwhere is the first line,fold.c:2\n",
        questions.concat()
    );
    project.write("asked/questions.csv", &*text);
    let arguments = [
        "try",
        "code",
        "--functions",
        "30",
        "--queries",
        "asked/questions.csv",
    ];
    let ended = project.run(&[&arguments[..], &["--json"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(
        ended.stderr.contains("21 queries are your own"),
        "{}",
        ended.stderr
    );
    let shown: Value = serde_json::from_str(&ended.stdout).unwrap();
    let own = &shown["own_queries"];
    assert_eq!(
        (&own["given"], &own["asked"]),
        (&21.into(), &20.into()),
        "{own}"
    );
    assert_eq!(own["set_aside"][0]["reason"], "answer_unknown");
    assert_eq!(
        own["set_aside"][0]["detail"],
        "../asked/questions.csv:21: `fold_none`"
    );
    // All that is asked for is drawn, though the limit is half of the functions.
    let standard = &shown["systems"][0]["standard"];
    assert_eq!(
        standard["queries"], 20,
        "one's own, for which the table stands: {standard}"
    );
    let asked: Vec<Query> =
        read(&project.path("runs/try-code/04-queries/part-00001.parquet")).unwrap();
    assert_eq!(asked.len(), 20);
    assert!(
        asked
            .iter()
            .all(|query| query.writer == "person" && query.stated_at.is_some())
    );
    let page = fs::read_to_string(project.path("runs/try-code/08-report/index.html")).unwrap();
    assert!(page.contains("own queries"), "the account of the page");
    // The page speaks of the queries that the table is about.
    assert!(page.contains(", 20 queries of your own."), "{page}");
    assert!(!page.contains("queries (comments)"), "{page}");

    let again = project.run(&arguments);
    assert!(
        again.stdout.contains("20 of 21 queries of your own are asked\n  ../asked/questions.csv:21: `fold_none` (answer_unknown)"),
        "{}",
        again.stdout
    );
    // Other questions are another stage; without comments they are the only ones.
    let recipe = fs::read_to_string(project.path("runs/try-code.toml")).unwrap();
    let alone = recipe.replace("[queries]", "[queries]\ncomments = false");
    project.write("runs/try-code.toml", &*alone);
    project.write("asked/questions.csv", &*text.replace("fold_none", "fold_7"));
    let built = project.run(&["build", "runs/try-code.toml", "--json"]);
    assert_eq!(built.code, Some(0), "{}", built.stderr);
    let built: Value = serde_json::from_str(&built.stdout).unwrap();
    assert_eq!(built["own_queries"]["asked"], 21);
    let counts = &built["stages"]["query"]["counts"];
    assert_eq!(counts["own queries"]["kept"], 21);
    assert_eq!(counts["units"]["kept"], 0);
    assert_eq!(
        counts["units"]["set_aside"]["comments_off"],
        counts["units"]["entered"]
    );

    project.write("asked/questions.csv", "text,functon\nwhat,fold_1\n");
    let refused = project.run(&arguments);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    for said in [
        "questions.csv:1: no column for the answer: the columns are `text`, `functon`",
        "hint: a file has the columns `text` and `function`",
    ] {
        assert!(refused.stderr.contains(said), "{}", refused.stderr);
    }
}

/// Fifteen functions of C and fifteen of Python, each with a comment.
fn in_two_languages(project: &Project) {
    let words = [
        "apple", "bridge", "candle", "dragon", "engine", "forest", "garden", "hammer", "island",
        "jacket", "kettle", "ladder", "mirror", "needle", "orange",
    ];
    let (mut c, mut python) = (Vec::new(), Vec::new());
    for (at, word) in words.iter().enumerate() {
        let steps = (0..=at % 5).map(|step| format!("sum = sum * {} + {word}[{step}]", step + 2));
        let steps: Vec<String> = steps.collect();
        c.push(format!(
            "/* Folds the numbers of a {word} until all of them are used. */\nint fold_{word}(const int *{word}) {{\n    int sum = {at};\n    {};\n    return sum ^ {};\n}}\n",
            steps.join(";\n    "),
            at * 17 + 5
        ));
        python.push(format!(
            "def weigh_{word}({word}):\n    \"\"\"Weighs the parts of a {word} and keeps their total.\"\"\"\n    sum = {at}\n    {}\n    return sum - {}\n\n\n",
            steps.join("\n    "),
            at * 13 + 7
        ));
    }
    project.write("code/fold.c", c.concat());
    project.write("code/weigh.py", python.concat());
    let lacking = "#include <openssl/no_such.h>\n\n/* Gives the limit of a session that nobody has. */\nint limit_of_all(void) {\n    return NO_SUCH_LIMIT;\n}\n";
    project.write("code/session.c", lacking);
}

#[test]
fn scores_are_shown_before_everything_is_compiled() {
    let project = Project::empty();
    commented(&project, 140, 1);
    let tried = |arguments: &[&str]| {
        let model = format!("small={}", tiny());
        let all = ["try", "code", "--threads", "1", "--model", &model];
        let ended = project.run(&[&all, arguments].concat());
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended
    };
    let first = tried(&[]);
    let after = |from: &str, text: &str| {
        let found = from.find(text);
        let at = found.unwrap_or_else(|| panic!("{text}: {from}"));
        from.get(at..).unwrap_or_default().to_owned()
    };
    let said = after(
        &first.stderr,
        "with names, before anything is compiled: bm25 ",
    );
    let said = after(&said, ", small ");
    let said = after(&said, "first results, over 64 of 140 functions");
    let table = after(&said, "│ bm25 ");
    let table = after(&table, "│ small ");
    after(&table, "   check  140 functions in, 140 kept");
    // The accounts of the early runs are not part of this one's.
    assert_eq!(
        first.stderr.matches(" functions in, ").count(),
        2,
        "{}",
        first.stderr
    );
    assert!(!first.stdout.contains("first results"), "{}", first.stdout);
    // A finished run needs no early results, and a run without them has the same tables.
    let again = tried(&[]);
    assert_eq!(again.stdout, first.stdout);
    assert!(!again.stderr.contains("first results"), "{}", again.stderr);
    let alone = tried(&["--no-cache", "--out", "runs/alone"]);
    assert!(
        !alone.stderr.contains("before anything"),
        "{}",
        alone.stderr
    );
    for table in ["02-units/part-00000.parquet", "07-scores/scores.parquet"] {
        let [of_first, of_alone] = ["runs/try-code", "runs/alone"]
            .map(|run| fs::read(project.path(run).join(table)).unwrap());
        assert_eq!(of_first, of_alone, "{table}");
    }
}

#[test]
fn languages_have_rows_of_their_own() {
    let project = Project::empty();
    in_two_languages(&project);
    let tried = |arguments: &[&str]| {
        let all = [&["try", "code", "--model", "structural"], arguments].concat();
        let ended = project.run(&all);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        ended.stdout
    };
    let both: Value = serde_json::from_str(&tried(&["--json"])).unwrap();
    for system in both["systems"].as_array().unwrap() {
        assert_eq!(system["functions_not_read"], 0);
        assert!(system["standard"]["value"].is_f64(), "{system}");
    }
    assert!(both["ahead"]["not_read"][0].is_null(), "{both}");
    let rows = both["by_language"].as_array().unwrap();
    let named = |language: &str, system: &str| {
        let fits = |row: &&Value| row["language"] == language && row["system"] == system;
        rows.iter().find(fits).unwrap()
    };
    for language in ["c", "python"] {
        assert_eq!(
            named(language, "bm25")["standard"]["queries"],
            15,
            "{rows:?}"
        );
    }
    for language in ["c", "python"] {
        let row = named(language, "structural");
        assert_eq!(row["standard"]["queries"], 15, "{row}");
    }
    let page = fs::read_to_string(project.path("runs/try-code/08-report/index.html")).unwrap();
    assert!(
        page.contains("They are asked for by 30 comments."),
        "{page}"
    );
    let options =
        "bm25 = bm25:form=lucene,tokenizer=code,stop-words=none,stemmer=none,k1=1.5,b=0.75";
    let shown = tried(&[]);
    let lacking =
        "1 function lacks `openssl/no_such.h` (Debian: libssl-dev); install what brings it";
    for said in [
        options,
        "the same by language",
        "in a column do not differ",
        lacking,
    ] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
    assert!(page.contains("tokenizer=code"));

    let python = tried(&["--language", "python", "--out", "alone"]);
    assert!(python.contains("structural "), "{python}");
    assert!(!python.contains("the same by language"), "{python}");
    assert!(!python.contains("does not read"), "{python}");
}
