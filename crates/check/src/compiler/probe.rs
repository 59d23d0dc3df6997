//! The search for a compiler: its version, its own folders, the flags that it accepts, and a first test.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use barecode_languages::title;
use barecode_records::{Digest, Language, Span, Toolchain};

use super::{Compiler, QUESTION};
use crate::confine::{Ending, Finished, has_landlock};
use crate::dialect::Dialect;
use crate::order::{Order, Work};
use crate::printed::{first_error, first_line, message_of};
use crate::purpose::{Purpose, find};
use crate::question::Question;
use crate::workplace::Workplace;
use crate::{CheckConfig, CheckError, Verdict};

/// Headers on whose text a verdict depends.
const HEADERS: &str = include_str!("headers-c.txt");

/// The folders of programs and their libraries on the known systems; a missing folder does no harm.
const SYSTEM: &str = include_str!("system.txt");

impl Compiler {
    /// Finds the compiler of C and learns which flags it accepts.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when the program is not installed, [`CheckError::CompilerUnusable`] when it
    /// does not compile a few lines of C.
    pub fn probe(config: &CheckConfig) -> Result<Compiler, CheckError> {
        Compiler::probe_for(config, Language::C)
    }

    /// Finds the compiler of a language and learns which flags it accepts.
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
        let is_confined = has_landlock();
        if !is_confined && !config.unconfined {
            return Err(CheckError::Unconfined);
        }
        let dialect = Dialect::of(language)?;
        let name = purpose.program.clone();
        let program = find(&name).ok_or_else(|| CheckError::CompilerMissing {
            program: name.clone(),
            language,
            hint: purpose.install_hint(),
        })?;
        let mut readable: Vec<PathBuf> = SYSTEM.lines().map(PathBuf::from).collect();
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
            can_stop_inference: false,
            is_confined,
            predefined: String::new(),
            surroundings: String::new(),
        };
        compiler.toolchain.version = first_line(&compiler.answer(&["--version"])?.stdout);
        compiler.toolchain.target = first_line(&compiler.answer(&["-dumpmachine"])?.stdout);
        compiler.learn_folders()?;
        compiler.learn_flags()?;
        if compiler.purpose.judges && language == Language::CPP {
            compiler.can_stop_inference = true;
            let listing = compiler.work(&Order::of(Work::Assembly, "int canary;\n"))?;
            compiler.can_stop_inference = listing.failed.is_none();
        }
        let predefined = compiler.preprocess("", &["-dM", "-E"])?.unwrap_or_default();
        compiler.predefined = String::from_utf8_lossy(&predefined).into_owned();
        compiler.surroundings = compiler.look_around()?;
        Ok(compiler)
    }

    /// Learns which folders are the compiler's own, besides the system's.
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

    /// Learns which of the requested flags it accepts; the canary must compile with them.
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
            let text = question.compiled_text();
            let done = compiler.work(&Order::of(Work::Object, &text));
            match done.and_then(|done| compiler.object(&question, done)) {
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

    /// A digest of everything else that an object depends on.
    fn look_around(&self) -> Result<String, CheckError> {
        // Some compilers include their assembler; then this is refused, and their version is sufficient.
        let scratch = self.workplace.scratch_with("unit.s", "")?;
        let arguments = ["-c", "-Wa,--version", "unit.s", "-o", "unit.o"];
        let arguments = [&self.purpose.machine, &arguments[..]].concat();
        let finished = self.run(&scratch, &arguments, QUESTION)?;
        let assembler = if finished.ending == Ending::Exited(0) {
            first_line(&finished.stdout)
        } else {
            String::new()
        };
        let headers = HEADERS.lines().chain(self.dialect.headers.lines());
        let includes = headers
            .map(|header| format!("#if __has_include(<{header}>)\n#include <{header}>\n#endif\n"));
        let headers = self.preprocess(&includes.collect::<String>(), &["-E"])?;
        Ok(Digest::new("surroundings")
            .field(assembler)
            .field(headers.unwrap_or_default())
            .hex())
    }

    /// Queries the compiler about itself; it must answer.
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
}

/// The span of the function in a canary: from `static` to the end of the line.
fn canary_in(text: &str) -> Span {
    let start = text.find("static").unwrap_or(0);
    let line = text.get(start..).and_then(|rest| rest.find('\n'));
    Span::from(start..line.map_or(text.len(), |end| start + end))
}

/// A folder that a compiler calls its own, unless it is so high up that files of others are below it.
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
