//! A server in Python on loopback, which ends with its value.

use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdin, Command, Stdio};

use barecode_models::{Authorization, Http, Request, Transport};
use serde_json::Value;

/// How a server ends that lacks a package.
const LACKS_A_PACKAGE: i32 = 77;

/// A running server.
pub(crate) struct Started {
    child: Child,
    _stdin: ChildStdin,
    pub(crate) port: u16,
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Started {
    /// Starts a script that stands beside these tests; `None`, said on stderr, where there is no interpreter, or it
    /// lacks a package.
    #[expect(
        clippy::disallowed_methods,
        reason = "a test asks a real server, which is another program"
    )]
    pub(crate) fn start(script: &str, arguments: &[&str]) -> Option<Started> {
        let Some(python) = std::env::var_os("BARECODE_PYTHON") else {
            eprintln!("skipped: BARECODE_PYTHON names no Python interpreter");
            return None;
        };
        // The crate of these tests and that of the program stand beside each other.
        let scripts = concat!(env!("CARGO_MANIFEST_DIR"), "/../models/tests");
        let mut child = Command::new(python)
            .arg("-B")
            .arg(format!("{scripts}/{script}"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        if line.is_empty() {
            let ended = child.wait().unwrap();
            assert_eq!(ended.code(), Some(LACKS_A_PACKAGE), "{script} is broken");
            eprintln!("skipped: the interpreter lacks what {script} needs");
            return None;
        }
        Some(Started {
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

    /// What the server tells about itself.
    pub(crate) fn told(&self) -> Value {
        ask(&Request::get(&self.url("/control"), &Authorization::None))
    }
}

/// Asks without a fault.
pub(crate) fn ask(request: &Request) -> Value {
    let response = Http::new(None).unwrap().send(request).unwrap();
    assert_eq!(response.status, 200);
    serde_json::from_slice(&response.body).unwrap()
}
