//! A rater's items in one file that needs neither a server nor a network, and saves the answers to another file.

use maud::{DOCTYPE, html};

use super::{Shown, css, introduction, item, raw};
use crate::answer::Fields;
use crate::error::StudyError;
use crate::study::Study;

const SCRIPT: &str = include_str!("offline.js");

/// The page of all items of a rater. Answers that the study has already are filled in.
///
/// # Errors
/// If the rater does not exist, or the study cannot be read.
pub fn offline(study: &Study, name: &str) -> Result<String, StudyError> {
    let rater = study.rater_named(name)?;
    let mut items = Vec::new();
    for position in 1..=rater.items {
        let Some(task) = study.task(rater.number, position)? else {
            continue;
        };
        let fields = task.current.as_ref().map_or_else(Fields::new, |current| {
            current.answer.fields(task.first_is_left)
        });
        let shown = item(Shown {
            kind: study.kind,
            question: &study.question,
            item: &task.item,
            first_is_left: task.first_is_left,
            position,
            items: rater.items,
            answered: 0,
            seen: 0,
            fields: &fields,
            alert: None,
            saved: None,
        });
        items.push((position, task.current.is_some(), shown));
    }
    let policy = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";
    let page = html! {
        (DOCTYPE)
        html lang="en" data-study=(study.id) data-rater=(rater.name) data-kind=(study.kind.name()) {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy);
                title { "Study – barecode" }
                style { (raw(&css())) }
            }
            body {
                header.top {
                    a href="#" { "All items" }
                    form #save { span { (rater.name) } button.quiet type="submit" { "Save answers to a file" } }
                }
                main #main tabindex="-1" {
                    noscript { p.notice.alert { "This page needs JavaScript. Where that is not possible, ask whoever runs the study for the server." } }
                }
                template #introduction { (introduction(&study.introduction)) }
                @for (position, is_answered, shown) in &items {
                    template data-position=(position) data-answered=(is_answered) { (shown) }
                }
                script { (raw(super::KEYS)) (raw(SCRIPT)) }
            }
        }
    };
    Ok(page.into_string())
}
