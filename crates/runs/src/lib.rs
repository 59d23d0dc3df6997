//! *The base of every command: run folders, shards, the terminal, exit codes.*
//!
//! Enters: the shards that a stage planned and the work on one. Leaves: files in a run folder, written under another
//! name first, with their digests; progress and notes on stderr; an exit code.
//!
//! | content | module |
//! | --- | --- |
//! | a run folder: its lock, its manifest, its tables | [`run_folder`], [`layout`] |
//! | which shards are to do, on threads, killed at any moment | [`engine`], [`share`] |
//! | the check of its bytes against those that were written | [`verify`] |
//! | the cost of a writer so far | [`journal`] |
//! | the terminal and the listeners in its place | [`console`], [`interrupt`] |
//! | an error as an exit code | [`exit`] |
//!
//! This crate knows no stage and no command.

pub mod console;
pub mod engine;
pub mod exit;
mod heartbeat;
pub mod interrupt;
pub mod journal;
pub mod layout;
pub mod run_folder;
pub mod share;
pub mod verify;
