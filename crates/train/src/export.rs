//! A trained encoder → a folder that barecode, sentence-transformers and transformers load as it is.
//!
//! The folder has the configuration and the tokenizer of the model that was trained, its weights under the same names, a
//! card, and `training.json` with everything about the training. `training.json` is written last: if it exists, the
//! folder is complete.
//!
//! This file converts nothing. Weights are in 32-bit floats whatever they were in.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use barecode_encoders::backward::Encoder;
use barecode_encoders::{LocalTokens, Usage};
use barecode_records::guarded;
use serde_json::{Map, Value, json};

use crate::TrainError;
use crate::checkpoint::write;
use crate::report::Report;
use crate::seen::{SEEN, Seen};

/// The file that describes the training.
pub(crate) const REPORT: &str = "training.json";

/// Endings of files that are configuration or tokenizer.
const COPIED: [&str; 4] = ["json", "txt", "model", "jinja"];

/// Files of these endings that are neither.
const LEFT: [&str; 5] = [
    REPORT,
    SEEN,
    "data_config.json",
    "model.safetensors.index.json",
    "train_script.txt",
];

/// The model and files of an export.
pub(crate) struct Export<'a> {
    pub(crate) model: &'a Path,
    pub(crate) usage: &'a Usage,
    pub(crate) tokens: &'a LocalTokens,
    pub(crate) weights: &'a Encoder,
    pub(crate) report: &'a Report,
    pub(crate) seen: Seen,
}

/// The last part of a path.
fn name_of(path: &Path) -> std::path::Display<'_> {
    Path::new(path.file_name().unwrap_or(path.as_os_str())).display()
}

impl Export<'_> {
    /// Writes the folder.
    pub(crate) fn write(&self, out: &Path) -> Result<(), TrainError> {
        fs::create_dir_all(out).map_err(TrainError::io("write", out))?;
        self.copy(out)?;
        let inside = self
            .usage
            .transformer
            .strip_prefix(self.model)
            .unwrap_or(Path::new(""));
        let transformer = out.join(inside);
        fs::create_dir_all(&transformer).map_err(TrainError::io("write", &transformer))?;
        write(
            &transformer.join("config.json"),
            &pretty(&Value::Object(self.config())),
        )?;
        if !self.usage.has_modules {
            self.write_modules(out)?;
        }
        self.write_prompts(out)?;
        self.write_length(&transformer)?;
        write(
            &transformer.join("model.safetensors"),
            &self.weights.to_bytes()?,
        )?;
        write(&out.join("README.md"), self.card().as_bytes())?;
        write(&out.join(SEEN), self.seen.lines().as_bytes())?;
        write(&out.join(REPORT), &pretty(&json!(self.report)))
    }

    /// Configuration and tokenizer, in the folder and in the folders of its modules.
    fn copy(&self, out: &Path) -> Result<(), TrainError> {
        for (from, to) in copied(self.model, out)? {
            if let Some(parent) = to.parent() {
                fs::create_dir_all(parent).map_err(TrainError::io("write", parent))?;
            }
            let bytes = guarded::read(&from).map_err(TrainError::io("read", &from))?;
            write(&to, &bytes)?;
        }
        Ok(())
    }

    /// `config.json`, with the entry that the weights are in 32 bits.
    fn config(&self) -> Map<String, Value> {
        let mut config = self.usage.config.clone();
        for key in ["torch_dtype", "dtype"] {
            if let Some(value) = config.get_mut(key) {
                *value = json!("float32");
            }
        }
        config
    }

    /// Writes the files that sentence-transformers needs, for a model that came without.
    fn write_modules(&self, out: &Path) -> Result<(), TrainError> {
        let module = |idx: usize, path: &str, kind: &str| json!({"idx": idx, "name": idx.to_string(), "path": path, "type": format!("sentence_transformers.models.{kind}")});
        let modules = json!([
            module(0, "", "Transformer"),
            module(1, "1_Pooling", "Pooling"),
            module(2, "2_Normalize", "Normalize")
        ]);
        write(&out.join("modules.json"), &pretty(&modules))?;
        let folder = out.join("1_Pooling");
        fs::create_dir_all(&folder).map_err(TrainError::io("write", &folder))?;
        let mut pooling = json!({"word_embedding_dimension": self.weights.width()});
        for (name, key) in [
            ("first", "cls_token"),
            ("mean", "mean_tokens"),
            ("max", "max_tokens"),
            ("mean-root", "mean_sqrt_len_tokens"),
            ("weighted-mean", "weightedmean_tokens"),
            ("last", "lasttoken"),
        ] {
            pooling[format!("pooling_mode_{key}")] = json!(self.weights.pooling().name() == name);
        }
        write(&folder.join("config.json"), &pretty(&pooling))?;
        Ok(())
    }

    /// Writes the prompts of queries and documents, which may be known from the authors' card alone.
    fn write_prompts(&self, out: &Path) -> Result<(), TrainError> {
        let path = out.join("config_sentence_transformers.json");
        let mut config = object(&path);
        let prompts = config
            .entry("prompts")
            .or_insert_with(|| json!({}))
            .as_object_mut();
        if let Some(prompts) = prompts {
            for (name, text) in ["query", "document"].into_iter().zip(self.tokens.prompts()) {
                if !text.is_empty() {
                    prompts.insert(name.to_owned(), json!(text));
                }
            }
        }
        config.entry("default_prompt_name").or_insert(Value::Null);
        config
            .entry("similarity_fn_name")
            .or_insert(json!("cosine"));
        write(&path, &pretty(&Value::Object(config)))
    }

    /// Writes the number of tokens of a text that were read, which users of the model must read too.
    fn write_length(&self, transformer: &Path) -> Result<(), TrainError> {
        let path = transformer.join("sentence_bert_config.json");
        let mut config = object(&path);
        config.insert("max_seq_length".to_owned(), json!(self.tokens.longest()));
        config.entry("do_lower_case").or_insert(json!(false));
        write(&path, &pretty(&Value::Object(config)))
    }

    fn card(&self) -> String {
        let report = self.report;
        let license = front_matter(&self.model.join("README.md"), "license");
        let mut card = String::from("---\n");
        if let Some(license) = &license {
            let _ = writeln!(card, "license: {license}");
        }
        let _ = write!(
            card,
            "library_name: sentence-transformers\npipeline_tag: sentence-similarity\nbase_model: {}\ntags:\n- sentence-transformers\n- feature-extraction\n- code-search\n- barecode\n---\n\n# {}, fine-tuned\n\nFine-tuned by barecode {} with InfoNCE and in-batch negatives.\n",
            quoted(&report.model),
            report.model,
            report.version,
        );
        match license {
            Some(license) => {
                let _ = writeln!(
                    card,
                    "The base model's license is {license}. The user must check that the training data allow this use."
                );
            }
            None => card.push_str("The base model states no license.\n"),
        }
        let options = &report.options;
        if options.described {
            let _ = writeln!(
                card,
                "\nDocuments were described in plain words before training (version {} of the rules), and must be described for use: `barecode eval --described`.",
                barecode_structural::VERSION,
            );
        }
        let _ = write!(
            card,
            "\n## Training data\n\n| | |\n| --- | --- |\n| pairs | {} (`{}`) |\n| dev pairs | {} |\n| texts cut at {} tokens | {} |\n",
            report.pairs,
            // A card is published: it has only the name of the file, not its path.
            name_of(Path::new(&report.data)),
            report.dev_pairs,
            self.tokens.longest(),
            report.truncated,
        );
        for (setting, count) in &report.settings {
            let _ = writeln!(card, "| pairs, {setting} | {count} |");
        }
        for (setting, dose) in &options.doses {
            let _ = writeln!(card, "| dose, {setting} | {dose} |");
        }
        for (reason, count) in &report.left_out {
            let _ = writeln!(card, "| left out: {reason} | {count} |");
        }
        for path in &options.exclude {
            let _ = writeln!(card, "| excluded | `{}` |", name_of(path));
        }
        card.push_str("\n## Hyperparameters\n\n| | |\n| --- | --- |\n");
        if let Value::Object(all) = json!(options) {
            for (name, value) in all
                .iter()
                .filter(|(name, _)| !["doses", "exclude", "save_every"].contains(&name.as_str()))
            {
                let _ = writeln!(card, "| {} | {value} |", name.replace('_', " "));
            }
        }
        card.push_str("| optimizer | AdamW, betas 0.9 and 0.999, eps 1e-8; no decay on biases and norms |\n| dropout | none |\n");
        let _ = writeln!(
            card,
            "| steps | {} |\n| numbers trained | {} |",
            report.steps, report.trained
        );
        if !report.dev.is_empty() {
            card.push_str(
                "\n## Dev split\n\n| epochs | nDCG@10 | loss |\n| ---: | ---: | ---: |\n",
            );
            for value in &report.dev {
                let _ = writeln!(
                    card,
                    "| {} | {:.4} | {:.4} |",
                    value.epoch, value.ndcg, value.loss
                );
            }
        }
        let _ = writeln!(
            card,
            "\nThe exported weights are those after step {}. `{REPORT}` has the loss of every step.",
            report.exported_step
        );
        card
    }
}

/// Files to copy, and their targets.
fn copied(model: &Path, out: &Path) -> Result<Vec<(PathBuf, PathBuf)>, TrainError> {
    let mut files = Vec::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(inside) = folders.pop() {
        let folder = model.join(&inside);
        let entries = fs::read_dir(&folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for entry in entries.map_err(TrainError::io("read", &folder))? {
            let (path, name) = (
                entry.path(),
                entry.file_name().to_string_lossy().into_owned(),
            );
            let is_module = name.starts_with(|c: char| c.is_ascii_digit());
            if path.is_dir() && is_module && inside.as_os_str().is_empty() {
                folders.push(PathBuf::from(name));
            } else if path.is_file()
                && !LEFT.contains(&name.as_str())
                && path
                    .extension()
                    .is_some_and(|ending| COPIED.iter().any(|known| ending == *known))
            {
                files.push((path, out.join(&inside).join(name)));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The object of a JSON file; an empty one if the file is missing.
fn object(path: &Path) -> Map<String, Value> {
    let bytes = guarded::read(path).unwrap_or_default();
    serde_json::from_slice(&bytes).unwrap_or_default()
}

fn pretty(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}

/// A text as a YAML string.
fn quoted(text: &str) -> String {
    json!(text).to_string()
}

/// A line of the front matter of a card.
fn front_matter(card: &Path, key: &str) -> Option<String> {
    let text = guarded::text(card).ok()?;
    let head = text.strip_prefix("---")?.split("\n---").next()?;
    let value = head
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    let value = value.trim();
    (!value.is_empty()).then(|| value.to_owned())
}
