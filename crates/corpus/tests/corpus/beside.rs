//! What stands beside the code: templates of headers, and documentation that is not right before a function.

use barecode_corpus::{ExtractConfig, extract};
use barecode_records::{DocPlace, Function, Outcome, Reason};

use crate::{config, folder_source, headers};

fn extracted(files: &[(&str, &[u8])], asked: &ExtractConfig) -> Outcome<Vec<Function>> {
    let (_folder, source) = folder_source(files, &config("path:lib"));
    let extraction = extract(&source, asked, &headers(), 0);
    assert!(extraction.balances());
    extraction
}

#[test]
fn a_header_that_a_build_makes_is_read_from_its_template_and_named() {
    let files: [(&str, &[u8]); 3] = [
        ("CMakeLists.txt", b"project(kite VERSION 2.1)\noption(LOUD \"\" ON)\n"),
        (
            "config.h.in",
            b"#cmakedefine LOUD\n#cmakedefine QUIET\n#define TAIL @PROJECT_VERSION_MAJOR@\n",
        ),
        (
            "src/a.c",
            b"#include \"config.h\"\n#ifdef LOUD\nint fly(void) { return TAIL; }\n#endif\n#ifdef QUIET\nint glide(void) { return 0; }\n#endif\n",
        ),
    ];
    let extraction = extracted(&files, &ExtractConfig::default());
    let function = &extraction.kept[0];
    assert_eq!((extraction.kept.len(), function.name.as_str()), (1, "fly"));
    assert_eq!(
        function.closure.assumed_headers,
        ["config.h from config.h.in"]
    );
    assert!(function.closure.missing_headers.is_empty());
    assert!(
        function.closure.text.contains("#define TAIL 2"),
        "{}",
        function.closure.text
    );
    assert_eq!(extraction.of("assumed headers").kept, 1);

    let without = ExtractConfig {
        assume_headers: false,
        ..ExtractConfig::default()
    };
    let extraction = extracted(&files, &without);
    assert!(extraction.kept.is_empty());
    let mut files = files.to_vec();
    files.push(("config.h", b"#define QUIET 1\n"));
    let extraction = extracted(&files, &ExtractConfig::default());
    let function = &extraction.kept[0];
    assert_eq!(
        (extraction.kept.len(), function.name.as_str()),
        (1, "glide")
    );
    assert!(
        function.closure.assumed_headers.is_empty(),
        "the project's own counts"
    );
}

#[test]
fn documentation_elsewhere_is_for_functions_without_a_comment() {
    let files: [(&str, &[u8]); 4] = [
        (
            "a.c",
            b"#include \"a.h\"\nint fly(int a) { return a; }\n\n/* Lands at once. */\nint land(int a) { return -a; }\nint turn(int a) { return a * 2; }\nint lift(int a) { return a * 3; }\n",
        ),
        ("a.h", b"/** \\fn int turn(int a)\n * Turns around. */\n\nint turn(int a);\n"),
        (
            "b.c",
            b"static int lift(int a) { return a * 4; }\nint fly(int a) { return a + 1; }\n",
        ),
        (
            "docs/api.rst",
            b".. c:function:: int fly(int a)\n\n   Flies as far as it can.\n\n.. c:function:: int land(int a)\n\n   Not this.\n\n.. c:function:: int lift(int a)\n\n   Which of the two?\n",
        ),
    ];
    let shown = |asked: &ExtractConfig| -> Vec<(String, Option<(DocPlace, String)>)> {
        let extraction = extracted(&files, asked);
        let functions = extraction.kept.into_iter().map(|function| {
            let doc = function
                .docs
                .first()
                .map(|doc| (doc.place, doc.path.clone()));
            (function.name, doc)
        });
        functions.collect()
    };
    let at = |place, path: &str| Some((place, path.to_owned()));
    assert_eq!(
        shown(&ExtractConfig::default()),
        [
            ("fly".to_owned(), at(DocPlace::Page, "docs/api.rst")),
            ("land".to_owned(), at(DocPlace::Definition, "a.c")),
            ("turn".to_owned(), at(DocPlace::Detached, "a.h")),
            ("lift".to_owned(), None),
            // Lift here is another function, fly the same for another platform.
            ("lift".to_owned(), None),
            ("fly".to_owned(), at(DocPlace::Page, "docs/api.rst")),
        ]
    );
    let without = ExtractConfig {
        documentation: false,
        ..ExtractConfig::default()
    };
    assert!(
        shown(&without)
            .iter()
            .all(|(name, doc)| doc.is_none() || name == "land")
    );
}

#[test]
fn a_function_has_the_comments_of_definition_and_declaration() {
    let files: [(&str, &[u8]); 4] = [
        (
            "a.c",
            b"#include \"a.h\"\n/* Flies high. */\nint fly(int a) { return a; }\n\n/* Lands at ONCE */\nint land(int a) { return -a; }\n/** @} */\nint turn(int a) { return a * 2; }\n",
        ),
        (
            "a.h",
            b"/** \\defgroup kites Kites\n * All about kites.\n * @{ */\nint lift(int a);\n/** Lets it fly. */\nint fly(int a);\n/** Lands, at once. */\nint land(int a);\n/** Turns it around. */\nint turn(int a);\n/** @} */\n",
        ),
        (
            "k.hpp",
            b"struct Kite {\n  /// By an angle.\n  int turn(double angle);\n  /// By some steps.\n  int turn(int steps);\n  /// Says how high.\n  int height() const;\n  int height();\n};\n",
        ),
        (
            "k.cpp",
            b"#include \"k.hpp\"\nint Kite::turn(int n) { return n; }\nint Kite::turn(double by) { return by > 1; }\nint Kite::height() { return 1; }\n",
        ),
    ];
    let mut extraction = extracted(&files, &ExtractConfig::default());
    extraction
        .kept
        .sort_by_key(|function| function.origin.start_line);
    let functions = extraction.kept.into_iter().map(|function| {
        let docs = function.docs.into_iter().map(|doc| (doc.place, doc.text));
        (function.qualified_name, docs.collect())
    });
    let functions: Vec<(String, Vec<(DocPlace, String)>)> = functions.collect();
    let at = |place, text: &str| (place, text.to_owned());
    let expected = [
        (
            "Kite::turn",
            vec![at(DocPlace::Declaration, "/// By some steps.")],
        ),
        (
            "fly",
            vec![
                at(DocPlace::Definition, "/* Flies high. */"),
                at(DocPlace::Declaration, "/** Lets it fly. */"),
            ],
        ),
        (
            "Kite::turn",
            vec![at(DocPlace::Declaration, "/// By an angle.")],
        ),
        ("Kite::height", vec![]),
        (
            "land",
            vec![at(DocPlace::Definition, "/* Lands at ONCE */")],
        ),
        (
            "turn",
            vec![at(DocPlace::Declaration, "/** Turns it around. */")],
        ),
    ];
    let expected: Vec<_> = expected.map(|(name, docs)| (name.to_owned(), docs)).into();
    assert_eq!(functions, expected);
}

#[test]
fn a_source_is_read_as_its_build_compiles_it() {
    let build = tempfile::tempdir().unwrap();
    let folder = build.path().canonicalize().unwrap();
    std::fs::create_dir_all(folder.join("include")).unwrap();
    std::fs::write(folder.join("include/config.h"), "#define TAIL 7\n").unwrap();
    let command = format!(
        "cc '-DLOUD=\"a b\"' -DQUIET -UQUIET -I /made/other -I{}/include -isystem /opt/else -include pre.h -O2 -o a.o -c /made/src/a.c",
        folder.display()
    );
    let commands = serde_json::json!([
        { "directory": folder, "file": "/made/src/a.c", "command": command },
        { "directory": "/made/src", "file": "c.c", "arguments": ["cc", "-DLOUD=2", "-c", "c.c"] },
        { "directory": folder, "file": "made.c", "command": "cc -c made.c" },
    ]);
    let json = folder.join("compile_commands.json");
    std::fs::write(&json, commands.to_string()).unwrap();
    let files: [(&str, &[u8]); 8] = [
        (
            "src/a.c",
            b"#include \"config.h\"\n#include <kite.h>\n#ifdef LOUD\nint fly(void) { return TAIL + KITE + PRE + sizeof LOUD; }\n#endif\n#ifdef QUIET\nint glide(void) { return 0; }\n#endif\n",
        ),
        ("src/b.c", b"int idle(void) { return 3; }\n"),
        ("src/c.c", b"int land(void) { return LOUD; }\n"),
        ("include/kite.h", b"#define KITE 1\n"),
        ("other/kite.h", b"#define KITE 2\n"),
        ("other/pre.h", b"#define PRE 3\n"),
        ("config.h.in", b"#define TAIL 9\n"),
        ("other/alone.h", b"static inline int wait(void) { return LOUD; }\n"),
    ];
    let mut config = config("path:lib");
    config.compile_commands = Some(json.display().to_string());
    let (_folder, source) = folder_source(&files, &config);
    let extraction = extract(&source, &ExtractConfig::default(), &headers(), 0);
    assert!(extraction.balances());
    let texts: Vec<(&str, &str)> = extraction
        .kept
        .iter()
        .map(|function| (&*function.name, &*function.closure.text))
        .collect();
    let [wait, fly, land] = &texts[..] else {
        panic!("{texts:?}");
    };
    for line in [
        "#define LOUD \"a b\"",
        "#define TAIL 7",
        "#define KITE 2",
        "#define PRE 3",
    ] {
        assert!(fly.1.contains(line), "{line}: {}", fly.1);
    }
    assert!(land.1.contains("#define LOUD 2"), "{}", land.1);
    // The two commands disagree, and no one compiles the header by itself.
    assert!(!wait.1.contains("#define"), "{}", wait.1);
    assert_eq!(
        extraction.kept[1].closure.assumed_headers,
        ["<build>/include/config.h from the build"]
    );
    let rows: Vec<(&str, Reason)> = extraction
        .set_aside
        .iter()
        .map(|row| {
            (
                row.origin.as_ref().map_or("", |origin| &*origin.path),
                row.reason,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            ("<build>/include/config.h", Reason::FileBuild),
            ("src/a.c", Reason::InactiveConfig),
            ("src/b.c", Reason::FileNotBuilt),
        ]
    );
    assert_eq!(extraction.of("headers of the build").kept, 1);
    let build = source.build().unwrap().describe();
    assert_eq!(
        build,
        serde_json::json!({ "files": 2, "headers": 1, "folders_elsewhere": 1 })
    );
    assert_eq!(source.describe()["build"], build);

    let digest = source.digest();
    std::fs::write(folder.join("include/config.h"), "#define TAIL 8\n").unwrap();
    let changed = folder_source(&files, &config).1;
    assert_ne!(changed.digest(), digest);
}
