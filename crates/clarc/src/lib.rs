//! *Functions ⇄ the files that CLARC released.*
//!
//! Enters: a function, or a folder of released files. Leaves: the text that CLARC's authors would have released for
//! it; the number of released texts that come out equal, and the reasons why the others differ. The only purpose of
//! profile `clarc` is comparison with published numbers. It imitates:
//!
//! - [`renamed()`]: the renamed texts of a released row, by rules read off released rows (`renamed`, with `keywords`,
//!   `branches`, `header`, `declared`, `entities`);
//! - [`lower`] and [`as_cpp_program`]: the texts that CLARC compiled to get assembly and WebAssembly, and
//!   [`compare`], which reports how well our compilers reproduce the released texts (`lowered`, with `context.h`).
//!
//! `files` finds the released files and reads them, [`conform()`] compares the renamed ones.
//!
//! **Nothing here is proven.** CLARC's own program was never published, and a released text often does not compile:
//! standard macros are renamed, branches are left as they were. So a renamed variant of this profile is the only
//! variant without a proof; `barecode conform` counts the released texts that come out equal.
//!
//! The crate is fenced. It has its own definitions of names, keywords and branches, wrong in places because CLARC's
//! were; other crates must not build on them. `settings` uses it for the texts of profile `clarc`, and the command
//! `conform` for comparisons; nothing else uses it.

mod renamed;
mod keywords;
mod branches;
mod header;
mod declared;
mod entities;
mod lowered;
mod compared;
mod conform;
mod files;
#[cfg(test)]
mod tests;

use barecode_records::Scheme;

pub use compared::{Compared, Differing};
pub use conform::{conform, group};
pub use entities::Group;
pub use files::{Pair, Unreadable, find, texts};
pub use lowered::{Comparison, Released, as_cpp_program, compare, lower};
pub use renamed::{neutralized, randomized};

/// A text of a unit of a group, renamed by itself as a released text is.
pub fn renamed(text: &str, scheme: Scheme, group: barecode_records::Group) -> String {
    let group = match group {
        barecode_records::Group::Group1 => Group::One,
        barecode_records::Group::Group2 => Group::Two,
        barecode_records::Group::Group3 => Group::Three,
    };
    match scheme {
        Scheme::Neutralized => neutralized(text, group),
        _ => randomized(text, group),
    }
}
