//! What is wrong is told with file, line and column.

use std::io::Write;
use std::path::PathBuf;

use barecode_formats::{Existing, Format, Strictness, impossible, load, write};
use flate2::Compression;
use flate2::write::GzEncoder;

struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Folder {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A BEIR folder that is right but for these files.
    fn beir(files: &[(&str, &[u8])]) -> Self {
        let folder = Folder::new();
        folder.file(
            "corpus.jsonl",
            "{\"_id\": \"c1\", \"title\": \"\", \"text\": \"f()\"}\n",
        );
        folder.file("queries.jsonl", "{\"_id\": \"q1\", \"text\": \"call f\"}\n");
        folder.file("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\tc1\t1\n");
        for (name, bytes) in files {
            folder.file(name, bytes);
        }
        folder
    }

    fn error(&self) -> String {
        load(self.folder.path(), None, Strictness::Strict)
            .unwrap_err()
            .to_string()
    }
}

fn packed(text: &str) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(text.as_bytes()).unwrap();
    packed.finish().unwrap()
}

#[test]
fn places_are_files_lines_and_columns() {
    for (name, bytes, expected) in [
        (
            "qrels/test.tsv",
            "query-id\tcorpus-id\tscore\nq1\tc1\thigh\n".as_bytes(),
            "test.tsv:2:7: the score is `high`",
        ),
        (
            "qrels/test.tsv",
            b"query-id\tcorpus-id\tscore\nq1 c1 1\n",
            "test.tsv:2: 1 fields divided by tabs",
        ),
        (
            "qrels/test.tsv",
            b"q1\tc1\t1\n",
            "test.tsv:1: this is a judgment where the header should be",
        ),
        (
            "qrels/test.tsv",
            b"query-id\tcorpus-id\tscore\nq1\tc1\t1\nq2\tc1\t1\n",
            "test.tsv:3: a judgment names the query `q2`",
        ),
        (
            "qrels/test.tsv",
            b"query-id\tcorpus-id\tscore\nq1\tc9\t1\n",
            "test.tsv:2: a judgment names the document `c9`",
        ),
        (
            "qrels/test.tsv",
            b"query-id\tcorpus-id\tscore\nq1\tc1\t1\nq1\tc1\t2\n",
            "test.tsv:3: the grade of document `c1` for query `q1` is 2, and 1 before",
        ),
        (
            "corpus.jsonl",
            b"{\"_id\": \"c1\", \"text\": \"a\"}\n{\"_id\": \"c1\", \"text\": \"b\"}\n",
            "corpus.jsonl:2: the document `c1` came before",
        ),
        (
            "corpus.jsonl",
            "{\"_id\": \"é\", \"text\": oops}\n".as_bytes(),
            "corpus.jsonl:1:22: expected value",
        ),
        (
            "corpus.jsonl",
            b"{\"id\": \"c1\", \"text\": \"a\"}\n",
            "no `_id`; found `id`, `text`",
        ),
        (
            "corpus.jsonl",
            b"[1]\n",
            "corpus.jsonl:1: this is not a JSON object",
        ),
        (
            "queries.jsonl",
            b"{\"_id\": \"q1\", \"text\": \"caf\xe9\"}\n",
            "queries.jsonl:1:27: the byte 0xe9 is not UTF-8",
        ),
        (
            "queries.jsonl",
            b"{\"_id\": \"q1\", \"text\": 7}\n",
            "`text` is 7, expected a text",
        ),
    ] {
        let error = Folder::beir(&[(name, bytes)]).error();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn a_truncated_gzip_is_told_with_the_line_that_was_reached() {
    let folder = Folder::new();
    let row =
        |n: u32| format!("{{\"input\": \"comment {n} [CODESPLIT] f{n}()\", \"target\": 1}}\n");
    let rows = (0..2_000).map(row).collect::<Vec<_>>().concat();
    let whole = packed(&rows);
    let path = folder.file("test_x_mrr.jsonl.gz", &whole[..whole.len() / 2]);
    let error = load(&path, None, Strictness::Strict).unwrap_err();
    let message = error.to_string();
    assert!(
        message.contains("the gzip stream ends here")
            && message.contains(".gz:")
            && error.hint().is_some(),
        "{error}"
    );
    let path = folder.file("whole.jsonl", whole);
    // The bytes tell it, not the name.
    assert_eq!(
        load(&path, None, Strictness::Strict)
            .unwrap()
            .benchmark
            .subsets[0]
            .queries
            .len(),
        2_000
    );
}

#[test]
fn leniently_judgments_are_what_loaders_make_of_them() {
    let qrels = b"query-id\tcorpus-id\tscore\nq1\tc1\t1\nq2\tc1\t1\nq1\tc9\t1\n";
    let folder = Folder::beir(&[("qrels/test.tsv", qrels)]);
    let loaded = load(folder.folder.path(), None, Strictness::AsLoader).unwrap();
    assert_eq!(loaded.benchmark.subsets[0].judgments.len(), 2);
    assert_eq!(loaded.notes.len(), 2, "{:?}", loaded.notes);
}

#[test]
fn a_parquet_file_with_other_columns_names_both() {
    let folder = Folder::beir(&[]);
    let benchmark = load(folder.folder.path(), None, Strictness::Strict)
        .unwrap()
        .benchmark;
    let out = folder.folder.path().join("out");
    write(&benchmark, Format::HuggingFace, &out, Existing::Keep).unwrap();
    let error = load(
        &out.join("default/corpus.parquet"),
        None,
        Strictness::Strict,
    )
    .unwrap_err()
    .to_string();
    assert!(
        error.contains("none of the columns `id`, `title`, `text` is known to have queries"),
        "{error}"
    );
    let path = folder.file("broken.parquet", b"PAR1 and nothing");
    let error = load(&path, None, Strictness::Strict)
        .unwrap_err()
        .to_string();
    assert!(error.contains("cannot be read as Parquet"), "{error}");
}

#[test]
fn ids_that_break_a_format_are_refused_by_name_and_nothing_is_written() {
    let corpus = b"{\"_id\": \"c 1\", \"text\": \"f()\"}\n";
    let qrels = b"query-id\tcorpus-id\tscore\nq1\tc 1\t1\n";
    let folder = Folder::beir(&[("corpus.jsonl", corpus), ("qrels/test.tsv", qrels)]);
    let benchmark = load(folder.folder.path(), None, Strictness::Strict)
        .unwrap()
        .benchmark;
    let out = folder.folder.path().join("out");
    let error = write(&benchmark, Format::Trec, &out, Existing::Keep)
        .unwrap_err()
        .to_string();
    assert!(error.contains("\"c 1\""), "{error}");
    assert!(!out.exists());
    assert!(impossible(&benchmark, Format::Beir).is_none());
    std::fs::create_dir(&out).unwrap();
    std::fs::write(out.join("kept"), "").unwrap();
    let error = write(&benchmark, Format::Beir, &out, Existing::Keep)
        .unwrap_err()
        .to_string();
    assert!(error.contains("already there"), "{error}");
    write(&benchmark, Format::Beir, &out, Existing::Replace).unwrap();
    assert!(!out.join("kept").exists() && out.join("corpus.jsonl").exists());
}

#[test]
fn a_card_that_names_absent_files_is_refused() {
    let folder = Folder::new();
    folder.file(
        "README.md",
        "---\nconfigs:\n- config_name: x\n  data_files: x/*.parquet\n---\n",
    );
    assert!(
        folder
            .error()
            .contains("names `x/*.parquet`, which matches no file"),
        "{}",
        folder.error()
    );
    folder.file("README.md", "---\nconfigs: [\n---\n");
    assert!(
        folder
            .error()
            .contains("the front matter is not a YAML map"),
        "{}",
        folder.error()
    );
}
