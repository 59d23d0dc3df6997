//! R scripts → comments with the code below them (`GenCodeSearchNet`, section 3.2).
//!
//! Enters: a script, an R Markdown or Quarto document, or a notebook. Leaves: [`Pairs`], every comment either with the
//! statements that it is about or with the reason why it has none. Two profiles:
//!
//! | profile | module | pairs |
//! | --- | --- | --- |
//! | [`Profile::Statements`] | `statements` | the statements below a comment, by tree-sitter's tree, with their layout |
//! | [`Profile::StatCodeSearch`] | `published` | the lines below a comment, by the rules of the released notebook |
//!
//! The one hard thing is the end of a comment's code: R has no mark for it. The published rules go on to the next
//! comment at any depth. The statements of a pair end with their block, at the next comment of the same block, and,
//! if the comment is right above them, with the paragraph (see `statements`).
//!
//! Deliberately absent: the check that a comment makes a good query (`queries`), and functions with their roxygen
//! comments.

mod comment;
mod document;
mod published;
mod statements;

use barecode_records::Reason;
use serde::{Deserialize, Serialize};

pub use document::{Chunk, Document, DocumentError};
pub use published::published;
pub use statements::statements;

/// The rules by which comments and code are paired.
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
    /// The lines of the comment.
    pub comment_lines: Lines,
    /// The lines of the code.
    pub code_lines: Lines,
}

/// A comment without a pair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// Why.
    pub reason: Reason,
    /// The beginning of the comment, or the deciding text.
    pub detail: String,
    /// Its lines.
    pub lines: Lines,
}

/// The result for the comments of a file: each is in one of the lists.
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
