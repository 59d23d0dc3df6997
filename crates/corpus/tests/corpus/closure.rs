//! `testdata/closure/*.txt`: cases of C files, and the closure of one function in each.
//!
//! A case is a heading (`==== name`), settings (`function: f`), files (`//- path`), and after `----` what is
//! expected: the facts as comments, then the closure's text. `UPDATE_EXPECT=1` writes what came out.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use barecode_corpus::{ExtractConfig, extract};
use barecode_records::{DocPlace, Function, HelperBodies};

use crate::{config, folder_source, headers};

struct Case<'a> {
    heading: &'a str,
    /// Settings and files, as written.
    input: &'a str,
    expected: &'a str,
}

fn cases(text: &str) -> Vec<Case<'_>> {
    let parts = text.split("==== ").skip(1);
    let case = |part| -> Option<Case> {
        let (heading, rest) = str::split_once(part, '\n')?;
        let (input, expected) = rest.split_once("----\n")?;
        Some(Case {
            heading,
            input,
            expected,
        })
    };
    parts
        .map(|part| case(part).expect("a case has a heading and a line of dashes"))
        .collect()
}

fn closure_of(case: &Case) -> String {
    let (settings, files) = case.input.split_once("//- ").expect("a case has files");
    let setting = |name: &str| {
        let lines = settings.lines().map(|line| line.split_once(": "));
        lines
            .flatten()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value)
    };
    let files: Vec<(&str, &[u8])> = files
        .split("//- ")
        .map(|file| file.split_once('\n').expect("a file has a path"))
        .map(|(path, text)| (path, text.as_bytes()))
        .collect();
    let mut source = config("path:lib");
    let defines = setting("defines").unwrap_or_default().split_whitespace();
    source.defines = defines.map(str::to_owned).collect();
    let (_folder, source) = folder_source(&files, &source);
    let mut bounds = ExtractConfig::default();
    if let Some(bytes) = setting("max-bytes") {
        bounds.max_closure_bytes = bytes.parse().expect("a number");
    }
    let extraction = extract(&source, &bounds, &headers(), 0);
    let name = setting("function").expect("a case names a function");
    let found = extraction
        .kept
        .iter()
        .find(|function| function.name == name);
    match found {
        Some(function) => shown(function),
        None => format!("{:#?}\n", extraction.set_aside),
    }
}

fn shown(function: &Function) -> String {
    let mut text = String::new();
    let closure = &function.closure;
    let bodies = match closure.helper_bodies {
        HelperBodies::Full => "full",
        HelperBodies::Direct => "direct",
        HelperBodies::None => "none",
    };
    let references = &function.references;
    let lists = [
        ("functions", &references.functions),
        ("types", &references.types),
        ("globals", &references.globals),
        ("macros", &references.macros),
        ("missing", &closure.missing_headers),
    ];
    write!(text, "// bodies: {bodies}").unwrap();
    for (kind, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        write!(text, "; {kind}: {}", names.join(" ")).unwrap();
    }
    text.push('\n');
    for doc in &function.docs {
        let place = match doc.place {
            DocPlace::Definition => "definition",
            DocPlace::Declaration => "declaration",
            DocPlace::Detached => "detached comment",
            DocPlace::Page => "page",
        };
        let lines = format!("{}:{}-{}", doc.path, doc.start_line, doc.end_line);
        writeln!(text, "// doc at {place}, {lines}: {:?}", doc.text).unwrap();
    }
    text.push_str(&closure.text);
    // What holds of every closure.
    assert_eq!(closure.target.of(&closure.text), function.text);
    for helper in &closure.helpers {
        let body = helper.span.of(&closure.text);
        assert!(body.contains(&helper.name) && body.ends_with('}'), "{body}");
        assert!(references.functions.contains(&helper.name));
    }
    text
}

#[test]
fn closures_are_as_the_corpus_has_them() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/closure");
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    assert!(paths.len() >= 5);
    let mut wrong = Vec::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let mut updated = String::new();
        for case in cases(&text) {
            let (heading, input) = (case.heading, case.input);
            let found = closure_of(&case);
            if found != case.expected {
                let name = path.file_name().unwrap_or_default().display().to_string();
                wrong.push(format!(
                    "{name}: {heading}\n--- expected\n{}--- found\n{found}",
                    case.expected
                ));
            }
            write!(updated, "==== {heading}\n{input}----\n{found}").unwrap();
        }
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&path, updated).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
