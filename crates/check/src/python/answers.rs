//! Answers of programs to questions that are not part of their tests.

use barecode_records::python::Fault;
use serde::{Deserialize, Serialize};

/// The behaviour of a program on an input, or in an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// Its output.
    pub printed: String,
    /// The exception that ends it: `ValueError: no`.
    pub error: Option<String>,
}

/// The answers of a program, in the order of the questions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// One for each question, up to the one that ended the program's process.
    pub given: Vec<Answer>,
    /// The fault that ended the process before all were answered.
    pub end: Option<Fault>,
}
