//! The server in `tests/server.py`, and what talks to it.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use barecode_models::{
    Clock, Encoder, ModelError, ModelSpec, Opening, Request, Side, Transport, open_encoder,
    parse_models,
};
use barecode_testing::started::Started;
use serde_json::{Value, json};

/// The key that the server takes.
pub(crate) const KEY: &str = "sk-the-right-key";

/// `tests/server.py`, running.
pub(crate) struct Server(Started);

impl Deref for Server {
    type Target = Started;

    fn deref(&self) -> &Started {
        &self.0
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

impl Served {
    /// What a server with faults, or a proxy, answered whole since its faults were set.
    pub(crate) fn by(server: &Started) -> Self {
        let told = server.status();
        Served {
            texts: serde_json::from_value(told["served"].clone()).unwrap(),
            requests: told["requests"].as_u64().unwrap(),
            log: told["log"].clone(),
            faults_left: told["faults"].as_array().unwrap().len(),
        }
    }
}

impl Server {
    /// Starts it; `None`, said on stderr, where there is no interpreter.
    pub(crate) fn start() -> Option<Server> {
        Started::start("server.py", &[]).map(Server)
    }

    pub(crate) fn served(&self) -> Served {
        Served::by(self)
    }

    /// The vectors that the server should give, one after another.
    #[expect(clippy::cast_possible_truncation, reason = "32 bits were sent")]
    pub(crate) fn expected(&self, model: &str, side: &str, texts: &[&str]) -> Vec<f32> {
        let body = json!({ "model": model, "side": side, "texts": texts });
        let answer = self.post("/expected", &body);
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

/// The port of a server whose answers never end.
pub(crate) fn endless() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let _ = stream.read(&mut head);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n");
            while stream.write_all(&[b'['; 1 << 13]).is_ok() {}
        }
    });
    port
}
