//! A function's closure: the file that holds it and what it needs of its project, and the parts of that file.

use serde::{Deserialize, Serialize};

use crate::{Id, Span};

/// The extent to which a closure has the bodies of the functions that a function calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HelperBodies {
    /// Every function that can be reached and is defined in the translation unit has its body.
    Full,
    /// Functions called directly have their bodies, the rest only prototypes.
    Direct,
    /// Only prototypes.
    None,
}

/// The body of a helper inside a closure's text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HelperSpan {
    /// The helper's name.
    pub name: String,
    /// The helper as a function of its own, whether or not it was kept.
    pub function_id: Id,
    /// The range of its body.
    pub span: Span,
}

/// The kind of a piece of a closure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PieceKind {
    /// A line that includes a standard header.
    Header,
    /// A `#define`, `#undef` or `#pragma`.
    Directive,
    /// A declaration: types, variables, prototypes.
    Declaration,
    /// A function with its body that is neither the target nor one of its direct helpers.
    Definition,
    /// A function that the target calls directly, with its body.
    Helper,
    /// The function that the closure is for.
    Target,
    /// The opening or closing of the scopes (`namespace a {`, `extern "C" {`) around other pieces.
    Scope,
}

/// A part of a closure that can be left out as a whole.
///
/// The pieces of a closure are in order, do not overlap, and leave only blanks between them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// Its kind.
    pub kind: PieceKind,
    /// Its range in the closure's text.
    pub span: Span,
    /// The names that it declares, as the code writes them, without qualifiers; the header's for a header.
    pub names: Vec<String>,
    /// True if it is present only for the body of a helper that another translation unit defines. Such pieces are the
    /// last ones: without them the text still holds all that the target needs.
    pub external: bool,
}

/// A file that holds a function and what it needs to compile, in the order of the translation unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Closure {
    /// The file: standard includes, then the items.
    pub text: String,
    /// The range of the function in it.
    pub target: Span,
    /// The bodies of the project's functions that the target calls directly, in the file's order.
    pub helpers: Vec<HelperSpan>,
    /// The extent to which helpers have their bodies.
    pub helper_bodies: HelperBodies,
    /// Number of items, the target included.
    pub items: u32,
    /// The pieces that the text is made of.
    pub pieces: Vec<Piece>,
    /// Functions of the source that the target calls directly and that have only prototypes in this text: another
    /// file defines them, and its text does not go together with this one.
    pub helper_external: Vec<String>,
    /// Headers that the translation unit includes and that are neither standard nor in the source.
    pub missing_headers: Vec<String>,
    /// Headers that a build would make and that the translation unit read from their templates, filled in with assumed
    /// values: `config.h from cmake/config.h.in`.
    pub assumed_headers: Vec<String>,
}

impl Closure {
    /// Inserts text at a byte; everything from there on moves back.
    pub fn insert(&mut self, at: usize, text: &str) {
        let moved = |span: &mut Span| {
            let (start, end) = (span.start as usize, span.end as usize);
            if start >= at {
                *span = Span::from(start + text.len()..end + text.len());
            }
        };
        moved(&mut self.target);
        self.helpers
            .iter_mut()
            .for_each(|helper| moved(&mut helper.span));
        self.pieces
            .iter_mut()
            .for_each(|piece| moved(&mut piece.span));
        self.text.insert_str(at, text);
    }
}
