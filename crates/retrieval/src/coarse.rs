//! Vectors to a copy in eight bits with a bound of its error.
//!
//! Enters: vectors in 32 or 16 bits. Leaves: whole numbers from -127 to 127 with a step for each vector, and for each
//! the length of its rounding error. A query becomes whole numbers of up to 15 bits. Then the product of q and d is
//! not farther from that of their copies q' and d' than
//!
//! ‖q‖ · ‖d - d'‖ + ‖q - q'‖ · ‖d'‖
//!
//! by the inequality of Cauchy and Schwarz. A search that reads a quarter of the memory finds all documents that can
//! be among the best, and scores these exactly from the vectors themselves.
//!
//! The one hard thing is to be right about small numbers: everything is measured on the copies as they are stored, in
//! 64 bits, and what 32 bits can still round is added.
//!
//! Not part of this: it computes no scores.

use rayon::prelude::*;

use crate::pages::Pages;
use crate::product::{self, in_32_bits};
use crate::vectors::{Precision, Vectors};

/// The copy, for products that are multiplied by a scale for each vector.
pub(crate) struct Coarse {
    dimensions: usize,
    rows: Pages,
    /// A coarse product times this is one with the scale.
    factors: Vec<f32>,
    /// The rounding error of each vector: its length times the scale.
    errors: Vec<f32>,
    /// The greatest length of a copy times its scale.
    most_scaled: f64,
    /// The greatest factor.
    most_factor: f64,
}

/// A query for the copy.
pub(crate) struct CoarseQuery {
    pub(crate) values: Vec<i16>,
    /// The value of one step.
    pub(crate) step: f32,
    /// A score is not farther from the true one than this times the error of the document …
    pub(crate) spread: f32,
    /// … and this together.
    pub(crate) rest: f32,
}

/// A length in 64 bits is not wrong by more than this, relatively.
const CAREFUL: f64 = 1.0 + 1e-6;

/// From here on a sum of products might overflow.
const HUGE: f64 = 1e36;

/// Below this a factor would lose digits in 32 bits.
const TINY: f64 = 1e-30;

impl Coarse {
    /// Copies vectors in 32 or 16 bits; the products of each are multiplied by `scale`. `None` for others, which are
    /// as small as a copy.
    pub(crate) fn new(vectors: &Vectors, scale: impl Fn(usize) -> f64 + Sync) -> Option<Self> {
        if !matches!(vectors.precision(), Precision::F32 | Precision::F16) {
            return None;
        }
        let dimensions = vectors.dimensions();
        let mut rows = Pages::new(vectors.len() * dimensions);
        let copied = rows.par_chunks_mut(dimensions).enumerate().map_init(
            Vec::new,
            |row, (document, copy)| {
                let values = vectors.floats(document, row).unwrap_or_default();
                Copied::of(values, scale(document), copy)
            },
        );
        let copied: Vec<Copied> = copied.collect();
        let most = |of: fn(&Copied) -> f64| copied.iter().map(of).fold(0.0, f64::max);
        Some(Coarse {
            dimensions,
            most_scaled: most(|copied| copied.scaled),
            most_factor: most(|copied| f64::from(copied.factor)),
            factors: copied.iter().map(|copied| copied.factor).collect(),
            errors: copied.iter().map(|copied| copied.error).collect(),
            rows,
        })
    }

    /// A query, if its products fit in 32 bits; `shift` is the most that is subtracted from a product after scaling.
    pub(crate) fn query(&self, values: &[f32], shift: f64) -> Option<CoarseQuery> {
        // The greatest number with which no sum of products leaves 31 bits.
        let room = i32::MAX.unsigned_abs() as usize / (127 * self.dimensions).max(1);
        let range = room.min(32_767) as f64;
        let length = product::exact(values, values).sqrt() * CAREFUL;
        if range < 1.0 || length * 127.0 * (self.dimensions as f64).sqrt() > HUGE {
            return None;
        }
        let step = in_32_bits(most_of(values) / range);
        let whole = |&value: &f32| {
            if step == 0.0 {
                return 0;
            }
            #[expect(clippy::cast_possible_truncation, reason = "a whole number of 16 bits")]
            let whole = (f64::from(value) / f64::from(step))
                .round()
                .clamp(-range, range) as i16;
            whole
        };
        let copy: Vec<i16> = values.iter().map(whole).collect();
        let lost = values.iter().zip(&copy).map(|(&value, &whole)| {
            (f64::from(value) - f64::from(whole) * f64::from(step)).powi(2)
        });
        let lost = lost.sum::<f64>().sqrt() * CAREFUL;
        let rounding = 8.0 * f64::from(f32::EPSILON) * ((length + lost) * self.most_scaled + shift);
        // Products too small for 32 bits, before and after scaling.
        let small = 3e-45 * (self.most_factor + 2.0);
        Some(CoarseQuery {
            values: copy,
            step,
            spread: above(length),
            rest: above(lost * self.most_scaled + rounding + small),
        })
    }

    /// The products of some neighbors with a query, before they are multiplied by their factors.
    pub(crate) fn products(
        &self,
        query: &CoarseQuery,
        first: usize,
        wholes: &mut [i32],
        products: &mut [f32],
    ) {
        let rows = &self.rows[first * self.dimensions..][..wholes.len() * self.dimensions];
        product::all_coarse(wholes, rows, &query.values);
        for (product, &whole) in products.iter_mut().zip(&*wholes) {
            *product = in_32_bits(f64::from(whole)) * query.step;
        }
    }

    pub(crate) fn factors(&self) -> &[f32] {
        &self.factors
    }

    pub(crate) fn errors(&self) -> &[f32] {
        &self.errors
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> usize {
        self.rows.len() + size_of_val(&*self.factors) + size_of_val(&*self.errors)
    }
}

/// The data of a copied vector.
struct Copied {
    factor: f32,
    error: f32,
    /// Its length times the scale.
    scaled: f64,
}

impl Copied {
    fn of(values: &[f32], scale: f64, copy: &mut [u8]) -> Self {
        let most = most_of(values);
        let step = in_32_bits(most / 127.0);
        let mut factor = f64::from(step) * scale;
        if factor < TINY {
            // As if the vector were zero: all of it is error.
            copy.fill(0);
            factor = 0.0;
        } else {
            for (byte, &value) in copy.iter_mut().zip(values) {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "a whole number from -127 to 127"
                )]
                let whole = (value / step).round_ties_even().clamp(-127.0, 127.0) as i8;
                *byte = whole.cast_unsigned();
            }
        }
        let (mut lost, mut kept) = (0.0, 0.0);
        for (&byte, &value) in copy.iter().zip(values) {
            let whole = f64::from(byte.cast_signed()) * f64::from(step);
            lost += (f64::from(value) - whole).powi(2);
            kept += whole * whole;
        }
        Copied {
            factor: in_32_bits(factor),
            error: above(lost.sqrt() * scale * CAREFUL),
            scaled: kept.sqrt() * scale * CAREFUL,
        }
    }
}

fn most_of(values: &[f32]) -> f64 {
    let most = values
        .iter()
        .fold(0.0_f32, |most, value| most.max(value.abs()));
    f64::from(most)
}

/// A number in 32 bits that is not below this one.
fn above(number: f64) -> f32 {
    in_32_bits(number).next_up()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn true_products_are_within_the_error(
            (rows, query) in (1_usize..80).prop_flat_map(|dimensions| {
                let number = prop_oneof![
                    4 => -1.0..1.0_f32,
                    1 => -1e4..1e4_f32,
                    1 => Just(0.0_f32),
                    1 => Just(1e-38_f32),
                ];
                let vector = prop::collection::vec(number, dimensions);
                (prop::collection::vec(vector.clone(), 1..6), vector)
            }),
            scale in prop::sample::select(vec![1.0, 1e-3, 77.0]),
        ) {
            let dimensions = query.len();
            let vectors = Vectors::new(dimensions, rows.concat()).unwrap();
            let coarse = Coarse::new(&vectors, |_| scale).unwrap();
            let asked = coarse.query(&query, 0.0).unwrap();
            let (mut wholes, mut products) = (vec![0; rows.len()], vec![0.0; rows.len()]);
            coarse.products(&asked, 0, &mut wholes, &mut products);
            for (document, row) in rows.iter().enumerate() {
                let found = f64::from(products[document] * coarse.factors()[document]);
                let error = f64::from(asked.spread * coarse.errors()[document] + asked.rest);
                let wanted = product::exact(row, &query) * scale;
                prop_assert!((found - wanted).abs() <= error, "{found} {wanted} {error}");
            }
        }
    }

    #[test]
    fn an_error_is_a_small_part_of_a_score() {
        // Of 768 numbers of about the same size, each rounded by half a step of 1/127 at most.
        let row: Vec<f32> = (0..768_i16).map(|i| f32::from(i % 13 - 6) / 6.0).collect();
        let vectors = Vectors::new(768, row.clone()).unwrap();
        let coarse = Coarse::new(&vectors, |_| 1.0).unwrap();
        let query = coarse.query(&row, 0.0).unwrap();
        let error = query.spread * coarse.errors()[0] + query.rest;
        let length = product::exact(&row, &row);
        assert!(f64::from(error) < 0.006 * length, "{error} of {length}");
        assert_eq!(coarse.bytes(), 768 + 8);
    }
}
