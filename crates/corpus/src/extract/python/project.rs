//! The modules of a source, and the meaning of a name in one of them: the imports followed, as far as they stay
//! inside.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use barecode_python::{
    Definition, Docstring, Imported, Item, ItemKind, Module, Unparsable, python2,
};
use barecode_records::{DocComment, DocPlace, Reason, Recent};
use barecode_sources::Source;

/// A file without its comments and docstrings, read.
#[derive(Debug)]
pub(super) struct Read {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) items: Vec<Item>,
    pub(super) definitions: Vec<Definition>,
    /// The documentation of each definition.
    pub(super) docs: Vec<Vec<DocComment>>,
    /// The items that bind a name.
    pub(super) bindings: BTreeMap<String, Vec<usize>>,
}

/// The first and the last line of each definition of a file as it is written.
type Lines = Vec<(u32, u32)>;

impl Read {
    /// Reads a file.
    pub(super) fn of(path: &str, text: &str) -> Result<(Read, Lines), (Reason, String)> {
        let unparsable = |error: Unparsable| match python2(text) {
            Some((construct, line)) => (Reason::Python2, format!("line {line}: {construct}")),
            None => (Reason::ParseError, error.to_string()),
        };
        // One tree at a time: those of files that were generated take hundreds of megabytes.
        let written = Module::parse(text).map_err(unparsable)?;
        let shown = written.definitions();
        let without_comments = written.without_comments();
        drop(written);
        let bare = without_comments.as_deref().unwrap_or(text);
        let without_docstrings = Module::parse(bare)
            .map_err(unparsable)?
            .without_docstrings();
        let bare = without_docstrings.unwrap_or_else(|| bare.to_owned());
        drop(without_comments);
        let module = Module::parse(&bare).map_err(unparsable)?;
        let definitions = module.definitions();
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
        let docs = shown.iter().map(|shown| {
            let docs = shown.docstring.iter().chain(&shown.comment);
            docs.map(doc).collect()
        });
        let docs: Vec<Vec<DocComment>> = docs.collect();
        let items = module.items();
        let mut bindings: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (number, item) in items.iter().enumerate() {
            for name in item.binds.iter() {
                bindings.entry(name.to_owned()).or_default().push(number);
            }
        }
        drop(module);
        let lines = shown.iter().map(|shown| (shown.start_line, shown.end_line));
        let lines = lines.collect();
        let read = Read {
            path: path.to_owned(),
            items,
            definitions,
            docs,
            bindings,
            text: bare,
        };
        Ok((read, lines))
    }

    /// About the bytes that it takes.
    fn weight(&self) -> usize {
        self.text.len() * 12
    }
}

/// The meaning of a name of a module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meaning {
    /// A definition of this name in a module of the source.
    Defined(usize, String),
    /// A module of the source.
    Module(usize),
    /// Something outside of the source, or not known.
    Outside,
}

/// The maximum number of imports of imports that are followed.
const DEEPEST: usize = 8;

/// The modules of a source. Those that were not needed for long are dropped, and read again.
pub(super) struct Project<'s> {
    source: &'s Source,
    paths: Vec<String>,
    by_path: BTreeMap<String, usize>,
    recent: Recent<String, Arc<Read>>,
    /// Held while a long file is read again: its tree takes hundreds of megabytes.
    reads_long: Mutex<()>,
}

/// Only one file with more bytes is read again at a time.
const LONG: usize = 2 << 20;

/// The bytes that modules may have in memory, and those of a large source.
const RECENT: [usize; 2] = [240 << 20, 64 << 20];

impl<'s> Project<'s> {
    /// A source without modules.
    pub(super) fn of(source: &'s Source) -> Project<'s> {
        Project {
            source,
            paths: Vec::new(),
            by_path: BTreeMap::new(),
            recent: Recent::of_weight(RECENT[usize::from(source.is_large())], |read| read.weight()),
            reads_long: Mutex::default(),
        }
    }

    /// Keeps a module that was read, for a while.
    pub(super) fn keep(&self, read: Read) {
        // A large source forgets them before they are needed.
        if self.source.is_large() {
            return;
        }
        self.recent.put(read.path.clone(), Arc::new(read));
    }

    /// Adds a module that can be read.
    pub(super) fn add(&mut self, path: String) {
        self.by_path.insert(path.clone(), self.paths.len());
        self.paths.push(path);
    }

    /// A module.
    pub(super) fn module(&self, number: usize) -> Arc<Read> {
        let path = &self.paths[number];
        self.recent.get(path).unwrap_or_else(|| {
            let text = self.source.text(path);
            let _alone = (text.len() > LONG).then(|| self.reads_long.lock());
            // Another thread may have read it meanwhile.
            self.recent.get(path).unwrap_or_else(|| {
                let read = Read::of(path, &text);
                let (read, _) = read.expect("it was read before");
                self.recent.put(path.clone(), Arc::new(read))
            })
        })
    }

    /// The module of a path, and its definition that begins at a byte.
    pub(super) fn place(&self, path: &str, start: usize) -> (usize, usize) {
        let module = self.by_path[path];
        let read = self.module(module);
        let mut definitions = read.definitions.iter();
        let number = definitions.position(|definition| definition.span.start as usize == start);
        (module, number.expect("it was found there"))
    }

    /// The meaning of a name that a module reads at its top.
    pub(super) fn meaning(&self, module: usize, name: &str) -> Meaning {
        self.follow(module, name, DEEPEST)
    }

    /// The meaning of an import from a module.
    pub(super) fn imported(&self, module: usize, imported: &Imported) -> Meaning {
        self.follow_import(module, imported, DEEPEST)
    }

    fn follow(&self, module: usize, name: &str, depth: usize) -> Meaning {
        let Some(depth) = depth.checked_sub(1) else {
            return Meaning::Outside;
        };
        let read = self.module(module);
        let Some(bound) = read.bindings.get(name) else {
            return self.follow_stars(module, name, depth);
        };
        for item in bound {
            match &read.items[*item].kind {
                ItemKind::Import(imported) => {
                    let meaning = self.follow_import(module, imported, depth);
                    if meaning != Meaning::Outside {
                        return meaning;
                    }
                }
                // Under a condition: imported from inside, or from elsewhere.
                _ if read.items[*item].imports.contains_key(name) => {
                    let imported = &read.items[*item].imports[name];
                    let meaning = self.follow_import(module, imported, depth);
                    if meaning != Meaning::Outside {
                        return meaning;
                    }
                }
                _ => return Meaning::Defined(module, name.to_owned()),
            }
        }
        Meaning::Outside
    }

    fn follow_import(&self, module: usize, imported: &Imported, depth: usize) -> Meaning {
        let (from, level) = (&imported.module, imported.level);
        match &imported.member {
            None => {
                // `import a.b` binds `a`.
                let top = from.split('.').next().unwrap_or_default();
                let whole = imported.renamed.as_ref().map_or(top, |_| from);
                let found = self.module_of(module, level, whole);
                found.map_or(Meaning::Outside, Meaning::Module)
            }
            Some(member) => {
                if let Some(of) = self.module_of(module, level, from) {
                    let meaning = self.follow(of, member, depth);
                    if meaning != Meaning::Outside {
                        return meaning;
                    }
                }
                let dot = if from.is_empty() { "" } else { "." };
                let below = self.module_of(module, level, &format!("{from}{dot}{member}"));
                below.map_or(Meaning::Outside, Meaning::Module)
            }
        }
    }

    fn follow_stars(&self, module: usize, name: &str, depth: usize) -> Meaning {
        if name.starts_with('_') {
            return Meaning::Outside;
        }
        for item in &self.module(module).items {
            if let ItemKind::Import(imported) = &item.kind
                && imported.member.as_deref() == Some("*")
                && let Some(of) = self.module_of(module, imported.level, &imported.module)
            {
                let meaning = self.follow(of, name, depth);
                if meaning != Meaning::Outside {
                    return meaning;
                }
            }
        }
        Meaning::Outside
    }

    /// The module of the source that an import of another one names.
    ///
    /// A name without dots before it is looked up from each folder around the module that is not itself a package:
    /// that is where its interpreter would look.
    fn module_of(&self, from: usize, level: u32, dotted: &str) -> Option<usize> {
        let path = &self.paths[from];
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let inner = dotted.replace('.', "/");
        if level > 0 {
            let mut folder = folder;
            for _ in 1..level {
                folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
            }
            return self.in_folder(folder, &inner);
        }
        let mut folder = folder;
        loop {
            let is_package = self.by_path.contains_key(&joined(folder, "__init__.py"));
            if !is_package && let Some(found) = self.in_folder(folder, &inner) {
                return Some(found);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
        }
    }

    fn in_folder(&self, folder: &str, inner: &str) -> Option<usize> {
        let whole = joined(folder, inner);
        let candidates = [format!("{whole}.py"), joined(&whole, "__init__.py")];
        let mut found = candidates.iter().filter_map(|path| self.by_path.get(path));
        found.next().copied()
    }
}

fn joined(folder: &str, inner: &str) -> String {
    match (folder.is_empty(), inner.is_empty()) {
        (true, _) => inner.to_owned(),
        (_, true) => folder.to_owned(),
        _ => format!("{folder}/{inner}"),
    }
}
