//! Runs and judgments: what is written is read again, what is wrong is told with its place, and the ways to read
//! a file agree with a plain one.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as tests do")]

mod bad_input;
mod round_trips;
mod whole_queries;
