//! A model's description → its `[[model]]` table, so that a recipe can be written out whole.
//!
//! Enters: a [`ModelSpec`]. Leaves: the keys and values that `models.toml` has for it; what was not said is not
//! written. Reading what leaves gives the same description again. No key of a provider is in a description, so none
//! can leave.

use serde_json::{Map, Value, json};

use super::{Lexical, ModelSpec, RemoteOptions, Source};
use crate::ledger::Price;
use crate::remote::Limits;
use crate::{Bm25, Similarity};

impl ModelSpec {
    /// The model as a table of `models.toml`.
    ///
    /// ```
    /// let spec: barecode_models::ModelSpec = "hf:intfloat/e5-base-v2".parse()?;
    /// let table = spec.to_table();
    /// assert_eq!(table["kind"], "hf");
    /// assert_eq!(table["model"], "intfloat/e5-base-v2");
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    pub fn to_table(&self) -> Map<String, Value> {
        let ModelSpec {
            name,
            source,
            revision,
            pooling,
            normalize,
            query_prompt,
            document_prompt,
            max_length,
            dimensions,
            dtype,
            similarity,
            price,
            remote,
        } = self;
        let mut table = Map::new();
        let mut say = |key: &str, value: Value| {
            if !value.is_null() {
                table.insert(key.to_owned(), value);
            }
        };
        say("name", json!(name));
        say("kind", json!(source.kind()));
        match source {
            Source::Bm25(Lexical { options, tokenizer }) => {
                let usual = Bm25::default();
                let mut differs = |key: &str, is: Value, usual: Value| {
                    if is != usual {
                        say(key, is);
                    }
                };
                differs("form", json!(options.form), json!(usual.form));
                match tokenizer {
                    Some(path) => differs("tokenizer", json!(path), Value::Null),
                    None => differs(
                        "tokenizer",
                        json!(options.tokenizer),
                        json!(usual.tokenizer),
                    ),
                }
                differs(
                    "stop-words",
                    json!(options.stop_words),
                    json!(usual.stop_words),
                );
                differs("stemmer", json!(options.stemmer), json!(usual.stemmer));
                differs("k1", json!(options.k1), json!(usual.k1));
                differs("b", json!(options.b), json!(usual.b));
                differs("delta", json!(options.delta), json!(usual.delta));
            }
            Source::Local(path) => say("path", json!(path)),
            Source::Hub(model)
            | Source::OpenAi(model)
            | Source::Voyage(model)
            | Source::Cohere(model)
            | Source::Jina(model)
            | Source::Gemini(model) => say("model", json!(model)),
            Source::Compatible { url, model } => {
                say("url", json!(url));
                say("model", json!(model));
            }
            Source::Tei(url) => say("url", json!(url)),
            Source::Process(command) => say("command", json!(command)),
            Source::Vectors(file) | Source::Run(file) => say("file", json!(file)),
        }
        say("revision", json!(revision));
        say("pooling", json!(pooling));
        say("normalize", json!(normalize));
        say("query-prompt", json!(query_prompt));
        say("document-prompt", json!(document_prompt));
        say("max-length", json!(max_length));
        say("dimensions", json!(dimensions));
        say("dtype", json!(dtype));
        if *similarity != Similarity::Cosine {
            say("similarity", json!(similarity));
        }
        // What costs nothing is not asked for a price, and some kinds have none.
        if *price != ModelSpec::new(name, source.clone()).price {
            let Price {
                million_tokens,
                thousand_requests,
            } = price;
            say("price", json!(million_tokens));
            say("price-per-thousand-requests", json!(thousand_requests));
        }
        let RemoteOptions {
            url,
            key_variable,
            batch_texts,
            batch_tokens,
            parallel,
            limits,
            timeout,
            deadline,
        } = remote;
        let Limits {
            requests_per_minute,
            tokens_per_minute,
        } = limits;
        say("url", json!(url));
        say("key-variable", json!(key_variable));
        say("batch-texts", json!(batch_texts));
        say("batch-tokens", json!(batch_tokens));
        say("parallel", json!(parallel));
        say("requests-per-minute", json!(requests_per_minute));
        say("tokens-per-minute", json!(tokens_per_minute));
        say("timeout", json!(timeout.map(|time| time.as_secs_f64())));
        say("deadline", json!(deadline.map(|time| time.as_secs_f64())));
        table
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::parse_models;

    #[test]
    fn a_table_says_all_and_is_read_as_the_same_model() {
        let text = r#"
            [[model]]
            name = "code"
            kind = "voyage"
            model = "voyage-code-3"
            revision = "2025"
            query-prompt = "find: "
            document-prompt = "code: "
            dimensions = 256
            dtype = "int8"
            price = 0.2
            price-per-thousand-requests = 1.5
            url = "https://gateway.example/v1"
            key-variable = "MY_VOYAGE"
            batch-texts = 100
            batch-tokens = 50_000
            parallel = 2
            requests-per-minute = 300
            tokens-per-minute = 1e6
            timeout = 30
            deadline = 0.5

            [[model]]
            name = "mini"
            kind = "local"
            path = "models/mini"
            pooling = "cls"
            normalize = false
            max-length = 256

            [[model]]
            kind = "hf"
            model = "intfloat/e5-base-v2"

            [[model]]
            kind = "openai"
            url = "http://localhost:8000/v1"
            model = "bge-m3"

            [[model]]
            name = "tei"
            kind = "tei"
            url = "http://localhost:8080"

            [[model]]
            name = "mine"
            kind = "process"
            command = "python3 embed.py"

            [[model]]
            name = "kept"
            kind = "vectors"
            file = "v.npy"
            similarity = "dot"

            [[model]]
            name = "words"
            kind = "bm25"
            tokenizer = "code"
            form = "bm25+"
            stemmer = "english"
            k1 = 0.9
            delta = 1

            [[model]]
            name = "pieces"
            kind = "bm25"
            tokenizer = "mini/tokenizer.json"
        "#;
        let specs = parse_models("m.toml", text).unwrap();
        let tables: Vec<_> = specs.iter().map(super::ModelSpec::to_table).collect();
        let written = toml::to_string(&json!({ "model": tables })).unwrap();
        assert_eq!(parse_models("again.toml", &written).unwrap(), specs);
        assert_eq!(specs.len(), 9);
    }
}
