//! Tests of the house itself: how files use each other, which crate knows which, how large each has become.
//!
//! `house` finds the crates, `uses` reads which file uses which, `circles`, `edges` and `sizes` hold the limits.

mod circles;
mod edges;
mod house;
mod sizes;
mod uses;
