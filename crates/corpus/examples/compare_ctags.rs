//! `compare_ctags [--json] [SOURCE | RECIPE.toml]…`: our functions beside those of universal-ctags.
//!
//! Without a source it takes those of the demo. It prints both counts and, for each category of difference,
//! how many there are and the first ones; `--json` prints all of them.

#[path = "../tests/oracle/asked.rs"]
mod asked;
#[path = "../tests/oracle/arguments.rs"]
mod arguments;
#[path = "../tests/oracle/ctags.rs"]
mod ctags;

use std::process::ExitCode;

use barecode_corpus::{ExtractConfig, extract};

fn main() -> ExitCode {
    let json = std::env::args().any(|argument| argument == "--json");
    match run(&arguments::sources(), json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("compare_ctags: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn run(asked: &[String], json: bool) -> Result<(), String> {
    if !ctags::is_here() {
        return Err("universal-ctags is not here: apt-get install universal-ctags".to_owned());
    }
    let headers = asked::headers()?;
    for config in asked::configs(asked)? {
        let source = asked::resolve(&config)?;
        let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
        let comparison = ctags::compare(&source, &extraction)?;
        if json {
            let text = serde_json::to_string(&comparison).map_err(|error| error.to_string())?;
            say(&text);
            continue;
        }
        say(&format!(
            "{}: {} files, {} functions of ours, {} of ctags ({:+.2} %), {} in both, {} missed, {} unexplained",
            comparison.source,
            comparison.files,
            comparison.ours,
            comparison.theirs,
            (comparison.ours as f64 / comparison.theirs.max(1) as f64 - 1.0) * 100.0,
            comparison.both,
            comparison.missed(),
            comparison.unexplained(),
        ));
        for (category, all) in &comparison.differences {
            say(&format!("  {:6} {category}", all.len()));
            for named in all.iter().take(5) {
                say(&format!(
                    "           {}:{} {}",
                    named.path, named.start, named.name
                ));
            }
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a tool prints what it found")]
fn say(line: &str) {
    println!("{line}");
}
