//! Programs that look their answers up: the inputs or outputs of their tests are in one list or dictionary.

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
    let literals = module.literals();
    let mut tables = literals
        .iter()
        .filter(|literal| literal.is_container && literal.values.len() >= config.table_values)
        .peekable();
    tables.peek()?;
    let is_long = |value: &String| value.chars().count() >= config.shortest_value;
    let values: BTreeSet<String> = match tests.kind {
        TestKind::Stdio | TestKind::Doctest => {
            let outputs = tests.cases.iter().map(|case| squeezed(&case.output));
            outputs.filter(is_long).collect()
        }
        TestKind::Asserts | TestKind::Pytest => {
            let test = Module::parse(&tests.code).ok()?;
            let values = test.literals().into_iter().flat_map(|one| one.values);
            values
                .map(|value| squeezed(&value))
                .filter(is_long)
                .collect()
        }
    };
    // One or two values are also in a list of words that a program needs.
    if values.len() < 3 {
        return None;
    }
    let found = tables.map(|table| {
        let entries: BTreeSet<String> = table.values.iter().map(|one| squeezed(one)).collect();
        values.intersection(&entries).count()
    });
    let most = found.max()?;
    (share(most, values.len()) >= config.table_share).then(|| {
        let whole = values.len();
        let detail = format!("{most} of {whole} values of its tests are in a table");
        (Reason::LookupTable, detail)
    })
}
