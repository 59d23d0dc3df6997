//! The comparison on the terminal and as JSON.

use std::fmt::Write as _;
use std::path::Path;

use comfy_table::{Cell, CellAlignment, Table, presets};
use serde_json::{Value, json};

use super::row::Compared;

/// The shares, then the causes; with `list` also each row that differs.
pub(super) fn terminal(compared: &[Compared], list: bool, color: bool) -> String {
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
        color,
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
        row.extend(numbers.map(|number| Cell::new(number).set_alignment(CellAlignment::Right)));
        shares.add_row(row);
    }
    let mut causes = table(&["file", "first difference of a row", "rows"], color);
    for file in compared {
        let mut counted: Vec<(&String, &usize)> = file.causes.iter().collect();
        counted.sort_by_key(|(cause, rows)| (std::cmp::Reverse(**rows), *cause));
        for (cause, rows) in counted {
            causes.add_row(vec![
                Cell::new(&file.file),
                Cell::new(cause),
                Cell::new(rows).set_alignment(CellAlignment::Right),
            ]);
        }
    }
    let mut text = format!(
        "equal: the text is the released one, whitespace aside; same form: up to a one-to-one renaming\n{shares}\n\n{causes}\n"
    );
    if list {
        for file in compared {
            for row in &file.differing {
                writeln!(
                    text,
                    "{}  {}  {}  {}",
                    file.setting, row.id, row.cause, row.detail
                )
                .expect("memory takes any text");
            }
        }
    }
    text
}

fn table(head: &[&str], color: bool) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    if color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
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
    let files = compared.iter().map(|file| {
        let mut value = json!({
            "file": file.file,
            "setting": file.setting,
            "rows": file.rows,
            "equal": file.equal,
            "same_form": file.same_form,
            "causes": file.causes,
        });
        if let (true, Some(fields)) = (list, value.as_object_mut()) {
            let rows = file
                .differing
                .iter()
                .map(|row| json!({ "id": row.id, "cause": row.cause, "detail": row.detail }));
            fields.insert("differing".to_owned(), rows.collect());
        }
        value
    });
    json!({ "folder": folder, "files": files.collect::<Vec<_>>() })
}
