//! Tree → the meaning of each name.
//!
//! A name is looked up in the scopes around it, from the inside out. A member of the object that the text is about is
//! looked up among the members that its class declares. A name that a declaration reads before it holds
//! (`x := x + 1`) is looked up further out. A name that is found nowhere comes from elsewhere. Nothing is known of a
//! member of any other object, unless its type or its name is not the text's.
//!
//! If the meaning of a name cannot be decided, the name is kept at all positions, with the reason: a name that is
//! declared in one part of a function and read in another, a variable of a computed name.

mod spellings;
mod unsure;

pub use spellings::{Ours, spellings};

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use barecode_records::Role;
use tree_sitter::Node;

use crate::items::{Item, Items};
use crate::parents::Parents;
use crate::parsed::{Of, Parsed};

/// The kinds of names that a language distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// Variables, and functions where they are values.
    Value,
    /// Functions where they are not.
    Callable,
    /// Types.
    Type,
    /// Fields and methods.
    Member,
    /// Fields that have marks of their own.
    Own,
    /// Macros.
    Macro,
    /// Labels.
    Label,
}

/// A declaration of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// The name space.
    pub space: Space,
    /// Its role.
    pub role: Role,
    /// The name.
    pub name: Box<str>,
    /// The range of the name.
    pub range: Range<usize>,
    scope: usize,
    owner: Option<Box<str>>,
    /// The range in which it does not hold yet.
    extent: Option<Range<usize>>,
    is_receiver: bool,
    /// Its type, where it is declared with one.
    declared: Option<DeclaredType>,
    /// True if a use of the variable also declares it, because the language needs no declaration.
    is_implied: bool,
}

/// The type that a name is declared with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct DeclaredType {
    /// As a path where it is one: `Command` in `c *Command`, `io.Writer` in `w io.Writer`, `List` in `List<Command> c`.
    name: Box<str>,
    has_arguments: bool,
    is_nullable: bool,
}

/// The meaning of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning {
    /// The declarations in the text, by number: several if it declares a name more than once.
    Bound(Vec<usize>),
    /// A member of an object of which nothing is known.
    Foreign,
    /// A member of an object that is not the text's.
    Others,
    /// A name that the text does not declare.
    Free,
    /// A name that is not the text's.
    Stays,
}

/// A name in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurrence {
    /// Its range, without the marks around it.
    pub range: Range<usize>,
    /// The name space.
    pub space: Space,
    /// Its meaning.
    pub meaning: Meaning,
    /// For a member of an object whose class is known: the class.
    pub owner: Option<Box<str>>,
}

/// The names of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Its declarations, by position.
    pub definitions: Vec<Definition>,
    /// Every name that is read as one, by position.
    pub occurrences: Vec<Occurrence>,
    /// Names that are more than names, with the reason.
    pub kept: BTreeMap<Box<str>, &'static str>,
    /// True if it has elements of pages, whose names are distinguished by their capitals.
    pub has_elements: bool,
}

/// The class that the patterns assign to a node, the most exact last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Value,
    Type,
    Variable,
    Callable,
    Macro,
    Label,
    Own,
    Key,
    /// A key in a literal of a type from elsewhere: a field of that, or a value where the type is a map.
    OthersKey,
    Member,
    Argument,
    Declares(Space, Role, Reach),
    Assigned,
    Stay,
}

/// The extent in which a declaration holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Reach {
    /// In the scope around it.
    Scope,
    /// In the scope around the node that it names.
    Outside,
    /// In the function around it.
    Function,
}

impl Class {
    /// Patterns of one rank count as equally exact.
    fn rank(self) -> u8 {
        match self {
            Class::Value => 0,
            Class::Type | Class::Variable => 1,
            Class::Declares(..) => 3,
            Class::Assigned => 4,
            Class::Stay => 5,
            _ => 2,
        }
    }

    fn of(capture: &str) -> Option<Class> {
        use Reach::{Function, Outside, Scope};
        let declares = |space, role, reach| Class::Declares(space, role, reach);
        Some(match capture {
            "value" => Class::Value,
            "type" => Class::Type,
            "variable" => Class::Variable,
            "callable" => Class::Callable,
            "macro" => Class::Macro,
            "label" => Class::Label,
            "own" => Class::Own,
            "key" => Class::Key,
            "key.others" => Class::OthersKey,
            "member" => Class::Member,
            "argument" => Class::Argument,
            "assigned" => Class::Assigned,
            "stay" => Class::Stay,
            "def.variable" => declares(Space::Value, Role::Variable, Scope),
            "def.hoisted" => declares(Space::Value, Role::Variable, Function),
            "def.parameter" => declares(Space::Value, Role::Parameter, Scope),
            "def.function" => declares(Space::Value, Role::Function, Outside),
            "def.hoisted.function" => declares(Space::Value, Role::Function, Function),
            "def.callable" => declares(Space::Callable, Role::Function, Outside),
            "def.method" => declares(Space::Member, Role::Method, Outside),
            "def.field" => declares(Space::Member, Role::Field, Outside),
            "def.enumerator" => declares(Space::Member, Role::Enumerator, Outside),
            "def.own" => declares(Space::Own, Role::Field, Outside),
            "def.class" => declares(Space::Type, Role::Class, Outside),
            "def.struct" => declares(Space::Type, Role::Struct, Outside),
            "def.union" => declares(Space::Type, Role::Union, Outside),
            "def.enum" => declares(Space::Type, Role::Enum, Outside),
            "def.alias" => declares(Space::Type, Role::Alias, Outside),
            "def.namespace" => declares(Space::Type, Role::Namespace, Outside),
            "def.generic" => declares(Space::Type, Role::TemplateParameter, Scope),
            "def.macro" => declares(Space::Macro, Role::Macro, Outside),
            "def.label" => declares(Space::Label, Role::Label, Scope),
            _ => return None,
        })
    }
}

/// The reason why a name stays wherever it occurs, by the name of its pattern.
fn reason(keep: &str) -> &'static str {
    match keep {
        "shorthand" => "it is also the name of a property",
        "promoted" => "it is a parameter and a field",
        "contract" => "others call it by this name",
        "embedded" => "it is a type and a field",
        "global" => "it is a variable of the whole program",
        "argument" => "an argument is given by this name",
        "operator" => "it is an operator",
        "computed" => "the name of a variable is computed",
        "undecided" => "it is not certain where its declaration holds",
        _ => "a text or a symbol spells it",
    }
}

struct Scope {
    node: usize,
    range: Range<usize>,
    parent: usize,
    is_function: bool,
}

struct Marked<'t> {
    node: Node<'t>,
    class: Class,
    pattern: usize,
    extent: Option<Range<usize>>,
}

impl Names {
    /// Finds the names of a text, whose items are known.
    pub fn of(parsed: &Parsed<'_>, items: &Items) -> Names {
        Names::beside(parsed, items, &BTreeSet::new())
    }

    /// Finds the names of a text that shares the declarations of other files, among them types of these names.
    pub fn beside(parsed: &Parsed<'_>, items: &Items, types: &BTreeSet<String>) -> Names {
        let mut reading = Reading::of(parsed, items);
        reading
            .types
            .extend(types.iter().map(|name| name.as_str().into()));
        reading.resolve()
    }
}

struct Reading<'p> {
    parsed: &'p Parsed<'p>,
    parents: Parents<'p>,
    owners: Vec<(Range<usize>, &'p str)>,
    marked: BTreeMap<(usize, usize), Marked<'p>>,
    scopes: Vec<Scope>,
    selves: BTreeSet<(usize, usize)>,
    receivers: BTreeSet<usize>,
    /// Nodes in which a bare name may be a member that they declare.
    bare: Vec<Range<usize>>,
    /// The positions at which names are computed.
    computed: Vec<usize>,
    /// Names that may be of any name space.
    tokens: BTreeSet<usize>,
    /// The outermost functions, by position.
    functions: Vec<Range<usize>>,
    kept: BTreeMap<Box<str>, &'static str>,
    /// The names that are declared but not looked up by scopes: by start, their end and their role.
    declares: BTreeMap<usize, (usize, Role)>,
    /// The positions at which names are imported, with their origins.
    imported: BTreeMap<usize, &'p str>,
    /// Paths of imports that bind their last word.
    origins: Vec<&'p str>,
    /// The positions of words that the language, its compiler or the build provides and that look like names.
    words: BTreeSet<usize>,
    /// The positions of names that the language provides.
    given: BTreeSet<usize>,
    has_elements: bool,
    definitions: Vec<Definition>,
    /// The names of types that it declares.
    types: BTreeSet<Box<str>>,
    /// The names of types that represent any type.
    generics: BTreeSet<Box<str>>,
    /// Definitions by name space, name and scope; members by name alone.
    found: HashMap<(Space, Box<str>, usize), Vec<usize>>,
}

/// The scope of members, which are found by their class.
const NOWHERE: usize = usize::MAX;

impl<'p> Reading<'p> {
    fn of(parsed: &'p Parsed<'_>, items: &'p Items) -> Reading<'p> {
        let outer = |item: &&Item| item.is_function() && item.inside.is_none();
        let functions = items.items.iter().filter(outer);
        let mut reading = Reading {
            parsed,
            parents: Parents::of(parsed),
            bare: Vec::new(),
            computed: Vec::new(),
            tokens: BTreeSet::new(),
            functions: functions.map(|item| item.range.clone()).collect(),
            owners: items.owners(),
            marked: BTreeMap::new(),
            scopes: Vec::new(),
            selves: BTreeSet::new(),
            receivers: BTreeSet::new(),
            kept: BTreeMap::new(),
            declares: BTreeMap::new(),
            imported: BTreeMap::new(),
            origins: Vec::new(),
            words: BTreeSet::new(),
            given: BTreeSet::new(),
            has_elements: false,
            definitions: Vec::new(),
            types: BTreeSet::new(),
            generics: BTreeSet::new(),
            found: HashMap::new(),
        };
        let mut scopes: BTreeMap<(usize, std::cmp::Reverse<usize>), (usize, bool)> =
            BTreeMap::new();
        parsed.matches(Of::Names, |query, found| {
            let name = |index: u32| query.capture_names()[index as usize];
            let captures = found.captures();
            let extent = captures
                .iter()
                .find(|capture| name(capture.index) == "extent");
            let extent = extent.map(|capture| capture.node.byte_range());
            for capture in captures {
                let range = capture.node.byte_range();
                let (start, end) = (range.start, range.end);
                let of = name(capture.index);
                if let Some(class) = Class::of(of) {
                    let marked = Marked {
                        node: capture.node,
                        class,
                        pattern: found.pattern_index,
                        extent: extent.clone(),
                    };
                    let known = reading.marked.get(&(start, end));
                    let key = |one: &Marked<'_>| (one.class.rank(), one.pattern);
                    if known.is_none_or(|known| key(known) <= key(&marked)) {
                        reading.marked.insert((start, end), marked);
                    }
                } else if let Some(keep) = of.strip_prefix("keep") {
                    let spelled = spelled(parsed.of_node(capture.node));
                    let reason = reason(keep.trim_start_matches('.'));
                    reading.kept.entry(spelled.into()).or_insert(reason);
                } else if let Some(role) = of.strip_prefix("declares.").and_then(Role::named) {
                    let range = written(parsed.text, start..end);
                    reading.declares.insert(range.start, (range.end, role));
                } else {
                    match of {
                        "scope" | "scope.function" => {
                            let is_function = of == "scope.function";
                            let key = (start, std::cmp::Reverse(end));
                            let known = scopes
                                .entry(key)
                                .or_insert((capture.node.id(), is_function));
                            known.1 |= is_function;
                        }
                        "import" => {
                            let mut all = captures.iter();
                            let from = all.find(|capture| name(capture.index) == "_from");
                            let from = from.map_or("", |from| spelled(parsed.of_node(from.node)));
                            reading.imported.insert(start, from);
                        }
                        "origin" => {
                            reading.origins.push(spelled(parsed.of_node(capture.node)));
                        }
                        "self" => {
                            reading.selves.insert((start, end));
                        }
                        "element" => reading.has_elements = true,
                        "members" => reading.bare.push(start..end),
                        "computed" => reading.computed.push(start),
                        "spelled" => reading.keep_spelled([spelled(parsed.of_node(capture.node))]),
                        "format" => reading.keep_spelled(in_braces(parsed.of_node(capture.node))),
                        _ => {
                            let places = match of {
                                "word" => &mut reading.words,
                                "given" => &mut reading.given,
                                "token" => &mut reading.tokens,
                                "receiver" => &mut reading.receivers,
                                _ => continue,
                            };
                            places.insert(start);
                        }
                    }
                }
            }
        });
        reading.scopes.push(Scope {
            node: parsed.tree.root_node().id(),
            range: 0..parsed.text.len(),
            parent: 0,
            is_function: true,
        });
        let mut stack = vec![0];
        for ((start, std::cmp::Reverse(end)), (node, is_function)) in scopes {
            while stack.len() > 1 && reading.scopes[stack[stack.len() - 1]].range.end <= start {
                stack.pop();
            }
            reading.scopes.push(Scope {
                node,
                range: start..end,
                parent: stack[stack.len() - 1],
                is_function,
            });
            stack.push(reading.scopes.len() - 1);
        }
        reading
    }

    /// Keeps names that a text spells.
    fn keep_spelled<'t>(&mut self, names: impl IntoIterator<Item = &'t str>) {
        for name in names {
            self.kept.entry(name.into()).or_insert(reason("spelled"));
        }
    }

    /// The innermost scope around a byte.
    fn scope_at(&self, at: usize) -> usize {
        let mut scope = self.scopes.partition_point(|scope| scope.range.start <= at) - 1;
        while scope != 0 && self.scopes[scope].range.end <= at {
            scope = self.scopes[scope].parent;
        }
        scope
    }

    /// The function that a scope is in; the whole text where functions are not marked.
    fn function_of(&self, mut scope: usize) -> usize {
        while !self.scopes[scope].is_function {
            scope = self.scopes[scope].parent;
        }
        scope
    }

    fn owner_at(&self, at: usize) -> Option<&'p str> {
        let until = self.owners.partition_point(|(range, _)| range.start <= at);
        let mut owners = self.owners[..until].iter().rev();
        owners
            .find(|(range, _)| range.end > at)
            .map(|(_, name)| *name)
    }

    fn declare(&mut self) {
        for marked in self.marked.values() {
            let (space, role, reach) = match marked.class {
                Class::Declares(space, role, reach) => (space, role, reach),
                Class::Variable => (Space::Value, Role::Variable, Reach::Function),
                _ => continue,
            };
            let range = written(self.parsed.text, marked.node.byte_range());
            let mut scope = self.scope_at(range.start);
            let named = self.parent(marked.node).map(|parent| parent.id());
            if reach != Reach::Scope && named == Some(self.scopes[scope].node) {
                scope = self.scopes[scope].parent;
            }
            if reach == Reach::Function {
                scope = self.function_of(scope);
            }
            let name: Box<str> = self
                .parsed
                .text
                .get(range.clone())
                .unwrap_or_default()
                .into();
            let place = match space {
                Space::Member | Space::Own => NOWHERE,
                _ => scope,
            };
            let number = self.definitions.len();
            if role == Role::TemplateParameter {
                self.generics.insert(name.clone());
            } else if space == Space::Type {
                self.types.insert(name.clone());
            }
            self.found
                .entry((space, name.clone(), place))
                .or_default()
                .push(number);
            self.definitions.push(Definition {
                space,
                role,
                name,
                is_receiver: self.receivers.contains(&range.start),
                declared: self.declared_type(marked.node),
                is_implied: marked.class == Class::Variable,
                owner: self.owner_at(range.start).map(Box::from),
                range,
                scope,
                extent: marked.extent.clone(),
            });
        }
    }

    /// The meaning of a name in the scopes around a byte.
    fn scoped(&self, space: Space, name: &str, at: usize) -> Option<Vec<usize>> {
        let mut scope = self.scope_at(at);
        let name: Box<str> = name.into();
        loop {
            let key = (space, name.clone(), scope);
            if let Some(found) = self.found.get(&key) {
                let holds = |&&number: &&usize| {
                    let definition = &self.definitions[number];
                    let extent = definition.extent.as_ref();
                    definition.range.start == at
                        || extent.is_none_or(|extent| !extent.contains(&at))
                };
                if found.iter().any(|number| holds(&number)) {
                    return Some(found.clone());
                }
            }
            if scope == 0 {
                return None;
            }
            scope = self.scopes[scope].parent;
        }
    }

    /// The members of this name, those of the class if it has some.
    fn members(&self, space: Space, name: &str, owner: Option<&str>) -> Option<Vec<usize>> {
        let found = self.found.get(&(space, name.into(), NOWHERE))?;
        let is_own = |number: &&usize| self.definitions[**number].owner.as_deref() == owner;
        let own: Vec<usize> = found.iter().filter(is_own).copied().collect();
        Some(if own.is_empty() { found.clone() } else { own })
    }

    /// The member that a bare name is inside of the node that declares it.
    fn beside(&self, name: &str, at: usize) -> Option<Vec<usize>> {
        let around = self.bare.iter().rfind(|node| node.contains(&at))?;
        let mut found = self
            .found
            .get(&(Space::Member, name.into(), NOWHERE))?
            .clone();
        found.retain(|number| around.contains(&self.definitions[*number].range.start));
        (!found.is_empty()).then_some(found)
    }

    fn value(&self, name: &str, at: usize) -> Option<Vec<usize>> {
        if let Some(found) = self.beside(name, at) {
            return Some(found);
        }
        let of_class = || {
            let bare = self.parsed.language.bare_members;
            bare.then(|| self.members(Space::Member, name, self.owner_at(at)))?
        };
        self.scoped(Space::Value, name, at)
            .or_else(of_class)
            .or_else(|| self.scoped(Space::Type, name, at))
            .or_else(|| self.scoped(Space::Callable, name, at))
    }

    fn resolve(&mut self) -> Names {
        self.declare();
        let bound = |found: Option<Vec<usize>>| found.map_or(Meaning::Free, Meaning::Bound);
        let mut occurrences: BTreeMap<usize, Occurrence> = BTreeMap::new();
        for (&(start, _), marked) in &self.marked {
            let range = written(self.parsed.text, marked.node.byte_range());
            let name = self.parsed.text.get(range.clone()).unwrap_or_default();
            let at = range.start;
            let own = |space| self.members(space, name, self.owner_at(at));
            let (space, meaning) = match marked.class {
                Class::Value | Class::Variable | Class::Assigned => {
                    (Space::Value, bound(self.value(name, at)))
                }
                Class::OthersKey => {
                    let is_variable = |number: &usize| {
                        let role = self.definitions[*number].role;
                        matches!(role, Role::Variable | Role::Parameter)
                    };
                    let found = self.scoped(Space::Value, name, at);
                    let found = found.filter(|found| found.iter().all(is_variable));
                    (Space::Value, bound(found))
                }
                Class::Type => {
                    let found = self.scoped(Space::Type, name, at);
                    (
                        Space::Type,
                        bound(found.or_else(|| self.scoped(Space::Value, name, at))),
                    )
                }
                Class::Callable => (
                    Space::Callable,
                    bound(self.scoped(Space::Callable, name, at)),
                ),
                Class::Macro => (Space::Macro, bound(self.scoped(Space::Macro, name, at))),
                Class::Label => (Space::Label, bound(self.scoped(Space::Label, name, at))),
                Class::Own => (Space::Member, bound(own(Space::Member))),
                Class::Key => match own(Space::Member) {
                    Some(found) => (Space::Member, Meaning::Bound(found)),
                    None => (Space::Value, bound(self.value(name, at))),
                },
                Class::Declares(space @ (Space::Member | Space::Own), ..) => {
                    (space, bound(own(space)))
                }
                Class::Declares(space, ..) => {
                    let this = self
                        .definitions
                        .binary_search_by_key(&at, |one| one.range.start);
                    let scope = this.map_or(0, |number| self.definitions[number].scope);
                    let key = (space, Box::from(name), scope);
                    (space, bound(self.found.get(&key).cloned()))
                }
                Class::Member => (Space::Member, Meaning::Foreign),
                Class::Argument => (Space::Value, Meaning::Free),
                Class::Stay => (Space::Value, Meaning::Stays),
            };
            let occurrence = Occurrence {
                range,
                space,
                meaning,
                owner: None,
            };
            occurrences.insert(start, occurrence);
        }
        let mut kept = std::mem::take(&mut self.kept);
        self.keep_undecided(&occurrences, &mut kept);
        self.keep_given(&occurrences, &mut kept);
        for (&(start, _), marked) in &self.marked {
            match marked.class {
                Class::Member => {
                    let Some(owner) = self.object(marked.node, &occurrences) else {
                        if self.is_of_others(marked.node, &occurrences) {
                            let occurrence = occurrences.get_mut(&start);
                            occurrence.expect("it was just made").meaning = Meaning::Others;
                        }
                        continue;
                    };
                    let owner: Option<Box<str>> = owner.map(Box::from);
                    let occurrence = occurrences.get_mut(&start).expect("it was just made");
                    let name = self
                        .parsed
                        .text
                        .get(occurrence.range.clone())
                        .unwrap_or_default();
                    if let Some(found) = self.members(Space::Member, name, owner.as_deref()) {
                        occurrence.meaning = Meaning::Bound(found);
                    }
                    occurrence.owner = owner;
                }
                Class::Argument if self.is_of_the_text(marked.node, &occurrences) => {
                    let range = occurrences[&start].range.clone();
                    let name = self.parsed.text.get(range).unwrap_or_default();
                    kept.entry(name.into()).or_insert(reason("argument"));
                }
                _ => {}
            }
        }
        let mut occurrences: Vec<Occurrence> = occurrences.into_values().collect();
        occurrences.retain(|occurrence| !occurrence.range.is_empty());
        Names {
            definitions: std::mem::take(&mut self.definitions),
            occurrences,
            kept,
            has_elements: self.has_elements,
        }
    }

    fn parent(&self, node: Node<'p>) -> Option<Node<'p>> {
        self.parents.parent(self.parsed.tree.root_node(), node)
    }

    /// The node before a member, without the marks around it.
    fn object_before(&self, node: Node<'p>) -> Option<Node<'p>> {
        let mut object = self.parent(node)?.child(0)?;
        if object.id() == node.id() {
            return None;
        }
        // `$x`, `(x)`: the node inside the marks.
        while object.named_child_count() == 1 && !self.is_marked(object) {
            object = object.named_child(0)?;
        }
        Some(object)
    }

    /// The class of the object before a member, if the text knows it: `Some(None)` where it has no name.
    #[expect(
        clippy::option_option,
        reason = "an object whose class is known to have no name is one"
    )]
    fn object(&self, node: Node<'_>, known: &BTreeMap<usize, Occurrence>) -> Option<Option<&str>> {
        let object = self.object_before(node)?;
        let range = object.byte_range();
        if self.selves.contains(&(range.start, range.end)) || object.kind() == "this" {
            return Some(self.owner_at(range.start));
        }
        // A path of several names is not a name.
        self.marked.get(&(range.start, range.end))?;
        let Meaning::Bound(found) = &known.get(&range.start)?.meaning else {
            return None;
        };
        let definition = &self.definitions[*found.first()?];
        if definition.is_receiver {
            return Some(self.owner_at(range.start));
        }
        if definition.space == Space::Type {
            let is_known = definition.role != Role::TemplateParameter;
            return is_known.then_some(Some(&definition.name));
        }
        // Several declarations of one name may have several types.
        let mut declared = found
            .iter()
            .map(|number| &self.definitions[*number])
            .filter(|one| !one.is_implied);
        let type_name = declared.next()?.type_name()?;
        let is_one = declared.all(|one| one.type_name() == Some(type_name));
        (is_one && self.is_type(type_name)).then_some(Some(type_name))
    }

    /// Returns `true` if a named argument belongs to a call of something that the text declares.
    fn is_of_the_text(&self, node: Node<'p>, known: &BTreeMap<usize, Occurrence>) -> bool {
        let callee = self.callee(node);
        let meaning = callee.and_then(|callee| known.get(&callee.start_byte()));
        matches!(meaning.map(|one| &one.meaning), Some(Meaning::Bound(_)))
    }

    /// The name of the callee of a named argument.
    fn callee(&self, node: Node<'p>) -> Option<Node<'p>> {
        let mut call = node;
        for _ in 0..5 {
            call = self.parent(call)?;
            let callee = ["function", "name", "method", "type", "constructor"]
                .iter()
                .find_map(|field| call.child_by_field_name(field))
                .filter(|callee| callee.end_byte() <= node.start_byte());
            let Some(mut callee) = callee else { continue };
            // The last name of a path.
            while let Some(last) = callee
                .named_child(u32::try_from(callee.named_child_count().max(1) - 1).unwrap_or(0))
            {
                callee = last;
            }
            return Some(callee);
        }
        None
    }

    fn declared_type(&self, node: Node<'p>) -> Option<DeclaredType> {
        let mut declaration = self.parent(node)?;
        // `Some(x)`: the value that is destructured has that type, and its parts have others.
        if matches!(
            declaration.kind(),
            "tuple_struct_pattern" | "struct_pattern"
        ) {
            return None;
        }
        let mut of = declaration.child_by_field_name("type");
        if of.is_none() {
            declaration = self.parent(declaration)?;
            of = declaration.child_by_field_name("type");
        }
        let mut of = of.filter(|of| !of.byte_range().contains(&node.start_byte()))?;
        let mut has_arguments = false;
        let mut is_nullable = false;
        while of.named_child_count() == 1 || of.kind().starts_with("generic") {
            has_arguments |= of.kind().starts_with("generic");
            is_nullable |= of.kind() == "nullable_type";
            // The members of a list are not those of its elements.
            if of.kind().contains("array") || of.kind().contains("slice") {
                return None;
            }
            of = of.named_child(0)?;
        }
        let name = self.parsed.of_node(of);
        let in_path = |c: char| c.is_alphanumeric() || "_.:\\".contains(c);
        let is_name = !name.is_empty() && name.chars().all(in_path);
        is_name.then(|| DeclaredType {
            name: name.into(),
            has_arguments,
            is_nullable,
        })
    }

    /// Returns `true` if a pattern classifies a node.
    fn is_marked(&self, node: Node<'_>) -> bool {
        let place = (node.start_byte(), node.end_byte());
        self.marked.contains_key(&place) || self.selves.contains(&place)
    }

    /// Returns `true` if the text declares a type of this name.
    fn is_type(&self, name: &str) -> bool {
        self.types.contains(name)
    }
}

/// The bytes of a name without the marks around it: `@`, `#`, `$`, `?`, `!`, quotation marks.
fn written(text: &str, range: Range<usize>) -> Range<usize> {
    let all = text.get(range.clone()).unwrap_or_default();
    let front = all.len()
        - all
            .trim_start_matches(['@', '#', '$', ':', '`', '"', '\''])
            .len();
    let back = all.len()
        - all
            .trim_end_matches(['?', '!', '=', '`', '"', '\'', ':'])
            .len();
    if front + back >= all.len() {
        return range.start..range.start;
    }
    range.start + front..range.end - back
}

impl Definition {
    /// The name of the type that it is declared with.
    fn type_name(&self) -> Option<&str> {
        self.declared.as_ref().map(|of| &*of.name)
    }

    /// Returns `true` if it may hold nothing, by a type that has members of its own then: `T?` of C#.
    fn is_nullable(&self) -> bool {
        self.declared.as_ref().is_some_and(|of| of.is_nullable)
    }
}

fn spelled(text: &str) -> &str {
    let range = written(text, 0..text.len());
    text.get(range).unwrap_or_default()
}

/// The names that a text has behind opening braces, and inside of these before a `$`: `{count:>width$.digits$}`.
fn in_braces(text: &str) -> impl Iterator<Item = &str> {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    let names = text.split('{').skip(1).flat_map(move |rest| {
        let inside = rest.split('}').next().unwrap_or_default();
        let end = inside.find(|c| !in_name(c)).unwrap_or(inside.len());
        let pieces: Vec<&str> = inside.split('$').collect();
        let sizes = pieces
            .into_iter()
            .rev()
            .skip(1)
            .filter_map(move |piece| piece.rsplit(|c| !in_name(c)).next());
        inside.get(..end).into_iter().chain(sizes)
    });
    names.filter(|name| !name.is_empty() && !name.starts_with(|c: char| c.is_ascii_digit()))
}
