//! Panics of libraries that read files of others, as values.
//!
//! The readers of Parquet and of git's packs panic at some of the bytes that a failing disk, or a stranger, may
//! leave. A panic that is caught becomes an error with its own message, and nothing is printed beside it. Other
//! panics are printed as before.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
}

/// Returns the value of `work`; `None` if it panics, and then nothing was printed.
///
/// ```
/// assert_eq!(barecode_records::caught(|| 1), Some(1));
/// assert_eq!(barecode_records::caught(|| -> i32 { panic!("bytes that are none") }), None);
/// ```
pub fn caught<T>(work: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |info| {
            if !CATCHING.get() {
                usual(info);
            }
        }));
    });
    let outer = CATCHING.replace(true);
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.ok()
}
