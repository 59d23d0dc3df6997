//! What the parser should not see, at one identifier.
//!
//! Hidden are macros that stand for nothing but attributes and storage classes (`SQLITE_API`, `FORCE_INLINE`), the
//! frame of identity macros (`API(int) f();`), and at file scope calls that expand to whole declarations; inside of
//! types, macros that stand for members or enumerators. They stay in the text that is emitted later, and what they
//! expand to is noted, because it declares names.

use std::collections::BTreeSet;
use std::sync::Arc;

use barecode_languages::lex::{Token, TokenKind};
use barecode_records::Language;

use super::{DeclarationMacro, Enumeration, Expansion, MAX_BOMBS, MAX_DEPTH, Mark, Walk};
use crate::preprocess::macros::{Macro, Word, arguments, join};

impl Walk<'_> {
    /// Hides what the parser should not see at this identifier; `None` when it should see it.
    pub(super) fn hide(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<usize> {
        let token = tokens[at];
        let name = token.text(text);
        if takes_attribute_arguments(name) && next_is(tokens, at, text, "(") {
            let close = closing(tokens, at + 1, text)?;
            let words = Word::of(&tokens[at..=close], text);
            self.note_forced_inline(reading, token.start, &words);
            self.mark(reading, token.start..tokens[close].end, Mark::Hidden);
            return Some(close + 1);
        }
        if name == "__extension__" {
            self.mark(reading, token.start..token.end, Mark::Hidden);
            return Some(at + 1);
        }
        let definition = self.macros.get(name)?.clone();
        if let Some(last) = self.enumeration_base(text, tokens, at, &definition) {
            // `enum type LIB_UNDERLYING(unsigned char) {`: with a call in its head it reads as a function.
            self.mark(reading, token.start..tokens[last].end, Mark::Hidden);
            return Some(last + 1);
        }
        match &definition.parameters {
            None => self.hide_object(reading, token, &definition, at, tokens, text),
            Some(parameters) => {
                if self.braces == 1
                    && self.enumeration == Enumeration::Inside
                    && next_is(tokens, at, text, "(")
                {
                    return self.hide_enumerators(reading, text, tokens, at);
                }
                if !next_is(tokens, at, text, "(") {
                    return None;
                }
                if self.hides_template_parameter(text, tokens, at) {
                    // `template <class T, LIB_ENABLE_IF(…)>`: the name alone reads as a parameter.
                    let close = closing(tokens, at + 1, text)?;
                    let call = tokens[at + 1].start..tokens[close].end;
                    self.mark(reading, call, Mark::Hidden);
                    return Some(close + 1);
                }
                if self.braces > 0 {
                    return self.hide_member_call(reading, text, tokens, at);
                }
                let close = closing(tokens, at + 1, text)?;
                self.hide_call(reading, text, tokens, at..close, &definition, parameters)
            }
        }
    }

    fn hide_object(
        &mut self,
        reading: usize,
        token: Token,
        definition: &Macro,
        at: usize,
        tokens: &[Token],
        text: &str,
    ) -> Option<usize> {
        if self.is_attributes(&definition.body) {
            self.note_forced_inline(reading, token.start, &definition.body);
            self.mark(reading, token.start..token.end, Mark::Hidden);
            return Some(at + 1);
        }
        let word = Word::of(&[token], text);
        if self.after_declaration && self.at_file_scope() {
            let expansion = self.expansion(&word)?;
            return self.hide_declaration(reading, text, tokens, at..at, expansion);
        }
        // Inside of braces a whole member or statement (`COMMON_FIELDS` in a type) would make the parser read
        // what follows as part of it.
        let begins = at.checked_sub(1).is_none_or(|before| {
            let hidden = self.unit.readings[reading].marks[tokens[before].start] == Mark::Hidden;
            let label = self.in_class() && tokens[before].text(text) == ":";
            hidden || label || matches!(tokens[before].text(text), "{" | "}" | ";")
        });
        if !begins || self.braces == 0 || self.parentheses > 0 {
            return None;
        }
        let (expansion, joined) = self.expansion(&word)?;
        let ends_construct = |last: &Word| matches!(&*last.text, ";" | "}");
        if !expansion.last().is_some_and(ends_construct) {
            return None;
        }
        self.hide_inner(
            reading,
            token,
            token.end,
            format!("struct barecode_inner {{ {} }};", join(&expansion)),
            joined,
        );
        Some(at + 1)
    }

    /// What a call expands to; `None` for a bomb, and for all calls once there were too many.
    pub(super) fn expansion(&mut self, words: &[Word]) -> Option<Expansion> {
        if self.bombs >= MAX_BOMBS {
            return None;
        }
        let expansion = self.macros.expand_noting(words);
        self.bombs += usize::from(expansion.is_none());
        expansion
    }

    fn hide_inner(
        &mut self,
        reading: usize,
        token: Token,
        end: usize,
        expansion: String,
        joined: BTreeSet<Arc<str>>,
    ) {
        let start = token.start;
        self.mark(reading, start..end, Mark::Hidden);
        self.unit.readings[reading]
            .inner_macros
            .push(DeclarationMacro {
                start,
                end,
                expansion,
                joined,
            });
    }

    fn hide_call(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        call: std::ops::Range<usize>,
        definition: &Macro,
        parameters: &[Arc<str>],
    ) -> Option<usize> {
        let (start, close) = (call.start, call.end);
        let words = Word::of(&tokens[start..=close], text);
        if let [parameter] = parameters
            && self.calls < MAX_DEPTH
            && let Some(place) = definition
                .body
                .iter()
                .position(|word| word.text == *parameter)
            && self.is_attributes(&definition.body[..place])
            && self.is_attributes(&definition.body[place + 1..])
        {
            self.mark(
                reading,
                tokens[start].start..tokens[start + 1].end,
                Mark::Hidden,
            );
            self.mark(
                reading,
                tokens[close].start..tokens[close].end,
                Mark::Hidden,
            );
            // The argument is looked at as any text; its closing parenthesis must not count.
            self.calls += 1;
            let mut at = start + 2;
            while at < close {
                at = self.token(reading, text, tokens, at);
            }
            self.calls -= 1;
            return Some(close + 1);
        }
        let (expansion, joined) = self.expansion(&words)?;
        if self.is_attributes(&expansion) {
            let declares_nothing =
                expansion.is_empty() && self.after_declaration && self.at_file_scope();
            if !declares_nothing {
                self.note_forced_inline(reading, tokens[start].start, &expansion);
                self.mark(
                    reading,
                    tokens[start].start..tokens[close].end,
                    Mark::Hidden,
                );
                return Some(close + 1);
            }
        }
        if self.after_declaration && self.at_file_scope() {
            return self.hide_declaration(reading, text, tokens, call, (expansion, joined));
        }
        None
    }

    /// A call in a class that stands for members: `LIB_NO_COPY(Node);`.
    fn hide_member_call(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<usize> {
        if !self.in_class() {
            return None;
        }
        let close = closing(tokens, at + 1, text)?;
        let words = Word::of(&tokens[at..=close], text);
        let (expansion, joined) = self.expansion(&words)?;
        if self.is_attributes(&expansion) {
            self.note_forced_inline(reading, tokens[at].start, &expansion);
            self.mark(reading, tokens[at].start..tokens[close].end, Mark::Hidden);
            return Some(close + 1);
        }
        let begins = at.checked_sub(1).is_none_or(|before| {
            let hidden = self.unit.readings[reading].marks[tokens[before].start] == Mark::Hidden;
            hidden || matches!(tokens[before].text(text), "{" | "}" | ";" | ":")
        });
        let semicolon = next_is(tokens, close, text, ";");
        let ended = expansion
            .last()
            .is_some_and(|last| matches!(&*last.text, ";" | "}"));
        if !(begins && (ended || semicolon)) {
            return None;
        }
        let last = close + usize::from(semicolon);
        let expansion = format!("struct barecode_inner {{ {}; }};", join(&expansion));
        self.hide_inner(reading, tokens[at], tokens[last].end, expansion, joined);
        Some(last + 1)
    }

    /// The last token of a macro that stands between the name of an enumeration and its brace, and for its type.
    fn enumeration_base(
        &mut self,
        text: &str,
        tokens: &[Token],
        at: usize,
        definition: &Macro,
    ) -> Option<usize> {
        let before = |back: usize| Some(tokens[at.checked_sub(back)?].text(text));
        if !matches!(before(2)?, "enum" | "class" | "struct")
            || (before(2)? != "enum" && before(3)? != "enum")
        {
            return None;
        }
        let last = match &definition.parameters {
            None => at,
            Some(_) if next_is(tokens, at, text, "(") => closing(tokens, at + 1, text)?,
            Some(_) => return None,
        };
        if !next_is(tokens, last, text, "{") {
            return None;
        }
        let (expansion, _) = self.expansion(&Word::of(&tokens[at..=last], text))?;
        let is_base = expansion.first().is_none_or(|first| &*first.text == ":");
        is_base.then_some(last)
    }

    /// Whether a call stands among the parameters of a template, outside of functions.
    fn hides_template_parameter(&self, text: &str, tokens: &[Token], at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| tokens[before].text(text));
        self.unit.language == Language::CPP
            && self.body.is_none()
            && self.parentheses == 0
            && matches!(before, Some("<" | ","))
    }

    /// Whether the innermost brace that is open is a class's.
    fn in_class(&self) -> bool {
        self.parentheses == 0 && self.classes.last() == Some(&self.braces)
    }

    /// A list of enumerators that a macro makes: `enum { ERRORS(AS_ENUMERATOR) };`.
    fn hide_enumerators(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        at: usize,
    ) -> Option<usize> {
        // In `FIRST = VALUE(3)` the call is a value, and stays.
        if at > 0 && !matches!(tokens[at - 1].text(text), "{" | "," | ")") {
            return None;
        }
        let close = closing(tokens, at + 1, text)?;
        let words = Word::of(&tokens[at..=close], text);
        let (expansion, joined) = self.expansion(&words)?;
        let expansion = format!("enum {{ {} }};", join(&expansion));
        self.hide_inner(reading, tokens[at], tokens[close].end, expansion, joined);
        Some(close + 1)
    }

    fn hide_declaration(
        &mut self,
        reading: usize,
        text: &str,
        tokens: &[Token],
        call: std::ops::Range<usize>,
        (expansion, joined): Expansion,
    ) -> Option<usize> {
        let semicolon = next_is(tokens, call.end, text, ";");
        let ended = expansion
            .last()
            .is_none_or(|last| matches!(&*last.text, ";" | "}"));
        if !(ended || semicolon) {
            return None;
        }
        let last = call.end + usize::from(semicolon);
        let (start, end) = (tokens[call.start].start, tokens[last].end);
        let mut expansion = join(&expansion);
        if semicolon {
            expansion.push(';');
        }
        self.mark(reading, start..end, Mark::Hidden);
        self.unit.readings[reading]
            .declaration_macros
            .push(DeclarationMacro {
                start,
                end,
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

    /// Whether words are nothing but attributes, storage classes and qualifiers.
    fn is_attributes(&self, words: &[Word]) -> bool {
        // Macros of macros of macros can be more words than there is time for.
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

pub(super) fn next_is(tokens: &[Token], at: usize, text: &str, wanted: &str) -> bool {
    tokens
        .get(at + 1)
        .is_some_and(|next| next.text(text) == wanted)
}

pub(super) fn closing(tokens: &[Token], open: usize, text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match token.text(text) {
            "(" => depth += 1,
            ")" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
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
