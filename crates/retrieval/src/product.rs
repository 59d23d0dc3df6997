//! Products of vectors: fast ones in 32 bits, and exact ones in a fixed order.
//!
//! The fast ones may add in any order, which depends on the machine and on the size of a block; whoever uses them
//! allows for [`error_of_fast`]. The exact ones add in eight lanes of 64 bits and then the lanes from first to last,
//! on every machine, so equal vectors have equal products to the last bit.
//!
//! The products of whole matrices are made by the crate `gemm`, which knows the processor; it is called through
//! pointers, and this is one of three files of the crate with `unsafe`.

#![expect(
    unsafe_code,
    reason = "gemm takes pointers and strides, and some instructions are not on every processor"
)]

use gemm::Parallelism;

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
    // neighbors, so are those of query j, and product (i, j) lies at j · n_rows + i. The output is borrowed
    // exclusively and is not read (`read_dst` is false).
    unsafe {
        gemm::gemm(
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

/// The product of two vectors, fast.
pub(crate) fn fast(a: &[f32], b: &[f32]) -> f32 {
    const LANES: usize = 32;
    let mut lanes = [0.0_f32; LANES];
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    for (a, b) in a_blocks.iter().zip(b_blocks) {
        for ((lane, a), b) in lanes.iter_mut().zip(a).zip(b) {
            *lane += a * b;
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    lanes.iter().sum::<f32>() + rest
}

/// How far a fast product of vectors of these lengths can be from the true one.
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
    // 2^16 products of at most 2^14 fit in 32 bits.
    let blocks = a.chunks(1 << 16).zip(b.chunks(1 << 16));
    blocks
        .map(|(a, b)| {
            let products = a
                .iter()
                .zip(b)
                .map(|(&a, &b)| i32::from(i16::from(a) * i16::from(b)));
            i64::from(products.sum::<i32>())
        })
        .sum()
}

/// In how many bits two vectors of bits differ.
#[inline]
pub(crate) fn differing(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum()
}

/// In how many bits each of some rows differs from a query of as many words.
pub(crate) fn all_differing(counts: &mut [u32], rows: &[u64], query: &[u64]) {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512vpopcntdq")
            && std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("popcnt")
        {
            // SAFETY: the processor has been asked for everything that the function is compiled for.
            return unsafe { all_differing_avx512(counts, rows, query) };
        }
        if std::arch::is_x86_feature_detected!("popcnt") {
            // SAFETY: as above.
            return unsafe { all_differing_popcnt(counts, rows, query) };
        }
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

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512vpopcntdq,popcnt")]
fn all_differing_avx512(counts: &mut [u32], rows: &[u64], query: &[u64]) {
    all_differing_anywhere(counts, rows, query);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "popcnt")]
fn all_differing_popcnt(counts: &mut [u32], rows: &[u64], query: &[u64]) {
    all_differing_anywhere(counts, rows, query);
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
            (dimensions, rows, queries) in (1_usize..90).prop_flat_map(|dimensions| {
                (Just(dimensions), vectors(7, dimensions), vectors(3, dimensions))
            })
        ) {
            let mut products = vec![f32::NAN; 21];
            all_products(&mut products, &rows, &queries, dimensions);
            for (j, query) in queries.chunks(dimensions).enumerate() {
                for (i, row) in rows.chunks(dimensions).enumerate() {
                    let simple: f64 = row.iter().zip(query).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum();
                    let error = error_of_fast(dimensions, exact(row, row).sqrt(), exact(query, query).sqrt());
                    prop_assert!((f64::from(products[j * 7 + i]) - simple).abs() <= error);
                    prop_assert!((f64::from(fast(row, query)) - simple).abs() <= error);
                    prop_assert!((exact(row, query) - simple).abs() <= 1e-12);
                    let apart: f64 = row.iter().zip(query).map(|(a, b)| f64::from(a - b).powi(2)).sum();
                    prop_assert!((squared_distance(row, query) - apart).abs() <= 1e-4);
                }
            }
        }

        #[test]
        fn whole_products_are_whole(pairs in prop::collection::vec((any::<i8>(), any::<i8>()), 0..200)) {
            let (a, b): (Vec<i8>, Vec<i8>) = pairs.iter().copied().unzip();
            let simple: i64 = pairs.iter().map(|&(a, b)| i64::from(a) * i64::from(b)).sum();
            prop_assert_eq!(whole(&a, &b), simple);
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
