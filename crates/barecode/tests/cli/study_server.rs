//! What the server of a study sends, byte by byte, and to whom.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use barecode_testing::http;
use serde_json::Value;

use crate::project::Project;
use crate::served::Served;
use crate::study::{good, items, study};

fn small(project: &Project) -> BTreeMap<String, String> {
    project.write("items.csv", items(6));
    study(project, &["--per-group", "6", "--shared", "3"])
}

#[test]
fn only_raters_and_only_the_servers_own_pages_get_in() {
    let project = Project::empty();
    let tokens = small(&project);
    let served = Served::start(&project, "study.sqlite", 0);
    let cookie = served.cookie(&tokens["rater-1"]);
    let form = "seen=0&left=correct&right=wrong";
    let post = |headers: &[(&str, &str)]| {
        http::request(served.port, "POST", "/item/1", headers, form).status
    };
    assert_eq!(
        post(&[("cookie", &cookie), ("host", "study.example:80")]),
        421
    );
    assert_eq!(
        post(&[("cookie", &cookie), ("origin", "http://evil.example")]),
        403
    );
    assert_eq!(post(&[("cookie", &cookie), ("origin", "null")]), 403);
    assert_eq!(
        post(&[("cookie", &cookie), ("origin", "http://127.0.0.1:1")]),
        403,
        "another server on loopback"
    );
    assert_eq!(
        post(&[("cookie", &cookie), ("sec-fetch-site", "cross-site")]),
        403
    );
    assert_eq!(
        post(&[("cookie", &cookie), ("host", "localhost.example:80")]),
        421
    );
    let tunnel = [("host", "localhost:4711"), ("cookie", &*cookie)];
    let page = http::request(served.port, "GET", "/item/1", &tunnel, "");
    assert_eq!(page.status, 200, "a tunnel has a port of its own");
    let unknown = http::request(
        served.port,
        "POST",
        "/item/1",
        &[("cookie", "barecode=x")],
        form,
    );
    assert_eq!(
        (unknown.status, unknown.header("location")),
        (303, Some("/"))
    );
    assert_eq!(
        http::request(served.port, "POST", "/enter", &[], "token=wrong").status,
        403
    );
    let status: Value = serde_json::from_str(
        &good(&project, &["study", "status", "study.sqlite", "--json"]).stdout,
    )
    .unwrap();
    assert_eq!(status["answers"], 0, "none of these was an answer");
    let page = served.page("/item/1", &cookie);
    let policy = page.header("content-security-policy").unwrap();
    assert!(
        policy.starts_with("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("cache-control"), Some("no-store"));
    assert!(
        !page.body.contains("style=") && !page.body.contains("onclick"),
        "nothing inline"
    );
    assert_eq!(served.page("/item/99", &cookie).status, 404);
    assert_eq!(served.page("/elsewhere", &cookie).status, 404);
    // Who leaves is out, although the cookie is still there.
    http::request(served.port, "POST", "/leave", &[("cookie", &cookie)], "");
    assert_eq!(served.page("/item/1", &cookie).status, 303);
}

#[test]
fn no_token_is_on_a_page_in_an_address_or_in_the_log() {
    let project = Project::empty();
    let tokens = small(&project);
    let served = Served::start(&project, "study.sqlite", 0);
    let cookie = served.cookie(&tokens["rater-1"]);
    let mut seen = String::new();
    for path in [
        "/",
        "/?page=1",
        "/item/1",
        "/item/2",
        "/next?after=1",
        "/item/99",
        "/study.css",
        "/keys.js",
    ] {
        let page = served.page(path, &cookie);
        seen += &page.head;
        seen += &page.body;
    }
    let saved = http::request(
        served.port,
        "POST",
        "/item/1",
        &[("cookie", &cookie)],
        "seen=0&left=correct&right=wrong",
    );
    seen += &saved.head;
    seen += &served.log();
    let (_, secret) = cookie.split_once('=').unwrap();
    for token in tokens.values().map(String::as_str).chain([secret]) {
        assert!(!seen.contains(token), "a secret is seen");
    }
}

#[test]
fn a_second_server_says_that_there_is_one() {
    let project = Project::empty();
    small(&project);
    let _served = Served::start(&project, "study.sqlite", 0);
    let second = project.run(&["study", "serve", "study.sqlite"]);
    assert_eq!(second.code, Some(4));
    assert!(
        second
            .stderr
            .contains("another server has `study.sqlite` open"),
        "{}",
        second.stderr
    );
    assert!(second.stdout.is_empty(), "it names no address");
    // Looking and importing need no server of their own.
    good(&project, &["study", "status", "study.sqlite"]);
}

#[test]
fn idle_connections_keep_no_rater_out_and_take_no_answer_away() {
    let project = Project::empty();
    let tokens = small(&project);
    let served = Served::within(&project, "study.sqlite", 40);
    let idle = |count: usize| -> Vec<TcpStream> {
        let connect = |_| TcpStream::connect(("127.0.0.1", served.port)).unwrap();
        (0..count).map(connect).collect()
    };
    let first = idle(100);
    let cookie = served.cookie(&tokens["rater-1"]);
    let saved = |item: u32| {
        let form = "seen=0&left=correct&right=wrong";
        let path = format!("/item/{item}");
        http::request(served.port, "POST", &path, &[("cookie", &cookie)], form).status
    };
    assert_eq!(saved(1), 303);
    // Half of a form, and the rest of it after many others came.
    let body = "seen=0&left=correct&right=wrong";
    let mut slow = TcpStream::connect(("127.0.0.1", served.port)).unwrap();
    write!(
        slow,
        "POST /item/3 HTTP/1.1\r\nhost: 127.0.0.1:{}\r\ncookie: {cookie}\r\ncontent-length: {}\r\nconnection: close\r\n\
         content-type: application/x-www-form-urlencoded\r\n\r\n",
        served.port,
        body.len()
    )
    .unwrap();
    let second = idle(10);
    slow.write_all(body.as_bytes()).unwrap();
    let mut answer = String::new();
    slow.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 303"), "{answer}");
    assert_eq!(saved(2), 303);
    drop((first, second));
    let page = served.page("/", &cookie).body;
    assert!(page.contains("3 of 12"), "{page}");
}

#[test]
fn ctrl_c_ends_the_server_and_the_next_one_goes_on() {
    let project = Project::empty();
    let tokens = small(&project);
    let served = Served::start(&project, "study.sqlite", 0);
    let cookie = served.cookie(&tokens["rater-1"]);
    http::request(
        served.port,
        "POST",
        "/item/1",
        &[("cookie", &cookie)],
        "seen=0&left=correct&right=wrong",
    );
    assert_eq!(served.interrupt(), Some(0));
    let served = Served::start(&project, "study.sqlite", 0);
    let page = served.page("/item/1", &cookie).body;
    assert!(page.contains("1 of 12 answered"), "{page}");
}

#[test]
fn a_form_of_an_older_answer_is_not_saved_without_a_word() {
    let project = Project::empty();
    let tokens = small(&project);
    let served = Served::start(&project, "study.sqlite", 0);
    let cookie = served.cookie(&tokens["rater-2"]);
    let post =
        |form: &str| http::request(served.port, "POST", "/item/2", &[("cookie", &cookie)], form);
    let first = post("seen=0&left=correct&right=wrong");
    assert_eq!(
        (first.status, first.header("location")),
        (303, Some("/item/3?saved=2"))
    );
    assert_eq!(
        post("seen=0&left=correct&right=wrong").status,
        303,
        "the same form twice"
    );
    let conflict = post("seen=0&left=wrong&right=wrong");
    assert_eq!(conflict.status, 409);
    assert!(
        conflict.body.contains("answered elsewhere")
            && conflict.body.contains("A is correct, B is wrong"),
        "{}",
        conflict.body
    );
    let unfinished = post("seen=1&left=correct&right=correct");
    assert_eq!(unfinished.status, 422);
    assert!(
        unfinished.body.contains("choose the better one"),
        "{}",
        unfinished.body
    );
    let (_, seen) = conflict.body.split_once("name=\"seen\" value=\"").unwrap();
    let seen = seen.split('"').next().unwrap();
    assert_eq!(
        post(&format!("seen={seen}&left=wrong&right=wrong")).status,
        303
    );
    let status: Value = serde_json::from_str(
        &good(&project, &["study", "status", "study.sqlite", "--json"]).stdout,
    )
    .unwrap();
    assert_eq!(
        (&status["answers"], &status["changed"]),
        (&2.into(), &1.into())
    );
}

/// What a page shows but for the two texts, in numbers: how often each word stands there, its length, how long it took.
fn features(page: &str, micros: f64) -> BTreeMap<String, f64> {
    let mut features = BTreeMap::new();
    for word in page
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
    {
        *features.entry(word.to_owned()).or_default() += 1.0;
    }
    features.insert(" length".to_owned(), page.len() as f64 / 1_000.0);
    features.insert(" time".to_owned(), micros / 1_000.0);
    features
}

/// How often a linear discriminant that learned from every other page is right about the rest: each feature counts by how
/// far its means are apart, over its variance.
fn accuracy(pages: &[(BTreeMap<String, f64>, bool)]) -> f64 {
    let mut sums: BTreeMap<&str, [[f64; 2]; 2]> = BTreeMap::new();
    let mut counts = [0.0; 2];
    for (page, is_left) in pages.iter().step_by(2) {
        counts[usize::from(*is_left)] += 1.0;
        for (name, value) in page {
            let of_side = &mut sums.entry(name).or_default()[usize::from(*is_left)];
            of_side[0] += value;
            of_side[1] += value * value;
        }
    }
    // Weight and middle of each feature.
    let learned: BTreeMap<&str, (f64, f64)> = sums
        .into_iter()
        .map(|(name, sides)| {
            let means = [0, 1].map(|side| sides[side][0] / counts[side]);
            let variances =
                [0, 1].map(|side| sides[side][1] / counts[side] - means[side] * means[side]);
            let weight = (means[1] - means[0]) / (variances[0] + variances[1] + 1e-3);
            (name, (weight, f64::midpoint(means[0], means[1])))
        })
        .collect();
    let score = |page: &BTreeMap<String, f64>| -> f64 {
        let parts = learned
            .iter()
            .map(|(name, (weight, middle))| weight * (page.get(*name).unwrap_or(&0.0) - middle));
        parts.sum()
    };
    let rest: Vec<_> = pages.iter().skip(1).step_by(2).collect();
    rest.iter()
        .filter(|(page, is_left)| (score(page) > 0.0) == *is_left)
        .count() as f64
        / rest.len() as f64
}

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "how long a page takes must not say anything either"
)]
fn nothing_on_a_page_but_the_texts_says_which_is_whose() {
    let project = Project::empty();
    project.write("items.csv", items(130));
    let tokens = study(&project, &[]);
    let exported: Value = serde_json::from_str(
        &good(&project, &["study", "export", "study.sqlite", "--json"]).stdout,
    )
    .unwrap();
    let served = Served::start(&project, "study.sqlite", 0);
    let (mut shown, mut marked) = (Vec::new(), Vec::new());
    for (rater, token) in &tokens {
        let cookie = served.cookie(token);
        let assigned = exported["assignments"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["rater"] == **rater);
        for row in assigned {
            let is_left = row["candidate_is_left"].as_bool().unwrap();
            let item = row["item"].as_str().unwrap();
            let started = Instant::now();
            let page = served
                .page(&format!("/item/{}", row["position"]), &cookie)
                .body;
            let micros = started.elapsed().as_secs_f64() * 1e6;
            let name = item.trim_start_matches('f').replace('-', " ");
            let (llm, human) = (
                format!("machine prose {name}"),
                format!("hand prose {name}"),
            );
            let (at_llm, at_human) = (page.find(&llm).unwrap(), page.find(&human).unwrap());
            assert_eq!(at_llm < at_human, is_left, "{item}");
            let bare = page.replace(&llm, "").replace(&human, "");
            for word in ["llm", "human", "machine", "candidate", "reference", item] {
                assert!(!bare.contains(word), "{word} is on the page of {item}");
            }
            shown.push((features(&bare, micros), is_left));
            let mark = if is_left { "mark one" } else { "mark two" };
            marked.push((features(&format!("{bare} {mark}"), micros), is_left));
        }
    }
    assert_eq!(shown.len(), 675);
    // Of 337 pages half are right by chance, give or take 2.7 %; four times that is allowed.
    let by_chance = accuracy(&shown);
    assert!(
        (by_chance - 0.5).abs() < 0.11,
        "{by_chance} of the pages give it away"
    );
    assert!(
        accuracy(&marked) > 0.95,
        "a page that gives it away is noticed"
    );
}

#[test]
fn raters_are_introduced_and_may_say_that_they_cannot_judge() {
    let project = Project::empty();
    project.write("items.csv", items(6));
    project.write(
        "introduction.txt",
        "We compare descriptions. Write to lab@example.org.\n\nYou may stop at any time: <b>nothing</b> is kept then.\n",
    );
    let drawn = ["--per-group", "6", "--shared", "6"];
    let introduced = ["--introduction", "introduction.txt"];
    let tokens = study(&project, &[&drawn[..], &introduced].concat());
    let served = Served::start(&project, "study.sqlite", 0);
    let cookie = served.cookie(&tokens["rater-1"]);
    let front = served.page("/", &cookie).body;
    let paragraph = "<p class=\"introduction\">You may stop at any time: &lt;b&gt;nothing&lt;/b&gt; is kept then.</p>";
    assert!(
        front.contains("lab@example.org") && front.contains(paragraph),
        "{front}"
    );
    let post = |item: &str, form: &str| {
        http::request(served.port, "POST", item, &[("cookie", &cookie)], form).status
    };
    assert_eq!(post("/item/1", "seen=0&unjudged=yes&left=wrong"), 422);
    assert_eq!(
        post("/item/1", "seen=0&unjudged=yes&note=no+idea+of+CRC"),
        303
    );
    assert_eq!(
        post("/item/2", "seen=0&left=wrong&right=correct&note=wrong+file"),
        303
    );
    assert_eq!(
        post("/item/3", "seen=0&left=correct&right=correct&better=equal"),
        303
    );
    let shown = served.page("/item/1", &cookie).body;
    assert!(
        shown.contains("name=\"unjudged\" value=\"yes\"") && shown.contains("checked"),
        "{shown}"
    );
    assert!(shown.contains("no idea of CRC"), "{shown}");
    let status = good(&project, &["study", "status", "study.sqlite", "--json"]).stdout;
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(
        (&status["answers"], &status["unjudged"]),
        (&3.into(), &1.into())
    );
    let ratings = good(&project, &["study", "export", "study.sqlite"]).stdout;
    assert_eq!(ratings.lines().count(), 3, "{ratings}");
    assert!(
        ratings.starts_with("item,rater,llm,human,better,group,note\n")
            && ratings.contains(",wrong file\n"),
        "{ratings}"
    );
    let noted = good(&project, &["study", "statistics", "study.sqlite"]).stderr;
    assert!(
        noted.contains("1 answers are “I cannot judge this”"),
        "{noted}"
    );
    // What went out comes in again, and says nothing new.
    project.write("ratings.csv", &ratings);
    let import = ["study", "import", "study.sqlite", "ratings.csv", "--json"];
    let imported: Value = serde_json::from_str(&good(&project, &import).stdout).unwrap();
    assert_eq!(imported[0]["imported"]["known"], 2, "{imported}");
}
