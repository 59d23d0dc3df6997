//! Other languages than C and C++ to a rendering, from the trees of their grammars.
//!
//! The kinds of nodes of a language are a table ([`table`]); by it, a tree becomes the functions, statements and
//! expressions that the reader of C makes too ([`convert`]), so all of its rules apply.

mod convert;
mod table;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use barecode_records::Language;
use tree_sitter::{ParseOptions, ParseState, Parser};

use super::walk;
use crate::rendering::Rendering;
use table::Kinds;

/// A language, with the files of its table of kinds and of its library.
macro_rules! table {
    ($language:literal) => {
        table!($language, $language)
    };
    ($language:literal, $file:literal) => {
        (
            $language,
            include_str!(concat!("../../data/trees/", $file, ".txt")),
            include_str!(concat!("../../data/library/", $file, ".txt")),
        )
    };
}

/// The languages that have a table, with its text and the standard library in words.
const TABLES: [(&str, &str, &str); 10] = [
    table!("csharp"),
    table!("go"),
    table!("java"),
    table!("javascript"),
    table!("php"),
    table!("python"),
    table!("r"),
    table!("ruby"),
    table!("rust"),
    table!("typescript", "javascript"),
];

/// The steps of the parser for any text, in units of its own count.
const STEPS: usize = 20;
/// The bytes of a text that allow one more; whole code takes a step for 59 bytes or more.
const BYTES_OF_A_STEP: usize = 30;
/// The most steps: the time and memory that broken code takes grow faster than the steps. Whole code of 24,000 bytes
/// is read with these.
const MOST_STEPS: usize = 400;

/// A language that is read by a table.
struct Reader {
    /// The text that must come first for a text to be read as code.
    prefix: &'static str,
    /// A grammar with the roles of its kinds; of several, the first that reads a text without an error.
    dialects: Vec<(tree_sitter::Language, Kinds)>,
}

static READERS: LazyLock<BTreeMap<&'static str, Reader>> = LazyLock::new(|| {
    let tables = TABLES.iter();
    let readers = tables.filter_map(|(name, text, library)| {
        let entry = barecode_languages::find(name)?;
        let tree = entry.tree();
        let own = entry.grammar.into_iter();
        let of_tree = tree.into_iter().flat_map(|tree| tree.dialects);
        let grammars = own.chain(of_tree.map(|dialect| dialect.grammar));
        let dialects = grammars.map(|grammar| {
            let grammar = tree_sitter::Language::from(grammar);
            let kinds = Kinds::read(&grammar, text, library);
            (grammar, kinds)
        });
        let reader = Reader {
            prefix: tree.map_or("", |tree| tree.prefix),
            dialects: dialects.collect(),
        };
        Some((*name, reader))
    });
    readers.collect()
});

/// True if a language is read by a table.
pub(crate) fn has_table(language: Language) -> bool {
    TABLES.iter().any(|(name, ..)| *name == language.name())
}

thread_local! {
    /// A parser holds on to its memory between texts.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Renders a text of a language with a table: one function, or several of which the last with a body is meant. `None`
/// for other languages.
pub(crate) fn render_tree(text: &str, language: Language) -> Option<Rendering> {
    let reader = READERS.get(language.name())?;
    PARSER.with_borrow_mut(|parser| read(text, reader, parser))
}

fn read(text: &str, reader: &Reader, parser: &mut Parser) -> Option<Rendering> {
    let prefix = reader.prefix;
    let mut first = None;
    for (grammar, kinds) in &reader.dialects {
        parser.set_language(grammar).ok()?;
        // A method is code only inside of a class.
        let inside = kinds
            .around
            .map(|(before, after)| format!("{prefix}{before}{text}\n{after}"));
        for whole in std::iter::once(format!("{prefix}{text}")).chain(inside) {
            let Some(tree) = parsed(parser, &whole) else {
                continue;
            };
            if !tree.root_node().has_error() {
                return Some(rendered(&tree, &whole, kinds));
            }
            first.get_or_insert((tree, whole, kinds));
        }
    }
    let (tree, whole, kinds) = first?;
    Some(rendered(&tree, &whole, kinds))
}

/// The tree of a text; `None` for a text that takes too many steps, as broken code can: so time and memory are limited,
/// and the same text has the same tree everywhere.
fn parsed(parser: &mut Parser, text: &str) -> Option<tree_sitter::Tree> {
    parser.reset();
    let bytes = text.as_bytes();
    let mut steps = (STEPS + text.len() / BYTES_OF_A_STEP).min(MOST_STEPS);
    let mut count = |_: &ParseState| {
        steps = steps.saturating_sub(1);
        if steps == 0 {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

fn rendered(tree: &tree_sitter::Tree, whole: &str, kinds: &Kinds) -> Rendering {
    walk::walk_with(
        &convert::functions(tree, whole, kinds),
        false,
        Some(&kinds.words),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kind or field that no dialect of a language has is misspelled.
    #[test]
    fn tables_name_only_what_their_grammars_have() {
        for (name, reader) in READERS.iter() {
            let mut dialects = reader.dialects.iter().map(|(_, kinds)| kinds.unknown());
            let first = dialects.next().unwrap();
            // JavaScript's table is TypeScript's too, so only what both lack is wrong.
            let others: Vec<_> = dialects.chain(of_javascript(name)).collect();
            let wrong = first
                .iter()
                .filter(|line| others.iter().all(|other| other.contains(line)));
            assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&String>::new(), "{name}");
        }
    }

    fn of_javascript(name: &str) -> Option<&'static [String]> {
        let other = match name {
            "javascript" => "typescript",
            "typescript" => "javascript",
            _ => return None,
        };
        let (_, kinds) = READERS[other].dialects.first()?;
        Some(kinds.unknown())
    }
}
