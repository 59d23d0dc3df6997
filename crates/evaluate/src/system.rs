//! A system as it was requested, every default spelled out: a `[[retriever]]` of a recipe, or a model of `eval` with
//! the treatment of its lists.

use std::path::{Path, PathBuf};

use barecode_models::Dtype;
use barecode_records::{Digest, Language};
use barecode_retrieval::Knows;
use serde::Deserialize;

use crate::error::EvaluateError;
use crate::files::{run_file, vector_file};
use crate::options::spelled;
use crate::reading::{Reading, unknown};
use crate::task::Task;
use label::label;
use wire::Wire;

mod fusion;
mod kind;
mod system_error;
mod label;
mod wire;

pub use fusion::FusionConfig;
pub use kind::{Dense, RerankedBy, SystemKind, VectorOptions};
pub use label::label_of_model;
pub use system_error::SystemError;

/// Number of documents in a list unless another depth is requested.
pub const DEFAULT_DEPTH: u32 = 1000;

/// Number of documents of a list that are reranked unless another number is requested.
pub const RERANK_DEPTH: u32 = 100;

/// A system that is evaluated under one name.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Wire")]
pub struct System {
    name: String,
    folder: String,
    depth: u32,
    kind: SystemKind,
}

impl System {
    /// A `[[retriever]]`; without a name it gets its label. The name is also the name of its folder.
    ///
    /// ```
    /// use barecode_evaluate::{Choice, Reading, System};
    /// let choice: Choice = "bm25:tokenizer=plain".parse().unwrap();
    /// let system = System::new(None, choice.system(Reading::Whole), 1000).unwrap();
    /// assert_eq!(system.name(), "bm25-plain");
    /// ```
    ///
    /// # Errors
    /// If the name cannot be a file's name, or numbers are out of their range.
    pub fn new(name: Option<String>, kind: SystemKind, depth: u32) -> Result<Self, SystemError> {
        let name = name.unwrap_or_else(|| label(&kind));
        if !is_file_name(&name) {
            return Err(SystemError::bad_name(&name));
        }
        System::named(&name, &name, kind, depth)
    }

    /// A system under any name, with a folder of its own.
    ///
    /// # Errors
    /// If numbers are out of their range.
    pub fn named(
        name: &str,
        folder: &str,
        kind: SystemKind,
        depth: u32,
    ) -> Result<Self, SystemError> {
        if kind.vectors().and_then(|vectors| vectors.dimensions) == Some(0) {
            return Err(SystemError::zero("dimensions"));
        }
        if depth == 0 {
            return Err(SystemError::zero("depth"));
        }
        if let SystemKind::Fused { of, how } = &kind {
            if of.len() < 2 {
                let message = "one system's lists cannot be fused";
                return Err(SystemError(message.to_owned()));
            }
            if !how.weights().is_empty() && how.weights().len() != of.len() {
                let message = format!(
                    "`{}` has {} weights for {} systems",
                    how.method_name(),
                    how.weights().len(),
                    of.len()
                );
                return Err(SystemError(message));
            }
        }
        Ok(System {
            name: name.to_owned(),
            folder: folder.to_owned(),
            depth,
            kind,
        })
    }

    /// The name in tables and reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name of its folder.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns the number of documents that a list has, a group of equal scores at the end being kept whole; of a
    /// reranked system, the number of documents that the reranker sees.
    pub fn depth(&self) -> usize {
        self.depth as usize
    }

    /// The same with lists of another depth.
    #[must_use]
    pub fn with_depth(&self, depth: usize) -> Self {
        System {
            depth: u32::try_from(depth).unwrap_or(u32::MAX),
            ..self.clone()
        }
    }

    /// The same with lists that come from elsewhere.
    ///
    /// # Errors
    /// As [`System::named`].
    pub fn with_kind(&self, kind: SystemKind) -> Result<Self, SystemError> {
        System::named(&self.name, &self.folder, kind, self.depth)
    }

    /// The source of its lists.
    pub fn kind(&self) -> &SystemKind {
        &self.kind
    }

    /// The options of vectors, if it embeds texts.
    pub fn dense(&self) -> Option<&Dense> {
        match &self.kind {
            SystemKind::Dense(dense) => Some(dense),
            _ => None,
        }
    }

    /// The model that it uses, as it was named.
    pub fn model(&self) -> Option<&str> {
        match &self.kind {
            SystemKind::Dense(Dense { model, .. })
            | SystemKind::Reranked {
                by: RerankedBy::Model(model),
                ..
            }
            | SystemKind::Chat { model, .. } => Some(model),
            _ => None,
        }
    }

    /// The short form of a retriever without a model, every option spelled out: `bm25:form=lucene,tokenizer=code,…`.
    pub fn spelled(&self) -> Option<String> {
        match &self.kind {
            SystemKind::Retriever(retriever) => spelled(&**retriever),
            _ => None,
        }
    }

    /// Returns `true` if it knows the language or the processor of any document of a task, where it reads languages.
    pub fn reads_some_of(&self, task: &Task) -> bool {
        self.knows().is_none_or(|knows| {
            task.documents.is_empty() || unknown(task, knows) < task.documents.len()
        })
    }

    /// Returns `true` if it knows the language or the processor of every document of a task.
    pub fn reads_all_of(&self, task: &Task) -> bool {
        self.knows().is_none_or(|knows| unknown(task, knows) == 0)
    }

    /// Returns `true` if it reads source code of a language.
    pub fn reads(&self, language: Language) -> bool {
        self.knows().is_none_or(|knows| knows("", Some(language)))
    }

    fn knows(&self) -> Option<Knows> {
        match &self.kind {
            SystemKind::Retriever(retriever) => retriever.knows(),
            _ => None,
        }
    }

    /// Returns `true` if it shows the scores of chance.
    pub fn is_chance(&self) -> bool {
        matches!(&self.kind, SystemKind::Retriever(retriever) if retriever.is_chance())
    }

    /// The names of the systems whose lists it is made of.
    pub fn parts(&self) -> &[String] {
        match &self.kind {
            SystemKind::Fused { of, .. } => of,
            SystemKind::Reranked { of, .. } => std::slice::from_ref(of),
            _ => &[],
        }
    }

    /// A digest of everything in it that changes a result.
    ///
    /// The name is part of it only where it enters a seed: renaming a BM25 keeps its runs valid. Not part of it are
    /// the [identity](barecode_models::Encoder::identity) of a model, the lists of [parts](System::parts) and the
    /// content of [files](System::files); each has to be given beside the digest.
    pub fn digest(&self) -> String {
        let digest = Digest::new("retriever").field(self.depth.to_le_bytes());
        let vectors = |digest: Digest, vectors: &VectorOptions| {
            digest
                .field(vectors.similarity.name())
                .field(vectors.dtype.unwrap_or(Dtype::Float32).name())
                .field(vectors.dimensions.unwrap_or(0).to_le_bytes())
        };
        let digest = match &self.kind {
            SystemKind::Retriever(retriever) => {
                retriever.add_to(digest.field(retriever.kind()), &self.name)
            }
            SystemKind::Dense(dense) => {
                let digest = vectors(digest.field("dense"), &dense.vectors);
                match dense.reading {
                    Reading::Whole => digest,
                    // Descriptions change with the version that has the rules.
                    Reading::Described => digest
                        .field("described")
                        .field(barecode_structural::VERSION.to_le_bytes()),
                    reading => digest.field(format!("{reading:?}")),
                }
            }
            SystemKind::Vectors {
                vectors: options, ..
            } => vectors(digest.field("vectors"), options),
            SystemKind::Run(_) => digest.field("run"),
            SystemKind::Fused { how, .. } => digest
                .field("fused")
                .field(how.method_name())
                .fields(how.weights().iter().map(|weight| weight.to_le_bytes())),
            SystemKind::Reranked { by, .. } => match by {
                RerankedBy::Model(_) => digest.field("reranked"),
                RerankedBy::Retriever(retriever) => {
                    let by = format!("reranked by {}", retriever.kind());
                    retriever.add_to(digest.field(by), &self.name)
                }
            },
            SystemKind::Chat { max_tokens, .. } => {
                digest.field("chat").field(max_tokens.to_le_bytes())
            }
            SystemKind::Labels(_) => digest.field("labels"),
        };
        digest.hex()
    }

    /// The files that its lists for the task of this name are made from; `base` is the folder that their paths are
    /// relative to.
    ///
    /// # Errors
    /// If a folder has no vectors for the task.
    pub fn files(&self, base: &Path, task: &str) -> Result<Vec<PathBuf>, EvaluateError> {
        Ok(match &self.kind {
            SystemKind::Retriever(retriever) => {
                let file = retriever.file();
                file.map(|file| base.join(file)).into_iter().collect()
            }
            SystemKind::Vectors { path, .. } => {
                let path = &base.join(path);
                let mut files = vec![
                    vector_file(path, task, "documents")?,
                    vector_file(path, task, "queries")?,
                ];
                files.dedup();
                files
            }
            SystemKind::Run(path) | SystemKind::Labels(path) => {
                vec![run_file(&base.join(path), task)]
            }
            _ => Vec::new(),
        })
    }
}

/// The line below a table of scores: the options of retrievers, where their names do not show them.
pub fn options_of(systems: &[System]) -> Option<String> {
    let of_system = |system: &System| Some(format!("{} = {}", system.name, system.spelled()?));
    let options: Vec<String> = systems.iter().filter_map(of_system).collect();
    (!options.is_empty()).then(|| format!("options: {}", options.join("; ")))
}

/// Checks that every system comes after those that it is made of.
///
/// # Errors
/// The index of the first that does not, with a message.
pub fn check_references(systems: &[System]) -> Result<(), (usize, String)> {
    for (at, system) in systems.iter().enumerate() {
        let before = &systems[..at];
        for part in system.parts() {
            if !before.iter().any(|other| other.name == *part) {
                let message = format!(
                    "`{}` is made of `{part}`, and no retriever before it has this name",
                    system.name
                );
                return Err((at, message));
            }
        }
    }
    Ok(())
}

fn is_file_name(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    (1..=64).contains(&name.len())
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use barecode_retrieval::{Bm25, Lexical, Random, Similarity};

    use super::*;

    fn bm25(options: Bm25) -> System {
        let tokenizer = None;
        let retriever = Arc::new(Lexical { options, tokenizer });
        System::new(None, SystemKind::Retriever(retriever), DEFAULT_DEPTH).unwrap()
    }

    fn random() -> SystemKind {
        SystemKind::Retriever(Arc::new(Random))
    }

    fn whole(model: &str) -> Dense {
        Dense {
            model: model.to_owned(),
            vectors: VectorOptions::default(),
            reading: Reading::Whole,
        }
    }

    #[test]
    fn labels_name_what_differs_from_the_defaults() {
        let dense = |dense: Dense| {
            let made = System::new(None, SystemKind::Dense(dense), 10);
            made.unwrap().name().to_owned()
        };
        for (model, name) in [
            ("hf:intfloat/e5-base-v2@main", "e5-base-v2-main"),
            ("voyage:voyage-code-3", "voyage-code-3"),
            ("openai+http://localhost:8000/v1#BAAI/bge-m3", "bge-m3"),
            ("local:models/mini/", "mini"),
            ("process:python3 embed.py", "embed.py"),
            ("code", "code"),
            ("::", "dense"),
        ] {
            assert_eq!(dense(whole(model)), name, "{model}");
        }
        let small = Dense {
            vectors: VectorOptions {
                similarity: Similarity::Dot,
                dtype: Some(Dtype::Int8),
                dimensions: Some(256),
            },
            ..whole("voyage:voyage-code-3")
        };
        assert_eq!(dense(small), "voyage-code-3-dot-int8-256");
    }

    #[test]
    fn names_that_could_leave_the_folder_are_refused() {
        for name in [
            "",
            "..",
            ".hidden",
            "-x",
            "a/b",
            "a b",
            "ü",
            "a\\b",
            &"x".repeat(65),
        ] {
            let made = System::new(Some(name.to_owned()), random(), 1);
            assert_eq!(made.unwrap_err(), SystemError::bad_name(name));
        }
        assert!(System::new(Some("a.B_c-9".to_owned()), random(), 1).is_ok());
    }

    #[test]
    fn a_depth_of_nothing_is_refused() {
        let error = System::new(None, random(), 0).unwrap_err();
        assert!(error.to_string().contains("`depth` is 0"), "{error}");
    }

    #[test]
    fn the_digest_follows_what_changes_a_result() {
        let usual = bm25(Bm25::default());
        let renamed = System::new(
            Some("other".to_owned()),
            usual.kind().clone(),
            DEFAULT_DEPTH,
        )
        .unwrap();
        assert_eq!(renamed.digest(), usual.digest());
        let shallow = System::new(None, usual.kind().clone(), 10).unwrap();
        assert_ne!(shallow.digest(), usual.digest());
        let named = |name: &str| {
            System::new(Some(name.to_owned()), random(), 1)
                .unwrap()
                .digest()
        };
        assert_ne!(named("a"), named("b"));
        let dense = |options: Dense| {
            System::new(None, SystemKind::Dense(options), 1)
                .unwrap()
                .digest()
        };
        let usual = whole("a");
        assert_eq!(dense(usual.clone()), dense(whole("b")));
        let with = |vectors| Dense {
            vectors,
            ..usual.clone()
        };
        let stored = |dtype| VectorOptions {
            dtype: Some(dtype),
            ..VectorOptions::default()
        };
        assert_eq!(dense(usual.clone()), dense(with(stored(Dtype::Float32))));
        let others = [
            stored(Dtype::Int8),
            VectorOptions {
                similarity: Similarity::Euclid,
                ..VectorOptions::default()
            },
            VectorOptions {
                dimensions: Some(2),
                ..VectorOptions::default()
            },
        ];
        let mut all: Vec<String> = others.into_iter().map(|one| dense(with(one))).collect();
        let readings = [Reading::Canonical, Reading::Averaged(2), Reading::Described];
        all.extend(readings.map(|reading| {
            dense(Dense {
                reading,
                ..usual.clone()
            })
        }));
        all.push(dense(usual));
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 7);
    }

    #[test]
    fn a_system_stands_after_those_it_is_made_of() {
        let named = |name: &str, kind| System::new(Some(name.to_owned()), kind, 10).unwrap();
        let fused = |of: [&str; 2]| SystemKind::Fused {
            of: of.map(str::to_owned).to_vec(),
            how: "rrf".parse().unwrap(),
        };
        let (a, b) = (named("a", random()), named("b", random()));
        let systems = [a.clone(), b.clone(), named("c", fused(["a", "b"]))];
        assert_eq!(check_references(&systems), Ok(()));
        let (at, message) = check_references(&[a, named("c", fused(["a", "b"])), b]).unwrap_err();
        assert!(
            at == 1 && message.contains("`c` is made of `b`"),
            "{message}"
        );
    }
}
