//! A sentence about a function to words and to the signature that it asks for.
//!
//! Words are kept as they are. The signature is read from phrases: cues such as *takes*, *input*, *returns* decide
//! whether the words that follow are an input or an output, until a verb of doing or the end of the sentence. Words
//! of types between them become traits, number words before *inputs* a count.

use crate::signature::{Shape, Trait};
use crate::types::known;
use crate::vectors::asked;
use crate::words::{joined, value_of_number, words_of_character, words_of_name};

/// The words and the signature that a sentence asks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Question {
    /// Its words in lower case, in their order; numbers in decimal, characters in quotes.
    pub words: Vec<String>,
    /// The parts of names among its words: `find` and `key` of `findKey`.
    pub parts: Vec<String>,
    /// Traits of what goes in.
    pub inputs: Shape,
    /// Traits of what comes out.
    pub output: Shape,
    /// The number of inputs, if the sentence states it.
    pub count: Option<usize>,
    /// Traits that several inputs have, with how many.
    pub several: Vec<(usize, Trait)>,
    /// The operations on small arrays that it names.
    pub operations: Vec<crate::Concept>,
    /// The dimensions that it names, each with the sides that it may be on: `in`, `out`.
    pub sizes: Vec<(Vec<&'static str>, Vec<u32>)>,
}

/// The part of the signature that the words are about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    None,
    In,
    Out,
}

/// The effect of a word on the current role.
enum Cue {
    Takes,
    Input,
    Output,
    Denies,
    /// A verb of doing, or the end of a sentence.
    Ends,
    Other,
}

impl Cue {
    fn of(word: &str) -> Self {
        match word {
            "takes" | "take" | "accepts" | "accept" | "receives" | "receive" | "accepting"
            | "taking" | "given" | "expects" => Cue::Takes,
            "input" | "inputs" | "parameter" | "parameters" | "argument" | "arguments" => {
                Cue::Input
            }
            "returns" | "return" | "returned" | "returning" | "output" | "outputs" | "produces"
            | "yields" | "result" => Cue::Output,
            "no" | "not" => Cue::Denies,
            "." | "checks" | "check" | "iterates" | "computes" | "calculates" | "compares"
            | "determines" | "converts" | "copies" | "sets" | "if" | "when" | "performs"
            | "uses" | "by" | "then" | "processes" | "calls" | "allocates" | "writes" | "reads"
            | "prints" | "searches" | "where" | "whether" | "using" | "initializes"
            | "multiplies" | "adds" | "loops" => Cue::Ends,
            _ => Cue::Other,
        }
    }
}

/// A piece of a sentence.
#[derive(Debug, PartialEq)]
enum Piece {
    /// A word or identifier as written.
    Word(String),
    /// A single character in quotes.
    Character(char),
    /// The end of a sentence.
    Stop,
    /// A comma, a bracket.
    Pause,
    /// `*` or `&` behind a word.
    Mark(char),
}

impl Question {
    /// Reads a sentence or several.
    pub fn read(text: &str) -> Self {
        let pieces = pieces(&text.replace('×', "x"));
        let mut question = Question::default();
        question.take_words(&pieces);
        let mut phrases = Phrases::new(&mut question, &pieces);
        let mut sizes = crate::sizes::sizes(&phrases.words).into_iter().peekable();
        for at in 0..pieces.len() {
            phrases.word(at);
            if let Some((_, size)) = sizes.next_if(|(place, _)| *place == at) {
                let sides = match phrases.role {
                    Role::In => vec!["in"],
                    Role::Out => vec!["out"],
                    Role::None => vec!["in", "out"],
                };
                phrases.question.sizes.push((sides, size));
            }
        }
        question.operations = asked::operations(&question.words, !question.sizes.is_empty());
        question.sizes.sort_unstable();
        question.sizes.dedup();
        question.settle_nothing();
        question
    }

    fn take_words(&mut self, pieces: &[Piece]) {
        for piece in pieces {
            match piece {
                Piece::Word(word) => {
                    if let Some(number) = number_of(word) {
                        self.words.push(number);
                        continue;
                    }
                    // Identifiers are words too: `std::string`, `uint32_t`.
                    if word.contains(['_', ':', '.']) {
                        if let Some(known) = known(word.rsplit("::").next().unwrap_or(word)) {
                            self.words
                                .extend(known.words.split_ascii_whitespace().map(str::to_owned));
                            continue;
                        }
                        let words = &mut self.words;
                        words_of_name(word, |part| words.push(part.to_owned()));
                        words.extend(joined(word));
                        continue;
                    }
                    if joined(word).is_some() {
                        let parts = &mut self.parts;
                        words_of_name(word, |part| parts.push(part.to_owned()));
                    }
                    self.words.push(word.to_lowercase());
                }
                Piece::Character(c) => {
                    self.words.push(format!("'{c}'"));
                    self.words.extend(
                        words_of_character(*c)
                            .split_ascii_whitespace()
                            .take(1)
                            .map(str::to_owned),
                    );
                }
                _ => {}
            }
        }
    }

    /// Something is returned after all, or nothing is, and the rest was about something else.
    fn settle_nothing(&mut self) {
        if self.output.has(Trait::Void) && self.output != Shape::of(&[Trait::Void]) {
            self.output.remove(Trait::Void);
            if self.output.has(Trait::Pointer) {
                self.output.add(Trait::VoidPointer);
            }
        }
    }
}

/// A sentence while its signature is read.
struct Phrases<'q> {
    question: &'q mut Question,
    /// The words in small letters, and as written.
    words: Vec<String>,
    written: Vec<&'q str>,
    role: Role,
    /// A number word that waits for what it counts.
    pending: Option<usize>,
    /// The last number word, and its position.
    counted: Option<(usize, usize)>,
    /// The position of a denial.
    denied: Option<usize>,
}

impl<'q> Phrases<'q> {
    fn new(question: &'q mut Question, pieces: &'q [Piece]) -> Self {
        let written = pieces.iter().map(|piece| match piece {
            Piece::Word(word) => word.as_str(),
            _ => "",
        });
        let words = pieces.iter().map(|piece| match piece {
            Piece::Word(word) => word.to_lowercase(),
            Piece::Stop => ".".to_owned(),
            Piece::Pause => ",".to_owned(),
            Piece::Mark(mark) => mark.to_string(),
            Piece::Character(_) => "'".to_owned(),
        });
        Phrases {
            question,
            words: words.collect(),
            written: written.collect(),
            role: Role::None,
            pending: None,
            counted: None,
            denied: None,
        }
    }

    fn at(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    fn word(&mut self, at: usize) {
        match Cue::of(self.at(at)) {
            Cue::Takes => self.role = Role::In,
            Cue::Input => self.input(at),
            Cue::Output => self.output(at),
            Cue::Denies => self.denial(at),
            Cue::Ends => {
                self.role = Role::None;
                self.pending = None;
                self.denied = None;
            }
            Cue::Other => self.described(at),
        }
    }

    fn input(&mut self, at: usize) {
        if self.at(at) == "input"
            && matches!(self.at(at + 1), "stream" | "file" | "buffer")
            && self.role != Role::None
        {
            return;
        }
        // `two constant pointer inputs`
        if let Some((count, place)) = self.counted.take()
            && at - place <= 4
        {
            self.question.count = self.question.count.or(Some(count));
        }
        let before = self.words.get(at.saturating_sub(4)..at).unwrap_or_default();
        let has = |any: &[&str]| before.iter().any(|it| any.contains(&it.as_str()));
        let is_denied = has(&["no", "not", "without"])
            && has(&[
                "takes", "take", "accepts", "accept", "receives", "receive", "has", "have", "with",
                "without", "requires", "require", "any",
            ]);
        if is_denied {
            self.question.count = self.question.count.or(Some(0));
        }
        self.denied = None;
        self.role = Role::In;
    }

    fn output(&mut self, at: usize) {
        let next = self.at(at + 1);
        if self.at(at) == "output"
            && matches!(
                next,
                "stream" | "buffer" | "parameter" | "file" | "array" | "pointer" | "parameters"
            )
        {
            return;
        }
        let is_denied = self.denied.is_some_and(|place| at - place <= 4);
        if is_denied || matches!(next, "nothing" | "void") {
            self.question.output.add(Trait::Void);
        }
        self.denied = None;
        self.pending = None;
        self.role = Role::Out;
    }

    fn denial(&mut self, at: usize) {
        if self.role == Role::Out
            && self.at(at) == "no"
            && matches!(
                self.at(at + 1),
                "value" | "values" | "output" | "result" | "return"
            )
        {
            self.question.output.add(Trait::Void);
        }
        self.denied = Some(at);
    }

    /// A number word, or a word that may add a trait to a type.
    fn described(&mut self, at: usize) {
        let word = self.at(at);
        if let Some(count) = count_of(word) {
            self.pending = Some(count);
            self.counted = Some((count, at));
            return;
        }
        let written = self.written.get(at).copied().unwrap_or_default();
        let found = match self.role {
            Role::None => Shape::default(),
            _ => traits_of(word, written, at, &self.words),
        };
        // A count goes on to the next word of a type.
        let goes_on = matches!(
            word,
            "unsigned" | "signed" | "constant" | "const" | "32-bit" | "64-bit" | "16-bit" | "8-bit"
        );
        if word == "," {
            self.denied = None;
        }
        if found.is_empty() {
            return;
        }
        if self.role == Role::Out {
            self.question.output = self.question.output.or(found);
            return;
        }
        self.question.inputs = self.question.inputs.or(found);
        if let Some(count) = self.pending.filter(|count| *count > 1) {
            let several = found.traits().map(|one| (count, one));
            self.question.several.extend(several);
        }
        self.pending = self.pending.filter(|_| goes_on);
    }
}

fn count_of(word: &str) -> Option<usize> {
    Some(match word {
        "single" | "sole" | "one" | "only" => 1,
        "two" => 2,
        "three" => 3,
        "four" => 4,
        "five" => 5,
        "six" => 6,
        "seven" => 7,
        "eight" => 8,
        _ => return None,
    })
}

/// A number in decimal, from digits or a word.
fn number_of(word: &str) -> Option<String> {
    if word.starts_with(|c: char| c.is_ascii_digit()) || (word.len() > 1 && word.starts_with('-')) {
        let (sign, digits) = word
            .strip_prefix('-')
            .map_or(("", word), |rest| ("-", rest));
        return value_of_number(digits).map(|value| format!("{sign}{value}"));
    }
    None
}

/// The traits that a word of a sentence adds to the type in question.
fn traits_of(word: &str, written: &str, at: usize, words: &[String]) -> Shape {
    let next = words.get(at + 1).map_or("", String::as_str);
    let last = written.rsplit("::").next().unwrap_or(written);
    let one = |traits: &[Trait]| Shape::of(traits);
    match word {
        "integer" | "integers" | "int" | "ints" | "integral" => one(&[Trait::Int]),
        "unsigned" => one(&[Trait::Int, Trait::Unsigned]),
        "boolean" | "bool" | "booleans" | "true" | "false" => one(&[Trait::Bool]),
        "string" | "strings" => one(&[Trait::Text]),
        "std::string" | "std::string_view" | "std::wstring" => {
            one(&[Trait::Text, Trait::StringClass])
        }
        "character" | "characters" | "char" | "chars" => {
            let behind = words.get(at.saturating_sub(5)..at).unwrap_or_default();
            let mut shape = one(&[Trait::Char]);
            let is_pointed = behind
                .iter()
                .any(|it| it == "pointer" || it == "pointers" || it == "array")
                || matches!(
                    next,
                    "*" | "pointer" | "string" | "array" | "pointers" | "strings"
                );
            if is_pointed {
                shape.add(Trait::Text);
                shape.add(Trait::Pointer);
            }
            shape
        }
        "wide" => one(&[Trait::Wide]),
        "float" | "floats" | "single-precision" | "floating-point" | "floating" => {
            one(&[Trait::Float])
        }
        "double" | "doubles" | "double-precision" => one(&[Trait::Double]),
        "pointer" | "pointers" => {
            let mut shape = one(&[Trait::Pointer]);
            let rest = words.get(at + 1..at + 4).unwrap_or_default();
            if matches!(rest, [to, a, pointer] if to == "to" && (a == "a" || a == "another") && pointer == "pointer")
            {
                shape.add(Trait::PointerToPointer);
            }
            shape
        }
        "*" => one(&[Trait::Pointer]),
        "array" | "arrays" => one(&[Trait::Array, Trait::Pointer]),
        "buffer" | "buffers" => one(&[Trait::Pointer, Trait::Array]),
        "reference" | "references" | "&" => one(&[Trait::Reference]),
        "constant" | "const" => one(&[Trait::Constant]),
        "structure" | "struct" | "object" | "structures" | "instance" => one(&[Trait::Structure]),
        "vector" | "vectors" | "std::vector" => one(&[Trait::Vector]),
        "map" | "dictionary" => one(&[Trait::Map]),
        "list" => one(&[Trait::List]),
        "pair" | "tuple" => one(&[Trait::Pair]),
        "iterator" | "iterators" => one(&[Trait::Iterator]),
        "stream" | "streams" => one(&[Trait::Stream]),
        "file*" => one(&[Trait::Stream, Trait::Pointer]),
        "size" | "size_t" => one(&[Trait::Size]),
        "byte" | "bytes" | "8-bit" => one(&[Trait::Byte]),
        "16-bit" | "short" => one(&[Trait::Bits16]),
        "32-bit" => one(&[Trait::Bits32]),
        "64-bit" | "long" => one(&[Trait::Bits64]),
        "void" if next != "pointer" && next != "*" => one(&[Trait::Void]),
        "void" => one(&[Trait::VoidPointer, Trait::Pointer]),
        "generic" | "untyped" => one(&[Trait::VoidPointer]),
        "callback" | "comparator" | "predicate" | "functor" => one(&[Trait::Callable]),
        "complex" => one(&[Trait::Complex]),
        "enumeration" | "enum" | "enumerated" => one(&[Trait::Enumeration]),
        _ if last.contains('_') || word.contains("::") || last.chars().any(char::is_uppercase) => {
            known(last).map_or(Shape::default(), |it| it.shape)
        }
        _ => Shape::default(),
    }
}

fn pieces(text: &str) -> Vec<Piece> {
    let text = Characters(text.chars().collect());
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < text.0.len() {
        let c = text.get(at);
        if let Some((literal, behind)) = text.quoted(at) {
            pieces.extend(crate::words::first_character(&literal).map(Piece::Character));
            at = behind;
            continue;
        }
        let before = text.before(at);
        let is_sign = c == '-' && text.get(at + 1).is_ascii_digit() && !before.is_alphanumeric();
        if c.is_alphanumeric() || c == '_' || is_sign {
            let start = at;
            at = text.end_of_word(at);
            let word: String = text.0.get(start..at).unwrap_or_default().iter().collect();
            add_word(&mut pieces, word, is_sign);
            continue;
        }
        match c {
            '.' | ';' | '!' | '?' => pieces.push(Piece::Stop),
            ',' | '(' | ')' | '—' | ':' => pieces.push(Piece::Pause),
            '*' | '&' if before.is_alphanumeric() || before == ' ' => pieces.push(Piece::Mark(c)),
            _ => {}
        }
        at += 1;
    }
    pieces
}

/// A text by its characters; around it are blanks.
struct Characters(Vec<char>);

impl Characters {
    fn get(&self, at: usize) -> char {
        self.0.get(at).copied().unwrap_or(' ')
    }

    fn before(&self, at: usize) -> char {
        self.get(at.wrapping_sub(1))
    }

    /// A character in quotes, and where it ends: 'n', "n", `n`, '\n', "\\".
    fn quoted(&self, at: usize) -> Option<(String, usize)> {
        let closes = |at: usize| matches!(self.get(at), '\'' | '"' | '`' | '’' | '”');
        let opens = matches!(self.get(at), '\'' | '"' | '`' | '‘' | '“');
        if !opens || self.before(at).is_alphanumeric() {
            return None;
        }
        let is_escape = self.get(at + 1) == '\\';
        if !is_escape && closes(at + 2) && !self.get(at + 3).is_alphanumeric() {
            return Some((self.get(at + 1).to_string(), at + 3));
        }
        let literal = [self.get(at + 1), self.get(at + 2)];
        (is_escape && closes(at + 3)).then(|| (literal.iter().collect(), at + 4))
    }

    /// The end of the word that begins here: `std::string`, `2.5` and `8-bit` are one word.
    fn end_of_word(&self, start: usize) -> usize {
        let joins = |at: &usize| {
            let (before, c, next) = (self.before(*at), self.get(*at), self.get(at + 1));
            match c {
                ':' => {
                    (next == ':' && self.get(at + 2).is_alphanumeric())
                        || (before == ':' && next.is_alphanumeric())
                }
                '.' => before.is_ascii_digit() && next.is_ascii_digit(),
                '-' => before.is_alphanumeric() && next.is_alphabetic(),
                _ => c.is_alphanumeric() || c == '_',
            }
        };
        let end = self.0.len();
        (start + 1..end).find(|at| !joins(at)).unwrap_or(end)
    }
}

/// `8-bit` and `double-precision` are words of types; other hyphens part words.
fn add_word(pieces: &mut Vec<Piece>, word: String, is_sign: bool) {
    if !word.contains('-') {
        pieces.push(Piece::Word(word));
        return;
    }
    let lower = word.to_lowercase();
    let is_whole = lower.ends_with("-bit")
        || lower.ends_with("-precision")
        || lower == "floating-point"
        || is_sign;
    let whole = if is_whole { &lower } else { &word };
    if is_whole {
        pieces.push(Piece::Word(lower.clone()));
    }
    let parts = whole.split('-').filter(|part| !part.is_empty());
    let parts = parts.filter(|_| !(is_whole && is_sign));
    pieces.extend(parts.map(|part| Piece::Word(part.to_owned())));
}
