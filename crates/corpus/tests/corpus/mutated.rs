//! Real files with pieces cut, doubled, moved and changed, and soups with the structure of C: a few seconds
//! of what `make fuzz` does for longer, from a fixed seed.

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;

use crate::worst::survives;

/// The library of the repository, all files in one text with the names in between.
fn library() -> Vec<(String, Vec<u8>)> {
    let root = crate::shelf_folder();
    let mut files = Vec::new();
    for name in [
        "src/ring.c",
        "src/checksum.c",
        "src/table.c",
        "src/text.c",
        "include/shelf.h",
    ] {
        let bytes = fs::read(root.join(name)).expect("the library is in the checkout");
        let file = Path::new(name)
            .file_name()
            .expect("it is a file")
            .to_string_lossy();
        files.push((file.into_owned(), bytes));
    }
    files
}

/// One change of a file.
#[derive(Debug, Clone)]
enum Mutation {
    Cut(Index, usize),
    Double(Index, usize),
    Move(Index, Index, usize),
    Change(Index, u8),
    Insert(Index, &'static str),
    EndAt(Index),
}

const INSERTED: [&str; 24] = [
    "{",
    "}",
    "(",
    ")",
    ";",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
    "\\\n",
    "#",
    "##",
    "\n#if 0\n",
    "\n#else\n",
    "\n#endif\n",
    "\n#define int struct\n",
    "\n#define SHELF_API (\n",
    "\n#include \"shelf.h\"\n",
    "\n#include \"ring.c\"\n",
    "typedef ",
    "struct ",
    "extern \"C\" {",
    "template <class T> ",
];

fn mutation() -> impl Strategy<Value = Mutation> {
    let length = 1_usize..200;
    prop_oneof![
        (any::<Index>(), length.clone()).prop_map(|(at, length)| Mutation::Cut(at, length)),
        (any::<Index>(), length.clone()).prop_map(|(at, length)| Mutation::Double(at, length)),
        (any::<Index>(), any::<Index>(), length)
            .prop_map(|(from, to, length)| Mutation::Move(from, to, length)),
        (any::<Index>(), any::<u8>()).prop_map(|(at, byte)| Mutation::Change(at, byte)),
        (any::<Index>(), proptest::sample::select(INSERTED.to_vec()))
            .prop_map(|(at, text)| Mutation::Insert(at, text)),
        any::<Index>().prop_map(Mutation::EndAt),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: &Mutation) {
    let within = |at: &Index, bytes: &[u8]| at.index(bytes.len() + 1);
    let piece = |at: &Index, length: usize, bytes: &[u8]| {
        let start = within(at, bytes);
        start..(start + length).min(bytes.len())
    };
    match mutation {
        Mutation::Cut(at, length) => drop(bytes.drain(piece(at, *length, bytes))),
        Mutation::Double(at, length) => {
            let range = piece(at, *length, bytes);
            let copy = bytes[range.clone()].to_vec();
            bytes.splice(range.end..range.end, copy);
        }
        Mutation::Move(from, to, length) => {
            let moved: Vec<u8> = bytes.drain(piece(from, *length, bytes)).collect();
            let to = within(to, bytes);
            bytes.splice(to..to, moved);
        }
        Mutation::Change(at, byte) => {
            let at = within(at, bytes);
            if let Some(changed) = bytes.get_mut(at) {
                *changed = *byte;
            }
        }
        Mutation::Insert(at, text) => {
            let at = within(at, bytes);
            bytes.splice(at..at, text.bytes());
        }
        Mutation::EndAt(at) => bytes.truncate(within(at, bytes)),
    }
}

/// Text that is nearly C: rules of a grammar, with a slip now and then.
fn nearly_c() -> impl Strategy<Value = String> {
    let name =
        || proptest::sample::select(vec!["a", "b", "f", "s", "T", "M", "N", "x", "int", "é"]);
    let leaf = prop_oneof![
        name().prop_map(str::to_owned),
        Just("1".to_owned()),
        Just("\"s\"".to_owned()),
        Just("/* c */".to_owned()),
    ];
    let expression = leaf.prop_recursive(5, 40, 3, move |inner| {
        prop_oneof![
            (name(), inner.clone()).prop_map(|(f, e)| format!("{f}({e})")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("{a} + {b}")),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("({a}, {b})")),
            (name(), inner.clone()).prop_map(|(t, e)| format!("({t}){e}")),
            (inner.clone(), name()).prop_map(|(e, m)| format!("{e}->{m}")),
            inner.clone().prop_map(|e| format!("sizeof({e})")),
            inner.prop_map(|e| format!("({e}")),
        ]
    });
    let statement = prop_oneof![
        expression.clone().prop_map(|e| format!("return {e};\n")),
        expression
            .clone()
            .prop_map(|e| format!("if ({e}) {{ {e}; }}\n")),
        (name(), name()).prop_map(|(t, n)| format!("{t} *{n};\n")),
        Just("#if M\n".to_owned()),
        Just("#else\n".to_owned()),
        Just("#endif\n".to_owned()),
        Just("}\n".to_owned()),
    ];
    let body = proptest::collection::vec(statement, 0..6).prop_map(|lines| lines.concat());
    let item = prop_oneof![
        4 => (name(), name(), body).prop_map(|(t, n, b)| format!("{t} {n}(int x)\n{{\n{b}}}\n")),
        1 => (name(), name()).prop_map(|(t, n)| format!("typedef struct {t} {{ int x; }} {n};\n")),
        1 => (name(), name()).prop_map(|(s, n)| format!("struct {s} {{ struct {n} *x; }};\n")),
        1 => (name(), expression.clone()).prop_map(|(n, e)| format!("static int {n}[] = {{ {e} }};\n")),
        1 => name().prop_map(|n| format!("enum {{ {n}, {n}1 = {n} }};\n")),
        1 => (name(), expression.clone()).prop_map(|(n, e)| format!("#define {n} {e}\n")),
        1 => (name(), expression.clone()).prop_map(|(n, e)| format!("#define {n}(x) {e} x##{n} #x\n")),
        1 => expression.prop_map(|e| format!("#if {e}\n")),
        1 => Just("#else\n".to_owned()),
        1 => Just("#endif\n".to_owned()),
        1 => Just("#include \"b.h\"\n".to_owned()),
        1 => Just("#include \"a.c\"\n".to_owned()),
        1 => Just("int f(a, b) int a; char *b; { return a; }\n".to_owned()),
        1 => name().prop_map(|n| format!("{n}(x)\n")),
    ];
    proptest::collection::vec(item, 0..12).prop_map(|items| items.concat())
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::with_cases(cases)
    }
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn a_mutated_library_is_extracted(changes in proptest::collection::vec((0..5_usize, mutation()), 1..12)) {
        let mut files = library();
        for (file, mutation) in &changes {
            mutate(&mut files[*file].1, mutation);
        }
        let files: Vec<(&str, &[u8])> =
            files.iter().map(|(path, bytes)| (path.as_str(), bytes.as_slice())).collect();
        survives(&files);
    }
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_is_nearly_c_is_extracted(a in nearly_c(), b in nearly_c()) {
        survives(&[("a.c", a.as_bytes()), ("b.h", b.as_bytes())]);
    }
}
