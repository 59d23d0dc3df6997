//! Models that write: every protocol, what servers do wrong, and what is paid.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use barecode_models::{
    Answer, Broken, Budget, Cache, Cassette, End, Event, Http, Ledger, ModelError, ModelSpec,
    Opening, Prompt, Request, Response, Sampling, Tokens, Transport, Usage, estimate_writing,
    open_writer, parse_models, writer_identity,
};
use barecode_testing::started::Started;
use serde_json::{Value, json};

use crate::server::{KEY, NoNetwork, endless, opening};

const KEYS: [(&str, &str); 3] = [
    ("OPENAI_API_KEY", KEY),
    ("ANTHROPIC_API_KEY", KEY),
    ("OPENAI_COMPATIBLE_API_KEY", KEY),
];

fn server() -> Option<Started> {
    Started::start("writer.py", &[])
}

/// A model of each protocol, for 2 dollars a million tokens in and 8 out.
fn specs(server: &Started) -> Vec<ModelSpec> {
    let url = server.url("/v1");
    let text = format!(
        "[[model]]\nname = 'openai'\nkind = 'openai'\nmodel = 'gpt-test'\nprice = 2\noutput-price = 8\n\
         [[model]]\nname = 'anthropic'\nkind = 'anthropic'\nmodel = 'claude-test'\nprice = 2\noutput-price = 8\n\
         [[model]]\nname = 'own'\nkind = 'openai'\nurl = '{url}'\nmodel = 'local'\nprice = 2\noutput-price = 8\n"
    );
    parse_models("models.toml", &text).unwrap()
}

/// The network, in which the providers' own addresses are this server.
struct Redirected(Http, u16);

impl Transport for Redirected {
    fn send(&self, request: &Request) -> Result<Response, Broken> {
        let mut request = request.clone();
        for (address, path) in [
            ("https://api.openai.com/v1", "/openai"),
            ("https://api.anthropic.com/v1", "/anthropic"),
        ] {
            let here = format!("http://127.0.0.1:{}{path}", self.1);
            request.url = request.url.replace(address, &here);
        }
        self.0.send(&request)
    }
}

/// An opening with keys, in which this server answers.
fn reaching(server: &Started) -> Opening {
    let (mut opening, _) = opening(&KEYS);
    opening.transport = Arc::new(Redirected(Http::new(None).unwrap(), server.port));
    opening
}

fn sampling() -> Sampling {
    Sampling {
        temperature: Some(0.5),
        seed: Some(1),
        max_tokens: Some(300),
    }
}

fn prompts(count: usize) -> Vec<Prompt> {
    (0..count)
        .map(|n| Prompt {
            text: format!("The function:\n\n```\nint f{n}(void) {{ return {n}; }}\n```\n"),
            attempt: 0,
        })
        .collect()
}

fn write(
    spec: &ModelSpec,
    opening: &Opening,
    prompts: &[Prompt],
) -> Result<Vec<Option<Answer>>, ModelError> {
    let answers = Mutex::new(vec![None; prompts.len()]);
    open_writer(spec, sampling(), opening)?.write(prompts, &|at, answer| {
        let before = answers.lock().unwrap()[at].replace(answer);
        assert_eq!(before, None, "each is answered once");
        Ok(())
    })?;
    Ok(answers.into_inner().unwrap())
}

fn number(status: &Value, key: &str) -> u64 {
    status[key].as_u64().unwrap()
}

#[test]
fn every_protocol_writes_and_bills_what_goes_in_and_out() {
    let Some(server) = server() else {
        return;
    };
    for spec in specs(&server) {
        server.set(&json!({}));
        let opening = reaching(&server);
        let answers = write(&spec, &opening, &prompts(30)).unwrap();
        let served = server.status();
        assert!(
            answers
                .iter()
                .flatten()
                .all(|answer| answer.end == End::Whole)
        );
        let first = answers[7].as_ref().unwrap();
        assert!(first.text.contains("SUMMARY:\nIt "), "{}", first.text);
        assert!(first.served.as_ref().unwrap().contains("-2025"));
        let usage = &opening.ledger.usage()[&spec.name];
        let (input, output) = (number(&served, "input"), number(&served, "output"));
        assert_eq!((usage.requests, usage.texts, usage.retries), (30, 30, 0));
        assert_eq!(
            (usage.tokens, usage.output_tokens),
            (input + output, output)
        );
        assert_eq!(usage.estimated_tokens, 0);
        let tokens = Tokens { input, output };
        let nanos: u64 = answers
            .iter()
            .flatten()
            .map(|answer| spec.price.nano_dollars(answer.tokens.unwrap()).unwrap())
            .sum();
        assert_eq!(usage.nano_dollars, nanos);
        let whole = spec.price.nano_dollars(tokens).unwrap();
        assert!(nanos.abs_diff(whole) <= 30, "each request is rounded up");
    }
}

#[test]
fn bad_answers_are_answers_and_faults_are_tried_again() {
    let Some(server) = server() else {
        return;
    };
    for spec in specs(&server) {
        let faults = json!([
            { "kind": "status", "status": 429, "headers": { "retry-after": "2" } },
            { "kind": "status", "status": 529, "body": { "error": { "message": "Overloaded" } } },
            { "kind": "reset" }, { "kind": "html" }, { "kind": "cut" },
        ]);
        server.set(&json!({ "bad": 100, "faults": faults }));
        let mut opening = reaching(&server);
        opening.retry.bad_answers = 9;
        let answers = write(&spec, &opening, &prompts(70)).unwrap();
        let served = server.status();
        let mut ends = BTreeMap::new();
        for answer in answers.iter().flatten() {
            *ends.entry(format!("{:?}", answer.end)).or_insert(0) += 1;
        }
        assert!(
            ends["Cut"] > 3 && ends["Refused"] > 3 && ends["Whole"] > 30,
            "{ends:?}"
        );
        let usage = &opening.ledger.usage()[&spec.name];
        assert_eq!((usage.requests, usage.retries), (70, 5), "{usage:?}");
        assert_eq!(usage.truncations, ends["Cut"]);
        // What was lost on its way counts by estimate, which is its limit.
        let billed = number(&served, "input") + number(&served, "output");
        assert_eq!(usage.tokens - usage.wasted_tokens, billed);
        assert!(usage.wasted_tokens >= number(&served, "lost"), "{usage:?}");
        let served: BTreeMap<String, u64> =
            serde_json::from_value(served["served"].clone()).unwrap();
        assert!(served.len() == 70 && served.values().all(|&times| times == 1));
    }
}

#[test]
fn an_answer_is_paid_once_and_another_attempt_is_another_answer() {
    let Some(server) = server() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let spec = &specs(&server)[0];
    server.set(&json!({}));
    let open = || {
        let mut opening = reaching(&server);
        let path = folder.path().join("v.sqlite");
        opening.cache = Some(Arc::new(Cache::open(&path, None, &*opening.clock).unwrap()));
        opening
    };
    let first = open();
    let asked = prompts(20);
    let estimate = |opening: &Opening| estimate_writing(spec, sampling(), opening, &asked).unwrap();
    let before = estimate(&first);
    assert_eq!((before.texts, before.new_texts), (20, 20));
    let answers = write(spec, &first, &asked).unwrap();
    assert!(
        before.tokens > first.ledger.usage()["openai"].tokens,
        "at most"
    );
    let mut again = open();
    again.transport = Arc::new(NoNetwork);
    assert_eq!(estimate(&again).new_texts, 0);
    assert_eq!(estimate(&again).dollars, Some(0.0));
    assert_eq!(write(spec, &again, &asked).unwrap(), answers);
    assert_eq!(again.ledger.usage()["openai"].cache_hits, 20);
    let other: Vec<Prompt> = asked
        .iter()
        .map(|prompt| Prompt {
            attempt: 1,
            ..prompt.clone()
        })
        .collect();
    write(spec, &open(), &other).unwrap();
    assert_eq!(number(&server.status(), "delivered"), 40);
    // How it writes is part of who writes.
    let identity = writer_identity(spec, sampling()).unwrap();
    assert!(
        identity == "write openai:gpt-test temperature=0.5 seed=1 max-tokens=300",
        "{identity}"
    );
}

#[test]
fn an_answer_without_an_end_is_paid_for_once_and_ends_nothing() {
    let text = format!(
        "[[model]]\nname = 'm'\nkind = 'openai'\nurl = 'http://127.0.0.1:{}/v1'\nmodel = 'x'\nprice = 2\noutput-price = 8\n",
        endless()
    );
    let spec = &parse_models("models.toml", &text).unwrap()[0];
    let (mut opening, _) = opening(&[]);
    opening.cache = Some(Arc::new(Cache::in_memory().unwrap()));
    for _ in 0..2 {
        for answer in write(spec, &opening, &prompts(2)).unwrap() {
            let answer = answer.unwrap();
            assert_eq!(answer.end, End::Cut);
            assert!(answer.text.contains("more than 16 MiB"), "{}", answer.text);
        }
        let usage = &opening.ledger.usage()["m"];
        // The limit of an answer is what each may have cost.
        let limit = u64::from(sampling().max_tokens.unwrap());
        assert!(
            usage.wasted_tokens >= 2 * limit && usage.wasted_tokens < 3 * limit,
            "{usage:?}"
        );
        assert!(usage.dollars() >= 8e-6 * (2 * limit) as f64, "{usage:?}");
    }
}

#[test]
fn a_cassette_has_every_answer_and_asks_nobody() {
    let Some(server) = server() else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tape.jsonl");
    for spec in specs(&server) {
        server.set(&json!({ "bad": 50 }));
        let asked = prompts(40);
        let mut recording = reaching(&server);
        recording.cassette = Some(Arc::new(Cassette::record(&path).unwrap()));
        let answers = write(&spec, &recording, &asked).unwrap();
        // Neither network nor key.
        let (mut replaying, _) = opening(&[]);
        replaying.transport = Arc::new(NoNetwork);
        replaying.cassette = Some(Arc::new(Cassette::replay(&path).unwrap()));
        assert_eq!(write(&spec, &replaying, &asked).unwrap(), answers);
        let usage = &replaying.ledger.usage()[&spec.name];
        assert_eq!(
            (usage.replayed, usage.tokens, usage.nano_dollars),
            (40, 0, 0)
        );
        let error = write(&spec, &replaying, &prompts(41)).unwrap_err();
        assert!(error.to_string().contains("not on the cassette"), "{error}");
    }
    assert!(!std::fs::read_to_string(&path).unwrap().contains(KEY));
}

#[test]
fn a_budget_stops_before_it_is_exceeded_with_the_limit_of_answers_in_it() {
    let Some(server) = server() else {
        return;
    };
    let spec = &specs(&server)[1];
    server.set(&json!({}));
    let mut opening = reaching(&server);
    // 300 tokens out are 0.0024 dollars: with what goes in, four requests are set aside at 0.01.
    let dollars = 0.02;
    opening.ledger = Arc::new(Ledger::new(Budget {
        dollars: Some(dollars),
        tokens: None,
    }));
    let error = write(spec, &opening, &prompts(200)).unwrap_err();
    assert!(matches!(error, ModelError::Budget { .. }), "{error}");
    let usage = &opening.ledger.usage()["anthropic"];
    assert!(usage.requests > 10, "{usage:?}");
    assert!(
        usage.dollars() <= dollars && usage.dollars() > dollars - 0.0125,
        "{usage:?}"
    );
}

#[test]
fn every_request_is_heard_when_it_goes_out_and_when_it_is_settled() {
    let Some(server) = server() else {
        return;
    };
    let spec = &specs(&server)[0];
    server.set(&json!({ "faults": [{ "kind": "cut" }] }));
    let heard: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&heard);
    let mut opening = reaching(&server);
    let ledger = Ledger::default().on_change(Box::new(move |event| {
        let line = match event {
            Event::Sent { number, tokens, .. } => format!("sent {number} {}", *tokens > 300),
            Event::Added { usage, .. } if usage.requests > 0 => "answered".to_owned(),
            Event::Added { usage, .. } if usage.wasted_tokens > 0 => "wasted".to_owned(),
            Event::Added { .. } => return,
            Event::Settled { number } => format!("settled {number}"),
        };
        log.lock().unwrap().push(line);
    }));
    opening.ledger = Arc::new(ledger);
    write(spec, &opening, &prompts(1)).unwrap();
    assert_eq!(
        *heard.lock().unwrap(),
        [
            "sent 1 true",
            "wasted",
            "settled 1",
            "sent 2 true",
            "answered",
            "settled 2"
        ]
    );
}

#[test]
fn a_program_writes() {
    // Answers in reverse order; the second was cut, the third declined.
    let script = r#"
        IFS= read -r a; IFS= read -r b; IFS= read -r c; IFS= read -r end
        case "$a" in *'"max-tokens":300'*'"prompt":"The function'*) ;; *) echo "$a" >&2; exit 3;; esac
        echo '{"index": 2, "text": "", "end": "refused"}'
        echo '{"index": 1, "text": "SUMMARY: half", "end": "cut", "output_tokens": 2}'
        echo '{"index": 0, "text": "SUMMARY: whole", "input_tokens": 9, "output_tokens": 3, "model": "mine"}'"#;
    let table = format!(
        "[[model]]\nname = 'mine'\nkind = 'process'\ncommand = '''{script}'''\nprice = 1\noutput-price = 2\n"
    );
    let spec = parse_models("models.toml", &table).unwrap().remove(0);
    let (opening, _) = opening(&[]);
    let answers = write(&spec, &opening, &prompts(3)).unwrap();
    let ends: Vec<End> = answers.iter().flatten().map(|answer| answer.end).collect();
    assert_eq!(ends, [End::Whole, End::Cut, End::Refused]);
    assert_eq!(answers[0].as_ref().unwrap().served.as_deref(), Some("mine"));
    let usage: &Usage = &opening.ledger.usage()["mine"];
    assert_eq!(
        (usage.tokens, usage.output_tokens, usage.truncations),
        (14, 5, 1)
    );
    // 9 tokens in for a dollar a million, 5 out for two.
    assert_eq!(usage.nano_dollars, 9_000 + 10_000);
}

#[test]
fn what_does_not_write_is_refused() {
    let refused = |form: &str| {
        let spec: ModelSpec = form.parse().unwrap();
        let (opening, _) = opening(&[]);
        let error = open_writer(&spec, sampling(), &opening).err().unwrap();
        format!("{error}; {}", error.hint().unwrap_or_default())
    };
    assert!(
        refused("voyage:voyage-code-3").contains(
            "a model of kind `voyage` does not write; models that write are openai:MODEL"
        )
    );
    assert!(
        refused("anthropic:claude-sonnet-4-5")
            .contains("no key for anthropic; set ANTHROPIC_API_KEY")
    );
    assert!(
        refused("openai+http://localhost:1/v1")
            .contains("the server's model has no name; name it: openai+URL#MODEL")
    );
}
