//! Programs that print the expected outputs: all that they do is to print constants, or the outputs of their tests are
//! strings in them.

use std::collections::BTreeSet;

use barecode_python::Module;
use barecode_records::Reason;
use barecode_records::python::{TestKind, Tests};

use super::measures::{share, squeezed};
use crate::ProgramConfig;
use crate::gates::Refusal;

pub(super) fn filter(
    module: &Module<'_>,
    tests: &Tests,
    config: &ProgramConfig,
) -> Option<Refusal> {
    if tests.kind != TestKind::Stdio {
        return None;
    }
    if module.prints_constants_only() {
        let detail = "all that it does is to print constants";
        return Some((Reason::PrintsExpected, detail.to_owned()));
    }
    let literals = module.literals();
    let texts = literals.iter().flat_map(|literal| &literal.values);
    let texts: BTreeSet<String> = texts.map(|text| squeezed(text)).collect();
    // A single word, such as `Possible`, must be in the program.
    let is_printed = |output: &&String| output.contains(' ') && texts.contains(*output);
    let outputs = tests.cases.iter().map(|case| squeezed(&case.output));
    let different: BTreeSet<String> = outputs.collect();
    let printed = different.iter().filter(is_printed).count();
    // A problem may have one or two answers in words; three are answers to tests.
    let whole = different.len();
    (printed >= 3 && share(printed, whole) >= config.printed_share).then(|| {
        let detail = format!("{printed} of {whole} different outputs are in it");
        (Reason::PrintsExpected, detail)
    })
}
