//! Python: files → functions, each with the part of its project that it needs.
//!
//! Every file of the source is parsed, without its comments and docstrings. The functions of those that are mined are
//! found and take part in the draw with all others. The drawn functions are closed (`closing`): from the names that a
//! function reads, through the bindings of these names in its module and in the modules of the source that it imports
//! from, to a module that stands alone. No code is compiled or run: scopes decide the meaning of a name.

mod closing;
mod project;

use barecode_languages::{FileKind, of_path};
use barecode_python::{Module, Unparsable, spellings};
use barecode_records::{
    Account, Closure, Function, FunctionKind, Language, Quoted, Reason, Spelled,
};
use barecode_trees::Ours;
use rayon::prelude::*;
use std::sync::Arc;

use crate::extract::Draw;
use crate::extract::found::{Found, FoundDoc, FoundText, refuse_file};
use crate::front_end::{Asked, Close, FrontEnd, together};
use crate::symbols::{self, Analyzed, Unreadable};
use project::{Project, Read};

/// The functions of a file, or why it has none.
type Reading = Result<Vec<Found>, (Reason, String)>;

/// Python.
pub(crate) struct Python;

impl FrontEnd for Python {
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        paths: Vec<String>,
        draw: &mut Draw<'_>,
        account: &mut Account,
    ) -> Close<'s> {
        // Files of types only are not modules.
        let is_module = |path: &str| of_path(path).is_some_and(|(_, kind)| kind == FileKind::Unit);
        let mut project = Project::of(asked.source);
        for paths in together(asked.source, &paths) {
            let modules = paths.par_iter().filter(|path| is_module(path));
            let read: Vec<(&String, Reading)> = modules
                .map(|path| (path, look(path, asked, &project)))
                .collect();
            let mut all = Vec::new();
            for (path, read) in read {
                match read {
                    Ok(found) => {
                        project.add(path.clone());
                        all.extend(found);
                    }
                    Err(why) if asked.mined.contains(path) => {
                        refuse_file(asked.source, path, why, account);
                    }
                    Err(_) => {}
                }
            }
            draw.enter(all, account);
        }
        let close = move |drawn: Vec<Found>| {
            let close = |found: Found| {
                let function = function(&project, asked, &found);
                (found, function)
            };
            drawn.into_par_iter().map(close).collect()
        };
        Box::new(close)
    }

    fn judge(&self, function: &Function) -> Result<(), (Reason, String)> {
        let module = Module::parse(&function.closure.text)
            .map_err(|error| (Reason::SyntaxError, error.to_string()))?;
        let unbound = module.unbound();
        if unbound.is_empty() {
            return Ok(());
        }
        let names: Vec<String> = unbound.iter().map(|name| format!("`{name}`")).collect();
        Err((Reason::UndeclaredName, names.join(", ")))
    }

    fn spellings(
        &self,
        text: &str,
        _: Language,
        ours: &dyn Ours,
    ) -> Result<Vec<Spelled>, Unreadable> {
        let module = Module::parse(text).map_err(|error| Unreadable(error.to_string()))?;
        let owner = |name: &str| (!ours.is_module(name)).then(|| ours.owner(name));
        Ok(spellings(&module, &owner))
    }

    fn quoted(&self, text: &str, _: Language) -> Result<Vec<Quoted>, Unreadable> {
        let module = Module::parse(text).map_err(|error| Unreadable(error.to_string()))?;
        Ok(module.quoted())
    }

    fn is_alike(&self, text: &str, other: &str, _: Language) -> Result<(), &'static str> {
        let parsed = |text| Module::parse(text).map_err(|_| "it cannot be parsed");
        let (one, other) = (parsed(text)?, parsed(other)?);
        one.is_shaped_as(&other)
            .then_some(())
            .ok_or("it is parsed otherwise")
    }

    fn symbols<'t>(
        &self,
        closure: &'t Closure,
        _: &str,
        _: Language,
    ) -> Result<Analyzed<'t>, Unreadable> {
        let unreadable = |error: Unparsable| Unreadable(error.to_string());
        let before = Module::parse(&closure.text).map_err(unreadable)?;
        Ok(Analyzed {
            symbols: symbols::python::of_module(&before, closure),
            same: Box::new(move |renamed| {
                let after = Module::parse(renamed).map_err(|_| "it cannot be parsed")?;
                let same = before.scopes().same_bindings(after.scopes());
                same.then_some(()).ok_or("a name is bound elsewhere")
            }),
        })
    }
}

/// A function with its closure.
fn function(project: &Project<'_>, asked: Asked<'_>, found: &Found) -> Result<Function, String> {
    let (module, number) = project.place(&found.path, found.range.start);
    let label = asked.source.config().key();
    let closed = closing::close(project, label, module, number, asked.config)?;
    let module = project.module(module);
    let definition = &module.definitions[number];
    let mut path = definition.classes.clone();
    path.push(definition.name.clone());
    let docs = module.docs[number].clone();
    Ok(found.closed(asked.source, path.join("."), docs, closed))
}

/// Reads a file of a project, and finds its functions if it is mined.
fn look(path: &str, asked: Asked<'_>, project: &Project<'_>) -> Reading {
    let (read, shown) = Read::of(path, &asked.source.text(path))?;
    let mut found = Vec::new();
    if asked.mined.contains(path) {
        let shared: Arc<str> = path.into();
        let functions = read.definitions.iter().zip(&read.docs).zip(shown);
        for ((definition, docs), (start_line, end_line)) in functions {
            let kind = match (definition.classes.is_empty(), definition.name.as_str()) {
                (true, _) => FunctionKind::Function,
                (false, "__init__" | "__new__") => FunctionKind::Constructor,
                (false, "__del__") => FunctionKind::Destructor,
                (false, name) if name.starts_with("__") && name.ends_with("__") => {
                    FunctionKind::Operator
                }
                (false, _) => FunctionKind::Method,
            };
            found.push(Found {
                root: shared.clone(),
                language: Language::PYTHON,
                kind,
                is_template: false,
                path: shared.clone(),
                range: definition.span.start as usize..definition.span.end as usize,
                name: definition.name.as_str().into(),
                text: FoundText::of(asked.texts, definition.span.dedented(&read.text)),
                doc: docs.first().map(|doc| FoundDoc::of(asked.texts, doc)),
                start_line,
                end_line,
                refused: definition
                    .is_stub
                    .then(|| Box::new((Reason::NoBody, String::new()))),
            });
        }
    }
    project.keep(read);
    Ok(found)
}
