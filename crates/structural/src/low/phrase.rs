//! Facts → a rendering: the one module that puts lowered code in words.

use super::facts::{Facts, Literal, Out, Parameter};
use super::trace::Class;
use crate::library::documentation;
use crate::rendering::Rendering;
use crate::signature::{Shape, Trait};
use crate::types::known;
use crate::vocabulary::{Concept, Field};
use crate::words::{words_of_character, words_of_name};

/// The rendering of a function; `pointer` is how many bytes a pointer has.
pub(super) fn render(facts: &Facts, pointer: u8) -> Rendering {
    let mut rendering = Rendering::default();
    for concept in &facts.concepts {
        rendering.add(*concept);
    }
    signature(facts, pointer, &mut rendering);
    literals(facts, &mut rendering);
    for name in &facts.called {
        let plain = name.split(['@', '<']).next().unwrap_or(name);
        let plain = plain
            .rsplit("::")
            .next()
            .unwrap_or(plain)
            .trim_start_matches('$');
        if let Some(words) = documentation(plain) {
            rendering.say(Field::Calls, words);
        } else {
            rendering.add(Concept::Call);
        }
    }
    for text in &facts.texts {
        rendering.say(Field::Strings, "string literal");
        let words = &mut rendering.words;
        for part in text
            .split(|c: char| !c.is_alphanumeric())
            .filter(|part| !part.is_empty())
            .take(60)
        {
            words_of_name(part, |word| words.push((Field::Strings, word.to_owned())));
        }
    }
    if facts.is_matrix {
        rendering.say(Field::Operators, "matrix two dimensional row column");
    }
    if facts.has_buffer {
        rendering.say(Field::Types, "array buffer local");
    }
    data(facts, &mut rendering);
    rendering
}

/// The shape of a parameter, and the names of types whose words are added.
fn shape_of(parameter: &Parameter, pointer: u8) -> (Shape, Vec<&'static str>) {
    let bytes = match parameter.class {
        Class::Float(4) => return (Shape::of(&[Trait::Float]), vec!["float"]),
        Class::Float(_) => return (Shape::of(&[Trait::Double]), vec!["double"]),
        Class::Whole(bytes) => bytes,
    };
    if !parameter.pointed.is_empty() {
        let (mut shape, mut words) = (Shape::of(&[Trait::Pointer]), vec!["*"]);
        pointed(parameter, pointer, &mut shape, &mut words);
        return (shape, words);
    }
    if parameter.is_called {
        return (Shape::of(&[Trait::Callable, Trait::Pointer]), vec!["()"]);
    }
    let is_number = parameter.is_number;
    let is_pointer = (parameter.is_tested || parameter.is_passed) && !is_number;
    let (traits, word): (&[Trait], _) = match (bytes, pointer) {
        (1, _) => (&[Trait::Char, Trait::Byte, Trait::Bool], Some("char")),
        (2, _) => (&[Trait::Int, Trait::Bits16], Some("short")),
        (4, 8) => (&[Trait::Int, Trait::Bits32], Some("int")),
        (8, 4) => (&[Trait::Int, Trait::Bits64], Some("long")),
        (_, 4) if is_pointer => (&[Trait::Pointer, Trait::Word, Trait::Int], Some("*")),
        _ if is_pointer => (&[Trait::Pointer, Trait::Word], Some("*")),
        (_, 8) if is_number || parameter.is_index => (
            &[Trait::Int, Trait::Bits64, Trait::Size, Trait::Unsigned],
            Some("size_t"),
        ),
        _ if is_number || parameter.is_index => (&[Trait::Int], Some("int")),
        (_, 8) => (&[Trait::Word, Trait::Pointer], None),
        _ => (&[Trait::Word, Trait::Int], None),
    };
    let mut shape = Shape::of(traits);
    let mut words: Vec<&str> = word.into_iter().collect();
    if parameter.is_unsigned {
        shape.add(Trait::Unsigned);
        words.push("unsigned");
    }
    (shape, words)
}

/// The type that a pointer points at.
fn pointed(parameter: &Parameter, pointer: u8, shape: &mut Shape, words: &mut Vec<&'static str>) {
    let is_many = parameter.is_walked || !parameter.strides.is_empty();
    let widths: Vec<u8> = parameter.pointed.iter().map(|it| it.0).collect();
    let is_float = parameter.pointed.iter().any(|it| it.1);
    let is_one_width = parameter.pointed.len() == 1;
    if parameter.is_text {
        shape.add(Trait::Text);
        shape.add(Trait::Char);
        words.extend(["char", "text"]);
    } else if !is_many
        && (parameter.offsets.len() > 1
            || parameter.offsets.iter().any(|it| *it >= 8)
            || !is_one_width)
    {
        shape.add(Trait::Structure);
        shape.add(Trait::Reference);
        words.push("struct");
    } else {
        match (widths.first(), is_float) {
            (Some(1), _) => {
                shape.add(Trait::Char);
                shape.add(Trait::Byte);
                words.push("char");
            }
            (Some(2), _) => {
                shape.add(Trait::Bits16);
                words.push("short");
            }
            (Some(4), true) => {
                shape.add(Trait::Float);
                words.push("float");
            }
            (Some(_), true) => {
                shape.add(Trait::Double);
                words.push("double");
            }
            (Some(4), false) => {
                shape.add(Trait::Int);
                words.push("int");
            }
            (Some(8), false) if parameter.is_deep && pointer == 8 => {
                shape.add(Trait::PointerToPointer);
                shape.add(Trait::Structure);
                words.push("struct");
            }
            (Some(8), false) => {
                shape.add(Trait::Bits64);
                shape.add(Trait::Structure);
            }
            _ => {}
        }
        if !is_many {
            shape.add(Trait::Reference);
        }
    }
    if is_many {
        shape.add(Trait::Array);
        words.push("[]");
    }
    if !parameter.is_written {
        shape.add(Trait::Constant);
        words.push("const");
    }
}

fn say(name: &str, rendering: &mut Rendering) {
    match name {
        "*" => rendering.say(Field::Types, "pointer"),
        "[]" => rendering.say(Field::Types, "array"),
        "()" => rendering.say(Field::Types, "callback function"),
        "const" => rendering.say(Field::Types, "constant"),
        "text" => rendering.say(Field::Types, "string"),
        "struct" => rendering.say(Field::Types, "structure"),
        _ => {
            if let Some(known) = known(name) {
                rendering.say(Field::Types, known.words);
            }
        }
    }
}

fn signature(facts: &Facts, pointer: u8, rendering: &mut Rendering) {
    for (number, parameter) in facts.parameters.iter().enumerate() {
        let (shape, words) = shape_of(parameter, pointer);
        for word in words {
            say(word, rendering);
        }
        rendering.signature.parameters.push(shape);
        if parameter.is_written {
            rendering.signature.written.push(number);
        }
    }
    rendering.signature.is_counted = facts.is_counted;
    let (shape, words): (Shape, &[&str]) = match facts.out {
        Out::Unknown => (Shape::default(), &[]),
        Out::Nothing => (Shape::of(&[Trait::Void]), &[]),
        Out::Truth => (Shape::of(&[Trait::Bool]), &["bool"]),
        Out::Whole(1) => (Shape::of(&[Trait::Char, Trait::Byte]), &["char"]),
        Out::Whole(2) => (Shape::of(&[Trait::Int, Trait::Bits16]), &["short"]),
        Out::Whole(4) => (Shape::of(&[Trait::Int]), &["int"]),
        Out::Whole(_) => (
            Shape::of(&[Trait::Int, Trait::Bits64, Trait::Size, Trait::Unsigned]),
            &["size_t"],
        ),
        Out::Pointer => (Shape::of(&[Trait::Pointer]), &["*"]),
        Out::Word => (Shape::of(&[Trait::Pointer, Trait::Word]), &["*"]),
        Out::Float(4) => (Shape::of(&[Trait::Float]), &["float"]),
        Out::Float(_) => (Shape::of(&[Trait::Double]), &["double"]),
        Out::Structure => (
            Shape::of(&[Trait::Structure, Trait::StringClass, Trait::Text]),
            &["string", "struct"],
        ),
    };
    for word in words {
        say(word, rendering);
    }
    rendering.signature.returns = shape;
}

fn literals(facts: &Facts, rendering: &mut Rendering) {
    for literal in &facts.literals {
        match *literal {
            Literal::Whole(number) => {
                rendering.words.push((Field::Literals, number.to_string()));
                if number < 0 {
                    rendering.say(Field::Literals, "negative");
                }
                if number > 255 && (number & number.wrapping_add(1) == 0) {
                    rendering.say(Field::Literals, "mask");
                }
            }
            Literal::Float(number) => rendering.words.push((Field::Literals, number.to_string())),
            Literal::Character(c) => {
                rendering.say(Field::Literals, "character");
                rendering.say(Field::Literals, words_of_character(c));
                if c.is_ascii_graphic() {
                    rendering.words.push((Field::Literals, format!("'{c}'")));
                }
            }
        }
    }
}

/// The flow of data, for the learned part.
fn data(facts: &Facts, rendering: &mut Rendering) {
    let mut word = |text: String| rendering.words.push((Field::Data, text));
    for (number, parameter) in facts.parameters.iter().enumerate() {
        let number = number.min(9);
        let flags = [
            (parameter.is_read, "read"),
            (parameter.is_written, "written"),
            (parameter.is_returned, "returned"),
            (parameter.is_index, "index"),
            (parameter.is_walked, "walked"),
        ];
        for (_, name) in flags.iter().filter(|(is_set, _)| *is_set) {
            word(format!("p{number}-{name}"));
        }
        if parameter.offsets.len() > 1 {
            word(format!(
                "p{number}-member-{}",
                parameter.offsets.len().min(6)
            ));
        }
    }
    for index in &facts.indexes {
        word(format!("const-index-{index}"));
    }
    let steps = [16, 8, 6, 4, 3, 2, 1];
    if let Some(step) = steps.iter().find(|step| **step <= facts.stores) {
        word(format!("store-count-{step}"));
    }
    for stride in facts
        .strides
        .iter()
        .filter(|stride| (2..=4096).contains(*stride))
    {
        word(format!("stride-{stride}"));
    }
}
