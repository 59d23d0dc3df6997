//! A model's folder, in the layout of `save_pretrained` and the hub's cache.
//!
//! In comes a path, out come `config.json` behind methods that name file and key when they fail, and the settings of
//! sentence-transformers' files: pooling, dense layers, normalization, maximum length, prompts. The one hard thing is
//! that these files are optional and each may omit a setting, so every setting is an `Option` rather than a default;
//! the caller chooses the default.
//!
//! This file reads no weights.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use barecode_records::guarded;
use serde_json::{Map, Value};

use super::pooling;
use super::unusable;
use super::vector::{Activation, single};
use barecode_models::{ModelError, Pooling};

/// A JSON file with an object in it.
pub(super) fn read_json(path: &Path) -> Result<Map<String, Value>, ModelError> {
    let bytes = guarded::read(path).map_err(ModelError::io("read", path))?;
    serde_json::from_slice(&bytes).map_err(|error| {
        // serde_json puts line and column at the end of its message.
        unusable(
            format!("`{}` is not a JSON object: {error}", path.display()),
            Some("the download may be incomplete"),
        )
    })
}

/// `config.json`.
pub(super) struct Config {
    path: PathBuf,
    values: Map<String, Value>,
}

impl Config {
    pub(super) fn read(path: PathBuf) -> Result<Self, ModelError> {
        let values = read_json(&path)?;
        Ok(Config { path, values })
    }

    /// The file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The value of a key; JSON's null counts as missing.
    pub(super) fn value(&self, key: &str) -> Option<&Value> {
        self.values.get(key).filter(|value| !value.is_null())
    }

    /// The error for a value that is not known.
    pub(super) fn refuse(&self, key: &str, value: &str, expected: &str) -> ModelError {
        unusable(
            format!(
                "`{key}` in `{}` is `{value}`, expected {expected}",
                self.path.display()
            ),
            None,
        )
    }

    fn wrong(&self, key: &str, expected: &str) -> ModelError {
        match self.value(key) {
            Some(value) => self.refuse(key, &value.to_string(), expected),
            None => unusable(
                format!(
                    "`{}` has no `{key}`, expected {expected}",
                    self.path.display()
                ),
                None,
            ),
        }
    }

    /// A size: a whole number from 1 up.
    pub(super) fn size(&self, key: &str) -> Result<usize, ModelError> {
        self.value(key)
            .and_then(Value::as_u64)
            .and_then(|value| usize::try_from(value).ok())
            .filter(|&value| value > 0 && value < 1 << 31)
            .ok_or_else(|| self.wrong(key, "a whole number from 1 up"))
    }

    /// A size, or this one if the key is missing.
    pub(super) fn size_or(&self, key: &str, default: usize) -> Result<usize, ModelError> {
        match self.value(key) {
            Some(_) => self.size(key),
            None => Ok(default),
        }
    }

    /// A size under the first of two names, else under the second.
    pub(super) fn either(&self, key: &str, other: &str) -> Result<usize, ModelError> {
        self.size(if self.value(key).is_some() {
            key
        } else {
            other
        })
    }

    /// The position of RoBERTa's first token: behind the padding's.
    pub(super) fn first_place(&self) -> usize {
        self.value("pad_token_id")
            .and_then(Value::as_u64)
            .and_then(|id| usize::try_from(id).ok())
            .map_or(2, |id| id.saturating_add(1))
    }

    /// A number, or this one if the key is missing.
    pub(super) fn number_or(&self, key: &str, default: f64) -> Result<f64, ModelError> {
        match self.value(key) {
            Some(value) => value.as_f64().ok_or_else(|| self.wrong(key, "a number")),
            None => Ok(default),
        }
    }

    /// The small number of a norm.
    pub(super) fn epsilon(&self, key: &str, default: f64) -> Result<f32, ModelError> {
        Ok(single(self.number_or(key, default)?))
    }

    /// True or false, or this if the key is missing.
    pub(super) fn flag_or(&self, key: &str, default: bool) -> Result<bool, ModelError> {
        match self.value(key) {
            Some(value) => value
                .as_bool()
                .ok_or_else(|| self.wrong(key, "true or false")),
            None => Ok(default),
        }
    }

    /// A word, or this one if the key is missing.
    pub(super) fn word_or<'a>(
        &'a self,
        key: &str,
        default: &'a str,
    ) -> Result<&'a str, ModelError> {
        match self.value(key) {
            Some(value) => value.as_str().ok_or_else(|| self.wrong(key, "a string")),
            None => Ok(default),
        }
    }

    /// An activation by its name.
    pub(super) fn activation(&self, key: &str, default: &str) -> Result<Activation, ModelError> {
        let name = self.word_or(key, default)?;
        Activation::named(name)
            .ok_or_else(|| self.refuse(key, name, "gelu, gelu_new, silu, relu or tanh"))
    }

    /// Returns true if a layer sees only near tokens, by `layer_types`, or this default if the key is missing.
    pub(super) fn is_near(&self, layer: usize, default: bool) -> Result<bool, ModelError> {
        let Some(kinds) = self.value("layer_types").and_then(Value::as_array) else {
            return Ok(default);
        };
        match kinds.get(layer).and_then(Value::as_str) {
            Some("sliding_attention") => Ok(true),
            Some("full_attention") => Ok(false),
            _ => Err(self.wrong(
                "layer_types",
                "`full_attention` or `sliding_attention` for every layer",
            )),
        }
    }

    /// Sizes that divide each other, as heads and width must.
    pub(super) fn divide(&self, whole: usize, key: &str) -> Result<usize, ModelError> {
        let parts = self.size(key)?;
        self.divided(whole, key, parts)
    }

    /// The number of heads of this width together, under either of its two names, and the size of each.
    pub(super) fn heads(&self, width: usize) -> Result<(usize, usize), ModelError> {
        let heads = self.either("num_attention_heads", "n_head")?;
        Ok((heads, self.divided(width, "n_head", heads)?))
    }

    fn divided(&self, whole: usize, key: &str, parts: usize) -> Result<usize, ModelError> {
        if whole.is_multiple_of(parts) {
            Ok(whole / parts)
        } else {
            Err(self.refuse(key, &parts.to_string(), &format!("a divisor of {whole}")))
        }
    }
}

/// A dense layer behind the pooling.
pub(super) struct DenseFiles {
    pub(super) weights: PathBuf,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) bias: bool,
    pub(super) activation: Activation,
}

/// A model's folder.
pub(super) struct Folder {
    /// The folder of `config.json` and the weights.
    pub(super) transformer: PathBuf,
    pub(super) config: Config,
    pub(super) pooling: Option<Pooling>,
    pub(super) dense: Vec<DenseFiles>,
    /// True if vectors are brought to length 1; `None` without a `modules.json`.
    pub(super) normalize: Option<bool>,
    pub(super) max_length: Option<usize>,
    pub(super) lower_case: bool,
    pub(super) query_prompt: Option<String>,
    pub(super) document_prompt: Option<String>,
}

impl Folder {
    /// Reads everything but weights and tokenizer.
    pub(super) fn read(path: &Path) -> Result<Self, ModelError> {
        if !path.is_dir() {
            return Err(unusable(
                format!("no folder `{}`", path.display()),
                Some(
                    "a local model is a folder with `config.json`, `tokenizer.json` and `model.safetensors`",
                ),
            ));
        }
        let mut transformer = path.to_owned();
        let (mut pooling, mut dense, mut normalize) = (None, Vec::new(), None);
        let list = path.join("modules.json");
        if list.is_file() {
            normalize = Some(false);
            for (kind, folder) in modules(&list)? {
                let folder = path.join(folder);
                match kind.as_str() {
                    "Transformer" => transformer = folder,
                    "Pooling" => pooling = Some(read_pooling(&folder.join("config.json"))?),
                    "Dense" => dense.push(read_dense(&folder)?),
                    "Normalize" => normalize = Some(true),
                    "Dropout" => {}
                    other => {
                        return Err(unusable(
                            format!("`{}` has a module of kind `{other}`", list.display()),
                            Some(
                                "known kinds are Transformer, Pooling, Dense, Normalize and Dropout",
                            ),
                        ));
                    }
                }
            }
        }
        let config_path = transformer.join("config.json");
        if !config_path.is_file() {
            return Err(unusable(
                format!("`{}` has no `config.json`", transformer.display()),
                Some(
                    "name a folder as `save_pretrained` or the hub's cache (`snapshots/…`) lays it out",
                ),
            ));
        }
        let mut folder = Folder {
            config: Config::read(config_path)?,
            transformer,
            pooling,
            dense,
            normalize,
            max_length: None,
            lower_case: false,
            query_prompt: None,
            document_prompt: None,
        };
        folder.read_limits()?;
        folder.read_prompts(&path.join("config_sentence_transformers.json"))?;
        Ok(folder)
    }

    fn read_limits(&mut self) -> Result<(), ModelError> {
        let path = self.transformer.join("sentence_bert_config.json");
        if path.is_file() {
            let config = Config::read(path)?;
            if config.value("max_seq_length").is_some() {
                self.max_length = Some(config.size("max_seq_length")?);
            }
            self.lower_case = config.flag_or("do_lower_case", false)?;
        }
        let path = self.transformer.join("tokenizer_config.json");
        if self.max_length.is_none() && path.is_file() {
            // Files without a limit have a number of thirty digits in this field.
            self.max_length = Config::read(path)?
                .value("model_max_length")
                .and_then(Value::as_u64)
                .and_then(|length| usize::try_from(length).ok())
                .filter(|&length| length > 0 && length < 1 << 24);
        }
        Ok(())
    }

    fn read_prompts(&mut self, path: &Path) -> Result<(), ModelError> {
        if !path.is_file() {
            return Ok(());
        }
        let config = Config::read(path.to_owned())?;
        let prompts: BTreeMap<&str, &str> = config
            .value("prompts")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .filter_map(|(name, text)| Some((name.as_str(), text.as_str()?)))
            .collect();
        let usual = config
            .value("default_prompt_name")
            .and_then(Value::as_str)
            .and_then(|name| prompts.get(name));
        let find = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| prompts.get(name))
                .or(usual)
                .filter(|text| !text.is_empty())
                .map(|&text| text.to_owned())
        };
        self.query_prompt = find(&["query"]);
        self.document_prompt = find(&["document", "passage", "corpus"]);
        Ok(())
    }
}

/// Kinds and folders of the modules, in order.
fn modules(path: &Path) -> Result<Vec<(String, String)>, ModelError> {
    let wrong = |what: &str| unusable(format!("`{}` {what}", path.display()), None);
    let bytes = guarded::read(path).map_err(ModelError::io("read", path))?;
    let list: Vec<Map<String, Value>> = serde_json::from_slice(&bytes)
        .map_err(|error| wrong(&format!("is not a list of modules: {error}")))?;
    list.iter()
        .map(|module| {
            let word = |key| module.get(key).and_then(Value::as_str);
            let kind = word("type").ok_or_else(|| wrong("has a module without `type`"))?;
            let folder = word("path").ok_or_else(|| wrong("has a module without `path`"))?;
            if folder.contains("..") || folder.starts_with('/') {
                return Err(wrong(&format!(
                    "names `{folder}`, which is outside the folder"
                )));
            }
            let kind = kind.rsplit('.').next().unwrap_or(kind);
            Ok((kind.to_owned(), folder.to_owned()))
        })
        .collect()
}

fn read_pooling(path: &Path) -> Result<Pooling, ModelError> {
    let config = Config::read(path.to_owned())?;
    if !config.flag_or("include_prompt", true)? {
        return Err(config.refuse("include_prompt", "false", "true: prompts are always pooled"));
    }
    if let Some(name) = config.value("pooling_mode").and_then(Value::as_str) {
        return pooling::named(name).ok_or_else(|| {
            config.refuse(
                "pooling_mode",
                name,
                "cls, mean, max, lasttoken, weightedmean or mean_sqrt_len_tokens",
            )
        });
    }
    let known = [
        ("pooling_mode_cls_token", Pooling::First),
        ("pooling_mode_mean_tokens", Pooling::Mean),
        ("pooling_mode_max_tokens", Pooling::Max),
        ("pooling_mode_mean_sqrt_len_tokens", Pooling::MeanRoot),
        ("pooling_mode_weightedmean_tokens", Pooling::WeightedMean),
        ("pooling_mode_lasttoken", Pooling::Last),
    ];
    let mut chosen = Vec::new();
    for (key, pooling) in known {
        if config.flag_or(key, false)? {
            chosen.push(pooling);
        }
    }
    match chosen[..] {
        [pooling] => Ok(pooling),
        _ => Err(unusable(
            format!(
                "`{}` chooses {} ways of pooling, expected one",
                path.display(),
                chosen.len()
            ),
            None,
        )),
    }
}

fn read_dense(folder: &Path) -> Result<DenseFiles, ModelError> {
    let config = Config::read(folder.join("config.json"))?;
    let name = config.word_or("activation_function", "torch.nn.modules.linear.Identity")?;
    let short = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let activation = Activation::named(&short).ok_or_else(|| {
        config.refuse(
            "activation_function",
            name,
            "Identity, Tanh, GELU, ReLU or SiLU",
        )
    })?;
    Ok(DenseFiles {
        weights: folder.join("model.safetensors"),
        inputs: config.size("in_features")?,
        outputs: config.size("out_features")?,
        bias: config.flag_or("bias", true)?,
        activation,
    })
}
