//! `yield [LIMIT] [SOURCE | RECIPE.toml]…`: how many of the functions that are drawn become units, and why the others
//! do not; once with the headers that a build makes as their templates say, once without.
//!
//! Functions that need a header of another project are counted by themselves.

#[path = "../tests/oracle/asked.rs"]
mod asked;
#[path = "../tests/oracle/arguments.rs"]
mod arguments;

use std::collections::BTreeMap;
use std::process::ExitCode;

use barecode_check::{CheckConfig, CheckError, Compiler, Judge, check};
use barecode_corpus::{ExtractConfig, extract};
use barecode_records::Language;

fn main() -> ExitCode {
    match run(arguments::sources()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("yield: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn run(mut asked: Vec<String>) -> Result<(), String> {
    let limit = asked.first().and_then(|first| first.parse().ok());
    if limit.is_some() {
        asked.remove(0);
    }
    let headers = asked::headers()?;
    let text = |error: CheckError| error.to_string();
    let config = CheckConfig::default();
    let cpp = match Compiler::probe_for(&config, Language::CPP) {
        Err(CheckError::CompilerMissing { .. }) => None,
        found => Some(found.map_err(text)?),
    };
    let compiler = Compiler::probe(&config).map_err(text)?;
    let judge = Judge::new(compiler, cpp, None).map_err(text)?;
    for mut source in asked::configs(&asked)? {
        source.limit = limit;
        let source = asked::resolve(&source)?;
        for assume_headers in [false, true] {
            let config = ExtractConfig {
                assume_headers,
                ..ExtractConfig::default()
            };
            let extraction = extract(&source, &config, &headers, 0);
            let drawn = extraction.kept.len();
            let templates = extraction
                .kept
                .iter()
                .filter(|function| function.is_template);
            let templates = templates.count();
            let documented = extraction
                .kept
                .iter()
                .filter(|function| !function.docs.is_empty());
            let documented = documented.count();
            let checked = check(&extraction.kept, &judge).map_err(text)?;
            let kept = checked.kept.len();
            let plain = checked.kept.iter().filter(|unit| !unit.is_template).count();
            let assumed = checked.kept.iter();
            let assumed = assumed.filter(|unit| !unit.closure.assumed_headers.is_empty());
            say(&format!(
                "{} assume-headers = {assume_headers}: {kept} of {drawn} ({:.1} %), without templates {plain} of {} ({:.1} %), {} units with assumed headers, {documented} documented",
                source.label(),
                percent(kept, drawn),
                drawn - templates,
                percent(plain, drawn - templates),
                assumed.count(),
            ));
            let mut reasons: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
            for row in &checked.set_aside {
                reasons
                    .entry(row.reason.code())
                    .or_default()
                    .push(&row.detail);
            }
            for (reason, details) in &reasons {
                say(&format!("  {:5} {reason}", details.len()));
                for detail in details.iter().take(4) {
                    say(&format!(
                        "          {}",
                        detail.chars().take(140).collect::<String>()
                    ));
                }
            }
        }
    }
    Ok(())
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole.max(1) as f64
}

#[expect(clippy::print_stdout, reason = "a tool prints what it found")]
fn say(line: &str) {
    println!("{line}");
}
