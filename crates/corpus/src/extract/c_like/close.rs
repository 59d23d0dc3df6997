//! The later passes: the closure of each function that was drawn, with bodies of helpers from other files.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use barecode_languages::lex::lex;
use barecode_records::{Closure, DocComment, DocPlace, Function, Language};
use rayon::prelude::*;

use super::{Context, Items, weight};
use crate::closure::{Bounds, Index, Target, external};
use crate::definitions::Definitions;
use crate::doc;
use crate::extract::found::{Found, FoundDoc};
use crate::front_end::Closed;
use crate::items::ItemKind;
use crate::overload;
use crate::preprocess::unit::TranslationUnit;

impl Context<'_> {
    /// The second pass: closures.
    pub(super) fn close(&self, sampled: Vec<Found>, definitions: &Definitions) -> Vec<Closed> {
        let mut by_root: BTreeMap<(Arc<str>, Language), Vec<Found>> = BTreeMap::new();
        for found in sampled {
            let key = (found.root.clone(), found.language);
            by_root.entry(key).or_default().push(found);
        }
        let closed: Vec<Vec<Closed>> = by_root
            .into_par_iter()
            .map(|((root, language), found)| self.close_unit(&root, language, found))
            .collect();
        let mut closed: Vec<Closed> = closed.into_iter().flatten().collect();
        self.bring_helpers(&mut closed, definitions);
        closed
    }

    fn close_unit(&self, root: &str, language: Language, found: Vec<Found>) -> Vec<Closed> {
        let (unit, items) = self.unit(root, language);
        let index = Index::new(&unit, &items, &self.names);
        let places = places(&unit, &items, &index);
        let close = |found: Found| {
            let target = places[&(&*found.path, found.range.start)];
            let function = self.function(&unit, &index, target, &found);
            (found, function)
        };
        let closed = found.into_par_iter().map(close).collect();
        drop(places);
        drop(index);
        self.keep(root, language, unit, items);
        closed
    }

    /// A unit that the first pass read, kept or read again.
    fn unit(&self, root: &str, language: Language) -> (TranslationUnit, Vec<Items>) {
        let mut units = self.units.lock().expect("no thread panics with the lock");
        let kept = units.remove(&(root.to_owned(), language));
        drop(units);
        if let Some((unit, items)) = kept {
            let bytes = weight(&unit, &items);
            self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return (unit, items);
        }
        let (unit, items, _) = self
            .read(root, language)
            .expect("the first pass read the same unit");
        (unit, items)
    }

    /// The third pass: bodies of helpers that other files define.
    fn bring_helpers(&self, closed: &mut [Closed], definitions: &Definitions) {
        let functions = closed
            .iter()
            .filter_map(|(_, function)| function.as_ref().ok());
        let mut by_root: BTreeMap<(&str, Language), BTreeSet<(&str, usize)>> = BTreeMap::new();
        for function in functions {
            for (_, definition) in definitions.elsewhere(function) {
                let root = (&*definition.root, definition.language);
                let place = (&*definition.path, definition.start);
                by_root.entry(root).or_default().insert(place);
            }
        }
        let brought: BTreeMap<(&str, usize), Closure> = by_root
            .into_par_iter()
            .flat_map_iter(|((root, language), wanted)| {
                let (unit, items) = self.unit(root, language);
                let index = Index::new(&unit, &items, &self.names);
                let places = places(&unit, &items, &index);
                let close = |place: (&'_ str, usize)| {
                    let target = *places.get(&place)?;
                    let references = index.references(target);
                    let label = self.asked.source.config().key();
                    let closure =
                        index.signature_closure(target, &references, label, self.bounds());
                    closure.ok()
                };
                let closures: Vec<_> = wanted
                    .into_iter()
                    .filter_map(|place| Some((place, close(place)?)))
                    .collect();
                drop(places);
                drop(index);
                self.keep(root, language, unit, items);
                closures
            })
            .collect();
        closed.par_iter_mut().for_each(|(_, function)| {
            let Ok(function) = function else { return };
            for (name, definition) in definitions.elsewhere(function) {
                let place = (&*definition.path, definition.start);
                let merged = brought.get(&place).and_then(|closure| {
                    let id = Function::id_of(
                        self.asked.source.config().key(),
                        &definition.path,
                        &name,
                        closure.target.of(&closure.text),
                    );
                    let bytes = self.bounds().bytes_with_helpers;
                    external::merged(&function.closure, closure, &name, &id, bytes)
                });
                match merged {
                    Some(merged) => function.closure = merged,
                    None => function.closure.helper_external.push(name),
                }
            }
        });
    }

    fn bounds(&self) -> Bounds {
        Bounds {
            bytes: self.asked.config.max_closure_bytes as usize,
            items: self.asked.config.max_closure_items as usize,
            bytes_with_helpers: self.asked.config.max_bytes_with_helpers as usize,
        }
    }

    fn function(
        &self,
        unit: &TranslationUnit,
        index: &Index,
        target: Target,
        found: &Found,
    ) -> Result<Function, String> {
        let references = index.references(target);
        let bounds = self.bounds();
        let closure = index
            .closure(
                target,
                &references,
                self.asked.source.config().key(),
                bounds,
            )
            .map_err(|reached| self.asked.config.reached(reached.bytes, reached.items))?;
        let qualified_name = index.qualified_name(target);
        let docs = self.docs(unit, index, target, found, &qualified_name);
        let source = self.asked.source;
        Ok(found.closed(source, qualified_name, docs, (closure, references)))
    }

    /// The documentation of a function: before its definition and before a prototype, if the words differ; if neither
    /// has a comment, elsewhere.
    fn docs(
        &self,
        unit: &TranslationUnit,
        index: &Index,
        target: Target,
        found: &Found,
        qualified_name: &str,
    ) -> Vec<DocComment> {
        let prototypes = index.prototypes(target);
        let is_only = prototypes.len() == 1;
        let defined_text = found.text.get();
        let defined = lex(&defined_text);
        let declared = prototypes.into_iter().find_map(|(reading, start)| {
            let file = &unit.readings[reading].file;
            let doc = doc::before(file, start, &found.name, DocPlace::Declaration)?;
            let tokens = &file.lines.tokens;
            let first = tokens.partition_point(|token| token.start < start);
            let prototype = (tokens.get(first..).unwrap_or_default(), &*file.text);
            let is_its = found.language == Language::C
                || overload::declares(&found.name, prototype, (&defined, &defined_text))
                    .unwrap_or(is_only);
            is_its.then_some(doc)
        });
        let mut docs: Vec<DocComment> = found.doc.iter().map(FoundDoc::get).collect();
        let says = |doc: &DocComment| doc::words(&doc.text).collect::<Vec<_>>();
        let is_new = |doc: &DocComment| docs.first().is_none_or(|first| says(first) != says(doc));
        let declared = declared.filter(is_new);
        docs.extend(declared);
        if docs.is_empty() && !self.ambiguous.contains(&*found.name) {
            docs.extend(self.documented.of(qualified_name).cloned());
        }
        docs
    }
}

/// The positions of the functions of a unit: by file and first byte.
fn places<'a>(
    unit: &'a TranslationUnit,
    items: &[Items],
    index: &Index,
) -> BTreeMap<(&'a str, usize), Target> {
    let mut places = BTreeMap::new();
    for (at, placed) in index.placed().iter().enumerate() {
        let path = &*unit.readings[placed.reading].file.path;
        let item = &items[placed.reading][placed.item];
        let whole = Target {
            item: at,
            inner: None,
        };
        if item.kind == ItemKind::Function {
            places.entry((path, item.range.start)).or_insert(whole);
        }
        for (number, inner) in item.inner.iter().enumerate() {
            places.entry((path, inner.range.start)).or_insert(Target {
                item: at,
                inner: Some(number),
            });
        }
    }
    places
}
