//! Terms to numbers.
//!
//! Enters: terms. Leaves: whole numbers from 0 up in the order of first appearance. All text is in one buffer, so a
//! vocabulary of millions of terms costs its letters and some eight bytes a term. A term is found by its hash, but no
//! order comes from the hashes.

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use std::hash::BuildHasher;

/// Terms and their numbers.
#[derive(Debug, Clone, Default)]
pub(crate) struct Vocabulary {
    letters: String,
    /// The end of each term in `letters`.
    ends: Vec<u32>,
    numbers: HashTable<u32>,
}

impl Vocabulary {
    /// Number of terms.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The term of a number.
    pub(crate) fn term(&self, number: u32) -> &str {
        term(&self.letters, &self.ends, number)
    }

    /// The number of a term that is known.
    pub(crate) fn find(&self, wanted: &str) -> Option<u32> {
        let is_it = |&number: &u32| self.term(number) == wanted;
        self.numbers.find(hash(wanted), is_it).copied()
    }

    /// The number of a term, the next free one if it is new.
    pub(crate) fn number(&mut self, wanted: &str) -> u32 {
        let Vocabulary {
            letters,
            ends,
            numbers,
        } = self;
        let hash_of_number = |&number: &u32| hash(term(letters, ends, number));
        let is_it = |&number: &u32| term(letters, ends, number) == wanted;
        match numbers.entry(hash(wanted), is_it, hash_of_number) {
            hashbrown::hash_table::Entry::Occupied(known) => *known.get(),
            hashbrown::hash_table::Entry::Vacant(free) => {
                let number = u32::try_from(ends.len())
                    .expect("a corpus has fewer than 2^32 different terms");
                free.insert(number);
                letters.push_str(wanted);
                ends.push(
                    u32::try_from(letters.len())
                        .expect("all different terms have less than 4 GiB of letters"),
                );
                number
            }
        }
    }

    /// Frees memory that only growing needs.
    pub(crate) fn shrink(&mut self) {
        self.letters.shrink_to_fit();
        self.ends.shrink_to_fit();
    }
}

fn term<'a>(letters: &'a str, ends: &[u32], number: u32) -> &'a str {
    let number = number as usize;
    let start = if number == 0 { 0 } else { ends[number - 1] };
    letters
        .get(start as usize..ends[number] as usize)
        .expect("terms begin and end at characters")
}

fn hash(term: &str) -> u64 {
    FixedState::default().hash_one(term.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_first_appearance() {
        let mut vocabulary = Vocabulary::default();
        let numbers: Vec<u32> = ["b", "a", "b", "größe", "", "a"]
            .map(|term| vocabulary.number(term))
            .to_vec();
        assert_eq!(numbers, [0, 1, 0, 2, 3, 1]);
        assert_eq!(vocabulary.len(), 4);
        assert_eq!(vocabulary.term(2), "größe");
        assert_eq!(vocabulary.find(""), Some(3));
        assert_eq!(vocabulary.find("c"), None);
    }

    #[test]
    fn many_terms_are_all_found_again() {
        let mut vocabulary = Vocabulary::default();
        for i in 0..50_000_u32 {
            assert_eq!(vocabulary.number(&format!("t{i}")), i);
        }
        vocabulary.shrink();
        for i in 0..50_000_u32 {
            assert_eq!(vocabulary.find(&format!("t{i}")), Some(i));
        }
    }
}
