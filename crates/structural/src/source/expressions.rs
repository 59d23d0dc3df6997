//! Expressions, by the precedence of operators.

use barecode_languages::lex::TokenKind;

use super::parse::{DEPTH, Parser, TEMPLATE};
use super::tree::Expression;
use crate::types::{is_type_word, known};

impl<'a> Parser<'a> {
    /// Expressions separated by commas up to the closing bracket, which is taken.
    pub(super) fn list(&mut self, close: usize) -> Vec<Expression<'a>> {
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

    /// An expression whose operators bind at least that much; 0 accepts commas, 2 assignments, 3 conditionals.
    pub(super) fn expression(&mut self, least: u8) -> Expression<'a> {
        self.deeper(|parser| parser.expression_here(least))
    }

    /// Reads something a level deeper, if that is not too deep.
    fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Expression<'a>) -> Expression<'a> {
        if self.depth >= DEPTH {
            self.at += 1;
            return Expression::Unknown;
        }
        let depth = self.depth;
        self.depth += 1;
        let value = read(self);
        self.depth = depth;
        value
    }

    pub(super) fn expression_here(&mut self, least: u8) -> Expression<'a> {
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

    pub(super) fn unary(&mut self) -> Expression<'a> {
        self.deeper(Self::unary_here)
    }

    pub(super) fn unary_here(&mut self) -> Expression<'a> {
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

    /// Returns `true` if the brackets hold a type and an operand follows.
    pub(super) fn is_cast(&self, open: usize, close: usize) -> bool {
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

    pub(super) fn primary(&mut self) -> Expression<'a> {
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

    pub(super) fn bracketed(&mut self, text: &'a str) -> Expression<'a> {
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
            "{" => Expression::List(self.values()),
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

    pub(super) fn named(&mut self, word: &'a str) -> Expression<'a> {
        self.at += 1;
        match word {
            "true" | "TRUE" => Expression::True,
            "false" | "FALSE" => Expression::False,
            "nullptr" | "NULL" => Expression::Null,
            "this" => Expression::This,
            "sizeof" | "alignof" | "_Alignof" | "__alignof__" => {
                if self.text(self.at) != "(" && self.eat("...") {
                    return Expression::SizeOf(None);
                }
                let inner = self.in_brackets().unwrap_or_else(|| self.unary());
                Expression::SizeOf(Some(Box::new(inner)))
            }
            "static_cast" | "reinterpret_cast" | "const_cast" | "dynamic_cast" | "bit_cast"
                if self.text(self.at) == "<" =>
            {
                let Some(behind) = self.behind_angles(self.at) else {
                    return Expression::Unknown;
                };
                let kind = self.type_between(self.at + 1, behind - 1);
                self.at = behind;
                match self.in_brackets() {
                    Some(inner) => Expression::Cast(kind, Box::new(inner)),
                    None => Expression::Unknown,
                }
            }
            "new" => self.new_object(),
            "delete" => {
                if self.text(self.at) == "[" {
                    self.at = self.behind(self.at);
                }
                Expression::Delete(Box::new(self.unary()))
            }
            "throw" => {
                let is_bare = matches!(self.text(self.at), ";" | ")" | ":");
                Expression::Throw((!is_bare).then(|| Box::new(self.expression(2))))
            }
            "co_await" | "co_yield" | "__extension__" | "typename" => self.unary(),
            _ => self.name_or_type(word),
        }
    }

    /// An expression in brackets, if one opens here.
    fn in_brackets(&mut self) -> Option<Expression<'a>> {
        if self.text(self.at) != "(" {
            return None;
        }
        let close = self.closing(self.at);
        self.at += 1;
        let inner = self.expression(0);
        self.at = close + 1;
        Some(inner)
    }

    /// Values in brackets of any kind, which open here.
    pub(super) fn values(&mut self) -> Vec<Expression<'a>> {
        let close = self.closing(self.at);
        self.at += 1;
        self.list(close)
    }

    fn new_object(&mut self) -> Expression<'a> {
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
            values.extend(self.values());
        }
        Expression::New(kind, values)
    }

    /// A name, a path of names, or a type that is called.
    fn name_or_type(&mut self, word: &'a str) -> Expression<'a> {
        let is_type = is_type_word(word);
        let start = self.at - 1;
        let mut path = Vec::new();
        let mut name = word;
        loop {
            self.pass_template();
            if self.text(self.at) != "::" || !self.is_name(self.at + 1) {
                break;
            }
            path.push(name);
            name = self.text(self.at + 1);
            self.at += 2;
        }
        if is_type {
            while self.is_name(self.at) && is_type_word(self.text(self.at)) {
                self.at += 1;
            }
        }
        let opens = self.text(self.at);
        if matches!(opens, "(" | "{") && (is_type || known(name).is_some()) {
            let kind = self.type_between(start, self.at);
            return Expression::Construct(kind, self.values());
        }
        if is_type {
            while matches!(self.text(self.at), "*" | "&" | "const") {
                self.at += 1;
            }
            return Expression::Construct(self.type_between(start, self.at), Vec::new());
        }
        // A type of the project: `Point{1, 2}`.
        if opens == "{"
            && path.is_empty()
            && name.chars().next().is_some_and(char::is_uppercase)
            && matches!(
                self.text(self.closing(self.at) + 1),
                ";" | ")" | "," | "." | "}"
            )
        {
            let kind = self.type_between(start, self.at);
            return Expression::Construct(kind, self.values());
        }
        if path.is_empty() {
            Expression::Name(name)
        } else {
            Expression::Path(path, name)
        }
    }

    /// Passes over arguments of a template, if the following tokens show that there are some.
    fn pass_template(&mut self) {
        if self.text(self.at) == "<"
            && let Some(behind) = self.behind_angles(self.at)
        {
            let next = self.text(behind);
            if matches!(next, "(" | "::" | "{")
                || (matches!(next, ")" | "," | ";")
                    && self.looks_like_types(self.at + 1, behind - 1))
            {
                self.at = behind;
            }
        }
    }

    pub(super) fn looks_like_types(&self, start: usize, end: usize) -> bool {
        (start..end).any(|at| is_type_word(self.text(at)) || known(self.text(at)).is_some())
    }

    pub(super) fn postfix(&mut self, mut left: Expression<'a>) -> Expression<'a> {
        loop {
            if self.depth >= DEPTH {
                return left;
            }
            self.depth += 1;
            match self.text(self.at) {
                "(" => left = Expression::Call(Box::new(left), self.values()),
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
