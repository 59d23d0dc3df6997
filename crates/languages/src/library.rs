//! The C library as sentences and compilers know it.
//!
//! All that headers declare is in [`standard_names`](crate::standard_names); these lists are shorter, and each names
//! its users.

use std::sync::LazyLock;

/// Returns `true` if the standard library declares a name that sentences about code mention.
///
/// A rarer name that is missing here counts as the project's, which errs on the safe side.
pub fn is_mentioned(name: &str) -> bool {
    MENTIONED.binary_search(&name).is_ok() || is_fixed_width(name)
}

/// Returns `true` if a compiler knows the function without any header, so that a declaration of it means more than it
/// shows.
pub fn is_known_to_compilers(name: &str) -> bool {
    let base = name.trim_end_matches(['f', 'l']);
    BUILT_IN.binary_search(&name).is_ok() || BUILT_IN.binary_search(&base).is_ok()
}

/// `uint8_t`, `INT64_MAX`, `uintptr_t`, and their like.
fn is_fixed_width(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let Some(rest) = lower
        .strip_prefix('u')
        .unwrap_or(&lower)
        .strip_prefix("int")
    else {
        return false;
    };
    let rest = rest.trim_start_matches(['_', 'f', 'a', 's', 't', 'l', 'e']);
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let has_width = after.len() < rest.len() || rest.starts_with("ptr") || rest.starts_with("max");
    has_width && (name.ends_with("_t") || name.ends_with("_MAX") || name.ends_with("_MIN"))
}

static MENTIONED: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("data/mentioned.txt").lines().collect());

/// The Debian package that brings a header of a usual library: `libssl-dev` of `openssl/ssl.h`.
pub fn package_of(header: &str) -> Option<&'static str> {
    let known = include_str!("data/packages.txt").lines();
    let mut known = known.filter_map(|line| line.split_once(' '));
    let is_it = |name: &str| header == name || (name.ends_with('/') && header.starts_with(name));
    known.find_map(|(name, package)| is_it(name).then_some(package))
}

static BUILT_IN: LazyLock<Vec<&str>> =
    LazyLock::new(|| include_str!("data/built-in.txt").lines().collect());

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_for_the_search() {
        assert!(BUILT_IN.is_sorted_by(|a, b| a < b));
        assert!(MENTIONED.is_sorted_by(|a, b| a < b));
    }

    #[test]
    fn packages_are_known_by_header_and_by_folder() {
        assert_eq!(package_of("openssl/ssl.h"), Some("libssl-dev"));
        assert_eq!(package_of("zlib.h"), Some("zlib1g-dev"));
        assert_eq!(package_of("zlib.hpp"), None);
    }

    #[test]
    fn integers_of_a_width_are_standard() {
        for name in [
            "uint8_t",
            "int64_t",
            "uintptr_t",
            "intmax_t",
            "INT64_MAX",
            "uint_fast16_t",
        ] {
            assert!(is_mentioned(name), "{name}");
        }
        for name in ["internal_t", "uint8", "int_size_t", "pint8_t", "interval_t"] {
            assert!(!is_mentioned(name), "{name}");
        }
    }
}
