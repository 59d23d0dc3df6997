//! Audits of small sets made by hand, of what is published, and of a run's variants.

#![expect(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "helpers of tests, and why a test is skipped"
)]

mod made;
mod published;
mod settings;
