//! The compiler that decides.
//!
//! [`Compiler::probe`] finds it, learns its version, its own folders and which of our flags it takes, and has it
//! compile a few lines, so that a machine without C headers is noticed before the first function. After that
//! every text is `unit.c` in a fresh folder, compiled to `unit.o`: neither name nor folder can reach the object.
//!
//! The flags preserve functions that nothing uses (`-fkeep-static-functions`) and drop what would distinguish two
//! equal texts (`-g0`, `-fno-ident`). Warnings are not enabled, but calling a function without a declaration is
//! refused whatever the compiler's age: old ones only warn, and a unit with a missing item would pass as one
//! that calls `int f()`. Warnings that newer compilers turned into errors are switched off for the same reason:
//! a verdict should not depend on the compiler's version.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use barecode_languages::title;
use barecode_records::{Digest, Language, Span, Toolchain};
use serde::{Deserialize, Serialize};

use crate::confine::{self, Ending, Finished, Job, Limits, Sight};
use crate::dialect::Dialect;
use crate::isolate::Split;
use crate::object::{Mark, Object, SCHEME};
use crate::question::{KEEPER, Question};
use crate::workplace::{Scratch, Workplace};
use crate::{CheckError, Confinement, Verdict};

/// The judge as the recipe describes it (`[check]`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields, default)]
pub struct CheckConfig {
    /// The program, by name or path.
    pub compiler: String,
    /// The dialect of C: `gnu17`.
    pub standard: String,
    /// The compiler of C++, by name or path.
    pub cpp_compiler: String,
    /// The dialect of C++: `gnu++17`.
    pub cpp_standard: String,
    /// Whether units of C are asked whether they are C++ too; they are not where no compiler of C++ is.
    pub compiles_as_cpp: bool,
    /// Whether what a unit compiles without is left out of it.
    pub minimize: bool,
    /// Processor seconds for one unit; four times as many may pass on the wall's clock.
    pub seconds: u64,
    /// Address space of each process of the compiler, in MiB.
    pub memory_mib: u64,
    /// Size of each file it writes, and of what it prints, in KiB.
    pub output_kib: u64,
}

impl Default for CheckConfig {
    fn default() -> Self {
        CheckConfig {
            compiler: "gcc".to_owned(),
            standard: "gnu17".to_owned(),
            cpp_compiler: "g++".to_owned(),
            cpp_standard: "gnu++17".to_owned(),
            compiles_as_cpp: true,
            minimize: true,
            seconds: 10,
            memory_mib: 2048,
            output_kib: 65536,
        }
    }
}

/// What a compiler is needed for, and with which flags.
#[derive(Debug, Clone)]
pub(crate) struct Purpose {
    /// The program, by name or path.
    pub(crate) program: String,
    /// The dialect: `gnu17`.
    pub(crate) standard: String,
    /// Flags that are given with every call, also where it is asked about itself: the machine to compile for.
    pub(crate) machine: Vec<&'static str>,
    /// Flags that are left out where it does not know them.
    pub(crate) wanted: Vec<&'static str>,
    /// Flags without which it is of no use, up to `-x`; the language follows.
    pub(crate) needed: Vec<&'static str>,
    /// What it leaves, for the canary.
    pub(crate) work: Work,
    /// Whether its objects are read and compared.
    pub(crate) judges: bool,
    /// Debian's packages that bring it and its library; empty if the package has the program's name.
    pub(crate) packages: &'static str,
}

impl Purpose {
    /// How to get the program.
    fn install_hint(&self) -> String {
        if self.packages.is_empty() {
            install_hint(&self.program)
        } else {
            format!("apt-get install --yes {}", self.packages)
        }
    }

    /// To decide about a language, with the recipe's settings.
    fn judge(config: &CheckConfig, dialect: &Dialect) -> Purpose {
        Purpose {
            program: (dialect.program)(config).clone(),
            standard: (dialect.standard)(config).clone(),
            machine: Vec::new(),
            wanted: dialect.wanted.to_vec(),
            needed: NEEDED.to_vec(),
            work: Work::Object,
            judges: true,
            packages: "",
        }
    }
}

/// Flags that every compiler must take; the language follows.
const NEEDED: &[&str] = &["-O0", "-g0", "-c", "-pipe", "-x"];

/// Headers whose text is part of what a verdict depends on.
const HEADERS: &[&str] = &[
    "assert.h",
    "ctype.h",
    "errno.h",
    "fcntl.h",
    "float.h",
    "inttypes.h",
    "limits.h",
    "locale.h",
    "math.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stdbool.h",
    "stddef.h",
    "stdint.h",
    "stdio.h",
    "stdlib.h",
    "string.h",
    "strings.h",
    "sys/stat.h",
    "sys/time.h",
    "sys/types.h",
    "time.h",
    "unistd.h",
    "wchar.h",
];

/// Where programs and their libraries lie on the systems that are known; what is not there does no harm.
const SYSTEM: &[&str] = &[
    "/usr/bin",
    "/usr/include",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libx32",
    "/usr/libexec",
    "/usr/aarch64-linux-gnu",
    "/usr/riscv64-linux-gnu",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/nix/store",
    "/gnu/store",
];

const MIB: u64 = 1 << 20;

/// Limits for our own questions (versions, macros), which a strict recipe must not spoil.
const QUESTION: Limits = Limits {
    seconds: 30,
    wall: Duration::from_secs(120),
    memory_bytes: 4096 * MIB,
    file_bytes: 64 * MIB,
    printed_bytes: 64 << 20,
    kept_bytes: 64 << 20,
};

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
    predefined: String,
    /// Digest of the assembler's version and of the C library's headers.
    surroundings: String,
}

impl Compiler {
    /// Finds the compiler of C and learns what it takes.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when there is no such program, [`CheckError::CompilerUnusable`] when it
    /// does not compile a few lines of C.
    pub fn probe(config: &CheckConfig) -> Result<Compiler, CheckError> {
        Compiler::probe_for(config, Language::C)
    }

    /// Finds the compiler of a language and learns what it takes.
    ///
    /// # Errors
    /// As [`Compiler::probe`].
    pub fn probe_for(config: &CheckConfig, language: Language) -> Result<Compiler, CheckError> {
        let purpose = Purpose::judge(config, Dialect::of(language)?);
        Compiler::probe_as(config, language, purpose)
    }

    /// Finds a compiler for a purpose, and learns which flags it accepts.
    ///
    /// # Errors
    /// As [`Compiler::probe`].
    pub(crate) fn probe_as(
        config: &CheckConfig,
        language: Language,
        purpose: Purpose,
    ) -> Result<Compiler, CheckError> {
        let dialect = Dialect::of(language)?;
        let name = purpose.program.clone();
        let program = find(&name).ok_or_else(|| CheckError::CompilerMissing {
            program: name.clone(),
            language,
            hint: purpose.install_hint(),
        })?;
        let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        readable.push(program.clone());
        let mut compiler = Compiler {
            dialect,
            config: config.clone(),
            workplace: Arc::new(Workplace::open()?),
            purpose,
            program,
            readable,
            toolchain: Toolchain {
                compiler: name,
                version: String::new(),
                target: String::new(),
                flags: Vec::new(),
            },
            predefined: String::new(),
            surroundings: String::new(),
        };
        compiler.toolchain.version = first_line(&compiler.answer(&["--version"])?.stdout);
        compiler.toolchain.target = first_line(&compiler.answer(&["-dumpmachine"])?.stdout);
        compiler.learn_folders()?;
        compiler.learn_flags()?;
        compiler.predefined = compiler.macros("")?.unwrap_or_default();
        compiler.surroundings = compiler.look_around()?;
        Ok(compiler)
    }

    /// What is wrong where a compiler is not there.
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

    /// The language that it judges.
    pub fn language(&self) -> Language {
        self.dialect.language
    }

    /// What it is, for the records.
    pub fn toolchain(&self) -> &Toolchain {
        &self.toolchain
    }

    /// The recipe's part about it.
    pub fn config(&self) -> &CheckConfig {
        &self.config
    }

    /// Digest of all that its verdicts depend on: the toolchain, the assembler, the C library's headers, the
    /// limits, and the version of the fingerprints.
    pub fn digest(&self) -> String {
        Digest::new("compiler")
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
    ///
    /// # Errors
    /// None after a probe, which asked already.
    pub fn predefined_macros(&self) -> Result<String, CheckError> {
        Ok(self.predefined.clone())
    }

    /// The macros that `#include <header>` adds to the predefined ones, as `#define` lines in the compiler's
    /// order; `None` if there is no such header, or none that can be read by itself.
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

    /// What holds the compiler.
    pub fn confinement(&self) -> Confinement {
        Confinement::of_this_kernel()
    }

    /// Compiles what a question asks about, by itself.
    ///
    /// The address of a function of C is taken at the end of the text: functions that must be inlined
    /// (`always_inline`) are not emitted otherwise, and if a macro renames the function this shows under
    /// which symbol it stands. A function of C++ is marked where it stands.
    pub(crate) fn compile(
        &self,
        question: &Question,
        header: Option<&Path>,
    ) -> Result<Result<Object, Verdict>, CheckError> {
        let whole = question.compiled_text();
        let done = match header {
            None => self.work(&Order::of(Work::Object, &whole))?,
            Some(header) => {
                // The block is in the header; lines keep their numbers.
                let rest = Split::of(&whole).after_header(self.file());
                self.work(&Order {
                    header: Some(header),
                    ..Order::of(Work::Object, &rest)
                })?
            }
        };
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

    /// Has the compiler do something with a text, under the recipe's limits.
    ///
    /// # Errors
    /// When the compiler cannot be run, or the disk is full.
    pub(crate) fn work(&self, order: &Order<'_>) -> Result<Done, CheckError> {
        let scratch = self.workplace.scratch_with(self.file(), order.text)?;
        let mut arguments: Vec<&str> = Vec::new();
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
                4 << 20
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
            // Either there is room again, or the text only says so. Asking once more shows which.
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
        // Clang takes a header that lies there or refuses it, and says nothing.
        let is_clang = !self.purpose.judges && self.toolchain.version.contains("clang");
        let named = |line: &str| line.starts_with('!') && line.ends_with("block.h.gch");
        let used = finished.ending == Ending::Exited(0) && (is_clang || said.lines().any(named));
        Ok(used.then(|| Precompiled {
            header: scratch.path().join("block.h"),
            bytes,
            _folder: scratch,
        }))
    }

    /// Which folders are the compiler's own, besides the system's.
    fn learn_folders(&mut self) -> Result<(), CheckError> {
        let printed = self.answer(&["-print-search-dirs"])?.stdout;
        let printed = String::from_utf8_lossy(&printed);
        let listed = printed
            .lines()
            .filter_map(|line| line.split_once(": =").or_else(|| line.split_once(": ")));
        let listed = listed
            .flat_map(|(_, folders)| folders.split(':'))
            .map(PathBuf::from);
        let printed = self
            .answer(&["-v", "-E", "-x", self.dialect.tongue, "/dev/null"])?
            .stderr;
        let printed = String::from_utf8_lossy(&printed);
        let searched = printed
            .lines()
            .skip_while(|line| !line.starts_with("#include <"))
            .skip(1);
        let searched = searched
            .take_while(|line| line.starts_with(' '))
            .map(|line| PathBuf::from(line.trim()));
        let mut folders: Vec<PathBuf> = listed
            .chain(searched)
            .filter_map(|folder| own_folder(&folder))
            .collect();
        folders.sort();
        folders.dedup();
        self.readable.extend(folders);
        Ok(())
    }

    /// Which of the requested flags it accepts; the canary must compile with them.
    fn learn_flags(&mut self) -> Result<(), CheckError> {
        let canary = self.dialect.canary;
        let Purpose {
            standard,
            machine,
            wanted,
            needed,
            work,
            judges,
            ..
        } = self.purpose.clone();
        let standard = format!("-std={standard}");
        let tongue = self.dialect.tongue;
        let with = |wanted: &[&str]| -> Vec<String> {
            [
                &machine[..],
                &[standard.as_str()],
                wanted,
                &needed,
                &[tongue],
            ]
            .concat()
            .into_iter()
            .map(str::to_owned)
            .collect()
        };
        // A program that is content and leaves no object is not a compiler; it stops the probe, not a run.
        let attempt = |compiler: &Compiler, text: &str| {
            if !judges {
                let done = compiler.work(&Order::of(work, text))?;
                return Ok(done.failed.map_or(Ok(()), Err));
            }
            let question = Question {
                language: compiler.language(),
                text: text.to_owned(),
                function: "canary".to_owned(),
                target: canary_in(text),
                is_template: false,
            };
            match compiler.compile(&question, None) {
                Err(CheckError::ObjectUnreadable { message, .. }) => Ok(Err(Verdict::Refused {
                    message: format!("it leaves no object file: {message}"),
                })),
                other => other.map(|object| object.map(|_| ())),
            }
        };
        self.toolchain.flags = with(&wanted);
        if attempt(self, canary)?.is_ok() {
            return Ok(());
        }
        let mut taken = Vec::new();
        for flag in wanted {
            self.toolchain.flags = with(&[flag]);
            if attempt(self, "static int canary(void) { return 0; }\n")?.is_ok() {
                taken.push(flag);
            }
        }
        self.toolchain.flags = with(&taken);
        let message = match attempt(self, canary)? {
            Ok(()) => return Ok(()),
            Err(Verdict::Refused { message }) => first_error(&message),
            Err(limit) => format!(
                "a few lines of {} reach a limit of the recipe ({limit:?})",
                title(self.language())
            ),
        };
        let missing =
            message.contains("No such file or directory") || message.contains("file not found");
        let hint = if missing && self.purpose.packages.is_empty() {
            let library = self.dialect.packages;
            format!("the headers of the library are missing: apt-get install --yes {library}")
        } else {
            self.purpose.install_hint()
        };
        Err(self.unusable(message, hint))
    }

    /// A digest of what else an object depends on.
    fn look_around(&self) -> Result<String, CheckError> {
        // Some compilers bring their assembler in themselves; then this is refused, and their version says all.
        let scratch = self.workplace.scratch_with("unit.s", "")?;
        let arguments = ["-c", "-Wa,--version", "unit.s", "-o", "unit.o"];
        let arguments = [&self.purpose.machine, &arguments[..]].concat();
        let finished = self.run(&scratch, &arguments, QUESTION)?;
        let assembler = if finished.ending == Ending::Exited(0) {
            first_line(&finished.stdout)
        } else {
            String::new()
        };
        let includes = HEADERS
            .iter()
            .chain(self.dialect.headers)
            .flat_map(|header| {
                [
                    "#if __has_include(<",
                    header,
                    ">)\n#include <",
                    header,
                    ">\n#endif\n",
                ]
            });
        let headers = self.preprocess(&includes.collect::<String>(), &["-E"])?;
        Ok(Digest::new("surroundings")
            .field(assembler)
            .field(headers.unwrap_or_default())
            .hex())
    }

    fn macros(&self, text: &str) -> Result<Option<String>, CheckError> {
        Ok(self
            .preprocess(text, &["-dM", "-E"])?
            .map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
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

    /// What a program prints about an object file that this compiler wrote; empty if it fails.
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
        let finished = confine::run(&job).map_err(|source| CheckError::Start {
            program: program.display().to_string(),
            source,
        })?;
        let done = finished.ending == Ending::Exited(0);
        Ok(done.then(|| String::from_utf8_lossy(&finished.stdout).into_owned()))
    }

    /// Asks the compiler about itself; it must answer.
    fn answer(&self, arguments: &[&str]) -> Result<Finished, CheckError> {
        let scratch = self.workplace.scratch()?;
        let arguments = &[&self.purpose.machine, arguments].concat();
        let finished = self.run(&scratch, arguments, QUESTION)?;
        if finished.ending == Ending::Exited(0) {
            return Ok(finished);
        }
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let said = first_error(&message_of(&stderr, finished.ending, scratch.path()));
        Err(self.unusable(
            format!("`{}`: {said}", arguments.join(" ")),
            self.purpose.install_hint(),
        ))
    }

    fn unusable(&self, message: String, hint: String) -> CheckError {
        CheckError::CompilerUnusable {
            program: self.toolchain.compiler.clone(),
            language: self.language(),
            message,
            hint,
        }
    }

    /// The recipe's limits, for texts under judgment.
    fn limits(&self) -> Limits {
        const YEAR: u64 = 365 * 24 * 60 * 60;
        let output_bytes = self.config.output_kib.saturating_mul(1024);
        Limits {
            seconds: self.config.seconds,
            // Processor time is what a text costs; the wall's clock only ends what sleeps, so that a loaded
            // machine judges as an idle one does.
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
        confine::run(&job).map_err(|source| match source.kind() {
            io::ErrorKind::StorageFull => self.workplace.error(source),
            _ => CheckError::Start {
                program: self.toolchain.compiler.clone(),
                source,
            },
        })
    }
}

/// What a compiler is to do with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Work {
    /// Leave an object.
    Object,
    /// Leave assembly.
    Assembly,
    /// Leave nothing.
    Syntax,
    /// Leave the text as the preprocessor wrote it.
    Preprocess,
}

/// A text and what is to be done with it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Order<'a> {
    pub(crate) work: Work,
    pub(crate) text: &'a str,
    /// Whether the preprocessor was over it.
    pub(crate) preprocessed: bool,
    /// A header to read before it, which may have a precompiled one beside it.
    pub(crate) header: Option<&'a Path>,
    /// Whether to report all errors, and not only the first few.
    pub(crate) all_errors: bool,
}

impl<'a> Order<'a> {
    pub(crate) fn of(work: Work, text: &'a str) -> Self {
        Order {
            work,
            text,
            preprocessed: false,
            header: None,
            all_errors: false,
        }
    }

    fn kind(&self, dialect: &Dialect) -> &'static str {
        if self.preprocessed {
            dialect.preprocessed
        } else {
            dialect.tongue
        }
    }
}

/// What came of an order.
#[derive(Debug)]
pub(crate) struct Done {
    /// Why there is no output.
    pub(crate) failed: Option<Verdict>,
    pub(crate) stderr: String,
    pub(crate) output: Vec<u8>,
}

/// A precompiled header, which is gone with this value.
#[derive(Debug)]
pub(crate) struct Precompiled {
    /// The header to name; the precompiled one lies beside it.
    pub(crate) header: PathBuf,
    /// Its size.
    pub(crate) bytes: u64,
    _folder: Scratch,
}

/// Where the function of a canary stands: from `static` to the end of the line.
fn canary_in(text: &str) -> Span {
    let start = text.find("static").unwrap_or(0);
    let line = text.get(start..).and_then(|rest| rest.find('\n'));
    let offset = |bytes: usize| u32::try_from(bytes).unwrap_or(u32::MAX);
    Span {
        start: offset(start),
        end: offset(line.map_or(text.len(), |end| start + end)),
    }
}

/// Whether a compiler that failed blames the disk.
fn says_full(finished: &Finished) -> bool {
    let stderr = String::from_utf8_lossy(&finished.stderr);
    let says = |words: &str| stderr.contains(words);
    finished.ending != Ending::Exited(0)
        && (says("No space left on device") || says("Disk quota exceeded"))
}

/// Tells a limit from a refusal.
fn why_not(finished: &Finished, scratch: &Scratch) -> Verdict {
    let stderr = String::from_utf8_lossy(&finished.stderr);
    match finished.ending {
        Ending::TimedOut | Ending::Signaled(libc::SIGXCPU) => Verdict::TimeLimit,
        Ending::PrintedTooMuch | Ending::Signaled(libc::SIGXFSZ) => Verdict::OutputLimit,
        // barecode does not kill a compiler within its time, so the system did, for lack of memory.
        Ending::Signaled(libc::SIGKILL) => Verdict::MemoryLimit,
        Ending::Exited(_) | Ending::Signaled(_) => match limit_in(&stderr) {
            Some(limit) => limit,
            None => Verdict::Refused {
                message: message_of(&stderr, finished.ending, scratch.path()),
            },
        },
    }
}

/// The program as a path: a name is looked for in `PATH`.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let executable = |path: &PathBuf| {
        use std::os::unix::fs::PermissionsExt;
        fs::metadata(path)
            .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
    };
    if program.contains('/') {
        return std::path::absolute(program).ok().filter(executable);
    }
    if program.is_empty() {
        return None;
    }
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(executable)
}

/// How to get a compiler.
fn install_hint(program: &str) -> String {
    match Path::new(program).file_name().and_then(OsStr::to_str) {
        Some(name @ ("clang" | "clang++" | "g++")) => {
            format!(
                "apt-get install --yes {} libc6-dev",
                name.replace("clang++", "clang")
            )
        }
        _ => "apt-get install --yes gcc libc6-dev".to_owned(),
    }
}

/// A folder that a compiler calls its own, unless it is so high up that files of others lie below.
fn own_folder(folder: &Path) -> Option<PathBuf> {
    let folder = folder
        .is_absolute()
        .then(|| fs::canonicalize(folder).ok())??;
    let private = [
        "/home", "/root", "/tmp", "/var", "/etc", "/proc", "/sys", "/dev", "/run", "/mnt", "/srv",
    ]
    .map(PathBuf::from);
    let home = env::var_os("HOME").map(PathBuf::from);
    let holds_others = private
        .iter()
        .chain(&home)
        .any(|place| place.starts_with(&folder));
    (!holds_others).then_some(folder)
}

fn first_line(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes)
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .to_owned()
}

/// The limit that a compiler's last words are about.
///
/// Only lines are read that the text under judgment cannot write: they do not start with its name, and are not
/// an excerpt of it.
fn limit_in(stderr: &str) -> Option<Verdict> {
    let mut own = stderr
        .lines()
        .filter(|line| !line.starts_with("unit") && !line.starts_with(' '));
    own.find_map(|line| {
        let says = |words: &[&str]| words.iter().any(|word| line.contains(word));
        if says(&["CPU time limit exceeded"]) {
            Some(Verdict::TimeLimit)
        } else if says(&["File size limit exceeded", "File too large", "file too big"]) {
            Some(Verdict::OutputLimit)
        } else if says(&[
            "out of memory",
            "virtual memory exhausted",
            "memory exhausted",
            "Cannot allocate memory",
            "Killed signal terminated",
        ]) {
            Some(Verdict::MemoryLimit)
        } else {
            None
        }
    })
}

/// What a compiler printed, short enough to keep, and without the name of a folder that is never the same.
fn message_of(stderr: &str, ending: Ending, folder: &Path) -> String {
    const LINES: usize = 40;
    const LINE_CHARS: usize = 500;
    let folder = folder.to_string_lossy();
    // Indented lines are excerpts of the text, or the way through its includes.
    let passed_over = |line: &&str| {
        line.is_empty() || line.starts_with(' ') || line.starts_with("In file included")
    };
    let lines = stderr.lines().filter(|line| !passed_over(line)).take(LINES);
    let lines: Vec<String> = lines
        .map(|line| {
            line.replace(&*folder, ".")
                .chars()
                .take(LINE_CHARS)
                .collect()
        })
        .collect();
    if lines.is_empty() {
        return match ending {
            Ending::Exited(code) => format!("exited with {code} and printed nothing"),
            Ending::Signaled(signal) => format!("was ended by signal {signal} and printed nothing"),
            Ending::TimedOut => "ran out of time".to_owned(),
            Ending::PrintedTooMuch => "printed too much".to_owned(),
        };
    }
    lines.join("\n")
}

/// The first error of a compiler's message, without the position in front.
pub(crate) fn first_error(message: &str) -> String {
    let error = message.lines().find_map(|line| {
        let place = ["error: ", "Error: "]
            .iter()
            .filter_map(|word| line.find(word).map(|at| at + word.len()))
            .min()?;
        line.get(place..)
    });
    let error = error
        .or_else(|| message.lines().next())
        .unwrap_or_default()
        .trim();
    // The flag that asks for an error differs between compilers, the error does not.
    error
        .rsplit_once(" [-W")
        .map_or(error, |(error, _)| error)
        .to_owned()
}
