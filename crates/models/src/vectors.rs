//! Existing vectors: a file → ids with their vectors.
//!
//! Three forms are read, distinguished by the file's ending. `.npy` is a matrix as numpy saves it (32- or 64-bit
//! floats, row by row), whose ids are in the file of the same name ending in `.ids`, one per line. `.parquet` has the
//! columns `id` and `vector`; `.jsonl` has an `{"id": …, "vector": […]}` a line. Ids are unique, vectors of one
//! length, numbers finite; anything else is an error with its position.
//!
//! The texts of the vectors are not known. Documents and queries are found by their ids.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef};
use barecode_records::guarded::{self, Allowance, FREE_OF_PARQUET};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use crate::ModelError;
use crate::remote::vector_of;

/// Ids with their vectors, in the order of the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Vectors {
    /// Length of every vector.
    pub dimensions: usize,
    ids: Vec<String>,
    values: Vec<f32>,
    places: BTreeMap<String, usize>,
}

impl Vectors {
    /// The ids, in the order of the file.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The vector of an id.
    pub fn get(&self, id: &str) -> Option<&[f32]> {
        let place = *self.places.get(id)?;
        Some(&self.values[place * self.dimensions..(place + 1) * self.dimensions])
    }

    /// Adds a vector, or returns the reason why it cannot be one of these.
    fn add(&mut self, id: String, vector: &[f32]) -> Result<(), String> {
        if vector.is_empty() {
            return Err(format!("the vector of `{id}` has no numbers"));
        }
        if let Some(place) = vector.iter().position(|number| !number.is_finite()) {
            return Err(format!(
                "number {} of the vector of `{id}` is {}",
                place + 1,
                vector[place]
            ));
        }
        if self.ids.is_empty() {
            self.dimensions = vector.len();
        }
        if vector.len() != self.dimensions {
            return Err(format!(
                "the vector of `{id}` has {} numbers, those before have {}",
                vector.len(),
                self.dimensions
            ));
        }
        if self.places.insert(id.clone(), self.ids.len()).is_some() {
            return Err(format!("`{id}` occurs twice"));
        }
        self.ids.push(id);
        self.values.extend_from_slice(vector);
        Ok(())
    }
}

/// Reads a file of vectors.
///
/// ```
/// # let folder = tempfile::tempdir().unwrap();
/// # let file = folder.path().join("v.jsonl");
/// std::fs::write(&file, "{\"id\": \"d1\", \"vector\": [0.5, 1]}\n").unwrap();
/// let vectors = barecode_models::read_vectors(&file)?;
/// assert_eq!(vectors.get("d1"), Some([0.5, 1.0].as_slice()));
/// assert_eq!(vectors.get("d2"), None);
/// # Ok::<(), barecode_models::ModelError>(())
/// ```
///
/// # Errors
/// If the file cannot be read, is of another form, or its content cannot be vectors.
pub fn read_vectors(path: &Path) -> Result<Vectors, ModelError> {
    let ending = path.extension().and_then(|ending| ending.to_str());
    match ending {
        Some("npy") => read_npy(path),
        Some("parquet") => read_parquet(path),
        Some("jsonl" | "ndjson") => read_jsonl(path),
        _ => Err(ModelError::unusable(format!(
            "`{}`: no form of vectors has this ending",
            path.display()
        ))
        .with_hint("vectors are .npy (with .ids beside it), .parquet (id, vector) or .jsonl")),
    }
}

fn read_jsonl(path: &Path) -> Result<Vectors, ModelError> {
    let mut vectors = Vectors::default();
    for (i, line) in lines_of(path)?.enumerate() {
        let line = line.map_err(ModelError::io("read", path))?;
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |why: String| at_line(path, Some(i + 1), &why);
        let value: Value = serde_json::from_str(&line).map_err(|error| {
            ModelError::unusable(format!(
                "{}:{}:{}: no JSON",
                path.display(),
                i + 1,
                error.column()
            ))
        })?;
        let id = match value.get("id") {
            Some(Value::String(id)) => id.clone(),
            Some(Value::Number(id)) => id.to_string(),
            _ => return Err(wrong("no `id`".to_owned())),
        };
        let vector = vector_of(value.get("vector").unwrap_or(&Value::Null)).map_err(wrong)?;
        vectors.add(id, &vector).map_err(wrong)?;
    }
    Ok(vectors)
}

fn read_npy(path: &Path) -> Result<Vectors, ModelError> {
    let bytes =
        guarded::read_at_most(path, guarded::MOST_NUMBERS).map_err(ModelError::io("read", path))?;
    let matrix = npy(&bytes).map_err(|why| at_line(path, None, &why))?;
    let ids_path = path.with_extension("ids");
    if !ids_path.exists() {
        return Err(ModelError::unusable(format!(
            "`{}` has no ids beside it (`{}`)",
            path.display(),
            ids_path.display()
        ))
        .with_hint("write one id a line, in the order of the rows"));
    }
    let mut vectors = Vectors::default();
    let mut n_rows = 0;
    for (i, id) in lines_of(&ids_path)?.enumerate() {
        let id = id.map_err(ModelError::io("read", &ids_path))?;
        let row = matrix
            .values
            .get(i * matrix.columns..(i + 1) * matrix.columns)
            .ok_or_else(|| {
                at_line(
                    &ids_path,
                    Some(i + 1),
                    &format!("more ids than the {} rows", matrix.rows),
                )
            })?;
        vectors
            .add(id, row)
            .map_err(|why| at_line(&ids_path, Some(i + 1), &why))?;
        n_rows += 1;
    }
    if n_rows != matrix.rows {
        return Err(at_line(
            &ids_path,
            None,
            &format!("{n_rows} ids for {} rows", matrix.rows),
        ));
    }
    Ok(vectors)
}

struct Matrix {
    rows: usize,
    columns: usize,
    values: Vec<f32>,
}

/// Reads numpy's format (numpy.lib.format, versions 1 to 3).
fn npy(bytes: &[u8]) -> Result<Matrix, String> {
    let rest = bytes
        .strip_prefix(b"\x93NUMPY")
        .ok_or("not a file of numpy")?;
    let (length, rest) = match rest {
        [1, _, a, b, rest @ ..] => (usize::from(u16::from_le_bytes([*a, *b])), rest),
        [2 | 3, _, a, b, c, d, rest @ ..] => {
            let length = u32::from_le_bytes([*a, *b, *c, *d]);
            (usize::try_from(length).unwrap_or(usize::MAX), rest)
        }
        _ => return Err("a version of numpy's format that is not known".to_owned()),
    };
    let (header, data) = rest
        .split_at_checked(length)
        .ok_or("the header is cut off")?;
    let header = String::from_utf8_lossy(header);
    let after = |key: &str| {
        header
            .split_once(&format!("'{key}':"))
            .map(|(_, rest)| rest.trim_start())
            .ok_or_else(|| format!("no `{key}` in the header"))
    };
    if !after("fortran_order")?.starts_with("False") {
        return Err("the matrix is stored column by column (fortran_order)".to_owned());
    }
    let shape: Vec<usize> = after("shape")?
        .trim_start_matches('(')
        .split(')')
        .next()
        .unwrap_or("")
        .split(',')
        .filter(|part| !part.trim().is_empty())
        .map(|part| part.trim().parse().map_err(|_| "no shape in the header"))
        .collect::<Result<_, _>>()?;
    let [rows, columns] = shape.as_slice() else {
        return Err(format!(
            "an array of {} dimensions, a matrix is needed",
            shape.len()
        ));
    };
    let kind = after("descr")?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "vectors are kept in 32 bits; what does not fit is infinite and refused"
    )]
    let (width, values): (usize, Vec<f32>) = if kind.starts_with("'<f4'") {
        let (floats, _) = data.as_chunks::<4>();
        (
            4,
            floats
                .iter()
                .map(|float| f32::from_le_bytes(*float))
                .collect(),
        )
    } else if kind.starts_with("'<f8'") {
        let (floats, _) = data.as_chunks::<8>();
        let narrow = |float: &[u8; 8]| f64::from_le_bytes(*float) as f32;
        (8, floats.iter().map(narrow).collect())
    } else {
        let kind: String = kind.chars().take(8).collect();
        return Err(format!(
            "numbers of kind {kind}, 32- or 64-bit floats are needed"
        ));
    };
    if rows
        .checked_mul(*columns)
        .and_then(|n| n.checked_mul(width))
        != Some(data.len())
    {
        return Err(format!(
            "{} bytes of numbers for {rows} rows of {columns}",
            data.len()
        ));
    }
    Ok(Matrix {
        rows: *rows,
        columns: *columns,
        values,
    })
}

fn read_parquet(path: &Path) -> Result<Vectors, ModelError> {
    let file = guarded::open(path).map_err(ModelError::io("read", path))?;
    let unreadable = |why: String| at_line(path, None, &why);
    let length = file.metadata().map_err(ModelError::io("read", path))?.len();
    let mut allowance = Allowance::of(length, FREE_OF_PARQUET);
    let reader = ParquetRecordBatchReaderBuilder::try_new(file)
        .and_then(ParquetRecordBatchReaderBuilder::build)
        .map_err(|error| unreadable(error.to_string()))?;
    let mut vectors = Vectors::default();
    let mut row = 0;
    for batch in reader {
        let batch = batch.map_err(|error| unreadable(error.to_string()))?;
        let bytes = batch.get_array_memory_size();
        allowance.take(bytes).map_err(unreadable)?;
        let column = |name: &str| {
            batch
                .column_by_name(name)
                .cloned()
                .ok_or_else(|| unreadable(format!("no column `{name}`")))
        };
        let (ids, lists) = (column("id")?, column("vector")?);
        for i in 0..batch.num_rows() {
            row += 1;
            let at = |why: String| at_line(path, None, &format!("row {row}: {why}"));
            let id = id_in(&ids, i).ok_or_else(|| at("no id".to_owned()))?;
            let vector = vector_in(&lists, i)
                .ok_or_else(|| at("`vector` is not a list of 32- or 64-bit floats".to_owned()))?;
            vectors.add(id, &vector).map_err(at)?;
        }
    }
    Ok(vectors)
}

fn id_in(ids: &ArrayRef, row: usize) -> Option<String> {
    if ids.is_null(row) {
        return None;
    }
    ids.as_string_opt::<i32>()
        .map(|ids| ids.value(row).to_owned())
        .or_else(|| {
            ids.as_string_opt::<i64>()
                .map(|ids| ids.value(row).to_owned())
        })
        .or_else(|| {
            ids.as_string_view_opt()
                .map(|ids| ids.value(row).to_owned())
        })
}

fn vector_in(lists: &ArrayRef, row: usize) -> Option<Vec<f32>> {
    if lists.is_null(row) {
        return None;
    }
    let list = lists
        .as_list_opt::<i32>()
        .map(|lists| lists.value(row))
        .or_else(|| lists.as_list_opt::<i64>().map(|lists| lists.value(row)))
        .or_else(|| lists.as_fixed_size_list_opt().map(|lists| lists.value(row)))?;
    if list.null_count() > 0 {
        return None;
    }
    #[expect(
        clippy::cast_possible_truncation,
        reason = "vectors are kept in 32 bits; what does not fit is infinite and refused"
    )]
    list.as_primitive_opt::<Float32Type>()
        .map(|floats| floats.values().to_vec())
        .or_else(|| {
            list.as_primitive_opt::<Float64Type>()
                .map(|floats| floats.values().iter().map(|&float| float as f32).collect())
        })
}

fn lines_of(path: &Path) -> Result<impl Iterator<Item = std::io::Result<String>>, ModelError> {
    let file = guarded::open(path).map_err(ModelError::io("read", path))?;
    Ok(BufReader::new(file).lines())
}

fn at_line(path: &Path, line: Option<usize>, why: &str) -> ModelError {
    let place = line.map_or(String::new(), |line| format!(":{line}:1"));
    ModelError::unusable(format!("{}{place}: {why}", path.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A file as numpy 2 writes it.
    fn npy_file(header: &str, data: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        let mut header = header.to_owned();
        while !(10 + header.len() + 1).is_multiple_of(64) {
            header.push(' ');
        }
        header.push('\n');
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(data);
        bytes
    }

    fn read(name: &str, bytes: &[u8], ids: &str) -> Result<Vectors, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        fs::write(&path, bytes).unwrap();
        fs::write(path.with_extension("ids"), ids).unwrap();
        read_vectors(&path).map_err(|error| error.to_string())
    }

    #[test]
    fn a_matrix_of_numpy_is_read() {
        let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }";
        let data: Vec<u8> = (0..6_u8).flat_map(|n| f32::from(n).to_le_bytes()).collect();
        let vectors = read("v.npy", &npy_file(header, &data), "a\nb\n").unwrap();
        assert_eq!(vectors.get("b"), Some([3.0, 4.0, 5.0].as_slice()));
        let wide: Vec<u8> = (0..6_u8).flat_map(|n| f64::from(n).to_le_bytes()).collect();
        let wide = npy_file(&header.replace("f4", "f8"), &wide);
        assert_eq!(read("v.npy", &wide, "a\nb").unwrap(), vectors);
        for (file, ids, why) in [
            (npy_file(header, &data), "a\n", "1 ids for 2 rows"),
            (
                npy_file(header, &data),
                "a\nb\nc\n",
                "v.ids:3:1: more ids than the 2 rows",
            ),
            (
                npy_file(header, &data),
                "a\na\n",
                "v.ids:2:1: `a` occurs twice",
            ),
            (
                npy_file(header, &data[1..]),
                "a\nb\n",
                "23 bytes of numbers for 2 rows of 3",
            ),
            (
                npy_file(&header.replace("<f4", "<i4"), &data),
                "a\nb\n",
                "numbers of kind '<i4'",
            ),
            (
                npy_file(&header.replace("False", "True"), &data),
                "a\nb\n",
                "column by column",
            ),
            (b"\x93NUMPY".to_vec(), "", "a version of numpy's format"),
            (b"hello".to_vec(), "", "not a file of numpy"),
        ] {
            let error = read("v.npy", &file, ids).unwrap_err();
            assert!(error.contains(why), "{error}");
        }
    }

    #[test]
    fn lines_are_read_and_complained_about_with_their_place() {
        let good = "{\"id\": \"a\", \"vector\": [1, 2]}\n";
        let two = format!("{good}\n{{\"id\": 7, \"vector\": \"AAAAPwAAgL8=\"}}\n");
        let vectors = read("v.jsonl", two.as_bytes(), "").unwrap();
        assert_eq!(vectors.ids(), ["a", "7"]);
        for (line, why) in [
            ("{", "v.jsonl:2:1: no JSON"),
            ("{\"vector\": [1, 2]}", "v.jsonl:2:1: no `id`"),
            ("{\"id\": \"b\"}", "v.jsonl:2:1: a result without a vector"),
            (
                "{\"id\": \"b\", \"vector\": [1]}",
                "the vector of `b` has 1 numbers, those before have 2",
            ),
            (good.trim(), "`a` occurs twice"),
        ] {
            let error = read("v.jsonl", format!("{good}{line}").as_bytes(), "").unwrap_err();
            assert!(error.contains(why), "{error}");
        }
        assert!(
            read("v.csv", b"", "")
                .unwrap_err()
                .contains("no form of vectors")
        );
    }
}
