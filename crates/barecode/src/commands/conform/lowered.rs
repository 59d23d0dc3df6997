//! The lowered settings: the released originals compiled as CLARC did, and their code compared.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use barecode_check::{CheckConfig, CheckError, Lowered, Lowerer};
use barecode_clarc::{Compared, Group, Pair, Released, compare, group, lower, texts};
use barecode_records::{
    Profile,
    c::{CompilerFamily, Form, Machine, Optimization},
};
use rayon::prelude::*;

use super::invalid;
use crate::console::Console;

/// Our code of each row, or the reason why it is missing.
type Made = BTreeMap<String, Result<Lowered, String>>;

/// Compares the released files of lowered settings; those whose compiler is not installed are left out with a note.
pub(super) fn compare_all(pairs: &[Pair], console: Console) -> anyhow::Result<Vec<Compared>> {
    let mut compared = Vec::new();
    // A file of originals is compiled once for all files that are compared with it.
    let mut made: BTreeMap<(&std::path::Path, Form), Option<Made>> = BTreeMap::new();
    for pair in pairs {
        let Some(released) = Released::named(&pair.setting) else {
            continue;
        };
        let form = match released {
            Released::AssemblyShort | Released::AssemblyLong => Form::Assembly {
                compiler: CompilerFamily::Gcc,
                machine: Machine::X86_64,
            },
            Released::Wasm => Form::Wasm,
        };
        let key = (pair.original.as_path(), form);
        let ours = match made.entry(key) {
            Entry::Occupied(found) => found.into_mut(),
            Entry::Vacant(place) => place.insert(make(pair, form, console)?),
        };
        if let Some(ours) = ours {
            compared.push(of_file(pair, released, ours)?);
        }
    }
    Ok(compared)
}

/// Lowers every original of a file; `None` if the compiler is not installed.
fn make(pair: &Pair, form: Form, console: Console) -> anyhow::Result<Option<Made>> {
    let config = CheckConfig::default();
    let lowerer = match Lowerer::probe(&config, form, Optimization::O0, Profile::Clarc) {
        Ok(lowerer) => lowerer,
        Err(error @ (CheckError::CompilerMissing { .. } | CheckError::CompilerUnusable { .. })) => {
            console.note(&format!("{form} is not compared: {error}"));
            return Ok(None);
        }
        Err(error) => return Err(error.into()),
    };
    let mut originals = texts(&pair.original).map_err(invalid)?;
    originals.retain(|id, _| stands_alone(id));
    let progress = console.lowering(originals.len() as u64);
    let lowered = originals.into_par_iter().map(|(id, text)| {
        let lowered = lower(&text, &lowerer)?;
        progress.inc(1);
        Ok((id, lowered))
    });
    let made: Result<Made, CheckError> = lowered.collect();
    progress.finish_and_clear();
    Ok(Some(made?))
}

/// Returns `true` if a row can compile: one of group 2 needs types or variables of its project, which the released rows
/// lack.
fn stands_alone(id: &str) -> bool {
    group(id) != Group::Two
}

fn of_file(pair: &Pair, released: Released, ours: &Made) -> anyhow::Result<Compared> {
    let file = pair.released.file_name().unwrap_or_default();
    let mut compared = Compared {
        setting: released.name().to_owned(),
        file: file.to_string_lossy().into_owned(),
        ..Compared::default()
    };
    for (id, theirs) in texts(&pair.released).map_err(invalid)? {
        if !stands_alone(&id) {
            compared.not_compiled += 1;
        }
        let Some(ours) = ours.get(&id) else { continue };
        let found = compare(released, ours, &theirs);
        compared.rows += 1;
        compared.equal += usize::from(found.equal);
        compared.same_form += usize::from(found.same_form);
        if let Some(cause) = found.cause {
            compared.differ(&id, cause, found.detail);
        }
    }
    Ok(compared)
}
