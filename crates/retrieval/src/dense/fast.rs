//! Fast products of a block of documents with the queries of a tile, in 32 bits.

use half::slice::HalfFloatSliceExt as _;

use crate::product::{self, in_32_bits};
use crate::vectors::{Data, Vectors};

/// Up to this many queries, a product at a time is as fast as a matrix: both wait for memory.
pub(super) const FEW: usize = 3;

/// The count of 32-bit numbers that stay in the nearest cache of a processor.
const NEAR: usize = 4096;

/// The buffers in which a thread computes products.
#[derive(Default)]
pub(super) struct Buffers {
    products: Vec<f32>,
    rows: Vec<f32>,
    counts: Vec<u32>,
    wholes: Vec<i64>,
}

/// The queries of a tile.
#[derive(Clone, Copy)]
pub(super) struct Tile<'q> {
    /// All queries, stored as the documents are, or in 32 bits if those are in 16.
    pub(super) stored: &'q Vectors,
    /// The first of the tile.
    pub(super) first: usize,
    pub(super) len: usize,
    /// Their numbers for fast products, one query after another; none for signs.
    pub(super) numbers: &'q [f32],
}

impl Tile<'_> {
    /// The products of `n_rows` documents from `first` on with all queries: a line for each query.
    pub(super) fn products<'b>(
        &self,
        documents: &Vectors,
        first: usize,
        n_rows: usize,
        buffers: &'b mut Buffers,
    ) -> &'b [f32] {
        let dimensions = documents.dimensions();
        let Buffers {
            products,
            rows,
            counts,
            wholes,
        } = buffers;
        products.resize(n_rows * self.len, 0.0);
        let numbers = first * dimensions..(first + n_rows) * dimensions;
        let is_few = self.len <= FEW;
        let block: &[f32] = match documents.data() {
            Data::F32(values) => &values[numbers],
            Data::F16(values) if is_few => {
                // Few enough rows at a time that they stay near the processor.
                let n_near = (NEAR / dimensions).max(1);
                rows.resize(n_near.min(n_rows) * dimensions, 0.0);
                for (place, part) in values[numbers].chunks(n_near * dimensions).enumerate() {
                    let rows = &mut rows[..part.len()];
                    part.convert_to_f32_slice(rows);
                    let lines = products.chunks_mut(n_rows);
                    for (line, query) in lines.zip(self.numbers.chunks(dimensions)) {
                        let line = &mut line[place * n_near..][..part.len() / dimensions];
                        product::all_fast(line, rows, query);
                    }
                }
                return products;
            }
            Data::F16(values) => {
                rows.resize(numbers.len(), 0.0);
                values[numbers].convert_to_f32_slice(rows);
                rows
            }
            Data::Int8 { rows: values, .. } if is_few => {
                wholes.resize(n_rows, 0);
                let Data::Int8 {
                    rows: queries,
                    steps,
                } = self.stored.data()
                else {
                    unreachable!("queries are stored as documents are");
                };
                for (line, query) in products.chunks_mut(n_rows).zip(self.first..) {
                    let step = f64::from(steps[query]);
                    let query = &queries[self.stored.numbers(query)];
                    product::all_whole(wholes, &values[numbers.clone()], query);
                    for (product, &whole) in line.iter_mut().zip(&*wholes) {
                        *product = in_32_bits(whole as f64 * step);
                    }
                }
                return products;
            }
            Data::Int8 { rows: values, .. } => {
                rows.clear();
                rows.extend(values[numbers].iter().map(|&value| f32::from(value)));
                rows
            }
            Data::Binary(words) => {
                let n = dimensions.div_ceil(64);
                counts.resize(n_rows, 0);
                let Data::Binary(queries) = self.stored.data() else {
                    unreachable!("queries are stored as documents are");
                };
                for (line, query) in products.chunks_mut(n_rows).zip(self.first..) {
                    let query = &queries[self.stored.words(query)];
                    product::all_differing(counts, &words[first * n..(first + n_rows) * n], query);
                    for (product, &count) in line.iter_mut().zip(&*counts) {
                        *product = in_32_bits(dimensions as f64 - 2.0 * f64::from(count));
                    }
                }
                return products;
            }
        };
        if is_few {
            for (line, query) in products
                .chunks_mut(n_rows)
                .zip(self.numbers.chunks(dimensions))
            {
                product::all_fast(line, block, query);
            }
        } else {
            product::all_products(products, block, self.numbers, dimensions);
        }
        products
    }
}
