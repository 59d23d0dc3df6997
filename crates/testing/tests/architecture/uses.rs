//! A crate's files → which uses which.
//!
//! Enters: the folder of a crate. Leaves: for each file the files that it uses, by number.
//! A file uses another where it imports one of its names or writes a path into it. A name that a file hands on
//! (`pub use`) is looked up where it is defined, and handing on is no use. Tests do not count.
//! The text is read as tokens: what a macro is given counts, too.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A module with a file of its own.
struct Module {
    file: PathBuf,
    parent: Option<usize>,
    children: BTreeMap<String, usize>,
    /// What its items are called.
    defined: BTreeSet<String>,
    /// What it imports: the name here, and the path.
    imported: Vec<(String, Vec<String>)>,
    /// All paths that it writes but for those that it hands on.
    written: Vec<Vec<String>>,
}

/// The files of a crate, and for each the numbers of those that it uses.
pub(crate) struct Uses {
    pub(crate) files: Vec<PathBuf>,
    pub(crate) edges: Vec<BTreeSet<usize>>,
}

impl Uses {
    /// Reads the crate in `folder` from its `lib.rs`.
    pub(crate) fn of(folder: &Path) -> Uses {
        let mut modules = Vec::new();
        let root = folder.join("src/lib.rs");
        if root.is_file() {
            read(&root, &folder.join("src"), None, &mut modules);
        }
        let edges = (0..modules.len()).map(|at| used(&modules, at)).collect();
        Uses {
            files: modules.into_iter().map(|module| module.file).collect(),
            edges,
        }
    }
}

/// Reads the module in `file`, whose children lie in `folder`, and then its children.
fn read(file: &Path, folder: &Path, parent: Option<usize>, modules: &mut Vec<Module>) -> usize {
    let text = fs::read_to_string(file).expect("a module is a file");
    let tokens: TokenStream = text.parse().expect("a file of the workspace is Rust");
    let at = modules.len();
    modules.push(Module {
        file: file.to_owned(),
        parent,
        children: BTreeMap::new(),
        defined: BTreeSet::new(),
        imported: Vec::new(),
        written: Vec::new(),
    });
    let mut children = Vec::new();
    let shipped = without_tests(tokens);
    items(&shipped, &mut modules[at], &mut children);
    paths(&shipped, &mut modules[at].written);
    for name in children {
        let inside = folder.join(&name);
        let beside = folder.join(format!("{name}.rs"));
        let file = if beside.is_file() {
            beside
        } else {
            inside.join("mod.rs")
        };
        if file.is_file() {
            let child = read(&file, &inside, Some(at), modules);
            modules[at].children.insert(name, child);
        }
    }
    at
}

/// `tokens` without items that only tests have.
fn without_tests(tokens: TokenStream) -> Vec<TokenTree> {
    let mut kept = Vec::new();
    let mut tokens = tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        let attribute = is(&token, '#')
            && tokens
                .peek()
                .is_some_and(|next| next.to_string().replace(' ', "") == "[cfg(test)]");
        if !attribute {
            kept.push(token);
            continue;
        }
        for skipped in tokens.by_ref() {
            let ends = match &skipped {
                TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
                other => is(other, ';'),
            };
            if ends {
                break;
            }
        }
    }
    kept
}

/// What a module's own items are called, and which files lie below it.
fn items(tokens: &[TokenTree], module: &mut Module, children: &mut Vec<String>) {
    let mut at = 0;
    while at < tokens.len() {
        if is(&tokens[at], '\'') {
            // A lifetime: `static` is no item there.
            at += 2;
            continue;
        }
        let word = tokens[at].to_string();
        let name = tokens.get(at + 1).map(ToString::to_string);
        match (word.as_str(), name) {
            ("mod", Some(name)) => {
                if tokens.get(at + 2).is_some_and(|token| is(token, ';')) {
                    children.push(name);
                } else {
                    module.defined.insert(name);
                }
            }
            (
                "fn" | "struct" | "enum" | "trait" | "type" | "const" | "static" | "union",
                Some(name),
            ) => {
                module.defined.insert(name);
            }
            ("use", _) => {
                let end = (at..tokens.len())
                    .find(|&at| is(&tokens[at], ';'))
                    .unwrap_or(at);
                tree(&tokens[at + 1..end], &[], &mut module.imported);
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
}

/// A tree of `use` → the names that it brings, each with its path; `*` for all of them.
fn tree(tokens: &[TokenTree], prefix: &[String], found: &mut Vec<(String, Vec<String>)>) {
    for branch in tokens.split(|token| is(token, ',')) {
        let mut path = prefix.to_vec();
        let mut name = None;
        let mut nested = false;
        let mut words = branch.iter();
        while let Some(token) = words.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    name = words.next().map(ToString::to_string);
                }
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    tree(&inside, &path, found);
                    nested = true;
                }
                other if is(other, '*') => name = Some("*".to_owned()),
                _ => {}
            }
        }
        if !nested && !path.is_empty() {
            if path.last().is_some_and(|last| last == "self") && path.len() > 1 {
                path.pop();
            }
            let name = name.or_else(|| path.last().cloned()).unwrap_or_default();
            found.push((name, path));
        }
    }
}

/// All paths of at least two words in `tokens`, groups included, but for those of `pub use`.
fn paths(tokens: &[TokenTree], found: &mut Vec<Vec<String>>) {
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            // `impl Trait + use<'a>` brings nothing.
            TokenTree::Ident(word)
                if word == "use" && !tokens.get(at + 1).is_some_and(|next| is(next, '<')) =>
            {
                let handed_on = at > 0
                    && (tokens[at - 1].to_string() == "pub"
                        || (at > 1 && tokens[at - 2].to_string() == "pub"));
                let end = (at..tokens.len())
                    .find(|&at| is(&tokens[at], ';'))
                    .unwrap_or(at);
                if !handed_on {
                    let mut brought = Vec::new();
                    tree(&tokens[at + 1..end], &[], &mut brought);
                    found.extend(brought.into_iter().map(|(name, mut path)| {
                        if name == "*" {
                            path.push(name);
                        }
                        path
                    }));
                }
                at = end;
            }
            TokenTree::Ident(word) => {
                let mut path = vec![word.to_string()];
                while let [first, second, TokenTree::Ident(next), ..] = &tokens[at + 1..]
                    && is(first, ':')
                    && is(second, ':')
                {
                    path.push(next.to_string());
                    at += 3;
                }
                if path.len() > 1 {
                    found.push(path);
                }
            }
            // `pub(in crate::commands)` says who may use, not what is used.
            TokenTree::Group(_) if at > 0 && tokens[at - 1].to_string() == "pub" => {}
            TokenTree::Group(group) => {
                let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                paths(&inside, found);
            }
            _ => {}
        }
        at += 1;
    }
}

/// Whether `token` is this one character.
fn is(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == sign)
}

/// The modules that the module `at` uses.
fn used(modules: &[Module], at: usize) -> BTreeSet<usize> {
    let mut used: BTreeSet<usize> = modules[at]
        .written
        .iter()
        .filter(|path| {
            let first = path.first().map_or("", String::as_str);
            matches!(first, "crate" | "self" | "super") || modules[at].children.contains_key(first)
        })
        .filter_map(|path| home(modules, at, path, 0))
        .collect();
    used.remove(&at);
    used
}

/// The module that defines what `path` names, as the module `at` reads it; none for other crates.
fn home(modules: &[Module], at: usize, path: &[String], depth: usize) -> Option<usize> {
    let mut module = at;
    let mut rest = path;
    while let [first, others @ ..] = rest {
        let next = match first.as_str() {
            "crate" => 0,
            "self" => module,
            "super" => modules[module].parent?,
            "*" => return Some(module),
            name => match modules[module].children.get(name) {
                Some(&child) => child,
                None => {
                    return match definition(modules, module, name, others, depth) {
                        Definition::Here => Some(module),
                        Definition::In(other) => Some(other),
                        Definition::OfAnotherCrate => None,
                    };
                }
            },
        };
        module = next;
        rest = others;
    }
    Some(module)
}

/// Where a name that a module knows is defined.
enum Definition {
    Here,
    In(usize),
    OfAnotherCrate,
}

/// Where `name`, which is no child of `module`, is defined, if the module only imports it.
fn definition(
    modules: &[Module],
    module: usize,
    name: &str,
    others: &[String],
    depth: usize,
) -> Definition {
    if depth > 8 || modules[module].defined.contains(name) {
        return Definition::Here;
    }
    let imported = &modules[module].imported;
    if let Some((_, path)) = imported.iter().find(|(known, _)| known == name) {
        let first = path.first().map_or("", String::as_str);
        let is_ours = matches!(first, "crate" | "self" | "super")
            || modules[module].children.contains_key(first);
        if !is_ours {
            return Definition::OfAnotherCrate;
        }
        let whole: Vec<String> = path.iter().chain(others).cloned().collect();
        return home(modules, module, &whole, depth + 1)
            .map_or(Definition::OfAnotherCrate, Definition::In);
    }
    imported
        .iter()
        .filter(|(known, _)| known == "*")
        .filter_map(|(_, path)| home(modules, module, path, depth + 1))
        .find(|&from| from != module && modules[from].defined.contains(name))
        .map_or(Definition::Here, Definition::In)
}
