//! Models behind addresses, with real servers on loopback and faults in between.

mod cache;
mod cassette;
mod faults;
mod hub;
mod providers;
mod server;
mod stops;
