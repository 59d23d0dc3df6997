//! Tree → its identifiers, and the owner of each, as far as a grammar and the source's declarations show it. A
//! renaming by spelling is based on this.
//!
//! A name that the text declares or binds is the source's. The owner of a member follows from its object. Behind a
//! name that nothing in the source declares, behind a type from elsewhere and behind a literal it is foreign. Behind
//! the object that the text is about, or one of a type of the source, it is the source's; behind anything else it is
//! open. The name of a named argument has the owner of its function.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use barecode_records::{Owner, Role, Spelled, Whose};
use tree_sitter::Node;

use super::{Class, Definition, Meaning, Names, Occurrence, Reading, Space, written};
use crate::items::Items;
use crate::parsed::Parsed;

/// The facts that are known of the source of a text.
pub trait Ours {
    /// The role of this name in the source, if the source declares it.
    fn role(&self, name: &str) -> Option<Role>;

    /// Returns `true` if the source has a module or a package of this name.
    fn is_module(&self, name: &str) -> bool;

    /// Returns `true` if the language's library has something of this name too.
    fn is_librarys_too(&self, name: &str) -> bool;

    /// The owner of the module that the path of an import leads to, if it is not the source's.
    fn owner(&self, path: &str) -> Owner;

    /// The owner of something of this name, if it is not the source's and no import shows the owner.
    fn owner_of_name(&self, name: &str) -> Owner;
}

/// Returns `true` if a role is that of a type.
fn is_type(role: Role) -> bool {
    matches!(
        role,
        Role::Class
            | Role::Struct
            | Role::Union
            | Role::Enum
            | Role::Alias
            | Role::Typedef
            | Role::Namespace
    )
}

/// Leaves that are names, beside those whose kind ends in `identifier`.
const NAMES: [&str; 9] = [
    "name",
    "constant",
    "label_name",
    "instance_variable",
    "class_variable",
    "global_variable",
    "hash_key_symbol",
    "metavariable",
    "implicit_parameter",
];

fn is_name(node: Node<'_>) -> bool {
    let kind = node.kind();
    let is_leaf = node.named_child_count() == 0 && !node.is_missing();
    is_leaf && (kind.ends_with("identifier") && kind != "blank_identifier" || NAMES.contains(&kind))
}

/// The identifiers of a text whose items are known, by position.
pub fn spellings(parsed: &Parsed<'_>, items: &Items, ours: &dyn Ours) -> Vec<Spelled> {
    let mut leaves = Vec::new();
    let mut cursor = parsed.tree.walk();
    loop {
        let node = cursor.node();
        if is_name(node) {
            let range = written(parsed.text, node.byte_range());
            if !range.is_empty() {
                leaves.push((range, node));
            }
        } else if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return place(parsed, items, ours, leaves);
            }
        }
    }
}

fn place<'t>(
    parsed: &'t Parsed<'_>,
    items: &Items,
    ours: &dyn Ours,
    leaves: Vec<(Range<usize>, Node<'t>)>,
) -> Vec<Spelled> {
    let mut reading = Reading::of(parsed, items);
    let text = |range: &Range<usize>| parsed.text.get(range.clone()).unwrap_or_default();
    let types = leaves.iter().map(|(range, _)| text(range));
    let types = types.filter(|name| ours.role(name).is_some_and(is_type));
    reading.types.extend(types.map(Box::from));
    let names = reading.resolve();
    let mut origins = HashMap::new();
    for (start, from) in &reading.imported {
        let name = leaves.binary_search_by_key(start, |(range, _)| range.start);
        let name = name.map_or("", |at| text(&leaves[at].0));
        origins.insert(name, ours.owner(from));
    }
    for path in &reading.origins {
        let mut words = path.rsplit(|c: char| !(c.is_alphanumeric() || c == '_'));
        origins.insert(words.next().unwrap_or_default(), ours.owner(path));
    }
    let whose = Whoses {
        reading: &reading,
        names: &names,
        declared: names
            .definitions
            .iter()
            .map(|one| one.range.start)
            .collect(),
        ours,
        origins,
    };
    let mut spelled: Vec<Spelled> = leaves
        .into_iter()
        .map(|(range, node)| {
            let (of, owner) = whose.of(&range, node);
            Spelled {
                whose: of,
                owner,
                range,
            }
        })
        .collect();
    // Names that are declared by a node that is not a name itself: a symbol.
    let known: BTreeSet<usize> = spelled.iter().map(|one| one.range.start).collect();
    let symbols = whose.reading.declares.iter();
    let symbols = symbols.filter(|(start, _)| !known.contains(start));
    spelled.extend(symbols.map(|(start, (end, role))| Spelled {
        range: *start..*end,
        whose: Whose::Declared(*role),
        owner: Owner::Unknown,
    }));
    // `errors`, which `import "errors"` binds.
    let imports = whose.reading.origins.iter().filter_map(|path| {
        let end = path.as_ptr() as usize - parsed.text.as_ptr() as usize + path.len();
        let word = path.rsplit('/').next()?;
        let is_quoted = parsed.text.as_bytes().get(end) == Some(&b'"');
        (is_quoted && ours.owner(path) == Owner::Library).then(|| Spelled {
            range: end - word.len()..end,
            whose: Whose::Imported,
            owner: Owner::Library,
        })
    });
    spelled.extend(imports);
    spelled.sort_by_key(|one| one.range.start);
    spelled
}

struct Whoses<'r, 'p> {
    reading: &'r Reading<'p>,
    names: &'r Names,
    /// The positions of definitions.
    declared: BTreeSet<usize>,
    ours: &'r dyn Ours,
    /// The owner of each name that an import binds, if it is not the source's.
    origins: HashMap<&'r str, Owner>,
}

impl Whoses<'_, '_> {
    fn of(&self, range: &Range<usize>, node: Node<'_>) -> (Whose, Owner) {
        let whose = self.whose(range, node);
        let owner = match whose {
            _ if self.reading.words.contains(&range.start) => Owner::Library,
            Whose::Foreign if self.reading.given.contains(&range.start) => Owner::Library,
            Whose::Free | Whose::Imported => self.origin(range),
            Whose::Foreign => self.origin_before(node),
            _ => Owner::Unknown,
        };
        (whose, owner)
    }

    /// The owner of a name by the imports of the text.
    fn origin(&self, range: &Range<usize>) -> Owner {
        let name = self
            .reading
            .parsed
            .text
            .get(range.clone())
            .unwrap_or_default();
        let owner = self.origins.get(name).copied();
        owner.unwrap_or_else(|| self.ours.owner_of_name(name))
    }

    /// The owner of a member of an object from elsewhere. Objects of a library have members from other packages too,
    /// where these may extend them. Calls of another package's functions may return the library's objects, so the
    /// owner of their members is not known.
    fn origin_before(&self, node: Node<'_>) -> Owner {
        let Some(object) = self.reading.object_before(node) else {
            return Owner::Unknown;
        };
        let (root, _) = root(object);
        let mut inside = object;
        let mut has_call = false;
        while inside.id() != root.id() && !has_call {
            has_call = inside.kind().contains("call") || inside.kind().contains("invocation");
            inside = inside.child(0).or(inside.named_child(0)).unwrap_or(root);
        }
        if !is_name(root) || has_call {
            return Owner::Unknown;
        }
        let at = written(self.reading.parsed.text, root.byte_range());
        if let Some(Meaning::Bound(found)) = self.occurrence(at.start).map(|one| &one.meaning) {
            let mut types = found.iter().filter_map(|number| {
                let of = self.names.definitions[*number].type_name()?;
                let of = last_word(of);
                let known = self.origins.get(of).copied();
                Some(known.unwrap_or_else(|| self.ours.owner_of_name(of)))
            });
            let known = types.next_back().filter(|owner| *owner == Owner::Package);
            return known.unwrap_or(Owner::Unknown);
        }
        match self.origin(&at) {
            Owner::Package => Owner::Package,
            Owner::Library | Owner::Unknown => Owner::Unknown,
        }
    }

    fn whose(&self, range: &Range<usize>, node: Node<'_>) -> Whose {
        let start = range.start;
        if let Some(from) = self.reading.imported.get(&start) {
            let is_own = from.starts_with(['.', '/']) || self.ours.is_module(package(from));
            return if is_own {
                Whose::Declared(Role::Namespace)
            } else {
                Whose::Imported
            };
        }
        if let Some((_, role)) = self.reading.declares.get(&start) {
            return Whose::Declared(*role);
        }
        if self.reading.given.contains(&start) {
            return Whose::Foreign;
        }
        let occurrence = self.occurrence(start);
        let is_bound = occurrence.is_some_and(|one| matches!(one.meaning, Meaning::Bound(_)));
        if !is_bound && self.cannot_be_ours(node) {
            return Whose::Foreign;
        }
        let Some(occurrence) = occurrence else {
            return self.of_member(node);
        };
        match &occurrence.meaning {
            Meaning::Bound(found) if self.declared.contains(&start) => {
                let here = found.iter().map(|number| &self.names.definitions[*number]);
                let mut here = here.filter(|one| one.range.start == start);
                let Some(last) = here.next_back() else {
                    return Whose::Own;
                };
                if self.is_contract(found) {
                    return Whose::Asked(last.role);
                }
                Whose::Declared(last.role)
            }
            // A path begins with a module or a type, and some calls look for functions, whatever variable has the name.
            Meaning::Bound(found) if self.means_no_variable(node, found) => Whose::Open,
            Meaning::Bound(_)
                if occurrence
                    .owner
                    .as_deref()
                    .is_some_and(|owner| self.is_value(owner) || self.is_of_nullable(node)) =>
            {
                Whose::Open
            }
            Meaning::Bound(found) => {
                let role = found
                    .first()
                    .map(|number| self.names.definitions[*number].role);
                match role {
                    Some(role) if self.is_contract(found) => Whose::Asked(role),
                    _ => Whose::Own,
                }
            }
            Meaning::Foreign if occurrence.owner.is_some() => {
                let owner = occurrence.owner.as_deref();
                if self.is_of_nullable(node)
                    || owner
                        .is_some_and(|owner| self.may_be_librarys(owner) || self.is_value(owner))
                {
                    Whose::Open
                } else {
                    Whose::OfOwn
                }
            }
            Meaning::Foreign | Meaning::Others | Meaning::Stays => self.of_member(node),
            Meaning::Free if self.is_argument(node) => match self.reading.callee(node) {
                Some(callee) if self.is_ours(callee) => Whose::Own,
                Some(_) => Whose::Foreign,
                None => Whose::Open,
            },
            Meaning::Free if occurrence.space == Space::Member => Whose::Open,
            Meaning::Free if self.is_field_of_others(node) => Whose::Foreign,
            Meaning::Free => Whose::Free,
        }
    }

    /// Returns `true` if other code calls the declared item by its name.
    fn is_contract(&self, found: &[usize]) -> bool {
        let first = found.first().map(|number| &self.names.definitions[*number]);
        let kept = first.and_then(|first| self.names.kept.get(&first.name));
        kept.is_some_and(|reason| *reason == super::reason("contract"))
    }

    /// Returns `true` if a name is a key in a literal of a type from elsewhere, spelled as its fields are.
    fn is_field_of_others(&self, node: Node<'_>) -> bool {
        let marked = (self.reading.marked).get(&(node.start_byte(), node.end_byte()));
        marked.is_some_and(|marked| marked.class == Class::OthersKey)
            && self
                .reading
                .parsed
                .of_node(node)
                .starts_with(char::is_uppercase)
    }

    /// Returns `true` if a name is at a position where only modules or types can be, and the source's item of that
    /// name is neither. It is the library's then (`std` in `std::io`), or behind it is a package (R).
    fn cannot_be_ours(&self, node: Node<'_>) -> bool {
        let name = self.reading.parsed.of_node(node);
        let Some(role) = self.ours.role(name) else {
            return false;
        };
        let Some(parent) = self.reading.parent(node) else {
            return false;
        };
        if is_type(role) || role == Role::TemplateParameter || self.ours.is_module(name) {
            return false;
        }
        let is_field = |field| {
            let there = parent.child_by_field_name(field);
            there.is_some_and(|there| there.id() == node.id())
        };
        if parent.kind() == "namespace_operator" {
            return is_field("lhs");
        }
        let is_argument = matches!(
            parent.kind(),
            "type_argument_list" | "nullable_type" | "array_type" | "base_list"
        );
        let is_place = node.kind() == "type_identifier"
            || is_field("type")
            || is_field("returns")
            || is_argument;
        (is_place && !parent.kind().ends_with("pattern") || is_field("path"))
            && self.ours.owner(name) == Owner::Library
    }

    fn occurrence(&self, start: usize) -> Option<&Occurrence> {
        let occurrences = &self.names.occurrences;
        let at = occurrences.binary_search_by_key(&start, |one| one.range.start);
        occurrences.get(at.ok()?)
    }

    /// Returns `true` if a name begins a path, or is called where calls look for functions only, and `found` declares
    /// variables.
    fn means_no_variable(&self, node: Node<'_>, found: &[usize]) -> bool {
        let is_field = |field| {
            let parent = self.reading.parent(node);
            let there = parent.and_then(|parent| parent.child_by_field_name(field));
            there.is_some_and(|there| there.id() == node.id())
        };
        let is_variable = |number: &usize| {
            let role = self.names.definitions[*number].role;
            matches!(role, Role::Variable | Role::Parameter)
        };
        let calls_find_functions = self.reading.parsed.language.calls_find_functions;
        (is_field("path") || calls_find_functions && is_field("function"))
            && found.iter().all(is_variable)
    }

    fn is_argument(&self, node: Node<'_>) -> bool {
        let marked = self
            .reading
            .marked
            .get(&(node.start_byte(), node.end_byte()));
        marked.is_some_and(|marked| marked.class == Class::Argument)
    }

    /// The owner of a name that may be behind an object.
    fn of_member(&self, node: Node<'_>) -> Whose {
        let Some(object) = self.reading.object_before(node) else {
            return Whose::Open;
        };
        let range = object.byte_range();
        let is_self = self.reading.selves.contains(&(range.start, range.end));
        if is_self || matches!(object.kind(), "this" | "self" | "super") {
            return Whose::OfOwn;
        }
        if object.kind() == "crate" {
            return Whose::Own;
        }
        if is_literal(object) {
            return Whose::Foreign;
        }
        let (root, steps) = root(object);
        if is_literal(root) {
            return Whose::Foreign;
        }
        if root.kind() == "crate" && object.kind().starts_with("scoped") {
            return Whose::Own;
        }
        if !is_name(root) {
            return Whose::Open;
        }
        let at = written(self.reading.parsed.text, root.byte_range());
        let name = self.reading.parsed.text.get(at.clone());
        if self.reading.imported.contains_key(&at.start) {
            return Whose::Foreign;
        }
        match self.occurrence(at.start).map(|one| &one.meaning) {
            Some(Meaning::Bound(found)) if !self.means_no_variable(root, found) => {
                self.of_bound(found, steps == 0)
            }
            _ if !self.is_ours(root) || self.cannot_be_ours(root) => Whose::Foreign,
            // `File.join`: the source may have a `File` in some module of its own.
            _ if name.is_some_and(|name| self.may_be_librarys(name)) => Whose::Open,
            // The result of a variable or a function is not known.
            _ if steps == 0 && name.is_some_and(|name| self.is_ours_type(name)) => Whose::OfOwn,
            _ => Whose::Open,
        }
    }

    /// Returns `true` if the source declares a type or a module of this name.
    fn is_ours_type(&self, name: &str) -> bool {
        self.ours.role(name).is_some_and(is_type) && !self.is_value(name)
    }

    /// Returns `true` if a name that is declared as another name of a type is a value: a constant in capitals (Ruby).
    fn is_value(&self, name: &str) -> bool {
        self.ours.role(name) == Some(Role::Alias) && !name.contains(char::is_lowercase)
    }

    /// The owner of a member of a variable that the text declares.
    fn of_bound(&self, found: &[usize], is_direct: bool) -> Whose {
        let definitions = || found.iter().map(|number| &self.names.definitions[*number]);
        if definitions().any(Definition::is_nullable) {
            return Whose::Open;
        }
        // `http.Handler`: of a package that the source has not.
        let is_elsewhere = |of: &str| {
            let first = of.split(['.', ':', '\\']).next().unwrap_or_default();
            let is_ours = || {
                matches!(first, "" | "crate" | "self" | "super" | "this")
                    || self.ours.role(first).is_some_and(is_type)
                    || self.ours.is_module(first)
            };
            first != of && !is_ours()
        };
        let mut elsewhere = definitions().filter_map(Definition::type_name);
        if elsewhere.any(is_elsewhere) {
            return Whose::Foreign;
        }
        let mut types = definitions().map(|definition| {
            let of = definition.type_name();
            of.map(last_word)
        });
        let Some(Some(first)) = types.next() else {
            return Whose::Open;
        };
        let is_known = |of: &str| {
            super::unsure::OPEN_TYPES.contains(&of) || self.reading.generics.contains(of)
        };
        if types.any(|other| other != Some(first)) || is_known(first) {
            return Whose::Open;
        }
        if !self.reading.is_type(first) {
            return Whose::Foreign;
        }
        if is_direct && !self.may_be_librarys(first) {
            Whose::OfOwn
        } else {
            Whose::Open
        }
    }

    /// Returns `true` if a type of the source has a name that the library has too, and the text does not declare it.
    fn may_be_librarys(&self, name: &str) -> bool {
        let mut declared = self.names.definitions.iter();
        self.ours.is_librarys_too(name)
            && !declared.any(|one| one.space == Space::Type && *one.name == *name)
    }

    /// Returns `true` if a member is taken from a variable that may hold nothing.
    fn is_of_nullable(&self, node: Node<'_>) -> bool {
        let object = self.reading.object_before(node);
        let object = object.and_then(|object| self.occurrence(object.start_byte()));
        let Some(Meaning::Bound(found)) = object.map(|one| &one.meaning) else {
            return false;
        };
        let mut definitions = found.iter().map(|number| &self.names.definitions[*number]);
        definitions.any(Definition::is_nullable)
    }

    /// Returns `true` if a name is bound in the text, or of the source.
    fn is_ours(&self, node: Node<'_>) -> bool {
        let range = written(self.reading.parsed.text, node.byte_range());
        let name = self.reading.parsed.text.get(range.clone());
        let is_bound = || {
            let meaning = self.occurrence(range.start).map(|one| &one.meaning);
            matches!(meaning, Some(Meaning::Bound(_)))
        };
        name.is_some_and(|name| self.ours.role(name).is_some()) || is_bound()
    }
}

/// The package that a path of an import begins with: `@a/b` of `@a/b/c`.
fn package(from: &str) -> &str {
    let parts = if from.starts_with('@') { 2 } else { 1 };
    let end = from.match_indices('/').nth(parts - 1);
    end.and_then(|(end, _)| from.get(..end)).unwrap_or(from)
}

/// The last word of a path.
fn last_word(path: &str) -> &str {
    path.rsplit(['.', ':', '\\']).next().unwrap_or(path)
}

/// The beginning of a chain of members and calls, and the number of its steps.
fn root(object: Node<'_>) -> (Node<'_>, usize) {
    let mut root = object;
    let mut steps = 0;
    while let Some(first) = root.child(0).filter(|_| !is_name(root)) {
        root = if first.is_named() || root.child_count() == 1 {
            first
        } else {
            let Some(inner) = root.named_child(0) else {
                break;
            };
            inner
        };
        steps += 1;
    }
    (root, steps)
}

fn is_literal(node: Node<'_>) -> bool {
    let kind = node.kind();
    let is_text =
        kind.contains("string") || kind.contains("literal") && !kind.contains("composite");
    is_text
        || matches!(
            kind,
            "number" | "integer" | "float" | "array" | "regex" | "symbol"
        )
}
