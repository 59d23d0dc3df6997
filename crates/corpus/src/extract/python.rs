//! Python: files → functions, each with the part of its project that it needs.
//!
//! Every file of the source is parsed, without its comments and docstrings. The functions of those that are mined are
//! found (`find`) and take part in the draw with all others; those that are drawn are closed (`close`): from the
//! names that a function reads, through what binds them in its module and in the modules of the source that it imports
//! from, to a module that stands alone. Nothing is compiled and nothing runs: what a name means is decided by scopes.

mod closing;
mod project;

use std::collections::BTreeMap;

use barecode_languages::{FileKind, of_path};
use barecode_python::{Docstring, Module, python2};
use barecode_records::{
    DocComment, DocPlace, Function, FunctionKind, Language, Outcome, Reason, SetAside, Stage,
};
use barecode_sources::{Source, origin};
use rayon::prelude::*;

use super::{ExtractConfig, Found};
use project::{Project, Read};

/// A file with its functions, or why it has none.
type Reading = Result<(Read, Vec<Found>), (Reason, String)>;

/// What is found in the Python files of a source.
pub(super) struct PythonFiles {
    project: Project,
}

impl PythonFiles {
    /// Reads the files with these texts, and finds the functions of those that are mined.
    pub(super) fn find(
        source: &Source,
        texts: Vec<(String, String)>,
        is_mined: impl Fn(&str) -> bool + Sync,
        extraction: &mut Outcome<Vec<Function>>,
    ) -> (PythonFiles, Vec<Found>) {
        // Files of types only are no modules.
        let is_module = |path: &str| of_path(path).is_some_and(|(_, kind)| kind == FileKind::Unit);
        let texts: Vec<(String, String)> = texts
            .into_iter()
            .filter(|(path, _)| is_module(path))
            .collect();
        let read: Vec<(String, Reading)> = texts
            .into_par_iter()
            .map(|(path, text)| {
                let read = read(&path, &text, is_mined(&path));
                (path, read)
            })
            .collect();
        let mut modules = Vec::new();
        let mut found = Vec::new();
        for (path, read) in read {
            match read {
                Ok((module, functions)) => {
                    modules.push(module);
                    found.extend(functions);
                }
                Err((reason, detail)) if is_mined(&path) => {
                    let row = SetAside {
                        origin: Some(origin(source, &path, 1, 1)),
                        ..SetAside::new(Stage::Extract, "file", reason, detail)
                    };
                    extraction.set_aside_kept("files", row);
                }
                Err(_) => {}
            }
        }
        let project = Project::of(modules);
        (PythonFiles { project }, found)
    }

    /// The functions with their closures, in the order of what was found; what is too large has the bound that it
    /// passed.
    pub(super) fn close(
        &self,
        source: &Source,
        config: &ExtractConfig,
        found: Vec<Found>,
    ) -> Vec<(Found, Result<Function, String>)> {
        let close = |found: Found| {
            let function = self.function(source, config, &found);
            (found, function)
        };
        found.into_par_iter().map(close).collect()
    }

    fn function(
        &self,
        source: &Source,
        config: &ExtractConfig,
        found: &Found,
    ) -> Result<Function, String> {
        let label = source.label();
        let (module, number) = self.project.place(&found.path, found.range.start);
        let (closure, references) = closing::close(&self.project, label, module, number, config)?;
        let definition = &self.project.modules[module].definitions[number];
        let mut qualified_name = definition.classes.join(".");
        if !qualified_name.is_empty() {
            qualified_name.push('.');
        }
        qualified_name.push_str(&definition.name);
        Ok(Function {
            id: Function::id_of(label, &found.path, &found.name, &found.text),
            origin: origin(source, &found.path, found.start_line, found.end_line),
            language: Language::PYTHON,
            name: found.name.clone(),
            qualified_name,
            kind: found.kind,
            is_template: false,
            translation_unit: found.path.clone(),
            text: found.text.clone(),
            docs: self.project.modules[module].docs[number].clone(),
            references,
            closure,
        })
    }
}

/// Reads a file, and finds its functions if it is mined.
fn read(path: &str, text: &str, is_mined: bool) -> Reading {
    let unparsable = |error: barecode_python::Unparsable| match python2(text) {
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
