//! Heads of functions: names, types, parameters.

use barecode_languages::lex::TokenKind;

use super::parse::Parser;
use super::tree::{Function, Parameter};
use crate::signature::{Shape, Trait};
use crate::types::{Type, is_specifier, is_type_word, known, shape_of};

impl<'a> Parser<'a> {
    /// Finds functions at the level of files, namespaces and classes.
    pub(super) fn functions(&mut self, functions: &mut Vec<Function<'a>>) {
        let mut start = self.at;
        let end = self.tokens.len();
        // True if declarations of parameters follow a head, in the style before 1989.
        let mut is_old = false;
        while self.at < end {
            match self.text(self.at) {
                ";" => {
                    self.at += 1;
                    if !is_old {
                        start = self.at;
                    }
                }
                "}" => {
                    self.at += 1;
                    start = self.at;
                    is_old = false;
                }
                "{" => {
                    is_old = false;
                    let header = self.header(start, self.at);
                    let close = self.closing(self.at);
                    if let Some(mut function) = header {
                        self.at += 1;
                        function.body = self.statements(close);
                        functions.push(function);
                        self.at = close + 1;
                        start = self.at;
                    } else if self.opens_scope(start, self.at) {
                        self.at += 1;
                        start = self.at;
                    } else {
                        self.at = close + 1;
                    }
                }
                "(" | "[" => {
                    let is_head = self.text(self.at) == "(" && self.at > start;
                    self.at = self.behind(self.at);
                    let next = self.text(self.at);
                    is_old |=
                        is_head && next != "const" && (is_type_word(next) || next == "register");
                }
                ":" if matches!(
                    self.text(self.at.wrapping_sub(1)),
                    "public" | "private" | "protected"
                ) =>
                {
                    self.at += 1;
                    start = self.at;
                }
                _ => self.at += 1,
            }
        }
    }

    /// Returns `true` if the braces that open at `brace` hold declarations.
    pub(super) fn opens_scope(&self, start: usize, brace: usize) -> bool {
        (start..brace).any(|at| {
            matches!(self.text(at), "namespace" | "class" | "struct" | "union")
                || (self.text(at) == "extern" && self.kind(at + 1) == Some(TokenKind::String))
        }) && !(start..brace).any(|at| self.text(at) == "=")
    }

    /// A function's head between `start` and the brace of its body.
    pub(super) fn header(&mut self, start: usize, brace: usize) -> Option<Function<'a>> {
        let (name_at, open) = self.name_and_brackets(start, brace)?;
        let close = self.closing(open);
        if close >= brace {
            return None;
        }
        let (mut function, head_end) = self.named_at(start, name_at);
        function.returns = self.type_between(start, head_end);
        function.specifiers = (start..head_end)
            .chain(close..brace)
            .map(|at| self.text(at))
            .filter(|it| is_specifier(it))
            .collect();
        self.behind_brackets(close + 1, brace, &mut function);
        function.parameters = self.parameters(open + 1, close);
        // Definitions in the manner of before 1989 declare their parameters behind the brackets.
        if close + 1 < brace && self.is_name(close + 1) && self.text(brace - 1) == ";" {
            self.old_parameters(close + 1, brace, &mut function.parameters);
        }
        self.at = brace;
        Some(function)
    }

    /// The position of the name of a function and that of its parameters: in the first brackets after a name that is
    /// not that of an attribute or macro.
    fn name_and_brackets(&self, start: usize, brace: usize) -> Option<(usize, usize)> {
        let mut at = start;
        let mut angle = 0_usize;
        while at < brace {
            match self.text(at) {
                "template" if self.text(at + 1) == "<" => {
                    at = self.behind_angles(at + 1).unwrap_or(at + 2);
                    continue;
                }
                "=" if angle == 0 && self.text(at.wrapping_sub(1)) != "operator" => return None,
                "operator" => {
                    // `operator()` has brackets for a name.
                    let mut after = at + 1;
                    if self.text(after) == "(" {
                        after = self.behind(after);
                    }
                    let open = (after..brace).find(|it| self.text(*it) == "(");
                    return open.map(|open| (at, open));
                }
                "(" if angle == 0 => {
                    let name = at.checked_sub(1).filter(|it| *it >= start);
                    if let Some(name) = name.filter(|it| self.is_name(*it))
                        && !is_attribute(self.text(name))
                        && !self.is_head_behind(self.closing(at) + 1, brace)
                    {
                        return Some((name, at));
                    }
                    at = self.behind(at);
                    continue;
                }
                "<" => angle += 1,
                ">" => angle = angle.saturating_sub(1),
                ">>" => angle = angle.saturating_sub(2),
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Returns `true` if another head follows the brackets of a macro.
    fn is_head_behind(&self, at: usize, brace: usize) -> bool {
        let next = self.text(at);
        self.is_name(at)
            && !is_specifier(next)
            && !matches!(
                next,
                "const" | "noexcept" | "override" | "final" | "try" | "__attribute__"
            )
            && (at..brace).any(|it| self.text(it) == "(")
    }

    /// A function by its name and class, and where the type before these ends.
    fn named_at(&self, start: usize, name_at: usize) -> (Function<'a>, usize) {
        let mut function = Function {
            name: self.text(name_at),
            ..Function::default()
        };
        let mut end = name_at;
        if function.name == "operator" {
            function.is_operator = true;
            function.name = self.text(name_at + 1);
        }
        if end > start && self.text(end - 1) == "~" {
            function.is_destructor = true;
            end -= 1;
        }
        // `Class::name`, `Class<T>::name`.
        while end >= start + 2 && self.text(end - 1) == "::" {
            let class = self.before_angles(start, end - 2);
            function.class = function.class.or(Some(self.text(class)));
            end = class.max(start);
        }
        function.is_constructor = function.class == Some(function.name) && !function.is_destructor;
        (function, end)
    }

    /// The name before the arguments of a template that end here, if there are any.
    fn before_angles(&self, start: usize, end: usize) -> usize {
        if self.text(end) != ">" {
            return end;
        }
        let mut at = end;
        let mut depth = 0_usize;
        while at > start {
            match self.text(at) {
                ">" => depth += 1,
                "<" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
            at -= 1;
        }
        at.saturating_sub(1)
    }

    /// Reads the tokens between the parameters and the body: `-> T`, or the values of members.
    fn behind_brackets(&mut self, mut at: usize, brace: usize, function: &mut Function<'a>) {
        while at < brace {
            match self.text(at) {
                "->" => {
                    let ends =
                        |it: &usize| matches!(self.text(*it), "requires" | "override" | "final");
                    let until = (at + 1..brace).find(ends).unwrap_or(brace);
                    function.returns = self.type_between(at + 1, until);
                    return;
                }
                ":" => {
                    self.at = at + 1;
                    while self.at < brace {
                        let before = self.at;
                        let value = self.expression(2);
                        function.initialized.push(value);
                        self.eat(",");
                        if self.at == before {
                            self.at += 1;
                        }
                    }
                    function.is_constructor = true;
                    return;
                }
                "(" => at = self.behind(at),
                _ => at += 1,
            }
        }
    }

    pub(super) fn old_parameters(
        &self,
        mut at: usize,
        end: usize,
        parameters: &mut [Parameter<'a>],
    ) {
        while at < end {
            let until = (at..end).find(|it| self.text(*it) == ";").unwrap_or(end);
            for declared in self.parameters(at, until) {
                if let Some(parameter) = parameters.iter_mut().find(|it| it.name == declared.name) {
                    parameter.kind = declared.kind;
                }
            }
            at = until + 1;
        }
    }

    pub(super) fn parameters(&self, start: usize, end: usize) -> Vec<Parameter<'a>> {
        let mut parameters = Vec::new();
        let mut from = start;
        let mut at = start;
        while at <= end && at <= self.tokens.len() {
            let text = self.text(at);
            if at == end || text == "," {
                if at > from {
                    parameters.push(self.parameter(from, at));
                }
                from = at + 1;
                at += 1;
                continue;
            }
            at = match text {
                "(" | "[" | "{" => self.behind(at),
                "<" => self
                    .behind_angles(at)
                    .filter(|behind| *behind <= end)
                    .unwrap_or(at + 1),
                _ => at + 1,
            };
        }
        if let [only] = parameters.as_slice()
            && only.name.is_empty()
            && only.kind.shape.has(Trait::Void)
        {
            return Vec::new();
        }
        parameters
    }

    pub(super) fn parameter(&self, start: usize, end: usize) -> Parameter<'a> {
        let end = (start..end).find(|at| self.text(*at) == "=").unwrap_or(end);
        // `T (*name)(…)`
        let pointer = (start..end)
            .find(|at| self.text(*at) == "(" && matches!(self.text(at + 1), "*" | "^" | "&"));
        if let Some(open) = pointer {
            let close = self.closing(open).min(end);
            let name = (open..close).rev().find(|at| self.is_name(*at));
            let mut kind = self.type_between(start, open);
            let is_callable = self.text(close + 1) == "(" && close + 1 < end;
            kind.shape = shape_of(
                &[],
                if is_callable {
                    &["*", "()"]
                } else {
                    &["*", "["]
                },
            )
            .shape
            .or(if is_callable {
                Shape::default()
            } else {
                kind.shape
            });
            return Parameter {
                name: name.map_or("", |at| self.text(at)),
                kind,
            };
        }
        let marks_end = (start..end).find(|at| self.text(*at) == "[").unwrap_or(end);
        // The last word is the name, if a type is before it.
        let last = (start..marks_end).rev().find(|at| self.is_name(*at));
        let mut name = "";
        let mut type_end = end;
        if let Some(last) = last
            && last + 1 == marks_end
        {
            let word = self.text(last);
            let has_type = (start..last).any(|at| {
                let before = self.text(at);
                self.is_name(at)
                    && !is_specifier(before)
                    && !matches!(before, "const" | "struct" | "class" | "enum" | "union")
            });
            let is_keyword = is_type_word(word);
            let is_scoped = last > start && self.text(last - 1) == "::";
            if has_type && !is_keyword && !is_scoped {
                name = word;
                type_end = last;
            }
        }
        let mut kind = self.type_between(start, type_end.min(marks_end));
        if marks_end < end {
            kind.shape = kind.shape.or(shape_of(&[], &["["]).shape);
        }
        Parameter { name, kind }
    }

    /// The type that the tokens of a range are.
    pub(super) fn type_between(&self, start: usize, end: usize) -> Type<'a> {
        let mut words = Vec::new();
        let mut marks = Vec::new();
        let mut at = start;
        let mut angle = 0_usize;
        while at < end.min(self.tokens.len()) {
            let text = self.text(at);
            match text {
                "template" if self.text(at + 1) == "<" => {
                    at = self.behind_angles(at + 1).unwrap_or(at + 2);
                    continue;
                }
                // `API(int)` is how some projects write types.
                "(" if at > start
                    && (at + 1..self.closing(at)).any(|at| is_type_word(self.text(at))) => {}
                "(" | "[" if !matches!(self.text(at.wrapping_sub(1)), "decltype") => {
                    at = self.behind(at);
                    continue;
                }
                "<" => angle += 1,
                ">" => angle = angle.saturating_sub(1),
                ">>" => angle = angle.saturating_sub(2),
                "*" | "&" | "&&" | "^" | "..." if angle == 0 => marks.push(text),
                _ if self.is_name(at) => {
                    // Macros in capitals before a type have no meaning, if a type follows.
                    let is_macro = angle == 0
                        && text.len() > 2
                        && text
                            .chars()
                            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
                        && known(text).is_none()
                        && at + 1 < end
                        && (self.is_name(at + 1) || self.text(at + 1) == "(");
                    if !is_macro {
                        words.push(text);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        shape_of(&words, &marks)
    }
}

/// Returns `true` if a name before brackets is never that of a function.
fn is_attribute(name: &str) -> bool {
    matches!(
        name,
        "__attribute__"
            | "__declspec"
            | "alignas"
            | "noexcept"
            | "decltype"
            | "__attribute"
            | "throw"
            | "requires"
            | "if"
            | "while"
            | "for"
            | "switch"
            | "sizeof"
            | "__asm__"
            | "asm"
    )
}
