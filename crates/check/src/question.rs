//! A question to a compiler.

use barecode_records::{Closure, Function, Language, Span, Unit};

use crate::mark;

/// The pointer that is added to a text of C to hold its function.
pub(crate) const KEEPER: &str = "barecode_keeper";

/// The attribute in front of a function of C++ so that it is emitted and can be found in the object.
///
/// The function is emitted although it is never called, and its address is in a section of its own. For that
/// the compiler puts one instruction that does nothing before its first byte, outside of it.
pub(crate) const MARK: &str = "__attribute__((used, patchable_function_entry(1, 1))) ";

/// A text, the language it is in, and the function in it that the question is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The language that it is judged as.
    pub language: Language,
    /// The text.
    pub text: String,
    /// The function's name, used to take the address of a function of C.
    pub function: String,
    /// The span of the function in the text.
    pub target: Span,
    /// True if it is a template, which does not compile to code by itself.
    pub is_template: bool,
}

impl Question {
    /// About a function and a closure of it.
    pub fn of(function: &Function, closure: &Closure) -> Question {
        Question {
            language: function.language,
            text: closure.text.clone(),
            function: function.name.clone(),
            target: closure.target,
            is_template: function.is_template,
        }
    }

    /// About a unit.
    pub fn of_unit(unit: &Unit) -> Question {
        Question {
            language: unit.language,
            text: unit.closure.text.clone(),
            function: unit.name.clone(),
            target: unit.closure.target,
            is_template: unit.is_template,
        }
    }

    /// The input of the compiler when the text is compiled alone.
    pub(crate) fn compiled_text(&self) -> String {
        match self.language {
            Language::C => format!(
                "{}\n__typeof__({name}) *{KEEPER} = &{name};\n",
                self.text,
                name = self.function
            ),
            _ => self.marked_text(),
        }
    }

    /// A text of C++ with [`MARK`] at its function, if the function compiles to code.
    pub(crate) fn marked_text(&self) -> String {
        let mut text = self.text.clone();
        if let Some(place) = self.place_of_mark() {
            text.insert_str(place, MARK);
        }
        text
    }

    /// The byte of the text for a byte of the text with [`MARK`].
    pub(crate) fn without_mark(&self, byte: usize) -> usize {
        match self.place_of_mark() {
            Some(place) if byte >= place => byte.saturating_sub(MARK.len()).max(place),
            _ => byte,
        }
    }

    /// The position of [`MARK`].
    pub(crate) fn place_of_mark(&self) -> Option<usize> {
        if self.is_template || self.language == Language::C {
            return None;
        }
        mark::place(
            &self.text,
            self.target.start as usize,
            self.target.end as usize,
        )
    }
}
