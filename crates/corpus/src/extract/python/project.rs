//! The modules of a source, and the meaning of a name in one of them: the imports followed, as far as they stay
//! inside.

use std::collections::BTreeMap;

use barecode_python::{Definition, Imported, Item, ItemKind};
use barecode_records::DocComment;

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

/// The modules of a source.
#[derive(Debug)]
pub(super) struct Project {
    pub(super) modules: Vec<Read>,
    by_path: BTreeMap<String, usize>,
}

impl Project {
    pub(super) fn of(modules: Vec<Read>) -> Project {
        let paths = modules.iter().enumerate();
        let by_path = paths.map(|(number, read)| (read.path.clone(), number));
        Project {
            by_path: by_path.collect(),
            modules,
        }
    }

    /// The module of a path, and its definition that begins at a byte.
    pub(super) fn place(&self, path: &str, start: usize) -> (usize, usize) {
        let module = self.by_path[path];
        let mut definitions = self.modules[module].definitions.iter();
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
        let read = &self.modules[module];
        let Some(depth) = depth.checked_sub(1) else {
            return Meaning::Outside;
        };
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
        for item in &self.modules[module].items {
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
        let path = &self.modules[from].path;
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
