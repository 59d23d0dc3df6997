//! The comparison on the terminal and as JSON.

use std::fmt::{self, Write as _};
use std::path::Path;

use barecode_clarc::Compared;
use comfy_table::{Cell, Table};
use serde_json::{Value, json};

use crate::console::Screen;
use crate::report::grid;

/// The shares, then the causes; with `list` also each row that differs.
pub(super) fn terminal(
    compared: &[Compared],
    list: bool,
    screen: Screen,
) -> Result<String, fmt::Error> {
    let mut shares = table(
        &[
            "file",
            "setting",
            "rows",
            "equal",
            "share",
            "same form",
            "share",
        ],
        screen,
    );
    for file in compared {
        let mut row = vec![Cell::new(&file.file), Cell::new(&file.setting)];
        let numbers = [
            file.rows.to_string(),
            file.equal.to_string(),
            share(file.equal, file.rows),
            file.same_form.to_string(),
            share(file.same_form, file.rows),
        ];
        row.extend(numbers.map(grid::right));
        shares.add_row(row);
    }
    let mut causes = table(&["file", "first difference of a row", "rows"], screen);
    for file in compared {
        let mut counted: Vec<(&String, &usize)> = file.causes.iter().collect();
        counted.sort_by_key(|(cause, rows)| (std::cmp::Reverse(**rows), *cause));
        for (cause, rows) in counted {
            causes.add_row(vec![
                Cell::new(&file.file),
                Cell::new(cause),
                grid::right(rows),
            ]);
        }
    }
    let mut text = format!(
        "equal: the text is the released one, whitespace aside; same form: up to a one-to-one renaming\n{shares}\n\n{causes}\n"
    );
    for file in compared.iter().filter(|file| file.not_compiled > 0) {
        writeln!(
            text,
            "{}: {} rows of group 2 are not compiled, because the released rows lack the types and variables that they need",
            file.file, file.not_compiled
        )?;
    }
    if list {
        for file in compared {
            for row in &file.differing {
                writeln!(
                    text,
                    "{}  {}  {}  {}",
                    file.setting, row.id, row.cause, row.detail
                )?;
            }
        }
    }
    Ok(text)
}

fn table(head: &[&str], screen: Screen) -> Table {
    let mut table = grid::styled(screen);
    table.set_header(head.iter().copied());
    table
}

fn share(part: usize, whole: usize) -> String {
    if whole == 0 {
        return "–".to_owned();
    }
    format!("{:.1} %", part as f64 * 100.0 / whole as f64)
}

/// The same for a machine.
pub(super) fn json(folder: &Path, compared: &[Compared], list: bool) -> Value {
    let mut value = json!({ "folder": folder, "files": compared });
    for file in value["files"].as_array_mut().into_iter().flatten() {
        if let (false, Some(fields)) = (list, file.as_object_mut()) {
            fields.remove("differing");
        }
    }
    value
}
