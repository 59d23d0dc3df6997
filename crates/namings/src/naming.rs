//! The source of new names: a [`Naming`], and its inputs: the name that changes, the names that are free, and random
//! numbers.

use barecode_records::{Digest, Id, Role, Setting};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A name that is about to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Old<'a> {
    /// The role of the named thing.
    pub role: Role,
    /// The name.
    pub name: &'a str,
}

/// A test of names that may be used.
pub trait Free {
    /// Returns `true` if a new name may be used: the language does not reserve it, and no other thing has it.
    fn is_free(&self, name: &str) -> bool;
}

/// A generator of new names.
pub trait Naming {
    /// A new name for a name; called once for each, in order of first appearance, the target's text first. It must be
    /// free in `taken`. `None` if no name of this form is left: then the old one stays.
    fn next(&mut self, old: Old<'_>, taken: &dyn Free) -> Option<String>;
}

/// Random numbers that depend on the run's seed, the unit, the setting and the draw, and nothing else.
#[derive(Debug)]
pub struct Draw {
    generator: ChaCha8Rng,
}

impl Draw {
    /// The numbers of one unit under one draw of a setting.
    pub fn new(setting: Setting, run_seed: u64, unit: &Id, seed: Option<u32>) -> Draw {
        let digest = Digest::new(&setting.to_string())
            .field(run_seed.to_le_bytes())
            .field(unit)
            .field(seed.unwrap_or_default().to_le_bytes());
        Draw {
            generator: ChaCha8Rng::seed_from_u64(digest.seed()),
        }
    }

    /// The numbers of a seed.
    pub fn from_seed(seed: u64) -> Draw {
        Draw {
            generator: ChaCha8Rng::seed_from_u64(seed),
        }
    }

    /// A number below `bound`, each as likely as the others.
    pub fn below(&mut self, bound: u32) -> u32 {
        let limit = u32::MAX - u32::MAX % bound;
        loop {
            let value = self.generator.next_u32();
            if value < limit {
                return value % bound;
            }
        }
    }

    /// A letter from a to z.
    pub fn letter(&mut self) -> char {
        char::from(b'a' + u8::try_from(self.below(26)).expect("a letter of 26"))
    }

    /// This many letters.
    pub fn letters(&mut self, length: usize) -> String {
        (0..length).map(|_| self.letter()).collect()
    }

    /// An order in which each is as likely as the others.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last + 1).expect("there are fewer names than that");
            items.swap(last, self.below(bound) as usize);
        }
    }
}
