//! An item: the code, the texts about it, and the form for the answer.

use maud::{Markup, html};

use super::{code, notice};
use crate::answer::Fields;
use crate::study::{Item, Kind};

/// The number of lines of a function's context that are shown at once.
const SHORT: usize = 60;

/// The content of an item's page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown<'a> {
    pub(crate) kind: Kind,
    pub(crate) question: &'a str,
    pub(crate) item: &'a Item,
    pub(crate) first_is_left: bool,
    pub(crate) position: u32,
    pub(crate) items: u32,
    pub(crate) answered: u32,
    /// The number of the answer that the form shows, 0 without one.
    pub(crate) seen: i64,
    /// The fields that are filled in.
    pub(crate) fields: &'a Fields,
    /// The message of a failure.
    pub(crate) alert: Option<&'a str>,
    /// The message of a success.
    pub(crate) saved: Option<&'a str>,
}

/// The page of an item.
pub(crate) fn item(shown: Shown<'_>) -> Markup {
    let Shown {
        item,
        position,
        items,
        answered,
        ..
    } = shown;
    html! {
        h1 { "Item " (position) " of " (items) }
        @if let Some(alert) = shown.alert { (notice("alert", "alert", alert)) }
        @if let Some(saved) = shown.saved { (notice("saved", "status", saved)) }
        p.soft { (answered) " of " (items) " answered" @if shown.seen > 0 { "; this one is, and can be changed" } }
        progress max=(items) value=(answered) aria-label="Items answered" {}
        div.work {
            section.code aria-labelledby="code" {
                h2 #code { @if shown.kind == Kind::Review { "Record" } @else { "Function" } }
                @if !item.code.is_empty() { (code("Code", &item.code, &item.language)) }
                @if !item.context.is_empty() {
                    details open[item.context.lines().count() <= SHORT] {
                        summary { "Its project code (lines: " (item.context.lines().count()) ")" }
                        (code("What it needs", &item.context, &item.language))
                    }
                }
                @if shown.kind == Kind::Review { p.soft { "Record " code { (item.id) } @if !item.group.is_empty() { ", " (item.group) } } }
            }
            form.answer method="post" action={ "/item/" (position) } {
                input type="hidden" name="seen" value=(shown.seen);
                p { (shown.question) }
                @match shown.kind {
                    Kind::Compare => (compare(shown)),
                    Kind::Write => (write(shown)),
                    Kind::Review => (review(shown)),
                }
                button.main type="submit" { "Save and go on" }
            }
        }
        nav.steps aria-label="Items" {
            @if position > 1 { a data-key="p" href={ "/item/" (position - 1) } { "Previous " kbd { "p" } } }
            @if position < items { a data-key="n" href={ "/item/" (position + 1) } { "Next " kbd { "n" } } }
            a data-key="o" href={ "/next?after=" (position) } { "Next without answer " kbd { "o" } }
        }
        p.soft.keys hidden { label { input #keys type="checkbox"; " Use the keys that are shown" } }
    }
}

fn compare(shown: Shown<'_>) -> Markup {
    let [first, second] = &shown.item.texts;
    let (left, right) = if shown.first_is_left {
        (first, second)
    } else {
        (second, first)
    };
    let sides = [
        ("left", "A", left, ["1", "2"]),
        ("right", "B", right, ["3", "4"]),
    ];
    html! {
        @for (side, name, text, keys) in sides {
            section.text aria-label={ "Text " (name) } {
                h2 { "Text " (name) }
                blockquote { (text) }
                fieldset {
                    legend { "Is text " (name) " factually correct?" }
                    (radio(shown.fields, side, "correct", "Correct", keys[0]))
                    (radio(shown.fields, side, "wrong", "Wrong", keys[1]))
                }
            }
        }
        fieldset.better {
            legend { "If both are correct: which is better?" }
            (radio(shown.fields, "better", "left", "A is better", "a"))
            (radio(shown.fields, "better", "equal", "Equally good", "e"))
            (radio(shown.fields, "better", "right", "B is better", "b"))
        }
        div.unsure {
            label.choice { input type="checkbox" name="unjudged" value="yes" data-key="u" checked[!value(shown.fields, "unjudged").is_empty()]; "I cannot judge this " kbd { "u" } }
            (note(shown, "Note"))
        }
    }
}

fn write(shown: Shown<'_>) -> Markup {
    html! {
        p.field {
            label for="text" { "Your description" }
            textarea #text name="text" rows="5" maxlength="20000" { (value(shown.fields, "text")) }
        }
        p { label { input type="checkbox" name="skip" value="yes" checked[!value(shown.fields, "skip").is_empty()]; " It cannot be described" } }
    }
}

fn review(shown: Shown<'_>) -> Markup {
    let text = shown.fields.get("text").unwrap_or(&shown.item.texts[0]);
    html! {
        p.field {
            label for="text" { "Text" }
            textarea #text name="text" rows="5" maxlength="20000" { (text) }
        }
        fieldset {
            legend { "Decision on the record" }
            (radio(shown.fields, "decision", "keep", "Keep it", "k"))
            (radio(shown.fields, "decision", "edit", "Keep it with the text above, edited", "e"))
            (radio(shown.fields, "decision", "drop", "Drop it", "d"))
        }
        (note(shown, "Note (why; may be empty)"))
    }
}

fn note(shown: Shown<'_>, label: &str) -> Markup {
    html! {
        p.field {
            label for="note" { (label) }
            input #note type="text" name="note" maxlength="500" autocomplete="off" value=(value(shown.fields, "note"));
        }
    }
}

fn value<'f>(fields: &'f Fields, name: &str) -> &'f str {
    fields.get(name).map_or("", String::as_str)
}

fn radio(fields: &Fields, name: &str, choice: &str, label: &str, key: &str) -> Markup {
    html! {
        label.choice {
            input type="radio" name=(name) value=(choice) data-key=(key) checked[value(fields, name) == choice];
            span { (label) } kbd aria-hidden="true" { (key) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn but_for_the_texts_a_page_is_the_same_whichever_is_left() {
        let item_shown = Item {
            id: "u-0123".to_owned(),
            group: "group1".to_owned(),
            code: "int f(void);".to_owned(),
            texts: [
                "the candidate's text".to_owned(),
                "a text of the reference".to_owned(),
            ],
            ..Item::default()
        };
        let fields = Fields::from([("left".to_owned(), "correct".to_owned())]);
        let page = |first_is_left: bool| {
            item(Shown {
                kind: Kind::Compare,
                question: Kind::Compare.question(),
                item: &item_shown,
                first_is_left,
                position: 3,
                items: 9,
                answered: 1,
                seen: 4,
                fields: &fields,
                alert: None,
                saved: None,
            })
            .into_string()
        };
        let (one, other) = (page(true), page(false));
        assert_ne!(one, other);
        assert_eq!(one.len(), other.len());
        let bare = |page: &str| {
            page.replace("the candidate's text", "")
                .replace("a text of the reference", "")
        };
        assert_eq!(bare(&one), bare(&other));
        assert!(!one.contains("u-0123"), "no id");
    }
}
