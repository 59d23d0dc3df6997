//! What of a data set becomes programs, and why the rest does not: `cargo run --example yields -- PATH [SHOWN]`.

#![expect(clippy::print_stdout, reason = "it is a program")]

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use barecode_programs::ProgramConfig;
use barecode_programs::base::{Base, prepare};
use barecode_programs::read::read;
use barecode_records::SetAside;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().ok_or("the path of a data set")?;
    let shown: usize = arguments.next().map_or(Ok(0), |number| number.parse())?;
    let config = ProgramConfig::default();
    let mut base = Base::new();
    let (mut kept, mut cut, mut bugs) = (0_usize, 0_u64, 0_usize);
    let mut left_out: BTreeMap<(String, &str), Vec<SetAside>> = BTreeMap::new();
    let mut changes: BTreeMap<String, usize> = BTreeMap::new();
    for item in read(
        Path::new(&path),
        None,
        &format!("path:{path}"),
        config.cases(),
    )? {
        let result = match item {
            Ok(candidate) => prepare(candidate, &config),
            Err(row) => Err(row),
        };
        let result = match result {
            Ok(prepared) => base.admit(prepared),
            Err(row) => Err(row),
        };
        match result {
            Ok(prepared) => {
                if kept < shown {
                    println!(
                        "=== {}\n{}",
                        prepared.program.problem, prepared.program.text
                    );
                }
                bugs += usize::from(prepared.wrong.is_some());
                kept += usize::from(prepared.wrong.is_none());
                cut += u64::from(prepared.cut_cases);
                for change in prepared.program.normalized {
                    *changes.entry(change).or_default() += 1;
                }
            }
            Err(row) => {
                let key = (row.kind.clone(), row.reason.code());
                left_out.entry(key).or_default().push(row);
            }
        }
    }
    println!(
        "{kept} programs, {bugs} published bugs, {cut} test cases beyond the limits; normalized {changes:?}"
    );
    for ((kind, reason), rows) in left_out {
        println!("{} of kind {kind}: {reason}", rows.len());
        for row in rows.iter().take(6) {
            let name = row.name.as_deref().unwrap_or_default();
            let place = row.origin.as_ref().map(barecode_records::Origin::place);
            println!("    {name} {}: {}", place.unwrap_or_default(), row.detail);
        }
    }
    Ok(())
}
