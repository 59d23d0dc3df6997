//! The items of a closure → its text, in the order of the translation unit.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use barecode_records::{Closure, Function, HelperBodies, HelperSpan, Id, Piece, PieceKind, Span};

use super::grow::{Form, Growing};
use super::{BEFORE_HEADERS, Index, Target};
use crate::emit;
use crate::items::ItemKind;

/// A part of the translation unit that becomes a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    Item(usize, Form),
    Macro(usize),
}

/// A text under construction, and its pieces.
#[derive(Default)]
struct Written {
    text: String,
    pieces: Vec<Piece>,
    /// The scopes that are open, from the outermost in.
    open: Vec<usize>,
}

impl Written {
    fn line(&mut self, kind: PieceKind, shown: &str, names: Vec<String>) -> Span {
        let start = self.text.len();
        self.text.push_str(shown);
        let span = Span::from(start..self.text.len());
        self.text.push('\n');
        self.pieces.push(Piece {
            kind,
            span,
            names,
            external: false,
        });
        span
    }

    fn blank_line(&mut self) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
    }
}

/// The text of an item, and the ranges of the functions inside of it.
#[derive(Debug)]
pub(super) struct Shown {
    text: String,
    /// By the function's number.
    inside: BTreeMap<usize, Range<usize>>,
}

impl Index<'_> {
    pub(super) fn write(
        &self,
        grown: &Growing,
        target: Target,
        direct: &BTreeSet<&str>,
        source: &str,
        bodies: HelperBodies,
    ) -> Closure {
        let mut written = Written::default();
        for name in BEFORE_HEADERS {
            if let Some(&event) = self.meaning_of(name).macros.first() {
                let shown = self.directive(event);
                written.line(PieceKind::Directive, shown, vec![name.to_owned()]);
            }
        }
        for header in &self.unit.system_headers {
            let shown = format!("#include <{header}>");
            written.line(PieceKind::Header, &shown, vec![header.clone()]);
        }
        let parts = self.parts(grown);
        let mut target_span = Span { start: 0, end: 0 };
        let mut helpers = Vec::new();
        for part in &parts {
            if let Part::Item(at, _) = *part {
                self.enter(self.scope(at), &mut written);
            }
            written.blank_line();
            match *part {
                Part::Macro(event) => {
                    let name = self.unit.macro_events[event].name.to_string();
                    let shown = self.directive(event);
                    written.line(PieceKind::Directive, shown, vec![name]);
                }
                Part::Item(at, form) => {
                    let kind = self.kind(at, form, target, direct);
                    let shown = self.shown(at, form, grown);
                    let span = written.line(kind, &shown.text, self.declared(at));
                    if at == target.item && target.inner.is_none() {
                        target_span = span;
                    }
                    let path = &self.reading(at).file.path;
                    if let (PieceKind::Helper, Some(name)) = (kind, self.item(at).function_name()) {
                        let function_id = Function::id_of(source, path, name, &shown.text);
                        helpers.push(helper(name, function_id, span));
                    }
                    for (&number, range) in &shown.inside {
                        let inner = &self.item(at).inner[number];
                        let text = shown.text.get(range.clone()).unwrap_or_default();
                        let start = span.start as usize;
                        let span = Span::from(start + range.start..start + range.end);
                        let this = Target {
                            item: at,
                            inner: Some(number),
                        };
                        if this == target {
                            target_span = span;
                        } else if direct.contains(&*inner.name) {
                            let function_id = Function::id_of(source, path, &inner.name, text);
                            helpers.push(helper(&inner.name, function_id, span));
                        }
                    }
                }
            }
        }
        self.enter(0, &mut written);
        Closure {
            text: written.text,
            target: target_span,
            helpers,
            helper_bodies: bodies,
            items: u32::try_from(parts.len()).unwrap_or(u32::MAX),
            pieces: written.pieces,
            helper_external: Vec::new(),
            missing_headers: self.unit.missing_headers.clone(),
            assumed_headers: self.unit.assumed_headers.clone(),
        }
    }

    /// Closes and opens scopes until `scope` is the innermost.
    fn enter(&self, scope: usize, written: &mut Written) {
        let mut wanted = Vec::new();
        let mut at = scope;
        while at != 0 {
            wanted.push(at);
            at = self.unit.scopes[at].parent;
        }
        wanted.reverse();
        let common = wanted
            .iter()
            .zip(&written.open)
            .take_while(|(a, b)| a == b)
            .count();
        while written.open.len() > common {
            written.open.pop();
            written.line(PieceKind::Scope, "}", Vec::new());
        }
        for &scope in &wanted[common..] {
            written.blank_line();
            let opening = &self.unit.scopes[scope].opening;
            let names = vec![self.unit.scopes[scope].path.clone()];
            written.line(PieceKind::Scope, opening, names);
            written.open.push(scope);
        }
    }

    /// The parts of the closure, in order.
    fn parts(&self, grown: &Growing) -> Vec<Part> {
        let items = grown
            .forms()
            .map(|(at, form)| (self.placed[at].position, Part::Item(at, form)));
        // A whole item contains the definitions inside of it.
        let whole = grown.forms().filter(|&(_, form)| form == Form::Whole);
        let ranges: BTreeMap<(usize, usize), usize> = whole
            .map(|(at, _)| {
                let range = &self.item(at).range;
                ((self.placed[at].reading, range.start), range.end)
            })
            .collect();
        let is_inside = |&&event: &&usize| {
            let event = &self.unit.macro_events[event];
            let before = ranges.range(..(event.reading, event.start)).next_back();
            before
                .is_some_and(|(&(reading, _), &end)| reading == event.reading && event.start < end)
        };
        let macros = grown
            .macros
            .iter()
            .filter(|event| !is_inside(event))
            .map(|&event| (self.unit.macro_events[event].position, Part::Macro(event)));
        let mut parts: Vec<_> = items.chain(macros).collect();
        if self.is_cpp() {
            parts.extend(self.directives(grown));
        }
        parts.sort_by_key(|&(position, part)| (position, part));
        parts.dedup();
        parts.into_iter().map(|(_, part)| part).collect()
    }

    /// The `using namespace` of namespaces in the closure.
    fn directives(&self, grown: &Growing) -> Vec<(u64, Part)> {
        if self.directives.is_empty() {
            return Vec::new();
        }
        let last = grown.forms().map(|(at, _)| self.placed[at].position).max();
        let scopes: BTreeSet<usize> = grown.forms().map(|(at, _)| self.scope(at)).collect();
        let paths: BTreeSet<String> = scopes
            .into_iter()
            .map(|scope| self.unit.scopes[scope].path.replace("inline ", ""))
            .collect();
        let is_there = |name: &str, scope: usize| {
            let around = self.unit.scopes[scope].path.replace("inline ", "");
            let mut first = name.split("::");
            let ends = |path: &String| {
                path == name
                    || path.starts_with(&format!("{name}::"))
                    || (!around.is_empty()
                        && format!("{path}::").starts_with(&format!("{around}::{name}::")))
            };
            first.next() == Some("std") || paths.iter().any(ends)
        };
        let mut directives = Vec::new();
        for &at in &self.directives {
            let placed = &self.placed[at];
            let Some(name) = &self.item(at).directive else {
                continue;
            };
            let macros = name
                .split("::")
                .map(|part| &self.meaning_of(part).macros[..]);
            let events = macros
                .flatten()
                .map(|&event| (event, &self.unit.macro_events[event]));
            let events: Vec<_> = events
                .filter(|(_, event)| event.position < placed.position)
                .collect();
            let mut spelled = name.to_string();
            for (_, event) in &events {
                if let Some([word]) = event
                    .definition
                    .as_ref()
                    .map(|definition| &definition.body[..])
                {
                    spelled = spelled.replace(&*event.name, &word.text);
                }
            }
            if Some(placed.position) < last && is_there(&spelled, self.scope(at)) {
                directives.push((placed.position, Part::Item(at, Form::Whole)));
                let parts = events
                    .iter()
                    .map(|&(at, event)| (event.position, Part::Macro(at)));
                directives.extend(parts);
            }
        }
        directives
    }

    /// The kind of an item in a closure.
    fn kind(&self, at: usize, form: Form, target: Target, direct: &BTreeSet<&str>) -> PieceKind {
        if at == target.item {
            return PieceKind::Target;
        }
        match (form, self.item(at).function_name()) {
            (Form::Whole, Some(name)) if direct.contains(name) => PieceKind::Helper,
            (Form::Whole, Some(_)) => PieceKind::Definition,
            _ => PieceKind::Declaration,
        }
    }

    /// The names that an item declares, each once, those of classes that it names among them.
    fn declared(&self, at: usize) -> Vec<String> {
        let declared = self.item(at).declares.iter();
        // A class that is only named in another one is declared by that.
        let named = self.item(at).elaborated.iter().map(|name| &**name);
        let names: BTreeSet<&str> = declared
            .map(|declared| &*declared.name)
            .chain(named)
            .collect();
        names.into_iter().map(str::to_owned).collect()
    }

    fn directive(&self, number: usize) -> &str {
        self.shown_macros[number].get_or_init(|| {
            let event = &self.unit.macro_events[number];
            emit::text(self.unit, event.reading, event.start..event.end)
        })
    }

    /// An item as it is in a closure; most closures of a unit show it in the same way.
    fn shown(&self, at: usize, form: Form, grown: &Growing) -> Arc<Shown> {
        let kept = grown.bodies_inside.range((at, 0)..(at + 1, 0));
        let kept: Vec<usize> = kept.map(|&(_, number)| number).collect();
        let mut known = self.shown[at]
            .lock()
            .expect("no thread panics with the lock");
        let same = |(other, bodies, _): &&(Form, Vec<usize>, _)| *other == form && *bodies == kept;
        if let Some((_, _, shown)) = known.iter().find(same) {
            return shown.clone();
        }
        let shown = Arc::new(self.show(at, form, &kept));
        known.push((form, kept, shown.clone()));
        shown
    }

    fn show(&self, at: usize, form: Form, kept: &[usize]) -> Shown {
        let item = self.item(at);
        if let (Some(body), Form::Head) = (&item.body, form) {
            let reading = self.placed[at].reading;
            return Shown {
                text: emit::head(self.unit, reading, item.range.clone(), body.clone()),
                inside: BTreeMap::new(),
            };
        }
        self.whole(at, &|number| kept.contains(&number))
    }

    /// The text of the item at `at`, whole.
    pub fn text(&self, at: usize) -> String {
        self.whole(at, &|_| true).text
    }

    /// An item with those bodies inside of it that remain.
    fn whole(&self, at: usize, keeps: &dyn Fn(usize) -> bool) -> Shown {
        let item = self.item(at);
        let numbers = 0..item.inner.len();
        let (kept, left): (Vec<usize>, Vec<usize>) = numbers.partition(|&number| keeps(number));
        let holes: Vec<Range<usize>> = left
            .iter()
            .map(|&number| item.inner[number].body.clone())
            .collect();
        let places: Vec<usize> = kept
            .iter()
            .flat_map(|&number| [item.inner[number].range.start, item.inner[number].range.end])
            .collect();
        let reading = self.placed[at].reading;
        let (mut text, places) =
            emit::text_with_holes(self.unit, reading, item.range.clone(), &holes, &places);
        let ended = match item.kind {
            ItemKind::Function => true,
            ItemKind::Tag => text.ends_with(';'),
            _ => text.ends_with([';', '}']),
        };
        if !ended {
            text.push(';');
        }
        let ranges = places.chunks_exact(2).map(|place| place[0]..place[1]);
        Shown {
            text,
            inside: kept.into_iter().zip(ranges).collect(),
        }
    }
}

fn helper(name: &str, function_id: Id, span: Span) -> HelperSpan {
    HelperSpan {
        name: name.to_owned(),
        function_id,
        span,
    }
}
