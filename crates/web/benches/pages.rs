//! How long the pages of a review of 20,000 records take: `cargo bench --package barecode-web --bench pages`.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Instant;

use barecode_web::{Design, Item, Kind, NewStudy, Study, import, listen, serve};

const RECORDS: usize = 20_000;

#[expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a bench prints times"
)]
fn main() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("review.sqlite");
    let body =
        "    for (int i = 0; i < n; i++) {\n        sum += table[i] * 2;\n    }\n".repeat(20);
    let item = |at: usize| Item {
        id: format!("q{at}"),
        language: "c".to_owned(),
        code: format!(
            "int f{at}(int n, const int *table) {{\n    int sum = 0;\n{body}    return sum;\n}}"
        ),
        context: body.repeat(10),
        texts: [format!("Adds up the table, number {at}."), String::new()],
        ..Item::default()
    };
    let review = NewStudy {
        kind: Kind::Review,
        items: (0..RECORDS).map(item).collect(),
        sources: Default::default(),
        introduction: String::new(),
        question: Kind::Review.question().to_owned(),
        raters: vec!["anna".to_owned()],
        design: Design {
            per_group: None,
            shared: 0,
            raters: 1,
            seed: 0,
        },
    };
    let made = Instant::now();
    let token = review.create(&path).unwrap().remove(0).1;
    println!(
        "make the file      {:>8.1} ms",
        made.elapsed().as_secs_f64() * 1e3
    );
    let mut study = Study::open(&path).unwrap();
    // All but the last hundred are answered: the list and "next without answer" have the most to look at.
    let rows: Vec<String> = (0..RECORDS - 100)
        .map(|at| format!("q{at},keep,,anna"))
        .collect();
    let imported = Instant::now();
    import(
        &mut study,
        &format!("record,decision,text,reviewer\n{}", rows.join("\n")),
        "r.csv",
    )
    .unwrap();
    println!(
        "import 19,900 rows {:>8.1} ms",
        imported.elapsed().as_secs_f64() * 1e3
    );
    let listener = listen(0).unwrap();
    let port = listener.local_addr().unwrap().port();
    let right = study.serving().unwrap();
    thread::spawn(move || serve(study, right, listener));
    let ask = |request: &str, cookie: &str, form: &str| {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\ncookie: {cookie}\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            form.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    let entered = ask("POST /enter", "", &format!("token={token}"));
    let cookie = entered
        .lines()
        .find_map(|line| line.strip_prefix("set-cookie: "))
        .unwrap();
    let cookie = cookie.split(';').next().unwrap();
    let pages = [
        ("the list", "GET /?page={}", 100),
        ("a record", "GET /item/{}", 200),
        ("next without answer", "GET /next?after={}", 100),
        ("an answer", "POST /item/{}", 100),
    ];
    for (name, request, times) in pages {
        let mut taken: Vec<f64> = (0..times)
            .map(|turn| {
                let at = if request.starts_with("POST") {
                    RECORDS - turn
                } else {
                    turn * 97 % RECORDS + 1
                };
                let request = request.replace("{}", &at.to_string());
                let started = Instant::now();
                let answer = ask(&request, cookie, "seen=0&decision=drop");
                let taken = started.elapsed().as_secs_f64() * 1e3;
                assert!(
                    answer.starts_with("HTTP/1.1 200") || answer.starts_with("HTTP/1.1 303"),
                    "{answer}"
                );
                taken
            })
            .collect();
        taken.sort_by(f64::total_cmp);
        println!(
            "{name:<19}{:>8.1} ms in the middle, {:.1} ms at most",
            taken[taken.len() / 2],
            taken[taken.len() - 1]
        );
    }
}
