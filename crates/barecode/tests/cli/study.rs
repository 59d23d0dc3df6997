//! `study` and `review` without their pages: what is drawn, counted, exported, imported and tested.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::project::{Ended, Project};

/// A table of functions in three groups, each with two texts.
pub(crate) fn items(per_group: usize) -> String {
    let mut text = String::from("item,group,language,code,context,llm,human\n");
    for group in 1..=3 {
        for item in 0..per_group {
            writeln!(
                text,
                "f{group}-{item},group{group},c,\"int f{item}(int a) {{\n    return a + {item}; /* <b>&amp; */\n}}\",\"#define TOP {item}\",\
                 machine prose {group} {item},hand prose {group} {item}"
            )
            .unwrap();
        }
    }
    text
}

/// The study of the paper over these items, with the token of each rater.
pub(crate) fn study(project: &Project, arguments: &[&str]) -> BTreeMap<String, String> {
    let all = [
        &[
            "study",
            "new",
            "--items",
            "items.csv",
            "--out",
            "study.sqlite",
            "--json",
        ],
        arguments,
    ]
    .concat();
    let made: Value = serde_json::from_str(&good(project, &all).stdout).unwrap();
    let raters = made["raters"].as_array().unwrap().iter();
    raters
        .map(|rater| {
            (
                rater["rater"].as_str().unwrap().to_owned(),
                rater["token"].as_str().unwrap().to_owned(),
            )
        })
        .collect()
}

pub(crate) fn good(project: &Project, arguments: &[&str]) -> Ended {
    let ended = project.run(arguments);
    assert_eq!(ended.code, Some(0), "{arguments:?}: {}", ended.stderr);
    ended
}

fn bad(project: &Project, arguments: &[&str]) -> String {
    let ended = project.run(arguments);
    assert_eq!(
        ended.code,
        Some(4),
        "{arguments:?}: {}{}",
        ended.stdout,
        ended.stderr
    );
    ended.stderr
}

fn json_of(project: &Project, arguments: &[&str]) -> Value {
    serde_json::from_str(&good(project, &[arguments, &["--json"]].concat()).stdout).unwrap()
}

/// The assignments of a study: rater, position, item, whether the candidate is on the left.
fn assignments(project: &Project) -> Vec<(String, u64, String, bool)> {
    let exported = json_of(project, &["study", "export", "study.sqlite"]);
    let rows = exported["assignments"].as_array().unwrap().iter();
    rows.map(|row| {
        let text = |name: &str| row[name].as_str().unwrap().to_owned();
        (
            text("rater"),
            row["position"].as_u64().unwrap(),
            text("item"),
            row["candidate_is_left"].as_bool().unwrap(),
        )
    })
    .collect()
}

#[test]
fn the_papers_study_is_drawn_from_its_seed() {
    let project = Project::empty();
    project.write("items.csv", items(130));
    let tokens = study(&project, &[]);
    assert_eq!(tokens.len(), 3);
    let first = assignments(&project);
    assert_eq!(first.len(), 3 * 225);
    let all: BTreeSet<&String> = first.iter().map(|row| &row.2).collect();
    assert_eq!(all.len(), 375);
    let status = json_of(&project, &["study", "status", "study.sqlite"]);
    assert_eq!(
        (&status["items"], &status["answers"]),
        (&json!(375), &json!(0))
    );
    // The same seed draws the same, and a study is never overwritten.
    let again = bad(
        &project,
        &[
            "study",
            "new",
            "--items",
            "items.csv",
            "--out",
            "study.sqlite",
        ],
    );
    assert!(again.contains("`study.sqlite` exists"), "{again}");
    std::fs::remove_file(project.path("study.sqlite")).unwrap();
    let other_tokens = study(&project, &[]);
    assert_eq!(assignments(&project), first);
    assert!(
        tokens
            .values()
            .all(|token| !other_tokens.values().any(|other| other == token)),
        "tokens are not drawn from the seed"
    );
    std::fs::remove_file(project.path("study.sqlite")).unwrap();
    study(&project, &["--seed", "1"]);
    assert_ne!(assignments(&project), first);
}

#[test]
fn no_token_is_in_the_file_or_in_an_export() {
    let project = Project::empty();
    project.write("items.csv", items(4));
    let tokens = study(&project, &["--per-group", "4", "--shared", "1"]);
    let mut all = std::fs::read(project.path("study.sqlite")).unwrap();
    all.extend(
        good(&project, &["study", "export", "study.sqlite", "--json"])
            .stdout
            .bytes(),
    );
    all.extend(
        good(&project, &["study", "export", "study.sqlite"])
            .stdout
            .bytes(),
    );
    let all = String::from_utf8_lossy(&all);
    for token in tokens.values() {
        assert!(
            !all.contains(token) && !all.contains(&token.replace('-', "")),
            "a token is in a file"
        );
    }
    let renewed = good(
        &project,
        &["study", "token", "study.sqlite", "--rater", "rater-1"],
    )
    .stdout;
    assert_ne!(renewed.trim(), tokens["rater-1"]);
    assert!(
        bad(
            &project,
            &["study", "token", "study.sqlite", "--rater", "eve"]
        )
        .contains("no rater `eve`")
    );
}

#[test]
fn too_few_items_and_wrong_tables_are_explained() {
    let project = Project::empty();
    let new = ["study", "new", "--items", "items.csv"];
    project.write("items.csv", items(20));
    let error = bad(&project, &new);
    assert!(
        error.contains(
            "too few items for 125 a group: 20 in `group1`, 20 in `group2`, 20 in `group3`"
        ),
        "{error}"
    );
    assert!(error.contains("at most 20"), "{error}");
    project.write("items.csv", "item,code,llm\na,b,c\n");
    assert!(bad(&project, &new).contains("two columns with texts"));
    project.write("items.csv", "item,code,llm,human\na,int,x,\n");
    assert!(bad(&project, &new).contains("row 1 of `items.csv` has nothing in `human`"));
    project.write("items.csv", "item,code,llm,human\na,int,x,y\na,int,x,y\n");
    assert!(bad(&project, &new).contains("items 1 and 2 have the same id `a`"));
    project.write("items.csv", "item,code,llm,rater\na,int,x,y\n");
    assert!(bad(&project, &new).contains("cannot be the names of two sources"));
    project.write("items.csv", "item,code,llm,human\na,int,x,y\n");
    let twice = [
        &new[..],
        &[
            "--per-group",
            "1",
            "--shared",
            "0",
            "--rater",
            "anna",
            "--rater",
            "anna",
        ],
    ]
    .concat();
    assert!(bad(&project, &twice).contains("the rater `anna` is named twice"));
    assert!(!project.path("study.sqlite").exists());
    project.write(
        "study.sqlite",
        "no database at all, but long enough to look into it for a header",
    );
    assert!(
        bad(&project, &["study", "status", "study.sqlite"])
            .contains("`study.sqlite` is not a study that can be used")
    );
    assert!(
        bad(&project, &["study", "status", "gone.sqlite"]).contains("`gone.sqlite` does not exist")
    );
}

/// Ratings of all items of a study, by a rule over item and rater.
fn ratings(project: &Project) -> String {
    let mut text = String::from("item,rater,llm,human,better,group,note\n");
    for (rater, position, item, _) in assignments(project) {
        let row = match position % 4 {
            0 => "wrong,correct,",
            1 => "correct,correct,equal",
            2 => "correct,correct,llm",
            _ => "correct,wrong,",
        };
        let group = item.split_once('-').unwrap().0.replace('f', "group");
        writeln!(text, "{item},{rater},{row},{group},").unwrap();
    }
    text
}

fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn ratings_come_in_once_and_go_out_as_they_came() {
    let project = Project::empty();
    project.write("items.csv", items(6));
    study(&project, &["--per-group", "6", "--shared", "3"]);
    let text = ratings(&project);
    project.write("ratings.csv", &text);
    let import = ["study", "import", "study.sqlite", "ratings.csv"];
    let first = json_of(&project, &import);
    assert_eq!(
        first[0]["imported"]["stored"], 36,
        "3 shared and one of one's own a group and rater"
    );
    let second = json_of(&project, &import);
    assert_eq!(
        (
            &second[0]["imported"]["stored"],
            &second[0]["imported"]["known"]
        ),
        (&json!(0), &json!(36))
    );
    let status = json_of(&project, &["study", "status", "study.sqlite"]);
    assert_eq!(
        (&status["answers"], &status["changed"]),
        (&json!(36), &json!(0))
    );
    let exported = good(&project, &["study", "export", "study.sqlite"]).stdout;
    assert_eq!(sorted(&exported), sorted(&text));
    // The statistics of the file are those of its ratings.
    let of_file = json_of(&project, &["study", "statistics", "study.sqlite"]);
    let of_table = json_of(&project, &["study", "statistics", "ratings.csv"]);
    assert_eq!(of_file, of_table);
    assert_eq!(of_file["studies"].as_array().unwrap().len(), 3);
    assert_eq!(
        of_file["studies"][0]["questions"][2]["question"],
        "which is better"
    );
    assert!(
        !of_file["studies"][0]["disagreements"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn what_does_not_belong_to_the_study_is_refused_whole() {
    let project = Project::empty();
    project.write("items.csv", items(6));
    study(&project, &["--per-group", "6", "--shared", "0"]);
    let text = ratings(&project);
    let (head, row) = (text.lines().next().unwrap(), text.lines().nth(1).unwrap());
    let refused = |name: &str, text: String| {
        project.write(name, text);
        let error = bad(&project, &["study", "import", "study.sqlite", name]);
        let status = json_of(&project, &["study", "status", "study.sqlite"]);
        assert_eq!(status["answers"], 0, "nothing is written: {error}");
        error
    };
    let with = |other: &str| format!("{head}\n{row}\n{other}\n");
    assert!(refused("r.csv", with("f9-9,rater-1,correct,wrong,,,")).contains("no item `f9-9`"));
    assert!(refused("r.csv", with("f1-0,eve,correct,wrong,,,")).contains("no rater `eve`"));
    assert!(refused("r.csv", with("f1-0,rater-1,great,wrong,,,")).contains("`great`"));
    assert!(refused("r.csv", with(row)).contains("a second time"));
    let all = assignments(&project);
    let (_, _, item, _) = all.iter().find(|row| row.0 == "rater-2").unwrap();
    assert!(
        refused("r.csv", with(&format!("{item},rater-1,correct,wrong,,,")))
            .contains("does not rate")
    );
    assert!(refused("r.csv", text.replace("llm", "gpt")).contains("compares `gpt` with `human`"));
    let saved = |study: &str, rater: &str, fields: Value| {
        let answer = json!({"position": 1, "key": "0123456789abcdef", "at": "2026-11-22T10:00:00.000Z", "fields": fields});
        json!({"format": "barecode-answers", "version": 1, "study": study, "rater": rater, "answers": [answer]}).to_string()
    };
    let status = json_of(&project, &["study", "status", "study.sqlite"]);
    let id = status["study"].as_str().unwrap();
    let fine = json!({"left": "correct", "right": "wrong"});
    assert!(
        refused("a.json", saved("0000000000000000", "rater-1", fine.clone()))
            .contains("of the study 0000000000000000")
    );
    assert!(refused("a.json", saved(id, "eve", fine.clone())).contains("no rater `eve`"));
    assert!(
        refused(
            "a.json",
            saved(id, "rater-1", json!({"left": "great", "right": "wrong"}))
        )
        .contains("`great`")
    );
    assert!(refused("a.json", "{}".to_owned()).contains("not what an offline page saves"));
    assert!(refused("a.txt", String::new()).contains("neither .json nor .csv"));
    project.write("a.json", saved(id, "rater-1", fine));
    for known in [0, 1] {
        let done = json_of(&project, &["study", "import", "study.sqlite", "a.json"]);
        assert_eq!(done[0]["imported"]["known"], known);
    }
}

#[test]
fn power_grows_with_functions_and_is_drawn_from_its_seed() {
    let project = Project::empty();
    let power = |arguments: &[&str]| {
        json_of(
            &project,
            &[&["study", "power", "--simulations", "400"], arguments].concat(),
        )
    };
    let found = power(&["--functions", "30,125,400", "--raters", "3"]);
    let of = |at: usize| found["sizes"][at]["found"]["power"].as_f64().unwrap();
    assert!(of(0) < of(1) && of(1) < of(2), "{found}");
    assert_eq!(
        found["sizes"][1]["planned"]["shared"], 50,
        "as in the paper"
    );
    assert_eq!(
        found,
        power(&["--functions", "30,125,400", "--raters", "3"])
    );
    assert_ne!(
        found,
        power(&["--functions", "30,125,400", "--raters", "3", "--seed", "1"])
    );
    let needed = found["needed"][0]["functions"].as_u64().unwrap();
    assert!((30..400).contains(&needed), "{found}");
    let there = power(&["--functions", &needed.to_string(), "--raters", "3"]);
    assert!(
        there["sizes"][0]["found"]["power"].as_f64().unwrap() >= 0.8,
        "{there}"
    );
    let far = power(&["--functions", "30", "--raters", "1", "--margin", "0"]);
    assert!(
        far["needed"][0]["functions"].is_null(),
        "no number of functions shows what is not so: {far}"
    );
    let text = good(&project, &["study", "power", "--simulations", "50"]).stdout;
    assert!(
        text.contains("of each rater") && text.contains('±'),
        "{text}"
    );
    let error = bad(&project, &["study", "power", "--wrong", "1.2", "0"]);
    assert!(
        error.contains("the share of the candidate's errors is 1.2"),
        "{error}"
    );
}

#[test]
fn a_run_gives_functions_to_write_for_and_the_texts_come_back_as_queries() {
    let project = Project::new();
    project.build();
    let writers = [
        "study",
        "queries",
        "runs/shelf",
        "--out",
        "writing.sqlite",
        "--rater",
        "anna",
        "--rater",
        "ben",
    ];
    let error = bad(&project, &writers);
    assert!(error.contains("too few items for 125 a group"), "{error}");
    good(&project, &[&writers[..], &["--per-group", "1"]].concat());
    let blank = good(
        &project,
        &["study", "export", "writing.sqlite", "--blank", "anna"],
    )
    .stdout;
    assert!(
        blank.starts_with("item,rater,text,code,context\n"),
        "{blank}"
    );
    let mut reader = csv::Reader::from_reader(blank.as_bytes());
    let item = reader.records().next().unwrap().unwrap()[0].to_owned();
    project.write(
        "filled.csv",
        format!("item,rater,text\n{item},anna,\"Finds the spot\nof a book\"\n"),
    );
    good(
        &project,
        &["study", "import", "writing.sqlite", "filled.csv"],
    );
    let table = good(&project, &["study", "export", "writing.sqlite"]).stdout;
    assert!(
        table.contains(&format!("Finds the spot of a book,{item},person,anna,")),
        "{table}"
    );
    // The table is what a recipe reads.
    project.write("own.csv", &table);
    let recipe = format!(
        "{}\n[queries]\nfiles = [\"own.csv\"]\n",
        crate::project::RECIPE
    );
    project.write("recipe.toml", recipe);
    good(&project, &["query", "recipe.toml"]);
    let shown = json_of(&project, &["show", &item, "recipe.toml"]);
    let queries = shown["queries"].as_array().unwrap();
    assert!(queries.iter().any(|query| query["writer"] == "person" && query["text"] == "Finds the spot of a book"), "{queries:?}");
    // Two writers over the same functions can be compared; the comment is not shown with the code.
    let pair = [
        "study",
        "new",
        "runs/shelf",
        "--candidate",
        "person",
        "--reference",
        "doc_comment",
        "--per-group",
        "1",
        "--shared",
        "0",
    ];
    let written = project.run(&[&pair[..], &["--out", "pair.sqlite"]].concat());
    assert!(
        written.stderr.contains("have a query of `person`"),
        "{}",
        written.stderr
    );
    let error = bad(
        &project,
        &[
            "study",
            "new",
            "runs/shelf",
            "--candidate",
            "gpt-4o",
            "--reference",
            "person",
        ],
    );
    assert!(
        error.contains("no queries of the writer `gpt-4o`") && error.contains("`doc_comment` ("),
        "{error}"
    );
}

#[test]
fn the_comment_of_a_function_is_not_shown_with_its_code() {
    let project = Project::new();
    project.build();
    good(
        &project,
        &["review", "new", "runs/shelf", "--out", "review.sqlite"],
    );
    let records = good(
        &project,
        &["review", "export", "review.sqlite", "--blank", "reviewer"],
    )
    .stdout;
    let rows = |table: &str| -> Vec<csv::StringRecord> {
        csv::Reader::from_reader(table.as_bytes())
            .records()
            .map(Result::unwrap)
            .collect()
    };
    let texts: BTreeMap<String, String> = rows(&records)
        .into_iter()
        .map(|row| (row[5].to_owned(), row[2].to_owned()))
        .collect();
    good(
        &project,
        &[
            "study",
            "queries",
            "runs/shelf",
            "--per-group",
            "1",
            "--raters",
            "1",
            "--out",
            "writing.sqlite",
        ],
    );
    let functions = good(
        &project,
        &["study", "export", "writing.sqlite", "--blank", "rater-1"],
    )
    .stdout;
    let mut compared = 0;
    for row in rows(&functions) {
        let Some(text) = texts.get(&row[3]) else {
            continue;
        };
        let beginning: String = text.chars().take(30).collect();
        assert!(
            !row[3].contains(&beginning) && !row[4].contains(&beginning),
            "{text}: {row:?}"
        );
        compared += 1;
    }
    assert!(compared > 0 && texts.len() > 10);
}

#[test]
fn a_review_becomes_a_patch() {
    let project = Project::new();
    project.build();
    good(
        &project,
        &[
            "review",
            "new",
            "runs/shelf",
            "--out",
            "review.sqlite",
            "--reviewer",
            "anna",
        ],
    );
    let exported = json_of(&project, &["review", "export", "review.sqlite"]);
    let records: Vec<&str> = exported["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["item"].as_str().unwrap())
        .collect();
    assert!(
        records.len() > 3 && records.iter().all(|id| id.starts_with("q-")),
        "{records:?}"
    );
    let patch = format!(
        "record,decision,text,reviewer,at,note\n{},drop,,anna,,\"vague, at best\"\n{},edit,Puts a book where it belongs,anna,,\n{},keep,,anna,,\n",
        records[0], records[1], records[2]
    );
    project.write("patch.csv", &patch);
    good(
        &project,
        &["review", "import", "review.sqlite", "patch.csv"],
    );
    let table = good(&project, &["review", "export", "review.sqlite"]).stdout;
    assert!(
        table.contains(&format!("{},drop,,anna,20", records[0]))
            && table.contains("\"vague, at best\""),
        "{table}"
    );
    assert!(
        table.contains(&format!(
            "{},edit,Puts a book where it belongs,anna,20",
            records[1]
        )),
        "{table}"
    );
    assert_eq!(table.lines().count(), 4);
    // Any list of records will do.
    project.write(
        "records.jsonl",
        "{\"id\": \"a\", \"text\": \"one\", \"n\": 3}\n{\"id\": \"b\", \"text\": \"two\"}\n",
    );
    good(
        &project,
        &["review", "new", "records.jsonl", "--out", "r1.sqlite"],
    );
    project.write("records.csv", "id,text,code\na,one,int x;\n");
    good(
        &project,
        &["review", "new", "records.csv", "--out", "r2.sqlite"],
    );
    let audit = good(&project, &["audit", "runs/shelf/05-dataset", "--json"]).stdout;
    project.write("findings.json", audit);
    good(
        &project,
        &["review", "new", "findings.json", "--out", "r3.sqlite"],
    );
    project.write("records.jsonl", "{\"id\": \"a\"}\nnothing\n");
    assert!(
        bad(
            &project,
            &["review", "new", "records.jsonl", "--out", "r4.sqlite"]
        )
        .contains("records.jsonl:2: not a JSON object")
    );
    project.write("records.csv", "name,text\na,one\n");
    assert!(
        bad(
            &project,
            &["review", "new", "records.csv", "--out", "r4.sqlite"]
        )
        .contains("record 1 of `records.csv` has no `id`")
    );
}

/// Ratings of a group, made up: how often which words stand for an item, of all three raters or of one.
fn made_up(text: &mut String, group: &str, patterns: &[(u32, &[&str])]) {
    let mut item = 0;
    for (count, words) in patterns {
        for _ in 0..*count {
            item += 1;
            for (at, word) in words.iter().enumerate() {
                let row = match *word {
                    "llm" | "human" | "equal" => format!("correct,correct,{word}"),
                    _ => "correct,wrong,".to_owned(),
                };
                let rater = if words.len() == 1 { item % 3 } else { at };
                writeln!(text, "{group}-{item},rater-{rater},{row},{group}").unwrap();
            }
        }
    }
    assert_eq!(item, 125);
}

#[test]
fn table_2_of_the_paper_comes_out_of_ratings_with_its_totals() {
    const LLM: &str = "llm";
    const HUMAN: &str = "human";
    const EQUAL: &str = "equal";
    const WRONG: &str = "human is wrong";
    let mut text = String::from("item,rater,llm,human,better,group\n");
    // 50 functions of all raters and 75 of one each. The paper has no counts: these have its totals and their spread.
    let all: [&[&str]; 3] = [&[LLM; 3], &[HUMAN; 3], &[EQUAL; 3]];
    made_up(
        &mut text,
        "group1",
        &[
            (17, all[0]),
            (4, all[1]),
            (29, all[2]),
            (5, &[WRONG]),
            (25, &[LLM]),
            (6, &[HUMAN]),
            (39, &[EQUAL]),
        ],
    );
    let disputed: [&[&str]; 3] = [
        &[LLM, LLM, HUMAN],
        &[LLM, HUMAN, EQUAL],
        &[HUMAN, EQUAL, EQUAL],
    ];
    made_up(
        &mut text,
        "group2",
        &[
            (7, disputed[0]),
            (16, disputed[1]),
            (7, disputed[2]),
            (20, all[2]),
            (1, &[WRONG]),
            (17, &[LLM]),
            (12, &[HUMAN]),
            (45, &[EQUAL]),
        ],
    );
    made_up(
        &mut text,
        "group3",
        &[
            (6, disputed[0]),
            (21, disputed[1]),
            (3, disputed[2]),
            (20, all[2]),
            (1, &[WRONG]),
            (14, &[LLM]),
            (11, &[HUMAN]),
            (49, &[EQUAL]),
        ],
    );
    let project = Project::empty();
    project.write("ratings.csv", text);
    let found = json_of(&project, &["study", "statistics", "ratings.csv"]);
    let published = [
        ([86.0, 80.5, 91.0], [60.0, 52.5, 67.0]),
        ([76.5, 72.5, 80.5], [72.0, 67.5, 76.5]),
        ([75.5, 72.0, 79.5], [71.5, 67.0, 76.0]),
    ];
    for (study, (llm, human)) in found["studies"].as_array().unwrap().iter().zip(published) {
        assert_eq!(
            (&study["items"], &study["ratings"]),
            (&json!(125), &json!(225))
        );
        for (side, numbers) in [("first", llm), ("second", human)] {
            let of = &study["totals"][side];
            let [value, low, high] =
                ["value", "low", "high"].map(|name| of[name].as_f64().unwrap());
            assert!((value - numbers[0]).abs() < 1e-9, "{side} {of} {numbers:?}");
            // Totals are halves, and so are the ends of the paper's intervals.
            assert!(
                (low - numbers[1]).abs() <= 0.5 && (high - numbers[2]).abs() <= 0.5,
                "{side} {of} {numbers:?}"
            );
        }
    }
    let share = found["studies"][0]["totals"]["share_at_least"]
        .as_f64()
        .unwrap();
    assert!(
        share > 0.999,
        "{share}: the paper has 99.99 % in its first group"
    );
}
