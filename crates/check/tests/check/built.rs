//! Object files of other builds, cut by symbol, beside what is lowered here.

use std::path::Path;
use std::process::Command;

use barecode_check::{Built, BuiltFunction, CheckConfig, Lowerer, Question, Uncut, read_objects};
use barecode_records::{
    Language, Profile, Span,
    c::{CompilerFamily, Form, Machine, Optimization},
};
use barecode_testing::needs::skip;

const HEAD: &str = "#include <stddef.h>\n\nstatic int twice(int a)\n{\n    return a * 2;\n}\n\n";
const TARGET: &str = "int sum_of(const int *all, size_t n)\n{\n    int sum = 0;\n    for (size_t at = 0; at < n; at++)\n        sum += twice(all[at]) + (int)at;\n    return sum;\n}\n";

/// An object of a text below a folder, by a command without its files; `None` where the command is not there.
fn object(folder: &Path, command: &[&str], text: &str) -> Option<Vec<u8>> {
    std::fs::create_dir_all(folder.join("lib")).unwrap();
    std::fs::write(folder.join("lib/sum.c"), text).unwrap();
    let made = Command::new(command[0])
        .args(&command[1..])
        .args(["-c", "lib/sum.c", "-o", "sum.o"])
        .current_dir(folder)
        .output();
    let made = match made {
        Ok(made) => made,
        Err(error) => {
            skip(&format!("{}: {error}", command[0]));
            return None;
        }
    };
    assert!(
        made.status.success(),
        "{}",
        String::from_utf8_lossy(&made.stderr)
    );
    Some(std::fs::read(folder.join("sum.o")).unwrap())
}

fn one(bytes: &[u8]) -> Result<Built, Uncut> {
    let mut read = read_objects(bytes);
    assert_eq!(read.len(), 1);
    read.pop().unwrap()
}

fn named<'b>(built: &'b Built, name: &str) -> &'b BuiltFunction {
    built.functions.iter().find(|it| it.name == name).unwrap()
}

#[test]
fn what_is_cut_is_what_is_lowered() {
    let text = format!("{HEAD}{TARGET}");
    let gcc = Form::Assembly {
        compiler: CompilerFamily::Gcc,
        machine: Machine::X86_64,
    };
    let clang = Form::Assembly {
        compiler: CompilerFamily::Clang,
        machine: Machine::X86_64,
    };
    let plain = [
        "-g",
        "-fPIE",
        "-fno-stack-protector",
        "-fcf-protection=none",
    ];
    let wasi = [
        "-g",
        "--target=wasm32-wasi",
        "-nostdlibinc",
        "-idirafter",
        "/usr/include/wasm32-wasi",
        "-grecord-command-line",
    ];
    let cases: [(Form, Optimization, Vec<&str>); 4] = [
        (gcc, Optimization::O0, [&["gcc"], &plain[..]].concat()),
        (
            gcc,
            Optimization::O2,
            [&["gcc", "-O1", "-O2"], &plain[..]].concat(),
        ),
        (
            clang,
            Optimization::Os,
            [&["clang", "-Os", "-grecord-command-line"], &plain[..]].concat(),
        ),
        (
            Form::Wasm,
            Optimization::O1,
            [&["clang", "-O1"], &wasi[..]].concat(),
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (form, optimization, command) in cases {
        let lowerer = Lowerer::probe(&CheckConfig::default(), form, optimization, Profile::Strict);
        let lowerer = match lowerer {
            Ok(lowerer) => lowerer,
            Err(error) => {
                skip(&error.to_string());
                continue;
            }
        };
        let Some(bytes) = object(folder.path(), &command, &text) else {
            continue;
        };
        let built = one(&bytes).unwrap();
        let cut = named(&built, "sum_of");
        assert_eq!(cut.line, 8);
        assert!(cut.path.ends_with("/lib/sum.c"), "{}", cut.path);
        assert_eq!(
            cut.setting.to_string(),
            format!("{form}-{}", optimization.name())
        );
        let start = u32::try_from(HEAD.len()).unwrap();
        let question = Question {
            language: Language::C,
            text: text.clone(),
            function: "sum_of".to_owned(),
            target: Span {
                start,
                end: start + u32::try_from(TARGET.len()).unwrap(),
            },
            is_template: false,
        };
        let lowered = lowerer.lower(&question, &[]).unwrap().unwrap();
        assert_eq!(Some(&cut.text), lowered.target.as_ref(), "{command:?}");
        // What was taken into its caller has no code of its own.
        let has_helper = built.functions.iter().any(|it| it.name == "twice");
        assert_eq!(has_helper, optimization == Optimization::O0, "{command:?}");
    }
}

#[test]
fn what_cannot_be_cut_says_why() {
    let text = format!("{HEAD}{TARGET}");
    let folder = tempfile::tempdir().unwrap();
    let why = |command: &[&str]| {
        object(folder.path(), command, &text).map(|bytes| one(&bytes).unwrap_err())
    };
    assert_eq!(why(&["gcc", "-O2"]).unwrap(), Uncut::NoDebugInformation);
    assert_eq!(
        why(&["gcc", "-g", "-Og"]).unwrap(),
        Uncut::Level("g".to_owned())
    );
    assert_eq!(why(&["gcc", "-g", "-gz"]).unwrap(), Uncut::Compressed);
    assert_eq!(
        why(&["gcc", "-g", "-m32", "-ffreestanding"]).unwrap(),
        Uncut::Machine
    );
    assert!(why(&["gcc", "-O2", "-fPIC"]).is_some());
    let linked = Command::new("gcc")
        .args(["-shared", "sum.o", "-o", "sum.so"])
        .current_dir(folder.path())
        .status();
    assert!(linked.unwrap().success());
    let bytes = std::fs::read(folder.path().join("sum.so")).unwrap();
    assert_eq!(one(&bytes).unwrap_err(), Uncut::Linked);
    if let Some(why) = why(&["clang", "-g", "-O2"]) {
        assert_eq!(why, Uncut::NoLevel);
    }
    assert_eq!(one(b"int f(void);").unwrap_err(), Uncut::Other);
    assert_eq!(one(b"").unwrap_err(), Uncut::Other);
}

#[test]
fn a_damaged_object_is_no_reason_to_stop() {
    let folder = tempfile::tempdir().unwrap();
    let Some(bytes) = object(folder.path(), &["gcc", "-g"], &format!("{HEAD}{TARGET}")) else {
        return;
    };
    // Every length, and bytes that are others.
    for length in (0..bytes.len()).step_by(7) {
        read_objects(&bytes[..length]);
    }
    for at in (0..bytes.len()).step_by(3) {
        let mut other = bytes.clone();
        other[at] ^= 0xff;
        read_objects(&other);
    }
}

#[test]
fn each_member_of_an_archive_is_an_object() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_) = object(folder.path(), &["gcc", "-g"], &format!("{HEAD}{TARGET}")) else {
        return;
    };
    std::fs::write(folder.path().join("note.txt"), "no object").unwrap();
    let made = Command::new("ar")
        .args(["rc", "all.a", "sum.o", "note.txt"])
        .current_dir(folder.path())
        .status();
    assert!(made.unwrap().success());
    let read = read_objects(&std::fs::read(folder.path().join("all.a")).unwrap());
    assert_eq!(read.len(), 2);
    assert_eq!(named(read[0].as_ref().unwrap(), "twice").line, 3);
    assert_eq!(read[1], Err(Uncut::Other));
}
