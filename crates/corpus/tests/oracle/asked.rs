//! Sources that somebody asks about, and the compiler that judges them: what tests, tools and benches share.
//!
//! Enters: the text of a source (`git:…`, `path:…`, `cargo:…`), or the path of a recipe. Leaves: sources that
//! were found, and what the compiler of this machine says of its headers.

use std::fs;
use std::path::{Path, PathBuf};

use barecode_check::{CheckConfig, CheckError, Compiler};
use barecode_corpus::{Dialects, StandardHeaders};
use barecode_records::Language;
use barecode_sources::{Source, SourceConfig};

/// The sources that are here without a network: those of the demo.
pub(crate) const DEMO: &str = "recipes/demo.toml";

/// The root of the checkout, which `cargo:` sources and relative paths are taken from.
fn checkout() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = here.ancestors().nth(2);
    root.expect("the crate lies two folders deep").to_owned()
}

/// Finds a source. An error is a sentence.
pub(crate) fn resolve(config: &SourceConfig) -> Result<Source, String> {
    Source::resolve(config, &checkout()).map_err(|error| error.to_string())
}

/// The `[[source]]` tables that these texts stand for, each a source or the path of a recipe; without
/// samples, so that all functions are there.
pub(crate) fn configs(asked: &[String]) -> Result<Vec<SourceConfig>, String> {
    let base = checkout();
    let mut all = Vec::new();
    for text in asked {
        all.extend(tables(text, &base)?);
    }
    for config in &mut all {
        config.limit = None;
    }
    Ok(all)
}

fn tables(text: &str, base: &Path) -> Result<Vec<SourceConfig>, String> {
    #[derive(serde::Deserialize)]
    struct Recipe {
        source: Vec<SourceConfig>,
    }
    let is_recipe = Path::new(text)
        .extension()
        .is_some_and(|ending| ending == "toml");
    let toml = if is_recipe {
        fs::read_to_string(base.join(text)).map_err(|error| format!("`{text}`: {error}"))?
    } else {
        format!("[[source]]\nfrom = {}\n", toml::Value::from(text))
    };
    let recipe: Recipe = toml::from_str(&toml).map_err(|error| format!("`{text}`: {error}"))?;
    Ok(recipe.source)
}

/// What the compilers of this machine predefine, and what their headers define. Without g++, C alone.
pub(crate) fn headers() -> Result<Dialects, String> {
    let config = CheckConfig::default();
    let c = Compiler::probe(&config).map_err(|error| error.to_string())?;
    let cpp = match Compiler::probe_for(&config, Language::CPP) {
        Ok(compiler) => Some(headers_of(&compiler, Language::CPP)?),
        Err(CheckError::CompilerMissing { .. }) => None,
        Err(error) => return Err(error.to_string()),
    };
    Ok(Dialects {
        c: headers_of(&c, Language::C)?,
        cpp,
    })
}

fn headers_of(compiler: &Compiler, language: Language) -> Result<StandardHeaders, String> {
    let predefined = compiler.predefined_macros();
    let mut per_header = Vec::new();
    for name in StandardHeaders::names(language) {
        let defines = compiler
            .header_macros(name)
            .map_err(|error| error.to_string())?;
        per_header.push((name.to_owned(), defines));
    }
    Ok(StandardHeaders::new(language, predefined, per_header))
}
