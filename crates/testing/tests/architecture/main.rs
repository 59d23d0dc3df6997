//! Tests of the house itself: how files use each other, which crate knows which, how large each has become.
//!
//! `house` finds the crates, `uses` reads which file uses which, `circles`, `edges` and `sizes` hold the limits, `reads` says
//! who opens files.

mod circles;
mod edges;
mod house;
mod reads;
mod links;
mod sizes;
mod uses;
