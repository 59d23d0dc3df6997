//! Models behind addresses, with real servers on loopback and faults in between.

#![expect(clippy::unwrap_used, reason = "the helpers of tests are tests")]

mod cache;
mod cassette;
mod faults;
mod hub;
mod providers;
mod server;
mod stops;
mod tables;
mod writing;
