//! The reasons that a name stays.

use std::collections::BTreeSet;

use ruff_python_ast::{Expr, Stmt};
use ruff_text_size::Ranged as _;

use super::facts::{Definition, Facts};
use super::words;
use crate::scope::{Name, Use};
use crate::walk::statements;
use crate::{Module, ScopeId, ScopeKind, Scopes};

/// The reason for a function or class whose name may become a text.
pub const SHOWN: &str = "its name may be shown";

/// The reason for a function with a decorator.
pub const DECORATED: &str = "its decorator may see it";

/// The reasons for a parameter that a caller may pass by its name.
pub(crate) const BY_KEYWORD: [&str; 2] = ["a keyword argument", "it may be passed by keyword"];

/// The reason of `self` and the like.
pub(crate) const CONVENTION: &str = "a convention";

pub(super) struct Stays<'m, 't> {
    module: &'m Module<'t>,
    scopes: &'m Scopes,
    facts: &'m Facts<'m>,
    protected: &'m BTreeSet<String>,
    /// Scopes whose names code in strings can see.
    seen: BTreeSet<ScopeId>,
    /// Names that a class both binds and reads in its body, where the read may be the module's.
    fallbacks: BTreeSet<&'m str>,
    /// The names that star imports may bind; `None` if these are not known.
    stars: Option<BTreeSet<&'static str>>,
    /// The positions of the names of classes that nothing shows.
    plain_classes: BTreeSet<u32>,
    has_all: bool,
}

impl<'m, 't> Stays<'m, 't> {
    pub(super) fn of(
        module: &'m Module<'t>,
        facts: &'m Facts<'m>,
        protected: &'m BTreeSet<String>,
    ) -> Self {
        let scopes = module.scopes();
        let names = scopes.names().iter();
        let in_class = |name: &&Name| {
            let is_class = scopes.all()[name.scope].kind == ScopeKind::Class;
            is_class && name.usage == Use::Read && name.binding == Some(name.scope)
        };
        let fallbacks = names.filter(in_class).map(|name| name.name.as_str());
        Stays {
            module,
            scopes,
            facts,
            protected,
            seen: seen(scopes, facts),
            fallbacks: fallbacks.collect(),
            stars: facts.star_names(),
            plain_classes: plain_classes(module, facts),
            has_all: scopes.of_binding(0, "__all__").next().is_some(),
        }
    }

    pub(super) fn reason(
        &self,
        scope: ScopeId,
        name: &str,
        places: &[usize],
    ) -> Option<&'static str> {
        let places = || places.iter().map(|index| &self.scopes.names()[*index]);
        let first = places().next().expect("a binding has a place");
        let spelled = self.module.of(first.range);
        let facts = self.facts;
        let is_module = scope == 0;
        if self.scopes.all()[scope].kind == ScopeKind::Class {
            return Some("an attribute of its class");
        }
        if spelled.starts_with("__") && spelled.ends_with("__") {
            return Some("the language gives it a meaning");
        }
        let is_parameter = places().any(|place| place.usage == Use::Parameter);
        if spelled.trim_matches('_').is_empty()
            || is_parameter && (spelled == "self" || spelled == "cls")
        {
            return Some(CONVENTION);
        }
        if self.protected.contains(spelled) || self.protected.contains(name) {
            return Some("others use it");
        }
        if places().any(|place| self.module.of(place.range) != spelled) {
            return Some("it is spelled in two ways");
        }
        let definitions = || {
            places().filter_map(|place| {
                if place.usage != Use::Bind {
                    return None;
                }
                let definition = facts.defined_at(place.range.start())?;
                Some((place, definition))
            })
        };
        if definitions().any(|(_, definition)| definition == Definition::Import) {
            return Some("an imported name");
        }
        if is_module && words::is_builtin(spelled) {
            return Some("a builtin until it is bound");
        }
        if self.seen.contains(&scope) {
            return Some("code in strings may see it");
        }
        let is_shown = |place: &Name| {
            let mut shown = facts.shown.iter();
            shown.any(|shown| shown.contains_range(place.range))
        };
        if places().any(is_shown) {
            return Some("its text is shown");
        }
        if is_module && self.fallbacks.contains(name) {
            return Some("a class body may mean it or its own");
        }
        if is_module
            && self.scopes.has_star_import
            && self.stars.as_ref().is_none_or(|stars| stars.contains(name))
        {
            return Some("a star import may bind it");
        }
        if has(&facts.code_words, spelled)
            || is_module && self.has_all && has(&facts.name_strings, spelled)
        {
            return Some("a string names it");
        }
        if is_parameter {
            return self.parameter(spelled, places());
        }
        let shows_names = facts.asks_names || facts.reflects;
        definitions().find_map(|(place, definition)| match definition {
            Definition::Function { plainly_decorated } => {
                if !plainly_decorated {
                    Some(DECORATED)
                } else if spelled.starts_with("test") {
                    Some("a test is found by its name")
                } else if facts.logs_functions || shows_names {
                    Some(SHOWN)
                } else {
                    None
                }
            }
            Definition::Class { .. } => {
                let is_plain = self.plain_classes.contains(&place.range.start().to_u32());
                let is_unseen = |place: &Name| {
                    place.usage != Use::Read || has(&facts.unseen_classes, place.range.start())
                };
                // From outside of the class, `__v` of its objects is `_Name__v`.
                let private = format!("_{}__", spelled.trim_start_matches('_'));
                let stays = !is_plain
                    || self.module.text().contains(&private)
                    || shows_names
                    || facts.asks_class
                    || facts.has_class_attribute
                    || !places().all(is_unseen);
                stays.then_some(SHOWN)
            }
            Definition::TypeAlias => Some(SHOWN),
            Definition::TypeParameter | Definition::Import => None,
        })
    }

    fn parameter<'n>(
        &self,
        spelled: &str,
        mut places: impl Iterator<Item = &'n Name>,
    ) -> Option<&'static str> {
        if has(&self.facts.keywords, spelled) {
            return Some(BY_KEYWORD[0]);
        }
        if self.facts.has_splat || self.facts.reflects {
            return Some(BY_KEYWORD[1]);
        }
        let foreign = |place: &Name| has(&self.facts.foreign_parameters, place.range.start());
        places.any(foreign).then_some(BY_KEYWORD[1])
    }
}

/// Returns `true` if a sorted list has an item.
pub(super) fn has<T: Ord + Copy>(list: &[T], item: T) -> bool {
    list.binary_search(&item).is_ok()
}

/// The scopes that `eval`, `locals` and their like see where they are used.
fn seen(scopes: &Scopes, facts: &Facts<'_>) -> BTreeSet<ScopeId> {
    let mut seen = BTreeSet::new();
    for name in scopes.names() {
        if name.binding.is_some() {
            continue;
        }
        match name.name.as_str() {
            "globals" => {
                seen.insert(0);
            }
            "eval" | "exec" | "locals" | "vars" | "dir" | "execfile"
                if !has(&facts.harmless, name.range.start()) =>
            {
                let mut scope = Some(name.scope);
                while let Some(id) = scope {
                    seen.insert(id);
                    scope = scopes.all()[id].parent;
                }
            }
            _ => {}
        }
    }
    seen
}

/// The positions of the names of classes that have nothing that makes a text of the name: no base but plain classes.
pub(super) fn plain_classes(module: &Module<'_>, facts: &Facts<'_>) -> BTreeSet<u32> {
    let scopes = module.scopes();
    let statements = statements(module.body()).into_iter();
    let classes: Vec<_> = statements.filter_map(Stmt::as_class_def_stmt).collect();
    let mut plain: BTreeSet<u32> = BTreeSet::new();
    loop {
        let before = plain.len();
        for class in &classes {
            let is_plain = facts.defined_at(class.name.start());
            let is_plain = is_plain == Some(Definition::Class { plain: true });
            let bases = class.arguments.as_deref().map_or(&[][..], |it| &it.args);
            if is_plain && bases.iter().all(|base| is_plain_base(base, scopes, &plain)) {
                plain.insert(class.name.start().to_u32());
            }
        }
        if plain.len() == before {
            return plain;
        }
    }
}

fn is_plain_base(base: &Expr, scopes: &Scopes, plain: &BTreeSet<u32>) -> bool {
    match base {
        Expr::Subscript(subscript) => is_plain_base(&subscript.value, scopes, plain),
        Expr::Name(name) => {
            if matches!(name.id.as_str(), "object" | "Generic" | "ABC" | "Protocol") {
                return true;
            }
            let Some(binding) = scopes.at(name.start()).and_then(|place| place.binding) else {
                return false;
            };
            let mut bound = scopes.of_binding(binding, &name.id);
            bound.all(|place| {
                place.usage != Use::Bind || plain.contains(&place.range.start().to_u32())
            })
        }
        _ => false,
    }
}
