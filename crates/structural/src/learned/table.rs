//! Features to vectors: a row for each feature that was learned.

use std::collections::BTreeMap;

use super::features::Feature;

/// The length of a vector.
pub const DIMENSIONS: usize = 128;

/// A vector of a text, or of what a feature adds to it.
pub type Vector = [f32; DIMENSIONS];

/// A row for each feature: whole numbers of eight bits, times a number of the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// In ascending order.
    features: Vec<Feature>,
    scales: Vec<f32>,
    rows: Vec<[i8; DIMENSIONS]>,
}

impl Table {
    /// Rounds rows to eight bits; a row is to be as its feature counts once.
    #[expect(clippy::cast_possible_truncation, reason = "from -127 to 127, rounded")]
    pub fn rounded(rows: &BTreeMap<Feature, Vector>) -> Self {
        let mut table = Table {
            features: Vec::new(),
            scales: Vec::new(),
            rows: Vec::new(),
        };
        for (feature, row) in rows {
            let greatest = row
                .iter()
                .fold(f32::MIN_POSITIVE, |most, it| most.max(it.abs()));
            table.features.push(*feature);
            table.scales.push(greatest / 127.0);
            table
                .rows
                .push(row.map(|it| (it / greatest * 127.0).round() as i8));
        }
        table
    }

    /// Returns the number of features that it knows.
    pub(crate) fn len(&self) -> usize {
        self.features.len()
    }

    /// Adds the row of a feature, multiplied by `times`. Returns true if the feature is known.
    pub fn add(&self, feature: Feature, times: f32, to: &mut Vector) -> bool {
        let Ok(at) = self.features.binary_search(&feature) else {
            return false;
        };
        let (Some(scale), Some(row)) = (self.scales.get(at), self.rows.get(at)) else {
            return false;
        };
        let times = times * scale;
        for (sum, part) in to.iter_mut().zip(row) {
            *sum += times * f32::from(*part);
        }
        true
    }

    /// Appends the table as bytes: how many features, then these, their numbers, their rows.
    pub fn write(&self, out: &mut Vec<u8>) {
        let n = u32::try_from(self.len()).unwrap_or(u32::MAX);
        out.extend(n.to_le_bytes());
        out.extend(self.features.iter().flat_map(|it| it.to_le_bytes()));
        out.extend(self.scales.iter().flat_map(|it| it.to_le_bytes()));
        out.extend(self.rows.iter().flatten().flat_map(|it| it.to_le_bytes()));
    }

    /// Reads a table that [`Table::write`] wrote from the front of `bytes`; `None` if there is none.
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        let n = u32::from_le_bytes(*bytes.split_off(..4)?.as_array()?) as usize;
        let features = bytes.split_off(..n.checked_mul(8)?)?;
        let scales = bytes.split_off(..n.checked_mul(4)?)?;
        let rows = bytes.split_off(..n.checked_mul(DIMENSIONS)?)?;
        let (features, _) = features.as_chunks();
        let (scales, _) = scales.as_chunks();
        let (rows, _) = rows.as_chunks::<DIMENSIONS>();
        let table = Table {
            features: features.iter().map(|it| u64::from_le_bytes(*it)).collect(),
            scales: scales.iter().map(|it| f32::from_le_bytes(*it)).collect(),
            rows: rows
                .iter()
                .map(|row| row.map(|it| i8::from_le_bytes([it])))
                .collect(),
        };
        let is_sound = table.features.is_sorted() && table.scales.iter().all(|it| it.is_finite());
        is_sound.then_some(table)
    }
}

/// The product of two vectors, added in one order.
pub fn dot(a: &Vector, b: &Vector) -> f32 {
    let mut sums = [0.0_f32; 16];
    let (a, _) = a.as_chunks::<16>();
    let (b, _) = b.as_chunks::<16>();
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// Scales a vector to length 1, and returns its former length; a zero vector stays zero.
pub fn normalize(vector: &mut Vector) -> f32 {
    let length = dot(vector, vector).sqrt();
    if length > 0.0 {
        for one in vector.iter_mut() {
            *one /= length;
        }
    }
    length
}
