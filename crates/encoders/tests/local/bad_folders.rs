//! Folders that are not what they should be: the message says what, where, and what to do.

use std::path::{Path, PathBuf};

use barecode_encoders::{LocalEncoder, LocalOptions, LocalReranker};
use barecode_models::{Encoder, ModelError, Pooling, Side};

/// A copy of a checkpoint that a test may break.
struct Copy(tempfile::TempDir);

impl Copy {
    fn of(name: &str) -> Self {
        let source = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/checkpoints")
            .join(name);
        let folder = tempfile::tempdir().unwrap();
        for entry in std::fs::read_dir(source).unwrap() {
            let entry = entry.unwrap();
            std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
        Copy(folder)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn remove(self, name: &str) -> Self {
        std::fs::remove_file(self.file(name)).unwrap();
        self
    }

    fn replace(self, name: &str, from: &str, to: &str) -> Self {
        let text = std::fs::read_to_string(self.file(name)).unwrap();
        assert!(text.contains(from), "{name} has no {from}");
        std::fs::write(self.file(name), text.replace(from, to)).unwrap();
        self
    }

    fn write(self, name: &str, text: &str) -> Self {
        std::fs::create_dir_all(self.file(name).parent().unwrap()).unwrap();
        std::fs::write(self.file(name), text).unwrap();
        self
    }

    fn error(&self) -> String {
        match LocalEncoder::load(self.0.path(), &LocalOptions::default()) {
            Ok(_) => panic!("the folder was read"),
            Err(error) => said(&error),
        }
    }
}

/// The message, and what to do about it.
fn said(error: &ModelError) -> String {
    let hint = error.hint().map(|hint| format!("\nhint: {hint}"));
    format!("{error}{}", hint.unwrap_or_default())
}

fn assert_says(error: &str, parts: &[&str]) {
    for part in parts {
        assert!(error.contains(part), "`{part}` is missing in: {error}");
    }
}

#[test]
fn what_is_missing_is_named() {
    assert_says(
        &Copy::of("bert").remove("model.safetensors").error(),
        &["has no weights", "hint: "],
    );
    let pickled = Copy::of("bert")
        .remove("model.safetensors")
        .write("pytorch_model.bin", "");
    assert_says(
        &pickled.error(),
        &["hint: `pytorch_model.bin` is not read, because unpickling runs code"],
    );
    assert_says(
        &Copy::of("bert").remove("config.json").error(),
        &["has no `config.json`", "hint: "],
    );
    assert_says(
        &Copy::of("bert").remove("tokenizer.json").error(),
        &["has no `tokenizer.json`", "hint: "],
    );
    let shard = Copy::of("roberta").remove("model-00002-of-00002.safetensors");
    assert_says(
        &shard.error(),
        &[
            "model-00002-of-00002.safetensors",
            "which is not in the folder",
        ],
    );
    let nowhere = LocalEncoder::load(Path::new("no/such/folder"), &LocalOptions::default());
    assert_says(
        &said(&nowhere.err().unwrap()),
        &["no folder `no/such/folder`", "hint: "],
    );
}

#[test]
fn what_does_not_fit_is_named() {
    let other = Copy::of("bert").replace(
        "config.json",
        "\"model_type\": \"bert\"",
        "\"model_type\": \"mamba\"",
    );
    assert_says(
        &other.error(),
        &["`model_type`", "is `mamba`", "hint: known are bert"],
    );
    let deeper = Copy::of("bert").replace(
        "config.json",
        "\"num_hidden_layers\": 2",
        "\"num_hidden_layers\": 3",
    );
    assert_says(
        &deeper.error(),
        &[
            "has no tensor `encoder.layer.2.attention.self.query.weight`",
            "hint: ",
        ],
    );
    let flatter = Copy::of("bert").replace(
        "config.json",
        "\"num_hidden_layers\": 2",
        "\"num_hidden_layers\": 1",
    );
    assert_says(
        &flatter.error(),
        &[
            "has 16 tensors that its architecture does not have",
            "`encoder.layer.1.",
            "hint: ",
        ],
    );
    let narrower = Copy::of("bert").replace(
        "config.json",
        "\"intermediate_size\": 48",
        "\"intermediate_size\": 40",
    );
    assert_says(
        &narrower.error(),
        &["has shape [48, 32], expected [40, 32]", "hint: "],
    );
    let heads = Copy::of("bert").replace(
        "config.json",
        "\"num_attention_heads\": 4",
        "\"num_attention_heads\": 5",
    );
    assert_says(
        &heads.error(),
        &["`num_attention_heads`", "is `5`, expected a divisor of 32"],
    );
    let activation = Copy::of("bert").replace("config.json", "\"gelu\"", "\"glu\"");
    assert_says(
        &activation.error(),
        &["`hidden_act`", "is `glu`, expected gelu"],
    );
    let turned = Copy::of("qwen2").replace(
        "config.json",
        "\"rope_type\": \"default\"",
        "\"rope_type\": \"yarn\"",
    );
    assert_says(
        &turned.error(),
        &[
            "`rope_parameters`",
            "is `yarn`, expected `default` or `linear`",
        ],
    );
    let words = Copy::of("bert").replace("tokenizer.json", "\"<unk>\": 3", "\"<unk>\": 999");
    assert_says(
        &words.error(),
        &[
            "has ids up to 999, but the model knows 280 tokens",
            "hint: ",
        ],
    );
}

#[test]
fn what_is_broken_is_named() {
    let copy = Copy::of("bert");
    let whole = std::fs::read(copy.file("model.safetensors")).unwrap();
    std::fs::write(copy.file("model.safetensors"), &whole[..whole.len() / 2]).unwrap();
    assert_says(
        &copy.error(),
        &[
            "is not a complete safetensors file",
            "hint: the download may be incomplete",
        ],
    );
    std::fs::write(copy.file("model.safetensors"), "").unwrap();
    assert!(matches!(
        LocalEncoder::load(copy.0.path(), &LocalOptions::default()),
        Err(ModelError::Unusable { .. } | ModelError::Io { .. })
    ));
    assert_says(
        &Copy::of("bert")
            .write("config.json", "{\n \"a\": ,\n}")
            .error(),
        &["is not a JSON object", "line 2 column 7"],
    );
    assert_says(
        &Copy::of("bert").write("tokenizer.json", "{}").error(),
        &["is not a tokenizer"],
    );
    let modules = r#"[{"path": "", "type": "sentence_transformers.models.CLIPModel"}]"#;
    assert_says(
        &Copy::of("bert").write("modules.json", modules).error(),
        &["has a module of kind `CLIPModel`"],
    );
    let escape = r#"[{"path": "../other", "type": "sentence_transformers.models.Transformer"}]"#;
    assert_says(
        &Copy::of("bert").write("modules.json", escape).error(),
        &["names `../other`, which is outside"],
    );
}

#[test]
fn options_that_cannot_be_are_named() {
    let folder = Copy::of("bert");
    let error = |options: LocalOptions| {
        LocalEncoder::load(folder.0.path(), &options)
            .err()
            .unwrap()
            .to_string()
    };
    let usual = LocalOptions::default();
    assert_says(
        &error(LocalOptions {
            dimensions: Some(33),
            ..usual.clone()
        }),
        &["33 dimensions", "it has 32"],
    );
    assert_says(
        &error(LocalOptions {
            max_length: Some(1),
            ..usual.clone()
        }),
        &["maximum length"],
    );
    assert_says(
        &error(LocalOptions {
            end: Some("<none>".to_owned()),
            ..usual
        }),
        &["has no token `<none>`"],
    );
    let reranker = LocalReranker::load(Copy::of("qwen2").0.path(), None).err();
    assert_says(
        &said(&reranker.unwrap()),
        &["is `qwen2`, which has no head that scores pairs", "hint: "],
    );
}

#[test]
fn files_of_sentence_transformers_are_honored() {
    let pooling = r#"{"word_embedding_dimension": 32, "pooling_mode_max_tokens": true, "pooling_mode_mean_tokens": false}"#;
    let modules = r#"[
        {"path": "", "type": "sentence_transformers.models.Transformer"},
        {"path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}
    ]"#;
    let prompts = r#"{"prompts": {"query": "q: ", "passage": "p: "}, "default_prompt_name": null}"#;
    let folder = Copy::of("bert")
        .write("modules.json", modules)
        .write("1_Pooling/config.json", pooling)
        .write(
            "sentence_bert_config.json",
            r#"{"max_seq_length": 9, "do_lower_case": true}"#,
        )
        .write("config_sentence_transformers.json", prompts);
    let encoder = LocalEncoder::load(folder.0.path(), &LocalOptions::default()).unwrap();
    let plain = Copy::of("bert");
    let options = LocalOptions {
        pooling: Some(Pooling::Max),
        normalize: Some(false),
        max_length: Some(9),
        ..LocalOptions::default()
    };
    let by_hand = LocalEncoder::load(plain.0.path(), &options).unwrap();
    let same = |side, text: &str, full: &str| {
        let file = encoder.encode(side, &[text]).unwrap();
        assert_eq!(file, by_hand.encode(side, &[full]).unwrap());
        assert_eq!(file.tokens[0], 9);
    };
    same(Side::Query, "Swap and More", "q: swap and more");
    same(Side::Document, "Swap and More", "p: swap and more");
}
