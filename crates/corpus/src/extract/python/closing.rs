//! A function of a project → a module that has it and all it needs.
//!
//! The closure follows from names: those that the function reads, the bindings of these in its module, the names that
//! these read, and so on. A class brings its head, its statements that are not methods, its constructors, and those
//! methods whose name is an attribute of something that was brought. An import of something that the source defines
//! is replaced by the definition, unless a name would then mean two things, or only decorators use it; then the
//! import stays. Imports come first, then the code from other modules, then the rest in the order of the function's
//! own module.

use std::collections::{BTreeMap, BTreeSet};

use barecode_python::{Item, ItemKind};
use barecode_records::{Closure, HelperBodies, PieceKind, References, Span};

use super::super::written::{Referred, Written};
use super::project::{Meaning, Project};
use crate::extract::ExtractConfig;

/// The closure of a definition of a module, and the references of the definition.
///
/// # Errors
/// The size that the closure reached, if that is more than the recipe allows.
pub(super) fn close(
    project: &Project<'_>,
    label: &str,
    module: usize,
    definition: usize,
    config: &ExtractConfig,
) -> Result<(Closure, References), String> {
    let read = project.module(module);
    let of = &read.definitions[definition];
    let mut needed = Needed {
        project,
        home: module,
        items: BTreeSet::new(),
        members: BTreeSet::new(),
        order: vec![module],
        lines: BTreeSet::new(),
        owners: BTreeMap::new(),
        decorating: BTreeSet::new(),
        working: BTreeSet::new(),
        attributes: BTreeSet::new(),
        bytes: 0,
        limit: config.max_closure_bytes as usize,
    };
    let too_large = |needed: &Needed<'_>| config.reached(needed.bytes, needed.items.len());
    let added = needed.item(module, of.item).and_then(|()| match of.member {
        Some(member) => needed.member(module, of.item, member),
        None => Ok(()),
    });
    if added.and_then(|()| needed.settle()).is_err() {
        return Err(too_large(&needed));
    }
    needed.bring(config.max_bytes_with_helpers as usize);
    if needed.items.len() > config.max_closure_items as usize {
        return Err(too_large(&needed));
    }
    let references = references(project, module, definition);
    let closure = needed.write(label, definition, &references);
    Ok((closure, references))
}

/// The names of its own project that a definition uses.
fn references(project: &Project<'_>, module: usize, definition: usize) -> References {
    let read = project.module(module);
    let of = &read.definitions[definition];
    let mut referred = Referred::default();
    let mut refer = |meaning: Meaning, as_name: &str| {
        let Meaning::Defined(module, name) = meaning else {
            return;
        };
        let read = project.module(module);
        let items = read.bindings.get(&name).into_iter().flatten();
        let kinds: Vec<&ItemKind> = items.map(|item| &read.items[*item].kind).collect();
        let set = if kinds.contains(&&ItemKind::Function) {
            &mut referred.functions
        } else if kinds.contains(&&ItemKind::Class) {
            &mut referred.types
        } else {
            // A function under a condition is one.
            let mut definitions = read.definitions.iter();
            if definitions.any(|other| other.classes.is_empty() && other.name == name) {
                &mut referred.functions
            } else {
                &mut referred.globals
            }
        };
        set.insert(as_name.to_owned());
    };
    for name in of
        .reads
        .iter()
        .filter(|name| *name != of.name || !of.classes.is_empty())
    {
        refer(project.meaning(module, name), name);
    }
    for (name, attribute) in &of.qualified {
        if let Meaning::Module(of) = project.meaning(module, name) {
            refer(
                project.meaning(of, attribute),
                &format!("{name}.{attribute}"),
            );
        }
    }
    // A method knows its class by the members that it uses of its object.
    if let (Some(receiver), Some(class)) = (&of.receiver, of.classes.last()) {
        let own = of.qualified.iter();
        let own = own.filter(|(name, _)| name.as_str() == receiver);
        for (_, attribute) in own {
            let mut methods = read.definitions.iter();
            let is_method = methods
                .any(|other| other.classes == of.classes && other.name == attribute.as_str());
            if is_method && attribute.as_str() != of.name {
                referred.functions.insert(attribute.to_string());
            } else {
                referred.types.insert(class.clone());
            }
        }
    }
    referred.into()
}

/// More than the recipe allows, or a name that would mean two things.
struct Refused;

/// The owner of the meaning of a name in a closure.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Owner {
    Module(usize),
    Line(String),
}

/// The content of a closure so far.
#[derive(Clone)]
struct Needed<'p> {
    project: &'p Project<'p>,
    home: usize,
    /// Items by module and index.
    items: BTreeSet<(usize, usize)>,
    /// Members of classes by module, class and index.
    members: BTreeSet<(usize, usize, usize)>,
    /// Modules in the order in which they were first needed.
    order: Vec<usize>,
    /// Lines that import from outside.
    lines: BTreeSet<String>,
    owners: BTreeMap<String, Owner>,
    /// Names that decorators use, and those that other code uses.
    decorating: BTreeSet<String>,
    working: BTreeSet<String>,
    /// Names of attributes in the code that was brought.
    attributes: BTreeSet<String>,
    bytes: usize,
    limit: usize,
}

impl Needed<'_> {
    fn own(&mut self, name: &str, owner: &Owner) -> Result<(), Refused> {
        let first = self.owners.entry(name.to_owned()).or_insert(owner.clone());
        if first == owner { Ok(()) } else { Err(Refused) }
    }

    fn count(&mut self, bytes: usize) -> Result<(), Refused> {
        self.bytes += bytes;
        if self.bytes > self.limit {
            Err(Refused)
        } else {
            Ok(())
        }
    }

    /// Adds an item that is not an import, without the methods of a class.
    fn item(&mut self, module: usize, number: usize) -> Result<(), Refused> {
        if !self.items.insert((module, number)) {
            return Ok(());
        }
        if !self.order.contains(&module) {
            self.order.push(module);
        }
        let project = self.project;
        let read = project.module(module);
        let item = &read.items[number];
        for name in item.binds.iter() {
            self.own(name, &Owner::Module(module))?;
        }
        let bytes = item.head.unwrap_or(item.span);
        self.count((bytes.end - bytes.start) as usize)?;
        self.reads(module, item)?;
        for (place, member) in item.members.iter().enumerate() {
            let is_constructor = ["__init__", "__new__", "__post_init__"]
                .iter()
                .any(|name| member.binds.has(name));
            if member.kind != ItemKind::Function || is_constructor {
                self.member(module, number, place)?;
            }
        }
        Ok(())
    }

    fn member(&mut self, module: usize, class: usize, place: usize) -> Result<(), Refused> {
        if !self.members.insert((module, class, place)) {
            return Ok(());
        }
        let project = self.project;
        let read = project.module(module);
        let class_item = &read.items[class];
        let Some(member) = class_item.members.get(place) else {
            // The class is brought as a whole.
            return Ok(());
        };
        self.count((member.span.end - member.span.start) as usize)?;
        for (other, of) in class_item.members.iter().enumerate() {
            if of.binds.any_in(&member.reads_of_class) {
                self.member(module, class, other)?;
            }
        }
        self.reads(module, member)
    }

    /// Adds the items that an item reads.
    fn reads(&mut self, module: usize, item: &Item) -> Result<(), Refused> {
        for name in item.attributes.iter() {
            insert(&mut self.attributes, name);
        }
        for name in item.reads.iter() {
            let of = if item.decorators.has(name) {
                &mut self.decorating
            } else {
                &mut self.working
            };
            insert(of, name);
            self.name(module, name)?;
        }
        Ok(())
    }

    /// Adds the bindings of a name of a module; definitions elsewhere in the source are brought later, by
    /// [`Needed::bring`].
    fn name(&mut self, module: usize, name: &str) -> Result<(), Refused> {
        let project = self.project;
        let read = project.module(module);
        let Some(bound) = read.bindings.get(name) else {
            let stars = read.items.iter().filter_map(|item| match &item.kind {
                ItemKind::Import(imported) if imported.member.as_deref() == Some("*") => {
                    Some(&imported.line)
                }
                _ => None,
            });
            if !barecode_python::is_builtin(name) {
                match project.meaning(module, name) {
                    Meaning::Defined(of, original) if original == name => {
                        return self.own(name, &Owner::Module(of));
                    }
                    _ => self.lines.extend(stars.cloned()),
                }
            }
            return Ok(());
        };
        for number in bound {
            match &read.items[*number].kind {
                ItemKind::Import(imported) => {
                    let meaning = project.imported(module, imported);
                    let of = match meaning {
                        Meaning::Defined(of, original) if original == name && bound.len() == 1 => {
                            of
                        }
                        _ => {
                            self.own(name, &line_or_module(module, &imported.line, bound))?;
                            self.lines.insert(imported.line.clone());
                            continue;
                        }
                    };
                    self.own(name, &Owner::Module(of))?;
                }
                _ => self.item(module, *number)?,
            }
        }
        Ok(())
    }

    /// Adds the methods that something calls by name, until nothing new is found.
    fn settle(&mut self) -> Result<(), Refused> {
        loop {
            let before = (self.members.len(), self.items.len());
            for (module, number) in self.items.clone() {
                let read = self.project.module(module);
                let members = &read.items[number].members;
                for (place, member) in members.iter().enumerate() {
                    if member
                        .binds
                        .iter()
                        .any(|name| self.attributes.contains(name))
                    {
                        self.member(module, number, place)?;
                    }
                }
            }
            if before == (self.members.len(), self.items.len()) {
                return Ok(());
            }
        }
    }

    /// Brings the definitions of other modules of the source, as far as they fit and no name means two things; for
    /// the rest the import stays.
    fn bring(&mut self, limit: usize) {
        let mut tried: BTreeSet<String> = BTreeSet::new();
        loop {
            let open = self.owners.iter().find_map(|(name, owner)| match owner {
                Owner::Module(module) if !tried.contains(name) && !self.has(*module, name) => {
                    Some((name.clone(), *module))
                }
                _ => None,
            });
            let Some((name, module)) = open else { break };
            tried.insert(name.clone());
            // Code that only decorates does not belong to the behavior of a function: its import stays.
            if self.decorating.contains(&name) && !self.working.contains(&name) {
                self.stay(module, &name);
                continue;
            }
            let mut with = self.clone();
            with.limit = limit.max(self.bytes);
            let added = with.name(module, &name).and_then(|()| with.settle());
            if added.is_ok() && with.has(module, &name) {
                with.limit = self.limit;
                *self = with;
            } else {
                self.stay(module, &name);
            }
        }
    }

    /// Returns `true` if the closure contains the binding of a name in a module.
    fn has(&self, module: usize, name: &str) -> bool {
        let read = self.project.module(module);
        let bound = read.bindings.get(name);
        let mut bound = bound.into_iter().flatten();
        bound.any(|item| self.items.contains(&(module, *item)))
    }

    /// Leaves the import of a name as it is, in whichever module needs it.
    fn stay(&mut self, of: usize, name: &str) {
        let project = self.project;
        for module in &self.order {
            let read = project.module(*module);
            for item in read.bindings.get(name).into_iter().flatten() {
                if let ItemKind::Import(imported) = &read.items[*item].kind
                    && project.imported(*module, imported) == Meaning::Defined(of, name.to_owned())
                {
                    self.lines.insert(imported.line.clone());
                    return;
                }
            }
        }
        // It came by a star.
        for module in &self.order {
            for item in &project.module(*module).items {
                if let ItemKind::Import(imported) = &item.kind
                    && imported.member.as_deref() == Some("*")
                {
                    self.lines.insert(imported.line.clone());
                }
            }
        }
    }

    /// The closure as text, with the ranges of its pieces.
    fn write(&self, label: &str, definition: usize, references: &References) -> Closure {
        let project = self.project;
        let home = project.module(self.home);
        let target = &home.definitions[definition];
        let mut written = Written::default();
        let (future, lines): (Vec<&String>, Vec<&String>) = self
            .lines
            .iter()
            .partition(|line| line.starts_with("from __future__ "));
        for line in future.into_iter().chain(lines) {
            let start = written.text.len();
            written.text.push_str(line);
            let span = Span::from(start..written.text.len());
            written.piece(PieceKind::Header, span, vec![line.clone()], false);
            written.text.push('\n');
        }
        for module in self.order.iter().rev() {
            let read = project.module(*module);
            let external = *module != self.home;
            let of_module = self.items.range((*module, 0)..=(*module, usize::MAX));
            for (_, number) in of_module {
                let item = &read.items[*number];
                if !written.text.is_empty() {
                    written.text.push('\n');
                }
                let text = &mut written.text;
                let start = text.len();
                // The new positions of the parts of the item: their first byte in the file, and in the closure.
                let mut moved: Vec<(Span, usize)> = Vec::new();
                let mut push = |span: Span, text: &mut String| {
                    moved.push((span, text.len()));
                    text.push_str(span.of(&read.text).trim_end_matches('\n'));
                    text.push('\n');
                };
                match item.head {
                    None => push(item.span, text),
                    Some(head) => {
                        push(head, text);
                        let kept = item.members.iter().enumerate();
                        let mut kept = kept
                            .filter(|(place, _)| self.members.contains(&(*module, *number, *place)))
                            .peekable();
                        if kept.peek().is_none() {
                            text.push_str("    pass\n");
                        }
                        for (index, (_, member)) in kept.enumerate() {
                            if index > 0 && member.kind == ItemKind::Function {
                                text.push('\n');
                            }
                            push(member.span, text);
                        }
                    }
                }
                let carried = |span: Span| {
                    let part = moved
                        .iter()
                        .find(|(part, _)| part.start <= span.start && span.end <= part.end)?;
                    let start = part.1 + (span.start - part.0.start) as usize;
                    Some(Span::from(start..start + (span.end - span.start) as usize))
                };
                let mut kind = PieceKind::Definition;
                for other in read
                    .definitions
                    .iter()
                    .filter(|other| other.item == *number)
                {
                    let Some(span) = carried(other.span) else {
                        continue;
                    };
                    if *module == self.home && other.span == target.span {
                        written.target = Some(span);
                        kind = PieceKind::Target;
                        continue;
                    }
                    let is_same_class = !external && other.classes == target.classes;
                    let is_called = references.functions.contains(&other.name)
                        && (other.classes.is_empty() || is_same_class);
                    if is_called {
                        let of = other.span.dedented(&read.text);
                        written.helper((label, &read.path), &other.name, &of, span);
                        if kind == PieceKind::Definition {
                            kind = PieceKind::Helper;
                        }
                    }
                }
                let span = Span::from(start..written.text.trim_end().len());
                let names = item.binds.iter().map(str::to_owned).collect();
                written.piece(kind, span, names, external);
            }
        }
        written.closure(self.items.len(), HelperBodies::Full, references)
    }
}

fn insert(names: &mut BTreeSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// The owner of a name that an import binds: the line, unless the module binds it in other ways too.
fn line_or_module(module: usize, line: &str, bound: &[usize]) -> Owner {
    if bound.len() > 1 {
        Owner::Module(module)
    } else {
        Owner::Line(line.to_owned())
    }
}
