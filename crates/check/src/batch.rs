//! Many texts in one process.
//!
//! Texts of one leading block are put after one copy of it, separated from the others (see
//! [`isolate`](crate::isolate)), and compiled at once. The line marks of errors show their texts; those texts are
//! removed and the rest is compiled again. A batch whose errors cannot be assigned is halved again and again, and
//! single texts are left to the caller. For code, only acceptance is decided here, and only as each text alone would
//! be accepted. Errors and assembly are read too. For these a single text is prepared in the same way as one among
//! many, so the answer does not show how many texts share its process.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use barecode_records::Language;

use crate::assembly::{self, Functions};
use crate::header_cache::HeaderCache;
use crate::isolate::{Split, file_name, fits_name_space, renamed, rooted, slot_of};
use crate::order::{ALL_ERRORS, Done, Order, Work};
use crate::positions::may_branch_in_macros;
use crate::question::{KEEPER, Question};
use crate::{CheckError, Compiler, Verdict, listing, object};

/// Number of texts that share a process.
pub(crate) const TOGETHER: usize = 64;

/// Number of bytes that they may have, leading blocks left out. With more C++, a process comes near the time limit
/// of one text, and reaching a limit wastes time.
const BYTES: usize = 512 << 10;

/// The question about each text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ask {
    /// The size of the function's code.
    Code,
    /// The errors.
    Errors,
    /// The errors of some texts; others of the same batch may stay without an answer.
    SomeErrors,
    /// All functions as assembly.
    Assembly,
    /// The listing of a text of C, without names.
    Listing,
}

impl Ask {
    /// Returns `true` if the words of an answer count, so that a text by itself must be prepared as one among many.
    fn is_quoted(self) -> bool {
        matches!(self, Ask::Errors | Ask::SomeErrors | Ask::Assembly)
    }

    /// Returns the number of texts for the work to be worth it.
    fn least(self) -> usize {
        if self.is_quoted() { 1 } else { 2 }
    }
}

/// The result for a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// It compiles, and the function has this much code.
    Code(u64),
    /// It has no errors.
    Clean,
    /// The code that it compiles to.
    Assembly(Functions),
    /// Its listing, without names.
    Listing(String),
    /// It has these errors; others might show once they are gone.
    Errors(String),
    /// Others have errors, so the result of this one is unknown.
    Unsaid,
}

/// A text of the batch.
struct Member<'q> {
    /// Its index among the questions.
    index: usize,
    question: &'q Question,
    /// The text, with the mark of its function.
    text: String,
    /// The names that it may miss.
    missing: &'q [&'q str],
}

/// Returns the results for many texts of one compiler; `None` for a text that must be compiled alone. `missing`
/// contains the names that each text may miss, if any.
///
/// # Errors
/// When the compiler cannot be run.
pub(crate) fn ask<'q>(
    compiler: &Compiler,
    headers: &HeaderCache,
    questions: &[&'q Question],
    missing: &'q [Vec<&'q str>],
    ask: Ask,
) -> Result<Vec<Option<Found>>, CheckError> {
    let mut found = vec![None; questions.len()];
    let mut groups: BTreeMap<&str, Vec<Member<'_>>> = BTreeMap::new();
    for (index, &question) in questions.iter().enumerate() {
        let split = Split::of(&question.text);
        if split.is_contained() {
            groups.entry(split.block).or_default().push(Member {
                index,
                question,
                text: question.marked_text(),
                missing: missing.get(index).map_or(&[], Vec::as_slice),
            });
        }
    }
    for (block, members) in groups {
        for members in portions(&members) {
            if members.len() >= ask.least() {
                let mut batch = Batch {
                    compiler,
                    headers,
                    ask,
                    block,
                    found: &mut found,
                };
                batch.work(members)?;
            }
        }
    }
    Ok(found)
}

/// Neighbors that share a process.
fn portions<'m, 'q>(members: &'m [Member<'q>]) -> Vec<&'m [Member<'q>]> {
    let mut portions = Vec::new();
    let mut rest = members;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take(TOGETHER).take_while(|member| {
            bytes += Split::of(&member.text).rest.len();
            bytes <= BYTES
        });
        let (portion, after) = rest.split_at(fits.count().max(1));
        portions.push(portion);
        rest = after;
    }
    portions
}

struct Batch<'b> {
    compiler: &'b Compiler,
    headers: &'b HeaderCache,
    ask: Ask,
    block: &'b str,
    found: &'b mut [Option<Found>],
}

/// The parts of a batch, ready to be compiled.
struct Parts {
    /// The text before them; empty if it comes from a header.
    head: String,
    /// By slot.
    by_slot: BTreeMap<usize, String>,
    preprocessed: bool,
}

/// The result of a run of the compiler.
enum Response {
    Done(Vec<u8>),
    /// Errors, by slot.
    Errors(BTreeMap<usize, String>),
    /// A limit was reached, or the errors cannot be assigned to texts.
    Unclear,
}

impl Batch<'_> {
    fn work(&mut self, members: &[Member<'_>]) -> Result<(), CheckError> {
        let prepared = match self.compiler.language() {
            Language::CPP
                if members
                    .iter()
                    .all(|member| member.question.language == Language::CPP) =>
            {
                self.wrap(members)?
            }
            _ => self.rename(members)?,
        };
        let Some(mut prepared) = prepared else {
            return self.divide(members);
        };
        loop {
            if prepared.by_slot.len() < self.ask.least() {
                return Ok(());
            }
            match self.compile(&prepared)? {
                Response::Done(output) => return self.finish(members, &prepared, &output),
                Response::Errors(errors)
                    if errors
                        .keys()
                        .any(|slot| prepared.by_slot.contains_key(slot)) =>
                {
                    for (slot, errors) in errors {
                        prepared.by_slot.remove(&slot);
                        self.set(members, slot, Found::Errors(errors));
                    }
                    if self.ask == Ask::SomeErrors {
                        for &slot in prepared.by_slot.keys() {
                            self.set(members, slot, Found::Unsaid);
                        }
                        return Ok(());
                    }
                }
                Response::Errors(_) | Response::Unclear => {
                    let left: Vec<Member<'_>> = members
                        .iter()
                        .enumerate()
                        .filter(|(slot, _)| prepared.by_slot.contains_key(slot))
                        .map(|(_, member)| Member {
                            text: member.text.clone(),
                            ..*member
                        })
                        .collect();
                    return self.divide(&left);
                }
            }
        }
    }

    /// Stores the result for the text of a slot.
    fn set(&mut self, members: &[Member<'_>], slot: usize, found: Found) {
        if let Some(member) = members.get(slot) {
            self.found[member.index] = Some(found);
        }
    }

    /// An eighth at a time: one text that reaches a limit costs that limit twice, and not once a halving.
    fn divide(&mut self, members: &[Member<'_>]) -> Result<(), CheckError> {
        let least = self.ask.least();
        if members.len() < 2 * least {
            return Ok(());
        }
        for members in members.chunks(members.len().div_ceil(8).max(least)) {
            if members.len() >= least {
                self.work(members)?;
            }
        }
        Ok(())
    }

    /// C++: each text in a name space.
    fn wrap(&mut self, members: &[Member<'_>]) -> Result<Option<Parts>, CheckError> {
        let Some(facts) = self.headers.facts(self.compiler, self.block)? else {
            return Ok(None);
        };
        let mut parts = BTreeMap::new();
        for (slot, member) in members.iter().enumerate() {
            if !fits_name_space(&Split::of(&member.question.text), &facts) {
                continue;
            }
            let split = Split::of(&member.text);
            let file = file_name(slot, "cpp");
            let mut rest = rooted(split.rest, &facts, &space(slot));
            if self.ask.is_quoted() {
                // Names of C's linkage are the same in all name spaces.
                rest = without_linkage(&rest);
            }
            let part = between_macros(&split, |part| {
                put(
                    part,
                    format_args!(
                        "namespace {} {{\n#line {} \"{file}\"\n{}\n#line 1 \"after\"\n}}\n",
                        space(slot),
                        split.line,
                        rest
                    ),
                );
            });
            parts.insert(slot, part);
        }
        Ok(Some(Parts {
            head: self.block.to_owned(),
            by_slot: parts,
            preprocessed: false,
        }))
    }

    /// C: the preprocessor first, then each name of a text with an ending.
    fn rename(&mut self, members: &[Member<'_>]) -> Result<Option<Parts>, CheckError> {
        let mut left: BTreeSet<usize> = (0..members.len())
            .filter(|&slot| self.ask != Ask::Code || !may_branch_in_macros(members[slot].question))
            .collect();
        let preprocessed = loop {
            if left.len() < self.ask.least() {
                return Ok(Some(Parts {
                    head: String::new(),
                    by_slot: BTreeMap::new(),
                    preprocessed: true,
                }));
            }
            let mut text = self.block.to_owned();
            for &slot in &left {
                let member = &members[slot];
                let split = Split::of(&member.text);
                let file = file_name(slot, "c");
                text.push_str(&between_macros(&split, |part| {
                    put(
                        part,
                        format_args!("\n#line {} \"{file}\"\n{}\n", split.line, split.rest),
                    );
                    if self.compiler.language() == Language::C {
                        let name = &member.question.function;
                        put(
                            part,
                            format_args!("__typeof__({name}) *{KEEPER} = &{name};\n"),
                        );
                    }
                    part.push_str("#line 1 \"after\"\n;\n");
                }));
            }
            let order = Order {
                all_errors: true,
                ..Order::of(Work::Preprocess, &text)
            };
            match response(self.compiler.work(&order)?) {
                Response::Done(output) => break output,
                // The compiler would report more errors of these than the preprocessor did.
                Response::Errors(errors) if errors.keys().any(|slot| left.contains(slot)) => {
                    left.retain(|slot| !errors.contains_key(slot));
                }
                Response::Errors(_) | Response::Unclear => return Ok(None),
            }
        };
        let preprocessed = String::from_utf8_lossy(&preprocessed);
        let (head, texts) = apart(&preprocessed);
        let facts = self.headers.learn(self.compiler, self.block, &head);
        let parts = texts.into_iter().filter_map(|(slot, text)| {
            // A word of the headers is one name for all texts: the first text that misses it may be the only one
            // with an error.
            let missing = members.get(slot)?.missing;
            if missing.iter().any(|name| facts.words.contains(*name)) {
                return None;
            }
            let part = renamed(&text, &facts, &ending(slot))?;
            Some((slot, format!("{part}\n# 1 \"after\"\n;\n")))
        });
        Ok(Some(Parts {
            by_slot: parts.collect(),
            head,
            preprocessed: true,
        }))
    }

    fn compile(&self, parts: &Parts) -> Result<Response, CheckError> {
        let header = if parts.preprocessed {
            None
        } else {
            self.headers.header(self.compiler, self.block)?
        };
        let mut text = String::new();
        if header.is_none() {
            text.push_str(&parts.head);
            text.push('\n');
        }
        text.extend(parts.by_slot.values().map(String::as_str));
        let work = match self.ask {
            Ask::Code => Work::Object,
            Ask::Errors | Ask::SomeErrors => Work::Syntax,
            Ask::Assembly | Ask::Listing => Work::Assembly,
        };
        let order = Order {
            preprocessed: parts.preprocessed,
            header: header.as_ref().map(|header| header.header.as_path()),
            all_errors: true,
            ..Order::of(work, &text)
        };
        let mut response = response(self.compiler.work(&order)?);
        if let (Response::Errors(errors), true) = (&mut response, parts.preprocessed) {
            for (&slot, errors) in errors {
                *errors = errors.replace(&ending(slot), "");
            }
        }
        Ok(response)
    }

    /// Stores each text's part of the output.
    fn finish(
        &mut self,
        members: &[Member<'_>],
        parts: &Parts,
        output: &[u8],
    ) -> Result<(), CheckError> {
        let (compiler, ask) = (self.compiler, self.ask);
        let unreadable = |error: ::object::Error| compiler.unreadable(error.to_string());
        let mut set = |slot: usize, found: Found| self.set(members, slot, found);
        let slots = parts.by_slot.keys().copied();
        match ask {
            Ask::Errors | Ask::SomeErrors => slots.for_each(|slot| set(slot, Found::Clean)),
            Ask::Assembly => {
                let slot_of: fn(&str) -> Option<usize> = if parts.preprocessed {
                    slot_of_ending
                } else {
                    slot_of_symbol
                };
                let mut functions = assembly::read(&String::from_utf8_lossy(output), slot_of);
                for slot in slots {
                    set(
                        slot,
                        Found::Assembly(functions.remove(&slot).unwrap_or_default()),
                    );
                }
            }
            Ask::Listing => {
                let listings = listing::read(&String::from_utf8_lossy(output));
                for (slot, listed) in listings.into_iter().flatten() {
                    set(slot, Found::Listing(listed));
                }
            }
            Ask::Code if parts.preprocessed => {
                let keepers: Vec<String> = slots
                    .clone()
                    .map(|slot| format!("{KEEPER}{}", ending(slot)))
                    .collect();
                let sizes =
                    object::kept(output, keepers.iter().map(String::as_str)).map_err(unreadable)?;
                for (slot, size) in slots.zip(sizes) {
                    set(slot, Found::Code(size));
                }
            }
            Ask::Code => {
                let mut sizes: BTreeMap<usize, u64> = BTreeMap::new();
                for (names, size) in object::marked(output).map_err(unreadable)? {
                    // A function of C's linkage has no name space in its symbol; it is compiled alone.
                    if let Some(slot) = names.iter().find_map(|name| slot_of_symbol(name)) {
                        *sizes.entry(slot).or_default() += size;
                    }
                }
                for slot in slots {
                    let template = members
                        .get(slot)
                        .is_some_and(|member| member.question.is_template);
                    if let Some(size) = sizes.get(&slot).copied().or(template.then_some(0)) {
                        set(slot, Found::Code(size));
                    }
                }
            }
        }
        Ok(())
    }
}

/// The ending of a text's names.
pub(crate) fn ending(slot: usize) -> String {
    format!("__u{slot:03}")
}

/// The name space of a text.
fn space(slot: usize) -> String {
    format!("barecode_u{slot:03}")
}

/// The slot in a mangled name: the outermost name space is a text's.
pub(crate) fn slot_of_symbol(symbol: &str) -> Option<usize> {
    let (_, rest) = symbol.split_once("13barecode_u")?;
    rest.get(..3)?.parse().ok()
}

/// The slot in a symbol of a text whose names have an ending.
fn slot_of_ending(symbol: &str) -> Option<usize> {
    let (_, rest) = symbol.rsplit_once("__u")?;
    rest.get(..3)?.parse().ok()
}

/// A text of C++ whose names all have C++'s linkage.
fn without_linkage(text: &str) -> String {
    let mut parts = text.split("extern");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push_str("extern");
        let behind = part.trim_start();
        match behind.strip_prefix("\"C\"") {
            Some(rest) => {
                out.push_str(part.get(..part.len() - behind.len()).unwrap_or_default());
                out.push_str("\"C++\"");
                out.push_str(rest);
            }
            None => out.push_str(part),
        }
    }
    out
}

/// Adds to a text.
fn put(text: &mut String, words: std::fmt::Arguments<'_>) {
    text.write_fmt(words).expect("memory takes any text");
}

/// A part between lines that save the macros it changes and restore them.
fn between_macros(split: &Split<'_>, fill: impl FnOnce(&mut String)) -> String {
    let mut part = String::new();
    let macros = split.macros();
    for name in &macros {
        put(&mut part, format_args!("#pragma push_macro(\"{name}\")\n"));
    }
    fill(&mut part);
    for name in &macros {
        put(&mut part, format_args!("#pragma pop_macro(\"{name}\")\n"));
    }
    part
}

/// Splits a preprocessed batch into the code before the first text, and each text with its line marks.
fn apart(preprocessed: &str) -> (String, BTreeMap<usize, String>) {
    let mut head = String::new();
    let mut texts: BTreeMap<usize, String> = BTreeMap::new();
    let mut place = None;
    let mut begun = false;
    for line in preprocessed.split_inclusive('\n') {
        if let Some((_, file)) = line
            .strip_prefix("# ")
            .and_then(|mark| mark.split_once('"'))
        {
            place = slot_of(file);
            begun |= place.is_some();
        }
        match place {
            Some(slot) => texts.entry(slot).or_default().push_str(line),
            None if !begun => head.push_str(line),
            None => {}
        }
    }
    (head, texts)
}

fn response(done: Done) -> Response {
    match done.failed {
        None => Response::Done(done.output),
        // The last errors may be lost.
        Some(_) if done.stderr.len() >= ALL_ERRORS => Response::Unclear,
        Some(Verdict::Refused { .. }) => {
            let errors = whose(&done.stderr);
            if errors.is_empty() {
                Response::Unclear
            } else {
                Response::Errors(errors)
            }
        }
        Some(_) => Response::Unclear,
    }
}

/// The errors in a compiler's output about one text, as [`ask`] reports them for each.
pub(crate) fn errors_of(stderr: &str) -> String {
    let lines = stderr.split_inclusive('\n').filter(|line| is_told(line));
    lines.collect()
}

/// Returns `true` if a line of a compiler is an error, or a note about a missing declaration.
fn is_told(line: &str) -> bool {
    line.contains("error: ") || (line.contains("note: ") && line.contains("forward"))
}

/// The errors in a compiler's words, by slot.
///
/// An error in a header belongs to the text that was named last before it: in this way a compiler reports which text
/// it instantiates a template for.
fn whose(stderr: &str) -> BTreeMap<usize, String> {
    let mut errors: BTreeMap<usize, String> = BTreeMap::new();
    let mut last = None;
    for line in stderr.lines() {
        let named = slot_of(line).or_else(|| {
            let (_, rest) = line.split_once("from unit")?;
            slot_of(&format!("unit{rest}"))
        });
        last = named.or(last);
        let is_error = line.contains("error: ");
        if is_told(line)
            && let Some(slot) = last
        {
            let errors = errors.entry(slot).or_default();
            errors.push_str(line);
            errors.push('\n');
        }
        if is_error && named.is_none() && slot_of(line).is_none() {
            last = None;
        }
    }
    errors.retain(|_, errors| errors.contains("error: "));
    errors
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_their_files() {
        let stderr = "unit001.c: In function 'f':\nunit001.c:1:1: error: one\nunit004.c:2: warning: no\nIn file included from x:\n/usr/a: In instantiation of 'b':\nunit002.cpp:3:4:   required from here\n/usr/a:1: error: two\n/usr/b:1: error: nobody's\n";
        let errors = whose(stderr);
        assert_eq!(errors.keys().copied().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(errors[&2], "/usr/a:1: error: two\n");
    }

    #[test]
    fn a_preprocessed_batch_falls_into_its_texts() {
        let text = "# 1 \"a.h\"\nint a;\n# 3 \"unit000.c\"\nint b;\n# 3 \"unit000.c\" 3 4\nint c;\n# 1 \"after\"\n;\n# 1 \"unit001.c\"\nint d;\n";
        let (head, texts) = apart(text);
        assert_eq!(head, "# 1 \"a.h\"\nint a;\n");
        assert_eq!(
            texts[&0],
            "# 3 \"unit000.c\"\nint b;\n# 3 \"unit000.c\" 3 4\nint c;\n"
        );
        assert_eq!(texts[&1], "# 1 \"unit001.c\"\nint d;\n");
    }

    #[test]
    fn a_process_gets_no_more_than_it_can_do() {
        let of_bytes = |bytes: usize| Question {
            language: Language::C,
            text: "x".repeat(bytes),
            function: "f".to_owned(),
            target: barecode_records::Span { start: 0, end: 0 },
            is_template: true,
        };
        let sizes = |bytes: &[usize]| -> Vec<usize> {
            let questions: Vec<Question> = bytes.iter().copied().map(of_bytes).collect();
            let members: Vec<Member<'_>> = questions
                .iter()
                .enumerate()
                .map(|(index, question)| Member {
                    index,
                    question,
                    text: question.text.clone(),
                    missing: &[],
                })
                .collect();
            portions(&members).into_iter().map(<[_]>::len).collect()
        };
        assert_eq!(sizes(&[1; 2 * TOGETHER + 1]), [TOGETHER, TOGETHER, 1]);
        assert_eq!(
            sizes(&[BYTES / 2, BYTES / 2, 1, BYTES + 1, 1]),
            [2, 1, 1, 1]
        );
        assert_eq!(sizes(&[]), [0; 0]);
    }

    #[test]
    fn a_symbol_tells_its_text() {
        assert_eq!(slot_of_symbol("_ZN13barecode_u0071a1fEv"), Some(7));
        assert_eq!(slot_of_symbol("_Z1fv"), None);
        assert_eq!(slot_of_ending("a__u_f__u012"), Some(12));
        assert_eq!(slot_of_ending("puts"), None);
    }

    #[test]
    fn names_lose_the_linkage_of_c() {
        assert_eq!(
            without_linkage("extern \"C\" int f; extern  \"C\"{} extern int g; external"),
            "extern \"C++\" int f; extern  \"C++\"{} extern int g; external"
        );
    }
}
