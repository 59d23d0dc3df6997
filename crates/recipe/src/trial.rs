//! The recipe of a trial, which `try` writes for a repository.

use std::path::{Component, Path, PathBuf};

use barecode_evaluate::{Choice, DEFAULT_DEPTH, Reading, System};
use barecode_models::ModelError;
use barecode_records::{Digest, guarded};
use barecode_sources::Source;
use toml::Value;

use barecode_runs::exit::{Failure, classify};

/// The choices of a trial.
#[derive(Debug, Default)]
pub struct Trial {
    /// Models besides BM25: short forms, or NAME=MODEL.
    pub models: Vec<String>,
    /// The greatest number of functions.
    pub functions: u32,
    /// The languages of functions; all if empty.
    pub languages: Vec<String>,
    /// Glob patterns of files, relative to the source; all files if empty.
    pub include: Vec<String>,
    /// Glob patterns of files that are left out.
    pub exclude: Vec<String>,
    /// Files of the user's own queries.
    pub queries: Vec<String>,
    /// Models that write queries, by their short forms.
    pub writers: Vec<String>,
    /// True if each dependency group is a view of its own.
    pub by_group: bool,
}

/// Sources as recipes write them.
const KINDS: [&str; 4] = ["path:", "git:", "archive:", "cargo:"];

/// Returns the source of the code, as a recipe in the folder `base` writes it. A bare repository is read at its `HEAD`.
///
/// # Errors
/// If the code is neither a folder nor a source.
pub fn source(code: &str, base: &Path) -> Result<String, Failure> {
    let path = code.strip_prefix("path:").unwrap_or(code);
    if Path::new(code).is_dir() && is_bare_repository(Path::new(code)) {
        return Ok(format!("git:{}", from(code, base)?));
    }
    if Path::new(path).is_dir() {
        return Ok(format!("path:{}", from(path, base)?));
    }
    for kind in ["archive:", "git:"] {
        let Some(place) = code.strip_prefix(kind) else {
            continue;
        };
        // A revision follows the last `@`, but a path may contain one too.
        let (path, revision) = match place.rsplit_once('@') {
            Some((path, revision)) if !Path::new(place).exists() => (path, format!("@{revision}")),
            _ => (place, String::new()),
        };
        if Path::new(path).exists() {
            return Ok(format!("{kind}{}{revision}", from(path, base)?));
        }
    }
    if KINDS.iter().any(|kind| code.starts_with(kind)) {
        return Ok(code.to_owned());
    }
    if code.contains("://") || code.starts_with("git@") {
        return Ok(format!("git:{code}"));
    }
    if Path::new(path).is_file() {
        let message = format!("`{code}` is a file, and functions are read from a folder");
        let name = Path::new(path).file_name().unwrap_or_default().display();
        let hint = format!(
            "name the folder around it: `barecode try FOLDER --include '**/{name}'`; an archive is `archive:{code}`"
        );
        return Err(Failure::invalid(message).hint(hint));
    }
    let message = format!("`{code}` is neither a folder nor the address of a repository");
    Err(Failure::invalid(message).hint(
        "a folder: `barecode try .`; a repository: `barecode try https://…`; or a source as recipes write it, `archive:lib.tar.gz`",
    ))
}

/// Returns `true` for a repository of git whose files are in no folder, such as a mirror.
fn is_bare_repository(folder: &Path) -> bool {
    // As git decides it.
    folder.join("HEAD").is_file()
        && ["objects", "refs"]
            .iter()
            .all(|name| folder.join(name).is_dir())
}

/// Returns the path of the file at `path`, seen from the folder `base`. A relative path stays relative, so that a
/// published recipe names no folder of a machine.
fn from(path: &str, base: &Path) -> Result<String, Failure> {
    let is_below = |part| matches!(part, Component::Normal(_));
    if Path::new(path).is_relative() && base.components().all(is_below) {
        let up = base.components().map(|_| Component::ParentDir);
        let down = Path::new(path).components();
        let down = down.filter(|part| *part != Component::CurDir);
        let seen: PathBuf = up.chain(down).collect();
        return Ok(if seen.as_os_str().is_empty() {
            ".".to_owned()
        } else {
            seen.display().to_string()
        });
    }
    std::fs::canonicalize(path)
        .map(|whole| whole.display().to_string())
        .map_err(|error| Failure::invalid(format!("cannot read `{path}`: {error}")))
}

/// The name of the run: `try-zlib`.
pub fn name(code: &str) -> String {
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

/// The recipe of a run folder, beside it: `runs/try-zlib.toml`.
pub fn file_of(out: &Path) -> PathBuf {
    let mut file = out.to_owned().into_os_string();
    file.push(".toml");
    PathBuf::from(file)
}

/// Returns the name. If a recipe in the folder `base` has it for another source, or for other files of this one, returns
/// one that no others get: `try-src-1f0c9a2b`.
pub fn free_name(name: &str, trial: &Trial, source: &str, base: &Path) -> String {
    let identity = Source::identity(source, base);
    let chosen = selections(trial).map(|(_, values)| values.clone());
    let is_same = |text: String| {
        let recipe: Option<Value> = toml::from_str(&text).ok();
        let source = recipe
            .as_ref()
            .and_then(|recipe| recipe.get("source")?.get(0));
        let from = source.and_then(|source| source.get("from")?.as_str());
        let list = |key| -> Vec<String> {
            let values = source.and_then(|source| source.get(key)?.as_array());
            let values = values.into_iter().flatten().filter_map(Value::as_str);
            values.map(str::to_owned).collect()
        };
        from.is_some_and(|from| Source::identity(from, base) == identity)
            && selections(trial).map(|(key, _)| list(key)) == chosen
    };
    if guarded::text(file_of(&base.join(name))).map_or(true, is_same) {
        return name.to_owned();
    }
    let mut digest = Digest::new("try").field(&identity);
    if chosen.iter().any(|values| !values.is_empty()) {
        for values in &chosen {
            digest = digest.field(values.join("\n"));
        }
    }
    let digest = digest.hex();
    let short: String = digest.chars().take(8).collect();
    format!("{name}-{short}")
}

/// The keys of a source that select files, with their values.
fn selections(trial: &Trial) -> [(&'static str, &Vec<String>); 3] {
    [
        ("languages", &trial.languages),
        ("include", &trial.include),
        ("exclude", &trial.exclude),
    ]
}

/// Returns the recipe's text. The recipe is beside the run folder `out`.
///
/// # Errors
/// If the path of a model cannot be read.
pub fn text(trial: &Trial, source: &str, name: &str, out: &Path) -> Result<String, Failure> {
    let base = out.parent().unwrap_or(out);
    let quoted = |text: &str| Value::String(text.to_owned()).to_string();
    let list = |texts: &[String]| {
        let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
        format!("[{}]", texts.join(", "))
    };
    let folder = out.file_name().map(|name| name.to_string_lossy());
    let views = if trial.by_group {
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
    let globs = selections(trial)
        .into_iter()
        .filter(|(_, globs)| !globs.is_empty());
    let globs = globs.map(|(key, globs)| format!("{key} = {}\n", list(globs)));
    let queries = trial.queries.iter();
    let own: Vec<String> = queries
        .map(|file| {
            if Path::new(file).is_file() {
                return from(file, base);
            }
            let hint =
                "--queries is a CSV, TSV or JSONL file with the columns `text` and `function`";
            Err(Failure::invalid(format!("no file `{file}`")).hint(hint))
        })
        .collect::<Result<_, Failure>>()?;
    let mut asking = String::new();
    if !own.is_empty() {
        asking.push_str("files = ");
        asking.push_str(&list(&own));
        asking.push_str(" # your own\n");
    }
    if !trial.writers.is_empty() {
        asking.push_str("write = ");
        asking.push_str(&list(&trial.writers));
        asking.push('\n');
    }
    let own = if asking.is_empty() {
        asking
    } else {
        format!("[queries]\n{asking}\n")
    };
    let rest = format!(
        "limit = {}\ndocumented-first = true # comments ask, so functions that have one are worth more\n\n\
         [settings]\nnames = [\"standard\", \"neutralized\", \"randomized\"]\nrandomized-seeds = 2\n\n\
         {own}[dataset]\nviews = {views}\ncode-queries = [\"neutralized\"] # each function asks for itself without its names\n\n\
         [[retriever]]\nname = \"bm25\"\nkind = \"bm25\" # parts of identifiers are words\n",
        trial.functions
    );
    let models = trial.models.iter().filter(|model| *model != "bm25");
    let models: Vec<String> = models
        .map(|text| {
            let (name, model) =
                aliased(text).map_or((None, text.as_str()), |(name, model)| (Some(name), model));
            if let Some(table) = without_model(name, model)? {
                return Ok(format!("\n[[retriever]]\n{table}"));
            }
            let name = name.map(|name| format!("name = {}\n", quoted(name)));
            let name = name.unwrap_or_default();
            let model = quoted(&model_from(model, base)?);
            Ok(format!(
                "\n[[retriever]]\n{name}kind = \"dense\"\nmodel = {model}\n"
            ))
        })
        .collect::<Result<_, Failure>>()?;
    let parts = [head].into_iter().chain(globs).chain([rest]).chain(models);
    Ok(parts.collect::<Vec<String>>().concat())
}

/// Returns the table of a retriever that needs no model, such as `structural:names=false`; `None` for other short
/// forms.
///
/// # Errors
/// If it is not a short form, or the folder of a model does not exist.
fn without_model(name: Option<&str>, form: &str) -> Result<Option<String>, Failure> {
    let choice: Choice = form
        .parse()
        .map_err(|error: ModelError| classify(&error.into()))?;
    if let Some(folder) = form.strip_prefix("local:")
        && !Path::new(folder).is_dir()
    {
        let hint = "a local model is a folder with `config.json`, `tokenizer.json` and `model.safetensors`";
        return Err(Failure::invalid(format!("no folder `{folder}`")).hint(hint));
    }
    let Choice::Retriever { .. } = choice else {
        return Ok(None);
    };
    let kind = choice.system(Reading::Whole);
    let system = System::new(name.map(str::to_owned), kind, DEFAULT_DEPTH)
        .map_err(|error| Failure::invalid(error.to_string()))?;
    let table = toml::to_string(&system).map_err(|error| Failure::internal(error.to_string()))?;
    Ok(Some(table))
}

/// The name and the model of `NAME=MODEL`.
pub fn aliased(text: &str) -> Option<(&str, &str)> {
    let (name, form) = text.split_once('=')?;
    let fits = |c: char| c.is_alphanumeric() || "-_. ".contains(c);
    let is_name = !name.trim().is_empty() && name.chars().all(fits);
    is_name.then(|| (name.trim(), form))
}

/// A model's short form, as a recipe in the folder `base` writes it.
fn model_from(model: &str, base: &Path) -> Result<String, Failure> {
    match model.strip_prefix("local:") {
        Some(path) if Path::new(path).exists() => Ok(format!("local:{}", from(path, base)?)),
        _ => Ok(model.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_seen_from_the_folder_of_the_recipe() {
        let seen = |code: &str, base: &str| source(code, Path::new(base)).unwrap();
        // Tests run in the folder of the crate.
        assert_eq!(seen("src", "runs"), "path:../src");
        assert_eq!(seen("path:./src", "a/b"), "path:../../src");
        assert_eq!(seen(".", "runs"), "path:..");
        assert_eq!(seen(".", ""), "path:.");
        assert_eq!(seen("archive:Cargo.toml", "runs"), "archive:../Cargo.toml");
        assert_eq!(seen("git:src@v1", "runs"), "git:../src@v1");
        assert_eq!(seen("cargo:zstd-sys", "runs"), "cargo:zstd-sys");
        assert_eq!(
            seen("https://example.org/a.git", "runs"),
            "git:https://example.org/a.git"
        );
        assert!(seen("src", "/tmp").ends_with("/src"));
        assert!(source("nowhere", Path::new("runs")).is_err());
        let folder = tempfile::tempdir().unwrap();
        let bare = folder.path().to_str().unwrap();
        assert!(seen(bare, "runs").starts_with("path:"));
        std::fs::create_dir(folder.path().join("objects")).unwrap();
        std::fs::create_dir(folder.path().join("refs")).unwrap();
        std::fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n").unwrap();
        assert!(seen(bare, "runs").starts_with("git:/"));
        let model = |text: &str| model_from(text, Path::new("runs")).unwrap();
        assert_eq!(model("local:src"), "local:../src");
        assert_eq!(model("voyage:voyage-code-3"), "voyage:voyage-code-3");
    }
}
