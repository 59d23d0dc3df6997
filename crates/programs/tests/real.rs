//! The published data sets: what becomes programs.

use std::collections::BTreeMap;

use barecode_programs::ProgramConfig;
use barecode_programs::base::{Base, prepare};
use barecode_programs::read::read;
use barecode_testing::needs;

/// How many candidates a file has, how many become programs and bugs, and the others by their reasons.
fn yields(file: &str) -> Option<(usize, [usize; 2], BTreeMap<&'static str, usize>)> {
    let path = needs::data("python")?.join(file);
    let config = ProgramConfig::default();
    let mut base = Base::new();
    let (mut all, mut kept) = (0, [0, 0]);
    let mut reasons = BTreeMap::new();
    for item in read(&path, None, "path:x", config.cases()).expect("the data set is known") {
        all += 1;
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
                kept[usize::from(prepared.wrong.is_some())] += 1;
                let program = &prepared.program;
                assert!(!program.text.contains('\r') && program.text.ends_with('\n'));
            }
            Err(row) => *reasons.entry(row.reason.code()).or_default() += 1,
        }
    }
    Some((all, kept, reasons))
}

#[test]
fn published_data_sets_become_programs() {
    let files = [
        ("HumanEval.jsonl.gz", 164, 0),
        ("humanevalpack_python.jsonl", 164, 164),
        ("mbpp.jsonl", 974, 0),
    ];
    for (file, rows, bugs) in files {
        let Some((all, [kept, wrong], reasons)) = yields(file) else {
            return;
        };
        assert_eq!(all, rows + bugs);
        assert_eq!(
            kept + wrong + reasons.values().sum::<usize>(),
            all,
            "{reasons:?}"
        );
        assert!(wrong * 100 >= bugs * 95, "{file}: {wrong} of {bugs}");
        assert!(
            kept * 100 >= rows * 95,
            "{file}: {kept} of {rows}, {reasons:?}"
        );
        for code in [
            "parse_error",
            "python2",
            "row_corrupt",
            "row_incomplete",
            "no_tests",
        ] {
            assert!(!reasons.contains_key(code), "{file}: {reasons:?}");
        }
    }
}
