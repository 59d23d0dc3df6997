//! A real browser that a test drives: Chromium, over its `DevTools` protocol.

use std::cell::{Cell, RefCell};
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use tungstenite::{Message, WebSocket};

use crate::needs;

/// The number of 20 ms waits for a page to load.
const PATIENCE: u32 = 1_000;

/// A running browser without a window.
#[derive(Debug)]
pub struct Browser {
    child: Child,
    _profile: TempDir,
    socket: RefCell<WebSocket<TcpStream>>,
    calls: Cell<u64>,
}

/// Cookies and storage that several tabs share.
#[derive(Debug)]
pub struct Context<'b> {
    browser: &'b Browser,
    id: String,
}

/// A tab.
#[derive(Debug)]
pub struct Page<'b> {
    browser: &'b Browser,
    session: String,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Browser {
    /// Starts Chromium; `None`, listed among the skipped tests, if it is not installed: not every Debian has it.
    ///
    /// # Panics
    /// If it starts and cannot be talked to.
    #[expect(
        clippy::disallowed_methods,
        reason = "a test looks at pages as a person does, with another program"
    )]
    pub fn start() -> Option<Browser> {
        let profile = tempfile::tempdir().expect("a folder can be made");
        let started = Command::new("chromium")
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
            ])
            .args([
                "--disable-background-networking",
                "--remote-debugging-port=0",
                "about:blank",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn();
        let Ok(mut child) = started else {
            needs::not_here("chromium is not installed");
            return None;
        };
        let mut lines = BufReader::new(child.stderr.take().expect("stderr is a pipe")).lines();
        let url = loop {
            let line = lines
                .next()
                .expect("chromium says where it listens")
                .expect("it writes text");
            if let Some(url) = line.strip_prefix("DevTools listening on ") {
                break url.to_owned();
            }
        };
        // It must not stop because its output is not read.
        thread::spawn(move || lines.for_each(drop));
        let (address, _) = url
            .trim_start_matches("ws://")
            .split_once('/')
            .expect("an address has a path");
        let stream = TcpStream::connect(address).expect("chromium listens");
        stream
            .set_read_timeout(Some(Duration::from_mins(1)))
            .expect("a limit can be set");
        let (socket, _) = tungstenite::client(&url, stream).expect("chromium speaks WebSocket");
        Some(Browser {
            child,
            _profile: profile,
            socket: RefCell::new(socket),
            calls: Cell::new(0),
        })
    }

    /// Cookies and storage of their own.
    ///
    /// # Panics
    /// If the browser ended.
    pub fn context(&self) -> Context<'_> {
        let made = self.call(None, "Target.createBrowserContext", &json!({}));
        Context {
            browser: self,
            id: text(&made, "browserContextId"),
        }
    }

    fn call(&self, session: Option<&str>, method: &str, parameters: &Value) -> Value {
        let answer = self.try_call(session, method, parameters);
        answer.unwrap_or_else(|error| panic!("{method}: {error}"))
    }

    fn try_call(
        &self,
        session: Option<&str>,
        method: &str,
        parameters: &Value,
    ) -> Result<Value, Value> {
        let id = self.calls.get() + 1;
        self.calls.set(id);
        let mut call = json!({"id": id, "method": method, "params": parameters});
        if let Some(session) = session {
            call["sessionId"] = session.into();
        }
        let mut socket = self.socket.borrow_mut();
        socket
            .send(Message::text(call.to_string()))
            .expect("the browser reads");
        loop {
            let Message::Text(text) = socket.read().expect("the browser answers") else {
                continue;
            };
            let mut answer: Value = serde_json::from_str(&text).expect("it answers in JSON");
            if answer["id"] == id {
                return if answer["error"].is_null() {
                    Ok(answer["result"].take())
                } else {
                    Err(answer["error"].take())
                };
            }
        }
    }
}

/// The widths and color schemes in which a page is looked at.
pub const LOOKS: [(u32, &str); 4] = [
    (390, "light"),
    (390, "dark"),
    (1280, "light"),
    (1280, "dark"),
];

impl<'b> Context<'b> {
    /// A new tab of a width and color scheme.
    ///
    /// # Panics
    /// If the browser ended.
    pub fn page_in(&self, (width, scheme): (u32, &str)) -> Page<'b> {
        let page = self.page(width, 900);
        let media = json!({"features": [{"name": "prefers-color-scheme", "value": scheme}]});
        page.call("Emulation.setEmulatedMedia", &media);
        page
    }

    /// A new tab of this size.
    ///
    /// # Panics
    /// If the browser ended.
    pub fn page(&self, width: u32, height: u32) -> Page<'b> {
        let browser = self.browser;
        let target = browser.call(
            None,
            "Target.createTarget",
            &json!({"url": "about:blank", "browserContextId": self.id}),
        );
        let attached = browser.call(
            None,
            "Target.attachToTarget",
            &json!({"targetId": target["targetId"], "flatten": true}),
        );
        let page = Page {
            browser,
            session: text(&attached, "sessionId"),
        };
        page.call("Page.enable", &json!({}));
        let size = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        page.call("Emulation.setDeviceMetricsOverride", &size);
        page
    }
}

impl Page<'_> {
    /// Calls a method of the protocol in this tab.
    ///
    /// # Panics
    /// If the browser refuses.
    pub fn call(&self, method: &str, parameters: &Value) -> Value {
        self.browser.call(Some(&self.session), method, parameters)
    }

    /// Opens an address and waits for the page.
    ///
    /// # Panics
    /// If it does not load.
    pub fn open(&self, url: &str) {
        let opened = self.call("Page.navigate", &json!({"url": url}));
        assert!(opened["errorText"].is_null(), "{url}: {opened}");
        self.wait("document.readyState === 'complete'");
    }

    /// The value of an expression on the page.
    ///
    /// # Panics
    /// If it fails.
    pub fn value(&self, expression: &str) -> Value {
        self.try_value(expression).unwrap_or_else(|| {
            panic!(
                "{expression} fails on {:?}",
                self.try_value("location.href")
            )
        })
    }

    fn try_value(&self, expression: &str) -> Option<Value> {
        let asked = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let mut found = self
            .browser
            .try_call(Some(&self.session), "Runtime.evaluate", &asked)
            .ok()?;
        found["exceptionDetails"]
            .is_null()
            .then(|| found["result"]["value"].take())
    }

    /// Waits until an expression is true.
    ///
    /// # Panics
    /// If it stays false.
    pub fn wait(&self, expression: &str) {
        for _ in 0..PATIENCE {
            if self.try_value(expression) == Some(Value::Bool(true)) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        panic!("{expression} stays false on {}", self.text("body"));
    }

    /// The text of the first element that fits.
    ///
    /// # Panics
    /// If no such element exists.
    pub fn text(&self, selector: &str) -> String {
        let found = self.value(&format!(
            "document.querySelector({selector:?})?.innerText ?? null"
        ));
        found
            .as_str()
            .unwrap_or_else(|| panic!("no {selector} here"))
            .to_owned()
    }

    /// Clicks the first element that fits.
    ///
    /// # Panics
    /// If no such element exists.
    pub fn click(&self, selector: &str) {
        self.act(&format!("document.querySelector({selector:?}).click()"));
    }

    /// Does something on the page that may lead away from it.
    ///
    /// # Panics
    /// If it fails.
    pub fn act(&self, expression: &str) {
        let asked = json!({"expression": expression});
        let session = Some(self.session.as_str());
        // If the page goes away before the browser answers, no answer comes.
        if let Ok(done) = self.browser.try_call(session, "Runtime.evaluate", &asked) {
            let thrown = &done["exceptionDetails"];
            assert!(thrown.is_null(), "{expression}: {thrown}");
        }
    }

    /// Does something that leads to another page, and waits for that.
    ///
    /// # Panics
    /// If no other page comes.
    pub fn leaving(&self, action: impl FnOnce(&Self)) {
        self.value("window.isOldPage = true");
        action(self);
        self.wait("window.isOldPage === undefined && document.readyState === 'complete'");
    }

    /// Presses a key as a person would.
    ///
    /// # Panics
    /// If the browser ended.
    pub fn press(&self, key: &str) {
        let (text, code) = match key {
            "Enter" => ("\r", 13),
            "Tab" => ("", 9),
            key => (key, 0),
        };
        let event = |kind: &str| json!({"type": kind, "key": key, "text": text, "windowsVirtualKeyCode": code});
        self.call("Input.dispatchKeyEvent", &event("keyDown"));
        self.call(
            "Input.dispatchKeyEvent",
            &json!({"type": "keyUp", "key": key, "windowsVirtualKeyCode": code}),
        );
    }
}

fn text(value: &Value, name: &str) -> String {
    value[name]
        .as_str()
        .expect("the protocol has this field")
        .to_owned()
}
