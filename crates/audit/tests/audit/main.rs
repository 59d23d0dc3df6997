//! Audits of small sets made by hand, of what is published, and of a run's variants.

#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod made;
mod published;
mod settings;
