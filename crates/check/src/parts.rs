//! Texts that are compiled together, as parts of a shard.
//!
//! The headers of a text cost most of its compilation. Texts of one leading block share them, in one process or as a
//! precompiled header, and need it only while they are compiled.

use std::collections::BTreeMap;

use barecode_records::Language;

use crate::batch::TOGETHER;
use crate::isolate::Split;

/// Divides texts, each with its language, into parts of one language and leading block: their indices, in ascending
/// order in each part.
pub fn parts<'t>(texts: impl Iterator<Item = (Language, &'t str)>) -> Vec<Vec<usize>> {
    let mut by_block: BTreeMap<(Language, &str), Vec<usize>> = BTreeMap::new();
    for (at, (language, text)) in texts.enumerate() {
        let block = Split::of(text).block;
        by_block.entry((language, block)).or_default().push(at);
    }
    let parts = by_block.values().flat_map(|all| all.chunks(TOGETHER));
    parts.map(<[usize]>::to_vec).collect()
}

/// Puts the results of parts into the order of the texts.
pub fn in_order<R>(parts: Vec<Vec<usize>>, results: Vec<Vec<R>>) -> Vec<R> {
    let mut all = Vec::new();
    for (part, results) in parts.into_iter().zip(results) {
        all.extend(part.into_iter().zip(results));
    }
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_has_one_block_and_results_go_back_to_their_places() {
        let one = "#include <a>\nint f;";
        let other = "#include <b>\n#define c\nint f;";
        let mut texts = vec![
            (Language::CPP, one),
            (Language::C, one),
            (Language::CPP, other),
        ];
        texts.extend([(Language::CPP, one); TOGETHER]);
        let parts = parts(texts.iter().copied());
        let mut sizes: Vec<usize> = parts.iter().map(Vec::len).collect();
        sizes.sort_unstable();
        assert_eq!(sizes, [1, 1, 1, TOGETHER]);
        let found = parts.clone();
        let all: Vec<usize> = (0..texts.len()).collect();
        assert_eq!(in_order(parts, found), all);
    }
}
