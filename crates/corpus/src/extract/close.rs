//! The later passes: doubles and the recipe's sample, then the closure of each function that is left.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::{
    Closure, Digest, DocComment, DocPlace, Function, FunctionKind, Language, Outcome, Reason,
};
use barecode_sources::origin;
use rayon::prelude::*;

use super::{Context, Drawn, Found, Items};
use crate::closure::{Bounds, Index, Target, external};
use crate::definitions::Definitions;
use crate::doc;
use crate::items::ItemKind;
use crate::overload;
use crate::preprocess::unit::TranslationUnit;

impl Context<'_> {
    /// The second pass: without doubles, and no more than the recipe's limit.
    pub(super) fn sample(
        &self,
        found: Vec<Found>,
        seed: u64,
        wanted: &dyn Fn(Drawn<'_>) -> bool,
        extraction: &mut Outcome<Vec<Function>>,
    ) -> Vec<Found> {
        let mut first_place: BTreeMap<String, String> = BTreeMap::new();
        let mut kept = Vec::new();
        for found in found {
            if let Some((reason, detail)) = found.refused.clone() {
                self.refuse_found(extraction, &found, reason, detail);
                continue;
            }
            let tokens = lex(&found.text);
            let tokens = tokens
                .iter()
                .filter(|token| token.kind != TokenKind::Newline);
            let digest = Digest::new("tokens")
                .fields(tokens.map(|token| token.text(&found.text)))
                .hex();
            let place = format!("{}:{}", found.path, found.start_line);
            // The published rules know no doubles.
            let first = first_place.get(&digest);
            if let Some(first) = first.filter(|_| found.kind != FunctionKind::Lines) {
                let detail = format!("of {first}");
                self.refuse_found(extraction, &found, Reason::Duplicate, detail);
            } else {
                first_place.insert(digest, place);
                kept.push(found);
            }
        }
        let Some(limit) = self
            .source
            .config()
            .limit
            .map(|limit| limit as usize)
            .filter(|&limit| limit < kept.len())
        else {
            return kept;
        };
        let documented_first = self.source.config().documented_first;
        let turn = |found: &Found| {
            let id = Function::id_of(self.source.label(), &found.path, &found.name, &found.text);
            let is_wanted = wanted(Drawn {
                id: &id,
                name: &found.name,
                path: &found.path,
                lines: (found.start_line, found.end_line),
            });
            let lot = Digest::new("sample").field(seed.to_le_bytes()).field(id);
            let undocumented = documented_first && found.doc.is_none();
            (!is_wanted, undocumented, lot.hex())
        };
        let mut lots: Vec<((bool, bool, String), Found)> = kept
            .into_iter()
            .map(|found| (turn(&found), found))
            .collect();
        lots.sort_by(|a, b| a.0.cmp(&b.0));
        for (_, found) in lots.split_off(limit) {
            self.refuse_found(
                extraction,
                &found,
                Reason::NotSampled,
                format!("`limit = {limit}`"),
            );
        }
        lots.into_iter().map(|(_, found)| found).collect()
    }

    /// The third pass: closures.
    pub(super) fn close(
        &self,
        sampled: Vec<Found>,
        definitions: &Definitions,
        extraction: &mut Outcome<Vec<Function>>,
    ) {
        let mut by_root: BTreeMap<(String, Language), Vec<Found>> = BTreeMap::new();
        for found in sampled {
            let key = (found.root.clone(), found.language);
            by_root.entry(key).or_default().push(found);
        }
        let closed: Vec<Vec<(Found, Result<Function, String>)>> = by_root
            .into_par_iter()
            .map(|((root, language), found)| self.close_unit(&root, language, found))
            .collect();
        let mut closed: Vec<(Found, Result<Function, String>)> =
            closed.into_iter().flatten().collect();
        self.bring_helpers(&mut closed, definitions);
        self.keep_closed(closed, extraction);
    }

    /// Keeps functions that have a closure, and sets the others aside with the bound that they passed.
    pub(super) fn keep_closed(
        &self,
        closed: Vec<(Found, Result<Function, String>)>,
        extraction: &mut Outcome<Vec<Function>>,
    ) {
        for (found, result) in closed {
            match result {
                Ok(function) => extraction.keep("functions", function),
                Err(detail) => {
                    self.refuse_found(extraction, &found, Reason::ClosureTooLarge, detail);
                }
            }
        }
    }

    fn close_unit(
        &self,
        root: &str,
        language: Language,
        found: Vec<Found>,
    ) -> Vec<(Found, Result<Function, String>)> {
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
            let bytes: usize = unit
                .readings
                .iter()
                .map(|reading| reading.marks.len())
                .sum();
            self.kept_bytes.fetch_sub(bytes, Ordering::Relaxed);
            return (unit, items);
        }
        let (unit, items, _) = self
            .read(root, language)
            .expect("the first pass read the same unit");
        (unit, items)
    }

    /// The fourth pass: bodies of helpers that other files define.
    fn bring_helpers(
        &self,
        closed: &mut [(Found, Result<Function, String>)],
        definitions: &Definitions,
    ) {
        let functions = closed
            .iter()
            .filter_map(|(_, function)| function.as_ref().ok());
        let mut by_root: BTreeMap<(&str, Language), BTreeSet<(&str, usize)>> = BTreeMap::new();
        for function in functions {
            for (_, definition) in definitions.elsewhere(function) {
                let root = (definition.root.as_str(), definition.language);
                let place = (definition.path.as_str(), definition.start);
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
                    let label = self.source.label();
                    let closure =
                        index.signature_closure(target, &references, label, self.bounds());
                    closure.ok()
                };
                let closures: Vec<_> = wanted
                    .into_iter()
                    .filter_map(|place| Some((place, close(place)?)))
                    .collect();
                closures
            })
            .collect();
        closed.par_iter_mut().for_each(|(_, function)| {
            let Ok(function) = function else { return };
            for (name, definition) in definitions.elsewhere(function) {
                let place = (definition.path.as_str(), definition.start);
                let merged = brought.get(&place).and_then(|closure| {
                    let id = Function::id_of(
                        self.source.label(),
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
            bytes: self.config.max_closure_bytes as usize,
            items: self.config.max_closure_items as usize,
            bytes_with_helpers: self.config.max_bytes_with_helpers as usize,
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
            .closure(target, &references, self.source.label(), bounds)
            .map_err(|too_large| {
                let (bytes, items) = (too_large.bytes, too_large.items);
                format!(
                    "reached {bytes} bytes in {items} items, the limits are {} and {}",
                    bounds.bytes, bounds.items
                )
            })?;
        let qualified_name = index.qualified_name(target);
        Ok(Function {
            id: Function::id_of(self.source.label(), &found.path, &found.name, &found.text),
            origin: origin(self.source, &found.path, found.start_line, found.end_line),
            language: found.language,
            name: found.name.clone(),
            docs: self.docs(unit, index, target, found, &qualified_name),
            qualified_name,
            kind: found.kind,
            is_template: found.is_template,
            translation_unit: found.root.clone(),
            text: found.text.clone(),
            references,
            closure,
        })
    }

    /// What is said of a function: before its definition and before a prototype, if the words differ; if neither has a
    /// comment, elsewhere.
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
        let defined = lex(&found.text);
        let declared = prototypes.into_iter().find_map(|(reading, start)| {
            let file = &unit.readings[reading].file;
            let doc = doc::before(file, start, &found.name, DocPlace::Declaration)?;
            let tokens = &file.lines.tokens;
            let first = tokens.partition_point(|token| token.start < start);
            let prototype = (tokens.get(first..).unwrap_or_default(), &*file.text);
            let is_its = found.language == Language::C
                || overload::declares(&found.name, prototype, (&defined, &found.text))
                    .unwrap_or(is_only);
            is_its.then_some(doc)
        });
        let mut docs: Vec<DocComment> = found.doc.iter().cloned().collect();
        let says = |doc: &DocComment| doc::words(&doc.text).collect::<Vec<_>>();
        docs.extend(declared.filter(|doc| {
            found
                .doc
                .as_ref()
                .is_none_or(|first| says(first) != says(doc))
        }));
        if docs.is_empty() && !self.ambiguous.contains(&found.name) {
            docs.extend(self.documented.of(qualified_name).cloned());
        }
        docs
    }
}

/// Where the functions of a unit stand: by file and first byte.
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
