//! Tokens to functions, statements and expressions.
//!
//! This is no compiler: it knows no declarations and expands no macros, and reads what it can in one pass. Nothing is an
//! error; what is not understood becomes [`Expression::Unknown`], and every step takes a token, so time is linear. A
//! grammar that restores every tree would be ten times as slow, and would stumble over macros that stand here as names.

use barecode_languages::lex::{TokenKind, lex};

use super::tree::{Declared, Expression, Function, Parameter, Statement};
use crate::types::{Type, is_specifier, is_type_word, known, shape_of};

/// How deep statements and expressions may lie in one another, the links of a chain (`a + b + c`, `a.b.c`) included; what
/// is deeper stands beside instead of inside, or is passed over.
const DEPTH: usize = 160;

/// How far it is looked ahead whether `<` opens arguments of a template.
const TEMPLATE: usize = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token<'a> {
    pub(super) kind: TokenKind,
    pub(super) text: &'a str,
}

pub(super) struct Parser<'a> {
    tokens: Vec<Token<'a>>,
    /// For each opening bracket the index of its closing one; otherwise its own.
    partner: Vec<usize>,
    at: usize,
    depth: usize,
}

/// The functions of a text in their order, and whether parts of it depend on macros.
pub(super) fn read(text: &str) -> (Vec<Function<'_>>, bool) {
    let (tokens, has_conditions) = tokens(text);
    let partner = partners(&tokens);
    let mut parser = Parser {
        tokens,
        partner,
        at: 0,
        depth: 0,
    };
    let mut functions = Vec::new();
    parser.functions(&mut functions);
    if functions.is_empty() && !parser.tokens.is_empty() {
        // A fragment: its statements stand for themselves.
        parser.at = 0;
        let end = parser.tokens.len();
        functions.push(Function {
            body: parser.statements(end),
            ..Function::default()
        });
    }
    (functions, has_conditions)
}

fn tokens(text: &str) -> (Vec<Token<'_>>, bool) {
    let mut tokens = Vec::new();
    let mut has_conditions = false;
    let mut begins_line = true;
    let mut in_directive = false;
    for token in lex(text) {
        if token.kind == TokenKind::Newline {
            begins_line = true;
            in_directive = false;
            continue;
        }
        let word = token.text(text);
        if begins_line && word == "#" {
            in_directive = true;
        }
        begins_line = false;
        has_conditions |= in_directive && matches!(word, "if" | "ifdef" | "ifndef");
        if !in_directive && token.kind != TokenKind::Comment {
            tokens.push(Token {
                kind: token.kind,
                text: word,
            });
        }
    }
    (tokens, has_conditions)
}

fn partners(tokens: &[Token]) -> Vec<usize> {
    let mut partner: Vec<usize> = (0..tokens.len()).collect();
    let mut open: Vec<usize> = Vec::new();
    let closes =
        |open: &str, close: &str| matches!((open, close), ("(", ")") | ("[", "]") | ("{", "}"));
    for (at, token) in tokens.iter().enumerate() {
        if token.kind != TokenKind::Punctuator {
            continue;
        }
        match token.text {
            "(" | "[" | "{" => open.push(at),
            ")" | "]" | "}" => {
                // A bracket that nothing opened is passed over; one that is not closed ends with those around it.
                if let Some(place) = open
                    .iter()
                    .rposition(|&before| closes(tokens[before].text, token.text))
                {
                    for &left in open.get(place + 1..).unwrap_or_default() {
                        partner[left] = at;
                    }
                    if let Some(&before) = open.get(place) {
                        partner[before] = at;
                    }
                    open.truncate(place);
                }
            }
            _ => {}
        }
    }
    for left in open {
        partner[left] = tokens.len();
    }
    partner
}

impl<'a> Parser<'a> {
    fn text(&self, at: usize) -> &'a str {
        self.tokens.get(at).map_or("", |token| token.text)
    }

    fn kind(&self, at: usize) -> Option<TokenKind> {
        self.tokens.get(at).map(|token| token.kind)
    }

    fn is_name(&self, at: usize) -> bool {
        self.kind(at) == Some(TokenKind::Identifier)
    }

    /// The index behind the bracket that opens here.
    fn behind(&self, at: usize) -> usize {
        self.closing(at) + 1
    }

    /// The index of the closing partner of the bracket that opens here; the end of the text if it is not closed.
    fn closing(&self, at: usize) -> usize {
        self.partner.get(at).copied().unwrap_or(self.tokens.len())
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.text(self.at) == text && !text.is_empty();
        self.at += usize::from(found);
        found
    }

    /// Finds functions at the level of files, namespaces and classes.
    fn functions(&mut self, functions: &mut Vec<Function<'a>>) {
        let mut start = self.at;
        let end = self.tokens.len();
        // Whether declarations of parameters stand behind a head, in the manner of before 1989.
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

    /// Whether the braces that open at `brace` hold declarations.
    fn opens_scope(&self, start: usize, brace: usize) -> bool {
        (start..brace).any(|at| {
            matches!(self.text(at), "namespace" | "class" | "struct" | "union")
                || (self.text(at) == "extern" && self.kind(at + 1) == Some(TokenKind::String))
        }) && !(start..brace).any(|at| self.text(at) == "=")
    }

    /// A function's head between `start` and the brace of its body.
    fn header(&mut self, start: usize, brace: usize) -> Option<Function<'a>> {
        // The parameters are the first brackets behind a name that is not that of an attribute or macro.
        let mut open = None;
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
                    while after < brace && self.text(after) != "(" {
                        after += 1;
                    }
                    if after < brace {
                        open = Some((at, after));
                    }
                    break;
                }
                "(" if angle == 0 => {
                    let before = at.checked_sub(1).filter(|it| *it >= start);
                    let name = before
                        .filter(|it| self.is_name(*it))
                        .map(|it| self.text(it));
                    if let (Some(name), Some(place)) = (name, before) {
                        let is_attribute = matches!(
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
                        );
                        // A macro before the head has nothing like a parameter inside, or another head follows.
                        let close = self.closing(at);
                        let another = self.is_name(close + 1)
                            && !is_specifier(self.text(close + 1))
                            && !matches!(
                                self.text(close + 1),
                                "const" | "noexcept" | "override" | "final" | "try"
                            )
                            && (close + 1..brace).any(|it| self.text(it) == "(")
                            && self.text(close + 1) != "__attribute__";
                        if !is_attribute && !another {
                            open = Some((place, at));
                            break;
                        }
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
        let (name_at, open) = open?;
        let close = self.closing(open);
        if close >= brace {
            return None;
        }
        let mut function = Function {
            name: self.text(name_at),
            ..Function::default()
        };
        let mut head_end = name_at;
        if function.name == "operator" {
            function.is_operator = true;
            function.name = self.text(name_at + 1);
        }
        if head_end > start && self.text(head_end - 1) == "~" {
            function.is_destructor = true;
            head_end -= 1;
        }
        // `Class::name`, `Class<T>::name`.
        while head_end >= start + 2 && self.text(head_end - 1) == "::" {
            let mut class = head_end - 2;
            if self.text(class) == ">" {
                let mut depth = 0_usize;
                while class > start {
                    match self.text(class) {
                        ">" => depth += 1,
                        "<" => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    if depth == 0 {
                        break;
                    }
                    class -= 1;
                }
                class = class.saturating_sub(1);
            }
            function.class = function.class.or(Some(self.text(class)));
            head_end = class.max(start);
        }
        function.is_constructor = function.class == Some(function.name) && !function.is_destructor;
        function.returns = self.type_between(start, head_end);
        function.specifiers = (start..head_end)
            .chain(close..brace)
            .map(|at| self.text(at))
            .filter(|it| is_specifier(it))
            .collect();
        // `auto f() -> T`
        let mut at = close + 1;
        while at < brace {
            match self.text(at) {
                "->" => {
                    let mut until = at + 1;
                    while until < brace
                        && !matches!(self.text(until), "requires" | "override" | "final")
                    {
                        until += 1;
                    }
                    function.returns = self.type_between(at + 1, until);
                    break;
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
                    break;
                }
                "(" => at = self.behind(at),
                _ => at += 1,
            }
        }
        function.parameters = self.parameters(open + 1, close);
        // Definitions in the manner of before 1989 declare their parameters behind the brackets.
        if close + 1 < brace && self.is_name(close + 1) && self.text(brace - 1) == ";" {
            self.old_parameters(close + 1, brace, &mut function.parameters);
        }
        self.at = brace;
        Some(function)
    }

    fn old_parameters(&self, mut at: usize, end: usize, parameters: &mut [Parameter<'a>]) {
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

    fn parameters(&self, start: usize, end: usize) -> Vec<Parameter<'a>> {
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
            && only.kind.shape.has(crate::signature::Trait::Void)
        {
            return Vec::new();
        }
        parameters
    }

    fn parameter(&self, start: usize, end: usize) -> Parameter<'a> {
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
                crate::signature::Shape::default()
            } else {
                kind.shape
            });
            return Parameter {
                name: name.map_or("", |at| self.text(at)),
                kind,
            };
        }
        let marks_end = (start..end).find(|at| self.text(*at) == "[").unwrap_or(end);
        // The name is the last word, unless the words before it are no type by themselves.
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
    fn type_between(&self, start: usize, end: usize) -> Type<'a> {
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
                    // Macros in capitals before a type say nothing, if a type follows.
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

    /// The index behind `>` if `<` here opens arguments of a template.
    fn behind_angles(&self, open: usize) -> Option<usize> {
        let mut depth = 0_usize;
        let mut at = open;
        while at < self.tokens.len() && at < open + TEMPLATE {
            match self.text(at) {
                "<" => depth += 1,
                ">" => {
                    depth -= 1;
                    if depth == 0 {
                        return Some(at + 1);
                    }
                }
                ">>" => {
                    if depth <= 2 {
                        return Some(at + 1);
                    }
                    depth -= 2;
                }
                "(" | "[" => {
                    at = self.behind(at);
                    continue;
                }
                ";" | "{" | "}" | ")" | "]" | "&&" | "||" | "==" | "!=" | "+" | "/" | "%" | "="
                | "?" | "!" => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Statements up to the token `end`, which is not taken.
    fn statements(&mut self, end: usize) -> Vec<Statement<'a>> {
        let mut statements = Vec::new();
        while self.at < end.min(self.tokens.len()) {
            let before = self.at;
            let statement = self.statement(end);
            if !matches!(statement, Statement::Empty) {
                statements.push(statement);
            }
            if self.at == before {
                self.at += 1;
            }
        }
        statements
    }

    fn statement(&mut self, end: usize) -> Statement<'a> {
        if self.depth >= DEPTH {
            self.at = self.end_of_statement(end);
            return Statement::Empty;
        }
        self.depth += 1;
        let statement = self.statement_here(end);
        self.depth -= 1;
        statement
    }

    fn statement_here(&mut self, end: usize) -> Statement<'a> {
        let word = self.text(self.at);
        match word {
            "{" => {
                let close = self.closing(self.at).min(end);
                self.at += 1;
                let inner = self.statements(close);
                self.at = close + 1;
                return Statement::Block(inner);
            }
            ";" => {
                self.at += 1;
                return Statement::Empty;
            }
            _ => {}
        }
        if !self.is_name(self.at) {
            return self.simple(end);
        }
        match word {
            "if" => {
                self.at += 1;
                self.eat("constexpr");
                let condition = self.condition();
                let then = Box::new(self.statement(end));
                let otherwise = self.eat("else").then(|| Box::new(self.statement(end)));
                Statement::If(condition, then, otherwise)
            }
            "while" => {
                self.at += 1;
                let condition = self.condition();
                Statement::While(condition, Box::new(self.statement(end)))
            }
            "do" => {
                self.at += 1;
                let body = Box::new(self.statement(end));
                let condition = if self.eat("while") {
                    self.condition()
                } else {
                    Expression::Unknown
                };
                self.eat(";");
                Statement::DoWhile(body, condition)
            }
            "for" if self.text(self.at + 1) == "(" => self.for_loop(end),
            "switch" => {
                self.at += 1;
                let value = self.condition();
                Statement::Switch(value, Box::new(self.statement(end)))
            }
            "case" => {
                self.at += 1;
                let value = self.expression(3);
                while self.at < end && !matches!(self.text(self.at), ":" | ";" | "{" | "}") {
                    self.at += 1;
                }
                self.eat(":");
                Statement::Case(value)
            }
            "default" if self.text(self.at + 1) == ":" => {
                self.at += 2;
                Statement::Default
            }
            "break" => self.word(Statement::Break),
            "continue" => self.word(Statement::Continue),
            "goto" => {
                self.at = self.end_of_statement(end);
                Statement::Goto
            }
            "return" | "co_return" => {
                self.at += 1;
                let value =
                    (self.text(self.at) != ";" && self.at < end).then(|| self.expression(0));
                self.at = self.end_of_statement(end);
                Statement::Return(value)
            }
            "try" => {
                self.at += 1;
                Statement::Try(Box::new(self.statement(end)))
            }
            "catch" => {
                self.at += 1;
                if self.text(self.at) == "(" {
                    self.at = self.behind(self.at);
                }
                Statement::Catch(Box::new(self.statement(end)))
            }
            "asm" | "__asm__" | "__asm" => {
                self.at = self.end_of_statement(end);
                Statement::Assembly
            }
            "else" => {
                self.at += 1;
                self.statement(end)
            }
            "using" | "typedef" | "static_assert" | "_Static_assert" => {
                self.at = self.end_of_statement(end);
                Statement::Empty
            }
            "struct" | "class" | "union" | "enum"
                if self.text(self.at + 1) == "{"
                    || self.text(self.at + 2) == "{"
                    || self.text(self.at + 2) == ":" =>
            {
                self.at = self.end_of_statement(end);
                Statement::Empty
            }
            "public" | "private" | "protected" if self.text(self.at + 1) == ":" => {
                self.at += 2;
                Statement::Empty
            }
            _ if self.text(self.at + 1) == ":" && self.text(self.at + 2) != ":" => {
                self.at += 2;
                Statement::Empty
            }
            _ => self.simple(end),
        }
    }

    fn word(&mut self, statement: Statement<'a>) -> Statement<'a> {
        self.at += 1;
        self.eat(";");
        statement
    }

    /// An expression in brackets, or a declaration with a value.
    fn condition(&mut self) -> Expression<'a> {
        if self.text(self.at) != "(" {
            return Expression::Unknown;
        }
        let close = self.closing(self.at);
        self.at += 1;
        if self.is_declaration(close)
            && let Statement::Declaration(declared) = self.declaration(close)
        {
            self.at = close + 1;
            let mut values = declared.into_iter().filter_map(|one| one.value);
            return values.next().unwrap_or(Expression::Unknown);
        }
        let value = self.expression(0);
        self.at = close + 1;
        value
    }

    fn for_loop(&mut self, end: usize) -> Statement<'a> {
        let open = self.at + 1;
        let close = self.closing(open);
        self.at = open + 1;
        let mut at = self.at;
        let mut colon = None;
        let mut semicolon = None;
        while at < close {
            match self.text(at) {
                "(" | "[" | "{" => {
                    at = self.behind(at);
                    continue;
                }
                ":" => colon = colon.or(Some(at)),
                ";" => {
                    semicolon = Some(at);
                    break;
                }
                _ => {}
            }
            at += 1;
        }
        if let (Some(colon), None) = (colon, semicolon) {
            let parameter = self.parameter(self.at, colon);
            self.at = colon + 1;
            let over = self.expression(0);
            self.at = close + 1;
            let variable = Declared {
                name: parameter.name,
                kind: parameter.kind,
                is_static: false,
                is_array: false,
                dimensions: Vec::new(),
                value: None,
            };
            let body = Box::new(self.statement(end));
            return Statement::ForEach {
                variable,
                over,
                body,
            };
        }
        let first = if self.text(self.at) == ";" {
            self.at += 1;
            Statement::Empty
        } else {
            self.simple(close)
        };
        let condition = (self.at < close && self.text(self.at) != ";").then(|| self.expression(0));
        while self.at < close && self.text(self.at) != ";" {
            self.at += 1;
        }
        self.eat(";");
        let step = (self.at < close).then(|| self.expression(0));
        self.at = close + 1;
        let body = Box::new(self.statement(end));
        Statement::For {
            first: Box::new(first),
            condition,
            step,
            body,
        }
    }

    /// A declaration or an expression, up to its semicolon.
    fn simple(&mut self, end: usize) -> Statement<'a> {
        if self.is_declaration(end) {
            return self.declaration(end);
        }
        let value = self.expression(0);
        if self.text(self.at) == ";" {
            self.at += 1;
        } else if self.at < end && self.text(self.at) != "}" && !self.is_name(self.at) {
            self.at = self.end_of_statement(end);
        }
        Statement::Expression(value)
    }

    /// The index behind the next semicolon.
    fn end_of_statement(&self, end: usize) -> usize {
        let mut at = self.at;
        while at < end {
            match self.text(at) {
                "(" | "[" => at = self.behind(at),
                "{" => at = self.behind(at),
                ";" => return at + 1,
                "}" => return at,
                _ => at += 1,
            }
        }
        end
    }

    /// Whether what begins here declares variables.
    fn is_declaration(&self, end: usize) -> bool {
        let mut at = self.at;
        let word = self.text(at);
        if is_type_word(word) || (is_specifier(word) && word != "noexcept") {
            return true;
        }
        if !self.is_name(at)
            || matches!(
                word,
                "new" | "delete" | "throw" | "sizeof" | "this" | "return" | "case"
            )
        {
            return false;
        }
        let is_known = known(word).is_some();
        // A path with arguments of templates.
        loop {
            at += 1;
            if self.text(at) == "<" {
                match self.behind_angles(at) {
                    Some(behind) => at = behind,
                    None => return false,
                }
            }
            if self.text(at) == "::" && self.is_name(at + 1) {
                at += 1;
                continue;
            }
            break;
        }
        let mut marks = 0;
        while matches!(
            self.text(at),
            "*" | "&" | "&&" | "const" | "restrict" | "__restrict"
        ) {
            marks += 1;
            at += 1;
        }
        if at >= end || !self.is_name(at) || is_specifier(self.text(at)) {
            return false;
        }
        let after = self.text(at + 1);
        if marks == 0 {
            return matches!(after, "=" | ";" | "," | "[" | "(" | "{" | ":" | ")") || is_known;
        }
        // `a * b` is a product where something is done with it.
        matches!(after, "=" | ";" | "," | "[" | ":" | "{" | ")") || (is_known && after == "(")
    }

    fn declaration(&mut self, end: usize) -> Statement<'a> {
        let start = self.at;
        let mut is_static = false;
        // The type: words, paths, arguments of templates.
        let mut last_name = None;
        while self.at < end {
            let word = self.text(self.at);
            if self.is_name(self.at) {
                is_static |= word == "static" || word == "constexpr";
                let is_plain = !is_type_word(word) && !is_specifier(word);
                if is_plain {
                    let next = self.text(self.at + 1);
                    let seen = last_name.is_some()
                        || (start..self.at).any(|at| {
                            let before = self.text(at);
                            is_type_word(before)
                                && !matches!(
                                    before,
                                    "const" | "struct" | "class" | "enum" | "union"
                                )
                        });
                    if seen
                        && (known(word).is_none()
                            || matches!(next, "=" | ";" | "," | "[" | "(" | "{" | ":" | ")"))
                        && next != "::"
                    {
                        break;
                    }
                    last_name = Some(self.at);
                }
                self.at += 1;
                if matches!(word, "decltype" | "__attribute__" | "alignas")
                    && self.text(self.at) == "("
                {
                    self.at = self.behind(self.at);
                    last_name = Some(self.at);
                }
            } else if word == "<" {
                self.at = self.behind_angles(self.at).unwrap_or(self.at + 1);
            } else if word == "::" {
                self.at += 1;
                // What follows belongs to the same name.
                if self.is_name(self.at) {
                    self.at += 1;
                }
            } else {
                break;
            }
        }
        let type_end = self.at;
        let mut declared = Vec::new();
        while self.at < end {
            let before = self.at;
            let mut marks: Vec<&'a str> = Vec::new();
            while matches!(
                self.text(self.at),
                "*" | "&" | "&&" | "const" | "restrict" | "__restrict" | "volatile"
            ) {
                if !self.is_name(self.at) {
                    marks.push(self.text(self.at));
                }
                self.at += 1;
            }
            let mut name = "";
            if self.text(self.at) == "(" && matches!(self.text(self.at + 1), "*" | "&") {
                let close = self.closing(self.at);
                name = (self.at..close)
                    .find(|at| self.is_name(*at))
                    .map_or("", |at| self.text(at));
                marks.push("*");
                self.at = close + 1;
                if self.text(self.at) == "(" {
                    marks.push("()");
                    self.at = self.behind(self.at);
                }
            } else if self.text(self.at) == "[" && declared.is_empty() {
                // A structured binding.
                self.at = self.behind(self.at);
            } else if self.is_name(self.at) {
                name = self.text(self.at);
                self.at += 1;
            }
            let mut dimensions = Vec::new();
            let mut is_array = false;
            while self.text(self.at) == "[" {
                is_array = true;
                let close = self.closing(self.at);
                self.at += 1;
                if self.at < close {
                    dimensions.push(self.expression(0));
                }
                self.at = close + 1;
            }
            let value = match self.text(self.at) {
                "=" => {
                    self.at += 1;
                    Some(self.expression(2))
                }
                "(" | "{" => {
                    let close = self.closing(self.at);
                    self.at += 1;
                    let values = self.list(close);
                    let kind = self.type_between(start, type_end);
                    Some(Expression::Construct(kind, values))
                }
                ":" => {
                    self.at += 1;
                    self.expression(2);
                    None
                }
                _ => None,
            };
            let mut kind = self.type_between(start, type_end);
            kind.shape = kind.shape.or(shape_of(&[], &marks).shape);
            if kind.shape.has(crate::signature::Trait::Char) && marks.contains(&"*") {
                kind.shape.add(crate::signature::Trait::Text);
            }
            declared.push(Declared {
                name,
                kind,
                is_static,
                is_array,
                dimensions,
                value,
            });
            if !self.eat(",") || self.at == before {
                break;
            }
        }
        self.at = self.end_of_statement(end);
        Statement::Declaration(declared)
    }

    /// Expressions separated by commas up to the closing bracket, which is taken.
    fn list(&mut self, close: usize) -> Vec<Expression<'a>> {
        let mut values = Vec::new();
        while self.at < close {
            let before = self.at;
            values.push(self.expression(2));
            while self.at < close && self.text(self.at) != "," {
                self.at = if matches!(self.text(self.at), "(" | "[" | "{") {
                    self.behind(self.at)
                } else {
                    self.at + 1
                };
            }
            self.eat(",");
            if self.at == before {
                self.at += 1;
            }
        }
        self.at = close + 1;
        values
    }

    /// An expression whose operators bind at least that much; 0 takes commas, 2 assignments, 3 conditionals.
    fn expression(&mut self, least: u8) -> Expression<'a> {
        if self.depth >= DEPTH {
            self.at += 1;
            return Expression::Unknown;
        }
        let depth = self.depth;
        self.depth += 1;
        let value = self.expression_here(least);
        self.depth = depth;
        value
    }

    fn expression_here(&mut self, least: u8) -> Expression<'a> {
        let mut left = self.unary();
        loop {
            let operator = self.text(self.at);
            if self.kind(self.at) != Some(TokenKind::Punctuator)
                && !matches!(
                    operator,
                    "and" | "or" | "xor" | "bitand" | "bitor" | "not_eq"
                )
            {
                return left;
            }
            let binds = match operator {
                "," => 1,
                "=" | "+=" | "-=" | "*=" | "/=" | "%=" | "&=" | "|=" | "^=" | "<<=" | ">>=" => 2,
                "?" => 3,
                "||" | "or" => 4,
                "&&" | "and" => 5,
                "|" | "bitor" => 6,
                "^" | "xor" => 7,
                "&" | "bitand" => 8,
                "==" | "!=" | "not_eq" => 9,
                "<" | ">" | "<=" | ">=" | "<=>" => 10,
                "<<" | ">>" => 11,
                "+" | "-" => 12,
                "*" | "/" | "%" => 13,
                ".*" | "->*" => 14,
                _ => return left,
            };
            if binds < least.max(1) || self.depth >= DEPTH {
                return left;
            }
            self.depth += 1;
            self.at += 1;
            left = match binds {
                1 => {
                    let right = self.expression(2);
                    match left {
                        Expression::Comma(mut values) => {
                            values.push(right);
                            Expression::Comma(values)
                        }
                        first => Expression::Comma(vec![first, right]),
                    }
                }
                2 => {
                    let right = self.expression(2);
                    Expression::Assign(operator, Box::new(left), Box::new(right))
                }
                3 => {
                    let then = if self.text(self.at) == ":" {
                        left.clone()
                    } else {
                        self.expression(2)
                    };
                    self.eat(":");
                    let otherwise = self.expression(2);
                    Expression::Conditional(Box::new(left), Box::new(then), Box::new(otherwise))
                }
                _ => {
                    let right = self.expression(binds + 1);
                    let operator = match operator {
                        "and" => "&&",
                        "or" => "||",
                        "xor" => "^",
                        "bitand" => "&",
                        "bitor" => "|",
                        "not_eq" => "!=",
                        other => other,
                    };
                    Expression::Binary(operator, Box::new(left), Box::new(right))
                }
            };
        }
    }

    fn unary(&mut self) -> Expression<'a> {
        if self.depth >= DEPTH {
            self.at += 1;
            return Expression::Unknown;
        }
        let depth = self.depth;
        self.depth += 1;
        let value = self.unary_here();
        self.depth = depth;
        value
    }

    fn unary_here(&mut self) -> Expression<'a> {
        let operator = self.text(self.at);
        match operator {
            "!" | "~" | "-" | "+" | "*" | "&" | "++" | "--" | "not" | "compl" | "&&" => {
                self.at += 1;
                let operator = match operator {
                    "not" => "!",
                    "compl" => "~",
                    other => other,
                };
                let inner = self.unary();
                return Expression::Unary(operator, Box::new(inner));
            }
            "(" => {
                let close = self.closing(self.at);
                if self.is_cast(self.at, close) {
                    let kind = self.type_between(self.at + 1, close);
                    self.at = close + 1;
                    let inner = self.unary();
                    return Expression::Cast(kind, Box::new(inner));
                }
            }
            _ => {}
        }
        let first = self.primary();
        self.postfix(first)
    }

    /// Whether the brackets hold a type and an operand follows.
    fn is_cast(&self, open: usize, close: usize) -> bool {
        if close <= open + 1 || close >= self.tokens.len() {
            return false;
        }
        let next = self.text(close + 1);
        let begins_operand = match self.kind(close + 1) {
            Some(TokenKind::Identifier) => !matches!(next, "and" | "or" | "xor" | "not_eq"),
            Some(TokenKind::Number | TokenKind::String | TokenKind::Character) => true,
            Some(TokenKind::Punctuator) => matches!(
                next,
                "(" | "~" | "!" | "-" | "+" | "&" | "*" | "{" | "++" | "--"
            ),
            _ => false,
        };
        if !begins_operand {
            return false;
        }
        let mut is_type = false;
        let mut names = 0;
        let mut at = open + 1;
        while at < close {
            let text = self.text(at);
            if self.is_name(at) {
                is_type |= is_type_word(text) || known(text).is_some() || text.ends_with("_t");
                names += 1;
            } else if text == "<" {
                match self.behind_angles(at) {
                    Some(behind) if behind <= close => {
                        at = behind;
                        continue;
                    }
                    _ => return false,
                }
            } else if !matches!(text, "*" | "&" | "::" | "&&" | "[" | "]") {
                return false;
            }
            at += 1;
        }
        if names == 0 {
            return false;
        }
        if is_type {
            return true;
        }
        let ends_with_star = self.text(close - 1) == "*";
        if ends_with_star {
            return true;
        }
        let is_name_alone = (open + 1..close).all(|at| self.is_name(at) || self.text(at) == "::");
        is_name_alone
            && match self.kind(close + 1) {
                Some(
                    TokenKind::Identifier
                    | TokenKind::Number
                    | TokenKind::String
                    | TokenKind::Character,
                ) => true,
                _ => matches!(next, "~" | "!" | "{"),
            }
    }

    fn primary(&mut self) -> Expression<'a> {
        let Some(token) = self.tokens.get(self.at).copied() else {
            return Expression::Unknown;
        };
        match token.kind {
            TokenKind::Number => {
                self.at += 1;
                Expression::Number(token.text)
            }
            TokenKind::Character => {
                self.at += 1;
                Expression::Character(token.text)
            }
            TokenKind::String => {
                self.at += 1;
                let mut parts = vec![Expression::String(token.text)];
                while matches!(self.kind(self.at), Some(TokenKind::String)) {
                    parts.push(Expression::String(self.text(self.at)));
                    self.at += 1;
                }
                if parts.len() == 1 {
                    Expression::String(token.text)
                } else {
                    Expression::Comma(parts)
                }
            }
            TokenKind::Punctuator => self.bracketed(token.text),
            TokenKind::Identifier => self.named(token.text),
            TokenKind::Comment | TokenKind::Newline => {
                self.at += 1;
                Expression::Unknown
            }
        }
    }

    fn bracketed(&mut self, text: &'a str) -> Expression<'a> {
        match text {
            "(" => {
                let close = self.closing(self.at);
                self.at += 1;
                if self.text(self.at) == "{" {
                    // A statement expression.
                    let inner_close = self.closing(self.at);
                    self.at += 1;
                    let body = self.statements(inner_close);
                    self.at = close + 1;
                    return Expression::Lambda(Vec::new(), body);
                }
                let inner = if self.at < close {
                    self.expression(0)
                } else {
                    Expression::Unknown
                };
                self.at = close + 1;
                inner
            }
            "{" => {
                let close = self.closing(self.at);
                self.at += 1;
                Expression::List(self.list(close))
            }
            "[" => {
                // A lambda, or a designator.
                let close = self.closing(self.at);
                self.at = close + 1;
                let mut parameters = Vec::new();
                if self.text(self.at) == "(" {
                    let end = self.closing(self.at);
                    parameters = self.parameters(self.at + 1, end);
                    self.at = end + 1;
                }
                let mut ahead = self.at;
                while ahead < self.tokens.len()
                    && ahead < self.at + TEMPLATE
                    && !matches!(self.text(ahead), "{" | ";" | ")" | "," | "=")
                {
                    ahead += 1;
                }
                if self.text(ahead) != "{" {
                    if self.eat("=") {
                        return self.expression(2);
                    }
                    return Expression::Unknown;
                }
                let end = self.closing(ahead);
                self.at = ahead + 1;
                let body = self.statements(end);
                self.at = end + 1;
                Expression::Lambda(parameters, body)
            }
            "::" => {
                self.at += 1;
                if self.is_name(self.at) {
                    self.primary()
                } else {
                    Expression::Unknown
                }
            }
            "." => {
                // A designator: `.name = value`.
                self.at += 1;
                if self.is_name(self.at) {
                    self.at += 1;
                }
                self.eat("=");
                self.expression(2)
            }
            ";" | ")" | "]" | "}" | "," | ":" => Expression::Unknown,
            _ => {
                self.at += 1;
                Expression::Unknown
            }
        }
    }

    fn named(&mut self, word: &'a str) -> Expression<'a> {
        self.at += 1;
        match word {
            "true" | "TRUE" => return Expression::True,
            "false" | "FALSE" => return Expression::False,
            "nullptr" | "NULL" => return Expression::Null,
            "this" => return Expression::This,
            "sizeof" | "alignof" | "_Alignof" | "__alignof__" => {
                if self.text(self.at) == "(" {
                    let close = self.closing(self.at);
                    self.at += 1;
                    let inner = self.expression(0);
                    self.at = close + 1;
                    return Expression::SizeOf(Some(Box::new(inner)));
                }
                if self.eat("...") {
                    return Expression::SizeOf(None);
                }
                let inner = self.unary();
                return Expression::SizeOf(Some(Box::new(inner)));
            }
            "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast" | "bit_cast"
                if self.text(self.at) == "<" =>
            {
                if let Some(behind) = self.behind_angles(self.at) {
                    let kind = self.type_between(self.at + 1, behind - 1);
                    self.at = behind;
                    if self.text(self.at) == "(" {
                        let close = self.closing(self.at);
                        self.at += 1;
                        let inner = self.expression(0);
                        self.at = close + 1;
                        return Expression::Cast(kind, Box::new(inner));
                    }
                }
                return Expression::Unknown;
            }
            "new" => {
                let start = self.at;
                if self.text(self.at) == "(" {
                    self.at = self.behind(self.at);
                }
                while self.is_name(self.at) || matches!(self.text(self.at), "::" | "*") {
                    self.at += 1;
                    if self.text(self.at) == "<"
                        && let Some(behind) = self.behind_angles(self.at)
                    {
                        self.at = behind;
                    }
                }
                let kind = self.type_between(start, self.at);
                let mut values = Vec::new();
                while matches!(self.text(self.at), "(" | "{" | "[") {
                    let close = self.closing(self.at);
                    self.at += 1;
                    values.extend(self.list(close));
                }
                return Expression::New(kind, values);
            }
            "delete" => {
                if self.text(self.at) == "[" {
                    self.at = self.behind(self.at);
                }
                let inner = self.unary();
                return Expression::Delete(Box::new(inner));
            }
            "throw" => {
                let is_bare = matches!(self.text(self.at), ";" | ")" | ":");
                let inner = (!is_bare).then(|| Box::new(self.expression(2)));
                return Expression::Throw(inner);
            }
            "co_await" | "co_yield" | "__extension__" | "typename" => return self.unary(),
            _ => {}
        }
        // A type that is called, or a path.
        let is_type = is_type_word(word);
        let start = self.at - 1;
        let mut path = Vec::new();
        let mut name = word;
        loop {
            if self.text(self.at) == "<"
                && let Some(behind) = self.behind_angles(self.at)
                && matches!(self.text(behind), "(" | "::" | "{" | ")" | "," | ";")
                && (matches!(self.text(behind), "(" | "::" | "{")
                    || self.looks_like_types(self.at + 1, behind - 1))
            {
                self.at = behind;
            }
            if self.text(self.at) == "::" && self.is_name(self.at + 1) {
                path.push(name);
                name = self.text(self.at + 1);
                self.at += 2;
                continue;
            }
            break;
        }
        if is_type {
            while self.is_name(self.at) && is_type_word(self.text(self.at)) {
                self.at += 1;
            }
        }
        let is_known = is_type || known(name).is_some();
        if is_known && matches!(self.text(self.at), "(" | "{") {
            let kind = self.type_between(start, self.at);
            let close = self.closing(self.at);
            self.at += 1;
            return Expression::Construct(kind, self.list(close));
        }
        if is_type {
            while matches!(self.text(self.at), "*" | "&" | "const") {
                self.at += 1;
            }
            return Expression::Construct(self.type_between(start, self.at), Vec::new());
        }
        if self.text(self.at) == "{"
            && path.is_empty()
            && name.chars().next().is_some_and(char::is_uppercase)
            && self.text(self.closing(self.at) + 1) != "else"
        {
            let kind = self.type_between(start, self.at);
            let close = self.closing(self.at);
            if matches!(self.text(close + 1), ";" | ")" | "," | "." | "}") {
                self.at += 1;
                return Expression::Construct(kind, self.list(close));
            }
        }
        if path.is_empty() {
            Expression::Name(name)
        } else {
            Expression::Path(path, name)
        }
    }

    fn looks_like_types(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| is_type_word(self.text(at)) || known(self.text(at)).is_some())
    }

    fn postfix(&mut self, mut left: Expression<'a>) -> Expression<'a> {
        loop {
            if self.depth >= DEPTH {
                return left;
            }
            self.depth += 1;
            match self.text(self.at) {
                "(" => {
                    let close = self.closing(self.at);
                    self.at += 1;
                    let arguments = self.list(close);
                    left = Expression::Call(Box::new(left), arguments);
                }
                "[" => {
                    let close = self.closing(self.at);
                    self.at += 1;
                    let index = if self.at < close {
                        self.expression(0)
                    } else {
                        Expression::Unknown
                    };
                    self.at = close + 1;
                    left = Expression::Index(Box::new(left), Box::new(index));
                }
                "." | "->" => {
                    self.at += 1;
                    self.eat("template");
                    self.eat("~");
                    if !self.is_name(self.at) {
                        return left;
                    }
                    let name = self.text(self.at);
                    self.at += 1;
                    if self.text(self.at) == "<"
                        && let Some(behind) = self.behind_angles(self.at)
                        && self.text(behind) == "("
                    {
                        self.at = behind;
                    }
                    left = Expression::Member(Box::new(left), name);
                }
                operator @ ("++" | "--") => {
                    self.at += 1;
                    left = Expression::Postfix(operator, Box::new(left));
                }
                _ => return left,
            }
        }
    }
}
