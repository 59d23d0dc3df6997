//! Local models against the programs that they come from.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests, and why a test is skipped"
)]

mod bad_folders;
mod checkpoints;
mod minilm;
mod served;

#[path = "../../../models/tests/models/server.rs"]
#[expect(dead_code, reason = "tests of servers need more of it")]
mod server;
#[path = "../../../models/tests/models/started.rs"]
mod started;
