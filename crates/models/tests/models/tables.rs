//! Tables `[[model]]`: what is read, what is refused and where, what is written.

use std::time::Duration;

use barecode_models::{Dtype, ModelSpec, Pooling, Price, Similarity, Source, parse_models};
use serde_json::json;

fn read(text: &str) -> Result<Vec<ModelSpec>, String> {
    parse_models("m.toml", text).map_err(|error| match error.hint() {
        Some(hint) => format!("{error}\n\nhint: {hint}"),
        None => error.to_string(),
    })
}

#[test]
fn everything_that_can_be_said_is_read() {
    let specs = read(
        r#"
        [[model]]
        name = "code"
        kind = "voyage"
        model = "voyage-code-3"
        dimensions = 256
        price = 0.2
        batch-texts = 100
        batch-tokens = 50_000
        parallel = 2
        requests-per-minute = 300
        tokens-per-minute = 1e6
        timeout = 30
        key-variable = "MY_VOYAGE"
        dtype = "int8"

        [[model]]
        name = "mini"
        kind = "local"
        path = "models/mini"
        pooling = "cls"
        normalize = false
        max-length = 256
        device = "cpu"

        [[model]]
        kind = "hf"
        model = "intfloat/e5-base-v2"
        revision = "main"
        query-prompt = "query: "
        document-prompt = "passage: "
        similarity = "dot"
        "#,
    )
    .unwrap();
    assert_eq!(specs.len(), 3);
    let code = &specs[0];
    assert_eq!(code.source, Source::Voyage("voyage-code-3".to_owned()));
    assert_eq!(code.price.million_tokens, Some(0.2));
    assert_eq!(code.dtype, Some(Dtype::Int8));
    assert_eq!(code.remote.batch_tokens, Some(50_000));
    assert_eq!(code.remote.limits.tokens_per_minute, Some(1e6));
    assert_eq!(code.remote.timeout, Some(Duration::from_secs(30)));
    assert_eq!(specs[1].pooling, Some(Pooling::First));
    assert_eq!(specs[1].price, Price::FREE);
    assert_eq!(specs[2].name, "intfloat/e5-base-v2");
    assert_eq!(specs[2].similarity, Similarity::Dot);
}

#[test]
fn complaints_name_the_place_and_the_nearest_word() {
    let table = "[[model]]\nname = 'a'\nkind = 'voyage'\nmodel = 'v'\n";
    for (text, expected) in [
        (
            format!("{table}dimension = 3"),
            "m.toml:5:1: `dimension` is not an option of a model; did you mean `dimensions`?",
        ),
        (
            format!("{table}query_prompt = ''"),
            "m.toml:5:1: `query_prompt` is not an option of a model; did you mean `query-prompt`?",
        ),
        (
            format!("{table}pooling = 'mean'"),
            "m.toml:5:1: a model of kind `voyage` has no `pooling`",
        ),
        (
            format!("{table}api_key = 'sk-1'"),
            "m.toml:5:1: `api_key` is not an option of a model; keys come from the environment only",
        ),
        (
            format!("{table}device = 'cuda'"),
            "m.toml:5:1: a model of kind `voyage` has no `device`",
        ),
        (
            "[[model]]\nname = 'b'\nkind = 'local'\npath = 'b'\ndevice = 'cuda'".to_owned(),
            "m.toml:5:1: `device` is `cuda`, but local models compute on the processor\n\nhint: a server computes on a card",
        ),
        (
            format!("{table}dimensions = 0"),
            "m.toml:5:14: `dimensions`: invalid value: integer `0`, expected a nonzero u32",
        ),
        (
            format!("{table}dtype = 'float8'"),
            "m.toml:5:9: `dtype`: unknown variant `float8`, expected one of `float32`, `float16`, `int8`, `binary`; did you mean",
        ),
        (
            format!("{table}price = -1"),
            "m.toml:5:9: `price`: -1, expected a number from 0 up",
        ),
        (
            "[[model]]\nkind = 'voyge'\nmodel = 'x'".to_owned(),
            "m.toml:2:1: `voyge` is not a kind of model; did you mean `voyage`?",
        ),
        (
            "[[model]]\nkind = 'tei'".to_owned(),
            "m.toml:1:1: this model has no `url`",
        ),
        (
            "[[models]]\nkind = 'tei'".to_owned(),
            "m.toml:1:3: `models` means nothing here; did you mean `model`?",
        ),
        (
            format!("{table}{table}"),
            "m.toml:5:1: a second model named `a`; the first is in line 1",
        ),
        ("[[model]\n".to_owned(), "m.toml:1:"),
        (
            "[model]\nkind = 'tei'".to_owned(),
            "m.toml:1:1: invalid type: map, expected a sequence\n\nhint: write `[[model]]`",
        ),
        (
            "[[model]]\nname = 'x'".to_owned(),
            "m.toml:1:1: this model has no `kind`",
        ),
        (
            format!("{table}timeout = 'long'"),
            "m.toml:5:11: `timeout`: invalid type: string \"long\", expected f64",
        ),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.starts_with(expected), "{error}\nexpected {expected}");
        assert!(!error.contains("sk-1"), "{error}");
    }
}

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
    "#;
    let specs: Vec<ModelSpec> = parse_models("m.toml", text).unwrap();
    let tables: Vec<_> = specs.iter().map(ModelSpec::to_table).collect();
    let written = toml::to_string(&json!({ "model": tables })).unwrap();
    assert_eq!(
        parse_models::<ModelSpec>("again.toml", &written).unwrap(),
        specs
    );
    assert_eq!(specs.len(), 7);
}
