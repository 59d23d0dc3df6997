//! repositories → functions.
pub mod items;
pub mod preprocess;
