//! The prompt of a chat model for a pair of a text and a code (`GenCodeSearchNet`, appendix A.3.2).

use serde::Serialize;

/// The name of the first text of a pair in the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Wording {
    /// A code comment: `StatCodeSearch`, `CodeSearchNet` and `AdvTest`.
    #[default]
    Comment,
    /// A search query: `CoSQA`.
    Query,
}

/// The parts of the prompt about the pairs of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchingParts {
    /// The programming language, as the prompt names it.
    pub language: String,
    /// The name of the texts.
    pub wording: Wording,
}

impl MatchingParts {
    /// The paper's prompt of appendix A.3.2, word for word, with the language and the pair filled in.
    ///
    /// ```
    /// use barecode_evaluate::{MatchingParts, Wording};
    /// let parts = MatchingParts { language: "R".to_owned(), wording: Wording::Comment };
    /// assert!(parts.prompt("mean of x", "mean(x)").starts_with("Given a code comment and a R programming language code snippet,"));
    /// assert!(parts.prompt("mean of x", "mean(x)").ends_with(r#""comment" "[CODESPLIT]" "code". mean of x [CODESPLIT] mean(x)"#));
    /// ```
    pub fn prompt(&self, text: &str, code: &str) -> String {
        let (asked, what) = match self.wording {
            Wording::Comment => ("code comment", "comment"),
            Wording::Query => ("search query", "query"),
        };
        let language = &self.language;
        format!(
            "Given a {asked} and a {language} programming language code snippet, determine if the {what} accurately \
             represents the code's function. Respond with 'True' if the code matches the {what} and 'False' if it does \
             not. The input format is defined as \"{what}\" \"[CODESPLIT]\" \"code\". {text} [CODESPLIT] {code}"
        )
    }
}
