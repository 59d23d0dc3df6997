//! A table on the terminal.
//!
//! A table that is wider than the terminal is broken at the positions that its author allows, and if that does not
//! help, between any two words.

use std::ops::Range;

use comfy_table::{Attribute, Cell, CellAlignment, ContentArrangement, Table, presets};

use barecode_runs::console::Screen;

/// A table in one look; the first `names` cells of each row are names, the others are numbers.
pub fn table(
    names: usize,
    heads: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
    screen: Screen,
) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    let filled = |between: &str| {
        let mut table = styled(screen);
        let heads = heads.iter().map(|head| head.replace(' ', between));
        table.set_header(heads.map(|head| bold(Cell::new(head), screen)));
        for cells in &rows {
            let cells = cells.iter().enumerate();
            table.add_row(cells.map(|(at, text)| {
                if at < names {
                    Cell::new(text)
                } else {
                    right(text.replace(" [", &[between, "["].concat()))
                }
            }));
        }
        table
    };
    fitted(screen, filled).to_string()
}

/// A table with fixed content, the same on every screen; `numbers` are the columns to the right, heads included.
pub fn plain<const N: usize>(
    numbers: Range<usize>,
    heads: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
) -> String {
    let mut table = styled(Screen::PLAIN);
    table.set_header(heads);
    for row in rows {
        table.add_row(row);
    }
    for column in table
        .column_iter_mut()
        .take(numbers.end)
        .skip(numbers.start)
    {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.to_string()
}

/// A table without heads and rows.
pub fn styled(screen: Screen) -> Table {
    let mut table = Table::new();
    table.load_style(presets::UTF8_FULL_CONDENSED);
    if screen.color {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    table
}

/// A bold cell.
pub fn bold(cell: Cell, screen: Screen) -> Cell {
    if screen.color {
        cell.add_attribute(Attribute::Bold)
    } else {
        cell
    }
}

/// A cell with a number.
pub fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// The table that `filled` makes, with blanks where it may be broken or, if it is too wide, with line breaks there.
pub(super) fn fitted(screen: Screen, filled: impl Fn(&str) -> Table) -> Table {
    let width = usize::from(screen.width);
    let fits = |table: &Table| table.lines().all(|line| line.chars().count() <= width);
    let mut table = filled(" ");
    if !fits(&table) {
        table = filled("\n");
    }
    if !fits(&table) {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(screen.width);
    }
    table
}

#[cfg(test)]
mod tests {
    use barecode_runs::console::Glyphs;

    use super::*;

    #[test]
    fn a_table_has_only_signs_that_are_spelled_in_ascii() {
        let table = table(1, &["a ×2"], [vec!["– ●…".to_owned()]], Screen::PLAIN);
        let shown = Glyphs::Ascii.shown(&table).into_owned();
        assert!(shown.is_ascii() && shown.contains("| - *... |"), "{shown}");
    }
}
