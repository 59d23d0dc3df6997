//! Products of vectors: fast ones in 32 bits, and exact ones in a fixed order.
//!
//! The fast ones may add in any order, which depends on the machine and on the size of a block; their users
//! allow for [`error_of_fast`]. The exact ones add in eight lanes of 64 bits and then the lanes from first to
//! last, on every machine, so equal vectors have equal products to the last bit.
//!
//! The products of whole matrices are made by the crate `gemm-f32`, which adapts to the processor; it is called
//! through pointers, and this is one of three files of the crate with `unsafe`.

#![expect(
    unsafe_code,
    reason = "gemm takes pointers and strides, and some instructions are not on every processor"
)]

use std::array;

use gemm_common::Parallelism;

/// All products of some rows with some columns, both given as rows of `dimensions` numbers: `products` gets one line
/// of `rows.len() / dimensions` numbers for each query.
///
/// # Panics
/// If the lengths do not fit each other.
pub(crate) fn all_products(products: &mut [f32], rows: &[f32], queries: &[f32], dimensions: usize) {
    let n_rows = rows.len() / dimensions;
    let n_queries = queries.len() / dimensions;
    assert_eq!(rows.len(), n_rows * dimensions);
    assert_eq!(queries.len(), n_queries * dimensions);
    assert_eq!(products.len(), n_rows * n_queries);
    let stride = |length: usize| isize::try_from(length).expect("a slice is shorter than isize");
    // SAFETY: the three lengths are checked above: row i of `rows` begins at i · dimensions and its numbers are
    // neighbors, so are those of query j, and product (i, j) is at j · n_rows + i. The output is borrowed exclusively
    // and is not read (`read_dst` is false).
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            n_rows,
            n_queries,
            dimensions,
            products.as_mut_ptr(),
            stride(n_rows),
            1,
            false,
            rows.as_ptr(),
            1,
            stride(dimensions),
            queries.as_ptr(),
            stride(dimensions),
            1,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Calls a function compiled for some instructions, and returns, if the processor has them. The tokens after the
/// parameters are passed to it as well.
macro_rules! if_processor_has {
    ($($feature:tt),+ => $function:ident($($argument:ident: $type:ty),+ $(; $more:expr)*)) => {
        #[cfg(target_arch = "x86_64")]
        if $(std::arch::is_x86_feature_detected!($feature))&&+ {
            $(#[target_feature(enable = $feature)])+
            fn compiled($($argument: $type),+) {
                $function($($argument,)+ $($more),*);
            }
            // SAFETY: the processor was checked for every feature that the function is compiled for.
            return unsafe { compiled($($argument),+) };
        }
    };
}

/// The fast product of each of some rows with a query: a number a row.
///
/// A row is read once, from its first number to its last, into 64 sums at a time, so that only memory limits the
/// speed.
pub(crate) fn all_fast(products: &mut [f32], rows: &[f32], query: &[f32]) {
    if_processor_has! {
        "avx512f" =>
        all_fast_anywhere(products: &mut [f32], rows: &[f32], query: &[f32]; f32::mul_add; announce)
    }
    if_processor_has! {
        "avx2", "fma" =>
        all_fast_anywhere(products: &mut [f32], rows: &[f32], query: &[f32]; f32::mul_add; announce)
    }
    all_fast_anywhere(products, rows, query, |a, b, sum| a * b + sum, |_| ());
}

/// Has the memory of 64 numbers fetched, those of a row that comes soon: the processor looks ahead by itself, but not
/// from one page to the next.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn announce(numbers: *const f32) {
    use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
    for line in 0..4 {
        // SAFETY: the fetched data are not read, and an address outside of the vectors is skipped.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(numbers.wrapping_add(16 * line).cast()) };
    }
}

#[inline(always)]
fn all_fast_anywhere(
    products: &mut [f32],
    rows: &[f32],
    query: &[f32],
    step: impl Fn(f32, f32, f32) -> f32,
    announce: impl Fn(*const f32),
) {
    const LANES: usize = 64;
    let (query_blocks, query_rest) = query.as_chunks::<LANES>();
    for (product, row) in products.iter_mut().zip(rows.chunks_exact(query.len())) {
        let mut lanes = [0.0_f32; LANES];
        let (row_blocks, row_rest) = row.as_chunks::<LANES>();
        for (a, b) in row_blocks.iter().zip(query_blocks) {
            announce(a.as_ptr().wrapping_add(2 * query.len()));
            for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
                *lane = step(a, b, *lane);
            }
        }
        for ((lane, &a), &b) in lanes.iter_mut().zip(row_rest).zip(query_rest) {
            *lane = step(a, b, *lane);
        }
        let lanes: [f32; 16] =
            array::from_fn(|i| (lanes[i] + lanes[i + 16]) + (lanes[i + 32] + lanes[i + 48]));
        let lanes: [f32; 4] =
            array::from_fn(|i| (lanes[i] + lanes[i + 4]) + (lanes[i + 8] + lanes[i + 12]));
        *product = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }
}

/// The largest difference between a fast product of vectors of these lengths and the true one.
///
/// A sum of n products in any order, each rounded, with or without fused steps, is off by at most
/// n · u / (1 - n · u) times the sum of the absolute products (Higham, *Accuracy and Stability of Numerical
/// Algorithms*, 2002, section 3.1), and that sum is at most the product of the lengths.
///
/// Products too small for 32 bits come on top of it.
pub(crate) fn error_of_fast(dimensions: usize, length_a: f64, length_b: f64) -> f64 {
    let n = (dimensions + 8) as f64;
    let nu = n * f64::from(f32::EPSILON) / 2.0;
    nu / (1.0 - nu).max(0.5) * length_a * length_b
}

/// The nearest number in 32 bits.
#[inline]
#[expect(
    clippy::cast_possible_truncation,
    reason = "what rounding can do is allowed for"
)]
pub(crate) fn in_32_bits(number: f64) -> f32 {
    number as f32
}

/// The product of two vectors in 64 bits, added in a fixed order.
pub(crate) fn exact(a: &[f32], b: &[f32]) -> f64 {
    in_lanes(a, b, |a, b| f64::from(a) * f64::from(b))
}

/// The sum of the squares of the differences of two vectors in 64 bits, added in a fixed order.
pub(crate) fn squared_distance(a: &[f32], b: &[f32]) -> f64 {
    in_lanes(a, b, |a, b| {
        let difference = f64::from(a) - f64::from(b);
        difference * difference
    })
}

/// The product of two vectors of small whole numbers.
pub(crate) fn whole(a: &[i8], b: &[i8]) -> i64 {
    let mut product = [0];
    all_whole(&mut product, a, b);
    product[0]
}

/// The product of each of some rows of small whole numbers with a query.
pub(crate) fn all_whole(products: &mut [i64], rows: &[i8], query: &[i8]) {
    if_processor_has! {
        "avx512f", "avx512bw" =>
        all_whole_anywhere(products: &mut [i64], rows: &[i8], query: &[i8])
    }
    if_processor_has! {
        "avx2" =>
        all_whole_anywhere(products: &mut [i64], rows: &[i8], query: &[i8])
    }
    all_whole_anywhere(products, rows, query);
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled anew for each set of instructions"
)]
fn all_whole_anywhere(products: &mut [i64], rows: &[i8], query: &[i8]) {
    for (product, row) in products.iter_mut().zip(rows.chunks_exact(query.len())) {
        // 2^16 products of at most 2^14 fit in 32 bits. Overflow checks would keep the compiler from taking many at
        // once.
        let parts = row.chunks(1 << 16).zip(query.chunks(1 << 16));
        *product = parts.map(|(a, b)| i64::from(small_whole(a, b))).sum();
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled anew for each set of instructions"
)]
fn small_whole(a: &[i8], b: &[i8]) -> i32 {
    let products = a
        .iter()
        .zip(b)
        .map(|(&a, &b)| i32::from(a).wrapping_mul(i32::from(b)));
    products.fold(0, i32::wrapping_add)
}

/// The product of each of some rows of small whole numbers, as bytes, with a query of larger ones.
///
/// The greatest numbers of both, multiplied, must fit in 31 bits when multiplied by the number of dimensions.
pub(crate) fn all_coarse(products: &mut [i32], rows: &[u8], query: &[i16]) {
    if_processor_has! {
        "avx512f", "avx512bw" =>
        all_coarse_anywhere(products: &mut [i32], rows: &[u8], query: &[i16])
    }
    if_processor_has! {
        "avx2" =>
        all_coarse_anywhere(products: &mut [i32], rows: &[u8], query: &[i16])
    }
    all_coarse_anywhere(products, rows, query);
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled anew for each set of instructions"
)]
fn all_coarse_anywhere(products: &mut [i32], rows: &[u8], query: &[i16]) {
    for (product, row) in products.iter_mut().zip(rows.chunks_exact(query.len())) {
        // As above, no checks.
        let numbers = row.iter().zip(query);
        let products =
            numbers.map(|(&a, &b)| i32::from(a.cast_signed()).wrapping_mul(i32::from(b)));
        *product = products.fold(0, i32::wrapping_add);
    }
}

/// The number of bits in which two vectors of bits differ.
#[inline]
pub(crate) fn differing(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// The number of bits in which each of some rows differs from a query of the same number of words.
pub(crate) fn all_differing(counts: &mut [u32], rows: &[u64], query: &[u64]) {
    if_processor_has! {
        "avx512f", "avx512vpopcntdq", "popcnt" =>
        all_differing_anywhere(counts: &mut [u32], rows: &[u64], query: &[u64])
    }
    if_processor_has! {
        "popcnt" =>
        all_differing_anywhere(counts: &mut [u32], rows: &[u64], query: &[u64])
    }
    all_differing_anywhere(counts, rows, query);
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled anew for each set of instructions"
)]
fn all_differing_anywhere(counts: &mut [u32], rows: &[u64], query: &[u64]) {
    for (count, row) in counts.iter_mut().zip(rows.chunks_exact(query.len())) {
        *count = differing(row, query);
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "the loop becomes one of vectors only with its closure inside"
)]
fn in_lanes(a: &[f32], b: &[f32], of: impl Fn(f32, f32) -> f64) -> f64 {
    let mut lanes = [0.0_f64; 8];
    let (a_blocks, a_rest) = a.as_chunks::<8>();
    let (b_blocks, b_rest) = b.as_chunks::<8>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for ((lane, &a), &b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += of(a, b);
        }
    }
    for ((lane, &a), &b) in lanes.iter_mut().zip(a_rest).zip(b_rest) {
        *lane += of(a, b);
    }
    lanes.iter().sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn vectors(n: usize, dimensions: usize) -> impl Strategy<Value = Vec<f32>> {
        prop::collection::vec(-4.0..4.0_f32, n * dimensions)
    }

    proptest! {
        #[test]
        fn fast_products_are_within_their_error(
            (dimensions, rows, queries) in (1_usize..200).prop_flat_map(|dimensions| {
                (Just(dimensions), vectors(7, dimensions), vectors(3, dimensions))
            })
        ) {
            let mut products = vec![f32::NAN; 21];
            all_products(&mut products, &rows, &queries, dimensions);
            let mut alone = vec![f32::NAN; 7];
            let mut anywhere = vec![f32::NAN; 7];
            for (j, query) in queries.chunks(dimensions).enumerate() {
                all_fast(&mut alone, &rows, query);
                all_fast_anywhere(&mut anywhere, &rows, query, |a, b, sum| a * b + sum, |_| ());
                for (i, row) in rows.chunks(dimensions).enumerate() {
                    let simple: f64 = row.iter().zip(query).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
                    let error = error_of_fast(dimensions, exact(row, row).sqrt(), exact(query, query).sqrt());
                    prop_assert!((f64::from(products[j * 7 + i]) - simple).abs() <= error);
                    prop_assert!((f64::from(alone[i]) - simple).abs() <= error);
                    prop_assert!((f64::from(anywhere[i]) - simple).abs() <= error);
                    prop_assert!((exact(row, query) - simple).abs() <= 1e-12);
                    let apart: f64 = row.iter().zip(query).map(|(a, b)| f64::from(a - b).powi(2)).sum();
                    prop_assert!((squared_distance(row, query) - apart).abs() <= 1e-4);
                }
            }
        }

        #[test]
        fn whole_products_are_whole(pairs in prop::collection::vec((any::<i8>(), any::<i8>()), 1..300)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let simple: i64 = pairs.iter().map(|&(a, b)| i64::from(a) * i64::from(b)).sum();
            prop_assert_eq!(whole(&a, &b), simple);
            let mut anywhere = [0];
            all_whole_anywhere(&mut anywhere, &a, &b);
            prop_assert_eq!(anywhere[0], simple);
            let wide: Vec<i16> = b.iter().map(|&b| i16::from(b) * 250).collect();
            let mut coarse = [[0], [0]];
            let bytes: Vec<u8> = a.iter().map(|a| a.cast_unsigned()).collect();
            all_coarse(&mut coarse[0], &bytes, &wide);
            all_coarse_anywhere(&mut coarse[1], &bytes, &wide);
            prop_assert_eq!(coarse.map(|product| i64::from(product[0])), [simple * 250; 2]);
        }
    }

    #[test]
    fn bits_are_counted_alike_with_any_instructions() {
        let words = |seed: u64, n: u64| -> Vec<u64> {
            (1..=n)
                .map(|i| (seed + i).wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect()
        };
        for length in [1, 7, 12, 16] {
            let (query, rows) = (words(9, length), words(77, 40 * length));
            let mut counts = vec![0; 40];
            all_differing(&mut counts, &rows, &query);
            let mut simple = vec![0; 40];
            all_differing_anywhere(&mut simple, &rows, &query);
            assert_eq!(counts, simple);
            assert!(counts.iter().any(|&count| count > 0));
        }
    }

    #[test]
    fn whole_products_of_long_vectors_fit() {
        let long = vec![-128_i8; (1 << 17) + 5];
        assert_eq!(whole(&long, &long), ((1_i64 << 17) + 5) << 14);
    }
}
