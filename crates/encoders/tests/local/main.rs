//! Local models against the programs that they come from.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod bad_folders;
mod checkpoints;
mod minilm;
mod served;
mod trained;

#[path = "../../../models/tests/models/server.rs"]
#[expect(dead_code, reason = "tests of servers need more of it")]
mod server;
