//! Docstrings and comments: where they are, and the text without them.
//!
//! A docstring is a string that is the first statement of a module, class or function. If one is removed, the strings
//! that follow it are too, as the next would become the docstring; a block that has nothing else becomes `pass`.
//! Comments in replacement fields of f-strings stay, because `f"{x = # …}"` shows them.

use ruff_python_ast::helpers::is_docstring_stmt;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::Module;
use crate::edit::{Edit, edited};
use crate::walk::statements;

impl Module<'_> {
    /// The values of the docstrings, in order.
    pub fn docstrings(&self) -> Vec<String> {
        let value = |block: &[Stmt]| match block.first()? {
            Stmt::Expr(statement) => match &*statement.value {
                Expr::StringLiteral(literal) => Some(literal.value.to_str().to_owned()),
                _ => None,
            },
            _ => None,
        };
        blocks(self.body()).filter_map(value).collect()
    }

    /// The text without docstrings, if it has one.
    pub fn without_docstrings(&self) -> Option<String> {
        let mut edits: Vec<Edit> = blocks(self.body())
            .filter_map(|block| self.cleared(block))
            .collect();
        edits.sort();
        (!edits.is_empty()).then(|| edited(self.text(), &edits))
    }

    /// The text without comments, if it has one; lines with nothing else go as a whole.
    pub fn without_comments(&self) -> Option<String> {
        let strings = self.strings();
        let is_shown = |place: TextSize| {
            let place = place.to_u32();
            let after = strings.partition_point(|range| range.1 <= place);
            strings.get(after).is_some_and(|range| range.0 <= place)
        };
        let comments = self.comments().filter(|comment| !is_shown(comment.start()));
        let edits: Vec<Edit> = comments
            .map(|comment| Edit::remove(self.around(comment)))
            .collect();
        (!edits.is_empty()).then(|| edited(self.text(), &edits))
    }

    /// The range that is removed with a comment: the blanks before it, or its line.
    fn around(&self, comment: TextRange) -> TextRange {
        let start = self.line_start(comment.start());
        let before = self.of(TextRange::new(start, comment.start()));
        let kept = before.trim_end_matches([' ', '\t', '\x0c']).len();
        if kept > 0 {
            let kept = TextSize::try_from(kept).expect("the text fits in 4 GiB");
            return TextRange::new(start + kept, comment.end());
        }
        let end = self.line_end(comment.end());
        let has_end = end.to_usize() < self.text().len();
        TextRange::new(start, end + TextSize::new(u32::from(has_end)))
    }

    /// The edit that removes the docstring of a block, if it has one. Comments behind it stay.
    fn cleared(&self, block: &[Stmt]) -> Option<Edit> {
        let count = block
            .iter()
            .take_while(|one| is_docstring_stmt(one))
            .count();
        let (strings, rest) = block.split_at(count);
        let (first, last) = (strings.first()?, strings.last()?);
        let Some(next) = rest.first() else {
            let strings = TextRange::new(first.start(), last.end());
            return Some(Edit::replace(strings, "pass"));
        };
        let strings = TextRange::new(first.start(), next.start());
        let line = self.of(TextRange::new(self.line_start(next.start()), next.start()));
        let words = line.trim_start_matches([' ', '\t', '\x0c']);
        let indent = line.strip_suffix(words).unwrap_or_default();
        let comments = self
            .comments()
            .filter(|comment| strings.contains_range(*comment));
        let comments: String = comments
            .flat_map(|comment| [self.of(comment), "\n", indent])
            .collect();
        Some(Edit::replace(strings, comments))
    }

    /// Returns the number of comments that it has.
    pub fn comment_count(&self) -> usize {
        self.comments().count()
    }

    /// The ranges of strings, each f-string as a whole, in order.
    pub fn strings(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let (mut depth, mut start) = (0_u32, 0);
        for token in self.tokens() {
            let range = token.range();
            match token.kind() {
                TokenKind::String if depth == 0 => {
                    found.push((range.start().to_u32(), range.end().to_u32()));
                }
                TokenKind::FStringStart | TokenKind::TStringStart => {
                    if depth == 0 {
                        start = range.start().to_u32();
                    }
                    depth += 1;
                }
                TokenKind::FStringEnd | TokenKind::TStringEnd => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        found.push((start, range.end().to_u32()));
                    }
                }
                _ => {}
            }
        }
        found
    }
}

/// The statements that may begin with a docstring: of the module, and of each class and function.
fn blocks(body: &[Stmt]) -> impl Iterator<Item = &[Stmt]> {
    let inner = statements(body).into_iter().filter_map(|it| match it {
        Stmt::FunctionDef(function) => Some(&function.body[..]),
        Stmt::ClassDef(class) => Some(&class.body[..]),
        _ => None,
    });
    std::iter::once(body).chain(inner)
}
