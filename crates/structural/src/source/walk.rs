//! Functions to words and concepts.

use std::collections::HashMap;

use super::idioms;
use super::tree::{Declared, Expression, Function, Statement};
use crate::library::documentation;
use crate::rendering::Rendering;
use crate::signature::{Shape, Trait};
use crate::types::{Type, known};
use crate::vocabulary::{Concept, Field};
use crate::words::{
    character_of_literal, first_character, value_of_number, words_of_character, words_of_name,
};

/// Renders functions as one document; the signature is that of the last with parameters or a name.
pub(super) fn walk<'a>(functions: &[Function<'a>], has_conditions: bool) -> Rendering {
    let mut rendering = Rendering::default();
    if has_conditions {
        rendering.add(Concept::ConditionalCompilation);
    }
    let main = functions
        .iter()
        .rposition(|function| !function.name.is_empty())
        .unwrap_or(0);
    for (at, function) in functions.iter().enumerate() {
        let mut walker = Walker {
            rendering: &mut rendering,
            function,
            types: HashMap::new(),
            returned: Vec::new(),
            loops: 0,
            calls: 0,
            statements: 0,
            is_main: at == main,
        };
        walker.run();
    }
    rendering
}

pub(super) struct Walker<'w, 'a> {
    pub(super) rendering: &'w mut Rendering,
    pub(super) function: &'w Function<'a>,
    /// Shapes of parameters and local variables.
    types: HashMap<&'a str, Shape>,
    /// What is returned, in order.
    returned: Vec<&'w Expression<'a>>,
    loops: usize,
    calls: usize,
    statements: usize,
    is_main: bool,
}

impl<'w, 'a> Walker<'w, 'a> {
    fn run(&mut self) {
        let function = self.function;
        for parameter in &function.parameters {
            self.types.insert(parameter.name, parameter.kind.shape);
        }
        if self.is_main && !function.name.is_empty() {
            self.signature();
        }
        self.names(function.name);
        if let Some(class) = function.class {
            self.names(class);
        }
        for parameter in &function.parameters {
            self.names(parameter.name);
        }
        for value in &function.initialized {
            self.rendering.once(Concept::Initialize);
            self.expression(value);
        }
        if function.body.is_empty() && function.initialized.is_empty() {
            self.rendering.add(Concept::EmptyBody);
        }
        self.block(&function.body);
        if self.statements == 1 {
            self.rendering.add(Concept::SingleStatement);
        }
        self.results();
        idioms::find(self);
    }

    fn signature(&mut self) {
        let function = self.function;
        let mut signature = crate::signature::Signature {
            returns: function.returns.shape,
            parameters: Vec::new(),
            is_counted: true,
            written: Vec::new(),
        };
        if function.is_constructor || function.is_destructor {
            signature.returns = Shape::default();
        }
        self.type_words(&function.returns);
        for parameter in &function.parameters {
            self.type_words(&parameter.kind);
            signature.parameters.push(parameter.kind.shape);
        }
        for specifier in &function.specifiers {
            let concept = match *specifier {
                "inline" | "__inline" | "__inline__" | "__forceinline" => Concept::Inline,
                "static" => Concept::Static,
                "constexpr" | "consteval" => Concept::CompileTime,
                "noexcept" => Concept::NoThrow,
                _ => continue,
            };
            self.rendering.once(concept);
        }
        if function.is_constructor {
            self.rendering
                .say(Field::Types, "constructor initialize object");
        }
        if function.is_destructor {
            self.rendering
                .say(Field::Types, "destructor destroy object release");
        }
        if function.is_operator {
            self.rendering.say(Field::Types, "operator overload");
            let words = match function.name {
                "<<" => "output stream insert print",
                ">>" => "input stream extract",
                "==" => "equal compare",
                "!=" => "not equal compare",
                "<" => "less compare order",
                "+" => "add sum concatenate",
                "-" => "subtract difference",
                "*" => "multiply dereference",
                "[" => "element index access",
                "(" => "call function object",
                "=" => "assign copy",
                _ => "",
            };
            self.rendering.say(Field::Types, words);
        }
        if signature.returns.has(Trait::Void) && !signature.returns.has(Trait::Pointer) {
            self.rendering.add(Concept::ReturnsNothing);
        }
        self.rendering.signature = signature;
    }

    fn type_words(&mut self, kind: &Type<'a>) {
        for name in &kind.names {
            if let Some(known) = known(name) {
                self.rendering.say(Field::Types, known.words);
            } else {
                self.names(name);
            }
        }
        let shape = kind.shape;
        if shape.has(Trait::Pointer) {
            self.rendering.say(Field::Types, "pointer");
        }
        if shape.has(Trait::Text) {
            self.rendering.say(Field::Types, "string");
        }
        if shape.has(Trait::Array) {
            self.rendering.say(Field::Types, "array");
        }
        if shape.has(Trait::Callable) {
            self.rendering.say(Field::Types, "callback function");
        }
        if shape.has(Trait::Constant) {
            self.rendering.say(Field::Types, "constant");
        }
        if shape.has(Trait::Reference) {
            self.rendering.say(Field::Types, "reference");
        }
        if shape.has(Trait::Unsigned)
            && !kind
                .names
                .iter()
                .any(|it| known(it).is_some_and(|it| it.words.contains("unsigned")))
        {
            self.rendering.say(Field::Types, "unsigned integer");
        }
    }

    pub(super) fn names(&mut self, name: &str) {
        let words = &mut self.rendering.words;
        words_of_name(name, |word| words.push((Field::Names, word.to_owned())));
    }

    pub(super) fn shape(&self, name: &str) -> Option<Shape> {
        self.types.get(name).copied()
    }

    pub(super) fn parameter(&self, name: &str) -> Option<usize> {
        self.function
            .parameters
            .iter()
            .position(|it| it.name == name && !name.is_empty())
    }

    fn data(&mut self, parameter: usize, what: &str) {
        let word = format!("p{}-{what}", parameter.min(9));
        self.rendering.words.push((Field::Data, word));
    }

    fn block(&mut self, statements: &'w [Statement<'a>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn inner_loop(&mut self, body: &'w Statement<'a>) {
        self.rendering.add(Concept::Loop);
        if self.loops > 0 {
            self.rendering.add(Concept::NestedLoop);
        }
        self.loops += 1;
        self.statement(body);
        self.loops -= 1;
    }

    fn statement(&mut self, statement: &'w Statement<'a>) {
        match statement {
            Statement::Block(inner) => return self.block(inner),
            Statement::Empty => return,
            _ => self.statements += 1,
        }
        match statement {
            Statement::Block(_) | Statement::Empty => {}
            Statement::Expression(value) => self.expression(value),
            Statement::Declaration(declared) => declared.iter().for_each(|one| self.declared(one)),
            Statement::If(condition, then, otherwise) => {
                self.rendering.add(Concept::Branch);
                self.expression(condition);
                self.null_check(condition);
                self.statement(then);
                if let Some(otherwise) = otherwise {
                    self.rendering.add(Concept::Otherwise);
                    self.statement(otherwise);
                }
                if ends_early(then) {
                    self.rendering.once(Concept::EarlyReturn);
                }
            }
            Statement::While(condition, body) => {
                if matches!(condition, Expression::True)
                    || matches!(condition, Expression::Number("1"))
                {
                    self.rendering.add(Concept::EndlessLoop);
                } else {
                    self.rendering.add(Concept::WhileLoop);
                }
                self.expression(condition);
                self.inner_loop(body);
            }
            Statement::DoWhile(body, condition) => {
                // `do { … } while (0)` is no loop.
                if matches!(condition, Expression::Number("0") | Expression::False) {
                    self.statement(body);
                } else {
                    self.rendering.add(Concept::WhileLoop);
                    self.inner_loop(body);
                    self.expression(condition);
                }
            }
            Statement::For {
                first,
                condition,
                step,
                body,
            } => {
                self.statement(first);
                self.statements -= usize::from(!matches!(**first, Statement::Empty));
                if let Some(condition) = condition {
                    self.rendering.add(Concept::CountedLoop);
                    self.expression(condition);
                } else {
                    self.rendering.add(Concept::EndlessLoop);
                }
                if let Some(step) = step {
                    self.expression(step);
                }
                self.inner_loop(body);
            }
            Statement::ForEach {
                variable,
                over,
                body,
            } => {
                self.rendering.add(Concept::CountedLoop);
                self.declared(variable);
                self.expression(over);
                self.inner_loop(body);
            }
            Statement::Switch(value, body) => {
                self.rendering.add(Concept::Switch);
                self.expression(value);
                self.statement(body);
            }
            Statement::Case(value) => {
                self.statements -= 1;
                self.expression(value);
            }
            Statement::Default => self.rendering.add(Concept::Default),
            Statement::Break => {
                if self.loops > 0 {
                    self.rendering.add(Concept::Break);
                }
            }
            Statement::Continue => self.rendering.add(Concept::Continue),
            Statement::Goto => self.rendering.add(Concept::Goto),
            Statement::Return(value) => {
                if let Some(value) = value {
                    self.returned.push(value);
                    self.expression(value);
                }
            }
            Statement::Try(body) => self.statement(body),
            Statement::Catch(body) => {
                self.rendering.add(Concept::Catch);
                self.statement(body);
            }
            Statement::Assembly => self.rendering.add(Concept::Assembly),
        }
    }

    fn declared(&mut self, declared: &'w Declared<'a>) {
        let shape = declared.kind.shape;
        self.types.insert(declared.name, shape);
        self.names(declared.name);
        for name in &declared.kind.names {
            if let Some(known) = known(name) {
                let is_plain = matches!(*name, "int" | "auto" | "char" | "unsigned" | "size_t");
                if !is_plain {
                    self.rendering.say(Field::Types, known.words);
                }
            } else {
                self.names(name);
            }
        }
        if declared.is_array && declared.is_static {
            self.rendering.add(Concept::Table);
        } else if declared.is_array {
            self.rendering.say(Field::Types, "array buffer local");
        }
        if declared.is_static {
            self.rendering.say(Field::Types, "static");
        }
        for dimension in &declared.dimensions {
            self.expression(dimension);
        }
        if let Some(value) = &declared.value {
            self.expression(value);
        }
    }

    fn null_check(&mut self, condition: &Expression<'a>) {
        let is_pointer = |walker: &Self, value: &Expression<'a>| {
            value
                .name()
                .and_then(|name| walker.shape(name))
                .is_some_and(|shape| shape.has(Trait::Pointer))
        };
        let found = match condition {
            Expression::Binary("==" | "!=", left, right) => {
                matches!(**right, Expression::Null)
                    || matches!(**left, Expression::Null)
                    || (matches!(**right, Expression::Number("0")) && is_pointer(self, left))
            }
            Expression::Unary("!", inner) => is_pointer(self, inner),
            Expression::Binary("&&" | "||", left, right) => {
                self.null_check(left);
                self.null_check(right);
                false
            }
            other => is_pointer(self, other),
        };
        if found {
            self.rendering.once(Concept::NullCheck);
        }
    }

    fn is_float(&self, value: &Expression<'a>) -> bool {
        let is_float = |shape: Shape| {
            (shape.has(Trait::Float) || shape.has(Trait::Double)) && !shape.has(Trait::Pointer)
        };
        match value {
            Expression::Name(name) => self.shape(name).is_some_and(is_float),
            Expression::Number(text) => {
                !text.starts_with("0x")
                    && !text.starts_with("0X")
                    && (text.contains('.') || text.ends_with('f') || text.contains(['e', 'E']))
            }
            Expression::Cast(kind, _) | Expression::Construct(kind, _) => is_float(kind.shape),
            Expression::Binary("+" | "-" | "*" | "/", left, right) => {
                self.is_float(left) || self.is_float(right)
            }
            Expression::Unary("-" | "+", inner) => self.is_float(inner),
            Expression::Unary("*", inner) | Expression::Index(inner, _) => {
                let shape = inner.root().and_then(|root| self.shape(root));
                shape.is_some_and(|shape| shape.has(Trait::Float) || shape.has(Trait::Double))
            }
            _ => false,
        }
    }

    fn is_stream(&self, value: &Expression<'a>) -> bool {
        match value {
            Expression::Binary("<<" | ">>", left, _) => self.is_stream(left),
            Expression::Path(_, name) | Expression::Name(name) => {
                matches!(*name, "cout" | "cerr" | "clog" | "cin" | "wcout" | "wcerr")
                    || self
                        .shape(name)
                        .is_some_and(|shape| shape.has(Trait::Stream))
            }
            Expression::Unary("*", inner) => self.is_stream(inner),
            Expression::Construct(kind, _) => kind.shape.has(Trait::Stream),
            Expression::String(_) => true,
            _ => false,
        }
    }

    /// The parameter that a value goes out from.
    fn root_parameter(&self, value: &Expression<'a>) -> Option<usize> {
        value.root().and_then(|root| self.parameter(root))
    }

    fn stored(&mut self, target: &Expression<'a>) {
        let is_through = match target {
            Expression::Index(..) | Expression::Member(..) | Expression::Unary("*", _) => true,
            Expression::Name(name) => self
                .shape(name)
                .is_some_and(|shape| shape.has(Trait::Reference)),
            _ => false,
        };
        if is_through {
            self.rendering.add(Concept::Store);
        }
        if let Some(parameter) = self.root_parameter(target) {
            if is_through {
                self.data(parameter, "written");
                let written = &mut self.rendering.signature.written;
                if self.is_main && !written.contains(&parameter) {
                    written.push(parameter);
                }
            } else if self.loops > 0 {
                self.data(parameter, "walked");
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm for each kind of expression")]
    fn expression(&mut self, value: &Expression<'a>) {
        match value {
            Expression::Name(name) => self.name(name),
            Expression::Path(path, name) => {
                for part in path {
                    if *part != "std" {
                        self.names(part);
                    }
                }
                self.constant_or_name(name);
            }
            Expression::Number(text) => self.number(text),
            Expression::String(text) => self.string(text),
            Expression::Character(text) => self.character(text),
            Expression::True => self.rendering.say(Field::Literals, "true"),
            Expression::False => self.rendering.say(Field::Literals, "false"),
            Expression::Null => self.rendering.say(Field::Literals, "null nullptr"),
            Expression::This | Expression::Unknown => {}
            Expression::Call(callee, arguments) => {
                self.call(callee, arguments);
                for argument in arguments {
                    self.expression(argument);
                }
            }
            Expression::Construct(kind, values) => {
                for name in &kind.names {
                    match known(name) {
                        Some(known) => self.rendering.say(Field::Types, known.words),
                        None => self.names(name),
                    }
                }
                values.iter().for_each(|value| self.expression(value));
            }
            Expression::Index(of, index) => {
                self.rendering.add(Concept::Index);
                if let Expression::Number(text) = &**index
                    && let Some(number) = value_of_number(text).and_then(|it| it.parse::<u8>().ok())
                    && number < 16
                {
                    self.rendering
                        .words
                        .push((Field::Data, format!("const-index-{number}")));
                }
                if let Some(parameter) = self.root_parameter(of) {
                    self.data(parameter, "read");
                    let is_direct = of.name().is_some();
                    if is_direct
                        && self.is_main
                        && let Some(shape) = self.rendering.signature.parameters.get_mut(parameter)
                    {
                        shape.add(Trait::Array);
                    }
                }
                if let Some(parameter) = index.name().and_then(|name| self.parameter(name)) {
                    self.data(parameter, "index");
                }
                if matches!(&**of, Expression::Index(..)) {
                    self.rendering
                        .say(Field::Operators, "matrix two dimensional row column");
                }
                self.expression(of);
                self.expression(index);
            }
            Expression::Member(of, name) => {
                self.rendering.add(Concept::Member);
                if let Some(parameter) = self.root_parameter(of) {
                    self.data(parameter, "read");
                }
                self.names(name);
                self.expression(of);
            }
            Expression::Unary(operator, inner) => {
                self.unary(operator, inner);
                self.expression(inner);
            }
            Expression::Postfix(operator, inner) => {
                self.rendering.add(if *operator == "++" {
                    Concept::Increment
                } else {
                    Concept::Decrement
                });
                self.stored(inner);
                self.expression(inner);
            }
            Expression::Binary(operator, left, right) => {
                self.binary(operator, left, right);
                self.expression(left);
                self.expression(right);
            }
            Expression::Assign(operator, target, value) => {
                self.assign(operator, target, value);
                self.stored(target);
                self.expression(target);
                self.expression(value);
            }
            Expression::Conditional(condition, then, otherwise) => {
                self.rendering.add(Concept::Conditional);
                self.expression(condition);
                self.null_check(condition);
                self.expression(then);
                self.expression(otherwise);
            }
            Expression::Cast(kind, inner) => {
                self.rendering.add(Concept::Cast);
                let to_float = (kind.shape.has(Trait::Float) || kind.shape.has(Trait::Double))
                    && !kind.shape.has(Trait::Pointer);
                if to_float != self.is_float(inner)
                    && !kind.shape.has(Trait::Pointer)
                    && !kind.shape.has(Trait::Void)
                {
                    self.rendering.add(Concept::ConvertFloat);
                }
                // What a pointer to nothing points at is said where it is cast.
                if kind.shape.has(Trait::Pointer)
                    && self.is_main
                    && let Some(parameter) = inner.name().and_then(|name| self.parameter(name))
                    && let Some(shape) = self.rendering.signature.parameters.get_mut(parameter)
                    && shape.has(Trait::VoidPointer)
                {
                    for one in [
                        Trait::Char,
                        Trait::Text,
                        Trait::Byte,
                        Trait::Int,
                        Trait::Unsigned,
                        Trait::Float,
                        Trait::Double,
                    ] {
                        if kind.shape.has(one) {
                            shape.add(one);
                        }
                    }
                }
                if kind.shape.has(Trait::Void) {
                    self.rendering
                        .say(Field::Flow, "unused ignore parameter not used");
                }
                for name in &kind.names {
                    match known(name) {
                        Some(known) => self.rendering.say(Field::Types, known.words),
                        None => self.names(name),
                    }
                }
                self.expression(inner);
            }
            Expression::SizeOf(inner) => {
                self.rendering.add(Concept::SizeOf);
                if let Some(inner) = inner {
                    self.expression(inner);
                }
            }
            Expression::List(values) | Expression::Comma(values) => {
                values.iter().for_each(|value| self.expression(value))
            }
            Expression::Lambda(parameters, body) => {
                self.rendering.add(Concept::Lambda);
                for parameter in parameters {
                    self.types.insert(parameter.name, parameter.kind.shape);
                }
                self.lambda(body);
            }
            Expression::New(kind, values) => {
                self.rendering.add(Concept::New);
                for name in &kind.names {
                    match known(name) {
                        Some(known) => self.rendering.say(Field::Types, known.words),
                        None => self.names(name),
                    }
                }
                values.iter().for_each(|value| self.expression(value));
            }
            Expression::Delete(inner) => {
                self.rendering.add(Concept::Delete);
                self.expression(inner);
            }
            Expression::Throw(inner) => {
                self.rendering.add(Concept::Throw);
                if let Some(inner) = inner {
                    self.expression(inner);
                }
            }
        }
    }

    /// What a lambda does is part of what the function does; what it returns is not what the function returns.
    fn lambda(&mut self, body: &[Statement<'a>]) {
        let mut inner = Walker {
            rendering: self.rendering,
            function: self.function,
            types: std::mem::take(&mut self.types),
            returned: Vec::new(),
            loops: self.loops,
            calls: self.calls,
            statements: 0,
            is_main: false,
        };
        inner.block(body);
        let types = std::mem::take(&mut inner.types);
        self.types = types;
    }

    fn name(&mut self, name: &'a str) {
        if self.types.contains_key(name) {
            if let Some(parameter) = self.parameter(name) {
                self.data(parameter, "read");
            }
            return;
        }
        self.constant_or_name(name);
    }

    fn constant_or_name(&mut self, name: &str) {
        let words = match name {
            "stdout" | "cout" | "wcout" => "standard output console stdout",
            "stderr" | "cerr" | "clog" => "standard error stderr",
            "stdin" | "cin" => "standard input stdin",
            "errno" => "error number errno",
            "EOF" => "end file",
            "SEEK_SET" => "beginning start",
            "SEEK_CUR" => "current",
            "SEEK_END" => "end",
            "INT_MAX" | "LONG_MAX" | "UINT_MAX" | "SIZE_MAX" | "UINT32_MAX" | "INT32_MAX"
            | "ULONG_MAX" | "LLONG_MAX" | "DBL_MAX" | "FLT_MAX" => "maximum limit largest value",
            "INT_MIN" | "LONG_MIN" | "INT32_MIN" | "LLONG_MIN" | "DBL_MIN" | "FLT_MIN" => {
                "minimum limit smallest value"
            }
            "DBL_EPSILON" | "FLT_EPSILON" | "EPSILON" => "epsilon tolerance precision small",
            "M_PI" | "PI" | "M_PI_2" => "pi angle radian",
            "NAN" => "nan not number",
            "INFINITY" | "HUGE_VAL" => "infinity",
            "CHAR_BIT" => "bit byte",
            "npos" => "not found position",
            "EINTR" => "interrupted retry",
            "EINVAL" => "invalid argument error",
            "ENOMEM" => "memory error",
            "EAGAIN" | "EWOULDBLOCK" => "again blocking retry",
            "O_NONBLOCK" => "nonblocking",
            "O_RDONLY" => "read only",
            "EXIT_FAILURE" => "failure exit",
            "EXIT_SUCCESS" => "success exit",
            "__FILE__" => "file name",
            "__LINE__" => "line number",
            _ => "",
        };
        if words.is_empty() {
            self.names(name);
        } else {
            self.rendering.say(Field::Calls, words);
        }
    }

    fn number(&mut self, text: &str) {
        let Some(value) = value_of_number(text) else {
            return;
        };
        match value.as_str() {
            "0" => self.rendering.say(Field::Literals, "0 zero"),
            "1" => self.rendering.say(Field::Literals, "1 one"),
            _ => {
                self.rendering.say(Field::Literals, &value);
                if text.starts_with("0x") || text.starts_with("0X") {
                    self.rendering.say(Field::Literals, "hexadecimal");
                    if value.len() > 4 {
                        self.rendering.say(Field::Literals, "constant");
                    }
                } else if value.len() > 4 {
                    self.rendering.say(Field::Literals, "constant");
                }
            }
        }
    }

    fn character(&mut self, text: &str) {
        let Some(c) = character_of_literal(text) else {
            return;
        };
        self.rendering.say(Field::Literals, "character");
        self.one_character(c);
    }

    fn one_character(&mut self, c: char) {
        let words = words_of_character(c);
        self.rendering.say(Field::Literals, words);
        if c.is_ascii_graphic() {
            self.rendering
                .words
                .push((Field::Literals, format!("'{c}'")));
        }
    }

    fn string(&mut self, text: &'a str) {
        let start = text.find('"').unwrap_or(0);
        let inner = text.get(start + 1..).unwrap_or_default();
        let inner = inner.strip_suffix('"').unwrap_or(inner);
        self.rendering.say(Field::Strings, "string literal");
        if inner.is_empty() {
            self.rendering.say(Field::Literals, "empty");
            return;
        }
        let length = inner.chars().count();
        if length == 1 || (length == 2 && inner.starts_with('\\')) {
            if let Some(c) = first_character(inner) {
                self.one_character(c);
            }
            return;
        }
        let mut rest = inner;
        while let Some(at) = rest.find('%') {
            rest = rest.get(at + 1..).unwrap_or_default();
            let kind =
                rest.trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #.*lhzjtL".contains(c));
            let words = match kind.chars().next() {
                Some('d' | 'i' | 'u') => "format integer decimal number",
                Some('x' | 'X' | 'p') => "format hexadecimal",
                Some('s') => "format string",
                Some('c') => "format character",
                Some('f' | 'g' | 'e') => "format floating number",
                _ => "",
            };
            self.rendering.say(Field::Strings, words);
        }
        if inner.contains("\\n") {
            self.rendering.say(Field::Strings, "newline");
        }
        if inner.contains("\\x") || inner.contains("\\u") {
            self.rendering.say(Field::Strings, "byte sequence escape");
        }
        let words = &mut self.rendering.words;
        for part in inner
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|part| !part.is_empty())
            .take(60)
        {
            if part.bytes().all(|byte| byte.is_ascii_digit()) {
                words.push((Field::Strings, part.to_owned()));
            } else {
                words_of_name(part, |word| words.push((Field::Strings, word.to_owned())));
            }
        }
    }

    fn call(&mut self, callee: &Expression<'a>, arguments: &[Expression<'a>]) {
        self.calls += 1;
        match callee {
            Expression::Name(name) => {
                if *name == self.function.name && !name.is_empty() {
                    self.rendering.add(Concept::Recursion);
                } else if self.parameter(name).is_some() || self.types.contains_key(name) {
                    self.rendering.add(Concept::IndirectCall);
                } else if let Some(words) = documentation(name) {
                    self.rendering.say(Field::Calls, words);
                } else {
                    self.rendering.add(Concept::Call);
                    self.names(name);
                }
            }
            Expression::Path(path, name) => {
                for part in path {
                    match (known(part), *part) {
                        (Some(known), _) => self.rendering.say(Field::Types, known.words),
                        (None, "std" | "detail" | "internal") => {}
                        (None, other) => self.names(other),
                    }
                }
                match documentation(name) {
                    Some(words) => self.rendering.say(Field::Calls, words),
                    None => self.names(name),
                }
            }
            Expression::Member(of, name) => {
                match documentation(name) {
                    Some(words) => self.rendering.say(Field::Calls, words),
                    None => {
                        self.rendering.add(Concept::Call);
                        self.names(name);
                    }
                }
                if let Some(parameter) = self.root_parameter(of) {
                    self.data(parameter, "read");
                }
                self.expression(of);
            }
            Expression::Unary("*", inner) => {
                self.rendering.add(Concept::IndirectCall);
                self.expression(inner);
            }
            other => self.expression(other),
        }
        for argument in arguments {
            if let Expression::Unary("&", inner) = argument
                && let Some(parameter) = self.root_parameter(inner)
            {
                self.data(parameter, "written");
            }
        }
    }

    fn unary(&mut self, operator: &str, inner: &Expression<'a>) {
        let concept = match operator {
            "!" => Concept::LogicalNot,
            "~" => Concept::BitNot,
            "-" => {
                if let Expression::Number(text) = inner {
                    if let Some(value) = value_of_number(text) {
                        self.rendering
                            .words
                            .push((Field::Literals, format!("-{value}")));
                    }
                    self.rendering.say(Field::Literals, "negative");
                    return;
                }
                Concept::Negate
            }
            "*" => {
                if let Some(parameter) = self.root_parameter(inner) {
                    self.data(parameter, "read");
                }
                Concept::Load
            }
            "&" => Concept::AddressOf,
            "++" => Concept::Increment,
            "--" => Concept::Decrement,
            _ => return,
        };
        if matches!(operator, "++" | "--") {
            self.stored(inner);
        }
        self.rendering.add(concept);
    }

    fn binary(&mut self, operator: &str, left: &Expression<'a>, right: &Expression<'a>) {
        if matches!(operator, "<<" | ">>") && self.is_stream(left) {
            let words = if operator == "<<" {
                "write output stream print insert"
            } else {
                "read input stream extract"
            };
            return self.rendering.say(Field::Calls, words);
        }
        let is_float = matches!(operator, "+" | "-" | "*" | "/")
            && (self.is_float(left) || self.is_float(right));
        if is_float {
            self.rendering.once(Concept::FloatArithmetic);
        }
        let concept = match operator {
            "==" => Concept::Equal,
            "!=" => Concept::NotEqual,
            "<" | "<=" => Concept::Less,
            ">" | ">=" => Concept::Greater,
            "<=>" => Concept::ThreeWay,
            "+" | "-" if matches!(right, Expression::Number("1")) => {
                let (first, second) = if operator == "+" {
                    (Concept::Add, Concept::Increment)
                } else {
                    (Concept::Subtract, Concept::Decrement)
                };
                self.rendering.add(first);
                second
            }
            "+" => Concept::Add,
            "-" => Concept::Subtract,
            "*" => Concept::Multiply,
            "/" => Concept::Divide,
            "%" => Concept::Remainder,
            "&" => Concept::BitAnd,
            "|" => Concept::BitOr,
            "^" => Concept::BitXor,
            "<<" => Concept::ShiftLeft,
            ">>" => Concept::ShiftRight,
            "&&" => Concept::LogicalAnd,
            "||" => Concept::LogicalOr,
            _ => return,
        };
        self.rendering.add(concept);
    }

    fn assign(&mut self, operator: &str, target: &Expression<'a>, value: &Expression<'a>) {
        let one = matches!(value, Expression::Number("1"));
        let concept = match operator {
            "+=" if one => Concept::Increment,
            "-=" if one => Concept::Decrement,
            "+=" => {
                let shape = target
                    .root()
                    .and_then(|root| self.shape(root))
                    .unwrap_or_default();
                if shape.has(Trait::StringClass) {
                    return self
                        .rendering
                        .say(Field::Calls, "append concatenate add string");
                }
                Concept::Add
            }
            "-=" => Concept::Subtract,
            "*=" => Concept::Multiply,
            "/=" => Concept::Divide,
            "%=" => Concept::Remainder,
            "&=" => Concept::BitAnd,
            "|=" => Concept::BitOr,
            "^=" => Concept::BitXor,
            "<<=" => Concept::ShiftLeft,
            ">>=" => Concept::ShiftRight,
            _ => return,
        };
        if self.is_float(target) || self.is_float(value) {
            self.rendering.once(Concept::FloatArithmetic);
        }
        self.rendering.add(concept);
    }

    /// What is returned, over all places where something is.
    fn results(&mut self) {
        let returned = std::mem::take(&mut self.returned);
        let returns_bool = self.function.returns.shape.has(Trait::Bool);
        let mut constants = 0;
        for value in &returned {
            constants += usize::from(self.result(value, returns_bool));
        }
        if constants > 0
            && constants == returned.len()
            && constants == 1
            && self.statements <= 1 + self.function.parameters.len()
        {
            self.rendering.add(Concept::ReturnsConstant);
        }
    }

    /// Says what a returned value is; whether it is a constant.
    fn result(&mut self, value: &Expression<'a>, returns_bool: bool) -> bool {
        let concept = match value {
            Expression::Number(text) => match value_of_number(text).as_deref() {
                Some("0") if returns_bool => Concept::ReturnsFalse,
                Some("1") if returns_bool => Concept::ReturnsTrue,
                Some("0") => Concept::ReturnsZero,
                Some("1") => Concept::ReturnsOne,
                _ => return true,
            },
            Expression::Unary("-", inner) if matches!(&**inner, Expression::Number("1")) => {
                Concept::ReturnsMinusOne
            }
            Expression::Unary("-", inner) if matches!(&**inner, Expression::Number(_)) => {
                return true;
            }
            Expression::Name("FALSE") | Expression::False => Concept::ReturnsFalse,
            Expression::Name("TRUE") | Expression::True => Concept::ReturnsTrue,
            Expression::Null => Concept::ReturnsNull,
            Expression::String(_) => Concept::ReturnsLiteral,
            Expression::Character(_) => return true,
            Expression::Name(name) => {
                if let Some(parameter) = self.parameter(name) {
                    self.data(parameter, "returned");
                    Concept::ReturnsParameter
                } else if self.types.contains_key(name) {
                    Concept::ReturnsLocal
                } else {
                    self.rendering.add(Concept::ReturnsMember);
                    return true;
                }
            }
            Expression::Path(..) => return true,
            Expression::Member(..) => Concept::ReturnsMember,
            Expression::Index(..) => Concept::ReturnsElement,
            Expression::Unary("*", inner) if matches!(&**inner, Expression::This) => {
                Concept::ReturnsObject
            }
            Expression::Unary("*", inner) => {
                if let Some(parameter) = self.root_parameter(inner) {
                    self.data(parameter, "returned");
                }
                Concept::ReturnsMember
            }
            Expression::Unary("&", _) => Concept::ReturnsAddress,
            Expression::Unary("!", _)
            | Expression::Binary("==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||", ..) => {
                Concept::ReturnsComparison
            }
            Expression::Binary(..) | Expression::Unary(..) => {
                let is_constant = is_constant(value);
                self.rendering.once(Concept::ReturnsArithmetic);
                return is_constant;
            }
            Expression::Call(..) => Concept::ReturnsCall,
            Expression::Conditional(_, then, otherwise) => {
                let then = self.result(then, returns_bool);
                let otherwise = self.result(otherwise, returns_bool);
                let _ = (then, otherwise);
                return false;
            }
            Expression::Cast(_, inner) => return self.result(inner, returns_bool),
            Expression::Comma(parts) => {
                if parts
                    .iter()
                    .all(|part| matches!(part, Expression::String(_)))
                {
                    self.rendering.once(Concept::ReturnsLiteral);
                    return true;
                }
                return false;
            }
            _ => return false,
        };
        self.rendering.once(concept);
        matches!(
            concept,
            Concept::ReturnsZero
                | Concept::ReturnsOne
                | Concept::ReturnsMinusOne
                | Concept::ReturnsTrue
                | Concept::ReturnsFalse
                | Concept::ReturnsNull
                | Concept::ReturnsLiteral
        )
    }

    /// How many calls there are.
    pub(super) fn calls(&self) -> usize {
        self.calls
    }

    /// How many statements there are, inner ones included.
    pub(super) fn statements(&self) -> usize {
        self.statements
    }
}

fn is_constant(value: &Expression) -> bool {
    match value {
        Expression::Number(_) | Expression::Character(_) => true,
        Expression::Binary(_, left, right) => is_constant(left) && is_constant(right),
        Expression::Unary(_, inner) | Expression::Cast(_, inner) => is_constant(inner),
        _ => false,
    }
}

fn ends_early(statement: &Statement) -> bool {
    match statement {
        Statement::Return(_) => true,
        Statement::Block(inner) => matches!(inner.last(), Some(Statement::Return(_))),
        _ => false,
    }
}
