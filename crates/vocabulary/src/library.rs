//! The words of the documentation of library functions.

use std::collections::HashMap;
use std::sync::LazyLock;

static FUNCTIONS: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let lines = include_str!("../data/functions.txt").lines();
    let lines = lines.filter(|line| !line.starts_with('#'));
    let entries = lines.filter_map(|line| line.split_once(": "));
    let mut functions = HashMap::new();
    for (names, words) in entries {
        for name in names.split_ascii_whitespace() {
            functions.entry(name.trim_end_matches('_')).or_insert(words);
            functions.entry(name).or_insert(words);
        }
    }
    functions
});

/// The words for a library function, by its name in any of the spellings that projects use: `strlen`, `__builtin_memcpy`,
/// `XSTRCMP`, `g_strdup`, `my_malloc`, `sqrtf`.
pub fn documentation(name: &str) -> Option<&'static str> {
    if let Some(words) = FUNCTIONS.get(name) {
        return Some(words);
    }
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    if let Some(words) = FUNCTIONS.get(plain) {
        return Some(words);
    }
    // Wrappers are named after what they wrap; short names would be found in everything.
    let lower = plain.trim_start_matches('_').to_ascii_lowercase();
    let last = lower.rsplit('_').next().unwrap_or(&lower);
    let candidates = [
        lower.as_str(),
        lower.strip_suffix('f').unwrap_or(&lower),
        last,
        lower.strip_prefix('x').unwrap_or(&lower),
        lower.strip_prefix("sys").unwrap_or(&lower),
    ];
    let mut candidates = candidates
        .into_iter()
        .filter(|it| it.len() >= 5 || *it == lower);
    candidates.find_map(|it| FUNCTIONS.get(it).copied())
}
