//! Threads that do the parts of one shard.
//!
//! Texts of one leading block share processes and precompiled headers, so a shard is divided by blocks and not by
//! position. A worker of rayon that waits takes other work meanwhile, in this case other shards in the middle of this
//! one. A plain thread therefore waits for the parts, and the worker waits for that thread.

use std::panic::resume_unwind;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// Threads for the parts of shards; by default none, and each caller does its parts itself.
#[derive(Debug, Default)]
pub struct PartPool(Option<ThreadPool>);

impl PartPool {
    /// A pool of this many threads.
    ///
    /// # Errors
    /// If the threads cannot be started.
    pub fn new(threads: usize) -> Result<PartPool, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(PartPool(Some(pool)))
    }

    /// Does all parts, and returns the results in the order of the parts. After an error no other part is begun.
    ///
    /// # Errors
    /// The first error, in the order of the parts.
    ///
    /// # Panics
    /// If `work` does.
    pub fn each<T: Sync, R: Send + Sync, E: Send + Sync>(
        &self,
        parts: &[T],
        work: impl Fn(&T) -> Result<R, E> + Sync,
    ) -> Result<Vec<R>, E> {
        let Some(pool) = self.0.as_ref().filter(|_| parts.len() > 1) else {
            return parts.iter().map(work).collect();
        };
        let results: Vec<OnceLock<Result<R, E>>> = parts.iter().map(|_| OnceLock::new()).collect();
        let has_failed = AtomicBool::new(false);
        let one = |part: &T, result: &OnceLock<Result<R, E>>| {
            if !has_failed.load(Ordering::Relaxed) {
                let done = result.get_or_init(|| work(part));
                has_failed.fetch_or(done.is_err(), Ordering::Relaxed);
            }
        };
        let (one, each) = (&one, parts.iter().zip(&results));
        let all = || {
            pool.in_place_scope(|scope| {
                for (part, result) in each {
                    scope.spawn(move |_| one(part, result));
                }
            });
        };
        thread::scope(|scope| scope.spawn(all).join()).unwrap_or_else(|panic| resume_unwind(panic));
        let done = results.into_iter().filter_map(OnceLock::into_inner);
        done.collect()
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Duration;

    use super::*;

    fn pools() -> [PartPool; 3] {
        [
            PartPool::default(),
            PartPool::new(1).unwrap(),
            PartPool::new(3).unwrap(),
        ]
    }

    #[test]
    fn results_are_in_order_on_any_number_of_threads() {
        let parts: Vec<usize> = (0..100).collect();
        let doubled: Vec<usize> = parts.iter().map(|part| part * 2).collect();
        for pool in pools() {
            assert_eq!(
                pool.each(&parts, |part| Ok::<_, ()>(part * 2)),
                Ok(doubled.clone())
            );
            assert_eq!(
                pool.each(&[], |part: &usize| Err::<(), _>(*part)),
                Ok(Vec::new())
            );
        }
    }

    #[test]
    fn after_an_error_no_part_is_begun() {
        let parts: Vec<usize> = (0..1_000).collect();
        for pool in pools() {
            let found = pool.each(&parts, |part| {
                thread::sleep(Duration::from_micros(100));
                if *part < 5 { Ok(()) } else { Err(*part) }
            });
            assert!(found.is_err_and(|part| (5..500).contains(&part)));
        }
    }

    #[test]
    fn a_worker_that_waits_begins_nothing_else() {
        thread_local! {
            static IS_BUSY: Cell<bool> = const { Cell::new(false) };
        }
        let shards = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let pool = PartPool::new(2).unwrap();
        let is_nested = AtomicBool::new(false);
        shards.scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|_| {
                    is_nested.fetch_or(IS_BUSY.replace(true), Ordering::Relaxed);
                    let pause = |_: &i32| {
                        thread::sleep(Duration::from_millis(2));
                        Ok::<(), ()>(())
                    };
                    pool.each(&[1, 2, 3, 4], pause).unwrap();
                    IS_BUSY.set(false);
                });
            }
        });
        assert!(!is_nested.into_inner());
    }

    #[test]
    #[should_panic(expected = "a part panics")]
    fn a_panic_of_a_part_is_one_of_the_caller() {
        let _ = PartPool::new(2)
            .unwrap()
            .each(&[1, 2], |_| -> Result<(), ()> { panic!("a part panics") });
    }
}
