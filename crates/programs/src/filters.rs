//! Quality filters (pydra, appendix B.2): programs that solve nothing, and texts that are hardly programs.

mod literals;
mod measures;
mod printed;
mod repeated;
mod table;

use barecode_python::Module;
use barecode_records::python::Tests;

use crate::ProgramConfig;
use crate::gates::Refusal;

/// The first filter that a program does not pass.
pub fn quality(module: &Module<'_>, tests: &Tests, config: &ProgramConfig) -> Option<Refusal> {
    printed::filter(module, tests, config)
        .or_else(|| table::filter(module, tests, config))
        .or_else(|| literals::filter(module, config))
        .or_else(|| repeated::filter(module.text(), config))
}
