//! The reference of the book describes the tables, and the types define them: this compares the two.

use std::fs;
use std::path::Path;

use arrow_schema::{DataType, Fields};
use barecode_records::python::{Program, ProgramVariant};
use barecode_records::table::schema;
use barecode_records::{
    Candidate, ClusterMember, Difference, Document, Function, Hit, Judgment, ListedSubset, Pair,
    ProbePair, ProbeProgram, ProbeScore, Query, QueryScore, QueryText, Reason, Record, Score,
    SetAside, SetDifference, SettingDrop, Similarity, SourceName, Stage, Statistic, Unit, Variant,
};

/// A row of a table in Markdown, cell by cell.
type Row = Vec<String>;

/// A chapter of the reference.
fn chapter(name: &str) -> String {
    let reference = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/reference");
    fs::read_to_string(reference.join(name)).expect("the book has the chapter")
}

/// The rows of the first table below a heading, its head left out; `None` where there is no such heading.
fn rows_below(document: &str, heading: &str) -> Option<Vec<Row>> {
    let mut lines = document.lines().skip_while(|line| *line != heading);
    lines.next()?;
    let table = lines
        .take_while(|line| !line.starts_with('#'))
        .skip_while(|line| !line.starts_with('|'))
        .take_while(|line| line.starts_with('|'));
    Some(table.skip(2).map(cells).collect())
}

fn cells(line: &str) -> Row {
    let inside = line.trim().trim_start_matches('|').trim_end_matches('|');
    inside
        .split('|')
        .map(|cell| cell.trim().to_owned())
        .collect()
}

/// The structures that stand in several tables, with the name that the reference gives each.
fn structures() -> Vec<(&'static str, Fields)> {
    let function = schema::<Function>();
    let unit = schema::<Unit>();
    let variant = schema::<Variant>();
    let found = |fields: &[arrow_schema::FieldRef], name: &str| {
        let field = fields.iter().find(|field| field.name() == name);
        inner(field.expect("the table has the column").data_type())
    };
    let closure = found(&function, "closure");
    let tests = found(&schema::<Program>(), "tests");
    let rewritten = schema::<ProgramVariant>();
    vec![
        ("Origin", found(&function, "origin")),
        ("DocComment", found(&function, "docs")),
        ("References", found(&function, "references")),
        ("Closure", closure.clone()),
        ("Span", found(&closure, "target")),
        ("Piece", found(&closure, "pieces")),
        ("HelperSpan", found(&closure, "helpers")),
        ("Toolchain", found(&unit, "toolchain")),
        ("Renaming", found(&variant, "renamed")),
        ("KeptName", found(&variant, "kept")),
        ("Tests", tests.clone()),
        ("Case", found(&tests, "cases")),
        ("PublishedBug", found(&schema::<Program>(), "bugs")),
        ("Applied", found(&rewritten, "applied")),
        ("ChangedPlace", found(&rewritten, "places")),
    ]
}

/// The fields of a structure, or of the structures in a list.
fn inner(kind: &DataType) -> Fields {
    match kind {
        DataType::Struct(fields) => fields.clone(),
        DataType::LargeList(element) => inner(element.data_type()),
        other => panic!("{other} holds no fields"),
    }
}

/// A type as the reference writes it: Arrow's own name, but structures by theirs.
fn type_name(kind: &DataType) -> String {
    match kind {
        DataType::Struct(fields) => {
            let known = structures();
            let named = known.iter().find(|(_, of)| of == fields);
            named.map_or_else(
                || format!("a structure that the reference does not have: {kind}"),
                |(name, _)| format!("Struct {name}"),
            )
        }
        DataType::LargeList(element) => format!("LargeList({})", type_name(element.data_type())),
        other => other.to_string(),
    }
}

/// Checks one table of the reference against fields, and says what to edit.
fn check<'f>(
    document: &str,
    heading: &str,
    fields: impl IntoIterator<Item = &'f arrow_schema::FieldRef>,
) {
    let expected: Vec<Row> = fields
        .into_iter()
        .map(|field| {
            let null = if field.is_nullable() { "yes" } else { "no" };
            let kind = type_name(field.data_type());
            vec![
                format!("`{}`", field.name()),
                format!("`{kind}`"),
                null.to_owned(),
            ]
        })
        .collect();
    let wanted: Vec<String> = expected
        .iter()
        .map(|row| format!("| {} | unit | meaning |", row.join(" | ")))
        .collect();
    let edit = format!(
        "docs/src/reference/tables.md: below the heading\n\n{heading}\n\nthe rows must begin with these cells, in this order:\n\n{}\n\nIf \
         the types are right, edit the chapter. A change of columns is also a new version of the table: see \
         \"Versions\" in run-folder.md.",
        wanted.join("\n")
    );
    let Some(rows) = rows_below(document, heading) else {
        panic!("no such heading. {edit}");
    };
    for (at, row) in rows.iter().enumerate() {
        let complete = row.len() == 5 && row[4].len() > 1;
        assert!(
            complete,
            "row {} is not `column | type | null | unit | meaning`. {edit}",
            at + 1
        );
        let begins = expected
            .get(at)
            .is_some_and(|expected| row.starts_with(expected));
        assert!(begins, "row {} is | {} |. {edit}", at + 1, row.join(" | "));
    }
    assert_eq!(rows.len(), expected.len(), "rows are missing. {edit}");
}

fn check_table<T: Record>(document: &str) {
    let heading = format!("## Table `{}`, version {}", T::TABLE, T::VERSION);
    check(document, &heading, &schema::<T>());
}

#[test]
fn every_table_is_documented_column_by_column() {
    let document = chapter("tables.md");
    check_table::<Function>(&document);
    check_table::<SourceName>(&document);
    check_table::<Unit>(&document);
    check_table::<Variant>(&document);
    check_table::<Query>(&document);
    check_table::<ListedSubset>(&document);
    check_table::<Document>(&document);
    check_table::<QueryText>(&document);
    check_table::<Judgment>(&document);
    check_table::<Pair>(&document);
    check_table::<ClusterMember>(&document);
    check_table::<Statistic>(&document);
    check_table::<Hit>(&document);
    check_table::<Candidate>(&document);
    check_table::<QueryScore>(&document);
    check_table::<Score>(&document);
    check_table::<SettingDrop>(&document);
    check_table::<Difference>(&document);
    check_table::<SetDifference>(&document);
    check_table::<SetAside>(&document);
    check_table::<Program>(&document);
    check_table::<ProgramVariant>(&document);
    check_table::<ProbeProgram>(&document);
    check_table::<ProbePair>(&document);
    check_table::<Similarity>(&document);
    check_table::<ProbeScore>(&document);
}

#[test]
fn every_structure_is_documented_field_by_field() {
    let document = chapter("tables.md");
    for (name, fields) in structures() {
        check(&document, &format!("### Structure `{name}`"), &fields);
    }
}

#[test]
fn no_table_is_documented_that_does_not_exist() {
    let document = chapter("tables.md");
    let tables = document
        .lines()
        .filter(|line| line.starts_with("## Table "))
        .count();
    let structures_there = document
        .lines()
        .filter(|line| line.starts_with("### Structure "))
        .count();
    assert_eq!(
        (tables, structures_there),
        (26, structures().len()),
        "tables.md has a heading `## Table` or `### Structure` too many"
    );
}

#[test]
fn every_reason_is_documented_with_its_sentence() {
    let expected: Vec<Row> = Reason::ALL
        .iter()
        .map(|reason| {
            vec![
                format!("`{}`", reason.code()),
                reason.explanation().to_owned(),
            ]
        })
        .collect();
    let rows = rows_below(&chapter("reasons.md"), "# Reasons").unwrap();
    let wanted: Vec<String> = expected
        .iter()
        .map(|row| format!("| {} |", row.join(" | ")))
        .collect();
    assert_eq!(
        rows,
        expected,
        "reasons.md: the rows below `# Reasons` must be\n\n{}\n",
        wanted.join("\n")
    );
}

#[test]
fn every_stage_is_documented_with_its_folder() {
    let expected: Vec<Row> = Stage::ALL
        .iter()
        .map(|stage| vec![format!("`{stage}`"), format!("`{}`", stage.folder())])
        .collect();
    let rows = rows_below(&chapter("run-folder.md"), "## Stages").unwrap();
    let begins: Vec<Row> = rows
        .into_iter()
        .map(|row| row.into_iter().take(2).collect())
        .collect();
    assert_eq!(
        begins, expected,
        "run-folder.md: the rows below `## Stages` must begin so"
    );
}
