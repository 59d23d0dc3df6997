//! Texts → the code that a compiler makes of one function in them.
//!
//! A [`Lowerer`] is a compiler for a form ([`Form`]) and an optimization level, found and tested like the one that
//! judges, and confined like it. It has flags of its own: no stack protector, no marks for indirect branches, no
//! parts of a function moved elsewhere, whatever the system's default is. For a [`Question`] and the helpers in its
//! text, it returns the code of each as text, without any name of the text. All names are gone, those of the library
//! too, as they are in a program that was linked and stripped.
//!
//! The difficulty is to find a function in the compiler's output without knowing its symbol. Each requested function
//! is marked at its position in the text, with an attribute that does not change its code:
//!
//! | form | mark |
//! | --- | --- |
//! | assembly, LLVM IR | room for so many patches in front of the function: one for the target, more for helpers |
//! | WebAssembly | an export |
//! | assembly as CLARC lists it | a visibility, for there the addresses are part of the text |
//!
//! A mark also preserves uncalled functions. A helper is therefore present as a function of its own even if the
//! compiler inlines its code into the target; the target's code is the same whether helpers are shown or not.

mod debug;
mod elf;
mod foreign;
mod llvm_ir;
mod objects;
mod wasm;
mod x86;

pub use objects::{Built, BuiltFunction, Uncut, read_objects};

use std::path::PathBuf;

use barecode_records::{
    Digest, Language, Profile, Span, Toolchain,
    c::{CompilerFamily, Form, Machine, Optimization},
};

use crate::header_cache::HeaderCache;
use crate::order::Work;
use crate::purpose::{Purpose, find};
use crate::token::tokens;
use crate::{CheckConfig, CheckError, Compiler, Question, Verdict};

/// The version of the texts: a change makes every variant of before another one.
const SCHEME: u32 = 2;

/// The lowered code of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lowered {
    /// The function's code; `None` if it compiles to no code.
    pub target: Option<String>,
    /// The code of each requested helper; `None` if it compiles to no code.
    pub helpers: Vec<Option<String>>,
    /// All code of the object, in CLARC's form of assembly only.
    pub whole: Option<String>,
}

/// A compiler that lowers, for one form.
#[derive(Debug)]
pub struct Lowerer {
    form: Form,
    profile: Profile,
    c: Option<Compiler>,
    cpp: Option<Compiler>,
    /// The disassembler, where it is a program.
    objdump: Option<PathBuf>,
    config: CheckConfig,
    optimization: Optimization,
    digest: String,
    headers: HeaderCache,
}

impl Lowerer {
    /// Finds the compilers of a form, and tries them.
    ///
    /// Limits and dialects are those of `config`; so are the programs, if they are of the right family. A compiler
    /// of C++ may be missing until the first text of C++.
    ///
    /// # Errors
    /// [`CheckError::CompilerMissing`] when a program is missing, [`CheckError::CompilerUnusable`] when its library
    /// is; both name the packages that contain it.
    pub fn probe(
        config: &CheckConfig,
        form: Form,
        optimization: Optimization,
        profile: Profile,
    ) -> Result<Lowerer, CheckError> {
        let purpose = |language| purpose_of(config, language, form, optimization, profile);
        let cpp = Compiler::probe_as(config, Language::CPP, purpose(Language::CPP));
        // CLARC's texts are all compiled as C++.
        let (c, cpp) = match profile {
            Profile::Clarc if is_clarc(form) => (None, Some(cpp?)),
            _ => {
                let c = Compiler::probe_as(config, Language::C, purpose(Language::C))?;
                (Some(c), cpp.ok())
            }
        };
        let machine = machine_of(form);
        let objdump = match machine {
            Some(Machine::Aarch64) => Some(objdump(Language::C, "aarch64")?),
            Some(Machine::Riscv64) => Some(objdump(Language::C, "riscv64")?),
            _ => None,
        };
        let objdump_version = match (&objdump, c.as_ref().or(cpp.as_ref())) {
            (Some(program), Some(compiler)) => compiler.printed_of(program, &["--version"], b"")?,
            _ => None,
        };
        let digest = Digest::new("lowerer")
            .field(SCHEME.to_le_bytes())
            .field(form.to_string())
            .field(optimization.name())
            .field([u8::from(profile == Profile::Clarc)])
            .field(c.as_ref().map(Compiler::digest).unwrap_or_default())
            .field(cpp.as_ref().map(Compiler::digest).unwrap_or_default())
            .field(objdump_version.unwrap_or_default())
            .hex();
        Ok(Lowerer {
            form,
            profile,
            c,
            cpp,
            objdump,
            config: config.clone(),
            optimization,
            digest,
            headers: HeaderCache::default(),
        })
    }

    /// The names in [`tools`](crate::tools()) of the programs and libraries that a form needs, besides those that
    /// judge.
    pub fn needs(form: Form) -> &'static [&'static str] {
        match form {
            Form::Assembly { compiler, machine } => match (compiler, machine) {
                (CompilerFamily::Gcc, Machine::X86_64) => &[],
                (CompilerFamily::Gcc, Machine::Aarch64) => &["aarch64-linux-gnu-gcc"],
                (CompilerFamily::Gcc, Machine::Riscv64) => &["riscv64-linux-gnu-gcc"],
                (CompilerFamily::Clang, Machine::X86_64) => &["clang"],
                (CompilerFamily::Clang, Machine::Aarch64) => &["clang", "aarch64-linux-gnu-gcc"],
                (CompilerFamily::Clang, Machine::Riscv64) => &["clang", "riscv64-linux-gnu-gcc"],
            },
            Form::Wasm => &["clang", "wasi-libc"],
            Form::LlvmIr => &["clang"],
        }
    }

    /// In whose form it writes.
    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// The form that it lowers to.
    pub fn form(&self) -> Form {
        self.form
    }

    /// The toolchain that lowers a language, for the records.
    ///
    /// # Errors
    /// When the compiler of this language is missing.
    pub fn toolchain(&self, language: Language) -> Result<&Toolchain, CheckError> {
        self.compiler(language).map(Compiler::toolchain)
    }

    /// Digest of all that its texts depend on besides the question.
    pub fn digest(&self) -> &str {
        &self.digest
    }

    fn compiler(&self, language: Language) -> Result<&Compiler, CheckError> {
        let compiler = match language {
            Language::C => &self.c,
            Language::CPP => &self.cpp,
            _ => return Err(CheckError::NotCompiled { language }),
        };
        if let Some(compiler) = compiler {
            return Ok(compiler);
        }
        let purpose = purpose_of(
            &self.config,
            language,
            self.form,
            self.optimization,
            self.profile,
        );
        let program = purpose.program.clone();
        match Compiler::probe_as(&self.config, language, purpose) {
            Err(error) => Err(error),
            Ok(_) => Err(CheckError::CompilerUnusable {
                program,
                language,
                message: "it was not there when the run began".to_owned(),
                hint: "run the same command again".to_owned(),
            }),
        }
    }

    /// Lowers the function that a question is about, and the helpers at these spans of its text.
    ///
    /// The inner result is a verdict if no code is available: the compiler refuses the text, or reaches a limit.
    ///
    /// # Errors
    /// When the compiler cannot be run.
    pub fn lower(
        &self,
        question: &Question,
        helpers: &[Span],
    ) -> Result<Result<Lowered, Verdict>, CheckError> {
        let compiler = self.compiler(question.language)?;
        let lists = self.profile == Profile::Clarc && is_assembly(self.form);
        let spans: Vec<Span> = [question.target]
            .into_iter()
            .chain(helpers.iter().copied())
            .collect();
        let text = marked(&question.text, &spans, |mark| match self.form {
            Form::Wasm => format!("__attribute__((used, export_name(\"barecode_{mark}\"))) "),
            _ if lists && mark == 0 => {
                "__attribute__((used, visibility(\"protected\"))) ".to_owned()
            }
            _ if lists => String::new(),
            _ => {
                let room = mark + 1;
                format!("__attribute__((used, patchable_function_entry({room}, {room}))) ")
            }
        });
        let work = match self.form {
            Form::LlvmIr => Work::Assembly,
            Form::Assembly { .. } | Form::Wasm => Work::Object,
        };
        let done = self.headers.work(compiler, work, &text, false)?;
        if let Some(verdict) = done.failed {
            return Ok(Err(verdict));
        }
        self.read(compiler, &done.output, spans.len(), lists)
            .map(Ok)
    }

    /// The code of the marked functions in the compiler's output.
    fn read(
        &self,
        compiler: &Compiler,
        output: &[u8],
        count: usize,
        lists: bool,
    ) -> Result<Lowered, CheckError> {
        let texts: Vec<Option<String>> = match self.form {
            Form::Wasm => self
                .read_wasm(output, count)
                .map_err(|message| compiler.unreadable(message))?,
            Form::LlvmIr => {
                let text = String::from_utf8_lossy(output);
                let module = llvm_ir::Module::read(&text);
                let mut names = llvm_ir::SymbolNames::default();
                let text_of = |mark: usize| {
                    let function = module.marked(mark)?;
                    let text = llvm_ir::strict(&module, function, &mut names)?;
                    if mark == 1 {
                        return Some(text);
                    }
                    let name = module.name(function, &mut names)?;
                    Some(text.replacen('@', &name, 1))
                };
                (1..=count).map(text_of).collect()
            }
            Form::Assembly { machine, .. } => {
                let image = elf::Image::read(output)
                    .map_err(|error| compiler.unreadable(error.to_string()))?;
                if lists {
                    let target = image.protected();
                    return Ok(Lowered {
                        target: target.map(|target| x86::listing(&image, Some(target))),
                        helpers: vec![None; count.saturating_sub(1)],
                        whole: Some(x86::listing(&image, None)),
                    });
                }
                let printed = match &self.objdump {
                    None => None,
                    Some(objdump) => {
                        let printed = compiler.printed_of(objdump, foreign::ARGUMENTS, output)?;
                        let printed = printed.ok_or_else(|| {
                            compiler.unreadable("the disassembler does not take it".to_owned())
                        })?;
                        Some(foreign::read(&image, &printed))
                    }
                };
                let mut names = elf::SymbolNames::default();
                let places = image.marked(count, machine).into_iter().enumerate();
                let text_of = |(at, place): (usize, Option<(usize, elf::Extent)>)| {
                    let place = place?;
                    let mut label = String::new();
                    if at > 0 {
                        let start = elf::Location::Inside(place.0, place.1.start);
                        label = names.function(start) + ":\n";
                    }
                    let text = match &printed {
                        None => x86::strict(&image, place, &mut names),
                        Some(printed) => {
                            foreign::strict(machine, &image, printed, place, &mut names)
                        }
                    };
                    text.map(|text| label + &text)
                };
                places.map(text_of).collect()
            }
        };
        let mut texts = texts.into_iter();
        Ok(Lowered {
            target: texts.next().flatten(),
            helpers: texts.collect(),
            whole: None,
        })
    }

    fn read_wasm(&self, output: &[u8], count: usize) -> Result<Vec<Option<String>>, String> {
        let module = wasm::Module::read(output)?;
        let mut names = wasm::SymbolNames::default();
        let text_of = |mark: usize| {
            let index = module.marked(&format!("barecode_{mark}"))?;
            if self.profile == Profile::Clarc {
                return wasm::listing(&module, index);
            }
            let text = wasm::strict(&module, index, &mut names)?;
            if mark == 0 {
                return Some(text);
            }
            let name = names.function(index);
            Some(text.replacen("(func", &format!("(func {name}"), 1))
        };
        Ok((0..count).map(text_of).collect())
    }
}

fn is_assembly(form: Form) -> bool {
    matches!(
        form,
        Form::Assembly {
            machine: Machine::X86_64,
            ..
        }
    )
}

/// Returns `true` if CLARC has texts of the form; the others are as ours under its profile too.
fn is_clarc(form: Form) -> bool {
    is_assembly(form) || form == Form::Wasm
}

fn machine_of(form: Form) -> Option<Machine> {
    match form {
        Form::Assembly { machine, .. } => Some(machine),
        Form::Wasm | Form::LlvmIr => None,
    }
}

fn objdump(language: Language, machine: &str) -> Result<PathBuf, CheckError> {
    let program = format!("{machine}-linux-gnu-objdump");
    find(&program).ok_or_else(|| CheckError::CompilerMissing {
        program,
        language,
        hint: format!("apt-get install --yes binutils-{machine}-linux-gnu"),
    })
}

/// A text with a mark at the start of each of some functions.
fn marked(text: &str, spans: &[Span], mark: impl Fn(usize) -> String) -> String {
    let mut places: Vec<(usize, usize)> = Vec::new();
    for (number, span) in spans.iter().enumerate() {
        let head = text.get(span.start as usize..span.end as usize);
        if head.is_none_or(is_template) {
            continue;
        }
        let question = Question {
            language: Language::CPP,
            text: text.to_owned(),
            function: String::new(),
            target: *span,
            is_template: false,
        };
        if let Some(place) = question.place_of_mark() {
            places.push((place, number));
        }
    }
    places.sort_unstable();
    let mut out = text.to_owned();
    for (place, number) in places.into_iter().rev() {
        let mut mark = mark(number);
        // A function may begin with a directive, which needs a line of its own.
        if out.get(place..).is_some_and(|rest| rest.starts_with('#')) && !mark.is_empty() {
            mark.push('\n');
        }
        out.insert_str(place, &mark);
    }
    out
}

/// Returns `true` if a function is a template, which cannot have a mark in front.
fn is_template(head: &str) -> bool {
    match tokens(head).as_slice() {
        [template, open, close, ..] => template.is("template") && open.is("<") && !close.is(">"),
        _ => false,
    }
}

/// Flags that every compiler needs.
const COMMON: &[&str] = &["-g0", "-c", "-pipe", "-x"];

/// Flags for C, so that the same texts are refused as by the judge.
const C: &[&str] = &[
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
];

const GCC: &[&str] = &[
    "-fno-ident",
    "-fdiagnostics-color=never",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-column-unit=byte",
    "-fmax-errors=5",
    "-fno-reorder-blocks-and-partition",
    "-fno-stack-protector",
];

const CLANG: &[&str] = &[
    "-fno-ident",
    "-fno-color-diagnostics",
    "-fno-caret-diagnostics",
    "-ferror-limit=5",
    "-fno-stack-protector",
];

/// The defaults of the compiler that made CLARC's files, Ubuntu's g++ 11.
const UBUNTU: &[&str] = &[
    "-fcf-protection",
    "-fstack-protector-strong",
    "-fstack-clash-protection",
];

/// WASI's headers only: a header that WASI's library lacks would otherwise be looked for on this machine.
const WASI_HEADERS: &[&str] = &[
    "--target=wasm32-wasi",
    "-nostdlibinc",
    "-idirafter",
    "/usr/include/wasm32-wasi",
];

/// The library of C++ comes before the compiler's own headers.
const WASI_CPP_HEADERS: &[&str] = &["-isystem", "/usr/include/wasm32-wasi/c++/v1"];

/// Flags that enable optional parts of WASI's library.
const WASI: &[&str] = &[
    "-D_WASI_EMULATED_SIGNAL",
    "-D_WASI_EMULATED_MMAN",
    "-D_WASI_EMULATED_GETPID",
    "-D_WASI_EMULATED_PROCESS_CLOCKS",
];

/// The packages of Debian that contain gcc for a machine; empty for this one.
fn packages_of_gcc(machine: Machine, is_cpp: bool) -> &'static str {
    match (machine, is_cpp) {
        (Machine::X86_64, _) => "",
        (Machine::Aarch64, true) => "g++-aarch64-linux-gnu",
        (Machine::Aarch64, false) => "gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        (Machine::Riscv64, true) => "g++-riscv64-linux-gnu",
        (Machine::Riscv64, false) => "gcc-riscv64-linux-gnu libc6-dev-riscv64-cross",
    }
}

/// The program that lowers, and its arguments.
fn purpose_of(
    config: &CheckConfig,
    language: Language,
    form: Form,
    optimization: Optimization,
    profile: Profile,
) -> Purpose {
    let clarc = profile == Profile::Clarc && is_clarc(form);
    let own = |name: &str| match language {
        Language::C if config.compiler.contains(name) => config.compiler.clone(),
        Language::CPP if config.cpp_compiler.contains(name) => config.cpp_compiler.clone(),
        _ => name.to_owned(),
    };
    let is_cpp = language == Language::CPP;
    let gcc = if is_cpp { "g++" } else { "gcc" };
    let clang = if is_cpp { "clang++" } else { "clang" };
    let mut machine_flags = Vec::new();
    let mut wanted = Vec::new();
    let mut needed = vec![optimization.flag()];
    let mut packages = "";
    let program;
    match form {
        Form::Assembly {
            compiler: CompilerFamily::Gcc,
            machine,
        } => {
            wanted.extend(GCC);
            needed.push("-fPIE");
            program = match machine {
                // Nearest to the machine that made the files.
                Machine::X86_64
                    if clarc && config.cpp_compiler == "g++" && find("g++-11").is_some() =>
                {
                    "g++-11".to_owned()
                }
                Machine::X86_64 => own(gcc),
                Machine::Aarch64 => {
                    packages = packages_of_gcc(machine, is_cpp);
                    format!("aarch64-linux-gnu-{gcc}")
                }
                Machine::Riscv64 => {
                    packages = packages_of_gcc(machine, is_cpp);
                    needed.push("-mno-relax");
                    format!("riscv64-linux-gnu-{gcc}")
                }
            };
            if machine == Machine::X86_64 && !clarc {
                wanted.push("-fcf-protection=none");
            }
        }
        Form::Assembly {
            compiler: CompilerFamily::Clang,
            machine,
        } => {
            wanted.extend(CLANG);
            needed.push("-fPIE");
            program = own(clang);
            match machine {
                Machine::X86_64 if !clarc => wanted.push("-fcf-protection=none"),
                Machine::X86_64 => {}
                Machine::Aarch64 => {
                    packages = "clang g++-aarch64-linux-gnu";
                    machine_flags.push("--target=aarch64-linux-gnu");
                }
                Machine::Riscv64 => {
                    packages = "clang g++-riscv64-linux-gnu";
                    machine_flags.extend(["--target=riscv64-linux-gnu", "-march=rv64gc"]);
                    needed.push("-mno-relax");
                }
            }
        }
        Form::Wasm => {
            wanted.extend(CLANG);
            wanted.extend(WASI);
            machine_flags.extend(WASI_HEADERS);
            if is_cpp {
                // As Emscripten does it: code that throws compiles, and stops where it would throw.
                wanted.push("-fignore-exceptions");
                machine_flags.extend(WASI_CPP_HEADERS);
            }
            program = own(clang);
            packages = if is_cpp {
                "clang wasi-libc libc++-dev-wasm32"
            } else {
                "clang wasi-libc"
            };
        }
        Form::LlvmIr => {
            wanted.extend(CLANG);
            wanted.push("-fdiscard-value-names");
            needed.extend(["-fPIE", "-emit-llvm"]);
            program = own(clang);
        }
    }
    if clarc && is_assembly(form) {
        wanted.retain(|flag| *flag != "-fno-stack-protector");
        needed.extend(UBUNTU);
    }
    if is_cpp {
        wanted.push("-w");
    } else {
        wanted.extend(C);
    }
    needed.extend(COMMON);
    let is_ir = form == Form::LlvmIr;
    Purpose {
        program,
        standard: if is_cpp {
            config.cpp_standard.clone()
        } else {
            config.standard.clone()
        },
        machine: machine_flags,
        wanted,
        needed,
        work: if is_ir { Work::Assembly } else { Work::Object },
        judges: false,
        packages,
    }
}
