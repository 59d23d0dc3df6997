//! The compiler that decides.
//!
//! [`Compiler::probe`] finds it, and learns its version, its own folders and the flags that it accepts. It also
//! compiles a few lines, so that a machine without C headers is noticed before the first function. After that every
//! text is `unit.c` in a fresh folder, compiled to `unit.o`: neither name nor folder can reach the object.
//!
//! The flags preserve unused functions (`-fkeep-static-functions`) and drop everything that would distinguish two
//! equal texts (`-g0`, `-fno-ident`). Warnings are not enabled, but calling a function without a declaration is
//! refused whatever the compiler's age: old ones only warn, and a unit with a missing item would pass as one that
//! calls `int f()`. Warnings that newer compilers turned into errors are switched off for the same reason: a verdict
//! should not depend on the compiler's version.

mod probe;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use barecode_records::{Digest, Language, Toolchain};

use crate::confine::{self, Ending, Finished, Job, Limits, Sight};
use crate::dialect::Dialect;
use crate::object::{Mark, Object, SCHEME};
use crate::order::{ALL_ERRORS, Done, Order, Work};
use crate::printed::{says_full, why_not};
use crate::purpose::{Purpose, install_hint};
use crate::question::{KEEPER, Question};
use crate::workplace::{Scratch, Workplace};
use crate::{CheckConfig, CheckError, Verdict};

const MIB: u64 = 1 << 20;

/// Limits for our own questions (versions, macros), which a strict recipe must not spoil.
const QUESTION: Limits = Limits {
    seconds: 30,
    wall: Duration::from_mins(2),
    memory_bytes: 4096 * MIB,
    file_bytes: 64 * MIB,
    printed_bytes: 64 << 20,
    kept_bytes: 64 << 20,
};

/// Turns off a pass of g++ that detects functions that cannot throw. Its result depends on the order in which functions
/// are emitted, and so on the other texts of a process. Listings are compiled with it if the compiler accepts it.
const NO_INFERENCE: &str = "-fdisable-rtl-nothrow";

/// Limits for precompiled headers, which are large.
const HEADER: Limits = Limits {
    file_bytes: 512 * MIB,
    kept_bytes: 64 << 10,
    ..QUESTION
};

/// A compiler that was found, asked for its version, and seen to work.
#[derive(Debug, Clone)]
pub struct Compiler {
    dialect: &'static Dialect,
    config: CheckConfig,
    workplace: Arc<Workplace>,
    purpose: Purpose,
    program: PathBuf,
    readable: Vec<PathBuf>,
    toolchain: Toolchain,
    /// True if it accepts [`NO_INFERENCE`].
    can_stop_inference: bool,
    /// True if the kernel confines it to its own files.
    is_confined: bool,
    predefined: String,
    /// Digest of the assembler's version and of the C library's headers.
    surroundings: String,
}

impl Compiler {
    /// The error for a missing compiler.
    pub(crate) fn missing(config: &CheckConfig, language: Language) -> CheckError {
        let program = match Dialect::of(language) {
            Ok(dialect) => (dialect.program)(config),
            Err(error) => return error,
        };
        CheckError::CompilerMissing {
            program: program.clone(),
            language,
            hint: install_hint(program),
        }
    }

    /// The number of processes started so far: the cost of checking, on any machine.
    pub fn started(&self) -> u64 {
        self.workplace.started.load(Ordering::Relaxed)
    }

    /// The same as a count that can be looked at while it works.
    pub(crate) fn count(&self) -> impl Fn() -> u64 + Send + Sync + 'static {
        let workplace = Arc::clone(&self.workplace);
        move || workplace.started.load(Ordering::Relaxed)
    }

    /// The language that it judges.
    pub fn language(&self) -> Language {
        self.dialect.language
    }

    /// Its name and version, for the records.
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// The recipe's part about it.
    pub fn config(&self) -> &CheckConfig {
        &self.config
    }

    /// Digest of all that its verdicts depend on: the toolchain, the assembler, the C library's headers, the
    /// limits, the version of the fingerprints, and whether it reads its own files only.
    pub fn digest(&self) -> String {
        let kind = if self.is_confined {
            "compiler"
        } else {
            "unconfined compiler"
        };
        Digest::new(kind)
            .field(self.dialect.language.name())
            .field(SCHEME.to_le_bytes())
            .field(&self.toolchain.compiler)
            .field(&self.toolchain.version)
            .field(&self.toolchain.target)
            .fields(&self.toolchain.flags)
            .field(&self.surroundings)
            .field(self.config.seconds.to_le_bytes())
            .field(self.config.memory_mib.to_le_bytes())
            .field(self.config.output_kib.to_le_bytes())
            .hex()
    }

    /// The macros that are defined before the first line, as `#define` lines.
    pub fn predefined_macros(&self) -> &str {
        &self.predefined
    }

    /// The macros that `#include <header>` adds to the predefined ones, as `#define` lines in the compiler's
    /// order; `None` if the header does not exist or cannot be read by itself.
    ///
    /// # Errors
    /// When the compiler cannot be run.
    pub fn header_macros(&self, header: &str) -> Result<Option<String>, CheckError> {
        self.header_adds(header, &["-dM", "-E"])
    }

    /// The lines that `#include <header>` adds to the predefined macros when it is preprocessed with `flags`.
    pub(crate) fn header_adds(
        &self,
        header: &str,
        flags: &[&str],
    ) -> Result<Option<String>, CheckError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_+-./".contains(c);
        if header.is_empty()
            || header.starts_with('/')
            || header.contains("..")
            || !header.chars().all(plain)
        {
            return Ok(None);
        }
        let Some(all) = self.preprocess(&format!("#include <{header}>\n"), flags)? else {
            return Ok(None);
        };
        let all = String::from_utf8_lossy(&all);
        let predefined: BTreeSet<&str> = self.predefined.lines().collect();
        let added = all.lines().filter(|line| !predefined.contains(line));
        Ok(Some(added.flat_map(|line| [line, "\n"]).collect()))
    }

    /// The object that is left of a question's compiled text.
    ///
    /// The address of a function of C is taken at the end of the text: functions that must be inlined
    /// (`always_inline`) are not emitted otherwise, and if a macro renames the function this shows its symbol. A
    /// function of C++ is marked at its definition.
    pub(crate) fn object(
        &self,
        question: &Question,
        done: Done,
    ) -> Result<Result<Object, Verdict>, CheckError> {
        if let Some(verdict) = done.failed {
            return Ok(Err(verdict));
        }
        let object = match question.language {
            Language::C => Object::read(&done.output, Mark::Keeper(KEEPER)),
            _ => Object::read(&done.output, Mark::Marked),
        };
        object
            .map(Ok)
            .map_err(|error| self.unreadable(error.to_string()))
    }

    pub(crate) fn unreadable(&self, message: String) -> CheckError {
        CheckError::ObjectUnreadable {
            program: self.toolchain.compiler.clone(),
            message,
        }
    }

    /// The name of the file that a text is compiled from.
    pub(crate) fn file(&self) -> &'static str {
        self.dialect.file
    }

    /// Runs the compiler on a text, under the recipe's limits.
    ///
    /// # Errors
    /// When the compiler cannot be run, or the disk is full.
    pub(crate) fn work(&self, order: &Order<'_>) -> Result<Done, CheckError> {
        let scratch = self.workplace.scratch_with(self.file(), order.text)?;
        let mut arguments: Vec<&str> = Vec::new();
        if order.work == Work::Assembly && self.can_stop_inference {
            arguments.push(NO_INFERENCE);
        }
        let mut flags = self.toolchain.flags.iter().map(String::as_str);
        while let Some(flag) = flags.next() {
            match flag {
                "-c" => arguments.push(match order.work {
                    Work::Object => "-c",
                    Work::Assembly => "-S",
                    Work::Syntax => "-fsyntax-only",
                    Work::Preprocess => "-E",
                }),
                "-fmax-errors=5" if order.all_errors => arguments.push("-fmax-errors=0"),
                "-x" => {
                    flags.next();
                    arguments.extend(["-x", order.kind(self.dialect)]);
                }
                flag => arguments.push(flag),
            }
        }
        let header = order.header.map(Path::to_string_lossy);
        if let Some(header) = &header {
            arguments.extend(["-include", &**header]);
        }
        arguments.push(self.file());
        if order.work != Work::Syntax {
            arguments.extend(["-o", "unit.out"]);
        }
        let limits = self.limits();
        let limits = Limits {
            kept_bytes: if order.all_errors {
                ALL_ERRORS
            } else {
                limits.kept_bytes
            },
            ..limits
        };
        let mut readable = self.readable.clone();
        readable.extend(order.header.and_then(Path::parent).map(Path::to_owned));
        let run = || self.run_reading(&scratch, &arguments, limits, &readable);
        let mut finished = run()?;
        if says_full(&finished) {
            if scratch.disk_is_full() {
                return Err(self.workplace.error(io::ErrorKind::StorageFull.into()));
            }
            // Either there is room again, or the text itself prints this message. A second run shows which.
            finished = run()?;
        }
        let stderr = String::from_utf8_lossy(&finished.stderr).into_owned();
        if finished.ending != Ending::Exited(0) {
            return Ok(Done {
                failed: Some(why_not(&finished, &scratch)),
                stderr,
                output: Vec::new(),
            });
        }
        let output = if order.work == Work::Syntax {
            Vec::new()
        } else {
            fs::read(scratch.path().join("unit.out"))
                .map_err(|error| self.unreadable(error.to_string()))?
        };
        Ok(Done {
            failed: None,
            stderr,
            output,
        })
    }

    /// Makes a precompiled header of a block in a folder, and sees that it is used.
    pub(crate) fn precompile(&self, block: &str) -> Result<Option<Precompiled>, CheckError> {
        let scratch = self.workplace.scratch_with("block.h", block)?;
        let own = |kind: &'static str| {
            let flags = self.toolchain.flags.iter().map(String::as_str);
            let mut flags: Vec<&str> = flags.take_while(|&flag| flag != "-x").collect();
            flags.retain(|&flag| !["-c", "-w", "-emit-llvm"].contains(&flag));
            flags.extend(["-x", kind]);
            flags
        };
        let mut arguments = own("c++-header");
        arguments.extend(["block.h", "-o", "block.h.gch"]);
        let finished = self.run(&scratch, &arguments, HEADER)?;
        if finished.ending != Ending::Exited(0) {
            return Ok(None);
        }
        let made = fs::metadata(scratch.path().join("block.h.gch"));
        let bytes = made.map_err(|source| self.workplace.error(source))?.len();
        // A header that does not fit the flags is passed over in silence; `-H` marks one that is used.
        fs::write(scratch.path().join("empty.cpp"), "int barecode_empty;\n")
            .map_err(|source| self.workplace.error(source))?;
        let mut arguments = own("c++");
        arguments.extend([
            "-Winvalid-pch",
            "-H",
            "-fsyntax-only",
            "-include",
            "block.h",
            "empty.cpp",
        ]);
        let finished = self.run(&scratch, &arguments, QUESTION)?;
        let said = String::from_utf8_lossy(&finished.stderr);
        // Clang accepts an existing header or refuses it, without a message.
        let is_clang = !self.purpose.judges && self.toolchain.version.contains("clang");
        let named = |line: &str| line.starts_with('!') && line.ends_with("block.h.gch");
        let used = finished.ending == Ending::Exited(0) && (is_clang || said.lines().any(named));
        Ok(used.then(|| Precompiled {
            header: scratch.path().join("block.h"),
            bytes,
            _folder: scratch,
        }))
    }

    /// Preprocesses a text; `None` if the preprocessor refuses it.
    pub(crate) fn preprocess(
        &self,
        text: &str,
        flags: &[&str],
    ) -> Result<Option<Vec<u8>>, CheckError> {
        let scratch = self.workplace.scratch_with(self.file(), text)?;
        let own = self
            .toolchain
            .flags
            .iter()
            .map(String::as_str)
            .filter(|flag| *flag != "-c");
        let arguments: Vec<&str> = own
            .chain(flags.iter().copied())
            .chain([self.file()])
            .collect();
        let finished = self.run(&scratch, &arguments, QUESTION)?;
        Ok((finished.ending == Ending::Exited(0)).then_some(finished.stdout))
    }

    /// The output of a program about an object file that this compiler wrote; empty if it fails.
    pub(crate) fn printed_of(
        &self,
        program: &Path,
        arguments: &[&str],
        object: &[u8],
    ) -> Result<Option<String>, CheckError> {
        let scratch = self.workplace.scratch()?;
        fs::write(scratch.path().join("unit.o"), object)
            .map_err(|source| self.workplace.error(source))?;
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let job = Job {
            program,
            arguments: &arguments,
            folder: scratch.path(),
            sight: Sight::Only(&self.readable),
            limits: QUESTION,
        };
        self.workplace.started.fetch_add(1, Ordering::Relaxed);
        let finished = confine::run(&job).map_err(|source| CheckError::Start {
            program: program.display().to_string(),
            source,
        })?;
        let done = finished.ending == Ending::Exited(0);
        Ok(done.then(|| String::from_utf8_lossy(&finished.stdout).into_owned()))
    }

    /// The recipe's limits, for texts under judgment.
    fn limits(&self) -> Limits {
        const YEAR: u64 = 365 * 24 * 60 * 60;
        let output_bytes = self.config.output_kib.saturating_mul(1024);
        Limits {
            seconds: self.config.seconds,
            // Processor time is the cost of a text; the wall-clock limit only ends processes that sleep, so that a
            // loaded machine judges as an idle one does.
            wall: Duration::from_secs(self.config.seconds.saturating_mul(4).min(YEAR)),
            memory_bytes: self.config.memory_mib.saturating_mul(MIB),
            file_bytes: output_bytes,
            printed_bytes: usize::try_from(output_bytes).unwrap_or(usize::MAX),
            kept_bytes: 64 * 1024,
        }
    }

    fn run(
        &self,
        scratch: &Scratch,
        arguments: &[&str],
        limits: Limits,
    ) -> Result<Finished, CheckError> {
        self.run_reading(scratch, arguments, limits, &self.readable)
    }

    fn run_reading(
        &self,
        scratch: &Scratch,
        arguments: &[&str],
        limits: Limits,
        readable: &[PathBuf],
    ) -> Result<Finished, CheckError> {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let sight = Sight::Only(readable);
        let job = Job {
            program: &self.program,
            arguments: &arguments,
            folder: scratch.path(),
            sight,
            limits,
        };
        self.workplace.started.fetch_add(1, Ordering::Relaxed);
        confine::run(&job).map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull => self.workplace.error(source),
            _ => CheckError::Start {
                program: self.toolchain.compiler.clone(),
                source,
            },
        })
    }
}

/// A precompiled header, which is gone with this value.
#[derive(Debug)]
pub(crate) struct Precompiled {
    /// The header to name; the precompiled one is beside it.
    pub(crate) header: PathBuf,
    /// Its size.
    pub(crate) bytes: u64,
    _folder: Scratch,
}
