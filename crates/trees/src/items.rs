//! Tree → the parts of a file: functions, the classes around them, declarations, comments.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use barecode_records::FunctionKind;
use tree_sitter::{Node, Query};

use crate::parsed::{Of, Parsed};

/// The kind of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ItemKind {
    /// A function with a body.
    Function(FunctionKind),
    /// A type without functions in it.
    Type,
    /// A variable or constant outside of classes.
    Global,
    /// A member of a class that is not a function.
    Field,
}

/// A function or a declaration.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// Its bytes.
    pub range: Range<usize>,
    /// The names that it declares, and their ranges.
    pub names: Vec<(String, Range<usize>)>,
    /// The bytes of a function's body.
    pub body: Option<Range<usize>>,
    /// The innermost class or module around it, by number.
    pub container: Option<usize>,
    /// The class of a method, if it has a name.
    pub owner: Option<String>,
    /// The innermost function around it, by number.
    pub inside: Option<usize>,
}

impl Item {
    /// Its first name.
    pub fn name(&self) -> &str {
        self.names.first().map_or("", |(name, _)| name)
    }

    /// Returns `true` if it is a function.
    pub fn is_function(&self) -> bool {
        matches!(self.kind, ItemKind::Function(_))
    }
}

/// A class, module or object that contains functions.
#[derive(Debug, Clone)]
pub struct Container {
    /// Its bytes.
    pub range: Range<usize>,
    /// Its name, and the range of the name.
    pub name: Option<(String, Range<usize>)>,
    /// The bytes of what it holds, brackets included.
    pub body: Range<usize>,
    /// The innermost one around it, by number.
    pub parent: Option<usize>,
    /// The text that opens it and the text that closes it, if they are not part of its own text.
    brackets: Option<(Box<str>, Box<str>)>,
    /// The text behind each of its members.
    pub separator: Box<str>,
}

impl Container {
    /// Returns `true` if it can stand alone in a text, without the code around it: an object.
    pub fn stands_alone(&self) -> bool {
        self.brackets.is_some()
    }

    /// The text that opens it, and the text that closes it.
    pub fn brackets<'a>(&'a self, text: &'a str) -> (&'a str, &'a str) {
        if let Some((head, tail)) = &self.brackets {
            return (head, tail);
        }
        let of = |range: Range<usize>| text.get(range).unwrap_or_default();
        let body = of(self.body.clone());
        // An enumeration of Java holds its constants first, and its functions behind a semicolon.
        let opens = usize::from(body.starts_with(['{', ';']));
        let closes = usize::from(body.starts_with('{') && body.ends_with('}'));
        let head = of(self.range.start..self.body.start + opens);
        let tail = of(self.body.end - closes..self.range.end);
        (head, tail)
    }
}

/// The parts of a file.
#[derive(Debug, Default)]
pub struct Items {
    /// Functions and declarations, by position.
    pub items: Vec<Item>,
    /// The containers around them, by position.
    pub containers: Vec<Container>,
    /// Comments, by position.
    pub comments: Vec<Range<usize>>,
    /// The nodes that are allowed between a comment and its function.
    pub attributes: Vec<Range<usize>>,
}

/// The beginnings of notes to tools.
const TOOLS: [&str; 17] = [
    "@__",
    "@phpstan",
    "@psalm",
    "@ts-",
    "biome-ignore",
    "eslint",
    "go:",
    "istanbul",
    "nolint",
    "noinspection",
    "nosonar",
    "phpcs:",
    "prettier-ignore",
    "resharper",
    "rubocop:",
    "ts-",
    "webpack",
];

/// A container as it is found.
#[derive(Default)]
struct Found {
    range: Range<usize>,
    name: Option<(String, Range<usize>)>,
    brackets: Option<(Box<str>, Box<str>)>,
    separator: Box<str>,
}

impl Items {
    /// Finds the items of a text.
    pub fn of(parsed: &Parsed<'_>) -> Items {
        // By the position of the body, because several patterns may match one function.
        let mut functions: BTreeMap<(usize, usize), Item> = BTreeMap::new();
        let mut others: BTreeMap<(usize, usize), Item> = BTreeMap::new();
        let mut containers: BTreeMap<(usize, usize), Found> = BTreeMap::new();
        let mut comments: BTreeMap<usize, usize> = BTreeMap::new();
        let mut attributes: BTreeMap<usize, usize> = BTreeMap::new();
        parsed.matches(Of::Items, |query, found| {
            let (mut whole, mut names, mut body, mut owner) = (None, Vec::new(), None, None);
            for capture in found.captures() {
                let node = capture.node;
                let range = node.byte_range();
                match query.capture_names()[capture.index as usize] {
                    "name" => names.push((spelling(parsed, node).to_owned(), range)),
                    "body" => body = Some(range),
                    "owner" => owner = Some(parsed.of_node(node).to_owned()),
                    "comment" => {
                        comments.insert(range.start, range.end);
                    }
                    "attribute" => {
                        attributes.insert(range.start, range.end);
                    }
                    kind if !kind.starts_with('_') => whole = Some((kind, range)),
                    _ => {}
                }
            }
            let Some((kind, range)) = whole else { return };
            let place = |range: &Range<usize>| (range.start, range.end);
            if kind == "container" {
                let body = body.unwrap_or_else(|| range.clone());
                let container = containers.entry(place(&body)).or_insert_with(|| Found {
                    range,
                    ..Found::default()
                });
                container.name = container.name.take().or(names.into_iter().next());
                let set = |key| set(query, found.pattern_index, key);
                if let (Some(head), Some(tail)) = (set("head"), set("tail")) {
                    container.brackets = Some((head, tail));
                }
                container.separator = set("separator").unwrap_or_default();
                return;
            }
            let kind = match kind {
                "function" => ItemKind::Function(FunctionKind::Function),
                "method" => ItemKind::Function(FunctionKind::Method),
                "constructor" => ItemKind::Function(FunctionKind::Constructor),
                "destructor" => ItemKind::Function(FunctionKind::Destructor),
                "type" => ItemKind::Type,
                "field" => ItemKind::Field,
                _ => ItemKind::Global,
            };
            // A function of Ruby may have no body to capture.
            let is_function = matches!(kind, ItemKind::Function(_));
            let body = body.or_else(|| is_function.then(|| range.clone()));
            let item = Item {
                kind,
                range: range.clone(),
                names,
                body,
                container: None,
                owner,
                inside: None,
            };
            if let (Some(body), ItemKind::Function(more)) = (&item.body, kind) {
                let known = functions.entry(place(body)).or_insert_with(|| item.clone());
                // A method is a function too, and a constructor is both.
                if let ItemKind::Function(known) = &mut known.kind
                    && more > *known
                {
                    *known = more;
                }
            } else {
                let known = others.entry(place(&range)).or_insert_with(|| Item {
                    names: Vec::new(),
                    ..item.clone()
                });
                for name in item.names {
                    if !known.names.contains(&name) {
                        known.names.push(name);
                    }
                }
            }
        });
        let mut items: Vec<Item> = functions.into_values().collect();
        let of_functions: BTreeSet<usize> = items
            .iter()
            .flat_map(|item| item.names.iter().map(|(_, range)| range.start))
            .collect();
        items.extend(others.into_values().filter(|item| {
            let mut names = item.names.iter();
            !names.any(|(_, range)| of_functions.contains(&range.start))
        }));
        items.sort_by_key(|item| (item.range.start, item.range.end));
        let containers = containers
            .into_iter()
            .map(|((start, end), found)| Container {
                range: found.range,
                name: found.name,
                body: start..end,
                parent: None,
                brackets: found.brackets,
                separator: found.separator,
            });
        let mut containers: Vec<Container> = containers.collect();
        containers.sort_by_key(|container| {
            (
                container.range.start,
                std::cmp::Reverse(container.range.end),
            )
        });
        let mut all = Items {
            items,
            containers,
            comments: merged(comments),
            attributes: merged(attributes),
        };
        all.nest();
        all
    }

    /// Finds the containers of items and of other containers.
    fn nest(&mut self) {
        let bodies: Vec<Range<usize>> =
            self.containers.iter().map(|one| one.body.clone()).collect();
        let around = |stack: &mut Vec<usize>, bodies: &[Range<usize>], at: usize| {
            while stack.last().is_some_and(|&top| bodies[top].end <= at) {
                stack.pop();
            }
        };
        let mut stack: Vec<usize> = Vec::new();
        for number in 0..self.containers.len() {
            let start = self.containers[number].range.start;
            around(&mut stack, &bodies, start);
            let parent = stack.iter().rev().find(|&&one| bodies[one].start <= start);
            self.containers[number].parent = parent.copied();
            stack.push(number);
        }
        let (mut open, mut next): (Vec<usize>, usize) = (Vec::new(), 0);
        let mut functions: Vec<(usize, Range<usize>)> = Vec::new();
        for number in 0..self.items.len() {
            let range = self.items[number].range.clone();
            while self
                .containers
                .get(next)
                .is_some_and(|one| one.range.start <= range.start)
            {
                around(&mut open, &bodies, self.containers[next].range.start);
                open.push(next);
                next += 1;
            }
            around(&mut open, &bodies, range.start);
            let holds =
                |&&one: &&usize| bodies[one].start <= range.start && range.end <= bodies[one].end;
            let container = open.iter().rev().find(holds).copied();
            functions.retain(|(_, body)| body.end > range.start);
            let inside = functions
                .iter()
                .rev()
                .find(|(_, body)| body.start <= range.start && range.end <= body.end);
            let inside = inside.map(|(number, _)| *number);
            let item = &mut self.items[number];
            item.inside = inside;
            item.container = container;
            if item.owner.is_none() {
                item.owner = owner(&self.containers, container);
            }
            if let ItemKind::Function(kind) = &mut item.kind
                && *kind == FunctionKind::Method
                && item.owner.is_none()
                && container.is_none()
            {
                *kind = FunctionKind::Function;
            }
            if let (true, Some(body)) = (item.is_function(), item.body.clone()) {
                functions.push((number, body));
            }
        }
    }

    /// The parts of a text that belong to a class, and its name: classes, methods outside of theirs, and types with
    /// their members.
    pub(crate) fn owners(&self) -> Vec<(Range<usize>, &str)> {
        let containers = self.containers.iter().filter_map(|container| {
            let (name, _) = container.name.as_ref()?;
            Some((container.range.clone(), name.as_str()))
        });
        let items = self.items.iter().filter_map(|item| {
            let owner = match item.kind {
                ItemKind::Type => Some(item.name()),
                ItemKind::Function(_) => item.owner.as_deref(),
                _ => None,
            };
            Some((item.range.clone(), owner?))
        });
        let mut owners: Vec<(Range<usize>, &str)> = containers.chain(items).collect();
        owners.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        owners
    }

    /// The names of the classes around an item, the outermost first.
    pub fn path<'a>(&'a self, item: &'a Item) -> Vec<&'a str> {
        let mut path = Vec::new();
        let mut next = item.container;
        while let Some(container) = next {
            let container = &self.containers[container];
            path.extend(container.name.as_ref().map(|(name, _)| name.as_str()));
            next = container.parent;
        }
        if path.is_empty() {
            path.extend(item.owner.as_deref());
        }
        path.reverse();
        path
    }

    /// The comment that documents the item at a byte: the one that ends on the line above, or consecutive lines of
    /// comments. The decorators of a function may come between them; a blank line may not.
    pub fn doc(&self, text: &str, start: usize) -> Option<Range<usize>> {
        let mut at = line_start(text, start);
        let before = |ranges: &[Range<usize>], at: usize| {
            let last = ranges
                .partition_point(|range| range.start < at)
                .checked_sub(1)?;
            let range = ranges[last].clone();
            let written = text.get(range.clone())?.trim_end();
            let end = range.start + written.len();
            let gap = text.get(end..at)?;
            let first = text.get(line_start(text, range.start)..range.start)?;
            // A documentation comment may have a blank line behind it.
            let lines = if written.starts_with("/**") { 2 } else { 1 };
            let adjoins = gap.trim().is_empty() && (1..=lines).contains(&gap.matches('\n').count());
            (adjoins && first.trim().is_empty()).then_some(range.start..end)
        };
        let is_note = |range: &Range<usize>| {
            let written = text.get(range.clone()).unwrap_or_default();
            let written = written
                .trim_start_matches(['/', '*', '#', ' '])
                .to_lowercase();
            TOOLS.iter().any(|tool| written.starts_with(tool))
        };
        // A note to a tool is about its line, and the comment above it about the function.
        while let Some(between) =
            before(&self.attributes, at).or_else(|| before(&self.comments, at).filter(is_note))
        {
            at = line_start(text, between.start);
        }
        let last = before(&self.comments, at)?;
        let is_line = |range: &Range<usize>| {
            let written = text.get(range.clone()).unwrap_or_default();
            !written.starts_with("/*") && !written.starts_with("=begin")
        };
        let mut doc = last.clone();
        if is_line(&last) {
            while let Some(above) = before(&self.comments, line_start(text, doc.start)) {
                if !is_line(&above) {
                    break;
                }
                doc.start = above.start;
            }
        }
        Some(doc)
    }
}

fn line_start(text: &str, at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    before.rfind('\n').map_or(0, |newline| newline + 1)
}

fn owner(containers: &[Container], mut container: Option<usize>) -> Option<String> {
    while let Some(number) = container {
        if let Some((name, _)) = &containers[number].name {
            return Some(name.clone());
        }
        container = containers[number].parent;
    }
    None
}

/// Ranges that do not overlap, in order.
fn merged(ranges: BTreeMap<usize, usize>) -> Vec<Range<usize>> {
    let mut merged: Vec<Range<usize>> = Vec::with_capacity(ranges.len());
    for (start, end) in ranges {
        if merged.last().is_none_or(|last| last.end <= start) {
            merged.push(start..end);
        }
    }
    merged
}

/// The name that a node spells, without the marks around it.
fn spelling<'t>(parsed: &Parsed<'t>, node: Node) -> &'t str {
    parsed.of_node(node).trim_matches(['"', '\'', '`', ':'])
}

fn set(query: &Query, pattern: usize, key: &str) -> Option<Box<str>> {
    let mut settings = query.property_settings(pattern).iter();
    let property = settings.find(|property| &*property.key == key)?;
    property.value.clone()
}
