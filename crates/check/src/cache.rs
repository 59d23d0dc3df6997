//! Verdicts, kept.
