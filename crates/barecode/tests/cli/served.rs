//! A study that the binary serves, and who signs in.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use barecode_testing::http;

use crate::project::{Project, program};

/// A server that is killed at the end, if not before.
pub(crate) struct Served {
    child: Child,
    pub(crate) port: u16,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.kill();
    }
}

impl Served {
    pub(crate) fn start(project: &Project, file: &str, port: u16) -> Served {
        Self::of(project.start(&["study", "serve", file, "--port", &port.to_string()]))
    }

    /// With few descriptors.
    pub(crate) fn within(project: &Project, file: &str, descriptors: u32) -> Served {
        let usual = project.command(&["study", "serve", file, "--port", "0"]);
        let mut shell = program("sh");
        let script = format!("ulimit -n {descriptors} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script]).arg(usual.get_program());
        shell.args(usual.get_args()).current_dir(project.path("."));
        shell.stdout(Stdio::piped()).stderr(Stdio::piped());
        Self::of(shell.spawn().unwrap())
    }

    fn of(mut child: Child) -> Served {
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap())
            .read_line(&mut line)
            .unwrap();
        let Some(port) = line
            .trim()
            .strip_prefix("http://127.0.0.1:")
            .and_then(|port| port.parse().ok())
        else {
            let mut stderr = String::new();
            child
                .stderr
                .as_mut()
                .unwrap()
                .read_to_string(&mut stderr)
                .unwrap();
            panic!("{line}{stderr}");
        };
        Served { child, port }
    }

    /// As `kill -9`: it has no time for anything.
    pub(crate) fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// As Ctrl-C: the exit code.
    pub(crate) fn interrupt(mut self) -> Option<i32> {
        // The shell has a `kill` of its own, where the program may not be installed.
        let script = ["-c", "kill -INT \"$0\"", &self.child.id().to_string()];
        program("sh").args(script).status().unwrap();
        self.child.wait().unwrap().code()
    }

    /// What it wrote to stderr until it was killed.
    pub(crate) fn log(mut self) -> String {
        self.kill();
        let mut text = String::new();
        self.child
            .stderr
            .as_mut()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        self.child
            .stdout
            .as_mut()
            .unwrap()
            .read_to_string(&mut text)
            .unwrap();
        text
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    /// Signs in without a browser: the cookie.
    pub(crate) fn cookie(&self, token: &str) -> String {
        let answer = http::request(self.port, "POST", "/enter", &[], &format!("token={token}"));
        assert_eq!(answer.status, 303, "{}", answer.body);
        let cookie = answer.header("set-cookie").unwrap();
        assert!(cookie.contains("; HttpOnly; SameSite=Strict;"), "{cookie}");
        cookie.split(';').next().unwrap().to_owned()
    }

    /// A page as a rater gets it.
    pub(crate) fn page(&self, path: &str, cookie: &str) -> http::Answer {
        http::request(self.port, "GET", path, &[("cookie", cookie)], "")
    }
}
