//! Names that cannot be decided, and members that can be decided without knowing their object.
//!
//! A wrong answer would change the meaning of a text without a warning, so a name is kept as soon as one of its
//! occurrences is in doubt.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use tree_sitter::Node;

use super::{Class, Definition, Meaning, Occurrence, Reading, Role, Space, reason};

/// Names of types that reveal nothing of an object.
pub(super) const OPEN_TYPES: [&str; 9] = [
    "var", "any", "unknown", "dynamic", "object", "mixed", "self", "static", "Self",
];

impl Reading<'_> {
    /// Keeps the names whose meaning is not certain: those of variables that are known where a name is computed,
    /// those that one function declares and also reads where no declaration of it holds, and those in an argument of
    /// a macro, which may put them anywhere.
    pub(super) fn keep_undecided(
        &self,
        occurrences: &BTreeMap<usize, Occurrence>,
        kept: &mut BTreeMap<Box<str>, &'static str>,
    ) {
        for &at in &self.computed {
            let mut around = BTreeSet::from([0]);
            let mut scope = self.scope_at(at);
            while around.insert(scope) {
                scope = self.scopes[scope].parent;
            }
            for definition in &self.definitions {
                if definition.space == Space::Value && around.contains(&definition.scope) {
                    let name = definition.name.clone();
                    kept.entry(name).or_insert(reason("computed"));
                }
            }
        }
        let mut declared: HashMap<&str, Vec<&Definition>> = HashMap::new();
        for definition in &self.definitions {
            let of_name = declared.entry(&*definition.name).or_default();
            of_name.push(definition);
        }
        let function_at = |at: usize| {
            let after = self.functions.partition_point(|range| range.start <= at);
            let function = self.functions[..after].iter().rfind(|range| range.end > at);
            function.map(|range| range.start)
        };
        let marked = self.marked.iter();
        let marked = marked.filter(|(_, marked)| marked.class != Class::Argument);
        for (&(at, _), _) in marked {
            let occurrence = &occurrences[&at];
            let name = self.parsed.text.get(occurrence.range.clone());
            let found = declared.get(name.unwrap_or_default());
            let (Meaning::Free, Some(found)) = (&occurrence.meaning, found) else {
                continue;
            };
            let here = || found.iter().filter(|one| one.space == occurrence.space);
            // A name that a declaration reads before it holds certainly belongs to another declaration.
            let is_before =
                |one: &&Definition| one.extent.as_ref().is_some_and(|it| it.contains(&at));
            let is_near = |one: &&Definition| match self.function_of(one.scope) {
                0 => function_at(one.range.start) == function_at(at),
                function => self.scopes[function].range.contains(&at),
            };
            let is_unsure = || !here().any(is_before) && here().any(is_near);
            if self.tokens.contains(&at) || is_unsure() {
                let name = found[0].name.clone();
                kept.entry(name).or_insert(reason("undecided"));
            }
        }
    }

    /// Keeps the names of functions that are put into an object which the text receives: `response.json = …`.
    pub(super) fn keep_given(
        &self,
        occurrences: &BTreeMap<usize, Occurrence>,
        kept: &mut BTreeMap<Box<str>, &'static str>,
    ) {
        for definition in self
            .definitions
            .iter()
            .filter(|one| one.space == Space::Member)
        {
            let marked = self
                .marked
                .get(&(definition.range.start, definition.range.end));
            let object = marked.and_then(|marked| self.object_before(marked.node));
            let known = object.and_then(|object| occurrences.get(&object.start_byte()));
            if let Some(Meaning::Bound(found)) = known.map(|known| &known.meaning)
                && found
                    .iter()
                    .all(|number| self.definitions[*number].role == Role::Parameter)
            {
                let name = definition.name.clone();
                kept.entry(name).or_insert(reason("contract"));
            }
        }
    }

    /// Returns `true` if the object before a member is certainly not of the text: a name that it does not declare, or
    /// one that it declares with a type of others, also as a member of another object. A type with arguments may stand
    /// for these.
    pub(super) fn is_of_others(&self, node: Node<'_>, known: &BTreeMap<usize, Occurrence>) -> bool {
        let Some(object) = self.object_before(node) else {
            return false;
        };
        let class_of = |node: Node<'_>| {
            let marked = self.marked.get(&(node.start_byte(), node.end_byte()));
            marked.map(|marked| marked.class)
        };
        let last = object.named_child_count().max(1) - 1;
        let last = u32::try_from(last).ok();
        let last = last.and_then(|last| object.named_child(last));
        let last = last.filter(|last| class_of(*last) == Some(Class::Member));
        let Some(name) = class_of(object).map(|_| object).or(last) else {
            return false;
        };
        match known.get(&name.start_byte()).map(|one| &one.meaning) {
            // A bare name may be a member that the class has from elsewhere; those of types begin with a capital.
            Some(Meaning::Free) => {
                let is_bare = self.parsed.language.bare_members;
                !is_bare || self.parsed.of_node(name).starts_with(char::is_uppercase)
            }
            Some(Meaning::Bound(found)) => found.iter().all(|number| {
                let definition = &self.definitions[*number];
                let of = definition.type_name();
                let of = of.and_then(|of| of.rsplit(['.', ':', '\\']).next());
                let is_known = |of: &str| {
                    OPEN_TYPES.contains(&of) || self.is_type(of) || self.generics.contains(of)
                };
                let has_arguments = definition
                    .declared
                    .as_ref()
                    .is_some_and(|of| of.has_arguments);
                !has_arguments && of.is_some_and(|of| !is_known(of))
            }),
            _ => false,
        }
    }
}
