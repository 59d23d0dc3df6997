//! Models behind addresses, with real servers on loopback and faults in between.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "the helpers of tests are tests, and a child says how it ended"
)]

mod cache;
mod cassette;
mod faults;
mod hub;
mod providers;
mod server;
mod stops;
mod tables;
