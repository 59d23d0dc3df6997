//! Values that were used recently, within bounds: a big source has more of them than memory.
//!
//! A value that was dropped is made again, so no result depends on the bounds.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Two generations of values: when the young ones are heavy, the old ones are dropped and the young ones are old.
pub struct Recent<K, V> {
    generations: Mutex<Generations<K, V>>,
    /// The weight of a generation.
    most: usize,
}

struct Generations<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    weight: usize,
    weigh: fn(&V) -> usize,
}

/// Values that nobody needs.
type Dropped<K, V> = Option<HashMap<K, V>>;

impl<K: Hash + Eq, V: Clone> Recent<K, V> {
    /// Room for values of this weight together. One that is heavier than half of it counts as half.
    pub fn of_weight(most: usize, weigh: fn(&V) -> usize) -> Self {
        Recent {
            generations: Mutex::new(Generations {
                young: HashMap::default(),
                old: HashMap::default(),
                weight: 0,
                weigh,
            }),
            most: most / 2,
        }
    }

    /// The value of a key, if it is still there.
    pub fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let (found, _dropped) = self.found(&mut self.locked(), key);
        found
    }

    /// Adds a value. If another thread was faster, its value is kept and returned.
    pub fn put(&self, key: K, value: V) -> V {
        let mut generations = self.locked();
        let (known, _dropped) = self.found(&mut generations, &key);
        if let Some(known) = known {
            return known;
        }
        let _dropped = self.add(&mut generations, key, value.clone());
        drop(generations);
        value
    }

    /// The value of a key, which is among the young ones then, and the values that were dropped for it.
    fn found<Q>(&self, generations: &mut Generations<K, V>, key: &Q) -> (Option<V>, Dropped<K, V>)
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        if let Some(value) = generations.young.get(key) {
            return (Some(value.clone()), None);
        }
        let Some((key, value)) = generations.old.remove_entry(key) else {
            return (None, None);
        };
        let dropped = self.add(generations, key, value.clone());
        (Some(value), dropped)
    }

    /// Drops all values.
    pub fn clear(&self) {
        let mut generations = self.locked();
        generations.young = HashMap::default();
        generations.old = HashMap::default();
        generations.weight = 0;
    }

    /// Adds a value, and returns those that are dropped for it: freeing many takes long.
    fn add(&self, generations: &mut Generations<K, V>, key: K, value: V) -> Dropped<K, V> {
        let weight = (generations.weigh)(&value).min(self.most);
        let mut dropped = None;
        if generations.weight + weight > self.most && !generations.young.is_empty() {
            let young = mem::take(&mut generations.young);
            dropped = Some(mem::replace(&mut generations.old, young));
            generations.weight = 0;
        }
        generations.weight += weight;
        generations.young.insert(key, value);
        dropped
    }

    fn locked(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.generations
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn values_in_use_stay_and_the_weight_is_bounded() {
        let recent: Recent<usize, Arc<Vec<u8>>> = Recent::of_weight(1000, |value| value.len());
        let made: Vec<Arc<Vec<u8>>> = (0..100).map(|_| Arc::new(vec![0; 50])).collect();
        for (number, value) in made.iter().enumerate() {
            let stored = recent.put(number, value.clone());
            assert!(Arc::ptr_eq(&stored, value));
            assert!(recent.get(&0).is_some(), "{number}");
            let held = made.iter().filter(|value| Arc::strong_count(value) > 1);
            assert!(held.count() * 50 <= 1000);
        }
        assert!(recent.get(&50).is_none());
        let again = recent.put(99, Arc::default());
        assert!(Arc::ptr_eq(&again, &made[99]));
    }
}
