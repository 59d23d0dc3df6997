//! The forms that only C and C++ have: those that a compiler lowers code to. A form names what is written, the family
//! of the compiler, the machine and the optimization level.

use std::fmt;

/// The form that code is lowered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// Disassembled machine code.
    Assembly {
        /// The family of the compiler.
        compiler: CompilerFamily,
        /// The machine that it compiles for.
        machine: Machine,
    },
    /// WebAssembly's text format.
    Wasm,
    /// LLVM's intermediate representation.
    LlvmIr,
}

/// The family of the compiler that lowers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompilerFamily {
    /// GNU.
    Gcc,
    /// LLVM.
    Clang,
}

words! {
    /// A machine that code is compiled for.
    pub enum Machine {
        /// AMD64.
        X86_64 = "x86-64",
        /// 64-bit ARM.
        Aarch64 = "aarch64",
        /// 64-bit RISC-V with the general extensions.
        Riscv64 = "riscv64",
    }
}

words! {
    /// An optimization level.
    pub enum Optimization {
        /// `-O0`
        O0 = "o0",
        /// `-O1`
        O1 = "o1",
        /// `-O2`
        O2 = "o2",
        /// `-O3`
        O3 = "o3",
        /// `-Os`
        Os = "os",
    }
}

impl Optimization {
    /// `-O0`
    pub fn flag(self) -> &'static str {
        match self {
            Optimization::O0 => "-O0",
            Optimization::O1 => "-O1",
            Optimization::O2 => "-O2",
            Optimization::O3 => "-O3",
            Optimization::Os => "-Os",
        }
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Form::Assembly { compiler, machine } => {
                f.write_str("assembly")?;
                if *compiler == CompilerFamily::Clang {
                    f.write_str("-clang")?;
                }
                if *machine != Machine::X86_64 {
                    write!(f, "-{}", machine.name())?;
                }
                Ok(())
            }
            Form::Wasm => f.write_str("wasm"),
            Form::LlvmIr => f.write_str("llvm-ir"),
        }
    }
}
