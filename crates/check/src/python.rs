//! Python programs against their tests: the only module in which foreign code runs.
//!
//! A program with its [`Tests`] enters; a [`Ran`] leaves. Two things are hard, and each has its own defence.
//!
//! **A program must not reach the machine.** An interpreter that has imported what programs use (`zygote`) forks for
//! each of them. It reads its own files only (landlock); its children make no system call that reaches beyond
//! themselves (`filter`: no sockets, processes, signals, changes of files), have limits on memory, processor time,
//! descriptors and files, and end with barecode, however it ends. The supervisor controls time, output and the end.
//! None of this needs root or namespaces. [`Python::open`] attacks itself first, and returns an error if that
//! succeeds.
//!
//! **A program must not forge a verdict.** The expected results are never in its process. Output on stdout and the
//! examples of docstrings are compared here (`expected`). Test code runs in a second process (`child/judge.py`), as
//! confined as the first, where the names of the program represent calls into it (`child/link.py`). Values travel in
//! a closed set of built-in types (`child/wire.py`), so the comparison is the tests' own. The program's process can
//! only answer a call: a forged frame is a wrong answer or a [`Fault::Crash`](barecode_records::python::Fault),
//! never a pass.
//!
//! A test that two processes cannot run together is [`Ran::NotSeparable`] with the reason, never a guess.
//!
//! Not held:
//!
//! - Where test code compares two objects of the program's own classes, or calls a helper function of the program,
//!   it trusts the program, as the test was written.
//! - Global variables of the program are read once, before the test code starts. `type(x)` of an object of the
//!   program is not its class, and test code cannot derive from one. A built-in name that the program redefines is
//!   the program's for the tests only if it is the tested name (their `entry`, or the only name that they use).
//! - Instances of subclasses of built-in types arrive as the built-in value, without methods of their own.
//! - Test code that looks at what the program prints, or patches it, is not separable. Event loops (`asyncio`) need
//!   sockets, which programs cannot open.
//! - `pytest` is the part of it that small test files use (`child/collect.py`); other uses are not separable.
//! - Time: a program that is near its limit may pass on one machine and not on another; limits that were reached are
//!   therefore not remembered. Waiting for a busy machine does not count (`clock`).
//! - The duration of a call and the free memory of the machine can be seen from inside.
//! - macOS and Windows have none of the locks; this crate is for Linux.

mod answers;
mod clock;
mod config;
mod expected;
mod filter;
mod frame;
mod interpreter;
mod level;
mod ran;
mod session;
mod zygote;

use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use barecode_records::Digest;
use barecode_records::python::{TestKind, Tests};

use crate::CheckError;
use crate::cache::Cache;
use interpreter::{Interpreter, imports};
use session::Session;
use zygote::Zygote;

pub use answers::{Answer, Answers};
pub use config::PythonConfig;
pub use level::Level;
pub use ran::Ran;

/// An interpreter that runs programs in a sandbox. Any number of threads may share it; each gets a zygote of its own.
#[derive(Debug)]
pub struct Python {
    interpreter: Interpreter,
    config: PythonConfig,
    level: Level,
    filters: Vec<Vec<u8>>,
    digest: String,
    cache: Cache,
    /// The zygotes that are not in use.
    idle: Mutex<Vec<Zygote>>,
}

impl Python {
    /// Finds the interpreter and tries the sandbox; verdicts are remembered in `cache`, the file of the verdict cache.
    ///
    /// # Errors
    /// If no working interpreter is found, or no sandbox is available and the configuration does not allow that.
    pub fn open(config: &PythonConfig, cache: Option<&Path>) -> Result<Python, CheckError> {
        let interpreter = Interpreter::find(config.python.as_deref())?;
        let (level, filters) = level::probe(&interpreter, config)?;
        let digest = Digest::new("python")
            .field(&interpreter.build)
            .fields(zygote::sources())
            .fields(imports())
            .field(level.to_string())
            .field(config.seconds.to_le_bytes())
            .field(config.memory_mb.to_le_bytes())
            .field(config.output_kb.to_le_bytes())
            .hex();
        Ok(Python {
            interpreter,
            config: config.clone(),
            level,
            filters,
            digest,
            cache: Cache::open(cache)?,
            idle: Mutex::default(),
        })
    }

    /// The version of the interpreter: `3.11.7`.
    pub fn version(&self) -> &str {
        &self.interpreter.version
    }

    /// The interpreter itself.
    pub fn executable(&self) -> &Path {
        &self.interpreter.executable
    }

    /// The recipe's settings of it.
    pub fn config(&self) -> &PythonConfig {
        &self.config
    }

    /// The locks that hold.
    pub fn level(&self) -> &Level {
        &self.level
    }

    /// A digest of everything that verdicts depend on besides program and tests: interpreter, harness, limits, level.
    pub fn digest(&self) -> String {
        self.digest.clone()
    }

    /// The problems with the cache of verdicts since the last call, in a sentence.
    pub fn damage(&self) -> Option<String> {
        self.cache.damage()
    }

    /// One verdict for each program; all have these tests.
    ///
    /// # Errors
    /// If the interpreter no longer works, or the disk is full.
    pub fn run(&self, tests: &Tests, programs: &[&str]) -> Result<Vec<Ran>, CheckError> {
        let keys: Vec<String> = programs
            .iter()
            .map(|text| self.key("ran", tests, text))
            .collect();
        let mut found = Vec::new();
        for key in &keys {
            found.push(self.cache.answer::<Ran>(key)?);
        }
        let mut open = Vec::new();
        for (index, known) in found.iter().enumerate() {
            if known.is_none() {
                open.push(programs[index]);
            }
        }
        let mut ran = self.sessions(tests, &open, false)?.into_iter();
        let mut all = Vec::new();
        for (key, known) in keys.iter().zip(found) {
            all.push(if let Some(known) = known {
                known
            } else {
                let (ran, _) = ran.next().expect("one for each that is open");
                if ran.is_lasting() {
                    self.cache.put_answer(key, &ran)?;
                }
                ran
            });
        }
        Ok(all)
    }

    /// The lines of a program that its tests run, in order; empty if it does not pass.
    ///
    /// # Errors
    /// As [`Python::run`].
    pub fn coverage(&self, tests: &Tests, program: &str) -> Result<Vec<u32>, CheckError> {
        let key = self.key("lines", tests, program);
        if let Some(known) = self.cache.answer(&key)? {
            return Ok(known);
        }
        let ran = self.sessions(tests, &[program], true)?.into_iter().next();
        let (ran, mut lines) = ran.expect("one for each");
        // The program's process reports the lines that ran; it cannot invent lines.
        let last = u32::try_from(program.lines().count()).unwrap_or(u32::MAX);
        lines.retain(|line| (1..=last).contains(line));
        lines.sort_unstable();
        lines.dedup();
        if ran.is_lasting() {
            self.cache.put_answer(&key, &lines)?;
        }
        Ok(lines)
    }

    /// Puts the inputs of cases, or the examples, to a program, and returns its answers; expected outputs are ignored. `wall`
    /// limits the time for each input or example. With `again` the program runs a second time, though the
    /// cache has its answers.
    ///
    /// # Errors
    /// As [`Python::run`].
    pub fn answers(
        &self,
        asked: &Tests,
        program: &str,
        wall: Duration,
        again: bool,
    ) -> Result<Answers, CheckError> {
        let key = self.key(
            &format!("answers {} {again}", wall.as_millis()),
            asked,
            program,
        );
        if let Some(known) = self.cache.answer(&key)? {
            return Ok(known);
        }
        let answers = self.with_zygote(|zygote| {
            let mut session = Session::new(zygote, asked, wall, false);
            let answers = session.answers(program)?;
            session.end()?;
            Ok(answers)
        })?;
        if answers.end.is_none_or(ran::is_lasting) {
            self.cache.put_answer(&key, &answers)?;
        }
        Ok(answers)
    }

    /// Compiles a text with `CPython`; returns the error in one line if that fails.
    ///
    /// # Errors
    /// As [`Python::run`].
    pub fn compiles(&self, program: &str) -> Result<Result<(), String>, CheckError> {
        let tests = Tests {
            kind: TestKind::Doctest,
            setup: String::new(),
            code: String::new(),
            entry: None,
            cases: Vec::new(),
        };
        let key = self.key("compiles", &tests, program);
        if let Some(known) = self.cache.answer(&key)? {
            return Ok(known);
        }
        let seconds = self.config.seconds;
        let said = self.with_zygote(|zygote| session::compiles(zygote, program, seconds))?;
        self.cache.put_answer(&key, &said)?;
        Ok(said)
    }

    /// Runs programs one after the other, in one zygote as long as it works.
    fn sessions(
        &self,
        tests: &Tests,
        programs: &[&str],
        is_traced: bool,
    ) -> Result<Vec<(Ran, Vec<u32>)>, CheckError> {
        let wall = Duration::from_secs(self.config.seconds.into());
        let mut all = Vec::new();
        while all.len() < programs.len() {
            let begun = all.len();
            self.with_zygote(|zygote| {
                // Answers of a zygote before it broke down are used.
                let mut session = Session::new(zygote, tests, wall, is_traced);
                while let Some(text) = programs.get(all.len()) {
                    all.push(session.run(text)?);
                    if all.len() - begun >= MOST {
                        break;
                    }
                }
                session.end()
            })?;
        }
        Ok(all)
    }

    /// Does something with a zygote. One that breaks down is replaced once.
    fn with_zygote<T>(
        &self,
        mut work: impl FnMut(&mut Zygote) -> io::Result<T>,
    ) -> Result<T, CheckError> {
        let mut attempts = 0;
        loop {
            attempts += 1;
            let done = self.zygote().and_then(|mut zygote| {
                let done = work(&mut zygote)?;
                if !zygote.is_used_up() {
                    self.idle().push(zygote);
                }
                Ok(done)
            });
            match done {
                Ok(done) => return Ok(done),
                Err(_) if attempts == 1 => {}
                Err(source) => {
                    return Err(CheckError::Start {
                        program: self.interpreter.executable.display().to_string(),
                        source,
                    });
                }
            }
        }
    }

    fn zygote(&self) -> io::Result<Zygote> {
        let idle = self.idle().pop();
        idle.map_or_else(
            || Zygote::start(&self.interpreter, &self.config, &self.filters),
            Ok,
        )
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Zygote>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn key(&self, what: &str, tests: &Tests, program: &str) -> String {
        Digest::new("python-run")
            .field(what)
            .field(&self.digest)
            .field(tests.digest().bytes())
            .field(program)
            .hex()
    }
}

/// Programs after which a zygote is looked at again.
const MOST: usize = 500;
