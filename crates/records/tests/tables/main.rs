//! Every table as it is written and read.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod programs;

use std::fmt::Debug;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{Int32Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use barecode_records::{
    Candidate, Closure, ClusterMember, Difference, DocComment, DocPlace, Document, Function,
    FunctionKind, Group, HelperBodies, HelperSpan, Hit, Id, Judgment, KeptName, Language, Leak,
    ListedSubset, Origin, Pair, Piece, PieceKind, ProbePair, ProbeProgram, ProbeScore, Proof,
    Query, QueryScore, QueryText, Reason, Record, References, Renaming, Role, Score, SetAside,
    SetDifference, Setting, SettingDrop, Similarity, Span, Split, Stage, Statistic, SubsetKind,
    TableError, TargetKind, Toolchain, Unit, Variant,
    python::{Program, ProgramVariant},
    table,
};
use parquet::arrow::ArrowWriter;
use programs::{
    probe_pairs, probe_programs, probe_scores, program_variants, programs, similarities,
};
use tempfile::TempDir;

fn id(text: &str) -> Id {
    Id::from(text.to_owned())
}

fn origin() -> Origin {
    Origin {
        source: "path:größe".to_owned(),
        repository: None,
        version: Some("1.0".to_owned()),
        commit: None,
        license: Some("MIT OR Apache-2.0".to_owned()),
        license_from: Some("LICENSES/MIT.txt".to_owned()),
        first_commit: Some("1999-12-31".to_owned()),
        path: "src/naïve.c".to_owned(),
        start_line: 1,
        end_line: u32::MAX,
    }
}

fn bare_origin() -> Origin {
    Origin {
        source: String::new(),
        repository: Some("https://example.org/é".to_owned()),
        version: None,
        commit: Some("0123".to_owned()),
        license: None,
        license_from: None,
        first_commit: None,
        path: String::new(),
        start_line: 0,
        end_line: 0,
    }
}

fn doc() -> DocComment {
    DocComment {
        text: "/* Adds — exactly. */".to_owned(),
        place: DocPlace::Declaration,
        path: "a.h".to_owned(),
        start_line: 3,
        end_line: 4,
    }
}

fn references() -> References {
    References {
        functions: vec!["g".to_owned(), "h".to_owned()],
        types: vec!["größe".to_owned()],
        globals: Vec::new(),
        macros: vec![String::new()],
        spelled: vec!["f".to_owned()],
    }
}

fn closure(helpers: usize) -> Closure {
    let helper = |at: u32| HelperSpan {
        name: format!("h{at}"),
        function_id: id("f-1"),
        span: Span { start: at, end: 9 },
    };
    Closure {
        text: "int f(void)\n{ return '\u{1F980}'; }\0".to_owned(),
        target: Span { start: 0, end: 7 },
        helpers: (0..u32::try_from(helpers).unwrap()).map(helper).collect(),
        helper_bodies: HelperBodies::Direct,
        items: 3,
        pieces: vec![Piece {
            kind: PieceKind::Target,
            span: Span { start: 0, end: 7 },
            names: vec!["f".to_owned()],
            external: false,
        }],
        helper_external: vec!["k".to_owned()],
        missing_headers: vec!["x/y.h".to_owned()],
        assumed_headers: vec!["a.h from a.h.in".to_owned()],
    }
}

fn functions() -> Vec<Function> {
    let full = Function {
        id: id("f-0"),
        origin: origin(),
        language: Language::C,
        name: "f".to_owned(),
        qualified_name: "n::f".to_owned(),
        kind: FunctionKind::Conversion,
        is_template: true,
        translation_unit: "a.c".to_owned(),
        text: "int f(void);\r\n\t\"\\\"".to_owned(),
        docs: vec![doc()],
        references: references(),
        closure: closure(2),
    };
    let bare = Function {
        origin: bare_origin(),
        docs: Vec::new(),
        references: References::default(),
        closure: Closure {
            helper_bodies: HelperBodies::None,
            pieces: Vec::new(),
            helper_external: Vec::new(),
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
            ..closure(0)
        },
        ..full.clone()
    };
    vec![full, bare]
}

fn units() -> Vec<Unit> {
    let unit = |docs, group| Unit {
        id: id("u-0"),
        function_id: id("f-0"),
        origin: origin(),
        language: Language::C,
        name: "f".to_owned(),
        qualified_name: "f".to_owned(),
        kind: FunctionKind::Function,
        is_template: false,
        group,
        text: "ü".to_owned(),
        docs,
        references: references(),
        closure: closure(1),
        minimized: true,
        compiles_as_cpp: matches!(group, Group::Group1).then_some(false),
        toolchain: Toolchain {
            compiler: "gcc".to_owned(),
            version: "gcc (Debian) 12".to_owned(),
            target: "x86_64-linux-gnu".to_owned(),
            flags: vec!["-O2".to_owned(), "-std=gnu17".to_owned()],
        },
        code_bytes: u64::MAX,
    };
    vec![
        unit(vec![doc()], Group::Group3),
        unit(Vec::new(), Group::Group1),
    ]
}

fn variants() -> Vec<Variant> {
    let full = Variant {
        id: id("v-0"),
        unit_id: id("u-0"),
        origin: origin(),
        group: Group::Group2,
        setting: Setting::RANDOMIZED,
        draw: Some(2),
        text: "int qk(void);".to_owned(),
        compiled_text: "int qk(void);\n".to_owned(),
        target: Span { start: 0, end: 13 },
        helpers: closure(1).helpers,
        renamed: vec![Renaming {
            from: "größe".to_owned(),
            to: "qk".to_owned(),
            role: Role::Fragment,
        }],
        kept: vec![KeptName {
            name: "main".to_owned(),
            reason: "the entry point".to_owned(),
        }],
        perturbation: Some(0.5),
        own_names: Some(4),
        own_names_kept: Some(1),
        proof: Proof::Code,
        toolchain: None,
    };
    let bare = Variant {
        setting: Setting::Standard,
        draw: None,
        helpers: Vec::new(),
        renamed: Vec::new(),
        kept: Vec::new(),
        proof: Proof::Identity,
        ..full.clone()
    };
    vec![full, bare]
}

fn queries() -> Vec<Query> {
    let of_comment = Query {
        id: id("q-0"),
        target_kind: TargetKind::Unit,
        target_id: id("u-0"),
        writer: Query::DOC_COMMENT.to_owned(),
        origin: bare_origin(),
        text: "adds — exactly".to_owned(),
        raw: Some("/* Adds — exactly. */".to_owned()),
        place: Some(DocPlace::Definition),
        stated_at: None,
        model: None,
        prompt: None,
        left_out: None,
        tries: None,
        class: None,
        words: 2,
        leak: Leak::Word,
        leaked: vec!["adds".to_owned()],
    };
    let of_model = Query {
        target_kind: TargetKind::Script,
        writer: "gpt-4o".to_owned(),
        raw: None,
        place: None,
        stated_at: Some("questions.csv:3".to_owned()),
        model: Some("gpt-4o-2024-08-06".to_owned()),
        prompt: Some("0f".repeat(32)),
        left_out: Some(2),
        tries: Some(3),
        class: Some("Visualization".to_owned()),
        leaked: Vec::new(),
        ..of_comment.clone()
    };
    vec![of_comment, of_model]
}

fn documents() -> Vec<Document> {
    vec![Document {
        id: id("u-0"),
        title: String::new(),
        text: "int f(void);".to_owned(),
        language: Language::CPP,
        source: "cargo:x".to_owned(),
        repository: Some("https://example.org/x".to_owned()),
        version: None,
        commit: Some("0".to_owned()),
        first_commit: Some("2024-02-29".to_owned()),
        license: None,
        path: "a.c".to_owned(),
        start_line: 1,
        end_line: 2,
    }]
}

fn query_texts() -> Vec<QueryText> {
    let text = |leak, leaked| QueryText {
        id: id("q-0"),
        text: "what — where".to_owned(),
        leak,
        leaked,
    };
    vec![
        text(Leak::None, Vec::new()),
        text(Leak::Function, vec!["f".to_owned()]),
    ]
}

fn judgments() -> Vec<Judgment> {
    vec![Judgment {
        query_id: id("q-0"),
        corpus_id: id("u-0"),
        score: -1,
    }]
}

fn pairs() -> Vec<Pair> {
    let pair = |license: Option<String>| Pair {
        query_id: id("q-0"),
        query_text: "é".to_owned(),
        code_id: id("u-0"),
        code_text: "int f;".to_owned(),
        relevance: 2,
        language: Language::C,
        repository: license.clone(),
        license,
    };
    vec![pair(Some("MIT".to_owned())), pair(None)]
}

fn clusters() -> Vec<ClusterMember> {
    let member = |representative, similarity, split| ClusterMember {
        cluster: id("c-0"),
        unit_id: id("u-0"),
        representative,
        similarity,
        exact: representative,
        split,
        origin: origin(),
    };
    vec![
        member(true, 1.0, Split::Test),
        member(false, 2.0 / 3.0, Split::Train),
    ]
}

fn statistics() -> Vec<Statistic> {
    vec![Statistic {
        split: Split::Train,
        subset: "group3-long-randomized".to_owned(),
        group: Some("group3-long".to_owned()),
        setting: Some(Setting::RANDOMIZED),
        draws: 3,
        slice: "language=cpp".to_owned(),
        tokenizer: "c-tokens".to_owned(),
        pairs: 7,
        query_tokens: 1.0 / 3.0,
        code_tokens: 0.0,
        lines: 12.8,
        complexity: Some(2.9),
        keywords: Some(4.77),
        instructions: None,
        repositories: 2,
        largest_repository: "größe".to_owned(),
        largest_share: 0.5,
        effective_repositories: 1.5,
    }]
}

fn subsets() -> Vec<ListedSubset> {
    let drawn = ListedSubset {
        name: "group1-randomized-2".to_owned(),
        kind: SubsetKind::Retrieval,
        group: Some("group1".to_owned()),
        setting: Some(Setting::RANDOMIZED),
        draw: Some(2),
        language: Some(Language::C),
        writer: Some("gpt-4o".to_owned()),
        splits: Split::ALL.to_vec(),
    };
    let bare = ListedSubset {
        name: "pairs".to_owned(),
        kind: SubsetKind::Probe,
        group: None,
        setting: None,
        draw: None,
        language: None,
        writer: None,
        splits: Vec::new(),
    };
    vec![drawn, bare]
}

fn hits() -> Vec<Hit> {
    vec![Hit {
        query_id: id("q-0"),
        doc_id: id("u-0"),
        rank: 1,
        score: 0.1 + 0.2,
    }]
}

fn candidates() -> Vec<Candidate> {
    vec![Candidate {
        pool_draw: 1,
        query_id: id("q-0"),
        doc_id: id("u-0"),
    }]
}

fn query_scores() -> Vec<QueryScore> {
    let score = |answer_rank, seed| QueryScore {
        retriever: "bm25".to_owned(),
        subset: "group3-short-neutralized".to_owned(),
        group: Some("group3-short".to_owned()),
        setting: Some(Setting::NEUTRALIZED),
        draw: seed,
        language: Some(Language::C),
        pool_draw: seed,
        query_id: id("q-0"),
        leak: seed.map(|_| Leak::Identifier),
        measure: "nDCG@10".to_owned(),
        value: f64::MIN_POSITIVE,
        ceiling: Some(1.0),
        floor: seed.map(|_| 0.0),
        answer_rank,
    };
    vec![score(Some(1.5), None), score(None, Some(0))]
}

fn scores() -> Vec<Score> {
    vec![Score {
        retriever: "bm25".to_owned(),
        subset: "group1-standard".to_owned(),
        group: None,
        setting: Some(Setting::Standard),
        language: None,
        draws: 1,
        slice: "leak=none".to_owned(),
        measure: "RR@10".to_owned(),
        queries: 3,
        too_few: true,
        documents: 4,
        value: 0.5,
        low: 0.25,
        high: 0.75,
        repository_low: Some(0.2),
        repository_high: None,
        repositories: Some(2),
        draw_error: None,
        ceiling: Some(1.0),
        floor: None,
    }]
}

fn drops() -> Vec<SettingDrop> {
    let drop = |relative: Option<f64>| SettingDrop {
        retriever: "bm25".to_owned(),
        subset: "group1-randomized".to_owned(),
        group: Some("group1".to_owned()),
        setting: Setting::RANDOMIZED,
        language: None,
        draws: 3,
        measure: "nDCG@10".to_owned(),
        queries: 3,
        too_few: true,
        standard: 0.5,
        value: 0.25,
        drop: 0.25,
        low: 0.125,
        high: 0.375,
        relative,
        relative_low: relative,
        relative_high: relative,
        detectable: relative,
        p: 0.01,
        worst_case: 0.2,
        worst_draw: 0.24,
        draw_error: relative,
    };
    vec![drop(Some(0.5)), drop(None)]
}

fn differences() -> Vec<Difference> {
    vec![Difference {
        subset: "group2-standard".to_owned(),
        group: None,
        setting: None,
        language: Some(Language::CPP),
        measure: "RR@10".to_owned(),
        queries: 3,
        too_few: true,
        first: "bm25".to_owned(),
        second: "random".to_owned(),
        difference: 0.5,
        low: 0.25,
        high: 0.75,
        detectable: Some(0.3),
        p: 0.01,
        p_holm: 0.02,
    }]
}

fn sets() -> Vec<SetDifference> {
    vec![SetDifference {
        retriever: "bm25".to_owned(),
        functions: "group2".to_owned(),
        setting: Some(Setting::Standard),
        measure: "RR@10".to_owned(),
        answers: 12,
        too_few: false,
        first: "doc_comment".to_owned(),
        second: "gpt-4o".to_owned(),
        first_value: 0.5,
        second_value: 0.25,
        difference: 0.25,
        low: 0.125,
        high: 0.375,
        detectable: None,
        p: 0.01,
    }]
}

fn set_aside() -> Vec<SetAside> {
    let row = |reason| SetAside {
        stage: Stage::Check,
        kind: "function".to_owned(),
        id: Some(id("f-0")),
        origin: Some(origin()),
        name: Some("f".to_owned()),
        setting: Some(Setting::RANDOMIZED),
        draw: Some(2),
        reason,
        detail: "error: ‘x’ undeclared".to_owned(),
    };
    let mut rows: Vec<SetAside> = Reason::ALL.iter().copied().map(row).collect();
    rows.push(SetAside {
        ..SetAside::new(Stage::Extract, "file", Reason::FileNotUtf8, "")
    });
    rows
}

/// Writes rows, none and many, reads them back, and writes them again.
fn holds<T: Record + PartialEq + Debug + Clone>(rows: Vec<T>) {
    let folder = TempDir::new().unwrap();
    let (first, second) = (folder.path().join("1"), folder.path().join("2"));
    // More rows than a batch and a row group hold.
    let many: Vec<T> = rows.iter().cycle().take(5_000).cloned().collect();
    for rows in [rows, Vec::new(), many] {
        table::write(&first, &rows, "kéy").unwrap();
        table::write(&second, &rows, "kéy").unwrap();
        assert_eq!(table::read::<T>(&first).unwrap(), rows, "{}", T::TABLE);
        assert_eq!(
            fs::read(&first).unwrap(),
            fs::read(&second).unwrap(),
            "two writes of {} differ",
            T::TABLE
        );
        let footer = table::footer(&first).unwrap();
        assert_eq!(footer.table, format!("{} v{}", T::TABLE, T::VERSION));
        assert_eq!(
            (footer.key.as_str(), footer.rows),
            ("kéy", rows.len() as u64)
        );
    }
}

#[test]
fn every_table_is_read_as_it_was_written() {
    holds::<Function>(functions());
    holds::<Unit>(units());
    holds::<Variant>(variants());
    holds::<Query>(queries());
    holds::<ListedSubset>(subsets());
    holds::<Document>(documents());
    holds::<QueryText>(query_texts());
    holds::<Judgment>(judgments());
    holds::<Pair>(pairs());
    holds::<ClusterMember>(clusters());
    holds::<Statistic>(statistics());
    holds::<Hit>(hits());
    holds::<Candidate>(candidates());
    holds::<QueryScore>(query_scores());
    holds::<Score>(scores());
    holds::<SettingDrop>(drops());
    holds::<Difference>(differences());
    holds::<SetDifference>(sets());
    holds::<SetAside>(set_aside());
    holds::<Program>(programs());
    holds::<ProgramVariant>(program_variants());
    holds::<ProbeProgram>(probe_programs());
    holds::<ProbePair>(probe_pairs());
    holds::<Similarity>(similarities());
    holds::<ProbeScore>(probe_scores());
}

#[test]
fn another_key_makes_other_bytes() {
    let folder = TempDir::new().unwrap();
    let (first, second) = (folder.path().join("1"), folder.path().join("2"));
    table::write(&first, &pairs(), "a").unwrap();
    table::write(&second, &pairs(), "b").unwrap();
    assert_ne!(fs::read(&first).unwrap(), fs::read(&second).unwrap());
}

#[test]
fn a_table_cut_short_is_damaged_wherever_it_is_cut() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("hits");
    table::write(&path, &hits(), "").unwrap();
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let error = table::read::<Hit>(&path).unwrap_err();
        assert!(
            matches!(error, TableError::Damaged { .. }),
            "{length}: {error}"
        );
        assert!(error.to_string().contains("hits"), "{error}");
    }
}

#[test]
fn a_flipped_byte_is_an_error_wherever_it_is() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("texts");
    table::write(&path, &query_texts(), "").unwrap();
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        fs::write(&path, &bytes).unwrap();
        let error = table::read::<QueryText>(&path).unwrap_err().to_string();
        assert!(error.contains("texts"), "byte {at}: {error}");
    }
}

/// A Parquet file that some other program could have written.
fn foreign(path: &Path) {
    let schema = Arc::new(Schema::new(vec![Field::new("n", DataType::Int32, false)]));
    let column = Arc::new(Int32Array::from(vec![1, 2, 3]));
    let batch = RecordBatch::try_new(schema.clone(), vec![column]).unwrap();
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), schema, None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

#[test]
fn other_tables_and_other_programs_are_told_apart() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    table::write(&path, &hits(), "").unwrap();
    match table::read::<Pair>(&path).unwrap_err() {
        TableError::NotThisTable {
            expected, found, ..
        } => {
            assert_eq!((expected.as_str(), found.as_str()), ("pairs v2", "hits v1"));
        }
        other => panic!("{other}"),
    }
    foreign(&path);
    let error = table::read::<Pair>(&path).unwrap_err();
    assert!(matches!(error, TableError::NotThisTable { .. }), "{error}");
    assert!(error.to_string().contains("some other program"), "{error}");
    fs::write(&path, "not Parquet at all").unwrap();
    let error = table::read::<Pair>(&path).unwrap_err();
    assert!(matches!(error, TableError::Damaged { .. }), "{error}");
}

/// A table as a version before the first would have written it.
#[derive(Debug, serde::Serialize, serde::Deserialize)]
struct OldHit {
    query: String,
}

impl Record for OldHit {
    const TABLE: &'static str = Hit::TABLE;
    const VERSION: u32 = 0;
}

#[test]
fn a_table_of_another_version_is_never_read() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    let row = OldHit {
        query: "q-0".to_owned(),
    };
    table::write(&path, &[row], "").unwrap();
    let error = table::read::<Hit>(&path).unwrap_err();
    assert!(matches!(error, TableError::OtherVersion { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.ends_with("by another version of barecode: it is `hits v0`, and `hits v1` is read"),
        "{message}"
    );
}

/// The types of all columns, inside of structures too.
fn kinds(fields: &[arrow_schema::FieldRef], found: &mut Vec<DataType>) {
    for field in fields {
        match field.data_type() {
            DataType::Struct(inner) => kinds(inner, found),
            DataType::LargeList(element) => kinds(std::slice::from_ref(element), found),
            kind => found.push(kind.clone()),
        }
    }
}

#[test]
fn no_column_is_a_dictionary_so_tables_load_together() {
    let mut found = Vec::new();
    kinds(&table::schema::<Function>(), &mut found);
    kinds(&table::schema::<Variant>(), &mut found);
    kinds(&table::schema::<SetAside>(), &mut found);
    assert!(
        found
            .iter()
            .all(|kind| !matches!(kind, DataType::Dictionary(..))),
        "{found:?}"
    );
}

#[test]
fn a_missing_file_and_a_missing_folder_are_named() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("gone/table");
    let read = table::read::<Hit>(&path).unwrap_err();
    let written = table::write(&path, &hits(), "").unwrap_err();
    for (error, wanted) in [(read, "read"), (written, "write")] {
        match &error {
            TableError::Io {
                action, path: at, ..
            } => {
                assert_eq!((*action, at), (wanted, &path));
            }
            other => panic!("{other}"),
        }
    }
    assert_eq!(names_in(folder.path()), [""; 0]);
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_write_that_fails_leaves_the_old_table_and_nothing_else() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("table");
    table::write(&path, &hits(), "old").unwrap();
    let failed = table::write_atomically(&path, |file| {
        use std::io::Write;
        file.write_all(b"half")?;
        Err(std::io::Error::other("the disk is full"))
    });
    assert!(failed.unwrap_err().to_string().contains("the disk is full"));
    assert_eq!(names_in(folder.path()), ["table"]);
    assert_eq!(table::footer(&path).unwrap().key, "old");
}

#[test]
fn a_table_that_cannot_take_its_place_leaves_nothing_behind() {
    let folder = TempDir::new().unwrap();
    let path: PathBuf = folder.path().join("table");
    fs::create_dir_all(path.join("in the way")).unwrap();
    let error = table::write(&path, &hits(), "").unwrap_err();
    assert!(
        matches!(
            error,
            TableError::Io {
                action: "rename",
                ..
            }
        ),
        "{error}"
    );
    assert_eq!(names_in(folder.path()), ["table"]);
}

#[test]
fn judgments_have_the_column_names_of_mteb() {
    let columns = table::schema::<Judgment>();
    let names: Vec<&str> = columns
        .iter()
        .map(|column| column.name().as_str())
        .collect();
    assert_eq!(names, ["query-id", "corpus-id", "score"]);
}
