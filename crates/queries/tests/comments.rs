//! Comments in the styles of real projects, and what is asked in the end.

use barecode_queries::{FURTHER_COMMENTS, QueryConfig, clean, could_ask, leaks, query};
use barecode_records::{
    Closure, DocComment, DocPlace, FunctionKind, Group, HelperBodies, Id, Language, Leak, Origin,
    Outcome, Query, Reason, References, Span, Toolchain, Unit,
};
use expect_test::expect;
use proptest::prelude::*;

fn unit(id: &str, name: &str, text: &str, doc: Option<&str>) -> Unit {
    Unit {
        id: Id::from(id.to_owned()),
        function_id: Id::from(format!("f-{id}")),
        origin: Origin {
            source: "path:lib".to_owned(),
            repository: None,
            version: None,
            commit: None,
            license: None,
            license_from: None,
            first_commit: None,
            path: "lib.c".to_owned(),
            start_line: 3,
            end_line: 9,
        },
        language: Language::C,
        name: name.to_owned(),
        qualified_name: name.to_owned(),
        kind: FunctionKind::Function,
        is_template: false,
        group: Group::Group1,
        text: text.to_owned(),
        docs: Vec::from_iter(doc.map(|text| DocComment {
            text: text.to_owned(),
            place: DocPlace::Definition,
            path: "lib.c".to_owned(),
            start_line: 1,
            end_line: 2,
        })),
        references: References::default(),
        closure: Closure {
            text: text.to_owned(),
            target: Span { start: 0, end: 0 },
            helpers: Vec::new(),
            helper_bodies: HelperBodies::Full,
            items: 1,
            pieces: Vec::new(),
            helper_external: Vec::new(),
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
        },
        minimized: false,
        compiles_as_cpp: None,
        toolchain: Toolchain {
            compiler: "gcc".to_owned(),
            version: String::new(),
            target: String::new(),
            flags: Vec::new(),
        },
        code_bytes: 1,
    }
}

fn asked(units: &[Unit]) -> Outcome<Vec<Query>> {
    query(units, &QueryConfig::default())
}

#[test]
fn sqlite_comments() {
    let raw = "/*\n** The page that pCur currently points to has just been modified in\n** some way. This function \
               figures out if the tree\n** needs to be balanced. Balancing routines are:\n**\n**   \
               balance_quick()\n**   balance_deeper()\n*/";
    expect!["The page that pCur currently points to has just been modified in some way. This function figures out if the tree needs to be balanced. Balancing routines are:"]
        .assert_eq(&clean(raw, "balance"));
}

#[test]
fn sqlite_requirements() {
    let raw = "/* IMPLEMENTATION-OF: R-53536-42575 The sqlite3_libversion() function returns a\n** pointer. */";
    expect!["The sqlite3_libversion() function returns a pointer."]
        .assert_eq(&clean(raw, "sqlite3_libversion"));
}

#[test]
fn zstd_comments() {
    let raw = "/*! ZSTD_compress() :\n *  Compresses `src` content as a single zstd compressed frame into already \
               allocated `dst`.\n *  NOTE: Providing `dstCapacity >= ZSTD_compressBound(srcSize)` is enough.\n *  \
               @return : compressed size written into `dst` (<= `dstCapacity),\n *            or an error code. */";
    expect!["Compresses src content as a single zstd compressed frame into already allocated dst."]
        .assert_eq(&clean(raw, "ZSTD_compress"));
    let raw = "/* ZSTD_seqToCode() :\n *\n * Translates sequences into codes\n */";
    expect!["Translates sequences into codes"].assert_eq(&clean(raw, "ZSTD_seqToCode"));
}

#[test]
fn doxygen_comments() {
    let raw = "/**\n * @brief Returns the \\c NULL terminated name of @p node.\n * It is owned by the {@link Tree \
               tree}.\n *\n * More words.\n * @param node the node\n */";
    expect!["Returns the NULL terminated name of node. It is owned by the Tree tree."]
        .assert_eq(&clean(raw, "node_name"));
    let raw = "/*!\n  \\fn int area(int w)\n  \\ingroup shapes\n  \\brief Computes an <b>area</b>.\n  \\param[in] w \
               width\n*/";
    expect!["Computes an area."].assert_eq(&clean(raw, "area"));
    let raw = "/// Copies a list of items. @return the copy";
    expect!["Copies a list of items."].assert_eq(&clean(raw, "copy"));
}

#[test]
fn kernel_comments() {
    let raw = "/**\n * list_add_tail() - add a new entry\n * @new: new entry to be added\n * @head: list head\n *\n * \
               Insert a new entry.\n * Return: %NULL on failure\n */";
    expect!["add a new entry"].assert_eq(&clean(raw, "list_add_tail"));
    let raw = "/*\n * Find the first bit set, or %NULL.\n * Returns: the bit\n */";
    expect!["Find the first bit set, or NULL."].assert_eq(&clean(raw, "ffs"));
}

#[test]
fn directives_and_errors_of_yard_are_no_description() {
    let raw = "# Opens the door.\n# @!visibility private\n#\n# @raise [Jammed] if it is jammed";
    assert_eq!(clean(raw, "open"), "Opens the door.");
    assert_eq!(clean("# @raise [Jammed] if it is jammed", "open"), "");
}

#[test]
fn parameters_in_sentences_lose_their_sign() {
    let raw = "/* Moves forward in @src (or @dst), but not @ once; mail a@b. */";
    expect!["Moves forward in src (or dst), but not @ once; mail a@b."]
        .assert_eq(&clean(raw, "move"));
}

#[test]
fn banners_are_headings() {
    expect!["Error management"].assert_eq(&clean("/*--- Error management ---*/", "f"));
    expect!["--force is obeyed"].assert_eq(&clean("/* --force is obeyed */", "f"));
}

#[test]
fn tree_sitter_comments() {
    let raw = "/**\n * Get the next sibling of the node.\n *\n * See also [`ts_node_prev`].\n */";
    expect!["Get the next sibling of the node."].assert_eq(&clean(raw, "ts_node_next"));
}

#[test]
fn line_comments() {
    let raw = "// Pops the top entry of the stack\r\n// and frees it.\r\n//\r\n// Not thread-safe.";
    expect!["Pops the top entry of the stack and frees it."].assert_eq(&clean(raw, "stack_pop"));
}

#[test]
fn boxes_are_taken_apart() {
    let raw = "/*********************************************\n * read_all: reads the whole file into memory *\n \
               *********************************************/";
    expect!["reads the whole file into memory"].assert_eq(&clean(raw, "read_all"));
    let raw = "/* ---------------\n   Hash of a key\n   =============== */";
    expect!["Hash of a key"].assert_eq(&clean(raw, "hash"));
}

#[test]
fn only_the_functions_own_label_is_removed() {
    for (raw, text) in [
        ("/* push: adds an item */", "adds an item"),
        ("/* push(s, x) -- adds an item */", "adds an item"),
        ("/* push - adds an item */", "adds an item"),
        ("/* push adds an item */", "push adds an item"),
        (
            "/* push-button handling of items */",
            "push-button handling of items",
        ),
        ("/* pushes: adds an item */", "pushes: adds an item"),
        ("/* pop: removes an item */", "pop: removes an item"),
        (
            "/* push() adds an item: the last */",
            "push() adds an item: the last",
        ),
    ] {
        assert_eq!(clean(raw, "push"), text, "{raw}");
    }
}

#[test]
fn code_in_angle_brackets_is_no_tag() {
    assert_eq!(
        clean("/* Needs <stdio.h> and a<b, c>d. */", "f"),
        "Needs <stdio.h> and a<b, c>d."
    );
}

#[test]
fn leaks_are_named_by_their_strongest_kind() {
    let text = "static int pageSize(Cursor *pCur, int value) { return pCur->nbBytes * value + memcpy(0, 0, 0); }";
    let leak = |doc: &str| {
        let done = asked(&[unit("u-1", "pageSize", text, Some(doc))]);
        (done.kept[0].leak, done.kept[0].leaked.join(" "))
    };
    assert_eq!(
        leak("// Computes how large one page is"),
        (Leak::None, String::new())
    );
    assert_eq!(
        leak("// Multiplies by the value that is given"),
        (Leak::Word, "value".to_owned())
    );
    assert_eq!(
        leak("// Multiplies nbBytes of pCur by a value"),
        (Leak::Identifier, "nbBytes pCur value".to_owned())
    );
    assert_eq!(
        leak("// As the pageSize of a Cursor, with more"),
        (Leak::Function, "Cursor pageSize".to_owned())
    );
    // Another case is another word, parts of words are none, and the standard library belongs to all.
    assert_eq!(
        leak("// Values of pagesize after memcpy, and int"),
        (Leak::None, String::new())
    );
}

#[test]
fn in_languages_that_are_not_compiled_names_of_the_source_leak_and_no_others() {
    let text = "def load(path):\n    return numpy.load_text(path).max_depth(json.loads(path))\n";
    let mut one = unit("u-1", "load", text, None);
    one.language = Language::named("python");
    let names = ["load", "max_depth", "path"].map(str::to_owned);
    one.references.spelled = names.to_vec();
    let leak = |query: &str| leaks(query, &one);
    let named = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    assert_eq!(
        leak("json.loads and load_text of numpy, then return"),
        (Leak::None, Vec::new())
    );
    assert_eq!(
        leak("the max_depth at a path"),
        (Leak::Identifier, named(&["max_depth", "path"]))
    );
    assert_eq!(leak("load it"), (Leak::Function, named(&["load"])));
}

#[test]
fn what_is_set_aside_has_a_reason() {
    let text = "int f(void) { return 1; }";
    let units = [
        unit("u-1", "f", text, None),
        unit("u-2", "f", text, Some("// Adds two numbers to each other")),
        unit(
            "u-3",
            "f",
            text,
            Some("/* Adds two numbers to\n   each other */"),
        ),
        unit("u-4", "f", text, Some("// too short")),
        unit(
            "u-5",
            "f",
            text,
            Some(&format!("// {}", "word ".repeat(121))),
        ),
        unit("u-6", "f", text, Some("// int x = y + compute(z);")),
        unit("u-7", "f", text, Some("/*********/")),
    ];
    let turned: Vec<Unit> = units.iter().rev().cloned().collect();
    let done = asked(&turned);
    assert_eq!(done, asked(&units));
    assert_eq!(
        done.kept
            .iter()
            .map(|query| query.target_id.as_str())
            .collect::<Vec<_>>(),
        ["u-2"]
    );
    let reasons: Vec<Reason> = done.set_aside.iter().map(|aside| aside.reason).collect();
    assert_eq!(
        reasons,
        [
            Reason::NoDocComment,
            Reason::QueryDuplicate,
            Reason::QueryTooShort,
            Reason::QueryTooLong,
            Reason::QueryNotProse,
            Reason::QueryNotProse
        ]
    );
    assert_eq!(done.set_aside[1].detail, "u-2 lib.c:3-9");
    assert!(done.balances());
    assert_eq!((done.of("units").entered, done.of("units").kept), (7, 1));
}

#[test]
fn a_query_leads_back_to_its_comment() {
    let done = asked(&[unit(
        "u-1",
        "f",
        "int f(void);",
        Some("/** Adds two numbers at once. */"),
    )]);
    let query = &done.kept[0];
    assert_eq!(
        query.raw.as_deref(),
        Some("/** Adds two numbers at once. */")
    );
    assert_eq!((query.words, query.place), (5, Some(DocPlace::Definition)));
    assert_eq!(query.origin.place(), "lib.c:3-9");
}

#[test]
fn the_bounds_of_words_are_inside() {
    let config = QueryConfig::default();
    for (words, is_query) in [(3, false), (4, true), (120, true), (121, false)] {
        let comment = format!("// {}", "word ".repeat(words));
        let done = asked(&[unit("u-1", "f", "int f(void);", Some(&comment))]);
        assert_eq!(done.kept.len(), usize::from(is_query), "{words}");
        // What is said ahead is what becomes of it.
        assert_eq!(could_ask(&comment, "f", &config), is_query, "{words}");
    }
    let code = "// int x = y + compute(z);";
    assert!(!could_ask(code, "f", &config));
    let off = QueryConfig {
        comments: false,
        ..config
    };
    assert!(!could_ask("// Adds two numbers at once.", "f", &off));
}

#[test]
fn an_unknown_command_in_front_is_passed_over_and_a_parameter_is_not() {
    assert_eq!(
        clean("/** @threadsafe Adds two numbers. */", "f"),
        "Adds two numbers."
    );
    assert_eq!(clean("/** @list: what to add to */", "f"), "");
}

#[test]
fn both_comments_of_a_function_ask_for_it() {
    let said = |place, text: &str| DocComment {
        text: text.to_owned(),
        place,
        path: "lib.h".to_owned(),
        start_line: 1,
        end_line: 1,
    };
    let two = |id: &str, definition: &str, declaration: &str| {
        let mut unit = unit(id, "f", "int f(void);", None);
        unit.docs = vec![
            said(DocPlace::Definition, definition),
            said(DocPlace::Declaration, declaration),
        ];
        unit
    };
    let units = [
        two(
            "u-1",
            "// Walks the tree of names.",
            "/** Finds a name quickly. */",
        ),
        two("u-2", "// static", "/** Opens a file for reading. */"),
        two(
            "u-3",
            "// Closes the file at last.",
            "/** Finds a name quickly. */",
        ),
        two(
            "u-4",
            "// Says the very same thing.",
            "/** Says the very same thing.\n * @return 1 */",
        ),
        two("u-5", "// no", "// no no"),
    ];
    let done = asked(&units);
    let kept: Vec<_> = done
        .kept
        .iter()
        .map(|query| (query.target_id.as_str(), query.place, &*query.text))
        .collect();
    let (definition, declaration) = (Some(DocPlace::Definition), Some(DocPlace::Declaration));
    assert_eq!(
        kept,
        [
            ("u-1", definition, "Walks the tree of names."),
            ("u-1", declaration, "Finds a name quickly."),
            ("u-2", declaration, "Opens a file for reading."),
            ("u-3", definition, "Closes the file at last."),
            ("u-4", definition, "Says the very same thing."),
        ]
    );
    let rows: Vec<_> = done
        .set_aside
        .iter()
        .map(|row| (row.id.as_ref().map_or("", Id::as_str), row.reason))
        .collect();
    assert_eq!(
        rows,
        [
            ("u-2", Reason::QueryTooShort),
            ("u-3", Reason::QueryDuplicate),
            ("u-4", Reason::QueryDuplicate),
            ("u-5", Reason::QueryTooShort),
            ("u-5", Reason::QueryTooShort),
        ]
    );
    let counts = |done: &Outcome<Vec<Query>>, kind| (done.of(kind).entered, done.of(kind).kept);
    assert_eq!(
        (counts(&done, "units"), counts(&done, FURTHER_COMMENTS)),
        ((5, 4), (5, 1))
    );
    assert!(done.balances());

    let config = QueryConfig {
        further_comments: false,
        ..QueryConfig::default()
    };
    let done = query(&units, &config);
    assert_eq!(
        (counts(&done, "units"), counts(&done, FURTHER_COMMENTS)),
        ((5, 4), (5, 0))
    );
    assert!(done.balances());
    let off = done
        .set_aside
        .iter()
        .filter(|row| row.reason == Reason::CommentsOff);
    assert_eq!(off.count(), 3);
}

proptest! {
    #[test]
    fn no_mark_of_a_comment_is_left(
        raw in "([/*!@\\\\ \n\ta-c<>{}`:()&-]|/\\*|\\*/|//|@brief|&lt;|\\PC){0,60}",
        function in "[a-c]{0,2}",
    ) {
        let text = clean(&raw, &function);
        prop_assert!(!text.contains("/*") && !text.contains("*/") && !text.starts_with("//"), "{text}");
        prop_assert!(!text.contains(['\n', '\r', '\t']) && !text.contains("  "), "{text:?}");
        prop_assert_eq!(text.trim(), &text);
    }

    #[test]
    fn every_text_is_kept_or_set_aside(docs in prop::collection::vec(prop::option::of("\\PC{0,80}"), 0..8)) {
        let units: Vec<Unit> = docs
            .iter()
            .enumerate()
            .map(|(i, doc)| unit(&format!("u-{i}"), "f", doc.as_deref().unwrap_or(""), doc.as_deref()))
            .collect();
        let done = asked(&units);
        prop_assert!(done.balances());
        prop_assert_eq!(done.of("units").entered, units.len() as u64);
        prop_assert_eq!(done.set_aside.len() + done.kept.len(), units.len());
        for query in &done.kept {
            prop_assert!((4..=120).contains(&query.words));
            prop_assert_eq!(query.leak == Leak::None, query.leaked.is_empty());
        }
    }
}
