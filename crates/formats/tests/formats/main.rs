//! Formats: real files, round trips, bad input, and the programs that others read them with.

mod real;
mod round_trip;
mod consumers;
mod licenses;
mod mteb_results;
mod bad_input;
