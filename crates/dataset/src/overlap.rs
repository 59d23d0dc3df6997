//! Functions for training that an evaluation set has too (CLARC, appendix D.1: the two are disjoint).

use std::collections::BTreeSet;

use barecode_corpus::duplicates::{Likeness, nearest};

/// The content that must not be trained on.
#[derive(Debug, Clone, Default)]
pub struct HeldOut<'a> {
    /// The texts of its documents, as written.
    pub texts: Vec<&'a str>,
    /// The repositories that they are from, if that is known: an address, or `owner/name`.
    pub repositories: BTreeSet<String>,
}

/// Why a function is left out.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Overlap {
    /// Its repository is one of the evaluation set.
    Repository,
    /// Its text is nearly one of the evaluation set, with so great a Jaccard similarity.
    Text(f64),
}

/// For each function (its text as written and its repository) the reason if it is left out.
pub fn overlaps(
    functions: &[(&str, &str)],
    held_out: &HeldOut<'_>,
    likeness: Likeness,
) -> Vec<Option<Overlap>> {
    let texts: Vec<&str> = functions.iter().map(|(text, _)| *text).collect();
    let alike = nearest(&held_out.texts, &texts, likeness);
    let repositories: BTreeSet<String> = held_out.repositories.iter().map(|it| named(it)).collect();
    let functions = functions.iter().zip(alike);
    functions
        .map(|((_, repository), alike)| {
            if repositories.contains(&named(repository)) {
                return Some(Overlap::Repository);
            }
            alike.map(|(_, similarity)| Overlap::Text(similarity))
        })
        .collect()
}

/// `owner/name` in lower case, of an address or of a name: `https://github.com/Owner/Name.git`, `git:https://…@v1`.
fn named(repository: &str) -> String {
    let address = repository.to_lowercase();
    let address = match address.rsplit_once('@') {
        Some((before, revision)) if !revision.contains('/') => before,
        _ => &address,
    };
    let address = address.trim_end_matches('/');
    let address = address.strip_suffix(".git").unwrap_or(address);
    let mut parts = address.rsplit(['/', ':']);
    match (parts.next(), parts.next()) {
        (Some(name), Some(owner)) if !owner.is_empty() => format!("{owner}/{name}"),
        _ => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIKENESS: Likeness = Likeness {
        threshold: 0.7,
        shingle: 5,
    };

    #[test]
    fn an_address_and_a_name_are_the_same_repository() {
        for one in [
            "https://github.com/Owner/Name.git",
            "git:https://github.com/owner/name@v1.2",
            "owner/name",
            "git@github.com:owner/name",
        ] {
            assert_eq!(named(one), "owner/name", "{one}");
        }
        assert_ne!(named("path:name"), "owner/name");
    }

    #[test]
    fn what_is_nearly_a_held_out_text_or_from_its_repository_is_left_out() {
        let held_out = HeldOut {
            texts: vec!["int add(int a, int b) { int sum = a + b; return sum; }"],
            repositories: BTreeSet::from(["https://github.com/owner/name".to_owned()]),
        };
        let functions = [
            (
                "int add(int a,int b)\n{ int sum = a + b; return sum; }",
                "path:mine",
            ),
            (
                "void clear(char *text) { while (*text) *text++ = 0; }",
                "path:mine",
            ),
            (
                "int one(void) { return 1; }",
                "git:https://github.com/Owner/name@v2",
            ),
        ];
        assert_eq!(
            overlaps(&functions, &held_out, LIKENESS),
            [Some(Overlap::Text(1.0)), None, Some(Overlap::Repository)]
        );
    }
}
