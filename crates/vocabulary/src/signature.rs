//! The types that go into a function and come out of it, as far as a form of code shows them or a sentence asks for
//! them.

macro_rules! traits {
    ($($(#[$doc:meta])* $name:ident: $words:literal,)*) => {
        /// A property of a type that both code and sentences speak of.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Trait {
            $($(#[$doc])* $name,)*
        }

        impl Trait {
            /// All, in the order of their numbers.
            pub const ALL: &[Trait] = &[$(Trait::$name,)*];

            /// The usual words for it.
            pub fn words(self) -> &'static str {
                match self { $(Trait::$name => $words,)* }
            }

            /// The trait that is called this.
            pub fn named(name: &str) -> Option<Trait> {
                match name {
                    $(stringify!($name) => Some(Trait::$name),)*
                    _ => None,
                }
            }
        }
    };
}

traits! {
    /// Nothing.
    Void: "nothing",
    /// A truth value.
    Bool: "truth value",
    /// A character by itself.
    Char: "character",
    /// A wide or sixteen-bit character, alone or in a string.
    Wide: "wide character",
    /// A whole number.
    Int: "whole number",
    /// A whole number without sign.
    Unsigned: "unsigned number",
    /// Sixteen bits or `short`.
    Bits16: "16 bits",
    /// Thirty-two bits, where stated.
    Bits32: "32 bits",
    /// Sixty-four bits, `long`.
    Bits64: "64 bits",
    /// A byte.
    Byte: "byte",
    /// A size.
    Size: "size",
    /// A number in single precision.
    Float: "single-precision number",
    /// A number in double precision.
    Double: "double-precision number",
    /// Text: `char *` or a string class.
    Text: "text",
    /// A string class.
    StringClass: "string class",
    /// A pointer to anything.
    Pointer: "pointer",
    /// A pointer to a pointer.
    PointerToPointer: "pointer to a pointer",
    /// A pointer without a type (`void *`).
    VoidPointer: "pointer without a type",
    /// A reference.
    Reference: "reference",
    /// Cannot be changed through this.
    Constant: "constant",
    /// An array or buffer.
    Array: "array",
    /// A function.
    Callable: "function",
    /// A structure, class or union of the project.
    Structure: "structure",
    /// An enumeration.
    Enumeration: "enumeration",
    /// A vector.
    Vector: "vector",
    /// A map.
    Map: "map",
    /// A set.
    Set: "set",
    /// A list.
    List: "list",
    /// A pair or tuple.
    Pair: "pair",
    /// A stream or file.
    Stream: "stream",
    /// An iterator.
    Iterator: "iterator",
    /// A time.
    Time: "time",
    /// A complex number.
    Complex: "complex number",
    /// A smart pointer.
    SmartPointer: "smart pointer",
    /// An optional value.
    Optional: "optional value",
    /// A type parameter.
    Generic: "type parameter",
    /// Any number of arguments.
    Variadic: "any number of arguments",
    /// Either: lowered code does not show whether eight bytes are a pointer.
    Word: "pointer or number of eight bytes",
}

/// A set of traits: the shape of a type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Shape(u64);

impl Shape {
    /// A shape of some traits.
    pub const fn of(traits: &[Trait]) -> Self {
        let mut bits = 0;
        let mut rest = traits;
        while let [first, others @ ..] = rest {
            bits |= 1 << *first as u8;
            rest = others;
        }
        Shape(bits)
    }

    /// Adds a trait.
    pub fn add(&mut self, one: Trait) {
        self.0 |= 1 << one as u8;
    }

    /// Takes a trait away.
    pub fn remove(&mut self, one: Trait) {
        self.0 &= !(1 << one as u8);
    }

    /// Returns `true` if it has a trait.
    pub fn has(self, one: Trait) -> bool {
        self.0 & (1 << one as u8) != 0
    }

    /// Returns `true` if nothing is known.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The traits of either.
    #[must_use]
    pub fn or(self, other: Shape) -> Shape {
        Shape(self.0 | other.0)
    }

    /// Its traits, in the order of their numbers.
    pub fn traits(self) -> impl Iterator<Item = Trait> {
        let all = Trait::ALL.iter().copied();
        all.filter(move |one| self.has(*one))
    }
}

/// The types that go in and come out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Signature {
    /// The type that is returned; empty if the form does not show it.
    pub returns: Shape,
    /// The types of the parameters, in order.
    pub parameters: Vec<Shape>,
    /// True if the form shows the number of parameters.
    pub is_counted: bool,
    /// Parameters that the function writes through, by index.
    pub written: Vec<usize>,
    /// Its operations on small arrays.
    pub operations: Vec<crate::Concept>,
    /// The dimensions of the arrays that are read, in ascending order.
    pub sizes_in: Vec<Vec<u32>>,
    /// The dimensions of the arrays that are written.
    pub sizes_out: Vec<Vec<u32>>,
}
