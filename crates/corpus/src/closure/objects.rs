//! The members of classes that a function uses: the types of objects, followed through declarations.
//!
//! If the type of an object is known, its class either has the member or does not. Otherwise the caller has to guess
//! by the member's name.

use super::Index;
use crate::items::{Item, ItemKind, Member, NameKind, Object, Typed};

/// The maximum number of steps in which types are followed: through other names for them, and from object to member.
const MAX_STEPS: usize = 12;

/// The class of an object.
pub(super) enum ClassOf<'a> {
    /// Nothing is known.
    Unknown,
    /// No class of the project.
    Standard,
    /// These, with those that they are derived from.
    Known(Vec<&'a Item>),
}

/// Objects in one function.
pub(super) struct Objects<'i, 'a> {
    pub(super) index: &'i Index<'a>,
    /// The class that the function is a member of, with its base classes.
    pub(super) own: &'i [&'a Item],
}

impl<'a> Objects<'_, 'a> {
    /// The class that has the member, or would have it.
    pub(super) fn class_of(&self, member: &Member) -> ClassOf<'a> {
        self.object_class(&member.on, member.arrow, 0)
    }

    /// The class of an operand. For a type inside of a class only its name is known, and it may be an enumeration.
    pub(super) fn operand(&self, object: &Object) -> ClassOf<'a> {
        let found = self.object_class(object, false, 0);
        let (ClassOf::Known(classes), Some(typed)) = (&found, self.typed(object, 0)) else {
            return found;
        };
        let mut tags = classes.iter().filter_map(|class| {
            let mut declares = class.declares.iter();
            declares.find(|declared| declared.kind == NameKind::Tag)
        });
        if tags.any(|tag| tag.name == typed.name) {
            found
        } else {
            ClassOf::Unknown
        }
    }

    fn object_class(&self, object: &Object, arrow: bool, steps: usize) -> ClassOf<'a> {
        let is_this = match object {
            Object::This => true,
            Object::Element(object) => **object == Object::This && !arrow,
            _ => false,
        };
        if is_this {
            return if self.own.is_empty() {
                ClassOf::Unknown
            } else {
                ClassOf::Known(self.own.to_vec())
            };
        }
        let reached = self.typed(object, steps).and_then(|typed| {
            if arrow {
                self.behind(typed, steps)
            } else {
                (typed.pointers == 0).then_some(typed)
            }
        });
        reached.map_or(ClassOf::Unknown, |typed| self.class(&typed))
    }

    fn class(&self, typed: &Typed) -> ClassOf<'a> {
        if typed.is_standard {
            return ClassOf::Standard;
        }
        let classes = self.classes(typed);
        if classes.is_empty() {
            ClassOf::Unknown
        } else {
            ClassOf::Known(classes)
        }
    }

    /// The classes of a type's name, with their base classes.
    fn classes(&self, typed: &Typed) -> Vec<&'a Item> {
        let name = self.index.names.table().known(&typed.name);
        let Some(name) = name.filter(|_| !typed.is_standard) else {
            return Vec::new();
        };
        let tags = self.index.meaning(name).tags.clone();
        let classes = self.index.with_bases(tags).into_iter();
        classes.map(|at| self.index.item(at)).collect()
    }

    /// The type that `->` leads to.
    fn behind(&self, typed: Typed, steps: usize) -> Option<Typed> {
        if typed.pointers > 0 {
            return Some(Typed {
                pointers: typed.pointers - 1,
                ..typed
            });
        }
        if typed.is_standard {
            // A pointer that owns. The name of any other type with `->`, an iterator, does not show its target.
            let owns = matches!(&*typed.name, "unique_ptr" | "shared_ptr" | "auto_ptr");
            return typed
                .of
                .filter(|_| owns)
                .and_then(|of| self.plain(*of, steps));
        }
        let classes = self.classes(&typed);
        let given = one_of(
            classes.iter().flat_map(|class| &class.returns),
            "operator->",
        )?;
        let given = self.plain(given, steps + 1)?;
        (given.pointers > 0).then(|| Typed {
            pointers: given.pointers - 1,
            ..given
        })
    }

    /// The type of an object, where it is written down somewhere.
    fn typed(&self, object: &Object, steps: usize) -> Option<Typed> {
        if steps > MAX_STEPS {
            return None;
        }
        let found = match object {
            Object::Unknown | Object::This => return None,
            Object::Typed(typed) => typed.clone(),
            Object::Name(name) => {
                let own = self.own.iter().flat_map(|class| &class.typed);
                match one_of(own, name) {
                    Some(found) => found,
                    None if self.own.iter().any(|class| declares_member(class, name)) => {
                        return None;
                    }
                    None => one_of(self.named(name, |item| &item.typed), name)?,
                }
            }
            Object::Function(name) => {
                let own = self.own.iter().flat_map(|class| &class.returns);
                let free = || one_of(self.named(name, |item| &item.returns), name);
                one_of(own, name)
                    .or_else(free)
                    .or_else(|| self.made(name))?
            }
            Object::Field(member) => {
                let ClassOf::Known(classes) =
                    self.object_class(&member.on, member.arrow, steps + 1)
                else {
                    return None;
                };
                one_of(classes.iter().flat_map(|class| &class.typed), &member.name)?
            }
            Object::Method(member) => {
                match self.object_class(&member.on, member.arrow, steps + 1) {
                    ClassOf::Known(classes) => one_of(
                        classes.iter().flat_map(|class| &class.returns),
                        &member.name,
                    )?,
                    ClassOf::Standard => self.of_standard(member, steps)?,
                    ClassOf::Unknown => return None,
                }
            }
            Object::Element(object) => self.element(self.typed(object, steps + 1)?)?,
        };
        self.plain(found, steps)
    }

    /// The result of a method of the standard library that returns the content of its object.
    fn of_standard(&self, member: &Member, steps: usize) -> Option<Typed> {
        let on = self.typed(&member.on, steps + 1)?;
        let mut of = *on.of?;
        match &*member.name {
            "front" | "back" | "top" | "at" | "value" => {}
            "get" | "data" => of.pointers = of.pointers.saturating_add(1),
            _ => return None,
        }
        let contains = !matches!(&*on.name, "map" | "unordered_map" | "multimap");
        contains.then_some(of)
    }

    /// The type that a pointer points to or a container contains.
    fn element(&self, typed: Typed) -> Option<Typed> {
        if typed.pointers > 0 {
            return Some(Typed {
                pointers: typed.pointers - 1,
                ..typed
            });
        }
        let contains = [
            "vector",
            "array",
            "deque",
            "list",
            "set",
            "unordered_set",
            "span",
            "initializer_list",
            "unique_ptr",
            "shared_ptr",
            "optional",
        ];
        if typed.is_standard {
            let of = typed.of.filter(|_| contains.contains(&&*typed.name));
            return of.map(|of| *of);
        }
        let classes = self.classes(&typed);
        let returns = || classes.iter().flat_map(|class| &class.returns);
        one_of(returns(), "operator[]").or_else(|| one_of(returns(), "operator*"))
    }

    /// An object of a class that is made by its name.
    fn made(&self, name: &str) -> Option<Typed> {
        let typed = Typed {
            name: name.into(),
            is_standard: false,
            pointers: 0,
            of: None,
        };
        (!self.classes(&typed).is_empty()).then_some(typed)
    }

    /// A type without other names for it.
    fn plain(&self, mut typed: Typed, steps: usize) -> Option<Typed> {
        for _ in steps..=MAX_STEPS {
            if typed.is_standard {
                return Some(typed);
            }
            if self.is_of_standard(&typed.name) {
                typed.is_standard = true;
                return Some(typed);
            }
            let own = self.own.iter().flat_map(|class| &class.aliases);
            let alias = one_of(own, &typed.name)
                .or_else(|| one_of(self.named(&typed.name, |item| &item.aliases), &typed.name));
            match alias {
                Some(alias) if alias.name != typed.name => {
                    typed = Typed {
                        pointers: alias.pointers.saturating_add(typed.pointers),
                        ..alias
                    };
                }
                _ => return Some(typed),
            }
        }
        None
    }

    /// Returns `true` if a `using std::…` brings the name, and nothing else declares it.
    fn is_of_standard(&self, name: &str) -> bool {
        let meaning = self.index.meaning_of(name);
        let known = self.index.names.table().known(name);
        let mut kinds = meaning.names.iter().flat_map(|&at| {
            let declares = self.index.item(at).names.declares.iter();
            declares.filter(|(_, name)| Some(*name) == known)
        });
        meaning.tags.is_empty()
            && !meaning.names.is_empty()
            && kinds.all(|(kind, _)| *kind == NameKind::Standard)
    }

    /// The types that items outside of classes declare for a name.
    fn named(
        &self,
        name: &str,
        list: impl Fn(&'a Item) -> &'a Vec<(Box<str>, Typed)>,
    ) -> impl Iterator<Item = &'a (Box<str>, Typed)> {
        let items = self.index.meaning_of(name).names.iter();
        let items = items.map(|&at| self.index.item(at));
        let items: Vec<&'a Item> = items.filter(|item| item.kind != ItemKind::Tag).collect();
        items.into_iter().flat_map(list)
    }
}

/// Returns `true` if a class has a member of this name whose type is not known.
fn declares_member(class: &Item, name: &str) -> bool {
    class.typed.iter().any(|(member, _)| &**member == name)
}

/// The type of a name, where all that are found agree.
fn one_of<'t>(named: impl Iterator<Item = &'t (Box<str>, Typed)>, name: &str) -> Option<Typed> {
    let mut types = named
        .filter(|(of, _)| &**of == name)
        .map(|(_, typed)| typed);
    let first = types.next()?;
    types.all(|typed| typed == first).then(|| first.clone())
}
