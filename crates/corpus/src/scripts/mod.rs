//! R scripts → comments with the code below them (`GenCodeSearchNet`, section 3.2).
//!
//! Enters: a script, an R Markdown or Quarto document, or a notebook. Leaves: [`Pairs`], every comment either with the
//! statements that it is about or with the reason why it has none. Two profiles:
//!
//! | profile | module | what it takes |
//! | --- | --- | --- |
//! | [`Profile::Statements`] | `statements` | the statements below a comment, by tree-sitter's tree, with their layout |
//! | [`Profile::StatCodeSearch`] | `published` | the lines below a comment, by the rules of the released notebook |
//!
//! The one hard thing is where a comment's code ends: R has no mark for it. The published rules go on to the next
//! comment, wherever it stands; the statements of a pair end with their block, at the next comment of the same block,
//! and, where the comment stands right above them, with the paragraph (see `statements`).
//!
//! What is deliberately absent: whether a comment is worth asking (`queries`), and functions with their roxygen comments.

mod comment;
mod document;
mod published;
mod statements;

use barecode_records::Reason;
use serde::{Deserialize, Serialize};

pub use document::{Chunk, Document, DocumentError};
pub use published::published;
pub use statements::statements;

/// By which rules comments and code are taken together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Profile {
    /// Statements, by their tree.
    #[serde(rename = "statements")]
    Statements,
    /// Lines, by the published rules.
    #[serde(rename = "statcodesearch")]
    StatCodeSearch,
}

/// Lines of a file: the first and the last, from 1.
pub type Lines = (u32, u32);

/// A comment and the code that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    /// The comment without its marks.
    pub comment: String,
    /// The code.
    pub code: String,
    /// Where the comment stands.
    pub comment_lines: Lines,
    /// Where the code stands.
    pub code_lines: Lines,
}

/// A comment without a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Why.
    pub reason: Reason,
    /// The beginning of the comment, or what decided.
    pub detail: String,
    /// Where it stands.
    pub lines: Lines,
}

/// What became of the comments of a file: each is in one of the lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pairs {
    /// Pairs, in the order of their code.
    pub pairs: Vec<Pair>,
    /// Comments without a pair.
    pub left: Vec<Left>,
}

impl Pairs {
    fn leave(&mut self, reason: Reason, text: &str, lines: Lines) {
        self.left.push(Left {
            reason,
            detail: beginning(text),
            lines,
        });
    }
}

/// Enough of a text to know it again.
fn beginning(text: &str) -> String {
    const ENOUGH: usize = 120;
    text.trim().chars().take(ENOUGH).collect()
}
