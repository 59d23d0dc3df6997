//! Statements and declarations.

use std::ops::Range;

use super::parse::{DEPTH, Parser};
use super::tree::{Declared, Expression, Statement};
use crate::signature::Trait;
use crate::types::{is_specifier, is_type_word, known, shape_of};

impl<'a> Parser<'a> {
    /// Statements up to the token `end`, which is not taken.
    pub(super) fn statements(&mut self, end: usize) -> Vec<Statement<'a>> {
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

    pub(super) fn statement(&mut self, end: usize) -> Statement<'a> {
        if self.depth >= DEPTH {
            self.at = self.end_of_statement(end);
            return Statement::Empty;
        }
        self.depth += 1;
        let statement = self.statement_here(end);
        self.depth -= 1;
        statement
    }

    pub(super) fn statement_here(&mut self, end: usize) -> Statement<'a> {
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
            _ if !self.is_name(self.at) => return self.simple(end),
            _ => {}
        }
        let start = self.at;
        self.at += 1;
        match word {
            "if" => {
                self.eat("constexpr");
                let condition = self.condition();
                let then = self.inner(end);
                let otherwise = self.eat("else").then(|| self.inner(end));
                Statement::If(condition, then, otherwise)
            }
            "while" => Statement::While(self.condition(), self.inner(end)),
            "do" => {
                let body = self.inner(end);
                let condition = if self.eat("while") {
                    self.condition()
                } else {
                    Expression::Unknown
                };
                self.eat(";");
                Statement::DoWhile(body, condition)
            }
            "for" if self.text(self.at) == "(" => self.for_loop(end),
            "switch" => Statement::Switch(self.condition(), self.inner(end)),
            "case" => {
                let value = self.expression(3);
                while self.at < end && !matches!(self.text(self.at), ":" | ";" | "{" | "}") {
                    self.at += 1;
                }
                self.eat(":");
                Statement::Case(value)
            }
            "break" | "continue" => {
                self.eat(";");
                if word == "break" {
                    Statement::Break
                } else {
                    Statement::Continue
                }
            }
            "return" | "co_return" => {
                let value =
                    (self.text(self.at) != ";" && self.at < end).then(|| self.expression(0));
                self.at = self.end_of_statement(end);
                Statement::Return(value)
            }
            "try" => Statement::Try(self.inner(end)),
            "catch" => {
                if self.text(self.at) == "(" {
                    self.at = self.behind(self.at);
                }
                Statement::Catch(self.inner(end))
            }
            "else" => self.statement(end),
            _ => {
                self.at = start;
                self.passed_over(word, end)
                    .unwrap_or_else(|| self.simple(end))
            }
        }
    }

    /// The statement inside of another.
    fn inner(&mut self, end: usize) -> Box<Statement<'a>> {
        Box::new(self.statement(end))
    }

    /// Statements of which only the kind is read, and labels.
    fn passed_over(&mut self, word: &str, end: usize) -> Option<Statement<'a>> {
        let (next, second) = (self.text(self.at + 1), self.text(self.at + 2));
        let statement = match word {
            "default" if next == ":" => Some(Statement::Default),
            "goto" => Some(Statement::Goto),
            "asm" | "__asm__" | "__asm" => Some(Statement::Assembly),
            "using" | "typedef" | "static_assert" | "_Static_assert" => Some(Statement::Empty),
            "struct" | "class" | "union" | "enum" if next == "{" || matches!(second, "{" | ":") => {
                Some(Statement::Empty)
            }
            _ => None,
        };
        let is_label = match &statement {
            None => {
                next == ":" && (second != ":" || matches!(word, "public" | "private" | "protected"))
            }
            Some(statement) => matches!(statement, Statement::Default),
        };
        if is_label {
            self.at += 2;
            return statement.or(Some(Statement::Empty));
        }
        if statement.is_some() {
            self.at = self.end_of_statement(end);
        }
        statement
    }

    /// An expression in brackets, or a declaration with a value.
    pub(super) fn condition(&mut self) -> Expression<'a> {
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

    pub(super) fn for_loop(&mut self, end: usize) -> Statement<'a> {
        let close = self.closing(self.at);
        self.at += 1;
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
    pub(super) fn simple(&mut self, end: usize) -> Statement<'a> {
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
    pub(super) fn end_of_statement(&self, end: usize) -> usize {
        let mut at = self.at;
        while at < end {
            match self.text(at) {
                "(" | "[" | "{" => at = self.behind(at),
                ";" => return at + 1,
                "}" => return at,
                _ => at += 1,
            }
        }
        end
    }

    /// Returns `true` if the statement that begins here declares variables.
    pub(super) fn is_declaration(&self, end: usize) -> bool {
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

    pub(super) fn declaration(&mut self, end: usize) -> Statement<'a> {
        let start = self.at;
        let is_static = self.pass_type(end);
        let of_type = start..self.at;
        let mut declared = Vec::new();
        while self.at < end {
            let before = self.at;
            let one = self.declared(&of_type, declared.is_empty());
            declared.push(Declared { is_static, ..one });
            if !self.eat(",") || self.at == before {
                break;
            }
        }
        self.at = self.end_of_statement(end);
        Statement::Declaration(declared)
    }

    /// Passes over a type: words, paths, arguments of templates; whether it is that of one variable for all calls.
    fn pass_type(&mut self, end: usize) -> bool {
        let start = self.at;
        let mut is_static = false;
        let mut has_name = false;
        while self.at < end {
            let word = self.text(self.at);
            if self.is_name(self.at) {
                is_static |= word == "static" || word == "constexpr";
                if !is_type_word(word) && !is_specifier(word) {
                    let has_type = has_name || (start..self.at).any(|at| self.is_whole_type(at));
                    if has_type && self.is_declared_name() {
                        break;
                    }
                    has_name = true;
                }
                self.at += 1;
                if matches!(word, "decltype" | "__attribute__" | "alignas")
                    && self.text(self.at) == "("
                {
                    self.at = self.behind(self.at);
                    has_name = true;
                }
            } else if word == "<" {
                self.at = self.behind_angles(self.at).unwrap_or(self.at + 1);
            } else if word == "::" {
                self.at += 1;
                // The next word belongs to the same name.
                self.at += usize::from(self.is_name(self.at));
            } else {
                break;
            }
        }
        is_static
    }

    /// Returns `true` if a word can be all of a type: `unsigned` can, `const` cannot.
    fn is_whole_type(&self, at: usize) -> bool {
        let word = self.text(at);
        is_type_word(word) && !matches!(word, "const" | "struct" | "class" | "enum" | "union")
    }

    /// Returns `true` if a name behind a type is that of a variable, and no further word of the type.
    fn is_declared_name(&self) -> bool {
        let next = self.text(self.at + 1);
        let ends = matches!(next, "=" | ";" | "," | "[" | "(" | "{" | ":" | ")");
        next != "::" && (ends || known(self.text(self.at)).is_none())
    }

    /// One variable, with its marks, dimensions and value.
    fn declared(&mut self, of_type: &Range<usize>, is_first: bool) -> Declared<'a> {
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
        let name = self.declared_name(&mut marks, is_first);
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
        let mut kind = self.type_between(of_type.start, of_type.end);
        let value = match self.text(self.at) {
            "=" => {
                self.at += 1;
                Some(self.expression(2))
            }
            "(" | "{" => Some(Expression::Construct(kind.clone(), self.values())),
            ":" => {
                self.at += 1;
                self.expression(2);
                None
            }
            _ => None,
        };
        kind.shape = kind.shape.or(shape_of(&[], &marks).shape);
        if kind.shape.has(Trait::Char) && marks.contains(&"*") {
            kind.shape.add(Trait::Text);
        }
        Declared {
            name,
            kind,
            is_static: false,
            is_array,
            dimensions,
            value,
        }
    }

    /// The name of a variable, which may be in brackets as a pointer to a function or array does.
    fn declared_name(&mut self, marks: &mut Vec<&'a str>, is_first: bool) -> &'a str {
        if self.text(self.at) == "(" && matches!(self.text(self.at + 1), "*" | "&") {
            let close = self.closing(self.at);
            let name = (self.at..close).find(|at| self.is_name(*at));
            marks.push("*");
            self.at = close + 1;
            if self.text(self.at) == "(" {
                marks.push("()");
                self.at = self.behind(self.at);
            }
            return name.map_or("", |at| self.text(at));
        }
        if self.text(self.at) == "[" && is_first {
            // A structured binding.
            self.at = self.behind(self.at);
        } else if self.is_name(self.at) {
            self.at += 1;
            return self.text(self.at - 1);
        }
        ""
    }
}
