//! The license of a file, as an SPDX expression.
//!
//! Enters: statements of a license: a recipe, a package, the head of a file, the text of a license file. Leaves: an
//! SPDX expression in its one spelling ([`normalize`]). Texts are compared with those that SPDX publishes, by the
//! pairs of words that both have; a license is never guessed from the name of a file.
//!
//! The difficulty is information that a text lacks. The text of the GPL is the same whether later versions are
//! allowed or not, so the narrow reading is used (`GPL-2.0-only`). A statement at the top of the file itself
//! overrides it. Several license files in one folder are alternatives only if each is named after its license
//! (`LICENSE-MIT`, `LICENSE-APACHE`); else the plainest name counts. A `README` is not read.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::LazyLock;

use spdx::detection::{Store, TextData};

use crate::SourceError;

/// A license and the origin of the statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stated {
    /// The SPDX expression; `None` if a license text exists but is not recognized.
    pub expression: Option<String>,
    /// `recipe`, `SPDX header`, `package`, or the path of the file that states it.
    pub from: String,
}

/// The size of the part of a file in which its license is looked for, in bytes.
const HEAD: usize = 4 << 10;

/// SPDX names of licenses, with old and loose spellings of them, in lower case. Names that stand for several
/// licenses (`BSD`, `GPL`) are not in the list: they stay unknown.
const ALIASES: [(&str, &str); 22] = [
    (
        "Apache-2.0",
        "apache; apache 2; apache 2.0; apache-2; apache2; apache2.0; apache license 2.0; apache \
         license, version 2.0; asl 2.0",
    ),
    ("MIT", "mit license; the mit license; expat"),
    (
        "BSD-2-Clause",
        "bsd-2; bsd2; bsd 2-clause; bsd-2-clause license; simplified bsd",
    ),
    (
        "BSD-3-Clause",
        "bsd-3; bsd3; bsd 3-clause; bsd-3-clause license; new bsd",
    ),
    ("BSL-1.0", "boost; boost-1.0; boost software license 1.0"),
    ("CC0-1.0", "cc0"),
    ("ISC", "isc license"),
    ("MPL-2.0", "mpl2; mpl 2.0; mpl-2; mplv2"),
    ("Unlicense", "the unlicense"),
    ("GPL-2.0-only", "gpl2; gplv2; gpl v2"),
    ("GPL-2.0-or-later", "gplv2+; gplv2 or later"),
    ("GPL-3.0-only", "gpl3; gplv3; gpl v3"),
    ("GPL-3.0-or-later", "gplv3+"),
    ("LGPL-2.0-only", "lgplv2"),
    ("LGPL-2.0-or-later", "lgplv2+"),
    ("LGPL-2.1-only", "lgplv2.1"),
    ("LGPL-2.1-or-later", "lgplv2.1+"),
    ("LGPL-3.0-only", "lgplv3"),
    ("LGPL-3.0-or-later", "lgplv3+"),
    ("AGPL-3.0-only", "agplv3"),
    ("AGPL-3.0-or-later", "agplv3+"),
    ("Zlib", "zlib license"),
];

/// An expression in the one spelling that SPDX has for it. Unknown names become `LicenseRef-…`; `None` for a text
/// without any of the letters that a name needs.
///
/// ```
/// use barecode_sources::license::normalize;
///
/// assert_eq!(normalize("GPL-2.0+").unwrap(), "GPL-2.0-or-later");
/// assert_eq!(normalize("mit/Apache 2").unwrap(), "MIT OR Apache-2.0");
/// assert_eq!(normalize("Our Own").unwrap(), "LicenseRef-Our-Own");
/// ```
pub fn normalize(text: &str) -> Option<String> {
    let text = text.trim();
    if let Some(name) = known(text) {
        return Some(name);
    }
    expression(text).or_else(|| reference(text))
}

/// An expression of known names and of references, joined by operators.
fn expression(text: &str) -> Option<String> {
    let mut words: Vec<String> = Vec::new();
    let mut name: Vec<&str> = Vec::new();
    let spaced: String = text
        .chars()
        .flat_map(|c| match c {
            '(' | ')' => vec![' ', c, ' '],
            '/' => " OR ".chars().collect(),
            c => vec![c],
        })
        .collect();
    let mut behind_with = false;
    let take = |name: &mut Vec<&str>, words: &mut Vec<String>, behind_with: bool| {
        if name.is_empty() {
            return Some(());
        }
        let one = name.join(" ");
        name.clear();
        let found = if behind_with {
            spdx::exception_id(&one).map(|exception| exception.name.to_owned())?
        } else {
            known(&one).or_else(|| reference(&one))?
        };
        words.push(found);
        Some(())
    };
    for word in spaced.split_whitespace() {
        let operator = match word.to_ascii_lowercase().as_str() {
            "or" if !name.is_empty() || !words.is_empty() => "OR",
            "and" => "AND",
            "with" => "WITH",
            "(" => "(",
            ")" => ")",
            _ => {
                name.push(word);
                continue;
            }
        };
        take(&mut name, &mut words, behind_with)?;
        behind_with = operator == "WITH";
        words.push(operator.to_owned());
    }
    take(&mut name, &mut words, behind_with)?;
    let joined = words.join(" ").replace("( ", "(").replace(" )", ")");
    spdx::Expression::parse(&joined).is_ok().then_some(joined)
}

/// The name that SPDX has for one license.
fn known(name: &str) -> Option<String> {
    let lower = name.to_ascii_lowercase();
    let is_alias = |aliases: &str| aliases.split("; ").any(|alias| alias == lower);
    if let Some((found, _)) = ALIASES.iter().find(|(_, aliases)| is_alias(aliases)) {
        return Some((*found).to_owned());
    }
    let (base, plus) = match lower.strip_suffix('+') {
        Some(base) => (base, true),
        None => (lower.as_str(), false),
    };
    let id = *IDS.get(base)?;
    let is_gnu = spdx::license_id(id).is_some_and(spdx::LicenseId::is_gnu);
    Some(match (is_gnu, plus) {
        (true, _) => {
            let (bare, later) = match id.strip_suffix("-or-later") {
                Some(bare) => (bare, true),
                None => (id.strip_suffix("-only").unwrap_or(id), plus),
            };
            format!("{bare}-{}", if later { "or-later" } else { "only" })
        }
        (false, true) => format!("{id}+"),
        (false, false) => id.to_owned(),
    })
}

/// The names of SPDX by their lower case.
static IDS: LazyLock<BTreeMap<String, &str>> = LazyLock::new(|| {
    let names = spdx::identifiers::LICENSES.iter().map(|one| one.name);
    names
        .map(|name| (name.to_ascii_lowercase(), name))
        .collect()
});

/// A name that SPDX does not know, in the form that it requires.
fn reference(name: &str) -> Option<String> {
    let name = name.strip_prefix("LicenseRef-").unwrap_or(name);
    let mut kept = String::new();
    for c in name.chars().take(80) {
        if c.is_ascii_alphanumeric() || c == '.' {
            kept.push(c);
        } else if !kept.ends_with('-') {
            kept.push('-');
        }
    }
    let kept = kept.trim_matches('-');
    kept.contains(|c: char| c.is_ascii_alphanumeric())
        .then(|| format!("LicenseRef-{kept}"))
}

/// The expression in the head of a file after `SPDX-License-Identifier:`; several such lines all hold.
pub fn header(bytes: &[u8]) -> Option<String> {
    // Joined from two, so that this file does not state a license by naming the mark.
    let mark = concat!("SPDX-License-", "Identifier:");
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes)).into_owned();
    let mut found: Vec<String> = Vec::new();
    for line in head.lines() {
        let Some((_, stated)) = line.split_once(mark) else {
            continue;
        };
        let stated = ["*/", "-->", "\""]
            .iter()
            .filter_map(|end| stated.split_once(end))
            .map(|(before, _)| before)
            .min_by_key(|before| before.len())
            .unwrap_or(stated);
        if let Some(one) = normalize(stated).filter(|one| !found.contains(one)) {
            found.push(one);
        }
    }
    let several = found.len() > 1;
    let brackets = |one: String| {
        if several && one.contains(" OR ") {
            format!("({one})")
        } else {
            one
        }
    };
    let joined: Vec<String> = found.into_iter().map(brackets).collect();
    (!joined.is_empty()).then(|| joined.join(" AND "))
}

/// Returns `true` if the head of a file allows later versions of its license.
fn allows_later_versions(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(bytes.get(..HEAD).unwrap_or(bytes)).to_ascii_lowercase();
    let letters = |c: char| !c.is_ascii_alphanumeric();
    let words: Vec<&str> = head
        .split(letters)
        .filter(|word| !word.is_empty())
        .collect();
    words
        .windows(3)
        .any(|three| three == ["any", "later", "version"])
}

/// Texts as near to a published one as this are the same license.
const SAME: f32 = 0.9;

/// The license whose text this is, or begins with; several if the text offers the choice.
pub fn recognize(text: &str) -> Option<String> {
    let later = allows_later_versions(text.as_bytes());
    let head = words(text.get(..HEAD).unwrap_or(text));
    let data = TextData::new(text);
    if CHOICES.iter().any(|choice| head.contains(choice)) {
        let names = alternatives(&data);
        let spelled: Vec<String> = names
            .into_iter()
            .filter_map(|one| reading(one, later))
            .collect();
        if !spelled.is_empty() {
            return Some(spelled.join(" OR "));
        }
    }
    let (name, begins) = recognize_text(&data)?;
    if begins > 4
        && let Some(said) = said_in(&words(&data.with_view(0, begins).lines().join(" ")))
    {
        return Some(said);
    }
    reading(name, later)
}

/// A license of SPDX in its one spelling. The GNU licenses have one text for both readings, apart from the notice
/// that some projects use instead of it.
fn reading(name: &str, later: bool) -> Option<String> {
    if !spdx::license_id(name)?.is_gnu() {
        return known(name);
    }
    let base = name.trim_end_matches("-or-later").trim_end_matches("-only");
    let base = base.trim_end_matches('+');
    let reading = if later { "or-later" } else { "only" };
    known(&format!("{base}-{reading}"))
}

/// Phrases in texts that leave the choice to the reader.
const CHOICES: [&str; 3] = [
    "choose whichever you prefer",
    "choice of the following licenses",
    "under either of the following licenses",
];

/// The words of a text, with one space between them.
fn words(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    lower.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The license that a foreword names: `licensed under the mit license, except …`.
fn said_in(foreword: &str) -> Option<String> {
    foreword
        .split("licensed under the ")
        .skip(1)
        .find_map(|said| {
            let name = said.split([',', '.', ';', '(']).next()?;
            let (name, _) = name.split_once(" license")?;
            known(name.trim()).or_else(|| known(&format!("{} license", name.trim())))
        })
}

/// All license texts in a file, in their order.
fn alternatives(text: &TextData) -> Vec<&'static str> {
    let mut found: Vec<(usize, &'static str)> = Vec::new();
    let mut rest = text.with_view(0, text.lines().len());
    for _ in 0..4 {
        let Some((name, _, published)) = nearest(&rest) else {
            break;
        };
        let (view, score) = rest.optimize_bounds(published);
        if score < SAME {
            break;
        }
        found.push((view.lines_view().0, name));
        rest = view.white_out();
    }
    found.sort_unstable();
    let mut names: Vec<&'static str> = found.into_iter().map(|(_, name)| name).collect();
    names.dedup();
    names
}

/// The first license, and the line on which it begins.
fn recognize_text(text: &TextData) -> Option<(&'static str, usize)> {
    let (name, score, published) = nearest(text)?;
    if score >= SAME {
        // A short license before a long one hardly lowers its score.
        let (view, _) = text.optimize_bounds(published);
        let before = view.lines_view().0;
        let first = (before > 4).then(|| recognize_text(&text.with_view(0, before)));
        return first.flatten().or(Some((name, before)));
    }
    // More than one text, or a foreword: the first text is the project's own.
    let lines = text.lines().len();
    for end in [25, 50, 100, 250, 700] {
        let end = lines.min(end);
        let view = text.with_view(0, end);
        let (name, _, published) = nearest(&view)?;
        let (found, score) = view.optimize_bounds(published);
        if score >= SAME {
            return Some((name, found.lines_view().0));
        }
        if end == lines {
            break;
        }
    }
    None
}

/// Licenses that are another one but for a few words, with words that only they have.
const VARIANTS: [(&str, &str); 1] = [("Pixar", "modified apache")];

/// Returns `true` if a text lacks the words that make it this variant: without its appendix, the Apache license is
/// nearer to Pixar's than to itself.
fn lacks_its_words(name: &str, text: &TextData) -> bool {
    let variant = VARIANTS.iter().find(|(variant, _)| *variant == name);
    variant.is_some_and(|(_, words)| {
        let mut lines = text.lines().iter();
        !lines.any(|line| line.to_lowercase().contains(words))
    })
}

/// The published text that is nearest; of equals the one with the shorter name, then the first by name.
///
/// Texts are tried in the order of the score that their length allows, until the rest cannot be nearer.
fn nearest(text: &TextData) -> Option<(&'static str, f32, &'static TextData)> {
    static PUBLISHED: LazyLock<Vec<Published>> = LazyLock::new(published);
    let pairs = pairs_in(text);
    let mut ordered: Vec<(f32, &Published)> = PUBLISHED
        .iter()
        .map(|one| (highest_score(pairs, one.pairs), one))
        .collect();
    ordered.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut best: Option<(f32, &Published)> = None;
    for (highest, one) in ordered {
        if best.is_some_and(|(score, _)| highest < score) {
            break;
        }
        let score = one.text.match_score(text);
        let is_nearer = best.is_none_or(|(known, best)| {
            let names = || (best.name.len(), best.name).cmp(&(one.name.len(), one.name));
            let later = || one.at.cmp(&best.at);
            let order = score.total_cmp(&known).then_with(names).then_with(later);
            order.is_gt()
        });
        if is_nearer && !lacks_its_words(one.name, text) {
            best = Some((score, one));
        }
    }
    best.map(|(score, one)| (one.name, score, one.text))
}

/// A text that SPDX publishes.
struct Published {
    name: &'static str,
    /// Its index among the texts of that name.
    at: usize,
    text: &'static TextData,
    /// The number of its pairs of words, if that is known.
    pairs: Option<f32>,
}

static STORE: LazyLock<Result<Store, String>> =
    LazyLock::new(|| Store::load_inline().map_err(|error| error.to_string()));

/// Checks that licenses can be recognized at all; without the published texts every license would be unknown.
pub(crate) fn ready() -> Result<(), SourceError> {
    let unready = |message: &String| SourceError::NoLicenseTexts {
        message: message.clone(),
    };
    STORE.as_ref().map(drop).map_err(unready)
}

/// All texts that SPDX publishes.
fn published() -> Vec<Published> {
    let entries = STORE.iter().flat_map(Store::iter);
    let texts = entries.flat_map(|(name, entry)| {
        let texts = std::iter::once(&entry.original).chain(&entry.alternates);
        let texts = texts.chain(&entry.headers);
        texts.enumerate().map(|(at, text)| Published {
            name,
            at,
            text,
            pairs: pairs_in(text),
        })
    });
    texts.collect()
}

/// The number of pairs of words in a text. The library does not expose it, but the score of a text of one pair shows
/// it: two by the pairs of both. `None` for a text without any of the pairs that are tried.
fn pairs_in(text: &TextData) -> Option<f32> {
    const PAIRS: [&str; 4] = ["of the", "in the", "to the", "this software"];
    static PROBES: LazyLock<[TextData; 4]> = LazyLock::new(|| PAIRS.map(TextData::new));
    let scores = PROBES.iter().map(|probe| probe.match_score(text));
    let score = scores.into_iter().find(|&score| score > 0.0)?;
    // The library counts in the same precision.
    Some((2.0 / score).round() - 1.0)
}

/// The score of two texts if the shorter one is a part of the other.
fn highest_score(a: Option<f32>, b: Option<f32>) -> f32 {
    match (a, b) {
        (Some(a), Some(b)) => 2.0 * a.min(b) / (a + b),
        _ => 1.0,
    }
}

/// Returns `true` if a file may state the license of others: `LICENSE`, `COPYING.LESSER`, `LICENSES/MIT.txt`,
/// `a.c.license`.
pub(crate) fn is_license_file(path: &str) -> bool {
    is_of_folder(path) || path.ends_with(".license")
}

/// Returns `true` if a file states the license of its folder, by its name.
fn is_of_folder(path: &str) -> bool {
    let name = path.rsplit_once('/').map_or(path, |(_, name)| name);
    let name = name.to_ascii_lowercase();
    let stem = ["license", "licence", "copying", "unlicense", "unlicence"]
        .into_iter()
        .find_map(|stem| name.strip_prefix(stem));
    let rest = stem.or_else(|| (name == "copyright").then_some(""));
    // `license.c` and `licenses.h` are code; `license_of(x).py` is neither code nor a license.
    rest.is_some_and(|rest| {
        let ending = rest.rsplit_once('.').map_or("", |(_, ending)| ending);
        let begins = rest.is_empty() || rest.starts_with(['.', '-', '_']);
        let code = [
            "c", "h", "cc", "cpp", "cxx", "hpp", "hh", "py", "js", "rs", "go", "in", "license",
        ];
        begins && !code.contains(&ending)
    })
}

/// The rank of a name by plainness: `LICENSE` before `LICENSE.md` before `COPYING` before `LICENSE-MIT`.
fn plainness(name: &str) -> (u8, String) {
    let name = name.to_ascii_lowercase();
    let bare = ["", ".txt", ".md", ".rst"].iter().any(|ending| {
        ["license", "licence"]
            .iter()
            .any(|stem| name == format!("{stem}{ending}"))
    });
    let copying = name == "copying" || name == "copying.txt" || name == "copying.md";
    let rank = match (bare, copying) {
        (true, _) => 0,
        (_, true) => 1,
        _ => 2,
    };
    (rank, name)
}

/// The license texts of a source. A text is compared at the first request for its folder: most license
/// files of a large repository belong to parts that are not mined.
#[derive(Debug, Default)]
pub(crate) struct LicenseFiles {
    /// Texts of side files, by path.
    sides: BTreeMap<String, Vec<u8>>,
    /// Paths and texts of the license files of each folder.
    folders: BTreeMap<String, Vec<(String, Vec<u8>)>>,
    /// The licenses that were requested so far.
    known: RefCell<BTreeMap<String, Stated>>,
}

impl LicenseFiles {
    /// Sorts the texts by the files that they apply to.
    pub(crate) fn new(texts: BTreeMap<String, Vec<u8>>) -> LicenseFiles {
        let mut files = LicenseFiles::default();
        for (path, bytes) in texts {
            if is_of_folder(&path) {
                let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
                let texts = files.folders.entry(folder.to_owned()).or_default();
                texts.push((path, bytes));
            } else {
                files.sides.insert(path, bytes);
            }
        }
        files
    }

    fn of_folder(&self, folder: &str) -> Option<Stated> {
        let texts = self.folders.get(folder)?;
        let mut known = self.known.borrow_mut();
        let stated = known.entry(folder.to_owned());
        Some(stated.or_insert_with(|| of_folder(texts)).clone())
    }

    /// The license of a file of a source: its own statement, then the nearest license file.
    pub(crate) fn license_of(&self, path: &str, bytes: Option<&[u8]>) -> Option<Stated> {
        if let Some(expression) = bytes.and_then(header) {
            return Some(Stated {
                expression: Some(expression),
                from: "SPDX header".to_owned(),
            });
        }
        let side = format!("{path}.license");
        if let Some(expression) = self.sides.get(&side).and_then(|bytes| header(bytes)) {
            return Some(Stated {
                expression: Some(expression),
                from: side,
            });
        }
        let mut folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        loop {
            if let Some(mut stated) = self.of_folder(folder) {
                let later = || bytes.is_some_and(allows_later_versions);
                if let Some(base) = stated
                    .expression
                    .as_deref()
                    .and_then(gnu_base)
                    .filter(|_| later())
                {
                    stated.expression = Some(format!("{base}-or-later"));
                }
                return Some(stated);
            }
            if folder.is_empty() {
                return None;
            }
            folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
        }
    }
}

/// `GPL-2.0` of `GPL-2.0-only`.
fn gnu_base(expression: &str) -> Option<&str> {
    let is_gnu = spdx::license_id(expression).is_some_and(spdx::LicenseId::is_gnu);
    expression.strip_suffix("-only").filter(|_| is_gnu)
}

/// The license that the license files of one folder state together.
fn of_folder(texts: &[(String, Vec<u8>)]) -> Stated {
    let mut texts: Vec<&(String, Vec<u8>)> = texts.iter().collect();
    texts.sort_by_cached_key(|(path, _)| plainness(name_of(path)));
    let read: Vec<(String, Option<String>)> = texts
        .into_iter()
        .map(|(path, bytes)| {
            let text = String::from_utf8_lossy(bytes);
            let found = header(bytes).or_else(|| recognize(&text));
            (path.clone(), found)
        })
        .collect();
    let lesser = || {
        // The LGPL is written as an addition to the GPL, whose text then is beside it.
        let one = read
            .iter()
            .find(|(_, found)| found.as_deref().is_some_and(|one| one.starts_with("LGPL")));
        let with_gpl = read
            .iter()
            .any(|(_, found)| found.as_deref().is_some_and(|one| one.starts_with("GPL")));
        one.filter(|_| with_gpl && read.len() == 2)
    };
    // Two and more that each bear the name of their license are a choice.
    let named = |(path, found): &(String, Option<String>)| {
        found
            .as_deref()
            .is_some_and(|found| is_named_after(name_of(path), found))
    };
    let choice: Vec<&(String, Option<String>)> = {
        let unnamed: Vec<_> = read.iter().filter(|one| !named(one)).collect();
        match unnamed.as_slice() {
            // `LICENSE` with one text and `LICENSE-MIT` with another, as well as two that are named.
            [] => read.iter().collect(),
            [(path, Some(_))] if plainness(name_of(path)).0 == 0 => read.iter().collect(),
            _ => Vec::new(),
        }
    };
    let mut expressions: Vec<&str> = Vec::new();
    for found in choice.iter().filter_map(|(_, found)| found.as_deref()) {
        if !expressions.contains(&found) {
            expressions.push(found);
        }
    }
    if let Some((path, found)) = lesser() {
        return Stated {
            expression: found.clone(),
            from: path.clone(),
        };
    }
    if expressions.len() > 1 {
        let paths: Vec<&str> = choice.iter().map(|(path, _)| path.as_str()).collect();
        return Stated {
            expression: Some(expressions.join(" OR ")),
            from: paths.join(", "),
        };
    }
    let first = read
        .iter()
        .find(|(_, found)| found.is_some())
        .or(read.first());
    first.map_or_else(
        || unreachable!("a folder is listed by its first license file"),
        |(path, found)| Stated {
            expression: found.clone(),
            from: path.clone(),
        },
    )
}

fn name_of(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// Returns `true` for `LICENSE-MIT` and MIT; `LICENSE_1_0.txt` is not named after any license.
fn is_named_after(name: &str, license: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let family = license
        .split('-')
        .next()
        .unwrap_or(license)
        .to_ascii_lowercase();
    name.split(|c: char| !c.is_ascii_alphanumeric())
        .skip(1)
        .any(|part| part.starts_with(&family))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_alias_leads_to_a_license_of_spdx() {
        for (name, aliases) in ALIASES {
            assert!(spdx::license_id(name).is_some(), "{name}");
            for alias in aliases.split("; ") {
                assert_eq!(normalize(alias).as_deref(), Some(name));
            }
        }
    }

    #[test]
    fn the_order_of_trying_does_not_change_what_is_nearest() {
        let texts = published();
        let told = texts.iter().filter(|one| one.pairs.is_some()).count();
        assert!(told * 5 > texts.len() * 4, "{told} of {}", texts.len());
        for at in (0..texts.len()).step_by(37) {
            let [one, other] = [at, (at * 5 + 1) % texts.len()].map(|at| texts[at].text.lines());
            for lines in [
                one.to_vec(),
                [one, other].concat(),
                one[one.len() / 3..].to_vec(),
            ] {
                let text = TextData::new(&lines.join("\n"));
                let can_be = texts.iter().filter(|one| !lacks_its_words(one.name, &text));
                let scores = can_be.map(|one| one.text.match_score(&text));
                let highest = scores.max_by(f32::total_cmp);
                assert_eq!(nearest(&text).map(|(_, score, _)| score), highest);
            }
        }
    }

    #[test]
    fn the_apache_license_without_its_appendix_is_itself() {
        let recognized = |text: &str| {
            let text = TextData::new(text);
            nearest(&text).map(|(name, score, _)| (name, score >= SAME))
        };
        let of = |name: &str| {
            let texts = published();
            let mut texts = texts.iter().filter(|one| one.name == name);
            texts.next().unwrap().text.lines().join("\n")
        };
        let whole = of("Apache-2.0");
        let end = whole.to_lowercase().find("end of terms").unwrap();
        let (terms, _) = whole.split_at(end);
        assert_eq!(recognized(terms), Some(("Apache-2.0", true)));
        assert_eq!(recognized(&of("Pixar")), Some(("Pixar", true)));
        assert_eq!(
            recognized(include_str!("../../../LICENSE-APACHE")),
            Some(("Apache-2.0", true))
        );
        assert_eq!(
            recognized(include_str!("../../../LICENSE-MIT")),
            Some(("MIT", true))
        );
    }

    #[test]
    fn expressions_come_out_in_one_spelling() {
        for (text, wanted) in [
            ("MIT", "MIT"),
            ("mit", "MIT"),
            ("GPL-2.0", "GPL-2.0-only"),
            ("GPL-2.0+", "GPL-2.0-or-later"),
            ("GPL-2.0-or-later", "GPL-2.0-or-later"),
            ("GPLv2+", "GPL-2.0-or-later"),
            ("LGPL-2.1-only", "LGPL-2.1-only"),
            ("Apache 2", "Apache-2.0"),
            ("(MIT or Apache-2.0)", "(MIT OR Apache-2.0)"),
            ("MIT/Apache-2.0", "MIT OR Apache-2.0"),
            ("MPL-1.1+", "MPL-1.1+"),
            (
                "Apache-2.0 WITH LLVM-exception",
                "Apache-2.0 WITH LLVM-exception",
            ),
            (
                "GPL-2.0+ WITH Classpath-exception-2.0",
                "GPL-2.0-or-later WITH Classpath-exception-2.0",
            ),
            ("LicenseRef-mine", "LicenseRef-mine"),
            ("BSD", "LicenseRef-BSD"),
            ("MIT AND Foo_Bar", "MIT AND LicenseRef-Foo-Bar"),
            ("MIT AND (", "LicenseRef-MIT-AND"),
        ] {
            assert_eq!(normalize(text).as_deref(), Some(wanted), "{text}");
        }
        assert_eq!(normalize(" -- "), None);
    }

    #[test]
    fn a_head_states_a_license_in_any_kind_of_comment() {
        let mark = concat!("SPDX-License-", "Identifier:");
        for (head, wanted) in [
            (format!("/* {mark} MIT */\nint a;"), Some("MIT")),
            (format!("// {mark} GPL-2.0\r\nint a;"), Some("GPL-2.0-only")),
            (format!("<!-- {mark} ISC -->"), Some("ISC")),
            (
                format!("// {mark} MIT OR ISC\n// {mark} Zlib\n"),
                Some("(MIT OR ISC) AND Zlib"),
            ),
            (format!("{}// {mark} MIT", "\n".repeat(5_000)), None),
            ("int a;".to_owned(), None),
        ] {
            assert_eq!(header(head.as_bytes()).as_deref(), wanted, "{head}");
        }
    }

    #[test]
    fn only_names_of_license_files_are_read_as_such() {
        for path in [
            "LICENSE",
            "license.txt",
            "a/COPYING.LESSER",
            "Licence.md",
            "UNLICENSE",
            "LICENSE-MIT",
            "COPYRIGHT",
        ] {
            assert!(is_of_folder(path), "{path}");
        }
        for path in [
            "license.c",
            "licenses.h",
            "LICENSES/MIT.txt",
            "README",
            "a.c",
        ] {
            assert!(!is_of_folder(path), "{path}");
        }
    }
}
