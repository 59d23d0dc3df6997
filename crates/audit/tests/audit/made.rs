//! The audit on small sets made by hand: a sound one is accused of nothing, and each defect that is put in is found.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use barecode_audit::{AuditConfig, DatasetAudit, Severity, audit_benchmark, pages, rule, rules};
use barecode_formats::{Benchmark, Document, Judgment, Kind, Query, Subset};
use proptest::prelude::*;
use serde_json::json;

/// The id of the document that answers the query of this number: nobody reads one from the other.
fn answer(at: usize) -> String {
    format!("d{}", at * 37 % 100)
}

/// A hundred functions with queries in other words, each of another project.
fn sound() -> Subset {
    const VERBS: [&str; 10] = [
        "open", "close", "read", "write", "merge", "split", "count", "find", "drop", "sort",
    ];
    const NOUNS: [&str; 10] = [
        "list", "tree", "file", "table", "queue", "graph", "string", "page", "field", "index",
    ];
    let mut subset = Subset::new("sound", "test");
    for (at, (verb, noun)) in VERBS
        .iter()
        .flat_map(|verb| NOUNS.map(|noun| (verb, noun)))
        .enumerate()
    {
        let mut body = String::new();
        for line in 0..2 + at % 7 {
            writeln!(body, "    {noun}->size += {verb}_step(x, {line} + {at});").unwrap();
        }
        let text = format!(
            "static int {verb}_{noun}(struct {noun} *{noun}, int x)\n{{\n{body}    return {noun}->size;\n}}\n"
        );
        let mut document = Document {
            id: answer(at),
            text,
            ..Document::default()
        };
        document.extra.insert(
            "repository".into(),
            json!(format!("https://github.com/owner{}/{noun}", at * 37 % 100)),
        );
        document.extra.insert("license".into(), json!("MIT"));
        subset.documents.push(document);
        let text = format!("How to {verb} every {noun} of the program, number {at}");
        subset.queries.push(Query {
            id: format!("q{at}"),
            text,
            ..Query::default()
        });
        subset.judgments.push(Judgment {
            query: format!("q{at}"),
            document: answer(at),
            grade: 1,
        });
    }
    subset
}

fn audit(subsets: Vec<Subset>) -> DatasetAudit {
    let benchmark = Benchmark {
        name: "made".into(),
        subsets,
        ..Benchmark::default()
    };
    audit_benchmark(&benchmark, &AuditConfig::default(), &mut |_| ())
}

fn codes(audit: &DatasetAudit) -> Vec<&str> {
    audit.findings.iter().map(|finding| finding.code).collect()
}

#[test]
fn a_sound_set_is_accused_of_nothing() {
    assert_eq!(codes(&audit(vec![sound()])), Vec::<&str>::new());
    assert_eq!(codes(&audit(Vec::new())), Vec::<&str>::new());
    assert_eq!(
        codes(&audit(vec![Subset::new("empty", "test")])),
        Vec::<&str>::new()
    );
}

/// What a change of the sound set brings about.
fn after(change: impl Fn(&mut Subset)) -> DatasetAudit {
    let mut subset = sound();
    change(&mut subset);
    audit(vec![subset])
}

#[test]
fn each_defect_is_found_by_its_rule_alone() {
    type Change = fn(&mut Subset);
    let changes: [(&[&str], Change); 27] = [
        (&["BA001", "BA003"], |set| {
            set.documents[1].text = set.documents[0].text.clone();
        }),
        (&["BA002", "BA003"], |set| {
            set.documents[1].text = set.documents[0].text.replace('\n', "\n\n");
        }),
        (&["BA002"], |set| {
            set.documents[1].text = format!("/* once more */\n{}", set.documents[0].text);
        }),
        (&["BA004"], |set| {
            set.documents[1].text = set.documents[0].text.replacen("size", "si\u{200b}ze", 1);
        }),
        (&["BA004"], |set| {
            let text = set.documents[0].text.clone();
            set.documents[0].text = text.replacen('{', "{ puts(\"caf\u{e9}\");", 1);
            set.documents[1].text = text.replacen('{', "{ puts(\"cafe\u{301}\");", 1);
        }),
        (&["BA004"], |set| {
            set.documents[1].text = set.documents[0].text.replace("static", "STATIC");
        }),
        (&["BA005"], |set| {
            set.documents[7].text = set.documents[6].text.replacen("open_", "unlock_", 1);
        }),
        (&["BA005"], |set| {
            let text = set.documents[6]
                .text
                .replace("open_string", "f")
                .replace("open_step", "g");
            set.documents[7].text = text
                .replace("string", "s")
                .replace("size", "n")
                .replace('x', "y");
        }),
        (&["BA405"], |set| {
            set.queries[8].text = "How to merge every record of this archive at once".into();
            set.queries[9].text = "How to merge every recrod of this archive at once".into();
        }),
        (&["BA405"], |set| {
            set.queries[8].text = "Returns the length of a list, in bytes.".into();
            set.queries[9].text = "return length of lists in byte".into();
        }),
        (&["BA505"], |set| set.documents[5].text.push('\0')),
        (&["BA707"], |set| {
            set.queries[6].id = "open_string".into();
            set.judgments[6].query = "open_string".into();
        }),
        (&["BA708"], |set| {
            for (at, judgment) in set.judgments.iter_mut().enumerate() {
                set.documents[at].id = format!("code-{at:04}");
                judgment.document.clone_from(&set.documents[at].id);
            }
        }),
        (&["BA101"], |set| {
            set.queries[3].text.push_str(" by open_table");
        }),
        (&["BA103"], |set| {
            let asked = set.queries[3].text.clone();
            set.documents[3]
                .text
                .insert_str(0, &format!("/* {asked}. */\n"));
        }),
        (&["BA401"], |set| {
            set.queries[1].text = set.queries[0].text.to_uppercase();
            set.judgments[1].document = "d0".into();
        }),
        (&["BA401", "BA403"], |set| {
            set.queries[1].text = set.queries[0].text.clone();
        }),
        (&["BA404"], |set| {
            set.judgments.push(Judgment {
                query: "q4".into(),
                document: answer(4),
                grade: 0,
            });
        }),
        (&["BA501"], |set| set.queries[5].text = " \n".into()),
        (&["BA502"], |set| {
            set.documents[5].text.push_str("/* and then");
        }),
        (&["BA503"], |set| set.documents[5].text.push_str("};\n")),
        (&["BA504"], |set| {
            set.documents[5].text.push_str("/* \u{c2}\u{b2} */\n");
        }),
        (&["BA505"], |set| set.documents[5].text.push('\u{c}')),
        (&["BA701"], |set| {
            set.judgments.remove(7);
        }),
        (&["BA701", "BA702"], |set| {
            set.judgments[7].document = "d700".into();
        }),
        (&["BA704"], |set| {
            set.queries[7].text = set.documents[7].text.clone();
        }),
        (&["BA603", "BA706"], |set| {
            set.documents.push(Document {
                id: "d1".into(),
                text: "int only_one;".into(),
                ..Document::default()
            });
        }),
    ];
    for (at, (wanted, change)) in changes.into_iter().enumerate() {
        let found = after(change);
        let mut codes: Vec<&str> = codes(&found)
            .into_iter()
            .filter(|code| *code != "BA506")
            .collect();
        // A text that is copied into the query brings its names along.
        codes.retain(|code| !(wanted.contains(&"BA704") && *code == "BA101"));
        assert_eq!(codes, wanted, "change {at}: {:#?}", found.findings);
        assert!(
            found
                .findings
                .iter()
                .all(|finding| !finding.examples.is_empty()),
            "{:#?}",
            found.findings
        );
    }
}

#[test]
fn text_that_only_looks_broken_is_not_accused() {
    for text in [
        "// it's {open\nint f(void) { return '{'; }\n",
        "int f(void)\n{\n#ifdef A\n    if (x) {\n#else\n    if (y) {\n#endif\n        g();\n    }\n    return 0;\n}\n",
        "int f(void) { return puts(\"\\\"{ (\"); }\n",
        "void f(void)\n{\n    /* CAFÉ, «ÉTÉ», naïve, Ångström, Größe, Ðóra, año, 100 £, 5 µm² */\n    g();\n}\n",
        "const char *f(void)\n{\n    return R\"x(}{)x\";\n}\n",
    ] {
        let found = after(|set| set.documents[9].text = text.to_owned());
        let wrong: Vec<&str> = codes(&found)
            .into_iter()
            .filter(|code| ["BA502", "BA503", "BA504"].contains(code))
            .collect();
        assert_eq!(wrong, Vec::<&str>::new(), "{text}");
    }
    for (language, text) in [
        (
            "Python",
            "def f(x):\n    '''it's (open'''\n    return re.sub(r\"[({]\", '\"', x)  # :-(\n",
        ),
        ("R", "f <- function(x) {\n  x[x > 0]  # don't (\n}\n"),
        (
            "JavaScript",
            "function f(x) {\n  return x.replace(/[({]/g, '') + `a ${x} (`;\n}\n",
        ),
        ("Rust", "fn f<'a>(x: &'a str) -> char {\n    '{'\n}\n"),
        ("Ruby", "def f(x)\n  x =~ /\\(/ ? %w[( {] : ?(\nend\n"),
        ("Go", "func f() string {\n\treturn `{ (`\n}\n"),
    ] {
        let found = after(|set| {
            set.documents[9].text = text.to_owned();
            set.documents[9]
                .extra
                .insert("language".into(), json!(language));
        });
        assert!(
            !codes(&found).contains(&"BA503"),
            "{language}: {:#?}",
            found.findings
        );
    }
}

/// Lowered code has the language of its source as column. Its frames are not shared lines.
#[test]
fn assembly_under_the_column_of_its_source_is_read_as_assembly() {
    let found = after(|set| {
        for (at, document) in set.documents.iter_mut().enumerate() {
            document.text = format!(
                "push %rbp\nmov %rsp,%rbp\nsub $0x30,%rsp\nmov %rdi,-0x28(%rbp)\nmovl ${at},-0x4(%rbp)\n\
                 call func_{at}\nleave\nret\n"
            );
            document.extra.insert("language".into(), json!("c"));
        }
        set.documents[9].text = "ret\n".to_owned();
    });
    assert!(!codes(&found).contains(&"BA205"), "{:#?}", found.findings);
    assert!(!codes(&found).contains(&"BA503"), "{:#?}", found.findings);
}

#[test]
fn what_a_setting_left_is_seen_beside_its_original() {
    let mut renamed = sound();
    renamed.name = "renamed".into();
    for document in &mut renamed.documents {
        document.text = document.text.replace("open_", "f_").replace("close_", "g_");
    }
    renamed.documents[50].text.insert_str(0, "// what it was\n");
    renamed.documents[51].text = renamed.documents[51].text.replacen(
        "return",
        "puts(\"cannot merge\");\n#if defined(OLD)\n#endif\n    return",
        1,
    );
    let mut original = sound();
    original.name = "original".into();
    for set in [&mut original, &mut renamed] {
        set.queries[3].text.push_str(" as open_table does");
    }
    let found = audit(vec![renamed, original]);
    assert_eq!(found.subsets[0].original.as_deref(), Some("original"));
    assert_eq!(found.subsets[1].original, None);
    let of_renamed: Vec<&str> = found
        .findings
        .iter()
        .filter(|finding| finding.subset == "renamed")
        .map(|finding| finding.code)
        .collect();
    assert_eq!(
        of_renamed,
        ["BA102", "BA201", "BA202", "BA203"],
        "{:#?}",
        found.findings
    );
    let leak = found
        .leaks
        .iter()
        .find(|leak| leak.subset == "renamed")
        .unwrap();
    assert_eq!(
        (leak.query.as_str(), leak.class, leak.lost.as_slice()),
        ("q3", "lost", &["open_table".to_owned()][..])
    );
}

#[test]
fn texts_that_were_cut_pile_up_at_one_length() {
    let cut = after(|set| {
        for (at, document) in set.documents.iter_mut().enumerate() {
            let more = format!(
                "    /* {at} */ value[{}] = other_value + {at};\n",
                "x".repeat(at % 60)
            );
            document.text = document
                .text
                .replace("    return", &format!("{}    return", more.repeat(2)));
            document.text = document.text.chars().take(200).collect();
        }
    });
    let found = cut
        .findings
        .iter()
        .find(|finding| finding.code == "BA502")
        .unwrap();
    let limit = found
        .numbers
        .iter()
        .find(|(name, _)| *name == "limit")
        .unwrap();
    assert!((limit.1 - 200.0).abs() < 1e-9, "{found:?}");
}

#[test]
fn texts_that_are_short_and_equally_long_are_whole() {
    let equal = after(|set| {
        for (at, document) in set.documents.iter_mut().enumerate() {
            document.text = format!("def f{at:02}(x):\n    return x + {at:02}");
        }
    });
    assert!(!codes(&equal).contains(&"BA502"), "{:#?}", equal.findings);
}

#[test]
fn queries_that_were_cut_pile_up_too() {
    let cut = after(|set| {
        for query in &mut set.queries {
            query.text.insert_str(0, "Please show me ");
            query.text = query.text.chars().take(40).collect();
        }
    });
    let found = cut.findings.iter().find(|finding| finding.code == "BA502");
    let found = found.expect("all queries have forty letters");
    assert_eq!((found.what, found.count), ("queries", 100));
}

#[test]
fn code_as_query_and_prose_as_document_are_swapped() {
    let swapped = after(|set| {
        for at in 0..100 {
            let document = set.documents.iter_mut().find(|one| one.id == answer(at));
            let document = document.expect("each query has its document");
            std::mem::swap(&mut document.text, &mut set.queries[at].text);
        }
    });
    let found = swapped
        .findings
        .iter()
        .find(|finding| finding.code == "BA508");
    let found = found.expect("the sides are swapped");
    assert_eq!(
        (found.count, found.of, found.severity),
        (100, 100, Severity::Defect)
    );
}

#[test]
fn distractors_from_elsewhere_are_told_by_their_layout() {
    let more = |text: fn(usize) -> String| {
        after(|set| {
            set.documents.extend((0..100).map(|at| Document {
                id: format!("more{at}"),
                text: text(at),
                ..Document::default()
            }));
        })
    };
    let flat = more(|at| {
        format!(
            "int other{at} ( int a ) {{ return a * {at} + other ( a , {} ) ; }}",
            at % 7
        )
    });
    let found = flat
        .findings
        .iter()
        .find(|finding| finding.code == "BA302")
        .unwrap();
    assert_eq!(found.severity, Severity::Warning, "{found:?}");
    let same = more(|at| {
        sound().documents[at]
            .text
            .replace("static int ", "static int do_")
    });
    assert!(!codes(&same).contains(&"BA302"), "{:#?}", same.findings);
}

#[test]
fn a_mark_or_a_nul_is_a_warning_and_a_form_feed_is_none() {
    for (character, severity) in [
        ('\0', Severity::Warning),
        ('\u{feff}', Severity::Warning),
        ('\u{c}', Severity::Note),
    ] {
        let found = after(|set| set.documents[5].text.push(character));
        let finding = found
            .findings
            .iter()
            .find(|one| one.code == "BA505")
            .unwrap();
        assert_eq!(finding.severity, severity, "{finding:?}");
    }
}

#[test]
fn prose_is_no_code() {
    let prose = |at: usize| {
        let places = ["Lake", "River", "Village", "Station", "Museum"];
        let place = places[at % 5];
        format!(
            "{place} {at} (Polish: Nowa; German: Neu) is a {place} in the district of Gmina, within the county of North, in the north of the country; it lies {at} kilometres from the capital (est. 1{at:03}), and it has a population of {at}."
        )
    };
    let found = after(|set| {
        for (at, document) in set.documents.iter_mut().enumerate() {
            document.text = prose(at);
        }
    });
    let codes = codes(&found);
    for wrong in ["BA503", "BA507", "BA201", "BA005"] {
        assert!(!codes.contains(&wrong), "{:#?}", found.findings);
    }
    // A sentence with an unbalanced bracket is not broken code.
    let broken = after(|set| {
        for (at, document) in set.documents.iter_mut().enumerate() {
            document.text = prose(at).replace("est. ", "(est. ");
        }
    });
    assert!(
        !self::codes(&broken).contains(&"BA503"),
        "{:#?}",
        broken.findings
    );
}

#[test]
fn a_test_split_that_is_nearly_or_under_other_names_in_train_is_found() {
    let (mut train, mut test) = (sound(), sound());
    (train.split, test.split) = ("train".into(), "test".into());
    for set in [&mut train, &mut test] {
        for document in &mut set.documents {
            let more = "    size += other(x, 4) * 3;\n    check(size > 7 && x);\n";
            document.text = document
                .text
                .replace("    return", &format!("{more}    return"));
        }
    }
    divide(&mut train, &mut test, 50);
    let nothing = audit(vec![train.clone(), test.clone()]);
    assert!(
        !codes(&nothing).contains(&"BA602"),
        "{:#?}",
        nothing.findings
    );
    // A line more, and all names others.
    test.documents[3].text = train.documents[6]
        .text
        .replace("    return", "    log(x);\n    return");
    test.documents[4].text = train.documents[13]
        .text
        .replace("close_graph", "f")
        .replace("graph", "g")
        .replace("close", "h")
        .replace('x', "y");
    let found = audit(vec![train, test]);
    let overlap = found
        .findings
        .iter()
        .find(|one| one.code == "BA602")
        .unwrap();
    let number = |name: &str| {
        overlap
            .numbers
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap()
            .1
    };
    assert!(
        (number("documents"), number("near documents")) == (0.0, 2.0),
        "{overlap:?}"
    );
    assert_eq!(overlap.severity, Severity::Warning);
    assert_eq!(overlap.examples.len(), 2);
}

/// Leaves the first 50 pairs to train, and those from `start` on to test.
fn divide(train: &mut Subset, test: &mut Subset, start: usize) {
    train.documents.truncate(50);
    train.queries.truncate(50);
    train.judgments.truncate(50);
    test.documents.drain(..start);
    test.queries.drain(..start);
    test.judgments.drain(..start);
}

#[test]
fn train_and_test_that_share_an_answer() {
    let (mut train, mut test) = (sound(), sound());
    (train.split, test.split) = ("train".into(), "test".into());
    divide(&mut train, &mut test, 49);
    let found = audit(vec![train.clone(), test.clone()]);
    let overlap = found
        .findings
        .iter()
        .find(|finding| finding.code == "BA602")
        .unwrap();
    assert_eq!(
        (overlap.count, overlap.of, overlap.subset.as_str()),
        (1, 51, "sound/test")
    );
    // Without the answer there is no overlap.
    test.documents.remove(0);
    test.queries.remove(0);
    test.judgments.remove(0);
    assert!(!codes(&audit(vec![train, test])).contains(&"BA602"));
}

/// Pools of ten for each query: from all documents, or from the rows that follow.
fn pools(set: &mut Subset, pick: impl Fn(usize, usize) -> usize) {
    for query in 0..100 {
        let mut pool: BTreeSet<String> = (1..=10)
            .map(|place| format!("d{}", pick(query, place) % 100))
            .collect();
        pool.insert(format!("d{query}"));
        set.candidates
            .insert(format!("q{query}"), pool.into_iter().collect());
    }
}

#[test]
fn pools_of_the_next_rows_are_no_draw_from_all() {
    let local = after(|set| pools(set, |query, place| query + place));
    let found = local
        .findings
        .iter()
        .find(|finding| finding.code == "BA606")
        .unwrap();
    assert_eq!(found.severity, Severity::Warning);
    let drawn = after(|set| {
        pools(set, |query, place| {
            let mixed = (query as u64 * 1009 + place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            usize::try_from((mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 40)
                .unwrap()
        });
    });
    assert!(!codes(&drawn).contains(&"BA606"), "{:#?}", drawn.findings);
}

#[test]
fn one_repository_and_two_kinds_of_licenses() {
    let found = after(|set| {
        for document in &mut set.documents[..90] {
            document.extra.insert(
                "repository".into(),
                json!("https://github.com/one/project/blob/main/a.c"),
            );
        }
        set.documents[0]
            .extra
            .insert("license".into(), json!("GPL-2.0-only"));
    });
    assert_eq!(codes(&found), ["BA601", "BA603"], "{:#?}", found.findings);
    assert!(
        found
            .findings
            .iter()
            .all(|finding| finding.severity == Severity::Warning)
    );
    assert!(
        found.findings[0]
            .message
            .contains("`https://github.com/one/project`"),
        "{:#?}",
        found.findings[0]
    );
}

#[test]
fn rules_can_be_chosen_and_left_out() {
    let mut twins = sound();
    twins.documents[1].text = twins.documents[0].text.clone();
    let benchmark = Benchmark {
        subsets: vec![twins],
        ..Benchmark::default()
    };
    let of = |select: &[&str], ignore: &[&str]| {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let config = AuditConfig {
            select: names(select),
            ignore: names(ignore),
            ..AuditConfig::default()
        };
        let found = audit_benchmark(&benchmark, &config, &mut |_| ());
        found
            .findings
            .iter()
            .map(|finding| finding.code)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&["identical-texts"], &[]), ["BA001"]);
    assert_eq!(of(&["ba0"], &["BA001"]), ["BA003"]);
    assert_eq!(of(&["BA7"], &[]), Vec::<&str>::new());
}

#[test]
fn codes_are_in_order_and_every_page_is_whole() {
    let codes: Vec<&str> = rules().iter().map(|rule| rule.code).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted);
    for one in rules() {
        let page = one.page();
        for head in [
            "Check.",
            "Why it matters.",
            "Method.",
            "Example.",
            "Remedy.",
            "Limits.",
        ] {
            assert!(
                page.contains(&format!("\n**{head}** ")),
                "{} lacks `{head}`",
                one.code
            );
        }
        assert!(one.summary().ends_with(['.', '`']), "{}", one.summary());
        assert_eq!(rule(one.name).map(|found| found.code), Some(one.code));
    }
}

#[test]
fn the_reference_is_current() {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../docs/src/reference/audit.md"
    );
    if std::env::var_os("BARECODE_UPDATE").is_some() {
        std::fs::write(path, pages()).unwrap();
    }
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        stored == pages(),
        "docs/src/reference/audit.md is not what the rules say; run the test with BARECODE_UPDATE=1"
    );
}

fn some_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ab{}()\"'/*#\\\\\n \t;.é\u{0}]{0,40}",
        "\\PC{0,30}",
        Just("static int func_0(void) { return MACRO_0; }".to_owned()),
        Just("push %rbp\ncall 0x1c # 0x46\nret\n".to_owned()),
        Just("(module (func ;; x\n (; y".to_owned()),
        Just("def f(x):\n    # \u{c3}\u{a9}\n    return '''".to_owned()),
    ]
}

fn some_subset() -> impl Strategy<Value = Subset> {
    let documents = prop::collection::vec(
        (
            0..12_u8,
            some_text(),
            prop::option::of("[A-Za-z+]{1,6}|MIT|GPL"),
        ),
        0..14,
    );
    let queries = prop::collection::vec((0..12_u8, some_text()), 0..10);
    let judgments = prop::collection::vec((0..14_u8, 0..14_u8, -2..4_i32), 0..30);
    let pools = prop::collection::btree_map(0..12_u8, prop::collection::vec(0..14_u8, 0..6), 0..6);
    (
        documents,
        queries,
        judgments,
        pools,
        any::<bool>(),
        0..3_usize,
    )
        .prop_map(
            |(documents, queries, judgments, pools, is_matching, name)| {
                let mut subset = Subset::new(
                    ["original", "train", "x"][name],
                    ["test", "train", "dev"][name],
                );
                subset.kind = if is_matching {
                    Kind::Matching
                } else {
                    Kind::Retrieval
                };
                for (id, text, column) in documents {
                    let mut document = Document {
                        id: format!("d{id}"),
                        text,
                        title: "aB_c".into(),
                        ..Document::default()
                    };
                    if let Some(column) = column {
                        for name in ["language", "license", "repository"] {
                            document.extra.insert(name.into(), json!(column));
                        }
                    }
                    subset.documents.push(document);
                }
                subset
                    .queries
                    .extend(queries.into_iter().map(|(id, text)| Query {
                        id: format!("q{id}"),
                        text,
                        ..Query::default()
                    }));
                subset
                    .judgments
                    .extend(
                        judgments
                            .into_iter()
                            .map(|(query, document, grade)| Judgment {
                                query: format!("q{query}"),
                                document: format!("d{document}"),
                                grade,
                            }),
                    );
                let named = |pool: Vec<u8>| pool.into_iter().map(|id| format!("d{id}")).collect();
                subset.candidates = pools
                    .into_iter()
                    .map(|(query, pool)| (format!("q{query}"), named(pool)))
                    .collect();
                subset
            },
        )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn any_benchmark_is_audited(subsets in prop::collection::vec(some_subset(), 0..4)) {
        let found = audit(subsets.clone());
        for finding in &found.findings {
            prop_assert!(finding.count > 0 && finding.examples.len() <= 3, "{:?}", finding);
            prop_assert!(finding.numbers.iter().all(|(_, number)| number.is_finite()), "{:?}", finding);
        }
        prop_assert_eq!(&found, &audit(subsets));
    }

    #[test]
    fn twins_are_the_groups_of_equal_texts(subset in some_subset()) {
        let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
        for document in &subset.documents {
            *groups.entry(&document.text).or_default() += 1;
        }
        let twins: u64 = groups.values().filter(|count| **count > 1).sum();
        let largest = groups.values().copied().max().unwrap_or(0);
        let audit = audit(vec![subset.clone()]);
        let found = audit.findings.iter().find(|finding| finding.code == "BA001");
        prop_assert_eq!(found.map_or(0, |found| found.count), twins);
        if let Some(found) = found {
            prop_assert!((found.numbers[0].1 - largest as f64).abs() < 1e-9);
        }
    }
}

#[test]
fn queries_about_other_signs_or_opposites_are_not_near() {
    for (one, other) in [
        (
            "Every opening \"<\" of the text has a closing \">\"",
            "Every opening \"(\" of the text has a closing \")\"",
        ),
        (
            "Returns the minimum of two given numbers",
            "Returns the maximum of two given numbers",
        ),
        (
            "Encodes the given bytes as text",
            "Decodes the given bytes as text",
        ),
        ("Reads a value of 16 bits", "Reads a value of 18 bits"),
    ] {
        let found = after(|set| {
            set.queries[8].text = one.into();
            set.queries[9].text = other.into();
        });
        assert!(!codes(&found).contains(&"BA405"), "{:#?}", found.findings);
    }
}
