//! Which names a file declares, in which name space, and what they stand for.
//!
//! Declarations are read from the parse tree; those inside macro replacements from a parse of the
//! replacement by itself, as statements and as declarations. A name that is declared nowhere in the file is
//! the standard library's or the compiler's, and is left alone.

use std::collections::{BTreeMap, BTreeSet};

use barecode_corpus::closure::BEFORE_HEADERS;
use barecode_corpus::preprocess::directive::DirectiveKind;
use barecode_corpus::preprocess::lex::{Token, TokenKind};
use barecode_corpus::preprocess::macros::Macro;
use barecode_corpus::preprocess::unit::{Mark, Reading, SourceText};
use barecode_corpus::syntax::{declarators, declared_name, declares_function, parse};
use barecode_languages::words::{WordKind, is_word};
use barecode_records::{Language, Role};
use tree_sitter::Node;

use super::{Key, cpp};

/// C's name spaces (C17 section 6.2.3), and those of the preprocessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Space {
    /// Functions, variables, typedef names, enumerators.
    Ordinary,
    /// Tags of `struct`, `union`, `enum`.
    Tag,
    /// Members; one space for all types.
    Member,
    /// Labels; one space for all functions.
    Label,
    /// Macros.
    Macro,
    /// Parameters of macros.
    Parameter,
    /// Pieces that `##` joins, which are no names by themselves.
    Fragment,
}

impl Space {
    /// All name spaces.
    pub const ALL: [Space; 7] = [
        Space::Ordinary,
        Space::Tag,
        Space::Member,
        Space::Label,
        Space::Macro,
        Space::Parameter,
        Space::Fragment,
    ];
}

/// The names of a file.
#[derive(Debug)]
pub struct Declared {
    language: Language,
    /// What each declared name stands for.
    pub roles: BTreeMap<Key, Role>,
    /// C++: identifiers that are surely somebody else's, by first byte.
    pub foreign: BTreeSet<usize>,
    /// C++: names that stand for a member in places and for something else in others, which no text tells apart.
    pub joined: BTreeSet<Box<str>>,
    /// C++: names of the ordinary space that are declared outside of functions.
    pub(super) outside: BTreeSet<Box<str>>,
    /// The name space of identifiers that the parser could place, by first byte.
    spaces: BTreeMap<usize, Space>,
    /// The parameters of each macro, by the first byte of its name in its `#define`.
    parameters: BTreeMap<usize, Vec<Box<str>>>,
}

impl Declared {
    /// Reads the names of a file.
    pub fn of(reading: &Reading, file: &SourceText, language: Language) -> Declared {
        let mut declared = Declared {
            language,
            roles: BTreeMap::new(),
            foreign: BTreeSet::new(),
            joined: BTreeSet::new(),
            outside: BTreeSet::new(),
            spaces: BTreeMap::new(),
            parameters: BTreeMap::new(),
        };
        if language == Language::C {
            declared.c(reading);
        }
        for directive in file
            .lines
            .directives
            .iter()
            .filter(|directive| directive.kind == DirectiveKind::Define)
        {
            declared.definition(file, &file.lines.tokens[directive.tokens.clone()]);
        }
        // What macros declare decides what uses mean, so they come first.
        if language == Language::CPP {
            cpp::read(&mut declared, reading, file);
        }
        declared
    }

    fn c(&mut self, reading: &Reading) {
        let seen = reading.masked(|mark| mark == Mark::Code);
        self.tree(&seen, &Places::Own);
        let macros = [&reading.declaration_macros, &reading.inner_macros];
        for call in macros.into_iter().flatten() {
            self.tree(&call.expansion, &Places::None);
        }
    }

    /// What a name stands for in a name space.
    pub fn role(&self, space: Space, name: &str) -> Option<Role> {
        let name = name.into();
        self.roles.get(&Key { space, name }).copied()
    }

    /// Says which name space the identifier at a byte belongs to.
    pub(super) fn place(&mut self, byte: usize, space: Space) {
        self.spaces.insert(byte, space);
    }

    /// C++: which name space a plain use of a name belongs to. Where that cannot be told, the name spaces become one.
    pub(super) fn meant(&mut self, name: &str, is_local: bool) -> Space {
        if is_local {
            return Space::Ordinary;
        }
        let is_member = self.role(Space::Member, name).is_some();
        let is_other = self.outside.contains(name);
        if is_member && is_other {
            self.joined.insert(name.into());
        }
        if is_member && !is_other {
            Space::Member
        } else {
            Space::Ordinary
        }
    }

    /// The name space of the identifier that begins at a byte, where the parser knows it.
    pub fn space_at(&self, byte: usize) -> Option<Space> {
        self.spaces.get(&byte).copied()
    }

    /// The parameters of the macro whose name begins at a byte.
    pub fn parameters_at(&self, byte: usize) -> &[Box<str>] {
        self.parameters.get(&byte).map_or(&[], Vec::as_slice)
    }

    /// Whether a name is declared in any name space but those of macro parameters and fragments.
    pub fn contains(&self, name: &str) -> bool {
        let spaces = [
            Space::Ordinary,
            Space::Tag,
            Space::Member,
            Space::Label,
            Space::Macro,
        ];
        spaces.into_iter().any(|space| {
            self.roles.contains_key(&Key {
                space,
                name: name.into(),
            })
        })
    }

    pub(super) fn insert(&mut self, space: Space, name: &str, role: Role) {
        let is_word = match self.language {
            Language::C => is_c_keyword(name),
            _ => is_keyword(name),
        };
        // The first declaration decides: a typedef that a local variable shadows stays a typedef.
        if !name.is_empty() && !is_word && !is_predefined(name) {
            self.roles
                .entry(Key {
                    space,
                    name: name.into(),
                })
                .or_insert(role);
        }
    }

    fn definition(&mut self, file: &SourceText, tokens: &[Token]) {
        let Some((name, definition)) = Macro::parse(tokens, &file.text) else {
            return;
        };
        self.insert(Space::Macro, &name, Role::Macro);
        let parameters: Vec<Box<str>> = definition
            .parameters
            .iter()
            .flatten()
            .map(|name| (**name).into())
            .collect();
        for parameter in parameters
            .iter()
            .filter(|parameter| &***parameter != "__VA_ARGS__")
        {
            self.insert(Space::Parameter, parameter, Role::Variable);
        }
        self.parameters.insert(tokens[0].start, parameters);
        let body = &tokens[tokens.len() - definition.body.len()..];
        let has_names = body.iter().any(|token| token.kind == TokenKind::Identifier);
        if !has_names || body.iter().any(|token| token.text(&file.text) == "##") {
            return;
        }
        // A replacement is statements, or declarations, or the members of a type.
        for (before, after) in [
            ("void f(void) { ", " ; }"),
            ("", " ;"),
            ("struct s { ", " };"),
        ] {
            let mut text = before.to_owned();
            let mut places = BTreeMap::new();
            for token in body {
                places.insert(text.len(), token.start);
                text.push_str(token.text(&file.text));
                text.push(' ');
            }
            text.push_str(after);
            let parsed = match self.language {
                Language::C => self.tree(&text, &Places::Mapped(places)),
                _ => {
                    let added = if before.starts_with("void") { "f" } else { "s" };
                    cpp::replacement(self, &text, added)
                }
            };
            if parsed {
                break;
            }
        }
    }

    /// Reads the declarations of a text; says whether it could.
    fn tree(&mut self, text: &str, places: &Places) -> bool {
        let Some(tree) = parse(text, Language::C) else {
            return false;
        };
        // Alone, a replacement is rarely a whole construct; what the parser guesses then proves nothing.
        if !matches!(places, Places::Own) && tree.root_node().has_error() {
            return false;
        }
        let mut stack = vec![tree.root_node()];
        while let Some(node) = stack.pop() {
            self.node(node, text, places);
            let mut cursor = node.walk();
            stack.extend(node.named_children(&mut cursor));
        }
        true
    }

    fn node(&mut self, node: Node, text: &str, places: &Places) {
        let shown = |node: Node| text.get(node.byte_range()).unwrap_or_default().to_owned();
        match node.kind() {
            "function_definition" => {
                let name = node
                    .child_by_field_name("declarator")
                    .and_then(declared_name);
                if let Some(name) = name.filter(|name| places.of(name.start_byte()).is_known()) {
                    self.insert(Space::Ordinary, &shown(name), Role::Function);
                }
            }
            "declaration" | "parameter_declaration" => {
                for declarator in declarators(node) {
                    if let Some(name) = declared_name(declarator) {
                        let function =
                            node.kind() == "declaration" && declares_function(declarator);
                        let role = match node.kind() {
                            _ if function => Role::Function,
                            "parameter_declaration" => Role::Parameter,
                            _ => Role::Variable,
                        };
                        self.insert(Space::Ordinary, &shown(name), role);
                    }
                }
            }
            "type_definition" => {
                for name in declarators(node).into_iter().filter_map(declared_name) {
                    self.insert(Space::Ordinary, &shown(name), Role::Typedef);
                }
            }
            "field_declaration" => {
                for name in declarators(node).into_iter().filter_map(declared_name) {
                    self.insert(Space::Member, &shown(name), Role::Field);
                }
            }
            "struct_specifier" | "union_specifier" | "enum_specifier" => {
                let role = match node.kind() {
                    "struct_specifier" => Role::Struct,
                    "union_specifier" => Role::Union,
                    _ => Role::Enum,
                };
                if let Some(name) = node.child_by_field_name("name") {
                    // A tag is declared where it is first mentioned, unless the standard library has it.
                    let declares = node.child_by_field_name("body").is_some() || stands_alone(node);
                    if declares && places.of(name.start_byte()).is_known() {
                        self.insert(Space::Tag, &shown(name), role);
                    }
                }
            }
            "enumerator" => {
                if let Some(name) = node.child_by_field_name("name") {
                    self.insert(Space::Ordinary, &shown(name), Role::Enumerator);
                }
            }
            "labeled_statement" => {
                if let Some(label) = node.child_by_field_name("label") {
                    self.insert(Space::Label, &shown(label), Role::Label);
                }
            }
            // K&R parameters are bare identifiers between the parentheses.
            "parameter_list" | "identifier_list" => {
                let mut cursor = node.walk();
                for child in node
                    .named_children(&mut cursor)
                    .filter(|child| child.kind() == "identifier")
                {
                    self.insert(Space::Ordinary, &shown(child), Role::Parameter);
                }
            }
            _ => {}
        }
        let space = match node.kind() {
            "identifier" => Space::Ordinary,
            "field_identifier" => Space::Member,
            "statement_identifier" => Space::Label,
            "type_identifier" => {
                let tag = node.parent().is_some_and(|parent| {
                    matches!(
                        parent.kind(),
                        "struct_specifier" | "union_specifier" | "enum_specifier"
                    )
                });
                if tag { Space::Tag } else { Space::Ordinary }
            }
            _ => return,
        };
        if let Place::At(byte) = places.of(node.start_byte()) {
            self.spaces.insert(byte, space);
        }
    }
}

/// How places of a parsed text are places of the file.
enum Places {
    /// They are.
    Own,
    /// Those of these tokens are; the others were added for the parser.
    Mapped(BTreeMap<usize, usize>),
    /// They are not.
    None,
}

/// Where in the file a byte of a parsed text stands.
enum Place {
    At(usize),
    Nowhere,
    /// It was added for the parser.
    Added,
}

impl Places {
    fn of(&self, byte: usize) -> Place {
        match self {
            Places::Own => Place::At(byte),
            Places::Mapped(places) => places
                .get(&byte)
                .map_or(Place::Added, |&byte| Place::At(byte)),
            Places::None => Place::Nowhere,
        }
    }
}

impl Place {
    fn is_known(&self) -> bool {
        !matches!(self, Place::Added)
    }
}

/// Whether a type specifier without a body is a declaration by itself: `struct later;`.
fn stands_alone(node: Node) -> bool {
    // `typedef struct x x;` is how most projects declare a type that is defined elsewhere.
    let declaring = ["translation_unit", "compound_statement", "type_definition"];
    node.parent()
        .is_some_and(|parent| declaring.contains(&parent.kind()))
}

/// Words that are no names in C or in C++.
pub fn is_keyword(name: &str) -> bool {
    const KINDS: WordKind = WordKind::CPP20
        .or(WordKind::ALTERNATIVE)
        .or(WordKind::CONTEXTUAL);
    is_c_keyword(name) || is_word(name, KINDS) || matches!(name, "std" | "__decltype")
}

/// Words that are no names in C: its keywords with gcc's, and what the language itself predefines.
fn is_c_keyword(name: &str) -> bool {
    const KINDS: WordKind = WordKind::C17.or(WordKind::C23).or(WordKind::COMPILER);
    is_word(name, KINDS) || matches!(name, "defined" | "__VA_ARGS__" | "__VA_OPT__")
}

/// Names that stand for something before the first line; a project may redefine them, never rename them.
fn is_predefined(name: &str) -> bool {
    BEFORE_HEADERS.contains(&name) || name.starts_with("__builtin_")
}
