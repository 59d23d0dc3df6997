//! Python: files → functions, each with the part of its project that it needs.
//!
//! Every file of the source is parsed, without its comments and docstrings. The functions of those that are mined are
//! found and take part in the draw with all others. The drawn functions are closed (`closing`): from the names that a
//! function reads, through the bindings of these names in its module and in the modules of the source that it imports
//! from, to a module that stands alone. No code is compiled or run: scopes decide the meaning of a name.

mod closing;
mod project;

use barecode_languages::{FileKind, of_path};
use barecode_python::{Docstring, Module, Unparsable, python2, spellings};
use barecode_records::{
    Closure, DocComment, DocPlace, Function, FunctionKind, Language, Outcome, Quoted, Reason,
    Spelled,
};
use barecode_trees::Ours;
use rayon::prelude::*;
use std::collections::BTreeMap;

use crate::extract::found::{Found, refuse_file};
use crate::front_end::{Asked, Close, FrontEnd};
use crate::symbols::{self, Analyzed, Unreadable};
use project::{Project, Read};

/// A file with its functions, or why it has none.
type Reading = Result<(Read, Vec<Found>), (Reason, String)>;

/// Python.
pub(crate) struct Python;

impl FrontEnd for Python {
    fn find<'s>(
        &self,
        asked: Asked<'s>,
        texts: Vec<(String, String)>,
        extraction: &mut Outcome<Vec<Function>>,
    ) -> (Vec<Found>, Close<'s>) {
        // Files of types only are not modules.
        let is_module = |path: &str| of_path(path).is_some_and(|(_, kind)| kind == FileKind::Unit);
        let read: Vec<(String, Reading)> = texts
            .into_par_iter()
            .filter(|(path, _)| is_module(path))
            .map(|(path, text)| {
                let read = read(&path, &text, asked.mined.contains(&path));
                (path, read)
            })
            .collect();
        let mut modules = Vec::new();
        let mut all = Vec::new();
        for (path, read) in read {
            match read {
                Ok((module, found)) => {
                    modules.push(module);
                    all.extend(found);
                }
                Err(why) if asked.mined.contains(&path) => {
                    refuse_file(asked.source, &path, why, extraction);
                }
                Err(_) => {}
            }
        }
        let project = Project::of(modules);
        let close = move |drawn: Vec<Found>| {
            let close = |found: Found| {
                let function = function(&project, asked, &found);
                (found, function)
            };
            drawn.into_par_iter().map(close).collect()
        };
        (all, Box::new(close))
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
fn function(project: &Project, asked: Asked<'_>, found: &Found) -> Result<Function, String> {
    let (module, number) = project.place(&found.path, found.range.start);
    let label = asked.source.config().key();
    let closed = closing::close(project, label, module, number, asked.config)?;
    let module = &project.modules[module];
    let definition = &module.definitions[number];
    let mut path = definition.classes.clone();
    path.push(definition.name.clone());
    let docs = module.docs[number].clone();
    Ok(found.closed(asked.source, path.join("."), docs, closed))
}

/// Reads a file, and finds its functions if it is mined.
fn read(path: &str, text: &str, is_mined: bool) -> Reading {
    let unparsable = |error: Unparsable| match python2(text) {
        Some((construct, line)) => (Reason::Python2, format!("line {line}: {construct}")),
        None => (Reason::ParseError, error.to_string()),
    };
    let written = Module::parse(text).map_err(unparsable)?;
    let without_comments = written.without_comments();
    let bare = without_comments.as_deref().unwrap_or(text);
    let without_docstrings = Module::parse(bare)
        .map_err(unparsable)?
        .without_docstrings();
    let bare = without_docstrings.unwrap_or_else(|| bare.to_owned());
    let module = Module::parse(&bare).map_err(unparsable)?;
    let (shown, definitions) = (written.definitions(), module.definitions());
    if shown.len() != definitions.len() {
        let detail = "without its comments it has other functions".to_owned();
        return Err((Reason::ParseError, detail));
    }
    let doc = |doc: &Docstring| DocComment {
        text: doc.text.clone(),
        place: DocPlace::Definition,
        path: path.to_owned(),
        start_line: doc.start_line,
        end_line: doc.end_line,
    };
    let docs: Vec<Vec<DocComment>> = shown
        .iter()
        .map(|shown| {
            shown
                .docstring
                .iter()
                .chain(&shown.comment)
                .map(doc)
                .collect()
        })
        .collect();
    let functions = shown.iter().zip(&definitions).zip(&docs);
    let found = |((shown, definition), docs): ((&barecode_python::Definition, _), &Vec<_>)| {
        let definition: &barecode_python::Definition = definition;
        let kind = match (definition.classes.is_empty(), definition.name.as_str()) {
            (true, _) => FunctionKind::Function,
            (false, "__init__" | "__new__") => FunctionKind::Constructor,
            (false, "__del__") => FunctionKind::Destructor,
            (false, name) if name.starts_with("__") && name.ends_with("__") => {
                FunctionKind::Operator
            }
            (false, _) => FunctionKind::Method,
        };
        Found {
            root: path.to_owned(),
            language: Language::PYTHON,
            kind,
            is_template: false,
            path: path.to_owned(),
            range: definition.span.start as usize..definition.span.end as usize,
            name: definition.name.clone(),
            text: definition.span.dedented(&bare),
            doc: docs.first().cloned(),
            start_line: shown.start_line,
            end_line: shown.end_line,
            refused: definition.is_stub.then(|| (Reason::NoBody, String::new())),
        }
    };
    let functions = if is_mined {
        functions.map(found).collect()
    } else {
        Vec::new()
    };
    let items = module.items();
    let mut bindings: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (number, item) in items.iter().enumerate() {
        for name in &item.binds {
            bindings.entry(name.clone()).or_default().push(number);
        }
    }
    let module = Read {
        path: path.to_owned(),
        items,
        definitions,
        docs,
        bindings,
        text: bare,
    };
    Ok((module, functions))
}
