//! The arguments of compilers for a language: names, files, flags, headers.
//!
//! A language that is compiled is a row of [`COMPILED`]; any other is refused with [`CheckError::NotCompiled`].

use barecode_records::Language;

use crate::CheckConfig;
use crate::error::CheckError;

/// The differences between the languages that are compiled.
#[derive(Debug)]
pub(crate) struct Dialect {
    /// The language.
    pub(crate) language: Language,
    /// Its name for `-x`.
    pub(crate) tongue: &'static str,
    /// The name of its preprocessed text for `-x`.
    pub(crate) preprocessed: &'static str,
    /// The name of the file that a text is compiled from.
    pub(crate) file: &'static str,
    /// The compiler in the recipe.
    pub(crate) program: fn(&CheckConfig) -> &String,
    /// The dialect in the recipe.
    pub(crate) standard: fn(&CheckConfig) -> &String,
    /// Flags that are left out if the compiler does not know them; the toolchain lists the flags that were used.
    pub(crate) wanted: &'static [&'static str],
    /// The text that a probe compiles: headers of the library, and a function that is never called.
    pub(crate) canary: &'static str,
    /// Headers, besides those of C, on whose text a verdict depends, one per line.
    pub(crate) headers: &'static str,
    /// Debian's packages that contain the library.
    pub(crate) packages: &'static str,
}

impl Dialect {
    /// The dialect of a language.
    pub(crate) fn of(language: Language) -> Result<&'static Dialect, CheckError> {
        let found = COMPILED.iter().find(|dialect| dialect.language == language);
        found.ok_or(CheckError::NotCompiled { language })
    }
}

/// The languages that are compiled.
static COMPILED: [Dialect; 2] = [
    Dialect {
        language: Language::C,
        tongue: "c",
        preprocessed: "cpp-output",
        file: "unit.c",
        program: |config| &config.compiler,
        standard: |config| &config.standard,
        wanted: WANTED,
        canary: CANARY,
        headers: "",
        packages: "libc6-dev",
    },
    Dialect {
        language: Language::CPP,
        tongue: "c++",
        preprocessed: "c++-cpp-output",
        file: "unit.cpp",
        program: |config| &config.cpp_compiler,
        standard: |config| &config.cpp_standard,
        wanted: WANTED_OF_CPP,
        canary: CANARY_OF_CPP,
        headers: HEADERS_OF_CPP,
        packages: "g++ libc6-dev",
    },
];

/// Flags that are left out if the compiler does not know them; the toolchain lists the flags that were used.
const WANTED: &[&str] = &[
    "-fkeep-static-functions",
    "-fkeep-inline-functions",
    "-fno-ident",
    "-fdiagnostics-color=never",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-column-unit=byte",
    "-fmax-errors=5",
    "-Werror=implicit-function-declaration",
    "-Werror=implicit-int",
    "-Wno-int-conversion",
    "-Wno-incompatible-pointer-types",
];

/// The same for C++. Its warnings do not affect a verdict, so they are not enabled; inline functions of the headers
/// are not preserved, because that would include all of the library.
const WANTED_OF_CPP: &[&str] = &[
    "-fno-ident",
    "-fdiagnostics-color=never",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-column-unit=byte",
    "-fmax-errors=5",
    "-w",
];

/// The text that a probe compiles: headers of the C library, and a function that is never called.
const CANARY: &str = "#include <stdio.h>\nstatic int canary(int a) { return a + 1; }\nint main(void) { return puts(\"\"); }\n";

/// The same for C++.
const CANARY_OF_CPP: &str = "#include <cstdio>\n#include <new>\nstatic int canary(int a) { return a + 1; }\nint main() { return std::puts(\"\"); }\n";

/// The same for C++; most of the library is in these.
const HEADERS_OF_CPP: &str = include_str!("compiler/headers-cpp.txt");
