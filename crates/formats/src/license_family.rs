//! The license families of texts, and the check that one label covers them all.
//!
//! Enters: the content of a column: an SPDX expression, or an informal name (`CC-By Attribution 4.0 International`,
//! `GNU General Public License (GPL) 3.0`). Out comes a family. A choice (`OR`) counts as its most permissive side, a
//! sum (`AND`) as its strictest.
//!
//! The hard part is the content that one label may cover. Permissive text may be passed on under any label; copyleft
//! text only under its own license, or under one that its license names as following (LGPL text as GPL, `or-later` as
//! a later version); text of an unknown license under none, so it must not be beside others. This is not legal
//! advice, and notices that licenses require are not written.

use std::collections::BTreeMap;

use barecode_records::words;
use spdx::expression::ExprNode;
use spdx::{Expression, ParseMode};

use crate::Benchmark;

words! {
    /// The requirements of a license for redistribution.
    pub enum Family {
        /// Little more than naming the authors.
        Permissive = "permissive",
        /// Its own files stay under the license (LGPL, MPL, EPL).
        WeakCopyleft = "weak-copyleft",
        /// All that it is a part of stays under the license (GPL, CC-BY-SA).
        Copyleft = "copyleft",
        /// It does not allow redistribution, changes, or commercial use.
        Restricted = "restricted",
        /// Unknown.
        Unknown = "unknown",
    }
}

/// The family of a license, from an SPDX expression or an informal name.
///
/// ```
/// use barecode_formats::{Family, family};
///
/// assert_eq!(family("MIT OR GPL-2.0-only"), Family::Permissive);
/// assert_eq!(family("MIT AND GPL-2.0-only"), Family::Copyleft);
/// assert_eq!(family("CC-By Attribution 4.0 International"), Family::Permissive);
/// assert_eq!(family("GNU Lesser General Public License (LGPL) 2.1"), Family::WeakCopyleft);
/// assert_eq!(family("Other"), Family::Unknown);
/// ```
pub fn family(license: &str) -> Family {
    let Some(expression) = expression(license) else {
        let said = license.to_lowercase();
        let forbids = ["no license", "proprietary", "all rights reserved"];
        return if forbids.iter().any(|words| said.contains(words)) {
            Family::Restricted
        } else {
            Family::Unknown
        };
    };
    let mut stack: Vec<Family> = Vec::new();
    for node in expression.iter() {
        match node {
            ExprNode::Req(one) => stack.push(of_requirement(&one.req)),
            ExprNode::Op(operator) => {
                let (Some(a), Some(b)) = (stack.pop(), stack.pop()) else {
                    return Family::Unknown;
                };
                stack.push(match operator {
                    spdx::expression::Operator::And => a.max(b),
                    spdx::expression::Operator::Or => a.min(b),
                });
            }
        }
    }
    stack.pop().unwrap_or(Family::Unknown)
}

/// The SPDX expression of a license, if its name is recognized.
pub fn expression(license: &str) -> Option<Expression> {
    let parsed = Expression::parse_mode(license.trim(), ParseMode::LAX);
    parsed
        .ok()
        .or_else(|| Expression::parse(named(license)?.as_str()).ok())
}

fn of_requirement(one: &spdx::LicenseReq) -> Family {
    let Some(id) = one.license.id() else {
        return Family::Unknown;
    };
    let name = id.name;
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| name.starts_with(prefix));
    if name.contains("-NC") || name.contains("-ND") {
        return Family::Restricted;
    }
    if begins(&[
        "LGPL",
        "MPL",
        "EPL",
        "CDDL",
        "CPL",
        "IPL",
        "MS-RL",
        "CECILL-C",
        "EUPL",
        "APSL",
        "Artistic-1",
    ]) {
        return Family::WeakCopyleft;
    }
    if id.is_copyleft()
        || begins(&[
            "GPL",
            "AGPL",
            "CC-BY-SA",
            "OSL",
            "ODbL",
            "CECILL-2",
            "GFDL",
            "Sleepycat",
        ])
    {
        return Family::Copyleft;
    }
    if id.is_osi_approved()
        || id.is_fsf_free_libre()
        || begins(&["CC-BY-", "CC0", "CC-PD", "BSD", "MIT", "ODC-By", "PDDL"])
        || UNLISTED.split_ascii_whitespace().any(|one| one == name)
    {
        return Family::Permissive;
    }
    Family::Unknown
}

/// Licenses that require little more than names, and that neither the OSI nor the FSF lists: dedications to the
/// public (`blessing` is that of `SQLite`), and terms of single libraries.
const UNLISTED: &str = "\
    ANTLR-PD Beerware FSFAP HPND ICU Info-ZIP Libpng NIST-PD RSA-MD SAX-PD Spencer-86 Spencer-94 Spencer-99 TCL \
    X11 blessing bzip2-1.0.6 curl libpng-2.0 libtiff snprintf zlib-acknowledgement";

/// The SPDX name of a license written in words: which words occur, and the version.
fn named(text: &str) -> Option<String> {
    let lower = text.to_lowercase();
    let words: Vec<&str> = lower
        .split(|c: char| !c.is_alphanumeric() && c != '.' && c != '+')
        .filter(|word| !word.is_empty())
        .collect();
    let has = |word: &str| words.contains(&word);
    let clause = |n: &str| words.windows(2).any(|two| two == [n, "clause"]);
    let version = words
        .iter()
        .map(|word| word.trim_start_matches('v').trim_end_matches('+'))
        .find(|word| {
            word.chars().next().is_some_and(|c| c.is_ascii_digit())
                && word.chars().all(|c| c.is_ascii_digit() || c == '.')
        });
    let version = |default: &str| {
        let version = version.unwrap_or(default);
        if version.contains('.') {
            version.to_owned()
        } else {
            format!("{version}.0")
        }
    };
    let later =
        if lower.contains("or later") || lower.contains("or any later") || lower.contains('+') {
            "or-later"
        } else {
            "only"
        };
    let gnu = |name: &str, default: &str| Some(format!("{name}-{}-{later}", version(default)));
    let general = has("general") && has("public");
    if has("agpl") || has("affero") {
        return gnu("AGPL", "3.0");
    }
    if has("lgpl") || (general && (has("lesser") || has("library"))) {
        return gnu("LGPL", "2.1");
    }
    if has("gpl") || (general && !has("mozilla") && !has("eclipse")) {
        return gnu("GPL", "3.0");
    }
    if has("cc0") || (lower.contains("public domain") && has("universal")) {
        return Some("CC0-1.0".to_owned());
    }
    if lower.contains("public domain") {
        return Some("CC-PDDC".to_owned());
    }
    if (has("cc") && has("by"))
        || (has("creative") && has("commons"))
        || (has("attribution") && has("international"))
    {
        let mut name = "CC-BY".to_owned();
        if has("nc") || has("noncommercial") || lower.contains("non-commercial") {
            name.push_str("-NC");
        }
        if has("nd") || has("noderivatives") || lower.contains("no derivatives") {
            name.push_str("-ND");
        }
        if has("sa")
            || has("sharealike")
            || lower.contains("share-alike")
            || lower.contains("share alike")
        {
            name.push_str("-SA");
        }
        return Some(format!("{name}-{}", version("4.0")));
    }
    let bsd = if has("simplified") || clause("2") {
        "BSD-2-Clause"
    } else {
        "BSD-3-Clause"
    };
    // A word, the license that it represents, and the version if none is given.
    let known = [
        ("mozilla", "MPL", Some("2.0")),
        ("mpl", "MPL", Some("2.0")),
        ("eclipse", "EPL", Some("2.0")),
        ("apache", "Apache-2.0", None),
        ("artistic", "Artistic", Some("2.0")),
        ("bsd", bsd, None),
        ("mit", "MIT", None),
        ("isc", "ISC", None),
        ("zlib", "Zlib", None),
        ("unlicense", "Unlicense", None),
        ("boost", "BSL-1.0", None),
        ("wtfpl", "WTFPL", None),
        ("psf", "PSF-2.0", None),
        ("python", "PSF-2.0", None),
        ("ncsa", "NCSA", None),
        ("x11", "X11", None),
        ("curl", "curl", None),
        ("0bsd", "0BSD", None),
    ];
    let (_, name, usual) = known.into_iter().find(|(word, ..)| has(word))?;
    Some(match usual {
        Some(usual) => format!("{name}-{}", version(usual)),
        None => name.to_owned(),
    })
}

/// Returns the number of documents that are under each family and each license, over all subsets, each id once.
pub fn census(benchmark: &Benchmark) -> BTreeMap<Family, BTreeMap<String, u64>> {
    let mut seen = std::collections::BTreeSet::new();
    let mut counts: BTreeMap<Family, BTreeMap<String, u64>> = BTreeMap::new();
    for document in benchmark
        .subsets
        .iter()
        .flat_map(|subset| &subset.documents)
    {
        if !seen.insert(&document.id) {
            continue;
        }
        let license = document.license();
        let family = license.map_or(Family::Unknown, family);
        let name = license.unwrap_or("no license").to_owned();
        *counts.entry(family).or_default().entry(name).or_default() += 1;
    }
    counts
}

/// The reason why these documents must not be published under one label; `None` if they may.
///
/// A benchmark without licenses of documents may: nothing can be compared, and only the label is known.
pub fn gate(benchmark: &Benchmark, label: &str) -> Option<String> {
    let documents = benchmark
        .subsets
        .iter()
        .flat_map(|subset| &subset.documents);
    let told: Vec<Option<&str>> = documents.map(crate::Document::license).collect();
    if told.iter().all(Option::is_none) {
        return None;
    }
    let mut uncovered: BTreeMap<String, u64> = BTreeMap::new();
    for (family, licenses) in census(benchmark) {
        for (license, count) in licenses {
            if family >= Family::Restricted || !covers(label, &license) {
                let said = format!("{license} ({family})");
                *uncovered.entry(said).or_default() += count;
            }
        }
    }
    if uncovered.is_empty() {
        return None;
    }
    let shown: Vec<String> = uncovered
        .iter()
        .map(|(license, count)| format!("{count} under {license}"))
        .collect();
    Some(format!(
        "the label `{label}` does not cover all documents: {}",
        shown.join(", ")
    ))
}

/// Returns `true` if text under `license` may be passed on under `label`.
fn covers(label: &str, license: &str) -> bool {
    if family(license) == Family::Permissive {
        return true;
    }
    let (Some(label), Some(license)) = (expression(label), expression(license)) else {
        return false;
    };
    let labels: Vec<String> = names(&label);
    names(&license).iter().all(|name| {
        let permissive = family(name) == Family::Permissive;
        permissive || labels.iter().any(|label| same_or_following(label, name))
    })
}

fn names(expression: &Expression) -> Vec<String> {
    let requirements = expression.requirements();
    requirements.map(|one| one.req.to_string()).collect()
}

/// Returns `true` if `label` is `license` itself, or one that `license` names as following.
fn same_or_following(label: &str, license: &str) -> bool {
    if label == license {
        return true;
    }
    let parts = |name: &str| -> Option<(String, String, bool)> {
        let later = name.ends_with("-or-later") || name.ends_with('+');
        let bare = name
            .trim_end_matches("-or-later")
            .trim_end_matches("-only")
            .trim_end_matches('+');
        let (base, version) = bare.rsplit_once('-')?;
        Some((base.to_owned(), version.to_owned(), later))
    };
    let (Some((label_base, label_version, _)), Some((base, version, later))) =
        (parts(label), parts(license))
    else {
        return false;
    };
    let follows = label_version == version || (later && label_version > version);
    let lesser =
        base == "LGPL" && label_base == "GPL" && (label_version >= version || version == "2.1");
    (label_base == base && follows) || lesser
}

/// The benchmark with each subset divided by families: `x` becomes `x-permissive`, `x-copyleft`, ….
///
/// A family has the documents of its licenses and the queries that one of them answers; a subset whose documents are
/// of one family keeps its documents and gets the family's name too, so that a name always shows its license family.
#[must_use]
pub fn split_by_family(benchmark: &Benchmark) -> Benchmark {
    let mut split = Benchmark {
        subsets: Vec::new(),
        ..benchmark.clone()
    };
    for subset in &benchmark.subsets {
        let mut families: BTreeMap<Family, crate::Subset> = BTreeMap::new();
        let mut of_document = BTreeMap::new();
        for document in &subset.documents {
            let family = document.license().map_or(Family::Unknown, family);
            of_document.insert(document.id.as_str(), family);
            let part = families.entry(family).or_insert_with(|| crate::Subset {
                kind: subset.kind,
                ..crate::Subset::new(format!("{}-{family}", subset.name), &subset.split)
            });
            part.documents.push(document.clone());
        }
        for judgment in &subset.judgments {
            let family = of_document.get(judgment.document.as_str());
            if let Some(part) = family.and_then(|family| families.get_mut(family)) {
                part.judgments.push(judgment.clone());
            }
        }
        for (family, mut part) in families {
            let answered: std::collections::BTreeSet<&str> = part
                .judgments
                .iter()
                .filter(|one| one.grade > 0)
                .map(|one| one.query.as_str())
                .collect();
            let queries = subset
                .queries
                .iter()
                .filter(|one| answered.contains(one.id.as_str()));
            part.queries = queries.cloned().collect();
            let judgments = part
                .judgments
                .iter()
                .filter(|one| answered.contains(one.query.as_str()));
            part.judgments = judgments.cloned().collect();
            for query in &part.queries {
                if let Some(candidates) = subset.candidates.get(&query.id) {
                    let own = candidates
                        .iter()
                        .filter(|id| of_document.get(id.as_str()) == Some(&family));
                    part.candidates
                        .insert(query.id.clone(), own.cloned().collect());
                }
            }
            split.subsets.push(part);
        }
    }
    split
}
