//! `shuffled`: the characters of a name in another order, pydra's `shuffle_original` (appendix B.4), for C and C++.
//!
//! *What it changes.* The same names as `neutralized`. Letters become small ones; a digit never comes first.
//!
//! *What it must keep.* As `neutralized`, and names of one character, as pydra does. A name whose characters have no
//! other free order stays, and so does one with characters beyond ASCII.
//!
//! *Where it applies.* Everywhere.
//!
//! *Example.* `count_words` becomes `wos_tdnrcuo`.
//!
//! *Difference to pydra.* None but the scopes: see `characters`.

use barecode_records::Role;

use crate::naming::{Draw, Free, Naming, Old};

/// Number of orders that are tried.
const TRIES: usize = 100;

/// The naming of the setting for one unit and seed.
#[derive(Debug)]
pub struct Shuffled {
    draw: Draw,
}

impl Shuffled {
    /// For these random numbers.
    pub fn new(draw: Draw) -> Shuffled {
        Shuffled { draw }
    }
}

impl Naming for Shuffled {
    fn next(&mut self, old: Old<'_>, taken: &dyn Free) -> Option<String> {
        let lower = old.name.to_ascii_lowercase();
        // A name that is joined must not become a piece of another name by chance.
        if lower.len() < 2 || !lower.is_ascii() || old.role == Role::Fragment {
            return None;
        }
        let mut characters: Vec<char> = lower.chars().collect();
        for _ in 0..TRIES {
            self.draw.shuffle(&mut characters);
            let name: String = characters.iter().collect();
            let is_name = !name.starts_with(|first: char| first.is_ascii_digit());
            // Names that begin with two underscores belong to the compiler.
            if is_name && !name.starts_with("__") && name != old.name && taken.is_free(&name) {
                return Some(name);
            }
        }
        None
    }
}
