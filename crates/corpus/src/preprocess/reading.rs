//! A translation unit after reading: its files, each byte marked, and the effects of their directives.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use barecode_records::Language;

use super::files::SourceText;
use super::macros::Macro;

/// The kind of a byte of a file in a translation unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Mark {
    /// Code that the parser sees.
    Code,
    /// Code that is hidden from the parser: attributes, declaration macros.
    Hidden,
    /// A comment.
    Comment,
    /// A definition, `#undef` or `#pragma` in force.
    Directive,
    /// An `#include` of a file of the source.
    Include,
    /// Switched off, or a directive that leaves nothing behind.
    Off,
    /// The opening or closing of a [`Scope`].
    Scope,
}

/// A namespace or a linkage block of C++ around a stretch of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The scope around it; the file scope, number 0, is its own.
    pub parent: usize,
    /// The code that opens it, in one form: `namespace a {`, `inline namespace v1 {`, `extern "C" {`. Empty for 0.
    pub opening: String,
    /// The namespaces from the outermost in, `a::v1`; unnamed ones are left out.
    pub path: String,
}

/// A call at file scope that stands for whole declarations.
#[derive(Debug, Clone)]
pub struct DeclarationMacro {
    /// First byte of the call.
    pub start: usize,
    /// One past its end, a semicolon included.
    pub end: usize,
    /// Its expansion.
    pub expansion: String,
    /// The names that `##` built on the way.
    pub joined: BTreeSet<Arc<str>>,
}

/// A file as it was read at one position of the translation unit.
#[derive(Debug)]
pub struct Reading {
    /// The file.
    pub file: Arc<SourceText>,
    /// A mark for each byte.
    pub marks: Vec<Mark>,
    /// The positions of stretches of the file in the whole: (first byte, position).
    pub(super) stretches: Vec<(usize, u64)>,
    /// Readings of files included here, by the start of the directive.
    pub included: BTreeMap<usize, usize>,
    /// Calls that stand for declarations.
    pub declaration_macros: Vec<DeclarationMacro>,
    /// Calls inside of braces that stand for enumerators or members; their expansions are in a type.
    pub inner_macros: Vec<DeclarationMacro>,
    /// The positions of attributes that force inlining.
    pub forced_inline: Vec<usize>,
    /// C++: the code between the braces of functions and initializers, at file scope and in classes.
    pub bodies: Vec<std::ops::Range<usize>>,
    /// The changes of scope: (first byte, number in [`TranslationUnit::scopes`]).
    pub(super) scopes: Vec<(usize, usize)>,
}

impl Reading {
    /// The position in the whole translation unit of a byte that is switched on.
    pub fn position(&self, byte: usize) -> u64 {
        let index = self.stretches.partition_point(|&(start, _)| start <= byte);
        match index.checked_sub(1).map(|index| self.stretches[index]) {
            Some((start, position)) => position + (byte - start) as u64,
            None => 0,
        }
    }

    /// The scope of a byte, as a number in [`TranslationUnit::scopes`].
    pub fn scope(&self, byte: usize) -> usize {
        let index = self.scopes.partition_point(|&(start, _)| start <= byte);
        index.checked_sub(1).map_or(0, |index| self.scopes[index].1)
    }

    /// The text with every byte blanked whose mark fails `wanted`; line breaks stay.
    pub fn masked(&self, wanted: impl Fn(Mark) -> bool) -> String {
        let masked = self
            .file
            .text
            .bytes()
            .zip(&self.marks)
            .map(|(byte, &mark)| match byte {
                b'\n' | b'\r' => byte,
                _ if wanted(mark) => byte,
                _ => b' ',
            });
        // Marks begin and end at token borders, so characters are blanked as a whole.
        String::from_utf8(masked.collect()).unwrap_or_default()
    }
}

/// A `#define` or `#undef` in force at some position.
#[derive(Debug)]
pub struct MacroEvent {
    /// The macro's name.
    pub name: Arc<str>,
    /// The reading that contains it.
    pub reading: usize,
    /// First byte of the directive.
    pub start: usize,
    /// One past its last byte.
    pub end: usize,
    /// Its position in the whole.
    pub position: u64,
    /// The definition; `None` for `#undef`.
    pub definition: Option<Arc<Macro>>,
}

/// A translation unit, read.
#[derive(Debug)]
pub struct TranslationUnit {
    /// The file it begins with.
    pub root: String,
    /// The language it is read as.
    pub language: Language,
    /// The scopes that are opened anywhere; number 0 is the file's.
    pub scopes: Vec<Scope>,
    /// Files in the order in which reading them began.
    pub readings: Vec<Reading>,
    /// Macro definitions of the source, in order.
    pub macro_events: Vec<MacroEvent>,
    /// Standard headers that are included, in order, each once.
    pub system_headers: Vec<String>,
    /// Headers that are included but are neither standard nor in the source.
    pub missing_headers: Vec<String>,
    /// Headers that were read from their templates: path and template, each once.
    pub assumed_headers: Vec<String>,
}
