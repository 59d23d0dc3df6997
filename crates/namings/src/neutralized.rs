//! `neutralized`: every name of the project becomes its kind and a number (CLARC, section 3.1.3 and appendix D.4).
//!
//! *What it changes.* Functions, variables and parameters, macros, types, members, enumerators, labels:
//! `func_0`, `var_0`, `MACRO_0`, `typedef_0`, `struct_0`, `union_0`, `enum_0`, `field_0`, `label_0`. Numbers
//! count each kind from 0 in order of first appearance, in the function's own text first, so they are dense
//! there and do not reveal how much context a function needs.
//!
//! *What it must keep.* Names of the standard library and the compiler, keywords, literals, layout, `main`.
//!
//! *Where it applies.* Everywhere. Pieces that `##` joins become `part_0_`, and a name built of pieces is the join of
//! its new pieces.
//!
//! *Example.* `static int count_words(const char *text)` becomes `static int func_0(const char *var_0)`.
//!
//! *Difference to CLARC.* The released texts number names over the whole file, call `struct` and `enum` tags alike,
//! rename some uses of standard macros, and leave names in inactive branches; in this setting one rule holds for all.

use std::collections::BTreeMap;

use barecode_records::Role;

use crate::naming::{Free, Naming, Old};

/// The naming of the setting.
#[derive(Debug, Default)]
pub struct Neutralized {
    counters: BTreeMap<&'static str, u32>,
}

/// The prefix before the number in the name of a role.
pub fn prefix(role: Role) -> &'static str {
    match role {
        Role::Function => "func_",
        Role::Method => "method_",
        Role::Variable | Role::Parameter => "var_",
        Role::Macro => "MACRO_",
        Role::Typedef => "typedef_",
        Role::Struct => "struct_",
        Role::Union => "union_",
        Role::Class => "class_",
        Role::Alias => "alias_",
        Role::Namespace => "namespace_",
        Role::TemplateParameter => "param_",
        Role::Enum | Role::Enumerator => "enum_",
        Role::Field => "field_",
        Role::Label => "label_",
        Role::Fragment => "part_",
        Role::Foreign => "foreign_",
    }
}

impl Naming for Neutralized {
    fn next(&mut self, old: Old<'_>, taken: &dyn Free) -> Option<String> {
        let prefix = prefix(old.role);
        let counter = self.counters.entry(prefix).or_default();
        loop {
            // A piece ends in `_`, so that two pieces cannot join to a name that another pair joins to.
            let end = if old.role == Role::Fragment { "_" } else { "" };
            let name = format!("{prefix}{counter}{end}");
            *counter += 1;
            if taken.is_free(&name) {
                return Some(name);
            }
        }
    }
}
