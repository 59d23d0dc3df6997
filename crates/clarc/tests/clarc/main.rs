//! The texts that CLARC released beside ours, where they are.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]
#![expect(clippy::print_stderr, reason = "tests print how near they came")]

mod lowered;
mod renamed;
