//! Functions in one text, an empty line between them.

use barecode_records::Span;

/// Adds a text behind others, after an empty line; returns its span.
pub(crate) fn append(whole: &mut String, text: &str) -> Span {
    if !whole.is_empty() {
        whole.push_str("\n\n");
    }
    let start = whole.len();
    whole.push_str(text);
    Span::from(start..whole.len())
}
