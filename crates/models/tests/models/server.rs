//! The server in `tests/server.py`, and what talks to it.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use barecode_models::{
    Authorization, Clock, Encoder, Http, ModelError, ModelSpec, Opening, Request, Side, Transport,
    open_encoder, parse_models,
};
use serde_json::{Value, json};

/// The key that the server takes.
pub(crate) const KEY: &str = "sk-the-right-key";

/// A running server; it ends with its value.
pub(crate) struct Server {
    child: Child,
    _stdin: ChildStdin,
    pub(crate) port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What the server answered whole.
#[derive(Debug, Clone)]
pub(crate) struct Served {
    /// How often each text was.
    pub(crate) texts: BTreeMap<String, u64>,
    pub(crate) requests: u64,
    pub(crate) log: Value,
    pub(crate) faults_left: usize,
}

impl Server {
    /// Starts it; `None`, said on stderr, where there is no interpreter.
    #[expect(
        clippy::disallowed_methods,
        reason = "a test asks a real server, which is another program"
    )]
    pub(crate) fn start() -> Option<Server> {
        let Some(python) = std::env::var_os("BARECODE_PYTHON") else {
            eprintln!("skipped: BARECODE_PYTHON names no Python interpreter");
            return None;
        };
        let mut child = Command::new(python)
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/server.py"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        Some(Server {
            child,
            _stdin: stdin,
            port: line.trim().parse().expect("the server writes its port"),
        })
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Sets what goes wrong from now on, and forgets what was served.
    pub(crate) fn set(&self, control: &Value) {
        ask(&Request::post(
            &self.url("/control"),
            &Authorization::None,
            control,
        ));
    }

    pub(crate) fn served(&self) -> Served {
        let answer = ask(&Request::get(&self.url("/control"), &Authorization::None));
        Served {
            texts: serde_json::from_value(answer["served"].clone()).unwrap(),
            requests: answer["requests"].as_u64().unwrap(),
            log: answer["log"].clone(),
            faults_left: answer["faults"].as_array().unwrap().len(),
        }
    }

    /// The vectors that the server should give, one after another.
    #[expect(clippy::cast_possible_truncation, reason = "32 bits were sent")]
    pub(crate) fn expected(&self, model: &str, side: &str, texts: &[&str]) -> Vec<f32> {
        let body = json!({ "model": model, "side": side, "texts": texts });
        let answer = ask(&Request::post(
            &self.url("/expected"),
            &Authorization::None,
            &body,
        ));
        answer
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|vector| vector.as_array().unwrap())
            .map(|number| number.as_f64().unwrap() as f32)
            .collect()
    }

    /// An OpenAI-compatible model on this server.
    pub(crate) fn model(&self, options: &str) -> ModelSpec {
        let text = format!(
            "[[model]]\nname = 'm'\nkind = 'openai'\nurl = '{}'\nmodel = 'm'\n{options}",
            self.url("/openai")
        );
        parse_models("models.toml", &text).unwrap().remove(0)
    }
}

fn ask(request: &Request) -> Value {
    let response = Http::new(None).unwrap().send(request).unwrap();
    assert_eq!(response.status, 200);
    serde_json::from_slice(&response.body).unwrap()
}

/// A clock whose sleep moves its hands.
#[derive(Debug, Default)]
pub(crate) struct Hands {
    slept: Mutex<Duration>,
}

impl Hands {
    pub(crate) fn slept(&self) -> Duration {
        *self.slept.lock().unwrap()
    }
}

impl Clock for Hands {
    fn elapsed(&self) -> Duration {
        self.slept()
    }

    fn unix(&self) -> Duration {
        // Sun, 06 Nov 1994 08:49:37 GMT, the date of every example in the standard of HTTP.
        Duration::from_secs(784_111_777) + self.slept()
    }

    fn sleep(&self, time: Duration) {
        *self.slept.lock().unwrap() += time;
    }
}

/// An opening with the real network, a clock that does not wait, and these variables as the environment.
pub(crate) fn opening(variables: &[(&str, &str)]) -> (Opening, Arc<Hands>) {
    let hands = Arc::new(Hands::default());
    let variables: BTreeMap<String, String> = variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let mut opening = Opening::new().unwrap();
    opening.clock = Arc::clone(&hands) as Arc<dyn Clock>;
    opening.environment = Arc::new(move |name| variables.get(name).cloned());
    (opening, hands)
}

/// A network that must not be used.
pub(crate) struct NoNetwork;

impl Transport for NoNetwork {
    fn send(
        &self,
        request: &Request,
    ) -> Result<barecode_models::Response, barecode_models::Broken> {
        panic!("asked {}", request.url);
    }
}

/// So many different texts of different length.
pub(crate) fn texts(count: usize) -> Vec<String> {
    (0..count)
        .map(|i| format!("int f{i}(void) {{ return {}; }}", "7".repeat(1 + i % 40)))
        .collect()
}

pub(crate) fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

/// Opens and encodes documents.
pub(crate) fn encode(
    spec: &ModelSpec,
    opening: &Opening,
    texts: &[&str],
) -> Result<Vec<f32>, ModelError> {
    let encoder: Box<dyn Encoder> = open_encoder(spec, opening)?;
    encoder
        .encode(Side::Document, texts)
        .map(|embeddings| embeddings.values)
}
