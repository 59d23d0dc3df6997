//! The declarations and mentions of a top-level item of a file.

use std::collections::BTreeSet;
use std::ops::Range;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::FunctionKind;

use super::cpp::objects::{Typed, Uses};
use super::cpp::overloads::{Parameters, SameName};
use super::named::ItemNames;
use crate::names::Mentions;

/// The kind of an item.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ItemKind {
    /// A function with its body.
    Function,
    /// A declaration of functions or variables.
    Declaration,
    /// A typedef.
    Typedef,
    /// A `struct`, `union` or `enum` by itself.
    Tag,
    /// A macro call that stands for declarations.
    DeclarationMacro,
    /// A name or namespace of C++ that is made visible elsewhere: `using a::b;`, `using namespace a;`.
    Using,
    /// Anything else: an assertion, a stray semicolon, text that could not be parsed.
    #[default]
    Other,
}

/// The kind of a declared name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameKind {
    /// A function.
    Function,
    /// A variable.
    Variable,
    /// A typedef name.
    Typedef,
    /// An enumerator.
    Enumerator,
    /// A `struct`, `union` or `enum` tag. Tags have a name space of their own.
    Tag,
    /// C++: a name of the standard library that is made visible: `using std::string;`.
    Standard,
}

/// A name that an item declares.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Declared {
    /// Its kind.
    pub kind: NameKind,
    /// The name.
    pub name: Box<str>,
}

/// A function that is defined inside of a class.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that do not depend on each other"
)]
pub struct Inner {
    /// Its name, without qualifiers.
    pub name: Box<str>,
    /// Its kind.
    pub kind: FunctionKind,
    /// The classes around it, from the outermost in; none for a friend.
    pub class_path: Vec<Box<str>>,
    /// The bytes it covers, those of its template parameters included.
    pub range: Range<usize>,
    /// The bytes of its body, including the initializers of members.
    pub body: Range<usize>,
    /// True if it, or a class around it, is a template.
    pub is_template: bool,
    /// True if others need its body: `constexpr`, or a type that follows from the body.
    pub needs_body: bool,
    /// True if no type comes before its name although it is not a constructor: a macro's call, most likely.
    pub typeless: bool,
    /// True if the parser gave up somewhere in it.
    pub has_error: bool,
    /// Its mentions outside of its body.
    pub head: Mentions,
    /// Its mentions in its body.
    pub inside: Mentions,
    /// Its parameters.
    pub parameters: Parameters,
    /// Its calls of its own name.
    pub same_name: Vec<SameName>,
    /// The members and operators that it uses.
    pub uses: Uses,
}

/// A top-level item of a file.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "facts that do not depend on each other"
)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// The bytes it covers, hidden attributes included.
    pub range: Range<usize>,
    /// The names it declares.
    pub declares: Vec<Declared>,
    /// The bytes of its body with the braces: a function's, or the members of its outermost type.
    pub body: Option<Range<usize>>,
    /// Its mentions outside of the body.
    pub head: Mentions,
    /// Its mentions in the body.
    pub inside: Mentions,
    /// The members that the body declares, where it is a type's.
    pub members: BTreeSet<Box<str>>,
    /// True if the item without its body is still a declaration: not so for types without a tag.
    pub has_head: bool,
    /// True if the parser gave up somewhere in it.
    pub has_error: bool,
    /// C++: the functions that are defined in a class, in order.
    pub inner: Vec<Inner>,
    /// C++: the functions of classes inside of functions: name and bytes.
    pub local: Vec<(Box<str>, Range<usize>)>,
    /// C++: the members that are functions.
    pub methods: BTreeSet<Box<str>>,
    /// C++: where functions are declared in a class without a body: name and first byte.
    pub declared_methods: Vec<(Box<str>, usize)>,
    /// C++: the functions that are declared or defined here, with the types in their signatures that are not behind
    /// pointers: a caller needs these complete.
    pub signatures: Vec<(Box<str>, BTreeSet<Box<str>>)>,
    /// C++: the functions that are declared or defined here, with their parameters.
    pub overloads: Vec<(Box<str>, Parameters)>,
    /// C++: the calls of a function's own name in it.
    pub same_name: Vec<SameName>,
    /// C++: the members and operators that a function uses.
    pub uses: Uses,
    /// C++: variables and members with their types.
    pub typed: Vec<(Box<str>, Typed)>,
    /// C++: functions with the types of their results.
    pub returns: Vec<(Box<str>, Typed)>,
    /// C++: other names of types.
    pub aliases: Vec<(Box<str>, Typed)>,
    /// C++: the classes that a class, or a class in it, is derived from.
    pub bases: BTreeSet<Box<str>>,
    /// C++: the functions that a class declares as friends without a body.
    pub friends: BTreeSet<Box<str>>,
    /// C++: the classes that are friends under a qualified name, which must be declared before.
    pub befriended: BTreeSet<Box<str>>,
    /// C++: the classes that a type declares by naming them: `class Later *next;`.
    pub elaborated: BTreeSet<Box<str>>,
    /// C++: types to which a class gives another name, with their parts.
    pub member_types: Vec<(Box<str>, BTreeSet<Box<str>>)>,
    /// C++: the qualifiers of the defined name, `A` in `void A::f() {}`.
    pub qualifiers: Vec<Box<str>>,
    /// C++: true if it is a template.
    pub is_template: bool,
    /// C++: true if a function has no type before its name and is not a constructor.
    pub typeless: bool,
    /// C++: true if a function that seems to be outside of classes is `const`: the parser lost its class.
    pub lost: bool,
    /// C++: the namespace of a `using namespace`.
    pub directive: Option<Box<str>>,
    /// The kind of a function.
    pub function: FunctionKind,
    /// The names of all of these, once they have numbers.
    pub(crate) names: ItemNames,
}

impl Item {
    pub(super) fn new(kind: ItemKind, range: Range<usize>, has_error: bool) -> Item {
        Item {
            kind,
            range,
            has_head: true,
            has_error,
            ..Item::default()
        }
    }

    /// About the bytes that it takes.
    pub(crate) fn weight(&self) -> usize {
        // The names in a text, in sets and as numbers, take more than the text.
        size_of::<Item>() + self.inner.len() * size_of::<Inner>() + self.range.len() * 4
    }

    /// The function inside of the class that a byte belongs to.
    pub(super) fn inner_at(&self, byte: usize) -> Option<usize> {
        let after = self
            .inner
            .partition_point(|inner| inner.range.start <= byte);
        self.inner
            .get(..after)?
            .iter()
            .rposition(|inner| inner.range.contains(&byte))
    }

    /// The list for a mention at a byte.
    pub(super) fn mentions_at(&mut self, byte: usize) -> &mut Mentions {
        match self.inner_at(byte) {
            Some(number) => {
                let inner = &mut self.inner[number];
                if inner.body.contains(&byte) {
                    &mut inner.inside
                } else {
                    &mut inner.head
                }
            }
            None if self.body.as_ref().is_some_and(|body| body.contains(&byte)) => &mut self.inside,
            None => &mut self.head,
        }
    }

    /// The name of the function that the item defines.
    pub fn function_name(&self) -> Option<&str> {
        let function = self
            .declares
            .iter()
            .find(|declared| declared.kind == NameKind::Function)?;
        (self.kind == ItemKind::Function).then_some(&*function.name)
    }
}

/// Adds a name to a set that most likely has it.
pub(super) fn note(names: &mut BTreeSet<Box<str>>, name: &str) {
    if !names.contains(name) {
        names.insert(name.into());
    }
}

/// Adds every word of an item at its position.
pub(super) fn note_words(item: &mut Item, range: Range<usize>, text: &str) {
    let start = range.start;
    let own = text.get(range).unwrap_or_default();
    for token in lex(own) {
        if token.kind == TokenKind::Identifier {
            let words = &mut item.mentions_at(start + token.start).words;
            note(words, token.text(own));
        }
    }
}
