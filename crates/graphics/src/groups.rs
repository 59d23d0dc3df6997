//! Texts → groups that a device takes at a time, each padded to one length.
//!
//! Texts are sorted by length, so that little of a group is padding, and lengths are rounded up to few sizes, because
//! kernels are tuned for every new shape.

use crate::Text;

/// Some texts and what they are padded to.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Group {
    /// Places of its texts in what was given.
    pub(crate) texts: Vec<usize>,
    /// Tokens of each, with padding.
    pub(crate) length: usize,
}

/// Groups of up to `most` tokens with padding, unless one text has more, and padded to at most `longest` tokens, unless a
/// text has more; texts without a token are in none.
pub(crate) fn groups(texts: &[Text<'_>], most: usize, longest: usize) -> Vec<Group> {
    let mut order: Vec<usize> = (0..texts.len())
        .filter(|&text| !texts[text].ids.is_empty())
        .collect();
    order.sort_by_key(|&text| texts[text].ids.len());
    let mut groups: Vec<Group> = Vec::new();
    for text in order {
        let own = texts[text].ids.len();
        let length = rounded(own).min(longest).max(own);
        match groups.last_mut() {
            Some(group) if group.length == length && (group.texts.len() + 1) * length <= most => {
                group.texts.push(text);
            }
            _ => groups.push(Group {
                texts: vec![text],
                length,
            }),
        }
    }
    groups
}

/// The next of 8, 16, 24, 32, 48, 64, 96, 128, 192, …: at most half as much again from 16 tokens on.
fn rounded(length: usize) -> usize {
    if length <= 32 {
        return length.next_multiple_of(8);
    }
    let power = length.next_power_of_two();
    if length <= power / 4 * 3 {
        power / 4 * 3
    } else {
        power
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_rounded_to_few() {
        let all = [1, 8, 9, 32, 33, 48, 49, 65, 96, 97, 128, 129, 300].map(rounded);
        assert_eq!(all, [8, 8, 16, 32, 48, 48, 64, 96, 96, 128, 128, 192, 384]);
    }

    #[test]
    fn every_text_is_in_one_group_that_fits() {
        let ids: Vec<Vec<u32>> = (0..50).map(|i| vec![1; (i * 7) % 40]).collect();
        let texts: Vec<Text<'_>> = ids.iter().map(|ids| Text { ids, kinds: ids }).collect();
        let groups = groups(&texts, 96, 37);
        let mut seen: Vec<usize> = groups
            .iter()
            .flat_map(|group| group.texts.clone())
            .collect();
        seen.sort_unstable();
        let with_tokens: Vec<usize> = (0..50).filter(|&i| !ids[i].is_empty()).collect();
        assert_eq!(seen, with_tokens);
        for group in &groups {
            let own = group.texts.iter().map(|&text| ids[text].len()).max();
            assert!(group.length <= 37.max(own.unwrap_or(0)), "{group:?}");
            assert!(group.texts.len() == 1 || group.texts.len() * group.length <= 96);
            assert!(
                group
                    .texts
                    .iter()
                    .all(|&text| ids[text].len() <= group.length)
            );
        }
    }
}
