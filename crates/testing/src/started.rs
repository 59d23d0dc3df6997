//! A server in Python on loopback, which ends with its value.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, ChildStdin, Command, Stdio};

use serde_json::Value;

use crate::needs;

/// The exit code of a server that lacks a package.
const LACKS_A_PACKAGE: i32 = 77;

/// A running server.
#[derive(Debug)]
pub struct Started {
    child: Child,
    _stdin: ChildStdin,
    /// The port that it listens on.
    pub port: u16,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Started {
    /// Starts a script beside the tests of `models`; `None`, reported on stderr, without an interpreter, or if it
    /// lacks a package.
    ///
    /// # Panics
    /// If the script is broken, and if [`needs::skip`] does.
    #[expect(
        clippy::disallowed_methods,
        reason = "a test asks a real server, which is another program"
    )]
    pub fn start(script: &str, arguments: &[&str]) -> Option<Started> {
        let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/tests");
        let mut child = Command::new(needs::interpreter()?)
            .arg("-B")
            .arg(format!("{scripts}/{script}"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("BARECODE_PYTHON is an interpreter");
        let stdin = child.stdin.take().expect("stdin is a pipe");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("stdout is a pipe"))
            .read_line(&mut line)
            .expect("the server writes text");
        if line.is_empty() {
            let ended = child.wait().expect("the server ended");
            assert_eq!(ended.code(), Some(LACKS_A_PACKAGE), "{script} is broken");
            needs::skip(&format!("the interpreter lacks what {script} needs"));
            return None;
        }
        Some(Started {
            child,
            _stdin: stdin,
            port: line.trim().parse().expect("the server writes its port"),
        })
    }

    /// The address of something on it.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Sets the faults from now on, and forgets the requests that were served.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn set(&self, control: &Value) {
        self.post("/control", control);
    }

    /// Returns the status that the server reports.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn status(&self) -> Value {
        self.ask("GET", "/control", "")
    }

    /// Returns the server's answer to JSON, without a fault.
    ///
    /// # Panics
    /// If the server does not answer.
    pub fn post(&self, path: &str, body: &Value) -> Value {
        self.ask("POST", path, &body.to_string())
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> Value {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("the server listens");
        let length = body.len();
        write!(
            stream,
            "{method} {path} HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
        )
        .expect("the server reads");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .expect("the server answers in text");
        let (head, body) = answer.split_once("\r\n\r\n").expect("an answer has a head");
        let status = head.split_whitespace().nth(1);
        assert_eq!(status, Some("200"), "{path}: {head}");
        serde_json::from_str(body).expect("the server answers in JSON")
    }
}
