//! What programs answer to questions that no test asks.

use barecode_records::python::Fault;
use serde::{Deserialize, Serialize};

/// What a program does with an input, or in an example.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What it prints.
    pub printed: String,
    /// The exception that ends it: `ValueError: no`.
    pub error: Option<String>,
}

/// The answers of a program, in the order of the questions.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answers {
    /// One for each question, up to the one that ended the program's process.
    pub given: Vec<Answer>,
    /// How the process ended before all were answered.
    pub end: Option<Fault>,
}
