//! A unit under a setting.

use serde::{Deserialize, Serialize};

use crate::{Digest, Group, HelperSpan, Id, Origin, Setting, Span, Toolchain};

words! {
    /// The role of a name; it decides the name's neutralized form (CLARC, section 3.1.3 and appendix D.4).
    pub enum Role {
        /// A function: `func_0`.
        Function = "function",
        /// A member function: `method_0`.
        Method = "method",
        /// A variable: `var_0`.
        Variable = "variable",
        /// A parameter of a function: `var_0`, counted with the variables.
        Parameter = "parameter",
        /// A macro: `MACRO_0`.
        Macro = "macro",
        /// A typedef name: `typedef_0`.
        Typedef = "typedef",
        /// A name given by `using … =`: `alias_0`.
        Alias = "alias",
        /// A `struct`: `struct_0`.
        Struct = "struct",
        /// A `class`: `class_0`.
        Class = "class",
        /// A `union`: `union_0`.
        Union = "union",
        /// An `enum`: `enum_0`.
        Enum = "enum",
        /// An enumerator: `enum_0`, counted with the enumerations.
        Enumerator = "enumerator",
        /// A data member: `field_0`.
        Field = "field",
        /// A namespace: `namespace_0`.
        Namespace = "namespace",
        /// A parameter of a template: `param_0`.
        TemplateParameter = "template-parameter",
        /// A label: `label_0`.
        Label = "label",
        /// A piece that `##` joins to a name: `part_0_`.
        Fragment = "fragment",
        /// A name of another package, which settings with `-foreign` change: `foreign_0`.
        Foreign = "foreign",
    }
}

/// One name that a setting changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Renaming {
    /// The name in the source.
    pub from: String,
    /// The name in the variant.
    pub to: String,
    /// Its role.
    pub role: Role,
}

/// A name of the project that a setting had to leave unchanged.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct KeptName {
    /// The name.
    pub name: String,
    /// The reason why it could not be changed.
    pub reason: String,
}

impl KeptName {
    /// The reason of a name that was changed, and that is in the text as the name of something else too: `size` in
    /// `items.size()`, where the project has a `size`.
    pub const ELSEWHERE: &str = "elsewhere it is the name of something else";
}

/// The proof that the variant means the same as the unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// Nothing was changed.
    Identity,
    /// Its stripped object equals the unit's.
    Object,
    /// The machine code equals the unit's; data differ because names reach it (`assert`, `#x`, `__func__`).
    Code,
    /// Undoing the renaming gives back the unit, and the compiler accepts it (templates, which lower to nothing) or
    /// every name is bound where it was (Python).
    Text,
    /// The identifiers that differ are exactly those that one map of the whole source renames by spelling; everything else
    /// is the unit's, byte by byte, and the text is parsed to the same shape.
    Spelled,
    /// It is the compiler's output for the unit; [`Variant::toolchain`] names the compiler.
    Lowered,
    /// None: the text imitates the published form of others, with parts that do not compile.
    Imitation,
}

/// A unit under a setting (stage `03-variants`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variant {
    /// `v-…`, from the unit, the setting and the draw.
    pub id: Id,
    /// The unit.
    pub unit_id: Id,
    /// Its origin.
    pub origin: Origin,
    /// The unit's dependency group.
    pub group: Group,
    /// The setting.
    pub setting: Setting,
    /// The draw, for settings that are drawn.
    pub draw: Option<u32>,
    /// The function's text under the setting.
    pub text: String,
    /// The whole file under the setting, which compiles; of a lowered unit its helpers' code and its own.
    pub compiled_text: String,
    /// The range of the function in that file.
    pub target: Span,
    /// The ranges of its direct helpers in that file.
    pub helpers: Vec<HelperSpan>,
    /// Names changed in the file, in order of first appearance.
    pub renamed: Vec<Renaming>,
    /// Names of the project that were left unchanged.
    pub kept: Vec<KeptName>,
    /// The changed characters of [`Variant::text`] as a share of all: the characters of the unit's text that are in
    /// changed identifiers (CLARC, appendix F.5). From 0 to 1; `None` if the text is not a renaming.
    pub perturbation: Option<f64>,
    /// The number of identifiers of [`Variant::text`] that are names of the project. Where the renaming goes by
    /// spelling, these are all that are spelled like something that the source declares; else those that the unit
    /// declares. `None` if the text is not a renaming.
    pub own_names: Option<u32>,
    /// The number of those that stay; [`Variant::kept`] names them, with the reasons.
    pub own_names_kept: Option<u32>,
    /// The proof that nothing else changed.
    pub proof: Proof,
    /// The tool that lowered the unit; `None` if it is still source.
    pub toolchain: Option<Toolchain>,
}

impl Variant {
    /// The id of a unit under a setting.
    pub fn id_of(unit_id: &Id, setting: Setting, draw: Option<u32>) -> Id {
        Id::new(
            "v",
            &Digest::new("variant")
                .field(unit_id)
                .field(setting.label(draw)),
        )
    }

    /// The bodies of the direct helpers, then the function: CLARC's Group 3 Long text (appendix D.3).
    pub fn long_text(&self) -> String {
        let helpers = self
            .helpers
            .iter()
            .map(|helper| helper.span.dedented(&self.compiled_text));
        helpers
            .chain([self.text.clone()])
            .collect::<Vec<_>>()
            .join("\n\n")
    }
}
