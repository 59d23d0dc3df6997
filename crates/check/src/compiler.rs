//! The compiler that judges.
//!
//! [`Compiler::probe`] finds it, learns its version, its own folders and which of our flags it takes, and has it
//! compile a few lines, so that a machine without C headers is noticed before the first function. After that
//! every text is `unit.c` in a fresh folder, compiled to `unit.o`: neither name nor place can reach the object.
//!
//! The flags keep what an unused function would lose (`-fkeep-static-functions`) and drop what would tell two
//! equal texts apart (`-g0`, `-fno-ident`). Warnings are not asked for, but a function without a declaration is
//! refused whatever the compiler's age: old ones only warn, and a unit with a missing item would pass as one
//! that calls `int f()`. Warnings that newer compilers turned into errors are switched off for the same reason:
//! a verdict should not depend on the compiler's fashion.

use std::collections::BTreeSet;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use barecode_records::{Digest, Toolchain};
use serde::{Deserialize, Serialize};

use crate::confine::{self, Ending, Finished, Job, Limits, Sight};
use crate::object::{Object, SCHEME};
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
            seconds: 10,
            memory_mib: 2048,
            output_kib: 65536,
        }
    }
}

/// The pointer that is added to every text to hold its function.
const KEEPER: &str = "barecode_keeper";

/// Flags that every compiler must take.
const NEEDED: &[&str] = &["-O0", "-g0", "-c", "-pipe", "-x", "c"];

/// Flags that are left out where the compiler does not know them; the toolchain says which were used.
const WANTED: &[&str] = &[
    "-fkeep-static-functions",
    "-fkeep-inline-functions",
    "-fno-ident",
    "-fdiagnostics-color=never",
    "-fno-diagnostics-show-caret",
    "-fmax-errors=5",
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
];

/// What a probe compiles: headers of the C library, and a function nobody calls.
const CANARY: &str = "#include <stdio.h>\nstatic int canary(int a) { return a + 1; }\nint main(void) { return puts(\"\"); }\n";

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

/// A compiler that was found, asked for its version, and seen to work.
#[derive(Debug, Clone)]
pub struct Compiler {
    config: CheckConfig,
    workplace: Arc<Workplace>,
    program: PathBuf,
    readable: Vec<PathBuf>,
    toolchain: Toolchain,
    predefined: String,
    /// Digest of the assembler's version and of the C library's headers.
    surroundings: String,
}

impl Compiler {
    /// Finds the compiler and learns what it takes.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when there is no such program, [`CheckError::CompilerUnusable`] when it
    /// does not compile a few lines of C.
    pub fn probe(config: &CheckConfig) -> Result<Compiler, CheckError> {
        let program = find(&config.compiler).ok_or_else(|| CheckError::CompilerMissing {
            program: config.compiler.clone(),
            hint: install_hint(&config.compiler),
        })?;
        let mut readable: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        readable.push(program.clone());
        let mut compiler = Compiler {
            config: config.clone(),
            workplace: Arc::new(Workplace::open()?),
            program,
            readable,
            toolchain: Toolchain {
                compiler: config.compiler.clone(),
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
    /// order; `None` where there is no such header, or none that can be read by itself.
    ///
    /// # Errors
    /// When the compiler cannot be run.
    pub fn header_macros(&self, header: &str) -> Result<Option<String>, CheckError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || "_+-./".contains(c);
        if header.is_empty()
            || header.starts_with('/')
            || header.contains("..")
            || !header.chars().all(plain)
        {
            return Ok(None);
        }
        let Some(all) = self.macros(&format!("#include <{header}>\n"))? else {
            return Ok(None);
        };
        let predefined: BTreeSet<&str> = self.predefined.lines().collect();
        let added = all.lines().filter(|line| !predefined.contains(line));
        Ok(Some(added.flat_map(|line| [line, "\n"]).collect()))
    }

    /// What holds the compiler.
    pub fn confinement(&self) -> Confinement {
        Confinement::of_this_kernel()
    }

    /// Compiles a text and looks for a function in what came out.
    ///
    /// The function's address is taken at the end of the text: functions that must be inlined
    /// (`always_inline`) are not emitted otherwise, and where a macro renames the function this tells under
    /// which symbol it stands.
    pub(crate) fn compile(&self, text: &str, function: &str) -> Result<Verdict, CheckError> {
        let kept = format!("{text}\n__typeof__({function}) *{KEEPER} = &{function};\n");
        let scratch = self.workplace.scratch_with("unit.c", &kept)?;
        let flags: Vec<&str> = self.toolchain.flags.iter().map(String::as_str).collect();
        let arguments = [&flags[..], &["unit.c", "-o", "unit.o"]].concat();
        let mut finished = self.run(&scratch, &arguments, self.limits())?;
        if says_full(&finished) {
            if scratch.disk_is_full() {
                return Err(self.workplace.error(io::ErrorKind::StorageFull.into()));
            }
            // Either there is room again, or the text only says so. Asking once more tells which.
            finished = self.run(&scratch, &arguments, self.limits())?;
        }
        if finished.ending != Ending::Exited(0) {
            return Ok(why_not(&finished, &scratch));
        }
        let unreadable = |message: String| CheckError::ObjectUnreadable {
            program: self.config.compiler.clone(),
            message,
        };
        let bytes = fs::read(scratch.path().join("unit.o"))
            .map_err(|error| unreadable(error.to_string()))?;
        Object::read(&bytes, KEEPER)
            .map(Verdict::Compiled)
            .map_err(|error| unreadable(error.to_string()))
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
        let printed = self.answer(&["-v", "-E", "-x", "c", "/dev/null"])?.stderr;
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

    /// Which of the wanted flags it takes; the canary must compile with them.
    fn learn_flags(&mut self) -> Result<(), CheckError> {
        let standard = format!("-std={}", self.config.standard);
        let with = |wanted: &[&str]| -> Vec<String> {
            [&[standard.as_str()], wanted, NEEDED]
                .concat()
                .into_iter()
                .map(str::to_owned)
                .collect()
        };
        // A program that is content and leaves no object is no compiler; it stops the probe, not a run.
        let attempt = |compiler: &Compiler, text| match compiler.compile(text, "canary") {
            Err(CheckError::ObjectUnreadable { message, .. }) => Ok(Verdict::Refused {
                message: format!("it leaves no object file: {message}"),
            }),
            other => other,
        };
        self.toolchain.flags = with(WANTED);
        if let Verdict::Compiled(_) = attempt(self, CANARY)? {
            return Ok(());
        }
        let mut taken = Vec::new();
        for flag in WANTED {
            self.toolchain.flags = with(&[flag]);
            if let Verdict::Compiled(_) = attempt(self, "int main(void) { return 0; }\n")? {
                taken.push(*flag);
            }
        }
        self.toolchain.flags = with(&taken);
        let message = match attempt(self, CANARY)? {
            Verdict::Compiled(_) => return Ok(()),
            Verdict::Refused { message } => first_error(&message),
            limit @ (Verdict::TimeLimit | Verdict::MemoryLimit | Verdict::OutputLimit) => {
                format!("three lines of C reach a limit of the recipe ({limit:?})")
            }
        };
        let hint = if message.contains(".h: No such file or directory") {
            "the headers of the C library are missing: apt-get install --yes libc6-dev".to_owned()
        } else {
            install_hint("gcc")
        };
        Err(self.unusable(message, hint))
    }

    /// A digest of what else an object depends on.
    fn look_around(&self) -> Result<String, CheckError> {
        // Some compilers bring their assembler in themselves; then this is refused, and their version says all.
        let scratch = self.workplace.scratch_with("unit.s", "")?;
        let finished = self.run(
            &scratch,
            &["-c", "-Wa,--version", "unit.s", "-o", "unit.o"],
            QUESTION,
        )?;
        let assembler = if finished.ending == Ending::Exited(0) {
            first_line(&finished.stdout)
        } else {
            String::new()
        };
        let includes = HEADERS.iter().flat_map(|header| {
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

    /// Preprocesses a text; `None` where the preprocessor refuses it.
    fn preprocess(&self, text: &str, flags: &[&str]) -> Result<Option<Vec<u8>>, CheckError> {
        let scratch = self.workplace.scratch_with("unit.c", text)?;
        let own = self
            .toolchain
            .flags
            .iter()
            .map(String::as_str)
            .filter(|flag| *flag != "-c");
        let arguments: Vec<&str> = own.chain(flags.iter().copied()).chain(["unit.c"]).collect();
        let finished = self.run(&scratch, &arguments, QUESTION)?;
        Ok((finished.ending == Ending::Exited(0)).then_some(finished.stdout))
    }

    /// Asks the compiler about itself; it must answer.
    fn answer(&self, arguments: &[&str]) -> Result<Finished, CheckError> {
        let scratch = self.workplace.scratch()?;
        let finished = self.run(&scratch, arguments, QUESTION)?;
        if finished.ending == Ending::Exited(0) {
            return Ok(finished);
        }
        let stderr = String::from_utf8_lossy(&finished.stderr);
        let said = first_error(&message_of(&stderr, finished.ending, scratch.path()));
        Err(self.unusable(
            format!("`{}`: {said}", arguments.join(" ")),
            install_hint("gcc"),
        ))
    }

    fn unusable(&self, message: String, hint: String) -> CheckError {
        CheckError::CompilerUnusable {
            program: self.config.compiler.clone(),
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
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).collect();
        let sight = Sight::Only(&self.readable);
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
                program: self.config.compiler.clone(),
                source,
            },
        })
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
        // Nobody here kills a compiler within its time, so the system did, for want of memory.
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
        Some(name @ ("clang" | "g++")) => format!("apt-get install --yes {name} libc6-dev"),
        _ => "apt-get install --yes gcc libc6-dev".to_owned(),
    }
}

/// A folder that a compiler calls its own, unless it is so high up that other people's files lie below.
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
        .filter(|line| !line.starts_with("unit.c:") && !line.starts_with(' '));
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

/// The first error of a compiler's message, without the place in front.
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
