//! Formats: real files, round trips, bad input, and the programs that others read them with.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod code_search_net;
mod common;
mod real;
mod round_trip;
mod consumers;
mod licenses;
mod mteb_results;
mod bad_input;
