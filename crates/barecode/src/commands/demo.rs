//! `demo`: a first score in a few minutes, without a dataset, a model or code of your own.
//!
//! In a checkout of barecode the sources are the C libraries inside its own Cargo packages. Elsewhere it is a small
//! library that the program carries, and writes into the current folder.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use barecode_records::table::write_atomically;

use super::build;
use crate::answer::Answer;
use crate::exit::{Failure, read_text};
use crate::recipe::Recipe;
use crate::session::{Session, Spending};

const RECIPE: &str = include_str!("../../demo/demo.toml");

/// The packages that the recipe mines.
const PACKAGES: [&str; 3] = ["libsqlite3-sys", "zstd-sys", "tree-sitter"];

/// The recipe of the library that the program carries.
const SMALL: &str = r#"name = "demo"

[[source]]
from = "path:shelf"

[dataset]
views = ["all"]

[[retriever]]
kind = "bm25"

[[retriever]]
kind = "structural"
"#;

macro_rules! shelf {
    ($($name:literal)*) => {
        [$(($name, include_str!(concat!("../../demo/shelf/", $name)))),*]
    };
}

/// That library, by its files.
const SHELF: [(&str, &str); 6] =
    shelf!("LICENSE" "include/shelf.h" "src/checksum.c" "src/ring.c" "src/table.c" "src/text.c");

/// Builds the demo below the current folder.
pub(super) fn run(session: &Session) -> anyhow::Result<Answer> {
    let here = std::env::current_dir()
        .map_err(|error| Failure::invalid(format!("cannot read the current folder: {error}")))?;
    let recipe = if has_packages(&here) {
        Recipe::parse(RECIPE, "recipes/demo.toml", Path::new("."))?
    } else {
        write_shelf(Path::new("shelf"))?;
        session.note(
            "this is not a checkout of barecode, so the demo is about `shelf`, a library of thirty functions that is written \
             here; `barecode try PATH` is about your own code",
        );
        Recipe::parse(SMALL, "demo", Path::new("."))?
    };
    build::run(session, recipe, None, None, &Spending::default())
}

/// Returns `true` if the nearest Cargo project has the packages of the demo.
fn has_packages(here: &Path) -> bool {
    let mut locks = here.ancestors().map(|folder| folder.join("Cargo.lock"));
    let lock = locks.find_map(|lock| read_text(&lock).ok());
    lock.is_some_and(|lock| {
        let has = |name: &str| lock.contains(&format!("name = \"{name}\"\n"));
        PACKAGES.into_iter().all(has)
    })
}

/// Writes the library. A folder that holds anything else is refused.
fn write_shelf(folder: &Path) -> anyhow::Result<()> {
    let mut entries = fs::read_dir(folder).into_iter().flatten();
    let is_foreign = entries.next().is_some() && !folder.join("LICENSE").exists();
    for (name, text) in SHELF {
        let path = folder.join(name);
        if read_text(&path).is_ok_and(|there| there == text) {
            continue;
        }
        if path.exists() || is_foreign {
            let message = format!("`{}` holds something else", folder.display());
            let hint = "run the demo in another folder, or `barecode try PATH` on code of your own";
            return Err(Failure::invalid(message).hint(hint).into());
        }
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| Failure::cannot_write(parent, &error))?;
        // A kill never leaves a truncated file, which the next call would treat as a foreign file.
        write_atomically(&path, |file| file.write_all(text.as_bytes()))?;
    }
    Ok(())
}
