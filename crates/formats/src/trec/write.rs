//! Writing TREC's files, whole or not at all.

use std::fs;
use std::io::{BufWriter, Write};
use std::path::Path;

use super::Qrels;
use crate::{FormatError, Place};

/// Writes judgments, by query and document.
///
/// # Errors
/// An id that is empty, has a blank or begins a line with `#` cannot be written; and errors of the file system.
pub fn write_qrels(path: &Path, qrels: &Qrels) -> Result<(), FormatError> {
    let pairs = qrels
        .iter()
        .flat_map(|(query, of_query)| of_query.iter().map(move |judgment| (query, judgment)));
    let check =
        |(query, (document, _)): (&String, (&String, &i32))| check_ids(path, query, document);
    pairs.clone().try_for_each(check)?;
    whole(path, |out| {
        for (query, (document, grade)) in pairs {
            writeln!(out, "{query} 0 {document} {grade}")?;
        }
        Ok(())
    })
}

/// Writes a run: query, document, rank and score of each row, in the order of the rows. Scores are written so that
/// reading returns the same numbers.
///
/// # Errors
/// As [`write_qrels`], and for a score that is not finite.
pub fn write_run<'a>(
    path: &Path,
    rows: impl IntoIterator<Item = (&'a str, &'a str, u32, f64)> + Clone,
    tag: &str,
) -> Result<(), FormatError> {
    for (query, document, _, score) in rows.clone() {
        check_ids(path, query, document)?;
        finite(path, query, document, score)?;
    }
    check_ids(path, tag, tag)?;
    whole(path, |out| {
        let mut line = Vec::new();
        for (query, document, rank, score) in rows {
            line.clear();
            line.extend_from_slice(query.as_bytes());
            line.extend_from_slice(b" Q0 ");
            line.extend_from_slice(document.as_bytes());
            write!(line, " {rank} {score:?} ")?;
            line.extend_from_slice(tag.as_bytes());
            line.push(b'\n');
            out.write_all(&line)?;
        }
        Ok(())
    })
}

/// Refuses a score that no file can represent.
pub(crate) fn finite(
    path: &Path,
    query: &str,
    document: &str,
    score: f64,
) -> Result<(), FormatError> {
    if score.is_finite() {
        return Ok(());
    }
    let message = format!(
        "cannot write the score {score} of `{document}` for the query `{query}`: it is not finite"
    );
    Err(FormatError::invalid(Place::file(path), message))
}

fn check_ids(path: &Path, query: &str, document: &str) -> Result<(), FormatError> {
    for id in [query, document] {
        let why = if id.is_empty() {
            "is empty"
        } else if id.bytes().any(is_blank) {
            "has a blank"
        } else if query.starts_with('#') {
            "would make its line a comment"
        } else {
            continue;
        };
        let message = format!("the id `{id}` {why}, which a TREC file cannot represent");
        return Err(FormatError::invalid(Place::file(path), message)
            .with_hint("write JSON or Parquet, which hold any id"));
    }
    Ok(())
}

/// Returns `true` if readers of TREC's files end a field here; no part of a longer character is such a byte.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, 0 | 0x0b)
}

/// Writes a file under a temporary name and renames it.
pub(crate) fn whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&fs::File>) -> std::io::Result<()>,
) -> Result<(), FormatError> {
    let error = |action| {
        move |source| FormatError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".partial");
    let partial = path.with_file_name(name);
    let written = fs::File::create(&partial).and_then(|file| {
        let mut out = BufWriter::with_capacity(1 << 18, &file);
        fill(&mut out)?;
        out.flush()?;
        drop(out);
        file.sync_all()
    });
    let renamed = written
        .map_err(error("write"))
        .and_then(|()| fs::rename(&partial, path).map_err(error("rename")));
    if renamed.is_err() {
        // The disk may be full; whatever can be given back is.
        let _ = fs::remove_file(&partial);
    }
    renamed
}
