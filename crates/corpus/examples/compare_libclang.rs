//! `compare_libclang [--json] [--examples] [SOURCE | RECIPE.toml]…`: our functions and their references
//! beside those of libclang, on the translation units that it reads without an error.
//!
//! Without a source it takes those of the demo. `LIBCLANG_PATH` names the folder of the library; the wheel
//! `libclang` of tests/requirements.txt has it in `clang/native`. `--examples` prints each disagreement,
//! `--json` everything.

#[path = "../tests/oracle/arguments.rs"]
mod arguments;
#[path = "../tests/oracle/asked.rs"]
mod asked;
#[path = "../tests/oracle/clang.rs"]
mod clang;

use std::process::ExitCode;

use barecode_corpus::{ExtractConfig, extract};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            say(&format!("compare_libclang: {message}"));
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), String> {
    let has = |flag: &str| std::env::args().any(|argument| argument == flag);
    clang::load()?;
    let headers = asked::headers()?;
    for config in asked::configs(&arguments::sources())? {
        let source = asked::resolve(&config)?;
        let extraction = extract(&source, &ExtractConfig::default(), &headers, 0);
        let comparison = clang::compare(&source, &extraction)?;
        if has("--json") {
            let text = serde_json::to_string(&comparison).map_err(|error| error.to_string())?;
            say(&text);
            continue;
        }
        say(&format!(
            "{}: {} of {} units clean, {} functions in both, {} identical in all roles, {} of {} in the same group, {} made by macros alone",
            comparison.source,
            comparison.clean,
            comparison.units,
            comparison.judged,
            comparison.identical,
            comparison.same_group,
            comparison.judged - comparison.open,
            comparison.generated,
        ));
        let roles = clang::ROLES.into_iter().filter_map(|role| {
            let agreement = comparison.references.get(role)?;
            Some((role, *agreement))
        });
        for (role, agreement) in std::iter::once(("defined", comparison.defined)).chain(roles) {
            say(&format!(
                "  {role:10} precision {:6.2} %  recall {:6.2} %  both {:6}  only ours {:5}  only libclang {:5}",
                agreement.precision() * 100.0,
                agreement.recall() * 100.0,
                agreement.both,
                agreement.only_ours,
                agreement.only_theirs,
            ));
        }
        for (category, count) in &comparison.categories {
            say(&format!("  {count:6} {category}"));
        }
        if has("--examples") {
            comparison
                .examples
                .iter()
                .for_each(|example| say(&format!("    {example}")));
        }
    }
    Ok(())
}

#[expect(clippy::print_stdout, reason = "a tool prints what it found")]
fn say(line: &str) {
    println!("{line}");
}
