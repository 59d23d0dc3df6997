//! `cache`: the caches between runs, and pruning them.
//!
//! Enters: the folder of caches. Leaves: a table with the size of each model's vectors, and the size of the other
//! caches in the folder. With `--forget`, `--older-than` and `--prune` vectors are removed first, in this order, and
//! the table shows the rest. It does not forget verdicts or mirrors, which only save time; delete those.

use std::fmt::Write as _;
use std::path::Path;

use barecode_check::CACHE_FILE;
use barecode_models::{Cache, CacheEntry, Clock, SystemClock};
use clap::Args;
use serde_json::{Value, json};

use crate::answer::Answer;
use crate::console::grouped;
use crate::exit::Failure;
use crate::models::CACHE_BYTES;
use crate::report::grid;
use crate::session::Session;

const DAY: u64 = 86_400;

/// The caches other than vectors: the name in JSON, the file, a description.
const OTHERS: [(&str, &str, &str); 3] = [
    ("verdicts", CACHE_FILE, "verdicts of compilers"),
    ("git", "git", "mirrors of repositories"),
    ("history", "history", "days of first commits"),
];

/// Show the cache by model, and prune it.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  barecode cache\n  barecode cache --prune 5GB\n  barecode cache --forget openai:text-embedding-3-small --older-than 90"
)]
pub(super) struct Request {
    /// Remove all vectors and scores of a model, by its name in the table or a prefix of it that ends with a
    /// whole word; may be given several times.
    #[arg(long, value_name = "MODEL")]
    forget: Vec<String>,
    /// Remove entries that were not used for DAYS days.
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u64>,
    /// Remove the least recently used entries until the cache has at most this size: bytes, or 500MB, 20GB, 2GiB.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    prune: Option<u64>,
}

/// Removes the selected entries; answers with the remainder.
pub(super) fn run(session: &Session, arguments: &Request) -> anyhow::Result<Answer> {
    let Some(folder) = session.cache_path() else {
        return Err(
            Failure::invalid("caching is off, or the cache folder was not found")
                .hint("name one with --cache, and leave out --no-cache")
                .into(),
        );
    };
    let clock = SystemClock::new();
    let now = clock.unix().as_secs();
    let path = folder.join("vectors.sqlite");
    let (mut entries, mut used, mut forgotten) = (Vec::new(), 0, 0);
    // Looking makes no file.
    if path.exists() {
        let cache = Cache::open(&path, None, &clock)?;
        forgotten = forget(&cache, arguments, now)?;
        entries = cache.contents()?;
        used = cache.bytes()?;
    } else if let Some(model) = arguments.forget.first() {
        return Err(unknown(model, &[]).into());
    }
    let others = OTHERS.map(|(name, file, what)| {
        let path = folder.join(file);
        let bytes = bytes_of(&path);
        (name, what, path, bytes)
    });
    let data = || {
        let mut value = json!({
            "vectors": {
                "path": path,
                "bytes": used,
                "limit": CACHE_BYTES,
                "forgotten": forgotten,
                "models": entries.iter().map(row).collect::<Vec<_>>(),
            },
        });
        for (name, _, path, bytes) in &others {
            value[*name] = json!({ "path": path, "bytes": bytes });
        }
        value
    };
    session.answer(data, |screen| {
        if forgotten > 0 {
            session.note(&format!(
                "{} vectors and scores removed",
                grouped(forgotten)
            ));
        }
        let mut text = format!(
            "vectors and scores of models: {} of at most {} in {}",
            shown(used),
            shown(CACHE_BYTES),
            path.display()
        );
        if !entries.is_empty() {
            let rows = entries.iter().map(|entry| {
                vec![
                    entry.identity.clone(),
                    grouped(entry.count),
                    shown(entry.bytes),
                    ago(now.saturating_sub(entry.last_used)),
                ]
            });
            let heads = ["model", "vectors", "size", "last used"];
            text.push('\n');
            text.push_str(&grid::table(1, &heads, rows, screen));
        }
        for (_, what, path, bytes) in &others {
            write!(text, "\n{what}: {} in {}", shown(*bytes), path.display())?;
        }
        Ok(text)
    })
}

/// Applies the options; returns the number of vectors and scores that were removed.
fn forget(cache: &Cache, arguments: &Request, now: u64) -> anyhow::Result<u64> {
    let mut gone = 0;
    for model in &arguments.forget {
        let entries = cache.contents()?;
        let meant: Vec<&CacheEntry> = entries
            .iter()
            .filter(|entry| is_meant(model, &entry.identity))
            .collect();
        if meant.is_empty() {
            return Err(unknown(model, &entries).into());
        }
        for entry in meant {
            gone += cache.forget(&entry.identity)?;
        }
    }
    if let Some(days) = arguments.older_than {
        gone += cache.forget_older(now.saturating_sub(days.saturating_mul(DAY)))?;
    }
    if let Some(limit) = arguments.prune {
        gone += cache.prune(limit)?;
    }
    Ok(gone)
}

/// Returns `true` if a name means a model: its whole identity, or a beginning of it that ends where a word does.
fn is_meant(name: &str, identity: &str) -> bool {
    let rest = identity.strip_prefix(name);
    !name.is_empty()
        && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '@', '#']))
}

fn unknown(model: &str, entries: &[CacheEntry]) -> Failure {
    let names: Vec<&str> = entries.iter().map(|entry| &*entry.identity).collect();
    let failure = Failure::invalid(format!("the cache has nothing for a model `{model}`"));
    if names.is_empty() {
        failure.hint("the cache is empty; `barecode cache` shows where it would be")
    } else {
        failure.hint(format!("there are: {}", names.join("; ")))
    }
}

fn row(entry: &CacheEntry) -> Value {
    json!({
        "model": entry.identity,
        "vectors": entry.count,
        "bytes": entry.bytes,
        "last_used": entry.last_used,
    })
}

/// Returns the bytes of a file and its `SQLite` side files, or of a folder and its content; 0 if it does not exist.
fn bytes_of(path: &Path) -> u64 {
    let Ok(about) = path.symlink_metadata() else {
        return 0;
    };
    if !about.is_dir() {
        let beside = ["-wal", "-shm"].map(|ending| {
            let mut name = path.as_os_str().to_owned();
            name.push(ending);
            Path::new(&name).metadata().map_or(0, |about| about.len())
        });
        return about.len() + beside.iter().sum::<u64>();
    }
    let entries = std::fs::read_dir(path).into_iter().flatten().flatten();
    entries
        .map(|entry| {
            let path = entry.path();
            match entry.metadata() {
                Ok(about) if about.is_dir() => bytes_of(&path),
                Ok(about) => about.len(),
                Err(_) => 0,
            }
        })
        .sum()
}

const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];

/// `12.3 MiB`.
fn shown(bytes: u64) -> String {
    let mut size = bytes as f64;
    let mut unit = "B";
    for next in UNITS {
        if size < 1024.0 {
            break;
        }
        size /= 1024.0;
        unit = next;
    }
    if unit == "B" {
        format!("{bytes} B")
    } else {
        format!("{size:.1} {unit}")
    }
}

/// `today`, `1 day ago`.
fn ago(seconds: u64) -> String {
    match seconds / DAY {
        0 => "today".to_owned(),
        1 => "1 day ago".to_owned(),
        days => format!("{} days ago", grouped(days)),
    }
}

/// Bytes of `1000`, `500MB`, `1.5 GiB`: units of 1,000, with an `i` of 1,024.
fn size(text: &str) -> Result<u64, String> {
    let text = text.trim();
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = text.strip_prefix(number).unwrap_or_default().to_lowercase();
    let (base, power) = match unit.as_str() {
        "" | "b" => (1.0, 0),
        "kb" | "k" => (1000.0, 1),
        "mb" | "m" => (1000.0, 2),
        "gb" | "g" => (1000.0, 3),
        "tb" | "t" => (1000.0, 4),
        "kib" => (1024.0, 1),
        "mib" => (1024.0, 2),
        "gib" => (1024.0, 3),
        "tib" => (1024.0, 4),
        _ => {
            return Err(format!(
                "unknown unit `{unit}`; use KB, MB, GB, TB, KiB, MiB, GiB or TiB"
            ));
        }
    };
    let number: f64 = number
        .trim()
        .parse()
        .map_err(|_| "not a number".to_owned())?;
    if !(number.is_finite() && number >= 0.0) {
        return Err("a size is 0 or more".to_owned());
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above; the cast saturates"
    )]
    let bytes = (number * f64::powi(base, power)) as u64;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_units_of_both_kinds() {
        assert_eq!(size("1000"), Ok(1000));
        assert_eq!(size("20GB"), Ok(20_000_000_000));
        assert_eq!(size("1.5 MiB"), Ok(3 << 19));
        assert_eq!(size("0"), Ok(0));
        for wrong in ["", "GB", "-1", "1 parsec", "nan", "1e400"] {
            assert!(size(wrong).is_err(), "{wrong}");
        }
        assert_eq!(shown(1023), "1023 B");
        assert_eq!(shown(20 << 30), "20.0 GiB");
    }

    #[test]
    fn a_name_ends_where_a_word_does() {
        let identity = "local:mini@unknown weights=1234 mean";
        assert!(is_meant(identity, identity));
        assert!(is_meant("local:mini", identity));
        for other in ["local:min", "", "mini", "local:mini@unknown weights=12"] {
            assert!(!is_meant(other, identity), "{other}");
        }
        assert!(is_meant("openai+http://h/v1", "openai+http://h/v1#m"));
    }
}
