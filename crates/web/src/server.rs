//! The pages over HTTP, on loopback.
//!
//! One thread answers one request at a time, so an answer is on the disk before its page is sent; `connections`
//! limits the connections. A rater enters the token in a form and gets a cookie that scripts cannot read and other
//! sites do not send; a request with another `Host` (a name that leads to loopback) or another `Origin` is refused.
//! No token and no session is ever part of an address.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::rejection::FormRejection;
use axum::extract::{Form, Path, Query, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{Html, IntoResponse, Redirect, Response};
use axum::routing::{get, post};
use axum::{Router, serve as serve_http};
use serde::Deserialize;

use crate::answer::Fields;
use crate::connections::Connections;
use crate::error::StudyError;
use crate::pages::{self, KEYS, PER_PAGE, Shown};
use crate::study::{Rater, Recorded, Serving, Study, Task};

/// Only content that this server sends is shown or run.
const POLICY: &str = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; form-action 'self'; \
                      base-uri 'none'; frame-ancestors 'none'";

const ICON: &str = "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M3 8l4 4 6-8' fill='none' \
                    stroke='#1f8a58' stroke-width='2.5'/></svg>";

#[derive(Debug, Clone)]
struct Site {
    study: Arc<Mutex<Study>>,
    port: u16,
}

impl Site {
    fn study(&self) -> MutexGuard<'_, Study> {
        self.study.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Cookies know no ports, so each study has its own name.
    fn cookie(&self) -> String {
        format!("barecode-{}", self.study().id)
    }

    fn secret(&self, headers: &HeaderMap) -> Option<String> {
        let name = self.cookie();
        let cookies = headers
            .get_all(header::COOKIE)
            .into_iter()
            .filter_map(|value| value.to_str().ok());
        let mut pairs = cookies
            .flat_map(|value| value.split(';'))
            .filter_map(|pair| pair.trim().split_once('='));
        pairs
            .find(|(found, _)| *found == name)
            .map(|(_, secret)| secret.to_owned())
    }

    fn rater(&self, headers: &HeaderMap) -> Result<Rater, Answered> {
        let secret = self.secret(headers).unwrap_or_default();
        let rater = self.study().session(&secret)?;
        rater.ok_or_else(|| Answered::new(Redirect::to("/").into_response()))
    }
}

/// A response that ends a request early.
struct Answered(Box<Response>);

impl Answered {
    fn new(response: Response) -> Self {
        Answered(Box::new(response))
    }
}

impl IntoResponse for Answered {
    fn into_response(self) -> Response {
        *self.0
    }
}

impl From<StudyError> for Answered {
    fn from(error: StudyError) -> Self {
        let hint = error.hint().unwrap_or_default();
        let text = format!("{}. {hint}", sentence(&error));
        Answered::new(said(
            StatusCode::INSUFFICIENT_STORAGE,
            "The study cannot be used now",
            &text,
        ))
    }
}

type Answer = Result<Response, Answered>;

/// Serves a study until the process ends; the right to do so is acquired first, with [`Study::serving`].
///
/// # Errors
/// If the listener cannot be used, or is not on loopback.
pub fn serve(study: Study, _right: Serving, listener: TcpListener) -> Result<(), StudyError> {
    let io = |error: std::io::Error| StudyError::Io(format!("cannot serve: {error}"));
    let address = listener.local_addr().map_err(io)?;
    if !address.ip().is_loopback() {
        return Err(StudyError::invalid(format!("{address} is not on loopback")));
    }
    let site = Site {
        study: Arc::new(Mutex::new(study)),
        port: address.port(),
    };
    let routes = Router::new()
        .route("/", get(front))
        .route("/enter", post(enter))
        .route("/leave", post(leave))
        .route("/next", get(next_open))
        .route("/item/{position}", get(item).post(answer))
        .route(
            "/study.css",
            get(|| async { file("text/css; charset=utf-8", pages::css()) }),
        )
        .route(
            "/keys.js",
            get(|| async { file("text/javascript; charset=utf-8", KEYS) }),
        )
        .route("/icon.svg", get(|| async { file("image/svg+xml", ICON) }))
        .fallback(|| async {
            said(
                StatusCode::NOT_FOUND,
                "Page not found",
                "The address leads nowhere.",
            )
        })
        .layer(from_fn_with_state(site.clone(), guard))
        .with_state(site);
    listener.set_nonblocking(true).map_err(io)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(io)?;
    runtime
        .block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            serve_http(Connections::new(listener), routes).await
        })
        .map_err(io)
}

/// A listener on loopback, on this port or on a free one.
pub fn listen(port: u16) -> Result<TcpListener, StudyError> {
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
    TcpListener::bind(address).map_err(|error| {
        StudyError::with_hint(
            format!("cannot listen on {address}: {error}"),
            "name another port with --port",
        )
    })
}

/// Refuses requests that do not come from this server's own pages, and sets the policy of browsers for its content.
async fn guard(State(site): State<Site>, request: Request, next: Next) -> Response {
    let mut response = match refused(&site, &request) {
        Some(refused) => refused,
        None => next.run(request).await,
    };
    let headers = response.headers_mut();
    let mut set = |name: &'static str, value| headers.insert(name, HeaderValue::from_static(value));
    set("content-security-policy", POLICY);
    set("referrer-policy", "same-origin");
    set("x-content-type-options", "nosniff");
    // A page that a browser shows after "back" is requested again, so it shows the stored answer.
    set("cache-control", "no-store");
    response
}

fn refused(site: &Site, request: &Request) -> Option<Response> {
    let text = |name| {
        request
            .headers()
            .get(name)
            .and_then(|value| value.to_str().ok())
    };
    let host = text(header::HOST).unwrap_or_default();
    // The port may be another one, if a tunnel leads to this server; a name that leads to loopback is the danger.
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    if !["127.0.0.1", "localhost"].contains(&name) {
        let text = format!(
            "This server is reached as http://127.0.0.1:{} only.",
            site.port
        );
        return Some(said(StatusCode::MISDIRECTED_REQUEST, "Not here", &text));
    }
    let is_own = |origin: &str| origin.strip_prefix("http://") == Some(host);
    let from_here = text(header::ORIGIN).is_none_or(is_own)
        && request
            .headers()
            .get("sec-fetch-site")
            .is_none_or(|site| site == "same-origin" || site == "none");
    let is_form = request.method() == Method::POST;
    (is_form && !from_here).then(|| {
        said(
            StatusCode::FORBIDDEN,
            "Not from here",
            "The form is not one of this server's pages.",
        )
    })
}

fn file(kind: &'static str, text: impl Into<String>) -> Response {
    ([(header::CONTENT_TYPE, kind)], text.into()).into_response()
}

fn shown(status: StatusCode, page: String) -> Response {
    (status, Html(page)).into_response()
}

fn said(status: StatusCode, title: &str, text: &str) -> Response {
    shown(
        status,
        pages::page(title, None, &pages::message(title, text)),
    )
}

/// A message as a sentence.
fn sentence(error: &StudyError) -> String {
    let text = error.to_string();
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| {
        first.to_uppercase().chain(letters).collect()
    })
}

#[derive(Debug, Deserialize)]
struct ListPage {
    page: Option<u32>,
}

async fn front(
    State(site): State<Site>,
    Query(list): Query<ListPage>,
    headers: HeaderMap,
) -> Answer {
    let secret = site.secret(&headers).unwrap_or_default();
    let study = site.study();
    let Some(rater) = study.session(&secret)? else {
        return Ok(shown(
            StatusCode::OK,
            pages::page("Sign in", None, &pages::enter(None)),
        ));
    };
    let page = list
        .page
        .unwrap_or(1)
        .clamp(1, rater.items.div_ceil(PER_PAGE).max(1));
    let positions = study.positions(rater.number, (page - 1) * PER_PAGE + 1, PER_PAGE)?;
    let next = study.next_open(rater.number, 0)?;
    let body = pages::overview(
        study.kind,
        (&study.introduction, &study.question),
        &rater,
        &positions,
        next,
    );
    Ok(shown(
        StatusCode::OK,
        pages::page("Items", Some(&rater.name), &body),
    ))
}

async fn enter(State(site): State<Site>, form: Result<Form<Fields>, FormRejection>) -> Answer {
    let token = form
        .ok()
        .and_then(|Form(mut fields)| fields.remove("token"))
        .unwrap_or_default();
    let Some(secret) = site.study().enter(&token)? else {
        let alert = "This token belongs to no rater of this study. Check it, or ask whoever runs the study for a new one.";
        return Ok(shown(
            StatusCode::FORBIDDEN,
            pages::page("Sign in", None, &pages::enter(Some(alert))),
        ));
    };
    let cookie = format!(
        "{}={secret}; HttpOnly; SameSite=Strict; Path=/; Max-Age=31536000",
        site.cookie()
    );
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

async fn leave(State(site): State<Site>, headers: HeaderMap) -> Answer {
    if let Some(secret) = site.secret(&headers) {
        site.study().leave(&secret)?;
    }
    let cookie = format!(
        "{}=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0",
        site.cookie()
    );
    Ok(([(header::SET_COOKIE, cookie)], Redirect::to("/")).into_response())
}

#[derive(Debug, Deserialize)]
struct After {
    after: Option<u32>,
}

async fn next_open(
    State(site): State<Site>,
    Query(after): Query<After>,
    headers: HeaderMap,
) -> Answer {
    let rater = site.rater(&headers)?;
    let next = site
        .study()
        .next_open(rater.number, after.after.unwrap_or(0))?;
    Ok(
        Redirect::to(&next.map_or_else(|| "/".to_owned(), |next| format!("/item/{next}")))
            .into_response(),
    )
}

#[derive(Debug, Deserialize)]
struct SavedNote {
    saved: Option<u32>,
}

async fn item(
    State(site): State<Site>,
    Path(position): Path<u32>,
    Query(saved): Query<SavedNote>,
    headers: HeaderMap,
) -> Answer {
    let rater = site.rater(&headers)?;
    let study = site.study();
    let task = task(&study, &rater, position)?;
    let current = task.current.as_ref();
    let fields = current.map_or_else(Fields::new, |current| {
        current.answer.fields(task.first_is_left)
    });
    let saved = saved
        .saved
        .map(|saved| format!("The answer to item {saved} is saved."));
    let note = Note {
        seen: current.map_or(0, |current| current.seq),
        fields: &fields,
        alert: None,
        saved: saved.as_deref(),
    };
    Ok(page_of(
        &study,
        &rater,
        &task,
        position,
        StatusCode::OK,
        note,
    ))
}

async fn answer(
    State(site): State<Site>,
    Path(position): Path<u32>,
    headers: HeaderMap,
    form: Result<Form<Fields>, FormRejection>,
) -> Answer {
    let rater = site.rater(&headers)?;
    let Form(mut fields) = form.map_err(|rejected| {
        Answered::new(said(
            StatusCode::UNPROCESSABLE_ENTITY,
            "The answer was not saved",
            &rejected.body_text(),
        ))
    })?;
    let mut study = site.study();
    let task = task(&study, &rater, position)?;
    let seen = fields
        .remove("seen")
        .and_then(|seen| seen.parse().ok())
        .unwrap_or(0);
    let again = |study: &Study, status, seen, alert: &str| {
        let note = Note {
            seen,
            fields: &fields,
            alert: Some(alert),
            saved: None,
        };
        Ok(page_of(study, &rater, &task, position, status, note))
    };
    let given = match study.answer(&task, &fields) {
        Ok(given) => given,
        Err(message) => {
            let alert = format!("The answer was not saved. {message}");
            return again(&study, StatusCode::UNPROCESSABLE_ENTITY, seen, &alert);
        }
    };
    match study.record(rater.number, &task, seen, &given) {
        Ok(Recorded::Stored | Recorded::Same) => {
            let next = study.next_open(rater.number, position)?;
            let next = next.map_or_else(
                || "/".to_owned(),
                |next| format!("/item/{next}?saved={position}"),
            );
            Ok(Redirect::to(&next).into_response())
        }
        Ok(Recorded::Conflict(current)) => {
            let alert = format!(
                "The answer was not saved: since this page was opened, this item was answered elsewhere, in another tab or by \
                 an import ({}). Your choice is still below; save it again to replace that answer.",
                current.answer.words(task.first_is_left)
            );
            again(&study, StatusCode::CONFLICT, current.seq, &alert)
        }
        Err(error) => {
            let alert = format!(
                "The answer was not saved: {}. Your choice is still below; {}, then save it again.",
                error,
                error.hint().unwrap_or("ask whoever runs the study")
            );
            again(&study, StatusCode::INSUFFICIENT_STORAGE, seen, &alert)
        }
    }
}

fn task(study: &Study, rater: &Rater, position: u32) -> Result<Task, Answered> {
    study.task(rater.number, position)?.ok_or_else(|| {
        let text = format!("Your items are numbered from 1 to {}.", rater.items);
        Answered::new(said(StatusCode::NOT_FOUND, "Item not found", &text))
    })
}

/// The content of an item's page beside the item.
#[derive(Clone, Copy)]
struct Note<'a> {
    seen: i64,
    fields: &'a Fields,
    alert: Option<&'a str>,
    saved: Option<&'a str>,
}

fn page_of(
    study: &Study,
    rater: &Rater,
    task: &Task,
    position: u32,
    status: StatusCode,
    note: Note<'_>,
) -> Response {
    let body = pages::item(Shown {
        kind: study.kind,
        question: &study.question,
        item: &task.item,
        first_is_left: task.first_is_left,
        position,
        items: rater.items,
        answered: rater.answered,
        seen: note.seen,
        fields: note.fields,
        alert: note.alert,
        saved: note.saved,
    });
    shown(
        status,
        pages::page(&format!("Item {position}"), Some(&rater.name), &body),
    )
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpStream;
    use std::thread;

    use super::*;
    use crate::study::{Item, Kind, NewStudy};
    use crate::{Design, status};

    fn ask(port: u16, request: &str, cookie: &str, form: &str) -> String {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        write!(
            stream,
            "{request} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nconnection: close\r\ncookie: {cookie}\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: {}\r\n\r\n{form}",
            form.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    #[test]
    fn a_full_disk_is_a_page_that_keeps_what_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("writing.sqlite");
        let items = (0..3).map(|at| Item {
            id: format!("f{at}"),
            code: "int f;".to_owned(),
            ..Item::default()
        });
        let study = NewStudy {
            kind: Kind::Write,
            items: items.collect(),
            sources: Default::default(),
            introduction: String::new(),
            question: String::new(),
            raters: vec!["anna".to_owned()],
            design: Design {
                per_group: None,
                shared: 0,
                raters: 1,
                seed: 0,
            },
        };
        let tokens = study.create(&path).unwrap();
        let mut study = Study::open(&path).unwrap();
        let secret = study.enter(&tokens[0].1).unwrap().unwrap();
        // No page can be added to the file from now on, as if the disk were full.
        let pages: u32 = study
            .connection
            .query_row("PRAGMA page_count", [], |row| row.get(0))
            .unwrap();
        study
            .connection
            .query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()))
            .unwrap();
        let cookie = format!("barecode-{}={secret}", study.id);
        let listener = listen(0).unwrap();
        let port = listener.local_addr().unwrap().port();
        let right = study.serving().unwrap();
        thread::spawn(move || serve(study, right, listener));
        let text = format!("A{}", "b".repeat(15_000));
        let full = ask(
            port,
            "POST /item/1",
            &cookie,
            &format!("seen=0&text={text}"),
        );
        assert!(full.starts_with("HTTP/1.1 507"), "{full}");
        assert!(
            full.contains("no space left on the disk") && full.contains(&text),
            "{full}"
        );
        assert!(
            ask(port, "GET /item/1", &cookie, "").starts_with("HTTP/1.1 200"),
            "it goes on"
        );
        // A small answer still fits, and no answer is half stored.
        let other = Study::open(&path).unwrap();
        assert_eq!(status(&other).unwrap().answers, 0);
        let small = ask(port, "POST /item/2", &cookie, "seen=0&text=short");
        assert!(small.starts_with("HTTP/1.1 303"), "{small}");
        assert_eq!(status(&other).unwrap().answers, 1);
    }
}
