//! Prints how long a reader waits on the pages of queries in FOLDER, in milliseconds.

#![expect(clippy::print_stdout, reason = "an example prints what it measures")]

use barecode_testing::browser::Browser;

/// Each action with the time until the page shows its result.
const TABLE: &str = r#"(() => {
  const out = [`load ${Math.round(performance.timing.loadEventEnd - performance.timing.navigationStart)}`];
  const time = (name, act) => { const from = performance.now(); act(); document.body.offsetHeight; out.push(`${name} ${Math.round(performance.now() - from)}`); };
  const box = document.querySelector("[type=search]");
  const write = (text) => { box.value = text; box.dispatchEvent(new Event("input")); };
  time("search", () => write("table 17"));
  time("all again", () => write(""));
  const system = document.querySelector(".controls select");
  time("other system", () => { system.value = "1"; system.dispatchEvent(new Event("change")); });
  time("sort", () => document.querySelector("[data-sort='1']").click());
  time("sort by fall", () => document.querySelector("[data-sort=fall]").click());
  time("next", () => document.getElementById("after").click());
  return out.join(", ");
})()"#;

const QUERY: &str = r#"(async () => {
  const out = [`load ${Math.round(performance.timing.loadEventEnd - performance.timing.navigationStart)}`];
  for (const article of [...document.querySelectorAll("article")].slice(0, 5)) {
    const from = performance.now();
    article.querySelector(".ranks button").click();
    while (!article.querySelector(".beside figure")) await new Promise((done) => setTimeout(done, 1));
    document.body.offsetHeight;
    out.push(`open ${Math.round(performance.now() - from)}`);
  }
  return out.join(", ");
})()"#;

fn main() {
    let Some(folder) = std::env::args().nth(1) else {
        println!("interactions FOLDER");
        return;
    };
    let Some(browser) = Browser::start() else {
        return;
    };
    let context = browser.context();
    let page = context.page(1280, 900);
    for (file, script) in [("queries.html", TABLE), ("queries/00000.html", QUERY)] {
        page.open(&format!("file://{folder}/{file}"));
        println!(
            "{file}: {}",
            page.value(script).as_str().unwrap_or_default()
        );
    }
}
