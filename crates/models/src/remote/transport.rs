//! One request out, one answer back: the only file that opens a connection.
//!
//! [`Http`] is what the program uses: TLS in process, proxies from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and
//! `NO_PROXY` (never for this machine itself), certificates of browsers or, if `SSL_CERT_FILE` names one, of that
//! file. No status is an error at this level, and nothing is tried twice: the caller decides that.
//!
//! A [`Key`] can be sent and cannot be shown.

use std::fmt;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;

use ureq::http;
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use crate::ModelError;

/// A secret that is sent and never shown.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// A key; blanks around it, which files and shells add, are not part of it. `None` if nothing is left.
    ///
    /// ```
    /// use barecode_models::Key;
    /// assert_eq!(format!("{:?}", Key::new(" sk-1234\n").unwrap()), "Key(…)");
    /// assert!(Key::new(" ").is_none());
    /// ```
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Key(text.to_owned()))
    }

    /// The text without the key in it, if a server repeats its input.
    pub(crate) fn scrub(&self, text: &str) -> String {
        text.replace(&self.0, "…")
    }

    /// The key, to be sent.
    fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(…)")
    }
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Requests a resource.
    Get,
    /// Requests only the headers of a resource.
    Head,
    /// Sends a body.
    Post,
}

/// The way in which a key is sent.
#[derive(Debug, Clone)]
pub enum Authorization {
    /// No key.
    None,
    /// `Authorization: Bearer KEY`.
    Bearer(Key),
    /// A header of this name with the key as its value.
    Header(&'static str, Key),
}

impl Authorization {
    /// The text without the key in it.
    pub(crate) fn scrub(&self, text: &str) -> String {
        match self {
            Authorization::None => text.to_owned(),
            Authorization::Bearer(key) | Authorization::Header(_, key) => key.scrub(text),
        }
    }
}

/// One request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The address.
    pub url: String,
    /// Headers without secrets.
    pub headers: Vec<(&'static str, String)>,
    /// The secret.
    pub authorization: Authorization,
    /// The body; JSON, if it is not empty.
    pub body: Vec<u8>,
    /// The longest time of the whole request.
    pub timeout: Duration,
    /// Number of redirections that are followed; beyond, the redirection itself is the answer.
    pub redirects: u32,
    /// The largest answer in bytes; a longer one is an error.
    pub largest_answer: u64,
}

impl Request {
    /// A JSON body, posted.
    pub fn post(url: &str, authorization: &Authorization, body: &serde_json::Value) -> Self {
        Request {
            method: Method::Post,
            url: url.to_owned(),
            headers: Vec::new(),
            authorization: authorization.clone(),
            body: body.to_string().into_bytes(),
            timeout: DEFAULT_TIMEOUT,
            redirects: 0,
            largest_answer: LARGEST_ANSWER,
        }
    }

    /// A request without a body.
    pub fn get(url: &str, authorization: &Authorization) -> Self {
        Request {
            method: Method::Get,
            url: url.to_owned(),
            headers: Vec::new(),
            authorization: authorization.clone(),
            body: Vec::new(),
            timeout: DEFAULT_TIMEOUT,
            redirects: 5,
            largest_answer: LARGEST_ANSWER,
        }
    }
}

/// The default time of a request.
const DEFAULT_TIMEOUT: Duration = Duration::from_mins(2);

/// One answer, whatever its status.
#[derive(Debug, Clone, Default)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The whole body.
    pub body: Vec<u8>,
}

impl Response {
    /// The first header of a name (in lower case).
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers
            .iter()
            .find(|(header, _)| header == name)
            .map(|(_, value)| value.as_str())
    }
}

/// The reasons why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Broken {
    /// No host of that name exists.
    NoHost,
    /// The address does not accept connections.
    Refused,
    /// It took too long.
    Timeout,
    /// The connection ended in the middle, or the content is not HTTP.
    Cut(String),
    /// The answer has more bytes than any possible one, and was not read to its end.
    TooLong(String),
    /// The request can never be sent: a bad address, a certificate that is not trusted.
    Impossible(String),
}

impl fmt::Display for Broken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::NoHost => formatter.write_str("host not found"),
            Broken::Refused => formatter.write_str("nobody listens there"),
            Broken::Timeout => formatter.write_str("no answer in time"),
            Broken::Cut(how) => write!(formatter, "the connection broke: {how}"),
            Broken::TooLong(why) | Broken::Impossible(why) => formatter.write_str(why),
        }
    }
}

/// Receives a body piece by piece, with the head of its answer.
pub type Piece<'a> = &'a mut dyn FnMut(&Response, &[u8]) -> Result<(), Broken>;

/// A carrier of requests.
pub trait Transport: Send + Sync {
    /// Sends a request and waits for the whole answer.
    ///
    /// # Errors
    /// [`Broken`] if there is no whole answer; a status is never an error.
    fn send(&self, request: &Request) -> Result<Response, Broken>;

    /// Sends a request and hands over the body piece by piece, as [`Transport::send`] without keeping it.
    ///
    /// # Errors
    /// As [`Transport::send`]; pieces that were handed over before stay handed over.
    fn stream(&self, request: &Request, piece: Piece<'_>) -> Result<Response, Broken> {
        let mut response = self.send(request)?;
        let body = std::mem::take(&mut response.body);
        piece(&response, &body)?;
        Ok(response)
    }
}

/// HTTP over the network.
#[derive(Debug, Clone)]
pub struct Http {
    through_proxy: ureq::Agent,
    direct: ureq::Agent,
}

/// Answers without vectors are small.
pub(crate) const LARGEST_ANSWER: u64 = 16 << 20;

impl Http {
    /// A client; connections are kept for the next request.
    ///
    /// `certificates` is the text of a PEM file of those to trust instead of browsers' (`SSL_CERT_FILE`).
    ///
    /// ```no_run
    /// use barecode_models::{Authorization, Http, Request, Transport};
    /// let http = Http::new(None)?;
    /// let response = http.send(&Request::get("http://localhost:8080/info", &Authorization::None)).unwrap();
    /// assert_eq!(response.status, 200);
    /// # Ok::<(), barecode_models::ModelError>(())
    /// ```
    ///
    /// # Errors
    /// If there are no certificates in it.
    pub fn new(certificates: Option<&str>) -> Result<Self, ModelError> {
        let roots = match certificates {
            None => RootCerts::WebPki,
            Some(text) => RootCerts::Specific(Arc::new(certificates_of(text)?)),
        };
        let agent = |proxy: Option<ureq::Proxy>| {
            ureq::Agent::config_builder()
                .http_status_as_error(false)
                .proxy(proxy)
                .max_redirects_will_error(false)
                .timeout_connect(Some(Duration::from_secs(20)))
                .user_agent(concat!("barecode/", env!("CARGO_PKG_VERSION")))
                .tls_config(TlsConfig::builder().root_certs(roots.clone()).build())
                .build()
                .new_agent()
        };
        Ok(Http {
            through_proxy: agent(ureq::Proxy::try_from_env()),
            direct: agent(None),
        })
    }

    fn begin(&self, request: &Request) -> Result<http::Response<ureq::Body>, Broken> {
        let agent = if is_this_machine(&request.url) {
            &self.direct
        } else {
            &self.through_proxy
        };
        let mut builder = http::Request::builder()
            .uri(&request.url)
            .method(match request.method {
                Method::Get => http::Method::GET,
                Method::Head => http::Method::HEAD,
                Method::Post => http::Method::POST,
            });
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        match &request.authorization {
            Authorization::None => {}
            Authorization::Bearer(key) => {
                builder = builder.header("authorization", format!("Bearer {}", key.reveal()));
            }
            Authorization::Header(name, key) => builder = builder.header(*name, key.reveal()),
        }
        // The builder's own message would repeat the value of a header that it does not like, a key among them.
        let impossible =
            |_| Broken::Impossible("the address or a header (the key?) cannot be sent".to_owned());
        let answer = if request.method == Method::Post {
            let message = builder
                .header("content-type", "application/json")
                .body(request.body.as_slice())
                .map_err(impossible)?;
            agent.run(
                agent
                    .configure_request(message)
                    .timeout_global(Some(request.timeout))
                    .max_redirects(request.redirects)
                    .build(),
            )
        } else {
            let message = builder.body(()).map_err(impossible)?;
            agent.run(
                agent
                    .configure_request(message)
                    .timeout_global(Some(request.timeout))
                    .max_redirects(request.redirects)
                    .build(),
            )
        };
        answer.map_err(broken)
    }
}

impl Transport for Http {
    fn send(&self, request: &Request) -> Result<Response, Broken> {
        let mut body = Vec::new();
        let mut response = self.stream(request, &mut |_, piece| {
            body.extend_from_slice(piece);
            if body.len() as u64 > request.largest_answer {
                let most = request.largest_answer >> 20;
                let message = format!("an answer of more than {most} MiB");
                return Err(Broken::TooLong(message));
            }
            Ok(())
        })?;
        response.body = body;
        Ok(response)
    }

    fn stream(&self, request: &Request, piece: Piece<'_>) -> Result<Response, Broken> {
        let answer = self.begin(request)?;
        let (parts, body) = answer.into_parts();
        let headers = parts.headers.iter().map(|(name, value)| {
            let value = String::from_utf8_lossy(value.as_bytes()).into_owned();
            (name.as_str().to_owned(), value)
        });
        let response = Response {
            status: parts.status.as_u16(),
            headers: headers.collect(),
            body: Vec::new(),
        };
        if request.method == Method::Head {
            return Ok(response);
        }
        let mut reader = body.into_reader();
        let mut buffer = vec![0; 64 * 1024];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok(response),
                Ok(n) => piece(&response, &buffer[..n])?,
                Err(error) => return Err(broken(ureq::Error::from(error))),
            }
        }
    }
}

/// The meaning of ureq's errors for the decision to try again.
fn broken(error: ureq::Error) -> Broken {
    match error {
        ureq::Error::HostNotFound => Broken::NoHost,
        ureq::Error::Timeout(_) => Broken::Timeout,
        ureq::Error::Io(error) => match error.kind() {
            std::io::ErrorKind::ConnectionRefused => Broken::Refused,
            std::io::ErrorKind::TimedOut | std::io::ErrorKind::WouldBlock => Broken::Timeout,
            _ if error.to_string().contains("lookup address") => Broken::NoHost,
            _ => Broken::Cut(error.to_string()),
        },
        ureq::Error::BadUri(_) | ureq::Error::Http(_) => {
            Broken::Impossible("the address is not valid".to_owned())
        }
        error @ (ureq::Error::Tls(_) | ureq::Error::Rustls(_)) => Broken::Impossible(format!(
            "no trusted connection: {error} (a company's own certificates are named by SSL_CERT_FILE)"
        )),
        ureq::Error::InvalidProxyUrl => {
            Broken::Impossible("the proxy of the environment has no valid address".to_owned())
        }
        error => Broken::Cut(error.to_string()),
    }
}

fn certificates_of(text: &str) -> Result<Vec<ureq::tls::Certificate<'static>>, ModelError> {
    let mut certificates = Vec::new();
    for item in parse_pem(text.as_bytes()) {
        if let Ok(PemItem::Certificate(certificate)) = item {
            certificates.push(certificate);
        }
    }
    if certificates.is_empty() {
        return Err(
            ModelError::unusable("the file of trusted certificates has none")
                .with_hint("SSL_CERT_FILE must name a PEM file, or not be set"),
        );
    }
    Ok(certificates)
}

/// Returns `true` if an address is on this machine, which is reached without a proxy.
fn is_this_machine(url: &str) -> bool {
    let host = host_of(url);
    host == "localhost" || host == "[::1]" || host.starts_with("127.")
}

/// The host of an address, without user and port.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next().unwrap_or(rest);
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    if host.starts_with('[') {
        return host.split_inclusive(']').next().unwrap_or(host);
    }
    host.split(':').next().unwrap_or(host)
}

/// An address as it may be shown: without user, password, query and fragment, which may be secrets.
///
/// ```
/// use barecode_models::public_address;
/// assert_eq!(public_address("https://me:secret@host:1/v1?key=k"), "https://host:1/v1");
/// ```
pub fn public_address(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    let rest = rest.split(['?', '#']).next().unwrap_or(rest);
    let (authority, path) = rest
        .split_once('/')
        .map_or((rest, None), |(authority, path)| (authority, Some(path)));
    let host = authority
        .rsplit_once('@')
        .map_or(authority, |(_, host)| host);
    let mut shown = String::new();
    if !scheme.is_empty() {
        shown.push_str(scheme);
        shown.push_str("://");
    }
    shown.push_str(host);
    if let Some(path) = path {
        shown.push('/');
        shown.push_str(path);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_this_machine_are_told_from_others() {
        for url in [
            "http://localhost:80/v1",
            "http://127.0.0.1:9",
            "http://u:p@127.1.2.3/",
            "http://[::1]:80/x",
        ] {
            assert!(is_this_machine(url), "{url}");
        }
        for url in [
            "https://api.example.com/127.0.0.1",
            "http://localhost.example.com",
            "http://10.0.0.1",
        ] {
            assert!(!is_this_machine(url), "{url}");
        }
    }

    #[test]
    fn a_key_is_nowhere_in_a_request_that_is_shown() {
        let key = Key::new("sk-very-secret").unwrap();
        let request = Request::get("http://x", &Authorization::Bearer(key.clone()));
        assert!(!format!("{request:?}").contains("very"));
        assert_eq!(key.scrub("no such key: sk-very-secret!"), "no such key: …!");
    }

    #[test]
    fn certificates_that_are_none_are_refused() {
        assert!(Http::new(Some("nothing")).is_err());
    }
}
