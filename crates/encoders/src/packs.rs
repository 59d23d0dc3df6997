//! Texts to packs: the work of threads.
//!
//! In come the ids of texts of very different length, out come `width` numbers of each. The one hard thing is to keep
//! every core busy. Texts are sorted by length and put together up to a budget of tokens, longest first. Each such
//! pack is one thread's work. The packing changes no bit of a result.

use std::sync::{Mutex, PoisonError};

use barecode_tokens::Ids;
use rayon::prelude::*;

use super::network::Buffers;

/// Tokens that are worked on together, unless one text has more.
const PACK: usize = 1024;

/// The buffers of all threads, kept from one call to the next so that memory is requested once.
#[derive(Default)]
pub(super) struct Pool(Mutex<Vec<Buffers>>);

impl Pool {
    /// `width` numbers of each text, in the order of the texts, by `work` on some at a time; zeros of a text without a
    /// token. All threads of the pool that this is called in work.
    pub(super) fn run(
        &self,
        ids: &[Ids],
        width: usize,
        work: impl Fn(&[&Ids], &mut Buffers) -> Vec<f32> + Sync,
    ) -> Vec<f32> {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let packs = packs(ids, rayon::current_num_threads(), PACK);
        let parts: Vec<Vec<f32>> = packs
            .par_iter()
            .with_max_len(1)
            .map(|pack| {
                let mut buffers = free().pop().unwrap_or_default();
                let texts: Vec<&Ids> = pack.iter().map(|&text| &ids[text]).collect();
                let numbers = work(&texts, &mut buffers);
                free().push(buffers);
                numbers
            })
            .collect();
        let mut all = vec![0.0; ids.len() * width];
        for (pack, numbers) in packs.iter().zip(&parts) {
            for (&text, numbers) in pack.iter().zip(numbers.chunks_exact(width)) {
                all[text * width..(text + 1) * width].copy_from_slice(numbers);
            }
        }
        all
    }
}

/// The texts of each pack: sorted by length, longest first, up to `most` tokens.
fn packs(ids: &[Ids], threads: usize, most: usize) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..ids.len())
        .filter(|&text| !ids[text].ids.is_empty())
        .collect();
    order.sort_by_key(|&text| std::cmp::Reverse(ids[text].ids.len()));
    let total: usize = ids.iter().map(|text| text.ids.len()).sum();
    let budget = (total / threads.max(1)).clamp(64, most.max(64));
    let mut packs: Vec<Vec<usize>> = Vec::new();
    let mut room = 0;
    for text in order {
        let length = ids[text].ids.len();
        match packs.last_mut() {
            Some(pack) if length <= room => {
                pack.push(text);
                room -= length;
            }
            _ => {
                packs.push(vec![text]);
                room = budget.saturating_sub(length);
            }
        }
    }
    packs
}
