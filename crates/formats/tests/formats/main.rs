//! Formats: real files, round trips, bad input, and the programs that others read them with.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests fail as tests do, and say what they skip"
)]

mod real;
mod round_trip;
mod consumers;
mod licenses;
mod mteb_results;
mod bad_input;
