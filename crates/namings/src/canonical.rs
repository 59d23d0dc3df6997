//! `canonical`: `name_0`, `name_1`, … in order of first appearance.

use barecode_records::Role;

use crate::naming::{Free, Naming, Old};

/// The naming of the setting.
#[derive(Debug, Default)]
pub struct Canonical {
    next: u32,
}

impl Naming for Canonical {
    fn next(&mut self, old: Old<'_>, taken: &dyn Free) -> Option<String> {
        // Pieces that `##` joins end in `_`, as in `neutralized`.
        let end = match old.role {
            Role::Fragment => "_",
            _ => "",
        };
        loop {
            let name = format!("name_{}{end}", self.next);
            self.next += 1;
            if taken.is_free(&name) {
                return Some(name);
            }
        }
    }
}
