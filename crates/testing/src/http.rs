//! One request to a server on this machine, with exactly these headers.

use std::io::{Read, Write};
use std::net::TcpStream;

/// The answer of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status: 200.
    pub status: u16,
    /// Its line and headers.
    pub head: String,
    /// The page.
    pub body: String,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(": "));
        pairs
            .into_iter()
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value.trim())
    }
}

/// Sends a request and does not wait for the answer.
///
/// # Panics
/// If no server listens.
pub fn send(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    form: &str,
) -> TcpStream {
    let own_host = format!("127.0.0.1:{port}");
    let usual = [
        ("host", &*own_host),
        ("content-type", "application/x-www-form-urlencoded"),
        ("connection", "close"),
    ];
    let given = |name: &str| headers.iter().any(|(known, _)| *known == name);
    let usual = usual.iter().filter(|(name, _)| !given(name));
    let lines: Vec<String> = headers
        .iter()
        .chain(usual)
        .map(|(name, value)| format!("{name}: {value}\r\n"))
        .collect();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the server listens");
    write!(
        stream,
        "{method} {path} HTTP/1.1\r\n{}content-length: {}\r\n\r\n{form}",
        lines.concat(),
        form.len()
    )
    .expect("the server reads");
    stream
}

/// Sends a request and reads the answer.
///
/// # Panics
/// If no server listens, or the answer is not one of HTTP.
pub fn request(
    port: u16,
    method: &str,
    path: &str,
    headers: &[(&str, &str)],
    form: &str,
) -> Answer {
    let mut text = String::new();
    send(port, method, path, headers, form)
        .read_to_string(&mut text)
        .expect("the server answers in text");
    let (head, body) = text.split_once("\r\n\r\n").expect("an answer has a head");
    let status = head
        .split_whitespace()
        .nth(1)
        .and_then(|status| status.parse().ok());
    Answer {
        status: status.expect("an answer has a status"),
        head: head.to_owned(),
        body: body.to_owned(),
    }
}
