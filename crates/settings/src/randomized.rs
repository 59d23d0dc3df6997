//! `randomized`: every name of the project becomes random letters (CLARC, section 3.1.3 and appendix D.4).
//!
//! *What it changes.* The same names as `neutralized`, each into 6 to 12 letters from a to z, drawn uniformly
//! per unit and seed. Neither length, nor first letter, nor case tells anything about the old name or its kind.
//!
//! *What it must keep.* As `neutralized`.
//!
//! *Where it applies.* Everywhere.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int qkzvhbd(const char *wmxtrpcnj)`.
//!
//! *Difference to CLARC.* The released texts keep the first letter of every name and use one map for the whole
//! corpus, so that the same name is the same code everywhere; here nothing is shared between units or seeds.

use std::collections::BTreeSet;

use barecode_records::{Digest, Id, Role};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use crate::rename::{Naming, is_free};

/// The naming of the setting for one unit and seed.
#[derive(Debug)]
pub struct Randomized {
    generator: ChaCha8Rng,
}

impl Randomized {
    /// A generator that depends on the run's seed, the unit and the draw, and on nothing else.
    pub fn new(run_seed: u64, unit: &Id, seed: u32) -> Randomized {
        let digest = Digest::new("randomized")
            .field(run_seed.to_le_bytes())
            .field(unit)
            .field(seed.to_le_bytes());
        Randomized {
            generator: ChaCha8Rng::seed_from_u64(digest.seed()),
        }
    }

    /// A number below `bound`, each as likely as the others.
    fn below(&mut self, bound: u32) -> u32 {
        let limit = u32::MAX - u32::MAX % bound;
        loop {
            let value = self.generator.next_u32();
            if value < limit {
                return value % bound;
            }
        }
    }
}

impl Naming for Randomized {
    fn next(&mut self, _role: Role, taken: &BTreeSet<Box<str>>) -> String {
        loop {
            let length = 6 + self.below(7);
            let letters = (0..length)
                .map(|_| char::from(b'a' + u8::try_from(self.below(26)).expect("a letter of 26")));
            let name: String = letters.collect();
            if is_free(&name, taken) {
                return name;
            }
        }
    }
}
