//! Vectors as they are stored.
//!
//! Enters: numbers in 32 bits, or a `.npy` file. Leaves: one row per vector in one of four precisions:
//!
//! | precision | a number becomes | bytes |
//! | --- | --- | --- |
//! | [`F32`](Precision::F32) | itself | 4 |
//! | [`F16`](Precision::F16) | the nearest of 16 bits | 2 |
//! | [`Int8`](Precision::Int8) | the nearest of -127 to 127 steps; a step is 1/127 of the vector's greatest number | 1 |
//! | [`Binary`](Precision::Binary) | 1 if above 0, -1 otherwise | 1/8 |
//!
//! A number that is not finite is refused with its position: it would make every order meaningless.
//!
//! A file of `i1` has no steps beside it, so its step is 1; for cosines that changes nothing.

use std::ops::{Deref, Range};
use std::path::Path;

use half::f16;
use half::slice::HalfFloatSliceExt as _;
use rayon::prelude::*;

use crate::npy::{self, Mapped, NpyError, Number, Values};
use crate::product::{self, in_32_bits};
use crate::retriever::RetrieverError;

/// The format in which the numbers of vectors are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Precision {
    /// 32 bits, as models return them.
    F32,
    /// 16 bits: eleven of them are digits.
    F16,
    /// Eight bits, symmetric, with one step for each vector.
    Int8,
    /// The sign.
    Binary,
}

/// The reason why vectors cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum VectorsError {
    /// Their length is not valid.
    #[error("{values} values do not divide into vectors of {dimensions} dimensions")]
    Shape {
        /// Number of numbers.
        values: usize,
        /// The stated length of a vector.
        dimensions: usize,
    },
    /// A number is infinite or none at all.
    #[error("vector {vector} has {value} at dimension {dimension}, expected a finite number")]
    NotFinite {
        /// Its index, from 0.
        vector: usize,
        /// The index in the vector, from 0.
        dimension: usize,
        /// The value.
        value: f32,
    },
    /// A number is too large for 16 bits.
    #[error("vector {vector} has {value} at dimension {dimension}, too large for 16 bits")]
    TooLarge {
        /// Its index, from 0.
        vector: usize,
        /// The index in the vector, from 0.
        dimension: usize,
        /// The value.
        value: f32,
    },
    /// Only vectors in 32 bits can be cut or stored in another precision, and only to fewer dimensions.
    #[error("vectors of {dimensions} dimensions in {precision:?} cannot be {wanted}")]
    Unsuited {
        /// Their length.
        dimensions: usize,
        /// Their precision.
        precision: Precision,
        /// The operation that was requested.
        wanted: String,
    },
    /// Queries have another length than documents.
    #[error("a query has {queries} dimensions and a document {documents}")]
    Dimensions {
        /// The length of the queries.
        queries: usize,
        /// The length of the documents.
        documents: usize,
    },
    /// The file cannot be used.
    #[error(transparent)]
    File(#[from] NpyError),
}

impl VectorsError {
    /// The advice to the user.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            VectorsError::TooLarge { .. } => {
                Some("store the vectors in 32 bits, or make them of length 1 first")
            }
            VectorsError::Dimensions { .. } => Some("embed both with the same model"),
            VectorsError::File(error) => error.hint(),
            _ => None,
        }
    }
}

impl From<VectorsError> for RetrieverError {
    fn from(error: VectorsError) -> Self {
        RetrieverError::new(error.to_string(), error.hint())
    }
}

/// Vectors of one length, in memory or in a file.
#[derive(Debug)]
pub struct Vectors {
    dimensions: usize,
    len: usize,
    data: Data,
}

#[derive(Debug)]
pub(crate) enum Data {
    F32(Rows<f32>),
    F16(Rows<f16>),
    Int8 {
        rows: Rows<i8>,
        /// The value of 1 in each vector.
        steps: Vec<f32>,
    },
    /// `dimensions` bits of each vector, the rest of its last word is 0.
    Binary(Vec<u64>),
}

/// Numbers that are owned or mapped.
#[derive(Debug)]
pub(crate) enum Rows<T> {
    Owned(Vec<T>),
    Mapped(Mapped<T>),
}

impl<T: Number> Deref for Rows<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Rows::Owned(values) => values,
            Rows::Mapped(values) => values,
        }
    }
}

impl Vectors {
    /// Vectors one after another.
    ///
    /// ```
    /// use barecode_retrieval::Vectors;
    /// assert_eq!(Vectors::new(2, vec![1.0, 0.0, 0.5, 0.5]).unwrap().len(), 2);
    /// let error = Vectors::new(2, vec![1.0, f32::NAN]).unwrap_err();
    /// assert_eq!(error.to_string(), "vector 0 has NaN at dimension 1, expected a finite number");
    /// ```
    ///
    /// # Errors
    /// [`VectorsError::Shape`] if the numbers do not fill whole vectors, [`VectorsError::NotFinite`] if a number is
    /// not finite.
    pub fn new(dimensions: usize, values: Vec<f32>) -> Result<Self, VectorsError> {
        if dimensions == 0 || !values.len().is_multiple_of(dimensions) {
            return Err(VectorsError::Shape {
                values: values.len(),
                dimensions,
            });
        }
        finite(&values, dimensions, |value| value)?;
        Ok(Vectors {
            dimensions,
            len: values.len() / dimensions,
            data: Data::F32(Rows::Owned(values)),
        })
    }

    /// The vectors of a `.npy` file with `f4`, `f2` or `i1`, read as they are needed; all are checked once.
    ///
    /// # Errors
    /// [`VectorsError::File`] if the file cannot be used, [`VectorsError::NotFinite`] if a number is not finite.
    pub fn open(path: &Path) -> Result<Self, VectorsError> {
        let matrix = npy::open(path)?;
        let (dimensions, len) = (matrix.dimensions, matrix.rows);
        if dimensions == 0 {
            return Err(VectorsError::Shape {
                values: 0,
                dimensions,
            });
        }
        let data = match matrix.values {
            Values::F32(rows) => {
                finite(&rows, dimensions, |value| value)?;
                Data::F32(Rows::Mapped(rows))
            }
            Values::F16(rows) => {
                finite(&rows, dimensions, f16::to_f32)?;
                Data::F16(Rows::Mapped(rows))
            }
            Values::Int8(rows) => Data::Int8 {
                rows: Rows::Mapped(rows),
                steps: vec![1.0; len],
            },
        };
        Ok(Vectors {
            dimensions,
            len,
            data,
        })
    }

    /// Writes a `.npy` file that [`Vectors::open`] and `numpy.load` read. The file exists whole or not at all.
    ///
    /// # Errors
    /// [`VectorsError::Unsuited`] for `Int8`, whose steps the file cannot store, and `Binary`; [`VectorsError::File`]
    /// if the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), VectorsError> {
        match &self.data {
            Data::F32(rows) => npy::write(path, self.dimensions, rows)?,
            Data::F16(rows) => npy::write(path, self.dimensions, rows)?,
            Data::Int8 { .. } | Data::Binary(_) => {
                return Err(self.unsuited("written to a `.npy` file".to_owned()));
            }
        }
        Ok(())
    }

    /// The first dimensions of each vector, scaled to length 1 again: the meaning of fewer dimensions for a model
    /// trained as a Matryoshka (Kusupati et al., *Matryoshka Representation Learning*, 2022). A vector of zeros stays
    /// zero.
    ///
    /// # Errors
    /// [`VectorsError::Unsuited`] if the vectors are not in 32 bits, or have fewer dimensions.
    pub fn cut(&self, dimensions: usize) -> Result<Self, VectorsError> {
        let Data::F32(rows) = &self.data else {
            return Err(self.unsuited(format!("cut to {dimensions} dimensions")));
        };
        if !(1..=self.dimensions).contains(&dimensions) {
            return Err(self.unsuited(format!("cut to {dimensions} dimensions")));
        }
        let mut values = Vec::with_capacity(self.len * dimensions);
        for row in rows.chunks(self.dimensions) {
            let row = &row[..dimensions];
            let length = product::exact(row, row).sqrt();
            let unit = |&value: &f32| {
                if length == 0.0 {
                    0.0
                } else {
                    in_32_bits(f64::from(value) / length)
                }
            };
            values.extend(row.iter().map(unit));
        }
        Ok(Vectors {
            dimensions,
            len: self.len,
            data: Data::F32(Rows::Owned(values)),
        })
    }

    /// The same vectors in another precision.
    ///
    /// # Errors
    /// [`VectorsError::Unsuited`] if these are not in 32 bits, [`VectorsError::TooLarge`] if a number does not
    /// fit in 16 bits.
    pub fn stored(&self, precision: Precision) -> Result<Self, VectorsError> {
        let Data::F32(rows) = &self.data else {
            return Err(self.unsuited(format!("stored in {precision:?}")));
        };
        let data = match precision {
            Precision::F32 => Data::F32(Rows::Owned(rows.to_vec())),
            Precision::F16 => {
                let mut values = vec![f16::ZERO; rows.len()];
                values.convert_from_f32_slice(rows);
                if let Some(place) = values.iter().position(|value| !value.is_finite()) {
                    return Err(VectorsError::TooLarge {
                        vector: place / self.dimensions,
                        dimension: place % self.dimensions,
                        value: rows[place],
                    });
                }
                Data::F16(Rows::Owned(values))
            }
            Precision::Int8 => {
                let mut values = Vec::with_capacity(rows.len());
                let steps = rows
                    .chunks(self.dimensions)
                    .map(|row| quantize(row, &mut values))
                    .collect();
                Data::Int8 {
                    rows: Rows::Owned(values),
                    steps,
                }
            }
            Precision::Binary => {
                let mut words = Vec::with_capacity(self.len * self.dimensions.div_ceil(64));
                rows.chunks(self.dimensions)
                    .for_each(|row| signs(row, &mut words));
                Data::Binary(words)
            }
        };
        Ok(Vectors {
            dimensions: self.dimensions,
            len: self.len,
            data,
        })
    }

    /// Number of vectors.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there is none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Length of each.
    pub fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// The precision in which they are stored.
    pub fn precision(&self) -> Precision {
        match self.data {
            Data::F32(_) => Precision::F32,
            Data::F16(_) => Precision::F16,
            Data::Int8 { .. } => Precision::Int8,
            Data::Binary(_) => Precision::Binary,
        }
    }

    pub(crate) fn data(&self) -> &Data {
        &self.data
    }

    /// The range of the numbers of a vector, if a number is stored as one.
    pub(crate) fn numbers(&self, vector: usize) -> Range<usize> {
        vector * self.dimensions..(vector + 1) * self.dimensions
    }

    /// The range of the words of a vector of signs.
    pub(crate) fn words(&self, vector: usize) -> Range<usize> {
        let words = self.dimensions.div_ceil(64);
        vector * words..(vector + 1) * words
    }

    /// The numbers of a vector that is stored in 32 or 16 bits; `row` may be overwritten.
    pub(crate) fn floats<'v>(&'v self, vector: usize, row: &'v mut Vec<f32>) -> Option<&'v [f32]> {
        match &self.data {
            Data::F32(values) => Some(&values[self.numbers(vector)]),
            Data::F16(values) => {
                row.resize(self.dimensions, 0.0);
                values[self.numbers(vector)].convert_to_f32_slice(row);
                Some(row)
            }
            Data::Int8 { .. } | Data::Binary(_) => None,
        }
    }

    fn unsuited(&self, wanted: String) -> VectorsError {
        VectorsError::Unsuited {
            dimensions: self.dimensions,
            precision: self.precision(),
            wanted,
        }
    }
}

/// A vector in steps of 1/127 of its greatest number; the step.
fn quantize(row: &[f32], values: &mut Vec<i8>) -> f32 {
    let most = row
        .iter()
        .fold(0.0_f32, |most, value| most.max(value.abs()));
    let step = f64::from(most) / 127.0;
    let steps = |&value: &f32| {
        if most == 0.0 {
            return 0;
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "a whole number from -127 to 127"
        )]
        let steps = (f64::from(value) / step).round_ties_even() as i8;
        steps
    };
    values.extend(row.iter().map(steps));
    in_32_bits(step)
}

/// A bit a number, set where it is above 0.
fn signs(row: &[f32], words: &mut Vec<u64>) {
    for part in row.chunks(64) {
        let bits = part.iter().enumerate();
        words.push(bits.fold(0, |word, (bit, &value)| {
            word | u64::from(value > 0.0) << bit
        }));
    }
}

/// Refuses the first number that is not finite.
fn finite<T: Copy + Sync>(
    values: &[T],
    dimensions: usize,
    number: impl Fn(T) -> f32 + Sync,
) -> Result<(), VectorsError> {
    // A sum of zeros times each is 0 only if all are finite; such a loop is one the compiler makes vectors of.
    let is_bad = |part: &[T]| part.iter().map(|&value| number(value) * 0.0).sum::<f32>() != 0.0;
    let found = values
        .par_chunks(1 << 14)
        .enumerate()
        .find_first(|(_, part)| is_bad(part));
    let Some((part, found)) = found else {
        return Ok(());
    };
    let inside = found
        .iter()
        .position(|&value| !number(value).is_finite())
        .unwrap_or(0);
    let place = (part << 14) + inside;
    Err(VectorsError::NotFinite {
        vector: place / dimensions,
        dimension: place % dimensions,
        value: number(found[inside]),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_precision_worked_by_hand() {
        let vectors = Vectors::new(3, vec![1.0, -0.5, 0.25, 0.0, 0.0, 0.0]).unwrap();
        let int8 = vectors.stored(Precision::Int8).unwrap();
        let Data::Int8 { rows, steps } = int8.data() else {
            panic!("{int8:?}")
        };
        // 0.5 · 127 = 63.5 goes to the even one, 0.25 · 127 = 31.75.
        assert_eq!(**rows, [127, -64, 32, 0, 0, 0]);
        assert_eq!(*steps, [1.0 / 127.0, 0.0]);
        let binary = vectors.stored(Precision::Binary).unwrap();
        assert!(matches!(binary.data(), Data::Binary(words) if *words == [0b101, 0]));
        let cut = vectors.cut(2).unwrap();
        let Data::F32(rows) = cut.data() else {
            panic!("{cut:?}")
        };
        let length = 1.25_f32.sqrt();
        assert!((rows[0] - 1.0 / length).abs() < 1e-7 && (rows[1] + 0.5 / length).abs() < 1e-7);
        assert_eq!(rows[2..], [0.0, 0.0]);
    }

    #[test]
    fn what_cannot_be_stored_is_refused() {
        let message = |result: Result<Vectors, VectorsError>| result.unwrap_err().to_string();
        assert!(message(Vectors::new(0, vec![])).contains("0 dimensions"));
        assert!(message(Vectors::new(2, vec![1.0; 3])).contains("3 values"));
        let mut values = vec![0.5; 40_000];
        values[39_999] = f32::NEG_INFINITY;
        values[20_001] = f32::NAN;
        let error = message(Vectors::new(100, values));
        assert!(
            error.starts_with("vector 200 has NaN at dimension 1,"),
            "{error}"
        );
        let large = Vectors::new(2, vec![0.0, 1.0, 2.0, 7e4]).unwrap();
        let error = message(large.stored(Precision::F16));
        assert!(
            error.starts_with("vector 1 has 70000 at dimension 1,"),
            "{error}"
        );
        assert!(message(large.cut(3)).contains("cut to 3 dimensions"));
        let binary = large.stored(Precision::Binary).unwrap();
        assert!(
            message(binary.stored(Precision::F32)).contains("in Binary cannot be stored in F32")
        );
        assert!(binary.write(Path::new("never.npy")).is_err());
    }
}
