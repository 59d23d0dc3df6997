//! `--version --verbose`, and run folders of other versions: `build` repeats them, other commands refuse them by name.

use barecode_records::Id;
use barecode_records::table::{Record, Table};
use serde::{Deserialize, Serialize};

use crate::project::{Project, assert_same};

#[test]
fn the_version_is_a_line_and_in_full_on_request() {
    let project = Project::new();
    let line = format!("barecode {}\n", env!("CARGO_PKG_VERSION"));
    for option in ["--version", "-V"] {
        assert_eq!(project.run(&[option]).stdout, line);
    }
    for options in [["--version", "--verbose"], ["-v", "-V"]] {
        let ended = project.run(&options);
        assert_eq!(ended.code, Some(0));
        for part in [
            line.as_str(),
            "\nsystem: linux ",
            "\njson: schema_version 1",
            "\ntables: functions ",
            " units ",
        ] {
            assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
        }
    }
}

/// A row of a table as another version had it.
#[derive(Serialize, Deserialize)]
struct Older {
    id: Id,
    text: String,
}

impl Record for Older {
    const TABLE: &'static str = "units";
    const VERSION: u32 = 1;
}

#[test]
fn a_run_of_another_version_is_made_again_or_refused_by_name() {
    let project = Project::new();
    project.build();
    let ours = project.bytes();
    let units = project.path("runs/shelf/02-units/part-00000.parquet");
    let row = Older {
        id: Id::from("u-0123456789abcdef".to_owned()),
        text: "int f(void);".to_owned(),
    };
    Table::of(&[row])
        .write(&units, "the key of another version")
        .unwrap();
    for words in [
        ["show", "shelf_ring_clear", "--run", "runs/shelf"],
        ["pairs", "--run=runs/shelf", "--to=pairs", "--all"],
    ] {
        let ended = project.run(&words);
        assert_eq!(ended.code, Some(4), "{words:?}: {}", ended.stderr);
        for part in ["part-00000.parquet", "units v1", "units v"] {
            assert!(ended.stderr.contains(part), "{words:?}: {}", ended.stderr);
        }
        assert!(ended.stderr.contains("hint: "), "{}", ended.stderr);
    }
    let built = project.build();
    assert_eq!(built["stages"]["check"]["worked"], true);
    assert_eq!(built["stages"]["extract"]["worked"], false);
    assert_same(&ours, &project.bytes());
}
