//! Object files of a user's own build → the functions in them, as text.
//!
//! A function may need more than its closure to compile: headers that a build makes, options, another compiler. A
//! user who has built its project once with debug information still has its code. It is cut from the object files by
//! its symbol, and identified by the file and line in the debug information. The text is that of the lowered
//! settings ([`Lowerer`](super::Lowerer)): no name is left in it. Code that the build's flags add (marks for
//! indirect branches, a stack protector) stays. Nothing is run, and only the end of a path is trusted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use barecode_records::{
    Profile, Setting,
    c::{CompilerFamily, Form, Machine, Optimization},
};
use object::read::archive::ArchiveFile;
use object::read::elf::ElfFile64;
use object::{
    Object as _, ObjectKind, ObjectSection as _, ObjectSymbol as _, RelocationTarget, SymbolKind,
};
use thiserror::Error;

use super::debug::{self, Debug, Part, Written};
use super::{elf, wasm, x86};

/// A function of an object file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuiltFunction {
    /// Its name, without qualifiers.
    pub name: String,
    /// Its file as the compiler saw it, with `/` between folders: `home/me/lib/src/list.c`.
    pub path: String,
    /// The line of its name, from 1.
    pub line: u32,
    /// The setting whose form its text has: `assembly-o2`.
    pub setting: Setting,
    /// Its code.
    pub text: String,
}

/// The functions of an object file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Built {
    /// In the order of the debug information.
    pub functions: Vec<BuiltFunction>,
    /// The number of functions that have code in the object, but not under a symbol of their own: a compiler has
    /// changed their parameters.
    pub without_symbol: u64,
    /// The number of functions that have code, but no name, file or line in the debug information.
    pub without_place: u64,
    /// The number of functions in parts of the object that another compiler made, or made with flags that no setting
    /// has.
    pub uncut: BTreeMap<Uncut, u64>,
}

/// The reason why nothing is cut from an object file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Error)]
pub enum Uncut {
    /// Its first bytes are those of something else.
    #[error("not an object file")]
    Other,
    /// A program or a shared library.
    #[error("linked already, where addresses stand for names: give the object files (`.o`, `.a`)")]
    Linked,
    /// An object for another machine.
    #[error("for another machine than x86-64 and WebAssembly")]
    Machine,
    /// No function is described.
    #[error(
        "no debug information of functions: build with `-g`, without `-gsplit-dwarf` and `-flto`"
    )]
    NoDebugInformation,
    /// Compressed sections.
    #[error("compressed debug information: build with `-gz=none`")]
    Compressed,
    /// Another compiler, or another language's.
    #[error("compiled by neither gcc nor clang")]
    Compiler,
    /// Clang without its flags.
    #[error("the level of optimization is not recorded: build with `-grecord-command-line`")]
    NoLevel,
    /// A level without a setting.
    #[error("compiled with `-O{0}`, which no setting has")]
    Level(String),
    /// It begins like an object file, but cannot be read as one.
    #[error("damaged: {0}")]
    Damaged(String),
}

/// The functions of an object file, or of each object in an archive.
///
/// # Errors
/// The inner error, for each object, is the reason why nothing is cut from it.
pub fn read_objects(bytes: &[u8]) -> Vec<Result<Built, Uncut>> {
    if !bytes.starts_with(b"!<arch>\n") {
        return vec![read_object(bytes)];
    }
    let archive = match ArchiveFile::parse(bytes) {
        Ok(archive) => archive,
        Err(error) => return vec![Err(Uncut::Damaged(error.to_string()))],
    };
    let members = archive.members().map(|member| {
        let data = member.and_then(|member| member.data(bytes));
        read_object(data.map_err(|error| Uncut::Damaged(error.to_string()))?)
    });
    members.collect()
}

fn read_object(bytes: &[u8]) -> Result<Built, Uncut> {
    if bytes.starts_with(b"\x7fELF") {
        read_elf(bytes)
    } else if bytes.starts_with(b"\0asm") {
        read_wasm(bytes)
    } else {
        Err(Uncut::Other)
    }
}

fn read_elf(bytes: &[u8]) -> Result<Built, Uncut> {
    let damaged = |error: object::Error| Uncut::Damaged(error.to_string());
    if bytes.get(4..6) != Some(&[2, 1]) {
        return Err(Uncut::Machine);
    }
    let file: ElfFile64<'_, object::Endianness> = ElfFile64::parse(bytes).map_err(damaged)?;
    match file.kind() {
        ObjectKind::Relocatable => {}
        _ => return Err(Uncut::Linked),
    }
    if file.architecture() != object::Architecture::X86_64 {
        return Err(Uncut::Machine);
    }
    let mut parts = BTreeMap::new();
    for section in file.sections() {
        let Some(name) = section.name().ok().filter(|it| it.starts_with(".debug_")) else {
            continue;
        };
        let data = section.compressed_data().map_err(damaged)?;
        if data.format != object::CompressionFormat::None {
            return Err(Uncut::Compressed);
        }
        let mut filled = BTreeMap::new();
        for (offset, relocation) in section.relocations() {
            let RelocationTarget::Symbol(symbol) = relocation.target() else {
                continue;
            };
            let address = file.symbol_by_index(symbol).map_err(damaged)?.address();
            let value = address.wrapping_add_signed(relocation.addend());
            filled.insert(usize::try_from(offset).unwrap_or(usize::MAX), value);
        }
        let bytes = Cow::Borrowed(data.data);
        // Several of one name are type units in groups of their own; the unit of the code is not in a group.
        parts
            .entry(name.to_owned())
            .or_insert(Part { bytes, filled });
    }
    let debug = read_debug(&parts)?;
    let image = elf::Image::read(bytes).map_err(damaged)?;
    let mut symbols = BTreeMap::new();
    for symbol in file.symbols() {
        if symbol.kind() == SymbolKind::Text
            && let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index())
        {
            symbols.insert(name.to_owned(), (section.0, symbol.address()));
        }
    }
    built(
        &debug,
        |family| Form::Assembly {
            compiler: family,
            machine: Machine::X86_64,
        },
        |symbol| {
            let place = image.extent(*symbols.get(symbol)?)?;
            x86::strict(&image, place, &mut elf::SymbolNames::default())
        },
    )
}

fn read_wasm(bytes: &[u8]) -> Result<Built, Uncut> {
    let module = wasm::Module::read(bytes).map_err(Uncut::Damaged)?;
    if !module.is_object() {
        return Err(Uncut::Linked);
    }
    let mut parts = BTreeMap::new();
    for (name, bytes) in wasm::debug_sections(bytes).map_err(Uncut::Damaged)? {
        let filled = BTreeMap::new();
        parts.insert(
            name,
            Part {
                bytes: Cow::Borrowed(bytes),
                filled,
            },
        );
    }
    let debug = read_debug(&parts)?;
    built(
        &debug,
        |_| Form::Wasm,
        |symbol| {
            wasm::strict(
                &module,
                module.named(symbol)?,
                &mut wasm::SymbolNames::default(),
            )
        },
    )
}

fn read_debug(parts: &BTreeMap<String, Part<'_>>) -> Result<Debug, Uncut> {
    let debug = debug::read(parts).map_err(|error| Uncut::Damaged(error.to_string()))?;
    if debug.functions.is_empty() {
        return Err(Uncut::NoDebugInformation);
    }
    Ok(debug)
}

/// The functions with their code, of the units that a setting can be named for.
fn built(
    debug: &Debug,
    form: impl Fn(CompilerFamily) -> Form,
    text_of: impl Fn(&str) -> Option<String>,
) -> Result<Built, Uncut> {
    let settings = debug.producers.iter().map(|producer| {
        let (family, optimization) = compiler_of(producer)?;
        let form = form(family);
        Ok(Setting::Lowered {
            form,
            optimization,
            profile: Profile::Strict,
        })
    });
    let settings: Vec<Result<Setting, Uncut>> = settings.collect();
    let mut built = Built {
        without_place: debug.without_place,
        ..Built::default()
    };
    for Written {
        name,
        symbol,
        path,
        line,
        producer,
    } in &debug.functions
    {
        let setting = match &settings[*producer] {
            Ok(setting) => *setting,
            Err(why) => {
                *built.uncut.entry(why.clone()).or_default() += 1;
                continue;
            }
        };
        let Some(text) = text_of(symbol) else {
            built.without_symbol += 1;
            continue;
        };
        let (name, path, line) = (name.clone(), path.clone(), *line);
        built.functions.push(BuiltFunction {
            name,
            path,
            line,
            setting,
            text,
        });
    }
    match built.uncut.keys().next() {
        Some(why) if built.functions.is_empty() => Err(why.clone()),
        _ => Ok(built),
    }
}

/// The compiler with this producer string, and its optimization level.
fn compiler_of(producer: &str) -> Result<(CompilerFamily, Optimization), Uncut> {
    let is_of_c = ["GNU C", "clang version", "clang LLVM"];
    let is_gcc = producer.starts_with("GNU C");
    if !is_of_c.iter().any(|it| producer.contains(it)) {
        return Err(Uncut::Compiler);
    }
    let words = producer.split_ascii_whitespace();
    let has_flags = words.clone().any(|word| word.starts_with('-'));
    // The last one counts, as on a command line.
    let level = words.rev().find_map(|word| word.strip_prefix("-O"));
    let optimization = match level {
        None if is_gcc || has_flags => Optimization::O0,
        None => return Err(Uncut::NoLevel),
        Some("0") => Optimization::O0,
        Some("" | "1") => Optimization::O1,
        Some("2") => Optimization::O2,
        Some("3") => Optimization::O3,
        Some("s") => Optimization::Os,
        Some(other) => return Err(Uncut::Level(other.to_owned())),
    };
    let family = if is_gcc {
        CompilerFamily::Gcc
    } else {
        CompilerFamily::Clang
    };
    Ok((family, optimization))
}
