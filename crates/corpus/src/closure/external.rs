//! The closure of a helper from another translation unit → the end of a function's closure.
//!
//! Pieces of both are emitted once. The rest comes after the function, so it can neither change the meaning of the
//! function nor be missed when it is removed again: the pieces are marked as external, and `check` leaves them out if
//! the two do not compile together.

use std::collections::BTreeSet;

use barecode_records::{Closure, HelperSpan, Id, Piece, PieceKind, Span};
use foldhash::HashSet;

/// The closure with the helper's at its end; `None` when it would be larger than `bytes`.
pub(crate) fn merged(
    closure: &Closure,
    helper: &Closure,
    name: &str,
    id: &Id,
    bytes: usize,
) -> Option<Closure> {
    let mut merged = closure.clone();
    let known: HashSet<&str> = closure
        .pieces
        .iter()
        .filter(|piece| piece.kind != PieceKind::Scope)
        .map(|piece| piece.span.of(&closure.text))
        .collect();
    // A type that is in both in different outlines would be defined twice.
    let defined: BTreeSet<&[String]> = closure
        .pieces
        .iter()
        .filter(|piece| piece.kind == PieceKind::Declaration)
        .filter(|piece| piece.span.of(&closure.text).contains('{'))
        .map(|piece| &piece.names[..])
        .filter(|names| !names.is_empty())
        .collect();
    let new = helper.pieces.iter().filter(|piece| {
        let is_definition = piece.kind == PieceKind::Declaration
            && piece.span.of(&helper.text).contains('{')
            && defined.contains(&piece.names[..]);
        piece.kind == PieceKind::Scope
            || !(is_definition || known.contains(piece.span.of(&helper.text)))
    });
    let (headers, rest): (Vec<&Piece>, Vec<&Piece>) =
        new.partition(|piece| piece.kind == PieceKind::Header);
    insert_headers(&mut merged, &headers, helper);
    for piece in rest {
        if !merged.text.ends_with("\n\n") {
            merged.text.push('\n');
        }
        let start = merged.text.len();
        merged.text.push_str(piece.span.of(&helper.text));
        let span = Span::from(start..merged.text.len());
        merged.text.push('\n');
        let kind = match piece.kind {
            PieceKind::Target => PieceKind::Helper,
            kind => kind,
        };
        if kind == PieceKind::Helper {
            merged.helpers.push(HelperSpan {
                name: name.to_owned(),
                function_id: id.clone(),
                span,
            });
        }
        merged.items += u32::from(kind != PieceKind::Scope);
        merged.pieces.push(Piece {
            kind,
            span,
            names: piece.names.clone(),
            external: true,
        });
    }
    (merged.text.len() <= bytes).then_some(merged)
}

/// Puts headers that are new behind those that are already included.
fn insert_headers(merged: &mut Closure, headers: &[&Piece], of: &Closure) {
    let last = merged
        .pieces
        .iter()
        .rposition(|piece| piece.kind == PieceKind::Header);
    let at = last.map_or(0, |last| merged.pieces[last].span.end as usize + 1);
    let mut lines = String::new();
    let mut pieces = Vec::new();
    for header in headers {
        let start = at + lines.len();
        let shown = header.span.of(&of.text);
        lines.push_str(shown);
        pieces.push(Piece {
            kind: PieceKind::Header,
            span: Span::from(start..start + shown.len()),
            names: header.names.clone(),
            external: false,
        });
        lines.push('\n');
    }
    merged.insert(at, &lines);
    let place = last.map_or(0, |last| last + 1);
    merged.pieces.splice(place..place, pieces);
}
