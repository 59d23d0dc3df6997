//! The answer of a rater to an item, and its form fields.

use std::collections::BTreeMap;

use barecode_queries::{Better, Verdict};
use serde::{Deserialize, Serialize};

use crate::study::Kind;

/// The fields of a form by name, as a page or an offline file sends them.
pub type Fields = BTreeMap<String, String>;

/// Longer texts are refused.
const MOST_LETTERS: usize = 20_000;

/// An answer to an item.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", deny_unknown_fields)]
pub enum Answer {
    /// Of two texts.
    Compare {
        /// Of the candidate's.
        candidate: Verdict,
        /// Of the reference's.
        reference: Verdict,
        /// The better one; `None` unless both are correct.
        better: Option<Better>,
        /// The note of the rater.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        note: String,
    },
    /// A statement that the rater cannot judge the two texts: it is not a rating.
    Unjudged {
        /// Why.
        note: String,
    },
    /// A text that was written; `None` if the function cannot be described.
    Write {
        /// The text.
        text: Option<String>,
    },
    /// The decision about a record.
    Review {
        /// Kept, dropped or edited.
        decision: Decision,
        /// The new text of an edited record.
        text: Option<String>,
        /// Why.
        note: String,
    },
}

/// The decision about a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// It stays as it is.
    Keep,
    /// It is left out.
    Drop,
    /// Its text is replaced.
    Edit,
}

impl Decision {
    /// `keep`, as in files.
    pub fn name(self) -> &'static str {
        match self {
            Decision::Keep => "keep",
            Decision::Drop => "drop",
            Decision::Edit => "edit",
        }
    }
}

impl Answer {
    /// Reads the fields of a form. `first_is_left` is the order of the texts, `text` is the reviewed text.
    pub(crate) fn of_fields(
        kind: Kind,
        fields: &Fields,
        first_is_left: bool,
        text: &str,
    ) -> Result<Self, String> {
        let field = |name: &str| fields.get(name).map_or("", |value| value.trim());
        if fields
            .values()
            .any(|value| value.chars().count() > MOST_LETTERS)
        {
            return Err(format!("The text is longer than {MOST_LETTERS} letters."));
        }
        match kind {
            Kind::Compare if !field("unjudged").is_empty() => match (field("left"), field("right"))
            {
                ("", "") => Ok(Answer::Unjudged {
                    note: one_line(field("note")),
                }),
                _ => Err(
                    "The form has both a verdict and “I cannot judge this”: remove one of them."
                        .to_owned(),
                ),
            },
            Kind::Compare => {
                let verdict = |side: &str, name: &str| match field(side) {
                    "correct" => Ok(Verdict::Correct),
                    "wrong" => Ok(Verdict::Wrong),
                    "" => Err(format!("Choose whether text {name} is correct or wrong.")),
                    other => Err(format!(
                        "`{other}` of text {name} is neither `correct` nor `wrong`."
                    )),
                };
                let (left, right) = (verdict("left", "A")?, verdict("right", "B")?);
                let (candidate, reference) = if first_is_left {
                    (left, right)
                } else {
                    (right, left)
                };
                let compared = (left, right) == (Verdict::Correct, Verdict::Correct);
                let better = match (compared, field("better")) {
                    // The form does not have the question then.
                    (false, _) => None,
                    (true, "equal") => Some(Better::Equal),
                    (true, "left") => Some(if first_is_left {
                        Better::Candidate
                    } else {
                        Better::Reference
                    }),
                    (true, "right") => Some(if first_is_left {
                        Better::Reference
                    } else {
                        Better::Candidate
                    }),
                    (true, "") => {
                        return Err(
                            "Both are correct: choose the better one, or that they are equal."
                                .to_owned(),
                        );
                    }
                    (true, other) => {
                        return Err(format!("`{other}` is neither `left`, `right` nor `equal`."));
                    }
                };
                Ok(Answer::Compare {
                    candidate,
                    reference,
                    better,
                    note: one_line(field("note")),
                })
            }
            Kind::Write => match (field("text"), field("skip")) {
                ("", "") => {
                    Err("Write a text, or choose that the function cannot be described.".to_owned())
                }
                ("", _) => Ok(Answer::Write { text: None }),
                (text, "") => Ok(Answer::Write {
                    text: Some(one_line(text)),
                }),
                _ => Err(
                    "The form has both a text and “cannot be described”: remove one of them."
                        .to_owned(),
                ),
            },
            Kind::Review => {
                let (new, note) = (field("text"), one_line(field("note")));
                // A browser sends lines that end in a carriage return and a line feed.
                let new = new.replace("\r\n", "\n");
                let changed = new != text.trim() && fields.contains_key("text");
                let (decision, text) = match (field("decision"), changed) {
                    ("keep", false) => (Decision::Keep, None),
                    ("drop", _) => (Decision::Drop, None),
                    ("edit", true) if new.is_empty() => {
                        return Err(
                            "An edited text cannot be empty: drop the record instead.".to_owned()
                        );
                    }
                    ("edit", true) => (Decision::Edit, Some(new)),
                    ("edit", false) => {
                        return Err(
                            "The text is the same as before: change it, or keep the record."
                                .to_owned(),
                        );
                    }
                    ("keep", true) => return Err(
                        "The text was changed, so the record is edited and not kept: choose one."
                            .to_owned(),
                    ),
                    ("", _) => {
                        return Err("Choose whether to keep, drop or edit the record.".to_owned());
                    }
                    (other, _) => {
                        return Err(format!("`{other}` is neither `keep`, `drop` nor `edit`."));
                    }
                };
                Ok(Answer::Review {
                    decision,
                    text,
                    note,
                })
            }
        }
    }

    /// The fields of the form with this answer.
    pub(crate) fn fields(&self, first_is_left: bool) -> Fields {
        let mut fields = Fields::new();
        let mut set = |name: &str, value: &str| fields.insert(name.to_owned(), value.to_owned());
        match self {
            Answer::Compare {
                candidate,
                reference,
                better,
                note,
            } => {
                if !note.is_empty() {
                    set("note", note);
                }
                let (left, right) = if first_is_left {
                    (candidate, reference)
                } else {
                    (reference, candidate)
                };
                set("left", left.name());
                set("right", right.name());
                match better {
                    Some(Better::Equal) => set("better", "equal"),
                    Some(better) if (*better == Better::Candidate) == first_is_left => {
                        set("better", "left")
                    }
                    Some(_) => set("better", "right"),
                    None => None,
                };
            }
            Answer::Unjudged { note } => {
                set("unjudged", "yes");
                set("note", note);
            }
            Answer::Write { text: Some(text) } => {
                set("text", text);
            }
            Answer::Write { text: None } => {
                set("skip", "yes");
            }
            Answer::Review {
                decision,
                text,
                note,
            } => {
                set("decision", decision.name());
                text.as_ref().map(|text| set("text", text));
                set("note", note);
            }
        }
        fields
    }

    /// The answer in words, by sides.
    pub(crate) fn words(&self, first_is_left: bool) -> String {
        let fields = self.fields(first_is_left);
        let field = |name: &str| fields.get(name).map_or("", String::as_str);
        match self {
            Answer::Compare { .. } => {
                let better = match field("better") {
                    "left" => "; A is better",
                    "right" => "; B is better",
                    "equal" => "; they are equal",
                    _ => "",
                };
                format!("A is {}, B is {}{better}", field("left"), field("right"))
            }
            Answer::Unjudged { .. } => "I cannot judge this".to_owned(),
            Answer::Write { text: Some(text) } => format!("“{text}”"),
            Answer::Write { text: None } => "it cannot be described".to_owned(),
            Answer::Review { decision, text, .. } => match text {
                Some(text) => format!("edit: “{text}”"),
                None => decision.name().to_owned(),
            },
        }
    }
}

/// A query is one line: whatever is between words becomes one blank.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(pairs: &[(&str, &str)]) -> Fields {
        pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect()
    }

    #[test]
    fn sides_become_sources_and_back() {
        for first_is_left in [true, false] {
            for better in ["left", "right", "equal"] {
                let form = fields(&[
                    ("left", "correct"),
                    ("right", "correct"),
                    ("better", better),
                ]);
                let answer = Answer::of_fields(Kind::Compare, &form, first_is_left, "").unwrap();
                assert_eq!(answer.fields(first_is_left), form);
                let Answer::Compare { better: given, .. } = answer else {
                    panic!()
                };
                assert_eq!(
                    given == Some(Better::Candidate),
                    better == if first_is_left { "left" } else { "right" }
                );
            }
            let form = fields(&[("left", "correct"), ("right", "wrong")]);
            let answer = Answer::of_fields(Kind::Compare, &form, first_is_left, "").unwrap();
            assert_eq!(answer.fields(first_is_left), form);
            let Answer::Compare { candidate, .. } = answer else {
                panic!()
            };
            assert_eq!(candidate == Verdict::Correct, first_is_left);
        }
    }

    #[test]
    fn what_cannot_be_judged_has_a_reason_and_is_given_back() {
        for form in [
            fields(&[("unjudged", "yes"), ("note", "no idea of CRC")]),
            fields(&[
                ("left", "wrong"),
                ("right", "wrong"),
                ("note", "both name another file"),
            ]),
        ] {
            let answer = Answer::of_fields(Kind::Compare, &form, true, "").unwrap();
            assert_eq!(answer.fields(true), form);
            let text = serde_json::to_string(&answer).unwrap();
            assert_eq!(serde_json::from_str::<Answer>(&text).unwrap(), answer);
        }
        // An answer of an earlier version has no note.
        let old = r#"{"compare":{"candidate":"wrong","reference":"wrong","better":null}}"#;
        let answer: Answer = serde_json::from_str(old).unwrap();
        assert_eq!(serde_json::to_string(&answer).unwrap(), old);
    }

    #[test]
    fn a_form_that_is_not_filled_in_is_sent_back() {
        let wrong = |kind, form: &[(&str, &str)]| {
            Answer::of_fields(kind, &fields(form), true, "old").unwrap_err()
        };
        assert!(wrong(Kind::Compare, &[("left", "correct")]).contains("text B"));
        assert!(wrong(Kind::Compare, &[("left", "great"), ("right", "wrong")]).contains("`great`"));
        assert!(
            wrong(Kind::Compare, &[("left", "correct"), ("right", "correct")])
                .contains("choose the better one")
        );
        assert!(
            wrong(Kind::Compare, &[("left", "wrong"), ("unjudged", "yes")]).contains("remove one")
        );
        assert!(wrong(Kind::Write, &[("text", " \n ")]).contains("Write a text"));
        assert!(wrong(Kind::Write, &[("text", "a"), ("skip", "yes")]).contains("remove one"));
        assert!(wrong(Kind::Write, &[("text", &"a".repeat(20_001))]).contains("longer"));
        assert!(
            wrong(Kind::Review, &[("decision", "keep"), ("text", "new")])
                .contains("edited and not kept")
        );
        assert!(
            wrong(Kind::Review, &[("decision", "edit"), ("text", "old")])
                .contains("same as before")
        );
        assert!(wrong(Kind::Review, &[("decision", "edit"), ("text", "")]).contains("drop"));
        assert!(wrong(Kind::Review, &[]).contains("keep, drop or edit"));
    }
}
