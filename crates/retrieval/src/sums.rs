//! The inner loops of a search: bounds to sums, sums to candidates.
//!
//! Enters: the bounds of terms for every document of a shard. Leaves: sums, the greatest sum of each block of 64
//! documents, and the documents whose sum reaches a threshold.
//!
//! The one hard thing is the number of sums. They are whole numbers of 16 bits, and those of a block stay in
//! registers while the bounds of all terms are added. Bounds are arranged so that nothing has to be moved: the one of
//! document i of a block and the one of document i + 32 make 16 bits, and each becomes the upper half of such a
//! number by a shift or a mask. AVX-512 and AVX2 are chosen by the features of the processor; whole numbers are the
//! same everywhere.

#![expect(
    unsafe_code,
    reason = "a function for instructions that not every processor has is called after asking for them"
)]

/// Documents of a block.
pub(crate) const BLOCK: usize = 64;

/// The bounds of a block of documents in pairs: that of document i, then that of document i + 32.
pub(crate) type Pairs = [u8; BLOCK];

/// The bounds of a term for every document of a shard.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<'a> {
    /// A block after the other; bounds beyond the last document are 0.
    pub(crate) blocks: &'a [Pairs],
    /// The value of 256.
    pub(crate) weight: u16,
    /// The most that the row adds.
    pub(crate) most: u16,
    /// Where no sum is as great as this before the row is added, none can reach the threshold any more.
    pub(crate) needed: u16,
}

/// Sets the sum that is needed at each row so that sums can reach a threshold.
pub(crate) fn aim(rows: &mut [Row], least: u16) {
    let mut rest = 0;
    for row in rows.iter_mut().rev() {
        rest += u32::from(row.most);
        let needed = u32::from(least).saturating_sub(rest);
        row.needed = u16::try_from(needed).expect("not above the threshold");
    }
}

/// Sets the bound of a document.
pub(crate) fn set(blocks: &mut [Pairs], document: usize, bound: u8) {
    blocks[document / BLOCK][in_pairs(document)] = bound;
}

/// The bound of a document.
pub(crate) fn get(blocks: &[Pairs], document: usize) -> u8 {
    blocks[document / BLOCK][in_pairs(document)]
}

/// The index of the bound of a document in its block.
fn in_pairs(document: usize) -> usize {
    let inside = document % BLOCK;
    2 * (inside % (BLOCK / 2)) + inside / (BLOCK / 2)
}

/// The gain from a bound: never more than 1 below bound · weight / 256.
pub(crate) fn worth(bound: u8, weight: u16) -> u16 {
    upper(u16::from(bound) << 8, weight)
}

/// Adds to the sum of each document the gains from its bounds, and shows the greatest sum of each block. The sums are
/// those of the documents from block `first` of the rows on.
///
/// Sums that cannot reach the threshold that the rows [`aim`] at can be left unfinished, and count as 0 for their
/// block; they stay below the threshold.
///
/// Sums must not overflow, and `sums` must be whole blocks that all rows have.
pub(crate) fn add_all(sums: &mut [u16], rows: &[Row], first: usize, maxima: &mut Vec<u16>) {
    let end = first + sums.len() / BLOCK;
    assert!(
        sums.len().is_multiple_of(BLOCK) && rows.iter().all(|row| row.blocks.len() >= end),
        "rows are as long as sums"
    );
    maxima.clear();
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
        {
            // SAFETY: the processor was checked for every feature that the function is compiled for.
            return unsafe { wide::add_all_avx512(sums, rows, first, maxima) };
        }
        if std::arch::is_x86_feature_detected!("avx2") {
            // SAFETY: as above.
            return unsafe { wide::add_all_avx2(sums, rows, first, maxima) };
        }
    }
    add_all_anywhere(sums, rows, first, maxima);
}

/// Calls for the documents whose sum is at least `least`, from first to last; `maxima` are those of the blocks.
pub(crate) fn reaching(sums: &[u16], maxima: &[u16], least: u16, mut found: impl FnMut(u16, u16)) {
    #[cfg(target_arch = "x86_64")]
    let is_wide = std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512bw");
    let blocks = sums.as_chunks::<BLOCK>().0.iter().zip(maxima);
    for ((block, &greatest), first) in blocks.zip((0_u16..).step_by(BLOCK)) {
        if greatest < least {
            continue;
        }
        #[cfg(target_arch = "x86_64")]
        if is_wide {
            // SAFETY: the processor was checked for every feature that the function is compiled for.
            let mut reaching = unsafe { wide::reaching_avx512(block, least) };
            while reaching > 0 {
                let inside = reaching.trailing_zeros();
                reaching &= reaching - 1;
                let sum = block[inside as usize];
                found(
                    first + u16::try_from(inside).expect("a block has 64 documents"),
                    sum,
                );
            }
            continue;
        }
        for (document, &sum) in (first..).zip(block) {
            if sum >= least {
                found(document, sum);
            }
        }
    }
}

/// The upper 16 of the 32 bits of a product.
#[inline]
fn upper(a: u16, b: u16) -> u16 {
    ((u32::from(a) * u32::from(b)) >> 16) as u16
}

fn add_all_anywhere(sums: &mut [u16], rows: &[Row], first: usize, maxima: &mut Vec<u16>) {
    'blocks: for (place, block) in (first..).zip(sums.as_chunks_mut::<BLOCK>().0) {
        for row in rows {
            if block.iter().all(|&sum| sum < row.needed) {
                maxima.push(0);
                continue 'blocks;
            }
            let (lower, higher) = block.split_at_mut(BLOCK / 2);
            let parts = lower.iter_mut().zip(&mut *higher);
            let pairs = row.blocks[place].as_chunks::<2>().0;
            for ((low, high), &pair) in parts.zip(pairs) {
                let pair = u16::from_le_bytes(pair);
                *low = low.wrapping_add(upper(pair << 8, row.weight));
                *high = high.wrapping_add(upper(pair & 0xff00, row.weight));
            }
        }
        maxima.push(block.iter().copied().fold(0, u16::max));
    }
}

#[cfg(target_arch = "x86_64")]
mod wide {
    //! The same with 32 and with 16 numbers at a time.

    use std::arch::x86_64::{
        __m256i, _mm_extract_epi16, _mm_max_epu16, _mm_minpos_epu16, _mm_set1_epi16, _mm_xor_si128,
        _mm256_add_epi16, _mm256_and_si256, _mm256_castsi256_si128, _mm256_cmpeq_epi16,
        _mm256_extracti128_si256, _mm256_loadu_si256, _mm256_max_epu16, _mm256_movemask_epi8,
        _mm256_mulhi_epu16, _mm256_set1_epi16, _mm256_setzero_si256, _mm256_slli_epi16,
        _mm256_storeu_si256, _mm512_add_epi16, _mm512_and_si512, _mm512_castsi512_si256,
        _mm512_cmpge_epu16_mask, _mm512_extracti64x4_epi64, _mm512_loadu_si512, _mm512_max_epu16,
        _mm512_mulhi_epu16, _mm512_set1_epi16, _mm512_slli_epi16, _mm512_storeu_si512,
    };

    use super::{BLOCK, Row};

    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn add_all_avx512(
        sums: &mut [u16],
        rows: &[Row],
        first: usize,
        maxima: &mut Vec<u16>,
    ) {
        let mask = _mm512_set1_epi16(0xff00_u16.cast_signed());
        'blocks: for (place, block) in (first..).zip(sums.as_chunks_mut::<BLOCK>().0) {
            let [lower, higher]: &mut [[u16; 32]; 2] = halves(block);
            // SAFETY: each half has 32 numbers of 16 bits.
            let (mut low, mut high) = unsafe {
                (
                    _mm512_loadu_si512(lower.as_ptr().cast()),
                    _mm512_loadu_si512(higher.as_ptr().cast()),
                )
            };
            for row in rows {
                if row.needed > 0 {
                    let needed = _mm512_set1_epi16(row.needed.cast_signed());
                    if _mm512_cmpge_epu16_mask(_mm512_max_epu16(low, high), needed) == 0 {
                        maxima.push(0);
                        continue 'blocks;
                    }
                }
                // SAFETY: a block of bounds has 64 bytes.
                let pairs = unsafe { _mm512_loadu_si512(row.blocks[place].as_ptr().cast()) };
                let weight = _mm512_set1_epi16(row.weight.cast_signed());
                let of_low = _mm512_mulhi_epu16(_mm512_slli_epi16::<8>(pairs), weight);
                let of_high = _mm512_mulhi_epu16(_mm512_and_si512(pairs, mask), weight);
                low = _mm512_add_epi16(low, of_low);
                high = _mm512_add_epi16(high, of_high);
            }
            // SAFETY: as where they were loaded.
            unsafe {
                _mm512_storeu_si512(lower.as_mut_ptr().cast(), low);
                _mm512_storeu_si512(higher.as_mut_ptr().cast(), high);
            }
            let greatest = _mm512_max_epu16(low, high);
            maxima.push(greatest_of(_mm256_max_epu16(
                _mm512_castsi512_si256(greatest),
                _mm512_extracti64x4_epi64::<1>(greatest),
            )));
        }
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn add_all_avx2(
        sums: &mut [u16],
        rows: &[Row],
        first: usize,
        maxima: &mut Vec<u16>,
    ) {
        let mask = _mm256_set1_epi16(0xff00_u16.cast_signed());
        for (place, block) in (first..).zip(sums.as_chunks_mut::<BLOCK>().0) {
            let mut greatest = _mm256_setzero_si256();
            let [lower, higher]: &mut [[u16; 32]; 2] = halves(block);
            let quarters = lower.as_chunks_mut::<16>().0.iter_mut();
            'quarters: for (part, (lower, higher)) in
                quarters.zip(higher.as_chunks_mut::<16>().0).enumerate()
            {
                // SAFETY: each quarter has 16 numbers of 16 bits.
                let (mut low, mut high) = unsafe {
                    (
                        _mm256_loadu_si256(lower.as_ptr().cast()),
                        _mm256_loadu_si256(higher.as_ptr().cast()),
                    )
                };
                for row in rows {
                    if row.needed > 0 {
                        let needed = _mm256_set1_epi16(row.needed.cast_signed());
                        let sums = _mm256_max_epu16(low, high);
                        // There is no comparison without signs: a sum that is not below is its own maximum.
                        let reaching = _mm256_cmpeq_epi16(_mm256_max_epu16(sums, needed), sums);
                        if _mm256_movemask_epi8(reaching) == 0 {
                            continue 'quarters;
                        }
                    }
                    let bounds = &row.blocks[place].as_chunks::<32>().0[part];
                    // SAFETY: half of a block of bounds has 32 bytes.
                    let pairs = unsafe { _mm256_loadu_si256(bounds.as_ptr().cast()) };
                    let weight = _mm256_set1_epi16(row.weight.cast_signed());
                    let of_low = _mm256_mulhi_epu16(_mm256_slli_epi16::<8>(pairs), weight);
                    let of_high = _mm256_mulhi_epu16(_mm256_and_si256(pairs, mask), weight);
                    low = _mm256_add_epi16(low, of_low);
                    high = _mm256_add_epi16(high, of_high);
                }
                // SAFETY: as where they were loaded.
                unsafe {
                    _mm256_storeu_si256(lower.as_mut_ptr().cast(), low);
                    _mm256_storeu_si256(higher.as_mut_ptr().cast(), high);
                }
                greatest = _mm256_max_epu16(greatest, _mm256_max_epu16(low, high));
            }
            maxima.push(greatest_of(greatest));
        }
    }

    /// A bit for each document of a block, set where its sum is at least `least`.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub(super) fn reaching_avx512(block: &[u16; BLOCK], least: u16) -> u64 {
        let least = _mm512_set1_epi16(least.cast_signed());
        // SAFETY: each half has 32 numbers of 16 bits.
        let (low, high) = unsafe {
            (
                _mm512_loadu_si512(block.as_ptr().cast()),
                _mm512_loadu_si512(block.as_ptr().wrapping_add(BLOCK / 2).cast()),
            )
        };
        let low = _mm512_cmpge_epu16_mask(low, least);
        let high = _mm512_cmpge_epu16_mask(high, least);
        u64::from(low) | u64::from(high) << 32
    }

    #[target_feature(enable = "avx2")]
    fn greatest_of(numbers: __m256i) -> u16 {
        let greatest = _mm_max_epu16(
            _mm256_castsi256_si128(numbers),
            _mm256_extracti128_si256::<1>(numbers),
        );
        // There is an instruction for the least of eight numbers: of the differences from the greatest possible.
        let missing = _mm_minpos_epu16(_mm_xor_si128(greatest, _mm_set1_epi16(-1)));
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the number that is extracted has 16 bits"
        )]
        let missing = _mm_extract_epi16::<0>(missing) as u16;
        !missing
    }

    fn halves(block: &mut [u16; BLOCK]) -> &mut [[u16; 32]; 2] {
        let (halves, _) = block.as_chunks_mut::<32>();
        halves.try_into().expect("a block has two halves")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    type Added = (Vec<u16>, Vec<u16>);

    proptest! {
        #[test]
        fn any_instructions_add_what_the_definition_says(
            start in prop::collection::vec(0..9000_u16, 1..400),
            terms in prop::collection::vec((prop::collection::vec(any::<u8>(), 400), 0..20_000_u16), 0..3),
            least in 0..20_000_u16,
        ) {
            let n_blocks = start.len().div_ceil(BLOCK);
            let mut padded = start.clone();
            padded.resize(n_blocks * BLOCK, 0);
            let packed: Vec<(Vec<Pairs>, u16)> = terms
                .iter()
                .map(|(bounds, weight)| {
                    let mut blocks = vec![[0; BLOCK]; n_blocks];
                    for (document, &bound) in bounds.iter().enumerate().take(start.len()) {
                        set(&mut blocks, document, 255);
                        set(&mut blocks, document, bound);
                    }
                    for (document, &bound) in bounds.iter().enumerate().take(start.len()) {
                        assert_eq!(get(&blocks, document), bound);
                    }
                    (blocks, *weight)
                })
                .collect();
            let row = |(blocks, weight): &'_ (Vec<Pairs>, u16)| (blocks.clone(), *weight, worth(255, *weight));
            let packed: Vec<(Vec<Pairs>, u16, u16)> = packed.iter().map(row).collect();
            let rows: Vec<Row> = packed
                .iter()
                .map(|(blocks, weight, most)| Row { blocks, weight: *weight, most: *most, needed: 0 })
                .collect();
            let mut sums = padded.clone();
            for (document, sum) in sums.iter_mut().enumerate().take(start.len()) {
                for (bounds, weight) in &terms {
                    let product = u32::from(bounds[document]) * u32::from(*weight) / 256;
                    *sum += u16::try_from(product).unwrap();
                    prop_assert_eq!(worth(bounds[document], *weight), u16::try_from(product).unwrap());
                }
            }
            let greatest: Vec<u16> = sums.chunks(BLOCK).map(|block| *block.iter().max().unwrap()).collect();
            let run_on = |rows: &[Row], add: fn(&mut [u16], &[Row], usize, &mut Vec<u16>)| -> Added {
                let (mut sums, mut maxima) = (padded.clone(), Vec::new());
                // In two parts.
                let (near, far) = sums.split_at_mut(n_blocks / 2 * BLOCK);
                add(near, rows, 0, &mut maxima);
                let mut all = maxima.clone();
                add(far, rows, n_blocks / 2, &mut maxima);
                all.extend(&maxima[maxima.len() - n_blocks.div_ceil(2)..]);
                (sums, all)
            };
            let wanted = (sums, greatest);
            let mut aimed = rows.clone();
            aim(&mut aimed, least);
            let check = |add| -> Result<(), TestCaseError> {
                prop_assert_eq!(&run_on(&rows, add), &wanted);
                // Sums that cannot reach the threshold may be unfinished, if they are not mistaken for sums that do.
                let (sums, maxima) = run_on(&aimed, add);
                for (sum, &wanted) in sums.into_iter().zip(&wanted.0) {
                    prop_assert!(sum == wanted || (sum < wanted && wanted < least));
                }
                for (most, &wanted) in maxima.into_iter().zip(&wanted.1) {
                    prop_assert!(most == wanted || (most < wanted && wanted < least));
                }
                Ok(())
            };
            check(add_all)?;
            check(add_all_anywhere)?;
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                fn avx2(sums: &mut [u16], rows: &[Row], first: usize, maxima: &mut Vec<u16>) {
                    // SAFETY: the processor was checked for it.
                    unsafe { wide::add_all_avx2(sums, rows, first, maxima) };
                }
                check(avx2)?;
            }
            let mut found = Vec::new();
            // Whole blocks; documents beyond the last have no sum.
            reaching(&wanted.0, &wanted.1, least.max(1), |document, sum| found.push((document, sum)));
            let least = least.max(1);
            let all = (0_u16..).zip(wanted.0).filter(|&(_, sum)| sum >= least);
            prop_assert_eq!(found, all.collect::<Vec<_>>());
        }
    }
}
