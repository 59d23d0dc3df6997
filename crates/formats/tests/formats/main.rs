//! Formats: real files, round trips, bad input, and the programs that others read them with.

mod real;
mod round_trip;
