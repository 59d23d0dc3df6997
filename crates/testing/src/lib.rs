//! What tests of several crates share: records made by hand, and what tests need from outside.
//!
//! Crates have this among their dev-dependencies only, so nothing of it is in the program.

pub mod made;
pub mod needs;
