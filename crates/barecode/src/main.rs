//! The program `barecode`; what it does is in the library of the same name.

use std::process::ExitCode;

fn main() -> ExitCode {
    barecode::main(std::env::args_os()).into()
}
