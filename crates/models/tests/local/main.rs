//! Local models against the programs that they come from.

mod bad_folders;
mod checkpoints;
mod minilm;
