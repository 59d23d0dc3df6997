//! *What every command stands on: run folders, shards, the terminal, exit codes.*
//!
//! Enters: the shards that a stage planned and the work on one. Leaves: files in a run folder, written under another
//! name first, with their digests; progress and notes on stderr; an exit code.
//!
//! | what | module |
//! | --- | --- |
//! | a run folder: its lock, its manifest, its tables | [`run_folder`], [`layout`] |
//! | which shards are to do, on threads, killed at any moment | [`engine`], [`share`] |
//! | whether its bytes are those that were written | [`verify`] |
//! | what a writer has cost so far | [`journal`] |
//! | the terminal and those who listen in its place | [`console`], [`interrupt`] |
//! | an error as an exit code | [`exit`] |
//!
//! What this crate does not do: it knows no stage and no command.

pub mod console;
pub mod engine;
pub mod exit;
pub mod interrupt;
pub mod journal;
pub mod layout;
pub mod run_folder;
pub mod share;
pub mod verify;
