//! One program against its tests, in the two processes of a zygote.

use std::io;
use std::time::Duration;

use barecode_records::python::{Fault, TestKind, Tests};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::python::answers::{Answer, Answers};
use crate::python::expected::{Shown, difference, directive, is_as_shown};
use crate::python::ran::Ran;
use crate::python::zygote::{Event, TRACED, Who, Zygote};

/// The time that the tests' process has to report its position.
const GRACE: Duration = Duration::from_secs(2);

/// A zygote at work on the tests of one call.
pub(crate) struct Session<'a> {
    zygote: &'a mut Zygote,
    tests: &'a Tests,
    wall: Duration,
    /// True if each example has this time, not all together.
    is_for_each: bool,
    /// True if the lines that run are requested.
    is_traced: bool,
    /// The number of the run, so that late orders are recognized.
    run: u32,
    /// True if the tests' process runs.
    has_judge: bool,
}

/// The report of a program's process about itself: it is used only to detect failures.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Report {
    error: Option<Raised>,
    load: Option<Raised>,
    printed: Option<String>,
    said: Option<String>,
    lines: Option<Vec<u32>>,
}

#[derive(Debug, Deserialize)]
struct Raised {
    r#type: String,
    text: String,
    fault: Fault,
}

impl Raised {
    fn failure(&self, test: Option<u32>) -> Ran {
        let message = format!("{}: {}", self.r#type, self.text);
        Ran::failed(self.fault, test, message.trim_end_matches(": "))
    }
}

/// The verdict of the tests' process.
#[derive(Debug, Deserialize)]
struct Verdict {
    passed: Option<u32>,
    failed: Option<Fault>,
    unserved: Option<String>,
    #[serde(default)]
    test: Option<u32>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    lines: Vec<u32>,
    #[serde(default)]
    gone: Option<u32>,
}

impl<'a> Session<'a> {
    pub(crate) fn new(
        zygote: &'a mut Zygote,
        tests: &'a Tests,
        wall: Duration,
        is_traced: bool,
    ) -> Self {
        let times = if is_traced { TRACED } else { 1 };
        Session {
            zygote,
            tests,
            wall: wall * times,
            is_for_each: false,
            is_traced,
            run: 0,
            has_judge: false,
        }
    }

    /// Runs a program; returns the lines that ran if they are requested and it passes.
    pub(crate) fn run(&mut self, text: &str) -> io::Result<(Ran, Vec<u32>)> {
        match self.tests.kind {
            TestKind::Stdio => self.stdio(text),
            TestKind::Asserts | TestKind::Pytest => self.served(text),
            TestKind::Doctest => self.doctest(text),
        }
    }

    /// The output of a script.
    pub(crate) fn printed(&mut self, text: &str) -> io::Result<Result<String, Ran>> {
        let case = self.case(text, "")?;
        Ok(case
            .map(|(printed, _)| printed)
            .map_err(|(fault, message)| Ran::failed(fault, None, &message)))
    }

    /// Ends the processes that still run.
    pub(crate) fn end(self) -> io::Result<()> {
        self.zygote.kill_both()
    }

    fn stdio(&mut self, text: &str) -> io::Result<(Ran, Vec<u32>)> {
        let mut lines = Vec::new();
        for (test, case) in (1..).zip(&self.tests.cases) {
            match self.case(text, &case.input)? {
                Err((fault, message)) => {
                    return Ok((Ran::failed(fault, Some(test), &message), Vec::new()));
                }
                Ok((printed, ran)) => {
                    if let Some(other) = difference(&case.output, &printed) {
                        let failed = Ran::failed(Fault::WrongAnswer, Some(test), &other);
                        return Ok((failed, Vec::new()));
                    }
                    lines.extend(ran);
                }
            }
        }
        let tests = count(self.tests.cases.len());
        Ok((Ran::Passed { tests }, lines))
    }

    /// The output of a program for an input.
    fn case(&mut self, text: &str, input: &str) -> io::Result<Case> {
        self.zygote.start_anew(&[Who::Program])?;
        let order = json!({
            "mode": "stdio",
            "setup": self.tests.setup,
            "text": text,
            "input": input,
            "lines": self.is_traced,
        });
        self.zygote.order(Who::Program, &order)?;
        let mut end = self.zygote.deadline(self.wall);
        let mut said = Report::default();
        let result = loop {
            match self.zygote.next(&mut end)? {
                Event::Report(report) => match report.map(serde_json::from_value) {
                    Some(Ok(report)) => said = report,
                    _ => break Err((Fault::Crash, FORGED.to_owned())),
                },
                Event::Ended(Who::Program, status) => {
                    break match (status, said.error.take()) {
                        (_, Some(error)) => {
                            let text = format!("{}: {}", error.r#type, error.text);
                            Err((error.fault, text.trim_end_matches(": ").to_owned()))
                        }
                        (0, None) => {
                            let printed = String::from_utf8_lossy(self.zygote.printed());
                            Ok((printed.into_owned(), said.lines.take().unwrap_or_default()))
                        }
                        (status, None) => Err(ended(status)),
                    };
                }
                Event::Flood => break Err((Fault::Output, FLOOD.to_owned())),
                Event::Late => break Err((Fault::Timeout, self.late())),
                Event::Started(_) => end = self.zygote.deadline(self.wall),
                Event::Ended(Who::Judge, _) | Event::Verdict(_) => {}
            }
        };
        self.zygote.kill(Who::Program)?;
        Ok(result)
    }

    fn doctest(&mut self, text: &str) -> io::Result<(Ran, Vec<u32>)> {
        let cases = &self.tests.cases;
        if let Some(directive) = cases.iter().find_map(|case| directive(&case.input)) {
            let reason = format!("an example has the directive `{directive}`");
            return Ok((Ran::not_separable(&reason), Vec::new()));
        }
        let seen = self.examples(text, |test, report| {
            let case = cases.get(test)?;
            let printed = report.printed.as_deref().unwrap_or_default();
            let said = report.said.as_deref();
            if is_as_shown(&case.output, &Shown { printed, said }) {
                return None;
            }
            let test = Some(count(test + 1));
            Some(if let Some(error) = &report.error {
                error.failure(test)
            } else {
                let other = difference(&case.output, printed);
                let other = other.unwrap_or_else(|| "blanks differ".to_owned());
                Ran::failed(Fault::WrongAnswer, test, &other)
            })
        })?;
        Ok(match seen {
            Seen::All(lines) => {
                let tests = count(cases.len());
                (Ran::Passed { tests }, lines)
            }
            Seen::Enough(ran) => (ran, Vec::new()),
            Seen::NotLoaded(error) => (error.failure(None), Vec::new()),
            Seen::Ended {
                done,
                fault,
                message,
            } => {
                let test = Some(count(done + 1));
                (Ran::failed(fault, test, &message), Vec::new())
            }
        })
    }

    /// Runs the examples in a docstring's way, one after the other, until `look` has seen enough of their results.
    fn examples<T>(
        &mut self,
        text: &str,
        mut look: impl FnMut(usize, &Report) -> Option<T>,
    ) -> io::Result<Seen<T>> {
        self.zygote.start_anew(&[Who::Program])?;
        let cases = &self.tests.cases;
        let examples = cases.iter().map(|case| &case.input).collect::<Vec<_>>();
        let order = json!({
            "mode": "doctest",
            "name": "program",
            "setup": self.tests.setup,
            "text": text,
            "input": "",
            "examples": examples,
            "lines": self.is_traced,
        });
        self.zygote.order(Who::Program, &order)?;
        let mut end = self.zygote.deadline(self.wall);
        let mut done = 0;
        let (fault, message) = loop {
            match self.zygote.next(&mut end)? {
                Event::Report(report) => {
                    let Some(Ok(report)) = report.map(serde_json::from_value::<Report>) else {
                        break (Fault::Crash, FORGED.to_owned());
                    };
                    if let Some(error) = report.load {
                        return Ok(Seen::NotLoaded(error));
                    }
                    if done == cases.len() {
                        return Ok(Seen::All(report.lines.unwrap_or_default()));
                    }
                    if let Some(enough) = look(done, &report) {
                        return Ok(Seen::Enough(enough));
                    }
                    done += 1;
                    if self.is_for_each {
                        end = self.zygote.deadline(self.wall);
                    }
                }
                Event::Ended(Who::Program, status) => break ended(status),
                Event::Flood => break (Fault::Output, FLOOD.to_owned()),
                Event::Late => break (Fault::Timeout, self.late()),
                Event::Started(_) => end = self.zygote.deadline(self.wall),
                Event::Ended(Who::Judge, _) | Event::Verdict(_) => {}
            }
        };
        Ok(Seen::Ended {
            done,
            fault,
            message,
        })
    }

    /// The answers of a program to the inputs of the cases; expected outputs are ignored.
    pub(crate) fn answers(&mut self, text: &str) -> io::Result<Answers> {
        let mut answers = Answers::default();
        self.is_for_each = true;
        if self.tests.kind != TestKind::Stdio {
            let seen = self.examples(text, |_, report| {
                answers.given.push(Answer {
                    printed: report.printed.clone().unwrap_or_default(),
                    error: report.said.clone(),
                });
                None::<()>
            })?;
            answers.end = match seen {
                Seen::All(_) | Seen::Enough(()) => None,
                Seen::NotLoaded(error) => Some(error.fault),
                Seen::Ended { fault, .. } => Some(fault),
            };
            return Ok(answers);
        }
        for case in &self.tests.cases {
            answers.given.push(match self.case(text, &case.input)? {
                Ok((printed, _)) => Answer {
                    printed,
                    error: None,
                },
                Err((Fault::Exception | Fault::Forbidden, message)) => Answer {
                    printed: String::new(),
                    error: Some(message),
                },
                Err((fault, _)) => {
                    answers.end = Some(fault);
                    break;
                }
            });
        }
        Ok(answers)
    }

    /// Runs the tests, whose calls the program's process answers.
    fn served(&mut self, text: &str) -> io::Result<(Ran, Vec<u32>)> {
        if self.has_judge {
            self.zygote.start_anew(&[Who::Program])?;
        } else {
            self.zygote.start_anew(&[Who::Judge, Who::Program])?;
            self.has_judge = true;
            let order = json!({
                "kind": self.tests.kind,
                "setup": self.tests.setup,
                "code": self.tests.code,
                "entry": self.tests.entry,
            });
            self.zygote.order(Who::Judge, &order)?;
        }
        let name = match (self.tests.kind, &self.tests.entry) {
            (TestKind::Pytest, Some(name)) => name,
            _ => "program",
        };
        let order = json!({
            "mode": "serve",
            "name": name,
            "setup": self.tests.setup,
            "text": text,
            "input": "",
            "lines": self.is_traced,
        });
        self.zygote.order(Who::Program, &order)?;
        self.run += 1;
        let mut end = self.zygote.deadline(self.wall);
        let (fault, message) = loop {
            match self.zygote.next(&mut end)? {
                Event::Started(Who::Program) => {
                    // Before that, no process would answer.
                    let go = json!({"run": self.run, "lines": self.is_traced});
                    self.zygote.order(Who::Judge, &go)?;
                    end = self.zygote.deadline(self.wall);
                }
                Event::Verdict(verdict) => return verdict_of(verdict),
                Event::Ended(Who::Program, status) => break ended(status),
                Event::Ended(Who::Judge, status) => {
                    self.has_judge = false;
                    let reason = format!("the tests' process: {}", ended(status).1);
                    return Ok((Ran::not_separable(&reason), Vec::new()));
                }
                Event::Flood => break (Fault::Output, FLOOD.to_owned()),
                Event::Late => break (Fault::Timeout, self.late()),
                Event::Started(Who::Judge) | Event::Report(_) => {}
            }
        };
        self.zygote.kill(Who::Program)?;
        let test = self.test_at_end()?;
        Ok((Ran::failed(fault, test, &message), Vec::new()))
    }

    /// The test that was running when the program's process ended.
    fn test_at_end(&mut self) -> io::Result<Option<u32>> {
        self.zygote.order(Who::Judge, &json!({"gone": self.run}))?;
        if let Some(verdict) = self.zygote.late_verdict() {
            let verdict = serde_json::from_value::<Verdict>(verdict)?;
            return Ok(verdict.test.or(verdict.gone));
        }
        let mut end = self.zygote.deadline(GRACE);
        loop {
            match self.zygote.next(&mut end)? {
                Event::Verdict(verdict) => {
                    let verdict = serde_json::from_value::<Verdict>(verdict)?;
                    return Ok(verdict.gone.or(verdict.test));
                }
                Event::Late => {
                    // It is the test code itself that does not end.
                    self.has_judge = false;
                    return Ok(None);
                }
                Event::Ended(Who::Judge, _) => {
                    self.has_judge = false;
                    return Ok(None);
                }
                _ => {}
            }
        }
    }

    fn late(&self) -> String {
        format!("longer than {} s", self.wall.as_secs_f64())
    }
}

/// The end of a run of examples.
enum Seen<T> {
    /// All ran; with the lines that ran, if they were requested.
    All(Vec<u32>),
    /// The finding in one of them, at which the run stopped.
    Enough(T),
    /// The program itself raised an exception.
    NotLoaded(Raised),
    /// Its process ended after `done` examples.
    Ended {
        done: usize,
        fault: Fault,
        message: String,
    },
}

/// The output of a program and the lines that ran, or the failure.
type Case = Result<(String, Vec<u32>), (Fault, String)>;

const FLOOD: &str = "it prints more than allowed";
const FORGED: &str = "its process wrote into the pipe of reports";

fn verdict_of(verdict: Value) -> io::Result<(Ran, Vec<u32>)> {
    let verdict = serde_json::from_value::<Verdict>(verdict)?;
    Ok(match verdict {
        Verdict {
            unserved: Some(reason),
            ..
        } => (Ran::not_separable(&reason), Vec::new()),
        Verdict {
            failed: Some(fault),
            test,
            message,
            ..
        } => (Ran::failed(fault, test, &message), Vec::new()),
        Verdict {
            passed: Some(tests),
            lines,
            ..
        } => (Ran::Passed { tests }, lines),
        _ => return Err(io::Error::other("an empty verdict")),
    })
}

/// The meaning of the status that `wait` returns.
fn ended(status: i32) -> (Fault, String) {
    if libc::WIFSIGNALED(status) {
        return match libc::WTERMSIG(status) {
            libc::SIGXCPU => (Fault::Timeout, "processor time is over".to_owned()),
            libc::SIGKILL => (Fault::Memory, "the system ended it".to_owned()),
            libc::SIGSYS => (Fault::Forbidden, "a forbidden system call".to_owned()),
            signal => (Fault::Crash, format!("it ended by signal {signal}")),
        };
    }
    let status = libc::WEXITSTATUS(status);
    let message = format!("it ended with exit status {status} before its tests did");
    (Fault::Crash, message)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Checks with `CPython` that a text is a program.
pub(crate) fn compiles(
    zygote: &mut Zygote,
    text: &str,
    seconds: u32,
) -> io::Result<Result<(), String>> {
    zygote.start_anew(&[Who::Program])?;
    let order = json!({"mode": "compile", "text": text, "input": ""});
    zygote.order(Who::Program, &order)?;
    let mut end = zygote.deadline(Duration::from_secs(seconds.into()));
    let result = loop {
        match zygote.next(&mut end)? {
            Event::Report(report) => {
                let report = report.map(serde_json::from_value::<Report>);
                break match report {
                    Some(Ok(Report { error: None, .. })) => Ok(()),
                    Some(Ok(Report {
                        error: Some(error), ..
                    })) => Err(crate::python::ran::line(&format!(
                        "{}: {}",
                        error.r#type, error.text
                    ))),
                    _ => Err(FORGED.to_owned()),
                };
            }
            Event::Ended(Who::Program, status) => break Err(ended(status).1),
            Event::Late => break Err("it takes too long".to_owned()),
            _ => {}
        }
    };
    zygote.kill(Who::Program)?;
    Ok(result)
}
