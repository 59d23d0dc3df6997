//! The parts that tests of several crates share: records and files made by hand, servers, and external requirements
//! of tests.
//!
//! Crates have this among their dev-dependencies only, so no part of it is in the program.

pub mod browser;
pub mod files;
pub mod http;
pub mod made;
pub mod needs;
pub mod started;
