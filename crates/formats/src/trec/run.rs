//! A run, one query at a time.
//!
//! In comes a file of any size; a function sees each query's documents as in the file, and out come its results in
//! the order in which queries appear. Blocks of the file are read by all threads, each block with the queries that
//! begin in it, so memory holds one block and one query a thread, not the run.
//!
//! The hard part is a file whose queries are not together. That shows only late, when a query comes that occurred
//! before: then the lines of such queries, remembered as ranges of the file, are read once more, each query by
//! itself. Memory then also holds the ranges.
//!
//! This module sorts nothing and looks up no judgments.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::columns::{self, Columns};
use super::distinct::Distinct;
use super::locate::Spot;
use super::plain::open_plain;
use super::qrels::checked_text;
use crate::{FormatError, Place, source};

/// A document of a run with its score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored<'a> {
    /// Its id.
    pub doc: &'a str,
    /// Its score; finite.
    pub score: f64,
}

/// The documents of one query, in the order of the file, each once.
#[derive(Debug)]
pub struct QueryRun<'a> {
    /// The query's id.
    pub query: &'a str,
    /// Its documents.
    pub documents: &'a [Scored<'a>],
    seen: &'a Distinct,
}

impl<'a> QueryRun<'a> {
    /// Looks at documents that are in memory; for a duplicate document, the error is the index of the second one.
    pub(crate) fn over(
        query: &'a str,
        documents: &'a [Scored<'a>],
        seen: &'a mut Distinct,
    ) -> Result<Self, usize> {
        seen.clear();
        for (at, document) in documents.iter().enumerate() {
            if seen.insert(document.doc, |at| documents[at].doc).is_some() {
                return Err(at);
            }
        }
        Ok(QueryRun {
            query,
            documents,
            seen,
        })
    }

    /// The position of a document in `documents`.
    pub fn position(&self, doc: &str) -> Option<usize> {
        self.seen.find(doc, |at| self.documents[at].doc)
    }
}

/// A fault that a caller finds in a query's documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// The index of the document.
    pub at: usize,
    /// The fault: a lowercase fragment.
    pub message: String,
    /// The remedy.
    pub hint: Option<String>,
}

/// A run file that is open.
#[derive(Debug)]
pub struct TrecRun {
    path: PathBuf,
    plain: File,
    length: u64,
    block: u64,
}

/// Blocks of this size are read at once.
const BLOCK: u64 = 4 << 20;

impl TrecRun {
    /// Opens a run; one that is compressed is unpacked into a temporary file.
    ///
    /// # Errors
    /// As the file system has it, and for gzip that is damaged or ends too early.
    pub fn open(path: &Path) -> Result<Self, FormatError> {
        let plain = open_plain(path)?;
        let metadata = plain
            .metadata()
            .map_err(|error| source::cannot_read(path, error))?;
        Ok(TrecRun {
            path: path.to_owned(),
            plain,
            length: metadata.len(),
            block: BLOCK,
        })
    }

    /// The same, in blocks of another size: results never depend on it.
    #[must_use]
    pub fn with_block(self, block: u64) -> Self {
        TrecRun {
            block: block.max(1),
            ..self
        }
    }

    /// Calls `see` with each query's documents and returns its results, in the order in which the queries appear. A
    /// query whose lines are not together is seen as a whole, and may be seen in parts before that, whose results are
    /// dropped.
    ///
    /// ```
    /// use barecode_formats::trec::TrecRun;
    /// let folder = tempfile::tempdir().unwrap();
    /// let path = folder.path().join("run");
    /// std::fs::write(&path, "q2 Q0 d1 1 0.5 x\nq1 Q0 d1 1 9 x\nq2 Q0 d3 2 0.25 x\n").unwrap();
    /// let counts = TrecRun::open(&path).unwrap().for_each_query(|run| Ok(run.documents.len())).unwrap();
    /// assert_eq!(counts, [("q2".to_owned(), 2), ("q1".to_owned(), 1)]);
    /// ```
    ///
    /// # Errors
    /// The first of the file, with line and column: a line of too few columns, a score that is not a finite number, a
    /// document twice for a query, an id with a blank, bytes that are not UTF-8 or are NUL, a fault that `see` finds,
    /// and a file without a line.
    pub fn for_each_query<T: Send>(
        &self,
        see: impl Fn(&QueryRun) -> Result<T, Fault> + Sync,
    ) -> Result<Vec<(String, T)>, FormatError> {
        let blocks: Vec<u64> = (0..self.length.div_ceil(self.block)).collect();
        let read: Vec<Result<Block<T>, Wrong>> = blocks
            .into_par_iter()
            .map(|block| self.read_block(block * self.block, &see))
            .collect();
        let mut groups = Vec::new();
        let mut queries: Vec<String> = Vec::new();
        for block in read {
            let block = block.map_err(|wrong| self.error(wrong))?;
            let first = queries.len();
            queries.extend(block.queries);
            groups.extend(block.groups.into_iter().map(|group| Group {
                query: first + group.query,
                ..group
            }));
        }
        if groups.is_empty() {
            return Err(
                FormatError::invalid(Place::file(&self.path), "no line in this file")
                    .with_hint("a line of a run is: query iteration document rank score tag"),
            );
        }
        self.join(&queries, groups, &see)
    }

    /// One result a query: of those whose lines are not together, after reading them again.
    fn join<T: Send>(
        &self,
        queries: &[String],
        groups: Vec<Group<T>>,
        see: &(impl Fn(&QueryRun) -> Result<T, Fault> + Sync),
    ) -> Result<Vec<(String, T)>, FormatError> {
        let mut index: BTreeMap<&str, usize> = BTreeMap::new();
        let mut whole: Vec<(usize, Vec<Range<u64>>, Option<T>)> = Vec::new();
        for group in groups {
            if let Some(&at) = index.get(queries[group.query].as_str()) {
                whole[at].1.push(group.bytes);
                whole[at].2 = None;
            } else {
                index.insert(&queries[group.query], whole.len());
                whole.push((group.query, vec![group.bytes], group.value));
            }
        }
        let read = |(query, ranges, value): (usize, Vec<Range<u64>>, Option<T>)| match value {
            Some(value) => Ok((query, value)),
            None => self.read_ranges(&ranges, see).map(|value| (query, value)),
        };
        let values: Vec<Result<(usize, T), Wrong>> = whole.into_par_iter().map(read).collect();
        let mut out = Vec::with_capacity(values.len());
        let mut first: Option<Wrong> = None;
        for value in values {
            match value {
                Ok((query, value)) => out.push((queries[query].clone(), value)),
                Err(wrong) => {
                    if first
                        .as_ref()
                        .is_none_or(|first| wrong.offset() < first.offset())
                    {
                        first = Some(wrong);
                    }
                }
            }
        }
        match first {
            None => Ok(out),
            Some(wrong) => Err(self.error(wrong)),
        }
    }

    /// The queries that begin in a block.
    fn read_block<T>(
        &self,
        start: u64,
        see: &impl Fn(&QueryRun) -> Result<T, Fault>,
    ) -> Result<Block<T>, Wrong> {
        let end = (start + self.block).min(self.length);
        let Some(window) = self.window(start, end)? else {
            return Ok(Block::default());
        };
        let bytes = &window.bytes[window.mine.clone()];
        let offset = window.offset + window.mine.start as u64;
        let mut reader = Reader::new(see, true);
        match checked_text(bytes, offset) {
            Ok(text) => reader.part(text, offset)?,
            Err(wrong) => {
                // A fault in the lines before comes first.
                let good = usize::try_from(wrong.offset - offset).unwrap_or(0);
                let lines = memchr::memrchr(b'\n', &bytes[..good]).map_or(0, |at| at + 1);
                reader.part(checked_text(&bytes[..lines], offset)?, offset)?;
                reader.finish()?;
                return Err(wrong.into());
            }
        }
        reader.finish().map_err(Wrong::Spot)
    }

    /// A query's lines that are not together.
    fn read_ranges<T>(
        &self,
        ranges: &[Range<u64>],
        see: &impl Fn(&QueryRun) -> Result<T, Fault>,
    ) -> Result<T, Wrong> {
        let mut parts = Vec::new();
        for range in ranges {
            let mut bytes = Vec::new();
            self.read_more(&mut bytes, range.start, range.end)?;
            parts.push((range.start, bytes));
        }
        let mut reader = Reader::new(see, false);
        for (offset, bytes) in &parts {
            reader.part(checked_text(bytes, *offset)?, *offset)?;
        }
        let block = reader.finish()?;
        let mut groups = block.groups.into_iter();
        let value = groups.next().and_then(|group| group.value);
        Ok(value.expect("the lines of one query are one group"))
    }

    /// The bytes of the lines that belong to a block: those of the queries that begin in it.
    fn window(&self, start: u64, end: u64) -> Result<Option<Window>, Wrong> {
        let mut back = 4096_u64.min(start);
        let (mut bytes, first, before) = loop {
            let from = start - back;
            let mut bytes =
                Vec::with_capacity(usize::try_from(end - from).unwrap_or(0) + (512 << 10));
            self.read_more(&mut bytes, from, end)?;
            let into = usize::try_from(back).expect("looking back stays in memory");
            // A line begins at the start of the file, or behind the first end of line from the byte before on.
            let first = match into {
                0 => 0,
                _ => match memchr::memchr(b'\n', &bytes[into - 1..]) {
                    Some(at) => into + at,
                    None => return Ok(None),
                },
            };
            let before = last_query(&bytes[..first], from == 0).map(<[u8]>::to_vec);
            if before.is_some() || from == 0 {
                break (bytes, first, before);
            }
            back = (back * 2).min(start);
        };
        let offset = start - back;
        // The lines of the query that began before are not ours.
        let mut mine = first;
        while let Some((query, next)) = self.next_line(&mut bytes, offset, mine)? {
            if offset + mine as u64 >= end {
                return Ok(None);
            }
            if query.is_some_and(|query| Some(&bytes[query]) != before.as_deref()) {
                break;
            }
            mine = next;
        }
        if mine == bytes.len() {
            return Ok(None);
        }
        // All lines that begin in the block are ours, and then those of the last query among them.
        let in_block = usize::try_from(end - offset).expect("a block is in memory");
        let mut stop = mine;
        if let Some(line) = memchr::memrchr(b'\n', &bytes[..in_block]) {
            stop = stop.max(line + 1);
        }
        let mut last = last_query(&bytes[mine..stop], true).map(<[u8]>::to_vec);
        while let Some((query, next)) = self.next_line(&mut bytes, offset, stop)? {
            let begins_here = offset + (stop as u64) < end;
            match query {
                Some(query) if begins_here => last = Some(bytes[query].to_vec()),
                Some(query) if Some(&bytes[query.clone()]) != last.as_deref() => break,
                _ => {}
            }
            stop = next;
        }
        Ok(Some(Window {
            bytes,
            offset,
            mine: mine..stop,
        }))
    }

    /// The line that begins at a position: the range of its query and the beginning of the next line. More of the
    /// file is read if the line's end is not in memory.
    fn next_line(
        &self,
        bytes: &mut Vec<u8>,
        offset: u64,
        start: usize,
    ) -> Result<Option<Line>, Wrong> {
        let mut searched = start;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &bytes[searched..]) {
                let end = searched + at;
                return Ok(Some((
                    query_of(&bytes[start..end]).map(|q| q.start + start..q.end + start),
                    end + 1,
                )));
            }
            searched = bytes.len();
            let read = offset + bytes.len() as u64;
            if read >= self.length {
                let line = &bytes[start..];
                let query = query_of(line).map(|q| q.start + start..q.end + start);
                return Ok((!line.is_empty()).then_some((query, bytes.len())));
            }
            self.read_more(bytes, read, (read + (256 << 10)).min(self.length))?;
        }
    }

    fn read_more(&self, bytes: &mut Vec<u8>, from: u64, to: u64) -> Result<(), Wrong> {
        let held = bytes.len();
        let more = usize::try_from(to - from).unwrap_or(usize::MAX);
        bytes.resize(held + more, 0);
        self.plain
            .read_exact_at(&mut bytes[held..], from)
            .map_err(|error| Wrong::Io(from, error))
    }

    fn error(&self, wrong: Wrong) -> FormatError {
        match wrong {
            Wrong::Spot(spot) => spot.locate(&self.path, &self.plain),
            Wrong::Io(_, error) => source::cannot_read(&self.path, error),
        }
    }
}

/// The range of a line's query, and the beginning of the next line.
type Line = (Option<Range<usize>>, usize);

/// Some bytes of the file, and which of them are whole lines to read.
struct Window {
    bytes: Vec<u8>,
    offset: u64,
    mine: Range<usize>,
}

/// A fault, with its byte.
enum Wrong {
    Spot(Spot),
    Io(u64, std::io::Error),
}

impl Wrong {
    fn offset(&self) -> u64 {
        match self {
            Wrong::Spot(spot) => spot.offset,
            Wrong::Io(offset, _) => *offset,
        }
    }
}

impl From<Spot> for Wrong {
    fn from(spot: Spot) -> Self {
        Wrong::Spot(spot)
    }
}

/// The range of the query of a line; `None` in empty lines.
fn query_of(line: &[u8]) -> Option<Range<usize>> {
    let columns = Columns::first(line)?;
    Some(columns.start..columns.end)
}

/// The query of the last line that has one; the first bytes are the end of a line unless `whole`.
fn last_query(bytes: &[u8], whole: bool) -> Option<&[u8]> {
    let mut end = bytes.len();
    while end > 0 {
        let line_end = if bytes[end - 1] == b'\n' {
            end - 1
        } else {
            end
        };
        let start = memchr::memrchr(b'\n', &bytes[..line_end]).map_or(0, |at| at + 1);
        if start == 0 && !whole {
            return None;
        }
        if let Some(query) = query_of(&bytes[start..line_end]) {
            return Some(&bytes[start..line_end][query]);
        }
        end = start;
    }
    None
}

/// The queries of a block.
struct Block<T> {
    queries: Vec<String>,
    groups: Vec<Group<T>>,
}

impl<T> Default for Block<T> {
    fn default() -> Self {
        Block {
            queries: Vec::new(),
            groups: Vec::new(),
        }
    }
}

/// Lines of one query that are together.
struct Group<T> {
    /// Index of the query.
    query: usize,
    bytes: Range<u64>,
    /// The result; `None` if the query has other lines.
    value: Option<T>,
}

/// Lines to groups.
struct Reader<'a, 's, T, S: Fn(&QueryRun) -> Result<T, Fault>> {
    see: &'s S,
    /// True if other lines between those of one query begin a new group.
    splits: bool,
    block: Block<T>,
    index: BTreeMap<&'a str, usize>,
    query: &'a str,
    bytes: Range<u64>,
    documents: Vec<Scored<'a>>,
    places: Vec<u64>,
    seen: Distinct,
}

impl<'a, 's, T, S: Fn(&QueryRun) -> Result<T, Fault>> Reader<'a, 's, T, S> {
    fn new(see: &'s S, splits: bool) -> Self {
        Reader {
            see,
            splits,
            block: Block::default(),
            index: BTreeMap::new(),
            query: "",
            bytes: 0..0,
            documents: Vec::new(),
            places: Vec::new(),
            seen: Distinct::default(),
        }
    }

    /// Reads lines; the first begins at byte `offset` of the file.
    fn part(&mut self, text: &'a str, offset: u64) -> Result<(), Spot> {
        let bytes = text.as_bytes();
        let mut start = 0;
        for end in
            memchr::memchr_iter(b'\n', bytes).chain((!text.ends_with('\n')).then_some(bytes.len()))
        {
            let line = text.get(start..end).expect("lines end at characters");
            self.line(line, offset + start as u64)?;
            start = end + 1;
        }
        Ok(())
    }

    fn line(&mut self, line: &'a str, offset: u64) -> Result<(), Spot> {
        let columns = Columns::of(line.as_bytes());
        if columns.count() == 0 {
            return Ok(());
        }
        let text = |index: usize| {
            let column = columns.get(index);
            line.get(column.start..column.end)
                .expect("columns end at blanks")
        };
        let at = |index: usize| offset + columns.get(index).start as u64;
        if columns.count() < 6 {
            let wanted = "6: query iteration document rank score tag";
            return Err(columns::wrong_count(wanted, line, &columns, offset));
        }
        let query = text(0);
        if query != self.query || self.documents.is_empty() {
            self.end_group()?;
            self.query = query;
            self.bytes.start = offset;
        }
        // Columns behind the tag are passed over, but a blank in an id moves every column.
        if !text(3).starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
            let message = format!("the rank `{}` is not a number", text(3));
            return Err(Spot::new(at(3), message).with_hint(
                "an id with a blank moves the columns: query iteration document rank score tag",
            ));
        }
        let doc = text(2);
        let score = columns::score(text(4))
            .map_err(|(message, hint)| Spot::new(at(4), message).with_hint(hint))?;
        let documents = &self.documents;
        if self.seen.insert(doc, |at| documents[at].doc).is_some() {
            let message = format!("the document `{doc}` occurs twice for the query `{query}`");
            return Err(Spot::new(at(2), message)
                .with_hint("keep one of the two scores; barecode does not choose"));
        }
        self.documents.push(Scored { doc, score });
        self.places.push(at(2));
        self.bytes.end = offset + line.len() as u64;
        Ok(())
    }

    fn end_group(&mut self) -> Result<(), Spot> {
        if self.documents.is_empty() {
            return Ok(());
        }
        let known = self.index.get(self.query).copied();
        let query = known.unwrap_or_else(|| {
            self.index.insert(self.query, self.block.queries.len());
            self.block.queries.push(self.query.to_owned());
            self.block.queries.len() - 1
        });
        // A query that occurred before is read again as a whole.
        let value = match known {
            Some(_) if self.splits => None,
            _ => {
                let run = QueryRun {
                    query: self.query,
                    documents: &self.documents,
                    seen: &self.seen,
                };
                let value = (self.see)(&run).map_err(|fault| Spot {
                    offset: self.places[fault.at],
                    message: fault.message,
                    hint: fault.hint,
                })?;
                Some(value)
            }
        };
        self.block.groups.push(Group {
            query,
            bytes: self.bytes.clone(),
            value,
        });
        self.documents.clear();
        self.places.clear();
        self.seen.clear();
        Ok(())
    }

    fn finish(mut self) -> Result<Block<T>, Spot> {
        self.end_group()?;
        Ok(self.block)
    }
}
