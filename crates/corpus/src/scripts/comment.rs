//! A line of a comment → its words, and whether they are R code that the author switched off.

use barecode_records::Language;
use tree_sitter::{Node, Tree};

use crate::syntax;

/// R, by its name in the table of languages.
pub(super) const R: Language = Language::of_name("r");

/// The purpose of a line of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mark {
    /// A comment for readers.
    Plain,
    /// The documentation of a function (`#'`).
    Roxygen,
    /// A tool: options of a chunk (`#|`), of a document (`#+`), the first line of a program (`#!`).
    Tool,
}

impl Mark {
    /// The mark of a line, by the text behind the first `#`.
    pub(super) fn of(line: &str) -> Mark {
        let rest = line.trim_start_matches('#');
        let one = line.len() - rest.len() == 1;
        let words = rest.trim_start().to_ascii_lowercase();
        match rest.bytes().next() {
            Some(b'\'') => Mark::Roxygen,
            Some(b'|' | b'+' | b'!') if one => Mark::Tool,
            _ if ["nolint", "nocov", "styler:", "-*-", "vim:"]
                .iter()
                .any(|tool| words.starts_with(tool)) =>
            {
                Mark::Tool
            }
            _ => Mark::Plain,
        }
    }
}

/// The words of a line, without `#`, `#'`, rulers and frames; empty for a ruler.
pub(super) fn words(line: &str) -> &str {
    let is_drawn = |c: char| "#-=*~_+<>|.".contains(c) || ('\u{2500}'..='\u{259f}').contains(&c);
    let text = line.trim_start_matches('#');
    let text = text
        .strip_prefix('\'')
        .map_or(text, |text| text.trim_start().trim_start_matches('#'));
    let text = text.trim();
    if text.chars().all(|c| is_drawn(c) || c.is_whitespace()) {
        return "";
    }
    // `# --- Title ---`, `# Title ------#`, `# Title  #`: a ruler has several signs, a frame blanks before it.
    let bare = text.trim_end_matches(is_drawn);
    let n_signs = text.get(bare.len()..).unwrap_or_default().chars().count();
    let ends = |signs: &str| !signs.is_empty() && signs.chars().all(|c| c == '.');
    let text = match text.get(bare.len()..) {
        Some(dots) if ends(dots) => text,
        _ if n_signs >= 3 || bare.ends_with(char::is_whitespace) => bare.trim_end(),
        _ => text,
    };
    let bare = text.trim_start_matches(is_drawn);
    let signs = text.get(..text.len() - bare.len()).unwrap_or_default();
    if signs.chars().count() >= 2 && !bare.starts_with(char::is_numeric)
        || signs.starts_with('\u{2500}')
    {
        bare.trim_start()
    } else {
        text
    }
}

/// More than one word of letters, as the published rules have it, of any script.
pub(super) fn has_words(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
    let words = words.filter(|word| !word.is_empty() && word.chars().all(char::is_alphabetic));
    words.take(2).count() == 2
}

/// Returns `true` if lines of a comment are R: they parse, and the result is more than words.
pub(super) fn is_code(text: &str) -> bool {
    // Prose of this length is not worth a parse, and code of it is rare.
    const LONGEST: usize = 20_000;
    if text.len() > LONGEST || !may_be_code(text) {
        return false;
    }
    let parsed = syntax::parse(text, R).filter(|tree| !tree.root_node().has_error());
    parsed.is_some_and(|tree| shows_code(&tree, text))
}

/// Returns `true` if it is worth parsing: it has a sign of code, and no line has two words side by side, which R never
/// has outside of strings and comments.
fn may_be_code(text: &str) -> bool {
    const SIGNS: [&str; 9] = ["<-", "->", "(", "=", "[", "$", "{", "::", "|>"];
    const BESIDE: [&str; 9] = [
        "if", "else", "for", "in", "while", "repeat", "function", "next", "break",
    ];
    if !SIGNS.iter().any(|sign| text.contains(sign)) {
        return false;
    }
    if text.contains(['"', '\'', '`', '#']) {
        return true;
    }
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(char::is_alphabetic) && !BESIDE.contains(&word)
    };
    text.lines().all(|line| {
        let mut words = line.split(' ').map(is_word);
        let mut last = words.next().unwrap_or(false);
        words.all(|word| {
            let beside = std::mem::replace(&mut last, word) && word;
            !beside
        })
    })
}

fn shows_code(tree: &Tree, text: &str) -> bool {
    let root = tree.root_node();
    let mut cursor = root.walk();
    let mut statements = root.named_children(&mut cursor);
    statements.len() > 0
        && statements.all(|node| node.kind() == "comment" || is_statement(node, text, 0))
}

/// Returns `true` if a statement cannot be prose: `mean (sd)` is a call, `mu : x = 3` an assignment, and both are words.
fn is_statement(node: Node, text: &str, depth: usize) -> bool {
    // Deeper nesting is not prose.
    const DEEPEST: usize = 100;
    if depth > DEEPEST {
        return true;
    }
    let is_statement = |node: Node| is_statement(node, text, depth + 1);
    let is_name = |node: Node| matches!(node.kind(), "identifier" | "string" | "dots");
    let field = |name| node.child_by_field_name(name);
    match node.kind() {
        "call" | "subset" | "subset2" => field("function").is_some_and(|function| {
            let open = text.as_bytes().get(function.end_byte());
            matches!(open, Some(b'(' | b'[')) && function.kind() != "string"
        }),
        "binary_operator" => {
            let operator = field("operator").map_or("", |operator| operator.kind());
            let sides = [field("lhs"), field("rhs")];
            match operator {
                "<-" | "<<-" | ":=" | "->" | "->>" => true,
                "=" => field("lhs").is_some_and(|left| is_name(left) || is_statement(left)),
                _ => sides.into_iter().flatten().any(is_statement),
            }
        }
        "extract_operator"
        | "namespace_operator"
        | "function_definition"
        | "braced_expression"
        | "for_statement"
        | "while_statement"
        | "repeat_statement" => true,
        "if_statement" => field("condition").is_some(),
        "unary_operator" | "parenthesized_expression" => {
            let mut cursor = node.walk();
            let mut inner = node.named_children(&mut cursor);
            inner.any(is_statement)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rulers_and_frames_go_and_words_stay() {
        for (line, expected) in [
            ("# Load the data", "Load the data"),
            ("#### Load the data ####", "Load the data"),
            ("# Load the data -------------", "Load the data"),
            ("#---- 2. Fit --------#", "2. Fit"),
            ("# ======", ""),
            ("#", ""),
            ("#   in a box      #", "in a box"),
            ("# a t-test, x = 3, p < .05 ***", "a t-test, x = 3, p < .05"),
            ("# from -1 to --2", "from -1 to --2"),
            ("# is it >=2?", "is it >=2?"),
            ("# ── Title ──────", "Title"),
            ("# and so on ...", "and so on ..."),
            ("#' ## A heading", "A heading"),
        ] {
            assert_eq!(words(line), expected, "{line}");
        }
    }

    #[test]
    fn switched_off_code_is_told_from_prose() {
        for code in [
            "d <- read.csv('x')",
            "plot(x, y)",
            "x = 3",
            "summary(m)$coef",
            "df$x",
            "if (a) {\n  b()\n}",
            "d %>% filter(x > 3) %>%\n  summary()",
            "stats::sd(x) * 2",
        ] {
            assert!(is_code(code), "{code}");
        }
        for prose in [
            "load the data (all of it)",
            "mean (sd)",
            "H0: mu = 0",
            "y ~ x",
            "see plot(x) for details",
            "Figure",
            "plot",
            "then",
            "alpha (significance level)",
        ] {
            assert!(!is_code(prose), "{prose}");
        }
    }

    #[test]
    fn marks_are_read_behind_the_sign() {
        assert_eq!(Mark::of("#' @param x"), Mark::Roxygen);
        assert_eq!(Mark::of("##' text"), Mark::Roxygen);
        assert_eq!(Mark::of("#| label: fig"), Mark::Tool);
        assert_eq!(Mark::of("#!/usr/bin/env Rscript"), Mark::Tool);
        assert_eq!(Mark::of("# nolint start"), Mark::Tool);
        assert_eq!(Mark::of("## text"), Mark::Plain);
    }
}
