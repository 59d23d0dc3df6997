//! The declarations in the active code of a text, by its syntax tree.

use std::collections::{BTreeMap, BTreeSet};

use barecode_corpus::syntax::{declarators, declared_name, declares_function, is_tagged_type};
use tree_sitter::Node;

use super::entities::Kind;

/// The names that a text declares.
#[derive(Debug, Default)]
pub(super) struct Declared<'t> {
    /// The positions of declared names with their kinds; these override [`Declared::names`].
    pub(super) places: BTreeMap<usize, Kind>,
    /// The kinds that a name was declared as.
    pub(super) names: BTreeMap<&'t str, BTreeSet<Kind>>,
    /// Parameter lists of prototypes: the names of their parameters do not belong to any entity.
    pub(super) prototypes: Vec<(usize, usize)>,
    /// Positions of the names that prototypes declare.
    pub(super) prototype_names: BTreeSet<usize>,
    /// Positions of labels.
    pub(super) labels: BTreeSet<usize>,
    /// The positions where the grammar found a type.
    pub(super) types: BTreeSet<usize>,
    /// Variables with the first name of their type.
    pub(super) type_of: BTreeMap<&'t str, &'t str>,
}

impl<'t> Declared<'t> {
    /// Reads a tree; `text` is the text that it was parsed from.
    pub(super) fn read(text: &'t str, root: Node) -> Declared<'t> {
        let mut declared = Declared::default();
        let mut nodes = vec![(root, false)];
        while let Some((node, inside)) = nodes.pop() {
            declared.node(text, node, inside);
            let inside = match node.kind() {
                "compound_statement" => true,
                "field_declaration_list" => false,
                _ => inside,
            };
            let mut cursor = node.walk();
            nodes.extend(node.children(&mut cursor).map(|child| (child, inside)));
        }
        declared
    }

    /// Returns `true` if a position is in the parameters of a prototype.
    pub(super) fn is_in_prototype(&self, at: usize) -> bool {
        self.prototypes
            .iter()
            .any(|(start, end)| (*start..*end).contains(&at))
    }

    /// Returns `true` if a name was declared as this.
    pub(super) fn is(&self, name: &str, kind: Kind) -> bool {
        self.names
            .get(name)
            .is_some_and(|kinds| kinds.contains(&kind))
    }

    fn add(&mut self, text: &'t str, name: Node, kind: Kind) {
        let name = match name.kind() {
            "qualified_identifier" => match name.child_by_field_name("name") {
                Some(name) => name,
                None => return,
            },
            "operator_name" | "destructor_name" => return,
            _ => name,
        };
        let Some(word) = text.get(name.byte_range()) else {
            return;
        };
        let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        if !plain || word.is_empty() {
            return;
        }
        self.places.insert(name.start_byte(), kind);
        self.names.entry(word).or_default().insert(kind);
    }

    fn node(&mut self, text: &'t str, node: Node, inside: bool) {
        let member = node
            .parent()
            .is_some_and(|parent| parent.kind() == "field_declaration_list");
        match node.kind() {
            "function_definition" => {
                let kind = if member { Kind::Method } else { Kind::Func };
                for name in declarators(node).into_iter().filter_map(declared_name) {
                    self.add(text, name, kind);
                }
            }
            "declaration" => {
                for declarator in declarators(node) {
                    let Some(name) = declared_name(declarator) else {
                        continue;
                    };
                    if declares_function(declarator) && !inside {
                        let kind = if member { Kind::Method } else { Kind::Func };
                        self.add(text, name, kind);
                        self.prototype_names.insert(name.start_byte());
                        self.prototypes
                            .push((name.end_byte(), declarator.end_byte()));
                    } else {
                        self.add(text, name, Kind::Var);
                        self.note_type(text, node, name);
                    }
                }
            }
            "parameter_declaration" | "optional_parameter_declaration" | "for_range_loop" => {
                let is_parameter = node.kind() != "for_range_loop";
                if is_parameter && self.is_in_prototype(node.start_byte()) {
                    return;
                }
                for name in declarators(node).into_iter().filter_map(declared_name) {
                    self.add(text, name, Kind::Var);
                    self.note_type(text, node, name);
                }
            }
            "structured_binding_declarator" => {
                let mut cursor = node.walk();
                for name in node.named_children(&mut cursor) {
                    self.add(text, name, Kind::Var);
                }
            }
            kind @ ("lambda_capture_initializer" | "alias_declaration" | "enumerator") => {
                let (field, kind) = match kind {
                    "lambda_capture_initializer" => ("left", Kind::Var),
                    "alias_declaration" => ("name", Kind::Alias),
                    _ => ("name", Kind::Enum),
                };
                if let Some(name) = node.child_by_field_name(field) {
                    self.add(text, name, kind);
                }
            }
            "type_definition" => {
                for name in declarators(node).into_iter().filter_map(declared_name) {
                    self.add(text, name, Kind::Typedef);
                }
            }
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                if let (Some(name), true) = (
                    node.child_by_field_name("name"),
                    node.child_by_field_name("body").is_some(),
                ) {
                    let class = node.kind() == "class_specifier";
                    self.add(text, name, if class { Kind::Class } else { Kind::Struct });
                }
            }
            "field_declaration" => {
                for declarator in declarators(node) {
                    let Some(name) = declared_name(declarator) else {
                        continue;
                    };
                    if declares_function(declarator) {
                        self.add(text, name, Kind::Method);
                        self.prototypes
                            .push((name.end_byte(), declarator.end_byte()));
                    } else {
                        self.add(text, name, Kind::Field);
                    }
                }
            }
            "statement_identifier" => {
                self.labels.insert(node.start_byte());
            }
            "type_identifier" => {
                self.types.insert(node.start_byte());
            }
            _ => {}
        }
    }

    fn note_type(&mut self, text: &'t str, declaration: Node, name: Node) {
        let of = declaration.child_by_field_name("type");
        let of = of.map(|node| {
            let tagged = is_tagged_type(node);
            let name = node.child_by_field_name("name").filter(|_| tagged);
            name.unwrap_or(node)
        });
        let of = of.and_then(|node| text.get(node.byte_range()));
        if let (Some(of), Some(name)) = (of, text.get(name.byte_range())) {
            self.type_of.entry(name).or_insert(of);
        }
    }
}
