//! The recipe that `try` writes for a repository.

use std::path::{Component, Path, PathBuf};

use toml::Value;

use super::TryArguments;
use crate::exit::Failure;

/// Sources as recipes write them.
const KINDS: [&str; 4] = ["path:", "git:", "archive:", "cargo:"];

/// What the code is read from, as a recipe writes it that lies in the folder `base`. A relative path stays one, so that
/// what is published names no folder of a machine.
pub(super) fn source(code: &str, base: &Path) -> Result<String, Failure> {
    let path = code.strip_prefix("path:").unwrap_or(code);
    if Path::new(path).is_dir() {
        let is_below = |part| matches!(part, Component::Normal(_));
        if Path::new(path).is_relative() && base.components().all(is_below) {
            let up = base.components().map(|_| Component::ParentDir);
            let down = Path::new(path).components();
            let down = down.filter(|part| *part != Component::CurDir);
            let relative: PathBuf = up.chain(down).collect();
            return Ok(format!("path:{}", relative.display()));
        }
        let whole = std::fs::canonicalize(path)
            .map_err(|error| Failure::invalid(format!("cannot read `{path}`: {error}")))?;
        return Ok(format!("path:{}", whole.display()));
    }
    if KINDS.iter().any(|kind| code.starts_with(kind)) {
        return Ok(code.to_owned());
    }
    if code.contains("://") || code.starts_with("git@") {
        return Ok(format!("git:{code}"));
    }
    let message = format!("`{code}` is neither a folder nor the address of a repository");
    Err(Failure::invalid(message).hint(
        "a folder: `barecode try .`; a repository: `barecode try https://…`; or a source as recipes write it, `archive:lib.tar.gz`",
    ))
}

/// The name of the run: `try-zlib`.
pub(super) fn name(code: &str) -> String {
    let whole = std::fs::canonicalize(code.strip_prefix("path:").unwrap_or(code));
    let code = whole.map_or_else(|_| code.to_owned(), |path| path.display().to_string());
    let last = code.trim_end_matches('/').rsplit(['/', ':']).next();
    let last = last.unwrap_or_default().trim_end_matches(".git");
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let last: String = last
        .chars()
        .map(|c| if plain(c) { c } else { '-' })
        .collect();
    format!("try-{}", last.trim_start_matches(['.', '-']))
}

/// The recipe's text. It lies beside the run folder `out`.
pub(super) fn text(arguments: &TryArguments, source: &str, name: &str, out: &Path) -> String {
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("[{}]", texts.join(", "))
    };
    let folder = out.file_name().map(|name| name.to_string_lossy());
    let views = if arguments.groups {
        r#"["group1", "group2", "group3-short", "group3-long", "all"]"#
    } else {
        r#"["all"]"#
    };
    let head = format!(
        "# Written by `barecode try`. `barecode build` on this file goes on from the same run.\n\n\
         name = {}\nout = {}\n\n[[source]]\nfrom = {}\n",
        quoted(name),
        quoted(&folder.unwrap_or_default()),
        quoted(source)
    );
    let globs = [
        ("include", &arguments.include),
        ("exclude", &arguments.exclude),
    ];
    let globs = globs.into_iter().filter(|(_, globs)| !globs.is_empty());
    let globs = globs.map(|(key, globs)| format!("{key} = {}\n", list(globs)));
    let rest = format!(
        "limit = {}\ndocumented-first = true # comments ask, so functions that have one are worth more\n\n\
         [settings]\nnames = [\"standard\", \"neutralized\", \"randomized\"]\nrandomized-seeds = 2\n\n\
         [dataset]\nviews = {views}\ncode-queries = [\"neutralized\"] # each function asks for itself without its names\n\n\
         [[retriever]]\nname = \"bm25\"\nkind = \"bm25\"\ntokenizer = \"code\" # parts of identifiers are words\nstop-words = \"english\"\nstemmer = \"english\"\n",
        arguments.functions
    );
    let models = arguments.model.iter().filter(|model| *model != "bm25");
    let models = models.map(|model| {
        let model = quoted(&local(model));
        format!("\n[[retriever]]\nkind = \"dense\"\nmodel = {model}\n")
    });
    let parts = [head].into_iter().chain(globs).chain([rest]).chain(models);
    parts.collect::<Vec<String>>().concat()
}

/// A model's short form; a folder is named from the root, as sources are.
fn local(model: &str) -> String {
    let whole = model
        .strip_prefix("local:")
        .and_then(|path| std::fs::canonicalize(path).ok());
    whole.map_or_else(
        || model.to_owned(),
        |path| format!("local:{}", path.display()),
    )
}
