//! Module → its identifiers and their owners, as far as the text shows these: the basis of a renaming by spelling.
//!
//! Scopes decide the owner of a variable. The owner of an attribute follows from its object. It is foreign after a
//! name that was imported from another package, after a literal, and after the result of a function from elsewhere.
//! It is the source's own after `self`, a class of the text or a module of the source; after anything else it is
//! open. A keyword argument belongs to the owner of its function. `__x__` belongs to the language.

use std::collections::{BTreeMap, BTreeSet};

use barecode_records::{Owner, Role, Spelled, Whose};
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{Alias, AnyNodeRef, Expr, ExprAttribute, ExprContext, Identifier, Stmt};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::rename::words::{is_builtin, is_word};
use crate::scope::Use;
use crate::walk::{receiver, statements, walk};
use crate::{Module, ScopeId, ScopeKind, symbols};

/// Names of types that an object of any class may be annotated with.
const STANDS_FOR_OTHERS: [&str; 10] = [
    "Any", "AnyStr", "Callable", "Hashable", "Optional", "Self", "T", "Union", "object", "type",
];

/// The depth to which chains of attributes and calls are followed.
const DEEPEST: u32 = 16;

/// The identifiers of a module, by position. `owner` returns the owner of the module of a name; `None` if the source
/// has it.
pub fn spellings(module: &Module<'_>, owner: &dyn Fn(&str) -> Option<Owner>) -> Vec<Spelled> {
    let mut reading = Reading {
        module,
        whose: BTreeMap::new(),
        objects: BTreeMap::new(),
    };
    reading.import(owner);
    reading.variables();
    reading.objects();
    reading.attributes();
    // `f"{x!r}"`: the letter after the mark is not a name.
    let tokens = module.tokens().iter().zip(module.tokens().iter().skip(1));
    let conversions = tokens.filter(|(mark, _)| mark.kind() == TokenKind::Exclamation);
    for (_, conversion) in conversions {
        reading.mark(conversion.range(), LIBRARYS);
    }
    let mut ends: BTreeMap<u32, u32> = BTreeMap::new();
    for word in module.words() {
        ends.insert(word.start, word.end);
        let open = (Whose::Open, Owner::Unknown);
        reading.whose.entry(word.start).or_insert(open);
    }
    let places = reading.whose.iter().filter_map(|(start, marked)| {
        let at = *start as usize;
        // A soft keyword may be a name in other positions: then its token does not show that.
        let soft = || {
            Some(
                at + module
                    .text()
                    .get(at..)?
                    .find(|c: char| !c.is_ascii_lowercase())?,
            )
        };
        let end = ends.get(start).map(|end| *end as usize);
        let range = at..end.or_else(soft)?;
        let name = module.text().get(range.clone())?;
        let is_given = name == "_" || name.starts_with("__") && name.ends_with("__");
        let (whose, owner) = if is_given { LIBRARYS } else { *marked };
        (!name.is_empty()).then_some(Spelled {
            range,
            whose,
            owner,
        })
    });
    places.collect()
}

/// The owner of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Object {
    Own,
    Foreign(Owner),
    Open,
}

/// A word of the language or its library.
const LIBRARYS: (Whose, Owner) = (Whose::Foreign, Owner::Library);

struct Reading<'m, 't> {
    module: &'m Module<'t>,
    /// Whose the identifier is that begins at a byte.
    whose: BTreeMap<u32, (Whose, Owner)>,
    /// The object of a variable, by its scope and name.
    objects: BTreeMap<(ScopeId, String), Object>,
}

impl Reading<'_, '_> {
    fn mark(&mut self, range: TextRange, whose: (Whose, Owner)) {
        self.whose.insert(range.start().to_u32(), whose);
    }

    /// Marks the names in imports.
    fn import(&mut self, owner: &dyn Fn(&str) -> Option<Owner>) {
        let top = |path: &str| path.split('.').next().unwrap_or_default().to_owned();
        for statement in statements(self.module.body()) {
            let (whole, names, owner) = match statement {
                Stmt::Import(it) => {
                    for alias in &it.names {
                        let owner = owner(&top(&alias.name));
                        self.names_in(alias.range(), owner);
                        self.alias(alias, owner);
                        let bound = alias.asname.as_ref().map_or_else(
                            || (top(&alias.name), alias.start()),
                            |name| (name.to_string(), name.start()),
                        );
                        self.bind(bound, owner);
                    }
                    continue;
                }
                Stmt::ImportFrom(it) => {
                    let from = it.module.as_ref().map_or("", Identifier::as_str);
                    let owner = owner(&top(from)).filter(|_| it.level == 0);
                    (it.range(), &it.names, owner)
                }
                _ => continue,
            };
            self.names_in(whole, owner);
            for alias in names.iter().filter(|alias| alias.name.as_str() != "*") {
                let name = alias.asname.as_ref().unwrap_or(&alias.name);
                self.bind((name.to_string(), name.start()), owner);
                if let Some(owner) = owner {
                    self.mark(name.range(), (Whose::Imported, owner));
                    self.mark(alias.name.range(), (Whose::Imported, owner));
                }
                self.alias(alias, owner);
            }
        }
    }

    /// The other name that a module of the source is imported under is the source's too.
    fn alias(&mut self, alias: &Alias, owner: Option<Owner>) {
        if let Some(name) = alias.asname.as_ref().filter(|_| owner.is_none()) {
            let declared = Whose::Declared(Role::Namespace);
            self.mark(name.range(), (declared, Owner::Unknown));
        }
    }

    fn names_in(&mut self, range: TextRange, owner: Option<Owner>) {
        let words = self.module.words();
        let words = words.skip_while(|word| word.start < range.start().to_u32());
        let words = words.take_while(|word| word.start < range.end().to_u32());
        let whose = words.map(|word| {
            let whose = match word.of(self.module.text()) {
                _ if owner.is_some() => Whose::Foreign,
                name if is_builtin(name) => Whose::OfOwn,
                _ => Whose::Own,
            };
            (word.start, (whose, owner.unwrap_or(Owner::Unknown)))
        });
        let whose: Vec<(u32, (Whose, Owner))> = whose.collect();
        self.whose.extend(whose);
    }

    fn bind(&mut self, (name, place): (String, TextSize), owner: Option<Owner>) {
        let scopes = self.module.scopes();
        if let Some(scope) = scopes.binding_from(scopes.scope_at(place), &name) {
            let object = owner.map_or(Object::Own, Object::Foreign);
            self.objects.entry((scope, name)).or_insert(object);
        }
    }

    /// Marks the occurrences of variables.
    fn variables(&mut self) {
        let defined = self.defined();
        for symbol in symbols(self.module, &BTreeSet::new()) {
            let key = (symbol.scope, symbol.name.clone());
            let imported = self.objects.get(&key);
            // `str = str`, and its import elsewhere: a builtin under its own name.
            let is_builtin = symbol.scope == 0 && is_builtin(&symbol.name);
            let whose = match imported {
                Some(Object::Own) if is_builtin => (Whose::OfOwn, Owner::Unknown),
                Some(Object::Own) => (Whose::Own, Owner::Unknown),
                // A name that is imported if it is installed, and defined if it is not.
                Some(_) if defined.contains_key(&key) => {
                    (Whose::Declared(defined[&key]), Owner::Unknown)
                }
                Some(Object::Foreign(owner)) => (Whose::Foreign, *owner),
                Some(Object::Open) => (Whose::Foreign, Owner::Unknown),
                None if is_builtin && symbol.role == Role::Variable => LIBRARYS,
                None => (Whose::Declared(symbol.role), Owner::Unknown),
            };
            if whose.0 == Whose::Declared(Role::Class) {
                self.objects.insert(key, Object::Own);
            }
            for place in &symbol.places {
                self.whose.entry(place.start).or_insert(whose);
            }
        }
        for name in self.module.scopes().names() {
            if name.binding.is_none() {
                let spelled = self.module.of(name.range);
                let whose = if is_builtin(spelled) || is_word(spelled) {
                    LIBRARYS
                } else {
                    (Whose::Free, Owner::Unknown)
                };
                self.whose
                    .entry(name.range.start().to_u32())
                    .or_insert(whose);
            }
        }
    }

    /// The functions and classes that the module defines, by scope and name.
    fn defined(&self) -> BTreeMap<(ScopeId, String), Role> {
        let all = statements(self.module.body()).into_iter();
        let defined = all.filter_map(|statement| {
            let (name, role) = match statement {
                Stmt::FunctionDef(it) => (&it.name, Role::Function),
                Stmt::ClassDef(it) => (&it.name, Role::Class),
                _ => return None,
            };
            let scope = self.module.scopes().scope_at(statement.start());
            Some(((scope, name.to_string()), role))
        });
        defined.collect()
    }

    /// Finds the objects of variables: the object that a method belongs to, and objects that are assigned only once.
    fn objects(&mut self) {
        let mut seen: BTreeMap<(ScopeId, String), Option<Object>> = BTreeMap::new();
        let key = |reading: &Self, name: &str, at: TextSize| {
            let place = reading.module.scopes().at(at)?;
            Some((place.binding?, name.to_owned()))
        };
        for statement in statements(self.module.body()) {
            match statement {
                Stmt::FunctionDef(it) => {
                    let parameters = it.parameters.iter_non_variadic_params();
                    for parameter in parameters.map(|with| &with.parameter) {
                        let object = parameter.annotation.as_deref().map(|of| self.of_type(of));
                        if let Some(key) = key(self, &parameter.name, parameter.name.start()) {
                            seen.insert(key, object);
                        }
                    }
                    let scopes = self.module.scopes();
                    let around = scopes.scope_at(it.start());
                    let is_method = scopes.all()[around].kind == ScopeKind::Class;
                    if let Some(first) = receiver(it).filter(|_| is_method)
                        && let Some(key) = key(self, &first.name, first.name.start())
                    {
                        seen.insert(key, Some(Object::Own));
                    }
                }
                Stmt::Assign(it) => {
                    for target in &it.targets {
                        if let Expr::Name(name) = target
                            && let Some(key) = key(self, &name.id, name.start())
                        {
                            let object = self.object(&it.value, DEEPEST);
                            let known = seen.entry(key).or_insert(Some(object));
                            if *known != Some(object) {
                                *known = None;
                            }
                        }
                    }
                }
                Stmt::AnnAssign(it) => {
                    if let Expr::Name(name) = &*it.target
                        && let Some(key) = key(self, &name.id, name.start())
                    {
                        seen.insert(key, Some(self.of_type(&it.annotation)));
                    }
                }
                Stmt::With(it) => {
                    for item in &it.items {
                        if let Some(Expr::Name(name)) = item.optional_vars.as_deref()
                            && let Some(key) = key(self, &name.id, name.start())
                        {
                            seen.insert(key, Some(self.object(&item.context_expr, DEEPEST)));
                        }
                    }
                }
                _ => {}
            }
        }
        // A name that is bound in other ways too may be any object.
        let mut bound: BTreeMap<(ScopeId, String), usize> = BTreeMap::new();
        let mut simple: BTreeMap<(ScopeId, String), usize> = BTreeMap::new();
        for name in self.module.scopes().names() {
            if let (Use::Bind | Use::Parameter, Some(scope)) = (name.usage, name.binding) {
                let spelled = self.module.of(name.range).to_owned();
                *bound.entry((scope, spelled)).or_default() += 1;
            }
        }
        for statement in statements(self.module.body()) {
            if let Stmt::Assign(it) = statement {
                for target in &it.targets {
                    if let Expr::Name(name) = target
                        && let Some(key) = key(self, &name.id, name.start())
                    {
                        *simple.entry(key).or_default() += 1;
                    }
                }
            }
        }
        for (key, object) in seen {
            let Some(object) = object else { continue };
            let bindings = bound.get(&key).copied().unwrap_or_default();
            if bindings == 1 || simple.get(&key) == Some(&bindings) {
                self.objects.entry(key).or_insert(object);
            }
        }
    }

    /// Marks attributes, and the names of keyword arguments.
    fn attributes(&mut self) {
        let mut found: Vec<(TextRange, (Whose, Owner))> = Vec::new();
        walk(self.module, |node, above| match node {
            AnyNodeRef::ExprAttribute(it) => found.push((it.attr.range(), self.attribute(it))),
            AnyNodeRef::Keyword(it) => {
                let call = above.iter().rev().find_map(|node| match node {
                    AnyNodeRef::ExprCall(call) => Some(&*call.func),
                    _ => None,
                });
                if let Some(name) = &it.arg {
                    let object = call.map_or(Object::Open, |call| self.object(call, DEEPEST));
                    found.push((name.range(), of_object(object)));
                }
            }
            _ => {}
        });
        for (range, whose) in found {
            self.mark(range, whose);
        }
    }

    fn attribute(&self, it: &ExprAttribute) -> (Whose, Owner) {
        match (self.object(&it.value, DEEPEST), it.ctx) {
            (Object::Foreign(owner), _) => (Whose::Foreign, owner),
            (_, ExprContext::Store) => (Whose::Declared(Role::Field), Owner::Unknown),
            (object, _) => of_object(object),
        }
    }

    /// The owner of the value of an expression.
    fn object(&self, expression: &Expr, depth: u32) -> Object {
        let Some(depth) = depth.checked_sub(1) else {
            return Object::Open;
        };
        match expression {
            Expr::Name(name) => {
                let Some(place) = self.module.scopes().at(name.start()) else {
                    return Object::Open;
                };
                match place.binding {
                    Some(scope) => {
                        let key = (scope, name.id.to_string());
                        self.objects.get(&key).copied().unwrap_or(Object::Open)
                    }
                    None if is_builtin(&name.id) && name.id.as_str() != "super" => {
                        Object::Foreign(Owner::Library)
                    }
                    None => Object::Open,
                }
            }
            // A part of a foreign object is foreign; a part of one's own may be anything.
            Expr::Attribute(it) => match self.object(&it.value, depth) {
                Object::Foreign(owner) => Object::Foreign(owner),
                _ => Object::Open,
            },
            Expr::Call(it) => match (&*it.func, self.object(&it.func, depth)) {
                (Expr::Name(name), Object::Foreign(_)) if gives_its_own(&name.id) => Object::Open,
                // The result of a function of another package may be the library's.
                (Expr::Name(name), Object::Foreign(owner)) if is_class(&name.id) => {
                    Object::Foreign(owner)
                }
                (_, Object::Foreign(Owner::Package)) => Object::Foreign(Owner::Unknown),
                (_, Object::Foreign(owner)) => Object::Foreign(owner),
                (Expr::Name(_), Object::Own) => Object::Own,
                _ => Object::Open,
            },
            Expr::Await(it) => self.object(&it.value, depth),
            Expr::StringLiteral(_)
            | Expr::BytesLiteral(_)
            | Expr::FString(_)
            | Expr::NumberLiteral(_)
            | Expr::BooleanLiteral(_)
            | Expr::List(_)
            | Expr::Dict(_)
            | Expr::Set(_)
            | Expr::Tuple(_)
            | Expr::ListComp(_)
            | Expr::DictComp(_)
            | Expr::SetComp(_)
            | Expr::Generator(_)
            | Expr::Compare(_) => Object::Foreign(Owner::Library),
            _ => Object::Open,
        }
    }

    /// Whose the objects of an annotation are.
    fn of_type(&self, annotation: &Expr) -> Object {
        match annotation {
            // A type that represents other types proves nothing.
            Expr::Name(name) if STANDS_FOR_OTHERS.contains(&name.id.as_str()) => Object::Open,
            Expr::Name(_) => self.object(annotation, DEEPEST),
            _ => Object::Open,
        }
    }
}

/// Returns `true` if something is called as classes are.
fn is_class(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

/// Returns `true` if a builtin returns objects of its arguments.
fn gives_its_own(name: &str) -> bool {
    matches!(
        name,
        "getattr" | "next" | "min" | "max" | "type" | "sum" | "iter" | "vars" | "super" | "eval"
    )
}

fn of_object(object: Object) -> (Whose, Owner) {
    match object {
        Object::Own => (Whose::OfOwn, Owner::Unknown),
        Object::Foreign(owner) => (Whose::Foreign, owner),
        Object::Open => (Whose::Open, Owner::Unknown),
    }
}
