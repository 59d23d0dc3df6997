//! The code that the parser should not see, at one identifier.
//!
//! Hidden are macros that stand for only attributes and storage classes (`SQLITE_API`, `FORCE_INLINE`), the frame of
//! identity macros (`API(int) f();`), and at file scope calls that expand to whole declarations; inside of types,
//! macros that stand for members or enumerators. They stay in the text that is emitted later, and their expansions
//! are noted, because these declare names.

use std::collections::BTreeSet;
use std::sync::Arc;

use barecode_languages::lex::TokenKind;
use barecode_records::Language;

use super::stretch::Stretch;
use super::{DeclarationMacro, Enumeration, Expansion, MAX_BOMBS, MAX_DEPTH, Mark, Walk};
use crate::preprocess::macros::{Macro, Word, arguments, join};

impl Walk<'_> {
    /// Hides the code that the parser should not see at this identifier; `None` if it should see it.
    pub(super) fn hide(&mut self, stretch: Stretch<'_>, at: usize) -> Option<usize> {
        let name = stretch.shown(at);
        if takes_attribute_arguments(name) && stretch.next_is(at, "(") {
            let close = stretch.closing(at + 1)?;
            let words = stretch.words(at..=close);
            self.note_forced_inline(stretch.reading, stretch.start(at), &words);
            self.conceal(stretch, at, close);
            return Some(close + 1);
        }
        if name == "__extension__" {
            self.conceal(stretch, at, at);
            return Some(at + 1);
        }
        let definition = self.macros.get(name)?.clone();
        if let Some(last) = self.enumeration_base(stretch, at, &definition) {
            // `enum type LIB_UNDERLYING(unsigned char) {`: with a call in its head it reads as a function.
            self.conceal(stretch, at, last);
            return Some(last + 1);
        }
        match &definition.parameters {
            None => self.hide_object(stretch, at, &definition),
            Some(parameters) => {
                if self.braces == 1
                    && self.enumeration == Enumeration::Inside
                    && stretch.next_is(at, "(")
                {
                    return self.hide_enumerators(stretch, at);
                }
                if !stretch.next_is(at, "(") {
                    return None;
                }
                if self.hides_template_parameter(stretch, at) {
                    // `template <class T, LIB_ENABLE_IF(…)>`: the name alone reads as a parameter.
                    let close = stretch.closing(at + 1)?;
                    self.conceal(stretch, at + 1, close);
                    return Some(close + 1);
                }
                if self.braces > 0 {
                    return self.hide_inner_call(stretch, at);
                }
                let close = stretch.closing(at + 1)?;
                self.hide_call(stretch, at..close, &definition, parameters)
            }
        }
    }

    fn hide_object(
        &mut self,
        stretch: Stretch<'_>,
        at: usize,
        definition: &Macro,
    ) -> Option<usize> {
        if self.is_attributes(&definition.body) {
            self.note_forced_inline(stretch.reading, stretch.start(at), &definition.body);
            self.conceal(stretch, at, at);
            return Some(at + 1);
        }
        let word = stretch.words(at..=at);
        if self.after_declaration && self.at_file_scope() {
            let expansion = self.expansion(&word)?;
            return self.hide_declaration(stretch, at..at, expansion);
        }
        // Inside of braces a whole member or statement (`COMMON_FIELDS` in a type) would make the parser read the
        // following code as part of it.
        if !self.begins(stretch, at) || self.braces == 0 || self.parentheses > 0 {
            return None;
        }
        let (expansion, joined) = self.expansion(&word)?;
        if !expansion.last().is_some_and(ends_construct) {
            return None;
        }
        let expansion = format!("struct barecode_inner {{ {} }};", join(&expansion));
        self.hide_inner(stretch, (at, at), expansion, joined);
        Some(at + 1)
    }

    /// Hides the tokens from `first` to `last`.
    fn conceal(&mut self, stretch: Stretch<'_>, first: usize, last: usize) {
        let bytes = stretch.start(first)..stretch.end(last);
        self.mark(stretch.reading, bytes, Mark::Hidden);
    }

    /// Returns `true` if a member or a statement can begin at this token.
    fn begins(&self, stretch: Stretch<'_>, at: usize) -> bool {
        at.checked_sub(1).is_none_or(|before| {
            let marks = &self.unit.readings[stretch.reading].marks;
            let label = self.in_class() && stretch.shown(before) == ":";
            marks[stretch.start(before)] == Mark::Hidden
                || label
                || matches!(stretch.shown(before), "{" | "}" | ";")
        })
    }

    /// The expansion of a call; `None` for a bomb, and for all calls after too many bombs.
    pub(super) fn expansion(&mut self, words: &[Word]) -> Option<Expansion> {
        if self.bombs >= MAX_BOMBS {
            return None;
        }
        let expansion = self.macros.expand_noting(words);
        self.bombs += usize::from(expansion.is_none());
        expansion
    }

    /// Hides the tokens from `first` to `last`, which stand for members or enumerators.
    fn hide_inner(
        &mut self,
        stretch: Stretch<'_>,
        (first, last): (usize, usize),
        expansion: String,
        joined: BTreeSet<Arc<str>>,
    ) {
        self.conceal(stretch, first, last);
        let inner_macros = &mut self.unit.readings[stretch.reading].inner_macros;
        inner_macros.push(DeclarationMacro {
            start: stretch.start(first),
            end: stretch.end(last),
            expansion,
            joined,
        });
    }

    fn hide_call(
        &mut self,
        stretch: Stretch<'_>,
        call: std::ops::Range<usize>,
        definition: &Macro,
        parameters: &[Arc<str>],
    ) -> Option<usize> {
        let (start, close) = (call.start, call.end);
        let words = stretch.words(start..=close);
        if let [parameter] = parameters
            && self.calls < MAX_DEPTH
            && let Some(place) = definition
                .body
                .iter()
                .position(|word| word.text == *parameter)
            && self.is_attributes(&definition.body[..place])
            && self.is_attributes(&definition.body[place + 1..])
        {
            self.conceal(stretch, start, start + 1);
            self.conceal(stretch, close, close);
            // The argument is looked at as any text; its closing parenthesis must not count.
            self.calls += 1;
            let mut at = start + 2;
            while at < close {
                at = self.token(stretch, at);
            }
            self.calls -= 1;
            return Some(close + 1);
        }
        let (expansion, joined) = self.expansion(&words)?;
        if self.is_attributes(&expansion) {
            // On a line by itself a call that leaves nothing is separate from the following code.
            let declares_nothing = expansion.is_empty()
                && self.after_declaration
                && self.at_file_scope()
                && !stretch.leads(close);
            if !declares_nothing {
                self.note_forced_inline(stretch.reading, stretch.start(start), &expansion);
                self.conceal(stretch, start, close);
                return Some(close + 1);
            }
        }
        if self.after_declaration && self.at_file_scope() {
            return self.hide_declaration(stretch, call, (expansion, joined));
        }
        None
    }

    /// A call in a class that stands for members: `LIB_NO_COPY(Node);`. In any braces one that stands for attributes, or
    /// for nothing, before a name.
    fn hide_inner_call(&mut self, stretch: Stretch<'_>, at: usize) -> Option<usize> {
        let close = stretch.closing(at + 1)?;
        let in_class = self.in_class();
        if !in_class && (self.parentheses > 0 || !stretch.is_name(close + 1)) {
            return None;
        }
        let words = stretch.words(at..=close);
        let (expansion, joined) = self.expansion(&words)?;
        if self.is_attributes(&expansion) {
            self.note_forced_inline(stretch.reading, stretch.start(at), &expansion);
            self.conceal(stretch, at, close);
            return Some(close + 1);
        }
        if !in_class {
            return None;
        }
        let semicolon = stretch.next_is(close, ";");
        let ended = expansion.last().is_some_and(ends_construct);
        if !(self.begins(stretch, at) && (ended || semicolon)) {
            return None;
        }
        let last = close + usize::from(semicolon);
        let expansion = format!("struct barecode_inner {{ {}; }};", join(&expansion));
        self.hide_inner(stretch, (at, last), expansion, joined);
        Some(last + 1)
    }

    /// The last token of a macro that is between the name of an enumeration and its brace, and represents its type.
    fn enumeration_base(
        &mut self,
        stretch: Stretch<'_>,
        at: usize,
        definition: &Macro,
    ) -> Option<usize> {
        let before = |back: usize| Some(stretch.shown(at.checked_sub(back)?));
        if !matches!(before(2)?, "enum" | "class" | "struct")
            || (before(2)? != "enum" && before(3)? != "enum")
        {
            return None;
        }
        let last = match &definition.parameters {
            None => at,
            Some(_) if stretch.next_is(at, "(") => stretch.closing(at + 1)?,
            Some(_) => return None,
        };
        if !stretch.next_is(last, "{") {
            return None;
        }
        let (expansion, _) = self.expansion(&stretch.words(at..=last))?;
        let is_base = expansion.first().is_none_or(|first| &*first.text == ":");
        is_base.then_some(last)
    }

    /// Returns `true` if a call is among the parameters of a template, outside of functions.
    fn hides_template_parameter(&self, stretch: Stretch<'_>, at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| stretch.shown(before));
        self.unit.language == Language::CPP
            && self.body.is_none()
            && self.parentheses == 0
            && matches!(before, Some("<" | ","))
    }

    /// Returns `true` if the innermost brace that is open is a class's.
    fn in_class(&self) -> bool {
        self.parentheses == 0 && self.classes.last() == Some(&self.braces)
    }

    /// A list of enumerators that a macro makes: `enum { ERRORS(AS_ENUMERATOR) };`.
    fn hide_enumerators(&mut self, stretch: Stretch<'_>, at: usize) -> Option<usize> {
        // In `FIRST = VALUE(3)` the call is a value, and stays.
        if at > 0 && !matches!(stretch.shown(at - 1), "{" | "," | ")") {
            return None;
        }
        let close = stretch.closing(at + 1)?;
        let words = stretch.words(at..=close);
        let (expansion, joined) = self.expansion(&words)?;
        let expansion = format!("enum {{ {} }};", join(&expansion));
        self.hide_inner(stretch, (at, close), expansion, joined);
        Some(close + 1)
    }

    fn hide_declaration(
        &mut self,
        stretch: Stretch<'_>,
        call: std::ops::Range<usize>,
        (expansion, joined): Expansion,
    ) -> Option<usize> {
        let semicolon = stretch.next_is(call.end, ";");
        let ended = expansion.last().is_none_or(ends_construct);
        if !(ended || semicolon) {
            return None;
        }
        let last = call.end + usize::from(semicolon);
        let mut expansion = join(&expansion);
        if semicolon {
            expansion.push(';');
        }
        self.conceal(stretch, call.start, last);
        let declaration_macros = &mut self.unit.readings[stretch.reading].declaration_macros;
        declaration_macros.push(DeclarationMacro {
            start: stretch.start(call.start),
            end: stretch.end(last),
            expansion,
            joined,
        });
        self.after_declaration = true;
        Some(last + 1)
    }

    fn note_forced_inline(&mut self, reading: usize, byte: usize, words: &[Word]) {
        let forced = |words: &[Word]| {
            words.iter().any(|word| {
                matches!(
                    &*word.text,
                    "always_inline"
                        | "__always_inline__"
                        | "__forceinline"
                        | "constexpr"
                        | "consteval"
                )
            })
        };
        if forced(words)
            || self
                .macros
                .expand(words)
                .is_some_and(|words| forced(&words))
        {
            self.unit.readings[reading].forced_inline.push(byte);
        }
    }

    /// Returns `true` if words are only attributes, storage classes and qualifiers.
    fn is_attributes(&self, words: &[Word]) -> bool {
        // Macros of macros of macros can contain too many words for the available time.
        let mut budget = 2_000;
        self.are_attributes(words, 0, &mut budget)
    }

    fn are_attributes(&self, words: &[Word], depth: usize, budget: &mut usize) -> bool {
        if depth > 20 {
            return false;
        }
        let mut at = 0;
        while at < words.len() {
            *budget = budget.saturating_sub(1);
            if *budget == 0 {
                return false;
            }
            let name = &*words[at].text;
            if name == "[" && words.get(at + 1).is_some_and(|next| &*next.text == "[") {
                // `[[nodiscard]]`, `[[deprecated("…")]]`
                let rest = &words[at + 2..];
                let close = rest
                    .windows(2)
                    .position(|two| &*two[0].text == "]" && &*two[1].text == "]");
                match close {
                    Some(close) => at += close + 4,
                    None => return false,
                }
            } else if takes_attribute_arguments(name)
                || (name == "noexcept" || name == "throw")
                    && words.get(at + 1).is_some_and(|next| &*next.text == "(")
            {
                match arguments(words, at + 1) {
                    Some((_, after)) => at = after,
                    None => return false,
                }
            } else if name == "extern"
                && words
                    .get(at + 1)
                    .is_some_and(|next| next.kind == TokenKind::String)
            {
                at += 2;
            } else if is_attribute_word(name) {
                at += 1;
            } else if let Some(definition) = self.macros.get(name)
                && words[at].kind == TokenKind::Identifier
                && self.are_attributes(&definition.body, depth + 1, budget)
            {
                at += 1;
                if definition.parameters.is_some() {
                    match arguments(words, at) {
                        Some((_, after)) => at = after,
                        None => return false,
                    }
                }
            } else {
                return false;
            }
        }
        true
    }
}

/// Returns `true` if a declaration or a statement ends with this word.
fn ends_construct(last: &Word) -> bool {
    matches!(&*last.text, ";" | "}")
}

fn takes_attribute_arguments(name: &str) -> bool {
    matches!(
        name,
        "__attribute__" | "__attribute" | "__declspec" | "alignas" | "_Pragma" | "__pragma"
    )
}

fn is_attribute_word(name: &str) -> bool {
    matches!(
        name,
        "static"
            | "inline"
            | "extern"
            | "register"
            | "const"
            | "volatile"
            | "restrict"
            | "__inline"
            | "__inline__"
            | "__forceinline"
            | "__restrict"
            | "__restrict__"
            | "__const"
            | "__volatile__"
            | "_Noreturn"
            | "__extension__"
            | "__cdecl"
            | "__stdcall"
            | "__fastcall"
            | "__thread"
            | "_Thread_local"
            | "thread_local"
            | "constexpr"
            | "consteval"
            | "constinit"
            | "explicit"
            | "virtual"
            | "noexcept"
            | "override"
            | "final"
    )
}
