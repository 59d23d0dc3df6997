//! The pages of a study in a real browser.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::Path;

use barecode_testing::browser::{Browser, LOOKS, Page};
use barecode_testing::{http, needs};
use serde_json::{Value, json};

use crate::project::Project;
use crate::served::Served;
use crate::study::{good, items, study};

/// What is answered to an item: left, right, and which is better if both are correct.
type Answer = [&'static str; 3];

/// What every rater said of every position, and how often an answer was given.
#[derive(Default)]
struct Given {
    current: BTreeMap<(String, u64), Answer>,
    answers: u64,
}

impl Given {
    fn note(&mut self, rater: &str, position: u64, answer: Answer) {
        let before = self.current.insert((rater.to_owned(), position), answer);
        self.answers += u64::from(before != Some(answer));
    }
}

/// An answer that depends on rater and position.
fn chosen(rater: usize, position: u64) -> Answer {
    match (rater as u64 * 3 + position * 7) % 5 {
        0 => ["correct", "wrong", ""],
        1 => ["wrong", "correct", ""],
        2 => ["correct", "correct", "left"],
        3 => ["correct", "correct", "equal"],
        _ => ["wrong", "wrong", ""],
    }
}

fn sign_in(page: &Page<'_>, served: &Served, token: &str) {
    page.open(&served.url("/"));
    page.value(&format!(
        "document.getElementById('token').value = {token:?}"
    ));
    page.leaving(|page| page.click("button.main"));
    assert!(
        page.text("h1").starts_with("Study"),
        "{}",
        page.text("body")
    );
}

fn fill_in(page: &Page<'_>, [left, right, better]: Answer) {
    page.click(&format!("[name=left][value={left}]"));
    page.click(&format!("[name=right][value={right}]"));
    if !better.is_empty() {
        page.click(&format!("[name=better][value={better}]"));
    }
}

fn save(page: &Page<'_>) {
    page.leaving(|page| page.click("form.answer button.main"));
}

fn position(page: &Page<'_>) -> u64 {
    page.text("h1")
        .split_whitespace()
        .nth(1)
        .unwrap()
        .parse()
        .unwrap()
}

/// The current answers of a study by sides, and the number of all answers.
fn stored(project: &Project) -> (BTreeMap<(String, u64), [String; 3]>, u64) {
    let exported: Value =
        serde_json::from_str(&good(project, &["study", "export", "study.sqlite", "--json"]).stdout)
            .unwrap();
    let mut places = BTreeMap::new();
    for row in exported["assignments"].as_array().unwrap() {
        let key = (row["rater"].to_string(), row["item"].to_string());
        places.insert(
            key,
            (
                row["position"].as_u64().unwrap(),
                row["candidate_is_left"].as_bool().unwrap(),
            ),
        );
    }
    let mut current = BTreeMap::new();
    let answers = exported["answers"].as_array().unwrap();
    for row in answers {
        let (position, is_left) = places[&(row["rater"].to_string(), row["item"].to_string())];
        let said = &row["answer"]["compare"];
        let text = |name: &str| said[name].as_str().unwrap_or_default();
        let (left, right) = if is_left {
            ("candidate", "reference")
        } else {
            ("reference", "candidate")
        };
        let better = match text("better") {
            "" => "",
            "equal" => "equal",
            better if better == left => "left",
            _ => "right",
        };
        let rater = row["rater"].as_str().unwrap().to_owned();
        current.insert(
            (rater, position),
            [text(left), text(right), better].map(str::to_owned),
        );
    }
    (current, answers.len() as u64)
}

fn assert_stored(project: &Project, given: &Given) {
    let (current, answers) = stored(project);
    let expected: BTreeMap<_, _> = given
        .current
        .iter()
        .map(|(place, answer)| (place.clone(), answer.map(str::to_owned)))
        .collect();
    assert_eq!(current, expected, "nothing is lost or changed");
    assert_eq!(answers, given.answers, "nothing is counted twice");
}

/// The body of the form as a browser would send it.
fn form([left, right, better]: Answer, seen: &Value) -> String {
    let better = if better.is_empty() {
        String::new()
    } else {
        format!("&better={better}")
    };
    format!(
        "seen={}&left={left}&right={right}{better}",
        seen.as_str().unwrap()
    )
}

/// The answer to the item on the page is stored, and the server killed before the browser hears of it; or it is killed
/// somewhere on the way. Either way the rater saves once more, on the page as it was.
fn killed(
    project: &Project,
    served: Served,
    page: &Page<'_>,
    cookie: &str,
    answer: Answer,
    is_stored: bool,
) -> Served {
    let seen = page.value("document.querySelector('[name=seen]').value");
    let path = format!("/item/{}", position(page));
    let (port, headers) = (served.port, [("cookie", cookie)]);
    let mut served = served;
    let mut stream = http::send(port, "POST", &path, &headers, &form(answer, &seen));
    if is_stored {
        // The first byte of the acknowledgement is on its way.
        stream.read_exact(&mut [0]).unwrap();
    }
    served.kill();
    // The browser finds nobody, and what was filled in is still there after "back".
    fill_in(page, answer);
    page.click("form.answer button.main");
    page.wait("!location.href.startsWith('http')");
    let served = Served::start(project, "study.sqlite", port);
    page.open(&served.url(&path));
    fill_in(page, answer);
    save(page);
    served
}

#[test]
fn thirty_answers_each_survive_reloads_tabs_and_kills() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = Project::empty();
    project.write("items.csv", items(130));
    let tokens = study(&project, &[]);
    let mut served = Served::start(&project, "study.sqlite", 0);
    let mut given = Given::default();
    for (number, (rater, token)) in tokens.iter().enumerate() {
        let context = browser.context();
        let (page, second) = (context.page(1280, 900), context.page(390, 800));
        sign_in(&page, &served, token);
        let cookie = served.cookie(token);
        page.leaving(|page| page.click("a.main"));
        for turn in 0..30 {
            let at = position(&page);
            let answer = chosen(number, at);
            match turn % 10 {
                // Filled in, reloaded, filled in again.
                2 => {
                    fill_in(&page, chosen(number, at + 1));
                    page.leaving(|page| drop(page.call("Page.reload", &json!({}))));
                    fill_in(&page, answer);
                    save(&page);
                }
                // Saved, gone back, changed, saved.
                4 => {
                    fill_in(&page, answer);
                    save(&page);
                    given.note(rater, at, answer);
                    page.leaving(|page| page.act("history.back()"));
                    assert_eq!(position(&page), at);
                    assert_eq!(
                        page.value("document.querySelector('[name=left]:checked').value"),
                        answer[0],
                        "what is stored"
                    );
                    let changed = chosen(number + 1, at + 2);
                    fill_in(&page, changed);
                    save(&page);
                    given.note(rater, at, changed);
                }
                // The same item in two tabs: the same answer in both, then another in the one that is behind.
                6 => {
                    second.open(&served.url(&format!("/item/{at}")));
                    fill_in(&second, answer);
                    fill_in(&page, answer);
                    save(&page);
                    save(&second);
                    given.note(rater, at, answer);
                    second.open(&served.url(&format!("/item/{at}")));
                    page.open(&served.url(&format!("/item/{at}")));
                    // Neither of them is the answer that is stored.
                    let (one, other) = (chosen(number, at + 1), ["correct", "correct", "right"]);
                    fill_in(&second, one);
                    save(&second);
                    given.note(rater, at, one);
                    fill_in(&page, other);
                    save(&page);
                    assert!(
                        page.text("[role=alert]").contains("answered elsewhere"),
                        "{}",
                        page.text("main")
                    );
                    assert_eq!(
                        page.value("document.querySelector('[name=better]:checked').value"),
                        "right",
                        "what was chosen"
                    );
                    save(&page);
                    given.note(rater, at, other);
                }
                // By keys.
                8 => {
                    page.value("document.querySelector('[name=left]').focus()");
                    page.press(if answer[0] == "correct" { "1" } else { "2" });
                    page.press(if answer[1] == "correct" { "3" } else { "4" });
                    match answer[2] {
                        "left" => page.press("a"),
                        "right" => page.press("b"),
                        "equal" => page.press("e"),
                        _ => {}
                    }
                    page.leaving(|page| page.press("Enter"));
                }
                5 => served = killed(&project, served, &page, &cookie, answer, true),
                9 => served = killed(&project, served, &page, &cookie, answer, false),
                _ => {
                    fill_in(&page, answer);
                    save(&page);
                }
            }
            if ![4, 6].contains(&(turn % 10)) {
                given.note(rater, at, answer);
            }
        }
        assert_stored(&project, &given);
    }
    assert!(given.current.len() >= 90, "{}", given.current.len());
    let status: Value = serde_json::from_str(
        &good(&project, &["study", "status", "study.sqlite", "--json"]).stdout,
    )
    .unwrap();
    assert_eq!(
        (&status["items"], &status["answers"]),
        (&json!(375), &json!(given.answers))
    );
}

#[test]
fn an_offline_page_keeps_its_answers_and_they_count_once() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = Project::empty();
    project.write("items.csv", items(10));
    study(&project, &["--per-group", "10", "--shared", "10"]);
    good(
        &project,
        &[
            "study",
            "offline",
            "study.sqlite",
            "--rater",
            "rater-2",
            "--out",
            "rater.html",
        ],
    );
    let html = fs::read_to_string(project.path("rater.html")).unwrap();
    assert!(
        !html.contains("llm") && !html.contains("f1-3"),
        "no source and no id"
    );
    assert!(
        !html.contains("http:") && !html.contains("https:"),
        "nothing from elsewhere"
    );
    let context = browser.context();
    let page = context.page(1280, 900);
    let url = format!("file://{}", project.path("rater.html").display());
    page.open(&url);
    let mut given = Given::default();
    let next = |page: &Page<'_>, position: u64| {
        page.wait(&format!(
            "document.querySelector('h1').textContent.startsWith('Item {position} ')"
        ));
    };
    page.click("a.main");
    for at in 1..=30 {
        next(&page, at);
        let answer = chosen(1, at);
        fill_in(&page, answer);
        page.click("form.answer button.main");
        given.note("rater-2", at, answer);
        if at == 12 {
            // Closed and opened again.
            next(&page, at + 1);
            page.open("about:blank");
            page.open(&format!("{url}#{at}"));
            next(&page, at);
            assert_eq!(
                page.value("document.querySelector('[name=left]:checked').value"),
                answer[0]
            );
            let changed = ["wrong", "correct", ""];
            fill_in(&page, changed);
            page.click("form.answer button.main");
            given.note("rater-2", at, changed);
        }
    }
    page.wait("document.body.innerText.includes('All is done')");
    assert_axe(&page, "the list of the offline page");
    page.call(
        "Page.setDownloadBehavior",
        &json!({"behavior": "allow", "downloadPath": project.path("")}),
    );
    page.click("#save button");
    let saved = project.path("answers-rater-2.json");
    for _ in 0..500 {
        if saved.exists() {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let import = [
        "study",
        "import",
        "study.sqlite",
        "answers-rater-2.json",
        "--json",
    ];
    for stored in [given.answers, 0] {
        let done: Value = serde_json::from_str(&good(&project, &import).stdout).unwrap();
        assert_eq!(done[0]["imported"]["stored"], stored);
        assert_stored(&project, &given);
    }
}

#[test]
fn everything_works_without_a_script() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = Project::empty();
    project.write("items.csv", items(4));
    let tokens = study(&project, &["--per-group", "4", "--shared", "4"]);
    let served = Served::start(&project, "study.sqlite", 0);
    let context = browser.context();
    let page = context.page(390, 800);
    sign_in(&page, &served, &tokens["rater-1"]);
    page.call(
        "Emulation.setScriptExecutionDisabled",
        &json!({"value": true}),
    );
    page.open(&served.url("/item/1"));
    // A keyboard alone: three groups of choices, then the button.
    page.value("document.querySelector('[name=left]').focus()");
    for key in [" ", "Tab", " ", "Tab", " ", "Enter"] {
        key_event(&page, key);
    }
    page.wait("location.search === '?saved=1'");
    let (current, answers) = stored(&project);
    assert_eq!(answers, 1);
    assert_eq!(
        current[&("rater-1".to_owned(), 1)],
        ["correct", "correct", "left"]
    );
    assert_eq!(
        page.value("document.documentElement.scrollWidth <= innerWidth"),
        true,
        "nothing is wider than a phone"
    );
}

fn key_event(page: &Page<'_>, key: &str) {
    let (text, code) = match key {
        "Tab" => ("", 9),
        "Enter" => ("\r", 13),
        _ => (" ", 32),
    };
    let mut event = json!({"type": "keyDown", "key": key, "windowsVirtualKeyCode": code});
    if !text.is_empty() {
        event["text"] = text.into();
    }
    page.call("Input.dispatchKeyEvent", &event);
    page.call(
        "Input.dispatchKeyEvent",
        &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
    );
}

#[test]
fn no_page_has_a_barrier() {
    let Some(browser) = Browser::start() else {
        return;
    };
    let project = Project::new();
    project.build();
    project.write("items.csv", items(4));
    project.write("records.csv", "id,text,code\na,one,int x;\nb,two,int y;\n");
    let tokens = study(&project, &["--per-group", "4", "--shared", "4"]);
    let review = good(
        &project,
        &[
            "review",
            "new",
            "records.csv",
            "--out",
            "review.sqlite",
            "--json",
        ],
    )
    .stdout;
    let review: Value = serde_json::from_str(&review).unwrap();
    let writing = good(
        &project,
        &[
            "study",
            "queries",
            "recipe.toml",
            "--per-group",
            "1",
            "--raters",
            "1",
            "--out",
            "writing.sqlite",
            "--json",
        ],
    )
    .stdout;
    let writing: Value = serde_json::from_str(&writing).unwrap();
    let served = Served::start(&project, "study.sqlite", 0);
    let written = Served::start(&project, "writing.sqlite", 0);
    let mut answers = [["correct", "wrong", ""], ["wrong", "correct", ""]]
        .into_iter()
        .cycle();
    let reviewed = Served::start(&project, "review.sqlite", 0);
    good(
        &project,
        &[
            "study",
            "offline",
            "study.sqlite",
            "--rater",
            "rater-3",
            "--out",
            "rater.html",
        ],
    );
    for look in LOOKS {
        let context = browser.context();
        let page = context.page_in(look);
        let check = |what: &str| assert_reads(&page, &format!("{what} at {look:?}"));
        page.open(&served.url("/"));
        check("the door");
        page.value("document.getElementById('token').value = 'wrong'");
        page.leaving(|page| page.click("button.main"));
        check("the door after a wrong token");
        sign_in(&page, &served, &tokens["rater-1"]);
        check("the list");
        page.open(&served.url("/item/2"));
        check("an item");
        page.click("summary");
        page.click("[name=left][value=correct]");
        page.click("[name=right][value=correct]");
        check("an item that is filled in");
        save(&page);
        check("an item that is not finished");
        page.click("[name=better][value=equal]");
        save(&page);
        check("the next item");
        // Answered elsewhere while the page was open, differently than before.
        page.open(&served.url("/item/4"));
        let seen = page.value("document.querySelector('[name=seen]').value");
        let cookie = served.cookie(&tokens["rater-1"]);
        let elsewhere = form(answers.next().unwrap(), &seen);
        http::request(
            served.port,
            "POST",
            "/item/4",
            &[("cookie", &cookie)],
            &elsewhere,
        );
        fill_in(&page, ["correct", "correct", "left"]);
        save(&page);
        assert!(page.text("[role=alert]").contains("answered elsewhere"));
        check("an item that was answered elsewhere");
        page.open(&served.url("/item/99"));
        check("no item");
        sign_in_elsewhere(
            &page,
            &reviewed,
            review["raters"][0]["token"].as_str().unwrap(),
        );
        page.open(&reviewed.url("/item/1"));
        check("a record");
        sign_in_elsewhere(
            &page,
            &written,
            writing["raters"][0]["token"].as_str().unwrap(),
        );
        page.open(&written.url("/item/1"));
        check("a function to write for");
        save(&page);
        check("a function without a text");
        page.open(&format!(
            "file://{}#2",
            project.path("rater.html").display()
        ));
        check("an offline item");
    }
}

fn sign_in_elsewhere(page: &Page<'_>, served: &Served, token: &str) {
    page.open(&served.url("/"));
    page.value(&format!(
        "document.getElementById('token').value = {token:?}"
    ));
    page.leaving(|page| page.click("button.main"));
}

/// No rule of axe-core is violated.
fn assert_axe(page: &Page<'_>, what: &str) {
    let Some(script) = axe() else { return };
    // By the protocol and not by an element, which the page's policy would refuse.
    page.value(&format!("{script}; null"));
    let found = page.value("axe.run().then((found) => found.violations.map((one) => `${one.id}: ${one.nodes[0].html} ${one.nodes[0].failureSummary}`))");
    assert_eq!(found, json!([]), "{what}");
}

/// A page is accessible, and not wider than its window.
pub(crate) fn assert_reads(page: &Page<'_>, what: &str) {
    assert_axe(page, what);
    let fits = page.value("document.documentElement.scrollWidth <= innerWidth");
    assert_eq!(fits, true, "{what}");
}

/// The source of axe-core, from the package that brings it.
fn axe() -> Option<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/axe.py");
    let path = needs::ask(&script, &Value::Null, &[])?;
    let Some(path) = path.as_str() else {
        needs::skip("the interpreter lacks axe-playwright-python");
        return None;
    };
    Some(fs::read_to_string(path).unwrap())
}
