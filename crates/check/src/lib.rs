//! *functions → units*: the functions that compile by themselves.
//!
//! Functions with their closures enter; compiled [`Unit`](barecode_records::Unit)s come out, and functions set aside
//! with the compiler's own words. [`check()`] does that for a shard; [`Judge`] answers single questions (does this
//! text compile, and to what?) for crates that change units afterwards, and remembers every answer.
//!
//! This crate is a **door**: the only one of barecode that runs compilers, and so the only one that passes untrusted
//! text to a large program. The difficulty is to do that without trusting the text. Every program runs in `confine`:
//! in a folder of its own, without environment, with limits on memory, time and output. Its process group dies as a
//! whole and dies with barecode. If the kernel has landlock ([`has_landlock`]), the program can access only the
//! compiler's own files.
//!
//! Functions of languages that are not compiled never reach this crate: `corpus` judges them by reading.
//!
//! Two texts compile to the same thing if their [`Object`] fingerprints are equal: names are not part of a
//! fingerprint, everything else is.
//!
//! [`Python`] runs Python programs against their tests, which is different: the foreign code itself runs. Its module
//! describes how the code is isolated from the machine, and prevented from forging a verdict.
//!
//! This crate never runs the code that it compiled, never links, and never rewrites a unit (apart from a prelude of
//! three headers, see [`check()`]). From a limit it draws no conclusion beyond "set aside".

mod check;
mod parts;
mod part_pool;
mod minimize;
mod refusal;
mod complaint;
mod question;
mod mark;
mod judge;
mod verdict;
mod lower;
mod batch;
mod isolate;
mod positions;
mod token;
mod cache;
mod header_cache;
mod headers;
mod object;
mod assembly;
mod listing;
mod compiler;
mod purpose;
mod order;
mod printed;
mod dialect;
mod config;
#[expect(
    unsafe_code,
    reason = "a process is made, and limited before it is a program, which safe Rust cannot do"
)]
mod spawn;
#[expect(
    unsafe_code,
    reason = "limits are set between the start of a process and of its program, which safe Rust cannot reach"
)]
mod confine;
mod workplace;
mod tools;
mod python;
mod error;

pub use cache::CACHE_FILE;
pub use check::{check, check_telling};
pub use compiler::Compiler;
pub use complaint::Complaint;
pub use config::CheckConfig;
pub use confine::has_landlock;
pub use error::CheckError;
pub use judge::{Judge, NoObject};
pub use lower::{Built, BuiltFunction, Lowered, Lowerer, Uncut, read_objects};
pub use object::Object;
pub use part_pool::PartPool;
pub use parts::{in_order, parts};
pub use python::{Answer, Answers, Level, Python, PythonConfig, Ran};
pub use question::Question;
pub use spawn::survive_full_files;
pub use tools::{Tool, tools};
pub use verdict::Verdict;
