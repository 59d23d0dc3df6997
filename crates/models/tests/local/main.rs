//! Local models against the programs that they come from.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests, and why a test is skipped"
)]

mod bad_folders;
mod checkpoints;
mod minilm;
