//! CLARC's own texts, imitated: what its authors released for a function, rebuilt from the function.
//!
//! Profile `clarc` exists to compare with published numbers, and for nothing else. What is imitated:
//!
//! - [`neutralized`] and [`randomized`]: the renamed texts of a released row, by rules read off released rows
//!   (`renamed`, with `keywords`, `branches`, `header`, `declared`, `entities`);
//! - [`lower`] and [`as_cpp_program`]: what CLARC compiled to get assembly and WebAssembly, and [`compare`], which
//!   says how far our compilers get the released texts (`lowered`, with `context.h`).
//!
//! **Nothing here is proven.** CLARC's own program was never published, and a released text often does not compile:
//! standard macros are renamed, branches are left as they were. So a renamed variant of this profile is the only
//! variant without a proof ([`Proof::Imitation`]); `barecode conform` measures how many released texts come out
//! equal.
//!
//! The folder is fenced. It has its own definitions of names, keywords and branches, wrong in places because
//! CLARC's were; code outside must not build on them. Everything that others may call is in this file.

use barecode_records::{Proof, Scheme, Unit, Variant, c::HelperSpan};

mod renamed;
mod keywords;
mod branches;
mod header;
mod declared;
mod entities;
mod lowered;
#[cfg(test)]
mod tests;

pub use entities::Group;
pub use lowered::{Comparison, Released, as_cpp_program, compare, lower};
pub use renamed::{Place, neutralized, place, randomized};

/// A unit in the form of CLARC's files: its helpers and itself, each renamed by itself as a released text is.
pub fn variant(unit: &Unit, scheme: Scheme) -> Variant {
    let group = match unit.group {
        barecode_records::c::Group::Group1 => Group::One,
        barecode_records::c::Group::Group2 => Group::Two,
        barecode_records::c::Group::Group3 => Group::Three,
    };
    let renamed = |text: &str| match scheme {
        Scheme::Neutralized => neutralized(text, group),
        _ => randomized(text, group),
    };
    let mut all = String::new();
    let mut add = |text: &str| crate::append::append(&mut all, text);
    let helpers = unit.closure.helpers.iter().map(|helper| HelperSpan {
        span: add(&renamed(helper.span.of(&unit.closure.text))),
        ..helper.clone()
    });
    let helpers = helpers.collect();
    let text = renamed(&unit.text);
    Variant {
        target: add(&text),
        helpers,
        text,
        compiled_text: all,
        proof: Proof::Imitation,
        ..crate::standard::standard(unit)
    }
}
