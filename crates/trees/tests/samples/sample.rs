//! A shop.

use std::fmt;

const LIMIT: usize = 10;

/// A cart.
#[derive(Debug)]
pub struct Cart<T> {
    items: Vec<T>,
    total: usize,
}

impl<T: Clone> Cart<T> {
    /// Adds an item, and says how many there are.
    #[inline]
    pub fn add(&mut self, item: T, other: &Cart<T>) -> Option<usize> {
        // inside
        let count = self.items.len() + other.total; // behind
        let count = count + 1;
        self.items.push(item);
        println!("{count} {}", self.total);
        match self.find(count) {
            Some(found) if found > LIMIT => None,
            None => Some(Self::twice(count)),
            _ => 'outer: loop { break 'outer Some(helper(|x| x + count)); },
        }
    }

    fn find(&self, n: usize) -> Option<usize> { Some(n) }

    fn twice(n: usize) -> usize { n * 2 }
}

impl<T> fmt::Display for Cart<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.total)
    }
}

/// Helps.
fn helper(f: impl Fn(usize) -> usize) -> usize { f(1) }
