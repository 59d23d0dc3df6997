//! Functions as they are found → those that are drawn: each once, up to the recipe's limit.
//!
//! A limited source holds no more functions than its limit at any time: one that comes later and has an earlier turn
//! takes the place of the last one.

use std::collections::BinaryHeap;
use std::mem;
use std::sync::Arc;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{Account, Digest, FunctionKind, Id, Reason};
use barecode_sources::Source;
use foldhash::HashMap;
use rayon::prelude::*;

use super::found::Found;

/// A function before it is drawn.
#[derive(Debug, Clone, Copy)]
pub struct Drawn<'a> {
    /// The id that it will have.
    pub id: &'a Id,
    /// Its name, without qualifiers.
    pub name: &'a str,
    /// The file.
    pub path: &'a str,
    /// Its first and last line.
    pub lines: (u32, u32),
}

/// Says which functions are drawn before others.
pub type Wanted<'a> = dyn Fn(Drawn<'_>) -> bool + Sync + 'a;

/// The turn of a function: those that are wanted, those with a comment if the recipe says so, its lot.
type Turn = (bool, bool, [u8; 32]);

/// Half of the digest of a text's tokens.
type Tokens = [u8; 16];

/// The tokens of a function, and its turn if there is a limit; or why it is refused.
type Look = Result<(Tokens, Option<Turn>), (Reason, String)>;

/// A draw. Functions enter in an order that depends on the source only.
pub(crate) struct Draw<'a> {
    source: &'a Source,
    seed: u64,
    wanted: &'a Wanted<'a>,
    limit: Option<usize>,
    /// The file and line of the first function with these tokens; files by number.
    first_place: HashMap<Tokens, (u32, u32)>,
    files: Vec<Arc<str>>,
    /// The functions so far.
    kept: Vec<Found>,
    /// If there is a limit: the turn, the number and the position of each, the last one first.
    turns: BinaryHeap<(Turn, usize, usize)>,
    entered: usize,
}

impl<'a> Draw<'a> {
    /// A draw from a source, as its recipe limits it.
    pub(crate) fn of(source: &'a Source, seed: u64, wanted: &'a Wanted<'a>) -> Self {
        let limit = source.config().limit;
        Draw {
            source,
            seed,
            wanted,
            limit: limit.map(|limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            first_place: HashMap::default(),
            files: Vec::new(),
            kept: Vec::new(),
            turns: BinaryHeap::new(),
            entered: 0,
        }
    }

    /// Enters functions, those of a file one after the other. The account gets those that are refused, doubles, and
    /// those that lose their place.
    pub(crate) fn enter(&mut self, found: Vec<Found>, account: &mut Account) {
        let looked = found
            .into_par_iter()
            .map(|found| (self.look(&found), found));
        let looked: Vec<(Look, Found)> = looked.collect();
        for (look, found) in looked {
            let (tokens, turn) = match look {
                Ok(look) => look,
                Err((reason, detail)) => {
                    found.refuse(self.source, account, reason, detail);
                    continue;
                }
            };
            // The published rules know no doubles.
            let first = self.first_place.get(&tokens);
            if let Some(&(file, line)) = first.filter(|_| found.kind != FunctionKind::Lines) {
                let detail = format!("of {}:{line}", self.files[file as usize]);
                found.refuse(self.source, account, Reason::Duplicate, detail);
                continue;
            }
            let place = (self.number(&found.path), found.start_line);
            self.first_place.insert(tokens, place);
            if let Some((limit, last)) = self.take(turn, found) {
                let detail = format!("`limit = {limit}`");
                last.refuse(self.source, account, Reason::NotSampled, detail);
            }
        }
    }

    /// Takes a function; returns the limit and the one that loses its place.
    fn take(&mut self, turn: Option<Turn>, found: Found) -> Option<(usize, Found)> {
        let number = self.entered;
        self.entered += 1;
        let Some((limit, turn)) = self.limit.zip(turn) else {
            self.kept.push(found);
            return None;
        };
        if self.kept.len() < limit {
            self.turns.push((turn, number, self.kept.len()));
            self.kept.push(found);
            return None;
        }
        let later = self.turns.peek_mut().filter(|last| turn < last.0);
        let Some(mut last) = later else {
            return Some((limit, found));
        };
        let position = last.2;
        *last = (turn, number, position);
        Some((limit, mem::replace(&mut self.kept[position], found)))
    }

    /// The functions that are drawn, by path, line and id.
    pub(crate) fn end(self) -> Vec<Found> {
        drop((self.first_place, self.files, self.turns));
        let mut drawn = self.kept;
        drawn.sort_by(|a, b| {
            let place = |found: &Found| (found.path.clone(), found.start_line);
            place(a)
                .cmp(&place(b))
                .then_with(|| a.id(self.source).cmp(&b.id(self.source)))
        });
        drawn
    }

    /// Looks at a function that was found.
    fn look(&self, found: &Found) -> Look {
        if let Some(refused) = found.refused.as_deref() {
            return Err(refused.clone());
        }
        let text = found.text.get();
        let tokens = lex(&text);
        let tokens = tokens
            .iter()
            .filter(|token| token.kind != TokenKind::Newline);
        let digest = Digest::new("tokens").fields(tokens.map(|token| token.text(&text)));
        let mut tokens = Tokens::default();
        tokens.copy_from_slice(&digest.bytes()[..size_of::<Tokens>()]);
        if self.limit.is_none() {
            return Ok((tokens, None));
        }
        let id = found.id_of(self.source, &text);
        let is_wanted = (self.wanted)(Drawn {
            id: &id,
            name: &found.name,
            path: &found.path,
            lines: (found.start_line, found.end_line),
        });
        let lot = Digest::new("sample")
            .field(self.seed.to_le_bytes())
            .field(id);
        let is_bare = self.source.config().documented_first && found.doc.is_none();
        Ok((tokens, Some((!is_wanted, is_bare, lot.bytes()))))
    }

    /// The number of a file; the functions of a file come one after the other.
    fn number(&mut self, path: &Arc<str>) -> u32 {
        if self.files.last() != Some(path) {
            self.files.push(Arc::clone(path));
        }
        u32::try_from(self.files.len() - 1).expect("a source has fewer files than 2³²")
    }
}
