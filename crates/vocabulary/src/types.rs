//! Words of types to shapes.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::signature::{Shape, Trait};

/// A type as it is written.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Type<'a> {
    /// The known traits of it.
    pub shape: Shape,
    /// The names in it that are not keywords, in order.
    pub names: Vec<&'a str>,
}

/// The facts about a type by its name.
pub struct Known {
    /// Its traits.
    pub shape: Shape,
    /// The words for it.
    pub words: &'static str,
}

static TYPES: LazyLock<HashMap<&'static str, Known>> = LazyLock::new(|| {
    let mut types = HashMap::new();
    for line in include_str!("../data/types.txt").lines() {
        let line = line.trim();
        let Some((names, rest)) = line.split_once(':') else {
            continue;
        };
        if line.starts_with('#') {
            continue;
        }
        let rest = rest.trim();
        let mut shape = Shape::default();
        let mut words = rest;
        for word in rest.split_ascii_whitespace() {
            let Some(one) = Trait::named(word) else {
                break;
            };
            shape.add(one);
            words = words.strip_prefix(word).unwrap_or(words).trim_start();
        }
        for name in names.split_ascii_whitespace() {
            types.insert(name, Known { shape, words });
        }
    }
    types
});

/// The facts about the type of this name.
pub fn known(name: &str) -> Option<&'static Known> {
    TYPES.get(name)
}

/// Words that occur in declarations and carry no meaning for the value.
pub fn is_specifier(word: &str) -> bool {
    matches!(
        word,
        "static"
            | "inline"
            | "extern"
            | "register"
            | "constexpr"
            | "consteval"
            | "virtual"
            | "explicit"
            | "friend"
            | "typedef"
            | "mutable"
            | "thread_local"
            | "__inline"
            | "__inline__"
            | "__forceinline"
            | "_Noreturn"
            | "typename"
            | "volatile"
            | "__restrict"
            | "restrict"
            | "__restrict__"
            | "__extension__"
            | "noexcept"
            | "_Thread_local"
            | "constinit"
            | "__volatile__"
            | "override"
            | "final"
            | "WINAPI"
            | "CALLBACK"
            | "__cdecl"
            | "__stdcall"
    )
}

/// Words that only a type can begin or contain.
pub fn is_type_word(word: &str) -> bool {
    matches!(
        word,
        "const"
            | "void"
            | "bool"
            | "char"
            | "short"
            | "int"
            | "long"
            | "float"
            | "double"
            | "signed"
            | "unsigned"
            | "struct"
            | "class"
            | "union"
            | "enum"
            | "auto"
            | "wchar_t"
            | "char8_t"
            | "char16_t"
            | "char32_t"
            | "_Bool"
            | "decltype"
            | "__int64"
            | "__int128"
            | "_Complex"
            | "__const"
    )
}

/// Adds the traits that the words and marks of a type describe. `marks` are `*`, `&`, `&&`, `[]` in order.
pub fn shape_of<'a>(words: &[&'a str], marks: &[&'a str]) -> Type<'a> {
    let mut shape = Shape::default();
    let mut names = Vec::new();
    let mut longs = 0;
    let mut is_project = false;
    let mut is_smart = false;
    for (at, &word) in words.iter().enumerate() {
        match word {
            "const" | "__const" | "constexpr" => shape.add(Trait::Constant),
            "long" => {
                longs += 1;
                shape.add(Trait::Int);
                shape.add(Trait::Bits64);
            }
            "unsigned" => {
                shape.add(Trait::Int);
                shape.add(Trait::Unsigned);
            }
            "struct" | "class" | "union" => shape.add(Trait::Structure),
            "enum" => shape.add(Trait::Enumeration),
            "std" | "boost" | "chrono" | "absl" | "fmt" | "typename" => {}
            _ => {
                if is_specifier(word) {
                    continue;
                }
                if let Some(known) = known(word) {
                    // The target of a pointer class is not its own type.
                    is_smart |= known.shape.has(Trait::SmartPointer);
                    shape = shape.or(known.shape);
                } else if at > 0 && matches!(words.get(at - 1), Some(&"decltype"))
                    || word == "decltype"
                {
                    shape.add(Trait::Generic);
                } else {
                    is_project = true;
                    if word.len() == 1 && word.chars().all(|c| c.is_ascii_uppercase()) {
                        shape.add(Trait::Generic);
                    }
                }
                names.push(word);
            }
        }
    }
    if is_project && !is_smart && (shape.is_empty() || shape == Shape::of(&[Trait::Constant])) {
        shape.add(Trait::Structure);
    }
    if shape.has(Trait::Double) && longs > 0 {
        shape.remove(Trait::Int);
        shape.remove(Trait::Bits64);
    }
    if shape.has(Trait::Char) && shape.has(Trait::Unsigned) {
        shape.add(Trait::Byte);
        shape.remove(Trait::Int);
    }
    if shape.has(Trait::Void) && !marks.is_empty() {
        shape.remove(Trait::Void);
        shape.add(Trait::VoidPointer);
    }
    let mut pointers = 0;
    for &mark in marks {
        match mark {
            "*" | "^" => {
                pointers += 1;
                shape.add(Trait::Pointer);
            }
            "&" | "&&" => shape.add(Trait::Reference),
            "[" => {
                shape.add(Trait::Array);
                shape.add(Trait::Pointer);
            }
            "..." => shape.add(Trait::Variadic),
            "()" => shape.add(Trait::Callable),
            _ => {}
        }
    }
    if pointers > 1 {
        shape.add(Trait::PointerToPointer);
    }
    if pointers > 0 && (shape.has(Trait::Char)) {
        shape.add(Trait::Text);
    }
    Type { shape, names }
}
