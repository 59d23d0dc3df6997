//! A file as the parser sees it → its top-level items, with the declarations and the needs of each.
//!
//! Names are not resolved here; an item only lists the names that it mentions and how. Two readings of a file with
//! the same marks have the same items, so they are parsed once.

use std::ops::Range;

use barecode_languages::lex::{TokenKind, lex};
use barecode_records::Language;
use tree_sitter::Node;

use self::code::Code;
pub use self::cpp::objects::{Member, Object, Typed, Use, Uses};
pub use self::cpp::overloads::{CalledIn, Parameters, SameName};
pub use self::item::{Inner, Item, ItemKind, NameKind};
use self::spelling::text_of;
pub use crate::names::Mentions;
use crate::preprocess::unit::{DeclarationMacro, Mark, Reading};
use crate::syntax::{declared_name, parse_sparse};

mod c;
mod code;
mod cpp;
mod item;
mod named;
mod spelling;
mod tags;

/// The items of a reading in its language, in order.
pub fn items_of(reading: &Reading, language: Language) -> Vec<Item> {
    if !reading.marks.contains(&Mark::Code) && reading.declaration_macros.is_empty() {
        return Vec::new();
    }
    let seen = reading.masked(|mark| mark == Mark::Code);
    let emitted = reading.masked(|mark| matches!(mark, Mark::Code | Mark::Hidden));
    let mut items = Vec::new();
    let code = Code::of(&seen, &reading.bodies);
    for_each_top_level(&code.outline, language, &mut |node| {
        items.extend(item_of(node, &code, language));
    });
    for call in &reading.declaration_macros {
        items.push(declaration_macro(call, &emitted, language));
    }
    items.sort_by_key(|item| (item.range.start, item.range.end));
    for call in &reading.inner_macros {
        let around =
            |item: &&mut Item| item.range.contains(&call.start) && item.kind != ItemKind::Function;
        if let Some(item) = items.iter_mut().find(around) {
            let made = declaration_macro(call, &emitted, language);
            let enumerators = made.declares.into_iter();
            let enumerators = enumerators.filter(|made| made.kind == NameKind::Enumerator);
            item.declares.extend(enumerators);
            item.members.extend(made.members);
            item.methods.extend(made.methods);
            item.inside.extend(&made.head);
        }
    }
    let scopes = reading.masked(|mark| mark == Mark::Scope);
    extend_over_hidden(&mut items, &seen, &emitted, &scopes);
    mention_hidden(&mut items, &seen, &emitted, language);
    items
}

/// Function definitions in text that no translation unit switches on: name and bytes.
pub fn functions_in(seen: &str, language: Language) -> Vec<(Box<str>, Range<usize>)> {
    let mut functions = Vec::new();
    for_each_top_level(seen, language, &mut |node| {
        if language == Language::C {
            if node.kind() == "function_definition" {
                let name = node
                    .child_by_field_name("declarator")
                    .and_then(declared_name);
                let name = name.map_or("", |name| text_of(name, seen));
                functions.push((name.into(), node.byte_range()));
            }
            return;
        }
        let Some(item) = cpp::item_of(node, &Code::of(seen, &[])) else {
            return;
        };
        if let Some(name) = item.function_name() {
            functions.push((name.into(), item.range.clone()));
        }
        let inner = item.inner.into_iter();
        functions.extend(inner.map(|inner| (inner.name, inner.range)));
    });
    functions
}

fn item_of(node: Node, code: &Code, language: Language) -> Option<Item> {
    if language == Language::C {
        c::item_of(node, code)
    } else {
        cpp::item_of(node, code)
    }
}

fn for_each_top_level(text: &str, language: Language, visit: &mut dyn FnMut(Node)) {
    if let Some(tree) = parse_sparse(text, language) {
        visit_children(tree.root_node(), 0, visit);
    }
}

fn visit_children(node: Node, depth: usize, visit: &mut dyn FnMut(Node)) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let holds_items = match child.kind() {
            // An error at the top holds whole items beside the broken one.
            "ERROR" | "declaration_list" | "namespace_definition" => true,
            "linkage_specification" => child
                .child_by_field_name("body")
                .is_some_and(|body| body.kind() == "declaration_list"),
            _ => false,
        };
        if holds_items && depth < 20 {
            visit_children(child, depth + 1, visit);
        } else {
            visit(child);
        }
    }
}

fn declaration_macro(call: &DeclarationMacro, emitted: &str, language: Language) -> Item {
    let range = call.start..call.end;
    let expansion = &*call.expansion;
    let mut item = Item::new(ItemKind::DeclarationMacro, range.clone(), false);
    item.has_head = false;
    for_each_top_level(expansion, language, &mut |node| {
        if let Some(part) = item_of(node, &Code::of(expansion, &[]), language) {
            item.declares.extend(part.declares);
            item.head.extend(&part.head);
            item.head.extend(&part.inside);
            for inner in &part.inner {
                item.head.extend(&inner.head);
                item.head.extend(&inner.inside);
            }
            item.members.extend(part.members);
            item.methods.extend(part.methods);
        }
    });
    // A name that was built is a macro, or a name of the project, or neither.
    for name in &call.joined {
        item.head.words.insert((**name).into());
        item.head.values.insert((**name).into());
    }
    let call = emitted.get(range).unwrap_or_default();
    let words = lex(call)
        .into_iter()
        .filter(|token| token.kind == TokenKind::Identifier);
    item.head
        .words
        .extend(words.map(|token| token.text(call).into()));
    item
}

/// Takes hidden attributes before an item, and words among them, into the item.
fn extend_over_hidden(items: &mut [Item], seen: &str, emitted: &str, scopes: &str) {
    let mut previous_end = 0;
    for item in items {
        if item.kind != ItemKind::DeclarationMacro {
            let gap = emitted
                .get(previous_end..item.range.start)
                .unwrap_or_default();
            // The rest of the item before, a semicolon, does not belong to this one; nor does the text outside of a
            // scope.
            let between = scopes
                .get(previous_end..item.range.start)
                .unwrap_or_default();
            let gap_start = gap
                .rfind(';')
                .map_or(0, |at| at + 1)
                .max(between.trim_end().len());
            let leading = gap.get(gap_start..).unwrap_or_default();
            let blank = leading.len() - leading.trim_start().len();
            if blank < leading.len() {
                item.range.start = previous_end + gap_start + blank;
            }
            let text = emitted.get(item.range.clone()).unwrap_or_default();
            // Where nothing is hidden, the words were noted already.
            let visible = seen.get(item.range.clone()).unwrap_or_default();
            let tokens = if text == visible {
                Vec::new()
            } else {
                lex(text)
            };
            // The frame of `API(int x;)` closes behind the semicolon that ends the item.
            let count = |mark| tokens.iter().filter(|one| one.text(text) == mark).count();
            let rest = emitted.get(item.range.end..).unwrap_or_default();
            let close = item.range.end + rest.len() - rest.trim_start().len();
            let is_hidden_close = emitted.as_bytes().get(close) == Some(&b')')
                && seen.as_bytes().get(close) == Some(&b' ');
            let frame_end = (is_hidden_close && count("(") > count(")")).then_some(close + 1);
            for (index, token) in tokens.iter().enumerate() {
                if token.kind != TokenKind::Identifier {
                    continue;
                }
                let mentions = item.mentions_at(item.range.start + token.start);
                mentions.words.insert(token.text(text).into());
                // `cleanup(release)` is the attribute that calls a function.
                let before = |back: usize| Some(tokens.get(index.checked_sub(back)?)?.text(text));
                if before(1) == Some("(") && matches!(before(2), Some("cleanup" | "__cleanup__")) {
                    mentions.values.insert(token.text(text).into());
                }
            }
            item.range.end = frame_end.unwrap_or(item.range.end);
        }
        previous_end = previous_end.max(item.range.end);
    }
}

/// Hidden text in an item may name functions (`CLEANUP(release)` in a body), in C++ also types: conditions on
/// templates do.
fn mention_hidden(items: &mut [Item], seen: &str, emitted: &str, language: Language) {
    for item in items {
        let text = emitted.get(item.range.clone()).unwrap_or_default();
        let visible = seen.as_bytes().get(item.range.clone());
        let visible = visible.unwrap_or_default();
        if visible == text.as_bytes() {
            continue;
        }
        for token in lex(text) {
            let hidden = visible.get(token.start) == Some(&b' ');
            let at = item.range.start + token.start;
            let in_body = item.body.as_ref().is_some_and(|body| body.contains(&at));
            if hidden
                && token.kind == TokenKind::Identifier
                && (language == Language::CPP || in_body)
            {
                let mentions = item.mentions_at(at);
                mentions.values.insert(token.text(text).into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::preprocess::headers::StandardHeaders;
    use crate::preprocess::unit::{Files, SourceText, read};

    fn items(text: &str) -> Vec<Item> {
        let file = Arc::new(SourceText::new("a.c".to_owned(), text.to_owned()));
        let files: Files = [("a.c".to_owned(), file)].into();
        let unit = read("a.c", &files, &StandardHeaders::default(), &[]).expect("small");
        items_of(&unit.readings[0], Language::C)
    }

    fn names(set: &BTreeSet<Box<str>>) -> Vec<&str> {
        set.iter().map(|name| &**name).collect()
    }

    #[test]
    fn declarations_say_what_they_declare() {
        let text = "typedef struct node { struct node *next; int value; } Node;\nenum color { RED, GREEN };\nint (*hook)(int), count;\nstatic const char *name(Node *n);\nstruct later;\n";
        let declared: Vec<String> = items(text)
            .iter()
            .map(|item| {
                let names: Vec<_> = item
                    .declares
                    .iter()
                    .map(|declared| format!("{:?} {}", declared.kind, declared.name))
                    .collect();
                format!("{:?}: {}", item.kind, names.join(", "))
            })
            .collect();
        assert_eq!(
            declared,
            [
                "Typedef: Typedef Node, Tag node",
                "Tag: Tag color, Enumerator RED, Enumerator GREEN",
                "Declaration: Variable hook, Variable count",
                "Declaration: Function name",
                "Tag: Tag later",
            ]
        );
    }

    #[test]
    fn a_function_mentions_what_is_not_its_own() {
        let text = "#define TWICE(x) ((x) + (x))\nint f(struct point *p, size_t n) {\n  int total = 0;\n  for (size_t i = 0; i < n; i++) total += TWICE(p[i].x) + scale(limit);\n  return total;\n}\n";
        let items = items(text);
        assert_eq!(items.len(), 1);
        assert_eq!(names(&items[0].inside.values), ["TWICE", "limit", "scale"]);
        assert_eq!(names(&items[0].head.tags), ["point"]);
        assert_eq!(names(&items[0].inside.fields), ["x"]);
        assert!(names(&items[0].inside.words).contains(&"TWICE"));
    }

    #[test]
    fn types_behind_pointers_need_not_be_complete() {
        let items = items("struct a { struct b *b; struct c c; D *d; E e[3]; };\n");
        assert_eq!(names(&items[0].inside.pointed_tags), ["b"]);
        assert_eq!(names(&items[0].inside.tags), ["c"]);
        assert_eq!(names(&items[0].inside.pointed_types), ["D"]);
        assert_eq!(names(&items[0].inside.types), ["E"]);
        assert_eq!(names(&items[0].members), ["b", "c", "d", "e"]);
    }

    #[test]
    fn hidden_attributes_belong_to_the_item() {
        let text = "#define API static\nint a;\nAPI int f(void) { return a; }\n";
        let items = items(text);
        assert_eq!(
            text.get(items[1].range.clone()),
            Some("API int f(void) { return a; }")
        );
        assert!(names(&items[1].head.words).contains(&"API"));
    }

    #[test]
    fn enumerators_may_be_made_by_macros() {
        let text = "#define LIST(ITEM) ITEM(OK) ITEM(FULL)\n#define AS_NAME(name) E_##name,\nenum error { LIST(AS_NAME) LAST };\n";
        let items = items(text);
        assert_eq!(items.len(), 1);
        let names: Vec<&str> = items[0]
            .declares
            .iter()
            .map(|declared| &*declared.name)
            .collect();
        assert_eq!(names, ["error", "LAST", "E_OK", "E_FULL"]);
        assert!(!items[0].has_error);
    }

    #[test]
    fn members_may_be_made_by_macros() {
        let text = "#define COMMON int kind; MORE\n#define MORE struct base *next;\nstruct leaf { COMMON int value; };\n";
        let items = items(text);
        assert_eq!(names(&items[0].members), ["kind", "next", "value"]);
        assert_eq!(names(&items[0].inside.pointed_tags), ["base"]);
        let words = names(&items[0].inside.words);
        assert!(
            ["COMMON", "base", "kind"]
                .iter()
                .all(|word| words.contains(word))
        );
        assert!(!items[0].has_error);
    }

    #[test]
    fn a_type_that_a_macro_is_is_no_member() {
        let items =
            items("#define ALIGNED union { double d; long l; }\ntypedef ALIGNED aligned;\n");
        assert_eq!(&*items[0].declares[0].name, "aligned");
    }

    #[test]
    fn declaration_macros_are_items() {
        let text = "#define LIST(T) typedef struct { T *items; } T##_list\nLIST(node);\nint x;\n";
        let items = items(text);
        assert_eq!(items[0].kind, ItemKind::DeclarationMacro);
        assert_eq!(&*items[0].declares[0].name, "node_list");
        assert_eq!(text.get(items[0].range.clone()), Some("LIST(node);"));
    }

    #[test]
    fn a_frame_around_a_whole_declaration_is_part_of_it() {
        let text = "#define LIB extern\n#define DECLARE(what) LIB what\nDECLARE(const int sizes[3];)\nint x;\n";
        let items = items(text);
        assert_eq!(&*items[0].declares[0].name, "sizes");
        assert_eq!(
            text.get(items[0].range.clone()),
            Some("DECLARE(const int sizes[3];)")
        );
        assert_eq!(text.get(items[1].range.clone()), Some("int x;"));
    }

    #[test]
    fn a_declared_name_in_parentheses_is_declared() {
        let text = "typedef int number;\nnumber (alone) (int *L, void **ud);\nextern number *(after) (void);\n";
        let items = items(text);
        assert_eq!(&*items[1].declares[0].name, "alone");
        assert_eq!(&*items[2].declares[0].name, "after");
    }
}
