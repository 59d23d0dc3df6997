//! Files are opened in one place, which waits for no pipe and reads no device.

use std::fs;

use crate::house::{members, root, sources};

/// What may open files by itself: the place; files of the system; folders, files that a crate has just made, and tests.
const MAY: [&str; 7] = [
    "crates/records/src/guarded.rs",
    "crates/barecode/src/commands/doctor.rs",
    "crates/check/src/",
    "crates/python/src/rename/laws.rs",
    "crates/python/src/scope/oracle.rs",
    "crates/train/src/checkpoint.rs",
    "crates/train/src/step.rs",
];

#[test]
fn only_the_guarded_reader_opens_files() {
    let mut found = Vec::new();
    for member in members().iter().filter(|member| member.shipped) {
        for path in sources(&member.folder) {
            let name = path.strip_prefix(root()).unwrap().display().to_string();
            if MAY.iter().any(|may| name.starts_with(may)) {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let shipped = text.split("#[cfg(test)]\nmod ").next().unwrap();
            for call in ["File::open(", "fs::read(", "fs::read_to_string("] {
                if shipped
                    .lines()
                    .any(|line| line.contains(call) && !line.trim_start().starts_with("//"))
                {
                    found.push(format!("{name}: {call}…)"));
                }
            }
        }
    }
    assert!(
        found.is_empty(),
        "`barecode_records::guarded` opens files:\n{}",
        found.join("\n")
    );
}
