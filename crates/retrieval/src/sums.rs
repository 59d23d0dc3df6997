//! The inner loops of a search: bounds to sums, sums to candidates.
//!
//! In come the bounds of a term for every document of a shard, out come sums, the greatest sum of each block of 64
//! documents, and the documents whose sum reaches a threshold.
//!
//! The loops are plain Rust, compiled a second and third time for AVX2 and AVX-512 and chosen by what the processor
//! has. The results are the same: each sum is one product and one addition, rounded each, whatever the width.

#![expect(
    unsafe_code,
    reason = "a function for instructions that not every processor has is called after asking for them"
)]

/// Documents of a block.
const BLOCK: usize = 64;

/// Compiles a function for what the processor has.
macro_rules! wide {
    ($name:ident, $avx512:ident, $avx2:ident, $plain:ident, ($($argument:ident: $kind:ty),*)) => {
        pub(crate) fn $name($($argument: $kind),*) {
            #[cfg(target_arch = "x86_64")]
            {
                #[target_feature(enable = "avx512f,avx512bw,avx512vl")]
                fn $avx512($($argument: $kind),*) {
                    $plain($($argument),*);
                }
                #[target_feature(enable = "avx2")]
                fn $avx2($($argument: $kind),*) {
                    $plain($($argument),*);
                }
                if std::arch::is_x86_feature_detected!("avx512f")
                    && std::arch::is_x86_feature_detected!("avx512bw")
                    && std::arch::is_x86_feature_detected!("avx512vl")
                {
                    // SAFETY: the processor has been asked for everything that the function is compiled for.
                    return unsafe { $avx512($($argument),*) };
                }
                if std::arch::is_x86_feature_detected!("avx2") {
                    // SAFETY: as above.
                    return unsafe { $avx2($($argument),*) };
                }
            }
            $plain($($argument),*);
        }
    };
}

// Adds to each sum its bound times the step.
wide!(add, add_avx512, add_avx2, add_plain, (sums: &mut [f32], bounds: &[u8], step: f32));

// The greatest sum of each block, the last of which may be short. Sums are not negative.
wide!(maxima, maxima_avx512, maxima_avx2, maxima_plain, (sums: &[f32], maxima: &mut Vec<f32>));

/// Appends the documents whose sum is at least `least`, from first to last; `maxima` are those of the blocks.
pub(crate) fn reaching(sums: &[f32], maxima: &[f32], least: f32, found: &mut Vec<u16>) {
    for ((block, greatest), first) in sums.chunks(BLOCK).zip(maxima).zip((0_u16..).step_by(BLOCK)) {
        if *greatest >= least {
            let reaching = (first..).zip(block).filter(|&(_, &sum)| sum >= least);
            found.extend(reaching.map(|(document, _)| document));
        }
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled anew for each set of instructions"
)]
fn add_plain(sums: &mut [f32], bounds: &[u8], step: f32) {
    for (sum, &bound) in sums.iter_mut().zip(bounds) {
        *sum += f32::from(bound) * step;
    }
}

#[inline(always)]
#[expect(
    clippy::inline_always,
    reason = "it is compiled anew for each set of instructions"
)]
fn maxima_plain(sums: &[f32], maxima: &mut Vec<f32>) {
    maxima.clear();
    let (blocks, rest) = sums.as_chunks::<BLOCK>();
    for block in blocks {
        let mut lanes = [0.0_f32; 16];
        for part in block.as_chunks::<16>().0 {
            for (lane, &sum) in lanes.iter_mut().zip(part) {
                *lane = if sum > *lane { sum } else { *lane };
            }
        }
        maxima.push(lanes.into_iter().fold(0.0, f32::max));
    }
    if !rest.is_empty() {
        maxima.push(rest.iter().copied().fold(0.0, f32::max));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn wide_and_plain_loops_are_the_same(
            start in prop::collection::vec((0.0..50.0_f32, any::<u8>()), 0..400),
            step in 0.0..2.0_f32,
            least in 0.0..300.0_f32,
        ) {
            let (mut sums, bounds): (Vec<f32>, Vec<u8>) = start.into_iter().unzip();
            let simple: Vec<f32> =
                sums.iter().zip(&bounds).map(|(sum, &bound)| sum + f32::from(bound) * step).collect();
            add(&mut sums, &bounds, step);
            prop_assert_eq!(&sums, &simple);
            let mut greatest = vec![7.0];
            maxima(&sums, &mut greatest);
            let blocks = simple.chunks(BLOCK).map(|block| block.iter().copied().fold(0.0, f32::max));
            prop_assert_eq!(&greatest, &blocks.collect::<Vec<_>>());
            let mut found = Vec::new();
            reaching(&sums, &greatest, least, &mut found);
            let all = (0_u16..).zip(&simple).filter(|&(_, &sum)| sum >= least).map(|(document, _)| document);
            prop_assert_eq!(found, all.collect::<Vec<_>>());
        }
    }
}
