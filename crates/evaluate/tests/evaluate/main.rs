//! Evaluation through its front door.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod laws;
mod pools;
mod summary;

use std::path::Path;

use barecode_evaluate::{Asked, ListReader, Means, System, SystemKind, Task, lists, rows};
use barecode_models::{Bm25, Lexical};
use barecode_records::table::{Table, read, read_batches};
use barecode_records::{Document, Hit, Id, Language, Leak, QueryText, Subset};

fn document(id: &str, text: &str) -> Document {
    Document {
        id: Id::from(id.to_owned()),
        title: String::new(),
        text: text.to_owned(),
        language: Language::C,
        source: "path:lib".to_owned(),
        repository: None,
        version: None,
        commit: None,
        first_commit: None,
        license: None,
        path: "lib.c".to_owned(),
        start_line: 1,
        end_line: 1,
    }
}

fn query(id: &str, text: &str) -> QueryText {
    QueryText {
        id: Id::from(id.to_owned()),
        text: text.to_owned(),
        leak: Leak::None,
        leaked: Vec::new(),
    }
}

fn bm25(options: Bm25, depth: u32) -> System {
    let tokenizer = None;
    System::new(
        None,
        SystemKind::Bm25(Lexical { options, tokenizer }),
        depth,
    )
    .unwrap()
}

/// The lists of a system that needs no model.
fn retrieve(system: &System, documents: &[Document], queries: &[QueryText], seed: u64) -> Vec<Hit> {
    let (documents, queries) = (documents.to_vec(), queries.to_vec());
    let task = Task::of_records(Subset::default(), documents, queries, Vec::new());
    let asked = Asked {
        seed,
        base: Path::new(""),
        progress: &|_, _, _| {},
        cut: &|_, _, _| {},
        unknown: &|_| {},
        stop: &|| false,
    };
    let lists = lists(system, Means::Nothing, &task, &asked).unwrap();
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    let table = Table::<Hit>::of_batches(rows(&task, &lists[0]));
    table.write(&path, "").unwrap();
    let mut reader = ListReader::new(&task);
    read_batches::<Hit>(&path, |rows| reader.add(rows)).unwrap();
    assert_eq!(reader.lists(), lists[0], "lists come back as they were");
    read(&path).unwrap()
}
