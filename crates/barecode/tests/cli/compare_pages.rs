//! Pages of comparisons: the figures of `compare`, every query, hostile ids, in a real browser.

use std::fs;

use barecode_testing::browser::{Browser, LOOKS};
use serde_json::{Value, json};

use crate::project::Project;
use crate::study_pages::assert_reads;

/// Two result files over sixty queries, some with ids that a page would obey if it could.
fn files(project: &Project) {
    let id = |at: usize| match at {
        0 => "<script>window.evil=1</script>".to_owned(),
        1 => "\u{202e}q\u{202c}%zz'\"".to_owned(),
        _ => format!("q{at}"),
    };
    let mut qrels = json!({});
    let (mut good, mut poor) = (json!({}), json!({}));
    for at in 0..60 {
        let answer = format!("d{at}");
        qrels[id(at)] = json!({ &answer: 1 });
        let list = |position: usize| {
            let mut list = json!({});
            for rank in 0..20 {
                let document = format!("d{}", (at * 7 + rank * 3 + 1) % 60);
                if document != answer {
                    list[document] = json!(20.0 - rank as f64);
                }
            }
            list[&answer] = json!(20.5 - position as f64);
            list
        };
        good[id(at)] = list(at % 3);
        poor[id(at)] = list(at % 13);
    }
    project.write("qrels.json", qrels.to_string());
    project.write("good.json", good.to_string());
    project.write("poor.json", poor.to_string());
    let texts = |prefix: &str, text: &str| {
        let lines = (0..60).map(|at| {
            let id = if prefix == "d" { format!("d{at}") } else { id(at) };
            // A document of a megabyte is cut.
            let long = if at == 2 { "x = x + 1; ".repeat(100_000) } else { String::new() };
            json!({"_id": id, "text": format!("{text} {at} \u{0} </script><script>window.evil=1</script>{long}")})
                .to_string()
        });
        lines.collect::<Vec<_>>().join("\n")
    };
    project.write("corpus.jsonl", texts("d", "int f() { return x; } //"));
    project.write("queries.jsonl", texts("q", "returns a number"));
}

const COMPARE: [&str; 4] = ["compare", "qrels.json", "good.json", "poor.json"];
const PAGES: [&str; 6] = [
    "--page",
    "pages",
    "--corpus",
    "corpus.jsonl",
    "--queries",
    "queries.jsonl",
];

#[test]
fn the_page_of_two_result_files_has_the_figures_of_the_table() {
    let project = Project::empty();
    files(&project);
    let arguments = [&COMPARE[..], &["--json"]].concat();
    let plain = project.run(&arguments);
    assert_eq!(plain.code, Some(0), "{}", plain.stderr);
    let paged = project.run(&[&arguments[..], &PAGES].concat());
    assert_eq!(paged.code, Some(0), "{}", paged.stderr);
    assert_eq!(plain.stdout, paged.stdout);
    let data: Value = serde_json::from_str(&plain.stdout).unwrap();
    let pair = &data["comparisons"][0]["pairs"][0];
    let page = fs::read_to_string(project.path("pages/index.html")).unwrap();
    let difference = &pair["difference"];
    let number = |value: &Value| format!("{:.4}", value.as_f64().unwrap());
    for figure in [
        &difference["value"],
        &difference["low"],
        &difference["high"],
    ] {
        assert!(page.contains(&number(figure)), "{figure}");
    }
    let counts = format!("{} / {} / {}", pair["wins"], pair["ties"], pair["losses"]);
    assert!(page.contains(&counts), "{counts}");
    // The ranks that a page shows are those of the files: the good system has its answers at 1, 2 and 3.
    let rows = fs::read_to_string(project.path("pages/queries/rows-000.js")).unwrap();
    assert_eq!(rows.matches("\n[").count(), 60);
    // The sentence and the letters are of one method.
    let strict = [
        "--judge",
        "hsd",
        "--confidence",
        "0.999999",
        "--page",
        "strict",
    ];
    let strict = project.run(&[&arguments[..], &strict].concat());
    assert_eq!(strict.code, Some(0), "{}", strict.stderr);
    let text = fs::read_to_string(project.path("strict/index.html")).unwrap();
    let data: Value = serde_json::from_str(&strict.stdout).unwrap();
    let letters = &data["comparisons"][0]["groups"]["letters"];
    let is_apart = letters[0] != letters[1];
    assert_eq!(
        text.contains("do not differ significantly: "),
        !is_apart,
        "{letters}"
    );
    assert!(text.contains("p HSD"));
    // The same input gives the same bytes; a folder of another's is left alone.
    let again = project.run(&[&arguments[..], &PAGES, &["--force"]].concat());
    assert_eq!(again.code, Some(0), "{}", again.stderr);
    assert_eq!(
        page,
        fs::read_to_string(project.path("pages/index.html")).unwrap()
    );
    let taken = project.run(&[&arguments[..], &PAGES].concat());
    assert_eq!(taken.code, Some(4), "{}", taken.stderr);
    project.write("mine/index.html", "<h1>mine</h1>");
    let mine = project.run(&[&arguments[..], &["--page", "mine", "--force"]].concat());
    assert_eq!(mine.code, Some(4), "{}", mine.stderr);
}

#[test]
fn pages_of_comparisons_are_accessible_and_show_why() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = Project::empty();
    files(&project);
    let ended = project.run(&[&COMPARE[..], &PAGES].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let address = |file: &str| format!("file://{}", project.path("pages").join(file).display());
    let context = browser.context();
    let page = context.page(1280, 900);
    page.open(&address("index.html"));
    assert!(page.text("main p strong").contains("good is ahead of poor"));
    // The queries that only one system finds, and the documents above the answer of the other.
    page.leaving(|page| page.click("main ul a[href*='found=first']"));
    page.wait("document.querySelectorAll('.queries tbody tr').length > 0");
    let cells = page.value(
        "[...document.querySelectorAll('.queries tbody tr')].map((row) => row.cells[2].innerText)",
    );
    let cells: Vec<String> = serde_json::from_value(cells).unwrap();
    assert!(!cells.is_empty());
    for cell in cells {
        let (good, poor) = cell.split_once(" / ").unwrap();
        let found = |rank: &str| rank.parse::<f64>().is_ok_and(|rank| rank <= 10.0);
        assert!(found(good) && !found(poor), "{cell}");
    }
    page.leaving(|page| page.click(".queries tbody a"));
    page.click("article:target .ranks tbody tr:nth-child(2) button");
    page.wait("document.querySelectorAll('.beside figure.other').length > 0");
    assert!(page.text(".beside figure.other pre").contains("return"));
    assert_eq!(page.value("window.evil ?? null"), Value::Null);
    let sizes = walkdir::WalkDir::new(project.path("pages")).into_iter();
    let largest = sizes
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .max();
    assert!(largest.unwrap() < 700_000, "{largest:?}");
    for look in LOOKS {
        let page = context.page_in(look);
        for file in ["index.html", "queries.html", "queries/00000.html"] {
            page.open(&address(file));
            assert_reads(&page, &format!("{file} at {look:?}"));
            assert_eq!(page.value("window.evil ?? null"), Value::Null);
        }
    }
}

#[test]
fn systems_of_runs_are_compared_and_chosen() {
    let project = Project::empty();
    project.write(
        "code/f.c",
        (0..30)
            .map(|at| {
                format!("/* Adds the number {at} to a value and halves it. */\nint add_{at}(int value) {{ return (value + {at}) / 2; }}\n")
            })
            .collect::<Vec<String>>()
            .concat(),
    );
    let recipe = |name: &str, b: &str| {
        format!(
            "name = \"{name}\"\n[[source]]\nfrom = \"path:code\"\n[settings]\nnames = [\"standard\", \"neutralized\"]\n\
             [[retriever]]\nname = \"bm25\"\nkind = \"bm25\"\ntokenizer = \"code\"\nb = {b}\n[[retriever]]\nname = \"plain\"\nkind = \"bm25\"\ntokenizer = \"plain\"\n"
        )
    };
    project.write("one.toml", recipe("one", "0.75"));
    project.write("two.toml", recipe("two", "0.1"));
    for file in ["one.toml", "two.toml"] {
        let ended = project.run(&["build", file]);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    }
    let ended = project.run(&[
        "compare", "one.toml", "two.toml", "--json", "--page", "both",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    let data: Value = serde_json::from_str(&ended.stdout).unwrap();
    let names = &data["comparisons"][0]["systems"];
    let names: Vec<&str> = names
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["one/bm25", "one/plain", "two/bm25", "two/plain"]);
    // The figures of one run are the same beside another.
    let alone = project.run(&["compare", "one.toml", "--json"]);
    let alone: Value = serde_json::from_str(&alone.stdout).unwrap();
    let value = |data: &Value, at: usize| data["comparisons"][0]["systems"][at]["value"].clone();
    assert_eq!(value(&data, 1), value(&alone, 1));
    assert!(project.path("both/pairs/0-3.html").is_file());
    let two = [
        "compare", "one.toml", "two.toml", "--system", "one/bm25", "--system", "two/bm25",
    ];
    let ended = project.run(&[&two[..], &["--page", "both", "--force"]].concat());
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert!(!project.path("both/pairs").exists());
    let unknown = project.run(&[
        "compare", "one.toml", "--system", "bm26", "--system", "plain",
    ]);
    assert_eq!(unknown.code, Some(4));
    assert!(
        unknown
            .stderr
            .contains("unknown system `bm26`; the systems are bm25, plain"),
        "{}",
        unknown.stderr
    );
}
