//! Text → tree.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, LazyLock, Mutex};

use barecode_languages::{Dialect, Tree};
use barecode_records::{Language, Quoted};
use tree_sitter::{Node, Parser, Query, QueryCursor, QueryMatch, StreamingIterator};

/// A text and its tree.
pub struct Parsed<'t> {
    /// The text.
    pub text: &'t str,
    /// The reading rules of its language.
    pub language: &'static Tree,
    pub(crate) tree: tree_sitter::Tree,
    dialect: &'static Dialect,
    queries: Arc<Queries>,
    is_deep: bool,
}

/// The maximum depth of a tree. Deeper ones are not read, because the surroundings of a node are found from the top.
const DEEPEST: usize = 2_000;

/// The purpose of a query of a language.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Of {
    Items,
    Names,
}

struct Queries {
    items: Query,
    names: Query,
}

/// The queries of dialects that were used, by the address of the dialect: they are static.
static QUERIES: LazyLock<Mutex<HashMap<usize, Arc<Queries>>>> = LazyLock::new(Mutex::default);

/// Number of states that a query may be in at once. A text of only a handful of deeply nested brackets could
/// otherwise need more memory than the machine has.
const STATES: u32 = 1 << 16;

impl<'t> Parsed<'t> {
    /// Parses a text; the tree may hold errors. `None` where the language is read in another way.
    ///
    /// # Panics
    /// If a query does not fit its grammar, which the tests of this crate would show.
    pub fn of(text: &'t str, language: Language) -> Option<Parsed<'t>> {
        Parsed::by(text, barecode_languages::of(language)?.tree()?)
    }

    /// The same, by the reading rules of a language. `None` if it has no dialect.
    ///
    /// # Panics
    /// If a query does not fit its grammar.
    pub fn by(text: &'t str, language: &'static Tree) -> Option<Parsed<'t>> {
        let mut first = None;
        for dialect in language.dialects {
            let mut parser = Parser::new();
            parser
                .set_language(&dialect.grammar.into())
                .expect("the grammar fits the library");
            let tree = parser.parse(text, None).expect("nothing stops the parser");
            let has_error = tree.root_node().has_error();
            let parsed = || Parsed {
                text,
                language,
                is_deep: is_deep(&tree),
                tree,
                dialect,
                queries: queries(dialect),
            };
            if !has_error {
                return Some(parsed());
            }
            first.get_or_insert_with(parsed);
        }
        first
    }

    /// Returns `true` if some of the text is not code of the language, or too deep to be looked at.
    pub fn has_error(&self) -> bool {
        self.is_deep || self.tree.root_node().has_error()
    }

    /// Returns `true` if some of a part of the text is not code of the language.
    pub fn has_error_in(&self, range: Range<usize>) -> bool {
        let node = self.tree.root_node();
        if !self.has_error() {
            return false;
        }
        let node = node.descendant_for_byte_range(range.start, range.end);
        self.is_deep || node.is_none_or(|node| node.has_error())
    }

    /// Why the text is not code of the language as a whole: the first line, from 1, that is not, as it begins.
    pub fn problem(&self) -> Option<String> {
        if self.is_deep {
            return Some(format!("it is nested more than {DEEPEST} deep"));
        }
        let line = self.first_error()?;
        let text = self.text.lines().nth(line - 1).unwrap_or_default();
        let start: String = text.trim().chars().take(80).collect();
        Some(format!("line {line}: {start}"))
    }

    fn first_error(&self) -> Option<usize> {
        let mut node = self.tree.root_node();
        if !node.has_error() {
            return None;
        }
        loop {
            let mut cursor = node.walk();
            let inner = node.children(&mut cursor).find(Node::has_error);
            match inner {
                Some(inner) if !node.is_error() => node = inner,
                _ => return Some(node.start_position().row + 1),
            }
        }
    }

    /// The insides of string literals, by position; for those with expressions in them, the text between these.
    pub fn quoted(&self) -> Vec<Quoted> {
        let mut ranges: Vec<Quoted> = Vec::new();
        let mut cursor = self.tree.walk();
        loop {
            let node = cursor.node();
            if let Some(range) = inside(self.text, node) {
                ranges.push(range);
            } else if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return ranges;
                }
            }
        }
    }

    /// Calls `each` for every match of a query, with the query.
    pub(crate) fn matches<'s>(&'s self, of: Of, mut each: impl FnMut(&Query, &QueryMatch<'_, 's>)) {
        if self.is_deep {
            return;
        }
        let query = match of {
            Of::Items => &self.queries.items,
            Of::Names => &self.queries.names,
        };
        let mut cursor = QueryCursor::new();
        cursor.set_match_limit(STATES);
        let mut matches = cursor.matches(query, self.tree.root_node(), self.text.as_bytes());
        while let Some(found) = matches.next() {
            each(query, found);
        }
    }

    /// The text of a node.
    pub(crate) fn of_node(&self, node: Node) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }
}

impl std::fmt::Debug for Parsed<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let dialect = self.dialect.names.len();
        f.debug_struct("Parsed")
            .field("bytes", &self.text.len())
            .field("queries", &dialect)
            .finish_non_exhaustive()
    }
}

/// The part of a string literal that a node is; `None` for other nodes.
fn inside(text: &str, node: Node<'_>) -> Option<Quoted> {
    let kind = node.kind();
    let is_part = (kind.contains("string") || kind.contains("heredoc"))
        && (kind.ends_with("content") || kind.ends_with("fragment"));
    let is_symbol = kind == "simple_symbol";
    let range = if is_part || is_symbol || matches!(kind, "nowdoc_string" | "escape_sequence") {
        node.start_byte() + usize::from(is_symbol)..node.end_byte()
    } else if kind.contains("string_literal") && node.child_count() == 0 {
        // A leaf with its quotation marks.
        let written = text.get(node.byte_range())?;
        node.start_byte() + written.find('"')? + 1..node.end_byte() - 1
    } else {
        return None;
    };
    (range.start <= range.end).then_some(Quoted {
        range,
        may_be_empty: !is_symbol,
    })
}

/// Returns `true` if a tree is deeper than [`DEEPEST`].
fn is_deep(tree: &tree_sitter::Tree) -> bool {
    let mut cursor = tree.walk();
    let mut depth = 0;
    loop {
        if cursor.goto_first_child() {
            depth += 1;
            if depth > DEEPEST {
                return true;
            }
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return false;
            }
            depth -= 1;
        }
    }
}

fn queries(dialect: &'static Dialect) -> Arc<Queries> {
    let mut known = QUERIES.lock().expect("no thread panics with the lock");
    let made = || {
        let grammar = dialect.grammar.into();
        let query = |pieces: &[&str]| {
            Query::new(&grammar, &pieces.concat()).expect("the query fits the grammar")
        };
        Arc::new(Queries {
            items: query(dialect.items),
            names: query(dialect.names),
        })
    };
    let key = std::ptr::from_ref(dialect) as usize;
    known.entry(key).or_insert_with(made).clone()
}

/// Returns `true` if two trees have the same kinds of nodes at the same positions.
pub fn same_shape(one: &Parsed<'_>, other: &Parsed<'_>) -> bool {
    let (mut one, mut other) = (one.tree.walk(), other.tree.walk());
    loop {
        let (a, b) = (one.node(), other.node());
        let same = a.kind_id() == b.kind_id()
            && a.child_count() == b.child_count()
            && a.is_missing() == b.is_missing()
            && one.field_id() == other.field_id();
        if !same {
            return false;
        }
        if one.goto_first_child() {
            other.goto_first_child();
            continue;
        }
        while !one.goto_next_sibling() {
            if !one.goto_parent() {
                return true;
            }
            other.goto_parent();
        }
        other.goto_next_sibling();
    }
}
