//! The pages of all queries in a real browser, opened from disk.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use barecode_testing::browser::{Browser, LOOKS, Page};
use serde_json::{Value, json};

use crate::project::Project;
use crate::study_pages::assert_reads;

/// Texts that a page would obey if it could.
const HOSTILE: [&str; 3] = [
    "<img src=x onerror=window.evil=1> folds <script>window.evil=1</script> int values",
    "fold \u{202e}backwards\u{202c} int values with a \u{1b}[31m color and a \u{0} byte",
    "'];window.evil=1;//\u{2028} </script><script>window.evil=1</script> of const int values",
];

/// The run that tests share which only read its pages; a command would hold its folder.
fn run() -> Arc<Project> {
    static SHARED: Mutex<Weak<Project>> = Mutex::new(Weak::new());
    let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
    shared.upgrade().unwrap_or_else(|| {
        let made = Arc::new(Project::empty());
        build(&made);
        *shared = Arc::downgrade(&made);
        made
    })
}

/// A run over thirty functions, with three questions of the user's own.
fn build(project: &Project) {
    let function = |at: usize| {
        let steps: Vec<String> = (0..=at % 7)
            .map(|step| format!("    sum = sum * {} + values[{step}] - {at};\n", step + 2))
            .collect();
        format!(
            "/* Folds the values upwards in steps of the number {at} until a bound. */\n\
             int fold_{at}(const int *values) {{\n    int sum = {};\n{}    return sum ^ {};\n}}\n",
            at * 3,
            steps.concat(),
            at * 17 + 5
        )
    };
    let text: Vec<String> = (0..30).map(function).collect();
    project.write("code/fold.c", text.concat());
    let questions = HOSTILE.iter().enumerate();
    let questions: Vec<String> = questions
        .map(|(at, text)| json!({"text": text, "function": format!("fold_{at}")}).to_string())
        .collect();
    project.write("questions.jsonl", questions.join("\n"));
    let ended = project.run(&[
        "try",
        "code",
        "--model",
        "structural",
        "--queries",
        "questions.jsonl",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
}

fn address(folder: &Path, file: &str) -> String {
    format!("file://{}", folder.join(file).display())
}

/// The documents that beat the answer, as the page shows them.
fn beside(page: &Page<'_>) -> Vec<String> {
    page.wait("document.querySelectorAll('.beside figure.other').length > 0");
    let captions = page.value(
        "[...document.querySelectorAll('.beside figure.other figcaption')].map((one) => one.innerText)",
    );
    serde_json::from_value(captions).unwrap()
}

#[test]
fn from_the_first_page_to_what_beats_the_answer_in_three_clicks_or_nine_keys() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = run();
    let folder = project.path("runs/try-code/08-report");
    let context = browser.context();
    let page = context.page(1280, 900);
    page.open(&address(&folder, "index.html"));
    // One's own questions come first on the first page too, and lead to their query.
    let questions = page.value(
        "document.querySelectorAll('#own ~ .scroll')[0].querySelectorAll('tbody tr').length",
    );
    assert_eq!(questions, 3);
    page.leaving(|page| page.click("#own ~ .scroll tbody a"));
    page.wait("document.querySelectorAll('.queries tbody tr').length === 1");
    page.open(&address(&folder, "index.html"));
    page.leaving(|page| page.click("nav a[href='queries.html']"));
    // Questions of one's own come first, and hostile text is text.
    let first = page.text(".queries tbody a");
    assert!(
        HOSTILE
            .iter()
            .any(|text| text.contains(first.split(' ').next().unwrap())),
        "{first}"
    );
    page.leaving(|page| page.click(".queries tbody a"));
    page.click("article:target .ranks td:nth-child(4) button");
    let clicked = beside(&page);
    assert!(
        clicked.len() <= 5 && clicked[0].contains("rank 1"),
        "{clicked:?}"
    );
    assert!(page.text(".beside h3").contains("randomized"));
    assert!(page.text(".beside figure.answer pre").contains('{'));
    // The terms of the first system's scores, and the words that the setting changed.
    assert!(
        page.text(".beside figure.answer .terms")
            .contains("score from: ")
    );
    let changed = page.value("document.querySelectorAll('.beside .changed').length");
    assert!(changed.as_u64().unwrap() > 0);

    page.open(&address(&folder, "index.html"));
    let mut keys = 0;
    let mut press = |key: &str| {
        page.press(key);
        keys += 1;
    };
    press("Tab");
    page.leaving(|_| press("Enter"));
    press("j");
    page.leaving(|_| press("Enter"));
    for _ in 0..3 {
        press("j");
    }
    press("Enter");
    assert_eq!(beside(&page), clicked);
    assert!(keys <= 9, "{keys}");
    assert_eq!(page.value("window.evil ?? null"), Value::Null);
}

#[test]
fn queries_are_filtered_sorted_and_linked() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = run();
    let folder = project.path("runs/try-code/08-report");
    let context = browser.context();
    let page = context.page(1280, 900);
    page.open(&address(&folder, "queries.html"));
    let count = |page: &Page<'_>| {
        let rows = page.value("document.querySelectorAll('.queries tbody tr').length");
        rows.as_u64().unwrap()
    };
    // 30 comments, three questions, and each function as a query for itself.
    assert_eq!(count(&page), 63);
    let select = |page: &Page<'_>, label: &str, value: &str| {
        page.value(&format!(
            "(() => {{ const box = [...document.querySelectorAll('.controls label')].find((one) => one.innerText.startsWith({label:?})).querySelector('select, input'); box.value = {value:?}; box.dispatchEvent(new Event(box.matches('input') ? 'input' : 'change')); }})()"
        ));
    };
    select(&page, "Writer", "person");
    assert_eq!(count(&page), 3);
    select(&page, "Writer", "");
    select(&page, "Words", "number 17");
    assert_eq!(count(&page), 1);
    select(&page, "Words", "");
    page.click("[data-sort='1']");
    let ranks = page.value(
        "[...document.querySelectorAll('.queries tbody tr')].map((row) => row.cells[5].innerText).filter(Boolean)",
    );
    let ranks: Vec<String> = serde_json::from_value(ranks).unwrap();
    let number = |text: &String| text.parse().unwrap_or(f64::INFINITY);
    assert!(
        ranks.is_sorted_by(|a, b| number(a) >= number(b)),
        "{ranks:?}"
    );
    // The address has the state, so it can be sent to somebody.
    let hash = page.value("location.hash");
    page.open("about:blank");
    page.open(&format!(
        "{}{}",
        address(&folder, "queries.html"),
        hash.as_str().unwrap()
    ));
    assert!(page.text("[data-sort='1']").contains('↓'));
    assert_eq!(page.value("window.evil ?? null"), Value::Null);
}

#[test]
fn pages_are_exported_for_others_with_and_without_code() {
    let project = Project::empty();
    build(&project);
    let code = "values[2]";
    let texts = |folder: &str| {
        let files = walkdir::WalkDir::new(project.path(folder)).into_iter();
        let files = files.map(|entry| entry.unwrap().into_path());
        let files = files.filter(|path| path.is_file());
        let mut texts: Vec<(String, String)> = files
            .map(|path| {
                let name = path.strip_prefix(project.path(folder)).unwrap();
                (
                    name.display().to_string(),
                    fs::read_to_string(&path).unwrap(),
                )
            })
            .collect();
        texts.sort();
        texts
    };
    let export = |arguments: &[&str]| {
        let all = [
            &["report", "runs/try-code.toml", "--export", "public"],
            arguments,
        ]
        .concat();
        let ended = project.run(&all);
        assert_eq!(ended.code, Some(0), "{}", ended.stderr);
        assert_eq!(ended.stdout.trim(), "public/index.html");
        texts("public")
    };
    let whole = export(&[]);
    assert!(whole.iter().any(|(_, text)| text.contains(code)));
    // The same as in the run, whose pages have tickets.
    let names = |texts: &[(String, String)]| -> Vec<String> {
        texts.iter().map(|(name, _)| name.clone()).collect()
    };
    assert_eq!(names(&whole), names(&texts("runs/try-code/08-report")));
    let refused = project.run(&["report", "runs/try-code.toml", "--export", "public"]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    let bare = export(&["--without-code", "--force"]);
    for (name, text) in &bare {
        assert!(!text.contains(code), "{name}");
    }
    assert!(bare.iter().any(|(_, text)| text.contains("fold_3")));
    let refused = project.run(&[
        "report",
        "runs/try-code.toml",
        "--export",
        "code",
        "--force",
    ]);
    assert_eq!(refused.code, Some(4), "{}", refused.stderr);
    assert!(project.path("code/fold.c").exists());
}

#[test]
fn figures_and_tables_are_files_with_the_numbers_of_the_run() {
    let project = Project::empty();
    build(&project);
    let scored = project.run(&["score", "runs/try-code.toml", "--json"]);
    let scored: Value = serde_json::from_str(&scored.stdout).unwrap();
    let scores = scored["scores"].as_array().unwrap();
    let folder = project.path("runs/try-code/08-report");
    let read = |file: &str| fs::read_to_string(folder.join(file)).unwrap();
    let measures = read("tables/measures.csv");
    assert_eq!(measures.lines().count(), scores.len() + 1);
    let page = read("index.html");
    let of_group = |group: &str| {
        let scores = scores.iter().filter(move |it| it["group"] == group);
        let main = scores.filter(|it| it["measure"] == "nDCG@10" && it["slice"] == "all");
        main.map(|it| it["value"].as_f64().unwrap())
            .collect::<Vec<f64>>()
    };
    for value in of_group("all") {
        assert!(
            read("figures/scores-all.csv").contains(&value.to_string()),
            "{value}"
        );
        assert!(
            read("figures/scores-all.tex").contains(&format!("{value:.4})")),
            "{value}"
        );
        for table in ["csv", "md", "tex"] {
            assert!(read(&format!("tables/scores-all.{table}")).contains(&format!("{value:.3} [")));
        }
    }
    for link in [
        "figures/scores-all.svg",
        "tables/scores-all.md",
        "tables/measures.csv",
    ] {
        assert!(page.contains(&format!("href=\"{link}\"")), "{link}");
        assert!(folder.join(link).is_file());
    }
    let Some(browser) = Browser::start() else {
        return;
    };
    let context = browser.context();
    let shown = context.page(1280, 900);
    shown.open(&address(&folder, "figures/scores-all.svg"));
    // A mark for each value, and one in the legend for each retriever.
    let marks = shown
        .value("document.querySelectorAll('.series circle, .series rect, .series path').length");
    assert_eq!(marks, json!(of_group("all").len() + 2));

    // One file, without another beside it.
    let ended = project.run(&[
        "report",
        "runs/try-code.toml",
        "--single",
        "one.html",
        "--without-code",
    ]);
    assert_eq!(ended.code, Some(0), "{}", ended.stderr);
    assert_eq!(ended.stdout.trim(), "one.html");
    let one = fs::read_to_string(project.path("one.html")).unwrap();
    assert!(
        !one.contains("values[2]") && !one.contains("queries.html") && !one.contains("figures/")
    );
    shown.open(&address(&project.path(""), "one.html"));
    assert_eq!(
        shown.value("document.querySelectorAll('article[data-at]').length"),
        63
    );
    assert_reads(&shown, "the page as one file");
    assert_eq!(shown.value("window.evil ?? null"), Value::Null);
    let alone = project.run(&["report", "runs/try-code.toml", "--without-code"]);
    assert_eq!(alone.code, Some(2), "{}", alone.stderr);
}

#[test]
fn pages_of_queries_are_for_everybody() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = run();
    let folder = project.path("runs/try-code/08-report");
    for look in LOOKS {
        let context = browser.context();
        let page = context.page_in(look);
        let check = |what: &str| assert_reads(&page, &format!("{what} at {look:?}"));
        page.open(&address(&folder, "index.html"));
        check("the report");
        page.open(&address(&folder, "queries.html"));
        check("all queries");
        page.open(&address(&folder, "queries/00000.html"));
        check("a page of queries");
        page.click(".ranks td:nth-child(4) button");
        beside(&page);
        check("a query with its documents");
    }

    // Without scripts.
    let context = browser.context();
    let page = context.page(1280, 900);
    page.open(&address(&folder, "queries.html"));
    page.call(
        "Emulation.setScriptExecutionDisabled",
        &json!({"value": true}),
    );
    page.open(&address(&folder, "queries.html"));
    let number =
        |selector: &str| page.value(&format!("document.querySelectorAll({selector:?}).length"));
    assert_eq!(number(".queries tbody tr"), 63);
    assert_eq!(number(".controls"), 0, "no script ran");
    page.open(&address(&folder, "queries/00000.html"));
    assert_eq!(number("article"), 25);
    assert_eq!(number(".ranks button"), 0, "no script ran");
    assert!(page.text("article .ranks td small").contains("fold_"));
    let html = fs::read_to_string(folder.join("queries/00000.html")).unwrap();
    for said in [
        "&lt;script&gt;",
        "⟨U+202E⟩",
        "␛[31m",
        "fold_1",
        "The answer as written",
    ] {
        assert!(html.contains(said), "{said}");
    }
    assert!(!html.contains("<script>"));
}
