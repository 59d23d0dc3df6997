//! A comment → the class that a model puts it in (`GenCodeSearchNet`, section 3.2 and appendix A.3.1).
//!
//! Enters: a template with a slot `{Input}` and the classes in brackets, a comment, and the answer of a model.
//! Leaves: a prompt, and a class. The template `statcodesearch` has the paper's words.
//!
//! An answer is read strictly: it is the name of a class, perhaps in brackets or quotation marks, behind `Class:`, or
//! before a full stop. Anything else, such as a sentence with two names in it, is not guessed at.

use std::path::Path;

use barecode_records::{Digest, Reason, guarded};

use crate::written::{Came, beginning};

/// The template with the paper's words.
pub const CLASS_PROMPT: &str = "statcodesearch";

const PAPERS: &str = include_str!("../prompts/statcodesearch/classify.txt");
const SLOT: &str = "{Input}";
/// The paper's name for a comment that is in no class.
const NONE: &str = "No Relevant Class";

/// The classes of comments, and the prompt for a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Classes {
    template: String,
    names: Vec<String>,
}

impl Classes {
    /// The paper's, or those of a file of the user.
    ///
    /// # Errors
    /// For a file that cannot be read, has no slot for the comment, or has no class in brackets.
    pub fn of(prompt: &str, base: &Path) -> Result<Self, String> {
        let template = if prompt == CLASS_PROMPT {
            PAPERS.to_owned()
        } else {
            guarded::text(base.join(prompt)).map_err(|error| {
                format!("the prompt `{prompt}` is neither `{CLASS_PROMPT}` nor a file: {error}")
            })?
        };
        if !template.contains(SLOT) {
            return Err(format!("the prompt `{prompt}` has no `{SLOT}`"));
        }
        let names = template.split('[').skip(1);
        let names = names.filter_map(|rest| Some(rest.split_once(']')?.0.trim().to_owned()));
        let names: Vec<String> = names.filter(|name| !name.is_empty()).collect();
        if names.is_empty() {
            return Err(format!(
                "the prompt `{prompt}` names no class in brackets: `[Data Variable]`"
            ));
        }
        Ok(Classes { template, names })
    }

    /// The names of the classes.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Everything that answers depend on but the comment.
    pub fn digest(&self) -> String {
        Digest::new("classes").field(&self.template).hex()
    }

    /// Returns the prompt for the class of a comment.
    pub fn prompt(&self, comment: &str) -> String {
        self.template.trim_end().replacen(SLOT, comment, 1)
    }

    /// The class that an answer names.
    ///
    /// # Errors
    /// With the reason why there is no class: the model put the comment in no class, or the answer is not a class.
    pub fn read(&self, answer: &str, came: Came) -> Result<String, (Reason, String)> {
        let detail = || beginning(answer.trim());
        match came {
            Came::TooLong => return Err((Reason::PromptTooLong, detail())),
            Came::Refused => return Err((Reason::AnswerRefused, detail())),
            // The paper cuts answers at ten tokens, and a class is shorter.
            Came::Whole | Came::Cut => {}
        }
        let said = bare(answer);
        if said.is_empty() {
            return Err((Reason::AnswerEmpty, detail()));
        }
        if said.eq_ignore_ascii_case(NONE) {
            return Err((Reason::ClassNone, detail()));
        }
        let named = self
            .names
            .iter()
            .find(|name| said.eq_ignore_ascii_case(name));
        named
            .cloned()
            .ok_or_else(|| (Reason::ClassUnknown, detail()))
    }
}

/// An answer without the characters that may surround a name.
fn bare(answer: &str) -> &str {
    const LABELS: [&str; 5] = ["class", "category", "label", "classification", "answer"];
    let is_around = |c: char| c.is_whitespace() || "[]'\"`*.".contains(c);
    let said = answer.trim_matches(is_around);
    match said.split_once(':') {
        Some((label, rest))
            if LABELS
                .iter()
                .any(|known| label.trim_matches(is_around).eq_ignore_ascii_case(known)) =>
        {
            rest.trim_matches(is_around)
        }
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use barecode_testing::needs;

    use std::fs;

    use super::*;

    fn papers() -> Classes {
        Classes::of(CLASS_PROMPT, Path::new("")).unwrap()
    }

    #[test]
    fn the_papers_prompt_has_four_classes() {
        let classes = papers();
        assert_eq!(
            classes.names(),
            [
                "Statistical Test",
                "Statistical Modeling",
                "Data Variable",
                "Visualization"
            ]
        );
        let prompt = classes.prompt("plot {Input} by trial");
        assert!(
            prompt.starts_with("Task: Classify the code comment plot {Input} by trial based on")
        );
    }

    #[test]
    fn the_prompt_is_that_of_the_paper_word_for_word() {
        let Some(paper) = needs::data("../papers/gencodesearchnet.txt") else {
            return;
        };
        if !paper.exists() {
            return needs::not_here("the text of the paper is not beside BARECODE_DATA");
        }
        let dense = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let paper = dense(&fs::read_to_string(paper).unwrap());
        assert!(paper.contains(&dense(PAPERS)), "{PAPERS}");
    }

    #[test]
    fn answers_are_read_strictly() {
        let classes = papers();
        let read = |answer: &str| {
            classes
                .read(answer, Came::Whole)
                .map_err(|(reason, _)| reason)
        };
        for answer in [
            "Visualization",
            "[Visualization]",
            "'visualization'.",
            "Category: [Visualization]\n",
        ] {
            assert_eq!(read(answer).as_deref(), Ok("Visualization"), "{answer}");
        }
        for (answer, reason) in [
            ("No Relevant Class", Reason::ClassNone),
            ("'No Relevant Class'", Reason::ClassNone),
            ("Label: No Relevant Class.", Reason::ClassNone),
            ("", Reason::AnswerEmpty),
            ("[]", Reason::AnswerEmpty),
            ("Statistical Tests", Reason::ClassUnknown),
            (
                "[Statistical Test] or [Data Variable]",
                Reason::ClassUnknown,
            ),
            ("The comment is about Visualization", Reason::ClassUnknown),
            ("Topic: Visualization", Reason::ClassUnknown),
        ] {
            assert_eq!(read(answer), Err(reason), "{answer}");
        }
        let cut = classes.read("Statistical Modeling", Came::Cut);
        assert_eq!(cut.as_deref(), Ok("Statistical Modeling"));
        let refused = classes.read("Visualization", Came::Refused);
        assert_eq!(
            refused.map_err(|(reason, _)| reason),
            Err(Reason::AnswerRefused)
        );
    }

    #[test]
    fn a_prompt_of_ones_own_needs_a_slot_and_classes() {
        let folder = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            fs::write(folder.path().join("own.txt"), text).unwrap();
            Classes::of("own.txt", folder.path())
        };
        assert_eq!(of("{Input}: [a] or [b]?").unwrap().names(), ["a", "b"]);
        assert!(of("[a] or [b]").unwrap_err().contains("no `{Input}`"));
        assert!(of("{Input}").unwrap_err().contains("names no class"));
        assert!(
            Classes::of("none.txt", folder.path())
                .unwrap_err()
                .contains("nor a file")
        );
    }
}
