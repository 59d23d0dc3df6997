//! A node → its parent, also in files of thousands of declarations.
//!
//! tree-sitter finds the parent of a node from the top, child by child. In a text with very many children of one node
//! that takes the square of their number, so for such nodes the children are listed once, by position.

use std::collections::HashMap;

use tree_sitter::Node;

use crate::parsed::Parsed;

/// A node with more children is searched by position.
const WIDE: u32 = 64;

/// Texts of fewer bytes are searched child by child.
const LONG: usize = 32 << 10;

/// The children of nodes with many of them, by the node; `None` in a short text.
pub(crate) struct Parents<'t>(Option<HashMap<usize, Vec<Node<'t>>>>);

impl<'t> Parents<'t> {
    pub(crate) fn of(parsed: &'t Parsed<'_>) -> Self {
        if parsed.text.len() < LONG {
            return Parents(None);
        }
        let mut wide = HashMap::new();
        let mut cursor = parsed.tree.walk();
        loop {
            let node = cursor.node();
            if node.child_count() > WIDE {
                let mut inside = node.walk();
                wide.insert(node.id(), node.children(&mut inside).collect());
            }
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Parents(Some(wide));
                }
            }
        }
    }

    /// The parent of a node; `None` of the root.
    pub(crate) fn parent(&self, root: Node<'t>, node: Node<'t>) -> Option<Node<'t>> {
        self.searched(root, node).or_else(|| node.parent())
    }

    fn searched(&self, root: Node<'t>, node: Node<'t>) -> Option<Node<'t>> {
        let wide = self.0.as_ref()?;
        let (start, end) = (node.start_byte(), node.end_byte());
        if start == end {
            return None;
        }
        let mut at = root;
        loop {
            let next = match wide.get(&at.id()) {
                Some(children) => {
                    let after = children.partition_point(|child| child.start_byte() <= start);
                    let before = children.get(..after)?.iter().rev();
                    // Empty nodes may begin at the same byte.
                    *before.take(8).find(|child| child.end_byte() >= end)?
                }
                None => at.child_with_descendant(node)?,
            };
            if next.id() == node.id() {
                return Some(at);
            }
            at = next;
        }
    }
}

#[cfg(test)]
mod tests {
    use barecode_records::Language;

    use super::*;

    #[test]
    fn parents_are_those_that_the_library_finds() {
        let functions = |head: &str| -> String {
            let body = |at: usize| format!("    {head} f{at}(a: i32) -> i32 {{ a + {at} }}\n");
            (0..400).map(body).collect()
        };
        let list: Vec<String> = (0..3000).map(|at| format!("X{at}")).collect();
        let text = format!(
            "{}impl A {{\n{}}}\nconst ALL: &[i32] = &[{}];\n",
            functions("fn"),
            functions("pub fn"),
            list.join(", ")
        );
        let parsed = Parsed::of(&text, Language::of_name("rust")).unwrap();
        let parents = Parents::of(&parsed);
        assert!(parents.0.as_ref().is_some_and(|wide| wide.len() >= 3));
        let root = parsed.tree.root_node();
        let mut cursor = parsed.tree.walk();
        let mut checked = 0;
        loop {
            let node = cursor.node();
            if checked % 7 == 0 {
                assert_eq!(parents.parent(root, node), node.parent());
            }
            checked += 1;
            if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    assert!(checked > 10_000);
                    return;
                }
            }
        }
    }
}
