//! Comments with the statements below them, by the tree.
//!
//! A comment on lines of its own is about statements of its own block:
//!
//! - right above a statement, about that statement and those that follow it without a blank line;
//! - with a blank line below it, as the title of a section, about all statements up to the next comment;
//! - never beyond the next comment on lines of its own, nor beyond the braces around it.
//!
//! Comments inside of code that another comment is about, behind code, inside of an expression, for tools, roxygen's
//! above functions, and code that was switched off have a row each. So no statement is in two pairs, and no comment
//! is in the code of a pair: `text` holds statements only, dedented, with their line breaks. Statements that only
//! load packages are in no pair.

use std::ops::Range;

use barecode_records::Reason;
use tree_sitter::Node;

use super::comment::{self, Mark, R};
use super::document::Chunk;
use super::{Lines, Pair, Pairs};
use crate::syntax;

/// The pairs of a chunk of R.
pub fn statements(chunk: &Chunk) -> Pairs {
    // Without a comment there is no pair.
    if memchr::memchr(b'#', chunk.text.as_bytes()).is_none() {
        return Pairs::default();
    }
    let Some(tree) = syntax::parse(&chunk.text, R) else {
        return Pairs::default();
    };
    let root = tree.root_node();
    let mut reading = Reading {
        chunk,
        comments: comments_of(root, chunk.text.as_bytes()),
        levels: vec![root],
        has_error: root.has_error(),
        read: Pairs::default(),
    };
    while let Some(level) = reading.levels.pop() {
        reading.level(level);
    }
    let mut read = reading.read;
    read.pairs
        .sort_by_key(|pair| (pair.comment_lines, pair.code_lines));
    read.left.sort_by_key(|left| left.lines);
    read
}

/// All comments of a tree, in their order. Nodes without a `#` are skipped.
fn comments_of<'t>(root: Node<'t>, text: &[u8]) -> Vec<Node<'t>> {
    let hashes: Vec<usize> = memchr::memchr_iter(b'#', text).collect();
    let mut comments = Vec::new();
    let mut next = 0;
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        while hashes
            .get(next)
            .is_some_and(|hash| *hash < node.start_byte())
        {
            next += 1;
        }
        let holds = hashes.get(next).is_some_and(|hash| *hash < node.end_byte());
        if holds && node.kind() == "comment" {
            comments.push(node);
        } else if holds && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return comments;
            }
        }
    }
}

/// Consecutive lines of a comment.
struct Block {
    lines: Vec<String>,
    rows: Range<usize>,
    mark: Mark,
}

/// A child of a level.
enum Item<'t> {
    Comments(Vec<Block>),
    Statement(Node<'t>),
}

/// The statements that a comment is about, so far.
struct Open<'t> {
    comment: String,
    rows: Range<usize>,
    /// True if it has the form of roxygen's.
    is_roxygen: bool,
    is_section: bool,
    statements: Vec<Node<'t>>,
    /// The row behind the last statement.
    next_row: usize,
}

struct Reading<'c, 't> {
    chunk: &'c Chunk,
    /// All comments, in their order.
    comments: Vec<Node<'t>>,
    /// Blocks of statements whose comments are not in a pair yet.
    levels: Vec<Node<'t>>,
    /// True if the text is not R as a whole: then an apparent statement may be a piece of one.
    has_error: bool,
    read: Pairs,
}

impl<'t> Reading<'_, 't> {
    /// Reads the comments of one block: the file, or the code between braces.
    fn level(&mut self, level: Node<'t>) {
        let mut open: Option<Open<'t>> = None;
        for item in self.items(level) {
            match item {
                Item::Comments(blocks) => {
                    for block in blocks {
                        self.begin(block, &mut open);
                    }
                }
                Item::Statement(node) => self.statement(node, &mut open),
            }
        }
        self.close(open);
    }

    /// Statements and comments on lines of their own, in their order; comments behind code are left here.
    fn items(&mut self, level: Node<'t>) -> Vec<Item<'t>> {
        let mut items: Vec<Item<'t>> = Vec::new();
        let mut cursor = level.walk();
        // The row on which the last code ends, and the position of the last comment behind code.
        let (mut code_row, mut behind) = (None, None);
        let mut run: Vec<Node<'t>> = Vec::new();
        let mut is_open = cursor.goto_first_child();
        while is_open {
            let node = cursor.node();
            if node.kind() == "comment" {
                let at = node.start_position();
                let goes_on = behind == Some((at.row.wrapping_sub(1), at.column));
                if code_row == Some(at.row) || goes_on {
                    behind = Some((at.row, at.column));
                    let text = self.slice(node.byte_range()).to_owned();
                    self.leave(Reason::CommentBehindCode, &text, at.row..at.row + 1);
                } else {
                    run.push(node);
                }
            } else {
                code_row = Some(node.end_position().row);
                if node.is_named() {
                    if !run.is_empty() {
                        items.push(Item::Comments(self.blocks(&run)));
                        run.clear();
                    }
                    items.push(Item::Statement(node));
                }
            }
            is_open = cursor.goto_next_sibling();
        }
        if !run.is_empty() {
            items.push(Item::Comments(self.blocks(&run)));
        }
        items
    }

    /// Comments without code between them, by purpose, by blank lines, and by prose and code.
    fn blocks(&self, run: &[Node<'t>]) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for node in run {
            let line = self.slice(node.byte_range());
            let (row, mark) = (node.start_position().row, Mark::of(line));
            match blocks.last_mut() {
                Some(last) if last.mark == mark && last.rows.end == row => {
                    last.lines.push(line.to_owned());
                    last.rows.end = row + 1;
                }
                _ => blocks.push(Block {
                    lines: vec![line.to_owned()],
                    rows: row..row + 1,
                    mark,
                }),
            }
        }
        blocks
    }

    /// Ends the open pair, and begins the one of a comment.
    fn begin(&mut self, block: Block, open: &mut Option<Open<'t>>) {
        if block.mark == Mark::Tool {
            // It may be between a comment and its code.
            self.leave(Reason::CommentForTool, &block.lines.join("\n"), block.rows);
            return;
        }
        for (is_code, lines, rows) in runs_of(&block) {
            if is_code {
                self.leave(Reason::CommentIsCode, &lines.join("\n"), rows.clone());
                if let Some(open) = open.as_mut().filter(|open| open.rows.end == rows.start) {
                    open.rows.end = rows.end;
                    open.next_row = rows.end;
                }
                continue;
            }
            self.close(open.take());
            *open = Some(Open {
                comment: lines.join("\n"),
                next_row: rows.end,
                rows,
                is_roxygen: block.mark == Mark::Roxygen,
                is_section: false,
                statements: Vec::new(),
            });
        }
    }

    /// Adds a statement to the open pair, if it belongs to it.
    fn statement(&mut self, node: Node<'t>, open: &mut Option<Open<'t>>) {
        let row = node.start_position().row;
        if let Some(about) = open {
            let is_first = about.statements.is_empty();
            let is_apart = row > about.next_row;
            if is_first && about.is_roxygen && is_documented(node, &about.comment) {
                let (comment, rows) = (about.comment.clone(), about.rows.clone());
                self.leave(Reason::CommentOfFunction, &comment, rows);
                *open = None;
                self.look_inside(node);
                return;
            }
            if is_first {
                about.is_section = is_apart;
            }
            if is_first || about.is_section || !is_apart {
                about.statements.push(node);
                about.next_row = node.end_position().row + 1;
                return;
            }
            self.close(open.take());
        }
        self.look_inside(node);
    }

    /// Makes a pair of a comment and its statements, or records why it has none.
    fn close(&mut self, open: Option<Open<'t>>) {
        let Some(open) = open else {
            return;
        };
        let code = open.statements.iter().copied();
        let code: Vec<Node<'t>> = code.filter(|node| !self.only_loads(*node, 0)).collect();
        let text = self.code_of(&open.statements, &code);
        let is_broken = || {
            let parse = || syntax::parse(&text, R);
            self.has_error && parse().is_none_or(|tree| tree.root_node().has_error())
        };
        let reason = if open.statements.is_empty() {
            Some((Reason::NoCodeBelow, open.comment.clone()))
        } else if !comment::has_words(&open.comment) {
            Some((Reason::CommentTooShort, open.comment.clone()))
        } else if code.is_empty() {
            Some((
                Reason::NoCodeBelow,
                format!("only packages are loaded: {}", open.comment),
            ))
        } else if code.iter().any(Node::has_error) || is_broken() {
            Some((Reason::CodeUnparsable, open.comment.clone()))
        } else {
            None
        };
        if let Some((reason, detail)) = reason {
            self.leave(reason, &detail, open.rows);
            for node in open.statements {
                self.look_inside(node);
            }
            return;
        }
        let (first, last) = (code[0], code[code.len() - 1]);
        for node in &open.statements {
            let inside = self.comments_in(node.byte_range()).to_vec();
            self.leave_all(&inside, Reason::CommentInside);
        }
        let code_rows = first.start_position().row..last.end_position().row + 1;
        self.read.pairs.push(Pair {
            comment: open.comment,
            code: text,
            comment_lines: self.lines(open.rows),
            code_lines: self.lines(code_rows),
        });
    }

    /// The text of statements, without comments and without those that only load packages.
    fn code_of(&self, statements: &[Node<'t>], code: &[Node<'t>]) -> String {
        let (Some(first), Some(last)) = (code.first(), code.last()) else {
            return String::new();
        };
        let range = first.start_byte()..last.end_byte();
        let comments = self.comments_in(range.clone()).iter();
        let loads = statements.iter().filter(|node| self.only_loads(**node, 0));
        let mut removed: Vec<Range<usize>> = comments.chain(loads).map(Node::byte_range).collect();
        removed.sort_by_key(|range| (range.start, range.end));
        without(&self.chunk.text, range, &removed)
    }

    /// Finds the blocks in a statement that is in no pair, and leaves the comments outside of them.
    fn look_inside(&mut self, node: Node<'t>) {
        let mut left = Vec::new();
        let mut nodes = vec![(node, false)];
        while let Some((node, in_error)) = nodes.pop() {
            if self.comments_in(node.byte_range()).is_empty() {
                continue;
            }
            match node.kind() {
                "comment" => left.push(node),
                "braced_expression" if !in_error => self.levels.push(node),
                _ => {
                    let in_error = in_error || node.is_error();
                    let mut cursor = node.walk();
                    nodes.extend(node.children(&mut cursor).map(|child| (child, in_error)));
                }
            }
        }
        left.sort_by_key(Node::start_byte);
        let reason = if node.has_error() {
            Reason::CodeUnparsable
        } else {
            Reason::CommentInside
        };
        self.leave_all(&left, reason);
    }

    /// The comments that begin in a range.
    fn comments_in(&self, range: Range<usize>) -> &[Node<'t>] {
        let first = self
            .comments
            .partition_point(|node| node.start_byte() < range.start);
        let rest = self.comments.get(first..).unwrap_or_default();
        let length = rest.partition_point(|node| node.start_byte() < range.end);
        rest.get(..length).unwrap_or_default()
    }

    /// Leaves comments, a row for those on lines that follow each other.
    fn leave_all(&mut self, comments: &[Node<'t>], reason: Reason) {
        for block in comments.chunk_by(|a, b| a.start_position().row + 1 == b.start_position().row)
        {
            let (first, last) = (block[0], block[block.len() - 1]);
            let rows = first.start_position().row..last.start_position().row + 1;
            let text = self.slice(first.byte_range()).to_owned();
            self.leave(reason, &text, rows);
        }
    }

    fn leave(&mut self, reason: Reason, text: &str, rows: Range<usize>) {
        let lines = self.lines(rows);
        self.read.leave(reason, text, lines);
    }

    fn lines(&self, rows: Range<usize>) -> Lines {
        (
            self.chunk.line(rows.start),
            self.chunk.line(rows.end.saturating_sub(1)),
        )
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.chunk.text.get(range).unwrap_or_default()
    }

    /// Returns `true` if a statement only loads or installs packages.
    fn only_loads(&self, node: Node<'t>, depth: usize) -> bool {
        // Deeper nodes do not load a package.
        const DEEPEST: usize = 8;
        if depth > DEEPEST {
            return false;
        }
        let field = |name| node.child_by_field_name(name);
        let loads =
            |node: Option<Node<'t>>| node.is_some_and(|node| self.only_loads(node, depth + 1));
        match node.kind() {
            "call" => {
                let name = field("function").map_or("", |function| self.last_name(function));
                LOADERS.contains(&name)
                    || WRAPPERS.contains(&name) && self.argument_loads(node, depth)
            }
            "if_statement" => {
                let stops = |node: Node<'t>| {
                    let name = node.child_by_field_name("function");
                    name.is_some_and(|name| self.last_name(name) == "stop")
                };
                loads(field("condition"))
                    && field("consequence").is_some_and(|then| stops(then) || loads(Some(then)))
                    && field("alternative").is_none_or(|other| loads(Some(other)))
            }
            "braced_expression" | "parenthesized_expression" => {
                let mut cursor = node.walk();
                let mut inner = node.named_children(&mut cursor);
                inner.len() > 0
                    && inner.all(|inner| inner.kind() == "comment" || loads(Some(inner)))
            }
            "unary_operator" => loads(field("rhs")),
            "binary_operator" => {
                let operator = field("operator").map_or("", |operator| operator.kind());
                matches!(operator, "<-" | "=" | "<<-") && loads(field("rhs"))
            }
            _ => false,
        }
    }

    /// Returns `true` if an argument of a call loads packages, or is the function that does.
    fn argument_loads(&self, call: Node<'t>, depth: usize) -> bool {
        let Some(arguments) = call.child_by_field_name("arguments") else {
            return false;
        };
        let mut cursor = arguments.walk();
        let mut values = arguments
            .children(&mut cursor)
            .filter_map(|argument| argument.child_by_field_name("value"));
        values.any(|value| {
            self.only_loads(value, depth + 1) || LOADERS.contains(&self.last_name(value))
        })
    }

    /// `library`, of `library` and of `base::library`.
    fn last_name(&self, node: Node<'t>) -> &str {
        match node.kind() {
            "identifier" => self.slice(node.byte_range()),
            "namespace_operator" => {
                let name = node.child_by_field_name("rhs");
                name.map_or("", |name| self.slice(name.byte_range()))
            }
            _ => "",
        }
    }
}

/// Returns `true` if a comment in roxygen's form documents the code below it: a function, or an item with a page of
/// its own (a data set's name, `NULL`). Elsewhere such comments are the text of a document that is woven from a
/// script.
fn is_documented(node: Node, comment: &str) -> bool {
    let has_tag = |line: &str| {
        let name = line.strip_prefix('@').unwrap_or_default();
        name.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    let value = match node.kind() {
        "binary_operator" => node.child_by_field_name("rhs"),
        _ => Some(node),
    };
    let kind = value.map_or("", |value| value.kind());
    matches!(kind, "function_definition" | "string" | "null") || comment.lines().any(has_tag)
}

/// Functions that load or install packages.
const LOADERS: [&str; 9] = [
    "library",
    "require",
    "requireNamespace",
    "loadNamespace",
    "attachNamespace",
    "p_load",
    "install.packages",
    "install_github",
    "needs",
];

/// Functions around those that load packages.
const WRAPPERS: [&str; 11] = [
    "suppressPackageStartupMessages",
    "suppressMessages",
    "suppressWarnings",
    "invisible",
    "quietly",
    "try",
    "lapply",
    "sapply",
    "walk",
    "unlist",
    "do.call",
];

/// Prose and code of a block, each with its words or its lines, and its rows.
fn runs_of(block: &Block) -> Vec<(bool, Vec<&str>, Range<usize>)> {
    let bare = |line: &'_ str| -> String {
        let rest = line.trim_start_matches('#');
        rest.strip_prefix(' ').unwrap_or(rest).trim_end().to_owned()
    };
    let all: Vec<String> = block.lines.iter().map(|line| bare(line)).collect();
    let lines: Vec<&str> = block.lines.iter().map(String::as_str).collect();
    // Roxygen's are text, with code of its own kind in it.
    let may_be_code = block.mark != Mark::Roxygen;
    if may_be_code && comment::is_code(&all.join("\n")) {
        return vec![(true, lines, block.rows.clone())];
    }
    let is_code = if may_be_code {
        code_lines(&all)
    } else {
        vec![false; all.len()]
    };
    let mut runs: Vec<(bool, Vec<&str>, Range<usize>)> = Vec::new();
    for (number, (line, is_code)) in lines.into_iter().zip(is_code).enumerate() {
        let row = block.rows.start + number;
        let words = comment::words(line);
        let shown = if is_code { line } else { words };
        match runs.last_mut() {
            Some((was_code, run, rows)) if *was_code == is_code || words.is_empty() => {
                rows.end = row + 1;
                if !shown.is_empty() {
                    run.push(shown);
                }
            }
            _ => {
                let run = [shown]
                    .into_iter()
                    .filter(|line| !line.is_empty())
                    .collect();
                runs.push((is_code, run, row..row + 1));
            }
        }
    }
    runs
}

/// The lines of a comment that are code, if any: a line by itself, or lines up to the one that closes what the first
/// opens.
fn code_lines(lines: &[String]) -> Vec<bool> {
    let mut is_code = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        let end = at + statement_lines(&lines[at..]);
        let found = comment::is_code(&lines[at..end].join("\n"));
        is_code[at..end].fill(found);
        // A line that is not a statement may be prose before one.
        at = if found { end } else { at + 1 };
    }
    is_code
}

/// Returns the number of lines that the statement has that begins on the first, by its brackets and operators.
fn statement_lines(lines: &[String]) -> usize {
    // A call of more lines than this stays prose.
    const LONGEST: usize = 40;
    let mut depth = 0_i32;
    for (number, line) in lines.iter().enumerate().take(LONGEST) {
        for byte in line.bytes() {
            match byte {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
        }
        let goes_on = depth > 0 || line.ends_with(['+', '>', '|', '=', '-', '%']);
        if !goes_on {
            return number + 1;
        }
    }
    1
}

/// A stretch of a text without some of its ranges: lines that held nothing else are removed as a whole, others lose
/// the blanks before the range. The rest is dedented by the column of the first line.
fn without(text: &str, range: Range<usize>, removed: &[Range<usize>]) -> String {
    let slice = |range: Range<usize>| text.get(range).unwrap_or_default();
    let line_start = text
        .get(..range.start)
        .and_then(|before| before.rfind('\n'))
        .map_or(0, |at| at + 1);
    let before = slice(line_start..range.start);
    let indentation = if before.trim().is_empty() { before } else { "" };
    let mut kept = String::with_capacity(range.len());
    let mut at = range.start;
    for gone in removed
        .iter()
        .filter(|gone| gone.start >= range.start && gone.end <= range.end)
    {
        if gone.start < at {
            continue;
        }
        kept.push_str(slice(at..gone.start));
        let written = kept.trim_end_matches([' ', '\t']).len();
        kept.truncate(written);
        let is_alone = kept.is_empty() || kept.ends_with('\n');
        at = gone.end;
        if is_alone {
            let rest = slice(at..range.end);
            let rest = rest.trim_start_matches([' ', '\t', ';']);
            let rest = rest.strip_prefix('\r').unwrap_or(rest);
            let rest = rest.strip_prefix('\n').unwrap_or(rest);
            at = range.end - rest.len();
        }
    }
    kept.push_str(slice(at..range.end));
    let lines = kept.split_inclusive('\n');
    let dedented: String = lines
        .map(|line| line.strip_prefix(indentation).unwrap_or(line))
        .collect();
    dedented
        .trim_end()
        .trim_start_matches(['\n', '\r'])
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Document;
    use super::*;

    fn read(text: &str) -> Pairs {
        let chunks = Document::Script.chunks(text.to_owned()).unwrap();
        statements(&chunks[0])
    }

    /// Comment and code of each pair.
    fn pairs(text: &str) -> Vec<(String, String)> {
        let pairs = read(text).pairs.into_iter();
        pairs.map(|pair| (pair.comment, pair.code)).collect()
    }

    fn reasons(text: &str) -> Vec<(Reason, Lines)> {
        let left = read(text).left.into_iter();
        left.map(|left| (left.reason, left.lines)).collect()
    }

    fn pair(comment: &str, code: &str) -> (String, String) {
        (comment.to_owned(), code.to_owned())
    }

    #[test]
    fn a_comment_right_above_is_about_its_paragraph_and_a_title_about_its_section() {
        let text = "# load the data\nd <- f()\ng(d)\n\nh(d)\n\n# fit a model\n\nm <- lm(y ~ x)\n\nsummary(m)\n# plot it all\nplot(m)\n";
        assert_eq!(
            pairs(text),
            [
                pair("load the data", "d <- f()\ng(d)"),
                pair("fit a model", "m <- lm(y ~ x)\n\nsummary(m)"),
                pair("plot it all", "plot(m)"),
            ]
        );
        assert_eq!(read(text).pairs[1].comment_lines, (7, 7));
        assert_eq!(read(text).pairs[1].code_lines, (9, 11));
    }

    #[test]
    fn comments_leave_the_code_and_have_rows() {
        let text = "# take the mean\nx <- f( # of all\n  a,\n  # and of b\n  b)  # done\ny # end\n";
        assert_eq!(
            pairs(text),
            [pair("take the mean", "x <- f(\n  a,\n  b)\ny")]
        );
        assert_eq!(
            reasons(text),
            [
                (Reason::CommentInside, (2, 2)),
                (Reason::CommentInside, (4, 4)),
                (Reason::CommentBehindCode, (5, 5)),
                (Reason::CommentBehindCode, (6, 6)),
            ]
        );
    }

    #[test]
    fn blocks_have_pairs_of_their_own_where_no_comment_is_about_the_whole() {
        let text = "f <- function(x) {\n  # add one to it\n  y <- x +\n    1\n\n  y\n}\n# a second one\ng <- function() {\n  # hidden in here\n  2\n}\n";
        assert_eq!(
            pairs(text),
            [
                pair("add one to it", "y <- x +\n  1"),
                pair("a second one", "g <- function() {\n  2\n}"),
            ]
        );
        assert_eq!(reasons(text), [(Reason::CommentInside, (10, 10))]);
    }

    #[test]
    fn lines_that_load_packages_are_dropped_wherever_they_stand() {
        for load in [
            "library(lme4)",
            "suppressPackageStartupMessages(library(lme4))",
            "if (!require(lme4)) install.packages('lme4')",
            "invisible(lapply(packages, library, character.only = TRUE))",
            "ok <- requireNamespace('lme4', quietly = TRUE)",
            "base::library(lme4); library(dplyr)",
            "suppressMessages({\n  library(a)\n  library(b)\n})",
        ] {
            let text = format!("# fit it now\n{load}\nm <- lmer(f)\n");
            assert_eq!(pairs(&text), [pair("fit it now", "m <- lmer(f)")], "{load}");
            let alone = format!("# load packages here\n{load}\n");
            assert_eq!(reasons(&alone)[0].0, Reason::NoCodeBelow, "{load}");
        }
        // Code that uses a package does not load it.
        let text = "# keep what is called so\nlibrary_of(x)\nx$library(y)\n";
        assert_eq!(pairs(text)[0].1, "library_of(x)\nx$library(y)");
    }

    #[test]
    fn each_comment_without_a_pair_has_its_reason() {
        for (text, reason) in [
            ("# Data\nx <- 1\n", Reason::CommentTooShort),
            ("# nothing below it\n", Reason::NoCodeBelow),
            (
                "# nothing below it\n\n# but a second one\nx\n",
                Reason::NoCodeBelow,
            ),
            ("# x <- f(y)\nz <- 3\n", Reason::CommentIsCode),
            (
                "#' Adds numbers up.\n#' @param x them\nf <- function(x) sum(x)\n",
                Reason::CommentOfFunction,
            ),
            ("#| label: fig-one\nplot(x)\n", Reason::CommentForTool),
            ("# this is not R\nx <- (1\n", Reason::CodeUnparsable),
            ("x <- (1 # and more of\n", Reason::CodeUnparsable),
            ("x <- 1 # behind it\n", Reason::CommentBehindCode),
        ] {
            let found = reasons(text);
            assert_eq!(found.first().map(|left| left.0), Some(reason), "{text}");
        }
    }

    #[test]
    fn code_that_was_switched_off_is_cut_from_prose() {
        let text = "# fit the model\n# m <- lm(y ~ x,\n#         data = d)\nm <- glm(y ~ x)\n";
        assert_eq!(pairs(text), [pair("fit the model", "m <- glm(y ~ x)")]);
        assert_eq!(reasons(text), [(Reason::CommentIsCode, (2, 3))]);
    }

    #[test]
    fn text_of_a_woven_script_is_prose_and_goes_over_options() {
        let text = "#' ## Fit the model\n#' by least squares\n#+ fig.height=4\nm <- lm(f)\n";
        assert_eq!(
            pairs(text),
            [pair("Fit the model\nby least squares", "m <- lm(f)")]
        );
    }

    #[test]
    fn a_comment_behind_code_that_goes_on_below_is_one() {
        let text = "x <- 1  # the first value\n        # of them all\ny <- 2\n";
        assert_eq!(pairs(text), []);
        let reason = Reason::CommentBehindCode;
        assert_eq!(reasons(text), [(reason, (1, 1)), (reason, (2, 2))]);
    }
}
