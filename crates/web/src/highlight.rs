//! C and C++ in colors, for pages and terminals.

use std::sync::LazyLock;

use tree_sitter_highlight::{HighlightConfiguration, HighlightEvent, Highlighter};

/// The kinds of tokens with a color of their own, by their names in the grammars.
const NAMES: [&str; 9] = [
    "keyword", "type", "string", "number", "constant", "comment", "function", "label", "property",
];

static C: LazyLock<Option<HighlightConfiguration>> = LazyLock::new(|| {
    let rules = tree_sitter_c::HIGHLIGHT_QUERY;
    configured(HighlightConfiguration::new(
        tree_sitter_c::LANGUAGE.into(),
        "c",
        rules,
        "",
        "",
    ))
});

static CPP: LazyLock<Option<HighlightConfiguration>> = LazyLock::new(|| {
    // The grammar of C++ has its additions to the rules of C.
    let rules = format!(
        "{}\n{}",
        tree_sitter_c::HIGHLIGHT_QUERY,
        tree_sitter_cpp::HIGHLIGHT_QUERY
    );
    configured(HighlightConfiguration::new(
        tree_sitter_cpp::LANGUAGE.into(),
        "cpp",
        &rules,
        "",
        "",
    ))
});

fn configured<E>(made: Result<HighlightConfiguration, E>) -> Option<HighlightConfiguration> {
    let mut configuration = made.ok()?;
    configuration.configure(&NAMES);
    Some(configuration)
}

/// The text in pieces, each with its innermost kind; one piece if it is neither C nor C++.
///
/// ```
/// let pieces = barecode_web::highlight("int f(void) { return 1; }", "c");
/// assert!(pieces.contains(&(Some("keyword"), "return")));
/// assert_eq!(pieces.iter().map(|(_, text)| *text).collect::<String>(), "int f(void) { return 1; }");
/// ```
pub fn highlight<'t>(code: &'t str, language: &str) -> Vec<(Option<&'static str>, &'t str)> {
    pieces(code, language).unwrap_or_else(|| vec![(None, code)])
}

fn pieces<'t>(code: &'t str, language: &str) -> Option<Vec<(Option<&'static str>, &'t str)>> {
    let configuration = match language {
        "c" => C.as_ref()?,
        "cpp" | "c++" => CPP.as_ref()?,
        _ => return None,
    };
    let mut highlighter = Highlighter::new();
    let events = highlighter
        .highlight(configuration, code.as_bytes(), None, None, |_| None)
        .ok()?;
    let (mut pieces, mut open) = (Vec::new(), Vec::new());
    for event in events {
        match event.ok()? {
            HighlightEvent::HighlightStart(highlight) => open.push(NAMES[highlight.0]),
            HighlightEvent::HighlightEnd => drop(open.pop()),
            HighlightEvent::Source { start, end } => {
                pieces.push((open.last().copied(), code.get(start..end)?));
            }
        }
    }
    Some(pieces)
}
