//! The items at the top of a module, and the functions in it.
//!
//! An [`Item`] is a statement of the module, or one name of an import. A class has its statements as members, so that
//! a caller that needs some methods of a class need not use the rest. The reads of an item state its needs: names
//! that the module binds, or that are not bound in it.
//!
//! A [`Definition`] is a function in the module or in a class, also under a condition (`if`, `try`). A function
//! inside of a function is a part of that function.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use barecode_records::Span;
use ruff_python_ast::helpers::is_docstring_stmt;
use ruff_python_ast::name::Name as Spelling;
use ruff_python_ast::visitor::{Visitor, walk_stmt};
use ruff_python_ast::{AnyNodeRef, Expr, Stmt, StmtFunctionDef};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::rename::words;
use crate::scope::Use;
use crate::walk::{receiver, walk, walk_body};
use crate::{Module, Names, ScopeId};

/// Names that every module has without binding them.
static GIVEN: LazyLock<Vec<&str>> = LazyLock::new(|| words::list("given"));

/// The kind of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ItemKind {
    /// One name that an import binds.
    Import(Imported),
    /// A function.
    Function,
    /// A class.
    Class,
    /// Anything else: an assignment, a condition, a call.
    Other,
}

/// A name that comes from elsewhere.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// The dotted name of the module; empty in `from . import x`.
    pub module: String,
    /// The number of dots before it.
    pub level: u32,
    /// The name that is imported from it: `*` for all; `None` if the module itself is bound.
    pub member: Option<String>,
    /// The name that it gets, if it is another one.
    pub renamed: Option<String>,
    /// A line that imports this only.
    pub line: String,
}

/// A statement of a module or a class, or one name of an import.
#[derive(Debug, Clone)]
pub struct Item {
    /// Its kind.
    pub kind: ItemKind,
    /// The range: with its decorators, from the first byte of its line if the line has nothing else.
    pub span: Span,
    /// The names that it binds in its own scope.
    pub binds: Names,
    /// The imports by name, if it is a statement with imports inside.
    pub imports: BTreeMap<String, Imported>,
    /// The names that it reads from the module or that are not bound there; of a class with members, those of its
    /// head.
    pub reads: Names,
    /// Those of them that only its decorators read.
    pub decorators: Names,
    /// The names that it reads from the class that it is in.
    pub reads_of_class: Names,
    /// The names of attributes in it.
    pub attributes: Names,
    /// Of a class: the bytes before its first statement, which end with a line end.
    pub head: Option<Span>,
    /// Of a class: its statements.
    pub members: Vec<Item>,
}

/// A docstring.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Docstring {
    /// Its value, without what indents it.
    pub text: String,
    /// The first line, from 1.
    pub start_line: u32,
    /// The last line.
    pub end_line: u32,
}

/// A function in a module or in a class.
#[derive(Debug, Clone)]
pub struct Definition {
    /// Its name.
    pub name: String,
    /// The classes around it, the outermost first.
    pub classes: Vec<String>,
    /// The range, as for items.
    pub span: Span,
    /// Its first line, that of a decorator if it has one.
    pub start_line: u32,
    /// Its last line.
    pub end_line: u32,
    /// Its docstring.
    pub docstring: Option<Docstring>,
    /// The block of comments that ends on the line above it.
    pub comment: Option<Docstring>,
    /// True if it does nothing: its body is a docstring, `pass`, `...`, or raises `NotImplementedError`.
    pub is_stub: bool,
    /// The item that it is, or that it is in, by its index in [`Module::items`].
    pub item: usize,
    /// The member that it is, or that it is in, if that is a class.
    pub member: Option<usize>,
    /// The names that it reads from the module or that are not bound there.
    pub reads: Names,
    /// The attributes that it reads from names, in order, each once: `np`, `array` in `np.array`.
    pub qualified: Vec<(Spelling, Spelling)>,
    /// Its first parameter, if it is a method that gets its object.
    pub receiver: Option<String>,
}

impl Module<'_> {
    /// The statements of the module, and each imported name for itself.
    pub fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        for statement in self.body() {
            self.add_item(statement, &mut items);
        }
        items
    }

    /// The functions of the module and its classes, in order.
    pub fn definitions(&self) -> Vec<Definition> {
        let mut finder = Finder {
            module: self,
            classes: Vec::new(),
            at: (0, None),
            found: Vec::new(),
        };
        let mut next = 0;
        for statement in self.body() {
            let count = item_count(statement);
            finder.at = (next, None);
            if let Stmt::ClassDef(class) = statement {
                finder.classes.push(class.name.to_string());
                for (member, statement) in class.body.iter().enumerate() {
                    finder.at = (next, Some(member));
                    finder.visit_stmt(statement);
                }
                finder.classes.pop();
            } else {
                finder.visit_stmt(statement);
            }
            next += count;
        }
        finder.found
    }

    /// The names that the module reads and does not bind, builtins aside; with a star import, none.
    pub fn unbound(&self) -> BTreeSet<String> {
        let scopes = self.scopes();
        if scopes.has_star_import {
            return BTreeSet::new();
        }
        let open = scopes.names().iter().filter(|name| {
            name.binding.is_none()
                && name.usage == Use::Read
                && !words::is_builtin(&name.name)
                && !GIVEN.contains(&name.name.as_str())
        });
        open.map(|name| name.name.to_string()).collect()
    }

    /// Every word that may be a name, in order: those of strings, comments and keywords are not among them.
    pub fn words(&self) -> impl Iterator<Item = Span> {
        let tokens = self.tokens().iter();
        tokens
            .filter(|token| token.kind() == ruff_python_ast::token::TokenKind::Name)
            .map(|token| span(token.range()))
    }

    /// Returns the number of decisions that a text has, and one for each function: the cyclomatic complexity (`McCabe`
    /// 1976).
    ///
    /// Decisions are `if`, `elif`, `for`, `while`, `except`, `case`, conditional expressions, `for` and `if` of
    /// comprehensions, `and` and `or` by operator.
    pub fn complexity(&self) -> u32 {
        let (mut functions, mut decisions) = (0, 0);
        walk(self, |node, _| {
            decisions += match node {
                AnyNodeRef::StmtFunctionDef(_) => {
                    functions += 1;
                    0
                }
                AnyNodeRef::StmtFor(_)
                | AnyNodeRef::StmtWhile(_)
                | AnyNodeRef::StmtIf(_)
                | AnyNodeRef::ExprIf(_)
                | AnyNodeRef::ExceptHandlerExceptHandler(_)
                | AnyNodeRef::MatchCase(_) => 1,
                AnyNodeRef::ElifElseClause(clause) => usize::from(clause.test.is_some()),
                AnyNodeRef::ExprBoolOp(operation) => operation.values.len().saturating_sub(1),
                AnyNodeRef::Comprehension(comprehension) => 1 + comprehension.ifs.len(),
                _ => 0,
            };
        });
        u32::try_from(functions.max(1) + decisions).unwrap_or(u32::MAX)
    }

    fn add_item(&self, statement: &Stmt, items: &mut Vec<Item>) {
        let import = |imported: Imported, bound: &str| Item {
            kind: ItemKind::Import(imported),
            binds: Names::from_iter([Spelling::from(bound)]),
            ..self.item(ItemKind::Other, statement.range(), None)
        };
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => {
                let each = imported(statement).into_iter();
                items.extend(each.map(|(name, imported)| import(imported, &name)));
            }
            Stmt::FunctionDef(_) => items.push(self.decorated(statement, None)),
            Stmt::ClassDef(class) => {
                let mut item = self.decorated(statement, None);
                let first = class.body.first().map_or(statement.end(), Ranged::start);
                let first = self.begin(first);
                let start = self.begin(statement.start());
                if first > start && self.line_start(first) == first {
                    let head = TextRange::new(statement.start(), first);
                    item = Item {
                        decorators: item.decorators,
                        ..self.item(ItemKind::Class, head, None)
                    };
                    item.span.end = statement.end().to_u32();
                    item.head = Some(span(TextRange::new(start, first)));
                    let scope = self.scopes().of_class(class);
                    let members = class.body.iter();
                    item.members = members
                        .map(|statement| self.decorated(statement, scope))
                        .collect();
                }
                items.push(item);
            }
            _ => {
                let mut item = self.item(ItemKind::Other, statement.range(), None);
                let mut inner = Imports(Vec::new());
                inner.visit_stmt(statement);
                for (name, imported) in inner.0 {
                    item.imports.insert(name, imported);
                }
                items.push(item);
            }
        }
    }

    /// A statement as an item, with the names that its decorators read.
    fn decorated(&self, statement: &Stmt, class: Option<ScopeId>) -> Item {
        let (kind, decorators) = match statement {
            Stmt::FunctionDef(function) => (ItemKind::Function, &function.decorator_list),
            Stmt::ClassDef(class) => (ItemKind::Class, &class.decorator_list),
            _ => return self.item(ItemKind::Other, statement.range(), class),
        };
        let mut item = self.item(kind, statement.range(), class);
        if let Some(last) = decorators.last() {
            let rest = TextRange::new(last.end(), statement.end());
            let elsewhere = self.item(ItemKind::Other, rest, class).reads;
            item.decorators = item.reads.without(&elsewhere);
        }
        item
    }

    /// An item, with the names in its range.
    fn item(&self, kind: ItemKind, range: TextRange, class: Option<ScopeId>) -> Item {
        let own = class.unwrap_or(0);
        let (mut binds, mut reads, mut reads_of_class) = (Vec::new(), Vec::new(), Vec::new());
        for name in self.scopes().names_in(range) {
            let is_own = name.binding == Some(own);
            // As it is spelled: attributes are, too.
            let spelled = || Spelling::from(self.of(name.range));
            if is_own && matches!(name.usage, Use::Bind | Use::Parameter) {
                binds.push(spelled());
            }
            if class.is_some() && is_own {
                reads_of_class.push(spelled());
            } else if name.binding.is_none_or(|scope| scope == 0) {
                reads.push(name.name.clone());
            }
        }
        Item {
            kind,
            span: span(TextRange::new(self.begin(range.start()), range.end())),
            binds: binds.into_iter().collect(),
            imports: BTreeMap::new(),
            reads: reads.into_iter().collect(),
            decorators: Names::default(),
            reads_of_class: reads_of_class.into_iter().collect(),
            attributes: self.attributes(range),
            head: None,
            members: Vec::new(),
        }
    }

    /// The first byte of the line of a position, if only blanks are before it on the line.
    fn begin(&self, place: TextSize) -> TextSize {
        let start = self.line_start(place);
        let before = self.of(TextRange::new(start, place));
        if before.trim().is_empty() {
            start
        } else {
            place
        }
    }

    fn attributes(&self, range: TextRange) -> Names {
        let tokens: Vec<_> = self.tokens_in(range).collect();
        let pairs = tokens.windows(2);
        let after_dot =
            pairs.filter(|pair| pair[0].kind() == ruff_python_ast::token::TokenKind::Dot);
        after_dot
            .map(|pair| Spelling::from(self.of(pair[1].range())))
            .collect()
    }

    fn definition(&self, function: &StmtFunctionDef, finder: &Finder<'_, '_>) -> Definition {
        let range = function.range();
        let start = self.begin(range.start());
        let line = |place: TextSize| self.line_of(place.to_u32());
        let item = self.item(ItemKind::Function, range, None);
        let receiver = receiver(function).filter(|_| !finder.classes.is_empty());
        let mut qualified = Vec::new();
        walk_body(&function.body, |node, _| {
            if let AnyNodeRef::ExprAttribute(attribute) = node
                && let Expr::Name(of) = &*attribute.value
            {
                qualified.push((of.id.clone(), attribute.attr.id.clone()));
            }
        });
        qualified.sort_unstable();
        qualified.dedup();
        qualified.shrink_to_fit();
        Definition {
            name: function.name.to_string(),
            classes: finder.classes.clone(),
            span: span(TextRange::new(start, range.end())),
            start_line: line(range.start()),
            end_line: line(range.end()),
            docstring: self.docstring_of(&function.body),
            comment: self.comment_above(start),
            is_stub: function.body.iter().all(is_nothing),
            item: finder.at.0,
            member: finder.at.1,
            reads: item.reads,
            qualified,
            receiver: receiver.map(|receiver| receiver.name.to_string()),
        }
    }

    fn docstring_of(&self, body: &[Stmt]) -> Option<Docstring> {
        let first = body.first().filter(|first| is_docstring_stmt(first))?;
        let Stmt::Expr(statement) = first else {
            return None;
        };
        let Expr::StringLiteral(literal) = &*statement.value else {
            return None;
        };
        let line = |place: TextSize| self.line_of(place.to_u32());
        Some(Docstring {
            text: clean_doc(literal.value.to_str()),
            start_line: line(first.start()),
            end_line: line(first.end()),
        })
    }

    /// The lines of comments right above a line, without their marks.
    fn comment_above(&self, line: TextSize) -> Option<Docstring> {
        let indentation = self.indentation(line);
        let mut above: Vec<&str> = Vec::new();
        let mut start = line;
        while start > TextSize::new(0) {
            let before = self.line_start(start - TextSize::new(1));
            let text = self.of(TextRange::new(before, start));
            let rest = text.strip_prefix(indentation);
            if !rest.is_some_and(|rest| rest.starts_with('#')) {
                break;
            }
            above.push(text);
            start = before;
        }
        above.reverse();
        let count = above.len();
        if count == 0 {
            return None;
        }
        // A `#` inside of a string begins no comment.
        if !self
            .comments()
            .any(|comment| self.line_start(comment.start()) == start)
        {
            return None;
        }
        let is_note = |line: &str| {
            let line = line.trim_start_matches(['#', ' ', '\t', '!', ':']);
            let marks = [
                "type:", "noqa", "pylint:", "pragma", "fmt:", "mypy:", "pyright:", "-*-",
            ];
            marks.iter().any(|mark| line.starts_with(mark))
        };
        let text: Vec<&str> = above
            .iter()
            .map(|line| line.trim_start())
            .filter(|line| !is_note(line))
            .map(|line| line.trim_start_matches('#').trim())
            .collect();
        let last = self.line_of(line.to_u32());
        Some(Docstring {
            text: text.join("\n").trim().to_owned(),
            start_line: last - u32::try_from(count).unwrap_or_default(),
            end_line: last - 1,
        })
        .filter(|comment| !comment.text.is_empty())
    }
}

/// A docstring as `inspect.cleandoc` reads it: without the blanks that all lines but the first have in common.
fn clean_doc(value: &str) -> String {
    let lines: Vec<String> = value
        .lines()
        .map(|line| line.replace('\t', "        "))
        .collect();
    let blanks = |line: &String| line.len() - line.trim_start_matches(' ').len();
    let indented = lines.iter().skip(1).filter(|line| !line.trim().is_empty());
    let margin = indented.map(blanks).min().unwrap_or(0);
    let mut made: Vec<&str> = Vec::with_capacity(lines.len());
    for (index, line) in lines.iter().enumerate() {
        made.push(if index == 0 {
            line.trim_start()
        } else {
            line.get(margin..).unwrap_or_default()
        });
    }
    made.join("\n").trim_matches(['\n', ' ']).to_owned()
}

/// Returns `true` if a statement of a body does nothing.
fn is_nothing(statement: &Stmt) -> bool {
    match statement {
        Stmt::Pass(_) => true,
        Stmt::Expr(expression) => {
            matches!(
                &*expression.value,
                Expr::StringLiteral(_) | Expr::EllipsisLiteral(_)
            )
        }
        Stmt::Raise(raise) => {
            let raised = raise.exc.as_deref().map(|raised| match raised {
                Expr::Call(call) => &*call.func,
                other => other,
            });
            matches!(raised, Some(Expr::Name(name)) if name.id.as_str() == "NotImplementedError")
        }
        _ => false,
    }
}

/// The imports of a statement, by the names that it binds.
fn imported(statement: &Stmt) -> Vec<(String, Imported)> {
    let (names, from) = match statement {
        Stmt::Import(found) => (&found.names, None),
        Stmt::ImportFrom(found) => (&found.names, Some(found)),
        _ => return Vec::new(),
    };
    let each = names.iter().map(|alias| {
        let name = alias.name.to_string();
        let renamed = alias.asname.as_ref().map(ToString::to_string);
        let mut line = format!("import {name}");
        line.extend(renamed.iter().map(|renamed| format!(" as {renamed}")));
        let (bound, module, level, member) = if let Some(found) = from {
            let module = found.module.as_ref().map_or("", |name| name.as_str());
            line = format!("from {}{module} {line}", ".".repeat(found.level as usize));
            (name.clone(), module.to_owned(), found.level, Some(name))
        } else {
            let top = name.split('.').next().unwrap_or_default();
            (top.to_owned(), name, 0, None)
        };
        let bound = renamed.clone().unwrap_or(bound);
        let imported = Imported {
            module,
            level,
            member,
            renamed,
            line,
        };
        (bound, imported)
    });
    each.collect()
}

/// Finds imports outside of functions and classes.
struct Imports(Vec<(String, Imported)>);

impl<'a> Visitor<'a> for Imports {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::Import(_) | Stmt::ImportFrom(_) => self.0.extend(imported(statement)),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => {}
            other => walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

fn item_count(statement: &Stmt) -> usize {
    match statement {
        Stmt::Import(import) => import.names.len(),
        Stmt::ImportFrom(import) => import.names.len(),
        _ => 1,
    }
}

/// A range as records have it.
pub(crate) fn span(range: TextRange) -> Span {
    Span {
        start: range.start().to_u32(),
        end: range.end().to_u32(),
    }
}

/// Finds the functions outside of functions.
struct Finder<'m, 't> {
    module: &'m Module<'t>,
    classes: Vec<String>,
    at: (usize, Option<usize>),
    found: Vec<Definition>,
}

impl<'a> Visitor<'a> for Finder<'_, '_> {
    fn visit_stmt(&mut self, statement: &'a Stmt) {
        match statement {
            Stmt::FunctionDef(function) => {
                let definition = self.module.definition(function, self);
                self.found.push(definition);
            }
            Stmt::ClassDef(class) => {
                self.classes.push(class.name.to_string());
                self.visit_body(&class.body);
                self.classes.pop();
            }
            other => walk_stmt(self, other),
        }
    }

    fn visit_expr(&mut self, _: &'a Expr) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\"\"\"A module.\"\"\"
import os, numpy as np
from .near import helper as h, other

LIMIT = 3


# How far it goes.
# noqa: all of it
@np.vectorize
def outer(x):
    \"\"\"Adds.

        Deeper.
    \"\"\"
    def inner(y):
        return y + LIMIT
    return inner(x) if x and h(x) else np.zeros(x)

class A(other):
    size: int = LIMIT
    @staticmethod
    def make(): ...
    def get(self):
        return self.size + missing

if os.name == 'nt':
    def late(): return 1; x = 2
";

    #[test]
    fn definitions_are_found_with_what_is_said_of_them() {
        let module = Module::parse(TEXT).unwrap();
        let found = module.definitions();
        let names: Vec<String> = found
            .iter()
            .map(|definition| {
                let mut name = definition.classes.join(".");
                name.push(':');
                name + &definition.name
            })
            .collect();
        assert_eq!(names, [":outer", "A:make", "A:get", ":late"]);
        let outer = &found[0];
        assert!(outer.span.of(TEXT).starts_with("@np.vectorize\ndef outer"));
        assert!(outer.span.of(TEXT).ends_with("np.zeros(x)"));
        assert_eq!((outer.start_line, outer.end_line), (10, 18));
        assert_eq!(outer.docstring.as_ref().unwrap().text, "Adds.\n\nDeeper.");
        assert_eq!(outer.comment.as_ref().unwrap().text, "How far it goes.");
        let read: Vec<&str> = outer.reads.iter().collect();
        assert_eq!(read, ["LIMIT", "h", "np", "outer"]);
        assert!(found[1].is_stub && !found[2].is_stub);
        assert_eq!(
            found[2].span.dedented(TEXT),
            "def get(self):\n    return self.size + missing"
        );
        let pair = ("self".into(), "size".into());
        assert!(found[2].qualified.contains(&pair) && found[2].receiver.as_deref() == Some("self"));
        assert_eq!(
            module.unbound().into_iter().collect::<Vec<_>>(),
            ["missing"]
        );
    }

    #[test]
    fn an_import_is_an_item_for_each_name() {
        let module = Module::parse(TEXT).unwrap();
        let items = module.items();
        let lines: Vec<&str> = items
            .iter()
            .filter_map(|item| match &item.kind {
                ItemKind::Import(imported) => Some(imported.line.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(
            lines,
            [
                "import os",
                "import numpy as np",
                "from .near import helper as h",
                "from .near import other"
            ]
        );
        let class = items
            .iter()
            .find(|item| item.kind == ItemKind::Class)
            .unwrap();
        assert_eq!(class.head.unwrap().of(TEXT), "class A(other):\n");
        assert_eq!(class.members.len(), 3);
        assert!(class.reads.has("other") && !class.reads.has("missing"));
        let definitions = module.definitions();
        let of = |name: &str| definitions.iter().find(|it| it.name == name).unwrap();
        assert!(items[of("outer").item].binds.has("outer"));
        assert!(
            items[of("get").item].members[of("get").member.unwrap()]
                .binds
                .has("get")
        );
    }

    #[test]
    fn decisions_are_counted() {
        let of = |text: &str| Module::parse(text).unwrap().complexity();
        assert_eq!(of("def f(x):\n    return x\n"), 1);
        assert_eq!(
            of("def f(x):\n    if x: return 1\n    elif x > 2: return 2\n    else: return 3\n"),
            3
        );
        assert_eq!(
            of("def f(x):\n    return [y for y in x if y and x or y]\n"),
            5
        );
        assert_eq!(
            of(
                "def f(x):\n    try:\n        g()\n    except A:\n        pass\n    except B:\n        pass\n"
            ),
            3
        );
        assert_eq!(of(""), 1);
    }
}
