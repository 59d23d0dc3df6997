//! One model for other programs: texts to vectors, or documents and queries to lists.
//!
//! Enters the short form of a model, as `--model` accepts it. Everything else is as in [`eval`](crate::commands): the
//! cache of vectors, the budget, the ledger.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use barecode_evaluate::{
    Asked, Choice, Drawn, Reading, System, Task, TaskDocument, TaskQuery, rows,
};
use barecode_models::{Embeddings, Encoder, ModelError, Side, Usage};
use barecode_records::{Facets, Subset, SubsetKind};

use crate::console::{Console, Heard, Listener};
use crate::encoders::{Encoders, Fetch};
use crate::exit::{Exit, Failure, classify};
use crate::models::{Means, choices};
use crate::recipe::RecipeModel;
use crate::session::{CallOptions, Session};

/// A model, opened at its first request.
pub struct AskedModel {
    choice: Choice,
    encoders: Encoders,
    pool: rayon::ThreadPool,
    console: Console,
    _heard: Heard,
}

/// The options that a model is opened with, as on the command line.
#[derive(Debug, Clone, Default)]
pub struct ModelOptions {
    /// Those of every call.
    pub call: CallOptions,
    /// Dollars that it may cost.
    pub budget: Option<f64>,
    /// A file in which answers of servers are recorded, and from which they are replayed.
    pub cassette: Option<PathBuf>,
    /// True if only the cassette is used.
    pub replay: bool,
}

impl AskedModel {
    /// Reads the short form: `local:FOLDER`, `hf:ORG/NAME`, `openai:MODEL`, `bm25:tokenizer=plain`, ….
    ///
    /// # Errors
    /// A form that is not valid; a cache folder that cannot be made.
    pub fn open(
        model: &str,
        options: ModelOptions,
        listener: Arc<dyn Listener>,
    ) -> Result<Self, Failure> {
        let open = || {
            let (console, heard) = Console::heard(listener);
            let choice = choices(&[model.to_owned()], None)?.remove(0);
            let session = Session::of_program(&options.call, console);
            let means = Means {
                budget: options.budget,
                cassette: options.cassette,
                replay: options.replay,
            };
            let encoders = Encoders::new(Path::new("."), Some(session.opening(&means)?))?;
            Ok(AskedModel {
                choice,
                encoders,
                pool: session.pool()?,
                console,
                _heard: heard,
            })
        };
        open().map_err(|error: anyhow::Error| classify(&error))
    }

    /// The vectors of texts, as one side of a search reads them.
    ///
    /// # Errors
    /// A model that does not exist, does not embed, or does not answer; a budget that is spent.
    pub fn encode(&self, side: Side, texts: &[&str]) -> Result<Embeddings, Failure> {
        if !self.embeds() {
            let message = format!("`{}` has no vectors: it compares words", self.name());
            return Err(Failure::invalid(message)
                .hint("a model that embeds is `local:FOLDER` or `hf:ORG/NAME`"));
        }
        let encoder = self.encoder()?;
        let done = self.pool.install(|| encoder.encode(side, texts));
        done.map_err(|error| classify(&error.into()))
    }

    /// The documents that it lists for each query, as rows of a run: query, document, rank and score. Equal scores are
    /// kept together, so a list may be longer than `depth`.
    ///
    /// # Errors
    /// As [`AskedModel::encode`]; ids that come twice.
    pub fn retrieve(
        &self,
        documents: Vec<(String, String)>,
        queries: Vec<(String, String)>,
        depth: u32,
    ) -> Result<Vec<RecordBatch>, Failure> {
        unique("document", &documents)?;
        unique("query", &queries)?;
        let kind = self.choice.system(Reading::Whole);
        let system = System::named(self.name(), "model", kind, depth)
            .map_err(|error| Failure::invalid(error.to_string()))?;
        let task = task(documents, queries);
        let note = |side: Side, cut: usize, of: usize| {
            if cut > 0 {
                self.console.note(&format!(
                    "warning: `{}` did not read {cut} of {of} texts ({side:?}) to their end",
                    self.name()
                ));
            }
        };
        let unknown = |documents: usize| {
            if documents > 0 {
                self.console.note(&format!(
                    "warning: {documents} of {} documents are in a language or for a processor that `{}` does not know",
                    task.documents.len(),
                    self.name()
                ));
            }
        };
        let asked = &Asked {
            system: system.name(),
            depth: system.depth(),
            task: &task,
            seed: 0,
            base: Path::new("."),
            progress: &|_, _, _| {},
            cut: &note,
            unknown: &unknown,
            stop: &|| self.console.is_stopped(),
        };
        let open = || -> anyhow::Result<_> { Ok(self.encoder()?) };
        let found = self.pool.install(|| self.choice.lists(open, asked));
        let found = found.map_err(|error| classify(&error))?;
        let lists = found.into_iter().next().unwrap_or_default();
        Ok(rows(&task, &lists))
    }

    /// Returns the requests so far: texts, tokens, dollars.
    pub fn usage(&self) -> Usage {
        let all = self.encoders.usage();
        all.get(self.name()).cloned().unwrap_or_default()
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.choice.name()
    }

    /// Everything that its vectors depend on.
    ///
    /// # Errors
    /// A model that does not exist.
    pub fn identity(&self) -> Result<String, Failure> {
        Ok(self.encoder()?.identity().to_owned())
    }

    /// Returns `true` if it has vectors; the others compare words, or bring lists.
    pub fn embeds(&self) -> bool {
        self.choice.encoder().is_some()
    }

    fn encoder(&self) -> Result<Arc<dyn Encoder>, Failure> {
        let spec = self.choice.clone().model(ModelError::cannot_embed);
        let model = RecipeModel {
            spec: spec.map_err(|error| classify(&error.into()))?,
            position: String::new(),
        };
        self.encoders.open(&model, Fetch::Allowed)
    }
}

fn unique(what: &str, texts: &[(String, String)]) -> Result<(), Failure> {
    let mut seen = std::collections::BTreeSet::new();
    match texts.iter().find(|(id, _)| !seen.insert(id)) {
        None => Ok(()),
        Some((id, _)) => Err(Failure::new(
            Exit::Invalid,
            format!("two texts have the {what} id `{id}`"),
        )),
    }
}

/// Documents and queries without judgments.
fn task(documents: Vec<(String, String)>, queries: Vec<(String, String)>) -> Task {
    let name = "texts".to_owned();
    Task {
        subset: Subset {
            name: name.clone(),
            kind: SubsetKind::default(),
            facets: Facets::default(),
        },
        title: name.clone(),
        split: "test".to_owned(),
        file: name,
        documents: documents
            .into_iter()
            .map(|(id, text)| TaskDocument {
                id,
                text,
                language: None,
                repository: None,
            })
            .collect(),
        queries: queries
            .into_iter()
            .map(|(id, text)| TaskQuery {
                id,
                text,
                leak: None,
            })
            .collect(),
        grades: std::collections::BTreeMap::new(),
        draws: vec![Drawn::Everyone],
        probe: None,
        matching: None,
    }
}
