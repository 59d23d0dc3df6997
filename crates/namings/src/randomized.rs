//! `randomized`: 6 to 12 letters from a to z, or the same number as the name had.

use crate::naming::{Draw, Free, Naming, Old};

/// The number of tries of a length before it grows.
const TRIES: usize = 100;

/// The naming of the setting for one unit and seed.
#[derive(Debug)]
pub struct Randomized {
    draw: Draw,
    same_length: bool,
}

impl Randomized {
    /// Letters of random length.
    pub fn new(draw: Draw) -> Randomized {
        Randomized {
            draw,
            same_length: false,
        }
    }

    /// Creates names with the same number of letters as the old name.
    pub fn same_length(draw: Draw) -> Randomized {
        Randomized {
            draw,
            same_length: true,
        }
    }
}

impl Naming for Randomized {
    fn next(&mut self, old: Old<'_>, taken: &dyn Free) -> Option<String> {
        if self.same_length {
            return Some(of_length(&mut self.draw, old.name.chars().count(), taken));
        }
        loop {
            let length = 6 + self.draw.below(7) as usize;
            let name = self.draw.letters(length);
            if taken.is_free(&name) {
                return Some(name);
            }
        }
    }
}

/// Free random letters of a length, or of the next one if few or none are left.
fn of_length(draw: &mut Draw, length: usize, taken: &dyn Free) -> String {
    let mut length = length.max(1);
    loop {
        for _ in 0..TRIES {
            let name = draw.letters(length);
            if taken.is_free(&name) {
                return name;
            }
        }
        length += 1;
    }
}
