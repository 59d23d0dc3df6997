//! A closure under construction: its text, the ranges of its pieces, and the references of the function.

use std::collections::BTreeSet;

use barecode_records::{
    Closure, Function, HelperBodies, HelperSpan, Piece, PieceKind, References, Span,
};

/// A closure that is being written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) text: String,
    pub(super) target: Option<Span>,
    pub(super) pieces: Vec<Piece>,
    pub(super) helpers: Vec<HelperSpan>,
}

impl Written {
    /// Records the kind of the text at a span, unless the span is empty.
    pub(super) fn piece(
        &mut self,
        kind: PieceKind,
        span: Span,
        names: Vec<String>,
        external: bool,
    ) {
        if span.start < span.end {
            self.pieces.push(Piece {
                kind,
                span,
                names,
                external,
            });
        }
    }

    /// Records the position of a function that the target calls, which is shown as `text` in its file.
    pub(super) fn helper(
        &mut self,
        (label, path): (&str, &str),
        name: &str,
        text: &str,
        span: Span,
    ) {
        self.helpers.push(HelperSpan {
            name: name.to_owned(),
            function_id: Function::id_of(label, path, name, text),
            span,
        });
    }

    /// The closure of a function that refers to these names.
    pub(super) fn closure(
        self,
        items: usize,
        helper_bodies: HelperBodies,
        references: &References,
    ) -> Closure {
        let has = |name: &&String| !self.helpers.iter().any(|helper| helper.name == **name);
        Closure {
            target: self.target.expect("a function needs itself"),
            helper_external: references.functions.iter().filter(has).cloned().collect(),
            items: u32::try_from(items).unwrap_or(u32::MAX),
            helper_bodies,
            missing_headers: Vec::new(),
            assumed_headers: Vec::new(),
            helpers: self.helpers,
            pieces: self.pieces,
            text: self.text,
        }
    }
}

/// The references of a function, as they are found.
#[derive(Default)]
pub(super) struct Referred {
    pub(super) functions: BTreeSet<String>,
    pub(super) types: BTreeSet<String>,
    pub(super) globals: BTreeSet<String>,
}

impl From<Referred> for References {
    fn from(found: Referred) -> References {
        References {
            functions: found.functions.into_iter().collect(),
            types: found.types.into_iter().collect(),
            globals: found.globals.into_iter().collect(),
            macros: Vec::new(),
            spelled: Vec::new(),
        }
    }
}
