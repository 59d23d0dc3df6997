//! Features to vectors: a row for each feature that was learned.

use std::collections::BTreeMap;

use super::features::Feature;

/// The length of a vector.
pub const DIMENSIONS: usize = 128;

/// A vector of a text, or of what a feature adds to it.
pub type Vector = [f32; DIMENSIONS];

/// The bytes of a row where it is stored: four bits for each number.
const STORED: usize = DIMENSIONS / 2;

/// The largest of the whole numbers of a row; the smallest is its negative.
const MOST: i8 = 7;

/// The part of the greatest number of a row that becomes [`MOST`]: each is tried, and the one that is nearest to the
/// row is taken. Numbers beyond it are cut off.
const CUTS: [f32; 7] = [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4];

/// A row for each feature: whole numbers of four bits, times a number of the row.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// In ascending order.
    features: Vec<u32>,
    scales: Vec<f32>,
    rows: Vec<[i8; DIMENSIONS]>,
}

/// A feature in as many bits as a table stores of it: of 200,000 unknown features, one is taken for a known one.
fn stored(feature: Feature) -> u32 {
    let folded = (feature ^ (feature >> 32)) & u64::from(u32::MAX);
    u32::try_from(folded).unwrap_or_default()
}

impl Table {
    /// Rounds rows to four bits; a row is to be as its feature counts once. Of two features with the same stored bits,
    /// the first is kept.
    pub fn rounded(rows: &BTreeMap<Feature, Vector>) -> Self {
        let mut of_bits: BTreeMap<u32, &Vector> = BTreeMap::new();
        for (feature, row) in rows {
            of_bits.entry(stored(*feature)).or_insert(row);
        }
        let mut table = Table {
            features: Vec::new(),
            scales: Vec::new(),
            rows: Vec::new(),
        };
        for (feature, row) in of_bits {
            let (scale, row) = rounded(row);
            table.features.push(feature);
            table.scales.push(scale);
            table.rows.push(row);
        }
        table
    }

    /// Returns the number of features that it knows.
    pub(crate) fn len(&self) -> usize {
        self.features.len()
    }

    /// The index of a feature's row, if the feature is known.
    pub(crate) fn place(&self, feature: Feature) -> Option<usize> {
        self.features.binary_search(&stored(feature)).ok()
    }

    /// The row at an index, made one of length 1, and its length; a row of zeros stays one.
    pub(crate) fn unit(&self, at: usize) -> (Vector, f32) {
        let mut unit = [0.0; DIMENSIONS];
        let Some(row) = self.rows.get(at) else {
            return (unit, 0.0);
        };
        for (unit, part) in unit.iter_mut().zip(row) {
            *unit = f32::from(*part);
        }
        let length = normalize(&mut unit);
        (unit, length * self.scales.get(at).copied().unwrap_or(0.0))
    }

    /// The length of the row at an index.
    pub(crate) fn length(&self, at: usize) -> f32 {
        let (Some(scale), Some(row)) = (self.scales.get(at), self.rows.get(at)) else {
            return 0.0;
        };
        let squares = row.iter().map(|part| i16::from(*part) * i16::from(*part));
        f32::from(squares.sum::<i16>()).sqrt() * scale
    }

    /// Adds the row of a feature, multiplied by `times`. Returns true if the feature is known.
    pub fn add(&self, feature: Feature, times: f32, to: &mut Vector) -> bool {
        let Some(at) = self.place(feature) else {
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
        for row in &self.rows {
            let (pairs, _) = row.as_chunks::<2>();
            out.extend(
                pairs
                    .iter()
                    .map(|[low, high]| nibble(*low) | nibble(*high) << 4),
            );
        }
    }

    /// Reads a table that [`Table::write`] wrote from the front of `bytes`; `None` if there is none.
    pub fn read(bytes: &mut &[u8]) -> Option<Self> {
        let n = u32::from_le_bytes(*bytes.split_off(..4)?.as_array()?) as usize;
        let features = bytes.split_off(..n.checked_mul(4)?)?;
        let scales = bytes.split_off(..n.checked_mul(4)?)?;
        let rows = bytes.split_off(..n.checked_mul(STORED)?)?;
        let (features, _) = features.as_chunks();
        let (scales, _) = scales.as_chunks();
        let (rows, _) = rows.as_chunks::<STORED>();
        let table = Table {
            features: features.iter().map(|it| u32::from_le_bytes(*it)).collect(),
            scales: scales.iter().map(|it| f32::from_le_bytes(*it)).collect(),
            rows: rows.iter().map(unpacked).collect(),
        };
        let is_sound = table.features.is_sorted() && table.scales.iter().all(|it| it.is_finite());
        is_sound.then_some(table)
    }
}

/// A row as whole numbers and the number that they are multiplied by.
fn rounded(row: &Vector) -> (f32, [i8; DIMENSIONS]) {
    let greatest = row
        .iter()
        .fold(f32::MIN_POSITIVE, |most, it| most.max(it.abs()));
    let mut best = (f32::INFINITY, 0.0, [0; DIMENSIONS]);
    for cut in CUTS {
        let scale = greatest * cut / f32::from(MOST);
        #[expect(clippy::cast_possible_truncation, reason = "from -7 to 7, rounded")]
        let whole = row.map(|it| {
            (it / scale)
                .round()
                .clamp(f32::from(-MOST), f32::from(MOST)) as i8
        });
        let apart = |(it, whole): (&f32, &i8)| (it - scale * f32::from(*whole)).powi(2);
        let apart: f32 = row.iter().zip(&whole).map(apart).sum();
        if apart < best.0 {
            best = (apart, scale, whole);
        }
    }
    (best.1, best.2)
}

/// A whole number of a row as four bits.
fn nibble(whole: i8) -> u8 {
    whole.to_le_bytes()[0] & 15
}

/// The whole numbers of a stored row.
fn unpacked(stored: &[u8; STORED]) -> [i8; DIMENSIONS] {
    let mut row = [0; DIMENSIONS];
    let (pairs, _) = row.as_chunks_mut::<2>();
    for ([low, high], byte) in pairs.iter_mut().zip(stored) {
        // The sign is the highest of the four bits.
        *low = i8::from_le_bytes([byte << 4]) >> 4;
        *high = i8::from_le_bytes([*byte]) >> 4;
    }
    row
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A row whose numbers differ, by number.
    fn row(of: u64) -> Vector {
        std::array::from_fn(|at| ((of * 31 + at as u64 * 17) % 29) as f32 / 9.0 - 1.4)
    }

    #[test]
    fn a_row_is_within_half_a_step_of_what_was_learned() {
        let rows: BTreeMap<Feature, Vector> = (0..40).map(|at| (at << 40 | at, row(at))).collect();
        let table = Table::rounded(&rows);
        assert_eq!(table.len(), rows.len());
        for ((feature, row), scale) in rows.iter().zip(&table.scales) {
            let mut sum = [0.0; DIMENSIONS];
            assert!(table.add(*feature, 1.0, &mut sum));
            for (sum, value) in sum.iter().zip(row) {
                // What is beyond the cut is the greatest number that is stored.
                let within = value.clamp(-7.0 * scale, 7.0 * scale);
                assert!(
                    (sum - within).abs() <= 0.5001 * scale,
                    "{sum} {value} {scale}"
                );
            }
        }
        assert!(!table.add(1 << 50, 1.0, &mut [0.0; DIMENSIONS]));
    }

    #[test]
    fn all_bytes_are_rows_and_back() {
        for first in 0..4 {
            let bytes: Vec<u8> = (0..64).map(|at| at * 4 + first).collect();
            let row = unpacked(bytes.as_array().unwrap());
            let (pairs, _) = row.as_chunks::<2>();
            let pairs = pairs.iter();
            let again = pairs.map(|[low, high]| nibble(*low) | nibble(*high) << 4);
            assert_eq!(again.collect::<Vec<u8>>(), bytes);
        }
    }

    #[test]
    fn of_features_with_the_same_bits_the_first_is_kept() {
        let rows = BTreeMap::from([(5, [1.0; DIMENSIONS]), (5 << 32, [-1.0; DIMENSIONS])]);
        let table = Table::rounded(&rows);
        assert_eq!(table.len(), 1);
        let mut sum = [0.0; DIMENSIONS];
        assert!(table.add(5 << 32, 1.0, &mut sum) && sum[0] > 0.9);
        let nothing = BTreeMap::from([(5, [0.0; DIMENSIONS])]);
        let mut sum = [0.0; DIMENSIONS];
        assert!(Table::rounded(&nothing).add(5, 1.0, &mut sum));
        assert!(sum.iter().all(|it| it.abs() < 1e-9));
    }
}
