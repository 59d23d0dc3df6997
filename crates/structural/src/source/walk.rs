//! Functions to words and concepts.

use std::collections::HashMap;

use super::idioms;
use super::known_words::KnownWords;
use super::tree::{Declared, Expression, Function, Statement};
use crate::library::documentation;
use crate::rendering::Rendering;
use crate::signature::{Shape, Trait};
use crate::types::{Type, known};
use crate::vocabulary::{Concept, Field};
use crate::words::{as_one_word, value_of_number, words_of_name};

/// Renders functions as one document; the signature is that of the last with parameters or a name.
pub(super) fn walk(functions: &[Function<'_>], has_conditions: bool) -> Rendering {
    walk_with(functions, has_conditions, None)
}

/// The same for a language with a table.
pub(super) fn walk_with(
    functions: &[Function<'_>],
    has_conditions: bool,
    known: Option<&KnownWords>,
) -> Rendering {
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
            known,
        };
        walker.run();
    }
    rendering
}

pub(super) struct Walker<'w, 'a> {
    pub(super) rendering: &'w mut Rendering,
    pub(super) function: &'w Function<'a>,
    /// Shapes of parameters and local variables.
    pub(super) types: HashMap<&'a str, Shape>,
    /// The values that are returned, in order.
    pub(super) returned: Vec<&'w Expression<'a>>,
    pub(super) loops: usize,
    pub(super) calls: usize,
    /// Inner ones included.
    pub(super) statements: usize,
    pub(super) is_main: bool,
    /// The words of the language; `None` for those of C and C++.
    pub(super) known: Option<&'w KnownWords>,
}

impl<'w, 'a> Walker<'w, 'a> {
    pub(super) fn run(&mut self) {
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
        if self.is_main
            && let Some(effects) = super::compute::effects(self.function)
        {
            crate::vectors::render(&effects, self.rendering);
        }
    }

    pub(super) fn signature(&mut self) {
        let function = self.function;
        let mut signature = crate::signature::Signature {
            returns: function.returns.shape,
            parameters: Vec::new(),
            is_counted: true,
            ..crate::signature::Signature::default()
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

    pub(super) fn type_words(&mut self, kind: &Type<'a>) {
        self.names_of_type(kind);
        let shape = kind.shape;
        for (one, words) in [
            (Trait::Pointer, "pointer"),
            (Trait::Text, "string"),
            (Trait::Array, "array"),
            (Trait::Callable, "callback function"),
            (Trait::Constant, "constant"),
            (Trait::Reference, "reference"),
        ] {
            if shape.has(one) {
                self.rendering.say(Field::Types, words);
            }
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

    fn names_of_type(&mut self, kind: &Type<'a>) {
        for name in &kind.names {
            match known(name) {
                Some(known) => self.rendering.say(Field::Types, known.words),
                None => self.names(name),
            }
        }
    }

    pub(super) fn names(&mut self, name: &str) {
        let words = &mut self.rendering.words;
        let before = words.len();
        words_of_name(name, |word| words.push((Field::Names, word.to_owned())));
        if words.len() > before + 1 {
            words.push((Field::Names, as_one_word(name)));
        }
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

    pub(super) fn data(&mut self, parameter: usize, what: &str) {
        let word = format!("p{}-{what}", parameter.min(9));
        self.rendering.words.push((Field::Data, word));
    }

    pub(super) fn block(&mut self, statements: &'w [Statement<'a>]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    pub(super) fn inner_loop(&mut self, body: &'w Statement<'a>) {
        self.rendering.add(Concept::Loop);
        if self.loops > 0 {
            self.rendering.add(Concept::NestedLoop);
        }
        self.loops += 1;
        self.statement(body);
        self.loops -= 1;
    }

    pub(super) fn statement(&mut self, statement: &'w Statement<'a>) {
        match statement {
            Statement::Block(inner) => return self.block(inner),
            Statement::Empty => return,
            _ => self.statements += 1,
        }
        match statement {
            Statement::Block(_) | Statement::Empty => {}
            Statement::Expression(value) => self.expression(value),
            Statement::Declaration(declared) => {
                for one in declared {
                    self.declared(one);
                }
            }
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
                // `do { … } while (0)` is not a loop.
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

    pub(super) fn declared(&mut self, declared: &'w Declared<'a>) {
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

    pub(super) fn null_check(&mut self, condition: &Expression<'a>) {
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

    pub(super) fn is_float(&self, value: &Expression<'a>) -> bool {
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

    pub(super) fn is_stream(&self, value: &Expression<'a>) -> bool {
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
    pub(super) fn root_parameter(&self, value: &Expression<'a>) -> Option<usize> {
        value.root().and_then(|root| self.parameter(root))
    }

    pub(super) fn stored(&mut self, target: &Expression<'a>) {
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

    fn expressions(&mut self, values: &[Expression<'a>]) {
        for value in values {
            self.expression(value);
        }
    }

    pub(super) fn expression(&mut self, value: &Expression<'a>) {
        match value {
            Expression::Name(name) => self.name(name),
            Expression::Path(path, name) => {
                for part in path.iter().filter(|part| **part != "std") {
                    self.names(part);
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
            Expression::Said(words, inner) => {
                self.rendering.say(Field::Idioms, words);
                self.expression(inner);
            }
            Expression::Call(callee, arguments) => {
                self.call(callee, arguments);
                self.expressions(arguments);
            }
            Expression::Construct(kind, values) => {
                self.names_of_type(kind);
                self.expressions(values);
            }
            Expression::Index(of, index) => {
                self.index(of, index);
                self.expression(of);
                self.expression(index);
            }
            Expression::Member(of, name) => {
                self.rendering.add(Concept::Member);
                self.reads(of);
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
                self.local(target);
            }
            Expression::Conditional(condition, then, otherwise) => {
                self.rendering.add(Concept::Conditional);
                self.expression(condition);
                self.null_check(condition);
                self.expression(then);
                self.expression(otherwise);
            }
            Expression::Cast(kind, inner) => {
                self.cast(kind, inner);
                self.names_of_type(kind);
                self.expression(inner);
            }
            Expression::SizeOf(inner) => self.with_inner(Concept::SizeOf, inner.as_deref()),
            Expression::List(values) | Expression::Comma(values) => self.expressions(values),
            Expression::Lambda(parameters, body) => {
                self.rendering.add(Concept::Lambda);
                for parameter in parameters {
                    self.types.insert(parameter.name, parameter.kind.shape);
                }
                self.lambda(body);
            }
            Expression::New(kind, values) => {
                self.rendering.add(Concept::New);
                self.names_of_type(kind);
                self.expressions(values);
            }
            Expression::Delete(inner) => self.with_inner(Concept::Delete, Some(inner)),
            Expression::Throw(inner) => self.with_inner(Concept::Throw, inner.as_deref()),
        }
    }

    fn with_inner(&mut self, concept: Concept, inner: Option<&Expression<'a>>) {
        self.rendering.add(concept);
        if let Some(inner) = inner {
            self.expression(inner);
        }
    }

    /// A parameter is read, if the value goes out from one.
    fn reads(&mut self, value: &Expression<'a>) {
        if let Some(parameter) = self.root_parameter(value) {
            self.data(parameter, "read");
        }
    }

    /// The shape in the signature of a parameter that is the whole expression.
    fn signature_of(&mut self, value: &Expression<'a>) -> Option<&mut Shape> {
        let parameter = value.name().and_then(|name| self.parameter(name))?;
        let parameters = &mut self.rendering.signature.parameters;
        parameters.get_mut(parameter).filter(|_| self.is_main)
    }

    fn index(&mut self, of: &Expression<'a>, index: &Expression<'a>) {
        self.rendering.add(Concept::Index);
        if let Expression::Number(text) = index
            && let Some(number) = value_of_number(text).and_then(|it| it.parse::<u8>().ok())
            && number < 16
        {
            self.rendering
                .words
                .push((Field::Data, format!("const-index-{number}")));
        }
        self.reads(of);
        if let Some(shape) = self.signature_of(of) {
            shape.add(Trait::Array);
        }
        if let Some(parameter) = index.name().and_then(|name| self.parameter(name)) {
            self.data(parameter, "index");
        }
        if matches!(of, Expression::Index(..)) {
            self.rendering
                .say(Field::Operators, "matrix two dimensional row column");
        }
    }

    fn cast(&mut self, kind: &Type<'a>, inner: &Expression<'a>) {
        self.rendering.add(Concept::Cast);
        let to = kind.shape;
        let to_float = to.has(Trait::Float) || to.has(Trait::Double);
        if !to.has(Trait::Pointer) && !to.has(Trait::Void) && to_float != self.is_float(inner) {
            self.rendering.add(Concept::ConvertFloat);
        }
        // The target type of a `void` pointer is named where the pointer is cast.
        if to.has(Trait::Pointer)
            && let Some(shape) = self.signature_of(inner)
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
                if to.has(one) {
                    shape.add(one);
                }
            }
        }
        if to.has(Trait::Void) {
            self.rendering
                .say(Field::Flow, "unused ignore parameter not used");
        }
    }

    /// The actions of a lambda are part of the function; its returned values are not those of the function.
    pub(super) fn lambda(&mut self, body: &[Statement<'a>]) {
        let mut inner = Walker {
            rendering: self.rendering,
            function: self.function,
            types: std::mem::take(&mut self.types),
            returned: Vec::new(),
            loops: self.loops,
            calls: self.calls,
            statements: 0,
            is_main: false,
            known: self.known,
        };
        inner.block(body);
        let types = std::mem::take(&mut inner.types);
        self.types = types;
    }

    /// The words of the documentation of a library function, in the language of the text.
    fn documentation(&self, name: &str) -> Option<&'static str> {
        let own = self.known.and_then(|known| known.documentation(name));
        own.or_else(|| documentation(name))
    }

    /// In languages without declarations, a name that is assigned is a local variable from there on.
    fn local(&mut self, target: &Expression<'a>) {
        match target {
            Expression::Name(name) if self.known.is_some() => {
                self.types.entry(name).or_default();
            }
            Expression::Comma(all) | Expression::List(all) => {
                for one in all {
                    self.local(one);
                }
            }
            _ => {}
        }
    }

    /// The words of a name that is also documented: methods of other languages share theirs with functions of C.
    fn named_too(&mut self, name: &str) {
        if self.known.is_some() {
            self.names(name);
        }
    }

    pub(super) fn call(&mut self, callee: &Expression<'a>, arguments: &[Expression<'a>]) {
        self.calls += 1;
        match callee {
            Expression::Name(name) => {
                if *name == self.function.name && !name.is_empty() {
                    self.rendering.add(Concept::Recursion);
                } else if self.parameter(name).is_some() || self.types.contains_key(name) {
                    self.rendering.add(Concept::IndirectCall);
                } else if let Some(words) = self.documentation(name) {
                    self.rendering.say(Field::Calls, words);
                    self.named_too(name);
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
                match self.documentation(name) {
                    Some(words) => self.rendering.say(Field::Calls, words),
                    None => self.names(name),
                }
            }
            Expression::Member(of, name) => {
                if let Some(words) = self.documentation(name) {
                    self.rendering.say(Field::Calls, words);
                    self.named_too(name);
                } else {
                    self.rendering.add(Concept::Call);
                    self.names(name);
                }
                self.reads(of);
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
}

fn ends_early(statement: &Statement) -> bool {
    match statement {
        Statement::Return(_) => true,
        Statement::Block(inner) => matches!(inner.last(), Some(Statement::Return(_))),
        _ => false,
    }
}
