//! Evaluation through its front door.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod adding;
mod choices;
mod example;
mod laws;
mod pools;
mod summary;

use std::path::Path;
use std::sync::Arc;

use barecode_evaluate::{Asked, ListReader, System, SystemKind, Task, retrieved, rows};
use barecode_records::table::{Table, read, read_batches};
use barecode_records::{Document, Hit, Id, Language, Leak, QueryText, Subset};
use barecode_retrieval::{Lexical, Retriever};

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

fn of(name: Option<&str>, retriever: impl Retriever + 'static, depth: u32) -> System {
    let kind = SystemKind::Retriever(Arc::new(retriever));
    System::new(name.map(str::to_owned), kind, depth).unwrap()
}

fn bm25(depth: u32) -> System {
    of(None, Lexical::default(), depth)
}

/// The lists of a retriever that needs no model.
fn retrieve(system: &System, documents: &[Document], queries: &[QueryText], seed: u64) -> Vec<Hit> {
    let (documents, queries) = (documents.to_vec(), queries.to_vec());
    let task = Task::of_records(Subset::default(), documents, queries, Vec::new());
    let SystemKind::Retriever(retriever) = system.kind() else {
        panic!("a system that needs a model");
    };
    let asked = Asked {
        system: system.name(),
        depth: system.depth(),
        task: &task,
        seed,
        base: Path::new(""),
        progress: &|_, _, _| {},
        cut: &|_, _, _| {},
        unknown: &|_| {},
        stop: &|| false,
    };
    let lists = retrieved(&**retriever, &asked).unwrap();
    let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
    let table = Table::<Hit>::of_batches(rows(&task, &lists[0]));
    table.write(&path, "").unwrap();
    let mut reader = ListReader::new(&task);
    read_batches::<Hit>(&path, |rows| reader.add(rows)).unwrap();
    assert_eq!(reader.lists(), lists[0], "lists come back as they were");
    read(&path).unwrap()
}
