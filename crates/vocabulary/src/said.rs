//! Sentences about the types of a function, which comments leave out and questions often have.

use crate::signature::{Shape, Signature, Trait};

/// A sentence about the types that go in and out; `chance` returns numbers from 0 to below 1.
pub fn types(signature: &Signature, mut chance: impl FnMut() -> f32) -> String {
    const NUMBERS: [&str; 7] = ["no", "a single", "two", "three", "four", "five", "six"];
    let inputs: Vec<String> = signature
        .parameters
        .iter()
        .map(|shape| with_article(&phrase(*shape, &mut chance)))
        .collect();
    let output = phrase(signature.returns, &mut chance);
    let inputs = match NUMBERS.get(inputs.len()) {
        Some(&number) if inputs.is_empty() => format!("{number} input"),
        Some(number) if chance() < 0.5 => format!("{number} inputs: {}", inputs.join(", ")),
        _ => inputs.join(" and "),
    };
    if signature.returns.has(Trait::Void) {
        return format!("The function takes {inputs} and does not return any value.");
    }
    format!(
        "The function takes {inputs} and returns {}.",
        with_article(&output)
    )
}

fn with_article(words: &str) -> String {
    match words.chars().next() {
        None => "a value".to_owned(),
        Some('a' | 'e' | 'i' | 'u') => format!("an {words}"),
        Some(_) => format!("a {words}"),
    }
}

/// The words for a type, some of them left out, as in questions.
fn phrase(shape: Shape, chance: &mut impl FnMut() -> f32) -> String {
    let words = shape.traits().filter_map(|one| word(one, shape));
    let words: Vec<&str> = words.filter(|_| chance() >= 0.15).collect();
    words.join(" ")
}

fn word(one: Trait, shape: Shape) -> Option<&'static str> {
    let has = |others: &[Trait]| others.iter().any(|other| shape.has(*other));
    Some(match one {
        Trait::Int if has(&[Trait::Unsigned, Trait::Byte, Trait::Size]) => return None,
        Trait::Char | Trait::Pointer if has(&[Trait::Text]) => return None,
        Trait::Int => "integer",
        Trait::Char => "character",
        Trait::Pointer => "pointer",
        Trait::Bool => "boolean",
        Trait::Wide => "wide",
        Trait::Unsigned => "unsigned integer",
        Trait::Bits16 => "16-bit",
        Trait::Bits32 => "32-bit",
        Trait::Bits64 => "64-bit",
        Trait::Byte => "byte",
        Trait::Size => "size",
        Trait::Float => "floating-point",
        Trait::Double => "double",
        Trait::Text => "string",
        Trait::StringClass => "std::string",
        Trait::PointerToPointer => "pointer to a pointer",
        Trait::VoidPointer => "void pointer",
        Trait::Reference => "reference",
        Trait::Constant => "constant",
        Trait::Array => "array",
        Trait::Callable => "callback function",
        Trait::Structure => "structure",
        Trait::Enumeration => "enumeration",
        Trait::Vector => "vector",
        Trait::Map => "map",
        Trait::List => "list",
        Trait::Pair => "pair",
        Trait::Stream => "stream",
        Trait::Iterator => "iterator",
        Trait::Time => "time",
        Trait::Complex => "complex",
        _ => return None,
    })
}
