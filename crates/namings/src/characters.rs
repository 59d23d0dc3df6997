//! `characters-same`, `-uniform`, `-shortest`, `-fixed-N`: pydra's `random_chars` (appendix B.4), for C and C++.
//!
//! *What it changes.* The same names as `neutralized`, each into random letters from a to z: the same number as the
//! name had, from 1 to 10, as few as still distinguish names, or N.
//!
//! *What it must keep.* As `neutralized`. If no letters of the required length are left, the name stays.
//!
//! *Where it applies.* Everywhere.
//!
//! *Example.* `count_words` becomes `wqkdoaxmpru` (`same`), `yqz` (`uniform`), `b` (`shortest`).
//!
//! *Difference to pydra.* pydra renames within scopes of Python, so that two functions may share a new name; in this
//! setting no two names of a unit do.

use barecode_records::Length;

use crate::naming::{Draw, Free, Naming, Old};

/// The number of tries of a length before it counts as exhausted.
const TRIES: usize = 200;

/// The naming of the setting for one unit and seed.
#[derive(Debug)]
pub struct Characters {
    length: Length,
    draw: Draw,
}

impl Characters {
    /// Letters of such a length.
    pub fn new(length: Length, draw: Draw) -> Characters {
        Characters { length, draw }
    }

    fn of(&mut self, length: usize, taken: &dyn Free) -> Option<String> {
        (0..TRIES)
            .map(|_| self.draw.letters(length))
            .find(|name| taken.is_free(name))
    }
}

impl Naming for Characters {
    fn next(&mut self, old: Old<'_>, taken: &dyn Free) -> Option<String> {
        match self.length {
            Length::Same => self.of(old.name.chars().count(), taken),
            Length::Fixed(length) => self.of(usize::from(length), taken),
            Length::Uniform => (0..TRIES).find_map(|_| {
                let length = 1 + self.draw.below(10) as usize;
                let name = self.draw.letters(length);
                taken.is_free(&name).then_some(name)
            }),
            Length::Shortest => (1..).find_map(|length| self.shortest(length, taken)),
        }
    }
}

impl Characters {
    /// A free name of exactly this length, if any: all are tried in order from a random one on.
    fn shortest(&mut self, length: u32, taken: &dyn Free) -> Option<String> {
        let count = 26_u32.checked_pow(length)?;
        let first = self.draw.below(count);
        (0..count).find_map(|step| {
            let mut number = (u64::from(first) + u64::from(step)) % u64::from(count);
            let mut name = String::new();
            for _ in 0..length {
                let letter = u8::try_from(number % 26).expect("a letter of 26");
                name.push(char::from(b'a' + letter));
                number /= 26;
            }
            taken.is_free(&name).then_some(name)
        })
    }
}
