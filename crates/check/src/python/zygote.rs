//! An interpreter that forks: two processes at most at a time, one for a program and one for tests.
//!
//! Starting `CPython` and importing the modules that programs use takes tens of milliseconds, and forking a process
//! that has done both takes one. The zygote is under landlock, in a network of its own where that is permitted, and
//! tied to barecode's life; its children are more confined than it is (`filter`, `child/zygote.py`).
//!
//! All pipes live as long as the zygote. A child has the ends that it needs. The data that it leaves in them is
//! discarded before the next child starts, so that no child receives data for another.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, AsRawFd, RawFd};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};
use serde::Serialize;
use serde_json::{Value, json};

use crate::confine::{
    fix_addresses, hand_down, hang_on, leave_network, limit, poll, restrict, ruleset,
};
use crate::python::PythonConfig;
use crate::python::clock::Deadline;
use crate::python::frame::{Inbox, Outbox};
use crate::python::interpreter::{Interpreter, imports};
use crate::spawn::{Program, spawn};

/// One of the two processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Who {
    Program,
    Judge,
}

impl Who {
    fn letter(self) -> u8 {
        match self {
            Who::Program => b'P',
            Who::Judge => b'J',
        }
    }
}

/// An event of the two processes.
#[derive(Debug)]
pub(crate) enum Event {
    /// The tests' process reports the result.
    Verdict(Value),
    /// The program's process sends a report, which may be false; `None` if it is not even a frame.
    Report(Option<Value>),
    Started(Who),
    /// The process ended, with the status that `wait` returns.
    Ended(Who, i32),
    /// The program has printed more than it may.
    Flood,
    /// Time is over.
    Late,
}

/// The longest frame that the tests' process sends.
const LONGEST_VERDICT: usize = 1 << 20;

/// The number of forks after which a new zygote replaces it.
const FORKS: u32 = 2000;

/// The factor by which a traced run may take longer.
pub(crate) const TRACED: u32 = 5;

/// The number of a process that is being started.
const NOT_KNOWN: i32 = 0;

/// The time limit of the zygote itself for any operation.
const PATIENCE: Duration = Duration::from_mins(1);

#[derive(Debug)]
pub(crate) struct Zygote {
    process: Pid,
    _leash: PipeWriter,
    control: Outbox,
    said: Inbox,
    program: Outbox,
    printed: Inbox,
    report: Inbox,
    judge: Outbox,
    verdict: Inbox,
    cap: usize,
    forks: u32,
    /// The numbers of the two processes, as far as they run.
    running: [Option<i32>; 2],
    /// A verdict that came while its program was ended.
    late: Option<Value>,
    /// True if it is in a network of its own.
    pub(crate) has_own_network: bool,
}

impl Zygote {
    /// Starts an interpreter; `filters` are for its children.
    pub(crate) fn start(
        interpreter: &Interpreter,
        config: &PythonConfig,
        filters: &[Vec<u8>],
    ) -> io::Result<Zygote> {
        let (control_in, control) = io::pipe()?;
        let (said, control_out) = io::pipe()?;
        let (program_in, program) = io::pipe()?;
        let (printed, stdout) = io::pipe()?;
        let (report, report_out) = io::pipe()?;
        let (judge_in, judge) = io::pipe()?;
        let (verdict, judge_out) = io::pipe()?;
        let (held, leash) = io::pipe()?;
        let number = control_in.as_raw_fd().to_string();
        let given = [
            control_in.as_raw_fd(),
            control_out.as_raw_fd(),
            program_in.as_raw_fd(),
            report_out.as_raw_fd(),
            judge_in.as_raw_fd(),
            judge_out.as_raw_fd(),
        ];
        let (process, has_own_network) = begin(interpreter, &number, given, &stdout, &held)?;
        let mut zygote = Zygote {
            process,
            _leash: leash,
            control: Outbox::new(control)?,
            said: Inbox::new(said)?,
            program: Outbox::new(program)?,
            printed: Inbox::new(printed)?,
            report: Inbox::new(report)?,
            judge: Outbox::new(judge)?,
            verdict: Inbox::new(verdict)?,
            cap: config.output_kb as usize * 1024,
            forks: 0,
            running: [None; 2],
            late: None,
            has_own_network,
        };
        drop((control_in, control_out, program_in, stdout, report_out));
        drop((judge_in, judge_out, held));
        let [
            control_in,
            control_out,
            program_in,
            report,
            judge_in,
            judge_out,
        ] = given;
        zygote.control.send(&json!({
            "imports": imports().collect::<Vec<_>>(),
            "modules": MODULES,
            "lazy": LAZY,
            "filters": filters.iter().map(|filter| hex(filter)).collect::<Vec<_>>(),
            "limits": {
                "AS": u64::from(config.memory_mb) << 20,
                // The limit on wall-clock time ends a program; this ends processes that the former does not see.
                "CPU": u64::from(config.seconds) * u64::from(TRACED) + 1,
                "FSIZE": 0,
                "NOFILE": 64,
                "CORE": 0,
            },
            "fds": {
                "control_in": control_in,
                "control_out": control_out,
                "program_in": program_in,
                "report": report,
                "judge_in": judge_in,
                "judge_out": judge_out,
            },
        }))?;
        match zygote.next(&mut Deadline::after(PATIENCE, &[]))? {
            Event::Started(_) => {
                zygote.running = [None; 2];
                Ok(zygote)
            }
            other => Err(io::Error::other(format!("its first word is {other:?}"))),
        }
    }

    /// Starts processes, which wait for their orders. An existing process is ended and its data discarded; the call
    /// does not wait for the new one, whose start is an event.
    pub(crate) fn start_anew(&mut self, all: &[Who]) -> io::Result<()> {
        for who in all {
            self.forks += 1;
            self.control.send_byte(who.letter())?;
        }
        for who in all {
            self.see_end(*who)?;
            self.clear(*who)?;
            self.running[*who as usize] = Some(NOT_KNOWN);
        }
        // That was about another program.
        self.late = None;
        Ok(())
    }

    /// Sends an order to one of the two processes.
    pub(crate) fn order(&mut self, who: Who, order: &impl Serialize) -> io::Result<()> {
        match who {
            Who::Program => self.program.send(order),
            Who::Judge => self.judge.send(order),
        }
    }

    /// Ends one of the two processes, if it has not ended yet.
    pub(crate) fn kill(&mut self, who: Who) -> io::Result<()> {
        if !self.is_alive(who) {
            return self.clear(who);
        }
        self.control.send_byte(who.letter().to_ascii_lowercase())?;
        self.see_end(who)?;
        self.clear(who)
    }

    /// Ends both processes, at once.
    pub(crate) fn kill_both(&mut self) -> io::Result<()> {
        let both = [Who::Program, Who::Judge];
        for who in both {
            if self.is_alive(who) {
                self.control.send_byte(who.letter().to_ascii_lowercase())?;
            }
        }
        for who in both {
            self.see_end(who)?;
            self.clear(who)?;
        }
        Ok(())
    }

    /// Waits for the end of a process, if it runs.
    fn see_end(&mut self, who: Who) -> io::Result<()> {
        let mut end = self.deadline(PATIENCE);
        while self.is_alive(who) {
            match self.next(&mut end)? {
                Event::Late => return Err(io::Error::other("a process that does not end")),
                Event::Verdict(verdict) => self.late = Some(verdict),
                // Other messages of it are no longer needed.
                _ => {}
            }
        }
        Ok(())
    }

    /// Discards the remaining data of a process that has ended.
    fn clear(&mut self, who: Who) -> io::Result<()> {
        match who {
            Who::Program => {
                self.program.forget();
                self.printed.empty()?;
                self.report.empty()
            }
            Who::Judge => {
                self.judge.forget();
                self.verdict.empty()
            }
        }
    }

    fn is_alive(&self, who: Who) -> bool {
        self.running[who as usize].is_some()
    }

    /// The moment at which the time of the two processes is over.
    pub(crate) fn deadline(&self, wall: Duration) -> Deadline {
        Deadline::after(wall, &self.processes())
    }

    fn processes(&self) -> Vec<i32> {
        self.running.into_iter().flatten().collect()
    }

    /// The verdict that came while its program was ended.
    pub(crate) fn late_verdict(&mut self) -> Option<Value> {
        self.late.take()
    }

    /// The output of the program so far.
    pub(crate) fn printed(&self) -> &[u8] {
        &self.printed.bytes
    }

    /// Returns `true` if another should replace it.
    pub(crate) fn is_used_up(&self) -> bool {
        self.forks >= FORKS
    }

    /// Waits for the next event.
    pub(crate) fn next(&mut self, end: &mut Deadline) -> io::Result<Event> {
        loop {
            self.control.write()?;
            // A reader that has ended is reported as such, so that its order may stay unread.
            self.program.write()?;
            self.judge.write()?;
            // The order matters: data that a process wrote before its end is available once its end is.
            self.said.read(4096)?;
            self.printed.read(self.cap.saturating_add(1))?;
            let longest = self.longest_report();
            self.report.read(longest + 4)?;
            self.verdict.read(LONGEST_VERDICT + 4)?;
            if let Some(event) = self.event()? {
                return Ok(event);
            }
            let left = end.left(&self.processes());
            if left.is_zero() {
                return Ok(Event::Late);
            }
            poll(
                [
                    (self.said.descriptor(), false),
                    (self.printed.descriptor(), false),
                    (self.report.descriptor(), false),
                    (self.verdict.descriptor(), false),
                    (self.control.descriptor(), true),
                    (self.program.descriptor(), true),
                    (self.judge.descriptor(), true),
                ],
                left,
            )?;
        }
    }

    /// A report contains the output of an example, which JSON makes up to six times as long.
    fn longest_report(&self) -> usize {
        (1 << 20) + 6 * self.cap
    }

    fn event(&mut self) -> io::Result<Option<Event>> {
        if let Some(verdict) = self
            .verdict
            .frame(LONGEST_VERDICT)
            .map_err(|_| io::Error::other("the tests' process did not send a verdict"))?
        {
            return Ok(Some(Event::Verdict(verdict)));
        }
        match self.report.frame(self.longest_report()) {
            Ok(Some(report)) => return Ok(Some(Event::Report(Some(report)))),
            Ok(None) => {}
            Err(_) => {
                self.report.empty()?;
                return Ok(Some(Event::Report(None)));
            }
        }
        if self.printed.bytes.len() > self.cap {
            self.printed.bytes.clear();
            return Ok(Some(Event::Flood));
        }
        let Some((&[who, what, _, _, a, b, c, d], rest)) = self.said.bytes.split_first_chunk()
        else {
            return if self.said.is_closed {
                Err(io::Error::other("it has ended"))
            } else {
                Ok(None)
            };
        };
        self.said.bytes = rest.to_vec();
        let status = i32::from_le_bytes([a, b, c, d]);
        let who = if who == b'J' {
            Who::Judge
        } else {
            Who::Program
        };
        match what {
            b's' => {
                self.running[who as usize] = Some(status);
                Ok(Some(Event::Started(who)))
            }
            b'e' => {
                self.running[who as usize] = None;
                Ok(Some(Event::Ended(who, status)))
            }
            _ => Err(io::Error::from_raw_os_error(status)),
        }
    }
}

impl Drop for Zygote {
    fn drop(&mut self) {
        // The group is gone if all of it has ended.
        let _ = kill_process_group(self.process, Signal::KILL);
        let _ = waitpid(Some(self.process), WaitOptions::empty());
    }
}

fn begin(
    interpreter: &Interpreter,
    number: &str,
    given: [RawFd; 6],
    stdout: &PipeWriter,
    held: &PipeReader,
) -> io::Result<(Pid, bool)> {
    let null = File::options().read(true).write(true).open("/dev/null")?;
    let ruleset = ruleset(&interpreter.files, None)?;
    let ruleset = ruleset.as_ref().map(AsRawFd::as_raw_fd);
    let options = [
        "-B",
        "-S",
        "-s",
        "-c",
        include_str!("child/zygote.py"),
        number,
    ];
    let arguments = options.map(OsStr::new);
    let parent = std::process::id();
    let held = held.as_raw_fd();
    let has_own_network = AtomicBool::new(false);
    let prepare = || -> io::Result<()> {
        hang_on(parent, held)?;
        for descriptor in given {
            hand_down(descriptor)?;
        }
        for (resource, wanted) in [
            (libc::RLIMIT_CORE, 0),
            (libc::RLIMIT_NOFILE, 256),
            (libc::RLIMIT_STACK, 64 << 20),
        ] {
            limit(resource, wanted)?;
        }
        fix_addresses();
        has_own_network.store(leave_network(), Ordering::Relaxed);
        restrict(ruleset)
    };
    let environment: Vec<(&'static str, OsString)> = Interpreter::environment();
    let process = spawn(
        &Program {
            file: &interpreter.executable,
            arguments: &arguments,
            environment,
            folder: Path::new("/"),
            streams: [null.as_fd(), stdout.as_fd(), null.as_fd()],
        },
        &prepare,
    )?;
    Ok((process, has_own_network.load(Ordering::Relaxed)))
}

/// The harness in the order in which its parts need each other.
const MODULES: &[(&str, &str)] = &[
    ("barecode_wire", include_str!("child/wire.py")),
    ("barecode_link", include_str!("child/link.py")),
    ("barecode_program", include_str!("child/program.py")),
    ("barecode_judge", include_str!("child/judge.py")),
];

/// The part of the harness that only some tests need.
const LAZY: &str = include_str!("child/collect.py");

/// Everything that decides how a program is run.
pub(crate) fn sources() -> impl Iterator<Item = &'static str> {
    let modules = MODULES.iter().map(|(_, source)| *source);
    modules.chain([LAZY, include_str!("child/zygote.py")])
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}
